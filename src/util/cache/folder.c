// Folders of the cache: where they are, and whether they can be trusted.
#include "util/cache/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double mebibyte = 1048576;
static const double usual_limit = 256; // MiB: a few hundred compiled models
static const double block = 4096;      // bytes: the least that a file takes on most disks

bool ct_cache_limit(double *bytes) {
    const char *text = getenv("COTREE_CACHE_SIZE");
    char *end = NULL;
    double size = text ? ct_strtod(text, &end) : usual_limit;
    bool good = !text || (end != text && !*end && size >= 0 && isfinite(size));
    *bytes = mebibyte * (good ? size : usual_limit);
    return good;
}

double ct_cache_bytes(off_t size) {
    return block * fmax(1, ceil((double)size / block));
}

const char *ct_cache_distrust(const struct stat *s) {
    if (s->st_uid != geteuid()) return "it belongs to another user";
    if (s->st_mode & (S_IWGRP | S_IWOTH)) return "other users may write to it";
    return NULL;
}

// The folder that caches of all programs lie in may be a link, and the system's. Nobody else may
// put another folder in the place of ours: who may write there can, unless the sticky bit is set.
static int open_root(const char *path, bool make, ct_cache_problem *problem) {
    struct stat s;
    int root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 && make && errno == ENOENT && mkdir(path, 0700) == 0)
        root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    problem->below = "";
    problem->is_missing = root < 0 && errno == ENOENT;
    if (root < 0 || fstat(root, &s))
        problem->what = strerror(errno);
    else if (s.st_uid != geteuid() && s.st_uid != 0)
        problem->what = "it belongs to another user";
    else if (s.st_mode & S_IWOTH && !(s.st_mode & S_ISVTX))
        problem->what = "other users may write to it";
    problem->is_unsafe = problem->what && root >= 0;
    if (problem->what && root >= 0) close(root);
    return problem->what ? -1 : root;
}

// A folder of ours in another one, which is closed.
static int open_below(int folder, const char *name, bool make, ct_cache_problem *problem) {
    struct stat s;
    int below;
    // no link is followed
    if (make && mkdirat(folder, name, 0700) && errno != EEXIST) problem->what = strerror(errno);
    below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0 && fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(s.st_mode)) {
        problem->what = S_ISLNK(s.st_mode) ? "it is a symbolic link" : "it is not a folder";
        problem->is_unsafe = true;
    } else if (below < 0) {
        problem->is_missing = errno == ENOENT;
        if (!problem->what) problem->what = strerror(errno);
    } else {
        problem->what = fstat(below, &s) ? strerror(errno) : ct_cache_distrust(&s);
        problem->is_unsafe = problem->what != NULL;
    }
    close(folder);
    if (below >= 0 && problem->what) close(below);
    return problem->what ? -1 : below;
}

const char *ct_cache_folder_name(ct_cache_kind kind) {
    static const char *const names[] = {
#define X(name, folder, ...) "/cotree/" folder,
        CT_CACHE_KINDS(X)
#undef X
            "/cotree"};
    return names[kind];
}

char *ct_cache_path(ct_cache_kind kind) {
    const char *folder, *caches;
    if (!ct_cache_root(&folder, &caches)) return NULL;
    return ct_format("%s%s%s", folder, caches, ct_cache_folder_name(kind));
}

int ct_cache_open(ct_cache_kind kind, bool make, ct_cache_problem *problem) {
    const char *folder, *caches, *name = ct_cache_folder_name(kind);
    double limit;
    ct_cache_problem none;
    if (!problem) problem = &none;
    *problem = (ct_cache_problem){.below = ""};
    // switched off, or nowhere
    ct_cache_limit(&limit);
    if (limit <= 0) problem->what = "COTREE_CACHE_SIZE is 0";
    if (!ct_cache_root(&folder, &caches)) problem->what = "neither XDG_CACHE_HOME nor HOME is set";
    if (problem->what) return -1;
    // one folder after the other
    char *root = ct_format("%s%s", folder, caches);
    int at = open_root(root, make, problem);
    ct_free(root);
    if (at < 0) return -1;
    problem->below = ct_cache_folder_name(CT_CACHE_TOP);
    at = open_below(at, problem->below + 1, make, problem);
    if (at < 0 || kind == CT_CACHE_TOP) return at;
    problem->below = name;
    return open_below(at, name + strlen(ct_cache_folder_name(CT_CACHE_TOP)) + 1, make, problem);
}
