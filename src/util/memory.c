// Blocks, the regions that they are in, and scopes. A block has a link before it, 16 bytes, which
// keeps what follows aligned.
#include "util/memory_inside.h"
#include "util/system.h"
#include "util/util.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

CT_THREAD_LOCAL ct_scope *ct_scope_now;
CT_THREAD_LOCAL ct_region *ct_region_now;
CT_THREAD_LOCAL ct_arena *ct_scratch_now;
CT_THREAD_LOCAL bool ct_numbers_fail;
static CT_THREAD_LOCAL long live;
static CT_THREAD_LOCAL long long held; // bytes
static CT_THREAD_LOCAL ct_status failure;
// limits of the call under way, and which of them refused an allocation
typedef enum beyond { BEYOND_NOTHING, BEYOND_BYTES, BEYOND_SECONDS } beyond;
static CT_THREAD_LOCAL struct {
    long long bytes; // of `held`
    double seconds;  // of the clock; 0: none
    ct_bounds named;
    unsigned looks;
    beyond struck;
} bounds = {.bytes = LLONG_MAX};
enum { SMALL_PER_LOOK = 64, LARGE = 1024, BYTES_PER_MB = 1000000 };
bool (*ct_memory_refuses)(void);

// lists --------------------------------------------------------------------------------------
static void list_start(ct_link *list) {
    list->next = list->prev = list;
}

static inline void put_after(ct_link *at, ct_link *link) {
    link->prev = at;
    link->next = at->next;
    at->next->prev = link;
    at->next = link;
}

static inline void take_out(ct_link *link) {
    link->next->prev = link->prev;
    link->prev->next = link->next;
    link->next = link->prev = NULL;
}

// Everything in a list to another one.
static void move_all(ct_link *from, ct_link *to) {
    if (from->next == from) return;
    from->next->prev = to;
    from->prev->next = to->next;
    to->next->prev = from->prev;
    to->next = from->next;
    list_start(from);
}

// regions ------------------------------------------------------------------------------------
static void region_start(ct_region *region) {
    list_start(&region->list);
    list_start(&region->regions);
}

static ct_region *region_of(ct_link *in) {
    return (ct_region *)((char *)in - offsetof(ct_region, in));
}

static void drop(ct_link *link) {
    live--;
    held -= (long long)ct_block_bytes(link);
    free(link);
}

// Its blocks and those of the regions inside it, as one list: a region may lie in a block of
// another.
static void gather(ct_region *region, ct_link *all) {
    move_all(&region->list, all);
    while (region->regions.next != &region->regions) {
        ct_region *inside = region_of(region->regions.next);
        take_out(&inside->in);
        gather(inside, all);
        inside->list = inside->regions = (ct_link){0};
    }
}

static void free_all(ct_region *region) {
    ct_link all;
    list_start(&all);
    gather(region, &all);
    for (ct_link *link = all.next, *next; link != &all; link = next) {
        next = link->next;
        drop(link);
    }
}

// Blocks and numbers go there from now on; numbers of before and after in pages apart.
static void go_to(ct_region *region) {
    if (region != ct_region_now) ct_flint_drop_caches();
    ct_region_now = region;
}

void ct_region_open(ct_region *region) {
    if (!region->list.next) {
        region_start(region);
        if (ct_region_now) put_after(&ct_region_now->regions, &region->in);
    }
    ct_flint_hook();
    region->around = ct_region_now;
    go_to(region);
}

void ct_region_close(ct_region *region) {
    go_to(region->around);
}

void *ct_region_new(size_t size) {
    // the block in a region that lies elsewhere, then all links where they stay
    ct_region first = {0};
    ct_region_open(&first);
    ct_region *r = ct_alloc(1, size);
    ct_region_close(&first);
    ct_region_open(r);
    move_all(&first.list, &r->list);
    ct_region_free(&first);
    return r;
}

void ct_region_keep(ct_region *region) {
    if (region->in.next) take_out(&region->in);
    if (ct_region_now) put_after(&ct_region_now->regions, &region->in);
}

void ct_region_free(ct_region *region) {
    if (!region->list.next) return;
    ct_flint_drop_caches();
    if (region->in.next) take_out(&region->in);
    ct_region all = *region;
    region_start(&all);
    move_all(&region->list, &all.list);
    move_all(&region->regions, &all.regions);
    *region = (ct_region){0};
    free_all(&all);
}

// running out --------------------------------------------------------------------------------
static void no_bounds(void) {
    bounds.bytes = LLONG_MAX;
    bounds.seconds = 0;
    bounds.struck = BEYOND_NOTHING;
}

// What the caller is told; memory is not asked for.
static void explain(ct_context *ctx) {
    failure = bounds.struck ? CT_NUMERICS : CT_NO_MEMORY;
    if (!ctx) return;
    if (bounds.struck == BEYOND_BYTES)
        ct_context_note(ctx, "error: the computation needs more than %zu MB",
                        (bounds.named.bytes + BYTES_PER_MB - 1) / BYTES_PER_MB);
    else if (bounds.struck == BEYOND_SECONDS)
        ct_context_note(ctx, "error: the computation was not finished within %g s",
                        bounds.named.seconds);
    else
        ct_context_note(ctx, "error: out of memory");
}

// Back to the entry of the call; without a scope there is no way back.
static void *run_out(void) {
    ct_scope *s = ct_scope_now;
    if (!s) return NULL;
    // cleanups, the latest first
    while (s->cleanups) {
        ct_cleanup *c = s->cleanups;
        s->cleanups = c->next;
        c->run(c->data);
    }
    // FLINT forgets its numbers, whose blocks are freed with all others
    ct_numbers_fail = true;
    ct_flint_drop_caches();
    ct_numbers_fail = false;
    free_all(&s->region);
    // what the call was changing, and what its caller is told
    if (s->changed) s->changed->broken = true;
    explain(s->ctx);
    no_bounds();
    ct_scope_now = NULL;
    ct_region_now = s->waiting_region;
    ct_scratch_now = s->waiting_scratch;
    longjmp(s->jump, 1);
}

void ct_run_out(void) {
    run_out();
}

// blocks -------------------------------------------------------------------------------------
static inline void *placed(ct_link *link, const void *beside) {
    if (!link) return run_out();
    live++;
    held += (long long)ct_block_bytes(link);
    link->next = link->prev = NULL;
    ct_link *at = beside ? (ct_link *)beside - 1 : ct_region_now ? &ct_region_now->list : NULL;
    if (at && at->next) put_after(at, link);
    return link + 1;
}

// The limit that a call passes which allocates so many bytes more. The clock is not looked at for
// every small block.
static inline beyond beyond_bounds(long long more) {
    if (!ct_scope_now) return BEYOND_NOTHING;
    if (more > bounds.bytes - held) return BEYOND_BYTES;
    if (!bounds.seconds) return BEYOND_NOTHING;
    if (more < LARGE && ++bounds.looks % SMALL_PER_LOOK) return BEYOND_NOTHING;
    return ct_seconds() > bounds.seconds ? BEYOND_SECONDS : BEYOND_NOTHING;
}

// A block of so many bytes, in place of one that is there.
static inline bool refused(size_t bytes, size_t there) {
    if (bytes > SIZE_MAX - sizeof(ct_link)) return true;
    bounds.struck = beyond_bounds((long long)bytes - (long long)there);
    return bounds.struck || (ct_memory_refuses && ct_memory_refuses());
}

void *ct_block_beside(const void *block, size_t bytes) {
    return placed(refused(bytes, 0) ? NULL : malloc(sizeof(ct_link) + bytes), block);
}

void *ct_block_new(size_t bytes) {
    return ct_block_beside(NULL, bytes);
}

void *ct_block_in(ct_region *region, size_t bytes) {
    ct_region *now = ct_region_now;
    ct_region_now = region;
    void *block = ct_block_new(bytes);
    ct_region_now = now;
    return block;
}

void *ct_block_resize(void *p, size_t bytes) {
    ct_link *link = (ct_link *)p - 1;
    size_t there = ct_block_bytes(link);
    link = refused(bytes, there) ? NULL : realloc(link, sizeof *link + bytes);
    if (!link) return run_out();
    held += (long long)ct_block_bytes(link) - (long long)there;
    if (link->next) link->next->prev = link->prev->next = link;
    return link + 1;
}

void ct_want(size_t bytes) {
    ct_free(ct_block_new(bytes));
}

static size_t product(size_t count, size_t size) {
    return size && count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

void *ct_alloc_beside(const void *block, size_t count, size_t size) {
    size_t bytes = product(count, size);
    return placed(refused(bytes, 0) ? NULL : calloc(1, sizeof(ct_link) + bytes), block);
}

char *ct_strdup_beside(const void *block, const char *s) {
    size_t n = strlen(s) + 1;
    return memcpy(ct_alloc_beside(block, n, 1), s, n);
}

void *ct_alloc(size_t count, size_t size) {
    return ct_alloc_beside(NULL, count, size);
}

void *ct_realloc(void *p, size_t count, size_t size) {
    size_t bytes = product(count, size);
    return p ? ct_block_resize(p, bytes) : ct_block_new(bytes);
}

void *ct_realloc_beside(const void *block, void *p, size_t count, size_t size) {
    return p ? ct_realloc(p, count, size) : ct_alloc_beside(block, count, size);
}

void ct_free(void *p) {
    if (!p) return;
    ct_link *link = (ct_link *)p - 1;
    if (link->next) take_out(link);
    drop(link);
}

void ct_release(void *p) {
    if (!p) return;
    ct_link *link = (ct_link *)p - 1;
    if (link->next) take_out(link);
}

void ct_string_free(char *s) {
    ct_free(s);
}

long ct_memory_live(void) {
    return live;
}

long long ct_memory_bytes(void) {
    return held;
}

// scopes -------------------------------------------------------------------------------------
static const char half_way[] =
    "error: memory ran out in a call that was changing this object: free it and make it anew";

ct_status ct_scope_enter(ct_scope *scope, ct_context *ctx, ct_memory *changed) {
    scope->nested = ct_scope_now != NULL;
    scope->waiting_region = ct_region_now;
    if (scope->nested) {
        scope->stage = ct_stage_begin();
        // an object of this call: others get what the call has allocated at its end
        if (changed && changed->region.in.next) go_to(&changed->region);
        return CT_OK;
    }
    if (changed && changed->broken) {
        if (ctx) ct_context_note(ctx, "%s", half_way);
        return CT_USAGE;
    }
    ct_flint_hook();
    scope->waiting_scratch = ct_scratch_now;
    scope->region = (ct_region){0};
    region_start(&scope->region);
    scope->scratch = (ct_arena){0};
    scope->cleanups = NULL;
    scope->ctx = ctx;
    scope->changed = changed;
    ct_scope_now = scope;
    go_to(&scope->region);
    ct_scratch_now = &scope->scratch;
    return CT_OK;
}

void ct_scope_enter_maker(ct_scope *scope, ct_context *ctx) {
    ct_scope_enter(scope, ctx, NULL);
    if (scope->nested) {
        scope->region = (ct_region){0};
        ct_region_open(&scope->region);
    }
}

// What a region holds, to another one.
static void hand_over(ct_region *from, ct_region *to) {
    if (!to->list.next) region_start(to);
    move_all(&from->list, &to->list);
    move_all(&from->regions, &to->regions);
}

bool ct_scope_leave(ct_scope *scope, ct_memory *memory) {
    ct_stage_end(scope->nested ? scope->stage : (ct_stage){0});
    go_to(scope->waiting_region);
    if (scope->nested) return false;
    no_bounds();
    ct_scope_now = NULL;
    ct_scratch_now = scope->waiting_scratch;
    if (memory) hand_over(&scope->region, &memory->region);
    free_all(&scope->region);
    return true;
}

void ct_scope_leave_maker(ct_scope *scope, ct_memory *made) {
    // a region that the object was built in belongs to no other from now on
    if (made && made->region.in.next) take_out(&made->region.in);
    if (ct_scope_leave(scope, made)) return;
    if (made) {
        hand_over(&scope->region, &made->region);
        put_after(&ct_region_now->regions, &made->region.in);
    }
    ct_region_free(&scope->region);
}

void ct_scope_bound(ct_bounds more, ct_bounds named) {
    if (!ct_scope_now) return;
    if (more.bytes && more.bytes < LLONG_MAX / 2 && (long long)more.bytes < bounds.bytes - held) {
        bounds.bytes = held + (long long)more.bytes;
        bounds.named.bytes = named.bytes;
    }
    double until = ct_seconds() + more.seconds;
    if (more.seconds > 0 && (!bounds.seconds || until < bounds.seconds)) {
        bounds.seconds = until;
        bounds.named.seconds = named.seconds;
    }
}

ct_status ct_scope_failure(void) {
    return failure;
}

ct_scope *ct_scope_suspend(bool numbers) {
    ct_scope *s = ct_scope_now;
    ct_scope_now = NULL;
    if (!s) return NULL;
    s->suspended_region = ct_region_now;
    s->suspended_scratch = ct_scratch_now;
    if (numbers) {
        ct_flint_drop_caches();
        ct_region_now = NULL;
        ct_scratch_now = NULL;
    }
    return s;
}

void ct_scope_resume(ct_scope *scope, bool numbers) {
    if (!scope) return;
    if (numbers) ct_flint_drop_caches();
    ct_region_now = scope->suspended_region;
    ct_scratch_now = scope->suspended_scratch;
    ct_scope_now = scope;
}

void ct_cleanup_push(ct_cleanup *cleanup, void (*run)(void *data), void *data) {
    *cleanup = (ct_cleanup){run, data, ct_scope_now ? ct_scope_now->cleanups : NULL};
    if (ct_scope_now) ct_scope_now->cleanups = cleanup;
}

void ct_cleanup_pop(ct_cleanup *cleanup) {
    ct_cleanup **at = ct_scope_now ? &ct_scope_now->cleanups : NULL;
    while (at && *at && *at != cleanup) at = &(*at)->next;
    if (at && *at) *at = cleanup->next;
}
