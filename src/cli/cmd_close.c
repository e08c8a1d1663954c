// cotree close: the solution flow of the loops, step by step.
#include "cli.h"
#include "output/names.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"

#include <string.h>

static void write_json(const ct_close_info *info) {
    ct_json j;
    ct_json_file(&j, stdout);
    // independent coordinates, then the steps in order
    ct_json_object(&j, NULL);
    ct_json_strings(&j, "independent", info->n_independent, info->independent);
    ct_json_boolean(&j, "triangular", info->triangular);
    ct_json_array(&j, "steps");
    for (int i = 0; i < info->n_steps; i++) {
        const ct_close_step *s = info->steps + i;
        ct_json_object(&j, NULL);
        ct_json_strings(&j, "unknowns", s->n_unknowns, s->unknowns);
        ct_json_number(&j, "degree", s->degree);
        ct_json_string(&j, "method", s->method);
        ct_json_string(&j, "joint", s->joint);
        ct_json_string(&j, "text", s->text);
        ct_json_number(&j, "general_degree", s->general);
        ct_json_end(&j);
    }
    ct_json_end(&j);
    // iterated unknowns, operations, and how well and fast it was found
    ct_json_number(&j, "iterated", info->n_iterated);
    ct_json_strings(&j, "iterated_unknowns", info->n_iterated, info->iterated);
    report_operations(&j, "operations", &info->operations);
    report_operations(&j, "position_operations", &info->positions);
    report_operations(&j, "dynamics_operations", &info->dynamics);
    ct_json_number(&j, "residual", info->residual);
    ct_json_number(&j, "seconds", info->seconds);
    ct_json_boolean(&j, "cached", info->cached);
    ct_json_number(&j, "recalled", info->blocks_recalled);
    ct_json_end(&j);
}

// the table ---------------------------------------------------------------------------------------
static int names_width(const ct_close_step *s) {
    int width = 0;
    for (int k = 0; k < s->n_unknowns; k++) width += (int)strlen(s->unknowns[k]) + (k ? 2 : 0);
    return width;
}

// Names on one line, as far as there is room; returns the next one.
static int write_names(FILE *file, const ct_close_step *s, int k, int width) {
    int column = 0;
    for (; k < s->n_unknowns; k++) {
        int length = (int)strlen(s->unknowns[k]) + (k + 1 < s->n_unknowns);
        if (column && column + 1 + length > width) break;
        column += fprintf(file, "%s%s%s", column ? " " : "", s->unknowns[k],
                          k + 1 < s->n_unknowns ? "," : "");
    }
    fprintf(file, "%*s", width > column ? width - column : 0, "");
    return k;
}

static void write_steps(FILE *file, const ct_close_info *info) {
    enum { WIDEST = 30 };
    int width = 8;
    for (int i = 0; i < info->n_steps; i++) {
        int w = names_width(info->steps + i);
        width = w > width ? w : width;
    }
    if (width > WIDEST) width = WIDEST;
    fprintf(file, "  step  %-*s  degree  %-10s  what it solves\n", width, "unknowns", "method");
    for (int i = 0; i < info->n_steps; i++) {
        const ct_close_step *s = info->steps + i;
        fprintf(file, "  %4d  ", i + 1);
        int k = write_names(file, s, 0, width);
        fprintf(file, "  %6d  %-10s  %s\n", s->degree, s->method, s->text ? s->text : "");
        while (k < s->n_unknowns) {
            fprintf(file, "        ");
            k = write_names(file, s, k, width);
            fputc('\n', file);
        }
    }
}

static void write_text(FILE *file, const char *name, const ct_close_info *info) {
    fprintf(file, "%s\n", name && *name ? name : "(no name)");
    report_names(file, "independent", info->n_independent, info->independent);
    if (info->n_steps) write_steps(file, info);
    fputs("  ", file);
    if (info->triangular)
        fputs("triangular: every unknown follows in closed form", file);
    else if (info->n_iterated) {
        report_count(file, info->n_iterated, "unknown is iterated", "unknowns are iterated");
        fputs(", the others follow", file);
    } else
        fputs("a root of higher degree is followed, nothing else is iterated", file);
    fprintf(file, "; largest residual %.2g\n", info->residual);
    fprintf(file, "  operations: %.0f for the positions (%.0f functions), %.0f for the dynamics\n",
            info->positions.total, info->positions.func, info->dynamics.total);
    fprintf(file, "  found in %.3g s\n", info->seconds);
}

int command_close(const arguments *a) {
    session s;
    output o;
    ct_close_info *info = NULL;
    // the target before any work
    int code = output_check(a->output, a->file);
    if (code) return code;
    // model and equations, then the command itself
    ct_status status = session_open(&s, a);
    names_list names = names_split(a->independent);
    if (status == CT_OK) {
        progress_begin(s.ctx, a, true);
        status = ct_close_describe(s.ctx, s.system, names.n, names.item, &info);
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
        report_time(a, "read, closed and checked", session_seconds(&s));
        if (info->n_steps) report_next(a, "cotree bench %F    (what this way of closing is worth)");
        if (info->n_independent) report_next(a, "cotree simulate %F -o %S.csv");
    }
    ct_close_info_free(info);
    names_clear(&names);
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
