// Bodies that are welded by fixed joints are one body, whatever the user cut it into. One of them
// stands for all, its home: ground, else the heaviest. Of bodies that no joint ties to ground, one
// with many joints and constraints carries the others by its own coordinates.
#include "graph/graph.h"

static bool is_weld(const ct_joint *joint) {
    const ct_joint_traits *t = ct_joint_traits_of(joint->type);
    return !joint->is_virtual && t->role == CT_ROLE_JOINT && t->holds == CT_HOLDS_POINT &&
           t->keeps == CT_KEEPS_FRAME;
}

// True if body b rather than a stands for both.
static bool is_ahead(const ct_model *model, int a, int b) {
    if (!a || !b) return !b;
    double one = ct_model_number(model, model->bodies[a].mass),
           other = ct_model_number(model, model->bodies[b].mass);
    return other > one || (other == one && b < a);
}

void ct_graph_homes(const ct_model *model, int *home) {
    for (int b = 0; b < model->n_bodies; b++) home[b] = b;
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint *j = model->joints + i;
        if (!is_weld(j)) continue;
        int one = home[j->body[0]], other = home[j->body[1]],
            best = is_ahead(model, one, other) ? other : one;
        for (int b = 0; b < model->n_bodies; b++)
            if (home[b] == one || home[b] == other) home[b] = best;
    }
}

int ct_graph_carrier(const ct_model *model, const int *depth) {
    // joints and constraints of each body, with those of its parts
    int *home = ct_scratch((size_t)model->n_bodies, sizeof *home),
        *joints = ct_scratch((size_t)model->n_bodies, sizeof *joints), best = -1;
    ct_graph_homes(model, home);
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint *j = model->joints + i;
        bool between = j->body[0] >= 0 && !j->is_virtual && !ct_joint_is_coupling(j->type);
        if (!between || home[j->body[0]] == home[j->body[1]]) continue;
        for (int s = 0; s < 2; s++) joints[home[j->body[s]]]++;
    }
    // of those with most of them the first one
    for (int b = 1; b < model->n_bodies; b++)
        if (depth[b] < 0 && home[b] == b && (best < 0 || joints[b] > joints[best])) best = b;
    return best;
}
