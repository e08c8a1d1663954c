// Limits in time, memory and work; progress; the message when a limit is reached.
#include "algebra/limits.h"

#include <math.h>

#define CALLS_PER_LOOK 64 // polls for one look at the clock, which costs as much as a short loop

// what a step may take beyond a limit before it is broken off: it comes to its end by itself if it
// can, and says then which one it was
#define SLOWER       1.1 // times the limit of time,
#define SECONDS_LATE 0.5 // and that

static size_t megabytes(const ct_budget *budget) {
    return (budget->bytes + 999999) / 1000000;
}

void ct_limits_init(ct_limits *limits, const ct_budget *budget) {
    *limits = (ct_limits){.start = ct_seconds(), .bytes = ct_memory_bytes()};
    if (budget) limits->budget = *budget;
}

void ct_limits_strike(ct_limits *limits, ct_limit limit) {
    if (limits && limits->struck == CT_LIMIT_NONE) limits->struck = limit;
}

static bool is_over(const ct_limits *limits) {
    return limits->stopped || limits->struck != CT_LIMIT_NONE;
}

// Memory that the thread holds beyond what it held at the start.
static void look_at_memory(ct_limits *limits) {
    long long bytes = ct_memory_bytes() - limits->bytes;
    if (bytes <= limits->most) return;
    limits->most = bytes;
    if (limits->budget.bytes && (unsigned long long)bytes > limits->budget.bytes)
        ct_limits_strike(limits, CT_LIMIT_MEMORY);
}

bool ct_limits_ok(ct_limits *limits) {
    if (!limits) return true;
    look_at_memory(limits);
    if (is_over(limits)) return false;
    if (limits->budget.stop && *limits->budget.stop) limits->stopped = true;
    if (limits->budget.seconds > 0 && ct_limits_left(limits) < 0)
        ct_limits_strike(limits, CT_LIMIT_TIME);
    return !is_over(limits);
}

bool ct_limits_poll(ct_limits *limits) {
    if (!limits) return true;
    if (limits->polls++ % CALLS_PER_LOOK == 0) return ct_limits_ok(limits);
    look_at_memory(limits);
    return !is_over(limits);
}

double ct_limits_left(const ct_limits *limits) {
    if (!limits || limits->budget.seconds <= 0) return HUGE_VAL;
    return limits->budget.seconds - (ct_seconds() - limits->start);
}

void ct_limits_call(const ct_budget *budget) {
    ct_bounds named = {budget->bytes, budget->seconds}, more = {0};
    if (budget->bytes < SIZE_MAX / 2) more.bytes = budget->bytes + budget->bytes / 2;
    if (budget->seconds > 0) more.seconds = budget->seconds * SLOWER + SECONDS_LATE;
    ct_scope_bound(more, named);
}

void ct_limits_work(ct_limits *limits, double work) {
    if (!limits) return;
    limits->work += work;
    if (limits->budget.work > 0 && limits->work > limits->budget.work)
        ct_limits_strike(limits, CT_LIMIT_WORK);
}

void ct_limits_progress(ct_limits *limits, const char *stage, double share) {
    if (limits && limits->budget.progress)
        limits->budget.progress(limits->budget.progress_data, stage, share);
}

ct_status ct_limits_status(ct_context *ctx, const ct_limits *limits, const char *what) {
    if (!limits) return CT_OK;
    if (limits->stopped) return CT_INTERRUPTED;
    switch (limits->struck) {
    case CT_LIMIT_TIME:
        return ct_fail(ctx, CT_NUMERICS, "the %s was not finished within %g s", what,
                       limits->budget.seconds);
    case CT_LIMIT_MEMORY:
        return ct_fail(ctx, CT_NUMERICS, "the %s needs more than %zu MB", what,
                       megabytes(&limits->budget));
    case CT_LIMIT_EXPONENT:
        return ct_fail(ctx, CT_NUMERICS, "the %s needs monomials of degree above %u", what,
                       CT_EXPONENT_MAX);
    case CT_LIMIT_WORK:
        return ct_fail(ctx, CT_NUMERICS, "the %s takes more than %g operations", what,
                       limits->budget.work);
    case CT_LIMIT_NONE: break;
    }
    return CT_OK;
}

ct_status ct_limits_check(ct_context *ctx, ct_limits *limits, const char *what) {
    return ct_limits_ok(limits) ? CT_OK : ct_limits_status(ctx, limits, what);
}
