// The elimination of an earlier state, once more. Which equation gives which unknown hardly changes from
// state to state, so it is chosen once, where reflections have told the rank: by pivots that are large
// and leave rows short. What may differ from zero follows from the equations, whatever their numbers.
// So each step is known: its pivot, the rows that it is taken from, the columns that these share.
// Equations that give nothing are left out; the caller looks at all of them in the end.
//
// A record, front by front:  moves, (from, to) of each;  steps, each with
//   row, column, front (place in w->fronts), number of the pivot, numbers of rows and columns; rows;
//   columns, the right side last.
#include "ctk_fronts.h"

#include <math.h>
#include <string.h>

// A pivot is at least this share of its column; it is not used below this share of its first value.
static const double LARGE = 0.1, WEAK = 0.05;

enum { PASSED = -1 };
enum { ROW, COLUMN, FRONT, PIVOT, N_ROWS, N_COLUMNS, STEP };

// A front while its steps are chosen.
typedef struct front {
    const int *f;
    double *a;
    int *may, *is_done, *has_pivot; // of rows; of columns
    int rows, width;
} front;

// choice --------------------------------------------------------------------------------------------
// Rows of the equations, and rows of earlier fronts that have had a pivot among the others. Moves are
// written to `out`; returns where it ends.
static int *gather(const ctk_wrench_space *s, int index, front *x, int *out) {
    const int *row = x->f + CTK_FRONT_HEAD, *child = row + x->f[CTK_FRONT_ROWS];
    const int place = s->place[index], width = x->width;
    const size_t numbers = (size_t)x->f[CTK_FRONT_MOST_ROWS] * (size_t)width;
    memset(x->a, 0, numbers * sizeof *x->a);
    memset(x->may, 0, numbers * sizeof *x->may);
    // equations
    x->rows = x->f[CTK_FRONT_ROWS];
    for (int k = 0; k < x->rows; k++) {
        const int right = k * width + width - 1;
        s->slot_b[row[k]] = place + right;
        x->a[right] = s->b[row[k]];
        x->may[right] = 1;
        for (int e = s->start[row[k]]; e < s->start[row[k] + 1]; e++) {
            const int at = k * width + ctk_front_place(x->f, s->w->entry_column[e]);
            s->slot_a[e] = place + at;
            x->a[at] = s->a[e];
            x->may[at] = 1;
        }
    }
    // rests of earlier fronts, which have noted their rows with a pivot among the others
    int *count = out++;
    *count = 0;
    for (int k = 0; k < x->f[CTK_FRONT_CHILDREN]; k++) {
        const int *g = ctk_front(s, child[k]), wide = ctk_front_width(g);
        const int own = g[CTK_FRONT_OWN];
        for (int i = 0; i < s->rows[child[k]]; i++) {
            const int from = s->place[child[k]] + i * wide;
            if (s->may[from] != PASSED) continue;
            for (int j = own; j < wide; j++) {
                const int column =
                    j == wide - 1 ? width - 1 : ctk_front_place(x->f, ctk_front_unknowns(g)[j]);
                const int at = x->rows * width + column;
                if (!s->may[from + j]) continue;
                x->a[at] = s->fronts[from + j];
                x->may[at] = 1;
                *out++ = from + j;
                *out++ = place + at;
                ++*count;
            }
            x->rows++;
        }
    }
    return out;
}

// The pivot among columns first .. last - 1 that leaves the shortest rows. Returns 0 if there is none.
static int choose(const front *x, int first, int last, double tiny, int *row, int *column) {
    long least = -1;
    for (int j = first; j < last; j++) {
        double largest = 0;
        long in_column = 0;
        if (x->has_pivot[j]) continue;
        for (int i = 0; i < x->rows; i++) {
            if (x->is_done[i] || !x->may[i * x->width + j]) continue;
            in_column++;
            if (fabs(x->a[i * x->width + j]) > largest) largest = fabs(x->a[i * x->width + j]);
        }
        if (!(largest > tiny)) continue;
        for (int i = 0; i < x->rows; i++) {
            long in_row = 0;
            if (x->is_done[i] || !(fabs(x->a[i * x->width + j]) >= LARGE * largest)) continue;
            for (int k = first; k < x->width; k++) in_row += x->may[i * x->width + k];
            const long cost = (in_row - 1) * in_column;
            if (least >= 0 && cost >= least) continue;
            least = cost;
            *row = i;
            *column = j;
        }
    }
    return least >= 0;
}

// One step: noted at `out`, and carried out. Returns where the note ends.
static int *take(const ctk_wrench_space *s, const front *x, int first, int row, int column,
                 int *out) {
    const int width = x->width;
    double *top = x->a + row * width;
    const int *may = x->may + row * width;
    int *step = out, *columns;
    step[ROW] = row;
    step[COLUMN] = column;
    step[N_ROWS] = step[N_COLUMNS] = 0;
    x->is_done[row] = x->has_pivot[column] = 1;
    // rows, then columns that are open
    out += STEP;
    for (int i = 0; i < x->rows; i++)
        if (!x->is_done[i] && x->may[i * width + column]) *out++ = i, step[N_ROWS]++;
    columns = out;
    for (int c = first; c < width; c++)
        if (may[c] && (c == width - 1 || !x->has_pivot[c])) *out++ = c, step[N_COLUMNS]++;
    for (int k = 0; k < step[N_ROWS]; k++) {
        double *to = x->a + step[STEP + k] * width;
        const double factor = to[column] / top[column];
        for (int c = 0; c < step[N_COLUMNS]; c++) {
            int *is_there = x->may + step[STEP + k] * width + columns[c];
            to[columns[c]] -= factor * top[columns[c]];
            if (!*is_there) s->filled[s->head[CTK_WRENCH_FILLED]++] = (int)(is_there - s->may);
            *is_there = 1;
        }
        to[column] = 0;
        x->may[step[STEP + k] * width + column] = 0;
    }
    return out;
}

// Turns rows into places, without those that never have a pivot. Returns the new end.
static int *shorten(const front *x, int place, int *steps, int n) {
    int *from = steps, *to = steps;
    for (int k = 0; k < n; k++) {
        const int rows = from[N_ROWS], columns = from[N_COLUMNS];
        int *step = to;
        memmove(to, from, STEP * sizeof *to);
        step[ROW] = place + step[ROW] * x->width;
        from += STEP, to += STEP, step[N_ROWS] = 0;
        for (int i = 0; i < rows; i++) {
            const int row = *from++;
            if (x->is_done[row]) *to++ = place + row * x->width, step[N_ROWS]++;
        }
        memmove(to, from, (size_t)columns * sizeof *to);
        from += columns, to += columns;
    }
    return to;
}

// Steps with pivots in columns first .. last - 1, as long as there are any.
static int *take_all(ctk_wrench_space *s, const front *x, int index, int first, int last, int *n,
                     int *pivots, int *out) {
    for (int row, column; choose(x, first, last, s->tiny, &row, &column); ++*n, ++*pivots) {
        s->weak[*pivots] = WEAK * fabs(x->a[row * x->width + column]);
        out[FRONT] = s->list[index];
        out[PIVOT] = *pivots;
        out = take(s, x, first, row, column, out);
        // a row that enters a later front is marked where its own unknowns stand
        if (first) x->may[row * x->width] = PASSED;
    }
    return out;
}

// Steps of a front: own unknowns, then the others, whose rows go on. Returns the end of the record, NULL
// if the rank is not the one that reflections have found.
static int *record_front(ctk_wrench_space *s, int index, int *pivots, int *out) {
    front x = {.f = ctk_front(s, index)};
    const int own = x.f[CTK_FRONT_OWN], place = s->place[index];
    x.width = ctk_front_width(x.f);
    x.a = s->fronts + place;
    x.may = s->may + place;
    x.is_done = s->is_done;
    x.has_pivot = s->is_done + s->head[CTK_WRENCH_MOST_ROWS];
    out = gather(s, index, &x, out);
    memset(x.is_done, 0, (size_t)x.rows * sizeof *x.is_done);
    memset(x.has_pivot, 0, (size_t)x.width * sizeof *x.has_pivot);
    // own unknowns; those without a pivot are free
    int *n = out++, *steps = out;
    *n = 0;
    out = take_all(s, &x, index, 0, own, n, pivots, out);
    if (*n != s->rank[index]) return NULL;
    for (int j = 0; j < own; j++) {
        if (!x.has_pivot[j]) s->free[s->head[CTK_WRENCH_FREE]++] = ctk_front_unknowns(x.f)[j];
    }
    // others
    take_all(s, &x, index, own, x.width - 1, n, pivots, out);
    s->rows[index] = x.rows;
    return shorten(&x, place, steps, *n);
}

// Where steps with own unknowns begin, in their order.
static void find_own_steps(ctk_wrench_space *s, const int *end) {
    for (const int *at = s->steps; at < end;) {
        at += 1 + 2 * *at;
        for (int k = *at++; k > 0; k--) {
            if (at[COLUMN] < s->w->fronts[at[FRONT] + CTK_FRONT_OWN])
                s->own_step[s->head[CTK_WRENCH_OWN_STEPS]++] = (int)(at - s->steps);
            at += STEP + at[N_ROWS] + at[N_COLUMNS];
        }
    }
    s->head[CTK_WRENCH_LENGTH] = (int)(end - s->steps);
}

void ctk_record_make(ctk_wrench_space *s) {
    const ctk_wrenches *w = s->w;
    int *out = s->steps, pivots = 0;
    s->head[CTK_WRENCH_RECORDED] = s->head[CTK_WRENCH_FREE] = s->head[CTK_WRENCH_OWN_STEPS] = 0;
    s->head[CTK_WRENCH_FILLED] = 0;
    for (int e = 0; e < w->n_entries; e++) s->slot_a[e] = -1;
    for (int i = 0; i < w->n_equations; i++) s->slot_b[i] = -1;
    for (int k = 0; k < w->n_fronts; k++) {
        if (ctk_front(s, k)[CTK_FRONT_SILENT]) continue;
        out = record_front(s, k, &pivots, out);
        if (!out) return;
    }
    find_own_steps(s, out);
    s->head[CTK_WRENCH_RECORDED] = 1;
}

// use -----------------------------------------------------------------------------------------------
int ctk_record_eliminate(const ctk_wrench_space *s) {
    const ctk_wrenches *w = s->w;
    double *fronts = s->fronts;
    const int *at = s->steps, *end = at + s->head[CTK_WRENCH_LENGTH];
    // zeros that are filled in, then equations of loud fronts
    for (int i = 0; i < s->head[CTK_WRENCH_FILLED]; i++) fronts[s->filled[i]] = 0;
    for (int e = 0; e < w->n_entries; e++)
        if (s->slot_a[e] >= 0) fronts[s->slot_a[e]] = s->a[e];
    for (int i = 0; i < w->n_equations; i++)
        if (s->slot_b[i] >= 0) fronts[s->slot_b[i]] = s->b[i];
    while (at < end) {
        // rows of earlier fronts, then steps
        int n = *at++;
        for (; n > 0; n--, at += 2) fronts[at[1]] = fronts[at[0]];
        for (n = *at++; n > 0; n--) {
            const double *top = fronts + at[ROW], pivot = top[at[COLUMN]];
            const int column = at[COLUMN], n_rows = at[N_ROWS], n_columns = at[N_COLUMNS],
                      *rows = at + STEP, *columns = rows + n_rows;
            if (!(fabs(pivot) > s->weak[at[PIVOT]])) return 0;
            const double inverse = s->inverse[at[PIVOT]] = 1 / pivot;
            for (int i = 0; i < n_rows; i++) {
                double *to = fronts + rows[i];
                const double factor = to[column] * inverse;
                for (int c = 0; c < n_columns; c++) to[columns[c]] -= factor * top[columns[c]];
            }
            at = columns + n_columns;
        }
    }
    return 1;
}

void ctk_record_substitute(const ctk_wrench_space *s, int right) {
    for (int k = s->head[CTK_WRENCH_OWN_STEPS] - 1; k >= 0; k--) {
        const int *at = s->steps + s->own_step[k], *columns = at + STEP + at[N_ROWS],
                  *unknowns = ctk_front_unknowns(s->w->fronts + at[FRONT]);
        const double *row = s->fronts + at[ROW];
        const int last = at[N_COLUMNS] - 1;
        double sum = right * row[columns[last]];
        for (int c = 0; c < last; c++) sum -= row[columns[c]] * s->x[unknowns[columns[c]]];
        s->x[unknowns[at[COLUMN]]] = sum * s->inverse[at[PIVOT]];
    }
}
