// Positions of rest: the search from the initial position, what there is to say about its end, and the
// result for the caller.
#include "analyses/instant.h"
#include "analyses/tolerances.h"
#include "formulate/reactions/reactions.h"

#include <math.h>
#include <string.h>

static const char *unit_of(const ct_rest_named *named, int i) {
    return named->is_angle[i] ? "N m" : "N";
}

// Force on each independent coordinate, [r]: to^T g. Returns the place of the largest in units.
static int forces_by_name(const ct_rest_found *x, double *force) {
    const int r = x->place.r;
    int most = 0;
    double largest = -1;
    for (int i = 0; i < r; i++) {
        bool angle = x->named.is_angle[x->named.independent[i]];
        force[i] = 0;
        for (int k = 0; k < r; k++) force[i] += x->named.to[k * r + i] * x->place.g[k];
        double size = fabs(force[i]) * (angle ? 1 : x->rest.f->length);
        if (size > largest) {
            largest = size;
            most = i;
        }
    }
    return most;
}

// Stiffness over the independent coordinates, to^T K to; symmetric but for rounding: symmetric.
static void stiffness_by_name(const ct_rest_found *x, double *out) {
    const int r = x->place.r;
    const double *k = x->place.stiffness, *to = x->named.to;
    double skew = 0;
    for (int i = 0; i < r; i++)
        for (int j = 0; j < r; j++) skew = fmax(skew, fabs(k[i * r + j] - k[j * r + i]));
    bool symmetric = skew <= CT_REST_SYMMETRIC * ct_largest(r * r, k);
    memset(out, 0, (size_t)r * (size_t)r * sizeof *out);
    for (int i = 0; i < r; i++)
        for (int a = 0; a < r; a++)
            for (int b = 0; b < r; b++) {
                double entry = symmetric ? (k[a * r + b] + k[b * r + a]) / 2 : k[a * r + b];
                for (int j = 0; j < r; j++) out[i * r + j] += to[a * r + i] * entry * to[b * r + j];
            }
}

// messages ----------------------------------------------------------------------------------------
// True if the load stays as it is where the mechanism gives way: |K g| is nothing beside |g|.
static bool nothing_resists(const ct_rest_place *place) {
    const int r = place->r;
    double bend = 0, square = 0;
    for (int i = 0; i < r; i++) {
        square += place->g[i] * place->g[i];
        for (int k = 0; k < r; k++) bend += place->g[i] * place->stiffness[i * r + k] * place->g[k];
    }
    return fabs(bend) < CT_REST_CONSTANT * square * sqrt(square);
}

// The place among independent coordinates of that which went farthest in the last step.
static int farthest(const ct_rest_found *x) {
    const int r = x->place.r;
    double *along = ct_scratch((size_t)r + 1, sizeof *along);
    for (int c = 0; c < r; c++) along[c] = x->search.last[x->place.independent[c]];
    return ct_rest_most(&x->rest, &x->named, r, along);
}

static ct_status say_none(ct_context *ctx, ct_rest_end end, bool nearest, ct_rest_found *x) {
    if (end == CT_REST_NOT_FINITE)
        return ct_fail(ctx, CT_NUMERICS,
                       "no equilibrium found: a force or its derivative has no finite value on the "
                       "way, after %d iterations; start elsewhere, by initial: or guess:",
                       x->search.iterations);
    ct_rest_names(&x->rest, &x->place, &x->named);
    double *force = ct_scratch((size_t)x->place.r + 1, sizeof *force);
    int most = forces_by_name(x, force);
    if (end == CT_REST_FREE) most = farthest(x);
    int at = x->named.independent[most];
    const char *name = x->named.names[at];
    bool free = end == CT_REST_FREE || (nearest && nothing_resists(&x->place));
    return ct_fail(
        ctx, CT_NUMERICS, "no equilibrium found: '%s' still has %.4g %s after %d iterations%s%s%s",
        name, force[most], unit_of(&x->named, at), x->search.iterations,
        free ? "; nothing resists '" : "; start elsewhere, by initial: or guess:", free ? name : "",
        free ? "': add a spring or a stop, hold it with a motion, or use --hold" : "");
}

// The independent coordinate that takes most part in the softest direction, in units, and its
// stiffness: its own where that is negative, else that of the direction.
static double softest(const ct_rest_found *x, int *at) {
    const int r = x->place.r;
    const size_t rr = (size_t)r * (size_t)r + 1;
    double *k = ct_scratch(rr, sizeof *k), *scaled = ct_scratch(rr, sizeof *scaled),
           *vector = ct_scratch(rr, sizeof *vector),
           *value = ct_scratch((size_t)r + 1, sizeof *value),
           *unit = ct_scratch((size_t)r + 1, sizeof *unit);
    stiffness_by_name(x, k);
    for (int i = 0; i < r; i++)
        unit[i] = x->named.is_angle[x->named.independent[i]] ? 1 : x->rest.f->length;
    for (int i = 0; i < r * r; i++)
        scaled[i] = (k[i] + k[i % r * r + i / r]) / 2 * unit[i / r] * unit[i % r];
    ct_eigen_symmetric(r, scaled, NULL, value, vector);
    int most = 0;
    for (int i = 0; i < r; i++)
        if (fabs(vector[i * r]) > fabs(vector[most * r])) most = i;
    *at = x->named.independent[most];
    return k[most * r + most] < 0 ? k[most * r + most] : value[0] / (unit[most] * unit[most]);
}

// Warns of directions that nothing holds, and of those in which the mechanism leaves its position.
static void warn(ct_context *ctx, const ct_rest_found *x) {
    const ct_rest_stability *st = &x->stability;
    const int r = x->place.r;
    int *which = ct_scratch((size_t)st->n_neutral + 1, sizeof *which);
    ct_rest_span(&x->rest, &x->named, r, st->n_neutral, st->neutral, which);
    for (int i = 0; i < st->n_neutral; i++)
        ct_warning_at(ctx, (ct_place){0, 0}, "'%s' may stand anywhere (no stiffness)",
                      x->named.names[which[i]]);
    if (st->is_stable) return;
    int at;
    double stiffness = softest(x, &at);
    if (st->diverges && stiffness < 0)
        ct_warning_at(ctx, (ct_place){0, 0},
                      "this equilibrium is unstable: stiffness %.4g %s along '%s'", stiffness,
                      x->named.is_angle[at] ? "N m/rad" : "N/m", x->named.names[at]);
    else
        ct_warning_at(
            ctx, (ct_place){0, 0},
            "this equilibrium is unstable: oscillations grow along '%s', by forces without "
            "a potential or by negative damping",
            x->named.names[at]);
}

// search ------------------------------------------------------------------------------------------
ct_status ct_rest_find(ct_context *ctx, ct_system *s, const ct_rest_options *options,
                       ct_rest_found *found) {
    ct_rest *rest = &found->rest;
    *found = (ct_rest_found){0};
    if (!isfinite(options->time) || options->time < 0)
        return ct_fail(ctx, CT_USAGE, "the time of an equilibrium is zero or later");
    ct_status status = ct_rest_new(ctx, s, options, rest);
    if (status) return status;
    // the start: the initial position, led along the motions to the time asked for
    ct_rest_place_init(rest, &found->place);
    memcpy(found->place.q, rest->at->q0, (size_t)ct_position_numbers(rest->f) * sizeof(double));
    if (!ct_rest_lead(rest, options->time, found->place.q))
        return ct_fail(ctx, CT_NUMERICS, "the loops do not close along the motions up to t = %g s",
                       options->time);
    // downhill, or by Newton's iteration
    ct_rest_end end = options->nearest ? ct_rest_newton(rest, &found->place, &found->search)
                                       : ct_rest_descend(ctx, rest, &found->place, &found->search);
    if (end != CT_REST_FOUND) return say_none(ctx, end, options->nearest, found);
    // by name, and how stable
    ct_rest_names(rest, &found->place, &found->named);
    ct_rest_judge(rest, &found->place, found->search.load, &found->stability);
    warn(ctx, found);
    return CT_OK;
}

// result ------------------------------------------------------------------------------------------
typedef struct result {
    ct_equilibrium_info info; // first
    ct_arena arena;
} result;

static const char *const *copied_names(ct_arena *arena, int n, const char *const *names,
                                       const int *which) {
    const char **copy = ct_arena_alloc(arena, (size_t)n + 1, sizeof *copy);
    for (int i = 0; i < n; i++) copy[i] = ct_arena_strdup(arena, names[which ? which[i] : i]);
    return copy;
}

static const double *copied(ct_arena *arena, int n, const double *x) {
    double *copy = ct_arena_alloc(arena, (size_t)n + 1, sizeof *copy);
    if (n) memcpy(copy, x, (size_t)n * sizeof *copy);
    return copy;
}

static ct_status fill(ct_context *ctx, ct_rest_found *x, double time, int redundant, result *out) {
    ct_arena *arena = &out->arena;
    ct_rest *rest = &x->rest;
    const int r = x->place.r;
    double *force = ct_scratch((size_t)r + 1, sizeof *force), imbalance, potential,
           *stiffness = ct_arena_alloc(arena, (size_t)r * (size_t)r + 1, sizeof *stiffness);
    stiffness_by_name(x, stiffness);
    forces_by_name(x, force);
    imbalance = ct_largest(r, force);
    ct_position_set(rest->f, &rest->numbers, x->place.q);
    ct_numbers_eval(&rest->numbers, 1, &rest->f->potential, &potential);
    out->info = (ct_equilibrium_info){
        .n = x->named.n,
        .names = copied_names(arena, x->named.n, x->named.names, NULL),
        .values = copied(arena, x->named.n, x->named.value),
        .residual = ct_rest_residual(rest, x->place.q, false),
        .imbalance = imbalance,
        .redundant = redundant,
        .stability = !x->stability.is_stable   ? "unstable"
                     : x->stability.is_neutral ? "neutral"
                                               : "stable",
        .n_independent = r,
        .independent = copied_names(arena, r, x->named.names, x->named.independent),
        .stiffness = stiffness,
        .n_frequencies = x->stability.n_frequencies,
        .frequencies = copied(arena, x->stability.n_frequencies, x->stability.frequencies),
        .potential = potential,
        .iterations = x->search.iterations};
    // reactions and forces there
    ct_instant at;
    const ct_instant_motion motion = {.q = x->place.q};
    ct_status status = ct_instant_find(ctx, rest, &motion, arena, &at);
    if (!status && at.singular) status = ct_reactions_fail_singular(ctx, time, at.singular);
    if (status) return status;
    out->info.n_reactions = at.n_reactions;
    out->info.reactions = at.reactions;
    out->info.n_forces = at.n_forces;
    out->info.forces = at.forces;
    out->info.n_outputs = at.n_outputs;
    out->info.outputs = at.outputs;
    return CT_OK;
}

static ct_rest_options options_of(const ct_equilibrium_options *options) {
    return (ct_rest_options){.time = options->time < 0 ? 0 : options->time,
                             .nearest = options->nearest,
                             .n_held = options->n_hold,
                             .held = options->hold};
}

static CT_BELOW ct_status find(ct_context *ctx, ct_system *s, const ct_equilibrium_options *options,
                               ct_equilibrium_info **info) {
    ct_rest_found x;
    ct_check_info check;
    ct_rest_options own = options_of(options);
    ct_status status = ct_assemble(ctx, s);
    if (!status) status = ct_check(ctx, s, &check);
    if (status) return status;
    status = ct_rest_find(ctx, s, &own, &x);
    if (!status) {
        result *out = ct_alloc(1, sizeof *out);
        status = fill(ctx, &x, own.time, check.redundant, out);
        if (!status) *info = &out->info;
    }
    ct_rest_clear(&x.rest);
    return status;
}

static void release(ct_equilibrium_info *info) {
    ct_arena_release(&((result *)info)->arena);
    ct_release(info);
}

ct_status ct_equilibrium(ct_context *ctx, ct_system *s, const ct_equilibrium_options *options,
                         ct_equilibrium_info **info) {
    CT_CALL_GIVES(ctx, &s->memory, info, release, find(ctx, s, options, info));
}

void ct_equilibrium_free(ct_equilibrium_info *info) {
    if (!info) return;
    ct_arena_free(&((result *)info)->arena);
    ct_free(info);
}

void ct_equilibrium_options_init(ct_equilibrium_options *options) {
    *options = (ct_equilibrium_options){.time = -1};
}
