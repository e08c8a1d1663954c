// Rules that select trees, and what the equations in given trees cost.
#ifndef CT_RUN_TREES_H
#define CT_RUN_TREES_H

#include "formulate/formulate.h"

// The name of a rule as a literal, which outlives the text of the caller.
const char *ct_rule_name(const char *rule);
const char *ct_rule_words(const char *rule); // what it prefers
// Trees by a rule, or NULL: the model's own, else "joint". *used: the rule that was used, or "given".
ct_status ct_rule_trees(ct_context *ctx, ct_graph *g, const char *rule, ct_formulate_what what,
                        const char **used);

// A pair of trees, by the edges that are branches in each.
typedef struct ct_pair {
    bool *has[2]; // [n_edges] by ct_domain
} ct_pair;
ct_pair ct_pair_of(const ct_graph *g);
ct_status ct_pair_set(ct_context *ctx, ct_graph *g, const ct_pair *pair);

bool ct_pair_is_same(const ct_graph *g, const ct_pair *a, const ct_pair *b);

// What equations in a pair of trees cost.
typedef struct ct_pair_count {
    int n, m;          // coordinates, constraint rows; of the trees alone
    double operations; // of M, F, Phi, Phi_q and gamma as emitted; below 0: they cannot be written
    ct_operations shared; // the same by kind
} ct_pair_count;
ct_pair_count ct_formulation_count(const ct_formulation *f);
// Formulates the pair in a fork of the model, which is given back.
ct_pair_count ct_pair_count_of(const ct_model *model, const ct_pair *pair, ct_formulate_what what);

// Operations that are written and counted within the context's budget, about.
double ct_pairs_of_budget(const ct_context *ctx);
// The pair that takes the fewest operations of those that a search within the context's budget meets.
ct_status ct_tree_rule_best(ct_context *ctx, ct_graph *g, ct_formulate_what what);

#endif
