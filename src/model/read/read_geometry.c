// Directions and frames of joints: `axis` and `axes` as unit vectors, `at`, `orient`.
#include "model/read/read.h"
#include "model/tolerances.h"

#include <math.h>
#include <string.h>

bool ct_number3(ct_reader *r, const ct_vec3 *v, double *number) {
    bool known = true;
    for (int i = 0; i < 3; i++) {
        number[i] = ct_model_number(r->model, v->v[i]);
        known &= isfinite(number[i]);
    }
    return known;
}

// a / |a|; exact where the length is, and without a root along a single axis.
static bool normalise(ct_reader *r, ct_vec3 *a, double scale, const char *what) {
    double n[3];
    int nonzero = 0, last = 0;
    ct_ex square[3];
    if (!ct_number3(r, a, n)) return true; // an earlier message covers it
    if (!(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) > CT_AXIS_LENGTH * scale)) return false;
    for (int i = 0; i < 3; i++) {
        square[i] = ct_power_int(r->pool, a->v[i], 2);
        if (a->v[i] != CT_ZERO) nonzero++, last = i;
    }
    if (nonzero == 1) {
        ct_note_condition(r, n[last] < 0 ? CT_IS_NEGATIVE : CT_IS_POSITIVE, a->v[last], what);
        a->v[last] = ct_int(r->pool, n[last] < 0 ? -1 : 1);
        return true;
    }
    ct_ex length = ct_sqrt(r->pool, ct_sum(r->pool, 3, square));
    ct_note_condition(r, CT_IS_POSITIVE, length, what);
    for (int i = 0; i < 3 && length != CT_ONE; i++) a->v[i] = ct_div(r->pool, a->v[i], length);
    return true;
}

// An axis by name: x, y, z, +x, -x, ...
static bool named_axis(ct_reader *r, const char *text, ct_vec3 *axis) {
    int sign = *text == '-' ? -1 : 1;
    text += *text == '-' || *text == '+';
    if (strlen(text) != 1 || *text < 'x' || *text > 'z') return false;
    axis->v[*text - 'x'] = ct_int(r->pool, sign);
    return true;
}

static double largest(const double *a) {
    return fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
}

bool ct_read_axis(ct_reader *r, const ct_yaml *node, int body, const char *what, ct_vec3 *axis) {
    double scale = 1, number[3];
    ct_vec3 end[2];
    *axis = ct_vec3_zero();
    // x, y, z with or without a sign
    if (node->kind == CT_YAML_SCALAR) {
        if (named_axis(r, node->text, axis)) return true;
        ct_error_at(r->ctx, node->place,
                    "%s: '%s' is no direction: write x, y, z, [x, y, z] or [P, Q]", what,
                    ct_show(&r->shown, node->text));
        return false;
    }
    // from a point to another, Q - P; rounding is relative to their coordinates
    if (node->kind == CT_YAML_LIST && node->n == 2) {
        scale = 0;
        for (int k = 0; k < 2; k++) {
            if (!ct_read_position(r, node->item[k], body, what, &end[k])) return false;
            if (ct_number3(r, &end[k], number)) scale = fmax(scale, largest(number));
        }
        if (body < 0) return false;
        for (int i = 0; i < 3; i++) axis->v[i] = ct_sub(r->pool, end[1].v[i], end[0].v[i]);
    } else if (!ct_read_vector(r, node, CT_CONSTANT, what, axis)) {
        return false;
    }
    // a / |a|
    if (normalise(r, axis, scale, what)) return true;
    ct_error_at(r->ctx, node->place, "%s has length zero: it needs a direction", what);
    return false;
}

// `at`: one position for both bodies, or [inA, inB].
void ct_read_at(ct_reader *r, const ct_yaml *node, ct_joint *joint) {
    const char *what = ct_of(r, "'at'");
    bool pair = node->kind == CT_YAML_LIST && node->n == 2;
    if (node->kind == CT_YAML_LIST && !pair && node->n != 3) {
        ct_error_at(
            r->ctx, node->place,
            "%s must be a point, [x, y, z], or a pair [in A, in B] of these, not a list of %d",
            what, node->n);
        return;
    }
    for (int k = 0; k < 2; k++)
        if (!ct_read_position(r, pair ? node->item[k] : node, joint->body[k], what,
                              &joint->at[k]) &&
            !pair)
            return;
}

static ct_mat3 product(ct_pool *pool, const ct_mat3 *a, const ct_mat3 *b) {
    ct_mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ct_ex terms[3];
            for (int k = 0; k < 3; k++) terms[k] = ct_mul(pool, a->a[i][k], b->a[k][j]);
            c.a[i][j] = ct_sum(pool, 3, terms);
        }
    return c;
}

// Rotation matrix about x, y or z.
static ct_mat3 turn(ct_pool *pool, int axis, ct_ex angle) {
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    ct_mat3 m = ct_mat3_identity();
    m.a[i][i] = m.a[j][j] = ct_cos(pool, angle);
    m.a[j][i] = ct_sin(pool, angle);
    m.a[i][j] = ct_neg(pool, m.a[j][i]);
    return m;
}

// `orient`: Rz(yaw) Ry(pitch) Rx(roll), one for both bodies or [inA, inB].
void ct_read_orient(ct_reader *r, const ct_yaml *node, ct_mat3 orient[2]) {
    const char *what = ct_of(r, "orient");
    bool pair = node->kind == CT_YAML_LIST && node->n == 2;
    for (int k = 0; k < 2; k++) {
        const ct_yaml *angles = pair ? node->item[k] : node;
        ct_vec3 a = ct_vec3_zero();
        bool ok = ct_read_list(r, angles, 3, what, "[roll, pitch, yaw]") &&
                  ct_read_vector(r, angles, CT_CONSTANT, what, &a);
        if (!ok && !pair) return;
        ct_mat3 x = turn(r->pool, 0, a.v[0]), y = turn(r->pool, 1, a.v[1]),
                z = turn(r->pool, 2, a.v[2]);
        ct_mat3 yx = product(r->pool, &y, &x);
        orient[k] = product(r->pool, &z, &yx);
    }
}
