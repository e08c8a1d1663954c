// A program that runs the generated model and writes its results as CSV, and a Makefile for it.
#include "emit/emit_inside.h"
#include "emit/targets/target.h"
#include "util/text/csv.h"

#include <stdlib.h>
#include <string.h>

static void csv_name(ct_text *out, const char *name) {
    char *field = ct_scratch(2 * strlen(name) + 3, 1);
    ct_csv_quote(name, field);
    ct_c_string(out, field);
}

// Tolerances of times in the generated program, the same as those of a run.
#define END  "1e-12" // of the whole time: the end is reached but for rounding
#define PART "1e-9"  // of a step: rounding of times must not cost one more

static const char preamble[] =
    "/* Runs the model and writes its results as CSV:  program [time [step]] [parameter=value "
    "...]\n"
    " * [--reactions [NAMES]]: also what joints carry, all or those of a list with commas. */\n"
    "#include \"%s.h\"\n#include \"%s_reactions.h\"\n#include \"ctk_angles.h\"\n\n"
    "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
    "#define MODEL %s_model\n#define REACTIONS %s_reactions\n"
    "enum { N = %d, OUTPUTS = %d, COLUMNS = %d, TURNS = %d, DOUBLES = %lu, INTS = %lu, PARAMETERS "
    "= %d,\n"
    "       SEES_STEPS = %d, REACTION_COLUMNS = %d, GROUPS = %d, REACTION_DOUBLES = %lu, "
    "REACTION_INTS = %lu };\n\n";

static const char row_function[] =
    "/* The columns now; angles that are recomputed stay continuous where this sees every step. "
    "*/\n"
    "static ctk_status look(const ctk_sim *sim, int print)\n"
    "{\n"
    "    double y[OUTPUTS], row[COLUMNS + 1];\n"
    "    ctk_status status = CTK_OK;\n"
    "    int k;\n"
    "    MODEL.outputs(sim->c, sim->t, sim->q, sim->qd, sim->u, y);\n";

static const char late_row[] =
    "    MODEL.late_outputs(sim->c, sim->t, sim->q, sim->qd, sim->qdd, sim->u, NULL, y);\n";

// Reactions are found for rows that are printed.
static const char reaction_row[] =
    "    if (print)\n"
    "        status = ctk_joint_forces_find(&sim->forces, sim);\n"
    "    if (print)\n"
    "        MODEL.late_outputs(sim->c, sim->t, sim->q, sim->qd, sim->qdd, sim->u, sim->forces.y, "
    "y);\n";

static const char row_end[] =
    "    if (print && !status && n_selected)\n"
    "        status = ctk_joint_forces_find(&reactions, sim);\n"
    "    if (status)\n"
    "        return status;\n"
    "    if (print)\n"
    "        printf(\"%.17g\", sim->t);\n"
    "    for (k = 0; k < COLUMNS; k++) {\n"
    "        int i = column[k];\n"
    "        double x = i < 0           ? y[-1 - i]\n"
    "                   : order[k] == 0 ? sim->q[i]\n"
    "                   : order[k] == 1 ? sim->qd[i]\n"
    "                                   : sim->qdd[i];\n"
    "        if (i < 0 && angle[k])\n"
    "            last[k] = x = ctk_nearest_turn(x, last[k]);\n"
    "        row[k] = x;\n"
    "    }\n"
    "    for (k = 0; k < TURNS; k++)\n"
    "        ctk_angles_row(turns + k, sim->t - last[COLUMNS], row, last);\n"
    "    last[COLUMNS] = sim->t;\n"
    "    for (k = 0; print && k < COLUMNS; k++)\n"
    "        printf(\",%.17g\", row[k]);\n"
    "    for (k = 0; print && k < n_selected; k++)\n"
    "        printf(\",%.17g\", reactions.y[selected[k]] + 0.0);\n"
    "    if (print)\n"
    "        printf(\"\\n\");\n"
    "    return CTK_OK;\n"
    "}\n\n";

static const char run_function[] =
    "/* Argument i, or what it is without; negative where it is no finite number. */\n"
    "static double argument(int argc, char **argv, int i, double otherwise)\n"
    "{\n"
    "    char *end;\n"
    "    double x = argc > i ? strtod(argv[i], &end) : otherwise;\n"
    "    return argc > i && (end == argv[i] || *end || !(fabs(x) < HUGE_VAL)) ? -1 : x;\n"
    "}\n\n"
    "/* Takes `parameter=value` out of the arguments; returns how many are left, -1: one is wrong. "
    "*/\n"
    "static int read_parameters(int argc, char **argv, double *p)\n"
    "{\n"
    "    int i, k, left = 1;\n"
    "    for (k = 0; k < MODEL.n_parameters; k++)\n"
    "        p[k] = MODEL.parameters[k];\n"
    "    for (i = 1; i < argc; i++) {\n"
    "        char *value = strchr(argv[i], '='), *end;\n"
    "        if (!value) {\n"
    "            argv[left++] = argv[i];\n"
    "            continue;\n"
    "        }\n"
    "        for (k = 0; k < MODEL.n_parameters; k++)\n"
    "            if (!strncmp(argv[i], MODEL.parameter_names[k], (size_t)(value - argv[i])) &&\n"
    "                !MODEL.parameter_names[k][value - argv[i]])\n"
    "                break;\n"
    "        if (k == MODEL.n_parameters)\n"
    "            return -1;\n"
    "        p[k] = strtod(value + 1, &end);\n"
    "        if (end == value + 1 || *end || !(fabs(p[k]) < HUGE_VAL))\n"
    "            return -1;\n"
    "    }\n"
    "    return left;\n"
    "}\n\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    static double doubles[DOUBLES], parameters[PARAMETERS];\n"
    "    static int ints[INTS];\n"
    "    const int others = read_reactions(argc, argv);\n"
    "    const int left = others < 1 ? -1 : read_parameters(others, argv, parameters);\n"
    "    double time = argument(left, argv, 1, TIME), step = argument(left, argv, 2, STEP);\n"
    "    double every = left > 2 ? step : OUTPUT_STEP, t, next%s;\n"
    "    long rows = 0, k, parts;\n"
    "    ctk_sim sim;\n"
    "    ctk_options options;\n"
    "    ctk_status status;\n"
    "    if (!(time >= 0) || !(step > 0) || left < 1 || left > 3) {\n"
    "        fprintf(stderr, \"usage: %%s [time [step]] [parameter=value ...] [--reactions "
    "[NAMES]]\\n\", argv[0]);\n"
    "        return 2;\n"
    "    }\n"
    "    ctk_options_init(&options);\n";

static const char start[] =
    "    status =\n"
    "        ctk_init(&sim, &MODEL, &options, parameters, NULL, 0.0, NULL, NULL, doubles, ints);\n"
    "    if (!status) {\n"
    "        ctk_joint_forces_init(&reactions, &sim, &REACTIONS, parameters, reaction_doubles, "
    "reaction_ints);\n"
    "        fputs(header, stdout);\n"
    "        for (k = 0; k < n_selected; k++)\n"
    "            printf(\",%s\", reaction_header[selected[k]]);\n"
    "        printf(\"\\n\");\n"
    "    }\n";

// Where joints come and go: events at the ends of steps; no reactions, since joints without a load have
// none.
static const char no_reactions[] =
    "    if (n_selected) {\n"
    "        fprintf(stderr, \"joints come and go: there are no reactions\\n\");\n"
    "        return 2;\n"
    "    }\n";
static const char first_event[] =
    "    if (!status && ctk_event_is_due(&sim))\n"
    "        status = ctk_event_pass(&sim, 0, event, &events, &change);\n";
static const char event_between[] =
    "            if (!status && k < parts && ctk_event_is_due(&sim))\n"
    "                status = ctk_event_pass(&sim, 0, event, &events, &change);\n";
static const char event_at_row[] =
    "        if (!status && ctk_event_is_due(&sim))\n"
    "            status = ctk_event_pass(&sim, 0, event, &events, &change);\n";

static const char loop[] = "    for (t = 0.0; !status; t = next) {\n"
                           "        status = look(&sim, 1);\n"
                           "        if (status || t >= time * (1 - " END "))\n"
                           "            break;\n"
                           "        next = every * (double)++rows;\n"
                           "        if (next > time * (1 - " END "))\n"
                           "            next = time;\n";

static const char steps[] = "        parts = (long)ceil((next - t) / step - " PART ");\n"
                            "        if (parts < 1)\n"
                            "            parts = 1;\n"
                            "        for (k = 1; k <= parts && !status; k++) {\n"
                            "            status = ctk_step(&sim, (next - t) / (double)parts);\n"
                            "            if (!status)\n"
                            "                status = SEES_STEPS || k == parts ? "
                            "ctk_refresh(&sim) : ctk_glance(&sim);\n";

static const char between[] = "            if (!status && SEES_STEPS && k < parts)\n"
                              "                status = look(&sim, 0);\n"
                              "        }\n"
                              "        if (!status)\n"
                              "            sim.t = next;\n";

// Where motions kink: equal steps from one kink to the next, and to the row.
static const char steps_to_kinks[] =
    "        limit = next + " PART " * step;\n"
    "        for (kink = limit, t = sim.t; !status && next - t > " PART " * step; t = sim.t) {\n"
    "            kink = ctk_next_kink(&sim, limit);\n"
    "            stop = kink < next ? kink : next;\n"
    "            parts = (long)ceil((stop - t) / step - " PART ");\n"
    "            if (parts < 1)\n"
    "                parts = 1;\n"
    "            for (k = 1; k <= parts && !status; k++) {\n"
    "                status = ctk_step(&sim, (stop - t) / (double)parts);\n"
    "                if (!status)\n"
    "                    status = ctk_refresh(&sim);\n";
static const char event_between_kinks[] =
    "                if (!status && (k < parts || stop < next) && ctk_event_is_due(&sim))\n"
    "                    status = ctk_event_pass(&sim, 0, event, &events, &change);\n";
// A row at a kink shows what holds behind it.
static const char between_kinks[] = "                if (!status && (k < parts || stop < next))\n"
                                    "                    status = look(&sim, 0);\n"
                                    "            }\n"
                                    "        }\n"
                                    "        if (!status && (kink == limit || sim.t < next))\n"
                                    "            sim.t = next;\n";

static const char ending[] =
    "    }\n"
    "    if (status) {\n"
    "        const char *text = ctk_status_text(status), *name = ctk_where(&sim, status);\n"
    "        if (status == CTK_NO_SOLUTION && sim.where >= 0)\n"
    "            text = MODEL.closure->step_names[sim.where];\n"
    "        fprintf(stderr, \"stopped at t = %g: %s%s%s%s%s\\n\", sim.t,\n"
    "                status == CTK_NO_SOLUTION ? \"no solution: \" : \"\", text, *name ? \" ('\" : "
    "\"\",\n"
    "                name, *name ? \"')\" : \"\");\n"
    "        return 3;\n"
    "    }\n"
    "    if (n_selected)\n"
    "        warn(&reactions, NULL);\n"
    "    else if (MODEL.reads_reactions)\n"
    "        warn(&sim.forces, reads);\n"
    "    fprintf(stderr, \"%s: %ld rows to t = %g, largest residual %.3g\\n\", MODEL.name, rows + "
    "1, sim.t, sim.max_residual);\n"
    "    return 0;\n"
    "}\n";

#define X(enumerator, ...) [CTK_##enumerator] = "CTK_" #enumerator,
static const char *const methods[] = {CT_METHODS(X)};
static const char *const integrators[] = {CT_INTEGRATORS(X)};
#undef X

static void no_tangent(const double *c, double t, const double *q, const double *qd,
                       const double *u, double *stiffness, double *damping) {
    (void)c, (void)t, (void)q, (void)qd, (void)u, (void)stiffness, (void)damping;
}

// Memory of the kernel for a model: a record with its sizes is enough to ask the kernel.
static void memory(const ct_emit_input *in, const ct_emission *code, size_t *doubles,
                   size_t *ints) {
    const ct_closure *c = in->closure;
    ctk_closure closure = {0};
    if (c)
        closure = (ctk_closure){.n_independent = c->r,
                                .n_rotations = c->f->n_integrated,
                                .n_values = c->registers.values.n,
                                .n_signs = code->n_signs,
                                .n_tracked = code->n_tracked,
                                .n_guards = code->n_guards,
                                .n_steps = c->n_steps,
                                .n_loops = c->n_constraint_blocks};
    const ct_emit_sizes *s = &code->initial;
    const ctk_initial initial = {.n = s->n,
                                 .m = s->m,
                                 .n_bodies = s->n_bodies,
                                 .n_joints = s->n_joints,
                                 .n_guards = s->n_guards,
                                 .n_conditions = s->n_conditions};
    ctk_model shape = {.n = in->f->n,
                       .m = in->m,
                       .n_spare = in->n_dropped,
                       .n_inputs = in->f->model->n_inputs,
                       .n_parameters = ct_model_free_parameters(in->f->model),
                       .n_constants = code->n_constants,
                       .n_outputs = ct_emit_outputs(in),
                       .closure = c ? &closure : NULL,
                       .n_rotations = in->f->n_integrated,
                       .initial = code->has_initial ? &initial : NULL};
    // memory depends on whether that function is there
    shape.tangent = in->tangent ? no_tangent : NULL;
    shape.n_stiffness = code->n_stiffness;
    shape.n_damping = code->n_damping;
    shape.is_recursive = in->recursive;
    shape.n_answer = code->n_answer;
    // joints that come and go
    shape.n_switches = in->f->model->n_switched;
    shape.n_switch_guards = in->f->switched.n_guards;
    shape.n_kept = in->f->switched.n_kept;
    shape.n_kinks = in->n_kinks;
    ctk_wrenches wrenches;
    if (in->reactions) {
        ct_emit_wrench_shape(in, &wrenches);
        shape.wrenches = &wrenches;
        shape.reads_reactions = ct_emits_reaction_outputs(in);
    }
    *doubles = ctk_doubles(&shape) + 1;
    *ints = ctk_ints(&shape) + 1;
}

static void options(ct_text *out, const ct_target_input *in) {
    static const char *const names[] = {"alpha", "beta", "penalty", "zeta", "omega"};
    const ctk_implicit_options *o = &in->implicit;
    const ct_stabilisation *s = &in->stabilisation;
    const double values[] = {s->alpha, s->beta, s->penalty, s->zeta, s->omega};
    ct_text_printf(out, "    options.method = %s;\n    options.integrator = %s;\n",
                   methods[in->method], integrators[in->integrator]);
    for (int i = 0; i < 5; i++)
        if (values[i] >= 0) ct_text_printf(out, "    options.%s = %.17g;\n", names[i], values[i]);
    if (in->model->tangent)
        ct_text_printf(out,
                       "    options.implicit.penalty = %.17g;\n"
                       "    options.implicit.iterations = %d;\n    options.implicit.fixed = %d;\n"
                       "    options.implicit.tolerance = %.17g;\n"
                       "    options.implicit.rho = %.17g;\n    options.implicit.hht = %.17g;\n",
                       o->penalty, o->iterations, o->fixed, o->tolerance, o->rho, o->hht);
    if (in->n_independent) ct_text_add(out, "    options.independent = independent;\n");
    if (in->cross_limits) ct_text_add(out, "    options.cross_limits = 1;\n");
}

// Tables of the result columns: source, order of derivative, and angles that are kept continuous.
static void column_tables(ct_text *out, const ct_columns *c) {
    int *angle = ct_scratch((size_t)c->n + 1, sizeof *angle);
    for (int i = 0; i < c->n; i++) angle[i] = c->is_angle[i];
    ct_text_add(out, "/* columns after t: index into q, qd, qdd (by order), or -1 - index into "
                     "the outputs */\n");
    ct_emit_ints(out, "column", c->n, c->source);
    ct_emit_ints(out, "order", c->n, c->order);
    ct_emit_ints(out, "angle", c->n, angle);
    ct_text_add(out, "/* angles that are recomputed: their last value, at first the initial one; "
                     "then the time */\nstatic double last[] = {");
    for (int i = 0; i < c->n; i++)
        ct_text_printf(out, "%s%.17g", !i ? "" : i % 6 ? ", " : ",\n    ", c->start[i]);
    ct_text_add(out, c->n ? ", 0.0};\n" : "0.0};\n");
    ct_text_add(out, "/* three angles of a joint, which continue together: see ctk_angles.h */\n"
                     "static const ctk_angles turns[] = {");
    for (int i = 0; i < c->n_turns; i++) {
        const ctk_angles *k = c->turns + i;
        ct_text_printf(out, "%s{{%d, %d, %d}, %d, %d}", i ? ", " : "", k->first[0], k->first[1],
                       k->first[2], k->proper, k->sign);
    }
    ct_text_add(out, c->n_turns ? "};\n" : "{{-1, -1, -1}, 0, 1}};\n");
}

// The first line of the CSV.
static void column_names(ct_text *out, const ct_columns *c) {
    ct_text_add(out, "static const char header[] = \"t\"");
    for (int i = 0; i < c->n; i++) {
        ct_text_add(out, "\n    \",");
        csv_name(out, c->names[i]);
        ct_text_add(out, "\"");
    }
    ct_text_add(out, ";\n\n");
}

// Returns true if something must see steps between rows: angles that columns compute anew, and joints
// that come and go.
static bool sees_steps(const ct_target_input *in) {
    const ct_columns *c = in->columns;
    bool sees = c->n_turns > 0 || in->model->f->model->n_switched > 0;
    for (int i = 0; i < c->n; i++) sees = sees || (c->source[i] < 0 && c->is_angle[i]);
    return sees;
}

char *ct_emit_main(const ct_target_input *in, const ct_emission *code, const ct_reaction_code *r) {
    ct_text out = {0};
    const char *name = in->model->name;
    size_t doubles, ints;
    const bool reads = ct_emits_reaction_outputs(in->model);
    // sizes and times
    memory(in->model, code, &doubles, &ints);
    if (reads) doubles += r->doubles, ints += r->ints;
    ct_text_printf(&out, preamble, name, name, name, name, in->model->f->n,
                   ct_emit_outputs(in->model), in->columns->n, in->columns->n_turns,
                   (unsigned long)doubles, (unsigned long)ints,
                   ct_model_free_parameters(in->model->f->model) + 1, sees_steps(in), r->n_columns,
                   r->n_groups, (unsigned long)r->doubles, (unsigned long)r->ints);
    ct_text_printf(&out, "static const double TIME = %.17g, STEP = %.17g, OUTPUT_STEP = %.17g;\n",
                   in->time, in->step, in->output_step);
    // columns, those of reactions too
    column_tables(&out, in->columns);
    if (in->n_independent) ct_emit_ints(&out, "independent", in->n_independent, in->independent);
    column_names(&out, in->columns);
    ct_emit_reaction_option(&out, in->model, r);
    if (in->model->f->model->n_switched)
        ct_text_printf(&out,
                       "/* joints that have come or gone, and what the impulse did to the kinetic "
                       "energy */\nstatic ctk_event event[%d];\nstatic int events;\nstatic double "
                       "change;\n\n",
                       in->model->f->model->n_switched);
    // a row, then the run
    ct_text_add(&out, row_function);
    if (ct_emits_late_outputs(in->model)) ct_text_add(&out, reads ? reaction_row : late_row);
    ct_text_add(&out, row_end);
    ct_text_printf(&out, run_function, in->model->n_kinks ? ", stop, kink, limit" : "");
    options(&out, in);
    const bool switched = in->model->f->model->n_switched > 0, kinks = in->model->n_kinks > 0;
    if (switched) ct_text_add(&out, no_reactions);
    ct_text_add(&out, start);
    if (switched) ct_text_add(&out, first_event);
    ct_text_add(&out, loop);
    ct_text_add(&out, kinks ? steps_to_kinks : steps);
    if (switched) ct_text_add(&out, kinks ? event_between_kinks : event_between);
    ct_text_add(&out, kinks ? between_kinks : between);
    if (switched) ct_text_add(&out, event_at_row);
    ct_text_add(&out, ending);
    return ct_text_take(&out);
}

char *ct_emit_makefile(const char *name) {
    return ct_format("# faster on one machine: -march=native -ffp-contract=fast\n"
                     "CFLAGS = -std=c99 -O2 -fno-math-errno -fno-trapping-math -Wall -Wextra "
                     "-pedantic\n\n"
                     "%s: main.c %s.c %s_reactions.c $(wildcard ctk*.c) %s.h %s_reactions.h "
                     "$(wildcard ctk*.h)\n"
                     "\t$(CC) $(CFLAGS) -o $@ $(filter %%.c,$^) -lm\n\n"
                     "clean:\n\trm -f %s\n\n.PHONY: clean\n",
                     name, name, name, name, name, name);
}
