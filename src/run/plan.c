// Options: the caller's first, then the model's `simulate:`, then defaults.
#include "program/interpret.h"
#include "formulate/whole_rotation.h"
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ct_run_options_init(ct_run_options *o) {
    *o = (ct_run_options){.time = -1,
                          .step = -1,
                          .output_step = -1,
                          .alpha = -1,
                          .beta = -1,
                          .penalty = -1,
                          .zeta = -1,
                          .omega = -1,
                          .rtol = -1,
                          .atol = -1};
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

ct_status ct_plan_driven(ct_context *ctx, ct_system *s, ct_run_options *o) {
    static const char *const allowed[] = {"triangular", "newton-loops", "newton"};
    ct_status status = not_driven(ctx, s);
    if (status) return status;
    bool known = !o->method;
    for (int i = 0; i < 3 && !known; i++) known = !strcmp(o->method, allowed[i]);
    if (!known)
        return ct_fail(ctx, CT_USAGE,
                       "a driven motion has the methods triangular, newton-loops and newton, not "
                       "'%s'",
                       o->method);
    o->integrator = "rk4";
    if (o->method) return CT_OK;
    ct_context *quiet = ct_context_quiet(NULL);
    o->method = ct_close_system(quiet, s) ? "newton" : "triangular";
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

static ct_status find_method(ct_context *ctx, ct_plan *p) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, p->method_name)) {
            p->kernel.method = methods[i].method;
            return CT_OK;
        }
    return ct_no_such(ctx, "method", p->method_name, CT_METHODS(CT_NAME_AND_BLANK),
                      CT_METHODS_LATER(CT_NAME_AND_BLANK));
}

static ct_status find_integrator(ct_context *ctx, ct_plan *p) {
    p->cvode = !strcmp(p->integrator_name, "cvode");
    if (p->cvode) return CT_OK;
    p->automatic = !strcmp(p->integrator_name, "auto");
    if (p->automatic) p->integrator_name = "rk4"; // until it proves too coarse
    for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++)
        if (!strcmp(integrators[i].name, p->integrator_name)) {
            p->kernel.integrator = integrators[i].integrator;
            return CT_OK;
        }
    return ct_no_such(ctx, "integrator", p->integrator_name,
                      CT_INTEGRATORS_CHOSEN(CT_NAME_AND_BLANK) CT_INTEGRATORS(CT_NAME_AND_BLANK)
                          CT_INTEGRATORS_ADAPTIVE(CT_NAME_AND_BLANK),
                      CT_INTEGRATORS_LATER(CT_NAME_AND_BLANK));
}

// Indices of the coordinates that the model names in `independent:`.
static ct_status find_independent(ct_context *ctx, const ct_system *s, ct_plan *p) {
    const ct_model *m = s->model;
    const ct_assembled *at = ct_system_state(s);
    // only methods that partition the coordinates ask for them
    int need = at->f->n - at->m;
    if (!m->n_independent || (p->kernel.method != CTK_NEWTON && p->kernel.method != CTK_PARTITION))
        return CT_OK; // a closure has its own
    // by name
    p->independent = ct_alloc((size_t)m->n_independent + 1, sizeof *p->independent);
    ct_status status = CT_OK;
    for (int i = 0; i < m->n_independent; i++) {
        p->independent[i] = -1;
        for (int k = 0; k < at->f->n; k++)
            if (!strcmp(at->f->names[k], m->independent[i].name)) p->independent[i] = k;
        if (p->independent[i] < 0) {
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
    p->kernel.independent = p->independent;
    return status;
}

bool ct_plan_closes(const ct_plan *p) {
    return p->kernel.method == CTK_TRIANGULAR || p->kernel.method == CTK_NEWTON_LOOPS;
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
static ct_status close_system(ct_context *ctx, ct_system *s, ct_plan *p) {
    if (!p->chosen) {
        // the closure is made of some of the rows; where these depend on each other, others do not
        ct_status named = ct_close_system(ctx, s);
        p->kernel.cross_limits = !named && ct_system_state(s)->n_dropped > 0;
        return named;
    }
    ct_context *quiet = ct_context_quiet(ctx);
    bool closed = !ct_close_system(quiet, s);
    // so near to where branches meet its code must be able to start with another method
    int step;
    const ct_closure *c = ct_system_closure(s);
    p->complete = closed && c->r && margin(c, ct_system_state(s)->q0, &step) < CT_RUN_NEAR_BRANCH;
    p->kernel.cross_limits = closed;
    // without a closure: partition
    if (!closed) {
        p->method_name = "partition";
        p->kernel.method = CTK_PARTITION;
    }
    return CT_OK;
}

ct_status ct_plan_options(ct_context *ctx, const ct_model *model, const ct_run_options *o,
                          ct_plan *p) {
    const ct_settings *m = &model->settings;
    *p = (ct_plan){0};
    ctk_options_init(&p->kernel);
    // numbers and names: the caller's, the model's, defaults
    p->time = pick(o->time, m->time, CT_RUN_TIME);
    p->step = pick(o->step, m->step, CT_RUN_STEP);
    p->output_step = pick(o->output_step, m->output_step, p->step);
    p->rtol = pick(o->rtol, m->rtol, CT_RUN_RTOL);
    p->atol = pick(o->atol, m->atol, CT_RUN_ATOL);
    p->method_name = o->method ? o->method : m->method ? m->method : "triangular";
    p->chosen = !o->method && !m->method;
    p->kernel.energy = 1;
    p->integrator_name = o->integrator ? o->integrator : m->integrator ? m->integrator : "auto";
    // stabilisation: the kernel's values are the defaults
    override(o->alpha, m->alpha, &p->kernel.alpha);
    override(o->beta, m->beta, &p->kernel.beta);
    override(o->penalty, m->penalty, &p->kernel.penalty);
    override(o->zeta, m->zeta, &p->kernel.zeta);
    override(o->omega, m->omega, &p->kernel.omega);
    // ranges
    if (!isfinite(p->time) || !(p->step > 0) || !isfinite(p->step) || !(p->output_step > 0) ||
        !isfinite(p->output_step))
        return ct_fail(
            ctx, CT_USAGE,
            "time must be a number that is not negative, step and output step must be positive");
    if (!(p->rtol > 0) || !(p->atol > 0))
        return ct_fail(ctx, CT_USAGE, "rtol and atol must be positive");
    if (p->time / p->step > CT_RUN_MOST_STEPS || p->time / p->output_step > CT_RUN_MOST_STEPS)
        return ct_fail(ctx, CT_USAGE, "that would be more than 10^10 steps");
    ct_status status = find_method(ctx, p);
    return status ? status : find_integrator(ctx, p);
}

ct_status ct_plan_make(ct_context *ctx, ct_system *s, const ct_run_options *o, ct_plan *p) {
    // options; then the closure, independent coordinates
    ct_status status = ct_plan_options(ctx, s->model, o, p);
    if (!status && ct_plan_closes(p)) status = close_system(ctx, s, p);
    if (!status && !ct_plan_closes(p)) status = ct_integrate_whole(ctx, s);
    return status ? status : find_independent(ctx, s, p);
}

void ct_plan_clear(ct_plan *p) {
    ct_free(p->independent);
    p->independent = NULL;
}
