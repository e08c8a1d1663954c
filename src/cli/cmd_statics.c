// cotree statics: the forces that hold a mechanism in its position.
#include "forces.h"
#include "instant.h"

int command_statics(const arguments *a) {
    return instant_and_report(a, false);
}
