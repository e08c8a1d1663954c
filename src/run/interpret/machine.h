// What emitted C becomes where it is interpreted: instructions on one array of numbers, the
// registers. They lie where the kernel keeps the constants c of a model, so each simulation has its
// own: the address of the machine (ctk_model.context), the number of the loop whose residual is
// asked for, the constants, the numbers of the text, then the variables of the function under way.
#ifndef CT_MACHINE_H
#define CT_MACHINE_H

#include "kernel/ctk.h"
#include "util/util.h"

// Instructions: X(enumerator, operands, what it does). D, A, B, C, E are the registers that its
// operands name, D first. FMA rounds a product and a sum once.
#define CT_INSTRUCTIONS(X)                                                                         \
    X(MOVE, 2, D = A)                                                                              \
    X(NEGATE, 2, D = -A)                                                                           \
    X(ADD, 3, D = A + B)                                                                           \
    X(SUBTRACT, 3, D = A - B)                                                                      \
    X(MULTIPLY, 3, D = A * B)                                                                      \
    X(DIVIDE, 3, D = A / B)                                                                        \
    X(MINUS_PRODUCT, 3, D = -(A * B))                                                              \
    X(PRODUCT_PLUS, 4, D = A * B + C)                                                              \
    X(PRODUCT_MINUS, 4, D = A * B - C)                                                             \
    X(MINUS_THE_PRODUCT, 4, D = C - A * B)                                                         \
    X(PRODUCTS_SUM, 5, D = A * B + C * E)                                                          \
    X(PRODUCTS_DIFFERENCE, 5, D = A * B - C * E)                                                   \
    X(FUSED, 4, D = FMA(A, B, C))                                                                  \
    X(FUSED_MINUS, 4, D = FMA(-A, B, C))                                                           \
    X(FUSED_LESS, 4, D = FMA(A, B, -C))                                                            \
    X(FUSED_PRODUCTS, 5, D = FMA(A, B, C * E))                                                     \
    X(FUSED_PRODUCTS_MINUS, 5, D = FMA(-A, B, C * E))                                              \
    X(BELOW, 3, D = A < B)                                                                         \
    X(UP_TO, 3, D = A <= B)                                                                        \
    X(EQUALS, 3, D = A == B)                                                                       \
    X(DIFFERS, 3, D = A != B)                                                                      \
    X(NOT, 2, D = !A)                                                                              \
    X(CHOOSE, 4, D = A != 0 ? B : C)                                                               \
    X(SQRT, 2, D = sqrt(A))                                                                        \
    X(SIN, 2, D = sin(A))                                                                          \
    X(COS, 2, D = cos(A))                                                                          \
    X(FABS, 2, D = fabs(A))
// Functions of the C library with one and with two arguments, by their name in C.
#define CT_LIBRARY(X)                                                                              \
    X(TAN, tan, 1)                                                                                 \
    X(ASIN, asin, 1)                                                                               \
    X(ACOS, acos, 1)                                                                               \
    X(ATAN, atan, 1)                                                                               \
    X(EXP, exp, 1)                                                                                 \
    X(LOG, log, 1)                                                                                 \
    X(EXP2, exp2, 1)                                                                               \
    X(LOG2, log2, 1)                                                                               \
    X(FLOOR, floor, 1)                                                                             \
    X(ATAN2, atan2, 2)                                                                             \
    X(POW, pow, 2)
// Others, with the number of their operands: FILL register, number of registers from it on, value; SPLINE register, table, order of the
// derivative, argument; CALL register, function of the kernel, its arguments; JUMP place; JUMP_ZERO
// place, register that is zero.
#define CT_OTHERS(X)                                                                               \
    X(FILL, 3)                                                                                     \
    X(SPLINE, 4)                                                                                   \
    X(CALL, 2) /* and those of the function */                                                     \
    X(JUMP, 1)                                                                                     \
    X(JUMP_ZERO, 2)                                                                                \
    X(END, 0)

typedef enum ct_instruction {
#define X(name, n, action) CT_DO_##name,
    CT_INSTRUCTIONS(X)
#undef X
#define X(name, function, n) CT_DO_##name,
        CT_LIBRARY(X)
#undef X
#define X(name, n) CT_DO_##name,
            CT_OTHERS(X)
#undef X
} ct_instruction;

// Functions of the kernel that emitted code calls: X(enumerator, name, arguments). An argument is
// an integer (i), a number (d), registers from one on (p; o: or NULL), an array of integers (a).
#define CT_KERNEL_CALLS(X)                                                                         \
    X(ANGLE, "ctk_angle", "ddd")                                                                   \
    X(PARAMETERS, "ctk_parameters", "pp")                                                          \
    X(SOLVE, "ctk_small_solve", "iippp")                                                           \
    X(QUICK, "ctk_small_quick", "iippp")                                                           \
    X(FACTOR, "ctk_small_factor", "ipp")                                                           \
    X(AGAIN, "ctk_small_again", "iipp")                                                            \
    X(PAIR_AT, "ctk_pair_at", "pdpp")                                                              \
    X(PAIR_KEEP, "ctk_pair_keep", "pdpp")                                                          \
    X(NEWTON_STEP, "ctk_newton_step", "piappppp")                                                  \
    X(TURN_ROOT, "ctk_turn_root", "ipdppppp")                                                      \
    X(SLIDE_ROOT, "ctk_slide_root", "ipdppp")                                                      \
    X(ROOT_PAIR_CERTIFIED, "ctk_root_pair_certified", "pppppppp")                                  \
    X(ROOT_PAIR_SOLVE, "ctk_root_pair_solve", "ppppoopp")
typedef enum ct_kernel_call {
#define X(name, text, arguments) CT_CALL_##name,
    CT_KERNEL_CALLS(X)
#undef X
        CT_KERNEL_CALL_COUNT
} ct_kernel_call;
#define CT_NO_REGISTER 0xffffffffu // the argument NULL
// Members of the records that these functions take, in registers.
enum { CT_ITERATION_MEMBERS = 5, CT_ROOT_PAIR_MEMBERS = 5 };

// The functions of a model, of its closure and of its initial problem: X(enumerator, record, member)
#define CT_MODEL_FUNCTIONS(X)                                                                      \
    X(CONSTANTS, model, constants)                                                                 \
    X(POSITION, model, position)                                                                   \
    X(VELOCITY, model, velocity)                                                                   \
    X(ACCELERATION, model, acceleration)                                                           \
    X(DYNAMICS, model, dynamics)                                                                   \
    X(OUTPUTS, model, outputs)                                                                     \
    X(LATE_OUTPUTS, model, late_outputs)                                                           \
    X(SPARE, model, spare)                                                                         \
    X(OPENING, model, opening)                                                                     \
    X(TANGENT, model, tangent)                                                                     \
    X(RECURSION, model, recursion)                                                                 \
    X(ANSWER, model, answer)                                                                       \
    X(SWITCHES, model, switches)                                                                   \
    X(ATTACH, model, attach)                                                                       \
    X(WRENCH_SYSTEM, wrenches, system)                                                             \
    X(WRENCH_COLUMNS, wrenches, columns)                                                           \
    X(WRENCH_LEAST, wrenches, least)                                                               \
    X(JOINT_FRAMES, model, joint_frames)                                                           \
    X(PLACE, closure, place)                                                                       \
    X(READ, closure, read)                                                                         \
    X(POSITIONS, closure, positions)                                                               \
    X(CLOSURE_DYNAMICS, closure, dynamics)                                                         \
    X(EXPANSION, closure, expansion)                                                               \
    X(START, initial, start)                                                                       \
    X(INITIAL_POSITION, initial, position)                                                         \
    X(INITIAL_VELOCITY, initial, velocity)                                                         \
    X(POSES, initial, poses)                                                                       \
    X(TWISTS, initial, twists)                                                                     \
    X(JOINTS, initial, joints)                                                                     \
    X(GUARDS, initial, guards)                                                                     \
    X(TRANSFER, initial, transfer)                                                                 \
    X(LENGTHS, initial, lengths)                                                                   \
    X(CONDITIONS, initial, conditions)                                                             \
    X(INPUTS, initial, inputs)                                                                     \
    X(SCALES, initial, scales)
typedef enum ct_model_function {
#define X(name, record, member) CT_FUNCTION_##name,
    CT_MODEL_FUNCTIONS(X)
#undef X
        CT_MODEL_FUNCTION_COUNT
} ct_model_function;

// An array that a function is called with, and where its numbers stand.
typedef struct ct_argument {
    uint32_t first, there; // registers; there: 1 where it is not NULL
    int n;                 // numbers that the function reads or sets
    bool is_result;
} ct_argument;

enum { CT_MOST_ARGUMENTS = 12 };
typedef struct ct_function {
    uint32_t start; // its first instruction
    uint32_t time;  // register of t
    int n;
    ct_argument argument[CT_MOST_ARGUMENTS]; // in order, without c and t
} ct_function;

typedef struct ct_machine_table { // of a spline
    int n, periodic;
    const double *x, *a;
} ct_machine_table;

typedef struct ct_machine {
    ct_region region; // of all that belongs to it
    ctk_model model;  // whose functions are those below
    ctk_closure closure;
    ctk_initial initial;
    ctk_wrenches wrenches;
    uint32_t *code;
    int *ints; // arrays of integers, one after the other
    ct_machine_table *tables;
    double *numbers; // of the text
    int n_numbers;
    uint32_t first_number; // its register
    uint32_t result;       // register of what a function returns
    ct_function function[CT_MODEL_FUNCTION_COUNT];
    ct_function *loops;        // [closure.n_loops]
    const ctk_model *compiled; // the same code, which has taken over; or NULL
} ct_machine;

enum { CT_FIRST_CONSTANT = 2 }; // register of c[0]: behind the machine and the number of a loop

// Carries out the instructions from `start` to the next END.
void ct_machine_run(const ct_machine *machine, uint32_t start, double *r);
// Calls a function of the kernel with these operands; what it returns.
double ct_machine_call(const ct_machine *machine, ct_kernel_call call, const uint32_t *operand,
                       double *r);
// Puts the functions that the kernel calls into the records of the machine: `loops` are the
// closure's own.
void ct_machine_connect(ct_machine *machine, ctk_loop *loops);
// The value of a spline or of a derivative, as emitted code has it.
double ct_machine_spline(const ct_machine_table *table, int order, double x);

#endif
