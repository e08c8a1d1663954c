// LAPACKE allocates its own work space, and tells by its return value where there is none.
#ifndef CT_LAPACK_H
#define CT_LAPACK_H

#include "util/memory.h"

#include <lapacke.h>

static inline void ct_check_lapack(int info) {
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR) ct_run_out();
}

#endif
