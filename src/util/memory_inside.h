// Between the files of memory: where the scopes of a thread are, and blocks without zeros.
#ifndef CT_MEMORY_INSIDE_H
#define CT_MEMORY_INSIDE_H

#include "util/memory.h"

#if defined(__GNUC__)
#define CT_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define CT_THREAD_LOCAL _Thread_local
#endif

// On this thread: the scope of the call under way; the region that blocks and numbers go to, also
// while a function of the caller tells of progress; the scratch, likewise.
extern CT_THREAD_LOCAL ct_scope *ct_scope_now;
extern CT_THREAD_LOCAL ct_region *ct_region_now;
extern CT_THREAD_LOCAL ct_arena *ct_scratch_now;
extern CT_THREAD_LOCAL bool ct_numbers_fail; // their blocks are about to be freed together

void *ct_block_new(size_t bytes); // without zeros, in the region
void *ct_block_beside(const void *block, size_t bytes);
void *ct_block_in(ct_region *region, size_t bytes); // NULL: in none
void *ct_block_resize(void *p, size_t bytes);

ct_arena *ct_scratch_arena(void); // of the call under way

void ct_flint_hook(void);        // once for the process
void ct_flint_drop_caches(void); // of this thread

#endif
