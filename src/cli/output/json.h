// A small JSON writer: values go out as they come. A key of NULL is for elements of an array.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

enum { JSON_DEPTH = 8 };
typedef struct json {
    FILE *file;
    int depth;
    bool filled[JSON_DEPTH]; // something stands on this level already
    bool inside[JSON_DEPTH]; // a list, or something in a list: all on one line
    char closing[JSON_DEPTH];
} json;

void json_init(json *j, FILE *file);
void json_object(json *j, const char *key); // opens
void json_array(json *j, const char *key);  // opens
void json_end(json *j); // closes the innermost; the outermost also ends the line
void json_string(json *j, const char *key, const char *value); // NULL gives null
void json_number(json *j, const char *key, double value);      // not finite gives null
void json_boolean(json *j, const char *key, bool value);
void json_strings(json *j, const char *key, int n, const char *const *values);

#endif
