// The writer of JSON. In strings quotes, backslashes and control characters are escaped, by one
// letter where JSON has one that is common; bytes that are no UTF-8 become U+FFFD; everything else
// stands for itself.
#include "json.h"
#include "utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const ct_json_layout ct_json_indented = {.lines = true, .digits = 17, .avoid = NULL};
const ct_json_layout ct_json_compact = {.lines = false, .digits = 9, .avoid = "\"\\<>&'\n\t"};

// strings -----------------------------------------------------------------------------------------
size_t ct_json_piece(const char *s, const char *avoid, char piece[CT_JSON_PIECE]) {
    unsigned char c = (unsigned char)*s;
    size_t n = ct_utf8_length(s, CT_UTF8_LONGEST);
    if (avoid && strchr(avoid, c))
        snprintf(piece, CT_JSON_PIECE, "\\u%04x", c);
    else if (c == '"' || c == '\\')
        snprintf(piece, CT_JSON_PIECE, "\\%c", c);
    else if (c == '\n' || c == '\t')
        snprintf(piece, CT_JSON_PIECE, "\\%c", c == '\n' ? 'n' : 't');
    else if (c < 0x20 || c == 0x7F)
        snprintf(piece, CT_JSON_PIECE, "\\u%04x", c);
    else
        snprintf(piece, CT_JSON_PIECE, "%.*s", n ? (int)n : 3, n ? s : "\xEF\xBF\xBD");
    return n ? n : 1;
}

// Bytes from s on that stand for themselves: printable ASCII without quotes and backslashes.
static size_t plain(const char *s, const char *avoid) {
    size_t n = 0;
    while (s[n] >= 0x20 && s[n] < 0x7F && s[n] != '"' && s[n] != '\\' &&
           !(avoid && strchr(avoid, s[n])))
        n++;
    return n;
}

static void put(ct_json *j, const char *text) {
    j->put(j->to, text, strlen(text));
}

static void put_quoted(ct_json *j, const char *s) {
    char piece[CT_JSON_PIECE];
    put(j, "\"");
    while (*s) {
        size_t n = plain(s, j->layout->avoid);
        if (n) {
            j->put(j->to, s, n);
        } else {
            n = ct_json_piece(s, j->layout->avoid, piece);
            put(j, piece);
        }
        s += n;
    }
    put(j, "\"");
}

// layout ------------------------------------------------------------------------------------------
static void put_file(void *to, const char *bytes, size_t n) {
    fwrite(bytes, 1, n, to);
}

void ct_json_init(ct_json *j, const ct_json_layout *layout, ct_json_put sink, void *to) {
    *j = (ct_json){.layout = layout, .put = sink, .to = to};
}

void ct_json_file(ct_json *j, FILE *file) {
    ct_json_init(j, &ct_json_indented, put_file, file);
}

static void new_line(ct_json *j) {
    char text[2 * CT_JSON_DEPTH + 2];
    snprintf(text, sizeof text, "\n%*s", 2 * j->depth, "");
    put(j, text);
}

// Comma and line break as needed, then the key.
static void start_value(ct_json *j, const char *key) {
    const bool lines = j->layout->lines;
    if (j->depth > 0) {
        int level = j->depth - 1;
        if (j->filled[level]) put(j, lines && j->inside[level] ? ", " : ",");
        if (lines && !j->inside[level]) new_line(j);
        j->filled[level] = true;
    }
    if (key) {
        put_quoted(j, key);
        put(j, lines ? ": " : ":");
    }
}

static void open_level(ct_json *j, const char *key, const char *opening, char closing) {
    start_value(j, key);
    put(j, opening);
    j->filled[j->depth] = false;
    j->inside[j->depth] = closing == ']' || (j->depth > 0 && j->inside[j->depth - 1]);
    j->closing[j->depth++] = closing;
}

void ct_json_object(ct_json *j, const char *key) {
    open_level(j, key, "{", '}');
}

void ct_json_array(ct_json *j, const char *key) {
    open_level(j, key, "[", ']');
}

void ct_json_end(ct_json *j) {
    int level = --j->depth;
    if (j->layout->lines && !j->inside[level] && j->filled[level]) new_line(j);
    j->put(j->to, &j->closing[level], 1);
    if (j->layout->lines && level == 0) put(j, "\n");
}

// values ------------------------------------------------------------------------------------------
void ct_json_string(ct_json *j, const char *key, const char *value) {
    start_value(j, key);
    if (value)
        put_quoted(j, value);
    else
        put(j, "null");
}

void ct_json_number(ct_json *j, const char *key, double value) {
    char text[32] = "null";
    if (isfinite(value)) snprintf(text, sizeof text, "%.*g", j->layout->digits, value);
    start_value(j, key);
    put(j, text);
}

void ct_json_boolean(ct_json *j, const char *key, bool value) {
    start_value(j, key);
    put(j, value ? "true" : "false");
}

void ct_json_strings(ct_json *j, const char *key, int n, const char *const *values) {
    ct_json_array(j, key);
    for (int i = 0; i < n; i++) ct_json_string(j, NULL, values[i]);
    ct_json_end(j);
}

void ct_json_vector(ct_json *j, const char *key, int n, const double *values) {
    ct_json_array(j, key);
    for (int i = 0; i < n; i++) ct_json_number(j, NULL, values[i]);
    ct_json_end(j);
}
