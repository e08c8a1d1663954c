// libFuzzer target for the reader of results and the text plot: any bytes must give a chart or a
// message, never more. Messages go to stderr as they do in the program: run with -close_fd_mask=2.
#include "plot/chart.h"
#include "plot/figures.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(const result *r) {
    static FILE *nowhere;
    if (!nowhere && !(nowhere = fopen("/dev/null", "w"))) abort();
    chart c = {0};
    const text_style style = {
        .width = 30 + (int)(r->bytes % 90), .height = 20, .ascii = r->rows % 2};
    for (int i = 1; i < r->n_columns && i < TEXT_SERIES; i++) {
        char *label = strdup(r->labels[i]);
        if (!label) abort();
        chart_add(&c, label, r->values[0], r->values[i], r->rows);
    }
    c.x_label = strdup(r->labels[0]);
    if (!c.x_label) abort();
    bool small = true; // as the command checks
    for (int i = 0; i < r->n_columns; i++)
        for (long k = 0; k < r->rows; k++)
            if (isfinite(r->values[i][k]) && fabs(r->values[i][k]) > 1e300) small = false;
    if (small && chart_range(&c)) chart_write_text(&c, &style, nowhere);
    chart_clear(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    result r;
    if (result_open_text(&r, "fuzz.csv", (const char *)data, size) == 0) {
        bool *wanted = malloc((size_t)r.n_columns * sizeof *wanted);
        if (!wanted) abort();
        for (int i = 0; i < r.n_columns; i++) wanted[i] = true;
        if (result_read(&r, wanted) == 0) {
            figures f;
            figures_compute(&f, r.values[0], r.values[r.n_columns - 1], r.rows);
            if (f.min > f.max) abort();
            draw(&r);
            result_crop(&r, 0, -1, 1);
            if (r.rows) draw(&r);
        }
        free(wanted);
    }
    result_clear(&r);
    return 0;
}
