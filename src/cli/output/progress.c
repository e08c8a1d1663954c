// Progress on stderr. The library's callback only notes the stage and its share; a timer draws, so
// that a clock runs also in stages that report nothing, and drawing costs the same however often
// the library calls. What the timer's handler uses is safe in a handler: atomics, write,
// clock_gettime.
#include "output/progress.h"
#include "output/output.h"
#include "output/utf8.h"
// the clock.
#include "../../util/system.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

enum { LINE_EVERY = 10000, FIRST_DRAWN = 300, DRAWN_EVERY = 100 }; // milliseconds

static _Atomic(const char *) stage; // a literal of the library; NULL: none
static atomic_int permille;         // of the stage; negative: not known
static atomic_llong stage_start;    // milliseconds
static struct {                     // set before the timer starts
    bool terminal, utf8;
    long long start;
    struct sigaction old[3];
} shown;
static long long next_line; // the handler's own
static volatile sig_atomic_t active, drawn;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static long long now(void) {
    return (long long)(1000 * ct_seconds());
}

// lines -------------------------------------------------------------------------------------------
typedef struct line {
    char text[512];
    size_t n;
} line;

static void put(line *l, const char *s) {
    while (*s && l->n < sizeof l->text) l->text[l->n++] = *s++;
}

static void put_number(line *l, long long value) {
    char digits[24];
    int n = 0;
    do digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n && l->n < sizeof l->text) l->text[l->n++] = digits[--n];
}

static void put_seconds(line *l, long long ms) {
    long long s = (ms + 500) / 1000;
    put_number(l, s < 120 ? s : s < 7200 ? s / 60 : s / 3600);
    put(l, s < 120 ? " s" : s < 7200 ? " min" : " h");
}

static void send(const line *l) {
    ssize_t sent = write(STDERR_FILENO, l->text, l->n);
    (void)sent; // nothing depends on it
}

// "42 %, 12 s left", or how long it has taken so far
static void put_state(line *l, long long time) {
    int done = atomic_load(&permille);
    long long passed = time - atomic_load(&stage_start);
    if (done < 0) {
        put_seconds(l, time - shown.start);
        return;
    }
    put_number(l, done / 10);
    put(l, " %");
    if (done < 5) return; // too early to tell
    put(l, ", ");
    put_seconds(l, passed * (1000 - done) / done);
    put(l, " left");
}

static void put_bar(line *l, int done, int width) {
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int filled = done * width / 1000, part = done * width * 8 / 1000 % 8, rest = width - filled;
    put(l, shown.utf8 ? "▕" : "[");
    for (int i = 0; i < filled; i++) put(l, shown.utf8 ? "█" : "#");
    if (shown.utf8 && part && rest) {
        put(l, parts[part]);
        rest--;
    }
    for (int i = 0; i < rest; i++) put(l, shown.utf8 ? " " : ".");
    put(l, shown.utf8 ? "▏ " : "] ");
}

static void draw(const char *what, long long time) {
    enum { STATE = 22, WIDEST = 40, NARROWEST = 8 };
    line l = {.n = 0};
    struct winsize size = {0};
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    int done = atomic_load(&permille), width = columns - (int)strlen(what) - STATE - 4;
    put(&l, "\r");
    put(&l, what);
    put(&l, " ");
    if (done > 1000) done = 1000;
    if (width > WIDEST) width = WIDEST;
    if (done >= 0 && width >= NARROWEST) put_bar(&l, done, width);
    put_state(&l, time);
    put(&l, "\033[K");
    send(&l);
    drawn = 1;
}

static void on_tick(int number) {
    (void)number;
    int kept = errno;
    const char *what = active ? atomic_load(&stage) : NULL;
    long long time = now();
    if (what && shown.terminal)
        draw(what, time);
    else if (what && time >= next_line) {
        line l = {.n = 0};
        put(&l, "cotree: ");
        put(&l, what);
        put(&l, ", ");
        put_state(&l, time);
        put(&l, "\n");
        send(&l);
        next_line += LINE_EVERY;
    }
    errno = kept;
}

// stages ------------------------------------------------------------------------------------------
static void on_progress(void *data, const ct_progress *p) {
    (void)data;
    if (atomic_load(&stage) != p->stage) {
        atomic_store(&stage_start, now());
        atomic_store(&stage, p->stage);
    }
    atomic_store(&permille, p->share >= 0 ? (int)fmin(1000, 1000 * p->share) : -1);
    output_stop_at_once(!p->stops);
}

static void start_timer(void) {
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < 3; i++) sigaddset(&action.sa_mask, signals[i]);
    sigaction(SIGALRM, &action, NULL);
    long every = shown.terminal ? DRAWN_EVERY : 1000, first = shown.terminal ? FIRST_DRAWN : 1000;
    struct itimerval timer = {.it_interval = {every / 1000, every % 1000 * 1000},
                              .it_value = {first / 1000, first % 1000 * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

volatile sig_atomic_t *progress_begin(ct_context *ctx, const arguments *a, bool show) {
    const char *terminal = getenv("TERM");
    for (int i = 0; i < 3; i++) sigaction(signals[i], NULL, &shown.old[i]);
    setlocale(LC_CTYPE, "");
    shown.utf8 = utf8_locale();
    shown.terminal = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    shown.start = now();
    active = 1;
    next_line = shown.start + LINE_EVERY;
    atomic_store(&stage, NULL);
    ct_set_progress(ctx, on_progress, NULL);
    output_stop_at_once(true);
    volatile sig_atomic_t *stop = output_catch_signals();
    if (show && !a->quiet && !a->json) start_timer();
    return stop;
}

void progress_end(ct_context *ctx) {
    struct itimerval none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &none, NULL);
    if (drawn) fputs("\r\033[K", stderr);
    drawn = 0;
    ct_set_progress(ctx, NULL, NULL);
    output_stop_at_once(false);
    for (int i = 0; active && i < 3; i++) sigaction(signals[i], &shown.old[i], NULL);
    active = 0; // a last tick, should one be on its way, does nothing
}

// stopping ----------------------------------------------------------------------------------------
void progress_say_at_once(bool nothing) {
    line l = {.n = 0};
    const char *what = atomic_load(&stage);
    put(&l, shown.terminal ? "\r\033[Kcotree: stopped" : "cotree: stopped"); // over a ^C
    if (what) {
        put(&l, " (");
        put(&l, what);
        put(&l, ")");
    }
    put(&l, nothing ? "; nothing was written\n" : "\n");
    send(&l);
}

void progress_say_stopped(void) {
    fflush(stderr);
    progress_say_at_once(true);
}
