// Results as they are read back: named columns of numbers from CSV (RFC 4180).
#ifndef CLI_PLOT_RESULT_H
#define CLI_PLOT_RESULT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct result {
    const char *path;   // "-": stdin
    bool ascii;         // print plain characters only
    char *shown;        // the path, fit to be printed
    char *text;         // the whole file, with a null behind it
    size_t bytes, body; // where the rows begin
    long first_line;    // of the rows
    int n_columns;
    char **names, **labels; // as they are, and fit to be printed
    char ***sorted;         // the places of the names, in their order
    long rows;
    double **values; // [n_columns][rows]; NULL: not wanted
} result;

// Each returns 0 or an exit code, with the reason on stderr as FILE:LINE: error: ...
int result_open(result *r, const char *path, bool ascii); // the names
// The same from memory; the path is only for messages.
int result_open_text(result *r, const char *path, const char *text, size_t bytes);
int result_read(result *r, const bool *wanted); // the numbers of these columns
void result_clear(result *r);
int result_find(const result *r, const char *name); // -1: no such column
// Rows with x in from..to stay (NaN: no limit); where some are left out between others, one row
// that is not a number (x too) stands for the break.
void result_crop(result *r, int x, double from, double to);

#if defined(__GNUC__)
#define RESULT_PRINTF __attribute__((format(printf, 3, 4)))
#else
#define RESULT_PRINTF
#endif
// line 0: of the file as a whole
int result_error(const result *r, long line, const char *format, ...) RESULT_PRINTF;
void result_warn(const result *r, long line, const char *format, ...) RESULT_PRINTF;

#endif
