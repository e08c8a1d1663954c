// The mechanism as the formulation walks it: bodies, the two trees condensed to bodies, and one
// kind of connection for everything that may be a branch.
#ifndef CT_LAYOUT_H
#define CT_LAYOUT_H

#include "formulate/formulate.h"
#include "formulate/vec.h"

// Relative motion of bodies A and B:  R(A<-B) = orient_A Rot(axis_1, angle_1) ... orient_B^T,
// point B - point A = orient_A (offset + sum direction_k slide_k).
typedef struct ct_connection {
    int body[2];
    ct_vec3 at[2]; // from the centre of mass (ground: from the origin), body frame
    ct_mat3 orient[2];
    int n_rot;
    ct_vec3 axis[3]; // joint frame, before the rotations that follow it
    ct_ex angle[3], angle_d[3];
    int n_trans;
    ct_vec3 direction[3];
    ct_ex slide[3], slide_d[3];
    ct_vec3 offset;
    ct_whole_rotation *whole; // the rotation is that of a whole rotation, not of angles
    const struct ct_natural_body *natural; // the rotation is that of points and vectors
    bool screw;                            // slide[0] is angle[0]; direction[0] holds the lead
} ct_connection;

typedef struct ct_layout {
    ct_formulation *f;
    ct_pool *pool;
    const ct_model *model;
    int n_bodies;
    ct_connection *connections; // by edge of the graph; only bodies and joints are filled in
    int *parent[2], *branch[2],
        *order[2];      // body trees by domain: parent body, edge, bodies with parents first
    bool planar;        // in space, found numerically
    int normal;         // x, y or z where the plane is exactly normal to it, else -1
    ct_mat3 *rotation0; // [bodies] orientation and centre of mass with all joint coordinates zero
    ct_vec3 *centre0;
    int (*sequence)[3]; // [bodies] axes of a body's own three angles
    ct_mat3 *cache;     // relative rotations [bodies x bodies]
    bool *cached;
    struct ct_rotation_factors **factors; // of these (frames.c)
    ct_vec3 *place;                       // [bodies] centres of mass far from ground (frames.c)
    bool *is_placed;
    ct_arena arena; // all of them; of a view the cache alone
} ct_layout;

// A formulation has one layout, f->layout, as long as it lives.
ct_layout *ct_layout_new(ct_formulation *f);
// The same for a view of the formulation: what is computed in it goes to the view's pool.
ct_layout *ct_layout_view(const ct_layout *l, ct_formulation *view);
void ct_layout_find_plane(ct_layout *l); // planar, normal, rotation0, centre0, sequence

// R(to <- from) along the rotation tree.
ct_mat3 ct_rotation(ct_layout *l, int to, int from);
ct_vec3 ct_turn(ct_layout *l, ct_vec3 v, int from,
                int to); // components in `from` to components in `to`
// Rotation between the joint frames of a connection: orient_A^T R(A<-B) orient_B.
ct_mat3 ct_joint_rotation(ct_layout *l, const ct_connection *c);
ct_mat3 ct_connection_rotation(ct_pool *pool, const ct_connection *c, int from,
                               int to); // product of axis rotations

// Vector from point p of body a to point q of body b (both from the centre of mass, body frames),
// components in `frame`.
ct_vec3 ct_path(ct_layout *l, int a, ct_vec3 p, int b, ct_vec3 q, int frame);
// Angular velocity of a body relative to one before it on the rotation tree, frame of the latter;
// kept whole from body to body, so that it is shared.
ct_vec3 ct_angular_velocity(ct_layout *l, int body, int from);
// The body nearest to both along a tree: its frame is where to write what happens between them.
int ct_common(const ct_layout *l, ct_domain domain, int a, int b);
ct_vec3 ct_from_com(const ct_layout *l, int body,
                    ct_vec3 at); // body-frame point, measured from the centre of mass
// World position of a body-frame point measured from the centre of mass.
ct_vec3 ct_position(ct_layout *l, int body, ct_vec3 p);
// The connection of a joint that comes and goes; kept: where it is attached, else as the model has it.
ct_connection ct_connect_switched(ct_layout *l, const ct_joint *joint, bool kept);
// A body's own slide number `part` where the body's frame is on that of ground: the component of its
// centre of mass.
ct_ex ct_design_slide(const ct_layout *l, int body, int part);
// Slide vector of a connection in A's frame, and the arm on A including it.
ct_vec3 ct_slide(ct_layout *l, const ct_connection *c);

// Coordinates of a connection from the places of its two bodies (back-substitution): slides first
// (a screw has none), then angles. Returns how many.
int ct_connection_values(ct_layout *l, const ct_connection *c, ct_ex *value);

// The angle of a swing from the places of its points; the equation that defines it, with the angle q.
ct_ex ct_swing_value(ct_layout *l, const ct_swing *swing);
ct_ex ct_swing_phi(ct_layout *l, const ct_swing *swing, ct_ex q);

// x(body.point), vx(body.point), distance(p, q) in terms of q and q'.
ct_substitution *ct_known_quantities(ct_layout *l);
// Outputs, behind the equations of motion: they may measure accelerations, spins and energies too.
void ct_find_outputs(ct_layout *l, ct_substitution *known);

// A force on this coordinate is a plain force or torque along one axis, the same on both bodies.
bool ct_acts_on_bodies(const ct_model *model, int coordinate);

// constraint rows
void ct_constraints_build(ct_context *ctx, ct_layout *l, ct_substitution *known, ct_status *status);
// conditions of joints that come and go
void ct_switched_conditions(ct_layout *l, ct_substitution *known);
// equations of motion
void ct_dynamics_build(ct_layout *l, ct_substitution *known);

// total time derivative  q -> qd, qd -> 0, t -> 1
ct_derivation *ct_time_derivation(ct_formulation *f);
// of one expression, with all vectors of whole rotations that have been met
ct_ex ct_time_rate(ct_formulation *f, ct_ex value);

// Motion of bodies in world components, written as the sweep writes it, so that it is shared: the
// velocity of a centre of mass, and that of a point at the arm r relative to it, w x r.
ct_vec3 ct_load_velocity(ct_layout *l, int body);
ct_vec3 ct_load_carried(ct_layout *l, int body, ct_vec3 r);

#endif
