// Tables of a model as C: names, numbers, splines, the map on top and the table that names all.
#include "emit/emit_inside.h"
#include "formulate/whole_rotation.h"
#include "kernel/ctk.h"
#include "numeric/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ct_emit_strings(ct_text *out, const char *name, int n, const char *const *strings) {
    ct_text_printf(out, "static const char *const %s[] = {", name);
    for (int i = 0; i < n; i++) {
        ct_text_add(out, i ? ", \"" : "\"");
        ct_c_string(out, strings[i]);
        ct_text_add(out, "\"");
    }
    ct_text_add(out, n ? "};\n" : "\"\"};\n");
}

void ct_emit_numbers(ct_text *out, const char *name, int n, const double *x) {
    ct_text_printf(out, "static const double %s[] = {", name);
    for (int i = 0; i < n; i++)
        ct_text_printf(out, "%s%.17g", !i ? "" : i % 6 ? ", " : ",\n    ", x[i]);
    ct_text_add(out, n ? "};\n" : "0};\n");
}

void ct_emit_ints(ct_text *out, const char *name, int n, const int *x) {
    ct_text_printf(out, "static const int %s[] = {", name);
    for (int i = 0; i < n; i++)
        ct_text_printf(out, "%s%d", !i ? "" : i % 20 ? ", " : ",\n    ", x[i]);
    ct_text_add(out, n ? "};\n" : "0};\n");
}

static const char *coordinate_name(const ct_emitter *e, int i) {
    const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(e->f, i, NULL);
    return b && b->integrated ? ct_symbol_name(e->f->pool, e->f->q[i]) : e->f->names[i];
}
// Row i of the kernel: those kept, then spare ones.
static int row_of(const ct_emit_input *in, int i) {
    return i < in->m ? in->rows[i] : in->dropped[i - in->m];
}
static const char *constraint_name(const ct_emitter *e, int i) {
    return ct_row_name(e->f, row_of(e->in, i));
}
// Parameter i of those that are not derived.
static int free_parameter(const ct_model *model, int i) {
    int k = 0;
    for (; model->parameters[k].is_derived || i; k++) i -= !model->parameters[k].is_derived;
    return k;
}
static const char *parameter_name(const ct_emitter *e, int i) {
    return e->f->model->parameters[free_parameter(e->f->model, i)].name;
}
static const char *input_name(const ct_emitter *e, int i) {
    return e->f->model->inputs[i].name;
}
static const char *output_name(const ct_emitter *e, int i) {
    int s = e->f->n_secondary, k = i - 2 * s;
    if (i < s) return e->f->secondary[i].name;
    if (i < 2 * s) return ct_scratch_format("%s'", e->f->secondary[i - s].name);
    if (k < e->f->model->n_outputs) return e->f->model->outputs[k].name;
    k -= e->f->model->n_outputs;
    if (k < e->f->model->n_switched) return ct_switched_joint(e->f->model, k)->name;
    return k == e->f->model->n_switched ? "kinetic energy" : "potential energy";
}

static void string_array(ct_text *out, const char *name, int n,
                         const char *(*get)(const ct_emitter *, int), const ct_emitter *e) {
    const char **strings = ct_alloc((size_t)n + 1, sizeof *strings);
    for (int i = 0; i < n; i++) strings[i] = get(e, i);
    ct_emit_strings(out, name, n, strings);
    ct_free(strings);
}

// True if the code written so far uses this table.
static bool uses_table(const ct_emitter *e, int table) {
    char name[32];
    snprintf(name, sizeof name, "&table_%d,", table);
    return strstr(e->body.s, name) != NULL;
}

void ct_emit_splines(ct_emitter *e, ct_text *out) {
    // nothing where no table is used
    int n = ct_table_count(e->f->pool), used = 0;
    for (int i = 0; i < n; i++) used += uses_table(e, i);
    if (!used) return;
    // evaluation of a piecewise cubic  a0 + x (a1 + x (a2 + x a3))
    ct_text_add(
        out, "typedef struct table {\n    int n, periodic;\n    const double *x, *a;\n} table;\n\n"
             "/* cubic spline, differentiated `order` times; constant beyond the ends */\n"
             "static double spline(const table *s, int order, double x)\n{\n"
             "    int last = s->n - 1, low = 0, high = last > 0 ? last - 1 : 0;\n"
             "    const double *a;\n"
             "    if (s->periodic && last > 0) {\n"
             "        double period = s->x[last] - s->x[0];\n"
             "        x -= period * floor((x - s->x[0]) / period);\n"
             "    } else if (x < s->x[0] || x > s->x[last]) {\n"
             "        return order ? 0.0 : x < s->x[0] ? s->a[0] : s->a[4 * last];\n"
             "    }\n"
             "    while (low < high) {\n"
             "        int mid = (low + high + 1) / 2;\n"
             "        if (s->x[mid] <= x)\n            low = mid;\n        else\n            high "
             "= mid - 1;\n"
             "    }\n"
             "    a = s->a + 4 * low;\n    x -= s->x[low];\n"
             "    if (order == 0)\n        return a[0] + x * (a[1] + x * (a[2] + x * a[3]));\n"
             "    if (order == 1)\n        return a[1] + x * (2.0 * a[2] + 3.0 * x * a[3]);\n"
             "    return order == 2 ? 2.0 * a[2] + 6.0 * x * a[3] : 6.0 * a[3];\n}\n\n");
    // knots and coefficients of each table that is used
    for (int i = 0; i < n; i++) {
        if (!uses_table(e, i)) continue;
        ct_spline s = ct_table_get(e->f->pool, i);
        char name[64];
        snprintf(name, sizeof name, "table_%d_x", i);
        ct_emit_numbers(out, name, s.n, s.x);
        snprintf(name, sizeof name, "table_%d_a", i);
        ct_emit_numbers(out, name, 4 * s.n, s.a);
        ct_text_printf(out, "static const table table_%d = {%d, %d, table_%d_x, table_%d_a}; /* ",
                       i, s.n, s.periodic, i, i);
        ct_c_comment(out, s.name);
        ct_text_add(out, " */\n\n");
    }
}

static void map_line(ct_text *out, const char *title, int n,
                     const char *(*get)(const ct_emitter *, int), const ct_emitter *e) {
    if (!n) return;
    ct_text_printf(out, " * %s\n", title);
    for (int i = 0; i < n; i++) {
        ct_text_printf(out, " *   [%d] ", i);
        ct_c_comment(out, get(e, i));
        ct_text_add(out, "\n");
    }
}

static const char *body_name(const ct_emitter *e, int i) {
    return e->f->model->bodies[i + 1].name;
}

static const char *independent_name(const ct_emitter *e, int i) {
    return e->f->names[e->in->closure->independent[i]];
}
static const char *step_name(const ct_emitter *e, int i) {
    return e->in->closure->steps[i].text;
}

// The part of the map about the closure: its steps and operations.
static void map_closure(ct_emitter *e, const ct_emission *code) {
    const ct_closure *c = e->in->closure;
    ct_operations p = code->closure_positions, d = code->closure_dynamics;
    map_line(&e->out, "independent coordinates qi", c->r, independent_name, e);
    map_line(&e->out, "steps that close the loops", c->n_steps, step_name, e);
    ct_text_printf(
        &e->out,
        " *\n * operations of the positions: %.0f add, %.0f mul, %.0f div, %.0f functions%s\n"
        " * operations of the dynamics in qi: %.0f add, %.0f mul, %.0f div, %.0f "
        "functions\n",
        p.add, p.mul, p.div, p.func, c->n_iterated ? " (each iteration counted once)" : "", d.add,
        d.mul, d.div, d.func);
}

// Numbers behind the coordinates and rates: what a rotation has beside e1, e2, e3 and its spins.
static void map_rotations(ct_text *out, const ct_emitter *e) {
    const ct_formulation *f = e->f;
    if (!f->n_integrated) return;
    ct_text_add(out, " * rotations (Euler parameters e, rates: angular velocity), behind the "
                     "coordinates\n");
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        int angles = ct_position_count(f) + 3 * i, rates = f->n + 3 * i;
        ct_text_printf(out, " *   q[%d] ", f->n + i);
        ct_c_comment(out, ct_symbol_name(f->pool, b->parameter[0]));
        ct_text_printf(out, ", q[%d..%d] and qd[%d..%d] for results: ", angles, angles + 2, rates,
                       rates + 2);
        for (int j = 0; j < 3; j++) {
            if (j) ct_text_add(out, ", ");
            ct_c_comment(out, ct_symbol_name(f->pool, b->angle[j]));
        }
        ct_text_add(out, "\n");
    }
}

// The comment on top of the file: names, closure, operations.
void ct_emit_map(ct_emitter *e, const ct_emission *code, int n_outputs) {
    ct_text *out = &e->out;
    const ct_model *m = e->f->model;
    // name of the model and its equations
    ct_text_add(out, "/* ");
    ct_c_comment(out, m->name);
    ct_text_printf(out,
                   "\n * Equations of motion  M(q) q'' + Phi_q^T lambda = F,  Phi(q, t) = 0, "
                   "written by cotree %s.\n"
                   " * For version %s of the kernel (ctk.h). Generated code carries no licence.\n"
                   " *\n",
                   CT_VERSION, CTK_VERSION);
    // what the indices of each array mean
    map_line(out, "bodies", m->n_bodies - 1, body_name, e);
    map_line(out, "coordinates q (and rates qd)", e->f->n, coordinate_name, e);
    map_rotations(out, e);
    map_line(out, "constraint rows and the joint or motion of each", e->in->m, constraint_name, e);
    map_line(out, "parameters p", ct_model_free_parameters(m), parameter_name, e);
    map_line(out, "inputs u", m->n_inputs, input_name, e);
    map_line(out, "outputs y", n_outputs, output_name, e);
    if (e->in->closure) map_closure(e, code);
    // sizes: operations, temporaries, constants, residual
    ct_operations d = code->dynamics;
    ct_text_add(out, " *\n");
    if (!e->in->closure_only)
        ct_text_printf(out,
                       " * operations of M, F, Phi, Phi_q and gamma: %.0f add, %.0f mul, %.0f div, "
                       "%.0f functions\n",
                       d.add, d.mul, d.div, d.func);
    ct_text_printf(out, " * temporaries in use at once: %d; constants set up once: %d\n",
                   e->temporaries, code->n_constants);
    if (!e->in->without_values)
        ct_text_printf(out, " * largest residual |Phi| of the initial state: %.3g\n",
                       e->in->residual);
    ct_text_add(out, " */\n");
}

// Numbers of the array of default inputs: rates and accelerations, 0, stand behind the values where
// an equation uses them.
static int input_numbers(const ct_model *model) {
    bool rates = false;
    for (int i = 0; i < model->n_inputs; i++) rates |= model->inputs[i].rate != CT_ZERO;
    return rates ? 3 * model->n_inputs : model->n_inputs;
}

static double *defaults(const ct_model *model, bool inputs) {
    int n = inputs ? model->n_inputs : ct_model_free_parameters(model);
    double *x = ct_alloc((size_t)n + 1 + (size_t)input_numbers(model), sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = inputs ? ct_model_number(model, model->inputs[i].value)
                      : model->parameters[free_parameter(model, i)].number;
    return x;
}

// Slides compare to angles in lengths of bodies, rounded to a power of two.
static double *units_of(const ct_emitter *e) {
    int n = e->f->n;
    double *units = ct_alloc((size_t)n + 1, sizeof *units);
    double unit = exp2(round(log2(ct_body_length(e->f->model))));
    for (int k = 0; k < n; k++) units[k] = e->f->is_angle[k] ? 1 : unit;
    return units;
}

// What |Phi| of each row compares to.
static double *row_units_of(const ct_emitter *e) {
    const int count = e->in->m + e->in->n_dropped;
    double *units = ct_alloc((size_t)count + 1, sizeof *units);
    for (int i = 0; i < count; i++) units[i] = e->f->row_unit[row_of(e->in, i)];
    return units;
}

static double *copied(int n, const double *x) {
    double *y = ct_alloc((size_t)n + 1, sizeof *y);
    if (n) memcpy(y, x, (size_t)n * sizeof *y);
    return y;
}

static int positions_of(const ct_formulation *f) {
    return f->n + 4 * f->n_integrated;
}
static int rates_of(const ct_formulation *f) {
    return f->n + 3 * f->n_integrated;
}

void ct_emit_find_values(const ct_emitter *e, ct_emit_values *v) {
    v->parameters = defaults(e->f->model, false);
    v->inputs = defaults(e->f->model, true);
    v->q0 = copied(positions_of(e->f), e->in->q0);
    v->qd0 = copied(rates_of(e->f), e->in->qd0);
    v->units = units_of(e);
    v->row_units = row_units_of(e);
}

void ct_emit_values_of(const ct_emit_input *in, ct_emit_values *v) {
    const ct_emitter e = {.in = in, .f = in->f};
    *v = (ct_emit_values){0};
    ct_emit_find_values(&e, v);
}

// A table of units; false, with nothing written, if all are 1.
static bool emit_units(ct_text *out, const char *name, int n, const double *units) {
    bool any = false;
    for (int i = 0; i < n; i++) any = any || units[i] != 1;
    if (any) ct_emit_numbers(out, name, n, units);
    return any;
}

// Where joint frames differ from those of the bodies: N in the root and F in the body [9 each] of all
// rotations. Returns false, with nothing written, where none does.
bool ct_emit_joint_frames(ct_emitter *e) {
    const ct_formulation *f = e->f;
    bool any = false;
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        any = any || !ct_mat_is_identity(b->near) || !ct_mat_is_identity(b->far);
        for (int j = 0; j < 9; j++) {
            ct_emitter_target(e, "frame", 18 * i + j, b->near.a[j / 3][j % 3]);
            ct_emitter_target(e, "frame", 18 * i + 9 + j, b->far.a[j / 3][j % 3]);
        }
    }
    if (any)
        ct_emitter_function(e, "joint_frames(const double *restrict c, double *restrict frame)",
                            "c frame", NULL);
    e->n_targets = 0;
    return any;
}

// Rotations that are integrated whole.
static void emit_rotations(ct_emitter *e) {
    const ct_formulation *f = e->f;
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        ct_text_printf(&e->out, "%s{%d, {%d, %d, %d}, %d, %d, %d}",
                       i ? ",\n    " : "static const ctk_rotation rotations[] = {",
                       b->coordinate[0], b->sequence[0], b->sequence[1], b->sequence[2], b->inverse,
                       b->in_root, b->followed);
    }
    if (f->n_integrated) ct_text_add(&e->out, "};\n");
}

// Default values, initial state and units, as tables; *units, *row_units: whether there are any.
static void emit_values(ct_emitter *e, const ct_emit_values *v, bool *units, bool *row_units) {
    const ct_model *m = e->f->model;
    ct_text *out = &e->out;
    *units = *row_units = false;
    if (e->in->without_values) {
        emit_rotations(e);
        return;
    }
    ct_emit_numbers(out, "parameters", ct_model_free_parameters(m), v->parameters);
    ct_emit_numbers(out, "inputs", input_numbers(m), v->inputs);
    ct_emit_numbers(out, "q0", positions_of(e->f), v->q0);
    ct_emit_numbers(out, "qd0", rates_of(e->f), v->qd0);
    emit_rotations(e);
    *units = emit_units(out, "units", e->f->n, v->units);
    *row_units = emit_units(out, "row_units", e->in->m + e->in->n_dropped, v->row_units);
}

// Which rows, guards and kept values belong to which joint.
void ct_emit_switches(ct_emitter *e) {
    const ct_formulation *f = e->f;
    const ct_model *m = f->model;
    const ct_switched *s = &f->switched;
    if (!m->n_switched) return;
    // joints, and rows by joint
    const size_t n = (size_t)m->n_switched + 1;
    const char **names = ct_scratch(n, sizeof *names);
    int *start = ct_scratch(n, sizeof *start), *here = ct_scratch(n, sizeof *here),
        *of = ct_scratch((size_t)e->in->m + 1, sizeof *of);
    for (int i = 0; i < m->n_switched; i++) {
        const ct_joint *joint = ct_switched_joint(m, i);
        names[i] = joint->name;
        start[i] = ct_switched_at_start(m, joint);
        here[i] = joint->attaches_here;
    }
    for (int i = 0; i < e->in->m; i++) {
        const int joint = f->owner[e->in->rows[i]].joint;
        of[i] = joint >= m->n_joints ? joint - m->n_joints : -1;
    }
    ct_emit_strings(&e->body, "switch_names", m->n_switched, names);
    ct_emit_ints(&e->body, "row_switch", e->in->m, of);
    ct_emit_ints(&e->body, "switch_start", m->n_switched, start);
    ct_emit_ints(&e->body, "switch_here", m->n_switched, here);
    ct_emit_ints(&e->body, "guard_switch", s->n_guards, s->guard_joint);
    ct_emit_ints(&e->body, "kept_switch", s->n_kept, s->kept_joint);
}

// Joints that come and go.
static void switch_members(ct_emitter *e) {
    const ct_formulation *f = e->f;
    if (!f->model->n_switched) return;
    ct_text_printf(&e->out,
                   "    .n_switches = %d,\n    .m_start = %d,\n    .n_switch_guards = %d,\n"
                   "    .n_kept = %d,\n    .switch_names = switch_names,\n"
                   "    .row_switch = row_switch,\n    .switch_start = switch_start,\n"
                   "    .switch_here = switch_here,\n    .guard_switch = guard_switch,\n"
                   "    .kept_switch = kept_switch,\n    .switches = switches,\n%s",
                   f->model->n_switched, e->in->m_start, f->switched.n_guards, f->switched.n_kept,
                   f->switched.n_kept ? "    .attach = attach,\n" : "");
}

void ct_emit_model_table(ct_emitter *e, const ct_emission *code, int n_outputs) {
    ct_text *out = &e->out;
    const ct_model *m = e->f->model;
    // arrays of names
    string_array(out, "coordinate_names", e->f->n, coordinate_name, e);
    string_array(out, "constraint_names", e->in->m + e->in->n_dropped, constraint_name, e);
    string_array(out, "parameter_names", ct_model_free_parameters(m), parameter_name, e);
    string_array(out, "input_names", m->n_inputs, input_name, e);
    string_array(out, "output_names", n_outputs, output_name, e);
    // default values, initial state, units of coordinates
    bool units, row_units;
    emit_values(e, &code->values, &units, &row_units);
    // the record that names them and the functions
    ct_text_printf(out, "\nconst ctk_model %s_model = {\n    .name = \"", e->in->name);
    ct_c_string(out, m->name);
    ct_text_printf(
        out,
        "\",\n    .n = %d,\n    .m = %d,\n    .n_inputs = %d,\n    .n_parameters = %d,\n    "
        ".n_constants = %d,\n"
        "    .n_outputs = %d,\n    .coordinate_names = coordinate_names,\n    .constraint_names = "
        "constraint_names,\n"
        "    .output_names = output_names,\n    .parameter_names = parameter_names,\n    "
        ".input_names = input_names,\n"
        "%s%s%s"
        "    .constants = constants,\n    .position = position,\n    .velocity = velocity,\n"
        "%s    .outputs = outputs,\n%s%s",
        e->f->n, e->in->m, m->n_inputs, ct_model_free_parameters(m), code->n_constants, n_outputs,
        e->in->without_values ? ""
                              : "    .parameters = parameters,\n    .inputs = inputs,\n"
                                "    .q0 = q0,\n    .qd0 = qd0,\n",
        units ? "    .units = units,\n" : "", row_units ? "    .row_units = row_units,\n" : "",
        e->in->closure_only ? ""
        : e->in->recursion  ? "    .acceleration = acceleration,\n"
                            : "    .acceleration = acceleration,\n    .dynamics = dynamics,\n",
        ct_emits_late_outputs(e->in) ? "    .late_outputs = late_outputs,\n" : "",
        e->in->closure ? "    .closure = &closure,\n" : "");
    if (e->f->n_integrated)
        ct_text_printf(out, "    .n_rotations = %d,\n    .rotations = rotations,\n%s",
                       e->f->n_integrated,
                       code->has_joint_frames ? "    .joint_frames = joint_frames,\n" : "");
    if (e->in->n_dropped)
        ct_text_printf(out, "    .n_spare = %d,\n    .spare = spare,\n", e->in->n_dropped);
    if (e->in->closure && e->in->m + e->in->n_dropped > 0)
        ct_text_add(out, "    .opening = opening,\n");
    if (e->in->tangent)
        ct_text_printf(out,
                       "    .n_stiffness = %d,\n    .n_damping = %d,\n"
                       "    .stiffness_places = stiffness_places,\n"
                       "    .damping_places = damping_places,\n    .tangent = tangent,\n"
                       "    .row_first = row_first,\n    .row_columns = row_columns,\n"
                       "    .newton_order = newton_order,\n    .newton_first = newton_first,\n"
                       "    .newton_after = newton_after,\n",
                       code->n_stiffness, code->n_damping);
    if (e->in->recursive) ct_text_add(out, "    .is_recursive = 1,\n");
    if (e->in->recursion)
        ct_text_printf(out,
                       "    .n_answer = %d,\n    .n_light = %d,\n    .light = light,\n"
                       "    .recursion = recursion,\n    .answer = answer,\n",
                       code->n_answer, code->n_light);
    switch_members(e);
    if (e->in->n_kinks)
        ct_text_printf(out, "    .n_kinks = %d,\n    .kinks = kinks,\n", e->in->n_kinks);
    if (e->in->reactions)
        ct_text_printf(out, "    .wrenches = &wrenches,\n%s",
                       !e->in->without_values && ct_emits_reaction_outputs(e->in)
                           ? "    .reads_reactions = 1,\n"
                           : "");
    else if (ct_emits_reaction_outputs(e->in))
        ct_text_printf(out, "    .wrenches = &%s_reactions,\n    .reads_reactions = 1,\n",
                       e->in->name);
    if (code->has_initial || code->has_scales) ct_text_add(out, "    .initial = &initial,\n");
    ct_text_add(out, "};\n");
}
