// JSON (RFC 8259) written as its values come, in one of two layouts, to a file or to any other
// sink.
#ifndef CT_JSON_H
#define CT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    CT_JSON_PIECE = 8, // bytes of a piece with its zero
    CT_JSON_DEPTH = 8  // objects and arrays inside each other
};

// The character at s as it stands in a string, valid UTF-8 kept, a byte that is none as U+FFFD;
// those in `avoid` (or NULL) as \u00XX, for text that stands inside something else. Returns how
// many bytes of s it stands for.
size_t ct_json_piece(const char *s, const char *avoid, char piece[CT_JSON_PIECE]);

typedef struct ct_json_layout {
    bool lines;        // members of objects on lines of their own, arrays on one; else no space
    int digits;        // of a number
    const char *avoid; // characters that strings hold as \u00XX, or NULL
} ct_json_layout;
extern const ct_json_layout ct_json_indented; // to be read; numbers with all their digits
extern const ct_json_layout ct_json_compact;  // inside a script element: no <, > or & comes out

typedef void (*ct_json_put)(void *to, const char *bytes, size_t n);
typedef struct ct_json {
    const ct_json_layout *layout;
    ct_json_put put; // takes what is written
    void *to;
    int depth;
    bool filled[CT_JSON_DEPTH]; // a value stands on this level already
    bool inside[CT_JSON_DEPTH]; // an array, or part of one: all on one line
    char closing[CT_JSON_DEPTH];
} ct_json;

void ct_json_init(ct_json *j, const ct_json_layout *layout, ct_json_put put, void *to);
void ct_json_file(ct_json *j, FILE *file); // indented, into the file
// A key of NULL is for elements of an array.
void ct_json_object(ct_json *j, const char *key); // opens
void ct_json_array(ct_json *j, const char *key);  // opens
void ct_json_end(ct_json *j); // closes the innermost; an indented text ends with its line
void ct_json_string(ct_json *j, const char *key, const char *value); // NULL gives null
void ct_json_number(ct_json *j, const char *key, double value);      // not finite gives null
void ct_json_boolean(ct_json *j, const char *key, bool value);
void ct_json_strings(ct_json *j, const char *key, int n, const char *const *values);
void ct_json_vector(ct_json *j, const char *key, int n, const double *values);

#endif
