// What differs between systems: the clock, folders, shared objects, the processor. No other file
// asks which system this is; POSIX serves wherever it can.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dladdr, which POSIX has since 2024; renameat2
#endif
#include "system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <paths.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#include <sys/sysctl.h>
#elif __has_include(<malloc.h>)
#include <malloc.h>
#endif

double ct_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

size_t ct_block_bytes(void *block) {
#ifdef __APPLE__
    return malloc_size(block);
#elif __has_include(<malloc.h>)
    return malloc_usable_size(block);
#else
    (void)block;
    return 0;
#endif
}

// folders -----------------------------------------------------------------------------------------
#ifdef __APPLE__
static const char caches[] = "/Library/Caches";
#else
static const char caches[] = "/.cache"; // XDG Base Directory Specification
#endif

bool ct_cache_root(const char **folder, const char **below) {
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool named = xdg && *xdg == '/';
    *folder = named ? xdg : home;
    *below = named ? "" : caches;
    return *folder && **folder == '/';
}

const char *ct_temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder && *folder == '/' ? folder : _PATH_TMP;
}

double ct_changed_at(const struct stat *s) {
#ifdef __APPLE__
    struct timespec at = s->st_mtimespec;
#else
    struct timespec at = s->st_mtim;
#endif
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

void ct_library_mark(char *text, size_t room) {
    static const char inside = 0; // an address in the library
    Dl_info info;
    struct stat s;
    if (dladdr(&inside, &info) && info.dli_fname && stat(info.dli_fname, &s) == 0)
        snprintf(text, room, "%lld %lld %.9f", (long long)s.st_ino, (long long)s.st_size,
                 ct_changed_at(&s));
    else
        snprintf(text, room, "?");
}

// input -------------------------------------------------------------------------------------------
enum { NO_WRITER_MS = 1000, SILENCE_MS = 30000, PAUSE_MS = 20 }; // of a pipe

bool ct_source_open(ct_source *in, const char *path, const char **why) {
    // a pipe without a writer would block here
    struct stat status;
    *in = (ct_source){.descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    *why = NULL;
    if (in->descriptor < 0 || fstat(in->descriptor, &status) != 0)
        *why = errno == ENXIO ? "it is a socket" : strerror(errno);
    else if (S_ISDIR(status.st_mode))
        *why = "it is a folder, not a file";
    else if (S_ISFIFO(status.st_mode))
        in->is_pipe = true;
    else if (!S_ISREG(status.st_mode))
        *why = "it is a device, not a file";
    if (*why) ct_source_close(in);
    return !*why;
}

// Until a pipe has something to read or its writer is gone.
static bool wait_for_pipe(ct_source *in, const char **why) {
    struct pollfd wait = {.fd = in->descriptor, .events = POLLIN};
    int ready;
    do ready = poll(&wait, 1, SILENCE_MS);
    while (ready < 0 && errno == EINTR);
    if (ready > 0) return true;
    *why = ready ? strerror(errno) : "nothing comes from this pipe";
    return false;
}

long ct_source_read(ct_source *in, void *block, size_t room, const char **why) {
    for (int waited = 0;;) {
        ssize_t n = read(in->descriptor, block, room);
        in->has_begun |= n > 0;
        if (n > 0 || (n == 0 && (!in->is_pipe || in->has_begun))) return (long)n;
        if (n == 0 && waited >= NO_WRITER_MS) {
            *why = "nobody writes to this pipe";
            return -1;
        }
        if (n == 0) {
            poll(NULL, 0, PAUSE_MS);
            waited += PAUSE_MS;
        } else if (errno == EAGAIN) {
            if (!wait_for_pipe(in, why)) return -1;
        } else if (errno != EINTR) {
            *why = strerror(errno);
            return -1;
        }
    }
}

void ct_source_close(void *source) {
    ct_source *in = source;
    if (in->descriptor >= 0) close(in->descriptor);
    in->descriptor = -1;
}

// Linux lets two files change names. Where a file replaces another one by `rename`, ext4 writes it to the
// disk first: some milliseconds for a megabyte, a quarter of the time of a run.
bool ct_file_replace(const char *from, const char *to) {
#ifdef RENAME_EXCHANGE
    struct stat there;
    if (lstat(to, &there) == 0 && S_ISREG(there.st_mode) &&
        renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
        return unlink(from) == 0;
#endif
    return rename(from, to) == 0;
}

// shared objects ----------------------------------------------------------------------------------
#ifdef __APPLE__
const char *const ct_object_flags[CT_OBJECT_FLAGS] = {"-fPIC", "-dynamiclib"};
const char ct_object_suffix[] = ".dylib";
#else
const char *const ct_object_flags[CT_OBJECT_FLAGS] = {"-fPIC", "-shared"};
const char ct_object_suffix[] = ".so";
#endif

void *ct_object_open(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *ct_object_find(void *object, const char *name) {
    return dlsym(object, name);
}

void ct_object_close(void *object) {
    if (object) dlclose(object);
}

const char *ct_object_error(void) {
    const char *text = dlerror();
    return text ? text : "unknown reason";
}

// A function of whatever library there is, for ISO C by way of its bytes.
static bool find_function(const char *name, void *function, size_t bytes) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found && bytes == sizeof found) memcpy(function, &found, bytes);
    return found != NULL && bytes == sizeof found;
}

void ct_use_one_thread(void) {
    void (*set)(int);
    int (*end)(void);
    if (getenv("OPENBLAS_NUM_THREADS")) return;
    if (!find_function("openblas_set_num_threads", &set, sizeof set)) return;
    set(1);
    if (find_function("blas_thread_shutdown_", &end, sizeof end)) (void)end();
}

// the processor -----------------------------------------------------------------------------------
// The system's description of its processor under one of these names. Returns false if there is
// none.
static bool ask(const char *const *names, char *text, size_t room) {
    text[0] = '\0';
#ifdef __APPLE__
    for (; *names && !text[0]; names++) {
        size_t size = room;
        if (sysctlbyname(*names, text, &size, NULL, 0)) text[0] = '\0';
    }
#else
    char line[4096];
    FILE *file = fopen("/proc/cpuinfo", "r"); // where it is missing, the kind of machine must do
    while (file && !text[0] && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        for (const char *const *name = names; value && *name; name++)
            if (!strncmp(line, *name, strlen(*name)))
                snprintf(text, room, "%s", value + 1 + strspn(value + 1, " \t"));
    }
    if (file) fclose(file);
    text[strcspn(text, "\n")] = '\0';
#endif
    return text[0] != '\0';
}

void ct_processor_name(char *text, size_t room) {
#ifdef __APPLE__
    static const char *const names[] = {"machdep.cpu.brand_string", NULL};
#else
    static const char *const names[] = {"model name", NULL};
#endif
    struct utsname u;
    if (!ask(names, text, room)) snprintf(text, room, "%s", uname(&u) < 0 ? "" : u.machine);
}

void ct_processor_features(char *text, size_t room) {
#ifdef __APPLE__
    static const char *const names[] = {"machdep.cpu.leaf7_features", "machdep.cpu.brand_string",
                                        NULL};
#else
    static const char *const names[] = {"flags", "Features", "isa", NULL};
#endif
    struct utsname u;
    if (ask(names, text, room)) return;
    if (uname(&u) < 0) memset(&u, 0, sizeof u);
    snprintf(text, room, "%s %s", u.machine, u.nodename); // each machine for itself
}

bool ct_processor_fuses(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    return __builtin_cpu_supports("fma");
#elif defined(FP_FAST_FMA)
    return true;
#else
    return false;
#endif
}
