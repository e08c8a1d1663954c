// Cache of orders by structure. The order that was taken for a structure is kept on disk and tried
// first the next time.
#include "closure/flow/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int place_of(const ct_loop_group *g, int body) {
    for (int i = 0; i < g->n_bodies; i++)
        if (g->bodies[i] == body) return i;
    return -1;
}

static void add(uint64_t *h, long x) {
    *h = ct_hash(&x, sizeof x, *h);
}

// Tells zero, one and other components apart.
static void add_vector(uint64_t *h, ct_vec3 v) {
    for (int i = 0; i < 3; i++) add(h, v.v[i] == CT_ZERO ? 0 : v.v[i] == CT_ONE ? 1 : 2);
}

static int edge_of(const ct_snapshot *snap, const ct_loop_group *g, int coordinate) {
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = snap->edges + g->edges[i];
        if (coordinate >= e->first && coordinate < e->first + e->n) return i;
    }
    return -1;
}

// Adds the couplings of the group: its coupled coordinates, how the coupling is solved for each,
// and the number of unknown coordinates of other groups.
static void add_couplings(uint64_t *h, const ct_snapshot *snap, const ct_loop_group *g,
                          const bool *known) {
    for (int i = 0; i < snap->n_couplings; i++) {
        const ct_flow_coupling *coupling = snap->couplings + i;
        int others = 0, inside = 0;
        for (int k = 0; k < coupling->n; k++) {
            int edge = edge_of(snap, g, coupling->coordinate[k]);
            others += edge < 0 && !known[coupling->coordinate[k]];
            if (edge < 0) continue;
            inside++;
            add(h, edge);
            add(h, coupling->coordinate[k] - snap->edges[g->edges[edge]].first);
            add(h, (long)ct_coupling_price(coupling->kind[k]));
        }
        if (!inside) continue;
        add(h, others);
        add(h, coupling->of_points);
    }
}

// Key of a structure: types of joints, which bodies they connect, zero and unit components of
// points and axes, known coordinates, prices and couplings. Names and lengths are left out.
static uint64_t key_of(const ct_snapshot *snap, const ct_loop_group *g, const bool *known,
                       int left) {
    uint64_t h = ct_hash("order 5", 7, 0);
    add(&h, g->n_bodies);
    add(&h, left);
    add(&h, snap->offer == CT_OFFER_POSES_ONLY);
    for (int i = 0; i < g->n_edges; i++) {
        const ct_flow_edge *e = snap->edges + g->edges[i];
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
            add(&h, (long)ct_flow_price(snap, e->first + k));
        }
    }
    add_couplings(&h, snap, g, known);
    return h;
}

void ct_order_cache_settle(ct_order_cache *cache) {
    for (int i = 0; i < cache->n; i++) {
        ct_flow_structure *x = cache->of + i;
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

static ct_flow_structure *find_structure(ct_order_cache *cache, uint64_t key) {
    for (int i = 0; i < cache->n; i++)
        if (cache->of[i].key == key) return cache->of + i;
    return NULL;
}

// Coordinates are kept as edge of the group and number within the joint, so that the order serves
// every mechanism of this structure.
void ct_flow_remember(ct_order_cache *cache, const ct_flow_search *search, uint64_t key) {
    // a structure whose cached order failed starts anew
    ct_flow_structure *x = find_structure(cache, key);
    ct_region_open(&cache->region);
    if (!x) x = CT_PUSH(cache->of, cache->n, cache->room);
    *x = (ct_flow_structure){.key = key, .n = search->n_found};
    // the short list, cheapest first
    x->orders = ct_alloc((size_t)search->n_found, sizeof *x->orders);
    for (int i = 0; i < search->n_found; i++) {
        const ct_flow_found *f = search->found + i;
        ct_flow_known *o = x->orders + i;
        *o = (ct_flow_known){.root = place_of(search->g, f->root),
                             .style = (int)f->style,
                             .cost = f->node.cost,
                             .wish = f->wish};
        // chosen coordinates
        o->pick = ct_alloc((size_t)f->node.n_picked + 1, sizeof *o->pick);
        for (int k = 0; k < f->node.n_picked; k++) {
            int edge = edge_of(search->snap, search->g, f->node.picked[k]);
            o->pick[o->n][0] = edge;
            o->pick[o->n++][1] =
                f->node.picked[k] - search->snap->edges[search->g->edges[edge]].first;
        }
    }
    ct_region_close(&cache->region);
}

static bool read_order(const char *text, const ct_snapshot *snap, const ct_loop_group *g,
                       ct_flow_known *o, int *poses) {
    int read = 0, edge, within;
    if (sscanf(text, "%d %d %d %n", poses, &o->root, &o->style, &read) != 3 || !read) return false;
    char *rest;
    o->cost = ct_strtod(text + read, &rest);
    if (rest == text + read || o->root < 0 || o->root >= g->n_bodies || o->style < 0 ||
        o->style >= CT_FLOW_STYLES)
        return false;
    o->pick = ct_alloc((size_t)snap->n_coordinates + 1, sizeof *o->pick);
    for (const char *s = rest; sscanf(s, "%d %d\n%n", &edge, &within, &read) == 2; s += read) {
        if (edge < 0 || edge >= g->n_edges || within < 0 ||
            within >= snap->edges[g->edges[edge]].n || o->n == snap->n_coordinates)
            return false;
        o->pick[o->n][0] = edge;
        o->pick[o->n++][1] = within;
    }
    return true;
}

static const ct_flow_structure *read_structure(ct_order_cache *cache, const ct_snapshot *snap,
                                               const ct_loop_group *g, uint64_t key) {
    ct_flow_structure *x = find_structure(cache, key);
    if (x) return x;
    char *text = ct_cache_read("orders", key);
    ct_flow_known o = {0};
    int poses;
    ct_region_open(&cache->region);
    if (text && read_order(text, snap, g, &o, &poses)) {
        x = CT_PUSH(cache->of, cache->n, cache->room);
        *x = (ct_flow_structure){.key = key, .settled = true, .poses = poses, .n = 1};
        x->orders = ct_alloc(1, sizeof *x->orders);
        *x->orders = o;
    }
    ct_region_close(&cache->region);
    ct_free(text);
    return x;
}

// Coordinates that the order chooses, in the numbers of this group.
static int *picks_of(const ct_snapshot *snap, const ct_loop_group *g, const ct_flow_known *o) {
    int *list = ct_scratch((size_t)o->n + 1, sizeof *list);
    for (int i = 0; i < o->n; i++)
        list[i] = snap->edges[g->edges[o->pick[i][0]]].first + o->pick[i][1];
    return list;
}

ct_cached_order ct_flow_recall(ct_order_cache *cache, const ct_snapshot *snap,
                               const ct_loop_group *g, const bool *known, int left) {
    ct_cached_order m = {.key = key_of(snap, g, known, left)};
    m.of = read_structure(cache, snap, g, m.key);
    if (m.of) m.picks = picks_of(snap, g, m.of->orders + m.of->taken);
    return m;
}
