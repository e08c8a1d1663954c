// Kinks of motions: where the rate of a motion jumps, or that of what an equation between coordinates
// says about time. The functions of time that are zero there, and their rates, become one function of
// the model; the kernel looks for their zeros (src/kernel/events/ctk_kinks.c). So kinks follow parameters
// and inputs.
#include "emit/emit_inside.h"

#include "expr/jumps/jump.h"

typedef struct kinks {
    ct_pool *pool;
    const ct_model *model;
    int n, room;
    ct_ex *s; // scratch
} kinks;

// Functions of a part that depends on time and inputs alone.
static void add_part(kinks *k, ct_ex part) {
    const ct_model *m = k->model;
    for (int i = -1; i < m->n_inputs; i++) {
        ct_ex *list;
        const ct_ex symbol = i < 0 ? m->time : m->inputs[i].symbol;
        const int n = ct_jump_functions(k->pool, part, symbol, &list);
        for (int j = 0; j < n; j++) {
            bool known = false;
            for (int l = 0; l < k->n; l++) known = known || k->s[l] == list[j];
            if (!known) *CT_PUSH_SCRATCH(k->s, k->n, k->room) = list[j];
        }
    }
}

// The largest parts of an expression that depend on time and inputs alone.
static void add_parts(kinks *k, ct_ex a) {
    const unsigned moving =
        1u << CT_SYMBOL_COORDINATE | 1u << CT_SYMBOL_RATE | 1u << CT_SYMBOL_OTHER;
    const unsigned kinds = ct_ex_kinds(k->pool, a);
    if (!(kinds & (1u << CT_SYMBOL_TIME | 1u << CT_SYMBOL_INPUT))) return;
    if (!(kinds & moving)) {
        add_part(k, a);
        return;
    }
    for (int i = 0; i < ct_child_count(k->pool, a); i++) add_parts(k, ct_child(k->pool, a, i));
}

static void find(kinks *k) {
    const ct_model *m = k->model;
    for (int i = 0; i < m->n_motions; i++) add_parts(k, m->motions[i].value);
    for (int i = 0; i < m->n_joints + m->n_switched; i++)
        if (ct_joint_is_equation(m->joints[i].type)) add_parts(k, m->joints[i].equation);
}

int ct_kinks_count(const ct_model *model) {
    // a copy: code without kinks does not depend on what was looked for
    kinks k = {.pool = ct_pool_copy(model->pool), .model = model};
    find(&k);
    ct_pool_free(k.pool);
    return k.n;
}

// d/dt along the way that inputs go.
static ct_derivation *along_time(const ct_formulation *f) {
    ct_derivation *d = ct_derivation_new(f->pool);
    ct_derivation_map(d, f->model->time, CT_ONE);
    for (int i = 0; i < f->model->n_inputs; i++)
        if (f->model->inputs[i].rate != CT_ZERO)
            ct_derivation_map(d, f->model->inputs[i].symbol, f->model->inputs[i].rate);
    return d;
}

void ct_emit_kinks(ct_emitter *e) {
    kinks k = {.pool = e->f->pool, .model = e->f->model};
    if (!e->in->n_kinks) return;
    find(&k);
    ct_derivation *d = along_time(e->f);
    for (int i = 0; i < k.n; i++) ct_emitter_target(e, "value", i, k.s[i]);
    for (int i = 0; i < k.n; i++) ct_emitter_target(e, "value", k.n + i, ct_derive(d, k.s[i]));
    ct_derivation_free(d);
    ct_emitter_function(e,
                        "kinks(const double *restrict c, double t, const double *restrict u,\n"
                        "                  double *restrict value)",
                        "c t u value", NULL);
}
