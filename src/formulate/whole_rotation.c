// Whole rotations: the symbols of vectors fixed in a body, and their derivatives  p' = s x p.
#include "formulate/whole_rotation.h"

#include <stdlib.h>

const ct_whole_rotation *ct_whole_rotation_of_joint(const ct_formulation *f, int joint) {
    for (int i = 0; i < f->n_whole_rotations; i++)
        if (f->whole_rotations[i].joint == joint) return f->whole_rotations + i;
    return NULL;
}

const ct_whole_rotation *ct_whole_rotation_of_coordinate(const ct_formulation *f, int k,
                                                         int *part) {
    for (int i = 0; i < f->n_whole_rotations; i++)
        for (int j = 0; j < 3; j++)
            if (f->whole_rotations[i].coordinate[j] == k) {
                if (part) *part = j;
                return f->whole_rotations + i;
            }
    return NULL;
}

const ct_whole_rotation_vector *ct_whole_rotation_find(const ct_formulation *f, ct_ex symbol,
                                                       const ct_whole_rotation **whole,
                                                       int *component) {
    for (int i = 0; i < f->n_whole_rotations; i++)
        for (int k = 0; k < f->whole_rotations[i].n; k++)
            for (int j = 0; j < 3; j++)
                if (f->whole_rotations[i].vectors[k].seen.v[j] == symbol) {
                    *whole = f->whole_rotations + i;
                    *component = j;
                    return f->whole_rotations[i].vectors + k;
                }
    return NULL;
}

// names -------------------------------------------------------------------------------------------
static bool names(const ct_model *m, ct_ex a, const ct_joint *j) {
    for (int k = 0; k < j->n_coordinates; k++) {
        const ct_coordinate *q = m->coordinates + j->first_coordinate + k;
        if (q->is_angle && (ct_depends(m->pool, a, q->q) || ct_depends(m->pool, a, q->qd)))
            return true;
    }
    return false;
}

static bool owns(const ct_joint *j, int coordinate) {
    return coordinate >= j->first_coordinate && coordinate < j->first_coordinate + j->n_coordinates;
}

static bool note(const char *kind, const char *name, ct_names_angle *by) {
    if (by) *by = (ct_names_angle){kind, name};
    return true;
}

bool ct_whole_rotation_is_named(const ct_model *m, int joint, ct_names_angle *by) {
    const ct_joint *j = m->joints + joint;
    for (int i = 0; i < m->n_motions; i++)
        if (owns(j, m->motions[i].coordinate) || names(m, m->motions[i].value, j))
            return note("motion", m->motions[i].name, by);
    for (int i = 0; i < m->n_forces; i++) {
        const ct_force *f = m->forces + i;
        ct_ex used[CT_FORCE_EXPRESSIONS];
        bool on_coordinate = ct_force_traits_of(f->type)->on == CT_ON_COORDINATE;
        if (on_coordinate && owns(j, f->coordinate)) return note("force", f->name, by);
        ct_force_expressions(f, used);
        for (int k = 0; k < CT_FORCE_EXPRESSIONS; k++)
            if (names(m, used[k], j)) return note("force", f->name, by);
    }
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *other = m->joints + i;
        bool pair = ct_joint_is_pair(other->type) &&
                    (owns(j, other->coordinate[0]) || owns(j, other->coordinate[1]));
        if (pair || (ct_joint_is_equation(other->type) && names(m, other->equation, j)))
            return note("constraint", other->name, by);
    }
    return false;
}

// in a layout -------------------------------------------------------------------------------------
// The body turns against its root, whatever it hangs on.
void ct_layout_whole_rotations(ct_layout *l) {
    ct_formulation *f = l->f;
    int edges = f->graph->n_edges;
    for (int i = 0; i < f->n_whole_rotations; i++) {
        ct_whole_rotation *b = f->whole_rotations + i;
        const ct_connection *joint =
            l->connections + ct_graph_edge(f->graph, CT_EDGE_JOINT, b->joint);
        ct_connection *c = l->connections + edges + i;
        *c = (ct_connection){.body = {b->root, b->body}, .n_rot = 3, .whole = b};
        c->orient[0] = c->orient[1] = ct_mat3_identity();
        for (int k = 0; k < 3; k++) {
            c->axis[k] = ct_vec_unit(k);
            c->angle[k] = joint->angle[k];
            c->angle_d[k] = b->spin.v[k];
        }
        l->parent[CT_ROTATION][b->body] = b->root;
        l->branch[CT_ROTATION][b->body] = edges + i;
    }
}

static bool is_opposite(ct_pool *pool, ct_vec3 a, ct_vec3 b) {
    return ct_vec_same(a, ct_vec_neg(pool, b));
}

ct_vec3 ct_whole_rotation_seen(ct_layout *l, const ct_connection *c, ct_vec3 fixed) {
    ct_whole_rotation *b = c->whole;
    if (ct_vec_is_zero(fixed)) return fixed;
    for (int i = 0; i < b->n; i++) {
        if (ct_vec_same(b->vectors[i].fixed, fixed)) return b->vectors[i].seen;
        if (is_opposite(l->pool, b->vectors[i].fixed, fixed))
            return ct_vec_neg(l->pool, b->vectors[i].seen);
    }
    ct_whole_rotation_vector *v = CT_PUSH(b->vectors, b->n, b->room);
    v->fixed = fixed;
    for (int j = 0; j < 3; j++) {
        char *name = ct_format("%s vector %d.%d of %p", l->model->bodies[b->body].name, b->n - 1, j,
                               (void *)l->f);
        v->seen.v[j] = ct_symbol(l->pool, CT_SYMBOL_COORDINATE, name);
        ct_free(name);
    }
    return v->seen;
}

ct_mat3 ct_whole_rotation_matrix(ct_layout *l, const ct_connection *c) {
    ct_mat3 r;
    for (int k = 0; k < 3; k++) {
        ct_vec3 column = ct_whole_rotation_seen(l, c, ct_vec_unit(k));
        for (int i = 0; i < 3; i++) r.a[i][k] = column.v[i];
    }
    return r;
}

// derivatives -------------------------------------------------------------------------------------
void ct_whole_rotation_derivation(const ct_formulation *f, ct_derivation *d) {
    for (int i = 0; i < f->n_whole_rotations; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        for (int k = 0; k < b->n; k++) {
            ct_vec3 rate = ct_vec_cross(f->pool, b->spin, b->vectors[k].seen);
            for (int j = 0; j < 3; j++) ct_derivation_map(d, b->vectors[k].seen.v[j], rate.v[j]);
        }
    }
}

ct_derivation *ct_partial_derivation(const ct_formulation *f, int k) {
    ct_derivation *d = ct_derivation_new(f->pool);
    int part;
    const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, k, &part);
    if (!b) ct_derivation_map(d, f->q[k], CT_ONE);
    for (int i = 0; b && i < b->n; i++) {
        ct_vec3 rate = ct_vec_cross(f->pool, ct_vec_unit(part), b->vectors[i].seen);
        for (int j = 0; j < 3; j++) ct_derivation_map(d, b->vectors[i].seen.v[j], rate.v[j]);
    }
    return d;
}

bool ct_formulation_depends(const ct_formulation *f, ct_ex a, int k) {
    const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, k, NULL);
    if (!b) return ct_depends(f->pool, a, f->q[k]);
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < 3; j++)
            if (ct_depends(f->pool, a, b->vectors[i].seen.v[j])) return true;
    return false;
}
