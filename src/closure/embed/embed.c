// The embedding:  q' = B qi' + C,  q'' = B qi'' + A,  B^T M B qi'' = B^T (F - M A). Every entry is
// an opaque node (ct_let), so that products of sums are not multiplied out and shared expressions
// stay shared. Rates follow from the equations of the steps or from constraint rows: both
// embeddings are built where that is possible, and the cheaper one is kept.
#include "closure/embed/embed_inside.h"
#include "expr/optimise.h"
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
    if (!f->n_whole_rotations || e->closure->n_balls) return;
    ct_derivation *time = second_derivation(e, accelerations);
    for (int i = f->n_integrated; i < f->n_whole_rotations; i++)
        angles(e, f->layout, f->whole_rotations + i, rate, accelerations, time);
    ct_derivation_free(time);
}

// Rotations that a run has whole -------------------------------------------------------------------
// The body from which the angular velocities of two are seen: the nearest above both.
static int above_both(const ct_layout *l, int a, int b) {
    for (; a > 0; a = l->parent[CT_ROTATION][a])
        for (int x = b; x >= 0; x = x ? l->parent[CT_ROTATION][x] : -1)
            if (x == a) return a;
    return 0;
}

// R(e) = R(root <- body) and its spins, as ct_whole_rotation_in_angles gives them, in the layout of the
// closure.
static void turn_of(ct_layout *l, const ct_closure_ball *b, ct_mat3 *r, ct_vec3 *spin) {
    *r = ct_rotation(l, b->root, b->body);
    const int from = above_both(l, b->root, b->body);
    ct_vec3 w = ct_vec_sub(l->pool, ct_angular_velocity(l, b->body, from),
                           ct_angular_velocity(l, b->root, from));
    *spin = ct_turn(l, w, from, b->in_root ? b->root : b->body);
}

// Matrices of the balls, and their spins in the place of the rates of their angles.
static void balls(ct_embedder *e, ct_ex *rate, ct_ex *accelerations) {
    ct_closure *c = e->closure;
    if (!c->n_balls) return;
    ct_derivation *time = second_derivation(e, accelerations);
    c->turns = ct_alloc(9 * (size_t)c->n_balls, sizeof *c->turns);
    for (int i = 0; i < c->n_balls; i++) {
        ct_mat3 r;
        ct_vec3 spin;
        turn_of(e->f->layout, c->balls + i, &r, &spin);
        for (int j = 0; j < 9; j++)
            c->turns[9 * i + j] =
                ct_let_whole(e->pool, ct_values_replace(e->values, r.a[j / 3][j % 3]));
        for (int j = 0; j < 3; j++) {
            rate[c->balls[i].coordinate[j]] = in_values(e, spin.v[j]);
            accelerations[c->balls[i].coordinate[j]] = in_values(e, ct_derive(time, spin.v[j]));
        }
    }
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
    balls(e, rate, x);
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
static void embed(ct_closure *c, ct_values *values, const ct_embedded_equations *how) {
    ct_embedder e = {
        .closure = c, .values = values, .f = c->f, .along_floating = how->along_floating};
    e.pool = e.f->pool;
    e.name = ct_pool_size(e.pool);
    e.rate = ct_scratch((size_t)e.f->n + 1, sizeof *e.rate);
    ct_embed_blocks(&e);
    ct_embed_dynamics(&e, how);
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

static double count_of(const ct_formulation *f, int n, const ct_ex *roots) {
    return ct_operations_total(ct_count_shared(f->pool, n, roots));
}

// True if M takes so many more operations than sweeps over the bodies, one for each freedom, that its
// entries are not worth a look.
static bool sweeps_win(const ct_closure *c, const ct_motion_equations *x) {
    const ct_formulation *f = c->f;
    if (!f->qdd) return false;
    double sweeps = c->r * count_of(f, f->n, x->inertia) + count_of(f, f->n, x->balance);
    double entries = ct_formulation_has_entries(f) ? count_of(f, f->n * f->n, x->mass)
                                                   : ct_formulation_entries_price(f);
    return entries > CT_SWEEPS_WIN * sweeps;
}

// M [n n] and then F [n] in their cheapest form; owned by the caller.
static ct_ex *cheapest_equations(const ct_formulation *f, const ct_motion_equations *x) {
    size_t n = (size_t)f->n;
    ct_ex *a = ct_alloc(n * n + n + 1, sizeof *a);
    ct_formulation_entries(f);
    memcpy(a, x->mass, n * n * sizeof *a);
    memcpy(a + n * n, x->forcing, n * sizeof *a);
    simplify_all(f->pool, f->n * f->n + f->n, a);
    return a;
}

enum { TURNED_BACK = 15 }; // operations of q'' = T a of a floating base

// True if the equations are shorter in accelerations along floating bases, of which every slide is
// independent; three products of three are theirs in the end.
static bool floating_wins(const ct_closure *c) {
    const ct_formulation *f = c->f;
    if (!f->n_floating) return false;
    for (int i = 0; i < f->n_floating; i++)
        for (int j = 0; j < 3; j++)
            if (!c->is_independent[f->floating[i].coordinate[j]]) return false;
    const ct_motion_equations *x = &f->along_floating;
    const double back = TURNED_BACK * f->n_floating;
    if (!ct_formulation_has_entries(f))
        return count_of(f, f->n, x->balance) + back < count_of(f, f->n, f->balance);
    return ct_embed_price(f, x->mass, x->forcing) + back < ct_embed_price(f, f->mass, f->forcing);
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
static void embed_both(ct_closure *c, ct_values *values, const ct_embedded_equations *how) {
    int solved = 0;
    embed(c, values, how);
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
    embed(c, values, how);
    if (ct_program_cost(c->f->pool, &c->dynamics) >= ct_program_cost(c->f->pool, &other.dynamics))
        other = exchange(c, other);
}

// trees ------------------------------------------------------------------------------------------
// The recursion over the bodies of a tree, in accelerations along floating bases where that is shorter.
static ct_embedded_equations tree_equations(const ct_closure *c, ct_accelerations *tree) {
    const ct_formulation *f = c->f;
    ct_embedded_equations how = {.tree = tree};
    double least = -1;
    for (int along = 0; along <= (f->n_floating > 0); along++) {
        ct_accelerations x;
        ct_formulation_accelerations(f, along, &x);
        double price = count_of(f, f->n, x.qdd) + (along ? TURNED_BACK * f->n_floating : 0);
        if (least >= 0 && price >= least) continue;
        least = price;
        *tree = x;
        how.along_floating = along;
    }
    return how;
}

// Operations of the dynamics as they will be optimised, which shortens entries more than a recursion;
// long programs as they are, where that takes time.
static double dynamics_price(ct_pool *pool, const ct_program *program) {
    double price = ct_program_cost(pool, program);
    if (price > CT_ENTRIES_COMPARED) return price;
    int n;
    ct_ex *roots = ct_program_expressions(program, CT_ROLES_CODE, &n);
    ct_optimise(pool, n, roots);
    return ct_operations_total(ct_count_shared(pool, n, roots));
}

static void embed_entries(ct_closure *c, ct_values *values, bool compare) {
    const ct_formulation *f = c->f;
    const bool along = floating_wins(c);
    const ct_motion_equations plain = {f->mass, f->forcing, f->inertia, f->balance},
                              *x = along ? &f->along_floating : &plain;
    ct_embedded_equations how = {.along_floating = along};
    if (!sweeps_win(c, x)) how.entries = cheapest_equations(f, x);
    if (compare)
        embed_both(c, values, &how);
    else
        embed(c, values, &how);
    ct_free(how.entries);
}

void ct_embed(ct_closure *c, ct_values *values, bool compare) {
    const ct_formulation *f = c->f;
    const bool tree = !c->n_dependent && ct_formulation_is_tree(f),
               entries = !tree || ct_formulation_has_entries(f);
    if (entries) embed_entries(c, values, compare);
    if (!tree || (entries && ct_program_cost(f->pool, &c->dynamics) < CT_RECURSION_FROM)) return;
    // by a recursion, too; the dearer of the two goes
    embedding other = {.n_blocks = c->n_rate_blocks, .blocks = c->rate_blocks};
    if (entries) other = exchange(c, other);
    ct_accelerations accelerations;
    const ct_embedded_equations recursion = tree_equations(c, &accelerations);
    embed(c, values, &recursion);
    const double clearly = 0.97; // by a little only, sharing may turn it round
    if (entries &&
        dynamics_price(f->pool, &c->dynamics) >= clearly * dynamics_price(f->pool, &other.dynamics))
        other = exchange(c, other);
}
