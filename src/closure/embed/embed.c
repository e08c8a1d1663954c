// The embedding:  q' = B qi' + C,  q'' = B qi'' + A,  B^T M B qi'' = B^T (F - M A). Every entry is
// an opaque node (ct_let), so that products of sums are not multiplied out and shared expressions
// stay shared. Rates follow from the equations of the steps or from constraint rows: both
// embeddings are built where that is possible, and the cheaper one is kept.
#include "closure/embed/embed_inside.h"
#include "formulate/whole_rotation.h"
#include "program/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// whole rotations --------------------------------------------------------------------------------
// Rates of the three angles of a whole rotation's joint from spins: with u the angular velocity of
// B relative to A in A's joint frame and E = (e_1, e_2, e_3) the axes of the turns there,
//   E q' = u,   E q'' = u' - E' q'.

// The time derivative, with accelerations as the derivatives of rates.
static ct_derivation *second_derivation(const ct_embedder *e, const ct_ex *accelerations) {
    const ct_formulation *f = e->f;
    ct_derivation *d = ct_derivation_new(e->pool);
    for (int k = 0; k < f->n; k++) {
        if (!ct_whole_rotation_of_coordinate(f, k, NULL)) ct_derivation_map(d, f->q[k], f->qd[k]);
        ct_derivation_map(d, f->qd[k], accelerations[k]);
    }
    ct_derivation_map_time(d, f->model);
    ct_whole_rotation_derivation(f, d);
    return d;
}

static ct_ex in_values(const ct_embedder *e, ct_ex a) {
    return ct_let_whole(e->pool, ct_substitute(e->rates, ct_values_replace(e->values, a)));
}

// u: the angular velocity of B relative to A, in A's joint frame.
static ct_vec3 relative_spin(ct_layout *l, const ct_whole_rotation *whole, const ct_connection *c) {
    ct_vec3 w = ct_vec_sub(l->pool, ct_angular_velocity(l, c->body[1], whole->root),
                           ct_angular_velocity(l, c->body[0], whole->root));
    return ct_mat_transpose_vec(l->pool, c->orient[0], ct_turn(l, w, whole->root, c->body[0]));
}

static void angles(ct_embedder *e, ct_layout *l, const ct_whole_rotation *whole, ct_ex *rate,
                   ct_ex *second, ct_derivation *time) {
    ct_pool *pool = e->pool;
    const ct_connection *c =
        l->connections + ct_graph_edge(e->f->graph, CT_EDGE_JOINT, whole->joint);
    // E from the axes of the three turns, and its inverse
    ct_vec3 u = relative_spin(l, whole, c), axis[3];
    ct_ex matrix[9], right[3], found[3];
    for (int k = 0; k < 3; k++) {
        axis[k] = ct_mat_vec(pool, ct_connection_rotation(pool, c, 0, k), c->axis[k]);
        for (int i = 0; i < 3; i++) matrix[3 * i + k] = in_values(e, axis[k].v[i]);
    }
    ct_inverse inverse;
    ct_inverse_find(e, &inverse, 3, matrix, NULL);
    // q' = E^-1 u
    ct_derivation *turning = ct_derivation_new(pool); // of the axes
    for (int i = 0; i < 3; i++) right[i] = in_values(e, u.v[i]);
    for (int i = 0; i < 3; i++) {
        found[i] = ct_inverse_apply(pool, &inverse, i, right, 1, CT_ZERO, false);
        ct_derivation_map(turning, c->angle[i], found[i]);
    }
    for (int i = 0; i < 3; i++) {
        // u' - E' q'
        right[i] = in_values(e, ct_derive(time, u.v[i]));
        for (int k = 0; k < 3; k++) {
            ct_ex change = in_values(e, ct_derive(turning, axis[k].v[i]));
            right[i] = ct_sub(pool, right[i], ct_mul(pool, change, found[k]));
        }
        right[i] = ct_let_whole(pool, right[i]);
    }
    // q'' = E^-1 (u' - E' q')
    for (int i = 0; i < 3; i++) {
        rate[whole->coordinate[i]] = found[i];
        second[whole->coordinate[i]] =
            ct_inverse_apply(pool, &inverse, i, right, 1, CT_ZERO, false);
    }
    ct_derivation_free(turning);
}

static void whole_rotations(ct_embedder *e, ct_ex *rate, ct_ex *accelerations) {
    const ct_formulation *f = e->f;
    if (!f->n_whole_rotations) return;
    ct_derivation *time = second_derivation(e, accelerations);
    for (int i = f->n_integrated; i < f->n_whole_rotations; i++)
        angles(e, f->layout, f->whole_rotations + i, rate, accelerations, time);
    ct_derivation_free(time);
}

// expansion --------------------------------------------------------------------------------------
static void expansion(ct_embedder *e) {
    ct_closure *c = e->closure;
    int n = e->f->n;
    ct_ex *x = ct_scratch((size_t)n + 1, sizeof *x);
    // symbols for the accelerations of the independent coordinates
    ct_embed_begin(e, &c->expansion);
    c->accelerations = ct_alloc((size_t)c->r + 1, sizeof *c->accelerations);
    for (int i = 0; i < c->r; i++) {
        char *name = ct_scratch_format("%s'' of %zu", e->f->names[c->independent[i]], e->name);
        c->accelerations[i] = ct_symbol(e->pool, CT_SYMBOL_ACCELERATION, name);
        x[c->independent[i]] = c->accelerations[i];
    }
    // rates and accelerations of all coordinates
    ct_embed_rates(e);
    ct_embed_solve(e, 1, x, CT_RIGHT_ACCELERATIONS);
    // angles of whole rotations instead of their spins; late guards: no angles are locked, the
    // joints of a body that keeps its orientation are closed
    ct_ex *rate = ct_scratch((size_t)n + 1, sizeof *rate);
    memcpy(rate, e->rate, (size_t)n * sizeof *rate);
    whole_rotations(e, rate, x);
    for (int i = 0; i < c->n_late; i++) ct_embed_guard(e, c->late[i].value, c->late[i].step);
    // results: slides, rates, accelerations; the angles are found from their sines and cosines
    for (int k = 0; k < n; k++)
        if (!e->f->is_angle[k]) ct_segment_set(&e->last, k, ct_values_slide(e->values, k));
    for (int k = 0; k < n; k++) ct_segment_set(&e->last, n + k, rate[k]);
    for (int k = 0; k < n; k++) ct_segment_set(&e->last, 2 * n + k, x[k]);
    ct_embed_guard_rows(e);
    ct_embed_end(e);
}

// One embedding, from the rate blocks of the closure.
static void embed(ct_closure *c, ct_values *values, const ct_ex *equations) {
    ct_embedder e = {.closure = c, .values = values, .f = c->f};
    e.pool = e.f->pool;
    e.name = ct_pool_size(e.pool);
    e.rate = ct_scratch((size_t)e.f->n + 1, sizeof *e.rate);
    ct_embed_blocks(&e);
    ct_embed_dynamics(&e, equations);
    expansion(&e);
    ct_substitution_free(e.rates);
}

// equations of motion ---------------------------------------------------------------------------
static double cost(ct_pool *pool, ct_ex a) {
    return ct_operations_total(ct_count_shared(pool, 1, &a));
}

// Simplifies all entries, only those that become trivial, or none, whichever takes the fewest
// operations: simplified entries share less with each other.
static void simplify_all(ct_pool *pool, int n, ct_ex *a) {
    enum { WAYS = 3 };
    size_t size = (size_t)n;
    ct_ex *ways = ct_scratch(WAYS * size + 1, sizeof *ways);
    int best = 0;
    double least = 0;
    // three ways: all simplified, trivial ones only, none
    for (int i = 0; i < n; i++) {
        ct_ex simple = a[i] == CT_ZERO ? CT_ZERO : ct_embed_simplify(pool, a[i]);
        bool trivial = cost(pool, simple) <= fmax(CT_TRIVIAL_OPERATIONS, cost(pool, a[i]) / 2);
        ways[i] = simple;
        ways[n + i] = trivial ? simple : a[i];
        ways[2 * n + i] = a[i];
    }
    // the way with the fewest operations
    for (int k = 0; k < WAYS; k++) {
        double total = ct_operations_total(ct_count_shared(pool, n, ways + k * n));
        if (k && total >= least) continue;
        least = total;
        best = k;
    }
    memcpy(a, ways + best * n, size * sizeof *a);
}

// True if M takes so many more operations than sweeps over the bodies, one for each freedom, that its
// entries are not worth a look.
static bool sweeps_win(const ct_closure *c) {
    const ct_formulation *f = c->f;
    if (!f->qdd) return false;
    double entries = ct_operations_total(ct_count_shared(f->pool, f->n * f->n, f->mass)),
           inertia = ct_operations_total(ct_count_shared(f->pool, f->n, f->inertia)),
           balance = ct_operations_total(ct_count_shared(f->pool, f->n, f->balance));
    return entries > CT_SWEEPS_WIN * (c->r * inertia + balance);
}

// M [n n] and then F [n] in their cheapest form; owned by the caller.
static ct_ex *cheapest_equations(const ct_formulation *f) {
    size_t n = (size_t)f->n;
    ct_ex *a = ct_alloc(n * n + n + 1, sizeof *a);
    memcpy(a, f->mass, n * n * sizeof *a);
    memcpy(a + n * n, f->forcing, n * sizeof *a);
    simplify_all(f->pool, f->n * f->n + f->n, a);
    return a;
}

// which blocks -----------------------------------------------------------------------------------
// The step that finds a coordinate; 0 if none does.
static int step_of(const ct_closure *c, int unknown) {
    for (int i = 0; i < c->n_rate_blocks; i++)
        for (int k = 0; k < c->rate_blocks[i].n; k++)
            if (c->rate_blocks[i].unknown[k] == unknown) return c->rate_blocks[i].step;
    return 0;
}

// Blocks of constraint rows as equations for rates.
static ct_rate_block *row_blocks(const ct_closure *c) {
    ct_rate_block *blocks = ct_alloc((size_t)c->n_constraint_blocks + 1, sizeof *blocks);
    for (int i = 0; i < c->n_constraint_blocks; i++) {
        const ct_constraint_block *loop = c->constraint_blocks + i;
        ct_rate_block *b = blocks + i;
        size_t n = (size_t)loop->n;
        *b = (ct_rate_block){.step = step_of(c, loop->unknown[0]), .n = loop->n};
        b->unknown = ct_alloc(n, sizeof *b->unknown);
        b->psi = ct_alloc(n, sizeof *b->psi);
        for (int k = 0; k < loop->n; k++) {
            b->unknown[k] = loop->unknown[k];
            b->psi[k] = c->f->phi[loop->rows[k]];
        }
    }
    return blocks;
}

typedef struct embedding {
    int n_blocks;
    ct_rate_block *blocks;
    ct_program dynamics, expansion;
    ct_ex *accelerations;
} embedding;

// Puts an embedding into the closure. Returns the one that was there.
static embedding exchange(ct_closure *c, embedding x) {
    embedding old = {c->n_rate_blocks, c->rate_blocks, c->dynamics, c->expansion, c->accelerations};
    c->n_rate_blocks = x.n_blocks;
    c->rate_blocks = x.blocks;
    c->dynamics = x.dynamics;
    c->expansion = x.expansion;
    c->accelerations = x.accelerations;
    return old;
}

// True if no block holds one or two of the three spins of a whole rotation.
static bool rotations_are_whole(const ct_closure *c) {
    for (int i = 0; i < c->f->n_whole_rotations; i++)
        for (int k = 0; k < c->n_constraint_blocks; k++) {
            int members = 0;
            for (int j = 0; j < c->constraint_blocks[k].n; j++)
                for (int part = 0; part < 3; part++)
                    members += c->constraint_blocks[k].unknown[j] ==
                               c->f->whole_rotations[i].coordinate[part];
            if (members % 3) return false;
        }
    return true;
}

// Embeds with the equations of the steps and, if they are small and regular, with the constraint
// rows; keeps the cheaper of the two.
static void embed_both(ct_closure *c, ct_values *values, const ct_ex *equations) {
    int solved = 0;
    embed(c, values, equations);
    // blocks of constraint rows: all of them small
    for (int i = 0; i < c->n_constraint_blocks; i++) {
        if (c->constraint_blocks[i].n > CT_ROWS_LARGEST) return;
        solved += c->constraint_blocks[i].n;
    }
    // where components cross, constraint rows are singular and the steps' equations are not
    if (solved != c->n_dependent || c->components || !rotations_are_whole(c)) return;
    // the second embedding; the dearer of the two goes
    embedding other = {.n_blocks = c->n_constraint_blocks, .blocks = row_blocks(c)};
    other = exchange(c, other);
    embed(c, values, equations);
    if (ct_program_cost(c->f->pool, &c->dynamics) >= ct_program_cost(c->f->pool, &other.dynamics))
        other = exchange(c, other);
}

void ct_embed(ct_closure *c, ct_values *values, bool compare) {
    ct_ex *equations = sweeps_win(c) ? NULL : cheapest_equations(c->f);
    if (compare)
        embed_both(c, values, equations);
    else
        embed(c, values, equations);
    ct_free(equations);
}
