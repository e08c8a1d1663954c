// A whole model as C: the map on top, tables, constants, the functions of ctk.h, and the table that
// names them all.
#include "emit/emit.h"

#include "expr/optimise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct emitter {
    const ct_emit_input *in;
    const ct_formulation *f;
    ct_writer *w;
    ct_text body; // functions
    ct_text out;
    ct_target *targets;
    int n_targets, room_targets;
    int temporaries;
} emitter;

static void target(emitter *e, const char *array, int index, ct_ex root) {
    *CT_PUSH(e->targets, e->n_targets, e->room_targets) = (ct_target){array, index, root};
}

static void name_symbols(emitter *e) {
    const ct_formulation *f = e->f;
    char text[64];
    for (int k = 0; k < f->n; k++) {
        snprintf(text, sizeof text, "q[%d]", k);
        ct_writer_name(e->w, f->q[k], text);
        snprintf(text, sizeof text, "qd[%d]", k);
        ct_writer_name(e->w, f->qd[k], text);
    }
    for (int k = 0; k < f->model->n_inputs; k++) {
        snprintf(text, sizeof text, "u[%d]", k);
        ct_writer_name(e->w, f->model->inputs[k].symbol, text);
    }
    for (int k = 0; k < f->model->n_parameters; k++) {
        snprintf(text, sizeof text, "p[%d]", k);
        ct_writer_name(e->w, f->model->parameters[k].symbol, text);
    }
    ct_writer_name(e->w, f->model->time, "t");
}

static void optimise(emitter *e) {
    ct_ex *roots = ct_alloc((size_t)e->n_targets + 1, sizeof *roots);
    for (int i = 0; i < e->n_targets; i++) roots[i] = e->targets[i].root;
    ct_optimise(e->f->pool, e->n_targets, roots);
    for (int i = 0; i < e->n_targets; i++) e->targets[i].root = roots[i];
    free(roots);
}

// Arrays that are mostly zero are cleared in a loop, and their zeros drop out of the targets.
static void clear_zeros(emitter *e, ct_text *out) {
    enum { FEW = 12 };
    bool declared = false;
    for (int first = 0; first < e->n_targets;) {
        const char *array = e->targets[first].array;
        int zeros = 0, last = first, kept = first;
        for (; last < e->n_targets && !strcmp(e->targets[last].array, array); last++)
            zeros += e->targets[last].root == CT_ZERO;
        if (zeros <= FEW) {
            first = last;
            continue;
        }
        if (!declared) ct_text_add(out, "    int i;\n");
        declared = true;
        ct_text_printf(out, "    for (i = 0; i < %d; i++)\n        %s[i] = 0.0;\n", last - first,
                       array);
        for (int k = first; k < e->n_targets; k++)
            if (k >= last || e->targets[k].root != CT_ZERO) e->targets[kept++] = e->targets[k];
        e->n_targets = kept;
        first = last - zeros;
    }
}

// Statements of the targets collected so far, as a function; arguments that it does not use are
// silenced.
static void function(emitter *e, const char *signature, const char *arguments,
                     ct_operations *count) {
    ct_text statements = {0}, zeros = {0};
    optimise(e);
    clear_zeros(e, &zeros);
    int t = ct_writer_function(e->w, &statements, e->n_targets, e->targets, zeros.s, count);
    ct_text_clear(&zeros);
    if (t > e->temporaries) e->temporaries = t;
    ct_text_printf(&e->body, "static void %s\n{\n", signature);
    if (statements.s) ct_text_add(&e->body, statements.s);
    // silence what is not used
    for (const char *s = arguments; *s;) {
        size_t n = strcspn(s, " ");
        ct_text_printf(&e->body, "    (void)%.*s;\n", (int)n, s);
        s += n + (s[n] == ' ');
    }
    ct_text_add(&e->body, "}\n\n");
    ct_text_clear(&statements);
    e->n_targets = 0;
}

static void rows_phi(emitter *e) {
    for (int i = 0; i < e->in->m; i++) target(e, "phi", i, e->f->phi[e->in->rows[i]]);
}

static void rows_phi_q(emitter *e) {
    int n = e->f->n;
    for (int i = 0; i < e->in->m; i++)
        for (int k = 0; k < n; k++)
            target(e, "phi_q", i * n + k, e->f->phi_q[e->in->rows[i] * n + k]);
}

static void rows(emitter *e, const char *array, const ct_ex *values) {
    for (int i = 0; i < e->in->m; i++) target(e, array, i, values[e->in->rows[i]]);
}

static void dynamics_targets(emitter *e) {
    const ct_formulation *f = e->f;
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < f->n; k++) target(e, "mass", i * f->n + k, f->mass[i * f->n + k]);
    for (int i = 0; i < f->n; i++) target(e, "forcing", i, f->forcing[i]);
    rows_phi(e);
    rows_phi_q(e);
    rows(e, "phi_t", f->phi_t);
    rows(e, "gamma", f->gamma);
    target(e, "power", 0, f->power);
}

static void output_targets(emitter *e) {
    const ct_formulation *f = e->f;
    int k = 0;
    for (int i = 0; i < f->n_secondary; i++) target(e, "y", k++, f->secondary[i].value);
    for (int i = 0; i < f->n_secondary; i++) target(e, "y", k++, f->secondary[i].rate);
    for (int i = 0; i < f->model->n_outputs; i++) target(e, "y", k++, f->outputs[i]);
    for (int i = 0; i < e->in->n_dropped; i++) target(e, "y", k++, f->phi[e->in->dropped[i]]);
    target(e, "y", k++, f->kinetic);
    target(e, "y", k++, f->potential);
}

#define STATE  "const double *restrict c, double t, const double *restrict q, "
#define RATES  "const double *restrict qd, "
#define INPUTS "const double *restrict u,\n"

static void functions(emitter *e, ct_operations *dynamics, ct_operations *position) {
    rows_phi(e);
    rows_phi_q(e);
    function(e,
             "position(" STATE INPUTS
             "                     double *restrict phi, double *restrict phi_q)",
             "c t q u phi phi_q", position);
    rows_phi_q(e);
    rows(e, "phi_t", e->f->phi_t);
    function(e,
             "velocity(" STATE INPUTS
             "                     double *restrict phi_q, double *restrict phi_t)",
             "c t q u phi_q phi_t", NULL);
    rows_phi_q(e);
    rows(e, "gamma", e->f->gamma);
    function(e,
             "acceleration(" STATE RATES INPUTS
             "                         double *restrict phi_q, double *restrict gamma)",
             "c t q qd u phi_q gamma", NULL);
    dynamics_targets(e);
    function(e,
             "dynamics(" STATE RATES INPUTS
             "                     double *restrict mass, double *restrict forcing, "
             "double *restrict phi,\n                     double *restrict phi_q, double *restrict "
             "phi_t, "
             "double *restrict gamma, double *restrict power)",
             "c t q qd u mass forcing phi phi_q phi_t gamma power", dynamics);
    output_targets(e);
    function(e, "outputs(" STATE RATES INPUTS "                    double *restrict y)",
             "c t q qd u y", NULL);
}

static void string_array(ct_text *out, const char *name, int n,
                         const char *(*get)(const emitter *, int), const emitter *e) {
    ct_text_printf(out, "static const char *const %s[] = {", name);
    for (int i = 0; i < n; i++) {
        ct_text_add(out, i ? ", \"" : "\"");
        ct_c_string(out, get(e, i));
        ct_text_add(out, "\"");
    }
    ct_text_add(out, n ? "};\n" : "\"\"};\n");
}

static void number_array(ct_text *out, const char *name, int n, const double *x) {
    ct_text_printf(out, "static const double %s[] = {", name);
    for (int i = 0; i < n; i++)
        ct_text_printf(out, "%s%.17g", !i ? "" : i % 6 ? ", " : ",\n    ", x[i]);
    ct_text_add(out, n ? "};\n" : "0};\n");
}

static const char *coordinate_name(const emitter *e, int i) {
    return e->f->names[i];
}
static const char *constraint_name(const emitter *e, int i) {
    return ct_row_name(e->f, e->in->rows[i]);
}
static const char *parameter_name(const emitter *e, int i) {
    return e->f->model->parameters[i].name;
}
static const char *input_name(const emitter *e, int i) {
    return e->f->model->inputs[i].name;
}
static const char *output_name(const emitter *e, int i) {
    int s = e->f->n_secondary, k = i - 2 * s;
    if (i < s) return e->f->model->coordinates[e->f->secondary[i].coordinate].name;
    if (i < 2 * s)
        return ct_symbol_name(e->f->pool,
                              e->f->model->coordinates[e->f->secondary[i - s].coordinate].qd);
    if (k < e->f->model->n_outputs) return e->f->model->outputs[k].name;
    k -= e->f->model->n_outputs;
    if (k < e->in->n_dropped) return ct_row_name(e->f, e->in->dropped[k]);
    return k == e->in->n_dropped ? "kinetic energy" : "potential energy";
}

// Does the code that was written so far use this table?
static bool uses_table(const emitter *e, int table) {
    char name[32];
    snprintf(name, sizeof name, "&table_%d,", table);
    return strstr(e->body.s, name) != NULL;
}

static void tables(emitter *e, ct_text *out) {
    int n = ct_table_count(e->f->pool), used = 0;
    for (int i = 0; i < n; i++) used += uses_table(e, i);
    if (!used) return;
    ct_text_add(
        out, "typedef struct table {\n    int n, periodic;\n    const double *x, *a;\n} table;\n\n"
             "/* cubic spline, differentiated `order` times; constant beyond the ends */\n"
             "static double spline(const table *s, int order, double x)\n{\n"
             "    int last = s->n - 1, low = 0, high = last > 0 ? last - 1 : 0;\n"
             "    const double *a;\n"
             "    if (s->periodic && last > 0) {\n"
             "        double period = s->x[last] - s->x[0];\n"
             "        x -= period * floor((x - s->x[0]) / period);\n"
             "    } else if (x < s->x[0] || x >= s->x[last]) {\n"
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
    for (int i = 0; i < n; i++) {
        if (!uses_table(e, i)) continue;
        ct_spline s = ct_table_get(e->f->pool, i);
        char name[64];
        snprintf(name, sizeof name, "table_%d_x", i);
        number_array(out, name, s.n, s.x);
        snprintf(name, sizeof name, "table_%d_a", i);
        number_array(out, name, 4 * s.n, s.a);
        ct_text_printf(out, "static const table table_%d = {%d, %d, table_%d_x, table_%d_a}; /* ",
                       i, s.n, s.periodic, i, i);
        ct_c_comment(out, s.name);
        ct_text_add(out, " */\n\n");
    }
}

static void map_line(ct_text *out, const char *title, int n,
                     const char *(*get)(const emitter *, int), const emitter *e) {
    if (!n) return;
    ct_text_printf(out, " * %s\n", title);
    for (int i = 0; i < n; i++) {
        ct_text_printf(out, " *   [%d] ", i);
        ct_c_comment(out, get(e, i));
        ct_text_add(out, "\n");
    }
}

static const char *body_name(const emitter *e, int i) {
    return e->f->model->bodies[i + 1].name;
}

// What the file holds, for the person who opens it.
static void map(emitter *e, const ct_emission *r, int n_outputs) {
    ct_text *out = &e->out;
    const ct_model *m = e->f->model;
    ct_text_add(out, "/* ");
    ct_c_comment(out, m->name);
    ct_text_printf(out,
                   "\n * Equations of motion  M(q) q'' + Phi_q^T lambda = F,  Phi(q, t) = 0, "
                   "written by cotree %s.\n"
                   " * Generated code carries no licence.\n *\n",
                   CT_VERSION);
    map_line(out, "bodies", m->n_bodies - 1, body_name, e);
    map_line(out, "coordinates q (and rates qd)", e->f->n, coordinate_name, e);
    map_line(out, "constraint rows and the joint or motion of each", e->in->m, constraint_name, e);
    map_line(out, "parameters p", m->n_parameters, parameter_name, e);
    map_line(out, "inputs u", m->n_inputs, input_name, e);
    map_line(out, "outputs y", n_outputs, output_name, e);
    ct_operations d = r->dynamics;
    ct_text_printf(
        out,
        " *\n * operations of one evaluation: %.0f add, %.0f mul, %.0f div, %.0f functions\n"
        " * temporaries in use at once: %d; constants set up once: %d\n"
        " * largest residual |Phi| of the initial state: %.3g\n */\n",
        d.add, d.mul, d.div, d.func, e->temporaries, r->n_constants, e->in->residual);
}

static double *defaults(const ct_model *m, bool inputs) {
    int n = inputs ? m->n_inputs : m->n_parameters;
    double *x = ct_alloc((size_t)n + 1, sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = inputs ? ct_model_number(m, m->inputs[i].value) : m->parameters[i].number;
    return x;
}

static void model_table(emitter *e, const ct_emission *r, int n_outputs) {
    ct_text *out = &e->out;
    const ct_model *m = e->f->model;
    double *p = defaults(m, false), *u = defaults(m, true);
    string_array(out, "coordinate_names", e->f->n, coordinate_name, e);
    string_array(out, "constraint_names", e->in->m, constraint_name, e);
    string_array(out, "parameter_names", m->n_parameters, parameter_name, e);
    string_array(out, "input_names", m->n_inputs, input_name, e);
    string_array(out, "output_names", n_outputs, output_name, e);
    number_array(out, "parameters", m->n_parameters, p);
    number_array(out, "inputs", m->n_inputs, u);
    number_array(out, "q0", e->f->n, e->in->q0);
    number_array(out, "qd0", e->f->n, e->in->qd0);
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
        "    .parameters = parameters,\n    .inputs = inputs,\n    .q0 = q0,\n    .qd0 = qd0,\n"
        "    .constants = constants,\n    .position = position,\n    .velocity = velocity,\n"
        "    .acceleration = acceleration,\n    .dynamics = dynamics,\n    .outputs = "
        "outputs,\n};\n",
        e->f->n, e->in->m, m->n_inputs, m->n_parameters, r->n_constants, n_outputs);
    free(p);
    free(u);
}

static char *header(const char *name) {
    ct_text t = {0};
    char *guard = ct_format("%s_H", name);
    for (char *s = guard; *s; s++)
        if (*s >= 'a' && *s <= 'z') *s = (char)(*s - 'a' + 'A');
    ct_text_printf(&t,
                   "/* The model for the run-time kernel of ctk.h. */\n#ifndef %s\n#define "
                   "%s\n\n#include \"ctk.h\"\n\n"
                   "extern const ctk_model %s_model;\n\n#endif\n",
                   guard, guard, name);
    free(guard);
    return ct_text_take(&t);
}

int ct_emit_outputs(const ct_emit_input *in) {
    return 2 * in->f->n_secondary + in->f->model->n_outputs + in->n_dropped + 2;
}

void ct_emit(const ct_emit_input *in, ct_emission *r) {
    emitter e = {.in = in, .f = in->f, .w = ct_writer_new(in->f->pool)};
    *r = (ct_emission){0};
    name_symbols(&e);
    functions(&e, &r->dynamics, &r->position);
    ct_text constants = {0};
    r->n_constants = ct_writer_constants(e.w, &constants);
    r->temporaries = e.temporaries;
    int n_outputs = ct_emit_outputs(in);
    map(&e, r, n_outputs);
    ct_text_printf(&e.out, "#include \"%s.h\"\n\n#include <math.h>\n\n", in->name);
    ct_text_add(&e.body,
                "static void constants(const double *restrict p, double *restrict c)\n{\n");
    ct_text_add(&e.body, constants.s ? constants.s : "");
    ct_text_add(&e.body, "    (void)p;\n    (void)c;\n}\n\n");
    tables(&e, &e.out);
    ct_text_add(&e.out, e.body.s);
    model_table(&e, r, n_outputs);
    r->source = ct_text_take(&e.out);
    r->header = header(in->name);
    ct_text_clear(&constants);
    ct_text_clear(&e.body);
    ct_writer_free(e.w);
    free(e.targets);
}

void ct_emission_clear(ct_emission *e) {
    free(e->source);
    free(e->header);
    *e = (ct_emission){0};
}

ct_operations ct_emit_count(const ct_formulation *f) {
    int *all = ct_alloc((size_t)f->m + 1, sizeof *all);
    for (int i = 0; i < f->m; i++) all[i] = i;
    ct_emit_input in = {.f = f, .m = f->m, .rows = all};
    emitter e = {.in = &in, .f = f};
    dynamics_targets(&e);
    ct_ex *roots = ct_alloc((size_t)e.n_targets + 1, sizeof *roots);
    for (int i = 0; i < e.n_targets; i++) roots[i] = e.targets[i].root;
    ct_optimise(f->pool, e.n_targets, roots);
    ct_operations c = ct_count_shared(f->pool, e.n_targets, roots);
    free(roots);
    free(e.targets);
    free(all);
    return c;
}
