// Measured quantities in terms of q, q' and (for outputs) q'': places, distances, velocities and
// accelerations of points, spins of bodies, accelerations of coordinates, energies. What forces have,
// their loads tell (loads/). Accelerations are second time derivatives,
//   q -> q',  q' -> q'',  and p' = s x p for vectors of whole rotations;
// angles by name of a rotation that is integrated whole have, with the axes E of their turns,
//   E q'' = u' - E' q'   where u = E q' is the angular velocity of the joint.
#include "formulate/dynamics.h"
#include "formulate/tolerances.h"
#include "formulate/whole_rotation.h"

ct_ex ct_time_rate(ct_formulation *f, ct_ex value) {
    ct_derivation *time = ct_time_derivation(f);
    ct_ex rate = ct_derive(time, value);
    ct_derivation_free(time);
    return rate;
}

// Distances and places, then velocities; laws of springs. Tyre quantities are added with the loads.
ct_substitution *ct_known_quantities(ct_layout *l) {
    ct_pool *pool = l->pool;
    ct_substitution *s = ct_substitution_new(pool);
    for (int i = 0; i < l->model->n_probes; i++) {
        const ct_probe *p = l->model->probes + i;
        if (p->kind > CT_PROBE_LAST_OF_MOTION) continue; // of outputs; laws below
        ct_vec3 at = ct_from_com(l, p->body[0], p->at[0]);
        ct_ex value;
        if (p->kind == CT_PROBE_DISTANCE) {
            ct_vec3 d = ct_path(l, p->body[0], at, p->body[1], ct_from_com(l, p->body[1], p->at[1]),
                                ct_common(l, CT_ROTATION, p->body[0], p->body[1]));
            value = ct_sqrt(pool, ct_vec_dot(pool, d, d));
        } else {
            value = ct_position(l, p->body[0], at).v[(p->kind - CT_PROBE_X) % 3];
            if (p->kind >= CT_PROBE_VX) value = ct_time_rate(l->f, value);
        }
        ct_substitution_map(s, p->symbol, value);
    }
    // what laws of springs name, in terms of the others
    for (int i = 0; i < l->model->n_probes; i++) {
        const ct_probe *p = l->model->probes + i;
        if (p->kind == CT_PROBE_EXTENSION || p->kind == CT_PROBE_EXTENSION_RATE)
            ct_substitution_map(s, p->symbol, ct_law_value(l, s, p));
    }
    return s;
}

// accelerations ----------------------------------------------------------------------------------
ct_ex ct_acceleration(const ct_formulation *f, int k) {
    return ct_symbol(f->pool, CT_SYMBOL_ACCELERATION, ct_scratch_format("%s''", f->names[k]));
}

bool ct_output_reads_reactions(const ct_formulation *f, ct_ex output) {
    return ct_ex_kinds(f->pool, output) & 1u << CT_SYMBOL_REACTION;
}

bool ct_output_is_late(const ct_formulation *f, ct_ex output) {
    return ct_ex_kinds(f->pool, output) & 1u << CT_SYMBOL_ACCELERATION ||
           ct_output_reads_reactions(f, output);
}

// The time derivative of what holds rates, with accelerations as symbols.
static ct_ex second_rate(ct_formulation *f, ct_ex rate) {
    ct_derivation *time = ct_time_derivation(f);
    for (int k = 0; k < f->n; k++) ct_derivation_map(time, f->qd[k], ct_acceleration(f, k));
    ct_ex second = ct_derive(time, rate);
    ct_derivation_free(time);
    return second;
}

// E' q' of three turns about x, y or z: each axis turns with those before it.
static ct_vec3 axes_change(ct_pool *pool, const ct_whole_rotation *b) {
    ct_vec3 change = ct_vec3_zero(), before = ct_vec3_zero();
    ct_mat3 r = ct_mat3_identity();
    for (int k = 0; k < 3; k++) {
        ct_vec3 unit = ct_vec_unit(b->sequence[k]), axis = ct_mat_vec(pool, r, unit),
                turn = ct_vec_scale(pool, b->angle_d[k], axis);
        change = ct_vec_add(pool, change, ct_vec_cross(pool, before, turn));
        before = ct_vec_add(pool, before, turn);
        r = ct_mat_mul(pool, r, ct_mat_rotation(pool, unit, b->angle[k]));
    }
    return change;
}

// Angle `part` by name of a rotation that is integrated whole: R_i(a)^T w = a'' e_i + b'' e_j +
// c'' R_j(b) e_k with w = u' - E' q'. In the lock, where a'' and c'' have no value, these are not
// finite.
static ct_ex angle_acceleration(ct_layout *l, const ct_whole_rotation *b, int part) {
    ct_pool *pool = l->pool;
    const int i = b->sequence[0], j = b->sequence[1], k = 3 - i - j;
    const bool proper = i == b->sequence[2];
    const ct_ex s = ct_int(pool, (j - i + 3) % 3 == 1 ? 1 : -1);
    ct_vec3 u = ct_whole_rotation_joint_spin(l, b), change = axes_change(pool, b), w;
    for (int n = 0; n < 3; n++) w.v[n] = ct_sub(pool, second_rate(l->f, u.v[n]), change.v[n]);
    w = ct_vec_let(pool, w);
    ct_ex ca = ct_cos(pool, b->angle[0]), sa = ct_mul(pool, s, ct_sin(pool, b->angle[0]));
    if (part == 1) return ct_add(pool, ct_mul(pool, ca, w.v[j]), ct_mul(pool, sa, w.v[k]));
    // c'', divided by m = cos b (like zxz: sin b)
    ct_ex cb = ct_cos(pool, b->angle[1]), sb = ct_sin(pool, b->angle[1]), m = proper ? sb : cb;
    ct_ex least = ct_rational(pool, 1, CT_LOCK_NEAREST),
          size = ct_apply(pool, CT_OP_ABS, (ct_ex[]){m}),
          locked = ct_apply(pool, CT_OP_LESS, (ct_ex[]){size, least});
    ct_ex along = ct_sub(pool, ct_mul(pool, ca, w.v[k]), ct_mul(pool, sa, w.v[j]));
    if (proper) along = ct_neg(pool, ct_mul(pool, s, along));
    ct_ex third = ct_let(pool, ct_div(pool, along, ct_if(pool, locked, CT_ZERO, m)));
    if (part == 2) return third;
    return ct_sub(pool, w.v[i], ct_mul(pool, proper ? cb : ct_mul(pool, s, sb), third));
}

// J'' of a coordinate: among q'', by back-substitution, or of an angle by its name.
static ct_ex coordinate_acceleration(ct_layout *l, int coordinate) {
    ct_formulation *f = l->f;
    int k = f->where[coordinate], part;
    for (int i = 0; i < f->n_secondary && k < 0; i++)
        if (f->secondary[i].coordinate == coordinate) return second_rate(f, f->secondary[i].rate);
    const ct_whole_rotation *b = ct_whole_rotation_followed(f, k, &part);
    return b ? angle_acceleration(l, b, part) : ct_acceleration(f, k);
}

// v + w x r of a point, differentiated.
static ct_ex point_acceleration(ct_layout *l, const ct_probe *p) {
    ct_vec3 at = ct_from_com(l, p->body[0], p->at[0]);
    ct_vec3 v =
        ct_vec_add(l->pool, ct_load_velocity(l, p->body[0]), ct_load_carried(l, p->body[0], at));
    return second_rate(l->f, v.v[p->kind - CT_PROBE_AX]);
}

static void know_quantities(ct_layout *l, ct_substitution *known) {
    for (int i = 0; i < l->model->n_probes; i++) {
        const ct_probe *p = l->model->probes + i;
        ct_ex value;
        switch (p->kind) {
        case CT_PROBE_AX:
        case CT_PROBE_AY:
        case CT_PROBE_AZ: value = point_acceleration(l, p); break;
        case CT_PROBE_WX:
        case CT_PROBE_WY:
        case CT_PROBE_WZ:
            value = ct_angular_velocity(l, p->body[0], 0).v[p->kind - CT_PROBE_WX];
            break;
        case CT_PROBE_KINETIC: value = l->f->kinetic; break;
        case CT_PROBE_POTENTIAL: value = l->f->potential; break;
        case CT_PROBE_ACCELERATION:
            // angles that forces follow are known by more than their symbols
            value = ct_substitute(known, coordinate_acceleration(l, p->coordinate));
            break;
        default: continue;
        }
        ct_substitution_map(known, p->symbol, value);
    }
}

// outputs -----------------------------------------------------------------------------------------
ct_ex ct_drive_effort(const ct_formulation *f, int drive) {
    return ct_symbol(f->pool, CT_SYMBOL_REACTION, ct_scratch_format("effort of drive %d", drive));
}

// Forces that are drives: their efforts and tensions as symbols, not by their laws. NULL: outputs name
// none.
static ct_substitution *driven_forces(const ct_layout *l) {
    ct_substitution *driven = NULL;
    for (int i = 0; i < l->model->n_probes; i++) {
        const ct_probe *p = l->model->probes + i;
        if (p->kind != CT_PROBE_FORCE || p->drive < 0) continue;
        if (!driven) driven = ct_substitution_new(l->pool);
        ct_substitution_map(driven, p->symbol, ct_drive_effort(l->f, p->drive));
    }
    return driven;
}

void ct_find_outputs(ct_layout *l, ct_substitution *known) {
    const ct_model *m = l->model;
    ct_formulation *f = l->f;
    size_t room = (size_t)m->n_outputs + 1;
    know_quantities(l, known);
    f->outputs = ct_arena_alloc(&f->arena, room, sizeof *f->outputs);
    for (int i = 0; i < m->n_outputs; i++)
        f->outputs[i] = ct_substitute(known, m->outputs[i].value);
    // where drives move the mechanism
    ct_substitution *driven = driven_forces(l);
    if (!driven) return;
    f->driven_outputs = ct_arena_alloc(&f->arena, room, sizeof *f->driven_outputs);
    for (int i = 0; i < m->n_outputs; i++)
        f->driven_outputs[i] = ct_substitute(known, ct_substitute(driven, m->outputs[i].value));
    ct_substitution_free(driven);
}
