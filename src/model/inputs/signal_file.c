// Inputs from a CSV file: a column `t` that increases, and columns by the names of inputs. Columns
// that a result of this model has are passed over, so that a result can be fed back. An input that
// motions or constraints use follows a cubic spline, the same as table(): it needs accelerations.
#include "model/inputs/signals.h"
#include "model/tolerances.h"
#include "util/csv_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct taker {
    ct_context *ctx;
    const ct_model *model;
    const ct_signals *signals; // before the file
    bool hold;
    int n;            // columns
    int *input;       // of each column; -1: t or passed over
    int time;         // the column of t
    double **columns; // [n_inputs] numbers, NULL: not in the file
    double *t;
    int n_rows, room;
} taker;

// Returns true if the results of the model may have a column of this name: a coordinate, its rate,
// its acceleration, an output.
static bool is_result(const ct_model *model, const char *name) {
    size_t n = strlen(name);
    char *stem = ct_scratch_strdup(name);
    for (int i = 0; i < model->n_outputs; i++)
        if (!strcmp(model->outputs[i].name, name)) return true;
    for (int primes = 0; primes <= 2; primes++) {
        if (ct_model_coordinate(model, stem) >= 0) return true;
        if (!n || stem[n - 1] != '\'') return false;
        stem[--n] = '\0';
    }
    return false;
}

// An unknown column, with the nearest name that it could mean.
static ct_status unknown(taker *k, const char *name, ct_place place) {
    const ct_model *m = k->model;
    const char **known =
        ct_scratch((size_t)(m->n_inputs + m->n_coordinates + m->n_outputs) + 1, sizeof *known);
    int n = 0;
    for (int i = 0; i < m->n_inputs; i++) known[n++] = m->inputs[i].name;
    for (int i = 0; i < m->n_outputs; i++) known[n++] = m->outputs[i].name;
    for (int i = 0; i < m->n_coordinates; i++) known[n++] = m->coordinates[i].name;
    const char *near = ct_nearest(name, known, n);
    ct_error_at(k->ctx, place,
                "column '%.60s' is neither t nor an input nor a result of this model%s%s%s", name,
                near ? ": did you mean '" : ": remove it, or rename it", near ? near : "",
                near ? "'?" : "");
    return CT_WRONG_MODEL;
}

// An input that is given by this column alone.
static ct_status take_input(taker *k, int column, int input, ct_place place) {
    const ct_input *u = k->model->inputs + input;
    for (int i = 0; i < column; i++)
        if (k->input[i] == input) {
            ct_error_at(k->ctx, place, "input '%s' has two columns: remove one", u->name);
            return CT_USAGE;
        }
    if (k->signals->of[input].kind != CT_SIGNAL_DEFAULT) {
        ct_error_at(k->ctx, place, "input '%s' is given twice: by this column, and before",
                    u->name);
        return CT_USAGE;
    }
    if (k->hold && u->drives) {
        ct_error_at(k->ctx, place,
                    "input '%s' moves bodies by a motion or a constraint, and bodies cannot follow "
                    "steps: leave --hold out",
                    u->name);
        return CT_USAGE;
    }
    k->input[column] = input;
    k->columns[input] = ct_alloc(1, sizeof **k->columns);
    return CT_OK;
}

static ct_status take_names(void *data, int n, char *const *names, const ct_place *places,
                            bool *wanted) {
    taker *k = data;
    const ct_model *m = k->model;
    ct_status status = CT_OK;
    int inputs = 0;
    k->n = n;
    k->time = -1;
    k->input = ct_alloc((size_t)n + 1, sizeof *k->input);
    for (int c = 0; c < n && !status; c++) {
        // t, an input, or a result
        int input = -1;
        k->input[c] = -1;
        for (int i = 0; i < m->n_inputs; i++)
            if (!strcmp(m->inputs[i].name, names[c])) input = i;
        bool time = !strcmp(names[c], "t");
        if (time && k->time >= 0) {
            ct_error_at(k->ctx, places[c], "there are two columns t: remove one");
            return CT_WRONG_MODEL;
        }
        if (time)
            k->time = c;
        else if (input >= 0)
            status = take_input(k, c, input, places[c]);
        else if (!is_result(m, names[c]))
            status = unknown(k, names[c], places[c]);
        wanted[c] = time || input >= 0;
        inputs += input >= 0;
    }
    if (status) return status;
    if (k->time < 0)
        return ct_fail(k->ctx, CT_WRONG_MODEL, "there is no column t: the times of the rows");
    if (!inputs)
        return ct_fail(k->ctx, CT_WRONG_MODEL, "no column is an input of this model%s",
                       m->n_inputs ? "" : ", which has none");
    return CT_OK;
}

static ct_status take_row(void *data, const double *values, const ct_place *places) {
    taker *k = data;
    const double t = values[k->time];
    if (k->n_rows && !(t > k->t[k->n_rows - 1])) {
        ct_error_at(k->ctx, places[k->time], "t must increase, but %.9g follows %.9g", t,
                    k->t[k->n_rows - 1]);
        return CT_WRONG_MODEL;
    }
    if (k->n_rows >= CT_SIGNAL_MOST_ROWS) {
        ct_error_at(k->ctx, places[0], "this file has more than %d rows", CT_SIGNAL_MOST_ROWS);
        return CT_WRONG_MODEL;
    }
    // room in all columns
    if (k->n_rows == k->room) {
        k->room = CT_LONGER(k->room);
        k->t = ct_realloc(k->t, (size_t)k->room, sizeof *k->t);
        for (int i = 0; i < k->model->n_inputs; i++)
            if (k->columns[i])
                k->columns[i] = ct_realloc(k->columns[i], (size_t)k->room, sizeof **k->columns);
    }
    for (int c = 0; c < k->n; c++)
        if (k->input[c] >= 0) k->columns[k->input[c]][k->n_rows] = values[c];
    k->t[k->n_rows++] = t;
    return CT_OK;
}

// The column of an input that motions use, as a spline through its rows.
static void set_spline(const ct_model *model, ct_signals *s, int input, const taker *k) {
    ct_pool *pool = s->pool;
    int table =
        ct_table_define(pool, model->inputs[input].name, k->n_rows, k->t, k->columns[input], false);
    ct_signal_set_expression(model, s, input, ct_table(pool, table, 0, model->time));
}

static CT_BELOW ct_status read_file(ct_context *ctx, ct_model *model, const char *path, bool hold) {
    ct_signals *s = ct_signals_copy(model);
    taker k = {.ctx = ctx, .model = model, .signals = s, .hold = hold};
    k.columns = ct_alloc((size_t)model->n_inputs + 1, sizeof *k.columns);
    if (s->has_file)
        return ct_fail(ctx, CT_USAGE, "--inputs %s: there is a file of inputs already", path);
    const ct_csv_taker to = {"file of inputs", &k, take_names, take_row};
    ct_status status = ct_csv_read(ctx, path, &to);
    ct_context_set_file(ctx, model->path);
    if (status) return status;
    // its columns become signals
    s->has_file = true;
    s->hold = hold;
    s->n_rows = k.n_rows;
    s->t = k.t;
    for (int i = 0; i < model->n_inputs; i++) {
        if (!k.columns[i]) continue;
        s->of[i] = (ct_signal){.kind = CT_SIGNAL_COLUMN, .column = k.columns[i]};
        if (model->inputs[i].drives && k.n_rows > 1) set_spline(model, s, i, &k);
        s->of[i].from_file = true;
    }
    return ct_signals_take(ctx, model, s);
}

ct_status ct_input_file(ct_context *ctx, ct_model *model, const char *path, bool hold) {
    CT_CALL(ctx, &model->memory, read_file(ctx, model, path, hold));
}
