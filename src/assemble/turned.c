// Models with turned frames of balls: which balls need them, which quarter turns lead farthest away
// from the lock, `initial` and `guess` in the new angles, and angles by name from these.
#include "assemble/turned.h"
#include "assemble/tolerances.h"
#include "formulate/whole_rotation.h"
#include "kernel/inline/ctk_angles.h"

#include <stdlib.h>
#include <string.h>

// numbers -----------------------------------------------------------------------------------------
// u = E q'
static void axes_times(double e[3][3], const double *rate, double *u) {
    for (int i = 0; i < 3; i++) u[i] = e[i][0] * rate[0] + e[i][1] * rate[1] + e[i][2] * rate[2];
}

// E' q': axis n turns with the turns before it
static void axes_change(double e[3][3], const double *rate, double *change) {
    double before[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) change[i] = 0;
    for (int n = 0; n < 3; n++) {
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            change[i] += rate[n] * (before[j] * e[k][n] - before[k] * e[j][n]);
        }
        for (int i = 0; i < 3; i++) before[i] += rate[n] * e[i][n];
    }
}

// Turns R by a signed permutation: R Q, or R Q^T.
static void turned_by(double r[3][3], int turn[3][3], bool back, double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[i][k] = 0;
            for (int j = 0; j < 3; j++) out[i][k] += r[i][j] * (back ? turn[k][j] : turn[j][k]);
        }
}

void ct_joint_angles_by_name(const ct_joint *joint, double *angle, double *rate, double *second) {
    double r[3][3], e[3][3], named[3][3], u[3], du[3], change[3], same[3];
    int turn[3][3];
    memcpy(turn, joint->turn, sizeof turn);
    // the rotation and its angular velocity; q' by name from the same velocity
    ctk_angles_matrix(joint->sequence, angle, r, e);
    axes_times(e, rate, u);
    if (second) {
        // u' = E q'' + E' q'
        axes_times(e, second, du);
        axes_change(e, rate, change);
        for (int i = 0; i < 3; i++) du[i] += change[i];
    }
    turned_by(r, turn, true, named);
    ctk_angles_of(joint->sequence, named, u, angle, rate);
    if (!second) return;
    // E q'' = u' - E' q'
    ctk_angles_matrix(joint->sequence, angle, r, e);
    axes_change(e, rate, change);
    for (int i = 0; i < 3; i++) du[i] -= change[i];
    ctk_angles_of(joint->sequence, named, du, same, second);
}

// which balls ------------------------------------------------------------------------------------
static int first_angle(const ct_joint *joint) {
    return joint->first_coordinate + joint->n_coordinates - 3;
}

static const ct_start *entry(int n, const ct_start *all, int coordinate) {
    for (int i = 0; i < n; i++)
        if (all[i].coordinate == coordinate) return all + i;
    return NULL;
}

// `initial` holds all angles of the joint or none, with all rates or none: these can be turned.
static bool is_given_whole(const ct_model *model, const ct_joint *joint) {
    int held = 0, rates = 0;
    for (int k = 0; k < 3; k++) {
        const ct_start *e = entry(model->n_initial, model->initial, first_angle(joint) + k);
        held += e != NULL;
        rates += e && e->has_rate;
    }
    return held % 3 == 0 && rates % 3 == 0;
}

// True if an output holds the acceleration of a coordinate.
static bool has_acceleration(const ct_model *model, ct_ex output, int coordinate) {
    for (int i = 0; i < model->n_probes; i++)
        if (model->probes[i].kind == CT_PROBE_ACCELERATION &&
            model->probes[i].coordinate == coordinate &&
            ct_depends(model->pool, output, model->probes[i].symbol))
            return true;
    return false;
}

// True if an output or `independent` names an angle of the joint.
static bool is_shown(const ct_model *model, const ct_joint *joint) {
    for (int k = 0; k < 3; k++) {
        const ct_coordinate *q = model->coordinates + first_angle(joint) + k;
        for (int i = 0; i < model->n_outputs; i++)
            if (ct_depends(model->pool, model->outputs[i].value, q->q) ||
                ct_depends(model->pool, model->outputs[i].value, q->qd) ||
                has_acceleration(model, model->outputs[i].value, first_angle(joint) + k))
                return true;
        for (int i = 0; i < model->n_independent; i++)
            if (!strcmp(model->independent[i].name, q->name)) return true;
    }
    return false;
}

// True if other joints and constraints lead from one body of the joint to the other.
static bool is_in_loop(const ct_model *model, int joint) {
    bool *reached = ct_scratch((size_t)model->n_bodies + 1, sizeof *reached), more = true;
    reached[model->joints[joint].body[0]] = true;
    while (more) {
        more = false;
        for (int i = 0; i < model->n_joints; i++) {
            const ct_joint *j = model->joints + i;
            if (i == joint || j->is_virtual || j->body[0] < 0) continue;
            if (reached[j->body[0]] == reached[j->body[1]]) continue;
            reached[j->body[0]] = reached[j->body[1]] = more = true;
        }
    }
    return reached[model->joints[joint].body[1]];
}

static bool may_turn(const ct_model *model, int joint) {
    const ct_joint *j = model->joints + joint;
    bool ball = j->type == CT_JOINT_SPHERICAL || j->type == CT_JOINT_FREE;
    return ball && is_given_whole(model, j) && !is_shown(model, j) &&
           !ct_whole_rotation_is_named(model, joint, NULL) && is_in_loop(model, joint);
}

// which turns ------------------------------------------------------------------------------------
// 0 in the lock, 1 far from it
static double clearance(const ct_joint *joint, double r[3][3]) {
    double u[3] = {0, 0, 0}, angle[3], rate[3];
    ctk_angles_of(joint->sequence, r, u, angle, rate);
    return fabs(ctk_angles_proper(joint->sequence) ? sin(angle[1]) : cos(angle[1]));
}

// Number n of the 24 rotations that permute the axes.
static void quarter_turns(int n, int turn[3][3]) {
    int i = n / 8, j = (i + 1 + n / 4 % 2) % 3, a = n & 1 ? -1 : 1, b = n & 2 ? -1 : 1;
    memset(turn, 0, 9 * sizeof(int));
    turn[i][0] = a;
    turn[j][1] = b;
    turn[3 - i - j][2] = (j - i + 3) % 3 == 1 ? a * b : -a * b;
}

// The quarter turns that lead farthest away from the lock; those before them by less than rounding.
static void find_turn(ct_joint *joint, double r[3][3]) {
    enum { ROTATIONS = 24 };
    double best = 0;
    for (int n = 0; n < ROTATIONS; n++) {
        int turn[3][3];
        double trial[3][3];
        quarter_turns(n, turn);
        turned_by(r, turn, false, trial);
        double clear = clearance(joint, trial);
        if (clear < best + CT_TURN_GAIN) continue;
        best = clear;
        memcpy(joint->turn, turn, sizeof turn);
    }
    joint->is_turned = true;
}

// the model --------------------------------------------------------------------------------------
static void set_start(const ct_model *model, int n, ct_start *all, int coordinate, double value,
                      double rate) {
    for (int i = 0; i < n; i++)
        if (all[i].coordinate == coordinate) {
            all[i].value = ct_exact_number(model->pool, value);
            if (all[i].has_rate) all[i].rate = ct_exact_number(model->pool, rate);
        }
}

static void add_guess(ct_model *model, int coordinate, double value) {
    if (entry(model->n_guess, model->guess, coordinate)) return;
    model->guess[model->n_guess++] = (ct_start){
        .coordinate = coordinate, .value = ct_exact_number(model->pool, value), .rate = CT_ZERO};
}

// Value of a coordinate at the start: `initial`, else `guess`, else zero. rate: of `initial`.
static double start_of(const ct_model *model, int coordinate, double *rate) {
    const ct_start *held = entry(model->n_initial, model->initial, coordinate),
                   *guess = entry(model->n_guess, model->guess, coordinate);
    *rate = held && held->has_rate ? ct_model_number(model, held->rate) : 0;
    return held    ? ct_model_number(model, held->value)
           : guess ? ct_model_number(model, guess->value)
                   : 0;
}

// The joint in a turned frame, with `initial` and `guess` in its new angles.
static void turn_joint(ct_model *fork, const ct_model *m, int joint, const double *values) {
    ct_joint *j = fork->joints + joint;
    double angle[3], rate[3], r[3][3], e[3][3], u[3], turned[3][3];
    int first = first_angle(j);
    for (int k = 0; k < 3; k++) {
        angle[k] = j->start[k] = start_of(m, first + k, rate + k);
        j->start_rate[k] = rate[k];
        if (values) angle[k] = values[first + k];
    }
    // R Q and the same angular velocity in its angles
    ctk_angles_matrix(j->sequence, angle, r, e);
    axes_times(e, rate, u);
    find_turn(j, r);
    turned_by(r, j->turn, false, turned);
    ctk_angles_of(j->sequence, turned, u, angle, rate);
    for (int k = 0; k < 3; k++) {
        set_start(fork, fork->n_initial, fork->initial, first + k, angle[k], rate[k]);
        set_start(fork, fork->n_guess, fork->guess, first + k, angle[k], 0);
        if (!entry(m->n_initial, m->initial, first + k)) add_guess(fork, first + k, angle[k]);
    }
    // the frame in the second body
    ct_mat3 q;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) q.a[i][k] = ct_int(fork->pool, j->turn[i][k]);
    j->orient[1] = ct_mat_mul(fork->pool, j->orient[1], q);
    ct_digest_add_number(&fork->content, (uint64_t)joint);
    ct_digest_add(&fork->content, j->turn, sizeof j->turn);
}

// A fork with joints and entries of its own; room for a guess of each coordinate.
static ct_model *fork_of(const ct_model *model) {
    ct_model *fork = ct_model_fork(model);
    fork->joints = ct_alloc((size_t)model->n_joints + 1, sizeof *fork->joints);
    memcpy(fork->joints, model->joints, (size_t)model->n_joints * sizeof *fork->joints);
    fork->initial = ct_alloc((size_t)model->n_initial + 1, sizeof *fork->initial);
    if (model->n_initial)
        memcpy(fork->initial, model->initial, (size_t)model->n_initial * sizeof *fork->initial);
    fork->guess =
        ct_alloc((size_t)(model->n_guess + model->n_coordinates) + 1, sizeof *fork->guess);
    if (model->n_guess)
        memcpy(fork->guess, model->guess, (size_t)model->n_guess * sizeof *fork->guess);
    return fork;
}

ct_model *ct_model_turned(const ct_model *model, const double *joint) {
    ct_model *fork = NULL;
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint *j = model->joints + i;
        double angle[3], rate, r[3][3], e[3][3];
        // a ball that may be turned, and needs it
        if (!may_turn(model, i)) continue;
        for (int k = 0; k < 3; k++)
            angle[k] =
                joint ? joint[first_angle(j) + k] : start_of(model, first_angle(j) + k, &rate);
        ctk_angles_matrix(j->sequence, angle, r, e);
        if (clearance(j, r) > CT_TURN_NEAR) continue;
        if (!fork) fork = fork_of(model);
        turn_joint(fork, model, i, joint);
    }
    // a known position is the start, whatever the trees
    for (int i = 0; fork && joint && i < model->n_coordinates; i++) {
        if (fork->joints[model->coordinates[i].joint].is_turned && model->coordinates[i].is_angle)
            continue;
        set_start(fork, fork->n_guess, fork->guess, i, joint[i], 0);
        if (!entry(model->n_initial, model->initial, i)) add_guess(fork, i, joint[i]);
    }
    return fork;
}

bool ct_model_same_turns(const ct_model *a, const ct_model *b) {
    const ct_model *any = a ? a : b;
    for (int i = 0; any && i < any->n_joints; i++) {
        const ct_joint *x = a ? a->joints + i : NULL, *y = b ? b->joints + i : NULL;
        bool turned[2] = {x && x->is_turned, y && y->is_turned};
        if (turned[0] != turned[1]) return false;
        if (turned[0] && memcmp(x->turn, y->turn, sizeof x->turn)) return false;
    }
    return true;
}
