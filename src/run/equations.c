// Equations as text. Small systems are written out; in large ones, subexpressions that are used
// again get names z1, z2, ... so that the text stays as small as the graph.
#include "run/system.h"
#include "formulate/whole_rotation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITE_OUT = 2000 }; // operations up to which everything is written in full

typedef struct namer {
    ct_system *s;
    ct_pool *pool;
    ct_ex *image; // by node: the node with shared parts replaced by z1, z2, ...
    int *uses;
    int n_definitions, room_names, room_values, n_values;
    char **definition_names, **definition_values;
    ct_style style;
} namer;

static ct_style printer_style(ct_equation_style style) {
    return style == CT_EQUATIONS_C       ? CT_STYLE_C
           : style == CT_EQUATIONS_LATEX ? CT_STYLE_LATEX
                                         : CT_STYLE_TEXT;
}

// Node with its shared children replaced by their names.
static ct_ex rebuild(namer *n, ct_ex a) {
    ct_pool *pool = n->pool;
    int count = ct_child_count(pool, a);
    ct_op op = ct_ex_op(pool, a);
    // leaves, tables, opaque nodes, functions
    if (!count) return a;
    if (op == CT_OP_TABLE) {
        int order, table = ct_table_of(pool, a, &order);
        return ct_table(pool, table, order, n->image[ct_child(pool, a, 0)]);
    }
    if (op == CT_OP_LET) return n->image[ct_child(pool, a, 0)];
    if (op != CT_OP_SUM && op != CT_OP_PRODUCT) {
        ct_ex args[3];
        for (int i = 0; i < count; i++) args[i] = n->image[ct_child(pool, a, i)];
        return ct_apply(pool, op, args);
    }
    // sums: constant, then pairs of coefficient and term; products: of base and exponent
    ct_ex *parts = ct_scratch((size_t)count, sizeof *parts);
    int used = 0;
    parts[used++] = ct_child(pool, a, 0);
    for (int i = 1; i < count; i += 2) {
        ct_ex x = ct_child(pool, a, i), y = ct_child(pool, a, i + 1);
        if (op == CT_OP_SUM)
            parts[used++] = ct_mul(pool, x, n->image[y]);
        else
            parts[used++] = ct_power(pool, n->image[x], y);
    }
    return op == CT_OP_SUM ? ct_sum(pool, used, parts) : ct_product(pool, used, parts);
}

// Gives a node the next name z1, z2, ...; its image is that symbol from then on.
static void define(namer *n, ct_ex node) {
    char name[32];
    snprintf(name, sizeof name, "z%d", n->n_definitions + 1);
    char *value = ct_print(n->pool, n->image[node], n->style);
    *CT_PUSH(n->definition_names, n->n_definitions, n->room_names) =
        ct_strings_add(&n->s->equations, ct_strdup(name));
    *CT_PUSH(n->definition_values, n->n_values, n->room_values) =
        ct_strings_add(&n->s->equations, value);
    n->image[node] = ct_symbol(n->pool, CT_SYMBOL_OTHER, name);
}

// Fills n->image with expressions to print. Opaque nodes (ct_let) are replaced by their content, so
// that terms can merge. With name_shared, every node that is used more than once and is not a leaf
// gets a name.
static void prepare(namer *n, int count, const ct_ex *roots, bool name_shared) {
    ct_pool *pool = n->pool;
    ct_ex *order = NULL;
    int n_order = 0, room = 0;
    size_t size = ct_pool_size(pool);
    char *seen = ct_scratch(size, 1);
    // children before parents, by an explicit stack
    ct_ex *stack = NULL;
    int depth = 0, stack_room = 0;
    n->uses = ct_alloc(size, sizeof *n->uses);
    n->image = ct_alloc(size, sizeof *n->image);
    for (int r = 0; r < count; r++) {
        *CT_PUSH(stack, depth, stack_room) = roots[r];
        n->uses[roots[r]]++;
        while (depth) {
            ct_ex a = stack[depth - 1];
            if (seen[a] == 0) {
                seen[a] = 1;
                for (int i = 0; i < ct_child_count(pool, a); i++) {
                    n->uses[ct_child(pool, a, i)]++;
                    if (!seen[ct_child(pool, a, i)])
                        *CT_PUSH(stack, depth, stack_room) = ct_child(pool, a, i);
                }
            } else {
                depth--;
                if (seen[a] == 1) *CT_PUSH(order, n_order, room) = a;
                seen[a] = 2;
            }
        }
    }
    // images from the leaves up, names where they are used again
    for (int i = 0; i < n_order; i++) {
        ct_ex a = order[i];
        n->image[a] = rebuild(n, a);
        ct_op op = ct_ex_op(pool, a);
        if (name_shared && n->uses[a] > 1 && ct_child_count(pool, a) && op != CT_OP_LET)
            define(n, a);
    }
    ct_free(stack);
    ct_free(order);
}

static const char *text_of(namer *n, ct_ex a) {
    return ct_strings_add(&n->s->equations, ct_print(n->pool, n->image[a], n->style));
}

static CT_BELOW ct_status equations(ct_context *ctx, ct_system *s, ct_equation_style style,
                                    ct_equations_info *info) {
    ct_status status = ct_system_need(ctx, s);
    if (status) return status;
    const ct_formulation *f = ct_system_formulation(s);
    size_t n = (size_t)f->n, m = (size_t)f->m;
    namer w = {.s = s, .pool = f->pool, .style = printer_style(style)};
    ct_strings_clear(&s->equations);
    ct_free(s->equation_table);
    s->equation_table = NULL;
    // M row by row, F, Phi
    ct_ex *roots = ct_alloc(n * n + n + m + 1, sizeof *roots);
    ct_formulation_entries(f);
    memcpy(roots, f->mass, n * n * sizeof *roots);
    memcpy(roots + n * n, f->forcing, n * sizeof *roots);
    if (m) memcpy(roots + n * n + n, f->phi, m * sizeof *roots);
    int count = (int)(n * n + n + m);
    // vectors of integrated rotations in Euler parameters
    if (f->n_integrated) {
        ct_substitution *meanings = ct_whole_rotation_meanings(f);
        for (int i = 0; i < count; i++) roots[i] = ct_substitute(meanings, roots[i]);
        ct_substitution_free(meanings);
    }
    // names for shared parts where the text would be long
    prepare(&w, count, roots,
            ct_operations_total(ct_count_expanded(f->pool, count, roots)) > WRITE_OUT);
    // one table of strings: equations, names, values of names, coordinates
    const char **table = ct_alloc((size_t)(count + 2 * w.n_definitions) + n + 1, sizeof *table);
    const char **coordinates = table + count + 2 * w.n_definitions;
    s->equation_table = table;
    for (int k = 0; k < f->n; k++) {
        const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(f, k, NULL);
        coordinates[k] = b && b->integrated ? ct_symbol_name(f->pool, f->q[k]) : f->names[k];
    }
    for (int i = 0; i < count; i++) table[i] = text_of(&w, roots[i]);
    for (int i = 0; i < w.n_definitions; i++) {
        table[count + i] = w.definition_names[i];
        table[count + w.n_definitions + i] = w.definition_values[i];
    }
    // the caller's view of it
    *info = (ct_equations_info){.n = f->n,
                                .m = f->m,
                                .coordinates = coordinates,
                                .mass = table,
                                .forcing = table + n * n,
                                .constraints = table + n * n + n,
                                .n_definitions = w.n_definitions,
                                .definition_names = table + count,
                                .definition_values = table + count + w.n_definitions};
    info->n_integrated = ct_system_integrated(s, &info->integrated);
    ct_free(roots);
    ct_free(w.uses);
    ct_free(w.image);
    ct_free(w.definition_names);
    ct_free(w.definition_values);
    return CT_OK;
}

ct_status ct_equations(ct_context *ctx, ct_system *s, ct_equation_style style,
                       ct_equations_info *info) {
    CT_CALL(ctx, &s->memory, equations(ctx, s, style, info));
}

// text for people --------------------------------------------------------------------------------
static void line(ct_text *out, ct_equation_style style, const char *name, const char *value) {
    if (style == CT_EQUATIONS_LATEX)
        ct_text_printf(out, "\\[ %s = %s \\]\n", name, value);
    else
        ct_text_printf(out, style == CT_EQUATIONS_C ? "%s = %s;\n" : "%s = %s\n", name, value);
}

// What a run has in the place of angles.
static void write_integrated(ct_text *out, const char *comment, const ct_equations_info *e) {
    for (int i = 0; i < e->n_integrated; i++) {
        const char *name = e->integrated[i];
        ct_text_printf(
            out,
            "%sa run integrates the rotation of %s whole: (%s.e0, %s.e1, %s.e2, %s.e3) and "
            "(%s.w1, %s.w2, %s.w3)\n",
            comment, name, name, name, name, name, name, name, name);
    }
}

static CT_BELOW ct_status write_text(ct_context *ctx, ct_system *s, ct_equation_style style,
                                     char **text) {
    ct_equations_info e;
    ct_text out = {0};
    char name[96];
    ct_status status = equations(ctx, s, style, &e);
    if (status) return status;
    bool latex = style == CT_EQUATIONS_LATEX, c = style == CT_EQUATIONS_C;
    // heading with the coordinates
    const char *comment = latex ? "% " : c ? "// " : "";
    ct_text_printf(&out, "%sM(q) q'' + Phi_q^T lambda = F(q, q', t),  Phi(q, t) = 0\n%sq = (",
                   comment, comment);
    for (int i = 0; i < e.n; i++) ct_text_printf(&out, "%s%s", i ? ", " : "", e.coordinates[i]);
    ct_text_add(&out, ")\n");
    write_integrated(&out, comment, &e);
    ct_text_add(&out, "\n");
    // z1, z2, ...
    for (int i = 0; i < e.n_definitions; i++)
        line(&out, style, e.definition_names[i], e.definition_values[i]);
    // upper triangle of M without zeros
    for (int i = 0; i < e.n; i++)
        for (int k = i; k < e.n; k++) {
            if (!strcmp(e.mass[i * e.n + k], c ? "0.0" : "0")) continue;
            snprintf(name, sizeof name,
                     latex ? "M_{%d,%d}"
                     : c   ? "M[%d][%d]"
                           : "M[%d,%d]",
                     i + !c, k + !c);
            line(&out, style, name, e.mass[i * e.n + k]);
        }
    // F
    for (int i = 0; i < e.n; i++) {
        snprintf(name, sizeof name, latex ? "F_{%d}" : "F[%d]", i + !c);
        line(&out, style, name, e.forcing[i]);
    }
    // Phi
    for (int i = 0; i < e.m; i++) {
        snprintf(name, sizeof name, latex ? "\\Phi_{%d}" : "Phi[%d]", i + !c);
        line(&out, style, name, e.constraints[i]);
    }
    *text = ct_text_take(&out);
    return CT_OK;
}

static ct_status equations_text(ct_context *ctx, ct_system *s, ct_equation_style style,
                                char **text) {
    CT_CALL_GIVES(ctx, &s->memory, text, ct_release, write_text(ctx, s, style, text));
}

char *ct_equations_text(ct_context *ctx, ct_system *s, ct_equation_style style) {
    char *text;
    equations_text(ctx, s, style, &text);
    return text;
}
