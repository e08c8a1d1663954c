// Welded bodies are one body to the search, whatever the user cut it into: joints of all its parts
// are carried over to the part that stands for it, p = o + T p'. Example: a plate of two halves, with
// three links on either. Fixed joints are no edges then, and always in the trees.
#include "closure/relations/snapshot.h"

#include <string.h>

typedef struct welder {
    ct_snapshot *snap;
    bool *done;    // [bodies] turn and at are known
    ct_mat3 *turn; // [bodies] components in the frame of the home from those in its own
    ct_vec3 *at;   // [bodies] from the centre of mass of the home to its own
} welder;

// True if both bodies have one home; in the trees it is a fixed joint or cannot move.
static bool is_inside(const ct_snapshot *snap, const ct_flow_edge *e) {
    return snap->home[e->body[0]] == snap->home[e->body[1]];
}

static bool is_weld(const ct_flow_edge *e) {
    return e->joint >= 0 && e->may_carry && !e->is_virtual && e->n == 0;
}

// Homes of bodies. Parts stay apart where a joint between them is no fixed one of the trees: such a
// joint cannot move, and its coordinates have to be found.
static void choose_homes(welder *w) {
    ct_snapshot *snap = w->snap;
    bool *apart = ct_scratch((size_t)snap->n_bodies, sizeof *apart);
    ct_graph_homes(snap->model, snap->home);
    for (int i = 0; i < snap->n_edges; i++)
        if (is_inside(snap, snap->edges + i) && !is_weld(snap->edges + i))
            apart[snap->home[snap->edges[i].body[0]]] = true;
    for (int b = 0; b < snap->n_bodies; b++) {
        if (apart[snap->home[b]]) snap->home[b] = b;
        w->done[b] = snap->home[b] == b;
        w->turn[b] = ct_mat3_identity();
        w->at[b] = ct_vec3_zero();
    }
}

// The place of a part from its neighbour across a fixed joint.
static void place_part(welder *w, const ct_flow_edge *e, int from) {
    ct_pool *pool = w->snap->layout->pool;
    const ct_connection *c = e->c;
    int a = e->body[from], b = e->body[1 - from];
    // R(a <- b), and the centre of b in a
    ct_mat3 turn = ct_mat_mul(pool, c->orient[from], ct_mat_transpose(c->orient[1 - from]));
    ct_vec3 way = ct_vec_sub(pool, c->at[from], ct_mat_vec(pool, turn, c->at[1 - from]));
    w->turn[b] = ct_mat_mul(pool, w->turn[a], turn);
    w->at[b] = ct_vec_add(pool, w->at[a], ct_mat_vec(pool, w->turn[a], way));
    w->done[b] = true;
    w->snap->welds[w->snap->n_welds++] = e->joint;
}

// Follows the fixed joints from every home on.
static void place_parts(welder *w) {
    for (int i = 0; i < w->snap->n_edges; i++) {
        const ct_flow_edge *e = w->snap->edges + i;
        bool one = w->done[e->body[0]], other = w->done[e->body[1]];
        if (!is_inside(w->snap, e) || one == other) continue;
        place_part(w, e, other);
        i = -1; // from the start
    }
}

// One side of a joint, on the body that stands for its own.
static void carry_over(welder *w, ct_flow_edge *e, ct_connection *c, int side) {
    ct_pool *pool = w->snap->layout->pool;
    int part = e->body[side];
    const ct_mat3 turn = w->turn[part];
    c->body[side] = e->body[side] = w->snap->home[part];
    c->at[side] = ct_vec_add(pool, w->at[part], ct_mat_vec(pool, turn, c->at[side]));
    c->orient[side] = ct_mat_mul(pool, turn, c->orient[side]);
    e->axis_in[side] = ct_mat_vec(pool, turn, e->axis_in[side]);
    e->second_in[side] = ct_mat_vec(pool, turn, e->second_in[side]);
    for (int i = 0; i < 2; i++)
        e->across_in[side][i] = ct_mat_vec(pool, turn, e->across_in[side][i]);
}

void ct_snapshot_weld(ct_snapshot *snap) {
    size_t n = (size_t)snap->n_bodies;
    welder w = {.snap = snap,
                .done = ct_scratch(n, sizeof *w.done),
                .turn = ct_scratch(n, sizeof *w.turn),
                .at = ct_scratch(n, sizeof *w.at)};
    snap->home = ct_scratch(n, sizeof *snap->home);
    snap->welds = ct_scratch((size_t)snap->n_edges + 1, sizeof *snap->welds);
    // which bodies are one, and where their parts are
    choose_homes(&w);
    place_parts(&w);
    // joints of the parts; fixed ones go
    int kept = 0;
    for (int i = 0; i < snap->n_edges; i++) {
        ct_flow_edge e = snap->edges[i];
        if (is_inside(snap, &e)) continue;
        if (snap->home[e.body[0]] != e.body[0] || snap->home[e.body[1]] != e.body[1]) {
            ct_connection *c = ct_scratch(1, sizeof *c);
            *c = *e.c;
            e.c = c;
            for (int s = 0; s < 2; s++)
                if (snap->home[e.body[s]] != e.body[s]) carry_over(&w, &e, c, s);
        }
        snap->edges[kept++] = e;
    }
    snap->n_edges = kept;
}
