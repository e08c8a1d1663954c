// cotree report: one HTML file that holds everything about a model.
#include "output/browser.h"
#include "../util/text/json.h"
#include "output/output.h"
#include "output/progress.h"
#include "run.h"

#include <string.h>

static ct_status compute(session *s, const arguments *a, char **html, ct_report_info *info) {
    ct_run_options options;
    run_options_from(&options, a);
    options.stop = progress_begin(s->ctx, a, true);
    ct_status status = ct_report_page(s->ctx, s->system, &options, a->bench, html, info);
    progress_end(s->ctx);
    if (status == CT_INTERRUPTED) progress_say_stopped();
    return status;
}

static void write_json(const arguments *a, const ct_report_info *info) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_string(&j, "file", a->output);
    ct_json_number(&j, "bytes", (double)info->bytes);
    ct_json_number(&j, "seconds", info->seconds);
    ct_json_strings(&j, "sections", info->n_sections, info->sections);
    ct_json_end(&j);
}

static int write_page(const session *s, const arguments *a, const char *html,
                      const ct_report_info *info) {
    output o;
    const char *path = strcmp(a->output, "-") ? a->output : NULL;
    int code = output_open(&o, path);
    if (code) return code;
    fwrite(html, 1, info->bytes, o.file);
    code = output_commit(&o);
    if (code) return code;
    if (a->json)
        write_json(a, info);
    else if (path && !a->quiet)
        fprintf(stderr, "%s: %s, %.2g MB, in %.2g s; open it in a browser\n",
                ct_model_name(s->model), path, (double)info->bytes / 1e6, info->seconds);
    if (a->open && path) browser_open(path);
    return 0;
}

int command_report(const arguments *a) {
    session s;
    char *html = NULL;
    ct_report_info info;
    if (!a->output) return usage_error("where to? cotree report %s -o report.html", a->file);
    if (a->json && !strcmp(a->output, "-"))
        return usage_error("the page and the JSON cannot both go to stdout");
    int code = output_check(a->output, a->file);
    if (code) return code;
    ct_status status = session_open(&s, a);
    if (status == CT_OK) status = compute(&s, a, &html, &info);
    if (status == CT_OK) {
        session_messages(&s);
        code = write_page(&s, a, html, &info);
    }
    ct_string_free(html);
    int closing = session_close(&s, status);
    return closing ? closing : code;
}
