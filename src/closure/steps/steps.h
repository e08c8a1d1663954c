// Steps: the closed form of one placement of a flow. A recipe finds the unknowns of the placement
// and gives the equations that their rates follow from. All recipes work on one builder.
#ifndef CT_STEPS_H
#define CT_STEPS_H

#include "closure/flow/flow.h"
#include "closure/relations/relation.h"
#include "closure/steps/univariate.h"
#include "closure/tolerances.h"
#include "closure/values/values.h"
#include "formulate/layout.h"
#include "numeric/numbers.h"

// A vector between two points that a step leaves behind in the frame of the body that it placed:
// from a point of k to a point of that body. Its components there are by-products of the step.
typedef struct ct_seen {
    int body, k;
    ct_vec3 point, point_k;
    ct_vec3 v; // in values
} ct_seen;

typedef struct ct_step_notes { // what steps leave behind for later ones
    ct_ex *solved;             // sums of angles whose pairs are set
    int n_solved, room_solved;
    ct_seen *seen;
    int n_seen, room_seen;
    int n_frozen;
} ct_step_notes;

// The builder: a description that no step changes, with the results that all of them fill in. Every
// group of loops has its own.
typedef struct ct_step_builder {
    const ct_formulation *f;
    ct_pool *pool; // of f
    ct_layout *layout;
    const double *q0; // initial position
    double length;    // typical
    ct_closure *closure;
    ct_program *program; // takes the segments of steps: positions, or a torn group's own list
    ct_values *values;
    ct_step_notes *notes;
    int root;      // first body of the group of loops
    bool iterated; // the steps stand inside an iteration
} ct_step_builder;

// recipes ----------------------------------------------------------------------------------------
// Coordinates along and about one axis: ONE, RELATIVE, CYLINDER, SCREW.
void ct_steps_one_axis(const ct_step_builder *build, const ct_placement *p);
// Two angles of one joint: DIRECTION.
void ct_steps_direction(const ct_step_builder *build, const ct_placement *p);
// Three angles of one joint, or all coordinates of a body: FRAME, POSE.
void ct_steps_orientation(const ct_step_builder *build, const ct_placement *p);
// Slides, and one angle, of a body with points in planes: PLANES.
void ct_steps_planes(const ct_step_builder *build, const ct_placement *p);
// A body that keeps its orientation, or whose orientation is known: KEPT, SPHERES.
void ct_steps_translating(const ct_step_builder *build, const ct_placement *p);
// Guards for what bodies that keep their orientation make superfluous, once all placements of a group
// are made; step: that of the angles of such a body, or negative where there is none.
void ct_steps_watch_group(const ct_step_builder *build, const ct_flow *flow, int group, int step);

// expressions ------------------------------------------------------------------------------------
// An expression with values in the place of coordinates.
ct_ex ct_steps_replace(const ct_step_builder *build, ct_ex a);
// From point p of body `from` to point q of body `to`, seen in a frame, in coordinates.
ct_vec3 ct_steps_path(const ct_step_builder *build, int from, ct_vec3 p, int to, ct_vec3 q,
                      int frame);
// The vectors of a vector relation R arm = way, both from the centre of the placement's joint; arm
// in the frame of the child, way in `frame`.
void ct_steps_vectors(const ct_step_builder *build, const ct_placement *p, const ct_relation *r,
                      int frame, ct_vec3 *arm, ct_vec3 *way);
// Place in f->q of a coordinate of the model or of a body, -1: it is not there.
int ct_steps_coordinate(const ct_step_builder *build, int model_coordinate);
const ct_connection *ct_steps_joint(const ct_step_builder *build, int joint);
// Residual of a relation in coordinates, written in a frame: zero on the mechanism.
ct_ex ct_steps_psi(const ct_step_builder *build, const ct_relation *r, int frame);
// True if psi = 0 wherever the bodies are, whether the loops are closed or not.
bool ct_steps_is_identity(const ct_step_builder *build, ct_ex psi);
// Numbers at the initial position for coordinates, values, tracked numbers and signs.
void ct_steps_numbers(const ct_step_builder *build, ct_numbers *numbers);

// bookkeeping ------------------------------------------------------------------------------------
// Adds a step and its first segment; text is owned by the step.
ct_segment *ct_steps_segment(const ct_step_builder *build, ct_step_method method, int degree,
                             int joint, int n, const int *unknown, char *text);
// A step without a segment, with the names of its unknowns (coordinates). Returns its number.
int ct_steps_add(ct_closure *c, ct_step step, const int *unknown);
// A further segment of the last step: its expressions may use values that the step has set.
ct_segment *ct_steps_more(const ct_step_builder *build);
// Guards that an expression is not negative, without a measure for it.
void ct_steps_guard(ct_segment *seg, ct_ex not_negative);
// Equations psi for the rates of the last step's unknowns.
ct_rate_block *ct_steps_rate_block(const ct_step_builder *build, int n, const int *unknown,
                                   const ct_ex *psi);
// Writes the pair of an angle sum into a segment, and notes that it is set.
void ct_steps_set(const ct_step_builder *build, ct_segment *seg, ct_ex angle_sum, ct_ex cosine,
                  ct_ex sine);
// Notes that the pair of an angle sum is set.
void ct_steps_solved(const ct_step_builder *build, ct_ex angle_sum);

// quadratic equations ----------------------------------------------------------------------------
// Solves a C + b S = c by a square root, with the sign of the initial position. Returns a S - b C.
ct_ex ct_steps_trig(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u, ct_ex a,
                    ct_ex b, ct_ex c, ct_ex *cosine, ct_ex *sine);
// Guards that a stays above 10^CT_GUARD_LIMIT scale; a / scale is 0 where two branches meet.
static inline void ct_steps_keep_clear(const ct_step_builder *build, ct_segment *seg, ct_ex a,
                                       ct_ex scale) {
    ct_ex tiny = ct_power_int(build->pool, ct_int(build->pool, 10), CT_GUARD_LIMIT);
    ct_segment_guard(seg, ct_sub(build->pool, a, ct_mul(build->pool, tiny, scale)), seg->step,
                     scale);
}
// Solves x^2 + 2 h x + k = 0, with the sign of x + h at the initial position.
ct_ex ct_steps_square(const ct_step_builder *build, ct_segment *seg, ct_ex x, ct_ex h, ct_ex k);
// Pairs of the three angles of R = T1 T2 T3.
void ct_steps_three_angles(const ct_step_builder *build, ct_segment *seg, const ct_connection *c,
                           ct_mat3 r, const int *coordinate);

// polynomials ------------------------------------------------------------------------------------
// Reads an expression in values as a polynomial in an unknown. Returns false if it is none, or of
// too high a degree.
bool ct_steps_polynomial(const ct_step_builder *build, ct_ex a, const ct_unknown *u,
                         ct_univariate *p);
// Drops coefficients that cancel identically.
void ct_steps_trim(const ct_step_builder *build, const ct_unknown *u, ct_univariate *p);

#endif
