// The signs of joints, ground and springs in a still.
#include "view/still/still.h"
#include "view/tolerances.h"

// joints ------------------------------------------------------------------------------------------
// The sign of ground below a point: a triangle on hatching.
static void draw_support(ct_drawing *d, ct_spot at) {
    double w = 1.5 * d->s.thick, h = 2.2 * d->s.thick, line = d->s.thick / 4;
    ct_spot p[3] = {ct_still_aside(at, -w, h), at, ct_still_aside(at, w, h)};
    ct_still_path(&d->s, CT_STILL_GROUND, at.depth, 3, p, true, line, "class=\"fine\"");
    for (int k = 0; k < 4; k++) {
        double x = w * (k - 1) * 2 / 3;
        ct_spot hatch[2] = {ct_still_aside(at, x, h), ct_still_aside(at, x - w / 2, h + w / 2)};
        ct_still_path(&d->s, CT_STILL_GROUND, at.depth, 2, hatch, false, line, "class=\"fine\"");
    }
}

// A rail from the place of zero to the slider and a little beyond; hatched on ground.
static void draw_rail(ct_drawing *d, bool ground, ct_spot from, ct_spot to, double ux, double uy) {
    double t = d->s.thick, length = hypot(to.x - from.x, to.y - from.y), line = t / 4;
    double s = (to.x - from.x) * ux + (to.y - from.y) * uy;
    double low = fmin(0, s) - 2.5 * t, high = fmax(0, s) + 2.5 * t;
    ct_spot p[2] = {ct_still_aside(from, low * ux, low * uy),
                    ct_still_aside(from, high * ux, high * uy)};
    if (fabs(fabs(s) - length) > t) return; // the slide is seen end on, or leads elsewhere
    if (!ground) {
        ct_still_path(&d->s, ct_drawing_layer(d, CT_STILL_BODIES), (from.depth + to.depth) / 2, 2,
                      p, false, t / 2, "class=\"ink\"");
        return;
    }
    ct_still_path(&d->s, CT_STILL_GROUND, from.depth, 2, p, false, line, "class=\"fine\"");
    bool vertical = fabs(ux) <= CT_STILL_UPRIGHT;
    double side = (vertical ? uy : ux) < 0 ? -1 : 1; // below
    for (double x = low + 0.8 * t; x <= high; x += 0.9 * t) {
        ct_spot hatch[2] = {ct_still_aside(from, x * ux, x * uy),
                            ct_still_aside(from, (x - 0.7 * t) * ux - side * 0.7 * t * uy,
                                           (x - 0.7 * t) * uy + side * 0.7 * t * ux)};
        ct_still_path(&d->s, CT_STILL_GROUND, from.depth, 2, hatch, false, line, "class=\"fine\"");
    }
}

static void draw_slider(ct_drawing *d, const ct_hinge *h, const ct_spot *at) {
    const ct_joint *j = h->joint;
    double u[3], t = d->s.thick;
    ct_hinge_axis(h, 0, 0, u);
    ct_turned(d->pose[j->body[0]].R, u, u);
    double ux = ct_dot3(u, d->s.right), uy = -ct_dot3(u, d->s.up), length = hypot(ux, uy);
    if (length < CT_STILL_RAIL_END_ON) return;
    ux /= length, uy /= length;
    draw_rail(d, !j->body[0] || !j->body[1], at[0], at[1], ux, uy);
    ct_spot block[4];
    for (int k = 0; k < 4; k++) {
        double x = (k == 0 || k == 3 ? -1.6 : 1.6) * t, y = (k < 2 ? -1 : 1) * t;
        block[k] = ct_still_aside(at[1], x * ux - y * uy, x * uy + y * ux);
        block[k].depth += t;
    }
    char attributes[CT_ATTRIBUTES_BYTES];
    snprintf(attributes, sizeof attributes, "class=\"ink\" fill=\"%s\"",
             ct_drawing_colour(j->body[1] ? j->body[1] : j->body[0]));
    ct_still_path(&d->s, ct_drawing_layer(d, CT_STILL_BODIES), block[0].depth, 4, block, true,
                  t / 4, attributes);
}

// A pin as long as the line that the file gives, or short.
static void draw_pin(ct_drawing *d, const ct_hinge *h, ct_spot at) {
    const ct_joint *j = h->joint;
    double u[3], t = d->s.thick;
    ct_hinge_axis(h, 0, 0, u);
    ct_turned(d->pose[j->body[0]].R, u, u);
    double ux = ct_dot3(u, d->s.right), uy = -ct_dot3(u, d->s.up);
    at.depth += t;
    ct_spot p[2] = {ct_still_aside(at, -1.2 * t * ux, -1.2 * t * uy),
                    ct_still_aside(at, 1.2 * t * ux, 1.2 * t * uy)};
    int layer = ct_drawing_layer(d, CT_STILL_JOINTS);
    if (hypot(ux, uy) < CT_STILL_PIN_END_ON) {
        ct_still_circle(&d->s, layer, at, 0.7 * t, "class=\"pin\"");
        return;
    }
    ct_still_path(&d->s, layer, at.depth, 2, p, false, 1.1 * t, "class=\"ink\"");
    ct_still_path(&d->s, layer, at.depth, 2, p, false, 0.5 * t, "stroke=\"#e4e8ec\"");
}

void ct_drawing_joint(ct_drawing *d, const ct_hinge *h) {
    const ct_joint *j = h->joint;
    double t = d->s.thick;
    int layer = ct_drawing_layer(d, CT_STILL_JOINTS);
    // couplings and virtual joints have no sign
    if (j->body[0] < 0 || j->body[1] < 0 || j->is_virtual) return;
    // points of both bodies on paper; the sign stands before its bars
    ct_spot at[2];
    for (int k = 0; k < 2; k++) at[k] = ct_drawing_spot(d, j->body[k], h->at[k]);
    bool ground = !j->body[0] || !j->body[1];
    ct_spot here = ct_still_aside(at[1], 0, 0);
    here.depth += t;
    // ground under a held point, then the sign of the type
    const ct_joint_traits *traits = ct_joint_traits_of(j->type);
    if (ground && traits->holds == CT_HOLDS_POINT) draw_support(d, at[1]);
    switch (traits->sign) {
    case CT_SIGN_PIN: draw_pin(d, h, at[1]); break;
    case CT_SIGN_SLIDER:
    case CT_SIGN_SCREW: draw_slider(d, h, at); break;
    case CT_SIGN_BALL: ct_still_circle(&d->s, layer, here, t, "class=\"ball\""); break;
    case CT_SIGN_CROSS:
    case CT_SIGN_POINT_ON_LINE:
    case CT_SIGN_POINT_ON_PLATE:
        ct_still_circle(&d->s, layer, here, 0.7 * t, "class=\"pin\"");
        break;
    case CT_SIGN_ROD:
        ct_still_path(&d->s, layer, ct_drawing_depth(2, at), 2, at, false, t / 2, "class=\"ink\"");
        for (int k = 0; k < 2; k++) ct_still_circle(&d->s, layer, at[k], t / 2, "class=\"ball\"");
        break;
    case CT_SIGN_NONE:
    case CT_SIGN_PLATE:
    case CT_SIGN_TRIAD:
    case CT_SIGN_BLOCK: break;
    }
}

// forces ------------------------------------------------------------------------------------------
void ct_drawing_spring(ct_drawing *d, const ct_force *force) {
    enum { COILS = 7 };
    ct_spot end[2], p[2 * COILS + 4];
    double at[3], t = d->s.thick;
    for (int k = 0; k < 2; k++) {
        ct_view_numbers(d->v->model, &force->at[k], at);
        end[k] = ct_drawing_spot(d, force->body[k], at);
    }
    double x = end[1].x - end[0].x, y = end[1].y - end[0].y, length = hypot(x, y);
    if (length < t) return;
    int n = 0;
    p[n++] = end[0];
    for (int i = 0; i < 2 * COILS + 1; i++) {
        double s = 0.15 + 0.7 * i / (2 * COILS), side = i == 0 || i == 2 * COILS ? 0
                                                        : i % 2                  ? 1
                                                                                 : -1;
        p[n++] = ct_still_aside(end[0], s * x - side * 0.9 * t * y / length,
                                s * y + side * 0.9 * t * x / length);
    }
    p[n++] = end[1];
    ct_still_path(&d->s, ct_drawing_layer(d, CT_STILL_JOINTS), ct_drawing_depth(2, end), n, p,
                  false, t / 3, "class=\"fine\"");
}
