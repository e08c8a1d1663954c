// Derivatives of the forces F(q, q', t) of M q'' + Phi_q^T lambda = F, for implicit integrators:
// K = -dF/dq along turns where q is a rotation, C = -dF/dq'. All of F counts: loads, weight and
// inertia forces that depend on rates; or loads and weight alone, which is shorter. Entries that are zero everywhere are left out.
#include "formulate/dynamics.h"
#include "formulate/whole_rotation.h"

// Adds the parameters of a rotation, which forces by its angles depend on: e' = e o (0, a) / 2 for a
// turn about axis a of the body, e' = (0, a) o e / 2 of the root.
static void turn_parameters(const ct_formulation *f, ct_derivation *d, const ct_whole_rotation *b,
                            int part) {
    ct_pool *pool = f->pool;
    const ct_ex half = ct_rational(pool, 1, 2), *e = b->parameter;
    const int j = (part + 1) % 3, k = (part + 2) % 3;
    ct_ex up = ct_mul(pool, half, e[1 + k]), down = ct_neg(pool, ct_mul(pool, half, e[1 + j]));
    ct_derivation_map(d, e[0], ct_neg(pool, ct_mul(pool, half, e[1 + part])));
    ct_derivation_map(d, e[1 + part], ct_mul(pool, half, e[0]));
    ct_derivation_map(d, e[1 + j], b->in_root ? ct_neg(pool, up) : up);
    ct_derivation_map(d, e[1 + k], b->in_root ? ct_neg(pool, down) : down);
}

static ct_derivation *by_position(const ct_formulation *f, int k) {
    int part;
    const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, k, &part);
    ct_derivation *d = ct_partial_derivation(f, k);
    if (b && b->integrated) turn_parameters(f, d, b, part);
    return d;
}

static ct_derivation *by_rate(const ct_formulation *f, int k) {
    ct_derivation *d = ct_derivation_new(f->pool);
    ct_derivation_map(d, f->qd[k], CT_ONE);
    return d;
}

// F without inertia forces, in the way of writing that takes the fewest operations.
static const ct_ex *applied_forces(const ct_formulation *f) {
    static const ct_frames frames[] = {CT_FRAME_WORLD, CT_FRAME_TOP, CT_FRAME_OWN};
    ct_substitution *known = ct_formulation_known(f);
    ct_loads loads;
    ct_loads_build(f->layout, known, &loads);
    const ct_ex *best = NULL;
    double least = 0;
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        ct_ex *forces = ct_scratch((size_t)f->n + 1, sizeof *forces);
        ct_sweep_applied(f->layout, &loads, (ct_writing){.frames = frames[i], .let = true}, forces);
        double price = ct_operations_total(ct_count_shared(f->pool, f->n, forces));
        if (best && price >= least) continue;
        best = forces;
        least = price;
    }
    ct_loads_clear(&loads);
    ct_substitution_free(known);
    return best;
}

void ct_force_slopes(const ct_formulation *f, bool applied, bool of_rates, ct_slopes *slopes) {
    const int n = f->n;
    if (!applied) ct_formulation_entries(f);
    const ct_ex *forces = applied ? applied_forces(f) : f->forcing;
    *slopes = (ct_slopes){.place = ct_scratch((size_t)(n * n) + 1, sizeof(int)),
                          .value = ct_scratch((size_t)(n * n) + 1, sizeof(ct_ex))};
    for (int k = 0; k < n; k++) {
        ct_derivation *d = of_rates ? by_rate(f, k) : by_position(f, k);
        for (int i = 0; i < n; i++) {
            ct_ex value = ct_neg(f->pool, ct_derive(d, forces[i]));
            if (value == CT_ZERO) continue;
            slopes->place[slopes->n] = i * n + k;
            slopes->value[slopes->n++] = value;
        }
        ct_derivation_free(d);
    }
}
