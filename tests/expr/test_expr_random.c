// Properties of random expressions: simplification never changes a value, the order of building
// does not matter, derivatives agree with differences.
#include "unit.h"

#include "expr/random_expr.h"

enum { WORLDS = 1500, SIZE = 130 };

static bool agree(double x, rx_value naive) {
    return fabs(x - naive.v) <= 500 * naive.err + 1e-13 * fabs(naive.v) + 1e-300;
}

static void complain(rx_world *w, int i, const double *at, double x, rx_value naive) {
    char *text = ct_print(w->pool, w->node[i].ex, CT_STYLE_TEXT);
    print_error("%s\n  is %.17g, should be %.17g +- %g at", text, x, naive.v, naive.err);
    for (int k = 0; k < RX_SYMBOLS; k++) print_error(" %.17g", at[k]);
    print_error("\n");
    ct_free(text);
}

static void evaluate(rx_world *w, const ct_ex *roots, const double *at, double *out) {
    ct_eval_many(w->pool, w->n, roots, rx_symbol_value, &(rx_point){w, at}, out);
}

static void simplification_keeps_values(void **state) {
    (void)state;
    int checked = 0, wrong = 0, undefined = 0, wrongly_undefined = 0;
    for (int k = 0; k < WORLDS; k++) {
        rx_world w;
        rx_begin(&w, (uint64_t)k, SIZE);
        ct_ex roots[RX_NODES];
        for (int i = 0; i < w.n; i++) roots[i] = w.node[i].ex;
        for (int round = 0; round < 4; round++) {
            double at[RX_SYMBOLS], x[RX_NODES];
            rx_value naive[RX_NODES];
            rx_place(&w, round > 1, at);
            rx_eval(&w, at, naive);
            evaluate(&w, roots, at, x);
            for (int i = 0; i < w.n; i++) {
                if (!rx_is_sound(naive[i])) continue;
                checked++;
                if (agree(x[i], naive[i])) continue;
                if (!wrong++) complain(&w, i, at, x[i], naive[i]);
            }
        }
        undefined += w.undefined;
        wrongly_undefined += w.wrongly_undefined;
        rx_end(&w);
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(wrongly_undefined, 0);
    assert_true(undefined > WORLDS / 10);
    assert_true(checked > 4 * WORLDS * SIZE / 2);
}

// building again in another order ----------------------------------------------------------------
typedef struct part {
    ct_ex ex;
    int sign; // of a term; exponent of a factor
} part;

enum { PARTS_MAX = 24 };

// Flattens the naive tree below node i into terms (or factors), each taken from `done`.
static int flatten(const rx_world *w, const ct_ex *done, int i, bool sum, int sign, part *parts,
                   int n) {
    const rx_node *node = &w->node[i];
    bool binary =
        sum ? node->op == RX_ADD || node->op == RX_SUB : node->op == RX_MUL || node->op == RX_DIV;
    if (binary && n < PARTS_MAX - 2) {
        bool inverse = node->op == RX_SUB || node->op == RX_DIV;
        n = flatten(w, done, node->arg[0], sum, sign, parts, n);
        return flatten(w, done, node->arg[1], sum, inverse ? -sign : sign, parts, n);
    }
    parts[n++] = (part){done[i], sign};
    return n;
}

static ct_ex join_shuffled(rx_world *w, bool sum, part *parts, int n) {
    ct_ex x[2 * PARTS_MAX];
    for (int i = 0; i < n; i++) {
        ct_ex inverse = sum ? ct_neg(w->pool, parts[i].ex) : ct_power_int(w->pool, parts[i].ex, -1);
        x[i] = parts[i].sign > 0 ? parts[i].ex : inverse;
    }
    for (int i = n - 1; i > 0; i--) {
        int k = rx_below(w, i + 1);
        ct_ex swap = x[i];
        x[i] = x[k];
        x[k] = swap;
    }
    if (rx_below(w, 2)) return sum ? ct_sum(w->pool, n, x) : ct_product(w->pool, n, x);
    while (n > 1) { // any two of them
        int k = rx_below(w, n - 1);
        x[k] = sum ? ct_add(w->pool, x[n - 1], x[k]) : ct_mul(w->pool, x[n - 1], x[k]);
        n--;
    }
    return x[0];
}

static ct_ex build_again(rx_world *w, const ct_ex *done, int i) {
    const rx_node *node = &w->node[i];
    bool sum = node->op == RX_ADD || node->op == RX_SUB,
         product = node->op == RX_MUL || node->op == RX_DIV;
    if (node->op <= RX_SYMBOL) return node->ex;
    if (sum || product) {
        part parts[2 * PARTS_MAX];
        int n = flatten(w, done, i, sum, 1, parts, 0);
        return join_shuffled(w, sum, parts, n);
    }
    ct_ex args[3] = {done[node->arg[0]], done[node->arg[1]], done[node->arg[2]]};
    return rx_build(w->pool, node->op, args, node->number);
}

// Where several identities compete in one sum, the order may decide which of them is used.
static bool order_may_matter(rx_world *w, ct_ex a) {
    for (int i = 0; i < ct_child_count(w->pool, a); i++)
        if (order_may_matter(w, ct_child(w->pool, a, i))) return true;
    ct_op op = ct_ex_op(w->pool, a);
    return op == CT_OP_SIN || op == CT_OP_COS;
}

static void order_of_building_does_not_matter(void **state) {
    (void)state;
    int wrong = 0, compared = 0, other = 0;
    for (int k = 0; k < WORLDS; k++) {
        rx_world w;
        ct_ex again[RX_NODES];
        rx_value naive[RX_NODES];
        double at[RX_SYMBOLS], x[RX_NODES];
        rx_begin(&w, (uint64_t)(1000 + k), SIZE);
        for (int i = 0; i < w.n; i++) again[i] = build_again(&w, again, i);
        rx_place(&w, false, at);
        rx_eval(&w, at, naive);
        evaluate(&w, again, at, x);
        for (int i = 0; i < w.n; i++) {
            compared++;
            other += again[i] != w.node[i].ex;
            bool same = again[i] == w.node[i].ex || order_may_matter(&w, again[i]);
            if (same && (!rx_is_sound(naive[i]) || agree(x[i], naive[i]))) continue;
            if (wrong++) continue;
            complain(&w, i, at, x[i], naive[i]);
            char *text = ct_print(w.pool, again[i], CT_STYLE_TEXT);
            print_error("  but built again it is %s\n", text);
            ct_free(text);
        }
        rx_end(&w);
    }
    print_message("%d of %d came out as another node\n", other, compared);
    assert_int_equal(wrong, 0);
    assert_true(other < compared / 1000);
}

// Twelve of the world's nodes at once, in two orders.
static void long_sums_and_products_come_out_the_same(void **state) {
    (void)state;
    int wrong = 0, same = 0;
    for (int k = 0; k < WORLDS; k++) {
        rx_world w;
        rx_begin(&w, (uint64_t)(3000 + k), SIZE);
        part parts[12];
        for (int i = 0; i < 12; i++)
            parts[i] = (part){w.node[rx_pick(&w)].ex, rx_below(&w, 2) ? 1 : -1};
        for (int sum = 0; sum < 2; sum++) {
            ct_ex x = join_shuffled(&w, sum, parts, 12), y = join_shuffled(&w, sum, parts, 12);
            same += x == y;
            if (x == y || order_may_matter(&w, x) || wrong++) continue;
            char *a = ct_print(w.pool, x, CT_STYLE_TEXT), *b = ct_print(w.pool, y, CT_STYLE_TEXT);
            print_error("%s\n  in another order is %s\n", a, b);
            ct_free(a);
            ct_free(b);
        }
        rx_end(&w);
    }
    print_message("%d of %d the same\n", same, 2 * WORLDS);
    assert_int_equal(wrong, 0);
    assert_true(same > 2 * WORLDS * 9 / 10);
}

// derivatives ------------------------------------------------------------------------------------
static int check_derivatives(rx_world *w, int s, const double *at, int *wrong) {
    rx_value f[4][RX_NODES];
    double x[RX_NODES], h = 1e-4, moved[RX_SYMBOLS];
    ct_ex roots[RX_NODES];
    static const double step[4] = {1, -1, 0.5, -0.5};
    for (int k = 0; k < 4; k++) {
        memcpy(moved, at, sizeof moved);
        moved[s] += step[k] * h;
        rx_eval(w, moved, f[k]);
    }
    for (int i = 0; i < w->n; i++) roots[i] = ct_diff(w->pool, w->node[i].ex, w->symbol[s]);
    evaluate(w, roots, at, x);
    int checked = 0;
    for (int i = 0; i < w->n; i++) {
        double wide = (f[0][i].v - f[1][i].v) / (2 * h), narrow = (f[2][i].v - f[3][i].v) / h;
        double limit = (4 * narrow - wide) / 3; // Richardson
        double noise = (f[0][i].err + f[1][i].err + f[2][i].err + f[3][i].err) / h;
        double tolerance = fabs(wide - narrow) + 10 * noise + 1e-9 * (1 + fabs(limit));
        if (!(tolerance < 1e-5 * (1 + fabs(limit)))) continue; // a kink, a pole, too much noise
        checked += ct_depends(w->pool, w->node[i].ex, w->symbol[s]);
        if (fabs(x[i] - limit) <= tolerance) continue;
        if ((*wrong)++) continue;
        char *text = ct_print(w->pool, roots[i], CT_STYLE_TEXT);
        complain(w, i, at, x[i], (rx_value){limit, tolerance});
        print_error("  derivative by symbol %d: %s\n", s, text);
        ct_free(text);
    }
    return checked;
}

static void derivatives_agree_with_differences(void **state) {
    (void)state;
    int checked = 0, wrong = 0;
    for (int k = 0; k < WORLDS / 10; k++) {
        rx_world w;
        double at[RX_SYMBOLS];
        rx_begin(&w, (uint64_t)(2000 + k), SIZE);
        rx_place(&w, false, at);
        for (int s = 0; s < RX_SYMBOLS; s++) checked += check_derivatives(&w, s, at, &wrong);
        rx_end(&w);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(simplification_keeps_values),
                                       cmocka_unit_test(order_of_building_does_not_matter),
                                       cmocka_unit_test(long_sums_and_products_come_out_the_same),
                                       cmocka_unit_test(derivatives_agree_with_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
