// The projected equations of motion  B^T M B qi'' = B^T (F - M A), solved for qi''. They are built
// with B written out and, if all blocks are small, block by block (condense.c); the cheaper form is
// kept. Then follows an unrolled factorization  H = L D L^T  in an order with little fill; large
// systems are solved by a segment.
#include "closure/embed/embed_inside.h"
#include "closure/tolerances.h"

#include <stdlib.h>
#include <string.h>

// with B written out: H = B^T (M B), right side B^T (F - M A) ------------------------------------
static ct_ex product(const ct_embedder *e, const ct_ex *a, int step_a, const ct_ex *b, int step_b) {
    return ct_let_whole(e->pool, ct_dot(e->pool, e->f->n, a, step_a, b, step_b));
}

// True if rates should be computed as B qi' + C instead of as one more right side: with large
// blocks that is cheaper.
static bool rates_from_b(const ct_embedder *e) {
    int largest = 0;
    for (int i = 0; i < e->n_rows; i++)
        if (e->rows[i].n > largest) largest = e->rows[i].n;
    return largest > CT_WRITTEN_OUT && largest >= e->closure->r;
}

// q' = B qi' + C, with C in the last column, where q' replaces it.
static void add_rates(const ct_embedder *e, ct_ex *b, int width) {
    const ct_closure *c = e->closure;
    ct_pool *pool = e->pool;
    for (int k = 0; k < e->f->n; k++) {
        ct_ex *rate = b + k * width + c->r;
        for (int i = 0; i < c->r; i++)
            *rate =
                ct_add(pool, *rate, ct_mul(pool, b[k * width + i], e->f->qd[c->independent[i]]));
        *rate = ct_let_whole(pool, *rate);
    }
}

// G = M B and F - M A, by the entries of M.
static void by_entries(const ct_embedder *e, const ct_ex *mass, const ct_ex *force, const ct_ex *b,
                       const ct_ex *a, ct_ex *g, ct_ex *left) {
    ct_pool *pool = e->pool;
    int n = e->f->n, r = e->closure->r, width = r + 1;
    ct_ex *m = ct_scratch((size_t)(n * n) + 1, sizeof *m);
    for (int i = 0; i < n * n; i++) m[i] = ct_let_whole(pool, mass[i]);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < r; k++) g[i * r + k] = product(e, m + i * n, 1, b + k, width);
        ct_ex pull = product(e, m + i * n, 1, a, 1);
        left[i] = ct_let_whole(pool, ct_sub(pool, ct_substitute(e->rates, force[i]), pull));
    }
}

// The same swept over the bodies, with the accelerations B and A: M does not occur.
static void by_sweeps(const ct_embedder *e, const ct_ex *b, const ct_ex *a, ct_ex *g, ct_ex *left) {
    ct_pool *pool = e->pool;
    const ct_formulation *f = e->f;
    const ct_ex *inertia = e->along_floating ? f->along_floating.inertia : f->inertia,
                *balance = e->along_floating ? f->along_floating.balance : f->balance;
    int n = f->n, r = e->closure->r, width = r + 1;
    for (int k = 0; k <= r; k++) {
        ct_substitution *moved = ct_substitution_new(pool);
        for (int j = 0; j < n; j++)
            ct_substitution_map(moved, f->qdd[j], k < r ? b[j * width + k] : a[j]);
        for (int i = 0; i < n; i++) {
            ct_ex x = ct_values_replace(e->values, k < r ? inertia[i] : balance[i]);
            x = ct_substitute(moved, x);
            if (k < r)
                g[i * r + k] = ct_let_whole(pool, x);
            else
                left[i] = ct_let_whole(pool, ct_substitute(e->rates, x));
        }
        ct_substitution_free(moved);
    }
}

static double cost(const ct_embedder *e, int r, const ct_ex *h, const ct_ex *x) {
    int n = r * r + r;
    ct_ex *roots = ct_scratch((size_t)n + 1, sizeof *roots);
    memcpy(roots, h, (size_t)(r * r) * sizeof *roots);
    memcpy(roots + r * r, x, (size_t)r * sizeof *roots);
    return ct_operations_total(ct_count_shared(e->pool, n, roots));
}

// h = B^T M B (lower half), x = B^T (F - M A). mass NULL: by sweeps alone.
static void project(ct_embedder *e, const ct_ex *mass, const ct_ex *force, ct_ex *h, ct_ex *x) {
    const ct_closure *c = e->closure;
    int n = e->f->n, r = c->r, width = r + 1;
    bool later = rates_from_b(e);
    ct_ex *b = ct_scratch((size_t)(n * width) + 1, sizeof *b),
          *a = ct_scratch((size_t)n + 1, sizeof *a);
    // B: unit rates of the independent coordinates, one after the other; q' in the last column
    for (int i = 0; i < r; i++) {
        b[c->independent[i] * width + i] = CT_ONE;
        if (!later) b[c->independent[i] * width + r] = e->f->qd[c->independent[i]];
    }
    ct_embed_solve(e, width, b, CT_RIGHT_RATES);
    if (later) add_rates(e, b, width);
    ct_embed_set_rates(e, b, width, r);
    // A: accelerations where those of the independent coordinates are zero
    ct_embed_solve(e, 1, a, CT_RIGHT_ACCELERATIONS);
    // H = B^T G and B^T (F - M A), either of them by entries of M or swept
    enum { WAYS = 2 };
    size_t square = (size_t)(r * r), all = square + (size_t)r;
    ct_ex *ways = ct_scratch(WAYS * all + 1, sizeof *ways),
          *g = ct_scratch((size_t)(n * r) + 1, sizeof *g),
          *left = ct_scratch((size_t)n + 1, sizeof *left);
    int first = mass ? 0 : 1, n_ways = e->f->qdd && r ? WAYS - first : 1;
    for (int w = 0; w < n_ways; w++) {
        ct_ex *hw = ways + (size_t)w * all, *xw = hw + square;
        if (first + w)
            by_sweeps(e, b, a, g, left);
        else
            by_entries(e, mass, force, b, a, g, left);
        for (int k = 0; k < r; k++) {
            for (int d = 0; d <= k; d++) hw[k * r + d] = product(e, b + k, width, g + d, r);
            xw[k] = product(e, b + k, width, left, 1);
        }
    }
    // the cheapest pair; by a little only, sharing and factoring may turn it round later
    const double clearly = 0.98;
    double least = 0;
    for (int w = 0; w < n_ways * n_ways; w++) {
        const ct_ex *hw = ways + (size_t)(w % n_ways) * all,
                    *xw = ways + (size_t)(w / n_ways) * all + square;
        double price = cost(e, r, hw, xw);
        if (w && price >= clearly * least) continue;
        least = price;
        memcpy(h, hw, square * sizeof *h);
        memcpy(x, xw, (size_t)r * sizeof *x);
    }
}

// solved -----------------------------------------------------------------------------------------
static ct_ex entry(int r, const ct_ex *h, int i, int j) {
    return i >= j ? h[i * r + j] : h[j * r + i];
}

// Minimum-degree order: the next coordinate is the one with the fewest neighbours left. Returns about
// how many operations the factorization and the solution take.
static double order(int r, const ct_ex *h, int *out) {
    size_t n = (size_t)r;
    double operations = 0;
    bool *linked = ct_scratch(n * n + 1, sizeof *linked), *done = ct_scratch(n + 1, sizeof *done);
    // neighbours: entries of H that are not zero
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) linked[i * r + j] = i != j && entry(r, h, i, j) != CT_ZERO;
    for (int k = 0; k < r; k++) {
        // the coordinate with the fewest neighbours
        int best = -1, fewest = r + 1;
        for (int i = 0; i < r; i++) {
            int degree = 0;
            for (int j = 0; j < r; j++) degree += !done[j] && linked[i * r + j];
            if (!done[i] && degree < fewest) {
                best = i;
                fewest = degree;
            }
        }
        // its neighbours, k of them, become neighbours of each other: k divisions, k (k + 1) / 2
        // products that are subtracted, 2 k of these and a division for the right side
        operations += (double)fewest * (fewest + 6) + 2;
        done[best] = true;
        out[k] = best;
        for (int i = 0; i < r; i++)
            for (int j = 0; j < r; j++)
                if (i != j && linked[best * r + i] && linked[best * r + j])
                    linked[i * r + j] = true;
    }
    return operations;
}

double ct_embed_price(const ct_formulation *f, const ct_ex *mass, const ct_ex *forcing) {
    int n = f->n * f->n;
    int *at = ct_scratch((size_t)f->n + 1, sizeof *at);
    ct_ex *roots = ct_scratch((size_t)(n + f->n) + 1, sizeof *roots);
    memcpy(roots, mass, (size_t)n * sizeof *roots);
    memcpy(roots + n, forcing, (size_t)f->n * sizeof *roots);
    return ct_operations_total(ct_count_shared(f->pool, n + f->n, roots)) + order(f->n, mass, at);
}

// Guard against a pivot that is rounding error compared with its diagonal entry: the masses do not
// determine the motion.
static void guard_mass(ct_embedder *e, ct_ex pivot, ct_ex diagonal) {
    ct_pool *pool = e->pool;
    ct_ex ten = ct_int(pool, 10), share = ct_power_int(pool, ten, CT_GUARD_MASS),
          tiny = ct_power_int(pool, ten, CT_GUARD_PIVOT);
    if (pivot != diagonal) pivot = ct_sub(pool, pivot, ct_mul(pool, share, diagonal));
    ct_embed_guard(e, ct_sub(pool, pivot, tiny), CT_STEP_MASS);
}

// a - sum f_k g_k over k < n.
static ct_ex reduced(ct_pool *pool, ct_ex a, int n, const ct_ex *f, int step_f, const ct_ex *g,
                     int step_g) {
    ct_ex *terms = ct_alloc((size_t)n + 1, sizeof *terms);
    int count = 0;
    terms[count++] = a;
    for (int k = 0; k < n; k++)
        if (f[k * step_f] != CT_ZERO && g[k * step_g] != CT_ZERO)
            terms[count++] = ct_neg(pool, ct_mul(pool, f[k * step_f], g[k * step_g]));
    ct_ex r = ct_let_whole(pool, ct_sum(pool, count, terms));
    return r;
}

// Solves H x = right in the order `at`; x holds the right side and gets the solution.
static void eliminate(ct_embedder *e, int r, const int *at, const ct_ex *h, ct_ex *x) {
    ct_pool *pool = e->pool;
    size_t n = (size_t)r;
    ct_ex *a = ct_scratch(n * n + 1, sizeof *a), *l = ct_scratch(n * n + 1, sizeof *l),
          *y = ct_scratch(n + 1, sizeof *y), *one_over = ct_scratch(n + 1, sizeof *one_over);
    for (int j = 0; j < r; j++) {
        // a_ij = h_ij - sum l_ik a_jk
        for (int i = j; i < r; i++) {
            ct_ex start = entry(r, h, at[i], at[j]);
            a[i * r + j] = reduced(pool, start, j, l + i * r, 1, a + j * r, 1);
        }
        // the pivot must not vanish
        ct_ex pivot = a[j * r + j];
        guard_mass(e, pivot, entry(r, h, at[j], at[j]));
        // without any mass the guard has the last word
        one_over[j] =
            pivot == CT_ZERO ? CT_ZERO : ct_let_whole(pool, ct_power_int(pool, pivot, -1));
        // l_ij = a_ij / a_jj, y_j = x_j - sum l_jk y_k
        for (int i = j + 1; i < r; i++)
            l[i * r + j] = ct_let_whole(pool, ct_mul(pool, a[i * r + j], one_over[j]));
        y[j] = reduced(pool, x[at[j]], j, l + j * r, 1, y, 1);
    }
    // x_j = y_j / a_jj - sum l_kj x_k
    for (int j = r - 1; j >= 0; j--) {
        ct_ex start = ct_mul(pool, y[j], one_over[j]);
        y[j] = reduced(pool, start, r - 1 - j, l + (j + 1) * r + j, r, y + j + 1, 1);
    }
    for (int j = 0; j < r; j++) x[at[j]] = y[j];
}

// Solves H x = right, unrolled along the pattern of H or, if that is long, by a segment.
static void accelerate(ct_embedder *e, int r, const ct_ex *h, ct_ex *x) {
    int *at = ct_scratch((size_t)r + 1, sizeof *at);
    if (order(r, h, at) <= CT_UNROLLED) {
        eliminate(e, r, at, h, x);
        return;
    }
    ct_ex *full = ct_scratch((size_t)r * (size_t)r, sizeof *full);
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) full[i * r + j] = entry(r, h, i, j);
    ct_embed_segment(e, CT_STEP_MASS, r, 1, full, x);
}

// the program -----------------------------------------------------------------------------------
// The projected equations, by projecting or by condensing, whichever is cheaper. e->rates are those
// of the way that was taken.
static void reduce(ct_embedder *e, const ct_ex *mass, const ct_ex *force, ct_ex *h, ct_ex *x) {
    int r = e->closure->r;
    // with B written out
    bool written_out = true;
    for (int i = 0; i < e->n_rows; i++) written_out = written_out && e->rows[i].inverse.n;
    project(e, mass, force, h, x);
    if (!written_out || !r || !mass) return;
    // block by block, where every block has an inverse in symbols
    ct_ex *other = ct_scratch((size_t)(r * r + r) + 1, sizeof *other);
    ct_substitution *kept = e->rates;
    e->rates = NULL;
    ct_embed_condense(e, mass, force, other, other + r * r);
    // the cheaper one, with its rates
    if (cost(e, r, other, other + r * r) < cost(e, r, h, x)) {
        memcpy(h, other, (size_t)(r * r) * sizeof *h);
        memcpy(x, other + r * r, (size_t)r * sizeof *x);
        ct_substitution_free(kept);
    } else {
        ct_substitution_free(e->rates);
        e->rates = kept;
    }
}

// q'' = T a of floating bases, where accelerations a along their axes were solved for.
static void turn_back(const ct_embedder *e, ct_ex *x) {
    const ct_closure *c = e->closure;
    ct_pool *pool = e->pool;
    for (int i = 0; i < e->f->n_floating && e->along_floating; i++) {
        const ct_floating *base = e->f->floating + i;
        int at[3] = {0};
        ct_ex a[3];
        for (int k = 0; k < c->r; k++)
            for (int j = 0; j < 3; j++)
                if (c->independent[k] == base->coordinate[j]) at[j] = k;
        for (int j = 0; j < 3; j++) a[j] = ct_let_whole(pool, x[at[j]]);
        for (int j = 0; j < 3; j++) {
            ct_ex sum = CT_ZERO;
            for (int k = 0; k < 3; k++) {
                ct_ex t = ct_values_replace(e->values, base->turn[3 * j + k]);
                sum = ct_add(pool, sum, ct_mul(pool, t, a[k]));
            }
            x[at[j]] = sum;
        }
    }
}

// qi'' from the equations of motion, projected.
static void from_equations(ct_embedder *e, const ct_ex *equations, ct_ex *x) {
    int n = e->f->n, r = e->closure->r;
    size_t all = equations ? (size_t)(n * n + n) : 0;
    ct_ex *mass = equations ? ct_scratch(all + 1, sizeof *mass) : NULL,
          *force = equations ? mass + n * n : NULL, *h = ct_scratch((size_t)(r * r) + 1, sizeof *h);
    // M and F in values
    for (size_t i = 0; i < all; i++) mass[i] = ct_values_replace(e->values, equations[i]);
    reduce(e, mass, force, h, x);
    accelerate(e, r, h, x);
}

// The same for a pivot of a recursion and what it is measured by, a constant.
static void guard_pivot(ct_embedder *e, ct_ex pivot, ct_ex scale) {
    ct_pool *pool = e->pool;
    ct_ex ten = ct_int(pool, 10),
          least = ct_add(pool, ct_mul(pool, ct_power_int(pool, ten, CT_GUARD_MASS), scale),
                         ct_power_int(pool, ten, CT_GUARD_PIVOT));
    ct_embed_guard(e, ct_sub(pool, pivot, ct_let_whole(pool, least)), CT_STEP_MASS);
}

// qi'' of a tree, where all coordinates are independent.
static void from_tree(ct_embedder *e, const ct_accelerations *tree, ct_ex *x) {
    const ct_closure *c = e->closure;
    ct_embed_rates(e);
    for (int i = 0; i < c->r; i++) {
        int k = c->independent[i];
        x[i] = ct_values_replace(e->values, tree->qdd[k]);
        guard_pivot(e, ct_values_replace(e->values, tree->pivot[k]), tree->scale[k]);
    }
}

void ct_embed_dynamics(ct_embedder *e, const ct_embedded_equations *how) {
    int r = e->closure->r;
    ct_ex *x = ct_scratch((size_t)r + 1, sizeof *x);
    ct_embed_begin(e, &e->closure->dynamics);
    if (how->tree)
        from_tree(e, how->tree, x);
    else
        from_equations(e, how->entries, x);
    // qi'' is set, with the guards of the blocks
    turn_back(e, x);
    for (int i = 0; i < r; i++) ct_segment_set(&e->last, i, x[i]);
    ct_embed_guard_rows(e);
    ct_embed_end(e);
    // a segment of its own for the power, which is computed on request
    e->last = (ct_segment){.kind = CT_SEGMENT_PLAIN, .step = -1};
    ct_segment_set(&e->last, r, ct_substitute(e->rates, ct_values_replace(e->values, e->f->power)));
    ct_embed_end(e);
}
