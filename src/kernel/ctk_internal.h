// Shared by the files of the kernel only.
#ifndef CTK_INTERNAL_H
#define CTK_INTERNAL_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "ctk.h"
#include "ctk_small.h"

// Returns 1 if the integrator uses derivatives of earlier steps.
static inline int ctk_is_multistep(ctk_integrator i) {
#define X(enumerator, name, order, stages, past) (past && i == CTK_##enumerator) ||
    return CTK_INTEGRATORS(X) 0;
#undef X
}

// Returns 1 if the integrator finds the end of a step by an iteration.
static inline int ctk_is_implicit(ctk_integrator i) {
#define X(enumerator, name, order, stages, past) (!(stages) && i == CTK_##enumerator) ||
    return CTK_INTEGRATORS(X) 0;
#undef X
}

#define CTK_TINY_PIVOT 1e-9 // of the scaled Phi_d: below this the closure has lost its rank

// ctk_linear.c
int ctk_lu_factor(int n, double *restrict a, int *restrict pivot, double tiny, ctk_rank *rank);
void ctk_lu_solve(int n, const double *restrict a, const int *restrict pivot, int columns,
                  double *restrict x);
int ctk_ldl_factor(int n, double *restrict a);
void ctk_ldl_solve(int n, const double *restrict a, double *restrict x);
double ctk_lu_smallest(int n, const double *restrict a, const int *restrict pivot,
                       double *restrict v, double *restrict w);
ctk_rank ctk_pivot_columns(int m, int n, int count, double *restrict a, int *restrict columns,
                           int *restrict rows);

double ctk_dot(int n, const double *a, const double *b);
double ctk_singular_values(int m, int n, double *restrict a, double *restrict v,
                           double *restrict s);
void ctk_solve_along(int m, int n, const double *restrict a, const double *restrict v,
                     const double *restrict s, const double *restrict b, double least,
                     double *restrict x);

// ctk_rows.c
void ctk_position(ctk_sim *sim, double t, const double *q, const double *u);
void ctk_velocity(ctk_sim *sim, double t, const double *q, const double *u);
void ctk_acceleration(ctk_sim *sim, double t, const double *q, const double *qd, const double *u);
void ctk_dynamics(ctk_sim *sim, double t, const double *q, const double *qd, const double *u);
void ctk_rows_complete(ctk_sim *sim, double t, const double *q, const double *qd, const double *u);
void ctk_rows_reset(ctk_sim *sim);
int ctk_rows_use(ctk_sim *sim, const int *places);
double ctk_row_size(const ctk_sim *sim, int place);
ctk_rank ctk_rows_best(ctk_sim *sim, int count, const int *columns);
void ctk_opening(ctk_sim *sim, double t, const double *q, const double *qd, const double *u);
ctk_status ctk_rows_watch(ctk_sim *sim);

// ctk_closure.c
ctk_status ctk_closure_factor(ctk_sim *sim);
ctk_status ctk_closure_correct(ctk_sim *sim, double t, const double *u, double *q, double motion);
ctk_status ctk_closure_assemble(ctk_sim *sim, double t, double *q);
void ctk_closure_solve(ctk_sim *sim, double sign, const double *right, double *x);
void ctk_closure_tangent(ctk_sim *sim, double *tangent);
void ctk_closure_regularity(ctk_sim *sim);
void ctk_closure_renew_regularity(ctk_sim *sim);
void ctk_closure_commit(ctk_sim *sim);
void ctk_closure_restart(ctk_sim *sim);
void ctk_closure_velocity(ctk_sim *sim, double t, const double *u, const double *q, double *qd);

// ctk_branch.c
ctk_status ctk_close_on_branch(ctk_sim *sim, double t, double *q);

// ctk_partition.c
ctk_status ctk_partition_choose(ctk_sim *sim);
int ctk_partition_given(ctk_sim *sim, const int *independent);
int ctk_partition_update(ctk_sim *sim);
int ctk_partition_retry(ctk_sim *sim);

// ctk_events.c
void ctk_switching_start(ctk_sim *sim);

// ctk_kinks.c
ctk_status ctk_kinks_step(ctk_sim *sim, double h);

// ctk_integrate.c
ctk_status ctk_smooth_step(ctk_sim *sim, double h);

// ctk_dynamics.c
ctk_status ctk_augmented_solve(ctk_sim *sim, double t, const double *top, const double *bottom);
ctk_status ctk_accelerations(ctk_sim *sim, double t);

// ctk_inputs.c
void ctk_inputs_set(ctk_sim *sim, double t);
int ctk_same_inputs(const ctk_sim *sim);
int ctk_inputs_jump(const ctk_sim *sim);
void ctk_inputs_begin(ctk_sim *sim);
void ctk_inputs_end(ctk_sim *sim, ctk_status status);
void ctk_inputs_keep(ctk_sim *sim);

// ctk_state.c
const int *ctk_rate_coordinates(const ctk_sim *sim);
ctk_status ctk_check_finite(ctk_sim *sim, const double *x);
ctk_status ctk_take(ctk_sim *sim, double t, const double *y, double ahead, int *reselected);
void ctk_commit(ctk_sim *sim, double t);
void ctk_current_rate(const ctk_sim *sim, double *ydot);

// ctk_rotations.c
void ctk_closed_parameter_rates(const ctk_sim *sim, const double *y, double *ydot);
void ctk_closed_normalise(const ctk_sim *sim, double *y, double *ydot);
void ctk_normalise(const ctk_model *model, double *q);
void ctk_move(const ctk_model *model, double share, const double *d, double *q);
void ctk_difference(const ctk_model *model, const double *from, const double *to, double *d);
int ctk_is_integrated(const ctk_sim *sim, int k);
int ctk_independent_angle(const ctk_model *model, int k, int *rotation);
void ctk_closed_state(ctk_sim *sim, double *y, double *rate);
const int *ctk_closed_choice(const ctk_model *model);
void ctk_move_dependent(const ctk_sim *sim, const double *change, double *q);
void ctk_follow_angles(ctk_sim *sim);
int ctk_angles_can_wait(const ctk_sim *sim);
int ctk_follows(const ctk_model *model);
void ctk_keep_angles(ctk_sim *sim);

// ctk_sim.c
ctk_status ctk_start(ctk_sim *sim, double t);

// ctk_initial.c
size_t ctk_initial_doubles(const ctk_model *model);
size_t ctk_initial_ints(const ctk_model *model);
ctk_status ctk_initial_state(ctk_sim *sim);

// ctk_integrate.c
ctk_status ctk_renew(ctk_sim *sim);
ctk_status ctk_attempt(ctk_sim *sim, double h, double ahead);

// ctk_error.c
void ctk_note_error(ctk_sim *sim, double h);

// ctk_substep.c
ctk_status ctk_substep(ctk_sim *sim, double h, ctk_status status);

// ctk_cross_limit.c
void ctk_save_state(ctk_sim *sim);
int ctk_may_cross_limit(const ctk_sim *sim, ctk_status status);
int ctk_must_stop(const ctk_sim *sim, ctk_status status);
int ctk_leave_loose(ctk_sim *sim);
ctk_status ctk_cross_limit_at_start(ctk_sim *sim, ctk_status status);
int ctk_cross_limit_finish(ctk_sim *sim, double ahead);
int ctk_limit_here(ctk_sim *sim);

// ctk_closed.c
int ctk_measures(const ctk_sim *sim);
int ctk_is_near(const ctk_sim *sim, int i, double g);
ctk_status ctk_closed_finite(ctk_sim *sim, const double *y, const double *ydot);
ctk_status ctk_closed_derivative(ctk_sim *sim, double t, const double *y, double *ydot);
// How many steps before a limit position a closure is left, for steps of fixed and of adapted
// length; CROSSING: where another method can go on. The error of a step of fourth order grows with
// the fourth power of the inverse: a four-bar loses 5e-4 of its energy at 1, 1e-9 at 40.
static const double CTK_FIXED_AHEAD = 40, CTK_FIXED_CROSSING = 100;
static const double CTK_ADAPTIVE_AHEAD = 2, CTK_ADAPTIVE_CROSSING = 20;
ctk_status ctk_closed_take(ctk_sim *sim, double t, const double *y, double ahead);
ctk_status ctk_closed_start(ctk_sim *sim, double t);

// ctk_closed_positions.c
ctk_status ctk_closed_positions(ctk_sim *sim, double t, const double *qi);

// ctk_kinematics.c
ctk_status ctk_driven_regular(ctk_sim *sim, double t);

// ctk_driven.c
ctk_status ctk_driven_smooth(ctk_sim *sim, double t);
ctk_status ctk_driven_step(ctk_sim *sim, double t);
ctk_status ctk_driven_pieces(ctk_sim *sim, double t, ctk_status status);
ctk_status ctk_driven_hold(ctk_sim *sim, double t, ctk_status status);

// ctk_implicit.c
// Coefficients of a step of length h that ends at t: q' = Gc d + .., q'' = Bc d + ..
typedef struct ctk_step_rule {
    double h, t, gc, bc;
    double beta, gamma, alpha_m, alpha_f; // of generalized-alpha
} ctk_step_rule;
int ctk_implicit_valid(const ctk_options *options);
ctk_status ctk_implicit_step(ctk_sim *sim, double h);
void ctk_implicit_keep(const ctk_sim *sim);
void ctk_implicit_show(const ctk_sim *sim);
void ctk_implicit_state(ctk_sim *sim, const ctk_step_rule *rule);
void ctk_implicit_tangent(ctk_sim *sim, const ctk_step_rule *rule);
ctk_status ctk_implicit_factor(ctk_sim *sim, int n, const int *index, double *a);
void ctk_implicit_back(const ctk_sim *sim, int n, const double *a, double *x);

// ctk_newton.c
void ctk_newton_penalty(const ctk_sim *sim, double f, double *a);
void ctk_newton_tangent(ctk_sim *sim, const ctk_step_rule *rule);
void ctk_newton_add(const ctk_model *model, double f, const double *b, double *a);
void ctk_newton_product(const ctk_model *model, const double *a, const double *x, double *y);
ctk_status ctk_newton_factor(ctk_sim *sim);
void ctk_newton_back(const ctk_sim *sim, double *x);
double ctk_row_dot(const ctk_sim *sim, int place, const double *x);
void ctk_row_add(const ctk_sim *sim, int place, double f, double *x);

// ctk_hybrid.c
ctk_status ctk_hybrid_start(ctk_sim *sim, double t);
ctk_status ctk_hybrid_accelerations(ctk_sim *sim, double t);
ctk_status ctk_hybrid_evaluate(ctk_sim *sim, const ctk_step_rule *rule, int first);
ctk_status ctk_hybrid_correct(ctk_sim *sim, const ctk_step_rule *rule);
ctk_status ctk_hybrid_project(ctk_sim *sim, const ctk_step_rule *rule);

// ctk_semi.c
ctk_status ctk_semi_evaluate(ctk_sim *sim, const ctk_step_rule *rule);
ctk_status ctk_semi_correct(ctk_sim *sim, const ctk_step_rule *rule);
void ctk_semi_finish(ctk_sim *sim);

// ctk_recursive.c
ctk_status ctk_recursive_start(ctk_sim *sim, double t);
ctk_status ctk_recursive_impulse(ctk_sim *sim, double *impulse);
ctk_status ctk_recursive_accelerations(ctk_sim *sim, double t);
ctk_status ctk_recursive_evaluate(ctk_sim *sim, const ctk_step_rule *rule, int first);
void ctk_recursive_correct(ctk_sim *sim, const ctk_step_rule *rule);
ctk_status ctk_recursive_project(ctk_sim *sim, const ctk_step_rule *rule);

// ctk_loops.c
ctk_status ctk_loops_close(ctk_sim *sim, double t, const double *qi, const double *u);

// Numbers of a position without the angles of rotations, and with them.
static inline int ctk_positions(const ctk_model *model) {
    return model->n + model->n_rotations;
}
static inline int ctk_numbers(const ctk_model *model) {
    return model->n + 4 * model->n_rotations;
}

// Efforts of friction by load, and where they stand among the numbers of the inputs.
static inline int ctk_efforts(const ctk_model *model) {
    return model->wrenches ? model->wrenches->n_frictions : 0;
}
static inline int ctk_efforts_at(const ctk_model *model) {
    return 3 * (model->n_inputs + model->n_rotations);
}

// Numbers of all inputs: values, rates, accelerations; then angles of rotations that forces follow,
// efforts, what joints keep that attach where they are, and which joints hold that come and go.
static inline int ctk_kept_at(const ctk_model *model) {
    return ctk_efforts_at(model) + ctk_efforts(model);
}
static inline int ctk_input_numbers(const ctk_model *model) {
    return ctk_kept_at(model) + model->n_kept + model->n_switches;
}

static inline int ctk_all_rows(const ctk_model *model) {
    return model->m + model->n_spare;
}

// The row of the model in a place, of all that there are where joints come and go.
static inline int ctk_model_row(const ctk_sim *sim, int place) {
    const int row = sim->rows[place];
    return sim->switching.all ? sim->switching.row[row] : row;
}

static inline double ctk_unit(const ctk_sim *sim, int j) {
    return sim->units ? sim->units[j] : 1;
}

static inline double ctk_row_unit(const ctk_sim *sim, int i) {
    return sim->row_units ? sim->row_units[i] : 1;
}

// The power of two that is next to a length: measuring by it does not round.
static inline double ctk_power_of_two(double length) {
    return exp2(floor(log2(length) + 0.5));
}

// Largest derivative in a row of Phi_q; a NaN stays: it has a difference to itself.
static inline double ctk_row_norm(const ctk_sim *sim, const double *restrict row) {
    const double *restrict units = sim->units;
    const int n = sim->model->n;
    double norm = 0, differences = 0;
    for (int j = 0; j < n; j++) {
        const double a = units ? fabs(row[j]) * units[j] : fabs(row[j]);
        norm = ctk_larger(norm, a);
        differences += a - a;
    }
    // an infinite derivative is the norm
    return differences == 0 || norm > DBL_MAX ? norm : NAN;
}

static inline int ctk_is_closed(const ctk_sim *sim) {
    return sim->options.method == CTK_TRIANGULAR || sim->options.method == CTK_NEWTON_LOOPS;
}

// Length of w; newton-loops has all coordinates behind the closure's own numbers.
static inline int ctk_followed_numbers(const ctk_sim *sim) {
    const int loops = sim->options.method == CTK_NEWTON_LOOPS;
    return sim->model->closure->n_tracked + (loops ? ctk_positions(sim->model) : 0);
}

// Returns 1 if independent coordinates are chosen by pivoting, and anew on the way.
static inline int ctk_partitions(const ctk_sim *sim) {
    return sim->options.method == CTK_PARTITION || sim->options.method == CTK_SEMI_RECURSIVE;
}

// Returns 1 if dependent coordinates follow from the independent ones and are not integrated.
static inline int ctk_embeds(const ctk_sim *sim) {
    return sim->options.method == CTK_NEWTON || ctk_partitions(sim) || ctk_is_closed(sim);
}

// Returns 1 if an augmented Lagrangian closes the loops in implicit steps (ctk_hybrid.c).
static inline int ctk_is_augmented(const ctk_sim *sim) {
    return sim->options.method == CTK_HYBRID || sim->options.method == CTK_GLOBAL;
}

// Returns 1 if all rows are solved, redundant ones too, in their own order.
static inline int ctk_solves_all_rows(const ctk_sim *sim) {
    return ctk_is_augmented(sim) || sim->options.method == CTK_RECURSIVE;
}

// First parameters of rotations in the state that is integrated.
static inline int ctk_state_rotations(const ctk_sim *sim) {
    return ctk_is_closed(sim) ? sim->model->closure->n_rotations : sim->model->n_rotations;
}

// How many rates are in the state that is integrated.
static inline int ctk_rates(const ctk_sim *sim) {
    return ctk_embeds(sim) ? sim->model->n - sim->model->m : sim->model->n;
}

// Inputs of an evaluation at time t.
static inline void ctk_inputs_at(ctk_sim *sim, double t) {
    if (sim->model->n_inputs) ctk_inputs_set(sim, t);
}

// Returns 1 if the motions leave no freedom: nothing is integrated.
static inline int ctk_is_driven(const ctk_sim *sim) {
    return sim->model->m == sim->model->n;
}

static inline double ctk_norm(int n, const double *x) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
        double a = fabs(x[i]);
        if (!(a <= norm))
            norm = a; // a NaN stays: the comparison is false either way once norm is NaN
        if (norm != norm) break;
    }
    return norm;
}

// Largest of n coordinates (index NULL: the first n) or of their changes, in their units.
static inline double ctk_norm_in_units(const ctk_sim *sim, int n, const int *index,
                                       const double *x) {
    double norm = 0;
    for (int i = 0; i < n && norm == norm; i++) {
        double a = fabs(x[i]) / ctk_unit(sim, index ? index[i] : i);
        if (!(a <= norm)) norm = a;
    }
    return norm;
}

static inline void ctk_copy(int n, const double *restrict from, double *restrict to) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}

static inline void ctk_swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

// ctk_friction.c ------------------------------------------------------------------------------------
// ctk_friction_find in a simulation, into sim->u.
ctk_status ctk_friction_at(ctk_sim *sim, double t, const double *q, const double *qd,
                           const double *qdd, ctk_status (*accelerate)(void *data), void *data);
// Efforts of the current state, behind those of states that were tried.
void ctk_friction_keep(ctk_sim *sim);

#endif
