// The run-time kernel: what a generated model needs besides its own equations. Plain C99, libm
// only, no allocation, no global state. The same text is compiled into cotree and written out
// beside generated models; it is in the public domain (CC0), so generated code carries no licence.
//
// Equations:  M(q) q'' + Phi_q^T lambda = F(q, q', t, u),   Phi(q, t) = 0,
// Phi_q q' = -Phi_t,   Phi_q q'' = gamma.   Matrices are dense, row by row.
#ifndef CTK_H
#define CTK_H

#include <stddef.h>

typedef struct ctk_model {
    const char *name;
    int n; // coordinates
    int m; // constraint rows (independent ones)
    int n_inputs, n_parameters, n_constants, n_outputs;
    const char *const *coordinate_names; // [n]
    const char *const *constraint_names; // [m]: the joint that each row belongs to
    const char *const *output_names;     // [n_outputs]
    const char *const *parameter_names, *const *input_names;
    const double *parameters, *inputs; // defaults
    const double *q0, *qd0;            // assembled initial state
    // constants c from parameters p: once, before anything else
    void (*constants)(const double *p, double *c);
    void (*position)(const double *c, double t, const double *q, const double *u, double *phi,
                     double *phi_q);
    void (*velocity)(const double *c, double t, const double *q, const double *u, double *phi_q,
                     double *phi_t);
    // right side of Phi_q q'' = gamma
    void (*acceleration)(const double *c, double t, const double *q, const double *qd,
                         const double *u, double *phi_q, double *gamma);
    // everything at once; power: of the forces that are not in the potential energy
    void (*dynamics)(const double *c, double t, const double *q, const double *qd, const double *u,
                     double *mass, double *forcing, double *phi, double *phi_q, double *phi_t,
                     double *gamma, double *power);
    // y: joint coordinates that are not among q, their rates, the named outputs, rows of redundant
    // constraints, kinetic and potential energy last
    void (*outputs)(const double *c, double t, const double *q, const double *qd, const double *u,
                    double *y);
} ctk_model;

typedef enum ctk_method {
    CTK_AUGMENTED,
    CTK_BAUMGARTE,
    CTK_PENALTY,
    CTK_NEWTON,
    CTK_PARTITION
} ctk_method;
typedef enum ctk_integrator { CTK_EULER, CTK_RK2, CTK_RK4, CTK_AB4 } ctk_integrator;

typedef enum ctk_status {
    CTK_OK = 0,
    CTK_SINGULAR_MASS,    // M (projected) is not positive definite, or the whole system is singular
    CTK_SINGULAR_CLOSURE, // the dependent columns of Phi_q lost their rank; sim->where: the
                          // constraint row
    CTK_NO_CONVERGENCE, // closure iteration did not converge; sim->where: the worst constraint row
    CTK_JUMPED,         // closure went to another branch; sim->where: the coordinate
    CTK_NOT_FINITE,     // a value overflowed or became NaN; sim->where: the coordinate
    CTK_BAD_OPTION
} ctk_status;

typedef struct ctk_options {
    ctk_method method;
    ctk_integrator integrator;
    double alpha, beta;          // baumgarte: Phi'' + 2 alpha Phi' + beta^2 Phi = 0
    double penalty, zeta, omega; // penalty: in units of the mass that each constraint moves
    int penalty_iterations;      // multiplier updates in each evaluation
    double tolerance;            // closure: largest |Phi| accepted
    const int *independent;      // n - m coordinates to keep, or NULL: chosen by pivoting
} ctk_options;

// How regular an eliminated matrix was.
typedef struct ctk_rank {
    double smallest; // pivot, of rows scaled to 1
    int sign;        // of the determinant
    int row;         // where the smallest pivot was found
} ctk_rank;

// Scratch memory inside the caller's block; not for the caller. r = n - m.
typedef struct ctk_space {
    // the state being tried, and the model's equations there
    double *q, *qd, *qdd, power;
    double *mass, *forcing, *phi, *phi_q, *phi_t, *gamma;
    double *closure, *scale, *step; // LU of the scaled Phi_d [m m]; 1 / rows; a correction
    double *tangent, *bias;         // D = -Phi_d^-1 Phi_i [m r], c = Phi_d^-1 gamma [m]
    double *base_tangent, *base_bias, *base_u; // of the current state, with its inputs
    // on the way between the two (ctk_branch.c)
    double *path_q, *path_tangent, *path_drift, *path_u, *goal;
    double *system, *right, *weight, *multiplier; // the linear system of the method
    double *y, *trial, *rate[4], *past[3];        // integrators [2 n + 1]
    int *closure_pivot, *system_pivot, *columns, *rows;
    ctk_rank rank;
} ctk_space;

typedef struct ctk_sim {
    const ctk_model *model;
    ctk_options options;
    double t;
    double *q, *qd, *qdd;         // current state: all coordinates, closed and consistent [n]
    double *u;                    // inputs [n_inputs]: the caller may write them between steps
    double *c;                    // constants
    double work;                  // integral of `power`
    double residual;              // |Phi|_inf of the current state
    double max_residual;          // over the run
    int *independent, *dependent; // [n - m], [m]
    int reselections;             // times the independent set was changed
    int where;                    // see ctk_status
    long evaluations;
    double *buffer; // inside the caller's memory
    int *index;
    size_t state_size; // numbers in the integrated state y
    int history;       // ab4: derivatives kept so far
    double step;       // ab4: the step they were kept with
    double power;      // at the current state
    int branch;        // sign of det Phi_d: constant along a branch
    double quality;    // smallest pivot of the scaled Phi_d at the current state
    ctk_space space;
} ctk_sim;

void ctk_options_init(ctk_options *options);
// Memory that the caller provides.
size_t ctk_doubles(const ctk_model *model);
size_t ctk_ints(const ctk_model *model);

// Starts at time t from q, qd (NULL: the model's own), parameters p and inputs u (NULL: defaults).
// Closes the loops, makes the velocities consistent and computes the accelerations.
ctk_status ctk_init(ctk_sim *sim, const ctk_model *model, const ctk_options *options,
                    const double *p, const double *u, double t, const double *q, const double *qd,
                    double *doubles, int *ints);
// One step of length h with the fixed-step integrator: state at t + h, closed, with accelerations.
// On failure the last valid state is kept and sim->where says where.
ctk_status ctk_step(ctk_sim *sim, double h);

// The integrated state y, for outer integrators: (q, qd, work) or (independent q, qd, work). Trial
// states are reached from the last accepted one: accept every internal step, and take a failed
// derivative as a request for a shorter step.
void ctk_state_get(const ctk_sim *sim, double *y);
ctk_status ctk_state_derivative(ctk_sim *sim, double t, const double *y, double *ydot);
// Takes y at time t as the current state (closing the loops, accelerations included). Partition:
// checks the independent set and may select it anew; then *reselected is set and y must be fetched
// again.
ctk_status ctk_state_accept(ctk_sim *sim, double t, const double *y, int *reselected);

// Driven motion: all coordinates from Phi(q, t) = 0 near sim->q; velocities, accelerations. Needs m
// == n.
ctk_status ctk_kinematics(ctk_sim *sim, double t);

const char *ctk_status_text(ctk_status status);

#endif
