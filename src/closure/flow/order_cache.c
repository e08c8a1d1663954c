// Orders by structure, in memory while a closure is chosen, and on disk for the same choice again.
// Structures tell groups of one mechanism apart, where alike ones share an order. They leave out
// lengths, on which a choice depends too: on disk the key is that of the whole choice.
#include "closure/flow/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int place_of(const ct_loop_group *group, int body) {
    for (int i = 0; i < group->n_bodies; i++)
        if (group->bodies[i] == body) return i;
    return -1;
}

static void add(uint64_t *h, long x) {
    *h = ct_hash(&x, sizeof x, *h);
}

// Tells zero, one and other components apart.
static void add_vector(uint64_t *h, ct_vec3 v) {
    for (int i = 0; i < 3; i++) add(h, v.v[i] == CT_ZERO ? 0 : v.v[i] == CT_ONE ? 1 : 2);
}

static int edge_of(const ct_snapshot *snap, const ct_loop_group *group, int coordinate) {
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = snap->edges + group->edges[i];
        if (coordinate >= e->first && coordinate < e->first + e->n) return i;
    }
    return -1;
}

// Adds the couplings of the group: its coupled coordinates, how the coupling is solved for each,
// and the number of unknown coordinates of other groups.
static void add_couplings(uint64_t *h, const ct_snapshot *snap, const ct_loop_group *group,
                          const bool *known) {
    for (int i = 0; i < snap->n_couplings; i++) {
        const ct_flow_coupling *coupling = snap->couplings + i;
        int others = 0, inside = 0;
        for (int k = 0; k < coupling->n; k++) {
            int edge = edge_of(snap, group, coupling->coordinate[k]);
            others += edge < 0 && !known[coupling->coordinate[k]];
            if (edge < 0) continue;
            inside++;
            add(h, edge);
            add(h, coupling->coordinate[k] - snap->edges[group->edges[edge]].first);
            add(h, (long)ct_coupling_price(coupling->kind[k]));
        }
        if (!inside) continue;
        add(h, others);
        add(h, coupling->of_points);
    }
}

// Key of a structure: types of joints, which bodies they connect, zero and unit components of
// points and axes, known coordinates, prices and couplings. Names and lengths are left out.
static uint64_t key_of(const ct_snapshot *snap, const ct_loop_group *group, const bool *known,
                       int left) {
    uint64_t h = 0;
    add(&h, group->n_bodies);
    add(&h, left);
    add(&h, snap->offer == CT_OFFER_POSES_ONLY);
    for (int i = 0; i < group->n_edges; i++) {
        const ct_flow_edge *e = snap->edges + group->edges[i];
        add(&h, e->type);
        add(&h, e->is_virtual);
        for (int s = 0; s < 2; s++) {
            add(&h, place_of(group, e->body[s]));
            add_vector(&h, e->c->at[s]);
            add_vector(&h, e->axis_in[s]);
            add_vector(&h, e->second_in[s]);
        }
        for (int k = 0; k < e->n; k++) {
            add(&h, known[e->first + k]);
            add(&h, (long)ct_flow_price(snap, e->first + k));
        }
    }
    add_couplings(&h, snap, group, known);
    return h;
}

static ct_flow_structure *find_structure(ct_order_cache *cache, uint64_t key) {
    for (int i = 0; i < cache->n; i++)
        if (cache->of[i].key == key) return cache->of + i;
    return NULL;
}

// Edges of the group that place bodies. Joints with chosen coordinates have to be in the trees, and
// are left out.
static void note_placing(const ct_flow_search *search, const ct_flow_node *n, ct_flow_known *o) {
    o->placing = ct_alloc((size_t)search->g->n_edges + 1, sizeof *o->placing);
    o->n_placing = 0;
    for (int i = 0; i < search->g->n_edges; i++) {
        int edge = search->g->edges[i];
        bool picked = search->snap->edges[edge].n_composed > 0;
        for (int k = 0; k < o->n; k++) picked = picked || o->pick[k][0] == i;
        // a node that was found without ties knows nothing of them
        if (!picked && n->s.used[edge]) o->placing[o->n_placing++] = i;
    }
}

// Coordinates are kept as edge of the group and number within the joint, so that the order serves
// every group of this structure. A structure keeps its first list: where its order fails in another
// group, that group is searched each time.
void ct_flow_remember(ct_order_cache *cache, const ct_flow_search *search, uint64_t key) {
    ct_flow_structure *x = find_structure(cache, key);
    ct_region_open(&cache->region);
    // an order that spares edges, now that it is found
    if (x) {
        ct_flow_known *o = x->orders + x->taken;
        if (isnan(o->cost)) {
            o->cost = search->found[0].node.cost;
            note_placing(search, &search->found[0].node, o);
        }
        ct_region_close(&cache->region);
        return;
    }
    x = CT_PUSH(cache->of, cache->n, cache->room);
    *x = (ct_flow_structure){.key = key, .n = search->n_found};
    // the short list, cheapest first
    x->orders = ct_alloc((size_t)search->n_found, sizeof *x->orders);
    for (int i = 0; i < search->n_found; i++) {
        const ct_flow_found *f = search->found + i;
        ct_flow_known *o = x->orders + i;
        *o = (ct_flow_known){.root = place_of(search->g, f->root),
                             .style = (int)f->style,
                             .with_ties = f->with_ties,
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
        note_placing(search, &f->node, o);
    }
    ct_region_close(&cache->region);
}

// other trees -------------------------------------------------------------------------------------
void ct_order_cache_spare(ct_order_cache *cache, int structure, int edge) {
    ct_flow_structure *x = cache->of + structure;
    ct_region_open(&cache->region);
    ct_flow_known *orders = ct_alloc((size_t)x->n + 1, sizeof *orders);
    memcpy(orders, x->orders, (size_t)x->n * sizeof *orders);
    ct_flow_known o = orders[x->taken];
    int *spared = ct_alloc((size_t)o.n_spared + 1, sizeof *spared);
    if (o.n_spared) memcpy(spared, o.spared, (size_t)o.n_spared * sizeof *spared);
    spared[o.n_spared++] = edge;
    o.spared = spared;
    o.cost = NAN;
    orders[x->n] = o;
    ct_free(x->orders);
    x->orders = orders;
    x->taken = x->n++;
    ct_region_close(&cache->region);
}

// on disk -----------------------------------------------------------------------------------------
char *ct_order_cache_text(const ct_order_cache *cache, ct_flow_offer offer) {
    ct_text t = {0};
    ct_text_printf(&t, "%d %d %s\n", (int)offer, cache->n, cache->kept ? cache->kept : "-");
    for (int i = 0; i < cache->n; i++) {
        const ct_flow_structure *x = cache->of + i;
        const ct_flow_known *o = x->orders + x->taken;
        ct_text_printf(&t, "%" PRIx64 " %d %d %d %d %d %.17g\n", x->key, o->root, o->style,
                       o->with_ties, o->n, o->n_spared, o->cost);
        for (int k = 0; k < o->n; k++) ct_text_printf(&t, "%d %d\n", o->pick[k][0], o->pick[k][1]);
        for (int k = 0; k < o->n_spared; k++) ct_text_printf(&t, "%d\n", o->spared[k]);
    }
    return ct_text_take(&t);
}

enum { MOST = 1 << 20 }; // structures, and coordinates of one

static bool read_next(const char **text, int *value) {
    const char *before = *text;
    *value = ct_strtoi(before, text);
    return *text > before;
}

// Reads one structure. Returns the rest of the text, NULL: it is none.
static const char *read_structure(const char *text, ct_flow_structure *x) {
    int read = 0, n = 0, n_spared = 0, ties = 0;
    ct_flow_known o = {0};
    *x = (ct_flow_structure){.settled = true, .n = 1, .orders = ct_alloc(1, sizeof *x->orders)};
    if (sscanf(text, "%" SCNx64 " %d %d %d %d %d %n", &x->key, &o.root, &o.style, &ties, &n,
               &n_spared, &read) != 6 ||
        !read || n < 0 || n > MOST || n_spared < 0 || n_spared > MOST)
        return NULL;
    o.with_ties = ties != 0;
    char *rest;
    o.cost = ct_strtod(text + read, &rest);
    if (rest == text + read) return NULL;
    text = rest;
    o.pick = ct_alloc((size_t)n + 1, sizeof *o.pick);
    o.spared = ct_alloc((size_t)n_spared + 1, sizeof *o.spared);
    *x->orders = o;
    for (int *k = &x->orders->n; *k < n; ++*k)
        for (int i = 0; i < 2; i++)
            if (!read_next(&text, &o.pick[*k][i])) return NULL;
    for (int *k = &x->orders->n_spared; *k < n_spared; ++*k)
        if (!read_next(&text, &o.spared[*k])) return NULL;
    return text;
}

bool ct_order_cache_read(ct_order_cache *cache, const char *text, ct_flow_offer *offer) {
    int of = 0, n = 0, read = 0, kept = 0;
    if (sscanf(text, "%d %d %n%*s%n", &of, &n, &kept, &read) != 2 || !read) return false;
    if (of < 0 || of > CT_OFFER_ALL_PLACES || n < 0 || n > MOST) return false;
    ct_region_open(&cache->region);
    cache->kept = text[kept] == '-' ? NULL : ct_format("%.*s", read - kept, text + kept);
    text += read;
    for (int i = 0; i < n && text; i++)
        text = read_structure(text, CT_PUSH(cache->of, cache->n, cache->room));
    ct_region_close(&cache->region);
    if (!text) cache->n = 0;
    *offer = (ct_flow_offer)of;
    return text != NULL;
}

// Returns true if the numbers of an order are those of a group.
static bool belongs(const ct_snapshot *snap, const ct_loop_group *group, const ct_flow_known *o) {
    bool good =
        o->root >= 0 && o->root < group->n_bodies && o->style >= 0 && o->style < CT_FLOW_STYLES;
    for (int i = 0; i < o->n && good; i++) {
        int edge = o->pick[i][0], within = o->pick[i][1];
        good = edge >= 0 && edge < group->n_edges && within >= 0 &&
               within < snap->edges[group->edges[edge]].n;
    }
    for (int i = 0; i < o->n_spared && good; i++)
        good = o->spared[i] >= 0 && o->spared[i] < group->n_edges;
    return good;
}

// Coordinates that the order chooses, in the numbers of this group.
static int *picks_of(const ct_snapshot *snap, const ct_loop_group *group, const ct_flow_known *o) {
    int *list = ct_scratch((size_t)o->n + 1, sizeof *list);
    for (int i = 0; i < o->n; i++)
        list[i] = snap->edges[group->edges[o->pick[i][0]]].first + o->pick[i][1];
    return list;
}

ct_cached_order ct_flow_recall(ct_order_cache *cache, const ct_snapshot *snap,
                               const ct_loop_group *group, const bool *known, int left) {
    ct_cached_order m = {.key = key_of(snap, group, known, left)};
    m.of = find_structure(cache, m.key);
    if (m.of && !belongs(snap, group, m.of->orders + m.of->taken)) m.of = NULL;
    if (m.of) m.picks = picks_of(snap, group, m.of->orders + m.of->taken);
    return m;
}
