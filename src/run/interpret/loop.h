// The loop itself, which run.c has twice: LOOP is its name, FMA the fused multiplication and addition.
static void LOOP(const ct_machine *machine, uint32_t start, double *r) {
    const uint32_t *code = machine->code, *pc = code + start;
#if defined(__GNUC__)
#define X(name, ...) &&do_##name,
    static const void *const place[] = {CT_INSTRUCTIONS(X) CT_LIBRARY(X) CT_OTHERS(X)};
#undef X
#endif
    BEGIN
    // arithmetic
#define X(name, n, action)                                                                         \
    DO(name) action;                                                                               \
    NEXT(1 + (n))
    CT_INSTRUCTIONS(X)
#undef X
    // functions of the C library
#define ARGUMENTS_1 (A)
#define ARGUMENTS_2 (A, B)
#define X(name, function, n)                                                                       \
    DO(name) D = function ARGUMENTS_##n;                                                           \
    NEXT(2 + (n))
    CT_LIBRARY(X)
#undef X
    // arrays, tables, the kernel
    DO(FILL)
    for (uint32_t i = 0; i < pc[2]; i++) r[pc[1] + i] = B;
    NEXT(4)
    DO(SPLINE)
    D = ct_machine_spline(machine->tables + pc[2], (int)pc[3], C);
    NEXT(5)
    DO(CALL)
    D = ct_machine_call(machine, (ct_kernel_call)pc[2], pc + 3, r);
    NEXT(3 + n_arguments[pc[2]])
    // the way through the code
    DO(JUMP)
    pc = code + pc[1];
    NEXT(0)
    DO(JUMP_ZERO)
    pc = A == 0 ? code + pc[1] : pc + 3;
    NEXT(0)
    DO(END)
    return;
    FINISH
}
