// Registers: numbers that programs keep between their segments. A register is a symbol in their
// expressions, with a meaning: an expression in coordinates (for signs: in values) that gives its
// number at a known position.
#ifndef CT_PROGRAM_REGISTERS_H
#define CT_PROGRAM_REGISTERS_H

#include "numeric/numbers.h"

typedef struct ct_register_bank {
    int n, room;
    ct_ex *symbol, *meaning; // [n]
    bool is_chained;         // meanings hold registers of the bank before them
} ct_register_bank;

typedef struct ct_registers {
    ct_register_bank values;  // v: sines and cosines of sums of angles, slides
    ct_register_bank signs;   // b: +1 or -1, the sign of its meaning at the initial position
    ct_register_bank tracked; // w: angles that are needed as such, unknowns that are iterated
} ct_registers;

// Adds a register; returns its place.
int ct_register_add(ct_register_bank *bank, ct_ex symbol, ct_ex meaning);
// Sets all registers from the coordinates in numbers. tracked [n] (may be NULL) gets the tracked numbers.
void ct_registers_at(const ct_registers *registers, ct_numbers *numbers, double *tracked);

#endif
