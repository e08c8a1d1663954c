// Options: the caller's first, then the model's `simulate:`, then defaults.
#include "program/interpret.h"
#include "formulate/whole_rotation.h"
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ct_run_options_init(ct_run_options *options) {
    *options = (ct_run_options){.time = -1,
                                .step = -1,
                                .output_step = -1,
                                .alpha = -1,
                                .beta = -1,
                                .penalty = -1,
                                .zeta = -1,
                                .omega = -1,
                                .rtol = -1,
                                .atol = -1,
                                .iterations = -1,
                                .tolerance = -1,
                                .rho = -1,
                                .hht = -1};
}

#define X(enumerator, ...) {CT_NAME_OF(__VA_ARGS__, 0), CTK_##enumerator},
static const struct {
    const char *name;
    ctk_method method;
} methods[] = {CT_METHODS(X)};
static const struct {
    const char *name;
    ctk_integrator integrator;
} integrators[] = {CT_INTEGRATORS(X)};
#undef X

// The kernel has room for the derivatives of each integrator.
#define ROOM(member) (sizeof((ctk_space *)0)->member / sizeof *((ctk_space *)0)->member)
#define X(enumerator, name, order, stages, kept)                                                   \
    _Static_assert(stages <= ROOM(rate) && kept <= ROOM(past), name);
CT_INTEGRATORS(X)
#undef X

const char *ct_method_name(ctk_method method) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i].method == method) return methods[i].name;
    return NULL;
}

static double pick(double asked, double model, double fallback) {
    return asked >= 0 ? asked : model >= 0 ? model : fallback;
}

static void override(double asked, double model, double *value) {
    *value = pick(asked, model, *value);
}

// driven motions ----------------------------------------------------------------------------------
// Fails if the motions leave freedoms.
static ct_status not_driven(ct_context *ctx, const ct_system *s) {
    int left = s->f->n - s->assembled->m;
    if (left > 0)
        return ct_fail(ctx, CT_WRONG_MODEL,
                       "kinematics needs a fully driven mechanism: %d freedom%s left after the "
                       "motions; add %d to motions:",
                       left, left == 1 ? " is" : "s are", left);
    return CT_OK;
}

ct_status ct_plan_driven(ct_context *ctx, ct_system *s, ct_run_options *options) {
    static const char *const allowed[] = {"triangular", "newton-loops", "newton"};
    ct_status status = not_driven(ctx, s);
    if (status) return status;
    bool known = !options->method;
    for (int i = 0; i < 3 && !known; i++) known = !strcmp(options->method, allowed[i]);
    if (!known)
        return ct_fail(ctx, CT_USAGE,
                       "a driven motion has the methods triangular, newton-loops and newton, not "
                       "'%s'",
                       options->method);
    options->integrator = "rk4";
    if (options->method) return CT_OK;
    ct_context *quiet = ct_context_quiet(NULL);
    options->method = ct_close_system(quiet, s) ? "newton" : "triangular";
    return CT_OK;
}

// options -----------------------------------------------------------------------------------------
ct_status ct_no_such(ct_context *ctx, const char *what, const char *name, const char *there,
                     const char *later) {
    char *word = ct_format(" %s ", name), *all = ct_format(" %s", later);
    bool known = strstr(all, word) != NULL;
    ct_free(word);
    ct_free(all);
    return ct_fail(ctx, CT_USAGE,
                   known ? "%s '%s' is not available yet; there are: %s"
                         : "unknown %s '%s'; there are: %s",
                   what, name, there);
}

static ct_status find_method(ct_context *ctx, ct_plan *plan) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, plan->method_name)) {
            plan->kernel.method = methods[i].method;
            return CT_OK;
        }
    return ct_no_such(ctx, "method", plan->method_name, CT_METHODS(CT_NAME_AND_BLANK),
                      "" CT_METHODS_LATER(CT_NAME_AND_BLANK));
}

static ct_status find_integrator(ct_context *ctx, ct_plan *plan) {
    plan->cvode = !strcmp(plan->integrator_name, "cvode");
    if (plan->cvode) return CT_OK;
    plan->automatic = !strcmp(plan->integrator_name, "auto");
    if (plan->automatic) plan->integrator_name = "rk4"; // until it proves too coarse
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
        if (!strcmp(integrators[i].name, plan->integrator_name)) {
            plan->kernel.integrator = integrators[i].integrator;
            return CT_OK;
        }
    return ct_no_such(ctx, "integrator", plan->integrator_name,
                      CT_INTEGRATORS_CHOSEN(CT_NAME_AND_BLANK) CT_INTEGRATORS(CT_NAME_AND_BLANK)
                          CT_INTEGRATORS_ADAPTIVE(CT_NAME_AND_BLANK),
                      CT_INTEGRATORS_LATER(CT_NAME_AND_BLANK));
}

// implicit integrators ---------------------------------------------------------------------------
static bool is_implicit(const char *integrator) {
#define X(enumerator, name, order, stages, past) (!(stages) && !strcmp(integrator, name)) ||
    return integrator && (CT_INTEGRATORS(X) false);
#undef X
}

// Methods that need an implicit integrator.
static bool needs_implicit(const char *method) {
    return method && (!strcmp(method, "hybrid") || !strcmp(method, "semi-recursive") ||
                      !strcmp(method, "global"));
}

// Method and integrator by name. What the caller asks for decides, and what the model says beside it
// gives way where both do not go together.
typedef struct names {
    const char *method, *integrator;
} names;
static names names_of(const ct_model *model, const ct_run_options *options) {
    const ct_settings *m = &model->settings;
    names x = {options->method ? options->method : m->method,
               options->integrator ? options->integrator : m->integrator};
    const bool fits = is_implicit(x.integrator) || !needs_implicit(x.method);
    if (!options->integrator && !fits) x.integrator = NULL;
    if (!x.integrator && needs_implicit(x.method)) x.integrator = "trapezoid";
    if (!options->method && is_implicit(x.integrator) && !needs_implicit(x.method))
        x.method = options->integrator || !x.method ? "hybrid" : x.method;
    return x;
}

bool ct_options_are_implicit(const ct_model *model, const ct_run_options *options) {
    return is_implicit(names_of(model, options).integrator);
}

bool ct_options_are_natural(const ct_model *model, const ct_run_options *options) {
    const char *method = names_of(model, options).method;
    return method && !strcmp(method, "global");
}

bool ct_plan_is_implicit(const ct_plan *plan) {
    return !plan->cvode && is_implicit(plan->integrator_name);
}

// Numbers of implicit integrators, and what does not go together.
static ct_status find_implicit(ct_context *ctx, const ct_model *model,
                               const ct_run_options *options, ct_plan *plan) {
    ctk_implicit_options *o = &plan->kernel.implicit;
    const bool implicit = ct_plan_is_implicit(plan), hybrid = plan->kernel.method == CTK_HYBRID,
               global = plan->kernel.method == CTK_GLOBAL;
    if (needs_implicit(plan->method_name) && !implicit)
        return ct_fail(ctx, CT_USAGE,
                       "method %s needs an implicit integrator, not %s: try --integrator trapezoid",
                       plan->method_name, plan->integrator_name);
    if (!implicit) return CT_OK;
    if (!needs_implicit(plan->method_name) && plan->kernel.method != CTK_PARTITION)
        return ct_fail(
            ctx, CT_USAGE,
            "integrator %s needs method hybrid, semi-recursive, global or partition, not %s",
            plan->integrator_name, plan->method_name);
    // numbers
    if (global) o->penalty = CT_RUN_PENALTY_GLOBAL;
    if (options->penalty >= 0 || ((hybrid || global) && model->settings.method && !options->method))
        o->penalty = pick(options->penalty, model->settings.penalty, o->penalty);
    o->tolerance = pick(options->tolerance, -1, o->tolerance);
    o->rho = pick(options->rho, -1, o->rho);
    o->hht = pick(options->hht, -1, o->hht);
    o->fixed = options->fixed;
    const double most = pick(options->iterations, -1, o->iterations);
    if (!(most >= 1 && most <= CT_RUN_MOST_ITERATIONS) || most != floor(most))
        return ct_fail(ctx, CT_USAGE, "iterations must be a whole number from 1 to %d",
                       CT_RUN_MOST_ITERATIONS);
    o->iterations = (int)most;
    if (o->rho > 1) return ct_fail(ctx, CT_USAGE, "rho must be between 0 and 1");
    if (o->hht > 1.0 / 3) return ct_fail(ctx, CT_USAGE, "hht must be between 0 and 1/3");
    // derivatives of the forces
    const char *tangent = options->tangent ? options->tangent : "full";
    plan->no_tangent = !strcmp(tangent, "none");
    if (!plan->no_tangent && strcmp(tangent, "full"))
        return ct_no_such(ctx, "tangent", tangent, CT_TANGENTS(CT_NAME_AND_BLANK),
                          CT_TANGENTS_LATER(CT_NAME_AND_BLANK));
    for (int i = 0; i < model->n_forces; i++)
        if (ct_force_is_by_load(model->forces + i))
            return ct_fail(ctx, CT_USAGE,
                           "integrator %s has no friction by load yet ('%s'): try --integrator rk4 "
                           "or cvode",
                           plan->integrator_name, model->forces[i].name);
    return CT_OK;
}

// coordinates --------------------------------------------------------------------------------------
// Indices of the coordinates that the model names in `independent:`.
static ct_status find_independent(ct_context *ctx, const ct_system *s, ct_plan *plan) {
    const ct_model *m = s->model;
    const ct_assembled *at = ct_system_state(s);
    // only methods that partition the coordinates ask for them
    int need = at->f->n - at->m;
    if (!m->n_independent ||
        (plan->kernel.method != CTK_NEWTON && plan->kernel.method != CTK_PARTITION &&
         plan->kernel.method != CTK_SEMI_RECURSIVE))
        return CT_OK; // a closure has its own
    // by name
    plan->independent = ct_alloc((size_t)m->n_independent + 1, sizeof *plan->independent);
    ct_status status = CT_OK;
    for (int i = 0; i < m->n_independent; i++) {
        plan->independent[i] = -1;
        for (int k = 0; k < at->f->n; k++)
            if (!strcmp(at->f->names[k], m->independent[i].name)) plan->independent[i] = k;
        if (plan->independent[i] < 0) {
            ct_error_at(ctx, m->independent[i].place,
                        "'%s' is not among the coordinates of these trees", m->independent[i].name);
            status = CT_WRONG_MODEL;
        }
    }
    // as many as there are freedoms
    if (!status && m->n_independent != need) {
        ct_error_at(ctx, m->independent[0].place,
                    "%d independent coordinate%s given, but the mechanism has %d freedom%s",
                    m->n_independent, m->n_independent == 1 ? " is" : "s are", need,
                    need == 1 ? "" : "s");
        status = CT_WRONG_MODEL;
    }
    plan->kernel.independent = plan->independent;
    return status;
}

bool ct_plan_closes(const ct_plan *plan) {
    return plan->kernel.method == CTK_TRIANGULAR || plan->kernel.method == CTK_NEWTON_LOOPS;
}

// Smallest guard of the closure at a closed position q, divided by its scale: 0 where two branches
// meet, up to 1. *step: the step that it belongs to.
static double margin(const ct_closure *c, const double *q, int *step) {
    ct_numbers x;
    ct_model_numbers(c->f->model, &x);
    ct_position_set(c->f, &x, q);
    ct_registers_at(&c->registers, &x, NULL);
    double least = ct_program_margin(&c->positions, &x, step);
    ct_numbers_clear(&x);
    return least;
}

// Finds a closure. If the user named the method, its failure is an error; otherwise partition takes
// its place.
static ct_status close_system(ct_context *ctx, ct_system *s, ct_plan *plan) {
    if (!plan->chosen) {
        // the closure is made of some of the rows; where these depend on each other, others do not;
        // nor is a lock of its angles one of the mechanism
        ct_status named = ct_close_system(ctx, s);
        plan->kernel.cross_limits =
            !named && (ct_system_state(s)->n_dropped > 0 || ct_system_closure(s)->guards_locks);
        return named;
    }
    ct_context *quiet = ct_context_quiet(ctx);
    bool closed = !ct_close_system(quiet, s);
    if (closed) ct_system_note_closure(ctx, s);
    // so near to where branches meet its code must be able to start with another method
    int step;
    const ct_closure *c = ct_system_closure(s);
    plan->complete =
        closed && c->r && margin(c, ct_system_state(s)->q0, &step) < CT_RUN_NEAR_BRANCH;
    plan->kernel.cross_limits = closed;
    // without a closure: partition
    if (!closed) {
        plan->method_name = "partition";
        plan->kernel.method = CTK_PARTITION;
    }
    return CT_OK;
}

ct_status ct_plan_options(ct_context *ctx, const ct_model *model, const ct_run_options *options,
                          ct_plan *plan) {
    const ct_settings *m = &model->settings;
    *plan = (ct_plan){0};
    ctk_options_init(&plan->kernel);
    // numbers and names: the caller's, the model's, defaults
    plan->time = pick(options->time, m->time, CT_RUN_TIME);
    plan->step = pick(options->step, m->step, CT_RUN_STEP);
    plan->output_step = pick(options->output_step, m->output_step, plan->step);
    plan->rtol = pick(options->rtol, m->rtol, CT_RUN_RTOL);
    plan->atol = pick(options->atol, m->atol, CT_RUN_ATOL);
    const names by = names_of(model, options);
    plan->method_name = by.method ? by.method : "triangular";
    plan->chosen = !by.method;
    plan->kernel.energy = 1;
    plan->integrator_name = by.integrator ? by.integrator : "auto";
    // stabilisation: the kernel's values are the defaults
    override(options->alpha, m->alpha, &plan->kernel.alpha);
    override(options->beta, m->beta, &plan->kernel.beta);
    override(options->penalty, m->penalty, &plan->kernel.penalty);
    override(options->zeta, m->zeta, &plan->kernel.zeta);
    override(options->omega, m->omega, &plan->kernel.omega);
    // ranges
    if (!isfinite(plan->time) || !(plan->step > 0) || !isfinite(plan->step) ||
        !(plan->output_step > 0) || !isfinite(plan->output_step))
        return ct_fail(
            ctx, CT_USAGE,
            "time must be a number that is not negative, step and output step must be positive");
    if (!(plan->rtol > 0) || !(plan->atol > 0))
        return ct_fail(ctx, CT_USAGE, "rtol and atol must be positive");
    if (plan->time / plan->step > CT_RUN_MOST_STEPS ||
        plan->time / plan->output_step > CT_RUN_MOST_STEPS)
        return ct_fail(ctx, CT_USAGE, "that would be more than 10^10 steps");
    ct_status status = find_method(ctx, plan);
    if (!status) status = find_integrator(ctx, plan);
    return status ? status : find_implicit(ctx, model, options, plan);
}

ct_status ct_plan_make(ct_context *ctx, ct_system *s, const ct_run_options *options,
                       ct_plan *plan) {
    // options; then the closure, independent coordinates
    ct_status status = ct_plan_options(ctx, s->model, options, plan);
    s->by_loops = plan->kernel.method == CTK_NEWTON_LOOPS;
    if (!status && ct_plan_closes(plan)) status = close_system(ctx, s, plan);
    s->in_natural = plan->kernel.method == CTK_GLOBAL;
    if (!status && s->in_natural)
        status = ct_formulate_natural(ctx, s);
    else if (!status && !ct_plan_closes(plan))
        status = ct_integrate_whole(ctx, s);
    return status ? status : find_independent(ctx, s, plan);
}

void ct_plan_clear(ct_plan *plan) {
    ct_free(plan->independent);
    plan->independent = NULL;
}
