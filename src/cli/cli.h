// The command line: its arguments, and functions that the commands share. The library is used
// through its public header only.
#ifndef CLI_H
#define CLI_H

#include "cotree.h"
#include "table.h"

enum { EXIT_INTERRUPTED = 130 };

// Arguments of the command line, with one member per line of the option table.
typedef struct text_list {
    int n;
    const char **item;
} text_list;

typedef struct arguments {
    command_id command;
    const char *file; // the first
    text_list files;  // all of them
#define FIELD_FLAG(name)       bool name;
#define FIELD_TEXT(name)       const char *name; // NULL: not given
#define FIELD_NAMES(name)      const char *name; // likewise; "": given without names
#define FIELD_ONCE(name)       const char *name; // likewise; a second one is an error
#define FIELD_LIST(name)       text_list name;
#define FIELD_NUMBER(name)     double name; // negative: not given
#define FIELD_REAL(name)       double name; // NaN: not given
#define FIELD(kind, name, ...) FIELD_##kind(name)
    OPTIONS(FIELD)
#undef FIELD
} arguments;

// Reads argv. Returns false with *exit_code set when there is nothing more to do: help was printed,
// or the usage was wrong and has been explained on stderr.
bool arguments_read(arguments *a, int argc, char **argv, int *exit_code);
void arguments_clear(arguments *a);
void print_help(void); // all commands
void print_command_help(command_id command);
const char *command_operands(command_id command); // "FILE"

// "cotree: error: ..." on stderr; returns exit code 2.
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
int usage_error(const char *format, ...);
const char *suggest(const char *name, const char *const *names, int count); // NULL: none is near

// A model, read and formulated. Messages are printed to stderr as they come.
typedef struct session {
    ct_context *ctx;
    ct_model *model;
    ct_system *system;
    double start; // when it was opened
} session;
// The model of a file, with --set and what its inputs follow.
ct_status session_read(session *s, const char *file, const arguments *a);
ct_status session_open(session *s, const arguments *a);
// The same by another rule, without messages.
ct_status session_open_aside(session *s, const arguments *a, const char *rule);
// The same without equations of motion, for commands that need positions alone.
ct_status session_open_positions(session *s, const arguments *a);
void session_messages(session *s);
double session_seconds(const session *s);        // since it was opened
int exit_code(ct_status status);                 // of the program
int session_close(session *s, ct_status status); // gives the exit code

// commands: one file each, cmd_<name>.c; they return the exit code
#define DECLARE(name, ...) int command_##name(const arguments *a);
COMMANDS(DECLARE)
#undef DECLARE
int command_branches(const arguments *a); // configurations --over

#endif
