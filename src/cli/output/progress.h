// Progress on stderr: a bar with the time left if that is a terminal, else a line every ten
// seconds; after Ctrl-C the name of the stage that was stopped.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli.h"

#include <signal.h>

// From here to progress_end the stages of the library are followed, and shown where `show` and the
// options allow it. In stages that look at the flag Ctrl-C sets it, in others it ends the program.
volatile sig_atomic_t *progress_begin(ct_context *ctx, const arguments *a, bool show);
void progress_end(ct_context *ctx); // the line is clear again
// "cotree: stopped (measuring); nothing was written", for a command that has ended early
void progress_say_stopped(void);
void progress_say_at_once(bool nothing); // was written; from a signal handler

#endif
