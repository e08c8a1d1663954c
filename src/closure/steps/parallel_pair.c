// Linkages whose closure falls apart into components: parallelograms, deltoids and the like.
//   a C + b S = c  has roots that never meet on one component, although the square under the root
// becomes zero where components cross. Found here, at the lengths of the model: pairs equal to that
// of a body that is placed already (parallel, or mirrored). The general case is in factored.c.
// Lengths are parameters of the code, so a guard watches the identity.
#include "closure/steps/builder.h"
#include "closure/tolerances.h"

#include <math.h>
#include <stdlib.h>

// A known angle whose pair, up to signs, solves a C + b S = c wherever the bodies are.
static bool same_pair(const ct_step_builder *build, const ct_unknown *u, int n,
                      const ct_ex *angle_sums, ct_ex a, ct_ex b, ct_ex c, ct_ex *cosine,
                      ct_ex *sine, ct_ex *psi) {
    bool found = false;
    ct_numbers x;
    ct_steps_numbers(build, &x);
    for (int i = 0; i < n && !found; i++) {
        ct_ex pair[4] = {u->c, u->s};
        double v[4];
        if (angle_sums[i] == CT_ZERO) continue;
        // pairs of the unknown and of a known angle in numbers
        ct_values_pair(build->values, angle_sums[i], pair + 2, pair + 3);
        ct_numbers_eval(&x, 4, pair, v);
        for (int k = 0; k < 4 && !found; k++) {
            double sc = k & 1 ? -1 : 1, ss = k & 2 ? -1 : 1;
            // the same up to signs at the initial position
            if (fabs(v[0] - sc * v[2]) > CT_TOL_SAME_PAIR ||
                fabs(v[1] - ss * v[3]) > CT_TOL_SAME_PAIR)
                continue;
            // and the equation holds with this pair at random positions
            *cosine = sc < 0 ? ct_neg(build->pool, pair[2]) : pair[2];
            *sine = ss < 0 ? ct_neg(build->pool, pair[3]) : pair[3];
            found = ct_steps_holds(build, a, b, c, *cosine, *sine);
            // the two angles turn alike, or against each other
            if (found)
                *psi = sc * ss > 0 ? ct_sub(build->pool, u->angle_sum, angle_sums[i])
                                   : ct_add(build->pool, u->angle_sum, angle_sums[i]);
        }
    }
    ct_numbers_clear(&x);
    return found;
}

bool ct_steps_component(const ct_step_builder *build, ct_segment *seg, const ct_unknown *u, ct_ex a,
                        ct_ex b, ct_ex c, ct_ex *cosine, ct_ex *sine, ct_ex *psi) {
    ct_pool *pool = build->pool;
    ct_ex *angle_sums, all[3] = {a, b, c};
    if (ct_values_hold_vectors(build->values, 3, all)) return false; // vectors have no angle sums
    int n = ct_steps_angle_sums_in(build, 3, all, &angle_sums);
    bool found = same_pair(build, u, n, angle_sums, a, b, c, cosine, sine, psi);
    if (!found) return ct_steps_factor(build, seg, u, a, b, c, cosine, sine, psi);
    ct_ex off = ct_sum(
        pool, 3, (ct_ex[]){ct_mul(pool, a, *cosine), ct_mul(pool, b, *sine), ct_neg(pool, c)});
    ct_step *step = build->closure->steps + seg->step;
    step->method = CT_STEP_LINEAR;
    step->degree = 1;
    build->closure->components = true;
    ct_steps_watch(build, seg, off,
                   ct_add(pool, ct_power_int(pool, c, 2),
                          ct_add(pool, ct_power_int(pool, a, 2), ct_power_int(pool, b, 2))));
    return true;
}
