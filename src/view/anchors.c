// Anchors: the points that a body without a shape is drawn through, from joint to joint. Also the
// plane of a planar mechanism, from the poses of a row.
#include "view/view.h"
#include "view/tolerances.h"

#include <stdlib.h>
#include <string.h>

// Adds a point, unless one of the anchors is there already.
static void add(ct_anchors *anchors, const double *p) {
    for (int i = 0; i < anchors->n; i++)
        if (ct_distance3(anchors->at[i], p) < CT_ANCHORS_SAME) return;
    double(*slot)[3] = CT_PUSH(anchors->at, anchors->n, anchors->room);
    memcpy(*slot, p, sizeof *slot);
}

// True if a joint holds a point of the body. A free joint holds none: its point on ground is no
// place of the mechanism.
static bool holds(const ct_joint *joint, int body) {
    if (joint->is_virtual || (joint->body[0] != body && joint->body[1] != body)) return false;
    return ct_joint_traits_of(joint->type)->holds != CT_HOLDS_NOTHING;
}

// A hinge line given by two points reaches from one to the other.
static void add_line(const ct_model *model, const ct_hinge *h, int side, ct_anchors *anchors) {
    const ct_joint *j = h->joint;
    double from[3], p[3];
    for (int k = 0; k < 2; k++) {
        ct_view_numbers(model, &j->line[k], from);
        for (int i = 0; i < 3; i++) p[i] = h->at[side][i] + from[i] - h->at[0][i];
        add(anchors, p);
    }
}

// True if the axis is given by two points, and they lie on the axis through the joint point.
bool ct_hinge_has_line(const ct_model *model, const ct_hinge *h) {
    double p[3];
    if (!h->joint->has_line || !ct_joint_is_hinge(h->joint->type)) return false;
    ct_view_numbers(model, &h->joint->line[0], p);
    double d[3] = {p[0] - h->at[0][0], p[1] - h->at[0][1], p[2] - h->at[0][2]};
    double along = ct_dot3(d, h->axis[0]), length = ct_dot3(d, d);
    return length - along * along <= CT_LINE_THROUGH2 * (length + CT_LINE_POINT2);
}

void ct_anchors_find(const ct_view *v, int body, ct_anchors *anchors) {
    const ct_model *m = v->model;
    double p[3];
    *anchors = (ct_anchors){0};
    // joint points, and both ends of hinge lines
    for (int k = 0; k < m->n_joints; k++) {
        const ct_hinge *h = v->mover.hinges + k;
        if (!holds(h->joint, body)) continue;
        int side = h->joint->body[1] == body;
        add(anchors, h->at[side]);
        if (ct_hinge_has_line(m, h)) add_line(m, h, side, anchors);
    }
    // ends of springs and bushings, centres of wheels
    for (int k = 0; k < m->n_forces; k++) {
        const ct_force *f = m->forces + k;
        const ct_force_sign sign = ct_force_traits_of(f->type)->sign;
        int ends = sign == CT_SIGN_COIL || sign == CT_SIGN_PAD ? 2 : sign == CT_SIGN_WHEEL;
        for (int s = 0; s < ends; s++) {
            if (f->body[s] != body) continue;
            ct_view_numbers(m, &f->at[s], p);
            add(anchors, p);
        }
    }
    // points of the file; the centre of mass where nothing else makes a second end
    if (!body) return;
    for (int i = 0; i < m->bodies[body].n_points; i++) {
        ct_view_numbers(m, &m->bodies[body].points[i].at, p);
        add(anchors, p);
    }
    if (anchors->n < 2) add(anchors, v->mover.com[body]);
}

void ct_anchors_clear(ct_anchors *anchors) {
    ct_free(anchors->at);
    *anchors = (ct_anchors){0};
}

// Planar: all joints turn about one normal and slide across it, in these poses.
bool ct_view_plane(const ct_view *v, const ct_pose *pose, double *normal) {
    bool found = false, planar = v->model->n_joints > 0;
    memcpy(normal, (double[]){0, 0, 1}, 3 * sizeof *normal);
    for (int pass = 0; pass < 2 && planar; pass++)
        for (int k = 0; k < v->model->n_joints; k++) {
            const ct_hinge *h = v->mover.hinges + k;
            if (!ct_joint_has_coordinates(h->joint->type) || h->joint->is_virtual) continue;
            const ct_joint_plane plane = ct_joint_plane_of(h->joint->type);
            if (plane == CT_PLANE_ANY) continue;
            double u[3];
            ct_hinge_axis(h, 0, 0, u);
            ct_turned(pose[h->joint->body[0]].R, u, u);
            bool turns = plane == CT_PLANE_ACROSS;
            if (plane == CT_PLANE_NONE) planar = false;
            if (pass == 0 && turns && !found) {
                memcpy(normal, u, sizeof u);
                found = true;
            }
            double along = fabs(ct_dot3(u, normal));
            if (pass && (turns ? along < 1 - CT_VIEW_TURN : along > CT_VIEW_SLIDE)) planar = false;
        }
    for (int i = 0; i < 3; i++) // out of the page, whichever way the axes point
        if (normal[i] < -CT_VIEW_ALONG) normal[i] = 1;
    return planar;
}
