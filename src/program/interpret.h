// The interpreter of programs: evaluates their expressions one by one, without generated code.
#ifndef CT_PROGRAM_INTERPRET_H
#define CT_PROGRAM_INTERPRET_H

#include "program/program.h"
#include "program/registers.h"

typedef struct ct_interpreter {
    const ct_registers *registers;
    ct_numbers *x; // numbers for the inputs of the program and for its registers
    double *w;     // [tracked] the tracked numbers, as in x
    int step;      // that was last carried out, or failed
} ct_interpreter;

// Carries out a program. Its sets go to out or, if that is NULL, to the values. Returns false if a
// solver finds no solution or a guard does not hold.
bool ct_interpret(ct_interpreter *m, const ct_program *program, double *out);

// The angle with this sine and cosine that is nearest to the last one.
double ct_nearest_angle(double sine, double cosine, double last);

// Distance from the nearest limit position: the least value / scale of all guards with a scale, at
// most 1. numbers must hold all registers. *step: the step of that guard; -1 if none is below 1.
double ct_program_margin(const ct_program *program, ct_numbers *numbers, int *step);

#endif
