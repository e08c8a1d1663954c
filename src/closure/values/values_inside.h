// Inside of the sums of angles: the pairs and where they are found.
#ifndef CT_VALUES_INSIDE_H
#define CT_VALUES_INSIDE_H

#include "closure/values/values.h"
#include "formulate/whole_rotation.h"

typedef struct ct_angle_sum {
    ct_ex angle;      // as it stands below sines and cosines
    int cosine, sine; // of the closure's values
} ct_angle_sum;

// A number per node of the pool, -1 where none was set.
typedef struct ct_node_index {
    int *at;
    size_t room;
} ct_node_index;

struct ct_values {
    ct_closure *closure;
    const ct_formulation *f;
    ct_pool *pool;
    size_t name; // part of the names of symbols
    ct_angle_sum *item;
    int n, room;
    ct_node_index angle_sum_of;  // by angle
    ct_node_index value_of;      // by symbol
    ct_node_index vector_of;     // by symbol of a value: that of a whole rotation's vector
    ct_node_index coordinate_of; // by symbol of f->q
    ct_node_index visited;
    ct_substitution *map;
    int *slide, *tracked;           // [f->n] values and tracked ones, or -1
    ct_layout *in_angles;           // where the formulation has whole rotations: the same in angles
    ct_whole_rotation_basis *basis; // [whole rotations]
};

static inline int ct_node_index_get(const ct_node_index *x, ct_ex node) {
    return node < x->room ? x->at[node] : -1;
}

// The form whose values give cos(angle): a number, or sign * cosine or sine of a form. The same for
// the sine.
typedef struct ct_signed_trig {
    bool minus;
    ct_ex node; // a SIN or COS node, or anything without coordinates
} ct_signed_trig;
ct_signed_trig ct_signed_trig_of(ct_pool *pool, ct_op op, ct_ex angle);
// The form of a SIN or COS node, made if it is not there.
int ct_values_of(ct_values *values, ct_ex node);

#endif
