// The first program on PATH that can show a page: a child of its own, without a shell.
#include "output/browser.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool on_path(const char *name) {
    char file[4096];
    const char *path = getenv("PATH");
    if (strchr(name, '/')) return access(name, X_OK) == 0;
    while (path && *path) {
        size_t n = strcspn(path, ":");
        int bytes = snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
        if (n && bytes > 0 && (size_t)bytes < sizeof file && access(file, X_OK) == 0) return true;
        path += n + (path[n] == ':');
    }
    return false;
}

static const char *find(void) {
    static const char *const known[] = {"xdg-open",         "open",         "firefox", "chromium",
                                        "chromium-browser", "google-chrome"};
    const char *own = getenv("BROWSER");
    if (own && *own && on_path(own)) return own;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (on_path(known[i])) return known[i];
    return NULL;
}

// Starts the program as a grandchild, for which no parent has to wait.
static bool start(const char *program, char *path) {
    char *arguments[] = {(char *)program, path, NULL};
    int status = 0;
    pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3 && null >= 0; i++) dup2(null, i);
        setsid();
        pid_t own = fork();
        if (own == 0) execvp(program, arguments);
        _exit(own > 0 ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

bool browser_open(const char *path) {
    const char *program = find();
    char *whole = realpath(path, NULL);
    bool shown = program && whole && start(program, whole);
    if (!program)
        fprintf(
            stderr,
            "cotree: warning: no browser was found; install one (on Debian the package chromium "
            "or firefox-esr) or open %s elsewhere: it needs nothing else\n",
            path);
    else if (!shown)
        fprintf(stderr, "cotree: warning: %s could not be started; open %s yourself\n", program,
                path);
    free(whole);
    return shown;
}
