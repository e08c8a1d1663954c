// The choice of a closure for an assembled mechanism: which flow, in which trees.
#ifndef CT_CHOOSE_H
#define CT_CHOOSE_H

#include "assemble/assemble.h"
#include "closure/flow/flow.h"

// What is to be closed, and how.
typedef struct ct_closing {
    const ct_assembled *at; // in the caller's trees
    bool free_trees;        // others may be chosen along a flow
    bool in_angles;         // no rotation is integrated whole
    bool shows_angles;      // rotations that are not integrated are shown in angles
    ct_formulate_what what; // others hold the same
    int n;                  // independent coordinates that are named; 0: they are chosen
    const char *const *names;
    // Where --set has changed parameters: makes the choice for the values of the file, which is taken
    // where it is possible; NULL if there is none. The caller frees it.
    char *(*choice_of_file)(const void *data);
    const void *data;
} ct_closing;

// True if balls with dependent angles are shown in these.
static inline bool ct_shows_angles(const ct_closing *closing) {
    return closing->shows_angles || closing->in_angles;
}

// The closure of an assembled mechanism whose trees follow the flow (NULL: everything that depends
// is iterated, loop by loop). shows_angles: of balls with dependent angles.
ct_status ct_closure_new(ct_context *ctx, const ct_assembled *at, const ct_flow *flow,
                         bool shows_angles, ct_closure **closure);

// A closed mechanism; the assembled one must outlive it.
typedef struct ct_closed {
    ct_region region;
    const ct_assembled *at; // the state in the coordinates of the closure's formulation
    ct_closure *closure;
    ct_flow *flow;  // that it follows, or NULL: iterated
    char *choice;   // of orders, for other values of parameters; NULL without a flow
    bool is_other;  // the choice for the values of the file was not possible
    bool of_bodies; // with coordinates of bodies that no result shows
    ct_fork *trees; // equations in the trees of the flow, NULL: those are the caller's
    ct_fork *fork;  // of these, or of the caller's: what the closure was built in
    // that state with independent rotations integrated whole, and its equations; NULL: there are none
    ct_assembled *whole;
    ct_formulation *whole_f;
    // the state that a run starts from: also with balls whose angles depend (closure->balls) whole,
    // else `at`
    const ct_assembled *run;
    ct_formulation *run_f; // or NULL
} ct_closed;

ct_status ct_closed_new(ct_context *ctx, const ct_closing *closing, ct_closed **closed);
// Finds the state of a run, `run`: balls whose angles depend are whole in it, beside what is
// integrated.
void ct_closed_show(ct_context *ctx, ct_closed *closed);
static inline void ct_closed_free(ct_closed *closed) {
    if (closed) ct_region_free(&closed->region);
}

#endif
