// Bodies whose orientation is known before their place tie the places of their neighbours. With
// slides along the axes u1, u2 of such a body y at its joints
//   (u1 x u2) . (p_x - p_k - o_y) = 0
// does not contain the slides. A body with a single slide leaves two planes across it.
#include "closure/relations/relations.h"
#include "closure/flow/search.h"

// Number of slides at a joint of body y, 0 or 1, and its direction in y. Returns -1 for joints that
// slide otherwise than along an axis.
static int slides_at(const ct_flow_edge *e, int side, ct_vec3 *along) {
    if (ct_flow_pins(e->type)) return 0;
    if (!ct_joint_slides_on_line(e->type)) return -1;
    *along = e->axis_in[side];
    return 1;
}

// n . (p_x - p_k) = n . o_y for a normal that is fixed in y.
static ct_flow_relation *add_plane(ct_flow_finder *f, const ct_flow_edge *e1, int sx,
                                   const ct_flow_edge *e2, int sk, ct_vec3 normal) {
    ct_pool *pool = f->snap->layout->pool;
    int y = e1->body[1 - sx];
    ct_flow_relation *r = ct_flow_add(f, CT_RELATION_PLANE_K, e1, e1->body[sx], e2->body[sk]);
    if (!r) return NULL;
    double world[3];
    ct_flow_direction(f->snap, y, normal, world);
    ct_flow_points(r, e1, sx, e2, sk);
    ct_flow_axes(r, normal, world, normal, world);
    r->r.via[0] = y;
    r->r.value = ct_vec_dot(pool, normal, ct_vec_sub(pool, e1->c->at[1 - sx], e2->c->at[1 - sk]));
    return r;
}

// x -e1- y -e2- k with the orientation of y known.
static void through(ct_flow_finder *f, const ct_flow_edge *e1, int sx, const ct_flow_edge *e2,
                    int sk) {
    ct_pool *pool = f->snap->layout->pool;
    ct_vec3 along[2], n[2];
    int first = slides_at(e1, 1 - sx, along), second = slides_at(e2, 1 - sk, along + (first == 1));
    if (first < 0 || second < 0 || first + second == 0) return;
    // two slides: the plane across both
    if (first + second == 2) {
        n[0] = ct_vec_cross(pool, along[0], along[1]);
        if (!ct_vec_is_zero(n[0])) add_plane(f, e1, sx, e2, sk, n[0]);
        return;
    }
    // one slide: the two planes of its line
    ct_vec_normals(f->snap->model, along[0], n, n + 1);
    for (int i = 0; i < 2; i++) {
        ct_flow_relation *r = add_plane(f, e1, sx, e2, sk, n[i]);
        if (!r) return;
        ct_vec3 offset = ct_vec_sub(pool, e1->c->at[1 - sx], e2->c->at[1 - sk]);
        r->r.line = true;
        r->r.mate = n[1 - i];
        r->r.mate_value = ct_vec_dot(pool, n[1 - i], offset);
    }
}

int ct_flow_oriented(ct_flow_search *search, const ct_flow_state *s, const int *turned, int x,
                     int skip, int n, ct_flow_relation *relations) {
    const ct_loop_group *g = search->g;
    ct_flow_finder f = {search->snap, g, s, relations, n};
    for (int i = 0; i < g->n_edges; i++)
        for (int sx = 0; sx < 2 && g->edges[i] != skip; sx++) {
            const ct_flow_edge *e1 = search->snap->edges + g->edges[i];
            int y = e1->body[1 - sx];
            if (e1->is_virtual || e1->joint < 0 || s->cluster[e1->body[sx]] != x ||
                s->cluster[y] == x || !s->cluster[y] || turned[y] || turned[e1->body[sx]])
                continue;
            for (int j = 0; j < g->n_edges; j++) {
                const ct_flow_edge *e2 = search->snap->edges + g->edges[j];
                int sk = e2->body[0] == y;
                if (i == j || g->edges[j] == skip || e2->is_virtual || e2->joint < 0 ||
                    e2->body[1 - sk] != y || s->cluster[e2->body[sk]])
                    continue;
                through(&f, e1, sx, e2, sk);
            }
        }
    return f.n;
}
