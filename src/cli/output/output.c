// Results are written to a temporary file beside the target and get its name when they are complete, so
// that nothing half-written ever has the target's name, and a failure leaves nothing behind.
#include "output/output.h"
#include "output/memory.h"
#include "cli.h"
#include "output/progress.h"
#include "../../util/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *temporary; // the unfinished file, for the signal handler; changed only between runs
static volatile sig_atomic_t stop_wanted, at_once, pipe_broken;
static bool stdout_reported;
static char buffer[1 << 16]; // of the unfinished file

// signals -----------------------------------------------------------------------------------------
// Wrappers such as `timeout` send a signal to the program and to its group: that is one wish.
static bool just_said(void) {
    static double first;
    double now = ct_seconds();
    if (!stop_wanted) first = now;
    return stop_wanted && now - first < 0.2;
}

static void on_stop(int signal_number) {
    (void)signal_number;
    if (just_said()) return;
    if (stop_wanted || at_once) {
        if (temporary) unlink(temporary);
        progress_say_at_once(!stop_wanted);
        _exit(EXIT_INTERRUPTED);
    }
    stop_wanted = 1;
}

static void on_broken_pipe(int signal_number) {
    (void)signal_number; // write() then fails with EPIPE; child programs get the default back
    pipe_broken = 1;
}

static void catch_signal(int number, void (*handler)(int)) {
    struct sigaction old, action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    bool ignored = sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
    if (ignored && number != SIGPIPE) return; // nohup
    sigaction(number, &action, NULL);
}

void output_ignore_broken_pipe(void) {
    catch_signal(SIGPIPE, on_broken_pipe);
}

void output_stop_at_once(bool value) {
    at_once = value;
}

volatile sig_atomic_t *output_catch_signals(void) {
    catch_signal(SIGINT, on_stop);
    catch_signal(SIGTERM, on_stop);
    catch_signal(SIGHUP, on_stop);
    return &stop_wanted;
}

// checks ------------------------------------------------------------------------------------------
static int cannot_write(const char *path, const char *why) {
    fprintf(stderr, "cotree: error: cannot write %s: %s\n", path, why);
    return CT_USAGE;
}

// The folder that holds the path; free it.
static char *folder_of(const char *path) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    while (n > 0 && path[n - 1] != '/') n--;
    char *folder = strdup(n ? path : ".");
    if (!folder) no_memory();
    if (n) folder[n] = 0;
    return folder;
}

static int check_parent(const char *path) {
    struct stat status;
    char *folder = folder_of(path);
    int code = 0;
    if (stat(folder, &status) != 0) {
        fprintf(stderr, "cotree: error: cannot write %s: the folder %s does not exist\n", path,
                folder);
        code = CT_USAGE;
    } else if (!S_ISDIR(status.st_mode)) {
        fprintf(stderr, "cotree: error: cannot write %s: %s is not a folder\n", path, folder);
        code = CT_USAGE;
    } else if (access(folder, W_OK | X_OK) != 0)
        code = cannot_write(path, strerror(errno));
    free(folder);
    return code;
}

int output_check_beside(const char *path, const char *input, const char *what) {
    struct stat status, read;
    char why[64];
    if (!path) return 0;
    if (stat(path, &status) != 0) return check_parent(path);
    if (S_ISDIR(status.st_mode)) return cannot_write(path, "it is a folder; name a file");
    if (stat(input, &read) == 0 && read.st_dev == status.st_dev && read.st_ino == status.st_ino) {
        snprintf(why, sizeof why, "it is %s itself", what);
        return cannot_write(path, why);
    }
    if (access(path, W_OK) != 0) return cannot_write(path, strerror(errno));
    return S_ISREG(status.st_mode) ? check_parent(path) : 0;
}

int output_check(const char *path, const char *model) {
    return output_check_beside(path, model, "the model");
}

int output_check_folder(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return check_parent(path);
    if (!S_ISDIR(status.st_mode)) return cannot_write(path, "it is not a folder");
    if (access(path, W_OK | X_OK) != 0) return cannot_write(path, strerror(errno));
    return 0;
}

// writing -----------------------------------------------------------------------------------------
static int open_failed(output *o) {
    int code = cannot_write(o->path, strerror(errno));
    output_discard(o);
    return code;
}

// A new file beside the target, with the mode that the target has or would get.
static int open_beside(output *o, const struct stat *old) {
    size_t size = strlen(o->target) + 16;
    mode_t mask = umask(0);
    umask(mask);
    temporary = malloc(size);
    if (!temporary) no_memory();
    snprintf(temporary, size, "%s.XXXXXX", o->target);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        free(temporary);
        temporary = NULL;
        return open_failed(o);
    }
    if (fchmod(descriptor, old ? old->st_mode & 0777 : 0666 & ~mask) != 0) errno = 0; // not vital
    o->file = fdopen(descriptor, "w");
    if (!o->file) return open_failed(o);
    // megabytes of rows: without room for many of them every page is a call of the system. The room is
    // ours, since the C library of GNU takes its own size where it is to find some
    setvbuf(o->file, buffer, _IOFBF, sizeof buffer);
    return 0;
}

int output_open(output *o, const char *path) {
    struct stat status;
    *o = (output){.file = stdout, .path = path};
    if (!path) return 0;
    o->file = NULL;
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) { // a device or a pipe
        o->file = fopen(path, "w");
        return o->file ? 0 : open_failed(o);
    }
    o->target = exists ? realpath(path, NULL) : strdup(path); // a link stays a link
    if (!o->target) return open_failed(o);
    return open_beside(o, exists ? &status : NULL);
}

static void forget(output *o) {
    free(temporary);
    free(o->target);
    temporary = o->target = NULL;
    o->file = NULL;
}

// errno may be gone when a full buffer failed some rows ago
static void write_failed(const char *path) {
    if (!path) stdout_reported = true;
    fprintf(stderr, "cotree: error: cannot write %s: %s\n", path ? path : "to stdout",
            errno ? strerror(errno) : "the device refused it");
}

int output_commit(output *o) {
    if (!o->path) return output_error(o) && o->failed ? CT_INTERNAL : 0;
    bool good = !output_error(o);
    if (fclose(o->file) != 0) good = false;
    o->file = NULL;
    if (good && temporary && !ct_file_replace(temporary, o->target)) good = false;
    if (!good && !o->failed && !o->pipe_closed) {
        write_failed(o->path);
        o->failed = true;
    }
    if (!good && temporary) unlink(temporary);
    forget(o);
    return o->failed ? CT_INTERNAL : 0;
}

void output_discard(output *o) {
    if (o->path && o->file) fclose(o->file);
    if (temporary) unlink(temporary);
    forget(o);
}

bool output_error(output *o) {
    if (o->failed || o->pipe_closed) return true;
    errno = 0;
    if (fflush(o->file) == 0 && !ferror(o->file)) return false;
    o->pipe_closed = pipe_broken || errno == EPIPE;
    o->failed = !o->pipe_closed;
    if (o->failed) write_failed(o->path);
    return true;
}

int output_finish_stdout(int exit_code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
    if (pipe_broken || errno == EPIPE) return exit_code;
    if (!stdout_reported) write_failed(NULL);
    return exit_code ? exit_code : CT_INTERNAL;
}
