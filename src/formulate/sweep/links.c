// Frames of links. Behind a joint with one axis the third axis of a frame is that of the joint, and
// its first axis the common normal n with the axis of the joint that follows (Denavit and
// Hartenberg), so that from frame to frame there are two turns and two shifts along coordinate axes:
//   shift a along x, turn alpha about x, turn q + theta about z, shift d along z.
// A body with several joints has such a frame for the heaviest of its branches; the others turn about
// z to their own normal first.
#include "formulate/sweep/links.h"
#include "formulate/sweep/sweep_inside.h"
#include "formulate/tolerances.h"
#include "formulate/whole_rotation.h"

#include <math.h>

typedef struct finder {
    ct_layout *l;
    ct_pool *pool;
    bool along_joints, along_floating;
    bool *framed; // [bodies] the frame is that of its joint
    int *next;    // [bodies] the body whose joint gives the common normal, 0: none
    ct_ex *lift;  // [bodies] origin along the axis, from the joint's point
    ct_tree_link *links;
} finder;

bool ct_links_apply(const ct_layout *l) {
    return !l->f->m && ct_links_carry(l);
}

bool ct_links_carry(const ct_layout *l) {
    if (!ct_sweep_composes(l)) return false;
    for (int b = 1; b < l->n_bodies; b++) {
        const ct_connection *c = l->connections + l->branch[CT_TRANSLATION][b];
        if (c->n_trans && c->body[1] != b) return false;
    }
    return true;
}

static const ct_connection *branch(const finder *x, ct_domain d, int b) {
    return x->l->connections + x->l->branch[d][b];
}

// what a joint is on one of its sides -------------------------------------------------------------
// On body b itself (own), or on the one before it.
static int side(const ct_connection *c, int b, bool own) {
    return (c->body[1] == b) == own;
}

static ct_vec3 axis_on(const finder *x, int b, bool own) {
    const ct_connection *c = branch(x, CT_ROTATION, b);
    return ct_mat_vec(x->pool, c->orient[side(c, b, own)], c->axis[0]);
}

static ct_vec3 point_on(const finder *x, int b, bool own) {
    const ct_connection *c = branch(x, CT_TRANSLATION, b);
    int s = side(c, b, own);
    ct_vec3 r = c->at[s];
    return s ? r : ct_vec_add(x->pool, r, ct_mat_vec(x->pool, c->orient[0], c->offset));
}

static bool is_number(const finder *x, ct_vec3 v) {
    for (int i = 0; i < 3; i++)
        if (ct_ex_kinds(x->pool, v.v[i])) return false;
    return true;
}

static double size(const finder *x, ct_vec3 v) {
    return sqrt(fabs(ct_model_number(x->l->model, ct_vec_dot(x->pool, v, v))));
}

static double no_symbol(void *data, ct_ex symbol) {
    (void)data;
    (void)symbol;
    return NAN;
}

ct_ex ct_links_constant(ct_pool *pool, ct_ex a) {
    double value;
    if (ct_is_number(pool, a) || ct_ex_kinds(pool, a)) return ct_let_whole(pool, a);
    ct_eval_rounded(pool, 1, &a, no_symbol, NULL, &value);
    return ct_exact_number(pool, value);
}

static ct_vec3 whole(const finder *x, ct_vec3 v) {
    for (int i = 0; i < 3; i++) v.v[i] = ct_links_constant(x->pool, v.v[i]);
    return v;
}

// a / |a| of a vector of numbers
static ct_vec3 unit(const finder *x, ct_vec3 a) {
    ct_ex length = ct_sqrt(x->pool, ct_vec_dot(x->pool, a, a));
    return ct_vec_scale(x->pool, ct_power_int(x->pool, length, -1), a);
}

static int along_axis(ct_vec3 v) {
    for (int i = 0; i < 3; i++)
        if (v.v[(i + 1) % 3] == CT_ZERO && v.v[(i + 2) % 3] == CT_ZERO) return i;
    return -1;
}

// True for a body behind a joint with one axis, whose frame may lie along it.
static bool turns_once(const finder *x, int b) {
    const ct_connection *r = branch(x, CT_ROTATION, b), *t = branch(x, CT_TRANSLATION, b);
    return r == t && r->n_rot == 1 && !r->n_trans && !r->whole &&
           is_number(x, axis_on(x, b, true)) && is_number(x, axis_on(x, b, false));
}

// frames ------------------------------------------------------------------------------------------
static ct_mat3 columns(ct_vec3 a, ct_vec3 b, ct_vec3 c) {
    ct_mat3 m;
    for (int i = 0; i < 3; i++) {
        m.a[i][0] = a.v[i];
        m.a[i][1] = b.v[i];
        m.a[i][2] = c.v[i];
    }
    return m;
}

// The frame of body b with z along its joint and x along the common normal with that of body c, or
// any normal; the origin is at the foot of the common normal.
static void frame_joint(finder *x, int b, int c) {
    ct_pool *pool = x->pool;
    ct_vec3 z = axis_on(x, b, true), from = point_on(x, b, true), n, y;
    bool normal = false;
    x->lift[b] = CT_ZERO;
    if (c) {
        ct_vec3 w = axis_on(x, c, false), across = ct_vec_cross(pool, z, w),
                gap = ct_vec_sub(pool, point_on(x, c, false), from);
        if (size(x, across) > CT_LINK_SKEW) {
            // skew axes: n = z x w / |z x w|, foot at  ((gap x w) . (z x w)) / |z x w|^2  along z
            n = unit(x, across);
            ct_ex square = ct_vec_dot(pool, across, across),
                  foot = ct_vec_dot(pool, ct_vec_cross(pool, gap, w), across);
            x->lift[b] = ct_links_constant(pool, ct_div(pool, foot, square));
            normal = true;
        } else if (ct_vec_is_zero(across)) {
            // parallel axes: n from axis to axis
            ct_vec3 level = ct_vec_sub(pool, gap, ct_vec_scale(pool, ct_vec_dot(pool, gap, z), z));
            int axis = along_axis(level);
            if (!ct_vec_is_zero(level) && axis >= 0) {
                n = ct_vec_unit(axis);
                normal = true;
            } else if (is_number(x, level) && size(x, level) > CT_LINK_SKEW * x->l->f->length) {
                n = unit(x, level);
                normal = true;
            }
        }
    }
    if (normal) {
        n = whole(x, n);
        y = ct_vec_cross(pool, z, n);
    } else {
        ct_vec_normals(x->l->model, z, &n, &y);
    }
    x->links[b].frame = columns(n, whole(x, y), z);
    x->next[b] = normal ? c : 0;
    x->links[b].origin = ct_vec_add(pool, from, ct_vec_scale(pool, x->lift[b], z));
}

static int *behind(const finder *x) { // number of bodies behind each one
    const ct_layout *l = x->l;
    int *count = ct_scratch((size_t)l->n_bodies, sizeof *count);
    for (int i = l->n_bodies - 1; i > 0; i--) {
        int b = l->order[CT_TRANSLATION][i];
        count[l->parent[CT_TRANSLATION][b]] += ++count[b];
    }
    return count;
}

static void find_frames(finder *x) {
    const ct_layout *l = x->l;
    const int *count = behind(x);
    int *heaviest = ct_scratch((size_t)l->n_bodies, sizeof *heaviest);
    for (int b = 1; b < l->n_bodies; b++) {
        x->framed[b] = turns_once(x, b) && (x->along_joints || along_axis(axis_on(x, b, true)) < 0);
        int p = l->parent[CT_TRANSLATION][b];
        if (turns_once(x, b) && (!heaviest[p] || count[b] > count[heaviest[p]])) heaviest[p] = b;
    }
    x->links[0].frame = ct_mat3_identity();
    for (int b = 1; b < l->n_bodies; b++) {
        ct_tree_link *link = x->links + b;
        link->frame = ct_mat3_identity();
        link->origin = point_on(x, b, true);
        if (x->framed[b]) frame_joint(x, b, x->framed[heaviest[b]] ? heaviest[b] : 0);
    }
}

// steps -------------------------------------------------------------------------------------------
static ct_link_step *add(ct_tree_link *link, ct_link_kind kind) {
    ct_link_step *step = link->step + link->n++;
    *step = (ct_link_step){.kind = kind};
    return step;
}

static void add_shift(const finder *x, ct_tree_link *link, ct_vec3 r) {
    if (!ct_vec_is_zero(r)) add(link, CT_LINK_SHIFT)->along = whole(x, r);
}

static void add_turn(ct_tree_link *link, int axis, ct_ex c, ct_ex s) {
    if (c == CT_ONE) return;
    ct_link_step *step = add(link, CT_LINK_TURN);
    step->axis = axis;
    step->c = c;
    step->s = s;
}

static void add_matrix(const finder *x, ct_tree_link *link, ct_mat3 r) {
    if (ct_mat_is_identity(r)) return;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        if (r.a[i][i] != CT_ONE || r.a[i][j] != CT_ZERO || r.a[i][k] != CT_ZERO) continue;
        add_turn(link, i, r.a[j][j], r.a[k][j]);
        return;
    }
    ct_link_step *step = add(link, CT_LINK_MATRIX);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) step->matrix.a[i][k] = ct_links_constant(x->pool, r.a[i][k]);
}

static void add_freedom(const finder *x, ct_link_step *step, ct_vec3 e, ct_ex q, ct_ex rate,
                        bool minus) {
    ct_pool *pool = x->pool;
    int i = step->n++, axis = along_axis(e);
    // along a coordinate axis: the positive one
    if (axis >= 0 && e.v[axis] == ct_int(pool, -1)) {
        e = ct_vec_unit(axis);
        minus = !minus;
    }
    step->e[i] = axis >= 0 ? e : whole(x, e);
    step->minus[i] = minus;
    step->rate[i] = minus ? ct_neg(pool, rate) : rate;
    for (int k = 0; k < x->l->f->n; k++)
        if (x->l->f->q[k] == q) step->coordinate[i] = k;
}

// Slides, along the frame before the body, or along its own axes if it floats.
static void add_slides(const finder *x, int b, bool own) {
    ct_tree_link *link = x->links + b;
    const ct_connection *c = branch(x, CT_TRANSLATION, b);
    ct_mat3 frame = x->links[x->l->parent[CT_TRANSLATION][b]].frame;
    for (int k = 0; k < c->n_trans; k++) {
        ct_vec3 e = ct_mat_vec(x->pool, c->orient[0], c->direction[k]);
        ct_link_step *step = add(link, CT_LINK_SLIDE);
        step->bias = !own;
        add_freedom(x, step, own ? ct_vec_unit(k) : ct_mat_transpose_vec(x->pool, frame, e),
                    c->slide[k], c->slide_d[k], false);
    }
}

// To the joint from the origin of the body before it, in that one's frame.
static ct_vec3 to_joint(const finder *x, int b) {
    const ct_connection *c = branch(x, CT_TRANSLATION, b);
    const ct_tree_link *before = x->links + x->l->parent[CT_TRANSLATION][b];
    int s = side(c, b, false);
    ct_vec3 r = c->at[s];
    if (!s) r = ct_vec_add(x->pool, r, ct_slide(x->l, c));
    r = ct_vec_sub(x->pool, r, before->origin);
    return ct_mat_transpose_vec(x->pool, before->frame, r);
}

// Turn of a joint with one axis by the angle q + theta; n: the normal from which theta is measured, in
// the own frame of the body before it.
static void turn_joint(const finder *x, int b, ct_vec3 n) {
    ct_pool *pool = x->pool;
    const ct_connection *c = branch(x, CT_ROTATION, b);
    bool forward = c->body[1] == b;
    ct_tree_link *link = x->links + b;
    // x of the frame, seen from the body before it at q = 0
    ct_vec3 first, w = axis_on(x, b, false);
    for (int i = 0; i < 3; i++) first.v[i] = link->frame.a[i][0];
    first = ct_mat_transpose_vec(pool, c->orient[forward], first);
    first = ct_mat_vec(pool, c->orient[!forward], first);
    ct_ex cosine = ct_links_constant(pool, ct_vec_dot(pool, first, n)),
          sine = ct_links_constant(pool, ct_vec_dot(pool, first, ct_vec_cross(pool, w, n)));
    ct_ex cq = ct_cos(pool, c->angle[0]), sq = ct_sin(pool, c->angle[0]);
    if (!forward) sq = ct_neg(pool, sq);
    // cos(q + theta), sin(q + theta)
    add_turn(link, 2,
             ct_let_whole(pool, ct_sub(pool, ct_mul(pool, cq, cosine), ct_mul(pool, sq, sine))),
             ct_let_whole(pool, ct_add(pool, ct_mul(pool, sq, cosine), ct_mul(pool, cq, sine))));
    add_freedom(x, add(link, CT_LINK_SPIN), ct_vec_unit(2), c->angle[0], c->angle_d[0], !forward);
}

// Steps to a body whose frame lies along its joint.
static void joint_steps(const finder *x, int b) {
    ct_pool *pool = x->pool;
    ct_tree_link *link = x->links + b;
    int p = x->l->parent[CT_TRANSLATION][b];
    const ct_tree_link *before = x->links + p;
    ct_vec3 w = axis_on(x, b, false), seen = ct_mat_transpose_vec(pool, before->frame, w), n, z;
    ct_ex d = x->lift[b];
    for (int i = 0; i < 3; i++) {
        n.v[i] = before->frame.a[i][0];
        z.v[i] = before->frame.a[i][2];
    }
    ct_vec3 across = ct_vec_cross(pool, z, w), r = to_joint(x, b);
    double skew = size(x, across);
    if (ct_vec_same(z, w) || ct_vec_same(z, ct_vec_neg(pool, w))) {
        // parallel: nothing across the normal
        if (x->next[p] == b) {
            ct_vec3 gap = ct_vec_sub(pool, point_on(x, b, false), point_on(x, p, true));
            r = ct_vec(ct_vec_dot(pool, gap, n), CT_ZERO, r.v[2]);
        }
        add_shift(x, link, r);
        if (!ct_vec_same(z, w)) add_turn(link, 0, ct_int(pool, -1), CT_ZERO);
    } else if (x->next[p] == b && skew > CT_LINK_SKEW) {
        // x is the common normal: its length a, then alpha; foot on this axis behind the joint's point
        ct_vec3 gap = ct_vec_sub(pool, point_on(x, b, false), point_on(x, p, true));
        ct_ex square = ct_vec_dot(pool, across, across),
              foot = ct_vec_dot(pool, ct_vec_cross(pool, gap, z), across);
        add_shift(x, link, ct_vec(ct_vec_dot(pool, gap, n), CT_ZERO, CT_ZERO));
        add_turn(link, 0, ct_links_constant(pool, ct_vec_dot(pool, z, w)),
                 ct_links_constant(pool, ct_sqrt(pool, square)));
        d = ct_sub(pool, d, ct_div(pool, foot, square));
    } else if (skew > CT_LINK_SKEW) {
        // to the common normal first
        ct_ex level = ct_sqrt(pool, ct_vec_dot(pool, across, across)),
              one_over = ct_power_int(pool, level, -1);
        n = ct_vec_scale(pool, one_over, across);
        add_shift(x, link, r);
        add_turn(link, 2, ct_links_constant(pool, ct_neg(pool, ct_mul(pool, seen.v[1], one_over))),
                 ct_links_constant(pool, ct_mul(pool, seen.v[0], one_over)));
        add_turn(link, 0, ct_links_constant(pool, seen.v[2]), ct_links_constant(pool, level));
    } else {
        // nearly parallel: any normal of this axis
        ct_vec3 y;
        ct_vec_normals(x->l->model, w, &n, &y);
        ct_mat3 to = columns(n, y, w);
        add_shift(x, link, r);
        add_matrix(x, link, ct_mat_mul(pool, ct_mat_transpose(before->frame), to));
    }
    turn_joint(x, b, n);
    add_shift(x, link, ct_vec(CT_ZERO, CT_ZERO, d));
}

// Turns one after the other, each with its freedom.
static void turns(const finder *x, int b) {
    ct_pool *pool = x->pool;
    const ct_connection *c = branch(x, CT_ROTATION, b);
    bool forward = c->body[1] == b;
    ct_tree_link *link = x->links + b;
    add_matrix(x, link,
               ct_mat_mul(pool, ct_mat_transpose(x->links[x->l->parent[CT_ROTATION][b]].frame),
                          c->orient[!forward]));
    for (int i = 0; i < c->n_rot; i++) {
        int k = forward ? i : c->n_rot - 1 - i;
        ct_ex angle = forward ? c->angle[k] : ct_neg(pool, c->angle[k]);
        add_matrix(x, link, ct_mat_rotation(pool, c->axis[k], angle));
        add_freedom(x, add(link, CT_LINK_SPIN), c->axis[k], c->angle[k], c->angle_d[k], !forward);
    }
    add_matrix(x, link, ct_mat_transpose(c->orient[forward]));
}

// A rotation that is kept whole, with its spins along the axes of the body before it or its own.
static void whole_turn(const finder *x, int b) {
    const ct_connection *c = branch(x, CT_ROTATION, b);
    ct_tree_link *link = x->links + b;
    ct_mat3 before = ct_mat_transpose(x->links[x->l->parent[CT_ROTATION][b]].frame),
            r = ct_mat_mul(x->pool, before, ct_whole_rotation_matrix(x->l, c));
    bool own = c->whole->integrated && !c->whole->in_root;
    if (own) add_matrix(x, link, r);
    ct_link_step *spins = add(link, CT_LINK_SPIN);
    for (int k = 0; k < 3; k++)
        add_freedom(x, spins, own ? c->axis[k] : ct_mat_vec(x->pool, before, c->axis[k]),
                    c->angle[k], c->angle_d[k], false);
    if (!own) add_matrix(x, link, r);
}

void ct_links_find(ct_layout *l, bool along_joints, bool along_floating, ct_tree_link *links) {
    size_t n = (size_t)l->n_bodies;
    finder x = {.l = l,
                .pool = l->pool,
                .along_joints = along_joints,
                .along_floating = along_floating,
                .framed = ct_scratch(n, sizeof *x.framed),
                .next = ct_scratch(n, sizeof *x.next),
                .lift = ct_scratch(n, sizeof *x.lift),
                .links = links};
    find_frames(&x);
    // steps along a joint, or: to the joint, slides, turns; slides of a floating base come last
    for (int i = 1; i < l->n_bodies; i++) {
        int b = l->order[CT_TRANSLATION][i];
        if (x.framed[b]) {
            joint_steps(&x, b);
            continue;
        }
        bool floats = along_floating && ct_floating_of_body(l->f, b);
        add_shift(&x, links + b, to_joint(&x, b));
        if (!floats) add_slides(&x, b, false);
        if (branch(&x, CT_ROTATION, b)->whole)
            whole_turn(&x, b);
        else
            turns(&x, b);
        if (floats) add_slides(&x, b, true);
    }
}
