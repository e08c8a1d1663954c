// Files of a model that is compiled, its compilers, and the object that they make. Where the caller
// goes on meanwhile, it looks now and then whether they are done.
#include "run/code/building.h"

#include "emit/kernel_files.h"
#include "util/cache/cache.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LONG_SOURCE = 1000 * 1000 }; // bytes: long functions take the optimiser too long
#define SECONDS_PER_BYTE 8e-6       // of a source, for its compilers together
// of the time that compilers still need: as long as runs were interpreted for less, they end without
// them; ten times as many would not gain that time
#define WORTH 0.1

struct ct_building {
    ct_region region;
    ct_building_task task; // without source and header
    ct_workshop shop;
    ct_command cc;
    ct_compilation run;
    ct_cleanup undo;
    double start;
    double expected; // seconds of the compilers
};

// files -------------------------------------------------------------------------------------------
// Headers of the kernel that a generated model includes.
static const char *const headers[] = {"ctk.h",          "ctk_integrators.h",    "ctk_wrenches.h",
                                      "ctk_small.h",    "ctk_certified_root.h", "ctk_root.h",
                                      "ctk_root_pair.h"};
enum { HEADERS = sizeof headers / sizeof *headers };

const char *ct_building_header(int i, const char **name) {
    if (i >= HEADERS) return NULL;
    *name = headers[i];
    for (const struct ct_embedded_file *f = ct_kernel_files; f->name; f++)
        if (!strcmp(f->name, headers[i])) return f->text;
    return "";
}

const char *ct_building_level(const char *source) {
    return strlen(source) > LONG_SOURCE ? "-O1" : "-O2";
}

static bool write_file(const char *directory, const char *name, const char *text) {
    char *path = ct_scratch_format("%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file && fclose(file)) good = false;
    return good;
}

// Writes the model, in units where it is long, and its headers. Returns false if that fails.
static bool write_sources(ct_building *b, const ct_building_task *t) {
    char **units = NULL, *whole = (char *)t->source; // not changed
    const char *directory = b->shop.path, *name = NULL, *text;
    ct_compilation *r = &b->run;
    // units, or the source as it is
    r->n = ct_units(whole, ct_scratch_format("const ctk_model %s_model = {", t->name), &units);
    bool is_whole = r->n == 0, written = true;
    if (is_whole) {
        r->n = 1;
        units = &whole;
    }
    for (int i = 0; i < r->n; i++) {
        char *file = is_whole ? ct_scratch_format("%s.c", t->name)
                              : ct_scratch_format("%s_%d.c", t->name, i + 1);
        r->source[i] = ct_format("%s/%s", directory, file);
        r->unit[i] = ct_format("%s.o", r->source[i]);
        r->unit_log[i] = ct_format("%s.log", r->source[i]);
        written = written && write_file(directory, file, units[i]);
        if (!is_whole) ct_free(units[i]);
    }
    // headers
    written = written && write_file(directory, ct_scratch_format("%s.h", t->name), t->header);
    for (int i = 0; written && (text = ct_building_header(i, &name)); i++)
        written = write_file(directory, name, text);
    return written;
}

// compilers ---------------------------------------------------------------------------------------
static void undo(void *building) {
    ct_building *b = building;
    ct_compile_stop(&b->run);
    ct_workshop_remove(&b->shop);
}

ct_building *ct_building_start(const ct_building_task *task, bool behind) {
    ct_building *b = ct_region_new(sizeof *b);
    ct_context *quiet = ct_context_quiet(NULL);
    b->start = ct_seconds();
    b->expected = SECONDS_PER_BYTE * (double)strlen(task->source);
    b->task = *task;
    b->task.source = b->task.header = NULL;
    b->task.name = ct_strdup(task->name);
    // a folder
    b->shop = ct_workshop_new(task->is_kept);
    int reason = errno;
    ct_cleanup_push(&b->undo, undo, b);
    bool good = b->shop.path && !ct_compiler_read(quiet, &b->cc);
    ct_context_free(quiet);
    // files, flags, compilers
    if (good) {
        b->run = (ct_compilation){.cc = &b->cc,
                                  .level = ct_building_level(task->source),
                                  .quick = true,
                                  .exact = task->exact,
                                  .behind = behind,
                                  .object = ct_format("%s/model", b->shop.path),
                                  .log = ct_format("%s/log", b->shop.path)};
        good = write_sources(b, task);
        reason = errno;
    }
    if (good) ct_compile_start(&b->run);
    ct_region_close(&b->region);
    if (good) return b;
    ct_building_free(b);
    errno = reason;
    return NULL;
}

void ct_building_start_plain(ct_building *b) {
    b->run.quick = false;
    ct_compile_start(&b->run);
}

// Seconds that the compilers still need; negative: they are late.
static double left(const ct_building *b) {
    return b->expected - (ct_seconds() - b->start);
}

bool ct_building_pays(const ct_building *b, double seconds) {
    ct_digest key = b->task.key;
    ct_digest_add_text(&key, "interpreted");
    // with those of earlier runs
    size_t bytes = 0;
    double before = 0;
    char *kept = b->task.is_kept ? ct_cache_read(CT_CACHE_STARTS, key, &bytes) : NULL;
    if (kept && bytes == sizeof before) memcpy(&before, kept, sizeof before);
    ct_free(kept);
    if (before > 0) seconds += before;
    if (seconds >= WORTH * left(b)) return true;
    if (b->task.is_kept) ct_cache_write(CT_CACHE_STARTS, key, &seconds, sizeof seconds);
    return false;
}

bool ct_building_look(ct_building *b, bool waits) {
    return ct_compile_look(&b->run, waits);
}

const char *ct_building_object(const ct_building *b) {
    return b->run.code ? NULL : b->run.object;
}

int ct_building_code(const ct_building *b, char **complaint) {
    char line[240] = "";
    FILE *file = fopen(b->run.complaint, "r");
    if (file && !fgets(line, sizeof line, file)) line[0] = '\0';
    if (file) fclose(file);
    line[strcspn(line, "\n")] = '\0';
    *complaint = ct_scratch_strdup(line);
    return b->run.code;
}

char *ct_building_keep(ct_building *b) {
    const ct_building_task *t = &b->task;
    char *kept = t->is_kept ? ct_cache_take(CT_CACHE_CODE, t->key, b->run.object) : NULL;
    if (kept) ct_cache_write(CT_CACHE_CODE, t->any, &t->key, sizeof t->key);
    return kept;
}

void ct_building_leave(ct_building *b) {
    ct_cleanup_pop(&b->undo);
}

ct_region *ct_building_region(ct_building *b) {
    return &b->region;
}

void ct_building_free(ct_building *b) {
    if (!b) return;
    ct_cleanup_pop(&b->undo);
    undo(b);
    ct_region_free(&b->region);
}
