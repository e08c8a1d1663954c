// A YAML document as a tree that remembers places. Built from libfyaml's events, so that aliases,
// merges, duplicate keys and limits are ours to handle and to explain.
#ifndef CT_YAML_H
#define CT_YAML_H

#include "util/util.h"

typedef enum ct_yaml_kind { CT_YAML_SCALAR, CT_YAML_LIST, CT_YAML_MAP } ct_yaml_kind;

typedef struct ct_yaml {
    ct_yaml_kind kind;
    ct_place place;        // of the first character (the quote, where there is one)
    bool plain;            // scalar without quotes
    bool flow;             // list in [ ], map in { }
    char *text;            // scalar
    size_t start;          // scalar: where its text begins in the source, SIZE_MAX if unknown
    ct_place start_place;  // the same as line and column
    struct ct_yaml **item; // list: items; map: key and value in turn
    int n, room;           // of item
    int64_t weight;        // nodes below, aliases written out
} ct_yaml;

// Names to numbers; keeps copies of the names.
typedef struct ct_name_map {
    char **name;
    int *value;
    int n, room; // room: a power of two
} ct_name_map;
int ct_name_map_get(const ct_name_map *map, const char *name); // -1: not there
void ct_name_map_set(ct_name_map *map, const char *name, int value);
void ct_name_map_clear(ct_name_map *map);

// Text of a file made fit to stand in a message: control characters escaped, long text cut. The
// last 64 of them live.
typedef struct ct_shown {
    char buffer[64][256];
    unsigned next;
} ct_shown;
const char *ct_show(ct_shown *shown, const char *text);
const char *ct_show_format(ct_shown *shown, const char *format, ...) CT_PRINTF(2, 3);

typedef struct ct_yaml_file {
    ct_context *ctx;
    const char *source; // not owned
    size_t bytes;
    ct_yaml *root; // NULL where there is no document; the messages say why
    ct_yaml **nodes;
    int n, room;
    ct_name_map anchors;
    ct_shown shown;
} ct_yaml_file;

ct_yaml_file *ct_yaml_parse(ct_context *ctx, const char *text, size_t bytes);
void ct_yaml_free(ct_yaml_file *file);
ct_yaml *ct_yaml_node(ct_yaml_file *file, ct_yaml_kind kind, ct_place place);

// Value of a key of a map, or NULL; its key node.
ct_yaml *ct_yaml_get(const ct_yaml *map, const char *key);
ct_yaml *ct_yaml_key(const ct_yaml *map, const char *key);
bool ct_yaml_is_null(const ct_yaml *node); // nothing, ~ or null
// Place of byte `offset` of a scalar's text.
ct_place ct_yaml_place(const ct_yaml_file *file, const ct_yaml *node, size_t offset);

// Finishes a list or map: joins calls that YAML split at their commas, carries out merges (<<),
// reports keys that are not text or stand twice.
void ct_yaml_finish(ct_yaml_file *file, ct_yaml *node);

// First byte that is not part of printable UTF-8 text, or `bytes`.
size_t ct_text_valid(const char *text, size_t bytes);

#endif
