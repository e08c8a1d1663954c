// Limits of a computation: time, memory, the caller's wish to stop. Long loops ask ct_guard_ok and
// unwind when it says no; the reason stays in the guard until ct_guard_fail makes it a message.
#ifndef CT_GUARD_H
#define CT_GUARD_H

#include "algebra/algebra.h"

typedef struct ct_guard {
    ct_groebner_options options;
    ct_groebner_stats stats;
    double start;
    size_t bytes; // held now
    bool stopped; // by the caller
    unsigned polls;
} ct_guard;

void ct_guard_init(ct_guard *g, const ct_groebner_options *options);
bool ct_guard_ok(ct_guard *g);   // false: unwind
bool ct_guard_poll(ct_guard *g); // the same, looking at the clock once in 64 calls
void ct_guard_hold(ct_guard *g, size_t bytes);
void ct_guard_release(ct_guard *g, size_t bytes);
void ct_guard_work(ct_guard *g, double work);     // about to be done
void ct_guard_limit(ct_guard *g, ct_limit limit); // the first one counts
void ct_guard_progress(ct_guard *g, const char *stage, double share);
// Copies the figures out and returns CT_OK, or the failure with its message.
ct_status ct_guard_finish(ct_context *ctx, ct_guard *g);

#endif
