// A bushing: springs, dampers and preloads along and about three axes of a frame on A. With d from
// the point of A to that of B and r the rotation vector of B's frame against A's, both in that
// frame, it pushes B with -k d - c d' + preload and turns it with -T(r)^-T (k_r r) - c_r w + preload,
// where w = T(r) r': so springs have the potential (k d^2 + k_r r^2) / 2.
#include "formulate/loads/loads.h"
#include "formulate/tolerances.h"

// r of a rotation, |r| < pi, and the number of T^-T = 1 + [r] / 2 + factor [r]^2.
typedef struct rotation_vector {
    ct_vec3 r;
    ct_ex factor;
} rotation_vector;

// sum of c_i x^i, c_i = numerators / denominators
static ct_ex series(ct_pool *pool, ct_ex x, int n, const long (*c)[2]) {
    ct_ex sum = CT_ZERO;
    for (int i = n - 1; i >= 0; i--)
        sum = ct_add(pool, ct_rational(pool, c[i][0], c[i][1]), ct_mul(pool, x, sum));
    return ct_let(pool, sum);
}

// By the Euler parameters e0 = cos(|r| / 2), v = sin(|r| / 2) r / |r| of the matrix; where v is
// small by series: |r| / |v| = 2 asin(x) / x, and (1 - |r| / 2 cot(|r| / 2)) / |r|^2.
static rotation_vector vector_of(ct_pool *pool, ct_mat3 R) {
    static const long turns[][2] = {{2, 1}, {1, 3}, {3, 20}, {5, 56}, {35, 576}},
                      factors[][2] = {{1, 12}, {1, 720}, {1, 30240}, {1, 1209600}};
    rotation_vector x;
    // e0 and v
    ct_ex trace = ct_sum(pool, 4, (ct_ex[]){CT_ONE, R.a[0][0], R.a[1][1], R.a[2][2]});
    ct_ex least = ct_rational(pool, 1, CT_BUSHING_TURNED),
          twice = ct_let(pool, ct_sqrt(pool, ct_apply(pool, CT_OP_MAX, (ct_ex[]){trace, least})));
    ct_ex inverse = ct_div(pool, ct_rational(pool, 1, 2), twice);
    ct_vec3 v = ct_vec(ct_sub(pool, R.a[2][1], R.a[1][2]), ct_sub(pool, R.a[0][2], R.a[2][0]),
                       ct_sub(pool, R.a[1][0], R.a[0][1]));
    v = ct_vec_let(pool, ct_vec_scale(pool, inverse, v));
    // |v|^2, and whether that is small
    ct_ex square = ct_let(pool, ct_vec_dot(pool, v, v)),
          small = ct_rational(pool, 1, CT_BUSHING_SERIES);
    ct_ex is_small = ct_apply(pool, CT_OP_LESS, (ct_ex[]){square, small});
    ct_ex sine = ct_let(pool, ct_sqrt(pool, ct_apply(pool, CT_OP_MAX, (ct_ex[]){square, small})));
    // r = v |r| / |v|
    ct_ex cosine = ct_mul(pool, ct_rational(pool, 1, 2), twice);
    ct_ex half = ct_apply(pool, CT_OP_ATAN2, (ct_ex[]){sine, cosine});
    ct_ex angle = ct_let(pool, ct_mul(pool, ct_int(pool, 2), half));
    ct_ex ratio = ct_let(
        pool, ct_if(pool, is_small, series(pool, square, 5, turns), ct_div(pool, angle, sine)));
    x.r = ct_vec_let(pool, ct_vec_scale(pool, ratio, v));
    // the factor of [r]^2
    ct_ex turned = ct_let(pool, ct_vec_dot(pool, x.r, x.r));
    ct_ex cotangent = ct_div(pool, ct_mul(pool, half, cosine), sine);
    ct_ex exact = ct_div(pool, ct_sub(pool, CT_ONE, cotangent), ct_power_int(pool, angle, 2));
    x.factor = ct_let(pool, ct_if(pool, is_small, series(pool, turned, 4, factors), exact));
    return x;
}

static bool any(const ct_ex *value) {
    return value[0] != CT_ZERO || value[1] != CT_ZERO || value[2] != CT_ZERO;
}

// -k x of three springs, potential or power with the rates of x.
static ct_vec3 elastic(ct_layout *l, const ct_ex *k, ct_vec3 x, ct_vec3 rate, ct_loads *loads) {
    ct_pool *pool = l->pool;
    ct_vec3 pull = ct_vec3_zero();
    for (int i = 0; i < 3; i++) {
        pull.v[i] = ct_neg(pool, ct_mul(pool, k[i], x.v[i]));
        if (ct_load_is_constant(l, k[i]))
            ct_load_potential(
                l, loads,
                ct_product(pool, 4, (ct_ex[]){ct_rational(pool, 1, 2), k[i], x.v[i], x.v[i]}));
        else
            ct_load_power(l, loads, ct_mul(pool, pull.v[i], rate.v[i]));
    }
    return pull;
}

// -c rate + preload, and its power.
static ct_vec3 damped(ct_layout *l, const ct_ex *c, const ct_ex *preload, ct_vec3 rate,
                      ct_loads *loads) {
    ct_pool *pool = l->pool;
    ct_vec3 push;
    for (int i = 0; i < 3; i++) push.v[i] = ct_sub(pool, preload[i], ct_mul(pool, c[i], rate.v[i]));
    ct_load_power(l, loads, ct_vec_dot(pool, push, rate));
    return push;
}

// T^-T m for the moment m that belongs to r'; r' from w by the transpose.
static ct_vec3 of_turn(ct_pool *pool, const rotation_vector *x, ct_vec3 m, bool transposed) {
    ct_vec3 once = ct_vec_cross(pool, x->r, m), again = ct_vec_cross(pool, x->r, once);
    ct_ex half = ct_rational(pool, transposed ? 1 : -1, 2);
    ct_vec3 sum = ct_vec_add(pool, m, ct_vec_scale(pool, half, once));
    return ct_vec_add(pool, sum, ct_vec_scale(pool, x->factor, again));
}

void ct_bushing_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int a = f->body[0], b = f->body[1];
    ct_ex law[CT_BUSHING_PARTS][CT_BUSHING_DIRECTIONS];
    for (int k = 0; k < CT_BUSHING_PARTS; k++)
        for (int i = 0; i < CT_BUSHING_DIRECTIONS; i++)
            law[k][i] = ct_substitute(known, f->bushing[k][i]);
    const ct_ex *stiffness = law[CT_BUSHING_STIFFNESS], *damping = law[CT_BUSHING_DAMPING],
                *preload = law[CT_BUSHING_PRELOAD];
    // d in A's frame, d' as A sees it: v_q - v_A - w_A x (q - A), and w_B - w_A
    ct_vec3 p = ct_from_com(l, a, f->at[0]), q = ct_from_com(l, b, f->at[1]);
    ct_mat3 frame = ct_mat_mul(pool, ct_rotation(l, 0, a), f->orient[0]); // world <- bushing
    ct_vec3 between = ct_vec_let(pool, ct_path(l, a, p, b, q, 0)),
            on_a = ct_vec_add(pool, ct_load_world(l, p, a), between), on_b = ct_load_world(l, q, b);
    ct_vec3 w_a = ct_angular_velocity(l, a, 0), w_b = ct_angular_velocity(l, b, 0);
    ct_vec3 v_b = ct_vec_add(pool, ct_load_velocity(l, b), ct_vec_cross(pool, w_b, on_b)),
            v_a = ct_vec_add(pool, ct_load_velocity(l, a), ct_vec_cross(pool, w_a, on_a));
    ct_vec3 d = ct_vec_let(pool, ct_mat_transpose_vec(pool, frame, between)),
            d_rate =
                ct_vec_let(pool, ct_mat_transpose_vec(pool, frame, ct_vec_sub(pool, v_b, v_a)));
    // the force
    ct_vec3 push = ct_vec_add(pool, elastic(l, stiffness, d, d_rate, loads),
                              damped(l, damping, preload, d_rate, loads));
    // the moment
    ct_vec3 moment = ct_vec3_zero();
    if (any(stiffness + 3) || any(damping + 3) || any(preload + 3)) {
        ct_vec3 w = ct_vec_let(pool, ct_mat_transpose_vec(pool, frame, ct_vec_sub(pool, w_b, w_a)));
        if (any(stiffness + 3)) {
            ct_mat3 on = ct_mat_mul(pool, ct_rotation(l, a, b), f->orient[1]);
            ct_mat3 R = ct_mat_let(pool, ct_mat_mul(pool, ct_mat_transpose(f->orient[0]), on));
            rotation_vector x = vector_of(pool, R);
            ct_vec3 rate = of_turn(pool, &x, w, false);
            moment = of_turn(pool, &x, elastic(l, stiffness + 3, x.r, rate, loads), true);
        }
        moment = ct_vec_add(pool, moment, damped(l, damping + 3, preload + 3, w, loads));
    }
    // on B at q, on A the opposite in the same place
    push = ct_vec_let(pool, ct_mat_vec(pool, frame, push));
    moment = ct_vec_let(pool, ct_mat_vec(pool, frame, moment));
    ct_load_push_world(l, loads, b, on_b, push, moment);
    ct_load_tell_wrench(l, known, force, push, moment);
    ct_load_push_world(l, loads, a, on_a, ct_vec_neg(pool, push), ct_vec_neg(pool, moment));
}
