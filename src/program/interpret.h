// Programs carried out without C code: their expressions are evaluated one by one.
#ifndef CT_PROGRAM_INTERPRET_H
#define CT_PROGRAM_INTERPRET_H

#include "program/program.h"
#include "program/registers.h"

typedef struct ct_interpreter {
    const ct_registers *registers;
    ct_numbers *x; // what the program needs from outside, and its registers
    double *w;     // [tracked] the tracked numbers again
    int step;      // that was last carried out, or failed
} ct_interpreter;

// Sets go to out, or to the values where out is NULL. False: a solver found nothing, or a guard
// does not hold.
bool ct_interpret(ct_interpreter *m, const ct_program *p, double *out);

// The angle with this sine and cosine that is nearest to another.
double ct_nearest_angle(double sine, double cosine, double last);

// How far from where branches meet: the least of value / scale over all guards with a scale, at
// most 1; x has all registers. *step: of that guard, -1: none is below 1.
double ct_program_margin(const ct_program *p, ct_numbers *x, int *step);

#endif
