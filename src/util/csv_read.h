// Tables of numbers from CSV files (RFC 4180, a name on one line): a header of names, then rows.
#ifndef CT_CSV_READ_H
#define CT_CSV_READ_H

#include "util/util.h"

// Who takes the table. Both return a status, with a message in the context where it is not CT_OK.
typedef struct ct_csv_taker {
    const char *what; // the file is, for messages: "result"
    void *data;
    // The header: n names and their places; wanted[i] false: column i need not hold numbers
    ct_status (*names)(void *data, int n, char *const *names, const ct_place *places, bool *wanted);
    // A row: finite numbers, of wanted columns; places of its fields
    ct_status (*row)(void *data, const double *values, const ct_place *places);
} ct_csv_taker;

// Messages are about the file `path`, which the context names from then on.
ct_status ct_csv_read(ct_context *ctx, const char *path, const ct_csv_taker *taker);

#endif
