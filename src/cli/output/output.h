// Targets of results: a file that appears whole or not at all, or stdout.
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct output {
    FILE *file;
    const char *path; // as the user wrote it; NULL: stdout
    char *target;     // the file to replace at the end; NULL: written directly
    bool failed;      // a write failed, and it has been said
    bool pipe_closed; // the reader had enough (`| head`): no error
} output;

// Says what is wrong with a path to write to (0: nothing), before any work is done. It must not be
// the model that is read.
int output_check(const char *path, const char *model);
// The same for something else that is read, called `what`.
int output_check_beside(const char *path, const char *input, const char *what);
int output_check_folder(const char *path); // a folder that is there or can be made
// Both return 0 or an exit code, with the reason on stderr. path NULL: stdout.
int output_open(output *o, const char *path);
int output_commit(output *o);   // the file takes its name
void output_discard(output *o); // nothing is left
bool output_error(output *o);   // after writing: true if it failed, or the reader went away

void output_ignore_broken_pipe(void);
int output_finish_stdout(int exit_code); // flushes; the exit code for the program
// From here on SIGINT, SIGTERM and SIGHUP set the flag; a second one, a moment
// later, ends at once, leaving nothing.
volatile sig_atomic_t *output_catch_signals(void);
void output_stop_at_once(bool value); // the first one ends at once: nobody looks at the flag

#endif
