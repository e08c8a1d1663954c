// Measurements beside Singular: both sides in CPU seconds, the mean of as many runs as fill a fifth
// of a second, so that neither a loaded machine nor the first run counts.
#ifndef BENCH_BESIDE_SINGULAR_H
#define BENCH_BESIDE_SINGULAR_H

#ifndef CT_SOURCE_DIR
#define CT_SOURCE_DIR CT_MODELS_DIR "/.."
#endif
#include "../tests/algebra/singular.h"
#include "../tests/algebra/systems.h"

#include <time.h>

enum { PATIENCE = 60 };     // seconds for Singular
#define LONG_ENOUGH_CPU 0.2 // seconds

static inline double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// CPU seconds of `work` on the ideal i by Singular's own clock; negative: not there, or not done.
static inline double beside_singular(const ct_ring *ring, const ct_polys *in, const char *opening,
                                     const char *work) {
    char *again = ct_format("int runs;\nint begin=timer;\nwhile(timer-begin<%d){%s\nruns++;}\n"
                            "print((timer-begin) div runs);",
                            (int)(1e6 * LONG_ENOUGH_CPU), work);
    double seconds = singular_seconds(ring, in, opening, again, PATIENCE);
    ct_free(again);
    return seconds;
}

// The same for two of ours.
static inline void print_ratios(double one, double two, double other) {
    if (other >= 0)
        printf(" %9.5f %8.1f %8.1f\n", other, other / one, other / two);
    else
        printf(have_singular() ? "   > %d s\n" : "         -\n", PATIENCE);
    fflush(stdout);
}

static inline void print_ratio(double ours, double other) {
    if (other >= 0)
        printf(" %9.5f %8.1f\n", other, other / ours);
    else if (have_singular())
        printf("   > %d s\n", PATIENCE);
    else
        printf(" %9s\n", "-");
    fflush(stdout);
}

#endif
