// The equations of every model, with joint and with absolute coordinates, against what they must
// be: M symmetric and positive, Phi_q, Phi_t and gamma derivatives of Phi, T the kinetic energy of
// the moving bodies, V their height, and  d/dt (T + V) = power  along the motion that F gives.
// Derivatives are differences of five points.
#include "harness.h"

#include "formulate/layout.h"

#include <lapacke.h>

typedef struct eval {
    const ct_formulation *f;
    ct_numbers x;
    ct_ex *pose; // [12 bodies] centre of mass, then centre plus each body axis
    uint64_t random;
    const char *name, *rule;
    int failures;
    double worst[10];
} eval;

enum {
    SYMMETRY,
    POSITIVE,
    JACOBIAN,
    TIME,
    GAMMA,
    KINETIC,
    HEIGHT,
    RATES,
    BALANCE,
    SWEEPS,
    QUANTITIES
};
static const char *const quantities[] = {"symmetry", "positive", "Phi_q", "Phi_t",   "gamma",
                                         "T",        "V",        "rates", "balance", "sweeps"};

// A state and how it moves:  q + q1 s,  qd,  t + t1 s.  NULL: zero.
typedef struct path {
    const double *q, *q1, *qd;
    double t, t1;
} path;

static void note(eval *e, int what, double error, double tolerance) {
    if (!(error <= e->worst[what])) e->worst[what] = error;
    if (error <= tolerance) return;
    print_error("%s, %s: %s is off by %.2e\n", e->name, e->rule, quantities[what], error);
    e->failures++;
}

static void values(eval *e, const path *p, double s, int n, const ct_ex *roots, double *out) {
    const ct_formulation *f = e->f;
    double *q = ct_alloc((size_t)f->n + 1, sizeof *q), *qd = ct_alloc((size_t)f->n + 1, sizeof *qd),
           t = p->t + p->t1 * s;
    for (int k = 0; k < f->n; k++) {
        q[k] = p->q[k] + (p->q1 ? p->q1[k] * s : 0);
        qd[k] = p->qd ? p->qd[k] : 0;
    }
    ct_numbers_set(&e->x, f->n, f->q, q);
    ct_numbers_set(&e->x, f->n, f->qd, qd);
    ct_numbers_set(&e->x, 1, &f->model->time, &t);
    ct_numbers_eval(&e->x, n, roots, out);
    ct_free(q);
    ct_free(qd);
}

static void slopes(eval *e, const path *p, int n, const ct_ex *roots, double *out) {
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const double h = 2e-4;
    double *v = ct_alloc((size_t)n + 1, sizeof *v);
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < 4; i++) {
        values(e, p, at[i] * h, n, roots, v);
        for (int k = 0; k < n; k++) out[k] += weight[i] * v[k] / (12 * h);
    }
    ct_free(v);
}

// the checks ------------------------------------------------------------------------------------
static void check_mass(eval *e, const path *p) {
    int n = e->f->n, nn = n * n;
    double *m = ct_alloc((size_t)nn + 1, sizeof *m), *w = ct_alloc((size_t)n + 1, sizeof *w),
           skew = 0;
    values(e, p, 0, nn, e->f->mass, m);
    double scale = ct_largest(nn, m);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) skew = fmax(skew, fabs(m[i * n + k] - m[k * n + i]));
    note(e, SYMMETRY, skew / scale, 1e-13);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, m, n, w), 0);
    note(e, POSITIVE, fmax(0, -w[0] / scale), 1e-13);
    ct_free(m);
    ct_free(w);
}

static double apart(int n, const double *a, const double *b) {
    double worst = 0, scale = fmax(1e-2, ct_largest(n, b));
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) / scale <= worst)) worst = fabs(a[i] - b[i]) / scale;
    return worst;
}

// M q'' and F - M q'' swept over bodies, against the entries of M and F.
static void check_sweeps(eval *e, const path *p) {
    const ct_formulation *f = e->f;
    size_t n = (size_t)f->n;
    if (!f->qdd) return;
    double *m = ct_alloc(n * n + 1, sizeof *m), *forcing = ct_alloc(n + 1, sizeof *forcing),
           *qdd = ct_alloc(n + 1, sizeof *qdd), *want = ct_alloc(2 * n + 1, sizeof *want),
           *swept = ct_alloc(2 * n + 1, sizeof *swept);
    for (size_t k = 0; k < n; k++) qdd[k] = 3 * noise(&e->random);
    ct_numbers_set(&e->x, f->n, f->qdd, qdd);
    values(e, p, 0, f->n * f->n, f->mass, m);
    values(e, p, 0, f->n, f->forcing, forcing);
    values(e, p, 0, f->n, f->inertia, swept);
    values(e, p, 0, f->n, f->balance, swept + n);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) want[i] += m[i * n + k] * qdd[k];
        want[n + i] = forcing[i] - want[i];
    }
    note(e, SWEEPS, apart(2 * f->n, swept, want), 1e-11);
    ct_free(m);
    ct_free(forcing);
    ct_free(qdd);
    ct_free(want);
    ct_free(swept);
}

// Entries of M, F and Phi_q that do not depend on the state are written without it, whatever the
// parameters are: values at random states tell.
static void check_constants(eval *e) {
    enum { STATES = 4 };
    const ct_formulation *f = e->f;
    int n = f->n, all = n * n + n + f->m * n;
    size_t size = (size_t)all;
    ct_ex *entry = ct_alloc(size + 1, sizeof *entry);
    double *value = ct_alloc(STATES * size + 1, sizeof *value),
           *q = ct_alloc((size_t)n + 1, sizeof *q), *qd = ct_alloc((size_t)n + 1, sizeof *qd);
    memcpy(entry, f->mass, (size_t)(n * n) * sizeof *entry);
    memcpy(entry + n * n, f->forcing, (size_t)n * sizeof *entry);
    memcpy(entry + n * n + n, f->phi_q, (size_t)(f->m * n) * sizeof *entry);
    for (int i = 0; i < f->model->n_parameters; i++) {
        double other = 1.1 * f->model->parameters[i].number + 0.1 + 0.01 * i;
        ct_numbers_set(&e->x, 1, &f->model->parameters[i].symbol, &other);
    }
    for (int i = 0; i < STATES; i++) {
        for (int k = 0; k < n; k++) {
            q[k] = 2 * noise(&e->random);
            qd[k] = 2 * noise(&e->random);
        }
        path p = {.q = q, .qd = qd, .t = 1.3 * (i - 1.5)};
        values(e, &p, 0, all, entry, value + (size_t)i * size);
    }
    double largest = 0;
    for (size_t i = 0; i < STATES * size; i++)
        if (isfinite(value[i])) largest = fmax(largest, fabs(value[i]));
    for (size_t i = 0; i < size; i++) {
        double apart = 0, least = fmax(fabs(value[i]), 1e-4 * largest);
        for (int k = 1; k < STATES; k++)
            apart = fmax(apart, fabs(value[(size_t)k * size + i] - value[i]));
        if (apart > 1e-14 * least || isnan(apart)) continue;
        if (ct_operations_total(ct_count_shared(f->pool, 1, entry + i)) == 0) continue;
        char *text = ct_print(f->pool, entry[i], CT_STYLE_TEXT);
        // a tyre in the air, a part of a function: constant here, not everywhere
        bool smooth = !strstr(text, "max(") && !strstr(text, "min(") && !strstr(text, "if(");
        if (smooth)
            print_error("%s, %s: entry %zu is always %g: %.200s\n", e->name, e->rule, i, value[i],
                        text);
        e->failures += smooth;
        ct_free(text);
    }
    // a row holds no coordinate whose derivative is zero
    for (int i = 0; i < f->m * n; i++)
        if (f->phi_q[i] == CT_ZERO && ct_depends(f->pool, f->phi[i / n], f->q[i % n])) {
            print_error("%s, %s: row %d holds '%s'\n", e->name, e->rule, i / n, f->names[i % n]);
            e->failures++;
        }
    ct_free(entry);
    ct_free(value);
    ct_free(q);
    ct_free(qd);
}

static void check_constraints(eval *e, const path *p) {
    const ct_formulation *f = e->f;
    int n = f->n, m = f->m;
    if (!m) return;
    size_t mn = (size_t)m * (size_t)n;
    double *a = ct_alloc(mn, sizeof *a), *b = ct_alloc(mn, sizeof *b),
           *unit = ct_alloc((size_t)n, sizeof *unit);
    values(e, p, 0, m * n, f->phi_q, a);
    for (int k = 0; k < n; k++) {
        double *column = ct_alloc((size_t)m, sizeof *column);
        unit[k] = 1;
        slopes(e, &(path){.q = p->q, .q1 = unit, .t = p->t}, m, f->phi, column);
        unit[k] = 0;
        for (int i = 0; i < m; i++) b[i * n + k] = column[i];
        ct_free(column);
    }
    note(e, JACOBIAN, apart(m * n, a, b), 1e-10);

    values(e, p, 0, m, f->phi_t, a);
    slopes(e, &(path){.q = p->q, .t = p->t, .t1 = 1}, m, f->phi, b);
    note(e, TIME, apart(m, a, b), 1e-10);

    // gamma = -d/ds (Phi_q qd + Phi_t) with q'' = 0
    double *slope = ct_alloc(mn, sizeof *slope);
    path moving = {.q = p->q, .q1 = p->qd, .qd = p->qd, .t = p->t, .t1 = 1};
    slopes(e, &moving, m, f->phi_t, b);
    slopes(e, &moving, m * n, f->phi_q, slope);
    for (int i = 0; i < m; i++) {
        b[i] = -b[i];
        for (int k = 0; k < n; k++) b[i] -= slope[i * n + k] * p->qd[k];
    }
    values(e, p, 0, m, f->gamma, a);
    note(e, GAMMA, apart(m, a, b), 1e-10);
    ct_free(a);
    ct_free(b);
    ct_free(unit);
    ct_free(slope);
}

// Twice the kinetic energy of a body from the velocities of its centre and of the tips of its axes.
static double kinetic2(const ct_model *m, const ct_body *b, const double *pose,
                       const double *rate) {
    double r[3][3], rd[3][3], w[3] = {0}, j[3][3], sum = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            r[i][k] = pose[3 + 3 * k + i] - pose[i];
            rd[i][k] = rate[3 + 3 * k + i] - rate[i];
        }
    // angular velocity in body axes: skew part of R^T R'
    for (int i = 0; i < 3; i++) {
        w[0] += r[i][2] * rd[i][1];
        w[1] += r[i][0] * rd[i][2];
        w[2] += r[i][1] * rd[i][0];
    }
    for (int i = 0; i < 3; i++) {
        j[i][i] = ct_model_number(m, b->inertia[i]);
        for (int k = 0; k < i; k++) j[i][k] = j[k][i] = -ct_model_number(m, b->inertia[2 + i + k]);
        sum += ct_model_number(m, b->mass) * rate[i] * rate[i];
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum += w[i] * j[i][k] * w[k];
    return sum;
}

static void check_energy(eval *e, const path *p) {
    const ct_model *m = e->f->model;
    int n = 12 * m->n_bodies;
    double *pose = ct_alloc((size_t)n, sizeof *pose), *rate = ct_alloc((size_t)n, sizeof *rate),
           sum = 0, high = 0, energy[2];
    path moving = {.q = p->q, .q1 = p->qd, .qd = p->qd, .t = p->t, .t1 = 1};
    values(e, p, 0, n, e->pose, pose);
    slopes(e, &moving, n, e->pose, rate);
    for (int b = 1; b < m->n_bodies; b++) {
        sum += kinetic2(m, m->bodies + b, pose + 12 * b, rate + 12 * b) / 2;
        for (int i = 0; i < 3; i++)
            high -= ct_model_number(m, m->bodies[b].mass) * ct_model_number(m, m->gravity.v[i]) *
                    pose[12 * b + i];
    }
    values(e, p, 0, 2, (ct_ex[]){e->f->kinetic, e->f->potential}, energy);
    note(e, KINETIC, fabs(energy[0] - sum) / sum, 1e-10);
    bool stores = false; // what other forces store shows in the balance
    for (int i = 0; i < m->n_forces; i++) {
        const ct_force_type type = m->forces[i].type;
        stores = stores || type == CT_FORCE_SPRING || type == CT_FORCE_TORSION ||
                 type == CT_FORCE_BUSHING || type == CT_FORCE_CONTACT || type == CT_FORCE_LIMIT;
    }
    if (!stores) note(e, HEIGHT, difference(energy[1], high), 1e-13);
    ct_free(pose);
    ct_free(rate);
}

// Rates of the joint coordinates that are not among q.
static void check_rates(eval *e, const path *p) {
    int n = e->f->n_secondary;
    ct_ex *value = ct_alloc((size_t)n + 1, sizeof *value),
          *rate = ct_alloc((size_t)n + 1, sizeof *rate);
    double *a = ct_alloc((size_t)n + 1, sizeof *a), *b = ct_alloc((size_t)n + 1, sizeof *b);
    for (int i = 0; i < n; i++) {
        value[i] = e->f->secondary[i].value;
        rate[i] = e->f->secondary[i].rate;
    }
    values(e, p, 0, n, rate, a);
    slopes(e, &(path){.q = p->q, .q1 = p->qd, .qd = p->qd, .t = p->t, .t1 = 1}, n, value, b);
    note(e, RATES, apart(n, a, b), 1e-9);
    ct_free(value);
    ct_free(rate);
    ct_free(a);
    ct_free(b);
}

// A closed state near q with consistent rates near qd; false where it cannot be closed.
static bool consistent(eval *e, double t, double *q, double *qd) {
    const ct_formulation *f = e->f;
    int n = f->n, m = f->m;
    ct_numbers_set(&e->x, 1, &f->model->time, &t);
    if (ct_project(f, &e->x, NULL, q) > 1e-9) return false;
    size_t mn = (size_t)m * (size_t)n + 1;
    double *a = ct_alloc(mn, sizeof *a), *rhs = ct_alloc((size_t)m + 1, sizeof *rhs),
           *dx = ct_alloc((size_t)n + 1, sizeof *dx);
    path p = {.q = q, .t = t};
    values(e, &p, 0, m * n, f->phi_q, a);
    values(e, &p, 0, m, f->phi_t, rhs);
    for (int i = 0; i < m; i++) {
        rhs[i] = -rhs[i];
        for (int k = 0; k < n; k++) rhs[i] -= a[i * n + k] * qd[k];
    }
    ct_least_squares(m, n, a, rhs, 1e-10, dx);
    for (int k = 0; k < n; k++) qd[k] += dx[k];
    ct_free(a);
    ct_free(rhs);
    ct_free(dx);
    return true;
}

// With  M q'' + Phi_q^T lambda = F,  d/dt (T + V) = power  but for the constraint forces. These put
// no power into a motion that the constraints allow, and  d/dt T = q' . (F - Phi_q^T lambda) + q'^T
// M' q' / 2.
static void check_balance(eval *e, double t, const double *q, const double *qd) {
    const ct_formulation *f = e->f;
    double slope[2], now[3], *forcing = ct_alloc((size_t)f->n + 1, sizeof *forcing);
    path p = {.q = q, .q1 = qd, .qd = qd, .t = t, .t1 = 1};
    slopes(e, &p, 2, (ct_ex[]){f->kinetic, f->potential}, slope);
    values(e, &p, 0, 3, (ct_ex[]){f->kinetic, f->power, f->potential}, now);
    values(e, &p, 0, f->n, f->forcing, forcing);
    double off = slope[0] + slope[1] - now[1];
    double scale = now[0] + fabs(now[2]) + fabs(slope[0]) + fabs(slope[1]) + fabs(now[1]);
    for (int k = 0; k < f->n; k++) {
        off += qd[k] * forcing[k];
        scale += fabs(qd[k] * forcing[k]);
    }
    note(e, BALANCE, fabs(off) / scale, 1e-9); // by differences; contacts bend
    ct_free(forcing);
}

// every model -----------------------------------------------------------------------------------
static ct_ex *poses(ct_formulation *f) {
    ct_ex *pose = ct_alloc(12 * (size_t)f->model->n_bodies, sizeof *pose);
    for (int b = 0; b < f->model->n_bodies; b++)
        for (int k = 0; k < 4; k++) {
            ct_vec3 at = ct_vec3_zero();
            if (k) at.v[k - 1] = CT_ONE;
            at = ct_position(f->layout, b, at);
            memcpy(pose + 12 * b + 3 * k, at.v, sizeof at.v);
        }
    return pose;
}

static int check_model(const char *file, const char *rule) {
    char *name = stem(file);
    mech k = mech_file(file, rule);
    if (k.status) {
        print_messages(k.ctx);
        mech_clear(&k);
        ct_free(name);
        return 1;
    }
    ct_formulation *f = k.s->f;
    eval e = {.f = f, .pose = poses(f), .random = 7, .name = name, .rule = rule};
    ct_model_numbers(k.model, &e.x);
    double *q = ct_alloc((size_t)f->n + 1, sizeof *q), *qd = ct_alloc((size_t)f->n + 1, sizeof *qd);
    int balanced = 0;
    for (int state = 0; state < 3; state++) { // the assembled one, then two around it
        double t = 0.37 * state;
        for (int i = 0; i < f->n; i++) {
            q[i] = ct_system_state(k.s)->q0[i] + (state ? 0.1 * noise(&e.random) : 0);
            qd[i] = 2 * noise(&e.random);
        }
        path p = {.q = q, .qd = qd, .t = t};
        check_mass(&e, &p);
        check_sweeps(&e, &p);
        check_constraints(&e, &p);
        check_energy(&e, &p);
        check_rates(&e, &p);
        // contacts that are 1e-5 m deep at the start: differences leave them
        bool shallow = !state && (!strcmp(name, "contact_pair") || !strcmp(name, "shoe_brake"));
        if (!shallow && consistent(&e, t, q, qd)) {
            check_balance(&e, t, q, qd);
            balanced++;
        }
    }
    check_constants(&e);
    if (!balanced) print_error("%s, %s: no state to balance\n", name, rule);
    print_message("%-24s %-8s", name, rule);
    for (int i = 0; i < QUANTITIES; i++) print_message(" %s %.0e", quantities[i], e.worst[i]);
    print_message("\n");
    ct_numbers_clear(&e.x);
    ct_free(e.pose);
    ct_free(q);
    ct_free(qd);
    mech_clear(&k);
    ct_free(name);
    return e.failures + !balanced;
}

static void every_model(const char *rule) {
    glob_t files = all_files("/*.yaml");
    int failures = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) failures += check_model(files.gl_pathv[i], rule);
    globfree(&files);
    assert_int_equal(failures, 0);
}

static void joint_coordinates(void **state) {
    (void)state;
    every_model("joint");
}

static void absolute_coordinates(void **state) {
    (void)state;
    every_model("absolute");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(joint_coordinates),
                                       cmocka_unit_test(absolute_coordinates)};
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
