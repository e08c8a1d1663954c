// Compile and load. The shared object is kept in the cache; its key is the digest of the source, the
// kernel's headers, the compiler with its flags, and the processor. Where the cache cannot be used
// or is full, the object is built and loaded among temporary files.
#include "run/compile.h"

#include "emit/kernel_files.h"
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

// Flags for code that runs on this machine alone. A product and a sum may be rounded once together;
// no flag changes results otherwise, or from run to run.
static const char *const fast[] = {"-march=native", "-ffp-contract=fast", "-fno-math-errno",
                                   "-fno-trapping-math"};
enum { FAST = sizeof fast / sizeof *fast };

enum { NOT_FOUND = 127 };           // exit code, as of a shell: there is no such program
enum { LONG_SOURCE = 1000 * 1000 }; // bytes

// Runs the compiler; its messages go to `log`.
static int run_compiler(const char *const *arguments, const char *log) {
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd >= 0) {
            dup2(fd, 1);
            dup2(fd, 2);
        }
        execvp(arguments[0], (char *const *)arguments);
        _exit(NOT_FOUND);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum { COMMAND_WORDS = 32 };

// The words of CC: a compiler with its own arguments ("ccache gcc", "gcc -O3").
typedef struct command {
    char *text; // the words, each with its end
    const char *word[COMMAND_WORDS];
    int n;
    bool has_level; // a word is -O...
} command;

// Splits CC at blanks; where it is not set, "cc". Quotes and the like would need a shell.
static ct_status read_command(ct_context *ctx, command *c) {
    const char *cc = getenv("CC");
    *c = (command){0};
    if (!cc || !cc[strspn(cc, " \t")]) cc = "cc";
    if (strpbrk(cc, "'\"\\$`;|&<>"))
        return ct_fail(ctx, CT_INTERNAL,
                       "CC is '%s', which needs a shell: name a compiler and its arguments, "
                       "separated by blanks",
                       cc);
    c->text = ct_strdup(cc);
    for (char *s = c->text; *(s += strspn(s, " \t"));) {
        if (c->n == COMMAND_WORDS) {
            ct_free(c->text);
            return ct_fail(ctx, CT_INTERNAL, "CC has more than %d words", COMMAND_WORDS);
        }
        c->word[c->n++] = s;
        c->has_level |= c->n > 1 && s[0] == '-' && s[1] == 'O';
        s += strcspn(s, " \t");
        if (*s) *s++ = '\0';
    }
    return CT_OK;
}

// Adds the file of a program, since another compiler may come under its name. Returns false if there
// is no such program.
static bool add_program(ct_digest *key, const char *word) {
    struct stat s;
    char path[PATH_MAX];
    // as execvp finds it
    bool found = strchr(word, '/') && stat(word, &s) == 0;
    for (const char *at = getenv("PATH"); at && !strchr(word, '/') && !found;) {
        size_t n = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", n ? (int)n : 1, n ? at : ".", word);
        found = access(path, X_OK) == 0 && stat(path, &s) == 0 && S_ISREG(s.st_mode);
        at = at[n] ? at + n + 1 : NULL;
    }
    if (!found) return false;
    double changed = ct_changed_at(&s);
    ct_digest_add_number(key, (uint64_t)s.st_size);
    ct_digest_add(key, &changed, sizeof changed);
    return true;
}

// quick: with the flags for this machine.
static int compile(const command *cc, const char *level, bool quick, const char *source,
                   const char *object, const char *log) {
    const char *arguments[COMMAND_WORDS + CT_OBJECT_FLAGS + FAST + 8] = {0};
    int n = 0;
    for (int i = 0; i < cc->n; i++) arguments[n++] = cc->word[i];
    if (!cc->has_level) arguments[n++] = level;
    arguments[n++] = "-std=c99";
    for (int i = 0; i < CT_OBJECT_FLAGS; i++) arguments[n++] = ct_object_flags[i];
    for (int i = 0; i < FAST && quick; i++) arguments[n++] = fast[i];
    const char *const rest[] = {"-o", object, source, "-lm"};
    for (int i = 0; i < 4; i++) arguments[n++] = rest[i];
    return run_compiler(arguments, log);
}

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
    command cc;
    const char *level; // of optimisation
    ct_digest key;     // of the object in the cache
    ct_digest any;     // the same, whatever file the compiler is: its entry holds the last such key
    bool has_compiler;
} task;

// Writes the model and its headers to `directory` and compiles them there to `object`.
static ct_status build(ct_context *ctx, const task *t, const char *directory, const char *object) {
    char *source = ct_format("%s.c", t->name), *header = ct_format("%s.h", t->name);
    char *c = ct_format("%s/%s", directory, source), *log = ct_format("%s/log", directory);
    ct_status status = CT_OK;
    // model and headers
    bool written = write_file(directory, source, t->code->source) &&
                   write_file(directory, header, t->code->header);
    for (int i = 0; i < HEADERS && written; i++)
        written = write_file(directory, headers[i], header_text(i));
    if (!written)
        status = ct_fail(ctx, CT_INTERNAL, "cannot write to %s: %s", directory, strerror(errno));
    if (!status) {
        // with flags for this machine, else with standard ones
        int code = compile(&t->cc, t->level, true, c, object, log);
        if (code > 0 && code != NOT_FOUND) // it may not know what is not standard
            code = compile(&t->cc, t->level, false, c, object, log);
        // messages: no compiler, its first complaint
        if (code == NOT_FOUND) {
            status = ct_fail(
                ctx, CT_INTERNAL,
                "the C compiler '%s' was not found: install one (package gcc), or name it in CC",
                t->cc.word[0]);
        } else if (code) {
            char *line = first_line(log);
            status = ct_fail(ctx, CT_INTERNAL, "the C compiler '%s' refused the generated code: %s",
                             t->cc.word[0], line);
            ct_free(line);
        }
    }
    ct_free(source);
    ct_free(header);
    ct_free(c);
    ct_free(log);
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
    char features[4096];
    ct_digest_add_text(&key, t->name);
    ct_digest_add_text(&key, t->code->source);
    ct_digest_add_text(&key, t->code->header);
    for (int i = 0; i < HEADERS; i++) ct_digest_add_text(&key, header_text(i));
    for (int i = 0; i < CT_OBJECT_FLAGS; i++) ct_digest_add_text(&key, ct_object_flags[i]);
    for (int i = 0; i < FAST; i++) ct_digest_add_text(&key, fast[i]);
    ct_digest_add_text(&key, t->level);
    ct_processor_features(features, sizeof features); // a cache may be shared between machines
    ct_digest_add_text(&key, features);
    // the words of the command, then the files of those that are programs
    for (int i = 0; i < t->cc.n; i++) ct_digest_add_text(&key, t->cc.word[i]);
    t->any = key;
    t->has_compiler = add_program(&key, t->cc.word[0]);
    for (int i = 1; i < t->cc.n; i++)
        if (t->cc.word[i][0] != '-') (void)add_program(&key, t->cc.word[i]);
    t->key = key;
}

// Compiles in a folder of its own and loads the object, from the cache or, where that does not take
// it, from the folder.
static ct_status build_and_load(ct_context *ctx, const task *t, bool in_cache, ct_loaded *loaded) {
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
        if (!(kept && open_object(kept, t->name, loaded)) && !open_object(object, t->name, loaded))
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

// Without a compiler, what the last one has made.
static bool load_from_cache(const task *t, ct_loaded *loaded) {
    ct_digest key = t->key;
    size_t bytes = 0;
    char *last = t->has_compiler ? NULL : ct_cache_read(CT_CACHE_CODE, t->any, &bytes);
    if (last && bytes == sizeof key) memcpy(&key, last, sizeof key);
    ct_free(last);
    char *path = ct_cache_find(CT_CACHE_CODE, key);
    bool good = path && open_object(path, t->name, loaded);
    ct_free(path);
    return good;
}

// The loaded model with the numbers that are no part of its text.
static void add_values(ct_emission *code, ct_loaded *loaded) {
    const ctk_model *text = loaded->model;
    loaded->own = ct_alloc(1, sizeof *loaded->own);
    loaded->own_closure = ct_alloc(1, sizeof *loaded->own_closure);
    loaded->values = code->values;
    code->values = (ct_emit_values){0};
    const ct_emit_values *v = &loaded->values;
    *loaded->own = *text;
    loaded->own->parameters = v->parameters;
    loaded->own->inputs = v->inputs;
    loaded->own->q0 = v->q0;
    loaded->own->qd0 = v->qd0;
    loaded->own->units = v->units;
    loaded->own->row_units = v->row_units;
    if (text->closure) {
        *loaded->own_closure = *text->closure;
        loaded->own_closure->guard_scale = v->guard_scale;
        loaded->own->closure = loaded->own_closure;
    }
    loaded->model = loaded->own;
}

ct_status ct_load(ct_context *ctx, ct_emission *code, const char *name, ct_loaded *loaded) {
    *loaded = (ct_loaded){0};
    // the code, compiler and level of optimisation: long functions take the optimiser too long
    task t = {
        .code = code, .name = name, .level = strlen(code->source) > LONG_SOURCE ? "-O1" : "-O2"};
    ct_status status = ct_code_check(ctx, code->source);
    if (!status) status = read_command(ctx, &t.cc);
    if (status) return status;
    find_keys(&t);
    // from the cache; or compiled there, or else among temporary files, whose failure is told
    if (!load_from_cache(&t, loaded)) {
        ct_report(ctx, "compiling", -1, true);
        ct_context *quiet = ct_context_quiet(ctx);
        status = build_and_load(quiet, &t, true, loaded);
        ct_context_free(quiet);
        if (status) status = build_and_load(ctx, &t, false, loaded);
    }
    ct_free(t.cc.text);
    if (!status) add_values(code, loaded);
    return status;
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
    *loaded = (ct_loaded){0};
}
