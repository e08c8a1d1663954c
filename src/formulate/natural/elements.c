// Points and vectors of bodies: those of bodies that are placed, and new ones with coordinates.
#include "formulate/natural/natural.h"
#include "formulate/tolerances.h"

#include <math.h>

bool ct_element_is_fixed(const ct_layout *l, ct_vec3 v) {
    unsigned kinds = 0;
    for (int i = 0; i < 3; i++) kinds |= ct_ex_kinds(l->pool, v.v[i]);
    return !(kinds & ~(1u << CT_SYMBOL_PARAMETER));
}

bool ct_element_matches(ct_natural_builder *b, ct_vec3 a, ct_vec3 c, int power) {
    if (ct_vec_same(a, c)) return true;
    const ct_layout *l = b->l;
    ct_vec3 gap = ct_vec_sub(l->pool, a, c);
    const double unit = power ? ct_typical_length(l->model) : 1;
    for (int i = 0; i < 3; i++)
        if (!(fabs(ct_model_number(l->model, gap.v[i])) <= CT_NATURAL_SAME * unit)) return false;
    for (int i = 0; i < 3; i++)
        if (ct_ex_kinds(l->pool, gap.v[i]))
            ct_formulation_condition(
                l->f, (ct_condition){CT_IS_ZERO, gap.v[i], power, "points and vectors in common"});
    return true;
}

static ct_element element_of(const ct_layout *l, bool is_point, ct_vec3 world, ct_vec3 own,
                             int source) {
    ct_element e = {.is_point = is_point, .world = world, .own = own, .source = source};
    for (int i = 0; i < 3; i++) e.number[i] = ct_model_number(l->model, own.v[i]);
    return e;
}

// A known vector, either way round; else R v.
ct_element ct_element_vector(ct_natural_builder *b, int body, ct_vec3 own) {
    const ct_natural_body *x = b->natural->bodies + body;
    ct_pool *pool = b->l->pool;
    if (!body) return element_of(b->l, false, own, own, 0);
    for (int i = 0; i < x->n; i++) {
        const ct_element *e = x->elements + i;
        if (e->is_point) continue;
        if (ct_element_matches(b, e->own, own, 0))
            return element_of(b->l, false, e->world, own, body);
        if (ct_element_matches(b, ct_vec_neg(pool, e->own), own, 0))
            return element_of(b->l, false, ct_vec_neg(pool, e->world), own, body);
    }
    return element_of(b->l, false, ct_mat_vec(pool, x->rotation, own), own, body);
}

// A known point; else c + R p.
ct_element ct_element_point(ct_natural_builder *b, int body, ct_vec3 own) {
    const ct_natural_body *x = b->natural->bodies + body;
    ct_pool *pool = b->l->pool;
    if (!body) return element_of(b->l, true, own, own, 0);
    for (int i = 0; i < x->n; i++) {
        const ct_element *e = x->elements + i;
        if (e->is_point && ct_element_matches(b, e->own, own, 1))
            return element_of(b->l, true, e->world, own, body);
    }
    return element_of(b->l, true, ct_vec_add(pool, x->centre, ct_mat_vec(pool, x->rotation, own)),
                      own, body);
}

void ct_element_add(ct_natural_builder *b, int body, ct_element e) {
    ct_natural_body *x = b->natural->bodies + body;
    *CT_PUSH(x->elements, x->n, x->room) = e;
}

// new ones ----------------------------------------------------------------------------------------
// Directions of ground that the components of a new element are along: x, y, z, or two across the
// fixed normal n, where its component along n is known. Returns how many.
static int directions(const ct_layout *l, const ct_vec3 *normal, ct_vec3 *along,
                      const char **names) {
    static const char *const axes[] = {"x", "y", "z"}, *const others[] = {"1", "2"};
    for (int i = 0; i < 3 && !normal; i++) along[i] = ct_vec_unit(i), names[i] = axes[i];
    if (!normal) return 3;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (normal->v[j] != CT_ZERO || normal->v[k] != CT_ZERO) continue;
        along[0] = ct_vec_unit(j), names[0] = axes[j];
        along[1] = ct_vec_unit(k), names[1] = axes[k];
        return 2;
    }
    ct_vec_normals(l->model, *normal, along, along + 1);
    names[0] = others[0], names[1] = others[1];
    return 2;
}

// The symbols of a coordinate: "left point 1 x".
static ct_natural_coordinate *add_coordinate(ct_natural_builder *b, int body, bool is_point,
                                             int number, const char *axis) {
    ct_natural *x = b->natural;
    ct_pool *pool = b->l->pool;
    char *name = ct_scratch_format("%s %s %d %s", b->l->model->bodies[body].name,
                                   is_point ? "point" : "vector", number, axis);
    ct_natural_coordinate *c = CT_PUSH(x->coordinates, x->n, x->room);
    *c = (ct_natural_coordinate){
        .body = body,
        .is_point = is_point,
        .q = ct_symbol(pool, CT_SYMBOL_COORDINATE, name),
        .qd = ct_symbol(pool, CT_SYMBOL_RATE, ct_scratch_format("%s'", name))};
    return c;
}

// The component of a new element along the fixed normal n: for points from the height of the point
// that is known, or in a plane mechanism in the design position.
static ct_ex level_of(const ct_natural_builder *b, const ct_natural_frame *frame, bool is_point,
                      ct_vec3 own) {
    const ct_layout *l = b->l;
    ct_pool *pool = l->pool;
    const ct_element *n = frame->vector + frame->normal;
    if (!is_point) return ct_vec_dot(pool, n->own, own);
    if (frame->has_point) {
        ct_ex height = ct_vec_dot(pool, n->world, frame->point.world),
              above = ct_vec_dot(pool, n->own, ct_vec_sub(pool, own, frame->point.own));
        return ct_add(pool, height, above);
    }
    ct_vec3 at =
        ct_vec_add(pool, l->centre0[frame->body], ct_mat_vec(pool, l->rotation0[frame->body], own));
    return ct_vec_dot(pool, n->world, at);
}

ct_element ct_element_new(ct_natural_builder *b, const ct_natural_frame *frame, bool is_point,
                          ct_vec3 own) {
    const ct_layout *l = b->l;
    ct_pool *pool = l->pool;
    // in a plane, or of a body that turns about a fixed normal: two numbers
    const bool is_level = frame->normal >= 0 && (!is_point || frame->has_point || l->normal >= 0);
    const ct_vec3 *normal = is_level ? &frame->vector[frame->normal].world : NULL;
    int *number = (is_point ? b->n_points : b->n_vectors) + frame->body;
    ct_vec3 along[3], world = ct_vec3_zero();
    const char *names[3];
    const int n = directions(l, normal, along, names);
    ++*number;
    for (int i = 0; i < n; i++) {
        ct_natural_coordinate *c = add_coordinate(b, frame->body, is_point, *number, names[i]);
        c->own = own;
        c->along = along[i];
        world = ct_vec_add(pool, world, ct_vec_scale(pool, c->q, along[i]));
    }
    if (is_level)
        world =
            ct_vec_add(pool, world, ct_vec_scale(pool, level_of(b, frame, is_point, own), *normal));
    ct_element e = element_of(l, is_point, world, own, -1);
    e.is_level = is_level;
    return e;
}
