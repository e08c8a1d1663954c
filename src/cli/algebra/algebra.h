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

#endif
