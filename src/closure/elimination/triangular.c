// The search for a triangular system. Every order of the (at most three) unknowns is tried modulo a
// prime at a random point; the one with the lowest degrees is kept. An order is one of blocks:
// roots and quotients of inner steps first, then the unknowns, the one to be solved first last.
// Elements of the basis without the first blocks are then those of the elimination ideals.
#include "closure/elimination/triangular.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS = CT_TRIANGULAR_UNKNOWNS };
static const double shape_work = 3e5; // work of the basis of one order
// prices of an order, in its weight: the highest degree outweighs the sum of all degrees
static const double highest_degree = 1e9, all_degrees = 1e6;

typedef struct order {
    int n;
    int unknown[UNKNOWNS]; // in the order of solving
    int first[UNKNOWNS];   // variable of the ring where the block of each begins
    int place[CT_UNKNOWNS_MAX];
    int n_blocks;
    ct_order_block blocks[UNKNOWNS + 1];
} order;

static order order_of(const ct_block_system *system, const int *unknown) {
    order o = {.n = system->n};
    int at = system->n_helpers;
    for (int k = 0; k < system->n_helpers; k++) o.place[k] = k;
    if (at) o.blocks[o.n_blocks++] = (ct_order_block){at, CT_DEGREVLEX};
    for (int i = system->n - 1; i >= 0; i--) {
        const ct_block_unknown *u = system->unknown + unknown[i];
        int size = u->is_angle ? 2 : 1;
        o.unknown[i] = unknown[i];
        o.first[i] = at;
        o.place[u->c] = at + size - 1; // sines before cosines, which are what is left over then
        if (u->is_angle) o.place[u->s] = at;
        o.blocks[o.n_blocks++] = (ct_order_block){size, CT_DEGREVLEX};
        at += size;
    }
    return o;
}

static ct_ring *ring_of(const ct_block_system *system, const order *o) {
    const char *names[CT_UNKNOWNS_MAX];
    for (int k = 0; k < system->ring->n; k++) names[o->place[k]] = system->ring->names[k];
    ct_context *quiet = ct_context_quiet(NULL);
    ct_ring *ring = ct_ring_new(quiet, system->ring->n, names, o->n_blocks, o->blocks, 0, NULL);
    return ring;
}

// reading off ------------------------------------------------------------------------------------
typedef struct element { // of the basis, as seen by one unknown
    int degree;          // in its variables
    bool cosine, sine;   // which it holds
    slong weight;        // terms
} element;

static element look_at(const ct_ring *ring, const ct_poly *f, int first, bool is_angle) {
    element e = {.weight = f->n};
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *x = ct_poly_exps(ring, f, i) + first;
        int degree = (int)(x[0] + (is_angle ? x[1] : 0));
        if (degree > e.degree) e.degree = degree;
        e.cosine = e.cosine || x[is_angle];
        e.sine = e.sine || (is_angle && x[0]);
    }
    return e;
}

// Returns true for c^2 + s^2 - 1, which gives no unknown.
static bool is_identity(const ct_ring *ring, const ct_poly *f, int first) {
    if (f->n != 3) return false;
    for (slong i = 0; i < 3; i++) {
        const uint32_t *x = ct_poly_exps(ring, f, i);
        for (int k = 0; k < ring->n; k++)
            if (k < first || k > first + 1 ? x[k] != 0 : x[k] == 1) return false;
    }
    return true;
}

// Returns true if f holds unknowns that are solved later: its leading term then does.
static bool is_later(const ct_poly *f, int first) {
    for (int k = 0; k < first; k++)
        if (f->exps[k]) return true;
    return false;
}

typedef struct choice {
    ct_triangular_kind kind;
    int degree, by[2];
    slong weight;
} choice;

// Degree, with one more for a cosine or a sine alone: the other one takes a further square root,
// which fails where branches cross.
static int rank(const choice *c) {
    return c->degree + (c->kind == CT_TRIANGULAR_COSINE || c->kind == CT_TRIANGULAR_SINE);
}

static void prefer(choice *best, choice c) {
    if (best->degree &&
        (rank(&c) > rank(best) || (rank(&c) == rank(best) && c.weight >= best->weight)))
        return;
    *best = c;
}

static choice choice_of(const element *e, int i, bool is_angle, bool is_first) {
    choice c = {.by = {i, -1}, .weight = e->weight};
    if (!e->degree) return c;
    if (e->degree == 1)
        c = (choice){is_angle ? CT_TRIANGULAR_PAIR : CT_TRIANGULAR_LINEAR,
                     is_angle ? 2 : 1,
                     {i, -1},
                     e->weight};
    else if (!is_angle && e->degree == 2)
        c.kind = CT_TRIANGULAR_SQUARE, c.degree = 2;
    else if (is_angle && !(e->cosine && e->sine) && (is_first || e->degree == 2))
        c.kind = e->cosine ? CT_TRIANGULAR_COSINE : CT_TRIANGULAR_SINE, c.degree = e->degree;
    else if (!is_first)
        c.degree = 0;
    else
        c.kind = CT_TRIANGULAR_ROOT, c.degree = is_angle ? 2 * e->degree : e->degree;
    return c;
}

// The basis of one order; all: the basis, then the equations, which need no elimination.
typedef struct seen {
    const ct_ring *ring;
    uint32_t p;
    ct_polys basis, all;
} seen;

// The part of f with one sine (which 0) or cosine of the unknown, without it.
static void part_of(const seen *x, ct_poly *out, const ct_poly *f, int first, int which) {
    uint32_t e[CT_UNKNOWNS_MAX];
    ct_poly_init(out);
    for (slong i = 0; i < f->n; i++) {
        memcpy(e, ct_poly_exps(x->ring, f, i), (size_t)x->ring->n * sizeof *e);
        if (!e[first + which]) continue;
        e[first + which]--;
        ct_poly_push(x->ring, out, e, f->coefs + i);
    }
    ct_poly_sort(x->ring, out);
}

// Returns true if two equations that are linear in an unknown's sine and cosine give both: their
// determinant is not in the ideal.
static bool are_two(const seen *x, const ct_poly *f, const ct_poly *g, int first) {
    ct_poly a[2], b[2], det, r;
    ct_context *quiet = ct_context_quiet(NULL);
    fmpz_t one, minus;
    fmpz_init_set_si(one, 1);
    fmpz_init_set_si(minus, -1);
    ct_poly_init(&det);
    ct_poly_init(&r);
    // coefficients of sine (0) and cosine (1) in f and in g
    for (int k = 0; k < 2; k++) {
        part_of(x, a + k, f, first, k);
        part_of(x, b + k, g, first, k);
    }
    // det = a0 b1 - a1 b0
    bool good =
        !ct_poly_mul(quiet, x->ring, &det, a, b + 1) && !ct_poly_mul(quiet, x->ring, &r, a + 1, b);
    ct_poly_combine(x->ring, &det, one, &det, minus, &r);
    // its coefficients modulo p
    ct_poly left;
    ct_poly_init(&left);
    for (slong i = 0; i < det.n; i++) {
        fmpz_mod_ui(det.coefs + i, det.coefs + i, x->p);
        if (!fmpz_is_zero(det.coefs + i))
            ct_poly_push(x->ring, &left, ct_poly_exps(x->ring, &det, i), det.coefs + i);
    }
    // det is not in the ideal: the basis leaves a remainder
    good = good && left.n && ct_remainder(x->ring, &r, &left, &x->basis, x->p) && r.n;
    for (int k = 0; k < 2; k++) {
        ct_poly_clear(x->ring, a + k);
        ct_poly_clear(x->ring, b + k);
    }
    ct_poly_clear(x->ring, &det);
    ct_poly_clear(x->ring, &left);
    ct_poly_clear(x->ring, &r);
    fmpz_clear(one);
    fmpz_clear(minus);
    return good;
}

// The cheapest equation, or pair of equations, for one unknown; degree 0: there is none.
static choice choose(const seen *x, int first, bool is_angle, bool is_first) {
    enum { LINEAR = 8, ELIMINATION = 16 };
    choice best = {0}, linear[LINEAR];
    int n = 0;
    // elements in this unknown and those solved before; equations need no elimination
    for (int i = 0; i < x->all.n; i++) {
        const ct_poly *f = x->all.p + i;
        if (is_later(f, first)) continue;
        element e = look_at(x->ring, f, first, is_angle);
        if (is_angle && is_identity(x->ring, f, first)) continue;
        if (i < x->basis.n) e.weight += ELIMINATION;
        choice c = choice_of(&e, i, is_angle, is_first);
        if (c.degree) prefer(&best, c);
        if (c.kind == CT_TRIANGULAR_PAIR && c.degree && n < LINEAR) linear[n++] = c;
    }
    // two linear equations in sine and cosine give both
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            choice c = {CT_TRIANGULAR_LINEAR,
                        1,
                        {linear[k].by[0], linear[i].by[0]},
                        linear[k].weight + linear[i].weight};
            if (best.degree == 1 && c.weight >= best.weight) continue;
            if (are_two(x, x->all.p + c.by[0], x->all.p + c.by[1], first)) prefer(&best, c);
        }
    return best;
}

// Cost of an order, the highest degree first; 0: it gives no triangular system.
static double read_off(const ct_block_system *system, const order *o, const seen *x, choice *out) {
    double most = 0, sum = 0, weight = 0;
    for (int i = 0; i < o->n; i++) {
        out[i] = choose(x, o->first[i], system->unknown[o->unknown[i]].is_angle, i == 0);
        if (!out[i].degree || out[i].degree > 4) return 0;
        if (rank(out + i) > most) most = rank(out + i);
        sum += rank(out + i);
        weight += (double)out[i].weight;
    }
    return most * highest_degree + sum * all_degrees + weight;
}

// orders -----------------------------------------------------------------------------------------
typedef struct search {
    const ct_block_system *s;
    const ct_block_point *at;
    ct_ring *number_ring;
    ct_polys equations; // there
    double least;
    ct_triangular *best;
    ct_polys target[UNKNOWNS]; // of the best so far
} search;

static void keep(search *x, const order *o, const seen *from, const choice *c) {
    int back[CT_UNKNOWNS_MAX];
    for (int k = 0; k < from->ring->n; k++) back[o->place[k]] = k;
    x->best->n = o->n;
    for (int i = 0; i < o->n; i++) {
        ct_triangular_step *step = x->best->step + i;
        *step = (ct_triangular_step){
            .unknown = o->unknown[i], .kind = c[i].kind, .degree = c[i].degree};
        ct_polys_clear(x->number_ring, x->target + i);
        for (; step->n < 2 && c[i].by[step->n] >= 0; step->n++)
            ct_poly_convert(x->number_ring, ct_polys_add(x->target + i), from->ring,
                            from->all.p + c[i].by[step->n], back);
    }
}

// Solves the block by a Gröbner basis for one order of its unknowns, and keeps the triangular system
// that is read off in x->best if it costs fewer operations than all before. No basis within the
// limits of work: the order is passed over.
static void try_order(search *x, const order *o) {
    ct_ring *ring = ring_of(x->s, o);
    seen v = {.ring = ring, .p = x->at->p};
    ct_polys in = {0};
    choice c[UNKNOWNS];
    ct_context *quiet = ct_context_quiet(NULL);
    ct_groebner_options options = {.prime = x->at->p, .budget.work = shape_work};
    // a Gröbner basis for this order of unknowns, modulo p
    for (int i = 0; i < x->equations.n; i++)
        ct_poly_convert(ring, ct_polys_add(&in), x->number_ring, x->equations.p + i, o->place);
    if (!ct_groebner(quiet, ring, &v.basis, &in, &options)) {
        // for each unknown the cheapest polynomial of the basis or of the given equations
        for (int i = 0; i < v.basis.n + in.n; i++)
            ct_poly_set(ring, ct_polys_add(&v.all),
                        i < v.basis.n ? v.basis.p + i : in.p + i - v.basis.n);
        double cost = read_off(x->s, o, &v, c);
        if (cost > 0 && (x->least <= 0 || cost < x->least)) {
            x->least = cost;
            keep(x, o, &v, c);
        }
    }
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &v.basis);
    ct_polys_clear(ring, &v.all);
    ct_ring_free(ring);
}

static bool find_templates(search *x) {
    for (int i = 0; i < x->best->n; i++)
        for (int k = 0; k < x->best->step[i].n; k++)
            if (!ct_template_find(x->number_ring, &x->equations, x->target[i].p + k, x->at->p,
                                  x->best->step[i].by + k))
                return false;
    return true;
}

bool ct_triangular_find(const ct_block_system *system, const ct_block_point *at,
                        ct_triangular *triangular) {
    static const int count[] = {0, 1, 2, 6};
    static const int permutations[][UNKNOWNS] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                                 {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
    memset(triangular, 0, sizeof *triangular);
    if (system->n > UNKNOWNS || system->ring->n > CT_TEMPLATE_VARIABLES) return false;
    search x = {.s = system,
                .at = at,
                .number_ring = ct_block_number_ring(system->ring),
                .best = triangular};
    ct_block_at(x.number_ring, &x.equations, system->ring, &system->equations, at);
    for (int i = 0; i < count[system->n]; i++) {
        order o = order_of(system, permutations[i]);
        try_order(&x, &o);
    }
    bool good = x.least > 0 && find_templates(&x);
    ct_polys_clear(x.number_ring, &x.equations);
    for (int i = 0; i < UNKNOWNS; i++) ct_polys_clear(x.number_ring, x.target + i);
    ct_ring_free(x.number_ring);
    return good;
}

int ct_triangular_degree(const ct_triangular *triangular) {
    int most = 0;
    for (int i = 0; i < triangular->n; i++)
        if (triangular->step[i].degree > most) most = triangular->step[i].degree;
    return most;
}

// fits -------------------------------------------------------------------------------------------
bool ct_triangular_fits(const ct_block_system *system, const ct_triangular *triangular, int step,
                        const ct_template_result *result) {
    const ct_triangular_step *x = triangular->step + step;
    const ct_block_unknown *u = system->unknown + x->unknown;
    element e = {0};
    for (int i = 0; i < result->n; i++) {
        const uint8_t *m = result->monomial[i].e;
        // no variable but those of this step and the ones before
        for (int k = 0; k < system->ring->n; k++) {
            bool solved = false;
            for (int j = 0; j <= step; j++) {
                const ct_block_unknown *v = system->unknown + triangular->step[j].unknown;
                solved = solved || k == v->c || (v->is_angle && k == v->s);
            }
            if (m[k] && !solved) return false;
        }
        // degree, cosine and sine of the unknown
        int degree = m[u->c] + (u->is_angle ? m[u->s] : 0);
        if (degree > e.degree) e.degree = degree;
        e.cosine = e.cosine || m[u->c];
        e.sine = e.sine || (u->is_angle && m[u->s]);
    }
    // the kind and the degree that the step says
    if (x->n == 2) return u->is_angle && x->kind == CT_TRIANGULAR_LINEAR && e.degree == 1;
    choice c = choice_of(&e, 0, u->is_angle, step == 0);
    return x->n == 1 && c.degree && c.kind == x->kind && c.degree == x->degree;
}
