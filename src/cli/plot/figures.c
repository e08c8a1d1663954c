// Figures of columns: extremes and where they are, mean, first and last.
#include "plot/figures.h"

#include <math.h>

void figures_compute(figures *f, const double *x, const double *y, long n) {
    *f = (figures){NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    double sum = 0;
    long count = 0;
    for (long k = 0; k < n; k++) {
        if (isnan(x[k])) continue; // a break
        if (!isfinite(y[k])) {
            f->not_finite++;
            continue;
        }
        if (!count++) f->first = y[k];
        f->last = y[k];
        sum += y[k];
        if (!(y[k] >= f->min)) {
            f->min = y[k];
            f->min_at = x[k];
        }
        if (!(y[k] <= f->max)) {
            f->max = y[k];
            f->max_at = x[k];
        }
    }
    if (count) f->mean = sum / (double)count;
}

static void write_column(ct_json *j, const result *r, const selection *s, int column) {
    figures f;
    figures_compute(&f, r->values[s->x], r->values[column], r->rows);
    ct_json_object(j, NULL);
    ct_json_string(j, "name", r->names[column]);
    ct_json_number(j, "min", f.min);
    ct_json_number(j, "min_at", f.min_at);
    ct_json_number(j, "max", f.max);
    ct_json_number(j, "max_at", f.max_at);
    ct_json_number(j, "mean", f.mean);
    ct_json_number(j, "first", f.first);
    ct_json_number(j, "last", f.last);
    ct_json_number(j, "not_finite", (double)f.not_finite);
    ct_json_end(j);
}

long figures_rows(const result *r, const selection *s) {
    long rows = 0;
    for (long k = 0; k < r->rows; k++) rows += !isnan(r->values[s->x][k]);
    return rows;
}

void figures_write_json(ct_json *j, const arguments *a, int n, const result *results,
                        const selection *selections) {
    ct_json_string(j, "x", a->x ? a->x : "t");
    ct_json_array(j, "results");
    for (int i = 0; i < n; i++) {
        const result *r = results + i;
        ct_json_object(j, NULL);
        ct_json_string(j, "file", r->path);
        ct_json_number(j, "rows", (double)figures_rows(r, selections + i));
        ct_json_array(j, "columns");
        for (int k = 0; k < selections[i].n; k++)
            write_column(j, r, selections + i, selections[i].column[k]);
        ct_json_end(j);
        ct_json_end(j);
    }
    ct_json_end(j);
}
