// Inputs at the time of an evaluation: by the caller's function, or as they were written before the
// step, from where they go on by their rates and accelerations:
//   u(t) = u + u' (t - t0) + u'' (t - t0)^2 / 2.
#include "ctk_internal.h"

// Sets sim->u, ud, udd, of which there are some, for an evaluation at time t.
void ctk_inputs_set(ctk_sim *sim, double t) {
    const ctk_space *s = &sim->space;
    const int n = sim->model->n_inputs;
    if (sim->options.inputs) {
        sim->options.inputs(sim->options.inputs_data, t, sim->u, sim->ud, sim->udd);
        return;
    }
    if (!s->goes_on) return;
    const double d = t - s->given_t;
    const double *u = s->given_u, *ud = u + n, *udd = ud + n;
    for (int j = 0; j < n; j++) {
        sim->u[j] = u[j] + d * (ud[j] + 0.5 * d * udd[j]);
        sim->ud[j] = ud[j] + d * udd[j];
    }
}

int ctk_same_inputs(const ctk_sim *sim) {
    for (int j = 0; j < ctk_input_numbers(sim->model); j++)
        if (!(sim->u[j] == sim->space.base_u[j])) return 0;
    return 1;
}

// Returns 1 if inputs were written that the current state does not have: nothing is known of the
// way between.
int ctk_inputs_jump(const ctk_sim *sim) {
    return !sim->options.inputs && !sim->space.goes_on && !ctk_same_inputs(sim);
}

// Before a step: inputs of the current time; written ones go on by their rates, if they have any.
void ctk_inputs_begin(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n_inputs;
    ctk_inputs_at(sim, sim->t);
    if (sim->options.inputs) return;
    int moves = 0;
    for (int j = 0; j < n; j++) moves |= sim->ud[j] != 0 || sim->udd[j] != 0;
    if (!moves) return;
    ctk_copy(3 * n, sim->u, s->given_u);
    s->given_t = sim->t;
    s->goes_on = 1;
}

// After a step; if it has failed, inputs are those of the state that was kept.
void ctk_inputs_end(ctk_sim *sim, ctk_status status) {
    if (status) ctk_inputs_at(sim, sim->t);
    sim->space.goes_on = 0;
}

// The inputs belong to the current state.
void ctk_inputs_keep(ctk_sim *sim) {
    ctk_copy(ctk_input_numbers(sim->model), sim->u, sim->space.base_u);
}
