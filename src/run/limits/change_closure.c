// Another closure at a limit position. Where two branches of a closure meet, its independent
// coordinates cannot describe the motion any more; others can. The kernel makes one step by partition
// there, which picks coordinates that are regular. A closure with these, in closed form, goes on from
// the state behind that step, in code of its own; it stays until it comes to a limit of its own. Then
// one that was left before takes over again if its limit is well behind it, or a further one. Where
// there is none, partition goes on and returns to the closure that was left.
#include "run/run.h"
#include "run/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 }; // closures of one run

// Returns true if nobody named the method or the coordinates, and all that a run shows can follow a
// change of coordinates.
static bool may_change(const ct_runner *r) {
    const ctk_model *m = r->code.model;
    const ct_model *model = r->s->model;
    bool named =
        r->options->method || model->settings.method || model->n_independent || r->s->named;
    return !named && !r->kinematics && !r->reactions && !r->s->turned &&
           r->plan.kernel.method == CTK_TRIANGULAR && r->plan.kernel.cross_limits &&
           !m->n_rotations && !m->wrenches;
}

// the state ---------------------------------------------------------------------------------------
// The smallest measure of the closure at the current state, in parts of its scale.
static double margin_of(const ctk_sim *sim) {
    double least = INFINITY;
    for (int i = 0; i < sim->model->closure->n_guards; i++)
        if (sim->guard_scale[i] > 0)
            least = fmin(least, sim->space.base_g[i] / sim->guard_scale[i]);
    return least;
}

// All that is summed up or compared along a run goes on, coordinate by coordinate.
static void carry_errors(const ctk_sim *from, ctk_sim *to) {
    const ctk_space *a = &from->space, *b = &to->space;
    double *const to_of[] = {b->most_rate, b->most_error, b->error_t, b->sum_error};
    const double *const from_of[] = {a->most_rate, a->most_error, a->error_t, a->sum_error};
    for (int k = 0; k < to->model->n; k++) {
        int at = ct_model_place(from->model, to->model->coordinate_names[k]);
        for (int i = 0; i < 4 && at >= 0; i++) to_of[i][k] = from_of[i][at];
    }
}

static void carry(const ctk_sim *from, ctk_sim *to) {
    carry_errors(from, to);
    to->start = from->start;
    to->work = to->space.now[to->state_size - 1] = from->work;
    to->max_residual = fmax(to->max_residual, from->max_residual);
    to->evaluations += from->evaluations;
    to->limits_crossed = from->limits_crossed;
    to->branch_changes = from->branch_changes;
    to->reselections = from->reselections;
    to->row_changes = from->row_changes;
    to->limit = from->limit;
}

// Starts a closure that is put aside from the state of the run. Returns false if its smallest measure
// is not as large as `least` there.
static bool start(ct_runner *r, const ct_run_closure *x, double least, ctk_sim *sim) {
    const ctk_model *m = x->code.model;
    double *q = ct_scratch((size_t)m->n + 1, sizeof *q);
    double *qd = ct_scratch((size_t)m->n + 1, sizeof *qd);
    // every coordinate is a column of a whole row, of this state
    if (ct_runner_look(r, CT_LOOK_WHOLE)) return false;
    for (int k = 0; k < m->n; k++) {
        int column = 1 + ct_model_coordinate(r->s->model, m->coordinate_names[k]);
        q[k] = r->row[column];
        qd[k] = r->row[r->columns.width + column];
    }
    ctk_status status =
        ctk_init(sim, m, &r->plan.kernel, NULL, NULL, r->sim.t, q, qd, x->doubles, x->ints);
    return !status && !sim->crossing_limit && margin_of(sim) >= fmax(CT_RUN_REGULAR, least);
}

// What is known of the closure in use when it is left.
static void note_left(ct_runner *r) {
    const ctk_space *s = &r->sim.space;
    ct_run_closure *x = r->closures + r->in_use;
    const ctk_closure *k = r->code.model->closure;
    const double scale = s->left >= 0 ? r->sim.guard_scale[s->left] : 0;
    x->margin = scale > 0 ? s->left_g / scale : 0;
    if (!x->signs) x->signs = ct_alloc((size_t)k->n_signs + 1, sizeof *x->signs);
    memcpy(x->signs, s->left_b, (size_t)k->n_signs * sizeof *x->signs);
    // the largest error of a step so far, also of coordinates that the next one does not have
    const char *name;
    double error = ct_runner_local_error(r, &name);
    r->error = error;
    r->error_of = name;
}

// Goes on by closure i, started in sim.
static void take(ct_runner *r, int i, ctk_sim *sim) {
    const ct_run_closure *next = r->closures + i;
    note_left(r);
    carry(&r->sim, sim);
    bool other = false;
    for (int k = 0; k < sim->model->closure->n_signs && next->signs; k++)
        other = other || (next->signs[k] != 0 && sim->space.b[k] != next->signs[k]);
    sim->branch_changes += other;
    ct_runner_use_closure(r, i);
    r->sim = *sim;
}

// a new one ---------------------------------------------------------------------------------------
// Returns true if a step of another closure is the one that has come to its limit: it would be there,
// too.
static bool is_at_limit(const ct_runner *r, const char *step, const char *joint) {
    const ctk_closure *now = r->code.model->closure;
    const int at = r->sim.limit;
    return at >= 0 && !strcmp(step, now->step_names[at]) && !strcmp(joint, now->step_joints[at]);
}

// Returns true if the closure has square roots at most, none of them that which is at its limit; its
// coordinates are those of joints alone; and it is not much dearer than the first one.
static bool is_fit(const ct_runner *r, const ct_closed *closed) {
    const ct_closure *c = closed->closure;
    const ct_formulation *f = closed->run->f;
    if (!closed->flow || closed->flow->torn || closed->of_bodies || f->n_integrated || c->n_balls)
        return false;
    for (int i = 0; i < c->n_steps; i++) {
        const ct_step *step = c->steps + i;
        const char *joint = step->joint >= 0 ? f->model->joints[step->joint].name : "";
        if (step->method == CT_STEP_NEWTON || step->method == CT_STEP_POLYNOMIAL) return false;
        if (is_at_limit(r, step->text ? step->text : "", joint)) return false;
    }
    for (int k = 0; k < f->n; k++)
        if (f->coordinate[k] < 0) return false;
    return ct_closure_cost(c) <=
           CT_RUN_OTHER_COST * ct_closure_cost(r->closures[0].closed->closure);
}

// Code and columns of a closure that is put aside. Returns false if there is none, or the columns are
// not those of the run.
static bool prepare(ct_runner *r, ct_closed *closed, ct_run_closure *x) {
    ct_context *quiet = ct_context_quiet(r->ctx);
    ct_closed *now = r->s->closed;
    *x = (ct_run_closure){.closed = closed};
    r->s->closed = closed;
    ct_columns_init(&x->columns, r->s, r->kinematics);
    bool good = x->columns.n == r->columns.n && !ct_runner_compile(r, quiet, &x->code);
    r->s->closed = now;
    ct_context_free(quiet);
    if (!good) {
        ct_columns_clear(&x->columns);
        return false;
    }
    const ct_formulation *f = closed->run->f;
    x->units = ct_alloc((size_t)f->n + 1, sizeof(double));
    for (int k = 0; k < f->n; k++) x->units[k] = ct_coordinate_unit(f, k);
    return true;
}

// A closure with these independent coordinates from the equations. Returns false if there is none;
// *none: since none fits.
static bool find(ct_runner *r, int n, const char *const *names, ct_run_closure *x, bool *none) {
    ct_closed *closed = NULL;
    *none = false;
    if (ct_runner_need(r) || !r->closures[0].closed) return false;
    ct_context *quiet = ct_context_quiet(r->ctx);
    *none = ct_close_beside(quiet, r->s, n, names, &closed) || !is_fit(r, closed);
    ct_context_free(quiet);
    bool good = !*none && prepare(r, closed, x);
    if (!good) ct_closed_free(closed);
    return good;
}

// The same, of an earlier run where that has kept it, or that there is none; key: of the run. What is
// found here is kept for the next one.
static bool find_or_recall(ct_runner *r, ct_digest key, int n, const char *const *names,
                           ct_run_closure *x) {
    ct_kept_form known = {0};
    bool none;
    if (!r->has_key) return find(r, n, names, x, &none);
    // the closure in use, its step at the limit, the coordinates of the other one
    const char **own = ct_closure_names(r->code.model, &n);
    for (int i = 0; i < n; i++) ct_digest_add_text(&key, own[i]);
    ct_digest_add_number(&key, r->sim.limit);
    for (int i = 0; i < n; i++) ct_digest_add_text(&key, names[i]);
    if (ct_kept_form_read(key, &known) && !known.possible) return false;
    if (r->recalled && ct_runner_recall_closure(r, key, x)) return true;
    bool good = find(r, n, names, x, &none);
    known = (ct_kept_form){.possible = false};
    if (good) ct_runner_keep_closure(r, key, x);
    if (none) ct_kept_form_write(key, &known);
    return good;
}

// "a, b"
static char *list_of(int n, const char *const *names) {
    ct_text t = {0};
    for (int i = 0; i < n; i++) ct_text_printf(&t, "%s%s", i ? ", " : "", names[i]);
    return ct_text_take(&t);
}

// A closure with these independent coordinates where none was looked for before; its number, or -1.
static int find_once(ct_runner *r, int n, const char *const *names) {
    ct_run_closure x;
    if (r->n_closures == MOST) return -1;
    char *all = list_of(n, names), *text = ct_format("%d at %d: %s", r->in_use, r->sim.limit, all);
    bool known = false;
    ct_free(all);
    for (int i = 0; i < r->looked_for.n && !known; i++)
        known = !strcmp(r->looked_for.item[i], text);
    if (known)
        ct_free(text);
    else
        ct_strings_add(&r->looked_for, text);
    // the first closure of the run is one of several from now on
    if (!r->n_closures)
        *CT_PUSH(r->closures, r->n_closures, r->room_closures) =
            (ct_run_closure){.closed = r->recalled ? NULL : r->s->closed};
    if (known || !find_or_recall(r, r->key, n, names, &x)) return -1;
    x.doubles = ct_alloc(ctk_doubles(x.code.model) + 1, sizeof(double));
    x.ints = ct_alloc(ctk_ints(x.code.model) + 1, sizeof(int));
    *CT_PUSH(r->closures, r->n_closures, r->room_closures) = x;
    return r->n_closures - 1;
}

// which one goes on -------------------------------------------------------------------------------
// The coordinates that partition has picked at this state, with which it is regular. Returns false if
// one is none of a joint.
static bool picked(const ct_runner *r, int n, const char **names) {
    const ctk_model *m = r->code.model;
    for (int i = 0; i < n; i++) {
        names[i] = m->coordinate_names[r->sim.independent[i]];
        if (ct_model_coordinate(r->s->model, names[i]) < 0) return false;
    }
    return true;
}

// Returns true if the independent coordinates of a closure are the n that are named.
static bool has_picked(const ctk_model *m, int n, const char *const *names) {
    int r, same = 0;
    const char **own = ct_closure_names(m, &r);
    for (int i = 0; i < r; i++)
        for (int k = 0; k < n; k++) same += !strcmp(own[i], names[k]);
    return same == n;
}

// Starts a closure of the run, other than that in use, where it may go on. picked: it has the
// coordinates that partition has picked; otherwise it must have come away from its limit.
static bool try(ct_runner *r, int i, bool picked, ctk_sim *sim) {
    const ct_run_closure *x = r->closures + i;
    const ctk_closure *k = x->code.model->closure;
    for (int j = 0; j < k->n_steps; j++)
        if (is_at_limit(r, k->step_names[j], k->step_joints[j])) return false;
    return start(r, x, picked ? 0 : CT_RUN_FARTHER * x->margin, sim);
}

// Looks for a closure to go on with, started in sim. Returns its number, or -1.
static int look_for(ct_runner *r, ctk_sim *sim) {
    const int n = r->code.model->closure->n_independent;
    const char **names = ct_scratch((size_t)n + 1, sizeof *names);
    if (!picked(r, n, names)) return -1;
    // with the coordinates that partition has picked
    bool there = has_picked(r->code.model, n, names);
    for (int i = 0; i < r->n_closures; i++) {
        if (i == r->in_use || !has_picked(r->closures[i].code.model, n, names)) continue;
        if (try(r, i, true, sim)) return i;
        there = true;
    }
    // another one, then a new one
    for (int i = 0; i < r->n_closures; i++)
        if (i != r->in_use && try(r, i, false, sim)) return i;
    int i = there ? -1 : find_once(r, n, names);
    return i >= 0 && try(r, i, true, sim) ? i : -1;
}

// Returns true if the closure in use has come to its limit as soon as it was taken: no other one would
// do better, and partition goes on until this limit is well behind.
static bool is_too_soon(const ct_runner *r) {
    return r->changed && r->steps - r->changed_at < CT_RUN_STAY;
}

bool ct_runner_pass_limit(ct_runner *r) {
    if (r->sim.limits_crossed == r->limits_crossed) return false;
    ctk_sim sim;
    bool may = r->sim.crossing_limit && may_change(r) && !is_too_soon(r);
    int i = may ? look_for(r, &sim) : -1;
    if (i < 0) {
        ct_runner_tell(r, NULL);
        return false;
    }
    int n;
    const char **names = ct_closure_names(sim.model, &n);
    char *text = list_of(n, names);
    ct_runner_tell(r, text);
    ct_free(text);
    take(r, i, &sim);
    r->changed_at = r->steps;
    return true;
}
