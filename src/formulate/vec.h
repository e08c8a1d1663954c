// Vectors and matrices of expressions.
#ifndef CT_VEC_H
#define CT_VEC_H

#include "model/model.h"

ct_vec3 ct_vec(ct_ex x, ct_ex y, ct_ex z);
ct_vec3 ct_vec_unit(int axis);
bool ct_vec_is_zero(ct_vec3 a);
bool ct_vec_same(ct_vec3 a, ct_vec3 b);
ct_vec3 ct_vec_add(ct_pool *pool, ct_vec3 a, ct_vec3 b);
ct_vec3 ct_vec_sub(ct_pool *pool, ct_vec3 a, ct_vec3 b);
ct_vec3 ct_vec_neg(ct_pool *pool, ct_vec3 a);
ct_vec3 ct_vec_scale(ct_pool *pool, ct_ex s, ct_vec3 a);
ct_ex ct_vec_dot(ct_pool *pool, ct_vec3 a, ct_vec3 b);
ct_vec3 ct_vec_cross(ct_pool *pool, ct_vec3 a, ct_vec3 b);
ct_vec3 ct_vec_let(ct_pool *pool, ct_vec3 a);
// Two unit vectors that complete u to a right-handed frame (n1, n2, u). They are chosen by the
// components of u that are exactly zero, else by the values of the components at the model's
// parameters.
void ct_vec_normals(const ct_model *model, ct_vec3 u, ct_vec3 *n1, ct_vec3 *n2);
// Fills the condition under which these normals are normals. Returns false where no parameter decides.
bool ct_vec_normals_condition(const ct_model *model, ct_vec3 u, ct_condition *condition);

bool ct_mat_is_identity(ct_mat3 a);
ct_mat3 ct_mat_mul(ct_pool *pool, ct_mat3 a, ct_mat3 b);
ct_mat3 ct_mat_transpose(ct_mat3 a);
ct_vec3 ct_mat_vec(ct_pool *pool, ct_mat3 a, ct_vec3 v);
ct_vec3 ct_mat_transpose_vec(ct_pool *pool, ct_mat3 a, ct_vec3 v);
ct_mat3 ct_mat_rotation(ct_pool *pool, ct_vec3 axis, ct_ex angle); // axis of length 1
ct_mat3 ct_mat_let(ct_pool *pool, ct_mat3 a);

#endif
