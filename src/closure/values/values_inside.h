// Private to the values: the table of sums of angles, and indices by node of the pool.
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
    ct_layout *in_angles;           // layout in angles, for formulations with whole rotations
    ct_whole_rotation_basis *basis; // [whole rotations]
};

static inline int ct_node_index_get(const ct_node_index *x, ct_ex node) {
    return node < x->room ? x->at[node] : -1;
}

// The sine or cosine of an angle as the pool writes it: a number, or plus or minus the sine or
// cosine of a sum of angles in the table.
typedef struct ct_signed_trig {
    bool minus;
    ct_ex node; // a SIN or COS node, or anything without coordinates
} ct_signed_trig;
ct_signed_trig ct_signed_trig_of(ct_pool *pool, ct_op op, ct_ex angle);
// The sum of angles of a SIN or COS node, entered into the table on first use.
int ct_values_of(ct_values *values, ct_ex node);

#endif
