// Forces of the run: what motions and drives must give, what joints carry at most, and how far springs
// are stretched at the start.
#include "report/report.h"

#include <string.h>

static void end_row(ct_text *t) {
    ct_text_add(t, "</tr>\n");
}

// efforts -----------------------------------------------------------------------------------------
static const char *unit_of_effort(const ct_model *model, const char *name) {
    int i = ct_model_coordinate(model, name);
    for (int k = 0; i < 0 && k < model->n_drives; k++)
        if (!strcmp(model->drives[k].name, name)) i = model->drives[k].coordinate;
    return i >= 0 && model->coordinates[i].is_angle ? "N m" : "N";
}

static void efforts(ct_report_data *r) {
    ct_text *t = &r->page;
    if (!r->sum.n_efforts) return;
    ct_text_add(t, "<h3>Efforts</h3>\n");
    ct_html_table(t, "of|#least|#largest|#rms|unit|#peak power, W");
    for (int i = 0; i < r->sum.n_efforts; i++) {
        const ct_effort_range *x = r->sum.efforts + i;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, x->name);
        ct_html_cell_number(t, x->min);
        ct_html_cell_number(t, x->max);
        ct_html_cell_number(t, x->rms);
        ct_html_cell(t, unit_of_effort(r->model, x->name));
        ct_html_cell_number(t, x->peak_power);
        end_row(t);
    }
    ct_html_table_end(t);
}

// joints ------------------------------------------------------------------------------------------
// Peaks of the view know their times.
static const ct_view_reaction *peaks_of(const ct_view *v, const char *joint) {
    for (int i = 0; i < v->n_reactions; i++)
        if (!strcmp(v->model->joints[v->reactions[i].joint].name, joint)) return v->reactions + i;
    return NULL;
}

static void peak_cells(ct_text *t, const ct_view_peak *peak) {
    ct_html_cell_number(t, peak->size);
    if (peak->size > 0)
        ct_html_cell_number(t, peak->time);
    else
        ct_html_cell(t, "");
}

static void joint_peaks(ct_report_data *r) {
    ct_text *t = &r->page;
    if (!r->view->n_reactions) return;
    ct_text_add(t, "<h3>Joints: largest reactions</h3>\n");
    ct_html_table(t, "joint|#force, N|#at, s|#moment, N m|#at, s|");
    for (int i = 0; i < r->sum.n_reactions; i++) {
        const ct_reaction_range *x = r->sum.reactions + i;
        const ct_view_reaction *peaks = x->is_coupling ? NULL : peaks_of(r->view, x->name);
        if (!peaks) continue;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, x->name);
        peak_cells(t, &peaks->force);
        peak_cells(t, &peaks->moment);
        ct_html_cell(t, x->is_open ? "not unique" : "");
        end_row(t);
    }
    ct_html_table_end(t);
    ct_text_add(t, "<p class=\"soft\">On the second body of the joint, at its joint point; the "
                   "moment about that point.</p>\n");
}

static void couplings(ct_report_data *r) {
    ct_text *t = &r->page;
    int n = 0;
    for (int i = 0; i < r->sum.n_reactions; i++) n += r->sum.reactions[i].is_coupling;
    if (!n) return;
    ct_text_add(t, "<h3>Couplings: largest multipliers</h3>\n");
    ct_html_table(t, "coupling|#multiplier");
    for (int i = 0; i < r->sum.n_reactions; i++) {
        const ct_reaction_range *x = r->sum.reactions + i;
        if (!x->is_coupling) continue;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, x->name);
        ct_html_cell_number(t, x->max_lambda);
        end_row(t);
    }
    ct_html_table_end(t);
}

// springs -----------------------------------------------------------------------------------------
// What a spring needs to be hung in: its free length, its length at the start, and what it pulls with
// there. The first frame has both.
static void springs(ct_report_data *r) {
    ct_text *t = &r->page;
    const ct_model *m = r->model;
    int n = 0;
    for (int i = 0; i < m->n_forces; i++)
        n += ct_force_traits_of(m->forces[i].type)->like == CT_LIKE_SPRING;
    if (!n || !r->has_frames) return;
    ct_text_add(t, "<h3>Springs at the start</h3>\n");
    ct_html_table(t,
                  "spring|type|#free length or angle|#length or angle|#stretched by|#pulls with|");
    for (int i = 0; i < m->n_forces; i++) {
        const ct_force *force = m->forces + i;
        const ct_force_traits *traits = ct_force_traits_of(force->type);
        if (traits->like != CT_LIKE_SPRING) continue;
        const bool angle =
            traits->on == CT_ON_COORDINATE && m->coordinates[force->coordinate].is_angle;
        const double free = ct_model_number(m, force->length), *at = r->frames.force + 3 * i;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, force->name);
        ct_html_cell(t, traits->name);
        ct_html_cell_number(t, free);
        ct_html_cell_number(t, at[1]);
        ct_html_cell_number(t, at[1] - free);
        // a torsion pushes its coordinate back: pulling is the other way round
        ct_html_cell_number(t, traits->on == CT_ON_COORDINATE ? -at[0] + 0.0 : at[0]);
        ct_html_cell(t, angle ? "N m" : "N");
        end_row(t);
    }
    ct_html_table_end(t);
    ct_text_add(t, "<p class=\"soft\">A spring that pulls at the start is preloaded; a negative "
                   "value pushes. Damping counts where the start is not at rest.</p>\n");
}

void ct_section_forces(ct_report_data *r) {
    ct_section_open(r, "forces", "Forces");
    if (r->forces_why) {
        ct_text_add(&r->page, "<p>Reactions of this motion could not be found:</p>\n");
        ct_html_note(&r->page, "warning", r->forces_why);
    }
    if (r->view) {
        efforts(r);
        joint_peaks(r);
        couplings(r);
        springs(r);
    }
    ct_section_close(r);
}
