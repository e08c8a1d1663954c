// Results of `basis`, freed.
#include "configurations/basis/basis_system.h"

static void free_strings(int n, char **s) {
    for (int i = 0; i < n && s; i++) ct_free(s[i]);
    ct_free(s);
}

void ct_basis_result_reset(ct_basis_result *r) {
    free_strings(r->n_variables, r->variables);
    free_strings(r->n_symbols, r->symbols);
    free_strings(r->n_generators, r->generators);
    free_strings(r->n_resultants, r->resultants);
    free_strings(r->n_notes, r->notes);
    ct_free(r->degrees);
    ct_free(r->name);
    *r = (ct_basis_result){.order = r->order, .substitution = r->substitution};
}

void ct_basis_free(ct_basis_result *r) {
    if (!r) return;
    ct_basis_result_reset(r);
    ct_free(r);
}
