// A mechanism as its file describes it, read, checked and resolved: names are indices, numbers are
// expressions, every default is filled in. Nothing here knows about equations.
#ifndef CT_MODEL_H
#define CT_MODEL_H

#include "expr/expr.h"
#include "model/force_types.h"
#include "model/joint_types.h"
#include "model/quantities.h"
#include "model/tyre.h"
#include "numeric/numbers.h"

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
    bool has_sequence; // of its own three angles, where it is a branch; else it is chosen
    int sequence[3];   // 0 x, 1 y, 2 z
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
    int sequence[3]; // spherical, free: 0 x, 1 y, 2 z
    bool is_turned;  // orient[1] is the user's times `turn`, a signed permutation of the axes
    int turn[3][3];
    double start[3], start_rate[3]; // turned: angles by name at the start, and their rates
    ct_ex pitch;                    // screw, metres per revolution
    ct_ex length;                   // link
    ct_ex ratio;                    // gear: J2 = ratio J1; rack: P = ratio R
    int coordinate[2];              // gear, rack: the two coordinates
    ct_ex equation;                 // constraint: = 0
    // `active`: it holds while this is not zero. Such joints stand behind all others and have no
    // coordinates (model/switched.c)
    bool is_switched, attaches_here;
    ct_ex active;
    ct_ex gap; // that it closes when it becomes active; CT_ZERO: none
    // attaches_here: symbols of what it keeps of the position in which it became active. The place of
    // B in A's joint frame, the orientation of B's joint frame in it, a distance or the value of an
    // equation; CT_ZERO where it keeps none
    ct_ex kept_place[3], kept_turn[3][3], kept_value;
    ct_ex holds; // symbol: 1 while it holds
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
// ax(body.point), fz(tyre).
typedef struct ct_probe {
    ct_probe_kind kind;
    int body[2];
    ct_vec3 at[2];
    int coordinate;             // CT_PROBE_ACCELERATION
    int force;                  // CT_PROBE_FORCE, laws of springs
    ct_force_quantity quantity; // CT_PROBE_FORCE
    // CT_PROBE_REACTION: column of a joint (-1: an effort), 0 for a multiplier. CT_PROBE_FORCE: the
    // drive that the force is, where its effort or tension is asked for. -1: none
    int joint, part, motion, drive;
    ct_ex
        symbol; // CT_SYMBOL_OTHER, to be replaced by whoever knows the motion; of reactions their own
} ct_probe;

typedef struct ct_motion { // target = value
    ct_place place;
    char *name;     // as written
    int coordinate; // or -1
    int probe;      // or -1
    ct_ex value;
} ct_motion;

// What `statics` and `inverse` solve for, instead of the efforts of motions.
typedef struct ct_drive {
    ct_place place;
    char *name;     // as written
    int coordinate; // whose effort it is; -1: the tension of a spring
    int force;      // actuator or spring whose own value does not count; -1: none
} ct_drive;

typedef struct ct_force {
    char *name;
    ct_place place;
    ct_force_type type;
    int body[2];    // force, torque, tyre, drag: [0]; spring, bushing, contact: both
    ct_vec3 at[2];  // force, drag: point of application; spring: both ends; tyre: centre
    ct_vec3 vector; // force, torque; tyre: spin axis, a unit vector in the body; contact: normal of
                    // the plane, a unit vector in A; drag: wind
    bool in_body;   // frame: body
    int coordinate; // actuator, torsion, friction, limit
    ct_ex value;    // actuator: value; spring: the constant force; tyre: friction
    ct_ex stiffness, damping, length; // spring; torsion (length = angle); tyre (length = road)
    ct_ex radius, slip_speed;         // tyre, constant; contact: radius of B
    ct_ex number[CT_FORCE_NUMBER_COUNT];
    ct_ex bushing[CT_BUSHING_PARTS][CT_BUSHING_DIRECTIONS]; // along x, y, z, then about them
    ct_mat3 orient[2];                                      // bushing
    bool has_plane;                                         // contact: not between two spheres
    ct_ex other_radius;                                     // contact between spheres: of A
    bool has_bound[2];                                      // limit: lower, upper
    ct_ex effort; // friction by load: symbol of what its coefficient makes; else zero
    bool mirror;  // tyre: left and right exchanged
    ct_ex coefficient[CT_TYRE_COEFFICIENT_COUNT]; // tyre, constant
} ct_force;
// The expressions of a force that need not be constant.
enum {
    CT_FORCE_EXPRESSIONS = 7 + CT_FORCE_NUMBER_COUNT + CT_BUSHING_PARTS * CT_BUSHING_DIRECTIONS
};
void ct_force_expressions(const ct_force *force, ct_ex used[CT_FORCE_EXPRESSIONS]);
bool ct_force_is_by_load(const ct_force *force); // friction with a coefficient
const char *ct_force_expression_name(int i);     // "stiffness of force", "coulomb of force", ...

typedef struct ct_input {
    char *name;
    ct_place place;
    ct_ex symbol, value; // value: the default, constant
    double number;       // the default as a number
    // of the rate and the acceleration, where equations need them: inputs of motions and of
    // constraints, and of roads; else CT_ZERO
    ct_ex rate, acceleration;
    bool drives;     // a motion or a constraint uses it
    double start[3]; // value, rate and acceleration that the initial position is found with
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
    const char *varying;         // the first key whose number parameters decide on, or NULL
} ct_settings;

typedef struct ct_signals ct_signals; // model/inputs/signals.h

// What the value of a parameter has decided on when the model was read or formulated: with others the
// equations are not this model's where the condition does not hold.
typedef enum ct_condition_kind {
    CT_IS_ZERO, // but for rounding, in its unit
    CT_IS_POSITIVE,
    CT_IS_NEGATIVE,
    CT_IS_NOT_NEGATIVE,
    CT_IS_NOT_ZERO
} ct_condition_kind;
typedef struct ct_condition {
    ct_condition_kind kind;
    ct_ex value;      // in parameters
    int power;        // of a length: its unit
    const char *name; // where it stands: a joint, a motion, "mass of body a"
} ct_condition;

// The first formulation of a model, where it waits until its equations are needed. Expressions that
// come later depend on those before them in the pool: so it is made up for before anything else is
// formulated.
typedef struct ct_put_off {
    struct ct_system *system; // that waits; NULL: none, or it is freed
    bool owed;                // it was freed while it waited
    const char *rule;         // of its trees, as asked for
    size_t nodes;             // of the pool, once the model is read
} ct_put_off;

struct ct_model {
    ct_memory memory;
    ct_pool *pool;
    char *path, *name;
    ct_digest text_content; // of the text it was read from, with what overrides it
    ct_digest content;      // the same, with what inputs do to its initial position
    ct_digest file_content; // of the text alone
    char *text;             // that text, where --set changes something; else NULL
    size_t text_bytes;
    ct_digest structure; // of the text without values that are set: what expressions depend on
    ct_signals *signals; // what inputs follow in a run; NULL: all have their defaults
    const ct_parameter *named_parameters; // all of them, also where expressions hold their numbers
    int n_named_parameters;
    ct_put_off *put_off; // of its own: the model itself is constant
    ct_vec3 gravity;
    ct_ex time;      // the symbol t
    ct_body *bodies; // [0] is ground: its points are the hardpoints
    int n_bodies, room_bodies;
    ct_joint *joints;
    int n_joints, room_joints;
    int n_switched; // joints that come and go, behind the n_joints others
    ct_coordinate *coordinates;
    int n_coordinates, room_coordinates;
    ct_probe *probes;
    int n_probes, room_probes;
    ct_motion *motions;
    int n_motions, room_motions;
    ct_force *forces;
    int n_forces, room_forces;
    ct_drive *drives;
    int n_drives, room_drives;
    ct_input *inputs;
    int n_inputs, room_inputs;
    ct_parameter *parameters;
    int n_parameters, room_parameters;
    ct_output *outputs;
    int n_outputs, room_outputs;
    ct_start *initial, *guess;
    int n_initial, room_initial, n_guess, room_guess;
    const double
        *placed; // [6 n_bodies] where bodies start that no joint holds: place, then angles;
                 // NULL: with their frame on that of ground
    bool has_trees;
    ct_tree_entry *rotation, *translation;
    int n_rotation, room_rotation, n_translation, room_translation;
    ct_name_at *independent;
    int n_independent, room_independent;
    ct_settings settings;
    char *varying_table;      // the first table whose x parameters decide on one by one, or NULL
    ct_condition *conditions; // of reading; those of formulations stand there
    int n_conditions, room_conditions;
};

// Value of an expression in parameters alone (inputs at their defaults); NaN where anything else is
// left.
double ct_model_number(const ct_model *model, ct_ex a);
// Joints that come and go: number i of them; true if it holds in the initial position, as its rows do
// (that depends on time alone, and it is no joint that attaches where it is); true if its `active`
// depends on time, inputs and parameters alone.
const ct_joint *ct_switched_joint(const ct_model *model, int i);
bool ct_switched_at_start(const ct_model *model, const ct_joint *joint);
bool ct_switched_by_time(const ct_model *model, const ct_joint *joint);
// Fails, by name, for what has no joints that come and go: "kinematics".
ct_status ct_refuse_switched(ct_context *ctx, const ct_model *model, const char *what);
// Symbols of what such a joint keeps; returns how many.
enum { CT_KEPT_SYMBOLS = 13 };
int ct_switched_kept(const ct_joint *joint, ct_ex symbol[CT_KEPT_SYMBOLS]);
// Numbers for the symbols of the model: parameters, t = 0, inputs at the start.
void ct_model_numbers(const ct_model *model, ct_numbers *numbers);
// Sets values, rates and accelerations of all inputs, [n_inputs] each.
void ct_model_set_inputs(const ct_model *model, const double *u, ct_numbers *numbers);
// What time does to symbols: t' = 1, and inputs have rates.
void ct_derivation_map_time(ct_derivation *d, const ct_model *model);
// Returns true if an expression holds t or an input whose rate is known.
bool ct_depends_on_time(const ct_model *model, ct_pool *pool, ct_ex a);
// What a parameter is, exactly, in earlier ones: what --set says, else the file.
ct_ex ct_model_parameter(const ct_model *model, int i);
// Its place among parameters that are not derived; of a derived one among these.
int ct_model_parameter_place(const ct_model *model, int i);
int ct_model_free_parameters(const ct_model *model); // how many are not derived
// True if --set has changed the value of a parameter.
bool ct_model_is_varied(const ct_model *model);
// A fork of the model with the values of its file; NULL if these are not all there.
ct_model *ct_model_original(const ct_model *model);
// An expression that is zero where the condition holds.
ct_ex ct_condition_residual(ct_pool *pool, const ct_condition *condition);
// The same for moments of inertia that a body can have; CT_ZERO: no parameter decides.
ct_ex ct_inertia_residual(ct_pool *pool, const ct_body *body);
// pi, deg and mm. Returns false for other names.
bool ct_constant_by_name(ct_pool *pool, const char *name, ct_ex *value);
// The farthest joint point on any body, 1 where all are origins.
double ct_typical_length(const ct_model *model);
ct_ex ct_typical_length_symbolic(const ct_model *model);
// The largest distance along an axis between joints of one body, wherever the mechanism stands; 1
// where no body has two.
double ct_body_length(const ct_model *model);
ct_ex ct_body_length_symbolic(const ct_model *model);
// Coordinate by name, or -1.
int ct_model_coordinate(const ct_model *model, const char *name);
// True if the name may be that of a swing: two links or balls, "a.b", with a body before them where the
// body turns about both, or behind them where the links lead from one moving body to another. Whether
// they leave such an angle is seen where loops are closed.
bool ct_model_may_swing(const ct_model *model, const char *name);
int ct_model_body(const ct_model *model, const char *name);

// vectors and matrices of expressions -------------------------------------------------------------
ct_vec3 ct_vec3_zero(void);
bool ct_has_parameters(const ct_pool *pool, ct_vec3 v);
ct_mat3 ct_mat3_identity(void);

// A model that shares everything with another but its pool, which is a copy: what is built for it
// does not depend on what else was built. The other one must outlive it.
ct_model *ct_model_fork(const ct_model *model);
void ct_model_fork_free(ct_model *fork);
// A fork that starts elsewhere, at rest: with joint coordinates by name, [n_coordinates], and bodies
// that no joint holds, [6 n_bodies].
ct_model *ct_model_placed(const ct_model *model, const double *joint, const double *placed);

// Removes the parameters of a model whose expressions hold their numbers instead.
void ct_model_drop_parameters(ct_model *model);

#endif
