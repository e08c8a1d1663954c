// A chart: lines through points, with the range of both axes; as text or as a picture.
#ifndef CLI_PLOT_CHART_H
#define CLI_PLOT_CHART_H

#include <stdbool.h>
#include <stdio.h>

typedef struct series {
    char *label;         // in the legend
    const double *x, *y; // [n]; a gap where either is not finite
    long n;
} series;

typedef struct chart {
    char *title, *x_label; // title NULL: none
    int n, room;
    series *item;
    double x0, x1, y0, y1; // range
} chart;

series *chart_add(chart *c, char *label, const double *x, const double *y,
                  long n);  // owns the label
bool chart_range(chart *c); // sets it from the points; false: there is no point
void chart_clear(chart *c);

// Walks along a line as it looks when the range is cut into so many columns: of the points that
// follow each other in a column only the first, lowest, highest and last.
typedef void chart_point(void *data, double x, double y, bool joined); // to the one before
void chart_walk(const chart *c, const series *s, int columns, chart_point *point, void *data);

// Round numbers: value i is (first + i) * step, i < n, with step = 1, 2 or 5 times a power of ten.
typedef struct ticks {
    double first, step;
    int n;
} ticks;
enum { TICK_SIZE = 32 };
ticks ticks_choose(double low, double high, int most);
double tick_value(const ticks *t, int i);
void tick_label(const ticks *t, int i, char text[TICK_SIZE]);

// A chart as text.
typedef struct text_style {
    int width, height; // in characters, all of it
    bool ascii, colour;
} text_style;
enum { TEXT_SERIES = 34 }; // as many marks as there are
void chart_write_text(const chart *c, const text_style *style, FILE *file);

// A chart as a picture by gnuplot, to an open file. Returns 0 or an exit code.
typedef enum picture_kind { PICTURE_NONE, PICTURE_SVG, PICTURE_PNG, PICTURE_PDF } picture_kind;
int chart_write_picture(const chart *c, picture_kind kind, FILE *file);
bool picture_possible(void); // gnuplot is there
int picture_missing(void);   // says what to do about it; returns an exit code

#endif
