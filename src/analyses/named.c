// Coordinates of a position of rest by name, with their rates along its tangents, and a set of them
// that is independent there: those that the model asks for, then in its order each that is clearly
// independent of those before it.
#include "analyses/rest.h"
#include "analyses/tolerances.h"
#include "assemble/turned.h"
#include "kernel/inline/ctk_angles.h"

#include <math.h>
#include <string.h>

// Numbers of the position for expressions: q, angles of whole rotations; rates along tangent c, or
// none (-1).
static void set_state(ct_rest *rest, const ct_rest_place *place, int c, double *angle,
                      double *rate) {
    const ct_formulation *f = rest->f;
    ct_position_set(f, &rest->numbers, place->q);
    double *qd = ct_scratch((size_t)f->n + 1, sizeof *qd);
    for (int k = 0; k < f->n && c >= 0; k++) qd[k] = place->b[k * place->r + c] * rest->unit[k];
    ct_numbers_set(&rest->numbers, f->n, f->qd, qd);
    for (int i = 0; i < f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i;
        double spin[3];
        for (int j = 0; j < 3; j++) spin[j] = qd[b->coordinate[j]];
        ct_rest_angles(rest, i, place->q, spin, angle + 3 * i, rate + 3 * i);
        ct_numbers_set(&rest->numbers, 3, b->angle, angle + 3 * i);
        ct_numbers_set(&rest->numbers, 3, b->angle_d, rate + 3 * i);
    }
}

// Value and rate of coordinate k of the formulation, by its name.
static void of_coordinate(const ct_rest *rest, const ct_rest_place *place, int k, int c,
                          const double *angle, const double *angle_rate, double *value,
                          double *rate) {
    int part;
    const ct_whole_rotation *b = ct_whole_rotation_of_coordinate(rest->f, k, &part);
    int at = b ? 3 * (int)(b - rest->f->whole_rotations) + part : 0;
    *value = b ? angle[at] : place->q[k];
    *rate = b ? angle_rate[at] : c < 0 ? 0 : place->b[k * place->r + c] * rest->unit[k];
}

// Values and rates of the coordinates of the model, [n_coordinates].
static void of_joints(ct_rest *rest, const ct_rest_place *place, int c, const double *angle,
                      const double *angle_rate, double *value, double *rate) {
    const ct_formulation *f = rest->f;
    const ct_model *m = f->model;
    for (int i = 0; i < m->n_coordinates; i++)
        if (f->where[i] >= 0)
            of_coordinate(rest, place, f->where[i], c, angle, angle_rate, value + i, rate + i);
    for (int i = 0; i < f->n_secondary; i++) {
        int at = f->secondary[i].coordinate;
        ct_numbers_eval(&rest->numbers, 1, &f->secondary[i].value, value + at);
        ct_numbers_eval(&rest->numbers, 1, &f->secondary[i].rate, rate + at);
        if (m->coordinates[at].is_angle)
            value[at] = ctk_nearest_turn(value[at], rest->at->assembly->joint[at]);
    }
    // angles of turned frames become those by name
    for (int i = 0; i < m->n_joints; i++) {
        const ct_joint *j = m->joints + i;
        if (!j->is_turned) continue;
        double *x = value + j->first_coordinate + j->n_coordinates - 3,
               *xd = rate + j->first_coordinate + j->n_coordinates - 3;
        ct_joint_angles_by_name(j, x, xd, NULL);
        ctk_angles_continue(ctk_angles_proper(j->sequence), ctk_angles_sign(j->sequence), 0, x, xd,
                            j->start, j->start_rate);
    }
}

// Everything by name: joint coordinates, coordinates of bodies, spins. c: the tangent of the rates.
static void find_values(ct_rest *rest, const ct_rest_place *place, int c, double *value,
                        double *rate) {
    const ct_formulation *f = rest->f;
    ct_stage stage = ct_stage_begin();
    double *angle = ct_scratch(3 * (size_t)f->n_integrated + 1, sizeof *angle),
           *angle_rate = ct_scratch(3 * (size_t)f->n_integrated + 1, sizeof *angle_rate);
    set_state(rest, place, c, angle, angle_rate);
    of_joints(rest, place, c, angle, angle_rate, value, rate);
    int n = f->model->n_coordinates;
    for (int k = 0; k < f->n; k++)
        if (f->coordinate[k] < 0) {
            of_coordinate(rest, place, k, c, angle, angle_rate, value + n, rate + n);
            n++;
        }
    for (int i = 0; i < 3 * f->n_integrated; i++) {
        int k = f->whole_rotations[i / 3].coordinate[i % 3];
        value[n] = 0;
        rate[n++] = c < 0 ? 0 : place->b[k * place->r + c];
    }
    ct_stage_end(stage);
}

static void name_all(const ct_rest *rest, ct_rest_named *named) {
    const ct_formulation *f = rest->f;
    const ct_model *m = f->model;
    static const char *const axes[] = {"wx", "wy", "wz"};
    for (int i = 0; i < m->n_coordinates; i++) {
        named->names[named->n] = m->coordinates[i].name;
        named->is_angle[named->n++] = m->coordinates[i].is_angle;
    }
    for (int k = 0; k < f->n; k++)
        if (f->coordinate[k] < 0) {
            named->names[named->n] = f->names[k];
            named->is_angle[named->n++] = f->is_angle[k];
        }
    named->n_all = named->n;
    for (int i = 0; i < 3 * f->n_integrated; i++) {
        const ct_whole_rotation *b = f->whole_rotations + i / 3;
        const char *of = b->joint >= 0 ? m->joints[b->joint].name : m->bodies[b->body].name;
        named->names[named->n_all] = ct_scratch_format("%s.%s", of, axes[i % 3]);
        named->is_angle[named->n_all++] = true;
    }
}

// choice ------------------------------------------------------------------------------------------
// Rates in units, in a basis of tangents that is orthonormal in the units of all coordinates.
static double *unit_rates(const ct_rest *rest, const ct_rest_place *place,
                          const ct_rest_named *named) {
    const int r = place->r, n = rest->n;
    double *s = ct_scratch((size_t)r * (size_t)r + 1, sizeof *s),
           *value = ct_scratch((size_t)r + 1, sizeof *value),
           *v = ct_scratch((size_t)r * (size_t)r + 1, sizeof *v),
           *out = ct_scratch((size_t)named->n_all * (size_t)r + 1, sizeof *out);
    for (int i = 0; i < r * r; i++)
        for (int k = 0; k < n; k++) s[i] += place->b[k * r + i / r] * place->b[k * r + i % r];
    ct_eigen_symmetric(r, s, NULL, value, v);
    for (int i = 0; i < named->n_all; i++) {
        const double *rate = named->rate + i * r;
        double unit = named->is_angle[i] ? 1 : rest->f->length;
        if (!(ct_largest(r, rate) < CT_REST_LOCKED * unit)) continue;
        for (int c = 0; c < r; c++)
            for (int k = 0; k < r; k++)
                out[i * r + c] += rate[k] / unit * v[k * r + c] / sqrt(value[c]);
    }
    return out;
}

static double row_length(int r, const double *row) {
    double length = 0;
    for (int k = 0; k < r; k++) length = hypot(length, row[k]);
    return length;
}

// Takes row i of n: its direction goes out of all others.
static void take(int n, int r, double *rates, int i) {
    double *row = rates + i * r, length = row_length(r, row);
    for (int k = 0; k < r && length > 0; k++) row[k] /= length;
    for (int other = 0; other < n; other++) {
        double along = 0;
        if (other == i) continue;
        for (int k = 0; k < r; k++) along += rates[other * r + k] * row[k];
        for (int k = 0; k < r; k++) rates[other * r + k] -= along * row[k];
    }
    for (int k = 0; k < r; k++) row[k] = 0;
}

static void choose(const ct_rest *rest, const ct_rest_place *place, ct_rest_named *named) {
    const ct_model *m = rest->f->model;
    const int r = place->r;
    double *rates = unit_rates(rest, place, named);
    int taken = 0;
    // those that the model asks for
    for (int i = 0; i < m->n_independent && taken < r; i++) {
        int c = ct_model_coordinate(m, m->independent[i].name);
        if (c < 0 || !(row_length(r, rates + c * r) > CT_REST_TAKES_PART)) continue;
        take(named->n_all, r, rates, c);
        named->independent[taken++] = c;
    }
    // then the first that is clearly independent, spins where angles have no rates
    int asked = taken;
    while (taken < r) {
        double most = 0;
        int n = named->n, next = 0;
        for (int i = 0; i < n; i++) most = fmax(most, row_length(r, rates + i * r));
        if (!(most > CT_REST_TAKES_PART)) {
            n = named->n_all;
            for (int i = named->n; i < n; i++) most = fmax(most, row_length(r, rates + i * r));
        }
        while (next < n - 1 && !(row_length(r, rates + next * r) > CT_REST_CLEAR * most)) next++;
        take(named->n_all, r, rates, next);
        named->independent[taken++] = next;
    }
    // in the model's order
    for (int i = asked; i < r; i++)
        for (int k = i; k > asked && named->independent[k] < named->independent[k - 1]; k--) {
            int other = named->independent[k];
            named->independent[k] = named->independent[k - 1];
            named->independent[k - 1] = other;
        }
}

// Rates of tangents from those of the chosen coordinates: the inverse of their rates.
static void invert(int r, ct_rest_named *named) {
    ct_stage stage = ct_stage_begin();
    double *a = ct_scratch((size_t)r * (size_t)r + 1, sizeof *a),
           *rhs = ct_scratch((size_t)r + 1, sizeof *rhs), *x = ct_scratch((size_t)r + 1, sizeof *x);
    for (int i = 0; i < r; i++)
        for (int k = 0; k < r; k++) a[i * r + k] = named->rate[named->independent[i] * r + k];
    for (int c = 0; c < r; c++) {
        for (int i = 0; i < r; i++) rhs[i] = i == c;
        ct_least_squares(r, r, a, rhs, 0, x);
        for (int i = 0; i < r; i++) named->to[i * r + c] = x[i];
    }
    ct_stage_end(stage);
}

void ct_rest_names(ct_rest *rest, const ct_rest_place *place, ct_rest_named *named) {
    const ct_formulation *f = rest->f;
    const size_t most = (size_t)(f->model->n_coordinates + f->n + 3 * f->n_integrated) + 1,
                 r = (size_t)place->r;
    *named = (ct_rest_named){.names = ct_scratch(most, sizeof(char *)),
                             .is_angle = ct_scratch(most, sizeof(bool)),
                             .value = ct_scratch(most, sizeof(double)),
                             .rate = ct_scratch(most * r + 1, sizeof(double)),
                             .independent = ct_scratch(r + 1, sizeof(int)),
                             .to = ct_scratch(r * r + 1, sizeof(double))};
    name_all(rest, named);
    // values, then rates along each tangent
    double *value = ct_scratch(most, sizeof *value), *rate = ct_scratch(most, sizeof *rate);
    find_values(rest, place, -1, named->value, rate);
    for (int c = 0; c < place->r; c++) {
        find_values(rest, place, c, value, rate);
        for (int i = 0; i < named->n_all; i++) named->rate[i * place->r + c] = rate[i];
    }
    choose(rest, place, named);
    invert(place->r, named);
}

// Rates of the independent coordinates along directions [n r] of the tangents, in units: [r n].
static double *rates_along(const ct_rest *rest, const ct_rest_named *named, int r, int n,
                           const double *directions) {
    double *rates = ct_scratch((size_t)r * (size_t)n + 1, sizeof *rates);
    for (int i = 0; i < r; i++) {
        int at = named->independent[i];
        double unit = named->is_angle[at] ? 1 : rest->f->length;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < r; k++)
                rates[i * n + j] += named->rate[at * r + k] * directions[j * r + k] / unit;
    }
    return rates;
}

void ct_rest_span(const ct_rest *rest, const ct_rest_named *named, int r, int n,
                  const double *directions, int *which) {
    double *rates = rates_along(rest, named, r, n, directions);
    for (int taken = 0; taken < n; taken++) {
        double most = 0;
        int next = 0;
        for (int i = 0; i < r; i++) most = fmax(most, row_length(n, rates + i * n));
        while (next < r - 1 && !(row_length(n, rates + next * n) > CT_REST_CLEAR * most)) next++;
        take(r, n, rates, next);
        which[taken] = named->independent[next];
    }
}

int ct_rest_most(const ct_rest *rest, const ct_rest_named *named, int r, const double *direction) {
    const double *rates = rates_along(rest, named, r, 1, direction);
    int most = 0;
    for (int i = 0; i < r; i++)
        if (fabs(rates[i]) > fabs(rates[most])) most = i;
    return most;
}
