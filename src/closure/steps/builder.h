// Inside of the steps: the builder and what its files share.
#ifndef CT_STEPS_INSIDE_H
#define CT_STEPS_INSIDE_H

#include "closure/steps/steps.h"

// A vector between two points that a step leaves behind in the frame of the body that it placed:
// from a point of k to a point of that body. Its components there are by-products of the step.
typedef struct ct_seen {
    int body, k;
    ct_vec3 point, point_k;
    ct_vec3 v; // replaced
} ct_seen;

typedef struct ct_steps {
    ct_context *ctx;
    ct_closure *closure;
    const ct_formulation *f;
    const ct_flow *flow;
    ct_forms *forms;
    ct_pool *pool;
    ct_layout layout;
    const double *q0;
    int root; // first body of the group under way
    int group;
    bool torn;     // inside an iteration
    bool guided;   // a motion moves a point that the step meets
    ct_ex *solved; // forms whose pairs are set
    int n_solved, room_solved;
    ct_seen *seen;
    int n_seen, room_seen;
    int n_frozen;
    int kept; // step of angles that stay in the group under way, or -1
} ct_steps;

// v = rest + cosine C + sine S (slides: rest + C s), with C and S the values of one unknown.
typedef struct ct_affine {
    ct_vec3 rest, cosine, sine;
} ct_affine;

// expressions ------------------------------------------------------------------------------------
ct_ex ct_steps_replace(ct_steps *b, ct_ex a);
ct_vec3 ct_steps_vector(ct_steps *b, ct_vec3 v); // replaced
// Values as the sines, cosines and slides that they are.
ct_ex ct_steps_in_coordinates(ct_steps *b, ct_ex a);
// From point p of body a to point q of body b, seen in a frame, in coordinates.
ct_vec3 ct_steps_path(ct_steps *b, int from, ct_vec3 p, int to, ct_vec3 q, int frame);
// The same for equations that are differentiated: places of points on the way from the root are
// kept whole, so that the equations share their derivatives.
ct_vec3 ct_steps_between(ct_steps *b, int from, ct_vec3 p, int to, ct_vec3 q, int frame);
ct_affine ct_steps_affine(ct_steps *b, ct_vec3 v, const ct_unknown *u); // v is replaced
ct_ex ct_steps_length2(ct_steps *b, const ct_relation *r); // the squared distance that must hold
// The one sum of angles with q in it that a rotation holds; `alone`: it must hold no other.
bool ct_steps_form(ct_steps *b, ct_mat3 r, ct_ex q, bool alone, ct_ex *form);
ct_vec3 ct_steps_normal(ct_steps *b, const ct_relation *r, int frame); // of a plane
int ct_steps_coordinate(const ct_steps *b, int model_coordinate);
// Side of a joint (0: A, 1: B) that a body is, and the joint's connection.
const ct_connection *ct_steps_joint(const ct_steps *b, int joint);

// bookkeeping ------------------------------------------------------------------------------------
ct_segment *ct_steps_segment(ct_steps *b, ct_step_method method, int degree, int joint, int n,
                             const int *unknown, char *text);
// A further segment of the same step, for what needs the values set so far.
ct_segment *ct_steps_more(ct_steps *b);
void ct_steps_guard(ct_steps *b, ct_segment *s, ct_ex not_negative);
// Keeps a above 1e-12 of its scale, by which it is measured: 0 where branches meet.
void ct_steps_keep_clear(ct_steps *b, ct_segment *s, ct_ex a, ct_ex scale);
ct_ex ct_steps_sign(ct_steps *b, ct_ex of); // a new sign, that of an expression in values
// A factor that is not differentiated.
ct_ex ct_steps_frozen(ct_steps *b, ct_ex value);
ct_block *ct_steps_block(ct_steps *b, int n, const int *unknown, const ct_ex *psi);
// Has a segment set the pair of a sum of angles.
void ct_steps_set(ct_steps *b, ct_segment *s, ct_ex form, ct_ex cosine, ct_ex sine);
// The sum of products, multiplied out where that is cheaper (sines and cosines in coordinates then
// join); in values.
ct_ex ct_steps_dot(ct_steps *b, ct_vec3 a, ct_vec3 c);
// The root of what a guard keeps from becoming negative.
ct_ex ct_steps_root(ct_steps *b, ct_ex a);

// recipes ----------------------------------------------------------------------------------------
// a C + b S = c: the pair, by a square root whose sign is the present one.
ct_ex ct_steps_trig(ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex a, ct_ex bb, ct_ex c,
                    ct_ex *cosine, ct_ex *sine); // gives a S - b C
// The same without a root where the closure falls apart into components, with an equation
// (up to a constant) that stays regular where these cross; false where it does not.
bool ct_steps_component(ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex a, ct_ex bb, ct_ex c,
                        ct_ex *cosine, ct_ex *sine, ct_ex *psi);
// Does  off = 0  (of this size) hold wherever the bodies are? Guards that it still does, whatever
// the parameters are.
bool ct_steps_vanishes(ct_steps *b, ct_ex off, ct_ex size);
void ct_steps_watch(ct_steps *b, ct_segment *s, ct_ex off, ct_ex size);
// Where lengths make the equation of one known angle or slide factor (steps_factor.c).
bool ct_steps_factor(ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex a, ct_ex bb, ct_ex c,
                     ct_ex *cosine, ct_ex *sine, ct_ex *psi);
bool ct_steps_factor_slide(ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex h, ct_ex k,
                           ct_ex *value, ct_ex *psi);
// Guards a pivot that can vanish: its square, 1 where it is best.
void ct_steps_pivot(ct_steps *b, ct_segment *s, ct_ex square);
// Does a slide along this direction (replaced, in the frame) need both planes of a line, and its
// value from them; the equations for its rate and for what is left across it, in coordinates.
bool ct_steps_on_line(ct_steps *b, const ct_relation *r, int frame, ct_vec3 along);
ct_ex ct_steps_slide_on_line(ct_steps *b, ct_segment *s, const ct_relation *r, int frame,
                             ct_vec3 rest, ct_vec3 along);
ct_ex ct_steps_line_psi(ct_steps *b, const ct_relation *r, int frame, ct_ex slide);
ct_ex ct_steps_line_left(ct_steps *b, const ct_relation *r, int frame, ct_ex slide);
// Slide and angle of a cylindrical joint from a line: the point is at by_turn + slide along.
void ct_steps_cylinder_on_line(ct_steps *b, const ct_relation *r, ct_segment *s, int frame,
                               const ct_unknown *slide, const ct_unknown *turn,
                               const ct_affine *by_turn, ct_vec3 along);
// x^2 + 2 h x + k = 0
ct_ex ct_steps_square(ct_steps *b, ct_segment *s, ct_ex x, ct_ex h, ct_ex k);
void ct_steps_one(ct_steps *b, const ct_placement *p);
void ct_steps_relative(ct_steps *b, const ct_placement *p);
void ct_steps_cylinder(ct_steps *b, const ct_placement *p);
void ct_steps_screw(ct_steps *b, const ct_placement *p);
void ct_steps_direction(ct_steps *b, const ct_placement *p);
void ct_steps_frame(ct_steps *b, const ct_placement *p);
void ct_steps_kept(ct_steps *b, const ct_placement *p);
// Guards for what the angles that stay make superfluous, once the group is placed.
void ct_steps_watch_kept(ct_steps *b, int group);
void ct_steps_spheres(ct_steps *b, const ct_placement *p);
// x with x . u = ku, x . w = kw, |x|^2 = kx, on the side of the plane of u and w that the sign
// says.
ct_vec3 ct_steps_third(ct_steps *b, ct_segment *s, ct_vec3 u, ct_ex u2, ct_ex ku, ct_vec3 w,
                       ct_ex kw, ct_ex kx, ct_ex side);
// Pairs of the three angles of R = T1 T2 T3.
void ct_steps_three_angles(ct_steps *b, ct_segment *s, const ct_connection *c, ct_mat3 r,
                           const int *coordinate);
// Coordinates of joints that are not in the tree but named somewhere.
void ct_steps_auxiliary(ct_steps *b);
// Iterated coordinates with everything that hangs on them: placements first .. last - 1.
ct_status ct_steps_torn(ct_steps *b, int first, int last, bool *known);
void ct_steps_place(ct_steps *b, const ct_placement *p);
void ct_steps_mark(ct_steps *b, const ct_placement *p, bool *known); // its unknowns
// Everything that motions and laws give now.
void ct_steps_give(ct_steps *b, bool *known);
// Name of the joint or motion that a relation comes from.
const char *ct_steps_source(const ct_steps *b, const ct_relation *r);

// What a relation says, in coordinates: zero on the mechanism. `frame`: where to write it.
ct_ex ct_steps_psi(ct_steps *b, const ct_relation *r, int frame);

#endif
