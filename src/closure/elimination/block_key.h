// A key for block systems: the system in an order and with names that depend on its structure
// alone. Mechanisms of the same build have the same key, as far as cheap colourings tell.
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

// meaning[i]: expression that symbol i of the system stands for. Its structure tells symbols apart;
// names and numbers in it make no difference.
ct_block_key ct_block_key_of(ct_pool *pool, const ct_block_system *s, const ct_ex *meaning);
static inline void ct_block_key_clear(ct_block_key *key) {
    ct_free(key->text);
    ct_free(key->variable);
    ct_free(key->equation);
    memset(key, 0, sizeof *key);
}

#endif
