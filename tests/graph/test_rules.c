// The rules "vbts" and "fbts": the numbers that Leger (2006) works out, the trees that he reports for
// thirteen mechanisms, and for all models what the rules promise, checked by definitions: a tree is
// the lightest one if no chord is lighter than a branch of its circuit; bodies behind a branch are
// counted on the tree as it is, not along the way.
#include "unit.h"

#include "graph/selection.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

FIXTURE(ct_context, ctx, ct_context_new, ct_context_free);

static ct_graph *open_model(const char *path) {
    ct_model *m = NULL;
    ct_status status = ct_model_read(ctx, path, 0, NULL, &m);
    for (int i = 0; i < ct_message_count(ctx); i++) print_error("%s\n", ct_message(ctx, i));
    assert_int_equal(status, CT_OK);
    return ct_graph_new(m);
}

static ct_graph *of_gallery(const char *name) {
    char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, name);
    ct_graph *g = open_model(path);
    ct_free(path);
    return g;
}

static void done(ct_graph *g) {
    ct_model *m = (ct_model *)g->model;
    ct_graph_free(g);
    ct_model_free(m);
}

static int edge(const ct_graph *g, const char *name) {
    for (int e = 0; e < g->n_edges; e++)
        if (!strcmp(g->edges[e].name, name) && ct_edge_may_be_branch(ct_edge_role_of(g, e)))
            return e;
    fail_msg("there is no edge '%s'", name);
    return -1;
}

// worked numbers: variables ------------------------------------------------------------------------
// The weight as one number, two digits for distances.
static long number(ct_vbts_weight w) {
    return 1000000L * w.absolute + 100000L * w.variables + 1000L * w.distance + 10L * w.joints +
           w.differs;
}

typedef struct expected {
    const char *name;
    long rotation, translation;
} expected;

static void check_weights(const char *model, const expected *all, int n) {
    ct_graph *g = of_gallery(model);
    ct_vbts_weight *w = ct_alloc((size_t)g->n_edges, sizeof *w);
    assert_int_equal(ct_tree_rule_vbts(ctx, g), CT_OK);
    ct_vbts_weights(g, CT_ROTATION, NULL, w);
    for (int i = 0; i < n; i++) assert_int_equal(number(w[edge(g, all[i].name)]), all[i].rotation);
    ct_vbts_weights(g, CT_TRANSLATION, g->tree[CT_ROTATION].has, w);
    for (int i = 0; i < n; i++)
        assert_int_equal(number(w[edge(g, all[i].name)]), all[i].translation);
    ct_free(w);
    done(g);
}

static void weights_of_variables(void **state) {
    (void)state;
    static const expected serial[] = {
        {"m1", 1300001, 1300001},  {"m2", 1300001, 1300001},  {"m3", 1300001, 1300001},
        {"m4", 1300001, 1300000},  {"h12", 1100001, 1000000}, {"h13", 1101011, 1000010},
        {"h14", 1102021, 1000021}, {"b15", 1302021, 1000021}, {"vp16", 1101011, 1200010}};
    static const expected rrr[] = {
        {"h25", 1100001, 1000000}, {"h28", 1100001, 1000000}, {"h26", 1101011, 1000010},
        {"h32", 1101011, 1000010}, {"h27", 1102021, 1000020}, {"h30", 1102021, 1000021},
        {"h33", 1102021, 1000021}, {"m1", 1300001, 1300001},  {"m7", 1300001, 1300001}};
    check_weights("serial_manipulator", serial, sizeof serial / sizeof *serial);
    check_weights("three_rrr_falling", rrr, sizeof rrr / sizeof *rrr);
}

// worked numbers: equations ------------------------------------------------------------------------
static long weight(const ct_fbts *f, const char *name) {
    int e = edge(f->growth.g, name);
    return ct_fbts_bodies(f, e) + ct_fbts_constraints(f, e);
}

// Adds edges by name, and after each of them all arms that can be added.
static void add(ct_fbts *f, const char *const *names) {
    const ct_graph *g = f->growth.g;
    for (int i = -1; i < 0 || names[i]; i++) {
        if (i >= 0) ct_fbts_add(f, edge(g, names[i]));
        for (int e = 0; e < g->n_edges; e++) {
            if (g->edges[e].kind != CT_EDGE_ARM || !ct_growth_may_add(&f->growth, e)) continue;
            ct_fbts_add(f, e);
            e = -1; // others may have become possible
        }
    }
}

static const char serial_chain[] =
    "bodies: {m1: {mass: 1}, m2: {mass: 1}, m3: {mass: 1}}\n"
    "joints:\n"
    "  u10: {type: universal, between: [ground, m1], at: [[0,0,0], [-1,0,0]], axes: [x, y]}\n"
    "  h11: {type: revolute, between: [m1, m2], at: [[1,0,0], [-1,0,0]], axis: z}\n"
    "  h12: {type: revolute, between: [m2, m3], at: [[1,0,0], [-1,0,0]], axis: z}\n";

static void chain_of_three(void **state) {
    (void)state;
    ct_model *m = NULL;
    ct_fbts f;
    assert_int_equal(
        ct_model_read_text(ctx, "g.yaml", serial_chain, strlen(serial_chain), 0, NULL, &m), CT_OK);
    ct_graph *g = ct_graph_new(m);
    assert_int_equal(ct_graph_gruebler(g), 4);
    ct_fbts_start(g, CT_ROTATION, NULL, NULL, &f);
    // with the price of constraints m2 and h11 would be equal
    add(&f, (const char *const[]){"u10", NULL});
    assert_int_equal(ct_fbts_bodies(&f, edge(g, "m2")), 47);
    assert_int_equal(ct_fbts_bodies(&f, edge(g, "h11")), 50);
    assert_int_equal(weight(&f, "m2"), 50);
    assert_int_equal(weight(&f, "h11"), 50);
    add(&f, (const char *const[]){"h11", NULL});
    assert_int_equal(f.edges[edge(g, "u10")].cutset, 20);
    assert_int_equal(f.edges[edge(g, "h11")].cutset, 10);
    assert_int_equal(f.edges[edge(g, "m1:u10")].moments, 2);
    assert_int_equal(f.edges[edge(g, "m1:h11")].moments, 2);
    assert_int_equal(f.edges[edge(g, "m2:h11")].moments, 3);
    assert_int_equal(f.edges[edge(g, "m2:h12")].moments, 3);
    assert_int_equal(ct_fbts_bodies(&f, edge(g, "m3")), 77);
    assert_int_equal(ct_fbts_bodies(&f, edge(g, "h12")), 90);
    done(g);
}

static void three_legs(void **state) {
    (void)state;
    ct_graph *g = of_gallery("three_psr");
    ct_fbts f;
    ct_fbts_start(g, CT_ROTATION, NULL, NULL, &f);
    assert_int_equal(f.freedoms, 3);
    add(&f, (const char *const[]){NULL});
    assert_int_equal(weight(&f, "s25"), 0);
    assert_int_equal(ct_fbts_bodies(&f, edge(g, "m7")), 27);
    add(&f, (const char *const[]){"s25", "s28", "s31", NULL});
    assert_int_equal(ct_fbts_bodies(&f, edge(g, "b26")), 30);
    add(&f, (const char *const[]){"m7", NULL});
    assert_int_equal(weight(&f, "m2"), 63);
    assert_int_equal(weight(&f, "b26"), 66);
    assert_int_equal(weight(&f, "h27"), 70);
    // the whole rotation tree: moments, and the price of a constraint beside it
    ct_fbts_grow(&f);
    int *moments = ct_alloc((size_t)g->n_edges, sizeof *moments);
    for (int e = 0; e < g->n_edges; e++) {
        moments[e] = f.edges[e].moments;
        int b = g->edges[e].index;
        bool turns = b == 7 || b % 2 == 0;
        if (g->edges[e].kind == CT_EDGE_ARM && b) assert_int_equal(moments[e], turns ? 3 : 0);
    }
    assert_int_equal(ct_growth_set(ctx, g, CT_ROTATION, &f.growth), CT_OK);
    ct_fbts_start(g, CT_TRANSLATION, g->tree[CT_ROTATION].has, moments, &f);
    assert_int_equal(f.price, 60);
    ct_free(moments);
    done(g);
}

// Sum over a whole tree of bodies in cutsets, each once.
static long instances(const ct_fbts *f) {
    long sum = 0;
    for (int i = 0; i < f->growth.n; i++) {
        const ct_fbts_edge *b = f->edges + f->growth.order[i];
        sum += (long)b->equations * b->cutset;
    }
    return sum / 10;
}

static void crank_in_space(void **state) {
    (void)state;
    ct_graph *g = of_gallery("spatial_slider_crank");
    ct_fbts f;
    int *moments = ct_alloc((size_t)g->n_edges, sizeof *moments);
    // instances of torques
    ct_fbts_start(g, CT_ROTATION, NULL, NULL, &f);
    assert_int_equal(f.freedoms, 1);
    add(&f, (const char *const[]){"h9", "b10", "s12", NULL});
    assert_int_equal(instances(&f), 5);
    ct_fbts_start(g, CT_ROTATION, NULL, NULL, &f);
    add(&f, (const char *const[]){"h9", "s12", "u11", NULL});
    assert_int_equal(instances(&f), 3);
    for (int e = 0; e < g->n_edges; e++) moments[e] = f.edges[e].moments;
    assert_int_equal(ct_growth_set(ctx, g, CT_ROTATION, &f.growth), CT_OK);
    const bool *rotation = g->tree[CT_ROTATION].has;
    // instances of forces
    ct_fbts_start(g, CT_TRANSLATION, rotation, moments, &f);
    add(&f, (const char *const[]){"h9", "b10", "u11", NULL});
    assert_int_equal(instances(&f), 11);
    ct_fbts_start(g, CT_TRANSLATION, rotation, moments, &f);
    assert_int_equal(f.price, 30);
    add(&f, (const char *const[]){NULL});
    assert_int_equal(weight(&f, "h9"), 70);
    add(&f, (const char *const[]){"h9", NULL});
    assert_int_equal(weight(&f, "s12"), 110);
    assert_int_equal(weight(&f, "b10"), 110);
    add(&f, (const char *const[]){"s12", NULL});
    assert_int_equal(weight(&f, "u11"), 140);
    assert_int_equal(weight(&f, "b10"), 150);
    add(&f, (const char *const[]){"u11", NULL});
    assert_int_equal(instances(&f), 5);
    ct_free(moments);
    done(g);
}

// trees that are reported -------------------------------------------------------------------------
// Each is a list of edges; of those with a bar between them, which are equal, one is a branch.
typedef struct reported {
    const char *model, *vbts[2], *fbts[2];
} reported;

static const reported table[] = {
    {"four_bar", {"h11 h14 h12|h13", "h11 h14 h12|h13"}, {"h11 h14 h12|h13", "h11 h14 h12|h13"}},
    {"five_bar", {"h14 h15 h17 h18", "h14 h15 h17 h18"}, {"h14 h15 h17 h18", "h14 h15 h17 h18"}},
    {"three_bodies", {"m1|m2|m3 h10 h11", "m1|m2|m3 h10 h11"}, {"m1 m2 m3", "m1|m2|m3 h10 h11"}},
    {"slider_crank_vertical", {"h8 h10 s11", "h8 h9 h10"}, {"h8 h10 s11", "h8 h10 s11"}},
    {"slider_crank_motor", {"md7 h8|h9 s10", "md7 h8 h9"}, {"md7 h8 s10", "md7 h8 s10"}},
    {"spatial_slider_crank", {"h9 u11 s12", "h9 b10 u11"}, {"h9 u11 s12", "h9 u11 s12"}},
    {"three_rrr_falling",
     {"h25 h26 h28 h29 h31 h32 h27|h30|h33", "h25 h26 h28 h29 h31 h32 h27|h30|h33"},
     {"h25 h26 h28 h29 h31 h32 h27|h30|h33", "h25 h26 h28 h29 h31 h32 h27|h30|h33"}},
    {"three_rrr_virtual",
     {"h25|vp34 h28|vp36 h31|vp38 vp35 vp37 vp39 vp40", "h25 h26 h28 h29 h31 h32 h27|h30|h33"},
     {"h25|vp34 h28|vp36 h31|vp38 vp35 vp37 vp39 vp40", "h25 h26 h28 h29 h31 h32 h27|h30|h33"}},
    {"three_rpr",
     {"h26 h27 h28 s29 s30 s31 vp38", "h26 h27 h28 s29|s30|s31 h32 h33 h34"},
     {"h26 h27 h28 s29 s30 s31 vp38", "h26 h27 h28 h32 h33 h34 vp38"}},
    {"peaucellier",
     {"h23 h24 h25 h26 h31 h32 vp34", "h23 h24 h25 h26 h28 h31 h32"},
     {"h23 h24 h25 h26 h31 h32 vp34", "h23 h24 h25 h26 h28 h31 h32"}},
    {"serial_manipulator",
     {"h12 h13 vp16 m4", "h12 h13 h14 b15"},
     {"h12 h13 vp16 m4", "h12 h13 h14 b15"}},
    {"gough_stewart_forces",
     {"u1 u2 u3 u4 u5 u6 s1 s2 s3 s4 s5 s6 platform",
      "u1 u2 u3 u4 u5 u6 b1 b2 b3 b4 b5 b6 s1|s2|s3|s4|s5|s6"},
     {"u1 u2 u3 u4 u5 u6 s1 s2 s3 s4 s5 s6 platform",
      "u1 u2 u3 u4 u5 u6 s1 s2 s3 s4 s5 s6 b1|b2|b3|b4|b5|b6"}},
    {"three_psr",
     {"s25 s28 s31 h27 h30 h33 m2|m4|m6|m7", "s25|s28|s31 b26 b29 b32 h27 h30 h33"},
     {"s25 s28 s31 m2 m4 m6 m7", "s25 s28 s31 b26 b29 b32 h27|h30|h33"}},
};

static int branches(const ct_graph *g, ct_domain d) {
    int n = 0;
    for (int e = 0; e < g->n_edges; e++) n += g->tree[d].has[e] && g->edges[e].kind != CT_EDGE_ARM;
    return n;
}

static void check_tree(const ct_graph *g, ct_domain d, const char *list, const char *what) {
    char *text = ct_strdup(list), *rest = text;
    int n = 0;
    for (char *word; (word = strtok_r(rest, " ", &rest)); n++) {
        int found = 0;
        for (char *name, *more = word; (name = strtok_r(more, "|", &more));)
            found += g->tree[d].has[edge(g, name)];
        if (found != 1) print_error("%s: %d of '%s' are branches\n", what, found, list);
        assert_int_equal(found, 1);
    }
    assert_int_equal(branches(g, d), n);
    ct_free(text);
}

static void trees_of_the_table(void **state) {
    (void)state;
    assert_int_equal(sizeof table / sizeof *table, 13);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ct_graph *g = of_gallery(table[i].model);
        assert_int_equal(ct_tree_rule_vbts(ctx, g), CT_OK);
        for (int d = 0; d < 2; d++) check_tree(g, (ct_domain)d, table[i].vbts[d], table[i].model);
        assert_int_equal(ct_tree_rule_fbts(ctx, g), CT_OK);
        for (int d = 0; d < 2; d++) check_tree(g, (ct_domain)d, table[i].fbts[d], table[i].model);
        done(g);
    }
}

// The rod of the benchmark bends: its base is at h9, and a flexible arm leads to h8.
static const char flexible[] =
    "bodies: {m1: {mass: 1}, m2: {mass: 1}, m3: {mass: 1}}\n"
    "joints:\n"
    "  md7: {type: revolute, between: [ground, m1], at: [[0,0,0], [-1,0,0]], axis: z}\n"
    "  h8: {type: revolute, between: [m1, m2], at: [[1,0,0], [-4,0,0]], axis: z}\n"
    "  h9: {type: revolute, between: [m3, m2], axis: z}\n"
    "  s10: {type: prismatic, between: [ground, m3], axis: x}\n"
    "motions: {md7: t}\n";

static void flexible_ends(void **state) {
    (void)state;
    ct_model *m = NULL;
    assert_int_equal(ct_model_read_text(ctx, "g.yaml", flexible, strlen(flexible), 0, NULL, &m),
                     CT_OK);
    ct_graph *g = ct_graph_new(m);
    g->edges[edge(g, "m2:h8")].is_flexible = true;
    assert_int_equal(ct_tree_rule_vbts(ctx, g), CT_OK);
    check_tree(g, CT_ROTATION, "md7 h8|h9 s10", "flexible");
    check_tree(g, CT_TRANSLATION, "md7 h8 h9", "flexible");
    assert_int_equal(ct_tree_rule_fbts(ctx, g), CT_OK);
    check_tree(g, CT_ROTATION, "md7 h9 s10", "flexible");
    check_tree(g, CT_TRANSLATION, "md7 h9 s10", "flexible");
    done(g);
}

static void centres_have_no_arm(void **state) {
    (void)state;
    // the slider of the crank is hung up at its centre of mass, by both joints
    ct_graph *g = of_gallery("slider_crank_vertical");
    int arms = 0;
    for (int e = 0; e < g->n_edges; e++) {
        arms += g->edges[e].kind == CT_EDGE_ARM;
        if (g->edges[e].kind == CT_EDGE_ARM)
            assert_true(g->edges[e].index == 1 || g->edges[e].index == 2);
    }
    assert_int_equal(arms, 4);
    done(g);
}

// every model ------------------------------------------------------------------------------------
// No chord is lighter than a branch of its circuit: the certificate of a lightest tree.
static void check_lightest(const ct_graph *g) {
    int *edges = ct_alloc((size_t)g->n_edges, sizeof *edges),
        *signs = ct_alloc((size_t)g->n_edges, sizeof *signs);
    ct_vbts_weight *w = ct_alloc((size_t)g->n_edges, sizeof *w);
    for (int d = 0; d < 2; d++) {
        ct_vbts_weights(g, (ct_domain)d, d ? g->tree[CT_ROTATION].has : NULL, w);
        for (int c = 0; c < g->n_edges; c++) {
            if (g->tree[d].has[c] || !ct_edge_may_be_branch(ct_edge_role_of(g, c))) continue;
            int n = ct_circuit(g, (ct_domain)d, c, edges, signs);
            for (int i = 0; i < n; i++) assert_true(number(w[edges[i]]) <= number(w[c]));
        }
    }
    ct_free(edges);
    ct_free(signs);
    ct_free(w);
}

// By definition: bodies behind each branch of a tree that has these edges, each times the equations.
static long by_definition(const ct_graph *g, ct_domain d, const bool *has, const ct_fbts_edge *of) {
    long sum = 0;
    int *reached = ct_alloc((size_t)g->n_nodes, sizeof *reached);
    for (int cut = 0; cut < g->n_edges; cut++) {
        if (!has[cut] || g->edges[cut].kind == CT_EDGE_ARM) continue;
        // what hangs on ground with this branch, and without it
        int bodies = 0;
        for (int without = 0; without < 2; without++) {
            memset(reached, 0, (size_t)g->n_nodes * sizeof *reached);
            reached[0] = 1;
            for (bool more = true; more;) {
                more = false;
                for (int e = 0; e < g->n_edges; e++) {
                    int a = g->edges[e].from, b = g->edges[e].to;
                    if (!has[e] || (without && e == cut) || reached[a] == reached[b]) continue;
                    reached[a] = reached[b] = 1;
                    more = true;
                }
            }
            for (int b = 1; b < g->model->n_bodies; b++) {
                // a body is met with its first frame: arms follow at once
                bool there = false;
                for (int i = 0; i < g->n_nodes; i++) there |= reached[i] && g->node_body[i] == b;
                bodies += (without ? -1 : 1) * there;
            }
        }
        int own = g->edges[cut].kind != CT_EDGE_BODY ? 10 : d == CT_ROTATION ? 9 : 0;
        sum += (long)of[cut].equations * (10 * (bodies - 1) + own);
    }
    ct_free(reached);
    return sum;
}

// Each edge is one of the lightest of those that could be added, counted anew.
static void check_greedy(const ct_graph *g, ct_domain d, const bool *other, const int *moments,
                         ct_fbts *f) {
    ct_fbts_start(g, d, other, moments, f);
    ct_fbts whole = *f;
    ct_fbts_start(g, d, other, moments, &whole);
    ct_fbts_grow(&whole);
    for (int i = 0; i < whole.growth.n; i++) {
        int chosen = whole.growth.order[i];
        bool *has = ct_alloc((size_t)g->n_edges, sizeof *has);
        memcpy(has, f->growth.has, (size_t)g->n_edges * sizeof *has);
        has[chosen] = true;
        bool known = ct_edge_role_of(g, chosen) <= CT_CARRIES_KNOWN;
        long least = by_definition(g, d, has, f->edges) + ct_fbts_constraints(f, chosen);
        if (!known)
            assert_int_equal(least - ct_fbts_constraints(f, chosen), ct_fbts_bodies(f, chosen));
        has[chosen] = false;
        for (int e = 0; e < g->n_edges && !known; e++) {
            ct_edge_role role = ct_edge_role_of(g, e);
            if (!ct_edge_may_be_branch(role) || !ct_growth_may_add(&f->growth, e)) continue;
            assert_true(role > CT_CARRIES_KNOWN);
            has[e] = true;
            assert_true(by_definition(g, d, has, f->edges) + ct_fbts_constraints(f, e) >= least);
            has[e] = false;
        }
        ct_fbts_add(f, chosen);
        ct_free(has);
    }
}

static void every_model(void **state) {
    (void)state;
    enum { MOST = 15 }; // bodies, for what is counted anew at each step
    DIR *dir = opendir(CT_MODELS_DIR);
    assert_non_null(dir);
    int counted = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml")) continue;
        char *path = ct_format("%s/%s", CT_MODELS_DIR, entry->d_name);
        ct_graph *g = open_model(path);
        assert_int_equal(ct_tree_rule_vbts(ctx, g), CT_OK);
        check_lightest(g);
        assert_int_equal(ct_tree_rule_fbts(ctx, g), CT_OK);
        if (g->model->n_bodies <= MOST) {
            ct_fbts f;
            int *moments = ct_alloc((size_t)g->n_edges, sizeof *moments);
            check_greedy(g, CT_ROTATION, g->tree[CT_TRANSLATION].has, NULL, &f);
            for (int e = 0; e < g->n_edges; e++) moments[e] = f.edges[e].moments;
            check_greedy(g, CT_TRANSLATION, g->tree[CT_ROTATION].has, moments, &f);
            ct_free(moments);
            counted++;
        }
        done(g);
        ct_free(path);
    }
    closedir(dir);
    assert_true(counted > 40);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(weights_of_variables), TEST(chain_of_three),
                                       TEST(three_legs),           TEST(crank_in_space),
                                       TEST(trees_of_the_table),   TEST(flexible_ends),
                                       TEST(centres_have_no_arm),  TEST(every_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
