// The addition formulas: pairs of sums of angles from pairs that are known. With T = +-a + b
//   cos T = cos a cos b -+ sin a sin b,   sin T = +-sin a cos b + cos a sin b.
// Single angles that are known as numbers come first. A sum T is found from two known sums, else by
// functions of known coordinates, alone or beside a known sum, else as a whole-number combination
// of several known sums.
#include "closure/values/reach.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool knows(const ct_reach *r, int angle_sum) {
    return angle_sum < r->room && r->cosine[angle_sum] != CT_UNSET;
}

// True if all coordinates in the angle are known as numbers.
static bool is_known(const ct_reach *r, ct_ex angle) {
    const ct_values *values = r->values;
    ct_ex *symbols;
    int n = ct_ex_symbols(values->pool, 1, &angle, &symbols);
    bool known = true;
    for (int i = 0; i < n && known; i++) {
        int k = ct_node_index_get(&values->coordinate_of, symbols[i]);
        known = k < 0 || r->has[k];
    }
    return known;
}

// Replaces dependent angles by tracked symbols and dependent slides by their values.
static ct_ex in_values(const ct_reach *r, ct_ex a) {
    ct_values *values = r->values;
    ct_substitution *map = ct_substitution_new(values->pool);
    for (int k = 0; k < values->f->n; k++)
        if (!values->closure->is_independent[k] && ct_depends(values->pool, a, values->f->q[k]))
            ct_substitution_map(map, values->f->q[k],
                                values->f->is_angle[k] ? ct_values_tracked(values, k, NULL)
                                                       : ct_values_slide(values, k));
    ct_ex inner = ct_substitute(map, a);
    ct_substitution_free(map);
    return inner;
}

typedef struct pair {
    ct_ex cosine, sine;
} pair;

// Cosine and sine of +-a + b.
static pair turned(ct_pool *pool, pair a, bool minus, pair b) {
    ct_ex cc = ct_mul(pool, a.cosine, b.cosine), ss = ct_mul(pool, a.sine, b.sine),
          sc = ct_mul(pool, a.sine, b.cosine), cs = ct_mul(pool, a.cosine, b.sine);
    return (pair){ct_let(pool, minus ? ct_add(pool, cc, ss) : ct_sub(pool, cc, ss)),
                  ct_let(pool, minus ? ct_sub(pool, cs, sc) : ct_add(pool, sc, cs))};
}

// Cosine and sine of any angle: of a constant, a known sum, or (if `direct`) an angle whose
// coordinates are known as numbers. Returns false for other angles.
static bool pair_of(ct_reach *r, ct_ex angle, bool direct, pair *p) {
    static const ct_op ops[] = {CT_OP_COS, CT_OP_SIN};
    ct_values *values = r->values;
    ct_ex *out[] = {&p->cosine, &p->sine};
    for (int i = 0; i < 2; i++) {
        ct_signed_trig x = ct_signed_trig_of(values->pool, ops[i], angle);
        ct_op op = ct_ex_op(values->pool, x.node);
        ct_ex value;
        int k = op == CT_OP_SIN || op == CT_OP_COS
                    ? ct_node_index_get(&values->angle_sum_of, ct_child(values->pool, x.node, 0))
                    : -1;
        if (k >= 0 && knows(r, k))
            value = op == CT_OP_COS ? r->cosine[k] : r->sine[k];
        else if (!(ct_ex_kinds(values->pool, x.node) & ~(1u << CT_SYMBOL_PARAMETER)) ||
                 (direct && is_known(r, x.node)))
            value = in_values(r, x.node);
        else
            return false;
        *out[i] = x.minus ? ct_neg(values->pool, value) : value;
    }
    return true;
}

// T = +-a + rest with a known sum a and a known rest.
static bool from_two(ct_reach *r, int angle_sum, bool direct) {
    ct_pool *pool = r->values->pool;
    ct_ex angle = r->values->item[angle_sum].angle;
    for (int i = 0; i < r->n; i++)
        for (int minus = 0; minus < 2; minus++) {
            int a = r->list[i];
            ct_ex other = r->values->item[a].angle;
            ct_ex rest = minus ? ct_add(pool, angle, other) : ct_sub(pool, angle, other);
            pair p;
            if (!pair_of(r, rest, direct, &p)) continue;
            p = turned(pool, (pair){r->cosine[a], r->sine[a]}, minus, p);
            ct_reach_know(r, angle_sum, p.cosine, p.sine);
            return true;
        }
    return false;
}

// chains -----------------------------------------------------------------------------------------
// Coefficients read off a sum  c + c_1 q_1 + c_2 q_2 ...  Returns false if a coordinate stands in a term
// in another way.
static bool read_off(const ct_reach *r, ct_ex angle, double *x) {
    const ct_values *values = r->values;
    ct_pool *pool = values->pool;
    if (ct_ex_op(pool, angle) != CT_OP_SUM) return false;
    for (int k = 0; k < values->f->n; k++) x[k] = 0;
    for (int i = 1; i < ct_child_count(pool, angle); i += 2) {
        ct_ex term = ct_child(pool, angle, i + 1);
        int k = ct_node_index_get(&values->coordinate_of, term);
        if (k < 0 && ct_ex_kinds(pool, term) & 1u << CT_SYMBOL_COORDINATE) return false;
        if (k >= 0 && !r->has[k]) x[k] = ct_constant_value(pool, ct_child(pool, angle, i));
    }
    return true;
}

// Coefficients of the angles that are not known as numbers. Returns false if the angle is not
// linear in them.
static bool coefficients(const ct_reach *r, ct_ex angle, double *x) {
    const ct_values *values = r->values;
    if (read_off(r, angle, x)) return true;
    for (int k = 0; k < values->f->n; k++) {
        x[k] = 0;
        if (r->has[k] || !ct_depends(values->pool, angle, values->f->q[k])) continue;
        ct_ex d = ct_diff(values->pool, angle, values->f->q[k]);
        x[k] = ct_constant_value(values->pool, d);
        if (!isfinite(x[k])) return false;
    }
    return true;
}

bool ct_reach_is_whole(const ct_reach *r, ct_ex angle) {
    int n = r->values->f->n;
    double *x = ct_scratch((size_t)n + 1, sizeof *x);
    bool whole = coefficients(r, angle, x);
    for (int k = 0; k < n && whole; k++)
        whole = x[k] == round(x[k]) && (x[k] == 0 || r->values->f->is_angle[k]);
    return whole;
}

// Solves  sum w_j a_j = target  for whole numbers w by Gauss-Jordan elimination. The columns of `a`
// are the coefficients of known sums of angles. Returns false if there is no such w.
static bool combination(int rows, int n, double *a, double *target, double *w) {
    int *pivot = ct_scratch((size_t)n + 1, sizeof *pivot), rank = 0;
    for (int j = 0; j < n; j++) pivot[j] = -1;
    for (int j = 0; j < n && rank < rows; j++) {
        // the largest entry of the column is the pivot
        int best = rank;
        for (int i = rank; i < rows; i++)
            if (fabs(a[i * n + j]) > fabs(a[best * n + j])) best = i;
        if (fabs(a[best * n + j]) < CT_TOL_WHOLE) continue;
        // its row moves up
        for (int k = 0; k < n; k++) {
            double keep = a[rank * n + k];
            a[rank * n + k] = a[best * n + k];
            a[best * n + k] = keep;
        }
        double keep = target[rank];
        target[rank] = target[best];
        target[best] = keep;
        // the column is eliminated from all other rows
        for (int i = 0; i < rows; i++) {
            double f = i == rank ? 0 : a[i * n + j] / a[rank * n + j];
            for (int k = j; k < n && f != 0; k++) a[i * n + k] -= f * a[rank * n + k];
            target[i] -= f * target[rank];
        }
        pivot[j] = rank++;
    }
    // rows without a pivot must be met, and w must be whole
    bool whole = true;
    for (int i = rank; i < rows; i++) whole = whole && fabs(target[i]) < CT_TOL_WHOLE;
    for (int j = 0; j < n; j++) {
        w[j] = pivot[j] < 0 ? 0 : target[pivot[j]] / a[pivot[j] * n + j];
        whole = whole && fabs(w[j] - round(w[j])) < CT_TOL_WHOLE;
    }
    return whole;
}

// Cosine and sine of the angle sum T from those of known sums a_j:  T = sum w_j a_j + rest  with
// whole numbers w and a known rest. False: there are none.
static bool from_chain(ct_reach *r, int angle_sum) {
    ct_values *values = r->values;
    int rows = values->f->n, n = r->n;
    double *a = ct_scratch((size_t)rows * (size_t)n + 1, sizeof *a),
           *x = ct_scratch((size_t)rows + 1, sizeof *x), *w = ct_scratch((size_t)n + 1, sizeof *w);
    int *column = ct_scratch((size_t)n + 1, sizeof *column), used = 0;
    // columns: known sums that are linear in the unknown angles
    for (int j = 0; j < n; j++) {
        if (!coefficients(r, values->item[r->list[j]].angle, x)) continue;
        for (int i = 0; i < rows; i++) a[i * n + used] = x[i];
        column[used++] = r->list[j];
    }
    for (int i = 0; i < rows; i++) memmove(a + i * used, a + i * n, (size_t)used * sizeof *a);
    // w from the coefficients of T
    ct_ex angle = values->item[angle_sum].angle;
    bool done = coefficients(r, angle, x) && combination(rows, used, a, x, w);
    // cosine and sine of sum w_j a_j, one sum after the other
    pair p = {CT_ONE, CT_ZERO};
    for (int j = 0; j < used && done; j++)
        for (long k = lround(fabs(w[j])); k > 0; k--) {
            int c = column[j];
            bool minus = w[j] < 0;
            ct_ex other = values->item[c].angle;
            angle = minus ? ct_add(values->pool, angle, other) : ct_sub(values->pool, angle, other);
            p = turned(values->pool, (pair){r->cosine[c], r->sine[c]}, minus, p);
        }
    // and of the rest
    pair rest;
    done = done && pair_of(r, angle, true, &rest);
    if (done) {
        p = turned(values->pool, p, false, rest);
        ct_reach_know(r, angle_sum, p.cosine, p.sine);
    }
    return done;
}

// Cosine and sine of an angle whose coordinates are known as numbers, as of a gear's multiple.
static bool direct(ct_reach *r, int angle_sum) {
    ct_pool *pool = r->values->pool;
    ct_ex angle = r->values->item[angle_sum].angle;
    if (!is_known(r, angle)) return false;
    angle = in_values(r, angle);
    ct_reach_know(r, angle_sum, ct_cos(pool, angle), ct_sin(pool, angle));
    return true;
}

static bool single(const ct_reach *r, int angle_sum) {
    ct_ex angle = r->values->item[angle_sum].angle;
    return ct_ex_op(r->values->pool, angle) != CT_OP_SUM && is_known(r, angle);
}

bool ct_reach_all(ct_reach *r, int n, const int *angle_sums, int *missing) {
    ct_reach_grow(r);
    // single angles that are known as numbers
    for (int i = 0; i < n; i++)
        if (!knows(r, angle_sums[i]) && single(r, angle_sums[i])) direct(r, angle_sums[i]);
    for (bool progress = true; progress;) {
        progress = false;
        // from two known sums, as often as possible
        for (int i = 0; i < n; i++)
            if (!knows(r, angle_sums[i]) && from_two(r, angle_sums[i], false)) progress = true;
        // else with functions of known coordinates
        for (int i = 0; i < n && !progress; i++)
            if (!knows(r, angle_sums[i]))
                progress = direct(r, angle_sums[i]) || from_two(r, angle_sums[i], true);
        // else as a combination of several
        for (int i = 0; i < n && !progress; i++)
            if (!knows(r, angle_sums[i])) progress = from_chain(r, angle_sums[i]);
    }
    for (int i = 0; i < n; i++)
        if (!knows(r, angle_sums[i])) {
            *missing = angle_sums[i];
            return false;
        }
    return true;
}
