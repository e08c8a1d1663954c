// Equations for ida, as residuals in (q, q' = v, work, lambda, mu):
//   index 1             q' - N v,                     M v' + Phi_q^T lambda - F,   Phi_q v' - gamma
//   index 2, stabilised q' - N (v + Phi_q^T mu),      M v' + Phi_q^T lambda - F,   Phi_q v + Phi_t,  Phi
// (Gear, Gupta and Leimkuhler 1985: mu, zero but for errors of integration, keeps positions on Phi = 0).
// N makes rates of Euler parameters of spins. The Jacobian is exact in v', lambda, mu, and in forces where the
// model has their derivatives; the rest, inertia and rows by positions, is by differences.
#include "run/adaptive/ida_equations.h"

#include <float.h>
#include <math.h>
#include <string.h>

void ct_ida_equations_init(ct_ida_equations *e, ct_runner *r) {
    const ctk_model *m = r->sim.model;
    *e = (ct_ida_equations){.r = r, .index = r->plan.index, .n = m->n, .m = m->m};
    e->positions = m->n + m->n_rotations;
    e->rates = e->positions;
    e->work = e->rates + e->n;
    e->lambda = e->work + 1;
    e->mu = e->lambda + e->m;
    e->size = e->mu + (e->index == 2 ? e->m : 0);
    // in one piece
    const size_t positions = (size_t)e->positions + 1, size = (size_t)e->size + 1;
    e->push = ct_alloc(2 * positions + 4 * size + (size_t)(m->n_stiffness + m->n_damping) + 1,
                       sizeof *e->push);
    e->rate = e->push + positions;
    e->base = e->rate + positions;
    e->moved = e->base + size;
    e->y = e->moved + size;
    e->column = e->y + size;
    e->entries = e->column + size;
}

void ct_ida_equations_clear(ct_ida_equations *e) {
    ct_free(e->push);
    *e = (ct_ida_equations){0};
}

ctk_status ct_ida_equations_start(const ct_ida_equations *e, double *y, double *ydot) {
    ctk_sim *sim = &e->r->sim;
    memset(y, 0, (size_t)e->size * sizeof *y);
    memset(ydot, 0, (size_t)e->size * sizeof *ydot);
    ctk_state_get(sim, y);
    ctk_position_rate(sim->model, sim->q, sim->qd, ydot);
    memcpy(ydot + e->rates, sim->qdd, (size_t)e->n * sizeof *ydot);
    ydot[e->work] = sim->power;
    return ctk_reactions(sim, y + e->lambda);
}

// out += Phi_q^T x
static void add_transposed(const ct_ida_equations *e, const double *x, double *out) {
    const double *phi_q = e->r->sim.space.phi_q;
    for (int k = 0; k < e->m; k++)
        for (int j = 0; j < e->n; j++) out[j] += x[k] * phi_q[(size_t)k * (size_t)e->n + (size_t)j];
}

// Residuals, of the equations of motion with or without forces.
static void residual(const ct_ida_equations *e, double t, const double *y, const double *ydot,
                     bool forces, double *out) {
    ctk_sim *sim = &e->r->sim;
    const ctk_space *s = &sim->space;
    const size_t n = (size_t)e->n;
    const double *v = y + e->rates, *a = ydot + e->rates;
    ctk_equations(sim, t, y, v);
    // positions: q' - N (v + Phi_q^T mu)
    memcpy(e->push, v, n * sizeof *v);
    if (e->index == 2) add_transposed(e, y + e->mu, e->push);
    ctk_position_rate(sim->model, y, e->push, e->rate);
    for (int i = 0; i < e->positions; i++) out[i] = ydot[i] - e->rate[i];
    // motion: M v' + Phi_q^T lambda - F; work
    for (int i = 0; i < e->n; i++) {
        double sum = forces ? -s->forcing[i] : 0;
        for (int j = 0; j < e->n; j++) sum += s->mass[(size_t)i * n + (size_t)j] * a[j];
        out[e->rates + i] = sum;
    }
    add_transposed(e, y + e->lambda, out + e->rates);
    out[e->work] = ydot[e->work] - s->power;
    // rows
    for (int k = 0; k < e->m; k++) {
        const double *row = s->phi_q + (size_t)k * n, *x = e->index == 2 ? v : a;
        double sum = e->index == 2 ? s->phi_t[k] : -s->gamma[k];
        for (int j = 0; j < e->n; j++) sum += row[j] * x[j];
        out[e->lambda + k] = sum;
        if (e->index == 2) out[e->mu + k] = s->phi[k];
    }
}

static bool finite(int n, const double *x) {
    double zero = 0;
    for (int i = 0; i < n; i++) zero += 0 * x[i];
    return zero == 0;
}

bool ct_ida_residual(const ct_ida_equations *e, double t, const double *y, const double *ydot,
                     double *out) {
    residual(e, t, y, ydot, true, out);
    return finite(e->size, out);
}

// True if number i of y is one of the four parameters of a rotation: derivatives of forces are along turns.
static bool is_turned(const ct_ida_equations *e, int i) {
    return i < e->positions && ctk_state_is_parameter(&e->r->sim, i);
}

// Column i of dR/dy by differences; forces: of these too.
static void difference(const ct_ida_equations *e, double t, int i, bool forces, const double *base,
                       const double *ydot, double *column) {
    const double at = e->y[i];
    const int k = ctk_state_coordinate(&e->r->sim, i);
    const double unit = k < 0 ? 1 : e->r->kept.units[k], size = fmax(fabs(at), unit);
    e->y[i] = at + sqrt(DBL_EPSILON) * size;
    const double step = e->y[i] - at;
    residual(e, t, e->y, ydot, forces, column);
    for (int j = 0; j < e->size; j++) column[j] = (column[j] - base[j]) / step;
    e->y[i] = at;
}

// -N Phi_q^T and Phi_q^T: columns of mu and lambda. M f and -N: what v adds beside differences.
static void exact(const ct_ida_equations *e, double f, double *const *columns) {
    const ctk_sim *sim = &e->r->sim;
    const ctk_space *s = &sim->space;
    const size_t n = (size_t)e->n;
    for (int k = 0; k < e->m; k++) {
        const double *row = s->phi_q + (size_t)k * n;
        memcpy(columns[e->lambda + k] + e->rates, row, n * sizeof *row);
        if (e->index == 1) continue;
        ctk_position_rate(sim->model, e->y, row, e->rate);
        for (int i = 0; i < e->positions; i++) columns[e->mu + k][i] = -e->rate[i];
    }
    for (int j = 0; j < e->n; j++) {
        double *column = columns[e->rates + j];
        memset(e->push, 0, n * sizeof *e->push);
        e->push[j] = 1;
        ctk_position_rate(sim->model, e->y, e->push, e->rate);
        for (int i = 0; i < e->positions; i++) column[i] = -e->rate[i];
        for (int i = 0; i < e->n; i++)
            column[e->rates + i] = f * s->mass[(size_t)i * n + (size_t)j];
        for (int k = 0; k < e->m; k++)
            column[e->lambda + k] = (e->index == 2 ? 1 : f) * s->phi_q[(size_t)k * n + (size_t)j];
    }
}

bool ct_ida_jacobian(const ct_ida_equations *e, double t, double f, const double *y,
                     const double *ydot, double *const *columns) {
    ctk_sim *sim = &e->r->sim;
    const ctk_model *m = sim->model;
    const size_t bytes = (size_t)e->size * sizeof *y;
    const bool whole = e->r->plan.tangent == CT_TANGENT_FULL;
    memcpy(e->y, y, bytes);
    for (int i = 0; i < e->size; i++) memset(columns[i], 0, bytes);
    // at the state itself: what is exact, then K and C
    residual(e, t, e->y, ydot, true, e->base);
    exact(e, f, columns);
    m->tangent(sim->c, t, y, y + e->rates, sim->u, e->entries, e->entries + m->n_stiffness);
    residual(e, t, e->y, ydot, false, e->moved);
    // by positions: inertia and rows by differences, forces by K where coordinates are no parameters
    for (int i = 0; i < e->positions; i++) {
        const bool by_k = whole && !is_turned(e, i);
        difference(e, t, i, !by_k, by_k ? e->moved : e->base, ydot, columns[i]);
        columns[i][i] += f;
    }
    for (int k = 0; k < m->n_stiffness && whole; k++) {
        const int place = m->stiffness_places[k], column = place % e->n;
        if (!is_turned(e, column) && isfinite(e->entries[k]))
            columns[column][e->rates + place / e->n] += e->entries[k];
    }
    // by rates: C; gamma, and forces without C, by differences
    if (!whole || e->index == 1)
        for (int j = 0; j < e->n; j++) {
            difference(e, t, e->rates + j, true, e->base, ydot, e->column);
            for (int i = e->rates; i <= e->work; i++) columns[e->rates + j][i] += e->column[i];
            for (int i = e->lambda; i < e->mu && e->index == 1; i++)
                columns[e->rates + j][i] += e->column[i];
        }
    for (int k = 0; k < m->n_damping && whole && e->index == 2; k++) {
        const int place = m->damping_places[k];
        const double c = e->entries[m->n_stiffness + k];
        if (isfinite(c)) columns[e->rates + place % e->n][e->rates + place / e->n] += c;
    }
    columns[e->work][e->work] = f;
    for (int i = 0; i < e->size; i++)
        if (!finite(e->size, columns[i])) return false;
    return true;
}
