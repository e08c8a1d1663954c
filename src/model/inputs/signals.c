// Signals of inputs: evaluation, and what a run starts with. Inputs that only forces use do not
// touch the initial position or the code; those of motions and constraints do, by their value and
// rate at t = 0.
#include "model/inputs/signals.h"
#include "model/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ct_signals *ct_signals_copy(const ct_model *model) {
    const ct_signals *old = model->signals;
    ct_signals *s = ct_alloc(1, sizeof *s);
    if (old) *s = *old;
    s->pool = ct_pool_copy(old ? old->pool : model->pool);
    s->of = ct_alloc((size_t)model->n_inputs + 1, sizeof *s->of);
    for (int i = 0; old && i < model->n_inputs; i++) {
        s->of[i] = old->of[i];
        if (old->of[i].kind == CT_SIGNAL_EXPRESSION)
            ct_signal_set_expression(model, s, i, old->of[i].expression.value);
    }
    return s;
}

int ct_signal_input(ct_context *ctx, const ct_model *model, const char *what, const char *name,
                    ct_status *status) {
    const char **names = ct_scratch((size_t)model->n_inputs + 1, sizeof *names);
    int found = -1;
    for (int i = 0; i < model->n_inputs; i++) {
        names[i] = model->inputs[i].name;
        if (!strcmp(names[i], name)) found = i;
    }
    // unknown, with the nearest name; or it has a signal already
    const char *near = ct_nearest(name, names, model->n_inputs);
    bool parameter = false;
    for (int i = 0; i < model->n_named_parameters; i++)
        parameter |= !strcmp(model->named_parameters[i].name, name);
    *status = CT_OK;
    if (found < 0 && near)
        *status = ct_fail(ctx, CT_WRONG_MODEL,
                          "%s: the model has no input '%s': did you mean '%s'?", what, name, near);
    else if (found < 0)
        *status =
            ct_fail(ctx, CT_WRONG_MODEL, "%s: the model has no input%s%s%s%s", what,
                    model->n_inputs ? " '" : "s", model->n_inputs ? name : "",
                    model->n_inputs ? "'" : "", parameter ? " (it is a parameter: --set)" : "");
    else if (model->signals && model->signals->of[found].kind != CT_SIGNAL_DEFAULT)
        *status = ct_fail(ctx, CT_USAGE, "%s: input '%s' is given twice", what, name);
    return *status ? -1 : found;
}

// evaluation --------------------------------------------------------------------------------------
// The row that the line or step at time t begins with; -1: before the first.
static int row_at(const ct_signals *s, double t, double lo, double hi) {
    const double inside = fmax(t, lo);
    int low = 0, high = s->n_rows; // the first row behind t is in low .. high
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool before = t >= hi ? s->t[middle] < hi : s->t[middle] <= inside;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

static void column_at(const ct_signals *s, const double *y, int row, double t, double out[3]) {
    out[1] = out[2] = 0;
    out[0] = y[row < 0 ? 0 : row];
    if (s->hold || row < 0 || row + 1 >= s->n_rows) return;
    out[1] = (y[row + 1] - y[row]) / (s->t[row + 1] - s->t[row]);
    out[0] = y[row] + (t - s->t[row]) * out[1];
}

static void evaluate(const ct_model *model, const ct_signals *s, double t, double lo, double hi,
                     double *u) {
    const int n = model->n_inputs, row = s && s->n_rows ? row_at(s, t, lo, hi) : -1;
    const double inside = t >= hi   ? nextafter(hi, -INFINITY)
                          : t <= lo ? nextafter(lo, INFINITY)
                                    : t;
    for (int i = 0; i < n; i++) {
        const ct_signal *k = s ? s->of + i : NULL;
        double out[3] = {model->inputs[i].number, 0, 0};
        switch (k ? k->kind : CT_SIGNAL_DEFAULT) {
        case CT_SIGNAL_DEFAULT: break;
        case CT_SIGNAL_EXPRESSION: ct_tape_eval(k->expression.tape, inside, out); break;
        case CT_SIGNAL_COLUMN: column_at(s, k->column, row, t, out); break;
        case CT_SIGNAL_FUNCTION: k->function.at(k->function.data, t, out); break;
        }
        for (int j = 0; j < 3; j++) u[j * n + i] = out[j];
    }
}

void ct_signals_at(const ct_model *model, double t, double lo, double hi, double *u) {
    evaluate(model, model->signals, t, lo, hi, u);
}

bool ct_signal_expression(const ct_model *model, int input, ct_ex *value) {
    const ct_signal *k = model->signals ? model->signals->of + input : NULL;
    bool is = k && k->kind == CT_SIGNAL_EXPRESSION;
    *value = is ? k->expression.value : CT_ZERO;
    return is;
}

// Returns true if a column of the file bends or jumps at a row. Splines bend in their accelerations.
static bool breaks_at(const ct_model *model, int row) {
    const ct_signals *s = model->signals;
    const int last = s->n_rows - 1;
    for (int i = 0; i < model->n_inputs; i++) {
        const ct_signal *k = s->of + i;
        if (!k->from_file) continue;
        if (k->kind != CT_SIGNAL_COLUMN) return true;
        const double *y = k->column;
        if (s->hold) {
            if (row > 0 && y[row] != y[row - 1]) return true;
            continue;
        }
        const double before = row > 0 ? (y[row] - y[row - 1]) / (s->t[row] - s->t[row - 1]) : 0,
                     behind = row < last ? (y[row + 1] - y[row]) / (s->t[row + 1] - s->t[row]) : 0;
        if (fabs(behind - before) > CT_SAME_SLOPE * fmax(fabs(before), fabs(behind))) return true;
    }
    return false;
}

int ct_signals_rows(const ct_model *model, double from, double to, double **times) {
    const ct_signals *s = model->signals;
    int n = 0, room = 0;
    *times = NULL;
    for (int i = 0; s && i < s->n_rows; i++)
        if (s->t[i] > from && s->t[i] < to && breaks_at(model, i))
            *CT_PUSH(*times, n, room) = s->t[i];
    return n;
}

// changes -----------------------------------------------------------------------------------------
double ct_signal_number(void *data, ct_ex symbol) {
    const ct_model *m = data;
    for (int i = 0; i < m->n_named_parameters; i++)
        if (m->named_parameters[i].symbol == symbol) return m->named_parameters[i].number;
    return NAN;
}

void ct_signal_set_expression(const ct_model *model, ct_signals *s, int input, ct_ex value) {
    ct_ex rate = ct_diff(s->pool, value, model->time);
    ct_ex parts[] = {value, rate, ct_diff(s->pool, rate, model->time)};
    ct_signal *k = s->of + input;
    k->kind = CT_SIGNAL_EXPRESSION;
    k->expression.value = value;
    k->expression.tape =
        ct_tape_new(s->pool, 3, parts, model->time, ct_signal_number, (void *)model);
}

// Fails if a value, or a rate that equations need, is not finite.
static ct_status check_start(ct_context *ctx, const ct_model *model, const double *u) {
    static const char *const parts[] = {"", "the rate of ", "the acceleration of "};
    const int n = model->n_inputs;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < (model->inputs[i].rate == CT_ZERO ? 1 : 3); k++)
            if (!isfinite(u[k * n + i]))
                return ct_fail(ctx, CT_WRONG_MODEL, "%sinput '%s' is not finite at t = 0", parts[k],
                               model->inputs[i].name);
    return CT_OK;
}

ct_status ct_signals_take(ct_context *ctx, ct_model *model, ct_signals *s) {
    const int n = model->n_inputs;
    double *u = ct_scratch((size_t)(3 * n) + 1, sizeof *u);
    evaluate(model, s, 0, -INFINITY, INFINITY, u);
    ct_status status = check_start(ctx, model, u);
    if (status) return status;
    // nothing fails from here on
    model->signals = s;
    model->content = model->text_content;
    for (int i = 0; i < n; i++) {
        // motions and constraints hold at the start
        ct_input *in = model->inputs + i;
        for (int k = 0; k < 3 && in->drives; k++) {
            in->start[k] = u[k * n + i];
            if (in->start[k] == (k == 0 ? in->number : 0)) continue;
            ct_digest_add(&model->content, &in->start[k], sizeof in->start[k]);
            ct_digest_add_number(&model->content, (uint64_t)(3 * i + k));
        }
    }
    return CT_OK;
}

// A function of the caller.
static CT_BELOW ct_status set_function(ct_context *ctx, ct_model *model, const char *name,
                                       void (*at)(void *data, double t, double *out), void *data) {
    ct_status status;
    const int i = ct_signal_input(ctx, model, "ct_input_function", name, &status);
    if (status) return status;
    ct_signals *s = ct_signals_copy(model);
    s->of[i] = (ct_signal){.kind = CT_SIGNAL_FUNCTION, .function = {at, data}};
    return ct_signals_take(ctx, model, s);
}

ct_status ct_input_function(ct_context *ctx, ct_model *model, const char *name,
                            void (*at)(void *data, double t, double *out), void *data) {
    CT_CALL(ctx, &model->memory, set_function(ctx, model, name, at, data));
}

ct_status ct_inputs_clear(ct_context *ctx, ct_model *model) {
    CT_CALL(ctx, &model->memory, ct_signals_take(ctx, model, NULL));
}
