// Selected columns of results, their figures (extremes, mean), and the difference of two results.
#ifndef CLI_PLOT_FIGURES_H
#define CLI_PLOT_FIGURES_H

#include "cli.h"
#include "../../util/text/json.h"
#include "plot/result.h"

typedef struct selection { // of one result
    int x;
    int n, room;
    int *column;
} selection;

// For each result its x and the columns that --columns names, by default the coordinates (at most
// `most`, 0: all columns). *left_out: so many coordinates more. Returns 0 or an exit code.
int select_columns(const arguments *a, int n, const result *results, selection *selections,
                   int most, int *left_out);
void selection_clear(selection *s);

// Numbers that cannot be drawn, before the rows outside --from and --to go.
int check_numbers(const arguments *a, const result *r, const selection *s);

typedef struct figures {
    double min, min_at, max, max_at, mean, first, last;
    long not_finite;
} figures;
long figures_rows(const result *r, const selection *s); // without breaks
void figures_compute(figures *f, const double *x, const double *y, long n);
void figures_write_json(ct_json *j, const arguments *a, int n, const result *results,
                        const selection *selections);

// First minus second where both are known: at the samples of one if they are all among those of the
// other, else at the samples of both. Between its samples a result is a straight line, so that the
// largest difference is at one of these times.
typedef struct difference {
    const char *name, *label;
    long n, interpolated; // times, and those at which one result has no sample
    double *x, *value;
    double max, at; // |value|
    double rms;     // sqrt of the mean of value^2 over the length
} difference;
// An array for the columns of the selections, which must be of equal names in order; free each part
// with difference_clear. Returns 0 or an exit code.
int differences_compute(const result *results, const selection *selections, difference **out);
void difference_clear(difference *d);
void differences_write_text(FILE *file, const difference *d, int n, const char *x_label);
void differences_write_json(ct_json *j, const difference *d, int n);

#endif
