// From a system to its closure: the solution flow, trees that follow it, the same initial state in
// the coordinates of these trees, and the closed form of everything that depends. Where no flow
// leads through, the dependent coordinates are iterated, loop by loop.
#include "run/close_info.h"
#include "run/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_tree(const ct_graph *a, const ct_graph *b) {
    for (int d = 0; d < 2; d++)
        for (int e = 0; e < a->n_edges; e++)
            if (a->tree[d].has[e] != b->tree[d].has[e]) return false;
    return true;
}

// Columns of results: the coordinates of bodies depend on the trees.
static bool same_columns(const ct_formulation *a, const ct_formulation *b) {
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->n && a->coordinate[i] >= 0) i++;
        while (k < b->n && b->coordinate[k] >= 0) k++;
        if (i == a->n || k == b->n) return i == a->n && k == b->n;
        if (strcmp(a->names[i], b->names[k]) != 0) return false;
    }
}

static bool same_position(const ct_system *a, const ct_system *b) {
    for (int i = 0; i < a->model->n_coordinates; i++)
        if (!(fabs(a->joint0[i] - b->joint0[i]) <= 1e-9 * fmax(1, fabs(a->joint0[i]))))
            return false;
    return a->f->n - a->m == b->f->n - b->m;
}

static void swap_ints(int **a, int **b) {
    int *x = *a;
    *a = *b;
    *b = x;
}

static void swap_doubles(double **a, double **b) {
    double *x = *a;
    *a = *b;
    *b = x;
}

// The other formulation with its state; what was handed out (names, redundant joints) stays.
static void take_over(ct_system *s, ct_system *other) {
    *CT_PUSH(s->former, s->n_former, s->room_former) = s->f;
    s->f = other->f;
    other->f = NULL;
    swap_doubles(&s->q0, &other->q0);
    swap_doubles(&s->qd0, &other->qd0);
    swap_doubles(&s->joint0, &other->joint0);
    swap_ints(&s->rows, &other->rows);
    swap_ints(&s->dropped, &other->dropped);
    s->residual = other->residual;
    s->rank = other->rank;
    s->rank_motions = other->rank_motions;
    s->m_rows = other->m_rows;
    s->m = other->m;
    s->n_dropped = other->n_dropped;
}

// Trees along the flow, where they are free to choose. False: the system's own do not follow it.
static bool follow_flow(ct_system *s, const ct_flow *flow) {
    ct_context *quiet = ct_context_new(); // what it would say was said about the first trees
    ct_graph *graph = ct_graph_new(s->model);
    ct_system *other = NULL;
    bool free_trees = !s->asked && !s->model->has_trees, follows = false;
    if (ct_flow_trees(quiet, flow, graph)) {
        ct_graph_free(graph);
    } else if (same_tree(graph, s->f->graph)) {
        follows = true;
        ct_graph_free(graph);
    } else if (!free_trees) {
        ct_graph_free(graph);
    } else if (!ct_system_of_graph(quiet, graph, s->rule, s->what, &other) &&
               (flow->n_own || s->own || same_columns(s->f, other->f)) &&
               !ct_assemble(quiet, other) && same_position(s, other)) {
        follows = true;
        s->own = flow->n_own > 0;
        take_over(s, other);
    }
    ct_system_free(other);
    ct_context_free(quiet);
    return follows;
}

static bool has_names(const ct_closure *c, int n, const char *const *names) {
    for (int i = 0; i < n; i++) {
        bool found = false;
        for (int k = 0; k < c->r; k++)
            found = found || !strcmp(c->f->names[c->independent[k]], names[i]);
        if (!found) return false;
    }
    return true;
}

static ct_status iterated(ct_context *ctx, ct_system *s, int n, const char *const *names,
                          const ct_flow *flow) {
    ct_status status = ct_closure_new(ctx, s->f, NULL, s->m, s->rows, s->q0, &s->closure);
    if (status || has_names(s->closure, n, names)) return status;
    ct_closure_free(s->closure);
    s->closure = NULL;
    return ct_fail(ctx, CT_NUMERICS,
                   "no closure was found with these independent coordinates%s%s; leave them out "
                   "to have them chosen",
                   flow && flow->why ? ": " : "", flow && flow->why ? flow->why : "");
}

// The closure along a flow, put to the test: what does not give back the position it starts from is
// none.
static bool close_along(ct_system *s, const ct_flow *flow) {
    ct_context *quiet = ct_context_new(); // what cannot be closed is iterated
    double most = 0;
    int step;
    if (ct_closure_new(quiet, s->f, flow, s->m, s->rows, s->q0, &s->closure)) s->closure = NULL;
    bool good = s->closure && ct_close_probe(s, s->closure, &most, &step) && most < 1e-7;
    // orientations that stay: with rounding alone left, and far enough for what is small to show
    if (good && flow->n_kept)
        good = ct_close_probe_wide(s, s->closure, 0.05, &most) &&
               most < 1e-11 * fmax(ct_typical_length(s->model), 1);
    if (!good) {
        ct_closure_free(s->closure);
        s->closure = NULL;
    }
    ct_context_free(quiet);
    return s->closure != NULL;
}

// May the coordinates of bodies themselves be used? Not where the user says which trees, or where
// they are coordinates of the results.
static bool may_offer_bodies(const ct_system *s) {
    for (int k = 0; k < s->f->n; k++)
        if (s->f->coordinate[k] < 0 && !s->own) return false;
    return !s->asked && !s->model->has_trees;
}

// A flow that iterates gives way to one that does not, from the place or the pose of a body with
// several legs. Where the user says what is independent its pose is not.
static ct_flow *close_by_bodies(ct_context *ctx, ct_system *s, int n, const char *const *names,
                                double *seconds) {
    static const ct_flow_offer offers[] = {CT_OFFER_PLACES, CT_OFFER_POSES};
    int count = n || s->model->n_independent ? 1 : 2;
    for (int i = 0; i < count; i++) {
        ct_flow *flow = NULL;
        if (ct_flow_find(ctx, s->f, s->q0, n, names, offers[i], &flow)) return NULL;
        *seconds = flow->seconds += *seconds;
        bool of_bodies = flow->n_own && (flow->n_kept || offers[i] != CT_OFFER_PLACES);
        if (flow->complete && !flow->torn && of_bodies && follow_flow(s, flow) &&
            close_along(s, flow))
            return flow;
        ct_flow_free(flow);
    }
    return NULL;
}

// Along the joints' coordinates alone, or with those of bodies. *along is false where neither is
// possible.
static ct_status close_by_flow(ct_context *ctx, ct_system *s, int n, const char *const *names,
                               ct_flow **flow, bool *along) {
    ct_status status = ct_flow_find(ctx, s->f, s->q0, n, names, CT_OFFER_JOINTS, flow);
    *along = false;
    if (status) return status;
    ct_report(ctx, "closing the loops", -1, false);
    if ((!(*flow)->complete || (*flow)->torn) && may_offer_bodies(s)) {
        const ct_formulation *before = s->f;
        double seconds = (*flow)->seconds;
        ct_flow *other = close_by_bodies(ctx, s, n, names, &seconds);
        *along = other != NULL;
        if (other || s->f != before) {
            ct_flow_free(*flow);
            *flow = other;
        }
        if (!*flow) status = ct_flow_find(ctx, s->f, s->q0, n, names, CT_OFFER_JOINTS, flow);
        if (!status && !*along) (*flow)->seconds = seconds;
    }
    if (!status && !*along)
        *along = (*flow)->complete && follow_flow(s, *flow) && close_along(s, *flow);
    return status;
}

ct_status ct_close_system_with(ct_context *ctx, ct_system *s, int n, const char *const *names) {
    if (s->closure && !n && !s->named) return CT_OK;
    ct_status status = ct_assemble(ctx, s);
    ct_flow *flow = NULL;
    ct_closure *before = s->closure;
    bool along = false;
    if (status) return status;
    ct_report(ctx, "looking for an order to close the loops in", -1, false);
    s->closure = NULL;
    status = close_by_flow(ctx, s, n, names, &flow, &along);
    if (status) {
        s->closure = before;
        ct_flow_free(flow);
        return status;
    }
    if (!along) status = iterated(ctx, s, n, names, flow);
    ct_closure_free(before);
    ct_flow_free(s->flow);
    s->flow = along ? flow : NULL;
    if (!along) ct_flow_free(flow);
    s->named = n > 0;
    return status;
}

ct_status ct_close_system(ct_context *ctx, ct_system *s) {
    return ct_close_system_with(ctx, s, 0, NULL);
}
