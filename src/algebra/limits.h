// Limits of a computation: time, memory, work, the caller's wish to stop; progress on the way. Long
// loops ask ct_limits_ok and unwind when it says no; the reason stays in the record until
// ct_limits_status makes it a message. Memory is what the allocator counts, numbers of FLINT
// included; a step of FLINT that nobody can look into ends at its first allocation beyond a limit.
#ifndef CT_LIMITS_H
#define CT_LIMITS_H

#include "util/util.h"

#include <signal.h>

typedef enum ct_limit {
    CT_LIMIT_NONE,
    CT_LIMIT_TIME,
    CT_LIMIT_MEMORY,
    CT_LIMIT_EXPONENT,
    CT_LIMIT_WORK
} ct_limit;

#define CT_EXPONENT_MAX 0x3fffffffu // of a total degree; what would exceed it is an error

// What a computation may use, and who is told of its progress. All zero: no limits, no reports.
typedef struct ct_budget {
    double seconds;
    size_t bytes;
    // Operations on coefficients (modulo a prime: entries of rows; with symbols: terms of them), so
    // that the limit is reached at the same place on every machine.
    double work;
    bool pairs; // comparisons of S-pairs count as work too
    // What is going on, and how far (0..1; the number of primes is only known at the end).
    void (*progress)(void *data, const char *stage, double share);
    void *progress_data;
    volatile sig_atomic_t *stop; // may be NULL
} ct_budget;

// A budget that is being used. Every function takes NULL for a computation without limits.
typedef struct ct_limits {
    ct_budget budget;
    double start;    // of ct_seconds()
    long long bytes; // that the thread held at the start,
    long long most;  // and at most beyond these, where somebody looked
    double work;     // done
    ct_limit struck; // the first limit that did
    bool stopped;    // by the caller
    unsigned polls;
} ct_limits;

void ct_limits_init(ct_limits *limits, const ct_budget *budget);
// The public call under way is broken off by an allocation beyond one and a half times the limit of
// memory, or beyond that of time and a little more.
void ct_limits_call(const ct_budget *budget);
bool ct_limits_ok(ct_limits *limits);           // false if a limit is reached: unwind
bool ct_limits_poll(ct_limits *limits);         // the same, looking at the clock once in 64 calls
double ct_limits_left(const ct_limits *limits); // seconds, HUGE_VAL: as many as it takes
void ct_limits_work(ct_limits *limits, double work);      // about to be done
void ct_limits_strike(ct_limits *limits, ct_limit limit); // the first one counts
void ct_limits_progress(ct_limits *limits, const char *stage, double share);
// CT_OK, CT_INTERRUPTED, or CT_NUMERICS with a message about `what` ("determinant").
ct_status ct_limits_status(ct_context *ctx, const ct_limits *limits, const char *what);
// The same, with the time compared with its limit first.
ct_status ct_limits_check(ct_context *ctx, ct_limits *limits, const char *what);

#endif
