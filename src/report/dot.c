// Graphviz: strings of its language, and a run of `dot`. Input is a temporary file, so that a child
// that ends early cannot kill this program by a broken pipe; output comes through a pipe.
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// text --------------------------------------------------------------------------------------------
void ct_dot_part(ct_text *t, const char *s, int most) {
    for (int n = 0; *s; n++) {
        if (n == most) {
            ct_text_add(t, "…");
            return;
        }
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            ct_text_printf(t, "\\%c", c);
        else if (c == '&')
            ct_text_add(t, "&amp;");
        else if (c < 0x20 || c == 0x7F)
            ct_text_add(t, " ");
        else
            ct_text_addn(t, s, 1);
        s++;
        while ((*s & 0xC0) == 0x80) ct_text_addn(t, s++, 1); // the rest of the character
    }
}

void ct_dot_string(ct_text *t, const char *s) {
    ct_text_add(t, "\"");
    ct_dot_part(t, s, CT_DOT_LABEL);
    ct_text_add(t, "\"");
}

// running -----------------------------------------------------------------------------------------
static void child(const char *program, int input, int output) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, 2);
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0) _exit(126);
    execlp(program, program, "-Tsvg", (char *)NULL);
    _exit(errno == ENOENT ? 127 : 126);
}

static bool read_all(int fd, double until, const volatile sig_atomic_t *stop, ct_text *out) {
    enum { MOST = 8000000 };
    char buffer[65536];
    for (;;) {
        double left = until - ct_seconds();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (left <= 0 || (stop && *stop) || out->n > MOST) return false;
        int ready = poll(&p, 1, left < 0.2 ? 1 + (int)(1e3 * left) : 200);
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0;
        ct_text_addn(out, buffer, (size_t)n);
    }
}

static int end_of(pid_t pid) {
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static FILE *file_of(const char *text) {
    FILE *file = tmpfile();
    if (!file) return NULL;
    if (fputs(text, file) >= 0 && fflush(file) == 0 && lseek(fileno(file), 0, SEEK_SET) == 0)
        return file;
    fclose(file);
    return NULL;
}

// The end of the comment or title that begins at s, NULL if none does. Graphviz writes names of
// nodes into them, which mean nothing to readers.
static const char *past(const char *s) {
    static const char *const cut[][2] = {{"<!--", "-->"}, {"<title>", "</title>"}};
    for (int k = 0; k < 2; k++) {
        if (strncmp(s, cut[k][0], strlen(cut[k][0])) != 0) continue;
        const char *end = strstr(s, cut[k][1]);
        return end ? end + strlen(cut[k][1]) : s + strlen(s);
    }
    return NULL;
}

static char *clean(const char *text) {
    const char *s = strstr(text, "<svg"), *end = NULL;
    ct_text out = {0};
    for (const char *at = s; at && (at = strstr(at, "</svg>")); at++) end = at + strlen("</svg>");
    while (end && s < end) {
        const char *after = past(s);
        size_t plain = 1 + strcspn(s + 1, "<");
        if (!after) ct_text_addn(&out, s, plain < (size_t)(end - s) ? plain : (size_t)(end - s));
        s = after ? after : s + plain;
    }
    return out.n ? ct_text_take(&out) : NULL;
}

typedef struct running {
    pid_t pid;
    int output;
} running;

static void stop_child(void *data) {
    running *r = data;
    close(r->output);
    kill(r->pid, SIGKILL);
    end_of(r->pid);
}

ct_dot_status ct_dot_run(const char *program, const char *dot, double seconds,
                         const volatile sig_atomic_t *stop, char **svg) {
    int ends[2];
    ct_text out = {0};
    *svg = NULL;
    FILE *input = file_of(dot);
    if (!input) return CT_DOT_FAILED;
    if (pipe(ends)) {
        fclose(input);
        return CT_DOT_FAILED;
    }
    // the program reads the graph from a file and writes into a pipe
    pid_t pid = fork();
    if (pid == 0) child(program, fileno(input), ends[1]);
    fclose(input);
    close(ends[1]);
    // its output, within the time; it is stopped if reading is left early
    running child_ = {pid, ends[0]};
    ct_cleanup undo;
    if (pid > 0) ct_cleanup_push(&undo, stop_child, &child_);
    bool complete = pid > 0 && read_all(ends[0], ct_seconds() + seconds, stop, &out);
    if (pid > 0) ct_cleanup_pop(&undo);
    close(ends[0]);
    if (pid > 0 && !complete) kill(pid, SIGKILL);
    // the drawing, if the program ended well
    int code = pid > 0 ? end_of(pid) : -1;
    if (complete && code == 0 && out.n) *svg = clean(out.s);
    ct_text_clear(&out);
    return *svg ? CT_DOT_DONE : code == 127 ? CT_DOT_MISSING : CT_DOT_FAILED;
}
