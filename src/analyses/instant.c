// Reactions and forces at one instant, by evaluating their expressions. The equations are those of
// runs (formulate/reactions/), solved by the same kernel, without code.
#include "analyses/instant.h"
#include "analyses/tolerances.h"
#include "emit/wrenches.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What the functions of the kernel's record evaluate. It comes to them as the constants c.
typedef struct evaluation {
    ct_numbers *numbers;
    const ct_reactions *r;
    const ct_ex *entries, *columns; // entries and right sides; columns and the numbers behind them
    const ct_model *model;
} evaluation;

static evaluation *evaluation_of(const double *c) {
    evaluation *e;
    memcpy(&e, c, sizeof e);
    return e;
}

// Efforts of friction by load, which come as inputs.
static void set_efforts(const evaluation *e, const double *u) {
    for (int i = 0, k = 0; i < e->model->n_forces && u; i++)
        if (ct_force_is_by_load(e->model->forces + i))
            ct_numbers_set(e->numbers, 1, &e->model->forces[i].effort, u + k++);
}

static void evaluate_system(const double *c, double t, const double *q, const double *qd,
                            const double *qdd, const double *u, double *a, double *b, double *v) {
    const evaluation *e = evaluation_of(c);
    (void)t, (void)q, (void)qd, (void)qdd, (void)v;
    set_efforts(e, u);
    ct_numbers_eval(e->numbers, e->r->n_entries, e->entries, a);
    ct_numbers_eval(e->numbers, e->r->n_equations, e->r->right, b);
}

static void evaluate_columns(const double *c, double t, const double *q, const double *qd,
                             const double *qdd, const double *u, const double *v, const double *x,
                             double *y) {
    const evaluation *e = evaluation_of(c);
    (void)t, (void)q, (void)qd, (void)qdd, (void)u, (void)v;
    ct_numbers_set(e->numbers, e->r->n_unknowns, e->r->unknown, x);
    ct_numbers_eval(e->numbers, e->r->groups.n_columns + e->r->n_more, e->columns, y);
}

// The state: q, q', q'' as numbers of all symbols, angles of whole rotations by name.
static void set_motion(ct_rest *rest, const ct_instant_motion *m, const ct_ex *accelerations) {
    const double zero = 0;
    for (int i = 0; i < rest->f->n_integrated; i++) {
        const ct_whole_rotation *b = rest->f->whole_rotations + i;
        double spin[3], angle[3], rate[3];
        for (int k = 0; k < 3; k++) spin[k] = m->qd ? m->qd[b->coordinate[k]] : 0;
        ct_rest_angles(rest, i, m->q, spin, angle, rate);
        ct_numbers_set(&rest->numbers, 3, b->angle, angle);
        ct_numbers_set(&rest->numbers, 3, b->angle_d, rate);
    }
    ct_position_set(rest->f, &rest->numbers, m->q);
    for (int k = 0; k < rest->n; k++) {
        ct_numbers_set(&rest->numbers, 1, rest->f->qd + k, m->qd ? m->qd + k : &zero);
        ct_numbers_set(&rest->numbers, 1, accelerations + k, m->qdd ? m->qdd + k : &zero);
    }
}

// friction by load ----------------------------------------------------------------------------------
// Finds the efforts of a motion whose accelerations are known. At rest there are none.
static ct_status find_efforts(ct_context *ctx, const ctk_wrenches *w, const ct_model *model,
                              ctk_wrench_motion *at) {
    ctk_friction f = {.w = w, .n_self = -1, .open = -1};
    f.effort = ct_scratch((size_t)w->n_frictions + 1, sizeof *f.effort);
    f.doubles = ct_scratch(ctk_friction_doubles(w) + 1, sizeof *f.doubles);
    f.ints = ct_scratch(ctk_friction_ints(w) + 1, sizeof *f.ints);
    at->u = f.effort;
    f.motion = *at;
    ctk_status status = ctk_friction_find(&f);
    if (!status) return CT_OK;
    const ct_force *force = model->forces;
    for (int k = 0;; force++)
        if (ct_force_is_by_load(force) && k++ == f.where) break;
    return ct_fail(ctx, CT_NUMERICS,
                   status == CTK_FRICTION_OPEN
                       ? "the load of joint '%s' is not unique, so friction '%s' has no value"
                       : "in joint '%s' friction '%s' has no solution, or more than one",
                   model->joints[model->coordinates[force->coordinate].joint].name, force->name);
}

// Outputs, with the columns y that they may read.
static void find_outputs(ct_rest *rest, const ct_instant_motion *motion,
                         const ct_reaction_groups *groups, const double *y, ct_arena *arena,
                         ct_instant *out) {
    const ct_formulation *f = rest->f;
    const ct_model *m = f->model;
    const ct_ex *outputs = motion->drives && f->driven_outputs ? f->driven_outputs : f->outputs;
    for (int i = 0; i < m->n_probes; i++) {
        const ct_probe *p = m->probes + i;
        if (p->kind != CT_PROBE_REACTION) continue;
        int column = ct_reaction_column(groups, p, motion->drives);
        double value = column < 0 ? 0 : y[column];
        ct_numbers_set(&rest->numbers, 1, &p->symbol, &value);
    }
    for (int i = 0; i < m->n_drives && motion->drives; i++) {
        ct_ex effort = ct_drive_effort(f, i);
        ct_numbers_set(&rest->numbers, 1, &effort, y + i);
    }
    out->outputs = ct_arena_alloc(arena, (size_t)m->n_outputs + 1, sizeof *out->outputs);
    for (int i = 0; i < m->n_outputs; i++) {
        ct_output_value *x = out->outputs + out->n_outputs++;
        x->name = ct_arena_strdup(arena, m->outputs[i].name);
        ct_numbers_eval(&rest->numbers, 1, outputs + i, &x->value);
    }
}

// reactions -----------------------------------------------------------------------------------------
// A formulation whose model also moves the coordinates that are held: their efforts hold them.
typedef struct holding {
    ct_model model;
    ct_layout layout;
    ct_formulation f;
} holding;

static const ct_formulation *hold(const ct_rest *rest, holding *x) {
    const ct_model *m = rest->f->model;
    if (!rest->n_held) return rest->f;
    *x = (holding){.model = *m, .layout = *rest->f->layout, .f = *rest->f};
    x->f.model = x->layout.model = &x->model;
    x->f.layout = &x->layout;
    x->layout.f = &x->f;
    x->model.motions = ct_scratch((size_t)(m->n_motions + rest->n_held) + 1, sizeof(ct_motion));
    if (m->n_motions)
        memcpy(x->model.motions, m->motions, (size_t)m->n_motions * sizeof(ct_motion));
    for (int i = 0; i < rest->n_held; i++)
        if (rest->held[i] < m->n_coordinates)
            x->model.motions[x->model.n_motions++] =
                (ct_motion){.name = m->coordinates[rest->held[i]].name,
                            .coordinate = rest->held[i],
                            .probe = -1,
                            .value = CT_ZERO};
    return &x->f;
}

// True if reactions are so much larger than loads that the position does not give them: with loads 1 they
// are 1/s next to a singular position at a distance s, which loops define to rounding/s.
static bool is_amplified(const ctk_wrenches *w, const ctk_wrench_motion *at,
                         const ctk_joint_forces *forces) {
    const size_t n = (size_t)(w->n_columns + w->n_more) + 1;
    double *right = ct_scratch((size_t)w->n_equations + 1, sizeof *right),
           *a = ct_scratch((size_t)w->n_entries + 1, sizeof *a),
           *x = ct_scratch((size_t)w->n_unknowns + 1, sizeof *x), *y = ct_scratch(n, sizeof *y);
    double load = 0, carried = 0;
    // loads: right sides, and what the tree carries without the unknowns
    w->system(at->c, at->t, at->q, at->qd, at->qdd, at->u, a, right, NULL);
    w->columns(at->c, at->t, at->q, at->qd, at->qdd, at->u, NULL, x, y);
    for (int i = 0; i < w->n_equations; i++)
        load = fmax(load, fabs(right[i]) / (w->equation_power[i] ? at->length : 1));
    for (int i = w->n_efforts; i < w->n_columns; i++) {
        const double unit = w->column_power[i] ? at->length : 1;
        load = fmax(load, fabs(y[i]) / unit);
        carried = fmax(carried, fabs(forces->y[i]) / unit);
    }
    return carried > CT_STATICS_AMPLIFIED * load;
}

// Joints that carry most, quoted.
static const char *largest_joints(const ct_reaction_groups *groups, const double *y) {
    enum { SHARE = 2 }; // of the largest: those below half of it are not named
    double largest = 0;
    const char *names = "";
    for (int pass = 0; pass < 2; pass++)
        for (int i = groups->n_efforts; i < groups->n; i++) {
            const ct_reaction_group *g = groups->item + i;
            const double size = ct_largest(g->n, y + g->first);
            if (!pass)
                largest = fmax(largest, size);
            else if (size * SHARE > largest)
                names = ct_scratch_format("%s%s'%s'", names, *names ? ", " : "", g->name);
        }
    return names;
}

static ct_status find_reactions(ct_context *ctx, ct_rest *rest, const ct_instant_motion *motion,
                                ct_arena *arena, ct_instant *out) {
    holding held;
    const ct_formulation *f = hold(rest, &held);
    const ct_reactions *r = ct_reactions_build(f, motion->drives);
    const ct_model *model = f->model;
    size_t n = (size_t)(r->groups.n_columns + r->n_more);
    // expressions, as the kernel asks for them
    ct_ex *entries = ct_scratch((size_t)r->n_entries + 1, sizeof *entries),
          *columns = ct_scratch(n + 1, sizeof *columns);
    for (int i = 0; i < r->n_entries; i++) entries[i] = r->entries[i].value;
    memcpy(columns, r->column, (size_t)r->groups.n_columns * sizeof *columns);
    memcpy(columns + r->groups.n_columns, r->more, (size_t)r->n_more * sizeof *columns);
    evaluation e = {&rest->numbers, r, entries, columns, model}, *context = &e;
    double c[1] = {0};
    memcpy(c, &context, sizeof context);
    set_motion(rest, motion, r->qdd);
    // friction by load, then the solution with self-stresses
    ctk_wrenches w = ct_wrenches_of(r);
    w.system = evaluate_system;
    w.columns = evaluate_columns;
    ctk_wrench_motion at = {.c = c, .length = rest->f->length};
    at.u = ct_scratch((size_t)w.n_frictions + 1, sizeof(double)); // none at rest
    if (w.n_frictions && motion->qd) {
        ct_status status = find_efforts(ctx, &w, model, &at);
        if (status) return status;
    }
    ctk_joint_forces forces;
    ctk_joint_forces_init(&forces, NULL, &w, NULL,
                          ct_scratch(ctk_joint_forces_doubles(&w) + 1, sizeof(double)),
                          ct_scratch(ctk_joint_forces_ints(&w) + 1, sizeof(int)));
    // of the largest; drives must also move freedoms that none of them touches
    double left = ctk_joint_forces_at(&forces, &at);
    if (motion->drives) left = fmax(left, ctk_joint_forces_bare(&forces));
    out->largest = *forces.largest;
    out->left = left > 0 ? left * fmax(out->largest, DBL_MIN) : 0;
    out->overactuated = ctk_joint_forces_choices(&forces);
    for (int i = 0; i < rest->n_held && left > CT_STATICS_LEFT; i++)
        if (rest->held[i] >= model->n_coordinates)
            return ct_fail(ctx, CT_USAGE,
                           "--hold: '%s' is a coordinate of a body, not of a joint: what holds it "
                           "has no reaction; add a joint, and hold its coordinate",
                           f->names[rest->held[i] - model->n_coordinates]);
    if (left > CT_STATICS_LEFT)
        out->singular = ct_arena_strdup(arena, ct_reactions_open_names(&r->groups, &forces));
    else if (is_amplified(&w, &at, &forces))
        out->singular = ct_arena_strdup(arena, largest_joints(&r->groups, forces.y));
    if (!out->singular) ct_reactions_tell_open(ctx, &r->groups, &forces);
    find_outputs(rest, motion, &r->groups, forces.y, arena, out);
    // groups by name
    const double *point = forces.y + r->groups.n_columns;
    for (int i = 0; i < r->groups.n; i++) {
        const ct_reaction_group *g = r->groups.item + i;
        const double *y = forces.y + g->first;
        const char *name = ct_arena_strdup(arena, g->name);
        if (g->kind == CT_REACTION_EFFORT) {
            // what holds a coordinate is exact to what the search for rest leaves
            const bool is_held = i >= rest->f->model->n_motions && !motion->drives;
            const double least = is_held ? CT_REST_HELD * out->largest * rest->f->length : 0;
            out->forces[out->n_forces++] =
                (ct_force_value){.name = name, .value = fabs(y[0]) > least ? y[0] : 0};
            continue;
        }
        ct_joint_reaction *x = out->reactions + out->n_reactions++;
        *x = (ct_joint_reaction){.name = name, .is_coupling = g->kind == CT_REACTION_LAMBDA};
        for (int k = 0; k < 6; k++) x->unique[k] = k >= g->n || forces.is_unique[g->first + k];
        if (x->is_coupling) {
            x->lambda = y[0];
            continue;
        }
        x->on = ct_arena_strdup(arena, model->bodies[model->joints[g->index].body[1]].name);
        memcpy(x->force, y, sizeof x->force);
        memcpy(x->moment, y + 3, sizeof x->moment);
        memcpy(x->point, point, sizeof x->point);
        point += 3;
    }
    return CT_OK;
}

// forces --------------------------------------------------------------------------------------------
// Quantities of a force that are shown: its effort, its tension, or its wrench.
static int shown_quantities(const ct_force *force, ct_force_quantity *shown) {
    static const ct_force_quantity wrench[] = {CT_QUANTITY_FX, CT_QUANTITY_FY, CT_QUANTITY_FZ,
                                               CT_QUANTITY_MX, CT_QUANTITY_MY, CT_QUANTITY_MZ};
    const unsigned gives = ct_force_traits_of(force->type)->gives;
    if ((gives & CT_GIVES_WRENCH) == CT_GIVES_WRENCH) {
        memcpy(shown, wrench, sizeof wrench);
        return 6;
    }
    shown[0] = gives & CT_GIVES_TENSION ? CT_QUANTITY_TENSION : CT_QUANTITY_EFFORT;
    return gives & (CT_GIVES_TENSION | CT_GIVES_EFFORT) ? 1 : 0;
}

static bool is_drive(const ct_model *model, int force) {
    for (int i = 0; i < model->n_drives; i++)
        if (model->drives[i].force == force) return true;
    return false;
}

// A model with a probe for every quantity that is shown; place[i] is the first of force i.
static ct_model with_probes(const ct_formulation *f, int *place) {
    const ct_model *m = f->model;
    ct_model more = *m;
    more.probes = ct_scratch((size_t)(m->n_probes + 6 * m->n_forces) + 1, sizeof *more.probes);
    if (m->n_probes) memcpy(more.probes, m->probes, (size_t)m->n_probes * sizeof *more.probes);
    for (int i = 0; i < m->n_forces; i++) {
        ct_force_quantity shown[6];
        int n = shown_quantities(m->forces + i, shown);
        place[i] = more.n_probes;
        for (int k = 0; k < n; k++) {
            char *name = ct_scratch_format("quantity %d of force %d", k, i);
            more.probes[more.n_probes++] =
                (ct_probe){.kind = CT_PROBE_FORCE,
                           .force = i,
                           .quantity = shown[k],
                           .symbol = ct_symbol(f->pool, CT_SYMBOL_OTHER, name)};
        }
    }
    return more;
}

// Values that loads tell, in the numbers of the state.
static void find_forces(ct_rest *rest, const ct_instant_motion *motion, ct_arena *arena,
                        ct_instant *out) {
    const ct_model *m = rest->f->model;
    int *place = ct_scratch((size_t)m->n_forces + 1, sizeof *place);
    // the same layout over a model whose probes ask for everything that is shown
    ct_model more = with_probes(rest->f, place);
    ct_layout layout = *rest->f->layout;
    layout.model = &more;
    ct_formulation f = *rest->f;
    f.model = &more;
    f.layout = &layout;
    layout.f = &f;
    ct_loads loads;
    ct_substitution *known = ct_formulation_known(&f);
    ct_loads_build(&layout, known, &loads);
    // what each force tells, by name; drives stand among the efforts
    for (int i = 0; i < m->n_forces; i++) {
        ct_force_quantity shown[6];
        int n = shown_quantities(m->forces + i, shown);
        double value[6];
        if (!n || (motion->drives && is_drive(m, i))) continue;
        for (int k = 0; k < n; k++) {
            ct_ex x = ct_substitute(known, more.probes[place[i] + k].symbol);
            ct_numbers_eval(&rest->numbers, 1, &x, value + k);
        }
        ct_force_value *v = out->forces + out->n_forces++;
        *v = (ct_force_value){.name = ct_arena_strdup(arena, m->forces[i].name),
                              .is_wrench = n == 6,
                              .value = n == 1 ? value[0] : 0};
        for (int k = 0; k < 3 && n == 6; k++) {
            v->force[k] = value[k];
            v->moment[k] = value[3 + k];
        }
    }
    ct_loads_clear(&loads);
    ct_substitution_free(known);
}

ct_status ct_instant_find(ct_context *ctx, ct_rest *rest, const ct_instant_motion *motion,
                          ct_arena *arena, ct_instant *out) {
    const ct_model *m = rest->f->model;
    size_t efforts = (size_t)(m->n_motions + rest->n_held + m->n_drives + m->n_forces) + 1;
    *out = (ct_instant){0};
    out->reactions = ct_arena_alloc(arena, (size_t)m->n_joints + 1, sizeof *out->reactions);
    out->forces = ct_arena_alloc(arena, efforts, sizeof *out->forces);
    ct_status status = find_reactions(ctx, rest, motion, arena, out);
    if (!status) find_forces(rest, motion, arena, out);
    return status;
}
