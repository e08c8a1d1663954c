// Branches: assemblies are found by algebra at positions spread over the range, and followed in both
// directions. An assembly that no curve so far has passed starts one of its own. Curves are cut
// where the drive turns back and where they cross; the pieces are the branches.
#include "configurations/assemblies.h"
#include "configurations/branches/trace.h"
#include "configurations/polynomials.h"
#include "model/read/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ct_branches_result result;

enum {
    POSITIONS = 25,  // where all assemblies are found by algebra, the ends of the range among them
    PROOF_BITS = 64, // of the enclosures along a branch
    PROOF_DEPTH = 8  // halvings of a step that is not proved as a whole
};
static const double SAME = 1e-6;       // assemblies and events, in radians and lengths
static const double SLACK = 1e-12;     // of doubles against enclosures
static const double IRRATIONAL = 1e-3; // share of a step by which positions avoid round numbers

typedef struct job {
    ct_context *ctx;
    const ct_configurations_options *options;
    const ct_model *model; // as it was read
    ct_model driven;       // with the drive given
    int coordinate;        // of the model
    int entry;             // of the drive among `initial`
    int drive;             // among q
    ct_loop_system s;      // at the first position
    ct_tracer tracer;
    int n_curves, room_curves;
    ct_trace *curves;
    result *out;
    bool *singular; // [branches] at the end of the range
    int room_singular, n_singular;
    int room_branches, room_events, room_notes;
} job;

// the range ---------------------------------------------------------------------------------------
static bool resolve(void *data, const char *name, bool rate, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    const ct_model *m = data;
    (void)offset;
    (void)error;
    if (rate) return false;
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

static ct_status follow_from(job *j, double position, int direction, bool first) {
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
    ct_assemblies_clear(&found);
    if (!first) ct_loop_system_clear(&s);
    return status;
}

static ct_status follow_all(job *j) {
    result *r = j->out;
    ct_status status = CT_OK;
    for (int i = 0; i < POSITIONS && !status; i++) {
        ct_report(j->ctx, "following branches", (double)i / POSITIONS, j->options->stop != NULL);
        if (j->options->stop && *j->options->stop) return CT_INTERRUPTED;
        // positions inside the range are no round numbers, where singular positions often are
        bool last = i == POSITIONS - 1;
        double share = last ? 1 : (i + (i ? IRRATIONAL * M_E : 0)) / (POSITIONS - 1);
        double position = last ? r->high : r->low + share * (r->high - r->low);
        status = follow_from(j, position, i == 0 ? 1 : last ? -1 : 0, i == 0);
    }
    return status;
}

// branches ----------------------------------------------------------------------------------------
static int find_event(job *j, const double *q, ct_trace_mark mark, double **places) {
    result *r = j->out;
    const char *kind = mark == CT_TRACE_LIMIT ? "limit" : "crossing";
    for (int e = 0; e < r->n_events; e++)
        if (!strcmp(r->events[e].kind, kind) && ct_tracer_distance(&j->tracer, places[e], q) < SAME)
            return e;
    places[r->n_events] = (double *)q;
    *CT_PUSH(r->events, r->n_events, j->room_events) =
        (ct_branch_event){.at = q[j->drive], .kind = kind};
    return r->n_events - 1;
}

static void join_event(result *r, int event, int branch) {
    if (event < 0) return;
    ct_branch_event *e = r->events + event;
    e->branches = ct_realloc(e->branches, (size_t)e->n + 1, sizeof *e->branches);
    e->branches[e->n++] = branch;
}

// Share of the branch on which Krawczyk's test holds for whole intervals of the drive.
static double prove_step(job *j, ct_certifier *c, const int *free, const double *a, const double *b,
                         int depth) {
    ct_tracer *t = &j->tracer;
    double from = a[j->drive], to = b[j->drive];
    arb_ptr x = _arb_vec_init(c->n);
    arb_t drive, end;
    arb_init(drive);
    arb_init(end);
    // the interval, and the middle of the step
    arb_set_d(drive, from);
    arb_set_d(end, to);
    arb_union(drive, drive, end, PROOF_BITS);
    for (int k = 0; k < c->n; k++) arb_set_d(x + k, (a[free[k]] + b[free[k]]) / 2);
    bool ok = ct_certify(c, x, drive, PROOF_BITS);
    // both ends lie in the enclosure, up to rounding
    for (int k = 0; k < c->n && ok; k++) {
        mag_t slack;
        mag_init(slack);
        mag_set_d(slack, SLACK);
        arb_add_error_mag(x + k, slack);
        mag_clear(slack);
        arb_set_d(end, a[free[k]]);
        ok = arb_contains(x + k, end);
        arb_set_d(end, b[free[k]]);
        ok = ok && arb_contains(x + k, end);
    }
    _arb_vec_clear(x, c->n);
    arb_clear(drive);
    arb_clear(end);
    if (ok || !depth) return ok ? fabs(to - from) : 0;
    // halves
    size_t n = (size_t)j->s.f->n;
    double *middle = ct_alloc(n + 1, sizeof *middle), proved = 0;
    for (size_t k = 0; k < n; k++) middle[k] = (a[k] + b[k]) / 2;
    if (ct_tracer_settle(t, middle))
        proved = prove_step(j, c, free, a, middle, depth - 1) +
                 prove_step(j, c, free, middle, b, depth - 1);
    ct_free(middle);
    return proved;
}

static void take_branch(job *j, const ct_trace *curve, int first, int last, int from, int to,
                        ct_certifier *c, const int *free) {
    result *r = j->out;
    bool forwards = curve->point[last].q[j->drive] >= curve->point[first].q[j->drive];
    ct_branch b = {.n = last - first + 1, .from = forwards ? from : to, .to = forwards ? to : from};
    b.drive = ct_alloc((size_t)b.n + 1, sizeof *b.drive);
    b.values = ct_alloc((size_t)b.n * (size_t)r->n_values + 1, sizeof *b.values);
    double proved = 0;
    for (int i = 0; i < b.n; i++) {
        const double *q = curve->point[forwards ? first + i : last - i].q;
        b.drive[i] = q[j->drive];
        ct_loop_system_read(&j->s, q, b.values + (size_t)i * (size_t)r->n_values);
    }
    for (int i = first; i < last; i++)
        proved += prove_step(j, c, free, curve->point[i].q, curve->point[i + 1].q, PROOF_DEPTH);
    double length = b.drive[b.n - 1] - b.drive[0];
    b.proved = length > 0 ? fmin(proved / length, 1) : 1;
    const double *end = curve->point[forwards ? last : first].q;
    *CT_PUSH(j->singular, j->n_singular, j->room_singular) =
        b.to < 0 && ct_tracer_is_singular(&j->tracer, end);
    *CT_PUSH(r->branches, r->n, j->room_branches) = b;
    join_event(r, from, r->n - 1);
    join_event(r, to, r->n - 1);
}

// A closed curve begins at its first event.
static void turn_closed(ct_trace *curve) {
    int first = 0, n = curve->n - 1; // the last point is the first one again
    while (first < n && curve->point[first].mark == CT_TRACE_NONE) first++;
    if (first == 0 || first == n) return;
    ct_trace_point *turned = ct_alloc((size_t)curve->room, sizeof *turned);
    for (int i = 0; i < n; i++) turned[i] = curve->point[(first + i) % n];
    double *spare = curve->point[n].q;
    turned[n] = (ct_trace_point){.q = spare, .mark = turned[0].mark};
    ct_free(curve->point);
    curve->point = turned;
}

static void take_curves(job *j) {
    ct_certifier certifier;
    int n_free, *free, points = 0;
    ct_loop_system_certifier(&j->s, j->drive, &certifier, &n_free, &free);
    for (int c = 0; c < j->n_curves; c++) points += j->curves[c].n;
    double **places = ct_alloc((size_t)points + 1, sizeof *places);
    for (int c = 0; c < j->n_curves; c++) {
        ct_trace *curve = j->curves + c;
        if (curve->closed) {
            turn_closed(curve);
            size_t n = (size_t)j->s.f->n;
            memcpy(curve->point[curve->n - 1].q, curve->point[0].q, n * sizeof(double));
        }
        // pieces between marks
        int start = 0, from = -1;
        for (int i = 0; i < curve->n; i++) {
            const ct_trace_point *p = curve->point + i;
            bool marked = p->mark != CT_TRACE_NONE;
            int event = marked ? find_event(j, p->q, p->mark, places) : -1;
            if (i > start && (marked || i == curve->n - 1))
                take_branch(j, curve, start, i, from, event, &certifier, free);
            if (marked || i == 0) {
                start = i;
                from = event;
            }
        }
    }
    ct_free(places);
    ct_free(free);
    ct_certifier_clear(&certifier);
}

// reachable ---------------------------------------------------------------------------------------
static int root_of(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static bool same_values(const job *j, const double *a, const double *b) {
    const ct_model *m = j->model;
    for (int i = 0; i < m->n_coordinates; i++) {
        double d = a[i] - b[i];
        if (m->coordinates[i].is_angle) d = remainder(d, 2 * M_PI);
        if (fabs(d) > SAME) return false;
    }
    return true;
}

// Branches stop at singular positions, so one is connected with another only around a whole turn of
// the drive: the end of one is the start of the other.
static void find_groups(job *j) {
    result *r = j->out;
    int *parent = ct_alloc((size_t)r->n + 1, sizeof *parent);
    for (int b = 0; b < r->n; b++) parent[b] = b;
    double turns = (r->high - r->low) / (2 * M_PI);
    bool around =
        j->model->coordinates[j->coordinate].is_angle && fabs(turns - round(turns)) < 1e-9;
    for (int a = 0; a < r->n && around; a++)
        for (int b = 0; b < r->n; b++) {
            const ct_branch *end = r->branches + a, *start = r->branches + b;
            if (end->to >= 0 || start->from >= 0 || j->singular[a]) continue;
            const double *last = end->values + (size_t)(end->n - 1) * (size_t)r->n_values;
            if (same_values(j, last, start->values))
                parent[root_of(parent, a)] = root_of(parent, b);
        }
    r->groups = ct_alloc((size_t)r->n + 1, sizeof *r->groups);
    for (int b = 0; b < r->n; b++) {
        if (root_of(parent, b) != b) continue;
        ct_branch_group *g = r->groups + r->n_groups++;
        g->branches = ct_alloc((size_t)r->n + 1, sizeof *g->branches);
        for (int k = 0; k < r->n; k++)
            if (root_of(parent, k) == b) g->branches[g->n++] = k;
    }
    ct_free(parent);
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
    make_driven(j);
    status = follow_all(j);
    if (!status) {
        take_curves(j);
        find_groups(j);
    }
    for (int c = 0; c < j->n_curves; c++) ct_trace_clear(j->curves + c);
    ct_free(j->curves);
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
    j.model = model;
    if (!status) status = find_branches(&j, over);
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
