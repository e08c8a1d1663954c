// Seconds for the full solution of the three published systems (basis, eliminant, certified roots,
// all unknowns, residuals), beside Singular's solve in the same run (a separate process, at most a
// minute; its roots are not certified). Bars: 1 s for the general mechanism, 0.1 s for the others,
// 300 MB.
#ifndef CT_SOURCE_DIR
#define CT_SOURCE_DIR CT_MODELS_DIR "/.."
#endif
#include "../tests/algebra/singular.h"
#include "../tests/algebra/systems.h"

#include "algebra/solve/solve.h"

#include <sys/resource.h>

enum { PATIENCE = 60 };

static const struct {
    const char *name;
    double bar;
} systems[] = {{"eight_link", 0.1}, {"platform", 0.1}, {"stewart", 1}};

int main(void) {
    ct_context *ctx = ct_context_new();
    int failed = 0;
    printf("%-11s %5s %5s %9s %9s %9s %9s  %-12s %9s %7s\n", "system", "count", "real", "seconds",
           "basis", "eliminant", "roots", "bar", "Singular", "ratio");
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        ct_polys in = {0};
        ct_ring *ring = read_system(ctx, systems[k].name, CT_DEGREVLEX, &in);
        ct_solve_options options;
        ct_solve_options_init(&options);
        ct_solutions best = {0};
        for (int run = 0; ring && run < 3; run++) { // the best of three
            ct_solutions s = {0};
            if (ct_solve(ctx, ring, &in, &options, &s) != CT_OK) return 1;
            if (!run || s.total_seconds < best.total_seconds) {
                ct_solutions_clear(&best);
                best = s;
            } else {
                ct_solutions_clear(&s);
            }
        }
        bool good = best.count && best.total_seconds < systems[k].bar;
        char bar[32];
        snprintf(bar, sizeof bar, "< %g s %s", systems[k].bar, good ? "yes" : "NO");
        failed += !good;
        printf("%-11s %5d %5d %9.4f %9.4f %9.4f %9.4f  %-12s", systems[k].name, best.count,
               best.n_real, best.total_seconds, best.basis_seconds, best.eliminant_seconds,
               best.root_seconds, bar);
        fflush(stdout);
        double other = ring ? singular_seconds(ring, &in, "LIB \"solve.lib\";\n",
                                               "def R=solve(i,16,\"nodisplay\");", PATIENCE)
                            : -1;
        if (other < 0)
            printf(" %9s\n", "-");
        else
            printf(" %9.3f %7.1f\n", other, other / best.total_seconds);
        ct_solutions_clear(&best);
        ct_polys_clear(ring, &in);
        ct_ring_free(ring);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("most memory: %.0f MB\n", (double)usage.ru_maxrss / 1024);
    failed += usage.ru_maxrss > 300 * 1024;
    ct_context_free(ctx);
    return failed != 0;
}
