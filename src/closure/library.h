// The library of triangular systems: what was found out about a block, on disk by its structure.
#ifndef CT_LIBRARY_H
#define CT_LIBRARY_H

#include "closure/block_key.h"
#include "closure/block_shape.h"

typedef struct ct_library_entry {
    bool looked; // the shape was looked for; all zero: not found within limits
    ct_block_shape shape;
} ct_library_entry;

// False: nothing there, or not in order.
bool ct_library_read(const ct_block_key *key, ct_library_entry *entry);
void ct_library_write(const ct_block_key *key, const ct_library_entry *entry);
// The same from and to text, apart from the disk.
bool ct_library_parse(const char *text, const ct_block_key *key, ct_library_entry *entry);
char *ct_library_print(const ct_block_key *key, const ct_library_entry *entry);

#endif
