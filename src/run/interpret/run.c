// The loop that carries out instructions. Operands are registers, so that a sum or a product of any
// two numbers is one instruction; products that are added need one, too. Each operation is rounded
// by itself, unless the text names fma: this file is compiled without contraction.
#include "run/interpret/machine.h"
#include "util/system.h"

#include <math.h>

double ct_machine_spline(const ct_machine_table *s, int order, double x) {
    int last = s->n - 1, low = 0, high = last > 0 ? last - 1 : 0;
    // within one period, or constant beyond the ends
    if (s->periodic && last > 0) {
        double period = s->x[last] - s->x[0];
        x -= period * floor((x - s->x[0]) / period);
    } else if (x < s->x[0] || x > s->x[last]) {
        return order ? 0.0 : x < s->x[0] ? s->a[0] : s->a[4 * last];
    }
    // interval by bisection
    while (low < high) {
        int mid = (low + high + 1) / 2;
        if (s->x[mid] <= x)
            low = mid;
        else
            high = mid - 1;
    }
    // the cubic or its derivative
    const double *a = s->a + 4 * low;
    x -= s->x[low];
    if (order == 0) return a[0] + x * (a[1] + x * (a[2] + x * a[3]));
    if (order == 1) return a[1] + x * (2.0 * a[2] + 3.0 * x * a[3]);
    return order == 2 ? 2.0 * a[2] + 6.0 * x * a[3] : 6.0 * a[3];
}

static const int n_arguments[CT_KERNEL_CALL_COUNT] = {
#define X(name, text, arguments) sizeof arguments - 1,
    CT_KERNEL_CALLS(X)
#undef X
};

#define D r[pc[1]]
#define A r[pc[2]]
#define B r[pc[3]]
#define C r[pc[4]]
#define E r[pc[5]]

// From instruction to instruction: a jump at the end of each, which processors foresee better than
// one for all; a switch where the compiler has no places to jump to.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpedantic"
#define BEGIN    goto *place[pc[0]];
#define DO(name) do_##name:
#define NEXT(n)                                                                                    \
    pc += (n);                                                                                     \
    goto *place[pc[0]];
#define FINISH
#else
#define BEGIN                                                                                      \
    for (;;) switch ((ct_instruction)pc[0]) {
#define DO(name) case CT_DO_##name:
#define NEXT(n)                                                                                    \
    pc += (n);                                                                                     \
    break;
#define FINISH }
#endif

#define FMA(a, b, c) fma(a, b, c)
#define LOOP         run_anywhere
#include "run/interpret/loop.h"
#undef FMA
#undef LOOP

// for processors that have fma as an instruction, which the program is not built for
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__FMA__)
#define HAS_FUSED
#define FMA(a, b, c) __builtin_fma(a, b, c)
#define LOOP         __attribute__((target("fma"))) run_fused
#include "run/interpret/loop.h"
#endif

void ct_machine_run(const ct_machine *machine, uint32_t start, double *r) {
#ifdef HAS_FUSED
    if (ct_processor_fuses()) {
        run_fused(machine, start, r);
        return;
    }
#endif
    run_anywhere(machine, start, r);
}
