// The library of orders: what was chosen for a structure is kept on disk and tried first the next
// time.
#include "closure/flow/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int place_of(const ct_flow_group *g, int body) {
    for (int i = 0; i < g->n_bodies; i++)
        if (g->bodies[i] == body) return i;
    return -1;
}

static void add(uint64_t *h, long x) {
    *h = ct_hash(&x, sizeof x, *h);
}

// Zero, one, or something else.
static void add_vector(uint64_t *h, ct_vec3 v) {
    for (int i = 0; i < 3; i++) add(h, v.v[i] == CT_ZERO ? 0 : v.v[i] == CT_ONE ? 1 : 2);
}

static int edge_of(const ct_flow_world *w, const ct_flow_group *g, int coordinate) {
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = w->edges + g->edges[i];
        if (coordinate >= e->first && coordinate < e->first + e->n) return i;
    }
    return -1;
}

// What laws say about coordinates of the group: which, how they are solved, what else they hold.
static void add_laws(uint64_t *h, const ct_flow_world *w, const ct_flow_group *g,
                     const bool *known) {
    for (int i = 0; i < w->n_laws; i++) {
        const ct_flow_law *law = w->laws + i;
        int others = 0, inside = 0;
        for (int k = 0; k < law->n; k++) {
            int edge = edge_of(w, g, law->coordinate[k]);
            others += edge < 0 && !known[law->coordinate[k]];
            if (edge < 0) continue;
            inside++;
            add(h, edge);
            add(h, law->coordinate[k] - w->edges[g->edges[edge]].first);
            add(h, (long)ct_coupling_price(law->kind[k]));
        }
        if (!inside) continue;
        add(h, others);
        add(h, law->of_points);
    }
}

static uint64_t key_of(const ct_flow_world *w, const ct_flow_group *g, const bool *known,
                       int left) {
    uint64_t h = ct_hash("order 5", 7, 0);
    add(&h, g->n_bodies);
    add(&h, left);
    add(&h, w->offer == CT_OFFER_POSES_ONLY);
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = w->edges + g->edges[i];
        add(&h, e->type);
        add(&h, e->is_virtual);
        for (int s = 0; s < 2; s++) {
            add(&h, place_of(g, e->body[s]));
            add_vector(&h, e->c->at[s]);
            add_vector(&h, e->axis_in[s]);
            add_vector(&h, e->second_in[s]);
        }
        for (int k = 0; k < e->n; k++) {
            add(&h, known[e->first + k]);
            add(&h, (long)ct_flow_price(w, e->first + k));
        }
    }
    add_laws(&h, w, g, known);
    return h;
}

void ct_flow_library_settle(ct_flow_library *l) {
    for (int i = 0; i < l->n; i++) {
        ct_flow_structure *x = l->of + i;
        const ct_flow_known *o = x->orders + x->taken;
        if (x->settled) continue;
        ct_text t = {0};
        ct_text_printf(&t, "%d %d %d %.0f\n", x->poses, o->root, o->style, o->cost);
        for (int k = 0; k < o->n; k++) ct_text_printf(&t, "%d %d\n", o->pick[k][0], o->pick[k][1]);
        ct_cache_write("orders", x->key, t.s);
        ct_text_clear(&t);
        x->settled = true;
    }
}

static ct_flow_structure *find_structure(ct_flow_library *l, uint64_t key) {
    for (int i = 0; i < l->n; i++)
        if (l->of[i].key == key) return l->of + i;
    return NULL;
}

// Coordinates as edge of the group and number within the joint, so that names do not matter.
void ct_flow_remember(ct_flow_library *l, const ct_flow_search *q, uint64_t key) {
    ct_flow_structure *x = find_structure(l, key);
    if (x)
        ct_flow_structure_clear(x); // what it said does not hold here
    else
        x = CT_PUSH(l->of, l->n, l->room);
    *x = (ct_flow_structure){.key = key, .n = q->n_found};
    x->orders = ct_alloc((size_t)q->n_found, sizeof *x->orders);
    for (int i = 0; i < q->n_found; i++) {
        const ct_flow_found *f = q->found + i;
        ct_flow_known *o = x->orders + i;
        *o = (ct_flow_known){.root = place_of(q->g, f->root),
                             .style = (int)f->style,
                             .cost = f->node.cost,
                             .wish = f->wish};
        o->pick = ct_alloc((size_t)f->node.n_picked + 1, sizeof *o->pick);
        for (int k = 0; k < f->node.n_picked; k++) {
            int edge = edge_of(q->w, q->g, f->node.picked[k]);
            o->pick[o->n][0] = edge;
            o->pick[o->n++][1] = f->node.picked[k] - q->w->edges[q->g->edges[edge]].first;
        }
    }
}

static bool read_order(const char *text, const ct_flow_world *w, const ct_flow_group *g,
                       ct_flow_known *o, int *poses) {
    int read = 0, edge, within;
    if (sscanf(text, "%d %d %d %lf\n%n", poses, &o->root, &o->style, &o->cost, &read) != 4 ||
        o->root < 0 || o->root >= g->n_bodies || o->style < 0 || o->style >= CT_FLOW_STYLES)
        return false;
    o->pick = ct_alloc((size_t)w->n_coordinates + 1, sizeof *o->pick);
    for (const char *s = text + read; sscanf(s, "%d %d\n%n", &edge, &within, &read) == 2;
         s += read) {
        if (edge < 0 || edge >= g->n_edges || within < 0 || within >= w->edges[g->edges[edge]].n ||
            o->n == w->n_coordinates) {
            ct_free(o->pick);
            return false;
        }
        o->pick[o->n][0] = edge;
        o->pick[o->n++][1] = within;
    }
    return true;
}

static const ct_flow_structure *read_structure(ct_flow_library *l, const ct_flow_world *w,
                                               const ct_flow_group *g, uint64_t key) {
    ct_flow_structure *x = find_structure(l, key);
    if (x) return x;
    char *text = ct_cache_read("orders", key);
    ct_flow_known o = {0};
    int poses;
    bool good = text && read_order(text, w, g, &o, &poses);
    ct_free(text);
    if (!good) return NULL;
    x = CT_PUSH(l->of, l->n, l->room);
    *x = (ct_flow_structure){.key = key, .settled = true, .poses = poses, .n = 1};
    x->orders = ct_alloc(1, sizeof *x->orders);
    *x->orders = o;
    return x;
}

// What it chooses, in the coordinates of this group.
static int *picks_of(const ct_flow_world *w, const ct_flow_group *g, const ct_flow_known *o) {
    int *list = ct_alloc((size_t)o->n + 1, sizeof *list);
    for (int i = 0; i < o->n; i++)
        list[i] = w->edges[g->edges[o->pick[i][0]]].first + o->pick[i][1];
    return list;
}

ct_flow_memory ct_flow_recall(ct_flow_library *l, const ct_flow_world *w, const ct_flow_group *g,
                              const bool *known, int left) {
    ct_flow_memory m = {.key = key_of(w, g, known, left)};
    m.of = read_structure(l, w, g, m.key);
    if (m.of) m.picks = picks_of(w, g, m.of->orders + m.of->taken);
    return m;
}
