// Reactions of joints along a simulation: the equations of ctk_wrenches.h at the current state. Which
// of them redundant constraints leave open is found at the first state, and anew where the number of
// self-stresses changes.
#include "ctk_internal.h"

// Forces that no joint can balance, of the largest there were. Joints in a singular position leave
// about as much as there is; rounding of accelerations leaves 1e-10, loops that drift what they are
// open by.
#define LEFT      1e-6
#define LEFT_OPEN 1e-1
// Part of a self-stress that is rounding.
#define STILL 1e-8
// Forces across the plane of a mechanism that are rounding, of the largest there were.
#define ACROSS 1e-9

// self-stresses at the last state; that count: most, here; efforts more than are needed, at most
enum { SELF, REDUNDANT, HERE, CHOICES, STATE };

// forces: the largest so far; of it, what the last state leaves of equations without unknowns
enum { LARGEST, BARE, SIZES };

size_t ctk_joint_forces_doubles(const ctk_wrenches *w) {
    return (size_t)w->n_constants + SIZES + (size_t)(w->n_columns + w->n_more) +
           ctk_wrench_doubles(w);
}

size_t ctk_joint_forces_ints(const ctk_wrenches *w) {
    return STATE + 2 * (size_t)(w->n_columns + w->n_groups) + ctk_wrench_ints(w);
}

void ctk_joint_forces_init(ctk_joint_forces *forces, const ctk_sim *sim, const ctk_wrenches *w,
                           const double *p, double *doubles, int *ints) {
    // arrays in the caller's memory
    forces->wrenches = w;
    forces->c = doubles;
    forces->largest = forces->c + w->n_constants;
    forces->y = forces->largest + SIZES;
    forces->room = forces->y + w->n_columns + w->n_more;
    forces->state = ints;
    forces->is_unique = forces->state + STATE;
    forces->now = forces->is_unique + w->n_columns;
    forces->is_stressed = forces->now + w->n_columns;
    forces->across = forces->is_stressed + w->n_groups;
    forces->index = forces->across + w->n_groups;
    // nothing has happened yet
    forces->largest[LARGEST] = forces->largest[BARE] = 0;
    forces->state[SELF] = -1;
    forces->state[REDUNDANT] = forces->state[HERE] = forces->state[CHOICES] = 0;
    forces->index[0] = 0;
    for (int i = 0; i < w->n_columns; i++) forces->is_unique[i] = 1;
    for (int i = 0; i < w->n_groups; i++) forces->is_stressed[i] = forces->across[i] = 0;
    if (w->constants) w->constants(p ? p : sim->model->parameters, forces->c);
}

static const double *constants_of(const ctk_joint_forces *forces, const ctk_sim *sim) {
    return forces->wrenches->constants ? forces->c : sim->c;
}

// The joints and couplings that a self-stress changes.
typedef struct stressed {
    const ctk_joint_forces *forces;
    double length, normal[3];
} stressed;

// Size of a wrench (f, m) across a plane with the normal n, in forces: |n . f| + |n x m| / length; 0 in
// space, where the normal is zero.
static double across(const double *y, const double *n, double length) {
    const double force = n[0] * y[0] + n[1] * y[1] + n[2] * y[2], *m = y + 3,
                 a = n[1] * m[2] - n[2] * m[1], b = n[2] * m[0] - n[0] * m[2],
                 c = n[0] * m[1] - n[1] * m[0];
    return fabs(force) + sqrt(a * a + b * b + c * c) / length;
}

static void note_stress(void *data, const double *y) {
    const stressed *s = data;
    const ctk_wrenches *w = s->forces->wrenches;
    double largest = 0;
    int any = 0;
    for (int i = 0; i < w->n_columns; i++) largest = ctk_larger(largest, fabs(y[i]));
    for (int i = 0; i < w->n_groups; i++) {
        const double *own = y + w->group_first[i];
        const int is_wrench = w->group_first[i + 1] - w->group_first[i] > 1;
        const double size = is_wrench ? ctk_wrench_size(own, s->normal, s->length) : fabs(*own);
        if (!(size > STILL * largest)) {
            s->forces->across[i] |=
                is_wrench && across(own, s->normal, s->length) > STILL * largest;
            continue;
        }
        any = 1;
        s->forces->is_stressed[i] = 1;
    }
    s->forces->state[HERE] += any;
}

// What redundant constraints leave open at this state.
static void find_stresses(const ctk_joint_forces *forces, const ctk_wrench_motion *motion,
                          ctk_wrench_result *result) {
    const ctk_wrenches *w = forces->wrenches;
    stressed s = {.forces = forces, .length = motion->length};
    memcpy(s.normal, forces->y + w->n_columns + w->n_more - 3, sizeof s.normal);
    forces->state[SELF] = result->n_self;
    forces->state[HERE] = 0;
    result->is_unique = forces->now;
    result->stress = note_stress;
    result->stress_data = &s;
    ctk_wrenches_solve(w, motion, forces->room, forces->index, result);
    for (int i = 0; i < w->n_columns; i++) forces->is_unique[i] &= forces->now[i];
    if (forces->state[HERE] > forces->state[REDUNDANT])
        forces->state[REDUNDANT] = forces->state[HERE];
}

// Loads across the plane of a mechanism: what self-stresses leave open there counts, too. Where they
// leave nothing open in the plane their number is told.
static void note_across(const ctk_joint_forces *forces, double length, double largest) {
    const ctk_wrenches *w = forces->wrenches;
    const double *normal = forces->y + w->n_columns + w->n_more - 3;
    if (normal[0] == 0 && normal[1] == 0 && normal[2] == 0) return;
    for (int i = 0; i < w->n_groups; i++) {
        if (!forces->across[i] || forces->is_stressed[i]) continue;
        if (!(across(forces->y + w->group_first[i], normal, length) > ACROSS * largest)) continue;
        forces->is_stressed[i] = 1;
        if (!forces->state[REDUNDANT]) forces->state[REDUNDANT] = forces->state[SELF];
    }
}

// The largest of three numbers; their sum is added to `sum`.
static inline double largest_of(const double *v, double *sum) {
    *sum += v[0] + v[1] + v[2];
    return ctk_larger(ctk_larger(fabs(v[0]), fabs(v[1])), fabs(v[2]));
}

// The largest of all columns, in forces, or one that is larger already; NaN or infinite if a column is.
static double largest_column(const ctk_joint_forces *forces, double length, double largest) {
    const ctk_wrenches *w = forces->wrenches;
    const double part = 1 / length;
    double sum = 0, differences = 0;
    for (int i = 0; i < w->n_groups; i++) {
        const int first = w->group_first[i], is_wrench = w->group_first[i + 1] - first > 1;
        const double *y = forces->y + first;
        if (is_wrench) {
            largest = ctk_larger(largest, largest_of(y, &sum));
            largest = ctk_larger(largest, part * largest_of(y + 3, &sum));
        } else {
            sum += *y;
            largest = ctk_larger(largest, fabs(*y) * (w->column_power[first] ? part : 1));
        }
        differences += sum - sum;
        sum = 0;
    }
    return largest + differences;
}

double ctk_joint_forces_at(const ctk_joint_forces *forces, const ctk_wrench_motion *motion) {
    const ctk_wrenches *w = forces->wrenches;
    ctk_wrench_result result = {.y = forces->y};
    ctk_wrenches_solve(w, motion, forces->room, forces->index, &result);
    if (result.n_self != forces->state[SELF]) find_stresses(forces, motion, &result);
    if (result.n_choices > forces->state[CHOICES]) forces->state[CHOICES] = result.n_choices;
    // the largest force there was; one that is not a number stays
    const double largest = largest_column(forces, motion->length,
                                          ctk_larger(forces->largest[LARGEST], result.largest));
    if (!isfinite(largest)) return HUGE_VAL;
    forces->largest[LARGEST] = largest;
    forces->largest[BARE] = result.bare > 0 ? result.bare / largest : 0;
    note_across(forces, motion->length, largest);
    return result.left > 0 ? result.left / largest : 0;
}

ctk_status ctk_joint_forces_find(const ctk_joint_forces *forces, const ctk_sim *sim) {
    const ctk_wrenches *w = forces->wrenches;
    const ctk_method method = sim->options.method;
    const int is_open = method == CTK_AUGMENTED || method == CTK_BAUMGARTE || method == CTK_PENALTY;
    ctk_wrench_motion motion = {.c = constants_of(forces, sim), .t = sim->t};
    ctk_implicit_show(sim);
    motion.q = sim->q, motion.qd = sim->qd, motion.qdd = sim->qdd, motion.u = sim->u;
    motion.length = w->length ? w->length(motion.c) : sim->length > 0 ? sim->length : 1;
    if (ctk_joint_forces_at(forces, &motion) <= (is_open ? LEFT_OPEN : LEFT)) return CTK_OK;
    for (int i = 0; i < w->n_columns; i++) forces->y[i] = NAN;
    return CTK_SINGULAR_JOINTS;
}

int ctk_joint_forces_redundant(const ctk_joint_forces *forces) {
    return forces->state[REDUNDANT];
}

double ctk_joint_forces_bare(const ctk_joint_forces *forces) {
    return forces->largest[BARE];
}

int ctk_joint_forces_choices(const ctk_joint_forces *forces) {
    return forces->state[CHOICES];
}
