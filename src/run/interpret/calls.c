// Functions of the kernel that emitted code calls, on registers. Their records are put together from
// registers and taken apart again.
#if defined(__GNUC__) && !defined(__clang__) // sizes are not known here: GCC sees none of size 0
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "kernel/inline/ctk_root_pair.h"
#include "kernel/inline/ctk_small.h"
#include "run/interpret/machine.h"

// An iteration is in registers: count, last, determinant, bend, unit.
static int newton_step(const ct_machine *machine, const uint32_t *o, double *r) {
    double *at = r + o[0];
    ctk_iteration it = {(int)at[0], at[1], at[2], at[3], at[4]};
    int state = ctk_newton_step(&it, (int)o[1], machine->ints + o[2], r + o[3], r + o[4], r + o[5],
                                r + o[6], r + o[7]);
    at[0] = it.count;
    at[1] = it.last;
    at[2] = it.determinant;
    at[3] = it.bend;
    return state;
}

// A pair: is the first, the second unknown an angle; coefficients of what is left, of each part;
// unit of length.
static ctk_root_pair pair_of(const double *at) {
    return (ctk_root_pair){{(int)at[0], (int)at[1]}, (int)at[2], (int)at[3], at[4]};
}

static double *or_null(double *r, uint32_t at) {
    return at == CT_NO_REGISTER ? NULL : r + at;
}

static int pair_certified(const uint32_t *o, double *r) {
    ctk_root_pair pair = pair_of(r + o[0]);
    return ctk_root_pair_certified(&pair, r + o[1], r + o[2], r + o[3], r + o[4], r + o[5],
                                   r + o[6], r + o[7]);
}

static int pair_solve(const uint32_t *o, double *r) {
    ctk_root_pair pair = pair_of(r + o[0]);
    return ctk_root_pair_solve(&pair, r + o[1], r + o[2], r + o[3], or_null(r, o[4]),
                               or_null(r, o[5]), r + o[6], r + o[7]);
}

double ct_machine_call(const ct_machine *machine, ct_kernel_call call, const uint32_t *o,
                       double *r) {
    switch (call) {
    // angles
    case CT_CALL_ANGLE: return ctk_angle(r[o[0]], r[o[1]], r[o[2]]);
    case CT_CALL_PARAMETERS: ctk_parameters(r + o[0], r + o[1]); return 0;
    case CT_CALL_PAIR_AT: ctk_pair_at(r + o[0], r[o[1]], r + o[2], r + o[3]); return 0;
    case CT_CALL_PAIR_KEEP: ctk_pair_keep(r + o[0], r[o[1]], r + o[2], r + o[3]); return 0;
    // linear systems
    case CT_CALL_SOLVE: return ctk_small_solve((int)o[0], (int)o[1], r + o[2], r + o[3], r + o[4]);
    case CT_CALL_QUICK: return ctk_small_quick((int)o[0], (int)o[1], r + o[2], r + o[3], r + o[4]);
    case CT_CALL_FACTOR: return ctk_small_factor((int)o[0], r + o[1], r + o[2]);
    case CT_CALL_AGAIN: ctk_small_again((int)o[0], (int)o[1], r + o[2], r + o[3]); return 0;
    // iterations and roots
    case CT_CALL_NEWTON_STEP: return newton_step(machine, o, r);
    case CT_CALL_TURN_ROOT:
        return ctk_turn_root((int)o[0], r + o[1], r[o[2]], r + o[3], r + o[4], r + o[5], r + o[6],
                             r + o[7]);
    case CT_CALL_SLIDE_ROOT:
        return ctk_slide_root((int)o[0], r + o[1], r[o[2]], r + o[3], r + o[4], r + o[5]);
    case CT_CALL_ROOT_PAIR_CERTIFIED: return pair_certified(o, r);
    case CT_CALL_ROOT_PAIR_SOLVE: return pair_solve(o, r);
    case CT_KERNEL_CALL_COUNT: break;
    }
    return 0;
}
