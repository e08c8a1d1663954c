// A report: all parts are computed first, each with messages of its own, so that the page can tell
// of a failure; then the sections are written one after the other.
#include "report/report.h"

#include "emit/emit.h"
#include "view/web_files.h"

#include <stdlib.h>
#include <string.h>

// Operations of all equations from which on compiling every approach takes minutes.
static const double LARGE = 15000;

// In the order of the page: name of the element and of the function, entry of the contents.
#define SECTIONS(X)                                                                                \
    X(model, "Model")                                                                              \
    X(graph, "Graph")                                                                              \
    X(coordinates, "Coordinates")                                                                  \
    X(closure, "Flow")                                                                             \
    X(equations, "Equations")                                                                      \
    X(operations, "Operations")                                                                    \
    X(approaches, "Approaches")                                                                    \
    X(run, "Run")                                                                                  \
    X(forces, "Forces")                                                                            \
    X(replay, "Replay")
#define ID(name, text)    #name,
#define ENTRY(name, text) {#name, text, ct_section_##name},
static const char *const ids[] = {SECTIONS(ID)};
static const struct {
    const char *id, *title;
    void (*write)(ct_report_data *r);
} sections[] = {SECTIONS(ENTRY)};

// computing ---------------------------------------------------------------------------------------
static ct_operations as_operations(ct_operation_count c) {
    return (ct_operations){c.add, c.mul, c.div, c.func};
}

static void count(ct_report_data *r, int which) {
    ct_trees_info info;
    if (ct_trees(r->ctx, r->s, &info)) return;
    r->shared[which] = as_operations(info.operations);
    r->expanded[which] = as_operations(info.expanded);
}

static void close_loops(ct_report_data *r) {
    ct_context *quiet = ct_context_quiet(NULL);
    count(r, 0);
    if (r->s->assembled->m && ct_close_describe(quiet, r->s, 0, NULL, &r->close))
        r->close_why = ct_report_messages(quiet);
    r->other_trees = r->s->closed && r->s->closed->trees;
    if (r->other_trees) count(r, 1);
}

// A run whose rows go to a view, with columns of reactions or without. *why: what a run that failed
// said, or what it warned of; NULL: nothing.
static ct_status run_once(ct_report_data *r, const char *reactions, char **why) {
    const char *const *names;
    ct_context *quiet = ct_context_quiet(NULL);
    ct_run_options options = *r->options;
    options.reactions = reactions;
    options.drives = r->driven;
    *why = NULL;
    int n = ct_run_columns(r->ctx, r->s, &options, r->driven, &names);
    if (n < 0) ct_run_out();
    ct_status status = ct_view_new(r->ctx, r->model, CT_VIEW_MOTION, n, names, &r->view);
    if (status) return status;
    options.row = ct_view_row;
    options.row_data = r->view;
    status = (r->driven ? ct_kinematics : ct_simulate)(quiet, r->s, &options, &r->sum);
    if (r->view->memory.broken) ct_run_out(); // rows are taken outside of this call
    *why = ct_report_messages(quiet);
    if (status && !*why) *why = ct_strdup("without a message");
    return status;
}

static ct_status run(ct_report_data *r) {
    char *why;
    // with reactions; without where they make the run fail, and then the page says why there are none
    ct_status status = run_once(r, "", &why);
    bool stopped = r->options->stop && *r->options->stop;
    if (status && r->view && !stopped) {
        r->forces_why = why;
        ct_view_free(r->view);
        r->view = NULL;
        status = run_once(r, NULL, &why);
        stopped = r->options->stop && *r->options->stop;
    }
    if (!r->view) return status;
    // a run that fails is told of on the page, once
    if (status && !stopped) {
        r->run_why = why;
        ct_free(r->forces_why);
        r->forces_why = NULL;
        ct_warning_at(r->ctx, (ct_place){0, 0}, "the run failed, and the report says so: %s",
                      r->run_why);
    } else {
        r->run_notes = why;
    }
    ct_view_finish(r->view);
    if (stopped) return CT_INTERRUPTED;
    // frames for the plots
    if (r->view->n_rows) {
        enum { POINTS = 1200 };
        ct_frames_choose(r->view, POINTS, &r->frames);
        ct_frames_evaluate(r->view, &r->frames);
        r->has_frames = true;
    }
    return CT_OK;
}

static ct_status compare(ct_report_data *r, bool always) {
    ct_bench_options options;
    ct_context *quiet = ct_context_quiet(NULL);
    ct_bench_options_init(&options);
    options.seconds = 1;
    options.stop = r->options->stop;
    double size = ct_operations_total(r->shared[r->other_trees]);
    ct_status status = CT_OK;
    if (!r->s->assembled->m || r->close_why) {
        if (r->close_why)
            r->bench_why = ct_strdup("Without a closure there is nothing to compare.");
    } else if (size > LARGE && !always) {
        r->bench_why =
            ct_format("Not measured: with %.0f operations in the equations, compiling all "
                      "approaches takes minutes. `cotree report --bench` and `cotree bench` "
                      "do it.",
                      size);
    } else {
        status = ct_bench(quiet, r->s, &options, &r->bench);
        if (status && status != CT_INTERRUPTED) r->bench_why = ct_report_messages(quiet);
    }
    return status == CT_INTERRUPTED ? status : CT_OK;
}

static ct_status compute(ct_report_data *r, bool bench) {
    ct_status status = ct_assemble(r->ctx, r->s);
    if (!status) status = ct_check(r->ctx, r->s, &r->check);
    if (status) return status;
    r->driven = r->check.dof_after_motions == 0 && r->check.dof > 0;
    close_loops(r);
    status = run(r);
    return status ? status : compare(r, bench);
}

// the page ----------------------------------------------------------------------------------------
static void fact(ct_text *t, double n, const char *one, const char *many) {
    ct_text_add(t, "<div><dd>");
    ct_html_count(t, n);
    ct_text_printf(t, "</dd><dt>%s</dt></div>", n == 1 ? one : many);
}

// The largest degree of a step.
static int largest_degree(const ct_close_info *info) {
    int degree = 0;
    for (int i = 0; i < info->n_steps; i++)
        if (info->steps[i].degree > degree) degree = info->steps[i].degree;
    return degree;
}

static void closing_facts(ct_text *t, const ct_close_info *info) {
    fact(t, info->n_steps, "step closes the loops", "steps close the loops");
    if (info->n_iterated)
        fact(t, info->n_iterated, "iterated unknown", "iterated unknowns");
    else
        fact(t, largest_degree(info), "largest degree", "largest degree");
    double n = info->positions.total + (info->n_independent ? info->dynamics.total : 0);
    fact(t, n, "operation a step", "operations a step");
}

static void facts(ct_text *t, const ct_report_data *r) {
    const ct_check_info *c = &r->check;
    fact(t, c->bodies, "body", "bodies");
    fact(t, c->joints, "joint", "joints");
    fact(t, c->loops, "loop", "loops");
    if (r->model->n_motions)
        fact(t, c->dof_after_motions, "freedom after motions", "freedoms after motions");
    else
        fact(t, c->dof, "freedom", "freedoms");
    if (c->redundant) fact(t, c->redundant, "redundant constraint", "redundant constraints");
    if (r->close) closing_facts(t, r->close);
    if (r->run_why) return;
    ct_text_add(t, "<div><dd>");
    ct_html_power(t, r->sum.max_residual);
    ct_text_add(t, "</dd><dt>largest |Φ| of the run</dt></div>");
}

static void summary(ct_report_data *r) {
    ct_text *t = &r->page;
    ct_text_add(t, "<header><h1 dir=\"auto\">");
    ct_html(t, r->model->name && *r->model->name ? r->model->name : "(no name)");
    ct_text_add(t, "</h1>\n<p class=\"soft\"><code>");
    const char *slash = strrchr(r->model->path, '/');
    ct_html(t, slash ? slash + 1 : r->model->path);
    ct_text_add(t, "</code>, by cotree " CT_VERSION "</p>\n<dl class=\"facts\">");
    facts(t, r);
    ct_text_add(t, "</dl>\n<nav>");
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        ct_text_printf(t, "<a href=\"#%s\">%s</a>", sections[i].id, sections[i].title);
    ct_text_add(t, "</nav></header>\n");
}

static void head(ct_report_data *r) {
    ct_text *t = &r->page;
    ct_text_printf(
        t,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src '%s' '%s'; style-src '%s' '%s'; img-src data: blob:; font-src data:; "
        "base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>",
        ct_web_file("report.js.hash"), ct_web_file("view.js.hash"), ct_web_file("report.css.hash"),
        ct_web_file("view.css.hash"));
    ct_html(t, r->model->name);
    ct_text_add(t, "</title>\n<style>");
    ct_text_add(t, ct_web_file("report.css"));
    ct_text_add(t, "</style>\n</head>\n<body>\n<main>\n");
}

static void write_page(ct_report_data *r) {
    head(r);
    summary(r);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) sections[i].write(r);
    ct_text_add(&r->page, "</main>\n<script>");
    ct_text_add(&r->page, ct_web_file("report.js"));
    ct_text_add(&r->page, "</script>\n</body>\n</html>\n");
}

static void clear(ct_report_data *r) {
    ct_close_info_free(r->close);
    ct_bench_free(r->bench);
    if (r->has_frames) ct_frames_clear(&r->frames);
    ct_view_free(r->view);
    ct_free(r->close_why);
    ct_free(r->bench_why);
    ct_free(r->run_why);
    ct_free(r->run_notes);
    ct_free(r->forces_why);
    ct_text_clear(&r->page);
}

static CT_BELOW ct_status make_page(ct_context *ctx, ct_system *s, const ct_run_options *options,
                                    bool bench, char **html, ct_report_info *info) {
    double start = ct_seconds();
    ct_report_data r = {.ctx = ctx, .s = s, .model = s->model, .options = options, .dot = "dot"};
    ct_status status = ct_view_ready(ctx); // the page would be neither styled nor typeset
    if (!status) status = compute(&r, bench);
    if (!status) write_page(&r);
    if (!status && options->stop && *options->stop) status = CT_INTERRUPTED;
    if (!status) {
        *info = (ct_report_info){
            .bytes = r.page.n, .n_sections = sizeof ids / sizeof *ids, .sections = ids};
        *html = ct_text_take(&r.page);
        info->seconds = ct_seconds() - start;
    }
    clear(&r);
    return status;
}

ct_status ct_report_page(ct_context *ctx, ct_system *s, const ct_run_options *options, bool bench,
                         char **html, ct_report_info *info) {
    CT_CALL_GIVES(ctx, &s->memory, html, ct_release, make_page(ctx, s, options, bench, html, info));
}
