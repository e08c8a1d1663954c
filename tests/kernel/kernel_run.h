// A simulation with its memory, for the tests of the kernel.
#ifndef KERNEL_RUN_H
#define KERNEL_RUN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel_models.h"

typedef struct run {
    ctk_sim sim;
    ctk_options options;
    double *doubles;
    int *ints;
} run;

// Explicit integrators, which come first: they need no derivatives of the forces.
#define RUN_EXPLICIT(enumerator, name, order, stages, past) +((stages) > 0)
enum { RUN_EXPLICIT_COUNT = CTK_INTEGRATORS(RUN_EXPLICIT) };

static inline void run_options(run *r, ctk_method method, ctk_integrator integrator) {
    ctk_options_init(&r->options);
    r->options.method = method;
    r->options.integrator = integrator;
}

// Exactly the memory asked for, so that the sanitizer sees any excess.
static inline ctk_status run_start(run *r, const ctk_model *model, const double *p, const double *q,
                                   const double *qd) {
    r->doubles = malloc(ctk_doubles(model) * sizeof *r->doubles);
    r->ints = malloc(ctk_ints(model) * sizeof *r->ints);
    return ctk_init(&r->sim, model, &r->options, p, NULL, 0, q, qd, r->doubles, r->ints);
}

static inline void run_stop(run *r) {
    free(r->doubles);
    free(r->ints);
}

static inline ctk_status run_steps(run *r, int steps, double h) {
    ctk_status status = CTK_OK;
    for (int i = 0; i < steps && status == CTK_OK; i++) status = ctk_step(&r->sim, h);
    return status;
}

#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (tolerance))) fail_msg("%s = %.17g, %s = %.17g", #a, a_, #b, b_);   \
    } while (0)

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        ctk_status s_ = (call);                                                                    \
        if (s_ != CTK_OK) fail_msg("%s: %s", #call, ctk_status_text(s_));                          \
    } while (0)

#endif
