// The least columns by self-stresses of unknowns that stand in no equation, such as what hinges carry
// across the plane of a mechanism. The columns are y = y0 + S z, linear in these unknowns z, and their
// sum of squares is least for
//   S^T S z = -S^T y0,   S^T S = L D L^T.
// What of S is zero is known, and much of the rest is 1 or -1. So the factors are written as expressions,
// along an order of pivots with few entries, numbers first.
#include "formulate/reactions/reactions.h"

#include <string.h>

// Products of the factors L D L^T that code is written for. Beyond, the code would take longer to
// compile than it saves: the kernel finds these self-stresses one by one.
enum { MOST_PRODUCTS = 20000 };

typedef struct squares {
    ct_pool *pool;
    int n;         // unknowns
    int *order;    // [n] of pivots
    bool *is_done; // [n]
    ct_ex *a;      // [n n] S^T S, then L below D, by unknowns
    ct_ex *z;      // [n]
} squares;

static ct_ex *entry(const squares *s, int i, int j) {
    return s->a + (size_t)i * (size_t)s->n + j;
}

static ct_ex kept(ct_pool *pool, ct_ex a) {
    return ct_is_number(pool, a) ? a : ct_let(pool, a);
}

// a -= b c
static void take(ct_pool *pool, ct_ex *a, ct_ex b, ct_ex c) {
    if (b != CT_ZERO && c != CT_ZERO) *a = kept(pool, ct_sub(pool, *a, ct_mul(pool, b, c)));
}

// The next pivot: a number where there is one, else the one with the fewest entries beside it.
static int choose(const squares *s, int *entries) {
    int best = -1;
    bool best_is_number = false;
    for (int i = 0; i < s->n; i++) {
        int count = 0;
        const bool is_number = ct_is_number(s->pool, *entry(s, i, i));
        if (s->is_done[i]) continue;
        for (int j = 0; j < s->n; j++) count += !s->is_done[j] && *entry(s, i, j) != CT_ZERO;
        if (best >= 0 &&
            (best_is_number > is_number || (best_is_number == is_number && count >= *entries)))
            continue;
        best = i;
        best_is_number = is_number;
        *entries = count;
    }
    return best;
}

// L D L^T in the place of S^T S. Returns false if that takes too many products.
static bool factor(squares *s) {
    long products = 0;
    for (int step = 0; step < s->n; step++) {
        int entries = 0, p = s->order[step] = choose(s, &entries);
        s->is_done[p] = true;
        products += (long)entries * entries / 2;
        if (products > MOST_PRODUCTS) return false;
        const ct_ex inverse = kept(s->pool, ct_power_int(s->pool, *entry(s, p, p), -1));
        // L_ip = A_ip / D_p;  A_ij -= L_ip A_pj, which stays symmetric
        for (int i = 0; i < s->n; i++) {
            if (s->is_done[i] || *entry(s, p, i) == CT_ZERO) continue;
            *entry(s, i, p) = kept(s->pool, ct_mul(s->pool, *entry(s, p, i), inverse));
        }
        for (int i = 0; i < s->n; i++)
            for (int j = 0; j <= i && !s->is_done[i]; j++) {
                if (s->is_done[j]) continue;
                take(s->pool, entry(s, i, j), *entry(s, i, p), *entry(s, p, j));
                *entry(s, j, i) = *entry(s, i, j);
            }
    }
    return true;
}

// z = -(L D L^T)^-1 S^T y0, of which z has the right side.
static void solve(squares *s) {
    for (int k = 0; k < s->n; k++)
        for (int i = k + 1; i < s->n; i++)
            take(s->pool, s->z + s->order[i], *entry(s, s->order[i], s->order[k]),
                 s->z[s->order[k]]);
    for (int k = s->n - 1; k >= 0; k--) {
        const int p = s->order[k];
        s->z[p] = kept(s->pool, ct_div(s->pool, s->z[p], *entry(s, p, p)));
        for (int i = k + 1; i < s->n; i++)
            take(s->pool, s->z + p, *entry(s, s->order[i], p), s->z[s->order[i]]);
    }
}

// Slopes of the columns by the unknowns, [columns n]. Returns false if an effort has one: it is chosen
// before the joints are.
static bool find_slopes(const ct_reactions *r, ct_pool *pool, int n, const int *unknown,
                        ct_ex *slope) {
    for (int c = 0; c < r->groups.n_columns; c++)
        for (int k = 0; k < n; k++) {
            const ct_ex x = r->unknown[unknown[k]];
            if (!ct_depends(pool, r->column[c], x)) continue;
            slope[c * n + k] = kept(pool, ct_diff(pool, r->column[c], x));
            if (c < r->groups.n_efforts) return false;
        }
    return true;
}

void ct_reactions_find_least(ct_reactions *r, ct_pool *pool) {
    if (!r->n_fronts) return;
    const ct_front *last = r->fronts + r->n_fronts - 1;
    if (last->n_rows || last->n_children || last->is_silent) return;
    const int n = last->n_own, columns = r->groups.n_columns;
    const size_t room = (size_t)n + 1;
    squares s = {.pool = pool, .n = n};
    s.order = ct_scratch(room, sizeof *s.order);
    s.is_done = ct_scratch(room, sizeof *s.is_done);
    s.a = ct_scratch(room * room, sizeof *s.a);
    s.z = ct_scratch(room, sizeof *s.z);
    ct_ex *slope = ct_scratch(room * ((size_t)columns + 1), sizeof *slope),
          *least = ct_scratch((size_t)columns + 1, sizeof *least),
          *whole = ct_scratch(room, sizeof *whole),
          *part = ct_scratch((size_t)columns + room, sizeof *part);
    if (!find_slopes(r, pool, n, last->own, slope)) return;
    // y0: columns without these unknowns
    ct_substitution *without = ct_substitution_new(pool);
    for (int k = 0; k < n; k++) ct_substitution_map(without, r->unknown[last->own[k]], CT_ZERO);
    for (int c = 0; c < columns; c++) least[c] = kept(pool, ct_substitute(without, r->column[c]));
    ct_substitution_free(without);
    // S^T S and -S^T y0
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            for (int c = 0; c < columns; c++)
                part[c] = ct_mul(pool, slope[c * n + i], slope[c * n + j]);
            *entry(&s, i, j) = *entry(&s, j, i) = kept(pool, ct_sum(pool, columns, part));
        }
        for (int c = 0; c < columns; c++)
            part[c] = ct_neg(pool, ct_mul(pool, slope[c * n + i], least[c]));
        s.z[i] = kept(pool, ct_sum(pool, columns, part));
        whole[i] = *entry(&s, i, i);
        if (whole[i] == CT_ZERO) return;
    }
    if (!factor(&s)) return;
    solve(&s);
    // y0 + S z; of each pivot its share of the square that it began with
    for (int c = 0; c < columns; c++) {
        int terms = 0;
        part[terms++] = least[c];
        for (int k = 0; k < n; k++)
            if (slope[c * n + k] != CT_ZERO) part[terms++] = ct_mul(pool, slope[c * n + k], s.z[k]);
        least[c] = ct_sum(pool, terms, part);
    }
    for (int k = 0; k < n; k++) whole[k] = ct_div(pool, *entry(&s, k, k), whole[k]);
    r->n_loose = n;
    r->least = least;
    r->share = whole;
}
