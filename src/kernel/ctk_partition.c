// Which coordinates are dependent: the m columns of Phi_q that complete pivoting picks, and with
// them the rows that are solved (ctk_rows.c). Slides are measured in lengths of the mechanism, so
// that its size does not decide. The quality of a choice is the smallest pivot of its rows and
// columns, rows scaled to 1; the choice is renewed when it falls below 0.7 of the best. The new one
// starts at the best, so the choice cannot chatter. Waiting longer does not make changes rarer, but
// integrates where the dependent coordinates run fast: at 0.2 a turning pendulum loses 100 times
// more energy. Newton keeps its coordinates as long as they are regular at all, and always those
// that the caller names, but not parts of rotations, whose axes do not move with the loops; the
// methods without independent coordinates choose rows.
#include "ctk_internal.h"

static const double DEGRADED = 0.7, LOST = 0.1; // LOST: of coordinates by newton

// Lists of dependent and independent coordinates in their natural order; mark[j] tells which are
// dependent. Returns 1 if a list changes.
static int use_marks(ctk_sim *sim, const int *mark) {
    int d = 0, f = 0, changed = 0;
    for (int j = 0; j < sim->model->n; j++) {
        int *list = mark[j] ? sim->dependent + d++ : sim->independent + f++;
        changed |= *list != j;
        *list = j;
    }
    return changed;
}

// Takes columns[0 .. m-1] as the dependent coordinates; tells whether that changes anything.
static int use_columns(ctk_sim *sim, const int *columns) {
    const int n = sim->model->n, m = sim->model->m;
    int *mark = sim->space.system_pivot;
    for (int j = 0; j < n; j++) mark[j] = 0;
    for (int k = 0; k < m; k++) mark[columns[k]] = 1;
    return use_marks(sim, mark);
}

// The caller's choice; 0 if it is not n - m different coordinates.
int ctk_partition_given(ctk_sim *sim, const int *independent) {
    const int n = sim->model->n, r = n - sim->model->m;
    int *mark = sim->space.system_pivot;
    for (int j = 0; j < n; j++) mark[j] = 1;
    for (int k = 0; k < r; k++) {
        int j = independent[k];
        if (j < 0 || j >= n || !mark[j]) return 0;
        mark[j] = 0;
    }
    use_marks(sim, mark);
    return 1;
}

// Returns 1 if the caller names parts of rotations: their axes turn away from what he meant.
static int names_turns(const ctk_sim *sim) {
    const ctk_model *m = sim->model;
    for (int i = 0; i < m->n_rotations; i++)
        for (int k = 0; k < m->n - m->m; k++) {
            const int part = sim->options.independent[k] - m->rotations[i].at;
            if (part >= 0 && part < 3) return 1;
        }
    return 0;
}

// Returns 1 if the method may choose other independent coordinates.
static int chooses_columns(const ctk_sim *sim) {
    return sim->model->m < sim->model->n &&
           (ctk_partitions(sim) ||
            (sim->options.method == CTK_NEWTON && (!sim->options.independent || names_turns(sim))));
}

// The best rows and columns of space.phi_q, all rows in their places; the best rows alone where
// dependent coordinates are kept.
static ctk_rank best_choice(ctk_sim *sim, int keep_columns) {
    return ctk_rows_best(sim, ctk_all_rows(sim->model), keep_columns ? sim->dependent : NULL);
}

// Rows and dependent coordinates of the start, from space.phi_q: the best ones, or the coordinates
// of the caller and the rows that are best for these.
ctk_status ctk_partition_choose(ctk_sim *sim) {
    const int *given = sim->options.independent;
    if (given && !ctk_partition_given(sim, given)) return CTK_BAD_OPTION;
    if (given && !sim->model->n_spare) return CTK_OK;
    // all rows; those that are solved now if they are about as good, since spare rows cost time
    const int *columns = given ? sim->dependent : NULL;
    ctk_rank best = ctk_rows_best(sim, ctk_all_rows(sim->model), columns);
    if (sim->model->n_spare && best.smallest > 0) {
        const double least = DEGRADED * best.smallest;
        best = ctk_rows_best(sim, sim->model->m, columns);
        if (!(best.smallest >= least)) best = ctk_rows_best(sim, ctk_all_rows(sim->model), columns);
    }
    sim->where = best.row;
    if (!(best.smallest > 0)) return CTK_SINGULAR_CLOSURE;
    ctk_rows_use(sim, sim->space.rows);
    if (!given) use_columns(sim, sim->space.columns);
    return CTK_OK;
}

// After a change: the branch, D and c of the current state, from space.phi_q and space.gamma there.
static void renew_base(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    if (ctk_closure_factor(sim)) return; // the next step says why
    ctk_closure_restart(sim);
    ctk_closure_tangent(sim, s->base_tangent);
    ctk_closure_solve(sim, 1, s->gamma, s->base_bias);
}

enum { ROWS = 1, COLUMNS = 2 };

// Takes the choice that best_choice has left; returns what it changes.
static int take_choice(ctk_sim *sim, int keep_columns) {
    ctk_space *s = &sim->space;
    int changed = ctk_rows_use(sim, s->rows) ? ROWS : 0;
    if (!keep_columns && use_columns(sim, s->columns)) changed |= COLUMNS;
    if (!changed || !ctk_embeds(sim)) return changed;
    if (changed & ROWS) ctk_acceleration(sim, sim->t, sim->q, sim->qd, sim->u);
    renew_base(sim);
    if (changed & COLUMNS) sim->reselections++;
    return changed;
}

// Returns 1 if there is anything to choose.
static int has_choice(const ctk_sim *sim) {
    return sim->model->m > 0 && !ctk_solves_all_rows(sim) &&
           (chooses_columns(sim) || sim->model->n_spare > 0);
}

// The best choice where all positions have it, whatever the way there: an implicit step keeps an energy of
// its own in each choice, and what changes add to it cancels only where they happen in the same places
// on the way back. Returns 1 if independent coordinates change.
static int choose_best(ctk_sim *sim) {
    const int keep = !chooses_columns(sim);
    ctk_rank best = best_choice(sim, keep);
    return best.smallest > 0 && (take_choice(sim, keep) & COLUMNS) != 0;
}

// At a state just accepted (its factors, and all rows of its equations, still in space): chooses
// anew if the choice has degraded. No pivot sequence ends above 1, so a choice better than DEGRADED
// need not be compared. Returns 1 if independent coordinates change.
int ctk_partition_update(ctk_sim *sim) {
    if (!has_choice(sim)) return 0;
    if (ctk_embeds(sim) && ctk_is_implicit(sim->options.integrator)) return choose_best(sim);
    const double now = ctk_embeds(sim) ? sim->space.rank.smallest
                                       : ctk_rows_best(sim, sim->model->m, NULL).smallest;
    // coordinates and rows, or rows alone where coordinates stay
    const int embeds = ctk_embeds(sim);
    const int is_newton = sim->options.method == CTK_NEWTON && !sim->model->n_rotations;
    int keep = embeds && (!chooses_columns(sim) || (is_newton && now >= LOST));
    if (now >= DEGRADED || (keep && !sim->model->n_spare)) return 0;
    ctk_rank best = best_choice(sim, keep);
    if (!(now < (is_newton && !keep ? LOST : DEGRADED) * best.smallest)) return 0;
    return (take_choice(sim, keep || !embeds) & COLUMNS) != 0;
}

// After a failed step: the best choice at the current state. Returns 1 if it is another one, or if
// the regularity of this state was an estimate, which the failure may come from.
int ctk_partition_retry(ctk_sim *sim) {
    const int embeds = ctk_embeds(sim), keep = embeds && !chooses_columns(sim);
    const int was_estimate = embeds && sim->model->m > 0 && sim->space.estimates > 0;
    if (!has_choice(sim) && !was_estimate) return 0;
    ctk_acceleration(sim, sim->t, sim->q, sim->qd, sim->u);
    // another choice
    if (has_choice(sim)) {
        ctk_rows_complete(sim, sim->t, sim->q, sim->qd, sim->u);
        ctk_rank best = best_choice(sim, keep);
        if (best.smallest > 0 && take_choice(sim, keep || !embeds)) return 1;
    }
    // the same one, its regularity computed
    if (was_estimate) renew_base(sim);
    return was_estimate;
}
