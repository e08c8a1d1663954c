// The C compiler: its command, a call of it, and what tells one from another.
#ifndef CT_COMPILER_H
#define CT_COMPILER_H

#include "run/code/units.h"

enum { CT_COMPILER_NOT_FOUND = 127 }; // exit code, as of a shell: there is no such program
enum { COMMAND_WORDS = 32 };

// The words of CC: a compiler with its own arguments ("ccache gcc", "gcc -O3").
typedef struct ct_command {
    char *text; // the words, each with its end
    const char *word[COMMAND_WORDS];
    int n;
    bool has_level; // a word is -O...
    bool is_named;  // by CC
    bool is_none;   // CC is "none": the user wants no compiler
} ct_command;

// Splits CC at blanks; where it is not set, "cc". Quotes and the like would need a shell.
ct_status ct_compiler_read(ct_context *ctx, ct_command *c);

// What the compiler is asked for.
typedef struct ct_compilation {
    const ct_command *cc;
    const char *level;
    bool quick;         // with the flags for this machine
    bool links;         // sources or units to an object that is loaded; else a source to a unit
    const char *object; // the result
    const char *log;
} ct_compilation;

// Compiles n sources at the same time and joins them; a single one in one go. *log: of the compiler
// that complained.
int ct_compile(const ct_compilation *r, int n, char *const *sources, const char **log);

// Adds the processor, since a cache may be shared between machines, the flags and the words of the command.
void ct_compiler_add(ct_digest *key, const ct_command *cc);
// Adds the files of words that are programs. Returns false if there is no compiler.
bool ct_compiler_add_programs(ct_digest *key, const ct_command *cc);

#endif
