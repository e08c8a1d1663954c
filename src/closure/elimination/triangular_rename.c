// Triangular systems in the numbering of a key and in that of a system.
#include "closure/elimination/triangular.h"

#include <string.h>

static void permute(ct_monomial *m, int n, const int *from) {
    ct_monomial old = *m;
    for (int k = 0; k < n; k++) m->e[k] = old.e[from[k]];
}

static void each_monomial(ct_triangular *t, int n, const int *from) {
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < t->step[i].n; k++) {
            ct_template *x = t->step[i].by + k;
            for (int r = 0; r < x->n; r++) permute(&x->row[r].by, n, from);
            for (int r = 0; r < x->n_kept; r++) permute(x->kept + r, n, from);
        }
}

static void inverse(int n, const int *of, int *out) {
    for (int i = 0; i < n; i++) out[of[i]] = i;
}

void ct_triangular_to_key(const ct_block_system *s, const ct_block_key *key, ct_triangular *t) {
    int equation[CT_UNKNOWNS_MAX], variable[CT_UNKNOWNS_MAX];
    inverse(s->equations.n, key->equation, equation);
    inverse(s->ring->n, key->variable, variable);
    each_monomial(t, s->ring->n, key->variable);
    for (int i = 0; i < t->n; i++) {
        t->step[i].unknown = variable[s->unknown[t->step[i].unknown].c];
        for (int k = 0; k < t->step[i].n; k++)
            for (int r = 0; r < t->step[i].by[k].n; r++)
                t->step[i].by[k].row[r].equation = equation[t->step[i].by[k].row[r].equation];
    }
}

static bool unknown_from(const ct_block_system *s, const ct_block_key *key, int *unknown) {
    for (int i = 0; i < s->n; i++)
        if (*unknown >= 0 && *unknown < s->ring->n && s->unknown[i].c == key->variable[*unknown]) {
            *unknown = i;
            return true;
        }
    return false;
}

bool ct_triangular_from_key(const ct_block_system *s, const ct_block_key *key, ct_triangular *t) {
    int variable[CT_UNKNOWNS_MAX];
    if (s->n != t->n || s->ring->n > CT_TEMPLATE_VARIABLES) return false;
    inverse(s->ring->n, key->variable, variable);
    for (int i = 0; i < t->n; i++) {
        if (!unknown_from(s, key, &t->step[i].unknown)) return false;
        for (int k = 0; k < i; k++)
            if (t->step[k].unknown == t->step[i].unknown) return false;
        for (int k = 0; k < t->step[i].n; k++)
            for (int r = 0; r < t->step[i].by[k].n; r++) {
                int *e = &t->step[i].by[k].row[r].equation;
                if (*e < 0 || *e >= s->equations.n) return false;
                *e = key->equation[*e];
            }
    }
    each_monomial(t, s->ring->n, variable);
    return true;
}
