// Programs by themselves: a small one is written by hand with a segment of every kind, whose
// solutions are known in the one coordinate q. What the interpreter finds is compared with that;
// then programs are walked, counted, made lighter and trimmed, and must still say the same.
#include "harness.h"

#include "program/count.h"
#include "program/interpret.h"
#include "program/trim.h"

// a hand-made program ----------------------------------------------------------------------------
enum { V_COS, V_SIN, V_ITERATED, V_TURNED, V_SLID, V_BOTH, V_DOUBLE, V_LATE, V_UNUSED, VALUES };
enum { W_FOLLOWED, W_NEWTON, W_TURN, W_SLIDE, W_X, W_Y, W_FIRST, W_C, W_S, W_UNUSED, TRACKED };
enum { STEPS = 7 }; // segments 0 .. 6 of the positions are its steps

typedef struct sample {
    ct_region region;
    ct_pool *pool;
    ct_ex q;
    ct_registers registers;
    ct_program positions, dynamics, expansion;
    ct_ex coordinate; // value of q, for those who ask
    ct_ex none[1];    // sines and cosines of coordinates
    ct_numbers x;
    double w[TRACKED], out[2];
} sample;

static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    (void)primes, (void)offset, (void)error;
    bool coordinate = !strcmp(name, "q");
    *value = ct_symbol(data, coordinate ? CT_SYMBOL_COORDINATE : CT_SYMBOL_OTHER, name);
    return true;
}

// Values are v0, v1, ..., tracked numbers w0, ..., signs b0, ..., solved unknowns x0, ...
static ct_ex ex(sample *s, const char *text) {
    ct_names names = {.data = s->pool, .resolve = resolve};
    ct_parse_error error;
    ct_ex e = CT_ZERO;
    assert_true(ct_parse(s->pool, text, &names, &e, &error));
    return e;
}

static ct_ex *ex_all(sample *s, int n, const char *const *text) {
    ct_ex *a = ct_alloc((size_t)n, sizeof *a);
    for (int i = 0; i < n; i++) a[i] = ex(s, text[i]);
    return a;
}
#define EX_ALL(s, n, ...) ex_all(s, n, (const char *const[]){__VA_ARGS__})

static void add_registers(sample *s) {
    static const char *const values[VALUES] = {"cos(q)",   "sin(q)",        "q*cos(q)",
                                               "cos(q)",   "sqrt(1 + q^2)", "3*q + 4",
                                               "cos(2*q)", "2*q",           "7*q"};
    static const char *const tracked[TRACKED] = {
        "q", "q", "q", "sqrt(1 + q^2)", "q + 1", "2*q + 3", "q", "cos(2*q)", "sin(2*q)", "q"};
    char name[16];
    for (int i = 0; i < VALUES; i++) {
        snprintf(name, sizeof name, "v%d", i);
        ct_register_add(&s->registers.values, ex(s, name), ex(s, values[i]));
    }
    for (int i = 0; i < TRACKED; i++) {
        snprintf(name, sizeof name, "w%d", i);
        ct_register_add(&s->registers.tracked, ex(s, name), ex(s, tracked[i]));
    }
    ct_register_add(&s->registers.signs, ex(s, "b0"), ex(s, "v0 - 2"));
}

// w + w^3 = q + q^3
static void add_newton(sample *s) {
    ct_segment *seg = ct_program_add(&s->positions, 1);
    ct_newton newton = ct_newton_new(1);
    newton.unknown[0] = W_NEWTON;
    newton.residual[0] = ex(s, "w1 + w1^3 - q - q^3");
    newton.matrix[0] = ex(s, "1 + 3*w1^2");
    seg->kind = CT_SEGMENT_NEWTON;
    seg->newton = newton;
    ct_segment_set(seg, V_ITERATED, ex(s, "w1*v0"));
}

// sin(w - q) = 0, then w^2 = 1 + q^2
static void add_roots(sample *s) {
    ct_segment *seg = ct_program_add(&s->positions, 2);
    seg->kind = CT_SEGMENT_ROOT;
    seg->root = (ct_root){.unknown = W_TURN,
                          .is_angle = true,
                          .unit = 1,
                          .n = 3,
                          .coefficient = EX_ALL(s, 3, "0", "-v1", "v0"),
                          .bound = EX_ALL(s, 1, "2")};
    ct_segment_set(seg, V_TURNED, ex(s, "cos(w2)"));
    seg = ct_program_add(&s->positions, 3);
    seg->kind = CT_SEGMENT_ROOT;
    seg->root = (ct_root){
        .unknown = W_SLIDE, .unit = 1, .n = 3, .coefficient = EX_ALL(s, 3, "-1 - q^2", "0", "1")};
    ct_segment_set(seg, V_SLID, ex(s, "w3"));
}

// x + y = 3 q + 4, x - y = -q - 2; then cos 2w = C and sin(w - q) = 0
static void add_pairs(sample *s) {
    ct_segment *seg = ct_program_add(&s->positions, 4);
    seg->kind = CT_SEGMENT_ROOT_PAIR;
    seg->root_pair = (ct_root_pair){.unknown = {W_X, W_Y},
                                    .unit = 1,
                                    .n_left = 2,
                                    .left = EX_ALL(s, 2, "-2*q - 2", "2"),
                                    .n = 2,
                                    .coefficient = EX_ALL(s, 12, "-3*q - 4", "1", "1", "0", "0",
                                                          "0", "q + 2", "1", "-1", "0", "0", "0")};
    ct_segment_set(seg, V_BOTH, ex(s, "w4 + w5"));
    seg = ct_program_add(&s->positions, 5);
    seg->kind = CT_SEGMENT_ROOT_PAIR;
    seg->root_pair =
        (ct_root_pair){.unknown = {W_FIRST, W_C},
                       .is_angle = {true, true},
                       .unit = 1,
                       .n = 5,
                       .coefficient = EX_ALL(s, 30, "0", "0", "0", "-1", "0", "1", "0", "0", "0",
                                             "0", "0", "0", "0", "0", "0", "0", "-v1", "v0", "0",
                                             "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0"),
                       .bound = EX_ALL(s, 2, "8", "2")};
    ct_segment_set(seg, V_DOUBLE, ex(s, "w7"));
}

// matrix X = right with the solution x0 = 1, x1 = q; the same matrix again with another right side
static void add_dynamics(sample *s) {
    for (int k = 0; k < 2; k++) {
        ct_segment *seg = ct_program_add(&s->dynamics, -1);
        seg->kind = CT_SEGMENT_SOLVE;
        seg->solve = (ct_linear_solve){.n = 2,
                                       .columns = 1,
                                       .first = 2 * k,
                                       .matrix = EX_ALL(s, 4, "2", "v0", "v0", "3"),
                                       .right = k ? EX_ALL(s, 2, "4 + x1*v0", "2*v0 + 3*x1")
                                                  : EX_ALL(s, 2, "2 + q*v0", "v0 + 3*q")};
    }
    s->dynamics.x = EX_ALL(s, 4, "x0", "x1", "x2", "x3");
    s->dynamics.n_x = s->dynamics.room_x = 4;
    ct_segment *last = ct_program_add(&s->dynamics, -1);
    ct_segment_set(last, 0, ex(s, "x0 + x1 + v7"));
    ct_segment_set(last, 1, ex(s, "v2 + v3 + v4 + v5 + v6 + w0"));
    ct_segment_set(ct_program_add(&s->expansion, -1), 0, ex(s, "x0 + v0"));
}

static void begin(sample *s) {
    *s = (sample){0};
    ct_region_open(&s->region);
    s->pool = ct_pool_new();
    s->q = ex(s, "q");
    s->x = (ct_numbers){.pool = s->pool};
    add_registers(s);
    ct_segment *seg = ct_program_add(&s->positions, 0);
    ct_segment_set(seg, V_COS, ex(s, "cos(q)"));
    ct_segment_set(seg, V_SIN, ex(s, "-b0*sin(q)"));
    add_newton(s);
    add_roots(s);
    add_pairs(s);
    seg = ct_program_add(&s->positions, STEPS - 1);
    ct_segment_guard(seg, ex(s, "2 - q"), STEPS - 1, ex(s, "4"));
    ct_segment_guard(seg, ex(s, "3 - q"), STEPS - 1, CT_ZERO);
    seg = ct_program_add(&s->positions, -1);
    ct_segment_follow(seg, W_FOLLOWED, ex(s, "3*v1"), ex(s, "3*v0"));
    ct_segment_follow(seg, W_UNUSED, ex(s, "v1"), ex(s, "v0"));
    ct_segment_set(seg, V_LATE, ex(s, "v5 - q - 4"));
    ct_segment_set(seg, V_UNUSED, ex(s, "7*q"));
    s->coordinate = ex(s, "v7/2");
    add_dynamics(s);
}

static void end(sample *s) {
    ct_region_close(&s->region);
    ct_region_free(&s->region);
}

static ct_programs programs_of(sample *s) {
    return (ct_programs){.pool = s->pool,
                         .registers = &s->registers,
                         .positions = &s->positions,
                         .dynamics = &s->dynamics,
                         .expansion = &s->expansion,
                         .n = 1,
                         .q_value = &s->coordinate,
                         .q_sine = s->none,
                         .q_cosine = s->none};
}

// carrying out -----------------------------------------------------------------------------------
// Registers as they are at q; the values are forgotten.
static void start(sample *s, double q) {
    const double unknown = NAN;
    ct_numbers_set(&s->x, 1, &s->q, &q);
    ct_registers_at(&s->registers, &s->x, s->w);
    for (int i = 0; i < s->registers.values.n; i++)
        ct_numbers_set(&s->x, 1, s->registers.values.symbol + i, &unknown);
}

static double at(sample *s, ct_ex e) {
    double v;
    ct_numbers_eval(&s->x, 1, &e, &v);
    return v;
}

static bool run(sample *s, double q, int *step) {
    ct_interpreter m = {.registers = &s->registers, .x = &s->x, .w = s->w};
    ct_numbers_set(&s->x, 1, &s->q, &q);
    bool good = ct_interpret(&m, &s->positions, NULL);
    *step = m.step;
    return good && ct_interpret(&m, &s->dynamics, s->out);
}

// Every register is what it means, and so is what dynamics gives.
static void expect_right(sample *s, double q) {
    const ct_register_bank *v = &s->registers.values, *w = &s->registers.tracked;
    for (int i = 0; i < v->n; i++)
        if (isfinite(at(s, v->symbol[i])))
            assert_near(at(s, v->symbol[i]), at(s, v->meaning[i]), 1e-12);
    for (int i = 0; i < w->n; i++) assert_near(at(s, w->symbol[i]), s->w[i], 0);
    for (int i = 0; i < W_UNUSED; i++) assert_near(s->w[i], at(s, w->meaning[i]), 1e-12);
    assert_near(s->out[0], 1 + q + 2 * q, 1e-12);
    assert_near(s->out[1], q * cos(q) + cos(q) + sqrt(1 + q * q) + 3 * q + 4 + cos(2 * q) + q,
                1e-12);
}

static void test_interpret(void **state) {
    (void)state;
    sample s;
    int step;
    begin(&s);
    // a whole way, step by step, from where everything was last: the followed angle leaves a turn
    start(&s, 0.3);
    for (double q = 0.3; q < 1.4; q += 0.05) {
        assert_true(run(&s, q, &step));
        for (int i = 0; i < VALUES; i++)
            assert_true(isfinite(at(&s, s.registers.values.symbol[i])));
        expect_right(&s, q);
    }
    end(&s);
}

static void test_failures(void **state) {
    (void)state;
    sample s;
    int step;
    // a guard that does not hold names its step
    begin(&s);
    start(&s, 1.99);
    assert_false(run(&s, 2.01, &step));
    assert_int_equal(step, STEPS - 1);
    end(&s);
    // no real root
    begin(&s);
    start(&s, 0.3);
    s.positions.segments[3].root.coefficient[0] = CT_ONE;
    assert_false(run(&s, 0.3, &step));
    assert_int_equal(step, 3);
    end(&s);
    // an iteration without a solution
    begin(&s);
    start(&s, 0.3);
    s.positions.segments[1].newton.residual[0] = ex(&s, "w1^2 + 1");
    s.positions.segments[1].newton.matrix[0] = ex(&s, "2*w1");
    assert_false(run(&s, 0.3, &step));
    assert_int_equal(step, 1);
    end(&s);
    // a singular matrix
    begin(&s);
    start(&s, 0.3);
    for (int i = 0; i < 4; i++) s.dynamics.segments[0].solve.matrix[i] = CT_ONE;
    assert_false(run(&s, 0.3, &step));
    assert_int_equal(step, -1); // it has no step
    end(&s);
}

static void test_margin(void **state) {
    (void)state;
    sample s;
    int step;
    begin(&s);
    start(&s, 1);
    assert_near(ct_program_margin(&s.positions, &s.x, &step), 0.25, 1e-15);
    assert_int_equal(step, STEPS - 1);
    start(&s, -3); // far away: 1 is the most
    assert_near(ct_program_margin(&s.positions, &s.x, &step), 1, 0);
    assert_int_equal(step, -1);
    end(&s);
}

// walking ----------------------------------------------------------------------------------------
static int expressions(const ct_segment *seg, unsigned roles) {
    int n = 0;
    for (ct_span a = ct_segment_spans(seg, roles); ct_span_next(&a); n += a.n) {
        assert_true(a.n > 0);
        assert_true(a.role & roles);
        assert_true(a.at[0] < CT_UNSET);
    }
    return n;
}

static void test_spans(void **state) {
    (void)state;
    static const int solver[] = {0, 2, 4, 3, 14, 32, 0, 0}, effects[] = {2, 1, 1, 1, 1, 1, 2, 6};
    sample s;
    const int *unknown;
    const bool *is_angle;
    begin(&s);
    for (int i = 0; i < s.positions.n; i++) {
        const ct_segment *seg = s.positions.segments + i;
        assert_int_equal(expressions(seg, CT_ROLES_SOLVER), solver[i]);
        assert_int_equal(expressions(seg, CT_ROLES_EFFECTS), effects[i]);
        assert_int_equal(expressions(seg, CT_ROLE_SCALE), seg->n_guards);
        assert_int_equal(ct_segment_iterates(seg), i >= 1 && i <= 5);
        assert_int_equal(ct_segment_unknowns(seg, &unknown, &is_angle), i >= 1 && i <= 5);
        // roles by themselves are together all of it
        int sum = 0;
        for (unsigned role = 1; role <= CT_ROLE_COSINE; role <<= 1) sum += expressions(seg, role);
        assert_int_equal(sum, expressions(seg, CT_ROLES_CODE | CT_ROLE_SCALE));
    }
    int n;
    ct_ex *all = ct_program_expressions(&s.dynamics, CT_ROLE_RIGHT, &n);
    assert_int_equal(n, 4);
    assert_int_equal(all[0], s.dynamics.segments[0].solve.right[0]);
    assert_int_equal(all[3], s.dynamics.segments[1].solve.right[1]);
    // nothing is left of a segment that was cleared but its step
    ct_segment_clear(s.positions.segments + 4);
    assert_int_equal(s.positions.segments[4].kind, CT_SEGMENT_PLAIN);
    assert_int_equal(s.positions.segments[4].step, 4);
    assert_int_equal(expressions(s.positions.segments + 4, CT_ROLES_CODE), 0);
    end(&s);
}

// counting ---------------------------------------------------------------------------------------
static double calls(const ct_program *p, int segment) {
    ct_operations count = {0};
    ct_segment_count(p, segment, &count);
    return ct_operations_total(count);
}

static void test_count(void **state) {
    (void)state;
    sample s;
    begin(&s);
    for (int i = 0; i < s.positions.n; i++)
        assert_int_equal(calls(&s.positions, i) > 0, ct_segment_iterates(s.positions.segments + i));
    // the second elimination has the first one's factors
    assert_int_equal(ct_program_alike(&s.dynamics, 1), 0);
    assert_true(calls(&s.dynamics, 1) < calls(&s.dynamics, 0));
    double cost = ct_program_cost(s.pool, &s.dynamics);
    s.dynamics.segments[1].solve.matrix[0] = CT_ONE;
    assert_int_equal(ct_program_alike(&s.dynamics, 1), 1);
    assert_near(calls(&s.dynamics, 1), calls(&s.dynamics, 0), 0);
    assert_true(ct_program_cost(s.pool, &s.dynamics) > cost);
    // one unknown is a division
    s.dynamics.segments[0].solve.n = 1;
    assert_near(calls(&s.dynamics, 0), 2, 0);
    end(&s);
}

// Expressions change, what they say does not.
static void test_optimise(void **state) {
    (void)state;
    sample s;
    int step;
    begin(&s);
    double cost = ct_program_cost(s.pool, &s.positions);
    (void)ct_program_optimise(s.pool, &s.positions);
    ct_operations count = ct_program_optimise(s.pool, &s.dynamics);
    assert_true(ct_operations_total(count) > 0);
    assert_true(ct_program_cost(s.pool, &s.positions) <= cost);
    start(&s, 0.7);
    assert_true(run(&s, 0.72, &step));
    expect_right(&s, 0.72);
    end(&s);
}

// needs ------------------------------------------------------------------------------------------
static void test_needs(void **state) {
    (void)state;
    sample s;
    ct_needs needs;
    int step;
    begin(&s);
    ct_ex late = ex(&s, "v7"), x2 = ex(&s, "x2"), unused = ex(&s, "v8");
    // a value needs what it is set from, and that what it is set from
    ct_needs_init(&needs, s.pool, &s.positions, s.registers.values.symbol);
    ct_needs_below(&needs, 1, &late);
    assert_true(needs.has[late] && needs.has[ex(&s, "v5")] && needs.has[ex(&s, "w5")]);
    assert_false(needs.has[unused] || needs.has[ex(&s, "v0")]);
    assert_int_equal(ct_needs_set_from(&needs, late, &step), ex(&s, "v5 - q - 4"));
    assert_int_equal(step, -1);
    assert_int_equal(ct_needs_set_from(&needs, s.q, &step), CT_UNSET);
    // an unknown needs the whole elimination, and what stands in that
    ct_needs_init(&needs, s.pool, &s.dynamics, NULL);
    assert_false(ct_needs_solve(&needs, s.dynamics.segments));
    ct_needs_below(&needs, 1, &x2);
    assert_true(ct_needs_solve(&needs, s.dynamics.segments + 1));
    assert_true(ct_needs_solve(&needs, s.dynamics.segments)); // x1 stands on the right
    assert_false(needs.has[late]);
    assert_int_equal(ct_needs_set_from(&needs, late, &step), CT_UNSET);
    end(&s);
}

static int sets(const ct_program *p) {
    int n = 0;
    for (int i = 0; i < p->n; i++) n += p->segments[i].n_sets;
    return n;
}

// What only dynamics needs and follows from other values is computed there.
static void test_lighten(void **state) {
    (void)state;
    sample s;
    int step;
    begin(&s);
    ct_programs p = programs_of(&s);
    ct_ex late = ex(&s, "v7");
    ct_programs_lighten(&p);
    assert_int_equal(sets(&s.positions), VALUES - 2); // the late one and the unused one
    assert_false(ct_depends(s.pool, s.dynamics.segments[2].sets[0].value, late));
    assert_true(ct_depends(s.pool, s.dynamics.segments[2].sets[0].value, ex(&s, "v5")));
    assert_false(ct_depends(s.pool, s.coordinate, late));
    start(&s, 0.7);
    assert_true(run(&s, 0.72, &step));
    expect_right(&s, 0.72);
    assert_near(at(&s, s.coordinate), 0.72, 1e-12);
    end(&s);
}

// A value that holds something tracked cannot move.
static void test_stays(void **state) {
    (void)state;
    sample s;
    begin(&s);
    ct_programs p = programs_of(&s);
    s.positions.segments[7].sets[0].value = ex(&s, "2*w0");
    ct_programs_lighten(&p);
    assert_int_equal(sets(&s.positions), VALUES - 1);
    assert_true(ct_depends(s.pool, s.dynamics.segments[2].sets[0].value, ex(&s, "v7")));
    end(&s);
}

static void test_trim(void **state) {
    (void)state;
    sample s;
    int step;
    begin(&s);
    ct_programs p = programs_of(&s);
    ct_register_add(&s.registers.signs, ex(&s, "b1"), ex(&s, "v1"));
    ct_programs_trim(&p);
    // the unused value, the unused sign and the unused angle are gone, everything else is where it
    // was
    assert_int_equal(s.registers.signs.n, 1);
    assert_int_equal(s.registers.signs.symbol[0], ex(&s, "b0"));
    assert_int_equal(s.registers.values.n, VALUES - 1);
    assert_int_equal(sets(&s.positions), VALUES - 1);
    assert_int_equal(s.positions.segments[7].n_follows, 1);
    assert_int_equal(s.positions.segments[7].follows[0].index, W_FOLLOWED);
    assert_int_equal(s.registers.tracked.n, TRACKED);
    start(&s, 0.7);
    assert_true(run(&s, 0.72, &step));
    expect_right(&s, 0.72);
    // a second time there is nothing to do
    ct_programs_trim(&p);
    assert_int_equal(s.registers.values.n, VALUES - 1);
    end(&s);
}

// Values in the middle leave: indices move up, and a sign that was read from one is read from q.
static void test_trim_moves(void **state) {
    (void)state;
    sample s;
    int step;
    begin(&s);
    ct_programs p = programs_of(&s);
    s.dynamics.segments[2].sets[1].value = ex(&s, "v2 + cos(q) + v4 + v5 + v6 + w0");
    s.registers.signs.meaning[0] = ex(&s, "v3 - 2");
    ct_programs_trim(&p);
    assert_int_equal(s.registers.values.n, VALUES - 2);
    assert_int_equal(s.registers.values.symbol[V_TURNED], ex(&s, "v4"));
    assert_int_equal(s.positions.segments[3].sets[0].index, V_TURNED);
    assert_int_equal(s.registers.signs.meaning[0], ex(&s, "cos(q) - 2"));
    start(&s, 0.7);
    assert_true(run(&s, 0.72, &step));
    expect_right(&s, 0.72);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpret), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_margin),    cmocka_unit_test(test_spans),
        cmocka_unit_test(test_count),     cmocka_unit_test(test_optimise),
        cmocka_unit_test(test_needs),     cmocka_unit_test(test_lighten),
        cmocka_unit_test(test_stays),     cmocka_unit_test(test_trim),
        cmocka_unit_test(test_trim_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
