// Between the files of memory: where the scopes of a thread are, and blocks without zeros.
#ifndef CT_MEMORY_INSIDE_H
#define CT_MEMORY_INSIDE_H

#include "util/memory.h"

#if defined(__GNUC__)
#define CT_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define CT_THREAD_LOCAL _Thread_local
#endif

// The scope of the call under way on this thread, and one that waits for a function of the caller,
// with FLINT's caches as they are.
extern CT_THREAD_LOCAL ct_scope *ct_scope_now, *ct_scope_waiting;

// The scope that numbers of FLINT and GMP belong to, or NULL.
static inline ct_scope *ct_scope_of_numbers(void) {
    return ct_scope_now ? ct_scope_now : ct_scope_waiting;
}

void *ct_block_new(size_t bytes); // in the list of the scope
void *ct_block_resize(void *p, size_t bytes);

ct_arena *ct_scratch_arena(void); // of the call under way

void ct_flint_hook(void);        // once for the process
void ct_flint_drop_caches(void); // of this thread

#endif
