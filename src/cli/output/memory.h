// Out of memory in the program itself: there is nothing left to do but to say so.
#ifndef OUTPUT_MEMORY_H
#define OUTPUT_MEMORY_H

#include "cotree.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn static inline void no_memory(void) {
    fputs("cotree: error: out of memory\n", stderr);
    exit(CT_INTERNAL);
}

#endif
