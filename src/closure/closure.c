// Names of the methods of steps.
#include "closure/closure.h"

#include <stdlib.h>

const char *ct_step_method_name(ct_step_method method) {
    static const char *const names[] = {"given",   "linear",     "quadratic", "cubic",
                                        "quartic", "polynomial", "newton"};
    return names[method];
}
