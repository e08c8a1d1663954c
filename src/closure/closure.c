// Names and memory of a closure.
#include "closure/closure.h"

#include <stdlib.h>

const char *ct_step_method_name(ct_step_method method) {
    static const char *const names[] = {"given",   "linear",     "quadratic", "cubic",
                                        "quartic", "polynomial", "newton"};
    return names[method];
}

void ct_closure_free(ct_closure *c) {
    if (c) ct_region_free(&c->region);
}
