// The equations of the reactions: the tree of joints, what bodies need, then one sweep from the
// leaves to ground for the wrenches of all branches.
#include "formulate/loads/loads.h"
#include "formulate/reactions/reactions.h"

#include <stdlib.h>
#include <string.h>

// the tree ----------------------------------------------------------------------------------------
static int find(int *group, int i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
}

static int freedoms_of(ct_joint_type type) {
    static const int held[] = {
        [CT_HOLDS_NOTHING] = 0, [CT_HOLDS_DISTANCE] = 1, [CT_HOLDS_PLANE] = 1,
        [CT_HOLDS_LINE] = 2,    [CT_HOLDS_HELIX] = 3,    [CT_HOLDS_POINT] = 3};
    const ct_joint_traits *t = ct_joint_traits_of(type);
    return 6 - held[t->holds] - (int)t->keeps;
}

// Joints with few freedoms first: fewer equations, and as many unknowns less.
static void choose_branches(ct_reaction_builder *b) {
    const ct_model *m = b->model;
    int *group = ct_scratch((size_t)m->n_bodies, sizeof *group);
    for (int i = 0; i < m->n_bodies; i++) group[i] = i;
    for (int freedoms = 0; freedoms < 6; freedoms++)
        for (int i = 0; i < m->n_joints; i++) {
            const ct_joint *j = m->joints + i;
            if (!ct_reaction_carries(j) || freedoms_of(j->type) != freedoms) continue;
            int a = find(group, j->body[0]), c = find(group, j->body[1]);
            b->is_branch[i] = a != c;
            group[a] = c;
        }
}

// Parents along the branches, nearest to ground first. Bodies that no joint ties to ground hang on
// it by themselves, with six freedoms.
static void root_tree(ct_reaction_builder *b) {
    const ct_model *m = b->model;
    int n = 0;
    for (int i = 0; i < m->n_bodies; i++) b->parent[i] = b->branch[i] = -1;
    bool *reached = ct_scratch((size_t)m->n_bodies, sizeof *reached);
    for (int root = 0; root < m->n_bodies; root++) {
        if (reached[root]) continue;
        reached[root] = true;
        if (root) b->parent[root] = 0, b->depth[root] = 1;
        b->order[n++] = root;
        for (int at = n - 1; at < n; at++)
            for (int i = 0; i < m->n_joints; i++) {
                if (!b->is_branch[i]) continue;
                const int *ends = m->joints[i].body, from = b->order[at];
                int to = ends[0] == from ? ends[1] : ends[1] == from ? ends[0] : -1;
                if (to < 0 || reached[to]) continue;
                reached[to] = true;
                b->parent[to] = from;
                b->branch[to] = i;
                b->depth[to] = b->depth[from] + 1;
                b->order[n++] = to;
            }
    }
}

// what bodies need ----------------------------------------------------------------------------------
static void name_accelerations(ct_reaction_builder *b) {
    const ct_formulation *f = b->l->f;
    b->r->qdd = ct_scratch((size_t)f->n + 1, sizeof *b->r->qdd);
    for (int k = 0; k < f->n; k++) b->r->qdd[k] = ct_acceleration(f, k);
}

static void find_needs(ct_reaction_builder *b, bool drives) {
    const ct_model *m = b->model;
    ct_loads loads;
    bool *skip = ct_scratch((size_t)m->n_forces + 1, sizeof *skip);
    for (int i = 0; i < m->n_drives && drives; i++)
        if (m->drives[i].force >= 0) skip[m->drives[i].force] = true;
    ct_loads_build_without(b->l, b->known, skip, &loads);
    name_accelerations(b);
    ct_sweep_needs(b->l, &loads, b->r->qdd, b->force, b->moment);
    for (int i = 1; i < m->n_bodies; i++)
        b->centre[i] = ct_vec_let(b->pool, ct_position(b->l, i, ct_vec3_zero()));
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (j->body[0] < 0) continue;
        const ct_connection *c = ct_reaction_connection(b->l, i);
        b->at[i] = ct_vec_let(b->pool, ct_position(b->l, c->body[1], c->at[1]));
    }
    ct_reaction_known_efforts(b, &loads);
    ct_loads_clear(&loads);
}

// unknowns of chords --------------------------------------------------------------------------------
static void chord_unknowns(ct_reaction_builder *b) {
    const ct_model *m = b->model;
    for (int i = 0; i < m->n_joints; i++) {
        if (!ct_reaction_carries(m->joints + i) || b->is_branch[i]) continue;
        ct_vec3 force[6], moment[6];
        int power[6], n = ct_reaction_basis(b, i, force, moment, power);
        for (int k = 0; k < n; k++) {
            ct_reaction_unknown *u = ct_reaction_unknown_new(b, i, power[k]);
            *CT_PUSH_SCRATCH(u->terms, u->n, u->room) =
                (ct_reaction_term){.body = {m->joints[i].body[0], m->joints[i].body[1]},
                                   .at = b->at[i],
                                   .force = force[k],
                                   .moment = moment[k]};
        }
    }
}

// wrenches of branches ------------------------------------------------------------------------------
typedef struct wrench {
    ct_vec3 force, moment;
} wrench;

// The point that the wrench of the branch of a body acts at.
static ct_vec3 branch_point(const ct_reaction_builder *b, int body) {
    return b->branch[body] < 0 ? b->centre[body] : b->at[b->branch[body]];
}

// The same wrench at another point.
static wrench moved(ct_reaction_builder *b, wrench w, ct_vec3 from, ct_vec3 to) {
    ct_vec3 arm = ct_vec_sub(b->pool, from, to);
    w.moment = ct_vec_add(b->pool, w.moment, ct_vec_cross(b->pool, arm, w.force));
    return w;
}

static void accumulate(ct_reaction_builder *b, wrench *sum, wrench w, int sign) {
    if (sign < 0) w = (wrench){ct_vec_neg(b->pool, w.force), ct_vec_neg(b->pool, w.moment)};
    sum->force = ct_vec_add(b->pool, sum->force, w.force);
    sum->moment = ct_vec_add(b->pool, sum->moment, w.moment);
}

// From the leaves to ground: what each body needs, less what unknowns give (factor of each in x; NULL:
// nothing), and what its branches carry on.
static void sweep(ct_reaction_builder *b, const ct_ex *x, wrench *w) {
    const int n = b->model->n_bodies;
    for (int i = 0; i < n; i++) {
        w[i] = (wrench){b->force[i], b->moment[i]};
        if (i) w[i] = moved(b, w[i], b->centre[i], branch_point(b, i));
    }
    for (int k = 0; k < b->n_unknowns && x; k++)
        for (int i = 0; i < b->unknowns[k].n; i++) {
            const ct_reaction_term *t = b->unknowns[k].terms + i;
            wrench unit = {ct_vec_scale(b->pool, x[k], t->force),
                           ct_vec_scale(b->pool, x[k], t->moment)};
            for (int side = 0; side < 2; side++)
                if (t->body[side])
                    accumulate(b, w + t->body[side],
                               moved(b, unit, t->at, branch_point(b, t->body[side])),
                               side ? -1 : 1);
        }
    for (int i = n - 1; i > 0; i--) {
        int body = b->order[i], up = b->parent[body];
        w[body].force = ct_vec_let(b->pool, w[body].force);
        w[body].moment = ct_vec_let(b->pool, w[body].moment);
        if (up)
            accumulate(b, w + up, moved(b, w[body], branch_point(b, body), branch_point(b, up)), 1);
    }
}

// equations -----------------------------------------------------------------------------------------
// Freedoms of the branch of a body; of one that hangs on ground by itself all six.
static int branch_freedoms(ct_reaction_builder *b, int body, ct_vec3 *along, ct_vec3 *about,
                           int *power) {
    if (b->branch[body] >= 0) return ct_reaction_freedoms(b, b->branch[body], along, about, power);
    for (int i = 0; i < 6; i++) {
        along[i] = i < 3 ? ct_vec_unit(i) : ct_vec3_zero();
        about[i] = i < 3 ? ct_vec3_zero() : ct_vec_unit(i - 3);
        power[i] = i >= 3;
    }
    return 6;
}

static ct_ex product(ct_reaction_builder *b, ct_vec3 along, ct_vec3 about, wrench w) {
    return ct_add(b->pool, ct_vec_dot(b->pool, along, w.force),
                  ct_vec_dot(b->pool, about, w.moment));
}

// True if the path from `body` to ground goes through `below`.
static bool is_behind(const ct_reaction_builder *b, int below, int body) {
    while (b->depth[body] > b->depth[below]) body = b->parent[body];
    return body == below;
}

// Entries of the equation of a freedom of the branch of `body`: a chord loads it where it closes a
// circuit over it.
static void equation_entries(ct_reaction_builder *b, int row, int body, ct_vec3 along,
                             ct_vec3 about) {
    ct_reactions *r = b->r;
    for (int k = 0; k < b->n_unknowns; k++) {
        ct_ex sum = CT_ZERO;
        for (int i = 0; i < b->unknowns[k].n; i++) {
            const ct_reaction_term *t = b->unknowns[k].terms + i;
            bool a = is_behind(b, body, t->body[0]), c = is_behind(b, body, t->body[1]);
            if (a == c) continue;
            wrench unit = moved(b, (wrench){t->force, t->moment}, t->at, branch_point(b, body));
            ct_ex part = product(b, along, about, unit);
            sum = c ? ct_sub(b->pool, sum, part) : ct_add(b->pool, sum, part);
        }
        if (sum != CT_ZERO)
            *CT_PUSH_SCRATCH(r->entries, r->n_entries, r->room_entries) =
                (ct_reaction_entry){row, k, sum};
    }
}

static void equations(ct_reaction_builder *b) {
    ct_reactions *r = b->r;
    const int n = b->model->n_bodies;
    wrench *w = ct_scratch((size_t)n, sizeof *w);
    sweep(b, NULL, w);
    r->right = ct_scratch(7 * (size_t)n, sizeof *r->right); // a link has six rows for five freedoms
    r->equation_power = ct_scratch(7 * (size_t)n, sizeof *r->equation_power);
    for (int i = 1; i < n; i++) {
        ct_vec3 along[6], about[6];
        int power[6], body = b->order[i];
        int count = branch_freedoms(b, body, along, about, power);
        for (int k = 0; k < count; k++) {
            int row = r->n_equations++;
            r->right[row] = ct_neg(b->pool, product(b, along[k], about[k], w[body]));
            r->equation_power[row] = power[k];
            equation_entries(b, row, body, along[k], about[k]);
        }
    }
}

// columns -------------------------------------------------------------------------------------------
static void more(ct_reactions *r, ct_ex value) {
    *CT_PUSH_SCRATCH(r->more, r->n_more, r->room_more) = value;
}

// A component along a freedom is zero, not rounding, where the freedom is along an axis of ground.
static void without_freedoms(ct_reaction_builder *b, int joint, wrench *w) {
    ct_vec3 along[6], about[6];
    int power[6], n = ct_reaction_freedoms(b, joint, along, about, power);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) {
            ct_vec3 unit = ct_vec_unit(i), minus = ct_vec_neg(b->pool, unit);
            if (ct_vec_is_zero(about[k]) &&
                (ct_vec_same(along[k], unit) || ct_vec_same(along[k], minus)))
                w->force.v[i] = CT_ZERO;
            if (ct_vec_is_zero(along[k]) &&
                (ct_vec_same(about[k], unit) || ct_vec_same(about[k], minus)))
                w->moment.v[i] = CT_ZERO;
        }
}

static void joint_columns(ct_reaction_builder *b, const ct_reaction_group *g, const wrench *w) {
    ct_reactions *r = b->r;
    const ct_joint *j = b->model->joints + g->index;
    wrench sum = {ct_vec3_zero(), ct_vec3_zero()};
    if (b->is_branch[g->index]) {
        // on the body behind the branch
        int behind = b->branch[j->body[1]] == g->index ? 1 : 0;
        accumulate(b, &sum, w[j->body[behind]], behind ? 1 : -1);
    } else {
        for (int k = 0; k < b->n_unknowns; k++) {
            const ct_reaction_unknown *u = b->unknowns + k;
            if (u->branch != g->index) continue;
            wrench unit = {ct_vec_scale(b->pool, u->symbol, u->terms[0].force),
                           ct_vec_scale(b->pool, u->symbol, u->terms[0].moment)};
            accumulate(b, &sum, unit, 1);
        }
    }
    without_freedoms(b, g->index, &sum);
    for (int i = 0; i < 3; i++) {
        r->column[g->first + i] = sum.force.v[i];
        r->column[g->first + 3 + i] = sum.moment.v[i];
        r->column_power[g->first + 3 + i] = 1;
        more(r, b->at[g->index].v[i]);
    }
}

// The normal of a planar mechanism; zero in space, and where nothing turns.
static ct_vec3 plane_normal(ct_reaction_builder *b) {
    for (int i = 0; i < b->model->n_joints && b->l->planar; i++) {
        const ct_joint *j = b->model->joints + i;
        if (ct_reaction_carries(j) && ct_joint_plane_of(j->type) == CT_PLANE_ACROSS)
            return ct_reaction_axis(b, i);
    }
    return ct_vec3_zero();
}

// Friction by load: what it makes of the load of its joint, and the axis that the load is across.
static void frictions(ct_reaction_builder *b) {
    ct_reactions *r = b->r;
    const ct_model *m = b->model;
    r->friction_column = ct_scratch((size_t)m->n_forces + 1, sizeof *r->friction_column);
    for (int i = 0; i < m->n_forces; i++) {
        const ct_force *force = m->forces + i;
        if (!ct_force_is_by_load(force)) continue;
        const int joint = m->coordinates[force->coordinate].joint;
        for (int k = 0; k < r->groups.n; k++)
            if (r->groups.item[k].kind == CT_REACTION_WRENCH && r->groups.item[k].index == joint)
                r->friction_column[r->n_frictions++] = r->groups.item[k].first;
        more(r, ct_friction_by_load(b->l, b->known, force));
        ct_vec3 axis = ct_reaction_axis(b, joint);
        for (int k = 0; k < 3; k++) more(r, axis.v[k]);
    }
}

static void columns(ct_reaction_builder *b) {
    ct_reactions *r = b->r;
    wrench *w = ct_scratch((size_t)b->model->n_bodies, sizeof *w);
    ct_ex *x = ct_scratch((size_t)b->n_unknowns + 1, sizeof *x);
    for (int k = 0; k < b->n_unknowns; k++) x[k] = b->unknowns[k].symbol;
    sweep(b, x, w);
    r->column = ct_scratch((size_t)r->groups.n_columns + 1, sizeof *r->column);
    r->column_power = ct_scratch((size_t)r->groups.n_columns + 1, sizeof *r->column_power);
    // multipliers are the first unknowns, in the order of their groups
    int multiplier = 0;
    for (int i = 0; i < r->groups.n; i++) {
        const ct_reaction_group *g = r->groups.item + i;
        if (g->kind == CT_REACTION_WRENCH)
            joint_columns(b, g, w);
        else
            r->column[g->first] = b->unknowns[multiplier++].symbol;
    }
    frictions(b);
    for (int i = 0; i < r->groups.n_efforts; i++) more(r, b->unknowns[i].rate);
    ct_vec3 normal = plane_normal(b);
    for (int i = 0; i < 3; i++) more(r, normal.v[i]);
}

ct_reactions *ct_reactions_build(const ct_formulation *f, bool drives) {
    const ct_model *m = f->model;
    size_t bodies = (size_t)m->n_bodies, joints = (size_t)m->n_joints + 1;
    ct_reactions *r = ct_scratch(1, sizeof *r);
    ct_reaction_builder b = {.l = f->layout, .pool = f->pool, .model = m, .r = r};
    b.parent = ct_scratch(bodies, sizeof *b.parent);
    b.branch = ct_scratch(bodies, sizeof *b.branch);
    b.order = ct_scratch(bodies, sizeof *b.order);
    b.depth = ct_scratch(bodies, sizeof *b.depth);
    b.is_branch = ct_scratch(joints, sizeof *b.is_branch);
    b.force = ct_scratch(bodies, sizeof *b.force);
    b.moment = ct_scratch(bodies, sizeof *b.moment);
    b.centre = ct_scratch(bodies, sizeof *b.centre);
    b.at = ct_scratch(joints, sizeof *b.at);
    r->groups = ct_reaction_groups_of(m, drives);
    // the tree, needs of bodies less known efforts
    choose_branches(&b);
    root_tree(&b);
    b.known = ct_formulation_known(f);
    find_needs(&b, drives);
    // unknowns: multipliers, then reactions of chords
    ct_reaction_multipliers(&b, drives);
    chord_unknowns(&b);
    r->n_unknowns = b.n_unknowns;
    r->unknown = ct_scratch((size_t)b.n_unknowns + 1, sizeof *r->unknown);
    r->unknown_power = ct_scratch((size_t)b.n_unknowns + 1, sizeof *r->unknown_power);
    for (int k = 0; k < b.n_unknowns; k++) {
        r->unknown[k] = b.unknowns[k].symbol;
        r->unknown_power[k] = b.unknowns[k].power;
    }
    // equations, how they are eliminated, and what the unknowns make of the reactions
    equations(&b);
    ct_reactions_find_fronts(r);
    columns(&b);
    ct_reactions_mark_silent(r, f->pool);
    ct_reactions_find_least(r, f->pool);
    ct_substitution_free(b.known);
    return r;
}
