// Before the measurement: compiles and loads all approaches, allocates memory, sets gains.
#include "measure/bench.h"
#include "model/inputs/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(size_t n) {
    return ct_alloc(n + 1, sizeof(double));
}

static void allocate(ct_bench_run *r) {
    const ctk_model *m = r->model;
    const ctk_closure *c = m->closure;
    size_t n = (size_t)m->n, rows = (size_t)m->m, i = (size_t)r->closure->r;
    // coordinates, all and independent; values of the closure
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
    // inputs, one set for each step where they follow something
    size_t times = r->s->model->signals ? (size_t)r->steps + 1 : 1;
    r->inputs = numbers(times * 3 * (size_t)m->n_inputs);
    r->u = r->inputs;
    r->at = numbers(3 * (size_t)m->n_inputs);
    // rows, constants, the path, the kernel's state
    r->dense = numbers(rows * n);
    r->c = numbers((size_t)m->n_constants);
    r->bench_c = numbers((size_t)r->code.n_constants);
    r->path = numbers(((size_t)r->steps + 1) * i);
    r->doubles = numbers(ctk_doubles(m));
    r->ints = ct_alloc(ctk_ints(m) + 1, sizeof *r->ints);
}

void ct_bench_release(ct_bench_run *r) {
    double *const all[] = {r->older,   r->w_before, r->w_older, r->q,      r->qd, r->qdd,
                           r->before,  r->v,        r->w,       r->b,      r->g,  r->qi,
                           r->qdi,     r->qddi,     r->x,       r->dense,  r->k,  r->c,
                           r->bench_c, r->path,     r->doubles, r->inputs, r->at};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) ct_free(all[k]);
    ct_free(r->ints);
    ct_bench_code_clear(&r->code);
    ct_unload(&r->loaded);
    ct_bench_natural_release(&r->natural);
}

// The model as it is emitted for a run, with the other approaches behind it.
static ct_status write_and_load(ct_context *ctx, ct_bench_run *r, const char *name) {
    ct_emit_input in;
    ct_emission code;
    bool interprets = ct_interprets();
    ct_report(ctx, "writing the code", -1, false);
    ct_emit_input_fill(r->s, name, &in);
    in.without_values = true;
    in.reactions = ct_emits_reaction_outputs(&in);
    ct_emit(&in, &code);
    // the other approaches behind the model, for a compiler
    if (!interprets) {
        ct_bench_code_write(ct_system_state(r->s), r->closure, &r->code);
        char *both = ct_format("%s%s", code.source, r->code.source);
        ct_free(code.source);
        code.source = both;
    }
    ct_status status = ct_load(ctx, &code, name, &r->loaded);
    ct_emission_clear(&code);
    return status;
}

// Code of all approaches; of those of the model alone, where that is interpreted.
static ct_status compile(ct_context *ctx, ct_bench_run *r) {
    char *name = ct_model_identifier(r->s->model);
    ct_status status = write_and_load(ctx, r, name);
    ct_free(name);
    if (status) return status;
    r->model = r->loaded.model;
    if (r->loaded.why) {
        ct_bench_code_clear(&r->code);
        ct_note_at(ctx, (ct_place){0, 0},
                   "%s: the times are those of interpreted code, and approaches that need a "
                   "compiler are left out",
                   r->loaded.why);
        return CT_OK;
    }
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

// Inputs at the time of each step, found before the measurement: an approach alone is measured.
// Without anything to follow they stay as they are at the start.
static ct_status set_inputs(ct_context *ctx, ct_bench_run *r) {
    const ct_model *m = r->s->model;
    const int n = m->n_inputs;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) r->inputs[k * n + i] = m->inputs[i].start[k];
    for (long step = 0; step <= r->steps && m->signals; step++) {
        double t = (double)step * r->h, *u = r->inputs + step * 3 * n;
        ct_signals_at(m, t, -INFINITY, INFINITY, u);
        // rates count where a motion has them
        for (int i = 0; i < n; i++) {
            bool rated = m->inputs[i].rate != CT_ZERO;
            if (!isfinite(u[i]) || (rated && !(isfinite(u[n + i]) && isfinite(u[2 * n + i]))))
                return ct_fail(ctx, CT_NUMERICS, "at t = %.9g input '%s' is not a finite number", t,
                               m->inputs[i].name);
        }
    }
    return CT_OK;
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
    status = set_inputs(ctx, r);
    if (status) return status;
    // constants; interpreted code finds its machine in front of them
    const ctk_model *m = r->model;
    if (m->context) memcpy(r->c, &m->context, sizeof m->context);
    m->constants(m->parameters, r->c);
    if (r->code.constants) r->code.constants(m->parameters, r->bench_c);
    set_penalties(r);
    ct_bench_natural_prepare(r);
    return CT_OK;
}
