// The mechanism in natural coordinates, for method global: other equations than those of all other
// approaches, so code and memory of its own.
#include "measure/bench.h"

// Returns false where implicit integrators cannot run the model.
static bool is_possible(const ct_model *model) {
    for (int i = 0; i < model->n_forces; i++)
        if (ct_force_is_by_load(model->forces + i)) return false;
    return true;
}

static ct_status write_and_load(ct_context *ctx, ct_bench_run *r, const char *name) {
    ct_emit_input in;
    ct_emission code;
    r->s->in_natural = true;
    ct_emit_input_fill(r->s, name, &in);
    in.tangent = CT_FULL_TANGENT;
    in.without_values = true;
    in.reactions = ct_emits_reaction_outputs(&in);
    ct_emit(&in, &code);
    r->s->in_natural = false;
    ct_status status = ct_load(ctx, &code, name, &r->natural.loaded);
    ct_emission_clear(&code);
    return status;
}

void ct_bench_natural_prepare(ct_bench_run *r) {
    ct_bench_natural *x = &r->natural;
    if (!is_possible(r->s->model)) return;
    ct_context *quiet = ct_context_quiet(NULL);
    char *name = ct_model_identifier(r->s->model);
    ct_status status = ct_formulate_natural(quiet, r->s);
    if (!status) status = write_and_load(quiet, r, ct_scratch_format("%s_natural", name));
    ct_free(name);
    ct_context_free(quiet);
    if (status) return;
    x->doubles = ct_alloc(ctk_doubles(x->loaded.model) + 1, sizeof *x->doubles);
    x->ints = ct_alloc(ctk_ints(x->loaded.model) + 1, sizeof *x->ints);
}

void ct_bench_natural_release(ct_bench_natural *natural) {
    ct_free(natural->doubles);
    ct_free(natural->ints);
    ct_unload(&natural->loaded);
}
