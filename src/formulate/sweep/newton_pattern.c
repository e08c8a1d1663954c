// Which entries of Newton's matrix differ from zero in implicit steps (ctk_newton.c of the kernel):
//   A = M + (Gc C + K + Phi_q^T R Phi_q) / Bc.
// Its unknowns are eliminated in an order that fills in little. A turn of a whole rotation mixes its
// three columns, so all three count as soon as one does.
#include "formulate/whole_rotation.h"
#include "numeric/elimination_order.h"

// Columns of each row of Phi_q, which couple the coordinates of a row with each other.
static void find_rows(const ct_formulation *f, int n_rows, const int *rows, bool *pattern,
                      ct_newton_pattern *out) {
    const int n = f->n;
    out->row_first = ct_scratch((size_t)n_rows + 1, sizeof(int));
    out->row_columns = ct_scratch((size_t)n_rows * (size_t)n + 1, sizeof(int));
    for (int i = 0; i < n_rows; i++) {
        const int first = out->row_first[i] = out->n_columns;
        for (int k = 0; k < n; k++)
            if (f->phi_q[rows[i] * n + k] != CT_ZERO) out->row_columns[out->n_columns++] = k;
        for (int a = first; a < out->n_columns; a++)
            for (int b = first; b < out->n_columns; b++)
                pattern[out->row_columns[a] * n + out->row_columns[b]] = true;
    }
    out->row_first[n_rows] = out->n_columns;
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

void ct_newton_pattern_find(const ct_formulation *f, int n_rows, const int *rows, int n_slopes,
                            const int *places, ct_newton_pattern *out) {
    const int n = f->n;
    bool *pattern = ct_scratch((size_t)n * (size_t)n + 1, sizeof *pattern);
    *out = (ct_newton_pattern){.order = ct_scratch((size_t)n + 1, sizeof(int)),
                               .first = ct_scratch((size_t)n + 1, sizeof(int)),
                               .after = ct_scratch((size_t)n * (size_t)n + 1, sizeof(int))};
    // M, K and C, the rows
    ct_formulation_entries(f);
    for (int i = 0; i < n * n; i++) pattern[i] = f->mass[i] != CT_ZERO;
    for (int i = 0; i < n; i++) pattern[i * n + i] = true;
    for (int i = 0; i < n_slopes; i++) pattern[places[i]] = true;
    find_rows(f, n_rows, rows, pattern, out);
    complete(f, pattern);
    // the order, and behind each unknown the later ones that its elimination changes
    ct_elimination_order(n, pattern, out->order);
    for (int i = 0; i < n; i++) {
        out->first[i] = out->n_after;
        for (int j = i + 1; j < n; j++)
            if (pattern[out->order[i] * n + out->order[j]])
                out->after[out->n_after++] = out->order[j];
    }
    out->first[n] = out->n_after;
}
