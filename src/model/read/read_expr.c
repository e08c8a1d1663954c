// Expressions of the file: the meaning of their names, the places where each kind of name may
// stand, and the check that constants have a value.
#include "model/read/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ct_depends_on_failed(ct_reader *r, ct_ex a) {
    for (int i = 0; i < r->n_failed; i++)
        if (ct_depends(r->pool, a, r->failed[i])) return true;
    return false;
}

// Message about a name that exists, but may not stand in this place. Returns false.
static bool misplaced(ct_reader *r, const char *name, ct_parse_error *error) {
    const char *shown = ct_show(&r->shown, name);
    size_t n = sizeof error->message;
    if (!(r->allowed & CT_MAY_TIME))
        snprintf(error->message, n,
                 "'%s' varies, but this must be constant: use numbers and parameters", shown);
    else if (!(r->allowed & CT_MAY_COORDINATE))
        snprintf(error->message, n,
                 "'%s' depends on the motion, but this may depend on t and inputs only", shown);
    else
        snprintf(error->message, n,
                 "'%s' is a velocity, but this may depend on positions and t only", shown);
    return false;
}

// Message about what is known only behind the forces. Returns false.
static bool outputs_only(ct_reader *r, const char *name, ct_parse_error *error) {
    if (!(r->allowed & CT_MAY_TIME)) return misplaced(r, name, error);
    snprintf(error->message, sizeof error->message,
             "'%s' may stand in outputs only: a force, motion or constraint that uses it would be "
             "implicit",
             ct_show(&r->shown, name));
    return false;
}

// True if the text holds the name as a whole word.
static bool mentions(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *s = text; n && (s = strstr(s, name)); s++) {
        char before[2] = {s > text ? s[-1] : ' ', 0}, after[2] = {s[n] ? s[n] : ' ', 0};
        bool open =
            before[0] != '.' && !ct_is_identifier(before) && !strchr("0123456789", before[0]);
        if (open && !ct_is_identifier(after) && !strchr("0123456789", after[0])) return true;
    }
    return false;
}

// True if item `from` of `parameters:` leads back to item `to` through later parameters.
static bool leads_back(const ct_yaml *map, int from, int to, bool *seen) {
    if (from == to) return true;
    if (seen[from] || map->item[from + 1]->kind != CT_YAML_SCALAR) return false;
    seen[from] = true;
    for (int i = 0; i + 1 < map->n; i += 2)
        if (mentions(map->item[from + 1]->text, map->item[i]->text) && leads_back(map, i, to, seen))
            return true;
    return false;
}

// Message about a parameter that uses itself or a later one. Returns false if `name` is neither.
static bool later_parameter(ct_reader *r, const char *name, ct_parse_error *error) {
    enum { SEARCH_MAX = 400 }; // beyond that: only "defined later"
    const ct_yaml *map = ct_yaml_get(r->root, "parameters");
    const char *me = map->item[r->parameter]->text, *shown = ct_show(&r->shown, name);
    int later = -1;
    for (int i = r->parameter; i + 1 < map->n && later < 0; i += 2)
        if (!strcmp(map->item[i]->text, name)) later = i;
    if (later < 0) return false;
    bool *seen = ct_scratch((size_t)map->n, sizeof *seen);
    bool circular = map->n < SEARCH_MAX && leads_back(map, later, r->parameter, seen);
    if (later == r->parameter)
        snprintf(error->message, sizeof error->message,
                 "'%s' is defined by itself: give it a value", shown);
    else if (circular)
        snprintf(error->message, sizeof error->message,
                 "'%s' and '%s' are defined by each other (circular): give one of them a value", me,
                 shown);
    else
        snprintf(error->message, sizeof error->message,
                 "'%s' is defined later: move it before '%s'", shown, me);
    return true;
}

static const char *nearest_name(ct_reader *r, const char *name) {
    static const char *const constants[] = {"t", "pi", "deg", "mm"};
    const ct_name_map *maps[] = {&r->parameters, &r->inputs, &r->outputs, &r->coordinates};
    int n_maps = r->allowed & CT_MAY_COORDINATE ? 4 : r->allowed & CT_MAY_INPUT ? 3 : 1;
    for (int i = 0; i < n_maps; i++) {
        const char *hint = ct_hint_map(r, name, maps[i]);
        if (*hint) return hint;
    }
    // short names are near to everything
    return strlen(name) > 2 ? ct_hint(r, name, 4, constants) : "";
}

static bool unknown(ct_reader *r, const char *name, int primes, ct_parse_error *error) {
    size_t n = sizeof error->message;
    const char *shown = ct_show(&r->shown, name);
    const ct_yaml *inputs = ct_yaml_get(r->root, "inputs"),
                  *outputs = ct_yaml_get(r->root, "outputs");
    int body;
    ct_vec3 at;
    char message[256];
    // after many messages no further search
    if (ct_is_noisy(r)) {
        snprintf(error->message, n, "unknown name '%s'", shown);
        return false;
    }
    // a parameter that is defined later
    if (r->parameter >= 0 && !primes && later_parameter(r, name, error)) return false;
    // a joint instead of its coordinate, a rate without one, an input or output out of place,
    // a point or body instead of its position; else the nearest name
    int joint = ct_name_map_get(&r->joints, name);
    if (joint >= 0 && r->model->joints[joint].n_coordinates > 1)
        snprintf(error->message, n, "joint '%s' has several coordinates: write one of %s", shown,
                 ct_coordinate_list(r, joint));
    else if (joint >= 0 && r->model->joints[joint].is_switched)
        snprintf(error->message, n,
                 "'%s' comes and goes (active), so it has no coordinate: measure it by points",
                 shown);
    else if (joint >= 0)
        snprintf(error->message, n, "'%s' (%s) has no coordinate to use here", shown,
                 ct_joint_type_name(r->model->joints[joint].type));
    else if (primes &&
             (ct_name_map_get(&r->parameters, name) >= 0 || ct_name_map_get(&r->inputs, name) >= 0))
        snprintf(error->message, n, "'%s' is no coordinate and has no rate: remove the prime",
                 shown);
    else if (!strcmp(name, "extension") || !strcmp(name, "rate"))
        snprintf(error->message, n,
                 "'%s' is that of a spring or torsion: it may stand in their stiffness, damping "
                 "and force only",
                 shown);
    else if (r->allowed == CT_CONSTANT && inputs && ct_yaml_get(inputs, name))
        return misplaced(r, name, error);
    else if (!primes && outputs && ct_yaml_get(outputs, name))
        snprintf(error->message, n, "'%s' is an output: only outputs after it can use it", shown);
    else if (r->model->n_bodies > 1 && ct_point_named(r, name, &body, &at, message, sizeof message))
        snprintf(error->message, n, "'%s' is a %s: write x(%s), vx(%s), distance(%s, ...)", shown,
                 strchr(name, '.') ? "point" : "body", shown, shown, shown);
    else
        snprintf(error->message, n, "unknown name '%s'%s", shown, nearest_name(r, name));
    return false;
}

// A coordinate, its rate, or its acceleration.
static bool coordinate(ct_reader *r, int i, int primes, ct_ex *value, ct_parse_error *error) {
    const ct_coordinate *q = r->model->coordinates + i;
    const char *name = ct_show(&r->shown, q->name);
    if (primes == 2) {
        if (!(r->allowed & CT_MAY_OUTPUT))
            return outputs_only(r, ct_show_format(&r->shown, "%s''", name), error);
        *value = ct_acceleration_symbol(r, i);
        return true;
    }
    *value = primes ? q->qd : q->q;
    if (r->allowed & (primes ? CT_MAY_RATE : CT_MAY_COORDINATE)) return true;
    return misplaced(r, primes ? ct_show_format(&r->shown, "%s'", name) : q->name, error);
}

// True for a name that a parameter or an output further below has.
static bool is_defined_later(const ct_reader *r, const char *name) {
    const ct_yaml *map = ct_yaml_get(r->root, r->parameter >= 0 ? "parameters" : "outputs");
    const int now = r->parameter >= 0 ? r->parameter : 2 * r->model->n_outputs;
    for (int i = now + 2; map && map->kind == CT_YAML_MAP && i < map->n; i += 2)
        if (!strcmp(map->item[i]->text, name)) return true;
    return false;
}

// Parameters and inputs, then t pi deg mm, then coordinates, then earlier outputs, then energies.
static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    ct_reader *r = data;
    const bool bare = !primes;
    int i;
    (void)offset;
    // parameters: their symbol, or their value where parameters are folded
    if (bare && (i = ct_name_map_get(&r->parameters, name)) >= 0) {
        const ct_parameter *p = r->model->parameters + i;
        *value = ct_context_folds(r->ctx) && isfinite(p->number) ? p->value : p->symbol;
        return true;
    }
    // inputs, time and constants
    if (bare && (i = ct_name_map_get(&r->inputs, name)) >= 0) {
        *value = r->model->inputs[i].symbol;
        return r->allowed & CT_MAY_INPUT ? true : misplaced(r, name, error);
    }
    if (bare && !strcmp(name, "t")) {
        *value = r->model->time;
        return r->allowed & CT_MAY_TIME ? true : misplaced(r, name, error);
    }
    if (bare && ct_constant_by_name(r->pool, name, value)) return true;
    // coordinates, their rates and accelerations
    if ((i = ct_name_map_get(&r->coordinates, name)) >= 0)
        return coordinate(r, i, primes, value, error);
    // in the condition of a joint that comes and goes: 1 while it holds
    if (bare && r->held != CT_ZERO && !strcmp(name, "held")) {
        *value = r->held;
        return true;
    }
    // what the law of a spring is about
    if (bare && r->law >= 0 && (!strcmp(name, "extension") || !strcmp(name, "rate"))) {
        *value =
            ct_law_symbol(r, r->law, *name == 'e' ? CT_PROBE_EXTENSION : CT_PROBE_EXTENSION_RATE);
        return true;
    }
    // a name whose definition was wrong has had its message
    if (ct_is_broken(r, name)) {
        *value = CT_ONE;
        return true;
    }
    // earlier outputs
    if (bare && (i = ct_name_map_get(&r->outputs, name)) >= 0) {
        *value = r->model->outputs[i].value;
        return true;
    }
    // energies of the model
    if (bare && !is_defined_later(r, name) && ct_energy_symbol(r, name, value))
        return r->allowed & CT_MAY_OUTPUT ? true : outputs_only(r, name, error);
    return unknown(r, name, primes, error);
}

static bool is_name_call(void *data, const char *function) {
    bool is_velocity, is_output;
    (void)data;
    return ct_is_quantity(function, &is_velocity, &is_output);
}

static bool name_call(void *data, const char *function, int n, const char *const *names,
                      size_t offset, ct_ex *value, ct_parse_error *error) {
    ct_reader *r = data;
    bool is_velocity, is_output;
    (void)offset;
    ct_is_quantity(function, &is_velocity, &is_output);
    const char *shown = ct_show_format(&r->shown, "%s(...)", function);
    if (is_output && !(r->allowed & CT_MAY_OUTPUT)) return outputs_only(r, shown, error);
    if (!(r->allowed & CT_MAY_PROBE) || (is_velocity && !(r->allowed & CT_MAY_RATE)))
        return misplaced(r, shown, error);
    int i = ct_probe_get(r, function, n, names, error->message, sizeof error->message);
    *value = i < 0 ? CT_ZERO : r->model->probes[i].symbol;
    return i >= 0;
}

static int find_table(void *data, const char *name) {
    return ct_name_map_get(&((ct_reader *)data)->tables, name);
}

bool ct_read_expr_text(ct_reader *r, const char *text, unsigned allowed, const char *what,
                       ct_ex *value, ct_parse_error *error) {
    enum { BYTES_MAX = 1 << 16 }; // building a sum costs the square of its length
    ct_names names = {r, resolve, is_name_call, name_call, find_table};
    if (strlen(text) > BYTES_MAX) {
        snprintf(error->message, sizeof error->message,
                 "this expression is longer than %d characters: split it up", BYTES_MAX);
        *value = CT_ZERO;
        return false;
    }
    r->allowed = allowed;
    r->what = what;
    if (!ct_parse(r->pool, text, &names, value, error)) {
        *value = CT_ZERO;
        return false;
    }
    error->offset = 0;
    if (ct_ex_kinds(r->pool, *value) & ~(unsigned)CT_MAY_PARAMETER) return true;
    if (isfinite(ct_model_number(r->model, *value)) || ct_depends_on_failed(r, *value)) return true;
    snprintf(error->message, sizeof error->message,
             "this has no finite value (division by zero, or too large)");
    *value = CT_ZERO;
    return false;
}

bool ct_read_expr(ct_reader *r, const ct_yaml *node, unsigned allowed, const char *what,
                  ct_ex *value) {
    *value = CT_ZERO;
    if (node->kind != CT_YAML_SCALAR || ct_yaml_is_null(node)) {
        ct_error_at(r->ctx, node->place, "%s must be a number or an expression, not %s", what,
                    node->kind == CT_YAML_MAP    ? "a map"
                    : node->kind == CT_YAML_LIST ? "a list"
                                                 : "nothing");
        return false;
    }
    ct_parse_error error = {0};
    if (ct_read_expr_text(r, node->text, allowed, what, value, &error)) return true;
    ct_error_at(r->ctx, ct_yaml_place(r->file, node, error.offset), "%s: %s", what, error.message);
    return false;
}

bool ct_read_vector(ct_reader *r, const ct_yaml *node, unsigned allowed, const char *what,
                    ct_vec3 *v) {
    *v = ct_vec3_zero();
    if (!ct_read_list(r, node, 3, what, "[x, y, z]")) return false;
    bool ok = true;
    for (int i = 0; i < 3; i++) ok &= ct_read_expr(r, node->item[i], allowed, what, &v->v[i]);
    return ok;
}

bool ct_read_constant(ct_reader *r, const ct_yaml *map, const char *key, ct_ex *value,
                      double *number) {
    const ct_yaml *node = ct_yaml_get(map, key);
    if (!node) return false;
    bool ok = ct_read_expr(r, node, CT_CONSTANT, ct_of(r, key), value);
    *number = ok ? ct_model_number(r->model, *value) : NAN;
    return ok;
}
