// Private to steps: expressions, bookkeeping and equations that the recipes share.
#ifndef CT_STEPS_INSIDE_H
#define CT_STEPS_INSIDE_H

#include "closure/steps/steps.h"

// v = rest + cosine C + sine S (slides: rest + C s), with C and S the values of one unknown.
typedef struct ct_affine {
    ct_vec3 rest, cosine, sine;
} ct_affine;

// expressions ------------------------------------------------------------------------------------
ct_vec3 ct_steps_vector(const ct_step_builder *build, ct_vec3 v); // in values
// A path for equations that are differentiated: the places of both points from the root are opaque
// nodes (ct_let), so that the equations share their derivatives.
ct_vec3 ct_steps_between(const ct_step_builder *build, int from, ct_vec3 p, int to, ct_vec3 q,
                         int frame);
ct_affine ct_steps_affine(const ct_step_builder *build, ct_vec3 v,
                          const ct_unknown *u); // v is replaced
ct_ex ct_steps_length2(const ct_step_builder *build,
                       const ct_relation *r); // the squared distance that must hold
// The value of a plane, in coordinates.
static inline ct_ex ct_steps_plane_value(const ct_step_builder *build, const ct_relation *r) {
    if (r->kind != CT_RELATION_PLANE_X || r->via[0] < 0) return r->value;
    ct_vec3 d = ct_steps_path(build, r->via[1], r->via_at[1], r->via[0], r->via_at[0], r->via[0]);
    return ct_vec_dot(build->pool, r->axis_k, d);
}
// The angle sum with q in it that a rotation holds. Returns false if there is none or more than
// one; alone: also if the rotation holds any other angle.
bool ct_steps_angle_sum(const ct_step_builder *build, ct_mat3 r, ct_ex q, bool alone,
                        ct_ex *angle_sum);
ct_vec3 ct_steps_normal(const ct_step_builder *build, const ct_relation *r,
                        int frame); // of a plane
// Name of the joint or motion that a relation comes from.
const char *ct_steps_source(const ct_step_builder *build, const ct_relation *r);

// bookkeeping ------------------------------------------------------------------------------------
ct_ex ct_steps_sign(const ct_step_builder *build,
                    ct_ex of); // a new sign, that of an expression in values
// A symbol for a factor that rates take as a constant.
ct_ex ct_steps_frozen(const ct_step_builder *build, ct_ex value);

// quadratic equations ----------------------------------------------------------------------------
// Guards the square of a pivot, which is 1 at best; one of parameters alone needs no guard.
void ct_steps_pivot(const ct_step_builder *build, ct_segment *seg, ct_ex square);
// x with x . u = ku, x . w = kw, |x|^2 = kx, on the side of the plane of u and w that the sign
// `side` says; u2 = |u|^2.
ct_vec3 ct_steps_third(const ct_step_builder *build, ct_segment *seg, ct_vec3 u, ct_ex u2, ct_ex ku,
                       ct_vec3 w, ct_ex kw, ct_ex kx, ct_ex side);

// identities -------------------------------------------------------------------------------------
// Returns true if  a C + b S = c  holds with this pair at random positions and times.
bool ct_steps_holds(const ct_step_builder *build, ct_ex a, ct_ex b, ct_ex c, ct_ex cosine,
                    ct_ex sine);
// A power of ten near the typical length of the mechanism.
ct_ex ct_steps_length(const ct_step_builder *build);
// Guards that the identity  off = 0  still holds when parameters change; size: its measure.
void ct_steps_watch(const ct_step_builder *build, ct_segment *seg, ct_ex off, ct_ex size);
// Angle sums of the values that n expressions hold, zero for a slide. Returns their number.
int ct_steps_angle_sums_in(const ct_step_builder *build, int n, const ct_ex *a, ct_ex **angle_sums);

// closures that fall apart -----------------------------------------------------------------------
// Solves  a C + b S = c  along one component of a closure that falls apart, with an equation psi
// (up to a constant) that stays regular where components cross. Returns false if the closure does
// not fall apart.
bool ct_steps_component(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u, ct_ex a,
                        ct_ex b, ct_ex c, ct_ex *cosine, ct_ex *sine, ct_ex *psi);
// The same where the lengths make the equation factor; it depends on one known angle or slide.
bool ct_steps_factor(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u, ct_ex a,
                     ct_ex b, ct_ex c, ct_ex *cosine, ct_ex *sine, ct_ex *psi);
bool ct_steps_factor_slide(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u,
                           ct_ex h, ct_ex k, ct_ex *value, ct_ex *psi);

// points on lines --------------------------------------------------------------------------------
// The slide of v = rest + cosine s from both planes of a line, with the equation for its rate.
// Returns false if one plane is enough, or the relation is no line.
bool ct_steps_slide_on_line(const ct_step_builder *build, ct_segment *seg, const ct_relation *r,
                            int frame, const ct_unknown *slide, const ct_affine *v);
// Slide and angle of a cylindrical joint from a line: the point is at by_turn + slide along.
void ct_steps_cylinder_on_line(const ct_step_builder *build, const ct_relation *r, ct_segment *seg,
                               int frame, const ct_unknown *slide, const ct_unknown *turn,
                               const ct_affine *by_turn, ct_vec3 along);

// vectors and matrices of the steps ----------------------------------------------------------------
static inline ct_ex ct_steps_dot(const ct_step_builder *build, ct_vec3 a, ct_vec3 c) {
    return ct_vec_dot(build->pool, a, c);
}
static inline ct_vec3 ct_steps_cross(const ct_step_builder *build, ct_vec3 a, ct_vec3 c) {
    return ct_vec_cross(build->pool, a, c);
}
static inline ct_vec3 ct_steps_let(const ct_step_builder *build, ct_vec3 a) {
    return ct_vec_let(build->pool, a);
}
static inline ct_vec3 ct_steps_scale(const ct_step_builder *build, ct_ex k, ct_vec3 a) {
    return ct_vec_scale(build->pool, k, a);
}
// Entries in values.
ct_mat3 ct_steps_replace_matrix(const ct_step_builder *build, ct_mat3 m);

#endif
