// One small text for each structure: a version, what was found, a sum over both and the structure
// itself, which must be the one that is asked for.
#include "closure/library.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "cotree block 1"
#define FOLDER  "triangular"

static uint64_t sum_of(const ct_block_key *key, const char *body) {
    return ct_hash(body, strlen(body), ct_hash(key->text, strlen(key->text), 0));
}

static char *body_of(const ct_library_entry *e) {
    return ct_format("solutions %d least %d\n", e->shape.solutions, e->shape.least);
}

char *ct_library_print(const ct_block_key *key, const ct_library_entry *entry) {
    char *body = body_of(entry);
    char *text =
        ct_format(VERSION "\nsum %016" PRIx64 "\n%s%s", sum_of(key, body), body, key->text);
    free(body);
    return text;
}

// What was read must give the same text again, which leaves no room for anything else.
bool ct_library_parse(const char *text, const ct_block_key *key, ct_library_entry *entry) {
    uint64_t sum;
    ct_library_entry e = {.looked = true};
    if (sscanf(text, VERSION "\nsum %16" SCNx64 "\nsolutions %d least %d\n", &sum,
               &e.shape.solutions, &e.shape.least) != 3 ||
        e.shape.solutions < 0 || e.shape.solutions > CT_BLOCK_SOLUTIONS || e.shape.least < 0 ||
        e.shape.least > e.shape.solutions)
        return false;
    char *again = ct_library_print(key, &e);
    bool good = !strcmp(text, again);
    free(again);
    if (good) *entry = e;
    return good;
}

static uint64_t place_of(const ct_block_key *key) {
    return ct_hash(key->text, strlen(key->text), ct_hash(VERSION, strlen(VERSION), 0));
}

bool ct_library_read(const ct_block_key *key, ct_library_entry *entry) {
    char *text = ct_cache_read(FOLDER, place_of(key));
    bool good = text && ct_library_parse(text, key, entry);
    free(text);
    return good;
}

void ct_library_write(const ct_block_key *key, const ct_library_entry *entry) {
    char *text = ct_library_print(key, entry);
    ct_cache_write(FOLDER, place_of(key), text);
    free(text);
}
