// Inside of the emitter: a program of the closure on its way to C, segment by segment.
#ifndef CT_EMIT_LOWER_H
#define CT_EMIT_LOWER_H

#include "emit/emit_inside.h"
#include "kernel/inline/ctk_small.h" // sizes: CTK_CARRIED, CTK_ORDERED

typedef struct ct_lowered { // on its way to a ct_part
    ct_text before, after;
    ct_target *targets;
    int n, room;
    ct_ex *moving;
    int n_moving;
} ct_lowered;

typedef struct ct_lowering {
    ct_emitter *e;
    const ct_closure *k;
    const ct_program_input *in;
    ct_pool *pool;
    ct_substitution *known; // values set so far, unknowns solved in line
    ct_lowered *parts;
    int n, room;
    ct_text local; // declarations
    bool *needed;  // [segments]
    int n_measures, n_iterations, n_eliminations, n_checks;
    int n_carried; // of w, behind the tracked values
    int n_newton;  // iterations without roots of polynomials
    int *guard_step;
    ct_operations extra; // inside calls
    char **arrays;       // local ones
    int n_arrays, room_arrays;
    int n_determinants;
} ct_lowering;

// emit_program.c: what segments are written with --------------------------------------------------
ct_lowered *ct_lower_part(ct_lowering *l); // a new one; earlier ones move
void ct_lower_target(ct_lowered *p, const char *array, int index, ct_ex root);
ct_ex ct_lower_now(ct_lowering *l, ct_ex a);                     // with what is known
int ct_lower_failure(const ct_lowering *l, int step);            // the code that is returned
void ct_lower_array(ct_lowering *l, const char *name, int size); // a local one

// emit_segments.c ---------------------------------------------------------------------------------
void ct_lower_division(ct_lowering *l, const ct_segment *seg); // a SOLVE of one unknown
void ct_lower_elimination(ct_lowering *l, const ct_segment *seg);
void ct_lower_iteration(ct_lowering *l, const ct_segment *seg);
void ct_lower_root(ct_lowering *l, const ct_segment *seg);
void ct_lower_root_pair(ct_lowering *l, const ct_segment *seg);

#endif
