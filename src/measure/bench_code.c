// The C code of the approaches that are measured beside the closure.
#include "measure/bench_author.h"

#include "expr/optimise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Gains with which pivots are chosen; the run sets those of its method.
static const double STABILISING = 1; // 1/s, 1/s^2: of Phi' and Phi
static const double PENALTY = 1e3;   // of each row: as the kernel has it by default

void ct_author_count(ct_operations *sum, ct_operations more) {
    sum->add += more.add;
    sum->mul += more.mul;
    sum->div += more.div;
    sum->func += more.func;
}

void ct_author_target(ct_author *a, const char *array, int index, ct_ex root) {
    *CT_PUSH(a->targets, a->n_targets, a->room_targets) = (ct_target){array, index, root};
}

static void name_all(ct_author *a, int n, const ct_ex *symbols, const char *array) {
    char text[64];
    for (int k = 0; k < n; k++) {
        snprintf(text, sizeof text, "%s[%d]", array, k);
        ct_writer_name(a->w, symbols[k], text);
    }
}

static void name_symbols(ct_author *a) {
    const ct_model *m = a->f->model;
    char text[64];
    name_all(a, a->f->n, a->f->q, "q");
    name_all(a, a->f->n, a->f->qd, "qd");
    for (int k = 0; k < m->n_inputs; k++) {
        ct_ex part[] = {m->inputs[k].symbol, m->inputs[k].rate, m->inputs[k].acceleration};
        for (int i = 0; i < 3; i++) {
            snprintf(text, sizeof text, "u[%d]", i * m->n_inputs + k);
            if (part[i] != CT_ZERO) ct_writer_name(a->w, part[i], text);
        }
    }
    ct_emit_name_parameters(a->w, m);
    ct_writer_name(a->w, m->time, "t");
    a->gains = ct_alloc((size_t)a->at->m + 2, sizeof *a->gains);
    for (int k = 0; k < a->at->m + 2; k++) {
        snprintf(text, sizeof text, "k[%d]", k);
        a->gains[k] = ct_symbol(a->f->pool, CT_SYMBOL_OTHER, text);
    }
    name_all(a, a->at->m + 2, a->gains, "k");
}

// The statements for the targets collected so far, in a block of their own.
ct_operations ct_author_statements(ct_author *a) {
    ct_operations count;
    ct_ex *roots = ct_scratch((size_t)a->n_targets + 1, sizeof *roots);
    for (int i = 0; i < a->n_targets; i++) roots[i] = a->targets[i].root;
    ct_optimise(a->f->pool, a->n_targets, roots);
    for (int i = 0; i < a->n_targets; i++) a->targets[i].root = roots[i];
    ct_text_add(&a->out, "    {\n");
    ct_part part = {.n = a->n_targets, .targets = a->targets};
    ct_writer_parts(a->w, &a->out, 1, &part, &count);
    ct_text_add(&a->out, "    }\n");
    a->n_targets = 0;
    return count;
}

static double at_start(ct_author *a, ct_ex e) {
    double v;
    ct_numbers_eval(&a->x, 1, &e, &v);
    return v;
}

ct_author_matrix ct_author_matrix_new(int n) {
    size_t size = (size_t)n * (size_t)n + 1;
    ct_author_matrix e = {n, 0, ct_alloc(size, sizeof *e.index), ct_alloc(size, sizeof *e.value)};
    for (size_t i = 0; i < size; i++) e.index[i] = -1;
    return e;
}

void ct_author_matrix_clear(ct_author_matrix *e) {
    ct_free(e->index);
    ct_free(e->value);
}

void ct_author_entry(ct_author *a, ct_author_matrix *e, int i, int j, ct_ex value, bool symmetric) {
    if (value == CT_ZERO) return;
    ct_author_target(a, "a", e->count, value);
    e->index[i * e->n + j] = e->count;
    e->value[i * e->n + j] = at_start(a, value);
    if (symmetric) {
        e->index[j * e->n + i] = e->count;
        e->value[j * e->n + i] = e->value[i * e->n + j];
    }
    e->count++;
}

// Phi and Phi_d with all of its zeros, for the elimination that does not know them.
static void dense_rows(ct_author *a) {
    int m = a->at->m;
    for (int i = 0; i < m; i++) ct_author_target(a, "b", i, a->f->phi[a->at->rows[i]]);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            ct_ex e = a->f->phi_q[a->at->rows[i] * a->f->n + a->closure->dependent[j]];
            if (e != CT_ZERO) ct_author_target(a, "a", i * m + j, e);
        }
    ct_text_printf(&a->out,
                   "void bench_rows(" CT_AUTHOR_STATE CT_AUTHOR_INPUTS
                   "double *restrict b, double *restrict a)\n{\n"
                   "    int i;\n    for (i = 0; i < %d; i++) a[i] = 0.0;\n",
                   m * m);
    a->code->rows_operations = ct_author_statements(a);
    ct_text_add(&a->out, "    (void)c, (void)t, (void)q, (void)u, (void)b;\n}\n\n");
}

static void numbers_at_start(ct_author *a) {
    ct_model_numbers(a->f->model, &a->x);
    ct_numbers_set(&a->x, a->f->n, a->f->q, a->at->q0);
    ct_numbers_set(&a->x, a->f->n, a->f->qd, a->at->qd0);
    for (int k = 0; k < a->at->m + 2; k++) {
        double gain = k < 2 ? STABILISING : PENALTY;
        ct_numbers_set(&a->x, 1, a->gains + k, &gain);
    }
}

void ct_bench_code_write(const ct_assembled *at, const ct_closure *c, ct_bench_code *code) {
    *code = (ct_bench_code){0};
    ct_author a = {.at = at, .closure = c, .f = at->f, .code = code};
    a.w = ct_writer_new(at->f->pool);
    name_symbols(&a);
    numbers_at_start(&a);
    ct_text_add(&a.out, "\n/* other approaches, to measure */\n");
    ct_author_iterations(&a);
    dense_rows(&a);
    ct_author_place(&a);
    ct_author_index1(&a);
    code->n_constants =
        ct_emit_constants(a.w, at->f->pool, at->f->model, "bench_constants", &a.out);
    code->source = ct_text_take(&a.out);
    ct_writer_free(a.w);
    ct_numbers_clear(&a.x);
    ct_free(a.targets);
    ct_free(a.gains);
}

// A function of the loaded code; POSIX has pointers to functions and data of one size.
static bool find(void *handle, const char *name, bool there, void *function) {
    if (!there) return true;
    void *p = ct_object_find(handle, name);
    memcpy(function, &p, sizeof p);
    return p != NULL;
}

bool ct_bench_code_find(ct_bench_code *code, void *handle) {
    static const char *const names[] = {"bench_augmented", "bench_baumgarte", "bench_penalty"};
    bool good = find(handle, "bench_constants", true, &code->constants) &&
                find(handle, "bench_rows", true, &code->rows) &&
                find(handle, "bench_place", true, &code->place) &&
                find(handle, "bench_newton", code->can_newton, &code->newton) &&
                find(handle, "bench_loops", code->can_loops, &code->loops);
    for (int i = 0; i < CT_BENCH_INDEX1; i++)
        good = good && find(handle, names[i], code->can_index1[i], code->index1 + i);
    return good;
}

void ct_bench_code_clear(ct_bench_code *code) {
    ct_free(code->source);
    *code = (ct_bench_code){0};
}
