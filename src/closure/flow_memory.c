// The library of orders: what was chosen for a structure is kept on disk and tried first the next
// time. It is only ever a suggestion: the order is built from it and checked like any other.
#include "closure/flow_search.h"

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
            add(h, (long)law->cost[k]);
        }
        if (!inside) continue;
        add(h, others);
        add(h, law->of_points);
    }
}

uint64_t ct_flow_key(const ct_flow_world *w, const ct_flow_group *g, const bool *known, int left) {
    uint64_t h = ct_hash("order 5", 7, 0);
    add(&h, g->n_bodies);
    add(&h, left);
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

// Coordinates as edge of the group and number within the joint, so that names do not matter.
void ct_flow_remember(const ct_flow_world *w, const ct_flow_group *g, uint64_t key, int root,
                      double cost, int n, const int *coordinates) {
    ct_text t = {0};
    ct_text_printf(&t, "%d %.0f\n", root, cost);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < g->n_edges; k++) {
            const ct_flow_edge *e = w->edges + g->edges[k];
            int within = coordinates[i] - e->first;
            if (within >= 0 && within < e->n) ct_text_printf(&t, "%d %d\n", k, within);
        }
    ct_cache_write("orders", key, t.s ? t.s : "");
    ct_text_clear(&t);
}

int *ct_flow_recall(const ct_flow_world *w, const ct_flow_group *g, uint64_t key, int *n, int *root,
                    double *cost) {
    char *text = ct_cache_read("orders", key);
    *n = 0;
    if (!text) return NULL;
    int *list = ct_alloc((size_t)w->n_coordinates + 1, sizeof *list), edge, within, read;
    bool good =
        sscanf(text, "%d %lf\n%n", root, cost, &read) == 2 && *root >= 0 && *root < g->n_bodies;
    for (const char *s = text + (good ? read : 0);
         good && sscanf(s, "%d %d\n%n", &edge, &within, &read) == 2; s += read) {
        good = edge >= 0 && edge < g->n_edges && within >= 0 && *n < w->n_coordinates &&
               within < w->edges[g->edges[edge]].n;
        if (good) list[(*n)++] = w->edges[g->edges[edge]].first + within;
    }
    free(text);
    if (good) return list;
    free(list);
    *n = 0;
    return NULL;
}
