// Rational unit vectors. An axis such as (1, 2, 3)/sqrt(14) with rounded components is no unit
// vector: the rotation about it is no rotation, and solutions at infinity become finite. Instead
// the vector is projected from a pole of the sphere, rounded there, and projected back:
//   u = a_i / (1 + a_k),  v = a_j / (1 + a_k)  ->  a = (2 u, 2 v, 1 - u^2 - v^2) / (1 + u^2 + v^2).
// A direction perpendicular to one that has its vector already is rounded on that circle.
#include "configurations/loops/directions.h"

#include <stdlib.h>
#include <string.h>

enum {
    BITS = 256,
    EQUAL_BITS = 96 // numbers that agree in so many bits after the point count as equal
};

// vectors -----------------------------------------------------------------------------------------
static void vector_init(fmpq *a) {
    for (int i = 0; i < 3; i++) fmpq_init(a + i);
}

static void vector_clear(fmpq *a) {
    for (int i = 0; i < 3; i++) fmpq_clear(a + i);
}

static void dot(fmpq_t out, const fmpq *a, const fmpq *b) {
    fmpq_mul(out, a, b);
    for (int i = 1; i < 3; i++) fmpq_addmul(out, a + i, b + i);
}

static void cross(fmpq *out, const fmpq *a, const fmpq *b) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        fmpq_mul(out + i, a + j, b + k);
        fmpq_submul(out + i, a + k, b + j);
    }
}

static void real_dot(arb_t out, const arb_struct *a, const arb_struct *b) {
    arb_mul(out, a, b, BITS);
    for (int i = 1; i < 3; i++) arb_addmul(out, a + i, b + i, BITS);
}

static void mixed_dot(arb_t out, const arb_struct *a, const fmpq *b) {
    arb_t x;
    arb_init(x);
    arb_zero(out);
    for (int i = 0; i < 3; i++) {
        arb_set_fmpq(x, b + i, BITS);
        arb_addmul(out, a + i, x, BITS);
    }
    arb_clear(x);
}

// |a - value| < 2^-EQUAL_BITS
static bool is_about(const arb_t a, slong value) {
    arb_t d;
    arb_init(d);
    arb_sub_si(d, a, value, BITS);
    bool zero = arf_is_zero(arb_midref(d)) || arf_cmpabs_2exp_si(arb_midref(d), -EQUAL_BITS) < 0;
    arb_clear(d);
    return zero;
}

// unit vectors ------------------------------------------------------------------------------------
// By projection from the pole that is farthest from a; a and -a give opposite vectors.
static bool from_sphere(const ct_directions *d, fmpq *out, const arb_struct *a) {
    // the largest component, the first one among equals
    arb_t x, size;
    arb_init(x);
    arb_init(size);
    int k = 0;
    for (int i = 1; i < 3; i++) {
        arb_abs(x, a + i);
        arb_abs(size, a + k);
        arb_sub(x, x, size, BITS);
        if (arb_is_positive(x) && !is_about(x, 0)) k = i;
    }
    bool minus = arb_is_negative(a + k), ok = true;
    // u, v as fractions
    fmpq_t sum, one;
    fmpq_init(sum);
    fmpq_init(one);
    arb_abs(size, a + k);
    arb_add_si(size, size, 1, BITS);
    for (int i = 0; i < 3 && ok; i++) {
        if (i == k) continue;
        arb_div(x, a + i, size, BITS);
        bool below = arf_sgn(arb_midref(x)) < 0;
        if (below) arb_neg(x, x);
        ok = ct_rational_near(d->constants, out + i, x);
        if (below) fmpq_neg(out + i, out + i);
        fmpq_addmul(sum, out + i, out + i);
    }
    // (2 u, 2 v, 1 - u^2 - v^2) / (1 + u^2 + v^2)
    fmpq_one(one);
    fmpq_sub(out + k, one, sum);
    if (minus) fmpq_neg(out + k, out + k);
    fmpq_add(sum, one, sum);
    for (int i = 0; i < 3 && ok; i++) {
        if (i != k) fmpq_add(out + i, out + i, out + i);
        fmpq_div(out + i, out + i, sum);
    }
    fmpq_clear(sum);
    fmpq_clear(one);
    arb_clear(x);
    arb_clear(size);
    return ok;
}

// Two rational unit vectors that complete u: images of two coordinate axes under the reflection
// that takes the third one, e_k, to u or -u:  e - 2 w (w.e)/(w.w),  w = u +- e_k.
static void normals(const fmpq *u, fmpq *n1, fmpq *n2) {
    fmpq w[3], *n[2] = {n1, n2};
    fmpq_t square, c;
    vector_init(w);
    fmpq_init(square);
    fmpq_init(c);
    // w.w is largest for the largest component and its own sign
    int k = 0;
    for (int i = 0; i < 3; i++) {
        fmpq_abs(square, u + i);
        fmpq_abs(c, u + k);
        if (fmpq_cmp(square, c) > 0) k = i;
        fmpq_set(w + i, u + i);
    }
    if (fmpq_sgn(u + k) < 0)
        fmpq_sub_si(w + k, w + k, 1);
    else
        fmpq_add_si(w + k, w + k, 1);
    dot(square, w, w);
    // images of the other two axes
    for (int m = 0; m < 2; m++) {
        int e = (k + 1 + m) % 3;
        fmpq_div(c, w + e, square);
        fmpq_add(c, c, c);
        for (int i = 0; i < 3; i++) {
            fmpq_set_si(n[m] + i, i == e, 1);
            fmpq_submul(n[m] + i, c, w + i);
        }
    }
    vector_clear(w);
    fmpq_clear(square);
    fmpq_clear(c);
}

// On the circle perpendicular to u:  a = cos n1 + sin n2.
static bool from_circle(const ct_directions *d, fmpq *out, const arb_struct *a, const fmpq *u) {
    fmpq n1[3], n2[3];
    fmpq_t c, s;
    arb_t x, y;
    vector_init(n1);
    vector_init(n2);
    fmpq_init(c);
    fmpq_init(s);
    arb_init(x);
    arb_init(y);
    // the angle of a in the frame n1, n2
    normals(u, n1, n2);
    mixed_dot(x, a, n1);
    mixed_dot(y, a, n2);
    arb_atan2(x, y, x, BITS);
    // its point of the circle
    bool ok = ct_rational_point(d->constants, x, c, s);
    for (int i = 0; i < 3 && ok; i++) {
        fmpq_mul(out + i, c, n1 + i);
        fmpq_addmul(out + i, s, n2 + i);
    }
    vector_clear(n1);
    vector_clear(n2);
    fmpq_clear(c);
    fmpq_clear(s);
    arb_clear(x);
    arb_clear(y);
    return ok;
}

// relations ---------------------------------------------------------------------------------------
static bool is_perpendicular(const arb_struct *a, const arb_struct *b) {
    arb_t d;
    arb_init(d);
    real_dot(d, a, b);
    bool yes = is_about(d, 0);
    arb_clear(d);
    return yes;
}

// Parallel to a direction of the list: the same vector, or its opposite.
static bool from_parallel(const ct_directions *d, fmpq *out, const arb_struct *a) {
    arb_t product;
    arb_init(product);
    bool found = false;
    for (int i = 0; i < d->n && !found; i++) {
        real_dot(product, a, d->item[i].real);
        bool same = is_about(product, 1), opposite = is_about(product, -1);
        found = same || opposite;
        for (int k = 0; k < 3 && found; k++) {
            fmpq_set(out + k, d->item[i].exact + k);
            if (opposite) fmpq_neg(out + k, out + k);
        }
    }
    arb_clear(product);
    return found;
}

// Perpendicular to two directions that are perpendicular to each other: their cross product.
static bool from_pair(const ct_directions *d, fmpq *out, const arb_struct *a) {
    fmpq_t product;
    arb_t side;
    fmpq_init(product);
    arb_init(side);
    bool found = false;
    for (int i = 0; i < d->n && !found; i++)
        for (int j = 0; j < i && !found; j++) {
            if (!is_perpendicular(a, d->item[i].real) || !is_perpendicular(a, d->item[j].real))
                continue;
            dot(product, d->item[i].exact, d->item[j].exact);
            found = fmpq_is_zero(product);
            if (!found) continue;
            cross(out, d->item[i].exact, d->item[j].exact);
            mixed_dot(side, a, out);
            for (int k = 0; k < 3 && arb_is_negative(side); k++) fmpq_neg(out + k, out + k);
        }
    fmpq_clear(product);
    arb_clear(side);
    return found;
}

static bool from_plane(const ct_directions *d, fmpq *out, const arb_struct *a) {
    for (int i = 0; i < d->n; i++)
        if (is_perpendicular(a, d->item[i].real)) return from_circle(d, out, a, d->item[i].exact);
    return false;
}

static void add(ct_directions *d, const arb_struct *a, const fmpq *exact) {
    ct_direction *item = CT_PUSH(d->item, d->n, d->room);
    for (int i = 0; i < 3; i++) {
        arb_init(item->real + i);
        arb_set(item->real + i, a + i);
        fmpq_init(item->exact + i);
        fmpq_set(item->exact + i, exact + i);
    }
}

static bool find(ct_directions *d, fmpq *out, const arb_struct *a) {
    if (from_parallel(d, out, a)) return true;
    if (!from_pair(d, out, a) && !from_plane(d, out, a) && !from_sphere(d, out, a)) return false;
    add(d, a, out);
    return true;
}

void ct_directions_init(ct_directions *d, ct_rationals *rationals) {
    *d = (ct_directions){.constants = rationals};
    for (int axis = 0; axis < 3; axis++) {
        arb_struct a[3];
        fmpq exact[3];
        vector_init(exact);
        for (int i = 0; i < 3; i++) {
            arb_init(a + i);
            arb_set_si(a + i, i == axis);
            fmpq_set_si(exact + i, i == axis, 1);
        }
        add(d, a, exact);
        for (int i = 0; i < 3; i++) arb_clear(a + i);
        vector_clear(exact);
    }
}

void ct_directions_clear(ct_directions *d) {
    for (int k = 0; k < d->n; k++)
        for (int i = 0; i < 3; i++) {
            arb_clear(d->item[k].real + i);
            fmpq_clear(d->item[k].exact + i);
        }
    ct_free(d->item);
    *d = (ct_directions){0};
}

// joints ------------------------------------------------------------------------------------------
// True if the components are rational as they stand, and the vector has length 1.
static bool is_rational(ct_directions *d, ct_vec3 a) {
    fmpq exact[3];
    fmpq_t square;
    vector_init(exact);
    fmpq_init(square);
    bool yes = true;
    for (int i = 0; i < 3 && yes; i++)
        yes = ct_number_get(d->constants->pool, ct_substitute(d->constants->known, a.v[i]),
                            exact + i);
    dot(square, exact, exact);
    yes = yes && fmpq_is_one(square);
    vector_clear(exact);
    fmpq_clear(square);
    return yes;
}

static bool enclose(ct_directions *d, ct_vec3 a, arb_struct *real) {
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        arb_init(real + i);
        ok = ok && ct_rational_enclosure(d->constants, a.v[i], real + i);
    }
    return ok;
}

static ct_vec3 vector_of(const ct_directions *d, const fmpq *exact) {
    ct_vec3 v;
    for (int i = 0; i < 3; i++) v.v[i] = ct_number(d->constants->pool, exact + i);
    return v;
}

static bool exact_vector(ct_directions *d, ct_vec3 *a) {
    if (is_rational(d, *a)) return true;
    arb_struct real[3];
    fmpq exact[3];
    vector_init(exact);
    bool ok = enclose(d, *a, real) && find(d, exact, real);
    if (ok) *a = vector_of(d, exact);
    for (int i = 0; i < 3; i++) arb_clear(real + i);
    vector_clear(exact);
    return ok;
}

// The second axis of a joint: where it is perpendicular to the first one, exactly so.
static bool second_axis(ct_directions *d, ct_vec3 first, ct_vec3 was_first, ct_vec3 *second) {
    arb_struct real[2][3];
    fmpq exact[2][3];
    fmpq_t product;
    fmpq_init(product);
    vector_init(exact[0]);
    vector_init(exact[1]);
    ct_vec3 was_second = *second;
    bool ok = exact_vector(d, second);
    // both as they were, and as they are now
    bool known = enclose(d, was_first, real[0]);
    known = enclose(d, was_second, real[1]) && known;
    for (int i = 0; i < 3 && ok; i++) {
        ct_number_get(d->constants->pool, ct_substitute(d->constants->known, first.v[i]),
                      exact[0] + i);
        ct_number_get(d->constants->pool, ct_substitute(d->constants->known, second->v[i]),
                      exact[1] + i);
    }
    dot(product, exact[0], exact[1]);
    // on the circle about the first one
    if (ok && known && is_perpendicular(real[0], real[1]) && !fmpq_is_zero(product)) {
        ok = from_circle(d, exact[1], real[1], exact[0]);
        if (ok) *second = vector_of(d, exact[1]);
    }
    for (int k = 0; k < 2; k++) {
        vector_clear(exact[k]);
        for (int i = 0; i < 3; i++) arb_clear(real[k] + i);
    }
    fmpq_clear(product);
    return ok;
}

static ct_vec3 column(const ct_mat3 *m, int k) {
    return (ct_vec3){{m->a[0][k], m->a[1][k], m->a[2][k]}};
}

// The first column as a direction, the second one perpendicular to it, the third their product.
static bool exact_frame(ct_directions *d, ct_mat3 *m) {
    bool rational = true;
    for (int k = 0; k < 3; k++) rational = rational && is_rational(d, column(m, k));
    if (rational) return true;
    // two columns as directions
    arb_struct real[2][3];
    fmpq exact[3][3];
    fmpq_t product;
    fmpq_init(product);
    bool ok = true;
    for (int k = 0; k < 3; k++) vector_init(exact[k]);
    for (int k = 0; k < 2; k++) {
        bool found = enclose(d, column(m, k), real[k]) && find(d, exact[k], real[k]);
        ok = ok && found;
    }
    // exactly perpendicular, and the third one
    dot(product, exact[0], exact[1]);
    if (ok && !fmpq_is_zero(product)) ok = from_circle(d, exact[1], real[1], exact[0]);
    cross(exact[2], exact[0], exact[1]);
    for (int k = 0; k < 3 && ok; k++) {
        ct_vec3 v = vector_of(d, exact[k]);
        for (int i = 0; i < 3; i++) m->a[i][k] = v.v[i];
    }
    for (int k = 0; k < 3; k++) {
        vector_clear(exact[k]);
        for (int i = 0; i < 3 && k < 2; i++) arb_clear(real[k] + i);
    }
    fmpq_clear(product);
    return ok;
}

static bool is_given(ct_vec3 a) {
    return a.v[0] || a.v[1] || a.v[2];
}

bool ct_directions_joint(ct_directions *d, ct_joint *joint) {
    ct_joint copy = *joint;
    bool ok = true;
    if (is_given(copy.axis[0])) ok = exact_vector(d, &copy.axis[0]);
    if (ok && is_given(copy.axis[1]))
        ok = second_axis(d, copy.axis[0], joint->axis[0], &copy.axis[1]);
    for (int k = 0; k < 2 && ok; k++)
        if (copy.body[k] >= 0) ok = exact_frame(d, &copy.orient[k]);
    if (ok) *joint = copy;
    return ok;
}
