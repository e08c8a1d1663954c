// A mechanism as its file describes it, read, checked and resolved: names are indices, numbers are
// expressions, every default is filled in. Nothing here knows about equations.
#ifndef CT_MODEL_H
#define CT_MODEL_H

#include "expr/expr.h"
#include "model/force_types.h"
#include "model/joint_types.h"
#include "numeric/numbers.h"
#include "model/tyre.h"

typedef struct ct_vec3 {
    ct_ex v[3];
} ct_vec3;
typedef struct ct_mat3 {
    ct_ex a[3][3];
} ct_mat3;

typedef struct ct_point {
    char *name;
    ct_place place;
    ct_vec3 at; // in the body's frame
} ct_point;

// Shapes of bodies in drawings: X(enumerator, name in the file).
#define CT_SHAPE_TYPES(X)                                                                          \
    X(BOX, "box")                                                                                  \
    X(CYLINDER, "cylinder")                                                                        \
    X(SPHERE, "sphere")                                                                            \
    X(CAPSULE, "capsule")                                                                          \
    X(LINK, "link")                                                                                \
    X(FILE, "file")
typedef enum ct_shape_type {
#define X(name, text) CT_SHAPE_##name,
    CT_SHAPE_TYPES(X)
#undef X
        CT_SHAPE_TYPE_COUNT
} ct_shape_type;

typedef struct ct_shape {
    ct_place place;
    ct_shape_type type;
    ct_vec3 size;         // box: whole lengths along x, y, z
    ct_ex radius, length; // cylinder, sphere, capsule; link: radius, zero where not given
    ct_vec3 axis;         // cylinder, capsule: unit vector
    ct_vec3 end[2];       // link
    char *path;           // file: STL or OBJ, relative to the model file
    ct_ex scale;          // file
    ct_vec3 position;     // of its centre (file: of its origin) in the body's frame
    ct_mat3 orient;       // shape to body frame, Rz(yaw) Ry(pitch) Rx(roll)
    int colour;           // 0xRRGGBB, -1: not given
    ct_ex opacity;
} ct_shape;

typedef struct ct_body {
    char *name;
    ct_place place;
    ct_ex mass;
    ct_ex inertia[6]; // Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass; products as integrals
    ct_vec3 com;
    ct_point *points;
    int n_points, room_points;
    ct_shape *shapes;
    int n_shapes, room_shapes;
} ct_body;

typedef struct ct_joint {
    char *name;
    ct_place place;
    ct_joint_type type;
    bool is_virtual;
    int body[2];       // 0 is ground; unused (-1) for gear, rack, constraint
    ct_vec3 at[2];     // joint point in each body's frame
    ct_mat3 orient[2]; // joint frame to body frame, Rz(yaw) Ry(pitch) Rx(roll)
    ct_vec3 axis[2];   // unit vectors in the joint frame. [0]: `axis`, `axes[0]`; [1]: `axes[1]`
                       // (universal: second axis; parallel, perpendicular: the axis in B). With
                       // `axis` alone both are it.
    bool has_line;     // `axis: [P, Q]`, and these points, in the joint frame's directions
    ct_vec3 line[2];
    int sequence[3];   // spherical, free: 0 x, 1 y, 2 z
    ct_ex pitch;       // screw, metres per revolution
    ct_ex length;      // link
    ct_ex ratio;       // gear: J2 = ratio J1; rack: P = ratio R
    int coordinate[2]; // gear, rack: the two coordinates
    ct_ex equation;    // constraint: = 0
    int first_coordinate,
        n_coordinates; // in model->coordinates, translations first as the names are listed
} ct_joint;

typedef struct ct_coordinate {
    char *name; // "J", "J.x", ...
    int joint;
    int index;     // within the joint
    bool is_angle; // rotational
    ct_ex q, qd;   // its symbols
} ct_coordinate;

// A quantity of the motion that expressions use: x(body.point), distance(p, q); in outputs also
// fz(tyre).
typedef enum ct_probe_kind {
    CT_PROBE_X,
    CT_PROBE_Y,
    CT_PROBE_Z,
    CT_PROBE_VX,
    CT_PROBE_VY,
    CT_PROBE_VZ,
    CT_PROBE_DISTANCE,
    CT_PROBE_TYRE
} ct_probe_kind;
typedef struct ct_probe {
    ct_probe_kind kind;
    int body[2];
    ct_vec3 at[2];
    int force; // tyre
    ct_tyre_quantity quantity;
    ct_ex symbol; // CT_SYMBOL_OTHER, to be replaced by whoever knows the motion
} ct_probe;

typedef struct ct_motion { // target = value
    ct_place place;
    char *name;     // as written
    int coordinate; // or -1
    int probe;      // or -1
    ct_ex value;
} ct_motion;

typedef struct ct_force {
    char *name;
    ct_place place;
    ct_force_type type;
    int body[2];    // force, torque, tyre: [0]; spring: both
    ct_vec3 at[2];  // force: point of application; spring: both ends; tyre: centre
    ct_vec3 vector; // force, torque; tyre: spin axis, a unit vector in the body
    bool in_body;   // frame: body
    int coordinate; // actuator, torsion
    ct_ex value;    // actuator: value; spring: the constant force; tyre: friction
    ct_ex stiffness, damping, length; // spring; torsion (length = angle); tyre (length = road)
    ct_ex radius, slip_speed;         // tyre, constant
    bool mirror;                      // tyre: left and right exchanged
    ct_ex coefficient[CT_TYRE_COEFFICIENT_COUNT]; // tyre, constant
} ct_force;
// The expressions of a force that need not be constant.
enum { CT_FORCE_EXPRESSIONS = 7 };
void ct_force_expressions(const ct_force *f, ct_ex used[CT_FORCE_EXPRESSIONS]);

typedef struct ct_input {
    char *name;
    ct_place place;
    ct_ex symbol, value; // value: the default, constant
    double number;       // the default as a number
} ct_input;
// A parameter. What the file says of it is in the model's pool, what --set says is not: all
// expressions are the same whatever values are set.
typedef struct ct_parameter {
    char *name;
    ct_place place;
    ct_ex symbol;
    ct_ex value;     // in the file, in earlier parameters
    double number;   // its value
    double original; // what the file alone makes of it; NaN: nothing
    char *set;       // text of --set in its place, or NULL
    bool is_derived; // from earlier ones: no argument of the equations, but a consequence of these
} ct_parameter;
typedef struct ct_output {
    char *name;
    ct_place place;
    ct_ex value;
} ct_output;

typedef struct ct_start { // an entry of `initial` or `guess`
    ct_place place;
    int coordinate;
    ct_ex value, rate; // constant; rate only where has_rate
    bool has_rate;
} ct_start;

typedef struct ct_tree_entry {
    ct_place place;
    bool is_body;
    int index; // body or joint
} ct_tree_entry;

typedef struct ct_name_at {
    ct_place place;
    char *name;
} ct_name_at;

typedef struct ct_settings { // `simulate:`; a negative number or NULL means not given
    double time, step, output_step;
    char *method, *integrator;
    double alpha, beta;          // baumgarte
    double penalty, zeta, omega; // penalty
    double rtol, atol;           // cvode
} ct_settings;

struct ct_model {
    ct_memory memory;
    ct_pool *pool;
    char *path, *name;
    ct_digest content; // of the text it was read from, with what overrides it
    ct_vec3 gravity;
    ct_ex time;      // the symbol t
    ct_body *bodies; // [0] is ground: its points are the hardpoints
    int n_bodies, room_bodies;
    ct_joint *joints;
    int n_joints, room_joints;
    ct_coordinate *coordinates;
    int n_coordinates, room_coordinates;
    ct_probe *probes;
    int n_probes, room_probes;
    ct_motion *motions;
    int n_motions, room_motions;
    ct_force *forces;
    int n_forces, room_forces;
    ct_input *inputs;
    int n_inputs, room_inputs;
    ct_parameter *parameters;
    int n_parameters, room_parameters;
    ct_output *outputs;
    int n_outputs, room_outputs;
    ct_start *initial, *guess;
    int n_initial, room_initial, n_guess, room_guess;
    bool has_trees;
    ct_tree_entry *rotation, *translation;
    int n_rotation, room_rotation, n_translation, room_translation;
    ct_name_at *independent;
    int n_independent, room_independent;
    ct_settings settings;
};

// Value of an expression in parameters alone (inputs at their defaults); NaN where anything else is
// left.
double ct_model_number(const ct_model *model, ct_ex a);
// Numbers for the symbols of the model: parameters, inputs at their defaults, t = 0.
void ct_model_numbers(const ct_model *model, ct_numbers *x);
// What a parameter is, exactly, in earlier ones: what --set says, else the file.
ct_ex ct_model_parameter(const ct_model *model, int i);
// Its place among parameters that are not derived; of a derived one among these.
int ct_model_parameter_place(const ct_model *model, int i);
int ct_model_free_parameters(const ct_model *model); // how many are not derived
// pi, deg and mm. Returns false for other names.
bool ct_constant_by_name(ct_pool *pool, const char *name, ct_ex *value);
// The farthest joint point on any body, 1 where all are origins.
double ct_typical_length(const ct_model *model);
// Coordinate by name, or -1.
int ct_model_coordinate(const ct_model *model, const char *name);
int ct_model_body(const ct_model *model, const char *name);

// vectors and matrices of expressions -------------------------------------------------------------
ct_vec3 ct_vec3_zero(void);
ct_mat3 ct_mat3_identity(void);

// A model that shares everything with another but its pool, which is a copy: what is built for it
// does not depend on what else was built. The other one must outlive it.
ct_model *ct_model_fork(const ct_model *model);
void ct_model_fork_free(ct_model *fork);

// Removes the parameters of a model whose expressions hold their numbers instead.
void ct_model_drop_parameters(ct_model *model);

#endif
