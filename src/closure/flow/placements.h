// Private to the placements: offers that are collected, and their prices.
#ifndef CT_PLACEMENTS_H
#define CT_PLACEMENTS_H

#include "closure/flow/search.h"

// Unknown coordinates of the joint `edge` that move its body on side sx.
typedef struct ct_flow_unknowns {
    int edge, sx, n;
    const int *which; // within the joint
} ct_flow_unknowns;

// Price of one coordinate by one relation; INFINITY if the relation does not determine it.
double ct_flow_one_cost(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e,
                        int which);
static inline void ct_flow_fill(ct_placement *p, const ct_flow_edge *e, ct_placement_kind kind,
                                int sx, int n, const int *which) {
    *p = (ct_placement){.kind = kind,
                        .joint = e->joint,
                        .parent = e->own[1 - sx],
                        .child = e->own[sx],
                        .n_unknown = n};
    for (int k = 0; k < n; k++) p->unknown[k] = e->first + which[k];
}
// Keeps the placement if it ranks before the best one so far. Rank: the price, plus the coordinates
// between the first body and the parent, less a bonus for coupled coordinates.
void ct_flow_try(const ct_flow_search *search, const ct_flow_state *s, ct_flow_option *best,
                 double cost, int edge, const ct_placement *p);
// Extends an orthonormal basis by rows with n columns (Gram-Schmidt). Returns the number of rows
// that were independent of the basis.
int ct_flow_extend(int count, double (*rows)[6], int n, double (*basis)[6], int *size);
// True if relations i and i + 1 are the two planes of one line that is fixed in the body to be
// placed and passes through a known point.
bool ct_flow_is_own_line(const ct_flow_relation *r, int n, int i);
// Price of the place of the known point on such a line; INFINITY at a limit position.
double ct_flow_own_line_cost(const ct_flow_relation *r, const ct_flow_edge *e);
// Offers three angles of a joint, or all six coordinates of a body.
void ct_flow_orient(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                    int turns, int n_relations, const ct_flow_relation *relations,
                    ct_flow_option *best);
// Offers placements of several unknown coordinates of one joint at once.
void ct_flow_several(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                     int n_relations, const ct_flow_relation *relations, ct_flow_option *best);

#endif
