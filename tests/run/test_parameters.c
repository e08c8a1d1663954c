// Parameters are run-time values: the compiled text of a model is the same whatever numbers --set
// gives, and derived parameters follow those that they are made of.
#include "harness.h"

#include "run/run.h"

enum { SETS = 4 };

typedef struct varied {
    const char *model;
    const char *sets[SETS][3]; // up to three values each
} varied;

static const varied models[] = {
    {"four_bar", {{"l1=1.1"}, {"l2=2.2", "l3=2.1"}, {"l4=19/10"}, {"l1=2", "l4=l1*0.9"}}},
    {"three_rrr", {{"l1=0.41"}, {"side=0.42", "l2=0.61"}, {"side=0.38"}, {"l1=0.4321"}}},
    {"gough_stewart", {{"h=1.4"}, {"h=1.6", "F=0.2"}, {"h=1.51"}, {"F=0"}}},
    {"double_wishbone",
     {{"stiffness=5e4"}, {"damping=8000", "free=0.5"}, {"free=0.48"}, {"free=0"}}},
    {"five_link", {{"L1=0.44"}, {"r=0.021", "R=0.16"}, {"L2=0.3"}, {"density=1/3"}}},
    {"delta", {{"elbow=0.52"}, {"base=0.21"}, {"half=0.05"}, {"stiffness=0", "damping=0"}}},
};
enum { MODELS = sizeof models / sizeof *models };

// The text that a run of the model compiles.
static char *text_of(const char *model, int n, const char *const *sets) {
    char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, model);
    mech k = mech_file_set(path, NULL, n, sets);
    ct_emit_input in;
    ct_emission code;
    assert_made(&k);
    assert_int_equal(ct_assemble(k.ctx, k.s), CT_OK);
    assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
    ct_emit_input_fill(k.s, "model", &in);
    in.without_values = true;
    ct_emit(&in, &code);
    char *text = ct_strdup(code.source);
    ct_emission_clear(&code);
    mech_clear(&k);
    ct_free(path);
    return text;
}

static void values_are_no_text(void **state) {
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        char *own = text_of(models[i].model, 0, NULL);
        for (int k = 0; k < SETS; k++) {
            int n = 0;
            while (n < 3 && models[i].sets[k][n]) n++;
            char *other = text_of(models[i].model, n, models[i].sets[k]);
            if (strcmp(own, other)) fail_msg("%s --set %s", models[i].model, models[i].sets[k][0]);
            ct_free(other);
        }
        ct_free(own);
    }
}

// Where --set takes the place of a formula, the parameter is an argument: that is another text.
static void derived_ones_follow(void **state) {
    (void)state;
    char *own = text_of("three_rrr", 0, NULL);
    const char *const set[] = {"rad=0.4/sqrt(3)"};
    char *other = text_of("three_rrr", 1, set);
    assert_non_null(strstr(own, "constants_derived"));
    assert_null(strstr(own, "\"rad\""));
    assert_null(strstr(other, "constants_derived"));
    assert_non_null(strstr(other, "\"rad\""));
    ct_free(own);
    ct_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_no_text),
        cmocka_unit_test(derived_ones_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
