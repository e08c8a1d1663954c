// Redundant constraint rows: ranks of Phi_q at the initial position and at two neighbours of it.
// The place with the most independent rows decides: a row that depends on rows before it there is
// dropped.
#include "assemble/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Phi_q at q, rows and columns in their units.
static double *jacobian(const ct_formulation *f, ct_numbers *numbers, const double *q) {
    double *j = ct_alloc((size_t)f->m * (size_t)f->n + 1, sizeof *j);
    ct_numbers_set(numbers, f->n, f->q, q);
    ct_numbers_eval_rounded(numbers, f->m * f->n, f->phi_q, j);
    for (int i = 0; i < f->m; i++)
        for (int k = 0; k < f->n; k++) j[i * f->n + k] *= ct_coordinate_unit(f, k) / f->row_unit[i];
    return j;
}

// Closes the rows that are independent at the initial position, by Newton's method. Rows that depend
// on them only where the loops are closed would leave steps that halve the error, and a rank that is
// not that of the mechanism. Returns true if all rows are closed then, to rounding.
static bool close_kept(const ct_formulation *f, ct_numbers *numbers, const bool *keep, double *q) {
    size_t m = (size_t)f->m + 1, n = (size_t)f->n + 1;
    double *phi = ct_scratch(m, sizeof *phi), *a = ct_scratch(m * n, sizeof *a),
           *rhs = ct_scratch(m, sizeof *rhs), *step = ct_scratch(n, sizeof *step), size = INFINITY;
    for (int it = 0; it < CT_ROWS_STEPS && size > CT_ROWS_EXACT; it++) {
        double *j = jacobian(f, numbers, q);
        int kept = 0;
        ct_numbers_eval(numbers, f->m, f->phi, phi);
        for (int i = 0; i < f->m; i++) {
            phi[i] /= f->row_unit[i];
            if (!keep[i]) continue;
            memcpy(a + (size_t)kept * (size_t)f->n, j + i * f->n, (size_t)f->n * sizeof *a);
            rhs[kept++] = -phi[i];
        }
        ct_free(j);
        size = ct_largest(f->m, phi);
        if (!(size > CT_ROWS_EXACT)) break;
        ct_least_squares(kept, f->n, a, rhs, CT_DESCENT_CUTOFF, step);
        for (int k = 0; k < f->n; k++) q[k] += step[k] * ct_coordinate_unit(f, k);
    }
    return size <= CT_ROWS_EXACT;
}

// A neighbour of the initial position: a pseudo-random displacement, closed again. keep: rows that
// are independent at the initial position. Returns false if it does not close.
static bool neighbour(const ct_assembled *at, ct_numbers *numbers, const bool *keep, int seed,
                      double *q) {
    const ct_formulation *f = at->f;
    double *away = ct_scratch((size_t)f->n + 1, sizeof *away);
    for (int k = 0; k < f->n; k++)
        away[k] = at->q0[k] +
                  CT_ROWS_AWAY * ct_coordinate_unit(f, k) * sin(1.7 * (k + 1) * (seed + 1) + seed);
    memcpy(q, away, (size_t)f->n * sizeof *q);
    if (close_kept(f, numbers, keep, q)) return true;
    memcpy(q, away, (size_t)f->n * sizeof *q);
    return ct_project(f, numbers, NULL, q) < CT_ROWS_CLOSED;
}

bool ct_counts_in_plane(const ct_formulation *f) {
    return f->planar && f->plane_rows >= 0;
}

// Rows of joint `joint` alone that bind motions in the plane: the rank of its block at the start and
// around it, closed or not. Rows across an oblique plane are in the block, but bind nothing.
static int rank_in_plane(const ct_assembled *at, ct_numbers *numbers, int joint, double floor,
                         int *rows) {
    const ct_formulation *f = at->f;
    double *q = ct_scratch((size_t)f->n + 1, sizeof *q);
    int rank = 0;
    for (int seed = -1; seed < 2; seed++) {
        for (int k = 0; k < f->n; k++)
            q[k] = at->q0[k] + (seed < 0 ? 0
                                         : CT_ROWS_AWAY * ct_coordinate_unit(f, k) *
                                               sin(1.7 * (k + 1) * (seed + 1)));
        double *j = jacobian(f, numbers, q);
        *rows = 0;
        for (int i = 0; i < f->m; i++)
            if (f->owner[i].joint == joint)
                memmove(j + (*rows)++ * f->n, j + i * f->n, (size_t)f->n * sizeof *j);
        int here = ct_rank(*rows, f->n, j, floor, NULL);
        if (here > rank) rank = here;
        ct_free(j);
    }
    return rank;
}

// Constraints in the plane: their number, and which dropped rows say nothing about redundancy.
static void count_in_plane(ct_assembled *at, ct_numbers *numbers, double floor, const bool *keep,
                           bool *idle) {
    const ct_formulation *f = at->f;
    at->plane_rows = f->plane_rows;
    for (int joint = 0; joint < f->model->n_joints + f->model->n_switched; joint++) {
        const ct_joint *j = f->model->joints + joint;
        if (ct_joint_has_coordinates(j->type) || j->body[0] < 0) continue;
        int rows, rank = rank_in_plane(at, numbers, joint, floor, &rows), kept = 0;
        at->plane_rows -= rows - rank;
        for (int i = 0; i < f->m; i++) kept += keep[i] && f->owner[i].joint == joint;
        for (int i = 0; i < f->m && kept >= rank; i++)
            if (f->owner[i].joint == joint) idle[i] = true;
    }
}

// True if a joint of a planar mechanism that takes freedoms has no row left.
static bool vanishes(const ct_formulation *f, int joint) {
    ct_joint_type type = f->model->joints[joint].type;
    bool left = false;
    for (int i = 0; i < f->m; i++) left = left || f->owner[i].joint == joint;
    return !left && ct_joint_has_coordinates(type) &&
           ct_joint_rotations(type) + ct_joint_translations(type) < 3;
}

static void note_redundant(ct_assembled *at, const char *name) {
    for (int k = 0; k < at->n_redundant; k++)
        if (!strcmp(at->redundant[k], name)) return;
    *CT_PUSH(at->redundant, at->n_redundant, at->room_redundant) = name;
}

// Splits the rows into those that bind and those that depend on rows before them, at the initial
// position or nearby; finds the ranks and the names of joints with redundant rows. Warns if the
// initial position is singular, or so nearly that its rates have lost most digits.
void ct_assembled_find_rows(ct_context *ctx, ct_assembled *at) {
    const ct_formulation *f = at->f;
    ct_numbers x;
    ct_model_numbers(f->model, &x);
    // ranks of Phi_q at the initial position, without and with the motions
    double *j = jacobian(f, &x, at->q0), *q = ct_scratch((size_t)f->n + 1, sizeof *q);
    int motions = 0;
    for (int i = 0; i < f->m; i++) motions += f->owner[i].motion >= 0;
    at->m_rows = f->m - motions; // motions come last
    const double floor = CT_ROWS_FLOOR;
    double least;
    at->rank = ct_rank(at->m_rows, f->n, j, floor, NULL);
    at->rank_motions = ct_rank(f->m, f->n, j, floor, &least);
    // rows that are independent there, or at one of two neighbours if more are
    bool *keep = ct_scratch((size_t)f->m + 1, sizeof *keep),
         *other = ct_scratch((size_t)f->m + 1, sizeof *other);
    int kept = ct_independent_rows(f->m, f->n, j, floor, keep), here = kept;
    const bool *start =
        memcpy(ct_scratch((size_t)f->m + 1, sizeof *keep), keep, (size_t)f->m * sizeof *keep);
    for (int seed = 0; seed < 2 && kept < f->m; seed++) {
        if (!neighbour(at, &x, start, seed, q)) continue;
        double *near = jacobian(f, &x, q);
        int more = ct_independent_rows(f->m, f->n, near, floor, other);
        if (more > kept) {
            kept = more;
            memcpy(keep, other, (size_t)f->m * sizeof *keep);
        }
        ct_free(near);
    }
    // fewer at the initial position than nearby: it is singular
    if (kept > here)
        ct_warning_at(ctx, (ct_place){0, 0},
                      "the initial position is singular: the mechanism gains %d freedom%s there",
                      kept - here, kept - here == 1 ? "" : "s");
    else if (least < CT_ROWS_NEARLY)
        ct_warning_at(ctx, (ct_place){0, 0},
                      "the initial position is nearly singular, by a part of %.1g: the last digits "
                      "of the model's numbers decide where it moves; start farther from it",
                      least);
    bool *idle = ct_scratch((size_t)f->m + 1, sizeof *idle);
    if (ct_counts_in_plane(f)) count_in_plane(at, &x, floor, keep, idle);
    // rows for the run, and redundant ones by name of the joint
    at->rows = ct_alloc((size_t)f->m + 1, sizeof *at->rows);
    at->dropped = ct_alloc((size_t)f->m + 1, sizeof *at->dropped);
    for (int i = 0; i < f->m; i++) {
        if (keep[i])
            at->rows[at->m++] = i;
        else {
            at->dropped[at->n_dropped++] = i;
            if (!idle[i]) note_redundant(at, ct_row_name(f, i));
        }
    }
    // rows that hold identically are redundant, too; in a planar mechanism rows across the plane
    // always do: there only joints without any other row are redundant
    for (int i = 0; i < f->n_vanished; i++)
        if (!ct_counts_in_plane(f) || vanishes(f, f->vanished[i]))
            note_redundant(at, f->model->joints[f->vanished[i]].name);
    ct_free(j);
    ct_numbers_clear(&x);
}
