// The difference of two results. Between samples each is a straight line; so is the difference d
// between neighbouring times of either, and over a piece of length h
//     int d^2 = h (d0^2 + d0 d1 + d1^2) / 3.
#include "plot/figures.h"
#include "output/memory.h"
#include "output/utf8.h"

#include <math.h>
#include <stdlib.h>

// A walk along the times of a result.
typedef struct walk {
    const double *x;
    long n, next; // x[next - 1] <= now < x[next], about
} walk;

// The value at time t; `near` says how far a sample may be from t to be taken as it is. *between is
// set where none is.
static double value_at(walk *w, const double *y, double t, double near, bool *between) {
    while (w->next < w->n && w->x[w->next] <= t + near) w->next++;
    long k = w->next - 1;
    if (k < 0) return y[0];
    if (w->next == w->n || fabs(w->x[k] - t) <= near) return y[k];
    *between = true;
    double share = (t - w->x[k]) / (w->x[k + 1] - w->x[k]);
    return y[k] + share * (y[k + 1] - y[k]);
}

// The times of both in the range, those that agree up to rounding once. Where all samples of one
// are among those of the other, up to the ends of the range, these alone: nothing is interpolated
// then.
static long merge_times(const walk *a, const walk *b, double from, double to, double near,
                        double *times) {
    long i = 0, k = 0, n = 0, shared = 0, own[2] = {0, 0};
    bool *both = calloc((size_t)(a->n + b->n) + 1, sizeof *both);
    if (!both) no_memory();
    // both in order; times that agree up to `near` are one
    while (i < a->n || k < b->n) {
        bool first = i < a->n && (k == b->n || a->x[i] <= b->x[k]);
        double t = first ? a->x[i++] : b->x[k++];
        if (t < from - near || t > to + near) continue;
        own[first]++;
        if (n == 0 || t > times[n - 1] + near)
            times[n++] = t;
        else
            both[n - 1] = true;
    }
    // all samples of one result are among those of the other: shared times alone
    for (long m = 0; m < n; m++) shared += both[m];
    bool among = shared == own[0] || shared == own[1];
    if (among && both[0] && both[n - 1]) {
        shared = 0;
        for (long m = 0; m < n; m++)
            if (both[m]) times[shared++] = times[m];
        n = shared;
    }
    free(both);
    return n;
}

static void summarise(difference *d) {
    double sum = 0;
    for (long k = 0; k < d->n; k++) {
        double v = d->value[k];
        if (k == 0 || fabs(v) > d->max) {
            d->max = fabs(v);
            d->at = d->x[k];
        }
        double before = k ? d->value[k - 1] : 0, h = k ? d->x[k] - d->x[k - 1] : 0;
        sum += h * (v * v + v * before + before * before) / 3;
    }
    double length = d->x[d->n - 1] - d->x[0];
    d->rms = length > 0 ? sqrt(sum / length) : d->max;
}

static void *numbers(long n) {
    void *p = calloc((size_t)n + 1, sizeof(double));
    if (!p) no_memory();
    return p;
}

static void compute(difference *d, walk a, walk b, const double *ya, const double *yb, double near,
                    long n, const double *times) {
    d->n = n;
    d->x = numbers(n);
    d->value = numbers(n);
    for (long k = 0; k < n; k++) {
        bool between = false;
        d->x[k] = times[k];
        d->value[k] =
            value_at(&a, ya, times[k], near, &between) - value_at(&b, yb, times[k], near, &between);
        d->interpolated += between;
    }
    summarise(d);
}

int differences_compute(const result *r, const selection *s, difference **out) {
    *out = NULL;
    walk a = {r[0].values[s[0].x], r[0].rows, 0}, b = {r[1].values[s[1].x], r[1].rows, 0};
    double from = fmax(a.x[0], b.x[0]), to = fmin(a.x[a.n - 1], b.x[b.n - 1]);
    double near = 1e-12 * fmax(fabs(from), fabs(to));
    if (from > to + near)
        return result_error(
            r + 1, 0, "has no '%s' in common with %s: %.6g to %.6g there, %.6g to %.6g here",
            r[1].labels[s[1].x], r[0].shown, a.x[0], a.x[a.n - 1], b.x[0], b.x[b.n - 1]);
    double *times = numbers(a.n + b.n);
    long n = merge_times(&a, &b, from, to, near, times);
    difference *d = calloc((size_t)s[0].n + 1, sizeof *d);
    if (!d) no_memory();
    for (int i = 0; i < s[0].n; i++) {
        d[i].name = r[0].names[s[0].column[i]];
        d[i].label = r[0].labels[s[0].column[i]];
        compute(d + i, a, b, r[0].values[s[0].column[i]], r[1].values[s[1].column[i]], near, n,
                times);
    }
    free(times);
    *out = d;
    return 0;
}

void difference_clear(difference *d) {
    free(d->x);
    free(d->value);
}

void differences_write_text(FILE *file, const difference *d, int n, const char *x_label) {
    int width = 6;
    for (int i = 0; i < n; i++) {
        int w = utf8_width(d[i].label);
        width = w > width ? w : width;
    }
    fprintf(file, "  %-*s  %14s  %14s  %14s\n", width, "column", "max |diff.|", "rms", "max at");
    for (int i = 0; i < n; i++)
        fprintf(file, "  %s%*s  %14.6g  %14.6g  %14.6g\n", d[i].label,
                width - utf8_width(d[i].label), "", d[i].max, d[i].rms, d[i].at);
    fprintf(file, "  at %ld values of %s, from %.6g to %.6g", d->n, x_label, d->x[0],
            d->x[d->n - 1]);
    if (d->interpolated)
        fprintf(file, "; at %ld of them one result is interpolated", d->interpolated);
    fputc('\n', file);
}

void differences_write_json(ct_json *j, const difference *d, int n) {
    ct_json_array(j, "differences");
    for (int i = 0; i < n; i++) {
        ct_json_object(j, NULL);
        ct_json_string(j, "name", d[i].name);
        ct_json_number(j, "max", d[i].max);
        ct_json_number(j, "at", d[i].at);
        ct_json_number(j, "rms", d[i].rms);
        ct_json_number(j, "samples", (double)d[i].n);
        ct_json_number(j, "interpolated", (double)d[i].interpolated);
        ct_json_end(j);
    }
    ct_json_end(j);
}
