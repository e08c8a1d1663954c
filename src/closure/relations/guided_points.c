// Points that motions guide tie their bodies to ground like joints do: one component is a plane
// that moves, all three (two of a planar mechanism) are a pin that moves, a distance is a rod.
#include "closure/relations/snapshot.h"

#include <string.h>

static const ct_probe *probe_of(const ct_model *m, int motion) {
    const ct_motion *x = m->motions + motion;
    return x->coordinate < 0 && x->probe >= 0 ? m->probes + x->probe : NULL;
}

static bool same_point(const ct_probe *a, const ct_probe *b) {
    return a->body[0] == b->body[0] && ct_vec_same(a->at[0], b->at[0]);
}

// Places of the point along x, y, z: by motions or because nothing moves it there. The number of
// the motion that says so is in motion[]; false: some component is free.
static bool pinned(ct_flow_world *w, int motion, ct_vec3 *place, int *first) {
    const ct_model *m = w->model;
    const ct_probe *p = probe_of(m, motion);
    ct_vec3 now =
        ct_position(&w->layout, p->body[0], ct_from_com(&w->layout, p->body[0], p->at[0]));
    bool has[3];
    *first = motion;
    for (int k = 0; k < 3; k++) {
        place->v[k] = now.v[k];
        has[k] = !(ct_ex_kinds(w->layout.pool, now.v[k]) & ~(1u << CT_SYMBOL_PARAMETER));
    }
    for (int i = 0; i < m->n_motions; i++) {
        const ct_probe *o = probe_of(m, i);
        if (!o || o->kind > CT_PROBE_Z || !same_point(o, p)) continue;
        has[o->kind - CT_PROBE_X] = true;
        place->v[o->kind - CT_PROBE_X] = m->motions[i].value;
        if (i < *first) *first = i;
    }
    return has[0] && has[1] && has[2];
}

static void add_guide(ct_flow_world *w, int motion) {
    const ct_probe *p = probe_of(w->model, motion);
    ct_connection *c = w->guides + motion;
    ct_flow_edge *e = w->edges + w->n_edges;
    *e = (ct_flow_edge){.joint = CT_FLOW_MOTION(motion), .c = c, .value = CT_ZERO};
    *c = (ct_connection){.orient = {ct_mat3_identity(), ct_mat3_identity()}};
    ct_ex value = w->model->motions[motion].value;
    int first;
    c->body[1] = p->body[0];
    c->at[1] = ct_from_com(&w->layout, p->body[0], p->at[0]);
    c->at[0] = ct_vec3_zero();
    if (p->kind == CT_PROBE_DISTANCE) {
        e->type = CT_JOINT_LINK;
        e->value = ct_power_int(w->layout.pool, value, 2);
        c->body[0] = p->body[1];
        c->at[0] = ct_from_com(&w->layout, p->body[1], p->at[1]);
    } else if (pinned(w, motion, &c->at[0], &first)) {
        if (first != motion) return; // one pin for all of them
        e->type = CT_JOINT_SPHERICAL;
    } else {
        int k = (int)(p->kind - CT_PROBE_X);
        c->at[0] = ct_vec3_zero();
        e->type = CT_JOINT_INPLANE;
        e->value = value;
        e->main[k] = 1;
        for (int s = 0; s < 2; s++) e->axis_in[s] = ct_vec_unit(k);
    }
    for (int s = 0; s < 2; s++) {
        e->body[s] = c->body[s];
        ct_flow_point(w, e->body[s], c->at[s], e->at[s]);
    }
    w->n_edges++;
}

void ct_flow_guides(ct_flow_world *w) {
    w->guides = ct_alloc((size_t)w->model->n_motions + 1, sizeof *w->guides);
    for (int i = 0; i < w->model->n_motions; i++)
        if (probe_of(w->model, i)) add_guide(w, i);
}
