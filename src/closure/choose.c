// From a system to its closure: the solution flow, trees that follow it, the same initial state in
// the coordinates of these trees, and the closed form of everything that depends. Where no flow
// leads through, the dependent coordinates are iterated, loop by loop.
#include "closure/describe.h"
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

// A closure that may become the system's: along a flow, with another formulation where the flow
// asks for other trees.
typedef struct candidate {
    ct_flow *flow;
    ct_system *other; // NULL: the formulation of the system itself
    ct_closure *closure;
    int open; // unknowns that are iterated, then roots that are followed
    double score;
} candidate;

static void discard(candidate *c) {
    ct_closure_free(c->closure);
    ct_flow_free(c->flow);
    ct_system_free(c->other);
    *c = (candidate){0};
}

// Trees along the flow, where they are free to choose. False: the system's own do not follow it.
static bool follow_flow(const ct_system *s, candidate *c) {
    ct_context *quiet = ct_context_new(); // what it would say was said about the first trees
    ct_graph *graph = ct_graph_new(s->model);
    bool free_trees = !s->asked && !s->model->has_trees, follows = false;
    if (ct_flow_trees(quiet, c->flow, graph)) {
        ct_graph_free(graph);
    } else if (same_tree(graph, s->f->graph)) {
        follows = true;
        ct_graph_free(graph);
    } else if (!free_trees) {
        ct_graph_free(graph);
    } else {
        follows = !ct_system_of_graph(quiet, graph, s->rule, s->what, &c->other) &&
                  (c->flow->n_own || s->own || same_columns(s->f, c->other->f)) &&
                  !ct_assemble(quiet, c->other) && same_position(s, c->other);
    }
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
static bool close_along(const ct_system *s, candidate *c) {
    if (!c->flow->complete || !follow_flow(s, c)) return false;
    ct_context *quiet = ct_context_new(); // what cannot be closed is iterated
    const ct_system *x = c->other ? c->other : s;
    double most = 0;
    int step;
    bool good = !ct_closure_new(quiet, x->f, c->flow, x->m, x->rows, x->q0, &c->closure) &&
                ct_close_probe(x, c->closure, &most, &step) && most < 1e-7;
    // orientations that stay: with rounding alone left, and far enough for what is small to show
    if (good && c->flow->n_kept)
        good = ct_close_probe_wide(x, c->closure, 0.05, &most) >= 0.5 &&
               most < 1e-11 * fmax(ct_typical_length(x->model), 1);
    ct_context_free(quiet);
    return good;
}

// May the coordinates of bodies themselves be used? Not where the user says which trees, or where
// they are coordinates of the results.
static bool may_offer_bodies(const ct_system *s) {
    for (int k = 0; k < s->f->n; k++)
        if (s->f->coordinate[k] < 0 && !s->own) return false;
    return !s->asked && !s->model->has_trees;
}

// What is iterated comes before what it costs: the operations of one evaluation, more where its
// independent coordinates cannot be moved far from the initial position. (How far an iteration gets
// in one stride says nothing about that.)
static void weigh(const ct_system *s, candidate *c) {
    enum { ITERATED = 1000 };
    double most, reach = 1;
    c->open = 0;
    for (int i = 0; i < c->closure->n_steps; i++) {
        const ct_step *step = c->closure->steps + i;
        c->open += step->method == CT_STEP_NEWTON ? ITERATED * step->n_unknowns : 0;
        c->open += step->method == CT_STEP_POLYNOMIAL;
    }
    if (!c->open) reach = ct_close_probe_wide(c->other ? c->other : s, c->closure, 0.5, &most);
    c->score = ct_closure_cost(c->closure) * (2 - reach);
}

static bool is_better(const candidate *a, const candidate *b) {
    return a->open != b->open ? a->open < b->open : a->score < 0.98 * b->score;
}

typedef struct chooser {
    ct_context *ctx;
    ct_system *s;
    int n;
    const char *const *names;
    ct_flow_library library;
    candidate best; // so far
    bool compared;  // several closures were built
    double seconds; // to find flows, those that were not taken too, and to choose
} chooser;

static ct_status attempt(chooser *x, ct_flow_offer offer, candidate *c) {
    *c = (candidate){0};
    ct_status status =
        ct_flow_find(x->ctx, x->s->f, x->s->q0, x->n, x->names, offer, &x->library, &c->flow);
    if (!status) x->seconds += c->flow->seconds;
    return status;
}

// Where the user says what is independent the pose of a body is not.
static bool may_offer_poses(const chooser *x) {
    return may_offer_bodies(x->s) && !x->n && !x->s->model->n_independent;
}

// A flow that iterates gives way to one that does not, from the place or the pose of a body with
// several legs.
static bool close_by_bodies(chooser *x, candidate *c) {
    static const ct_flow_offer offers[] = {CT_OFFER_PLACES, CT_OFFER_POSES};
    int count = may_offer_poses(x) ? 2 : 1;
    for (int i = 0; i < count; i++) {
        if (attempt(x, offers[i], c)) return false;
        bool of_bodies = c->flow->n_own && (c->flow->n_kept || offers[i] != CT_OFFER_PLACES);
        if (!c->flow->torn && of_bodies && close_along(x->s, c)) return true;
        discard(c);
    }
    return false;
}

// Poses of bodies instead of coordinates of joints.
static bool find_poses(chooser *x, candidate *c) {
    *c = (candidate){0};
    if (may_offer_poses(x) && !attempt(x, CT_OFFER_POSES_ONLY, c) && c->flow->n_own &&
        !c->flow->torn)
        return true;
    discard(c);
    return false;
}

// A closure that is counted too; it is taken if it is better.
static bool compare(chooser *x, candidate *c) {
    x->compared = true;
    bool good = close_along(x->s, c);
    if (good) weigh(x->s, c);
    bool better = good && is_better(c, &x->best);
    if (better) {
        candidate last = x->best;
        x->best = *c;
        *c = last;
    }
    discard(c);
    return better;
}

// The orders that the search holds for about as good are built and counted, one structure after the
// other, as far as a budget of operations goes. Those that give up what the user names are not. If
// nothing is named, poses of bodies compete too.
static void choose_by_count(chooser *x) {
    double budget = x->best.flow->torn ? 5000 : 15000, start = ct_seconds(), before = x->seconds;
    candidate c;
    if (!x->library.n || x->best.flow->recalled || x->best.flow->n_own) return;
    weigh(x->s, &x->best);
    for (int i = 0; i < x->library.n; i++)
        for (int k = 1; k < x->library.of[i].n; k++) {
            ct_flow_structure *of = x->library.of + i;
            int taken = of->taken;
            if (of->settled || of->orders[k].wish < of->orders[0].wish) continue;
            if ((budget -= ct_closure_cost(x->best.closure)) < 0) continue;
            of->taken = k;
            bool better = !attempt(x, CT_OFFER_JOINTS, &c) && compare(x, &c);
            x->library.of[i].taken = better ? k : taken;
        }
    int n = x->library.n;
    if (x->best.flow->wish == 0 && budget > 0 && find_poses(x, &c)) {
        bool poses = compare(x, &c);
        for (int i = 0; i < n; i++) x->library.of[i].poses = poses;
    }
    x->seconds = before + ct_seconds() - start;
}

// Along the joints' coordinates alone, or with those of bodies. *along is false where neither is
// possible.
static ct_status close_by_flow(chooser *x, bool *along) {
    ct_status status = attempt(x, CT_OFFER_JOINTS, &x->best);
    *along = false;
    if (status) return status;
    ct_report(x->ctx, "closing the loops", -1, false);
    bool open = !x->best.flow->complete || x->best.flow->torn, poses = x->best.flow->poses;
    candidate c = {0};
    if (open && may_offer_bodies(x->s)) *along = close_by_bodies(x, &c);
    if (poses && !*along) *along = find_poses(x, &c) && close_along(x->s, &c);
    if (*along) {
        discard(&x->best);
        x->best = c;
    } else {
        discard(&c);
    }
    if (!*along) *along = close_along(x->s, &x->best);
    if (*along) choose_by_count(x);
    return CT_OK;
}

static void take(ct_system *s, candidate *c) {
    if (c->other) {
        s->own = c->flow->n_own > 0;
        take_over(s, c->other);
    }
    ct_system_free(c->other);
    ct_flow_free(s->flow);
    s->flow = c->flow;
    s->closure = c->closure;
}

ct_status ct_close_system_with(ct_context *ctx, ct_system *s, int n, const char *const *names) {
    if (s->closure && !n && !s->named) return CT_OK;
    ct_status status = ct_assemble(ctx, s);
    if (status) return status;
    chooser x = {.ctx = ctx, .s = s, .n = n, .names = names};
    ct_closure *before = s->closure;
    bool along = false;
    ct_report(ctx, "looking for an order to close the loops in", -1, false);
    ct_pool_state state = ct_pool_mark(s->model->pool);
    status = close_by_flow(&x, &along);
    ct_flow_library_settle(&x.library);
    if (x.compared && !status) { // once more, as if nothing else had been tried
        int blocks = x.best.closure->n_recalled;
        discard(&x.best);
        ct_pool_rewind(s->model->pool, state);
        status = close_by_flow(&x, &along);
        if (along) {
            x.best.closure->recalled = false;
            x.best.closure->n_recalled = blocks;
        }
    }
    ct_flow_library_clear(&x.library);
    if (status) {
        discard(&x.best);
        return status;
    }
    if (along) {
        x.best.closure->seconds += x.seconds;
        take(s, &x.best);
    } else {
        s->closure = NULL;
        status = iterated(ctx, s, n, names, x.best.flow);
        discard(&x.best);
        ct_flow_free(s->flow);
        s->flow = NULL;
    }
    ct_closure_free(before);
    s->named = n > 0;
    return status;
}

ct_status ct_close_system(ct_context *ctx, ct_system *s) {
    return ct_close_system_with(ctx, s, 0, NULL);
}
