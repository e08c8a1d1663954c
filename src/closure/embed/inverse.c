// Inverses of small matrices, singular only where the matrix is:
//   columns at right angles:  J^-1 = diag(1 / J_k . J_k) J^T,   else  J^-1 = adj J / det J.
#include "closure/embed/embed_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ct_ex ct_dot(ct_pool *pool, int n, const ct_ex *a, int step_a, const ct_ex *b, int step_b) {
    ct_ex *terms = ct_scratch((size_t)n + 1, sizeof *terms);
    int count = 0;
    for (int i = 0; i < n; i++)
        if (a[i * step_a] != CT_ZERO && b[i * step_b] != CT_ZERO)
            terms[count++] = ct_mul(pool, a[i * step_a], b[i * step_b]);
    return ct_sum(pool, count, terms);
}

// The square root of a product of even powers. Returns CT_UNSET for other expressions.
static ct_ex exact_root(ct_pool *pool, ct_ex a) {
    if (a == CT_ONE) return a;
    if (ct_ex_op(pool, a) != CT_OP_PRODUCT) return CT_UNSET;
    ct_ex r = ct_sqrt(pool, ct_child(pool, a, 0));
    if (!ct_is_number(pool, r)) return CT_UNSET;
    for (int i = 1; i < ct_child_count(pool, a); i += 2) {
        long e = lround(ct_constant_value(pool, ct_child(pool, a, i + 1)));
        if (e % 2) return CT_UNSET;
        r = ct_mul(pool, r, ct_power_int(pool, ct_child(pool, a, i), e / 2));
    }
    return r;
}

// Finds the inverse if the columns of J are orthogonal, else returns false. The products are formed
// in the joint coordinates q: in values (symbols for sines and cosines) sin^2 + cos^2 is not 1.
static bool orthogonal(ct_embedder *e, ct_inverse *inverse, const ct_ex *in_coordinates) {
    ct_pool *pool = e->pool;
    int n = inverse->n;
    ct_ex root[CT_WRITTEN_OUT], square[CT_WRITTEN_OUT];
    // J_i . J_j = 0 for all pairs of columns
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (ct_dot(pool, n, in_coordinates + i, n, in_coordinates + j, n) != CT_ZERO)
                return false;
    // J_i . J_i; unit vectors if all of these have exact roots
    inverse->unit = true;
    for (int i = 0; i < n; i++) {
        square[i] = ct_dot(pool, n, in_coordinates + i, n, in_coordinates + i, n);
        root[i] = exact_root(pool, square[i]);
        inverse->unit = inverse->unit && root[i] != CT_UNSET;
    }
    // rows J_i / |J_i| with scale 1 / |J_i|, or J_i with scale 1 / J_i . J_i
    inverse->determinant = CT_ONE;
    for (int i = 0; i < n; i++) {
        ct_ex divisor =
            ct_let(pool, ct_values_replace(e->values, inverse->unit ? root[i] : square[i]));
        inverse->length[i] = ct_values_replace(e->values, root[i] == CT_UNSET ? CT_ZERO : root[i]);
        inverse->scale[i] = ct_let(pool, ct_power_int(pool, divisor, -1));
        inverse->determinant = ct_mul(pool, inverse->determinant, divisor);
        for (int k = 0; k < n; k++) {
            ct_ex a = in_coordinates[k * n + i];
            if (inverse->unit) a = ct_div(pool, a, root[i]);
            inverse->in_coordinates[i * n + k] = a;
            inverse->base[i * n + k] = ct_let_whole(pool, ct_values_replace(e->values, a));
        }
    }
    return true;
}

static ct_ex minor(ct_pool *pool, const ct_ex *a, int i, int j) {
    int r1 = (i + 1) % 3, r2 = (i + 2) % 3, c1 = (j + 1) % 3, c2 = (j + 2) % 3;
    return ct_sub(pool, ct_mul(pool, a[r1 * 3 + c1], a[r2 * 3 + c2]),
                  ct_mul(pool, a[r1 * 3 + c2], a[r2 * 3 + c1]));
}

// The determinant of a 2 x 2 matrix, multiplied out in the joint coordinates q if that is as cheap.
// Example: of two links it is the sine of the angle between them.
static ct_ex determinant2(ct_embedder *e, const ct_ex *a, const ct_ex *in_coordinates) {
    ct_pool *pool = e->pool;
    ct_ex det = ct_sub(pool, ct_mul(pool, a[0], a[3]), ct_mul(pool, a[1], a[2]));
    if (!in_coordinates) return det;
    ct_ex flat =
        ct_embed_expand(pool, ct_sub(pool, ct_mul(pool, in_coordinates[0], in_coordinates[3]),
                                     ct_mul(pool, in_coordinates[1], in_coordinates[2])));
    bool cheap = ct_operations_total(ct_count_shared(pool, 1, &flat)) <= 4; // with functions
    return cheap ? ct_values_replace(e->values, flat) : det;
}

// J^-1 = adj J / det J for one to three unknowns.
static void adjugate(ct_embedder *e, ct_inverse *inverse, const ct_ex *a,
                     const ct_ex *in_coordinates) {
    ct_pool *pool = e->pool;
    ct_ex det = a[0];
    inverse->base[0] = CT_ONE;
    if (inverse->n == 2) {
        ct_ex swap[4] = {a[3], ct_neg(pool, a[1]), ct_neg(pool, a[2]), a[0]};
        memcpy(inverse->base, swap, sizeof swap);
        det = determinant2(e, a, in_coordinates);
        for (int i = 0; i < 4 && in_coordinates; i++) {
            ct_ex p = in_coordinates[i == 0 ? 3 : i == 3 ? 0 : i];
            inverse->in_coordinates[i] = i == 0 || i == 3 ? p : ct_neg(pool, p);
        }
    } else if (inverse->n == 3) {
        for (int i = 0; i < 9; i++) inverse->base[i] = ct_let(pool, minor(pool, a, i % 3, i / 3));
        det = ct_dot(pool, 3, a, 1, inverse->base, 3);
    }
    inverse->determinant = ct_let(pool, det);
    for (int i = 0; i < inverse->n; i++)
        inverse->scale[i] = ct_let(pool, ct_power_int(pool, inverse->determinant, -1));
}

void ct_inverse_find(ct_embedder *e, ct_inverse *inverse, int n, const ct_ex *a,
                     const ct_ex *in_coordinates) {
    size_t size = (size_t)n;
    *inverse = (ct_inverse){.n = n};
    inverse->base = ct_scratch(size * size, sizeof *inverse->base);
    inverse->scale = ct_scratch(size, sizeof *inverse->scale);
    inverse->length = ct_scratch(size, sizeof *inverse->length);
    if (in_coordinates)
        inverse->in_coordinates = ct_scratch(size * size, sizeof *inverse->in_coordinates);
    if (n > 1 && in_coordinates && orthogonal(e, inverse, in_coordinates)) return;
    adjugate(e, inverse, a, in_coordinates);
    if (n != 2)
        inverse->in_coordinates = NULL; // nothing to gain with one unknown, too long with three
}

ct_ex ct_inverse_apply(ct_pool *pool, const ct_inverse *inverse, int i, const ct_ex *v, int step,
                       ct_ex own, bool often) {
    ct_ex row[CT_WRITTEN_OUT];
    for (int k = 0; k < inverse->n; k++)
        row[k] = often ? ct_inverse_entry(pool, inverse, i, k) : inverse->base[i * inverse->n + k];
    ct_ex r = ct_dot(pool, inverse->n, row, 1, v, step);
    if (often) return ct_let_whole(pool, ct_add(pool, r, ct_mul(pool, inverse->scale[i], own)));
    return ct_let_whole(pool, ct_mul(pool, inverse->scale[i], ct_let(pool, ct_add(pool, r, own))));
}
