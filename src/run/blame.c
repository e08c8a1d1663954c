// Why a run fails, beyond what the kernel can know: which force, motion or output is not finite,
// which three angles are in gimbal lock, which spring has no direction, or that the step is too
// long.
#include "model/inputs/signals.h"
#include "run/run.h"
#include "formulate/whole_rotation.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The named expressions of the model, and a state that they are looked at in.
typedef struct inquiry {
    ct_region region;
    const ct_runner *r;
    ct_model *model; // in a pool of its own
    ct_formulation *f;
    ct_named named;
    ct_numbers x;
    double *q, *qd, *qdd; // the last valid state
} inquiry;

static double *copy(const double *from, int n) {
    double *to = ct_alloc((size_t)n + 1, sizeof *to);
    memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

// Returns false if the equations cannot be had.
static bool begin(inquiry *a, ct_runner *r) {
    const int n = r->code.model->n + 4 * r->code.model->n_rotations, where = r->sim.where;
    *a = (inquiry){.r = r};
    if (ct_runner_need(r)) return false;
    ct_region_open(&a->region);
    if (r->started) ctk_refresh(&r->sim); // where that fails, the state of the last row stays
    r->sim.where = where;
    a->q = copy(r->sim.q, n);
    a->qd = copy(r->sim.qd, n);
    a->qdd = copy(r->sim.qdd, n);
    const ct_formulation *f = ct_run_formulation(r->s);
    a->model = ct_model_fork(f->model);
    a->f = ct_formulation_view(f, a->model);
    ct_named_find(a->f, &a->named);
    ct_model_numbers(a->model, &a->x);
    return true;
}

static void end(inquiry *a) {
    ct_region_close(&a->region);
    ct_region_free(&a->region);
}

// e + e' dt of a rotation that is integrated whole.
static void turn_ahead(const inquiry *a, int rotation, double dt, double *q) {
    const ct_whole_rotation *b = a->f->whole_rotations + rotation;
    const double *s = a->qd + b->coordinate[0], sign = b->in_root ? -1 : 1;
    double *e0 = q + a->f->n + rotation, *v = q + b->coordinate[0], e[4] = {*e0, v[0], v[1], v[2]};
    // e' = e o (0, s) / 2, or (0, s) o e / 2
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        *e0 -= dt / 2 * e[i + 1] * s[i];
        v[i] += dt / 2 * (e[0] * s[i] + sign * (e[j + 1] * s[k] - e[k + 1] * s[j]));
    }
}

// The state after the last valid one, as that one lets expect: q + q' dt + q'' dt^2/2.
static void look_ahead(inquiry *a, double dt) {
    double t = a->r->sim.t + dt;
    ct_numbers_set(&a->x, 1, &a->model->time, &t);
    if (a->model->signals) {
        double *u = ct_alloc(3 * (size_t)a->model->n_inputs + 1, sizeof *u);
        ct_signals_at(a->model, t, -INFINITY, INFINITY, u);
        ct_model_set_inputs(a->model, u, &a->x);
        ct_free(u);
    }
    const ct_formulation *f = a->f;
    double *q = copy(a->q, ct_position_numbers(f));
    for (int k = 0; k < f->n; k++) {
        double qdd = isfinite(a->qdd[k]) ? a->qdd[k] : 0, qd = a->qd[k] + dt * qdd;
        if (!ct_whole_rotation_of_coordinate(f, k, NULL))
            q[k] = a->q[k] + dt * (a->qd[k] + dt / 2 * qdd);
        ct_numbers_set(&a->x, 1, f->qd + k, &qd);
        ct_ex symbol = ct_acceleration(f, k); // in outputs
        ct_numbers_set(&a->x, 1, &symbol, a->qdd + k);
    }
    if (a->r->reactions) ct_reactions_set(a->r, &a->x);
    // rotations, and their angles by name, as they are known last
    for (int i = 0; i < f->n_integrated; i++) turn_ahead(a, i, dt, q);
    ct_position_set(f, &a->x, q);
    for (int i = 0; i < f->n_integrated; i++) {
        ct_numbers_set(&a->x, 3, f->whole_rotations[i].angle, q + ct_position_count(f) + 3 * i);
        ct_numbers_set(&a->x, 3, f->whole_rotations[i].angle_d, a->qd + f->n + 3 * i);
        if (f->whole_rotations[i].followed)
            ct_numbers_set(&a->x, 3, f->whole_rotations[i].last,
                           a->r->sim.u + 3 * (a->model->n_inputs + i));
    }
    ct_free(q);
}

static double value_of(inquiry *a, ct_ex e) {
    double value;
    ct_numbers_eval(&a->x, 1, &e, &value);
    return value;
}

// The first force, motion or (where asked) output that is not finite; NULL where all are.
static const ct_named_value *not_finite(inquiry *a, bool outputs) {
    int n = a->named.n_values - (outputs ? 0 : a->model->n_outputs); // outputs are the last
    for (int i = 0; i < n; i++)
        if (!isfinite(value_of(a, a->named.values[i].value))) return a->named.values + i;
    return NULL;
}

static ct_status say_not_finite(const inquiry *a, const ct_named_value *v, double dt) {
    return ct_fail(
        a->r->ctx, CT_NUMERICS,
        "at t = %.9g the %s '%s' is not a finite number: look for a division by zero, or "
        "a root or logarithm of something negative, in its expression",
        a->r->sim.t + dt, v->kind, v->name);
}

static ct_status say_locked(const inquiry *a, const ct_named_turn *turn, double dt) {
    if (turn->by_name)
        return ct_fail(a->r->ctx, CT_NUMERICS,
                       "at t = %.9g %s '%s' is in gimbal lock: with its middle angle at a right "
                       "angle (or zero, for a sequence like zxz) the other two turn about one "
                       "axis, and %s '%s' needs the rate of each; give the joint another sequence",
                       a->r->sim.t + dt, turn->kind, turn->name, turn->by_kind, turn->by_name);
    return ct_fail(a->r->ctx, CT_NUMERICS,
                   "at t = %.9g %s '%s' is in gimbal lock: with its middle angle at a right angle "
                   "(or zero, for a sequence like zxz) the other two turn about one axis; give it "
                   "another sequence, or start elsewhere",
                   a->r->sim.t + dt, turn->kind, turn->name);
}

// The middle angle is, or comes within this time, where the measure of lock is zero. At limit positions
// rates without bounds would carry it there from anywhere.
static bool is_locked(inquiry *a, const ct_named_turn *turn, double h, double *dt) {
    look_ahead(a, 0);
    double now = value_of(a, turn->measure);
    look_ahead(a, h);
    double then = value_of(a, turn->measure);
    *dt = fabs(now) > CT_RUN_LOCKED ? h : 0;
    return !(fabs(now) > CT_RUN_LOCKED) || !(fabs(then) > CT_RUN_LOCKED) ||
           (now * then < 0 && fabs(now) < CT_RUN_LOCK_NEAR);
}

// The ends of a spring that lie on each other, with a tension.
ct_status ct_runner_check_lines(ct_runner *r) {
    const ct_model *m = r->s->model;
    bool any = false;
    for (int i = 0; i < m->n_forces; i++)
        any |= ct_force_traits_of(m->forces[i].type)->on == CT_ON_POINTS;
    if (!any) return CT_OK;
    inquiry a;
    ct_status status = CT_OK;
    if (!begin(&a, r)) return CT_OK;
    look_ahead(&a, 0);
    for (int i = 0; i < a.named.n_lines && !status; i++) {
        const ct_named_line *line = a.named.lines + i;
        double tension = value_of(&a, line->tension);
        if (!(value_of(&a, line->distance) <= CT_RUN_NO_DIRECTION * ct_typical_length(m)) ||
            !(fabs(tension) > CT_RUN_NO_TENSION))
            continue;
        status = ct_fail(r->ctx, CT_NUMERICS,
                         "at t = %.9g the ends of spring '%s' lie on each other: its tension of "
                         "%.3g has no direction; move one of its points, or start elsewhere",
                         r->sim.t, line->name, tension);
    }
    end(&a);
    return status;
}

// the step --------------------------------------------------------------------------------------
// From the last valid state with a sixteenth of the step: does it go on past where it stopped, and
// past what a closure foresees (40 steps)?
static bool goes_on_finely(ct_runner *r) {
    enum { FINER = 16, STEPS = 45 * FINER };
    const ctk_model *m = r->code.model;
    ctk_sim sim;
    double *doubles = ct_scratch(ctk_doubles(m) + 1, sizeof *doubles), start = ct_seconds();
    int *ints = ct_scratch(ctk_ints(m) + 1, sizeof *ints), k = 0;
    const int numbers = m->n + 4 * m->n_rotations;
    double *q = copy(r->sim.q, numbers), *qd = copy(r->sim.qd, numbers);
    ctk_options options = r->plan.kernel;
    options.cross_limits = 0;
    if (options.method == CTK_NEWTON) options.independent = r->sim.independent;
    ctk_status status = ctk_init(&sim, m, &options, NULL, NULL, r->sim.t, q, qd, doubles, ints);
    for (; k < STEPS && !status && ct_seconds() - start < CT_RUN_FINER_SECONDS; k++)
        status = ctk_step(&sim, r->plan.step / FINER);
    ct_free(q);
    ct_free(qd);
    return !status && k == STEPS;
}

// Is the failure of a step its own fault: do shorter steps go on?
static bool step_is_long(ct_runner *r) {
    if (!r->started || r->plan.cvode || r->code.model->m == r->code.model->n) return false;
    const int where = r->sim.where;
    bool is_long = !ctk_refresh(&r->sim) && goes_on_finely(r);
    r->sim.where = where;
    return is_long;
}

ct_status ct_runner_blame(ct_runner *r, bool row) {
    enum { HALVINGS = 6 };
    double h = row ? 0 : r->plan.step, dt;
    inquiry a;
    ct_status status = CT_OK;
    // a motion that is lost already: whatever comes of it, the step is to blame
    if (ct_runner_fails_by_values(r)) return CT_NUMERICS;
    if (r->started && ct_runner_is_lost(r)) return ct_runner_say_long(r);
    if (!begin(&a, r)) return CT_OK;
    // an output of an angle in its lock
    for (int i = 0; i < a.named.n_turns && row && !status; i++)
        if (a.named.turns[i].of_output && is_locked(&a, a.named.turns + i, 0, &dt))
            status = say_locked(&a, a.named.turns + i, 0);
    // now, and where a step failed at shorter and longer times ahead within it
    for (int k = -1; k <= (row ? -1 : HALVINGS) && !status; k++) {
        dt = k < 0 ? 0 : ldexp(h, k - HALVINGS);
        look_ahead(&a, dt);
        const ct_named_value *v = not_finite(&a, row);
        if (v) status = say_not_finite(&a, v, dt);
    }
    // three angles in a row
    for (int i = 0; i < a.named.n_turns && !status; i++)
        if (!a.named.turns[i].of_output && is_locked(&a, a.named.turns + i, h, &dt))
            status = say_locked(&a, a.named.turns + i, dt);
    end(&a);
    if (!status && !row && step_is_long(r)) {
        r->by_step = true;
        status = ct_runner_say_long(r);
    }
    return status;
}
