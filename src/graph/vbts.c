// The rule "vbts" (variable-based tree selection, Leger 2006). Each tree is the lightest spanning tree
// for weights that count variables: what is known goes into the tree, then edges with few variables,
// then those near to ground, by variables and by joints; edges of the rotation tree come first in the
// translation tree.
#include "graph/selection.h"

// Least sum of weights from ground to each node. An edge of negative weight does not exist.
static void shortest(const ct_graph *g, const int *weight, int *sum) {
    enum { FAR = 1 << 30 };
    for (int i = 0; i < g->n_nodes; i++) sum[i] = i ? FAR : 0;
    // as often as something gets shorter, at most once for each node
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (int e = 0; e < g->n_edges; e++) {
            int a = g->edges[e].from, b = g->edges[e].to;
            if (weight[e] < 0) continue;
            if (sum[a] < FAR && sum[a] + weight[e] < sum[b])
                sum[b] = sum[a] + weight[e], shorter = true;
            if (sum[b] < FAR && sum[b] + weight[e] < sum[a])
                sum[a] = sum[b] + weight[e], shorter = true;
        }
    }
}

static int lesser(const int *sum, const ct_edge *e) {
    return sum[e->from] < sum[e->to] ? sum[e->from] : sum[e->to];
}

void ct_vbts_weights(const ct_graph *g, ct_domain domain, const bool *other, ct_vbts_weight *out) {
    // a path of joints is shorter than any body's own edge
    const int body = g->n_edges;
    int *variables = ct_scratch((size_t)g->n_edges, sizeof *variables),
        *joints = ct_scratch((size_t)g->n_edges, sizeof *joints),
        *distance = ct_scratch((size_t)g->n_nodes, sizeof *distance),
        *chain = ct_scratch((size_t)g->n_nodes, sizeof *chain);
    for (int e = 0; e < g->n_edges; e++) {
        ct_edge_role role = ct_edge_role_of(g, e);
        bool may = ct_edge_may_be_branch(role);
        variables[e] = may ? ct_edge_variables(g, e, domain) : -1;
        joints[e] = !may ? -1 : role == CT_CARRIES_BODY ? body : role == CT_CARRIES_ARM ? 0 : 1;
    }
    // variables and joints between each node and ground
    shortest(g, variables, distance);
    shortest(g, joints, chain);
    for (int e = 0; e < g->n_edges; e++) {
        ct_edge_role role = ct_edge_role_of(g, e);
        bool known = role == CT_CARRIES_ARM || role == CT_CARRIES_KNOWN;
        out[e] = (ct_vbts_weight){.absolute = !known,
                                  .variables = variables[e],
                                  .distance = lesser(distance, g->edges + e),
                                  .joints = lesser(chain, g->edges + e),
                                  .differs = !(other && other[e])};
    }
}

static bool is_lighter(const ct_vbts_weight *a, const ct_vbts_weight *b) {
    if (a->absolute != b->absolute) return a->absolute < b->absolute;
    if (a->variables != b->variables) return a->variables < b->variables;
    if (a->distance != b->distance) return a->distance < b->distance;
    if (a->joints != b->joints) return a->joints < b->joints;
    return a->differs < b->differs;
}

// The lightest spanning tree; of equal edges the first one.
static ct_status lightest(ct_context *ctx, ct_graph *g, ct_domain domain, const bool *other) {
    ct_growth growth = ct_growth_new(g);
    ct_vbts_weight *weight = ct_scratch((size_t)g->n_edges, sizeof *weight);
    ct_vbts_weights(g, domain, other, weight);
    while (growth.n < g->n_nodes - 1) {
        int best = -1;
        for (int e = 0; e < g->n_edges; e++) {
            if (weight[e].variables < 0 || !ct_growth_may_add(&growth, e)) continue;
            if (best < 0 || is_lighter(weight + e, weight + best)) best = e;
        }
        ct_growth_add(&growth, best);
    }
    return ct_growth_set(ctx, g, domain, &growth);
}

ct_status ct_tree_rule_vbts(ct_context *ctx, ct_graph *g) {
    ct_status status = lightest(ctx, g, CT_ROTATION, NULL);
    return status ? status : lightest(ctx, g, CT_TRANSLATION, g->tree[CT_ROTATION].has);
}
