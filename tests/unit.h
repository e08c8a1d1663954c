// What every test program starts with: cmocka and the headers it wants before it, and an object
// that each test gets anew.
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// An object with `setup` and `teardown` for it: FIXTURE(ct_pool, pool, ct_pool_new, ct_pool_free)
#define FIXTURE(type, name, make, release)                                                         \
    static type *name;                                                                             \
    static int setup(void **state) {                                                               \
        (void)state;                                                                               \
        name = make();                                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    static int teardown(void **state) {                                                            \
        (void)state;                                                                               \
        release(name);                                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    static type *name /* ends with a semicolon where it is used */

#endif
