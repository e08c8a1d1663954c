// Inside of the model reader: its state, and values, names and messages that its parts share.
#ifndef CT_READ_H
#define CT_READ_H

#include "model/model.h"
#include "model/yaml/yaml.h"

// Kinds of names that an expression may hold, as bits.
enum {
    CT_MAY_PARAMETER = 1 << CT_SYMBOL_PARAMETER,
    CT_MAY_INPUT = 1 << CT_SYMBOL_INPUT,
    CT_MAY_TIME = 1 << CT_SYMBOL_TIME,
    CT_MAY_COORDINATE = 1 << CT_SYMBOL_COORDINATE,
    CT_MAY_RATE = 1 << CT_SYMBOL_RATE, // velocities of points, too
    CT_MAY_PROBE = 1 << CT_SYMBOL_OTHER,
    CT_MAY_OUTPUT = 1 << (CT_SYMBOL_OTHER + 1), // what follows from forces and accelerations
    CT_CONSTANT = CT_MAY_PARAMETER,
    CT_OF_TIME = CT_MAY_PARAMETER | CT_MAY_INPUT | CT_MAY_TIME,
    CT_OF_POSITION = CT_OF_TIME | CT_MAY_COORDINATE | CT_MAY_PROBE,
    CT_OF_MOTION = CT_OF_POSITION | CT_MAY_RATE,
    CT_OF_OUTPUT = CT_OF_MOTION | CT_MAY_OUTPUT
};

typedef struct ct_reader {
    ct_context *ctx;
    ct_model *model;
    ct_pool *pool;
    ct_yaml_file *file;
    const ct_yaml *root;
    int n_set;
    const char *const *set;
    // names to indices
    ct_name_map bodies, joints, coordinates, parameters, inputs, tables, outputs, probes;
    ct_name_map points; // "body index.name" to the index among the body's points
    ct_name_map broken; // joints whose type is unknown: their coordinates are not missed
    ct_ex *failed; // symbols of parameters whose value is wrong: checks that need them are silent
    int n_failed, room_failed;
    bool loose; // a joint without its bodies: what hangs on what is not known
    // the expression being read
    unsigned allowed;
    const char *what;
    char owner[128]; // "body 'crank'": whose values are being read
    int parameter;   // item of `parameters:` being read, else -1
    ct_ex held;      // symbol that `held` is in the condition being read; else CT_ZERO
    int law;         // the force whose law is being read, by `extension` and `rate`; else -1
    ct_shown shown;
} ct_reader;

#define CT_FILE_BYTES_MAX (16 << 20)

// The keys of each map of a file are a list NAME_KEYS in this folder, from which the reader takes
// them; docs/language.md has a table for each, and a test compares the two.

// start and end of reading; the whole text of a file
void ct_reader_init(ct_reader *r, ct_model *model, const char *path);
void ct_reader_clear(ct_reader *r);
ct_status ct_read_file(ct_context *ctx, const char *path, ct_text *t);
void ct_read_head(ct_reader *r); // cotree, name, gravity

// messages: the owner's value, the nearest name
void ct_owner(ct_reader *r, const char *kind, const char *name);
bool ct_is_noisy(const ct_reader *r); // so many errors that nobody reads hints any more
const char *ct_of(ct_reader *r, const char *what); // "mass of body 'crank'"
// Notes what was decided on by the value of an expression, where parameters are in it.
void ct_note_condition(ct_reader *r, ct_condition_kind kind, ct_ex value, const char *what);
const char *ct_hint(ct_reader *r, const char *name, int n, const char *const *names);
const char *ct_hint_map(ct_reader *r, const char *name, const ct_name_map *map);
const char *ct_hint_or_list(ct_reader *r, const char *name, int n,
                            const char *const *names);              // " (known: ...)"
const char *ct_list(ct_reader *r, int n, const char *const *names); // "a, b, c"

// values; each says what is wrong and returns false (NULL), so that reading goes on
bool ct_read_map(ct_reader *r, const ct_yaml *node, const char *what);
bool ct_read_list(ct_reader *r, const ct_yaml *node, int n, const char *what,
                  const char *form); // n < 0: any
const char *ct_read_text(ct_reader *r, const ct_yaml *node, const char *what);
int ct_read_choice(ct_reader *r, const ct_yaml *node, const char *key, int n,
                   const char *const *names); // -1
// A value that must be there; NULL after a message.
const ct_yaml *ct_read_needed(ct_reader *r, const ct_yaml *map, const char *key);
bool ct_read_bool(ct_reader *r, const ct_yaml *node, const char *what, bool *value);
bool ct_has_control(const char *s);
bool ct_read_name(ct_reader *r, const ct_yaml *key, const char *what); // body, joint, ...
bool ct_read_identifier(ct_reader *r, const ct_yaml *key,
                        const char *what); // parameter, input, table
void ct_read_keys(ct_reader *r, const ct_yaml *map, const char *what, int n,
                  const char *const *keys);

// expressions
bool ct_read_expr(ct_reader *r, const ct_yaml *node, unsigned allowed, const char *what,
                  ct_ex *value);
bool ct_read_expr_text(ct_reader *r, const char *text, unsigned allowed, const char *what,
                       ct_ex *value, ct_parse_error *error);
bool ct_read_vector(ct_reader *r, const ct_yaml *node, unsigned allowed, const char *what,
                    ct_vec3 *v);
// Optional constant of a map; true where it was given and is right, with its number.
bool ct_read_constant(ct_reader *r, const ct_yaml *map, const char *key, ct_ex *value,
                      double *number);
bool ct_depends_on_failed(ct_reader *r, ct_ex a);

// points and directions
void ct_point_add(ct_reader *r, int body, ct_point point); // takes its name
bool ct_point_on(ct_reader *r, int body, const char *name, ct_vec3 *at);
// body.point, body, body.com; false fills `message`.
bool ct_point_named(ct_reader *r, const char *text, int *body, ct_vec3 *at, char *message,
                    size_t bytes);
bool ct_read_position(ct_reader *r, const ct_yaml *node, int body, const char *what, ct_vec3 *at);
bool ct_read_axis(ct_reader *r, const ct_yaml *node, int body, const char *what, ct_vec3 *axis);
void ct_read_at(ct_reader *r, const ct_yaml *node, ct_joint *joint);
void ct_read_orient(ct_reader *r, const ct_yaml *node, ct_mat3 orient[2]);
bool ct_number3(ct_reader *r, const ct_vec3 *v,
                double *number); // false where a number is not known

// references: index or -1 after a message (or silently, where an earlier message covers it)
int ct_read_body(ct_reader *r, const ct_yaml *node, const char *what);
int ct_read_coordinate(ct_reader *r, const ct_yaml *node, const char *what);
const char *ct_coordinate_list(ct_reader *r, int joint);
bool ct_is_broken(ct_reader *r, const char *coordinate);

// quantities that expressions measure
// True for a function of names: x(body.point), fz(tyre); is_output: it may stand in outputs only.
bool ct_is_quantity(const char *function, bool *is_velocity, bool *is_output);
// The probe of such a function, or -1, which fills `message`.
int ct_probe_get(ct_reader *r, const char *function, int n, const char *const *names, char *message,
                 size_t bytes);
// `kinetic` and `potential`; false for other names. The value is set where it may stand.
bool ct_energy_symbol(ct_reader *r, const char *name, ct_ex *value);
ct_ex ct_acceleration_symbol(ct_reader *r, int coordinate); // J''
// The symbol of what a force has a name for in its own law.
ct_ex ct_law_symbol(ct_reader *r, int force, ct_probe_kind kind);

// sections of the file, in the order in which they are read
void ct_read_parameters(ct_reader *r);
void ct_read_inputs(ct_reader *r);
void ct_read_tables(ct_reader *r);
void ct_read_points(ct_reader *r);
void ct_read_bodies(ct_reader *r);
void ct_read_ground_shapes(ct_reader *r); // `shape:` at the top
void ct_read_shapes(ct_reader *r, const ct_yaml *node, int body);
bool ct_read_sequence(ct_reader *r, const ct_yaml *node, int *sequence); // of three angles, as zyx
void ct_read_joints(ct_reader *r);
void ct_read_couplings(ct_reader *r); // gear, rack, constraint: they need all coordinates
void ct_read_forces(ct_reader *r);
void ct_read_tyre(ct_reader *r, const ct_yaml *map, ct_force *force);
void ct_read_bushing(ct_reader *r, const ct_yaml *map, ct_force *force);
void ct_read_contact(ct_reader *r, const ct_yaml *map, ct_force *force);
void ct_read_friction(ct_reader *r, const ct_yaml *map, ct_force *force);
void ct_read_limit(ct_reader *r, const ct_yaml *map, ct_force *force);
void ct_read_drag(ct_reader *r, const ct_yaml *map, ct_force *force);
// Parts that readers of forces share: an optional number, points of two bodies, a body or a point
// of it (its centre of mass where none is named), a coordinate.
bool ct_read_number(ct_reader *r, const ct_yaml *map, const char *key, ct_ex *value);
void ct_read_between(ct_reader *r, const ct_yaml *map, ct_force *force);
void ct_read_on(ct_reader *r, const ct_yaml *map, ct_force *force);
void ct_read_on_coordinate(ct_reader *r, const ct_yaml *map, ct_force *force);
void ct_read_motions(ct_reader *r);
void ct_read_drives(ct_reader *r);
bool ct_is_drive(const ct_reader *r, const char *name); // the list names it; before it is read, too
void ct_read_input_rates(ct_reader *r); // of inputs that motions, constraints and roads use
void ct_read_starts(ct_reader *r);
void ct_read_outputs(ct_reader *r);
void ct_read_trees(ct_reader *r);
void ct_read_simulate(ct_reader *r);
void ct_check_reach(ct_reader *r);
void ct_check_inertia(ct_reader *r, const ct_yaml *node, int n, const double *inertia);

#endif
