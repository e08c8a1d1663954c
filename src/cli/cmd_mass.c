// cotree mass: mass properties of the initial position.
#include "cli.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

#include <string.h>

static void write_json(const ct_mass_info *info) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_number(&j, "mass", info->mass);
    ct_json_vector(&j, "com", 3, info->com);
    ct_json_vector(&j, "inertia", 6, info->inertia);
    ct_json_number(&j, "kinetic", info->kinetic);
    ct_json_number(&j, "potential", info->potential);
    ct_json_vector(&j, "momentum", 3, info->momentum);
    ct_json_vector(&j, "angular_momentum", 3, info->angular_momentum);
    ct_json_object(&j, "bodies");
    for (int i = 0; i < info->n_bodies; i++) {
        const ct_mass_body *b = info->bodies + i;
        ct_json_object(&j, b->name);
        ct_json_number(&j, "mass", b->mass);
        ct_json_vector(&j, "com", 3, b->com);
        ct_json_vector(&j, "inertia", 6, b->inertia);
        ct_json_end(&j);
    }
    ct_json_end(&j);
    ct_json_end(&j);
}

static void write_vector(FILE *file, const char *title, int n, const double *x, const char *unit) {
    fprintf(file, "  %-22s", title);
    for (int i = 0; i < n; i++) fprintf(file, " %12.6g", x[i]);
    fprintf(file, "  %s\n", unit);
}

static void write_text(FILE *file, const char *name, const ct_mass_info *info) {
    fprintf(file, "%s\n", name && *name ? name : "(no name)");
    write_vector(file, "mass", 1, &info->mass, "kg");
    write_vector(file, "centre of mass", 3, info->com, "m");
    write_vector(file, "Ixx Iyy Izz about it", 3, info->inertia, "kg m2");
    write_vector(file, "Ixy Ixz Iyz", 3, info->inertia + 3, "kg m2");
    write_vector(file, "kinetic energy", 1, &info->kinetic, "J");
    write_vector(file, "potential energy", 1, &info->potential, "J");
    write_vector(file, "momentum", 3, info->momentum, "kg m/s");
    write_vector(file, "angular momentum", 3, info->angular_momentum, "kg m2/s, about the origin");
    int width = 0;
    for (int i = 0; i < info->n_bodies; i++)
        if ((int)strlen(info->bodies[i].name) > width) width = (int)strlen(info->bodies[i].name);
    for (int i = 0; i < info->n_bodies; i++) {
        const ct_mass_body *b = info->bodies + i;
        fprintf(file, "    %-*s %12.6g kg at %.6g, %.6g, %.6g\n", width, b->name, b->mass,
                b->com[0], b->com[1], b->com[2]);
    }
}

int command_mass(const arguments *a) {
    session s;
    output o;
    ct_mass_info *info = NULL;
    // the target before any work
    int code = output_check(a->output, a->file);
    if (code) return code;
    // model and equations, then the command itself
    ct_status status = session_open(&s, a);
    if (status == CT_OK) {
        progress_begin(s.ctx, a, true);
        status = ct_mass(s.ctx, s.system, &info);
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
    ct_mass_free(info);
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
