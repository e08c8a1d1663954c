// The walk along a flow: what is independent or given is known, then every group of loops is
// placed, step by step or inside an iteration, and joints outside the trees come last.
#include "closure/positions.h"

#include "closure/steps/steps.h"
#include "closure/tearing/tearing.h"

#include <stdlib.h>

typedef struct walk {
    ct_context *ctx;
    const ct_flow *flow;
    bool *known; // [f->n] coordinates that are placed
} walk;

static void place(const ct_steps *b, const ct_placement *p) {
    switch (p->kind) {
    case CT_PLACE_ONE:
    case CT_PLACE_RELATIVE:
    case CT_PLACE_CYLINDER:
    case CT_PLACE_SCREW: ct_steps_one_axis(b, p); break;
    case CT_PLACE_DIRECTION: ct_steps_direction(b, p); break;
    case CT_PLACE_FRAME: ct_steps_frame(b, p); break;
    case CT_PLACE_KEPT:
    case CT_PLACE_SPHERES: ct_steps_translating(b, p); break;
    case CT_PLACE_GIVEN:
    case CT_PLACE_ITERATE: break;
    }
}

// One placement, and what couplings give from it.
static void advance(const walk *w, const ct_steps *b, const ct_placement *p) {
    place(b, p);
    for (int k = 0; k < p->n_unknown; k++) w->known[ct_steps_coordinate(b, p->unknown[k])] = true;
    ct_steps_give(b, w->known);
}

// Placements first .. last - 1 hang on iterated coordinates.
static ct_status iterate(const walk *w, const ct_steps *b, int group, int first, int last) {
    ct_steps inner = *b;
    inner.iterated = true;
    ct_torn *torn = ct_torn_begin(b, w->flow, group, first);
    for (int i = first; i < last; i++) advance(w, &inner, w->flow->placements + i);
    return ct_torn_close(w->ctx, torn, w->known);
}

static ct_status place_group(const walk *w, const ct_steps *whole, int group) {
    const ct_flow *flow = w->flow;
    const ct_placement *placed = flow->placements + flow->group[group];
    ct_steps b = *whole;
    b.root = flow->group_root[group];
    int first = flow->group[group], last = ct_flow_group_end(flow, group), still = -1;
    for (int i = first; i < last; i++) {
        if (flow->placements[i].kind == CT_PLACE_ITERATE) return iterate(w, &b, group, i, last);
        advance(w, &b, flow->placements + i);
        if (flow->placements[i].kind == CT_PLACE_KEPT) still = b.closure->n_steps - 1;
    }
    for (int i = 0; i < flow->n_spare && still >= 0; i++)
        if (flow->spare_group[i] == group)
            ct_steps_watch_open(&b, still, flow->spare + i, last - first, placed);
    return CT_OK;
}

static ct_status independents(const walk *w, const ct_steps *b, int m) {
    ct_closure *c = b->closure;
    const ct_formulation *f = b->f;
    c->independent = ct_alloc((size_t)f->n + 1, sizeof(int));
    c->dependent = ct_alloc((size_t)f->n + 1, sizeof(int));
    for (int i = 0; i < w->flow->n_independent; i++) {
        int k = ct_steps_coordinate(b, w->flow->independent[i]);
        if (k < 0)
            return ct_fail(w->ctx, CT_INTERNAL, "independent coordinate %d is not in the trees",
                           w->flow->independent[i]);
        c->is_independent[k] = w->known[k] = true;
    }
    for (int k = 0; k < f->n; k++)
        if (w->known[k])
            c->independent[c->r++] = k;
        else
            c->dependent[c->n_dependent++] = k;
    if (c->r != f->n - m)
        return ct_fail(w->ctx, CT_INTERNAL, "the flow has %d freedoms, the mechanism %d", c->r,
                       f->n - m);
    return CT_OK;
}

static ct_status all_known(const walk *w, const ct_formulation *f) {
    for (int k = 0; k < f->n_tree; k++)
        if (!w->known[k])
            return ct_fail(w->ctx, CT_INTERNAL, "coordinate '%s' was left out of the closure",
                           f->names[k]);
    return CT_OK;
}

static ct_status walk_along(const walk *w, const ct_steps *b, int m) {
    ct_status status = independents(w, b, m);
    // what motions drive, and what couplings carry on
    if (!status) ct_steps_give(b, w->known);
    // the loops, group by group
    for (int g = 0; g < w->flow->n_groups && !status; g++) {
        status = place_group(w, b, g);
        ct_steps_give(b, w->known);
    }
    // joints outside the trees
    if (!status) ct_steps_auxiliary(b);
    return status ? status : all_known(w, b->f);
}

static bool is_triangular(const ct_closure *c) {
    for (int i = 0; i < c->n_steps; i++)
        if (c->steps[i].degree > 4) return false;
    return c->n_iterated == 0;
}

ct_status ct_positions_build(ct_context *ctx, ct_closure *closure, const ct_flow *flow,
                             ct_forms *forms, int m, const double *q0) {
    const ct_formulation *f = closure->f;
    ct_step_notes notes = {0};
    const ct_steps b = {.f = f,
                        .pool = f->pool,
                        .layout = f->layout,
                        .q0 = q0,
                        .closure = closure,
                        .forms = forms,
                        .notes = &notes};
    const walk w = {ctx, flow, ct_alloc((size_t)f->n + 1, sizeof(bool))};
    ct_status status = walk_along(&w, &b, m);
    closure->triangular = is_triangular(closure);
    free(w.known);
    free(notes.solved);
    free(notes.seen);
    return status;
}
