// Coordinates that motions, gears, racks and equations between coordinates give once everything
// else in them is known.
#include "closure/relations/coupling_solve.h"
#include "closure/steps/builder.h"
#include "closure/tolerances.h"

// Equations that name points give nothing: they close an iteration.
static bool is_law(const ct_formulation *f, int row) {
    ct_row_owner owner = f->owner[row];
    if (owner.motion >= 0) return f->model->motions[owner.motion].coordinate >= 0;
    const ct_joint *j = f->model->joints + owner.joint;
    if (ct_joint_is_equation(j->type))
        return !(ct_ex_kinds(f->pool, j->equation) & (1u << CT_SYMBOL_OTHER));
    return ct_joint_is_pair(j->type);
}

// The row whose last unknown is coordinate k, and how it is solved for it.
static int giving_row(const ct_steps *b, int k, const bool *known, ct_law *law) {
    const ct_formulation *f = b->f;
    int found = -1;
    for (int i = 0; i < f->m; i++) {
        if (f->phi_q[i * f->n + k] == CT_ZERO || !is_law(f, i)) continue;
        bool others = true;
        for (int j = 0; j < f->n; j++)
            if (j != k && !known[j] && f->phi_q[i * f->n + j] != CT_ZERO) others = false;
        if (!others) continue;
        ct_law way = ct_law_for(b->pool, f->phi[i], f->q[k], f->is_angle[k]);
        if (found < 0 || way.kind < law->kind) {
            found = i;
            *law = way;
        }
    }
    return found;
}

static ct_ex replace(const ct_steps *b, ct_ex a) {
    return ct_let(b->pool, ct_steps_replace(b, a));
}

// A factor that is divided by must not vanish.
static ct_ex divisor(const ct_steps *b, ct_segment *s, ct_ex a) {
    ct_pool *pool = b->pool;
    if (!(ct_ex_kinds(pool, a) & ~(1u << CT_SYMBOL_PARAMETER))) return a;
    a = replace(b, a);
    ct_steps_guard(s, ct_sub(pool, ct_power_int(pool, a, 2),
                             ct_power_int(pool, ct_int(pool, 10), CT_GUARD_DIVISOR)));
    return a;
}

static void set(const ct_steps *b, ct_segment *s, int k, ct_ex value) {
    if (b->f->is_angle[k])
        ct_steps_set(b, s, b->f->q[k], ct_cos(b->pool, value), ct_sin(b->pool, value));
    else
        ct_forms_set_slide(b->forms, s, k, value);
}

// One number by Newton's iteration.
static void iterate(const ct_steps *b, ct_segment *s, int row, int k) {
    ct_newton newton = ct_newton_new(1);
    ct_ex w = ct_forms_tracked(b->forms, k, newton.unknown);
    newton.is_angle[0] = b->f->is_angle[k];
    newton.residual[0] = ct_forms_residual(b->forms, b->f->phi[row], 1, &k);
    newton.matrix[0] = ct_diff(b->pool, newton.residual[0], w);
    s->kind = CT_SEGMENT_NEWTON;
    s->newton = newton;
    if (newton.is_angle[0]) ct_steps_solved(b, b->f->q[k]);
    b->closure->n_iterated++;
}

static void solve(const ct_steps *b, int row, int k, const ct_law *law) {
    static const struct {
        ct_step_method method;
        int degree;
    } how[] = {{CT_STEP_GIVEN, 1},
               {CT_STEP_LINEAR, 1},
               {CT_STEP_QUADRATIC, 2},
               {CT_STEP_QUADRATIC, 2},
               {CT_STEP_NEWTON, 0}};
    ct_pool *pool = b->pool;
    const ct_formulation *f = b->f;
    ct_ex psi = f->phi[row], cosine, sine;
    ct_segment *s = ct_steps_segment(b, how[law->kind].method, how[law->kind].degree,
                                     f->model->coordinates[f->coordinate[k]].joint, 1, &k,
                                     ct_format("given by '%s'", ct_row_name(f, row)));
    switch (law->kind) {
    case CT_LAW_GIVEN: {
        psi = ct_div(pool, psi, law->c1);
        ct_ex value = ct_steps_replace(b, ct_sub(pool, f->q[k], psi));
        set(b, s, k, value);
        break;
    }
    case CT_LAW_LINEAR:
        set(b, s, k, ct_neg(pool, ct_div(pool, replace(b, law->c0), divisor(b, s, law->c1))));
        break;
    case CT_LAW_QUADRATIC: {
        ct_ex a = divisor(b, s, law->c2), two = ct_int(pool, 2);
        ct_ex h = ct_div(pool, replace(b, law->c1), ct_mul(pool, two, a)),
              c = ct_div(pool, replace(b, law->c0), a);
        ct_ex x = ct_forms_slide(b->forms, k);
        ct_forms_set_slide(b->forms, s, k, ct_steps_square(b, s, x, h, c));
        break;
    }
    case CT_LAW_TURN: {
        ct_unknown u = {.coordinate = k, .turn = true, .form = f->q[k]};
        ct_forms_pair(b->forms, u.form, &u.c, &u.s);
        ct_steps_trig(b, s, &u, replace(b, law->c2), replace(b, law->c1),
                      ct_neg(pool, replace(b, law->c0)), &cosine, &sine);
        ct_steps_set(b, s, u.form, cosine, sine);
        break;
    }
    case CT_LAW_OPEN: iterate(b, s, row, k); break;
    }
    ct_steps_block(b, 1, &k, &psi);
}

void ct_steps_give(const ct_steps *b, bool *known) {
    for (int k = 0; k < b->f->n; k++) {
        ct_law law;
        int row = known[k] ? -1 : giving_row(b, k, known, &law);
        if (row < 0) continue;
        solve(b, row, k, &law);
        known[k] = true;
        k = -1; // laws may follow
    }
}
