// The paper of a still: parallel projection, paths and circles with their depth, SVG.
#include "view/still/still.h"
#include "view/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void cross(const double *a, const double *b, double *c) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

static bool normalize(double *a) {
    double length = sqrt(ct_dot3(a, a));
    if (!(length > CT_STILL_NO_DIRECTION)) return false;
    for (int i = 0; i < 3; i++) a[i] /= length;
    return true;
}

// b = a - (a . n) n: the part of a across the unit vector n.
static void across(const double *a, const double *n, double *b) {
    double along = ct_dot3(a, n);
    for (int i = 0; i < 3; i++) b[i] = a[i] - along * n[i];
}

// The upward direction of the paper: against gravity, unless that is the direction of sight; else
// along y, z or x.
static void find_up(const double *eye, const double *down, double *up) {
    static const double choices[3][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    double against[3] = {-down[0], -down[1], -down[2]};
    across(against, eye, up);
    if (normalize(up)) return;
    for (int k = 0; k < 3; k++) {
        across(choices[k], eye, up);
        if (ct_dot3(up, up) > CT_STILL_CLEARLY2 && normalize(up)) return;
    }
}

void ct_still_look(ct_still *s, const double *normal, const double *down) {
    static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    static const double azimuth = -0.96, elevation = 0.4;
    if (normal) {
        memcpy(s->eye, normal, sizeof s->eye);
        find_up(s->eye, down, s->up);
        cross(s->up, s->eye, s->right);
        if (s->right[0] + s->right[1] + s->right[2] < 0) // axes to the right, then
            for (int i = 0; i < 3; i++) s->eye[i] = -s->eye[i], s->right[i] = -s->right[i];
        return;
    }
    double vertical[3] = {-down[0], -down[1], -down[2]}, first[3], second[3];
    if (!normalize(vertical)) memcpy(vertical, z, sizeof vertical);
    across(x, vertical, first);
    if (ct_dot3(first, first) < CT_STILL_CLEARLY2) across(z, vertical, first);
    normalize(first);
    cross(vertical, first, second);
    for (int i = 0; i < 3; i++)
        s->eye[i] = cos(elevation) * (cos(azimuth) * first[i] + sin(azimuth) * second[i]) +
                    sin(elevation) * vertical[i];
    cross(vertical, s->eye, s->right);
    normalize(s->right);
    cross(s->eye, s->right, s->up);
}

ct_spot ct_still_spot(const ct_still *s, const double *p) {
    double d[3] = {p[0] - s->centre[0], p[1] - s->centre[1], p[2] - s->centre[2]};
    return (ct_spot){s->unit * ct_dot3(d, s->right), -s->unit * ct_dot3(d, s->up),
                     s->unit * ct_dot3(d, s->eye)};
}

ct_spot ct_still_aside(ct_spot a, double x, double y) {
    return (ct_spot){a.x + x, a.y + y, a.depth};
}

static void reach(ct_still *s, ct_spot p, double radius) {
    double at[2] = {p.x, p.y};
    for (int k = 0; k < 2; k++) {
        s->low[k] = fmin(s->low[k], at[k] - radius);
        s->high[k] = fmax(s->high[k], at[k] + radius);
    }
}

static void take(ct_still *s, int layer, double depth, ct_text *t) {
    ct_still_item *item = CT_PUSH(s->items, s->n, s->room);
    *item = (ct_still_item){layer, s->n, depth, ct_text_take(t)};
}

// A number with one decimal and no minus before zero.
static void add_number(ct_text *t, double x) {
    x = round(10 * x) / 10;
    ct_text_printf(t, "%.1f", x == 0 ? 0 : x);
}

void ct_still_path(ct_still *s, int layer, double depth, int n, const ct_spot *p, bool closed,
                   double width, const char *attributes) {
    ct_text text = {0};
    ct_text_add(&text, "<path d=\"");
    for (int i = 0; i < n; i++) {
        ct_text_add(&text, i ? "L" : "M");
        add_number(&text, p[i].x);
        ct_text_add(&text, " ");
        add_number(&text, p[i].y);
        reach(s, p[i], width / 2);
    }
    ct_text_printf(&text, "%s\" stroke-width=\"%.3g\" %s/>\n", closed ? "Z" : "", width,
                   attributes);
    take(s, layer, depth, &text);
}

void ct_still_circle(ct_still *s, int layer, ct_spot at, double radius, const char *attributes) {
    ct_text text = {0};
    ct_text_add(&text, "<circle cx=\"");
    add_number(&text, at.x);
    ct_text_add(&text, "\" cy=\"");
    add_number(&text, at.y);
    ct_text_printf(&text, "\" r=\"%.3g\" %s/>\n", radius, attributes);
    reach(s, at, 1.2 * radius);
    take(s, layer, at.depth, &text);
}

// convex hull (monotone chain) --------------------------------------------------------------------
static int by_place(const void *a, const void *b) {
    const ct_spot *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

static double turn(const ct_spot *a, const ct_spot *b, const ct_spot *c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

int ct_still_hull(int n, ct_spot *p) {
    if (n < 3) return n;
    ct_spot *h = ct_scratch(2 * (size_t)n, sizeof *h);
    int k = 0;
    qsort(p, (size_t)n, sizeof *p, by_place);
    for (int i = 0; i < n; h[k++] = p[i++])
        while (k > 1 && turn(&h[k - 2], &h[k - 1], &p[i]) <= CT_STILL_STRAIGHT) k--;
    for (int i = n - 2, low = k + 1; i >= 0; h[k++] = p[i--])
        while (k >= low && turn(&h[k - 2], &h[k - 1], &p[i]) <= CT_STILL_STRAIGHT) k--;
    k--; // the first point again
    memcpy(p, h, (size_t)k * sizeof *p);
    return k;
}

// the file ----------------------------------------------------------------------------------------
static int by_depth(const void *a, const void *b) {
    const ct_still_item *p = a, *q = b;
    if (p->layer != q->layer) return p->layer - q->layer;
    if (p->depth != q->depth) return (p->depth > q->depth) - (p->depth < q->depth);
    return p->order - q->order;
}

// The farthest first; rounding does not decide.
static void put_in_order(ct_still *s) {
    for (int i = 0; i < s->n; i++) {
        double *depth = &s->items[i].depth;
        *depth = CT_STILL_SAME_DEPTH * round(*depth / CT_STILL_SAME_DEPTH);
    }
    qsort(s->items, (size_t)s->n, sizeof *s->items, by_depth);
}

static void add_text(ct_text *t, const char *s) {
    for (; *s; s++) {
        const char *escaped = *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '&' ? "&amp;" : NULL;
        if (escaped)
            ct_text_add(t, escaped);
        else
            ct_text_addn(t, s, 1);
    }
}

// The SVG file. Colours of ink and paper follow the page around it: dark on light or light on dark.
char *ct_still_finish(ct_still *s, const char *name) {
    ct_text t = {0};
    double margin = 8, width = s->high[0] - s->low[0] + 2 * margin,
           height = s->high[1] - s->low[1] + 2 * margin;
    put_in_order(s);
    ct_text_printf(&t,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.1f %.1f %.1f %.1f\" "
                   "width=\"%.0f\" height=\"%.0f\" fill=\"none\" stroke-linecap=\"round\" "
                   "stroke-linejoin=\"round\">\n<title>",
                   s->low[0] - margin, s->low[1] - margin, width, height, width, height);
    add_text(&t, name);
    ct_text_add(&t, "</title>\n<style>.ink{stroke:#3c4450}.pin{stroke:#3c4450;fill:#fff}.ball{"
                    "stroke:#3c4450;fill:#9aa3ad}.fine{stroke:#7d8794}"
                    "@media(prefers-color-scheme:dark){.ink,.pin,.ball{stroke:#c3cad3}"
                    ".pin{fill:#20262e}}</style>\n");
    for (int i = 0; i < s->n; i++) {
        ct_text_add(&t, s->items[i].text);
        ct_free(s->items[i].text);
    }
    ct_free(s->items);
    ct_text_add(&t, "</svg>\n");
    return ct_text_take(&t);
}
