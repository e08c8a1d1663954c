// The worst cycle: Euler at 1 ms, every step timed, each as the best of several runs of the same
// motion (what is left is the work, not the neighbours on the machine), the longest of them all.
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 9 };

static double microseconds(void) {
    return 1e6 * ct_seconds();
}

// The time of every step of one run; how many were done.
static int run(ct_context *ctx, ct_system *s, double seconds, int most, double *best) {
    ct_run_options o;
    ct_run_options_init(&o);
    o.method = "triangular";
    o.integrator = "euler";
    ct_runner r;
    int done = 0;
    if (ct_runner_open(&r, ctx, s, &o, false) == CT_OK) {
        r.sim.options.energy = 0; // as a controller would run it
        for (; done < most && r.sim.t < seconds; done++) {
            double start = microseconds();
            if (ctk_step(&r.sim, 1e-3)) break;
            double took = microseconds() - start;
            if (took < best[done]) best[done] = took;
        }
    }
    ct_runner_close(&r);
    return done;
}

static void measure(const char *name, double seconds) {
    ct_context *ctx = ct_context_new();
    ct_model *m = NULL;
    ct_system *s = NULL;
    char *path = ct_format("%s/%s.yaml", CT_MODELS_DIR, name);
    int most = (int)lround(seconds * 1000), n = most;
    double *best = ct_alloc((size_t)most + 1, sizeof *best), worst = 0, sum = 0;
    for (int i = 0; i < most; i++) best[i] = INFINITY;
    if (!ct_model_read(ctx, path, 0, NULL, &m) && !ct_formulate(ctx, m, NULL, &s)) {
        for (int k = 0; k < RUNS; k++) n = run(ctx, s, seconds, most, best);
        for (int i = 0; i < n; i++) {
            sum += best[i];
            worst = fmax(worst, best[i]);
        }
        printf("%-24s %6d steps   mean %7.2f us   worst %7.2f us\n", name, n, n ? sum / n : 0,
               worst);
    }
    for (int i = 0; i < ct_message_count(ctx); i++) printf("  %s\n", ct_message(ctx, i));
    ct_free(best);
    ct_free(path);
    ct_system_free(s);
    ct_model_free(m);
    ct_context_free(ctx);
}

int main(void) {
    static const struct {
        const char *name;
        double seconds;
    } models[] = {{"slider_crank", 3},    {"three_rrr_mixed", 3}, {"gough_stewart", 3},
                  {"double_wishbone", 1}, {"vehicle_14dof", 6},   {"vehicle", 6}};
    printf("Worst cycle of the triangular method, Euler, 1 ms, best of %d runs step by step\n",
           RUNS);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        measure(models[i].name, models[i].seconds);
    return 0;
}
