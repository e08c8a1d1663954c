// Results of `basis`, freed.
#include "configurations/basis/basis_system.h"

typedef void end_block(void *block); // ct_free, or ct_release for the caller

static void end_strings(int n, char **s, end_block *end) {
    for (int i = 0; i < n && s; i++) end(s[i]);
    end(s);
}

static void end_parts(ct_basis_result *r, end_block *end) {
    end_strings(r->n_variables, r->variables, end);
    end_strings(r->n_symbols, r->symbols, end);
    end_strings(r->n_generators, r->generators, end);
    end_strings(r->n_resultants, r->resultants, end);
    end_strings(r->n_notes, r->notes, end);
    end(r->degrees);
    end(r->name);
}

void ct_basis_result_reset(ct_basis_result *r) {
    end_parts(r, ct_free);
    *r = (ct_basis_result){.order = r->order, .substitution = r->substitution};
}

void ct_basis_result_release(ct_basis_result *r) {
    end_parts(r, ct_release);
    ct_release(r);
}

void ct_basis_free(ct_basis_result *r) {
    if (!r) return;
    end_parts(r, ct_free);
    ct_free(r);
}
