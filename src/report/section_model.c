// The model as its file has it: a paragraph, and tables of bodies, joints, motions, forces and
// parameters.
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 60 }; // longer tables are folded

static void vector_cell(ct_text *t, const ct_model *model, const ct_vec3 *v) {
    ct_text_add(t, "<td class=\"n\">");
    for (int i = 0; i < 3; i++) {
        if (i) ct_text_add(t, ", ");
        ct_html_number(t, ct_model_number(model, v->v[i]));
    }
    ct_text_add(t, "</td>");
}

static const char *body_name(const ct_model *model, int b) {
    return b < 0 ? "" : b ? model->bodies[b].name : "ground";
}

static void open_table(ct_text *t, const char *title, int n, const char *columns) {
    ct_text_printf(t, "<h3>%s</h3>\n", title);
    if (n > ROWS_SHOWN) ct_html_fold(t, false, "%d rows", n);
    ct_html_table(t, columns);
}

static void close_table(ct_text *t, int n) {
    ct_html_table_end(t);
    if (n > ROWS_SHOWN) ct_html_unfold(t);
}

static void end_row(ct_text *t) {
    ct_text_add(t, "</tr>\n");
}

// An expression of the file; long ones are cut.
static void expression_cell(ct_text *t, const ct_model *model, ct_ex a) {
    enum { MOST = 400 };
    double x = ct_model_number(model, a);
    if (isfinite(x) && ct_is_number(model->pool, a)) {
        ct_html_cell_number(t, x);
        return;
    }
    char *tex = ct_print(model->pool, a, CT_STYLE_LATEX);
    if (strlen(tex) > MOST)
        ct_html_cell(t, "(a long expression)");
    else
        ct_html_cell_tex(t, tex);
    ct_free(tex);
}

static void bodies(ct_text *t, const ct_model *model) {
    open_table(t, "Bodies", model->n_bodies - 1,
               "body|#mass, kg|#centre of mass, m|#Ixx, Iyy, Izz, kg m²|#Ixy, Ixz, Iyz");
    for (int b = 1; b < model->n_bodies; b++) {
        const ct_body *x = model->bodies + b;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, x->name);
        ct_html_cell_number(t, ct_model_number(model, x->mass));
        vector_cell(t, model, &x->com);
        vector_cell(t, model, &(ct_vec3){{x->inertia[0], x->inertia[1], x->inertia[2]}});
        vector_cell(t, model, &(ct_vec3){{x->inertia[3], x->inertia[4], x->inertia[5]}});
        end_row(t);
    }
    close_table(t, model->n_bodies - 1);
}

static void joints(ct_text *t, const ct_model *model) {
    open_table(t, "Joints", model->n_joints,
               "joint|type|between||#at, in the first|#at, in the second|coordinates");
    for (int j = 0; j < model->n_joints; j++) {
        // name, type, bodies
        const ct_joint *x = model->joints + j;
        bool between = x->body[0] >= 0;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, x->name);
        ct_text_printf(t, "<td>%s%s</td>", ct_joint_type_name(x->type),
                       x->is_virtual ? ", virtual" : "");
        ct_html_cell_name(t, body_name(model, x->body[0]));
        ct_html_cell_name(t, body_name(model, x->body[1]));
        // its point in both bodies
        for (int k = 0; k < 2; k++) {
            if (between)
                vector_cell(t, model, &x->at[k]);
            else
                ct_html_cell(t, "");
        }
        // its coordinates, the first and the last by name
        ct_text_add(t, "<td>");
        if (x->n_coordinates) ct_html_name(t, model->coordinates[x->first_coordinate].name);
        if (x->n_coordinates > 1) { // J.1 … J.3
            const char *last = model->coordinates[x->first_coordinate + x->n_coordinates - 1].name;
            const char *dot = strrchr(last, '.');
            ct_text_add(t, x->n_coordinates > 2 ? " … " : ", ");
            ct_html_name(t, dot ? dot : last);
        }
        ct_text_add(t, "</td>");
        end_row(t);
    }
    close_table(t, model->n_joints);
}

static void force_vector(ct_text *t, const ct_model *model, const ct_force *force) {
    ct_text_add(t, "<td>");
    for (int k = 0; k < 3; k++) {
        char *tex = ct_print(model->pool, force->vector.v[k], CT_STYLE_LATEX);
        if (k) ct_text_add(t, ", ");
        ct_html_tex(t, strlen(tex) < 200 ? tex : "\\ldots");
        ct_free(tex);
    }
    ct_text_add(t, force->in_body ? " (frame of the body)</td>" : "</td>");
}

static void force_numbers(ct_text *t, const ct_model *model, const ct_force *force) {
    const ct_force_traits *traits = ct_force_traits_of(force->type);
    const struct {
        unsigned number;
        const char *name;
        ct_ex value;
    } all[] = {
        {CT_STIFFNESS, "stiffness", force->stiffness},
        {CT_DAMPING, "damping", force->damping},
        {CT_LENGTH, traits->on == CT_ON_POINTS ? "free length" : "free angle", force->length},
        {CT_RADIUS, "radius", force->radius}};
    const char *between = "<td>";
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (!(traits->numbers & all[k].number)) continue;
        ct_text_printf(t, "%s%s ", between, all[k].name);
        ct_html_number(t, ct_model_number(model, all[k].value));
        between = ", ";
    }
    // what else is constant and not zero
    for (int k = 0; k < CT_FORCE_NUMBER_COUNT; k++) {
        const double value = ct_model_number(model, force->number[k]);
        if (!(value != 0) || !isfinite(value)) continue;
        ct_text_printf(t, "%s%s ", between, ct_force_number_name((ct_force_number)k));
        ct_html_number(t, value);
        between = ", ";
    }
    static const char *const parts[] = {"stiffness", "damping", "preload"};
    for (int k = 0; k < CT_BUSHING_PARTS && force->type == CT_FORCE_BUSHING; k++) {
        ct_text_printf(t, "%s%s (", between, parts[k]);
        for (int i = 0; i < CT_BUSHING_DIRECTIONS; i++) {
            if (i) ct_text_add(t, ", ");
            ct_html_number(t, ct_model_number(model, force->bushing[k][i]));
        }
        ct_text_add(t, ")");
        between = ", ";
    }
    ct_text_add(t, *between == ',' ? "</td>" : "<td></td>");
}

static void force_value(ct_text *t, const ct_model *model, const ct_force *force) {
    switch (ct_force_traits_of(force->type)->like) {
    case CT_LIKE_VECTOR: force_vector(t, model, force); break;
    case CT_LIKE_VALUE: expression_cell(t, model, force->value); break;
    case CT_LIKE_SPRING:
    case CT_LIKE_MOTION: force_numbers(t, model, force); break;
    }
}

static void forces(ct_text *t, const ct_model *model) {
    if (!model->n_forces) return;
    open_table(t, "Forces", model->n_forces, "force|type|on|value");
    for (int i = 0; i < model->n_forces; i++) {
        const ct_force *x = model->forces + i;
        const ct_force_traits *traits = ct_force_traits_of(x->type);
        bool joint = traits->on == CT_ON_COORDINATE;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, x->name);
        ct_html_cell(t, traits->name);
        ct_text_add(t, "<td>");
        ct_html_name(t,
                     joint ? model->coordinates[x->coordinate].name : body_name(model, x->body[0]));
        if (traits->on == CT_ON_POINTS || traits->on == CT_ON_BODIES) {
            ct_text_add(t, " and ");
            ct_html_name(t, body_name(model, x->body[1]));
        }
        ct_text_add(t, "</td>");
        force_value(t, model, x);
        end_row(t);
    }
    close_table(t, model->n_forces);
}

static void motions(ct_text *t, const ct_model *model) {
    if (!model->n_motions) return;
    open_table(t, "Motions", model->n_motions, "prescribed|as a function of time");
    for (int i = 0; i < model->n_motions; i++) {
        ct_html_row(t, NULL);
        ct_html_cell_name(t, model->motions[i].name);
        expression_cell(t, model, model->motions[i].value);
        end_row(t);
    }
    close_table(t, model->n_motions);
}

static void parameters(ct_text *t, const ct_model *model) {
    int n = model->n_parameters + model->n_inputs;
    if (!n) return;
    open_table(t, "Parameters and inputs", n, "name|#value|");
    for (int i = 0; i < model->n_parameters; i++) {
        const ct_parameter *p = model->parameters + i;
        ct_html_row(t, NULL);
        ct_html_cell_name(t, p->name);
        ct_html_cell_number(t, p->number);
        ct_ex value = ct_model_parameter(model, i);
        if (ct_is_number(model->pool, value))
            ct_html_cell(t, "");
        else
            expression_cell(t, model, value);
        end_row(t);
    }
    for (int i = 0; i < model->n_inputs; i++) {
        ct_html_row(t, NULL);
        ct_html_cell_name(t, model->inputs[i].name);
        ct_html_cell_number(t, model->inputs[i].number);
        ct_html_cell(t, "input");
        end_row(t);
    }
    close_table(t, n);
}

static void plural(ct_text *t, const char *before, int n, const char *one, const char *many) {
    if (n)
        ct_text_printf(t, "%s<b>%d</b> %s", before, n, n == 1 ? one : many);
    else
        ct_text_printf(t, "%sno %s", before, many);
}

// The paragraph on top: kind and size of the mechanism, freedoms, gravity.
static void paragraph(ct_report_data *r) {
    const ct_check_info *c = &r->check;
    const ct_model *m = r->model;
    ct_text *t = &r->page;
    // what it consists of, and how freely it moves
    ct_text_add(t, "<p>A ");
    ct_text_add(t, c->planar ? "planar" : "spatial");
    ct_text_add(t, " mechanism");
    plural(t, " of ", c->bodies, "body", "bodies");
    plural(t, ", ", c->joints, "joint", "joints");
    plural(t, " and ", c->loops, "loop", "loops");
    plural(t, ". It has ", c->dof, "freedom", "freedoms");
    if (m->n_motions) {
        plural(t, "; ", m->n_motions, "motion is", "motions are");
        plural(t, " prescribed, which leaves ", c->dof_after_motions, "freedom", "freedoms");
    }
    // constraints that say nothing new
    if (c->redundant) {
        plural(t, ". ", c->redundant, "constraint is", "constraints are");
        ct_text_add(t, " redundant");
        for (int i = 0; i < c->n_redundant_joints && i < 8; i++) {
            ct_text_add(t, i ? ", " : " (joints ");
            ct_html_name(t, c->redundant_joints[i]);
        }
        if (c->n_redundant_joints > 8) ct_text_add(t, ", …");
        if (c->n_redundant_joints) ct_text_add(t, ")");
        ct_text_add(t, ": the motion is the same without, the forces in these joints are not "
                       "determined");
    }
    // gravity and the initial position
    ct_text_add(t, ". Gravity is (");
    for (int i = 0; i < 3; i++) {
        if (i) ct_text_add(t, ", ");
        ct_html_number(t, ct_model_number(m, m->gravity.v[i]));
    }
    ct_text_add(t, ") m/s². The initial position is assembled to within ");
    ct_html_power(t, c->residual);
    ct_text_add(t, ".</p>\n");
}

void ct_section_model(ct_report_data *r) {
    ct_text *t = &r->page;
    ct_section_open(r, "model", "Model");
    paragraph(r);
    bodies(t, r->model);
    joints(t, r->model);
    motions(t, r->model);
    forces(t, r->model);
    parameters(t, r->model);
    ct_section_close(r);
}
