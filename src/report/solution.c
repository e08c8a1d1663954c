// Solution of the loops for readers: the equations of each step, and the formulas that solve them.
// Values of the closure are written as the sines and cosines of coordinates that they stand for;
// parts that the programs keep whole get names w1, w2, ... where they first occur.
#include "report/report.h"

#include "formulate/whole_rotation.h"

#include <stdlib.h>
#include <string.h>

// Begins the names that are made here: no model's name is taken for one of them, nor one of them
// for a model's. A letter of the private use area of Unicode.
#define OURS "\xEE\x80\x80"

struct ct_solution_text {
    const ct_closure *c;
    ct_pool *pool;
    const double *q0;
    ct_substitution *names; // symbols of the closure -> what people read
    ct_ex *image;           // by node: written with names; 0 = not yet (zero is itself)
    size_t room;
    int n_w;
    int n_held, n_components;
    bool *sign_used; // [n_signs]
    ct_lines *out;   // definitions go there
};

void ct_lines_clear(ct_lines *lines) {
    for (int i = 0; i < lines->n; i++) ct_free(lines->item[i]);
    ct_free(lines->item);
    *lines = (ct_lines){0};
}

static void map(ct_solution_text *x, ct_ex symbol, char *name) {
    ct_substitution_map(x->names, symbol, ct_symbol(x->pool, CT_SYMBOL_OTHER, name));
    ct_free(name);
}

static void name_vectors(ct_solution_text *x) {
    const ct_formulation *f = x->c->f;
    int n = 0;
    for (int b = 0; b < f->n_whole_rotations; b++)
        for (int v = 0; v < f->whole_rotations[b].n; v++) {
            n++;
            for (int i = 0; i < 3; i++)
                map(x, f->whole_rotations[b].vectors[v].seen.v[i],
                    ct_format(OURS "p_{%d%c}", n, "xyz"[i]));
        }
}

// Symbols for factors of vanishing terms, which are held while those are differentiated.
static void name_held(ct_solution_text *x) {
    const ct_closure *c = x->c;
    for (int b = 0; b < c->n_rate_blocks; b++) {
        ct_ex *symbols;
        int n = ct_ex_symbols(x->pool, c->rate_blocks[b].n, c->rate_blocks[b].psi, &symbols);
        for (int i = 0; i < n; i++) {
            if (strncmp(ct_symbol_name(x->pool, symbols[i]), "frozen ", 7) != 0) continue;
            if (ct_substitute(x->names, symbols[i]) == symbols[i])
                map(x, symbols[i], ct_format(OURS "κ_{%d}", ++x->n_held));
        }
    }
}

// Values that stand for more than the sine or cosine of a sum are components of vectors.
static bool is_component(ct_pool *pool, ct_ex direct) {
    ct_op op = ct_ex_op(pool, direct);
    if (op == CT_OP_SIN || op == CT_OP_COS) return false;
    return ct_operations_total(ct_count_shared(pool, 1, &direct)) > 4;
}

ct_solution_text *ct_solution_new(const ct_closure *c, const double *q0) {
    ct_solution_text *x = ct_alloc(1, sizeof *x);
    x->c = c;
    x->q0 = q0;
    x->pool = c->f->pool;
    x->names = ct_substitution_new(x->pool);
    for (int i = 0; i < c->registers.signs.n; i++)
        map(x, c->registers.signs.symbol[i], ct_format(OURS "σ_{%d}", i + 1));
    for (int i = 0; i < c->registers.values.n; i++) {
        if (is_component(x->pool, c->registers.values.meaning[i]))
            map(x, c->registers.values.symbol[i], ct_format(OURS "v_{%d}", ++x->n_components));
        else
            ct_substitution_map(x->names, c->registers.values.symbol[i],
                                c->registers.values.meaning[i]);
    }
    for (int i = 0; i < c->registers.tracked.n; i++)
        ct_substitution_map(x->names, c->registers.tracked.symbol[i],
                            c->registers.tracked.meaning[i]);
    name_vectors(x);
    name_held(x);
    x->sign_used = ct_alloc((size_t)c->registers.signs.n + 1, sizeof *x->sign_used);
    return x;
}

void ct_solution_free(ct_solution_text *x) {
    if (!x) return;
    ct_substitution_free(x->names);
    ct_free(x->image);
    ct_free(x->sign_used);
    ct_free(x);
}

static void note_signs(ct_solution_text *x, ct_ex a) {
    ct_ex *symbols;
    int n = ct_ex_symbols(x->pool, 1, &a, &symbols);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < x->c->registers.signs.n; k++)
            if (symbols[i] == x->c->registers.signs.symbol[k]) x->sign_used[k] = true;
}

static void add_line(ct_lines *lines, char *owned) {
    *CT_PUSH(lines->item, lines->n, lines->room) = owned;
}

// LaTeX with our names as what they are: \text{OURS w\_\{3\}} becomes w_{3}.
static char *tex(ct_solution_text *x, ct_ex a) {
    static const char start[] = "\\text{" OURS;
    char *text = ct_print(x->pool, a, CT_STYLE_LATEX), *out = text;
    for (const char *s = text; *s;) {
        if (strncmp(s, start, sizeof start - 1) != 0) {
            *out++ = *s++;
            continue;
        }
        for (s += sizeof start - 1; *s && *s != '}'; s++) { // the first brace that is not escaped
            if (*s == '\\') s++;
            *out++ = *s;
        }
        s += *s == '}';
    }
    *out = '\0';
    return text;
}

// equations ---------------------------------------------------------------------------------------
void ct_solution_equations(ct_solution_text *x, int step, ct_lines *lines) {
    for (int b = 0; b < x->c->n_rate_blocks; b++) {
        const ct_rate_block *k = x->c->rate_blocks + b;
        for (int i = 0; k->step == step && i < k->n; i++) {
            char *left = tex(x, ct_substitute(x->names, k->psi[i]));
            add_line(lines, ct_format("%s = 0", left));
            ct_free(left);
        }
    }
}

// formulas ----------------------------------------------------------------------------------------
static ct_ex written(ct_solution_text *x, ct_ex a);

static ct_ex rebuilt(ct_solution_text *x, ct_ex a) {
    ct_pool *pool = x->pool;
    int count = ct_child_count(pool, a), used = 0;
    ct_op op = ct_ex_op(pool, a);
    if (op == CT_OP_TABLE) {
        int order, table = ct_table_of(pool, a, &order);
        return ct_table(pool, table, order, written(x, ct_child(pool, a, 0)));
    }
    if (op != CT_OP_SUM && op != CT_OP_PRODUCT) {
        ct_ex args[3];
        for (int i = 0; i < count; i++) args[i] = written(x, ct_child(pool, a, i));
        return ct_apply(pool, op, args);
    }
    ct_ex *parts = ct_scratch((size_t)count, sizeof *parts);
    parts[used++] = ct_child(pool, a, 0);
    for (int i = 1; i < count; i += 2) {
        ct_ex u = ct_child(pool, a, i), v = ct_child(pool, a, i + 1);
        parts[used++] =
            op == CT_OP_SUM ? ct_mul(pool, u, written(x, v)) : ct_power(pool, written(x, u), v);
    }
    return op == CT_OP_SUM ? ct_sum(pool, used, parts) : ct_product(pool, used, parts);
}

// Worth a name: more than a symbol, a number, or one of these with a sign.
static bool is_long(ct_pool *pool, ct_ex a) {
    ct_operations n = ct_count_shared(pool, 1, &a);
    return ct_operations_total(n) >= 2;
}

static ct_ex written(ct_solution_text *x, ct_ex a) {
    ct_pool *pool = x->pool;
    // symbols and numbers stand for themselves
    if (!ct_child_count(pool, a)) return a;
    // images of nodes that were written before
    if (a >= x->room) {
        size_t room = 2 * (size_t)a + 64;
        x->image = ct_realloc(x->image, room, sizeof *x->image);
        memset(x->image + x->room, 0, (room - x->room) * sizeof *x->image);
        x->room = room;
    }
    if (x->image[a]) return x->image[a];
    ct_ex result;
    // a part that is kept whole: a line of its own with a name, unless it is short
    if (ct_ex_op(pool, a) == CT_OP_LET) {
        result = written(x, ct_child(pool, a, 0));
        if (is_long(pool, result)) {
            char *name = ct_scratch_format(OURS "w_{%d}", ++x->n_w), *value = tex(x, result);
            add_line(x->out, ct_format("w_{%d} = %s", x->n_w, value));
            result = ct_symbol(pool, CT_SYMBOL_OTHER, name);
            ct_free(value);
        }
    } else {
        result = rebuilt(x, a);
    }
    x->image[a] = result;
    return result;
}

static void formula(ct_solution_text *x, ct_ex target, ct_ex value, ct_lines *lines) {
    note_signs(x, value);
    char *right = tex(x, written(x, ct_substitute(x->names, value)));
    char *left = tex(x, ct_substitute(x->names, target));
    add_line(lines, ct_format("%s = %s", left, right));
    ct_free(left);
    ct_free(right);
}

void ct_solution_formulas(ct_solution_text *x, int step, ct_lines *lines) {
    const ct_program *p = &x->c->positions;
    x->out = lines;
    for (int i = 0; i < p->n; i++) {
        const ct_segment *seg = p->segments + i;
        if (seg->step != step) continue;
        for (int k = 0; k < seg->n_sets; k++)
            formula(x, x->c->registers.values.symbol[seg->sets[k].index], seg->sets[k].value,
                    lines);
    }
}

// names -------------------------------------------------------------------------------------------
// Sign of a branch at the initial position; 0 if the expression behind it vanishes there.
static double initial_sign(ct_solution_text *x, int k) {
    const ct_closure *c = x->c;
    ct_numbers numbers;
    double sign;
    ct_model_numbers(c->f->model, &numbers);
    ct_position_set(c->f, &numbers, x->q0);
    ct_registers_at(&c->registers, &numbers, NULL);
    ct_numbers_eval(&numbers, 1, c->registers.signs.meaning + k, &sign);
    ct_numbers_clear(&numbers);
    return sign;
}

static void vectors(ct_solution_text *x, ct_text *t) {
    const ct_formulation *f = x->c->f;
    int n = 0;
    for (int b = 0; b < f->n_whole_rotations; b++)
        for (int v = 0; v < f->whole_rotations[b].n; v++) {
            const ct_vec3 *fixed = &f->whole_rotations[b].vectors[v].fixed;
            ct_text_printf(t, "<li><i>p</i><sub>%d</sub>: the vector (", ++n);
            for (int i = 0; i < 3; i++) {
                if (i) ct_text_add(t, ", ");
                ct_html_number(t, ct_model_number(f->model, fixed->v[i]));
            }
            ct_text_add(t, ") of ");
            ct_html_name(t, f->model->bodies[f->whole_rotations[b].body].name);
            ct_text_add(t, ", seen from ");
            int root = f->whole_rotations[b].root;
            ct_html_name(t, root ? f->model->bodies[root].name : "ground");
            ct_text_add(t, "</li>\n");
        }
}

static void signs(ct_solution_text *x, ct_text *t) {
    int said = 0;
    for (int k = 0; k < x->c->registers.signs.n; k++) {
        if (!x->sign_used[k]) continue;
        double sign = initial_sign(x, k);
        ct_text_printf(t, "%s<i>σ</i><sub>%d</sub> = %s", said++ ? ", " : "<p class=\"soft\">",
                       k + 1,
                       sign > 0   ? "+1"
                       : sign < 0 ? "−1"
                                  : "±1");
    }
    if (said)
        ct_text_printf(t, ": the branch%s of the initial position.</p>\n", said > 1 ? "es" : "");
}

void ct_solution_legend(ct_solution_text *x, ct_text *t) {
    enum { SHOWN = 10 };
    ct_text list = {0};
    int n = 0;
    for (int b = 0; b < x->c->f->n_whole_rotations; b++) n += x->c->f->whole_rotations[b].n;
    signs(x, t);
    vectors(x, &list);
    if (x->n_components)
        ct_text_add(&list, "<li><i>v</i>: components of vectors that are fixed in a body, "
                           "as its placement gives them</li>\n");
    if (x->n_held)
        ct_text_add(&list, "<li><i>κ</i>: components of directions that multiply what vanishes; "
                           "their own change does not count</li>\n");
    if (list.n) {
        ct_html_fold(t, n <= SHOWN, "Names of vectors in these formulas");
        ct_text_add(t, "<ul class=\"legend\">\n");
        ct_text_addn(t, list.s, list.n);
        ct_text_add(t, "</ul>\n");
        ct_html_unfold(t);
    }
    ct_text_clear(&list);
}
