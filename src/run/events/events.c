// Events of a run: breaks of the right side, and joints that come and go by their conditions. Where a
// condition changes within a step, the step is divided at the first time at which it has changed, found
// by bisection of the step itself. What joints have done is kept for the summary.
#include "run/run.h"
#include "run/tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

// room --------------------------------------------------------------------------------------------
void ct_events_open(ct_runner *r) {
    ct_events *e = &r->events;
    const size_t n = (size_t)r->s->model->n_switched;
    e->watches = n > 0;
    e->by_steps = r->plan.events_by_steps;
    e->found = ct_alloc(n + 1, sizeof *e->found);
}

void ct_events_clear(ct_events *e) {
    ct_free(e->log);
    ct_free(e->found);
    ct_free(e->doubles);
    ct_free(e->ints);
    *e = (ct_events){0};
}

// The simulation before a step, and back to it.
static void save(ct_runner *r) {
    ct_events *e = &r->events;
    const size_t doubles = ctk_doubles(r->code.model), ints = ctk_ints(r->code.model);
    if (!e->doubles) {
        e->doubles = ct_alloc(doubles + 1, sizeof *e->doubles);
        e->ints = ct_alloc(ints + 1, sizeof *e->ints);
    }
    e->sim = r->sim;
    memcpy(e->doubles, r->doubles, doubles * sizeof *e->doubles);
    memcpy(e->ints, r->ints, ints * sizeof *e->ints);
}

static void restore(ct_runner *r) {
    const ct_events *e = &r->events;
    r->sim = e->sim;
    memcpy(r->doubles, e->doubles, ctk_doubles(r->code.model) * sizeof *e->doubles);
    memcpy(r->ints, e->ints, ctk_ints(r->code.model) * sizeof *e->ints);
}

// passing -----------------------------------------------------------------------------------------
// A gap of rows as a length or an angle: rows of links are squares, d^2 - L^2.
static double gap_of(const ct_model *model, const ct_joint *joint, double gap) {
    if (ct_joint_traits_of(joint->type)->holds != CT_HOLDS_DISTANCE) return gap;
    const double length = ct_model_number(model, joint->length);
    return sqrt(length * length + gap) - length;
}

static void note(ct_runner *r, int n) {
    ct_events *e = &r->events;
    for (int i = 0; i < n; i++) {
        const ctk_event *x = e->found + i;
        const ct_joint *joint = ct_switched_joint(r->s->model, x->joint);
        *CT_PUSH(e->log, e->n, e->room) =
            (ct_event_entry){.time = r->sim.t,
                             .joint = joint->name,
                             .becomes = x->becomes,
                             .gap = gap_of(r->s->model, joint, x->gap),
                             .loss = x->loss};
        e->loss += x->loss;
    }
}

// A joint whose condition changes with what it does would come and go for ever.
static ct_status check_chatter(ct_runner *r) {
    const ct_events *e = &r->events;
    if (e->n < CT_RUN_CHATTER) return CT_OK;
    const ct_event_entry *last = e->log + e->n - 1, *first = last - CT_RUN_CHATTER + 1;
    if (last->time - first->time > CT_RUN_CHATTER_STEPS * r->plan.step) return CT_OK;
    return ct_fail(r->ctx, CT_NUMERICS,
                   "at t = %.9g joint '%s' comes and goes %d times within %d steps: its condition "
                   "depends on what it holds; say when it stays, as in if(held, 1, condition)",
                   last->time, last->joint, CT_RUN_CHATTER, CT_RUN_CHATTER_STEPS);
}

static ct_status fail(ct_runner *r, ctk_status status) {
    if (status != CTK_GAP) return ct_runner_fail(r, status);
    const ct_joint *joint = ct_switched_joint(r->s->model, r->sim.where);
    ct_error_at(r->ctx, joint->place,
                "at t = %.9g joint '%s' becomes active and stands open by %.6g: give it a gap that "
                "it closes, or attach: here",
                r->sim.t, joint->name, gap_of(r->s->model, joint, r->sim.switching.gap));
    return CT_NUMERICS;
}

ct_status ct_events_pass(ct_runner *r, unsigned kinds) {
    int n = 0;
    double change;
    if (!kinds && !r->events.watches) return CT_OK;
    // inputs alone
    if (kinds == CT_BREAK_INPUT && !r->events.watches) {
        ctk_status changed = ctk_inputs_changed(&r->sim);
        return changed ? ct_runner_fail(r, changed) : CT_OK;
    }
    ctk_status status =
        ctk_event_pass(&r->sim, (kinds & CT_BREAK_MOTION) != 0, r->events.found, &n, &change);
    if (status) return fail(r, status);
    note(r, n);
    return n ? check_chatter(r) : CT_OK;
}

ct_status ct_events_start(ct_runner *r) {
    ct_events *e = &r->events;
    e->n = 0;
    e->loss = 0;
    e->late = 0;
    if (!e->watches || !ctk_event_is_due(&r->sim)) return CT_OK;
    return ct_events_pass(r, CT_BREAK_JOINT);
}

// steps -------------------------------------------------------------------------------------------
// Goes from the state that was saved to the first one, at most h later, in which a condition has
// changed; to rounding. Where a step fails on the way the whole one stands.
static ctk_status locate(ct_runner *r, double h) {
    enum { ROUNDS = 60 };
    double low = 0, high = h;
    const double rounding = 4 * DBL_EPSILON * (fabs(r->events.sim.t) + fabs(h));
    for (int i = 0; i < ROUNDS && high - low > rounding; i++) {
        const double middle = low + (high - low) / 2;
        restore(r);
        const bool before = ctk_step(&r->sim, middle) || !ctk_event_is_due(&r->sim);
        *(before ? &low : &high) = middle;
    }
    restore(r);
    return ctk_step(&r->sim, high);
}

ctk_status ct_events_step(ct_runner *r, double h, ct_status *status) {
    enum { DIVISIONS = 8 };
    ct_events *e = &r->events;
    *status = CT_OK;
    if (!e->watches) return ctk_step(&r->sim, h);
    const double end = r->sim.t + h;
    for (int divisions = 0;; divisions++) {
        const double rest = end - r->sim.t;
        save(r);
        ctk_status k = ctk_step(&r->sim, rest);
        if (k || !ctk_event_is_due(&r->sim)) return k;
        // the step is divided, or the event is late
        if (divisions < DIVISIONS && !e->by_steps) k = locate(r, rest);
        e->late += divisions == DIVISIONS;
        if (k) return k;
        *status = ct_events_pass(r, 0);
        if (*status || !(end - r->sim.t > CT_RUN_PART * r->plan.step)) return CTK_OK;
    }
}

void ct_events_summarise(const ct_runner *r, ct_run_summary *summary) {
    const ct_events *e = &r->events;
    summary->switches = e->watches;
    summary->impact_loss = e->loss;
    summary->late_events = e->late;
    summary->n_events = e->n;
    if (!e->watches) return;
    // of the system, since the run ends
    ct_event_entry *log = ct_alloc((size_t)e->n + 1, sizeof *log);
    if (e->n) memcpy(log, e->log, (size_t)e->n * sizeof *log);
    summary->events = log;
}
