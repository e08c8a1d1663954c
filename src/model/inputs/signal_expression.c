// Inputs as expressions of t and parameters: NAME=EXPR.
#include "model/inputs/signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const constants[] = {"t", "pi", "deg", "mm"};

// A name that may not stand in the expression of an input, or that nobody knows. Returns false.
static bool refuse(const ct_model *model, const char *name, bool rate, ct_parse_error *error) {
    const size_t n = sizeof error->message;
    const char **known = ct_scratch((size_t)model->n_named_parameters + 4, sizeof *known);
    for (int i = 0; i < model->n_named_parameters; i++) known[i] = model->named_parameters[i].name;
    memcpy(known + model->n_named_parameters, constants, sizeof constants);
    for (int i = 0; i < model->n_inputs; i++)
        if (!rate && !strcmp(model->inputs[i].name, name)) {
            snprintf(error->message, n,
                     "'%.60s' is an input, but an input may depend on t and parameters only", name);
            return false;
        }
    if (rate || ct_model_coordinate(model, name) >= 0) {
        snprintf(error->message, n,
                 "'%.60s%s' depends on the motion, but an input may depend on t and parameters "
                 "only",
                 name, rate ? "'" : "");
        return false;
    }
    // short names are near to everything
    const char *near =
        strlen(name) > 2 ? ct_nearest(name, known, model->n_named_parameters + 4) : NULL;
    snprintf(error->message, n, "unknown name '%.60s'%s%.60s%s", name,
             near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
}

typedef struct scope {
    const ct_model *model;
    ct_pool *pool;
} scope;

// Parameters, then t pi deg mm.
static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    const ct_model *m = ((const scope *)data)->model;
    ct_pool *pool = ((const scope *)data)->pool;
    (void)offset;
    if (primes) return refuse(m, name, true, error);
    for (int i = 0; i < m->n_named_parameters; i++)
        if (!strcmp(m->named_parameters[i].name, name)) {
            *value = m->named_parameters[i].symbol;
            return true;
        }
    if (!strcmp(name, "t"))
        *value = m->time;
    else if (!ct_constant_by_name(pool, name, value))
        return refuse(m, name, false, error);
    return true;
}

static int find_table(void *data, const char *name) {
    return ct_table_find(((const scope *)data)->pool, name);
}

// "NAME=EXPR" of --input.
static CT_BELOW ct_status set_text(ct_context *ctx, ct_model *model, const char *text) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return ct_fail(ctx, CT_USAGE, "--input %.80s: write NAME=EXPR", text);
    // the input
    size_t n = (size_t)(equals - text);
    while (n && strchr(" \t", text[n - 1])) n--;
    ct_status status;
    char *what = ct_scratch_format("--input %.80s", text);
    char *name = ct_strndup(text, n);
    const int input = ct_signal_input(ctx, model, what, name, &status);
    ct_free(name);
    if (status) return status;
    // the expression, in a pool of its own
    ct_signals *s = ct_signals_copy(model);
    scope in = {model, s->pool};
    ct_names names = {.data = &in, .resolve = resolve, .find_table = find_table};
    ct_parse_error error = {0};
    ct_ex value;
    if (!ct_parse(s->pool, equals + 1, &names, &value, &error))
        return ct_fail(ctx, CT_WRONG_MODEL, "%s: %s", what, error.message);
    if (value == ct_undefined(s->pool))
        return ct_fail(ctx, CT_WRONG_MODEL, "%s: this has no value", what);
    ct_signal_set_expression(model, s, input, value);
    return ct_signals_take(ctx, model, s);
}

ct_status ct_input_expression(ct_context *ctx, ct_model *model, const char *text) {
    CT_CALL(ctx, &model->memory, set_text(ctx, model, text));
}
