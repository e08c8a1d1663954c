// Which symbols of a program are needed, and the removal of the others.
#ifndef CT_PROGRAM_TRIM_H
#define CT_PROGRAM_TRIM_H

#include "program/program.h"
#include "program/registers.h"

// Symbols that are needed. If the program computes a needed symbol, the symbols of its expression
// are needed too.
typedef struct ct_needs {
    ct_pool *pool;
    const ct_program *program;
    size_t room;  // nodes of the pool
    bool *seen;   // [room] walked
    bool *has;    // [room] needed
    int *segment; // [room] that computes the symbol; -1: none
    int *set;     // [room] the set of that segment; -1: its solver
} ct_needs;

// target: symbols of the targets of the program, by index; NULL if no expression refers to them.
void ct_needs_init(ct_needs *needs, ct_pool *pool, const ct_program *program, const ct_ex *target);
// Marks all symbols of the expressions as needed.
void ct_needs_below(ct_needs *needs, int n, const ct_ex *a);
void ct_needs_segment(ct_needs *needs, const ct_segment *seg, unsigned roles);
void ct_needs_program(ct_needs *needs, const ct_program *program, unsigned roles);
// True if one of the unknowns x that the segment solves for is needed.
bool ct_needs_solve(const ct_needs *needs, const ct_segment *seg);
// The expression that the program sets a symbol to, and the step of that segment; CT_UNSET if it
// sets none.
ct_ex ct_needs_set_from(const ct_needs *needs, ct_ex symbol, int *step);

// The programs of a mechanism with their registers, and the coordinates in terms of these: their
// values, or sines and cosines [n]; none of it is owned.
typedef struct ct_programs {
    ct_pool *pool;
    ct_registers *registers;
    ct_program *positions, *dynamics, *expansion;
    int n;
    ct_ex *q_value, *q_sine, *q_cosine;
    int n_shown;
    ct_ex *shown; // other expressions that the expansion ends with
} ct_programs;

// Moves values that no step and no guard needs from the positions to the dynamics and the
// expansion.
void ct_programs_lighten(const ct_programs *p);
// Removes unused values and tracked angles from the programs, and unused values and signs from the
// registers.
void ct_programs_trim(const ct_programs *p);

#endif
