// The one file that asks which system this is. POSIX serves wherever it can.
#include "system.h"

#include <dlfcn.h>
#include <paths.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

double ct_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
