// A closure that may be chosen: its flow, trees that follow it, the equations in these trees, and
// how it compares with others. Each is built in a fork of the model, so that it does not depend on
// what else was tried.
#include "closure/candidate.h"
#include "closure/describe.h"
#include "closure/tolerances.h"
#include "formulate/whole_rotation.h"

#include <stdlib.h>
#include <string.h>

static bool same_tree(const ct_graph *a, const ct_graph *b) {
    for (int d = 0; d < 2; d++)
        for (int e = 0; e < a->n_edges; e++)
            if (a->tree[d].has[e] != b->tree[d].has[e]) return false;
    for (int i = 0; i < a->n_swings && i < b->n_swings; i++)
        if (a->swings[i].number != b->swings[i].number) return false;
    return a->n_swings == b->n_swings;
}

// True if it is no coordinate of a body: those of joints are in all columns, swings in none.
static bool is_apart(const ct_formulation *f, int k) {
    return f->coordinate[k] >= 0 || ct_formulation_swing(f, k);
}

// Returns true if results have the same columns: coordinates of bodies depend on the trees.
static bool same_columns(const ct_formulation *a, const ct_formulation *b) {
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->n && is_apart(a, i)) i++;
        while (k < b->n && is_apart(b, k)) k++;
        if (i == a->n || k == b->n) return i == a->n && k == b->n;
        if (strcmp(a->names[i], b->names[k]) != 0) return false;
    }
}

// candidates -------------------------------------------------------------------------------------
void ct_candidate_discard(ct_candidate *c) {
    ct_flow_free(c->flow);
    ct_closed_free(c->closed);
    *c = (ct_candidate){0};
}

// A flow on the caller's equations, in any fork. Fails only if names that the caller gives are
// wrong.
static ct_status find_flow(ct_chooser *x, const ct_formulation *f, ct_flow_offer offer,
                           ct_flow **flow) {
    const ct_closing *asked = x->asked;
    const char *kept = x->order_cache.kept;
    ct_status status =
        ct_flow_find(kept ? ct_context_quiet(NULL) : x->ctx, f, asked->at->q0, kept ? 1 : asked->n,
                     kept ? &kept : asked->names, offer, &x->order_cache, flow);
    if (!status) x->seconds += (*flow)->seconds;
    return status;
}

ct_status ct_candidate_flow(ct_chooser *x, ct_flow_offer offer, ct_candidate *c) {
    *c = (ct_candidate){.offer = offer, .kept = x->order_cache.kept != NULL};
    return find_flow(x, x->scratch->f, offer, &c->flow);
}

// The equations in the trees of a graph, which is owned by them then, and the state in them.
// of_bodies: the trees hold coordinates of bodies that no result shows. Returns NULL if the trees
// give other columns, another number of freedoms or no state.
static ct_fork *formulate(ct_chooser *x, ct_graph *g, bool of_bodies) {
    ct_context *quiet =
        ct_context_quiet(NULL); // its messages would repeat those about the first trees
    ct_fork *t = ct_region_new(sizeof *t);
    ct_region_keep(&g->region);
    t->model = ct_model_fork(x->f->model);
    g->model = t->model;
    bool good = !ct_formulation_new(quiet, g, x->asked->what, &t->f);
    if (good && (of_bodies || same_columns(x->f, t->f)))
        t->at = ct_assembled_new(quiet, x->asked->at->assembly, t->f);
    good = t->at && t->f->n - t->at->m == x->f->n - x->asked->at->m;
    ct_region_close(&t->region);
    if (good) return *CT_PUSH(x->trees, x->n_trees, x->room_trees) = t;
    ct_fork_free(t);
    return NULL;
}

// Returns true if results have coordinates of bodies: those that hang on no joint.
static bool shows_bodies(const ct_chooser *x) {
    for (int k = 0; k < x->f->n; k++)
        if (x->f->coordinate[k] < 0) return true;
    return false;
}

// The trees of a candidate's flow, where they are free to choose. Returns false if no trees follow
// the flow.
static bool find_trees(ct_chooser *x, ct_candidate *c) {
    ct_context *quiet = ct_context_quiet(NULL);
    ct_graph *graph = ct_graph_new(x->f->model);
    // trees of the flow: the caller's, or a pair that was tried before, or new ones
    bool follows = !ct_flow_trees(quiet, c->flow, graph),
         same = follows && same_tree(graph, x->f->graph);
    c->trees = NULL;
    for (int i = 0; i < x->n_trees && follows && !same && !c->trees; i++)
        if (same_tree(graph, x->trees[i]->f->graph)) c->trees = x->trees[i];
    if (follows && !same && !c->trees && x->asked->free_trees)
        c->trees = formulate(x, graph, c->flow->n_body_coordinates && !shows_bodies(x));
    return same || c->trees;
}

// Rotations --------------------------------------------------------------------------------------
static bool is_independent(const ct_flow *flow, const ct_formulation *f, int k) {
    for (int i = 0; i < flow->n_independent; i++)
        if (ct_formulation_coordinate(f, flow->independent[i]) == k) return true;
    return false;
}

static bool is_integrated(const ct_formulation *f, int k) {
    const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, k, NULL);
    return b && b->integrated;
}

static bool is_shown_whole(const ct_closure *c, int k) {
    for (int i = 0; i < c->n_balls; i++)
        if (c->balls[i].coordinate[0] == k) return true;
    return false;
}

void ct_closed_show(ct_context *ctx, ct_closed *closed) {
    const ct_formulation *f = closed->fork->at->f; // in angles
    const ct_closure *c = closed->closure;
    closed->run = closed->at;
    if (!c->n_balls) return;
    ct_whole_rotation *all = ct_scratch((size_t)f->graph->n_edges + 1, sizeof *all);
    int n = ct_whole_rotations_free(f, all), kept = 0;
    for (int i = 0; i < n; i++) {
        int k = all[i].coordinate[0];
        if (is_integrated(closed->at->f, k) || is_shown_whole(c, k)) all[kept++] = all[i];
    }
    if (!ct_formulation_with_whole_rotations(ctx, f, kept, all, &closed->run_f))
        closed->run = ct_assembled_whole(closed->fork->at, closed->run_f);
}

// Puts rotations whose three coordinates are independent into Euler parameters.
static void integrate_whole(ct_context *ctx, ct_closed *closed) {
    const ct_formulation *f = closed->at->f;
    ct_whole_rotation *all = ct_scratch((size_t)f->graph->n_edges + 1, sizeof *all);
    int n = ct_whole_rotations_free(f, all), kept = 0;
    for (int i = 0; i < n; i++) {
        bool free = true;
        for (int j = 0; j < 3; j++)
            free = free && is_independent(closed->flow, f, all[i].coordinate[j]);
        if (free) all[kept++] = all[i];
    }
    if (kept && !ct_formulation_with_whole_rotations(ctx, f, kept, all, &closed->whole_f)) {
        closed->whole = ct_assembled_whole(closed->at, closed->whole_f);
        closed->at = closed->whole;
    }
}

// The closure along a flow, put to the test. Returns false if there is none, or it does not give
// back the position that it starts from.
bool ct_candidate_close(ct_chooser *x, ct_candidate *c) {
    if (!c->flow->complete || !find_trees(x, c)) return false;
    ct_context *quiet =
        ct_context_quiet(NULL); // a failure is no error: coordinates are iterated then
    // the flow again, in the fork that the closure is built in
    ct_closed *k = c->closed = ct_region_new(sizeof *k);
    k->fork = ct_fork_of(c->trees ? c->trees->at : x->asked->at);
    k->at = k->fork->at;
    k->of_bodies = c->trees && c->flow->n_body_coordinates > 0 && !same_columns(x->f, c->trees->f);
    ct_formulation *own = ct_formulation_view(x->f, k->fork->model);
    bool good = !find_flow(x, own, c->offer, &k->flow);
    double most = 0;
    int step;
    if (good && !x->asked->in_angles) integrate_whole(quiet, k);
    good = good && !ct_closure_new(quiet, k->at, k->flow, ct_shows_angles(x->asked), &k->closure) &&
           ct_close_probe(k->at, k->closure, &most, &step) && most < CT_PROBE_CLOSED;
    c->residual = most;
    // orientations that stay: with rounding alone left, and far enough for what is small to show
    if (good && k->flow->n_translating)
        good = ct_close_probe_wide(k->at, k->closure, CT_PROBE_KEPT, &most) >= CT_PROBE_SHARE &&
               most < CT_PROBE_EXACT;
    ct_region_close(&k->region);
    return good;
}
