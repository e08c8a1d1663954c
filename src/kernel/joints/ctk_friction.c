// Friction that grows with the load: the effort on the coordinate of joint j is
//   T_j = -s_j N_j,   s = mu r v / sqrt(v^2 + slip^2),   N = |P F|,
// F the force that the joint carries, friction included, P without its part along the axis. Forces are
// affine in the efforts, F_j = F0_j + sum_k D_jk T_k: accelerations are linear in loads whatever the
// method, and the equations of the reactions are linear in both. So F0 and D come from as many
// evaluations as there are efforts, and one more.
//
// The map T -> -s N(T) has differences of at most A = |s_j| |P D_jk|. If the spectral radius of A is
// below 1 it contracts, in the norm weighted with x = (1 - A)^-1 (1 .. 1) > 0, and has one fixed point.
// With one friction this is sharp: else there are two solutions or none.
#include "ctk_internal.h"

#include <string.h>

enum { NUMBERS = 4 }; // of a friction, in the columns: s, axis
enum { SWEEPS = 400 };
static const double STRESSED = 1e-7; // of a self-stress: what changes a force by less is rounding
static const double SETTLED = 4e-16; // of the largest effort
static const double LEFT = 1e-6, LEFT_OPEN = 1e-2; // of forces: what equations leave over

size_t ctk_friction_doubles(const ctk_wrenches *w) {
    const size_t n = (size_t)w->n_frictions, y = (size_t)(w->n_columns + w->n_more);
    return n ? ctk_wrench_doubles(w) + y + 5 * n * n + 10 * n : 0;
}

size_t ctk_friction_ints(const ctk_wrenches *w) {
    const size_t n = (size_t)w->n_frictions;
    return n ? ctk_wrench_ints(w) + (size_t)w->n_columns + n : 0;
}

typedef struct room {
    const ctk_wrenches *w;
    int n;
    double *wrench, *y;
    double *first, *tried; // P F0 and P F of a trial [n 3]
    double *more;          // P D [n n 3], row j: by effort k
    double *bound, *lu;    // A and 1 - A, or the Jacobian [n n]
    double *share, *weight, *step, *before;
    int *wrench_ints, *is_unique, *pivot;
} room;

static room lay_out(const ctk_friction *f) {
    const ctk_wrenches *w = f->w;
    const int n = w->n_frictions;
    double *d = f->doubles;
    int *i = f->ints;
    room x = {.w = w, .n = n, .wrench = d, .wrench_ints = i};
    x.y = d + ctk_wrench_doubles(w);
    x.first = x.y + w->n_columns + w->n_more;
    x.tried = x.first + 3 * n;
    x.more = x.tried + 3 * n;
    x.bound = x.more + 3 * n * n;
    x.lu = x.bound + n * n;
    x.share = x.lu + n * n;
    x.weight = x.share + n;
    x.step = x.weight + n;
    x.before = x.step + n;
    x.is_unique = i + ctk_wrench_ints(w);
    x.pivot = x.is_unique + w->n_columns;
    return x;
}

// s and the axis of friction j, among the numbers behind the columns.
static const double *numbers_of(const room *x, int j) {
    const ctk_wrenches *w = x->w;
    return x->y + w->n_columns + w->n_more - 3 - w->n_efforts - NUMBERS * (x->n - j);
}

// out = F - (F . axis) axis
static void across(const double *force, const double *axis, double *out) {
    double along = 0;
    for (int i = 0; i < 3; i++) along += force[i] * axis[i];
    for (int i = 0; i < 3; i++) out[i] = force[i] - along * axis[i];
}

static double size(const double *v) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// uniqueness --------------------------------------------------------------------------------------
typedef struct stress {
    const room *x;
    double normal[3], length;
    int open; // friction whose force a self-stress changes, or -1
} stress;

// In a planar mechanism forces in its plane count.
static void note_stress(void *data, const double *y) {
    stress *s = data;
    const room *x = s->x;
    double largest = 0, force[3];
    for (int i = 0; i < x->w->n_columns; i++)
        largest = fmax(largest, fabs(y[i]) / (x->w->column_power[i] ? s->length : 1));
    for (int j = 0; j < x->n && s->open < 0; j++) {
        across(y + x->w->friction_column[j], numbers_of(x, j) + 1, force);
        across(force, s->normal, force);
        if (size(force) > STRESSED * largest) s->open = j;
    }
}

// forces ------------------------------------------------------------------------------------------
// P F of all frictions for the efforts as they stand, into out [n 3].
static ctk_status forces(ctk_friction *f, const room *x, double *out) {
    if (f->accelerate) {
        ctk_status status = f->accelerate(f->data);
        if (status) return status;
    }
    ctk_wrench_result result = {.y = x->y};
    ctk_wrenches_solve(x->w, &f->motion, x->wrench, x->wrench_ints, &result);
    // self-stresses are looked at where their number has changed
    if (result.n_self != f->n_self) {
        stress s = {x, {0}, f->motion.length, -1};
        memcpy(s.normal, x->y + x->w->n_columns + x->w->n_more - 3, sizeof s.normal);
        f->n_self = result.n_self;
        result.is_unique = x->is_unique;
        result.stress = note_stress;
        result.stress_data = &s;
        ctk_wrenches_solve(x->w, &f->motion, x->wrench, x->wrench_ints, &result);
        f->open = s.open;
    }
    f->where = f->open;
    if (f->open >= 0) return CTK_FRICTION_OPEN;
    f->largest = result.largest;
    // of the equations nothing may be left, nor a force be infinite
    for (int j = 0; j < x->n; j++) {
        across(x->y + x->w->friction_column[j], numbers_of(x, j) + 1, out + 3 * j);
        f->where = j;
        if (!isfinite(size(out + 3 * j))) return CTK_NO_FRICTION;
        f->largest = fmax(f->largest, size(out + 3 * j));
    }
    const double most = f->is_open ? LEFT_OPEN : LEFT;
    f->where = 0;
    return result.left <= most * f->largest ? CTK_OK : CTK_NO_FRICTION;
}

// F0 and D. An effort is tried as large as it may become, so that differences keep their digits.
static ctk_status differences(ctk_friction *f, const room *x) {
    const int n = x->n;
    for (int j = 0; j < n; j++) f->effort[j] = 0;
    ctk_status status = forces(f, x, x->first);
    if (status) return status;
    const double largest = f->largest > 0 ? f->largest : 1;
    for (int j = 0; j < n; j++) x->share[j] = numbers_of(x, j)[0];
    memset(x->more, 0, 3 * (size_t)n * (size_t)n * sizeof *x->more);
    for (int k = 0; k < n; k++) {
        const double trial = fabs(x->share[k]) * largest;
        if (!(trial > 0)) continue; // at rest there is no friction
        f->effort[k] = trial;
        status = forces(f, x, x->tried);
        f->effort[k] = 0;
        if (status) return status;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 3; i++)
                x->more[3 * (j * n + k) + i] = (x->tried[3 * j + i] - x->first[3 * j + i]) / trial;
    }
    return CTK_OK;
}

// the solution ------------------------------------------------------------------------------------
// Returns 1 if the spectral radius of A is below 1: exactly if (1 - A) x = (1 .. 1) has a solution x > 0.
// Else *where is the friction whose own load feeds it most.
static int contracts(const room *x, int *where) {
    const int n = x->n;
    double most = -1;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) {
            const double a = fabs(x->share[j]) * size(x->more + 3 * (j * n + k));
            x->bound[j * n + k] = a;
            x->lu[j * n + k] = (j == k) - a;
            if (j == k && a > most) most = a, *where = j;
        }
    ctk_rank rank;
    if (!ctk_lu_factor(n, x->lu, x->pivot, DBL_EPSILON, &rank)) return 0;
    for (int j = 0; j < n; j++) x->weight[j] = 1;
    ctk_lu_solve(n, x->lu, x->pivot, 1, x->weight);
    int positive = 1;
    for (int j = 0; j < n; j++) positive &= x->weight[j] > 0 && isfinite(x->weight[j]);
    return positive;
}

// P F of friction j without its own effort, for the others as they stand.
static void others(const ctk_friction *f, const room *x, int j, double *force) {
    for (int i = 0; i < 3; i++) {
        force[i] = x->first[3 * j + i];
        for (int k = 0; k < x->n; k++)
            if (k != j) force[i] += x->more[3 * (j * x->n + k) + i] * f->effort[k];
    }
}

// T = -s |a + b T|:  (1 - s^2 b.b) T^2 - 2 s^2 a.b T - s^2 a.a = 0, the root against s.
static double one_effort(double s, const double *a, const double *b) {
    double aa = 0, ab = 0, bb = 0;
    for (int i = 0; i < 3; i++) aa += a[i] * a[i], ab += a[i] * b[i], bb += b[i] * b[i];
    const double lead = 1 - s * s * bb, half = s * s * ab, rest = s * s * aa;
    const double root = sqrt(fmax(half * half + lead * rest, 0));
    // roots (half +- root) / lead have opposite signs; without cancellation
    const double plus = half >= 0 ? (half + root) / lead : rest / (root - half),
                 minus = half >= 0 ? -rest / (half + root) : (half - root) / lead;
    return s > 0 ? (rest > 0 ? minus : 0) : (rest > 0 ? plus : 0);
}

// Newton's step for T + s |F(T)| = 0 from the efforts as they stand. Returns 0 where it has none.
static int newton_step(const ctk_friction *f, const room *x) {
    const int n = x->n;
    ctk_rank rank;
    for (int j = 0; j < n; j++) {
        const double *by = x->more + 3 * j * n;
        double force[3];
        others(f, x, j, force);
        for (int i = 0; i < 3; i++) force[i] += by[3 * j + i] * f->effort[j];
        const double load = size(force);
        x->step[j] = -(f->effort[j] + x->share[j] * load);
        for (int k = 0; k < n; k++) {
            double slope = 0;
            for (int i = 0; i < 3 && load > 0; i++) slope += force[i] * by[3 * k + i] / load;
            x->lu[j * n + k] = (j == k) + x->share[j] * slope;
        }
    }
    if (!ctk_lu_factor(n, x->lu, x->pivot, DBL_EPSILON, &rank)) return 0;
    ctk_lu_solve(n, x->lu, x->pivot, 1, x->step);
    return 1;
}

// The largest change of an effort in the weighted norm, from `before`.
static double changed(const ctk_friction *f, const room *x) {
    double most = 0;
    for (int j = 0; j < x->n; j++)
        most = fmax(most, fabs(f->effort[j] - x->before[j]) / x->weight[j]);
    return most;
}

// A sweep solves each friction for itself, the others as they stand. In the weighted norm sweeps
// contract, so they converge from anywhere; Newton's steps in between, from the efforts that a sweep
// leaves, make the end short. They count where the sweep behind them changes less than before.
static ctk_status settle(ctk_friction *f, const room *x) {
    const int n = x->n;
    double last = HUGE_VAL;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double largest = 0;
        memcpy(x->before, f->effort, (size_t)n * sizeof *x->before);
        for (int j = 0; j < n; j++) {
            double force[3];
            others(f, x, j, force);
            f->effort[j] = one_effort(x->share[j], force, x->more + 3 * (j * n + j));
            largest = fmax(largest, fabs(f->effort[j]) / x->weight[j]);
        }
        const double change = changed(f, x);
        if (!(change > SETTLED * largest)) return CTK_OK;
        // rounding, that goes round in circles
        if (sweep > SWEEPS / 2 && change < 1e3 * SETTLED * largest) return CTK_OK;
        if (change < last && newton_step(f, x))
            for (int j = 0; j < n; j++) f->effort[j] += x->step[j];
        last = fmin(last, change);
    }
    f->where = 0;
    return CTK_NO_FRICTION;
}

ctk_status ctk_friction_find(ctk_friction *f) {
    const room x = lay_out(f);
    ctk_status status = differences(f, &x);
    if (status) return status;
    f->where = 0;
    if (!contracts(&x, &f->where)) return CTK_NO_FRICTION;
    if (x.n > 1) return settle(f, &x);
    f->effort[0] = one_effort(x.share[0], x.first, x.more);
    return CTK_OK;
}

// in a simulation ---------------------------------------------------------------------------------
ctk_status ctk_friction_at(ctk_sim *sim, double t, const double *q, const double *qd,
                           const double *qdd, ctk_status (*accelerate)(void *data), void *data) {
    ctk_space *s = &sim->space;
    ctk_friction f = {.w = sim->model->wrenches,
                      .motion = {sim->c, t, q, qd, qdd, sim->u, sim->length > 0 ? sim->length : 1},
                      .effort = sim->u + ctk_efforts_at(sim->model),
                      .accelerate = accelerate,
                      .data = data,
                      .doubles = s->friction,
                      .ints = s->friction_index,
                      .n_self = s->friction_self - 1,
                      .open = s->friction_open - 1,
                      .is_open = !ctk_embeds(sim)};
    ctk_status status = ctk_friction_find(&f);
    s->friction_self = f.n_self + 1;
    s->friction_open = f.open + 1;
    if (status == CTK_NO_FRICTION || status == CTK_FRICTION_OPEN) sim->where = f.where;
    return status;
}

void ctk_friction_keep(ctk_sim *sim) {
    const int first = ctk_efforts_at(sim->model);
    ctk_copy(ctk_efforts(sim->model), sim->space.base_u + first, sim->u + first);
}
