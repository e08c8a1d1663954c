// Whole rotations: the symbols of vectors fixed in a body, and their derivatives  p' = s x p.
#include "formulate/whole_rotation.h"

#include <math.h>
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
static bool names(const ct_model *model, ct_ex a, const ct_joint *joint) {
    for (int k = 0; k < joint->n_coordinates; k++) {
        const ct_coordinate *q = model->coordinates + joint->first_coordinate + k;
        if (q->is_angle && (ct_depends(model->pool, a, q->q) || ct_depends(model->pool, a, q->qd)))
            return true;
    }
    return false;
}

static bool owns(const ct_joint *joint, int coordinate) {
    return coordinate >= joint->first_coordinate &&
           coordinate < joint->first_coordinate + joint->n_coordinates;
}

static bool note(const char *kind, const char *name, ct_names_angle *by) {
    if (by) *by = (ct_names_angle){kind, name};
    return true;
}

bool ct_whole_rotation_is_tied(const ct_model *model, int joint, ct_names_angle *by) {
    const ct_joint *j = model->joints + joint;
    for (int i = 0; i < model->n_motions; i++)
        if (owns(j, model->motions[i].coordinate) || names(model, model->motions[i].value, j))
            return note("motion", model->motions[i].name, by);
    for (int i = 0; i < model->n_joints + model->n_switched; i++) {
        const ct_joint *other = model->joints + i;
        bool pair = ct_joint_is_pair(other->type) &&
                    (owns(j, other->coordinate[0]) || owns(j, other->coordinate[1]));
        bool condition = other->is_switched && names(model, other->active, j);
        if (pair || condition ||
            (ct_joint_is_equation(other->type) && names(model, other->equation, j)))
            return note("constraint", other->name, by);
    }
    return false;
}

// What a force needs of the angles of a joint.
static ct_followed force_follows(const ct_model *model, const ct_force *force,
                                 const ct_joint *joint) {
    ct_ex used[CT_FORCE_EXPRESSIONS];
    const int first = joint->first_coordinate + joint->n_coordinates - 3;
    const bool on = ct_force_traits_of(force->type)->on == CT_ON_COORDINATE;
    ct_followed needs = CT_FOLLOWED_NOT;
    ct_force_expressions(force, used);
    for (int k = 0; k < 3; k++) {
        const ct_coordinate *q = model->coordinates + first + k;
        bool named = on && force->coordinate == first + k;
        for (int i = 0; i < CT_FORCE_EXPRESSIONS; i++)
            named = named || ct_depends(model->pool, used[i], q->q) ||
                    ct_depends(model->pool, used[i], q->qd);
        if (!named) continue;
        ct_followed need = k == 1 ? CT_FOLLOWED_MIDDLE : CT_FOLLOWED_ALL;
        if (need > needs) needs = need;
    }
    return needs;
}

static ct_followed forces_follow(const ct_model *model, int joint, ct_names_angle *by) {
    const ct_joint *j = model->joints + joint;
    ct_followed needs = CT_FOLLOWED_NOT;
    if (!ct_joint_has_coordinates(j->type) || ct_joint_rotations(j->type) != 3) return needs;
    for (int i = 0; i < model->n_forces; i++) {
        ct_followed need = force_follows(model, model->forces + i, j);
        if (need > needs) note("force", model->forces[i].name, by);
        if (need > needs) needs = need;
    }
    return needs;
}

bool ct_whole_rotation_is_named(const ct_model *model, int joint, ct_names_angle *by) {
    return ct_whole_rotation_is_tied(model, joint, by) || forces_follow(model, joint, by);
}

// in a layout -------------------------------------------------------------------------------------
// The branch of an integrated rotation: that of its joint, with spins along the axes of the body, or
// of the root.
// In reverse (the body is the first of its joint) only the rotation.
static void connect_integrated(ct_layout *l, ct_whole_rotation *b, int edge) {
    ct_connection *c = l->connections + edge;
    const ct_connection *joint = l->connections + b->edge;
    if (b->inverse) {
        *c = (ct_connection){.body = {b->root, b->body}};
        c->orient[0] = joint->orient[1];
        c->orient[1] = joint->orient[0];
    } else {
        *c = *joint;
    }
    c->n_rot = 3;
    c->whole = b;
    b->near = c->orient[0];
    b->far = c->orient[1];
    for (int k = 0; k < 3; k++) {
        b->angle[k] = joint->angle[k];
        b->angle_d[k] = joint->angle_d[k];
        b->sequence[k] = joint->axis[k].v[0] == CT_ONE ? 0 : joint->axis[k].v[1] == CT_ONE ? 1 : 2;
        c->axis[k] = ct_vec_unit(k);
        c->angle[k] = b->parameter[k + 1];
        c->angle_d[k] = b->rate[k];
    }
    if (l->branch[CT_TRANSLATION][b->body] == b->edge && !b->inverse)
        l->branch[CT_TRANSLATION][b->body] = edge;
    // the angular velocity in the frame of the root
    ct_vec3 spin = ct_vec3_zero();
    for (int k = 0; k < 3; k++) {
        ct_vec3 axis = b->in_root ? c->axis[k] : ct_whole_rotation_seen(l, c, c->axis[k]);
        spin = ct_vec_add(l->pool, spin, ct_vec_scale(l->pool, b->rate[k], axis));
    }
    b->spin = ct_vec_let(l->pool, spin);
}

// The body turns against its root, whatever it hangs on.
void ct_layout_whole_rotations(ct_layout *l) {
    ct_formulation *f = l->f;
    int edges = f->graph->n_edges;
    for (int i = 0; i < f->n_whole_rotations; i++) {
        ct_whole_rotation *b = f->whole_rotations + i;
        l->parent[CT_ROTATION][b->body] = b->root;
        l->branch[CT_ROTATION][b->body] = edges + i;
        if (b->integrated) {
            connect_integrated(l, b, edges + i);
            continue;
        }
        const ct_connection *joint =
            l->connections + ct_graph_edge(f->graph, CT_EDGE_JOINT, b->joint);
        ct_connection *c = l->connections + edges + i;
        *c = (ct_connection){.body = {b->root, b->body}, .n_rot = 3, .whole = b};
        c->orient[0] = c->orient[1] = ct_mat3_identity();
        for (int k = 0; k < 3; k++) {
            c->axis[k] = ct_vec_unit(k);
            c->angle[k] = joint->angle[k];
            c->angle_d[k] = b->rate[k];
            b->spin.v[k] = b->rate[k];
        }
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
        char *name = ct_scratch_format("%s vector %d.%d of %p", l->model->bodies[b->body].name,
                                       b->n - 1, j, (void *)l->f);
        v->seen.v[j] = ct_symbol(l->pool, CT_SYMBOL_COORDINATE, name);
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
    bool in_root = b && (!b->integrated || b->in_root);
    ct_vec3 axis = in_root ? ct_vec_unit(part) : ct_vec3_zero();
    for (int i = 0; b && !in_root && i < b->n; i++)
        if (ct_vec_same(b->vectors[i].fixed, ct_vec_unit(part))) axis = b->vectors[i].seen;
    for (int i = 0; b && i < b->n; i++) {
        ct_vec3 rate = ct_vec_cross(f->pool, axis, b->vectors[i].seen);
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

// integrated --------------------------------------------------------------------------------------
static bool of_edge(const ct_formulation *f, int edge, ct_whole_rotation *whole) {
    const ct_graph *g = f->graph;
    const ct_layout *l = f->layout;
    const ct_connection *c = l->connections + edge;
    bool of_joint = g->edges[edge].kind == CT_EDGE_JOINT;
    if ((!of_joint && g->edges[edge].kind != CT_EDGE_BODY) || !g->tree[CT_ROTATION].has[edge] ||
        c->n_rot != 3 || c->whole)
        return false;
    int joint = of_joint ? g->edges[edge].index : -1;
    if (of_joint && ct_whole_rotation_is_tied(f->model, joint, NULL)) return false;
    // the body that the branch leads to
    int side = l->branch[CT_ROTATION][c->body[1]] == edge;
    *whole = (ct_whole_rotation){.joint = joint,
                                 .body = c->body[side],
                                 .root = c->body[!side],
                                 .integrated = true,
                                 .edge = edge,
                                 .inverse = !side,
                                 .followed = of_joint ? forces_follow(f->model, joint, NULL) : 0};
    for (int k = 0; k < f->n; k++)
        for (int j = 0; j < 3; j++)
            if (f->q[k] == c->angle[j]) whole->coordinate[j] = k;
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < 3; j++)
            whole->in_root = whole->in_root || f->phi_q[i * f->n + whole->coordinate[j]] != CT_ZERO;
    return l->branch[CT_ROTATION][whole->body] == edge;
}

int ct_whole_rotations_free(const ct_formulation *f, ct_whole_rotation *all) {
    int n = 0;
    for (int k = 0; k < f->n_tree; k++)
        for (int edge = 0; edge < f->graph->n_edges; edge++)
            if (f->q[k] == f->layout->connections[edge].angle[0] && of_edge(f, edge, all + n)) n++;
    return n;
}

// R(e) = 1 + k (e0 [v] + [v]^2),  k = 2 / |e|^2
static ct_mat3 parameter_matrix(ct_pool *pool, const ct_ex *e) {
    ct_ex squares = CT_ZERO, v[3];
    ct_mat3 r;
    for (int i = 0; i < 4; i++) squares = ct_add(pool, squares, ct_power_int(pool, e[i], 2));
    ct_ex k = ct_let(pool, ct_div(pool, ct_int(pool, 2), squares));
    for (int i = 0; i < 3; i++) v[i] = ct_let(pool, ct_mul(pool, k, e[i + 1]));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, m = (i + 2) % 3;
        ct_ex both = ct_let(pool, ct_mul(pool, v[i], e[j + 1])),
              turn = ct_let(pool, ct_mul(pool, v[m], e[0]));
        ct_ex jj = ct_let(pool, ct_mul(pool, v[j], e[j + 1])),
              mm = ct_let(pool, ct_mul(pool, v[m], e[m + 1]));
        r.a[i][i] = ct_sub(pool, CT_ONE, ct_add(pool, jj, mm));
        r.a[i][j] = ct_sub(pool, both, turn);
        r.a[j][i] = ct_add(pool, both, turn);
    }
    return ct_mat_let(pool, r);
}

ct_ex ct_whole_rotation_meaning(const ct_formulation *f, const ct_whole_rotation *whole,
                                const ct_whole_rotation_vector *v, int component) {
    ct_pool *pool = f->pool;
    return ct_mat_vec(pool, parameter_matrix(pool, whole->parameter), v->fixed).v[component];
}

ct_substitution *ct_whole_rotation_meanings(const ct_formulation *f) {
    ct_substitution *s = ct_substitution_new(f->pool);
    for (int i = 0; i < f->n_integrated; i++)
        for (int k = 0; k < f->whole_rotations[i].n; k++)
            for (int j = 0; j < 3; j++) {
                const ct_whole_rotation *b = f->whole_rotations + i;
                ct_substitution_map(s, b->vectors[k].seen.v[j],
                                    ct_whole_rotation_meaning(f, b, b->vectors + k, j));
            }
    return s;
}

void ct_position_set(const ct_formulation *f, ct_numbers *numbers, const double *q) {
    ct_numbers_set(numbers, f->n, f->q, q);
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        ct_numbers_set(numbers, 1, b->parameter, q + f->n + i);
        if (b->followed) ct_numbers_set(numbers, 3, b->last, q + ct_position_count(f) + 3 * i);
        for (int k = 0; k < b->n; k++)
            for (int j = 0; j < 3; j++) {
                ct_ex meaning = ct_whole_rotation_meaning(f, b, b->vectors + k, j);
                double value;
                ct_numbers_eval(numbers, 1, &meaning, &value);
                ct_numbers_set(numbers, 1, &b->vectors[k].seen.v[j], &value);
            }
    }
}

// Euler parameters of a rotation: the largest of the four from the diagonal, the others by it.
static void parameters_of(double r[3][3], double *e) {
    double trace = r[0][0] + r[1][1] + r[2][2];
    int i = 0;
    for (int k = 1; k < 3; k++)
        if (r[k][k] > r[i][i]) i = k;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    if (trace > r[i][i]) {
        e[0] = sqrt(1 + trace) / 2;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            e[a + 1] = (r[c][b] - r[b][c]) / (4 * e[0]);
        }
        return;
    }
    e[i + 1] = sqrt(1 + r[i][i] - r[j][j] - r[k][k]) / 2;
    e[j + 1] = (r[i][j] + r[j][i]) / (4 * e[i + 1]);
    e[k + 1] = (r[i][k] + r[k][i]) / (4 * e[i + 1]);
    e[0] = (r[k][j] - r[j][k]) / (4 * e[i + 1]);
}

// R(e) = R(root <- body), and the angular velocity in the frame of the body or of the root.
void ct_whole_rotation_in_angles(const ct_formulation *f, const ct_whole_rotation *b, ct_mat3 *r,
                                 ct_vec3 *s) {
    ct_layout *l = f->in_angles->layout;
    *r = ct_rotation(l, b->root, b->body);
    *s = ct_angular_velocity(l, b->body, b->root);
    if (!b->in_root) *s = ct_turn(l, *s, b->root, b->body);
}

void ct_position_from_angles(const ct_formulation *f, const double *angles, const double *rates,
                             double *q, double *qd) {
    // numbers of the state in angles
    const ct_formulation *g = f->in_angles;
    ct_numbers x;
    ct_model_numbers(g->model, &x);
    ct_numbers_set(&x, g->n, g->q, angles);
    ct_numbers_set(&x, g->n, g->qd, rates);
    // other coordinates stay
    for (int k = 0; k < f->n; k++) {
        q[k] = angles[k];
        qd[k] = rates[k];
    }
    // rotations: matrix and spins, then parameters; the angles go behind them
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        double r[3][3], e[4];
        ct_mat3 m;
        ct_vec3 w;
        ct_whole_rotation_in_angles(f, b, &m, &w);
        for (int j = 0; j < 3; j++) {
            ct_numbers_eval(&x, 3, m.a[j], r[j]);
            q[f->n + f->n_integrated + 3 * i + j] = angles[b->coordinate[j]];
            qd[f->n + 3 * i + j] = rates[b->coordinate[j]];
        }
        parameters_of(r, e);
        ct_numbers_eval(&x, 3, w.v, qd + b->coordinate[0]);
        q[f->n + i] = e[0];
        for (int j = 0; j < 3; j++) q[b->coordinate[j]] = e[j + 1];
    }
    ct_numbers_clear(&x);
}
