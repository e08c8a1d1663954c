// FLINT and GMP allocate in a region where one is open on the thread, else as they did before.
// Their blocks never outlive a scope: FLINT keeps numbers of more than a word in pages that it
// shares between all numbers of a thread, so its caches are dropped wherever a region begins or
// ends, and what is kept of a number in a model is no number of FLINT's (expr/pool.c).
#include "util/memory_inside.h"

#include <flint/flint.h>
#include <gmp.h>
#include <stdatomic.h>

// as the program set them before the first call
static struct {
    void *(*alloc)(size_t);
    void *(*zeroed)(size_t, size_t);
    void *(*resize)(void *, size_t);
    void (*release)(void *);
    void *(*gmp_alloc)(size_t);
    void *(*gmp_resize)(void *, size_t, size_t);
    void (*gmp_release)(void *, size_t);
} before;

// Memory was taken on this thread since its caches were dropped; before the first drop it may have been.
// A cache that has taken none is empty: even the list of free numbers is allocated.
static CT_THREAD_LOCAL bool has_taken = true;

static void *flint_take(size_t bytes) {
    has_taken = true;
    return ct_region_now ? ct_block_new(bytes) : before.alloc(bytes);
}

static void *flint_take_zeroed(size_t count, size_t size) {
    has_taken = true;
    return ct_region_now ? ct_alloc(count, size) : before.zeroed(count, size);
}

static void *flint_resize(void *p, size_t bytes) {
    has_taken = true;
    if (!ct_region_now) return before.resize(p, bytes);
    return p ? ct_block_resize(p, bytes) : ct_block_new(bytes);
}

// A failed scope frees its blocks together: a cache may hold one that was freed before.
static void flint_release(void *p) {
    if (!ct_region_now)
        before.release(p);
    else if (!ct_numbers_fail)
        ct_free(p);
}

static void *gmp_take(size_t bytes) {
    has_taken = true;
    return ct_region_now ? ct_block_new(bytes) : before.gmp_alloc(bytes);
}

static void *gmp_resize(void *p, size_t old, size_t bytes) {
    has_taken = true;
    return ct_region_now ? ct_block_resize(p, bytes) : before.gmp_resize(p, old, bytes);
}

static void gmp_release(void *p, size_t bytes) {
    if (!ct_region_now)
        before.gmp_release(p, bytes);
    else if (!ct_numbers_fail)
        ct_free(p);
}

void ct_flint_hook(void) {
    enum { NOT_YET, UNDER_WAY, DONE };
    static atomic_int state = NOT_YET;
    if (atomic_load_explicit(&state, memory_order_acquire) == DONE) return;
    int expected = NOT_YET;
    if (atomic_compare_exchange_strong(&state, &expected, UNDER_WAY)) {
        __flint_get_memory_functions(&before.alloc, &before.zeroed, &before.resize,
                                     &before.release);
        mp_get_memory_functions(&before.gmp_alloc, &before.gmp_resize, &before.gmp_release);
        __flint_set_memory_functions(flint_take, flint_take_zeroed, flint_resize, flint_release);
        mp_set_memory_functions(gmp_take, gmp_resize, gmp_release);
        atomic_store(&state, DONE);
    }
    while (atomic_load(&state) != DONE) continue;
}

void ct_flint_drop_caches(void) {
    if (!has_taken) return;
    flint_cleanup();
    has_taken = false;
}
