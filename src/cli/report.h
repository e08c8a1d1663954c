// Pieces of text and JSON that several commands print.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli.h"
#include "../util/text/json.h"

void report_operations(ct_json *j, const char *key, const ct_operation_count *count);
// "1 loop", "3 loops", "no loops"
void report_count(FILE *file, long count, const char *one, const char *many);
// "  title: a, b, c", wrapped
void report_names(FILE *file, const char *title, int n, const char *const *names);

// The last lines of a command, on stderr: what it took and where it went, and on a terminal what to
// do next. Nothing with --quiet or --json.
bool report_wanted(const arguments *a);
void report_time(const arguments *a, const char *what, double seconds);
// In the text %F stands for the file, %O for the output, %S for the file's name without folder and
// ending, all quoted for a shell where that is needed.
void report_next(const arguments *a, const char *text);

#endif
