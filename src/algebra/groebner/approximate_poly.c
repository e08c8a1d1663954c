// Polynomials with bracket coefficients: f - c m g, division with remainder, normal form, text.
#include "algebra/groebner/approximate_inside.h"

#include <stdlib.h>
#include <string.h>

void ct_bracket_init(ct_bracket_poly *f, const ct_ring *ring, slong room) {
    *f = (ct_bracket_poly){0, ct_alloc((size_t)(room * ring->n) + 1, sizeof *f->exps), NULL};
    f->c = _arb_vec_init(room + 1);
    f->n = 0;
}

void ct_bracket_clear(ct_bracket_poly *f, slong room) {
    if (f->c) _arb_vec_clear(f->c, room + 1);
    free(f->exps);
    *f = (ct_bracket_poly){0};
}

static const uint32_t *exps_of(const ct_ring *ring, const ct_bracket_poly *f, slong i) {
    return f->exps + i * ring->n;
}

void ct_bracket_copy(const ct_ring *ring, ct_bracket_poly *f, const ct_bracket_poly *g) {
    ct_bracket_init(f, ring, g->n);
    f->n = g->n;
    memcpy(f->exps, g->exps, (size_t)(g->n * ring->n) * sizeof *g->exps);
    _arb_vec_set(f->c, g->c, g->n);
}

static void push(const ct_ring *ring, ct_bracket_poly *f, const uint32_t *e, const arb_t c) {
    if (arb_contains_zero(c)) return; // the bound reaches the value: zero
    memcpy(f->exps + f->n * ring->n, e, (size_t)ring->n * sizeof *e);
    arb_set(f->c + f->n++, c);
}

// f[from..] - by * m * g[1..] where f[from] is cancelled by by * m * g[0]: terms before `from`
// stay.
void ct_bracket_cancel(const ct_ring *ring, ct_bracket_poly *f, slong from, const uint32_t *m,
                       const ct_bracket_poly *g, slong bits) {
    ct_bracket_poly r;
    slong room = f->n + g->n, i = from + 1, j = 1, old = f->n;
    ct_bracket_init(&r, ring, room);
    arb_t c;
    arb_init(c);
    for (slong k = 0; k < from; k++) push(ring, &r, exps_of(ring, f, k), f->c + k);
    while (i < f->n || j < g->n) {
        uint32_t e[CT_UNKNOWNS_MAX];
        for (int k = 0; j < g->n && k < ring->n; k++) e[k] = exps_of(ring, g, j)[k] + m[k];
        int order = i == f->n   ? -1
                    : j == g->n ? 1
                                : ct_monomial_compare(ring, exps_of(ring, f, i), e);
        if (order > 0) {
            push(ring, &r, exps_of(ring, f, i), f->c + i);
            i++;
            continue;
        }
        arb_mul(c, f->c + from, g->c + j, bits);
        arb_neg(c, c);
        if (order == 0) arb_add(c, f->c + i++, c, bits);
        push(ring, &r, e, c);
        j++;
    }
    arb_clear(c);
    ct_bracket_poly t = *f;
    ct_bracket_copy(ring, f, &r);
    ct_bracket_clear(&t, old);
    ct_bracket_clear(&r, room);
}

void ct_bracket_monic(ct_bracket_poly *f, slong bits) {
    for (slong i = 1; i < f->n; i++) arb_div(f->c + i, f->c + i, f->c, bits);
    if (f->n) arb_one(f->c);
}

bool ct_bracket_reduce(const ct_ring *ring, ct_bracket_poly *f, const ct_brackets *by, int without,
                       slong bits) {
    bool changed = false;
    for (slong i = 0; i < f->n;) {
        int g = 0;
        for (; g < by->n; g++)
            if (g != without && by->p[g].n &&
                ct_monomial_divides(ring, by->p[g].exps, exps_of(ring, f, i)))
                break;
        if (g == by->n) {
            i++;
            continue;
        }
        uint32_t m[CT_UNKNOWNS_MAX];
        for (int k = 0; k < ring->n; k++) m[k] = exps_of(ring, f, i)[k] - by->p[g].exps[k];
        ct_bracket_cancel(ring, f, i, m, by->p + g, bits);
        changed = true;
    }
    ct_bracket_monic(f, bits);
    return changed;
}

// S-polynomial of monic f and g: (lcm / lead f) f - (lcm / lead g) g.
void ct_bracket_pair(const ct_ring *ring, ct_bracket_poly *s, const ct_bracket_poly *f,
                     const ct_bracket_poly *g, slong bits) {
    uint32_t m[CT_UNKNOWNS_MAX];
    ct_bracket_copy(ring, s, f);
    for (int k = 0; k < ring->n; k++) {
        uint32_t top = FLINT_MAX(f->exps[k], g->exps[k]);
        for (slong i = 0; i < s->n; i++) s->exps[i * ring->n + k] += top - f->exps[k];
        m[k] = top - g->exps[k];
    }
    ct_bracket_cancel(ring, s, 0, m, g, bits);
}

void ct_brackets_print(const ct_ring *ring, ct_text *out, const ct_bracket_poly *f, int digits) {
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *e = exps_of(ring, f, i);
        double c = arf_get_d(arb_midref(f->c + i), ARF_RND_NEAR);
        bool constant = ct_monomial_degree(ring, e) == 0;
        ct_text_add(out, i ? (c < 0 ? " - " : " + ") : (c < 0 ? "-" : ""));
        if (c < 0) c = -c;
        slong known = (slong)((double)arb_rel_accuracy_bits(f->c + i) * 0.30103);
        int shown = known < 1 ? 1 : known < digits ? (int)known : digits;
        if (c != 1 || constant) ct_text_printf(out, "%.*g%s", shown, c, constant ? "" : "*");
        for (int k = 0, first = 1; k < ring->n; k++) {
            if (!e[k]) continue;
            ct_text_printf(out, "%s%s", first ? "" : "*", ring->names[k]);
            if (e[k] > 1) ct_text_printf(out, "^%u", e[k]);
            first = 0;
        }
    }
    if (!f->n) ct_text_add(out, "0");
}
