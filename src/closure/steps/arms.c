// Arms: vectors of a body that must point along a given way. Equations across an arm for the rates,
// and the arm to a point on a line of the body.
#include "closure/steps/arms.h"
#include "closure/tolerances.h"
#include "formulate/whole_rotation.h"

#include <math.h>

// equations across an arm ------------------------------------------------------------------------
// True if the vector depends on an angle.
static bool swings(const ct_step_builder *build, ct_vec3 v) {
    for (int k = 0; k < 3 * build->f->n; k++)
        if (build->f->is_angle[k / 3] && ct_depends(build->pool, v.v[k % 3], build->f->q[k / 3]))
            return true;
    return false;
}

// Two directions in the child across the vector r. second: a vector that r is never parallel to,
// for vectors that swing in the child (known joints lie between).
static void across_both(const ct_step_builder *build, ct_vec3 r, const double *r0,
                        const ct_vec3 *second, ct_vec3 *t1, ct_vec3 *t2) {
    // an arm along an axis of the child: the other two axes
    int zeros = 0, axis[3] = {0};
    for (int i = 0; i < 3; i++)
        if (r.v[i] == CT_ZERO) axis[zeros++] = i;
    if (zeros == 2) {
        *t1 = ct_vec_unit(axis[0]);
        *t2 = ct_vec_unit(axis[1]);
        return;
    }
    // else cross products, first with the axis that the arm is farthest from
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(r0[i]) < fabs(r0[least])) least = i;
    *t1 = ct_steps_cross(build, r, second && swings(build, r) ? *second : ct_vec_unit(least));
    *t2 = ct_steps_cross(build, r, *t1);
}

static void numbers_of(const ct_step_builder *build, ct_vec3 v, double *out) {
    ct_numbers x;
    ct_model_numbers(build->f->model, &x);
    ct_position_set(build->f, &x, build->q0);
    for (int i = 0; i < 3; i++) v.v[i] = ct_values_in_angles(build->values, v.v[i]);
    ct_numbers_eval(&x, 3, v.v, out);
    ct_numbers_clear(&x);
}

// Where the gap is zero a change of the directions does not matter.
void ct_steps_across(const ct_step_builder *build, const ct_placement *p, const ct_relation *r,
                     ct_vec3 arm, ct_vec3 way, const ct_vec3 *second, ct_ex *psi) {
    // two directions across the arm
    ct_vec3 t[2];
    double r0[3];
    numbers_of(build, arm, r0);
    across_both(build, arm, r0, second, t, t + 1);
    // a direction: its components, seen in the child
    if (r->kind != CT_RELATION_POINT) {
        ct_vec3 seen = ct_turn(build->layout, way, p->parent, p->child);
        for (int i = 0; i < 2; i++) psi[i] = ct_steps_dot(build, t[i], seen);
        return;
    }
    // a point: components of the gap
    ct_vec3 gap = ct_steps_between(build, r->k, r->point_k, r->x, r->point_x, build->root);
    for (int i = 0; i < 2; i++) {
        ct_vec3 along = ct_turn(build->layout, t[i], p->child, build->root);
        for (int k = 0; k < 3; k++) along.v[k] = ct_steps_frozen(build, along.v[k]);
        psi[i] = ct_steps_dot(build, along, gap);
    }
}

// a line of the child ------------------------------------------------------------------------------
// With the line a + s u in the child, a and u from the centre,
//   |a + s u| = |w|,   s^2 + 2 (a . u) s + |a|^2 - |w|^2 = 0.
ct_vec3 ct_steps_arm_on_line(const ct_step_builder *build, ct_segment *seg, const ct_placement *p,
                             const ct_relation *r, int frame, ct_vec3 arm, ct_vec3 way) {
    ct_pool *pool = build->pool;
    ct_vec3 n = ct_turn(build->layout, r->axis_x, r->x, p->child),
            mate = ct_turn(build->layout, r->mate, r->x, p->child);
    // the planes may lie beside the point: n . (p_x - p_k) = value
    ct_vec3 a = ct_vec_sub(pool, arm, ct_steps_scale(build, r->value, n));
    a = ct_steps_vector(build, ct_vec_sub(pool, a, ct_steps_scale(build, r->mate_value, mate)));
    ct_vec3 u = ct_steps_let(build, ct_steps_vector(build, ct_steps_cross(build, n, mate)));
    ct_ex h = ct_steps_dot(build, a, u), w2 = ct_let(pool, ct_steps_dot(build, way, way));
    // s + h = u . R^T w at present
    ct_mat3 turn = ct_steps_replace_matrix(build, ct_rotation(build->layout, frame, p->child));
    ct_ex now = ct_sub(pool, ct_steps_dot(build, ct_mat_vec(pool, turn, u), way), h);
    ct_ex along = ct_steps_square(build, seg, now, h, ct_sub(pool, ct_steps_dot(build, a, a), w2));
    return ct_steps_let(build, ct_vec_add(pool, a, ct_steps_scale(build, ct_let(pool, along), u)));
}

void ct_steps_line_rows(const ct_step_builder *build, const ct_relation *r, int frame, ct_ex *psi) {
    ct_relation mate = ct_relation_mate(r);
    psi[0] = ct_steps_psi(build, r, frame);
    psi[1] = ct_steps_psi(build, &mate, frame);
}
