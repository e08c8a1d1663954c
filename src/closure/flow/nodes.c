// States of the search, each with the placements and choices that led to it.
#include "closure/flow/search.h"

#include <stdlib.h>
#include <string.h>

ct_flow_node ct_flow_node_new(const ct_flow_search *search, const ct_flow_node *from) {
    const ct_snapshot *snap = search->snap;
    size_t bodies = (size_t)snap->n_bodies, coordinates = (size_t)snap->n_coordinates + 1,
           edges = (size_t)snap->n_edges + 1, most = 2 * bodies + 4 * edges;
    ct_flow_node n = {.s = {ct_alloc(bodies, sizeof(int)), ct_alloc(coordinates, sizeof(bool)),
                            ct_alloc(edges, sizeof(bool)), ct_alloc(bodies, sizeof(int))},
                      .placements = ct_alloc(most, sizeof *n.placements),
                      .chosen = ct_alloc(coordinates, sizeof(int)),
                      .picked = ct_alloc(coordinates, sizeof(int))};
    if (!from) return n;
    memcpy(n.s.cluster, from->s.cluster, bodies * sizeof(int));
    memcpy(n.s.depth, from->s.depth, bodies * sizeof(int));
    memcpy(n.s.known, from->s.known, coordinates * sizeof(bool));
    memcpy(n.s.used, from->s.used, edges * sizeof(bool));
    memcpy(n.placements, from->placements, (size_t)from->n * sizeof *n.placements);
    memcpy(n.chosen, from->chosen, (size_t)from->n_chosen * sizeof(int));
    n.n = from->n;
    memcpy(n.picked, from->picked, (size_t)from->n_picked * sizeof(int));
    n.n_chosen = from->n_chosen;
    n.n_picked = from->n_picked;
    n.cost = from->cost;
    return n;
}

void ct_flow_node_clear(ct_flow_node *n) {
    ct_free(n->s.cluster);
    ct_free(n->s.known);
    ct_free(n->s.used);
    ct_free(n->s.depth);
    ct_free(n->placements);
    ct_free(n->chosen);
    ct_free(n->picked);
}
