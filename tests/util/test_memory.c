// Memory: arenas, scopes that run out, cleanups, blocks beside others, numbers of the caller.
#include "unit.h"

#include "util/util.h"

#include <flint/fmpz.h>
#include <stdlib.h>
#include <string.h>

static void arenas_give_zeroed_blocks(void **unused) {
    (void)unused;
    long before = ct_memory_live();
    ct_arena a = {0};
    char *last = NULL;
    for (size_t n = 0; n < 3000; n += 7) {
        char *p = ct_arena_alloc(&a, n, 1);
        assert_true((uintptr_t)p % 16 == 0 && p != last);
        for (size_t i = 0; i < n; i++) assert_int_equal(p[i], 0);
        memset(p, 0xff, n);
        last = p;
    }
    char *copy = ct_arena_strdup(&a, "four-bar");
    double *large = ct_arena_alloc(&a, 100000, sizeof *large);
    assert_true(large[0] == 0 && large[99999] == 0);
    assert_string_equal(copy, "four-bar");
    assert_true(ct_memory_live() > before);
    ct_arena_free(&a);
    assert_int_equal(ct_memory_live(), before);
    ct_arena_free(&a); // empty already
    assert_string_equal(ct_arena_strdup(&a, "again"), "again");
    ct_arena_free(&a);
}

// scopes -------------------------------------------------------------------------------------
static char order[8];

static void note(void *letter) {
    size_t n = strlen(order);
    if (n + 1 < sizeof order) order[n] = *(const char *)letter;
}

typedef struct object {
    ct_memory memory;
    char *name;
} object;

static CT_BELOW ct_status work(object *o, bool enough) {
    ct_cleanup a, b, c;
    ct_cleanup_push(&a, note, (char[]){'a'});
    ct_cleanup_push(&b, note, (char[]){'b'});
    ct_cleanup_push(&c, note, (char[]){'c'});
    ct_cleanup_pop(&b);
    ct_arena arena = {0};
    ct_arena_alloc(&arena, 10, 1);
    fmpz_t x;
    fmpz_init(x);
    fmpz_set_ui(x, 7), fmpz_pow_ui(x, x, 1000); // lost where memory runs out
    char *kept = ct_alloc(1000, 1);
    if (!enough) ct_alloc(SIZE_MAX / 2, 3);
    fmpz_clear(x);
    ct_arena_free(&arena);
    ct_cleanup_pop(&c);
    ct_cleanup_pop(&a);
    ct_free(o->name);
    o->name = kept;
    return CT_OK;
}

static ct_status call(object *o, bool enough) {
    CT_CALL(NULL, &o->memory, work(o, enough));
}

static CT_BELOW ct_status make(object **o) {
    *o = ct_alloc(1, sizeof **o);
    return CT_OK;
}

static ct_status object_new(object **o) {
    CT_CALL_MAKES(NULL, o, make(o));
}

static void object_free(object *o) {
    ct_region_free(&o->memory.region);
}

static void running_out_undoes_a_call(void **unused) {
    (void)unused;
    long before = ct_memory_live();
    object *o;
    assert_int_equal(object_new(&o), CT_OK);
    assert_int_equal(call(o, true), CT_OK);
    assert_int_equal(ct_memory_live(), before + 2);
    memset(order, 0, sizeof order);
    assert_int_equal(call(o, false), CT_NO_MEMORY);
    assert_string_equal(order, "ca"); // the latest first, without what was popped
    assert_int_equal(ct_memory_live(), before + 2);
    assert_int_equal(call(o, true), CT_USAGE); // broken
    object_free(o);
    assert_int_equal(ct_memory_live(), before);
}

static void calls_go_on_after_one_that_failed(void **unused) {
    (void)unused;
    long before = ct_memory_live();
    for (int i = 0; i < 20; i++) {
        object *o;
        assert_int_equal(object_new(&o), CT_OK);
        if (i % 2)
            assert_int_equal(call(o, false), CT_NO_MEMORY);
        else
            assert_int_equal(call(o, true), CT_OK);
        object_free(o);
    }
    assert_int_equal(ct_memory_live(), before);
}

// A long number of the caller, in FLINT's pages, before and after calls.
static void numbers_of_the_caller_stay(void **unused) {
    (void)unused;
    fmpz_t x, y;
    fmpz_init(x);
    fmpz_set_ui(x, 3), fmpz_pow_ui(x, x, 500);
    fmpz_init_set(y, x);
    object *o;
    assert_int_equal(object_new(&o), CT_OK);
    assert_int_equal(call(o, true), CT_OK);
    fmpz_mul(x, x, y); // grows outside of a call
    assert_int_equal(call(o, false), CT_NO_MEMORY);
    fmpz_mul(y, y, y);
    assert_true(fmpz_equal(x, y));
    object_free(o);
    fmpz_clear(x);
    fmpz_clear(y);
    flint_cleanup();
}

static void sizes_that_overflow_are_refused(void **unused) {
    (void)unused;
    object *o;
    assert_int_equal(object_new(&o), CT_OK);
    assert_int_equal(call(o, false), CT_NO_MEMORY);
    object_free(o);
    assert_null(ct_alloc(SIZE_MAX, 2)); // without a scope there is no way back
    assert_null(ct_realloc(NULL, SIZE_MAX / 4, 8));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arenas_give_zeroed_blocks),
        cmocka_unit_test(running_out_undoes_a_call),
        cmocka_unit_test(calls_go_on_after_one_that_failed),
        cmocka_unit_test(numbers_of_the_caller_stay),
        cmocka_unit_test(sizes_that_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
