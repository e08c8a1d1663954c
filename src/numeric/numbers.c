// Evaluation with numbers for the symbols of a pool.
#include "numeric/numbers.h"

#include <math.h>
#include <stdlib.h>

void ct_numbers_set(ct_numbers *numbers, int n, const ct_ex *symbols, const double *values) {
    uint32_t size = (uint32_t)ct_pool_size(numbers->pool);
    if (numbers->room < size) {
        numbers->value = ct_realloc(numbers->value, size, sizeof *numbers->value);
        for (uint32_t i = numbers->room; i < size; i++) numbers->value[i] = NAN;
        numbers->room = size;
    }
    for (int i = 0; i < n; i++) numbers->value[symbols[i]] = values[i];
}

void ct_numbers_init(ct_numbers *numbers, ct_pool *pool) {
    *numbers = (ct_numbers){.pool = pool};
    ct_numbers_set(numbers, 0, NULL, NULL);
}

static double value_of(void *data, ct_ex symbol) {
    const ct_numbers *x = data;
    return symbol < x->room ? x->value[symbol] : NAN;
}

void ct_numbers_eval(ct_numbers *numbers, int n, const ct_ex *roots, double *out) {
    if (n > 0) ct_eval_many(numbers->pool, n, roots, value_of, numbers, out);
}

void ct_numbers_eval_rounded(ct_numbers *numbers, int n, const ct_ex *roots, double *out) {
    if (n > 0) ct_eval_rounded(numbers->pool, n, roots, value_of, numbers, out);
}

void ct_numbers_clear(ct_numbers *numbers) {
    ct_free(numbers->value);
    *numbers = (ct_numbers){0};
}
