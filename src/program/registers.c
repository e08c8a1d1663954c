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
static double *meanings(const ct_register_bank *bank, ct_numbers *numbers) {
    double *at = ct_scratch((size_t)bank->n + 1, sizeof *at);
    ct_numbers_eval(numbers, bank->n, bank->meaning, at);
    return at;
}

void ct_registers_at(const ct_registers *registers, ct_numbers *numbers, double *tracked) {
    // values and tracked numbers from coordinates
    double *v = meanings(&registers->values, numbers), *w = meanings(&registers->tracked, numbers);
    ct_numbers_set(numbers, registers->values.n, registers->values.symbol, v);
    ct_numbers_set(numbers, registers->tracked.n, registers->tracked.symbol, w);
    for (int i = 0; tracked && i < registers->tracked.n; i++) tracked[i] = w[i];
    // signs from values, one after the other where they hold signs before them
    const ct_register_bank *signs = &registers->signs;
    double *b = ct_scratch((size_t)signs->n + 1, sizeof *b);
    for (int i = 0, n = signs->is_chained ? 1 : signs->n; i < signs->n; i += n) {
        ct_numbers_eval(numbers, n, signs->meaning + i, b);
        for (int k = 0; k < n; k++) b[k] = b[k] < 0 ? -1 : 1;
        ct_numbers_set(numbers, n, signs->symbol + i, b);
    }
}
