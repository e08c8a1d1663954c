// Compile and load. The shared object is kept under $XDG_CACHE_HOME/cotree (or ~/.cache/cotree),
// named after a hash of the source, the kernel's headers, the compiler with its flags and the
// processor.
#include "run/compile.h"

#include "emit/kernel_files.h"

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

// Adds the features of the processor: a cache may be shared between machines.
static uint64_t machine_hash(uint64_t hash) {
    char features[4096];
    ct_processor_features(features, sizeof features);
    return ct_hash(features, strlen(features), hash);
}

// The folder that a model is compiled in, with what is found there.
typedef struct workshop {
    const char *directory, *name; // of the model
} workshop;

static void remove_file(const char *directory, const char *name, const char *ending) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s%s", directory, name, ending) < (int)sizeof path)
        unlink(path);
}

// Without memory: also a cleanup.
static void remove_workshop(void *data) {
    const workshop *w = data;
    remove_file(w->directory, w->name, ".c");
    remove_file(w->directory, w->name, ".h");
    remove_file(w->directory, "model", "");
    remove_file(w->directory, "log", "");
    for (int i = 0; i < HEADERS; i++) remove_file(w->directory, headers[i], "");
    rmdir(w->directory);
}

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
        _exit(127);
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

// Writes the model and its headers to `directory`, compiles them and moves the object to `target`.
static ct_status build(ct_context *ctx, const ct_emission *code, const char *name,
                       const command *cc, const char *level, const char *directory,
                       const char *target) {
    char *source = ct_format("%s.c", name), *header = ct_format("%s.h", name);
    char *c = ct_format("%s/%s", directory, source), *so = ct_format("%s/model", directory);
    char *log = ct_format("%s/log", directory);
    ct_status status = CT_OK;
    // model and headers
    bool written =
        write_file(directory, source, code->source) && write_file(directory, header, code->header);
    for (int i = 0; i < HEADERS && written; i++)
        written = write_file(directory, headers[i], header_text(i));
    if (!written)
        status = ct_fail(ctx, CT_INTERNAL, "cannot write to %s: %s", directory, strerror(errno));
    if (!status) {
        // with flags for this machine, else with standard ones
        int code_ = compile(cc, level, true, c, so, log);
        if (code_ > 0 && code_ != 127) // it may not know what is not standard
            code_ = compile(cc, level, false, c, so, log);
        // messages: no compiler, its first complaint, no room for the object
        if (code_ == 127) {
            status = ct_fail(
                ctx, CT_INTERNAL,
                "the C compiler '%s' was not found: install one (package gcc), or name it in CC",
                cc->word[0]);
        } else if (code_) {
            char *line = first_line(log);
            status = ct_fail(ctx, CT_INTERNAL, "the C compiler '%s' refused the generated code: %s",
                             cc->word[0], line);
            ct_free(line);
        } else if (rename(so, target)) {
            status = ct_fail(ctx, CT_INTERNAL, "cannot write %s: %s", target, strerror(errno));
        }
    }
    ct_free(source);
    ct_free(header);
    ct_free(c);
    ct_free(so);
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

static void remove_object(void *path) {
    unlink(path);
}

ct_status ct_load(ct_context *ctx, const ct_emission *code, const char *name, ct_loaded *loaded) {
    *loaded = (ct_loaded){0};
    // the code, compiler and level of optimisation
    command cc;
    ct_status status = ct_code_check(ctx, code->source);
    if (!status) status = read_command(ctx, &cc);
    if (status) return status;
    const char *level = strlen(code->source) > 1000000
                            ? "-O1"
                            : "-O2"; // long functions take the optimiser too long
    // key of the cache: model, kernel, flags, machine, compiler; twice 64 bits
    uint64_t hash = ct_hash(code->source, strlen(code->source), 0);
    for (int i = 0; i < HEADERS; i++) hash = ct_hash(header_text(i), strlen(header_text(i)), hash);
    for (int i = 0; i < CT_OBJECT_FLAGS; i++)
        hash = ct_hash(ct_object_flags[i], strlen(ct_object_flags[i]), hash);
    for (int i = 0; i < FAST; i++) hash = ct_hash(fast[i], strlen(fast[i]), hash);
    hash = machine_hash(hash);
    for (int i = 0; i < cc.n; i++) hash = ct_hash(cc.word[i], strlen(cc.word[i]) + (i > 0), hash);
    hash = ct_hash(level, strlen(level), hash);
    uint64_t second = ct_hash(code->source, strlen(code->source), hash ^ 0x5bd1e995);
    // folder to build in, and where the object goes
    char *cache = ct_cache_directory(NULL);
    char *work = cache ? ct_format("%s/build.XXXXXX", cache) : ct_temporary("build");
    char *target = ct_format("%s/%016llx%016llx%s", cache ? cache : "", (unsigned long long)hash,
                             (unsigned long long)second, ct_object_suffix);
    // from the cache
    bool open_it = cache && access(target, R_OK) == 0 && open_object(target, name, loaded);
    if (!open_it) {
        // or compiled, in a folder of its own
        double start = ct_seconds();
        ct_report(ctx, "compiling", -1, true);
        if (!mkdtemp(work))
            status = ct_fail(ctx, CT_INTERNAL, "cannot make a folder like %s: %s", work,
                             strerror(errno));
        else {
            workshop w = {work, name};
            ct_cleanup undo;
            ct_cleanup_push(&undo, remove_workshop, &w);
            if (!cache) { // nothing to keep it in: a private place, removed after loading
                ct_free(target);
                target = ct_format("%s%s", work, ct_object_suffix);
            }
            status = build(ctx, code, name, &cc, level, work, target);
            ct_cleanup_pop(&undo);
            remove_workshop(&w);
        }
        ct_cleanup undo;
        if (!cache) ct_cleanup_push(&undo, remove_object, target);
        loaded->compile_seconds = ct_seconds() - start;
        // the time is that of the compiler, without loading
        double seconds = loaded->compile_seconds;
        if (!status && !open_object(target, name, loaded))
            status =
                ct_fail(ctx, CT_INTERNAL, "cannot load the compiled model: %s", ct_object_error());
        loaded->compile_seconds = seconds;
        if (!cache) {
            ct_cleanup_pop(&undo);
            unlink(target);
        }
    }
    ct_free(cc.text);
    ct_free(cache);
    ct_free(work);
    ct_free(target);
    return status;
}

void ct_unload(ct_loaded *loaded) {
    if (loaded->undo) ct_cleanup_pop(loaded->undo);
    ct_free(loaded->undo);
    loaded->undo = NULL;
    ct_object_close(loaded->handle);
    loaded->handle = NULL;
    loaded->model = NULL;
}
