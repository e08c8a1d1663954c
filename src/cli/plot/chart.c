// Charts: ranges, ticks at round numbers, and lines thinned out to what can be seen.
#include "plot/chart.h"
#include "output/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

series *chart_add(chart *c, char *label, const double *x, const double *y, long n) {
    if (c->n == c->room) {
        c->room = c->room ? 2 * c->room : 8;
        c->item = realloc(c->item, (size_t)c->room * sizeof *c->item);
        if (!c->item) no_memory();
    }
    c->item[c->n] = (series){label, x, y, n};
    return c->item + c->n++;
}

void chart_clear(chart *c) {
    for (int i = 0; i < c->n; i++) free(c->item[i].label);
    free(c->item);
    free(c->title);
    free(c->x_label);
    *c = (chart){0};
}

static bool there(const series *s, long k) {
    return isfinite(s->x[k]) && isfinite(s->y[k]);
}

// A range that is a point, up to rounding, is opened around it.
static void open_range(double *low, double *high) {
    double size = fmax(fabs(*low), fabs(*high));
    if (*high - *low > 1e-12 * size) return;
    double middle = *low / 2 + *high / 2, half = size > 0 ? 0.1 * size : 1;
    *low = middle - half;
    *high = middle + half;
}

bool chart_range(chart *c) {
    bool any = false;
    for (int i = 0; i < c->n; i++) {
        const series *s = c->item + i;
        for (long k = 0; k < s->n; k++) {
            if (!there(s, k)) continue;
            c->x0 = any ? fmin(c->x0, s->x[k]) : s->x[k];
            c->x1 = any ? fmax(c->x1, s->x[k]) : s->x[k];
            c->y0 = any ? fmin(c->y0, s->y[k]) : s->y[k];
            c->y1 = any ? fmax(c->y1, s->y[k]) : s->y[k];
            any = true;
        }
    }
    if (!any) return false;
    open_range(&c->x0, &c->x1);
    open_range(&c->y0, &c->y1);
    return true;
}

// walking -----------------------------------------------------------------------------------------
typedef struct bundle { // points that follow each other in one column
    long first, low, high, last;
    int column;
    bool joined;
} bundle;

static void pass_on(const series *s, const bundle *b, chart_point *point, void *data) {
    long middle[2] = {b->low < b->high ? b->low : b->high, b->low < b->high ? b->high : b->low};
    point(data, s->x[b->first], s->y[b->first], b->joined);
    long before = b->first;
    for (int i = 0; i < 2; i++) {
        if (middle[i] == before || middle[i] == b->last) continue;
        point(data, s->x[middle[i]], s->y[middle[i]], true);
        before = middle[i];
    }
    if (b->last != before) point(data, s->x[b->last], s->y[b->last], true);
}

void chart_walk(const chart *c, const series *s, int columns, chart_point *point, void *data) {
    double scale = columns / (c->x1 - c->x0);
    bundle b = {.column = -1};
    bool joined = false;
    for (long k = 0; k < s->n; k++) {
        if (!there(s, k)) {
            if (b.column >= 0) pass_on(s, &b, point, data);
            b.column = -1;
            joined = false;
            continue;
        }
        int column = (int)((s->x[k] - c->x0) * scale);
        if (column == b.column) {
            if (s->y[k] < s->y[b.low]) b.low = k;
            if (s->y[k] > s->y[b.high]) b.high = k;
            b.last = k;
            continue;
        }
        if (b.column >= 0) pass_on(s, &b, point, data);
        b = (bundle){k, k, k, k, column, joined};
        joined = true;
    }
    if (b.column >= 0) pass_on(s, &b, point, data);
}

// ticks -------------------------------------------------------------------------------------------
ticks ticks_choose(double low, double high, int most) {
    static const double round[] = {1, 2, 5, 10};
    double least = (high - low) / (most > 1 ? most : 1), power = pow(10, floor(log10(least)));
    ticks t = {0};
    for (int i = 0; i < 4; i++) {
        t.step = round[i] * power;
        t.first = ceil(low / t.step - 1e-9);
        t.n = (int)(floor(high / t.step + 1e-9) - t.first) + 1;
        if (t.n <= most) break;
    }
    return t;
}

double tick_value(const ticks *t, int i) {
    return (t->first + i) * t->step;
}

// Label of tick i, with as many digits as the step needs; as a power of ten where that is shorter.
void tick_label(const ticks *t, int i, char text[TICK_SIZE]) {
    double value = tick_value(t, i), last = tick_value(t, t->n - 1);
    double size = fmax(fmax(fabs(tick_value(t, 0)), fabs(last)), t->step);
    int step = (int)floor(log10(t->step) + 1e-9), top = (int)floor(log10(size) + 1e-9);
    if (top < 6 && step > -5) {
        snprintf(text, TICK_SIZE, "%.*f", step < 0 ? -step : 0, value == 0 ? 0.0 : value);
        return;
    }
    if (value == 0) {
        snprintf(text, TICK_SIZE, "0");
        return;
    }
    int own = (int)floor(log10(fabs(value)) + 1e-9), digits = own - step;
    double mantissa = value / pow(10, own);
    snprintf(text, TICK_SIZE, "%.*fe%d", digits > 0 ? digits : 0, mantissa, own);
}
