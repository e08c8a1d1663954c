// Arenas: small blocks from large chunks, freed at once. A request above a quarter of a chunk has a
// chunk of its own, so that the room of the newest is not lost. Under the address sanitizer every
// request has one, so that it sees what is used for too long.
#include "util/memory_inside.h"
#include "util/util.h"

#include <stddef.h>
#include <string.h>

typedef struct ct_arena_chunk {
    struct ct_arena_chunk *next;
    size_t unused; // keeps what follows aligned
} ct_arena_chunk;

enum { CHUNK = 4096, ALIGN = 16 }; // bytes
#ifdef __SANITIZE_ADDRESS__
enum { LARGE = 0 };
#else
enum { LARGE = CHUNK / 4 };
#endif

// Of the functions that run outside of every call: tests of them.
static CT_THREAD_LOCAL ct_arena outside;

// The region of the call that this scratch belongs to.
static ct_region *region_of(ct_arena *scratch) {
    if (scratch == &outside) return NULL;
    return &((ct_scope *)((char *)scratch - offsetof(ct_scope, scratch)))->region;
}

// A chunk goes where the others are, so that regions that are open while an arena grows are no
// matter.
static char *chunk_new(ct_arena *arena, size_t bytes) {
    bytes += sizeof(ct_arena_chunk);
    ct_arena_chunk *chunk = arena->chunks             ? ct_block_beside(arena->chunks, bytes)
                            : arena == ct_scratch_now ? ct_block_in(region_of(arena), bytes)
                                                      : ct_block_new(bytes);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return (char *)(chunk + 1);
}

// Without zeros.
static void *taken(ct_arena *arena, size_t bytes) {
    if (bytes > LARGE) return chunk_new(arena, bytes);
    if (bytes > arena->left) {
        arena->at = chunk_new(arena, CHUNK);
        arena->left = CHUNK;
    }
    char *p = arena->at;
    arena->at += bytes;
    arena->left -= bytes;
    return p;
}

// Bytes of an array, in whole units.
static size_t rounded(size_t count, size_t size) {
    if (size && count > (SIZE_MAX - sizeof(ct_arena_chunk) - 2 * ALIGN) / size) ct_run_out();
    return count && size ? (count * size + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
}

void *ct_arena_alloc(ct_arena *arena, size_t count, size_t size) {
    size_t bytes = rounded(count, size);
    return memset(taken(arena, bytes), 0, bytes);
}

void *ct_arena_longer(ct_arena *arena, const void *p, size_t old, size_t count, size_t size) {
    size_t bytes = rounded(count, size);
    char *longer = taken(arena, bytes);
    if (old) memcpy(longer, p, old * size);
    memset(longer + old * size, 0, bytes - old * size);
    return longer;
}

char *ct_arena_strdup(ct_arena *arena, const char *s) {
    size_t n = strlen(s) + 1;
    return memcpy(ct_arena_alloc(arena, n, 1), s, n);
}

void ct_arena_back(ct_arena *a, ct_arena then) {
    for (ct_arena_chunk *chunk = a->chunks, *next; chunk != then.chunks; chunk = next) {
        next = chunk->next;
        ct_free(chunk);
    }
    *a = then;
}

void ct_arena_release(ct_arena *arena) {
    for (ct_arena_chunk *chunk = arena->chunks; chunk; chunk = chunk->next) ct_release(chunk);
}

void ct_arena_free(ct_arena *arena) {
    ct_arena_back(arena, (ct_arena){0});
}

// scratch ------------------------------------------------------------------------------------
static inline ct_arena *scratch(void) {
    if (!ct_scratch_now) ct_scratch_now = &outside;
    return ct_scratch_now;
}

void *ct_scratch(size_t count, size_t size) {
    return ct_arena_alloc(scratch(), count, size);
}

void *ct_scratch_longer(const void *p, size_t old, size_t count, size_t size) {
    return ct_arena_longer(scratch(), p, old, count, size);
}

char *ct_scratch_strdup(const char *s) {
    return ct_arena_strdup(scratch(), s);
}

ct_arena *ct_scratch_arena(void) {
    return scratch();
}

ct_stage ct_stage_begin(void) {
    return *scratch();
}

void ct_stage_end(ct_stage stage) {
    ct_arena_back(scratch(), stage);
}
