// From a mechanism to its flow: what is driven or asked for is known, what hangs on one joint alone
// is free, every group of loops is ordered by itself, nearest to ground first.
#include "closure/flow_inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct planner {
    ct_context *ctx;
    ct_flow_world w;
    ct_flow *flow;
    bool *known;
    bool given; // the independent coordinates are the caller's
    int freedoms;
} planner;

static bool is_gear(const ct_joint *j) {
    return j->type == CT_JOINT_GEAR || j->type == CT_JOINT_RACK;
}

// Gears and racks carry knowledge from one coordinate to the other.
void ct_flow_spread(const ct_model *m, bool *known) {
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < m->n_joints; i++) {
            const ct_joint *j = m->joints + i;
            if (!is_gear(j)) continue;
            bool a = known[j->coordinate[0]], b = known[j->coordinate[1]];
            if (a == b) continue;
            known[j->coordinate[0]] = known[j->coordinate[1]] = more = true;
        }
    }
}

static void spread(planner *p) {
    ct_flow_spread(p->w.model, p->known);
}

static bool in_group(const planner *p, const ct_flow_group *g, int coordinate) {
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = p->w.edges + g->edges[i];
        if (coordinate >= e->first && coordinate < e->first + e->n) return true;
    }
    return false;
}

// Gears between coordinates of a group take a freedom each, unless motions give both.
static int gears_of(const planner *p, const ct_flow_group *g) {
    int n = 0;
    for (int i = 0; i < p->w.model->n_joints; i++) {
        const ct_joint *j = p->w.model->joints + i;
        if (!is_gear(j) || p->known[j->coordinate[0]]) continue;
        n += in_group(p, g, j->coordinate[0]) && in_group(p, g, j->coordinate[1]);
    }
    return n;
}

static void make_independent(planner *p, int coordinate) {
    ct_flow *f = p->flow;
    p->known[coordinate] = true;
    *CT_PUSH(f->independent, f->n_independent, f->room_independent) = coordinate;
    spread(p);
}

static bool refuse(planner *p, char *why) {
    free(p->flow->why);
    p->flow->why = why;
    p->flow->complete = false;
    return false;
}

// What no flow knows how to follow.
static bool supported(planner *p) {
    const ct_model *m = p->w.model;
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (j->type == CT_JOINT_CONSTRAINT)
            return refuse(p, ct_format("constraint '%s' is an equation of its own", j->name));
    }
    bool bodies = false;
    for (int i = 0; i < m->n_rotation; i++) bodies = bodies || m->rotation[i].is_body;
    for (int i = 0; i < m->n_translation; i++) bodies = bodies || m->translation[i].is_body;
    if (bodies) return refuse(p, ct_strdup("the trees hold bodies' own coordinates"));
    for (int i = 0; i < m->n_motions; i++)
        if (m->motions[i].coordinate < 0)
            return refuse(p, ct_format("motion '%s' drives a point", m->motions[i].name));
    return true;
}

static ct_status asked_for(planner *p, int n, const char *const *names) {
    const ct_model *m = p->w.model;
    for (int i = 0; i < n; i++) {
        int c = ct_model_coordinate(m, names[i]);
        if (c < 0) {
            refuse(p, ct_format("'%s' is not a coordinate of a joint", names[i]));
            continue;
        }
        if (p->known[c])
            return ct_fail(p->ctx, CT_WRONG_MODEL,
                           "'%s' cannot be independent: a motion, a gear or the list itself gives "
                           "it already",
                           names[i]);
        make_independent(p, c);
    }
    return CT_OK;
}

static int known_of(const planner *p, const ct_flow_group *g) {
    int known = 0;
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = p->w.edges + g->edges[i];
        for (int k = 0; k < e->n; k++) known += p->known[e->first + k];
    }
    return known;
}

// A joint that closes no loop: all of its coordinates are free.
static void free_joint(planner *p, const ct_flow_edge *e) {
    ct_flow *f = p->flow;
    *CT_PUSH(f->free_joint, f->n_free, f->room_free) = e->joint;
    f->preference[e->joint] = 1;
    for (int k = 0; k < e->n; k++) {
        p->freedoms += !p->known[e->first + k];
        if (p->known[e->first + k]) continue;
        if (p->given)
            refuse(p, ct_format("the independent coordinates leave '%s' open",
                                p->w.model->coordinates[e->first + k].name));
        else
            make_independent(p, e->first + k);
    }
}

static bool order_group(planner *p, const ct_flow_group *g) {
    const ct_model *m = p->w.model;
    int gears = gears_of(p, g), known = known_of(p, g);
    int freedoms = ct_flow_freedoms(&p->w, g->n_bodies, g->bodies, g->n_edges, g->edges) - gears;
    const char *where = m->joints[p->w.edges[g->edges[0]].joint].name;
    p->freedoms += freedoms - known;
    if (freedoms < known)
        return refuse(p, ct_format("more coordinates are given in the loops through '%s' than "
                                   "they have freedoms",
                                   where));
    if (p->given && freedoms != known)
        return refuse(p, ct_format("the independent coordinates leave %d freedom%s of the loops "
                                   "through '%s' open",
                                   freedoms - known, freedoms - known == 1 ? "" : "s", where));
    if (!ct_flow_order(&p->w, g, p->known, freedoms - known, !p->given, gears == 0, p->flow))
        return refuse(p, ct_format("no order was found for the loops through '%s'", where));
    // every coordinate of a joint in the tree is known from here on
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = p->w.edges + g->edges[i];
        for (int k = 0; k < e->n && p->flow->preference[e->joint]; k++)
            p->known[e->first + k] = true;
    }
    spread(p);
    return true;
}

static bool reached(const planner *p, int n, const ct_flow_group *groups) {
    bool *seen = ct_alloc((size_t)p->w.n_bodies, sizeof *seen), all = true;
    seen[0] = true;
    for (int g = 0; g < n; g++)
        for (int i = 0; i < groups[g].n_bodies; i++) seen[groups[g].bodies[i]] = true;
    for (int b = 0; b < p->w.n_bodies; b++) all = all && seen[b];
    free(seen);
    return all;
}

static void order_all(planner *p) {
    ct_flow_group *groups;
    int n = ct_flow_groups(&p->w, &groups);
    if (!reached(p, n, groups)) refuse(p, ct_strdup("a body hangs on no joint"));
    for (int g = 0; g < n && p->flow->complete; g++) {
        const ct_flow_edge *e = p->w.edges + groups[g].edges[0];
        if (groups[g].n_bodies == 2 && groups[g].n_edges == 1 && !e->is_virtual && e->may_carry)
            free_joint(p, e);
        else
            order_group(p, groups + g);
    }
    ct_flow_groups_free(n, groups);
}

ct_status ct_flow_find(ct_context *ctx, const ct_formulation *f, const double *q0, int n_names,
                       const char *const *names, ct_flow **result) {
    const ct_model *m = f->model;
    planner p = {.ctx = ctx};
    double start = ct_seconds();
    p.flow = ct_alloc(1, sizeof *p.flow);
    *p.flow = (ct_flow){.model = m,
                        .complete = true,
                        .recalled = true,
                        .preference = ct_alloc((size_t)m->n_joints + 1, sizeof(int))};
    p.known = ct_alloc((size_t)m->n_coordinates + 1, sizeof *p.known);
    ct_flow_world_init(&p.w, f, q0);
    for (int i = 0; i < m->n_motions; i++)
        if (m->motions[i].coordinate >= 0) p.known[m->motions[i].coordinate] = true;
    spread(&p);
    const char **own = ct_alloc((size_t)m->n_independent + 1, sizeof *own);
    for (int i = 0; i < m->n_independent; i++) own[i] = m->independent[i].name;
    if (!n_names && m->n_independent) {
        n_names = m->n_independent;
        names = own;
    }
    p.given = n_names > 0;
    ct_status status = asked_for(&p, n_names, names);
    if (!status && supported(&p) && p.flow->complete) order_all(&p);
    free(own);
    free(p.known);
    ct_flow_world_clear(&p.w);
    if (status) {
        ct_flow_free(p.flow);
        p.flow = NULL;
    }
    if (p.flow) {
        p.flow->seconds = ct_seconds() - start;
        p.flow->recalled = p.flow->recalled && p.flow->n_groups > 0;
    }
    *result = p.flow;
    return status;
}

ct_status ct_flow_trees(ct_context *ctx, const ct_flow *flow, ct_graph *graph) {
    return ct_tree_rule_joint(ctx, graph, flow->preference);
}

void ct_flow_free(ct_flow *f) {
    if (!f) return;
    free(f->independent);
    free(f->placements);
    free(f->group);
    free(f->group_root);
    free(f->spare);
    free(f->spare_group);
    free(f->free_joint);
    free(f->preference);
    free(f->why);
    free(f);
}
