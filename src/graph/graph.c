// Building the linear graph from a model: one frame per centre of mass and per place where a
// component is attached, one edge per component.
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

static int add_node(ct_graph *g, int body, int *room) {
    int node = g->n_nodes;
    *CT_PUSH(g->node_body, g->n_nodes, *room) = body;
    return node;
}

static int add_edge(ct_graph *g, ct_edge_kind kind, int index, int from, int to, const char *name) {
    int edge = g->n_edges;
    *CT_PUSH(g->edges, g->n_edges, g->room_edges) =
        (ct_edge){.kind = kind, .index = index, .from = from, .to = to, .name = name};
    return edge;
}

// True if a point of a body is its centre of mass (ground: the origin), whatever the values of
// parameters.
static bool is_centre(const ct_model *model, int body, ct_vec3 at) {
    const ct_vec3 *com = &model->bodies[body].com;
    for (int i = 0; i < 3; i++)
        if (at.v[i] != (body ? com->v[i] : CT_ZERO)) return false;
    return true;
}

// A frame on a body, reached by an arm from its centre of mass (ground: from the origin). Node of
// body b is b: what is attached there needs no arm.
static int attach(ct_graph *g, int body, ct_vec3 at, const char *what, int *room) {
    if (is_centre(g->model, body, at)) return body;
    int node = add_node(g, body, room);
    const char *owner = body ? g->model->bodies[body].name : "ground";
    add_edge(g, CT_EDGE_ARM, body, body, node, ct_arena_format(&g->arena, "%s:%s", owner, what));
    return node;
}

void ct_graph_swings(ct_graph *g, int n, const ct_swing *swings) {
    ct_swing *all = ct_arena_alloc(&g->arena, (size_t)(g->n_swings + n) + 1, sizeof *all);
    if (g->n_swings) memcpy(all, g->swings, (size_t)g->n_swings * sizeof *all);
    g->swings = all;
    for (int i = 0; i < n; i++) {
        all[g->n_swings] = swings[i];
        all[g->n_swings++].name = ct_arena_strdup(&g->arena, swings[i].name);
    }
}

ct_graph *ct_graph_new(const ct_model *model) {
    ct_graph *g = ct_region_new(sizeof *g);
    g->model = model;
    // a node at each centre of mass, with an edge from ground
    int room = 0;
    for (int b = 0; b < model->n_bodies; b++) add_node(g, b, &room);
    for (int b = 1; b < model->n_bodies; b++)
        add_edge(g, CT_EDGE_BODY, b, 0, b, ct_arena_strdup(&g->arena, model->bodies[b].name));
    // joints and constraints between frames on their bodies
    for (int j = 0; j < model->n_joints; j++) {
        const ct_joint *joint = model->joints + j;
        if (joint->body[0] < 0) continue; // gears and equations relate coordinates, not frames
        int from = attach(g, joint->body[0], joint->at[0], joint->name, &room),
            to = attach(g, joint->body[1], joint->at[1], joint->name, &room);
        bool has = ct_joint_has_coordinates(joint->type);
        add_edge(g, has ? CT_EDGE_JOINT : CT_EDGE_CONSTRAINT, j, from, to,
                 ct_arena_strdup(&g->arena, joint->name));
    }
    // motions: across their joint, or from ground to the guided body
    for (int i = 0; i < model->n_motions; i++) {
        const ct_motion *m = model->motions + i;
        int from = 0, to = 0;
        if (m->coordinate >= 0) {
            const ct_joint *joint = model->joints + model->coordinates[m->coordinate].joint;
            from = joint->body[0], to = joint->body[1];
        } else if (m->probe >= 0) {
            to = model->probes[m->probe].body[0];
        }
        add_edge(g, CT_EDGE_MOTION, i, from, to, ct_arena_strdup(&g->arena, m->name));
    }
    // forces: from ground, between two bodies, or across a joint
    for (int i = 0; i < model->n_forces; i++) {
        const ct_force *f = model->forces + i;
        int from = 0, to = f->body[0];
        switch (ct_force_traits_of(f->type)->on) {
        case CT_ON_BODY: break;
        case CT_ON_POINTS:
        case CT_ON_BODIES: from = f->body[0], to = f->body[1]; break;
        case CT_ON_COORDINATE: {
            const ct_joint *joint = model->joints + model->coordinates[f->coordinate].joint;
            from = joint->body[0], to = joint->body[1];
        }
        }
        add_edge(g, CT_EDGE_FORCE, i, from, to, ct_arena_strdup(&g->arena, f->name));
    }
    ct_region_close(&g->region);
    return g;
}

void ct_graph_free(ct_graph *g) {
    if (g) ct_region_free(&g->region);
}

int ct_graph_edge(const ct_graph *g, ct_edge_kind kind, int index) {
    for (int e = 0; e < g->n_edges; e++)
        if (g->edges[e].kind == kind && g->edges[e].index == index) return e;
    return -1;
}

// Parents and order by walking the branches from ground; returns the number of nodes reached.
static int root(const ct_graph *g, ct_tree *t) {
    int reached = 1, done = 0;
    t->order[0] = 0;
    while (done < reached) {
        int node = t->order[done++];
        for (int e = 0; e < g->n_edges; e++) {
            if (!t->has[e]) continue;
            int other = g->edges[e].from == node ? g->edges[e].to
                        : g->edges[e].to == node ? g->edges[e].from
                                                 : -1;
            if (other <= 0 || t->parent_edge[other] >= 0) continue;
            t->parent_edge[other] = e;
            t->parent[other] = node;
            t->order[reached++] = other;
        }
    }
    return reached;
}

// Representative of a set of connected nodes (union-find, with path halving).
static int find(int *set, int i) {
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

ct_status ct_tree_set(ct_context *ctx, ct_graph *g, ct_domain domain, int n, const int *edges) {
    static const char *const names[] = {"rotation", "translation"};
    // an empty tree
    ct_tree *t = &g->tree[domain];
    t->has = ct_arena_alloc(&g->arena, (size_t)g->n_edges, sizeof *t->has);
    t->parent_edge = ct_arena_alloc(&g->arena, (size_t)g->n_nodes, sizeof *t->parent_edge);
    t->parent = ct_arena_alloc(&g->arena, (size_t)g->n_nodes, sizeof *t->parent);
    t->order = ct_arena_alloc(&g->arena, (size_t)g->n_nodes, sizeof *t->order);
    for (int i = 0; i < g->n_nodes; i++) t->parent_edge[i] = t->parent[i] = -1;
    // all arms are branches
    int *set = ct_scratch((size_t)g->n_nodes, sizeof *set);
    for (int i = 0; i < g->n_nodes; i++) set[i] = i;
    for (int e = 0; e < g->n_edges; e++)
        if (g->edges[e].kind == CT_EDGE_ARM) {
            t->has[e] = true;
            set[find(set, g->edges[e].from)] = find(set, g->edges[e].to);
        }
    // the given edges must join what is not connected yet
    ct_status status = CT_OK;
    for (int i = 0; i < n; i++) {
        int a = find(set, g->edges[edges[i]].from), b = find(set, g->edges[edges[i]].to);
        if (a == b)
            status = ct_fail(
                ctx, CT_WRONG_MODEL,
                "the %s tree has a loop: '%s' joins what the entries before it already join",
                names[domain], g->edges[edges[i]].name);
        set[a] = b;
        t->has[edges[i]] = true;
    }
    // and reach every node
    if (status == CT_OK && root(g, t) < g->n_nodes) {
        int lost = 1;
        while (t->parent_edge[lost] >= 0) lost++;
        status =
            ct_fail(ctx, CT_WRONG_MODEL,
                    "the %s tree does not reach body '%s': add the body itself or a joint on it",
                    names[domain], g->model->bodies[g->node_body[lost]].name);
    }
    return status;
}
