// From the residuals of an iteration to the system, its key, its shape and a triangular system.
#include "closure/tearing/engine.h"

#include <stdlib.h>
#include <string.h>

typedef struct described { // a system with what tells it apart
    ct_block_system s;
    ct_block_key key;
    ct_ex *meaning;
} described;

// Values as what they are in coordinates. Signs may be either.
static ct_ex *meanings(const ct_steps *b, const ct_block_system *s) {
    const ct_closure *c = b->closure;
    ct_substitution *in = ct_substitution_new(b->pool);
    for (int i = 0; i < c->registers.values.n; i++)
        ct_substitution_map(in, c->registers.values.symbol[i], c->registers.values.meaning[i]);
    ct_ex *meaning = ct_alloc((size_t)s->ring->n_symbols + 1, sizeof *meaning);
    for (int i = 0; i < s->ring->n_symbols; i++) meaning[i] = ct_substitute(in, s->known[i]);
    ct_substitution_free(in);
    return meaning;
}

static bool describe(described *d, const ct_torn *t, bool fractions) {
    const ct_steps *b = t->b;
    bool *turn = ct_alloc((size_t)t->n + 1, sizeof *turn);
    for (int i = 0; i < t->n; i++) turn[i] = b->f->is_angle[t->unknown[i]];
    const ct_block_residuals r = {.n = t->n,
                                  .residual = t->iteration.residual,
                                  .coordinate = t->tracked,
                                  .turn = turn,
                                  .n_signs = b->closure->registers.signs.n,
                                  .sign = b->closure->registers.signs.symbol};
    memset(d, 0, sizeof *d);
    bool good = ct_block_system_from(b->pool, &r, fractions, &d->s);
    free(turn);
    if (!good) return false;
    d->meaning = meanings(b, &d->s);
    uint64_t *nature = ct_alloc((size_t)d->s.ring->n_symbols + 1, sizeof *nature);
    ct_block_nature(b->pool, d->s.ring->n_symbols, d->meaning, nature);
    d->key = ct_block_key_of(&d->s, nature);
    free(nature);
    return true;
}

static void described_clear(described *d) {
    ct_block_system_clear(&d->s);
    ct_block_key_clear(&d->key);
    free(d->meaning);
    memset(d, 0, sizeof *d);
}

static void shape_of(ct_pool *pool, const described *d, ct_block_shape *shape) {
    ct_block_point at;
    *shape = (ct_block_shape){0};
    if (!ct_block_point_find(pool, &d->s, d->meaning, 0, &at)) return;
    (void)ct_block_shape_find(&d->s, &at, shape);
    ct_block_point_clear(&at);
}

static bool points(ct_pool *pool, const described *d, ct_block_point at[2]) {
    return ct_block_point_find(pool, &d->s, d->meaning, 0, at) &&
           ct_block_point_find(pool, &d->s, d->meaning, 1, at + 1);
}

// Is it worth looking for a triangular system?
static bool is_small(const ct_library_entry *e, const ct_torn *t) {
    return t->n <= CT_TRIANGULAR_UNKNOWNS && e->shape.least > 0 && e->shape.least <= 4;
}

// The system with fractions where it has the same solutions takes the place of the other one.
static void choose_system(ct_torn_block *k, const ct_torn *t, described *d) {
    described other;
    ct_block_shape shape = k->entry.shape;
    if (k->recalled ? !k->entry.fractions : !d->s.n_helpers) return;
    if (!describe(&other, t, true)) return;
    if (!k->recalled) shape_of(t->b->pool, &other, &shape);
    k->entry.fractions = shape.solutions == k->entry.shape.solutions;
    if (k->entry.fractions) {
        described swap = *d;
        *d = other;
        other = swap;
    }
    described_clear(&other);
}

static void look(ct_torn_block *k, ct_torn *t, const described *d, ct_triangular *canonical) {
    if (!points(t->b->pool, d, k->at)) {
        k->entry.found = false;
    } else if (k->recalled) {
        k->entry.found = ct_triangular_from_key(&d->s, &d->key, &k->entry.triangular);
    } else {
        k->entry.found = ct_triangular_find(&d->s, k->at, &k->entry.triangular);
        *canonical = k->entry.triangular;
        if (k->entry.found) ct_triangular_to_key(&d->s, &d->key, canonical);
    }
}

bool ct_torn_block_init(ct_torn_block *k, ct_torn *t) {
    described d;
    memset(k, 0, sizeof *k);
    if (!describe(&d, t, false)) return false;
    char *text = ct_strdup(d.key.text); // by which the library knows it, whichever system counts
    k->recalled = ct_library_read(text, &k->entry);
    if (!k->recalled) shape_of(t->b->pool, &d, &k->entry.shape);
    ct_library_entry stored = k->entry;
    if (is_small(&k->entry, t) && (!k->recalled || k->entry.found)) {
        choose_system(k, t, &d);
        look(k, t, &d, &stored.triangular);
        stored.found = k->entry.found;
        stored.fractions = k->entry.fractions;
    }
    if (!k->recalled) ct_library_write(text, &stored);
    k->s = d.s;
    d.s = (ct_block_system){0};
    described_clear(&d);
    free(text);
    return true;
}

void ct_torn_block_clear(ct_torn_block *k) {
    ct_block_system_clear(&k->s);
    for (int i = 0; i < 2; i++) ct_block_point_clear(k->at + i);
    memset(k, 0, sizeof *k);
}

// A block that stays iterated says of which degree it is.
static void tell_degree(ct_step *s, int degree) {
    s->general = degree;
    if (!degree) return;
    free(s->text);
    s->text = ct_format("iterated until the lengths are right; degree %d in general", degree);
}

// In closed form where that is possible: square roots by the algebra engine, polynomials up to
// degree 4 by elimination in two unknowns or else by the engine; then roots of higher degree.
bool ct_torn_solve(ct_torn *t) {
    ct_closure *c = t->b->closure;
    ct_torn_block k = {0};
    bool known = ct_torn_block_init(&k, t), roots = false, solved = false;
    if (known) roots = k.entry.found && ct_triangular_degree(&k.entry.triangular) <= 2;
    if (roots) solved = ct_torn_triangular(&k, t);
    if (!solved) solved = ct_torn_polynomial(t, 4);
    if (!solved && known && !roots) solved = ct_torn_triangular(&k, t);
    if (!solved) solved = ct_torn_polynomial(t, CT_UNIVARIATE);
    if (!solved && known) tell_degree(c->steps + t->step, k.entry.shape.least);
    c->n_recalled += known && k.recalled;
    ct_torn_block_clear(&k);
    return solved;
}
