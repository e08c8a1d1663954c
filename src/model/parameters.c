// Parameters of a model: which of them are derived, and what --set makes of one, exactly.
#include "model/model.h"

#include <math.h>
#include <string.h>

int ct_model_parameter_place(const ct_model *model, int i) {
    int place = 0;
    for (int k = 0; k < i; k++)
        place += model->parameters[k].is_derived == model->parameters[i].is_derived;
    return place;
}

int ct_model_free_parameters(const ct_model *model) {
    int n = 0;
    for (int k = 0; k < model->n_parameters; k++) n += !model->parameters[k].is_derived;
    return n;
}

bool ct_model_is_varied(const ct_model *model) {
    bool varied = false;
    for (int k = 0; k < model->n_parameters; k++)
        varied = varied || model->parameters[k].number != model->parameters[k].original;
    return varied;
}

ct_model *ct_model_original(const ct_model *model) {
    for (int k = 0; k < model->n_parameters; k++)
        if (!isfinite(model->parameters[k].original)) return NULL;
    ct_model *m = ct_model_fork(model);
    size_t n = (size_t)m->n_parameters, inputs = (size_t)m->n_inputs;
    m->parameters = ct_alloc(n + 1, sizeof *m->parameters);
    m->inputs = ct_alloc(inputs + 1, sizeof *m->inputs);
    for (size_t k = 0; k < n; k++) {
        m->parameters[k] = model->parameters[k];
        m->parameters[k].number = m->parameters[k].original;
    }
    for (size_t k = 0; k < inputs; k++) {
        m->inputs[k] = model->inputs[k];
        m->inputs[k].number = ct_model_number(m, m->inputs[k].value);
    }
    return m;
}

bool ct_constant_by_name(ct_pool *pool, const char *name, ct_ex *value) {
    if (!strcmp(name, "pi"))
        *value = ct_pi(pool);
    else if (!strcmp(name, "deg"))
        *value = ct_mul(pool, ct_rational(pool, 1, 180), ct_pi(pool));
    else if (!strcmp(name, "mm"))
        *value = ct_rational(pool, 1, 1000);
    else
        return false;
    return true;
}

// Names in the text of --set, which was read before: parameters, then constants.
static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    const ct_model *m = data;
    (void)offset;
    (void)error;
    for (int i = 0; i < m->n_parameters && !primes; i++)
        if (!strcmp(m->parameters[i].name, name)) {
            *value = m->parameters[i].symbol;
            return true;
        }
    return !primes && ct_constant_by_name(m->pool, name, value);
}

static bool no_call(void *data, const char *function) {
    (void)data;
    (void)function;
    return false;
}

static int no_table(void *data, const char *name) {
    (void)data;
    (void)name;
    return -1;
}

ct_ex ct_model_parameter(const ct_model *model, int i) {
    const ct_parameter *p = model->parameters + i;
    const ct_names names = {
        .data = (void *)model, .resolve = resolve, .is_name_call = no_call, .find_table = no_table};
    ct_parse_error error;
    ct_ex value;
    return p->set && ct_parse(model->pool, p->set, &names, &value, &error) ? value : p->value;
}
