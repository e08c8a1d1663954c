// Private to the embedding: rate blocks as linear equations for rates and accelerations, and the
// programs under construction.
#ifndef CT_EMBED_INSIDE_H
#define CT_EMBED_INSIDE_H

#include "closure/embed/embed.h"

// J^-1 = diag(scale) base. unit: the rows of base are unit vectors at right angles.
typedef struct ct_inverse {
    int n;
    ct_ex *base, *scale;   // [n n], [n]
    ct_ex *in_coordinates; // [n n] base in coordinates, NULL where it is long
    bool unit;
    ct_ex *length;     // [n] unit: of the columns of J; scale is 1 over it
    ct_ex determinant; // product of the divisors
} ct_inverse;

// Rows that are solved together, after the blocks were taken apart as far as their pattern allows:
//   J x' = - K q' - psi_t,   J x'' = gamma - K q''
// With J^-1 = diag(scale) base, the product of base with the part of gamma that depends on the
// unknowns alone is often far simpler than that part. Then it is kept in gamma_own, and gamma holds
// the rest.
typedef struct ct_rows {
    int step, n;
    bool tear;
    int *unknown;           // into f->q
    ct_ex *jacobian;        // [n n]
    int *n_others, **other; // per row: coordinates of K
    ct_ex **k;
    ct_ex *psi_t;
    ct_ex *gamma, *gamma_own; // in terms of f->qd; own: base times the part that gamma lacks
    ct_inverse inverse;       // n = 0 where it is not written out
} ct_rows;

typedef struct ct_embedder {
    ct_closure *closure;
    ct_values *values;
    const ct_formulation *f;
    ct_pool *pool;
    bool along_floating; // accelerations of floating bases are along their own axes
    size_t name;         // part of the names of symbols
    int n_rows;
    ct_rows *rows;
    ct_ex *rate; // [n] of every coordinate, in qi' and values
    ct_substitution *rates;
    ct_program *program;
    ct_segment last; // of the program: sets its results
} ct_embedder;

// Sizes up to which something is written out in symbols.
enum {
    CT_WRITTEN_OUT = 3,        // unknowns of a block: its matrix is inverted
    CT_ROWS_LARGEST = 9,       // unknowns of a loop: its rows are tried beside the steps' equations
    CT_UNROLLED = 12000,       // operations of H = L D L^T without a loop; beyond, a segment solves
    CT_EXPANDED_TERMS = 250,   // terms of an expression that is multiplied out
    CT_TRIVIAL_OPERATIONS = 8, // operations of an entry that is taken whatever it shares
    // operations of M or a recursion, up to which they are optimised to be compared
    CT_ENTRIES_COMPARED = 3000,
    CT_RECURSION_FROM = 100, // operations by entries of M; a recursion over bodies takes no fewer
    CT_SWEEPS_WIN = 2        // times the operations of sweeps: M is left alone
};

void ct_embed_blocks(ct_embedder *e); // rows

// Solves the linear equations of all rows for several columns at once. x [n columns] holds the
// values of the independent coordinates and gets those of the others. The last column has the right
// side that `kind` names, the others have none. Large blocks become segments of the program.
typedef enum ct_right_kind { CT_RIGHT_RATES, CT_RIGHT_ACCELERATIONS } ct_right_kind;
void ct_embed_solve(ct_embedder *e, int columns, ct_ex *x, ct_right_kind kind);
// gamma and gamma_own of a row, in the rates of the independent coordinates.
ct_ex ct_embed_gamma(const ct_embedder *e, const ct_rows *rows, int i);
ct_ex ct_embed_own(const ct_embedder *e, const ct_rows *rows, int i);
// Sets the expressions for the rates of all coordinates: a column of x.
void ct_embed_set_rates(ct_embedder *e, const ct_ex *x, int columns, int column);
void ct_embed_rates(ct_embedder *e); // computes them

// The terms of a sum, also of c (sum), or the expression alone; *out is scratch.
static inline int ct_embed_terms(ct_pool *pool, ct_ex a, ct_ex **out) {
    ct_ex factor = CT_ONE, sum = a;
    if (ct_ex_op(pool, a) == CT_OP_PRODUCT && ct_child_count(pool, a) == 3 &&
        ct_child(pool, a, 2) == CT_ONE) {
        factor = ct_child(pool, a, 0);
        sum = ct_child(pool, a, 1);
    }
    if (ct_ex_op(pool, sum) != CT_OP_SUM) {
        *out = ct_scratch(1, sizeof **out);
        **out = a;
        return 1;
    }
    int n = 0, count = ct_child_count(pool, sum);
    *out = ct_scratch((size_t)count, sizeof **out);
    if (ct_child(pool, sum, 0) != CT_ZERO)
        (*out)[n++] = ct_mul(pool, factor, ct_child(pool, sum, 0));
    for (int i = 1; i < count; i += 2)
        (*out)[n++] = ct_product(
            pool, 3, (ct_ex[]){factor, ct_child(pool, sum, i), ct_child(pool, sum, i + 1)});
    return n;
}
// Cheaper forms of an expression in coordinates. expand: products of sums are multiplied out.
// simplify: multiplied out, also factored, or as it is, whichever takes the fewest operations.
ct_ex ct_embed_expand(ct_pool *pool, ct_ex a);
ct_ex ct_embed_simplify(ct_pool *pool, ct_ex a);

// Inverse of a matrix of values, n up to CT_WRITTEN_OUT; in_coordinates (or NULL) is the matrix in
// coordinates, where more can cancel.
void ct_inverse_find(ct_embedder *e, ct_inverse *inverse, int n, const ct_ex *a,
                     const ct_ex *in_coordinates);
// Component i of diag(scale) (base v + own). often: scale the rows first, for many right sides.
ct_ex ct_inverse_apply(ct_pool *pool, const ct_inverse *inverse, int i, const ct_ex *v, int step,
                       ct_ex own, bool often);
static inline ct_ex ct_inverse_entry(ct_pool *pool, const ct_inverse *inverse, int i, int k) {
    return ct_let_whole(pool, ct_mul(pool, inverse->scale[i], inverse->base[i * inverse->n + k]));
}
ct_ex ct_dot(ct_pool *pool, int n, const ct_ex *a, int step_a, const ct_ex *b, int step_b);

// write.c: a program begins, gets segments that solve linear systems, and ends with e->last, which
// sets the results and checks the guards.
void ct_embed_begin(ct_embedder *e, ct_program *program);
// Solves matrix X = right [n columns] by a segment of the program; right becomes X.
void ct_embed_segment(ct_embedder *e, int step, int n, int columns, const ct_ex *matrix,
                      ct_ex *right);
void ct_embed_guard(ct_embedder *e, ct_ex value, int step);
void ct_embed_end(ct_embedder *e);

// Guards for the divisors of all inverses.
void ct_embed_guard_rows(ct_embedder *e);

// The equations of motion that are embedded: entries of M [n n] and then F [n], the recursion over the
// bodies of a tree, or neither, for sweeps alone.
typedef struct ct_embedded_equations {
    ct_ex *entries;
    const ct_accelerations *tree;
    bool along_floating;
} ct_embedded_equations;
// dynamics.c: the program for qi''.
void ct_embed_dynamics(ct_embedder *e, const ct_embedded_equations *how);
// Operations of M and F, and about those that a solution along the pattern of M takes.
double ct_embed_price(const ct_formulation *f, const ct_ex *mass, const ct_ex *forcing);
// The projected mass matrix h [r r] (lower half) and right side x [r], block by block from the
// last, H = M_ee + K^T J^-T M_xx J^-1 K + ...; every block must be written out.
void ct_embed_condense(ct_embedder *e, const ct_ex *mass, const ct_ex *force, ct_ex *h, ct_ex *x);

#endif
