// Compile and load. The shared object is kept in the cache; its key is the digest of the source, the
// kernel's headers, the compiler with its flags, and the processor. Where the cache cannot be used
// or is full, the object is built and loaded among temporary files.
#include "run/code/compile.h"

#include "emit/kernel_files.h"
#include "run/code/compiler.h"
#include "util/cache/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool write_file(const char *directory, const char *name, const char *text) {
    char *path = ct_scratch_format("%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file && fclose(file)) good = false;
    return good;
}

// Headers of the kernel that a generated model includes.
static const char *const headers[] = {"ctk.h",       "ctk_integrators.h",
                                      "ctk_small.h", "ctk_certified_root.h",
                                      "ctk_root.h",  "ctk_root_pair.h"};
enum { HEADERS = sizeof headers / sizeof *headers };

static const char *header_text(int i) {
    for (const struct ct_embedded_file *f = ct_kernel_files; f->name; f++)
        if (!strcmp(f->name, headers[i])) return f->text;
    return "";
}

enum { LONG_SOURCE = 1000 * 1000 }; // bytes

static char *first_line(const char *path) {
    char line[240] = "";
    FILE *file = fopen(path, "r");
    if (file && !fgets(line, sizeof line, file)) line[0] = '\0';
    if (file) fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return ct_strdup(line);
}

// What is compiled, and how.
typedef struct task {
    const ct_emission *code;
    const char *name; // of the model
    ct_command cc;
    const char *level; // of optimisation
    ct_digest key;     // of the object in the cache
    ct_digest any;     // the same, whatever file the compiler is: its entry holds the last such key
    bool has_compiler;
    bool refused; // the compiler did not take the code
} task;

// Writes the model, in units where it is long, and its headers. Returns the number of sources, 0 if
// they cannot be written.
static int write_sources(const task *t, const char *directory, char *sources[CT_MOST_UNITS]) {
    char **units = NULL, *whole = t->code->source;
    // units, or the source as it is
    int n = ct_units(whole, ct_scratch_format("const ctk_model %s_model = {", t->name), &units);
    bool is_whole = n == 0, written = true;
    if (is_whole) {
        n = 1;
        units = &whole;
    }
    for (int i = 0; i < n; i++) {
        char *name = is_whole ? ct_scratch_format("%s.c", t->name)
                              : ct_scratch_format("%s_%d.c", t->name, i + 1);
        sources[i] = ct_scratch_format("%s/%s", directory, name);
        written = written && write_file(directory, name, units[i]);
        if (!is_whole) ct_free(units[i]);
    }
    // headers
    written = written && write_file(directory, ct_scratch_format("%s.h", t->name), t->code->header);
    for (int i = 0; i < HEADERS && written; i++)
        written = write_file(directory, headers[i], header_text(i));
    return written ? n : 0;
}

// Writes the model and its headers to `directory` and compiles them there to `object`.
static ct_status build(ct_context *ctx, task *t, const char *directory, const char *object) {
    char *sources[CT_MOST_UNITS];
    int n = write_sources(t, directory, sources);
    if (!n) return ct_fail(ctx, CT_INTERNAL, "cannot write to %s: %s", directory, strerror(errno));
    // with flags for this machine, else with standard ones: it may not know what is not standard
    ct_compilation r = {
        .cc = &t->cc, .level = t->level, .quick = true, .links = true, .object = object};
    r.log = ct_scratch_format("%s/log", directory);
    const char *log;
    int code = ct_compile(&r, n, sources, &log);
    if (code > 0 && code != CT_COMPILER_NOT_FOUND) {
        r.quick = false;
        code = ct_compile(&r, n, sources, &log);
    }
    // messages: no compiler, its first complaint
    if (code == CT_COMPILER_NOT_FOUND)
        return ct_fail(
            ctx, CT_INTERNAL,
            "the C compiler '%s' was not found: install one (package gcc), name another in CC, or "
            "have the model interpreted (CC=none)",
            t->cc.word[0]);
    if (!code) return CT_OK;
    t->refused = true;
    char *line = first_line(log);
    ct_status status =
        ct_fail(ctx, CT_INTERNAL, "the C compiler '%s' refused the generated code: %s",
                t->cc.word[0], line);
    ct_free(line);
    return status;
}

// Loads an object and finds the model in it. Returns false if either fails.
static bool open_object(const char *path, const char *name, ct_loaded *loaded) {
    char *symbol = ct_scratch_format("%s_model", name);
    ct_cleanup *undo = ct_alloc(1, sizeof *undo);
    loaded->handle = ct_object_open(path);
    if (loaded->handle) {
        loaded->undo = undo;
        ct_cleanup_push(undo, ct_object_close, loaded->handle);
        loaded->model = ct_object_find(loaded->handle, symbol);
        if (!loaded->model) ct_unload(loaded);
    } else {
        ct_free(undo);
    }
    return loaded->model != NULL;
}

// The keys: model, kernel, flags, level, processor, compiler.
static void find_keys(task *t) {
    ct_digest key = {0};
    ct_digest_add_text(&key, t->name);
    ct_digest_add_text(&key, t->code->source);
    ct_digest_add_text(&key, t->code->header);
    for (int i = 0; i < HEADERS; i++) ct_digest_add_text(&key, header_text(i));
    for (int i = 0; i < CT_OBJECT_FLAGS; i++) ct_digest_add_text(&key, ct_object_flags[i]);
    ct_digest_add_text(&key, t->level);
    ct_digest_add_number(&key, CT_UNIT_BYTES);
    ct_digest_add_number(&key, CT_MOST_UNITS);
    ct_compiler_add(&key, &t->cc);
    t->any = key;
    t->has_compiler = ct_compiler_add_programs(&key, &t->cc);
    t->key = key;
}

// Compiles in a folder of its own and loads the object, from the cache or, where that does not take
// it, from the folder.
static ct_status build_and_load(ct_context *ctx, task *t, bool in_cache, ct_loaded *loaded) {
    // a folder
    double start = ct_seconds();
    ct_workshop w = ct_workshop_new(in_cache);
    if (!w.path)
        return ct_fail(ctx, CT_INTERNAL, "cannot make a folder in %s: %s",
                       in_cache ? "the cache" : ct_temporary_folder(), strerror(errno));
    ct_cleanup undo;
    ct_cleanup_push(&undo, ct_workshop_remove, &w);
    // the object; the time is that of the compiler, without loading
    char *object = ct_format("%s/model", w.path);
    ct_status status = build(ctx, t, w.path, object);
    double seconds = ct_seconds() - start;
    // loaded from where it stays, else from here
    if (!status) {
        char *kept = in_cache ? ct_cache_take(CT_CACHE_CODE, t->key, object) : NULL;
        if (kept) ct_cache_write(CT_CACHE_CODE, t->any, &t->key, sizeof t->key);
        loaded->kept = kept && open_object(kept, t->name, loaded);
        loaded->key = t->key;
        if (!loaded->kept && !open_object(object, t->name, loaded))
            status =
                ct_fail(ctx, CT_INTERNAL, "cannot load the compiled model: %s", ct_object_error());
        ct_free(kept);
    }
    loaded->compile_seconds = seconds;
    ct_free(object);
    ct_cleanup_pop(&undo);
    ct_workshop_remove(&w);
    ct_workshop_clear(&w);
    return status;
}

// interpretation ----------------------------------------------------------------------------------
// The key of a text to interpret: nothing but the text decides on what becomes of it.
static ct_digest text_key(const ct_emission *code) {
    ct_digest key = {0};
    ct_digest_add_text(&key, "interpreted");
    ct_digest_add_text(&key, code->source);
    return key;
}

static char *why_interpreted(const ct_command *cc) {
    return cc->is_none ? ct_strdup("CC is none")
                       : ct_format("no C compiler ('%s') was found", cc->word[0]);
}

// Interprets the code; a next run finds its text.
static ct_status interpret(ct_context *ctx, const task *t, ct_loaded *loaded) {
    ct_report(ctx, "reading the code", -1, false);
    loaded->machine = ct_machine_new(ctx, t->code->source, t->name);
    if (!loaded->machine) return CT_INTERNAL;
    loaded->model = ct_machine_model(loaded->machine);
    loaded->key = text_key(t->code);
    return CT_OK;
}

// A text that was interpreted before.
static bool interpret_kept(ct_digest key, const char *name, ct_loaded *loaded) {
    char *text = ct_cache_read(CT_CACHE_STARTS, key, NULL);
    ct_command cc;
    ct_context *quiet = ct_context_quiet(NULL);
    if (text && !ct_compiler_read(quiet, &cc)) {
        loaded->machine = ct_machine_new(quiet, text, name);
        if (loaded->machine) loaded->model = ct_machine_model(loaded->machine);
        if (loaded->machine) loaded->why = why_interpreted(&cc);
        ct_free(cc.text);
    }
    ct_context_free(quiet);
    ct_free(text);
    return loaded->machine != NULL;
}

bool ct_load_kept(ct_digest key, const char *name, ct_loaded *loaded) {
    *loaded = (ct_loaded){.key = key};
    char *path = ct_cache_find(CT_CACHE_CODE, key);
    loaded->kept = path ? open_object(path, name, loaded) : interpret_kept(key, name, loaded);
    ct_free(path);
    return loaded->kept;
}

// Without a compiler, what the last one has made.
static bool load_from_cache(const task *t, ct_loaded *loaded) {
    ct_digest key = t->key;
    size_t bytes = 0;
    char *last = t->has_compiler ? NULL : ct_cache_read(CT_CACHE_CODE, t->any, &bytes);
    if (last && bytes == sizeof key) memcpy(&key, last, sizeof key);
    ct_free(last);
    return ct_load_kept(key, t->name, loaded);
}

void ct_value_arrays(const ctk_model *m, ct_emit_values *v, double **array[CT_VALUE_ARRAYS],
                     int size[CT_VALUE_ARRAYS]) {
    double **const arrays[CT_VALUE_ARRAYS] = {
        &v->parameters, &v->inputs, &v->q0, &v->qd0, &v->units, &v->row_units, &v->guard_scale};
    const int sizes[CT_VALUE_ARRAYS] = {m->n_parameters,
                                        m->n_inputs,
                                        m->n + 4 * m->n_rotations,
                                        m->n + 3 * m->n_rotations,
                                        m->n,
                                        m->m + m->n_spare,
                                        m->closure ? m->closure->n_guards : 0};
    memcpy(array, arrays, sizeof arrays);
    memcpy(size, sizes, sizeof sizes);
}

void ct_load_values(ct_loaded *loaded, ct_emit_values values) {
    const ctk_model *text = loaded->model;
    ct_emission before = {.values = loaded->values};
    ct_emission_clear(&before);
    if (!loaded->own) loaded->own = ct_alloc(1, sizeof *loaded->own);
    if (!loaded->own_closure) loaded->own_closure = ct_alloc(1, sizeof *loaded->own_closure);
    loaded->values = values;
    const ct_emit_values *v = &loaded->values;
    *loaded->own = *text;
    loaded->own->parameters = v->parameters;
    loaded->own->inputs = v->inputs;
    loaded->own->q0 = v->q0;
    loaded->own->qd0 = v->qd0;
    loaded->own->units = v->units;
    loaded->own->row_units = v->row_units;
    // of the initial problem the text of a run has the scales alone: the kernel sees none
    if (text->initial && !text->initial->start) {
        loaded->scales = text->initial->scales;
        loaded->own->initial = NULL;
    }
    if (text->closure) {
        *loaded->own_closure = *text->closure;
        loaded->own_closure->guard_scale = v->guard_scale;
        loaded->own->closure = loaded->own_closure;
    }
    loaded->model = loaded->own;
}

// Compiles in the cache, or else among temporary files, whose failure is told; interprets where
// there is no compiler and nobody named one.
static ct_status make(ct_context *ctx, task *t, ct_loaded *loaded) {
    if (t->cc.is_none || (!t->has_compiler && !t->cc.is_named)) {
        ct_status understood = interpret(ctx, t, loaded);
        if (understood) return understood;
        loaded->why = why_interpreted(&t->cc);
        loaded->kept =
            ct_cache_write(CT_CACHE_STARTS, loaded->key, t->code->source, strlen(t->code->source));
        return CT_OK;
    }
    // compiled
    ct_report(ctx, "compiling", -1, true);
    ct_context *quiet = ct_context_quiet(ctx);
    ct_status status = build_and_load(quiet, t, true, loaded);
    ct_context_free(quiet);
    if (!status) return CT_OK;
    ct_context *aside = ct_context_aside(ctx);
    status = build_and_load(aside, t, false, loaded);
    // a compiler of the system that does not work: without headers or a linker
    if (status && t->refused && !t->cc.is_named && !interpret(aside, t, loaded)) {
        const char *line = ct_message(aside, 0), *text = strstr(line, "error: ");
        loaded->why = ct_strdup(text ? text + 7 : line);
        status = CT_OK;
    } else
        ct_messages_move(ctx, aside);
    ct_context_free(aside);
    return status;
}

ct_status ct_load(ct_context *ctx, ct_emission *code, const char *name, ct_loaded *loaded) {
    *loaded = (ct_loaded){0};
    // the code, compiler and level of optimisation: long functions take the optimiser too long
    task t = {
        .code = code, .name = name, .level = strlen(code->source) > LONG_SOURCE ? "-O1" : "-O2"};
    ct_status status = ct_code_check(ctx, code->source);
    if (!status) status = ct_compiler_read(ctx, &t.cc);
    if (status) return status;
    find_keys(&t);
    if (!load_from_cache(&t, loaded)) status = make(ctx, &t, loaded);
    ct_free(t.cc.text);
    if (status) return status;
    ct_load_values(loaded, code->values);
    code->values = (ct_emit_values){0};
    return CT_OK;
}

void ct_unload(ct_loaded *loaded) {
    ct_emission values = {.values = loaded->values};
    ct_emission_clear(&values);
    ct_free(loaded->own);
    ct_free(loaded->own_closure);
    if (loaded->undo) ct_cleanup_pop(loaded->undo);
    ct_free(loaded->undo);
    loaded->undo = NULL;
    ct_object_close(loaded->handle);
    ct_machine_free(loaded->machine);
    ct_free(loaded->why);
    *loaded = (ct_loaded){0};
}
