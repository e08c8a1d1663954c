// The closure of every model with loops: what it consists of, what it costs, how long it takes to
// find, and how it compares with the other approaches, all measured in one run. Beside them what
// was published for the same mechanisms (Uchida 2011): operations of the triangular system and of
// the projected dynamics (without the sines and cosines of the independent coordinates, which count
// here), and the time that its Groebner bases took then.
#include "cotree.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct published {
    const char *model;
    double positions, dynamics, seconds; // 0: not published
} published;

static const published figures[] = {
    {"slider_crank", 18, 132, 0},           {"spatial_four_bar", 24, 0, 0},
    {"spatial_four_bar_twisted", 42, 0, 0}, {"three_rrr", 1053, 2121, 687},
    {"three_rrr_mixed", 579, 910, 4.3},     {"gough_stewart", 0, 0, 6 * 7200},
    {"five_link", 0, 0, 5 * 2700},
};

static const char *const compared[] = {"newton-loops 1e-6", "newton 1e-6", "newton dense 1e-6",
                                       "baumgarte",         "penalty",     "augmented"};
enum { COMPARED = sizeof compared / sizeof *compared };
static const char *const titles[COMPARED] = {"loops",   "newton",   "dense", "baumgarte",
                                             "penalty", "augmented"}; // iterations to 1e-6

static published find(const char *model) {
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!strcmp(figures[i].model, model)) return figures[i];
    return (published){0};
}

static void cell(int width, const char *format, double value) {
    char text[32] = "";
    if (isfinite(value) && value > 0) snprintf(text, sizeof text, format, value);
    printf("%*s", width, text);
}

static void print_closure(const char *name, const ct_close_info *c) {
    published p = find(name);
    int degree = 0;
    for (int i = 0; i < c->n_steps; i++)
        degree = c->steps[i].degree > degree ? c->steps[i].degree : degree;
    printf("%-26s %4d %5d %6d %5d", name, c->n_independent, c->n_steps, degree, c->n_iterated);
    cell(7, "%.0f", c->positions.total);
    cell(7, "%.0f", p.positions);
    cell(8, "%.0f", c->dynamics.total);
    cell(7, "%.0f", p.dynamics);
    cell(9, "%.3f", c->seconds);
    cell(8, "%.0f", p.seconds);
    printf(" %8.1e", c->residual);
}

static void print_bench(const ct_bench_result *b) {
    bool moves = b->freedoms > 0;
    const ct_bench_approach *first = b->approaches;
    cell(8, "%.3f", first->kinematic_ms_per_s);
    cell(8, "%.3f", first->dynamic_ms_per_s);
    for (int k = 0; k < COMPARED; k++)
        for (int i = 0; i < b->n; i++)
            if (!strcmp(b->approaches[i].name, compared[k]))
                cell(11, "%.2f",
                     moves ? b->approaches[i].dynamic_ratio : b->approaches[i].kinematic_ratio);
}

static int measure(const char *folder, const char *file) {
    char path[1024], name[256];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(".yaml")), file);
    ct_context *ctx = ct_context_new();
    ct_model *model = NULL;
    ct_system *system = NULL;
    ct_check_info check = {0};
    ct_close_info *closure = NULL;
    ct_bench_result *bench = NULL;
    ct_bench_options options;
    ct_bench_options_init(&options);
    ct_status status = ct_model_read(ctx, path, 0, NULL, &model);
    if (!status) status = ct_formulate(ctx, model, NULL, &system);
    if (!status) status = ct_check(ctx, system, &check);
    if (!status && check.loops > 0) {
        status = ct_close_describe(ctx, system, 0, NULL, &closure);
        if (!status) print_closure(name, closure);
        fflush(stdout);
        if (!status) status = ct_bench(ctx, system, &options, &bench);
        if (!status) print_bench(bench);
        if (closure) printf("\n");
    }
    fflush(stdout);
    for (int i = 0; i < ct_message_count(ctx); i++) fprintf(stderr, "%s\n", ct_message(ctx, i));
    ct_bench_free(bench);
    ct_close_info_free(closure);
    ct_system_free(system);
    ct_model_free(model);
    ct_context_free(ctx);
    return status;
}

static int is_model(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".yaml");
}

static void print_head(void) {
    printf("%-26s %4s %5s %6s %5s%7s%7s%8s%7s%9s%8s %8s%8s%8s", "", "free", "steps", "degree",
           "iter.", "pos.", "publ.", "dyn.", "publ.", "found s", "publ.", "residual", "pos.",
           "dyn.");
    for (int k = 0; k < COMPARED; k++) printf("%11s", titles[k]);
    printf("\n%-26s %4s %5s %6s %5s%29s%17s %8s%16s   ratio to triangular (dynamics; positions "
           "where driven)\n",
           "model", "", "", "", "", "operations", "", "", "ms per s");
}

int main(void) {
    struct dirent **entries;
    int n = scandir(CT_MODELS_DIR, &entries, is_model, alphasort), failed = 0;
    if (n < 0) return 1;
    print_head();
    for (int i = 0; i < n; i++) {
        failed += measure(CT_MODELS_DIR, entries[i]->d_name) != 0;
        free(entries[i]); // scandir's
    }
    free(entries);
    return failed != 0;
}
