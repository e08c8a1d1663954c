// Times at which the model itself switches: parts of forces, motions and equations that depend on time
// alone, and conditions of joints that come and go. Inputs that follow expressions of time stand for
// these. Steps end there, so that each of them sees a smooth function.
#include "expr/jumps/jump.h"
#include "model/inputs/signals.h"
#include "run/run.h"

#include <math.h>

typedef struct finder {
    ct_runner *r;
    const ct_model *model;
    ct_pool *pool; // a copy: generated code does not depend on what is looked for
    // inputs as expressions of time or constants; those of a file in motions alone, since steps are
    // divided at its rows
    ct_substitution *signals, *driving;
    unsigned kinds; // of the breaks that are found
    const char *what;
} finder;

// The largest parts of an expression that depend on time alone.
static void find_parts(finder *x, ct_ex a) {
    const unsigned moving = 1u << CT_SYMBOL_COORDINATE | 1u << CT_SYMBOL_RATE |
                            1u << CT_SYMBOL_OTHER | 1u << CT_SYMBOL_INPUT;
    const unsigned kinds = ct_ex_kinds(x->pool, a);
    if (!(kinds & 1u << CT_SYMBOL_TIME)) return;
    if (!(kinds & moving)) {
        ct_breaks_add_jumps(x->r, x->pool, a, x->kinds, x->what);
        return;
    }
    for (int i = 0; i < ct_child_count(x->pool, a); i++) find_parts(x, ct_child(x->pool, a, i));
}

static void find(finder *x, ct_ex a, unsigned kinds, const char *kind, const char *name) {
    x->kinds = kinds;
    x->what = ct_scratch_format("%s '%s'", kind, name);
    find_parts(x, a);
}

// Motions and equations between coordinates: where a value or a rate jumps velocities do, where an
// acceleration does the right side alone.
static void find_driven(finder *x, ct_ex a, const char *kind, const char *name) {
    const ct_ex value = ct_substitute(x->driving, a);
    find(x, value, CT_BREAK_MOTION, kind, name);
    if (x->r->events.by_steps) return;
    ct_derivation *d = ct_derivation_new(x->pool);
    ct_derivation_map(d, x->model->time, CT_ONE);
    const ct_ex rate = ct_derive(d, value);
    ct_derivation_free(d);
    x->kinds = CT_BREAK_FORCE;
    find_parts(x, rate);
}

// The condition of a joint, while it holds and while it does not.
static void find_condition(finder *x, const ct_joint *joint) {
    const ct_ex held[] = {CT_ZERO, CT_ONE};
    for (int i = 0; i < 2; i++) {
        ct_substitution *s = ct_substitution_new(x->pool);
        ct_substitution_map(s, joint->holds, held[i]);
        find(x, ct_substitute(x->signals, ct_substitute(s, joint->active)), CT_BREAK_JOINT,
             "active of joint", joint->name);
        ct_substitution_free(s);
    }
}

// Where steps are not to be divided (--events step), kinks of motions are left: no step sees both rates.
static void find_all(finder *x) {
    const ct_model *m = x->model;
    const bool by_steps = x->r->events.by_steps;
    for (int i = 0; i < m->n_forces && !by_steps; i++) {
        ct_ex used[CT_FORCE_EXPRESSIONS];
        ct_force_expressions(m->forces + i, used);
        for (int k = 0; k < CT_FORCE_EXPRESSIONS; k++)
            find(x, ct_substitute(x->signals, used[k]), CT_BREAK_FORCE, "force", m->forces[i].name);
    }
    for (int i = 0; i < m->n_motions; i++)
        find_driven(x, m->motions[i].value, "motion", m->motions[i].name);
    for (int i = 0; i < m->n_joints + m->n_switched; i++) {
        const ct_joint *j = m->joints + i;
        if (ct_joint_is_equation(j->type)) find_driven(x, j->equation, "constraint", j->name);
        if (j->is_switched && !by_steps) find_condition(x, j);
    }
}

// Returns true if an expression holds time, or an input that may follow it.
static bool has_time(const ct_model *model, ct_ex a) {
    const unsigned time = 1u << CT_SYMBOL_TIME | (model->signals ? 1u << CT_SYMBOL_INPUT : 0);
    return (ct_ex_kinds(model->pool, a) & time) != 0;
}

// The same for the model: without it nothing is looked for, and no pool is copied.
static bool depends_on_time(const ct_model *model) {
    bool any = model->n_switched > 0;
    for (int i = 0; i < model->n_forces && !any; i++) {
        ct_ex used[CT_FORCE_EXPRESSIONS];
        ct_force_expressions(model->forces + i, used);
        for (int k = 0; k < CT_FORCE_EXPRESSIONS; k++) any = any || has_time(model, used[k]);
    }
    for (int i = 0; i < model->n_motions; i++)
        any = any || has_time(model, model->motions[i].value);
    for (int i = 0; i < model->n_joints; i++)
        any = any || (ct_joint_is_equation(model->joints[i].type) &&
                      has_time(model, model->joints[i].equation));
    return any;
}

void ct_switching_times(ct_runner *r) {
    const ct_model *m = r->s->model;
    finder x = {.r = r, .model = m};
    if (!depends_on_time(m)) return;
    x.pool = ct_pool_copy(m->signals ? m->signals->pool : m->pool);
    x.signals = ct_substitution_new(x.pool);
    x.driving = ct_substitution_new(x.pool);
    for (int i = 0; i < m->n_inputs; i++) {
        ct_ex value = ct_exact_number(x.pool, m->inputs[i].number);
        const bool follows = ct_signal_expression(m, i, &value);
        const bool from_file = m->signals && m->signals->of[i].from_file;
        if (m->signals && !follows) continue;
        ct_substitution_map(x.driving, m->inputs[i].symbol, value);
        if (!from_file) ct_substitution_map(x.signals, m->inputs[i].symbol, value);
    }
    find_all(&x);
    ct_substitution_free(x.driving);
    ct_substitution_free(x.signals);
    ct_pool_free(x.pool);
}
