// From the residuals of an iteration to the system, its key and its shape.
#include "closure/torn_block.h"

#include <stdlib.h>
#include <string.h>

// Values as what they are in coordinates, signs as one of the two.
static ct_ex *meanings(ct_steps *b, const ct_block_system *s) {
    const ct_closure *c = b->closure;
    ct_substitution *in = ct_substitution_new(b->pool);
    for (int i = 0; i < c->n_values; i++) ct_substitution_map(in, c->value[i], c->direct[i]);
    for (int i = 0; i < c->n_signs; i++) ct_substitution_map(in, c->sign[i], CT_ONE);
    ct_ex *meaning = ct_alloc((size_t)s->ring->n_symbols + 1, sizeof *meaning);
    for (int i = 0; i < s->ring->n_symbols; i++) meaning[i] = ct_substitute(in, s->known[i]);
    ct_substitution_free(in);
    return meaning;
}

static void look(ct_torn_block *k, ct_pool *pool) {
    ct_block_point at;
    k->entry.looked = true;
    if (!ct_block_point_find(pool, &k->s, k->meaning, 0, &at)) return;
    (void)ct_block_shape_find(&k->s, &at, &k->entry.shape);
    ct_block_point_clear(&at);
}

bool ct_torn_block_init(ct_torn_block *k, ct_torn *t, const ct_ex *residual) {
    ct_steps *b = t->b;
    memset(k, 0, sizeof *k);
    bool *turn = ct_alloc((size_t)t->n + 1, sizeof *turn);
    for (int i = 0; i < t->n; i++) turn[i] = b->f->is_angle[t->unknown[i]];
    const ct_block_residuals r = {.n = t->n,
                                  .residual = residual,
                                  .coordinate = t->tracked,
                                  .turn = turn,
                                  .n_signs = b->closure->n_signs,
                                  .sign = b->closure->sign};
    bool good = ct_block_system_from(b->pool, &r, false, &k->s);
    free(turn);
    if (!good) return false;
    k->meaning = meanings(b, &k->s);
    uint64_t *nature = ct_alloc((size_t)k->s.ring->n_symbols + 1, sizeof *nature);
    ct_block_nature(b->pool, k->s.ring->n_symbols, k->meaning, nature);
    k->key = ct_block_key_of(&k->s, nature);
    free(nature);
    k->recalled = ct_library_read(&k->key, &k->entry);
    if (!k->recalled) {
        look(k, b->pool);
        ct_library_write(&k->key, &k->entry);
    }
    return true;
}

void ct_torn_block_clear(ct_torn_block *k) {
    ct_block_system_clear(&k->s);
    ct_block_key_clear(&k->key);
    free(k->meaning);
    memset(k, 0, sizeof *k);
}

void ct_torn_describe(ct_torn *t, int step, const ct_ex *residual) {
    ct_closure *c = t->b->closure;
    ct_torn_block k;
    if (!ct_torn_block_init(&k, t, residual)) return;
    ct_step *s = c->steps + step;
    c->n_recalled += k.recalled;
    s->general = k.entry.shape.least;
    if (s->general) {
        free(s->text);
        s->text =
            ct_format("iterated until the lengths are right; degree %d in general", s->general);
    }
    ct_torn_block_clear(&k);
}
