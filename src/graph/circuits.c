// Fundamental circuits (a chord and the tree path between its ends) and cutsets (a branch and the
// chords whose circuits pass through it).
#include "graph/graph.h"

#include <stdlib.h>

static int depth(const ct_tree *t, int node) {
    int d = 0;
    for (; t->parent[node] >= 0; node = t->parent[node]) d++;
    return d;
}

int ct_circuit(const ct_graph *g, ct_domain domain, int chord, int *edges, int *signs) {
    const ct_tree *t = &g->tree[domain];
    int a = g->edges[chord].to, b = g->edges[chord].from, n = 0;
    int da = depth(t, a), db = depth(t, b);
    // go on from the chord's head back to its tail: up from a, down to b
    while (a != b) {
        bool up = da >= db;
        int node = up ? a : b, e = t->parent_edge[node];
        bool along = g->edges[e].from == node; // towards the root
        edges[n] = e;
        signs[n++] = along == up ? 1 : -1;
        if (up)
            a = t->parent[a], da--;
        else
            b = t->parent[b], db--;
    }
    return n;
}

int ct_cutset(const ct_graph *g, ct_domain domain, int branch, int *edges, int *signs) {
    const ct_tree *t = &g->tree[domain];
    // nodes behind the branch
    bool *behind = ct_scratch((size_t)g->n_nodes, sizeof *behind);
    for (int i = 1; i < g->n_nodes; i++) {
        int node = t->order[i];
        behind[node] = t->parent_edge[node] == branch || behind[t->parent[node]];
    }
    // chords between both sides, +1 where they point like the branch
    bool inward = behind[g->edges[branch].to];
    int n = 0;
    for (int e = 0; e < g->n_edges; e++) {
        if (t->has[e] || behind[g->edges[e].from] == behind[g->edges[e].to]) continue;
        edges[n] = e;
        signs[n++] = behind[g->edges[e].to] == inward ? 1 : -1;
    }
    return n;
}

char *ct_graph_describe(const ct_graph *g) {
    static const char *const kinds[] = {"body", "arm", "joint", "constraint", "motion", "force"};
    static const char *const domains[] = {"rotation", "translation"};
    ct_text out = {0};
    int *edges = ct_scratch((size_t)g->n_edges, sizeof *edges),
        *signs = ct_scratch((size_t)g->n_edges, sizeof *signs);
    // nodes and edges
    ct_text_printf(&out, "linear graph: %d nodes, %d edges\n", g->n_nodes, g->n_edges);
    for (int e = 0; e < g->n_edges; e++)
        ct_text_printf(&out, "  %-10s %-24s %d -> %d\n", kinds[g->edges[e].kind], g->edges[e].name,
                       g->edges[e].from, g->edges[e].to);
    // for each tree the cutsets of branches and the circuits of chords, arms left out
    for (int d = 0; d < 2; d++) {
        const ct_tree *t = &g->tree[d];
        if (!t->has) continue;
        for (int e = 0; e < g->n_edges; e++) {
            ct_edge_kind kind = g->edges[e].kind;
            if (kind == CT_EDGE_ARM || kind == CT_EDGE_FORCE || kind == CT_EDGE_MOTION) continue;
            int n = t->has[e] ? ct_cutset(g, (ct_domain)d, e, edges, signs)
                              : ct_circuit(g, (ct_domain)d, e, edges, signs);
            ct_text_printf(&out, "%s %s %s:", domains[d],
                           t->has[e] ? "cutset of branch" : "circuit of chord", g->edges[e].name);
            for (int i = 0; i < n; i++)
                if (g->edges[edges[i]].kind != CT_EDGE_ARM)
                    ct_text_printf(&out, " %c%s", signs[i] > 0 ? '+' : '-',
                                   g->edges[edges[i]].name);
            ct_text_add(&out, "\n");
        }
    }
    return ct_text_take(&out);
}
