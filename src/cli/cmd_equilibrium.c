// cotree equilibrium: where the mechanism rests, and how stable that is.
#include "forces.h"
#include "output/names.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

#include <math.h>
#include <string.h>

static void write_json(const ct_equilibrium_info *info) {
    ct_json j;
    const int r = info->n_independent;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    const forces_shown shown = FORCES_SHOWN(info);
    forces_coordinates(&j, &shown);
    forces_json(&j, &shown);
    ct_json_number(&j, "residual", info->residual);
    ct_json_number(&j, "redundant", info->redundant);
    ct_json_number(&j, "imbalance", info->imbalance);
    ct_json_string(&j, "stability", info->stability);
    ct_json_strings(&j, "independent", r, info->independent);
    ct_json_array(&j, "stiffness");
    for (int i = 0; i < r; i++) ct_json_vector(&j, NULL, r, info->stiffness + i * r);
    ct_json_end(&j);
    ct_json_vector(&j, "frequencies", info->n_frequencies, info->frequencies);
    ct_json_number(&j, "potential", info->potential);
    ct_json_number(&j, "iterations", info->iterations);
    ct_json_end(&j);
}

// An entry as it is printed: what is rounding beside the largest one is zero.
static double entry(const ct_equilibrium_info *info, int i) {
    const double rounding = 1e-12;
    double most = 0;
    for (int k = 0; k < info->n_independent * info->n_independent; k++)
        most = fmax(most, fabs(info->stiffness[k]));
    return fabs(info->stiffness[i]) < rounding * most ? 0 : info->stiffness[i];
}

// Stiffness as a table with a row for each independent coordinate.
static void write_stiffness(FILE *file, const ct_equilibrium_info *info) {
    enum { MOST = 8 }; // columns that fit on a line
    const int r = info->n_independent;
    int width = 0;
    for (int i = 0; i < r; i++)
        if ((int)strlen(info->independent[i]) > width) width = (int)strlen(info->independent[i]);
    fputs("  stiffness", file);
    if (r > MOST) {
        fputs(" on the diagonal:\n", file);
        for (int i = 0; i < r; i++)
            fprintf(file, "    %-*s %12.6g\n", width, info->independent[i], entry(info, i * r + i));
        return;
    }
    fputs(":\n", file);
    for (int i = 0; i < r; i++) {
        fprintf(file, "    %-*s", width, info->independent[i]);
        for (int k = 0; k < r; k++) fprintf(file, " %12.6g", entry(info, i * r + k));
        fputc('\n', file);
    }
}

static void write_text(FILE *file, const char *name, const ct_equilibrium_info *info) {
    fprintf(file, "%s\n  ", name && *name ? name : "(no name)");
    if (info->n_independent)
        fprintf(file, "at rest, %s, after ", info->stability);
    else
        fputs("at rest, held by its motions, after ", file);
    report_count(file, info->iterations, "step", "steps");
    fprintf(file, "; imbalance %.2g, largest residual %.2g\n", info->imbalance, info->residual);
    // the position, its stiffness and frequencies, then forces
    int width = 0;
    for (int i = 0; i < info->n; i++)
        if ((int)strlen(info->names[i]) > width) width = (int)strlen(info->names[i]);
    for (int i = 0; i < info->n; i++)
        fprintf(file, "    %-*s %14.9g\n", width, info->names[i], info->values[i]);
    if (info->n_independent) write_stiffness(file, info);
    if (info->n_frequencies) {
        fputs("  frequencies in Hz:", file);
        for (int i = 0; i < info->n_frequencies; i++)
            if (isnan(info->frequencies[i]))
                fprintf(file, "%s none", i ? "," : "");
            else
                fprintf(file, "%s %.6g", i ? "," : "", info->frequencies[i]);
        fputc('\n', file);
    }
    fprintf(file, "  potential energy %.9g J\n", info->potential);
    const forces_shown shown = FORCES_SHOWN(info);
    forces_text(file, &shown);
}

int command_equilibrium(const arguments *a) {
    session s;
    output o;
    ct_equilibrium_info *info = NULL;
    ct_equilibrium_options options;
    // the target before any work
    int code = output_check(a->output, a->file);
    if (code) return code;
    // model and equations, then the command itself
    ct_status status = session_open(&s, a);
    names_list names = names_split(a->held);
    ct_equilibrium_options_init(&options);
    options.time = a->at;
    options.nearest = a->nearest;
    options.n_hold = names.n;
    options.hold = names.item;
    if (status == CT_OK) {
        progress_begin(s.ctx, a, true);
        status = ct_equilibrium(s.ctx, s.system, &options, &info);
        progress_end(s.ctx);
    }
    // text to the target, JSON to stdout
    if (status == CT_OK && (a->output || !a->json)) {
        code = output_open(&o, a->output);
        if (!code) {
            write_text(o.file, ct_model_name(s.model), info);
            code = output_commit(&o);
        }
    }
    if (status == CT_OK && !code && a->json) write_json(info);
    // last lines on stderr: time, and what to do next
    if (status == CT_OK && !code) {
        report_time(a, "found", session_seconds(&s));
        if (info->n_independent) report_next(a, "cotree simulate %F --equilibrium -o %S.csv");
    }
    ct_equilibrium_free(info);
    names_clear(&names);
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
