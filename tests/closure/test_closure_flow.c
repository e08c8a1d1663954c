// What `close` must find by itself: independent coordinates, steps and their degrees, for every
// mechanism whose answer is known; and that positions so found close the loops.
#include "harness.h"

typedef struct expected {
    const char *model;
    int iterated; // at most
    int degree;   // the highest of any step
    bool triangular;
} expected;

static const expected known[] = {
    {"slider_crank", 0, 2, true},
    {"slider_crank_2", 0, 2, true},
    {"four_bar", 0, 2, true},
    {"five_bar", 0, 2, true},
    {"andrews", 0, 2, true},
    {"spatial_four_bar", 0, 2, true},
    {"spatial_four_bar_twisted", 0, 2, true},
    {"spatial_slider_crank", 0, 2, true},
    {"excavator", 0, 2, true},
    {"sar_antenna", 0, 2, true},
    {"stephenson3_theta", 0, 2, true},
    {"stephenson3_beta", 0, 6, false},
    {"landing_gear", 0, 6, false},
    {"three_rrr", 0, 2, true},
    {"three_rrr_mixed", 0, 2, true},
    {"gough_stewart", 0, 2, true},
    {"five_link", 5, 2, false},
    {"double_wishbone", 0, 2, true},
    {"double_wishbone_rear", 0, 2, true},
    {"vehicle", 0, 2, true},
    {"vehicle_14dof", 0, 1, true},
    {"parallel_four_bar", 0, 1, true},
    {"four_bar_chain_2", 0, 1, true},
    {"four_bar_chain_5", 0, 1, true},
    {"double_four_bar", 0, 1, true},
};

static ct_system *closed(ct_context *ctx, const char *name, int n_set, const char *const *set,
                         int n, const char *const *independent, ct_model **model) {
    char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, name);
    ct_system *s = NULL;
    if (ct_model_read(ctx, path, n_set, set, model)) fail_msg("%s", ct_message(ctx, 0));
    if (ct_formulate(ctx, *model, NULL, &s)) fail_msg("%s", ct_message(ctx, 0));
    if (ct_close_named(ctx, s, n, independent)) fail_msg("%s", ct_message(ctx, 0));
    ct_free(path);
    return s;
}

static void flows_are_as_known(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const expected *e = known + i;
        ct_context *ctx = ct_context_new();
        ct_model *m;
        ct_system *s = closed(ctx, e->model, 0, NULL, 0, NULL, &m);
        const ct_closure *c = ct_system_closure(s);
        int degree = 0;
        for (int k = 0; k < c->n_steps; k++)
            if (c->steps[k].degree > degree) degree = c->steps[k].degree;
        if (c->n_iterated > e->iterated || degree != e->degree || c->triangular != e->triangular)
            fail_msg("%s: %d iterated, degree %d, %s", e->model, c->n_iterated, degree,
                     c->triangular ? "triangular" : "not triangular");
        assert_int_equal(c->r + c->n_dependent, ct_system_formulation(s)->n);
        ct_system_free(s);
        ct_model_free(m);
        ct_context_free(ctx);
    }
}

// Landing gear: one polynomial, everything else linear.
static void landing_gear_is_linear_but_for_one(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    ct_model *m;
    ct_system *s = closed(ctx, "landing_gear", 0, NULL, 0, NULL, &m);
    int high = 0;
    for (int k = 0; k < ct_system_closure(s)->n_steps; k++) {
        const ct_step *step = ct_system_closure(s)->steps + k;
        if (step->degree == 6) {
            high++;
            assert_int_equal(step->n_unknowns, 1);
        } else {
            assert_int_equal(step->degree, 1);
        }
    }
    assert_int_equal(high, 1);
    ct_system_free(s);
    ct_model_free(m);
    ct_context_free(ctx);
}

// Any coordinate may drive a slider-crank.
static void any_drive(void **state) {
    (void)state;
    static const char *const drives[] = {"O", "A", "B", "slide"};
    for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
        ct_context *ctx = ct_context_new();
        ct_model *m;
        ct_system *s = closed(ctx, "slider_crank", 0, NULL, 1, drives + i, &m);
        assert_int_equal(ct_system_closure(s)->r, 1);
        assert_string_equal(ct_system_formulation(s)->names[ct_system_closure(s)->independent[0]],
                            drives[i]);
        assert_true(ct_system_closure(s)->triangular);
        for (int k = 0; k < ct_system_closure(s)->n_steps; k++)
            assert_true(ct_system_closure(s)->steps[k].degree <= 2);
        ct_system_free(s);
        ct_model_free(m);
        ct_context_free(ctx);
    }
}

// The order that is remembered is the order that was found.
static void memory_gives_the_same(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        char *text[2] = {NULL, NULL};
        for (int run = 0; run < 2; run++) {
            ct_context *ctx = ct_context_new();
            ct_model *m;
            ct_system *s = closed(ctx, i ? "five_link" : "three_rrr", 0, NULL, 0, NULL, &m);
            ct_text t = {0};
            for (int k = 0; k < ct_system_closure(s)->n_steps; k++)
                ct_text_printf(&t, "%s %s; ", ct_system_closure(s)->steps[k].unknowns[0],
                               ct_system_closure(s)->steps[k].text);
            text[run] = t.s;
            ct_system_free(s);
            ct_model_free(m);
            ct_context_free(ctx);
        }
        assert_string_equal(text[0], text[1]);
        ct_free(text[0]);
        ct_free(text[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_are_as_known),
        cmocka_unit_test(landing_gear_is_linear_but_for_one),
        cmocka_unit_test(any_drive),
        cmocka_unit_test(memory_gives_the_same),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
