// Curves as SVG: axes with round numbers, one line for each curve, its name beside it. Curves that
// hold more points than the picture has columns keep the lowest and the highest of each column.
#include "report/report.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 230, LEFT = 66, RIGHT = 12, TOP = 26, BOTTOM = 36, COLOURS = 6 };
static const double LOWEST = -18; // of logarithms

typedef struct frame {
    ct_text *t;
    double low[2], high[2];
    bool logarithmic;
} frame;

static double height_of(const frame *f, double y) {
    if (!f->logarithmic) return y;
    return fabs(y) > 1e-18 ? log10(fabs(y)) : LOWEST;
}

static double px(const frame *f, double x) {
    return LEFT + (x - f->low[0]) / (f->high[0] - f->low[0]) * (WIDTH - LEFT - RIGHT);
}

static double py(const frame *f, double y) {
    return HEIGHT - BOTTOM -
           (height_of(f, y) - f->low[1]) / (f->high[1] - f->low[1]) * (HEIGHT - TOP - BOTTOM);
}

static void widen(double *low, double *high) {
    if (!(*low <= *high)) *low = 0, *high = 1;
    double size = fmax(fabs(*low), fabs(*high)), least = size > 0 ? 1e-9 * size : 1e-3;
    if (*high - *low < least) *low -= fmax(least, 0.5 * size), *high += fmax(least, 0.5 * size);
}

static void find_range(frame *f, int n, const ct_curve *curves) {
    for (int k = 0; k < 2; k++) f->low[k] = INFINITY, f->high[k] = -INFINITY;
    for (int c = 0; c < n; c++)
        for (int i = 0; i < curves[c].n; i++) {
            double at[2] = {curves[c].x[i], height_of(f, curves[c].y[i])};
            for (int k = 0; k < 2; k++) {
                if (!isfinite(at[k])) continue;
                f->low[k] = fmin(f->low[k], at[k]);
                f->high[k] = fmax(f->high[k], at[k]);
            }
        }
    widen(&f->low[0], &f->high[0]);
    if (f->logarithmic) {
        f->low[1] = isfinite(f->low[1]) ? floor(f->low[1]) - 1 : LOWEST;
        f->high[1] = isfinite(f->high[1]) ? ceil(f->high[1]) + 1 : 0;
    } else {
        widen(&f->low[1], &f->high[1]);
        double margin = 0.06 * (f->high[1] - f->low[1]);
        f->low[1] -= margin;
        f->high[1] += margin;
    }
}

// 1, 2 or 5 times a power of ten, so that there are about `count` of them.
static double round_step(double range, int count) {
    double raw = range / count, ten = pow(10, floor(log10(raw))), share = raw / ten;
    return ten * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

static void tick(const frame *f, int axis, double at, const char *label) {
    double x = axis ? LEFT : px(f, at),
           y = axis ? HEIGHT - BOTTOM -
                          (at - f->low[1]) / (f->high[1] - f->low[1]) * (HEIGHT - TOP - BOTTOM)
                    : HEIGHT - BOTTOM;
    ct_text_printf(f->t, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                   x, y, axis ? WIDTH - RIGHT : x, axis ? y : TOP);
    ct_text_printf(f->t, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
                   axis ? x - 6 : x, axis ? y + 4 : y + 15, axis ? "end" : "middle", label);
}

static void ticks(const frame *f, int axis) {
    char label[40];
    double range = f->high[axis] - f->low[axis];
    bool powers = axis && f->logarithmic;
    double step = powers ? fmax(1, ceil(range / 5)) : round_step(range, axis ? 5 : 8);
    double first = ceil(f->low[axis] / step - 1e-9);
    for (int i = 0; i < 40 && (first + i) * step <= f->high[axis] + 1e-9 * range; i++) {
        double at = (first + i) * step;
        if (fabs(at) < 1e-9 * step) at = 0;
        if (powers)
            snprintf(label, sizeof label, "1e%.0f", at);
        else
            snprintf(label, sizeof label, "%.6g", at);
        tick(f, axis, at, label);
    }
}

static void point(const frame *f, double x, double y, bool first) {
    ct_text_printf(f->t, "%s%.1f,%.1f", first ? "" : " ", px(f, x), py(f, y));
}

static void line(const frame *f, const ct_curve *c, int colour) {
    bool inside = false;
    int group = 1 + c->n / (2 * (WIDTH - LEFT - RIGHT));
    for (int i = 0; i < c->n; i += group) {
        int low = i, high = i;
        for (int k = i; k < i + group && k < c->n; k++) {
            if (c->y[k] < c->y[low]) low = k;
            if (c->y[k] > c->y[high]) high = k;
        }
        if (!isfinite(c->y[low]) || !isfinite(c->y[high])) {
            if (inside) ct_text_add(f->t, "\"/>");
            inside = false;
            continue;
        }
        if (!inside)
            ct_text_printf(f->t, "<polyline class=\"curve c%d\" points=\"", colour % COLOURS);
        int a = low < high ? low : high, b = low < high ? high : low;
        point(f, c->x[a], c->y[a], !inside);
        if (b != a) point(f, c->x[b], c->y[b], false);
        inside = true;
    }
    if (inside) ct_text_add(f->t, "\"/>");
}

void ct_plot_svg(ct_text *t, const char *title, const char *x_label, const char *y_label,
                 bool logarithmic, int n, const ct_curve *curves) {
    // ranges of both axes
    frame f = {.t = t, .logarithmic = logarithmic};
    find_range(&f, n, curves);
    ct_text_printf(t,
                   "<figure class=\"plot\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
                   WIDTH, HEIGHT);
    ct_html(t, title);
    ct_text_add(t, "\">");
    // axes, curves, names of the axes
    ticks(&f, 0);
    ticks(&f, 1);
    for (int c = 0; c < n; c++) line(&f, curves + c, c);
    ct_text_printf(t, "<text class=\"axis\" x=\"%d\" y=\"%d\" text-anchor=\"end\">", WIDTH - RIGHT,
                   HEIGHT - 4);
    ct_html(t, x_label);
    ct_text_printf(t, "</text><text class=\"axis\" x=\"4\" y=\"14\">");
    ct_html(t, y_label);
    // title and legend
    ct_text_add(t, "</text></svg><figcaption><b>");
    ct_html(t, title);
    ct_text_add(t, "</b>");
    for (int c = 0; c < n; c++) {
        ct_text_printf(t, " <span class=\"key c%d\"></span>", c % COLOURS);
        ct_html_name(t, curves[c].name);
    }
    ct_text_add(t, "</figcaption></figure>\n");
}
