// Finds and prints the forces at one instant, at rest or in the driven motion.
#include "instant.h"
#include "forces.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

#include <string.h>

static void write_json(const ct_statics_info *info) {
    ct_json j;
    forces_shown shown = FORCES_SHOWN(info);
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    forces_coordinates(&j, &shown);
    forces_json(&j, &shown);
    ct_json_number(&j, "imbalance", info->imbalance);
    ct_json_number(&j, "residual", info->residual);
    ct_json_number(&j, "redundant", info->redundant);
    if (info->overactuated) ct_json_number(&j, "overactuated", info->overactuated);
    ct_json_end(&j);
}

static void write_text(FILE *file, const char *name, const ct_statics_info *info) {
    int width = 0;
    forces_shown shown = FORCES_SHOWN(info);
    fprintf(file, "%s\n  imbalance %.2g, largest residual %.2g\n",
            name && *name ? name : "(no name)", info->imbalance, info->residual);
    for (int i = 0; i < info->n; i++)
        if ((int)strlen(info->names[i]) > width) width = (int)strlen(info->names[i]);
    for (int i = 0; i < info->n; i++)
        fprintf(file, "    %-*s %14.9g\n", width, info->names[i], info->values[i]);
    forces_text(file, &shown);
}

int instant_and_report(const arguments *a, bool moving) {
    session s;
    output o;
    ct_statics_info *info = NULL;
    ct_statics_options options;
    // the target before any work
    int code = output_check(a->output, a->file);
    if (code) return code;
    // model and equations, then the forces
    ct_status status = session_open(&s, a);
    ct_statics_options_init(&options);
    options.time = a->at;
    options.moving = moving;
    if (status == CT_OK) {
        progress_begin(s.ctx, a, true);
        status = ct_statics(s.ctx, s.system, &options, &info);
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
    if (status == CT_OK && !code) report_time(a, "found", session_seconds(&s));
    ct_statics_free(info);
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
