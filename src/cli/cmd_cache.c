// cotree cache: what is kept between runs, where, and how much of it there is.
#include "cli.h"
#include "report.h"

#include <stdio.h>

static const double mebibyte = 1048576;

static void write_json(const ct_cache_info *info, bool cleared) {
    ct_json j;
    double bytes = 0;
    long n = 0;
    // the folder and its limit
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_string(&j, "folder", info->folder);
    ct_json_boolean(&j, "used", !info->why);
    ct_json_string(&j, "why", info->why);
    ct_json_boolean(&j, "cleared", cleared);
    ct_json_number(&j, "limit", info->limit);
    // kinds, and their sum
    ct_json_array(&j, "kinds");
    for (int i = 0; i < info->n_kinds; i++) {
        const ct_cache_entries *k = info->kinds + i;
        ct_json_object(&j, NULL);
        ct_json_string(&j, "name", k->name);
        ct_json_string(&j, "what", k->what);
        ct_json_number(&j, "entries", (double)k->n);
        ct_json_number(&j, "bytes", k->bytes);
        ct_json_end(&j);
        n += k->n;
        bytes += k->bytes;
    }
    ct_json_end(&j);
    ct_json_number(&j, "entries", (double)n);
    ct_json_number(&j, "bytes", bytes);
    ct_json_end(&j);
}

static void write_text(const ct_cache_info *info, bool cleared) {
    double bytes = 0;
    long n = 0;
    printf("cache: %s\n", info->folder ? info->folder : "none");
    if (info->why) printf("  not used: %s\n", info->why);
    for (int i = 0; i < info->n_kinds; i++) {
        const ct_cache_entries *k = info->kinds + i;
        printf("  %-12s %6ld  %9.1f KiB  %s\n", k->name, k->n, k->bytes / 1024, k->what);
        n += k->n;
        bytes += k->bytes;
    }
    fputs(cleared ? "  removed: " : "  in all: ", stdout);
    report_count(stdout, n, "entry", "entries");
    printf(", %.1f MiB", bytes / mebibyte);
    if (!cleared) printf(" of at most %.0f MiB", info->limit / mebibyte);
    putchar('\n');
}

int command_cache(const arguments *a) {
    session s = {.ctx = ct_context_new()};
    ct_cache_info *info = NULL;
    ct_status status = CT_NO_MEMORY;
    if (s.ctx) status = a->clear ? ct_cache_clear(s.ctx, &info) : ct_cache_show(s.ctx, &info);
    if (status == CT_OK && a->json) write_json(info, a->clear);
    if (status == CT_OK && !a->json && !a->quiet) write_text(info, a->clear);
    ct_cache_info_free(info);
    return session_close(&s, status);
}
