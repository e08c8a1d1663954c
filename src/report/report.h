// A page about a model: data that is computed first, and the sections that show it. Text from the
// model's file is escaped where it is written. Drawings are SVG without styles, so that the policy
// of the page can forbid them.
#ifndef CT_REPORT_H
#define CT_REPORT_H

#include "run/system.h"
#include "view/view.h"

// HTML --------------------------------------------------------------------------------------------
void ct_html(ct_text *t, const char *s);       // text between tags and in attributes
void ct_html_name(ct_text *t, const char *s);  // a name of the model: isolated, as code
void ct_html_number(ct_text *t, double x);     // not finite: a dash
void ct_html_power(ct_text *t, double x);      // with two digits: what matters is its size
void ct_html_count(ct_text *t, double n);      // with thin spaces between thousands
void ct_html_tex(ct_text *t, const char *tex); // numbers as ct_tex_rounded has them
// Long numbers of a formula with five digits: fractions, decimals, and their products with roots of
// numbers; names stay as they are. The result is owned by the caller.
char *ct_tex_rounded(const char *tex);
// A table: columns as "name|#number|..." (# is set to the right), then rows of cells.
void ct_html_table(ct_text *t, const char *columns);
void ct_html_row(ct_text *t, const char *row_class);
void ct_html_cell(ct_text *t, const char *text);
void ct_html_cell_name(ct_text *t, const char *name);
void ct_html_cell_number(ct_text *t, double x);
void ct_html_cell_power(ct_text *t, double x);
void ct_html_cell_count(ct_text *t, double n);
void ct_html_cell_tex(ct_text *t, const char *tex);
void ct_html_table_end(ct_text *t);
void ct_html_note(ct_text *t, const char *kind, const char *text); // kind: "warning" or "hint"
// Opens a part that is folded away; ct_html_unfold closes it.
void ct_html_fold(ct_text *t, bool open, const char *format, ...) CT_PRINTF(3, 4);
void ct_html_unfold(ct_text *t);

// Graphviz ----------------------------------------------------------------------------------------
enum { CT_DOT_LABEL = 28 }; // characters of a name in a drawing
// A quoted string of the DOT language that shows as this text: no escape sequence, no entity.
void ct_dot_string(ct_text *t, const char *s);
// The same as a part of a label, at most `most` characters.
void ct_dot_part(ct_text *t, const char *s, int most);

typedef enum ct_dot_status { CT_DOT_DONE, CT_DOT_MISSING, CT_DOT_FAILED } ct_dot_status;
// Runs a program as `dot -Tsvg` with the text as its input, without a shell, and for `seconds` at
// most. svg: from <svg to </svg>, without comments and titles; owned by the caller.
ct_dot_status ct_dot_run(const char *program, const char *dot, double seconds,
                         const volatile sig_atomic_t *stop, char **svg);

// plots -------------------------------------------------------------------------------------------
typedef struct ct_curve {
    const char *name;
    int n;
    const double *x, *y;
} ct_curve;
// An SVG of curves over a common x. Logarithmic: 10^-18 and below is drawn at the bottom.
void ct_plot_svg(ct_text *t, const char *title, const char *x_label, const char *y_label,
                 bool logarithmic, int n, const ct_curve *curves);

// data of a report --------------------------------------------------------------------------------
typedef struct ct_report_data {
    ct_context *ctx;
    ct_system *s;
    const ct_model *model;
    const ct_run_options *options;
    const char *dot; // program; NULL: it was missing
    ct_check_info check;
    ct_operations shared[2], expanded[2]; // of the equations: before closing, after
    bool other_trees;                     // closing took trees of its own
    ct_close_info *close;                 // NULL: see close_why
    char *close_why;
    ct_bench_result *bench;
    char *bench_why;
    bool driven;
    ct_view *view;
    ct_run_summary sum;
    char *run_why, *run_notes;
    char *forces_why; // NULL: reactions are among the columns
    ct_frames frames;
    bool has_frames;
    ct_text page;
} ct_report_data;

// helpers of the sections (section.c) -------------------------------------------------------------
void ct_section_open(ct_report_data *r, const char *id, const char *title);
void ct_section_close(ct_report_data *r);
// The model's messages of a context as text, without their severity; NULL where there are none.
char *ct_report_messages(const ct_context *ctx);
// The drawing of a graph, or false (with a warning, once, where Graphviz is missing).
bool ct_report_draw(ct_report_data *r, const char *dot, const char *label);

// sections ----------------------------------------------------------------------------------------
void ct_section_model(ct_report_data *r);
void ct_section_graph(ct_report_data *r);
void ct_section_coordinates(ct_report_data *r);
void ct_section_closure(ct_report_data *r);
void ct_section_equations(ct_report_data *r);
void ct_section_operations(ct_report_data *r);
void ct_section_approaches(ct_report_data *r);
void ct_section_run(ct_report_data *r);
void ct_section_forces(ct_report_data *r);
void ct_section_replay(ct_report_data *r);

char *ct_graph_dot(const ct_graph *g);  // the linear graph with both trees
char *ct_flow_dot(const ct_closure *c); // the flow, step by step
// [steps x (r + steps)] true where a step needs independent coordinate j (first r) or step j; needs
// that follow from others are left out.
bool *ct_flow_needs(const ct_closure *c);

// Writer of the steps: values appear as coordinates, parts that are used again have names.
typedef struct ct_solution_text ct_solution_text;
ct_solution_text *ct_solution_new(const ct_closure *c, const double *q0);
void ct_solution_free(ct_solution_text *x);
// Equations of a step (psi = 0) as LaTeX, one to a line of `lines`; the formulas that solve them,
// with the definitions that they need first.
typedef struct ct_lines {
    char **item;
    int n, room;
} ct_lines;
void ct_lines_clear(ct_lines *lines);
void ct_solution_equations(ct_solution_text *x, int step, ct_lines *lines);
void ct_solution_formulas(ct_solution_text *x, int step, ct_lines *lines);
// Names that the formulas used so far have for signs and vectors, as HTML.
void ct_solution_legend(ct_solution_text *x, ct_text *t);

#endif
