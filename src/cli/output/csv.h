// Result rows as CSV (RFC 4180, with plain line feeds): a header, then numbers with all their
// digits.
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdio.h>

void csv_header(FILE *file, int n, const char *const *names);
void csv_row(FILE *file, int n, const double *values);

#endif
