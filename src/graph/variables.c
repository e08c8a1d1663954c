// What an edge brings into the equations as a branch, and how many freedoms a count of bodies and
// joints leaves.
#include "graph/selection.h"

// True if motions prescribe every coordinate of the joint, and there are some: a motion driver.
static bool is_driven(const ct_model *model, const ct_joint *joint) {
    int driven = 0;
    for (int i = 0; i < model->n_motions; i++) {
        int k = model->motions[i].coordinate - joint->first_coordinate;
        driven += model->motions[i].coordinate >= 0 && k >= 0 && k < joint->n_coordinates;
    }
    return driven && driven == joint->n_coordinates;
}

ct_edge_role ct_edge_role_of(const ct_graph *g, int edge) {
    const ct_edge *e = g->edges + edge;
    switch (e->kind) {
    case CT_EDGE_ARM: return CT_CARRIES_ARM;
    case CT_EDGE_BODY: return CT_CARRIES_BODY;
    case CT_EDGE_JOINT:
        return is_driven(g->model, g->model->joints + e->index) ? CT_CARRIES_KNOWN
                                                                : CT_CARRIES_JOINT;
    case CT_EDGE_CONSTRAINT:
    case CT_EDGE_MOTION:
    case CT_EDGE_FORCE: return CT_CARRIES_NOTHING;
    }
    return CT_CARRIES_NOTHING;
}

int ct_edge_variables(const ct_graph *g, int edge, ct_domain domain) {
    const ct_edge *e = g->edges + edge;
    switch (ct_edge_role_of(g, edge)) {
    case CT_CARRIES_BODY: return 3;
    case CT_CARRIES_JOINT: {
        ct_joint_type type = g->model->joints[e->index].type;
        return domain == CT_ROTATION ? ct_joint_rotations(type) : ct_joint_translations(type);
    }
    case CT_CARRIES_ARM:
    case CT_CARRIES_KNOWN:
    case CT_CARRIES_NOTHING: return 0;
    }
    return 0;
}

// Constraint rows of anything that stands among the joints.
static int rows(const ct_joint *joint) {
    const ct_joint_traits *t = ct_joint_traits_of(joint->type);
    switch (t->role) {
    case CT_ROLE_JOINT:
        return 6 - ct_joint_translations(joint->type) - ct_joint_rotations(joint->type);
    case CT_ROLE_TIE: break;
    case CT_ROLE_GEAR:
    case CT_ROLE_RACK:
    case CT_ROLE_EQUATION: return 1;
    }
    int held = 0;
    switch (t->holds) {
    case CT_HOLDS_NOTHING: break;
    case CT_HOLDS_DISTANCE:
    case CT_HOLDS_PLANE: held = 1; break;
    case CT_HOLDS_LINE: held = 2; break;
    case CT_HOLDS_HELIX:
    case CT_HOLDS_POINT: held = 3; break;
    }
    return held + (int)t->keeps;
}

int ct_graph_gruebler(const ct_graph *g) {
    const ct_model *model = g->model;
    int freedoms = 6 * (model->n_bodies - 1);
    for (int i = 0; i < model->n_joints; i++)
        if (!model->joints[i].is_virtual) freedoms -= rows(model->joints + i);
    freedoms -= model->n_motions;
    return freedoms > 0 ? freedoms : 0;
}
