// Motions without jumps: where the value of a prescribed motion jumps bodies cannot follow. Where its
// rate jumps they get an impulse, as an event (events.c; in generated code the kernel's ctk_kinks.c), but
// at the start there is no state before. The same holds for what an equation between coordinates says
// about time.
#include "expr/jumps/jump.h"
#include "model/inputs/signals.h"
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>

typedef struct jump_check {
    ct_context *ctx;
    const ct_model *model;
    ct_pool *pool;            // a copy: generated code does not depend on what is looked for
    ct_substitution *signals; // of inputs that follow an expression of time
    ct_numbers numbers;
    double time;
    ct_run_kind kind;
    ct_status status;
} jump_check;

static double number_of(void *data, ct_ex symbol) {
    const jump_check *c = data;
    double known = ct_numbers_get(&c->numbers, symbol);
    return isnan(known) ? ct_signal_number((void *)c->model, symbol) : known;
}

// What is wrong with a jump, and what to do.
static const char *reason(const ct_jump *jump) {
    if (jump->order == CT_JUMP_VALUE)
        return "bodies cannot follow; give the motion without a jump, or a table";
    return "the bodies start with the first; write the motion as it is from t = 0 on";
}

// Tells of a jump: an error where the run would be wrong, else a warning.
static void tell(jump_check *c, ct_place place, const char *what, const ct_jump *jump,
                 bool refuse) {
    char *text =
        ct_scratch_format("at t = %.9g %s%s jumps by %.3g, from %.6g to %.6g: %s", jump->at,
                          jump->order == CT_JUMP_VALUE ? "" : "the rate of ", what,
                          jump->behind - jump->before, jump->before, jump->behind, reason(jump));
    if (refuse)
        ct_error_at(c->ctx, place, "%s", text);
    else
        ct_warning_at(c->ctx, place, "%s", text);
    if (refuse) c->status = CT_NUMERICS;
}

// One function of time: first for what must be refused, then for what is worth a warning.
static void check_function(jump_check *c, ct_place place, const char *what, ct_ex f) {
    const double refused = CT_RUN_JUMP_VALUE;
    f = ct_substitute(c->signals, f);
    bool drives = c->kind == CT_RUN_KINEMATICS, generates = c->kind == CT_RUN_GENERATE;
    ct_jump_search search = {
        .f = f, .symbol = c->model->time, .to = c->time, .value = number_of, .data = c};
    ct_jump jump;
    // a rate that jumps at the start
    search.least[CT_JUMP_VALUE] = INFINITY;
    search.least[CT_JUMP_RATE] = CT_RUN_JUMP_RATE;
    search.start_rate = true;
    if (!drives && ct_jump_find(c->pool, &search, &jump) && jump.at <= 0) {
        tell(c, place, what, &jump, !generates);
        return;
    }
    // values on the way; rates get their impulse there
    search.least[CT_JUMP_RATE] = INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        search.least[CT_JUMP_VALUE] = pass ? CT_RUN_JUMP_SEEN : refused;
        bool found = ct_jump_find(c->pool, &search, &jump);
        if (found) {
            tell(c, place, what, &jump, !pass && !generates);
            return;
        }
        if (jump.searched < c->time) {
            ct_warning_at(c->ctx, place,
                          "%s switches too often to be searched for jumps after t = %.9g", what,
                          jump.searched);
            return;
        }
    }
}

// The largest parts of an equation that depend on time alone.
static void check_parts(jump_check *c, ct_place place, ct_ex a) {
    const unsigned moving = 1u << CT_SYMBOL_COORDINATE | 1u << CT_SYMBOL_OTHER;
    unsigned kinds = ct_ex_kinds(c->pool, ct_substitute(c->signals, a));
    if (c->status || !(kinds & 1u << CT_SYMBOL_TIME)) return;
    if (!(kinds & moving)) {
        check_function(c, place, "this part of the equation", a);
        return;
    }
    for (int i = 0; i < ct_child_count(c->pool, a); i++)
        check_parts(c, place, ct_child(c->pool, a, i));
}

ct_status ct_run_check_jumps(ct_context *ctx, const ct_model *model, double time,
                             ct_run_kind kind) {
    jump_check c = {.ctx = ctx, .model = model, .time = time, .kind = kind};
    bool any = model->n_motions > 0;
    const int joints = model->n_joints + model->n_switched;
    for (int i = 0; i < joints; i++) any |= model->joints[i].type == CT_JOINT_CONSTRAINT;
    if (!any) return CT_OK;
    // inputs as the expressions that they follow, in the pool of these
    c.pool = ct_pool_copy(model->signals ? model->signals->pool : model->pool);
    c.signals = ct_substitution_new(c.pool);
    for (int i = 0; i < model->n_inputs; i++) {
        ct_ex value;
        if (ct_signal_expression(model, i, &value))
            ct_substitution_map(c.signals, model->inputs[i].symbol, value);
    }
    ct_model_numbers(model, &c.numbers);
    for (int i = 0; i < model->n_motions && !c.status; i++)
        check_function(&c, model->motions[i].place, "this motion", model->motions[i].value);
    for (int i = 0; i < joints; i++)
        if (model->joints[i].type == CT_JOINT_CONSTRAINT)
            check_parts(&c, model->joints[i].place, model->joints[i].equation);
    ct_substitution_free(c.signals);
    ct_numbers_clear(&c.numbers);
    ct_pool_free(c.pool);
    return c.status;
}
