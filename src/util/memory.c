// Blocks, the lists that they are in, and scopes. A block has a link before it, 16 bytes, which
// keeps what follows aligned.
#include "util/memory_inside.h"
#include "util/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CT_THREAD_LOCAL ct_scope *ct_scope_now, *ct_scope_waiting;
static CT_THREAD_LOCAL long live;
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

// Every block of a list to another one, or to none.
static void move_all(ct_link *from, ct_link *to) {
    if (from->next == from) return;
    if (to) {
        from->next->prev = to;
        from->prev->next = to->next;
        to->next->prev = from->prev;
        to->next = from->next;
    } else {
        for (ct_link *link = from->next, *next; link != from; link = next) {
            next = link->next;
            link->next = link->prev = NULL;
        }
    }
    list_start(from);
}

static void free_all(ct_link *list) {
    for (ct_link *link = list->next, *next; link != list; link = next) {
        next = link->next;
        free(link);
        live--;
    }
    list_start(list);
}

// running out --------------------------------------------------------------------------------
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
    s->failed = true;
    ct_flint_drop_caches();
    free_all(&s->list);
    // what the call was changing, and what its caller is told
    if (s->changed) s->changed->broken = true;
    if (s->ctx) ct_context_note(s->ctx, "error: out of memory");
    ct_scope_now = NULL;
    ct_scope_waiting = s->waiting;
    longjmp(s->jump, 1);
}

void ct_run_out(void) {
    run_out();
}

// blocks -------------------------------------------------------------------------------------
static inline void *placed(ct_link *link, const void *beside) {
    if (!link) return run_out();
    live++;
    link->next = link->prev = NULL;
    ct_scope *scope = ct_scope_of_numbers();
    ct_link *at = beside ? (ct_link *)beside - 1 : scope ? &scope->list : NULL;
    if (at && at->next) put_after(at, link);
    return link + 1;
}

static inline bool refused(size_t bytes) {
    return bytes > SIZE_MAX - sizeof(ct_link) || (ct_memory_refuses && ct_memory_refuses());
}

void *ct_block_new(size_t bytes) {
    return placed(refused(bytes) ? NULL : malloc(sizeof(ct_link) + bytes), NULL);
}

void *ct_block_resize(void *p, size_t bytes) {
    ct_link *link = (ct_link *)p - 1;
    link = refused(bytes) ? NULL : realloc(link, sizeof *link + bytes);
    if (!link) return run_out();
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
    return placed(refused(bytes) ? NULL : calloc(1, sizeof(ct_link) + bytes), block);
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
    live--;
    free(link);
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

// scopes -------------------------------------------------------------------------------------
static const char half_way[] =
    "error: memory ran out in a call that was changing this object: free it and make it anew";

ct_status ct_scope_enter(ct_scope *s, ct_context *ctx, ct_memory *changed) {
    s->nested = ct_scope_now != NULL;
    if (s->nested) {
        s->stage = ct_stage_begin();
        return CT_OK;
    }
    if (changed && changed->broken) {
        if (ctx) ct_context_note(ctx, half_way);
        return CT_USAGE;
    }
    // numbers of the caller and of the call in pages apart
    ct_flint_hook();
    ct_flint_drop_caches();
    s->waiting = ct_scope_waiting;
    ct_scope_waiting = NULL;
    list_start(&s->list);
    s->scratch = (ct_arena){0};
    s->cleanups = NULL;
    s->ctx = ctx;
    s->changed = changed;
    s->failed = false;
    ct_scope_now = s;
    return CT_OK;
}

bool ct_scope_leave(ct_scope *s, ct_memory *memory) {
    ct_stage_end(s->nested ? s->stage : (ct_stage){0});
    if (s->nested) return false;
    ct_flint_drop_caches();
    ct_scope_now = NULL;
    ct_scope_waiting = s->waiting;
    if (memory && !memory->list.next) list_start(&memory->list);
    move_all(&s->list, memory ? &memory->list : NULL);
    return true;
}

ct_scope *ct_scope_suspend(bool numbers) {
    ct_scope *s = ct_scope_now;
    if (s && numbers) ct_flint_drop_caches();
    ct_scope_now = NULL;
    if (s && !numbers) ct_scope_waiting = s;
    return s;
}

void ct_scope_resume(ct_scope *s, bool numbers) {
    if (!s) return;
    if (numbers) ct_flint_drop_caches();
    if (!numbers) ct_scope_waiting = s->waiting;
    ct_scope_now = s;
}

void ct_cleanup_push(ct_cleanup *c, void (*run)(void *data), void *data) {
    *c = (ct_cleanup){run, data, ct_scope_now ? ct_scope_now->cleanups : NULL};
    if (ct_scope_now) ct_scope_now->cleanups = c;
}

void ct_cleanup_pop(ct_cleanup *c) {
    ct_cleanup **at = ct_scope_now ? &ct_scope_now->cleanups : NULL;
    while (at && *at && *at != c) at = &(*at)->next;
    if (at && *at) *at = c->next;
}

void ct_close_file(void *file) {
    fclose(file);
}

bool ct_memory_end(ct_memory *memory) {
    if (!memory->list.next) return false;
    // the object itself is a block of its list
    bool broken = memory->broken;
    ct_link list;
    list_start(&list);
    move_all(&memory->list, &list);
    memory->list.next = memory->list.prev = NULL;
    if (broken)
        free_all(&list);
    else
        move_all(&list, NULL);
    return broken;
}
