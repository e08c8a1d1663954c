// Inside of the relations: who finds them, and how they are filled in.
#ifndef CT_FLOW_RELATIONS_H
#define CT_FLOW_RELATIONS_H

#include "closure/relations/snapshot.h"

typedef struct ct_flow_finder {
    ct_flow_world *w;
    const ct_flow_group *g;
    const ct_flow_state *s;
    ct_flow_relation *found;
    int n;
} ct_flow_finder;

// A new one that edge e gives; NULL: there are too many.
ct_flow_relation *ct_flow_add(ct_flow_finder *f, ct_relation_kind kind, const ct_flow_edge *e,
                              int x, int k);
// Its points: those of two edges, on their sides sx and sk.
void ct_flow_points(ct_flow_relation *r, const ct_flow_edge *ex, int sx, const ct_flow_edge *ek,
                    int sk);
void ct_flow_axes(ct_flow_relation *r, ct_vec3 in_x, const double *world_x, ct_vec3 in_k,
                  const double *world_k);
// Through two bodies with parallel hinges between them, the first of them behind side 1 - sx of e1.
void ct_flow_chains(ct_flow_finder *f, const ct_flow_edge *e1, int sx, int skip);

#endif
