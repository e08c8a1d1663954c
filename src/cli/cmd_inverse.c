// cotree inverse: efforts and reactions of a driven motion, along it or at one time.
#include "instant.h"
#include "run.h"

int command_inverse(const arguments *a) {
    if (a->at >= 0) return instant_and_report(a, true);
    return run_and_report(a, ct_inverse_dynamics, RUN_INVERSE);
}
