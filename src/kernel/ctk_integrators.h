/* The fixed-step integrators, one line each, for the kernel and for cotree.h. */
#ifndef CTK_INTEGRATOR_TABLE_H
#define CTK_INTEGRATOR_TABLE_H

// X(enumerator, name, order, stages, past): evaluations per Runge-Kutta step, those that start a
// multistep method included, 0 for implicit integrators, which iterate; derivatives that are kept from
// steps before, 0 where each step stands alone.
#define CTK_INTEGRATORS(X)                                                                         \
    X(EULER, "euler", 1, 1, 0)                                                                     \
    X(RK2, "rk2", 2, 2, 0)                                                                         \
    X(RK4, "rk4", 4, 4, 0)                                                                         \
    X(AB4, "ab4", 4, 4, 3)                                                                         \
    X(TRAPEZOID, "trapezoid", 2, 0, 0)                                                             \
    X(HHT, "hht", 2, 0, 0)                                                                         \
    X(GENERALIZED_ALPHA, "generalized-alpha", 2, 0, 0)
#define CTK_INTEGRATOR_COUNT                                (CTK_INTEGRATORS(CTK_ONE_MORE))
#define CTK_ONE_MORE(enumerator, name, order, stages, past) +1

#endif
