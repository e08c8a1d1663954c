// Sums of angles as unknowns. In a chain of hinges the equations hold cos(a), cos(a + b),
// cos(a + b + c): with these sums as unknowns each equation is linear in their cosines and sines,
// where joint angles would give products. The change is by an integer matrix of determinant +-1, so
// no assembly is lost or doubled.
#include "configurations/loops/loop_system.h"

#include "expr/pool.h"

#include <flint/fmpz_mat.h>

#include <stdlib.h>
#include <string.h>

typedef struct forms {
    const ct_loop_system *s;
    int n_angles, *angle; // unknown angles (coordinates)
    int n, room;
    long *a; // [n * f->n] coefficients of all coordinates
} forms;

static int column(const forms *l, ct_ex symbol) {
    for (int k = 0; k < l->s->f->n; k++)
        if (l->s->f->q[k] == symbol) return k;
    return -1;
}

// Adds times * e to the row; false where e is no whole combination of coordinates and constants.
static bool take_apart(const forms *l, fmpq_t times, ct_ex e, long *row) {
    ct_pool *pool = l->s->f->pool;
    ct_op op = ct_ex_op(pool, e);
    int n = ct_child_count(pool, e), k = column(l, e);
    if (k >= 0) {
        if (!fmpz_is_one(fmpq_denref(times)) || fmpz_bits(fmpq_numref(times)) > 6) return false;
        row[k] += fmpz_get_si(fmpq_numref(times));
        return true;
    }
    if (!(ct_ex_kinds(pool, e) & 1u << CT_SYMBOL_COORDINATE)) return true;
    if (op == CT_OP_LET) return take_apart(l, times, ct_child(pool, e, 0), row);
    bool scaled = op == CT_OP_PRODUCT && n == 3 && ct_child(pool, e, 2) == CT_ONE;
    if (op != CT_OP_SUM && !scaled) return false;
    bool ok = true;
    fmpq_t c;
    fmpq_init(c);
    for (int i = scaled ? 0 : 1; i + 1 < n && ok; i += 2) {
        fmpq_mul(c, times, ct_value(pool, ct_child(pool, e, i)));
        ok = take_apart(l, c, ct_child(pool, e, i + 1), row);
        if (scaled) break;
    }
    fmpq_clear(c);
    return ok;
}

static long weight(const forms *l, const long *row) {
    long w = 0;
    for (int i = 0; i < l->n_angles; i++) w += labs(row[l->angle[i]]);
    return w;
}

static void add_form(forms *l, ct_ex argument) {
    size_t n = (size_t)l->s->f->n;
    // the argument as an integer combination of coordinates, with an unknown angle in it
    long *row = ct_alloc(n + 1, sizeof *row);
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    bool ok = take_apart(l, one, argument, row) && weight(l, row) > 0;
    fmpq_clear(one);
    // cos(-a) is cos(a): the first unknown angle counts forwards
    for (int i = 0; i < l->n_angles && ok; i++) {
        if (!row[l->angle[i]]) continue;
        if (row[l->angle[i]] < 0)
            for (size_t k = 0; k < n; k++) row[k] = -row[k];
        break;
    }
    // rows with the same unknown part count once
    for (int i = 0; i < l->n && ok; i++) {
        bool same = true;
        for (int k = 0; k < l->n_angles; k++)
            same = same && l->a[(size_t)i * n + (size_t)l->angle[k]] == row[l->angle[k]];
        ok = !same;
    }
    // one more row of the list
    if (ok) {
        if (l->n == l->room) {
            l->room = l->room ? 2 * l->room : 16;
            l->a = ct_realloc(l->a, (size_t)l->room * n, sizeof *l->a);
        }
        memcpy(l->a + (size_t)l->n++ * n, row, n * sizeof *row);
    }
    ct_free(row);
}

static void find_forms(forms *l) {
    const ct_formulation *f = l->s->exact;
    ct_substitution *gears = ct_substitution_new(f->pool);
    for (int k = 0; k < f->n; k++)
        if (l->s->expression[k] != f->q[k])
            ct_substitution_map(gears, f->q[k], l->s->expression[k]);
    ct_ex *roots = ct_alloc((size_t)(f->m + f->n_guards) + 1, sizeof *roots), *order;
    int n = 0;
    for (int i = 0; i < f->m; i++)
        roots[n++] = ct_substitute(gears, ct_substitute(l->s->constants.known, f->phi[i]));
    int count = n ? ct_walk(f->pool, n, roots, &order) : 0;
    for (int i = 0; i < count; i++) {
        ct_op op = ct_ex_op(f->pool, order[i]);
        if (op == CT_OP_SIN || op == CT_OP_COS) add_form(l, ct_child(f->pool, order[i], 0));
    }
    if (n) ct_free(order);
    ct_free(roots);
    ct_substitution_free(gears);
}

// Rows of the square matrix: short forms first, then single angles until it is full.
static bool choose(forms *l, int *chosen, fmpz_mat_t m) {
    int n = l->n_angles, rank = 0;
    fmpz_mat_t trial;
    fmpz_mat_init(trial, n, n);
    for (long w = 1; w <= 64 * n && rank < n; w++)
        for (int i = 0; i < l->n + n && rank < n; i++) {
            const long *row = i < l->n ? l->a + (size_t)i * (size_t)l->s->f->n : NULL;
            if (row ? weight(l, row) != w : w != 64 * n) continue;
            for (int k = 0; k < n; k++)
                fmpz_set_si(fmpz_mat_entry(m, rank, k), row ? row[l->angle[k]] : i - l->n == k);
            fmpz_mat_set(trial, m);
            for (int j = rank + 1; j < n; j++)
                for (int k = 0; k < n; k++) fmpz_zero(fmpz_mat_entry(trial, j, k));
            if (fmpz_mat_rank(trial) == rank + 1) chosen[rank++] = i;
        }
    fmpz_mat_clear(trial);
    return rank == n;
}

// Index of the symbol of a sum, a new one where needed; a single angle has its own.
static int sum_symbol(ct_loop_system *s, const long *row) {
    int single = -1, terms = 0;
    ct_text name = {0};
    ct_text_add(&name, "(");
    for (int k = 0; k < s->f->n; k++) {
        if (!row[k]) continue;
        single = row[k] == 1 ? k : -1;
        terms++;
        ct_text_printf(&name, "%s", row[k] < 0 ? "-" : terms > 1 ? "+" : "");
        if (labs(row[k]) != 1) ct_text_printf(&name, "%ld*", labs(row[k]));
        ct_text_add(&name, s->f->names[k]);
    }
    ct_text_add(&name, ")");
    int k = single;
    if (terms > 1 || single < 0) {
        k = s->n++;
        s->symbols[k] = ct_symbol(s->f->pool, CT_SYMBOL_OTHER, name.s);
    }
    ct_text_clear(&name);
    return k;
}

// angle_k = sum_i inverse_ki (sum_i - known part of sum_i)
static void express(forms *l, ct_loop_system *s, const int *chosen, const fmpz_mat_t inverse) {
    ct_formulation *f = s->f;
    int n = l->n_angles;
    long *single = ct_alloc((size_t)f->n + 1, sizeof *single);
    ct_ex *known = ct_alloc((size_t)n + 1, sizeof *known);
    int *symbol = ct_alloc((size_t)n + 1, sizeof *symbol);
    // sums take the place of the angles among the unknowns
    for (int k = 0; k < n; k++) s->unknown[l->angle[k]] = false;
    for (int i = 0; i < n; i++) {
        memset(single, 0, (size_t)f->n * sizeof *single);
        const long *row = single;
        if (chosen[i] < l->n)
            row = l->a + (size_t)chosen[i] * (size_t)f->n;
        else
            single[l->angle[chosen[i] - l->n]] = 1;
        // its symbol, and the part of it that is known
        symbol[i] = sum_symbol(s, row);
        s->unknown[symbol[i]] = true;
        known[i] = CT_ZERO;
        for (int k = 0; k < f->n; k++)
            if (row[k] && s->known[k])
                known[i] =
                    ct_add(f->pool, known[i], ct_mul(f->pool, ct_int(f->pool, row[k]), f->q[k]));
    }
    // angles in terms of the sums, by the inverse matrix
    for (int k = 0; k < n; k++) {
        ct_ex sum = CT_ZERO;
        for (int i = 0; i < n; i++)
            sum =
                ct_add(f->pool, sum,
                       ct_mul(f->pool, ct_int(f->pool, fmpz_get_si(fmpz_mat_entry(inverse, k, i))),
                              ct_sub(f->pool, s->symbols[symbol[i]], known[i])));
        s->expression[l->angle[k]] = sum;
    }
    ct_free(single);
    ct_free(known);
    ct_free(symbol);
}

void ct_loop_system_angles(ct_loop_system *s) {
    const ct_formulation *f = s->f;
    forms l = {.s = s, .angle = ct_alloc((size_t)f->n + 1, sizeof(int))};
    bool *geared = ct_alloc((size_t)f->n + 1, sizeof *geared);
    // unknown angles: neither given nor tied by gears
    for (int k = 0; k < f->n; k++) {
        geared[k] = s->expression[k] != f->q[k];
        s->unknown[k] = !s->known[k] && !geared[k];
        if (s->unknown[k] && f->is_angle[k]) l.angle[l.n_angles++] = k;
    }
    // arguments of sines and cosines, and as many of them as there are angles
    find_forms(&l);
    int *chosen = ct_alloc((size_t)l.n_angles + 1, sizeof *chosen);
    fmpz_mat_t m;
    fmpz_t d;
    fmpz_mat_init(m, l.n_angles, l.n_angles);
    fmpz_init(d);
    if (l.n_angles && choose(&l, chosen, m)) {
        // determinant +-1: no assembly is lost; angles, and geared coordinates, in sums
        if (fmpz_mat_inv(m, d, m) && fmpz_is_pm1(d)) {
            if (!fmpz_is_one(d)) fmpz_mat_neg(m, m);
            express(&l, s, chosen, m);
            ct_substitution *sums = ct_substitution_new(f->pool);
            for (int i = 0; i < l.n_angles; i++)
                ct_substitution_map(sums, f->q[l.angle[i]], s->expression[l.angle[i]]);
            for (int k = 0; k < f->n; k++)
                if (geared[k]) s->expression[k] = ct_substitute(sums, s->expression[k]);
            ct_substitution_free(sums);
        }
    }
    fmpz_mat_clear(m);
    fmpz_clear(d);
    ct_free(chosen);
    ct_free(geared);
    ct_free(l.angle);
    ct_free(l.a);
}
