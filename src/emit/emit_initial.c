// The initial problem as C: functions of ctk_initial, by which the start follows from parameters that
// are not the model's own, and the table that names them.
#include "assemble/initial.h"
#include "emit/emit_inside.h"
#include "formulate/vec.h"

#include <stdio.h>
#include <string.h>

#define IN   "const double *restrict "
#define OUT  "double *restrict "
#define AT_Q IN "c, double t, " IN "q, " IN "u,\n    "

static void name_coordinates(ct_emitter *e, const ct_formulation *f) {
    char text[64];
    for (int k = 0; k < f->n; k++) {
        snprintf(text, sizeof text, "q[%d]", k);
        ct_writer_name(e->w, f->q[k], text);
        snprintf(text, sizeof text, "qd[%d]", k);
        ct_writer_name(e->w, f->qd[k], text);
    }
}

static void targets(ct_emitter *e, const char *array, int n, const ct_ex *values) {
    for (int i = 0; i < n; i++) ct_emitter_target(e, array, i, values[i]);
}

// Start, Phi, rates, poses and guards, all in unknowns of the initial problem.
static void functions(ct_emitter *e, const ct_initial_problem *p) {
    const ct_formulation *g = p->g;
    // what `guess`, `initial` and motions say
    targets(e, "q", g->n, p->start.value);
    targets(e, "qd", g->n, p->start.rate);
    ct_emitter_function(e, "initial_start(" IN "c, double t, " IN "u, " OUT "q, " OUT "qd)",
                        "c t u q qd", NULL);
    // rows, their derivatives
    targets(e, "phi", g->m, g->phi);
    targets(e, "phi_q", g->m * g->n, g->phi_q);
    ct_emitter_function(e, "initial_position(" AT_Q OUT "phi, " OUT "phi_q)", "c t q u phi phi_q",
                        NULL);
    targets(e, "phi_t", g->m, g->phi_t);
    ct_emitter_function(e, "initial_velocity(" AT_Q OUT "phi_t)", "c t q u phi_t", NULL);
    // bodies, and joints that open rates are measured in
    targets(e, "pose", 12 * p->n_bodies, p->pose);
    ct_emitter_function(e, "initial_poses(" AT_Q OUT "pose)", "c t q u pose", NULL);
    targets(e, "twist", 6 * p->n_bodies * g->n, p->twist);
    ct_emitter_function(e, "initial_twists(" AT_Q OUT "twist)", "c t q u twist", NULL);
    targets(e, "arm", 3 * p->n_joints, p->arm);
    targets(e, "given", 6 * g->n, p->given);
    ct_emitter_function(e, "initial_joints(" AT_Q OUT "arm, " OUT "given)", "c t q u arm given",
                        NULL);
    // joints the right way round
    if (!g->n_guards) return;
    targets(e, "guard", g->n_guards, g->guards);
    targets(e, "angle", 3 * g->n_guards, p->guard_angle);
    ct_emitter_function(e, "initial_guards(" AT_Q OUT "guard, " OUT "angle)", "c t q u guard angle",
                        NULL);
}

// The state in the coordinates of the model.
static void transfer(ct_emitter *e, const ct_initial_problem *p) {
    targets(e, "to", e->f->n, p->value);
    targets(e, "to_rate", e->f->n, p->rate);
    targets(e, "turns", 12 * e->f->n_integrated, p->turns);
    ct_emitter_function(e,
                        "initial_transfer(" IN "c, double t, " IN "q, " IN "qd, " IN "u,\n    " OUT
                        "to, " OUT "to_rate, " OUT "turns)",
                        "c t q qd u to to_rate turns", NULL);
}

// Defaults of inputs, where parameters decide on them.
static bool inputs(ct_emitter *e) {
    const ct_model *m = e->f->model;
    bool any = false;
    for (int i = 0; i < m->n_inputs; i++) {
        any = any || ct_ex_kinds(e->f->pool, m->inputs[i].value);
        ct_emitter_target(e, "u", i, m->inputs[i].value);
    }
    if (any) ct_emitter_function(e, "initial_inputs(" IN "c, " OUT "u)", "c u", NULL);
    e->n_targets = 0;
    return any;
}

static void lengths(ct_emitter *e, const ct_initial_problem *p) {
    ct_emitter_target(e, "length", 0, p->length);
    ct_emitter_target(e, "length", 1, p->body_length);
    ct_emitter_function(e, "initial_lengths(" IN "c, " OUT "length)", "c length", NULL);
}

// What values of parameters decide on in the model, in its equations and in the initial problem.
static int conditions(ct_emitter *e, const ct_formulation *f) {
    const ct_model *m = e->f->model;
    const struct {
        int n;
        const ct_condition *item;
    } all[] = {{m->n_conditions, m->conditions},
               {e->f->n_conditions, e->f->conditions},
               {f->n_conditions, f->conditions}};
    // conditions that were noted
    int n = 0, count = all[0].n + all[1].n + all[2].n + m->n_bodies + 2 * m->n_joints;
    int *power = ct_scratch((size_t)count + 1, sizeof *power);
    const char **names = ct_scratch((size_t)count + 1, sizeof *names);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < all[i].n; k++, n++) {
            const ct_condition *c = all[i].item + k;
            ct_emitter_target(e, "condition", n, ct_condition_residual(e->f->pool, c));
            power[n] = c->power;
            names[n] = c->name;
        }
    // axes that have normals, moments of inertia that a body can have
    for (int i = 0; i < 2 * m->n_joints; i++) {
        const ct_joint *joint = m->joints + i / 2;
        ct_condition c;
        if (!ct_vec_normals_condition(m, joint->axis[i % 2], &c)) continue;
        ct_emitter_target(e, "condition", n, ct_condition_residual(e->f->pool, &c));
        names[n++] = joint->name;
    }
    for (int b = 0; b < m->n_bodies; b++) {
        const ct_ex residual = ct_inertia_residual(e->f->pool, m->bodies + b);
        if (residual == CT_ZERO) continue;
        ct_emitter_target(e, "condition", n, residual);
        names[n++] = ct_scratch_format("inertia of body %s", m->bodies[b].name);
    }
    // the function, units and names
    if (!n) return 0;
    ct_emitter_function(e, "initial_conditions(" IN "c, " OUT "condition)", "c condition", NULL);
    ct_emit_ints(&e->body, "initial_condition_power", n, power);
    ct_emit_strings(&e->body, "initial_condition_names", n, names);
    return n;
}

static void flags(ct_emitter *e, const char *name, int n, const bool *from) {
    int *x = ct_scratch((size_t)n + 1, sizeof *x);
    for (int i = 0; i < n; i++) x[i] = from[i];
    ct_emit_ints(&e->body, name, n, x);
}

// Which coordinates and rows are what; units as powers of a length.
static void tables(ct_emitter *e, const ct_initial_problem *p) {
    const ct_formulation *g = p->g, *f = e->f;
    const ct_emit_input *in = e->in;
    const int rows = in->m + in->n_dropped;
    int *power = ct_scratch((size_t)(g->m + rows + f->n) + 1, sizeof *power);
    const char **names = ct_scratch((size_t)g->m + 1, sizeof *names);
    // coordinates, and joints whose velocities count
    flags(e, "initial_is_angle", g->n, g->is_angle);
    flags(e, "initial_is_held", g->n, p->start.held);
    flags(e, "initial_has_rate", g->n, p->start.has_rate);
    int *bodies = ct_scratch(2 * (size_t)p->n_joints + 1, sizeof *bodies);
    for (int i = 0; i < 2 * p->n_joints; i++) bodies[i] = p->joints[i / 2].body[i % 2];
    ct_emit_ints(&e->body, "initial_joint_bodies", 2 * p->n_joints, bodies);
    ct_emit_ints(&e->body, "initial_given_in", g->n, p->given_in);
    // rows of the initial problem; units of the model's coordinates and rows
    for (int i = 0; i < g->m; i++) {
        power[i] = g->row_power[i];
        names[i] = ct_row_name(g, i);
    }
    ct_emit_ints(&e->body, "initial_row_power", g->m, power);
    ct_emit_strings(&e->body, "initial_row_names", g->m, names);
    for (int k = 0; k < f->n; k++) power[k] = !f->is_angle[k];
    ct_emit_ints(&e->body, "initial_unit_power", f->n, power);
    for (int i = 0; i < rows; i++)
        power[i] = f->row_power[i < in->m ? in->rows[i] : in->dropped[i - in->m]];
    ct_emit_ints(&e->body, "initial_row_unit_power", rows, power);
    // guards
    if (!g->n_guards) return;
    ct_emit_ints(&e->body, "initial_guard_at", 3 * g->n_guards, p->guard_at);
    ct_emit_ints(&e->body, "initial_guard_turns", g->n_guards, p->guard_turns);
    flags(e, "initial_guard_proper", g->n_guards, p->guard_proper);
}

void ct_emit_initial(ct_emitter *e, ct_emission *code) {
    ct_initial_problem p;
    ct_initial_problem_find(e->in->assembly, e->f, &p);
    const ct_formulation *g = p.g;
    // functions, in unknowns of its own
    name_coordinates(e, g);
    functions(e, &p);
    transfer(e, &p);
    lengths(e, &p);
    const bool own_inputs = inputs(e);
    const int n_conditions = conditions(e, g);
    tables(e, &p);
    code->initial = (ct_emit_sizes){g->n, g->m, p.n_bodies, g->n_guards, n_conditions, p.n_joints};
    // the record that names them
    ct_text_printf(
        &e->body,
        "static const ctk_initial initial = {\n    .n = %d,\n    .m = %d,\n    .n_bodies = %d,\n"
        "    .n_guards = %d,\n    .n_conditions = %d,\n    .n_joints = %d,\n    .uses_inputs = "
        "%d,\n"
        "    .is_angle = initial_is_angle,\n    .is_held = initial_is_held,\n"
        "    .has_rate = initial_has_rate,\n    .row_power = initial_row_power,\n"
        "    .row_names = initial_row_names,\n    .start = initial_start,\n"
        "    .position = initial_position,\n    .velocity = initial_velocity,\n"
        "    .poses = initial_poses,\n    .twists = initial_twists,\n"
        "    .joints = initial_joints,\n    .joint_bodies = initial_joint_bodies,\n"
        "    .given_in = initial_given_in,\n"
        "    .transfer = initial_transfer,\n    .lengths = initial_lengths,\n"
        "    .unit_power = initial_unit_power,\n    .row_unit_power = initial_row_unit_power,\n"
        "%s%s%s%s};\n\n",
        g->n, g->m, p.n_bodies, g->n_guards, n_conditions, p.n_joints, p.uses_inputs,
        g->n_guards ? "    .guards = initial_guards,\n    .guard_at = initial_guard_at,\n"
                      "    .guard_turns = initial_guard_turns,\n"
                      "    .guard_proper = initial_guard_proper,\n"
                    : "",
        n_conditions ? "    .conditions = initial_conditions,\n"
                       "    .condition_power = initial_condition_power,\n"
                       "    .condition_names = initial_condition_names,\n"
                     : "",
        own_inputs ? "    .inputs = initial_inputs,\n" : "",
        e->in->closure && code->n_guards ? "    .scales = initial_scales,\n" : "");
}
