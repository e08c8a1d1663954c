// Before the measurement: compiles and loads all approaches, allocates memory, sets gains.
#include "measure/bench.h"

#include <stdlib.h>
#include <string.h>

static double *numbers(size_t n) {
    return ct_alloc(n + 1, sizeof(double));
}

static void allocate(ct_bench_run *r) {
    const ctk_model *m = r->model;
    const ctk_closure *c = m->closure;
    size_t n = (size_t)m->n, rows = (size_t)m->m, i = (size_t)r->closure->r;
    double **const all[] = {&r->q, &r->qd, &r->qdd, &r->before, &r->older};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) *all[k] = numbers(n);
    double **const independent[] = {&r->qi, &r->qdi, &r->qddi};
    for (size_t k = 0; k < sizeof independent / sizeof *independent; k++)
        *independent[k] = numbers(i);
    r->v = numbers((size_t)c->n_values);
    double **const tracked[] = {&r->w, &r->w_before, &r->w_older};
    for (size_t k = 0; k < sizeof tracked / sizeof *tracked; k++)
        *tracked[k] = numbers((size_t)c->n_tracked);
    r->b = numbers((size_t)c->n_signs);
    r->g = numbers((size_t)c->n_guards);
    r->x = numbers(rows);
    r->k = numbers(rows + 2);
    r->u = numbers(3 * (size_t)m->n_inputs);
    r->dense = numbers(rows * n);
    r->c = numbers((size_t)m->n_constants);
    r->bench_c = numbers((size_t)r->code.n_constants);
    r->path = numbers(((size_t)r->steps + 1) * i);
    r->doubles = numbers(ctk_doubles(m));
    r->ints = ct_alloc(ctk_ints(m) + 1, sizeof *r->ints);
}

void ct_bench_release(ct_bench_run *r) {
    double *const all[] = {r->older,   r->w_before, r->w_older, r->q,     r->qd, r->qdd,
                           r->before,  r->v,        r->w,       r->b,     r->g,  r->qi,
                           r->qdi,     r->qddi,     r->x,       r->dense, r->k,  r->c,
                           r->bench_c, r->path,     r->doubles, r->u};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ct_free(all[k]);
    ct_free(r->ints);
    ct_bench_code_clear(&r->code);
    ct_unload(&r->loaded);
}

// The model as it is emitted for a run, with the other approaches behind it.
static ct_status compile(ct_context *ctx, ct_bench_run *r) {
    // compiled code, or none
    if (ct_interprets())
        return ct_fail(ctx, CT_INTERNAL,
                       "bench measures compiled code, and there is no C compiler: install one "
                       "(package gcc), or name it in CC");
    char *name = ct_model_identifier(r->s->model);
    ct_emit_input in;
    ct_emission code;
    ct_report(ctx, "writing the code", -1, false);
    ct_emit_input_fill(r->s, name, &in);
    in.without_values = true;
    ct_emit(&in, &code);
    // the other approaches behind the model
    ct_bench_code_write(ct_system_state(r->s), r->closure, &r->code);
    char *both = ct_format("%s%s", code.source, r->code.source);
    ct_free(code.source);
    code.source = both;
    ct_status status = ct_load(ctx, &code, name, &r->loaded);
    ct_emission_clear(&code);
    ct_free(name);
    if (status) return status;
    if (r->loaded.why)
        return ct_fail(ctx, CT_INTERNAL, "bench measures compiled code: %s", r->loaded.why);
    r->model = r->loaded.model;
    if (!ct_bench_code_find(&r->code, r->loaded.handle))
        return ct_fail(ctx, CT_INTERNAL, "the code to measure could not be loaded");
    return CT_OK;
}

static double pick(double model, double fallback) {
    return model >= 0 ? model : fallback;
}

// Feedback: the model's `simulate:`, else what was published, else the defaults of the methods.
static void set_gains(ct_bench_run *r) {
    const ct_settings *m = &r->s->model->settings;
    ctk_options *o = &r->options;
    char *name = ct_model_identifier(r->s->model);
    ctk_options_init(o);
    ct_published_gains(name, o);
    ct_free(name);
    o->alpha = pick(m->alpha, o->alpha);
    o->beta = pick(m->beta, o->beta);
    o->penalty = pick(m->penalty, o->penalty);
    o->zeta = pick(m->zeta, o->zeta);
    o->omega = pick(m->omega, o->omega);
}

// Inputs as they are at the start: they stay so, since an approach alone is measured.
static void set_inputs(ct_bench_run *r) {
    const ct_model *m = r->s->model;
    for (int i = 0; i < m->n_inputs; i++)
        for (int k = 0; k < 3; k++) r->u[k * m->n_inputs + i] = m->inputs[i].start[k];
}

// Penalty factors as the kernel has them, at the initial position: the mass that each row moves.
static void set_penalties(ct_bench_run *r) {
    const ctk_model *m = r->model;
    size_t n = (size_t)m->n, rows = (size_t)m->m;
    double *mass = numbers(n * n), *forcing = numbers(n), *rest = numbers(3 * rows), power;
    m->dynamics(r->c, 0, m->q0, m->qd0, r->u, mass, forcing, rest, r->dense, rest + rows,
                rest + 2 * rows, &power);
    for (size_t k = 0; k < rows; k++) {
        double squares = 0, carried = 0;
        for (size_t j = 0; j < n; j++) {
            double p = r->dense[k * n + j] * r->dense[k * n + j];
            squares += p;
            carried += p * mass[j * n + j];
        }
        double moved = squares > 0 ? carried / (squares * squares) : 0;
        r->k[2 + k] = r->options.penalty * (moved > 0 ? moved : 1);
    }
    ct_free(mass);
    ct_free(forcing);
    ct_free(rest);
}

ct_status ct_bench_prepare(ct_context *ctx, ct_bench_run *r) {
    ct_status status = compile(ctx, r);
    if (status) return status;
    allocate(r);
    set_gains(r);
    set_inputs(r);
    r->model->constants(r->model->parameters, r->c);
    r->code.constants(r->model->parameters, r->bench_c);
    set_penalties(r);
    return CT_OK;
}
