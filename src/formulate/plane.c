// The design position (all joint coordinates zero), the sequence of angles of each body, and
// whether the mechanism is planar: if every revolute axis is parallel to one normal there, and
// every slide perpendicular to it, motion stays in planes normal to it.
#include "formulate/layout.h"
#include "formulate/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// weight[i] += |u . e_i| for each axis u of a joint: how much the joints between ground and a body
// turn it about the world axis i, in the design position.
static void add_turning(const ct_layout *l, const ct_joint *joint, double *weight) {
    int axes = ct_joint_rotations(joint->type);
    if (axes == 3) return; // about all of them
    for (int k = 0; k < axes; k++) {
        ct_vec3 u = ct_mat_vec(l->pool, l->rotation0[joint->body[0]],
                               ct_mat_vec(l->pool, joint->orient[0], joint->axis[k]));
        for (int i = 0; i < 3; i++) weight[i] += fabs(ct_model_number(l->model, u.v[i]));
    }
}

// A body's own angles are singular where the middle one is a quarter turn: the axis about which the
// joints turn the body least goes in the middle; z, y, x where nothing speaks against it.
static void choose_sequences(ct_layout *l, double (*weight)[3]) {
    for (int b = 1; b < l->n_bodies; b++) {
        const double *w = weight[b];
        int middle = 1, first = 2;
        for (int i = 0; i < 3; i++)
            if (w[i] < w[middle] - CT_TURNING_OTHER) middle = i;
        if (middle == first || w[3 - middle - first] > w[first] + CT_TURNING_OTHER)
            first = middle == 2 ? (w[1] >= w[0] ? 1 : 0) : 3 - middle - 2;
        l->sequence[b][0] = first;
        l->sequence[b][1] = middle;
        l->sequence[b][2] = 3 - first - middle;
        // the user's
        const ct_body *body = l->model->bodies + b;
        if (body->has_sequence) memcpy(l->sequence[b], body->sequence, sizeof body->sequence);
    }
}

// Orientation R and centre of mass r of every body with all joint coordinates zero, along the
// physical joints. Returns false if the joints do not reach every body.
static bool design_position(ct_layout *l) {
    ct_pool *pool = l->pool;
    int n = l->n_bodies;
    bool *done = ct_scratch((size_t)n, sizeof *done), progress = true, all = true;
    double(*weight)[3] = ct_alloc((size_t)n, sizeof *weight);
    // ground is placed; joints with one placed body place the other, until none is left
    done[0] = true;
    l->rotation0[0] = ct_mat3_identity();
    while (progress) {
        progress = false;
        for (int i = 0; i < l->model->n_joints; i++) {
            const ct_joint *j = l->model->joints + i;
            if (!ct_joint_has_coordinates(j->type) || j->is_virtual ||
                done[j->body[0]] == done[j->body[1]])
                continue;
            // R_b = R_a O_a O_b^T
            int known = done[j->body[0]] ? 0 : 1, a = j->body[known], b = j->body[1 - known];
            ct_mat3 turn =
                ct_mat_mul(pool, j->orient[known], ct_mat_transpose(j->orient[1 - known]));
            l->rotation0[b] = ct_mat_mul(pool, l->rotation0[a], turn);
            // r_b = r_a + R_a at_a - R_b at_b
            ct_vec3 at = ct_mat_vec(pool, l->rotation0[a], ct_from_com(l, a, j->at[known]));
            ct_vec3 back = ct_mat_vec(pool, l->rotation0[b], ct_from_com(l, b, j->at[1 - known]));
            l->centre0[b] = ct_vec_sub(pool, ct_vec_add(pool, l->centre0[a], at), back);
            // axes that the joints on the way to b turn it about
            memcpy(weight[b], weight[a], sizeof weight[b]);
            add_turning(l, j, weight[b]);
            done[b] = progress = true;
        }
    }
    // angles of each body in the sequence that is farthest from its singularity
    for (int b = 0; b < n; b++) all = all && done[b];
    choose_sequences(l, weight);
    ct_free(weight);
    return all;
}

static void numbers(const ct_layout *l, ct_vec3 u, double *x) {
    for (int i = 0; i < 3; i++) x[i] = ct_model_number(l->model, u.v[i]);
}

static bool agrees(ct_joint_plane d, const double *axis, const double *normal) {
    double dot = 0;
    for (int i = 0; i < 3; i++) dot += axis[i] * normal[i];
    return d == CT_PLANE_ACROSS ? fabs(dot) > 1 - CT_PLANAR_TURN : fabs(dot) < CT_PLANAR_SLIDE;
}

static bool exact(ct_joint_plane d, ct_vec3 axis, int k) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return d == CT_PLANE_ACROSS ? axis.v[i] == CT_ZERO && axis.v[j] == CT_ZERO
                                : axis.v[k] == CT_ZERO;
}

void ct_layout_find_plane(ct_layout *l) {
    if (!design_position(l)) return;
    int n = l->model->n_joints, count = 0;
    ct_vec3 *axes = ct_scratch((size_t)n, sizeof *axes);
    ct_joint_plane *what = ct_scratch((size_t)n, sizeof *what);
    double normal[3] = {0};
    bool found = false, possible = true;
    // axes of all joints in the design position; the first revolute one is the normal
    for (int i = 0; i < n; i++) {
        const ct_joint *j = l->model->joints + i;
        if (!ct_joint_has_coordinates(j->type) || j->is_virtual) continue;
        what[count] = ct_joint_plane_of(j->type);
        possible = possible && what[count] != CT_PLANE_NONE;
        if (what[count] == CT_PLANE_ANY || what[count] == CT_PLANE_NONE) continue;
        ct_vec3 u = ct_mat_vec(l->pool, l->rotation0[j->body[0]],
                               ct_mat_vec(l->pool, j->orient[0], j->axis[0]));
        axes[count] = u;
        if (what[count++] == CT_PLANE_ACROSS && !found) {
            numbers(l, u, normal);
            found = true;
        }
    }
    if (!found) // slides only: the plane of two of them, z where it fits
        normal[2] = 1;
    // in numbers: turns along the normal, slides across it
    for (int i = 0; i < count && possible; i++) {
        double u[3];
        numbers(l, axes[i], u);
        possible = agrees(what[i], u, normal);
    }
    l->planar = possible && n > 0;
    // in symbols: the normal is exactly x, y or z whatever the parameters are
    for (int k = 0; k < 3 && l->planar && l->normal < 0; k++) {
        bool fits = found ? fabs(fabs(normal[k]) - 1) < CT_PLANAR_TURN : k == 2;
        for (int i = 0; i < count && fits; i++) fits = exact(what[i], axes[i], k);
        if (fits) l->normal = k;
    }
    // constant orientations must turn about the normal too, else a body's own coordinates cannot be
    // planar
    for (int b = 1; b < l->n_bodies && l->normal >= 0; b++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                if (ct_ex_kinds(l->pool, l->rotation0[b].a[i][j]) & ~(1u << CT_SYMBOL_PARAMETER))
                    l->normal = -1;
}
