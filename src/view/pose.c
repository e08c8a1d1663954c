// Poses from joint coordinates, along joints from ground outwards. With the joint frames O_A, O_B,
// the joint's own turn Q and its slide s
//   R_B = R_A O_A Q O_B^T,   r_B + R_B at_B = r_A + R_A (at_A + O_A s)
// Velocities are derivatives of the poses along the rates.
#include "view/view.h"
#include "view/tolerances.h"

#include <stdlib.h>
#include <string.h>

// small matrices ----------------------------------------------------------------------------------
void ct_turned(const double *R, const double *x, double *y) {
    double z[3];
    for (int i = 0; i < 3; i++) z[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
    memcpy(y, z, sizeof z);
}

void ct_turned_back(const double *R, const double *x, double *y) {
    double z[3];
    for (int i = 0; i < 3; i++) z[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
    memcpy(y, z, sizeof z);
}

void ct_pose_point(const ct_pose *pose, const double *x, double *y) {
    ct_turned(pose->R, x, y);
    for (int i = 0; i < 3; i++) y[i] += pose->r[i];
}

double ct_dot3(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double ct_distance3(const double *a, const double *b) {
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(ct_dot3(d, d));
}

// c = a b, or a b^T
void ct_multiply(const double *a, const double *b, bool transposed, double *c) {
    double d[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            d[3 * i + j] = 0;
            for (int k = 0; k < 3; k++)
                d[3 * i + j] += a[3 * i + k] * (transposed ? b[3 * j + k] : b[3 * k + j]);
        }
    memcpy(c, d, sizeof d);
}

static void identity(double *R) {
    for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
}

// Rot(u, a) = cos a I + sin a [u] + (1 - cos a) u u^T
static void rotation(const double *u, double a, double *R) {
    double c = cos(a), s = sin(a);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) R[3 * i + j] = (i == j ? c : 0) + (1 - c) * u[i] * u[j];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R[3 * k + j] += s * u[i];
        R[3 * j + k] -= s * u[i];
    }
}

static void unit(int axis, double *u) {
    for (int i = 0; i < 3; i++) u[i] = i == axis;
}

// The largest of the four is found first: it is at least 1/2.
void ct_quaternion(const double *R, double *q) {
    double trace = R[0] + R[4] + R[8], most = trace;
    int which = 3;
    for (int i = 0; i < 3; i++)
        if (R[4 * i] > most) most = R[4 * i], which = i;
    double square = which == 3 ? 1 + trace : 1 + 2 * R[4 * which] - trace;
    double s = 2 * sqrt(square > 0 ? square : 0), at = s / 4;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double turn = (R[3 * k + j] - R[3 * j + k]) / s;
        if (which == 3)
            q[i] = turn;
        else if (i == which)
            q[i] = at, q[3] = turn;
        else
            q[i] = (R[3 * i + which] + R[3 * which + i]) / s;
    }
    if (which == 3) q[3] = at;
    for (int i = 0; q[3] < 0 && i < 4; i++) q[i] = i < 3 ? -q[i] : q[i];
    q[3] = fabs(q[3]);
}

// joints in numbers -------------------------------------------------------------------------------
void ct_view_numbers(const ct_model *model, const ct_vec3 *v, double *x) {
    for (int i = 0; i < 3; i++) x[i] = ct_model_number(model, v->v[i]);
}

// x and y of a planar joint: the frame that turns z into the normal by the shortest rotation, with
// (y, z) for x and (z, x) for y.
static void plane_directions(const double *n, double (*d)[3]) {
    for (int i = 0; i < 3; i++)
        if (n[i] == 1) {
            unit((i + 1) % 3, d[0]);
            unit((i + 2) % 3, d[1]);
            return;
        }
    if (n[0] == 0 && n[1] == 0) {
        memcpy(d[0], (double[]){1, 0, 0}, sizeof d[0]);
        memcpy(d[1], (double[]){0, -1, 0}, sizeof d[1]);
        return;
    }
    double k = 1 / (1 + n[2]);
    memcpy(d[0], (double[]){1 - n[0] * n[0] * k, -n[0] * n[1] * k, -n[0]}, sizeof d[0]);
    memcpy(d[1], (double[]){-n[0] * n[1] * k, 1 - n[1] * n[1] * k, -n[1]}, sizeof d[1]);
}

// A slide may be drawn on any parallel line. Where the file names no point it goes through the
// centre of mass of B: shifting both points by the same vector across the axis changes nothing
// else.
static void shift_slide(const ct_model *model, const ct_joint *joint, ct_hinge *h) {
    double com[3], shift[2][3];
    for (int s = 0; s < 2; s++)
        if (ct_dot3(h->at[s], h->at[s]) > 0) return;
    ct_view_numbers(model, &model->bodies[joint->body[1]].com, com);
    ct_turned_back(h->orient[1], com, com);
    double along = ct_dot3(com, h->axis[0]);
    for (int i = 0; i < 3; i++) com[i] -= along * h->axis[0][i];
    for (int s = 0; s < 2; s++) {
        ct_turned(h->orient[s], com, shift[s]);
        for (int i = 0; i < 3; i++) h->at[s][i] += shift[s][i];
    }
}

static void hinge_init(const ct_model *model, const ct_joint *joint, ct_hinge *h) {
    *h = (ct_hinge){.joint = joint};
    for (int s = 0; s < 2; s++) {
        ct_view_numbers(model, &joint->at[s], h->at[s]);
        ct_view_numbers(model, &joint->axis[s], h->axis[s]);
        for (int i = 0; i < 9; i++)
            h->orient[s][i] = ct_model_number(model, joint->orient[s].a[i / 3][i % 3]);
    }
    if (ct_joint_is_slide(joint->type)) shift_slide(model, joint, h);
    if (ct_joint_traits_of(joint->type)->holds == CT_HOLDS_PLANE)
        plane_directions(h->axis[0], h->direction);
    h->lead = ct_model_number(model, joint->pitch) / (2 * acos(-1));
    h->length = ct_model_number(model, joint->length);
    h->ratio = ct_model_number(model, joint->ratio);
}

void ct_hinge_axis(const ct_hinge *h, int which, int side, double *u) {
    ct_turned(h->orient[side], h->axis[which], u);
}

static void turn_about(const double *u, double angle, double *Q) {
    double R[9];
    rotation(u, angle, R);
    ct_multiply(Q, R, false, Q);
}

static void slide_along(const double *u, double by, double *s) {
    for (int i = 0; i < 3; i++) s[i] += by * u[i];
}

// The joint's own turn Q and slide s from its coordinates.
static void joint_motion(const ct_hinge *h, const double *q, double *Q, double *s) {
    const ct_joint_type type = h->joint->type;
    const double *angle = q + ct_joint_translations(type);
    int turns = ct_joint_rotations(type);
    identity(Q);
    memset(s, 0, 3 * sizeof *s);
    switch (ct_joint_traits_of(type)->holds) {
    case CT_HOLDS_NOTHING: memcpy(s, q, 3 * sizeof *s); break;
    case CT_HOLDS_PLANE:
        for (int k = 0; k < 2; k++) slide_along(h->direction[k], q[k], s);
        break;
    case CT_HOLDS_LINE: slide_along(h->axis[0], q[0], s); break;
    case CT_HOLDS_HELIX: slide_along(h->axis[0], h->lead * q[0], s); break;
    case CT_HOLDS_DISTANCE:
    case CT_HOLDS_POINT: break;
    }
    for (int k = 0; k < turns; k++) {
        double u[3];
        unit(h->joint->sequence[k], u);
        turn_about(turns == 3 ? u : h->axis[k], angle[k], Q);
    }
}

void ct_hinge_cross(const ct_hinge *h, const double *q, bool forward, const ct_pose *near,
                    ct_pose *far) {
    double Q[9], s[3], turn[9], arm[3], near_arm[3];
    joint_motion(h, q, Q, s);
    ct_multiply(h->orient[0], Q, false, turn);
    ct_multiply(turn, h->orient[1], true, turn); // R(A<-B)
    ct_turned(h->orient[0], s, arm);
    for (int i = 0; i < 3; i++) arm[i] += h->at[0][i];
    if (forward)
        ct_multiply(near->R, turn, false, far->R);
    else
        ct_multiply(near->R, turn, true, far->R);
    ct_turned(near->R, forward ? arm : h->at[1], near_arm);
    ct_turned(far->R, forward ? h->at[1] : arm, arm);
    for (int i = 0; i < 3; i++) far->r[i] = near->r[i] + near_arm[i] - arm[i];
}

// the walk ----------------------------------------------------------------------------------------
static bool joint_known(const ct_joint *joint, const bool *known) {
    if (!ct_joint_has_coordinates(joint->type) || joint->body[0] < 0 || joint->body[1] < 0)
        return false;
    for (int i = 0; i < joint->n_coordinates; i++)
        if (!known[joint->first_coordinate + i]) return false;
    return true;
}

// True for joints with every freedom that a body can have, in space or in a plane.
static bool is_whole(ct_joint_type type) {
    const ct_joint_traits *t = ct_joint_traits_of(type);
    return t->holds == CT_HOLDS_NOTHING ? t->keeps == CT_KEEPS_NOTHING
                                        : t->holds == CT_HOLDS_PLANE && t->keeps == CT_KEEPS_AXIS;
}

// Places bodies along joints from the n bodies that are placed already, breadth first; virtual
// joints serve only if they have every freedom that a body can have. Returns the new n.
static int spread(ct_mover *m, const bool *known, bool *done, int n, bool virtual_too) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m->n_joints; k++) {
            const ct_joint *j = m->hinges[k].joint;
            if (j->is_virtual && (!virtual_too || !is_whole(j->type))) continue;
            if (!joint_known(j, known)) continue;
            int a = m->order[i], b = j->body[0] == a ? j->body[1] : j->body[0];
            if ((j->body[0] != a && j->body[1] != a) || done[b]) continue;
            done[b] = true;
            m->via[b] = k;
            m->order[n++] = b;
        }
    return n;
}

static ct_status complain(ct_context *ctx, const ct_mover *m, const bool *known, const bool *done) {
    for (int k = 0; k < m->n_joints; k++) {
        const ct_joint *j = m->hinges[k].joint;
        for (int i = 0; i < j->n_coordinates && j->body[0] >= 0; i++)
            if (!known[j->first_coordinate + i] && done[j->body[0]] != done[j->body[1]])
                return ct_fail(ctx, CT_WRONG_MODEL,
                               "no column '%s': without it the place of body '%s' is not known",
                               m->model->coordinates[j->first_coordinate + i].name,
                               m->model->bodies[j->body[done[j->body[0]]]].name);
    }
    for (int b = 1; b < m->n_bodies; b++)
        if (!done[b])
            return ct_fail(
                ctx, CT_WRONG_MODEL, "no columns tell where body '%s' is (%s.x, %s.y, ...)",
                m->model->bodies[b].name, m->model->bodies[b].name, m->model->bodies[b].name);
    return CT_OK;
}

ct_status ct_mover_init(ct_context *ctx, ct_mover *m, const ct_model *model, const bool *known,
                        const bool *own) {
    // joints and centres of mass in numbers
    size_t bodies = (size_t)model->n_bodies;
    *m = (ct_mover){.model = model, .n_bodies = model->n_bodies, .n_joints = model->n_joints};
    m->hinges = ct_alloc((size_t)model->n_joints + 1, sizeof *m->hinges);
    m->order = ct_alloc(bodies, sizeof *m->order);
    m->via = ct_alloc(bodies, sizeof *m->via);
    m->com = ct_alloc(bodies, sizeof *m->com);
    for (int k = 0; k < model->n_joints; k++) hinge_init(model, model->joints + k, m->hinges + k);
    for (int b = 0; b < model->n_bodies; b++) {
        ct_view_numbers(model, &model->bodies[b].com, m->com[b]);
        m->via[b] = -1;
    }
    // from ground along joints with known coordinates, physical ones before virtual ones
    bool *done = ct_alloc(bodies, sizeof *done);
    done[0] = true;
    int n = spread(m, known, done, 1, false);
    n = spread(m, known, done, n, true);
    // bodies with absolute coordinates, each with the bodies that hang on it
    for (int b = 1; b < model->n_bodies; b++) {
        if (done[b] || !own[b]) continue;
        done[b] = true;
        m->order[n++] = b;
        n = spread(m, known, done, n, true);
    }
    // a body without a place names the column that is missing
    ct_status status = complain(ctx, m, known, done);
    ct_free(done);
    return status;
}

void ct_mover_place(const ct_mover *m, const double *q, const double *own, ct_pose *pose) {
    memset(pose[0].r, 0, sizeof pose[0].r);
    identity(pose[0].R);
    for (int i = 1; i < m->n_bodies; i++) {
        int b = m->order[i], k = m->via[b];
        if (k >= 0) {
            const ct_joint *j = m->hinges[k].joint;
            bool forward = j->body[1] == b;
            ct_hinge_cross(m->hinges + k, q + j->first_coordinate, forward,
                           pose + j->body[!forward], pose + b);
            continue;
        }
        const double *x = own + 6 * b;
        double u[3], com[3];
        identity(pose[b].R);
        for (int a = 0; a < 3; a++) {
            unit(2 - a, u);
            turn_about(u, x[3 + a], pose[b].R);
        }
        ct_turned(pose[b].R, m->com[b], com);
        for (int a = 0; a < 3; a++) pose[b].r[a] = x[a] - com[a];
    }
}

// Velocities by central differences over a step in which no coordinate moves by more than
// CT_TWIST_STEP.
void ct_mover_move(const ct_mover *m, const double *q, const double *qd, const double *own,
                   const double *own_d, ct_twist *twist) {
    int n = m->model->n_coordinates, bodies = m->n_bodies;
    size_t size = (size_t)n + 6 * (size_t)bodies;
    // step h in time
    double fastest = fmax(ct_largest(n, qd), ct_largest(6 * bodies, own_d));
    double h = CT_TWIST_STEP / (1 + fastest);
    double *x = ct_alloc(size + 1, sizeof *x);
    ct_pose *pose = ct_alloc(2 * (size_t)bodies, sizeof *pose);
    // poses at -h and h
    for (int side = 0; side < 2; side++) {
        double step = side ? h : -h;
        for (int i = 0; i < n; i++) x[i] = q[i] + step * qd[i];
        for (int i = 0; i < 6 * bodies; i++) x[n + i] = own[i] + step * own_d[i];
        ct_mover_place(m, x, x + n, pose + side * bodies);
    }
    // v = (r(h) - r(-h)) / 2 h;  R(h) R(-h)^T is a turn by 2 h w
    for (int b = 0; b < bodies; b++) {
        const ct_pose *from = pose + b, *to = pose + bodies + b;
        double turn[9];
        ct_multiply(to->R, from->R, true, turn);
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            twist[b].v[i] = (to->r[i] - from->r[i]) / (2 * h);
            twist[b].w[i] = (turn[3 * k + j] - turn[3 * j + k]) / (4 * h);
        }
    }
    ct_free(x);
    ct_free(pose);
}
