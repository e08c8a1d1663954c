// Registers: adding them, and their numbers at a position.
#include "program/registers.h"

#include <stdlib.h>

int ct_register_add(ct_register_bank *bank, ct_ex symbol, ct_ex meaning) {
    if (bank->n == bank->room) {
        bank->room = bank->room ? 2 * bank->room : 16;
        bank->symbol = ct_realloc(bank->symbol, (size_t)bank->room, sizeof *bank->symbol);
        bank->meaning = ct_realloc(bank->meaning, (size_t)bank->room, sizeof *bank->meaning);
    }
    bank->symbol[bank->n] = symbol;
    bank->meaning[bank->n] = meaning;
    return bank->n++;
}

// The numbers of all meanings.
static double *meanings(const ct_register_bank *bank, ct_numbers *x) {
    double *at = ct_scratch((size_t)bank->n + 1, sizeof *at);
    ct_numbers_eval(x, bank->n, bank->meaning, at);
    return at;
}

void ct_registers_at(const ct_registers *r, ct_numbers *x, double *tracked) {
    // values and tracked numbers from coordinates
    double *v = meanings(&r->values, x), *w = meanings(&r->tracked, x);
    ct_numbers_set(x, r->values.n, r->values.symbol, v);
    ct_numbers_set(x, r->tracked.n, r->tracked.symbol, w);
    for (int i = 0; tracked && i < r->tracked.n; i++) tracked[i] = w[i];
    // signs from values, one after the other where they hold signs before them
    const ct_register_bank *signs = &r->signs;
    double *b = ct_scratch((size_t)signs->n + 1, sizeof *b);
    for (int i = 0, n = signs->is_chained ? 1 : signs->n; i < signs->n; i += n) {
        ct_numbers_eval(x, n, signs->meaning + i, b);
        for (int k = 0; k < n; k++) b[k] = b[k] < 0 ? -1 : 1;
        ct_numbers_set(x, n, signs->symbol + i, b);
    }
}
