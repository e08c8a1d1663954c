// Limits in time, memory and work; progress; the message when a limit is reached.
#include "algebra/limits.h"

#include <math.h>

#define CALLS_PER_LOOK 64 // polls for one look at the clock, which costs as much as a short loop

void ct_limits_init(ct_limits *l, const ct_budget *budget) {
    *l = (ct_limits){.start = ct_seconds()};
    if (budget) l->budget = *budget;
}

void ct_limits_strike(ct_limits *l, ct_limit limit) {
    if (l && l->struck == CT_LIMIT_NONE) l->struck = limit;
}

static bool is_over(const ct_limits *l) {
    return l->stopped || l->struck != CT_LIMIT_NONE;
}

bool ct_limits_ok(ct_limits *l) {
    if (!l) return true;
    if (is_over(l)) return false;
    if (l->budget.stop && *l->budget.stop) l->stopped = true;
    if (l->budget.seconds > 0 && ct_limits_left(l) < 0) ct_limits_strike(l, CT_LIMIT_TIME);
    return !is_over(l);
}

bool ct_limits_poll(ct_limits *l) {
    if (!l) return true;
    return l->polls++ % CALLS_PER_LOOK ? !is_over(l) : ct_limits_ok(l);
}

double ct_limits_left(const ct_limits *l) {
    if (!l || l->budget.seconds <= 0) return HUGE_VAL;
    return l->budget.seconds - (ct_seconds() - l->start);
}

void ct_limits_hold(ct_limits *l, size_t bytes) {
    if (!l) return;
    l->held += bytes;
    if (l->held > l->most) l->most = l->held;
    if (l->budget.bytes && l->held > l->budget.bytes) ct_limits_strike(l, CT_LIMIT_MEMORY);
}

void ct_limits_release(ct_limits *l, size_t bytes) {
    if (l) l->held -= bytes;
}

void ct_limits_work(ct_limits *l, double work) {
    if (!l) return;
    l->work += work;
    if (l->budget.work > 0 && l->work > l->budget.work) ct_limits_strike(l, CT_LIMIT_WORK);
}

void ct_limits_progress(ct_limits *l, const char *stage, double share) {
    if (l && l->budget.progress) l->budget.progress(l->budget.progress_data, stage, share);
}

ct_status ct_limits_status(ct_context *ctx, const ct_limits *l, const char *what) {
    if (!l) return CT_OK;
    if (l->stopped) return CT_INTERRUPTED;
    switch (l->struck) {
    case CT_LIMIT_TIME:
        return ct_fail(ctx, CT_NUMERICS, "the %s was not finished within %g s", what,
                       l->budget.seconds);
    case CT_LIMIT_MEMORY:
        return ct_fail(ctx, CT_NUMERICS, "the %s needs more than %zu MB", what,
                       (l->budget.bytes + 999999) / 1000000);
    case CT_LIMIT_EXPONENT:
        return ct_fail(ctx, CT_NUMERICS, "the %s needs monomials of degree above %u", what,
                       CT_EXPONENT_MAX);
    case CT_LIMIT_WORK:
        return ct_fail(ctx, CT_NUMERICS, "the %s takes more than %g operations", what,
                       l->budget.work);
    case CT_LIMIT_NONE: break;
    }
    return CT_OK;
}

ct_status ct_limits_check(ct_context *ctx, ct_limits *l, const char *what) {
    return ct_limits_ok(l) ? CT_OK : ct_limits_status(ctx, l, what);
}
