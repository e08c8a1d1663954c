// A closure described for `close`, in words and numbers: steps, iterated coordinates, operations of
// the positions and of the dynamics, largest residual of Phi at the positions that the probe tries.
#include "closure/describe.h"

#include <stdlib.h>
#include <string.h>

typedef struct report { // what the caller sees, and its memory
    ct_close_info info;
    ct_arena arena;
} report;

static const char *keep(report *r, const char *s) {
    return ct_arena_strdup(&r->arena, s ? s : "");
}

static ct_operation_count public_count(ct_operations c) {
    return (ct_operation_count){c.add, c.mul, c.div, c.func, ct_operations_total(c)};
}

static void list_steps(report *r, const ct_closure *c) {
    ct_close_info *info = &r->info;
    // room for all unknowns, each of which may be iterated
    int room = 0;
    for (int i = 0; i < c->n_steps; i++) room += c->steps[i].n_unknowns;
    const char **iterated = ct_arena_alloc(&r->arena, (size_t)room + 1, sizeof *iterated);
    ct_close_step *steps = ct_arena_alloc(&r->arena, (size_t)c->n_steps + 1, sizeof *steps);
    // every step with copies of its names; unknowns of Newton steps are iterated
    for (int i = 0; i < c->n_steps; i++) {
        const ct_step *s = c->steps + i;
        const char **unknowns =
            ct_arena_alloc(&r->arena, (size_t)s->n_unknowns + 1, sizeof *unknowns);
        for (int k = 0; k < s->n_unknowns; k++) {
            unknowns[k] = keep(r, s->unknowns[k]);
            if (s->method == CT_STEP_NEWTON) iterated[info->n_iterated++] = unknowns[k];
        }
        steps[i] = (ct_close_step){
            .n_unknowns = s->n_unknowns,
            .unknowns = unknowns,
            .degree = s->degree,
            .method = ct_step_method_name(s->method),
            .joint = s->joint >= 0 ? keep(r, c->f->model->joints[s->joint].name) : NULL,
            .text = keep(r, s->text),
            .general = s->general};
    }
    // lists that the caller sees
    info->n_steps = c->n_steps;
    info->steps = steps;
    info->iterated = iterated;
}

static void fill(report *r, const ct_closure *c) {
    ct_close_info *info = &r->info;
    const char **independent = ct_arena_alloc(&r->arena, (size_t)c->r + 1, sizeof *independent);
    for (int j = 0; j < c->r; j++) independent[j] = keep(r, c->f->names[c->independent[j]]);
    info->n_independent = c->r;
    info->independent = independent;
    list_steps(r, c);
    info->triangular = info->n_iterated == 0;
    for (int i = 0; i < c->n_steps; i++)
        info->triangular = info->triangular && c->steps[i].degree <= 4;
    info->operations = public_count(c->step_operations);
    info->positions = public_count(c->position_operations);
    info->seconds = c->seconds;
    info->cached = c->from_cache;
    info->blocks_recalled = c->n_blocks_from_cache;
    info->dynamics = public_count(c->dynamics_operations);
}

void ct_close_info_free(ct_close_info *info) {
    report *r = (report *)info;
    if (!r) return;
    ct_arena_free(&r->arena);
    ct_free(r);
}

void ct_close_info_release(ct_close_info *info) {
    ct_arena_release(&((report *)info)->arena);
    ct_release(info);
}

// Largest |Phi|, in units of the rows, of a closure that can be trusted.
static const double OPEN = 1e-6;

// Fails if the closure does not give back the position it started from; warns of loops that stay
// open around it.
static ct_status test(ct_context *ctx, const ct_closed *closed, report *r) {
    const ct_closure *c = closed->closure;
    int step;
    if (!ct_close_probe(closed->at, c, &r->info.residual, &step)) {
        bool known = step >= 0 && step < c->n_steps;
        return ct_fail(ctx, CT_NUMERICS,
                       "the loops do not close at the initial position: step %d%s%s%s has no "
                       "solution there; choose other independent coordinates with --independent",
                       step + 1, known ? " (" : "", known ? c->steps[step].text : "",
                       known ? ")" : "");
    }
    // an iteration that does not converge around it
    if (!(r->info.residual <= OPEN))
        ct_warning_at(ctx, (ct_place){0},
                      "the loops stay open by %.2g near the initial position: this way of closing "
                      "is close to a limit position there; choose other independent coordinates "
                      "with --independent, or simulate with --method partition",
                      r->info.residual);
    return CT_OK;
}

ct_status ct_closed_describe(ct_context *ctx, const ct_closed *closed, ct_close_info **info) {
    *info = NULL;
    report *r = ct_alloc(1, sizeof *r);
    fill(r, closed->closure);
    ct_status status = test(ctx, closed, r);
    if (status)
        ct_close_info_free(&r->info);
    else
        *info = &r->info;
    return status;
}
