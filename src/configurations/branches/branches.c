// Branches: assemblies are found by algebra between all critical positions, or at positions spread
// over the range where these are not known, and followed in both directions. An assembly that no
// curve so far has passed starts one of its own. Curves are cut where the drive turns back and where
// they cross; the pieces are the branches.
#include "configurations/assemblies.h"
#include "configurations/branches/branches_inside.h"
#include "configurations/branches/critical.h"
#include "configurations/polynomials.h"
#include "model/read/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ct_branches_result result;
typedef ct_branching job;

// positions where assemblies are found if critical ones are not known, ends of the range included
enum { POSITIONS = 25 };
static const double SAME = 1e-6;       // assemblies, in radians and lengths
static const double IRRATIONAL = 1e-3; // share of a step by which positions avoid round numbers

// the range ---------------------------------------------------------------------------------------
static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    const ct_model *m = data;
    (void)offset;
    (void)error;
    if (primes) return false;
    if (!strcmp(name, "pi")) return *value = ct_pi(m->pool), true;
    if (!strcmp(name, "deg"))
        return *value = ct_div(m->pool, ct_pi(m->pool), ct_int(m->pool, 180)), true;
    if (!strcmp(name, "mm")) return *value = ct_rational(m->pool, 1, 1000), true;
    for (int i = 0; i < m->n_parameters; i++)
        if (!strcmp(m->parameters[i].name, name)) return *value = m->parameters[i].symbol, true;
    return false;
}

static ct_status read_bound(job *j, const char *text, double *value) {
    ct_names names = {.data = (void *)j->model, .resolve = resolve};
    ct_parse_error error = {0};
    ct_ex e;
    if (!ct_parse(j->model->pool, text, &names, &e, &error))
        return ct_fail(j->ctx, CT_USAGE, "--over: '%s' is no number: %s", text,
                       *error.message ? error.message : "an unknown name");
    *value = ct_model_number(j->model, e);
    if (!isfinite(*value)) return ct_fail(j->ctx, CT_USAGE, "--over: '%s' is not finite", text);
    return CT_OK;
}

// "q=a..b"
static ct_status read_range(job *j, const char *over) {
    result *r = j->out;
    const char *equals = strchr(over, '='), *dots = equals ? strstr(equals, "..") : NULL;
    if (!dots) return ct_fail(j->ctx, CT_USAGE, "--over: write it as COORDINATE=FROM..TO");
    r->coordinate = ct_strndup(over, (size_t)(equals - over));
    char *low = ct_strndup(equals + 1, (size_t)(dots - equals - 1));
    // the coordinate and both bounds
    j->coordinate = -1;
    const char **names = ct_alloc((size_t)j->model->n_coordinates + 1, sizeof *names);
    for (int i = 0; i < j->model->n_coordinates; i++) {
        names[i] = j->model->coordinates[i].name;
        if (!strcmp(names[i], r->coordinate)) j->coordinate = i;
    }
    const char *near = ct_nearest(r->coordinate, names, j->model->n_coordinates);
    ct_status status = CT_OK;
    if (j->coordinate < 0)
        status = ct_fail(j->ctx, CT_WRONG_MODEL, "--over: there is no coordinate '%s'%s%s%s",
                         r->coordinate, near ? "; did you mean '" : "", near ? near : "",
                         near ? "'?" : "");
    if (!status) status = read_bound(j, low, &r->low);
    if (!status) status = read_bound(j, dots + 2, &r->high);
    if (!status && !(r->low < r->high))
        status = ct_fail(j->ctx, CT_USAGE, "--over: the range is empty: %g..%g", r->low, r->high);
    ct_free(names);
    ct_free(low);
    return status;
}

// The model with the drive among what is given. Where the file gives one other coordinate instead,
// the drive takes its place.
static void make_driven(job *j) {
    const ct_model *m = j->model;
    ct_model *d = &j->driven;
    *d = *m;
    d->initial = ct_alloc((size_t)m->n_initial + 2, sizeof *d->initial);
    d->motions = ct_alloc((size_t)m->n_motions + 1, sizeof *d->motions);
    d->n_initial = d->n_motions = 0;
    for (int i = 0; i < m->n_initial; i++)
        if (m->initial[i].coordinate != j->coordinate) d->initial[d->n_initial++] = m->initial[i];
    for (int i = 0; i < m->n_motions; i++)
        if (m->motions[i].coordinate != j->coordinate) d->motions[d->n_motions++] = m->motions[i];
    bool was_given = d->n_initial < m->n_initial || d->n_motions < m->n_motions;
    if (!was_given && d->n_initial == 1) {
        *CT_PUSH(j->out->notes, j->out->n_notes, j->room_notes) =
            ct_format("'%s' is driven in place of '%s', which initial: gives", j->out->coordinate,
                      m->coordinates[d->initial[0].coordinate].name);
        d->n_initial = 0;
    }
    j->entry = d->n_initial++;
    d->initial[j->entry].coordinate = j->coordinate;
}

static void set_drive(job *j, double value) {
    fmpq_t q;
    arf_t x;
    fmpq_init(q);
    arf_init(x);
    arf_set_d(x, value);
    arf_get_fmpq(q, x);
    j->driven.initial[j->entry].value = ct_number(j->model->pool, q);
    arf_clear(x);
    fmpq_clear(q);
}

// curves ------------------------------------------------------------------------------------------
// True if a curve passes through the assembly: nearest points of the drive's position are settled
// there and compared.
static bool is_known(job *j, const double *q) {
    ct_tracer *t = &j->tracer;
    size_t n = (size_t)j->s.f->n;
    double *at = ct_alloc(n + 1, sizeof *at);
    bool known = false;
    for (int c = 0; c < j->n_curves && !known; c++) {
        const ct_trace *curve = j->curves + c;
        for (int i = 0; i + 1 < curve->n && !known; i++) {
            const double *a = curve->point[i].q, *b = curve->point[i + 1].q;
            double from = a[j->drive], to = b[j->drive], x = q[j->drive];
            if ((x < from && x < to) || (x > from && x > to)) continue;
            double share = to == from ? 0 : (x - from) / (to - from);
            for (size_t k = 0; k < n; k++) at[k] = a[k] + share * (b[k] - a[k]);
            at[j->drive] = x;
            known = ct_tracer_settle(t, at) && ct_tracer_distance(t, at, q) < SAME;
        }
    }
    ct_free(at);
    return known;
}

static ct_status follow_from(job *j, int index) {
    bool first = index == 0, last = index == j->n_positions - 1;
    double position = j->positions[index];
    int direction = first ? 1 : last ? -1 : 0;
    ct_loop_system s;
    ct_assemblies found;
    set_drive(j, position);
    ct_status status = ct_assemblies_find(j->ctx, j->options, &j->driven, &s, &found);
    if (!status && found.dimension > 0)
        status =
            ct_fail(j->ctx, CT_WRONG_MODEL,
                    "%s = %.6g leaves %d further freedom%s open: give their coordinates under "
                    "initial:",
                    j->out->coordinate, position, found.dimension, found.dimension == 1 ? "" : "s");
    // the system of the first position serves all curves
    if (!status && first) {
        j->drive = s.f->where[j->coordinate];
        if (j->drive < 0)
            status = ct_fail(j->ctx, CT_WRONG_MODEL,
                             "--over: '%s' belongs to a leg, whose coordinates are found last: "
                             "drive another coordinate",
                             j->out->coordinate);
        j->s = s;
        if (!status) ct_tracer_init(&j->tracer, &j->s, j->drive, j->out->low, j->out->high);
    }
    for (int i = 0; i < found.n && !status; i++) {
        if (is_known(j, found.q[i])) continue;
        ct_trace *curve = CT_PUSH(j->curves, j->n_curves, j->room_curves);
        ct_tracer_follow(&j->tracer, found.q[i], direction, curve);
        if (curve->broken)
            *CT_PUSH(j->out->notes, j->out->n_notes, j->room_notes) =
                ct_format("a branch through %s = %.9g could not be followed to its end",
                          j->out->coordinate, curve->point[curve->n - 1].q[j->drive]);
    }
    j->counts[index] = found.n;
    ct_assemblies_clear(&found);
    if (!first) ct_loop_system_clear(&s);
    return status;
}

// Both ends of the range, and one position between each two critical ones; else many positions.
static ct_status choose_positions(job *j) {
    result *r = j->out;
    const ct_configurations_options *o = j->options;
    ct_budget budget = {.seconds = o->seconds, .bytes = o->bytes, .stop = o->stop};
    ct_model open = j->driven;
    ct_critical critical;
    open.n_initial = j->entry; // without the drive
    ct_report(j->ctx, "critical positions", -1, o->stop != NULL);
    ct_status status =
        ct_critical_find(j->ctx, &budget, &open, j->coordinate, r->low, r->high, &critical);
    if (status) return status;
    if (critical.complete && critical.rounded)
        *CT_PUSH(r->notes, r->n_notes, j->room_notes) =
            ct_format("completeness is proved for rational numbers that agree with those of the "
                      "model to %d digits",
                      CT_GEOMETRY_DIGITS);
    r->complete = critical.complete;
    r->incomplete = critical.why;
    r->n_critical = critical.n;
    r->critical = critical.at;
    int n = j->n_positions = r->complete ? r->n_critical + 3 : POSITIONS;
    j->positions = ct_alloc((size_t)n, sizeof *j->positions);
    j->counts = ct_alloc((size_t)n, sizeof *j->counts);
    for (int i = 1; i < n - 1; i++) {
        if (r->complete) {
            double before = i > 1 ? r->critical[i - 2] : r->low,
                   behind = i < n - 2 ? r->critical[i - 1] : r->high;
            j->positions[i] = (before + behind) / 2;
        } else {
            // no round numbers, where singular positions often are
            j->positions[i] = r->low + (i + IRRATIONAL * M_E) / (n - 1) * (r->high - r->low);
        }
    }
    j->positions[0] = r->low;
    j->positions[n - 1] = r->high;
    r->n_positions = n;
    return CT_OK;
}

static ct_status follow_all(job *j) {
    ct_status status = choose_positions(j);
    for (int i = 0; i < j->n_positions && !status; i++) {
        ct_report(j->ctx, "following branches", (double)i / j->n_positions,
                  j->options->stop != NULL);
        if (j->options->stop && *j->options->stop) return CT_INTERRUPTED;
        status = follow_from(j, i);
    }
    return status;
}

// entry -------------------------------------------------------------------------------------------
static ct_status find_branches(job *j, const char *over) {
    result *r = j->out;
    r->name = ct_strdup(j->model->name);
    r->values = ct_alloc((size_t)j->model->n_coordinates + 1, sizeof *r->values);
    for (int i = 0; i < j->model->n_coordinates; i++)
        r->values[r->n_values++] = ct_strdup(j->model->coordinates[i].name);
    ct_status status = read_range(j, over);
    if (status) return status;
    // curves, cut into branches
    make_driven(j);
    status = follow_all(j);
    if (!status) {
        ct_branches_cut(j);
        ct_branches_check(j);
        ct_branches_connect(j);
    }
    for (int c = 0; c < j->n_curves; c++) ct_trace_clear(j->curves + c);
    ct_free(j->curves);
    ct_free(j->positions);
    ct_free(j->counts);
    ct_free(j->singular);
    if (j->tracer.s) ct_tracer_clear(&j->tracer);
    if (j->s.f) ct_loop_system_clear(&j->s);
    ct_free(j->driven.initial);
    ct_free(j->driven.motions);
    return status;
}

static CT_BELOW ct_status find_in_file(ct_context *ctx, const char *path, int n_set,
                                       const char *const *set, const char *over,
                                       const ct_configurations_options *options, result **out) {
    ct_configurations_options defaults;
    ct_configurations_options_init(&defaults);
    *out = NULL;
    double start = ct_seconds();
    ct_text text = {0};
    ct_model *model = NULL;
    job j = {.ctx = ctx, .options = options ? options : &defaults};
    j.out = ct_alloc(1, sizeof *j.out);
    ct_limits_call(&(ct_budget){.bytes = j.options->bytes, .seconds = j.options->seconds});
    // a mechanism, not a polynomial system
    ct_polynomials *polynomials = NULL;
    ct_status status = ct_read_file(ctx, path, &text);
    if (!status)
        status = ct_polynomials_read_text(ctx, path, text.s ? text.s : "", text.n, n_set, set, NULL,
                                          0, NULL, &polynomials);
    if (!status && polynomials)
        status =
            ct_fail(ctx, CT_WRONG_MODEL,
                    "--over needs a mechanism: a polynomial system has no coordinate to drive");
    // its branches
    if (!status)
        status = ct_model_read_text(ctx, path, text.s ? text.s : "", text.n, n_set, set, &model);
    if (!status) status = ct_refuse_switched(ctx, model, "configurations");
    j.model = model;
    if (!status) status = find_branches(&j, over);
    if (!status && j.options->branch >= j.out->n)
        status = ct_fail(ctx, CT_USAGE,
                         "there is no branch %d: --over %s has %d of them, counted from 0",
                         j.options->branch, over, j.out->n);
    ct_text_clear(&text);
    j.out->seconds = ct_seconds() - start;
    if (status)
        ct_branches_free(j.out);
    else
        *out = j.out;
    return status;
}

// Every block of a result, given to `end`: ct_free, or ct_release for the caller.
typedef void end_block(void *block);

static void end_result(result *r, end_block *end) {
    for (int i = 0; i < r->n_values; i++) end(r->values[i]);
    for (int i = 0; i < r->n; i++) {
        end(r->branches[i].drive);
        end(r->branches[i].values);
    }
    for (int i = 0; i < r->n_events; i++) end(r->events[i].branches);
    for (int i = 0; i < r->n_groups; i++) end(r->groups[i].branches);
    for (int i = 0; i < r->n_notes; i++) end(r->notes[i]);
    end(r->values);
    end(r->branches);
    end(r->events);
    end(r->groups);
    end(r->critical);
    end(r->notes);
    end(r->name);
    end(r->coordinate);
    end(r);
}

static void release(result *r) {
    end_result(r, ct_release);
}

void ct_branches_free(result *r) {
    if (r) end_result(r, ct_free);
}

ct_status ct_branches(ct_context *ctx, const char *path, int n_set, const char *const *set,
                      const char *over, const ct_configurations_options *options, result **out) {
    CT_CALL_GIVES(ctx, NULL, out, release, find_in_file(ctx, path, n_set, set, over, options, out));
}
