// From an assembled mechanism to its closure: the flow, trees that follow it, the initial state in
// the coordinates of these trees, and the closed form of all dependent coordinates.
// Candidates are built, counted and compared. Each is built in a fork of the model, so that it does
// not depend on what else was tried. Where no flow leads through, the dependent coordinates are
// iterated, block by block (tearing/without_flow.c).
#include "closure/choose.h"
#include "closure/describe.h"
#include "closure/tolerances.h"
#include "formulate/whole_rotation.h"
#include "util/cache/cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_tree(const ct_graph *a, const ct_graph *b) {
    for (int d = 0; d < 2; d++)
        for (int e = 0; e < a->n_edges; e++)
            if (a->tree[d].has[e] != b->tree[d].has[e]) return false;
    return true;
}

// Returns true if results have the same columns: coordinates of bodies depend on the trees.
static bool same_columns(const ct_formulation *a, const ct_formulation *b) {
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->n && a->coordinate[i] >= 0) i++;
        while (k < b->n && b->coordinate[k] >= 0) k++;
        if (i == a->n || k == b->n) return i == a->n && k == b->n;
        if (strcmp(a->names[i], b->names[k]) != 0) return false;
    }
}

// candidates -------------------------------------------------------------------------------------
// A closure that may be chosen. Its flow is found twice: in the chooser's scratch fork, where its
// trees are read off, and in the fork that the closure is built in.
typedef struct candidate {
    ct_flow_offer offer;
    ct_flow *flow;  // in the scratch fork
    ct_fork *trees; // one of the chooser's, or NULL: the caller's
    ct_closed *closed;
    int open;        // unknowns that are iterated, then roots that are followed
    double residual; // at the initial position and a little way around it
    double score;
} candidate;

static void discard(candidate *c) {
    ct_flow_free(c->flow);
    ct_closed_free(c->closed);
    *c = (candidate){0};
}

typedef struct chooser {
    ct_context *ctx;
    const ct_closing *asked;
    const ct_formulation *f; // in the caller's trees
    ct_fork *scratch;
    ct_order_cache order_cache;
    int n_trees, room_trees;
    ct_fork **trees; // the pairs of trees that were tried, each formulated once
    candidate best;  // so far
    bool is_other;   // than the choice for the values of the file, which was not possible
    double seconds;  // to find flows, those that were not taken too, and to choose
} chooser;

// A flow on the caller's equations, in any fork. Fails only if names that the caller gives are
// wrong.
static ct_status find_flow(chooser *x, const ct_formulation *f, ct_flow_offer offer,
                           ct_flow **flow) {
    ct_status status = ct_flow_find(x->ctx, f, x->asked->at->q0, x->asked->n, x->asked->names,
                                    offer, &x->order_cache, flow);
    if (!status) x->seconds += (*flow)->seconds;
    return status;
}

static ct_status attempt(chooser *x, ct_flow_offer offer, candidate *c) {
    *c = (candidate){.offer = offer};
    return find_flow(x, x->scratch->f, offer, &c->flow);
}

// The equations in the trees of a graph, which is owned by them then, and the state in them.
// of_bodies: the trees hold coordinates of bodies that no result shows. Returns NULL if the trees
// give other columns, another number of freedoms or no state.
static ct_fork *formulate(chooser *x, ct_graph *g, bool of_bodies) {
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
static bool shows_bodies(const chooser *x) {
    for (int k = 0; k < x->f->n; k++)
        if (x->f->coordinate[k] < 0) return true;
    return false;
}

// The trees of a candidate's flow, where they are free to choose. Returns false if no trees follow
// the flow.
static bool find_trees(chooser *x, candidate *c) {
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
static bool close_along(chooser *x, candidate *c) {
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
    good = good && !ct_closure_new(quiet, k->at, k->flow, &k->closure) &&
           ct_close_probe(k->at, k->closure, &most, &step) && most < CT_PROBE_CLOSED;
    c->residual = most;
    // orientations that stay: with rounding alone left, and far enough for what is small to show
    if (good && k->flow->n_translating)
        good = ct_close_probe_wide(k->at, k->closure, CT_PROBE_KEPT, &most) >= CT_PROBE_SHARE &&
               most < CT_PROBE_EXACT;
    ct_region_close(&k->region);
    return good;
}

// Returns true if poses of bodies may be independent: the user names no independent coordinates.
static bool may_offer_poses(const chooser *x) {
    return x->asked->free_trees && !x->asked->n && !x->f->model->n_independent;
}

// comparing --------------------------------------------------------------------------------------
// Order of candidates: fewest iterated unknowns, then fewest tracked roots, then operations,
// charged up to twice where the independent coordinates cannot move far from the initial position.
// With iterations the distance is not probed: one stride of Newton's method says nothing about it.
static void weigh(candidate *c) {
    double most, reach = 1;
    const ct_closed *k = c->closed;
    c->open = 0;
    // iterated unknowns outweigh any number of roots
    for (int i = 0; i < k->closure->n_steps; i++) {
        const ct_step *step = k->closure->steps + i;
        c->open += step->method == CT_STEP_NEWTON ? CT_CHOICE_ITERATED * step->n_unknowns : 0;
        c->open += step->method == CT_STEP_POLYNOMIAL;
    }
    double far = k->flow && k->flow->n_poses ? CT_PROBE_REACH_POSE : CT_PROBE_REACH;
    if (!c->open) reach = ct_close_probe_wide(k->at, k->closure, far, &most);
    c->score = ct_closure_cost(k->closure) * (2 - reach);
    // digits are lost at the start: a step is close to its limit position there
    if (!c->open && c->residual > CT_PROBE_LOSS) c->score *= 2;
}

// b is the best one so far: it goes only if a iterates or follows less, or is clearly cheaper.
static bool is_better(const candidate *a, const candidate *b) {
    return a->open != b->open ? a->open < b->open : a->score < CT_CHOICE_GAIN * b->score;
}

// A pose takes the place of joints only if it needs fewer operations, or these lose digits.
static bool is_dear_pose(const candidate *a, const candidate *b) {
    if (!a->flow->n_poses || b->flow->n_poses || b->residual > CT_PROBE_LOSS) return false;
    return ct_closure_cost(a->closed->closure) >= ct_closure_cost(b->closed->closure);
}

// Builds and weighs another candidate. Returns true if it is better; it is the best one then.
static bool compare(chooser *x, candidate *c) {
    bool good = close_along(x, c);
    if (good) weigh(c);
    bool better = good && is_better(c, &x->best) && !is_dear_pose(c, &x->best);
    if (better) {
        candidate last = x->best;
        x->best = *c;
        *c = last;
    }
    discard(c);
    return better;
}

// A closure without iterations from the place or the pose of a body with several legs. Returns
// false if there is none.
static bool close_by_bodies(chooser *x, candidate *c) {
    static const ct_flow_offer offers[] = {CT_OFFER_PLACES, CT_OFFER_POSES, CT_OFFER_ALL_PLACES};
    for (int i = 0; i < 3; i++) {
        if (attempt(x, offers[i], c)) return false;
        bool of_bodies =
            c->flow->n_translating || (c->flow->n_body_coordinates && offers[i] == CT_OFFER_POSES);
        if (c->flow->complete && !c->flow->torn && of_bodies && close_along(x, c)) return true;
        discard(c);
    }
    return false;
}

// A flow with poses of bodies as independent coordinates. Returns false if there is none.
static bool find_poses(chooser *x, candidate *c) {
    *c = (candidate){0};
    if (may_offer_poses(x) && !attempt(x, CT_OFFER_POSES_ONLY, c) && c->flow->n_poses &&
        !c->flow->torn)
        return true;
    discard(c);
    return false;
}

// Orders that the search finds about equally good are built and counted, one structure after the
// other, within a budget of operations. Orders that give up coordinates that the user names are
// left out. Where none is kept, or some are given up anyway, poses of bodies compete too.
static void choose_by_count(chooser *x) {
    const ct_flow *flow = x->best.flow;
    double budget = flow->torn ? CT_CHOICE_BUDGET_TORN : CT_CHOICE_BUDGET;
    double start = ct_seconds(), before = x->seconds;
    candidate c;
    // nothing to compare: no groups, or coordinates of bodies
    if (!x->order_cache.n || flow->n_body_coordinates) return;
    weigh(&x->best);
    // other orders of each structure, while the budget lasts
    for (int i = 0; i < x->order_cache.n; i++)
        for (int k = 1; k < x->order_cache.of[i].n; k++) {
            ct_flow_structure *of = x->order_cache.of + i;
            int taken = of->taken;
            if (of->orders[k].wish < of->orders[0].wish) continue;
            if ((budget -= ct_closure_cost(x->best.closed->closure)) < 0) continue;
            of->taken = k;
            bool better = !attempt(x, CT_OFFER_JOINTS, &c) && compare(x, &c);
            x->order_cache.of[i].taken = better ? k : taken;
        }
    // poses of bodies against the best of these
    bool may_go = x->best.flow->wish == 0 || x->best.flow->given_up > 0;
    if (may_go && budget > 0 && find_poses(x, &c)) compare(x, &c);
    // joints that ties close: a body that keeps its orientation may be cheaper
    bool tied = x->best.flow->with_ties && x->asked->free_trees && budget > 0;
    if (tied && !attempt(x, CT_OFFER_PLACES, &c)) {
        if (c.flow->n_translating && !c.flow->torn)
            compare(x, &c);
        else
            discard(&c);
    }
    x->seconds = before + ct_seconds() - start;
}

// A closure along coordinates of joints alone, or with those of bodies. *along is false if neither
// is possible.
static ct_status close_by_flow(chooser *x, bool *along) {
    candidate c = {0};
    *along = false;
    ct_status status = attempt(x, CT_OFFER_JOINTS, &x->best);
    if (status) return status;
    ct_report(x->ctx, "closing the loops", -1, false);
    // what iterates gives way to coordinates of bodies
    bool open = !x->best.flow->complete || x->best.flow->torn;
    if (open && x->asked->free_trees) *along = close_by_bodies(x, &c);
    if (*along) {
        discard(&x->best);
        x->best = c;
    } else {
        discard(&c);
        *along = close_along(x, &x->best);
    }
    if (*along) choose_by_count(x);
    return CT_OK;
}

// the same choice again ---------------------------------------------------------------------------
// Digest of everything that the choice depends on: this library, the model, all expressions so far
// (numbers of nodes decide how sums are ordered), trees, and what is asked for. The choice is that
// for the values of the file, also where others are set; with_values: for those that are set.
static ct_digest key_of(const ct_closing *asked, bool with_values) {
    const ct_assembled *at = asked->at;
    const ct_graph *graph = at->f->graph;
    char mark[120];
    ct_digest key = at->f->model->structure, nodes = ct_pool_digest(at->f->pool);
    const ct_model *m = at->f->model;
    ct_library_mark(mark, sizeof mark);
    // inputs that change the initial position
    if (memcmp(&m->content, &m->text_content, sizeof m->content))
        ct_digest_add(&key, &m->content, sizeof m->content);
    ct_digest_add_text(&key, CT_VERSION);
    ct_digest_add_text(&key, mark);
    ct_digest_add(&key, &nodes, sizeof nodes);
    for (int d = 0; d < 2; d++)
        for (int e = 0; e < graph->n_edges; e++) ct_digest_add_number(&key, graph->tree[d].has[e]);
    if (with_values) {
        for (int i = 0; i < m->n_parameters; i++)
            ct_digest_add(&key, &m->parameters[i].number, sizeof m->parameters[i].number);
        ct_digest_add(&key, at->q0, (size_t)at->f->n * sizeof *at->q0);
        ct_digest_add(&key, at->qd0, (size_t)at->f->n * sizeof *at->qd0);
    }
    ct_digest_add_number(&key, asked->free_trees);
    ct_digest_add_number(&key, asked->what);
    for (int i = 0; i < asked->n; i++) ct_digest_add_text(&key, asked->names[i]);
    return key;
}

// Closes along a choice that was made before. Returns false, with nothing left of it, if that does
// not lead through.
static bool choose_again(chooser *x, const char *choice) {
    ct_flow_offer offer;
    bool along = false;
    if (choice && ct_order_cache_read(&x->order_cache, choice, &offer) &&
        !attempt(x, offer, &x->best)) {
        ct_report(x->ctx, "closing the loops", -1, false);
        along = close_along(x, &x->best);
    }
    if (along) return true;
    discard(&x->best);
    ct_order_cache_clear(&x->order_cache);
    ct_order_cache_start(&x->order_cache);
    return false;
}

static char *read_choice(const chooser *x, bool with_values) {
    return ct_cache_read(CT_CACHE_ORDERS, key_of(x->asked, with_values), NULL);
}

// The choice for the values of the file, also where others are set. Where it is not possible: the
// one that was made for these before, or a new one, which is kept.
static ct_status choose(chooser *x, bool *along) {
    const bool varied = ct_model_is_varied(x->asked->at->f->model);
    // the choice for the file, kept or (for other values) made
    char *choice = read_choice(x, false);
    if (!choice && varied && x->asked->choice_of_file)
        choice = x->asked->choice_of_file(x->asked->data);
    *along = choose_again(x, choice);
    x->is_other = varied && choice && !*along;
    ct_free(choice);
    if (*along) return CT_OK;
    // another one that was made for these values
    choice = varied ? read_choice(x, true) : NULL;
    *along = choose_again(x, choice);
    ct_free(choice);
    if (*along) return CT_OK;
    // a new one
    ct_status status = close_by_flow(x, along);
    if (status || !*along) return status;
    choice = ct_order_cache_text(&x->order_cache, x->best.offer);
    ct_cache_write(CT_CACHE_ORDERS, key_of(x->asked, varied), choice, strlen(choice));
    ct_free(choice);
    return status;
}

// without a flow ---------------------------------------------------------------------------------
static bool has_names(const ct_closure *c, int n, const char *const *names) {
    for (int i = 0; i < n; i++) {
        bool found = false;
        for (int k = 0; k < c->r; k++)
            found = found || !strcmp(c->f->names[c->independent[k]], names[i]);
        if (!found) return false;
    }
    return true;
}

// A closure with all dependent coordinates iterated, on the caller's equations; tried: the flow
// that is not complete, for the message.
static ct_status iterate(chooser *x, const ct_flow *tried, ct_closed **closed) {
    ct_closed *k = ct_region_new(sizeof *k);
    k->fork = ct_fork_of(x->asked->at);
    k->at = k->fork->at;
    ct_status status = ct_closure_new(x->ctx, k->at, NULL, &k->closure);
    if (!status && !has_names(k->closure, x->asked->n, x->asked->names))
        status = ct_fail(x->ctx, CT_NUMERICS,
                         "no closure was found with these independent coordinates%s%s; leave them "
                         "out to have them chosen",
                         tried && tried->why ? ": " : "", tried && tried->why ? tried->why : "");
    ct_region_close(&k->region);
    if (!status) *closed = k;
    return status;
}

// The best candidate, with the trees that it needs.
static ct_closed *take(chooser *x) {
    ct_closed *closed = x->best.closed;
    closed->trees = x->best.trees;
    closed->closure->seconds += x->seconds;
    ct_region_open(&closed->region);
    closed->choice = ct_order_cache_text(&x->order_cache, x->best.offer);
    if (closed->trees) ct_region_keep(&closed->trees->region);
    ct_region_close(&closed->region);
    return closed;
}

ct_status ct_closed_new(ct_context *ctx, const ct_closing *closing, ct_closed **closed) {
    chooser x = {.ctx = ctx, .asked = closing, .f = closing->at->f};
    bool along = false;
    *closed = NULL;
    ct_report(ctx, "looking for an order to close the loops in", -1, false);
    // along a flow, if one leads through
    ct_region region = {0};
    ct_region_open(&region);
    ct_order_cache_start(&x.order_cache);
    x.scratch = ct_fork_of(closing->at);
    ct_status status = choose(&x, &along);
    // the best candidate, or dependent coordinates iterated
    if (!status && along)
        *closed = take(&x);
    else if (!status)
        status = iterate(&x, x.best.flow, closed);
    if (*closed) (*closed)->is_other = x.is_other;
    // all others go
    ct_region_close(&region);
    if (*closed) ct_region_keep(&(*closed)->region);
    ct_region_free(&region);
    return status;
}
