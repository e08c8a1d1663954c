// Blocks that elimination opens: the iterated coordinate, or it and one square root, become the
// root of one polynomial and what follows from it linearly.
#include "closure/tearing/tearing.h"

#include <stdlib.h>
#include <string.h>

typedef struct open_unknown {
    ct_variable x;
    int step, segment; // that find it now; the iteration's for an iterated coordinate
    int coordinate;    // into f->q
    ct_ex form;        // of an angle
    int tracked;       // its place in w, -1: none
    ct_ex psi;         // the equation of its step, in values
} open_unknown;

typedef struct block {
    ct_torn *t;
    int first_segment, step;
    int n; // unknowns, first the iterated ones, then square roots
    open_unknown *u;
} block;

static ct_ex strip(ct_pool *pool, ct_ex a) {
    return ct_ex_op(pool, a) == CT_OP_PRODUCT ? ct_neg(pool, a) : a;
}

static ct_variable variable_of(const ct_steps *b, int coordinate, ct_ex form) {
    ct_variable x = {.turn = b->f->is_angle[coordinate]};
    if (x.turn) {
        ct_forms_pair(b->forms, form, &x.c, &x.s);
        x.c = strip(b->pool, x.c);
        x.s = strip(b->pool, x.s);
    } else {
        x.c = ct_forms_slide(b->forms, coordinate);
    }
    return x;
}

// The sum of angles whose pair a segment sets.
static bool form_of(const ct_steps *b, const ct_segment *s, ct_ex *form) {
    const ct_closure *c = b->closure;
    for (int i = 0; i < b->notes->n_solved; i++) {
        ct_ex cosine, sine;
        ct_forms_pair(b->forms, b->notes->solved[i], &cosine, &sine);
        for (int k = 0; k < s->n_sets; k++)
            if (strip(b->pool, cosine) == c->value[s->sets[k].index]) {
                *form = b->notes->solved[i];
                return true;
            }
    }
    return false;
}

static const ct_block *block_of(const ct_closure *c, int step) {
    for (int i = 0; i < c->n_blocks; i++)
        if (c->blocks[i].step == step && c->blocks[i].n == 1 && !c->blocks[i].tear)
            return c->blocks + i;
    return NULL;
}

static bool is_linear_slide(const ct_closure *c, const ct_segment *s) {
    const ct_block *own = block_of(c, s->step);
    return own && s->n_sets == 1 && c->steps[s->step].method == CT_STEP_LINEAR &&
           c->steps[s->step].n_unknowns == 1 && !c->f->is_angle[own->unknown[0]];
}

// Steps of one unknown with a square root, and segment `slide`.
static void find_roots(block *k, int slide, int *room) {
    const ct_steps *b = k->t->b;
    const ct_closure *c = b->closure;
    for (int i = k->first_segment + 1; i < c->positions.n; i++) {
        const ct_segment *s = c->positions.segments + i;
        const ct_step *step = c->steps + s->step;
        const ct_block *own = block_of(c, s->step);
        if (step->n_unknowns != 1 || !own || !s->n_sets) continue;
        if (step->method != CT_STEP_QUADRATIC && i != slide) continue;
        open_unknown u = {.step = s->step, .segment = i, .coordinate = own->unknown[0]};
        bool turn = b->f->is_angle[u.coordinate];
        if (s->n_sets != (turn ? 2 : 1) || (turn && !form_of(b, s, &u.form))) continue;
        u.x = variable_of(b, u.coordinate, u.form);
        u.psi = ct_steps_replace(b, own->psi[0]);
        bool own_angle = !turn || u.form == b->f->q[u.coordinate];
        u.tracked = own_angle ? 0 : -1; // made where it is needed
        *CT_PUSH(k->u, k->n, *room) = u;
    }
}

static void find_unknowns(block *k, int slide) {
    ct_torn *t = k->t;
    int room = 0;
    for (int i = 0; i < t->n; i++) {
        ct_ex form = t->b->f->q[t->unknown[i]];
        *CT_PUSH(k->u, k->n, room) = (open_unknown){.x = variable_of(t->b, t->unknown[i], form),
                                                    .step = k->step,
                                                    .segment = k->first_segment,
                                                    .coordinate = t->unknown[i],
                                                    .form = form,
                                                    .tracked = t->index[i]};
    }
    find_roots(k, slide, &room);
}

static bool depends(ct_pool *pool, ct_ex a, const ct_variable *x) {
    return ct_depends(pool, a, x->c) || (x->turn && ct_depends(pool, a, x->s));
}

// Which unknowns the equations hold, in their order; which[0 .. t->n - 1] are the iterated ones.
static int held(const block *k, int n, const ct_ex *equation, int most, int *which) {
    int count = 0;
    for (int i = 0; i < k->n; i++) {
        bool has = i < k->t->n;
        for (int e = 0; e < n; e++) has = has || depends(k->t->b->pool, equation[e], &k->u[i].x);
        if (!has) continue;
        if (count < most) which[count] = i;
        count++;
    }
    return count;
}

// Does an equation hold an angle of the block by itself, beside its sine and cosine? A law may:
// what it gives is no whole multiple.
static bool holds_angles(const block *k, int n, const ct_ex *equation) {
    const ct_closure *c = k->t->b->closure;
    bool has = false;
    for (int e = 0; e < n; e++) {
        for (int i = 0; i < k->t->n; i++)
            has = has || ct_depends(c->f->model->pool, equation[e], c->tracked[k->t->index[i]]);
        for (int s = k->first_segment; s < c->positions.n; s++)
            for (int i = 0; i < c->positions.segments[s].n_follows; i++)
                has = has || ct_depends(c->f->model->pool, equation[e],
                                        c->tracked[c->positions.segments[s].follows[i].index]);
    }
    return has;
}

// The equations of the block in its unknowns; how many there are, 0: more than two, or they are no
// polynomials in these.
static int equations(block *k, const ct_ex *psi, ct_ex *equation, int *which) {
    ct_torn *t = k->t;
    int n = t->n;
    for (int i = 0; i < n; i++) equation[i] = ct_steps_replace(t->b, psi[i]);
    ct_torn_tables(t, k->first_segment);
    for (int i = 0; i < k->n; i++) {
        ct_torn_open(t, k->u[i].x.c);
        if (k->u[i].x.turn) ct_torn_open(t, k->u[i].x.s);
    }
    for (int i = 0; i < n; i++) equation[i] = ct_torn_resolve(t, equation[i]);
    int count = held(k, n, equation, 2, which);
    if (count > 2 || holds_angles(k, n, equation)) return 0;
    if (count == n) return n;
    equation[1] = ct_torn_resolve(t, k->u[which[1]].psi);
    return !holds_angles(k, 2, equation) && held(k, 2, equation, 2, which) == 2 ? 2 : 0;
}

// the new segments -------------------------------------------------------------------------------
static bool uses(ct_pool *pool, const ct_segment *s, ct_ex sign) {
    bool used = false;
    for (int k = 0; k < s->n_sets; k++) used = used || ct_depends(pool, s->sets[k].value, sign);
    for (int k = 0; k < s->n_guards; k++) used = used || ct_depends(pool, s->guards[k].value, sign);
    return used;
}

// The sign of a step's square root, -1: it has none.
static int sign_of(const ct_steps *b, const open_unknown *u) {
    const ct_closure *c = b->closure;
    for (int i = 0; i < c->n_signs && c->steps[u->step].method == CT_STEP_QUADRATIC; i++)
        if (uses(b->pool, c->positions.segments + u->segment, c->sign[i])) return i;
    return -1;
}

// Do other steps use what the square root left behind beside its values?
static bool is_needed(const block *k, const open_unknown *u) {
    const ct_steps *b = k->t->b;
    const ct_program *p = &b->closure->positions;
    int sign = sign_of(b, u);
    bool needed = false;
    for (int i = k->first_segment; i < p->n && sign >= 0; i++)
        needed =
            needed || (i != u->segment && uses(b->pool, p->segments + i, b->closure->sign[sign]));
    return needed;
}

static void drop_sign(ct_closure *c, int i) {
    if (i < 0) return;
    c->n_signs--;
    c->sign[i] = c->sign[c->n_signs];
    c->sign_of[i] = c->sign_of[c->n_signs];
}

// Coefficients of a polynomial at the end of a segment's; `room`: as many as that, 0: its own.
static void coefficients(const ct_steps *b, ct_segment *s, const ct_univariate *p, bool turn,
                         int room) {
    ct_ex out[2 * CT_UNIVARIATE + 3] = {0};
    int n = ct_univariate_coefficients(b->pool, p, turn, out);
    if (room) n = room;
    s->right = ct_realloc(s->right, (size_t)(s->columns + n), sizeof *s->right);
    memcpy(s->right + s->columns, out, (size_t)n * sizeof *out);
    s->columns += n;
}

static void add_column(ct_segment *s, ct_ex a) {
    s->right = ct_realloc(s->right, (size_t)s->columns + 1, sizeof *s->right);
    s->right[s->columns++] = a;
}

static void follow_root(block *k, const open_unknown *first, const open_unknown *second,
                        const ct_eliminated *e) {
    const ct_steps *b = k->t->b;
    const ct_closure *c = b->closure;
    ct_segment *s = b->closure->positions.segments + k->first_segment;
    bool turn = first->x.turn;
    int index = first->tracked, room = 1;
    if (first->segment != k->first_segment) ct_forms_tracked(b->forms, first->coordinate, &index);
    ct_torn_strip(s);
    s->kind = CT_SEGMENT_ROOT;
    s->n = 1;
    s->unknown = ct_realloc(s->unknown, 2, sizeof *s->unknown);
    s->is_angle = ct_realloc(s->is_angle, 2, sizeof *s->is_angle);
    s->unknown[0] = index;
    s->is_angle[0] = turn;
    s->columns = 0;
    if (!second || e->degree <= 4) coefficients(b, s, &e->left, turn, 0);
    s->first = s->columns;
    if (!second && turn) add_column(s, ct_univariate_bound(b->pool, 1, s->first, s->right));
    if (!second) return;
    for (int i = 0; i < 6; i++) {
        int top = ct_univariate_top(&e->f[i / 3][i % 3]), n = turn ? 2 * top + 1 : top + 1;
        if (n > room) room = n;
    }
    for (int i = 0; i < 6; i++) coefficients(b, s, &e->f[i / 3][i % 3], turn, room);
    for (int i = 0; i < 2 && turn && second->x.turn; i++)
        add_column(s, ct_univariate_bound(b->pool, 3, room, s->right + s->first + 3 * i * room));
    const ct_ex of[2] = {second->x.c, second->x.s};
    s->is_angle[1] = second->x.turn;
    s->n_sets = second->x.turn ? 2 : 1;
    s->sets = ct_alloc(2, sizeof *s->sets);
    for (int i = 0; i < s->n_sets; i++) {
        int v = ct_forms_index(b->forms, of[i]), w = ct_forms_follow(b->forms, c->direct[v]);
        if (!i) s->unknown[1] = w;
        s->sets[i] = (ct_assign){v, c->tracked[w]};
    }
}

// what is said about it --------------------------------------------------------------------------
static void restate(ct_step *s, ct_step_method method, int degree, char *text) {
    s->method = method;
    s->degree = degree;
    free(s->text);
    s->text = text;
}

static void describe(const block *k, const open_unknown *first, const open_unknown *second,
                     int degree) {
    static const ct_step_method methods[] = {CT_STEP_LINEAR, CT_STEP_LINEAR, CT_STEP_QUADRATIC,
                                             CT_STEP_CUBIC, CT_STEP_QUARTIC};
    ct_closure *c = k->t->b->closure;
    ct_step *s = c->steps + k->step;
    restate(
        s, degree <= 4 ? methods[degree] : CT_STEP_POLYNOMIAL, degree,
        ct_format("polynomial of degree %d%s", degree, degree <= 4 ? "" : ", its root followed"));
    if (!second || k->t->n == 2) return;
    ct_step *other = c->steps + (second->step == k->step ? first : second)->step;
    restate(other, CT_STEP_LINEAR, 1, ct_strdup("linear in what the polynomial gives"));
    if (second->step != k->step) return;
    // the polynomial is that of the other unknown
    char **names = s->unknowns;
    int joint = s->joint;
    s->unknowns = other->unknowns;
    s->joint = other->joint;
    other->unknowns = names;
    other->joint = joint;
}

static void rebuild(block *k, const open_unknown *first, const open_unknown *second,
                    const ct_eliminated *e) {
    const ct_steps *b = k->t->b;
    ct_closure *c = b->closure;
    const open_unknown *root =
        second && k->t->n == 1 ? (first->segment == k->first_segment ? second : first) : NULL;
    if (root) {
        ct_segment *s = c->positions.segments + root->segment;
        drop_sign(c, sign_of(b, root));
        ct_torn_strip(s);
    }
    follow_root(k, first, second, e);
    describe(k, first, second, e->degree);
}

// Mirror images: the iterated angle by its cosine, what follows from it by its own steps.
static bool halve(block *k, const open_unknown *first, const ct_eliminated *e) {
    int degree = 0;
    if (first->segment == k->first_segment && k->t->n == 1)
        degree = ct_torn_cosine(k->t, 0, k->t->b->closure->positions.segments + k->first_segment,
                                &first->x, &e->left);
    if (degree) describe(k, first, NULL, degree);
    return degree > 0;
}

static bool reduce(ct_torn *t, int first_segment, int step, const ct_ex *psi, int most, int slide) {
    block k = {.t = t, .first_segment = first_segment, .step = step};
    ct_ex equation[2];
    int which[2] = {0}, best = -1;
    find_unknowns(&k, slide);
    int n = equations(&k, psi, equation, which);
    for (int i = 0; i < n; i++)
        if (which[i] >= t->n && is_needed(&k, k.u + which[i])) n = 0;
    ct_eliminated *e = ct_alloc(2, sizeof *e);
    for (int order = 0; order < n; order++) { // either unknown may be the one to keep
        ct_variable x[2] = {k.u[which[order]].x};
        if (n == 2) x[1] = k.u[which[1 - order]].x;
        if (k.u[which[order]].tracked < 0) continue;
        if (!ct_torn_eliminate(t->b, n, equation, x, e + order)) {
            e[order].degree = 0;
            continue;
        }
        if (best < 0 || e[order].degree < e[best].degree) best = order;
    }
    bool halved = false;
    for (int order = 0; order < n && best >= 0 && e[best].degree > 4 && !halved; order++)
        halved = e[order].degree > 0 && halve(&k, k.u + which[order], e + order);
    bool whole = !halved && best >= 0 && e[best].degree <= most;
    if (whole) rebuild(&k, k.u + which[best], n == 2 ? k.u + which[1 - best] : NULL, e + best);
    free(e);
    free(k.u);
    return halved || whole;
}

// A linear slide is written out where that leaves polynomials; where what divides it depends on the
// other unknown it counts as a second one.
bool ct_torn_polynomial(ct_torn *t, int first_segment, int step, const ct_ex *psi, int most) {
    const ct_closure *c = t->b->closure;
    if (t->n > 2) return false;
    bool done = reduce(t, first_segment, step, psi, most, -1);
    for (int i = first_segment + 1; i < c->positions.n && !done && t->n == 1; i++)
        if (is_linear_slide(c, c->positions.segments + i))
            done = reduce(t, first_segment, step, psi, most, i);
    return done;
}
