// Coordinates of joints outside the trees that something names: their bodies are placed already.
#include "closure/steps/builder.h"

static void auxiliary_angles(const ct_steps *b, ct_segment *s, const ct_connection *c,
                             const int *k) {
    ct_pool *pool = b->pool;
    ct_mat3 r = ct_joint_rotation(b->layout, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r.a[i][j] = ct_steps_replace(b, r.a[i][j]);
    if (c->n_rot == 3) {
        ct_steps_three_angles(b, s, c, r, k);
        return;
    }
    for (int i = 0; i < c->n_rot; i++) {
        // u w -> v: the turn about u that takes w into v
        ct_vec3 u = c->axis[i], w, v, n2;
        if (c->n_rot == 1) {
            ct_vec_normals(b->f->model, u, &w, &n2);
            v = ct_mat_vec(pool, r, w);
        } else {
            w = c->axis[1 - i];
            v = i ? ct_mat_transpose_vec(pool, r, w) : ct_mat_vec(pool, r, w);
        }
        ct_vec3 side = ct_vec_cross(b->pool, u, w),
                flat = ct_vec_sub(pool, w, ct_vec_scale(b->pool, ct_vec_dot(b->pool, u, w), u));
        ct_ex over = ct_power_int(pool, ct_vec_dot(b->pool, flat, flat), -1);
        ct_ex cosine = ct_mul(pool, ct_vec_dot(b->pool, flat, v), over),
              sine = ct_mul(pool, ct_vec_dot(b->pool, side, v), over);
        ct_steps_set(b, s, b->f->q[k[i]], cosine, i ? ct_neg(pool, sine) : sine);
    }
}

// Coordinates of a joint outside the tree, first .. first + n - 1 of f->q, all slides or all
// angles.
static void auxiliary_joint(const ct_steps *b, int joint, int first, int n) {
    const ct_connection *c = ct_steps_joint(b, joint);
    int k[6], count = 0;
    ct_ex psi[6];
    for (int i = 0; i < n; i++) k[i] = first + i;
    for (int i = 0; i < b->f->m && count < n; i++) {
        bool named = false;
        for (int j = 0; j < n; j++)
            named = named || ct_depends(b->pool, b->f->phi[i], b->f->q[k[j]]);
        if (named && b->f->owner[i].joint == joint) psi[count++] = b->f->phi[i];
    }
    ct_segment *s = ct_steps_segment(
        b, CT_STEP_LINEAR, 1, joint, n, k,
        ct_format("coordinates of '%s' from its bodies", b->f->model->joints[joint].name));
    if (b->f->is_angle[first])
        auxiliary_angles(b, s, c, k);
    else {
        ct_ex value[6];
        ct_connection_values(b->layout, c, value);
        for (int i = 0; i < n; i++)
            ct_forms_set_slide(b->forms, s, k[i], ct_steps_replace(b, value[i]));
    }
    ct_steps_block(b, n, k, psi);
}

void ct_steps_auxiliary(const ct_steps *b) {
    const ct_formulation *f = b->f;
    for (int k = f->n_tree; k < f->n;) {
        int joint = f->model->coordinates[f->coordinate[k]].joint, n = 1;
        while (k + n < f->n && f->is_angle[k + n] == f->is_angle[k] &&
               f->model->coordinates[f->coordinate[k + n]].joint == joint)
            n++;
        auxiliary_joint(b, joint, k, n);
        k += n;
    }
}
