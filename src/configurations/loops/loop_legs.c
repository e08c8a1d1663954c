// Legs. A rod between two ball joints (or a universal and a ball joint), or two of them with a
// slide of known length between, does nothing but keep two points at a distance. For the algebra it
// is replaced by a link: one equation instead of three, no angles, and no configuration twice
// because its universal joint can be turned over. Afterwards each leg is closed numerically.
#include "configurations/loops/loop_system.h"
#include "configurations/tolerances.h"

#include "formulate/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_ball(const ct_joint *joint) {
    return ct_joint_traits_of(joint->type)->holds == CT_HOLDS_POINT &&
           ct_joint_rotations(joint->type) >= 2;
}

static bool is_universal(const ct_joint *joint) {
    return is_ball(joint) && ct_joint_rotations(joint->type) == 2;
}

// Joints of a body: how many, and the first two. Constraints and virtual joints count, too.
static int joints_of(const ct_model *model, int body, int *found) {
    int n = 0;
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint *j = model->joints + i;
        if (j->body[0] != body && j->body[1] != body) continue;
        if (n < 2) found[n] = i;
        n++;
    }
    return n;
}

static bool coordinate_is_used(const ct_model *model, int coordinate) {
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint *j = model->joints + i;
        if (ct_joint_is_equation(j->type) &&
            ct_depends(model->pool, j->equation, model->coordinates[coordinate].q))
            return true;
        if (ct_joint_is_pair(j->type) &&
            (j->coordinate[0] == coordinate || j->coordinate[1] == coordinate))
            return true;
    }
    return false;
}

// True if no coordinate of the joint is given or used, and the joint is physical.
static bool is_unnamed(const ct_model *model, int joint) {
    const ct_joint *j = model->joints + joint;
    ct_ex value;
    for (int k = 0; k < j->n_coordinates; k++)
        if (ct_loop_given(model, j->first_coordinate + k, &value) ||
            coordinate_is_used(model, j->first_coordinate + k))
            return false;
    return !j->is_virtual;
}

static bool points_are_used(const ct_model *model) {
    for (int i = 0; i < model->n_motions; i++)
        if (model->motions[i].probe >= 0) return true;
    for (int i = 0; i < model->n_joints; i++)
        if (ct_joint_is_equation(model->joints[i].type)) return true;
    return false;
}

static int other_body(const ct_joint *joint, int body) {
    return joint->body[joint->body[0] == body];
}

static ct_vec3 at_body(const ct_joint *joint, int body) {
    return joint->at[joint->body[1] == body];
}

// True if the body is a rod between two ball joints, or a universal and a ball joint.
static bool rod(const ct_model *model, int body, ct_loop_leg *leg) {
    int j[2];
    if (joints_of(model, body, j) != 2) return false;
    const ct_joint *a = model->joints + j[0], *b = model->joints + j[1];
    if (!is_ball(a) || !is_ball(b) || !is_unnamed(model, j[0]) || !is_unnamed(model, j[1]))
        return false;
    if (is_universal(a) && is_universal(b)) return false;
    bool swap = is_universal(b); // the universal joint first: it is the branch
    leg->joint[0] = j[swap];
    leg->joint[1] = j[!swap];
    leg->slide = -1;
    leg->body[0] = leg->body[1] = body;
    leg->span = ct_vec_sub(model->pool, at_body(model->joints + j[1], body), at_body(a, body));
    return true;
}

// True if the slide joins two rods to a strut of given length.
static bool strut(const ct_model *model, int slide, ct_loop_leg *leg) {
    // a slide between moving bodies, whose coordinate is given
    const ct_joint *p = model->joints + slide;
    ct_ex length;
    if (!ct_joint_is_slide(p->type) || p->is_virtual || p->body[0] == 0 || p->body[1] == 0 ||
        !ct_loop_given(model, p->first_coordinate, &length))
        return false;
    // each of them has one more joint: a ball or universal joint that nothing names
    int end[2];
    for (int side = 0; side < 2; side++) {
        int j[2];
        if (joints_of(model, p->body[side], j) != 2) return false;
        end[side] = j[0] == slide ? j[1] : j[0];
        if (!is_ball(model->joints + end[side]) || !is_unnamed(model, end[side])) return false;
    }
    // at most one universal joint, which becomes the first
    const ct_joint *a = model->joints + end[0], *b = model->joints + end[1];
    if (is_universal(a) && is_universal(b)) return false;
    bool swap = is_universal(b);
    leg->joint[0] = end[swap];
    leg->joint[1] = end[!swap];
    leg->slide = slide;
    leg->body[0] = p->body[swap];
    leg->body[1] = p->body[!swap];
    // from ball to ball, in the joint frame of the slide
    ct_pool *pool = model->pool;
    ct_vec3 before = ct_vec_sub(pool, p->at[0], at_body(a, p->body[0]));
    ct_vec3 after = ct_vec_sub(pool, at_body(b, p->body[1]), p->at[1]);
    before = ct_mat_transpose_vec(pool, p->orient[0], before);
    after = ct_mat_transpose_vec(pool, p->orient[1], after);
    leg->span =
        ct_vec_add(pool, ct_vec_add(pool, before, after), ct_vec_scale(pool, length, p->axis[0]));
    return true;
}

static void find_legs(ct_loop_system *s) {
    const ct_model *m = s->model;
    if (points_are_used(m)) return;
    s->legs = ct_alloc((size_t)m->n_joints + 1, sizeof *s->legs);
    for (int i = 0; i < m->n_joints; i++)
        if (strut(m, i, s->legs + s->n_legs)) s->n_legs++;
    for (int b = 1; b < m->n_bodies; b++)
        if (rod(m, b, s->legs + s->n_legs)) s->n_legs++;
    // not where both ends are on the same body, or a leg carries a leg
    for (int i = 0; i < s->n_legs; i++) {
        ct_loop_leg *leg = s->legs + i;
        int a = other_body(m->joints + leg->joint[0], leg->body[0]);
        int b = other_body(m->joints + leg->joint[1], leg->body[1]);
        bool wrong = a == b;
        for (int k = 0; k < s->n_legs && !wrong; k++)
            for (int e = 0; e < 2; e++)
                wrong = wrong || s->legs[k].body[e] == a || s->legs[k].body[e] == b;
        if (wrong) {
            s->n_legs = 0; // rare: leave the mechanism as it is
            return;
        }
    }
}

// the mechanism with links ------------------------------------------------------------------------
static void keep_coordinates(ct_loop_system *s, const int *new_joint) {
    const ct_model *m = s->model;
    ct_model *p = &s->without_guess;
    p->coordinates = ct_alloc((size_t)m->n_coordinates + 1, sizeof *p->coordinates);
    memcpy(p->coordinates, m->coordinates, (size_t)m->n_coordinates * sizeof *p->coordinates);
    p->initial = ct_alloc((size_t)m->n_initial + 1, sizeof *p->initial);
    p->motions = ct_alloc((size_t)m->n_motions + 1, sizeof *p->motions);
    p->n_initial = p->n_motions = 0;
    for (int i = 0; i < m->n_initial; i++)
        if (new_joint[m->coordinates[m->initial[i].coordinate].joint] >= 0)
            p->initial[p->n_initial++] = m->initial[i];
    for (int i = 0; i < m->n_motions; i++)
        if (m->motions[i].coordinate < 0 ||
            new_joint[m->coordinates[m->motions[i].coordinate].joint] >= 0)
            p->motions[p->n_motions++] = m->motions[i];
    for (int i = 0; i < m->n_coordinates; i++) {
        int joint = new_joint[m->coordinates[i].joint];
        p->coordinates[i].joint = joint < 0 ? 0 : joint;
    }
}

static ct_joint link_of(const ct_model *model, const ct_loop_leg *leg) {
    const ct_joint *a = model->joints + leg->joint[0], *b = model->joints + leg->joint[1];
    ct_joint link = *a;
    link.type = CT_JOINT_LINK;
    link.n_coordinates = 0;
    link.body[0] = other_body(a, leg->body[0]);
    link.body[1] = other_body(b, leg->body[1]);
    link.at[0] = at_body(a, link.body[0]);
    link.at[1] = at_body(b, link.body[1]);
    link.length = ct_sqrt(model->pool, ct_vec_dot(model->pool, leg->span, leg->span));
    return link;
}

void ct_loop_system_legs(ct_loop_system *s) {
    const ct_model *m = s->model;
    ct_model *p = &s->without_guess;
    // bodies and joints of legs disappear; the first joint of each becomes a link
    find_legs(s);
    if (!s->n_legs) return;
    int *new_body = ct_alloc((size_t)m->n_bodies + 1, sizeof *new_body);
    int *new_joint = ct_alloc((size_t)m->n_joints + 1, sizeof *new_joint);
    for (int i = 0; i < s->n_legs; i++) {
        new_body[s->legs[i].body[0]] = new_body[s->legs[i].body[1]] = -1;
        new_joint[s->legs[i].joint[0]] = -2 - i; // becomes the link
        new_joint[s->legs[i].joint[1]] = -1;
        if (s->legs[i].slide >= 0) new_joint[s->legs[i].slide] = -1;
    }
    // remaining bodies, numbered anew
    p->bodies = ct_alloc((size_t)m->n_bodies + 1, sizeof *p->bodies);
    p->joints = ct_alloc((size_t)m->n_joints + 1, sizeof *p->joints);
    p->n_bodies = p->n_joints = p->n_probes = 0;
    for (int b = 0; b < m->n_bodies; b++)
        if (new_body[b] >= 0) {
            new_body[b] = p->n_bodies;
            p->bodies[p->n_bodies++] = m->bodies[b];
        }
    // remaining joints and links, between the new bodies
    for (int i = 0; i < m->n_joints; i++) {
        if (new_joint[i] == -1) continue;
        bool link = new_joint[i] < 0;
        ct_joint *j = p->joints + p->n_joints;
        *j = link ? link_of(m, s->legs - 2 - new_joint[i]) : m->joints[i];
        new_joint[i] = link ? -1 : p->n_joints;
        p->n_joints++;
        for (int side = 0; side < 2; side++)
            if (j->body[side] >= 0) j->body[side] = new_body[j->body[side]];
    }
    // coordinates of the remaining joints
    keep_coordinates(s, new_joint);
    ct_free(new_body);
    ct_free(new_joint);
}

void ct_loop_system_legs_clear(ct_loop_system *s) {
    if (s->n_legs) {
        ct_free(s->without_guess.bodies);
        ct_free(s->without_guess.joints);
        ct_free(s->without_guess.coordinates);
        ct_free(s->without_guess.initial);
        ct_free(s->without_guess.motions);
    }
    ct_free(s->legs);
    ct_free(s->transfer);
}

// closing the legs --------------------------------------------------------------------------------
static int find_named_edge(const ct_graph *g, ct_edge_kind kind, const char *name) {
    for (int e = 0; e < g->n_edges; e++)
        if (g->edges[e].kind == kind && !strcmp(g->edges[e].name, name)) return e;
    return -1;
}

// A body's own three angles may turn about other axes in the other formulation.
static void transfer_angles(ct_loop_system *s, const ct_layout *from, const ct_layout *to,
                            int edge) {
    const ct_graph *g = s->whole->graph;
    const ct_connection *c = to->connections + edge;
    int other = find_named_edge(s->f->graph, CT_EDGE_BODY, g->edges[edge].name), axis[3];
    if (other < 0 || c->n_rot != 3) return;
    ct_mat3 r = ct_connection_rotation(s->f->pool, from->connections + other, 0, 3);
    ct_ex entry[9], angle[3];
    for (int i = 0; i < 9; i++) entry[i] = r.a[i / 3][i % 3];
    for (int i = 0; i < 3; i++) axis[i] = ct_loop_axis(c->axis[i]);
    ct_loop_angles_of(s->f->pool, entry, axis, angle);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < s->whole->n; k++)
            if (s->whole->q[k] == c->angle[i]) s->transfer[k] = angle[i];
}

static void find_transfer(ct_loop_system *s) {
    const ct_graph *g = s->whole->graph;
    s->transfer = ct_alloc((size_t)s->whole->n + 1, sizeof *s->transfer);
    memcpy(s->transfer, s->whole->q, (size_t)s->whole->n * sizeof *s->transfer);
    for (int k = 0; k < s->whole->n; k++)
        if (s->whole->coordinate[k] >= 0 && s->f->where[s->whole->coordinate[k]] < 0)
            ct_loop_given(s->model, s->whole->coordinate[k], &s->transfer[k]);
    for (int e = 0; e < g->n_edges; e++)
        if (g->edges[e].kind == CT_EDGE_BODY && g->tree[CT_ROTATION].has[e])
            transfer_angles(s, s->f->layout, s->whole->layout, e);
}

// The whole mechanism on the trees of the system, with the legs hanging on their first joints.
ct_status ct_loop_system_whole(ct_context *ctx, ct_loop_system *s) {
    if (!s->n_legs) return CT_OK;
    // the whole model without its guess
    s->unguided = *s->model;
    s->unguided.n_guess = 0;
    // the same branches by name
    const ct_graph *part = s->f->graph;
    ct_graph *g = ct_graph_new(&s->unguided);
    int n = 0, *edges = ct_alloc((size_t)g->n_edges + 1, sizeof *edges);
    for (int e = 0; e < part->n_edges; e++) {
        ct_edge_kind kind = part->edges[e].kind;
        if (part->tree[CT_ROTATION].has[e] && (kind == CT_EDGE_BODY || kind == CT_EDGE_JOINT))
            edges[n++] = find_named_edge(g, kind, part->edges[e].name);
    }
    // and those of the legs: first joint and slide
    for (int i = 0; i < s->n_legs; i++) {
        edges[n++] = ct_graph_edge(g, CT_EDGE_JOINT, s->legs[i].joint[0]);
        if (s->legs[i].slide >= 0) edges[n++] = ct_graph_edge(g, CT_EDGE_JOINT, s->legs[i].slide);
    }
    // kinematics on these trees, and its coordinates in those of the system
    ct_status status = ct_tree_set(ctx, g, CT_ROTATION, n, edges);
    if (!status) status = ct_tree_set(ctx, g, CT_TRANSLATION, n, edges);
    ct_free(edges);
    if (status)
        ct_graph_free(g);
    else
        status = ct_formulation_new(ctx, g, CT_FORMULATE_KINEMATICS, &s->whole);
    if (!status) find_transfer(s);
    return status;
}

static double noise(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

// Leg whose first joint owns coordinate k of the whole, or -1.
static int leg_of(const ct_loop_system *s, int k) {
    int c = s->whole->coordinate[k];
    for (int i = 0; i < s->n_legs && c >= 0; i++)
        if (s->model->coordinates[c].joint == s->legs[i].joint[0]) return i;
    return -1;
}

// Largest |Phi| of the rows of each leg's second joint.
static void leg_gaps(const ct_loop_system *s, ct_numbers *numbers, const double *q, double *gap) {
    const ct_formulation *w = s->whole;
    double *phi = ct_alloc((size_t)w->m + 1, sizeof *phi);
    ct_numbers_set(numbers, w->n, w->q, q);
    ct_numbers_eval(numbers, w->m, w->phi, phi);
    for (int i = 0; i < s->n_legs; i++) {
        gap[i] = 0;
        for (int r = 0; r < w->m; r++)
            if (w->owner[r].joint == s->legs[i].joint[1])
                gap[i] = fmax(gap[i], fabs(phi[r]) / w->row_unit[r]);
    }
    ct_free(phi);
}

// Start of a coordinate of the whole mechanism: its guess, else a small random number.
static double start_of(const ct_loop_system *s, int k, uint64_t *state) {
    const ct_model *m = s->model;
    for (int i = 0; i < m->n_guess; i++)
        if (m->guess[i].coordinate == s->whole->coordinate[k])
            return ct_model_number(m, m->guess[i].value);
    return CT_LEG_START * ct_coordinate_unit(s->whole, k) * noise(state);
}

double ct_loop_system_close_legs(ct_loop_system *s, ct_numbers *numbers, double *joint) {
    const ct_formulation *w = s->whole;
    size_t n = (size_t)w->n + 1;
    double *q = ct_alloc(n, sizeof *q), *gap = ct_alloc((size_t)s->n_legs, sizeof *gap);
    bool *fixed = ct_alloc(n, sizeof *fixed);
    int *leg = ct_alloc(n, sizeof *leg);
    uint64_t state = 1;
    // coordinates outside the legs are those of the solution
    for (int k = 0; k < w->n; k++) {
        leg[k] = leg_of(s, k);
        fixed[k] = leg[k] < 0;
        if (fixed[k]) ct_numbers_eval(numbers, 1, &s->transfer[k], &q[k]);
    }
    // legs that are open start from `guess`, later from random angles
    for (int i = 0; i < s->n_legs; i++) gap[i] = INFINITY;
    double residual = INFINITY;
    for (int attempt = 0; attempt < CT_LEG_ATTEMPTS && !(residual < CT_LOOPS_CLOSED); attempt++) {
        for (int k = 0; k < w->n; k++)
            if (leg[k] >= 0 && !(gap[leg[k]] < CT_LOOPS_CLOSED))
                q[k] = attempt ? M_PI * noise(&state) : start_of(s, k, &state);
        residual = ct_project(w, numbers, fixed, q);
        leg_gaps(s, numbers, q, gap);
    }
    // joint coordinates of the model
    ct_numbers_set(numbers, w->n, w->q, q);
    for (int i = 0; i < s->model->n_coordinates; i++)
        joint[i] = w->where[i] >= 0 ? q[w->where[i]] : NAN;
    // angles of legs within one turn
    for (int k = 0; k < w->n; k++)
        if (leg[k] >= 0 && w->coordinate[k] >= 0)
            joint[w->coordinate[k]] = remainder(q[k], 2 * M_PI);
    for (int i = 0; i < w->n_secondary; i++)
        ct_numbers_eval(numbers, 1, &w->secondary[i].value, &joint[w->secondary[i].coordinate]);
    ct_free(q);
    ct_free(gap);
    ct_free(fixed);
    ct_free(leg);
    return residual;
}
