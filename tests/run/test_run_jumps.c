// Motions whose value jumps are refused by simulate and kinematics; generated code comes with a warning.
// What jumps outside the run is no matter.
#include "harness.h"

// An arm that is moved by `motion`, and a bob that swings on it; driven: the bob is moved, too.
static mech arm(const char *motion, const char *more) {
    char *text = ct_format(
        "cotree: 1\n"
        "bodies:\n"
        "  arm: {mass: 1, inertia: 0.1, com: [0.5, 0, 0], points: {P: [1, 0, 0]}}\n"
        "  bob: {mass: 1, inertia: 0.1, com: [0.3, 0, 0]}\n"
        "joints:\n"
        "  O: {type: revolute, between: [ground, arm], axis: z}\n"
        "  A: {type: revolute, between: [arm, bob], at: [P, [0, 0, 0]], axis: z}\n"
        "%s"
        "tables: {ramp: {x: [0, 0.25, 0.5], y: [0, 0.1, 0.3]}}\n"
        "motions: {%s%s}\n"
        "initial: {A: [0.3, 0]}\n",
        strstr(more, "equation") ? more : "", motion, strstr(more, "equation") ? "" : more);
    if (strstr(more, "A:")) *strstr(text, "initial:") = '#';
    mech k = mech_text("arm.yaml", text, NULL);
    ct_free(text);
    return k;
}

static void refusals(void **state) {
    (void)state;
    static const struct {
        const char *motion, *more;
        double time;
        bool driven;
        const char *message; // NULL: the run is made
    } list[] = {
        {"O: \"min(t, 0.5)\"", "", 1, false, NULL}, // an event
        {"O: \"min(t, 0.5)\"", "", 0.5, false, NULL},
        {"O: \"min(t, 0.5)\"", "", 0.4, false, NULL},
        {"O: \"if(t < 0.5, 0, 1)\"", "", 1, false, "error: at t = 0.5 this motion jumps by 1"},
        {"O: \"max(t - 0.5, 0)^2\"", "", 1, false, NULL},
        {"O: \"table(ramp, t)\"", "", 1, false, NULL},
        {"O: \"table(ramp, t)\"", "", 0.5, false, NULL},
        {"O: \"t + 1e-4*abs(t - 0.5)\"", "", 1, false, NULL},
        {"O: abs(t)", "", 1, false, "error: at t = 0 the rate of this motion jumps by 1"},
        {"O: abs(t)", ", A: 0.3", 1, true, NULL},
        {"O: \"if(t == 0.3, 1, 0.2*t)\"", "", 1, false, "error: at t = 0.3 this motion jumps by"},
        {"O: \"if(t == 0.3, 1, 0.2*t)\"", ", A: 0.3", 1, true, "error: at t = 0.3 this motion"},
        {"O: \"if(t == 0.3, 0.06, 0.2*t)\"", "", 1, false, NULL},
        {"x(arm.P): \"cos(min(t + 0.5, 1))\"", "", 1, false, NULL},
        {"", "  e: {type: constraint, equation: \"O*(1 + t) - min(t, 0.25)\"}\n", 1, false, NULL},
        // no impulse is computed in a driven motion
        {"O: \"min(t, 0.5)\"", ", A: 0.3", 1, true, NULL},
        {"O: \"if(t < 0.5, 0, 0.1)\"", ", A: 0.3", 1, true, "error: at t = 0.5 this motion"},
    };
    int failures = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        mech k = arm(list[i].motion, list[i].more);
        assert_made(&k);
        ct_run_options o;
        ct_run_summary summary;
        ct_run_options_init(&o);
        o.time = list[i].time;
        ct_status status = list[i].driven ? ct_kinematics(k.ctx, k.s, &o, &summary)
                                          : ct_simulate(k.ctx, k.s, &o, &summary);
        bool refused = list[i].message && strstr(list[i].message, "error");
        bool good =
            status == (refused ? CT_NUMERICS : CT_OK) &&
            (list[i].message ? has_message(k.ctx, list[i].message) : !ct_message_count(k.ctx));
        if (!good) {
            print_error("%s %s: status %d\n", list[i].motion, list[i].more, status);
            print_messages(k.ctx);
        }
        failures += !good;
        mech_clear(&k);
    }
    assert_int_equal(failures, 0);
}

static void generated_code(void **state) {
    (void)state;
    static const struct {
        const char *motion, *message;
    } list[] = {{"O: \"min(t, 0.5)\"", NULL},
                {"O: \"if(t < 0.5, 0, 1)\"", "warning: at t = 0.5 this motion jumps by 1"},
                {"O: abs(t)", "warning: at t = 0 the rate of this motion jumps by 1"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        mech k = arm(list[i].motion, "");
        assert_made(&k);
        char *folder = temporary_folder();
        ct_run_options o;
        ct_generate_info info;
        ct_run_options_init(&o);
        assert_int_equal(ct_generate(k.ctx, k.s, NULL, folder, &o, &info), CT_OK);
        assert_true(list[i].message ? has_message(k.ctx, list[i].message)
                                    : !ct_message_count(k.ctx));
        remove_folder(folder);
        mech_clear(&k);
    }
}

// A table that ends with the run still moves there.
static void end_of_table(void **state) {
    (void)state;
    mech k = arm("O: \"table(ramp, t)\"", "");
    assert_made(&k);
    table rows = run_mech(&k, &(run_settings){.time = 0.5, .step = 1e-2}, NULL);
    assert_true(table_last(&rows, "O'") > 0.8);
    table_clear(&rows);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(generated_code),
        cmocka_unit_test(end_of_table),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
