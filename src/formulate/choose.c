// Equations of motion M q'' = F: swept in several frames of writing (dynamics.h), counted, and the
// cheapest kept. Kinetic energy is chosen by itself among the same ways and q'^T M q' / 2. Entries of a
// large M wait until something needs them: a closure of scissors of 100 stages sweeps over the bodies.
#include "formulate/dynamics.h"
#include "formulate/sweep/links.h"
#include "formulate/tolerances.h"
#include "formulate/whole_rotation.h"

#include "expr/optimise.h"

#include <math.h>
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
} ways[] = {
    {{CT_FRAME_WORLD, false, false, false}, true}, {{CT_FRAME_OWN, true, false, false}, true},
    {{CT_FRAME_WORLD, true, false, false}, true},  {{CT_FRAME_TOP, true, false, false}, true},
    {{CT_FRAME_WORLD, true, true, false}, true},   {{CT_FRAME_TOP, true, true, false}, true},
    {{CT_FRAME_OWN, true, true, false}, true},     {{CT_FRAME_OWN, false, false, false}, false}};
enum { WAYS = sizeof ways / sizeof *ways };

// M q'' and F - M q'' in symbols for q'', in the frames of writing that take the fewest operations.
static void accelerated(ct_layout *l, const ct_loads *loads, bool along_floating,
                        ct_motion_equations *out) {
    ct_formulation *f = l->f;
    size_t n = (size_t)f->n;
    out->inertia = ct_arena_alloc(&f->arena, n + 1, sizeof *out->inertia);
    out->balance = ct_arena_alloc(&f->arena, n + 1, sizeof *out->balance);
    double best = -1;
    ct_ex *both = ct_scratch(2 * n + 1, sizeof *both);
    for (int i = 0; i < WAYS; i++) {
        ct_writing how = ways[i].how;
        how.along_floating = along_floating;
        if (!ways[i].large || how.composite || (along_floating && how.frames == CT_FRAME_WORLD))
            continue;
        ct_sweep_accelerated(l, loads, how, f->qdd, both, both + n);
        double c = operations(f, 2 * f->n, both, false);
        if (best >= 0 && c >= best) continue;
        best = c;
        memcpy(out->inertia, both, n * sizeof *both);
        memcpy(out->balance, both + n, n * sizeof *both);
    }
}

static void name_accelerations(ct_formulation *f) {
    f->qdd = ct_arena_alloc(&f->arena, (size_t)f->n + 1, sizeof *f->qdd);
    for (int k = 0; k < f->n; k++) f->qdd[k] = ct_acceleration(f, k);
}

// The equations once more, in accelerations along floating bases: M and F.
static void floating_entries(ct_layout *l, const ct_loads *loads, bool small, ct_swept *x) {
    ct_formulation *f = l->f;
    ct_motion_equations *out = &f->along_floating;
    size_t nn = (size_t)f->n * (size_t)f->n + 1, n = (size_t)f->n + 1;
    // the cheapest of the ways in frames of bodies
    double best = -1;
    for (int i = 0; i < WAYS; i++) {
        ct_writing how = ways[i].how;
        how.along_floating = true;
        if (!ways[i].large || how.frames == CT_FRAME_WORLD ||
            (how.composite && !ct_sweep_composes(l)))
            continue;
        memset(x->mass, 0, nn * sizeof *x->mass);
        ct_sweep(l, loads, how, x);
        double c = cost(f, x, small);
        if (best >= 0 && c >= best) continue;
        best = c;
        memcpy(out->mass, x->mass, nn * sizeof *x->mass);
        memcpy(out->forcing, x->forcing, n * sizeof *x->forcing);
    }
    ct_find_constant_entries(f, f->n * f->n, out->mass);
    ct_find_constant_entries(f, f->n, out->forcing);
}

// M and F in every way of writing; not all for large systems, composite bodies where trees allow.
// Returns true for a small system; T goes to the formulation where it is cheaper than *best_kinetic.
static bool entries(ct_layout *l, const ct_loads *loads, ct_swept *x, double *best_kinetic) {
    ct_formulation *f = l->f;
    size_t nn = (size_t)f->n * (size_t)f->n + 1, n = (size_t)f->n + 1;
    double best = -1;
    bool small = true, composes = ct_sweep_composes(l);
    for (int i = 0; i < WAYS; i++) {
        if ((!small && !ways[i].large) || (ways[i].how.composite && !composes)) continue;
        // M and F in this way, and their price; the first way tells a small system from a large one
        memset(x->mass, 0, nn * sizeof *x->mass);
        ct_sweep(l, loads, ways[i].how, x);
        if (!i) small = cost(f, x, false) < SMALL;
        double c = cost(f, x, small);
        // the cheapest T, and the cheapest M with its F
        keep_kinetic(f, x->kinetic, small, best_kinetic);
        if (best >= 0 && c >= best) continue;
        best = c;
        memcpy(f->mass, x->mass, nn * sizeof *x->mass);
        memcpy(f->forcing, x->forcing, n * sizeof *x->forcing);
    }
    ct_find_constant_entries(f, f->n * f->n, f->mass);
    ct_find_constant_entries(f, f->n, f->forcing);
    return small;
}

// F and T in every way of writing, without M.
static void forcing_alone(ct_layout *l, const ct_loads *loads, ct_swept *x, double *best_kinetic) {
    ct_formulation *f = l->f;
    double best = -1;
    for (int i = 0; i < WAYS; i++) {
        if (!ways[i].large || ways[i].how.composite) continue;
        // a long tree in the frames of its bodies alone: from ground it has no short form
        if (!f->m && (ways[i].how.frames != CT_FRAME_OWN || !ways[i].how.let)) continue;
        ct_sweep_forcing(l, loads, ways[i].how, x);
        double c = operations(f, f->n, x->forcing, false);
        keep_kinetic(f, x->kinetic, false, best_kinetic);
        if (best >= 0 && c >= best) continue;
        best = c;
        memcpy(f->forcing, x->forcing, (size_t)f->n * sizeof *x->forcing);
    }
    ct_find_constant_entries(f, f->n, f->forcing);
}

// Entries of half of M that are not zero: coordinates of a branch with those between it and ground.
static double filled_entries(const ct_layout *l) {
    double most = 0;
    for (int d = 0; d < 2; d++) {
        double sum = 0;
        int *above = ct_scratch((size_t)l->n_bodies, sizeof *above); // coordinates up to ground
        for (int i = 1; i < l->n_bodies; i++) {
            int b = l->order[d][i];
            const ct_connection *c = l->connections + l->branch[d][b];
            int own = d == CT_ROTATION ? c->n_rot : c->n_trans;
            above[b] = above[l->parent[d][b]] + own;
            sum += own * above[b];
        }
        if (sum > most) most = sum;
    }
    return most;
}

static void allocate_entries(ct_formulation *f, ct_ex **mass, ct_ex **forcing) {
    *mass = ct_arena_alloc(&f->arena, (size_t)f->n * (size_t)f->n + 1, sizeof **mass);
    *forcing = ct_arena_alloc(&f->arena, (size_t)f->n + 1, sizeof **forcing);
}

static ct_swept swept_new(const ct_formulation *f) {
    size_t n = (size_t)f->n;
    return (ct_swept){.mass = ct_alloc(n * n + 1, sizeof(ct_ex)),
                      .forcing = ct_alloc(n + 1, sizeof(ct_ex))};
}

static void swept_clear(ct_swept *x) {
    ct_free(x->mass);
    ct_free(x->forcing);
}

void ct_formulation_entries(const ct_formulation *f) {
    if (!f->late_entries || !*f->late_entries) return;
    ct_layout *l = f->layout;
    ct_substitution *known = ct_formulation_known(f);
    ct_loads loads;
    ct_loads_build(l, known, &loads);
    ct_swept x = swept_new(f);
    double least = 0; // T stays as it is
    bool small = entries(l, &loads, &x, &least);
    if (f->n_floating) floating_entries(l, &loads, small, &x);
    *f->late_entries = false;
    swept_clear(&x);
    ct_loads_clear(&loads);
    ct_substitution_free(known);
}

bool ct_formulation_is_tree(const ct_formulation *f) {
    return ct_links_apply(f->layout);
}

static ct_accelerations accelerations_new(const ct_formulation *f) {
    size_t n = (size_t)f->n + 1;
    return (ct_accelerations){ct_scratch(n, sizeof(ct_ex)), ct_scratch(n, sizeof(ct_ex)),
                              ct_scratch(n, sizeof(ct_ex))};
}

void ct_formulation_accelerations(const ct_formulation *f, bool along_floating,
                                  ct_accelerations *out) {
    ct_layout *l = f->layout;
    ct_substitution *known = ct_formulation_known(f);
    ct_loads loads;
    ct_loads_build(l, known, &loads);
    double best = -1;
    // frames of bodies, frames along joints
    for (int along_joints = 0; along_joints < 2; along_joints++) {
        ct_accelerations x = accelerations_new(f);
        ct_sweep_articulated(l, &loads, along_joints, along_floating, &x);
        double c = ct_operations_total(ct_count_shared(f->pool, f->n, x.qdd));
        if (best >= 0 && c >= best) continue;
        best = c;
        *out = x;
    }
    ct_loads_clear(&loads);
    ct_substitution_free(known);
}

bool ct_formulation_has_entries(const ct_formulation *f) {
    return !f->late_entries || !*f->late_entries;
}

double ct_formulation_entries_price(const ct_formulation *f) {
    enum { EACH = 10 }; // a force and its moment are carried past a joint in the plane
    return EACH * filled_entries(f->layout);
}

void ct_dynamics_build(ct_layout *l, ct_substitution *known) {
    ct_formulation *f = l->f;
    ct_loads loads;
    // angles by name of whole rotations, where forces need them
    for (int i = 0; i < f->n_integrated; i++) {
        ct_whole_rotation *b = f->whole_rotations + i;
        if (b->followed) ct_whole_rotation_follow(l, b);
        for (int k = 0; k < 3 && b->followed; k++) {
            ct_substitution_map(known, b->angle[k], b->followed_angle[k]);
            ct_substitution_map(known, b->angle_d[k], b->followed_rate[k]);
        }
    }
    // applied forces, with their potential energy and power
    ct_loads_build(l, known, &loads);
    ct_swept x = swept_new(f);
    allocate_entries(f, &f->mass, &f->forcing);
    // M, F, T; in large mechanisms that need no M for their motion F and T
    double best_kinetic = -1;
    bool small = false, late = filled_entries(l) > (ct_links_apply(l) ? CT_ENTRIES_OF_TREE
                                                    : f->m            ? CT_ENTRIES_LATE
                                                                      : INFINITY);
    if (late) {
        f->late_entries = ct_arena_alloc(&f->arena, 1, sizeof *f->late_entries);
        *f->late_entries = true;
        forcing_alone(l, &loads, &x, &best_kinetic);
    } else {
        small = entries(l, &loads, &x, &best_kinetic);
        // one more candidate: T = q'^T M q' / 2
        keep_kinetic(f, kinetic_of_mass(f), small, &best_kinetic);
    }
    ct_motion_equations swept = {0};
    if (f->m) name_accelerations(f);
    if (f->m) accelerated(l, &loads, false, &swept);
    f->inertia = swept.inertia;
    f->balance = swept.balance;
    // the same along floating bases
    ct_floating_find(l);
    if (f->n_floating) {
        allocate_entries(f, &f->along_floating.mass, &f->along_floating.forcing);
        if (!late) floating_entries(l, &loads, small, &x);
        if (f->m) accelerated(l, &loads, true, &f->along_floating);
    }
    f->potential = loads.potential;
    f->power = loads.power;
    swept_clear(&x);
    ct_loads_clear(&loads);
}
