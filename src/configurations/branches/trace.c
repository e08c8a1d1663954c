// Continuation by the length of the curve: from y along its tangent t,  F(y + d) = 0, t . d = h.
// The drive turns back where t has no component along it (limit); another curve crosses where the
// determinant of [F_y; t] changes its sign and F_y loses rank (crossing). Both are found by
// bisection of the step, so that the drive at a limit, which is extreme there, is sharp to rounding.
#include "configurations/branches/trace.h"

#include "numeric/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CONVERGED = 1e-13, CLOSE = 1e-9; // of a Newton step; of |F| at the end
static const double STRAIGHT = 0.98;                 // cosine between tangents of a step
static const double SINGULAR = 1e-6;                 // pivot over the largest, at a crossing
static const double STEP_MIN = 1e-9, CUTOFF = 1e-13;
enum { NODES = 6 }; // of an interpolation
enum { NEWTON = 12, BISECTIONS = 60, POINTS_MAX = 20000, STEPS_IN_RANGE = 40 };

// the system --------------------------------------------------------------------------------------
void ct_tracer_init(ct_tracer *t, const ct_loop_system *s, int drive, double low, double high) {
    const ct_formulation *f = s->f;
    *t = (ct_tracer){.s = s, .low = low, .high = high};
    t->free = ct_alloc((size_t)f->n + 1, sizeof *t->free);
    t->unit = ct_alloc((size_t)f->n + 1, sizeof *t->unit);
    t->rows = ct_alloc((size_t)f->m + 1, sizeof *t->rows);
    for (int k = 0; k < f->n; k++)
        if (!s->known[k]) t->free[t->n++] = k;
    t->free[t->n++] = drive;
    for (int i = 0; i < t->n; i++) t->unit[i] = ct_coordinate_unit(f, t->free[i]);
    ct_model_numbers(s->model, &t->numbers);
}

void ct_tracer_clear(ct_tracer *t) {
    ct_numbers_clear(&t->numbers);
    ct_free(t->free);
    ct_free(t->unit);
    ct_free(t->rows);
    *t = (ct_tracer){0};
}

static double *copy_of(const ct_tracer *t, const double *q) {
    double *copy = ct_alloc((size_t)t->s->f->n + 1, sizeof *copy);
    memcpy(copy, q, (size_t)t->s->f->n * sizeof *copy);
    return copy;
}

// F [m] and F_y [m * n], rows and columns in their units.
static void evaluate(ct_tracer *t, const double *q, double *value, double *jacobian) {
    const ct_formulation *f = t->s->f;
    ct_ex *entries = ct_alloc((size_t)f->m * (size_t)t->n + 1, sizeof *entries);
    ct_numbers_set(&t->numbers, f->n, f->q, q);
    ct_numbers_eval(&t->numbers, f->m, f->phi, value);
    for (int i = 0; i < f->m; i++)
        for (int k = 0; k < t->n; k++) entries[i * t->n + k] = f->phi_q[i * f->n + t->free[k]];
    ct_numbers_eval(&t->numbers, f->m * t->n, entries, jacobian);
    for (int i = 0; i < f->m; i++) {
        value[i] /= f->row_unit[i];
        for (int k = 0; k < t->n; k++) jacobian[i * t->n + k] *= t->unit[k] / f->row_unit[i];
    }
    ct_free(entries);
}

typedef struct room { // for one system with a further row
    double *value, *jacobian, *step;
} room;

static room make_room(const ct_tracer *t) {
    size_t m = (size_t)t->s->f->m + 1, n = (size_t)t->n;
    return (room){.value = ct_alloc(m + 1, sizeof(double)),
                  .jacobian = ct_alloc(m * n + 1, sizeof(double)),
                  .step = ct_alloc(n + 1, sizeof(double))};
}

static void free_room(room *r) {
    ct_free(r->value);
    ct_free(r->jacobian);
    ct_free(r->step);
}

// Newton from q to F = 0, steps across `normal`.
static bool correct(ct_tracer *t, double *q, const double *normal) {
    int m = t->s->f->m, n = t->n;
    room r = make_room(t);
    bool settled = false, finite = true;
    for (int i = 0; i < NEWTON && !settled && finite; i++) {
        evaluate(t, q, r.value, r.jacobian);
        for (int k = 0; k < m; k++) r.value[k] = -r.value[k];
        r.value[m] = 0;
        memcpy(r.jacobian + (size_t)m * (size_t)n, normal, (size_t)n * sizeof *normal);
        ct_least_squares(m + 1, n, r.jacobian, r.value, CUTOFF, r.step);
        double size = 0;
        for (int k = 0; k < n; k++) {
            q[t->free[k]] += r.step[k] * t->unit[k];
            size = fmax(size, fabs(r.step[k]));
        }
        finite = isfinite(size);
        settled = size < CONVERGED;
    }
    // near a singular position steps get no smaller: what counts is that the loops close
    if (finite && !settled) {
        evaluate(t, q, r.value, r.jacobian);
        settled = ct_largest(m, r.value) < CONVERGED;
    } else if (finite) {
        evaluate(t, q, r.value, r.jacobian);
        settled = ct_largest(m, r.value) < CLOSE;
    }
    free_room(&r);
    return settled && finite;
}

bool ct_tracer_settle(ct_tracer *t, double *q) {
    double *normal = ct_alloc((size_t)t->n + 1, sizeof *normal);
    normal[t->n - 1] = 1;
    bool ok = correct(t, q, normal);
    ct_free(normal);
    return ok;
}

// Unit tangent at q, on the side of `before`.
static void find_tangent(ct_tracer *t, const double *q, const double *before, double *tangent) {
    int m = t->s->f->m, n = t->n;
    room r = make_room(t);
    evaluate(t, q, r.value, r.jacobian);
    memset(r.value, 0, (size_t)m * sizeof *r.value);
    r.value[m] = 1;
    memcpy(r.jacobian + (size_t)m * (size_t)n, before, (size_t)n * sizeof *before);
    ct_least_squares(m + 1, n, r.jacobian, r.value, CUTOFF, tangent);
    double length = 0;
    for (int k = 0; k < n; k++) length += tangent[k] * tangent[k];
    for (int k = 0; k < n; k++) tangent[k] /= length > 0 ? sqrt(length) : 1;
    free_room(&r);
}

// Gaussian elimination with complete pivoting of `rows` rows and n columns; gives the determinant's
// sign and size (square matrices; NULL: not asked for) and the smallest pivot over the largest.
static double eliminate(int rows, int n, double *a, int *sign, double *product, int *order) {
    double largest = 0, smallest = INFINITY;
    int size = rows < n ? rows : n;
    *sign = 1;
    if (product) *product = 1;
    for (int i = 0; i < rows && order; i++) order[i] = i;
    for (int step = 0; step < size; step++) {
        // the largest entry left
        int row = step, column = step;
        for (int i = step; i < rows; i++)
            for (int k = step; k < n; k++)
                if (fabs(a[i * n + k]) > fabs(a[row * n + column])) row = i, column = k;
        double pivot = a[row * n + column];
        if (step == 0) largest = fabs(pivot);
        smallest = fabs(pivot);
        if (product) *product *= fabs(pivot);
        if (pivot == 0) return 0;
        if (pivot < 0) *sign = -*sign;
        if (row != step) *sign = -*sign;
        if (column != step) *sign = -*sign;
        // exchanged into place
        for (int k = 0; k < n; k++) {
            double x = a[row * n + k];
            a[row * n + k] = a[step * n + k];
            a[step * n + k] = x;
        }
        for (int i = 0; i < rows; i++) {
            double x = a[i * n + column];
            a[i * n + column] = a[i * n + step];
            a[i * n + step] = x;
        }
        if (order) {
            int x = order[row];
            order[row] = order[step];
            order[step] = x;
        }
        // rows below
        for (int i = step + 1; i < rows; i++) {
            double by = a[i * n + step] / a[step * n + step];
            for (int k = step; k < n; k++) a[i * n + k] -= by * a[step * n + k];
        }
    }
    return largest > 0 ? smallest / largest : 0;
}

// Rows of F_y at the start that the sign of the determinant is taken of.
static void choose_rows(ct_tracer *t, const double *q) {
    int m = t->s->f->m, n = t->n, sign, *order = ct_alloc((size_t)m + 1, sizeof *order);
    room r = make_room(t);
    evaluate(t, q, r.value, r.jacobian);
    eliminate(m, n, r.jacobian, &sign, NULL, order);
    memcpy(t->rows, order, (size_t)(n - 1) * sizeof *order);
    free_room(&r);
    ct_free(order);
}

// det [F_y of the chosen rows; tangent]
static double bordered(ct_tracer *t, const double *q, const double *tangent) {
    int n = t->n, sign;
    double size;
    room r = make_room(t);
    double *a = ct_alloc((size_t)n * (size_t)n + 1, sizeof *a);
    evaluate(t, q, r.value, r.jacobian);
    for (int i = 0; i < n; i++)
        memcpy(a + i * n, i < n - 1 ? r.jacobian + t->rows[i] * n : tangent, (size_t)n * sizeof *a);
    eliminate(n, n, a, &sign, &size, NULL);
    ct_free(a);
    free_room(&r);
    return sign * size;
}

static int bordered_sign(ct_tracer *t, const double *q, const double *tangent) {
    return bordered(t, q, tangent) < 0 ? -1 : 1;
}

// Smallest of the n - 1 pivots of F_y, all rows, relative: zero where curves cross.
static double regularity(ct_tracer *t, const double *q) {
    int m = t->s->f->m, n = t->n, sign;
    room r = make_room(t);
    evaluate(t, q, r.value, r.jacobian);
    // rank n - 1 is regular: the (n-1)-th pivot counts, so the last column is left out of the size
    double *a = r.jacobian, ratio = 1;
    int size = n - 1;
    double *copy = ct_alloc((size_t)m * (size_t)n + 1, sizeof *copy);
    memcpy(copy, a, (size_t)m * (size_t)n * sizeof *copy);
    // complete pivoting stops behind `size` pivots
    if (size > 0) {
        eliminate(m, n, copy, &sign, NULL, NULL);
        double first = fabs(copy[0]), last = fabs(copy[(size - 1) * n + size - 1]);
        ratio = first > 0 ? last / first : 0;
    }
    ct_free(copy);
    free_room(&r);
    return ratio;
}

bool ct_tracer_is_singular(ct_tracer *t, const double *q) {
    int m = t->s->f->m, n = t->n, sign;
    if (n == 1) return false;
    room r = make_room(t);
    evaluate(t, q, r.value, r.jacobian);
    // without the column of the drive
    double *a = ct_alloc((size_t)m * (size_t)n + 1, sizeof *a);
    for (int i = 0; i < m; i++)
        memcpy(a + i * (n - 1), r.jacobian + i * n, (size_t)(n - 1) * sizeof *a);
    double ratio = eliminate(m, n - 1, a, &sign, NULL, NULL);
    ct_free(a);
    free_room(&r);
    return ratio < SINGULAR;
}

double ct_tracer_distance(const ct_tracer *t, const double *a, const double *b) {
    const ct_formulation *f = t->s->f;
    double most = 0;
    for (int i = 0; i < t->n; i++) {
        int k = t->free[i];
        double d = a[k] - b[k];
        if (f->is_angle[k] && i < t->n - 1) d = remainder(d, 2 * M_PI);
        most = fmax(most, fabs(d) / t->unit[i]);
    }
    return most;
}

// curves ------------------------------------------------------------------------------------------
static void push(const ct_tracer *t, ct_trace *out, const double *q, ct_trace_mark mark) {
    *CT_PUSH(out->point, out->n, out->room) = (ct_trace_point){.q = copy_of(t, q), .mark = mark};
}

void ct_trace_clear(ct_trace *trace) {
    for (int i = 0; i < trace->n; i++) ct_free(trace->point[i].q);
    ct_free(trace->point);
    *trace = (ct_trace){0};
}

typedef struct state { // of a walk
    double *q, *tangent;
    int sign;
} state;

static state make_state(const ct_tracer *t, const double *q) {
    return (state){.q = copy_of(t, q), .tangent = ct_alloc((size_t)t->n + 1, sizeof(double))};
}

static void free_state(state *x) {
    ct_free(x->q);
    ct_free(x->tangent);
}

// A step of length h from x to `out`; false if it is too long.
static bool step(ct_tracer *t, const state *x, double h, state *out) {
    int n = t->n;
    memcpy(out->q, x->q, (size_t)t->s->f->n * sizeof *out->q);
    for (int k = 0; k < n; k++) out->q[t->free[k]] += h * x->tangent[k] * t->unit[k];
    if (!correct(t, out->q, x->tangent)) return false;
    // neither another curve nor a sharp turn
    double moved = 0, straight = 0;
    for (int k = 0; k < n; k++)
        moved = fmax(moved, fabs(out->q[t->free[k]] - x->q[t->free[k]]) / t->unit[k]);
    if (moved > 2 * h) return false;
    find_tangent(t, out->q, x->tangent, out->tangent);
    for (int k = 0; k < n; k++) straight += out->tangent[k] * x->tangent[k];
    out->sign = bordered_sign(t, out->q, out->tangent);
    return straight > STRAIGHT;
}

// The point at length h from x.
static bool point_at(ct_tracer *t, const state *x, double h, state *out) {
    memcpy(out->q, x->q, (size_t)t->s->f->n * sizeof *out->q);
    for (int k = 0; k < t->n; k++) out->q[t->free[k]] += h * x->tangent[k] * t->unit[k];
    if (!correct(t, out->q, x->tangent)) return false;
    find_tangent(t, out->q, x->tangent, out->tangent);
    return true;
}

// Bisects a step for where the drive turns back (or the determinant changes its sign), down to
// `width`. Gives the middle, or -1.
static double bisect(ct_tracer *t, const state *x, double h, bool limit, double width, state *out) {
    double low = 0, high = h;
    for (int i = 0; i < BISECTIONS && high - low > width; i++) {
        double middle = (low + high) / 2;
        if (!point_at(t, x, middle, out)) return high - low < 1e-3 ? middle : -1;
        bool before = limit ? out->tangent[t->n - 1] * x->tangent[t->n - 1] > 0
                            : bordered_sign(t, out->q, out->tangent) == x->sign;
        if (before)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static bool locate_limit(ct_tracer *t, const state *x, double h, state *out) {
    double at = bisect(t, x, h, true, 1e-15, out);
    return at >= 0 && point_at(t, x, at, out);
}

// Value at x = 0 of the polynomial through (x_i, y_i) (Neville).
static double interpolate(int n, const double *x, const double *y) {
    double p[NODES];
    for (int i = 0; i < n; i++) p[i] = y[i];
    for (int step = 1; step < n; step++)
        for (int i = 0; i + step < n; i++)
            p[i] = (-x[i + step] * p[i] + x[i] * p[i + 1]) / (x[i] - x[i + step]);
    return p[0];
}

// A crossing is singular, and Newton blunt next to it. The determinant is smooth along the curve:
// its zero, and the point there, are interpolated from points at some distance.
static bool locate_crossing(ct_tracer *t, const state *x, double h, state *out) {
    const double near = 1e-5, apart = 1e-3;
    double middle = bisect(t, x, h, false, near, out), s[NODES], det[NODES], y[NODES];
    double *points = ct_alloc((size_t)NODES * (size_t)t->n + 1, sizeof *points);
    bool ok = middle >= 0;
    for (int i = 0; i < NODES && ok; i++) {
        s[i] = middle + (i - (NODES - 1) / 2.0) * apart;
        ok = point_at(t, x, s[i], out);
        det[i] = bordered(t, out->q, out->tangent);
        for (int k = 0; k < t->n; k++) points[k * NODES + i] = out->q[t->free[k]];
    }
    // where it is zero, and the point there
    if (ok) {
        double zero = interpolate(NODES, det, s);
        for (int i = 0; i < NODES; i++) y[i] = s[i] - zero;
        for (int k = 0; k < t->n; k++)
            out->q[t->free[k]] = interpolate(NODES, y, points + k * NODES);
    }
    ct_free(points);
    return ok;
}

// The drive's value at a bound of the range, between two points of the curve.
static bool reach_bound(ct_tracer *t, const state *x, double bound, state *next) {
    int drive = t->free[t->n - 1];
    double share = (bound - x->q[drive]) / (next->q[drive] - x->q[drive]);
    for (int k = 0; k < t->n; k++) {
        int i = t->free[k];
        next->q[i] = x->q[i] + share * (next->q[i] - x->q[i]);
    }
    next->q[drive] = bound;
    return ct_tracer_settle(t, next->q);
}

static bool is_back(const ct_tracer *t, const double *start, const state *x, double h) {
    return ct_tracer_distance(t, start, x->q) < h;
}

// Follows the curve from q; `heading` is the sign of the drive's first step.
static void walk(ct_tracer *t, const double *q, int heading, ct_trace *out) {
    int n = t->n, drive = t->free[n - 1];
    double longest = fmin((t->high - t->low) / t->unit[n - 1] / STEPS_IN_RANGE, 0.1),
           h = longest / 4;
    state x = make_state(t, q), next = make_state(t, q), event = make_state(t, q);
    double *guess = ct_alloc((size_t)n + 1, sizeof *guess);
    // first tangent: along the drive
    guess[n - 1] = heading;
    find_tangent(t, q, guess, x.tangent);
    x.sign = bordered_sign(t, x.q, x.tangent);
    push(t, out, q, CT_TRACE_NONE);
    for (int steps = 0; out->n < POINTS_MAX; steps++) {
        // a step that fits the curve
        bool ok = step(t, &x, h, &next);
        while (!ok && h > STEP_MIN) {
            h /= 2;
            ok = step(t, &x, h, &next);
        }
        if (!ok) {
            out->broken = true;
            break;
        }
        // what lies within it
        bool turns = next.tangent[n - 1] * x.tangent[n - 1] < 0, flips = next.sign != x.sign;
        bool found = turns   ? locate_limit(t, &x, h, &event)
                     : flips ? locate_crossing(t, &x, h, &event)
                             : false;
        if (found && event.q[drive] > t->low && event.q[drive] < t->high) {
            if (turns)
                push(t, out, event.q, CT_TRACE_LIMIT);
            else if (regularity(t, event.q) < SINGULAR)
                push(t, out, event.q, CT_TRACE_CROSSING);
        }
        // the end of the range, or the start again
        bool below = next.q[drive] <= t->low, above = next.q[drive] >= t->high;
        if (below || above) {
            if (reach_bound(t, &x, below ? t->low : t->high, &next))
                push(t, out, next.q, CT_TRACE_NONE);
            else
                out->broken = true;
            break;
        }
        if (steps > 2 && is_back(t, q, &next, h)) {
            out->closed = true;
            break;
        }
        push(t, out, next.q, CT_TRACE_NONE);
        state swap = x;
        x = next;
        next = swap;
        h = fmin(1.4 * h, longest);
    }
    ct_free(guess);
    free_state(&x);
    free_state(&next);
    free_state(&event);
}

void ct_tracer_follow(ct_tracer *t, const double *q, int direction, ct_trace *out) {
    ct_trace back = {0};
    *out = (ct_trace){0};
    choose_rows(t, q);
    if (direction) {
        walk(t, q, direction, out);
        return;
    }
    // backwards first, in reverse; then forwards, unless the curve is closed
    walk(t, q, -1, &back);
    for (int i = back.n - 1; i > 0; i--) push(t, out, back.point[i].q, back.point[i].mark);
    if (back.closed) {
        push(t, out, q, CT_TRACE_NONE);
        push(t, out, out->point[0].q, out->point[0].mark); // around
        out->closed = true;
    } else {
        ct_trace forth = {0};
        walk(t, q, 1, &forth);
        for (int i = 0; i < forth.n; i++) push(t, out, forth.point[i].q, forth.point[i].mark);
        out->broken = back.broken || forth.broken;
        ct_trace_clear(&forth);
    }
    ct_trace_clear(&back);
}
