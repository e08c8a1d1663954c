// A progress bar on stderr with the time left; drawn at most ten times a second, and not at all for
// short runs.
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BAR_WIDTH = 40 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(progress *p) {
    p->shown = false;
    p->start = p->last = now();
}

void progress_show(void *data, double share) {
    progress *p = data;
    double time = now();
    if (time - p->last < 0.1 || time - p->start < 0.3 || !(share > 0)) return;
    if (share > 1) share = 1;
    char bar[BAR_WIDTH + 1];
    int done = (int)(share * BAR_WIDTH);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)done);
    bar[BAR_WIDTH] = 0;
    double left = (time - p->start) * (1 - share) / share;
    fprintf(stderr, "\r[%s] %3.0f %%, %.0f s left \033[K", bar, 100 * share, left);
    fflush(stderr);
    p->shown = true;
    p->last = time;
}

void progress_stage(void *data, const char *stage, double share) {
    progress *p = data;
    double time = now();
    if (time - p->last < 0.1 || time - p->start < 0.3) return;
    fprintf(stderr, "\r%s", stage);
    if (share > 0 && share < 1) fprintf(stderr, ", %.0f %%", 100 * share);
    fprintf(stderr, ", %.0f s \033[K", time - p->start);
    fflush(stderr);
    p->shown = true;
    p->last = time;
}

void progress_end(progress *p) {
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}
