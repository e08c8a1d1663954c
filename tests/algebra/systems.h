// Polynomial systems for tests and measurements: tests/algebra/NAME.txt holds a comment, the
// unknowns (largest first) and one polynomial per line.
#ifndef ALGEBRA_SYSTEMS_H
#define ALGEBRA_SYSTEMS_H

#include "algebra/algebra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int split_words(char *line, const char **words, int room) {
    int n = 0;
    for (char *w = strtok(line, " \n"); w && n < room; w = strtok(NULL, " \n")) words[n++] = w;
    return n;
}

// NULL where the file is missing or wrong (message in the context).
static inline ct_ring *read_system(ct_context *ctx, const char *name, ct_order order,
                                   ct_polys *in) {
    char path[512], line[8192];
    snprintf(path, sizeof path, "%s/tests/algebra/%s.txt", CT_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    ct_ring *ring = NULL;
    while (file && fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == '\n') continue;
        line[strcspn(line, "\n")] = 0;
        if (!ring) {
            const char *names[CT_UNKNOWNS_MAX];
            int n = split_words(line, names, CT_UNKNOWNS_MAX);
            ring = ct_ring_simple(ctx, n, names, order);
        } else if (ct_poly_parse(ctx, ring, ct_polys_add(in), line) != CT_OK) {
            ct_polys_clear(ring, in);
            ct_ring_free(ring);
            ring = NULL;
            break;
        }
    }
    if (file) fclose(file);
    return ring;
}

// Polynomials from text; the strings end with NULL. False with a message in the context.
static inline bool parse_all(ct_context *ctx, const ct_ring *ring, ct_polys *list,
                             const char *const *text) {
    for (; *text; text++)
        if (ct_poly_parse(ctx, ring, ct_polys_add(list), *text) != CT_OK) return false;
    return true;
}

static inline char *print_poly(const ct_ring *ring, const ct_poly *f) {
    ct_text t = {0};
    ct_poly_print(ring, &t, f);
    return ct_text_take(&t);
}

// xorshift, so that every machine draws the same numbers
static inline uint64_t draw(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static inline void random_poly(const ct_ring *ring, ct_poly *f, uint64_t *state, int terms,
                               uint32_t degree, int bits) {
    fmpz_t c;
    fmpz_init(c);
    for (int t = 0; t < terms; t++) {
        uint32_t e[CT_UNKNOWNS_MAX] = {0}, d = (uint32_t)(draw(state) % (degree + 1));
        while (d--) e[draw(state) % (uint64_t)ring->n]++;
        fmpz_set_si(c, (slong)(draw(state) >> (64 - bits)) - (1L << (bits - 1)));
        ct_poly_push(ring, f, e, c);
    }
    ct_poly_canonical(ring, f);
    fmpz_clear(c);
}

// Equal as sets.
static inline bool same_sets(const ct_ring *ring, const ct_polys *a, const ct_polys *b) {
    bool same = a->n == b->n;
    for (int i = 0; i < a->n && same; i++) {
        same = false;
        for (int j = 0; j < b->n && !same; j++) same = ct_poly_equal(ring, &a->p[i], &b->p[j]);
    }
    return same;
}

#endif
