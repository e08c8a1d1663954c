// What blocks of the same build have in common: their system in an order and with names that depend
// on its structure alone, as far as that is cheap to find.
#ifndef CT_BLOCK_KEY_H
#define CT_BLOCK_KEY_H

#include "closure/elimination/block_system.h"

#include <stdlib.h>
#include <string.h>

typedef struct ct_block_key {
    char *text;    // the system
    int *variable; // [ring->n] which variable of the ring is canonical number k
    int *equation; // [equations] likewise
} ct_block_key;

// meaning[i]: what symbol i of the system stands for; what it is made of tells symbols apart,
// whatever the symbols in there are called and the numbers are.
ct_block_key ct_block_key_of(ct_pool *pool, const ct_block_system *s, const ct_ex *meaning);
static inline void ct_block_key_clear(ct_block_key *key) {
    ct_free(key->text);
    ct_free(key->variable);
    ct_free(key->equation);
    memset(key, 0, sizeof *key);
}

#endif
