// The order of elimination. An unknown is eliminated where all equations that hold it have come
// together: in a front, with equations of its own and with what earlier fronts leave. The next
// unknown is always one whose front holds the fewest. Chains of loops get small fronts, one after
// the other, whatever their length.
#include "formulate/reactions/reactions.h"

#include <stdlib.h>
#include <string.h>

// Equations that have come together, and the unknowns that they hold.
typedef struct bundle {
    bool is_open;
    int row;   // a single equation; -1
    int front; // what a front leaves; -1
    bool *has; // [unknowns]
} bundle;

typedef struct search {
    ct_reactions *r;
    bundle *bundles;
    int n_bundles, room_bundles;
    bool *is_done; // [unknowns]
} search;

static bundle *new_bundle(search *s) {
    bundle *b = CT_PUSH_SCRATCH(s->bundles, s->n_bundles, s->room_bundles);
    *b = (bundle){.is_open = true, .row = -1, .front = -1};
    b->has = ct_scratch((size_t)s->r->n_unknowns + 1, sizeof *b->has);
    return b;
}

// Unknowns in all open equations that hold unknown k. Returns how many, 0 if no equation holds it.
static int unknowns_with(const search *s, int k, bool *has) {
    int n = 0;
    memset(has, 0, (size_t)s->r->n_unknowns * sizeof *has);
    for (int i = 0; i < s->n_bundles; i++) {
        const bundle *b = s->bundles + i;
        if (!b->is_open || !b->has[k]) continue;
        for (int j = 0; j < s->r->n_unknowns; j++) has[j] = has[j] || b->has[j];
    }
    for (int j = 0; j < s->r->n_unknowns; j++) n += has[j];
    return n;
}

// Joins all equations that hold unknown k.
static void join(search *s, int k, const bool *has) {
    ct_reactions *r = s->r;
    int n = r->n_unknowns, index = r->n_fronts, rows = 0, room_rows = 0, room_children = 0;
    ct_front f = {0};
    int room_own = 0, room_border = 0;
    bool *elsewhere = ct_scratch((size_t)n + 1, sizeof *elsewhere);
    // equations that enter; unknowns that others hold too
    for (int i = 0; i < s->n_bundles; i++) {
        bundle *b = s->bundles + i;
        if (!b->is_open) continue;
        if (!b->has[k]) {
            for (int j = 0; j < n; j++) elsewhere[j] = elsewhere[j] || b->has[j];
            continue;
        }
        b->is_open = false;
        if (b->row >= 0)
            *CT_PUSH_SCRATCH(f.rows, f.n_rows, room_rows) = b->row, rows++;
        else {
            const ct_front *child = r->fronts + b->front;
            *CT_PUSH_SCRATCH(f.children, f.n_children, room_children) = b->front;
            rows += child->most_rows < child->n_border ? child->most_rows : child->n_border;
        }
    }
    for (int j = 0; j < n; j++) {
        if (!has[j]) continue;
        if (elsewhere[j])
            *CT_PUSH_SCRATCH(f.border, f.n_border, room_border) = j;
        else
            *CT_PUSH_SCRATCH(f.own, f.n_own, room_own) = j, s->is_done[j] = true;
    }
    f.most_rows = rows;
    *CT_PUSH_SCRATCH(r->fronts, r->n_fronts, r->room_fronts) = f;
    // what is left goes on
    if (!f.n_border) return;
    bundle *left = new_bundle(s);
    left->front = index;
    for (int j = 0; j < f.n_border; j++) left->has[f.border[j]] = true;
}

// The last front that each front enters in the end.
static void find_roots(const ct_reactions *r, int *root) {
    for (int i = 0; i < r->n_fronts; i++) root[i] = i;
    for (int i = r->n_fronts - 1; i >= 0; i--)
        for (int k = 0; k < r->fronts[i].n_children; k++) root[r->fronts[i].children[k]] = root[i];
}

void ct_reactions_mark_silent(ct_reactions *r, ct_pool *pool) {
    if (!r->n_fronts) return;
    int *root = ct_scratch((size_t)r->n_fronts + 1, sizeof *root),
        *of_unknown = ct_scratch((size_t)r->n_unknowns + 1, sizeof *of_unknown);
    bool *loud = ct_scratch((size_t)r->n_fronts + 1, sizeof *loud);
    // loud: a right side that is not zero
    find_roots(r, root);
    for (int i = 0; i < r->n_fronts; i++) {
        const ct_front *f = r->fronts + i;
        for (int k = 0; k < f->n_own; k++) of_unknown[f->own[k]] = root[i];
        for (int k = 0; k < f->n_rows; k++)
            loud[root[i]] = loud[root[i]] || r->right[f->rows[k]] != CT_ZERO;
    }
    // loud too: a self-stress in a column that has something else, until nothing changes
    ct_substitution *without = ct_substitution_new(pool);
    for (int k = 0; k < r->n_unknowns; k++) ct_substitution_map(without, r->unknown[k], CT_ZERO);
    for (bool more = true; more;) {
        more = false;
        for (int c = 0; c < r->groups.n_columns; c++) {
            ct_ex *symbols;
            int n = ct_ex_symbols(pool, 1, &r->column[c], &symbols);
            bool any = ct_substitute(without, r->column[c]) != CT_ZERO;
            for (int pass = 0; pass < 2; pass++)
                for (int i = 0; i < n; i++)
                    for (int k = 0; k < r->n_unknowns; k++) {
                        if (r->unknown[k] != symbols[i]) continue;
                        bool *is_loud = loud + of_unknown[k];
                        if (!pass)
                            any = any || *is_loud;
                        else if (any && !*is_loud)
                            *is_loud = more = true;
                    }
        }
    }
    ct_substitution_free(without);
    for (int i = 0; i < r->n_fronts; i++) r->fronts[i].is_silent = !loud[root[i]];
}

void ct_reactions_find_fronts(ct_reactions *r) {
    search s = {.r = r};
    size_t n = (size_t)r->n_unknowns + 1;
    s.is_done = ct_scratch(n, sizeof *s.is_done);
    // one bundle for each equation with unknowns
    int *of_row = ct_scratch((size_t)r->n_equations + 1, sizeof *of_row);
    for (int i = 0; i < r->n_equations; i++) of_row[i] = -1;
    for (int i = 0; i < r->n_entries; i++) {
        const ct_reaction_entry *e = r->entries + i;
        if (of_row[e->row] < 0) {
            of_row[e->row] = s.n_bundles;
            new_bundle(&s)->row = e->row;
        }
        s.bundles[of_row[e->row]].has[e->column] = true;
    }
    // the unknown with the smallest front, until none is left
    bool *has = ct_scratch(n, sizeof *has);
    for (;;) {
        int best = -1, least = 0;
        for (int k = 0; k < r->n_unknowns; k++) {
            int size = s.is_done[k] ? 0 : unknowns_with(&s, k, has);
            if (size && (best < 0 || size < least)) best = k, least = size;
        }
        if (best < 0) break;
        unknowns_with(&s, best, has);
        join(&s, best, has);
    }
    // unknowns in no equation at all: a front of their own, without rows
    int room = 0;
    ct_front alone = {0};
    for (int k = 0; k < r->n_unknowns; k++)
        if (!s.is_done[k]) *CT_PUSH_SCRATCH(alone.own, alone.n_own, room) = k;
    if (alone.n_own) *CT_PUSH_SCRATCH(r->fronts, r->n_fronts, r->room_fronts) = alone;
}

int *ct_reactions_list_fronts(const ct_reactions *r, int *length) {
    int *list = NULL, n = 0, room = 0;
    for (int i = 0; i < r->n_fronts; i++) {
        const ct_front *f = r->fronts + i;
        const int head[] = {f->is_silent,  f->most_rows, f->n_rows,
                            f->n_children, f->n_own,     f->n_border};
        const int *part[] = {head, f->rows, f->children, f->own, f->border};
        const int count[] = {6, f->n_rows, f->n_children, f->n_own, f->n_border};
        for (int p = 0; p < 5; p++)
            for (int k = 0; k < count[p]; k++) *CT_PUSH_SCRATCH(list, n, room) = part[p][k];
    }
    if (length) *length = n;
    return list;
}
