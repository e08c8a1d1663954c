// Memory, options and the start of a simulation. Nothing is allocated: all arrays lie in two blocks
// of the caller, whose sizes ctk_doubles and ctk_ints tell beforehand.
#include "ctk_internal.h"

void ctk_options_init(ctk_options *options) {
    memset(options, 0, sizeof *options);
    options->method = CTK_PARTITION;
    options->integrator = CTK_RK4;
    options->alpha = options->beta = 10;
    options->penalty = 1e3;
    options->zeta = 1;
    options->omega = 18;
    options->penalty_iterations = 4;
    options->tolerance = 1e-12;
    options->independent = NULL;
    options->energy = 0;
    options->cross_limits = 0;
    options->inputs = NULL;
    options->inputs_data = NULL;
    options->open = 0;
    options->implicit = (ctk_implicit_options){
        .penalty = 1e6, .iterations = 10, .tolerance = 1e-4, .rho = 0.9, .hht = 0.1};
}

const char *ctk_status_text(ctk_status status) {
    switch (status) {
    case CTK_OK: return "ok";
    case CTK_SINGULAR_MASS: return "a motion that the constraints allow has no inertia";
    case CTK_SINGULAR_CLOSURE:
        return "singular position: the constraints no longer determine the dependent coordinates";
    case CTK_NO_CONVERGENCE:
        return "the loops cannot be closed here: the iteration does not converge";
    case CTK_JUMPED:
        return "the loops would close on another branch: the step is too long for this motion";
    case CTK_NOT_FINITE: return "a value is not finite";
    case CTK_BAD_OPTION: return "an option is out of range";
    case CTK_NO_SOLUTION: return "a closure step has no solution: out of reach or a limit position";
    case CTK_CLOSURE_ONLY:
        return "this model was generated for a closure alone: generate it for this method";
    case CTK_OPEN:
        return "a constraint stands open: the loops have drifted, or a redundant constraint binds";
    // of parameters that were changed, and of reactions
    case CTK_NOT_ASSEMBLED: return "the mechanism does not assemble with these parameters";
    case CTK_RATES_CONTRADICT: return "the initial rates contradict the constraints";
    case CTK_OTHER_STRUCTURE:
        return "these parameters make another mechanism of it, or none: generate it with them";
    case CTK_SINGULAR_JOINTS:
        return "the joints are in a singular position: reactions have no finite value";
    case CTK_NO_FRICTION: return "friction by load has no solution here, or more than one";
    case CTK_FRICTION_OPEN:
        return "redundant constraints leave the load of a joint with friction open";
    case CTK_NO_STEP:
        return "the iteration of a step does not converge: take a shorter step, or "
               "generalized-alpha; by method recursive, hybrid";
    case CTK_GAP: return "a joint that becomes active stands open";
    }
    return "unknown status";
}

const char *ctk_where(const ctk_sim *sim, ctk_status status) {
    const ctk_model *m = sim->model;
    const ctk_closure *k = m->closure;
    const ctk_initial *i = m->initial;
    const int where = sim->where;
    if (where < 0) return "";
    const int row = ctk_row_where(sim);
    switch (status) {
    // the start: rows of its problem, conditions on parameters
    case CTK_NOT_ASSEMBLED:
    case CTK_RATES_CONTRADICT: return i && where < i->m ? i->row_names[where] : "";
    case CTK_OTHER_STRUCTURE: return i && where < i->n_conditions ? i->condition_names[where] : "";
    case CTK_NO_FRICTION:
    case CTK_FRICTION_OPEN: // a column of its joint: "J.fx"
        return where < ctk_efforts(m)
                   ? m->wrenches->column_names[m->wrenches->friction_column[where]]
                   : "";
    // loops: a step of the closure, a row
    case CTK_NO_SOLUTION: return k && where < k->n_steps ? k->step_joints[where] : "";
    case CTK_SINGULAR_CLOSURE:
    case CTK_NO_CONVERGENCE:
    case CTK_OPEN: return where < ctk_all_rows(m) ? m->constraint_names[row] : "";
    case CTK_GAP: return where < m->n_switches ? m->switch_names[where] : "";
    // motion: a coordinate
    case CTK_SINGULAR_MASS:
    case CTK_JUMPED:
    case CTK_NO_STEP:
    case CTK_NOT_FINITE: return where < m->n ? m->coordinate_names[where] : "";
    default: return "";
    }
}

// Memory of the caller, handed out piece by piece. Without any (NULL) only the sizes are added up.
typedef struct block {
    double *doubles;
    int *ints;
    size_t doubles_used, ints_used;
} block;

static double *doubles(block *b, size_t count) {
    double *p = b->doubles ? b->doubles + b->doubles_used : NULL;
    b->doubles_used += count;
    return p;
}

static int *ints(block *b, size_t count) {
    int *p = b->ints ? b->ints + b->ints_used : NULL;
    b->ints_used += count;
    return p;
}

static void lay_out_closure(block *b, const ctk_model *model, ctk_space *s) {
    const ctk_closure *k = model->closure;
    const size_t loops = (size_t)k->n_loops, guards = (size_t)k->n_guards;
    const size_t numbers = (size_t)ctk_numbers(model);
    const size_t followed = (size_t)k->n_tracked + numbers;
    const size_t state = 2 * (size_t)k->n_independent + (size_t)k->n_rotations + 1;
    const size_t before = b->doubles_used;
    double **const w[] = {&s->w, &s->base_w, &s->past_w, &s->older_w, &s->path_w};
    double **const g[] = {&s->g, &s->base_g, &s->past_g, &s->most_g};
    // from here on: what a substep restores when it fails
    s->closed = doubles(b, 0);
    for (size_t i = 0; i < sizeof w / sizeof *w; i++) *w[i] = doubles(b, followed);
    for (size_t i = 0; i < sizeof g / sizeof *g; i++)
        *g[i] = doubles(b, guards > loops ? guards : loops);
    s->v = doubles(b, (size_t)k->n_values);
    s->base_v = doubles(b, (size_t)k->n_values);
    s->b = doubles(b, (size_t)k->n_signs);
    s->branches = doubles(b, loops);
    s->now = doubles(b, state);
    s->now_rate = doubles(b, state);
    // its copy, and the state that a change of method starts from
    s->closed_size = b->doubles_used - before;
    s->saved = doubles(b, s->closed_size);
    s->left_b = doubles(b, (size_t)k->n_signs);
    s->saved_q = doubles(b, numbers);
    s->saved_qd = doubles(b, numbers);
    s->trial_v = doubles(b, (size_t)k->n_values + (size_t)k->n_tracked + guards);
}

static void lay_out_friction(block *b, const ctk_model *model, ctk_space *s) {
    const size_t numbers = (size_t)ctk_numbers(model);
    s->friction = doubles(b, ctk_friction_doubles(model->wrenches));
    s->friction_index = ints(b, ctk_friction_ints(model->wrenches));
    s->friction_q = doubles(b, numbers);
    s->friction_qd = doubles(b, numbers);
    s->friction_qdd = doubles(b, numbers);
}

static void lay_out_implicit(block *b, const ctk_model *model, ctk_implicit_space *s) {
    const size_t n = (size_t)model->n, all = (size_t)ctk_all_rows(model);
    double **const vectors[] = {&s->increment,   &s->rate,  &s->acceleration, &s->correction,
                                &s->algorithmic, &s->scale, &s->right,        &s->own};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = doubles(b, n);
    s->multiplier = doubles(b, all);
    s->factor = doubles(b, all);
    s->kept = doubles(b, all);
    s->stiffness = doubles(b, (size_t)model->n_stiffness);
    s->damping = doubles(b, (size_t)model->n_damping);
    s->matrix = doubles(b, n * n);
    s->slope = doubles(b, n * n);
    s->pivot = ints(b, n);
    s->is_shown = ints(b, 1);
}

static void lay_out_recursive(block *b, const ctk_model *model, ctk_implicit_space *s) {
    const size_t n = (size_t)model->n, all = (size_t)ctk_all_rows(model);
    double **const vectors[] = {&s->tree, &s->pivots, &s->found, &s->armature};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = doubles(b, n);
    s->numbers = doubles(b, (size_t)model->n_answer);
    s->answers = doubles(b, all * n);
    s->gram = doubles(b, all * all);
    s->row_scale = doubles(b, all);
}

static void lay_out_switching(block *b, const ctk_model *model, ctk_switching *w) {
    const size_t m = (size_t)model->m, n = (size_t)model->n, joints = (size_t)model->n_switches;
    double **const rows[] = {&w->phi, &w->phi_t, &w->gamma, &w->units};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = doubles(b, m);
    w->phi_q = doubles(b, m * n);
    w->value = doubles(b, 2 * joints + (size_t)model->n_switch_guards);
    w->kept = doubles(b, (size_t)model->n_kept);
    w->closed = doubles(b, joints);
    w->active = ints(b, joints);
    w->wanted = ints(b, joints);
    w->row = ints(b, m);
    w->mark = ints(b, m);
}

// Hands out all arrays; the one place that knows their sizes.
static void lay_out(block *b, const ctk_model *model, ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const size_t n = (size_t)model->n, numbers = (size_t)ctk_numbers(model);
    // where joints come and go: the most rows that can be independent, the most freedoms
    const size_t given = (size_t)model->m;
    const int switched = model->n_switches > 0;
    const size_t m = switched && given > n ? n : given, r = switched ? n : n > m ? n - m : 0;
    const size_t spare = (size_t)model->n_spare, all = given + spare;
    // arrays of equal size, by size: numbers of a position, all rows, m, m r, inputs, state
    double **const states[] = {&sim->q,        &sim->qd,    &sim->qdd,     &s->q,     &s->qd,
                               &s->qdd,        &s->forcing, &s->path_q,    &s->goal,  &s->most_rate,
                               &s->most_error, &s->error_t, &s->sum_error, &s->turns, &s->moved};
    double **const all_rows[] = {&s->phi, &s->phi_rate, &s->phi_t, &s->gamma};
    double **const rows[] = {&s->scale,      &s->step,       &s->bias,    &s->base_bias,
                             &s->path_drift, &s->multiplier, &s->weakest, &s->base_weakest};
    double **const tangents[] = {&s->tangent, &s->base_tangent, &s->path_tangent};
    double **const inputs[] = {&sim->u, &sim->ud, &sim->udd}; // one after the other
    double **const all_inputs[] = {&s->base_u, &s->path_u, &s->given_u};
    double **const long_states[] = {&s->y,       &s->trial,   &s->rate[0], &s->rate[1], &s->rate[2],
                                    &s->rate[3], &s->past[0], &s->past[1], &s->past[2]};
    // vectors
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) *states[i] = doubles(b, numbers);
    for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows; i++) *all_rows[i] = doubles(b, all);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) *rows[i] = doubles(b, m);
    for (size_t i = 0; i < sizeof tangents / sizeof *tangents; i++)
        *tangents[i] = doubles(b, m * r);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        *inputs[i] = doubles(b, (size_t)model->n_inputs);
    doubles(b, 3 * (size_t)model->n_rotations);              // behind them, see ctk_rotation
    doubles(b, (size_t)ctk_efforts(model));                  // and efforts of friction by load
    doubles(b, (size_t)(model->n_kept + model->n_switches)); // and what joints keep, which hold
    for (size_t i = 0; i < sizeof all_inputs / sizeof *all_inputs; i++)
        *all_inputs[i] = doubles(b, (size_t)ctk_input_numbers(model));
    for (size_t i = 0; i < sizeof long_states / sizeof *long_states; i++)
        *long_states[i] = doubles(b, n + numbers + 1);
    // matrices; `system` serves (n + m)^2, n r + r r and all rows of Phi_q
    sim->c = doubles(b, (size_t)model->n_constants);
    s->joint_frames = doubles(b, 18 * (size_t)model->n_rotations);
    s->known = doubles(b, 6 * (size_t)model->n_rotations);
    s->mass = doubles(b, n * n);
    s->phi_q = doubles(b, all * n);
    s->spare = doubles(b, spare * (n + 3));
    s->closure = doubles(b, m * m);
    const size_t whole = (n + m) * (n + m), embedded = n * r + r * r, most = all * n;
    s->system = doubles(b, whole > embedded ? (whole > most ? whole : most)
                                            : (embedded > most ? embedded : most));
    s->right = doubles(b, n + m);
    s->weight = doubles(b, n + m);
    s->kept = doubles(b, r == 0 || switched ? 3 * n : 0);
    // indices
    sim->independent = ints(b, r);
    sim->dependent = ints(b, m);
    s->closure_pivot = ints(b, m);
    s->system_pivot = ints(b, n + m);
    s->columns = ints(b, n);
    s->rows = ints(b, all);
    s->row_mark = ints(b, all);
    sim->rows = ints(b, all);
    // what outputs, the closure and the initial state for other parameters need
    if (model->reads_reactions) {
        sim->forces.room = doubles(b, ctk_joint_forces_doubles(model->wrenches));
        sim->forces.index = ints(b, ctk_joint_forces_ints(model->wrenches));
    }
    if (model->closure) lay_out_closure(b, model, s);
    if (ctk_efforts(model)) lay_out_friction(b, model, s);
    if (model->tangent || model->is_recursive) lay_out_implicit(b, model, &s->implicit);
    if (model->is_recursive) lay_out_recursive(b, model, &s->implicit);
    if (switched) lay_out_switching(b, model, &sim->switching);
    s->kinks = doubles(b, 6 * (size_t)model->n_kinks);
    if (!model->initial) return;
    s->initial = doubles(b, ctk_initial_doubles(model));
    s->initial_index = ints(b, ctk_initial_ints(model));
    s->units = doubles(b, n);
    s->row_units = doubles(b, all);
    s->guard_scale = doubles(b, model->closure ? (size_t)model->closure->n_guards : 0);
}

size_t ctk_doubles(const ctk_model *model) {
    block b = {NULL, NULL, 0, 0};
    ctk_sim sim;
    lay_out(&b, model, &sim);
    return b.doubles_used;
}

size_t ctk_ints(const ctk_model *model) {
    block b = {NULL, NULL, 0, 0};
    ctk_sim sim;
    lay_out(&b, model, &sim);
    return b.ints_used + 1; // never an empty block
}

static int valid(const ctk_options *o) {
    return o->method <= CTK_RECURSIVE && ctk_implicit_valid(o) &&
           o->integrator < CTK_INTEGRATOR_COUNT && isfinite(o->alpha) && isfinite(o->beta) &&
           isfinite(o->zeta) && isfinite(o->omega) && isfinite(o->penalty) && o->open >= 0 &&
           o->penalty > 0 && o->penalty_iterations >= 0 && o->tolerance > 0 && o->tolerance < 1;
}

static void start_values(int n, const double *given, const double *own, double *x) {
    const double *from = given ? given : own;
    for (int i = 0; i < n; i++) x[i] = from ? from[i] : 0;
}

// Rows and dependent coordinates by pivoting at q, or the caller's coordinates; Phi and Phi_q of
// these rows.
static ctk_status choose(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    const int all = ctk_all_rows(sim->model);
    ctk_position(sim, t, sim->q, sim->u);
    ctk_rows_complete(sim, t, sim->q, sim->qd, sim->u);
    if (!isfinite(ctk_norm(all * sim->model->n, s->phi_q)) || !isfinite(ctk_norm(all, s->phi)))
        return CTK_NOT_FINITE;
    ctk_status status = ctk_partition_choose(sim);
    ctk_position(sim, t, sim->q, sim->u);
    return status;
}

static int is_closed_in_units(const ctk_sim *sim) {
    int closed = 1;
    for (int i = 0; i < sim->model->m; i++)
        closed &=
            fabs(sim->space.phi[i]) <= sim->options.tolerance * ctk_row_unit(sim, sim->rows[i]);
    return closed;
}

// Loops closed and velocities consistent, the independent ones as given; the base that later states
// are predicted from. A penalty needs no independent rows: at a closed singular position it starts
// as it is given.
static ctk_status close_start(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    // dependent coordinates at q, closed, then the best ones of the closed position
    ctk_status status = choose(sim, t);
    if (status == CTK_OK) status = ctk_closure_assemble(sim, t, sim->q);
    if (status == CTK_OK) status = choose(sim, t); // the best set of the closed position
    if (status == CTK_OK) status = ctk_closure_factor(sim);
    const int by_penalty = sim->options.method == CTK_PENALTY || ctk_solves_all_rows(sim);
    if (status == CTK_SINGULAR_CLOSURE && by_penalty && is_closed_in_units(sim)) return CTK_OK;
    if (status) return status;
    // the branch, D and q'_d there; c = 0 until accelerations are known
    ctk_closure_restart(sim);
    ctk_closure_velocity(sim, t, sim->u, sim->q, sim->qd);
    ctk_copy(sim->model->m * (sim->model->n - sim->model->m), s->tangent, s->base_tangent);
    for (int k = 0; k < sim->model->m; k++) s->base_bias[k] = 0;
    return CTK_OK;
}

// Numbers in y: positions and rates of all or of independent coordinates, work.
static size_t state_size(const ctk_sim *sim) {
    const ctk_model *m = sim->model;
    const int width = ctk_embeds(sim) ? m->n - m->m : m->n;
    const int closed = ctk_is_closed(sim), all = m->n_rotations && !closed; // positions
    const int first = closed ? m->closure->n_rotations : m->n_rotations;    // parameters
    return (size_t)((all ? m->n : width) + first + width) + 1;
}

// From q, q' of sim at time t with the method of its options.
ctk_status ctk_start(ctk_sim *sim, double t) {
    int reselected;
    ctk_status status = CTK_OK;
    sim->state_size = state_size(sim);
    sim->history = 0;
    sim->space.has_past = 0;
    sim->space.piece = 1;
    sim->space.is_expanded = sim->space.is_held = sim->space.in_step = 0;
    ctk_inputs_at(sim, t);
    if (sim->model->m > 0) status = close_start(sim, t);
    if (status == CTK_OK && ctk_is_augmented(sim)) status = ctk_hybrid_start(sim, t);
    if (status == CTK_OK && sim->options.method == CTK_RECURSIVE)
        status = ctk_recursive_start(sim, t);
    if (status) return status;
    if (ctk_is_closed(sim)) {
        status = ctk_closed_start(sim, t);
        return status && ctk_is_driven(sim) ? ctk_driven_hold(sim, t, status) : status;
    }
    ctk_state_get(sim, sim->space.y);
    return ctk_take(sim, t, sim->space.y, CTK_FIXED_AHEAD, &reselected);
}

static ctk_status attach(ctk_sim *sim, const ctk_model *model, const ctk_options *options,
                         double *memory, int *index) {
    // options, defaults where there are none
    memset(sim, 0, sizeof *sim);
    sim->where = -1;
    sim->model = model;
    sim->branch = 1;
    ctk_options_init(&sim->options);
    if (options) sim->options = *options;
    if (model->n < 0 || model->m < 0 || model->n_spare < 0 || !memory || !index ||
        !valid(&sim->options))
        return CTK_BAD_OPTION;
    // the method must be one that the model has functions for
    if (ctk_is_closed(sim)) {
        if (!model->closure) return CTK_BAD_OPTION;
        if (sim->options.method == CTK_NEWTON_LOOPS &&
            model->closure->n_rotations < model->n_rotations)
            return CTK_CLOSURE_ONLY;
        sim->options.independent = ctk_closed_choice(model);
    } else if (!model->dynamics && !model->recursion) {
        return CTK_CLOSURE_ONLY;
    }
    if ((sim->options.method == CTK_RECURSIVE) != (model->is_recursive != 0)) return CTK_BAD_OPTION;
    if (ctk_is_implicit(sim->options.integrator) &&
        ((!model->newton_order && !model->is_recursive) || ctk_efforts(model)))
        return CTK_BAD_OPTION;
    // arrays in the caller's memory, all zero
    block b = {memory, index, 0, 0};
    lay_out(&b, model, sim);
    memset(memory, 0, b.doubles_used * sizeof *memory);
    memset(index, 0, b.ints_used * sizeof *index);
    sim->buffer = memory;
    sim->index = index;
    sim->units = model->units;
    sim->row_units = model->row_units;
    sim->guard_scale = model->closure ? model->closure->guard_scale : NULL;
    if (model->n < model->m && !model->n_switches) { // more rows than can be independent
        sim->where = model->n;
        return CTK_SINGULAR_CLOSURE;
    }
    return CTK_OK;
}

// Returns 1 if two arrays hold the same numbers, bit by bit; NULL: the same by definition.
static int same(int n, const double *a, const double *b) {
    return !a || !b || !n || !memcmp(a, b, (size_t)n * sizeof *a);
}

// What coordinates, rows and measures compare to, with parameters of the caller; the conditions
// under which the equations hold.
static ctk_status measure(ctk_sim *sim) {
    const ctk_initial *i = sim->model->initial;
    ctk_space *s = &sim->space;
    double length[2];
    i->lengths(sim->c, length);
    if (!isfinite(length[0]) || !isfinite(length[1])) return CTK_NOT_FINITE;
    const double unit = ctk_power_of_two(length[1]), row_unit = ctk_power_of_two(length[0]);
    sim->length = length[0];
    for (int k = 0; k < sim->model->n; k++) s->units[k] = i->unit_power[k] ? unit : 1;
    for (int k = 0; k < ctk_all_rows(sim->model); k++)
        s->row_units[k] = pow(row_unit, i->row_unit_power[k]);
    sim->units = s->units;
    sim->row_units = s->row_units;
    // rows that depend on parameters alone; the room of the initial problem serves here
    if (i->n_conditions) i->conditions(sim->c, s->initial);
    for (int k = 0; k < i->n_conditions; k++)
        if (!(fabs(s->initial[k]) < 1e-9 * pow(row_unit, i->condition_power[k]))) {
            sim->where = k;
            return CTK_OTHER_STRUCTURE;
        }
    return CTK_OK;
}

// The start of the model itself: as it is recorded, or assembled for other parameters (and inputs,
// where motions depend on them).
static ctk_status own_start(ctk_sim *sim, const double *p, int with_start) {
    const ctk_model *m = sim->model;
    const int other = !same(m->n_parameters, p, m->parameters);
    ctk_status status = CTK_OK;
    if (!m->initial ||
        (!other && !(m->initial->uses_inputs && !same(m->n_inputs, sim->u, m->inputs))))
        return CTK_OK;
    status = measure(sim);
    if (status == CTK_OK && with_start) status = ctk_initial_state(sim);
    if (status == CTK_OK && m->initial->scales && m->closure) {
        m->initial->scales(sim->c, 0, sim->q, sim->u, sim->space.guard_scale);
        for (int k = 0; k < m->closure->n_guards; k++)
            if (!isfinite(sim->space.guard_scale[k])) sim->space.guard_scale[k] = 0;
        sim->guard_scale = sim->space.guard_scale;
    }
    return status;
}

ctk_status ctk_init(ctk_sim *sim, const ctk_model *model, const ctk_options *options,
                    const double *p, const double *u, double t, const double *q, const double *qd,
                    double *doubles, int *ints) {
    ctk_status status = attach(sim, model, options, doubles, ints);
    if (status) return status;
    // the caller's values, else the model's own
    start_values(model->n_inputs, u, model->inputs, sim->u);
    start_values(ctk_numbers(model), q, model->q0, sim->q);
    start_values(model->n + 3 * model->n_rotations, qd, model->qd0, sim->qd);
    if (model->context) memcpy(sim->c, &model->context, sizeof model->context);
    if (model->constants) model->constants(p ? p : model->parameters, sim->c);
    if (model->joint_frames) model->joint_frames(sim->c, sim->space.joint_frames);
    if (model->reads_reactions)
        ctk_joint_forces_init(&sim->forces, sim, model->wrenches, p, sim->forces.room,
                              sim->forces.index);
    sim->t = sim->start = sim->angles_t = t;
    if (!u && model->initial && model->initial->inputs &&
        !same(model->n_parameters, p, model->parameters))
        model->initial->inputs(sim->c, sim->u);
    ctk_inputs_at(sim, t);
    status = own_start(sim, p, !q && !qd);
    if (status) return status;
    if (model->n_switches) ctk_switching_start(sim);
    model = sim->model;
    ctk_normalise(model, sim->q);
    ctk_keep_angles(sim);
    ctk_inputs_keep(sim);
    // start where all numbers are finite
    status = ctk_check_finite(sim, sim->q);
    if (status == CTK_OK) status = ctk_check_finite(sim, sim->qd);
    if (status) return status;
    // close the loops; a closure that starts at a limit position is left at once
    for (int i = 0; i < model->n - model->m; i++) sim->independent[i] = i;
    ctk_rows_reset(sim);
    ctk_save_state(sim);
    status = ctk_start(sim, t);
    return ctk_is_closed(sim) ? ctk_cross_limit_at_start(sim, status) : status;
}
