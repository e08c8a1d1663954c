// Krawczyk's test: with Y about the inverse of J(x), the box X = x + [-r, r] holds exactly one zero
// if   K = x - Y f(x) + (I - Y J(X)) (X - x)   lies in its interior. Balls of Arb enclose every
// value, so the answer is a proof.
#include "configurations/loops/certify.h"

#include "expr/pool.h"

#if __has_include(<flint/arb_mat.h>)
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEWTON_STEPS = 30,
    BOXES = 4,        // sizes of the box that are tried
    SETTLED_BITS = 24 // guard bits: a Newton step below 2^(SETTLED_BITS - bits) is rounding
};

void ct_certifier_init(ct_certifier *c, ct_pool *pool, int n, const ct_ex *symbols, ct_ex drive,
                       int m, const ct_ex *equations, const ct_ex *derivatives) {
    *c = (ct_certifier){.pool = pool, .n = n, .m = m, .drive = drive};
    size_t size = (size_t)m * (size_t)(n + 1);
    c->symbol = ct_alloc((size_t)n + 1, sizeof *c->symbol);
    c->roots = ct_alloc(size + 1, sizeof *c->roots);
    memcpy(c->symbol, symbols, (size_t)n * sizeof *symbols);
    memcpy(c->roots, equations, (size_t)m * sizeof *equations);
    memcpy(c->roots + m, derivatives, (size_t)m * (size_t)n * sizeof *derivatives);
    c->count = size ? ct_walk(pool, (int)size, c->roots, &c->order) : 0;
    uint32_t highest = 0;
    for (int i = 0; i < c->count; i++) highest = c->order[i] > highest ? c->order[i] : highest;
    c->at = ct_alloc((size_t)highest + 1, sizeof *c->at);
    for (int i = 0; i < c->count; i++) c->at[c->order[i]] = (uint32_t)i;
    c->ball = _arb_vec_init(c->count);
    // which unknown each node is; n: the drive, -1: none; -2: a constant, evaluated once
    c->part = ct_alloc((size_t)c->count + 1, sizeof *c->part);
    for (int i = 0; i < c->count; i++) {
        c->part[i] = ct_ex_kinds(pool, c->order[i]) ? -1 : -2;
        if (drive && c->order[i] == drive) c->part[i] = n;
        for (int k = 0; k < n; k++)
            if (c->order[i] == symbols[k]) c->part[i] = k;
    }
}

void ct_certifier_clear(ct_certifier *c) {
    if (c->ball) _arb_vec_clear(c->ball, c->count);
    ct_free(c->symbol);
    ct_free(c->roots);
    ct_free(c->order);
    ct_free(c->at);
    ct_free(c->part);
    *c = (ct_certifier){0};
}

// enclosures --------------------------------------------------------------------------------------
static void sum(ct_certifier *c, arb_t out, ct_ex a, slong bits) {
    arb_set(out, c->ball + c->at[ct_child(c->pool, a, 0)]);
    for (int i = 1; i < ct_child_count(c->pool, a); i += 2)
        arb_addmul(out, c->ball + c->at[ct_child(c->pool, a, i)],
                   c->ball + c->at[ct_child(c->pool, a, i + 1)], bits);
}

static void product(ct_certifier *c, arb_t out, ct_ex a, slong bits) {
    arb_t power;
    arb_init(power);
    arb_set(out, c->ball + c->at[ct_child(c->pool, a, 0)]);
    for (int i = 1; i < ct_child_count(c->pool, a); i += 2) {
        const fmpq *e = ct_value(c->pool, ct_child(c->pool, a, i + 1));
        arb_pow_fmpz(power, c->ball + c->at[ct_child(c->pool, a, i)], fmpq_numref(e), bits);
        arb_mul(out, out, power, bits);
    }
    arb_clear(power);
}

// Enclosure of one node from those of its children; symbols are set before.
static void node(ct_certifier *c, arb_t out, ct_ex a, slong bits) {
    arb_ptr x[2] = {0};
    ct_op op = ct_ex_op(c->pool, a);
    bool is_leaf = op == CT_OP_NUMBER || op == CT_OP_SYMBOL || op == CT_OP_PI;
    for (int i = 0; i < 2 && !is_leaf && i < ct_child_count(c->pool, a) && op != CT_OP_TABLE; i++)
        x[i] = c->ball + c->at[ct_child(c->pool, a, i)];
    switch (op) {
    // symbols keep what they were set to; numbers, sums and products
    case CT_OP_SYMBOL: break;
    case CT_OP_NUMBER: arb_set_fmpq(out, ct_value(c->pool, a), bits); break;
    case CT_OP_PI: arb_const_pi(out, bits); break;
    case CT_OP_SUM: sum(c, out, a, bits); break;
    case CT_OP_PRODUCT: product(c, out, a, bits); break;
    case CT_OP_LET: arb_set(out, x[0]); break;
    // functions
    case CT_OP_SQRT: arb_sqrt(out, x[0], bits); break;
    case CT_OP_SIN: arb_sin(out, x[0], bits); break;
    case CT_OP_COS: arb_cos(out, x[0], bits); break;
    case CT_OP_TAN: arb_tan(out, x[0], bits); break;
    case CT_OP_ASIN: arb_asin(out, x[0], bits); break;
    case CT_OP_ACOS: arb_acos(out, x[0], bits); break;
    case CT_OP_ATAN: arb_atan(out, x[0], bits); break;
    case CT_OP_EXP: arb_exp(out, x[0], bits); break;
    case CT_OP_LOG: arb_log(out, x[0], bits); break;
    case CT_OP_ABS: arb_abs(out, x[0]); break;
    case CT_OP_ATAN2: arb_atan2(out, x[0], x[1], bits); break;
    case CT_OP_POWER: arb_pow(out, x[0], x[1], bits); break;
    default: arb_indeterminate(out); // nothing is proved
    }
}

static void evaluate(ct_certifier *c, arb_srcptr x, const arb_t drive, slong bits) {
    for (int i = 0; i < c->count; i++) {
        int part = c->part[i];
        if (part == -2 && c->bits == bits) continue;
        if (part >= 0)
            arb_set(c->ball + i, part == c->n ? drive : x + part);
        else if (ct_ex_op(c->pool, c->order[i]) == CT_OP_SYMBOL)
            arb_indeterminate(c->ball + i);
        else
            node(c, c->ball + i, c->order[i], bits);
    }
    c->bits = bits;
}

static arb_ptr value(const ct_certifier *c, int root) {
    return c->ball + c->at[c->roots[root]];
}

static arb_ptr derivative(const ct_certifier *c, int row, int k) {
    return value(c, c->m + row * c->n + k);
}

static double middle(const arb_t a) {
    return arf_get_d(arb_midref(a), ARF_RND_NEAR);
}

// the test ----------------------------------------------------------------------------------------
// n rows of the derivatives, the longest one left at each step (Gram-Schmidt). False: rank < n.
static bool choose_rows(const ct_certifier *c, int *rows) {
    // rows of the derivatives in doubles, and their lengths
    const double tiny = 1e-14;
    size_t n = (size_t)c->n;
    double *a = ct_alloc((size_t)c->m * n + 1, sizeof *a), *first = ct_alloc((size_t)c->m + 1, 8);
    bool *used = ct_alloc((size_t)c->m + 1, sizeof *used), ok = true;
    for (int i = 0; i < c->m; i++)
        for (int k = 0; k < c->n; k++) {
            double d = middle(derivative(c, i, k));
            a[(size_t)i * n + (size_t)k] = d;
            first[i] += d * d;
        }
    for (int step = 0; step < c->n && ok; step++) {
        // the row with the largest part that is not used up, relative to its length
        int best = -1;
        double most = tiny * tiny;
        for (int i = 0; i < c->m; i++) {
            double left = 0;
            for (size_t k = 0; k < n; k++) left += a[(size_t)i * n + k] * a[(size_t)i * n + k];
            if (used[i] || !(first[i] > 0) || !(left / first[i] > most)) continue;
            most = left / first[i];
            best = i;
        }
        ok = best >= 0;
        if (!ok) break;
        used[best] = true;
        rows[step] = best;
        // its direction is taken out of the others
        double *b = a + (size_t)best * n, square = 0;
        for (size_t k = 0; k < n; k++) square += b[k] * b[k];
        for (int i = 0; i < c->m; i++) {
            double part = 0, *r = a + (size_t)i * n;
            if (used[i]) continue;
            for (size_t k = 0; k < n; k++) part += r[k] * b[k];
            for (size_t k = 0; k < n; k++) r[k] -= part / square * b[k];
        }
    }
    ct_free(a);
    ct_free(first);
    ct_free(used);
    return ok;
}

typedef struct testing {
    ct_certifier *c;
    slong bits;
    int *rows;
    arb_mat_t inverse; // Y, exact
    arb_ptr step;      // Y f(x)
} testing;

// Y f of the rows, from the values of the last evaluation.
static void newton_step(testing *t) {
    const ct_certifier *c = t->c;
    for (int i = 0; i < c->n; i++) {
        arb_zero(t->step + i);
        for (int k = 0; k < c->n; k++)
            arb_addmul(t->step + i, arb_mat_entry(t->inverse, i, k), value(c, t->rows[k]), t->bits);
    }
}

// Rows and Y at the point of the last evaluation.
static bool invert(testing *t) {
    const ct_certifier *c = t->c;
    arb_mat_t j;
    if (!choose_rows(c, t->rows)) return false;
    arb_mat_init(j, c->n, c->n);
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < c->n; k++)
            arb_get_mid_arb(arb_mat_entry(j, i, k), derivative(c, t->rows[i], k));
    bool ok = arb_mat_inv(t->inverse, j, t->bits);
    for (int i = 0; i < c->n && ok; i++)
        for (int k = 0; k < c->n; k++) {
            arb_ptr e = arb_mat_entry(t->inverse, i, k);
            ok = ok && arb_is_finite(e);
            arb_get_mid_arb(e, e);
        }
    arb_mat_clear(j);
    return ok;
}

// Newton's iteration at the middle of the drive. Y is that of the last point.
static bool sharpen(testing *t, arb_ptr x, const arb_t drive) {
    arb_t middle_of_drive;
    arb_init(middle_of_drive);
    arb_get_mid_arb(middle_of_drive, drive);
    bool ok = true, settled = false;
    for (int i = 0; i < NEWTON_STEPS && ok && !settled; i++) {
        evaluate(t->c, x, middle_of_drive, t->bits);
        ok = invert(t);
        if (!ok) break;
        newton_step(t);
        settled = true;
        for (int k = 0; k < t->c->n && ok; k++) {
            ok = arb_is_finite(t->step + k);
            arb_sub(x + k, x + k, t->step + k, t->bits);
            arb_get_mid_arb(x + k, x + k);
            const arf_struct *size = arb_midref(t->step + k);
            settled = settled &&
                      (arf_is_zero(size) || arf_cmpabs_2exp_si(size, SETTLED_BITS - t->bits) < 0);
        }
    }
    arb_clear(middle_of_drive);
    return ok && settled;
}

// K of the box, in `k`; true if it lies inside.
static bool contracts(testing *t, arb_srcptr x, arb_srcptr box, arb_ptr k, const arb_t drive) {
    const ct_certifier *c = t->c;
    arb_t entry, d;
    arb_init(entry);
    arb_init(d);
    // x - Y f(x)
    evaluate(t->c, x, drive, t->bits);
    newton_step(t);
    for (int i = 0; i < c->n; i++) arb_sub(k + i, x + i, t->step + i, t->bits);
    // + (I - Y J(X)) (X - x)
    evaluate(t->c, box, drive, t->bits);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) {
            arb_set_si(entry, i == j);
            for (int l = 0; l < c->n; l++)
                arb_submul(entry, arb_mat_entry(t->inverse, i, l), derivative(c, t->rows[l], j),
                           t->bits);
            arb_sub(d, box + j, x + j, t->bits);
            arb_addmul(k + i, entry, d, t->bits);
        }
    // in the interior
    bool inside = true;
    for (int i = 0; i < c->n && inside; i++)
        inside = arb_is_finite(k + i) && arb_contains_interior(box + i, k + i);
    arb_clear(entry);
    arb_clear(d);
    return inside;
}

// Boxes of growing size about x; the one that holds a zero is left in x.
static bool enclose(testing *t, arb_ptr x, const arb_t drive) {
    const ct_certifier *c = t->c;
    arb_ptr box = _arb_vec_init(c->n), k = _arb_vec_init(c->n);
    bool ok = false;
    // |Y f(x)| is the first guess at the size of the box
    evaluate(t->c, x, drive, t->bits);
    newton_step(t);
    for (int size = 1; size <= BOXES && !ok; size++) {
        for (int i = 0; i < c->n; i++) {
            mag_t r;
            mag_init(r);
            arb_get_mag(r, t->step + i);
            if (size > 1) { // a bit more than what the last box asked for
                arb_sub(box + i, k + i, x + i, t->bits);
                arb_get_mag(r, box + i);
            }
            mag_mul_2exp_si(r, r, 1);
            arb_set(box + i, x + i);
            arb_add_error_mag(box + i, r);
            mag_set_ui_2exp_si(r, 1, SETTLED_BITS - t->bits);
            arb_add_error_mag(box + i, r);
            mag_clear(r);
        }
        ok = contracts(t, x, box, k, drive);
        if (!ok && !arb_is_finite(k)) break;
    }
    // the other equations must be able to vanish there
    if (ok) {
        evaluate(t->c, k, drive, t->bits);
        for (int i = 0; i < c->m && ok; i++) ok = arb_contains_zero(value(c, i));
        for (int i = 0; i < c->n; i++) arb_set(x + i, k + i);
    }
    _arb_vec_clear(box, c->n);
    _arb_vec_clear(k, c->n);
    return ok;
}

bool ct_certify(ct_certifier *c, arb_ptr x, const arb_t drive, slong bits) {
    if (!c->n) return true;
    testing t = {.c = c, .bits = bits, .rows = ct_alloc((size_t)c->n, sizeof(int))};
    arb_mat_init(t.inverse, c->n, c->n);
    t.step = _arb_vec_init(c->n);
    bool ok = sharpen(&t, x, drive) && enclose(&t, x, drive);
    arb_mat_clear(t.inverse);
    _arb_vec_clear(t.step, c->n);
    ct_free(t.rows);
    return ok;
}
