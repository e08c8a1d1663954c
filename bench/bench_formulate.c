// Formulation and emission, without the C compiler: seconds, and operations of one evaluation of
// M, F, Phi, Phi_q and gamma written out in full and as emitted. Beside them what was published for
// the same mechanisms by others (Leger 2006: additions, multiplications and function calls after
// optimisation, for the best trees), and our own bars.
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct entry {
    const char *name, *rule;
    double bar;       // seconds, 0: none
    double published; // operations, 0: none
} entry;

static const entry entries[] = {
    {"four_bar", "joint", 0, 526},       {"five_bar", "joint", 0, 706},
    {"slider_crank_2", "joint", 0, 353}, {"spatial_slider_crank", "joint", 0, 710},
    {"spatial_four_bar", "joint", 0, 0}, {"three_rrr", "joint", 0.1, 2718},
    {"three_rrr", "absolute", 0, 0},     {"gough_stewart", "joint", 0.5, 25010},
    {"gough_stewart", "absolute", 0, 0}, {"serial_arm_7", "joint", 0, 0},
    {"andrews", "joint", 0, 0},          {"four_bar_chain_2", "joint", 0, 0},
};

// best of a few runs, each from the file on
static int measure(const entry *e, const char *folder, double *read, double *formulate,
                   double *emit, ct_trees_info *info) {
    char *path = ct_format("%s/%s.yaml", folder, e->name);
    int code = 0;
    *read = *formulate = *emit = 1e30;
    for (int run = 0; run < 5 && !code; run++) {
        ct_context *ctx = ct_context_new();
        ct_model *model = NULL;
        ct_system *system = NULL;
        double t0 = ct_seconds();
        code = ct_model_read(ctx, path, 0, NULL, &model);
        double t1 = ct_seconds();
        if (!code) code = ct_formulate(ctx, model, e->rule, &system);
        double t2 = ct_seconds(), t3 = t2, t4 = t2;
        if (!code) code = ct_assemble(ctx, system);
        if (!code) {
            ct_emit_input in;
            ct_emission code_text;
            char *name = ct_model_identifier(model);
            t3 = ct_seconds();
            ct_emit_input_fill(system, name, &in);
            ct_emit(&in, &code_text);
            t4 = ct_seconds();
            ct_emission_clear(&code_text);
            ct_free(name);
            ct_trees(ctx, system, info);
        }
        for (int i = 0; i < ct_message_count(ctx); i++) fprintf(stderr, "%s\n", ct_message(ctx, i));
        *read = t1 - t0 < *read ? t1 - t0 : *read;
        *formulate = t2 - t1 < *formulate ? t2 - t1 : *formulate;
        *emit = t4 - t3 < *emit ? t4 - t3 : *emit;
        ct_system_free(system);
        ct_model_free(model);
        ct_context_free(ctx);
    }
    ct_free(path);
    return code;
}

int main(void) {
    int failed = 0;
    printf("%-22s %-9s %9s %9s %9s  %-12s %10s %8s %7s %10s\n", "model", "trees", "read ms",
           "form. ms", "emit ms", "bar", "in full", "emitted", "ratio", "published");
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const entry *e = entries + i;
        double read, formulate, emit;
        ct_trees_info info;
        if (measure(e, CT_MODELS_DIR, &read, &formulate, &emit, &info)) {
            failed++;
            continue;
        }
        bool good = !e->bar || formulate + emit < e->bar;
        char bar[32] = "";
        if (e->bar) snprintf(bar, sizeof bar, "< %.0f ms %s", 1e3 * e->bar, good ? "yes" : "NO");
        printf("%-22s %-9s %9.2f %9.2f %9.2f  %-12s %10.0f %8.0f %7.1f ", e->name, e->rule,
               1e3 * read, 1e3 * formulate, 1e3 * emit, bar, info.expanded.total,
               info.operations.total, info.expanded.total / info.operations.total);
        if (e->published > 0) printf("%10.0f", e->published);
        printf("\n");
        failed += !good;
    }
    return failed != 0;
}
