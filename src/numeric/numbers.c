// Evaluation with numbers for the symbols of a pool.
#include "numeric/numbers.h"

#include <math.h>
#include <stdlib.h>

void ct_numbers_set(ct_numbers *x, int n, const ct_ex *symbols, const double *values) {
    uint32_t size = (uint32_t)ct_pool_size(x->pool);
    if (x->room < size) {
        x->value = ct_realloc(x->value, size, sizeof *x->value);
        for (uint32_t i = x->room; i < size; i++) x->value[i] = NAN;
        x->room = size;
    }
    for (int i = 0; i < n; i++) x->value[symbols[i]] = values[i];
}

void ct_numbers_init(ct_numbers *x, ct_pool *pool) {
    *x = (ct_numbers){.pool = pool};
    ct_numbers_set(x, 0, NULL, NULL);
}

static double value_of(void *data, ct_ex symbol) {
    const ct_numbers *x = data;
    return symbol < x->room ? x->value[symbol] : NAN;
}

void ct_numbers_eval(ct_numbers *x, int n, const ct_ex *roots, double *out) {
    if (n > 0) ct_eval_many(x->pool, n, roots, value_of, x, out);
}

void ct_numbers_eval_rounded(ct_numbers *x, int n, const ct_ex *roots, double *out) {
    if (n > 0) ct_eval_rounded(x->pool, n, roots, value_of, x, out);
}

void ct_numbers_clear(ct_numbers *x) {
    ct_free(x->value);
    *x = (ct_numbers){0};
}
