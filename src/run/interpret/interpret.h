// Emitted C without a compiler: its text becomes instructions of a machine, which a small loop
// carries out. The text is the same as for a compiler, so there is one order of operations, and
// nothing is written twice.
#ifndef CT_INTERPRET_H
#define CT_INTERPRET_H

#include "kernel/ctk.h"
#include "util/util.h"

typedef struct ct_machine ct_machine;

// The model that a text of ct_emit defines. On failure NULL, with a message: a defect of ours.
ct_machine *ct_machine_new(ct_context *ctx, const char *source, const char *name);
const ctk_model *ct_machine_model(const ct_machine *machine);
// From now on the functions of this model are called, which is compiled from the same text. Simulations
// that are under way go on: the constants stay where they are. Returns false if it is another model.
bool ct_machine_hand_over(ct_machine *machine, const ctk_model *compiled);
void ct_machine_free(ct_machine *machine); // NULL: nothing

#endif
