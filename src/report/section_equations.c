// The equations of motion, typeset, and the operations of one evaluation.
#include "report/report.h"

#include "formulate/whole_rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUP_SHOWN = 5000, // characters of LaTeX in a group that is not folded
    LINE_KEPT = 6000,
    GROUP_KEPT = 120000
};

typedef struct group { // equations under one heading
    ct_text lines;
    size_t kept, whole; // characters
    int n, left_out;
} group;

static void add(group *g, const char *name, const char *value) {
    size_t n = strlen(value);
    g->n++;
    g->whole += n;
    if (n > LINE_KEPT || g->kept + n > GROUP_KEPT) {
        g->left_out++;
        return;
    }
    g->kept += n;
    char *tex = ct_scratch_format("%s = %s", name, value);
    ct_text_add(&g->lines, "<div class=\"formula\">");
    ct_html_tex(&g->lines, tex);
    ct_text_add(&g->lines, "</div>\n");
}

static void write_group(ct_text *t, const char *title, group *g) {
    if (g->n) {
        ct_html_fold(t, g->kept <= GROUP_SHOWN && !g->left_out, "%s: %d", title, g->n);
        if (g->lines.n) ct_text_addn(t, g->lines.s, g->lines.n);
        if (g->left_out)
            ct_text_printf(t,
                           "<p class=\"note hint\">%d more, %zu characters in all: <code>cotree "
                           "equations --latex</code> writes them.</p>\n",
                           g->left_out, g->whole);
        ct_html_unfold(t);
    }
    ct_text_clear(&g->lines);
}

// What stands in the place of angles.
static void rotations(ct_text *t, const ct_formulation *f) {
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        ct_text_add(t, "<p>The rotation of ");
        ct_html_name(t, f->model->bodies[b->body].name);
        ct_text_add(t, " is integrated whole: Euler parameters ");
        for (int k = 0; k < 4; k++) {
            ct_html_name(t, ct_symbol_name(f->pool, b->parameter[k]));
            ct_text_add(t, k < 3 ? ", " : " in the place of angles, and the angular velocity ");
        }
        for (int k = 0; k < 3; k++) {
            ct_html_name(t, ct_symbol_name(f->pool, b->rate[k]));
            ct_text_add(t, k < 2 ? ", " : " in the place of their rates.</p>\n");
        }
    }
}

static void statement(ct_report_data *r) {
    const ct_formulation *f = ct_system_formulation(r->s);
    ct_text *t = &r->page;
    // equations of all coordinates
    ct_text_add(t, "<div class=\"formula display\">");
    ct_html_tex(t, f->m ? "\\mathbf{M}(\\mathbf{q})\\,\\ddot{\\mathbf{q}} + "
                          "\\mathbf{\\Phi}_{\\mathbf{q}}^{\\mathsf{T}}\\,\\boldsymbol{\\lambda} = "
                          "\\mathbf{F}(\\mathbf{q}, \\dot{\\mathbf{q}}, t), \\qquad "
                          "\\mathbf{\\Phi}(\\mathbf{q}, t) = \\mathbf{0}"
                        : "\\mathbf{M}(\\mathbf{q})\\,\\ddot{\\mathbf{q}} = "
                          "\\mathbf{F}(\\mathbf{q}, \\dot{\\mathbf{q}}, t)");
    ct_text_add(t, "</div>\n<p>with ");
    // their number and names
    ct_text_printf(t, "%d coordinate%s and %d constraint row%s, <b>q</b> = (", f->n,
                   f->n == 1 ? "" : "s", f->m, f->m == 1 ? "" : "s");
    for (int i = 0; i < f->n; i++) {
        const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, i, NULL);
        if (i) ct_text_add(t, ", ");
        ct_html_name(t, b && b->integrated ? ct_symbol_name(f->pool, f->q[i]) : f->names[i]);
    }
    ct_text_add(t, ").</p>\n");
    rotations(t, f);
    // projected on the independent coordinates
    if (!r->close || !ct_system_closure(r->s)->r) return;
    ct_text_add(
        t, "<p>The closure gives rates and accelerations of all coordinates from those of the "
           "independent ones <b>q</b><sub>i</sub>, and projects the equations on them, one for "
           "each freedom:</p>\n<div class=\"formula display\">");
    ct_html_tex(t,
                "\\dot{\\mathbf{q}} = \\mathbf{B}\\,\\dot{\\mathbf{q}}_i + \\mathbf{C}, \\qquad "
                "\\ddot{\\mathbf{q}} = \\mathbf{B}\\,\\ddot{\\mathbf{q}}_i + \\mathbf{A}, \\qquad "
                "\\mathbf{B}^{\\mathsf{T}} \\mathbf{M}\\,\\mathbf{B}\\,\\ddot{\\mathbf{q}}_i = "
                "\\mathbf{B}^{\\mathsf{T}} (\\mathbf{F} - \\mathbf{M}\\,\\mathbf{A})");
    ct_text_add(t, "</div>\n");
}

// True for systems that take longer to write out than to solve.
static bool too_large(const ct_report_data *r) {
    return ct_system_formulation(r->s)->n > 120;
}

static void write_all(ct_report_data *r) {
    ct_equations_info e;
    group definitions = {0}, mass = {0}, forcing = {0}, rows = {0};
    char name[40];
    if (ct_equations(r->ctx, r->s, CT_EQUATIONS_LATEX, &e)) return;
    for (int i = 0; i < e.n_definitions; i++) {
        snprintf(name, sizeof name, "\\mathrm{%s}", e.definition_names[i]);
        add(&definitions, name, e.definition_values[i]);
    }
    for (int i = 0; i < e.n; i++)
        for (int k = i; k < e.n; k++) {
            if (!strcmp(e.mass[i * e.n + k], "0")) continue;
            snprintf(name, sizeof name, "M_{%d,%d}", i + 1, k + 1);
            add(&mass, name, e.mass[i * e.n + k]);
        }
    // forces, then constraints
    for (int i = 0; i < e.n; i++) {
        snprintf(name, sizeof name, "F_{%d}", i + 1);
        add(&forcing, name, e.forcing[i]);
    }
    for (int i = 0; i < e.m; i++) {
        snprintf(name, sizeof name, "\\Phi_{%d}", i + 1);
        add(&rows, name, e.constraints[i]);
    }
    // groups in the order of reading
    write_group(&r->page, "Constraints Φ", &rows);
    write_group(&r->page, "Shared parts z of what follows and of the constraints", &definitions);
    write_group(&r->page, "Mass matrix M (symmetric; entries that are not zero)", &mass);
    write_group(&r->page, "Forces F", &forcing);
}

void ct_section_equations(ct_report_data *r) {
    ct_section_open(r, "equations", "Equations of motion");
    statement(r);
    if (too_large(r))
        ct_text_add(&r->page,
                    "<p class=\"note hint\">Too many to print here: <code>cotree equations "
                    "--latex</code> writes them.</p>\n");
    else
        write_all(r);
    ct_section_close(r);
}

// operations --------------------------------------------------------------------------------------
static void operations_row(ct_text *t, const char *what, ct_operation_count c) {
    ct_html_row(t, NULL);
    ct_html_cell(t, what);
    ct_html_cell_count(t, c.add);
    ct_html_cell_count(t, c.mul);
    ct_html_cell_count(t, c.div);
    ct_html_cell_count(t, c.func);
    ct_text_add(t, "<td class=\"n\"><b>");
    ct_html_count(t, c.total);
    ct_text_add(t, "</b></td></tr>\n");
}

static ct_operation_count count_of(ct_operations c) {
    return (ct_operation_count){c.add, c.mul, c.div, c.func, ct_operations_total(c)};
}

void ct_section_operations(ct_report_data *r) {
    ct_text *t = &r->page;
    // what sharing saves
    int last = r->other_trees;
    double raw = ct_operations_total(r->expanded[last]),
           kept = ct_operations_total(r->shared[last]);
    ct_section_open(r, "operations", "Operation counts");
    ct_text_add(
        t, "<p>Of one evaluation. <i>Raw</i> is every expression of M, F, Φ, Φ<sub>q</sub> and γ "
           "written out in full; <i>emitted</i> is the same as generated code computes it, with "
           "shared parts once");
    if (kept > 0 && raw > kept) {
        ct_text_add(t, ": fewer by a factor of <b>");
        ct_html_number(t, raw / kept);
        ct_text_add(t, "</b>");
    }
    ct_text_add(t, ".</p>\n");
    // equations of both pairs of trees, then the closure
    ct_html_table(t, "|#additions|#multiplications|#divisions|#functions|#total");
    if (r->other_trees) {
        operations_row(t, "trees by rule, raw", count_of(r->expanded[0]));
        operations_row(t, "trees by rule, emitted", count_of(r->shared[0]));
    }
    operations_row(t, last ? "trees of the closure, raw" : "all equations, raw",
                   count_of(r->expanded[last]));
    operations_row(t, last ? "trees of the closure, emitted" : "all equations, emitted",
                   count_of(r->shared[last]));
    // steps, positions, dynamics of the closure
    if (r->close) {
        operations_row(t, "closure: the steps alone", r->close->operations);
        operations_row(t, "closure: all positions, emitted", r->close->positions);
        if (r->close->n_independent)
            operations_row(t, "closure: one equation for each freedom, emitted",
                           r->close->dynamics);
    }
    ct_html_table_end(t);
    ct_section_close(r);
}
