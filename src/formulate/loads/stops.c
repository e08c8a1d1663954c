// One-sided forces: stops of coordinates, and contact of a sphere or a point with a plane or another
// sphere. Both push with the law of Hunt and Crossley, linear damping beside it:
//   N = max(0, k D^e (1 + a D') + c D')  where the penetration D is positive, else 0.
// Its elastic part k D^e has a potential; what it differs by is power.
#include "formulate/loads/loads.h"
#include "formulate/tolerances.h"

static ct_ex larger(ct_pool *pool, ct_ex a, ct_ex b) {
    return ct_apply(pool, CT_OP_MAX, (ct_ex[]){a, b});
}

ct_ex ct_stop_force(ct_layout *l, ct_substitution *known, const ct_force *force, ct_ex depth,
                    ct_ex rate, ct_loads *loads) {
    ct_pool *pool = l->pool;
    ct_ex k = ct_substitute(known, force->stiffness), c = ct_substitute(known, force->damping),
          a = ct_substitute(known, force->number[CT_NUMBER_DISSIPATION]),
          e = force->number[CT_NUMBER_EXPONENT];
    // elastic part k D^e, D > 0, and all of it
    ct_ex inside = ct_let(pool, larger(pool, depth, CT_ZERO));
    ct_ex elastic = ct_let(pool, ct_mul(pool, k, ct_power(pool, inside, e)));
    ct_ex normal = elastic;
    if (a != CT_ZERO || c != CT_ZERO) {
        ct_ex grown = ct_add(pool, CT_ONE, ct_mul(pool, a, rate));
        ct_ex sum = ct_add(pool, ct_mul(pool, elastic, grown), ct_mul(pool, c, rate));
        ct_ex touches = ct_apply(pool, CT_OP_LESS, (ct_ex[]){CT_ZERO, depth});
        normal = ct_let(pool, ct_if(pool, touches, larger(pool, sum, CT_ZERO), CT_ZERO));
    }
    // V = k D^(e + 1) / (e + 1); the power of N is -N D'
    if (!ct_load_is_constant(l, k)) {
        ct_load_power(l, loads, ct_neg(pool, ct_mul(pool, normal, rate)));
        return normal;
    }
    ct_ex next = ct_add(pool, e, CT_ONE);
    ct_load_potential(l, loads, ct_div(pool, ct_mul(pool, k, ct_power(pool, inside, next)), next));
    ct_load_power(l, loads, ct_mul(pool, ct_sub(pool, elastic, normal), rate));
    return normal;
}

// lower - q pushes up, q - upper pushes down; the gap is to the nearer one.
void ct_limit_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int k;
    ct_ex xd, x = ct_load_coordinate(l, f, &k, &xd), effort = CT_ZERO, depth[2];
    if (f->has_bound[0]) {
        depth[0] = ct_sub(pool, f->number[CT_NUMBER_LOWER], x);
        effort = ct_stop_force(l, known, f, depth[0], ct_neg(pool, xd), loads);
    }
    if (f->has_bound[1]) {
        depth[1] = ct_sub(pool, x, f->number[CT_NUMBER_UPPER]);
        effort = ct_sub(pool, effort, ct_stop_force(l, known, f, depth[1], xd, loads));
    }
    ct_load_act_on(l, k, effort, loads);
    ct_load_tell(l, known, force, CT_QUANTITY_EFFORT, effort);
    if (!ct_load_is_asked(l, force, CT_QUANTITY_GAP)) return;
    ct_ex deepest = f->has_bound[0] && f->has_bound[1] ? larger(pool, depth[0], depth[1])
                                                       : depth[f->has_bound[1]];
    ct_load_tell(l, known, force, CT_QUANTITY_GAP, ct_neg(pool, deepest));
}

// Where two bodies touch, world components: the normal from A to B, the penetration, and the place
// of contact from the point of B.
typedef struct touch {
    ct_vec3 normal, from_q;
    ct_ex depth;
} touch;

static touch find_touch(ct_layout *l, const ct_force *force, ct_vec3 d) {
    ct_pool *pool = l->pool;
    touch t;
    if (force->has_plane) { // D = r - n . d; the foot of q is q - (n . d) n
        t.normal = ct_load_world(l, force->vector, force->body[0]);
        ct_ex height = ct_let(pool, ct_vec_dot(pool, t.normal, d));
        t.depth = ct_sub(pool, force->radius, height);
        t.from_q = ct_vec_scale(pool, ct_neg(pool, height), t.normal);
        return t;
    }
    // D = rA + rB - |d|; the foot p + (rA - D / 2) n is (rA - D / 2 - |d|) n from q
    ct_ex distance = ct_let(pool, ct_sqrt(pool, ct_vec_dot(pool, d, d)));
    ct_ex divisor = larger(pool, distance, ct_rational(pool, 1, CT_SPRING_SHORTEST));
    t.normal = ct_vec_let(pool, ct_vec_scale(pool, ct_power_int(pool, divisor, -1), d));
    t.depth = ct_sub(pool, ct_add(pool, force->other_radius, force->radius), distance);
    ct_ex half = ct_mul(pool, ct_rational(pool, 1, 2), t.depth);
    t.from_q = ct_vec_scale(pool, ct_sub(pool, ct_sub(pool, force->other_radius, half), distance),
                            t.normal);
    return t;
}

// Velocity of the point of a body at the arm r from its centre of mass, all in world components.
static ct_vec3 velocity_at(ct_layout *l, int body, ct_vec3 r) {
    ct_vec3 turning = ct_vec_cross(l->pool, ct_angular_velocity(l, body, 0), r);
    return ct_vec_add(l->pool, ct_load_velocity(l, body), turning);
}

static bool is_wrench_asked(const ct_layout *l, int force) {
    bool is_asked = false;
    for (int i = CT_QUANTITY_FX; i <= CT_QUANTITY_MZ; i++)
        is_asked = is_asked || ct_load_is_asked(l, force, (ct_force_quantity)i);
    return is_asked;
}

void ct_contact_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int a = f->body[0], b = f->body[1];
    ct_vec3 p = ct_load_world(l, ct_from_com(l, a, f->at[0]), a),
            q = ct_load_world(l, ct_from_com(l, b, f->at[1]), b);
    // where they touch, from the centres of mass of both
    ct_vec3 d = ct_vec_let(
        pool, ct_path(l, a, ct_from_com(l, a, f->at[0]), b, ct_from_com(l, b, f->at[1]), 0));
    touch t = find_touch(l, f, d);
    ct_vec3 foot = ct_vec_let(pool, t.from_q);
    ct_vec3 on_b = ct_vec_add(pool, q, foot), on_a = ct_vec_add(pool, ct_vec_add(pool, p, d), foot);
    // how B moves there against A: along the normal, and what is left
    ct_vec3 slip =
        ct_vec_let(pool, ct_vec_sub(pool, velocity_at(l, b, on_b), velocity_at(l, a, on_a)));
    ct_ex away = ct_let(pool, ct_vec_dot(pool, slip, t.normal));
    ct_ex normal = ct_stop_force(l, known, f, t.depth, ct_neg(pool, away), loads);
    ct_vec3 push = ct_vec_scale(pool, normal, t.normal);
    // friction against the slip
    ct_ex kinetic = ct_substitute(known, f->number[CT_NUMBER_FRICTION]),
          at_rest = ct_substitute(known, f->number[CT_NUMBER_STATIC_FRICTION]);
    if (kinetic != CT_ZERO || at_rest != CT_ZERO) {
        slip = ct_vec_let(pool, ct_vec_sub(pool, slip, ct_vec_scale(pool, away, t.normal)));
        ct_ex square = ct_let(pool, ct_vec_dot(pool, slip, slip));
        ct_ex share =
            ct_mul(pool, normal, ct_friction_share(l, known, f, kinetic, at_rest, square));
        push = ct_vec_sub(pool, push, ct_vec_scale(pool, share, slip));
        ct_load_power(l, loads, ct_neg(pool, ct_mul(pool, share, square)));
    }
    // on B there, on A the opposite in the same place
    push = ct_vec_let(pool, push);
    ct_load_push_world(l, loads, b, on_b, push, ct_vec3_zero());
    ct_load_push_world(l, loads, a, on_a, ct_vec_neg(pool, push), ct_vec3_zero());
    // what outputs ask for; the moment about q is that of the arm to the foot
    if (ct_load_is_asked(l, force, CT_QUANTITY_GAP))
        ct_load_tell(l, known, force, CT_QUANTITY_GAP, ct_neg(pool, t.depth));
    if (is_wrench_asked(l, force))
        ct_load_tell_wrench(l, known, force, push, ct_vec_cross(pool, foot, push));
}
