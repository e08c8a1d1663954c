// The size of the cache is bounded, and killed processes leave nothing behind. Who makes a file or
// folder for a while locks it; the lock ends with the process. What is not locked has no maker any
// more and is removed. Processes that sweep at once remove the same files, which does no harm.
#include "util/cache/inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static const double kept = 7.0 / 8;        // of the limit, so that not every entry sweeps anew
static const double abandoned = 24 * 3600; // seconds: age of leftovers where locks do not work

bool ct_cache_lock(int descriptor) {
    struct stat s;
    if (flock(descriptor, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) return false;
    return fstat(descriptor, &s) == 0 && s.st_nlink > 0;
}

// Returns true if what was made for a while has no maker any more; it is locked then.
static bool is_leftover(int descriptor) {
    struct stat s;
    if (fstat(descriptor, &s) || s.st_uid != geteuid()) return false;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    return errno != EWOULDBLOCK && difftime(time(NULL), s.st_mtime) > abandoned;
}

static bool begins(const char *name, const char *with) {
    return !strncmp(name, with, strlen(with));
}

// removing ----------------------------------------------------------------------------------------
static DIR *open_list(int folder) { // of the names in it; the descriptor stays the caller's
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again >= 0 ? fdopendir(again) : NULL;
    if (again >= 0 && !list) close(again);
    return list;
}

static void remove_files(int folder) {
    DIR *list = open_list(folder);
    for (const struct dirent *e; list && (e = readdir(list));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(folder, e->d_name, 0);
    if (list) closedir(list);
}

// A folder (else: a file) that was made for a while.
static void remove_leftover(int folder, const char *name, bool is_folder) {
    int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0);
    int made = openat(folder, name, flags);
    if (made < 0) return;
    if (is_leftover(made)) {
        if (is_folder) remove_files(made);
        unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0);
    }
    close(made);
}

static void remove_leftovers(int folder, const char *beginning, bool are_folders) {
    DIR *list = open_list(folder);
    for (const struct dirent *e; list && (e = readdir(list));)
        if (begins(e->d_name, beginning)) remove_leftover(folder, e->d_name, are_folders);
    if (list) closedir(list);
}

// entries -----------------------------------------------------------------------------------------
enum { DIGITS = 32 }; // of a key

typedef struct listed {
    ct_cache_kind kind;
    char name[DIGITS + 8];
    double used; // seconds: when
    double bytes;
} listed;

typedef struct listing {
    listed *item;
    int n, room;
    double bytes;
} listing;

static bool is_digits(const char *name, size_t n) {
    return strspn(name, "0123456789abcdef") == n;
}

// Earlier versions kept objects in the top folder, other entries under 16 digits.
static bool is_of_earlier_version(const char *name, ct_cache_kind kind) {
    if (kind == CT_CACHE_TOP)
        return is_digits(name, DIGITS) && !strcmp(name + DIGITS, ct_object_suffix);
    return is_digits(name, DIGITS / 2) && !name[DIGITS / 2];
}

static void close_list(void *list) {
    closedir(list);
}

static void list_entries(listing *all, ct_cache_kind kind, int folder) {
    struct stat s;
    ct_cleanup undo;
    DIR *list = open_list(folder);
    if (!list && errno == ENOMEM) ct_run_out(); // entries that are not listed would not be cleared
    if (!list) return;
    ct_cleanup_push(&undo, close_list, list);
    for (const struct dirent *e; (e = readdir(list));) {
        if (is_of_earlier_version(e->d_name, kind)) unlinkat(folder, e->d_name, 0);
        if (kind == CT_CACHE_TOP || !is_digits(e->d_name, DIGITS) ||
            strlen(e->d_name) >= sizeof all->item->name ||
            fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW))
            continue;
        listed *x = CT_PUSH(all->item, all->n, all->room);
        *x = (listed){.kind = kind, .used = ct_changed_at(&s), .bytes = ct_cache_bytes(s.st_size)};
        strcpy(x->name, e->d_name);
        all->bytes += x->bytes;
    }
    ct_cleanup_pop(&undo);
    closedir(list);
}

static int by_use(const void *a, const void *b) {
    const listed *x = a, *y = b;
    return x->used != y->used ? (x->used < y->used ? -1 : 1) : strcmp(x->name, y->name);
}

// Removes entries, those first that were used last a long time ago. Returns how many.
static int remove_oldest(listing *all, double limit) {
    int n = 0;
    if (all->n) qsort(all->item, (size_t)all->n, sizeof *all->item, by_use);
    for (; n < all->n && all->bytes > limit; n++) all->bytes -= all->item[n].bytes;
    // one folder after the other: opening one allocates, and none is open meanwhile
    for (int k = 0; k < CT_CACHE_KIND_COUNT; k++) {
        int folder = ct_cache_open((ct_cache_kind)k, false, NULL);
        if (folder < 0) continue;
        for (int i = 0; i < n; i++)
            if ((int)all->item[i].kind == k) unlinkat(folder, all->item[i].name, 0);
        close(folder);
    }
    return n;
}

static void close_descriptor(void *descriptor) {
    close(*(int *)descriptor);
}

void ct_cache_sweep(double limit, ct_cache_count count[CT_CACHE_KIND_COUNT]) {
    listing all = {0};
    // leftovers, and the entries of each folder
    for (int k = 0; k <= CT_CACHE_TOP; k++) {
        ct_cleanup undo;
        int folder = ct_cache_open((ct_cache_kind)k, false, NULL);
        if (folder < 0) continue;
        ct_cleanup_push(&undo, close_descriptor, &folder);
        remove_leftovers(folder, k == CT_CACHE_TOP ? "build." : "part.", k == CT_CACHE_TOP);
        list_entries(&all, (ct_cache_kind)k, folder);
        ct_cleanup_pop(&undo);
        close(folder);
    }
    // the oldest, where there are too many
    int gone = all.bytes > limit ? remove_oldest(&all, kept * limit) : 0;
    for (int i = gone; count && i < all.n; i++) {
        count[all.item[i].kind].entries++;
        count[all.item[i].kind].bytes += all.item[i].bytes;
    }
    ct_free(all.item);
}

void ct_cache_sweep_temporary(void) {
    int folder = open(ct_temporary_folder(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    remove_leftovers(folder, "cotree.build.", true);
    close(folder);
}

// workshops ---------------------------------------------------------------------------------------
ct_workshop ct_workshop_new(bool in_cache) {
    enum { TRIALS = 10 }; // others may remove a folder before it is locked
    ct_workshop w = {.lock = -1};
    // the folder around it
    if (in_cache) {
        int top = ct_cache_open(CT_CACHE_TOP, true, NULL);
        if (top < 0) return w;
        close(top);
    } else {
        ct_cache_sweep_temporary();
    }
    // a new one, locked
    for (int i = 0; i < TRIALS && w.lock < 0; i++) {
        char *top = in_cache ? ct_cache_path(CT_CACHE_TOP) : NULL;
        char *path = in_cache ? ct_format("%s/build.XXXXXX", top) : ct_temporary("build");
        ct_free(top);
        ct_free(w.path);
        w.path = path;
        if (!mkdtemp(path)) break;
        w.lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (w.lock >= 0 && !ct_cache_lock(w.lock)) {
            close(w.lock);
            w.lock = -1;
        }
    }
    if (w.lock < 0) ct_workshop_clear(&w);
    return w;
}

void ct_workshop_remove(void *workshop) {
    ct_workshop *w = workshop;
    if (w->lock < 0) return;
    remove_files(w->lock);
    rmdir(w->path);
    close(w->lock);
    w->lock = -1;
}

void ct_workshop_clear(ct_workshop *w) {
    ct_free(w->path);
    *w = (ct_workshop){.lock = -1};
}
