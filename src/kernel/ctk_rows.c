// Which constraint rows are solved. A mechanism with redundant constraints has m + n_spare rows of
// rank m, and which m of them are independent changes along the motion: a Bricard linkage turns
// through positions where the rows that were chosen at its start depend on each other, while all
// rows together keep their rank. So rows have places: those in the first m places are solved, the
// others follow from them and are watched. At the start spare rows are in the last places; an
// exchange puts a spare row into the place of a row of the first m.
#include "ctk_internal.h"

// What a function of the model gives for each row.
enum { PHI = 1, PHI_Q = 2, PHI_T = 4, GAMMA = 8, PHI_RATE = 16 };

// The spare row that stands in the place of row i < m, and the other way round.
static void exchange(ctk_sim *sim, int place, int what) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, other = sim->rows[place];
    double *const numbers[] = {s->phi, s->phi_t, s->gamma, s->phi_rate};
    const int kinds[] = {PHI, PHI_T, GAMMA, PHI_RATE};
    for (int k = 0; k < 4; k++)
        if (what & kinds[k]) {
            double x = numbers[k][place];
            numbers[k][place] = numbers[k][other];
            numbers[k][other] = x;
        }
    for (int j = 0; j < n && what & PHI_Q; j++) {
        double *a = s->phi_q + (size_t)place * n + j, *b = s->phi_q + (size_t)other * n + j, x = *a;
        *a = *b;
        *b = x;
    }
}

// Spare rows into their places behind the first m, which are in their own order; then exchanges.
static void add_spare(ctk_sim *sim, double t, const double *q, const double *qd, const double *u,
                      int what) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, spare = sim->model->n_spare;
    double *phi = s->spare, *phi_t = phi + spare, *gamma = phi_t + spare, *phi_q = gamma + spare;
    sim->model->spare(sim->c, t, q, qd, u, phi, phi_q, phi_t, gamma);
    if (what & PHI) ctk_copy(spare, phi, s->phi + m);
    if (what & PHI_T) ctk_copy(spare, phi_t, s->phi_t + m);
    if (what & GAMMA) ctk_copy(spare, gamma, s->gamma + m);
    if (what & PHI_Q) ctk_copy(spare * n, phi_q, s->phi_q + (size_t)m * n);
    for (int i = 0; i < m && s->n_exchanged; i++)
        if (sim->rows[i] != i) exchange(sim, i, what);
}

// functions of the model, rows in their places ----------------------------------------------------
void ctk_position(ctk_sim *sim, double t, const double *q, const double *u) {
    ctk_space *s = &sim->space;
    sim->model->position(sim->c, t, q, u, s->phi, s->phi_q);
    if (s->n_exchanged) add_spare(sim, t, q, sim->qd, u, PHI | PHI_Q);
}

void ctk_velocity(ctk_sim *sim, double t, const double *q, const double *u) {
    ctk_space *s = &sim->space;
    sim->model->velocity(sim->c, t, q, u, s->phi_q, s->phi_t);
    if (s->n_exchanged) add_spare(sim, t, q, sim->qd, u, PHI_Q | PHI_T);
}

void ctk_acceleration(ctk_sim *sim, double t, const double *q, const double *qd, const double *u) {
    ctk_space *s = &sim->space;
    sim->model->acceleration(sim->c, t, q, qd, u, s->phi_q, s->gamma);
    if (s->n_exchanged) add_spare(sim, t, q, qd, u, PHI_Q | GAMMA);
}

void ctk_dynamics(ctk_sim *sim, double t, const double *q, const double *qd, const double *u) {
    ctk_space *s = &sim->space;
    sim->model->dynamics(sim->c, t, q, qd, u, s->mass, s->forcing, s->phi, s->phi_q, s->phi_t,
                         s->gamma, &s->power);
    if (s->n_exchanged) add_spare(sim, t, q, qd, u, PHI | PHI_Q | PHI_T | GAMMA);
}

// Rows in the last places too, behind the first m that a function above has just given at (t, q).
void ctk_rows_complete(ctk_sim *sim, double t, const double *q, const double *qd, const double *u) {
    if (sim->model->n_spare && !sim->space.n_exchanged)
        add_spare(sim, t, q, qd, u, PHI | PHI_Q | PHI_T | GAMMA);
}

// Phi and Phi' of all rows in their places.
void ctk_opening(ctk_sim *sim, double t, const double *q, const double *qd, const double *u) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    if (sim->model->opening) {
        sim->model->opening(sim->c, t, q, qd, u, s->phi, s->phi_rate);
        for (int i = 0; i < sim->model->m && s->n_exchanged; i++)
            if (sim->rows[i] != i) exchange(sim, i, PHI | PHI_RATE);
        return;
    }
    // a model without that function: from Phi, Phi_q and Phi_t
    ctk_position(sim, t, q, u);
    ctk_velocity(sim, t, q, u);
    ctk_rows_complete(sim, t, q, qd, u);
    for (int i = 0; i < all; i++)
        s->phi_rate[i] = s->phi_t[i] + ctk_dot(n, s->phi_q + (size_t)i * n, qd);
}

// the choice --------------------------------------------------------------------------------------
void ctk_rows_reset(ctk_sim *sim) {
    for (int i = 0; i < ctk_all_rows(sim->model); i++) sim->rows[i] = i;
    sim->space.n_exchanged = 0;
}

// Takes the rows in these m places as the ones that are solved; returns 1 if that changes anything.
// Rows of the first m that stay keep their own places; Phi and the like must be computed anew.
int ctk_rows_use(ctk_sim *sim, const int *places) {
    ctk_space *s = &sim->space;
    const int m = sim->model->m, all = ctk_all_rows(sim->model);
    int *mark = s->row_mark, changed = 0;
    // rows that are solved now (1), from now on (2), or both (3)
    for (int i = 0; i < all; i++) mark[i] = 0;
    for (int i = 0; i < m; i++) mark[sim->rows[i]] |= 1;
    for (int i = 0; i < m; i++) mark[sim->rows[places[i]]] |= 2;
    for (int i = 0; i < all; i++) changed |= mark[i] == 1 || mark[i] == 2;
    if (!changed) return 0;
    // a spare row that is solved exchanges its place with a row of the first m that is not
    ctk_rows_reset(sim);
    for (int i = 0, spare = m; i < m; i++) {
        if (mark[i] & 2) continue;
        while (!(mark[spare] & 2)) spare++;
        sim->rows[i] = spare;
        sim->rows[spare++] = i;
        s->n_exchanged++;
    }
    sim->row_changes++;
    return 1;
}

// The largest derivative of a row, which it is scaled by. Where there are rows to choose from, a
// share of the unit of the row if that is more: a row that vanishes holds nothing but rounding,
// which must not be scaled up to 1.
double ctk_row_size(const ctk_sim *sim, int place) {
    const double vanishing = 1e-3;
    const double norm = ctk_row_norm(sim, sim->space.phi_q + (size_t)place * sim->model->n);
    if (!sim->model->n_spare) return norm > 0 ? norm : norm == norm ? 1 : norm;
    const double least = vanishing * ctk_row_unit(sim, sim->rows[place]);
    return norm < least ? least : norm;
}

// Complete pivoting of the first `count` places of Phi_q in the given columns (NULL: all): which m
// rows and columns eliminate best. Places are left in space.rows, positions among the columns in
// space.columns.
ctk_rank ctk_rows_best(ctk_sim *sim, int count, const int *columns) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m, width = columns ? m : n;
    for (int i = 0; i < count; i++) {
        const double *row = s->phi_q + (size_t)i * n, f = 1 / ctk_row_size(sim, i);
        for (int j = 0; j < width; j++) {
            const int k = columns ? columns[j] : j;
            s->system[(size_t)i * width + j] = f * row[k] * ctk_unit(sim, k);
        }
    }
    ctk_rank rank = ctk_pivot_columns(count, width, m, s->system, s->columns, s->rows);
    if (rank.row >= 0) rank.row = sim->rows[rank.row];
    return rank;
}

// the watch ---------------------------------------------------------------------------------------
// |Phi| that is accepted, in units of the rows: far above rounding where loops are closed; where
// they drift, what results to three digits can bear.
static const double CLOSED = 1e-6, DRIFTING = 1e-3;
// times |Phi| of the rows that are solved: what drifts with them may be open so far
static const double FOLLOWS = 100;

// |Phi| of all rows, which are in space.phi. Fails with the worst row if one is open: a row that is
// solved, or one that should follow from these.
ctk_status ctk_rows_watch(ctk_sim *sim) {
    ctk_space *s = &sim->space;
    const int m = sim->model->m, all = ctk_all_rows(sim->model);
    const double limit = sim->options.open > 0                      ? sim->options.open
                         : ctk_embeds(sim) || ctk_is_augmented(sim) ? CLOSED
                                                                    : DRIFTING;
    double solved = 0, worst = 0, residual = 0, allowed = limit;
    int where = -1, closed = 1;
    // the usual case: all rows are closed, in a loop without branches
    const double little = limit < CLOSED ? limit : CLOSED;
    for (int i = 0; i < all; i++) {
        const double gap = fabs(s->phi[i]);
        closed &= gap < little * ctk_row_unit(sim, sim->rows[i]);
        residual = ctk_larger(residual, gap);
    }
    if (closed) {
        sim->residual = residual;
        return CTK_OK;
    }
    // rows that are not solved: open as far as the solved ones let expect
    residual = 0;
    for (int i = 0; i < all; i++) {
        const double gap = fabs(s->phi[i]), part = gap / ctk_row_unit(sim, sim->rows[i]);
        if (!(gap <= residual)) residual = gap;
        if (i < m)
            solved = fmax(solved, part);
        else
            allowed = fmin(limit, fmax(CLOSED, FOLLOWS * solved));
        if (part < allowed || part <= worst) continue;
        worst = part;
        where = sim->rows[i];
    }
    if (where >= 0) {
        sim->where = where;
        return CTK_OPEN;
    }
    sim->residual = residual;
    return CTK_OK;
}
