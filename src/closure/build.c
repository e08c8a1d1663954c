// A closure from start to end: steps and blocks (along a flow, or iterated), then rates and
// accelerations, then what positions still have to compute.
#include "closure/choose.h"
#include "closure/embed/embed.h"
#include "closure/whole_rotations.h"
#include "closure/tearing/without_flow.h"
#include "closure/constraint_blocks.h"
#include "program/lighten.h"
#include "closure/positions.h"

#include "expr/optimise.h"

#include <stdlib.h>

// q from v. Angles that are given outright (motions) have their value too.
static void coordinates(ct_closure *c, ct_forms *forms) {
    const ct_formulation *f = c->f;
    size_t n = (size_t)f->n + 1;
    c->q_value = ct_alloc(n, sizeof *c->q_value);
    c->q_sine = ct_alloc(n, sizeof *c->q_sine);
    c->q_cosine = ct_alloc(n, sizeof *c->q_cosine);
    for (int k = 0; k < f->n; k++)
        if (!f->is_angle[k] || c->is_independent[k])
            c->q_value[k] = ct_forms_slide(forms, k);
        else
            ct_forms_pair(forms, f->q[k], &c->q_cosine[k], &c->q_sine[k]);
    for (int i = 0; i < c->n_blocks; i++) {
        int k = c->blocks[i].unknown[0];
        ct_ex value;
        if (c->blocks[i].n == 1 && !c->blocks[i].tear && f->is_angle[k] &&
            ct_linear_value(f->pool, c->blocks[i].psi[0], f->q[k], &value) &&
            ct_forms_is_known(forms, value))
            c->q_value[k] = value;
    }
}

// programs ---------------------------------------------------------------------------------------
typedef struct roots {
    ct_ex **at;
    int n, room;
} roots;

static void add_roots(roots *x, int n, ct_ex *a) {
    for (int i = 0; i < n && a; i++) *CT_PUSH(x->at, x->n, x->room) = a + i;
}

static roots program_roots(ct_program *p) {
    roots x = {0};
    for (int i = 0; i < p->n; i++) {
        ct_segment *g = p->segments + i;
        add_roots(&x, g->n, g->residual);
        add_roots(&x, g->n * g->n, g->matrix);
        add_roots(&x, g->n * g->columns, g->right);
        for (int k = 0; k < g->n_sets; k++) add_roots(&x, 1, &g->sets[k].value);
        for (int k = 0; k < g->n_guards; k++) add_roots(&x, 1, &g->guards[k].value);
        for (int k = 0; k < g->n_follows; k++) {
            add_roots(&x, 1, &g->follows[k].sine);
            add_roots(&x, 1, &g->follows[k].cosine);
        }
    }
    return x;
}

static ct_ex *copied(const roots *x) {
    ct_ex *a = ct_alloc((size_t)x->n + 1, sizeof *a);
    for (int i = 0; i < x->n; i++) a[i] = *x->at[i];
    return a;
}

static ct_operations optimise(ct_pool *pool, ct_program *p) {
    roots x = program_roots(p);
    ct_ex *a = copied(&x);
    ct_optimise(pool, x.n, a);
    for (int i = 0; i < x.n; i++) *x.at[i] = a[i];
    ct_operations count = ct_count_shared(pool, x.n, a);
    free(a);
    free(x.at);
    return count;
}

// As it stands, with the eliminations that segments do at run time. Large ones search pivots in
// loops, which takes several times as long as the same operations in line.
enum { LOOPS = 4, LINE = 2, LARGEST_IN_LINE = 6 };

static double cost(ct_pool *pool, ct_program *p) {
    roots x = program_roots(p);
    ct_ex *a = copied(&x);
    double total = ct_operations_total(ct_count_shared(pool, x.n, a));
    for (int i = 0; i < p->n; i++) {
        const ct_segment *g = p->segments + i;
        double n = g->n;
        if (g->kind != CT_SEGMENT_SOLVE) {
            ct_operations calls = {0};
            ct_segment_count(p, i, &calls);
            total += ct_operations_total(calls);
            continue;
        }
        bool loops = n > LARGEST_IN_LINE;
        double factor = loops || ct_program_alike(p, i) == i ? 2 * n * n * n / 3 : 0;
        total += (loops ? LOOPS : LINE) * (factor + 2 * n * n * g->columns);
    }
    free(a);
    free(x.at);
    return total;
}

// blocks -----------------------------------------------------------------------------------------
// Rates follow from the equations that the steps used as well as from the constraint rows, taken
// together as far as they must be: which are cheaper is not known before both are there.
static int step_of(const ct_closure *c, int unknown) {
    for (int i = 0; i < c->n_blocks; i++)
        for (int k = 0; k < c->blocks[i].n; k++)
            if (c->blocks[i].unknown[k] == unknown) return c->blocks[i].step;
    return 0;
}

static ct_block *row_blocks(const ct_closure *c) {
    ct_block *blocks = ct_alloc((size_t)c->n_loops + 1, sizeof *blocks);
    for (int i = 0; i < c->n_loops; i++) {
        const ct_loop *loop = c->loops + i;
        ct_block *b = blocks + i;
        size_t n = (size_t)loop->n;
        *b = (ct_block){.step = step_of(c, loop->unknown[0]), .n = loop->n};
        b->unknown = ct_alloc(n, sizeof *b->unknown);
        b->psi = ct_alloc(n, sizeof *b->psi);
        for (int k = 0; k < loop->n; k++) {
            b->unknown[k] = loop->unknown[k];
            b->psi[k] = c->f->phi[loop->rows[k]];
        }
    }
    return blocks;
}

typedef struct embedding {
    int n_blocks;
    ct_block *blocks;
    ct_program dynamics, expansion;
    ct_ex *accelerations;
} embedding;

static embedding exchange(ct_closure *c, embedding x) {
    embedding old = {c->n_blocks, c->blocks, c->dynamics, c->expansion, c->accelerations};
    c->n_blocks = x.n_blocks;
    c->blocks = x.blocks;
    c->dynamics = x.dynamics;
    c->expansion = x.expansion;
    c->accelerations = x.accelerations;
    return old;
}

static void discard(embedding x) {
    ct_closure *c = ct_alloc(1, sizeof *c);
    exchange(c, x);
    ct_closure_free(c);
}

// The three spins of every ball in one block?
static bool balls_are_whole(const ct_closure *c) {
    for (int i = 0; i < c->f->n_balls; i++)
        for (int k = 0; k < c->n_loops; k++) {
            int members = 0;
            for (int j = 0; j < c->loops[k].n; j++)
                for (int part = 0; part < 3; part++)
                    members += c->loops[k].unknown[j] == c->f->balls[i].coordinate[part];
            if (members % 3) return false;
        }
    return true;
}

static void embed_both(ct_closure *c, ct_forms *forms, const ct_ex *equations) {
    enum { LARGEST = 9 };
    int solved = 0;
    ct_embed(c, forms, equations);
    for (int i = 0; i < c->n_loops; i++) {
        if (c->loops[i].n > LARGEST) return;
        solved += c->loops[i].n;
    }
    // where components cross, constraint rows are singular and the steps' equations are not
    if (solved != c->n_dependent || c->components || !balls_are_whole(c)) return;
    embedding other = {.n_blocks = c->n_loops, .blocks = row_blocks(c)};
    other = exchange(c, other);
    ct_embed(c, forms, equations);
    if (cost(c->f->pool, &c->dynamics) >= cost(c->f->pool, &other.dynamics))
        other = exchange(c, other);
    discard(other);
}

static void count_calls(const ct_program *p, ct_operations *count) {
    for (int i = 0; i < p->n; i++) ct_segment_count(p, i, count);
}

// Positions with cosines and sines of unknowns that are followed, which come with them.
static ct_operations count_positions(ct_closure *c) {
    ct_pool *pool = c->f->pool;
    ct_substitution *given = ct_substitution_new(pool);
    for (int i = 0; i < c->positions.n; i++) {
        const ct_segment *s = c->positions.segments + i;
        for (int k = 0; k < s->n && s->is_angle; k++) {
            ct_ex w = c->tracked[s->unknown[k]];
            char *name = ct_format("sine of %s", ct_symbol_name(pool, w));
            ct_substitution_map(given, ct_cos(pool, w), w);
            ct_substitution_map(given, ct_sin(pool, w), ct_symbol(pool, CT_SYMBOL_OTHER, name));
            free(name);
        }
    }
    roots x = program_roots(&c->positions);
    ct_ex *a = copied(&x);
    for (int i = 0; i < x.n; i++) a[i] = ct_substitute(given, a[i]);
    ct_operations count = ct_count_shared(pool, x.n, a);
    count_calls(&c->positions, &count);
    ct_substitution_free(given);
    free(a);
    free(x.at);
    return count;
}

// The steps by themselves.
static ct_operations count_steps(const ct_closure *c) {
    ct_ex *a = NULL;
    int n = 0, room = 0;
    for (int i = 0; i < c->positions.n; i++) {
        const ct_segment *g = c->positions.segments + i;
        if (g->step < 0 || c->steps[g->step].method == CT_STEP_GIVEN) continue;
        for (int k = 0; k < g->n_sets; k++) *CT_PUSH(a, n, room) = g->sets[k].value;
        for (int k = 0; g->residual && k < g->n; k++) *CT_PUSH(a, n, room) = g->residual[k];
        for (int k = 0; g->residual && k < g->n * g->n; k++) *CT_PUSH(a, n, room) = g->matrix[k];
        for (int k = 0; g->kind == CT_SEGMENT_ROOT && k < g->columns; k++)
            *CT_PUSH(a, n, room) = g->right[k];
    }
    ct_optimise(c->f->pool, n, a);
    ct_operations count = ct_count_shared(c->f->pool, n, a);
    count_calls(&c->positions, &count);
    free(a);
    return count;
}

static ct_status finish(ct_context *ctx, ct_closure *c, ct_forms *forms, bool iterated) {
    ct_ex missing = CT_ZERO;
    double motion = ct_seconds(); // what follows is about motion and code, not about closing
    c->step_operations = count_steps(c);
    ct_ex *equations = ct_embed_equations(c->f);
    if (iterated)
        ct_embed(c, forms, equations);
    else
        embed_both(c, forms, equations);
    free(equations);
    c->seconds -= ct_seconds() - motion;
    coordinates(c, forms);
    if (!ct_forms_finish(forms, &missing)) {
        char *text = ct_print(c->f->pool, missing, CT_STYLE_TEXT);
        ct_status status = ct_fail(
            ctx, CT_INTERNAL, "%s: the closure does not give it; please report this model", text);
        free(text);
        return status;
    }
    motion = ct_seconds();
    ct_program_lighten(c);
    ct_forms_trim(c);
    optimise(c->f->pool, &c->positions);
    c->position_operations = count_positions(c);
    c->dynamics_operations = optimise(c->f->pool, &c->dynamics);
    count_calls(&c->dynamics, &c->dynamics_operations);
    optimise(c->f->pool, &c->expansion);
    c->seconds -= ct_seconds() - motion;
    return CT_OK;
}

// The closure of one formulation of the assembled mechanism; seconds: spent on it so far.
static ct_closure *build(ct_context *ctx, const ct_assembled *at, const ct_formulation *f,
                         const ct_flow *flow, ct_status *status) {
    double start = ct_seconds();
    ct_closure *c = ct_alloc(1, sizeof *c);
    c->f = f;
    c->is_independent = ct_alloc((size_t)f->n + 1, sizeof *c->is_independent);
    ct_forms *forms = ct_forms_new(c);
    *status = flow ? ct_positions_build(ctx, c, flow, forms, at->m, at->q0)
                   : ct_iterated_build(ctx, c, forms, at->m, at->rows, at->q0);
    if (!*status) ct_loops(c, at->m, at->rows);
    if (!*status) *status = finish(ctx, c, forms, !flow);
    ct_forms_free(forms);
    if (*status) {
        ct_closure_free(c);
        return NULL;
    }
    c->seconds += ct_seconds() - start;
    return c;
}

// The same with the rotations of bodies on ball joints kept whole; NULL where there are none, or
// nothing is gained.
static ct_closure *build_with_balls(const ct_assembled *at, const ct_flow *flow) {
    ct_ball *balls;
    ct_closure *c = NULL;
    ct_formulation *own = NULL;
    ct_status status;
    int n = ct_flow_balls(flow, at->f, &balls);
    ct_context *quiet = ct_context_new();
    if (n && !ct_formulation_with_balls(quiet, at->f, n, balls, &own) && own->m == at->f->m)
        c = build(quiet, at, own, flow, &status);
    if (c)
        c->own = own;
    else
        ct_formulation_free(own);
    ct_context_free(quiet);
    free(balls);
    return c;
}

double ct_closure_cost(ct_closure *c) {
    return cost(c->f->pool, &c->positions) + cost(c->f->pool, &c->dynamics);
}

ct_status ct_closure_new(ct_context *ctx, const ct_assembled *at, const ct_flow *flow,
                         ct_closure **closure) {
    ct_status status = CT_OK;
    ct_closure *whole = flow ? build_with_balls(at, flow) : NULL,
               *c = build(ctx, at, at->f, flow, &status);
    if (c && whole && ct_closure_cost(c) < ct_closure_cost(whole)) {
        ct_closure_free(whole);
        whole = NULL;
    }
    if (whole) {
        ct_closure_free(c);
        c = whole;
        status = CT_OK;
    }
    if (c) c->recalled = flow && flow->recalled;
    *closure = c;
    return status;
}
