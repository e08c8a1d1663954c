// Events: what happens at an instant. Joints come and go by their conditions, forces jump, and so may
// the rates of motions. A joint that comes, and a motion whose rate jumps, change velocities by a
// plastic impulse over all rows that hold,
//   M dq' + Phi_q^T I = 0,   Phi_q (q' + dq') = -Phi_t,
// which keeps the momentum of all motions that the rows allow. A joint that goes leaves velocities as
// they are. Rows that hold are those of a model of their own, sim->switching.now: all methods go on
// with that one as with any other.
#include "ctk_internal.h"

// Rows in their units: a joint is closed that stands open by less; a pivot of a row that depends on
// others.
static const double CLOSED = 1e-6, DEPENDENT = 1e-9;

int ctk_row_where(const ctk_sim *sim) {
    const ctk_switching *w = &sim->switching;
    const int inside = w->all && sim->where >= 0 && sim->where < ctk_all_rows(sim->model);
    return inside ? w->row[sim->where] : sim->where;
}

// rows that hold ----------------------------------------------------------------------------------
static double unit_of(const ctk_switching *w, int row) {
    return w->all_units ? w->all_units[row] : 1;
}

static int holds(const ctk_switching *w, int row) {
    const int joint = w->all->row_switch[row];
    return joint < 0 || w->active[joint];
}

// The model with `m` independent rows and some that depend on these, all in switching.row.
static void use_rows(ctk_sim *sim, int m, int count) {
    ctk_switching *w = &sim->switching;
    w->now = *w->all;
    w->now.m = m;
    w->now.n_spare = count - m;
    for (int i = 0; i < count; i++) w->units[i] = unit_of(w, w->row[i]);
    double *flag = sim->u + ctk_kept_at(w->all) + w->all->n_kept;
    for (int i = 0; i < w->all->n_switches; i++) flag[i] = w->active[i];
    sim->model = &w->now;
    sim->row_units = w->units;
    ctk_rows_reset(sim);
}

// From the initial position: its independent rows are known.
void ctk_switching_start(ctk_sim *sim) {
    ctk_switching *w = &sim->switching;
    int count = 0, m = 0;
    w->all = sim->model;
    w->all_units = sim->row_units;
    sim->options.independent = NULL; // of one set of rows
    for (int i = 0; i < w->all->n_switches; i++) w->active[i] = w->all->switch_start[i];
    for (int i = 0; i < w->all->m; i++)
        if (holds(w, i)) {
            m += i < w->all->m_start;
            w->row[count++] = i;
        }
    use_rows(sim, m, count);
}

// Eliminates rows of a [count n] one after the other, each time the largest entry left; mark: rows that
// are independent. Returns how many.
static int independent_rows(int count, int n, double *a, int *mark) {
    int rank = 0;
    for (int i = 0; i < count; i++) mark[i] = 0;
    for (; rank < count && rank < n; rank++) {
        int row = -1, column = 0;
        double largest = DEPENDENT;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < n && !mark[i]; j++)
                if (fabs(a[(size_t)i * n + j]) > largest) {
                    largest = fabs(a[(size_t)i * n + j]);
                    row = i;
                    column = j;
                }
        if (row < 0) break;
        mark[row] = 1;
        const double *pivot = a + (size_t)row * n;
        for (int i = 0; i < count; i++) {
            double *other = a + (size_t)i * n;
            const double f = mark[i] ? 0 : other[column] / pivot[column];
            for (int j = 0; j < n && f != 0; j++) other[j] -= f * pivot[j];
        }
    }
    return rank;
}

// Rows that hold at the current position, those that are independent there first.
static void choose_rows(ctk_sim *sim) {
    ctk_switching *w = &sim->switching;
    const int n = w->all->n;
    int count = 0;
    w->all->position(sim->c, sim->t, sim->q, sim->u, w->phi, w->phi_q);
    // rows of length 1, in the units of coordinates; one that vanishes is rounding
    for (int i = 0; i < w->all->m; i++)
        if (holds(w, i)) w->row[count++] = i;
    for (int i = 0; i < count; i++) {
        const double *row = w->phi_q + (size_t)w->row[i] * n, norm = ctk_row_norm(sim, row);
        const double unit = unit_of(w, w->row[i]);
        const double scale = norm > DEPENDENT * unit ? 1 / norm : 0;
        for (int j = 0; j < n; j++)
            sim->space.phi_q[(size_t)i * n + j] = scale * row[j] * ctk_unit(sim, j);
    }
    const int m = independent_rows(count, n, sim->space.phi_q, w->mark);
    // those first, each group in its own order
    int first = 0, last = m;
    int *order = sim->space.rows;
    for (int i = 0; i < count; i++) order[w->mark[i] ? first++ : last++] = w->row[i];
    for (int i = 0; i < count; i++) w->row[i] = order[i];
    use_rows(sim, m, count);
}

// conditions --------------------------------------------------------------------------------------
// Conditions at a state, into wanted. Returns 1 if a joint comes or goes.
static int look(ctk_sim *sim, double t, const double *q, const double *qd) {
    ctk_switching *w = &sim->switching;
    int changes = 0;
    w->all->switches(sim->c, t, q, qd, sim->u, w->value);
    for (int i = 0; i < w->all->n_switches; i++) {
        w->wanted[i] = w->value[i] != 0;
        changes |= w->wanted[i] != w->active[i];
    }
    return changes;
}

int ctk_event_is_due(ctk_sim *sim) {
    return sim->switching.all && look(sim, sim->t, sim->q, sim->qd);
}

int ctk_event_is_due_at(ctk_sim *sim, double t, const double *y) {
    const ctk_space *s = &sim->space;
    if (!sim->switching.all || ctk_state_derivative(sim, t, y, s->trial)) return 0;
    return look(sim, t, s->q, s->qd);
}

// How far a joint stands open, in units of its rows; *gap: the same as it is. One that is the wrong
// way round is open by one turn.
static double opening(const ctk_sim *sim, int joint, double *gap) {
    const ctk_switching *w = &sim->switching;
    double worst = 0;
    *gap = 0;
    for (int i = 0; i < w->all->m; i++) {
        if (w->all->row_switch[i] != joint) continue;
        const double unit = unit_of(w, i), size = fabs(w->phi[i]);
        if (!(size / unit <= worst)) {
            worst = size / unit;
            *gap = size;
        }
    }
    const double *guard = w->value + 2 * w->all->n_switches;
    for (int i = 0; i < w->all->n_switch_guards; i++)
        if (w->all->guard_switch[i] == joint && !(guard[i] > 0)) worst = *gap = 1;
    return worst;
}

// Joints that come: those that attach where they are keep the position, others must be closed, or
// within the gap that they close. Returns CTK_GAP where one stands open.
static ctk_status attach(ctk_sim *sim, int *closes) {
    ctk_switching *w = &sim->switching;
    const ctk_model *all = w->all;
    double *kept = sim->u + ctk_kept_at(all);
    // what they keep of this position
    if (all->attach) all->attach(sim->c, sim->t, sim->q, sim->u, w->kept);
    for (int k = 0; k < all->n_kept; k++) {
        const int joint = all->kept_switch[k];
        if (w->wanted[joint] && !w->active[joint]) kept[k] = w->kept[k];
    }
    // rows of the others: closed, to be closed, or open
    all->position(sim->c, sim->t, sim->q, sim->u, w->phi, w->phi_q);
    *closes = 0;
    for (int joint = 0; joint < all->n_switches; joint++) {
        double *gap = w->closed + joint;
        *gap = 0;
        if (!w->wanted[joint] || w->active[joint] || all->switch_here[joint]) continue;
        const double open = opening(sim, joint, gap);
        if (open <= CLOSED) {
            *gap = 0;
            continue;
        }
        if (!(*gap <= w->value[all->n_switches + joint])) {
            sim->where = joint;
            w->gap = *gap;
            return CTK_GAP;
        }
        *closes = 1;
    }
    return CTK_OK;
}

// impulses ----------------------------------------------------------------------------------------
// Closes gaps by the smallest change of positions in the mass matrix:
//   M dq + Phi_q^T I = 0,   Phi_q dq = -Phi.
static ctk_status close_gaps(ctk_sim *sim) {
    enum { ROUNDS = 20 };
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m;
    for (int round = 0; round < ROUNDS; round++) {
        // the largest |Phi| that is left
        ctk_dynamics(sim, sim->t, sim->q, sim->qd, sim->u);
        double worst = 0;
        for (int i = 0; i < m; i++) {
            worst = ctk_larger(worst, fabs(s->phi[i]) / ctk_row_unit(sim, sim->rows[i]));
            s->gamma[i] = -s->phi[i];
        }
        if (worst <= sim->options.tolerance) return CTK_OK;
        // dq, for rotations a turn
        for (int j = 0; j < n; j++) s->forcing[j] = 0;
        ctk_status status = ctk_augmented_solve(sim, sim->t, s->forcing, s->gamma);
        if (status) return status;
        for (int j = 0; j < n; j++) s->turns[j] = s->weight[j] * s->right[j];
        ctk_move(sim->model, 1, s->turns, sim->q);
    }
    sim->where = 0;
    return CTK_NO_CONVERGENCE;
}

// Velocities behind the impulse, by a recursion over the bodies of the tree, without M:
//   dq'^T M dq' = -(Phi_q dq') . I,   q'^T M dq' = -(Phi_q q') . I.
static ctk_status hit_tree(ctk_sim *sim, double *change, double *loss) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, all = ctk_all_rows(sim->model);
    double *impulse = s->phi;
    ctk_dynamics(sim, sim->t, sim->q, sim->qd, sim->u);
    ctk_rows_complete(sim, sim->t, sim->q, sim->qd, sim->u);
    for (int i = 0; i < all; i++)
        s->gamma[i] = -s->phi_t[i] - ctk_dot(n, s->phi_q + (size_t)i * n, sim->qd);
    ctk_status status = ctk_recursive_impulse(sim, impulse);
    if (status) return status;
    for (int i = 0; i < all; i++) {
        *loss -= 0.5 * s->gamma[i] * impulse[i];
        *change += (s->phi_t[i] + 0.5 * s->gamma[i]) * impulse[i];
    }
    for (int j = 0; j < n; j++) sim->qd[j] += s->implicit.found[j];
    return ctk_check_finite(sim, sim->qd);
}

// Velocities behind the impulse, in sim->qd. *change: of the kinetic energy; *loss: the energy of the
// velocities that are lost.
static ctk_status hit(ctk_sim *sim, double *change, double *loss) {
    ctk_space *s = &sim->space;
    const int n = sim->model->n, m = sim->model->m;
    *change = *loss = 0;
    // motions that leave no freedom say all velocities
    if (m == 0 || (m == n && !sim->model->dynamics && !sim->model->recursion)) return CTK_OK;
    if (sim->model->recursion) return hit_tree(sim, change, loss);
    if (!sim->model->dynamics) return CTK_CLOSURE_ONLY;
    // Phi_q dq' = -Phi_t - Phi_q q'
    ctk_dynamics(sim, sim->t, sim->q, sim->qd, sim->u);
    for (int i = 0; i < m; i++)
        s->gamma[i] = -s->phi_t[i] - ctk_dot(n, s->phi_q + (size_t)i * n, sim->qd);
    for (int j = 0; j < n; j++) s->forcing[j] = 0;
    ctk_status status = ctk_augmented_solve(sim, sim->t, s->forcing, s->gamma);
    if (status) return status;
    // dq', then 1/2 dq'^T M dq' and the change q'^T M dq' + 1/2 dq'^T M dq'
    double *dv = s->turns;
    for (int j = 0; j < n; j++) dv[j] = s->weight[j] * s->right[j];
    for (int i = 0; i < n; i++) {
        const double momentum = ctk_dot(n, s->mass + (size_t)i * n, dv);
        *loss += 0.5 * momentum * dv[i];
        *change += momentum * (sim->qd[i] + 0.5 * dv[i]);
    }
    for (int j = 0; j < n; j++) sim->qd[j] += dv[j];
    return ctk_check_finite(sim, sim->qd);
}

// events ------------------------------------------------------------------------------------------
// Joints that come or go, in the order of the model, into event unless it is NULL. Returns how many.
static int changes(const ctk_switching *w, ctk_event *event, int *comes) {
    int n = 0;
    *comes = 0;
    for (int i = 0; i < w->all->n_switches; i++) {
        if (w->wanted[i] == w->active[i]) continue;
        if (event) event[n] = (ctk_event){.joint = i, .becomes = w->wanted[i]};
        *comes |= w->wanted[i];
        n++;
    }
    return n;
}

// What was closed and what was lost: the first of the joints that come stands for all.
static void tell(const ctk_switching *w, double loss, ctk_event *event, int n) {
    for (int k = 0; k < n; k++) {
        if (!event[k].becomes) continue;
        event[k].gap = w->closed[event[k].joint];
        event[k].loss = loss;
        loss = 0;
    }
}

ctk_status ctk_event_pass(ctk_sim *sim, int moves, ctk_event *event, int *n, double *change) {
    ctk_switching *w = &sim->switching;
    int comes = 0, closes = 0;
    double loss = 0;
    ctk_status status = CTK_OK;
    *n = 0;
    *change = 0;
    sim->history = 0;
    // forces alone
    ctk_inputs_at(sim, sim->t);
    if (ctk_event_is_due(sim)) *n = changes(w, event, &comes);
    if (!*n && !moves) return ctk_renew(sim);
    // rows that hold from now on
    if (*n) {
        status = attach(sim, &closes);
        if (status) return status;
        for (int i = 0; i < w->all->n_switches; i++) w->active[i] = w->wanted[i];
        choose_rows(sim);
    }
    // positions, then velocities, then a new start from there
    if (closes) status = close_gaps(sim);
    if (status == CTK_OK && (comes || moves)) status = hit(sim, change, &loss);
    if (status) return status;
    sim->work += *change;
    if (event) tell(w, loss, event, *n);
    ctk_inputs_keep(sim);
    for (int i = 0; i < sim->model->n - sim->model->m && *n; i++) sim->independent[i] = i;
    return ctk_start(sim, sim->t);
}
