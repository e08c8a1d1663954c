// What is needed of programs, and what may leave them.
#ifndef CT_PROGRAM_TRIM_H
#define CT_PROGRAM_TRIM_H

#include "program/program.h"
#include "program/registers.h"

// Symbols that are needed. One that a program computes needs what it is computed from.
typedef struct ct_needs {
    ct_pool *pool;
    const ct_program *program;
    size_t room;  // nodes of the pool
    bool *has;    // [room] needed
    int *segment; // [room] of the program: gives the symbol; -1: none does
    int *set;     // [room] its set, -1: its solver
} ct_needs;

// target: symbols of what sets of the program give, by index; NULL: nobody asks for these by name.
void ct_needs_init(ct_needs *needs, ct_pool *pool, const ct_program *p, const ct_ex *target);
void ct_needs_clear(ct_needs *needs);
// Everything below these expressions is needed.
void ct_needs_below(ct_needs *needs, int n, const ct_ex *a);
void ct_needs_segment(ct_needs *needs, const ct_segment *seg, unsigned roles);
void ct_needs_program(ct_needs *needs, const ct_program *p, unsigned roles);
// Is one of the unknowns x that a segment solves for needed?
bool ct_needs_solve(const ct_needs *needs, const ct_segment *seg);
// What the program sets a symbol to, CT_UNSET: it does not; *step: of the segment that does.
ct_ex ct_needs_set_from(const ct_needs *needs, ct_ex symbol, int *step);

// The programs of a mechanism with their registers, and the coordinates in terms of these: their
// values, or sines and cosines [n]; none of it is owned.
typedef struct ct_programs {
    ct_pool *pool;
    ct_registers *registers;
    ct_program *positions, *dynamics, *expansion;
    int n;
    ct_ex *q_value, *q_sine, *q_cosine;
} ct_programs;

// Values that neither dynamics nor guards need are no longer set by the positions; dynamics and
// expansion compute them.
void ct_programs_lighten(const ct_programs *p);
// Values and followed angles that nothing uses leave the programs, values and signs that nothing
// uses the registers.
void ct_programs_trim(const ct_programs *p);

#endif
