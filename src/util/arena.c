// Arenas: small blocks from large chunks, freed at once. A request above a quarter of a chunk has a
// chunk of its own, so that the room of the newest is not lost.
#include "util/util.h"

#include <string.h>

typedef struct ct_arena_chunk {
    struct ct_arena_chunk *next;
    size_t unused; // keeps what follows aligned
} ct_arena_chunk;

enum { CHUNK = 4096, ALIGN = 16 }; // bytes

static char *chunk_new(ct_arena *a, size_t bytes) {
    ct_arena_chunk *chunk = ct_alloc(1, sizeof *chunk + bytes);
    chunk->next = a->chunks;
    a->chunks = chunk;
    return (char *)(chunk + 1);
}

void *ct_arena_alloc(ct_arena *a, size_t count, size_t size) {
    if (size && count > (SIZE_MAX - sizeof(ct_arena_chunk) - ALIGN) / size)
        return ct_alloc(SIZE_MAX, 1);
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (!bytes) bytes = ALIGN;
    if (bytes > CHUNK / 4) return chunk_new(a, bytes);
    if (bytes > a->left) {
        a->at = chunk_new(a, CHUNK);
        a->left = CHUNK;
    }
    char *p = a->at;
    a->at += bytes;
    a->left -= bytes;
    return p;
}

char *ct_arena_strdup(ct_arena *a, const char *s) {
    size_t n = strlen(s) + 1;
    return memcpy(ct_arena_alloc(a, n, 1), s, n);
}

void ct_arena_free(ct_arena *a) {
    for (ct_arena_chunk *chunk = a->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        ct_free(chunk);
    }
    *a = (ct_arena){0};
}
