// Systems with freedoms left open, told apart without a basis over Q. Let r be the rank of the
// derivatives of the equations f at a random point: the image of f has dimension r, so wherever
// f = 0 has a solution at all, its solutions have dimension n - r or more. That it has one is shown
// by a section: n - r unknowns get random values, and the basis of the rest modulo a prime is not 1.
#include "algebra/solve/solve_inside.h"

#include <flint/nmod_mat.h>
#include <stdlib.h>

#define PRIME        2147483629u // of points and of the section
#define SECTION_WORK 1e9         // operations: seconds; a platform with its legs given takes 1e7

static ulong draw(uint64_t *state) {
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return 1 + (ulong)(*state >> 33) % (PRIME - 1);
}

// Derivative of f by unknown k at x.
static ulong derivative(const ct_ring *ring, const ct_poly *f, int k, const ulong *x, nmod_t mod) {
    ulong sum = 0;
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *e = ct_poly_exps(ring, f, i);
        if (!e[k]) continue;
        ulong term = nmod_mul(fmpz_fdiv_ui(f->coefs + i, mod.n), e[k] % mod.n, mod);
        for (int l = 0; l < ring->n; l++)
            term = nmod_mul(term, nmod_pow_ui(x[l], e[l] - (l == k), mod), mod);
        sum = nmod_add(sum, term, mod);
    }
    return sum;
}

static int occurrences(const ct_ring *ring, const ct_polys *in, int k) {
    int count = 0;
    for (int i = 0; i < in->n; i++) {
        bool is_there = false;
        for (slong t = 0; t < in->p[i].n && !is_there; t++)
            is_there = ct_poly_exps(ring, &in->p[i], t)[k] > 0;
        count += is_there;
    }
    return count;
}

// Unknowns in many equations first, so that those in few of them (the length of a leg) stay free.
static void order_unknowns(const ct_ring *ring, const ct_polys *in, int *order) {
    int count[CT_UNKNOWNS_MAX];
    for (int k = 0; k < ring->n; k++) {
        count[k] = occurrences(ring, in, k);
        int at = k;
        for (; at > 0 && count[order[at - 1]] < count[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
}

// How many unknowns the equations leave open wherever they have a solution, and which ones.
static int count_freedoms(const ct_ring *ring, const ct_polys *equations, uint64_t *free) {
    nmod_t mod;
    nmod_init(&mod, PRIME);
    int n = ring->n, order[CT_UNKNOWNS_MAX];
    uint64_t state = 0x9e3779b97f4a7c15u;
    ulong x[CT_UNKNOWNS_MAX];
    for (int k = 0; k < n; k++) x[k] = draw(&state);
    order_unknowns(ring, equations, order);
    // derivatives there, one column for each unknown, in that order; columns without a pivot
    nmod_mat_t j;
    nmod_mat_init(j, equations->n, n, PRIME);
    for (int r = 0; r < equations->n; r++)
        for (int c = 0; c < n; c++)
            nmod_mat_entry(j, r, c) = derivative(ring, equations->p + r, order[c], x, mod);
    slong rank = nmod_mat_rref(j);
    *free = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
    for (slong r = 0, c = 0; r < rank; r++, c++) {
        while (!nmod_mat_entry(j, r, c)) c++;
        *free &= ~(UINT64_C(1) << order[c]);
    }
    nmod_mat_clear(j);
    return n - (int)rank;
}

// Is there a solution with random values of these unknowns?
static bool section_has_solution(ct_solving *job, uint64_t free, uint64_t *state) {
    const ct_ring *ring = job->ring;
    ct_polys in = {0}, basis = {0};
    for (int i = 0; i < job->equations.n; i++)
        ct_poly_set(ring, ct_polys_add(&in), job->equations.p + i);
    // x_k - value
    for (int k = 0; k < ring->n; k++) {
        if (!(free >> k & 1)) continue;
        ct_poly *f = ct_polys_add(&in);
        uint32_t e[CT_UNKNOWNS_MAX] = {0};
        fmpz_t c;
        fmpz_init_set_ui(c, draw(state));
        ct_poly_push(ring, f, e, c);
        fmpz_set_si(c, -1);
        e[k] = 1;
        ct_poly_push(ring, f, e, c);
        ct_poly_sort(ring, f);
        fmpz_clear(c);
    }
    // its basis modulo the prime
    ct_groebner_options o = {.prime = PRIME, .budget = job->options->budget};
    o.budget.work = SECTION_WORK, o.budget.pairs = true;
    if (o.budget.seconds > 0) o.budget.seconds = ct_limits_left(&job->limits);
    ct_context *quiet = ct_context_quiet(NULL); // a limit that strikes is no failure here
    bool found =
        ct_groebner(quiet, ring, &basis, &in, &o) == CT_OK && ct_ideal(ring, &basis).dimension >= 0;
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    return found;
}

bool ct_solve_open(ct_solving *job) {
    uint64_t free, state = 0x2545f4914f6cdd1du;
    int freedoms = count_freedoms(job->ring, &job->equations, &free);
    if (!freedoms || !section_has_solution(job, free, &state)) return false;
    job->out->dimension = freedoms;
    job->out->is_bound = true;
    job->out->free = free;
    return true;
}
