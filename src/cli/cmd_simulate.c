// cotree simulate: the motion from the initial state, with forces.
#include "run.h"

int command_simulate(const arguments *a) {
    return run_and_report(a, ct_simulate, RUN_SIMULATE);
}
