// Texts that are made from the tables of commands and options when the program is built: the manual
// page and what shells need to complete a command line.
#ifndef CLI_TEXTS_H
#define CLI_TEXTS_H

#include "cli.h"

#include <stdio.h>

void write_manual(FILE *file);
void write_bash(FILE *file);
void write_zsh(FILE *file);

bool belongs(const option_row *option, command_id command);
bool is_common(const option_row *option); // to all commands that take models
// "joint absolute": the words that the option knows, without blanks at the end; length 0: any
int choices_length(const option_row *option);
typedef enum value_kind {
    VALUE_NONE,
    VALUE_CHOICE,
    VALUE_FILE,
    VALUE_FOLDER,
    VALUE_ANY
} value_kind;
value_kind value_of(const option_row *option, command_id command);

#endif
