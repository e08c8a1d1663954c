// Which entries of Newton's matrix differ from zero in implicit steps, for the kernel (ctk_newton.c):
//   A = M + (Gc C + K + Phi_q^T R Phi_q) / Bc.
// Its unknowns are eliminated in an order that fills in little, and loops run along these lists. A
// turn of a whole rotation mixes its three columns, so all three count as soon as one does.
#include "emit/emit_inside.h"

#include "formulate/whole_rotation.h"
#include "numeric/elimination_order.h"

// Row i of the kernel: those kept, then spare ones.
static int row_of(const ct_emit_input *in, int i) {
    return i < in->m ? in->rows[i] : in->dropped[i - in->m];
}

// Columns of each row of Phi_q, in order; first [rows + 1].
static void emit_rows(ct_emitter *e, bool *pattern) {
    const ct_formulation *f = e->f;
    const int n = f->n, rows = e->in->m + e->in->n_dropped;
    int *first = ct_scratch((size_t)rows + 1, sizeof *first), count = 0;
    int *column = ct_scratch((size_t)rows * (size_t)n + 1, sizeof *column);
    for (int i = 0; i < rows; i++) {
        first[i] = count;
        for (int k = 0; k < n; k++)
            if (f->phi_q[row_of(e->in, i) * n + k] != CT_ZERO) column[count++] = k;
        for (int a = first[i]; a < count; a++)
            for (int b = first[i]; b < count; b++) pattern[column[a] * n + column[b]] = true;
    }
    first[rows] = count;
    ct_emit_ints(&e->body, "row_first", rows + 1, first);
    ct_emit_ints(&e->body, "row_columns", count, column);
}

// Joins the columns of a whole rotation, and makes the pattern symmetric.
static void complete(const ct_formulation *f, bool *pattern) {
    const int n = f->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (pattern[i * n + j]) pattern[j * n + i] = true;
    for (int k = 0, part; k < n; k++) {
        const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, k, &part);
        if (!b || !b->integrated) continue;
        for (int i = 0; i < n; i++)
            for (int other = k - part; other < k - part + 3; other++)
                if (pattern[i * n + k]) pattern[i * n + other] = pattern[other * n + i] = true;
    }
}

void ct_emit_pattern(ct_emitter *e, int n_slopes, const int *places) {
    const ct_formulation *f = e->f;
    const int n = f->n;
    bool *pattern = ct_scratch((size_t)n * (size_t)n + 1, sizeof *pattern);
    // M, K and C, the rows
    for (int i = 0; i < n * n; i++) pattern[i] = f->mass[i] != CT_ZERO;
    for (int i = 0; i < n; i++) pattern[i * n + i] = true;
    for (int i = 0; i < n_slopes; i++) pattern[places[i]] = true;
    emit_rows(e, pattern);
    complete(f, pattern);
    // the order, and behind each unknown the later ones that its elimination changes
    int *order = ct_scratch((size_t)n + 1, sizeof *order);
    ct_elimination_order(n, pattern, order);
    int *first = ct_scratch((size_t)n + 1, sizeof *first), count = 0;
    int *after = ct_scratch((size_t)n * (size_t)n + 1, sizeof *after);
    for (int i = 0; i < n; i++) {
        first[i] = count;
        for (int j = i + 1; j < n; j++)
            if (pattern[order[i] * n + order[j]]) after[count++] = order[j];
    }
    first[n] = count;
    ct_emit_ints(&e->body, "newton_order", n, order);
    ct_emit_ints(&e->body, "newton_first", n + 1, first);
    ct_emit_ints(&e->body, "newton_after", count, after);
}
