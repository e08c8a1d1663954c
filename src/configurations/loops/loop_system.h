// The loop equations of a mechanism as a polynomial system: the coordinates that `initial` or a
// motion gives are numbers, the others unknowns (angles as cosine and sine).
#ifndef CT_LOOP_SYSTEM_H
#define CT_LOOP_SYSTEM_H

#include "configurations/loops/certify.h"
#include "configurations/trig/trig_poly.h"
#include "assemble/assemble.h"

// Three unknown angles of one joint or body, and the entries of its rotation in their place.
#define CT_RELATIONS 21
typedef struct ct_loop_rotation {
    int angle[3], axis[3]; // coordinates, and about which axis each turns
    int entry[9];          // symbols
    ct_mat3 matrix;        // in the angles
    bool used;             // the entries are the unknowns
} ct_loop_rotation;

// A rod or strut that only keeps two points at a distance.
typedef struct ct_loop_leg {
    int joint[2]; // its ball joints; a universal one is the first
    int slide;    // joint between two bodies, or -1
    int body[2];  // bodies at joint[0] and joint[1]
    ct_vec3 span; // from ball to ball
} ct_loop_leg;

typedef struct ct_loop_system {
    const ct_model *model;
    ct_model without_guess; // the same without `guess`, whose coordinates need no equations here
    ct_formulation *f;      // in the numbers of the model: solutions are sharpened in it
    ct_rationals constants;
    // what the polynomials are read off: f, or the same with rational unit vectors for axes and
    // exactly orthogonal frames
    const ct_formulation *exact;
    ct_model exact_model;
    int n_directions;       // of axes and frames that are not rational
    ct_certifier certifier; // of assemblies, made when the first one is placed
    int n_free, *free;      // its unknowns among q
    // symbols: the coordinates q of the formulation, parameters that stay symbols, then sums of
    // angles taken as unknowns
    int n, room;
    ct_ex *symbols;
    bool *known;
    ct_ex *value;                 // of known coordinates, in numbers and parameters
    fmpq *number, *cosine, *sine; // of known ones
    ct_ex *expression;            // [f->n] what each coordinate is in terms of the unknowns
    bool *unknown;                // [n] stands among the unknowns of the system
    int n_legs;
    ct_loop_leg *legs;
    ct_formulation *whole; // with the legs
    ct_model unguided;     // its model
    ct_ex *transfer;       // [whole->n] its coordinates in terms of those of f
    int n_rotations;
    ct_loop_rotation *rotations;
    ct_trig ring;
    ct_trig_system system;
    int n_rows;     // equations before the identities
    int *row_joint; // [n_rows] joint of the model, or -1 - motion
    bool complete;  // all rows of the mechanism are equations, and how joints are turned
} ct_loop_system;

typedef struct ct_loop_options {
    // with redundant rows and with equations that keep joints the right way round; only consistent
    // where all numbers are exact. Otherwise independent rows alone
    bool complete;
    int digits;           // of rational numbers that stand for others
    ct_symbolic symbolic; // parameters and inputs that become unknowns
} ct_loop_options;
ct_status ct_loop_system_new(ct_context *ctx, const ct_model *model, const ct_loop_options *options,
                             ct_loop_system *s);
void ct_loop_system_clear(ct_loop_system *s);

// Sums of angles that the equations hold (the turns of bodies in the plane) instead of the angles
// of joints, where that is possible without loss: the equations become linear in their sines and
// cosines. Sets `expression` and `unknown`.
void ct_loop_system_angles(ct_loop_system *s);

// The value that `initial` or a motion gives to a coordinate. Returns false if none does.
bool ct_loop_given(const ct_model *model, int coordinate, ct_ex *value);
// Legs: replaced by links in `without_guess`; then the formulation of the whole mechanism; then the
// coordinates of the legs at a solution whose other coordinates are set in `numbers`. The last
// returns the largest |Phi|.
void ct_loop_system_legs(ct_loop_system *s);
void ct_loop_system_legs_clear(ct_loop_system *s);
ct_status ct_loop_system_whole(ct_context *ctx, ct_loop_system *s);
double ct_loop_system_close_legs(ct_loop_system *s, ct_numbers *numbers, double *joint);

// Chords whose rotation is written as equations of vectors, in place of the mechanism's own rows
// and guards: at most CT_CHORD_ROWS of them.
#define CT_CHORD_ROWS 5
bool ct_loop_system_replaces(const ct_loop_system *s, int joint);
bool ct_loop_system_is_product(const ct_loop_system *s, int joint, ct_ex row);
int ct_loop_system_chord(const ct_loop_system *s, int joint, ct_ex *rows);

// Rotations whose three angles are unknown; later, the equations rewritten in their entries (with
// the relations between these at the end): gives the new number of equations.
int ct_loop_axis(ct_vec3 u); // 0, 1, 2 for x, y, z, else -1
void ct_loop_angles_of(ct_pool *pool, const ct_ex *entry, const int *axis, ct_ex *angle);
void ct_loop_system_rotations(ct_loop_system *s);
int ct_loop_system_rewrite(ct_loop_system *s, int n, fmpq_mpoly_struct **rows);

// Freedoms that are left open around the assembled position, and the coordinates that leave them:
// names [unknowns] of f. 0: none, or it cannot be told.
int ct_loop_system_freedoms(ct_context *ctx, const ct_loop_system *s, const char **names);

// Size of the largest unknown of a solution, lengths in units of the mechanism's.
double ct_loop_system_size(const ct_loop_system *s, const double *re, const double *im);
// A complex solution as values of the coordinates q; NaN for angles behind a rotation.
void ct_loop_system_complex(const ct_loop_system *s, const double *re, const double *im,
                            double *q_re, double *q_im);
// A real solution (by unknown of the ring) as coordinates q [f->n] and joint coordinates of the
// model, sharpened; gives the largest |Phi|, or infinity where a joint is the wrong way round.
// *proved (may be NULL): exactly one zero of Phi lies next to q.
double ct_loop_system_place(ct_loop_system *s, const double *x, double *q, double *joint,
                            bool *proved);
// Joint coordinates of the model at q alone; gives what legs leave open, or infinity where a joint
// is the wrong way round.
double ct_loop_system_read(ct_loop_system *s, const double *q, double *joint);
// Phi in the coordinates that are unknown (*free, owned by the caller), in the numbers of the model;
// the known coordinate `drive` (-1: none) stays a symbol.
void ct_loop_system_certifier(const ct_loop_system *s, int drive, ct_certifier *c, int *n_free,
                              int **free);
// True if rational numbers stand for others, so that a proof for the polynomials is none for the
// mechanism.
bool ct_loop_system_rounded(const ct_loop_system *s);

#endif
