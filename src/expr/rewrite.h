// Private to the optimiser: copies of expressions, made from the leaves up.
#ifndef CT_REWRITE_H
#define CT_REWRITE_H

#include "expr/pool.h"

typedef struct ct_copier {
    ct_pool *pool;
    ct_ex *image; // by node
    int *uses;
    void *data;
} ct_copier;
typedef ct_ex ct_rewrite_fn(ct_copier *c,
                            ct_ex a); // the image of a node whose children have theirs

void ct_rewrite(ct_pool *pool, int n, ct_ex *roots, ct_rewrite_fn *f, void *data);
// The same where the nodes below the roots are in order already (ct_walk).
void ct_rewrite_walked(ct_pool *pool, int count, const ct_ex *order, int n, ct_ex *roots,
                       ct_rewrite_fn *f, void *data);
ct_ex ct_rewrite_product(ct_copier *c, ct_ex a); // the node again, with the images of its children
ct_ex ct_rewrite_function(ct_copier *c, ct_ex a);
// An opaque node (LET) around a sum or product.
ct_ex ct_fence(ct_pool *pool, ct_ex a);
// True if the expression holds numbers and parameters only.
bool ct_is_parametric(const ct_pool *pool, ct_ex a);

// One round of taking out pairs of factors (CT_OP_PRODUCT) or of terms (CT_OP_SUM). Returns false,
// and leaves the roots, if that saves no operations.
bool ct_pair_round(ct_pool *pool, ct_op op, int n, ct_ex *roots, double *operations);

#endif
