// Adaptive integration of the kernel's state with CVODE (BDF, dense Newton). Every internal step is
// accepted by the kernel, which may select other independent coordinates; the solver then starts
// anew. It does so, too, where a limit position is crossed.
#include "run/run.h"
#include "run/sundials.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Memory of the solver: vectors and matrices in the size of the state, and bytes.
enum { VECTORS = 40, MATRICES = 3, RECORDS = 1 << 16 };

struct ct_cvode {
    ct_runner *r;
    SUNContext sun;
    void *solver;
    N_Vector y, error, weight; // estimated errors of the last step, and their weights
    SUNMatrix matrix;
    SUNLinearSolver linear;
    ctk_status last; // why the right side failed
    ct_pace progress;
    double energy_unit; // that errors of the work compare to
    ct_cleanup undo;
};

static int right_side(sunrealtype t, N_Vector y, N_Vector ydot, void *data) {
    ct_cvode *c = data;
    ctk_status status =
        ctk_state_derivative(&c->r->sim, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
    if (status) c->last = status;
    return status ? 1 : 0; // a shorter step may do
}

static void solver_end(void *data) {
    ct_cvode *c = data;
    if (c->solver) CVodeFree(&c->solver);
    if (c->linear) SUNLinSolFree(c->linear);
    if (c->matrix) SUNMatDestroy(c->matrix);
    if (c->y) N_VDestroy(c->y);
    if (c->error) N_VDestroy(c->error);
    if (c->weight) N_VDestroy(c->weight);
    if (c->sun) SUNContext_Free(&c->sun);
}

// Weights of errors, 1 / (rtol |y| + atol unit).
static int weights(N_Vector y, N_Vector weight, void *data) {
    const ct_cvode *c = data;
    ct_state_weights(c->r, c->energy_unit, N_VGetArrayPointer(y), N_VGetArrayPointer(weight));
    return 0;
}

// The solver for a state of the size that the kernel has now.
static ct_status solver_start(ct_cvode *c) {
    ct_runner *r = c->r;
    sunindextype n = (sunindextype)r->sim.state_size;
    // vectors and matrices of the solver, and its own records: N_VClone crashes without memory
    ct_want(((size_t)n * (VECTORS + MATRICES * (size_t)n)) * sizeof(double) + RECORDS);
    if (!ct_sundials_start(&c->sun)) return ct_fail(r->ctx, CT_INTERNAL, "cvode: cannot start");
    c->y = N_VNew_Serial(n, c->sun);
    c->error = N_VNew_Serial(n, c->sun);
    c->weight = N_VNew_Serial(n, c->sun);
    if (!c->y || !c->error || !c->weight) ct_run_out();
    ctk_state_get(&r->sim, N_VGetArrayPointer(c->y));
    c->solver = CVodeCreate(r->plan.rtol <= CT_RUN_ADAMS ? CV_ADAMS : CV_BDF, c->sun);
    c->matrix = SUNDenseMatrix(n, n, c->sun);
    if (!c->solver || !c->matrix) ct_run_out();
    c->linear = SUNLinSol_Dense(c->y, c->matrix, c->sun);
    if (!c->linear || !ct_sundials_silence(c->solver) ||
        CVodeInit(c->solver, right_side, r->sim.t, c->y) || CVodeSetUserData(c->solver, c) ||
        CVodeWFtolerances(c->solver, weights) ||
        CVodeSetLinearSolver(c->solver, c->linear, c->matrix) ||
        CVodeSetMaxNumSteps(c->solver, 1000000))
        return ct_fail(r->ctx, CT_INTERNAL, "cvode: cannot set up the solver");
    return CT_OK;
}

ct_status ct_cvode_open(ct_runner *r, ct_cvode **result) {
    ct_cvode *c = ct_alloc(1, sizeof *c);
    c->r = r;
    c->progress.since = r->sim.t;
    c->energy_unit = ct_energy_unit(r);
    *result = c;
    ct_cleanup_push(&c->undo, solver_end, c);
    return solver_start(c);
}

void ct_cvode_close(ct_cvode *c) {
    if (!c) return;
    ct_cleanup_pop(&c->undo);
    solver_end(c);
    ct_free(c);
}

// True if the solver failed because the right side did.
static bool by_right_side(const ct_cvode *c, int flag) {
    return c->last &&
           (flag == CV_REPTD_RHSFUNC_ERR || flag == CV_FIRST_RHSFUNC_ERR ||
            flag == CV_UNREC_RHSFUNC_ERR || flag == CV_CONV_FAILURE || flag == CV_RHSFUNC_FAIL);
}

// Index of the state with the largest estimated error of the last step, relative to its weight.
static int largest_error(ct_cvode *c, double *error) {
    const double *e = N_VGetArrayPointer(c->error), *w = N_VGetArrayPointer(c->weight);
    int worst = 0;
    if (CVodeGetEstLocalErrors(c->solver, c->error) || CVodeGetErrWeights(c->solver, c->weight))
        return *error = 0, -1;
    for (int i = 1; i < (int)c->r->sim.state_size; i++)
        if (fabs(e[i] * w[i]) > fabs(e[worst] * w[worst])) worst = i;
    *error = fabs(e[worst] * w[worst]) * c->r->plan.rtol;
    return worst;
}

// The coordinate that the solver has most trouble with.
static const char *hardest(void *solver) {
    ct_cvode *c = solver;
    double error;
    int i = ctk_state_coordinate(&c->r->sim, largest_error(c, &error));
    return i >= 0 ? c->r->code.model->coordinate_names[i] : "the work of forces";
}

static ct_status failed(ct_cvode *c, int flag) {
    if (by_right_side(c, flag)) {
        ctk_sim *sim = &c->r->sim;
        return ct_runner_fail(c->r,
                              sim->crossing_limit ? ctk_cross_limit_blame(sim, c->last) : c->last);
    }
    char *name = CVodeGetReturnFlagName(flag);
    ct_status status = ct_fail(
        c->r->ctx, CT_NUMERICS,
        "at t = %.9g cvode stopped because of '%s' (%s): the motion may be discontinuous or "
        "singular there",
        c->r->sim.t, hardest(c), name);
    free(name);
    return status;
}

// From the state of the kernel, which may have another size with another method.
static ct_status start_anew(void *solver) {
    ct_cvode *c = solver;
    if ((sunindextype)c->r->sim.state_size != N_VGetLength(c->y)) {
        solver_end(c);
        c->solver = NULL;
        c->linear = NULL;
        c->matrix = NULL;
        c->y = c->error = c->weight = NULL;
        c->sun = NULL;
        return solver_start(c);
    }
    ctk_state_get(&c->r->sim, N_VGetArrayPointer(c->y));
    if (CVodeReInit(c->solver, c->r->sim.t, c->y))
        return ct_fail(c->r->ctx, CT_INTERNAL, "cvode: cannot start anew");
    return CT_OK;
}

// Crosses a limit position at which the right side fails for every step length, so that no step is
// ever accepted: goes on by partition from the last accepted state. Returns false if that fails.
static bool cross_limit(ct_runner *r) {
    int where = r->sim.where;
    if (!r->plan.kernel.cross_limits || !ct_plan_closes(&r->plan)) return false;
    if (!r->code.model->dynamics && !ct_runner_complete(r, CTK_NO_SOLUTION)) return false;
    r->sim.where = where;
    if (!r->sim.crossing_limit && ctk_cross_limit(&r->sim)) {
        r->sim.where = where;
        return false;
    }
    ct_runner_pass_limit(r);
    return true;
}

// The step of the closure that has come close to its limit, or -1. Steps at small tolerances shrink on
// the way there, so that the kernel sees the limit as many of them ahead as before, while their errors
// count more and more; at larger tolerances the kernel foresees it in time.
static int close_to_limit(const ct_runner *r) {
    const ctk_sim *sim = &r->sim;
    const ctk_space *s = &sim->space;
    if (r->plan.rtol > CT_RUN_ADAMS || !r->plan.kernel.cross_limits || !s->has_past) return -1;
    if (sim->options.method != CTK_TRIANGULAR || sim->crossing_limit) return -1;
    const ctk_closure *k = sim->model->closure;
    for (int i = 0; i < k->n_guards && k->n_independent; i++)
        if (s->base_g[i] < s->past_g[i] && s->base_g[i] < CT_RUN_CLOSE * sim->guard_scale[i])
            return k->guard_step[i];
    return -1;
}

static void note_error(ct_cvode *c) {
    ct_runner *r = c->r;
    double error;
    int i = largest_error(c, &error);
    if (!(error > r->error)) return;
    r->error = error;
    i = ctk_state_coordinate(&r->sim, i);
    r->error_of = i >= 0 ? r->code.model->coordinate_names[i] : NULL;
}

// Goes back in the last step to the first state in which a condition of joints that come and go has
// changed, by bisection of the solver's interpolation. Returns false if none has.
static bool find_event(ct_cvode *c, double *t) {
    enum { ROUNDS = 60 };
    ct_runner *r = c->r;
    double *y = N_VGetArrayPointer(c->y), low = r->sim.t, high = *t;
    if (!r->events.watches || !ctk_event_is_due_at(&r->sim, *t, y)) return false;
    for (int i = 0; i < ROUNDS && !r->events.by_steps; i++) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high)) break;
        if (CVodeGetDky(c->solver, middle, 0, c->y)) break;
        *(ctk_event_is_due_at(&r->sim, middle, y) ? &high : &low) = middle;
    }
    if (high < *t) CVodeGetDky(c->solver, high, 0, c->y);
    *t = high;
    return true;
}

// One step of the solver, accepted by the kernel.
static ct_status step(void *solver, double t_end) {
    ct_cvode *c = solver;
    ct_runner *r = c->r;
    sunrealtype t = r->sim.t;
    int reselected = 0;
    ct_runner_look_for_code(r);
    if (ct_runner_complete_loose(r)) return start_anew(c);
    c->last = CTK_OK;
    CVodeSetStopTime(c->solver, t_end);
    int flag = CVode(c->solver, t_end, c->y, &t, CV_ONE_STEP);
    // a failure: at a limit position partition goes on
    if (flag < 0) {
        bool limit = by_right_side(c, flag) && c->last == CTK_NO_SOLUTION;
        if (limit && cross_limit(r)) return start_anew(c);
        return failed(c, flag);
    }
    note_error(c);
    // the kernel accepts the state, or goes on with code for all methods
    if (flag == CV_TSTOP_RETURN) t = t_end;
    const bool event = find_event(c, &t);
    ctk_status status = ctk_state_accept(&r->sim, t, N_VGetArrayPointer(c->y), &reselected);
    if (status && ct_runner_complete(r, status)) return start_anew(c);
    if (status) {
        ct_runner_tell(r, NULL);
        return ct_runner_fail(r, status);
    }
    bool changed = ct_runner_pass_limit(r);
    const int close = changed || reselected ? -1 : close_to_limit(r);
    if (close >= 0) {
        r->sim.where = close;
        changed = cross_limit(r);
    }
    r->steps++;
    ct_status passed = event ? ct_events_pass(r, 0) : CT_OK;
    if (passed) return passed;
    return reselected || changed || event ? start_anew(c) : CT_OK;
}

ct_status ct_cvode_advance(ct_cvode *c, double t_end) {
    return ct_adaptive_advance(c->r, t_end,
                               &(ct_adaptive){c, step, start_anew, hardest, &c->progress});
}
