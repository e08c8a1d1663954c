// Curves of assemblies cut into branches: where the drive turns back and where curves cross. Along a
// branch Krawczyk's test holds for whole intervals of the drive.
#include "configurations/branches/branches_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ct_branches_result result;
typedef ct_branching job;

enum {
    PROOF_BITS = 64, // of the enclosures along a branch
    PROOF_DEPTH = 8  // halvings of a step that is not proved as a whole
};
static const double SAME = 1e-6;    // assemblies and events, in radians and lengths
static const double SLACK = 1e-12;  // of doubles against enclosures
static const double MATCHES = 1e-7; // events and critical positions, relative

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
    // samples, the drive increasing
    for (int i = 0; i < b.n; i++) {
        const double *q = curve->point[forwards ? first + i : last - i].q;
        b.drive[i] = q[j->drive];
        double *row = b.values + (size_t)i * (size_t)r->n_values, *before = row - r->n_values;
        ct_loop_system_read(&j->s, q, row);
        for (int k = 0; k < r->n_values && i; k++)
            if (j->model->coordinates[k].is_angle && k != j->coordinate)
                row[k] += 2 * M_PI * round((before[k] - row[k]) / (2 * M_PI));
    }
    // how much of them is proved
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

// Angles go on without jumps of a whole turn, also where a closed curve was cut and joined.
static void unwrap(const job *j, ct_trace *curve) {
    const ct_tracer *t = &j->tracer;
    for (int i = 1; i < curve->n; i++)
        for (int k = 0; k < t->n - 1; k++) { // without the drive, which is the last one
            int c = t->free[k];
            double *q = &curve->point[i].q[c], before = curve->point[i - 1].q[c];
            if (j->s.f->is_angle[c]) *q += 2 * M_PI * round((before - *q) / (2 * M_PI));
        }
}

void ct_branches_cut(job *j) {
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
        unwrap(j, curve);
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

// Everything that was found must fit the critical positions: as many branches between them as there
// are assemblies, and no event elsewhere.
void ct_branches_check(job *j) {
    result *r = j->out;
    for (int i = 1; i < j->n_positions - 1 && r->complete; i++) {
        int over = 0;
        for (int b = 0; b < r->n; b++)
            over += r->branches[b].drive[0] <= j->positions[i] &&
                    r->branches[b].drive[r->branches[b].n - 1] >= j->positions[i];
        r->complete = over == j->counts[i];
    }
    for (int e = 0; e < r->n_events && r->complete; e++) {
        bool fits = false;
        for (int i = 0; i < r->n_critical; i++)
            fits =
                fits || fabs(r->events[e].at - r->critical[i]) < MATCHES * (1 + r->high - r->low);
        r->complete = fits;
    }
    if (!r->complete && !r->incomplete)
        r->incomplete = "a branch could not be followed through all positions";
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
void ct_branches_connect(job *j) {
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
