// Floating bases: bodies on free joints to ground. The mass matrix of all that hangs on one does not
// depend on its orientation, if accelerations of its slides are measured along its own axes. With the
// joint frame N on ground,  q'' = T a,  T = N^T R(ground <- body).
#include "formulate/dynamics.h"
#include "formulate/whole_rotation.h"

const ct_floating *ct_floating_of_body(const ct_formulation *f, int body) {
    for (int i = 0; i < f->n_floating; i++)
        if (f->floating[i].body == body) return f->floating + i;
    return NULL;
}

// True if a constraint row depends on coordinate k.
static bool is_tied(const ct_formulation *f, int k) {
    for (int i = 0; i < f->m + f->switched.rows; i++)
        if (f->phi_q[i * f->n + k] != CT_ZERO) return true;
    return false;
}

// The coordinates of the slides of body b, if it floats.
static bool floats(const ct_layout *l, int b, int *coordinate) {
    const ct_formulation *f = l->f;
    const ct_connection *c = l->connections + l->branch[CT_TRANSLATION][b];
    // on ground, by three slides and a whole rotation, with its spins along its own axes
    if (l->parent[CT_TRANSLATION][b] || l->parent[CT_ROTATION][b] || c->body[1] != b ||
        c->n_trans != 3 || !c->whole || !c->whole->integrated || c->whole->in_root)
        return false;
    for (int j = 0; j < 3; j++) {
        coordinate[j] = -1;
        for (int k = 0; k < f->n; k++)
            if (f->q[k] == c->slide[j]) coordinate[j] = k;
        if (coordinate[j] < 0 || is_tied(f, coordinate[j])) return false;
    }
    return true;
}

void ct_floating_find(ct_layout *l) {
    ct_formulation *f = l->f;
    f->floating = ct_arena_alloc(&f->arena, (size_t)l->n_bodies, sizeof *f->floating);
    for (int b = 1; b < l->n_bodies; b++) {
        ct_floating *x = f->floating + f->n_floating;
        if (!floats(l, b, x->coordinate)) continue;
        const ct_connection *c = l->connections + l->branch[CT_TRANSLATION][b];
        ct_mat3 t = ct_mat_mul(l->pool, ct_mat_transpose(c->orient[0]), ct_rotation(l, 0, b));
        x->body = b;
        for (int j = 0; j < 9; j++) x->turn[j] = t.a[j / 3][j % 3];
        f->n_floating++;
    }
}
