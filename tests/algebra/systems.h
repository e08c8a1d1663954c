// Polynomial systems for tests and measurements: tests/algebra/NAME.txt holds a comment, the unknowns
// (largest first) and one polynomial per line.
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
static inline ct_ring *read_system(ct_context *ctx, const char *name, ct_order order, ct_polys *in) {
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

#endif
