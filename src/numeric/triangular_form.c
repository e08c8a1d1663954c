// Block triangular form by SuiteSparse BTF (a maximum matching, then strong components), in
// reverse: the first group stands alone.
#include "numeric/triangular_form.h"

#include "util/util.h"

#include <btf.h>

#include <stdlib.h>

bool ct_groups_find(ct_groups *g, int size, const bool *pattern) {
    size_t n = (size_t)size;
    int *start = ct_scratch(n + 1, sizeof *start), *entry = ct_scratch(n * n + 1, sizeof *entry),
        *p = ct_scratch(n + 1, sizeof *p), *q = ct_scratch(n + 1, sizeof *q),
        *bound = ct_scratch(n + 1, sizeof *bound), *work = ct_scratch(5 * n + 1, sizeof *work);
    // pattern by columns
    for (int j = 0; j < size; j++) { // compressed columns
        start[j + 1] = start[j];
        for (int i = 0; i < size; i++)
            if (pattern[i * size + j]) entry[start[j + 1]++] = i;
    }
    // row order p, column order q and bounds of the diagonal blocks
    double effort;
    int matched = 0,
        groups = size ? btf_order(size, start, entry, 0, &effort, p, q, bound, &matched, work) : 0;
    *g = (ct_groups){.first = ct_scratch(n + 2, sizeof *g->first),
                     .row = ct_scratch(n + 1, sizeof *g->row),
                     .column = ct_scratch(n + 1, sizeof *g->column)};
    // without a complete matching: one group of all
    bool complete = matched == size;
    if (!complete && size) {
        groups = 1;
        bound[0] = 0;
        bound[1] = size;
        for (int i = 0; i < size; i++) p[i] = q[i] = i;
    }
    // BTF's form is upper triangular: the last group stands alone
    g->n = groups;
    for (int b = groups - 1, done = 0, k = 0; b >= 0; b--, k++) {
        for (int i = bound[b]; i < bound[b + 1]; i++) {
            g->row[done] = p[i];
            g->column[done++] = BTF_UNFLIP(q[i]);
        }
        g->first[k + 1] = done;
    }
    return complete;
}
