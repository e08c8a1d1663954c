// Sections about coordinates and closure: how dependent coordinates follow from independent ones.
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE_KEPT = 12000, // that are on the page at all
    STEP_SHOWN = 1600, // of all equations of a step
    PAGE_KEPT = 500000 // of all formulas
};

// coordinates -------------------------------------------------------------------------------------
static int step_of(const ct_closure *c, const char *name) {
    for (int i = 0; i < c->n_steps; i++)
        for (int u = 0; u < c->steps[i].n_unknowns; u++)
            if (!strcmp(c->steps[i].unknowns[u], name)) return i;
    return -1;
}

static void role(ct_text *t, const ct_report_data *r, int k) {
    const ct_closure *c = ct_system_closure(r->s);
    int step = c ? step_of(c, ct_system_formulation(r->s)->names[k]) : -1;
    ct_text_add(t, "<td>");
    if (!ct_system_formulation(r->s)->m)
        ct_text_add(t, "<b>independent</b>");
    else if (!c)
        ct_text_add(t, "–");
    else if (c->is_independent[k])
        ct_text_add(t, "<b>independent</b>");
    else if (step >= 0)
        ct_text_printf(t, "%s, step %d",
                       c->steps[step].method == CT_STEP_GIVEN    ? "given"
                       : c->steps[step].method == CT_STEP_NEWTON ? "iterated"
                                                                 : "dependent",
                       step + 1);
    else
        ct_text_add(t, "dependent");
    ct_text_add(t, "</td>");
}

static const double ROUNDING = 1e-13; // radians or the model's lengths, of an initial position

// Zero for values that are rounding of the initial position.
static double without_noise(double x) {
    return fabs(x) < ROUNDING ? 0 : x;
}

void ct_section_coordinates(ct_report_data *r) {
    const ct_formulation *f = ct_system_formulation(r->s);
    ct_text *t = &r->page;
    // how many there are, and how many are free
    ct_section_open(r, "coordinates", "Coordinates");
    ct_text_printf(t, "<p>The branches of the trees have <b>%d</b> coordinate%s", f->n_tree,
                   f->n_tree == 1 ? "" : "s");
    if (f->n > f->n_tree)
        ct_text_printf(t,
                       "; %d more belong%s to joints outside the trees that forces, gears or "
                       "outputs name",
                       f->n - f->n_tree, f->n - f->n_tree == 1 ? "s" : "");
    ct_text_printf(t, ". %d constraint row%s tie them together; <b>%d</b> freedom%s remain%s",
                   ct_system_state(r->s)->m, ct_system_state(r->s)->m == 1 ? "" : "s",
                   r->check.dof_after_motions, r->check.dof_after_motions == 1 ? "" : "s",
                   r->check.dof_after_motions == 1 ? "s" : "");
    // freedoms that motions take
    if (r->check.dof_after_motions != r->check.dof)
        ct_text_printf(t, " of %d once the motions are prescribed", r->check.dof);
    ct_text_add(t, ".</p>\n");
    // a row for each: joint or body, initial state, unit, role
    bool fold = f->n > 40;
    if (fold) ct_html_fold(t, false, "All %d coordinates", f->n);
    ct_html_table(t, "coordinate|of|#initial value|#initial rate|unit|role");
    for (int k = 0; k < f->n; k++) {
        int c = f->coordinate[k];
        ct_html_row(t, NULL);
        ct_html_cell_name(t, f->names[k]);
        ct_text_add(t, "<td>");
        if (c >= 0) {
            const ct_joint *j = f->model->joints + f->model->coordinates[c].joint;
            ct_text_printf(t, "%s ", ct_joint_type_name(j->type));
            ct_html_name(t, j->name);
        } else {
            ct_text_add(t, "body ");
            ct_html_name(t, f->model->bodies[f->body[k]].name);
        }
        ct_text_add(t, k >= f->n_tree ? ", auxiliary</td>" : "</td>");
        ct_html_cell_number(t, without_noise(ct_system_state(r->s)->q0[k]));
        ct_html_cell_number(t, without_noise(ct_system_state(r->s)->qd0[k]));
        ct_html_cell(t, f->is_angle[k] ? "rad, rad/s" : "m, m/s");
        role(t, r, k);
        ct_text_add(t, "</tr>\n");
    }
    ct_html_table_end(t);
    if (fold) ct_html_unfold(t);
    ct_section_close(r);
}

// steps -------------------------------------------------------------------------------------------
// The form of the equation in its unknown u, and what is known when it is solved.
static void write_form(ct_text *t, const ct_closure *c, const ct_step *s) {
    const ct_formulation *f = c->f;
    // angle: there is one unknown, and it is an angle
    bool angle = false;
    for (int k = 0; k < f->n; k++)
        if (s->n_unknowns == 1 && !strcmp(f->names[k], s->unknowns[0])) angle = f->is_angle[k];
    bool root = s->method == CT_STEP_QUADRATIC && s->n_unknowns == 1;
    // a sentence for each method
    static const char closed[] = "One polynomial, whose roots are there in closed form; the one of "
                                 "the initial position is taken.";
    static const char *const words[] = {
        [CT_STEP_GIVEN] = "A motion, a gear or an equation gives it outright.",
        [CT_STEP_LINEAR] = "Linear in the unknown, or in its sine and cosine: one solution.",
        [CT_STEP_QUADRATIC] =
            "Placed points give a direction or an orientation: one square root, with the sign of "
            "the initial position, then linear equations.",
        [CT_STEP_CUBIC] = closed,
        [CT_STEP_QUARTIC] = closed,
        [CT_STEP_POLYNOMIAL] = "One polynomial; its root is followed from the initial position.",
        [CT_STEP_NEWTON] =
            "No closed form: Newton’s iteration on these equations, from the last position."};
    ct_text_add(t, " <span class=\"soft\">");
    // one square root: the equation as a formula
    if (root) {
        ct_text_add(t, "Of the form ");
        ct_html_tex(t, angle ? "a \\cos u + b \\sin u = c" : "u^2 + 2\\,h\\,u + k = 0");
        ct_text_add(t, angle ? " with <i>a</i>, <i>b</i>, <i>c</i>" : " with <i>h</i>, <i>k</i>");
        ct_text_add(t, " known from the steps before: a square root, with the sign of the initial "
                       "position.");
    } else {
        ct_text_add(t, words[s->method]);
    }
    ct_text_add(t, "</span>");
}

static size_t total(const ct_lines *lines) {
    size_t n = 0;
    for (int i = 0; i < lines->n; i++) n += strlen(lines->item[i]);
    return n;
}

static void write_lines(ct_text *t, const ct_lines *lines, size_t *budget) {
    int left_out = 0;
    for (int i = 0; i < lines->n; i++) {
        size_t n = strlen(lines->item[i]);
        if (n > LINE_KEPT || n > *budget) {
            left_out++;
            continue;
        }
        *budget -= n;
        ct_text_add(t, "<div class=\"formula\">");
        ct_html_tex(t, lines->item[i]);
        ct_text_add(t, "</div>\n");
    }
    if (left_out)
        ct_text_printf(t,
                       "<p class=\"note hint\">%d more, too long for a page; the generated code "
                       "(<code>cotree generate</code>) holds them.</p>\n",
                       left_out);
}

// Writes a text as a sentence: a capital letter first, a full stop last.
static void write_text(ct_text *t, const char *s) {
    char first[2] = {*s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s, '\0'};
    ct_html(t, first);
    ct_html(t, *s ? s + 1 : "");
    ct_text_add(t, ".");
}

static void write_step(ct_report_data *r, ct_solution_text *x, int i, size_t *budget) {
    const ct_step *s = ct_system_closure(r->s)->steps + i;
    ct_text *t = &r->page;
    ct_lines equations = {0}, formulas = {0};
    // unknowns, method and degree
    ct_text_printf(t, "<article class=\"step %s\"><h3><span class=\"number\">%d</span> ",
                   ct_step_method_name(s->method), i + 1);
    for (int u = 0; u < s->n_unknowns; u++) {
        if (u) ct_text_add(t, ", ");
        ct_html_name(t, s->unknowns[u]);
    }
    ct_text_printf(t, " <span class=\"tag\">%s", ct_step_method_name(s->method));
    if (s->method != CT_STEP_GIVEN && s->method != CT_STEP_NEWTON)
        ct_text_printf(t, ", degree %d", s->degree);
    ct_text_add(t, "</span></h3>\n<p>");
    write_text(t, s->text ? s->text : "");
    write_form(t, ct_system_closure(r->s), s);
    ct_text_add(t, "</p>\n");
    // its equations, folded where they are long
    ct_solution_equations(x, i, &equations);
    ct_solution_formulas(x, i, &formulas);
    if (equations.n) {
        size_t n = total(&equations);
        bool fold = n > STEP_SHOWN;
        if (fold)
            ct_html_fold(t, false, "%s (%zu characters)",
                         equations.n == 1 ? "The equation" : "The equations", n);
        write_lines(t, &equations, budget);
        if (fold) ct_html_unfold(t);
    }
    // the formulas that solve them
    if (formulas.n) {
        bool open = !equations.n && total(&formulas) <= STEP_SHOWN; // the only exact statement
        ct_html_fold(t, open, "How it is solved: %d formula%s", formulas.n,
                     formulas.n == 1 ? "" : "s");
        write_lines(t, &formulas, budget);
        ct_html_unfold(t);
    }
    ct_text_add(t, "</article>\n");
    ct_lines_clear(&equations);
    ct_lines_clear(&formulas);
}

static void write_closure(ct_report_data *r) {
    const ct_closure *c = ct_system_closure(r->s);
    const ct_close_info *info = r->close;
    ct_text *t = &r->page;
    size_t budget = PAGE_KEPT;
    // independent coordinates
    ct_text_add(t, "<p>");
    if (c->r) {
        ct_text_add(t, "Independent: ");
        for (int j = 0; j < c->r; j++) {
            if (j) ct_text_add(t, ", ");
            ct_html_name(t, c->f->names[c->independent[j]]);
        }
        ct_text_add(t, ". ");
    } else {
        ct_text_add(t, "Motions leave no coordinate independent. ");
    }
    // how the others follow, and how well the loops close
    if (info->triangular)
        ct_text_add(t,
                    "Every other coordinate follows from them in closed form, one step after the "
                    "other");
    else if (info->n_iterated)
        ct_text_printf(t, "%d unknown%s iterated; the others follow in closed form",
                       info->n_iterated, info->n_iterated == 1 ? " is" : "s are");
    else
        ct_text_add(t, "Every other coordinate follows from them, one step after the other");
    ct_text_add(t, ". Largest |Φ| after closing at the initial position and around it: ");
    ct_html_power(t, info->residual);
    ct_text_printf(
        t,
        ". Found in %.2g s. Long constants are shown with five digits; the closure holds "
        "them exactly.</p>\n",
        info->seconds);
    // the flow, then every step
    if (!c->n_steps) return;
    char *dot = ct_flow_dot(c);
    ct_report_draw(r, dot,
                   "solution flow: which step needs which (independent coordinates that none needs "
                   "are left out)");
    ct_free(dot);
    ct_solution_text *x = ct_solution_new(c, ct_system_state(r->s)->q0);
    for (int i = 0; i < c->n_steps; i++) write_step(r, x, i, &budget);
    ct_solution_legend(x, t);
    ct_solution_free(x);
}

void ct_section_closure(ct_report_data *r) {
    ct_section_open(r, "closure", "Solution flow");
    if (r->close_why) {
        ct_text_add(&r->page, "<p>The loops could not be closed in order:</p>\n");
        ct_html_note(&r->page, "warning", r->close_why);
    } else if (!r->close) {
        ct_text_add(&r->page,
                    "<p>There are no loops: every coordinate is independent, and there is "
                    "nothing to close.</p>\n");
    } else {
        write_closure(r);
    }
    ct_section_close(r);
}
