// Relations that an iteration may have to close: lengths of bodies between two of their joints, and
// what the joints say that are not in the tree. (Linear steps meet a joint's equations with a pair
// that is no sine and cosine until the lengths are right; so lengths come first.)
#include "closure/flow/search.h"

#include <string.h>

static void add_spare(ct_flow *flow, const ct_relation *r) {
    int room = flow->room_spare;
    *CT_PUSH(flow->spare, flow->n_spare, flow->room_spare) = *r;
    if (flow->room_spare != room)
        flow->spare_group =
            ct_realloc(flow->spare_group, (size_t)flow->room_spare, sizeof *flow->spare_group);
    flow->spare_group[flow->n_spare - 1] = flow->n_groups - 1;
}

static int side_of(const ct_flow_edge *e, int body) {
    return e->body[0] == body ? 0 : e->body[1] == body ? 1 : -1;
}

static void lengths(const ct_flow_search *q, ct_flow *flow, int body) {
    for (int i = 0; i < q->g->n_edges; i++)
        for (int j = i + 1; j < q->g->n_edges; j++) {
            const ct_flow_edge *e1 = q->w->edges + q->g->edges[i],
                               *e2 = q->w->edges + q->g->edges[j];
            int s1 = side_of(e1, body), s2 = side_of(e2, body);
            if (s1 < 0 || s2 < 0 || e1->is_virtual || e2->is_virtual || !ct_flow_pins(e1->type) ||
                !ct_flow_pins(e2->type) || e1->body[1 - s1] == e2->body[1 - s2])
                continue;
            add_spare(flow, &(ct_relation){.kind = CT_RELATION_DISTANCE,
                                           .x = e1->body[1 - s1],
                                           .k = e2->body[1 - s2],
                                           .point_x = e1->c->at[1 - s1],
                                           .point_k = e2->c->at[1 - s2],
                                           .via = {body, body},
                                           .via_at = {e1->c->at[s1], e2->c->at[s2]},
                                           .value = CT_ZERO,
                                           .joint = e2->joint});
        }
}

void ct_flow_spare(ct_flow_search *q, const bool *used, ct_flow *flow) {
    ct_flow_relation found[CT_FLOW_RELATIONS];
    ct_flow_node n = ct_flow_node_new(q, NULL);
    for (int i = 0; i < q->g->n_bodies; i++) lengths(q, flow, q->g->bodies[i]);
    for (int i = 0; i < q->g->n_edges; i++) {
        int edge = q->g->edges[i];
        const ct_flow_edge *e = q->w->edges + edge;
        if (used[edge] || e->is_virtual) continue;
        // as if one of its bodies were about to be placed by this joint alone
        ct_flow_group one = {.n_edges = 1, .edges = &edge};
        int x = e->body[1] ? e->body[1] : e->body[0];
        memset(n.s.cluster, 0, (size_t)q->w->n_bodies * sizeof(int));
        n.s.cluster[x] = x;
        int count = ct_flow_relations(q->w, &one, &n.s, x, -1, found);
        for (int k = 0; k < count; k++) add_spare(flow, &found[k].r);
    }
    ct_flow_node_clear(&n);
}
