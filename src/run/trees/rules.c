// The rules by name. "best" is the only one that writes equations to choose.
#include "run/trees/trees.h"

#include <string.h>

// Trees by the rule "joint": joints whose coordinates are to be independent come first, virtual
// ones among them.
static ct_status joint_trees(ct_context *ctx, ct_graph *g) {
    const ct_model *m = g->model;
    int *preference = ct_scratch((size_t)m->n_joints + 1, sizeof *preference);
    for (int i = 0; i < m->n_independent; i++) {
        int c = ct_model_coordinate(m, m->independent[i].name);
        if (c >= 0) preference[m->coordinates[c].joint] = 1;
    }
    return ct_tree_rule_joint(ctx, g, preference);
}

static const struct {
    const char *name, *words;
    ct_status (*choose)(ct_context *ctx, ct_graph *g); // NULL: "best"
} rules[] = {{"joint", "joints with few freedoms first, short paths to ground", joint_trees},
             {"absolute", "every body’s own coordinates", ct_tree_rule_absolute},
             {"vbts", "few variables, and few between each body and ground", ct_tree_rule_vbts},
             {"fbts", "few bodies behind the branches that have equations", ct_tree_rule_fbts},
             {"best", "the fewest operations of all pairs that were written and counted", NULL}};
enum { RULES = sizeof rules / sizeof *rules };

const char *ct_rule_name(const char *rule) {
    for (int i = 0; rule && i < RULES; i++)
        if (!strcmp(rules[i].name, rule)) return rules[i].name;
    return rule;
}

const char *ct_rule_words(const char *rule) {
    for (int i = 0; i < RULES; i++)
        if (!strcmp(rules[i].name, rule)) return rules[i].words;
    return "";
}

ct_status ct_rule_trees(ct_context *ctx, ct_graph *g, const char *rule, ct_formulate_what what,
                        const char **used) {
    bool given = !rule && g->model->has_trees;
    *used = given ? "given" : ct_rule_name(rule ? rule : "joint");
    if (given) return ct_tree_given(ctx, g);
    for (int i = 0; i < RULES; i++)
        if (rules[i].name == *used)
            return rules[i].choose ? rules[i].choose(ctx, g) : ct_tree_rule_best(ctx, g, what);
    return ct_fail(ctx, CT_USAGE,
                   "unknown rule '%s' for the trees: joint, absolute, vbts, fbts or best", *used);
}
