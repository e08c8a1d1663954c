// A whole model as C, from its top: the map, splines, the functions of ctk.h, those of the closure,
// the constants, and the table that names them all.
#include "emit/emit_inside.h"

#include "expr/optimise.h"
#include "formulate/reactions/reactions.h"
#include "formulate/whole_rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void rows_phi(ct_emitter *e) {
    for (int i = 0; i < e->in->m; i++) ct_emitter_target(e, "phi", i, e->f->phi[e->in->rows[i]]);
}

static void rows_phi_q(ct_emitter *e) {
    int n = e->f->n;
    for (int i = 0; i < e->in->m; i++)
        for (int k = 0; k < n; k++)
            ct_emitter_target(e, "phi_q", i * n + k, e->f->phi_q[e->in->rows[i] * n + k]);
}

static void rows(ct_emitter *e, const char *array, const ct_ex *values) {
    for (int i = 0; i < e->in->m; i++) ct_emitter_target(e, array, i, values[e->in->rows[i]]);
}

static void all_rows(ct_emitter *e) {
    rows_phi(e);
    rows_phi_q(e);
    rows(e, "phi_t", e->f->phi_t);
    rows(e, "gamma", e->f->gamma);
}

static void dynamics_targets(ct_emitter *e) {
    const ct_formulation *f = e->f;
    ct_formulation_entries(f);
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->n; k++)
            ct_emitter_target(e, "mass", i * f->n + k, f->mass[i * f->n + k]);
    for (int i = 0; i < f->n; i++) ct_emitter_target(e, "forcing", i, f->forcing[i]);
    all_rows(e);
    ct_emitter_target(e, "power", 0, f->power);
}

static ct_ex output_of(const ct_emit_input *in, int i) {
    return (in->drives && in->f->driven_outputs ? in->f->driven_outputs : in->f->outputs)[i];
}

static bool is_late(const ct_emit_input *in, int i) {
    return ct_output_is_late(in->f, output_of(in, i));
}

// y: coordinates by back-substitution, their rates, outputs of the model (late ones as 0), kinetic
// and potential energy.
static void output_targets(ct_emitter *e) {
    const ct_formulation *f = e->f;
    int k = 0;
    for (int i = 0; i < f->n_secondary; i++) ct_emitter_target(e, "y", k++, f->secondary[i].value);
    for (int i = 0; i < f->n_secondary; i++) ct_emitter_target(e, "y", k++, f->secondary[i].rate);
    for (int i = 0; i < f->model->n_outputs; i++)
        ct_emitter_target(e, "y", k++, is_late(e->in, i) ? CT_ZERO : output_of(e->in, i));
    for (int i = 0; i < f->model->n_switched; i++)
        ct_emitter_target(e, "y", k++, ct_switched_joint(f->model, i)->holds);
    ct_emitter_target(e, "y", k++, f->kinetic);
    ct_emitter_target(e, "y", k++, f->potential);
}

#define STATE  "const double *restrict c, double t, const double *restrict q, "
#define RATES  "const double *restrict qd, "
#define INPUTS "const double *restrict u,\n"

static void functions(ct_emitter *e, ct_operations *dynamics, ct_operations *position) {
    // Phi and Phi_q; Phi_q and Phi_t: what positions and rates need
    rows_phi(e);
    rows_phi_q(e);
    ct_emitter_function(e,
                        "position(" STATE INPUTS
                        "                     double *restrict phi, double *restrict phi_q)",
                        "c t q u phi phi_q", position);
    rows_phi_q(e);
    rows(e, "phi_t", e->f->phi_t);
    ct_emitter_function(e,
                        "velocity(" STATE INPUTS
                        "                     double *restrict phi_q, double *restrict phi_t)",
                        "c t q u phi_q phi_t", NULL);
    // runs by the closure alone need no more
    if (e->in->closure_only) return;
    // Phi_q and gamma: what accelerations need
    rows_phi_q(e);
    rows(e, "gamma", e->f->gamma);
    ct_emitter_function(e,
                        "acceleration(" STATE RATES INPUTS
                        "                         double *restrict phi_q, double *restrict gamma)",
                        "c t q qd u phi_q gamma", NULL);
    if (e->in->recursion) return;
    // M, F and all of the constraints in one function
    dynamics_targets(e);
    ct_emitter_function(
        e,
        "dynamics(" STATE RATES INPUTS
        "                     double *restrict mass, double *restrict forcing, "
        "double *restrict phi,\n                     double *restrict phi_q, double *restrict "
        "phi_t, "
        "double *restrict gamma, double *restrict power)",
        "c t q qd u mass forcing phi phi_q phi_t gamma power", dynamics);
}

// Functions for the method `recursive`, in the place of M and F: accelerations of the tree, and its answer to
// forces.
static void recursion(ct_emitter *e, ct_emission *code) {
    ct_recursion r;
    const int *light = ct_emit_tree_targets(e, &r, code);
    ct_emit_ints(&e->body, "light", code->n_light, light);
    all_rows(e);
    ct_emitter_target(e, "power", 0, e->f->power);
    ct_emitter_function(
        e,
        "recursion(" STATE RATES INPUTS
        "                      double *restrict qdd, double *restrict pivot, "
        "double *restrict store,\n                      double *restrict phi, double *restrict "
        "phi_q, double *restrict phi_t,\n                      double *restrict gamma, double "
        "*restrict power)",
        "c t q qd u qdd pivot store phi phi_q phi_t gamma power", &code->dynamics);
    ct_emit_answer(e, &r, code);
}

static ct_slopes slope_targets(ct_emitter *e, const char *array, bool of_rates) {
    ct_slopes slopes = {0};
    if (e->in->tangent != CT_EMPTY_TANGENT)
        ct_force_slopes(e->f, e->in->tangent == CT_FORCE_TANGENT, of_rates, &slopes);
    for (int i = 0; i < slopes.n; i++) ct_emitter_target(e, array, i, slopes.value[i]);
    ct_emit_ints(&e->body, ct_scratch_format("%s_places", array), slopes.n, slopes.place);
    return slopes;
}

// Lists of the entries of Newton's matrix.
static void pattern(ct_emitter *e, const ct_slopes *k, const ct_slopes *c) {
    const ct_emit_input *in = e->in;
    const int n = e->f->n, n_places = k->n + c->n, n_rows = in->m + in->n_dropped;
    int *places = ct_scratch((size_t)n_places + 1, sizeof *places);
    int *all = ct_scratch((size_t)n_rows + 1, sizeof *all);
    for (int i = 0; i < n_places; i++) places[i] = i < k->n ? k->place[i] : c->place[i - k->n];
    for (int i = 0; i < n_rows; i++) all[i] = i < in->m ? in->rows[i] : in->dropped[i - in->m];
    ct_newton_pattern p;
    ct_newton_pattern_find(e->f, n_rows, all, n_places, places, &p);
    ct_emit_ints(&e->body, "row_first", n_rows + 1, p.row_first);
    ct_emit_ints(&e->body, "row_columns", p.n_columns, p.row_columns);
    ct_emit_ints(&e->body, "newton_order", n, p.order);
    ct_emit_ints(&e->body, "newton_first", n + 1, p.first);
    ct_emit_ints(&e->body, "newton_after", p.n_after, p.after);
}

// Derivatives of the forces, K and C, with the places of their entries, and the pattern of the matrix
// that they are a part of.
static void tangent(ct_emitter *e, ct_emission *code) {
    if (!e->in->tangent) return;
    ct_slopes k = slope_targets(e, "stiffness", false), c = slope_targets(e, "damping", true);
    code->n_stiffness = k.n;
    code->n_damping = c.n;
    pattern(e, &k, &c);
    ct_emitter_function(e,
                        "tangent(" STATE RATES INPUTS
                        "                    double *restrict stiffness, double *restrict damping)",
                        "c t q qd u stiffness damping", NULL);
}

// joints that come and go -------------------------------------------------------------------------
// The gap that a joint closes as its rows have it: of a link that of the squared distance,
// (L + g)^2 - L^2.
static ct_ex gap_of_row(const ct_formulation *f, const ct_joint *joint) {
    if (ct_joint_traits_of(joint->type)->holds != CT_HOLDS_DISTANCE) return joint->gap;
    const ct_ex sum =
        ct_add(f->pool, ct_mul(f->pool, ct_int(f->pool, 2), joint->length), joint->gap);
    return ct_mul(f->pool, joint->gap, sum);
}

// Conditions, gaps and measures; values that joints keep.
static void switch_functions(ct_emitter *e) {
    const ct_formulation *f = e->f;
    const ct_switched *s = &f->switched;
    const int n = f->model->n_switched;
    for (int i = 0; i < n; i++) ct_emitter_target(e, "value", i, s->active[i]);
    for (int i = 0; i < n; i++)
        ct_emitter_target(e, "value", n + i, gap_of_row(f, ct_switched_joint(f->model, i)));
    for (int i = 0; i < s->n_guards; i++) ct_emitter_target(e, "value", 2 * n + i, s->guards[i]);
    ct_emitter_function(e,
                        "switches(" STATE "const double *restrict qd, " INPUTS
                        "                     double *restrict value)",
                        "c t q qd u value", NULL);
    if (!s->n_kept) return;
    for (int k = 0; k < s->n_kept; k++) ct_emitter_target(e, "kept", k, s->kept_value[k]);
    ct_emitter_function(e, "attach(" STATE INPUTS "                   double *restrict kept)",
                        "c t q u kept", NULL);
}

// Phi, Phi_q, Phi_t and gamma of the rows that are redundant at the initial state.
static void spare(ct_emitter *e) {
    const ct_formulation *f = e->f;
    const int n = f->n, count = e->in->n_dropped, *row = e->in->dropped;
    if (!count) return;
    for (int i = 0; i < count; i++) ct_emitter_target(e, "phi", i, f->phi[row[i]]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < n; k++)
            ct_emitter_target(e, "phi_q", i * n + k, f->phi_q[row[i] * n + k]);
    for (int i = 0; i < count; i++) ct_emitter_target(e, "phi_t", i, f->phi_t[row[i]]);
    for (int i = 0; i < count; i++) ct_emitter_target(e, "gamma", i, f->gamma[row[i]]);
    ct_emitter_function(
        e,
        "spare(" STATE RATES INPUTS
        "                  double *restrict phi, double *restrict phi_q, double *restrict phi_t,\n"
        "                  double *restrict gamma)",
        "c t q qd u phi phi_q phi_t gamma", NULL);
}

// Phi and Phi' of one row.
static void opening_row(ct_emitter *e, int place, int row) {
    const ct_formulation *f = e->f;
    ct_ex rate = f->phi_t[row];
    for (int k = 0; k < f->n; k++)
        rate = ct_add(f->pool, rate, ct_mul(f->pool, f->phi_q[row * f->n + k], f->qd[k]));
    ct_emitter_target(e, "phi", place, f->phi[row]);
    ct_emitter_target(e, "phi_rate", place, rate);
}

// Phi and Phi' of all rows, which a closure is checked by: one function has the sines of both.
static void opening(ct_emitter *e) {
    const ct_emit_input *in = e->in;
    if (!in->closure || in->m + in->n_dropped == 0) return;
    for (int i = 0; i < in->m; i++) opening_row(e, i, in->rows[i]);
    for (int i = 0; i < in->n_dropped; i++) opening_row(e, in->m + i, in->dropped[i]);
    ct_emitter_function(e,
                        "opening(" STATE RATES INPUTS
                        "                    double *restrict phi, double *restrict phi_rate)",
                        "c t q qd u phi phi_rate", NULL);
}

static void outputs(ct_emitter *e) {
    output_targets(e);
    ct_emitter_function(e, "outputs(" STATE RATES INPUTS "                    double *restrict y)",
                        "c t q qd u y", NULL);
}

bool ct_emits_late_outputs(const ct_emit_input *in) {
    bool any = false;
    for (int i = 0; i < in->f->model->n_outputs; i++) any = any || is_late(in, i);
    return any;
}

bool ct_emits_reaction_outputs(const ct_emit_input *in) {
    bool any = false;
    for (int i = 0; i < in->f->model->n_outputs; i++)
        any = any || ct_output_reads_reactions(in->f, output_of(in, i));
    return any;
}

// Reactions as columns r; those that are no column here are zero.
static void name_reactions(ct_emitter *e) {
    const ct_model *m = e->f->model;
    const ct_reaction_groups groups = ct_reaction_groups_of(m, e->in->drives);
    for (int i = 0; i < m->n_probes; i++) {
        const ct_probe *p = m->probes + i;
        if (p->kind != CT_PROBE_REACTION) continue;
        int column = ct_reaction_column(&groups, p, e->in->drives);
        ct_writer_name(e->w, p->symbol, column < 0 ? "0.0" : ct_scratch_format("r[%d]", column));
    }
    for (int i = 0; i < m->n_drives && e->in->drives; i++)
        ct_writer_name(e->w, ct_drive_effort(e->f, i), ct_scratch_format("r[%d]", i));
}

// Outputs that need accelerations or reactions, in their places of y.
static void late_outputs(ct_emitter *e) {
    const ct_formulation *f = e->f;
    if (!ct_emits_late_outputs(e->in)) return;
    for (int k = 0; k < f->n; k++)
        ct_writer_name(e->w, ct_acceleration(f, k), ct_scratch_format("qdd[%d]", k));
    if (ct_emits_reaction_outputs(e->in)) name_reactions(e);
    for (int i = 0; i < f->model->n_outputs; i++)
        if (is_late(e->in, i))
            ct_emitter_target(e, "y", 2 * f->n_secondary + i, output_of(e->in, i));
    ct_emitter_function(e,
                        "late_outputs(" STATE RATES "const double *restrict qdd,\n"
                        "                         const double *restrict u, const double *restrict "
                        "r, double *restrict y)",
                        "c t q qd qdd u r y", NULL);
}

char *ct_emit_upper(const char *name, const char *ending) {
    char *upper = ct_scratch_format("%s%s", name, ending);
    for (char *s = upper; *s; s++)
        if (*s >= 'a' && *s <= 'z') *s = (char)(*s - 'a' + 'A');
    return upper;
}

void ct_emit_parts(ct_emitter *e) {
    if (strstr(e->body.s, "CT_PART"))
        ct_text_add(&e->out, "/* parts of long functions, not to be joined again */\n"
                             "#ifdef __GNUC__\n#define CT_PART __attribute__((noinline))\n"
                             "#else\n#define CT_PART\n#endif\n\n");
}

static char *header(const char *name) {
    ct_text t = {0};
    const char *guard = ct_emit_upper(name, "_H");
    ct_text_printf(&t,
                   "/* The model for the run-time kernel of ctk.h. */\n#ifndef %s\n#define "
                   "%s\n\n#include \"ctk.h\"\n\n"
                   "extern const ctk_model %s_model;\n\n#endif\n",
                   guard, guard, name);
    return ct_text_take(&t);
}

// The initial problem is written where there is something that the start may depend on.
static bool has_initial(const ct_emit_input *in) {
    const ct_model *m = in->f->model;
    if (!in->assembly || in->without_values) return false;
    bool any = ct_model_free_parameters(m) > 0;
    for (int i = 0; i < m->n_motions; i++)
        any = any || ct_ex_kinds(m->pool, m->motions[i].value) & 1u << CT_SYMBOL_INPUT;
    return any;
}

int ct_emit_outputs(const ct_emit_input *in) {
    const ct_model *m = in->f->model;
    return 2 * in->f->n_secondary + m->n_outputs + m->n_switched + 2;
}

void ct_emit(const ct_emit_input *in, ct_emission *code) {
    ct_emitter e = {.in = in, .f = in->f, .w = ct_writer_new(in->f->pool)};
    if (in->fused) ct_writer_fuse(e.w);
    if (in->steady) ct_writer_steady(e.w);
    if (in->f->n_integrated) e.meanings = ct_whole_rotation_meanings(in->f);
    *code = (ct_emission){.has_initial = has_initial(in)};
    ct_emit_find_values(&e, &code->values);
    // functions go to the body, since what they use decides on the rest of the file
    ct_emitter_name_symbols(&e);
    functions(&e, &code->dynamics, &code->position);
    if (in->recursion) recursion(&e, code);
    tangent(&e, code);
    if (e.f->model->n_switched) switch_functions(&e);
    ct_emit_switches(&e);
    spare(&e);
    opening(&e);
    outputs(&e);
    late_outputs(&e);
    ct_emit_kinks(&e);
    code->has_joint_frames = ct_emit_joint_frames(&e);
    if (in->closure) ct_emit_closure(&e, code);
    if (in->reactions) ct_emit_reactions(&e);
    if (code->has_initial) ct_emit_initial(&e, code);
    // constants: what depends on parameters alone, met in any function
    ct_text constants = {0};
    code->n_constants = ct_emit_constants(e.w, in->f->pool, in->f->model, "constants", &constants);
    code->temporaries = e.temporaries;
    int n_outputs = ct_emit_outputs(in);
    // the file from its top: map, headers, splines, functions, constants, table of the model
    ct_emit_map(&e, code, n_outputs);
    ct_text_printf(&e.out, "#include \"%s.h\"\n", in->name);
    if (ct_emits_reaction_outputs(in) && !in->reactions)
        ct_text_printf(&e.out, "#include \"%s_reactions.h\"\n", in->name);
    if (in->steady) ct_text_add(&e.out, "#include \"ctk_steady.h\"\n");
    ct_text_printf(&e.out, "%s%s\n#include <math.h>\n\n",
                   in->closure && strstr(e.body.s, "poly[") ? "#include \"ctk_root_pair.h\"\n" : "",
                   in->closure ? "#include \"ctk_small.h\"\n" : "");
    ct_emit_parts(&e);
    ct_text_add(&e.body, constants.s);
    ct_emit_splines(&e, &e.out);
    ct_text_add(&e.out, e.body.s);
    ct_emit_model_table(&e, code, n_outputs);
    code->source = ct_text_take(&e.out);
    code->header = header(in->name);
    ct_text_clear(&constants);
    ct_text_clear(&e.body);
    ct_writer_free(e.w);
    ct_substitution_free(e.meanings);
    ct_free(e.targets);
}

void ct_emission_clear(ct_emission *code) {
    double *const values[] = {code->values.parameters, code->values.inputs, code->values.q0,
                              code->values.qd0,        code->values.units,  code->values.row_units,
                              code->values.guard_scale};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) ct_free(values[i]);
    ct_free(code->source);
    ct_free(code->header);
    *code = (ct_emission){0};
}

double ct_emit_operations(const ct_formulation *f) {
    size_t n = (size_t)f->n, nn = n * n;
    ct_ex *roots = ct_scratch(nn + n + 1, sizeof *roots);
    ct_formulation_entries(f);
    memcpy(roots, f->mass, nn * sizeof *roots);
    memcpy(roots + nn, f->forcing, n * sizeof *roots);
    return ct_operations_total(ct_count_shared(f->pool, (int)(nn + n), roots));
}

ct_operations ct_emit_count(const ct_formulation *f) {
    int *all = ct_scratch((size_t)f->m + 1, sizeof *all);
    for (int i = 0; i < f->m; i++) all[i] = i;
    ct_emit_input in = {.f = f, .m = f->m, .rows = all};
    ct_emitter e = {.in = &in, .f = f};
    if (f->n_integrated) e.meanings = ct_whole_rotation_meanings(f);
    dynamics_targets(&e);
    ct_ex *roots = ct_scratch((size_t)e.n_targets + 1, sizeof *roots);
    for (int i = 0; i < e.n_targets; i++) roots[i] = e.targets[i].root;
    ct_optimise(f->pool, e.n_targets, roots);
    ct_operations c = ct_count_shared(f->pool, e.n_targets, roots);
    ct_free(e.targets);
    return c;
}
