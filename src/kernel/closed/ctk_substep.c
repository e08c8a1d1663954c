// A step of a closure that seems to come to a limit position, or to a position without a solution,
// in shorter pieces: whether there is one is then seen from near by. A step that is as short as
// SHORTEST and still has one within AHEAD of its kind ends the run, at the state before. The pieces
// also keep the accuracy that steps of full length would lose so close to where branches meet; the
// next step begins with pieces like the last.
#include "ctk_internal.h"

static const double SHORTEST = 1.0 / 64, AHEAD = 20;
enum { ATTEMPTS = 320 };

static int at_limit(const ctk_sim *sim, ctk_status status) {
    if (sim->model->closure->n_independent == 0) return 0; // nothing is integrated
    return status == CTK_NO_SOLUTION ||
           (sim->options.method == CTK_NEWTON_LOOPS &&
            (status == CTK_SINGULAR_CLOSURE || status == CTK_NO_CONVERGENCE));
}

static ctk_status in_pieces(ctk_sim *sim, double h) {
    const double t = sim->t;
    double at = 0, piece = fmin(sim->space.piece, 0.5);
    ctk_status status = CTK_NO_CONVERGENCE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        status = ctk_attempt(sim, t + (at + piece) * h - sim->t, AHEAD);
        if (status == CTK_OK) {
            at += piece;
            if (at >= 1) {
                sim->space.piece = fmin(2 * piece, 1);
                return CTK_OK;
            }
            if (fmod(at, 2 * piece) == 0) piece *= 2;
        } else {
            piece /= 2;
            if (!at_limit(sim, status) || piece < SHORTEST) return status;
        }
    }
    return status ? status : CTK_NO_CONVERGENCE;
}

// status: why the step failed as a whole.
ctk_status ctk_substep(ctk_sim *sim, double h, ctk_status status) {
    ctk_space *s = &sim->space;
    if (!at_limit(sim, status)) return status;
    const ctk_sim before = *sim;
    memcpy(s->saved, s->closed, s->closed_size * sizeof *s->saved);
    if (ctk_is_multistep(sim->options.integrator)) sim->options.integrator = CTK_RK4;
    status = in_pieces(sim, h);
    if (status) {
        const int where = sim->where;
        *sim = before;
        memcpy(s->closed, s->saved, s->closed_size * sizeof *s->saved);
        sim->where = where;
    }
    sim->options.integrator = before.options.integrator;
    sim->history = 0;
    return status;
}
