// A record: numbers and strings one after the other, as an entry of the cache holds them. One
// function of the owner goes through all members, to write them or to read them back, so that both
// agree. Reading past the end, or a count that cannot be, makes the record bad and all else zero.
#ifndef CT_RECORD_H
#define CT_RECORD_H

#include "util/util.h"

typedef struct ct_record {
    ct_text text;
    size_t at;       // of reading
    bool reads, bad; // it is read; it was not what it should be
} ct_record;

void ct_record_bytes(ct_record *r, void *data, size_t bytes);
void ct_record_int(ct_record *r, int *x);
void ct_record_bool(ct_record *r, bool *x);
void ct_record_double(ct_record *r, double *x);
// Arrays of n elements and strings: those that are read lie in the scratch of the call.
void ct_record_ints(ct_record *r, int n, int **x);
void ct_record_bools(ct_record *r, int n, bool **x);
void ct_record_doubles(ct_record *r, int n, double **x);
void ct_record_string(ct_record *r, char **x);
// A count of elements, of which each takes at least a byte.
void ct_record_count(ct_record *r, int *n);
// What was read is whole, with nothing behind it.
bool ct_record_is_whole(const ct_record *r);

#endif
