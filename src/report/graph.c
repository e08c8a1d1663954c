// The linear graph with both trees. The frames of a body are one node here: the arms between them
// are branches of both trees. Branches of the rotation tree are drawn in one colour, those of the
// translation tree in another, chords dashed.
#include "report/report.h"
#include "run/trees/trees.h"

#include <stdlib.h>
#include <string.h>

static const char *const ROTATION = "#c2571a", *const TRANSLATION = "#2f6db3",
                         *const CHORD = "#8a929b";

typedef struct ends { // bodies
    int from, to;
} ends;

static ends bodies_of(const ct_graph *g, int e) {
    return (ends){g->node_body[g->edges[e].from], g->node_body[g->edges[e].to]};
}

static bool drawn(const ct_graph *g, int e) {
    enum { MOST = 12 }; // bodies up to which forces find their place
    ct_edge_kind kind = g->edges[e].kind;
    if (kind == CT_EDGE_ARM || (kind == CT_EDGE_FORCE && g->model->n_bodies > MOST)) return false;
    return kind != CT_EDGE_BODY || g->tree[0].has[e] || g->tree[1].has[e];
}

// Number of branches between ground and each body.
static int *depths(const ct_graph *g) {
    int *depth = ct_alloc((size_t)g->model->n_bodies, sizeof *depth);
    const ct_tree *t = &g->tree[CT_TRANSLATION];
    for (int i = 1; i < g->n_nodes; i++) {
        int node = t->order[i], e = t->parent_edge[node], b = g->node_body[node],
            above = g->node_body[t->parent[node]];
        if (g->edges[e].kind != CT_EDGE_ARM && b != above) depth[b] = depth[above] + 1;
    }
    return depth;
}

// True if the tree is wide: it is then drawn from left to right, so that it fits a page.
static bool lies(const ct_model *model, const int *depth) {
    enum { MOST = 5 };
    for (int d = 0; d < model->n_bodies; d++) {
        int n = 0;
        for (int b = 0; b < model->n_bodies; b++) n += depth[b] == d;
        if (n > MOST) return true;
    }
    return false;
}

static const char *kind_name(const ct_graph *g, int e) {
    const ct_edge *x = g->edges + e;
    switch (x->kind) {
    case CT_EDGE_BODY: return "body";
    case CT_EDGE_MOTION: return "motion";
    case CT_EDGE_FORCE: return ct_force_type_name(g->model->forces[x->index].type);
    case CT_EDGE_ARM: return "arm";
    case CT_EDGE_JOINT:
    case CT_EDGE_CONSTRAINT: break;
    }
    return ct_joint_type_name(g->model->joints[x->index].type);
}

static void write_edge(ct_text *t, const ct_graph *g, int e, const int *depth) {
    const ct_edge *x = g->edges + e;
    bool r = g->tree[CT_ROTATION].has[e], tr = g->tree[CT_TRANSLATION].has[e];
    bool joint = x->kind == CT_EDGE_JOINT || x->kind == CT_EDGE_CONSTRAINT;
    ends b = bodies_of(g, e);
    if (depth[b.from] > depth[b.to]) b = (ends){b.to, b.from};
    if (b.from == b.to) return;
    ct_text_printf(t, "  b%d -> b%d [label=\"  ", b.from, b.to); // blanks: room beside the line
    ct_dot_part(t, x->kind == CT_EDGE_BODY ? "body" : x->name, CT_DOT_LABEL);
    if (joint) ct_text_printf(t, "  \\n  %s", kind_name(g, e));
    ct_text_add(t, "  \", ");
    if (r && tr)
        ct_text_printf(t, "color=\"%s:%s\", class=\"both\"];\n", ROTATION, TRANSLATION);
    else if (r || tr)
        ct_text_printf(t, "color=\"%s\", class=\"%s\"];\n", r ? ROTATION : TRANSLATION,
                       r ? "rotation" : "translation");
    else if (joint)
        ct_text_printf(t, "color=\"%s\", style=dashed, weight=0, class=\"chord\"];\n", CHORD);
    else
        ct_text_printf(t,
                       "color=\"%s\", style=dotted, weight=0, constraint=false, penwidth=1.1, "
                       "class=\"%s\"];\n",
                       CHORD, x->kind == CT_EDGE_MOTION ? "motion" : "force");
}

char *ct_graph_dot(const ct_graph *g) {
    ct_text t = {0};
    int *depth = depths(g);
    ct_text_printf(
        &t,
        "digraph {\n  graph [rankdir=%s, bgcolor=\"transparent\", pad=0.1, nodesep=0.35, "
        "ranksep=0.5];\n"
        "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#eef2f7\", "
        "color=\"#5d6670\", fontname=\"Helvetica\", fontsize=11, height=0.35];\n"
        "  edge [dir=none, penwidth=1.8, fontname=\"Helvetica\", fontsize=9];\n",
        lies(g->model, depth) ? "LR" : "TB");
    for (int b = 0; b < g->model->n_bodies; b++) {
        ct_text_printf(&t, "  b%d [label=", b);
        ct_dot_string(&t, b ? g->model->bodies[b].name : "ground");
        ct_text_add(&t, b ? "];\n" : ", shape=box, style=filled, fillcolor=\"#d5dbe3\"];\n");
    }
    for (int e = 0; e < g->n_edges; e++)
        if (drawn(g, e)) write_edge(&t, g, e, depth);
    ct_text_add(&t, "}\n");
    ct_free(depth);
    return ct_text_take(&t);
}

static CT_BELOW ct_status draw(ct_system *s, char **text) {
    ct_status status = ct_system_need(ct_context_quiet(NULL), s);
    if (!status) *text = ct_graph_dot(ct_system_formulation(s)->graph);
    return status;
}

static ct_status graph_drawing(ct_system *s, char **text) {
    CT_CALL_GIVES(NULL, &s->memory, text, ct_release, draw(s, text));
}

char *ct_graph_drawing(ct_system *s) {
    char *text;
    graph_drawing(s, &text);
    return text;
}

// tables ------------------------------------------------------------------------------------------
static void edge_table(ct_text *t, const ct_graph *g) {
    ct_html_table(t, "edge|type|between||rotation|translation");
    for (int e = 0; e < g->n_edges; e++) {
        if (!drawn(g, e)) continue;
        ends b = bodies_of(g, e);
        ct_html_row(t, NULL);
        ct_html_cell_name(t, g->edges[e].name);
        ct_html_cell(t, kind_name(g, e));
        ct_html_cell_name(t, b.from ? g->model->bodies[b.from].name : "ground");
        ct_html_cell_name(t, b.to ? g->model->bodies[b.to].name : "ground");
        for (int d = 0; d < 2; d++)
            ct_html_cell(t, g->tree[d].has[e]                  ? "branch"
                            : g->edges[e].kind == CT_EDGE_BODY ? ""
                                                               : "chord");
        ct_text_add(t, "</tr>\n");
    }
    ct_html_table_end(t);
}

static void circuit(ct_text *t, const ct_graph *g, ct_domain domain, int chord, int *edges,
                    int *signs) {
    ct_text_add(t, "<td>");
    int n = g->tree[domain].has[chord] ? -1 : ct_circuit(g, domain, chord, edges, signs), said = 0;
    for (int i = 0; i < n; i++) {
        if (g->edges[edges[i]].kind == CT_EDGE_ARM) continue;
        ct_text_add(t, said++ ? " " : "");
        ct_text_add(t, signs[i] < 0 ? "−" : "+");
        ct_html_name(t, g->edges[edges[i]].name);
    }
    ct_text_add(t, n < 0 ? "a branch</td>" : "</td>");
}

static int circuits(ct_text *t, const ct_graph *g) {
    int *edges = ct_scratch((size_t)g->n_edges + 1, sizeof *edges);
    int *signs = ct_scratch((size_t)g->n_edges + 1, sizeof *signs), n = 0;
    ct_html_table(t, "chord|circuit in the rotation tree|circuit in the translation tree");
    for (int e = 0; e < g->n_edges; e++) {
        ct_edge_kind kind = g->edges[e].kind;
        if (kind != CT_EDGE_JOINT && kind != CT_EDGE_CONSTRAINT) continue;
        if (g->tree[0].has[e] && g->tree[1].has[e]) continue;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, g->edges[e].name);
        circuit(t, g, CT_ROTATION, e, edges, signs);
        circuit(t, g, CT_TRANSLATION, e, edges, signs);
        ct_text_add(t, "</tr>\n");
        n++;
    }
    ct_html_table_end(t);
    return n;
}

void ct_section_graph(ct_report_data *r) {
    const ct_graph *g = ct_system_formulation(r->s)->graph;
    ct_text *t = &r->page, rows = {0};
    // what is drawn, and by which rule the trees were selected
    ct_section_open(r, "graph", "Linear graph and trees");
    ct_text_add(
        t, "<p>Nodes are bodies (their reference frames drawn as one), edges are components. Two "
           "spanning trees fix the coordinates: <span class=\"key rotation\"></span>rotation "
           "and <span class=\"key translation\"></span>translation. A double line is a branch "
           "of both; <span class=\"key chord\"></span>dashed edges are chords of both, the "
           "cotree, and close the loops; dotted ones are motions and forces. The trees were "
           "selected by ");
    if (r->other_trees)
        ct_text_add(t, "the order in which the loops are solved.</p>\n");
    else if (!strcmp(r->s->rule, "given"))
        ct_text_add(t, "the model’s own <code>trees:</code>.</p>\n");
    else
        ct_text_printf(t, "the rule <code>%s</code>: %s.</p>\n", r->s->rule,
                       ct_rule_words(r->s->rule));
    // the drawing, with a table that is folded beside it
    char *dot = ct_graph_dot(g);
    bool picture = ct_report_draw(r, dot, "linear graph with rotation and translation trees");
    ct_free(dot);
    if (picture) ct_html_fold(t, false, "All edges as a table");
    edge_table(t, g);
    if (picture) ct_html_unfold(t);
    // circuits of the chords
    int n = circuits(&rows, g);
    if (n) {
        ct_html_fold(t, n <= 12,
                     n == 1 ? "Fundamental circuit of the chord"
                            : "Fundamental circuits of the %d chords",
                     n);
        ct_text_addn(t, rows.s, rows.n);
        ct_html_unfold(t);
    } else {
        ct_text_add(t, "<p>There are no chords: the mechanism is a tree, without loops.</p>\n");
    }
    ct_text_clear(&rows);
    ct_section_close(r);
}
