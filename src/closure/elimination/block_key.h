// What blocks of the same build have in common: their system in an order and with names that depend
// on its structure alone, as far as that is cheap to find.
#ifndef CT_BLOCK_KEY_H
#define CT_BLOCK_KEY_H

#include "closure/elimination/block_system.h"

typedef struct ct_block_key {
    char *text;    // the system
    int *variable; // [ring->n] which variable of the ring is canonical number k
    int *equation; // [equations] likewise
} ct_block_key;

// nature[i]: tells symbols apart by what they are made of.
ct_block_key ct_block_key_of(const ct_block_system *s, const uint64_t *nature);
// Of expressions, whatever their symbols are called and their numbers are.
void ct_block_nature(ct_pool *pool, int n, const ct_ex *meaning, uint64_t *nature);
void ct_block_key_clear(ct_block_key *key);

#endif
