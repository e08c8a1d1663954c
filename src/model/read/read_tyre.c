// A tyre: geometry, radial spring and damper, coefficients of the Magic Formula.
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define X(name, value) #name,
    CT_TYRE_COEFFICIENTS(X)
#undef X
};
static const int defaults[] = {
#define X(name, value) value,
    CT_TYRE_COEFFICIENTS(X)
#undef X
};

// In property files, but without a meaning for the steady state.
static const char *const transient[] = {"PTX1", "PTX2",  "PTX3",  "PTY1",  "PTY2",
                                        "QTZ1", "MBELT", "LSGKP", "LSGAL", "LGYR"};

// Without these there is no force (LFZO has a default); their signs are those of the axes used
// here.
static const struct {
    ct_tyre_coefficient which;
    int sign;
} needed[] = {{CT_MF_FNOMIN, 1}, {CT_MF_PCX1, 1}, {CT_MF_PDX1, 1},
              {CT_MF_PKX1, 1},   {CT_MF_PCY1, 1}, {CT_MF_PDY1, 1},
              {CT_MF_PKY1, -1},  {CT_MF_PKY2, 1}, {CT_MF_LFZO, 1}};

static bool is_transient(const char *key) {
    for (size_t i = 0; i < sizeof transient / sizeof *transient; i++)
        if (!strcmp(key, transient[i])) return true;
    return false;
}

static void unknown_coefficient(ct_reader *r, const ct_yaml *key) {
    const char *shown = ct_show(&r->shown, key->text);
    if (is_transient(key->text))
        ct_error_at(r->ctx, key->place,
                    "coefficient %s of %s belongs to transient slip, and tyres here are in steady "
                    "state: remove it",
                    shown, r->owner);
    else
        ct_error_at(r->ctx, key->place, "unknown coefficient '%s' of %s%s", shown, r->owner,
                    ct_hint_or_list(r, key->text, CT_TYRE_COEFFICIENT_COUNT, names));
}

static void check_needed(ct_reader *r, const ct_yaml *map, const ct_force *force) {
    ct_text missing = {0};
    // coefficients that must be there, with their sign
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        int k = needed[i].which, sign = needed[i].sign;
        const ct_yaml *node = ct_yaml_get(map, names[k]);
        double v = ct_model_number(r->model, force->coefficient[k]);
        if (!node && !defaults[k])
            ct_text_printf(&missing, "%s%s", missing.n ? ", " : "", names[k]);
        else if (node && sign * v <= 0)
            ct_error_at(r->ctx, node->place, "coefficient %s of %s must be %s", names[k], r->owner,
                        sign > 0 ? "positive" : "negative (x is forward, y left, z up)");
        else if (node)
            ct_note_condition(r, sign > 0 ? CT_IS_POSITIVE : CT_IS_NEGATIVE, force->coefficient[k],
                              ct_of(r, names[k]));
    }
    if (missing.n)
        ct_error_at(r->ctx, map->place, "coefficients of %s lack %s: add them", r->owner,
                    missing.s);
    ct_text_clear(&missing);
    // the speed of measurement, where others refer to it
    bool speed =
        force->coefficient[CT_MF_QSY3] != CT_ZERO || force->coefficient[CT_MF_QSY4] != CT_ZERO;
    if (speed)
        ct_note_condition(r, CT_IS_POSITIVE, force->coefficient[CT_MF_LONGVL], ct_of(r, "LONGVL"));
    if (speed && ct_model_number(r->model, force->coefficient[CT_MF_LONGVL]) <= 0)
        ct_error_at(r->ctx, map->place,
                    "coefficients of %s: QSY3 and QSY4 refer to the speed of measurement: add "
                    "LONGVL, a positive speed",
                    r->owner);
}

static void read_coefficients(ct_reader *r, const ct_yaml *map, ct_force *force) {
    double number;
    for (int k = 0; k < CT_TYRE_COEFFICIENT_COUNT; k++)
        force->coefficient[k] = ct_int(r->pool, defaults[k]);
    if (!map || !ct_read_map(r, map, ct_of(r, "coefficients"))) return;
    for (int i = 0; i + 1 < map->n; i += 2) {
        int k = 0;
        while (k < CT_TYRE_COEFFICIENT_COUNT && strcmp(map->item[i]->text, names[k])) k++;
        if (k == CT_TYRE_COEFFICIENT_COUNT)
            unknown_coefficient(r, map->item[i]);
        else
            ct_read_constant(r, map, names[k], &force->coefficient[k], &number);
    }
    check_needed(r, map, force);
}

static void read_number(ct_reader *r, const ct_yaml *map, const char *key, unsigned of,
                        ct_ex *value) {
    const ct_yaml *node = ct_yaml_get(map, key);
    if (node) ct_read_expr(r, node, of, ct_of(r, key), value);
}

// Reads a number that must be positive; expressions without a constant value are not checked.
static void read_positive(ct_reader *r, const ct_yaml *map, const char *key, unsigned of,
                          ct_ex *value) {
    const ct_yaml *node = ct_yaml_get(map, key);
    if (!node || !ct_read_expr(r, node, of, ct_of(r, key), value)) return;
    double number = ct_model_number(r->model, *value);
    if (number <= 0)
        ct_error_at(r->ctx, node->place, "%s is %g: it must be positive", ct_of(r, key), number);
    ct_note_condition(r, CT_IS_POSITIVE, *value, ct_of(r, key));
}

void ct_read_tyre(ct_reader *r, const ct_yaml *map, ct_force *force) {
    const ct_yaml *node = ct_read_needed(r, map, "on");
    force->body[0] = node ? ct_read_body(r, node, ct_of(r, "'on'")) : -1;
    if (!force->body[0])
        ct_error_at(r->ctx, node->place, "%s is on ground, which does not roll: name a wheel",
                    r->owner);
    force->vector.v[1] = CT_ONE;
    if ((node = ct_yaml_get(map, "centre")))
        ct_read_position(r, node, force->body[0], ct_of(r, "centre"), &force->at[0]);
    if ((node = ct_yaml_get(map, "axis")))
        ct_read_axis(r, node, force->body[0], ct_of(r, "axis"), &force->vector);
    force->value = force->slip_speed = CT_ONE;
    ct_read_needed(r, map, "radius");
    ct_read_needed(r, map, "stiffness");
    read_positive(r, map, "radius", CT_CONSTANT, &force->radius);
    read_positive(r, map, "slip_speed", CT_CONSTANT, &force->slip_speed);
    read_positive(r, map, "stiffness", CT_OF_MOTION, &force->stiffness);
    read_number(r, map, "damping", CT_OF_MOTION, &force->damping);
    read_number(r, map, "friction", CT_OF_MOTION, &force->value);
    read_number(r, map, "road", CT_OF_POSITION, &force->length); // its rate is needed
    if ((node = ct_yaml_get(map, "mirror")))
        ct_read_bool(r, node, ct_of(r, "mirror"), &force->mirror);
    read_coefficients(r, ct_read_needed(r, map, "coefficients"), force);
}
