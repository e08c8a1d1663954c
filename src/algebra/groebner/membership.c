// A proof that a basis is of this ideal and of no larger one. The inputs are made homogeneous with
// one more unknown h. For homogeneous ideals the rank of the multiples of degree d modulo a prime
// is at most that over Q, so if F lies in <G>, G is a Gröbner basis over Q, and the basis of F
// modulo p has the leading monomials of G, then both ideals have the same dimension in every degree:
// <F> = <G> (Arnold 2003). With h = 1 these elements lie in the ideal of the inputs, and exact
// division by them shows the same of the basis in question.
#include "algebra/groebner/groebner.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

static ct_ring *homogeneous_ring(ct_context *ctx, const ct_ring *ring) {
    const char **names = ct_alloc((size_t)ring->n + 1, sizeof *names);
    for (int k = 0; k < ring->n; k++) names[k] = ring->names[k];
    names[ring->n] = "(h)"; // no name of the language
    ct_ring *h = ct_ring_simple(ctx, ring->n + 1, names, CT_DEGREVLEX);
    ct_free(names);
    return h;
}

static void homogenise(const ct_ring *to, ct_poly *out, const ct_ring *ring, const ct_poly *f) {
    uint64_t degree = 0;
    for (slong i = 0; i < f->n; i++) {
        uint64_t d = ct_monomial_degree(ring, ct_poly_exps(ring, f, i));
        if (d > degree) degree = d;
    }
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *from = ct_poly_exps(ring, f, i);
        uint32_t e[CT_UNKNOWNS_MAX];
        memcpy(e, from, (size_t)ring->n * sizeof *e);
        e[ring->n] = (uint32_t)(degree - ct_monomial_degree(ring, from));
        ct_poly_push(to, out, e, f->coefs + i);
    }
    ct_poly_canonical(to, out);
}

// h = 1
static void affine(const ct_ring *to, ct_poly *out, const ct_ring *ring, const ct_poly *f) {
    for (slong i = 0; i < f->n; i++) ct_poly_push(to, out, ct_poly_exps(ring, f, i), f->coefs + i);
    ct_poly_canonical(to, out);
}

static bool same_leads(const ct_ring *ring, const ct_polys *a, const ct_polys *b) {
    bool same = a->n == b->n;
    for (int i = 0; i < a->n && same; i++)
        same = !memcmp(a->p[i].exps, b->p[i].exps, (size_t)ring->n * sizeof *a->p[i].exps);
    return same;
}

// The homogeneous basis over Q, known to be of the ideal of `in`.
static ct_status prove_homogeneous(ct_context *ctx, const ct_ring *ring, ct_polys *basis,
                                   const ct_polys *in, const ct_groebner_options *options,
                                   bool *proved) {
    enum { FIRST_PRIME = 1 << 30 };
    ct_groebner_options exact = *options, modular = *options;
    ct_polys check = {0};
    exact.prove = true;
    ct_status status = ct_groebner(ctx, ring, basis, in, &exact);
    // a prime of its own
    modular.prime = (uint32_t)n_nextprime(FIRST_PRIME, 1);
    if (!status) status = ct_groebner(ctx, ring, &check, in, &modular);
    *proved = !status && same_leads(ring, basis, &check);
    ct_polys_clear(ring, &check);
    return status;
}

ct_status ct_groebner_prove(ct_context *ctx, const ct_ring *ring, const ct_polys *basis,
                            const ct_polys *in, const ct_groebner_options *options, bool *proved) {
    const ct_groebner_options none = {0};
    *proved = false;
    if (ring->n_symbols || ring->n >= CT_UNKNOWNS_MAX) return CT_OK;
    // inputs made homogeneous, their basis
    ct_ring *h = homogeneous_ring(ctx, ring);
    ct_ring *plain = ct_ring_reorder(ctx, ring, 1, &(ct_order_block){ring->n, CT_DEGREVLEX});
    ct_polys raised = {0}, generators = {0}, lowered = {0};
    for (int i = 0; i < in->n; i++) homogenise(h, ct_polys_add(&raised), ring, &in->p[i]);
    ct_status status =
        prove_homogeneous(ctx, h, &generators, &raised, options ? options : &none, proved);
    for (int i = 0; i < generators.n; i++)
        affine(plain, ct_polys_add(&lowered), h, &generators.p[i]);
    // every element of the basis by exact division
    for (int i = 0; i < basis->n && !status && *proved; i++) {
        ct_poly f, rest;
        ct_poly_init(&f);
        ct_poly_init(&rest);
        ct_poly_convert(plain, &f, ring, &basis->p[i], NULL);
        *proved = ct_remainder(plain, &rest, &f, &lowered, 0) && rest.n == 0;
        ct_poly_clear(plain, &f);
        ct_poly_clear(plain, &rest);
    }
    ct_polys_clear(h, &raised);
    ct_polys_clear(h, &generators);
    ct_polys_clear(plain, &lowered);
    ct_ring_free(h);
    ct_ring_free(plain);
    return status;
}
