// The run: residual and energy drift in numbers, curves over time, and the replay.
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { CURVES = 6 }; // in one plot

static void summary(ct_report_data *r) {
    const ct_run_summary *s = &r->sum;
    ct_text *t = &r->page;
    ct_text_add(t, "<p>");
    // method and integrator
    if (r->driven)
        ct_text_add(t, "Driven motion: the positions follow from the motions alone. ");
    else {
        ct_text_add(t, "Method <b>");
        ct_html(t, s->method ? s->method : "");
        ct_text_add(t, "</b>, integrator <b>");
        ct_html(t, s->integrator ? s->integrator : "");
        ct_text_add(t, "</b>. ");
    }
    // length, residual, energy
    ct_text_printf(t, "%g s in ", s->time);
    ct_html_count(t, (double)s->steps);
    ct_text_add(t, " steps. Largest |Φ| of the run: <b>");
    ct_html_power(t, s->max_residual);
    ct_text_add(t, "</b>");
    if (isfinite(s->energy_drift) && !r->driven) {
        ct_text_add(t, "; the energy, with the work of the forces, is kept to within <b>");
        ct_html_power(t, s->energy_drift);
        ct_text_add(t, "</b> of its scale");
    }
    // time taken
    ct_text_printf(t, ". Computed in %.2g s", s->seconds);
    if (s->seconds > 0 && s->time > 0)
        ct_text_printf(t, ", %.3g times faster than real time", s->time / s->seconds);
    ct_text_add(t, s->interrupted ? "; stopped early.</p>\n" : ".</p>\n");
}

static void energy(ct_report_data *r) {
    const ct_frames *f = &r->frames;
    if (!f->kinetic) return;
    double *total = ct_scratch((size_t)f->n + 1, sizeof *total);
    for (int i = 0; i < f->n; i++) total[i] = f->kinetic[i] + f->potential[i];
    ct_curve curves[] = {{"kinetic", f->n, f->time, f->kinetic},
                         {"potential", f->n, f->time, f->potential},
                         {"sum", f->n, f->time, total}};
    ct_plot_svg(&r->page, "Energy", "time, s", "J", false, 3, curves);
}

static void residual(ct_report_data *r) {
    const ct_frames *f = &r->frames;
    if (!r->check.loops) return;
    ct_curve curve = {"largest gap between the sides of a joint", f->n, f->time, f->gap};
    ct_plot_svg(&r->page, "Residual of the loops", "time, s", "m", true, 1, &curve);
}

static void column_plot(ct_report_data *r, const char *title, const char *unit, int n,
                        const int *columns) {
    const ct_frames *f = &r->frames;
    const ct_view *v = r->view;
    ct_curve curves[CURVES] = {0};
    double *y[CURVES];
    for (int k = 0; k < n; k++) {
        y[k] = ct_alloc((size_t)f->n + 1, sizeof **y);
        for (int i = 0; i < f->n; i++) y[k][i] = v->rows[f->row[i] * v->n_columns + columns[k]];
        curves[k] = (ct_curve){v->columns[columns[k]].name, f->n, f->time, y[k]};
    }
    if (n) ct_plot_svg(&r->page, title, "time, s", unit, false, n, curves);
    for (int k = 0; k < n; k++) ct_free(y[k]);
}

static bool is_independent(const ct_report_data *r, const char *name) {
    if (!r->close) return true;
    for (int i = 0; i < r->close->n_independent; i++)
        if (!strcmp(r->close->independent[i], name)) return true;
    return r->close->n_independent == 0;
}

static double amplitude(const ct_report_data *r, int column) {
    double most = 0;
    for (int i = 0; i < r->frames.n; i++) {
        double y = fabs(r->view->rows[r->frames.row[i] * r->view->n_columns + column]);
        if (isfinite(y)) most = fmax(most, y);
    }
    return most;
}

typedef struct plot {
    int n, columns[CURVES];
    double size; // of the first curve
} plot;

typedef enum group { ANGLES, LENGTHS, OUTPUTS, EFFORTS } group;

static bool belongs(const ct_report_data *r, const ct_column *c, group g) {
    if (c->kind == CT_COLUMN_EFFORT) return g == EFFORTS;
    if (c->kind != CT_COLUMN_COORDINATE) return c->kind == CT_COLUMN_OUTPUT && g == OUTPUTS;
    return is_independent(r, c->name) && g == (c->is_angle ? ANGLES : LENGTHS);
}

// Curves of like size share a plot. Returns how many found no place.
static int group_plots(ct_report_data *r, group g, const char *title, const char *unit) {
    enum { PLOTS = 4 };
    static const double LIKE = 25;
    plot plots[PLOTS] = {0};
    int more = 0;
    for (int k = 0; k < r->view->n_columns; k++) {
        if (!belongs(r, r->view->columns + k, g)) continue;
        double size = amplitude(r, k);
        plot *p = plots, *end = plots + PLOTS;
        while (p < end && p->n &&
               (p->n == CURVES || size > LIKE * p->size || p->size > LIKE * size))
            p++;
        if (p == end) {
            more++;
            continue;
        }
        if (!p->n) p->size = size;
        p->columns[p->n++] = k;
    }
    for (int i = 0; i < PLOTS; i++) column_plot(r, title, unit, plots[i].n, plots[i].columns);
    return more;
}

static void columns(ct_report_data *r) {
    bool some = r->close && r->close->n_independent;
    int more = group_plots(r, ANGLES, some ? "Independent angles" : "Angles", "rad");
    more += group_plots(r, LENGTHS, some ? "Independent lengths" : "Lengths", "m");
    more += group_plots(r, OUTPUTS, "Outputs", "");
    more += group_plots(r, EFFORTS, "Efforts", "N, N m");
    if (more)
        ct_text_printf(&r->page,
                       "<p class=\"soft\">%d more curve%s: see the replay below, or <code>cotree "
                       "simulate</code>.</p>\n",
                       more, more == 1 ? " is not shown" : "s are not shown");
}

void ct_section_run(ct_report_data *r) {
    ct_text *t = &r->page;
    ct_section_open(r, "run", r->driven ? "Driven motion" : "Simulation");
    if (r->run_why) {
        ct_text_add(t, "<p>The run failed:</p>\n");
        ct_html_note(t, "warning", r->run_why);
        if (r->has_frames) ct_text_add(t, "<p>The curves show the motion up to there.</p>\n");
    } else {
        summary(r);
    }
    if (r->run_notes) ct_html_note(t, "warning", r->run_notes);
    if (r->has_frames) {
        ct_text_add(t, "<div class=\"plots\">\n");
        energy(r);
        residual(r);
        columns(r);
        ct_text_add(t, "</div>\n");
    }
    ct_section_close(r);
}

void ct_section_replay(ct_report_data *r) {
    ct_text *t = &r->page;
    char *html = NULL;
    ct_view_info info;
    ct_context *quiet = ct_context_quiet(NULL);
    // the page of the viewer, or why there is none
    ct_section_open(r, "replay", "Replay");
    ct_status status = r->has_frames ? ct_view_page(quiet, r->view, &html, &info) : CT_NUMERICS;
    if (status) {
        char *why = ct_report_messages(quiet);
        ct_html_note(t, "hint", why ? why : "There is no motion to show.");
        ct_free(why);
    } else {
        // the whole page as an attribute of a frame
        ct_text_add(
            t, "<p class=\"screen\">Drag to turn it; a click into the picture, then <kbd>?</kbd>, "
               "lists the keys.</p>\n<iframe id=\"viewer\" title=\"the mechanism in motion\" "
               "srcdoc=\"");
        for (const char *s = html; *s;) { // an attribute: only these two end or change anything
            size_t plain = strcspn(s, "&\"");
            ct_text_addn(t, s, plain);
            s += plain;
            if (*s) ct_text_add(t, *s++ == '&' ? "&amp;" : "&quot;");
        }
        ct_text_add(t,
                    "\"></iframe>\n<p class=\"paper placeholder\">The replay moves on the screen "
                    "only.</p>\n");
    }
    ct_string_free(html);
    ct_section_close(r);
}
