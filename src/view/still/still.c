// One row of a view as an SVG drawing, for papers and galleries: bodies as bars and panes from
// joint to joint or by the silhouettes of their shapes, joints by their signs, ground hatched.
// Planar mechanisms in their plane, others in parallel projection, the farther first.
#include "view/still/still.h"
#include "view/tolerances.h"

#include <stdlib.h>
#include <string.h>

enum { ROUND = 24 };

const char *ct_drawing_colour(int body) {
    static const char *const colours[] = {"#3b74b9", "#d9792b", "#3f9a54", "#c8454a", "#8059a8",
                                          "#2a9d95", "#b8902a", "#8c6448", "#c9679a", "#5d6b7c"};
    return body ? colours[(body - 1) % 10] : "#7d8794";
}

int ct_drawing_layer(const ct_drawing *d, int wanted) {
    return d->planar || wanted == CT_STILL_GROUND ? wanted : CT_STILL_BODIES;
}

ct_spot ct_drawing_spot(const ct_drawing *d, int body, const double *at) {
    double p[3];
    ct_pose_point(d->pose + body, at, p);
    return ct_still_spot(&d->s, p);
}

double ct_drawing_depth(int n, const ct_spot *p) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += p[i].depth;
    return n ? sum / n : 0;
}

// bodies ------------------------------------------------------------------------------------------
static void draw_bar(ct_drawing *d, const char *colour, ct_spot a, ct_spot b, double width) {
    char attributes[CT_ATTRIBUTES_BYTES];
    ct_spot ends[2] = {a, b};
    double depth = (a.depth + b.depth) / 2;
    int layer = ct_drawing_layer(d, CT_STILL_BODIES);
    ct_still_path(&d->s, layer, depth, 2, ends, false, width + d->s.thick / 4, "class=\"ink\"");
    ct_snprintf(attributes, sizeof attributes, "stroke=\"%s\"", colour);
    ct_still_path(&d->s, layer, depth, 2, ends, false, width, attributes);
}

static void draw_pane(ct_drawing *d, const char *colour, int n, ct_spot *p, double opacity,
                      double width) {
    char attributes[CT_ATTRIBUTES_BYTES];
    double depth = ct_drawing_depth(n, p);
    n = ct_still_hull(n, p);
    if (n == 1) p[n++] = p[0];
    ct_snprintf(attributes, sizeof attributes, "stroke=\"%s\" fill=\"%s\" fill-opacity=\"%.2g\"",
                colour, colour, opacity);
    ct_still_path(&d->s, ct_drawing_layer(d, CT_STILL_BODIES), depth, n, p, n > 2, width,
                  attributes);
}

static void draw_anchored(ct_drawing *d, int body) {
    const ct_anchors *a = d->anchors + body;
    if (!a->n) return;
    ct_spot *p = ct_scratch((size_t)a->n + 1, sizeof *p);
    for (int i = 0; i < a->n; i++) p[i] = ct_drawing_spot(d, body, a->at[i]);
    if (a->n <= 2)
        draw_bar(d, ct_drawing_colour(body), p[0], p[a->n - 1], d->s.thick);
    else
        draw_pane(d, ct_drawing_colour(body), a->n, p, 0.3, d->s.thick);
}

// shapes: the hull of what their outline passes through -------------------------------------------
typedef struct outline {
    const ct_drawing *d;
    const ct_pose *pose; // of the shape
    int n;
    ct_spot spots[8 + 4 * ROUND * ROUND];
} outline;

static void outline_add(outline *o, double x, double y, double z) {
    double p[3];
    ct_pose_point(o->pose, (double[]){x, y, z}, p);
    o->spots[o->n++] = ct_still_spot(&o->d->s, p);
}

// Two unit vectors across u.
static void frame_across(const double *u, double *a, double *b) {
    int least = fabs(u[0]) < fabs(u[1]) ? 0 : 1;
    if (fabs(u[2]) < fabs(u[least])) least = 2;
    double e[3] = {least == 0, least == 1, least == 2}, along = u[least], length = 0;
    for (int i = 0; i < 3; i++) a[i] = e[i] - along * u[i], length += a[i] * a[i];
    for (int i = 0; i < 3; i++) a[i] /= sqrt(length);
    for (int i = 0; i < 3; i++)
        b[i] = u[(i + 1) % 3] * a[(i + 2) % 3] - u[(i + 2) % 3] * a[(i + 1) % 3];
}

static void outline_circle(outline *o, const double *u, double along, double radius) {
    double a[3], b[3];
    frame_across(u, a, b);
    for (int k = 0; k < ROUND; k++) {
        double c = radius * cos(2 * M_PI * k / ROUND), s = radius * sin(2 * M_PI * k / ROUND);
        outline_add(o, along * u[0] + c * a[0] + s * b[0], along * u[1] + c * a[1] + s * b[1],
                    along * u[2] + c * a[2] + s * b[2]);
    }
}

static void outline_ball(outline *o, const double *u, double along, double radius) {
    for (int k = 0; k <= ROUND / 2; k++) {
        double a = M_PI * (2.0 * k / ROUND - 0.5);
        outline_circle(o, u, along + radius * sin(a), radius * cos(a));
    }
}

static void outline_shape(outline *o, const ct_model *model, const ct_shape *shape) {
    double size[3], u[3], radius = ct_model_number(model, shape->radius);
    double half = ct_model_number(model, shape->length) / 2;
    ct_view_numbers(model, &shape->size, size);
    ct_view_numbers(model, &shape->axis, u);
    if (shape->type == CT_SHAPE_BOX)
        for (int k = 0; k < 8; k++)
            outline_add(o, size[0] * ((k & 1) - 0.5), size[1] * ((k >> 1 & 1) - 0.5),
                        size[2] * ((k >> 2) - 0.5));
    for (int side = -1; side < 2; side += 2) {
        if (shape->type == CT_SHAPE_CYLINDER) outline_circle(o, u, side * half, radius);
        if (shape->type == CT_SHAPE_CAPSULE) outline_ball(o, u, side * half, radius);
    }
    if (shape->type == CT_SHAPE_SPHERE) outline_ball(o, u, 0, radius);
}

static void draw_link(ct_drawing *d, int body, const ct_shape *shape, const char *colour) {
    double end[2][3], radius = ct_model_number(d->v->model, shape->radius);
    for (int k = 0; k < 2; k++) ct_view_numbers(d->v->model, &shape->end[k], end[k]);
    draw_bar(d, colour, ct_drawing_spot(d, body, end[0]), ct_drawing_spot(d, body, end[1]),
             radius > 0 ? 2 * radius * d->s.unit : d->s.thick);
}

// Meshes are left to pages: the body is drawn from joint to joint.
static void draw_shape(ct_drawing *d, int body, const ct_shape *shape) {
    const ct_model *m = d->v->model;
    ct_pose pose;
    double R[9], at[3];
    char colour[8];
    ct_snprintf(colour, sizeof colour, "#%06x", (unsigned)(shape->colour & 0xffffff));
    const char *name = shape->colour >= 0 ? colour : ct_drawing_colour(body);
    if (shape->type == CT_SHAPE_FILE) {
        draw_anchored(d, body);
    } else if (shape->type == CT_SHAPE_LINK) {
        draw_link(d, body, shape, name);
    } else {
        outline *o = ct_scratch(1, sizeof *o);
        for (int i = 0; i < 9; i++) R[i] = ct_model_number(m, shape->orient.a[i / 3][i % 3]);
        ct_view_numbers(m, &shape->position, at);
        ct_multiply(d->pose[body].R, R, false, pose.R);
        ct_pose_point(d->pose + body, at, pose.r);
        o->d = d;
        o->pose = &pose;
        outline_shape(o, m, shape);
        draw_pane(d, name, o->n, o->spots, 0.6 * ct_model_number(m, shape->opacity),
                  d->s.thick / 4);
    }
}

static void draw_body(ct_drawing *d, int body) {
    const ct_body *b = d->v->model->bodies + body;
    for (int i = 0; i < b->n_shapes; i++) draw_shape(d, body, b->shapes + i);
    if (body && !b->n_shapes) draw_anchored(d, body);
}

// forces ------------------------------------------------------------------------------------------
static void draw_tyre(ct_drawing *d, const ct_force *force) {
    double at[3], u[3], radius = ct_model_number(d->v->model, force->radius);
    ct_pose pose = d->pose[force->body[0]];
    outline *o = ct_scratch(1, sizeof *o);
    ct_view_numbers(d->v->model, &force->at[0], at);
    ct_view_numbers(d->v->model, &force->vector, u);
    ct_pose_point(d->pose + force->body[0], at, pose.r);
    o->d = d;
    o->pose = &pose;
    for (int side = -1; side < 2; side += 2) outline_circle(o, u, side * 0.3 * radius, radius);
    draw_pane(d, "#5d6b7c", o->n, o->spots, 0.5, d->s.thick / 4);
}

// The point of B: a ring of rubber, or what touches there.
static void draw_pad(ct_drawing *d, const ct_force *force) {
    double at[3];
    ct_view_numbers(d->v->model, &force->at[1], at);
    ct_spot here = ct_drawing_spot(d, force->body[1], at);
    ct_still_circle(&d->s, ct_drawing_layer(d, CT_STILL_JOINTS), here, 1.5 * d->s.thick,
                    "class=\"fine\"");
}

// the whole ---------------------------------------------------------------------------------------
static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Centre and scale of the drawing, and the thickness of bars from the median length of the bodies.
static void measure(ct_drawing *d) {
    enum { LONGEST = 480 };
    const ct_model *m = d->v->model;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           p[3];
    double *lengths = ct_scratch((size_t)m->n_bodies, sizeof *lengths), size = 0;
    int n = 0;
    // extent of all anchors, and the length of each body
    for (int b = 0; b < m->n_bodies; b++) {
        const ct_anchors *a = d->anchors + b;
        double longest = 0;
        for (int i = 0; i < a->n; i++) {
            longest = fmax(longest, ct_distance3(a->at[0], a->at[i]));
            ct_pose_point(d->pose + b, a->at[i], p);
            for (int k = 0; k < 3; k++) low[k] = fmin(low[k], p[k]), high[k] = fmax(high[k], p[k]);
        }
        if (b && longest > 0) lengths[n++] = longest;
    }
    // centre and longest side; a point is drawn by the typical length
    for (int k = 0; k < 3; k++) {
        d->s.centre[k] = low[k] <= high[k] ? (low[k] + high[k]) / 2 : 0;
        size = fmax(size, high[k] - low[k]);
    }
    if (!(size > 0) || !isfinite(size)) size = ct_typical_length(m);
    // drawing units to the metre, and of a bar
    qsort(lengths, (size_t)n, sizeof *lengths, by_size);
    d->s.unit = LONGEST / size;
    double bar = (n ? lengths[n / 2] : size) * d->s.unit / CT_STILL_SLENDER;
    d->s.thick = fmin(fmax(bar, CT_STILL_THINNEST), CT_STILL_THICKEST);
}

// Poses of the row whose time is nearest. Returns false if the row has gaps, or numbers too large
// to draw.
static bool place(ct_drawing *d, double time) {
    const ct_view *v = d->v;
    size_t n = (size_t)v->model->n_coordinates + 1, own = 6 * (size_t)v->model->n_bodies;
    double *q = ct_scratch(n + own, sizeof *q);
    long best = 0;
    for (long i = 0; i < v->n_rows && v->time >= 0; i++)
        if (fabs(v->rows[i * v->n_columns + v->time] - time) <
            fabs(v->rows[best * v->n_columns + v->time] - time))
            best = i;
    ct_view_state(v, v->rows + best * v->n_columns, q, NULL, q + n, NULL);
    ct_mover_place(&v->mover, q, q + n, d->pose);
    bool whole = true;
    for (int b = 0; b < v->model->n_bodies; b++) {
        for (int i = 0; i < 3; i++) whole = whole && fabs(d->pose[b].r[i]) < CT_STILL_FARTHEST;
        for (int i = 0; i < 9; i++) whole = whole && isfinite(d->pose[b].R[i]);
    }
    return whole;
}

static void drawing_clear(ct_drawing *d) {
    for (int b = 0; b < d->v->model->n_bodies; b++) ct_anchors_clear(d->anchors + b);
    ct_free(d->anchors);
    ct_free(d->pose);
}

static ct_status give_up(ct_context *ctx, ct_drawing *d) {
    drawing_clear(d);
    return ct_fail(ctx, CT_WRONG_MODEL,
                   "this row has numbers that are not finite or too large: choose another time");
}

static CT_BELOW ct_status draw(ct_context *ctx, ct_view *v, double time, char **svg,
                               ct_view_info *info) {
    double start = ct_seconds(), normal[3], down[3];
    const ct_model *m = v->model;
    ct_drawing d = {.v = v, .s = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}}};
    ct_view_finish(v);
    if (!v->n_rows) return ct_fail(ctx, CT_WRONG_MODEL, "there is nothing to show: no rows");
    // poses of the row and anchors of the bodies
    d.pose = ct_alloc((size_t)m->n_bodies, sizeof *d.pose);
    d.anchors = ct_alloc((size_t)m->n_bodies, sizeof *d.anchors);
    for (int b = 0; b < m->n_bodies; b++) ct_anchors_find(v, b, d.anchors + b);
    if (!place(&d, time)) return give_up(ctx, &d);
    // scale, plane and direction of sight
    measure(&d);
    d.planar = ct_view_plane(v, d.pose, normal);
    ct_view_numbers(m, &m->gravity, down);
    ct_still_look(&d.s, d.planar ? normal : NULL, down);
    // bodies, forces, joints; depth and layer put them in order
    for (int b = 0; b < m->n_bodies; b++) draw_body(&d, b);
    for (int k = 0; k < m->n_forces; k++) {
        const ct_force_sign sign = ct_force_traits_of(m->forces[k].type)->sign;
        if (sign == CT_SIGN_COIL) ct_drawing_spring(&d, m->forces + k);
        if (sign == CT_SIGN_WHEEL) draw_tyre(&d, m->forces + k);
        if (sign == CT_SIGN_PAD) draw_pad(&d, m->forces + k);
    }
    for (int k = 0; k < m->n_joints; k++) ct_drawing_joint(&d, v->mover.hinges + k);
    *svg = ct_still_finish(&d.s, m->name);
    *info = (ct_view_info){.bytes = strlen(*svg), .frames = 1, .bodies = m->n_bodies - 1};
    drawing_clear(&d);
    info->seconds = ct_seconds() - start;
    return CT_OK;
}

ct_status ct_view_still(ct_context *ctx, ct_view *v, double time, char **svg, ct_view_info *info) {
    CT_CALL_GIVES(ctx, &v->memory, svg, ct_release, draw(ctx, v, time, svg, info));
}
