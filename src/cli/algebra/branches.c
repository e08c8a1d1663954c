// cotree configurations --over: branches of assemblies as text, CSV, JSON or a picture.
#include "algebra/algebra.h"
#include "output/csv.h"
#include "output/memory.h"
#include "output/progress.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef ct_branches_result result;

// How much of the range of a branch is not proved; rounding counts as nothing.
static double unproved(const ct_branch *b) {
    double length = b->drive[b->n - 1] - b->drive[0], rest = (1 - b->proved) * length;
    return rest > 1e-12 * length ? rest : 0;
}

// JSON --------------------------------------------------------------------------------------------
static void write_branch(ct_json *j, const result *r, const ct_branch *b) {
    ct_json_object(j, NULL);
    ct_json_array(j, "samples");
    for (int i = 0; i < b->n; i++) {
        ct_json_object(j, NULL);
        ct_json_number(j, "q", b->drive[i]);
        ct_json_object(j, "values");
        for (int k = 0; k < r->n_values; k++)
            ct_json_number(j, r->values[k], b->values[i * r->n_values + k]);
        ct_json_end(j);
        ct_json_end(j);
    }
    ct_json_end(j);
    ct_json_number(j, "from", b->from < 0 ? NAN : b->from);
    ct_json_number(j, "to", b->to < 0 ? NAN : b->to);
    ct_json_number(j, "proved", b->proved);
    ct_json_number(j, "unproved", unproved(b));
    ct_json_end(j);
}

static void write_list(ct_json *j, const char *key, int n, const int *list) {
    ct_json_array(j, key);
    for (int i = 0; i < n; i++) ct_json_number(j, NULL, list[i]);
    ct_json_end(j);
}

static void write_json(const void *found) {
    const result *r = found;
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_string(&j, "name", r->name);
    ct_json_string(&j, "coordinate", r->coordinate);
    ct_json_vector(&j, "range", 2, (double[]){r->low, r->high});
    // whether all were found
    ct_json_boolean(&j, "complete", r->complete);
    if (r->complete)
        ct_json_vector(&j, "critical", r->n_critical, r->critical);
    else
        ct_json_string(&j, "incomplete", r->incomplete);
    // branches, events, groups
    ct_json_array(&j, "branches");
    for (int b = 0; b < r->n; b++) write_branch(&j, r, r->branches + b);
    ct_json_end(&j);
    ct_json_array(&j, "events");
    for (int e = 0; e < r->n_events; e++) {
        ct_json_object(&j, NULL);
        ct_json_number(&j, "q", r->events[e].at);
        ct_json_string(&j, "kind", r->events[e].kind);
        ct_json_boolean(&j, "proved", r->complete);
        write_list(&j, "branches", r->events[e].n, r->events[e].branches);
        ct_json_end(&j);
    }
    ct_json_end(&j);
    ct_json_array(&j, "reachable");
    for (int g = 0; g < r->n_groups; g++)
        write_list(&j, NULL, r->groups[g].n, r->groups[g].branches);
    ct_json_end(&j);
    ct_json_strings(&j, "notes", r->n_notes, (const char *const *)r->notes);
    ct_json_number(&j, "seconds", r->seconds);
    ct_json_end(&j);
}

// a branch in time ---------------------------------------------------------------------------------
static const double WHOLE_RANGE = 10; // seconds

void branch_row(const result *r, int branch, int sample, double *row) {
    const ct_branch *b = r->branches + branch;
    row[0] = WHOLE_RANGE * (b->drive[sample] - r->low) / (r->high - r->low);
    memcpy(row + 1, b->values + sample * r->n_values, (size_t)r->n_values * sizeof *row);
}

// CSV and text ------------------------------------------------------------------------------------
static void write_names(FILE *file, const char *first, const result *r) {
    fputs(first, file);
    for (int k = 0; k < r->n_values; k++) {
        bool quoted = strpbrk(r->values[k], ",\"") != NULL;
        fprintf(file, quoted ? ",\"%s\"" : ",%s", r->values[k]);
    }
    fputc('\n', file);
}

static void write_csv(FILE *file, const result *r) {
    write_names(file, "branch", r);
    for (int b = 0; b < r->n; b++)
        for (int i = 0; i < r->branches[b].n; i++) {
            fprintf(file, "%d", b);
            if (r->n_values) fputc(',', file);
            csv_row(file, r->n_values, r->branches[b].values + i * r->n_values);
        }
}

// One branch as a result that can be plotted and viewed.
static void write_motion(FILE *file, const result *r, int branch) {
    double *row = calloc((size_t)r->n_values + 1, sizeof *row);
    if (!row) no_memory();
    write_names(file, "t", r);
    for (int i = 0; i < r->branches[branch].n; i++) {
        branch_row(r, branch, i, row);
        csv_row(file, r->n_values + 1, row);
    }
    free(row);
}

static void write_end(FILE *file, const result *r, int event, double at) {
    if (event < 0)
        fprintf(file, "%.10g", at);
    else
        fprintf(file, "%.10g (%s %d)", at, r->events[event].kind, event);
}

// What is known where a branch is not proved by itself: next to singular positions, as a rule.
static void write_rest(FILE *file, const result *r) {
    double rest = 0;
    for (int b = 0; b < r->n; b++) rest = fmax(rest, unproved(r->branches + b));
    if (rest == 0) return;
    fputs(r->complete ? "  where a branch is not proved by itself, it meets no other one: it could "
                        "only at these positions\n"
                      : "  where a branch is not proved, it may meet another one\n",
          file);
}

static void write_text(FILE *file, const result *r) {
    fprintf(file, "%s\n  %s from %.10g to %.10g: ", r->name && *r->name ? r->name : "(no name)",
            r->coordinate, r->low, r->high);
    report_count(file, r->n, "branch", "branches");
    fputs(" of assemblies, ", file);
    report_count(file, r->n_events, "event", "events");
    fputc('\n', file);
    // branches with their ends, events with their branches
    for (int b = 0; b < r->n; b++) {
        const ct_branch *x = r->branches + b;
        fprintf(file, "  branch %d: from ", b);
        write_end(file, r, x->from, x->drive[0]);
        fputs(" to ", file);
        write_end(file, r, x->to, x->drive[x->n - 1]);
        fprintf(file, ", %d samples, ", x->n);
        if (unproved(x) > 0)
            fprintf(file, "proved but for %.1e of its range\n", unproved(x));
        else
            fputs("proved\n", file);
    }
    for (int e = 0; e < r->n_events; e++) {
        fprintf(file, "  %s %d at %s = %.12g: branches", r->events[e].kind, e, r->coordinate,
                r->events[e].at);
        for (int i = 0; i < r->events[e].n; i++)
            fprintf(file, "%s %d", i ? "," : "", r->events[e].branches[i]);
        fputc('\n', file);
    }
    for (int g = 0; g < r->n_groups; g++) {
        if (r->groups[g].n < 2) continue;
        fputs("  reachable from each other:", file);
        for (int i = 0; i < r->groups[g].n; i++)
            fprintf(file, "%s %d", i ? "," : "", r->groups[g].branches[i]);
        fputc('\n', file);
    }
    if (r->complete) {
        fputs("  complete: assemblies can appear, vanish or meet at ", file);
        report_count(file, r->n_critical, "position", "positions");
        fputs("\n", file);
    } else {
        fprintf(file, "  looked for at %d positions, not proved to be complete: %s\n",
                r->n_positions, r->incomplete);
    }
    write_rest(file, r);
    for (int i = 0; i < r->n_notes; i++) fprintf(file, "  note: %s\n", r->notes[i]);
}

// SVG ---------------------------------------------------------------------------------------------
enum { PANEL_WIDTH = 640, PANEL_HEIGHT = 240, MARGIN = 60, TOP = 34, PANELS_MAX = 8 };
static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                      "#ff7f0e", "#17becf", "#8c564b", "#e377c2"};

typedef struct panel {
    const result *r;
    int value;
    double top, low, high;
} panel;

static double across(const panel *p, double x) {
    return MARGIN + (x - p->r->low) / (p->r->high - p->r->low) * PANEL_WIDTH;
}

static double down(const panel *p, double y) {
    return p->top + TOP + (p->high - y) / (p->high - p->low) * PANEL_HEIGHT;
}

// Range of a coordinate over all branches; false if it is constant.
static bool find_range(panel *p) {
    p->low = INFINITY;
    p->high = -INFINITY;
    for (int b = 0; b < p->r->n; b++)
        for (int i = 0; i < p->r->branches[b].n; i++) {
            double y = p->r->branches[b].values[i * p->r->n_values + p->value];
            if (!isfinite(y)) continue;
            p->low = fmin(p->low, y);
            p->high = fmax(p->high, y);
        }
    double room = 0.05 * (p->high - p->low);
    bool varies = p->high - p->low > 1e-9;
    p->low -= room;
    p->high += room;
    return varies;
}

static void write_lines(FILE *file, const panel *p) {
    for (int b = 0; b < p->r->n; b++) {
        const ct_branch *x = p->r->branches + b;
        fprintf(file, "<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" points=\"",
                colours[b % 8]);
        for (int i = 0; i < x->n; i++) {
            double y = x->values[i * p->r->n_values + p->value];
            if (i && fabs(y - x->values[(i - 1) * p->r->n_values + p->value]) > 3) // a whole turn
                fprintf(file,
                        "\"/>\n<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" "
                        "points=\"",
                        colours[b % 8]);
            fprintf(file, "%.2f,%.2f ", across(p, x->drive[i]), down(p, y));
        }
        fputs("\"/>\n", file);
        // events at its ends
        for (int end = 0; end < 2; end++) {
            int event = end ? x->to : x->from, i = end ? x->n - 1 : 0;
            if (event < 0) continue;
            bool limit = !strcmp(p->r->events[event].kind, "limit");
            fprintf(file,
                    "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3.5\" fill=\"%s\" stroke=\"#000\"/>\n",
                    across(p, x->drive[i]), down(p, x->values[i * p->r->n_values + p->value]),
                    limit ? "#000" : "#fff");
        }
    }
}

static void write_escaped(FILE *file, const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c == '<' || *c == '&')
            fputs(*c == '<' ? "&lt;" : "&amp;", file);
        else
            fputc(*c, file);
    }
}

static void write_panel(FILE *file, const panel *p, const char *name) {
    double bottom = p->top + TOP + PANEL_HEIGHT;
    fprintf(
        file,
        "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n",
        MARGIN, p->top + TOP, PANEL_WIDTH, PANEL_HEIGHT);
    fprintf(file, "<text x=\"%d\" y=\"%.1f\" font-weight=\"bold\">", MARGIN, p->top + TOP - 8);
    write_escaped(file, name);
    fputs("</text>\n", file);
    // bounds of both axes
    for (int i = 0; i <= 4; i++) {
        double x = p->r->low + i * (p->r->high - p->r->low) / 4,
               y = p->low + i * (p->high - p->low) / 4;
        if (fabs(y) < 1e-3 * (p->high - p->low)) y = 0;
        fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.4g</text>\n",
                across(p, x), bottom + 16, x);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n", MARGIN - 6,
                down(p, y) + 4, y);
        fprintf(file, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#eee\"/>\n", across(p, x), p->top + TOP,
                bottom);
    }
    write_lines(file, p);
}

// A panel for each coordinate that varies, the driven one across.
static void write_svg(FILE *file, const result *r) {
    panel panels[PANELS_MAX];
    int n = 0;
    for (int k = 0; k < r->n_values && n < PANELS_MAX; k++) {
        panel p = {.r = r, .value = k, .top = n * (TOP + PANEL_HEIGHT + 26.0)};
        if (strcmp(r->values[k], r->coordinate) && find_range(&p)) panels[n++] = p;
    }
    int width = PANEL_WIDTH + MARGIN + 20, height = n * (TOP + PANEL_HEIGHT + 26) + 24;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            width, height, width, height);
    fputs("<title>assemblies over ", file);
    write_escaped(file, r->coordinate);
    fputs("</title>\n", file);
    for (int i = 0; i < n; i++) write_panel(file, panels + i, r->values[panels[i].value]);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n</svg>\n",
            MARGIN + PANEL_WIDTH / 2, height - 6, r->coordinate);
}

// the command -------------------------------------------------------------------------------------
static bool ends_with(const char *text, const char *end) {
    size_t n = text ? strlen(text) : 0, m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

// A picture or CSV to a file, text to stdout.
static void write_result(FILE *file, const arguments *a, const void *found) {
    if (!a->output)
        write_text(file, found);
    else if (ends_with(a->output, ".svg"))
        write_svg(file, found);
    else if (a->branch >= 0)
        write_motion(file, found, (int)a->branch);
    else
        write_csv(file, found);
}

static void summarise(const arguments *a, const void *found) {
    const result *r = found;
    report_time(a, "followed", r->seconds);
}

static void release(void *found) {
    ct_branches_free(found);
}

ct_status branches_find(session *s, const arguments *a, result **found) {
    ct_configurations_options options;
    ct_configurations_options_init(&options);
    options.method = a->elimination;
    options.prove = a->prove;
    if (a->branch >= 0) options.branch = (int)a->branch;
    if (a->limit_time > 0) options.seconds = a->limit_time;
    if (a->limit_memory > 0) options.bytes = (size_t)(a->limit_memory * 1e6);
    options.stop = progress_begin(s->ctx, a, true);
    ct_status status =
        ct_branches(s->ctx, a->file, a->set.n, a->set.item, a->over, &options, found);
    progress_end(s->ctx);
    return status;
}

static ct_status compute(session *s, const arguments *a, void **found) {
    result *r = NULL;
    ct_status status = branches_find(s, a, &r);
    *found = r;
    if (status == CT_INTERRUPTED) progress_say_stopped();
    return status;
}

int command_branches(const arguments *a) {
    const algebra_task task = {compute, write_result, write_json, summarise, release};
    if (a->branch >= 0 && (!a->output || ends_with(a->output, ".svg")))
        return usage_error("--branch writes one branch as a result: it goes with -o FILE.csv");
    return algebra_run(&task, a);
}
