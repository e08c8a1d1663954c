// The initial problem in symbols: coordinates that are held, the start, poses and twists of bodies
// by which nearness is measured, and the way to the coordinates of a formulation.
#include "assemble/initial.h"
#include "assemble/inside.h"
#include "formulate/layout.h"
#include "formulate/whole_rotation.h"

#include <string.h>

void ct_initial_start_find(const ct_formulation *f, ct_initial_start *s) {
    const ct_model *m = f->model;
    size_t n = (size_t)f->n + 1;
    bool *given = ct_scratch(n, sizeof *given);
    *s = (ct_initial_start){.held = ct_scratch(n, sizeof(bool)),
                            .has_rate = ct_scratch(n, sizeof(bool)),
                            .by_motion = ct_scratch(n, sizeof(bool)),
                            .value = ct_scratch(n, sizeof(ct_ex)),
                            .rate = ct_scratch(n, sizeof(ct_ex))};
    for (int k = 0; k < f->n; k++) s->value[k] = s->rate[k] = CT_ZERO;
    // bodies that no joint holds: their frame on that of ground, or where they were placed
    for (int k = 0; k < f->n; k++) {
        if (f->coordinate[k] >= 0 || f->body[k] < 0) continue;
        if (m->placed)
            s->value[k] = ct_exact_number(f->pool, m->placed[6 * f->body[k] + f->part[k]]);
        else if (!f->is_angle[k])
            s->value[k] = ct_design_slide(f->layout, f->body[k], f->part[k]);
    }
    // `guess`: a start
    for (int i = 0; i < m->n_guess; i++) {
        int k = f->where[m->guess[i].coordinate];
        s->value[k] = m->guess[i].value;
        given[k] = true;
    }
    // `initial`: held, with its rate where one is given
    for (int i = 0; i < m->n_initial; i++) {
        int k = f->where[m->initial[i].coordinate];
        s->value[k] = m->initial[i].value;
        s->held[k] = given[k] = true;
        s->has_rate[k] = m->initial[i].has_rate;
        if (s->has_rate[k]) s->rate[k] = m->initial[i].rate;
    }
    // motions at t = 0: a start for coordinates that neither of them names
    for (int i = 0; i < m->n_motions; i++) {
        int k = m->motions[i].coordinate >= 0 ? f->where[m->motions[i].coordinate] : -1;
        if (k < 0 || given[k]) continue;
        s->value[k] = m->motions[i].value;
        s->by_motion[k] = given[k] = true;
    }
}

// Centre of mass and orientation of each body, row by row, and their twists at unit rates.
static void find_poses(ct_initial_problem *p) {
    const ct_formulation *g = p->g;
    ct_layout *l = g->layout;
    int n = g->n;
    for (int b = 1; b < l->n_bodies; b++) {
        ct_vec3 centre = ct_position(l, b, ct_vec3_zero()), spin = ct_angular_velocity(l, b, 0);
        ct_mat3 r = ct_rotation(l, 0, b);
        ct_ex *pose = p->pose + 12 * (b - 1), *twist = p->twist + 6 * (b - 1) * n;
        for (int i = 0; i < 3; i++) {
            pose[i] = centre.v[i];
            for (int j = 0; j < 3; j++) pose[3 + 3 * i + j] = r.a[i][j];
            for (int k = 0; k < n; k++) {
                twist[i * n + k] = ct_diff(g->pool, centre.v[i], g->q[k]);
                twist[(3 + i) * n + k] = ct_diff(g->pool, spin.v[i], g->qd[k]);
            }
        }
    }
}

// Velocity and spin in a joint where its coordinate q_k moves at unit rate, in ground.
static bool own_twist(ct_layout *l, const ct_connection *c, ct_ex rate, ct_ex *twist) {
    ct_pool *pool = l->pool;
    ct_vec3 v = ct_vec3_zero(), w = v;
    bool owns = false;
    for (int k = 0; k < c->n_trans; k++)
        if (c->slide_d[k] == rate) {
            v = ct_vec_add(pool, v, ct_mat_vec(pool, c->orient[0], c->direction[k]));
            owns = true;
        }
    for (int k = 0; k < c->n_rot; k++)
        if (c->angle_d[k] == rate) {
            ct_vec3 axis = ct_mat_vec(pool, ct_connection_rotation(pool, c, 0, k), c->axis[k]);
            w = ct_vec_add(pool, w, ct_mat_vec(pool, c->orient[0], axis));
            owns = true;
        }
    v = ct_turn(l, v, c->body[0], 0);
    w = ct_turn(l, w, c->body[0], 0);
    for (int i = 0; i < 3 && owns; i++) {
        twist[i] = v.v[i];
        twist[3 + i] = w.v[i];
    }
    return owns;
}

// Joints that open rates are measured in: where their points are, what given rates contribute.
static void find_rate_joints(ct_initial_problem *p) {
    const ct_formulation *g = p->g;
    ct_layout *l = g->layout;
    p->n_joints = ct_rate_joints_find(g, p->start.has_rate, p->joints);
    for (int k = 0; k < g->n; k++) {
        p->given_in[k] = -1;
        for (int i = 0; i < 6; i++) p->given[6 * k + i] = CT_ZERO;
    }
    for (int i = 0; i < p->n_joints; i++) {
        const ct_rate_joint *j = p->joints + i;
        const ct_connection *c = j->edge < 0 ? NULL : l->connections + j->edge;
        ct_vec3 arm = c ? ct_turn(l, c->at[1], j->body[1], 0) : ct_vec3_zero();
        for (int k = 0; k < 3; k++) p->arm[3 * i + k] = arm.v[k];
        for (int k = 0; k < g->n && c; k++)
            if (p->start.has_rate[k] && own_twist(l, c, g->qd[k], p->given + 6 * k))
                p->given_in[k] = i;
    }
}

// Angles of the rotations that guards watch, where they are unknowns that a row defines.
static void find_guards(ct_initial_problem *p) {
    const ct_formulation *g = p->g;
    for (int i = 0; i < g->n_guards; i++) {
        const ct_joint *j = g->model->joints + g->guard_joint[i];
        int turns = j->n_coordinates ? ct_joint_rotations(j->type) : 0,
            first = turns ? j->first_coordinate + j->n_coordinates - turns : -1;
        int edge = turns ? ct_graph_edge(g->graph, CT_EDGE_JOINT, g->guard_joint[i]) : -1;
        bool follows = turns && g->where[first] >= 0 && !g->graph->tree[CT_ROTATION].has[edge];
        ct_ex found[6];
        int n = follows ? ct_formulation_edge(g, edge, found) : 0;
        p->guard_turns[i] = follows ? turns : 0;
        p->guard_proper[i] = follows && turns == 3 && j->sequence[0] == j->sequence[2];
        for (int k = 0; k < 3; k++) {
            p->guard_at[3 * i + k] = follows && k < turns ? g->where[first + k] : -1;
            p->guard_angle[3 * i + k] = follows && k < turns ? found[n - turns + k] : CT_ZERO;
        }
    }
}

// The coordinates of f from those of the assembly; rotations that are integrated whole as matrices
// R(e) = R(root <- body) and spins, too.
static void find_transfer(ct_initial_problem *p, const ct_formulation *f) {
    const ct_formulation *g = p->g, *angles = f->n_integrated ? f->in_angles : f;
    ct_derivation *time = ct_derivation_new(f->pool);
    ct_substitution *known = ct_substitution_new(f->pool);
    for (int k = 0; k < g->n; k++) ct_derivation_map(time, g->q[k], g->qd[k]);
    for (int k = 0; k < f->n; k++) {
        ct_assembling_express(g, angles, k, time, p->value + k, p->rate + k);
        if (angles->q[k] == p->value[k]) continue;
        ct_substitution_map(known, angles->q[k], p->value[k]);
        ct_substitution_map(known, angles->qd[k], p->rate[k]);
    }
    for (int i = 0; i < f->n_integrated; i++) {
        ct_ex *turn = p->turns + 12 * i;
        ct_mat3 r;
        ct_vec3 w;
        ct_whole_rotation_in_angles(f, f->whole_rotations + i, &r, &w);
        for (int k = 0; k < 9; k++) turn[k] = ct_substitute(known, r.a[k / 3][k % 3]);
        for (int k = 0; k < 3; k++) turn[9 + k] = ct_substitute(known, w.v[k]);
    }
    ct_substitution_free(known);
    ct_derivation_free(time);
}

static bool uses_inputs(const ct_pool *pool, int n, const ct_ex *a) {
    bool uses = false;
    for (int i = 0; i < n; i++) uses = uses || ct_ex_kinds(pool, a[i]) & 1u << CT_SYMBOL_INPUT;
    return uses;
}

void ct_initial_problem_find(const ct_assembly *assembly, const ct_formulation *f,
                             ct_initial_problem *p) {
    const ct_formulation *g = ct_formulation_view(assembly->g, f->model);
    size_t n = (size_t)g->n, bodies = (size_t)f->model->n_bodies, guards = (size_t)g->n_guards,
           joints = (size_t)f->model->n_joints + bodies;
    *p = (ct_initial_problem){.g = g,
                              .n_bodies = (int)bodies - 1,
                              .pose = ct_scratch(12 * bodies, sizeof(ct_ex)),
                              .twist = ct_scratch(6 * bodies * n + 1, sizeof(ct_ex)),
                              .joints = ct_scratch(joints, sizeof *p->joints),
                              .arm = ct_scratch(3 * joints, sizeof(ct_ex)),
                              .given_in = ct_scratch(n + 1, sizeof(int)),
                              .given = ct_scratch(6 * n + 1, sizeof(ct_ex)),
                              .guard_at = ct_scratch(3 * guards + 1, sizeof(int)),
                              .guard_turns = ct_scratch(guards + 1, sizeof(int)),
                              .guard_proper = ct_scratch(guards + 1, sizeof(bool)),
                              .guard_angle = ct_scratch(3 * guards + 1, sizeof(ct_ex)),
                              .value = ct_scratch((size_t)f->n + 1, sizeof(ct_ex)),
                              .rate = ct_scratch((size_t)f->n + 1, sizeof(ct_ex)),
                              .turns = ct_scratch(12 * (size_t)f->n_integrated + 1, sizeof(ct_ex))};
    // the start, poses and twists of bodies, joints, guards, the coordinates of f
    ct_initial_start_find(g, &p->start);
    find_poses(p);
    find_rate_joints(p);
    find_guards(p);
    find_transfer(p, f);
    // lengths, and whether inputs matter
    p->length = ct_typical_length_symbolic(f->model);
    p->body_length = ct_body_length_symbolic(f->model);
    p->uses_inputs = uses_inputs(f->pool, g->n, p->start.value) ||
                     uses_inputs(f->pool, g->m, g->phi) || uses_inputs(f->pool, g->m, g->phi_t);
}
