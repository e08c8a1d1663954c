// The record of the kernel for the reactions of joints: its tables, without the functions that evaluate
// the equations. Who has these adds them.
#ifndef CT_WRENCHES_H
#define CT_WRENCHES_H

#include "formulate/reactions/reactions.h"
#include "kernel/ctk.h"

// Members that are numbers; lists of numbers, and of names, with their lengths.
#define CT_WRENCH_MEMBERS(INT, INTS, STRINGS)                                                      \
    INT(n_unknowns)                                                                                \
    INT(n_equations)                                                                               \
    INT(n_entries)                                                                                 \
    INT(n_columns)                                                                                 \
    INT(n_efforts)                                                                                 \
    INT(n_more)                                                                                    \
    INT(n_fronts)                                                                                  \
    INT(n_loose)                                                                                   \
    INT(n_common)                                                                                  \
    INTS(entry_row, w->n_entries)                                                                  \
    INTS(entry_column, w->n_entries)                                                               \
    INTS(equation_power, w->n_equations)                                                           \
    INTS(unknown_power, w->n_unknowns)                                                             \
    INTS(column_power, w->n_columns)                                                               \
    INTS(fronts, n_fronts)                                                                         \
    STRINGS(column_names, w->n_columns)                                                            \
    INT(n_frictions)                                                                               \
    INTS(friction_column, w->n_frictions)                                                          \
    INT(n_groups)                                                                                  \
    STRINGS(group_names, w->n_groups)                                                              \
    INTS(group_first, w->n_groups + 1)

// In the scratch of the call.
ctk_wrenches ct_wrenches_of(const ct_reactions *r);

#endif
