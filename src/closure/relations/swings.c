// Swings: independent angles for bodies that hang on links. A point on one link more than is needed to
// hold it on a circle runs on that circle. Its axis is the line through two known points:
//   two links that end in one point        the line of their other ends
//   a link, another point of the body      the line from its other end to that point
//   two points of the body                 the line through them, about which the body turns
// The angle is zero towards an axis of a body that the line starts from, the one most across it.
#include "closure/relations/snapshot.h"
#include "closure/tolerances.h"

#include <math.h>
#include <string.h>

// Ties of one body: with fewer its angles are independent and its place follows, with more it has many
// ways to be placed.
enum { LEAST_TIES = 3, MOST_TIES = 12 };

// A distance that holds a point of the body: a link, or a rod with a ball at the body.
typedef struct tie {
    ct_swing_point near, far;
    int joint, home; // of the relation; body of the far end
    ct_vec3 point;   // near, in the home of its body
    double at[2][3]; // near, far in the world
} tie;

typedef struct finder {
    ct_snapshot *snap;
    int body, n; // of bodies that are welded the one that stands for them
    tie ties[MOST_TIES];
} finder;

// numbers -----------------------------------------------------------------------------------------
static void between(const double *a, const double *b, double *v) {
    for (int i = 0; i < 3; i++) v[i] = b[i] - a[i];
}

static void cross(const double *a, const double *b, double *c) {
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double length(const double *v) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// The axis of a body's frame that is most across a direction of the world. Of axes that are alike but
// for rounding the first one.
static int most_across(const ct_snapshot *snap, int body, const double *along) {
    int best = -1;
    double least = 0;
    for (int k = 0; k < 3; k++) {
        double c = 0;
        for (int i = 0; i < 3; i++) c += snap->rotation[body][i][k] * along[i] / length(along);
        if (best >= 0 && !(fabs(c) < least - CT_SWING_ALIKE)) continue;
        best = k;
        least = fabs(c);
    }
    return best;
}

// ties --------------------------------------------------------------------------------------------
static void add_tie(finder *f, const ct_flow_edge *near, int sx, const ct_flow_edge *far, int sk) {
    if (f->n == MOST_TIES) return;
    tie *t = f->ties + f->n++;
    *t = (tie){.near = {near->joint, sx},
               .far = {far->joint, sk},
               .joint = far->joint,
               .home = far->body[sk],
               .point = near->c->at[sx]};
    memcpy(t->at[0], near->at[sx], sizeof t->at[0]);
    memcpy(t->at[1], far->at[sk], sizeof t->at[1]);
}

// True if it holds a point alone, or keeps a rod from spinning too.
static bool is_ball(const ct_flow_edge *e, bool or_universal) {
    return e->joint >= 0 && ct_flow_pins(e->type) &&
           ct_joint_rotations(e->type) >= (or_universal ? 2 : 3);
}

// The pin at the other end of a rod, a body with two pins and nothing else; NULL: it is none.
static const ct_flow_edge *other_pin(const ct_snapshot *snap, const ct_flow_edge *pin, int rod) {
    const ct_flow_edge *other = NULL;
    for (int i = 0; i < snap->n_edges; i++) {
        const ct_flow_edge *e = snap->edges + i;
        if (e == pin || e->is_virtual || (e->body[0] != rod && e->body[1] != rod)) continue;
        if (other || !is_ball(e, true)) return NULL;
        other = e;
    }
    return other;
}

static void find_ties(finder *f) {
    for (int i = 0; i < f->snap->n_edges; i++) {
        const ct_flow_edge *e = f->snap->edges + i;
        int sx = e->body[0] == f->body ? 0 : 1;
        if (e->is_virtual || e->joint < 0 || e->body[sx] != f->body) continue;
        if (ct_joint_traits_of(e->type)->holds == CT_HOLDS_DISTANCE)
            add_tie(f, e, sx, e, 1 - sx);
        else if (is_ball(e, false) && e->body[1 - sx]) {
            int rod = e->body[1 - sx];
            const ct_flow_edge *far = other_pin(f->snap, e, rod);
            if (far) add_tie(f, e, sx, far, far->body[0] == rod);
        }
    }
}

static bool same_end(const tie *a, const tie *b) {
    return ct_vec_same(a->point, b->point);
}

// True if no tie before has this end: it names the point.
static bool names_point(const finder *f, int i) {
    for (int k = 0; k < i; k++)
        if (same_end(f->ties + k, f->ties + i)) return false;
    return true;
}

// swings ------------------------------------------------------------------------------------------
// The edge of a swing's coordinate.
static void add_edge(finder *f, ct_flow_swing *s, const tie *of) {
    ct_snapshot *snap = f->snap;
    ct_connection *c = ct_scratch(1, sizeof *c);
    *c = (ct_connection){.body = {of->home, f->body}, .at = {ct_vec3_zero(), of->point}};
    size_t n = (size_t)snap->n_edges;
    snap->edges = ct_scratch_longer(snap->edges, n, n + 1, sizeof *snap->edges);
    snap->translating = ct_scratch_longer(snap->translating, n, n + 1, sizeof(bool));
    ct_flow_edge *e = snap->edges + snap->n_edges++;
    *e = (ct_flow_edge){.joint = of->joint,
                        .body = {of->home, f->body},
                        .own = {of->home, f->body},
                        .type = CT_JOINT_REVOLUTE,
                        .is_virtual = true,
                        .value = CT_ZERO,
                        .c = c,
                        .n = 1,
                        .first = s->swing.number,
                        .is_angle = {true},
                        .swing = s};
}

static const char *joint_name(const finder *f, int joint) {
    return f->snap->model->joints[joint].name;
}

// Completes a swing about the line `along` from the point `start`, both in the world, and adds it
// unless what swings is on the line.
static void add_swing(finder *f, ct_flow_swing s, const tie *of, const double *start,
                      const double *along, const char *name) {
    ct_snapshot *snap = f->snap;
    double arm[3];
    s.home = f->body;
    s.swing.body = snap->model->joints[of->near.joint].body[of->near.side];
    s.swing.base = snap->model->joints[of->far.joint].body[of->far.side];
    s.far[1] = of->home;
    if (s.role != CT_SWING_OF_PAIR) s.far[0] = of->home;
    if (!(length(along) > CT_SWING_SHORT * snap->length)) return;
    s.swing.zero = most_across(snap, s.swing.base, along);
    // an axis of the body, or a point
    if (s.role == CT_SWING_OF_BODY) {
        s.swing.axis = most_across(snap, s.swing.body, along);
        for (int i = 0; i < 3; i++) arm[i] = snap->rotation[s.swing.body][i][s.swing.axis];
        memcpy(s.axis_x, arm, sizeof arm);
    } else
        between(start, s.x, arm);
    cross(along, arm, s.way);
    double unit = s.role == CT_SWING_OF_BODY ? 1 : snap->length, size = length(s.way);
    if (!(size > CT_SWING_SHORT * unit * length(along))) return;
    for (int i = 0; i < 3; i++) s.way[i] /= size;
    // its number and name
    ct_flow_swing *kept = ct_scratch(1, sizeof *kept);
    s.swing.number = CT_SWING_COORDINATE(snap->model, snap->n_swings);
    s.swing.name = name;
    *kept = s;
    size_t n = (size_t)snap->n_swings;
    snap->swings = ct_scratch_longer(snap->swings, n, n + 1, sizeof(ct_flow_swing *));
    snap->swings[snap->n_swings++] = kept;
    snap->n_coordinates++;
    add_edge(f, kept, of);
}

// "a.b" of two joints. A link between two bodies that move lets either of them swing: then the one that
// does stands behind them, "a.b.body".
static const char *name_of(const finder *f, const tie *a, const tie *b) {
    const char *one = joint_name(f, a->near.joint), *other = joint_name(f, b->near.joint);
    return a->home ? ct_scratch_format("%s.%s.%s", one, other, f->snap->model->bodies[f->body].name)
                   : ct_scratch_format("%s.%s", one, other);
}

// Two links that end in one point.
static void of_pair(finder *f, const tie *a, const tie *b) {
    ct_flow_swing s = {.role = CT_SWING_OF_PAIR,
                       .joint = {a->joint, b->joint},
                       .far = {b->home},
                       .point = a->point,
                       .swing = {.from = a->far, .to = b->far, .at = a->near}};
    double along[3];
    between(a->at[1], b->at[1], along);
    memcpy(s.x, a->at[0], sizeof s.x);
    add_swing(f, s, a, a->at[1], along, name_of(f, a, b));
}

// A link, and the point of another one.
static void of_link(finder *f, const tie *link, const tie *to) {
    ct_flow_swing s = {.role = CT_SWING_OF_LINK,
                       .joint = {link->joint, -1},
                       .point = link->point,
                       .on = {link->point, to->point},
                       .swing = {.from = link->far, .to = to->near, .at = link->near}};
    double along[3];
    between(link->at[1], to->at[0], along);
    memcpy(s.x, link->at[0], sizeof s.x);
    add_swing(f, s, link, link->at[1], along, name_of(f, link, to));
}

// The body about two of its points.
static void of_body(finder *f, const tie *a, const tie *b) {
    ct_flow_swing s = {.role = CT_SWING_OF_BODY,
                       .joint = {-1, -1},
                       .on = {a->point, b->point},
                       .swing = {.from = a->near, .to = b->near, .at = {-1, 0}}};
    double along[3];
    between(a->at[0], b->at[0], along);
    add_swing(f, s, a, a->at[0], along,
              ct_scratch_format("%s.%s.%s", f->snap->model->bodies[f->body].name,
                                joint_name(f, a->near.joint), joint_name(f, b->near.joint)));
}

void ct_flow_add_swings(ct_snapshot *snap, int pose) {
    finder f = {.snap = snap, .body = ct_flow_posed(snap->edges + pose)};
    for (int i = 0; i < snap->n_swings; i++)
        if (snap->swings[i]->home == f.body) return; // by another pose of it
    if (f.body < 0) return;
    find_ties(&f);
    if (f.n < LEAST_TIES) return;
    for (int i = 0; i < f.n; i++)
        for (int k = 0; k < f.n; k++) {
            bool same = same_end(f.ties + i, f.ties + k);
            if (i < k && same) of_pair(&f, f.ties + i, f.ties + k);
            if (!same && names_point(&f, k)) of_link(&f, f.ties + i, f.ties + k);
            if (i < k && !same && names_point(&f, i) && names_point(&f, k))
                of_body(&f, f.ties + i, f.ties + k);
        }
}

// relations ---------------------------------------------------------------------------------------
static ct_flow_relation relation_of(const ct_snapshot *snap, const ct_flow_swing *swing) {
    bool spins = swing->role == CT_SWING_OF_BODY;
    const ct_swing *s = &swing->swing;
    ct_flow_relation r = {
        .r = {.kind = spins ? CT_RELATION_SPIN : CT_RELATION_SWING,
              .x = spins ? s->body : swing->home,
              .k = s->base,
              .via = {-1, -1},
              .point_x = swing->point,
              .axis_x = ct_vec_unit(s->axis),
              .axis_k = ct_vec_unit(s->zero),
              .mate_value = CT_ZERO,
              .value = ct_symbol(snap->layout->pool, CT_SYMBOL_COORDINATE, s->name),
              .joint = swing->joint[0],
              .swing = s->number}};
    memcpy(r.x, swing->x, sizeof r.x);
    memcpy(r.axis_x, swing->axis_x, sizeof r.axis_x);
    memcpy(r.axis_k, swing->way, sizeof r.axis_k);
    return r;
}

int ct_flow_swung(const ct_snapshot *snap, const ct_flow_state *s, int x, const ct_flow_swing *only,
                  int n, ct_flow_relation *relations) {
    for (int i = 0; i < snap->n_swings && n < CT_FLOW_RELATIONS; i++) {
        const ct_flow_swing *swing = snap->swings[i];
        bool wanted = only ? swing == only : s->known[swing->swing.number];
        if (s->cluster[swing->home] == x && wanted && ct_flow_may_swing(s, swing))
            relations[n++] = relation_of(snap, swing);
    }
    return n;
}
