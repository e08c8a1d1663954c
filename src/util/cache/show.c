// What the cache holds, for the user to see and to clear.
#include "util/cache/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// Reasons are literals or messages of the system.
static ct_cache_info *look(ct_cache_problem *problem) {
    static const struct {
        const char *name, *what;
    } kinds[] = {
#define X(name, folder, ending, ends, what) {folder, what},
        CT_CACHE_KINDS(X)
#undef X
    };
    ct_cache_info *info = ct_alloc(1, sizeof *info);
    // a folder that cannot be used; one that is missing will be made
    for (int k = CT_CACHE_TOP; k >= 0 && !info->why; k--) {
        int folder = ct_cache_open((ct_cache_kind)k, false, problem);
        if (!problem->is_missing) info->why = problem->what;
        if (folder >= 0 && faccessat(folder, ".", W_OK, AT_EACCESS)) info->why = strerror(errno);
        if (folder >= 0) close(folder);
    }
    info->folder = ct_cache_path(CT_CACHE_TOP);
    ct_cache_limit(&info->limit);
    // entries of each kind
    info->n_kinds = CT_CACHE_KIND_COUNT;
    info->kinds = ct_alloc(CT_CACHE_KIND_COUNT, sizeof *info->kinds);
    for (int k = 0; k < CT_CACHE_KIND_COUNT; k++)
        info->kinds[k] = (ct_cache_entries){.name = kinds[k].name, .what = kinds[k].what};
    return info;
}

static void count(ct_cache_info *info, double limit) {
    ct_cache_count counts[CT_CACHE_KIND_COUNT] = {0};
    ct_cache_sweep(limit, counts);
    for (int k = 0; k < info->n_kinds; k++) {
        info->kinds[k].n = counts[k].entries;
        info->kinds[k].bytes = counts[k].bytes;
    }
}

static void release(ct_cache_info *info) {
    ct_release(info->folder);
    ct_release(info->kinds);
    ct_release(info);
}

static CT_BELOW ct_status show(ct_cache_info **info) {
    ct_cache_problem problem;
    *info = look(&problem);
    count(*info, (*info)->limit);
    return CT_OK;
}

ct_status ct_cache_show(ct_context *ctx, ct_cache_info **info) {
    CT_CALL_GIVES(ctx, NULL, info, release, show(info));
}

static CT_BELOW ct_status clear(ct_context *ctx, ct_cache_info **info) {
    ct_cache_problem problem;
    ct_cache_count left[CT_CACHE_KIND_COUNT] = {0};
    ct_status status = CT_OK;
    long n = 0;
    *info = look(&problem);
    count(*info, (*info)->limit);
    ct_cache_sweep(0, left); // empties the folders
    memset(left, 0, sizeof left);
    ct_cache_sweep((*info)->limit, left);
    for (int k = 0; k < CT_CACHE_KIND_COUNT; k++) n += left[k].entries;
    if (problem.is_unsafe)
        status = ct_fail(ctx, CT_INTERNAL, "the cache %s is not cleared: %s", (*info)->folder,
                         problem.what);
    else if (n)
        status = ct_fail(ctx, CT_INTERNAL, "%ld files of the cache %s cannot be removed", n,
                         (*info)->folder);
    if (status) {
        ct_cache_info_free(*info);
        *info = NULL;
    }
    return status;
}

ct_status ct_cache_clear(ct_context *ctx, ct_cache_info **info) {
    CT_CALL_GIVES(ctx, NULL, info, release, clear(ctx, info));
}

void ct_cache_info_free(ct_cache_info *info) {
    if (!info) return;
    ct_free(info->folder);
    ct_free(info->kinds);
    ct_free(info);
}

static CT_BELOW ct_status check(ct_context *ctx) {
    ct_cache_problem problem;
    double limit;
    const char *folder, *caches;
    if (!ct_cache_limit(&limit))
        ct_warning_at(ctx, (ct_place){0, 0},
                      "COTREE_CACHE_SIZE is no number of MiB: the cache may have %.0f MiB",
                      limit / 1048576);
    for (int k = CT_CACHE_TOP; k >= 0; k--) {
        int at = ct_cache_open((ct_cache_kind)k, false, &problem);
        if (at >= 0) close(at);
        if (!problem.is_unsafe || !ct_cache_root(&folder, &caches)) continue;
        ct_warning_at(ctx, (ct_place){0, 0},
                      "the cache %s%s%s is not used: %s; make the folder your own alone (chown, "
                      "chmod go-w), or name another one in XDG_CACHE_HOME",
                      folder, caches, problem.below, problem.what);
        break;
    }
    return CT_OK;
}

ct_status ct_cache_check(ct_context *ctx) {
    CT_CALL(ctx, NULL, check(ctx));
}
