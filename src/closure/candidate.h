// Candidates of the choice: closures that are built, counted and compared.
#ifndef CT_CANDIDATE_H
#define CT_CANDIDATE_H

#include "closure/choose.h"
#include "closure/flow/flow.h"

// A closure that may be chosen. Its flow is found twice: in the chooser's scratch fork, where its
// trees are read off, and in the fork that the closure is built in.
typedef struct ct_candidate {
    ct_flow_offer offer;
    ct_flow *flow;  // in the scratch fork
    ct_fork *trees; // one of the chooser's, or NULL: the caller's
    ct_closed *closed;
    int open;        // unknowns that are iterated, then roots that are followed
    double residual; // at the initial position and a little way around it
    double score;
    bool turns; // its one independent coordinate is an angle and goes once around
    bool kept;  // by the coordinate that the user names, whatever the search found
} ct_candidate;

typedef struct ct_chooser {
    ct_context *ctx;
    const ct_closing *asked;
    const ct_formulation *f; // in the caller's trees
    ct_fork *scratch;
    ct_order_cache order_cache;
    int n_trees, room_trees;
    ct_fork **trees;   // the pairs of trees that were tried, each formulated once
    ct_candidate best; // so far
    bool is_other;     // than the choice for the values of the file, which was not possible
    double seconds;    // to find flows, those that were not taken too, and to choose
} ct_chooser;

// Finds a flow with the offer, in the scratch fork. Fails only if names that the caller gives are
// wrong.
ct_status ct_candidate_flow(ct_chooser *x, ct_flow_offer offer, ct_candidate *c);
// Builds the closure along the flow and puts it to the test. Returns false if there is none, or it
// does not give back the position that it starts from.
bool ct_candidate_close(ct_chooser *x, ct_candidate *c);
void ct_candidate_discard(ct_candidate *c);
// Compares the best candidate, which is closed, with others; the best of them stays.
void ct_candidates_compare(ct_chooser *x);

#endif
