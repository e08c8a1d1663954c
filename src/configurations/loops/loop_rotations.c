// Rotations as unknowns. A body whose three angles are all unknown is better described by the nine
// entries of its rotation: the equations are quadratic in them, and no orientation counts twice, as
// it does with angles. The equations, polynomials in cosines and sines, are rewritten exactly: each
// coefficient of a monomial in the other unknowns is a combination of products of at most two
// entries (a linear system over Q). Added are  R^T R = R R^T = 1  and  R = cofactors of R.
#include "configurations/loops/loop_system.h"

#include "formulate/layout.h"

#include <flint/fmpq_mat.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXPONENTS = 5, PART = 2 * EXPONENTS, MONOMIALS = PART * PART * PART, CANDIDATES = 55 };

// where the rotations are -------------------------------------------------------------------------
static int find_symbol(const ct_loop_system *s, ct_ex symbol) {
    for (int k = 0; k < s->f->n; k++)
        if (s->f->q[k] == symbol) return k;
    return -1;
}

int ct_loop_axis(ct_vec3 u) {
    for (int i = 0; i < 3; i++)
        if (u.v[i] == CT_ONE) return i;
    return -1;
}

static void add_rotation(ct_loop_system *s, const ct_connection *c) {
    ct_loop_rotation r = {.matrix = ct_connection_rotation(s->f->pool, c, 0, 3)};
    for (int i = 0; i < 3; i++) {
        r.axis[i] = ct_loop_axis(c->axis[i]);
        r.angle[i] = find_symbol(s, c->angle[i]);
        if (r.axis[i] < 0 || r.angle[i] < 0 || !s->unknown[r.angle[i]]) return;
        if (s->expression[r.angle[i]] != s->f->q[r.angle[i]]) return;
    }
    const char *name = s->f->names[r.angle[0]];
    const char *dot = strrchr(name, '.');
    int length = dot ? (int)(dot - name) : (int)strlen(name);
    for (int i = 0; i < 9; i++) {
        char *entry = ct_format("%.*s.r%d%d", length, name, i / 3 + 1, i % 3 + 1);
        r.entry[i] = s->n;
        s->symbols[s->n++] = ct_symbol(s->f->pool, CT_SYMBOL_OTHER, entry);
        ct_free(entry);
    }
    s->rotations[s->n_rotations++] = r;
}

void ct_loop_system_rotations(ct_loop_system *s) {
    const ct_graph *g = s->f->graph;
    const ct_layout *l = s->f->layout;
    s->rotations = ct_alloc((size_t)s->f->n / 3 + 1, sizeof *s->rotations);
    for (int e = 0; e < g->n_edges; e++) {
        bool branch = g->edges[e].kind == CT_EDGE_BODY || g->edges[e].kind == CT_EDGE_JOINT;
        if (branch && g->tree[CT_ROTATION].has[e] && l->connections[e].n_rot == 3)
            add_rotation(s, l->connections + e);
    }
}

// rewriting ---------------------------------------------------------------------------------------
// Number of the monomial in the three pairs, which is taken out of e; -1: too high.
static int take_inner(const ct_loop_rotation *r, ulong *e) {
    int code = 0;
    for (int i = 0; i < 3; i++) {
        ulong *c = e + 3 * r->angle[i] + CT_COSINE, *s = e + 3 * r->angle[i] + CT_SINE;
        if (*c >= EXPONENTS || *s > 1) return -1;
        code = PART * code + (int)(2 * *c + *s);
        *c = *s = 0;
    }
    return code;
}

// Products of at most two entries: pairs (i, j), -1 for none, low degrees first.
static void candidate(int index, int *i, int *j) {
    *i = *j = -1;
    if (index == 0) return;
    if (index <= 9) {
        *i = index - 1;
        return;
    }
    index -= 10;
    for (*i = 0; index >= 9 - *i; ++*i) index -= 9 - *i;
    *j = *i + index;
}

typedef struct rewriting {
    ct_loop_system *s;
    const ct_loop_rotation *r;
    fmpq_mat_t columns; // [MONOMIALS x CANDIDATES]
} rewriting;

static bool fill_column(const ct_trig *trig, const ct_loop_rotation *r, fmpq_mpoly_t f,
                        fmpq_mat_t m, int column) {
    ulong *e = ct_alloc(3 * (size_t)trig->n + 1, sizeof *e);
    bool ok = true;
    ct_trig_lower(trig, f, 3, r->angle);
    for (slong t = 0; t < fmpq_mpoly_length(f, trig->ctx) && ok; t++) {
        fmpq_mpoly_get_term_exp_ui(e, f, t, trig->ctx);
        int row = take_inner(r, e);
        ok = row >= 0;
        if (ok) fmpq_mpoly_get_term_coeff_fmpq(fmpq_mat_entry(m, row, column), f, t, trig->ctx);
    }
    ct_free(e);
    return ok;
}

static bool fill_candidates(rewriting *w) {
    ct_trig *ring = &w->s->ring;
    ct_trig_error error;
    fmpq_mpoly_t f, g;
    fmpq_mpoly_init(f, ring->ctx);
    fmpq_mpoly_init(g, ring->ctx);
    bool ok = true;
    for (int k = 0; k < CANDIDATES && ok; k++) {
        int i, j;
        candidate(k, &i, &j);
        fmpq_mpoly_one(f, ring->ctx);
        for (int part = 0; part < 2 && ok; part++) {
            int entry = part ? j : i;
            if (entry < 0) continue;
            ok = !ct_trig_poly(ring, g, w->r->matrix.a[entry / 3][entry % 3], &error);
            fmpq_mpoly_mul(f, f, g, ring->ctx);
        }
        ok = ok && fill_column(ring, w->r, f, w->columns, k);
    }
    fmpq_mpoly_clear(f, ring->ctx);
    fmpq_mpoly_clear(g, ring->ctx);
    return ok;
}

// Coefficients of the candidates for each column of the right-hand side, into the rows of `found`;
// free ones are zero. Returns false if a column is no combination of the candidates.
static bool solve_columns(const rewriting *w, const fmpq_mat_t right, fmpq_mat_t found) {
    slong n = fmpq_mat_ncols(right);
    fmpq_mat_t m;
    fmpq_mat_init(m, MONOMIALS, CANDIDATES + n);
    for (slong i = 0; i < MONOMIALS; i++) {
        for (slong k = 0; k < CANDIDATES; k++)
            fmpq_set(fmpq_mat_entry(m, i, k), fmpq_mat_entry(w->columns, i, k));
        for (slong k = 0; k < n; k++)
            fmpq_set(fmpq_mat_entry(m, i, CANDIDATES + k), fmpq_mat_entry(right, i, k));
    }
    slong rank = fmpq_mat_rref(m, m);
    bool ok = true;
    for (slong i = 0; i < rank && ok; i++) {
        slong pivot = 0;
        while (fmpq_is_zero(fmpq_mat_entry(m, i, pivot))) pivot++;
        ok = pivot < CANDIDATES;
        for (slong k = 0; k < n && ok; k++)
            fmpq_set(fmpq_mat_entry(found, k, pivot), fmpq_mat_entry(m, i, CANDIDATES + k));
    }
    fmpq_mat_clear(m);
    return ok;
}

// The outer monomials of f, once each.
static int outer_monomials(const rewriting *w, const fmpq_mpoly_t f, ulong *outer, int *of_term) {
    const ct_trig *ring = &w->s->ring;
    size_t size = 3 * (size_t)ring->n;
    int n = 0;
    for (slong t = 0; t < fmpq_mpoly_length(f, ring->ctx); t++) {
        ulong *e = outer + (size_t)n * size;
        fmpq_mpoly_get_term_exp_ui(e, f, t, ring->ctx);
        if (take_inner(w->r, e) < 0) return -1;
        int same = 0;
        while (memcmp(outer + (size_t)same * size, e, size * sizeof *e)) same++;
        of_term[t] = same;
        n += same == n;
    }
    return n;
}

static bool rewrite_row(const rewriting *w, fmpq_mpoly_t f) {
    ct_trig *ring = &w->s->ring;
    size_t size = 3 * (size_t)ring->n;
    // monomials in the other unknowns, and the one of each term
    ct_trig_lower(ring, f, 3, w->r->angle);
    size_t terms = (size_t)fmpq_mpoly_length(f, ring->ctx);
    ulong *outer = ct_alloc((terms + 1) * size, sizeof *outer), *e = ct_alloc(size, sizeof *e);
    int *of_term = ct_alloc(terms + 1, sizeof *of_term);
    int n = outer_monomials(w, f, outer, of_term);
    bool ok = n > 0;
    // right-hand sides: coefficients by monomials in the three pairs, a column for each
    fmpq_mat_t right, found;
    fmpq_mat_init(right, MONOMIALS, ok ? n : 0);
    fmpq_mat_init(found, ok ? n : 0, CANDIDATES);
    for (slong t = 0; ok && t < (slong)terms; t++) {
        fmpq_mpoly_get_term_exp_ui(e, f, t, ring->ctx);
        fmpq_mpoly_get_term_coeff_fmpq(fmpq_mat_entry(right, take_inner(w->r, e), of_term[t]), f, t,
                                       ring->ctx);
    }
    // as combinations of products of at most two entries
    ok = ok && solve_columns(w, right, found);
    if (ok) {
        // the row in terms of the entries
        fmpq_mpoly_t g;
        fmpq_mpoly_init(g, ring->ctx);
        for (int k = 0; k < n; k++)
            for (int c = 0; c < CANDIDATES; c++) {
                if (fmpq_is_zero(fmpq_mat_entry(found, k, c))) continue;
                int i, j;
                candidate(c, &i, &j);
                memcpy(e, outer + (size_t)k * size, size * sizeof *e);
                if (i >= 0) e[3 * w->r->entry[i] + CT_ITSELF]++;
                if (j >= 0) e[3 * w->r->entry[j] + CT_ITSELF]++;
                fmpq_mpoly_set_coeff_fmpq_ui(g, fmpq_mat_entry(found, k, c), e, ring->ctx);
            }
        fmpq_mpoly_swap(f, g, ring->ctx);
        fmpq_mpoly_clear(g, ring->ctx);
    }
    fmpq_mat_clear(right);
    fmpq_mat_clear(found);
    ct_free(outer);
    ct_free(e);
    ct_free(of_term);
    return ok;
}

// what holds between the entries ------------------------------------------------------------------
static void product(const rewriting *w, fmpq_mpoly_t f, int a, int b, int sign) {
    const ct_trig *ring = &w->s->ring;
    fmpq_mpoly_t x, y;
    fmpq_mpoly_init(x, ring->ctx);
    fmpq_mpoly_init(y, ring->ctx);
    ct_trig_variable(ring, x, w->r->entry[a], CT_ITSELF);
    ct_trig_variable(ring, y, w->r->entry[b], CT_ITSELF);
    fmpq_mpoly_mul(x, x, y, ring->ctx);
    if (sign > 0)
        fmpq_mpoly_add(f, f, x, ring->ctx);
    else
        fmpq_mpoly_sub(f, f, x, ring->ctx);
    fmpq_mpoly_clear(x, ring->ctx);
    fmpq_mpoly_clear(y, ring->ctx);
}

static void add_relations(const rewriting *w, fmpq_mpoly_struct *out) {
    const ct_trig *ring = &w->s->ring;
    fmpq_mpoly_t x;
    int n = 0;
    for (int transposed = 0; transposed < 2; transposed++)
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++, n++) {
                fmpq_mpoly_init(out + n, ring->ctx);
                for (int k = 0; k < 3; k++)
                    product(w, out + n, transposed ? 3 * k + i : 3 * i + k,
                            transposed ? 3 * k + j : 3 * j + k, 1);
                if (i == j) fmpq_mpoly_sub_si(out + n, out + n, 1, ring->ctx);
            }
    fmpq_mpoly_init(x, ring->ctx);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++, n++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            fmpq_mpoly_init(out + n, ring->ctx);
            product(w, out + n, 3 * a + c, 3 * b + d, 1);
            product(w, out + n, 3 * a + d, 3 * b + c, -1);
            ct_trig_variable(ring, x, w->r->entry[3 * i + j], CT_ITSELF);
            fmpq_mpoly_sub(out + n, out + n, x, ring->ctx);
        }
    fmpq_mpoly_clear(x, ring->ctx);
}

// R = R_i(a) R_j(b) R_k(c), all axes different or i = k.
void ct_loop_angles_of(ct_pool *pool, const ct_ex *entry, const int *axis, ct_ex *angle) {
    int i = axis[0], j = axis[1], k = axis[2];
    bool proper = i == k;
    if (proper) k = 3 - i - j;
    ct_ex r[3][3], args[3][2];
    for (int n = 0; n < 9; n++) r[n / 3][n % 3] = entry[n];
    ct_ex e = ct_int(pool, (j - i + 3) % 3 == 1 ? 1 : -1), minus_e = ct_neg(pool, e);
    ct_ex across =
        ct_add(pool, ct_power_int(pool, r[i][proper ? k : i], 2), ct_power_int(pool, r[i][j], 2));
    if (proper) {
        args[0][0] = r[j][i], args[0][1] = ct_mul(pool, minus_e, r[k][i]);
        args[1][0] = ct_sqrt(pool, across), args[1][1] = r[i][i];
        args[2][0] = r[i][j], args[2][1] = ct_mul(pool, e, r[i][k]);
    } else {
        args[0][0] = ct_mul(pool, minus_e, r[j][k]), args[0][1] = r[k][k];
        args[1][0] = ct_mul(pool, e, r[i][k]), args[1][1] = ct_sqrt(pool, across);
        args[2][0] = ct_mul(pool, minus_e, r[i][j]), args[2][1] = r[i][i];
    }
    for (int n = 0; n < 3; n++) angle[n] = ct_apply(pool, CT_OP_ATAN2, args[n]);
}

static void express_angles(ct_loop_system *s, const ct_loop_rotation *r) {
    ct_ex entry[9], angle[3];
    for (int i = 0; i < 9; i++) entry[i] = s->symbols[r->entry[i]];
    ct_loop_angles_of(s->f->pool, entry, r->axis, angle);
    for (int i = 0; i < 3; i++) s->expression[r->angle[i]] = angle[i];
}

// For each rotation by three angles: the n rows in the nine entries of its matrix instead, if every
// row can be written in them; else the rows stay in the angles. Gives the number of rows, the
// relations between entries included.
int ct_loop_system_rewrite(ct_loop_system *s, int n, fmpq_mpoly_struct **rows) {
    for (int k = 0; k < s->n_rotations; k++) {
        // every row must have a new form, so a copy is rewritten
        ct_loop_rotation *r = s->rotations + k;
        rewriting w = {.s = s, .r = r};
        fmpq_mat_init(w.columns, MONOMIALS, CANDIDATES);
        fmpq_mpoly_struct *copy = ct_alloc((size_t)n + CT_RELATIONS, sizeof *copy);
        for (int i = 0; i < n; i++) {
            fmpq_mpoly_init(copy + i, s->ring.ctx);
            fmpq_mpoly_set(copy + i, *rows + i, s->ring.ctx);
        }
        bool ok = fill_candidates(&w);
        for (int i = 0; i < n && ok; i++) ok = rewrite_row(&w, copy + i);
        r->used = ok;
        // the copy takes the place of the rows; relations between the entries behind them
        if (ok) {
            fmpq_mpoly_struct *old = *rows;
            *rows = copy;
            copy = old;
            add_relations(&w, *rows + n);
            // unknowns are the nine entries instead of three angles
            express_angles(s, r);
            for (int i = 0; i < 3; i++) s->unknown[r->angle[i]] = false;
            for (int i = 0; i < 9; i++) s->unknown[r->entry[i]] = true;
        }
        // free the rows that are not used, old or new
        for (int i = 0; i < n; i++) fmpq_mpoly_clear(copy + i, s->ring.ctx);
        ct_free(copy);
        n += ok ? CT_RELATIONS : 0;
        fmpq_mat_clear(w.columns);
    }
    return n;
}
