// Parameters (with what --set makes of them), inputs and tables: all that expressions rest on.
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
        in.number = ok ? ct_model_number(r->model, in.value) : NAN;
        in.symbol = ct_symbol(r->pool, CT_SYMBOL_INPUT, key->text);
        in.name = ct_strdup(key->text);
        ct_name_map_set(&r->inputs, in.name, r->model->n_inputs);
        *CT_PUSH(r->model->inputs, r->model->n_inputs, r->model->room_inputs) = in;
    }
    ct_owner(r, "", "");
}

// The numbers of one column of a table; NULL where one of them is wrong.
static double *read_column(ct_reader *r, const ct_yaml *table, const char *key) {
    const ct_yaml *list = ct_yaml_get(table, key);
    if (!list) {
        ct_error_at(r->ctx, table->place, "%s needs %s: a list of numbers", r->owner, key);
        return NULL;
    }
    if (!ct_read_list(r, list, -1, ct_of(r, key), "of numbers")) return NULL;
    double *numbers = ct_alloc((size_t)list->n, sizeof *numbers);
    bool ok = true;
    for (int i = 0; i < list->n; i++) {
        ct_ex value;
        bool good = ct_read_expr(r, list->item[i], CT_CONSTANT, ct_of(r, key), &value);
        numbers[i] = good ? ct_model_number(r->model, value) : NAN;
        ok &= isfinite(numbers[i]);
    }
    if (!ok) {
        ct_free(numbers);
        return NULL;
    }
    return numbers;
}

// Ends of a periodic table that differ by rounding alone.
static bool same_ends(int n, double *y) {
    double low = y[0], high = y[0];
    for (int i = 1; i < n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    if (fabs(y[n - 1] - y[0]) > CT_PERIODIC_ENDS * (high - low)) return false;
    y[n - 1] = y[0];
    return true;
}

static bool check_table(ct_reader *r, const ct_yaml *xs, const ct_yaml *ys, const double *x,
                        double *y, bool periodic) {
    int n = xs->n, errors = ct_context_error_count(r->ctx);
    if (n != ys->n)
        ct_error_at(r->ctx, ys->place, "%s has %d values of x but %d of y: make them equal",
                    r->owner, n, ys->n);
    else if (n < 2)
        ct_error_at(r->ctx, xs->place, "%s needs at least two points", r->owner);
    else if (periodic && n < 3)
        ct_error_at(r->ctx, xs->place, "%s is periodic and needs at least three points", r->owner);
    for (int i = 1; i < n; i++)
        if (!(x[i] > x[i - 1])) {
            ct_error_at(r->ctx, xs->item[i]->place, "x of %s must increase, but %g follows %g",
                        r->owner, x[i], x[i - 1]);
            break;
        }
    if (periodic && n == ys->n && n > 1 && !same_ends(n, y))
        ct_error_at(r->ctx, ys->item[n - 1]->place,
                    "%s is periodic: its last y (%g) must equal the first (%g)", r->owner, y[n - 1],
                    y[0]);
    return ct_context_error_count(r->ctx) == errors;
}

#define TABLE_KEYS "x", "y", "periodic"

static int read_table(ct_reader *r, const char *name, const ct_yaml *table) {
    static const char *const keys[] = {TABLE_KEYS};
    const ct_yaml *node = ct_yaml_get(table, "periodic");
    bool periodic = false;
    ct_read_keys(r, table, r->owner, sizeof keys / sizeof *keys, keys);
    if (node) ct_read_bool(r, node, ct_of(r, "periodic"), &periodic);
    double *x = read_column(r, table, "x"), *y = read_column(r, table, "y");
    const ct_yaml *xs = ct_yaml_get(table, "x"), *ys = ct_yaml_get(table, "y");
    int index = -1;
    if (x && y && check_table(r, xs, ys, x, y, periodic))
        index = ct_table_define(r->pool, name, xs->n, x, y, periodic);
    ct_free(x);
    ct_free(y);
    return index;
}

void ct_read_tables(ct_reader *r) {
    const ct_yaml *map = ct_yaml_get(r->root, "tables");
    if (!map || ct_yaml_is_null(map) || !ct_read_map(r, map, "tables")) return;
    for (int i = 0; i + 1 < map->n; i += 2) {
        const ct_yaml *key = map->item[i], *table = map->item[i + 1];
        if (!ct_read_identifier(r, key, "table")) continue;
        ct_owner(r, "table", key->text);
        int index = ct_read_map(r, table, r->owner) ? read_table(r, key->text, table) : -1;
        if (index < 0) // it is wrong, but it is there
            index =
                ct_table_define(r->pool, key->text, 2, (double[]){0, 1}, (double[]){0, 0}, false);
        ct_name_map_set(&r->tables, key->text, index);
    }
    ct_owner(r, "", "");
}
