// Equations of motion M q'' = F: swept in several frames of writing (dynamics.h), counted, and the
// cheapest kept. Kinetic energy is chosen by itself among the same ways and q'^T M q' / 2.
#include "formulate/dynamics.h"

#include "expr/optimise.h"

#include <stdlib.h>
#include <string.h>

static double operations(ct_formulation *f, int n, ct_ex *roots, bool optimised) {
    if (optimised) ct_optimise(f->pool, n, roots);
    return ct_operations_total(ct_count_shared(f->pool, n, roots));
}

// Number of operations of M, F, Phi_q and gamma together; `optimised`: after the optimisation that
// generated code goes through.
static double cost(ct_formulation *f, const ct_swept *x, bool optimised) {
    size_t nn = (size_t)f->n * (size_t)f->n, n = (size_t)f->n, m = (size_t)f->m;
    ct_ex *roots = ct_scratch(nn + n + m * n + m + 1, sizeof *roots);
    memcpy(roots, x->mass, nn * sizeof *roots);
    memcpy(roots + nn, x->forcing, n * sizeof *roots);
    memcpy(roots + nn + n, f->phi_q, m * n * sizeof *roots);
    memcpy(roots + nn + n + m * n, f->gamma, m * sizeof *roots);
    return operations(f, (int)(nn + n + m * n + m), roots, optimised);
}

// T = q'^T M q' / 2: often the cheapest for few coordinates.
static ct_ex kinetic_of_mass(const ct_formulation *f) {
    ct_ex sum = CT_ZERO;
    for (int i = 0; i < f->n; i++) {
        ct_ex momentum = CT_ZERO;
        for (int k = 0; k < f->n; k++)
            momentum = ct_add(f->pool, momentum, ct_mul(f->pool, f->mass[i * f->n + k], f->qd[k]));
        ct_ex half = ct_mul(f->pool, ct_rational(f->pool, 1, 2), f->qd[i]);
        sum = ct_add(f->pool, sum, ct_mul(f->pool, half, momentum));
    }
    return sum;
}

static void keep_kinetic(ct_formulation *f, ct_ex kinetic, bool optimised, double *best) {
    ct_ex root = kinetic;
    double c = operations(f, 1, &root, optimised);
    if (*best >= 0 && c >= *best) return;
    *best = c;
    f->kinetic = kinetic;
}

// Small systems are compared as they will be emitted; large ones, where that takes long and changes
// little, as they are, and not with everything merged in turning frames.
enum { SMALL = 1500 };
static const struct {
    ct_writing how;
    bool large;
} ways[] = {{{CT_FRAME_WORLD, false, false}, true}, {{CT_FRAME_OWN, true, false}, true},
            {{CT_FRAME_WORLD, true, false}, true},  {{CT_FRAME_TOP, true, false}, true},
            {{CT_FRAME_WORLD, true, true}, true},   {{CT_FRAME_TOP, true, true}, true},
            {{CT_FRAME_OWN, true, true}, true},     {{CT_FRAME_OWN, false, false}, false}};
enum { WAYS = sizeof ways / sizeof *ways };

// M q'' and F - M q'' in symbols for q'', in the frames of writing that take the fewest operations.
static void accelerated(ct_layout *l, const ct_loads *loads) {
    ct_formulation *f = l->f;
    size_t n = (size_t)f->n;
    f->qdd = ct_arena_alloc(&f->arena, n + 1, sizeof *f->qdd);
    f->inertia = ct_arena_alloc(&f->arena, n + 1, sizeof *f->inertia);
    f->balance = ct_arena_alloc(&f->arena, n + 1, sizeof *f->balance);
    for (size_t k = 0; k < n; k++)
        f->qdd[k] =
            ct_symbol(f->pool, CT_SYMBOL_ACCELERATION, ct_scratch_format("%s''", f->names[k]));
    double best = -1;
    ct_ex *both = ct_scratch(2 * n + 1, sizeof *both);
    for (int i = 0; i < WAYS; i++) {
        if (!ways[i].large || ways[i].how.composite) continue;
        ct_sweep_accelerated(l, loads, ways[i].how, f->qdd, both, both + n);
        double c = operations(f, 2 * f->n, both, false);
        if (best >= 0 && c >= best) continue;
        best = c;
        memcpy(f->inertia, both, n * sizeof *both);
        memcpy(f->balance, both + n, n * sizeof *both);
    }
}

void ct_dynamics_build(ct_layout *l, ct_substitution *known) {
    ct_formulation *f = l->f;
    ct_loads loads;
    // applied forces, with their potential energy and power
    ct_loads_build(l, known, &loads);
    size_t nn = (size_t)f->n * (size_t)f->n + 1, n = (size_t)f->n + 1;
    ct_swept x = {.mass = ct_alloc(nn, sizeof *x.mass), .forcing = ct_alloc(n, sizeof *x.forcing)};
    f->mass = ct_arena_alloc(&f->arena, nn, sizeof *f->mass);
    f->forcing = ct_arena_alloc(&f->arena, n, sizeof *f->forcing);
    // every way of writing; not all for large systems, composite bodies where trees allow
    double best = -1, best_kinetic = -1;
    bool small = true, composes = ct_sweep_composes(l);
    for (int i = 0; i < WAYS; i++) {
        if ((!small && !ways[i].large) || (ways[i].how.composite && !composes)) continue;
        // M and F in this way, and their price; the first way tells a small system from a large one
        memset(x.mass, 0, nn * sizeof *x.mass);
        ct_sweep(l, &loads, ways[i].how, &x);
        if (!i) small = cost(f, &x, false) < SMALL;
        double c = cost(f, &x, small);
        // the cheapest T, and the cheapest M with its F
        keep_kinetic(f, x.kinetic, small, &best_kinetic);
        if (best >= 0 && c >= best) continue;
        best = c;
        memcpy(f->mass, x.mass, nn * sizeof *x.mass);
        memcpy(f->forcing, x.forcing, n * sizeof *x.forcing);
    }
    ct_find_constant_entries(f->pool, f->n * f->n, f->mass);
    ct_find_constant_entries(f->pool, f->n, f->forcing);
    // one more candidate: T = q'^T M q' / 2
    keep_kinetic(f, kinetic_of_mass(f), small, &best_kinetic);
    if (f->m) accelerated(l, &loads);
    f->potential = loads.potential;
    f->power = loads.power;
    ct_free(x.mass);
    ct_free(x.forcing);
    ct_loads_clear(&loads);
}
