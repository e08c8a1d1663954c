// Compile and load. The shared object is kept in the cache; its key is the digest of the source, the
// kernel's headers, the compiler with its flags, and the processor. Where the cache cannot be used
// or is full, the object is built and loaded among temporary files. Long code is interpreted while
// the compiler works on it: both give the same bits, so that it does not matter when one takes over.
#include "run/code/compile.h"

#include "run/code/building.h"
#include "util/cache/cache.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { LONG_TO_COMPILE = 40 * 1000 }; // bytes of a source: takes half a second or more

// What is compiled, by whom.
typedef struct task {
    ct_building_task what;
    ct_command cc;
    bool has_compiler;
    bool refused;    // the compiler did not take the code
    bool not_loaded; // the system does not load its object
} task;

#define NOT_LOADED "the compiled model cannot be loaded"

// Says that there is no compiler, or its first complaint.
static ct_status say_refused(ct_context *ctx, const task *t, int code, const char *complaint) {
    if (code == CT_COMPILER_NOT_FOUND)
        return ct_fail(
            ctx, CT_INTERNAL,
            "the C compiler '%s' was not found: install one (package gcc), name another in CC, or "
            "have the model interpreted (CC=none)",
            t->cc.word[0]);
    return ct_fail(ctx, CT_INTERNAL, "the C compiler '%s' refused the generated code: %s",
                   t->cc.word[0], complaint);
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
    ct_building_task *w = &t->what;
    const char *name, *header;
    ct_digest_add_text(&key, w->name);
    ct_digest_add_text(&key, w->source);
    ct_digest_add_text(&key, w->header);
    for (int i = 0; (header = ct_building_header(i, &name)); i++) ct_digest_add_text(&key, header);
    for (int i = 0; i < CT_OBJECT_FLAGS; i++) ct_digest_add_text(&key, ct_object_flags[i]);
    ct_digest_add_text(&key, ct_building_level(w->source));
    ct_digest_add_number(&key, w->exact);
    ct_digest_add_number(&key, CT_UNIT_BYTES);
    ct_digest_add_number(&key, CT_MOST_UNITS);
    ct_compiler_add(&key, &t->cc);
    w->any = key;
    t->has_compiler = ct_compiler_add_programs(&key, &t->cc);
    w->key = key;
}

// A task with its keys; it is cleared by freeing the text of `cc`. at_once: long code may be
// interpreted at first, so it is compiled to the same bits.
static ct_status task_new(ct_context *ctx, const char *source, const char *header, const char *name,
                          bool at_once, task *t) {
    *t = (task){.what = {.source = source, .header = header, .name = name}};
    t->what.exact = at_once && strlen(source) > LONG_TO_COMPILE;
    ct_status status = ct_compiler_read(ctx, &t->cc);
    if (!status) find_keys(t);
    return status;
}

// Loads the object, from the cache or, where that does not take it, from where it was built.
static bool load_built(ct_building *b, const char *name, ct_loaded *loaded) {
    char *kept = ct_building_keep(b);
    bool in_cache = kept && open_object(kept, name, loaded);
    loaded->kept = loaded->kept || in_cache;
    ct_free(kept);
    return in_cache || open_object(ct_building_object(b), name, loaded);
}

// Compiles and loads the object.
static ct_status build_and_load(ct_context *ctx, task *t, bool in_cache, ct_loaded *loaded) {
    char *complaint = NULL;
    t->what.is_kept = in_cache;
    ct_building *b = ct_building_start(&t->what, false);
    if (!b)
        return ct_fail(ctx, CT_INTERNAL, "cannot write to %s: %s",
                       in_cache ? "the cache" : ct_temporary_folder(), strerror(errno));
    // with flags for this machine, else with standard ones: it may not know what is not standard
    ct_building_look(b, true);
    int code = ct_building_code(b, &complaint);
    if (code > 0 && code != CT_COMPILER_NOT_FOUND) {
        ct_building_start_plain(b);
        ct_building_look(b, true);
        code = ct_building_code(b, &complaint);
    }
    // the object, or what is wrong
    ct_status status = code ? say_refused(ctx, t, code, complaint) : CT_OK;
    t->refused = code && code != CT_COMPILER_NOT_FOUND;
    loaded->key = t->what.key;
    if (!status && !load_built(b, t->what.name, loaded)) {
        // a compiler that was stopped leaves no object
        t->not_loaded = !access(ct_building_object(b), F_OK);
        status = ct_fail(ctx, CT_INTERNAL, NOT_LOADED ": %s", ct_object_error());
    }
    ct_building_free(b);
    return status;
}

// interpretation ----------------------------------------------------------------------------------
// The key of a text to interpret: nothing but the text decides on what becomes of it.
static ct_digest text_key(const char *source) {
    ct_digest key = {0};
    ct_digest_add_text(&key, "interpreted");
    ct_digest_add_text(&key, source);
    return key;
}

static char *why_interpreted(const ct_command *cc) {
    return cc->is_none ? ct_strdup("CC is none")
                       : ct_format("no C compiler ('%s') was found", cc->word[0]);
}

// Interprets the code.
static ct_status interpret(ct_context *ctx, const task *t, ct_loaded *loaded) {
    ct_report(ctx, "reading the code", -1, false);
    loaded->machine = ct_machine_new(ctx, t->what.source, t->what.name);
    if (!loaded->machine) return CT_INTERNAL;
    loaded->model = ct_machine_model(loaded->machine);
    return CT_OK;
}

// Keeps a text for the next run: the source, and its header behind a zero.
static bool keep_text(ct_digest key, const task *t) {
    size_t n = strlen(t->what.source) + 1, header = strlen(t->what.header) + 1;
    char *both = ct_alloc(n + header, 1);
    memcpy(both, t->what.source, n);
    memcpy(both + n, t->what.header, header);
    bool kept = ct_cache_write(CT_CACHE_STARTS, key, both, n + header);
    ct_free(both);
    return kept;
}

// True if the code may be interpreted until it is compiled: it is long, and the compiler is the
// system's, which nobody has given arguments that change results.
static bool may_go_on(const task *t) {
    return t->what.exact && t->has_compiler && !t->cc.is_named;
}

// Interprets the code, which will be compiled once it runs.
static ct_status interpret_first(ct_context *ctx, const task *t, ct_loaded *loaded) {
    ct_status status = interpret(ctx, t, loaded);
    if (status) return status;
    loaded->key = t->what.key;
    loaded->source = ct_strdup(t->what.source);
    loaded->header = ct_strdup(t->what.header);
    loaded->name = ct_strdup(t->what.name);
    return CT_OK;
}

// A text that was interpreted before: where there is no compiler, or until it is compiled.
static bool interpret_kept(ct_digest key, const char *name, ct_loaded *loaded) {
    size_t bytes = 0;
    task t;
    char *text = ct_cache_read(CT_CACHE_STARTS, key, &bytes);
    if (!text) return false;
    size_t n = strlen(text) + 1;
    ct_context *quiet = ct_context_quiet(NULL);
    if (n < bytes && !task_new(quiet, text, text + n, name, true, &t)) {
        bool never = t.cc.is_none || !t.has_compiler,
             same = !memcmp(&t.what.key, &key, sizeof key) && may_go_on(&t);
        if (never && !interpret(quiet, &t, loaded))
            loaded->why = why_interpreted(&t.cc);
        else if (!never && same)
            (void)interpret_first(quiet, &t, loaded);
        ct_free(t.cc.text);
    }
    ct_context_free(quiet);
    ct_free(text);
    return loaded->machine != NULL;
}

static bool load_kept(ct_digest key, const char *name, ct_loaded *loaded) {
    *loaded = (ct_loaded){.key = key};
    char *path = ct_cache_find(CT_CACHE_CODE, key);
    loaded->kept = path && open_object(path, name, loaded);
    ct_free(path);
    return loaded->kept;
}

bool ct_load_kept(ct_digest key, const char *name, ct_loaded *loaded) {
    if (load_kept(key, name, loaded)) return true;
    return loaded->kept = interpret_kept(key, name, loaded);
}

bool ct_load_is_kept(ct_digest key) {
    char *code = ct_cache_find(CT_CACHE_CODE, key);
    char *text = code ? NULL : ct_cache_read(CT_CACHE_STARTS, key, NULL);
    ct_free(code);
    ct_free(text);
    return code || text;
}

// Without a compiler, what the last one has made.
static bool load_from_cache(const task *t, ct_loaded *loaded) {
    ct_digest key = t->what.key;
    size_t bytes = 0;
    char *last = t->has_compiler ? NULL : ct_cache_read(CT_CACHE_CODE, t->what.any, &bytes);
    if (last && bytes == sizeof key) memcpy(&key, last, sizeof key);
    ct_free(last);
    return load_kept(key, t->what.name, loaded);
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
        loaded->key = text_key(t->what.source);
        loaded->kept = keep_text(loaded->key, t);
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
    // folders whose files must not be run; a compiler of the system that does not work: without headers
    // or a linker
    bool may = t->not_loaded || (t->refused && !t->cc.is_named);
    if (status && may && !interpret(aside, t, loaded)) {
        loaded->not_loaded = t->not_loaded;
        const char *line = ct_message(aside, 0), *text = strstr(line, "error: ");
        loaded->why = ct_strdup(text ? text + 7 : line);
        loaded->key = text_key(t->what.source);
        status = CT_OK;
    } else
        ct_messages_move(ctx, aside);
    ct_context_free(aside);
    return status;
}

// at_once: code that takes long to compile is interpreted at first.
static ct_status load(ct_context *ctx, ct_emission *code, const char *name, bool at_once,
                      ct_loaded *loaded) {
    task t;
    *loaded = (ct_loaded){0};
    ct_status status = ct_code_check(ctx, code->source);
    if (!status) status = task_new(ctx, code->source, code->header, name, at_once, &t);
    if (status) return status;
    // from the cache, or made
    if (!load_from_cache(&t, loaded)) {
        if (may_go_on(&t)) {
            status = interpret_first(ctx, &t, loaded);
            loaded->kept = !status && keep_text(loaded->key, &t);
        } else {
            status = make(ctx, &t, loaded);
        }
    }
    ct_free(t.cc.text);
    if (status) return status;
    ct_load_values(loaded, code->values);
    code->values = (ct_emit_values){0};
    return CT_OK;
}

ct_status ct_load(ct_context *ctx, ct_emission *code, const char *name, ct_loaded *loaded) {
    return load(ctx, code, name, false, loaded);
}

ct_status ct_load_at_once(ct_context *ctx, ct_emission *code, const char *name, ct_loaded *loaded) {
    return load(ctx, code, name, true, loaded);
}

// while it runs ------------------------------------------------------------------------------------
// Starts the compilers for code that is interpreted.
static void start_compiling(ct_loaded *loaded) {
    task t;
    ct_context *quiet = ct_context_quiet(NULL);
    if (!task_new(quiet, loaded->source, loaded->header, loaded->name, true, &t)) {
        t.what.is_kept = true;
        loaded->building = ct_building_start(&t.what, true);
        t.what.is_kept = false;
        if (!loaded->building) loaded->building = ct_building_start(&t.what, true);
        ct_free(t.cc.text);
    }
    ct_context_free(quiet);
    ct_free(loaded->source);
    ct_free(loaded->header);
    loaded->source = loaded->header = NULL;
}

void ct_load_look(ct_loaded *loaded) {
    // not in each step
    const double often = 2e-3; // seconds
    double now = ct_seconds();
    if (now - loaded->looked < often) return;
    loaded->looked = now;
    if (loaded->source) start_compiling(loaded);
    ct_building *b = loaded->building;
    if (!b || !ct_building_look(b, false)) return;
    // the object takes over; where there is none, all is interpreted
    char *complaint = NULL;
    const ctk_model *interpreted = loaded->model;
    int code = ct_building_code(b, &complaint);
    bool good = !code && load_built(b, loaded->name, loaded) &&
                ct_machine_hand_over(loaded->machine, loaded->model);
    loaded->model = interpreted;
    loaded->not_loaded = !good && !code;
    if (loaded->not_loaded)
        loaded->why = ct_format(NOT_LOADED ": %s", ct_object_error());
    else if (!good)
        loaded->why = ct_format("the C compiler 'cc' refused the generated code: %s", complaint);
    loaded->building = NULL;
    ct_building_free(b);
}

void ct_load_settle(ct_building *b) {
    ct_building_look(b, true);
    if (ct_building_object(b)) ct_free(ct_building_keep(b));
    ct_building_free(b);
}

void ct_unload(ct_loaded *loaded) {
    ct_emission values = {.values = loaded->values};
    ct_emission_clear(&values);
    ct_free(loaded->own);
    ct_free(loaded->own_closure);
    if (loaded->undo) ct_cleanup_pop(loaded->undo);
    ct_free(loaded->undo);
    loaded->undo = NULL;
    ct_building_free(loaded->building);
    ct_object_close(loaded->handle);
    ct_machine_free(loaded->machine);
    ct_free(loaded->source);
    ct_free(loaded->header);
    ct_free(loaded->name);
    ct_free(loaded->why);
    *loaded = (ct_loaded){0};
}
