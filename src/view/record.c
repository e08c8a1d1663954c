// Rows of a result as they come: the meaning of each column, and a memory of bounded size. When it
// is full, every second row is dropped, and from then on half as many rows are taken.
#include "view/view.h"
#include "view/web_files.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 20000, VALUES_MAX = 24 << 20 };

void ct_view_free(ct_view *v) {
    if (v) ct_region_free(&v->memory.region);
}

// The name without its primes, and how many there are.
static char *base_name(const char *name, int *primes) {
    size_t n = strlen(name);
    for (*primes = 0; n && name[n - 1] == '\'' && *primes < 2; n--) ++*primes;
    return ct_strndup(name, n);
}

// True if the name is an absolute coordinate: body.x ... body.3, or body.angle in the plane.
static bool own_coordinate(const ct_model *model, const char *name, int *body, int *part) {
    static const char *const parts[] = {"x", "y", "z", "1", "2", "3", "angle"};
    const char *dot = strrchr(name, '.');
    if (!dot) return false;
    char *owner = ct_strndup(name, (size_t)(dot - name));
    *body = ct_model_body(model, owner);
    ct_free(owner);
    for (*part = 0; *part < 7; ++*part)
        if (*body > 0 && !strcmp(dot + 1, parts[*part])) return true;
    return false;
}

static bool is_output(const ct_model *model, const char *name) {
    for (int i = 0; i < model->n_outputs; i++)
        if (!strcmp(model->outputs[i].name, name)) return true;
    return false;
}

static void take_column(ct_view *v, int k, const char *name) {
    const ct_model *m = v->model;
    static const ct_column_kind kinds[] = {CT_COLUMN_COORDINATE, CT_COLUMN_RATE,
                                           CT_COLUMN_ACCELERATION};
    ct_column *c = v->columns + k;
    int primes, body, part;
    *c = (ct_column){.name = ct_strdup(name), .kind = CT_COLUMN_OUTPUT};
    // time comes first; outputs have no place in the mechanism
    if (k == 0 && !strcmp(name, "t")) {
        c->kind = CT_COLUMN_TIME;
        v->time = 0;
        return;
    }
    if (is_output(m, name)) return;
    // coordinates of joints, their rates and accelerations by primes
    char *base = base_name(name, &primes);
    int i = ct_model_coordinate(m, base);
    if (i >= 0) {
        c->kind = kinds[primes];
        c->is_angle = m->coordinates[i].is_angle;
        if (primes < 2) (primes ? v->qd : v->q)[i] = k;
    } else if (own_coordinate(m, base, &body, &part)) {
        c->kind = kinds[primes];
        // absolute coordinates of bodies: x y z and three angles
        c->is_angle = part > 2;
        if (primes < 2 && part < 6) (primes ? v->own_d : v->own)[body][part] = k;
    }
    ct_free(base);
}

static const char *missing(void) {
    for (const struct ct_embedded_file *f = ct_web_files; f->name; f++)
        if (!strcmp(f->name, "missing")) return f->text;
    return NULL;
}

static CT_BELOW ct_status ready(ct_context *ctx) {
    return missing() ? ct_fail(ctx, CT_INTERNAL, "this program was built without its viewer: %s",
                               missing())
                     : CT_OK;
}

ct_status ct_view_ready(ct_context *ctx) {
    CT_CALL(ctx, NULL, ready(ctx));
}

// True if every coordinate that places a body has its rate among the columns.
static bool rates_known(const ct_view *v) {
    bool all = true;
    for (int i = 0; i < v->model->n_coordinates; i++)
        if (v->q[i] >= 0 && v->qd[i] < 0) all = false;
    for (int b = 0; b < v->model->n_bodies; b++)
        for (int k = 0; k < 6; k++)
            if (v->own[b][k] >= 0 && v->own_d[b][k] < 0) all = false;
    return all;
}

static ct_status mover_init(ct_context *ctx, ct_view *v) {
    const ct_model *m = v->model;
    bool *known = ct_scratch((size_t)m->n_coordinates + 1, sizeof *known);
    bool *own = ct_scratch((size_t)m->n_bodies, sizeof *own);
    for (int i = 0; i < m->n_coordinates; i++) known[i] = v->q[i] >= 0;
    for (int b = 0; b < m->n_bodies; b++) {
        own[b] = true;
        for (int k = 0; k < 6; k++) own[b] = own[b] && v->own[b][k] >= 0;
    }
    return ct_mover_init(ctx, &v->mover, m, known, own);
}

static CT_BELOW ct_status view_new(ct_context *ctx, const ct_model *model, ct_view_kind kind,
                                   int n_columns, const char *const *columns, ct_view **view) {
    ct_view *v = ct_alloc(1, sizeof *v);
    *v = (ct_view){.model = model, .kind = kind, .n_columns = n_columns, .time = -1, .stride = 1};
    size_t n = (size_t)model->n_coordinates + 1, bodies = (size_t)model->n_bodies;
    // which column holds which coordinate; -1: none
    v->columns = ct_alloc((size_t)n_columns + 1, sizeof *v->columns);
    v->q = ct_alloc(n, sizeof *v->q);
    v->qd = ct_alloc(n, sizeof *v->qd);
    v->own = ct_alloc(bodies, sizeof *v->own);
    v->own_d = ct_alloc(bodies, sizeof *v->own_d);
    for (size_t i = 0; i < n; i++) v->q[i] = v->qd[i] = -1;
    for (size_t b = 0; b < bodies; b++)
        for (int k = 0; k < 6; k++) v->own[b][k] = v->own_d[b][k] = -1;
    for (int k = 0; k < n_columns; k++) take_column(v, k, columns[k]);
    ct_view_find_reactions(v);
    // rows that are kept, by the memory that they take
    v->last = ct_alloc((size_t)n_columns + 1, sizeof *v->last);
    v->max_rows = VALUES_MAX / (n_columns + 1);
    if (v->max_rows > ROWS_MAX) v->max_rows = ROWS_MAX;
    if (v->max_rows < 64) v->max_rows = 64;
    // order in which the bodies are placed from these columns
    ct_status status = mover_init(ctx, v);
    if (!status && kind == CT_VIEW_MOTION && v->time < 0)
        status = ct_fail(ctx, CT_WRONG_MODEL, "the first column must be the time t");
    v->moves = v->time >= 0 && rates_known(v);
    if (!status) *view = v;
    return status;
}

ct_status ct_view_new(ct_context *ctx, const ct_model *model, ct_view_kind kind, int n_columns,
                      const char *const *columns, ct_view **view) {
    CT_CALL_MAKES(ctx, view, view_new(ctx, model, kind, n_columns, columns, view));
}

// A view may be made by a call that rows are taken inside of: rows go where the view is.
static void keep(ct_view *v, const double *values) {
    size_t n = (size_t)v->n_columns;
    if (v->n_rows == v->room_rows) {
        long room = v->room_rows ? 2 * v->room_rows : 256;
        v->rows = ct_realloc_beside(v, v->rows, (size_t)room * n, sizeof *v->rows);
        v->room_rows = room;
    }
    memcpy(v->rows + (size_t)v->n_rows++ * n, values, n * sizeof *values);
}

static void thin(ct_view *v) {
    size_t n = (size_t)v->n_columns;
    for (long i = 1; 2 * i < v->n_rows; i++)
        memmove(v->rows + (size_t)i * n, v->rows + 2 * (size_t)i * n, n * sizeof *v->rows);
    v->n_rows = (v->n_rows + 1) / 2;
    v->stride *= 2;
}

static CT_BELOW ct_status take_row(ct_view *v, int n, const double *values) {
    if (n != v->n_columns) return CT_USAGE;
    ct_view_note_peaks(v, values);
    bool taken = v->seen++ % v->stride == 0;
    v->has_last = !taken;
    if (!taken) {
        memcpy(v->last, values, (size_t)n * sizeof *values);
        return CT_OK;
    }
    keep(v, values);
    if (v->n_rows >= v->max_rows && v->kind == CT_VIEW_MOTION) {
        v->has_last = (v->n_rows - 1) % 2 != 0;
        if (v->has_last) memcpy(v->last, values, (size_t)n * sizeof *values);
        thin(v);
    }
    return CT_OK;
}

static ct_status view_row(ct_view *v, int n, const double *values) {
    CT_CALL(NULL, &v->memory, take_row(v, n, values));
}

int ct_view_row(void *view, int n, const double *values) {
    return view_row(view, n, values) != CT_OK;
}

void ct_view_finish(ct_view *v) {
    if (v->has_last) keep(v, v->last);
    v->has_last = false;
}

static double value(const double *row, int column) {
    return column >= 0 ? row[column] : NAN;
}

void ct_view_state(const ct_view *v, const double *row, double *q, double *qd, double *own,
                   double *own_d) {
    for (int i = 0; i < v->model->n_coordinates; i++) {
        q[i] = value(row, v->q[i]);
        if (qd) qd[i] = value(row, v->qd[i]);
    }
    for (int b = 0; b < v->model->n_bodies; b++)
        for (int k = 0; k < 6; k++) {
            own[6 * b + k] = value(row, v->own[b][k]);
            if (own_d) own_d[6 * b + k] = value(row, v->own_d[b][k]);
        }
}
