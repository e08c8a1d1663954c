// Numbers that live as long as a matrix, a run or its record: from large chunks, without zeros,
// given back all at once. The rows of one small system are hundreds of short blocks.
#include "algebra/f4/f4_inside.h"

enum { FIRST_CHUNK = 1 << 12, LARGEST_CHUNK = 1 << 22 }; // words

struct f4_chunk {
    struct f4_chunk *next;
    size_t room; // words behind this
};

uint32_t *f4_store_grow(f4_store *s, size_t n) {
    size_t room = s->chunks ? 2 * s->chunks->room : FIRST_CHUNK;
    if (room > LARGEST_CHUNK) room = LARGEST_CHUNK;
    if (room < n) room = n;
    f4_chunk *chunk = ct_realloc(NULL, 1, sizeof *chunk + room * sizeof(uint32_t));
    *chunk = (f4_chunk){s->chunks, room};
    s->chunks = chunk;
    s->at = (uint32_t *)(chunk + 1) + n;
    s->left = room - n;
    return (uint32_t *)(chunk + 1);
}

static void free_chunks(f4_chunk *chunk) {
    for (f4_chunk *next; chunk; chunk = next) {
        next = chunk->next;
        ct_free(chunk);
    }
}

void f4_store_empty(f4_store *s) {
    if (!s->chunks) return;
    free_chunks(s->chunks->next);
    s->chunks->next = NULL;
    s->at = (uint32_t *)(s->chunks + 1);
    s->left = s->chunks->room;
}

void f4_store_clear(f4_store *s) {
    free_chunks(s->chunks);
    *s = (f4_store){0};
}
