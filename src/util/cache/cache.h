// What is kept between runs: one file for each entry, in $XDG_CACHE_HOME/cotree (else
// ~/.cache/cotree). The key of an entry is the digest of everything that its content depends on, so
// that a content found is the content that would be computed. Nothing here fails: where the cache
// cannot be used, nothing is found and nothing is kept.
//
// Trusted are folders and files of this user that nobody else may write to. A file ends with its
// kind, its key and a digest of its content, which are compared before anything is used. Files are
// written under another name and renamed, so any number of processes may read and write at once.
#ifndef CT_CACHE_H
#define CT_CACHE_H

#include "util/util.h"

// Kinds of entries: X(enumerator, folder, ending of names, does an entry of it end a run's work, so
// that the size of the cache is looked at then, what it holds)
#define CT_CACHE_KINDS(X)                                                                          \
    X(ORDERS, "orders", "", true, "orders in which loops are closed")                              \
    X(TRIANGULAR, "triangular", "", false, "eliminations of unknowns")                             \
    X(STARTS, "starts", "", false, "what runs of models start with")                               \
    X(CODE, "code", ct_object_suffix, true, "compiled models")
typedef enum ct_cache_kind {
#define CT_CACHE_ENUM(name, ...) CT_CACHE_##name,
    CT_CACHE_KINDS(CT_CACHE_ENUM)
#undef CT_CACHE_ENUM
        CT_CACHE_KIND_COUNT
} ct_cache_kind;

// The content of an entry with a zero behind it, and its number of bytes (may be NULL); NULL: there
// is none.
char *ct_cache_read(ct_cache_kind kind, ct_digest key, size_t *bytes);
bool ct_cache_write(ct_cache_kind kind, ct_digest key, const void *content, size_t bytes);

// An entry as a file: its path once the content is found to be whole, or NULL. The entry's end
// stands behind the content, where loaders of shared objects do not look.
char *ct_cache_find(ct_cache_kind kind, ct_digest key);
// Copies a file into the cache. Returns the path of the entry, or NULL.
char *ct_cache_take(ct_cache_kind kind, ct_digest key, const char *path);

// A folder for files of one task, in the cache or where temporary files belong. It is locked as
// long as its maker lives: what killed processes leave behind is removed by others.
typedef struct ct_workshop {
    char *path; // NULL: it could not be made
    int lock;   // a descriptor
} ct_workshop;
ct_workshop ct_workshop_new(bool in_cache);
void ct_workshop_remove(void *workshop); // with its files; allocates nothing, so it is a clean-up
void ct_workshop_clear(ct_workshop *w);  // once it is removed

#endif
