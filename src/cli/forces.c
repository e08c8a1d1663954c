// Reactions and forces of one instant, as JSON and as text.
#include "forces.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-13 // of the largest force

void forces_coordinates(ct_json *j, const forces_shown *shown) {
    ct_json_object(j, "coordinates");
    for (int i = 0; i < shown->n; i++) ct_json_number(j, shown->names[i], shown->values[i]);
    ct_json_end(j);
}

static void flags(ct_json *j, const bool *unique) {
    ct_json_array(j, "unique");
    for (int k = 0; k < 6; k++) ct_json_boolean(j, NULL, unique[k]);
    ct_json_end(j);
}

void forces_json(ct_json *j, const forces_shown *shown) {
    // joints and couplings
    ct_json_object(j, "reactions");
    for (int i = 0; i < shown->n_reactions; i++) {
        const ct_joint_reaction *x = shown->reactions + i;
        ct_json_object(j, x->name);
        if (x->is_coupling) {
            ct_json_number(j, "lambda", x->lambda);
        } else {
            ct_json_string(j, "on", x->on);
            ct_json_vector(j, "point", 3, x->point);
            ct_json_vector(j, "force", 3, x->force);
            ct_json_vector(j, "moment", 3, x->moment);
            flags(j, x->unique);
        }
        ct_json_end(j);
    }
    ct_json_end(j);
    // efforts, tensions and wrenches of forces
    ct_json_object(j, "forces");
    for (int i = 0; i < shown->n_forces; i++) {
        const ct_force_value *x = shown->forces + i;
        if (!x->is_wrench) {
            ct_json_number(j, x->name, x->value);
            continue;
        }
        ct_json_object(j, x->name);
        ct_json_vector(j, "force", 3, x->force);
        ct_json_vector(j, "moment", 3, x->moment);
        ct_json_end(j);
    }
    ct_json_end(j);
    // outputs of the model, if it has any
    if (!shown->n_outputs) return;
    ct_json_object(j, "outputs");
    for (int i = 0; i < shown->n_outputs; i++)
        ct_json_number(j, shown->outputs[i].name, shown->outputs[i].value);
    ct_json_end(j);
}

// Force and moment; what is rounding beside the largest of all forces is 0.
static void six(FILE *file, const double *force, const double *moment, double largest) {
    for (int k = 0; k < 6; k++) {
        double x = k < 3 ? force[k] : moment[k - 3];
        fprintf(file, " %11.5g", fabs(x) > ROUNDING * largest ? x : 0.0);
    }
    fputc('\n', file);
}

static double largest_of(const forces_shown *shown) {
    double largest = 0;
    for (int i = 0; i < shown->n_reactions; i++)
        for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(shown->reactions[i].force[k]));
    for (int i = 0; i < shown->n_forces; i++)
        for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(shown->forces[i].force[k]));
    return largest;
}

void forces_text(FILE *file, const forces_shown *shown) {
    const double largest = largest_of(shown);
    int width = 0;
    for (int i = 0; i < shown->n_reactions; i++)
        if ((int)strlen(shown->reactions[i].name) > width)
            width = (int)strlen(shown->reactions[i].name);
    for (int i = 0; i < shown->n_forces; i++)
        if ((int)strlen(shown->forces[i].name) > width) width = (int)strlen(shown->forces[i].name);
    // efforts and forces, then reactions as a table
    if (shown->n_forces) fputs("  efforts and forces:\n", file);
    for (int i = 0; i < shown->n_forces; i++) {
        const ct_force_value *x = shown->forces + i;
        fprintf(file, "    %-*s", width, x->name);
        if (x->is_wrench)
            six(file, x->force, x->moment, largest);
        else
            fprintf(file, " %11.5g\n", x->value + 0.0);
    }
    if (shown->n_reactions)
        fprintf(file,
                "  reactions on body B, ground axes:\n    %-*s %11s %11s %11s %11s %11s %11s\n",
                width, "", "fx", "fy", "fz", "mx", "my", "mz");
    for (int i = 0; i < shown->n_reactions; i++) {
        const ct_joint_reaction *x = shown->reactions + i;
        fprintf(file, "    %-*s", width, x->name);
        if (x->is_coupling)
            fprintf(file, " %11.5g (lambda)\n", x->lambda);
        else
            six(file, x->force, x->moment, largest);
    }
}
