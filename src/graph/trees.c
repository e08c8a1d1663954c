// Rules that choose trees, and the trees that the user gives.
#include "graph/graph.h"

#include <stdlib.h>

static ct_status set_both(ct_context *ctx, ct_graph *g, int n, const int *edges) {
    ct_status status = ct_tree_set(ctx, g, CT_ROTATION, n, edges);
    return status ? status : ct_tree_set(ctx, g, CT_TRANSLATION, n, edges);
}

ct_status ct_tree_rule_absolute(ct_context *ctx, ct_graph *g) {
    int n = 0, *edges = ct_scratch((size_t)g->n_edges, sizeof *edges);
    for (int e = 0; e < g->n_edges; e++)
        if (g->edges[e].kind == CT_EDGE_BODY) edges[n++] = e;
    return set_both(ctx, g, n, edges);
}

// The tree grows from ground over the bodies (Prim). Of the joints that lead to a new body,
// preferred ones come first, then joints with fewer freedoms (a cut joint then leaves fewer
// equations), then joints nearer to ground (shorter chains), then those of
// lower rank. A body that no joint reaches gets its
// own edge.
static ct_status grow(ct_context *ctx, ct_graph *g, const int *preference, const int *rank,
                      const bool *own) {
    int n = 0, bodies = g->model->n_bodies;
    // bodies that hang on their own edges
    int *edges = ct_scratch((size_t)g->n_edges, sizeof *edges),
        *depth = ct_scratch((size_t)bodies, sizeof *depth);
    for (int b = 1; b < bodies; b++) {
        depth[b] = own && own[b] ? 1 : -1;
        if (depth[b] > 0) edges[n++] = ct_graph_edge(g, CT_EDGE_BODY, b);
    }
    for (int added = 1 + n; added < bodies; added++) {
        // joints that lead from the tree to a new body; virtual ones only if preferred
        int best = -1, best_body = -1, best_depth = 0;
        long best_weight = 0;
        for (int e = 0; e < g->n_edges; e++) {
            const ct_edge *edge = g->edges + e;
            if (edge->kind != CT_EDGE_JOINT) continue;
            if (g->model->joints[edge->index].is_virtual &&
                !(preference && preference[edge->index]))
                continue;
            int a = g->node_body[edge->from], b = g->node_body[edge->to];
            if ((depth[a] < 0) == (depth[b] < 0)) continue;
            // weight: preference, then freedoms, then depth; then rank
            ct_joint_type type = g->model->joints[edge->index].type;
            int from = depth[a] < 0 ? depth[b] : depth[a];
            long weight = 10000L * (ct_joint_translations(type) + ct_joint_rotations(type)) + from;
            if (preference) weight -= 100000000L * preference[edge->index];
            bool ahead = rank && best >= 0 && weight == best_weight &&
                         rank[edge->index] < rank[g->edges[best].index];
            if (best < 0 || weight < best_weight || ahead) {
                best = e;
                best_weight = weight;
                best_body = depth[a] < 0 ? a : b;
                best_depth = from + 1;
            }
        }
        // no joint is left: a body by its own edge
        if (best < 0) {
            best_body = ct_graph_carrier(g->model, depth);
            best = ct_graph_edge(g, CT_EDGE_BODY, best_body);
            best_depth = 1;
        }
        edges[n++] = best;
        depth[best_body] = best_depth;
    }
    // one tree for rotation and translation
    return set_both(ctx, g, n, edges);
}

ct_status ct_tree_rule_joint(ct_context *ctx, ct_graph *g, const int *preference) {
    return grow(ctx, g, preference, NULL, NULL);
}

ct_status ct_tree_rule_ranked(ct_context *ctx, ct_graph *g, const int *preference,
                              const int *rank) {
    return grow(ctx, g, preference, rank, NULL);
}

ct_status ct_tree_rule_own(ct_context *ctx, ct_graph *g, const int *preference, const bool *own) {
    return grow(ctx, g, preference, NULL, own);
}

// One tree from the entries of the model.
static ct_status given(ct_context *ctx, ct_graph *g, ct_domain domain, int n,
                       const ct_tree_entry *entries) {
    int *edges = ct_alloc((size_t)n, sizeof *edges), count = 0;
    ct_status status = CT_OK;
    for (int i = 0; i < n; i++) {
        int e =
            ct_graph_edge(g, entries[i].is_body ? CT_EDGE_BODY : CT_EDGE_JOINT, entries[i].index);
        if (e < 0) {
            ct_error_at(ctx, entries[i].place, "'%s' has no coordinates and cannot stand in a tree",
                        entries[i].is_body ? "ground" : g->model->joints[entries[i].index].name);
            status = CT_WRONG_MODEL;
        } else {
            edges[count++] = e;
        }
    }
    if (!status) status = ct_tree_set(ctx, g, domain, count, edges);
    ct_free(edges);
    return status;
}

ct_status ct_tree_given(ct_context *ctx, ct_graph *g) {
    const ct_model *m = g->model;
    ct_status a = given(ctx, g, CT_ROTATION, m->n_rotation, m->rotation);
    ct_status b = given(ctx, g, CT_TRANSLATION, m->n_translation, m->translation);
    return a ? a : b;
}
