// Private to the relations: the list under construction, and how a relation is filled in.
#ifndef CT_FLOW_RELATIONS_H
#define CT_FLOW_RELATIONS_H

#include "closure/relations/snapshot.h"

#include <string.h>

typedef struct ct_flow_finder {
    ct_snapshot *snap;
    const ct_loop_group *g;
    const ct_flow_state *s;
    ct_flow_relation *found;
    int n;
} ct_flow_finder;

// Appends a relation that edge e gives. Returns NULL if the list is full.
static inline ct_flow_relation *ct_flow_add(ct_flow_finder *f, ct_relation_kind kind,
                                            const ct_flow_edge *e, int x, int k) {
    if (f->n == CT_FLOW_RELATIONS) return NULL;
    ct_flow_relation *r = f->found + f->n++;
    *r = (ct_flow_relation){.r = {.kind = kind,
                                  .x = x,
                                  .k = k,
                                  .via = {-1, -1},
                                  .value = CT_ZERO,
                                  .mate_value = CT_ZERO,
                                  .joint = e->joint}};
    return r;
}

// Sets the points of a relation: those of two edges, on their sides sx and sk.
static inline void ct_flow_points(ct_flow_relation *r, const ct_flow_edge *ex, int sx,
                                  const ct_flow_edge *ek, int sk) {
    if (!r) return;
    r->r.point_x = ex->c->at[sx];
    r->r.point_k = ek->c->at[sk];
    memcpy(r->x, ex->at[sx], sizeof r->x);
    memcpy(r->k, ek->at[sk], sizeof r->k);
}

static inline void ct_flow_axes(ct_flow_relation *r, ct_vec3 in_x, const double *world_x,
                                ct_vec3 in_k, const double *world_k) {
    if (!r) return;
    r->r.axis_x = in_x;
    r->r.axis_k = in_k;
    memcpy(r->axis_x, world_x, sizeof r->axis_x);
    memcpy(r->axis_k, world_k, sizeof r->axis_k);
}

#endif
