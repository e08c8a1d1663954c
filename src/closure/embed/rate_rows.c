// Rate blocks as linear equations. Every block is split by the block triangular form of its
// Jacobian; small parts are inverted in symbols, large ones are solved by a segment.
#include "closure/embed/embed_inside.h"
#include "numeric/triangular_form.h"
#include "formulate/whole_rotation.h"

#include <stdlib.h>
#include <string.h>

// shapes of expressions --------------------------------------------------------------------------
// Puts terms of psi with the same numerical factor into brackets. In mechanisms with equal legs the
// brackets (entries of a rotation) and their derivatives are shared by all legs:
//   a x + a y - a z = a (x + y - z)
static ct_ex bracketed(ct_pool *pool, ct_ex a) {
    fmpq_t lead, x, y;
    fmpq_init(lead);
    fmpq_init(x);
    fmpq_init(y);
    // psi = factor * sum
    ct_ex sum = a, factor = CT_ONE;
    if (ct_ex_op(pool, a) == CT_OP_PRODUCT && ct_child_count(pool, a) == 3 &&
        ct_child(pool, a, 2) == CT_ONE) {
        factor = ct_child(pool, a, 0);
        sum = ct_child(pool, a, 1);
    }
    int n = ct_ex_op(pool, sum) == CT_OP_SUM ? (ct_child_count(pool, sum) - 1) / 2 : 0, kept = 0;
    // the constant term stays by itself
    bool *taken = ct_scratch((size_t)n + 1, sizeof *taken);
    ct_ex *terms = ct_scratch((size_t)n + 2, sizeof *terms),
          *group = ct_scratch((size_t)n + 1, sizeof *group);
    if (n) terms[kept++] = ct_child(pool, sum, 0);
    for (int i = 0; i < n; i++) {
        if (taken[i]) continue;
        // terms with the same absolute factor as term i
        int members = 0;
        ct_ex c = ct_child(pool, sum, 1 + 2 * i);
        ct_number_get(pool, c, x);
        fmpq_abs(lead, x);
        for (int j = i; j < n; j++) {
            ct_number_get(pool, ct_child(pool, sum, 1 + 2 * j), y);
            fmpq_abs(y, y);
            if (!fmpq_equal(y, lead)) continue;
            ct_number_get(pool, ct_child(pool, sum, 1 + 2 * j), y);
            fmpq_div(y, y, x);
            group[members++] = ct_mul(pool, ct_number(pool, y), ct_child(pool, sum, 2 + 2 * j));
            taken[j] = true;
        }
        // c (sum of them), opaque unless it is a single term or the factor is 1
        ct_ex inside = ct_sum(pool, members, group);
        bool bracket = members > 1 && !fmpq_is_one(lead);
        terms[kept++] = ct_mul(pool, c, bracket ? ct_let(pool, inside) : inside);
    }
    ct_ex r = n ? ct_mul(pool, factor, ct_sum(pool, kept, terms)) : a;
    fmpq_clear(lead);
    fmpq_clear(x);
    fmpq_clear(y);
    return r;
}

// rows -------------------------------------------------------------------------------------------
static bool is_unknown(const ct_rows *rows, int k) {
    for (int i = 0; i < rows->n; i++)
        if (rows->unknown[i] == k) return true;
    return false;
}

static ct_ex partial(const ct_embedder *e, ct_ex a, int k) {
    ct_derivation *d = ct_partial_derivation(e->f, k);
    ct_ex r = ct_derive(d, a);
    ct_derivation_free(d);
    return r;
}

// K and psi_t of row i: partial derivatives by other coordinates and by time, in values.
static void derive(ct_embedder *e, ct_rows *rows, int i, ct_ex psi, ct_derivation *partial_t) {
    ct_pool *pool = e->pool;
    const ct_formulation *f = e->f;
    ct_ex shared = bracketed(pool, psi);
    int count = 0;
    rows->other[i] = ct_scratch((size_t)f->n + 1, sizeof **rows->other);
    rows->k[i] = ct_scratch((size_t)f->n + 1, sizeof **rows->k);
    for (int k = 0; k < f->n; k++) {
        if (is_unknown(rows, k) || !ct_formulation_depends(f, shared, k)) continue;
        ct_ex d = ct_let_whole(pool, ct_values_replace(e->values, partial(e, shared, k)));
        if (d == CT_ZERO) continue;
        rows->other[i][count] = k;
        rows->k[i][count++] = d;
    }
    rows->n_others[i] = count;
    rows->psi_t[i] = ct_let_whole(pool, ct_values_replace(e->values, ct_derive(partial_t, shared)));
}

// Splits psi = own(unknowns) + rest(other coordinates, time). Returns false if a term depends on
// both.
static bool separate(ct_embedder *e, const ct_rows *rows, ct_ex psi, ct_ex *own, ct_ex *rest) {
    ct_pool *pool = e->pool;
    *own = CT_ZERO;
    *rest = CT_ZERO;
    bool good = true;
    ct_ex *terms;
    int n = ct_embed_terms(pool, psi, &terms);
    for (int i = 0; i < n && good; i++) {
        bool in = false, out = ct_depends_on_time(e->f->model, pool, terms[i]);
        for (int k = 0; k < e->f->n; k++)
            if (ct_formulation_depends(e->f, terms[i], k))
                *(is_unknown(rows, k) ? &in : &out) = true;
        good = !(in && out);
        *(in ? own : rest) = ct_add(pool, *(in ? own : rest), terms[i]);
    }
    return good;
}

static ct_ex minus_second(ct_pool *pool, ct_ex a, ct_derivation *time) {
    return ct_neg(pool, ct_derive(time, ct_derive(time, a)));
}

static double arithmetic(ct_pool *pool, int n, const ct_ex *a) {
    ct_operations c = ct_count_shared(pool, n, a);
    return c.add + c.mul + c.div;
}

// gamma = -psi'' at zero accelerations. If base * (the part of the unknowns alone) is simpler than
// that part, it goes to gamma_own.
static void accelerate(ct_embedder *e, ct_rows *rows, const ct_ex *psi, ct_derivation *time) {
    ct_pool *pool = e->pool;
    int n = rows->n;
    // psi = own + rest
    bool apart = rows->inverse.n && rows->inverse.in_coordinates;
    ct_ex own[CT_WRITTEN_OUT], rest[CT_WRITTEN_OUT], seen[CT_WRITTEN_OUT];
    for (int i = 0; i < n && apart; i++) apart = separate(e, rows, psi[i], own + i, rest + i);
    // base * (-own''), simplified
    if (apart) {
        for (int i = 0; i < n; i++) own[i] = minus_second(pool, own[i], time);
        for (int i = 0; i < n; i++)
            seen[i] = ct_embed_simplify(
                pool, ct_dot(pool, n, rows->inverse.in_coordinates + i * n, 1, own, 1));
        // the detour costs about four operations per unknown elsewhere
        apart = arithmetic(pool, n, seen) + 4 * n < arithmetic(pool, n, own);
    }
    // gamma = -rest'' and gamma_own, or gamma = -psi''
    for (int i = 0; i < n; i++) {
        ct_ex shared = bracketed(pool, apart ? rest[i] : psi[i]);
        rows->gamma[i] = ct_values_replace(e->values, minus_second(pool, shared, time));
        rows->gamma_own[i] = apart ? ct_values_replace(e->values, seen[i]) : CT_ZERO;
    }
}

// One part of a block: n rows and columns of its Jacobian that are solved together.
static void add_rows(ct_embedder *e, const ct_rate_block *block, const ct_ex *psi, int n,
                     const int *row, const int *column, const ct_ex *jacobian, ct_derivation *time,
                     ct_derivation *partial_t) {
    ct_pool *pool = e->pool;
    size_t size = (size_t)n;
    // an empty part
    ct_rows *b = e->rows + e->n_rows++;
    *b = (ct_rows){.step = block->step, .n = n, .tear = block->tear};
    b->unknown = ct_scratch(size, sizeof *b->unknown);
    b->jacobian = ct_scratch(size * size, sizeof *b->jacobian);
    b->n_others = ct_scratch(size, sizeof *b->n_others);
    b->other = ct_scratch(size, sizeof *b->other);
    b->k = ct_scratch(size, sizeof *b->k);
    b->psi_t = ct_scratch(size, sizeof *b->psi_t);
    b->gamma = ct_scratch(size, sizeof *b->gamma);
    b->gamma_own = ct_scratch(size, sizeof *b->gamma_own);
    ct_ex *in_coordinates = ct_scratch(size * size, sizeof *in_coordinates),
          *mine = ct_scratch(size, sizeof *mine);
    // its equations, unknowns and Jacobian
    for (int i = 0; i < n; i++) mine[i] = psi[row[i]];
    for (int i = 0; i < n; i++) b->unknown[i] = block->unknown[column[i]];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            in_coordinates[i * n + j] = jacobian[row[i] * block->n + column[j]];
            b->jacobian[i * n + j] =
                ct_let_whole(pool, ct_values_replace(e->values, in_coordinates[i * n + j]));
        }
    // K and psi_t
    for (int i = 0; i < n; i++) derive(e, b, i, mine[i], partial_t);
    // J^-1 and gamma; the matrix of a tear block depends on the blocks that it closes
    if (n <= CT_WRITTEN_OUT && !b->tear)
        ct_inverse_find(e, &b->inverse, n, b->jacobian, in_coordinates);
    accelerate(e, b, mine, time);
}

// psi as it is or multiplied out, whichever has the cheaper derivatives psi' and psi''.
static void choose_psi(ct_embedder *e, const ct_rate_block *block, ct_ex *psi,
                       ct_derivation *time) {
    ct_pool *pool = e->pool;
    int n = block->n;
    ct_ex *roots = ct_scratch(2 * (size_t)n, sizeof *roots);
    double cost[2];
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < n; i++) {
            psi[i] = way ? block->psi[i] : ct_embed_expand(pool, block->psi[i]);
            roots[2 * i] = ct_derive(time, bracketed(pool, psi[i]));
            roots[2 * i + 1] = ct_derive(time, roots[2 * i]);
        }
        cost[way] = ct_operations_total(ct_count_shared(pool, 2 * n, roots));
    }
    for (int i = 0; i < n && cost[0] <= cost[1]; i++) psi[i] = ct_embed_expand(pool, psi[i]);
}

// Splits a block by the pattern of its Jacobian; a tear block stays whole.
static void split_block(ct_embedder *e, const ct_rate_block *block, ct_derivation *time,
                        ct_derivation *partial_t) {
    int n = block->n;
    ct_ex *jacobian = ct_scratch((size_t)n * (size_t)n, sizeof *jacobian),
          *psi = ct_scratch((size_t)n, sizeof *psi);
    choose_psi(e, block, psi, time);
    bool *pattern = ct_scratch((size_t)n * (size_t)n, sizeof *pattern);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            ct_ex d = partial(e, psi[i], block->unknown[j]);
            jacobian[i * n + j] = d;
            pattern[i * n + j] = d != CT_ZERO || block->tear;
        }
    ct_groups g;
    ct_groups_find(&g, n, pattern);
    for (int k = 0; k < g.n; k++)
        add_rows(e, block, psi, g.first[k + 1] - g.first[k], g.row + g.first[k],
                 g.column + g.first[k], jacobian, time, partial_t);
}

void ct_embed_blocks(ct_embedder *e) {
    const ct_formulation *f = e->f;
    ct_derivation *time = ct_derivation_new(e->pool), *partial_t = ct_derivation_new(e->pool);
    for (int k = 0; k < f->n; k++) {
        ct_derivation_map(time, f->q[k], f->qd[k]);
        ct_derivation_map(time, f->qd[k], CT_ZERO);
    }
    ct_derivation_map_time(time, f->model);
    ct_whole_rotation_derivation(f, time);
    ct_derivation_map_time(partial_t, f->model);
    int most = 0;
    for (int i = 0; i < e->closure->n_rate_blocks; i++) most += e->closure->rate_blocks[i].n;
    e->rows = ct_scratch((size_t)most + 1, sizeof *e->rows);
    for (int i = 0; i < e->closure->n_rate_blocks; i++)
        split_block(e, e->closure->rate_blocks + i, time, partial_t);
    ct_derivation_free(time);
    ct_derivation_free(partial_t);
}

// right sides ------------------------------------------------------------------------------------
ct_ex ct_embed_gamma(const ct_embedder *e, const ct_rows *rows, int i) {
    return ct_let_whole(e->pool, ct_substitute(e->rates, rows->gamma[i]));
}

ct_ex ct_embed_own(const ct_embedder *e, const ct_rows *rows, int i) {
    return ct_let_whole(e->pool, ct_substitute(e->rates, rows->gamma_own[i]));
}

void ct_embed_set_rates(ct_embedder *e, const ct_ex *x, int columns, int column) {
    ct_substitution_free(e->rates);
    e->rates = ct_substitution_new(e->pool);
    for (int k = 0; k < e->f->n; k++) {
        e->rate[k] = x[k * columns + column];
        if (!e->closure->is_independent[k]) ct_substitution_map(e->rates, e->f->qd[k], e->rate[k]);
    }
}
