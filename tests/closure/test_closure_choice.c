// The choice between orders: by what is iterated, then by counting, with what the user names kept;
// the same whether it was just made or comes from disk.
#include "harness.h"

#include "closure/flow/flow.h"
#include "closure/describe.h"

static const char robot[] =
    "cotree: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: 0.1, com: [0.2, 0, 0]}\n"
    "  b: {mass: 1, inertia: 0.1, com: [0.25, 0, 0]}\n"
    "  c: {mass: 1, inertia: 0.1, com: [0.25, 0, 0]}\n"
    "  d: {mass: 1, inertia: 0.1, com: [0.2, 0, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, a], axis: z}\n"
    "  B: {type: revolute, between: [a, b], at: [[0.4, 0, 0], [0, 0, 0]], axis: z}\n"
    "  C: {type: revolute, between: [b, c], at: [[0.5, 0, 0], [0.5, 0, 0]], axis: z}\n"
    "  D: {type: revolute, between: [d, c], at: [[0.4, 0, 0], [0, 0, 0]], axis: z}\n"
    "  E: {type: revolute, between: [ground, d], at: [[0.3, 0, 0], [0, 0, 0]], axis: z}\n"
    "guess: {A: 2.0, E: 1.1, B: -1.0, D: 1.0, C: -2.0}\n";

static mech closed(const char *text, int n, const char *const *names) {
    mech k = mech_text("choice", text, NULL);
    assert_made(&k);
    assert_int_equal(ct_close_named(k.ctx, k.s, n, names), CT_OK);
    return k;
}

// Names of values say which closure they are of: that is left out.
static void add_value(ct_text *t, const char *value) {
    for (const char *end; *value; value = end) {
        const char *of = strstr(value, " of ");
        end = of ? strchr(of, '`') : NULL;
        if (!end) end = of = value + strlen(value);
        ct_text_printf(t, "%.*s", (int)(of - value), value);
    }
}

// Independent coordinates, steps and the expressions of the positions.
static char *whole(const ct_closure *c) {
    ct_text t = {0};
    for (int i = 0; i < c->r; i++) ct_text_printf(&t, "%s ", c->f->names[c->independent[i]]);
    for (int i = 0; i < c->n_steps; i++) ct_text_printf(&t, "| %s ", c->steps[i].text);
    for (int i = 0; i < c->positions.n; i++) {
        const ct_segment *s = c->positions.segments + i;
        for (int k = 0; k < s->n_sets; k++) {
            char *value = ct_print(c->f->pool, s->sets[k].value, CT_STYLE_TEXT);
            ct_text_printf(&t, "; ");
            add_value(&t, value);
            ct_free(value);
        }
    }
    return t.s;
}

static void forget_everything(void) {
    ct_context *ctx = ct_context_new();
    ct_cache_info *info;
    assert_int_equal(ct_cache_clear(ctx, &info), CT_OK);
    ct_cache_info_free(info);
    ct_context_free(ctx);
}

// Two coordinates in all ways: none that can be moved as far is cheaper.
static void cheapest_of_all(void **state) {
    (void)state;
    static const char *const all[] = {"A", "B", "C", "D", "E"};
    forget_everything();
    mech best = closed(robot, 0, NULL);
    assert_false(ct_system_closure(best.s)->from_cache);
    double most,
        cost = ct_closure_cost(ct_system_closure(best.s)),
        reach = ct_close_probe_wide(ct_system_state(best.s), ct_system_closure(best.s), 0.5, &most);
    int tried = 0;
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++) {
            const char *names[2] = {all[i], all[j]};
            mech k = mech_text("choice", robot, NULL);
            if (ct_close_named(k.ctx, k.s, 2, names) == CT_OK &&
                ct_system_closure(k.s)->triangular) {
                double other =
                    ct_close_probe_wide(ct_system_state(k.s), ct_system_closure(k.s), 0.5, &most);
                tried++;
                assert_true(cost * (2 - reach) <=
                            1.05 * ct_closure_cost(ct_system_closure(k.s)) * (2 - other));
            }
            mech_clear(&k);
        }
    assert_true(tried >= 6);
    mech_clear(&best);
}

// A loop with one joint cut, each in turn: with the same independent coordinate no trees that a user
// might give are shorter than those that were chosen.
static void trees_along_the_flow(void **state) {
    (void)state;
    static const struct {
        const char *model, *independent, *joints[4];
    } loops[] = {{"slider_crank", "O", {"O", "A", "B", "slide"}},
                 {"slider_crank_2", "h8", {"h8", "h9", "h10", "s11"}},
                 {"four_bar", "h11", {"h11", "h12", "h13", "h14"}},
                 {"spatial_slider_crank", "h9", {"h9", "b10", "u11", "s12"}}};
    for (int i = 0; i < 4; i++) {
        char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, loops[i].model),
             *file = read_text(path);
        mech best = mech_file(path, NULL);
        assert_made(&best);
        assert_int_equal(ct_close_named(best.ctx, best.s, 1, &loops[i].independent), CT_OK);
        double cost = ct_closure_cost(ct_system_closure(best.s));
        int tried = 0;
        for (int cut = 0; cut < 4; cut++) {
            ct_text tree = {0};
            for (int k = 0; k < 4; k++)
                if (k != cut) ct_text_printf(&tree, "%s%s", tree.n ? ", " : "", loops[i].joints[k]);
            char *text =
                ct_format("%s\ntrees: {rotation: [%s], translation: [%s]}\n", file, tree.s, tree.s);
            mech k = mech_text(loops[i].model, text, NULL);
            assert_made(&k);
            if (ct_close_named(k.ctx, k.s, 1, &loops[i].independent) == CT_OK) {
                tried++;
                assert_true(cost <= 1.03 * ct_closure_cost(ct_system_closure(k.s)));
            }
            mech_clear(&k);
            ct_text_clear(&tree);
            ct_free(text);
        }
        assert_true(tried >= 2);
        mech_clear(&best);
        ct_free(file);
        ct_free(path);
    }
}

// What is found first and what comes from disk is the same to the last sign.
static void same_again(void **state) {
    (void)state;
    static const char *const models[] = {
        "three_rrr",   "trammel", "stephenson3_beta", "excavator", "spatial_four_bar_twisted",
        "slider_crank"};
    for (int i = -1; i < 6; i++) {
        char *path = i < 0 ? NULL : ct_format("%s/%s.yaml", CT_MODELS_DIR, models[i]), *text[2];
        forget_everything();
        for (int time = 0; time < 2; time++) {
            mech k = path ? mech_file(path, NULL) : mech_text("choice", robot, NULL);
            assert_made(&k);
            assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
            assert_int_equal(ct_system_closure(k.s)->from_cache, time);
            text[time] = whole(ct_system_closure(k.s));
            mech_clear(&k);
        }
        assert_string_equal(text[0], text[1]);
        ct_free(text[0]);
        ct_free(text[1]);
        ct_free(path);
    }
}

// A choice depends on lengths, trees and names, and never on what was run before: the same model
// after others of the same structure, and with nothing known.
static void whatever_came_before(void **state) {
    (void)state;
    static const char given_trees[] = "trees: {rotation: [%s], translation: [%s]}\n";
    static const struct {
        const char *model, *rule;
        bool given; // the trees of the rule "joint", as the model's own
    } all[] = {{"trammel", NULL, false},       {"trammel", NULL, true},
               {"trammel", "joint", false},    {"gough_stewart", NULL, false},
               {"gough_stewart", NULL, true},  {"five_bar", NULL, false},
               {"five_bar", "absolute", false}};
    enum { ALL = sizeof all / sizeof *all };
    char *alone[ALL];
    for (int round = 0; round < 3; round++) { // each alone, then in two sequences
        forget_everything();
        for (int i = 0; i < ALL; i++) {
            int n = round == 1 ? ALL - 1 - i : i;
            char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, all[n].model), *text = NULL;
            if (!round) forget_everything();
            mech k = mech_file(path, all[n].rule);
            assert_made(&k);
            if (all[n].given) { // in the trees that it has, which are no longer free
                ct_trees_info info;
                ct_text rotation = {0}, translation = {0};
                assert_int_equal(ct_trees(k.ctx, k.s, &info), CT_OK);
                for (int t = 0; t < info.n_rotation; t++)
                    ct_text_printf(&rotation, "%s%s", t ? ", " : "", info.rotation[t]);
                for (int t = 0; t < info.n_translation; t++)
                    ct_text_printf(&translation, "%s%s", t ? ", " : "", info.translation[t]);
                char *file = read_text(path),
                     *trees = ct_format(given_trees, rotation.s, translation.s);
                text = ct_format("%s\n%s", file, trees);
                ct_free(file);
                ct_free(trees);
                ct_text_clear(&rotation);
                ct_text_clear(&translation);
                mech_clear(&k);
                k = mech_text(all[n].model, text, NULL);
                assert_made(&k);
            }
            assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
            char *found = whole(ct_system_closure(k.s));
            if (round)
                assert_string_equal(found, alone[n]);
            else
                alone[n] = ct_strdup(found);
            ct_free(found);
            ct_free(text);
            ct_free(path);
            mech_clear(&k);
        }
    }
    for (int i = 0; i < ALL; i++) ct_free(alone[i]);
}

// Whatever it costs.
static void what_is_named_stays(void **state) {
    (void)state;
    static const struct {
        const char *initial, *names[2];
    } wishes[] = {{"A: [2.0, 1], E: [1.1, 0]", {"A", "E"}},
                  {"B: [-1.0, 0], D: [1.0, 0]", {"B", "D"}},
                  {"E: [1.1, 0.5]", {"E", "E"}}};
    for (int i = 0; i < 3; i++) {
        char *text = ct_format("%sinitial: {%s}\n", robot, wishes[i].initial);
        mech k = closed(text, 0, NULL);
        const ct_closure *c = ct_system_closure(k.s);
        for (int w = 0; w < 2; w++) {
            bool found = false;
            for (int j = 0; j < c->r; j++)
                found = found || !strcmp(c->f->names[c->independent[j]], wishes[i].names[w]);
            assert_true(found);
        }
        ct_free(text);
        mech_clear(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheapest_of_all),     cmocka_unit_test(trees_along_the_flow),
        cmocka_unit_test(same_again),          cmocka_unit_test(whatever_came_before),
        cmocka_unit_test(what_is_named_stays),
    };
    char *folder = temporary_folder(); // orders of its own
    setenv("XDG_CACHE_HOME", folder, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_folder(folder);
    return failed;
}
