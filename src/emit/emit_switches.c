// Joints that come and go as C: their conditions, what those keep that attach where they are, and
// which rows belong to whom.
#include "emit/emit_inside.h"

#define STATE  "const double *restrict c, double t, const double *restrict q, "
#define INPUTS "const double *restrict u,\n"

// The gap that a joint closes as its rows have it: of a link that of the squared distance,
// (L + g)^2 - L^2.
static ct_ex gap_of_row(const ct_formulation *f, const ct_joint *joint) {
    if (ct_joint_traits_of(joint->type)->holds != CT_HOLDS_DISTANCE) return joint->gap;
    const ct_ex sum =
        ct_add(f->pool, ct_mul(f->pool, ct_int(f->pool, 2), joint->length), joint->gap);
    return ct_mul(f->pool, joint->gap, sum);
}

// Conditions, gaps and measures; values that joints keep.
static void functions(ct_emitter *e) {
    const ct_formulation *f = e->f;
    const ct_switched *s = &f->switched;
    const int n = f->model->n_switched;
    for (int i = 0; i < n; i++) ct_emitter_target(e, "value", i, s->active[i]);
    for (int i = 0; i < n; i++)
        ct_emitter_target(e, "value", n + i, gap_of_row(f, ct_switched_joint(f->model, i)));
    for (int i = 0; i < s->n_guards; i++) ct_emitter_target(e, "value", 2 * n + i, s->guards[i]);
    ct_emitter_function(e,
                        "switches(" STATE "const double *restrict qd, " INPUTS
                        "                     double *restrict value)",
                        "c t q qd u value", NULL);
    if (!s->n_kept) return;
    for (int k = 0; k < s->n_kept; k++) ct_emitter_target(e, "kept", k, s->kept_value[k]);
    ct_emitter_function(e, "attach(" STATE INPUTS "                   double *restrict kept)",
                        "c t q u kept", NULL);
}

void ct_emit_switches(ct_emitter *e) {
    const ct_formulation *f = e->f;
    const ct_model *m = f->model;
    const ct_switched *s = &f->switched;
    if (!m->n_switched) return;
    functions(e);
    // joints, and rows by joint
    const size_t n = (size_t)m->n_switched + 1;
    const char **names = ct_scratch(n, sizeof *names);
    int *start = ct_scratch(n, sizeof *start), *here = ct_scratch(n, sizeof *here),
        *of = ct_scratch((size_t)e->in->m + 1, sizeof *of);
    for (int i = 0; i < m->n_switched; i++) {
        const ct_joint *joint = ct_switched_joint(m, i);
        names[i] = joint->name;
        start[i] = ct_switched_at_start(m, joint);
        here[i] = joint->attaches_here;
    }
    for (int i = 0; i < e->in->m; i++) {
        const int joint = f->owner[e->in->rows[i]].joint;
        of[i] = joint >= m->n_joints ? joint - m->n_joints : -1;
    }
    ct_emit_strings(&e->body, "switch_names", m->n_switched, names);
    ct_emit_ints(&e->body, "row_switch", e->in->m, of);
    ct_emit_ints(&e->body, "switch_start", m->n_switched, start);
    ct_emit_ints(&e->body, "switch_here", m->n_switched, here);
    ct_emit_ints(&e->body, "guard_switch", s->n_guards, s->guard_joint);
    ct_emit_ints(&e->body, "kept_switch", s->n_kept, s->kept_joint);
}
