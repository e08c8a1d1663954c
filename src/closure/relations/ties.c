// Ties between bodies that are not neighbours: two joints in a row, composed through the body
// between them. Hinges whose axes meet are a ball (a wrist, a universal joint), a hinge and a slide
// along its axis are a cylinder, parallel hinges and slides across them keep a plane, and a slide
// with a ball behind it keeps a point on a line (a strut). A tie has no coordinates: it adds
// relations, nothing else.
#include "closure/relations/snapshot.h"
#include "closure/tolerances.h"

#include <math.h>
#include <string.h>

typedef enum tie_kind {
    TIE_NONE,
    TIE_FIXED,    // frames move as one
    TIE_BALL,     // a point in common
    TIE_HINGE,    // a point and an axis
    TIE_SLIDE,    // an axis, orientation kept
    TIE_CYLINDER, // a line
    TIE_PLANAR,   // a plane
    TIE_ON_LINE,  // a line of one body that holds the point of the other
    TIE_ON_PLANE  // the same with a plane
} tie_kind;

enum { MOST_EDGES = 6, MOST_TIES = 2000 }; // in a row; in a group

typedef struct tie {
    tie_kind kind;
    int body[2];
    ct_vec3 at[2], axis[2]; // from the centres of mass, in the frames of the bodies
    ct_mat3 turn;           // FIXED, SLIDE: components in body[0] from those in body[1]
    int of;                 // ON_LINE, ON_PLANE: 0 or 1, the body that has the line or plane
    int joint;              // that names it
    int n, edge[MOST_EDGES], between[MOST_EDGES]; // edges in a row, bodies between them
} tie;

// Numbers for parameters, other than those of the model too: what vanishes for all of them does so
// whatever the lengths are.
enum { SAMPLES = 3 };
typedef struct composer {
    ct_snapshot *snap;
    ct_pool *pool;
    ct_numbers sample[SAMPLES];
    tie *list;
    int n, room, n_single; // the first ones are single joints
} composer;

// identities -------------------------------------------------------------------------------------
static void start_samples(composer *c) {
    const ct_model *m = c->snap->model;
    for (int s = 0; s < SAMPLES; s++) {
        ct_model_numbers(m, c->sample + s);
        for (int i = 0; i < m->n_parameters; i++) {
            double number = m->parameters[i].number;
            if (m->parameters[i].is_derived)
                ct_numbers_eval(c->sample + s, 1, &m->parameters[i].value, &number);
            else
                number *= 1 + 0.01 * s * (1 + (7 * i + 3 * s) % 5);
            ct_numbers_set(c->sample + s, 1, &m->parameters[i].symbol, &number);
        }
    }
}

// True if the expression vanishes for all lengths; unit: 1, or a length.
static bool vanishes(composer *c, ct_ex a, double unit) {
    if (a == CT_ZERO) return true;
    for (int s = 0; s < SAMPLES; s++) {
        double value;
        ct_numbers_eval(c->sample + s, 1, &a, &value);
        if (!(fabs(value) < CT_TOL_IDENTITY * unit)) return false;
    }
    return true;
}

static bool vector_vanishes(composer *c, ct_vec3 v, double unit) {
    return vanishes(c, v.v[0], unit) && vanishes(c, v.v[1], unit) && vanishes(c, v.v[2], unit);
}

static bool parallel(composer *c, ct_vec3 a, ct_vec3 b) {
    return vector_vanishes(c, ct_vec_cross(c->pool, a, b), 1);
}

static bool across(composer *c, ct_vec3 a, ct_vec3 b) {
    return vanishes(c, ct_vec_dot(c->pool, a, b), 1);
}

// single joints ----------------------------------------------------------------------------------
static tie_kind kind_of(const ct_flow_edge *e) {
    const ct_joint_traits *t = ct_joint_traits_of(e->type);
    if (t->role == CT_ROLE_TIE && t->keeps == CT_KEEPS_NOTHING)
        return t->holds == CT_HOLDS_LINE    ? TIE_ON_LINE
               : t->holds == CT_HOLDS_PLANE ? TIE_ON_PLANE
                                            : TIE_NONE;
    if (t->role != CT_ROLE_JOINT) return TIE_NONE;
    if (t->holds == CT_HOLDS_POINT)
        return t->keeps == CT_KEEPS_FRAME  ? TIE_FIXED
               : t->keeps == CT_KEEPS_AXIS ? TIE_HINGE
                                           : TIE_BALL;
    if (t->holds == CT_HOLDS_LINE) return t->keeps == CT_KEEPS_FRAME ? TIE_SLIDE : TIE_CYLINDER;
    return t->holds == CT_HOLDS_PLANE && t->keeps == CT_KEEPS_AXIS ? TIE_PLANAR : TIE_NONE;
}

static void add_single(composer *c, int edge) {
    const ct_flow_edge *e = c->snap->edges + edge;
    if (e->is_virtual || e->joint < 0) return;
    tie t = {.kind = kind_of(e), .joint = e->joint, .n = 1, .edge = {edge}};
    if (t.kind == TIE_NONE) return;
    for (int s = 0; s < 2; s++) {
        t.body[s] = e->body[s];
        t.at[s] = e->c->at[s];
        t.axis[s] = e->axis_in[s];
    }
    t.turn = ct_mat_mul(c->pool, e->c->orient[0], ct_mat_transpose(e->c->orient[1]));
    *CT_PUSH_SCRATCH(c->list, c->n, c->room) = t;
}

// The tie seen from its other body.
static tie flipped(const tie *t) {
    tie r = *t;
    for (int s = 0; s < 2; s++) {
        r.body[s] = t->body[1 - s];
        r.at[s] = t->at[1 - s];
        r.axis[s] = t->axis[1 - s];
    }
    for (int i = 0; i < t->n; i++) r.edge[i] = t->edge[t->n - 1 - i];
    for (int i = 0; i + 1 < t->n; i++) r.between[i] = t->between[t->n - 2 - i];
    r.turn = ct_mat_transpose(t->turn);
    r.of = 1 - t->of;
    return r;
}

// composing --------------------------------------------------------------------------------------
// Two ties x - y - z in a row; r between x and z is filled in, all but its kind. Lengths along axes
// move a point of y to the place that x or z has for it.
typedef struct pair {
    const tie *a, *b; // a: x and y, b: y and z
    tie *r;
} pair;

static ct_vec3 moved(composer *c, ct_vec3 at, ct_ex length, ct_vec3 axis) {
    return ct_vec_add(c->pool, at, ct_vec_scale(c->pool, length, axis));
}

// A point of y as x sees it, through a tie that keeps the orientation.
static ct_vec3 carried(composer *c, const tie *a, ct_vec3 point) {
    ct_vec3 arm = ct_vec_sub(c->pool, point, a->at[1]);
    return ct_vec_add(c->pool, a->at[0], ct_mat_vec(c->pool, a->turn, arm));
}

// Welded bodies: what b holds, on x in the place of y.
static tie_kind welded(composer *c, const pair *p) {
    *p->r = *p->b;
    p->r->body[0] = p->a->body[0];
    p->r->at[0] = carried(c, p->a, p->b->at[0]);
    p->r->axis[0] = ct_mat_vec(c->pool, p->a->turn, p->b->axis[0]);
    p->r->turn = ct_mat_mul(c->pool, p->a->turn, p->b->turn);
    return p->b->kind;
}

// Two hinges: on one axis, parallel, or with axes that meet.
static tie_kind two_hinges(composer *c, const pair *p) {
    ct_pool *pool = c->pool;
    const tie *a = p->a, *b = p->b;
    double unit = c->snap->length;
    ct_vec3 way = ct_vec_sub(pool, b->at[0], a->at[1]), u = a->axis[1], w = b->axis[0],
            n = ct_vec_cross(pool, u, w);
    if (vector_vanishes(c, n, 1)) {
        // the point of a, moved along its axis to the plane of b's point; axes alike
        p->r->at[0] = moved(c, a->at[0], ct_vec_dot(pool, way, u), a->axis[0]);
        p->r->axis[1] = ct_vec_scale(pool, ct_vec_dot(pool, u, w), b->axis[1]);
        return vector_vanishes(c, ct_vec_cross(pool, way, u), unit) ? TIE_HINGE : TIE_PLANAR;
    }
    if (!vanishes(c, ct_vec_dot(pool, way, n), unit)) return TIE_NONE;
    // a.at + s u = b.at + t w:  s = (way x w) . n / n^2, t = (way x u) . n / n^2
    ct_ex over = ct_power_int(pool, ct_vec_dot(pool, n, n), -1);
    ct_ex s = ct_vec_dot(pool, ct_vec_cross(pool, way, w), n),
          t = ct_vec_dot(pool, ct_vec_cross(pool, way, u), n);
    p->r->at[0] = moved(c, a->at[0], ct_mul(pool, s, over), a->axis[0]);
    p->r->at[1] = moved(c, b->at[1], ct_mul(pool, t, over), b->axis[1]);
    return TIE_BALL;
}

// A hinge, cylinder or plane of x, and a ball of z: the ball's point on the axis, or in a plane.
static tie_kind with_ball(composer *c, const pair *p) {
    ct_pool *pool = c->pool;
    const tie *a = p->a;
    ct_vec3 way = ct_vec_sub(pool, p->b->at[0], a->at[1]);
    if (a->kind == TIE_BALL) return vector_vanishes(c, way, c->snap->length) ? TIE_BALL : TIE_NONE;
    if (a->kind == TIE_SLIDE) {
        p->r->at[0] = carried(c, a, p->b->at[0]);
        return TIE_ON_LINE;
    }
    bool on_axis = vector_vanishes(c, ct_vec_cross(pool, way, a->axis[1]), c->snap->length);
    if (a->kind == TIE_CYLINDER) return on_axis ? TIE_ON_LINE : TIE_NONE;
    p->r->at[0] = moved(c, a->at[0], ct_vec_dot(pool, way, a->axis[1]), a->axis[0]);
    return a->kind == TIE_HINGE && on_axis ? TIE_BALL : TIE_ON_PLANE;
}

// A hinge, cylinder or plane of x, and a slide of z.
static tie_kind with_slide(composer *c, const pair *p) {
    const tie *a = p->a, *b = p->b;
    ct_vec3 here = b->axis[0];
    // directions and points of y as z sees them
    tie back = flipped(b);
    p->r->at[1] = carried(c, &back, a->at[1]);
    p->r->axis[1] = ct_mat_vec(c->pool, back.turn, a->axis[1]);
    switch (a->kind) {
    case TIE_HINGE:
        return parallel(c, a->axis[1], here) ? TIE_CYLINDER
               : across(c, a->axis[1], here) ? TIE_PLANAR
                                             : TIE_NONE;
    case TIE_CYLINDER: return parallel(c, a->axis[1], here) ? TIE_CYLINDER : TIE_NONE;
    case TIE_PLANAR: return across(c, a->axis[1], here) ? TIE_PLANAR : TIE_NONE;
    case TIE_SLIDE:
        p->r->turn = ct_mat_mul(c->pool, a->turn, b->turn);
        return parallel(c, a->axis[1], here) ? TIE_SLIDE : TIE_NONE;
    default: return TIE_NONE;
    }
}

// A hinge or cylinder on one line, or planes alike.
static tie_kind on_one_axis(composer *c, const pair *p) {
    ct_pool *pool = c->pool;
    const tie *a = p->a, *b = p->b;
    ct_vec3 way = ct_vec_sub(pool, b->at[0], a->at[1]);
    if (!parallel(c, a->axis[1], b->axis[0])) return TIE_NONE;
    p->r->at[0] = moved(c, a->at[0], ct_vec_dot(pool, way, a->axis[1]), a->axis[0]);
    p->r->axis[1] = ct_vec_scale(pool, ct_vec_dot(pool, a->axis[1], b->axis[0]), b->axis[1]);
    if (a->kind == TIE_PLANAR || b->kind == TIE_PLANAR)
        return a->kind == TIE_CYLINDER || b->kind == TIE_CYLINDER ? TIE_NONE : TIE_PLANAR;
    return vector_vanishes(c, ct_vec_cross(pool, way, a->axis[1]), c->snap->length) ? TIE_CYLINDER
                                                                                    : TIE_NONE;
}

// Kind of the tie x - z, TIE_NONE if no rule has the two kinds in this sequence.
static tie_kind compose(composer *c, const pair *p) {
    tie_kind a = p->a->kind, b = p->b->kind;
    if (a == TIE_FIXED) return welded(c, p);
    if (b == TIE_FIXED || a >= TIE_ON_LINE || b >= TIE_ON_LINE) return TIE_NONE;
    if (a == TIE_HINGE && b == TIE_HINGE) return two_hinges(c, p);
    if (b == TIE_BALL) return with_ball(c, p);
    if (b == TIE_SLIDE) return with_slide(c, p);
    if (a == TIE_BALL || a == TIE_SLIDE) return TIE_NONE;
    return on_one_axis(c, p);
}

static bool holds_body(const tie *t, int body) {
    for (int i = 0; i + 1 < t->n; i++)
        if (t->between[i] == body) return true;
    return t->body[0] == body || t->body[1] == body;
}

// True if the list has the tie along these edges, from either end.
static bool is_listed(const composer *c, const tie *r) {
    for (int i = c->n_single; i < c->n; i++) {
        const tie *t = c->list + i;
        bool same = t->n == r->n, back = t->n == r->n;
        for (int k = 0; k < r->n && (same || back); k++) {
            same = same && t->edge[k] == r->edge[k];
            back = back && t->edge[k] == r->edge[r->n - 1 - k];
        }
        if (same || back) return true;
    }
    return false;
}

// Adds the tie of a and b, which share the body a.body[1] = b.body[0], by a rule for one of the two
// sequences.
static void add_pair(composer *c, const tie *a, const tie *b) {
    tie back[2] = {flipped(b), flipped(a)}, r = {.kind = TIE_NONE};
    for (int way = 0; way < 2 && r.kind == TIE_NONE; way++) {
        const tie *x = way ? back : a, *z = way ? back + 1 : b;
        r = (tie){.body = {x->body[0], z->body[1]},
                  .at = {x->at[0], z->at[1]},
                  .axis = {x->axis[0], z->axis[1]}};
        r.kind = compose(c, &(pair){x, z, &r});
        // edges and bodies in a row
        r.n = x->n + z->n;
        for (int i = 0; i < r.n; i++) r.edge[i] = i < x->n ? x->edge[i] : z->edge[i - x->n];
        for (int i = 0; i + 1 < r.n; i++)
            r.between[i] = i + 1 < x->n    ? x->between[i]
                           : i + 1 == x->n ? x->body[1]
                                           : z->between[i - x->n];
    }
    r.joint = b->joint;
    if (r.kind != TIE_NONE && c->n < MOST_TIES && !is_listed(c, &r))
        *CT_PUSH_SCRATCH(c->list, c->n, c->room) = r;
}

static bool share_bodies(const tie *a, const tie *b) {
    for (int i = 0; i + 1 < b->n; i++)
        if (holds_body(a, b->between[i])) return true;
    return holds_body(a, b->body[1]);
}

// Tie t with every one before it, each seen from either end.
static void extend(composer *c, int t) {
    for (int i = 0; i < t; i++)
        for (int ends = 0; ends < 4 && c->list[t].n + c->list[i].n <= MOST_EDGES; ends++) {
            const tie *x = c->list + t, *y = c->list + i;
            int middle = x->body[!(ends & 1)];
            if (middle != y->body[ends >> 1] || !middle) continue;
            tie a = ends & 1 ? flipped(x) : *x, b = ends & 2 ? flipped(y) : *y;
            if (!share_bodies(&a, &b)) add_pair(c, &a, &b);
        }
}

// edges ------------------------------------------------------------------------------------------
static bool is_wanted(const tie *t) {
    return t->n > 1 && t->kind != TIE_NONE && t->kind != TIE_FIXED && t->kind != TIE_PLANAR;
}

static void world_point(ct_snapshot *snap, int body, ct_vec3 at, double *p) {
    ct_flow_direction(snap, body, at, p);
    for (int i = 0; i < 3; i++) p[i] += snap->centre[body][i];
}

// The edge of a tie: virtual, without coordinates. A line or plane belongs to its first body.
static ct_flow_edge edge_of(ct_snapshot *snap, const tie *of) {
    const tie seen = of->kind >= TIE_ON_LINE && of->of ? flipped(of) : *of, *t = &seen;
    static const ct_joint_type types[] = {
        [TIE_BALL] = CT_JOINT_SPHERICAL,  [TIE_HINGE] = CT_JOINT_REVOLUTE,
        [TIE_SLIDE] = CT_JOINT_PRISMATIC, [TIE_CYLINDER] = CT_JOINT_CYLINDRICAL,
        [TIE_PLANAR] = CT_JOINT_PLANAR,   [TIE_ON_LINE] = CT_JOINT_INLINE,
        [TIE_ON_PLANE] = CT_JOINT_INPLANE};
    ct_connection *c = ct_scratch(1, sizeof *c);
    *c = (ct_connection){.orient = {ct_mat3_identity(), ct_mat_transpose(t->turn)}};
    ct_flow_edge e = {.joint = t->joint,
                      .type = types[t->kind],
                      .is_virtual = true,
                      .n_composed = t->n,
                      .value = CT_ZERO,
                      .c = c};
    for (int s = 0; s < 2; s++) {
        e.body[s] = c->body[s] = t->body[s];
        c->at[s] = t->at[s];
        world_point(snap, t->body[s], t->at[s], e.at[s]);
        e.axis_in[s] = t->axis[s];
    }
    if (t->kind == TIE_BALL) {
        for (int s = 0; s < 2; s++) e.axis_in[s] = ct_vec3_zero();
        return e;
    }
    // directions across the axis, the same in both bodies where the orientation is kept
    ct_vec_normals(snap->model, t->axis[0], &e.across_in[0][0], &e.across_in[0][1]);
    for (int i = 0; i < 2 && t->kind == TIE_SLIDE; i++)
        e.across_in[1][i] = ct_mat_transpose_vec(snap->layout->pool, t->turn, e.across_in[0][i]);
    ct_flow_direction(snap, t->body[0], e.axis_in[0], e.main);
    for (int i = 0; i < 2; i++) ct_flow_direction(snap, t->body[0], e.across_in[0][i], e.across[i]);
    return e;
}

// Bodies that keep their orientation stay parallel to the first body of the group: their own axes,
// and the axes of joints on them in the neighbours.
static ct_flow_edge parallel_edge(const ct_loop_group *group, int body, const ct_flow_edge *of,
                                  ct_vec3 in_first, ct_vec3 in_body) {
    return (ct_flow_edge){.joint = of->joint,
                          .body = {group->bodies[0], body},
                          .type = CT_JOINT_PARALLEL,
                          .is_virtual = true,
                          .n_composed = 1,
                          .value = CT_ZERO,
                          .c = of->c,
                          .axis_in = {in_first, in_body}};
}

// Adds such edges of one joint to a list. Returns how many, at most three.
static int upright_edges(ct_snapshot *snap, const ct_loop_group *group, const ct_flow_edge *e,
                         ct_flow_edge *list) {
    int n = 0, first = group->bodies[0];
    const ct_joint_traits *t = ct_joint_traits_of(e->type);
    if (e->is_virtual || e->joint < 0) return 0;
    for (int s = 0; s < 2 && !n; s++) {
        int body = e->body[s], other = e->body[1 - s];
        if (!snap->upright[body] || body == first) continue;
        for (int k = 0; k < 2; k++)
            list[n++] = parallel_edge(group, body, e, ct_vec_unit(2 * k), ct_vec_unit(2 * k));
        if (t->role == CT_ROLE_JOINT && t->keeps == CT_KEEPS_AXIS && other != first)
            list[n++] = parallel_edge(group, other, e, e->axis_in[s], e->axis_in[1 - s]);
    }
    return n;
}

ct_loop_group ct_flow_with_ties(ct_snapshot *snap, const ct_loop_group *group) {
    composer all = {.snap = snap, .pool = snap->layout->pool}, *c = &all;
    start_samples(c);
    // joints of the group, then all that can be composed of them
    for (int i = 0; i < group->n_edges; i++) add_single(c, group->edges[i]);
    c->n_single = c->n;
    for (int t = 1; t < c->n; t++) extend(c, t);
    // edges for them, behind those of the snapshot
    ct_loop_group with = *group;
    with.first = with.by_body = NULL; // there are more edges
    int count = 0, n = snap->n_edges;
    for (int t = 0; t < c->n; t++) count += is_wanted(c->list + t);
    count += 3 * group->n_edges; // at most, of bodies that keep their orientation
    size_t before = (size_t)snap->n_edges, room = before + (size_t)count + 1;
    snap->edges = ct_scratch_longer(snap->edges, before, room, sizeof *snap->edges);
    snap->translating = ct_scratch_longer(snap->translating, before, room, sizeof(bool));
    with.edges = ct_scratch((size_t)(group->n_edges + count) + 1, sizeof *with.edges);
    memcpy(with.edges, group->edges, (size_t)group->n_edges * sizeof *with.edges);
    for (int t = 0; t < c->n; t++) {
        if (!is_wanted(c->list + t)) continue;
        snap->edges[n] = edge_of(snap, c->list + t);
        with.edges[with.n_edges++] = n++;
    }
    for (int i = 0; i < group->n_edges; i++) {
        ct_flow_edge more[3], e = snap->edges[group->edges[i]];
        int found = upright_edges(snap, group, &e, more);
        for (int k = 0; k < found; k++) {
            snap->edges[n] = more[k];
            with.edges[with.n_edges++] = n++;
        }
    }
    for (int s = 0; s < SAMPLES; s++) ct_numbers_clear(c->sample + s);
    return with;
}
