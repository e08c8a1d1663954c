// Steps of a body that keeps its orientation, like the platform of a delta robot (group_order.c
// finds it): its angles, then its place where spheres meet (so are bodies placed on links too, once
// their angles are known). The body stays parallel to the
// first body of its group, and its angles are zero where that body does not turn. No equation of
// the mechanism says so; it follows from the equations at the lengths of the model. Some equations
// are superfluous then: with the angles zero they hold identically, or they repeat another distance
// (two parallel rods). Lengths are parameters of the code, so guards watch these identities and,
// wherever all coordinates are computed, that all equations of the joints are met.
#include "closure/steps/builder.h"
#include "closure/tolerances.h"

#include <math.h>

static bool ties_bodies(const ct_formulation *f, int row) {
    if (f->owner[row].joint < 0) return false;
    return !ct_joint_is_coupling(f->model->joints[f->owner[row].joint].type);
}

// Guards |Phi| of all joints below about 10^CT_GUARD_CLOSED of the units of its rows, in the
// expansion: the last step takes an identity for granted.
static void watch_rows(const ct_step_builder *build) {
    ct_pool *pool = build->pool;
    ct_closure *c = build->closure;
    ct_ex sum = CT_ZERO, tiny = ct_power_int(pool, ct_int(pool, 10), 2 * CT_GUARD_CLOSED);
    for (int i = 0; i < build->f->m; i++) {
        if (!ties_bodies(build->f, i)) continue;
        // the unit as a power of two
        int exponent = (int)lround(log2(build->f->row_unit[i]));
        ct_ex row = ct_power_int(pool, ct_steps_replace(build, build->f->phi[i]), 2);
        sum = ct_add(pool, sum,
                     ct_mul(pool, ct_power_int(pool, ct_int(pool, 2), -2 * exponent), row));
    }
    *CT_PUSH(c->late, c->n_late, c->room_late) =
        (ct_guard){ct_sub(pool, tiny, sum), c->n_steps - 1, CT_ZERO};
}

// The first body of the group turns, and the angles are its own. With R what is between the two,
// the identity, R_32, R_13 and R_21 change like three components of the spin (R_21 like the one
// about z).
static void turn_along(const ct_step_builder *build, ct_segment *seg, const ct_placement *p,
                       const int *k, ct_ex *psi) {
    const ct_connection *c = ct_steps_joint(build, p->joint);
    // rotation of the first body seen from the parent: that of the joint
    ct_mat3 turn = ct_rotation(build->layout, p->parent, build->root),
            rest = ct_rotation(build->layout, build->root, p->child);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turn.a[i][j] = ct_steps_replace(build, turn.a[i][j]);
    // one angle: two entries across its axis
    if (p->n_unknown == 1) {
        int z = c->axis[0].v[0] == CT_ONE ? 0 : c->axis[0].v[1] == CT_ONE ? 1 : 2, x = (z + 1) % 3;
        ct_steps_set(build, seg, build->f->q[k[0]], turn.a[x][x], turn.a[(z + 2) % 3][x]);
        psi[0] = rest.a[(z + 2) % 3][x];
        return;
    }
    // three angles; rates from the three entries of R
    ct_steps_three_angles(build, seg, c, turn, k);
    psi[0] = rest.a[2][1];
    psi[1] = rest.a[0][2];
    psi[2] = rest.a[1][0];
}

static void keep(const ct_step_builder *build, const ct_placement *p) {
    int k[3];
    ct_ex psi[3];
    for (int i = 0; i < p->n_unknown; i++) {
        k[i] = ct_steps_coordinate(build, p->unknown[i]);
        psi[i] = build->f->q[k[i]];
    }
    ct_segment *seg = ct_steps_segment(
        build, CT_STEP_GIVEN, 1, p->joint, p->n_unknown, k,
        ct_format("orientation of %s, which stays", build->f->model->bodies[p->child].name));
    // angles that are zero for good, or those of the first body
    if (ct_mat_is_identity(ct_rotation(build->layout, p->parent, build->root)))
        for (int i = 0; i < p->n_unknown; i++) {
            ct_steps_set(build, seg, psi[i], CT_ONE, CT_ZERO);
            ct_values_freeze(build->values, ct_cos(build->pool, psi[i]), CT_ONE);
            ct_values_freeze(build->values, ct_sin(build->pool, psi[i]), CT_ZERO);
        }
    else
        turn_along(build, seg, p, k, psi);
    ct_steps_rate_block(build, p->n_unknown, k, psi);
    watch_rows(build);
    build->closure->components = true;
}

// An expression with all slides at fixed places; angles and parameters are left in it.
static ct_ex at_fixed_slides(const ct_step_builder *build, ct_ex a, int variant) {
    ct_pool *pool = build->pool;
    const ct_closure *c = build->closure;
    ct_ex unit = ct_steps_length(build);
    ct_substitution *s = ct_substitution_new(pool);
    for (int k = 0; k < build->f->n; k++) {
        ct_ex place = ct_mul(pool, ct_rational(pool, 3 + (5 + 2 * variant) * k % 11, 7), unit);
        if (build->f->is_angle[k]) continue;
        ct_substitution_map(s, build->f->q[k], place);
        for (int v = 0; v < c->registers.values.n; v++)
            if (c->registers.values.meaning[v] == build->f->q[k])
                ct_substitution_map(s, c->registers.values.symbol[v], place);
    }
    a = ct_substitute(s, a);
    ct_substitution_free(s);
    return a;
}

// Guards  off = 0  if it holds wherever the bodies are, else returns false; step: that of the
// angles that stay.
static bool watch(const ct_step_builder *build, int step, ct_ex off, ct_ex size) {
    enum { VARIANTS = 2 };
    ct_ex at[VARIANTS][2];
    off = ct_steps_replace(build, off);
    size = ct_steps_replace(build, size);
    // an identity, with slides at two sets of fixed places
    for (int i = 0; i < VARIANTS; i++) {
        at[i][0] = at_fixed_slides(build, off, i);
        at[i][1] = at_fixed_slides(build, size, i);
        if (!ct_steps_holds(build, at[i][0], at[i][1], CT_ZERO, CT_ONE, CT_ZERO)) return false;
    }
    for (int i = 0; i < VARIANTS; i++) {
        // a guard for each, in a segment of the step
        ct_segment *seg = ct_steps_more(build);
        seg->step = step;
        ct_steps_watch(build, seg, at[i][0], at[i][1]);
    }
    return true;
}

static ct_ex size_of(const ct_step_builder *build, const ct_relation *r) {
    ct_vec3 v = ct_steps_between(build, r->k, r->point_k, r->x, r->point_x, build->root);
    return r->kind == CT_RELATION_DOT ? CT_ONE : ct_vec_dot(build->pool, v, v);
}

// Guards that an open distance equals one that a step used, up to its sign.
static void watch_distance(const ct_step_builder *build, int step, const ct_relation *r, int n,
                           const ct_placement *placed) {
    ct_ex psi = ct_steps_psi(build, r, build->root), size = size_of(build, r);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < placed[i].n_relations; k++) {
            const ct_relation *t = placed[i].relation + k;
            if (t->kind != CT_RELATION_DISTANCE) continue;
            ct_ex other = ct_steps_psi(build, t, build->root);
            if (watch(build, step, ct_sub(build->pool, psi, other), size)) return;
            if (watch(build, step, ct_add(build->pool, psi, other), size)) return;
        }
}

static void watch_axis(const ct_step_builder *build, int step, const ct_relation *r) {
    ct_vec3 x = ct_turn(build->layout, r->axis_x, r->x, build->root),
            k = ct_turn(build->layout, r->axis_k, r->k, build->root);
    for (int i = 0; i < 3; i++) watch(build, step, ct_sub(build->pool, x.v[i], k.v[i]), CT_ONE);
}

// Guards for an open relation of a group of n placements.
static void watch_open(const ct_step_builder *build, int step, const ct_relation *r, int n,
                       const ct_placement *placed) {
    switch (r->kind) {
    case CT_RELATION_POINT: break;
    case CT_RELATION_AXIS: watch_axis(build, step, r); break;
    case CT_RELATION_DISTANCE: watch_distance(build, step, r, n, placed); break;
    default: watch(build, step, ct_steps_psi(build, r, build->root), size_of(build, r));
    }
}

void ct_steps_watch_group(const ct_step_builder *build, const ct_flow *flow, int group, int step) {
    const int first = flow->group[group], last = ct_flow_group_end(flow, group);
    // bodies that keep their orientation without a step of their own
    if (flow->n_translating && step < 0) watch_rows(build);
    // open relations
    for (int i = 0; i < flow->n_open_relations && step >= 0; i++)
        if (flow->open_group[i] == group)
            watch_open(build, step, flow->open_relations + i, last - first,
                       flow->placements + first);
}

// The centre of the sphere on which relation r, a distance, holds the body: in the frame of the
// parent, from the joint's point there.
static ct_vec3 middle(const ct_step_builder *build, const ct_placement *p, const ct_connection *c,
                      const ct_relation *r) {
    ct_vec3 way = ct_steps_path(build, p->parent, c->at[0], r->k, r->point_k, p->parent),
            arm = ct_steps_path(build, p->child, c->at[1], r->x, r->point_x, p->child);
    arm = ct_turn(build->layout, arm, p->child, p->parent);
    return ct_vec_let(build->pool, ct_steps_vector(build, ct_vec_sub(build->pool, way, arm)));
}

// |x - c1|^2 = l1, |x - c2|^2 = l2, |x - c3|^2 = l3: their differences are two planes. Of two
// spheres there is one, and the slide that is known gives the other.
static void spheres(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    const ct_connection *c = ct_steps_joint(build, p->joint);
    const char *name = build->f->model->bodies[p->child].name;
    int k[3], n = p->n_unknown;
    ct_ex psi[3], length2[3] = {0}, part[3] = {0}, along[3] = {0}, half = ct_rational(pool, 1, 2);
    ct_vec3 at[3] = {0}, from[3] = {0}, now = ct_vec3_zero(), axis[3];
    // unknown slides, and the distances as equations for their rates
    for (int i = 0; i < n; i++) {
        k[i] = ct_steps_coordinate(build, p->unknown[i]);
        psi[i] = ct_steps_psi(build, p->relation + i, p->parent);
    }
    char *names = ct_scratch_format("'%s'", ct_steps_source(build, p->relation));
    for (int i = 1; i < n; i++)
        names = ct_scratch_format("%s%s'%s'", names, i + 1 < n ? ", " : " and ",
                                  ct_steps_source(build, p->relation + i));
    ct_segment *seg = ct_steps_segment(build, CT_STEP_QUADRATIC, 2, p->joint, n, k,
                                       ct_format("place of %s from %s", name, names));
    // axes of the joint, and where the body is at present (now)
    for (int i = 0; i < 3; i++) {
        ct_ex slide = ct_steps_replace(build, c->slide[i]);
        axis[i] = ct_mat_vec(pool, c->orient[0], c->direction[i]);
        now = ct_vec_add(pool, now, ct_vec_scale(pool, slide, axis[i]));
    }
    for (int i = 0; i < n; i++) {
        // centre and squared radius of sphere i
        at[i] = middle(build, p, c, p->relation + i);
        length2[i] = ct_let(pool, ct_steps_length2(build, p->relation + i));
        from[i] = ct_vec_let(pool, ct_vec_sub(pool, at[i], at[0]));
        part[i] = ct_let(pool, ct_vec_dot(pool, from[i], from[i]));
        // planes: x . from_i = (|from_i|^2 + l_1 - l_i) / 2, x from the first centre
        along[i] = ct_mul(
            pool, half, ct_sum(pool, 3, (ct_ex[]){part[i], length2[0], ct_neg(pool, length2[i])}));
    }
    // the slide that is known: x . axis = slide - axis . c1
    for (int i = 0; i < 3 && n == 2; i++) {
        bool open = false;
        for (int j = 0; j < n; j++) open = open || build->f->q[k[j]] == c->slide[i];
        if (open) continue;
        from[2] = axis[i];
        along[2] =
            ct_sub(pool, ct_steps_replace(build, c->slide[i]), ct_vec_dot(pool, axis[i], at[0]));
    }
    // both planes and the first sphere, on the side where the body is at present
    now = ct_vec_sub(pool, now, at[0]);
    ct_ex side = ct_steps_sign(build, ct_vec_dot(pool, ct_vec_cross(pool, from[1], from[2]), now));
    ct_vec3 x =
        ct_steps_third(build, seg, from[1], part[1], along[1], from[2], along[2], length2[0], side);
    // slides: components of x along the axes of the joint
    x = ct_vec_add(pool, x, at[0]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            if (build->f->q[k[i]] == c->slide[j])
                ct_values_set_slide(build->values, seg, k[i], ct_vec_dot(pool, axis[j], x));
    ct_steps_rate_block(build, n, k, psi);
}

void ct_steps_translating(const ct_step_builder *build, const ct_placement *p) {
    if (p->kind == CT_PLACE_KEPT)
        keep(build, p);
    else
        spheres(build, p);
}
