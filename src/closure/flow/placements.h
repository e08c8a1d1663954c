// Private to the placements: offers that are collected, and their prices.
#ifndef CT_PLACEMENTS_H
#define CT_PLACEMENTS_H

#include "closure/flow/search.h"
#include "closure/tolerances.h"

#include <math.h>
#include <string.h>

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
static inline int ct_flow_extend(int count, double (*rows)[6], int n, double (*basis)[6],
                                 int *size) {
    int added = 0;
    for (int i = 0; i < count && *size < n; i++) {
        double v[6], norm = 0;
        memcpy(v, rows[i], sizeof v);
        for (int b = 0; b < *size; b++) {
            double d = 0;
            for (int c = 0; c < n; c++) d += v[c] * basis[b][c];
            for (int c = 0; c < n; c++) v[c] -= d * basis[b][c];
        }
        for (int c = 0; c < n; c++) norm += v[c] * v[c];
        if (norm < CT_TOL_ROW2) continue;
        for (int c = 0; c < n; c++) basis[*size][c] = v[c] / sqrt(norm);
        (*size)++;
        added++;
    }
    return added;
}

// True if relations i and i + 1 are the two planes of one line that is fixed in the body to be
// placed and passes through a known point.
static inline bool ct_flow_is_own_line(const ct_flow_relation *r, int n, int i) {
    return i + 1 < n && r[i].r.line && r[i + 1].r.line && r[i].r.kind == CT_RELATION_PLANE_X &&
           r[i + 1].r.kind == CT_RELATION_PLANE_X && r[i].r.joint == r[i + 1].r.joint &&
           r[i].r.x == r[i + 1].r.x && ct_vec_same(r[i].r.mate, r[i + 1].r.axis_x);
}

// Price of the place of the known point on such a line; INFINITY at a limit position.
// A root, which meets its mirror image where the line is across the arm from the joint to the point.
static inline double ct_flow_own_line_cost(const ct_flow_relation *r, const ct_flow_edge *e) {
    double along = 0, arm2 = 0, u2 = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double arm = r[0].k[i] - e->at[0][i],
               u = r[0].axis_x[j] * r[1].axis_x[k] - r[0].axis_x[k] * r[1].axis_x[j];
        along += arm * u;
        arm2 += arm * arm;
        u2 += u * u;
    }
    double margin = arm2 > 0 ? fabs(along) / sqrt(arm2 * u2) : 0;
    if (margin < CT_TOL_PIVOT) return INFINITY;
    return CT_PRICE_SLIDE_BY_LENGTH + (margin < CT_NEAR_LIMIT ? CT_FLOW_NEAR : 0);
}

// Offers three angles of a joint, or all six coordinates of a body.
void ct_flow_orient(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                    int turns, int n_relations, const ct_flow_relation *relations,
                    ct_flow_option *best);
// Offers placements of several unknown coordinates of one joint at once.
void ct_flow_several(ct_flow_search *search, const ct_flow_state *s, const ct_flow_unknowns *u,
                     int n_relations, const ct_flow_relation *relations, ct_flow_option *best);

#endif
