// Pieces of text and JSON that several commands print.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cotree.h"
#include "json.h"

void report_operations(json *j, const char *key, const ct_operation_count *count);
// "1 loop", "3 loops", "no loops"
void report_count(FILE *file, long count, const char *one, const char *many);
// "  title: a, b, c", wrapped
void report_names(FILE *file, const char *title, int n, const char *const *names);

#endif
