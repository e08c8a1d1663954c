// A polynomial-system file: unknowns and equations instead of bodies and joints.
#ifndef CT_POLYNOMIALS_H
#define CT_POLYNOMIALS_H

#include "configurations/trig/trig_poly.h"

typedef struct ct_polynomials {
    ct_model *model;       // its pool, name and parameters; the coordinates are the unknowns
    ct_trig_system system; // what the solver gets
    int n;                 // equations of the file that are not zero: the first ones of the system
    char **texts;          // [n] as they are written
    ct_place *places;
    int hide;        // unknown of the ring, -1: not said
    int n_stand_ins; // constants that are not rational, as text
    char **stand_ins;
} ct_polynomials;

// Reads a polynomial system, which lives as long as the region that is open. Returns CT_OK with
// *system NULL if the file holds a mechanism instead.
// `hide` (may be NULL) overrides the file's. `symbolic`: names of parameters that become unknowns.
ct_status ct_polynomials_read_text(ct_context *ctx, const char *path, const char *text,
                                   size_t bytes, int n_set, const char *const *set,
                                   const char *hide, int n_symbolic, const char *const *symbolic,
                                   ct_polynomials **system);

// An equation of the file as a polynomial (unknowns are the coordinates of the reader's model);
// false after a message.
struct ct_reader;
struct ct_yaml;
bool ct_read_polynomial(struct ct_reader *r, ct_trig *trig, const struct ct_yaml *node,
                        const char *what, fmpq_mpoly_t f);

#endif
