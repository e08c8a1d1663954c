// A program that runs the generated model and writes its results as CSV, and a Makefile for it.
#include "emit/emit_inside.h"

#include <stdlib.h>

static void csv_name(ct_text *out, const char *s) {
    bool plain = true;
    for (const char *c = s; *c; c++)
        plain = plain && *c != ',' && *c != '"' && *c != '\n' && *c != '\r';
    ct_text field = {0};
    ct_text_add(&field, plain ? "" : "\"");
    for (const char *c = s; *c; c++)
        ct_text_addn(&field, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    ct_text_add(&field, plain ? "" : "\"");
    ct_c_string(out, field.s);
    ct_text_clear(&field);
}

static const char preamble[] =
    "/* Runs the model and writes its results as CSV:  program [time [step]]. */\n"
    "#include \"%s.h\"\n\n"
    "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n"
    "#define MODEL %s_model\n#define TURN 6.28318530717958648\n"
    "enum { N = %d, OUTPUTS = %d, COLUMNS = %d, DOUBLES = %lu, INTS = %lu };\n\n";

static const char row_function[] =
    "/* The columns now; angles that are recomputed stay continuous, so this sees every step. */\n"
    "static void look(const ctk_sim *sim, int print)\n"
    "{\n"
    "    double y[OUTPUTS];\n"
    "    int k;\n"
    "    MODEL.outputs(sim->c, sim->t, sim->q, sim->qd, sim->u, y);\n"
    "    if (print)\n"
    "        printf(\"%.17g\", sim->t);\n"
    "    for (k = 0; k < COLUMNS; k++) {\n"
    "        int i = column[k];\n"
    "        double x = i < 0           ? y[-1 - i]\n"
    "                   : order[k] == 0 ? sim->q[i]\n"
    "                   : order[k] == 1 ? sim->qd[i]\n"
    "                                   : sim->qdd[i];\n"
    "        if (i < 0 && angle[k]) {\n"
    "            x += TURN * floor((last[k] - x) / TURN + 0.5);\n"
    "            last[k] = x;\n"
    "        }\n"
    "        if (print)\n"
    "            printf(\",%.17g\", x);\n"
    "    }\n"
    "    if (print)\n"
    "        printf(\"\\n\");\n"
    "}\n\n";

static const char run_function[] =
    "/* Argument i, or what it is without; negative where it is no finite number. */\n"
    "static double argument(int argc, char **argv, int i, double otherwise)\n"
    "{\n"
    "    char *end;\n"
    "    double x = argc > i ? strtod(argv[i], &end) : otherwise;\n"
    "    return argc > i && (end == argv[i] || *end || !(fabs(x) < HUGE_VAL)) ? -1 : x;\n"
    "}\n\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    static double doubles[DOUBLES];\n"
    "    static int ints[INTS];\n"
    "    double time = argument(argc, argv, 1, TIME), step = argument(argc, argv, 2, STEP);\n"
    "    double every = argc > 2 ? step : OUTPUT_STEP, t, next;\n"
    "    long rows = 0, k, parts;\n"
    "    ctk_sim sim;\n"
    "    ctk_options options;\n"
    "    ctk_status status;\n"
    "    if (!(time >= 0) || !(step > 0) || argc > 3) {\n"
    "        fprintf(stderr, \"usage: %s [time [step]]\\n\", argv[0]);\n"
    "        return 2;\n"
    "    }\n"
    "    ctk_options_init(&options);\n";

static const char loop[] =
    "    status = ctk_init(&sim, &MODEL, &options, NULL, NULL, 0.0, NULL, NULL, doubles, ints);\n"
    "    if (!status)\n"
    "        puts(header);\n"
    "    for (t = 0.0; !status; t = next) {\n"
    "        look(&sim, 1);\n"
    "        if (t >= time * (1 - 1e-12))\n"
    "            break;\n"
    "        next = every * (double)++rows;\n"
    "        if (next > time * (1 - 1e-12))\n"
    "            next = time;\n"
    "        parts = (long)ceil((next - t) / step - 1e-9);\n"
    "        if (parts < 1)\n"
    "            parts = 1;\n";

static const char ending[] =
    "    }\n"
    "    if (status) {\n"
    "        const char *text = ctk_status_text(status);\n"
    "        if (status == CTK_NO_SOLUTION && sim.where >= 0)\n"
    "            text = MODEL.closure->step_names[sim.where];\n"
    "        fprintf(stderr, \"stopped at t = %g: %s%s\\n\", sim.t,\n"
    "                status == CTK_NO_SOLUTION ? \"no solution: \" : \"\", text);\n"
    "        return 3;\n"
    "    }\n"
    "    fprintf(stderr, \"%s: %ld rows to t = %g, largest residual %.3g\\n\", MODEL.name, rows + "
    "1, sim.t, sim.max_residual);\n"
    "    return 0;\n"
    "}\n";

static void options(ct_text *out, const ct_main_input *m) {
    static const char *const names[] = {"alpha", "beta", "penalty", "zeta", "omega"};
    const double values[] = {m->alpha, m->beta, m->penalty, m->zeta, m->omega};
    ct_text_printf(out, "    options.method = %s;\n    options.integrator = %s;\n", m->method,
                   m->integrator);
    for (int i = 0; i < 5; i++)
        if (values[i] >= 0) ct_text_printf(out, "    options.%s = %.17g;\n", names[i], values[i]);
    if (m->n_independent) ct_text_add(out, "    options.independent = independent;\n");
    if (m->pass) ct_text_add(out, "    options.pass = 1;\n");
}

char *ct_emit_main(const ct_main_input *m) {
    ct_text out = {0};
    const char *name = m->in->name;
    int *angle = ct_alloc((size_t)m->n_columns + 1, sizeof *angle);
    for (int i = 0; i < m->n_columns; i++) angle[i] = m->is_angle[i];
    ct_text_printf(&out, preamble, name, name, m->in->f->n, ct_emit_outputs(m->in), m->n_columns,
                   (unsigned long)m->doubles, (unsigned long)m->ints);
    ct_text_printf(&out, "static const double TIME = %.17g, STEP = %.17g, OUTPUT_STEP = %.17g;\n",
                   m->time, m->step, m->output_step);
    ct_text_add(&out, "/* columns after t: index into q, qd, qdd (by order), or -1 - index into "
                      "the outputs */\n");
    ct_emit_ints(&out, "column", m->n_columns, m->column);
    ct_emit_ints(&out, "order", m->n_columns, m->order);
    ct_emit_ints(&out, "angle", m->n_columns, angle);
    ct_text_add(&out, "/* angles that are recomputed: their last value, at first the initial one "
                      "*/\nstatic double last[] = {");
    for (int i = 0; i < m->n_columns; i++)
        ct_text_printf(&out, "%s%.17g", !i ? "" : i % 6 ? ", " : ",\n    ", m->start[i]);
    ct_text_add(&out, m->n_columns ? "};\n" : "0};\n");
    if (m->n_independent) ct_emit_ints(&out, "independent", m->n_independent, m->independent);
    ct_text_add(&out, "static const char header[] = \"t\"");
    for (int i = 0; i < m->n_columns; i++) {
        ct_text_add(&out, "\n    \",");
        csv_name(&out, m->column_names[i]);
        ct_text_add(&out, "\"");
    }
    ct_text_add(&out, ";\n\n");
    ct_text_add(&out, row_function);
    ct_text_add(&out, run_function);
    options(&out, m);
    ct_text_add(&out, loop);
    const char *advance = m->kinematics
                              ? "ctk_kinematics(&sim, t + (next - t) * (double)k / (double)parts)"
                              : "ctk_step(&sim, (next - t) / (double)parts)";
    ct_text_printf(&out,
                   "        for (k = 1; k <= parts && !status; k++) {\n"
                   "            status = %s;\n"
                   "            if (!status)\n"
                   "                status = ctk_refresh(&sim);\n"
                   "            if (!status && k < parts)\n"
                   "                look(&sim, 0);\n"
                   "        }\n"
                   "        if (!status)\n"
                   "            sim.t = next;\n",
                   advance);
    ct_text_add(&out, ending);
    free(angle);
    return ct_text_take(&out);
}

char *ct_emit_makefile(const char *name) {
    return ct_format("# faster on one machine: -march=native -ffp-contract=fast\n"
                     "CFLAGS = -std=c99 -O2 -fno-math-errno -fno-trapping-math -Wall -Wextra "
                     "-pedantic\n\n"
                     "%s: main.c %s.c $(wildcard ctk*.c) %s.h $(wildcard ctk*.h)\n"
                     "\t$(CC) $(CFLAGS) -o $@ $(filter %%.c,$^) -lm\n\n"
                     "clean:\n\trm -f %s\n\n.PHONY: clean\n",
                     name, name, name, name);
}
