// An assembly x(q) can appear, vanish or meet another one only where the loops F(x) = 0 and the
// drive q(x) do not determine x any more:  det [F_x; q_x] = 0.  Together with F that is a polynomial
// system with finitely many solutions, which are found exactly. In between, real solutions move
// along smooth curves, and cannot escape if all unknowns are bounded: cosines and sines are, slides
// where bodies are held together in another way. So their number is constant.
#include "configurations/branches/critical.h"
#include "algebra/solve/solve.h"
#include "expr/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS_MAX = 9,    // of the determinant
    SOLUTIONS_MAX = 300 // with multiplicity
};
static const double WORK_MAX = 2e8; // of the basis modulo a prime, some seconds in all
static const double SAME = 1e-11;   // positions closer than that, relative, count as one
static const double INSIDE = 1e-12; // distance from the ends of the range, relative

// bounds ------------------------------------------------------------------------------------------
static int root_of(int *parent, int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

// Translations of the joint are given, or the driven one, whose range is bounded.
static bool is_given(const ct_model *model, const ct_joint *joint, int drive) {
    ct_ex value;
    for (int i = 0; i < joint->n_coordinates; i++) {
        int k = joint->first_coordinate + i;
        if (!model->coordinates[k].is_angle && k != drive && !ct_loop_given(model, k, &value))
            return false;
    }
    return true;
}

// Bodies that cannot move apart without bound: joined by hinges, balls, rods and given slides. An
// unknown slide between two of them is bounded.
static int *bounded_bodies(const ct_model *model, int drive) {
    int *parent = ct_alloc((size_t)model->n_bodies + 1, sizeof *parent);
    for (int b = 0; b < model->n_bodies; b++) parent[b] = b;
    for (int i = 0; i < model->n_joints; i++) {
        const ct_joint *j = model->joints + i;
        const ct_joint_traits *t = ct_joint_traits_of(j->type);
        bool near = !j->is_virtual && j->body[0] >= 0 &&
                    (t->holds == CT_HOLDS_POINT || t->holds == CT_HOLDS_DISTANCE ||
                     (t->role == CT_ROLE_JOINT && is_given(model, j, drive)));
        if (near) parent[root_of(parent, j->body[0])] = root_of(parent, j->body[1]);
    }
    return parent;
}

static bool is_bounded(const ct_loop_system *s, const ct_model *model, int drive) {
    int *parent = bounded_bodies(model, drive);
    bool bounded = true;
    for (int i = 0; i < s->system.ring->n && bounded; i++) {
        int k = s->system.symbol[i];
        if (s->system.part[i] != CT_ITSELF) continue;
        int c = k < s->f->n ? s->f->coordinate[k] : -1;
        const ct_joint *j = c < 0 ? NULL : model->joints + model->coordinates[c].joint;
        bounded = j && (c == drive || (!model->coordinates[c].is_angle && j->body[0] >= 0 &&
                                       root_of(parent, j->body[0]) == root_of(parent, j->body[1])));
    }
    ct_free(parent);
    return bounded;
}

// the determinant ---------------------------------------------------------------------------------
typedef struct jacobian {
    ct_context *ctx;
    const ct_ring *ring;
    int n;          // columns: symbols among the unknowns
    int *first;     // [n] unknown of the ring: itself, or the cosine with the sine behind it
    bool *is_angle; // [n]
    ct_poly *rows;  // [n * n]
} jacobian;

// d/dx, of an angle  -s d/dc + c d/ds.
static void differentiate(const jacobian *m, ct_poly *out, const ct_poly *f, int column) {
    int x = m->first[column];
    fmpz_t c;
    fmpz_init(c);
    for (slong i = 0; i < f->n; i++) {
        uint32_t e[CT_UNKNOWNS_MAX];
        memcpy(e, ct_poly_exps(m->ring, f, i), (size_t)m->ring->n * sizeof *e);
        uint32_t a = e[x], b = m->is_angle[column] ? e[x + 1] : 0;
        // x^a: a x^(a-1), of a cosine times -s
        if (a) {
            e[x]--;
            if (m->is_angle[column]) e[x + 1]++;
            fmpz_mul_si(c, f->coefs + i, m->is_angle[column] ? -(slong)a : (slong)a);
            ct_poly_push(m->ring, out, e, c);
            e[x]++;
            if (m->is_angle[column]) e[x + 1]--;
        }
        // s^b: b s^(b-1) c
        if (b) {
            e[x]++;
            e[x + 1]--;
            fmpz_mul_ui(c, f->coefs + i, b);
            ct_poly_push(m->ring, out, e, c);
        }
    }
    fmpz_clear(c);
    ct_poly_sort(m->ring, out);
}

// Columns, one for each symbol. Returns false if they are too many.
static bool find_columns(jacobian *m, const ct_trig_system *system) {
    m->first = ct_alloc((size_t)system->ring->n + 1, sizeof *m->first);
    m->is_angle = ct_alloc((size_t)system->ring->n + 1, sizeof *m->is_angle);
    for (int k = 0; k < system->ring->n; k++) {
        if (system->part[k] == CT_SINE) continue;
        m->is_angle[m->n] = system->part[k] == CT_COSINE;
        m->first[m->n++] = k;
    }
    return m->n <= COLUMNS_MAX;
}

// The last row: derivatives of the drive, which are constants. Returns false if they are not.
static bool drive_row(jacobian *m, const ct_loop_system *s, int drive) {
    ct_pool *pool = s->f->pool;
    uint32_t one[CT_UNKNOWNS_MAX] = {0};
    for (int c = 0; c < m->n; c++) {
        ct_ex d = ct_diff(pool, s->expression[drive], s->symbols[s->system.symbol[m->first[c]]]);
        if (!ct_is_number(pool, d) || !fmpz_is_one(fmpq_denref(ct_value(pool, d)))) return false;
        if (d != CT_ZERO)
            ct_poly_push(m->ring, &m->rows[(m->n - 1) * m->n + c], one,
                         fmpq_numref(ct_value(pool, d)));
    }
    return true;
}

// Rows of F_x. Where there are more equations than needed, small combinations of all: where these
// are independent, so are the rows.
static void loop_rows(jacobian *m, const ct_polys *equations, int n_equations) {
    uint64_t seed = 0x9e3779b97f4a7c15u;
    bool square = n_equations == m->n - 1;
    fmpz_t one, by;
    fmpz_init_set_ui(one, 1);
    fmpz_init(by);
    for (int r = 0; r < m->n - 1; r++) {
        ct_poly sum;
        ct_poly_init(&sum);
        for (int i = 0; i < n_equations; i++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            fmpz_set_si(by, square ? i == r : (slong)(seed >> 32) % 3 - 1 + 3 * (i == r));
            if (!fmpz_is_zero(by)) ct_poly_combine(m->ring, &sum, one, &sum, by, equations->p + i);
        }
        for (int c = 0; c < m->n; c++) differentiate(m, &m->rows[r * m->n + c], &sum, c);
        ct_poly_clear(m->ring, &sum);
    }
    fmpz_clear(one);
    fmpz_clear(by);
}

// det by Laplace: minors of the last k rows for every set of k columns.
static ct_status determinant(const jacobian *m, ct_poly *det) {
    size_t sets = (size_t)1 << m->n;
    ct_poly *minor = ct_alloc(sets, sizeof *minor), product;
    ct_status status = CT_OK;
    uint32_t exps[CT_UNKNOWNS_MAX] = {0};
    fmpz_t one, sign;
    fmpz_init_set_ui(one, 1);
    fmpz_init(sign);
    for (size_t set = 0; set < sets; set++) ct_poly_init(&minor[set]);
    ct_poly_push(m->ring, &minor[0], exps, one);
    // larger sets from smaller ones, along the first of their rows
    for (size_t set = 1; set < sets && !status; set++) {
        int row = m->n - __builtin_popcountll(set), place = 0;
        for (int c = 0; c < m->n && !status; c++) {
            if (!(set >> c & 1)) continue;
            const ct_poly *entry = &m->rows[row * m->n + c], *rest = &minor[set ^ (size_t)1 << c];
            fmpz_set_si(sign, place++ % 2 ? -1 : 1);
            if (!entry->n || !rest->n) continue;
            ct_poly_init(&product);
            status = ct_poly_mul(m->ctx, m->ring, &product, entry, rest);
            if (!status) ct_poly_combine(m->ring, &minor[set], one, &minor[set], sign, &product);
            ct_poly_clear(m->ring, &product);
        }
    }
    if (!status) ct_poly_set(m->ring, det, &minor[sets - 1]);
    for (size_t set = 0; set < sets; set++) ct_poly_clear(m->ring, &minor[set]);
    ct_free(minor);
    fmpz_clear(one);
    fmpz_clear(sign);
    return status;
}

// F and the determinant. *why: a reason if there is none.
static ct_status write_system(ct_context *ctx, const ct_loop_system *s, int drive, ct_polys *out,
                              const char **why) {
    const ct_trig_system *t = &s->system;
    jacobian m = {.ctx = ctx, .ring = t->ring};
    int n_pairs = 0;
    for (int k = 0; k < t->ring->n; k++) n_pairs += t->part[k] == CT_COSINE;
    int n_equations = t->equations.n - n_pairs; // without s^2 + c^2 = 1
    // size of the matrix
    if (!find_columns(&m, t) || n_equations < m.n - 1) {
        *why = m.n > COLUMNS_MAX ? "there are too many unknowns" : "there are too few equations";
        return CT_OK;
    }
    // its rows
    m.rows = ct_alloc((size_t)m.n * (size_t)m.n, sizeof *m.rows);
    for (int i = 0; i < m.n * m.n; i++) ct_poly_init(&m.rows[i]);
    loop_rows(&m, &t->equations, n_equations);
    if (!drive_row(&m, s, drive)) *why = "the drive is no sum of the unknown angles";
    // its determinant beside the loops
    ct_status status = CT_OK;
    for (int i = 0; i < t->equations.n && !*why; i++)
        ct_poly_set(t->ring, ct_polys_add(out), t->equations.p + i);
    if (!*why) {
        ct_poly *det = ct_polys_add(out);
        status = determinant(&m, det);
        if (!status && !det->n) *why = "all positions are singular";
        ct_poly_primitive(t->ring, det);
    }
    for (int i = 0; i < m.n * m.n; i++) ct_poly_clear(t->ring, &m.rows[i]);
    ct_free(m.rows);
    ct_free(m.first);
    ct_free(m.is_angle);
    return status;
}

// positions ---------------------------------------------------------------------------------------
static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add_position(ct_critical *out, int *room, double at, double low, double high) {
    double slack = INSIDE * (1 + fabs(low) + fabs(high));
    if (at > low + slack && at < high - slack) *CT_PUSH(out->at, out->n, *room) = at;
}

// The drive at every real solution; an angle comes back with every turn inside the range.
static void take_positions(const ct_loop_system *s, int drive, const ct_solutions *found,
                           double low, double high, ct_critical *out) {
    double *re = ct_alloc((size_t)s->f->n + 1, sizeof *re),
           *im = ct_alloc((size_t)s->f->n + 1, sizeof *im);
    int room = 0, kept = 0;
    for (int i = 0; i < found->count; i++) {
        const ct_solution *x = found->solutions + i;
        if (!x->real) continue;
        ct_loop_system_complex(s, x->re, x->im, re, im);
        double at = re[drive];
        if (!s->f->is_angle[drive]) {
            add_position(out, &room, at, low, high);
            continue;
        }
        double first = at + 2 * M_PI * ceil((low - at) / (2 * M_PI));
        for (int turn = 0; first + 2 * M_PI * turn < high; turn++)
            add_position(out, &room, first + 2 * M_PI * turn, low, high);
    }
    // each once, in order
    if (out->n) qsort(out->at, (size_t)out->n, sizeof *out->at, compare);
    for (int i = 0; i < out->n; i++)
        if (!kept || out->at[i] - out->at[kept - 1] > SAME * (1 + fabs(out->at[i])))
            out->at[kept++] = out->at[i];
    out->n = kept;
    ct_free(re);
    ct_free(im);
}

// Solves the system if that is a matter of seconds.
static ct_status solve(ct_context *ctx, const ct_budget *budget, const ct_ring *ring,
                       const ct_polys *equations, ct_solutions *found, const char **why) {
    ct_polys basis = {0};
    ct_groebner_options g = {.budget = *budget};
    g.budget.work = WORK_MAX;
    ct_ring *graded = ct_ring_reorder(ctx, ring, 1, &(ct_order_block){ring->n, CT_DEGREVLEX});
    ct_polys in = {0};
    for (int i = 0; i < equations->n; i++)
        ct_poly_convert(graded, ct_polys_add(&in), ring, equations->p + i, NULL);
    ct_status status = ct_groebner(ctx, graded, &basis, &in, &g);
    // finitely many, and not too many
    if (!status) {
        ct_ideal_info info = ct_ideal(graded, &basis);
        if (info.dimension > 0) *why = "singular positions are no single ones";
        if (info.dimension == 0 && info.degree > SOLUTIONS_MAX)
            *why = "there are too many singular positions, complex ones counted";
        if (info.dimension < 0) *found = (ct_solutions){0};
        if (info.dimension == 0 && !*why) {
            ct_solve_options options;
            ct_solve_options_init(&options);
            options.method = CT_SOLVE_RUR;
            options.budget = *budget;
            status = ct_solve(ctx, graded, &basis, &options, found);
        }
    }
    ct_polys_clear(graded, &in);
    ct_polys_clear(graded, &basis);
    ct_ring_free(graded);
    return status;
}

ct_status ct_critical_find(ct_context *ctx, const ct_budget *budget, const ct_model *model,
                           int coordinate, double low, double high, ct_critical *out) {
    ct_context *quiet = ct_context_quiet(ctx);
    ct_loop_system s = {0};
    ct_loop_options options = {.complete = true, .digits = CT_GEOMETRY_DIGITS};
    ct_polys equations = {0};
    ct_solutions found = {0};
    *out = (ct_critical){0};
    // the loops with the drive open
    ct_status status = ct_loop_system_new(quiet, model, &options, &s);
    int drive = status ? -1 : s.f->where[coordinate];
    if (!status && (drive < 0 || !s.system.ring)) out->why = "the drive is no unknown of the loops";
    if (!status && !out->why && !is_bounded(&s, model, coordinate))
        out->why = "a slide may have no bound";
    // and their critical points
    if (!status && !out->why) status = write_system(quiet, &s, drive, &equations, &out->why);
    if (!status && !out->why)
        status = solve(quiet, budget, s.system.ring, &equations, &found, &out->why);
    if (!status && !out->why) take_positions(&s, drive, &found, low, high, out);
    // what cannot be solved is no failure
    if (status && status != CT_INTERRUPTED) {
        status = CT_OK;
        out->why = "they are too large a system of equations";
    }
    out->complete = !status && !out->why;
    out->rounded = out->complete && ct_loop_system_rounded(&s);
    ct_solutions_clear(&found);
    if (s.system.ring) ct_polys_clear(s.system.ring, &equations);
    ct_loop_system_clear(&s);
    return status;
}
