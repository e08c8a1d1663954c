// Adaptive integration of the constraint equations themselves with IDA (BDF, dense Newton), with index 1 or,
// stabilised, 2 (ida_equations.c). Every internal step is accepted by the kernel, which may solve other
// rows of redundant ones; the solver then starts anew, as it does at jumps of inputs.
#include "run/adaptive/ida_equations.h"
#include "run/sundials.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>

// Memory of the solver: vectors and matrices in the size of the equations, and bytes.
enum { VECTORS = 40, MATRICES = 3, RECORDS = 1 << 16 };
// Multipliers are as accurate as their index lets them be: their iteration ends at this times the
// tolerances, and their errors do not count.
static const double ALGEBRAIC = 1e2, SHORTEST = 1e-12; // seconds

struct ct_ida {
    ct_runner *r;
    ct_ida_equations equations;
    SUNContext sun;
    void *solver;
    N_Vector y, ydot, is_differential, error, weight;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    double **columns; // of the matrix
    ct_pace progress;
    double energy_unit, force_unit;
    bool failed; // the residual had no value
    ct_cleanup undo;
};

static int residual(sunrealtype t, N_Vector y, N_Vector ydot, N_Vector out, void *data) {
    ct_ida *c = data;
    c->failed = !ct_ida_residual(&c->equations, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot),
                                 N_VGetArrayPointer(out));
    return c->failed; // a shorter step may do
}

static int jacobian(sunrealtype t, sunrealtype f, N_Vector y, N_Vector ydot, N_Vector value,
                    SUNMatrix matrix, void *data, N_Vector a, N_Vector b, N_Vector d) {
    ct_ida *c = data;
    (void)value, (void)a, (void)b, (void)d;
    for (int i = 0; i < c->equations.size; i++) c->columns[i] = SUNDenseMatrix_Column(matrix, i);
    c->failed = !ct_ida_jacobian(&c->equations, t, f, N_VGetArrayPointer(y),
                                 N_VGetArrayPointer(ydot), c->columns);
    return c->failed;
}

// Weights of errors: of the kernel's state; of multipliers by the forces of all masses.
static int weights(N_Vector y, N_Vector weight, void *data) {
    const ct_ida *c = data;
    const ct_ida_equations *e = &c->equations;
    const ct_plan *plan = &c->r->plan;
    const double *value = N_VGetArrayPointer(y);
    double *w = N_VGetArrayPointer(weight);
    ct_state_weights(c->r, c->energy_unit, value, w);
    // with index 2 they follow from differences of rates and positions in a step, before the first one from
    // nothing
    double h = 0;
    if (c->solver) IDAGetCurrentStep(c->solver, &h);
    const double step = e->index == 1    ? 1
                        : h > 0 && h < 1 ? h
                        : h > 0          ? 1
                                         : SHORTEST,
                 open = ALGEBRAIC / step;
    // the least accurate rate and position, in units
    double rate = 0, position = 0;
    for (int i = 0; i < e->work; i++) {
        const int k = ctk_state_coordinate(&c->r->sim, i);
        const double off = 1 / (w[i] * (k < 0 ? 1 : c->r->kept.units[k]));
        double *most = i < e->rates ? &position : &rate;
        *most = fmax(*most, off);
    }
    for (int i = e->lambda; i < e->mu; i++)
        w[i] = 1 / (ALGEBRAIC * plan->rtol * fabs(value[i]) + open * rate * c->force_unit);
    for (int i = e->mu; i < e->size; i++) w[i] = 1 / (open * position);
    return 0;
}

static void solver_end(void *data) {
    ct_ida *c = data;
    N_Vector vectors[] = {c->y, c->ydot, c->is_differential, c->error, c->weight};
    if (c->solver) IDAFree(&c->solver);
    if (c->linear) SUNLinSolFree(c->linear);
    if (c->matrix) SUNMatDestroy(c->matrix);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (vectors[i]) N_VDestroy(vectors[i]);
    if (c->sun) SUNContext_Free(&c->sun);
}

static N_Vector vector_new(const ct_ida *c) {
    N_Vector v = N_VNew_Serial(c->equations.size, c->sun);
    if (!v) ct_run_out();
    return v;
}

// Consistent values of the kernel's current state.
static ct_status fetch(ct_ida *c) {
    ctk_status status = ct_ida_equations_start(&c->equations, N_VGetArrayPointer(c->y),
                                               N_VGetArrayPointer(c->ydot));
    return status ? ct_runner_fail(c->r, status) : CT_OK;
}

static ct_status solver_start(ct_ida *c) {
    ct_runner *r = c->r;
    const ct_ida_equations *e = &c->equations;
    const size_t n = (size_t)e->size;
    // vectors and matrices of the solver, and its own records: N_VClone crashes without memory
    ct_want(n * (VECTORS + MATRICES * n) * sizeof(double) + RECORDS);
    if (!ct_sundials_start(&c->sun)) return ct_fail(r->ctx, CT_INTERNAL, "ida: cannot start");
    N_Vector *const vectors[] = {&c->y, &c->ydot, &c->is_differential, &c->error, &c->weight};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = vector_new(c);
    for (int i = 0; i < e->size; i++)
        N_VGetArrayPointer(c->is_differential)[i] = i < e->lambda ? 1 : 0;
    ct_status status = fetch(c);
    if (status) return status;
    c->solver = IDACreate(c->sun);
    c->matrix = SUNDenseMatrix(e->size, e->size, c->sun);
    if (!c->solver || !c->matrix) ct_run_out();
    c->linear = SUNLinSol_Dense(c->y, c->matrix, c->sun);
    if (!c->linear || !ct_sundials_silence_ida(c->solver) ||
        IDAInit(c->solver, residual, r->sim.t, c->y, c->ydot) || IDASetUserData(c->solver, c) ||
        IDAWFtolerances(c->solver, weights) || IDASetId(c->solver, c->is_differential) ||
        IDASetSuppressAlg(c->solver, 1) || IDASetLinearSolver(c->solver, c->linear, c->matrix) ||
        IDASetJacFn(c->solver, jacobian) || IDASetMaxNumSteps(c->solver, 1000000))
        return ct_fail(r->ctx, CT_INTERNAL, "ida: cannot set up the solver");
    return CT_OK;
}

ct_status ct_ida_open(ct_runner *r, ct_ida **result) {
    ct_ida *c = ct_alloc(1, sizeof *c);
    c->r = r;
    c->progress.since = r->sim.t;
    c->energy_unit = ct_energy_unit(r);
    c->force_unit = c->energy_unit / r->kept.length;
    ct_ida_equations_init(&c->equations, r);
    c->columns = ct_alloc((size_t)c->equations.size + 1, sizeof *c->columns);
    *result = c;
    ct_cleanup_push(&c->undo, solver_end, c);
    return solver_start(c);
}

void ct_ida_close(ct_ida *c) {
    if (!c) return;
    ct_cleanup_pop(&c->undo);
    solver_end(c);
    ct_ida_equations_clear(&c->equations);
    ct_free(c->columns);
    ct_free(c);
}

// Index of the state with the largest estimated error of the last step, relative to its weight.
static int largest_error(ct_ida *c, double *error) {
    const double *e = N_VGetArrayPointer(c->error), *w = N_VGetArrayPointer(c->weight);
    int worst = 0;
    if (IDAGetEstLocalErrors(c->solver, c->error) || IDAGetErrWeights(c->solver, c->weight))
        return *error = 0, -1;
    for (int i = 1; i < c->equations.lambda; i++)
        if (fabs(e[i] * w[i]) > fabs(e[worst] * w[worst])) worst = i;
    *error = fabs(e[worst] * w[worst]) * c->r->plan.rtol;
    return worst;
}

static const char *coordinate_of(const ct_ida *c, int i) {
    i = ctk_state_coordinate(&c->r->sim, i);
    return i >= 0 ? c->r->code.model->coordinate_names[i] : NULL;
}

// The coordinate that the solver has most trouble with.
static const char *hardest(void *solver) {
    ct_ida *c = solver;
    double error;
    const char *name = coordinate_of(c, largest_error(c, &error));
    return name ? name : "the work of forces";
}

static ct_status failed(ct_ida *c, int flag) {
    ct_status known = ct_runner_blame(c->r, false);
    if (known) return known;
    char *name = IDAGetReturnFlagName(flag);
    ct_status status = ct_fail(
        c->r->ctx, CT_NUMERICS,
        "at t = %.9g ida stopped because of '%s' (%s): the motion may be discontinuous or singular "
        "there; try --integrator cvode",
        c->r->sim.t, hardest(c), name);
    free(name);
    return status;
}

static ct_status start_anew(void *solver) {
    ct_ida *c = solver;
    ct_status status = fetch(c);
    if (!status && IDAReInit(c->solver, c->r->sim.t, c->y, c->ydot))
        status = ct_fail(c->r->ctx, CT_INTERNAL, "ida: cannot start anew");
    return status;
}

// One step of the solver, accepted by the kernel.
static ct_status step(void *solver, double t_end) {
    ct_ida *c = solver;
    ct_runner *r = c->r;
    sunrealtype t = r->sim.t;
    double error;
    int reselected = 0, rows = r->sim.row_changes;
    ct_runner_look_for_code(r);
    IDASetStopTime(c->solver, t_end);
    int flag = IDASolve(c->solver, t_end, &t, c->y, c->ydot, IDA_ONE_STEP);
    if (flag < 0) return failed(c, flag);
    int worst = largest_error(c, &error);
    if (error > r->error) {
        r->error = error;
        r->error_of = coordinate_of(c, worst);
    }
    if (flag == IDA_TSTOP_RETURN) t = t_end;
    ctk_status status = ctk_state_accept(&r->sim, t, N_VGetArrayPointer(c->y), &reselected);
    if (status) return ct_runner_fail(r, status);
    r->steps++;
    return reselected || r->sim.row_changes != rows ? start_anew(c) : CT_OK;
}

ct_status ct_ida_advance(ct_ida *c, double t_end) {
    return ct_adaptive_advance(c->r, t_end,
                               &(ct_adaptive){c, step, start_anew, hardest, &c->progress});
}
