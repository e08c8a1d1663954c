// Driven motion: as many constraints as coordinates, Phi(q, t) = 0 square, nothing integrated.
#include "ctk_internal.h"

ctk_status ctk_kinematics(ctk_sim *sim, double t) {
    ctk_space *s = &sim->space;
    const ctk_model *model = sim->model;
    const int n = model->n;
    if (model->m != n || !isfinite(t)) return CTK_BAD_OPTION;
    sim->history = 0;
    if (ctk_is_closed(sim)) {
        ctk_state_get(sim, s->y);
        ctk_status status = ctk_closed_take(sim, t, s->y, 0);
        return status ? status : ctk_refresh(sim);
    }
    ctk_copy(n, sim->qdd, s->base_bias); // predictor q + q' dt + q'' dt^2 / 2
    if (n > 0) {
        ctk_status status = ctk_close(sim, t, s->q);
        if (status) return status;
        ctk_closure_velocity(sim, t, sim->u, s->q, s->qd);
        model->acceleration(sim->c, t, s->q, s->qd, sim->u, s->phi_q, s->gamma);
        ctk_closure_solve(sim, 1, s->gamma, s->qdd);
        ctk_copy(n, s->qdd, s->bias);
        status = ctk_check_finite(sim, s->q);
        if (status == CTK_OK) status = ctk_check_finite(sim, s->qd);
        if (status == CTK_OK) status = ctk_check_finite(sim, s->qdd);
        if (status) return status;
    }
    ctk_commit(sim, t);
    return CTK_OK;
}
