// Groups of loops: the blocks (biconnected components) of the graph of bodies, by depth-first
// search (Tarjan). The positions of a group relative to its first body do not depend on other
// groups.
#include "closure/relations/snapshot.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const ct_snapshot *snap;
    int *depth, *low, *stack, n_stack, time;
    ct_loop_group *groups;
    int n, room;
} walk;

static int other(const ct_flow_edge *e, int body) {
    return e->body[0] == body ? e->body[1] : e->body[0];
}

static void note_body(ct_loop_group *group, int body) {
    for (int i = 0; i < group->n_bodies; i++)
        if (group->bodies[i] == body) return;
    group->bodies[group->n_bodies++] = body;
}

// The edges above `mark` on the stack are a block that hangs on `root`.
static void cut(walk *k, int root, int mark) {
    size_t count = (size_t)(k->n_stack - mark);
    ct_loop_group *g = CT_PUSH_SCRATCH(k->groups, k->n, k->room);
    *g = (ct_loop_group){.bodies = ct_scratch(2 * count + 1, sizeof(int)),
                         .edges = ct_scratch(count + (size_t)k->snap->n_edges, sizeof(int))};
    note_body(g, root);
    for (int i = mark; i < k->n_stack; i++) {
        const ct_flow_edge *e = k->snap->edges + k->stack[i];
        g->edges[g->n_edges++] = k->stack[i];
        note_body(g, e->body[0]);
        note_body(g, e->body[1]);
    }
    k->n_stack = mark;
}

// low: the smallest depth that a back edge of the subtree reaches. The subtree of `next` is a block
// if none reaches above the body.
static void visit(walk *k, int body, int from) {
    k->depth[body] = k->low[body] = ++k->time;
    for (int i = 0; i < k->snap->n_edges; i++) {
        const ct_flow_edge *e = k->snap->edges + i;
        if (i == from || e->is_virtual || (e->body[0] != body && e->body[1] != body)) continue;
        int next = other(e, body);
        if (k->depth[next]) {
            if (k->depth[next] < k->depth[body]) {
                k->stack[k->n_stack++] = i;
                if (k->depth[next] < k->low[body]) k->low[body] = k->depth[next];
            }
            continue;
        }
        int mark = k->n_stack;
        k->stack[k->n_stack++] = i;
        visit(k, next, i);
        if (k->low[next] < k->low[body]) k->low[body] = k->low[next];
        if (k->low[next] >= k->depth[body]) cut(k, body, mark);
    }
}

static bool holds(const ct_loop_group *group, int body) {
    for (int i = 0; i < group->n_bodies; i++)
        if (group->bodies[i] == body) return true;
    return false;
}

// Virtual joints offer their coordinates to the group that holds both bodies. The own coordinates
// of a body serve a group of loops also where its first body moves against ground.
static bool may_use(const ct_snapshot *snap, const ct_loop_group *group, const ct_flow_edge *e) {
    bool own = e->joint >= CT_BODY_JOINT(snap->model, 0);
    if (!holds(group, e->body[1]) || (own && group->n_bodies < 3 && group->n_edges < 2))
        return false;
    return holds(group, e->body[0]) || (own && group->bodies[0] != e->body[1]);
}

// Sorts the edges of a group by body.
static void sort_edges(const ct_snapshot *snap, ct_loop_group *group) {
    size_t n = (size_t)snap->n_bodies;
    group->first = ct_scratch(n + 2, sizeof *group->first);
    group->by_body = ct_scratch(2 * (size_t)group->n_edges + 1, sizeof *group->by_body);
    // numbers of edges, two places on: while edges are filled in, first[b + 1] is where the next goes
    int *next = group->first + 1;
    for (int i = 0; i < group->n_edges; i++)
        for (int side = 0; side < 2; side++)
            if (snap->edges[group->edges[i]].body[side] + 1 < snap->n_bodies)
                next[snap->edges[group->edges[i]].body[side] + 1]++;
    for (int b = 1; b < snap->n_bodies; b++) next[b] += next[b - 1];
    for (int i = 0; i < group->n_edges; i++)
        for (int side = 0; side < 2; side++)
            group->by_body[next[snap->edges[group->edges[i]].body[side]]++] = group->edges[i];
}

void ct_flow_groups(ct_snapshot *snap) {
    walk k = {.snap = snap,
              .depth = ct_scratch((size_t)snap->n_bodies, sizeof(int)),
              .low = ct_scratch((size_t)snap->n_bodies, sizeof(int)),
              .stack = ct_scratch((size_t)snap->n_edges + 1, sizeof(int))};
    visit(&k, 0, -1);
    for (int i = 0; i < snap->n_edges; i++)
        for (int g = 0; snap->edges[i].is_virtual && g < k.n; g++)
            if (may_use(snap, k.groups + g, snap->edges + i)) {
                k.groups[g].edges[k.groups[g].n_edges++] = i;
                break;
            }
    for (int g = 0; g < k.n; g++) sort_edges(snap, k.groups + g);
    snap->groups = k.groups;
    snap->n_groups = k.n;
}
