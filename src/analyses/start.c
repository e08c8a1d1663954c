// A system that starts from its equilibrium, at rest: the start of its model is replaced, so that
// everything behind it, from the assembly to the run, finds it there.
#include "analyses/rest.h"

#include <math.h>

// Places of all bodies as their own coordinates would say, [6 n_bodies]: what a formulation needs
// whose trees hold a body by none of its joints.
static double *places(ct_rest_found *x) {
    const ct_formulation *f = x->rest.f;
    double *placed = ct_scratch(6 * (size_t)f->model->n_bodies + 1, sizeof *placed);
    ct_position_set(f, &x->rest.numbers, x->place.q);
    for (int b = 1; b < f->model->n_bodies; b++) {
        ct_ex value[6];
        int n = ct_formulation_edge(f, ct_graph_edge(f->graph, CT_EDGE_BODY, b), value);
        ct_numbers_eval(&x->rest.numbers, n, value, placed + 6 * b);
        for (int i = 0; i < n; i++)
            if (!isfinite(placed[6 * b + i])) placed[6 * b + i] = 0;
    }
    return placed;
}

static CT_BELOW ct_status start(ct_context *ctx, ct_system *s,
                                const ct_equilibrium_options *options) {
    ct_rest_found x;
    ct_rest_options own = {
        .time = 0, .nearest = options->nearest, .n_held = options->n_hold, .held = options->hold};
    ct_status status = ct_rest_find(ctx, s, &own, &x);
    if (!status) {
        const ct_model *model = ct_model_placed(s->model, x.named.value, places(&x));
        ct_rest_clear(&x.rest);
        status = ct_system_by_name(ctx, s, false);
        if (!status) status = ct_system_start_from(ctx, s, model);
        return status;
    }
    ct_rest_clear(&x.rest);
    return status;
}

ct_status ct_equilibrium_start(ct_context *ctx, ct_system *s,
                               const ct_equilibrium_options *options) {
    CT_CALL(ctx, &s->memory, start(ctx, s, options));
}
