// What the inputs of a model follow in a run: an expression of t and parameters, a column of a file,
// or a function of the caller. Values, rates and accelerations are known at every time.
#ifndef CT_SIGNALS_H
#define CT_SIGNALS_H

#include "model/model.h"

typedef enum ct_signal_kind {
    CT_SIGNAL_DEFAULT,
    CT_SIGNAL_EXPRESSION, // of t; columns that motions use are one, too: a spline
    CT_SIGNAL_COLUMN,     // straight lines between rows, or steps
    CT_SIGNAL_FUNCTION    // of the caller
} ct_signal_kind;

typedef struct ct_signal { // of one input
    ct_signal_kind kind;
    bool from_file; // rows of the file are its breaks
    union {
        struct {
            ct_ex value;   // in the pool of the signals
            ct_tape *tape; // value, rate, acceleration
        } expression;
        const double *column; // [n_rows]
        struct {
            void (*at)(void *data, double t, double *out);
            void *data;
        } function;
    };
} ct_signal;

struct ct_signals {
    ct_pool *pool; // a copy of the model's, so that its equations do not depend on signals
    ct_signal *of; // [n_inputs]
    // the file
    bool has_file, hold;
    int n_rows;
    double *t;
};

// Values, rates and accelerations of all inputs at time t, [n_inputs] each, as they are between the
// times lo and hi: at these themselves the limit from inside.
void ct_signals_at(const ct_model *model, double t, double lo, double hi, double *u);
// The value of an input as an expression of t in the pool of the signals, for one that is an
// expression; CT_ZERO and false: it is not.
bool ct_signal_expression(const ct_model *model, int input, ct_ex *value);
// Numbers of parameters, for an evaluation of signals; data: the model.
double ct_signal_number(void *data, ct_ex symbol);
// Adds the times of rows between `from` and `to` where a column of the file bends or jumps; returns
// them in order, owned by the caller.
int ct_signals_rows(const ct_model *model, double from, double to, double **times);

// inside of the room ------------------------------------------------------------------------------
// A copy of the signals of the model, to be changed: the model keeps its own until ct_signals_take,
// so that a call which fails leaves it as it was.
ct_signals *ct_signals_copy(const ct_model *model);
// The input of this name; -1 after a message that begins with `what`. *status: its kind.
int ct_signal_input(ct_context *ctx, const ct_model *model, const char *what, const char *name,
                    ct_status *status);
// Makes an expression of t the signal of an input.
void ct_signal_set_expression(const ct_model *model, ct_signals *s, int input, ct_ex value);
// The model follows other signals (NULL: none): what its initial position is found with, and its
// content, change with them. Fails if an input has no value at t = 0.
ct_status ct_signals_take(ct_context *ctx, ct_model *model, ct_signals *s);

#endif
