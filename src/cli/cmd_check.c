// cotree check: counts, freedoms, redundant constraints, the residual of the assembled start.
#include "cli.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

static void write_inputs(ct_json *j, const ct_check_info *info) {
    ct_json_array(j, "inputs");
    for (int i = 0; i < info->n_inputs; i++) {
        ct_json_object(j, NULL);
        ct_json_string(j, "name", info->inputs[i].name);
        ct_json_number(j, "value", info->inputs[i].value);
        ct_json_boolean(j, "drives", info->inputs[i].drives);
        ct_json_end(j);
    }
    ct_json_end(j);
}

static void write_json(const ct_check_info *info) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_string(&j, "name", info->name);
    ct_json_number(&j, "bodies", info->bodies);
    ct_json_number(&j, "joints", info->joints);
    ct_json_number(&j, "coordinates", info->coordinates);
    ct_json_number(&j, "constraints", info->constraints);
    ct_json_number(&j, "dof", info->dof);
    ct_json_number(&j, "dof_after_motions", info->dof_after_motions);
    ct_json_number(&j, "redundant", info->redundant);
    ct_json_strings(&j, "redundant_joints", info->n_redundant_joints, info->redundant_joints);
    ct_json_boolean(&j, "planar", info->planar);
    ct_json_number(&j, "loops", info->loops);
    ct_json_number(&j, "residual", info->residual);
    write_inputs(&j, info);
    ct_json_end(&j);
}

// "inputs: steer = 0, brake = 1"
static void list_inputs(FILE *file, const ct_check_info *info) {
    for (int i = 0; i < info->n_inputs; i++)
        fprintf(file, "%s%s = %g%s%s", i ? ", " : "  inputs: ", info->inputs[i].name,
                info->inputs[i].value, info->inputs[i].drives ? " (moves bodies)" : "",
                i + 1 < info->n_inputs ? "" : "\n");
}

static void write_text(FILE *file, const ct_check_info *info) {
    fprintf(file, "%s\n  ", info->name && *info->name ? info->name : "(no name)");
    report_count(file, info->bodies, "body", "bodies");
    fputs(", ", file);
    report_count(file, info->joints, "joint", "joints");
    fputs(", ", file);
    report_count(file, info->loops, "loop", "loops");
    fputs(info->planar ? ", planar\n  " : ", spatial\n  ", file);
    report_count(file, info->coordinates, "coordinate", "coordinates");
    fputs(", ", file);
    report_count(file, info->constraints, "constraint", "constraints");
    fputs("\n  ", file);
    report_count(file, info->dof, "degree of freedom", "degrees of freedom");
    if (info->dof_after_motions != info->dof)
        fprintf(file, ", %d after the motions", info->dof_after_motions);
    fputs("\n  ", file);
    report_count(file, info->redundant, "redundant constraint", "redundant constraints");
    fputc('\n', file);
    if (info->redundant)
        report_names(file, "redundant at", info->n_redundant_joints, info->redundant_joints);
    fprintf(file, "  assembled, largest residual %.2g\n", info->residual);
    list_inputs(file, info);
}

static void write_next(const arguments *a, const ct_check_info *info) {
    if (info->loops) report_next(a, "cotree close %F    (how the loops are closed)");
    if (info->dof_after_motions > 0)
        report_next(a, "cotree simulate %F -o %S.csv");
    else if (info->dof > 0)
        report_next(a, "cotree kinematics %F -o %S.csv");
}

int command_check(const arguments *a) {
    session s;
    output o;
    ct_check_info info;
    // the target before any work
    int code = output_check(a->output, a->file);
    if (code) return code;
    // model and its positions, then the command itself
    ct_status status = session_open_positions(&s, a);
    if (status == CT_OK) {
        progress_begin(s.ctx, a, true);
        status = ct_check(s.ctx, s.system, &info);
        progress_end(s.ctx);
    }
    // text to the target, JSON to stdout
    if (status == CT_OK && (a->output || !a->json)) {
        code = output_open(&o, a->output);
        if (!code) {
            write_text(o.file, &info);
            code = output_commit(&o);
        }
    }
    if (status == CT_OK && !code && a->json) write_json(&info);
    // last lines on stderr: time, and what to do next
    if (status == CT_OK && !code) {
        report_time(a, "checked", session_seconds(&s));
        write_next(a, &info);
    }
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
