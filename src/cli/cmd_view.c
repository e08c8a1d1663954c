// cotree view: one HTML file that shows a model in motion, a result, or every assembly side by
// side; or a still, an SVG file with one position.
#include "algebra/algebra.h"
#include "output/browser.h"
#include "output/memory.h"
#include "../util/text/json.h"
#include "output/output.h"
#include "output/progress.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct job {
    const arguments *a;
    session s;
    ct_view *view;
    const char *path; // NULL: stdout
    bool still;
} job;

static bool ends_with(const char *s, const char *ending) {
    size_t n = strlen(s), m = strlen(ending);
    return n >= m && !strcmp(s + n - m, ending);
}

// The file's own name with .html, in this folder; free it.
static char *default_path(const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file,
               *dot = strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *path = malloc(n + 6);
    if (!path) no_memory();
    memcpy(path, name, n);
    strcpy(path + n, ".html");
    return path;
}

// rows --------------------------------------------------------------------------------------------
// Rows of the view: the initial position alone, for which no code has to be compiled.
static ct_status start(job *j) {
    ct_initial_info at;
    ct_status status = ct_initial(j->s.ctx, j->s.system, &at);
    if (status == CT_OK)
        status =
            ct_view_new(j->s.ctx, j->s.model, CT_VIEW_CONFIGURATIONS, at.n, at.names, &j->view);
    if (status == CT_OK) ct_view_row(j->view, at.n, at.values);
    return status;
}

static ct_status simulate(job *j) {
    session *s = &j->s;
    const char *const *names;
    ct_check_info info;
    ct_run_options options;
    ct_run_summary sum;
    ct_status status = ct_formulate(s->ctx, s->model, j->a->rule, &s->system);
    if (status == CT_OK && j->still && !(j->a->time > 0)) return start(j);
    if (status == CT_OK) status = ct_check(s->ctx, s->system, &info);
    if (status) return status;
    bool driven = info.dof_after_motions == 0 && info.dof > 0;
    run_options_from(&options, j->a);
    int n = ct_run_columns(s->ctx, s->system, &options, driven, &names);
    if (n < 0 && ct_message_count(s->ctx)) return CT_USAGE;
    if (n < 0) no_memory();
    status = ct_view_new(s->ctx, s->model, CT_VIEW_MOTION, n, names, &j->view);
    if (status) return status;
    options.row = ct_view_row;
    options.row_data = j->view;
    options.stop = progress_begin(s->ctx, j->a, true);
    status = (driven ? ct_kinematics : ct_simulate)(s->ctx, s->system, &options, &sum);
    progress_end(s->ctx);
    return *options.stop ? CT_INTERRUPTED : status; // Ctrl-C ends the compiler too
}

// Rows of the view: every real assembly.
static ct_status assemble(job *j) {
    session *s = &j->s;
    const arguments *a = j->a;
    ct_configurations_options options;
    ct_configurations_result *r = NULL;
    ct_configurations_options_init(&options);
    options.stop = progress_begin(s->ctx, a, true);
    ct_status status = ct_configurations(s->ctx, a->file, a->set.n, a->set.item, &options, &r);
    progress_end(s->ctx);
    if (status == CT_OK && (r->dimension || !r->real)) {
        fprintf(stderr, "%s: error: %s\n", a->file,
                r->dimension > 0 ? "there are infinitely many configurations: give values under "
                                   "initial: until none is open"
                                 : "there is no real configuration to show");
        ct_configurations_free(r);
        return CT_WRONG_MODEL;
    }
    if (status == CT_OK)
        status = ct_view_new(s->ctx, s->model, CT_VIEW_CONFIGURATIONS, r->n_values,
                             (const char *const *)r->values, &j->view);
    for (int i = 0; status == CT_OK && i < r->count; i++)
        if (r->solutions[i].real) ct_view_row(j->view, r->n_values, r->solutions[i].re);
    ct_configurations_free(r);
    return status;
}

// Rows of the view: one branch of assemblies along the range of a coordinate.
static ct_status follow(job *j) {
    session *s = &j->s;
    ct_branches_result *r = NULL;
    int branch = j->a->branch >= 0 ? (int)j->a->branch : 0;
    ct_status status = branches_find(s, j->a, &r);
    if (status) return status;
    if (!r->n) {
        fprintf(stderr, "%s: error: there is no real assembly along %s\n", j->a->file, j->a->over);
        ct_branches_free(r);
        return CT_WRONG_MODEL;
    }
    // columns: the time and all coordinates
    int n = r->n_values + 1;
    const char **names = calloc((size_t)n, sizeof *names);
    double *row = calloc((size_t)n, sizeof *row);
    if (!names || !row) no_memory();
    names[0] = "t";
    for (int k = 0; k < r->n_values; k++) names[k + 1] = r->values[k];
    // its samples
    status = ct_view_new(s->ctx, s->model, CT_VIEW_MOTION, n, names, &j->view);
    for (int i = 0; !status && i < r->branches[branch].n; i++) {
        branch_row(r, branch, i, row);
        ct_view_row(j->view, n, row);
    }
    free(row);
    free(names);
    ct_branches_free(r);
    return status;
}

// the command -------------------------------------------------------------------------------------
static void report(const job *j, const ct_view_info *info) {
    const arguments *a = j->a;
    if (a->json) {
        ct_json out;
        ct_json_file(&out, stdout);
        ct_json_object(&out, NULL);
        ct_json_string(&out, "file", j->path);
        ct_json_number(&out, "bytes", (double)info->bytes);
        ct_json_number(&out, "frames", info->frames);
        ct_json_number(&out, "bodies", info->bodies);
        ct_json_number(&out, "seconds", info->seconds);
        ct_json_end(&out);
    } else if (!a->quiet && j->path && j->still) {
        fprintf(stderr, "%s: %s, a still\n", ct_model_name(j->s.model), j->path);
    } else if (!a->quiet && j->path) {
        fprintf(stderr, "%s: %s with %d frames, %.2g MB; open it in a browser\n",
                ct_model_name(j->s.model), j->path, info->frames, (double)info->bytes / 1e6);
    }
}

static int write_page(job *j) {
    char *html = NULL;
    output o;
    ct_view_info info;
    double time = j->a->time >= 0 ? j->a->time : 0;
    ct_status status = j->still ? ct_view_still(j->s.ctx, j->view, time, &html, &info)
                                : ct_view_page(j->s.ctx, j->view, &html, &info);
    if (status) return exit_code(status);
    int code = output_open(&o, j->path);
    if (!code) {
        fwrite(html, 1, info.bytes, o.file);
        code = output_commit(&o);
    }
    ct_string_free(html);
    if (!code) report(j, &info);
    if (!code && j->a->open && j->path) browser_open(j->path);
    return code;
}

static ct_status fill(job *j, bool result) {
    session *s = &j->s;
    const arguments *a = j->a;
    ct_status status = j->still ? CT_OK : ct_view_ready(s->ctx);
    if (!status) status = session_read(s, result ? a->model : a->file, a);
    if (status) return status;
    if (result) return ct_view_read_csv(s->ctx, s->model, a->file, &j->view);
    return a->over ? follow(j) : a->all ? assemble(j) : simulate(j);
}

static int run(job *j, bool result) {
    j->s = (session){.ctx = ct_context_new()};
    if (!j->s.ctx) return CT_INTERNAL;
    ct_status status = fill(j, result);
    bool said = status == CT_WRONG_MODEL && ct_message_count(j->s.ctx) == 0;
    int code = 0;
    if (status == CT_INTERRUPTED) {
        ct_messages_clear(j->s.ctx);
        progress_say_stopped();
    } else if (status == CT_OK) {
        session_messages(&j->s);
        code = write_page(j);
    }
    ct_view_free(j->view);
    int closing = session_close(&j->s, said || code ? CT_OK : status);
    return said ? CT_WRONG_MODEL : closing ? closing : code;
}

// What cannot be shown together: a message and its exit code, or 0.
static int check_usage(const arguments *a, bool result, bool still) {
    // results and their models
    if (result && !a->model)
        return usage_error("a result needs its model: cotree view %s --model MODEL.yaml", a->file);
    if (!result && a->model)
        return usage_error("--model goes with a result: cotree view RESULT.csv --model MODEL.yaml");
    if (result && a->all) return usage_error("--configurations needs a model, not a result");
    // assemblies along a range
    if (a->over && (result || a->all))
        return usage_error("--over needs a model, without %s",
                           result ? "a result" : "--configurations");
    if (a->branch >= 0 && !a->over)
        return usage_error("--branch is one of --over NAME=FROM..TO: give both");
    if (still && a->all)
        return usage_error("a still shows one position: leave --configurations or .svg out");
    // forces of a run
    if (a->reactions && result)
        return usage_error("a result has its reactions in its columns: write it with --reactions");
    if (a->reactions && (a->all || a->over || still))
        return usage_error("--reactions shows forces along a run: leave %s out",
                           a->all    ? "--configurations"
                           : a->over ? "--over"
                                     : ".svg");
    return 0;
}

int command_view(const arguments *a) {
    bool result = ends_with(a->file, ".csv") || ends_with(a->file, ".CSV");
    bool still = a->output && (ends_with(a->output, ".svg") || ends_with(a->output, ".SVG"));
    int code = check_usage(a, result, still);
    if (code) return code;
    bool to_stdout = a->output && !strcmp(a->output, "-");
    if (to_stdout && a->json) return usage_error("the page and the JSON cannot both go to stdout");
    char *path = a->output ? NULL : default_path(a->file);
    job j = {.a = a, .path = to_stdout ? NULL : a->output ? a->output : path, .still = still};
    code = output_check(j.path, result ? a->model : a->file);
    if (!code && result) code = output_check(j.path, a->file);
    if (!code) code = run(&j, result);
    free(path);
    return code;
}
