// Gap of the loops: the largest distance between the pose that a joint gives a body and the pose
// that the body has. The poses are the only input, so the equations that were solved are checked
// from outside.
#include "view/view.h"

// |a x b|
static double across(const double *a, const double *b) {
    double c[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
    return sqrt(ct_dot3(c, c));
}

// Distance between the pose that a joint gives its body B and B's pose; angles times scale.
static double joint_gap(const ct_hinge *h, const double *q, const ct_pose *pose, double scale) {
    ct_pose there;
    double turn[9], p[3], r[3], w = 0;
    const int *body = h->joint->body;
    ct_hinge_cross(h, q + h->joint->first_coordinate, true, pose + body[0], &there);
    ct_multiply(there.R, pose[body[1]].R, true, turn);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        w = fmax(w, fabs(turn[3 * k + j] - turn[3 * j + k]) / 2);
    }
    ct_pose_point(&there, h->at[1], p);
    ct_pose_point(pose + body[1], h->at[1], r);
    return fmax(ct_distance3(p, r), w * scale);
}

static double constraint_gap(const ct_hinge *h, const double *q, const ct_pose *pose,
                             double scale) {
    const ct_joint *j = h->joint;
    double p[3], r[3], u[3], v[3];
    const ct_joint_traits *traits = ct_joint_traits_of(j->type);
    // gears and racks:  |q_2 - ratio q_1|
    if (ct_joint_is_pair(j->type)) {
        double gap = fabs(q[j->coordinate[1]] - h->ratio * q[j->coordinate[0]]);
        return traits->role == CT_ROLE_GEAR ? gap * scale : gap;
    }
    if (j->body[0] < 0 || j->body[1] < 0) return 0;
    // points p, r and axes u, v of both bodies in ground; d = r - p
    const ct_pose *a = pose + j->body[0], *b = pose + j->body[1];
    ct_pose_point(a, h->at[0], p);
    ct_pose_point(b, h->at[1], r);
    ct_hinge_axis(h, 0, 0, u);
    ct_turned(a->R, u, u);
    ct_hinge_axis(h, 1, 1, v);
    ct_turned(b->R, v, v);
    double d[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]}, along = ct_dot3(d, u);
    double gap = 0;
    // distance of the points, out of the plane, from the line
    switch (traits->holds) {
    case CT_HOLDS_NOTHING: break;
    case CT_HOLDS_DISTANCE: gap = fabs(ct_distance3(p, r) - h->length); break;
    case CT_HOLDS_PLANE: gap = fabs(along); break;
    case CT_HOLDS_LINE:
    case CT_HOLDS_HELIX: gap = across(d, u); break;
    case CT_HOLDS_POINT: gap = ct_distance3(p, r); break;
    }
    // angle between the axes:  |u . v|  or  |u x v|
    switch (traits->keeps) {
    case CT_KEEPS_NOTHING: break;
    case CT_KEEPS_ANGLE: gap = fmax(gap, fabs(ct_dot3(u, v)) * scale); break;
    case CT_KEEPS_AXIS:
    case CT_KEEPS_FRAME: gap = fmax(gap, across(u, v) * scale); break;
    }
    return gap;
}

double ct_mover_gap(const ct_mover *m, const double *q, const ct_pose *pose, double scale) {
    double most = 0;
    for (int k = 0; k < m->n_joints; k++) {
        const ct_hinge *h = m->hinges + k;
        if (h->joint->is_virtual) continue;
        double gap = ct_joint_has_coordinates(h->joint->type) ? joint_gap(h, q, pose, scale)
                                                              : constraint_gap(h, q, pose, scale);
        if (gap > most) most = gap; // columns that are missing do not count
    }
    return most;
}
