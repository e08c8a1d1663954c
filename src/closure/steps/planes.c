// A body with points in planes: slides along d_j, and at most one angle. With the slides s_j and the
// points r_i + C c_i + S s_i of the body where the slides are zero
//   n_i . (r_i + C c_i + S s_i) + sum_j (n_i . d_j) s_j = v_i
// The slides are eliminated from the last plane, which leaves A C + B S = D. Example: the platform
// of a 3-RPS robot, each ball of which stays in the plane of its leg.
#include "closure/steps/builder.h"

typedef struct plane { // one equation: a C + b S + sum_j g_j s_j = rest
    ct_ex a, b, rest, g[3];
} plane;

typedef struct problem {
    const ct_step_builder *b;
    int n, k[4]; // slides, coordinates of all unknowns: slides first
    bool turns;
    ct_unknown u;
    ct_vec3 axis[3]; // of the unknown slides
    plane row[4];
} problem;

static ct_ex dot(const problem *x, ct_vec3 a, ct_vec3 b) {
    return ct_vec_dot(x->b->pool, a, b);
}

// Slides first, then the angle.
static void unknowns(problem *x, const ct_placement *p, const ct_connection *c) {
    const ct_formulation *f = x->b->f;
    for (int i = 0; i < p->n_unknown; i++) {
        int k = ct_steps_coordinate(x->b, p->unknown[i]);
        if (f->is_angle[k]) {
            x->turns = true;
            x->u = (ct_unknown){.coordinate = k, .is_angle = true, .angle_sum = f->q[k]};
            ct_values_pair(x->b->values, f->q[k], &x->u.c, &x->u.s);
            continue;
        }
        for (int j = 0; j < c->n_trans; j++)
            if (c->slide[j] == f->q[k])
                x->axis[x->n] = ct_mat_vec(x->b->pool, c->orient[0], c->direction[j]);
        x->k[x->n++] = k;
    }
    if (x->turns) x->k[x->n] = x->u.coordinate;
}

// The equation of a plane, with the unknown slides at zero.
static plane plane_of(const problem *x, const ct_placement *p, const ct_relation *r) {
    ct_pool *pool = x->b->pool;
    ct_vec3 v = ct_steps_vector(x->b,
                                ct_steps_path(x->b, r->k, r->point_k, r->x, r->point_x, p->parent)),
            normal = ct_steps_vector(x->b, ct_steps_normal(x->b, r, p->parent));
    plane e = {.a = CT_ZERO, .b = CT_ZERO};
    ct_substitution *zero = ct_substitution_new(pool);
    for (int j = 0; j < x->n; j++) {
        ct_substitution_map(zero, ct_values_slide(x->b->values, x->k[j]), CT_ZERO);
        e.g[j] = ct_let(pool, dot(x, normal, x->axis[j]));
    }
    for (int i = 0; i < 3; i++) v.v[i] = ct_substitute(zero, v.v[i]);
    ct_substitution_free(zero);
    if (x->turns) {
        ct_affine t = ct_steps_affine(x->b, v, &x->u);
        e.a = ct_let(pool, dot(x, normal, t.cosine));
        e.b = ct_let(pool, dot(x, normal, t.sine));
        v = t.rest;
    }
    e.rest = ct_let(pool, ct_sub(pool, ct_steps_replace(x->b, r->value), dot(x, normal, v)));
    return e;
}

// Determinant of the rows 0 .. n - 1 with another column j: the right-hand sides `column`; -1: none.
static ct_ex determinant(const problem *x, int j, const ct_ex *column) {
    ct_pool *pool = x->b->pool;
    ct_vec3 c[3];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            c[k].v[i] = i < x->n && k < x->n ? (k == j ? column[i] : x->row[i].g[k])
                                             : (i == k ? CT_ONE : CT_ZERO);
    return ct_vec_dot(pool, c[0], ct_vec_cross(pool, c[1], c[2]));
}

// Adds e = last row - sum_j g_j s_j with  G s = column:  the part of the last row that one of its
// three columns leaves, times the determinant of G.
static ct_ex eliminated(const problem *x, ct_ex det, ct_ex last, const ct_ex *column) {
    ct_pool *pool = x->b->pool;
    ct_ex sum = ct_mul(pool, det, last);
    for (int j = 0; j < x->n; j++)
        sum = ct_sub(pool, sum,
                     ct_mul(pool, x->row[x->n].g[j], ct_let(pool, determinant(x, j, column))));
    return sum;
}

void ct_steps_planes(const ct_step_builder *build, const ct_placement *p) {
    ct_pool *pool = build->pool;
    const ct_connection *c = ct_steps_joint(build, p->joint);
    problem x = {.b = build};
    // unknowns, and the planes as equations for their rates
    unknowns(&x, p, c);
    ct_ex psi[4], cosine = CT_ZERO, sine = CT_ZERO;
    for (int i = 0; i < p->n_relations; i++)
        psi[i] = ct_steps_psi(build, p->relation + i, build->root);
    char *names = ct_scratch_format("'%s'", ct_steps_source(build, p->relation));
    for (int i = 1; i < p->n_relations; i++)
        names = ct_scratch_format("%s%s'%s'", names, i + 1 < p->n_relations ? ", " : " and ",
                                  ct_steps_source(build, p->relation + i));
    ct_segment *seg = ct_steps_segment(
        build, x.turns ? CT_STEP_QUADRATIC : CT_STEP_LINEAR, x.turns ? 2 : 1, p->joint,
        p->n_unknown, x.k,
        ct_format("points of %s in planes at %s", build->f->model->bodies[p->child].name, names));
    for (int i = 0; i < p->n_relations; i++) x.row[i] = plane_of(&x, p, p->relation + i);
    // the determinant of the slides stays away from zero
    ct_ex det = ct_let(pool, determinant(&x, -1, NULL)), column[3][3];
    ct_steps_pivot(build, seg, ct_power_int(pool, det, 2));
    for (int i = 0; i < x.n; i++) {
        column[0][i] = x.row[i].a;
        column[1][i] = x.row[i].b;
        column[2][i] = x.row[i].rest;
    }
    // A C + B S = D
    if (x.turns) {
        const plane *last = x.row + x.n;
        ct_steps_trig(build, seg, &x.u, eliminated(&x, det, last->a, column[0]),
                      eliminated(&x, det, last->b, column[1]),
                      eliminated(&x, det, last->rest, column[2]), &cosine, &sine);
        ct_steps_set(build, seg, x.u.angle_sum, cosine, sine);
        seg = ct_steps_more(build);
    }
    // slides by Cramer's rule, from the angle
    for (int i = 0; i < x.n; i++)
        column[2][i] = ct_sub(pool, x.row[i].rest,
                              ct_add(pool, ct_mul(pool, x.row[i].a, x.turns ? x.u.c : CT_ZERO),
                                     ct_mul(pool, x.row[i].b, x.turns ? x.u.s : CT_ZERO)));
    for (int j = 0; j < x.n; j++)
        ct_values_set_slide(build->values, seg, x.k[j],
                            ct_div(pool, determinant(&x, j, column[2]), det));
    ct_steps_rate_block(build, p->n_unknown, x.k, psi);
}
