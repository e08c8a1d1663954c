// The tables that the X-macros of table.h describe.
#include "cli.h"

const command_row command_table[] = {
#define ROW(name, summary) {#name, summary, false},
    COMMANDS(ROW)
#undef ROW
#define ROW(name, summary) {#name, summary, true},
        PLANNED_COMMANDS(ROW)
#undef ROW
};
const int command_count = sizeof command_table / sizeof *command_table;

const option_row option_table[] = {
#define ROW(kind, field, name, letter, argument, where, choices, planned, summary)                 \
    {KIND_##kind, name,    letter,                                                                 \
     argument,    where,   choices,                                                                \
     planned,     summary, offsetof(arguments, field)},
    OPTIONS(ROW)
#undef ROW
};
const int option_count = sizeof option_table / sizeof *option_table;
