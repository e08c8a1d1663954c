// cotree generate: the model as C99 files in a folder.
#include "cli.h"
#include "output/output.h"
#include "output/progress.h"
#include "report.h"
#include "run.h"

static void write_json(const ct_generate_info *info) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    ct_json_strings(&j, "files", info->n_files, info->files);
    report_operations(&j, "operations", &info->operations);
    ct_json_number(&j, "bytes", (double)info->bytes);
    ct_json_end(&j);
}

static void write_text(const char *folder, const ct_generate_info *info) {
    fprintf(stderr, "%s: ", folder);
    report_count(stderr, info->n_files, "file", "files");
    fprintf(stderr, ", %zu bytes, %.17g operations per evaluation\n", info->bytes,
            info->operations.total);
    report_names(stderr, "files", info->n_files, info->files);
}

int command_generate(const arguments *a) {
    session s;
    ct_run_options options;
    ct_generate_info info;
    // the folder before any work
    int code = output_check_folder(a->output);
    if (code) return code;
    // model and equations, then the files
    ct_status status = session_open(&s, a);
    run_options_from(&options, a);
    if (status == CT_OK) {
        volatile sig_atomic_t *stop = progress_begin(s.ctx, a, true);
        status =
            ct_generate(s.ctx, s.system, a->target ? a->target : "c", a->output, &options, &info);
        progress_end(s.ctx);
        // Ctrl-C that came too late to stop anything
        if (status == CT_OK && *stop) {
            fprintf(stderr, "cotree: stopped when all files were in %s\n", a->output);
            status = CT_INTERRUPTED;
        }
    }
    // what was written
    if (status == CT_OK && a->json)
        write_json(&info);
    else if (status == CT_OK && !a->quiet) {
        write_text(a->output, &info);
        fprintf(stderr, "  generated in %.3g s\n", session_seconds(&s));
        report_next(a, "make -C %O && %O/%S > %S.csv");
    }
    return session_close(&s, status);
}
