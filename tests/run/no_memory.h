// Refused allocations. A call runs once; before each allocation that is tried the program forks, and
// the child is refused this one (every second child also all that follow in the call). The child
// must return from the call with CT_NO_MEMORY and a message, hold no open file and no process,
// remove what the call made for a while, free every object and have no block left. The parent goes
// on, so that all allocations of a call take one run and one child each.
//
// A scenario runs twice, each time with an empty cache on disk: once its allocations are counted,
// once they are tried. COTREE_SOAK tries all of them (of long scenarios thousands), else some of
// every call, others in every run.
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include "harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

// allocations of a call that are tried: the first ones, others
#if defined(__SANITIZE_ADDRESS__)
enum { FIRST = 8, REST = 12 };
#else
enum { FIRST = 8, REST = 40 };
#endif
enum { LONG_REST = 2000 };         // of a long scenario in `make soak`
enum { LAPACK = 16 };              // of LAPACK allocations one in so many is tried
enum { AGAIN = 16, SELDOM = 512 }; // one child in so many uses the objects that are left once more
enum { MOST_CALLS = 64 };          // of a scenario
enum { MOST_FUNCTIONS = 100 };     // public ones
enum { MOST_FILES = 64 };          // open at once
enum { MOST_CHILDREN = 4 };        // at once
enum { MOST_TOLD = 20 };           // failures of a scenario that are printed
enum { CHILD_SECONDS = 120 };      // a child that takes longer hangs

// what a run tries -------------------------------------------------------------------------------
static unsigned long seed;
static bool every_one;
static int only_call = -1; // --only CALL:ALLOCATION
static long only_allocation;

// the scenario under way -------------------------------------------------------------------------
static const char *scenario_name;
static bool all_of_them; // its allocations are tried, else so many of each call
static long rest;
static bool counting; // nothing is tried: how many there are
static int n_calls;
static long totals[MOST_CALLS]; // allocations of each call, in order
static long tried, failures, at_start, counted_otherwise;
static long of_lapack; // allocations

static const char *called[MOST_FUNCTIONS]; // public functions, by their calls
static int n_called;

// the call under way -----------------------------------------------------------------------------
static const char *call_text; // NULL: none
static long asked;            // allocations so far
static int parent_files;
static bool is_child, refused; // in the child; and its allocation has been refused
static bool refuse_all;
static const char
    *result_folder;        // that the call writes, and must not leave where it fails; may be NULL
static long made, removed; // files and folders: made for a while so far; removed by the child

// Objects that calls are given, and what they gave.
typedef struct state {
    ct_context *ctx;
    ct_model *model;
    ct_system *system;
    ct_view *view;
    char *text;
    ct_close_info *close;
    ct_bench_result *bench;
    ct_bench_methods_result *methods;
    ct_configurations_result *configurations;
    ct_branches_result *branches;
    ct_basis_result *basis;
    ct_cache_info *cache;
    ct_equilibrium_info *rest;
    ct_statics_info *statics;
    ct_mass_info *mass;
    ct_system *aside; // that calls are not given
} state;

// files and processes ----------------------------------------------------------------------------
// Files and processes are the parent's too: a child only notes what it would remove or end.
#define NOTED_IN_CHILD(name, parameters, arguments)                                                \
    int name parameters {                                                                          \
        static int(*real) parameters;                                                              \
        removed += is_child;                                                                       \
        if (is_child) return 0;                                                                    \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name);                                      \
        return real arguments;                                                                     \
    }
NOTED_IN_CHILD(unlink, (const char *path), (path))
NOTED_IN_CHILD(unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
NOTED_IN_CHILD(rmdir, (const char *path), (path))

int kill(pid_t process, int with) {
    static int (*real)(pid_t, int);
    if (is_child && process != getpid()) return 0;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "kill");
    return real(process, with);
}

static int open_files(void) {
    int n = 0;
    for (int fd = 0; fd < MOST_FILES; fd++) n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

// Files and folders below a folder; once inside of one that was made for a while, all of them.
static long made_for_a_while(const char *folder, bool inside) {
    long n = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[4096];
        const char *name = e->d_name;
        if (!strcmp(name, ".") || !strcmp(name, "..")) continue;
        bool is_such = inside || !strncmp(name, "build.", 6) || !strncmp(name, "part.", 5) ||
                       !strncmp(name, "cotree.", 7);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        n += is_such + made_for_a_while(path, is_such);
    }
    if (d) closedir(d);
    return n;
}

// children ---------------------------------------------------------------------------------------
#define CHILD_CHECKS(X)                                                                            \
    X(STATUS, "the status is not CT_NO_MEMORY")                                                    \
    X(MESSAGE, "no message says that memory ran out")                                              \
    X(PROCESS, "a process goes on")                                                                \
    X(FILE, "a file is still open")                                                                \
    X(LEFT, "files that were made for a while are left")                                           \
    X(SYSTEM, "a system is neither broken nor sound")                                              \
    X(VIEW, "a view is neither broken nor sound")                                                  \
    X(FORMULATE, "the model cannot be formulated again")                                           \
    X(ASSEMBLE, "the model cannot be assembled again")                                             \
    X(BLOCK, "a block is left")                                                                    \
    X(LEAK, "memory of others is left")
typedef enum child_check {
    CHECK_NONE,
#define X(name, text) CHECK_##name,
    CHILD_CHECKS(X)
#undef X
} child_check;

static const char *child_failure(int status) {
    static const char *const texts[] = {"",
#define X(name, text) text,
                                        CHILD_CHECKS(X)
#undef X
    };
    if (WIFSIGNALED(status)) return strsignal(WTERMSIG(status));
    int code = WEXITSTATUS(status);
    return code < (int)(sizeof texts / sizeof *texts) ? texts[code] : "it ended by itself";
}

static void check(bool good, child_check what) {
    if (!good) _exit((int)what);
}

static void state_clear(state *s);

// What must hold after a call that was refused memory.
static void child_ends(state *s, ct_status status, bool message) {
    ct_memory_refuses = NULL;
    setenv("COTREE_CACHE_SIZE", "0", 1); // the parent finds what it has kept itself, and no more
    check(status == CT_NO_MEMORY, CHECK_STATUS);
    int n = s->ctx ? ct_message_count(s->ctx) : 0;
    if (message) check(n && strstr(ct_message(s->ctx, n - 1), "out of memory"), CHECK_MESSAGE);
    // files and processes
    check(waitpid(-1, NULL, 0) < 0 && errno == ECHILD, CHECK_PROCESS);
    check(open_files() == parent_files, CHECK_FILE);
    check(removed == made, CHECK_LEFT);
    bool again = tried % (every_one ? SELDOM : AGAIN) == 0;
    // an object that was being changed says so, else it is sound; the model is as it was
    if (s->system) {
        ct_check_info info;
        ct_status later = ct_check(s->ctx, s->system, &info);
        check(later == CT_USAGE || later == CT_OK, CHECK_SYSTEM);
        ct_system_free(s->system);
        s->system = NULL;
    }
    if (s->view && again) {
        ct_view_info info;
        ct_status later = ct_view_still(s->ctx, s->view, 0, &s->text, &info);
        check(later == CT_USAGE || later == CT_OK || later == CT_WRONG_MODEL, CHECK_VIEW);
    }
    if (s->model && s->ctx && again) {
        check(ct_formulate(s->ctx, s->model, NULL, &s->system) == CT_OK, CHECK_FORMULATE);
        check(ct_assemble(s->ctx, s->system) == CT_OK, CHECK_ASSEMBLE);
    }
    // memory
    state_clear(s);
    check(ct_memory_live() == at_start, CHECK_BLOCK);
#if defined(__SANITIZE_ADDRESS__)
    if (again) check(!__lsan_do_recoverable_leak_check(), CHECK_LEAK);
#endif
    _exit(0);
}

// allocations ------------------------------------------------------------------------------------
// Returns true for the first ones and one of each stretch of equal length, which the seed chooses.
static bool chosen(long n) {
    if (only_call >= 0) return n_calls == only_call && n == only_allocation;
    if (all_of_them || n <= FIRST) return true;
    long length = totals[n_calls] / rest + 1;
    uint64_t random = seed + 1000003 * (uint64_t)(n / length) + (uint64_t)n_calls;
    noise(&random);
    noise(&random);
    return n % length == (long)((random >> 33) % (uint64_t)length);
}

// children that are under way: the parent goes on, until so many are
static struct child {
    pid_t process;
    long allocation;
} children[MOST_CHILDREN];
static int n_children;

static void tell(const struct child *c, int status) {
    failures++;
    if (failures > MOST_TOLD) return;
    print_error("%s: call %d, allocation %ld of %ld: %s\n", call_text, n_calls, c->allocation,
                totals[n_calls], child_failure(status));
    print_error("again: test_no_memory --only %d:%ld %s\n", n_calls, c->allocation, scenario_name);
}

static void wait_until_left(int most) {
    while (n_children > most) {
        int status = -1;
        while (waitpid(children[0].process, &status, 0) < 0 && errno == EINTR) continue;
        if (!WIFEXITED(status) || WEXITSTATUS(status)) tell(children, status);
        memmove(children, children + 1, (size_t)--n_children * sizeof *children);
    }
}

// Forks. In the child the allocation is refused; in the parent it is not.
static bool try_one(void) {
    wait_until_left(MOST_CHILDREN - 1);
    made = made_for_a_while(getenv("XDG_CACHE_HOME"), false);
    if (result_folder && access(result_folder, F_OK) == 0)
        made += 1 + made_for_a_while(result_folder, true);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        is_child = refused = true;
        refuse_all = tried % 2 == 1;
        alarm(CHILD_SECONDS);
        // a crash ends the child, not one of cmocka's tests in it
        static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
        for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
        return true;
    }
    assert_true(child > 0);
    children[n_children++] = (struct child){child, asked};
    tried++;
    if (made) wait_until_left(0); // the parent would change these files
    return false;
}

static bool is_ours; // the next block that the system is asked for

static bool refuses(void) {
    if (is_child) return refuse_all && refused;
    asked++;
    if (!counting && chosen(asked) && try_one()) return true;
    is_ours = true;
    return false;
}

// LAPACK allocates without hooks, and tells where it gets nothing. libfyaml and SUNDIALS do not tell:
// their memory is wanted before they are called (ct_want). Files that libc has no memory to open are
// errors of their own.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
static bool is_refused_to(void *caller) {
    static bool under_way;
    bool ours = is_ours;
    is_ours = false;
    if (ours || !call_text || counting || is_child || under_way) return false;
    under_way = true;
    Dl_info info = {0};
    bool is_lapack = dladdr(caller, &info) && info.dli_fname &&
                     (strstr(info.dli_fname, "lapack") || strstr(info.dli_fname, "openblas"));
    of_lapack += is_lapack;
    bool no = is_lapack && (all_of_them || of_lapack % LAPACK == 1) && only_call < 0 && try_one();
    under_way = false;
    return no;
}
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t bytes) {
    return is_refused_to(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}
void *calloc(size_t count, size_t size) {
    return is_refused_to(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *p, size_t bytes) {
    return is_refused_to(__builtin_return_address(0)) ? NULL : __libc_realloc(p, bytes);
}
#endif

// calls ------------------------------------------------------------------------------------------
// Notes the public function that a text calls: "s->ctx = ct_context_new()".
static void note_function(const char *text) {
    const char *name = strstr(text, "ct_");
    assert_non_null(name);
    size_t n = strcspn(name, "(") + 1;
    for (int i = 0; i < n_called; i++)
        if (!strncmp(called[i], name, n)) return;
    assert_true(n_called < MOST_FUNCTIONS);
    called[n_called++] = name;
}

static void begin(const char *text) {
    call_text = text;
    note_function(text);
    asked = 0;
    assert_true(n_calls < MOST_CALLS);
    parent_files = open_files();
    ct_memory_refuses = refuses;
}

static void end(state *s, ct_status status, bool message) {
    if (is_child) child_ends(s, status, message);
    ct_memory_refuses = NULL;
    wait_until_left(0);
    if (counting) totals[n_calls] = asked;
    if (asked != totals[n_calls]) {
        print_message("%s: %ld allocations, counted %ld\n", call_text, asked, totals[n_calls]);
        counted_otherwise++;
    }
    call_text = NULL;
    n_calls++;
}

// A call whose status counts, one that returns a pointer or a number, one that needs no memory.
#define CALL(s, expected, call)                                                                    \
    do {                                                                                           \
        begin(#call);                                                                              \
        ct_status status_ = (call);                                                                \
        end((s), status_, true);                                                                   \
        assert_int_equal(status_, (expected));                                                     \
    } while (0)
#define CALL_BARE(s, failed, call)                                                                 \
    do {                                                                                           \
        begin(#call);                                                                              \
        bool failed_ = ((call)failed);                                                             \
        end((s), failed_ ? CT_NO_MEMORY : CT_OK, false);                                           \
        assert_false(failed_);                                                                     \
    } while (0)
static bool has_asked;
static bool notes_that_it_asks(void) {
    has_asked = true;
    return false;
}
#define CALL_PLAIN(call)                                                                           \
    do {                                                                                           \
        if (!is_child) {                                                                           \
            note_function(#call);                                                                  \
            ct_memory_refuses = notes_that_it_asks;                                                \
        }                                                                                          \
        call;                                                                                      \
        ct_memory_refuses = NULL;                                                                  \
        assert_false(has_asked);                                                                   \
    } while (0)

// Every object, and its function that frees it, once.
static void state_clear(state *s) {
    CALL_PLAIN(ct_string_free(s->text));
    CALL_PLAIN(ct_close_info_free(s->close));
    CALL_PLAIN(ct_bench_free(s->bench));
    CALL_PLAIN(ct_bench_methods_free(s->methods));
    CALL_PLAIN(ct_configurations_free(s->configurations));
    CALL_PLAIN(ct_branches_free(s->branches));
    CALL_PLAIN(ct_basis_free(s->basis));
    CALL_PLAIN(ct_cache_info_free(s->cache));
    CALL_PLAIN(ct_equilibrium_free(s->rest));
    CALL_PLAIN(ct_statics_free(s->statics));
    CALL_PLAIN(ct_mass_free(s->mass));
    CALL_PLAIN(ct_view_free(s->view));
    CALL_PLAIN(ct_system_free(s->system));
    ct_system_free(s->aside);
    CALL_PLAIN(ct_model_free(s->model));
    CALL_PLAIN(ct_context_free(s->ctx));
    *s = (state){0};
}

// scenarios --------------------------------------------------------------------------------------
// An empty cache, with temporary files below it.
static void empty_cache(char path[static 1024]) {
    snprintf(path, 1024, "%s/no_memory.XXXXXX", CT_BUILD_DIR);
    assert_non_null(mkdtemp(path));
    setenv("XDG_CACHE_HOME", path, 1);
    setenv("TMPDIR", path, 1);
}

static void try_scenario(const char *name, void (*scenario)(state *s), bool is_short) {
    scenario_name = name;
    all_of_them = every_one && is_short;
    rest = every_one ? LONG_REST : REST;
    failures = counted_otherwise = of_lapack = 0;
    for (int pass = 0; pass < 2; pass++) {
        char cache[1024];
        state s = {0};
        empty_cache(cache);
        n_calls = 0;
        tried = 0;
        at_start = ct_memory_live();
        counting = pass == 0;
        scenario(&s);
        state_clear(&s);
        assert_int_equal(ct_memory_live(), at_start);
        assert_int_equal(made_for_a_while(cache, false), 0);
        remove_folder(ct_strdup(cache));
    }
    long all = 0;
    for (int i = 0; i < n_calls; i++) all += totals[i];
    print_message("%ld of %ld allocations in %d calls, %ld of LAPACK\n", tried, all, n_calls,
                  of_lapack);
    assert_int_equal(failures, 0);
    assert_int_equal(counted_otherwise, 0);
    if (only_call >= 0) assert_int_equal(tried, 1);
}

// Every function that the public header declares is called by a scenario.
static void every_public_function(void) {
    char *header = read_text(CT_SOURCE_DIR "/include/cotree.h");
    assert_non_null(header);
    int declared = 0, missing = 0;
    for (char *line = header; line && *line;) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        line[strstr(line, "//") ? strstr(line, "//") - line : (long)strlen(line)] = '\0';
        for (char *at = line; *line != '#' && *line != ' ' && (at = strstr(at, "ct_")); at += 3) {
            size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
            if (at[n] != '(' || (at > line && at[-1] != ' ' && at[-1] != '*')) continue;
            declared++;
            bool found = false;
            for (int i = 0; i < n_called; i++) found |= !strncmp(called[i], at, n + 1);
            missing += !found;
            if (!found) print_error("no scenario calls %.*s\n", (int)n, at);
        }
        line = next;
    }
    ct_free(header);
    assert_true(declared > 40);
    assert_int_equal(missing, 0);
}

#endif
