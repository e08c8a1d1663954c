// Two bodies between x and what is placed, with parallel hinges: along the hinges nothing moves, so
// that a plane is left, and where all three are parallel a direction too.
#include "closure/relations/relations.h"

typedef struct chain { // x -e1- y1 -middle- y2 -e2- k; sides of the edges
    const ct_flow_edge *e1, *middle, *e2;
    int sx, s1, s2, sk; // e1 at x, middle at y1 and y2, e2 at k
} chain;

// Axis b is axis a (1), its opposite (-1), or neither (0).
static int along(ct_pool *pool, ct_vec3 a, ct_vec3 b) {
    return ct_vec_same(a, b) ? 1 : ct_vec_same(a, ct_vec_neg(pool, b)) ? -1 : 0;
}

static bool turns(const ct_flow_edge *e) {
    return e->joint >= 0 && ct_joint_is_hinge(e->type);
}

// What lies along the middle hinge's axis between the joints at either end.
static ct_ex offset(ct_pool *pool, const chain *c) {
    ct_vec3 d1 = ct_vec_sub(pool, c->middle->c->at[c->s1], c->e1->c->at[1 - c->sx]),
            d2 = ct_vec_sub(pool, c->e2->c->at[1 - c->sk], c->middle->c->at[c->s2]);
    return ct_add(pool, ct_vec_dot(pool, d1, c->middle->axis_in[c->s1]),
                  ct_vec_dot(pool, d2, c->middle->axis_in[c->s2]));
}

static void relations(ct_flow_finder *f, const chain *c) {
    ct_pool *pool = f->w->layout->pool;
    int x = c->e1->body[c->sx], k = c->e2->body[c->sk];
    int at_x = turns(c->e1) ? along(pool, c->e1->axis_in[1 - c->sx], c->middle->axis_in[c->s1]) : 0,
        at_k = turns(c->e2) ? along(pool, c->e2->axis_in[1 - c->sk], c->middle->axis_in[c->s2]) : 0;
    // axis . (point x - point k) = -(offset), as the middle hinge's axis counts it
    ct_ex gap = ct_neg(pool, offset(pool, c));
    if (at_x && ct_flow_pins(c->e2->type)) {
        ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_X, c->e2, x, k);
        ct_flow_points(r, c->e1, c->sx, c->e2, c->sk);
        ct_flow_axes(r, c->e1->axis_in[c->sx], c->e1->main, c->e1->axis_in[c->sx], c->e1->main);
        if (r) r->r.value = at_x > 0 ? gap : ct_neg(pool, gap);
    }
    if (at_k && ct_flow_pins(c->e1->type)) {
        ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_K, c->e2, x, k);
        ct_flow_points(r, c->e1, c->sx, c->e2, c->sk);
        ct_flow_axes(r, c->e2->axis_in[c->sk], c->e2->main, c->e2->axis_in[c->sk], c->e2->main);
        if (r) r->r.value = at_k > 0 ? gap : ct_neg(pool, gap);
    }
    if (at_x && at_k) {
        ct_vec3 in_k = c->e2->axis_in[c->sk];
        double world[3];
        for (int i = 0; i < 3; i++) world[i] = c->e1->main[i];
        if (at_x != at_k) in_k = ct_vec_neg(pool, in_k);
        ct_flow_axes(ct_flow_add(f, CT_RELATION_AXIS, c->e2, x, k), c->e1->axis_in[c->sx], world,
                     in_k, world);
    }
}

void ct_flow_chains(ct_flow_finder *f, const ct_flow_edge *e1, int sx, int skip) {
    const ct_flow_state *s = f->s;
    int y1 = e1->body[1 - sx], x = s->cluster[e1->body[sx]];
    for (int i = 0; i < f->g->n_edges && ct_flow_pins(e1->type); i++) {
        const ct_flow_edge *m = f->w->edges + f->g->edges[i];
        if (m == e1 || f->g->edges[i] == skip || m->is_virtual || !turns(m)) continue;
        if (m->body[0] != y1 && m->body[1] != y1) continue;
        int s1 = m->body[1] == y1, y2 = m->body[1 - s1], far = s->cluster[y2];
        if (!far || far == x || far == s->cluster[y1]) continue;
        for (int j = 0; j < f->g->n_edges; j++) {
            const ct_flow_edge *e2 = f->w->edges + f->g->edges[j];
            if (e2 == m || f->g->edges[j] == skip || e2->is_virtual) continue;
            if (e2->body[0] != y2 && e2->body[1] != y2) continue;
            int sk = e2->body[0] == y2;
            if (s->cluster[e2->body[sk]] || !ct_flow_pins(e2->type)) continue;
            relations(f, &(chain){e1, m, e2, sx, s1, 1 - s1, sk});
        }
    }
}
