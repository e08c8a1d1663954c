// Prices of coordinates: as independent ones, or solved from a coupling once its other coordinates
// are known.
#include "closure/flow/search.h"

double ct_flow_spread(const ct_snapshot *snap, bool *known) {
    double cost = 0;
    for (int i = 0; i < snap->n_couplings; i++) {
        const ct_flow_coupling *coupling = snap->couplings + i;
        int unknown = 0, last = 0;
        for (int k = 0; k < coupling->n; k++)
            if (!known[coupling->coordinate[k]]) {
                unknown++;
                last = k;
            }
        if (unknown != 1 || coupling->of_points) continue;
        known[coupling->coordinate[last]] = true;
        cost += ct_coupling_price(coupling->kind[last]);
        i = -1; // others may follow
    }
    return cost;
}

// Price of an independent coordinate, lower if the user starts or drives it.
double ct_flow_price(const ct_snapshot *snap, int coordinate) {
    const ct_model *m = snap->model;
    if (coordinate >= m->n_coordinates) return CT_PRICE_COORDINATE; // a body's own
    const ct_coordinate *c = m->coordinates + coordinate;
    ct_joint_type type = m->joints[c->joint].type;
    double p = ct_joint_is_ball(type)          ? CT_PRICE_SPHERICAL
               : ct_joint_rotations(type) == 2 ? CT_PRICE_UNIVERSAL
                                               : CT_PRICE_COORDINATE;
    return p - ct_flow_wish(snap, coordinate);
}
