// Calls the C compiler: several at the same time for the units of a long source.
#include "run/code/compiler.h"
#include "run/code/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Flags for code that runs on this machine alone, and those of two kinds of rounding. A product and a
// sum may be rounded once together; exact code rounds each operation by itself, in the order of the
// text: gcc joins products and sums of vectors whose signs alternate all the same (vfmaddsub).
static const char *const fast[] = {"-march=native", "-fno-math-errno", "-fno-trapping-math"};
static const char *const rounding[2][2] = {{"-ffp-contract=fast"},
                                           {"-ffp-contract=off", "-fno-tree-vectorize"}};
enum { FAST = sizeof fast / sizeof *fast };

// Starts the compiler; its messages go to `log`. behind: with all that it starts in a group of its own,
// which SIGTERM ends. Returns -1 if that is not possible.
static pid_t start_compiler(const char *const *arguments, const char *log, bool behind) {
    // handlers of the caller are not for the child
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    pid_t child = fork();
    if (child == 0) {
        if (behind) {
            setpgid(0, 0);
            signal(SIGTERM, SIG_DFL);
        }
        sigprocmask(SIG_SETMASK, &before, NULL);
        // messages
        int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd >= 0) {
            dup2(fd, 1);
            dup2(fd, 2);
        }
        execvp(arguments[0], (char *const *)arguments);
        _exit(CT_COMPILER_NOT_FOUND);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (behind && child > 0) setpgid(child, child); // whoever comes first
    return child;
}

ct_status ct_compiler_read(ct_context *ctx, ct_command *c) {
    const char *cc = getenv("CC");
    *c = (ct_command){0};
    c->is_named = cc && cc[strspn(cc, " \t")];
    if (!c->is_named) cc = "cc";
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
    c->is_none = c->n == 1 && !strcmp(c->word[0], "none");
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

// One compiler: a source to a unit, or files to the object that is loaded.
static pid_t start(const ct_compilation *r, bool links, int n_files, char *const *files,
                   const char *result, const char *log) {
    const char *arguments[COMMAND_WORDS + CT_OBJECT_FLAGS + FAST + CT_MOST_UNITS + 10] = {0};
    int n = 0;
    for (int i = 0; i < r->cc->n; i++) arguments[n++] = r->cc->word[i];
    if (!r->cc->has_level) arguments[n++] = r->level;
    arguments[n++] = "-std=c99";
    arguments[n++] = ct_object_flags[0];
    for (int i = 1; i < CT_OBJECT_FLAGS && links; i++) arguments[n++] = ct_object_flags[i];
    for (int i = 0; i < FAST && r->quick; i++) arguments[n++] = fast[i];
    for (int i = 0; i < 2 && r->quick; i++)
        if (rounding[r->exact][i]) arguments[n++] = rounding[r->exact][i];
    if (!links) arguments[n++] = "-c";
    arguments[n++] = "-o";
    arguments[n++] = result;
    for (int i = 0; i < n_files; i++) arguments[n++] = files[i];
    if (links) arguments[n++] = "-lm";
    return start_compiler(arguments, log, r->behind);
}

static void start_linker(ct_compilation *r, char *const *files) {
    r->links = true;
    r->n_children = 1;
    r->child[0] = start(r, true, r->n, files, r->object, r->log);
}

void ct_compile_start(ct_compilation *r) {
    r->links = false;
    r->code = 0;
    r->complaint = r->log;
    if (r->n == 1) {
        start_linker(r, r->source);
        return;
    }
    r->n_children = r->n;
    for (int i = 0; i < r->n; i++)
        r->child[i] = start(r, false, 1, r->source + i, r->unit[i], r->unit_log[i]);
}

// The end of a child, which is the k-th, with the exit code of its compiler. Returns false if it is
// under way.
static bool ended(ct_compilation *r, int k, bool waits) {
    int status = -1;
    pid_t child = r->child[k], end = child < 0 ? -1 : 0;
    if (!child) return true;
    while (child > 0 && (end = waitpid(child, &status, waits ? 0 : WNOHANG)) < 0 && errno == EINTR)
        ;
    if (!end) return false;
    r->child[k] = 0;
    int code = end > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (!code || r->code) return true;
    r->code = code;
    r->complaint = r->links ? r->log : r->unit_log[k];
    return true;
}

bool ct_compile_look(ct_compilation *r, bool waits) {
    for (;;) {
        bool all = true;
        for (int i = 0; i < r->n_children; i++) all = ended(r, i, waits) && all;
        if (!all) return false;
        if (r->links || r->code) return true;
        start_linker(r, r->unit);
    }
}

void ct_compile_stop(ct_compilation *r) {
    for (int i = 0; i < r->n_children; i++)
        if (r->child[i] > 0) kill(r->behind ? -r->child[i] : r->child[i], SIGTERM);
    for (int i = 0; i < r->n_children; i++) (void)ended(r, i, true);
}

void ct_compiler_add(ct_digest *key, const ct_command *cc) {
    char features[4096];
    ct_processor_features(features, sizeof features);
    ct_digest_add_text(key, features);
    for (int i = 0; i < FAST; i++) ct_digest_add_text(key, fast[i]);
    for (int i = 0; i < 4; i++) ct_digest_add_text(key, rounding[i / 2][i % 2]);
    for (int i = 0; i < cc->n; i++) ct_digest_add_text(key, cc->word[i]);
}

bool ct_compiler_add_programs(ct_digest *key, const ct_command *cc) {
    bool found = !cc->is_none && add_program(key, cc->word[0]);
    for (int i = 1; i < cc->n; i++)
        if (cc->word[i][0] != '-') (void)add_program(key, cc->word[i]);
    return found;
}

bool ct_interprets(void) {
    ct_command cc;
    ct_digest key = {0};
    ct_context *quiet = ct_context_quiet(NULL);
    bool good = !ct_compiler_read(quiet, &cc);
    ct_context_free(quiet);
    if (!good) return false;
    bool found = ct_compiler_add_programs(&key, &cc);
    ct_free(cc.text);
    return cc.is_none || (!found && !cc.is_named);
}

bool ct_compiler_digest(ct_digest *key) {
    ct_command cc;
    ct_context *quiet = ct_context_quiet(NULL);
    bool good = !ct_compiler_read(quiet, &cc);
    ct_context_free(quiet);
    if (!good) return false;
    ct_compiler_add(key, &cc);
    ct_digest_add_number(key, ct_compiler_add_programs(key, &cc));
    ct_free(cc.text);
    return true;
}
