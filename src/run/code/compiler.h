// The C compiler: its command, a call of it, and what tells one from another.
#ifndef CT_COMPILER_H
#define CT_COMPILER_H

#include "run/code/units.h"

#include <sys/types.h>

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

// Sources and the object that compilers make of them, several at the same time. The strings belong
// to the caller.
typedef struct ct_compilation {
    const ct_command *cc;
    const char *level;
    bool quick;  // with the flags for this machine
    bool exact;  // each operation is rounded by itself, as where code is interpreted
    bool behind; // the caller goes on meanwhile, and may stop it
    int n;
    char *source[CT_MOST_UNITS];
    char *unit[CT_MOST_UNITS], *unit_log[CT_MOST_UNITS]; // where there are several
    char *object, *log;
    // under way
    pid_t child[CT_MOST_UNITS]; // 0: it has ended
    int n_children;
    bool links;            // units to the object
    int code;              // of the first compiler that complained, -1: it did not come to its end
    const char *complaint; // its log
} ct_compilation;

// Starts the compilers: for a single source one that links too.
void ct_compile_start(ct_compilation *r);
// Sees to their end, then links. Returns true if all is done: `code` is 0 where that is a success.
// waits: until then.
bool ct_compile_look(ct_compilation *r, bool waits);
// Ends compilers that are under way; allocates nothing.
void ct_compile_stop(ct_compilation *r);

// Adds the processor, since a cache may be shared between machines, the flags and the words of the command.
void ct_compiler_add(ct_digest *key, const ct_command *cc);
// Adds the files of words that are programs. Returns false if there is no compiler.
bool ct_compiler_add_programs(ct_digest *key, const ct_command *cc);

#endif
