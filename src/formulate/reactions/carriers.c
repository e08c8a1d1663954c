// Joints as carriers: the wrenches that a kind of joint can carry, and the freedoms along which it
// carries nothing. Both follow from what the kind holds and keeps; together they are six.
#include "formulate/reactions/reactions.h"

bool ct_reaction_carries(const ct_joint *joint) {
    return joint->body[0] >= 0 && !joint->is_virtual;
}

const ct_connection *ct_reaction_connection(const ct_layout *l, int joint) {
    const ct_joint *j = l->model->joints + joint;
    ct_edge_kind kind = ct_joint_has_coordinates(j->type) ? CT_EDGE_JOINT : CT_EDGE_CONSTRAINT;
    return l->connections + ct_graph_edge(l->f->graph, kind, joint);
}

// A direction of the joint frame on one side, in the world.
static ct_vec3 in_world(ct_reaction_builder *b, const ct_connection *c, int side, ct_vec3 v) {
    ct_vec3 in_body = ct_mat_vec(b->pool, c->orient[side], v);
    return ct_vec_let(b->pool, ct_turn(b->l, in_body, c->body[side], 0));
}

// The axis of A, and two normals of it: those of ground where the axis stays along one of its own, so that
// they do not turn.
typedef struct directions {
    ct_vec3 axis, normal[2];
} directions;

static directions directions_of(ct_reaction_builder *b, int joint) {
    const ct_joint *j = b->model->joints + joint;
    const ct_connection *c = ct_reaction_connection(b->l, joint);
    directions d;
    ct_vec_normals(b->model, j->axis[0], &d.normal[0], &d.normal[1]);
    d.axis = in_world(b, c, 0, j->axis[0]);
    for (int k = 0; k < 2; k++) d.normal[k] = in_world(b, c, 0, d.normal[k]);
    for (int i = 0; i < 3; i++)
        if (ct_vec_same(d.axis, ct_vec_unit(i)) ||
            ct_vec_same(d.axis, ct_vec_neg(b->pool, ct_vec_unit(i))))
            for (int k = 0; k < 2; k++) d.normal[k] = ct_vec_unit((i + 1 + k) % 3);
    return d;
}

ct_vec3 ct_reaction_axis(ct_reaction_builder *b, int joint) {
    return directions_of(b, joint).axis;
}

// From the point of A to that of B, of length 1.
static ct_vec3 along_link(ct_reaction_builder *b, int joint) {
    const ct_connection *c = ct_reaction_connection(b->l, joint);
    ct_vec3 d = ct_path(b->l, c->body[0], c->at[0], c->body[1], c->at[1], 0);
    ct_ex length = ct_sqrt(b->pool, ct_vec_dot(b->pool, d, d));
    return ct_vec_let(b->pool, ct_vec_scale(b->pool, ct_power_int(b->pool, length, -1), d));
}

// Axes of A and of B, between which a joint keeps an angle.
static void two_axes(ct_reaction_builder *b, int joint, ct_vec3 *of_a, ct_vec3 *of_b) {
    const ct_joint *j = b->model->joints + joint;
    const ct_connection *c = ct_reaction_connection(b->l, joint);
    *of_a = in_world(b, c, 0, j->axis[0]);
    *of_b = in_world(b, c, 1, j->axis[1]);
}

// Metres along the axis for a radian.
static ct_ex lead_of(ct_reaction_builder *b, const ct_joint *joint) {
    ct_ex turn = ct_mul(b->pool, ct_int(b->pool, 2), ct_pi(b->pool));
    return ct_div(b->pool, joint->pitch, turn);
}

typedef struct list {
    int n;
    ct_vec3 *linear, *angular;
    int *power;
} list;

static void add(list *x, ct_vec3 linear, ct_vec3 angular, int power) {
    x->linear[x->n] = linear;
    x->angular[x->n] = angular;
    x->power[x->n++] = power;
}

static void add_linear(list *x, int n, const ct_vec3 *v) {
    for (int i = 0; i < n; i++) add(x, v[i], ct_vec3_zero(), 0);
}

static void add_angular(list *x, int n, const ct_vec3 *v) {
    for (int i = 0; i < n; i++) add(x, ct_vec3_zero(), v[i], 1);
}

int ct_reaction_basis(ct_reaction_builder *b, int joint, ct_vec3 *force, ct_vec3 *moment,
                      int *power) {
    const ct_joint *j = b->model->joints + joint;
    const ct_joint_traits *traits = ct_joint_traits_of(j->type);
    const ct_vec3 world[] = {ct_vec_unit(0), ct_vec_unit(1), ct_vec_unit(2)};
    list x = {0, force, moment, power};
    directions d = directions_of(b, joint);
    ct_vec3 v[2];
    // forces at B's point
    switch (traits->holds) {
    case CT_HOLDS_NOTHING: break;
    case CT_HOLDS_DISTANCE: v[0] = along_link(b, joint), add_linear(&x, 1, v); break;
    case CT_HOLDS_PLANE: add_linear(&x, 1, &d.axis); break;
    case CT_HOLDS_LINE: add_linear(&x, 2, d.normal); break;
    case CT_HOLDS_HELIX: // along the axis with the moment that a turn does no work against
        add_linear(&x, 2, d.normal);
        add(&x, d.axis, ct_vec_scale(b->pool, ct_neg(b->pool, lead_of(b, j)), d.axis), 0);
        break;
    case CT_HOLDS_POINT: add_linear(&x, 3, world); break;
    }
    // moments
    switch (traits->keeps) {
    case CT_KEEPS_NOTHING: break;
    case CT_KEEPS_ANGLE:
        two_axes(b, joint, &v[0], &v[1]);
        v[0] = ct_vec_let(b->pool, ct_vec_cross(b->pool, v[0], v[1]));
        add_angular(&x, 1, v);
        break;
    case CT_KEEPS_AXIS: add_angular(&x, 2, d.normal); break;
    case CT_KEEPS_FRAME: add_angular(&x, 3, world); break;
    }
    return x.n;
}

int ct_reaction_freedoms(ct_reaction_builder *b, int joint, ct_vec3 *along, ct_vec3 *about,
                         int *power) {
    const ct_joint *j = b->model->joints + joint;
    const ct_joint_traits *traits = ct_joint_traits_of(j->type);
    const ct_vec3 world[] = {ct_vec_unit(0), ct_vec_unit(1), ct_vec_unit(2)};
    list x = {0, along, about, power};
    directions d = directions_of(b, joint);
    ct_vec3 v[2];
    // translations of B's point
    switch (traits->holds) {
    case CT_HOLDS_NOTHING: add_linear(&x, 3, world); break;
    case CT_HOLDS_DISTANCE: { // force x link = 0: three rows, of which two are independent
        ct_vec3 link = along_link(b, joint);
        for (int i = 0; i < 3; i++)
            add(&x, ct_vec_cross(b->pool, link, world[i]), ct_vec3_zero(), 0);
        break;
    }
    case CT_HOLDS_PLANE: add_linear(&x, 2, d.normal); break;
    case CT_HOLDS_LINE: add_linear(&x, 1, &d.axis); break;
    case CT_HOLDS_HELIX: // the turn about the axis with its lead
        add(&x, ct_vec_scale(b->pool, lead_of(b, j), d.axis), d.axis, 1);
        return x.n;
    case CT_HOLDS_POINT: break;
    }
    // turns
    switch (traits->keeps) {
    case CT_KEEPS_NOTHING: add_angular(&x, 3, world); break;
    case CT_KEEPS_ANGLE:
        two_axes(b, joint, &v[0], &v[1]);
        add_angular(&x, 2, v);
        break;
    case CT_KEEPS_AXIS: add_angular(&x, 1, &d.axis); break;
    case CT_KEEPS_FRAME: break;
    }
    return x.n;
}

static void add_group(ct_reaction_groups *all, ct_reaction_kind kind, const char *name, int index,
                      int n) {
    all->item[all->n++] = (ct_reaction_group){kind, name, index, all->n_columns, n};
    all->n_columns += n;
}

ct_reaction_groups ct_reaction_groups_of(const ct_model *model, bool drives) {
    size_t room = (size_t)(model->n_motions + model->n_drives + model->n_joints) + 1;
    ct_reaction_groups all = {.item = ct_scratch(room, sizeof *all.item)};
    // efforts of drives, or of motions
    for (int i = 0; i < (drives ? model->n_drives : model->n_motions); i++)
        add_group(&all, CT_REACTION_EFFORT, drives ? model->drives[i].name : model->motions[i].name,
                  i, 1);
    all.n_efforts = all.n_columns;
    // joints and couplings
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint *j = model->joints + i;
        if (ct_reaction_carries(j)) add_group(&all, CT_REACTION_WRENCH, j->name, i, 6);
        if (ct_joint_is_coupling(j->type)) add_group(&all, CT_REACTION_LAMBDA, j->name, i, 1);
    }
    return all;
}

const char *ct_reaction_column_name(const ct_reaction_group *group, int i) {
    static const char *const parts[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    return group->kind == CT_REACTION_WRENCH   ? parts[i]
           : group->kind == CT_REACTION_LAMBDA ? "lambda"
                                               : "effort";
}

int ct_reaction_column(const ct_reaction_groups *groups, const ct_probe *probe, bool drives) {
    if (probe->joint < 0) return drives ? probe->drive : probe->motion; // efforts are the first
    for (int i = groups->n_efforts; i < groups->n; i++)
        if (groups->item[i].index == probe->joint) return groups->item[i].first + probe->part;
    return -1;
}
