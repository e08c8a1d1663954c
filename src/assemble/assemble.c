// The initial position of a model. Unknowns are the coordinates of trees made for it: joints that
// `initial` or `guess` name are branches where possible. Coordinates under `initial` are held,
// motions bind; the bodies move as little as possible from the start that `guess` describes
// (nearness.c), subject to  Phi(q, 0) = 0.
#include "assemble/initial.h"
#include "assemble/inside.h"

#include "assemble/turned.h"
#include "formulate/layout.h"
#include "kernel/inline/ctk_angles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Columns of the coordinates that are free to move; which: their indices. Returns how many.
static int free_columns(const ct_formulation *f, const bool *fixed, int rows, const double *full,
                        double *columns, int *which) {
    int n = 0;
    for (int k = 0; k < f->n; k++)
        if (!fixed[k]) which[n++] = k;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) columns[i * n + j] = full[i * f->n + which[j]];
    return n;
}

// Workspace of the initial position: what is given, and q and qd as they are found.
typedef struct assembling {
    ct_context *ctx;
    const ct_formulation *g;
    ct_numbers x;
    double *start, *q, *qd;
    bool *fixed;  // held by `initial`
    double *rate; // held rates
    bool *has_rate;
    double scale; // of lengths, for steps and tolerances
    ct_nearness *near;
} assembling;

// True if every guard of the formulation is positive: no joint is the wrong way round.
static bool right_way_round(const assembling *s, const double *q) {
    const ct_formulation *f = s->g;
    double *value = ct_scratch((size_t)f->n_guards + 1, sizeof *value);
    ct_numbers *x = (ct_numbers *)&s->x;
    ct_numbers_set(x, f->n, f->q, q);
    ct_numbers_eval(x, f->n_guards, f->guards, value);
    bool right = true;
    for (int i = 0; i < f->n_guards; i++) right = right && value[i] > 0;
    return right;
}

// Three angles, or the other solution for the same rotation, whichever is nearer to `near`.
static void nearer_solution(const ct_joint *joint, const double *near, double *angle) {
    bool proper = joint->sequence[0] == joint->sequence[2];
    const double other[3] = {angle[0] + M_PI, proper ? -angle[1] : M_PI - angle[1],
                             angle[2] + M_PI};
    double way[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        way[0] += fabs(remainder(angle[i] - near[i], 2 * M_PI));
        way[1] += fabs(remainder(other[i] - near[i], 2 * M_PI));
    }
    if (way[1] < way[0]) memcpy(angle, other, sizeof other);
}

// The rows that define the angles of a chord have further solutions, which its guard excludes: sets
// those angles to what the rotation between its bodies says, on the turn nearest to the start, but
// for those under `initial`.
static void follow_rotation(assembling *s, int joint, double *q) {
    const ct_formulation *f = s->g;
    const ct_joint *j = f->model->joints + joint;
    int turns = ct_joint_rotations(j->type), first = j->first_coordinate + j->n_coordinates - turns;
    if (!j->n_coordinates || !turns || f->where[first] < 0) return;
    int edge = ct_graph_edge(f->graph, CT_EDGE_JOINT, joint);
    if (f->graph->tree[CT_ROTATION].has[edge]) return;
    // the angles of the rotation at q, and those of the start
    ct_ex found[6];
    double angle[3], near[3];
    int n = ct_formulation_edge(f, edge, found);
    ct_numbers_set(&s->x, f->n, f->q, q);
    ct_numbers_eval(&s->x, turns, found + n - turns, angle);
    for (int i = 0; i < turns; i++) near[i] = s->start[f->where[first + i]];
    if (turns == 3) nearer_solution(j, near, angle);
    for (int i = 0; i < turns; i++) {
        int k = f->where[first + i];
        if (!s->fixed[k]) q[k] = near[i] + remainder(angle[i] - near[i], 2 * M_PI);
    }
}

// Descends from q. Where that closes with a joint the wrong way round its angles follow the
// rotation, once, and the descent goes on. Returns the largest |Phi|, no closed one if a joint is
// still the wrong way round.
static double close_from(assembling *s, ct_nearness *near, double *q) {
    const ct_formulation *f = s->g;
    double size = ct_assembling_descend(f, &s->x, s->fixed, near, s->scale, q);
    if (size < CT_ASSEMBLY_CLOSED && !right_way_round(s, q)) {
        for (int i = 0; i < f->n_guards; i++) {
            double value;
            ct_numbers_set(&s->x, f->n, f->q, q);
            ct_numbers_eval(&s->x, 1, &f->guards[i], &value);
            if (!(value > 0)) follow_rotation(s, f->guard_joint[i], q);
        }
        size = ct_assembling_descend(f, &s->x, s->fixed, near, s->scale, q);
    }
    if (isfinite(size) && !right_way_round(s, q))
        size = fmax(size, CT_ASSEMBLY_WRONG_ROUND * CT_ASSEMBLY_CLOSED);
    return size;
}

// Pseudo-random numbers in -1..1, the same in every run.
static double noise(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*state >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

// Distance of attempt k from the start, in radians or scales: attempt 0 is the start, each later
// one goes farther by a constant factor.
static double way_of(int k) {
    const int last = CT_ASSEMBLY_ATTEMPTS - 2;
    return k ? CT_ASSEMBLY_FIRST_WAY * pow(CT_ASSEMBLY_FARTHEST, (k - 1) / (double)last) : 0;
}

// Descends from the start, then from random places around it, each farther than the one before.
// Returns the residual of the best try, and its position in q.
static double solve(assembling *s, double *q) {
    int n = s->g->n;
    double best = INFINITY, *trial = ct_scratch((size_t)n + 1, sizeof *trial),
           *kept = ct_scratch((size_t)n + 1, sizeof *kept);
    uint64_t state = 12345; // the same random numbers in every run
    memcpy(kept, s->start, (size_t)n * sizeof *kept);
    for (int attempt = 0; attempt < CT_ASSEMBLY_ATTEMPTS; attempt++) {
        // a place around the start; coordinates under `initial` stay
        double amplitude = way_of(attempt);
        for (int k = 0; k < n; k++) {
            double unit = s->g->is_angle[k] ? 1 : s->scale;
            trial[k] = s->start[k] + (s->fixed[k] ? 0 : amplitude * unit * noise(&state));
        }
        // close from there; a joint the wrong way round is no answer
        double size = close_from(s, NULL, trial);
        // the best try so far, until one is closed
        if (size < best) {
            best = size;
            memcpy(kept, trial, (size_t)n * sizeof *kept);
        }
        if (best < CT_ASSEMBLY_CLOSED) break;
    }
    memcpy(q, kept, (size_t)n * sizeof *q);
    return best;
}

// Moves along the closed positions to where the bodies are nearest to their start, as far as that
// stays closed.
static void approach_start(assembling *s) {
    int n = s->g->n;
    double *trial = ct_scratch((size_t)n + 1, sizeof *trial),
           *gap = ct_scratch((size_t)ct_nearness_rows(s->near) + 1, sizeof *gap);
    memcpy(trial, s->q, (size_t)n * sizeof *trial);
    double size = ct_assembling_descend(s->g, &s->x, s->fixed, s->near, s->scale, trial),
           before = ct_nearness_gaps(s->near, s->q, gap),
           after = ct_nearness_gaps(s->near, trial, gap);
    if (size < CT_ASSEMBLY_CLOSED && after < before && right_way_round(s, trial))
        memcpy(s->q, trial, (size_t)n * sizeof *trial);
    ct_assembling_descend(s->g, &s->x, s->fixed, NULL, s->scale, s->q);
}

// Closed positions, as near to the start as possible: the start itself where it closes, else the
// nearest one, else what tries around the start find. Returns the residual.
static double find_position(assembling *s) {
    size_t bytes = (size_t)s->g->n * sizeof *s->q;
    memcpy(s->q, s->start, bytes);
    double size = close_from(s, s->near, s->q);
    if (size < CT_ASSEMBLY_CLOSED) {
        ct_assembling_descend(s->g, &s->x, s->fixed, NULL, s->scale, s->q);
        return size;
    }
    size = solve(s, s->q);
    if (size < CT_ASSEMBLY_CLOSED) approach_start(s);
    return size;
}

static int held_index(const assembling *s, const ct_start *e) {
    return s->g->where[e->coordinate];
}

// Fills in the start, held coordinates and given rates.
static void prepare(assembling *s) {
    ct_initial_start start;
    ct_initial_start_find(s->g, &start);
    ct_numbers_eval(&s->x, s->g->n, start.value, s->start);
    ct_numbers_eval(&s->x, s->g->n, start.rate, s->rate);
    s->fixed = start.held;
    s->has_rate = start.has_rate;
    for (int k = 0; k < s->g->n; k++)
        if (start.by_motion[k] && !isfinite(s->start[k])) s->start[k] = 0;
}

// messages ----------------------------------------------------------------------------------------
// The largest gap of each joint, worst first (at most five).
static void report_gaps(assembling *s, const double *q, ct_text *out) {
    const ct_formulation *f = s->g;
    double *phi = ct_scratch((size_t)f->m + 1, sizeof *phi);
    ct_assembling_evaluate(f, &s->x, q, phi, NULL);
    for (int i = 0; i < f->m; i++) phi[i] /= f->row_unit[i];
    for (int shown = 0; shown < 5; shown++) {
        int worst = -1;
        for (int i = 0; i < f->m; i++)
            if (worst < 0 || fabs(phi[i]) > fabs(phi[worst])) worst = i;
        if (worst < 0 || fabs(phi[worst]) < CT_ASSEMBLY_CLOSED) break;
        ct_row_owner owner = f->owner[worst];
        ct_text_printf(out, "%s%s'%s' by %.4g", shown ? ", " : "",
                       owner.motion >= 0 ? "motion " : "", ct_row_name(f, worst),
                       fabs(phi[worst]) * f->row_unit[worst]);
        for (int i = 0; i < f->m; i++)
            if (f->owner[i].joint == owner.joint && f->owner[i].motion == owner.motion) phi[i] = 0;
    }
}

// Entries of `initial` without which the mechanism assembles: each of those that suffice alone,
// else all together. Returns how many, and their names.
static int culprits(assembling *s, ct_text *out) {
    const ct_model *m = s->g->model;
    double *q = ct_scratch((size_t)s->g->n + 1, sizeof *q);
    int found = 0;
    for (int i = 0; i < m->n_initial; i++) {
        int k = held_index(s, m->initial + i);
        s->fixed[k] = false;
        if (solve(s, q) < CT_ASSEMBLY_CLOSED)
            ct_text_printf(out, "%s'%s'", found++ ? " or " : "",
                           m->coordinates[m->initial[i].coordinate].name);
        s->fixed[k] = true;
    }
    if (!found && m->n_initial > 1) { // or only all of them together
        memset(s->fixed, 0, (size_t)s->g->n * sizeof *s->fixed);
        if (solve(s, q) < CT_ASSEMBLY_CLOSED)
            for (int i = 0; i < m->n_initial; i++)
                ct_text_printf(out, "%s'%s'", found++ ? " and " : "",
                               m->coordinates[m->initial[i].coordinate].name);
    }
    return found;
}

// The message for a mechanism that does not assemble; best: the position of the best try.
static ct_status fail_positions(assembling *s, double *best) {
    const ct_model *m = s->g->model;
    ct_text gaps = {0}, names = {0};
    // joints that stay open, and initial values without which they would close
    report_gaps(s, best, &gaps);
    int n = culprits(s, &names);
    bool reversed = !gaps.n;
    ct_place place = n ? m->initial[0].place : (ct_place){0, 0};
    if (n)
        // initial values contradict the loops
        ct_error_at(s->ctx, place,
                    "the initial values contradict each other or the loops: the mechanism would "
                    "assemble without %s; as given "
                    "these stay open: %s",
                    names.s, gaps.n ? gaps.s : "joints the wrong way round");
    else if (reversed)
        // the loops close, but with a joint the wrong way round
        ct_error_at(s->ctx, place,
                    "the mechanism assembles only with a joint the wrong way round; give better "
                    "values under guess:");
    else
        // dimensions or the start do not let them close
        ct_error_at(s->ctx, place,
                    "the mechanism does not assemble; open loops: %s. Check the dimensions, or "
                    "give a closer start under guess:",
                    gaps.s);
    ct_text_clear(&gaps);
    ct_text_clear(&names);
    return n ? CT_WRONG_MODEL : CT_NUMERICS;
}

// velocities --------------------------------------------------------------------------------------
// A joint whose three angles are locked: the middle one makes the axes of the others parallel, so
// that one direction has no rates. NULL if there is none.
static const char *locked_joint(const assembling *s) {
    const ct_model *m = s->g->model;
    for (int k = 0; k < s->g->n; k++) {
        int c = s->g->coordinate[k];
        const ct_joint *j = c >= 0 ? m->joints + m->coordinates[c].joint : NULL;
        if (!j || ct_joint_rotations(j->type) != 3 ||
            c - j->first_coordinate != j->n_coordinates - 2)
            continue;
        bool proper = j->sequence[0] == j->sequence[2];
        if (fabs(proper ? sin(s->q[k]) : cos(s->q[k])) < CT_RATES_LOCKED) return j->name;
    }
    return NULL;
}

// Rates with  Phi_q q' = -Phi_t  and the given ones held, the others with the smallest velocities in
// joints. Fails if these contradict the constraints.
static ct_status velocities(assembling *s) {
    const ct_formulation *f = s->g;
    int n = f->n, m = f->m;
    double *phi = ct_scratch((size_t)m + 1, sizeof *phi),
           *a = ct_scratch((size_t)m * (size_t)n + 1, sizeof *a);
    double *full = ct_scratch((size_t)m * (size_t)n + 1, sizeof *full),
           *rhs = ct_scratch((size_t)m + 1, sizeof *rhs);
    double *x = ct_scratch((size_t)n + 1, sizeof *x);
    int *which = ct_scratch((size_t)n + 1, sizeof *which);
    // Phi_q and -Phi_t less what the given rates take, rows and columns in their units
    ct_assembling_evaluate(f, &s->x, s->q, phi, full);
    ct_numbers_eval(&s->x, m, f->phi_t, rhs);
    for (int i = 0; i < m; i++) {
        rhs[i] /= -f->row_unit[i];
        for (int k = 0; k < n; k++) {
            if (s->has_rate[k]) rhs[i] -= full[i * n + k] * s->rate[k] / f->row_unit[i];
            full[i * n + k] *= ct_coordinate_unit(f, k) / f->row_unit[i];
        }
    }
    // the other rates: those with the smallest velocities in joints
    int free_n = free_columns(f, s->has_rate, m, full, a, which);
    ct_rate_joint *joints =
        ct_scratch((size_t)(f->model->n_joints + f->model->n_bodies), sizeof *joints);
    int n_joints = ct_rate_joints_find(f, s->has_rate, joints), rows = 6 * n_joints;
    double *near = ct_scratch((size_t)rows * (size_t)n + 1, sizeof *near),
           *j_free = ct_scratch((size_t)rows * (size_t)n + 1, sizeof *j_free),
           *given = ct_scratch((size_t)rows + 1, sizeof *given);
    ct_nearness_joint_velocities(s->near, s->q, s->has_rate, n_joints, joints, near);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++) {
            if (s->has_rate[k]) given[i] += near[i * n + k] * s->rate[k];
            near[i * n + k] *= ct_coordinate_unit(f, k);
        }
    free_columns(f, s->has_rate, rows, near, j_free, which);
    ct_constrained_least_squares(m, free_n, a, rhs, CT_RATES_CUTOFF, rows, j_free, given, x);
    memcpy(s->qd, s->rate, (size_t)n * sizeof *s->qd);
    for (int j = 0; j < free_n; j++) s->qd[which[j]] = x[j] * ct_coordinate_unit(f, which[j]);
    // the largest rate that is given, and velocity in a joint: rates of angles near their lock are
    // no measure
    double speed = ct_largest(m, rhs);
    for (int k = 0; k < n; k++) speed = fmax(speed, fabs(s->rate[k]) / ct_coordinate_unit(f, k));
    for (int i = 0; i < rows; i++) {
        double v = given[i];
        for (int j = 0; j < free_n; j++) v += j_free[i * free_n + j] * x[j];
        speed = fmax(speed, fabs(v) / s->scale);
    }
    // what is left over says which joints the given rates tear open
    int worst = 0;
    double largest = 0;
    for (int i = 0; i < m; i++) {
        double r = -rhs[i];
        for (int j = 0; j < free_n; j++) r += a[i * free_n + j] * x[j];
        if (fabs(r) > largest) {
            largest = fabs(r);
            worst = i;
        }
    }
    ct_status status = CT_OK;
    // a contradiction: name the rates, the joint, and one whose angles are locked
    if (largest > CT_RATES_OPEN * fmax(1, speed)) {
        const char *locked = locked_joint(s);
        ct_text names = {0};
        for (int i = 0; i < f->model->n_initial; i++)
            if (f->model->initial[i].has_rate)
                ct_text_printf(&names, "%s'%s'", names.n ? ", " : "",
                               f->model->coordinates[f->model->initial[i].coordinate].name);
        ct_error_at(s->ctx, f->model->n_initial ? f->model->initial[0].place : (ct_place){0, 0},
                    "the initial rates of %s contradict %s'%s': it would open at %.4g per second"
                    "%s%s%s",
                    names.n ? names.s : "the motions", f->owner[worst].motion >= 0 ? "motion " : "",
                    ct_row_name(f, worst), largest * f->row_unit[worst],
                    locked ? "; the three angles of '" : "", locked ? locked : "",
                    locked ? "' are locked here: another sequence: or orient: helps" : "");
        ct_text_clear(&names);
        status = CT_WRONG_MODEL;
    }
    return status;
}

// Angles of a turned joint by name: the solution that continues their start.
static void name_angles(const ct_joint *joint, double *angle, double *rate) {
    double r[3][3], e[3][3], u[3] = {0, 0, 0}, along[3] = {0, 0, 0};
    ctk_angles_matrix(joint->sequence, angle, r, e);
    for (int i = 0; i < 9; i++) u[i / 3] += e[i / 3][i % 3] * rate[i % 3];
    ct_joint_angles_by_name(joint, angle, rate, NULL);
    int how =
        ctk_angles_continue(ctk_angles_proper(joint->sequence), ctk_angles_sign(joint->sequence), 0,
                            angle, rate, joint->start, joint->start_rate);
    if (how != CTK_ANGLES_LOCKED) return;
    // in the lock: a' + k c' and b' from the angular velocity, a' and c' next to what is given
    ctk_angles_matrix(joint->sequence, angle, r, e);
    for (int i = 0; i < 9; i++) along[i % 3] += e[i / 3][i % 3] * u[i / 3];
    const double *given = joint->start_rate;
    double k = along[0] * along[2] < 0 ? -1 : 1;
    double more = (along[0] - given[0] - k * given[2]) / 2;
    rate[0] = given[0] + more;
    rate[1] = along[1];
    rate[2] = given[2] + k * more;
}

// Every joint coordinate of the model at the assembled position, and its rate, by name.
static void joints(assembling *s, double *joint, double *rate) {
    const ct_formulation *f = s->g;
    ct_numbers_set(&s->x, f->n, f->q, s->q);
    for (int i = 0; i < f->model->n_coordinates; i++)
        if (f->where[i] >= 0) {
            joint[i] = s->q[f->where[i]];
            rate[i] = s->qd[f->where[i]];
        }
    for (int i = 0; i < f->n_secondary; i++)
        ct_numbers_eval(&s->x, 1, &f->secondary[i].value, &joint[f->secondary[i].coordinate]);
    for (int i = 0; i < f->model->n_joints; i++) {
        const ct_joint *j = f->model->joints + i;
        int first = j->first_coordinate + j->n_coordinates - 3;
        if (j->is_turned) name_angles(j, joint + first, rate + first);
    }
}

// Distance of a joint from the centres of mass of its bodies, both added up; from ground: 0.
static double reach_of(const ct_model *model, const ct_joint *joint) {
    double reach = 0;
    for (int s = 0; s < 2; s++) {
        double square = 0;
        for (int i = 0; i < 3 && joint->body[s] > 0; i++) {
            double d = ct_model_number(model, joint->at[s].v[i]) -
                       ct_model_number(model, model->bodies[joint->body[s]].com.v[i]);
            square += d * d;
        }
        reach += sqrt(square);
    }
    return reach;
}

// Ranks of joints, by their reach from the longest on: what a body hangs on does not depend on the
// order or the names of entries.
static int *ranks(const ct_model *model) {
    int *rank = ct_scratch((size_t)model->n_joints + 1, sizeof *rank);
    double *reach = ct_scratch((size_t)model->n_joints + 1, sizeof *reach);
    for (int i = 0; i < model->n_joints; i++) reach[i] = reach_of(model, model->joints + i);
    for (int i = 0; i < model->n_joints; i++)
        for (int k = 0; k < model->n_joints; k++)
            rank[i] += reach[k] > reach[i] * (1 + CT_ASSEMBLY_SAME_REACH);
    return rank;
}

// Kinematics in trees for the assembly: joints under `initial` first, then those under `guess`.
static ct_status assembly_formulation(ct_context *ctx, const ct_model *model, ct_formulation **f) {
    int *preference = ct_scratch((size_t)model->n_joints + 1, sizeof *preference);
    for (int i = 0; i < model->n_guess; i++)
        preference[model->coordinates[model->guess[i].coordinate].joint] = 1;
    for (int i = 0; i < model->n_initial; i++)
        preference[model->coordinates[model->initial[i].coordinate].joint] = 2;
    ct_graph *graph = ct_graph_new(model);
    ct_status status = ct_tree_rule_ranked(ctx, graph, preference, ranks(model));
    return status ? status : ct_formulation_new(ctx, graph, CT_FORMULATE_KINEMATICS, f);
}

// Closed positions, as near to what `initial`, `guess` and the motions say as possible, and their
// rates.
static ct_status assemble(ct_context *ctx, ct_assembly *assembly) {
    size_t n = (size_t)assembly->g->n + 1;
    assembling s = {.ctx = ctx, .g = assembly->g, .scale = ct_typical_length(assembly->model)};
    ct_model_numbers(assembly->model, &s.x);
    s.start = ct_scratch(n, sizeof(double));
    s.q = assembly->q = ct_alloc(n, sizeof(double));
    s.qd = assembly->qd = ct_alloc(n, sizeof(double));
    s.rate = ct_scratch(n, sizeof(double));
    assembly->joint = ct_alloc((size_t)assembly->model->n_coordinates + 1, sizeof *assembly->joint);
    assembly->rate = ct_alloc((size_t)assembly->model->n_coordinates + 1, sizeof *assembly->rate);
    prepare(&s);
    s.near = ct_nearness_new(assembly->g, &s.x, s.start, s.scale);
    ct_status status =
        find_position(&s) < CT_ASSEMBLY_CLOSED ? velocities(&s) : fail_positions(&s, s.q);
    if (!status) joints(&s, assembly->joint, assembly->rate);
    ct_numbers_clear(&s.x);
    return status;
}

ct_status ct_assembly_new(ct_context *ctx, const ct_model *model, ct_assembly **assembly) {
    *assembly = NULL;
    ct_assembly *a = ct_region_new(sizeof *a);
    a->model = model;
    // kinematics in trees for the assembly
    ct_status status = assembly_formulation(ctx, model, &a->g);
    if (!status) status = assemble(ctx, a);
    ct_region_close(&a->region);
    if (status)
        ct_assembly_free(a);
    else
        *assembly = a;
    return status;
}

void ct_assembly_free(ct_assembly *assembly) {
    if (assembly) ct_region_free(&assembly->region);
}
