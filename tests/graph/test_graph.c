// The linear graph: trees span, circuits and cutsets are orthogonal and say what they should about
// across and through variables, wrong trees are explained.
#include "unit.h"

#include "graph/graph.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

FIXTURE(ct_context, ctx, ct_context_new, ct_context_free);

// A row per edge, dense: the edge itself and what its circuit or cutset holds.
static void fill_row(const ct_graph *g, ct_domain d, int e, int *row) {
    int *edges = ct_alloc((size_t)g->n_edges, sizeof *edges),
        *signs = ct_alloc((size_t)g->n_edges, sizeof *signs);
    bool branch = g->tree[d].has[e];
    int n = branch ? ct_cutset(g, d, e, edges, signs) : ct_circuit(g, d, e, edges, signs);
    memset(row, 0, (size_t)g->n_edges * sizeof *row);
    row[e] = 1;
    for (int i = 0; i < n; i++) {
        assert_true(g->tree[d].has[edges[i]] !=
                    branch); // a circuit holds branches, a cutset chords
        assert_true(signs[i] == 1 || signs[i] == -1);
        assert_int_equal(row[edges[i]], 0);
        row[edges[i]] = signs[i];
    }
    ct_free(edges);
    ct_free(signs);
}

// n_nodes - 1 branches, every node reaches ground through parents that the order lists before it.
static void check_spans(const ct_graph *g, ct_domain d) {
    const ct_tree *t = &g->tree[d];
    int branches = 0;
    for (int e = 0; e < g->n_edges; e++) {
        branches += t->has[e];
        if (g->edges[e].kind == CT_EDGE_ARM) assert_true(t->has[e]);
        if (g->edges[e].kind >= CT_EDGE_CONSTRAINT) assert_false(t->has[e]);
    }
    assert_int_equal(branches, g->n_nodes - 1);
    bool *seen = ct_alloc((size_t)g->n_nodes, sizeof *seen);
    assert_int_equal(t->order[0], 0);
    assert_int_equal(t->parent[0], -1);
    seen[0] = true;
    for (int i = 1; i < g->n_nodes; i++) {
        int node = t->order[i], e = t->parent_edge[node];
        assert_false(seen[node]);
        assert_true(seen[t->parent[node]]);
        assert_true(t->has[e]);
        assert_true((g->edges[e].from == node && g->edges[e].to == t->parent[node]) ||
                    (g->edges[e].to == node && g->edges[e].from == t->parent[node]));
        seen[node] = true;
    }
    ct_free(seen);
}

// Every circuit (chord row) is orthogonal to every cutset (branch row); across variables that come
// from potentials vanish around circuits; a circuit, as a through variable, balances at every node.
static void check_circuits_and_cutsets(const ct_graph *g, ct_domain d) {
    int n = g->n_edges, *rows = ct_alloc((size_t)n * (size_t)n, sizeof *rows);
    int *potential = ct_alloc((size_t)g->n_nodes, sizeof *potential),
        *balance = ct_alloc((size_t)g->n_nodes, sizeof *balance);
    for (int i = 0; i < g->n_nodes; i++) potential[i] = (7 + 31 * i * i) % 1009;
    for (int e = 0; e < n; e++) fill_row(g, d, e, rows + e * n);
    for (int c = 0; c < n; c++) {
        if (g->tree[d].has[c]) continue;
        int around = 0;
        memset(balance, 0, (size_t)g->n_nodes * sizeof *balance);
        for (int e = 0; e < n; e++) {
            around += rows[c * n + e] * (potential[g->edges[e].to] - potential[g->edges[e].from]);
            balance[g->edges[e].to] += rows[c * n + e];
            balance[g->edges[e].from] -= rows[c * n + e];
        }
        assert_int_equal(around, 0);
        for (int i = 0; i < g->n_nodes; i++) assert_int_equal(balance[i], 0);
        for (int b = 0; b < n; b++) {
            if (!g->tree[d].has[b]) continue;
            int dot = 0;
            for (int e = 0; e < n; e++) dot += rows[c * n + e] * rows[b * n + e];
            assert_int_equal(dot, 0);
        }
    }
    ct_free(rows);
    ct_free(potential);
    ct_free(balance);
}

static void check_graph(const ct_graph *g) {
    for (int d = 0; d < 2; d++) {
        check_spans(g, (ct_domain)d);
        check_circuits_and_cutsets(g, (ct_domain)d);
    }
}

static ct_model *read_path(const char *path) {
    ct_model *m = NULL;
    ct_status status = ct_model_read(ctx, path, 0, NULL, &m);
    for (int i = 0; i < ct_message_count(ctx); i++) print_error("%s\n", ct_message(ctx, i));
    assert_int_equal(status, CT_OK);
    return m;
}

static ct_model *read_text(const char *text) {
    ct_model *m = NULL;
    assert_int_equal(ct_model_read_text(ctx, "g.yaml", text, strlen(text), 0, NULL, &m), CT_OK);
    return m;
}

static void every_model_under_both_rules(void **state) {
    (void)state;
    DIR *dir = opendir(CT_MODELS_DIR);
    assert_non_null(dir);
    int models = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml")) continue;
        char *path = ct_format("%s/%s", CT_MODELS_DIR, entry->d_name);
        ct_model *m = read_path(path);
        ct_graph *g = ct_graph_new(m);
        assert_int_equal(ct_tree_rule_joint(ctx, g, NULL), CT_OK);
        check_graph(g);
        assert_int_equal(ct_tree_rule_absolute(ctx, g), CT_OK);
        check_graph(g);
        for (int b = 1; b < m->n_bodies; b++)
            assert_true(g->tree[0].has[ct_graph_edge(g, CT_EDGE_BODY, b)]);
        // mixed: rotation absolute, translation by joints, as different as can be
        assert_int_equal(ct_tree_rule_joint(ctx, g, NULL), CT_OK);
        int n = 0, *edges = ct_alloc((size_t)g->n_edges, sizeof *edges);
        for (int b = 1; b < m->n_bodies; b++) edges[n++] = ct_graph_edge(g, CT_EDGE_BODY, b);
        assert_int_equal(ct_tree_set(ctx, g, CT_ROTATION, n, edges), CT_OK);
        check_graph(g);
        ct_free(edges);
        ct_graph_free(g);
        ct_model_free(m);
        ct_free(path);
        models++;
    }
    closedir(dir);
    assert_true(models > 8);
}

static const char four_bar[] =
    "bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}\n"
    "joints:\n"
    "  J1: {type: revolute, between: [ground, a], at: [[0, 0, 0], [-1, 0, 0]], axis: z}\n"
    "  J2: {type: revolute, between: [a, b], at: [[1, 0, 0], [-1, 0, 0]], axis: z}\n"
    "  J3: {type: revolute, between: [b, c], at: [[2, 0, 0], [1, 0, 0]], axis: z}\n"
    "  J4: {type: revolute, between: [ground, c], at: [[2, 0, 0], [0, 0, 0]], axis: z}\n"
    "forces: {s: {type: spring, between: [a.com, c.com], stiffness: 1}}\n";

static int joint_index(const ct_model *m, const char *name) {
    int i = 0;
    while (i < m->n_joints && strcmp(m->joints[i].name, name)) i++;
    assert_true(i < m->n_joints);
    return i;
}

static int joint(const ct_graph *g, const char *name) {
    return ct_graph_edge(g, CT_EDGE_JOINT, joint_index(g->model, name));
}

static int body(const ct_graph *g, const char *name) {
    return ct_graph_edge(g, CT_EDGE_BODY, ct_model_body(g->model, name));
}

static void four_bar_graph(void **state) {
    (void)state;
    ct_model *m = read_text(four_bar);
    ct_graph *g = ct_graph_new(m);
    // frames of the bodies, two for each joint but for those at the origin of ground and in the
    // centre of c
    assert_int_equal(g->n_nodes, 4 + 6);
    assert_int_equal(g->n_edges, 3 + 4 + 6 + 1); // bodies, joints, arms, the spring
    assert_int_equal(ct_graph_edge(g, CT_EDGE_BODY, 0), -1);
    assert_int_equal(ct_tree_rule_joint(ctx, g, NULL), CT_OK);
    // grown from both ends: the joint farthest from ground is cut
    const bool *has = g->tree[CT_TRANSLATION].has;
    assert_true(has[joint(g, "J1")] && has[joint(g, "J4")]);
    assert_int_equal(has[joint(g, "J2")] + has[joint(g, "J3")], 1);
    int preference[4] = {0, 1, 1, 0};
    assert_int_equal(ct_tree_rule_joint(ctx, g, preference), CT_OK);
    has = g->tree[CT_TRANSLATION].has;
    assert_true(has[joint(g, "J2")] && has[joint(g, "J3")]);
    check_graph(g);
    // J1 J2 J3 in the tree: the circuit of J4 goes back along J3, J2 and J1
    int edges[16], signs[16], row[16];
    int path[] = {joint(g, "J1"), joint(g, "J2"), joint(g, "J3")};
    assert_int_equal(ct_tree_set(ctx, g, CT_TRANSLATION, 3, path), CT_OK);
    fill_row(g, CT_TRANSLATION, joint(g, "J4"), row);
    for (int i = 0; i < 3; i++) assert_int_equal(row[path[i]], -1);
    fill_row(g, CT_TRANSLATION, path[1],
             row); // J2's cutset: J4 and what crosses it (bodies b and c, the spring)
    assert_int_equal(row[joint(g, "J4")], 1);
    assert_int_equal(row[body(g, "b")], 1);
    assert_int_equal(row[body(g, "c")], 1);
    assert_int_equal(row[body(g, "a")], 0);
    assert_int_equal(row[ct_graph_edge(g, CT_EDGE_FORCE, 0)], 1);
    assert_int_equal(ct_circuit(g, CT_TRANSLATION, body(g, "a"), edges, signs), 2); // arm, J1
    char *text = ct_graph_describe(g);
    assert_non_null(strstr(text, "linear graph: 10 nodes, 14 edges"));
    assert_non_null(strstr(text, "translation circuit of chord J4: -J3 -J2 -J1"));
    ct_free(text);
    ct_graph_free(g);
    ct_graph_free(NULL);
    ct_model_free(m);
}

static void last_message_has(const char *part) {
    const char *message = ct_message(ctx, ct_message_count(ctx) - 1);
    if (!strstr(message, part)) print_error("'%s' is not in '%s'\n", part, message);
    assert_non_null(strstr(message, part));
}

static void wrong_trees_are_explained(void **state) {
    (void)state;
    ct_model *m = read_text(four_bar);
    ct_graph *g = ct_graph_new(m);
    int loop[] = {joint(g, "J1"), joint(g, "J2"), joint(g, "J3"), joint(g, "J4")};
    assert_int_equal(ct_tree_set(ctx, g, CT_ROTATION, 4, loop), CT_WRONG_MODEL);
    last_message_has(
        "the rotation tree has a loop: 'J4' joins what the entries before it already join");
    int doubled[] = {joint(g, "J1"), joint(g, "J1"), body(g, "b"), body(g, "c")};
    assert_int_equal(ct_tree_set(ctx, g, CT_TRANSLATION, 4, doubled), CT_WRONG_MODEL);
    last_message_has("the translation tree has a loop: 'J1'");
    int lost[] = {joint(g, "J1"), joint(g, "J3")};
    assert_int_equal(ct_tree_set(ctx, g, CT_TRANSLATION, 2, lost), CT_WRONG_MODEL);
    last_message_has(
        "the translation tree does not reach body 'b': add the body itself or a joint on it");
    assert_int_equal(ct_tree_set(ctx, g, CT_ROTATION, 0, NULL), CT_WRONG_MODEL);
    last_message_has("the rotation tree does not reach body 'a'");
    int mixed[] = {body(g, "c"), joint(g, "J2"), joint(g, "J3")};
    assert_int_equal(ct_tree_set(ctx, g, CT_ROTATION, 3, mixed), CT_OK);
    check_spans(g, CT_ROTATION);
    assert_int_equal(ct_message_count(ctx), 4);
    ct_graph_free(g);
    ct_model_free(m);
}

static void virtual_and_loose(void **state) {
    (void)state;
    // no joint reaches b but a virtual one; couplings and links never stand in a tree
    ct_model *m = read_text("bodies: {a: {mass: 1}, b: {mass: 1}}\n"
                            "joints:\n"
                            "  J: {type: revolute, between: [ground, a], axis: z}\n"
                            "  V: {type: planar, between: [a, b], axis: z, virtual: true}\n"
                            "  L: {type: link, between: [a, b], at: [[1, 0, 0], [0, 3, 0]]}\n");
    ct_graph *g = ct_graph_new(m);
    assert_int_equal(ct_tree_rule_joint(ctx, g, NULL), CT_OK);
    check_graph(g);
    assert_true(g->tree[0].has[body(g, "b")]);
    assert_false(g->tree[0].has[joint(g, "V")]);
    assert_int_equal(ct_graph_edge(g, CT_EDGE_JOINT, joint_index(m, "L")), -1);
    assert_true(ct_graph_edge(g, CT_EDGE_CONSTRAINT, joint_index(m, "L")) >= 0);
    int preference[3] = {0, 1, 0};
    assert_int_equal(ct_tree_rule_joint(ctx, g, preference), CT_OK);
    assert_true(g->tree[0].has[joint(g, "V")]);
    check_graph(g);
    ct_graph_free(g);
    ct_model_free(m);
}

static void trees_of_the_model(void **state) {
    (void)state;
    char *text =
        ct_format("%s%s", four_bar, "trees: {rotation: [a, b, c], translation: [J1, J2, J4]}\n");
    ct_model *m = read_text(text);
    ct_graph *g = ct_graph_new(m);
    assert_int_equal(ct_tree_given(ctx, g), CT_OK);
    check_graph(g);
    assert_true(g->tree[CT_ROTATION].has[body(g, "b")] &&
                !g->tree[CT_ROTATION].has[joint(g, "J2")]);
    assert_true(g->tree[CT_TRANSLATION].has[joint(g, "J2")] &&
                !g->tree[CT_TRANSLATION].has[joint(g, "J3")]);
    ct_graph_free(g);
    ct_model_free(m);
    ct_free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_model_under_both_rules), TEST(four_bar_graph),
                                       TEST(wrong_trees_are_explained), TEST(virtual_and_loose),
                                       TEST(trees_of_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
