// Moments of bodies about the origins of their links, and what they may leave to the link before. A body
// behind a hinge along the axis e has a part that does not turn with it: all its mass at rest on the axis,
// its first moment along e, and second moments e e^T. This part moves with the link before as well,
// and stands among that one's moments (base parameters, Khalil and Kleinfinger 1987). The equations of
// motion stay the same, with a third of the moments less.
#include "formulate/sweep/links.h"

#include <math.h>

static double no_symbol(void *data, ct_ex symbol) {
    (void)data;
    (void)symbol;
    return NAN;
}

// A constant kept whole. Numbers with many digits are rounded: they would grow with each link.
static ct_ex constant(const ct_layout *l, ct_ex a) {
    enum { BITS = 64 }; // more than any number of a file has
    double value;
    fmpq_t number;
    fmpq_init(number);
    const bool is_long = ct_number_get(l->pool, a, number) && fmpq_height_bits(number) > BITS;
    fmpq_clear(number);
    if (!is_long) return ct_links_constant(l->pool, a);
    ct_eval_rounded(l->pool, 1, &a, no_symbol, NULL, &value);
    return ct_exact_number(l->pool, value);
}

static bool is_constant(const ct_layout *l, int n, const ct_ex *a) {
    unsigned kinds = 0;
    for (int i = 0; i < n; i++) kinds |= ct_ex_kinds(l->pool, a[i]);
    return !(kinds & ~(1u << CT_SYMBOL_PARAMETER));
}

ct_link_moments ct_link_moments_of(const ct_layout *l, const ct_tree_link *link, int b) {
    ct_pool *pool = l->pool;
    const ct_body *body = l->model->bodies + b;
    const ct_ex *i = body->inertia;
    // about the centre of mass: half the trace less the inertia, in the frame of the link
    ct_ex half = ct_mul(pool, ct_rational(pool, 1, 2), ct_sum(pool, 3, i));
    ct_mat3 e = {{{ct_sub(pool, half, i[0]), i[3], i[4]},
                  {i[3], ct_sub(pool, half, i[1]), i[5]},
                  {i[4], i[5], ct_sub(pool, half, i[2])}}};
    if (!ct_mat_is_identity(link->frame))
        e = ct_mat_mul(pool, ct_mat_mul(pool, ct_mat_transpose(link->frame), e), link->frame);
    // moved to the origin of the link
    ct_vec3 d = ct_link_centre(l, link), h;
    for (int k = 0; k < 3; k++) h.v[k] = constant(l, ct_mul(pool, body->mass, d.v[k]));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            e.a[r][c] = constant(l, ct_add(pool, e.a[r][c], ct_mul(pool, h.v[r], d.v[c])));
    return (ct_link_moments){body->mass, h, e};
}

ct_vec3 ct_link_centre(const ct_layout *l, const ct_tree_link *link) {
    ct_vec3 d = ct_mat_transpose_vec(l->pool, link->frame, ct_vec_neg(l->pool, link->origin));
    for (int k = 0; k < 3; k++) d.v[k] = constant(l, d.v[k]);
    return d;
}

// True if a step does not depend on the state.
static bool is_constant_step(const ct_layout *l, const ct_link_step *t) {
    const ct_ex turn[] = {t->c, t->s};
    switch (t->kind) {
    case CT_LINK_SHIFT: return is_constant(l, 3, t->along.v);
    case CT_LINK_TURN: return is_constant(l, 2, turn);
    case CT_LINK_MATRIX: return is_constant(l, 9, &t->matrix.a[0][0]);
    default: return false;
    }
}

static bool is_shift_along(const ct_link_step *t, int axis) {
    return t->kind == CT_LINK_SHIFT && t->along.v[(axis + 1) % 3] == CT_ZERO &&
           t->along.v[(axis + 2) % 3] == CT_ZERO;
}

// The hinge of a link as one of its coordinate axes, -1 if it has another joint; *turn: the step of its
// turn, which stands before its freedom. All other steps are constant, those behind it go along the axis.
static int hinge_axis(const ct_layout *l, const ct_tree_link *link, int *turn) {
    int spin = 0, axis = -1;
    while (spin < link->n && link->step[spin].kind != CT_LINK_SPIN) spin++;
    if (spin == link->n || spin == 0 || link->step[spin].n != 1) return -1;
    for (int i = 0; i < 3; i++)
        if (ct_vec_same(link->step[spin].e[0], ct_vec_unit(i))) axis = i;
    *turn = spin - 1;
    for (int k = 0; k < link->n && axis >= 0; k++) {
        const ct_link_step *t = link->step + k;
        if (k == spin || k == *turn) continue;
        if (!is_constant_step(l, t) || (k > spin && !is_shift_along(t, axis))) return -1;
    }
    return axis;
}

// The same moments about the origin before a step, in the frame before it.
static ct_link_moments before(const ct_layout *l, const ct_link_step *t, ct_link_moments m) {
    ct_pool *pool = l->pool;
    ct_link_moments r = m;
    if (t->kind == CT_LINK_SHIFT) {
        // h + m r,  E + h r^T + r h'^T
        for (int i = 0; i < 3; i++)
            r.first.v[i] =
                constant(l, ct_add(pool, m.first.v[i], ct_mul(pool, m.mass, t->along.v[i])));
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                ct_ex sum[] = {m.second.a[i][k], ct_mul(pool, m.first.v[i], t->along.v[k]),
                               ct_mul(pool, t->along.v[i], r.first.v[k])};
                r.second.a[i][k] = constant(l, ct_sum(pool, 3, sum));
            }
        return r;
    }
    // R h,  R E R^T
    ct_mat3 turn = t->matrix;
    if (t->kind == CT_LINK_TURN) {
        int j = (t->axis + 1) % 3, k = (t->axis + 2) % 3;
        turn = ct_mat3_identity();
        turn.a[j][j] = turn.a[k][k] = t->c;
        turn.a[k][j] = t->s;
        turn.a[j][k] = ct_neg(pool, t->s);
    }
    r.first = ct_mat_vec(pool, turn, m.first);
    r.second = ct_mat_mul(pool, ct_mat_mul(pool, turn, m.second), ct_mat_transpose(turn));
    for (int i = 0; i < 3; i++) {
        r.first.v[i] = constant(l, r.first.v[i]);
        for (int k = 0; k < 3; k++) r.second.a[i][k] = constant(l, r.second.a[i][k]);
    }
    return r;
}

static void leave(const ct_layout *l, const ct_tree_link *link, int b, int axis, int turn,
                  ct_link_moments *of) {
    ct_pool *pool = l->pool;
    ct_link_moments *own = of + b, *to = of + l->parent[CT_TRANSLATION][b],
                    part = {.mass = own->mass};
    // along the axis
    part.first.v[axis] = own->first.v[axis];
    part.second.a[axis][axis] = own->second.a[axis][axis];
    own->mass = own->first.v[axis] = own->second.a[axis][axis] = CT_ZERO;
    if (to == of) return;
    // the turn of the hinge leaves it as it is
    for (int k = link->n - 1; k >= 0; k--)
        if (k != turn && link->step[k].kind != CT_LINK_SPIN) part = before(l, link->step + k, part);
    // to those of the link before
    to->mass = constant(l, ct_add(pool, to->mass, part.mass));
    for (int i = 0; i < 3; i++) {
        to->first.v[i] = constant(l, ct_add(pool, to->first.v[i], part.first.v[i]));
        for (int k = 0; k < 3; k++)
            to->second.a[i][k] = constant(l, ct_add(pool, to->second.a[i][k], part.second.a[i][k]));
    }
}

void ct_links_regroup(const ct_layout *l, const ct_tree_link *links, ct_link_moments *of) {
    for (int i = l->n_bodies - 1; i > 0; i--) {
        int b = l->order[CT_TRANSLATION][i], turn = -1, axis = hinge_axis(l, links + b, &turn);
        if (axis >= 0) leave(l, links + b, b, axis, turn, of);
    }
}
