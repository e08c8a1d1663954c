// The system of a block: angles become pairs, every coefficient becomes a small number times one
// symbol, and names are neutral, so that mechanisms of the same build have the same system.
#include "closure/elimination/block_inside.h"
#include "closure/elimination/horner.h"

#include <flint/fmpz_vec.h>
#include <stdlib.h>
#include <string.h>

// one symbol for each coefficient ----------------------------------------------------------------
typedef struct naming {
    const fmpz_mpoly_ctx_struct *ctx;
    fmpz_mpoly_struct *symbol; // what each new symbol stands for, without numerical factor
    int n, room;
} naming;

// The symbol of a coefficient, which is factor * symbol; -1: the coefficient is a number. Numbers
// above 2 are taken as lengths, which another mechanism of the same build has differently.
static int symbol_of(naming *x, const ct_poly *f, slong term, fmpz_t factor) {
    const fmpz_mpoly_ctx_struct *ctx = x->ctx;
    fmpz_mpoly_struct *s = CT_PUSH(x->symbol, x->n, x->room);
    fmpz_mpoly_init(s, ctx);
    if (f->symbolic)
        fmpz_mpoly_set(s, f->symbolic + term, ctx);
    else
        fmpz_mpoly_set_fmpz(s, f->coefs + term, ctx);
    _fmpz_vec_content(factor, s->coeffs, s->length);
    if (fmpz_cmp_ui(factor, 2) > 0) fmpz_one(factor);
    if (fmpz_sgn(s->coeffs) < 0) fmpz_neg(factor, factor);
    fmpz_mpoly_scalar_divexact_fmpz(s, s, factor, ctx);
    int at = fmpz_mpoly_is_one(s, ctx) ? -1 : 0;
    while (at >= 0 && !fmpz_mpoly_equal(x->symbol + at, s, ctx)) at++;
    if (at == x->n - 1) return at; // a new one
    fmpz_mpoly_clear(s, ctx);
    x->n--;
    return at;
}

typedef struct term { // of an equation that is named anew
    int equation, symbol;
    slong index;
    fmpz_t factor;
} term;

static ct_ring *neutral_ring(const ct_block_system *system, int n_symbols) {
    char **names = ct_scratch((size_t)system->ring->n + 1, sizeof *names),
         **symbols = ct_scratch((size_t)n_symbols + 1, sizeof *symbols);
    for (int i = 0; i < system->n_helpers; i++) names[i] = ct_format("h%d", i);
    for (int i = 0; i < system->n; i++) {
        const ct_block_unknown *u = system->unknown + i;
        names[u->c] = ct_format(u->is_angle ? "c%d" : "x%d", i);
        if (u->is_angle) names[u->s] = ct_format("s%d", i);
    }
    for (int i = 0; i < n_symbols; i++) symbols[i] = ct_format("a%d", i);
    ct_context *quiet = ct_context_quiet(NULL);
    ct_ring *ring = ct_ring_new(quiet, system->ring->n, (const char *const *)names, 1,
                                &(ct_order_block){system->ring->n, CT_DEGREVLEX}, n_symbols,
                                (const char *const *)symbols);
    for (int i = 0; i < system->ring->n; i++) ct_free(names[i]);
    for (int i = 0; i < n_symbols; i++) ct_free(symbols[i]);
    return ring;
}

static void push(const ct_ring *ring, ct_poly *f, const uint32_t *exps, const term *t) {
    if (!ring->n_symbols) {
        ct_poly_push(ring, f, exps, t->factor);
        return;
    }
    fmpz_mpoly_t c;
    fmpz_mpoly_init(c, ring->symbol_ctx);
    if (t->symbol < 0)
        fmpz_mpoly_set_fmpz(c, t->factor, ring->symbol_ctx);
    else {
        fmpz_mpoly_gen(c, t->symbol, ring->symbol_ctx);
        fmpz_mpoly_scalar_mul_fmpz(c, c, t->factor, ring->symbol_ctx);
    }
    ct_poly_push_symbolic(ring, f, exps, c);
    fmpz_mpoly_clear(c, ring->symbol_ctx);
}

// Neutral names, and one symbol for each coefficient that is no number.
static void name_anew(ct_pool *pool, ct_block_system *system) {
    const ct_ring *from = system->ring;
    fmpz_mpoly_ctx_t none;
    fmpz_mpoly_ctx_init(none, 1, ORD_LEX); // where there are no symbols yet
    naming x = {.ctx = from->n_symbols ? from->symbol_ctx : none};
    // every coefficient is a small number times one symbol; equal ones share it
    term *terms = NULL;
    int n = 0, room = 0;
    for (int i = 0; i < system->equations.n; i++)
        for (slong k = 0; k < system->equations.p[i].n; k++) {
            term *t = CT_PUSH(terms, n, room);
            *t = (term){.equation = i, .symbol = -1, .index = k};
            fmpz_init(t->factor);
            t->symbol = symbol_of(&x, system->equations.p + i, k, t->factor);
        }
    // the equations with these symbols, over a ring with neutral names
    ct_ring *ring = neutral_ring(system, x.n);
    ct_polys all = {0};
    for (int i = 0; i < system->equations.n; i++) (void)ct_polys_add(&all);
    for (int i = 0; i < n; i++) {
        const term *t = terms + i;
        push(ring, all.p + t->equation,
             ct_poly_exps(from, system->equations.p + t->equation, t->index), t);
        fmpz_clear(terms[i].factor);
    }
    for (int i = 0; i < all.n; i++) ct_poly_canonical(ring, all.p + i);
    // what each symbol stands for, as an expression
    ct_ex *known = ct_alloc((size_t)x.n + 1, sizeof *known);
    for (int i = 0; i < x.n; i++) {
        known[i] = ct_let(pool, ct_horner(pool, x.symbol + i, x.ctx, system->known));
        fmpz_mpoly_clear(x.symbol + i, x.ctx);
    }
    fmpz_mpoly_ctx_clear(none);
    ct_free(x.symbol);
    ct_free(terms);
    // the new system takes the place of the old one
    ct_polys_clear(from, &system->equations);
    ct_ring_free(system->ring);
    ct_free(system->known);
    system->ring = ring;
    system->equations = all;
    system->known = known;
}

// Reduces equations by c^2 + s^2 = 1 where that makes them shorter.
static void use_identities(ct_block_system *system, int n_pairs) {
    ct_polys identities = {0};
    int first = system->equations.n - n_pairs; // they are the last ones
    for (int i = first; i < system->equations.n; i++)
        ct_poly_set(system->ring, ct_polys_add(&identities), system->equations.p + i);
    for (int i = 0; i < first && n_pairs; i++) {
        ct_poly r;
        ct_poly_init(&r);
        if (ct_remainder(system->ring, &r, system->equations.p + i, &identities, 0) && r.n &&
            r.n < system->equations.p[i].n) {
            ct_poly_canonical(system->ring, &r);
            ct_poly_swap(&r, system->equations.p + i);
        }
        ct_poly_clear(system->ring, &r);
    }
    ct_polys_clear(system->ring, &identities);
}

// Residuals written out in full if that needs no helpers, else with helpers for long parts.
static bool rewritten(ct_pool *pool, const ct_block_residuals *r, bool fractions,
                      ct_block_rewritten *w) {
    if (ct_block_rewrite(pool, r, fractions, 20000, 20000, w) && !w->n_helpers) return true;
    ct_free(w->equation);
    return ct_block_rewrite(pool, r, fractions, 1000, 24, w);
}

bool ct_block_system_from(ct_pool *pool, const ct_block_residuals *r, bool fractions,
                          ct_block_system *system) {
    ct_block_rewritten w = {0};
    memset(system, 0, sizeof *system);
    // residuals as polynomials, with helpers for roots and quotients
    if (!rewritten(pool, r, fractions, &w)) {
        ct_free(w.equation);
        return false;
    }
    // unknowns: helpers, then coordinates
    int n = r->n + w.n_helpers;
    ct_ex *unknown = ct_alloc((size_t)n + 1, sizeof *unknown);
    memcpy(unknown, w.helper, (size_t)w.n_helpers * sizeof *unknown);
    memcpy(unknown + w.n_helpers, r->coordinate, (size_t)r->n * sizeof *unknown);
    // ring and equations, with a pair for every angle
    ct_context *quiet = ct_context_quiet(NULL);
    ct_poly_system s = {0};
    bool good = !ct_poly_system_from_expr(quiet, pool, n, w.equation, n, unknown, CT_DEGREVLEX, &s);
    ct_free(unknown);
    *system = (ct_block_system){.ring = s.ring,
                                .equations = s.equations,
                                .known = s.known,
                                .n = r->n,
                                .n_helpers = w.n_helpers,
                                .unknown = ct_alloc((size_t)r->n + 1, sizeof *system->unknown)};
    ct_free(w.equation);
    // where cosine and sine, or the slide, of each coordinate stand
    for (int i = 0, at = system->n_helpers; i < r->n && good; i++) {
        bool pair = false;
        for (int k = 0; k < s.n_pairs; k++) pair = pair || s.pairs[k].cosine == at;
        good = pair == r->is_angle[i];
        system->unknown[i] = (ct_block_unknown){pair, at, at + 1};
        at += pair ? 2 : 1;
    }
    ct_free(s.pairs);
    // shorter equations by c^2 + s^2 = 1, then symbols and names that are neutral
    if (good) use_identities(system, s.n_pairs);
    if (good)
        name_anew(pool, system);
    else
        ct_block_system_clear(system);
    return good;
}
