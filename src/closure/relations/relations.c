// Relations between a body that is to be placed and placed bodies: those of a joint between them,
// those through one body (or cluster) in between, whose shape is the invariant, and those through
// two bodies with parallel hinges. Example: a rod with a pin at either end keeps the distance of
// its pins.
#include "closure/relations/relations.h"

#include <math.h>
#include <string.h>

static void plane(ct_flow_finder *f, const ct_flow_edge *e, int sx,
                  int i) { // i: 0, 1 normal across the axis; 2 along it
    int sk = 1 - sx;
    // the plane belongs to A
    bool of_k = sk == 0;
    ct_flow_relation *r = ct_flow_add(f, of_k ? CT_RELATION_PLANE_K : CT_RELATION_PLANE_X, e,
                                      e->body[sx], e->body[sk]);
    ct_flow_points(r, e, sx, e, sk);
    ct_vec3 in_a = i < 2 ? e->across_in[0][i] : e->axis_in[0];
    const double *world = i < 2 ? e->across[i] : e->main;
    ct_flow_axes(r, in_a, world, in_a, world);
    if (!r) return;
    r->r.value = e->value;
    r->r.line = i < 2;
    if (i < 2) r->r.mate = e->across_in[0][1 - i];
}

static void same_axis(ct_flow_finder *f, const ct_flow_edge *e, int sx, ct_vec3 in_x, ct_vec3 in_k,
                      const double *world) {
    ct_flow_axes(ct_flow_add(f, CT_RELATION_AXIS, e, e->body[sx], e->body[1 - sx]), in_x, world,
                 in_k, world);
}

// The components of a guided point, one by one.
static void guided_planes(ct_flow_finder *f, const ct_flow_edge *e, int sx) {
    for (int i = 0; i < 3 && e->body[1 - sx] == 0; i++) {
        double unit[3] = {i == 0, i == 1, i == 2};
        ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_K, e, e->body[sx], 0);
        ct_flow_points(r, e, sx, e, 1 - sx);
        ct_flow_axes(r, ct_vec_unit(i), unit, ct_vec_unit(i), unit);
        if (!r) return;
        r->r.point_k = ct_vec3_zero();
        r->r.value = e->c->at[0].v[i];
    }
}

// Relations between directions that a joint gives. The axis of a screw is left out: the place of
// the screw depends on its turn.
static void joint_directions(ct_flow_finder *f, const ct_flow_edge *e, int sx) {
    int sk = 1 - sx;
    const ct_joint *j = e->joint >= 0 ? f->snap->model->joints + e->joint : NULL;
    const ct_joint_traits *t = ct_joint_traits_of(e->type);
    if (t->holds == CT_HOLDS_HELIX) return;
    switch (t->keeps) {
    case CT_KEEPS_NOTHING: break;
    case CT_KEEPS_ANGLE: {
        ct_flow_relation *r = ct_flow_add(f, CT_RELATION_DOT, e, e->body[sx], e->body[sk]);
        bool first_in_k = sk == 0;
        ct_flow_axes(
            r, first_in_k ? e->second_in[sx] : e->axis_in[sx], first_in_k ? e->second : e->main,
            first_in_k ? e->axis_in[sk] : e->second_in[sk], first_in_k ? e->main : e->second);
        if (r) r->r.value = ct_vec_dot(f->snap->layout->pool, j->axis[0], j->axis[1]);
        break;
    }
    case CT_KEEPS_AXIS: same_axis(f, e, sx, e->axis_in[sx], e->axis_in[sk], e->main); break;
    case CT_KEEPS_FRAME:
        if (t->holds != CT_HOLDS_LINE) break; // the body moves with its parent, or only slides
        same_axis(f, e, sx, e->axis_in[sx], e->axis_in[sk], e->main);
        same_axis(f, e, sx, e->across_in[sx][0], e->across_in[sk][0], e->across[0]);
        break;
    }
}

// Relations between an axis of A and an axis of B that a constraint without coordinates gives.
static void tie_directions(ct_flow_finder *f, const ct_flow_edge *e, int sx) {
    int sk = 1 - sx;
    double a[2][3];
    switch (ct_joint_traits_of(e->type)->keeps) {
    case CT_KEEPS_NOTHING: break;
    case CT_KEEPS_ANGLE:
        for (int s = 0; s < 2; s++) ct_flow_direction(f->snap, e->body[s], e->axis_in[s], a[s]);
        ct_flow_axes(ct_flow_add(f, CT_RELATION_DOT, e, e->body[sx], e->body[sk]), e->axis_in[sx],
                     a[sx], e->axis_in[sk], a[sk]);
        break;
    case CT_KEEPS_AXIS:
    case CT_KEEPS_FRAME:
        ct_flow_direction(f->snap, e->body[0], e->axis_in[0], a[0]);
        same_axis(f, e, sx, e->axis_in[sx], e->axis_in[sk], a[0]);
        break;
    }
}

// A link, or a distance that a motion guides: the square of its length.
static void distance(ct_flow_finder *f, const ct_flow_edge *e, int sx) {
    const ct_joint *j = e->joint >= 0 ? f->snap->model->joints + e->joint : NULL;
    ct_flow_relation *r = ct_flow_add(f, CT_RELATION_DISTANCE, e, e->body[sx], e->body[1 - sx]);
    ct_flow_points(r, e, sx, e, 1 - sx);
    if (r) r->r.value = j ? ct_power_int(f->snap->layout->pool, j->length, 2) : e->value;
}

// Relations of an edge between x and a placed body.
static void direct(ct_flow_finder *f, const ct_flow_edge *e, int sx) {
    int sk = 1 - sx, x = e->body[sx], k = e->body[sk];
    const ct_joint_traits *t = ct_joint_traits_of(e->type);
    if (t->holds == CT_HOLDS_POINT)
        ct_flow_points(ct_flow_add(f, CT_RELATION_POINT, e, x, k), e, sx, e, sk);
    if (t->holds == CT_HOLDS_POINT && e->joint < 0) guided_planes(f, e, sx);
    if (t->role == CT_ROLE_TIE)
        tie_directions(f, e, sx);
    else
        joint_directions(f, e, sx);
    switch (t->holds) {
    case CT_HOLDS_NOTHING:
    case CT_HOLDS_HELIX:
    case CT_HOLDS_POINT: break;
    case CT_HOLDS_DISTANCE: distance(f, e, sx); break;
    case CT_HOLDS_PLANE: plane(f, e, sx, 2); break;
    case CT_HOLDS_LINE:
        for (int i = 0; i < 2; i++) plane(f, e, sx, i);
        break;
    }
}

static bool turns_about_axis(ct_joint_type type) {
    return ct_joint_is_on_axis(type) && ct_joint_rotations(type) == 1;
}

// Two axes that the body in between holds at a fixed angle.
static void angle_through(ct_flow_finder *f, const ct_flow_edge *e1, int sx, const ct_flow_edge *e2,
                          int sk) {
    if (e1->body[1 - sx] != e2->body[1 - sk] || !turns_about_axis(e1->type) ||
        !turns_about_axis(e2->type))
        return;
    ct_flow_relation *r = ct_flow_add(f, CT_RELATION_DOT, e2, e1->body[sx], e2->body[sk]);
    ct_flow_axes(r, e1->axis_in[sx], e1->main, e2->axis_in[sk], e2->main);
    if (r) r->r.value = ct_vec_dot(f->snap->layout->pool, e1->axis_in[1 - sx], e2->axis_in[1 - sk]);
}

// True if the point of edge e1 is on the axis of the hinge e2: turning about e2 does not move it.
static bool is_on_axis(ct_pool *pool, const ct_flow_edge *e1, int s1, const ct_flow_edge *e2,
                       int s2) {
    if (e1->joint < 0 || !ct_joint_is_hinge(e2->type) || !ct_flow_pins(e1->type) ||
        e1->body[s1] != e2->body[s2])
        return false;
    ct_vec3 offset = ct_vec_sub(pool, e1->c->at[s1], e2->c->at[s2]);
    return ct_vec_is_zero(ct_vec_cross(pool, offset, e2->axis_in[s2]));
}

// The point of e1, at its place on the axis of e2 in the placed body.
static ct_flow_relation *on_axis(ct_flow_finder *f, const ct_flow_edge *e1, int sx,
                                 const ct_flow_edge *e2, int sk) {
    ct_pool *pool = f->snap->layout->pool;
    ct_flow_relation *r = ct_flow_add(f, CT_RELATION_POINT, e1, e1->body[sx], e2->body[sk]);
    if (!r) return NULL;
    ct_ex along = ct_vec_dot(pool, ct_vec_sub(pool, e1->c->at[1 - sx], e2->c->at[1 - sk]),
                             e2->axis_in[1 - sk]);
    ct_flow_points(r, e1, sx, e2, sk);
    r->r.point_k = ct_vec_add(pool, e2->c->at[sk], ct_vec_scale(pool, along, e2->axis_in[sk]));
    memcpy(r->k, r->x, sizeof r->k);
    return r;
}

// The bodies y1 and y2 between x and k, with the points of both edges.
static void pass_through(ct_relation *r, const ct_flow_edge *e1, int sx, const ct_flow_edge *e2,
                         int sk) {
    r->via[0] = e1->body[1 - sx];
    r->via[1] = e2->body[1 - sk];
    r->via_at[0] = e1->c->at[1 - sx];
    r->via_at[1] = e2->c->at[1 - sk];
}

// A hinge at x and a pin at k, on two bodies whose places to each other are known: a plane that is
// fixed in x holds the pin, u . (p_x - p_k) as between the two bodies.
static void plane_through(ct_flow_finder *f, const ct_flow_edge *e1, int sx, const ct_flow_edge *e2,
                          int sk) {
    if (e1->n_composed || !ct_joint_is_hinge(e1->type) || !ct_flow_pins(e2->type)) return;
    ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_X, e2, e1->body[sx], e2->body[sk]);
    ct_flow_points(r, e1, sx, e2, sk);
    ct_flow_axes(r, e1->axis_in[sx], e1->main, e1->axis_in[1 - sx], e1->main);
    if (r) pass_through(&r->r, e1, sx, e2, sk);
}

// Relations through one body or cluster y:  x -e1- y -e2- k, with k placed.
static void through(ct_flow_finder *f, const ct_flow_edge *e1, int sx, const ct_flow_edge *e2,
                    int sk) {
    ct_pool *pool = f->snap->layout->pool;
    int x = e1->body[sx], k = e2->body[sk], y1 = e1->body[1 - sx], y2 = e2->body[1 - sk];
    // without a pin at x only the angle between two axes of y is left
    if (!ct_flow_pins(e1->type)) {
        angle_through(f, e1, sx, e2, sk);
        return;
    }
    // two pins: |p_x - p_k| is their distance in y
    if (ct_flow_pins(e2->type)) {
        ct_flow_relation *r = ct_flow_add(f, CT_RELATION_DISTANCE, e2, x, k);
        ct_flow_points(r, e1, sx, e2, sk);
        if (!r) return;
        pass_through(&r->r, e1, sx, e2, sk);
    }
    // all that follows needs one body in between
    if (y1 != y2) {
        plane_through(f, e1, sx, e2, sk);
        return;
    }
    // a pin on the axis of e2 stays where it is
    ct_vec3 offset = ct_vec_sub(pool, e1->c->at[1 - sx], e2->c->at[1 - sk]);
    if (is_on_axis(pool, e1, 1 - sx, e2, 1 - sk)) on_axis(f, e1, sx, e2, sk);
    // a hinge at k: the pin stays in a plane across the axis, u . (p_x - p_k) = u . offset
    if (ct_joint_is_hinge(e2->type)) {
        ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_K, e2, x, k);
        ct_flow_points(r, e1, sx, e2, sk);
        ct_flow_axes(r, e2->axis_in[sk], e2->main, e2->axis_in[sk], e2->main);
        if (r) r->r.value = ct_vec_dot(pool, offset, e2->axis_in[1 - sk]);
    }
    angle_through(f, e1, sx, e2, sk);
    // a slide at k turns nothing: the pin stays on a line, two planes across it
    if (ct_joint_is_slide(e2->type)) {
        ct_mat3 to_k = ct_mat_mul(pool, e2->c->orient[sk], ct_mat_transpose(e2->c->orient[1 - sk]));
        ct_vec3 in_k = ct_mat_vec(pool, to_k, offset);
        for (int i = 0; i < 2; i++) {
            ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_K, e2, x, k);
            ct_flow_points(r, e1, sx, e2, sk);
            ct_flow_axes(r, e2->across_in[sk][i], e2->across[i], e2->across_in[sk][i],
                         e2->across[i]);
            if (!r) break;
            r->r.value = ct_vec_dot(pool, e2->across_in[sk][i], in_k);
            r->r.line = true;
            r->r.mate = e2->across_in[sk][1 - i];
            r->r.mate_value = ct_vec_dot(pool, r->r.mate, in_k);
        }
        // and the axis of a hinge at x keeps its direction
        if (ct_joint_is_hinge(e1->type))
            ct_flow_axes(ct_flow_add(f, CT_RELATION_AXIS, e2, x, k), e1->axis_in[sx], e1->main,
                         ct_mat_vec(pool, to_k, e1->axis_in[1 - sx]), e1->main);
    }
}

// through two bodies -----------------------------------------------------------------------------
// Relations through two bodies with parallel hinges. Nothing moves along the hinges, which leaves a
// plane; three parallel hinges leave a direction too.
typedef struct chain { // x -e1- y1 -middle- y2 -e2- k; sides of the edges
    const ct_flow_edge *e1, *middle, *e2;
    int sx, s1, s2, sk; // e1 at x, middle at y1 and y2, e2 at k
} chain;

// Axis b is axis a (1), its opposite (-1), or neither (0).
static int along(ct_pool *pool, ct_vec3 a, ct_vec3 b) {
    return ct_vec_same(a, b) ? 1 : ct_vec_same(a, ct_vec_neg(pool, b)) ? -1 : 0;
}

static bool turns(const ct_flow_edge *e) {
    return e->joint >= 0 && ct_joint_is_hinge(e->type);
}

// Length along the middle hinge's axis between the joints at either end.
static ct_ex offset(ct_pool *pool, const chain *c) {
    ct_vec3 d1 = ct_vec_sub(pool, c->middle->c->at[c->s1], c->e1->c->at[1 - c->sx]),
            d2 = ct_vec_sub(pool, c->e2->c->at[1 - c->sk], c->middle->c->at[c->s2]);
    return ct_add(pool, ct_vec_dot(pool, d1, c->middle->axis_in[c->s1]),
                  ct_vec_dot(pool, d2, c->middle->axis_in[c->s2]));
}

// Relations of one chain: up to two planes and an axis.
static void chain_relations(ct_flow_finder *f, const chain *c) {
    ct_pool *pool = f->snap->layout->pool;
    int x = c->e1->body[c->sx], k = c->e2->body[c->sk];
    // ends whose hinges are parallel to the middle one, with the sign of their axes
    int at_x = turns(c->e1) ? along(pool, c->e1->axis_in[1 - c->sx], c->middle->axis_in[c->s1]) : 0,
        at_k = turns(c->e2) ? along(pool, c->e2->axis_in[1 - c->sk], c->middle->axis_in[c->s2]) : 0;
    // axis . (point x - point k) = -(offset), along the axis of the middle hinge
    ct_ex gap = ct_neg(pool, offset(pool, c));
    // a plane fixed in x holds the point of k
    if (at_x && ct_flow_pins(c->e2->type)) {
        ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_X, c->e2, x, k);
        ct_flow_points(r, c->e1, c->sx, c->e2, c->sk);
        ct_flow_axes(r, c->e1->axis_in[c->sx], c->e1->main, c->e1->axis_in[c->sx], c->e1->main);
        if (r) r->r.value = at_x > 0 ? gap : ct_neg(pool, gap);
    }
    // a plane fixed in k holds the point of x
    if (at_k && ct_flow_pins(c->e1->type)) {
        ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_K, c->e2, x, k);
        ct_flow_points(r, c->e1, c->sx, c->e2, c->sk);
        ct_flow_axes(r, c->e2->axis_in[c->sk], c->e2->main, c->e2->axis_in[c->sk], c->e2->main);
        if (r) r->r.value = at_k > 0 ? gap : ct_neg(pool, gap);
    }
    // all three parallel: the axis keeps its direction
    if (at_x && at_k) {
        ct_vec3 in_k = c->e2->axis_in[c->sk];
        double world[3];
        for (int i = 0; i < 3; i++) world[i] = c->e1->main[i];
        if (at_x != at_k) in_k = ct_vec_neg(pool, in_k);
        ct_flow_axes(ct_flow_add(f, CT_RELATION_AXIS, c->e2, x, k), c->e1->axis_in[c->sx], world,
                     in_k, world);
    }
}

// Edges at a body, in the order of the group; others are among them where it is not sorted.
static const int *edges_at(const ct_loop_group *group, int body, int *n) {
    *n = group->first ? group->first[body + 1] - group->first[body] : group->n_edges;
    return group->first ? group->by_body + group->first[body] : group->edges;
}

// Through two bodies with parallel hinges between them, the first of them behind side 1 - sx of e1.
static void chains(ct_flow_finder *f, const ct_flow_edge *e1, int sx, int skip) {
    const ct_flow_state *s = f->s;
    int y1 = e1->body[1 - sx], x = s->cluster[e1->body[sx]], n_at_1, n_at_2;
    const int *at_1 = edges_at(f->g, y1, &n_at_1);
    for (int i = 0; i < n_at_1 && ct_flow_pins(e1->type); i++) {
        const ct_flow_edge *m = f->snap->edges + at_1[i];
        if (m->body[0] != y1 && m->body[1] != y1) continue;
        if (m == e1 || at_1[i] == skip || m->is_virtual || !turns(m)) continue;
        int s1 = m->body[1] == y1, y2 = m->body[1 - s1], far = s->cluster[y2];
        if (!far || far == x || far == s->cluster[y1]) continue;
        const int *at_2 = edges_at(f->g, y2, &n_at_2);
        for (int j = 0; j < n_at_2; j++) {
            const ct_flow_edge *e2 = f->snap->edges + at_2[j];
            if (e2 == m || at_2[j] == skip || e2->is_virtual) continue;
            if (e2->body[0] != y2 && e2->body[1] != y2) continue;
            int sk = e2->body[0] == y2;
            if (s->cluster[e2->body[sk]] || !ct_flow_pins(e2->type)) continue;
            chain_relations(f, &(chain){e1, m, e2, sx, s1, 1 - s1, sk});
        }
    }
}

// Edges of a cluster, in the order of the group: those of its body where it is a single one, else
// all edges of the group.
static const int *edges_of(const ct_loop_group *group, const ct_flow_state *s, int cluster,
                           int *n) {
    int body = -1, count = 0;
    for (int i = 0; i < group->n_bodies && group->first; i++)
        if (s->cluster[group->bodies[i]] == cluster) {
            body = group->bodies[i];
            count++;
        }
    if (count == 1) return edges_at(group, body, n);
    *n = group->n_edges;
    return group->edges;
}

// Side of the edge that lies in cluster x while the other lies in cluster k; -1: none.
static int side(const ct_flow_state *s, const ct_flow_edge *e, int x, int k) {
    int a = s->cluster[e->body[0]], b = s->cluster[e->body[1]];
    return a == x && b == k ? 0 : b == x && a == k ? 1 : -1;
}

// True if neither end of the edge lies in cluster x.
static bool is_elsewhere(const ct_flow_state *s, const ct_flow_edge *e, int x) {
    return s->cluster[e->body[0]] != x && s->cluster[e->body[1]] != x;
}

static bool is_related(const ct_flow_edge *e) {
    return !e->is_virtual || e->n_composed;
}

// True if the relations of a tie are among those through one body: its line or plane is fixed in k.
static bool is_covered(const ct_flow_edge *e, int sx) {
    return e->n_composed == 2 && sx == 1 && !ct_joint_has_coordinates(e->type);
}

int ct_flow_relations(ct_snapshot *snap, const ct_loop_group *group, const ct_flow_state *s, int x,
                      int skip, ct_flow_relation *relations) {
    ct_flow_finder f = {snap, group, s, relations, 0};
    int n_at_x, n_at_y;
    const int *at_x = edges_of(group, s, x, &n_at_x);
    for (int i = 0; i < n_at_x; i++) {
        const ct_flow_edge *e = snap->edges + at_x[i];
        if (is_elsewhere(s, e, x) || at_x[i] == skip || !is_related(e)) continue;
        // a joint or tie between x and a placed body
        int sx = side(s, e, x, 0);
        if (sx >= 0) {
            if (!is_covered(e, sx)) direct(&f, e, sx);
            continue;
        }
        if (e->n_composed && !ct_flow_pins(e->type)) continue;
        // through one cluster, then through two bodies
        for (int b = 0; b < 2; b++) {
            int y = s->cluster[e->body[1 - b]];
            if (s->cluster[e->body[b]] != x || y == x || y == 0) continue;
            const int *at_y = edges_of(group, s, y, &n_at_y);
            for (int j = 0; j < n_at_y; j++) {
                const ct_flow_edge *e2 = snap->edges + at_y[j];
                int sy = !is_related(e2) || at_y[j] == skip ? -1 : side(s, e2, y, 0);
                if (e2->n_composed && !ct_flow_pins(e2->type)) sy = -1;
                if (sy >= 0) through(&f, e, b, e2, 1 - sy);
            }
            if (!e->n_composed) chains(&f, e, b, skip);
        }
    }
    return f.n;
}

// Returns true if x is pinned to a body that turns about an axis through the pin, and that axis is
// fixed in a placed body.
static bool pin_on_axis(ct_flow_finder *f, const ct_flow_edge *e, int x, int skip) {
    const ct_flow_state *s = f->s;
    for (int sx = 0; sx < 2; sx++) {
        int n, y = e->body[1 - sx];
        const int *at = edges_at(f->g, y, &n);
        for (int j = 0; j < n && s->cluster[e->body[sx]] == x; j++) {
            const ct_flow_edge *e2 = f->snap->edges + at[j];
            int sk = e2->body[0] == y;
            if (at[j] == skip || e2->is_virtual || e2 == e || s->cluster[e2->body[sk]] ||
                !is_on_axis(f->snap->layout->pool, e, 1 - sx, e2, 1 - sk))
                continue;
            return on_axis(f, e, sx, e2, sk) != NULL;
        }
    }
    return false;
}

bool ct_flow_pin(ct_snapshot *snap, const ct_loop_group *group, const ct_flow_state *s, int x,
                 int skip, ct_flow_relation *pin) {
    int n;
    const int *at_x = edges_of(group, s, x, &n);
    for (int i = 0; i < n; i++) {
        const ct_flow_edge *e = snap->edges + at_x[i];
        if (is_elsewhere(s, e, x)) continue;
        int sx = side(s, e, x, 0);
        if (at_x[i] == skip || !is_related(e) || !ct_flow_pins(e->type)) continue;
        ct_flow_finder f = {snap, group, s, pin, 0};
        if (sx < 0 && !pin_on_axis(&f, e, x, skip)) continue;
        if (sx < 0) return true;
        ct_flow_relation *r = ct_flow_add(&f, CT_RELATION_POINT, e, e->body[sx], e->body[1 - sx]);
        ct_flow_points(r, e, sx, e, 1 - sx);
        return true;
    }
    return false;
}
