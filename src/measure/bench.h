// Measuring the solution approaches on one model side by side: what the files of the measurement
// share. The closure is measured as it is emitted for any other purpose; here is the code for the
// methods it is compared with, built as well as they can be: the same shared expressions, and
// linear systems solved by straight-line elimination that knows the zeros.
#ifndef CT_BENCH_H
#define CT_BENCH_H

#include "run/run.h"

#include "closure/closure.h"

// elimination ------------------------------------------------------------------------------------
typedef struct ct_elimination {
    int entries;    // of a[], new ones included
    ct_text factor; // statements on a[], with a double `l` to work with
    ct_text solve;  // from b[] (used up) to x[]
    ct_operations factor_operations, solve_operations;
} ct_elimination;
// index: n x n, where each entry of the matrix stands in a[0 .. entries - 1], -1 for zeros; value:
// its numbers where pivots are chosen. symmetric: entries (i, j) and (j, i) are the same one.
// Returns false if the matrix is singular there.
bool ct_eliminate(int n, int entries, const int *index, const double *value, bool symmetric,
                  ct_elimination *out);
void ct_elimination_clear(ct_elimination *e);

// code -------------------------------------------------------------------------------------------
// Dependent coordinates by Newton's iteration from those in q; ends after a correction below the
// tolerance. Returns the number of corrections, or 0 if it does not converge.
typedef int ct_bench_iteration(const double *c, double t, double *q, const double *u,
                               double tolerance);
// Phi and Phi_d, dense
typedef void ct_bench_rows(const double *c, double t, const double *q, const double *u, double *phi,
                           double *phi_d);
// values that the equations of motion need, from all coordinates
typedef void ct_bench_place(const double *c, double t, const double *q, const double *u, double *v,
                            double *w);
// k: feedback of rate and position, then the penalty factor of each row
typedef void ct_bench_accelerations(const double *c, double t, const double *q, const double *qd,
                                    const double *u, const double *k, double *qdd);

enum { CT_BENCH_PENALTY_ROUNDS = 1 }; // multiplier updates in each evaluation, as published

typedef enum ct_bench_index1 { // methods on all coordinates
    CT_BENCH_AUGMENTED,
    CT_BENCH_BAUMGARTE,
    CT_BENCH_PENALTY,
    CT_BENCH_INDEX1
} ct_bench_index1;

typedef struct ct_bench_code {
    char *source; // functions to append to an emitted model
    int n_constants;
    bool can_newton, can_loops, can_index1[CT_BENCH_INDEX1]; // false: singular at the start
    // operations of iterations that end after one correction, and of one correction more
    ct_operations newton_once, newton_more, loops_once, loops_more;
    ct_operations rows_operations, place_operations, index1_operations[CT_BENCH_INDEX1];
    // after loading
    void (*constants)(const double *p, double *c);
    ct_bench_iteration *newton, *loops;
    ct_bench_rows *rows;
    ct_bench_place *place;
    ct_bench_accelerations *index1[CT_BENCH_INDEX1];
} ct_bench_code;
void ct_bench_code_write(const ct_assembled *at, const ct_closure *c, ct_bench_code *code);
bool ct_bench_code_find(ct_bench_code *code, void *handle);
void ct_bench_code_clear(ct_bench_code *code);

// runs -------------------------------------------------------------------------------------------
typedef enum ct_bench_kind {
    CT_BENCH_CLOSED,       // positions in closed form, one equation of motion per freedom
    CT_BENCH_LOOPS,        // positions by an iteration for each loop, the same equations of motion
    CT_BENCH_NEWTON,       // by one for all
    CT_BENCH_NEWTON_DENSE, // the same with an elimination that knows no zeros
    CT_BENCH_ALL,          // all coordinates are integrated: index1
    CT_BENCH_KERNEL,       // as `simulate` runs the method of the kernel
    CT_BENCH_NATURAL       // the same in natural coordinates, with the trapezoidal rule
} ct_bench_kind;

typedef struct ct_bench_plan { // an approach
    const char *name;
    ct_bench_kind kind;
    double tolerance; // of the iterations: largest correction after which they end
    int method;       // ct_bench_index1 or ctk_method
} ct_bench_plan;

// Runs are timed in parts: what disturbs the machine for a moment spoils one of them only.
enum { CT_BENCH_PARTS = 20 };

// The mechanism in natural coordinates, with memory of its own.
typedef struct ct_bench_natural {
    ct_loaded loaded;
    double *doubles;
    int *ints;
} ct_bench_natural;

typedef struct ct_bench_run {
    ct_system *s;
    const ct_closure *closure;
    const ctk_model *model;
    ct_loaded loaded;
    ct_bench_natural natural; // without a model: there is none
    ct_bench_code code;
    ctk_options options; // feedback and penalty
    double *c, *bench_c; // constants
    double *k;           // gains of the method under way
    double *inputs;      // values, rates, accelerations: at the start, or where inputs follow
                         // something at the time of each step, [steps + 1]
    const double *u;     // those of the step under way
    double *at;          // between steps
    double h;
    long steps;
    double *path; // [steps + 1][r] independent coordinates along the motion
    // state of a run
    double *q, *qd, *qdd, *before, *older, *v, *w, *w_before, *w_older, *b, *g, *qi, *qdi, *qddi,
        *x, *dense;
    double *doubles;
    int *ints;
    ctk_sim sim;
    long iterations;                  // of the last run
    double marks[CT_BENCH_PARTS + 1]; // clock: at its start and after each part of it
    const char *why;                  // it failed
    double when;
} ct_bench_run;
// s, closure, h and steps must be there; the rest follows. Where there is no compiler the model is
// interpreted, and approaches with code of their own are left out.
ct_status ct_bench_prepare(ct_context *ctx, ct_bench_run *r);
void ct_bench_release(ct_bench_run *r);
// bench_natural.c
void ct_bench_natural_prepare(ct_bench_run *r);
void ct_bench_natural_release(ct_bench_natural *natural);
// Carries out a run. along: the independent coordinates follow the path (only positions are
// found); record: they are written to it; residual (or NULL): largest |Phi|. Returns
// false on failure, with its reason in r->why.
bool ct_bench_carry_out(ct_bench_run *r, const ct_bench_plan *plan, bool along, bool record,
                        double *residual);

// figures ----------------------------------------------------------------------------------------
// Published ratios of an approach to the triangular one, NaN where there are none, for the model of
// this file name; returns who published something about the model, or NULL.
const char *ct_published_ratios(const char *model, const char *approach, double *kinematic,
                                double *dynamic);
// Feedback that was published with them.
void ct_published_gains(const char *model, ctk_options *options);

#endif
