// Reads a result file: rows of finite numbers, the first one being time, which never goes back.
#include "view/view.h"

#include "util/csv_read.h"

#include <stdlib.h>

typedef struct taker {
    ct_context *ctx;
    const ct_model *model;
    ct_view *view;
    int n;
    double before; // time of the last row
} taker;

static ct_status take_names(void *data, int n, char *const *names, const ct_place *places,
                            bool *wanted) {
    taker *k = data;
    (void)places;
    (void)wanted;
    k->n = n;
    return ct_view_new(k->ctx, k->model, CT_VIEW_MOTION, n, (const char *const *)names, &k->view);
}

static ct_status take_row(void *data, const double *values, const ct_place *places) {
    taker *k = data;
    if (k->n && !(values[0] >= k->before)) {
        ct_error_at(k->ctx, places[0], "time goes back, from %g to %g", k->before, values[0]);
        return CT_WRONG_MODEL;
    }
    k->before = values[0];
    ct_view_row(k->view, k->n, values);
    return CT_OK;
}

static CT_BELOW ct_status read_csv(ct_context *ctx, const ct_model *model, const char *path,
                                   ct_view **view) {
    taker k = {.ctx = ctx, .model = model, .before = -INFINITY};
    const ct_csv_taker to = {"result", &k, take_names, take_row};
    ct_status status = ct_csv_read(ctx, path, &to);
    ct_context_set_file(ctx, model->path);
    if (status)
        ct_view_free(k.view);
    else
        *view = k.view;
    return status;
}

ct_status ct_view_read_csv(ct_context *ctx, const ct_model *model, const char *path,
                           ct_view **view) {
    CT_CALL_MAKES(ctx, view, read_csv(ctx, model, path, view));
}
