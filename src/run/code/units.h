// A long source in units that are compiled at the same time.
#ifndef CT_UNITS_H
#define CT_UNITS_H

#include "util/util.h"

enum { CT_UNIT_BYTES = 40 * 1000, CT_MOST_UNITS = 8 }; // of functions, worth a process; processes

// model: how the definition of the model begins, which is the last one of the source. Returns the
// number of units, which the caller frees one by one; 0: the source is too short to be divided.
int ct_units(const char *source, const char *model, char ***units);

#endif
