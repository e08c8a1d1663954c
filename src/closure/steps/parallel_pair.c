// Linkages whose closure falls apart into components: parallelograms, deltoids and the like.
//   a C + b S = c  has roots that never meet on one component, although the square under the root
// becomes zero where components cross. Found here, at the lengths of the model: the pair is that of
// a body that is placed already (parallel, or mirrored). The general case is in factored.c.
// Lengths are parameters of the code, so a guard watches that they still make it so.
#include "closure/steps/builder.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>

static bool same_pair(const ct_steps *b, const ct_unknown *u, int n, const ct_ex *forms, ct_ex a,
                      ct_ex bb, ct_ex c, ct_ex *cosine, ct_ex *sine, ct_ex *psi) {
    bool found = false;
    ct_numbers x;
    ct_steps_numbers(b, &x);
    for (int i = 0; i < n && !found; i++) {
        ct_ex pair[4] = {u->c, u->s};
        double v[4];
        if (forms[i] == CT_ZERO) continue;
        ct_forms_pair(b->forms, forms[i], pair + 2, pair + 3);
        ct_numbers_eval(&x, 4, pair, v);
        for (int k = 0; k < 4 && !found; k++) {
            double sc = k & 1 ? -1 : 1, ss = k & 2 ? -1 : 1;
            if (fabs(v[0] - sc * v[2]) > CT_TOL_SAME_PAIR ||
                fabs(v[1] - ss * v[3]) > CT_TOL_SAME_PAIR)
                continue;
            *cosine = sc < 0 ? ct_neg(b->pool, pair[2]) : pair[2];
            *sine = ss < 0 ? ct_neg(b->pool, pair[3]) : pair[3];
            found = ct_steps_holds(b, a, bb, c, *cosine, *sine);
            // the two angles turn alike, or against each other
            if (found)
                *psi = sc * ss > 0 ? ct_sub(b->pool, u->form, forms[i])
                                   : ct_add(b->pool, u->form, forms[i]);
        }
    }
    ct_numbers_clear(&x);
    return found;
}

bool ct_steps_component(const ct_steps *b, ct_segment *s, const ct_unknown *u, ct_ex a, ct_ex bb,
                        ct_ex c, ct_ex *cosine, ct_ex *sine, ct_ex *psi) {
    ct_pool *pool = b->pool;
    ct_ex *forms, all[3] = {a, bb, c};
    if (ct_forms_hold_vectors(b->forms, 3, all)) return false; // none is known of these
    int n = ct_steps_forms_in(b, 3, all, &forms);
    bool found = same_pair(b, u, n, forms, a, bb, c, cosine, sine, psi);
    ct_free(forms);
    if (!found) return ct_steps_factor(b, s, u, a, bb, c, cosine, sine, psi);
    ct_ex off = ct_sum(
        pool, 3, (ct_ex[]){ct_mul(pool, a, *cosine), ct_mul(pool, bb, *sine), ct_neg(pool, c)});
    ct_step *step = b->closure->steps + s->step;
    step->method = CT_STEP_LINEAR;
    step->degree = 1;
    b->closure->components = true;
    ct_steps_watch(b, s, off,
                   ct_add(pool, ct_power_int(pool, c, 2),
                          ct_add(pool, ct_power_int(pool, a, 2), ct_power_int(pool, bb, 2))));
    return true;
}
