// Polynomials in one unknown: arithmetic, and the forms in which roots are looked for.
#include "closure/steps/univariate.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = CT_UNIVARIATE };

ct_univariate ct_univariate_mul(ct_pool *pool, const ct_univariate *a, const ct_univariate *b) {
    ct_univariate r = {0};
    for (int i = 0; i <= TOP; i++)
        for (int k = 0; i + k <= TOP; k++) {
            ct_ex uu = ct_mul(pool, a->u[i], b->u[k]), vv = ct_mul(pool, a->v[i], b->v[k]);
            ct_ex uv = ct_add(pool, ct_mul(pool, a->u[i], b->v[k]), ct_mul(pool, a->v[i], b->u[k]));
            r.u[i + k] = ct_sum(pool, 3, (ct_ex[]){r.u[i + k], uu, vv});
            r.v[i + k] = ct_add(pool, r.v[i + k], uv);
            if (i + k + 2 <= TOP) r.u[i + k + 2] = ct_sub(pool, r.u[i + k + 2], vv);
        }
    return r;
}

void ct_univariate_add_term(ct_pool *pool, ct_univariate *p, ct_ex a, int i, int j) {
    static const int binomial[4][4] = {{1}, {1, -1}, {1, -2, 1}, {1, -3, 3, -1}};
    ct_ex *to = j % 2 ? p->v : p->u;
    for (int k = 0; k <= j / 2; k++)
        to[i + 2 * k] =
            ct_add(pool, to[i + 2 * k], ct_mul(pool, ct_int(pool, binomial[j / 2][k]), a));
}

ct_univariate ct_univariate_add(ct_pool *pool, const ct_univariate *a, int f,
                                const ct_univariate *b) {
    ct_univariate r;
    ct_ex factor = ct_int(pool, f);
    for (int i = 0; i <= TOP; i++) {
        r.u[i] = ct_add(pool, a->u[i], ct_mul(pool, factor, b->u[i]));
        r.v[i] = ct_add(pool, a->v[i], ct_mul(pool, factor, b->v[i]));
    }
    return r;
}

ct_univariate ct_univariate_cross(ct_pool *pool, const ct_univariate *a, const ct_univariate *b,
                                  const ct_univariate *c, const ct_univariate *d) {
    ct_univariate x = ct_univariate_mul(pool, a, b), y = ct_univariate_mul(pool, c, d);
    x = ct_univariate_add(pool, &x, -1, &y);
    for (int i = 0; i <= TOP; i++) {
        x.u[i] = ct_let(pool, x.u[i]);
        x.v[i] = ct_let(pool, x.v[i]);
    }
    return x;
}

int ct_univariate_top(const ct_univariate *a) {
    int top = -1;
    for (int i = 0; i <= TOP; i++) {
        if (a->u[i] != CT_ZERO && i > top) top = i;
        if (a->v[i] != CT_ZERO && i + 1 > top) top = i + 1;
    }
    return top;
}

bool ct_univariate_is_zero(const ct_univariate *a) {
    return ct_univariate_top(a) < 0;
}

// u(c) + s v(c) with even u and v holds s alone, by c^2 = 1 - s^2.
bool ct_univariate_pure(ct_pool *pool, const ct_univariate *a, bool *sine, ct_ex *out) {
    bool odd = false, any = false;
    for (int i = 0; i <= TOP; i++) {
        any = any || a->v[i] != CT_ZERO;
        odd = odd || (i % 2 && (a->u[i] != CT_ZERO || a->v[i] != CT_ZERO));
        out[i] = a->u[i];
    }
    *sine = any;
    if (!any) return true;
    if (odd) return false;
    ct_ex power[TOP / 2 + 1] = {CT_ONE}; // (1 - s^2)^i by powers of s^2
    for (int i = 0; i <= TOP; i++) out[i] = CT_ZERO;
    for (int i = 0; i <= TOP; i += 2) {
        for (int k = 0; 2 * k <= i; k++) {
            out[2 * k] = ct_add(pool, out[2 * k], ct_mul(pool, power[k], a->u[i]));
            if (2 * k < TOP)
                out[2 * k + 1] = ct_add(pool, out[2 * k + 1], ct_mul(pool, power[k], a->v[i]));
        }
        for (int k = TOP / 2; k > 0; k--) power[k] = ct_sub(pool, power[k], power[k - 1]);
    }
    return true;
}

// cos k x cos x = (cos (k + 1) x + cos (k - 1) x) / 2, and the same for sines
int ct_univariate_coefficients(ct_pool *pool, const ct_univariate *a, bool turn, ct_ex *out) {
    int top = ct_univariate_top(a);
    if (!turn) {
        for (int i = 0; i <= top; i++) out[i] = a->u[i];
        return top + 1;
    }
    ct_ex half = ct_rational(pool, 1, 2), cosine[TOP + 3] = {0}, sine[TOP + 3] = {0};
    for (int i = top; i >= 0; i--) { // Horner
        ct_ex c[TOP + 3] = {0}, s[TOP + 3] = {0};
        for (int k = 0; k <= top; k++) {
            ct_ex hc = ct_mul(pool, half, cosine[k]), hs = ct_mul(pool, half, sine[k]);
            int low = k > 0 ? k - 1 : 1; // of the cosine; sin 0 is nothing
            c[k + 1] = ct_add(pool, c[k + 1], hc);
            c[low] = ct_add(pool, c[low], hc);
            s[k + 1] = ct_add(pool, s[k + 1], hs);
            if (k > 1) s[k - 1] = ct_add(pool, s[k - 1], hs);
        }
        c[0] = ct_add(pool, c[0], a->u[i]);
        s[1] = ct_add(pool, s[1], a->v[i]);
        memcpy(cosine, c, sizeof c);
        memcpy(sine, s, sizeof s);
    }
    out[0] = cosine[0];
    for (int k = 1; k <= top; k++) {
        out[2 * k - 1] = cosine[k];
        out[2 * k] = sine[k];
    }
    return 2 * top + 1;
}

ct_ex ct_univariate_bound(ct_pool *pool, int rows, int n, const ct_ex *a) {
    ct_ex *terms = ct_alloc(2 * (size_t)(rows * n) + 1, sizeof *terms), *still = terms + rows * n;
    int moving = 0, constant = 0;
    for (int i = 0; i < rows * n; i++) {
        int k = (i % n + 1) / 2 + (i >= n);
        if (!k || a[i] == CT_ZERO) continue;
        bool is_still = !(ct_ex_kinds(pool, a[i]) & ~(1u << CT_SYMBOL_PARAMETER));
        ct_ex size = ct_apply(pool, CT_OP_ABS, a + i);
        *(is_still ? still + constant++ : terms + moving++) =
            ct_mul(pool, ct_int(pool, k * k), size);
    }
    terms[moving] = ct_let(pool, ct_sum(pool, constant, still));
    ct_ex sum = ct_sum(pool, moving + 1, terms);
    free(terms);
    return sum;
}
