// Energy that forces have stored in a position: springs, stops, contacts and bushings whose numbers
// are constant. Others count as work.
#include "view/view.h"

static bool constant(const ct_model *model, ct_ex a) {
    return !(ct_ex_kinds(model->pool, a) & ~(1u << CT_SYMBOL_PARAMETER));
}

// k D^(e + 1) / (e + 1) of a stop with penetration D.
static double stop(const ct_model *model, const ct_force *force, double depth) {
    const double k = ct_model_number(model, force->stiffness),
                 e = ct_model_number(model, force->number[CT_NUMBER_EXPONENT]);
    return depth > 0 ? k * pow(depth, e + 1) / (e + 1) : 0;
}

static double spring(const ct_model *model, const ct_force *force, double x) {
    const double stretch = x - ct_model_number(model, force->length);
    return ct_model_number(model, force->stiffness) * stretch * stretch / 2;
}

static double limit(const ct_model *model, const ct_force *force, double q) {
    double sum = 0;
    if (force->has_bound[0])
        sum += stop(model, force, ct_model_number(model, force->number[CT_NUMBER_LOWER]) - q);
    if (force->has_bound[1])
        sum += stop(model, force, q - ct_model_number(model, force->number[CT_NUMBER_UPPER]));
    return sum;
}

// Where the points of a force on two bodies are, in ground.
static void ends_of(const ct_model *model, const ct_force *force, const ct_pose *pose,
                    double (*p)[3]) {
    double at[3];
    for (int k = 0; k < 2; k++) {
        ct_view_numbers(model, &force->at[k], at);
        ct_pose_point(pose + force->body[k], at, p[k]);
    }
}

// Penetration: radius - n . d of a plane, or the sum of the radii less the distance.
static double depth(const ct_model *model, const ct_force *force, const ct_pose *pose,
                    const double *p, const double *q) {
    const double radius = ct_model_number(model, force->radius);
    double n[3], d[3];
    if (!force->has_plane)
        return radius + ct_model_number(model, force->other_radius) - ct_distance3(p, q);
    ct_view_numbers(model, &force->vector, n);
    ct_turned(pose[force->body[0]].R, n, n);
    for (int i = 0; i < 3; i++) d[i] = q[i] - p[i];
    return radius - ct_dot3(n, d);
}

double ct_contact_depth(const ct_model *model, const ct_force *force, const ct_pose *pose) {
    double p[2][3];
    ends_of(model, force, pose, p);
    return depth(model, force, pose, p[0], p[1]);
}

// The frame of a bushing on one of its bodies, in ground.
static void frame_of(const ct_model *model, const ct_force *force, const ct_pose *pose, int side,
                     double *frame) {
    double orient[9];
    for (int i = 0; i < 9; i++)
        orient[i] = ct_model_number(model, force->orient[side].a[i / 3][i % 3]);
    ct_multiply(pose[force->body[side]].R, orient, false, frame);
}

// Axis times angle of the rotation R, below half a turn.
static void rotation_vector(const double *R, double *r) {
    double q[4];
    ct_quaternion(R, q);
    const double sine = sqrt(ct_dot3(q, q)), angle = 2 * atan2(sine, q[3]);
    for (int i = 0; i < 3; i++) r[i] = sine > 0 ? q[i] * angle / sine : 0;
}

static double bushing(const ct_model *model, const ct_force *force, const ct_pose *pose,
                      const double *p, const double *q) {
    double A[9], B[9], back[9], R[9], between[3], x[6], sum = 0;
    for (int i = 0; i < 3; i++) between[i] = q[i] - p[i];
    frame_of(model, force, pose, 0, A);
    frame_of(model, force, pose, 1, B);
    // d, and the rotation A^T B
    ct_turned_back(A, between, x);
    for (int i = 0; i < 9; i++) back[i] = A[i % 3 * 3 + i / 3];
    ct_multiply(back, B, false, R);
    rotation_vector(R, x + 3);
    for (int i = 0; i < 6; i++) {
        const ct_ex k = force->bushing[CT_BUSHING_STIFFNESS][i];
        if (constant(model, k)) sum += ct_model_number(model, k) * x[i] * x[i] / 2;
    }
    return sum;
}

double ct_stored_energy(const ct_model *model, const ct_force *force, const ct_pose *pose,
                        const double *q) {
    const ct_force_traits *traits = ct_force_traits_of(force->type);
    double p[2][3] = {{0}};
    const bool two = traits->on == CT_ON_POINTS || traits->on == CT_ON_BODIES;
    if (two) ends_of(model, force, pose, p);
    // a bushing by each of its numbers; others where stiffness and length are constant
    if (force->type == CT_FORCE_BUSHING) return bushing(model, force, pose, p[0], p[1]);
    if (!constant(model, force->stiffness) || !constant(model, force->length)) return 0;
    if (traits->like == CT_LIKE_SPRING)
        return spring(model, force, two ? ct_distance3(p[0], p[1]) : q[force->coordinate]);
    if (force->type == CT_FORCE_LIMIT) return limit(model, force, q[force->coordinate]);
    return force->type == CT_FORCE_CONTACT ? stop(model, force, depth(model, force, pose, p[0], p[1])) : 0;
}
