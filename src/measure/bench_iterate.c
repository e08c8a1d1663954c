// Code for Newton's iterations, as loops in C. Expressions without unknowns are computed before the
// loop, the linear system is solved by straight-line elimination.
#include "measure/bench_author.h"

#include "expr/optimise.h"

#include <stdio.h>
#include <stdlib.h>

// A group of rows and as many unknowns on its way to a loop in C.
typedef struct group {
    int n;
    const int *rows, *unknown;
    ct_ex *moving;
    ct_target *targets;
    int n_targets;
    ct_text before, after;
} group;

// Operations of one more correction: expressions without unknowns do not count.
static void count_moving(ct_author *a, const group *g, ct_operations *moving) {
    ct_pool *pool = a->f->pool;
    ct_substitution *still = ct_substitution_new(pool);
    ct_ex *symbols, *roots = ct_scratch((size_t)g->n_targets + 1, sizeof *roots);
    for (int i = 0; i < g->n_targets; i++) roots[i] = g->targets[i].root;
    int n = ct_ex_symbols(pool, g->n_targets, roots, &symbols);
    for (int i = 0; i < n; i++) {
        bool moves = false;
        for (int k = 0; k < g->n; k++) moves = moves || symbols[i] == g->moving[k];
        if (moves) continue;
        char *name = ct_scratch_format("still %s", ct_symbol_name(pool, symbols[i]));
        ct_substitution_map(still, symbols[i], ct_symbol(pool, CT_SYMBOL_PARAMETER, name));
    }
    for (int i = 0; i < g->n_targets; i++) roots[i] = ct_substitute(still, roots[i]);
    ct_author_count(moving, ct_count_shared(pool, g->n_targets, roots));
    ct_substitution_free(still);
}

// The unknowns are symbols of their own inside the loop.
static void name_unknowns(ct_author *a, group *g, ct_substitution *inside) {
    g->moving = ct_alloc((size_t)g->n + 1, sizeof *g->moving);
    for (int i = 0; i < g->n; i++) {
        char *name = ct_scratch_format("moving %s", a->f->names[g->unknown[i]]), text[32];
        g->moving[i] = ct_symbol(a->f->pool, CT_SYMBOL_OTHER, name);
        snprintf(text, sizeof text, "y[%d]", i);
        ct_writer_name(a->w, g->moving[i], text);
        ct_substitution_map(inside, a->f->q[g->unknown[i]], g->moving[i]);
        ct_text_printf(&g->before, "    y[%d] = q[%d];\n", i, g->unknown[i]);
    }
    ct_text_add(&g->before, "    left = 30;\n    do {\n");
}

// End of the loop: x = Phi_u^-1 Phi, y -= x, until |x| is below the tolerance; then q = y.
static void end_loop(group *g, const ct_elimination *solver) {
    if (solver->factor.s) ct_text_add(&g->after, solver->factor.s);
    if (solver->solve.s) ct_text_add(&g->after, solver->solve.s);
    ct_text_add(&g->after, "    size = 0.0;\n");
    for (int i = 0; i < g->n; i++)
        ct_text_printf(&g->after,
                       "    y[%d] -= x[%d];\n    size = fabs(x[%d]) > size ? fabs(x[%d]) : size;\n",
                       i, i, i, i);
    ct_text_add(&g->after, "    count++;\n    } while (size > tolerance && --left);\n"
                           "    if (!(size <= tolerance)) return 0;\n");
    for (int i = 0; i < g->n; i++)
        ct_text_printf(&g->after, "    q[%d] = y[%d];\n", g->unknown[i], i);
}

// The loop of one group: x = Phi_u^-1 Phi, u -= x. Returns false if Phi_u is singular at the start.
static bool open_group(ct_author *a, group *g, int *entries, ct_operations *once,
                       ct_operations *more) {
    ct_author_matrix e = ct_author_matrix_new(g->n);
    ct_elimination solver;
    ct_substitution *inside = ct_substitution_new(a->f->pool);
    // Phi and Phi_u of the group
    name_unknowns(a, g, inside);
    for (int i = 0; i < g->n; i++) ct_author_target(a, "b", i, a->f->phi[g->rows[i]]);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            ct_author_entry(a, &e, i, j, a->f->phi_q[g->rows[i] * a->f->n + g->unknown[j]], false);
    // elimination; then unknowns get their names inside of the loop
    bool good = ct_eliminate(g->n, e.count, e.index, e.value, false, &solver);
    for (int i = 0; i < a->n_targets; i++)
        a->targets[i].root = ct_substitute(inside, a->targets[i].root);
    g->targets = a->targets;
    g->n_targets = a->n_targets;
    a->targets = NULL;
    a->n_targets = a->room_targets = 0;
    // end of the loop; operations of the first correction and of every other one
    if (good) {
        end_loop(g, &solver);
        *entries = solver.entries > *entries ? solver.entries : *entries;
        ct_author_count(once, solver.factor_operations);
        ct_author_count(once, solver.solve_operations);
        ct_author_count(more, solver.factor_operations);
        ct_author_count(more, solver.solve_operations);
        count_moving(a, g, more);
    }
    ct_elimination_clear(&solver);
    ct_author_matrix_clear(&e);
    ct_substitution_free(inside);
    return good;
}

// Optimises the expressions of all groups together, so that they share subexpressions.
static void optimise_groups(ct_author *a, int n, group *g) {
    int count = 0;
    for (int k = 0; k < n; k++) count += g[k].n_targets;
    ct_ex *roots = ct_scratch((size_t)count + 1, sizeof *roots);
    count = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < g[k].n_targets; i++) roots[count++] = g[k].targets[i].root;
    ct_optimise(a->f->pool, count, roots);
    count = 0;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < g[k].n_targets; i++) g[k].targets[i].root = roots[count++];
}

// Newton's iteration, group after group, as one function.
static bool iteration(ct_author *a, const char *name, int n, group *g, ct_operations *once,
                      ct_operations *more) {
    int entries = 0, widest = 0;
    ct_operations all;
    bool good = n > 0;
    ct_part *parts = ct_scratch((size_t)n + 1, sizeof *parts);
    // the groups, in order
    for (int k = 0; k < n && good; k++) {
        good = open_group(a, g + k, &entries, once, more);
        widest = g[k].n > widest ? g[k].n : widest;
    }
    if (good) {
        // one function with a loop for each group
        optimise_groups(a, n, g);
        ct_text_printf(&a->out,
                       "int %s(const double *restrict c, double t, double *restrict q, "
                       "const double *restrict u, double tolerance)\n{\n"
                       "    double a[%d], b[%d], x[%d], y[%d], l = 0.0, size;\n"
                       "    int count = 0, left;\n    {\n",
                       name, entries + 1, widest + 1, widest + 1, widest + 1);
        // expressions that do not move go before their loop
        for (int k = 0; k < n; k++)
            parts[k] = (ct_part){g[k].before.s, g[k].after.s, g[k].n_targets,
                                 g[k].targets,  g[k].n,       g[k].moving};
        ct_writer_parts(a->w, &a->out, n, parts, &all);
        ct_text_add(&a->out, "    }\n    (void)c, (void)t, (void)u, (void)l;\n"
                             "    return count;\n}\n\n");
        ct_author_count(once, all);
    }
    for (int k = 0; k < n; k++) {
        ct_text_clear(&g[k].before);
        ct_text_clear(&g[k].after);
        ct_free(g[k].targets);
        ct_free(g[k].moving);
    }
    return good;
}

void ct_author_iterations(ct_author *a) {
    ct_bench_code *code = a->code;
    const ct_closure *c = a->closure;
    group whole = {.n = a->at->m, .rows = a->at->rows, .unknown = c->dependent};
    code->can_newton =
        iteration(a, "bench_newton", 1, &whole, &code->newton_once, &code->newton_more);
    group *g = ct_scratch((size_t)c->n_constraint_blocks + 1, sizeof *g);
    for (int k = 0; k < c->n_constraint_blocks; k++)
        g[k] = (group){.n = c->constraint_blocks[k].n,
                       .rows = c->constraint_blocks[k].rows,
                       .unknown = c->constraint_blocks[k].unknown};
    code->can_loops = iteration(a, "bench_loops", c->n_constraint_blocks, g, &code->loops_once,
                                &code->loops_more);
}
