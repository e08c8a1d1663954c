// Gears, racks and equations between coordinates: which coordinates each ties, and what kind of
// equation it is for them.
#include "closure/relations/snapshot.h"

#include <stdlib.h>

static bool is_law(const ct_joint *j) {
    return ct_joint_is_coupling(j->type);
}

static void add_coordinate(ct_flow_world *w, ct_flow_law *law, ct_ex psi, int k) {
    const ct_coordinate *c = w->model->coordinates + k;
    law->coordinate[law->n] = k;
    law->kind[law->n++] = ct_law_for(w->layout->pool, psi, c->q, c->is_angle).kind;
}

static void tie_points(ct_flow_world *w, const ct_flow_law *law, ct_ex psi) {
    const ct_model *m = w->model;
    for (int i = 0; i < m->n_probes; i++)
        for (int s = 0; s < 2; s++) {
            int body = m->probes[i].body[s];
            if (body <= 0 || !ct_depends(w->layout->pool, psi, m->probes[i].symbol)) continue;
            w->edges[w->n_edges++] = (ct_flow_edge){.joint = law->joint,
                                                    .body = {0, body},
                                                    .type = CT_JOINT_CONSTRAINT,
                                                    .c = w->layout->connections};
        }
}

void ct_flow_laws_init(ct_flow_world *w) {
    const ct_model *m = w->model;
    ct_pool *pool = w->layout->pool;
    size_t room = (size_t)m->n_coordinates + 1;
    int edges = w->n_edges;
    w->laws = ct_alloc((size_t)m->n_joints + 1, sizeof *w->laws);
    for (int i = 0; i < m->n_joints; i++) edges += 2 * m->n_probes * is_law(m->joints + i);
    w->edges = ct_realloc(w->edges, (size_t)edges + 1, sizeof *w->edges);
    free(w->kept);
    w->kept = ct_alloc((size_t)edges + 1, sizeof *w->kept);
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (!is_law(j)) continue;
        ct_flow_law *law = w->laws + w->n_laws++;
        *law = (ct_flow_law){.joint = i,
                             .coordinate = ct_alloc(room, sizeof(int)),
                             .kind = ct_alloc(room, sizeof(ct_law_kind))};
        ct_ex psi = j->equation;
        if (ct_joint_is_pair(j->type))
            psi = ct_sub(pool, m->coordinates[j->coordinate[1]].q,
                         ct_mul(pool, j->ratio, m->coordinates[j->coordinate[0]].q));
        else
            law->of_points = ct_ex_kinds(pool, psi) & (1u << CT_SYMBOL_OTHER);
        for (int k = 0; k < m->n_coordinates; k++)
            if (ct_depends(pool, psi, m->coordinates[k].q)) add_coordinate(w, law, psi, k);
        if (law->of_points) tie_points(w, law, psi);
    }
}

bool ct_flow_in_law(const ct_flow_world *w, int coordinate) {
    for (int i = 0; i < w->n_laws; i++)
        for (int k = 0; k < w->laws[i].n; k++)
            if (w->laws[i].coordinate[k] == coordinate) return true;
    return false;
}
