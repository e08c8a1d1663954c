// Selection of the rows for a page: the interval whose rows differ most from the straight line
// between its ends is split at the worst row, until nothing differs visibly or there are enough.
// Poses and curves count alike, relative to the size of the mechanism and to the range of the
// curve.
#include "view/view.h"
#include "view/tolerances.h"

#include <stdlib.h>
#include <string.h>

typedef struct channels { // [rows x n] of what is interpolated, scaled
    int n;
    long rows;
    float *value;
    const double *time;
} channels;

typedef struct interval {
    long from, to, worst;
    double error;
} interval;

// poses of all rows -------------------------------------------------------------------------------
static void poses_of(const ct_view *v, const double *row, ct_pose *pose, ct_twist *twist) {
    size_t n = (size_t)v->model->n_coordinates + 1, own = 6 * (size_t)v->model->n_bodies;
    double *q = ct_scratch(2 * (n + own), sizeof *q), *qd = q + n, *x = qd + n, *xd = x + own;
    ct_view_state(v, row, q, qd, x, xd);
    ct_mover_place(&v->mover, q, x, pose);
    if (twist) {
        for (size_t i = 0; i < 2 * (n + own); i++) // what places nothing may be unknown
            if (!isfinite(q[i])) q[i] = 0;
        ct_mover_move(&v->mover, q, qd, x, xd, twist);
    }
}

// The extent of the mechanism at one time, by the points that bodies are drawn through.
static double extent(const ct_view *v, const ct_anchors *anchors, const ct_pose *pose, double *low,
                     double *high) {
    double here[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, p[3];
    for (int b = 0; b < v->model->n_bodies; b++)
        for (int i = 0; i < anchors[b].n; i++) {
            ct_pose_point(pose + b, anchors[b].at[i], p);
            for (int k = 0; k < 3; k++) {
                here[0][k] = fmin(here[0][k], p[k]);
                here[1][k] = fmax(here[1][k], p[k]);
            }
        }
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], here[0][k]);
        high[k] = fmax(high[k], here[1][k]);
    }
    return here[0][0] <= here[1][0] ? ct_distance3(here[0], here[1]) : 0;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Size and extent of the mechanism. The size is the median over the rows, so that bodies that fly
// apart do not make all others tiny.
static void measure(const ct_view *v, ct_frames *f) {
    enum { LOOKS = 200 };
    const ct_model *m = v->model;
    ct_anchors *anchors = ct_scratch((size_t)m->n_bodies, sizeof *anchors);
    ct_pose *pose = ct_scratch((size_t)m->n_bodies, sizeof *pose);
    double sizes[LOOKS + 1];
    int n = 0;
    long step = v->n_rows / LOOKS + 1;
    for (int k = 0; k < 3; k++) f->low[k] = INFINITY, f->high[k] = -INFINITY;
    for (int b = 0; b < m->n_bodies; b++) ct_anchors_find(v, b, anchors + b);
    for (long i = 0; i < v->n_rows; i += step) {
        poses_of(v, v->rows + i * v->n_columns, pose, NULL);
        sizes[n++] = extent(v, anchors, pose, f->low, f->high);
    }
    qsort(sizes, (size_t)n, sizeof *sizes, by_size);
    f->size = n ? sizes[n / 2] : 0;
    if (!(f->size > 0)) f->size = ct_typical_length(m);
    for (int k = 0; k < 3 && !(f->low[k] <= f->high[k]); k++) f->low[k] = f->high[k] = 0;
    for (int b = 0; b < m->n_bodies; b++) ct_anchors_clear(anchors + b);
}

// channels ----------------------------------------------------------------------------------------
static void pose_channels(const ct_view *v, const ct_pose *pose, double size, const float *before,
                          float *out) {
    for (int b = 1; b < v->model->n_bodies; b++) {
        double q[4], sign = 0;
        ct_quaternion(pose[b].R, q);
        for (int k = 0; k < 4 && before; k++) sign += q[k] * (double)before[7 * (b - 1) + 3 + k];
        for (int k = 0; k < 3; k++) out[7 * (b - 1) + k] = (float)(pose[b].r[k] / size);
        for (int k = 0; k < 4; k++) out[7 * (b - 1) + 3 + k] = (float)(sign < 0 ? -q[k] : q[k]);
    }
}

static double range(const ct_view *v, int column) {
    double low = INFINITY, high = -INFINITY;
    for (long i = 0; i < v->n_rows; i++) {
        double x = v->rows[i * v->n_columns + column];
        low = fmin(low, x);
        high = fmax(high, x);
    }
    // a curve that is constant up to rounding is a straight line
    return high - low > CT_FRAMES_CONSTANT * fmax(fabs(low), fabs(high)) ? high - low : 0;
}

static void fill_channels(const ct_view *v, double size, channels *c) {
    int bodies = v->model->n_bodies;
    ct_pose *pose = ct_scratch((size_t)bodies, sizeof *pose);
    double *time = ct_alloc((size_t)v->n_rows + 1, sizeof *time);
    *c = (channels){.n = 7 * (bodies - 1) + v->n_columns, .rows = v->n_rows, .time = time};
    c->value = ct_alloc((size_t)c->n * (size_t)c->rows + 1, sizeof *c->value);
    for (long i = 0; i < v->n_rows; i++) {
        float *out = c->value + (size_t)i * (size_t)c->n;
        poses_of(v, v->rows + i * v->n_columns, pose, NULL);
        pose_channels(v, pose, size, i ? out - c->n : NULL, out);
        time[i] = v->rows[i * v->n_columns + v->time];
    }
    for (int k = 0; k < v->n_columns; k++) {
        double scale = k == v->time ? 0 : range(v, k);
        for (long i = 0; i < v->n_rows && scale > 0; i++)
            c->value[(size_t)i * (size_t)c->n + (size_t)(7 * (bodies - 1) + k)] =
                (float)(v->rows[i * v->n_columns + k] / scale);
    }
}

// The row between the ends of an interval that is farthest from the straight line between them.
static interval judge(const channels *c, long from, long to) {
    interval s = {.from = from, .to = to, .worst = from, .error = 0};
    const float *a = c->value + (size_t)from * (size_t)c->n,
                *b = c->value + (size_t)to * (size_t)c->n;
    double span = c->time[to] - c->time[from];
    for (long i = from + 1; i < to; i++) {
        const float *x = c->value + (size_t)i * (size_t)c->n;
        float share = (float)(span > 0 ? (c->time[i] - c->time[from]) / span : 0), most = 0;
        for (int k = 0; k < c->n; k++) {
            float e = fabsf(x[k] - a[k] - share * (b[k] - a[k]));
            most = e > most ? e : most;
        }
        if ((double)most > s.error) s.error = (double)most, s.worst = i;
    }
    return s;
}

// a heap with the largest error on top ------------------------------------------------------------
static void push(interval *heap, int *n, interval s) {
    int i = (*n)++;
    for (; i && heap[(i - 1) / 2].error < s.error; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = s;
}

static interval pop(interval *heap, int *n) {
    interval top = heap[0], s = heap[--*n];
    int i = 0;
    for (int k; (k = 2 * i + 1) < *n; i = k) {
        if (k + 1 < *n && heap[k + 1].error > heap[k].error) k++;
        if (heap[k].error <= s.error) break;
        heap[i] = heap[k];
    }
    heap[i] = s;
    return top;
}

static int by_row(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static void select_rows(const ct_view *v, int max, ct_frames *f) {
    channels c;
    int waiting = 0;
    interval *heap = ct_scratch((size_t)max + 2, sizeof *heap);
    fill_channels(v, f->size, &c);
    f->row[f->n++] = 0;
    if (v->n_rows > 1) {
        f->row[f->n++] = v->n_rows - 1;
        push(heap, &waiting, judge(&c, 0, v->n_rows - 1));
    }
    while (waiting && f->n < max && heap[0].error > CT_FRAMES_VISIBLE) {
        interval s = pop(heap, &waiting);
        f->row[f->n++] = s.worst;
        push(heap, &waiting, judge(&c, s.from, s.worst));
        push(heap, &waiting, judge(&c, s.worst, s.to));
    }
    qsort(f->row, (size_t)f->n, sizeof *f->row, by_row);
    ct_free(c.value);
    ct_free((void *)c.time);
}

void ct_frames_choose(const ct_view *v, int max, ct_frames *f) {
    size_t bodies = (size_t)v->model->n_bodies;
    *f = (ct_frames){.n_bodies = v->model->n_bodies, .n_forces = v->model->n_forces};
    measure(v, f);
    if (v->kind == CT_VIEW_CONFIGURATIONS || max > v->n_rows) max = (int)v->n_rows;
    f->row = ct_alloc((size_t)max + 2, sizeof *f->row);
    if (v->kind == CT_VIEW_CONFIGURATIONS)
        for (; f->n < max; f->n++) f->row[f->n] = f->n;
    else if (v->n_rows)
        select_rows(v, max, f);
    size_t n = (size_t)f->n + 1;
    f->time = ct_alloc(n, sizeof *f->time);
    f->pose = ct_alloc(n * bodies, sizeof *f->pose);
    if (v->moves) f->twist = ct_alloc(n * bodies, sizeof *f->twist);
    for (int i = 0; i < f->n; i++) {
        const double *row = v->rows + f->row[i] * v->n_columns;
        f->time[i] = v->time >= 0 ? row[v->time] : i;
        poses_of(v, row, f->pose + (size_t)i * bodies,
                 f->twist ? f->twist + (size_t)i * bodies : NULL);
    }
}

void ct_frames_clear(ct_frames *f) {
    ct_free(f->row);
    ct_free(f->time);
    ct_free(f->pose);
    ct_free(f->twist);
    ct_free(f->force);
    ct_free(f->kinetic);
    ct_free(f->potential);
    ct_free(f->gap);
    *f = (ct_frames){0};
}
