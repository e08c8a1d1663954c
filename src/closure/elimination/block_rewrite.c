// Residuals of an iteration as polynomials. sqrt(e) becomes an unknown r with r^2 = e, 1/e an
// unknown t with t e = 1, or n/d one with x d = n. A root with its sign is one unknown, which then
// has either. A part that is long when multiplied out becomes an unknown, too.
#include "closure/elimination/block_inside.h"
#include "expr/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELPERS = CT_BLOCK_HELPERS };

typedef enum helper_kind { ROOT, QUOTIENT, FRACTION, VALUE } helper_kind;

typedef struct image { // of a node
    ct_ex e;
    double terms; // at most, multiplied out
} image;

typedef struct rewriting {
    ct_pool *pool;
    int n;
    const ct_ex *coordinate;
    int n_signs;
    const ct_ex *sign;
    uint32_t n_nodes;
    bool *open;    // per node: a coordinate below
    image *images; // per node
    int n_helpers;
    helper_kind kind[HELPERS];
    ct_ex helper[HELPERS], of[HELPERS], over[HELPERS], equation[HELPERS];
    double whole;   // what has more terms becomes a value
    double most;    // terms of an equation
    bool fractions; // n/d is one unknown x with x d = n, which may say less than n t with t d = 1
    bool good;
} rewriting;

static bool among(int n, const ct_ex *list, ct_ex e) {
    for (int i = 0; i < n; i++)
        if (list[i] == e) return true;
    return false;
}

static image none(rewriting *w) {
    w->good = false;
    return (image){CT_ONE, 1};
}

static image whole(rewriting *w, image e, double most);

// The unknown for the root, the reciprocal or the value of e, or for over / e.
static image helper(rewriting *w, helper_kind kind, image e, ct_ex over) {
    ct_pool *pool = w->pool;
    if (kind != VALUE) e = whole(w, e, w->whole);
    for (int i = 0; i < w->n_helpers; i++)
        if (w->kind[i] == kind && w->of[i] == e.e && w->over[i] == over)
            return (image){w->helper[i], 1};
    if (w->n_helpers == HELPERS || e.terms > w->most) return none(w);
    char *name = ct_scratch_format("block helper %d", w->n_helpers);
    ct_ex x = ct_symbol(pool, CT_SYMBOL_OTHER, name);
    int k = w->n_helpers++;
    w->kind[k] = kind;
    w->helper[k] = x;
    w->of[k] = e.e;
    w->over[k] = over;
    ct_ex square = ct_power_int(pool, x, 2), product = ct_mul(pool, x, e.e);
    w->equation[k] = kind == ROOT    ? ct_sub(pool, square, e.e)
                     : kind == VALUE ? ct_sub(pool, x, e.e)
                                     : ct_sub(pool, product, over);
    return (image){x, 1};
}

// A helper for its value where it has more terms than `most`.
static image whole(rewriting *w, image e, double most) {
    return e.terms > most ? helper(w, VALUE, e, CT_ZERO) : e;
}

static image image_of(const rewriting *w, ct_ex e) {
    return e < w->n_nodes && w->open[e] ? w->images[e] : (image){e, 1};
}

static image rewrite_sum(rewriting *w, ct_ex e) {
    ct_pool *pool = w->pool;
    int n = ct_child_count(pool, e), count = 0;
    ct_ex *term = ct_scratch((size_t)n + 1, sizeof *term);
    double terms = 1;
    term[count++] = ct_child(pool, e, 0);
    for (int i = 1; i < n; i += 2) {
        image t = image_of(w, ct_child(pool, e, i + 1));
        term[count++] = ct_mul(pool, ct_child(pool, e, i), t.e);
        terms += t.terms;
    }
    ct_ex sum = ct_sum(pool, count, term);
    return (image){sum, terms};
}

static void multiply(rewriting *w, image *product, image factor, long k) {
    if (product->terms * pow(factor.terms, (double)k) > w->most / 4) factor = whole(w, factor, 4);
    if (product->terms * pow(factor.terms, (double)k) > w->most / 4)
        *product = whole(w, *product, 4);
    product->e = ct_mul(w->pool, product->e, ct_power_int(w->pool, factor.e, k));
    product->terms *= pow(factor.terms, (double)k);
}

// The sign in a product that belongs to an open root beside it; CT_ZERO: there is none.
static ct_ex sign_in(const rewriting *w, ct_ex e) {
    ct_pool *pool = w->pool;
    ct_ex sign = CT_ZERO;
    bool root = false;
    for (int i = 1; i < ct_child_count(pool, e); i += 2) {
        ct_ex base = ct_child(pool, e, i);
        if (ct_child(pool, e, i + 1) != CT_ONE) continue;
        if (among(w->n_signs, w->sign, base)) sign = base;
        root = root || (w->open[base] && ct_ex_op(pool, base) == CT_OP_SQRT);
    }
    return root ? sign : CT_ZERO;
}

static image radicand(const rewriting *w, ct_ex root) {
    ct_ex e = ct_child(w->pool, root, 0);
    return image_of(w, e);
}

static image rewrite_product(rewriting *w, ct_ex e) {
    ct_pool *pool = w->pool;
    // numerator and denominator; known: factors without coordinates
    image above = {CT_ONE, 1}, below = {CT_ONE, 1};
    ct_ex known = ct_child(pool, e, 0);
    const ct_ex sign = sign_in(w, e);
    bool spent = false; // on the first root
    for (int i = 1; i < ct_child_count(pool, e); i += 2) {
        ct_ex base = ct_child(pool, e, i), exponent = ct_child(pool, e, i + 1);
        long k = (long)ct_constant_value(pool, exponent);
        if (sign != CT_ZERO && base == sign) continue;
        // sign sqrt(e): one unknown, which has either sign
        if (sign != CT_ZERO && !spent && exponent == CT_ONE && w->open[base] &&
            ct_ex_op(pool, base) == CT_OP_SQRT) {
            multiply(w, &above, helper(w, ROOT, radicand(w, base), sign), 1);
            spent = true;
            continue;
        }
        // other factors: known ones, powers above, powers below the line
        if (!w->open[base])
            known = ct_mul(pool, known, ct_power(pool, base, exponent));
        else if (k > 0)
            multiply(w, &above, image_of(w, base), k);
        else if (w->fractions)
            multiply(w, &below, image_of(w, base), -k);
        else
            multiply(w, &above, helper(w, QUOTIENT, image_of(w, base), CT_ONE), -k);
    }
    // x = above / below is one unknown
    if (below.e != CT_ONE) above = helper(w, FRACTION, below, whole(w, above, w->whole).e);
    return (image){ct_mul(pool, known, above.e), above.terms};
}

static image rewrite(rewriting *w, ct_ex e) {
    ct_pool *pool = w->pool;
    image inner = ct_child_count(pool, e) ? image_of(w, ct_child(pool, e, 0)) : (image){CT_ZERO, 1};
    switch (ct_ex_op(pool, e)) {
    case CT_OP_SYMBOL: return (image){e, 1};
    case CT_OP_SUM: return rewrite_sum(w, e);
    case CT_OP_PRODUCT: return rewrite_product(w, e);
    case CT_OP_LET: return whole(w, inner, w->whole);
    case CT_OP_SQRT: return helper(w, ROOT, inner, CT_ZERO);
    case CT_OP_SIN:
    case CT_OP_COS: return inner.e == ct_child(pool, e, 0) ? (image){e, 2} : none(w);
    case CT_OP_MAX: // of a root inside an iteration
        if (ct_child(pool, e, 1) == CT_ZERO) return inner;
        if (ct_child(pool, e, 0) == CT_ZERO) return image_of(w, ct_child(pool, e, 1));
        return none(w);
    default: return none(w);
    }
}

// Roots become polynomials in coordinates and helpers, in place.
static bool rewrite_all(rewriting *w, int n, ct_ex *root) {
    ct_ex *order;
    int count = ct_walk(w->pool, n, root, &order);
    // nodes from below; a node is open if a coordinate stands in it
    w->n_nodes = (uint32_t)ct_pool_size(w->pool);
    w->open = ct_alloc(w->n_nodes, sizeof *w->open);
    w->images = ct_alloc(w->n_nodes, sizeof *w->images);
    w->good = true;
    for (int i = 0; i < count && w->good; i++) {
        ct_ex e = order[i];
        w->open[e] = among(w->n, w->coordinate, e);
        for (int k = 0; k < ct_child_count(w->pool, e); k++)
            w->open[e] = w->open[e] || w->open[ct_child(w->pool, e, k)];
        if (w->open[e]) w->images[e] = rewrite(w, e);
    }
    // images of the roots, if they are not too long
    for (int i = 0; i < n; i++) {
        w->good = w->good && image_of(w, root[i]).terms <= w->most;
        root[i] = image_of(w, root[i]).e;
    }
    ct_free(order);
    ct_free(w->open);
    ct_free(w->images);
    return w->good;
}

static bool holds(ct_pool *pool, const ct_block_rewritten *r, int equation, int helper) {
    return ct_depends(pool, r->equation[equation], r->helper[helper]);
}

// Removes helpers that no residual needs.
static void drop_unused(ct_pool *pool, ct_block_rewritten *r) {
    bool used[HELPERS] = {false};
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < r->n_helpers; k++)
            for (int i = 0; i < r->n + r->n_helpers && !used[k]; i++) {
                bool counts = i < r->n || (used[i - r->n] && i - r->n != k);
                if (counts && holds(pool, r, i, k)) used[k] = more = true;
            }
    }
    int kept = 0;
    for (int k = 0; k < r->n_helpers; k++)
        if (used[k]) {
            r->helper[kept] = r->helper[k];
            r->equation[r->n + kept++] = r->equation[r->n + k];
        }
    r->n_helpers = kept;
}

bool ct_block_rewrite(ct_pool *pool, const ct_block_residuals *r, bool fractions, double most,
                      double whole_above, ct_block_rewritten *out) {
    rewriting w = {.pool = pool,
                   .n = r->n,
                   .coordinate = r->coordinate,
                   .n_signs = r->n_signs,
                   .sign = r->sign,
                   .whole = whole_above,
                   .most = most,
                   .fractions = fractions};
    out->n = r->n;
    out->equation = ct_alloc((size_t)r->n + HELPERS, sizeof *out->equation);
    memcpy(out->equation, r->residual, (size_t)r->n * sizeof *out->equation);
    bool good = rewrite_all(&w, r->n, out->equation);
    out->n_helpers = w.n_helpers;
    memcpy(out->equation + r->n, w.equation, (size_t)w.n_helpers * sizeof *out->equation);
    memcpy(out->helper, w.helper, (size_t)w.n_helpers * sizeof *out->helper);
    if (good) drop_unused(pool, out);
    return good;
}
