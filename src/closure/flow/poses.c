// Placements by a whole orientation: three angles of a joint, or all coordinates of a body, whose place is
// that of a point of it. Bodies on links beside that: points on spheres, and swings, which place a point
// on the circle in which two spheres meet.
#include "closure/flow/placements.h"
#include "closure/tolerances.h"

#include <math.h>
#include <string.h>

// relations of a pose ------------------------------------------------------------------------------
// An orientation takes a vector and a second relation, a pose a point of the body before that. Their
// relations are looked for in this order, each with rows that the ones before do not have.
typedef struct frame_search {
    ct_flow_search *search;
    const ct_flow_state *s;
    const ct_flow_unknowns *u;
    int n_relations;
    const ct_flow_relation *relations;
    ct_flow_option *best;
} frame_search;

typedef struct frame { // under construction
    ct_placement p;
    double basis[6][6], cost;
    int size;
} frame;

// Adds a relation. Returns the number of its rows that are new.
static int add_relation(const frame_search *x, const ct_flow_relation *r, frame *f) {
    double rows[3][6];
    const ct_flow_edge *e = x->search->snap->edges + x->u->edge;
    int count = ct_flow_rows(x->search->snap, r, e, x->u->n, x->u->which, rows);
    f->p.relation[f->p.n_relations++] = r->r;
    return ct_flow_extend(count, rows, x->u->n, f->basis, &f->size);
}

static bool same_point(const ct_flow_relation *a, const ct_flow_relation *b) {
    return a->r.kind == CT_RELATION_DISTANCE && b->r.kind == CT_RELATION_DISTANCE &&
           a->r.x == b->r.x && ct_vec_same(a->r.point_x, b->r.point_x);
}

static const ct_flow_swing *swing_of(const frame_search *x, const ct_flow_relation *r) {
    const ct_snapshot *snap = x->search->snap;
    return snap->swings[r->r.swing - CT_SWING_COORDINATE(snap->model, 0)];
}

// True if both relations are of one point of the body.
static bool is_of(const ct_relation *r, ct_vec3 point) {
    return ct_vec_same(r->point_x, point);
}

// Adds the swing of a point about the line that the frame has for it: between two centres of spheres,
// or from a centre to the point that is known. The angle is about the line as the step sees it. Returns
// false if there is none.
static bool add_swing(const frame_search *x, const ct_flow_relation *of, frame *f) {
    ct_pool *pool = x->search->snap->layout->pool;
    const ct_relation *last = f->p.relation + f->p.n_relations - 1, *known = f->p.relation;
    for (int k = 0; k < x->n_relations; k++) {
        ct_flow_relation r = x->relations[k];
        if (r.r.kind != CT_RELATION_SWING || r.r.x != of->r.x || !is_of(&of->r, r.r.point_x))
            continue;
        const ct_flow_swing *swing = swing_of(x, &r);
        bool pair = swing->role == CT_SWING_OF_PAIR, forward = false, fits;
        if (pair) {
            // the spheres of the pair are the two that the frame has
            forward = swing->joint[0] == last[-1].joint;
            fits = f->p.n_relations == 2 && swing->joint[forward] == last->joint &&
                   swing->joint[!forward] == last[-1].joint;
        } else
            fits = f->p.n_relations > 2 && swing->joint[0] == last->joint &&
                   known->x == swing->home && is_of(known, swing->on[1]);
        frame next = *f;
        if (!forward) r.r.value = ct_neg(pool, r.r.value);
        if (!fits || !add_relation(x, &r, &next)) continue;
        *f = next;
        return true;
    }
    return false;
}

// Adds relation i, a distance, and the next ones of the same point with a new row, `count` in all; a
// swing may be the last one. Returns false if there are not so many.
static bool add_spheres(const frame_search *x, int i, int count, frame *f) {
    if (x->relations[i].r.kind != CT_RELATION_DISTANCE) return false;
    for (int k = i; k < x->n_relations && count; k++) {
        frame next = *f;
        if (!same_point(x->relations + i, x->relations + k) ||
            !add_relation(x, x->relations + k, &next)) {
            if (k == i) return false;
            continue;
        }
        *f = next;
        count--;
    }
    return count == 0 || (count == 1 && add_swing(x, x->relations + i, f));
}

// A spin about the line from the centre to the end of the first vector, seen along that line. Returns
// false if it is about another one.
static bool turn_spin(const frame_search *x, const frame *f, ct_flow_relation *r) {
    const ct_flow_swing *swing = swing_of(x, r);
    const ct_relation *centre = f->p.relation, *end = f->p.relation + f->p.n_relations - 1;
    if (f->p.kind != CT_PLACE_POSE || centre->x != swing->home || end->x != swing->home)
        return false;
    if (is_of(centre, swing->on[0]) && is_of(end, swing->on[1])) return true;
    r->r.value = ct_neg(x->search->snap->layout->pool, r->r.value);
    return is_of(centre, swing->on[1]) && is_of(end, swing->on[0]);
}

// Offers the frame with each second relation that sees the turn about the first vector.
static void try_second(const frame_search *x, const frame *f) {
    for (int k = 0; k < x->n_relations; k++) {
        ct_flow_relation spin = x->relations[k], *t = &spin;
        frame next = *f;
        if (t->r.kind == CT_RELATION_PLANE_X || t->r.kind == CT_RELATION_SWING ||
            (t->r.kind == CT_RELATION_SPIN && !turn_spin(x, f, t)) || !add_relation(x, t, &next))
            continue;
        bool vector = t->r.kind == CT_RELATION_POINT || t->r.kind == CT_RELATION_AXIS;
        ct_flow_try(x->search, x->s, x->best,
                    f->cost + (vector ? CT_PRICE_FRAME_BY_VECTORS : CT_PRICE_FRAME_BY_ROOT),
                    x->u->edge, &next.p);
    }
}

// Each first vector: a point, a direction, a line of the body, two distances of one point.
static void try_first(const frame_search *x, const frame *f) {
    const ct_flow_edge *e = x->search->snap->edges + x->u->edge;
    for (int i = 0; i < x->n_relations; i++) {
        const ct_flow_relation *r = x->relations + i;
        frame next = *f;
        bool vector = r->r.kind == CT_RELATION_POINT || r->r.kind == CT_RELATION_AXIS,
             line = ct_flow_is_own_line(r, x->n_relations - i, 0);
        if (vector || line) {
            add_relation(x, r, &next);
            // the mate of a plane is in its relation
            if (line) {
                add_relation(x, r + 1, &next);
                next.p.n_relations--;
                next.cost += ct_flow_own_line_cost(r, e);
            }
        } else if (add_spheres(x, i, 2, &next))
            next.cost += CT_PRICE_TWO_SPHERES;
        if (next.size >= f->size + 2) try_second(x, &next);
    }
}

// Three angles of a joint.
static void try_frame(const frame_search *x) {
    frame f = {.cost = 0};
    ct_flow_fill(&f.p, x->search->snap->edges + x->u->edge, CT_PLACE_FRAME, x->u->sx, 3,
                 x->u->which);
    try_first(x, &f);
}

// All six coordinates of a body: by a point of it that is known, or that three distances give.
static void try_pose(const frame_search *x) {
    frame all = {.size = 0}, f = {.cost = 0};
    for (int i = 0; i < x->n_relations; i++, all.p.n_relations = 0)
        add_relation(x, x->relations + i, &all);
    if (all.size < x->u->n) return;
    ct_flow_fill(&f.p, x->search->snap->edges + x->u->edge, CT_PLACE_POSE, x->u->sx, x->u->n,
                 x->u->which);
    for (int i = 0; i < x->n_relations; i++) {
        frame next = f;
        if (x->relations[i].r.kind == CT_RELATION_POINT) {
            next.cost = 3 * CT_PRICE_SLIDE_BY_VECTOR;
            if (add_relation(x, x->relations + i, &next) == 3) try_first(x, &next);
        } else if (add_spheres(x, i, 3, &next)) {
            next.cost = CT_PRICE_SPHERES;
            try_first(x, &next);
        }
    }
}

void ct_flow_orient(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                    int turns, int n_relations, const ct_flow_relation *relations,
                    ct_flow_option *best) {
    const frame_search x = {search, s, u, n_relations, relations, best};
    if (u->n == 6) try_pose(&x);
    if (u->n == 3 && turns == 3) try_frame(&x);
}
