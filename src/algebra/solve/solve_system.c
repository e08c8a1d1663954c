// Values, derivatives and residuals of a polynomial system at a complex point, in balls.
#include "algebra/solve/solve_inside.h"

// prod_k x_k^e_k without unknown `without` (-1: all).
static void power_product(const ct_ring *ring, acb_t out, const uint32_t *e, acb_srcptr x,
                          int without, slong bits) {
    acb_t p;
    acb_init(p);
    acb_one(out);
    for (int k = 0; k < ring->n; k++) {
        if (!e[k] || k == without) continue;
        if (e[k] == 1) {
            acb_mul(out, out, x + k, bits);
        } else {
            acb_pow_ui(p, x + k, e[k], bits);
            acb_mul(out, out, p, bits);
        }
    }
    acb_clear(p);
}

static void add_derivatives(const ct_ring *ring, acb_mat_struct *j, slong row, const fmpz_t c,
                            const uint32_t *e, acb_srcptr x, slong bits) {
    acb_t v, p;
    acb_init(v), acb_init(p);
    for (int k = 0; k < ring->n; k++) {
        if (!e[k]) continue;
        power_product(ring, v, e, x, k, bits);
        if (e[k] > 1) {
            acb_pow_ui(p, x + k, e[k] - 1, bits);
            acb_mul(v, v, p, bits);
            acb_mul_ui(v, v, e[k], bits);
        }
        acb_addmul_fmpz(acb_mat_entry(j, row, k), v, c, bits);
    }
    acb_clear(v), acb_clear(p);
}

void ct_system_evaluate(const ct_ring *ring, const ct_polys *equations, const int *rows, int n_rows,
                        acb_srcptr x, acb_ptr f, acb_mat_struct *j, slong bits) {
    acb_t v;
    acb_init(v);
    if (j) acb_mat_zero(j);
    for (int r = 0; r < n_rows; r++) {
        const ct_poly *g = equations->p + (rows ? rows[r] : r);
        acb_zero(f + r);
        for (slong i = 0; i < g->n; i++) {
            const uint32_t *e = ct_poly_exps(ring, g, i);
            power_product(ring, v, e, x, -1, bits);
            acb_addmul_fmpz(f + r, v, g->coefs + i, bits);
            if (j) add_derivatives(ring, j, r, g->coefs + i, e, x, bits);
        }
    }
    acb_clear(v);
}

double ct_system_residual(const ct_ring *ring, const ct_polys *equations, acb_srcptr x,
                          slong bits) {
    double worst = 0;
    acb_t v, f;
    arb_t size, a;
    acb_init(v), acb_init(f), arb_init(size), arb_init(a);
    for (int r = 0; r < equations->n; r++) {
        const ct_poly *g = equations->p + r;
        acb_zero(f), arb_zero(size);
        for (slong i = 0; i < g->n; i++) {
            power_product(ring, v, ct_poly_exps(ring, g, i), x, -1, bits);
            acb_mul_fmpz(v, v, g->coefs + i, bits);
            acb_add(f, f, v, bits);
            acb_abs(a, v, bits);
            arb_add(size, size, a, bits);
        }
        // |f| over the sum of |terms|
        acb_abs(a, f, bits);
        if (arf_is_zero(arb_midref(size))) continue;
        arb_div(a, a, size, bits);
        double e = arf_get_d(arb_midref(a), ARF_RND_UP);
        if (!(e <= worst)) worst = e;
        if (isnan(worst)) break;
    }
    acb_clear(v), acb_clear(f), arb_clear(size), arb_clear(a);
    return worst;
}

ct_enclosed_point *ct_points_add(ct_points *list) {
    ct_enclosed_point *p = CT_PUSH(list->point, list->n, list->room);
    *p = (ct_enclosed_point){.x = _acb_vec_init(list->n_unknowns), .multiplicity = 1};
    return p;
}
