// Memory of the library. A public call opens a scope, to which every block that it allocates
// belongs, those of FLINT and GMP included. Where memory runs out, the scope runs its cleanups,
// frees its blocks and jumps back to the entry of the call, which returns CT_NO_MEMORY: no function
// below the entry looks at a failed allocation. Where the call succeeds, its blocks go to the
// object that it made or changed. The bytes of all blocks are counted, and a call may be given a
// limit.
#ifndef CT_MEMORY_H
#define CT_MEMORY_H

#include "cotree.h"

#include <setjmp.h>

// blocks -------------------------------------------------------------------------------------
void *ct_alloc(size_t count, size_t size); // zeroed
void *ct_realloc(void *p, size_t count, size_t size);
void ct_free(void *p);
// In the list of another block: what an object that outlives a failed call grows by. p may be NULL.
void *ct_alloc_beside(const void *block, size_t count, size_t size);
void *ct_realloc_beside(const void *block, void *p, size_t count, size_t size);
char *ct_strdup_beside(const void *block, const char *s);
// Memory has run out: back to the entry of the call, as if an allocation had failed.
void ct_run_out(void);
// The same where so many bytes are not to be had: before calls of a library that has no hook for
// its allocations and does not survive one that fails. The bytes are free again.
void ct_want(size_t bytes);
// Out of every list: the caller of the library frees this block.
void ct_release(void *p);

// arenas: blocks that live as long as their owner, freed at once -------------------------------
typedef struct ct_arena {
    struct ct_arena_chunk *chunks; // the newest first
    char *at;                      // free room of the newest
    size_t left;
} ct_arena;
void *ct_arena_alloc(ct_arena *arena, size_t count, size_t size); // zeroed
// A longer copy of a block, which stays: for arrays that double.
void *ct_arena_longer(ct_arena *arena, const void *p, size_t old, size_t count, size_t size);
char *ct_arena_strdup(ct_arena *arena, const char *s);
void ct_arena_free(ct_arena *arena);                // empty again
void ct_arena_release(ct_arena *arena);             // ct_release
void ct_arena_back(ct_arena *arena, ct_arena then); // to what it was, of which `then` is a copy

// scratch: blocks that nobody frees, from the arena of the call under way -------------------------
// They live until the innermost stage ends in which they were made; a public call is a stage. What
// goes on longer (a search, a loop over blocks or steps) makes each of its rounds a stage. Blocks
// of a stage are not for what outlives it: results are allocated by ct_alloc or from the arena of
// their owner.
typedef ct_arena ct_stage;
void *ct_scratch(size_t count, size_t size); // zeroed
void *ct_scratch_longer(const void *p, size_t old, size_t count, size_t size);
char *ct_scratch_strdup(const char *s);
ct_stage ct_stage_begin(void);
void ct_stage_end(ct_stage stage);

// regions: every block that is allocated while one is open, numbers included ---------------------
typedef struct ct_link { // a place in a list; next is NULL outside of all lists
    struct ct_link *next, *prev;
} ct_link;
// What is built in a region of its own needs no function that frees its parts: they go with the
// region, and so do regions that were opened in it. No number of FLINT from before is changed while
// a region is open, and arrays from before that grow have room already or grow beside themselves. A
// region on the stack is opened in regions of the call alone, which are gone where memory runs out.
typedef struct ct_region {
    ct_link list;    // of its blocks
    ct_link regions; // inside of it
    ct_link in;      // its place in the one that it belongs to
    struct ct_region *around;
} ct_region;
void ct_region_open(ct_region *region); // zero, or one that was closed
void ct_region_close(ct_region *region);
void ct_region_free(ct_region *region); // closed; it may lie in one of its own blocks
// An object in a region of its own, which is its first member and is open.
void *ct_region_new(size_t size);
void ct_region_keep(ct_region *region); // it belongs to the region that is open now

// objects of the caller ------------------------------------------------------------------------
// An object that calls share: a system, a model, a view, a context. A call that runs out of memory
// may leave it half changed: it is then broken, and can only be freed.
typedef struct ct_memory {
    ct_region region; // its blocks, itself among them
    bool broken;
} ct_memory;

// scopes -----------------------------------------------------------------------------------------
// What must be undone when memory runs out and is no block: open files, solvers, folders. Pushed
// cleanups run in reverse order; `run` allocates nothing.
typedef struct ct_cleanup {
    void (*run)(void *data);
    void *data;
    struct ct_cleanup *next;
} ct_cleanup;
void ct_cleanup_push(ct_cleanup *cleanup, void (*run)(void *data), void *data);
void ct_cleanup_pop(ct_cleanup *cleanup); // without running it

typedef struct ct_scope {
    jmp_buf jump;
    ct_region region; // of a nested one: the object that it makes
    ct_arena scratch;
    ct_cleanup *cleanups;
    ct_context *ctx;
    ct_memory *changed;
    ct_region *waiting_region, *suspended_region; // of before it; its own while it is suspended
    ct_arena *waiting_scratch, *suspended_scratch;
    ct_stage stage; // of a nested one
    bool nested;    // a public call inside the library: the scope around it does everything
} ct_scope;
// CT_USAGE: the object is broken.
ct_status ct_scope_enter(ct_scope *scope, ct_context *ctx, ct_memory *changed);
// The same for a call that makes an object.
void ct_scope_enter_maker(ct_scope *scope, ct_context *ctx);
// False where the scope is nested.
bool ct_scope_leave(ct_scope *scope, ct_memory *memory);
void ct_scope_leave_maker(ct_scope *scope, ct_memory *made); // NULL: nothing was made

// Functions of the caller run outside of the scope: they may call the library again. Those that may
// also work with numbers of FLINT and GMP find caches of their own; those that tell of progress
// may not.
ct_scope *ct_scope_suspend(bool numbers);
void ct_scope_resume(ct_scope *scope, bool numbers);

// A function below the entry of a call, kept out of the frame that setjmp returns to.
#if defined(__GNUC__)
#define CT_BELOW __attribute__((noinline))
#else
#define CT_BELOW
#endif

// The body of a public call: `call` in a scope, for an object that it changes (or NULL).
#define CT_CALL(ctx, changed, call)                                                                \
    do {                                                                                           \
        ct_scope scope_;                                                                           \
        ct_status status_ = ct_scope_enter(&scope_, (ctx), (changed));                             \
        if (status_) return status_;                                                               \
        if (setjmp(scope_.jump)) return ct_scope_failure();                                        \
        status_ = (call);                                                                          \
        ct_scope_leave(&scope_, (changed));                                                        \
        return status_;                                                                            \
    } while (0)
// Likewise, with a result for the caller, which `release` takes out of the lists.
#define CT_CALL_GIVES(ctx, changed, result, release, call)                                         \
    do {                                                                                           \
        ct_scope scope_;                                                                           \
        *(result) = NULL;                                                                          \
        ct_status status_ = ct_scope_enter(&scope_, (ctx), (changed));                             \
        if (status_) return status_;                                                               \
        if (setjmp(scope_.jump)) {                                                                 \
            *(result) = NULL;                                                                      \
            return ct_scope_failure();                                                             \
        }                                                                                          \
        status_ = (call);                                                                          \
        if (!scope_.nested && *(result)) release(*(result));                                       \
        ct_scope_leave(&scope_, (changed));                                                        \
        return status_;                                                                            \
    } while (0)
// Likewise, with an object as the result, which owns what the call has allocated: its region is
// freed with it.
#define CT_CALL_MAKES(ctx, made, call)                                                             \
    do {                                                                                           \
        ct_scope scope_;                                                                           \
        *(made) = NULL;                                                                            \
        ct_scope_enter_maker(&scope_, (ctx));                                                      \
        if (setjmp(scope_.jump)) {                                                                 \
            *(made) = NULL;                                                                        \
            return ct_scope_failure();                                                             \
        }                                                                                          \
        ct_status status_ = (call);                                                                \
        ct_scope_leave_maker(&scope_, *(made) ? &(*(made))->memory : NULL);                        \
        return status_;                                                                            \
    } while (0)

// bytes ------------------------------------------------------------------------------------------
// Of this thread's blocks that are not freed, those of FLINT and GMP included.
long long ct_memory_bytes(void);
// What the call under way may still use, 0: as much as there is. Its first allocation beyond that
// ends it as if memory had run out, but with CT_NUMERICS and a message that names the limits as the
// user gave them. So even a long step of FLINT ends; the limits of an outer call stay.
typedef struct ct_bounds {
    size_t bytes;
    double seconds;
} ct_bounds;
void ct_scope_bound(ct_bounds more, ct_bounds named);
ct_status ct_scope_failure(void); // of the call that ended last by running out

// tests ------------------------------------------------------------------------------------------
// Blocks of this thread that are not freed, and a function that is asked before each allocation:
// true refuses it.
long ct_memory_live(void);
extern bool (*ct_memory_refuses)(void);

#endif
