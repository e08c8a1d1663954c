// Every recipe against Newton's method: relation kinds x unknown kinds x guided or not, at several
// times. Positions of small mechanisms are computed by the program of the closure and by solving
// Phi = 0 from the last position; all values must agree. Each case says which placements it is
// about and the flow must hold them, so that the table shows what is covered. Out of reach the
// guards must refuse.
#include "closure/closure_machine.h"

typedef enum unknown_kind { ANGLE, SLIDE, SEVERAL } unknown_kind;

typedef struct placed { // what a flow must hold
    ct_placement_kind kind;
    ct_relation_kind relation;
    unknown_kind unknown;
    bool guided;
    int second; // FRAME: kind of the second relation; others: not looked at
} placed;

typedef struct row {
    const char *name;
    const char *joints, *motions; // of the bodies below; NULL: the mechanism of that name in tests/
    int degree;                   // of the highest step
    double beyond;                // the first independent coordinate is out of reach there; 0: none
    double late;                  // the motions are
    placed holds[3];
    int n;
} row;

// Three bodies that coincide with ground at the start.
static const char common[] =
    "cotree: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "points: {A: [0, 0, 0], B: [0.1, 0.3, 0], C: [0.6, 0.45, 0], D: [0.5, 0, 0], E: [0.2, 0.1, "
    "0.3],"
    " O: [0.3, -0.1, 0.2], T: [0.1, 0.3, 0.2]}\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: [0.02, 0.021, 0.023], com: [0.05, 0.15, 0]}\n"
    "  rod: {mass: 1, inertia: [0.03, 0.031, 0.033], com: [0.35, 0.375, 0]}\n"
    "%sjoints:\n"
    "  a: {type: revolute, between: [ground, arm], at: A, axis: z}\n"
    "%s%s";
static const char third[] =
    "  lever: {mass: 1, inertia: [0.04, 0.041, 0.043], com: [0.55, 0.2, 0]}\n";

#define DRIVEN   "independent: [a]\n"
#define HINGE_B  "  b: {type: revolute, between: [arm, rod], at: B, axis: z}\n"
#define HINGE_C  "  c: {type: revolute, between: [rod, lever], at: C, axis: z}\n"
#define HINGE_D  "  d: {type: revolute, between: [ground, lever], at: D, axis: z}\n"
#define SLIDER_B "  b: {type: prismatic, between: [arm, rod], at: B, axis: [0.8, 0.3, 0]}\n"
#define SLIDER_C "  d: {type: prismatic, between: [ground, lever], at: C, axis: x}\n"

#define BALL_B  "  b: {type: spherical, between: [arm, rod], at: B, sequence: zxy}\n"
#define BALL_C  "  c: {type: spherical, between: [rod, lever], at: C}\n"
#define FORK_B  "  b: {type: universal, between: [arm, rod], at: B, axes: [z, x]}\n"
#define UPRIGHT "  p: {type: parallel, between: [ground, rod], axis: z}\n"
#define OWN_LINE                                                                                   \
    "  i: {type: inline, between: [rod, ground], at: C, axis: [0.5, 0.2, 0.4]}\n"
#define MOVE(point, x, y, z)                                                                       \
    "motions: {x(" point "): " x ", y(" point "): " y ", z(" point "): " z "}\n"

#define PLACE(what, by, of, is_guided)                                                             \
    { .kind = CT_PLACE_##what, .relation = CT_RELATION_##by, .unknown = of, .guided = is_guided }
#define ONE(relation, unknown, guided) PLACE(ONE, relation, unknown, guided)
#define FRAME(first, next, guided)                                                                 \
    { CT_PLACE_FRAME, CT_RELATION_##first, SEVERAL, guided, CT_RELATION_##next }

static const row table_of_steps[] = {
    {"four-bar",
     HINGE_B HINGE_C HINGE_D,
     DRIVEN,
     2,
     0,
     0,
     {ONE(DISTANCE, ANGLE, false), ONE(POINT, ANGLE, false)},
     2},
    {"slider-crank", HINGE_B HINGE_C SLIDER_C, DRIVEN, 2, 2.5, 0, {ONE(DISTANCE, SLIDE, false)}, 1},
    {"oscillating cylinder",
     HINGE_B "  c: {type: prismatic, between: [rod, lever], at: D, axis: [4, -3, 0]}\n" HINGE_D,
     DRIVEN,
     2,
     0,
     0,
     {PLACE(RELATIVE, POINT, SLIDE, false)},
     1},
    {"parallel axes",
     HINGE_B "  p: {type: parallel, between: [ground, rod], axis: x}\n",
     DRIVEN,
     1,
     0,
     0,
     {ONE(AXIS, ANGLE, false)},
     1},
    {"link to a lever",
     "  d: {type: revolute, between: [ground, rod], at: D, axis: z}\n"
     "  l: {type: link, between: [arm, rod], at: [B, C]}\n",
     DRIVEN,
     2,
     0,
     0,
     {ONE(DISTANCE, ANGLE, false)},
     1},
    {"link to a slider",
     "  d: {type: prismatic, between: [ground, rod], at: C, axis: x}\n"
     "  l: {type: link, between: [arm, rod], at: [B, C]}\n",
     DRIVEN,
     2,
     2.5,
     0,
     {ONE(DISTANCE, SLIDE, false)},
     1},
    {"guided distance, angle",
     HINGE_B,
     DRIVEN "motions: {'distance(rod.C, ground.D)': 0.460977222864644 + 0.5*t}\n",
     2,
     0,
     3,
     {ONE(DISTANCE, ANGLE, true)},
     1},
    {"guided distance, slide",
     SLIDER_B,
     DRIVEN "motions: {'distance(rod.C, ground.D)': 0.460977222864644 - 0.05*t}\n",
     2,
     0,
     8,
     {ONE(DISTANCE, SLIDE, true)},
     1},
    {"plane, angle",
     HINGE_B "  p: {type: inplane, between: [ground, rod], at: C, axis: y}\n",
     DRIVEN,
     2,
     -2,
     0,
     {ONE(PLANE_K, ANGLE, false)},
     1},
    {"plane, slide",
     SLIDER_B "  p: {type: inplane, between: [ground, rod], at: C, axis: y}\n",
     DRIVEN,
     1,
     0,
     0,
     {ONE(PLANE_K, SLIDE, false)},
     1},
    {"guided plane, angle",
     HINGE_B,
     DRIVEN "motions: {y(rod.C): 0.45 + 0.2*t}\n",
     2,
     0,
     5,
     {ONE(PLANE_K, ANGLE, true)},
     1},
    {"guided plane, slide",
     SLIDER_B,
     DRIVEN "motions: {y(rod.C): 0.45 + 0.2*sin(t)}\n",
     1,
     0,
     0,
     {ONE(PLANE_K, SLIDE, true)},
     1},
    {"moving plane, angle",
     HINGE_B "  p: {type: inplane, between: [rod, ground], at: D, axis: [1, 2, 0]}\n",
     DRIVEN,
     2,
     0,
     0,
     {ONE(PLANE_X, ANGLE, false)},
     1},
    {"moving plane, slide",
     SLIDER_B "  p: {type: inplane, between: [rod, ground], at: D, axis: [1, 2, 0]}\n",
     DRIVEN,
     1,
     0,
     0,
     {ONE(PLANE_X, SLIDE, false)},
     1},
    {"perpendicular axes",
     "  b: {type: revolute, between: [arm, rod], at: B, axis: x}\n"
     "  p: {type: perpendicular, between: [ground, rod], axes: [[1, 1, 0], [-0.5, 0.5, 0.7]]}\n",
     DRIVEN,
     2,
     0,
     0,
     {ONE(DOT, ANGLE, false)},
     1},
    {"guided_point", NULL, NULL, 2, 0, 0, {ONE(DISTANCE, ANGLE, true), ONE(POINT, ANGLE, true)}, 2},
    {"guided_plane", NULL, NULL, 2, 0, 0, {ONE(PLANE_K, ANGLE, true)}, 1},
    {"guided direction",
     "  b: {type: universal, between: [arm, rod], at: B, axes: [z, x]}\n",
     "motions: {x(rod.C): 0.6 - 0.1*t, y(rod.C): 0.45 + 0.1*sin(t), z(rod.C): 0.2*t}\n",
     2,
     0,
     9,
     {ONE(DISTANCE, ANGLE, true), PLACE(DIRECTION, POINT, SEVERAL, true)},
     2},
    {"guided frame",
     "  b: {type: spherical, between: [arm, rod], at: B, sequence: zxy}\n"
     "  l: {type: link, between: [ground, rod], at: [D, E]}\n",
     "motions: {x(rod.C): 0.6 - 0.1*t, y(rod.C): 0.45 + 0.1*sin(t), z(rod.C): 0.2*t}\n",
     2,
     0,
     9,
     {FRAME(POINT, DISTANCE, true)},
     1},
    {"frame from two vectors",
     BALL_B BALL_C HINGE_D UPRIGHT,
     DRIVEN,
     2,
     0,
     0,
     {FRAME(POINT, AXIS, false)},
     1},
    {"frame from a point and a plane",
     BALL_B BALL_C HINGE_D "  p: {type: inplane, between: [ground, rod], at: E, axis: z}\n",
     DRIVEN,
     2,
     0,
     0,
     {FRAME(POINT, PLANE_K, false)},
     1},
    {"frame from a point and an angle",
     BALL_B BALL_C HINGE_D
     "  p: {type: perpendicular, between: [ground, rod], axes: [[1, 1, 0], [-0.5, 0.5, 0.7]]}\n",
     DRIVEN,
     2,
     0,
     0,
     {FRAME(POINT, DOT, false)},
     1},
    {"frame from an axis and a distance",
     BALL_B UPRIGHT "  l: {type: link, between: [ground, rod], at: [D, C]}\n",
     DRIVEN,
     2,
     0,
     0,
     {FRAME(AXIS, DISTANCE, false)},
     1},
    {"frame from an axis and a plane",
     BALL_B UPRIGHT "  i: {type: inplane, between: [ground, rod], at: C, axis: y}\n",
     DRIVEN,
     2,
     -2,
     0,
     {FRAME(AXIS, PLANE_K, false)},
     1},
    {"frame from an axis and an angle",
     BALL_B UPRIGHT "  i: {type: perpendicular, between: [ground, rod], axes: [x, [1, 5, 0]]}\n",
     DRIVEN,
     2,
     0,
     0,
     {FRAME(AXIS, DOT, false)},
     1},
    {"frame from an axis and a guided plane",
     BALL_B UPRIGHT,
     DRIVEN "motions: {y(rod.C): 0.45 + 0.2*t}\n",
     2,
     0,
     5,
     {FRAME(AXIS, PLANE_K, false)},
     1},
    {"direction from an axis",
     FORK_B "  p: {type: parallel, between: [ground, rod], axis: y}\n",
     DRIVEN,
     2,
     0,
     0,
     {PLACE(DIRECTION, AXIS, SEVERAL, false)},
     1},
    {"direction from a line of the body",
     FORK_B OWN_LINE,
     DRIVEN,
     2,
     0,
     0,
     {PLACE(DIRECTION, PLANE_X, SEVERAL, false)},
     1},
    {"frame from a line of the body and a distance",
     BALL_B OWN_LINE "  l: {type: link, between: [ground, rod], at: [O, E]}\n",
     DRIVEN,
     2,
     0,
     0,
     {FRAME(PLANE_X, DISTANCE, false)},
     1},
    {"frame from a line of the body and an axis",
     BALL_B OWN_LINE "  p: {type: perpendicular, between: [ground, rod], axes: [z, [1, 4, 0]]}\n",
     DRIVEN,
     2,
     0,
     0,
     {FRAME(PLANE_X, DOT, false)},
     1},
    {"frame from two distances of a point and a third one",
     BALL_B "  l1: {type: link, between: [ground, rod], at: [D, C]}\n"
            "  l2: {type: link, between: [ground, rod], at: [[0.9, 0.4, 0.5], C]}\n"
            "  l3: {type: link, between: [ground, rod], at: [O, E]}\n",
     DRIVEN,
     2,
     0,
     0,
     {FRAME(DISTANCE, DISTANCE, false)},
     1},
    {"place from three distances",
     "  b: {type: point, between: [arm, rod], at: B}\n"
     "  l1: {type: link, between: [ground, rod], at: [D, C]}\n"
     "  l2: {type: link, between: [ground, rod], at: [[0.9, 0.4, 0.5], C]}\n"
     "  l3: {type: link, between: [ground, rod], at: [O, E]}\n",
     DRIVEN,
     2,
     0,
     0,
     {PLACE(SPHERES, DISTANCE, SEVERAL, false)},
     1},
    {"place from two distances",
     "  b: {type: point, between: [arm, rod], at: B}\n"
     "  l1: {type: link, between: [ground, rod], at: [[0.5, 1.6, 0.9], C]}\n"
     "  l2: {type: link, between: [ground, rod], at: [[0.1, -0.4, 1.5], E]}\n",
     "independent: [a, b.x]\n",
     2,
     0,
     0,
     {PLACE(SPHERES, DISTANCE, SEVERAL, false)},
     1},
    {"pose from three, two and one distance",
     "  l1: {type: link, between: [arm, rod], at: [B, C]}\n"
     "  l2: {type: link, between: [ground, rod], at: [[0.9, 0.4, 0.5], C]}\n"
     "  l3: {type: link, between: [ground, rod], at: [[0.7, -0.2, 0.3], C]}\n"
     "  l4: {type: link, between: [ground, rod], at: [O, E]}\n"
     "  l5: {type: link, between: [ground, rod], at: [[-0.3, 0.2, 0.4], E]}\n"
     "  l6: {type: link, between: [ground, rod], at: [[0.1, 0.9, 0.3], T]}\n",
     DRIVEN,
     2,
     0,
     0,
     {PLACE(POSE, DISTANCE, SEVERAL, false)},
     1},
    {"pose from a ball of hinges",
     "  h1: {type: revolute, between: [arm, lever], at: B, axis: x}\n"
     "  h2: {type: universal, between: [lever, rod], at: B, axes: [y, z]}\n"
     "  l4: {type: link, between: [ground, rod], at: [O, E]}\n"
     "  l5: {type: link, between: [ground, rod], at: [[-0.3, 0.2, 0.4], E]}\n"
     "  l6: {type: link, between: [ground, rod], at: [[0.3, 0.9, 0.3], T]}\n",
     DRIVEN,
     2,
     0,
     0,
     {PLACE(POSE, POINT, SEVERAL, false)},
     1},
    {"relative angle",
     BALL_B HINGE_C "  d: {type: spherical, between: [ground, lever], at: D}\n"
                    "  l: {type: link, between: [ground, rod], at: [O, E]}\n",
     DRIVEN,
     2,
     0,
     0,
     {PLACE(RELATIVE, POINT, ANGLE, false), FRAME(POINT, DISTANCE, false)},
     2},
    {"guided relative angle",
     FORK_B HINGE_C,
     DRIVEN MOVE("lever.D", "0.5 - 0.1*t", "0.1*sin(t)", "0.2*t"),
     2,
     0,
     9,
     {PLACE(RELATIVE, POINT, ANGLE, true)},
     1},
    {"guided relative slide",
     FORK_B "  c: {type: prismatic, between: [rod, lever], at: C, axis: [4, 1, 0]}\n",
     DRIVEN MOVE("lever.D", "0.5 - 0.1*t", "0.1*sin(t)", "0.2*t"),
     2,
     0,
     0,
     {PLACE(RELATIVE, POINT, SLIDE, true)},
     1},
    {"guided cylinder",
     "  b: {type: cylindrical, between: [arm, rod], at: B, axis: [0.2, 0.3, 1]}\n",
     MOVE("rod.C", "0.6 - 0.1*t", "0.45 + 0.1*sin(t)", "0.2*t"),
     4,
     0,
     0,
     {PLACE(CYLINDER, POINT, SEVERAL, true)},
     1},
    {"guided screw", // two of the three motions hold anyway
     "  b: {type: screw, between: [ground, rod], at: B, axis: z, pitch: 0.05}\n",
     DRIVEN MOVE("rod.T", "0.1", "0.3", "0.2 + 0.1*t + 0.02*sin(3*t)"),
     1,
     0,
     0,
     {PLACE(SCREW, POINT, ANGLE, true)},
     1},
    {"screw in a plane",
     "  b: {type: screw, between: [arm, rod], at: B, axis: [0.2, 0.1, 1], pitch: 0.05}\n"
     "  p: {type: inplane, between: [ground, rod], at: B, axis: [0.3, 0.2, 1]}\n",
     DRIVEN,
     1,
     0,
     0,
     {PLACE(SCREW, PLANE_K, ANGLE, false)},
     1},
    {"screw in a guided plane",
     "  b: {type: screw, between: [arm, rod], at: B, axis: z, pitch: 0.05}\n",
     DRIVEN "motions: {z(rod.T): 0.2 + 0.1*t + 0.02*sin(3*t)}\n",
     1,
     0,
     0,
     {PLACE(SCREW, PLANE_K, ANGLE, true)},
     1},
    {"guided_foot",
     NULL,
     NULL,
     2,
     0,
     0,
     {ONE(PLANE_X, ANGLE, true), ONE(DISTANCE, ANGLE, true)},
     2},
    {"guided_body", NULL, NULL, 1, 0, 0, {ONE(PLANE_K, SLIDE, true), ONE(POINT, SLIDE, true)}, 2},
    {"vise", NULL, NULL, 2, 0, 0, {PLACE(SCREW, POINT, ANGLE, false)}, 1},
    {"rpsc",
     NULL,
     NULL,
     2,
     0,
     0,
     {PLACE(CYLINDER, PLANE_K, SEVERAL, false), ONE(POINT, SLIDE, false)},
     2},
    {"rscr", NULL, NULL, 4, 0, 0, {PLACE(CYLINDER, POINT, SEVERAL, false)}, 1},
    {"rccc",
     NULL,
     NULL,
     2,
     0,
     0,
     {ONE(DOT, ANGLE, false), ONE(AXIS, ANGLE, false), ONE(PLANE_K, SLIDE, false)},
     3},
    {"macpherson",
     NULL,
     NULL,
     2,
     0,
     0,
     {PLACE(RELATIVE, POINT, SLIDE, false), FRAME(POINT, DISTANCE, false)},
     2},
    {"strut", NULL, NULL, 2, 0, 0, {FRAME(PLANE_X, DISTANCE, false)}, 1},
    {"three_rps", NULL, NULL, 2, 0, 0, {PLACE(PLANES, PLANE_K, SEVERAL, false)}, 1},
    {"three_prs", NULL, NULL, 2, 0, 0, {PLACE(PLANES, PLANE_K, SEVERAL, false)}, 1},
    {"delta_rail", NULL, NULL, 2, 0, 0, {PLACE(KEPT, POINT, SEVERAL, false)}, 1},
};
enum { ROWS = sizeof table_of_steps / sizeof *table_of_steps };

// Lengths times 10^digits.
static mech mechanism_of(const row *r, int digits, int n, const char *const *independent) {
    char *text = r->joints ? ct_format(common, strstr(r->joints, ", lever]") ? third : "",
                                       r->joints, r->motions)
                           : NULL,
         *path = ct_format("%s/tests/mechanisms/%s.yaml", CT_SOURCE_DIR, r->name);
    mech k = {.ctx = ct_context_new()};
    k.status = text ? ct_model_read_text(k.ctx, r->name, text, strlen(text), 0, NULL, &k.model)
                    : ct_model_read(k.ctx, path, 0, NULL, &k.model);
    if (!k.status) {
        ct_pool *pool = k.model->pool;
        scale_lengths(k.model, ct_power_int(pool, ct_int(pool, 10), digits));
    }
    mech_continue(&k, NULL);
    if (k.status) print_error("%s, 1e%d\n", r->name, digits);
    assert_made(&k);
    if (ct_close_named(k.ctx, k.s, n, independent)) {
        print_messages(k.ctx);
        fail_msg("%s, 1e%d: not closed", r->name, digits);
    }
    ct_free(text);
    ct_free(path);
    return k;
}

static placed what(const mech *k, const ct_placement *p) {
    const ct_model *m = k->model;
    int c = p->unknown[0];
    bool angle = c < m->n_coordinates ? m->coordinates[c].is_angle : true;
    bool relative = p->kind == CT_PLACE_RELATIVE;
    return (placed){.kind = p->kind,
                    .relation = p->n_relations ? p->relation[0].kind : CT_RELATION_POINT,
                    .unknown = p->n_unknown != 1 ? SEVERAL
                               : angle           ? ANGLE
                                                 : SLIDE,
                    .guided = (p->n_relations && ct_relation_is_guided(p->relation)) ||
                              (relative && (ct_relation_is_guided(p->pin) ||
                                            ct_relation_is_guided(p->pin + 1))),
                    .second = p->n_relations > 1 ? (int)p->relation[1].kind : -1};
}

static bool is_there(const mech *k, const placed *x) {
    const ct_flow *flow = k->s->closed->flow;
    for (int i = 0; flow && i < flow->n_placements; i++) {
        placed y = what(k, flow->placements + i);
        if (y.kind == x->kind && y.relation == x->relation && y.unknown == x->unknown &&
            y.guided == x->guided && (x->kind != CT_PLACE_FRAME || y.second == x->second))
            return true;
    }
    return false;
}

// Phi = 0 ----------------------------------------------------------------------------------------
typedef struct other { // the same by Newton's method
    const ct_formulation *f;
    ct_numbers x;
    double *q, size; // of lengths
} other;

// The unit of a coordinate.
static double unit(const other *o, int k) {
    return o->f->is_angle[k] ? 1 : o->size;
}

static bool newton(other *o, const ct_closure *c) {
    const ct_formulation *f = o->f;
    int m = f->m, n = c->n_dependent;
    double *a = ct_alloc((size_t)(m * f->n) + 1, sizeof *a),
           *r = ct_alloc((size_t)m + 1, sizeof *r), *j = ct_alloc((size_t)(m * n) + 1, sizeof *j),
           *d = ct_alloc((size_t)n + 1, sizeof *d), left = INFINITY;
    for (int it = 0; it < 30 && left > 1e-14; it++) {
        ct_numbers_set(&o->x, f->n, f->q, o->q);
        ct_numbers_eval(&o->x, m, f->phi, r);
        ct_numbers_eval(&o->x, m * f->n, f->phi_q, a);
        // rows and coordinates in their units
        for (int i = 0; i < m; i++) {
            r[i] /= f->row_unit[i];
            for (int k = 0; k < n; k++)
                j[i * n + k] =
                    a[i * f->n + c->dependent[k]] * unit(o, c->dependent[k]) / f->row_unit[i];
        }
        ct_least_squares(m, n, j, r, 1e-12, d);
        for (int k = 0; k < n; k++) o->q[c->dependent[k]] -= d[k] * unit(o, c->dependent[k]);
        left = ct_largest(n, d);
    }
    ct_numbers_set(&o->x, f->n, f->q, o->q);
    ct_numbers_eval(&o->x, m, f->phi, r);
    for (int i = 0; i < m; i++) r[i] /= f->row_unit[i];
    bool good = ct_largest(m, r) < 1e-12;
    ct_free(a);
    ct_free(r);
    ct_free(j);
    ct_free(d);
    return good;
}

// the program of positions -----------------------------------------------------------------------
static void begin(machine *k, const mech *u) {
    const ct_closure *c = k->c;
    const ct_formulation *f = c->f;
    double *v = ct_alloc((size_t)c->registers.values.n + 1, sizeof *v);
    ct_numbers_set(k->x, f->n, f->q, ct_system_state(u->s)->q0);
    ct_numbers_eval(k->x, c->registers.tracked.n, c->registers.tracked.meaning, k->w);
    ct_numbers_set(k->x, c->registers.tracked.n, c->registers.tracked.symbol, k->w);
    ct_numbers_eval(k->x, c->registers.values.n, c->registers.values.meaning, v);
    ct_numbers_set(k->x, c->registers.values.n, c->registers.values.symbol, v);
    for (int i = 0; i < c->registers.signs.n; i++)
        machine_set(k, c->registers.signs.symbol[i],
                    machine_value(k, c->registers.signs.meaning[i]) < 0 ? -1 : 1);
    ct_free(v);
}

static bool positions(machine *k, const double *q, double t) {
    const ct_closure *c = k->c;
    for (int i = 0; i < c->registers.values.n; i++)
        machine_set(k, c->registers.values.symbol[i], NAN);
    for (int i = 0; i < c->f->n; i++) machine_set(k, c->f->q[i], c->is_independent[i] ? q[i] : NAN);
    machine_set(k, c->f->model->time, t);
    return machine_run(k, &c->positions, NULL);
}

// The largest difference between the values of both ways.
static double apart(machine *k, other *o) {
    const ct_closure *c = k->c;
    double *mine = ct_alloc((size_t)c->registers.values.n + 1, sizeof *mine),
           *theirs = ct_alloc((size_t)c->registers.values.n + 1, sizeof *theirs), most = 0;
    ct_numbers_set(&o->x, c->f->n, c->f->q, o->q);
    ct_numbers_eval(&o->x, c->registers.values.n, c->registers.values.meaning, theirs);
    ct_numbers_eval(k->x, c->registers.values.n, c->registers.values.symbol, mine);
    for (int i = 0; i < c->registers.values.n; i++) {
        bool slide = ct_ex_op(c->f->pool, c->registers.values.meaning[i]) == CT_OP_SYMBOL;
        double d = fabs(mine[i] - theirs[i]) / fmax(slide ? o->size : 1, fabs(theirs[i]));
        if (!(d <= most)) most = d;
    }
    ct_free(mine);
    ct_free(theirs);
    return most;
}

static int follow(const row *r, int digits, const mech *u) {
    const ct_closure *c = ct_system_closure(u->s);
    const ct_formulation *f = c->f;
    ct_numbers x;
    other o = {.f = f->in_angles ? f->in_angles : f,
               .q = ct_alloc((size_t)f->n + 1, sizeof(double)),
               .size = pow(10, digits)};
    ct_model_numbers(ct_system_formulation(u->s)->model, &x);
    ct_model_numbers(ct_system_formulation(u->s)->model, &o.x);
    machine k = {c, &x, ct_alloc((size_t)c->registers.tracked.n + 1, sizeof(double))};
    memcpy(o.q, ct_system_state(u->s)->q0, (size_t)f->n * sizeof(double));
    begin(&k, u);
    int bad = 0;
    for (int i = 0; i <= 8; i++) {
        double t = 0.05 * i, most;
        for (int j = 0; j < c->r && i; j++)
            o.q[c->independent[j]] += (j % 2 ? -0.004 : 0.005) * unit(&o, c->independent[j]);
        ct_numbers_set(&o.x, 1, &u->model->time, &t);
        bool closes = newton(&o, c), mine = positions(&k, o.q, t);
        most = apart(&k, &o);
        if (closes && mine && most < 1e-10) continue;
        print_error("%s, 1e%d at t = %g: Newton %s, positions %s, apart %.1e\n", r->name, digits, t,
                    closes ? "closes" : "fails", mine ? "close" : "refuse", most);
        bad++;
    }
    // out of reach
    for (int i = 0; i < 2; i++) {
        double far = i ? r->late : r->beyond;
        if (far == 0) continue;
        memcpy(o.q, ct_system_state(u->s)->q0, (size_t)f->n * sizeof(double));
        if (!i) o.q[c->independent[0]] += far * unit(&o, c->independent[0]);
        if (!positions(&k, o.q, i ? far : 0)) continue;
        print_error("%s, 1e%d: positions close out of reach\n", r->name, digits);
        bad++;
    }
    ct_numbers_clear(&x);
    ct_numbers_clear(&o.x);
    ct_free(k.w);
    ct_free(o.q);
    return bad;
}

static void table_holds(void **state) {
    (void)state;
    int bad = 0;
    for (int i = 0; i < ROWS; i++) {
        const row *r = table_of_steps + i;
        mech k = mechanism_of(r, 0, 0, NULL);
        const ct_closure *c = ct_system_closure(k.s);
        int degree = 0;
        for (int s = 0; s < c->n_steps; s++)
            if (c->steps[s].degree > degree) degree = c->steps[s].degree;
        for (int n = 0; n < r->n; n++)
            if (!is_there(&k, r->holds + n)) {
                print_error("%s: placement %d is not there\n", r->name, n);
                bad++;
            }
        if (degree != r->degree || c->n_iterated) {
            print_error("%s: degree %d, %d iterated\n", r->name, degree, c->n_iterated);
            bad++;
        }
        bad += follow(r, 0, &k);
        mech_clear(&k);
    }
    assert_int_equal(bad, 0);
}

// The same steps, whatever the unit of length.
static void any_size(void **state) {
    (void)state;
    static const int sizes[] = {-6, 5};
    int bad = 0;
    for (int i = 0; i < 2 * ROWS; i++) {
        const row *r = table_of_steps + i / 2;
        mech k = mechanism_of(r, sizes[i % 2], 0, NULL);
        const ct_closure *c = ct_system_closure(k.s);
        int degree = 0;
        for (int s = 0; s < c->n_steps; s++)
            if (c->steps[s].degree > degree) degree = c->steps[s].degree;
        if (degree != r->degree || c->n_iterated) {
            print_error("%s, 1e%d: degree %d, %d iterated\n", r->name, sizes[i % 2], degree,
                        c->n_iterated);
            bad++;
        }
        bad += follow(r, sizes[i % 2], &k);
        mech_clear(&k);
    }
    assert_int_equal(bad, 0);
}

// The place of a platform that keeps its orientation, from its legs.
static void spheres(void **state) {
    (void)state;
    static const row delta = {.name = "delta_ss"};
    static const char *const legs[] = {"drive0", "drive1", "drive2"};
    mech k = mechanism_of(&delta, 0, 3, legs);
    assert_true(is_there(&k, &(placed)PLACE(SPHERES, DISTANCE, SEVERAL, false)));
    assert_int_equal(follow(&delta, 0, &k), 0);
    mech_clear(&k);
}

// A relation that no position meets.
static void not_met(void **state) {
    (void)state;
    char *text = ct_format(common, "",
                           "  d: {type: revolute, between: [ground, rod], at: D, axis: z}\n"
                           "  l: {type: link, between: [arm, rod], at: [B, C], length: 5}\n",
                           DRIVEN);
    mech k = mech_text("too long", text, NULL);
    assert_int_not_equal(k.status, CT_OK);
    ct_free(text);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(table_holds), cmocka_unit_test(any_size),
                                       cmocka_unit_test(spheres), cmocka_unit_test(not_met)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
