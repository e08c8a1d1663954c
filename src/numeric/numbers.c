// Evaluation with numbers for the symbols of a pool.
#include "numeric/numbers.h"

#include <math.h>
#include <stdlib.h>

void ct_numbers_set(ct_numbers *numbers, int n, const ct_ex *symbols, const double *values) {
    for (int i = 0; i < n; i++) {
        double *page = ct_pages_make(&numbers->value, symbols[i], sizeof *page);
        page[symbols[i] % CT_PAGE] = values[i];
    }
}

void ct_numbers_init(ct_numbers *numbers, ct_pool *pool) {
    *numbers = (ct_numbers){.pool = pool};
}

double ct_numbers_get(const ct_numbers *numbers, ct_ex symbol) {
    const double *page = ct_pages_find(&numbers->value, symbol);
    return page ? page[symbol % CT_PAGE] : NAN;
}

static double value_of(void *data, ct_ex symbol) {
    return ct_numbers_get(data, symbol);
}

void ct_numbers_eval(ct_numbers *numbers, int n, const ct_ex *roots, double *out) {
    if (n > 0) ct_eval_many(numbers->pool, n, roots, value_of, numbers, out);
}

void ct_numbers_eval_rounded(ct_numbers *numbers, int n, const ct_ex *roots, double *out) {
    if (n > 0) ct_eval_rounded(numbers->pool, n, roots, value_of, numbers, out);
}

void ct_numbers_clear(ct_numbers *numbers) {
    ct_pages_clear(&numbers->value);
    *numbers = (ct_numbers){0};
}
