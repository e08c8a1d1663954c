// Calls the C compiler: several at the same time for the units of a long source.
#include "run/code/compiler.h"
#include "run/code/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Flags for code that runs on this machine alone. A product and a sum may be rounded once together;
// no flag changes results otherwise, or from run to run.
static const char *const fast[] = {"-march=native", "-ffp-contract=fast", "-fno-math-errno",
                                   "-fno-trapping-math"};
enum { FAST = sizeof fast / sizeof *fast };

// Starts the compiler; its messages go to `log`. Returns -1 if that is not possible.
static pid_t start_compiler(const char *const *arguments, const char *log) {
    pid_t child = fork();
    if (child == 0) {
        int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd >= 0) {
            dup2(fd, 1);
            dup2(fd, 2);
        }
        execvp(arguments[0], (char *const *)arguments);
        _exit(CT_COMPILER_NOT_FOUND);
    }
    return child;
}

// The exit code of a compiler, -1: it did not come to its end.
static int wait_for(pid_t child) {
    int status;
    if (child < 0) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

static pid_t start(const ct_compilation *r, int n_files, char *const *files) {
    const char *arguments[COMMAND_WORDS + CT_OBJECT_FLAGS + FAST + CT_MOST_UNITS + 8] = {0};
    int n = 0;
    for (int i = 0; i < r->cc->n; i++) arguments[n++] = r->cc->word[i];
    if (!r->cc->has_level) arguments[n++] = r->level;
    arguments[n++] = "-std=c99";
    arguments[n++] = ct_object_flags[0];
    for (int i = 1; i < CT_OBJECT_FLAGS && r->links; i++) arguments[n++] = ct_object_flags[i];
    for (int i = 0; i < FAST && r->quick; i++) arguments[n++] = fast[i];
    if (!r->links) arguments[n++] = "-c";
    arguments[n++] = "-o";
    arguments[n++] = r->object;
    for (int i = 0; i < n_files; i++) arguments[n++] = files[i];
    if (r->links) arguments[n++] = "-lm";
    return start_compiler(arguments, r->log);
}

int ct_compile(const ct_compilation *r, int n, char *const *sources, const char **log) {
    *log = r->log;
    if (n == 1) return wait_for(start(r, 1, sources));
    // names first, then all compilers
    pid_t child[CT_MOST_UNITS];
    char *units[CT_MOST_UNITS], *logs[CT_MOST_UNITS];
    int code = 0;
    for (int i = 0; i < n; i++) {
        units[i] = ct_scratch_format("%s.o", sources[i]);
        logs[i] = ct_scratch_format("%s.log", sources[i]);
    }
    for (int i = 0; i < n; i++) {
        ct_compilation unit = *r;
        unit.links = false;
        unit.object = units[i];
        unit.log = logs[i];
        child[i] = start(&unit, 1, sources + i);
    }
    for (int i = 0; i < n; i++) {
        int end = wait_for(child[i]);
        if (!end || code) continue;
        code = end;
        *log = logs[i];
    }
    return code ? code : wait_for(start(r, n, units));
}

void ct_compiler_add(ct_digest *key, const ct_command *cc) {
    char features[4096];
    ct_processor_features(features, sizeof features);
    ct_digest_add_text(key, features);
    for (int i = 0; i < FAST; i++) ct_digest_add_text(key, fast[i]);
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
