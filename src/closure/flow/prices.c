// What coordinates cost: to be independent, or to be given by a coupling, which gives its last
// coordinate once the others are known.
#include "closure/flow/search.h"

double ct_flow_spread(const ct_flow_world *w, bool *known) {
    double cost = 0;
    for (int i = 0; i < w->n_laws; i++) {
        const ct_flow_law *law = w->laws + i;
        int unknown = 0, last = 0;
        for (int k = 0; k < law->n; k++)
            if (!known[law->coordinate[k]]) {
                unknown++;
                last = k;
            }
        if (unknown != 1 || law->of_points) continue;
        known[law->coordinate[last]] = true;
        cost += ct_coupling_price(law->kind[last]);
        i = -1; // others may follow
    }
    return cost;
}

// What speaks for a coordinate as an independent one: the user starts it, drives or loads it.
double ct_flow_price(const ct_flow_world *w, int coordinate) {
    const ct_model *m = w->model;
    if (coordinate >= m->n_coordinates) return CT_PRICE_COORDINATE; // a body's own
    const ct_coordinate *c = m->coordinates + coordinate;
    ct_joint_type type = m->joints[c->joint].type;
    double p = ct_joint_is_ball(type)          ? CT_PRICE_SPHERICAL
               : ct_joint_rotations(type) == 2 ? CT_PRICE_UNIVERSAL
                                               : CT_PRICE_COORDINATE;
    return p - ct_flow_wish(w, coordinate);
}
