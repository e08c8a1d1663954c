// The key of a block system: colours of variables, equations and symbols, refined by those of their
// neighbours until they tell apart what they can (Weisfeiler and Leman); members of one colour keep
// their order. Symbols are named by their first appearance. The sign of a symbol that stands once
// makes no difference.
#include "closure/elimination/block_key.h"
#include "expr/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct term {
    int equation, symbol; // -1: a number
    long factor;          // 0: too large for one
    const uint32_t *exps;
    uint64_t colour;
} term;

typedef struct colouring {
    const ct_block_system *s;
    term *terms;
    int n, room;
    int *uses; // [symbols]
    uint64_t *variable, *equation, *symbol;
} colouring;

static uint64_t mix(uint64_t h, uint64_t x) {
    return ct_hash(&x, sizeof x, h);
}

static long small(const fmpz_t c) {
    return fmpz_fits_si(c) ? fmpz_get_si(c) : 0;
}

// Reads the terms; a coefficient is a number, or a number times one symbol.
static void read_terms(colouring *x) {
    const ct_ring *ring = x->s->ring;
    for (int i = 0; i < x->s->equations.n; i++) {
        const ct_poly *f = x->s->equations.p + i;
        for (slong k = 0; k < f->n; k++) {
            term *t = CT_PUSH(x->terms, x->n, x->room);
            *t = (term){.equation = i, .symbol = -1, .exps = ct_poly_exps(ring, f, k)};
            if (!ring->n_symbols) {
                t->factor = small(f->coefs + k);
                continue;
            }
            const fmpz_mpoly_struct *c = f->symbolic + k;
            t->factor = small(c->coeffs);
            for (int j = 0; j < ring->n_symbols; j++)
                if (fmpz_mpoly_degree_si(c, j, ring->symbol_ctx) > 0) t->symbol = j;
            if (t->symbol >= 0) x->uses[t->symbol]++;
        }
    }
    for (int i = 0; i < x->n; i++) {
        term *t = x->terms + i;
        if (t->symbol >= 0 && x->uses[t->symbol] == 1) t->factor = labs(t->factor);
    }
}

// One round of refinement. Sums of hashes do not depend on an order.
static void refine(colouring *x) {
    const ct_ring *ring = x->s->ring;
    uint64_t *variable = ct_scratch((size_t)ring->n + 1, sizeof *variable),
             *symbol = ct_scratch((size_t)ring->n_symbols + 1, sizeof *symbol);
    // colour of a term: factor, symbol, powers of variables; of an equation: its terms
    memset(x->equation, 0, (size_t)x->s->equations.n * sizeof *x->equation);
    for (int i = 0; i < x->n; i++) {
        term *t = x->terms + i;
        t->colour = mix(mix(0, (uint64_t)t->factor), t->symbol < 0 ? 0 : x->symbol[t->symbol]);
        for (int k = 0; k < ring->n; k++)
            if (t->exps[k]) t->colour += mix(mix(t->exps[k], x->variable[k]), 1);
        x->equation[t->equation] += mix(t->colour, 2);
    }
    for (int i = 0; i < x->n; i++) {
        const term *t = x->terms + i;
        // where a variable or a symbol stands: its term, in its equation
        uint64_t place = mix(t->colour, x->equation[t->equation]);
        for (int k = 0; k < ring->n; k++)
            if (t->exps[k]) variable[k] += mix(place, t->exps[k]);
        if (t->symbol >= 0) symbol[t->symbol] += mix(place, 3);
    }
    // new colours of variables; cosine and sine of one angle see each other
    for (int k = 0; k < ring->n; k++) x->variable[k] = mix(x->variable[k], variable[k]);
    for (int i = 0; i < x->s->n; i++) { // partners
        const ct_block_unknown *u = x->s->unknown + i;
        if (!u->is_angle) continue;
        uint64_t c = x->variable[u->c], s = x->variable[u->s];
        x->variable[u->c] = mix(c, s);
        x->variable[u->s] = mix(s, c);
    }
    // new colours of symbols
    for (int j = 0; j < ring->n_symbols; j++) x->symbol[j] = mix(x->symbol[j], symbol[j]);
}

// Numbers sorted by colour; those of one colour keep their order.
static int *sorted(int n, const uint64_t *colour) {
    int *at = ct_alloc((size_t)n + 1, sizeof *at);
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && colour[at[k - 1]] > colour[i]; k--) at[k] = at[k - 1];
        at[k] = i;
    }
    return at;
}

// Order of terms by their exponents, variables in canonical order.
static int compare(const ct_block_key *key, int n, const term *a, const term *b) {
    for (int k = 0; k < n; k++) {
        int v = key->variable[k];
        if (a->exps[v] != b->exps[v]) return a->exps[v] > b->exps[v] ? -1 : 1;
    }
    return 0;
}

static void write_equation(const colouring *x, const uint64_t *nature, const ct_block_key *key,
                           int equation, int *name, int *names, ct_text *out) {
    int n = x->s->ring->n, count = 0;
    const term **list = ct_alloc((size_t)x->n + 1, sizeof *list);
    for (int i = 0; i < x->n; i++) {
        if (x->terms[i].equation != equation) continue;
        int k = count++;
        for (; k > 0 && compare(key, n, list[k - 1], x->terms + i) > 0; k--) list[k] = list[k - 1];
        list[k] = x->terms + i;
    }
    for (int i = 0; i < count; i++) {
        const term *t = list[i];
        bool fresh = t->symbol >= 0 && name[t->symbol] < 0;
        if (fresh) name[t->symbol] = (*names)++;
        ct_text_printf(out, "%ld", t->factor);
        if (t->symbol >= 0) ct_text_printf(out, " a%d", name[t->symbol]);
        if (fresh) ct_text_printf(out, " (%016" PRIx64 ")", nature[t->symbol]);
        for (int k = 0; k < n; k++)
            if (t->exps[key->variable[k]])
                ct_text_printf(out, " %d^%u", k, t->exps[key->variable[k]]);
        ct_text_add(out, i + 1 < count ? "; " : "\n");
    }
    ct_free(list);
}

// Colours of symbols by the structure of their meanings: operations, kinds of symbols, small
// numbers; neither names nor other numbers.
static void find_natures(ct_pool *pool, int n, const ct_ex *meaning, uint64_t *nature) {
    ct_ex *order;
    int count = ct_walk(pool, n, meaning, &order);
    uint64_t *h = ct_scratch(ct_pool_size(pool), sizeof *h);
    for (int i = 0; i < count; i++) {
        ct_ex e = order[i];
        ct_op op = ct_ex_op(pool, e);
        bool pairs = op == CT_OP_SUM || op == CT_OP_PRODUCT, is_number = op == CT_OP_NUMBER;
        double x = is_number ? ct_constant_value(pool, e) : 0;
        h[e] = mix(0, (uint64_t)op + 100);
        if (is_number) h[e] = mix(h[e], x == 0 || x == 1 || x == 2 ? (uint64_t)x : 3);
        if (op == CT_OP_SYMBOL) h[e] = mix(h[e], ct_symbol_kind_of(pool, e));
        for (int k = 0; k < ct_child_count(pool, e); k++) {
            uint64_t child = h[ct_child(pool, e, k)];
            if (pairs && k % 2) child = mix(child, h[ct_child(pool, e, k + 1)]);
            if (!pairs || k % 2 || !k) h[e] = pairs ? h[e] + mix(child, 5) : mix(h[e], child);
        }
    }
    for (int i = 0; i < n; i++) nature[i] = h[meaning[i]];
    ct_free(order);
}

ct_block_key ct_block_key_of(ct_pool *pool, const ct_block_system *s, const ct_ex *meaning) {
    enum { ROUNDS = 6 };
    size_t n = (size_t)s->ring->n + 1, m = (size_t)s->equations.n + 1,
           l = (size_t)s->ring->n_symbols + 1;
    uint64_t *nature = ct_scratch(l, sizeof *nature);
    colouring x = {.s = s,
                   .uses = ct_alloc(l, sizeof(int)),
                   .variable = ct_alloc(n, sizeof(uint64_t)),
                   .equation = ct_alloc(m, sizeof(uint64_t)),
                   .symbol = ct_alloc(l, sizeof(uint64_t))};
    // colours: natures of symbols, kinds of unknowns, then those of neighbours
    read_terms(&x);
    find_natures(pool, s->ring->n_symbols, meaning, nature);
    memcpy(x.symbol, nature, (l - 1) * sizeof *x.symbol);
    // cosines, slides and sines start with colours of their own; helpers with none
    for (int i = 0; i < s->n; i++) {
        x.variable[s->unknown[i].c] = s->unknown[i].is_angle ? 1 : 2;
        if (s->unknown[i].is_angle) x.variable[s->unknown[i].s] = 3;
    }
    for (int i = 0; i < ROUNDS; i++) refine(&x);
    // the order by colours
    ct_block_key key = {.variable = sorted(s->ring->n, x.variable),
                        .equation = sorted(s->equations.n, x.equation)};
    // the text: a letter for each variable, then the equations
    ct_text out = {0};
    int names = 0, *name = ct_scratch(l, sizeof *name);
    for (int j = 0; j < s->ring->n_symbols; j++) name[j] = -1;
    // h: helper, x: slide, c: cosine, s: sine
    for (int k = 0; k < s->ring->n; k++) {
        int kind = key.variable[k] < s->n_helpers ? 'h' : 'x';
        for (int i = 0; i < s->n; i++)
            if (s->unknown[i].is_angle && s->unknown[i].c == key.variable[k])
                kind = 'c';
            else if (s->unknown[i].is_angle && s->unknown[i].s == key.variable[k])
                kind = 's';
        ct_text_printf(&out, "%c%s", kind, k + 1 < s->ring->n ? " " : "\n");
    }
    for (int i = 0; i < s->equations.n; i++)
        write_equation(&x, nature, &key, key.equation[i], name, &names, &out);
    key.text = ct_text_take(&out);
    ct_free(x.terms);
    ct_free(x.uses);
    ct_free(x.variable);
    ct_free(x.equation);
    ct_free(x.symbol);
    return key;
}
