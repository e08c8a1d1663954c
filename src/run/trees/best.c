// The rule "best": pairs of trees are written and counted. The search begins with the pairs of all
// other rules and with absolute angles. The cheapest pair that was not left yet is left next: a branch of
// one tree, or of both, is exchanged for a chord whose circuit holds it, in all ways.
// The budget is spent in operations that were counted, so that the choice does not depend on the clock.
#include "graph/selection.h"
#include "run/trees/trees.h"

#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE = 12 // pairs that are left in vain, one after the other, before the search ends
};

typedef struct candidate {
    ct_pair pair;
    ct_pair_count count;
    bool left; // all exchanges were tried
} candidate;

typedef struct best_search {
    ct_context *quiet;
    ct_graph *g;
    ct_formulate_what what;
    double budget; // operations left
    candidate *tried;
    int n_tried, room_tried;
    int *edges, *signs; // workspace of a circuit
    ct_pair other;      // and of an exchange
} best_search;

// Counts a pair, each only once, while the budget lasts.
static void try_pair(best_search *s, const ct_pair *pair) {
    for (int i = 0; i < s->n_tried; i++)
        if (ct_pair_is_same(s->g, &s->tried[i].pair, pair)) return;
    if (s->budget <= 0) return;
    ct_pair_count count = ct_pair_count_of(s->g->model, pair, s->what);
    candidate *c = CT_PUSH(s->tried, s->n_tried, s->room_tried);
    *c = (candidate){.count = count};
    for (int d = 0; d < 2; d++) {
        c->pair.has[d] = ct_scratch((size_t)s->g->n_edges, sizeof *c->pair.has[d]);
        memcpy(c->pair.has[d], pair->has[d], (size_t)s->g->n_edges * sizeof *c->pair.has[d]);
    }
    // rows of a large system take time by themselves
    s->budget -= count.operations + count.n + count.m + 1;
}

// Fewer operations; of as many, fewer equations.
static bool is_cheaper(const best_search *s, int a, int b) {
    const ct_pair_count *one = &s->tried[a].count, *other = &s->tried[b].count;
    if (one->operations != other->operations) return one->operations < other->operations;
    return one->n + one->m < other->n + other->m;
}

// Tries all pairs with one branch exchanged, in the trees of the mask (1 rotation, 2 translation).
static void try_exchanges(best_search *s, int from, int mask) {
    ct_graph *g = s->g;
    ct_domain first = mask & 1 ? CT_ROTATION : CT_TRANSLATION;
    const ct_pair at = s->tried[from].pair;
    if (ct_pair_set(s->quiet, g, &at)) return;
    for (int c = 0; c < g->n_edges && s->budget > 0; c++) {
        if (!ct_edge_may_be_branch(ct_edge_role_of(g, c)) || at.has[first][c]) continue;
        if (mask == 3 && at.has[CT_TRANSLATION][c]) continue;
        // branches of its circuit give way to it; in both trees those that are in both
        int n = ct_circuit(g, first, c, s->edges, s->signs);
        for (int i = 0; i < n; i++) {
            int b = s->edges[i];
            if (g->edges[b].kind == CT_EDGE_ARM || (mask == 3 && !at.has[CT_TRANSLATION][b]))
                continue;
            for (int d = 0; d < 2; d++) {
                bool *has = s->other.has[d];
                memcpy(has, at.has[d], (size_t)g->n_edges * sizeof *has);
                if (mask & (1 << d)) has[c] = true, has[b] = false;
            }
            try_pair(s, &s->other);
        }
    }
}

// The cheapest pair, or the cheapest of those that were not left yet; -1: there is none.
static int cheapest(const best_search *s, bool not_left) {
    int best = -1;
    for (int i = 0; i < s->n_tried; i++) {
        const candidate *c = s->tried + i;
        if (c->count.operations < 0 || (not_left && c->left)) continue;
        if (best < 0 || is_cheaper(s, i, best)) best = i;
    }
    return best;
}

// The pairs of the other rules, and rotation by bodies beside each of their translation trees.
static void try_rules(best_search *s) {
    static const char *const rules[] = {"joint", "fbts", "vbts", "absolute"};
    enum { RULES = sizeof rules / sizeof *rules };
    ct_pair pairs[RULES];
    const char *used;
    int n = 0;
    while (n < RULES && !ct_rule_trees(s->quiet, s->g, rules[n], s->what, &used)) {
        pairs[n] = ct_pair_of(s->g);
        try_pair(s, pairs + n++);
    }
    for (int i = 0; i < RULES - 1 && n == RULES; i++) {
        ct_pair angles = {{pairs[RULES - 1].has[CT_ROTATION], pairs[i].has[CT_TRANSLATION]}};
        try_pair(s, &angles);
    }
}

ct_status ct_tree_rule_best(ct_context *ctx, ct_graph *g, ct_formulate_what what) {
    best_search s = {.quiet = ct_context_quiet(NULL),
                     .g = g,
                     .what = what,
                     .budget = ct_pairs_of_budget(ctx),
                     .edges = ct_scratch((size_t)g->n_edges, sizeof(int)),
                     .signs = ct_scratch((size_t)g->n_edges, sizeof(int))};
    for (int d = 0; d < 2; d++)
        s.other.has[d] = ct_scratch((size_t)g->n_edges, sizeof *s.other.has[d]);
    ct_report(ctx, "comparing trees", -1, false);
    try_rules(&s);
    // exchanges from the cheapest pair on
    int best = cheapest(&s, false), in_vain = 0;
    for (int from = best; from >= 0 && in_vain < PATIENCE && s.budget > 0;) {
        s.tried[from].left = true;
        for (int mask = 1; mask <= 3; mask++) try_exchanges(&s, from, mask);
        int now = cheapest(&s, false);
        in_vain = now == best ? in_vain + 1 : 0;
        best = now;
        from = cheapest(&s, true);
    }
    ct_status status =
        best < 0 ? ct_tree_rule_joint(ctx, g, NULL) : ct_pair_set(ctx, g, &s.tried[best].pair);
    ct_free(s.tried);
    ct_context_free(s.quiet);
    return status;
}
