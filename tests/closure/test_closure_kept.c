// Platforms that keep their orientation, changed a little: from their drives, with rods that are
// not parallel any more, and their code with other lengths. Where two move alike, one of them moves
// in `make soak` only; its closure is looked at always.
#include "closure/closure_runs.h"

#include "kernel/ctk_internal.h"

static char *replaced(char *text, const char *from, const char *to) {
    char *at = strstr(text, from);
    if (!at) fail_msg("'%s' is not there", from);
    char *result = ct_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    ct_free(text);
    return result;
}

// A mechanism of the library with a line more, and with something in it changed.
static mech changed(const char *name, const char *more, const char *from, const char *to) {
    char *path = ct_format("%s/tests/mechanisms/%s.yaml", CT_SOURCE_DIR, name);
    char *text = read_text(path), *whole = ct_format("%s%s\n", text, more);
    if (from) whole = replaced(whole, from, to);
    mech k = mech_text(name, whole, NULL);
    if (k.status) print_messages(k.ctx);
    assert_made(&k);
    ct_free(text);
    ct_free(whole);
    ct_free(path);
    return k;
}

// In closed form, against all accelerations at once with variable steps.
static double compare(const char *name, const char *more, const char *from, const char *to) {
    table t[2];
    for (int way = 0; way < 2; way++) {
        mech k = changed(name, way ? "" : more, from, to);
        t[way] = run_closed(&k, !way);
        mech_clear(&k);
    }
    double off = difference_by_name(&t[0], &t[1]);
    table_clear(&t[0]);
    table_clear(&t[1]);
    return off;
}

static bool stays(mech *k) {
    for (int i = 0; i < k->s->closed->flow->n_placements; i++)
        if (k->s->closed->flow->placements[i].kind == CT_PLACE_KEPT) return true;
    return false;
}

// The drives are independent: the place of the platform is where three spheres (planes) meet.
static void forward(void **state) {
    (void)state;
    static const struct {
        const char *name, *more, *first;
        bool soak;
    } all[] = {
        {"delta_ss", "independent: [drive0, drive1, drive2]", "drive0", false},
        {"delta_uu", "independent: [drive0, drive1, drive2]", "drive0", false},
        {"three_upu", "independent: [p0, p1, p2]", "p0", true},
        {"tripteron", "independent: [s0, s1, s2]", "s0", false},
        // on bases that move
        {"delta_rail", "independent: [rail, motor1, motor2, motor3]", "rail", false},
        {"delta_table", "independent: [table.1, table.2, motor1, motor2, motor3]", "table.1", true},
        {"sarrus", "independent: [c0]", "c0", false},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        mech k = changed(all[i].name, all[i].more, NULL, NULL);
        ct_close_info *info = NULL;
        assert_int_equal(ct_close_describe(k.ctx, k.s, 0, NULL, &info), CT_OK);
        assert_true(info->triangular);
        assert_int_equal(info->n_iterated, 0);
        assert_true(info->residual < 1e-12);
        for (int s = 0; s < info->n_steps; s++) assert_true(info->steps[s].degree <= 2);
        assert_string_equal(
            ct_system_formulation(k.s)->names[ct_system_closure(k.s)->independent[0]],
            all[i].first);
        assert_true(stays(&k));
        ct_close_info_free(info);
        mech_clear(&k);
        if ((all[i].soak && !soaking()) || passed_over(i)) continue;
        assert_true(compare(all[i].name, all[i].more, NULL, NULL) < 1e-7);
    }
}

// Motions move the arms.
static void driven(void **state) {
    (void)state;
    const char *from = "initial: {drive0: [0, 0.3], drive1: [0, -0.2], drive2: [0, 0.1]}",
               *to = "motions: {drive0: 0.3*sin(5*t), drive1: 0.2*sin(8*t), drive2: -0.2*sin(3*t)}";
    mech k = changed("delta_ss", "", from, to);
    assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
    assert_int_equal(ct_system_closure(k.s)->n_iterated, 0);
    assert_int_equal(ct_system_closure(k.s)->r, 0);
    mech_clear(&k);
    assert_true(compare("delta_ss", "", from, to) < 1e-7);
}

// Rods of other lengths, ends that are not parallel or not as far apart, a hinge that is not
// parallel to the joints of its rod: the platform turns, and the closure lets it.
static void turns(void **state) {
    (void)state;
    static const struct {
        const char *name, *from, *to;
        bool moves, soak;
    } all[] = {
        {"delta_ss", "C0r: [0.06, -0.06, -0.8]", "C0r: [0.06, -0.06, -0.803]", true, false},
        {"delta_ss", "C0r: [0.06, -0.06, -0.8]", "C0r: [0.06, -0.07, -0.8]", false, false},
        {"delta_ss", "B1r: [-0.1980385,", "B1r: [-0.198038,", false, false},
        {"delta_uu", "at: A0, axis: [6.12323e-17, 1, 0]", "at: A0, axis: [0.01, 1, 0]", true, true},
    };
    for (int i = 0; i < 4; i++) {
        mech k = changed(all[i].name, "", all[i].from, all[i].to);
        assert_int_equal(ct_close_system(k.ctx, k.s), CT_OK);
        assert_true(ct_system_closure(k.s)->n_iterated > 0);
        assert_false(k.s->closed->flow && stays(&k));
        mech_clear(&k);
        if (!all[i].moves || (all[i].soak && !soaking()) || passed_over((size_t)i)) continue;
        assert_true(compare(all[i].name, "", all[i].from, all[i].to) < 1e-7);
    }
}

// The code holds for other sizes too, as long as the platform keeps its orientation; it does not
// start otherwise.
static void other_lengths(void **state) {
    (void)state;
    static const struct {
        const char *name, *from, *to;
        double p;
        bool good;
    } all[] = {
        {"delta_ss", "A0: [0.2, 0, 0]", "A0: [0.2, 0, d]", 0.01, true},
        {"delta_ss", "C0r: [0.06, -0.06, -0.8]", "C0r: [0.06, -0.06, -0.8 + d]", 1e-3, false},
        {"delta_ss", "C0r: [0.06, -0.06, -0.8]", "C0r: [0.06, -0.06 + d, -0.8]", 1e-3, false},
        {"delta_uu", "C0: [0.06, 0, -0.8]", "C0: [0.06 + d, 0, -0.8]", 0.01, true},
        {"delta_uu", "at: A0, axis: [6.12323e-17, 1, 0]", "at: A0, axis: [d, 1, 0]", 1e-3, false},
        {"tripteron", "B0: [0.5, 0.45, -0.05]", "B0: [0.5, 0.45 + d, -0.05]", 0.01, true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (passed_over(i)) continue;
        mech k = changed(all[i].name, "parameters: {d: 0}", all[i].from, all[i].to);
        ct_run_options o;
        ct_runner r;
        double open;
        ct_run_options_init(&o);
        o.method = "triangular";
        assert_int_equal(ct_runner_open(&r, k.ctx, k.s, &o, false), CT_OK);
        assert_true(stays(&k));
        assert_int_equal(r.code.model->n_parameters, 1);
        double none = 0;
        assert_int_equal(steps_with(r.code.model, &none, ct_run_state(k.s)->q0,
                                    ct_run_state(k.s)->qd0, 100, 5e-4, &open),
                         CTK_OK);
        assert_true(open < 1e-12);
        ctk_status status = steps_with(r.code.model, &all[i].p, ct_run_state(k.s)->q0,
                                       ct_run_state(k.s)->qd0, all[i].good ? 100 : 0, 5e-4, &open);
        if ((status == CTK_OK) != all[i].good || (all[i].good && !(open < 1e-12)))
            fail_msg("%s, '%s': status %d, open by %.1e", all[i].name, all[i].to, status, open);
        ct_runner_close(&r);
        mech_clear(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward),
        cmocka_unit_test(driven),
        cmocka_unit_test(turns),
        cmocka_unit_test(other_lengths),
    };
    return cmocka_run_group_tests(tests, shared_cache_interpreted, NULL);
}
