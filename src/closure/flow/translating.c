// Bodies that keep their orientation: the platform of a delta robot. Where its angles are held and
// the group has as many freedoms as before, none of its motions turns the body at the initial
// position. Whether that holds elsewhere too the closure has to show (see ct_close_probe_wide): if
// its equations are met with these angles in as many dimensions as the mechanism has freedoms,
// there is no other motion.
#include "closure/relations/snapshot.h"

#include <math.h>
#include <stdlib.h>

// Does it stand like the first body of the group?
static bool is_upright(const ct_flow_world *w, const ct_flow_group *g, const ct_flow_edge *e) {
    const double *a = &w->rotation[g->bodies[0]][0][0], *b = &w->rotation[e->body[1]][0][0];
    for (int i = 0; i < 9; i++)
        if (!(fabs(a[i] - b[i]) < 1e-9)) return false;
    return true;
}

static bool stays(ct_flow_world *w, const ct_flow_group *g, const ct_flow_edge *e, int freedoms) {
    bool *held = ct_alloc((size_t)w->n_coordinates + 1, sizeof *held);
    for (int k = 0; k < e->n; k++) held[e->first + k] = e->turn[k];
    bool same = ct_flow_freedoms(w, g, held) == freedoms;
    free(held);
    return same;
}

static int joints_of(const ct_flow_world *w, const ct_flow_group *g, int body) {
    int n = 0;
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = w->edges + g->edges[i];
        n += !e->is_virtual && (e->body[0] == body || e->body[1] == body);
    }
    return n;
}

bool ct_flow_keep(ct_flow_world *w, const ct_flow_group *g) {
    int best = -1, most = 0, freedoms = ct_flow_freedoms(w, g, NULL);
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = w->edges + g->edges[i];
        if (e->joint < CT_OWN_JOINT(w->model, 0) || !is_upright(w, g, e)) continue;
        int joints = joints_of(w, g, e->body[1]);
        if (joints <= most || !stays(w, g, e, freedoms)) continue;
        best = g->edges[i];
        most = joints;
    }
    if (best >= 0) w->kept[best] = w->edges[best].may_carry = true;
    return best >= 0;
}
