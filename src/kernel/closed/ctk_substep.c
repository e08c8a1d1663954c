// A step of a closure in shorter pieces, where a limit position or a position without solution
// seems to be ahead: from nearer by the forecast is better. The run ends, at the state before the
// step, if a piece as short as SHORTEST still finds a limit position within AHEAD of its own
// length. Pieces also keep the accuracy that steps of full length lose close to a limit position;
// the next step begins with pieces of about the last length.
#include "ctk_internal.h"

static const double SHORTEST = 1.0 / 64, AHEAD = 20;
enum { ATTEMPTS = 320 };

// Returns 1 if the failure may be that of a limit position.
static int at_limit(const ctk_sim *sim, ctk_status status) {
    if (sim->model->closure->n_independent == 0) return 0; // nothing is integrated
    return status == CTK_NO_SOLUTION ||
           (sim->options.method == CTK_NEWTON_LOOPS &&
            (status == CTK_SINGULAR_CLOSURE || status == CTK_NO_CONVERGENCE));
}

// The step h in pieces of 1/2, 1/4, ... of it. Returns the status of the last piece.
static ctk_status in_pieces(ctk_sim *sim, double h) {
    const double t = sim->t;
    // share of the step that is done, and the share to try next
    double at = 0, piece = fmin(sim->space.piece, 0.5);
    ctk_status status = CTK_NO_CONVERGENCE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        status = ctk_attempt(sim, t + (at + piece) * h - sim->t, AHEAD);
        // longer pieces again where they fit the grid of halves
        if (status == CTK_OK) {
            at += piece;
            if (at >= 1) {
                sim->space.piece = fmin(2 * piece, 1);
                return CTK_OK;
            }
            if (fmod(at, 2 * piece) == 0) piece *= 2;
        } else {
            // shorter pieces at a limit position; other failures, and the shortest, end it
            piece /= 2;
            if (!at_limit(sim, status) || piece < SHORTEST) return status;
        }
    }
    return status ? status : CTK_NO_CONVERGENCE;
}

// status: failure of the step in one piece. On failure the state before the step is restored.
ctk_status ctk_substep(ctk_sim *sim, double h, ctk_status status) {
    ctk_space *s = &sim->space;
    if (!at_limit(sim, status)) return status;
    // copy of all that the closure has
    const ctk_sim before = *sim;
    memcpy(s->saved, s->closed, s->closed_size * sizeof *s->saved);
    // pieces of unequal length: one-step integrator
    if (ctk_is_multistep(sim->options.integrator)) sim->options.integrator = CTK_RK4;
    status = in_pieces(sim, h);
    // on failure the state before the step
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
