// The answer of a tree to forces on its coordinates, x with M x = f, behind a recursion over articulated
// bodies: what that has computed from positions alone is kept, and each f takes two sweeps,
//   inward   u = f - S . p,  p <- p + U / D u,      outward   x = u / D - U / D . d,  d <- d + S x.
// Loops need it for W = Phi_q M^-1 Phi_q^T, row by row. Kept are shares U / D, pivots, and the turns and
// shifts of the links; symbols stand for them, so that the second function reads them as numbers.
#include "formulate/sweep/articulated.h"
#include "formulate/sweep/sweep_inside.h"

typedef struct answering {
    ct_articulated x; // links and freedoms in symbols for what is kept
    ct_recursion *out;
    int room;
    ct_spatial *p; // [bodies] what a body and all behind it need
} answering;

static ct_ex whole(const answering *a, ct_ex e) {
    return ct_links_constant(a->x.pool, e);
}

static ct_vec3 whole_vec(const answering *a, ct_vec3 v) {
    for (int i = 0; i < 3; i++) v.v[i] = whole(a, v.v[i]);
    return v;
}

// The symbol that stands for a value of positions; numbers and parameters stand for themselves.
static ct_ex keep(answering *a, ct_ex value) {
    ct_recursion *out = a->out;
    if (!(ct_ex_kinds(a->x.pool, value) & ~(1u << CT_SYMBOL_PARAMETER))) return value;
    if (out->n_kept == a->room) {
        const int room = 2 * a->room + 256;
        ct_ex *kept = ct_scratch((size_t)room, sizeof *kept),
              *symbol = ct_scratch((size_t)room, sizeof *symbol);
        for (int i = 0; i < out->n_kept; i++) kept[i] = out->kept[i], symbol[i] = out->symbol[i];
        out->kept = kept;
        out->symbol = symbol;
        a->room = room;
    }
    out->kept[out->n_kept] = value;
    ct_ex symbol = ct_symbol(a->x.pool, CT_SYMBOL_OTHER, ct_scratch_format("kept %d", out->n_kept));
    return out->symbol[out->n_kept++] = symbol;
}

static void keep_vec(answering *a, ct_vec3 *v) {
    for (int i = 0; i < 3; i++) v->v[i] = keep(a, v->v[i]);
}

// Turns, shifts and directions of a link, shares and pivots of its freedoms.
static void keep_link(answering *a, int b) {
    ct_tree_link *link = a->x.links + b;
    int count = 0;
    for (int k = 0; k < link->n; k++) {
        ct_link_step *t = link->step + k;
        if (t->kind == CT_LINK_TURN) {
            t->c = keep(a, t->c);
            t->s = keep(a, t->s);
        } else if (t->kind == CT_LINK_MATRIX) {
            for (int i = 0; i < 9; i++)
                t->matrix.a[i / 3][i % 3] = keep(a, t->matrix.a[i / 3][i % 3]);
        } else if (t->kind == CT_LINK_SHIFT) {
            keep_vec(a, &t->along);
        }
        for (int i = 0; i < t->n; i++) keep_vec(a, t->e + i);
        count += t->n;
    }
    for (int k = 0; k < count; k++) {
        ct_freedom *free = a->x.freedoms[b] + k;
        free->one_over = keep(a, free->one_over);
        for (int r = 0; r < 6; r++)
            if (r != free->axis)
                *ct_spatial_part(&free->share, r) = keep(a, *ct_spatial_part(&free->share, r));
    }
}

// u = f - S . p,  p <- p + U / D u
static void meet(answering *a, const ct_link_step *t, int i, ct_freedom *free, ct_spatial *p) {
    ct_pool *pool = a->x.pool;
    const ct_ex force = a->out->force[t->coordinate[i]],
                load = t->minus[i] ? ct_neg(pool, force) : force;
    const ct_vec3 *along = t->kind == CT_LINK_SPIN ? &p->w : &p->v;
    ct_ex left = whole(a, ct_sub(pool, load, ct_vec_dot(pool, t->e[i], *along)));
    free->level = whole(a, ct_mul(pool, left, free->one_over));
    for (int r = 0; r < 6; r++) {
        ct_ex *to = ct_spatial_part(p, r),
              more = ct_mul(pool, *ct_spatial_part(&free->share, r), left);
        *to = r == free->axis ? load : whole(a, ct_add(pool, *to, more));
    }
}

// Carries forces from body b to the one before it.
static void carry(answering *a, int b) {
    ct_pool *pool = a->x.pool;
    const ct_tree_link *link = a->x.links + b;
    ct_spatial p = {whole_vec(a, a->p[b].w), whole_vec(a, a->p[b].v)};
    int count = 0;
    for (int k = link->n - 1; k >= 0; k--) {
        const ct_link_step *t = link->step + k;
        if (t->kind == CT_LINK_TURN || t->kind == CT_LINK_MATRIX) {
            p.w = ct_articulated_turn(&a->x, t, p.w, true);
            p.v = ct_articulated_turn(&a->x, t, p.v, true);
        } else if (t->kind == CT_LINK_SHIFT) {
            p.w = whole_vec(a, ct_vec_add(pool, p.w, ct_vec_cross(pool, t->along, p.v)));
        }
        for (int i = 0; i < t->n; i++) meet(a, t, i, a->x.freedoms[b] + count++, &p);
    }
    ct_spatial *to = a->p + a->x.l->parent[CT_TRANSLATION][b];
    to->w = ct_vec_add(pool, to->w, p.w);
    to->v = ct_vec_add(pool, to->v, p.v);
}

bool ct_formulation_recurs(const ct_formulation *f) {
    return ct_links_carry(f->layout);
}

static ct_accelerations accelerations_new(size_t n) {
    return (ct_accelerations){ct_scratch(n + 1, sizeof(ct_ex)), ct_scratch(n + 1, sizeof(ct_ex)),
                              ct_scratch(n + 1, sizeof(ct_ex))};
}

void ct_formulation_recursion(const ct_formulation *f, const ct_ex *armature, ct_recursion *out) {
    ct_layout *l = f->layout;
    ct_substitution *known = ct_formulation_known(f);
    ct_loads loads;
    const size_t n = (size_t)f->n, bodies = (size_t)l->n_bodies;
    ct_loads_build(l, known, &loads);
    // accelerations, in the frames that take the fewest operations
    answering a = {.out = out};
    double best = -1;
    for (int along_joints = 0; along_joints < 2; along_joints++) {
        ct_accelerations tree = accelerations_new(n);
        ct_articulated x;
        ct_articulated_sweep(l, &loads, along_joints, false, armature, &tree, &x);
        double c = ct_operations_total(ct_count_shared(f->pool, f->n, tree.qdd));
        if (best >= 0 && c >= best) continue;
        best = c;
        a.x = x;
        out->tree = tree;
    }
    // coordinates beside the trees have no inertia but their armature
    for (int k = f->n_tree; k < f->n; k++) {
        ct_accelerations *t = &out->tree;
        t->pivot[k] = t->scale[k] = armature ? armature[k] : CT_ZERO;
        t->qdd[k] =
            t->pivot[k] == CT_ZERO ? CT_ZERO : ct_div(f->pool, loads.generalised[k], t->pivot[k]);
    }
    ct_loads_clear(&loads);
    ct_substitution_free(known);
    // what is kept, and symbols for forces
    out->n_kept = 0;
    for (int b = 1; b < l->n_bodies; b++) keep_link(&a, b);
    out->force = ct_scratch(n + 1, sizeof *out->force);
    for (int k = 0; k < f->n; k++)
        out->force[k] = ct_symbol(f->pool, CT_SYMBOL_OTHER, ct_scratch_format("force on %d", k));
    // inward: forces; outward: accelerations
    ct_accelerations answer = accelerations_new(n);
    a.x.out = &answer;
    a.p = ct_scratch(bodies, sizeof *a.p);
    for (int i = l->n_bodies - 1; i > 0; i--) carry(&a, l->order[CT_TRANSLATION][i]);
    ct_spatial *d = ct_scratch(bodies, sizeof *d);
    for (int i = 1; i < l->n_bodies; i++) {
        int b = l->order[CT_TRANSLATION][i];
        d[b] = d[l->parent[CT_TRANSLATION][b]];
        ct_articulated_accelerate(&a.x, b, d + b);
    }
    for (int k = f->n_tree; k < f->n; k++)
        answer.qdd[k] = armature ? ct_div(f->pool, out->force[k], armature[k]) : CT_ZERO;
    out->answer = answer.qdd;
}
