// Saturation by the trick of Rabinowitsch: with one more unknown t, larger than all others,
//   I : h^infinity  =  (I, 1 - t h)  without t,   h the product of what is divided out.
#include "algebra/groebner/groebner.h"

#include <stdlib.h>

#define T_NAME "t_saturation"

static ct_ring *extended_ring(ct_context *ctx, const ct_ring *ring) {
    const char *names[CT_UNKNOWNS_MAX + 1] = {T_NAME};
    for (int k = 0; k < ring->n; k++) names[k + 1] = ring->names[k];
    ct_order_block *blocks = ct_scratch((size_t)ring->n_blocks + 1, sizeof *blocks);
    blocks[0] = (ct_order_block){1, CT_DEGREVLEX};
    for (int b = 0; b < ring->n_blocks; b++) blocks[b + 1] = ring->blocks[b];
    return ct_ring_new(ctx, ring->n + 1, names, ring->n_blocks + 1, blocks, ring->n_symbols,
                       (const char *const *)ring->symbols);
}

// f = t h - 1
static ct_status inverse_relation(ct_context *ctx, const ct_ring *ring, const ct_ring *big,
                                  const int *map, ct_poly *f, const ct_polys *by) {
    uint32_t one[CT_UNKNOWNS_MAX] = {0}, t[CT_UNKNOWNS_MAX] = {1};
    fmpz_t c;
    fmpz_init_set_ui(c, 1);
    ct_poly_push(big, f, t, c);
    ct_status status = CT_OK;
    for (int i = 0; i < by->n && status == CT_OK; i++) {
        ct_poly h;
        ct_poly_init(&h);
        ct_poly_convert(big, &h, ring, &by->p[i], map);
        status = ct_poly_mul(ctx, big, f, f, &h);
        ct_poly_clear(big, &h);
    }
    fmpz_set_si(c, -1);
    ct_poly_push(big, f, one, c);
    ct_poly_canonical(big, f);
    fmpz_clear(c);
    return status;
}

static void keep_without_t(const ct_ring *ring, const ct_ring *big, ct_polys *out,
                           const ct_polys *all) {
    for (int i = 0; i < all->n; i++) {
        const ct_poly *f = &all->p[i];
        if (f->exps[0]) continue; // the lead holds t if any term does
        ct_poly *g = ct_polys_add(out);
        for (slong k = 0; k < f->n; k++) {
            const uint32_t *e = ct_poly_exps(big, f, k) + 1;
            if (ring->n_symbols)
                ct_poly_push_symbolic(ring, g, e, f->symbolic + k);
            else
                ct_poly_push(ring, g, e, f->coefs + k);
        }
    }
}

ct_status ct_saturate(ct_context *ctx, const ct_ring *ring, ct_polys *out, const ct_polys *in,
                      const ct_polys *by, const ct_groebner_options *options) {
    ct_ring *big = extended_ring(ctx, ring);
    ct_polys result = {0};
    ct_status status = big ? CT_OK : CT_USAGE;
    if (big) {
        int map[CT_UNKNOWNS_MAX];
        for (int k = 0; k < ring->n; k++) map[k] = k + 1;
        ct_polys all = {0}, basis = {0};
        for (int i = 0; i < in->n; i++)
            ct_poly_convert(big, ct_polys_add(&all), ring, &in->p[i], map);
        status = inverse_relation(ctx, ring, big, map, ct_polys_add(&all), by);
        if (status == CT_OK) status = ct_groebner(ctx, big, &basis, &all, options);
        if (status == CT_OK) keep_without_t(ring, big, &result, &basis);
        ct_polys_clear(big, &all);
        ct_polys_clear(big, &basis);
        ct_ring_free(big);
    }
    ct_polys_clear(ring, out);
    *out = result;
    return status;
}
