// Bodies that a flow places by a whole orientation, on ball joints whose angles nothing names.
#include "closure/whole_rotations.h"

#include <stdlib.h>

static bool is_above(const ct_layout *l, int root, int body) {
    while (body != root && body >= 0) body = l->parent[CT_ROTATION][body];
    return body == root;
}

static bool is_ball(const ct_layout *l, const ct_placement *p, int root) {
    int edge = ct_graph_edge(l->f->graph, CT_EDGE_JOINT, p->joint);
    return p->kind == CT_PLACE_FRAME && p->relation[0].x == p->child &&
           p->relation[1].x == p->child && l->branch[CT_ROTATION][p->child] == edge &&
           l->parent[CT_ROTATION][p->child] == p->parent && is_above(l, root, p->parent) &&
           !ct_ball_is_named(l->model, p->joint);
}

int ct_flow_balls(const ct_flow *flow, const ct_formulation *f, ct_ball **balls) {
    int n = 0, room = 0;
    *balls = NULL;
    for (int g = 0; g < flow->n_groups; g++) {
        for (int i = flow->group[g]; i < ct_flow_group_end(flow, g); i++) {
            const ct_placement *p = flow->placements + i;
            if (p->kind == CT_PLACE_ITERATE) break; // what follows is part of the iteration
            if (is_ball(f->layout, p, flow->group_root[g]))
                *CT_PUSH(*balls, n, room) =
                    (ct_ball){.joint = p->joint, .body = p->child, .root = flow->group_root[g]};
        }
    }
    return n;
}
