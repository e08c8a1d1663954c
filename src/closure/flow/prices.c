// Prices of coordinates: as independent ones, solved from a coupling once its other coordinates are
// known, or placed by a relation; the rank of a placement among those that are possible.
#include "closure/flow/placements.h"
#include "closure/tolerances.h"

#include <math.h>
#include <string.h>

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

double ct_flow_wish_of(const ct_model *model, int coordinate) {
    double wish = 0;
    for (int i = 0; i < model->n_initial; i++)
        if (model->initial[i].coordinate == coordinate) wish += CT_WISH_INITIAL;
    for (int i = 0; i < model->n_forces; i++)
        if (ct_force_drives(model->forces[i].type) && model->forces[i].coordinate == coordinate)
            wish += CT_WISH_ACTUATOR;
    return wish;
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

// placements -------------------------------------------------------------------------------------
static double length(const double *v) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// Distance from the limit position of a relation that determines one coordinate: 0 at the limit,
// 1 far from it. It is the share of the point's displacement that the relation sees.
static double margin(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e,
                     int which) {
    double row[3][6], move[3][6];
    ct_flow_rows(snap, r, e, 1, &which, row);
    if (r->r.kind == CT_RELATION_DOT) return fabs(row[0][0]);
    ct_flow_relation p = *r;
    p.r.kind = CT_RELATION_POINT;
    ct_flow_rows(snap, &p, e, 1, &which, move);
    double m = length((double[]){move[0][0], move[1][0], move[2][0]});
    // a plane of x whose own point stays: the point of k moves across it
    if (m < CT_TOL_PIVOT && r->r.kind == CT_RELATION_PLANE_X) {
        memcpy(p.x, r->k, sizeof p.x);
        ct_flow_rows(snap, &p, e, 1, &which, move);
        m = length((double[]){move[0][0], move[1][0], move[2][0]});
    }
    return m > 0 ? fabs(row[0][0]) / m : 0;
}

double ct_flow_one_cost(const ct_snapshot *snap, const ct_flow_relation *r, const ct_flow_edge *e,
                        int which) {
    double rows[3][6];
    int n = ct_flow_rows(snap, r, e, 1, &which, rows);
    double size =
        n == 3 ? length((double[]){rows[0][0], rows[1][0], rows[2][0]}) : fabs(rows[0][0]);
    if (size < CT_TOL_PIVOT) return INFINITY;
    if (n == 3) return e->is_angle[which] ? CT_PRICE_ANGLE_BY_VECTOR : CT_PRICE_SLIDE_BY_VECTOR;
    if (!e->is_angle[which] && r->r.kind != CT_RELATION_DISTANCE) return CT_PRICE_SLIDE_BY_PLANE;
    double m = margin(snap, r, e, which),
           cost = e->is_angle[which] ? CT_PRICE_ANGLE_BY_LENGTH : CT_PRICE_SLIDE_BY_LENGTH;
    return m < CT_TOL_PIVOT ? INFINITY : cost + (m < CT_NEAR_LIMIT ? CT_FLOW_NEAR : 0);
}

// True if a coupling names an unknown of the placement.
static bool is_named(const ct_snapshot *snap, const ct_placement *p) {
    for (int k = 0; k < p->n_unknown; k++)
        if (ct_flow_is_coupled(snap, p->unknown[k])) return true;
    return false;
}

void ct_flow_try(const ct_flow_search *search, const ct_flow_state *s, ct_flow_option *best,
                 double cost, int edge, const ct_placement *p) {
    double rank = cost + (search->style != CT_STYLE_CHEAP
                              ? CT_FLOW_DEEP * s->depth[search->snap->home[p->parent]]
                              : 0);
    if (search->coupling_bonus > 0 && is_named(search->snap, p)) rank -= search->coupling_bonus;
    if (!(rank < best->rank)) return;
    best->rank = rank;
    best->cost = cost;
    best->edge = edge;
    best->p = *p;
}
