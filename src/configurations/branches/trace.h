// Curves of assemblies over a driven coordinate: solutions of Phi(x, drive) = 0 followed by their
// length, so that limit positions, where the drive turns back, are passed.
#ifndef CT_TRACE_H
#define CT_TRACE_H

#include "configurations/loops/loop_system.h"

typedef enum ct_trace_mark { CT_TRACE_NONE, CT_TRACE_LIMIT, CT_TRACE_CROSSING } ct_trace_mark;

// A point of a curve: coordinates q of the formulation.
typedef struct ct_trace_point {
    double *q;
    ct_trace_mark mark;
} ct_trace_point;

typedef struct ct_trace {
    int n, room;
    ct_trace_point *point;
    bool closed; // back at its start
    bool broken; // no further step was possible
} ct_trace;

typedef struct ct_tracer {
    const ct_loop_system *s;
    int n, *free;     // unknown coordinates, then the drive
    double *unit;     // [n] what they are measured by
    double low, high; // range of the drive
    ct_numbers numbers;
    int *rows; // [n - 1] rows that are independent at the start of the curve
} ct_tracer;

void ct_tracer_init(ct_tracer *t, const ct_loop_system *s, int drive, double low, double high);
void ct_tracer_clear(ct_tracer *t);
// Newton at a fixed position of the drive; false if it does not converge.
bool ct_tracer_settle(ct_tracer *t, double *q);
// The curve through q; `direction` +1, -1 of the drive, 0: both ways.
void ct_tracer_follow(ct_tracer *t, const double *q, int direction, ct_trace *out);
// True if the drive does not decide where the others go.
bool ct_tracer_is_singular(ct_tracer *t, const double *q);
void ct_trace_clear(ct_trace *trace);
// Distance of two assemblies, angles but for the drive up to whole turns.
double ct_tracer_distance(const ct_tracer *t, const double *a, const double *b);

#endif
