// cotree kinematics: the motion that the prescribed motions give, without forces.
#include "run.h"

int command_kinematics(const arguments *a) {
    return run_and_report(a, ct_kinematics, RUN_KINEMATICS);
}
