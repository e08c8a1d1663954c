// Forces at one instant: of statics, and of inverse dynamics at one time.
#ifndef CLI_INSTANT_H
#define CLI_INSTANT_H

#include "cli.h"

int instant_and_report(const arguments *a, bool moving);

#endif
