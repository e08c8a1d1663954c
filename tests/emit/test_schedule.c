// The order of statements: operands stand before their users, nothing is lost, chains that do not depend
// on each other are mixed, and short functions stay as they are.
#include "unit.h"

#include "emit/text/writer.h"
#include "util/util.h"

#include <string.h>

enum { CHAINS = 4, LINKS = 120 };

// x <- x y + sin q / x of chain after chain: every link waits for the one before it
static int chains(ct_pool *pool, int links, ct_ex *roots) {
    for (int c = 0; c < CHAINS; c++) {
        ct_ex x = ct_symbol(pool, CT_SYMBOL_COORDINATE, ct_scratch_format("x%d", c));
        for (int k = 0; k < links; k++) {
            ct_ex y = ct_symbol(pool, CT_SYMBOL_COORDINATE, ct_scratch_format("y%d", k)),
                  turn = k % 8 ? ct_power_int(pool, y, 2) : ct_sin(pool, y);
            x = ct_add(pool, ct_mul(pool, x, y), ct_div(pool, turn, x));
            x = ct_let_whole(pool, x);
        }
        roots[c] = x;
    }
    return CHAINS;
}

// Orders the nodes below the roots; `before` is the order of need.
static int schedule(int links, ct_pool *pool, ct_ex **before, ct_ex **after) {
    ct_ex roots[CHAINS];
    int n = chains(pool, links, roots), count = ct_walk(pool, n, roots, before);
    ct_writer *w = ct_writer_new(pool);
    *after = ct_alloc((size_t)count, sizeof **after);
    memcpy(*after, *before, (size_t)count * sizeof **after);
    ct_schedule(w, count, *after);
    ct_writer_free(w);
    return count;
}

static void operands_stand_first(void **state) {
    (void)state;
    ct_pool *pool = ct_pool_new();
    ct_ex *before, *after;
    int count = schedule(LINKS, pool, &before, &after);
    bool *there = ct_alloc(pool->n_nodes, sizeof *there);
    for (int i = 0; i < count; i++) {
        assert_false(there[after[i]]);
        for (int k = 0; k < ct_node_children(pool, after[i]); k++)
            assert_true(there[ct_words(pool, after[i])[k]]);
        there[after[i]] = true;
    }
    for (int i = 0; i < count; i++) assert_true(there[before[i]]);
    ct_free(there);
    ct_free(before);
    ct_free(after);
    ct_pool_free(pool);
}

// Divisions wait longest: two of one chain must not follow each other where others could stand between.
static int neighbours(const ct_pool *pool, int count, const ct_ex *order) {
    int found = 0;
    ct_ex last = 0;
    for (int i = 0; i < count; i++) {
        if (!ct_count_own(pool, order[i]).div) continue;
        // the division before it is among what it is made of
        int *made = ct_alloc(pool->n_nodes, sizeof *made);
        made[order[i]] = 1;
        for (int k = i; last && k >= 0; k--)
            for (int c = 0; made[order[k]] && c < ct_node_children(pool, order[k]); c++)
                made[ct_words(pool, order[k])[c]] = 1;
        found += last && made[last];
        ct_free(made);
        last = order[i];
    }
    return found;
}

static void chains_are_mixed(void **state) {
    (void)state;
    ct_pool *pool = ct_pool_new();
    ct_ex *before, *after;
    int count = schedule(LINKS, pool, &before, &after);
    // the order of need is one chain after the other
    assert_true(neighbours(pool, count, before) > CHAINS * LINKS * 9 / 10);
    assert_true(neighbours(pool, count, after) < CHAINS * LINKS * 7 / 10);
    ct_free(before);
    ct_free(after);
    ct_pool_free(pool);
}

static void short_functions_stay(void **state) {
    (void)state;
    ct_pool *pool = ct_pool_new();
    ct_ex *before, *after;
    int count = schedule(5, pool, &before, &after);
    assert_memory_equal(before, after, (size_t)count * sizeof *before);
    ct_free(before);
    ct_free(after);
    ct_pool_free(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_stand_first),
                                       cmocka_unit_test(chains_are_mixed),
                                       cmocka_unit_test(short_functions_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
