// Parameters (with what --set makes of them) and inputs: what expressions rest on.
#include "model/read/read.h"
#include "model/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t set_name_length(const char *set) {
    size_t n = strcspn(set, "=");
    while (n && strchr(" \t", set[n - 1])) n--;
    return n;
}

// The override of this parameter, or NULL; the last one counts.
static const char *override_of(const ct_reader *r, const char *name) {
    for (int i = r->n_set - 1; i >= 0; i--) {
        size_t n = set_name_length(r->set[i]);
        if (strchr(r->set[i], '=') && strlen(name) == n && !strncmp(r->set[i], name, n))
            return strchr(r->set[i], '=') + 1;
    }
    return NULL;
}

static void check_set(ct_reader *r) {
    const ct_place none = {0, 0};
    const ct_yaml *inputs = ct_yaml_get(r->root, "inputs");
    for (int i = 0; i < r->n_set; i++) {
        const char *set = ct_show(&r->shown, r->set[i]);
        char *name = ct_strndup(r->set[i], set_name_length(r->set[i]));
        if (!strchr(r->set[i], '=') || !*name)
            ct_error_at(r->ctx, none, "--set %s: write NAME=EXPR", set);
        else if (ct_name_map_get(&r->parameters, name) < 0)
            ct_error_at(r->ctx, none, "--set %s: the model has no parameter '%s'%s", set,
                        ct_show(&r->shown, name),
                        inputs && ct_yaml_get(inputs, name) ? " (it is an input)"
                                                            : ct_hint_map(r, name, &r->parameters));
        ct_free(name);
    }
}

// The number that --set gives a parameter; NaN, with a message, where the text is wrong. It is read
// in a pool of its own: expressions of the model do not depend on it. Where parameters are folded it
// is the parameter's value, in the model's pool.
static double read_override(ct_reader *r, const char *name, const char *set, ct_parameter *p) {
    ct_pool *pool = r->pool, *other = ct_context_folds(r->ctx) ? NULL : ct_pool_copy(pool);
    ct_parse_error error = {0};
    ct_ex value;
    if (other) r->pool = r->model->pool = other;
    bool ok = ct_read_expr_text(r, set, CT_CONSTANT, r->owner, &value, &error);
    double number = ok ? ct_model_number(r->model, value) : NAN;
    r->pool = r->model->pool = pool;
    ct_pool_free(other);
    if (!other) p->value = value;
    if (!ok)
        ct_error_at(r->ctx, (ct_place){0, 0}, "--set %s=%s: %s", ct_show(&r->shown, name),
                    ct_show(&r->shown, set), error.message);
    return number;
}

// A value where every parameter has the number that the file alone gives it.
static double original_value(void *data, ct_ex symbol) {
    const ct_model *m = data;
    for (int i = 0; i < m->n_parameters; i++)
        if (m->parameters[i].symbol == symbol) return m->parameters[i].original;
    return NAN;
}

static void read_parameter(ct_reader *r, const ct_yaml *key, const ct_yaml *node) {
    const char *set = override_of(r, key->text);
    ct_owner(r, "parameter", key->text);
    ct_parameter p = {.place = key->place};
    // what the file says; --set may stand in for a text that is wrong
    ct_parse_error error = {0};
    bool is_text = !set || node->kind == CT_YAML_SCALAR,
         ok = !set ? ct_read_expr(r, node, CT_CONSTANT, r->owner, &p.value)
                   : is_text &&
                         ct_read_expr_text(r, node->text, CT_CONSTANT, r->owner, &p.value, &error);
    p.original = ok ? ct_eval(r->pool, p.value, original_value, r->model) : NAN;
    // what --set says, else the same
    p.number = set  ? read_override(r, key->text, set, &p)
               : ok ? ct_model_number(r->model, p.value)
                    : NAN;
    p.set = set && !ct_context_folds(r->ctx) ? ct_strdup(set) : NULL;
    p.is_derived = !set && ct_ex_kinds(r->pool, p.value) != 0;
    p.symbol = ct_symbol(r->pool, CT_SYMBOL_PARAMETER, key->text);
    p.name = ct_strdup(key->text);
    if (!isfinite(p.number)) *CT_PUSH(r->failed, r->n_failed, r->room_failed) = p.symbol;
    ct_name_map_set(&r->parameters, p.name, r->model->n_parameters);
    *CT_PUSH(r->model->parameters, r->model->n_parameters, r->model->room_parameters) = p;
}

void ct_read_parameters(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "parameters");
    if (map && !ct_yaml_is_null(map) && ct_read_map(r, map, "parameters"))
        for (int i = 0; i + 1 < map->n; i += 2) {
            r->parameter = i;
            if (ct_read_identifier(r, map->item[i], "parameter"))
                read_parameter(r, map->item[i], map->item[i + 1]);
        }
    r->parameter = -1;
    ct_owner(r, "", "");
    check_set(r);
}

void ct_read_inputs(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "inputs");
    if (!map || ct_yaml_is_null(map) || !ct_read_map(r, map, "inputs")) return;
    for (int i = 0; i + 1 < map->n; i += 2) {
        const ct_yaml *key = map->item[i];
        if (!ct_read_identifier(r, key, "input")) continue;
        if (ct_name_map_get(&r->parameters, key->text) >= 0) {
            ct_error_at(r->ctx, key->place, "'%s' is a parameter already: rename the input",
                        key->text);
            continue;
        }
        ct_owner(r, "input", key->text);
        ct_input in = {.place = key->place};
        bool ok = ct_read_expr(r, map->item[i + 1], CT_CONSTANT, r->owner, &in.value);
        in.number = in.start[0] = ok ? ct_model_number(r->model, in.value) : NAN;
        in.symbol = ct_symbol(r->pool, CT_SYMBOL_INPUT, key->text);
        in.name = ct_strdup(key->text);
        ct_name_map_set(&r->inputs, in.name, r->model->n_inputs);
        *CT_PUSH(r->model->inputs, r->model->n_inputs, r->model->room_inputs) = in;
    }
    ct_owner(r, "", "");
}

// Symbols for the rate and the acceleration of an input, where an expression of equations holds it.
static void give_rate(ct_reader *r, ct_input *u, ct_ex a, bool drives) {
    if (!ct_depends(r->pool, a, u->symbol)) return;
    u->drives = u->drives || drives;
    if (u->rate != CT_ZERO) return;
    u->rate = ct_symbol(r->pool, CT_SYMBOL_INPUT, ct_scratch_format("%s'", u->name));
    u->acceleration = ct_symbol(r->pool, CT_SYMBOL_INPUT, ct_scratch_format("%s''", u->name));
}

void ct_read_input_rates(ct_reader *r) {
    ct_model *m = r->model;
    for (int i = 0; i < m->n_inputs; i++) {
        ct_input *u = m->inputs + i;
        for (int k = 0; k < m->n_motions; k++) give_rate(r, u, m->motions[k].value, true);
        for (int k = 0; k < m->n_joints + m->n_switched; k++)
            if (m->joints[k].type == CT_JOINT_CONSTRAINT)
                give_rate(r, u, m->joints[k].equation, true);
        for (int k = 0; k < m->n_forces; k++)
            if (m->forces[k].type == CT_FORCE_TYRE) give_rate(r, u, m->forces[k].length, false);
    }
}
