// From an assembled mechanism to its closure: the flow, trees that follow it, the initial state in
// the coordinates of these trees, and the closed form of all dependent coordinates.
// Candidates are built, counted and compared. Each is built in a fork of the model, so that it does
// not depend on what else was tried. Where no flow leads through, the dependent coordinates are
// iterated, block by block (tearing/without_flow.c).
#include "closure/choose.h"
#include "closure/candidate.h"
#include "closure/describe.h"
#include "closure/tolerances.h"
#include "util/cache/cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A closure without iterations from the place or the pose of a body with several legs. Returns
// false if there is none.
static bool close_by_bodies(ct_chooser *x, ct_candidate *c) {
    static const ct_flow_offer offers[] = {CT_OFFER_PLACES, CT_OFFER_POSES, CT_OFFER_ALL_PLACES};
    for (int i = 0; i < 3; i++) {
        if (ct_candidate_flow(x, offers[i], c)) return false;
        bool of_bodies = c->flow->n_translating || c->flow->n_swings ||
                         (c->flow->n_body_coordinates && offers[i] == CT_OFFER_POSES);
        if (c->flow->complete && !c->flow->torn && of_bodies && ct_candidate_close(x, c))
            return true;
        ct_candidate_discard(c);
    }
    return false;
}

// A closure along coordinates of joints alone, or with those of bodies. *along is false if neither
// is possible.
static ct_status close_by_flow(ct_chooser *x, bool *along) {
    ct_candidate c = {0};
    *along = false;
    ct_status status = ct_candidate_flow(x, CT_OFFER_JOINTS, &x->best);
    if (status) return status;
    ct_report(x->ctx, "closing the loops", -1, false);
    // what iterates gives way to coordinates of bodies
    bool open = !x->best.flow->complete || x->best.flow->torn;
    if (open && x->asked->free_trees) *along = close_by_bodies(x, &c);
    if (*along) {
        ct_candidate_discard(&x->best);
        x->best = c;
    } else {
        ct_candidate_discard(&c);
        *along = ct_candidate_close(x, &x->best);
    }
    if (*along) ct_candidates_compare(x);
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
static bool choose_again(ct_chooser *x, const char *choice) {
    ct_flow_offer offer;
    bool along = false;
    if (choice && ct_order_cache_read(&x->order_cache, choice, &offer) &&
        !ct_candidate_flow(x, offer, &x->best)) {
        ct_report(x->ctx, "closing the loops", -1, false);
        along = ct_candidate_close(x, &x->best);
    }
    if (along) return true;
    ct_candidate_discard(&x->best);
    ct_order_cache_clear(&x->order_cache);
    ct_order_cache_start(&x->order_cache);
    return false;
}

static char *read_choice(const ct_chooser *x, bool with_values) {
    return ct_cache_read(CT_CACHE_ORDERS, key_of(x->asked, with_values), NULL);
}

// The choice for the values of the file, also where others are set. Where it is not possible: the
// one that was made for these before, or a new one, which is kept.
static ct_status choose(ct_chooser *x, bool *along) {
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
static ct_status iterate(ct_chooser *x, const ct_flow *tried, ct_closed **closed) {
    ct_closed *k = ct_region_new(sizeof *k);
    k->fork = ct_fork_of(x->asked->at);
    k->at = k->fork->at;
    ct_status status = ct_closure_new(x->ctx, k->at, NULL, ct_shows_angles(x->asked), &k->closure);
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
static ct_closed *take(ct_chooser *x) {
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
    ct_chooser x = {.ctx = ctx, .asked = closing, .f = closing->at->f};
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
    if (*closed) {
        (*closed)->is_other = x.is_other;
        ct_region_open(&(*closed)->region);
        ct_closed_show(ctx, *closed);
        ct_region_close(&(*closed)->region);
    }
    // all others go
    ct_region_close(&region);
    if (*closed) ct_region_keep(&(*closed)->region);
    ct_region_free(&region);
    return status;
}
