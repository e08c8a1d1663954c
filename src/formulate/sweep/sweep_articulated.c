// Accelerations of a tree without its mass matrix, in so many operations as there are bodies
// (Featherstone's articulated bodies). The bias, with q'' = 0, comes first, so that what is left is
// linear in q'': with dw, dv the part of the accelerations that q'' adds, at the origin of a link,
//   n = J dw + H dv + p_n,   f = H^T dw + M dv + p_f
// are the moment and the force that the link and all behind it need. Inward, freedom after freedom with
// direction S is eliminated,
//   U = I S,  D = S . U,  u = Q - S . p,   I <- I - U U^T / D,   p <- p + U u / D,
// and the rest is carried along the steps of the link to the one before it. Outward
//   q'' = (u - U . d) / D,  d <- d + S q''.
#include "formulate/sweep/articulated.h"
#include "formulate/sweep/sweep_inside.h"

static ct_ex whole(const ct_articulated *x, ct_ex a) {
    return ct_links_constant(x->pool, a);
}

static ct_vec3 whole_vec(const ct_articulated *x, ct_vec3 a) {
    for (int i = 0; i < 3; i++) a.v[i] = whole(x, a.v[i]);
    return a;
}

static ct_mat3 whole_mat(const ct_articulated *x, ct_mat3 a) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) a.a[i][k] = whole(x, a.a[i][k]);
    return a;
}

// turns -------------------------------------------------------------------------------------------
// Components before a turn, from those behind it (inward), or the other way round.
ct_vec3 ct_articulated_turn(const ct_articulated *x, const ct_link_step *t, ct_vec3 v,
                            bool inward) {
    ct_pool *pool = x->pool;
    if (t->kind == CT_LINK_MATRIX)
        return whole_vec(x, inward ? ct_mat_vec(pool, t->matrix, v)
                                   : ct_mat_transpose_vec(pool, t->matrix, v));
    int j = (t->axis + 1) % 3, k = (t->axis + 2) % 3;
    ct_ex s = inward ? t->s : ct_neg(pool, t->s);
    ct_vec3 r = v;
    r.v[j] = whole(x, ct_sub(pool, ct_mul(pool, t->c, v.v[j]), ct_mul(pool, s, v.v[k])));
    r.v[k] = whole(x, ct_add(pool, ct_mul(pool, s, v.v[j]), ct_mul(pool, t->c, v.v[k])));
    return r;
}

// R A R^T. About a coordinate axis the block (a b; d e) across it changes by
//   E = s^2 (a - e) + s c (b + d)  on the diagonal,  F = s c (a - e) - s^2 (b + d)  beside it.
static ct_mat3 turn_tensor(const ct_articulated *x, const ct_link_step *t, ct_mat3 a,
                           bool symmetric) {
    ct_pool *pool = x->pool;
    if (t->kind == CT_LINK_MATRIX) {
        ct_mat3 half = whole_mat(x, ct_mat_mul(pool, t->matrix, a));
        ct_mat3 r = whole_mat(x, ct_mat_mul(pool, half, ct_mat_transpose(t->matrix)));
        for (int i = 0; i < 3 && symmetric; i++)
            for (int k = 0; k < i; k++) r.a[i][k] = r.a[k][i];
        return r;
    }
    int i = t->axis, j = (i + 1) % 3, k = (i + 2) % 3;
    ct_ex ss = whole(x, ct_mul(pool, t->s, t->s)), sc = whole(x, ct_mul(pool, t->s, t->c));
    ct_ex across = ct_sub(pool, a.a[j][j], a.a[k][k]), beside = ct_add(pool, a.a[j][k], a.a[k][j]);
    // by numbers they would be multiplied out
    if (sc != CT_ZERO) across = whole(x, across), beside = whole(x, beside);
    ct_ex e = ct_add(pool, ct_mul(pool, ss, across), ct_mul(pool, sc, beside)),
          f = ct_sub(pool, ct_mul(pool, sc, across), ct_mul(pool, ss, beside));
    if (sc != CT_ZERO) e = whole(x, e), f = whole(x, f);
    ct_mat3 r = a;
    r.a[j][j] = whole(x, ct_sub(pool, a.a[j][j], e));
    r.a[k][k] = whole(x, ct_add(pool, a.a[k][k], e));
    r.a[j][k] = whole(x, ct_add(pool, a.a[j][k], f));
    r.a[k][j] = symmetric ? r.a[j][k] : whole(x, ct_add(pool, a.a[k][j], f));
    ct_vec3 row = ct_articulated_turn(x, t, ct_vec(a.a[i][0], a.a[i][1], a.a[i][2]), true),
            column = row;
    if (!symmetric)
        column = ct_articulated_turn(x, t, ct_vec(a.a[0][i], a.a[1][i], a.a[2][i]), true);
    r.a[i][j] = row.v[j];
    r.a[i][k] = row.v[k];
    r.a[j][i] = column.v[j];
    r.a[k][i] = column.v[k];
    return r;
}

// shifts ------------------------------------------------------------------------------------------
// Sign of (i j k) as a permutation of (0 1 2), 0 if it is none.
static int permuted(int i, int j, int k) {
    return (j - i) * (k - i) * (k - j) / 2;
}

// The origin moves back by r:  H <- H + [r] M,  J <- J - H [r] + [r] H'^T,  p_n <- p_n + r x p_f.
static void shift_back(const ct_articulated *x, ct_vec3 r, ct_articulated_body *b) {
    ct_pool *pool = x->pool;
    ct_mat3 h = b->h, j = b->j;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int u = (i + 1) % 3, v = (i + 2) % 3;
            ct_ex t[] = {b->h.a[i][k], ct_mul(pool, r.v[u], b->m.a[v][k]),
                         ct_neg(pool, ct_mul(pool, r.v[v], b->m.a[u][k]))};
            h.a[i][k] = whole(x, ct_sum(pool, 3, t));
        }
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++) {
            // r_c times what it meets in H and H'
            ct_ex sum = b->j.a[i][k];
            for (int c = 0; c < 3; c++) {
                ct_ex met = CT_ZERO;
                for (int u = 0; u < 3; u++) {
                    ct_ex before = ct_mul(pool, ct_int(pool, permuted(u, k, c)), b->h.a[i][u]),
                          after = ct_mul(pool, ct_int(pool, permuted(i, u, c)), h.a[k][u]);
                    met = ct_add(pool, met, ct_sub(pool, before, after));
                }
                sum = ct_add(pool, sum, ct_mul(pool, r.v[c], whole(x, met)));
            }
            j.a[i][k] = j.a[k][i] = whole(x, sum);
        }
    b->h = h;
    b->j = j;
    b->p.w = whole_vec(x, ct_vec_add(pool, b->p.w, ct_vec_cross(pool, r, b->p.v)));
}

// [alpha] + w w^T - |w|^2: acceleration of a point at r is a + gradient r
static ct_mat3 gradient(const ct_articulated *x, const ct_articulated_motion *m) {
    ct_pool *pool = x->pool;
    ct_mat3 g;
    ct_ex square[3];
    for (int i = 0; i < 3; i++) square[i] = whole(x, ct_power_int(pool, m->w.v[i], 2));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        ct_ex product = whole(x, ct_mul(pool, m->w.v[j], m->w.v[k]));
        g.a[i][i] = whole(x, ct_neg(pool, ct_add(pool, square[j], square[k])));
        g.a[k][j] = whole(x, ct_add(pool, product, m->alpha.v[i]));
        g.a[j][k] = whole(x, ct_sub(pool, product, m->alpha.v[i]));
    }
    return g;
}

// bias, outward -----------------------------------------------------------------------------------
static void move(const ct_articulated *x, const ct_link_step *t, ct_articulated_motion *m) {
    ct_pool *pool = x->pool;
    ct_vec3 spin = ct_vec3_zero();
    switch (t->kind) {
    case CT_LINK_TURN:
    case CT_LINK_MATRIX:
        m->w = ct_articulated_turn(x, t, m->w, false);
        m->alpha = ct_articulated_turn(x, t, m->alpha, false);
        m->a = ct_articulated_turn(x, t, m->a, false);
        return;
    case CT_LINK_SHIFT:
        // a + gradient r
        m->a = ct_vec_add(pool, m->a, ct_mat_vec(pool, gradient(x, m), t->along));
        m->a = whole_vec(x, m->a);
        return;
    case CT_LINK_SLIDE:
        // a + 2 w x e q'
        if (!t->bias) return;
        spin = ct_vec_scale(pool, ct_mul(pool, ct_int(pool, 2), t->rate[0]), t->e[0]);
        m->a = whole_vec(x, ct_vec_add(pool, m->a, ct_vec_cross(pool, m->w, spin)));
        return;
    case CT_LINK_SPIN:
        // alpha + w x e q'
        for (int i = 0; i < t->n; i++)
            spin = ct_vec_add(pool, spin, ct_vec_scale(pool, t->rate[i], t->e[i]));
        m->alpha = whole_vec(x, ct_vec_add(pool, m->alpha, ct_vec_cross(pool, m->w, spin)));
        m->w = whole_vec(x, ct_vec_add(pool, m->w, spin));
        return;
    }
}

static void outward(ct_articulated *x) {
    const ct_layout *l = x->l;
    // ground falls upward
    x->motion[0].a = ct_vec_neg(x->pool, l->model->gravity);
    for (int i = 1; i < l->n_bodies; i++) {
        int b = l->order[CT_TRANSLATION][i];
        ct_articulated_motion m = x->motion[l->parent[CT_TRANSLATION][b]];
        for (int k = 0; k < x->links[b].n; k++) move(x, x->links[b].step + k, &m);
        x->motion[b] = m;
    }
}

// bodies ------------------------------------------------------------------------------------------
// Masses and traces of inertia for the scales of pivots; then moments, as links may share them.
static void measure(ct_articulated *x) {
    ct_pool *pool = x->pool;
    for (int b = 1; b < x->l->n_bodies; b++) {
        x->moments[b] = ct_link_moments_of(x->l, x->links + b, b);
        const ct_mat3 *e = &x->moments[b].second;
        ct_ex trace = ct_add(pool, e->a[0][0], ct_add(pool, e->a[1][1], e->a[2][2]));
        x->mass[b] = x->moments[b].mass;
        x->spread[b] = whole(x, ct_sqrt(pool, ct_mul(pool, ct_int(pool, 2), trace)));
    }
    ct_links_regroup(x->l, x->links, x->moments);
}

// The body by itself, about the origin of its link: inertia, and what its bias needs less loads. With
// the second moments E and the first ones h,  n = sum over its points of  r x (gradient r) + h x a.
static void own(ct_articulated *x, int b) {
    ct_pool *pool = x->pool;
    const ct_tree_link *link = x->links + b;
    const ct_vec3 h = x->moments[b].first, d = ct_link_centre(x->l, link);
    const ct_mat3 e = x->moments[b].second;
    const ct_ex mass = x->moments[b].mass;
    ct_articulated_body *out = x->body + b;
    // J = trace E - E,  H = [h],  M = m
    for (int r = 0; r < 3; r++) {
        int u = (r + 1) % 3, v = (r + 2) % 3;
        out->j.a[r][r] = whole(x, ct_add(pool, e.a[u][u], e.a[v][v]));
        out->j.a[u][v] = out->j.a[v][u] = ct_neg(pool, e.a[u][v]);
        out->h.a[u][v] = ct_neg(pool, h.v[r]);
        out->h.a[v][u] = h.v[r];
        out->m.a[r][r] = mass;
    }
    // f = m a + gradient h,  n
    const ct_articulated_motion *m = x->motion + b;
    ct_mat3 g = gradient(x, m);
    out->p.v = ct_vec_add(pool, ct_vec_scale(pool, mass, m->a), ct_mat_vec(pool, g, h));
    out->p.w = ct_vec_cross(pool, h, m->a);
    for (int r = 0; r < 3; r++) {
        int u = (r + 1) % 3, v = (r + 2) % 3;
        for (int k = 0; k < 3; k++) {
            ct_ex t[] = {out->p.w.v[r], ct_mul(pool, g.a[v][k], e.a[k][u]),
                         ct_neg(pool, ct_mul(pool, g.a[u][k], e.a[k][v]))};
            out->p.w.v[r] = ct_sum(pool, 3, t);
        }
    }
    // loads, moved from the centre of mass
    ct_vec3 f = ct_turn(x->l, x->loads->force[b], 0, b),
            t = ct_vec_add(pool, x->loads->torque[b], ct_turn(x->l, x->loads->moment[b], 0, b));
    f = ct_mat_transpose_vec(pool, link->frame, f);
    t = ct_mat_transpose_vec(pool, link->frame, t);
    t = ct_vec_add(pool, t, ct_vec_cross(pool, d, f));
    out->p.v = ct_vec_sub(pool, out->p.v, f);
    out->p.w = ct_vec_sub(pool, out->p.w, t);
}

// elimination, inward -----------------------------------------------------------------------------
// One entry of the articulated inertia by its place among the six directions.
static ct_ex *entry(ct_articulated_body *b, int i, int k) {
    return i < 3 ? (k < 3 ? &b->j.a[i][k] : &b->h.a[i][k - 3])
                 : (k < 3 ? &b->h.a[k][i - 3] : &b->m.a[i - 3][k - 3]);
}

static ct_ex *part(ct_spatial *s, int i) {
    return ct_spatial_part(s, i);
}

static int unit_axis(ct_vec3 e) {
    for (int i = 0; i < 3; i++)
        if (e.v[i] == CT_ONE && e.v[(i + 1) % 3] == CT_ZERO && e.v[(i + 2) % 3] == CT_ZERO)
            return i;
    return -1;
}

static void eliminate(ct_articulated *x, ct_articulated_body *b, const ct_link_step *t, int i,
                      ct_ex scale, ct_freedom *out) {
    ct_pool *pool = x->pool;
    const int first = t->kind == CT_LINK_SPIN ? 0 : 3, axis = unit_axis(t->e[i]),
              k = t->coordinate[i];
    ct_spatial u;
    const ct_ex armature = x->armature ? x->armature[k] : CT_ZERO;
    out->axis = axis < 0 || armature != CT_ZERO ? -1 : axis + first;
    // U = I S,  D = S . U
    ct_ex d = CT_ZERO, along = CT_ZERO, load = ct_sweep_load(x->l->f, pool, x->loads, x->how, k);
    for (int r = 0; r < 6; r++) {
        ct_ex sum = CT_ZERO;
        for (int c = 0; c < 3; c++)
            sum = ct_add(pool, sum, ct_mul(pool, *entry(b, r, first + c), t->e[i].v[c]));
        *part(&u, r) = whole(x, sum);
    }
    for (int c = 0; c < 3; c++) {
        d = ct_add(pool, d, ct_mul(pool, t->e[i].v[c], *part(&u, first + c)));
        along = ct_add(pool, along, ct_mul(pool, t->e[i].v[c], *part(&b->p, first + c)));
    }
    d = whole(x, ct_add(pool, d, armature));
    if (t->minus[i]) load = ct_neg(pool, load);
    ct_ex one_over = d == CT_ZERO ? CT_ZERO : whole(x, ct_power_int(pool, d, -1)),
          left = whole(x, ct_sub(pool, load, along));
    x->out->pivot[k] = d;
    x->out->scale[k] = scale;
    out->one_over = one_over;
    out->level = whole(x, ct_mul(pool, left, one_over));
    for (int r = 0; r < 6; r++)
        *part(&out->share, r) =
            r == out->axis ? CT_ONE : whole(x, ct_mul(pool, *part(&u, r), one_over));
    // I - U U^T / D,  p + U u / D; along S itself nothing but the load is left
    for (int r = 0; r < 6; r++) {
        for (int c = r; c < 6; c++) {
            ct_ex *a = entry(b, r, c), less = ct_mul(pool, *part(&u, r), *part(&out->share, c));
            *a = r == out->axis || c == out->axis ? CT_ZERO : whole(x, ct_sub(pool, *a, less));
            if (c < 3) b->j.a[c][r] = *a;
            if (r >= 3) b->m.a[c - 3][r - 3] = *a;
        }
        ct_ex *p = part(&b->p, r), more = ct_mul(pool, *part(&out->share, r), left);
        *p = r == out->axis ? load : whole(x, ct_add(pool, *p, more));
    }
}

// |r| of the constant part of a shift, which a bound on inertia grows by.
static ct_ex reach(const ct_articulated *x, ct_vec3 r) {
    ct_ex sum = CT_ZERO;
    for (int i = 0; i < 3; i++)
        if (!(ct_ex_kinds(x->pool, r.v[i]) & ~(1u << CT_SYMBOL_PARAMETER)))
            sum = ct_add(x->pool, sum, ct_power_int(x->pool, r.v[i], 2));
    return whole(x, ct_sqrt(x->pool, sum));
}

// Carries what body b has gathered to the one before it.
static void carry(ct_articulated *x, int b) {
    ct_pool *pool = x->pool;
    const ct_tree_link *link = x->links + b;
    ct_articulated_body a = x->body[b];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            a.j.a[r][c] = whole(x, a.j.a[r][c]);
            a.h.a[r][c] = whole(x, a.h.a[r][c]);
            a.m.a[r][c] = whole(x, a.m.a[r][c]);
        }
    a.p.w = whole_vec(x, a.p.w);
    a.p.v = whole_vec(x, a.p.v);
    int p = x->l->parent[CT_TRANSLATION][b], count = 0;
    ct_ex spread = x->spread[b]; // of the square root
    for (int k = link->n - 1; k >= 0; k--) {
        const ct_link_step *t = link->step + k;
        switch (t->kind) {
        case CT_LINK_TURN:
        case CT_LINK_MATRIX:
            a.j = turn_tensor(x, t, a.j, true);
            a.h = turn_tensor(x, t, a.h, false);
            a.m = turn_tensor(x, t, a.m, true);
            a.p.w = ct_articulated_turn(x, t, a.p.w, true);
            a.p.v = ct_articulated_turn(x, t, a.p.v, true);
            break;
        case CT_LINK_SHIFT:
            shift_back(x, t->along, &a);
            spread = whole(x, ct_add(pool, spread,
                                     ct_mul(pool, reach(x, t->along), ct_sqrt(pool, x->mass[b]))));
            break;
        case CT_LINK_SLIDE:
        case CT_LINK_SPIN:
            for (int i = 0; i < t->n; i++)
                eliminate(x, &a, t, i,
                          t->kind == CT_LINK_SLIDE ? x->mass[b] : ct_power_int(pool, spread, 2),
                          x->freedoms[b] + count++);
            break;
        }
    }
    // to the sums of the body before it
    ct_articulated_body *to = x->body + p;
    if (!p) return;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            to->j.a[r][c] = ct_add(pool, to->j.a[r][c], a.j.a[r][c]);
            to->h.a[r][c] = ct_add(pool, to->h.a[r][c], a.h.a[r][c]);
            to->m.a[r][c] = ct_add(pool, to->m.a[r][c], a.m.a[r][c]);
        }
    to->p.w = ct_vec_add(pool, to->p.w, a.p.w);
    to->p.v = ct_vec_add(pool, to->p.v, a.p.v);
    x->mass[p] = whole(x, ct_add(pool, x->mass[p], x->mass[b]));
    ct_ex squares =
        ct_add(pool, ct_power_int(pool, x->spread[p], 2), ct_power_int(pool, spread, 2));
    x->spread[p] = whole(x, ct_sqrt(pool, squares));
}

// accelerations, outward --------------------------------------------------------------------------
static void release(ct_articulated *x, const ct_link_step *t, int i, const ct_freedom *free,
                    ct_spatial *d) {
    ct_pool *pool = x->pool;
    // q'' = u / D - U / D . d
    ct_ex met = free->level;
    for (int r = 0; r < 6; r++)
        if (r != free->axis)
            met =
                ct_sub(pool, met, ct_mul(pool, *part((ct_spatial *)&free->share, r), *part(d, r)));
    met = whole(x, met);
    ct_ex second = met;
    if (free->axis >= 0) {
        second = ct_sub(pool, met, *part(d, free->axis));
        *part(d, free->axis) = met;
    } else {
        second = whole(x, second);
        ct_vec3 *to = t->kind == CT_LINK_SPIN ? &d->w : &d->v;
        *to = whole_vec(x, ct_vec_add(pool, *to, ct_vec_scale(pool, second, t->e[i])));
    }
    x->out->qdd[t->coordinate[i]] = whole(x, t->minus[i] ? ct_neg(pool, second) : second);
}

void ct_articulated_accelerate(ct_articulated *x, int b, ct_spatial *d) {
    const ct_tree_link *link = x->links + b;
    int count = 0;
    for (int k = 0; k < link->n; k++) count += link->step[k].n;
    for (int k = 0; k < link->n; k++) {
        const ct_link_step *t = link->step + k;
        if (t->kind == CT_LINK_SHIFT) {
            ct_vec3 carried = ct_vec_cross(x->pool, d->w, t->along);
            d->v = whole_vec(x, ct_vec_add(x->pool, d->v, carried));
        } else if (t->kind == CT_LINK_TURN || t->kind == CT_LINK_MATRIX) {
            d->w = ct_articulated_turn(x, t, d->w, false);
            d->v = ct_articulated_turn(x, t, d->v, false);
        }
        // what was eliminated last comes first
        for (int i = t->n - 1; i >= 0; i--) release(x, t, i, x->freedoms[b] + --count, d);
    }
}

void ct_articulated_sweep(ct_layout *l, const ct_loads *loads, bool along_joints,
                          bool along_floating, const ct_ex *armature, ct_accelerations *out,
                          ct_articulated *x) {
    size_t bodies = (size_t)l->n_bodies;
    *x = (ct_articulated){.l = l,
                          .pool = l->pool,
                          .loads = loads,
                          .how = {.along_floating = along_floating},
                          .armature = armature,
                          .links = ct_scratch(bodies, sizeof *x->links),
                          .motion = ct_scratch(bodies, sizeof *x->motion),
                          .body = ct_scratch(bodies, sizeof *x->body),
                          .moments = ct_scratch(bodies, sizeof *x->moments),
                          .freedoms = ct_scratch(bodies, sizeof *x->freedoms),
                          .mass = ct_scratch(bodies, sizeof *x->mass),
                          .spread = ct_scratch(bodies, sizeof *x->spread),
                          .out = out};
    ct_links_find(l, along_joints, along_floating, x->links);
    // outward: bias; inward: bodies with all behind them; outward: accelerations
    outward(x);
    measure(x);
    for (int b = 1; b < l->n_bodies; b++) own(x, b);
    for (int i = l->n_bodies - 1; i > 0; i--) carry(x, l->order[CT_TRANSLATION][i]);
    ct_spatial *d = ct_scratch(bodies, sizeof *d);
    for (int i = 1; i < l->n_bodies; i++) {
        int b = l->order[CT_TRANSLATION][i];
        d[b] = d[l->parent[CT_TRANSLATION][b]];
        ct_articulated_accelerate(x, b, d + b);
    }
}

void ct_sweep_articulated(ct_layout *l, const ct_loads *loads, bool along_joints,
                          bool along_floating, ct_accelerations *out) {
    ct_articulated x;
    ct_articulated_sweep(l, loads, along_joints, along_floating, NULL, out, &x);
}
