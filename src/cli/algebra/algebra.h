// What commands of the algebra share: compute without a formulated model, write, tell the time.
#ifndef ALGEBRA_H
#define ALGEBRA_H

#include "cli.h"

#include <stdio.h>

typedef struct algebra_task {
    ct_status (*compute)(session *s, const arguments *a, void **result);
    void (*write)(FILE *file, const arguments *a, const void *result); // to -o, or else to stdout
    void (*write_json)(const void *result);
    void (*summarise)(const arguments *a, const void *result); // to stderr
    void (*release)(void *result);
} algebra_task;

int algebra_run(const algebra_task *task, const arguments *a); // gives the exit code

// A branch of assemblies as a result: values of `t` and of the coordinates, whose names are
// `values`. The drive moves evenly, through its whole range in ten seconds.
void branch_row(const ct_branches_result *r, int branch, int sample, double *row); // [1 + n_values]
ct_status branches_find(session *s, const arguments *a, ct_branches_result **found);

#endif
