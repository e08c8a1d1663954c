// What the equations in a pair of trees cost: they are written and counted in a fork of the model, so
// that nothing is left of them.
#include "run/trees/trees.h"
#include "emit/emit.h"

#include <string.h>

ct_pair ct_pair_of(const ct_graph *g) {
    ct_pair pair;
    for (int d = 0; d < 2; d++) {
        pair.has[d] = ct_scratch((size_t)g->n_edges, sizeof *pair.has[d]);
        memcpy(pair.has[d], g->tree[d].has, (size_t)g->n_edges * sizeof *pair.has[d]);
    }
    return pair;
}

ct_status ct_pair_set(ct_context *ctx, ct_graph *g, const ct_pair *pair) {
    int *edges = ct_scratch((size_t)g->n_edges, sizeof *edges);
    ct_status status = CT_OK;
    for (int d = 0; d < 2 && !status; d++) {
        int n = 0;
        for (int e = 0; e < g->n_edges; e++)
            if (pair->has[d][e] && g->edges[e].kind != CT_EDGE_ARM) edges[n++] = e;
        status = ct_tree_set(ctx, g, (ct_domain)d, n, edges);
    }
    return status;
}

bool ct_pair_is_same(const ct_graph *g, const ct_pair *a, const ct_pair *b) {
    for (int d = 0; d < 2; d++)
        if (memcmp(a->has[d], b->has[d], (size_t)g->n_edges * sizeof *a->has[d])) return false;
    return true;
}

double ct_pairs_of_budget(const ct_context *ctx) {
    enum { PER_SECOND = 40000 };
    return PER_SECOND * ct_context_budget(ctx);
}

ct_pair_count ct_formulation_count(const ct_formulation *f) {
    int motions = 0;
    for (int i = 0; i < f->m; i++) motions += f->owner[i].motion >= 0;
    // constraint equations without motions and auxiliary rows
    ct_operations shared = ct_emit_count(f);
    return (ct_pair_count){.n = f->n_tree,
                           .m = f->m - motions - (f->n - f->n_tree),
                           .operations = ct_operations_total(shared),
                           .shared = shared};
}

ct_pair_count ct_pair_count_of(const ct_model *model, const ct_pair *pair, ct_formulate_what what) {
    ct_pair_count count = {.operations = -1};
    ct_formulation *f;
    ct_region region = {0};
    ct_stage stage = ct_stage_begin();
    ct_region_open(&region);
    ct_context *quiet = ct_context_quiet(NULL);
    ct_graph *g = ct_graph_new(ct_model_fork(model));
    if (!ct_pair_set(quiet, g, pair) && !ct_formulation_new(quiet, g, what, &f))
        count = ct_formulation_count(f);
    ct_region_close(&region);
    ct_region_free(&region);
    ct_stage_end(stage);
    return count;
}
