// The loop equations of a mechanism as a polynomial system: the coordinates that `initial` or a
// motion gives are numbers, the others unknowns (angles as cosine and sine).
#ifndef CT_LOOP_SYSTEM_H
#define CT_LOOP_SYSTEM_H

#include "model/trig_poly.h"
#include "run/system.h"

typedef struct ct_loop_system {
    const ct_model *model;
    ct_model plain; // the same without `guess`, whose coordinates need no equations here
    ct_formulation *f;
    ct_rationals constants;
    // symbols: the coordinates q of the formulation, then sums of angles taken as unknowns
    int n, room;
    ct_ex *symbols;
    bool *known;
    ct_ex *value;                 // of known coordinates, in numbers and parameters
    fmpq *number, *cosine, *sine; // of known ones
    ct_ex *expression;            // [f->n] what each coordinate is in terms of the unknowns
    bool *unknown;                // [n] stands among the unknowns of the system
    ct_trig ring;
    ct_trig_system system;
    int n_rows;     // equations before the identities
    int *row_joint; // [n_rows] joint of the model, or -1 - motion
    bool complete;  // all rows of the mechanism are equations, and how joints are turned
} ct_loop_system;

// `complete`: with redundant rows and with equations that keep joints the right way round; only
// consistent where all numbers are exact. Otherwise independent rows alone.
ct_status ct_loop_system_new(ct_context *ctx, const ct_model *model, bool complete,
                             ct_loop_system *s);
void ct_loop_system_clear(ct_loop_system *s);

// Sums of angles that the equations hold (the turns of bodies in the plane) instead of the angles
// of joints, where that is possible without loss: the equations become linear in their sines and
// cosines. Sets `expression` and `unknown`.
void ct_loop_system_angles(ct_loop_system *s);

// A complex solution as values of the coordinates q.
void ct_loop_system_complex(const ct_loop_system *s, const double *re, const double *im,
                            double *q_re, double *q_im);
// A real solution (by unknown of the ring) as coordinates q [f->n] and joint coordinates of the
// model, sharpened; gives the largest |Phi|, or infinity where a joint is the wrong way round.
double ct_loop_system_place(ct_loop_system *s, const double *x, double *q, double *joint);

#endif
