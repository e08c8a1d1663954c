// What tests of runs with a closure share: a small mechanism, closures that are iterated
// throughout, results compared, generated programs run.
#ifndef CLOSURE_RUNS_H
#define CLOSURE_RUNS_H

#include "harness.h"

#include "closure/flow/flow.h"

static const char slider_crank[] =
    "cotree: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {l1: 0.3, l2: 0.5}\n"
    "bodies:\n"
    "  crank:  {mass: 0.2, inertia: 0.2*l1^2/12, com: [l1/2, 0, 0], points: {A: [l1, 0, 0]}}\n"
    "  rod:    {mass: 0.5, inertia: 0.5*l2^2/12, com: [l2/2, 0, 0], points: {B: [l2, 0, 0]}}\n"
    "  piston: {mass: 1, inertia: 1e-3}\n"
    "joints:\n"
    "  O:     {type: revolute, between: [ground, crank], axis: z}\n"
    "  A:     {type: revolute, between: [crank, rod], at: [A, [0, 0, 0]], axis: z}\n"
    "  B:     {type: revolute, between: [rod, piston], at: [B, [0, 0, 0]], axis: z}\n"
    "  slide: {type: prismatic, between: [ground, piston], axis: x}\n";

// Infinity where they do not have the same rows and columns.
static inline double largest_difference(const table *a, const table *b) {
    double worst = 0;
    if (a->n != b->n || a->columns != b->columns) return INFINITY;
    for (int i = 0; i < a->n * a->columns; i++) {
        double d = difference(a->value[i], b->value[i]);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

// Columns of the first by name, rows as they stand; infinity where a row or column is missing.
static inline double difference_by_name(const table *a, const table *b) {
    double worst = a->n == b->n ? 0 : INFINITY;
    for (int c = 0; c < a->columns; c++) {
        int other = table_column(b, a->names[c]);
        if (other < 0) return INFINITY;
        for (int r = 0; r < a->n && worst < INFINITY; r++) {
            double d = difference(table_at(a, r, c), table_at(b, r, other));
            if (!(d <= worst)) worst = d;
        }
    }
    return worst;
}

// A short run: in closed form with fixed steps, or all accelerations at once with variable ones.
static inline table run_closed(mech *k, bool closed) {
    run_settings w = {.method = closed ? "triangular" : "augmented",
                      .integrator = closed ? "rk4" : "cvode",
                      .time = 0.1,
                      .step = 5e-4,
                      .output_step = 0.01,
                      .rtol = closed ? 0 : 1e-11,
                      .atol = closed ? 0 : 1e-12};
    return run_mech(k, &w, NULL);
}

// The closure without a flow, for the method that the system was last told.
static inline void iterate_all(mech *k) {
    ct_closed *closed = ct_region_new(sizeof *closed);
    closed->fork = ct_fork_of(k->s->assembled);
    closed->at = closed->fork->at;
    assert_int_equal(ct_closure_new(k->ctx, closed->at, NULL, k->s->by_loops, &closed->closure),
                     CT_OK);
    ct_closed_show(k->ctx, closed);
    ct_region_close(&closed->region);
    ct_closed_free(k->s->closed);
    k->s->closed = closed;
}

// What the generated program writes.
static inline table run_generated(mech *k, const run_settings *w) {
    char *folder = temporary_folder();
    ct_run_options o = run_options(w, NULL);
    ct_generate_info info;
    assert_int_equal(ct_generate(k->ctx, k->s, "c", folder, &o, &info), CT_OK);
    char *command = ct_format("cd %s && cc -std=c99 -Wall -Wextra -Werror -pedantic -O1 -o program "
                              "*.c -lm && ./program > out.csv 2> log",
                              folder);
    assert_int_equal(system(command), 0);
    char *csv = ct_format("%s/out.csv", folder);
    table have = table_read(csv);
    ct_free(command);
    ct_free(csv);
    remove_folder(folder);
    return have;
}

// Steps of compiled code with other parameters, from its own initial state (q, qd NULL) or another;
// open: the largest residual.
static inline ctk_status steps_with(const ctk_model *m, const double *p, const double *q,
                                    const double *qd, int steps, double h, double *open) {
    ctk_sim sim;
    ctk_options options;
    ctk_options_init(&options);
    options.method = CTK_TRIANGULAR;
    double *doubles = ct_alloc(ctk_doubles(m), sizeof *doubles);
    int *ints = ct_alloc(ctk_ints(m), sizeof *ints);
    ctk_status status = ctk_init(&sim, m, &options, p, NULL, 0, q, qd, doubles, ints);
    for (int i = 0; i < steps && !status; i++) status = ctk_step(&sim, h);
    if (!status) status = ctk_refresh(&sim);
    *open = sim.max_residual;
    ct_free(doubles);
    ct_free(ints);
    return status;
}

#endif
