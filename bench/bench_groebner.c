// Seconds for reduced Gröbner bases over Q, checked, beside Singular's std in the same run (a
// separate process; skipped where it is not installed). Baseline: Singular std, degrevlex, warm.
#ifndef CT_SOURCE_DIR
#define CT_SOURCE_DIR CT_MODELS_DIR "/.."
#endif
#include "../tests/algebra/singular.h"
#include "../tests/algebra/systems.h"

static const char *const systems[] = {"eight_link", "platform", "stewart", "cyclic5",
                                      "katsura6",   "eco8",     "noon4"};

int main(int argc, char **argv) {
    ct_context *ctx = ct_context_new();
    printf("%-11s %5s %6s %6s %6s %9s %7s %7s %7s %9s %7s\n", "system", "gens", "terms", "bits",
           "primes", "seconds", "learn", "lift", "check", "Singular", "ratio");
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
        if (argc > 1 && strcmp(argv[1], systems[k])) continue;
        ct_polys in = {0}, basis = {0};
        ct_ring *ring = read_system(ctx, systems[k], CT_DEGREVLEX, &in);
        ct_groebner_stats stats;
        ct_groebner_options options = {.stats = &stats};
        ct_status status = ring ? ct_groebner(ctx, ring, &basis, &in, &options) : CT_WRONG_MODEL;
        if (status != CT_OK) {
            printf("%-11s %s\n", systems[k],
                   ct_message_count(ctx) ? ct_message(ctx, 0) : "not found");
            return 1;
        }
        double other = singular_seconds(ring, &in, "", "ideal g=std(i);", 600);
        printf("%-11s %5d %6ld %6d %6d %9.4f %7.4f %7.4f %7.4f", systems[k], basis.n,
               (long)ct_polys_terms(&basis), stats.bits, stats.primes, stats.seconds,
               stats.learn_seconds, stats.lift_seconds, stats.check_seconds);
        if (other < 0)
            printf(" %9s\n", "-");
        else
            printf(" %9.4f %7.1f\n", other, other / stats.seconds);
        ct_polys_clear(ring, &in);
        ct_polys_clear(ring, &basis);
        ct_ring_free(ring);
    }
    ct_context_free(ctx);
    return 0;
}
