// S-pairs and the criteria of Gebauer and Möller (1988) that discard the useless ones.
#include "algebra/f4/f4_inside.h"

#include <stdlib.h>

#define COMPARISON 8 // of two monomials, in operations on coefficients

static uint32_t lead(const f4_run *run, uint32_t i) {
    return run->polys[i].mon[0];
}

// Old pairs (i, j) whose lcm the new lead divides are consequences of (i, h) and (j, h), unless one
// of those has the same lcm.
static void drop_old(f4_run *run, uint32_t h) {
    f4_monomials *t = &run->mons;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < run->n_pairs; k++) {
        f4_pair q = run->pairs[k];
        bool drop = q.i != q.j && f4_monomial_divides(t, lead(run, h), q.lcm) &&
                    f4_monomial_lcm(t, lead(run, q.i), lead(run, h)) != q.lcm &&
                    f4_monomial_lcm(t, lead(run, q.j), lead(run, h)) != q.lcm;
        if (!drop) run->pairs[kept++] = q;
    }
    run->n_pairs = kept;
}

// Among the new pairs (i, h): one is superfluous if the lcm of another divides its own properly; of
// those with equal lcm one is enough, and none is needed if one of them has coprime leads.
static bool superfluous(const f4_run *run, const f4_pair *fresh, const bool *coprime, uint32_t n,
                        uint32_t k, double *compared) {
    if (coprime[k]) return true;
    for (uint32_t l = 0; l < n; l++) {
        if (l == k) continue;
        ++*compared;
        if (fresh[l].lcm == fresh[k].lcm) {
            if (l < k || coprime[l]) return true;
        } else if (f4_monomial_divides(&run->mons, fresh[l].lcm, fresh[k].lcm)) {
            return true;
        }
    }
    return false;
}

void f4_pairs_update(f4_run *run, uint32_t h) {
    f4_monomials *t = &run->mons;
    double compared = run->n_pairs;
    drop_old(run, h);
    ct_stage stage = ct_stage_begin();
    f4_pair *fresh = ct_scratch(h + 1, sizeof *fresh);
    bool *coprime = ct_scratch(h + 1, sizeof *coprime);
    uint32_t n = 0;
    for (uint32_t i = run->n_inputs; i < h; i++) {
        if (run->polys[i].redundant) continue;
        uint32_t lcm = f4_monomial_lcm(t, lead(run, i), lead(run, h));
        coprime[n] = f4_monomial_coprime(t, lead(run, i), lead(run, h));
        fresh[n++] = (f4_pair){i, h, lcm, f4_degree(t, lcm)};
    }
    for (uint32_t k = 0; k < n; k++)
        if (!superfluous(run, fresh, coprime, n, k, &compared))
            *CT_PUSH(run->pairs, run->n_pairs, run->room_pairs) = fresh[k];
    // of two leads found together the smaller may divide the larger
    for (uint32_t i = run->n_inputs; i < h; i++) {
        if (f4_monomial_divides(t, lead(run, h), lead(run, i)))
            run->polys[i].redundant = true;
        else if (f4_monomial_divides(t, lead(run, i), lead(run, h)))
            run->polys[h].redundant = true;
    }
    if (run->limits && run->limits->budget.pairs)
        ct_limits_work(run->limits, COMPARISON * compared);
    ct_stage_end(stage);
}
