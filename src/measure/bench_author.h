// Shared by the files that write the code of measured approaches: a C function under construction.
#ifndef CT_BENCH_AUTHOR_H
#define CT_BENCH_AUTHOR_H

#include "measure/bench.h"

typedef struct ct_author {
    const ct_assembled *at;
    const ct_closure *closure;
    const ct_formulation *f;
    ct_bench_code *code;
    ct_writer *w;
    ct_numbers x; // at the initial state
    ct_text out;
    ct_target *targets;
    int n_targets, room_targets;
    ct_ex *gains; // [2 + m] symbols k[..]
} ct_author;

// A matrix under way, its entries in a[].
typedef struct ct_author_matrix {
    int n, count;
    int *index;
    double *value;
} ct_author_matrix;

#define CT_AUTHOR_STATE  "const double *restrict c, double t, const double *restrict q, "
#define CT_AUTHOR_RATES  "const double *restrict qd, "
#define CT_AUTHOR_INPUTS "const double *restrict u, "

void ct_author_target(ct_author *a, const char *array, int index, ct_ex root);
// The statements for the targets collected so far, in a block of their own.
ct_operations ct_author_statements(ct_author *a);
void ct_author_count(ct_operations *sum, ct_operations more);

ct_author_matrix ct_author_matrix_new(int n);
void ct_author_matrix_clear(ct_author_matrix *m);
// Entry (i, j), where it is not zero (and (j, i), the same one).
void ct_author_entry(ct_author *a, ct_author_matrix *m, int i, int j, ct_ex value, bool symmetric);

void ct_author_iterations(ct_author *a); // bench_iterate.c: positions by Newton's iteration
void ct_author_place(ct_author *a);      // bench_place.c: values from all coordinates
void ct_author_index1(ct_author *a);     // bench_index1.c: accelerations of all coordinates

#endif
