// Growing a spanning tree from ground (Prim): each edge that is added reaches one new node.
#include "graph/selection.h"

ct_growth ct_growth_new(const ct_graph *g) {
    ct_growth growth = {.g = g,
                        .has = ct_scratch((size_t)g->n_edges, sizeof(bool)),
                        .reached = ct_scratch((size_t)g->n_nodes, sizeof(bool)),
                        .parent_edge = ct_scratch((size_t)g->n_nodes, sizeof(int)),
                        .order = ct_scratch((size_t)g->n_nodes, sizeof(int))};
    growth.reached[0] = true;
    growth.parent_edge[0] = -1;
    return growth;
}

bool ct_growth_may_add(const ct_growth *growth, int edge) {
    const ct_edge *e = growth->g->edges + edge;
    return growth->reached[e->from] != growth->reached[e->to];
}

void ct_growth_add(ct_growth *growth, int edge) {
    const ct_edge *e = growth->g->edges + edge;
    int node = growth->reached[e->from] ? e->to : e->from;
    growth->has[edge] = true;
    growth->reached[node] = true;
    growth->parent_edge[node] = edge;
    growth->order[growth->n++] = edge;
}

int ct_growth_path(const ct_growth *growth, int edge, int *path) {
    const ct_edge *e = growth->g->edges + edge;
    int n = 0, node = growth->reached[e->from] ? e->from : e->to;
    // a branch: from its end that is nearer to ground
    if (growth->parent_edge[e->from] == edge) node = e->to;
    for (int b; node; node = growth->g->edges[b].from == node ? growth->g->edges[b].to
                                                              : growth->g->edges[b].from) {
        b = growth->parent_edge[node];
        path[n++] = b;
    }
    return n;
}

ct_status ct_growth_set(ct_context *ctx, ct_graph *g, ct_domain domain, const ct_growth *growth) {
    int n = 0, *edges = ct_scratch((size_t)g->n_nodes, sizeof *edges);
    for (int i = 0; i < growth->n; i++)
        if (g->edges[growth->order[i]].kind != CT_EDGE_ARM) edges[n++] = growth->order[i];
    return ct_tree_set(ctx, g, domain, n, edges);
}
