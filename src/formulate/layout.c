// The layout of a formulation: both trees condensed from frames to bodies (frames of a body do not
// move against each other), and a connection for every edge that may be a branch.
#include "formulate/whole_rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Parent body, branch and order of every body in one domain, from the tree of frames.
static void condense(ct_layout *l, ct_domain d) {
    const ct_graph *g = l->f->graph;
    const ct_tree *t = &g->tree[d];
    int n = l->n_bodies, count = 0;
    l->parent[d] = ct_arena_alloc(&l->arena, (size_t)n, sizeof(int));
    l->branch[d] = ct_arena_alloc(&l->arena, (size_t)n, sizeof(int));
    l->order[d] = ct_arena_alloc(&l->arena, (size_t)n, sizeof(int));
    for (int b = 0; b < n; b++) l->parent[d][b] = l->branch[d][b] = -1;
    for (int i = 0; i < g->n_nodes; i++) {
        // the first frame of a body that the walk meets is where its branch ends
        int node = t->order[i], body = g->node_body[node];
        if (!node) {
            l->order[d][count++] = 0;
            continue;
        }
        int up = t->parent[node], edge = t->parent_edge[node];
        if (g->edges[edge].kind == CT_EDGE_ARM || body == g->node_body[up] ||
            l->branch[d][body] >= 0)
            continue;
        l->parent[d][body] = g->node_body[up];
        l->branch[d][body] = edge;
        l->order[d][count++] = body;
    }
}

ct_vec3 ct_from_com(const ct_layout *l, int body, ct_vec3 at) {
    return body ? ct_vec_sub(l->pool, at, l->model->bodies[body].com) : at;
}

static void add_rotation(ct_connection *c, ct_vec3 axis, ct_ex q, ct_ex qd) {
    int k = c->n_rot++;
    c->axis[k] = axis;
    c->angle[k] = q;
    c->angle_d[k] = qd;
}

static void add_slide(ct_connection *c, ct_vec3 direction, ct_ex q, ct_ex qd) {
    int k = c->n_trans++;
    c->direction[k] = direction;
    c->slide[k] = q;
    c->slide_d[k] = qd;
}

// In-plane directions for a normal: (x, y) for z, (y, z) for x, (z, x) for y; else those of the
// frame that turns z into the normal by the shortest rotation, I + [v] + [v]^2 / (1 + n_z) with v =
// z x n (half a turn about x for -z).
static void plane_directions(ct_pool *pool, ct_vec3 n, ct_vec3 *d1, ct_vec3 *d2) {
    for (int i = 0; i < 3; i++)
        if (n.v[i] == CT_ONE) {
            *d1 = ct_vec_unit((i + 1) % 3);
            *d2 = ct_vec_unit((i + 2) % 3);
            return;
        }
    if (n.v[0] == CT_ZERO && n.v[1] == CT_ZERO) {
        *d1 = ct_vec_unit(0);
        *d2 = ct_vec(CT_ZERO, ct_int(pool, -1), CT_ZERO);
        return;
    }
    ct_ex k = ct_power_int(pool, ct_add(pool, CT_ONE, n.v[2]), -1);
    ct_ex xx = ct_product(pool, 3, (ct_ex[]){n.v[0], n.v[0], k}),
          yy = ct_product(pool, 3, (ct_ex[]){n.v[1], n.v[1], k});
    ct_ex xy = ct_neg(pool, ct_product(pool, 3, (ct_ex[]){n.v[0], n.v[1], k}));
    *d1 = ct_vec(ct_sub(pool, CT_ONE, xx), xy, ct_neg(pool, n.v[0]));
    *d2 = ct_vec(xy, ct_sub(pool, CT_ONE, yy), ct_neg(pool, n.v[1]));
}

static void connect_slides(ct_pool *pool, const ct_joint *joint, const ct_coordinate *q,
                           ct_connection *c) {
    ct_vec3 d[3] = {ct_vec_unit(0), ct_vec_unit(1), ct_vec_unit(2)};
    switch (ct_joint_traits_of(joint->type)->holds) {
    case CT_HOLDS_NOTHING: break;
    case CT_HOLDS_PLANE: plane_directions(pool, joint->axis[0], &d[0], &d[1]); break;
    case CT_HOLDS_LINE: d[0] = joint->axis[0]; break;
    case CT_HOLDS_DISTANCE:
    case CT_HOLDS_HELIX:
    case CT_HOLDS_POINT: return;
    }
    for (int k = 0; k < ct_joint_translations(joint->type); k++)
        add_slide(c, d[k], q[k].q, q[k].qd);
}

static void connect_turns(const ct_joint *joint, const ct_coordinate *q, ct_connection *c) {
    int n = ct_joint_rotations(joint->type);
    for (int k = 0; k < n; k++)
        add_rotation(c, n == 3 ? ct_vec_unit(joint->sequence[k]) : joint->axis[k], q[k].q, q[k].qd);
}

static void connect_joint(ct_layout *l, const ct_joint *joint, ct_connection *c) {
    ct_pool *pool = l->pool;
    const ct_coordinate *q = l->model->coordinates + joint->first_coordinate;
    for (int s = 0; s < 2; s++) {
        c->body[s] = joint->body[s];
        c->at[s] = ct_from_com(l, joint->body[s], joint->at[s]);
        c->orient[s] = joint->orient[s];
    }
    if (!ct_joint_has_coordinates(joint->type)) return; // constraints: only places and axes
    connect_slides(pool, joint, q, c);
    connect_turns(joint, q + ct_joint_translations(joint->type), c);
    if (ct_joint_traits_of(joint->type)->holds == CT_HOLDS_HELIX) {
        ct_ex lead = ct_div(pool, joint->pitch, ct_mul(pool, ct_int(pool, 2), ct_pi(pool)));
        add_slide(c, ct_vec_scale(pool, lead, joint->axis[0]), q[0].q, q[0].qd);
        c->screw = true;
    }
}

ct_connection ct_connect_switched(ct_layout *l, const ct_joint *joint, bool kept) {
    ct_pool *pool = l->pool;
    const ct_coordinate none[6] = {0};
    ct_connection c = {0};
    for (int s = 0; s < 2; s++) {
        c.body[s] = joint->body[s];
        c.at[s] = ct_from_com(l, joint->body[s], joint->at[s]);
        c.orient[s] = joint->orient[s];
    }
    if (ct_joint_has_coordinates(joint->type)) {
        connect_slides(pool, joint, none, &c);
        connect_turns(joint, none, &c);
    }
    if (!kept) return c;
    // A's point and frame where B's were: both as the user's joint frame in A sees them
    const ct_vec3 place = {{joint->kept_place[0], joint->kept_place[1], joint->kept_place[2]}};
    c.at[0] = ct_vec_add(pool, c.at[0], ct_mat_vec(pool, c.orient[0], place));
    ct_mat3 turn;
    memcpy(turn.a, joint->kept_turn, sizeof turn.a);
    if (turn.a[0][0] != CT_ZERO) c.orient[0] = ct_mat_mul(pool, c.orient[0], turn);
    return c;
}

static void body_coordinate(ct_layout *l, int body, const char *what, ct_ex *q, ct_ex *qd) {
    char *name = ct_scratch_format("%s.%s", l->model->bodies[body].name, what),
         *rate = ct_scratch_format("%s'", name);
    *q = ct_symbol(l->pool, CT_SYMBOL_COORDINATE, name);
    *qd = ct_symbol(l->pool, CT_SYMBOL_RATE, rate);
}

// Absolute coordinates of a body, from ground: its centre of mass and three angles; in a planar
// mechanism whose normal is x, y or z two places and one angle.
static void connect_body(ct_layout *l, int body, ct_connection *c) {
    static const char *const place[] = {"x", "y", "z"}, *const turn[] = {"1", "2", "3"};
    ct_ex q, qd;
    c->body[1] = body;
    c->orient[0] = c->orient[1] = ct_mat3_identity();
    // planar: the design orientation and the height over the plane are constants
    if (l->normal >= 0) {
        int n = l->normal;
        c->orient[1] = ct_mat_transpose(l->rotation0[body]);
        c->offset.v[n] = l->centre0[body].v[n];
        // two places in the plane, one angle about the normal
        for (int k = 1; k <= 2; k++) {
            body_coordinate(l, body, place[(n + k) % 3], &q, &qd);
            add_slide(c, ct_vec_unit((n + k) % 3), q, qd);
        }
        body_coordinate(l, body, "angle", &q, &qd);
        add_rotation(c, ct_vec_unit(n), q, qd);
        return;
    }
    // in space: x, y, z and three angles in the sequence chosen for the body
    for (int k = 0; k < 3; k++) {
        body_coordinate(l, body, place[k], &q, &qd);
        add_slide(c, ct_vec_unit(k), q, qd);
    }
    for (int k = 0; k < 3; k++) {
        body_coordinate(l, body, turn[k], &q, &qd);
        add_rotation(c, ct_vec_unit(l->sequence[body][k]), q, qd);
    }
}

ct_ex ct_design_slide(const ct_layout *l, int body, int part) {
    const ct_connection *c = l->connections + ct_graph_edge(l->f->graph, CT_EDGE_BODY, body);
    return ct_vec_dot(l->pool, c->direction[part], l->model->bodies[body].com);
}

static void connect(ct_layout *l) {
    const ct_graph *g = l->f->graph;
    for (int e = 0; e < g->n_edges; e++) {
        ct_connection *c = l->connections + e;
        *c = (ct_connection){0};
        if (g->edges[e].kind == CT_EDGE_BODY)
            connect_body(l, g->edges[e].index, c);
        else if (g->edges[e].kind == CT_EDGE_JOINT || g->edges[e].kind == CT_EDGE_CONSTRAINT)
            connect_joint(l, l->model->joints + g->edges[e].index, c);
    }
    ct_layout_whole_rotations(l);
}

static void start_cache(ct_layout *l) {
    size_t n = (size_t)l->n_bodies;
    l->cache = ct_arena_alloc(&l->arena, n * n, sizeof *l->cache);
    l->cached = ct_arena_alloc(&l->arena, n * n, sizeof *l->cached);
    l->factors = ct_arena_alloc(&l->arena, n * n, sizeof *l->factors);
    l->place = ct_arena_alloc(&l->arena, n, sizeof *l->place);
    l->is_placed = ct_arena_alloc(&l->arena, n, sizeof *l->is_placed);
}

ct_layout *ct_layout_new(ct_formulation *f) {
    ct_layout *l = ct_alloc(1, sizeof *l);
    *l = (ct_layout){
        .f = f, .pool = f->pool, .model = f->model, .n_bodies = f->model->n_bodies, .normal = -1};
    size_t n = (size_t)l->n_bodies;
    condense(l, CT_ROTATION);
    condense(l, CT_TRANSLATION);
    l->connections = ct_arena_alloc(&l->arena, (size_t)(f->graph->n_edges + f->n_whole_rotations),
                                    sizeof *l->connections);
    l->rotation0 = ct_arena_alloc(&l->arena, n, sizeof *l->rotation0);
    l->centre0 = ct_arena_alloc(&l->arena, n, sizeof *l->centre0);
    l->sequence = ct_arena_alloc(&l->arena, n, sizeof *l->sequence);
    start_cache(l);
    ct_layout_find_plane(l);
    connect(l);
    return l;
}

ct_layout *ct_layout_view(const ct_layout *l, ct_formulation *view) {
    ct_layout *v = ct_alloc(1, sizeof *v);
    *v = *l;
    v->f = view;
    v->pool = view->pool;
    v->model = view->model;
    v->arena = (ct_arena){0};
    if (view->n_whole_rotations) {
        size_t n = (size_t)(view->graph->n_edges + view->n_whole_rotations);
        v->connections = ct_arena_alloc(&v->arena, n, sizeof *v->connections);
        memcpy(v->connections, l->connections, n * sizeof *v->connections);
        for (int i = 0; i < view->n_whole_rotations; i++)
            v->connections[view->graph->n_edges + i].whole = view->whole_rotations + i;
    }
    start_cache(v);
    return v;
}
