// The library of triangular systems: what was found out about a block, on disk by its structure.
#ifndef CT_LIBRARY_H
#define CT_LIBRARY_H

#include "closure/elimination/triangular.h"

typedef struct ct_library_entry {
    ct_block_shape shape;     // zero: not found within limits
    bool found;               // a triangular system
    bool fractions;           // it is one of the system with these
    ct_triangular triangular; // in the numbering of the key
} ct_library_entry;

// structure: the text of a key. False: nothing there, or not in order.
bool ct_library_read(const char *structure, ct_library_entry *entry);
void ct_library_write(const char *structure, const ct_library_entry *entry);
// The same from and to text, apart from the disk.
bool ct_library_parse(const char *text, const char *structure, ct_library_entry *entry);
char *ct_library_print(const char *structure, const ct_library_entry *entry);

#endif
