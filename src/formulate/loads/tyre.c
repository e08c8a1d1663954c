// A tyre on a flat road z = const: where it touches, how it moves there, and its force and moments
// as loads on the wheel. With the axle s (a unit vector, pointing left) and the road's normal n,
// the tyre rolls along x = s x n, leans by the camber (sine s . n), and touches the road at the
// loaded radius  h / cos(camber)  below its centre in the wheel plane, h being the centre's height.
// A wheel is round: where it turns on a revolute joint about its axle, everything is written with
// the axle of the body that carries it, and the angle of the spin appears nowhere.
#include "formulate/loads/loads.h"
#include "formulate/loads/magic_formula.h"
#include "formulate/tolerances.h"

#include <math.h>

typedef struct wheel {
    int body;
    ct_vec3 at;           // centre, from the centre of mass, wheel frame
    int carrier;          // whose frame is used: the wheel's own, or its carrier's
    ct_vec3 axle, centre; // in that frame; the centre from its centre of mass
    ct_ex turning;        // rate of the wheel relative to that frame, about the axle
    int along;          // 1, -1: the joint's axis is the axle, or points the other way; 0: neither
    ct_vec3 hinge, gap; // that axis on the wheel; from the joint to the centre
} wheel;

// the wheel ---------------------------------------------------------------------------------------
static void numbers(const ct_layout *l, ct_vec3 v, double *x) {
    for (int i = 0; i < 3; i++) x[i] = ct_model_number(l->model, v.v[i]);
}

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// True if the line through p along the unit vector u passes through q.
static bool on_line(const double *p, const double *u, const double *q) {
    double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, along = dot(d, u),
           scale = sqrt(dot(p, p) + dot(q, q));
    return dot(d, d) - along * along <= CT_AXLE_CENTRE2 * scale * scale;
}

// The wheel as it is, or seen from the body on which a revolute joint about its axle turns it.
static wheel find_wheel(ct_layout *l, const ct_force *force) {
    ct_pool *pool = l->pool;
    int body = force->body[0], edge = l->branch[CT_ROTATION][body];
    ct_vec3 centre = ct_from_com(l, body, force->at[0]);
    wheel w = {.body = body,
               .at = centre,
               .carrier = body,
               .axle = force->vector,
               .centre = centre,
               .turning = CT_ZERO};
    const ct_connection *c = l->connections + edge;
    // a wheel that hangs on anything but a hinge is written in its own frame
    if (c->whole) return w;
    const ct_edge *e = l->f->graph->edges + edge;
    if (e->kind != CT_EDGE_JOINT || !ct_joint_is_hinge(l->model->joints[e->index].type) ||
        l->branch[CT_TRANSLATION][body] != edge)
        return w;
    // so is one whose hinge is not its axle: other direction, or beside the centre
    int side = c->body[1] == body;
    ct_vec3 on_wheel = ct_mat_vec(pool, c->orient[side], c->axis[0]),
            on_carrier = ct_mat_vec(pool, c->orient[!side], c->axis[0]);
    double axle[3], u[3], p[3], q[3];
    numbers(l, force->vector, axle);
    numbers(l, on_wheel, u);
    numbers(l, c->at[side], p);
    numbers(l, centre, q);
    double same = dot(axle, u);
    if (!(fabs(same) > 1 - CT_AXLE_PARALLEL) || !on_line(p, u, q)) return w;
    // centre and axle as the carrier sees them: neither depends on the spin
    w.along = same > 0 ? 1 : -1;
    w.hinge = on_wheel;
    w.gap = ct_vec_sub(pool, centre, c->at[side]);
    ct_ex along = ct_vec_dot(pool, w.gap, on_wheel);
    w.carrier = c->body[!side];
    w.centre = ct_vec_add(pool, c->at[!side], ct_vec_scale(pool, along, on_carrier));
    w.axle = same > 0 ? on_carrier : ct_vec_neg(pool, on_carrier);
    // the joint's angle turns B relative to A about its axis
    w.turning = (same > 0) == (side == 1) ? c->angle_d[0] : ct_neg(pool, c->angle_d[0]);
    return w;
}

int ct_tyre_axle(ct_layout *l, int force) {
    return find_wheel(l, l->model->forces + force).along;
}

// Notes that a vector in parameters vanishes, component by component.
static void note_zero(ct_layout *l, ct_vec3 v, int power, const char *name) {
    for (int i = 0; i < 3; i++)
        if (ct_ex_kinds(l->pool, v.v[i]))
            ct_formulation_condition(l->f, (ct_condition){CT_IS_ZERO, v.v[i], power, name});
}

// Where parameters decide that the joint is the axle: u x s = 0, the sign of u . s, u x gap = 0.
static void note_axle(ct_layout *l, const ct_force *force, const wheel *w) {
    ct_pool *pool = l->pool;
    if (!w->along) return;
    const bool turns = ct_has_parameters(pool, force->vector) || ct_has_parameters(pool, w->hinge);
    const char *name = force->name;
    if (turns) {
        note_zero(l, ct_vec_cross(pool, w->hinge, force->vector), 0, name);
        ct_ex same = ct_vec_dot(pool, w->hinge, force->vector);
        if (ct_ex_kinds(pool, same))
            ct_formulation_condition(
                l->f,
                (ct_condition){w->along > 0 ? CT_IS_POSITIVE : CT_IS_NEGATIVE, same, 0, name});
    }
    if (turns || ct_has_parameters(pool, w->gap))
        note_zero(l, ct_vec_cross(pool, w->hinge, w->gap), 1, name);
}

// Height of the centre, direction of rolling, and what the contact sees of the motion.
typedef struct contact {
    ct_ex height, cosine;      // of the camber
    ct_vec3 forward, left;     // in the road
    ct_vec3 velocity, turning; // of the centre; of the wheel
    ct_tyre_motion motion;
} contact;

static contact find_contact(ct_layout *l, ct_substitution *known, const ct_force *force,
                            const wheel *w) {
    ct_pool *pool = l->pool;
    contact c;
    ct_vec3 s = ct_load_world(l, w->axle, w->carrier), at = ct_position(l, w->carrier, w->centre);
    ct_ex road = ct_substitute(known, force->length), tiny = ct_rational(pool, 1, CT_WHEEL_LYING);
    // centre v = v_c + w_c x r, wheel w = w_c + spin s, height h over the road
    c.velocity = ct_vec_add(pool, ct_load_velocity(l, w->carrier),
                            ct_load_carried(l, w->carrier, w->centre));
    c.velocity = ct_vec_let(pool, c.velocity);
    ct_vec3 turning = ct_angular_velocity(l, w->carrier, 0);
    c.turning = ct_vec_add(pool, turning, ct_vec_scale(pool, w->turning, s));
    c.height = ct_let(pool, ct_sub(pool, at.v[2], road));

    // cos = sqrt(s_x^2 + s_y^2); left = (s_x, s_y) / cos, forward = left x z
    ct_ex flat = ct_add(pool, ct_power_int(pool, s.v[0], 2), ct_power_int(pool, s.v[1], 2));
    c.cosine = ct_apply(pool, CT_OP_MAX, (ct_ex[]){ct_sqrt(pool, flat), tiny}); // a wheel lies down
    ct_ex inverse = ct_power_int(pool, c.cosine, -1);
    c.left = ct_vec(ct_let(pool, ct_mul(pool, s.v[0], inverse)),
                    ct_let(pool, ct_mul(pool, s.v[1], inverse)), CT_ZERO);
    c.forward = ct_vec(c.left.v[1], ct_neg(pool, c.left.v[0]), CT_ZERO);

    // rho = R0 - h / cos;  sin' is the z component of w x s
    ct_ex sine_rate =
        ct_sub(pool, ct_mul(pool, turning.v[0], s.v[1]), ct_mul(pool, turning.v[1], s.v[0]));
    ct_ex lean = ct_product(pool, 5, (ct_ex[]){c.height, s.v[2], sine_rate, inverse, inverse});
    // rho' = -(h' + h s_z sin' / cos^2) / cos
    ct_ex rise = ct_sub(pool, c.velocity.v[2], ct_load_rate(l, road));
    c.motion = (ct_tyre_motion){
        .deflection = ct_let(pool, ct_sub(pool, force->radius, ct_mul(pool, c.height, inverse))),
        .deflection_rate = ct_neg(pool, ct_mul(pool, ct_add(pool, rise, lean), inverse)),
        .forward = ct_let(pool, ct_vec_dot(pool, c.velocity, c.forward)),
        // of the wheel's point in the road: h (w . x) besides the centre's
        .sideways =
            ct_let(pool, ct_add(pool, ct_vec_dot(pool, c.velocity, c.left),
                                ct_mul(pool, c.height, ct_vec_dot(pool, turning, c.forward)))),
        .spin = ct_let(pool, ct_add(pool, ct_vec_dot(pool, turning, s), w->turning)),
        .camber = ct_apply(pool, CT_OP_ATAN2, (ct_ex[]){s.v[2], c.cosine}),
    };
    return c;
}

void ct_tyre_load(ct_layout *l, ct_substitution *known, int force, ct_loads *loads) {
    ct_pool *pool = l->pool;
    const ct_force *f = l->model->forces + force;
    // wheel, contact, and the forces and moments of the Magic Formula
    wheel w = find_wheel(l, f);
    note_axle(l, f, &w);
    contact c = find_contact(l, known, f, &w);
    ct_ex value[CT_TYRE_QUANTITY_COUNT];
    ct_magic_formula(l->model, f, ct_substitute(known, f->value),
                     ct_substitute(known, f->stiffness), ct_substitute(known, f->damping),
                     &c.motion, value);
    // quantities of the tyre that outputs ask for
    for (int i = 0; i < CT_TYRE_QUANTITY_COUNT; i++)
        ct_load_tell(l, known, force, (ct_force_quantity)i, value[i]);
    // from the centre to the contact: down by h, aside by  h tan(camber)
    ct_vec3 s = ct_load_world(l, w.axle, w.carrier),
            push = ct_vec(CT_ZERO, CT_ZERO, value[CT_TYRE_FZ]),
            moment = ct_vec(CT_ZERO, CT_ZERO, value[CT_TYRE_MZ]);
    ct_ex aside = ct_let(
        pool, ct_product(pool, 3, (ct_ex[]){c.height, s.v[2], ct_power_int(pool, c.cosine, -1)}));
    ct_vec3 arm = ct_vec_scale(pool, aside, c.left);
    arm.v[2] = ct_neg(pool, c.height);
    // force F and moment M about the centre:  M + arm x F
    push = ct_vec_add(pool, push, ct_vec_scale(pool, value[CT_TYRE_FX], c.forward));
    push = ct_vec_add(pool, push, ct_vec_scale(pool, value[CT_TYRE_FY], c.left));
    moment = ct_vec_add(pool, moment, ct_vec_scale(pool, value[CT_TYRE_MX], c.forward));
    moment = ct_vec_add(pool, moment, ct_vec_scale(pool, value[CT_TYRE_MY], c.left));
    push = ct_vec_let(pool, push);
    moment = ct_vec_let(pool, ct_vec_add(pool, moment, ct_vec_cross(pool, arm, push)));
    // power F . v + M . w
    ct_ex power =
        ct_add(pool, ct_vec_dot(pool, push, c.velocity), ct_vec_dot(pool, moment, c.turning));
    loads->power = ct_add(pool, loads->power, power);
    // moved to the centre of mass
    ct_vec3 offset = ct_turn(l, w.at, w.body, 0);
    moment = ct_vec_add(pool, moment, ct_vec_cross(pool, offset, push));
    loads->force[w.body] = ct_vec_add(pool, loads->force[w.body], push);
    loads->moment[w.body] = ct_vec_add(pool, loads->moment[w.body], moment);
}
