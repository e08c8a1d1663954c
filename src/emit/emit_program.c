// A program of the closure as one function. Its segments become parts that share what they compute:
// values that are set are known by their expressions from then on. Eliminations and iterations are
// calls of ctk_small.h, roots of polynomials calls of ctk_root.h and ctk_block.h.
#include "emit/emit_inside.h"

#include "expr/optimise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct part { // on its way to a ct_part
    ct_text before, after;
    ct_target *targets;
    int n, room;
    ct_ex *moving;
    int n_moving;
} part;

typedef struct lowering {
    ct_emitter *e;
    const ct_closure *k;
    const ct_program_input *in;
    ct_pool *pool;
    ct_substitution *known; // values set so far, unknowns solved in line
    part *parts;
    int n, room;
    ct_text local; // declarations
    bool *needed;  // [segments]
    int n_measures, n_iterations, n_eliminations, n_checks;
    int n_newton; // iterations without roots of polynomials
    int *guard_step;
    ct_operations extra;    // of eliminations
    const char *arrays[12]; // local ones, NULL at the end
    int n_arrays;
} lowering;

// Has a sign and a measure of its own?
static bool follows(const ct_segment *s) {
    return s->kind == CT_SEGMENT_NEWTON || s->kind == CT_SEGMENT_ROOT;
}

int ct_program_measures(const ct_program *p) {
    int n = 0;
    for (int i = 0; i < p->n; i++) n += p->segments[i].n_guards + follows(p->segments + i);
    return n;
}

int ct_program_iterations(const ct_program *p) {
    int n = 0;
    for (int i = 0; i < p->n; i++) n += follows(p->segments + i);
    return n;
}

// what is needed -------------------------------------------------------------------------------
static bool wanted(const lowering *l, const ct_assign *set, const char **array, int *index) {
    return l->in->place(l->in->data, set->index, array, index);
}

static void need_below(lowering *l, int n, const ct_ex *roots, bool *x) {
    const ct_program *p = l->in->program;
    ct_ex *symbols;
    int count = ct_ex_symbols(l->pool, n, roots, &symbols);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < p->n_x; k++) x[k] |= p->x[k] == symbols[i];
    free(symbols);
}

static void find_needed(lowering *l) {
    const ct_program *p = l->in->program;
    bool *x = ct_alloc((size_t)p->n_x + 1, sizeof *x);
    l->needed = ct_alloc((size_t)p->n + 1, sizeof *l->needed);
    for (int i = 0; i < l->in->n_last; i++) need_below(l, 1, &l->in->last[i].root, x);
    for (int i = p->n - 1; i >= 0; i--) {
        const ct_segment *s = p->segments + i;
        const char *array;
        int index, cells = s->n * s->n;
        bool need = follows(s) || s->n_follows || (s->n_guards && l->in->guards);
        for (int k = 0; k < s->n_sets; k++)
            if (wanted(l, s->sets + k, &array, &index)) {
                need = true;
                need_below(l, 1, &s->sets[k].value, x);
            }
        for (int k = 0; s->kind == CT_SEGMENT_SOLVE && k < s->n * s->columns; k++)
            need |= x[s->first + k];
        l->needed[i] = need;
        if (!need) continue;
        for (int k = 0; k < s->n_guards && l->in->guards; k++)
            need_below(l, 1, &s->guards[k].value, x);
        for (int k = 0; k < s->n_follows; k++) {
            need_below(l, 1, &s->follows[k].sine, x);
            need_below(l, 1, &s->follows[k].cosine, x);
        }
        if (s->matrix) need_below(l, cells, s->matrix, x);
        if (s->right) need_below(l, s->n * s->columns, s->right, x);
        if (s->kind == CT_SEGMENT_NEWTON) need_below(l, s->n, s->residual, x);
    }
    free(x);
}

// parts ----------------------------------------------------------------------------------------
static part *new_part(lowering *l) {
    part *p = CT_PUSH(l->parts, l->n, l->room);
    *p = (part){0};
    return p;
}

static void add_target(part *p, const char *array, int index, ct_ex root) {
    *CT_PUSH(p->targets, p->n, p->room) = (ct_target){array, index, root};
}

static ct_ex now(lowering *l, ct_ex a) { // with what is known
    return ct_substitute(l->known, a);
}

static int failure(const lowering *l, int step) { // the code that is returned
    return 1 + (step >= 0 && step < l->k->n_steps ? step : l->k->n_steps);
}

// Sets, turns and checks that end a segment.
static void finish(lowering *l, const ct_segment *s) {
    part *p = new_part(l);
    for (int i = 0; i < s->n_sets; i++) {
        const char *array;
        int index;
        if (!wanted(l, s->sets + i, &array, &index)) continue;
        ct_ex value = now(l, s->sets[i].value);
        if (l->in->optional && !strcmp(array, l->in->optional))
            ct_text_printf(&p->before, "    if (!%s)\n        " CT_DONE "\n", array);
        add_target(p, array, index, value);
        if (!l->in->positions) continue;
        ct_substitution_map(l->known, l->k->value[s->sets[i].index], ct_let(l->pool, value));
    }
    for (int i = 0; i < s->n_follows; i++) {
        add_target(p, "sine", i, now(l, s->follows[i].sine));
        add_target(p, "cosine", i, now(l, s->follows[i].cosine));
        ct_text_printf(&p->after, "    w[%d] = ctk_angle(sine[%d], cosine[%d], w[%d]);\n",
                       s->follows[i].index, i, i, s->follows[i].index);
    }
    for (int i = 0; i < s->n_guards && l->in->guards; i++) {
        const char *array = l->in->positions ? "g" : "check";
        int k = l->in->positions ? l->n_measures++ : l->n_checks++;
        if (l->in->positions) {
            l->guard_step[k] = s->guards[i].step;
            l->in->guard_scale[k] = s->guards[i].scale;
        }
        add_target(p, array, k, now(l, s->guards[i].value));
        ct_text_printf(&p->after, "    if (!(%s[%d] >= 0.0))\n        return %d;\n", array, k,
                       failure(l, s->guards[i].step));
    }
}

// eliminations -----------------------------------------------------------------------------------
static void count_elimination(lowering *l, double n, double columns) {
    double products = n * (n - 1) * (2 * n - 1) / 6 + columns * n * (n - 1);
    l->extra.mul += products + n * n + 2 * columns * n;
    l->extra.add += products;
    l->extra.div += 2 * n;
}

// One unknown: a division.
static void divide(lowering *l, const ct_segment *s) {
    part *p = new_part(l);
    ct_ex divisor = ct_let(l->pool, now(l, s->matrix[0]));
    ct_ex inverse = ct_let(l->pool, ct_power_int(l->pool, divisor, -1));
    add_target(p, "check", l->n_checks, divisor);
    ct_text_printf(&p->after, "    if (!(fabs(check[%d]) > 0.0))\n        return %d;\n",
                   l->n_checks++, failure(l, s->step));
    for (int j = 0; j < s->columns; j++)
        ct_substitution_map(l->known, l->in->program->x[s->first + j],
                            ct_let(l->pool, ct_mul(l->pool, now(l, s->right[j]), inverse)));
}

static void eliminate(lowering *l, const ct_segment *s) {
    part *p = new_part(l);
    int cells = s->n * s->n;
    for (int i = 0; i < cells; i++) add_target(p, "matrix", i, now(l, s->matrix[i]));
    for (int i = 0; i < s->n * s->columns; i++)
        add_target(p, "x", s->first + i, now(l, s->right[i]));
    ct_text_printf(
        &p->after,
        "    if (!ctk_small_solve(%d, %d, matrix, x + %d, &determinant))\n        return %d;\n",
        s->n, s->columns, s->first, failure(l, s->step));
    l->n_eliminations++;
    count_elimination(l, s->n, s->columns);
}

// iterations -----------------------------------------------------------------------------------
static ct_ex written_as(lowering *l, const char *name, int i, int k, const char *array) {
    char *whole = ct_format("%s %d of iteration %d", name, i, k);
    char *text = ct_format("%s[%d]", array, i);
    ct_ex a = ct_symbol(l->pool, CT_SYMBOL_OTHER, whole);
    ct_writer_name(l->e->w, a, text);
    free(whole);
    free(text);
    return a;
}

// The unknowns are symbols of their own inside, so that nothing there is taken for its value after;
// so are the sines and cosines of angles, which are corrected along with them.
static ct_substitution *unknowns(lowering *l, const ct_segment *s, int k, part *p) {
    ct_substitution *inside = ct_substitution_new(l->pool);
    char *sine = ct_format("sine%d", k), *cosine = ct_format("cosine%d", k);
    p->moving = ct_alloc(3 * (size_t)s->n, sizeof *p->moving);
    for (int i = 0; i < s->n; i++) {
        ct_ex w = l->k->tracked[s->unknown[i]], y = written_as(l, "unknown", i, k, "y");
        ct_substitution_map(inside, w, p->moving[p->n_moving++] = y);
        ct_text_printf(&p->before, "    y[%d] = w[%d];\n", i, s->unknown[i]);
        if (!s->is_angle[i]) continue;
        ct_ex with_sine = ct_sin(l->pool, w), with_cosine = ct_cos(l->pool, w);
        p->moving[p->n_moving] = written_as(l, "sine", i, k, sine);
        ct_substitution_map(inside, with_sine, p->moving[p->n_moving++]);
        p->moving[p->n_moving] = written_as(l, "cosine", i, k, cosine);
        ct_substitution_map(inside, with_cosine, p->moving[p->n_moving++]);
        ct_text_printf(&p->before, "    %s[%d] = sin(y[%d]);\n    %s[%d] = cos(y[%d]);\n", sine, i,
                       i, cosine, i, i);
        ct_substitution_map(l->known, with_sine, written_as(l, "last sine", i, k, sine));
        ct_substitution_map(l->known, with_cosine, written_as(l, "last cosine", i, k, cosine));
        l->extra.add += 8; // ctk_turn
        l->extra.mul += 12;
        l->extra.func += 2;
    }
    // angles that are followed behind it have other values there
    for (int i = 0; i < s->n_last; i++)
        ct_substitution_map(inside, l->k->tracked[s->last[i]],
                            written_as(l, "angle before", s->last[i], k, "w"));
    free(sine);
    free(cosine);
    return inside;
}

static void iterate(lowering *l, const ct_segment *s) {
    part *p = new_part(l);
    int k = l->n_iterations++, measure = l->n_measures++, sign = l->k->n_signs + k;
    int code = failure(l, s->step), bend = l->k->n_tracked + k;
    l->n_newton++;
    ct_text_printf(&l->local, "    static const int angle%d[] = {", k);
    for (int i = 0; i < s->n; i++) ct_text_printf(&l->local, "%s%d", i ? ", " : "", s->is_angle[i]);
    ct_text_printf(&l->local, "};\n    double sine%d[%d], cosine%d[%d];\n", k, s->n, k, s->n);
    // what the matrix and the residual are made of, before sines and cosines have other names
    ct_ex *matrix = ct_alloc((size_t)(s->n * s->n), sizeof *matrix);
    ct_ex *residual = ct_alloc((size_t)s->n, sizeof *residual);
    for (int i = 0; i < s->n * s->n; i++) matrix[i] = now(l, s->matrix[i]);
    for (int i = 0; i < s->n; i++) residual[i] = now(l, s->residual[i]);
    ct_substitution *inside = unknowns(l, s, k, p);
    ct_text_printf(&p->before,
                   "    iteration.count = 0;\n    iteration.last = 0.0;\n"
                   "    iteration.bend = w[%d];\n    do {\n",
                   bend);
    for (int i = 0; i < s->n * s->n; i++)
        add_target(p, "matrix", i, ct_substitute(inside, matrix[i]));
    for (int i = 0; i < s->n; i++) add_target(p, "residual", i, ct_substitute(inside, residual[i]));
    ct_substitution_free(inside);
    free(matrix);
    free(residual);
    ct_text_printf(&p->after,
                   "        state = ctk_newton_step(&iteration, %d, angle%d, matrix, residual, y, "
                   "sine%d, cosine%d);\n"
                   "    } while (state > 0);\n"
                   "    if (state < 0)\n        return %d;\n"
                   "    sign = iteration.determinant < 0.0 ? -1.0 : 1.0;\n"
                   "    if (b[%d] == 0.0)\n        b[%d] = sign;\n"
                   "    if (b[%d] != sign)\n        return %d;\n"
                   "    g[%d] = iteration.determinant*iteration.determinant;\n"
                   "    w[%d] = iteration.bend;\n",
                   s->n, k, k, k, code, sign, sign, sign, code, measure, bend);
    l->guard_step[measure] = s->step;
    for (int i = 0; i < s->n; i++)
        ct_text_printf(&p->after, "    w[%d] = y[%d];\n", s->unknown[i], i);
    count_elimination(l, s->n, 1);
}

// polynomials ------------------------------------------------------------------------------------
static void root(lowering *l, const ct_segment *s) {
    part *p = new_part(l);
    int k = l->n_iterations++, measure = l->n_measures++, sign = l->k->n_signs + k;
    int parts = (s->columns - s->first) / 6;
    double length = s->unit > 0 ? s->unit : ct_typical_length(l->k->f->model);
    for (int i = 0; i < s->columns; i++) add_target(p, "poly", i, now(l, s->right[i]));
    if (parts) {
        ct_text_printf(&l->local,
                       "    static const ctk_block block%d = {{%d, %d}, %d, %d, %.17g};\n", k,
                       s->is_angle[0], s->is_angle[1], s->first, parts, length);
        ct_text_printf(&p->after, "    if (!ctk_block_root(&block%d, poly, w + %d, w + %d, ", k,
                       s->unknown[0], s->unknown[1]);
    } else if (s->is_angle[0]) {
        ct_text_printf(&p->after, "    if (!ctk_turn_root(%d, poly, w + %d, ", s->columns / 2,
                       s->unknown[0]);
    } else {
        ct_text_printf(&p->after, "    if (!ctk_slide_root(%d, poly, %.17g, w + %d, ",
                       s->columns - 1, length, s->unknown[0]);
    }
    ct_text_printf(&p->after, "b + %d, g + %d))\n        return %d;\n", sign, measure,
                   failure(l, s->step));
    l->guard_step[measure] = s->step;
    ct_root_count(s, &l->extra);
}

static void lower(lowering *l, const ct_segment *s) {
    if (s->kind == CT_SEGMENT_NEWTON)
        iterate(l, s);
    else if (s->kind == CT_SEGMENT_ROOT)
        root(l, s);
    else if (s->kind == CT_SEGMENT_SOLVE && s->n == 1)
        divide(l, s);
    else if (s->kind == CT_SEGMENT_SOLVE)
        eliminate(l, s);
    finish(l, s);
}

// text -----------------------------------------------------------------------------------------
static void declare_array(lowering *l, const char *name, int size) {
    if (size <= 0) return;
    ct_text_printf(&l->local, "    double %s[%d];\n", name, size);
    l->arrays[l->n_arrays++] = name;
}

static void declare_local(lowering *l) {
    const ct_program *p = l->in->program;
    int matrix = 0, unknowns = 0, turns = 0, poly = 0;
    for (int i = 0; i < p->n; i++) {
        const ct_segment *s = p->segments + i;
        if (!l->needed[i]) continue;
        if (s->matrix && s->n * s->n > matrix) matrix = s->n * s->n;
        if (s->kind == CT_SEGMENT_ROOT && s->columns > poly) poly = s->columns;
        if (s->kind == CT_SEGMENT_NEWTON && s->n > unknowns) unknowns = s->n;
        if (s->n_follows > turns) turns = s->n_follows;
    }
    declare_array(l, "matrix", l->n_eliminations || l->n_newton ? matrix : 0);
    declare_array(l, "x", l->n_eliminations ? p->n_x : 0);
    declare_array(l, "poly", poly);
    declare_array(l, "check", l->n_checks);
    declare_array(l, "y", unknowns);
    declare_array(l, "residual", unknowns);
    declare_array(l, "sine", turns);
    declare_array(l, "cosine", turns);
    if (l->n_eliminations) ct_text_add(&l->local, "    double determinant;\n");
    if (l->n_newton)
        ct_text_add(&l->local, "    ctk_iteration iteration;\n    double sign;\n    int state;\n");
}

// A function that is not split ends where a part would end all of them.
static void add_whole(ct_text *out, const char *statements) {
    for (const char *done; (done = strstr(statements, CT_DONE));
         statements = done + strlen(CT_DONE)) {
        ct_text_addn(out, statements, (size_t)(done - statements));
        ct_text_add(out, "return 0;");
    }
    ct_text_add(out, statements);
}

// All parts are optimised together, and written.
static void write(lowering *l, ct_operations *count) {
    int n = 0;
    for (int i = 0; i < l->n; i++) n += l->parts[i].n;
    ct_ex *roots = ct_alloc((size_t)n + 1, sizeof *roots);
    ct_part *parts = ct_alloc((size_t)l->n + 1, sizeof *parts);
    n = 0;
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < l->parts[i].n; k++) roots[n++] = l->parts[i].targets[k].root;
    ct_optimise(l->pool, n, roots);
    n = 0;
    for (int i = 0; i < l->n; i++) {
        part *p = l->parts + i;
        for (int k = 0; k < p->n; k++) p->targets[k].root = roots[n++];
        parts[i] = (ct_part){p->before.s, p->after.s, p->n, p->targets, p->n_moving, p->moving};
    }
    ct_text statements = {0};
    ct_operations own;
    int t = ct_writer_parts(l->e->w, &statements, l->n, parts, &own);
    if (t > l->e->temporaries) l->e->temporaries = t;
    if (count) {
        *count = (ct_operations){own.add + l->extra.add, own.mul + l->extra.mul,
                                 own.div + l->extra.div, own.func + l->extra.func};
    }
    ct_text *out = &l->e->body;
    if (l->in->local) ct_text_add(&l->local, l->in->local);
    for (int i = 0; i < l->in->n_last; i++) { // local arrays of the caller
        char *declared = ct_format(" %s[", l->in->last[i].array);
        bool known = !l->in->local || !strstr(l->in->local, declared);
        free(declared);
        for (int k = 0; k < l->n_arrays; k++)
            known = known || !strcmp(l->arrays[k], l->in->last[i].array);
        if (!known) l->arrays[l->n_arrays++] = l->in->last[i].array;
    }
    // iterations keep their state in local variables: these functions stay whole
    if (l->n_iterations || !ct_emit_split(out, "int", l->in->signature, l->in->arguments, l->arrays,
                                          l->local.s, statements.s)) {
        ct_text_printf(out, "static int %s\n{\n", l->in->signature);
        if (l->local.s) ct_text_add(out, l->local.s);
        if (statements.s) add_whole(out, statements.s);
    }
    if (l->in->ending) ct_text_add(out, l->in->ending);
    ct_emitter_silence(out, l->in->arguments);
    ct_text_add(out, "    return 0;\n}\n\n");
    ct_text_clear(&statements);
    free(roots);
    free(parts);
}

void ct_emit_program(ct_emitter *e, const ct_program_input *in, int *guard_step,
                     ct_operations *count) {
    lowering l = {.e = e,
                  .k = e->in->closure,
                  .in = in,
                  .pool = e->f->pool,
                  .known = ct_substitution_new(e->f->pool),
                  .guard_step = guard_step};
    find_needed(&l);
    for (int i = 0; i < in->program->n_x; i++) {
        char *text = ct_format("x[%d]", i);
        ct_writer_name(e->w, in->program->x[i], text);
        free(text);
    }
    for (int i = 0; i < in->program->n; i++)
        if (l.needed[i]) lower(&l, in->program->segments + i);
    part *last = new_part(&l);
    for (int i = 0; i < in->n_last; i++)
        add_target(last, in->last[i].array, in->last[i].index, now(&l, in->last[i].root));
    declare_local(&l);
    write(&l, count);
    for (int i = 0; i < l.n; i++) {
        ct_text_clear(&l.parts[i].before);
        ct_text_clear(&l.parts[i].after);
        free(l.parts[i].targets);
        free(l.parts[i].moving);
    }
    free(l.parts);
    free(l.needed);
    ct_text_clear(&l.local);
    ct_substitution_free(l.known);
}
