// The room of the flow: groups, orders and their cost, what is asked for, what is remembered.
#include "harness.h"

#include "closure/flow/flow.h"
#include "closure/flow/prices.h"

static const char two_four_bars[] =
    "cotree: 1\n"
    "points: {A: [0, 0, 0], B: [0.1, 0.3, 0], C: [0.6, 0.45, 0], D: [0.5, 0, 0],"
    " E: [2, 0, 0], F: [2.1, 0.3, 0], G: [2.6, 0.45, 0], H: [2.5, 0, 0]}\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: 0.02, com: [0.05, 0.15, 0]}\n"
    "  rod: {mass: 1, inertia: 0.03, com: [0.35, 0.375, 0]}\n"
    "  lever: {mass: 1, inertia: 0.04, com: [0.55, 0.2, 0]}\n"
    "  crank: {mass: 1, inertia: 0.02, com: [2.05, 0.15, 0]}\n"
    "  coupler: {mass: 1, inertia: 0.03, com: [2.35, 0.375, 0]}\n"
    "  rocker: {mass: 1, inertia: 0.04, com: [2.55, 0.2, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, arm], at: A, axis: z}\n"
    "  b: {type: revolute, between: [arm, rod], at: B, axis: z}\n"
    "  c: {type: revolute, between: [rod, lever], at: C, axis: z}\n"
    "  d: {type: revolute, between: [ground, lever], at: D, axis: z}\n"
    "  e: {type: revolute, between: [ground, crank], at: E, axis: z}\n"
    "  f: {type: revolute, between: [crank, coupler], at: F, axis: z}\n"
    "  g: {type: revolute, between: [coupler, rocker], at: G, axis: z}\n"
    "  h: {type: revolute, between: [ground, rocker], at: H, axis: z}\n"
    "initial: {a: [0, 1]}\n";

static ct_flow *flow_of(mech *k, int n, const char *const *names, ct_order_cache *library) {
    ct_flow *flow = NULL;
    assert_int_equal(ct_flow_find(k->ctx, ct_system_formulation(k->s), ct_system_state(k->s)->q0, n,
                                  names, CT_OFFER_JOINTS, library, &flow),
                     CT_OK);
    return flow;
}

static int coordinate(const mech *k, const char *name) {
    return ct_model_coordinate(k->model, name);
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

// Two groups; what `initial` starts is independent in one of them. Every body is placed once.
static void groups(void **state) {
    (void)state;
    mech k = mech_text("flow", two_four_bars, NULL);
    assert_made(&k);
    ct_order_cache library = {0};
    ct_flow *flow = flow_of(&k, 0, NULL, &library);
    assert_true(flow->complete);
    assert_false(flow->torn);
    assert_int_equal(flow->n_groups, 2);
    assert_int_equal(flow->n_independent, 2);
    bool started = false;
    for (int i = 0; i < 2; i++) started = started || flow->independent[i] == coordinate(&k, "a");
    assert_true(started);
    assert_int_equal(ct_flow_group_end(flow, 0), flow->group[1]);
    assert_int_equal(ct_flow_group_end(flow, 1), flow->n_placements);
    int *placed = ct_alloc((size_t)k.model->n_bodies, sizeof *placed);
    for (int i = 0; i < flow->n_placements; i++) placed[flow->placements[i].child]++;
    for (int b = 1; b < k.model->n_bodies; b++) assert_int_equal(placed[b], 1);
    ct_free(placed);
    ct_flow_free(flow);
    ct_order_cache_clear(&library);
    mech_clear(&k);
}

// The short list: cheapest first, none dearer than the span. The cheapest is one angle by a length
// and one by a vector.
static void costs(void **state) {
    (void)state;
    mech k = mech_text("flow", two_four_bars, NULL);
    assert_made(&k);
    ct_order_cache library = {0};
    ct_flow_free(flow_of(&k, 0, NULL, &library));
    assert_true(library.n >= 1);
    for (int i = 0; i < library.n; i++) {
        const ct_flow_structure *x = library.of + i;
        assert_true(x->n >= 1 && x->n <= CT_FLOW_SHORT);
        assert_false(x->settled);
        for (int o = 1; o < x->n; o++) assert_true(x->orders[o].cost >= x->orders[o - 1].cost);
        assert_true(x->orders[x->n - 1].cost <= x->orders[0].cost + CT_FLOW_SPAN);
        // arm, lever and rod have 1, 1 and 2 coordinates between them and ground
        double steps = CT_PRICE_GIVEN + CT_PRICE_ANGLE_BY_LENGTH + CT_PRICE_ANGLE_BY_VECTOR,
               deep = CT_FLOW_DEEP * (1 + 1 + 2), choice = CT_PRICE_COORDINATE - x->orders[0].wish;
        assert_true(fabs(x->orders[0].cost - (steps + deep + choice)) < 1e-9);
    }
    ct_order_cache_clear(&library);
    mech_clear(&k);
}

// What was taken is taken the next time, from text.
static void remembered(void **state) {
    (void)state;
    mech k = mech_text("flow", two_four_bars, NULL);
    assert_made(&k);
    ct_order_cache first = {0}, second = {0};
    ct_flow_offer offer;
    ct_flow *before = flow_of(&k, 0, NULL, &first);
    assert_false(before->from_cache);
    char *text = ct_order_cache_text(&first, CT_OFFER_PLACES);
    assert_false(ct_order_cache_read(&second, "none", &offer));
    assert_int_equal(second.n, 0);
    assert_true(ct_order_cache_read(&second, text, &offer));
    ct_free(text);
    assert_int_equal(offer, CT_OFFER_PLACES);
    assert_int_equal(second.n, first.n);
    ct_flow *after = flow_of(&k, 0, NULL, &second);
    assert_true(after->from_cache);
    assert_int_equal(after->n_placements, before->n_placements);
    for (int i = 0; i < after->n_placements; i++) {
        assert_int_equal(after->placements[i].kind, before->placements[i].kind);
        assert_int_equal(after->placements[i].joint, before->placements[i].joint);
    }
    ct_flow_free(before);
    ct_flow_free(after);
    ct_order_cache_clear(&first);
    ct_order_cache_clear(&second);
    mech_clear(&k);
}

// Names decide; too many or too few of them are refused with a reason.
static void asked_for(void **state) {
    (void)state;
    static const char *const names[] = {"d", "h", "e"};
    mech k = mech_text("flow", two_four_bars, NULL);
    assert_made(&k);
    ct_order_cache library = {0};
    for (int n = 1; n <= 3; n++) {
        ct_flow *flow = flow_of(&k, n, names, &library);
        assert_int_equal(flow->complete, n == 2);
        if (n == 1) assert_non_null(strstr(flow->why, "leave 1 freedom"));
        if (n == 3) assert_non_null(strstr(flow->why, "more coordinates are given"));
        ct_flow_free(flow);
    }
    ct_order_cache_clear(&library);
    mech_clear(&k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(groups, empty_cache, end_cache),
        cmocka_unit_test_setup_teardown(costs, empty_cache, end_cache),
        cmocka_unit_test_setup_teardown(remembered, empty_cache, end_cache),
        cmocka_unit_test_setup_teardown(asked_for, empty_cache, end_cache)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
