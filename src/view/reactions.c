// Reactions among the columns of a result: what each column is, how large the wrench of a joint was in
// any row, also in rows that are not kept, and where a page finds it.
#include "formulate/reactions/groups.h"
#include "view/view.h"

#include <string.h>

// The column of this name among those that are nothing else so far; they stand behind all others.
static int find_column(const ct_view *v, const char *name) {
    for (int k = v->n_columns - 1; k >= 0; k--)
        if (v->columns[k].kind == CT_COLUMN_OUTPUT && !strcmp(v->columns[k].name, name)) return k;
    return -1;
}

static int take_column(ct_view *v, const ct_reaction_group *g, int i) {
    static const ct_column_kind kinds[] = {[CT_REACTION_EFFORT] = CT_COLUMN_EFFORT,
                                           [CT_REACTION_WRENCH] = CT_COLUMN_REACTION,
                                           [CT_REACTION_LAMBDA] = CT_COLUMN_MULTIPLIER};
    char *name = ct_format("%s.%s", g->name, ct_reaction_column_name(g, i));
    int k = find_column(v, name);
    if (k >= 0) v->columns[k].kind = kinds[g->kind];
    ct_free(name);
    return k;
}

// Efforts on angles are moments.
static bool turns(const ct_model *model, const char *name) {
    int i = ct_model_coordinate(model, name);
    for (int k = 0; i < 0 && k < model->n_drives; k++)
        if (!strcmp(model->drives[k].name, name)) i = model->drives[k].coordinate;
    return i >= 0 && model->coordinates[i].is_angle;
}

static void take_effort(ct_view *v, const ct_reaction_group *g) {
    int k = take_column(v, g, 0);
    if (k >= 0) v->columns[k].is_angle = turns(v->model, g->name);
}

static void take_wrench(ct_view *v, const ct_reaction_group *g) {
    ct_view_reaction x = {.joint = g->index};
    bool whole = true;
    for (int i = 0; i < 6; i++) {
        x.column[i] = take_column(v, g, i);
        whole = whole && x.column[i] >= 0;
        if (x.column[i] >= 0) v->columns[x.column[i]].is_angle = i >= 3;
    }
    if (whole) v->reactions[v->n_reactions++] = x;
}

void ct_view_find_reactions(ct_view *v) {
    v->reactions = ct_alloc((size_t)v->model->n_joints + 1, sizeof *v->reactions);
    // efforts of motions, or of drives in their place
    for (int drives = 0; drives < 2; drives++) {
        ct_reaction_groups groups = ct_reaction_groups_of(v->model, drives);
        for (int i = 0; i < groups.n; i++) {
            const ct_reaction_group *g = groups.item + i;
            if (g->kind == CT_REACTION_EFFORT) take_effort(v, g);
            if (g->kind == CT_REACTION_LAMBDA) take_column(v, g, 0);
            if (g->kind == CT_REACTION_WRENCH && !drives) take_wrench(v, g);
        }
    }
}

// peaks -------------------------------------------------------------------------------------------
static void note(ct_view_peak *peak, const double *row, const int *column, double t) {
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += row[column[i]] * row[column[i]];
    double size = sqrt(sum);
    if (size > peak->size) *peak = (ct_view_peak){size, t};
}

void ct_view_note_peaks(ct_view *v, const double *row) {
    for (int i = 0; i < v->n_reactions; i++) {
        ct_view_reaction *x = v->reactions + i;
        double t = v->time >= 0 ? row[v->time] : 0;
        note(&x->force, row, x->column, t);
        note(&x->moment, row, x->column + 3, t);
    }
}

// the scene ---------------------------------------------------------------------------------------
void ct_scene_reactions(const ct_view *v, ct_json *j) {
    ct_json_array(j, "reactions");
    for (int i = 0; i < v->n_reactions; i++) {
        const ct_view_reaction *x = v->reactions + i;
        double curves[6]; // indices: all columns are curves but the time
        for (int k = 0; k < 6; k++)
            curves[k] = x->column[k] - (v->time >= 0 && v->time < x->column[k]);
        ct_json_object(j, NULL);
        ct_json_number(j, "joint", x->joint);
        ct_json_vector(j, "curves", 6, curves);
        ct_json_vector(j, "force", 2, (double[]){x->force.size, x->force.time});
        ct_json_vector(j, "moment", 2, (double[]){x->moment.size, x->moment.time});
        ct_json_end(j);
    }
    ct_json_end(j);
}
