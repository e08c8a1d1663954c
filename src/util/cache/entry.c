// Entries of the cache. A file holds the content, then one line: kind, key, number of bytes and a
// digest of the content. Reading composes that line again and compares it. A file that was cut
// short, changed or put in the place of another has another one.
#include "util/cache/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, MOST = 1 << 30 }; // bytes: read at once; of an entry
enum { TAIL = 102 };                      // bytes of the last line, as TAIL_FORMAT gives them
#define TAIL_FORMAT "\ncotree %-10s %016llx%016llx %016llx %016llx%016llx\n"

enum { NAME = 64 };
static void name_entry(char name[NAME], ct_cache_kind kind, ct_digest key) {
    static const char *const endings[] = {
#define X(name, folder, ending, ...) ending,
        CT_CACHE_KINDS(X)
#undef X
    };
    snprintf(name, NAME, "%016llx%016llx%s", (unsigned long long)key.lane[0],
             (unsigned long long)key.lane[1], endings[kind]);
}

// last lines --------------------------------------------------------------------------------------
typedef struct content { // as it is read or written, block by block
    ct_digest sum;
    unsigned long long bytes;
} content;

static void add_block(content *c, const void *data, size_t n) {
    ct_digest_add(&c->sum, data, n);
    c->bytes += n;
}

static void compose_tail(char tail[TAIL + 1], ct_cache_kind kind, ct_digest key, const content *c) {
    const char *folder = strrchr(ct_cache_folder_name(kind), '/') + 1;
    snprintf(tail, TAIL + 1, TAIL_FORMAT, folder, (unsigned long long)key.lane[0],
             (unsigned long long)key.lane[1], c->bytes, (unsigned long long)c->sum.lane[0],
             (unsigned long long)c->sum.lane[1]);
}

// bytes -------------------------------------------------------------------------------------------
static bool read_bytes(int file, void *data, size_t n) {
    for (char *at = data; n;) {
        ssize_t got = read(file, at, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_bytes(int file, const void *data, size_t n) {
    for (const char *at = data; n;) {
        ssize_t put = write(file, at, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        n -= (size_t)put;
    }
    return true;
}

// reading -----------------------------------------------------------------------------------------
typedef struct entry {
    int folder, file;
    size_t bytes; // of the content
} entry;

static void close_entry(void *data) {
    entry *e = data;
    if (e->file >= 0) close(e->file);
    if (e->folder >= 0) close(e->folder);
}

// Opens an entry that nobody else can have written. No link is followed, no pipe waited for.
static bool open_entry(entry *e, ct_cache_kind kind, ct_digest key) {
    char name[NAME];
    struct stat s;
    name_entry(name, kind, key);
    *e = (entry){.folder = ct_cache_open(kind, false, NULL), .file = -1};
    if (e->folder >= 0)
        e->file = openat(e->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (e->file >= 0 && fstat(e->file, &s) == 0 && S_ISREG(s.st_mode) && !ct_cache_distrust(&s) &&
        s.st_size >= TAIL && s.st_size <= MOST) {
        e->bytes = (size_t)s.st_size - TAIL;
        return true;
    }
    close_entry(e);
    return false;
}

// Reads the content, into `to` or (NULL) only for its digest, and compares the last line. The time
// of an entry that is used is that of its last use.
static bool read_entry(const entry *e, ct_cache_kind kind, ct_digest key, char *to) {
    char block[BLOCK], tail[TAIL + 1], found[TAIL];
    content c = {0};
    for (size_t left = e->bytes; left;) {
        size_t n = left < BLOCK ? left : BLOCK;
        char *at = to ? to + (e->bytes - left) : block;
        if (!read_bytes(e->file, at, n)) return false;
        add_block(&c, at, n);
        left -= n;
    }
    compose_tail(tail, kind, key, &c);
    if (!read_bytes(e->file, found, TAIL) || memcmp(found, tail, TAIL)) return false;
    (void)futimens(e->file, NULL);
    return true;
}

char *ct_cache_read(ct_cache_kind kind, ct_digest key, size_t *bytes) {
    entry e;
    ct_cleanup undo;
    if (!open_entry(&e, kind, key)) return NULL;
    ct_cleanup_push(&undo, close_entry, &e);
    char *text = ct_alloc(e.bytes + 1, 1);
    ct_cleanup_pop(&undo);
    bool good = read_entry(&e, kind, key, text);
    close_entry(&e);
    if (bytes) *bytes = e.bytes;
    if (good) return text;
    ct_free(text);
    return NULL;
}

static char *path_of(ct_cache_kind kind, ct_digest key) {
    char name[NAME], *folder = ct_cache_path(kind);
    name_entry(name, kind, key);
    char *path = folder ? ct_format("%s/%s", folder, name) : NULL;
    ct_free(folder);
    return path;
}

char *ct_cache_find(ct_cache_kind kind, ct_digest key) {
    entry e;
    if (!open_entry(&e, kind, key)) return NULL;
    bool good = read_entry(&e, kind, key, NULL);
    close_entry(&e);
    return good ? path_of(kind, key) : NULL;
}

// writing -----------------------------------------------------------------------------------------
typedef struct part { // an entry on its way
    int folder, file;
    char name[NAME];
    content c;
} part;

static bool open_part(part *p, ct_cache_kind kind) {
    struct timespec now;
    *p = (part){.folder = ct_cache_open(kind, true, NULL), .file = -1};
    if (p->folder < 0) return false;
    for (int trial = 0; trial < 10 && p->file < 0; trial++) {
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(p->name, sizeof p->name, "part.%ld.%ld.%d", (long)getpid(), now.tv_nsec, trial);
        p->file =
            openat(p->folder, p->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (p->file >= 0 && !ct_cache_lock(p->file)) {
            close(p->file);
            p->file = -1;
        }
    }
    if (p->file < 0) close(p->folder);
    return p->file >= 0;
}

// Ends a part, which gets the name of its entry if it is good. It need not have reached the disk
// before it is renamed: what a loss of power leaves of it is recognised when it is read.
static bool close_part(part *p, ct_cache_kind kind, ct_digest key, bool good) {
    char name[NAME], tail[TAIL + 1];
    name_entry(name, kind, key);
    compose_tail(tail, kind, key, &p->c);
    good = good && write_bytes(p->file, tail, TAIL);
    good = good && renameat(p->folder, p->name, p->folder, name) == 0;
    if (!good) unlinkat(p->folder, p->name, 0);
    close(p->file);
    close(p->folder);
    // from time to time the size of the cache is looked at
    static const bool sweeps[] = {
#define X(name, folder, ending, ends, ...) ends,
        CT_CACHE_KINDS(X)
#undef X
    };
    double limit;
    ct_cache_limit(&limit);
    if (good && sweeps[kind]) ct_cache_sweep(limit, NULL);
    return good;
}

// Returns true if the cache has room for so many bytes.
static bool has_room(double bytes) {
    double limit;
    ct_cache_limit(&limit);
    return bytes <= limit / 2 && bytes + TAIL <= MOST;
}

bool ct_cache_write(ct_cache_kind kind, ct_digest key, const void *data, size_t bytes) {
    part p;
    bool good = true;
    if (!has_room((double)bytes) || !open_part(&p, kind)) return false;
    for (size_t at = 0; at < bytes && good; at += BLOCK) {
        size_t n = bytes - at < BLOCK ? bytes - at : BLOCK;
        add_block(&p.c, (const char *)data + at, n);
        good = write_bytes(p.file, (const char *)data + at, n);
    }
    return close_part(&p, kind, key, good);
}

char *ct_cache_take(ct_cache_kind kind, ct_digest key, const char *path) {
    char block[BLOCK];
    part p;
    struct stat s;
    char *target = path_of(kind, key);
    // the part first: opening it allocates, and no file is open meanwhile
    bool opened = target && open_part(&p, kind);
    int from = opened ? open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
    bool good = from >= 0 && fstat(from, &s) == 0 && has_room((double)s.st_size);
    for (off_t left = good ? s.st_size : 0; left > 0 && good;) {
        size_t n = left < BLOCK ? (size_t)left : BLOCK;
        good = read_bytes(from, block, n) && write_bytes(p.file, block, n);
        if (good) add_block(&p.c, block, n);
        left -= (off_t)n;
    }
    if (from >= 0) close(from);
    if (opened) good = close_part(&p, kind, key, good);
    if (good) return target;
    ct_free(target);
    return NULL;
}
