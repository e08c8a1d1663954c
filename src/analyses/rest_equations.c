// Equations of a mechanism at rest, in symbols: forces without rates, rows of held coordinates, and
// derivatives by every coordinate. Rotations are whole where nothing ties their angles, so that no
// position is a lock.
#include "analyses/rest.h"
#include "analyses/tolerances.h"
#include "model/inputs/signals.h"

#include <math.h>
#include <string.h>

// held coordinates --------------------------------------------------------------------------------
// A coordinate by the name that results give it: of the model, or behind these of a body.
static ct_status find_held(ct_context *ctx, const ct_formulation *f, const char *name, int *at) {
    const ct_model *m = f->model;
    const char **known = ct_scratch((size_t)(m->n_coordinates + f->n) + 1, sizeof *known);
    int n = 0;
    for (int i = 0; i < m->n_coordinates; i++) known[n++] = m->coordinates[i].name;
    for (int k = 0; k < f->n; k++)
        if (f->coordinate[k] < 0) known[n++] = f->names[k];
    for (*at = 0; *at < n && strcmp(known[*at], name); ++*at) continue;
    if (*at < m->n_coordinates) return CT_OK;
    if (*at < n) {
        for (int k = 0; k < f->n; k++)
            if (f->coordinate[k] < 0 && !strcmp(f->names[k], name)) *at = m->n_coordinates + k;
        return CT_OK;
    }
    const char *near = ct_nearest(name, known, n);
    return ct_fail(ctx, CT_USAGE, "--hold: there is no coordinate '%s'%s%s%s", name,
                   near ? ": did you mean '" : "; `cotree trees` lists some", near ? near : "",
                   near ? "'?" : "");
}

// True if a held coordinate is an angle of three, which must then be a coordinate itself.
static bool holds_angle(const ct_formulation *f, int n_held, const int *held, bool turned) {
    const ct_model *m = f->model;
    for (int i = 0; i < n_held; i++) {
        const ct_coordinate *c = held[i] < m->n_coordinates ? m->coordinates + held[i] : NULL;
        const ct_joint *j = c ? m->joints + c->joint : NULL;
        if (j ? c->is_angle && ct_joint_rotations(j->type) == 3 && (!turned || j->is_turned)
              : !turned && f->is_angle[held[i] - m->n_coordinates])
            return true;
    }
    return false;
}

// The state that equations at rest are written for: whole rotations where that is possible.
static ct_status choose_state(ct_context *ctx, ct_system *s, const ct_rest_options *options,
                              int *held, const ct_assembled **at) {
    ct_status status = ct_assemble(ctx, s);
    for (int i = 0; !status && i < options->n_held; i++)
        status = find_held(ctx, s->assembled->f, options->held[i], held + i);
    // frames are not turned where angles by name are held
    if (!status && holds_angle(s->assembled->f, options->n_held, held, true)) {
        status = ct_system_by_name(ctx, s, true);
        if (!status) status = ct_assemble(ctx, s);
    }
    if (!status) status = ct_integrate_whole(ctx, s);
    if (status) return status;
    bool in_angles = holds_angle(s->assembled->f, options->n_held, held, false);
    *at = s->whole && !in_angles ? s->whole : s->assembled;
    return CT_OK;
}

// Value of a coordinate by its place among names, in terms of q.
static ct_ex value_of(const ct_formulation *f, int held) {
    const int n = f->model->n_coordinates;
    if (held >= n) return f->q[held - n];
    if (f->where[held] >= 0) return f->q[f->where[held]];
    for (int i = 0; i < f->n_secondary; i++)
        if (f->secondary[i].coordinate == held) return f->secondary[i].value;
    return CT_ZERO;
}

static bool is_angle(const ct_formulation *f, int held) {
    const int n = f->model->n_coordinates;
    return held < n ? f->model->coordinates[held].is_angle : f->is_angle[held - n];
}

// Rows  q - value = 0  behind those of the joints, with the value of the start.
static void hold(ct_rest *rest, int n_held, const int *held) {
    const ct_formulation *f = rest->f;
    ct_position_set(f, &rest->numbers, rest->at->q0);
    for (int i = 0; i < n_held; i++) {
        int row = f->m + i;
        double value;
        ct_ex x = value_of(f, held[i]),
              stays = ct_symbol(f->pool, CT_SYMBOL_OTHER, ct_scratch_format("held value %d", i));
        ct_numbers_eval(&rest->numbers, 1, &x, &value);
        ct_numbers_set(&rest->numbers, 1, &stays, &value);
        rest->phi[row] = ct_sub(f->pool, x, stays);
        rest->row_unit[row] = is_angle(f, held[i]) ? 1 : f->length;
        for (int k = 0; k < f->n; k++) {
            ct_derivation *d = ct_partial_derivation(f, k);
            rest->phi_q[row * f->n + k] = ct_derive(d, x);
            ct_derivation_free(d);
        }
    }
}

// forces ------------------------------------------------------------------------------------------
// F without rates, where that makes sense in symbols.
static void forces_at_rest(ct_rest *rest) {
    const ct_formulation *f = rest->f;
    ct_substitution *still = ct_substitution_new(f->pool);
    for (int k = 0; k < f->n; k++) ct_substitution_map(still, f->qd[k], CT_ZERO);
    for (int k = 0; k < f->n; k++) {
        rest->force[k] = ct_substitute(still, f->forcing[k]);
        if (rest->force[k] == ct_undefined(f->pool)) rest->force[k] = f->forcing[k];
    }
    ct_substitution_free(still);
}

// d(F - Phi_q^T lambda)_i / dq_j and dF_i / dq'_j.
static void derivatives(ct_rest *rest) {
    const ct_formulation *f = rest->f;
    ct_pool *pool = f->pool;
    const int n = rest->n;
    ct_ex *sum = ct_scratch((size_t)n + 1, sizeof *sum);
    for (int i = 0; i < n; i++) {
        sum[i] = rest->force[i];
        for (int row = 0; row < rest->m; row++) {
            ct_ex part = ct_mul(pool, rest->lambda[row], rest->phi_q[row * n + i]);
            sum[i] = ct_sub(pool, sum[i], part);
        }
    }
    for (int j = 0; j < n; j++) {
        ct_derivation *by = ct_partial_derivation(f, j), *by_rate = ct_derivation_new(pool);
        ct_derivation_map(by_rate, f->qd[j], CT_ONE);
        for (int i = 0; i < n; i++) {
            rest->slope[i * n + j] = ct_derive(by, sum[i]);
            rest->damping[i * n + j] = ct_derive(by_rate, f->forcing[i]);
        }
        ct_derivation_free(by);
        ct_derivation_free(by_rate);
    }
}

// Weight of all bodies times the mechanism's length.
static double weight_of(const ct_formulation *f) {
    const ct_model *m = f->model;
    double mass = 0, square = 0;
    for (int b = 1; b < m->n_bodies; b++) mass += ct_model_number(m, m->bodies[b].mass);
    for (int i = 0; i < 3; i++) {
        double g = ct_model_number(m, m->gravity.v[i]);
        square += isfinite(g) ? g * g : 0;
    }
    return mass * sqrt(square) * f->length;
}

// The longest step: spheres that may touch are not jumped over.
static void find_stride(ct_rest *rest) {
    const ct_model *m = rest->f->model;
    rest->stride = CT_REST_STRIDE;
    for (int i = 0; i < m->n_forces; i++) {
        const ct_force *force = m->forces + i;
        if (force->type != CT_FORCE_CONTACT || force->has_plane) continue;
        double both = ct_model_number(m, force->radius) + ct_model_number(m, force->other_radius);
        rest->has_spheres = true;
        if (both > 0) rest->stride = fmin(rest->stride, CT_REST_SPHERE * both / rest->f->length);
    }
}

static void allocate(ct_rest *rest) {
    size_t n = (size_t)rest->n, m = (size_t)rest->m;
    rest->unit = ct_scratch(n + 1, sizeof(double));
    rest->row_unit = ct_scratch(m + 1, sizeof(double));
    rest->phi = ct_scratch(m + 1, sizeof(ct_ex));
    rest->phi_q = ct_scratch(m * n + 1, sizeof(ct_ex));
    rest->force = ct_scratch(n + 1, sizeof(ct_ex));
    rest->lambda = ct_scratch(m + 1, sizeof(ct_ex));
    rest->slope = ct_scratch(n * n + 1, sizeof(ct_ex));
    rest->damping = ct_scratch(n * n + 1, sizeof(ct_ex));
}

ct_status ct_rest_new(ct_context *ctx, ct_system *s, const ct_rest_options *options,
                      ct_rest *rest) {
    const ct_assembled *at;
    int *held = ct_scratch((size_t)options->n_held + 1, sizeof *held);
    *rest = (ct_rest){0};
    ct_status status = ct_refuse_switched(ctx, s->model, "positions of rest");
    if (!status) status = choose_state(ctx, s, options, held, &at);
    if (status) return status;
    ct_report(ctx, "writing the equations at rest", -1, false);
    // a fork, so that no other expression depends on what is written here
    rest->fork = ct_fork_of(at);
    rest->at = rest->fork->at;
    const ct_formulation *f = rest->f = rest->fork->f;
    ct_formulation_entries(f);
    rest->n = f->n;
    rest->m = f->m + options->n_held;
    allocate(rest);
    ct_model_numbers(f->model, &rest->numbers);
    // units; rows of the joints and the motions, then those of held coordinates
    for (int k = 0; k < f->n; k++) {
        int part;
        const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, k, &part);
        rest->unit[k] = b ? 1 : ct_coordinate_unit(f, k);
    }
    for (int i = 0; i < f->m; i++) {
        rest->phi[i] = f->phi[i];
        rest->row_unit[i] = f->row_unit[i];
        for (int k = 0; k < f->n; k++) rest->phi_q[i * f->n + k] = f->phi_q[i * f->n + k];
    }
    hold(rest, options->n_held, held);
    for (int i = 0; i < rest->m; i++)
        rest->lambda[i] =
            ct_symbol(f->pool, CT_SYMBOL_OTHER, ct_scratch_format("multiplier %d at rest", i));
    // forces and their derivatives
    forces_at_rest(rest);
    if (options->without_stiffness)
        rest->slope = NULL;
    else
        derivatives(rest);
    rest->weight = weight_of(f);
    find_stride(rest);
    return CT_OK;
}

void ct_rest_clear(ct_rest *rest) {
    ct_numbers_clear(&rest->numbers);
    ct_fork_free(rest->fork);
    rest->fork = NULL;
}
