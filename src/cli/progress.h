// A progress bar on stderr with the time left.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct progress {
    bool shown;         // something stands on the terminal's line
    double start, last; // seconds
} progress;

void progress_start(progress *p);
void progress_show(void *p, double share); // as the library's callback wants it
// The same for work whose length is not known: what is going on, and its share done.
void progress_stage(void *p, const char *stage, double share);
void progress_end(progress *p); // clears the line

#endif
