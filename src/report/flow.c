// The flow as a graph: independent coordinates, then one box for each step, with an arrow from
// every coordinate or step that it needs. Arrows that follow from others are left out, and so are
// independent coordinates that no step needs.
#include "report/report.h"

#include "formulate/whole_rotation.h"

#include <stdlib.h>
#include <string.h>

// Origin of each coordinate: an independent coordinate (its number), or r + a step; -1 if none.
static int *givers(const ct_closure *c) {
    const ct_formulation *f = c->f;
    int *giver = ct_alloc((size_t)f->n + 1, sizeof *giver);
    for (int k = 0; k < f->n; k++) giver[k] = -1;
    for (int i = c->n_steps - 1; i >= 0; i--)
        for (int u = 0; u < c->steps[i].n_unknowns; u++)
            for (int k = 0; k < f->n; k++)
                if (!strcmp(f->names[k], c->steps[i].unknowns[u])) giver[k] = c->r + i;
    for (int j = 0; j < c->r; j++) giver[c->independent[j]] = j;
    return giver;
}

static void need_symbol(const ct_closure *c, const int *giver, ct_ex symbol, bool *row) {
    const ct_formulation *f = c->f;
    const ct_whole_rotation *whole;
    int component;
    for (int k = 0; k < f->n; k++)
        if (f->q[k] == symbol && giver[k] >= 0) row[giver[k]] = true;
    if (ct_whole_rotation_find(f, symbol, &whole, &component))
        for (int i = 0; i < 3; i++)
            if (giver[whole->coordinate[i]] >= 0) row[giver[whole->coordinate[i]]] = true;
}

static void need(const ct_closure *c, const int *giver, int n, const ct_ex *roots, bool *row) {
    ct_ex *symbols;
    int count = ct_ex_symbols(c->f->pool, n, roots, &symbols);
    for (int i = 0; i < count; i++) {
        need_symbol(c, giver, symbols[i], row);
        for (int v = 0; v < c->registers.values.n; v++) {
            if (c->registers.values.symbol[v] != symbols[i]) continue;
            ct_ex *inner;
            int m = ct_ex_symbols(c->f->pool, 1, &c->registers.values.meaning[v], &inner);
            for (int k = 0; k < m; k++) need_symbol(c, giver, inner[k], row);
        }
    }
}

static bool *all_needs(const ct_closure *c) {
    size_t width = (size_t)(c->r + c->n_steps);
    bool *needs = ct_alloc((size_t)c->n_steps * width + 1, sizeof *needs);
    int *giver = givers(c);
    for (int b = 0; b < c->n_rate_blocks; b++) {
        const ct_rate_block *k = c->rate_blocks + b;
        if (k->step >= 0 && k->step < c->n_steps)
            need(c, giver, k->n, k->psi, needs + (size_t)k->step * width);
    }
    for (int i = 0; i < c->positions.n; i++) {
        const ct_segment *seg = c->positions.segments + i;
        if (seg->step < 0 || seg->step >= c->n_steps) continue;
        for (ct_span a = ct_segment_spans(seg, CT_ROLE_SET); ct_span_next(&a);)
            need(c, giver, a.n, a.at, needs + (size_t)seg->step * width);
    }
    ct_free(giver);
    return needs;
}

bool *ct_flow_needs(const ct_closure *c) {
    size_t width = (size_t)(c->r + c->n_steps), size = (size_t)c->n_steps * width + 1;
    bool *needs = all_needs(c);
    bool *below = ct_scratch(size, sizeof *below), *result = ct_alloc(size, sizeof *result);
    for (int i = 0; i < c->n_steps; i++) { // everything that a step rests on, directly or not
        bool *row = below + (size_t)i * width;
        memcpy(row, needs + (size_t)i * width, width * sizeof *row);
        for (size_t k = (size_t)c->r + (size_t)i; k < width; k++) row[k] = false; // a tear's
        for (int j = 0; j < i; j++)
            for (size_t k = 0; row[(size_t)c->r + (size_t)j] && k < width; k++)
                row[k] |= below[(size_t)j * width + k];
    }
    for (int i = 0; i < c->n_steps; i++) {
        bool *row = result + (size_t)i * width;
        memcpy(row, needs + (size_t)i * width, width * sizeof *row);
        row[c->r + i] = false;
        for (int j = 0; j < i; j++)
            for (size_t k = 0; needs[(size_t)i * width + (size_t)(c->r + j)] && k < width; k++)
                if (below[(size_t)j * width + k]) row[k] = false;
    }
    ct_free(needs);
    return result;
}

static bool is_needed(const ct_closure *c, const bool *needs, int j) {
    for (int i = 0; i < c->n_steps; i++)
        if (needs[(size_t)i * (size_t)(c->r + c->n_steps) + (size_t)j]) return true;
    return false;
}

// The largest number of boxes on one level.
static int widest(const ct_closure *c, const bool *needs) {
    int *level = ct_scratch((size_t)c->n_steps + 1, sizeof *level), most = 0;
    for (int j = 0; j < c->r; j++) most += is_needed(c, needs, j);
    for (int i = 0; i < c->n_steps; i++) {
        level[i] = 1;
        for (int j = 0; j < i; j++)
            if (needs[(size_t)i * (size_t)(c->r + c->n_steps) + (size_t)(c->r + j)] &&
                level[j] >= level[i])
                level[i] = level[j] + 1;
    }
    for (int l = 1; l <= c->n_steps; l++) {
        int n = 0;
        for (int i = 0; i < c->n_steps; i++) n += level[i] == l;
        if (n > most) most = n;
    }
    return most;
}

static void write_step(ct_text *t, const ct_closure *c, int i) {
    enum { NAMES = 3 };
    static const char *const fill[] = {
        [CT_STEP_GIVEN] = "#eceff3",     [CT_STEP_LINEAR] = "#dff0e0",
        [CT_STEP_QUADRATIC] = "#dce9f8", [CT_STEP_CUBIC] = "#dce9f8",
        [CT_STEP_QUARTIC] = "#dce9f8",   [CT_STEP_POLYNOMIAL] = "#fbe8cf",
        [CT_STEP_NEWTON] = "#f8d9d6"};
    const ct_step *s = c->steps + i;
    ct_text_printf(t, "  s%d [label=\"%d   ", i, i + 1);
    for (int u = 0; u < s->n_unknowns && u < NAMES; u++) {
        if (u) ct_text_add(t, ", ");
        ct_dot_part(t, s->unknowns[u], CT_DOT_LABEL);
    }
    if (s->n_unknowns > NAMES) ct_text_printf(t, ", … (%d)", s->n_unknowns);
    ct_text_printf(t, "\\n%s", ct_step_method_name(s->method));
    if (s->method == CT_STEP_NEWTON)
        ct_text_printf(t, ", %d equation%s", s->n_unknowns, s->n_unknowns == 1 ? "" : "s");
    else if (s->method != CT_STEP_GIVEN)
        ct_text_printf(t, ", degree %d", s->degree);
    ct_text_printf(t, "\", fillcolor=\"%s\"];\n", fill[s->method]);
}

char *ct_flow_dot(const ct_closure *c) {
    enum { MOST = 5 };
    ct_text t = {0};
    // which step needs which; wide flows lie on their side
    bool *needs = ct_flow_needs(c);
    int width = c->r + c->n_steps;
    ct_text_printf(
        &t,
        "digraph {\n  graph [rankdir=%s, bgcolor=\"transparent\", pad=0.1, nodesep=0.25, "
        "ranksep=0.4];\n"
        "  node [shape=box, style=\"rounded,filled\", color=\"#5d6670\", "
        "fontname=\"Helvetica\", fontsize=10, height=0.4];\n"
        "  edge [color=\"#5d6670\", arrowsize=0.6];\n",
        widest(c, needs) > MOST ? "LR" : "TB");
    // independent coordinates that a step needs
    for (int j = 0; j < c->r; j++) {
        if (!is_needed(c, needs, j)) continue;
        ct_text_printf(&t, "  i%d [shape=ellipse, style=filled, fillcolor=\"#fff6d6\", label=", j);
        ct_dot_string(&t, c->f->names[c->independent[j]]);
        ct_text_add(&t, "];\n");
    }
    // steps, and arrows between them; dashed against the order (iterations)
    for (int i = 0; i < c->n_steps; i++) write_step(&t, c, i);
    for (int i = 0; i < c->n_steps; i++)
        for (int k = 0; k < width; k++) {
            if (!needs[(size_t)i * (size_t)width + (size_t)k]) continue;
            bool back = k >= c->r + i;
            ct_text_printf(&t, "  %c%d -> s%d%s;\n", k < c->r ? 'i' : 's', k < c->r ? k : k - c->r,
                           i, back ? " [style=dashed, constraint=false]" : "");
        }
    ct_text_add(&t, "}\n");
    ct_free(needs);
    return ct_text_take(&t);
}
