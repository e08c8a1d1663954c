// Cache on disk of what elimination found, one entry for each block structure, and the look-up of a
// block in it.
#ifndef CT_BLOCK_CACHE_H
#define CT_BLOCK_CACHE_H

#include "closure/elimination/triangular.h"
#include "program/registers.h"

#include <string.h>

typedef struct ct_block_cache_entry {
    ct_block_shape shape;     // zero: not found within limits
    bool found;               // there is a triangular system
    bool fractions;           // it belongs to the system with quotients as unknowns
    ct_triangular triangular; // in the numbering of the key
} ct_block_cache_entry;

// structure: the text of a key. Returns false if there is no entry, or it is damaged.
bool ct_block_cache_read(const char *structure, ct_block_cache_entry *entry);
void ct_block_cache_write(const char *structure, const ct_block_cache_entry *entry);
// The same from and to text, apart from the disk.
bool ct_block_cache_parse(const char *text, const char *structure, ct_block_cache_entry *entry);
char *ct_block_cache_print(const char *structure, const ct_block_cache_entry *entry);

// Renumbers equations and variables by the key, and back; with the key's numbers `unknown` is that
// of the cosine or slide. Returns false if the numbers do not belong to the system.
void ct_triangular_to_key(const ct_block_system *s, const ct_block_key *key, ct_triangular *t);
bool ct_triangular_from_key(const ct_block_system *s, const ct_block_key *key, ct_triangular *t);

// A block as a system, with its entry, from the cache or found.
typedef struct ct_block_known {
    ct_block_system s;
    ct_block_point at[2];
    ct_block_cache_entry entry; // its triangular system in the numbering of s
    bool from_cache;
} ct_block_known;

// registers: in which the residuals are written. Returns false if the block is not algebraic or too
// large.
bool ct_block_known_init(ct_block_known *k, ct_pool *pool, const ct_block_residuals *r,
                         const ct_registers *registers);
static inline void ct_block_known_clear(ct_block_known *k) {
    ct_block_system_clear(&k->s);
    for (int i = 0; i < 2; i++) ct_block_point_clear(k->at + i);
    memset(k, 0, sizeof *k);
}

#endif
