// Jumps of functions of time: every function that switches, with every way of meeting its switch;
// functions that are smooth though they switch; enclosures hold the values they enclose.
#include "unit.h"

#include "expr/jumps/interval.h"
#include "expr/jumps/jump.h"
#include "expr/random_expr.h"

FIXTURE(ct_pool, pool, ct_pool_new, ct_pool_free);

static ct_ex t;

static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    (void)data, (void)offset, (void)error;
    *value = !strcmp(name, "pi") ? ct_pi(pool) : t;
    return !primes;
}

static int find_table(void *data, const char *name) {
    (void)data;
    for (int i = 0; i < ct_table_count(pool); i++)
        if (!strcmp(ct_table_get(pool, i).name, name)) return i;
    return -1;
}

static bool no_name_call(void *data, const char *function) {
    (void)data, (void)function;
    return false;
}

static ct_ex parse(const char *text) {
    ct_names names = {.resolve = resolve, .find_table = find_table, .is_name_call = no_name_call};
    ct_parse_error error;
    ct_ex value;
    t = ct_symbol(pool, CT_SYMBOL_TIME, "t");
    if (!ct_parse(pool, text, &names, &value, &error)) fail_msg("%s: %s", text, error.message);
    return value;
}

static void tables(void) {
    // slope: ends at 0.25 and 1.5, both steep; wave: two periods in a second
    static const double x[] = {0.25, 0.7, 1.1, 1.5}, y[] = {0, 0.4, 0.5, 1.2};
    static const double px[] = {0, 0.125, 0.25, 0.375, 0.5}, py[] = {0, 1, 0, -1, 0};
    ct_table_define(pool, "slope", 4, x, y, false);
    ct_table_define(pool, "wave", 5, px, py, true);
}

typedef struct expectation {
    const char *text;
    double to;
    int order; // -1: no jump
    double at, size;
} expectation;

static bool find(const char *text, double to, ct_jump *jump) {
    ct_jump_search s = {.f = parse(text), .symbol = t, .from = 0, .to = to, .least = {1e-6, 1e-6}};
    return ct_jump_find(pool, &s, jump);
}

static void check(const expectation *e, int n) {
    int failures = 0;
    tables();
    for (int i = 0; i < n; i++) {
        ct_jump jump;
        bool found = find(e[i].text, e[i].to, &jump), want = e[i].order >= 0;
        bool good = found == want && (found || jump.searched == e[i].to);
        if (good && found)
            good = jump.order == e[i].order && fabs(jump.at - e[i].at) < 1e-7 * e[i].to &&
                   fabs(jump.behind - jump.before - e[i].size) < 2e-3 * fabs(e[i].size);
        if (!good)
            print_error("%s: found %d, order %d at %.12g, size %.9g, searched to %g\n", e[i].text,
                        found, jump.order, jump.at, jump.behind - jump.before, jump.searched);
        failures += !good;
    }
    assert_int_equal(failures, 0);
}

enum { NO = -1, VALUE = CT_JUMP_VALUE, RATE = CT_JUMP_RATE };

// each function with a switch x at t = 1/3: of the value, of the rate, of neither
static void kinds(void **state) {
    (void)state;
    static const expectation list[] = {
        {"abs(t - 1/3)", 1, RATE, 1. / 3, 2},
        {"abs(t - 1/3)^3", 1, NO, 0, 0},
        {"sign(t - 1/3)", 1, VALUE, 1. / 3, 2},
        {"sign(t - 1/3)*(t - 1/3)", 1, RATE, 1. / 3, 2},
        {"sign(t - 1/3)*(t - 1/3)^2", 1, NO, 0, 0},
        {"min(t, 1/3)", 1, RATE, 1. / 3, -1},
        {"max(t, 1/3)", 1, RATE, 1. / 3, 1},
        {"max(0, t - 1/3)^2", 1, NO, 0, 0},
        {"if(t < 1/3, 2*t, 1)", 1, VALUE, 1. / 3, 1. / 3},
        {"if(t <= 1/3, 3*t, 1)", 1, RATE, 1. / 3, -3},
        {"if(t > 1/3, 3*t, 1)", 1, RATE, 1. / 3, 3},
        {"if(t >= 1/3, (t - 1/3)^2, 0)", 1, NO, 0, 0},
        {"if(t - 1/3, t, 5)", 1, VALUE, 1. / 3, 5 - 1. / 3}, // 5 at a single instant
        {"if(t == 1/4, 5, t)", 1, VALUE, 1. / 4, 5 - 1. / 4},
        {"if(t == 1/4, 1/4, t)", 1, NO, 0, 0},
        {"(t > 1/3)*t", 1, VALUE, 1. / 3, 1. / 3},
        {"sqrt((3*t - 1)^2)", 1, RATE, 1. / 3, 6},
        {"asin(sin(1.5*pi*t))", 1, RATE, 1. / 3, -3 * 3.14159265358979},
        {"acos(cos(3*pi*t))", 1, RATE, 1. / 3, -6 * 3.14159265358979},
        {"atan(tan(1.5*pi*t))", 1, VALUE, 1. / 3, -3.14159265358979},
        {"atan2(sin(3*pi*t), cos(3*pi*t))", 1, VALUE, 1. / 3, -2 * 3.14159265358979},
        {"table(slope, t)", 0.9, RATE, 0.25, 1.17404514},
        {"table(slope, t + 0.3)", 1, NO, 0, 0},
        {"table(wave, t)", 10, NO, 0, 0},
        {"min(table(wave, t), 0.5)", 1, RATE, 0.0443478, -10.5},
    };
    check(list, sizeof list / sizeof *list - 1); // the last one is measured below
    ct_jump jump;
    assert_true(find(list[24].text, 1, &jump) && jump.order == RATE);
    assert_true(fabs(ct_table_value(pool, 1, 0, jump.at) - 0.5) < 1e-6);
}

// how a switching function meets zero, and where
static void crossings(void **state) {
    (void)state;
    const double pi = 3.14159265358979324;
    const expectation list[] = {
        // at the ends of the run; just inside
        {"max(t - 1, 0)", 1, NO, 0, 0},
        {"abs(t)", 1, NO, 0, 0},
        {"min(t, 2)", 1, NO, 0, 0},
        {"sign(t)", 1, VALUE, 0, 1},
        {"if(t < 0, 1, t)", 1, NO, 0, 0},
        {"max(t - 0.999999, 0) + t", 1, RATE, 0.999999, 1},
        {"min(t, 1e-6) - t", 1, RATE, 1e-6, -1},
        // many; only one of many, far off
        {"abs(cos(200*t))", 10, RATE, pi / 400, 400},
        {"max(sin(100*t), 0)^3 + max(t - 7, 0)", 10, RATE, 7, 1},
        {"sign(cos(50*t))^2", 10, NO, 0, 0},
        // touching, without a change of branch; two close together
        {"abs(t^2 - t + 1/4)", 1, NO, 0, 0},
        {"max(t^2 - 2*t/3 + 1/9, 0)", 1, NO, 0, 0},
        {"min((t - 0.3)^2 - 1e-12, 0)*1e12", 1, RATE, 0.299999, -2e6},
        // a pulse, a thousandth of the run and much less
        {"if(t < 0.7, 0, if(t < 0.7001, 1, 0))", 1, VALUE, 0.7, 1},
        {"max(0, 1e-7 - abs(t - 0.612345))", 1, RATE, 0.6123449, 1},
        // s that is zero all along, or undefined
        {"max(max(t - 2, 0), 0)", 3, RATE, 2, 1},
        {"abs(if(t < 2, 0, (t - 2)^2))", 3, NO, 0, 0},
        {"if(t < 1, t, abs(sqrt(t - 1) - 0.5)*0 + t)", 3, NO, 0, 0},
        // nested, at large times and in other functions
        {"abs(sign(t - 0.4) + t)", 1, VALUE, 0.4, 0.8},
        {"exp(-abs(t - 5000))", 1e4, RATE, 5000, -2},
        {"sin(min(t, 2*pi))", 10, RATE, 2 * pi, -1},
        {"cos(min(t, 2*pi))", 10, NO, 0, 0},
    };
    check(list, sizeof list / sizeof *list);
}

// f' at the start counts where it is asked for
static void start(void **state) {
    (void)state;
    ct_jump jump;
    tables();
    ct_jump_search s = {
        .f = parse("abs(t)"), .symbol = t, .to = 1, .least = {1e-6, 1e-6}, .start_rate = true};
    assert_true(ct_jump_find(pool, &s, &jump) && jump.order == RATE && jump.at == 0);
    s.f = parse("if(t < 0, 0, t)");
    assert_false(ct_jump_find(pool, &s, &jump));
    // no range, no jump
    s.f = parse("sign(t)");
    s.to = 0;
    assert_false(ct_jump_find(pool, &s, &jump));
}

// values at random places lie in the enclosure of any interval around them
static void enclosures(void **state) {
    (void)state;
    static const char *const texts[] = {
        "t^3 - 2*t + 1/t",       "sin(7*t)*cos(3*t) + tan(t)", "sqrt(t^2 + 1)*exp(-t)",
        "atan2(t - 1, 2*t - 3)", "asin(sin(3*t)) + acos(t/9)", "log(t + 4)*abs(t - 1)",
        "(t + 4)^0.3 + 2^t",     "min(t, 2 - t)*max(t, t^2)",  "if(sin(5*t) < 0.3, t, -t)",
        "table(slope, t)",       "table(wave, 3*t)",           "atan(4*t)/(1 + t^2)",
    };
    rx_world random = {.state = 5};
    tables();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ct_ex f = parse(texts[i]), df = ct_diff(pool, f, t), roots[] = {f, df};
        ct_enclosure e, point;
        ct_enclosure_init(&e, pool, 2, roots, t, NULL, NULL);
        ct_enclosure_init(&point, pool, 2, roots, t, NULL, NULL);
        for (int k = 0; k < 2000; k++) {
            double at = rx_real(&random, -3, 3), w = pow(10, rx_real(&random, -12, 0.5));
            double lo = at - w * rx_real(&random, 0, 1), hi = at + w * rx_real(&random, 0, 1);
            ct_enclose(&e, (ct_interval){lo, hi});
            ct_enclose(&point, (ct_interval){at, at});
            for (int r = 0; r < 2; r++) {
                ct_interval x = ct_enclosed(&e, roots[r]), y = ct_enclosed(&point, roots[r]);
                if (!(y.lo <= y.hi)) continue;
                double slack = 1e-13 * (1 + fabs(y.lo));
                if (!(x.lo <= y.lo + slack && y.hi <= x.hi + slack))
                    fail_msg("%s at %.17g in [%.17g, %.17g]: [%.17g, %.17g] outside [%.17g, %.17g]",
                             texts[i], at, lo, hi, y.lo, y.hi, x.lo, x.hi);
            }
        }
        ct_enclosure_clear(&e);
        ct_enclosure_clear(&point);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(crossings, setup, teardown),
        cmocka_unit_test_setup_teardown(start, setup, teardown),
        cmocka_unit_test_setup_teardown(enclosures, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
