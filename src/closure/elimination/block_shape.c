// The shape of a block: solutions are counted by a Gröbner basis; the minimal polynomial of an
// unknown x is the first linear dependence among 1, x, x^2, ... in the quotient ring.
#include "closure/elimination/block_shape.h"

#include <flint/fmpz_mpoly.h>
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

static const double most_work = 6e6; // work of one basis modulo a prime
enum { VARIABLES = 20 };

ct_ring *ct_block_number_ring(const ct_ring *ring) {
    ct_context *quiet = ct_context_quiet(NULL);
    ct_ring *number_ring = ct_ring_new(quiet, ring->n, (const char *const *)ring->names,
                                       ring->n_blocks, ring->blocks, 0, NULL);
    return number_ring;
}

void ct_block_at(const ct_ring *number_ring, ct_polys *out, const ct_ring *ring, const ct_polys *in,
                 const ct_block_point *at) {
    size_t n = (size_t)ring->n_symbols;
    fmpz *value = ct_alloc(n + 1, sizeof *value), **pointers = ct_alloc(n + 1, sizeof *pointers), c;
    // values of the symbols as integers
    for (size_t i = 0; i < n; i++) {
        fmpz_init_set_ui(value + i, at->value[i]);
        pointers[i] = value + i;
    }
    fmpz_init(&c);
    // every coefficient at these values, modulo p; terms that vanish drop out
    for (int i = 0; i < in->n; i++) {
        const ct_poly *g = in->p + i;
        ct_poly *f = ct_polys_add(out);
        for (slong k = 0; k < g->n; k++) {
            if (n)
                fmpz_mpoly_evaluate_all_fmpz(&c, g->symbolic + k, pointers, ring->symbol_ctx);
            else
                fmpz_set(&c, g->coefs + k);
            fmpz_set_ui(&c, fmpz_fdiv_ui(&c, at->p));
            if (!fmpz_is_zero(&c)) ct_poly_push(number_ring, f, ct_poly_exps(ring, g, k), &c);
        }
        ct_poly_sort(number_ring, f);
    }
    fmpz_clear(&c);
    for (size_t i = 0; i < n; i++) fmpz_clear(value + i);
    ct_free(value);
    ct_free(pointers);
}

// The degree of the minimal polynomial of the map v -> v M, from the first basis vector; d: size.
static int minimal_degree(int d, const uint32_t *m, uint64_t p) {
    uint64_t *rows = ct_scratch((size_t)d * (size_t)(d + 1), sizeof *rows),
             *v = ct_scratch((size_t)d, sizeof *v), *next = ct_scratch((size_t)d, sizeof *next);
    int *pivot = ct_scratch((size_t)d + 1, sizeof *pivot), rank = 0;
    v[0] = 1;
    // e1, e1 M, e1 M^2, ... up to the first that depends on those before it
    for (bool independent = true; independent && rank < d;) {
        uint64_t *r = rows + (size_t)rank * (size_t)d;
        // the vector, reduced by the rows so far
        memcpy(r, v, (size_t)d * sizeof *r);
        for (int a = 0; a < rank; a++) {
            uint64_t f = p - r[pivot[a]];
            for (int j = 0; f != p && j < d; j++) r[j] = (r[j] + f * rows[a * d + j]) % p;
        }
        int at = 0;
        while (at < d && !r[at]) at++;
        independent = at < d;
        if (!independent) break;
        // a new row with leading entry 1
        uint64_t over = n_invmod(r[at], p);
        for (int j = 0; j < d; j++) r[j] = r[j] * over % p;
        pivot[rank++] = at;
        // v <- v M
        memset(next, 0, (size_t)d * sizeof *next);
        for (int i = 0; i < d; i++)
            for (int j = 0; v[i] && j < d; j++) next[j] = (next[j] + v[i] * m[i * d + j]) % p;
        memcpy(v, next, (size_t)d * sizeof *v);
    }
    return rank;
}

static void least_degree(const ct_block_system *system, const ct_ring *number_ring,
                         const ct_polys *basis, uint32_t p, ct_block_shape *shape) {
    int d = shape->solutions;
    ct_stage stage = ct_stage_begin();
    uint32_t *m = ct_scratch((size_t)d * (size_t)d, sizeof *m);
    shape->least = d;
    for (int k = system->n_helpers; k < number_ring->n; k++) {
        if (!ct_multiplication_matrix(number_ring, basis, k, p, m)) continue;
        int degree = minimal_degree(d, m, p);
        if (degree < shape->least) shape->least = degree;
    }
    ct_stage_end(stage);
}

bool ct_block_shape_find(const ct_block_system *system, const ct_block_point *at,
                         ct_block_shape *shape) {
    *shape = (ct_block_shape){0};
    if (system->ring->n > VARIABLES) return false;
    ct_ring *number_ring = ct_block_number_ring(system->ring);
    ct_polys in = {0}, basis = {0};
    ct_block_at(number_ring, &in, system->ring, &system->equations, at);
    ct_groebner_options o = {.prime = at->p, .budget.work = most_work};
    ct_context *quiet = ct_context_quiet(NULL);
    bool good = !ct_groebner(quiet, number_ring, &basis, &in, &o);
    if (good) {
        ct_ideal_info info = ct_ideal(number_ring, &basis);
        if (info.dimension == 0 && info.degree <= CT_BLOCK_SOLUTIONS) {
            shape->solutions = (int)info.degree;
            least_degree(system, number_ring, &basis, at->p, shape);
        }
    }
    ct_polys_clear(number_ring, &in);
    ct_polys_clear(number_ring, &basis);
    ct_ring_free(number_ring);
    return good;
}
