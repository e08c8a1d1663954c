// The order in which the unknowns of a sparse symmetric pattern are eliminated.
#ifndef CT_ELIMINATION_ORDER_H
#define CT_ELIMINATION_ORDER_H

#include <stdbool.h>

// pattern [n n]: symmetric, with its diagonal; gets the entries that the elimination fills in. order
// [n]: the unknowns, by minimum degree.
void ct_elimination_order(int n, bool *pattern, int *order);

#endif
