// Couplings in the search: each gives its last coordinate once the others are known.
#include "closure/flow/search.h"

double ct_coupling_price(ct_law_kind kind) {
    switch (kind) {
    case CT_LAW_GIVEN: return 0;
    case CT_LAW_LINEAR: return 6;
    case CT_LAW_QUADRATIC: return 14;
    case CT_LAW_TURN: return 25;
    case CT_LAW_OPEN: break;
    }
    return CT_FLOW_TEAR;
}

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
