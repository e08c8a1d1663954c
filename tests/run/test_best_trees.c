// The rule "best" beside all pairs of spanning trees, and sequences of angles of bodies.
#include "harness.h"
#include "unit.h"

#include "graph/selection.h"
#include "run/system.h"
#include "run/trees/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

FIXTURE(ct_context, ctx, ct_context_new, ct_context_free);

static ct_model *read_model(const char *name) {
    ct_model *m = NULL;
    char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, name);
    assert_int_equal(ct_model_read(ctx, path, 0, NULL, &m), CT_OK);
    ct_free(path);
    return m;
}

// All spanning trees, as sets of edges beside the arms.
typedef struct all_trees {
    ct_graph *g;
    int n_candidates, candidates[32], room, n;
    int chosen[32];
    unsigned *sets;
} all_trees;

static bool spans(const all_trees *t, unsigned set) {
    int edges[32], n = 0;
    ct_context *quiet = ct_context_quiet(NULL);
    for (int i = 0; i < t->n_candidates; i++)
        if (set >> i & 1) edges[n++] = t->candidates[i];
    bool good = n == t->g->model->n_bodies - 1 && !ct_tree_set(quiet, t->g, CT_ROTATION, n, edges);
    ct_context_free(quiet);
    return good;
}

static void find_all(all_trees *t) {
    for (int e = 0; e < t->g->n_edges; e++) {
        ct_edge_role role = ct_edge_role_of(t->g, e);
        if (ct_edge_may_be_branch(role) && role != CT_CARRIES_ARM)
            t->candidates[t->n_candidates++] = e;
    }
    for (unsigned set = 0; set < 1u << t->n_candidates; set++)
        if (spans(t, set)) *CT_PUSH(t->sets, t->n, t->room) = set;
}

static ct_pair pair_of(const all_trees *t, unsigned rotation, unsigned translation) {
    ct_pair pair;
    for (int d = 0; d < 2; d++) {
        pair.has[d] = ct_alloc((size_t)t->g->n_edges, sizeof *pair.has[d]);
        for (int e = 0; e < t->g->n_edges; e++) pair.has[d][e] = t->g->edges[e].kind == CT_EDGE_ARM;
        for (int i = 0; i < t->n_candidates; i++)
            if ((d ? translation : rotation) >> i & 1) pair.has[d][t->candidates[i]] = true;
    }
    return pair;
}

// The fewest operations of all pairs.
static double exhaustive(const ct_model *m) {
    all_trees t = {.g = ct_graph_new(m)};
    double least = INFINITY;
    find_all(&t);
    for (int i = 0; i < t.n; i++)
        for (int k = 0; k < t.n; k++) {
            ct_pair pair = pair_of(&t, t.sets[i], t.sets[k]);
            double count = ct_pair_count_of(m, &pair, CT_FORMULATE_ALL).operations;
            if (count >= 0) least = fmin(least, count);
            for (int d = 0; d < 2; d++) ct_free(pair.has[d]);
        }
    ct_free(t.sets);
    ct_graph_free(t.g);
    return least;
}

static double operations_of(const ct_model *m, const char *rule, int *trees) {
    ct_graph *g = ct_graph_new(m);
    const char *used;
    assert_int_equal(ct_rule_trees(ctx, g, rule, CT_FORMULATE_ALL, &used), CT_OK);
    ct_pair pair = ct_pair_of(g);
    for (int d = 0; d < 2; d++)
        for (int e = 0; e < g->n_edges && trees; e++) *trees = 31 * *trees % 65521 + pair.has[d][e];
    double count = ct_pair_count_of(m, &pair, CT_FORMULATE_ALL).operations;
    ct_graph_free(g);
    return count;
}

static void beside_all_pairs(void **state) {
    (void)state;
    static const char *const names[] = {"slider_crank_vertical", "four_bar",
                                        "spatial_slider_crank",  "three_bodies",
                                        "slider_crank_motor",    "five_bar"};
    enum { QUICK = 1 };
    int n = soaking() ? (int)(sizeof names / sizeof *names) : QUICK;
    for (int i = 0; i < n; i++) {
        ct_model *m = read_model(names[i]);
        double best = operations_of(m, "best", NULL), least = exhaustive(m);
        print_message("%s: %g operations, of all pairs %g\n", names[i], best, least);
        assert_true(best <= 1.05 * least);
        ct_model_free(m);
    }
}

static void never_more_than_other_rules(void **state) {
    (void)state;
    static const char *const names[] = {"four_bar", "spatial_slider_crank", "serial_manipulator",
                                        "peaucellier"};
    static const char *const rules[] = {"joint", "vbts", "fbts", "absolute"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ct_model *m = read_model(names[i]);
        int trees = 0, again = 0;
        ct_set_budget(ctx, 0.1);
        double best = operations_of(m, "best", &trees);
        for (int k = 0; k < 4; k++) assert_true(best <= operations_of(m, rules[k], NULL));
        // the same again, after others were formulated
        operations_of(m, "best", &again);
        assert_int_equal(trees, again);
        ct_model_free(m);
    }
}

// A turned body on a free joint that is cut: its own angles give the same rotation in any sequence.
static void rotation_of(const int *sequence, const double *angle, double r[3][3]) {
    double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; k++) {
        int i = (sequence[k] + 1) % 3, j = (sequence[k] + 2) % 3;
        double c = cos(angle[k]), s = sin(angle[k]);
        for (int row = 0; row < 3; row++) {
            double x = a[row][i], y = a[row][j];
            a[row][i] = c * x + s * y;
            a[row][j] = c * y - s * x;
        }
    }
    memcpy(r, a, sizeof a);
}

static void sequences_of_bodies(void **state) {
    (void)state;
    static const char *const all[] = {"zyx", "xyz", "yzx", "zxz", "xyx"};
    double first[3][3], r[3][3];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = ct_format("bodies: {b: {mass: 1, inertia: [1, 2, 3], sequence: %s}}\n"
                               "joints: {J: {type: spherical, between: [ground, b]}}\n"
                               "initial: {J.1: [0.3, 0], J.2: [0.7, 0], J.3: [-0.4, 0]}\n"
                               "trees: {rotation: [b], translation: [J]}\n",
                               all[i]);
        ct_model *m = NULL;
        ct_system *s = NULL;
        double angle[3];
        assert_int_equal(ct_model_read_text(ctx, "s.yaml", text, strlen(text), 0, NULL, &m), CT_OK);
        assert_int_equal(ct_formulate(ctx, m, NULL, &s), CT_OK);
        assert_int_equal(ct_assemble(ctx, s), CT_OK);
        const ct_assembled *at = s->assembled;
        assert_int_equal(at->f->n, 3);
        for (int k = 0; k < 3; k++) angle[k] = at->q0[k];
        int sequence[3] = {all[i][0] - 'x', all[i][1] - 'x', all[i][2] - 'x'};
        rotation_of(sequence, angle, r);
        if (!i) memcpy(first, r, sizeof r);
        for (int k = 0; k < 9; k++) assert_float_equal(r[k / 3][k % 3], first[k / 3][k % 3], 1e-12);
        ct_system_free(s);
        ct_model_free(m);
        ct_free(text);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(beside_all_pairs), TEST(never_more_than_other_rules),
                                       TEST(sequences_of_bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
