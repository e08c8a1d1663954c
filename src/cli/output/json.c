// JSON as RFC 8259 wants it: strings escaped, valid UTF-8 kept, bytes that are no UTF-8 replaced by
// U+FFFD, numbers with all their digits.
#include "output/json.h"

#include "../../util/text/json.h"

#include <math.h>
#include <string.h>

void json_init(json *j, FILE *file) {
    memset(j, 0, sizeof *j);
    j->file = file;
}

static void write_quoted(FILE *file, const char *s) {
    char piece[CT_JSON_PIECE];
    fputc('"', file);
    while (*s) {
        s += ct_json_piece(s, NULL, piece);
        fputs(piece, file);
    }
    fputc('"', file);
}

// Comma and line break as needed, then the key.
static void start_value(json *j, const char *key) {
    if (j->depth > 0) {
        int level = j->depth - 1;
        if (j->filled[level]) fputs(j->inside[level] ? ", " : ",", j->file);
        if (!j->inside[level]) fprintf(j->file, "\n%*s", 2 * j->depth, "");
        j->filled[level] = true;
    }
    if (key) {
        write_quoted(j->file, key);
        fputs(": ", j->file);
    }
}

static void open_level(json *j, const char *key, char opening, char closing) {
    start_value(j, key);
    fputc(opening, j->file);
    j->filled[j->depth] = false;
    j->inside[j->depth] = closing == ']' || (j->depth > 0 && j->inside[j->depth - 1]);
    j->closing[j->depth++] = closing;
}

void json_object(json *j, const char *key) {
    open_level(j, key, '{', '}');
}

void json_array(json *j, const char *key) {
    open_level(j, key, '[', ']');
}

void json_end(json *j) {
    int level = --j->depth;
    if (!j->inside[level] && j->filled[level]) fprintf(j->file, "\n%*s", 2 * j->depth, "");
    fputc(j->closing[level], j->file);
    if (level == 0) fputc('\n', j->file);
}

void json_string(json *j, const char *key, const char *value) {
    start_value(j, key);
    if (value)
        write_quoted(j->file, value);
    else
        fputs("null", j->file);
}

void json_number(json *j, const char *key, double value) {
    start_value(j, key);
    if (isfinite(value))
        fprintf(j->file, "%.17g", value);
    else
        fputs("null", j->file);
}

void json_boolean(json *j, const char *key, bool value) {
    start_value(j, key);
    fputs(value ? "true" : "false", j->file);
}

void json_strings(json *j, const char *key, int n, const char *const *values) {
    json_array(j, key);
    for (int i = 0; i < n; i++) json_string(j, NULL, values[i]);
    json_end(j);
}
