// A body that keeps its orientation: its angles are zero. That is no equation of the mechanism but
// what its equations lead to at the lengths of the model. Lengths are parameters of the code, so
// the equations themselves are watched wherever all coordinates are computed.
#include "closure/steps_inside.h"

#include <math.h>

static bool ties_bodies(const ct_formulation *f, int row) {
    if (f->owner[row].motion >= 0) return false;
    ct_joint_type type = f->model->joints[f->owner[row].joint].type;
    return type != CT_JOINT_CONSTRAINT && type != CT_JOINT_GEAR && type != CT_JOINT_RACK;
}

// |Phi| below about 1e-9 typical lengths.
static void watch(ct_steps *b) {
    ct_pool *pool = b->pool;
    ct_closure *c = b->closure;
    double digits = fmax(floor(log10(ct_typical_length(b->f->model))), -5);
    ct_ex sum = CT_ZERO, tiny = ct_power_int(pool, ct_int(pool, 10), 2 * ((int)digits - 9));
    for (int i = 0; i < b->f->m; i++)
        if (ties_bodies(b->f, i))
            sum = ct_add(pool, sum, ct_power_int(pool, ct_steps_replace(b, b->f->phi[i]), 2));
    *CT_PUSH(c->late, c->n_late, c->room_late) =
        (ct_guard){ct_sub(pool, tiny, sum), c->n_steps - 1, CT_ZERO};
}

void ct_steps_kept(ct_steps *b, const ct_placement *p) {
    int k[3];
    ct_ex psi[3];
    for (int i = 0; i < p->n_unknown; i++) {
        k[i] = ct_steps_coordinate(b, p->unknown[i]);
        psi[i] = b->f->q[k[i]];
    }
    ct_segment *s = ct_steps_segment(
        b, CT_STEP_GIVEN, 1, p->joint, p->n_unknown, k,
        ct_format("orientation of %s, which stays", b->f->model->bodies[p->child].name));
    for (int i = 0; i < p->n_unknown; i++) ct_steps_set(b, s, b->f->q[k[i]], CT_ONE, CT_ZERO);
    ct_steps_block(b, p->n_unknown, k, psi);
    watch(b);
}
