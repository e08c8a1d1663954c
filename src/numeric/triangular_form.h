// Block triangular form: which equations must be solved together, and in which order.
#ifndef CT_TRIANGULAR_FORM_H
#define CT_TRIANGULAR_FORM_H

#include <stdbool.h>

// Groups of rows and columns of a square pattern; group g is row[first[g]] .. row[first[g + 1] - 1]
// with as many columns, and needs columns of earlier groups and its own only.
typedef struct ct_groups {
    int n, *first, *row, *column;
} ct_groups;
// pattern [size size] row by row. Returns false if no complete matching exists: then all rows and
// columns are one group.
bool ct_groups_find(ct_groups *g, int size, const bool *pattern);

#endif
