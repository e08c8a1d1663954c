// Rings: names, the order of monomials as a sequence of blocks, and comparisons in it.
#include "algebra/poly/poly.h"

#include <stdlib.h>
#include <string.h>

static char **copy_names(int n, const char *const *names) {
    char **copy = ct_alloc((size_t)n + 1, sizeof *copy);
    for (int i = 0; i < n; i++) copy[i] = ct_strdup(names[i]);
    return copy;
}

static void free_names(int n, char **names) {
    for (int i = 0; i < n; i++) ct_free(names[i]);
    ct_free(names);
}

ct_ring *ct_ring_new(ct_context *ctx, int n, const char *const *names, int n_blocks,
                     const ct_order_block *blocks, int n_symbols, const char *const *symbols) {
    int sum = 0;
    for (int b = 0; b < n_blocks; b++) sum += blocks[b].n;
    if (n < 1 || n > CT_UNKNOWNS_MAX) {
        ct_fail(ctx, CT_USAGE, "a polynomial ring has 1 to %d unknowns, not %d", CT_UNKNOWNS_MAX,
                n);
        return NULL;
    }
    if (sum != n) {
        ct_fail(ctx, CT_USAGE, "the blocks of the order hold %d unknowns, the ring %d", sum, n);
        return NULL;
    }
    ct_ring *ring = ct_alloc(1, sizeof *ring);
    ring->n = n;
    ring->names = copy_names(n, names);
    ring->n_blocks = n_blocks;
    ring->blocks = ct_alloc((size_t)n_blocks, sizeof *blocks);
    memcpy(ring->blocks, blocks, (size_t)n_blocks * sizeof *blocks);
    ring->n_symbols = n_symbols;
    ring->symbols = copy_names(n_symbols, symbols);
    if (n_symbols) fmpz_mpoly_ctx_init(ring->symbol_ctx, n_symbols, ORD_DEGREVLEX);
    return ring;
}

ct_ring *ct_ring_simple(ct_context *ctx, int n, const char *const *names, ct_order order) {
    ct_order_block block = {n, order};
    return ct_ring_new(ctx, n, names, 1, &block, 0, NULL);
}

ct_ring *ct_ring_reorder(ct_context *ctx, const ct_ring *ring, int n_blocks,
                         const ct_order_block *blocks) {
    return ct_ring_new(ctx, ring->n, (const char *const *)ring->names, n_blocks, blocks,
                       ring->n_symbols, (const char *const *)ring->symbols);
}

void ct_ring_free(ct_ring *ring) {
    if (!ring) return;
    free_names(ring->n, ring->names);
    free_names(ring->n_symbols, ring->symbols);
    if (ring->n_symbols) fmpz_mpoly_ctx_clear(ring->symbol_ctx);
    ct_free(ring->blocks);
    ct_free(ring);
}

int ct_ring_find(const ct_ring *ring, const char *name) {
    for (int i = 0; i < ring->n; i++)
        if (!strcmp(ring->names[i], name)) return i;
    return -1;
}

static int compare_degree(int n, const uint32_t *a, const uint32_t *b) {
    uint64_t da = 0, db = 0;
    for (int i = 0; i < n; i++) da += a[i], db += b[i];
    return (da > db) - (da < db);
}

static int compare_lex(int n, const uint32_t *a, const uint32_t *b) {
    for (int i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] > b[i] ? 1 : -1;
    return 0;
}

// The last unknown that differs decides, the smaller exponent is the larger monomial.
static int compare_revlex(int n, const uint32_t *a, const uint32_t *b) {
    for (int i = n; i-- > 0;)
        if (a[i] != b[i]) return a[i] < b[i] ? 1 : -1;
    return 0;
}

int ct_monomial_compare(const ct_ring *ring, const uint32_t *a, const uint32_t *b) {
    for (int k = 0; k < ring->n_blocks; k++) {
        int n = ring->blocks[k].n, sign = 0;
        ct_order order = ring->blocks[k].order;
        if (order != CT_LEX) sign = compare_degree(n, a, b);
        if (!sign) sign = order == CT_DEGREVLEX ? compare_revlex(n, a, b) : compare_lex(n, a, b);
        if (sign) return sign;
        a += n;
        b += n;
    }
    return 0;
}

uint64_t ct_monomial_degree(const ct_ring *ring, const uint32_t *a) {
    uint64_t d = 0;
    for (int i = 0; i < ring->n; i++) d += a[i];
    return d;
}

bool ct_monomial_divides(const ct_ring *ring, const uint32_t *a, const uint32_t *b) {
    for (int i = 0; i < ring->n; i++)
        if (a[i] > b[i]) return false;
    return true;
}

bool ct_monomial_coprime(const ct_ring *ring, const uint32_t *a, const uint32_t *b) {
    for (int k = 0; k < ring->n; k++)
        if (a[k] && b[k]) return false;
    return true;
}

void ct_monomial_lcm(const ct_ring *ring, uint32_t *l, const uint32_t *a, const uint32_t *b) {
    for (int k = 0; k < ring->n; k++) l[k] = a[k] > b[k] ? a[k] : b[k];
}
