// Private to the cache: its folders, and how files of others and of killed processes are told.
#ifndef CT_CACHE_INSIDE_H
#define CT_CACHE_INSIDE_H

#include "util/cache/cache.h"

#include <sys/stat.h>
#include <sys/types.h>

// Why a folder of the cache is not used.
typedef struct ct_cache_problem {
    const char *what;  // NULL: there is none
    const char *below; // where: "", "/cotree", ...
    bool is_unsafe;    // others could put files there
    bool is_missing;   // it was not asked to be made; else it cannot be made or read
} ct_cache_problem;

#define CT_CACHE_TOP CT_CACHE_KIND_COUNT // the folder of all kinds

const char *ct_cache_folder_name(ct_cache_kind kind); // "/cotree/code"
// A descriptor of a folder, -1: there is none, or it is not used. make: a missing one is made.
int ct_cache_open(ct_cache_kind kind, bool make, ct_cache_problem *problem);
// The path of the folder, which is the caller's; NULL: there is no place for it.
char *ct_cache_path(ct_cache_kind kind);

// Largest number of bytes of all entries: COTREE_CACHE_SIZE in MiB, 0: no cache. Returns false if
// that is no number; the usual limit holds then.
bool ct_cache_limit(double *bytes);
// Bytes that a file of this size takes on the disk, about.
double ct_cache_bytes(off_t size);

// Returns NULL for a file of this user that nobody else may write to, else what is wrong with it.
const char *ct_cache_distrust(const struct stat *s);
// Locks a file or folder that this process has made. Returns false if somebody is removing it.
bool ct_cache_lock(int descriptor);

typedef struct ct_cache_count { // of one kind
    long entries;
    double bytes;
} ct_cache_count;
// Looks at all entries: counts them, removes leftovers of killed processes, and entries until at
// most `limit` bytes are left, those first that were not used for the longest time.
void ct_cache_sweep(double limit, ct_cache_count count[CT_CACHE_KIND_COUNT]);
// Removes what killed processes have left in the folder for temporary files.
void ct_cache_sweep_temporary(void);

#endif
