// Elimination of the unknowns of reactions, front by front. A front holds the equations in which its
// own unknowns stand. Householder reflections with column pivots turn these to
//   [R S] [own; others] = r,   R triangular,
// and leave equations in the others alone, which enter a later front. Where R has no more pivots the
// unknowns that are left are free: each is a self-stress.
#include "ctk_fronts.h"

#include <math.h>
#include <string.h>

static int front_length(const int *f) {
    return CTK_FRONT_HEAD + f[CTK_FRONT_ROWS] + f[CTK_FRONT_CHILDREN] + f[CTK_FRONT_OWN] +
           f[CTK_FRONT_BORDER];
}

static size_t front_doubles(const int *f) {
    return (size_t)f[CTK_FRONT_MOST_ROWS] * (size_t)ctk_front_width(f);
}

// Sizes of all fronts.
typedef struct sizes {
    size_t numbers, widest, loud, pivots, steps, most_rows;
} sizes;

static sizes sizes_of(const ctk_wrenches *w) {
    sizes s = {0};
    const int *f = w->fronts;
    for (int i = 0; i < w->n_fronts; i++, f += front_length(f)) {
        const size_t width = (size_t)ctk_front_width(f), rows = (size_t)f[CTK_FRONT_MOST_ROWS],
                     pivots = rows < width - 1 ? rows : width - 1;
        s.numbers += front_doubles(f);
        if (width > s.widest) s.widest = width;
        if (rows > s.most_rows) s.most_rows = rows;
        s.loud += f[CTK_FRONT_SILENT] ? 0 : (size_t)f[CTK_FRONT_OWN];
        s.pivots += pivots;
        // a step: its head, rows, columns; what goes on to a later front: pairs of places
        s.steps += 2 + pivots * (6 + rows + width) + 2 * pivots * width;
    }
    return s;
}

size_t ctk_fronts_doubles(const ctk_wrenches *w) {
    const sizes z = sizes_of(w);
    const size_t n = (size_t)w->n_unknowns, y = (size_t)(w->n_columns + w->n_more);
    return 2 * (size_t)(w->n_entries + w->n_equations) + 4 * n + 2 * y + z.numbers + 2 * z.pivots +
           (size_t)(w->n_common + w->n_loose) + (2 * z.loud + 3) * (size_t)w->n_columns +
           z.loud * z.loud + z.loud + 1 + z.widest + z.loud + 1;
}

size_t ctk_fronts_ints(const ctk_wrenches *w) {
    const sizes z = sizes_of(w);
    return CTK_WRENCH_HEAD + (size_t)w->n_columns + 5 * (size_t)w->n_fronts +
           4 * (size_t)w->n_unknowns + 2 * (size_t)w->n_equations + 2 + (size_t)w->n_entries +
           2 * z.numbers + z.widest + z.most_rows + z.steps;
}

// Tables that follow from the equations alone.
static void find_tables(const ctk_wrench_space *s, const sizes *z) {
    const ctk_wrenches *w = s->w;
    for (int k = 0, at = 0, place = 0, first = 0; k < w->n_fronts; k++) {
        const int *f = w->fronts + at;
        s->list[k] = at;
        s->place[k] = place;
        s->first[k] = first;
        at += front_length(f);
        place += (int)front_doubles(f);
        first += f[CTK_FRONT_OWN];
    }
    // entries stand equation by equation
    for (int e = 0, row = 0; row <= w->n_equations; row++) {
        while (e < w->n_entries && w->entry_row[e] < row) e++;
        s->start[row] = e;
    }
    s->head[CTK_WRENCH_NUMBERS] = (int)z->numbers;
    s->head[CTK_WRENCH_WIDEST] = (int)z->widest;
    s->head[CTK_WRENCH_LOUD] = (int)z->loud;
    s->head[CTK_WRENCH_PIVOTS] = (int)z->pivots;
    s->head[CTK_WRENCH_MOST_ROWS] = (int)z->most_rows;
    s->head[CTK_WRENCH_RECORDED] = s->head[CTK_WRENCH_WAIT] = s->head[CTK_WRENCH_PATIENCE] = 0;
    s->head[CTK_WRENCH_LAID_OUT] = 1;
}

ctk_wrench_space ctk_fronts_lay_out(const ctk_wrenches *w, double *d, int *i) {
    const size_t n = (size_t)w->n_unknowns, y = (size_t)(w->n_columns + w->n_more),
                 fronts = (size_t)w->n_fronts;
    const int is_first = !i[CTK_WRENCH_LAID_OUT];
    sizes z = {.numbers = (size_t)i[CTK_WRENCH_NUMBERS],
               .widest = (size_t)i[CTK_WRENCH_WIDEST],
               .loud = (size_t)i[CTK_WRENCH_LOUD],
               .pivots = (size_t)i[CTK_WRENCH_PIVOTS],
               .most_rows = (size_t)i[CTK_WRENCH_MOST_ROWS]};
    if (is_first) z = sizes_of(w);
    ctk_wrench_space s = {.w = w, .head = i};
    // numbers
    s.a = d, d += w->n_entries;
    s.unit_a = d, d += w->n_entries;
    s.b = d, d += w->n_equations;
    s.unit_b = d, d += w->n_equations;
    s.x = d, d += n;
    s.kept = d, d += n;
    s.scale = d, d += n;
    s.most = d, d += n;
    s.y0 = d, d += 2 * y;
    s.common = d, d += w->n_common;
    s.share = d, d += w->n_loose;
    s.fronts = d, d += z.numbers;
    s.stress = d, d += (z.loud + 1) * (size_t)w->n_columns;
    s.row = d, d += z.widest + z.loud + 1;
    s.small = d; // least squares, by reflections or by squares, and their solution
    d += (z.loud + 2) * (size_t)w->n_columns + z.loud * z.loud + z.loud + 1;
    s.inverse = d, d += z.pivots;
    s.weak = d;
    // indices
    i += CTK_WRENCH_HEAD;
    s.list = i, i += fronts;
    s.place = i, i += fronts;
    s.rank = i, i += fronts;
    s.rows = i, i += fronts;
    s.first = i, i += fronts;
    s.pivot = i, i += n;
    s.order = i, i += n;
    s.own_step = i, i += n;
    s.free = i, i += n;
    s.start = i, i += w->n_equations + 1;
    s.slot_b = i, i += w->n_equations;
    s.slot_a = i, i += w->n_entries;
    s.may = i, i += z.numbers;
    s.filled = i, i += z.numbers;
    s.is_done = i, i += z.most_rows + z.widest;
    s.places = i, i += w->n_columns;
    s.steps = i;
    if (is_first) find_tables(&s, &z);
    return s;
}

// elimination ---------------------------------------------------------------------------------------
// Reflects rows k.. so that only row k of column j is left of it; all columns follow, row by row, past
// rows that have no entry in column j. share: [width] of the reflection in each column.
static void reflect(double *a, int rows, int width, int k, int j, double *share) {
    double *top = a + k * width, sum = 0;
    for (int i = k; i < rows; i++) sum += a[i * width + j] * a[i * width + j];
    if (!(sum > 0)) return;
    const double norm = top[j] > 0 ? -sqrt(sum) : sqrt(sum);
    // v = column - norm e_k;  a -= v (v . a) / (norm (norm - a_kj))
    const double head = top[j] - norm, below = -1 / (norm * head);
    for (int c = 0; c < width; c++) share[c] = head * top[c];
    for (int i = k + 1; i < rows; i++) {
        const double *row = a + i * width, v = row[j];
        if (v == 0) continue;
        for (int c = 0; c < width; c++) share[c] += v * row[c];
    }
    for (int c = 0; c < width; c++) {
        share[c] *= below;
        top[c] -= share[c] * head;
    }
    for (int i = k + 1; i < rows; i++) {
        double *row = a + i * width;
        const double v = row[j];
        if (v == 0) continue;
        for (int c = 0; c < width; c++) row[c] -= share[c] * v;
        row[j] = 0;
    }
    top[j] = norm;
}

int ctk_fronts_triangular(double *a, int rows, int width, int own, double tiny, int *order,
                          double *share) {
    int rank = 0;
    for (int j = 0; j < own; j++) order[j] = j;
    while (rank < rows && rank < own) {
        // the largest column that is left
        int best = rank;
        double largest = -1, *square = share;
        for (int j = 0; j < own; j++) square[j] = 0;
        for (int i = rank; i < rows; i++)
            for (int j = 0; j < own; j++) square[j] += a[i * width + j] * a[i * width + j];
        for (int j = rank; j < own; j++)
            if (square[order[j]] > largest) best = j, largest = square[order[j]];
        if (!(sqrt(largest) > tiny)) break;
        int swap = order[best];
        order[best] = order[rank];
        order[rank] = swap;
        reflect(a, rows, width, rank, swap, share);
        rank++;
    }
    return rank;
}

int ctk_front_place(const int *f, int unknown) {
    const int *unknowns = ctk_front_unknowns(f);
    for (int k = 0; k < ctk_front_width(f) - 1; k++)
        if (unknowns[k] == unknown) return k;
    return -1;
}

// Rows of A and rests of earlier fronts.
static void gather(const ctk_wrench_space *s, int front) {
    const int *f = ctk_front(s, front), *row = f + CTK_FRONT_HEAD, *child = row + f[CTK_FRONT_ROWS];
    const int width = ctk_front_width(f);
    double *a = s->fronts + s->place[front];
    int n = f[CTK_FRONT_ROWS];
    memset(a, 0, front_doubles(f) * sizeof *a);
    for (int k = 0; k < n; k++) {
        a[k * width + width - 1] = s->b[row[k]];
        for (int e = s->start[row[k]]; e < s->start[row[k] + 1]; e++)
            a[k * width + ctk_front_place(f, s->w->entry_column[e])] = s->a[e];
    }
    for (int k = 0; k < f[CTK_FRONT_CHILDREN]; k++) {
        const int *g = ctk_front(s, child[k]), own = g[CTK_FRONT_OWN], wide = ctk_front_width(g);
        const double *from = s->fronts + s->place[child[k]];
        for (int i = s->rank[child[k]]; i < s->rows[child[k]]; i++, n++) {
            for (int j = own; j < wide - 1; j++)
                a[n * width + ctk_front_place(f, ctk_front_unknowns(g)[j])] = from[i * wide + j];
            a[n * width + width - 1] = from[i * wide + wide - 1];
        }
    }
    s->rows[front] = n;
}

// Eliminates the unknowns of a front; no more equations are left than it has other unknowns. Returns the
// right sides of the rest, which should be zero.
static double eliminate(const ctk_wrench_space *s, int front) {
    const int *f = ctk_front(s, front), own = f[CTK_FRONT_OWN], width = ctk_front_width(f);
    double *a = s->fronts + s->place[front], left = 0;
    int *order = s->pivot + s->first[front];
    int rank = s->rank[front] =
        ctk_fronts_triangular(a, s->rows[front], width, own, s->tiny, order, s->row);
    // others: as many rows as they are
    int end = rank;
    for (int j = own; j < width - 1 && end < s->rows[front]; j++, end++)
        reflect(a, s->rows[front], width, end, j, s->row);
    for (int i = end; i < s->rows[front]; i++) {
        const double rest = fabs(a[i * width + width - 1]);
        if (!(rest <= left)) left = rest;
    }
    s->rows[front] = end;
    return left;
}

double ctk_fronts_eliminate(ctk_wrench_space *s, int all) {
    double left = 0;
    for (int k = 0; k < s->w->n_fronts; k++) {
        s->rank[k] = -1;
        if (ctk_front(s, k)[CTK_FRONT_SILENT] && !all) continue;
        gather(s, k);
        const double rest = eliminate(s, k);
        if (!(rest <= left)) left = rest;
    }
    return left;
}

void ctk_fronts_substitute(const ctk_wrench_space *s, int from, int right) {
    for (int front = from; front >= 0; front--) {
        const int *f = ctk_front(s, front), *unknowns = ctk_front_unknowns(f),
                  *order = s->pivot + s->first[front];
        const int own = f[CTK_FRONT_OWN], width = ctk_front_width(f);
        for (int i = s->rank[front] - 1; i >= 0; i--) {
            const double *row = s->fronts + s->place[front] + i * width;
            double sum = right * row[width - 1];
            for (int j = own; j < width - 1; j++) sum -= row[j] * s->x[unknowns[j]];
            for (int k = i + 1; k < own; k++) sum -= row[order[k]] * s->x[unknowns[order[k]]];
            s->x[unknowns[order[i]]] = sum / row[order[i]];
        }
    }
}
