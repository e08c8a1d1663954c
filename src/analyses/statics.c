// Statics: the forces that hold a mechanism in its position, or along its driven motion at one time.
#include "analyses/instant.h"
#include "formulate/reactions/reactions.h"
#include "analyses/tolerances.h"

#include <math.h>
#include <string.h>

typedef struct result {
    ct_statics_info info; // first
    ct_arena arena;
} result;

// driven motion -------------------------------------------------------------------------------------
// Rates and accelerations of a driven motion:  Phi_q q' = -Phi_t,  Phi_q q'' = gamma.
static void find_motion(ct_rest *rest, const double *q, double *qd, double *qdd) {
    const ct_formulation *f = rest->f;
    const size_t m = (size_t)f->m, n = (size_t)f->n;
    double *a = ct_scratch(m * n + 1, sizeof *a), *b = ct_scratch(m + 1, sizeof *b);
    ct_rest_jacobian(rest, q, a);
    ct_position_set(f, &rest->numbers, q);
    for (int order = 0; order < 2; order++) {
        double *x = order ? qdd : qd;
        ct_numbers_eval(&rest->numbers, f->m, order ? f->gamma : f->phi_t, b);
        for (int i = 0; i < f->m; i++) b[i] *= (order ? 1 : -1) / rest->row_unit[i];
        ct_least_squares(f->m, f->n, a, b, CT_REST_CUTOFF, x);
        for (int k = 0; k < f->n; k++) x[k] *= rest->unit[k];
        if (!order) ct_numbers_set(&rest->numbers, f->n, f->qd, qd);
    }
}

// messages ------------------------------------------------------------------------------------------
static const char *unit_of(const ct_rest_named *named, int i) {
    return named->is_angle[i] ? "N m" : "N";
}

// The largest force on a freedom that motions leave; *at: its coordinate.
static double imbalance_of(const ct_rest *rest, const ct_rest_place *place,
                           const ct_rest_named *named, int *at) {
    double largest = 0, most = -1;
    *at = -1;
    for (int i = 0; i < place->r; i++) {
        double force = 0;
        for (int k = 0; k < place->r; k++) force += named->to[k * place->r + i] * place->g[k];
        double size = fabs(force) * (named->is_angle[named->independent[i]] ? 1 : rest->f->length);
        largest = fmax(largest, fabs(force));
        if (size > most) most = size, *at = named->independent[i];
    }
    return largest;
}

static ct_status not_balanced(ct_context *ctx, const ct_rest_named *named, int at, double force) {
    return ct_fail(ctx, CT_NUMERICS,
                   "not in equilibrium: '%s' is pushed with %.4g %s; hold it with a motion, name a "
                   "drive, or use equilibrium",
                   named->names[at], force, unit_of(named, at));
}

static ct_status not_driven(ct_context *ctx, const ct_rest_place *place,
                            const ct_rest_named *named) {
    ct_text names = {0};
    for (int i = 0; i < place->r; i++)
        ct_text_printf(&names, "%s'%s'", i ? ", " : "", named->names[named->independent[i]]);
    ct_status status = ct_fail(ctx, CT_NUMERICS, "%d freedom%s not driven: %s; add motions",
                               place->r, place->r == 1 ? " is" : "s are", names.s);
    ct_text_clear(&names);
    return status;
}

// drives --------------------------------------------------------------------------------------------
// The direction of a drive in the coordinates: what its effort does work along.
static void drive_row(ct_rest *rest, const ct_drive *drive, double *row) {
    const ct_formulation *f = rest->f;
    ct_layout *l = f->layout;
    ct_ex value;
    if (drive->coordinate >= 0) {
        value = f->model->coordinates[drive->coordinate].q;
        for (int i = 0; i < f->n_secondary; i++)
            if (f->secondary[i].coordinate == drive->coordinate) value = f->secondary[i].value;
    } else {
        const ct_force *force = f->model->forces + drive->force;
        ct_vec3 d = ct_path(l, force->body[0], ct_from_com(l, force->body[0], force->at[0]),
                            force->body[1], ct_from_com(l, force->body[1], force->at[1]), 0);
        value = ct_sqrt(f->pool, ct_vec_dot(f->pool, d, d));
    }
    for (int k = 0; k < f->n; k++) {
        ct_derivation *by = ct_partial_derivation(f, k);
        ct_ex slope = ct_derive(by, value);
        ct_derivation_free(by);
        ct_numbers_eval(&rest->numbers, 1, &slope, row + k);
        row[k] *= rest->unit[k];
    }
}

// Freedoms without motions, and how many of them the drives move: a rank of rows of the joints, with
// and without those of the drives. *name: a coordinate that they leave.
static void drive_rank(ct_rest *rest, const double *q, int *freedoms, int *rank,
                       const char **name) {
    const ct_formulation *f = rest->f;
    const ct_model *model = f->model;
    size_t n = (size_t)f->n, room = (size_t)(f->m + model->n_drives) + 1;
    double *a = ct_scratch(room * n + 1, sizeof *a),
           *all = ct_scratch((size_t)f->m * n + 1, sizeof *all);
    int m = 0;
    ct_rest_jacobian(rest, q, all);
    for (int i = 0; i < f->m; i++)
        if (f->owner[i].motion < 0) memcpy(a + (size_t)m++ * n, all + (size_t)i * n, n * sizeof *a);
    int joints = ct_rank(m, f->n, a, CT_REST_ROW, NULL);
    ct_position_set(f, &rest->numbers, q);
    for (int i = 0; i < model->n_drives; i++)
        drive_row(rest, model->drives + i, a + (size_t)m++ * n);
    int both = ct_rank(m, f->n, a, CT_REST_ROW, NULL);
    *freedoms = f->n - joints;
    *rank = both - joints;
    *name = NULL;
    for (int k = 0; k < f->n && *rank < *freedoms && !*name; k++) {
        memset(a + (size_t)m * n, 0, n * sizeof *a);
        a[(size_t)m * n + (size_t)k] = 1;
        if (ct_rank(m + 1, f->n, a, CT_REST_ROW, NULL) > both) *name = f->names[k];
    }
}

static ct_status drives_fail(ct_context *ctx, ct_rest *rest, const double *q, double time,
                             double left) {
    const ct_model *m = rest->f->model;
    int freedoms, rank;
    const char *name;
    ct_text names = {0};
    drive_rank(rest, q, &freedoms, &rank, &name);
    for (int i = 0; i < m->n_drives; i++)
        ct_text_printf(&names, "%s'%s'", i ? ", " : "", m->drives[i].name);
    ct_status status =
        name ? ct_fail(ctx, CT_NUMERICS,
                       "at t = %.9g the drives %s cannot move '%s' here (rank %d of %d)", time,
                       names.s, name, rank, freedoms)
             : ct_fail(ctx, CT_NUMERICS,
                       "at t = %.9g the joints are in a singular position: the drives %s leave a "
                       "load of %.4g N",
                       time, names.s, left);
    ct_text_clear(&names);
    return status;
}

// the whole -----------------------------------------------------------------------------------------
static void fill(ct_rest *rest, const ct_rest_place *place, const ct_rest_named *named,
                 const ct_instant *at, double imbalance, int redundant, result *out) {
    const char **names = ct_arena_alloc(&out->arena, (size_t)named->n + 1, sizeof *names);
    double *values = ct_arena_alloc(&out->arena, (size_t)named->n + 1, sizeof *values);
    for (int i = 0; i < named->n; i++) {
        names[i] = ct_arena_strdup(&out->arena, named->names[i]);
        values[i] = named->value[i];
    }
    out->info = (ct_statics_info){.n = named->n,
                                  .names = names,
                                  .values = values,
                                  .n_reactions = at->n_reactions,
                                  .reactions = at->reactions,
                                  .n_forces = at->n_forces,
                                  .forces = at->forces,
                                  .imbalance = imbalance,
                                  .residual = ct_rest_residual(rest, place->q, false),
                                  .redundant = redundant,
                                  .overactuated = at->overactuated,
                                  .n_outputs = at->n_outputs,
                                  .outputs = at->outputs};
}

// Position, motion where it is asked for, balance, forces.
static ct_status find_at(ct_context *ctx, ct_rest *rest, const ct_statics_options *options,
                         double time, int redundant, result *out) {
    const ct_model *model = rest->f->model;
    ct_rest_place place;
    ct_rest_named named;
    int at;
    // the initial position, led along the motions to the time
    ct_rest_place_init(rest, &place);
    memcpy(place.q, rest->at->q0, (size_t)ct_position_numbers(rest->f) * sizeof(double));
    if (!ct_rest_lead(rest, time, place.q))
        return ct_fail(ctx, CT_NUMERICS, "the loops do not close along the motions up to t = %g s",
                       time);
    if (!ct_rest_place_find(rest, &place))
        return ct_fail(ctx, CT_NUMERICS, "at t = %.9g a force has no finite value", time);
    ct_rest_names(rest, &place, &named);
    // a driven motion, or rest
    ct_instant_motion motion = {.q = place.q, .drives = model->n_drives > 0};
    if (options->moving) {
        if (place.r) return not_driven(ctx, &place, &named);
        double *qd = ct_scratch((size_t)rest->n + 1, sizeof *qd),
               *qdd = ct_scratch((size_t)rest->n + 1, sizeof *qdd);
        find_motion(rest, place.q, qd, qdd);
        motion.qd = qd;
        motion.qdd = qdd;
    }
    ct_instant instant;
    ct_status found = ct_instant_find(ctx, rest, &motion, &out->arena, &instant);
    if (found) return found;
    // what is left on freedoms
    double imbalance = imbalance_of(rest, &place, &named, &at);
    if (motion.drives) {
        imbalance = instant.left;
        if (instant.left > CT_STATICS_LEFT * instant.largest)
            return drives_fail(ctx, rest, place.q, time, instant.left);
    } else if (place.r) {
        double load = fmax(instant.largest, 0);
        double unit = named.is_angle[at] ? rest->f->length : 1;
        if (imbalance / unit > CT_STATICS_LEFT * load)
            return not_balanced(ctx, &named, at, imbalance);
    }
    if (instant.singular) return ct_reactions_fail_singular(ctx, time, instant.singular);
    fill(rest, &place, &named, &instant, imbalance, redundant, out);
    return CT_OK;
}

static CT_BELOW ct_status find(ct_context *ctx, ct_system *s, const ct_statics_options *options,
                               ct_statics_info **info) {
    ct_rest rest;
    ct_check_info check;
    double time = options->time < 0 ? 0 : options->time;
    ct_rest_options own = {.time = time, .without_stiffness = true};
    if (!isfinite(time)) return ct_fail(ctx, CT_USAGE, "the time of statics is zero or later");
    ct_status status = ct_assemble(ctx, s);
    if (!status) status = ct_check(ctx, s, &check);
    if (!status) status = ct_rest_new(ctx, s, &own, &rest);
    if (status) return status;
    result *out = ct_alloc(1, sizeof *out);
    status = find_at(ctx, &rest, options, time, check.redundant, out);
    ct_rest_clear(&rest);
    if (!status) *info = &out->info;
    return status;
}

static void release(ct_statics_info *info) {
    ct_arena_release(&((result *)info)->arena);
    ct_release(info);
}

ct_status ct_statics(ct_context *ctx, ct_system *s, const ct_statics_options *options,
                     ct_statics_info **info) {
    CT_CALL_GIVES(ctx, &s->memory, info, release, find(ctx, s, options, info));
}

void ct_statics_free(ct_statics_info *info) {
    if (!info) return;
    ct_arena_free(&((result *)info)->arena);
    ct_free(info);
}

void ct_statics_options_init(ct_statics_options *options) {
    *options = (ct_statics_options){.time = -1};
}

// along a motion ------------------------------------------------------------------------------------
// Fails if motions leave freedoms, which it names.
static ct_status check_driven(ct_context *ctx, ct_system *s) {
    ct_check_info check;
    ct_rest rest;
    ct_status status = ct_check(ctx, s, &check);
    if (status || !check.dof_after_motions) return status;
    status = ct_rest_new(ctx, s, &(ct_rest_options){.without_stiffness = true}, &rest);
    if (status) return status;
    ct_rest_place place;
    ct_rest_named named;
    ct_rest_place_init(&rest, &place);
    memcpy(place.q, rest.at->q0, (size_t)ct_position_numbers(rest.f) * sizeof(double));
    ct_rest_lead(&rest, 0, place.q);
    ct_rest_place_find(&rest, &place);
    ct_rest_names(&rest, &place, &named);
    status = not_driven(ctx, &place, &named);
    ct_rest_clear(&rest);
    return status;
}

static ct_status driven(ct_context *ctx, ct_system *s) {
    CT_CALL(ctx, &s->memory, check_driven(ctx, s));
}

ct_status ct_inverse_dynamics(ct_context *ctx, ct_system *s, const ct_run_options *options,
                              ct_run_summary *summary) {
    ct_run_options all = *options;
    all.reactions = "";
    all.drives = true;
    ct_status status = driven(ctx, s);
    return status ? status : ct_kinematics(ctx, s, &all, summary);
}
