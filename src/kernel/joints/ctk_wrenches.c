// Solution of the equations of the reactions: by the elimination of an earlier state, where that holds
// (ctk_record.c), else by reflections that find the rank (ctk_fronts.c). Redundant constraints leave
// unknowns free; each is a self-stress, and the least of all solutions is given.
#include "ctk_fronts.h"

#include <math.h>
#include <string.h>

// Pivots below this share of the largest entry are rounding.
#define RANK 1e-10
// Components of a self-stress below this share of its largest one are rounding.
#define STILL 1e-8
// Square of the part of a self-stress that rows see beside those before it, of all that it changes:
// above, it is clearly independent.
#define INDEPENDENT 1e-6
// Above this share of each square one round of least squares is enough: rounding, times the condition of
// S^T S, is below 1e-13 of the columns.
#define WELL 1e-2
// What a recorded elimination may leave of the equations, of the largest force; of a self-stress.
#define LEFT        1e-10
#define LEFT_STRESS 1e-8

enum { OWN_UNIT = 2 };       // power of an unknown that is neither a force nor a moment
enum { MOST_PATIENCE = 63 }; // solutions without a record, where records do not hold

size_t ctk_wrench_doubles(const ctk_wrenches *w) {
    return ctk_fronts_doubles(w);
}

size_t ctk_wrench_ints(const ctk_wrenches *w) {
    return ctk_fronts_ints(w);
}

double ctk_wrench_size(const double *y, const double *normal, double length) {
    double across = 0, about = 0, force = 0, moment = 0, plane = 0;
    for (int i = 0; i < 3; i++) {
        across += normal[i] * y[i];
        about += normal[i] * y[3 + i];
        plane += normal[i] * normal[i];
        moment += y[3 + i] * y[3 + i];
    }
    for (int i = 0; i < 3; i++) force += (y[i] - across * normal[i]) * (y[i] - across * normal[i]);
    return sqrt(force) + (plane > 0 ? fabs(about) : sqrt(moment)) / length;
}

// units ---------------------------------------------------------------------------------------------
static double power_of(double length, int power) {
    return power > 0 ? length : 1;
}

// Factors that make forces of A, b and x: moments are divided by the length. x with a unit of its own:
// its largest entry is 1.
static void find_units(ctk_wrench_space *s, double length) {
    const ctk_wrenches *w = s->w;
    double largest = 0;
    for (int k = 0; k < w->n_unknowns; k++) s->most[k] = 0;
    for (int e = 0; e < w->n_entries; e++) {
        const int k = w->entry_column[e];
        s->unit_a[e] = 1 / power_of(length, w->equation_power[w->entry_row[e]]);
        if (fabs(s->a[e] * s->unit_a[e]) > s->most[k]) s->most[k] = fabs(s->a[e] * s->unit_a[e]);
    }
    for (int k = 0; k < w->n_unknowns; k++)
        s->scale[k] = w->unknown_power[k] < OWN_UNIT ? power_of(length, w->unknown_power[k])
                      : s->most[k] > 0               ? 1 / s->most[k]
                                                     : 1;
    for (int e = 0; e < w->n_entries; e++) {
        s->unit_a[e] *= s->scale[w->entry_column[e]];
        if (fabs(s->a[e] * s->unit_a[e]) > largest) largest = fabs(s->a[e] * s->unit_a[e]);
    }
    for (int i = 0; i < w->n_equations; i++)
        s->unit_b[i] = 1 / power_of(length, w->equation_power[i]);
    s->tiny = RANK * largest;
}

// A and b in forces; the largest of b.
static void scale(const ctk_wrench_space *s, ctk_wrench_result *r) {
    r->largest = r->bare = 0;
    for (int e = 0; e < s->w->n_entries; e++) s->a[e] *= s->unit_a[e];
    for (int i = 0; i < s->w->n_equations; i++) {
        const double size = fabs(s->b[i] *= s->unit_b[i]);
        if (size > r->largest) r->largest = size;
        if (s->start[i] == s->start[i + 1] && size > r->bare) r->bare = size;
    }
}

// x in its units.
static void scale_unknowns(const ctk_wrench_space *s) {
    for (int k = 0; k < s->w->n_unknowns; k++) s->kept[k] = s->scale[k] * s->x[k];
}

// Columns for s->x.
static void columns(const ctk_wrench_space *s, const ctk_wrench_motion *m, double *y) {
    scale_unknowns(s);
    s->w->columns(m->c, m->t, m->q, m->qd, m->qdd, m->u, s->common, s->kept, y);
}

// The least columns for s->x, where n unknowns are free and all of them stand in no equation. Returns 0
// if others are among them, or not all are clearly independent.
static int least_columns(const ctk_wrench_space *s, const ctk_wrench_motion *m, int n, double *y) {
    const ctk_wrenches *w = s->w;
    if (!w->least || n != w->n_loose) return 0;
    scale_unknowns(s);
    w->least(m->c, m->t, m->q, m->qd, m->qdd, m->u, s->common, s->kept, y, s->share);
    for (int k = 0; k < n; k++)
        if (!(s->share[k] > WELL)) return 0;
    return 1;
}

// self-stresses -------------------------------------------------------------------------------------
// What x leaves of all equations with unknowns; of a self-stress (`right` 0) their left sides.
static double rest(const ctk_wrench_space *s, int right) {
    double most = 0;
    for (int i = 0; i < s->w->n_equations; i++) {
        if (s->start[i] == s->start[i + 1]) continue;
        double sum = -right * s->b[i];
        for (int e = s->start[i]; e < s->start[i + 1]; e++)
            sum += s->a[e] * s->x[s->w->entry_column[e]];
        if (!(fabs(sum) <= most)) most = fabs(sum);
    }
    return most;
}

static double largest_unknown(const ctk_wrench_space *s) {
    double most = 0;
    for (int k = 0; k < s->w->n_unknowns; k++)
        if (!(fabs(s->x[k]) <= most)) most = fabs(s->x[k]);
    return most;
}

// x of the self-stress of a free unknown of a front, all others 0.
static void begin_stress(const ctk_wrench_space *s, int unknown) {
    memset(s->x, 0, (size_t)s->w->n_unknowns * sizeof *s->x);
    s->x[unknown] = 1;
}

// Its columns, once x is found.
static void stress_columns(const ctk_wrench_space *s, const ctk_wrench_motion *m, double *y) {
    const ctk_wrenches *w = s->w;
    double *moved = s->y0 + w->n_columns + w->n_more;
    columns(s, m, moved);
    for (int i = 0; i < w->n_columns; i++) y[i] = moved[i] - s->y0[i];
}

// Marks what a self-stress changes.
static void mark(const ctk_wrenches *w, const double *y, double length, ctk_wrench_result *r) {
    double largest = 0;
    for (int i = 0; i < w->n_columns; i++) {
        double size = fabs(y[i]) / power_of(length, w->column_power[i]);
        if (size > largest) largest = size;
    }
    for (int i = 0; i < w->n_columns; i++) {
        double size = fabs(y[i]) / power_of(length, w->column_power[i]);
        if (size > STILL * largest) r->is_unique[i] = 0;
    }
    if (r->stress) r->stress(r->stress_data, y);
}

// a . b
static double product(const double *a, const double *b, int n) {
    double sum = 0, other = 0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        sum += a[i] * b[i];
        other += a[i + 1] * b[i + 1];
    }
    return i < n ? sum + other + a[i] * b[i] : sum + other;
}

// Rows first .. first + rows that a stress changes: their stresses in `packed`, one stress after the
// other, their places in `place`. Returns how many.
static int pack(const ctk_wrench_space *s, int first, int rows, int n, double *packed, int *place) {
    const int c = s->w->n_columns;
    int used = 0;
    for (int i = first; i < first + rows; i++) {
        int k = 0;
        while (k < n && s->stress[k * c + i] == 0) k++;
        if (k < n) place[used++] = i;
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < used; i++) packed[k * used + i] = s->stress[k * c + place[i]];
    return used;
}

// The same by the equations  S^T S z = -S^T y  of the stresses S. A second round takes what rounding,
// times the condition of S^T S, left of the first. Returns 0 if the stresses are not clearly
// independent over these rows.
static int least_by_squares(const ctk_wrench_space *s, int first, int rows, int n, double *y) {
    enum { ROUNDS = 2 };
    const int c = s->w->n_columns;
    double *l = s->small, *z = l + n * n, *right = z + n, *packed = right + c;
    int *place = s->places;
    const int used = pack(s, first, rows, n, packed, place);
    // Cholesky factors of S^T S
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double *own = s->stress + i * c,
                         sum = product(packed + i * used, packed + j * used, used) -
                               product(l + i * n, l + j * n, j);
            if (j == i && !(sum > INDEPENDENT * product(own, own, c))) return 0;
            l[i * n + j] = j < i ? sum / l[j * n + j] : sqrt(sum);
        }
    for (int round = 0; round < ROUNDS; round++) {
        // L L^T z = -S^T y
        for (int i = 0; i < used; i++) right[i] = y[place[i]];
        for (int i = 0; i < n; i++)
            z[i] = (-product(packed + i * used, right, used) - product(l + i * n, z, i)) /
                   l[i * n + i];
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) z[i] -= l[k * n + i] * z[k];
            z[i] /= l[i * n + i];
        }
        // y += S z; beside efforts joints do not count, and change with them
        for (int k = 0; k < n; k++) {
            const double *own = s->stress + k * c + rows;
            for (int i = 0; i < used; i++) y[place[i]] += z[k] * packed[k * used + i];
            for (int i = 0; i < c - first - rows; i++) y[first + rows + i] += z[k] * own[first + i];
        }
    }
    return 1;
}

// Least squares over the rows first .. first + rows of n stresses: adds to y what makes these least,
// and leaves the stresses that do not change them. Returns how many were spent.
static int least(const ctk_wrench_space *s, int first, int rows, int n, double *y) {
    const int width = n + 1, c = s->w->n_columns;
    double *a = s->small, *z = a + (size_t)rows * (size_t)width, largest = 0;
    int used = 0;
    if (n <= rows && least_by_squares(s, first, rows, n, y)) return n;
    // rounding is what is small beside all that the stresses change
    for (int i = 0; i < n * c; i++)
        if (fabs(s->stress[i]) > largest) largest = fabs(s->stress[i]);
    for (int i = first; i < first + rows; i++) {
        // rows that no stress changes do not count
        double *row = a + used * width;
        int is_changed = 0;
        for (int j = 0; j < n; j++) {
            row[j] = s->stress[j * c + i];
            is_changed |= row[j] != 0;
        }
        row[n] = -y[i];
        used += is_changed;
    }
    const int rank = ctk_fronts_triangular(a, used, width, n, RANK * largest, s->order, s->row);
    // by the right side (column n) to y; then by each free stress, which leaves these rows
    for (int free = n; free >= rank; free--) {
        const int column = free == n ? n : s->order[free];
        double *to = free == n ? y : s->stress + column * c;
        for (int i = rank - 1; i >= 0; i--) {
            double sum = free == n ? a[i * width + n] : -a[i * width + column];
            for (int k = i + 1; k < rank; k++) sum -= a[i * width + s->order[k]] * z[k];
            z[i] = sum / a[i * width + s->order[i]];
        }
        for (int k = 0; k < rank; k++)
            for (int i = 0; i < c; i++) to[i] += z[k] * s->stress[s->order[k] * c + i];
    }
    // the free ones move up
    int kept = 0;
    for (int k = 0; k < n; k++) {
        int is_spent = 0;
        for (int i = 0; i < rank; i++) is_spent |= s->order[i] == k;
        if (is_spent) continue;
        memmove(s->stress + kept * c, s->stress + k * c, (size_t)c * sizeof *s->stress);
        kept++;
    }
    return rank;
}

// forward and back ----------------------------------------------------------------------------------
// The self-stress of each free unknown; those of loud fronts are kept. Returns how many these are.
static int find_stresses(const ctk_wrench_space *s, const ctk_wrench_motion *m,
                         ctk_wrench_result *r) {
    const ctk_wrenches *w = s->w;
    int n = 0;
    memset(s->x, 0, (size_t)w->n_unknowns * sizeof *s->x);
    columns(s, m, s->y0);
    for (int k = 0; k < w->n_fronts; k++) {
        const int *f = ctk_front(s, k);
        for (int i = s->rank[k]; i >= 0 && i < f[CTK_FRONT_OWN]; i++) {
            double *y = s->stress + (size_t)n * (size_t)w->n_columns;
            begin_stress(s, ctk_front_unknowns(f)[s->pivot[s->first[k] + i]]);
            ctk_fronts_substitute(s, k, 0);
            stress_columns(s, m, y);
            r->n_self++;
            if (r->is_unique && f[CTK_FRONT_SILENT]) mark(w, y, m->length, r);
            n += !f[CTK_FRONT_SILENT];
        }
    }
    return n;
}

// True if a front has fewer pivots than unknowns of its own.
static int has_free(const ctk_wrench_space *s) {
    for (int k = 0; k < s->w->n_fronts; k++)
        if (s->rank[k] >= 0 && s->rank[k] < ctk_front(s, k)[CTK_FRONT_OWN]) return 1;
    return 0;
}

// The least of all solutions by n stresses: the least efforts first, then the least reactions. What
// efforts decide is unique; stresses of the joints alone are left.
static void make_least(const ctk_wrench_space *s, double length, int n, ctk_wrench_result *r) {
    const ctk_wrenches *w = s->w;
    if (n && w->n_efforts) r->n_choices = least(s, 0, w->n_efforts, n, r->y);
    n -= r->n_choices;
    for (int k = 0; k < n && r->is_unique; k++)
        mark(w, s->stress + (size_t)k * (size_t)w->n_columns, length, r);
    if (n) least(s, w->n_efforts, w->n_columns - w->n_efforts, n, r->y);
}

// By reflections, whatever the state.
static void solve_anew(ctk_wrench_space *s, const ctk_wrench_motion *m, ctk_wrench_result *r) {
    int n = 0;
    r->left = ctk_fronts_eliminate(s, r->is_unique != NULL);
    memset(s->x, 0, (size_t)s->w->n_unknowns * sizeof *s->x);
    ctk_fronts_substitute(s, s->w->n_fronts - 1, 1);
    columns(s, m, r->y);
    if (has_free(s)) n = find_stresses(s, m, r);
    make_least(s, m->length, n, r);
}

// By the elimination of an earlier state. Returns 0 if that does not hold here.
static int solve_as_before(const ctk_wrench_space *s, const ctk_wrench_motion *m,
                           ctk_wrench_result *r) {
    const ctk_wrenches *w = s->w;
    const int n = s->head[CTK_WRENCH_FREE];
    // a solution
    if (!ctk_record_eliminate(s)) return 0;
    memset(s->x, 0, (size_t)w->n_unknowns * sizeof *s->x);
    ctk_record_substitute(s, 1);
    const double most = largest_unknown(s);
    r->left = rest(s, 1);
    if (!(r->left <= LEFT * (most > r->largest ? most : r->largest))) return 0;
    // the least one, by self-stresses in no equation alone
    if (n && least_columns(s, m, n, r->y)) {
        r->n_self = n;
        return 1;
    }
    columns(s, m, r->y);
    // by others
    if (n) {
        memset(s->x, 0, (size_t)w->n_unknowns * sizeof *s->x);
        columns(s, m, s->y0);
    }
    for (int k = 0; k < n; k++) {
        begin_stress(s, s->free[k]);
        ctk_record_substitute(s, 0);
        if (!(rest(s, 0) <= LEFT_STRESS * largest_unknown(s))) return 0;
        stress_columns(s, m, s->stress + (size_t)k * (size_t)w->n_columns);
    }
    r->n_self = n;
    make_least(s, m->length, n, r);
    return 1;
}

// A record did not hold, or could not be made: the next one is tried after a while, and after twice as
// long the next time.
static void wait(int *head) {
    const int patience = 2 * head[CTK_WRENCH_PATIENCE] + 1;
    head[CTK_WRENCH_RECORDED] = 0;
    head[CTK_WRENCH_WAIT] = head[CTK_WRENCH_PATIENCE];
    head[CTK_WRENCH_PATIENCE] = patience < MOST_PATIENCE ? patience : MOST_PATIENCE;
}

void ctk_wrenches_solve(const ctk_wrenches *w, const ctk_wrench_motion *m, double *doubles,
                        int *ints, ctk_wrench_result *r) {
    ctk_wrench_space s = ctk_fronts_lay_out(w, doubles, ints);
    int *head = s.head;
    r->n_self = r->n_choices = 0;
    for (int i = 0; i < w->n_columns && r->is_unique; i++) r->is_unique[i] = 1;
    // as before, in the same units
    w->system(m->c, m->t, m->q, m->qd, m->qdd, m->u, s.a, s.b, s.common);
    if (head[CTK_WRENCH_RECORDED] && !r->is_unique) {
        scale(&s, r);
        if (solve_as_before(&s, m, r)) {
            head[CTK_WRENCH_PATIENCE] = 0;
            return;
        }
        wait(head);
        w->system(m->c, m->t, m->q, m->qd, m->qdd, m->u, s.a, s.b, s.common);
    }
    // anew; then a record
    find_units(&s, m->length);
    scale(&s, r);
    solve_anew(&s, m, r);
    if (r->is_unique || head[CTK_WRENCH_WAIT]-- > 0) return;
    head[CTK_WRENCH_WAIT] = 0;
    ctk_record_make(&s);
    if (!head[CTK_WRENCH_RECORDED]) wait(head);
}
