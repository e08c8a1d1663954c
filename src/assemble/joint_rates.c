// Which velocities open initial rates keep small: those in the joints, not those of the bodies. A
// joint between A and B counts with the twist of B as A sees it,
//   v = c_B' + w_B x r_B - c_A' - w_A x (c_B + r_B - c_A),   w = w_B - w_A,
// less what its given rates contribute (r_B: from the centre of mass of B to its joint point). No
// tree enters, nor where a body hangs, so the start does not depend on what `guess` names.
#include "assemble/initial.h"

// Bodies that are tied to each other get the same number, the least of theirs; ground's is 0.
static void tie(int n, int *group, int a, int b) {
    int from = group[a] > group[b] ? group[a] : group[b],
        to = group[a] > group[b] ? group[b] : group[a];
    for (int i = 0; i < n; i++)
        if (group[i] == from) group[i] = to;
}

static bool has_given_rate(const ct_formulation *f, const ct_joint *joint, const bool *has_rate) {
    for (int k = 0; k < joint->n_coordinates; k++) {
        int at = f->where[joint->first_coordinate + k];
        if (at >= 0 && has_rate[at]) return true;
    }
    return false;
}

int ct_rate_joints_find(const ct_formulation *f, const bool *has_rate, ct_rate_joint *all) {
    const ct_model *m = f->model;
    int n = 0, *group = ct_scratch((size_t)m->n_bodies + 1, sizeof *group);
    for (int b = 0; b < m->n_bodies; b++) group[b] = b;
    // joints with coordinates; virtual ones where a rate is given
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (!ct_joint_has_coordinates(j->type)) continue;
        if (j->is_virtual && !has_given_rate(f, j, has_rate)) continue;
        all[n++] = (ct_rate_joint){.edge = ct_graph_edge(f->graph, CT_EDGE_JOINT, i),
                                   .body = {j->body[0], j->body[1]}};
        tie(m->n_bodies, group, j->body[0], j->body[1]);
    }
    // bodies that no joints tie to ground count as if they hung there
    for (int b = 1; b < m->n_bodies; b++)
        if (group[b]) all[n++] = (ct_rate_joint){.edge = -1, .body = {0, b}};
    return n;
}
