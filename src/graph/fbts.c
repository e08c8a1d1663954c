// The rule "fbts" (formulation-based tree selection, Leger 2006). Equations of a branch hold the inertia
// of every body behind it, so that the number of bodies in the cutset of a branch, times the number of
// equations that use this cutset, foretells their size. A tree grows by the edge that adds least to
//   sum over branches b: equations(b) cutset(b)  +  price (equations - freedoms),
// where the second term counts constraints. The cutset of a branch of the translation tree is also used
// where the force of an arm has a moment in rotational equations. Of equal edges those of the other
// tree come first; both trees are selected in turn until they stay.
#include "graph/selection.h"

#include <string.h>

enum {
    BODY = 10,        // a body behind a branch
    OWN_ROTATION = 9, // a body whose own edge the branch is
    OWN_TRANSLATION = 0,
    PRICE_ROTATION = 3,     // of a constraint
    PRICE_TRANSLATION = 10, // for each angle in the longest circuit of the rotation tree
    PASSES = 4              // of both trees, at most
};

static int own(const ct_fbts *f, int edge) {
    if (f->growth.g->edges[edge].kind != CT_EDGE_BODY) return BODY;
    return f->domain == CT_ROTATION ? OWN_ROTATION : OWN_TRANSLATION;
}

// Sum of the variables of the branches of a tree.
static int variables_of(const ct_graph *g, ct_domain domain, const bool *has) {
    int sum = 0;
    for (int e = 0; e < g->n_edges; e++) sum += has[e] ? ct_edge_variables(g, e, domain) : 0;
    return sum;
}

// Angles in the circuit of a chord of the rotation tree that has most of them.
static int longest_circuit(const ct_graph *g) {
    int most = 0, *edges = ct_scratch((size_t)g->n_edges, sizeof *edges),
        *signs = ct_scratch((size_t)g->n_edges, sizeof *signs);
    for (int c = 0; c < g->n_edges; c++) {
        if (g->tree[CT_ROTATION].has[c]) continue;
        int n = ct_circuit(g, CT_ROTATION, c, edges, signs), sum = 0;
        for (int i = 0; i < n; i++) sum += ct_edge_variables(g, edges[i], CT_ROTATION);
        if (sum > most) most = sum;
    }
    return most;
}

void ct_fbts_start(const ct_graph *g, ct_domain domain, const bool *other, const int *moments,
                   ct_fbts *out) {
    ct_domain opposite = domain == CT_ROTATION ? CT_TRANSLATION : CT_ROTATION;
    *out = (ct_fbts){.growth = ct_growth_new(g),
                     .domain = domain,
                     .edges = ct_scratch((size_t)g->n_edges, sizeof(ct_fbts_edge)),
                     .other = other,
                     .path = ct_scratch((size_t)g->n_nodes, sizeof(int)),
                     .total = other ? variables_of(g, opposite, other) : 0,
                     .freedoms = ct_graph_gruebler(g),
                     .price = domain == CT_ROTATION ? PRICE_ROTATION
                                                    : PRICE_TRANSLATION * longest_circuit(g)};
    int *at_end =
        ct_scratch((size_t)g->n_nodes, sizeof *at_end); // moments of the arms that end here
    for (int e = 0; e < g->n_edges && moments; e++)
        if (g->edges[e].kind == CT_EDGE_ARM) at_end[g->edges[e].to] += moments[e];
    // its own equations, and in translation the moments of its force and of the arms at its ends
    for (int e = 0; e < g->n_edges; e++) {
        ct_fbts_edge *edge = out->edges + e;
        edge->variables = edge->equations = ct_edge_variables(g, e, domain);
        if (!moments || g->edges[e].kind == CT_EDGE_ARM) continue;
        edge->equations += moments[e] + at_end[g->edges[e].from] + at_end[g->edges[e].to];
    }
}

long ct_fbts_bodies(const ct_fbts *f, int edge) {
    int n = ct_growth_path(&f->growth, edge, f->path);
    long sum = f->sum + (long)f->edges[edge].equations * own(f, edge);
    for (int i = 0; i < n; i++) sum += (long)f->edges[f->path[i]].equations * BODY;
    return sum;
}

long ct_fbts_constraints(const ct_fbts *f, int edge) {
    int n = f->total + f->edges[edge].variables - f->freedoms;
    return n > 0 ? (long)n * f->price : 0;
}

void ct_fbts_add(ct_fbts *f, int edge) {
    const ct_graph *g = f->growth.g;
    bool arm = g->edges[edge].kind == CT_EDGE_ARM;
    int n = ct_growth_path(&f->growth, edge, f->path);
    ct_fbts_edge *added = f->edges + edge;
    added->cutset = own(f, edge);
    f->sum = arm ? f->sum : ct_fbts_bodies(f, edge);
    // one more body behind each branch of the path; forces that have moments about its bodies
    bool has_moment =
        f->domain == CT_ROTATION && (arm || ct_edge_variables(g, edge, CT_TRANSLATION) > 0);
    for (int i = 0; i < n; i++) {
        if (!arm) f->edges[f->path[i]].cutset += BODY;
        if (has_moment) added->moments += f->edges[f->path[i]].equations;
    }
    f->total += added->variables;
    ct_growth_add(&f->growth, edge);
}

// True if the edge hangs on the end of a flexible arm: the elastic coordinates of the arm would stand in
// everything behind it.
static bool is_on_flexible_end(const ct_graph *g, int edge) {
    for (int a = 0; a < g->n_edges; a++) {
        int end = g->edges[a].to;
        if (a != edge && g->edges[a].is_flexible &&
            (g->edges[edge].from == end || g->edges[edge].to == end))
            return true;
    }
    return false;
}

// Weight: what is known first, then the size of the equations, flexible ends last; the last digit for
// the other tree.
static long weight(const ct_fbts *f, int edge) {
    enum { KNOWN = -2, FLEXIBLE_END = 100000 };
    const ct_graph *g = f->growth.g;
    ct_edge_role role = ct_edge_role_of(g, edge);
    bool known = role == CT_CARRIES_ARM || role == CT_CARRIES_KNOWN;
    long w = is_on_flexible_end(g, edge) ? FLEXIBLE_END
             : known                     ? KNOWN
                                         : ct_fbts_bodies(f, edge) + ct_fbts_constraints(f, edge);
    return 10 * w + (f->other && !f->other[edge]);
}

void ct_fbts_grow(ct_fbts *f) {
    const ct_graph *g = f->growth.g;
    while (f->growth.n < g->n_nodes - 1) {
        int best = -1;
        long least = 0;
        for (int e = 0; e < g->n_edges; e++) {
            if (!ct_edge_may_be_branch(ct_edge_role_of(g, e)) || !ct_growth_may_add(&f->growth, e))
                continue;
            long w = weight(f, e);
            if (best < 0 || w < least) best = e, least = w;
        }
        ct_fbts_add(f, best);
    }
}

// One tree, selected beside the other one. moments: of the rotation tree, written or read.
static ct_status select_tree(ct_context *ctx, ct_graph *g, ct_domain domain, const bool *other,
                             int *moments) {
    ct_fbts f;
    ct_fbts_start(g, domain, other, domain == CT_TRANSLATION ? moments : NULL, &f);
    ct_fbts_grow(&f);
    for (int e = 0; e < g->n_edges && domain == CT_ROTATION; e++) moments[e] = f.edges[e].moments;
    return ct_growth_set(ctx, g, domain, &f.growth);
}

ct_status ct_tree_rule_fbts(ct_context *ctx, ct_graph *g) {
    int *moments = ct_scratch((size_t)g->n_edges, sizeof *moments);
    ct_status status = select_tree(ctx, g, CT_ROTATION, NULL, moments);
    for (int pass = 0; pass < PASSES && !status; pass++) {
        const bool *rotation = g->tree[CT_ROTATION].has;
        status = select_tree(ctx, g, CT_TRANSLATION, rotation, moments);
        if (!status)
            status = select_tree(ctx, g, CT_ROTATION, g->tree[CT_TRANSLATION].has, moments);
        // the rotation tree stays as it is: so does the translation tree
        if (!status &&
            !memcmp(rotation, g->tree[CT_ROTATION].has, (size_t)g->n_edges * sizeof *rotation))
            break;
    }
    return status;
}
