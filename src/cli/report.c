// Pieces of text and JSON that several commands print.
#include "report.h"

#include <string.h>
#include <unistd.h>

enum { LINE_WIDTH = 96 };

void report_operations(ct_json *j, const char *key, const ct_operation_count *count) {
    ct_json_object(j, key);
    ct_json_number(j, "add", count->add);
    ct_json_number(j, "mul", count->mul);
    ct_json_number(j, "div", count->div);
    ct_json_number(j, "func", count->func);
    ct_json_number(j, "total", count->total);
    ct_json_end(j);
}

void report_count(FILE *file, long count, const char *one, const char *many) {
    if (count == 0)
        fprintf(file, "no %s", many);
    else
        fprintf(file, "%ld %s", count, count == 1 ? one : many);
}

void report_names(FILE *file, const char *title, int n, const char *const *names) {
    int column = fprintf(file, "  %s:", title);
    if (n == 0) fputs(" none", file);
    for (int i = 0; i < n; i++) {
        int width = (int)strlen(names[i]) + 2;
        if (column + width > LINE_WIDTH) column = fprintf(file, "\n   ") - 1;
        fprintf(file, " %s%s", names[i], i + 1 < n ? "," : "");
        column += width;
    }
    fputc('\n', file);
}

// last lines --------------------------------------------------------------------------------------
bool report_wanted(const arguments *a) {
    return !a->quiet && !a->json;
}

void report_time(const arguments *a, const char *what, double seconds) {
    if (!report_wanted(a)) return;
    fflush(stdout);
    fprintf(stderr, "  %s in %.3g s", what, seconds);
    if (a->output) fprintf(stderr, "; in %s", a->output);
    fputc('\n', stderr);
}

// A word quoted so that a shell reads it back.
static void write_word(const char *s, size_t n) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@-";
    if (n && *s != '-' && strspn(s, plain) >= n) {
        fwrite(s, 1, n, stderr);
        return;
    }
    fputs(*s == '-' ? "./'" : "'", stderr);
    for (size_t i = 0; i < n; i++) fputs(s[i] == '\'' ? "'\\''" : (char[]){s[i], 0}, stderr);
    fputc('\'', stderr);
}

void report_next(const arguments *a, const char *text) {
    if (!report_wanted(a) || !isatty(STDERR_FILENO)) return;
    const char *slash = strrchr(a->file, '/'), *stem = slash ? slash + 1 : a->file;
    const char *dot = strrchr(stem, '.');
    size_t length = dot && dot > stem ? (size_t)(dot - stem) : strlen(stem);
    fflush(stdout);
    fputs("  next: ", stderr);
    for (; *text; text++) {
        if (strncmp(text, "%F", 2) == 0)
            write_word(a->file, strlen(a->file));
        else if (strncmp(text, "%O", 2) == 0)
            write_word(a->output, strlen(a->output));
        else if (strncmp(text, "%S", 2) == 0)
            write_word(stem, length);
        else {
            fputc(*text, stderr);
            continue;
        }
        text++;
    }
    fputc('\n', stderr);
}
