// Springs: between two points, and on a coordinate. Numbers of a law may name its extension and the
// rate of it.
#include "formulate/loads/loads.h"
#include "formulate/tolerances.h"

// The vector from the point of A to that of B in the frame of a body between them; its length, with
// a floor where it is a divisor.
typedef struct line {
    int frame;
    ct_vec3 d;
    ct_ex square, distance, divisor;
} line;

static line line_of(ct_layout *l, const ct_force *force) {
    ct_pool *pool = l->pool;
    line x = {.frame = ct_common(l, CT_ROTATION, force->body[0], force->body[1])};
    x.d = ct_path(l, force->body[0], ct_from_com(l, force->body[0], force->at[0]), force->body[1],
                  ct_from_com(l, force->body[1], force->at[1]), x.frame);
    x.square = ct_vec_dot(pool, x.d, x.d);
    x.distance = ct_sqrt(pool, x.square);
    x.divisor =
        ct_apply(pool, CT_OP_MAX, (ct_ex[]){x.distance, ct_rational(pool, 1, CT_SPRING_SHORTEST)});
    return x;
}

// |d|' = d . d' / |d|
static ct_ex speed_of(ct_layout *l, const line *x) {
    return ct_div(l->pool, ct_vec_dot(l->pool, x->d, ct_load_rates(l, x->d)), x->divisor);
}

ct_ex ct_law_value(ct_layout *l, ct_substitution *known, const ct_probe *probe) {
    const ct_force *f = l->model->forces + probe->force;
    ct_ex free = ct_substitute(known, f->length), value, rate;
    if (ct_force_traits_of(f->type)->on == CT_ON_COORDINATE) {
        int k;
        value = ct_load_coordinate(l, f, &k, &rate);
    } else {
        line x = line_of(l, f);
        value = x.distance;
        rate = probe->kind == CT_PROBE_EXTENSION ? CT_ZERO : speed_of(l, &x);
    }
    if (probe->kind == CT_PROBE_EXTENSION) return ct_sub(l->pool, value, free);
    return ct_sub(l->pool, rate, ct_load_rate(l, free));
}

// -stiffness (x - length) - damping x' on the coordinate x.
void ct_torsion_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int k;
    ct_ex xd, x = ct_load_coordinate(l, f, &k, &xd);
    ct_ex stiffness = ct_substitute(known, f->stiffness),
          damping = ct_substitute(known, f->damping);
    ct_ex stretch = ct_sub(pool, x, ct_substitute(known, f->length));
    ct_ex elastic = ct_neg(pool, ct_mul(pool, stiffness, stretch)),
          viscous = ct_neg(pool, ct_mul(pool, damping, xd));
    ct_ex effort = ct_add(pool, elastic, viscous);
    ct_load_act_on(l, k, effort, loads);
    ct_load_tell(l, known, force, CT_QUANTITY_EFFORT, effort);
    if (ct_load_is_constant(l, stiffness) && ct_load_is_constant(l, f->length))
        ct_load_potential(
            l, loads,
            ct_product(pool, 4, (ct_ex[]){ct_rational(pool, 1, 2), stiffness, stretch, stretch}));
    else
        ct_load_power(l, loads, ct_mul(pool, elastic, xd));
    ct_load_power(l, loads, ct_mul(pool, viscous, xd));
}

// Tension k (d - length) + c d' + force along the line between the two points.
void ct_spring_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    const ct_force *f = l->model->forces + force;
    ct_pool *pool = l->pool;
    int a = f->body[0], b = f->body[1];
    // the line from the point of A to that of B; coefficients in terms of q
    line x = line_of(l, f);
    ct_ex k = ct_substitute(known, f->stiffness), c = ct_substitute(known, f->damping);
    ct_ex length = ct_substitute(known, f->length), extra = ct_substitute(known, f->value);
    bool elastic = ct_load_is_constant(l, k) && ct_load_is_constant(l, length);
    ct_load_tell(l, known, force, CT_QUANTITY_LENGTH, x.distance);
    ct_vec3 pull;
    // without free length, damping and force no direction is needed: pull = k d,
    // V = k d . d / 2, else power -k d . d'
    if (length == CT_ZERO && c == CT_ZERO && extra == CT_ZERO) {
        pull = ct_vec_scale(pool, k, x.d);
        if (ct_load_is_asked(l, force, CT_QUANTITY_TENSION))
            ct_load_tell(l, known, force, CT_QUANTITY_TENSION, ct_mul(pool, k, x.distance));
        if (elastic)
            ct_load_potential(l, loads,
                              ct_product(pool, 3, (ct_ex[]){ct_rational(pool, 1, 2), k, x.square}));
        else
            ct_load_power(
                l, loads,
                ct_neg(pool, ct_mul(pool, k, ct_vec_dot(pool, x.d, ct_load_rates(l, x.d)))));
    } else {
        // pull = (k (|d| - length) + c |d|' + force) d / |d|;  V = k (|d| - length)^2 / 2
        ct_ex speed = c == CT_ZERO && elastic && extra == CT_ZERO ? CT_ZERO : speed_of(l, &x);
        ct_ex stretch = ct_sub(pool, x.distance, length), spring_part = ct_mul(pool, k, stretch);
        ct_ex rest = ct_add(pool, ct_mul(pool, c, speed), extra);
        ct_ex tension = ct_add(pool, spring_part, rest);
        pull = ct_vec_scale(pool, ct_div(pool, tension, x.divisor), x.d);
        ct_load_tell(l, known, force, CT_QUANTITY_TENSION, tension);
        if (elastic)
            ct_load_potential(
                l, loads,
                ct_product(pool, 4, (ct_ex[]){ct_rational(pool, 1, 2), k, stretch, stretch}));
        else
            rest = ct_add(pool, rest, spring_part);
        ct_load_power(l, loads, ct_neg(pool, ct_mul(pool, rest, speed)));
    }
    // on A along d, on B against it
    ct_load_push(l, loads, a, ct_from_com(l, a, f->at[0]), pull, x.frame);
    ct_load_push(l, loads, b, ct_from_com(l, b, f->at[1]), ct_vec_neg(pool, pull), x.frame);
}
