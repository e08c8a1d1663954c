// A library of mechanisms (tests/mechanisms): what `close` makes of each, how long that takes, and
// the motion that follows against the index-1 equations with multipliers. Some mechanisms move in
// `make soak` only: delta_ss, delta_uu and delta_rail, which test_closure_kept moves from their
// drives, and those that are closed like a neighbour that moves (delta_table like delta_rail,
// delta_spin like delta_ss, three_upu like tripteron, hexaglide like stewart_plain, crcc like rccc,
// rcrcr like three_rps, watt2, stephenson2 and klann like those before them). Closures of all are
// looked at always, and the golden net holds the code of all.
#include "closure/closure_runs.h"

typedef struct expected {
    const char *name;
    int iterated, degree; // at most; of any step
    bool soak;            // its motion is left to `make soak`
} expected;

static const expected library[] = {
    // one plane
    {"watt1", 0, 2, false},
    {"watt2", 0, 2, true},
    {"stephenson1", 0, 2, false},
    {"stephenson2", 0, 2, true},
    {"dyads", 0, 2, false},
    {"jansen", 0, 2, false},
    {"klann", 0, 2, true},
    {"peaucellier", 0, 2, false},
    {"five_bar_robot", 0, 2, false},
    {"wiper", 0, 2, false},
    {"crane", 0, 2, false},
    {"three_rrr_plain", 0, 2, false},
    {"slide_dyad", 0, 2, false},
    {"oldham", 0, 1, false},
    // space
    {"macpherson", 0, 2, false},
    {"strut", 0, 2, false},
    {"trailing_carrier", 0, 2, false},
    {"rsur", 0, 2, false},
    {"rscr", 0, 4, false},
    {"agile_eye", 0, 2, false},
    {"three_rps", 0, 2, false},
    {"three_prs", 0, 2, false},
    {"plate_on_links", 0, 2, false},
    {"carrier_on_links", 0, 2, false},
    {"hung_plate", 0, 2, false},
    {"h4", 0, 2, false},
    {"strut_of_hinges", 0, 2, false},
    {"four_link_axle", 1, 2, false},
    {"tripteron", 0, 2, false},
    {"three_upu", 0, 2, true},
    {"delta_uu", 0, 2, true},
    {"delta_ss", 0, 2, true},
    {"delta_spin", 0, 2, true},
    {"hexaglide", 0, 2, true},
    {"stewart_plain", 0, 2, false},
    // joints that turn and slide, chains that keep directions, screws
    {"rccc", 0, 2, false},
    {"crcc", 0, 2, true},
    {"rcrcr", 1, 2, true},
    {"rpsc", 0, 2, false},
    {"four_bar_cylinder", 0, 2, false},
    {"double_hooke", 0, 2, false},
    {"spherical_four_bar", 0, 2, false},
    {"bennett", 0, 1, false},
    {"sarrus", 0, 2, false},
    {"delta_rail", 0, 2, true},
    {"delta_table", 0, 2, true},
    {"vise", 0, 2, false},
    {"jack", 0, 2, false},
    // eliminated
    {"tip_tilt", 0, 2, false},
    {"three_feet", 0, 2, false},
    {"pointing", 0, 2, false},
    {"raised_plate", 0, 4, false},
    {"three_rails", 0, 2, false},
    {"rails_and_arm", 0, 4, false},
    // laws between coordinates and points that motions lead
    {"law_chain", 1, 2, false},
    {"law_inside", 0, 2, false},
    {"law_linear", 0, 2, false},
    {"law_torn", 1, 2, false},
    {"law_residual", 1, 2, false},
    {"law_points", 0, 4, false},
    {"law_coupler", 0, 2, false},
    {"law_balls", 2, 2, false},
    {"law_fraction", 1, 2, false},
    {"guided_point", 0, 2, false},
    {"guided_body", 0, 1, false},
    {"guided_foot", 0, 2, false},
    {"guided_distance", 0, 4, false},
    {"guided_plane", 0, 2, false},
};
enum { COUNT = sizeof library / sizeof *library };
#ifdef __SANITIZE_ADDRESS__
enum { LONG = 100 }; // what the sanitizers cost
#else
enum { LONG = 5 }; // s; far above what any takes, for machines that do other things too
#endif

static mech mechanism(const char *name) {
    char *path = ct_format("%s/tests/mechanisms/%s.yaml", CT_SOURCE_DIR, name);
    mech k = mech_file(path, NULL);
    ct_free(path);
    assert_made(&k);
    return k;
}

// Nothing may be remembered from an earlier run.
static int empty_cache(void **state) {
    *state = temporary_folder();
    return setenv("XDG_CACHE_HOME", *state, 1);
}

static int end_cache(void **state) {
    remove_folder(*state);
    return shared_cache(state);
}

static void structure(void **state) {
    (void)state;
    int failures = 0;
    for (int i = 0; i < COUNT; i++) {
        const expected *e = library + i;
        if (passed_over((size_t)i)) continue;
        mech k = mechanism(e->name);
        ct_close_info *info = NULL;
        int degree = 0;
        assert_int_equal(ct_close_describe(k.ctx, k.s, 0, NULL, &info), CT_OK);
        for (int s = 0; s < info->n_steps; s++)
            if (info->steps[s].degree > degree) degree = info->steps[s].degree;
        bool good = info->n_iterated <= e->iterated && degree <= e->degree &&
                    info->residual < 1e-12 && info->triangular == (e->iterated == 0) &&
                    info->seconds < LONG;
        if (!good)
            print_error("%s: %d iterated, degree %d, residual %.1e, %.3f s\n", e->name,
                        info->n_iterated, degree, info->residual, info->seconds);
        failures += !good;
        ct_close_info_free(info);
        mech_clear(&k);
    }
    assert_int_equal(failures, 0);
}

// The pose of a platform is independent where its legs' coordinates would leave something to be
// iterated; results do not show it, and names of coordinates still decide.
static void own_coordinates(void **state) {
    (void)state;
    const char *const *names;
    mech k = mechanism("stewart_plain");
    int before = ct_result_columns(k.s, false, &names);
    assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
    assert_int_equal(ct_system_closure(k.s)->n_iterated, 0);
    assert_int_equal(ct_system_closure(k.s)->r, 6);
    assert_string_equal(ct_system_formulation(k.s)->names[ct_system_closure(k.s)->independent[0]],
                        "plat.x");
    assert_int_equal(ct_result_columns(k.s, false, &names), before);
    for (int i = 0; i < before; i++) assert_null(strstr(names[i], "plat."));
    static const char *const legs[] = {"p0", "p1", "p2", "p3", "p4", "p5"};
    assert_int_equal(ct_close_named(k.ctx, k.s, 6, legs), CT_OK);
    assert_string_equal(ct_system_formulation(k.s)->names[ct_system_closure(k.s)->independent[0]],
                        "p0");
    assert_int_equal(ct_system_closure(k.s)->n_iterated, 3);
    assert_int_equal(ct_result_columns(k.s, false, &names), before);
    mech_clear(&k);
}

// What `initial` starts is independent, whichever joints of the loops laws name, and whatever was
// found before for loops that are built alike.
static void laws_follow(void **state) {
    (void)state;
    char *path = ct_format("%s/tests/mechanisms/law_coupler.yaml", CT_SOURCE_DIR);
    char *text = read_text(path), *gear = strstr(text, "joints: [B, W]");
    assert_non_null(gear);
    for (const char *named = "BADOB"; *named; named++) {
        gear[9] = *named;
        mech k = mech_text("coupler", text, NULL);
        assert_made(&k);
        assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
        const ct_closure *c = ct_system_closure(k.s);
        assert_int_equal(c->r, 2);
        assert_int_equal(c->n_iterated, 0);
        for (int i = 0; i < 2; i++) {
            const char *name = ct_system_formulation(k.s)->names[c->independent[i]];
            assert_true(!strcmp(name, "O") || !strcmp(name, "F"));
        }
        mech_clear(&k);
    }
    ct_free(text);
    ct_free(path);
}

// The closed form with fixed steps, all accelerations at once with variable ones.
static void motion(void **state) {
    (void)state;
    int failures = 0;
    for (int i = 0; i < COUNT; i++) {
        if ((library[i].soak && !soaking()) || passed_over((size_t)i)) continue;
        table t[2];
        for (int way = 0; way < 2; way++) {
            mech k = mechanism(library[i].name);
            t[way] = run_closed(&k, !way);
            mech_clear(&k);
        }
        double off = difference_by_name(&t[0], &t[1]);
        print_message("%-20s differs by %.1e\n", library[i].name, off);
        failures += !(off < 1e-7);
        table_clear(&t[0]);
        table_clear(&t[1]);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(structure, empty_cache, end_cache),
        cmocka_unit_test(own_coordinates),
        cmocka_unit_test_setup_teardown(laws_follow, empty_cache, end_cache),
        cmocka_unit_test(motion),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
