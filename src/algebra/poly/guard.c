// Limits in time and memory, progress, and what is said when a limit strikes.
#include "algebra/poly/guard.h"

void ct_guard_init(ct_guard *g, const ct_groebner_options *options) {
    *g = (ct_guard){0};
    if (options) g->options = *options;
    g->start = ct_seconds();
}

void ct_guard_limit(ct_guard *g, ct_limit limit) {
    if (g->stats.limit == CT_LIMIT_NONE) g->stats.limit = limit;
}

static bool struck(const ct_guard *g) {
    return g->stopped || g->stats.limit != CT_LIMIT_NONE;
}

bool ct_guard_ok(ct_guard *g) {
    const ct_groebner_options *o = &g->options;
    if (struck(g)) return false;
    if (o->stop && *o->stop) g->stopped = true;
    if (o->seconds > 0 && ct_seconds() - g->start > o->seconds) ct_guard_limit(g, CT_LIMIT_TIME);
    return !struck(g);
}

bool ct_guard_poll(ct_guard *g) {
    return g->polls++ % 64 ? !struck(g) : ct_guard_ok(g);
}

void ct_guard_hold(ct_guard *g, size_t bytes) {
    g->bytes += bytes;
    if (g->bytes > g->stats.bytes) g->stats.bytes = g->bytes;
    if (g->options.bytes && g->bytes > g->options.bytes) ct_guard_limit(g, CT_LIMIT_MEMORY);
}

void ct_guard_work(ct_guard *g, double work) {
    g->stats.work += work;
    if (g->options.work > 0 && g->stats.work > g->options.work) ct_guard_limit(g, CT_LIMIT_WORK);
}

void ct_guard_release(ct_guard *g, size_t bytes) {
    g->bytes -= bytes;
}

void ct_guard_progress(ct_guard *g, const char *stage, double share) {
    if (g->options.progress) g->options.progress(g->options.progress_data, stage, share);
}

ct_status ct_guard_finish(ct_context *ctx, ct_guard *g) {
    g->stats.seconds = ct_seconds() - g->start;
    if (g->options.stats) *g->options.stats = g->stats;
    if (g->stopped) return CT_INTERRUPTED;
    switch (g->stats.limit) {
    case CT_LIMIT_TIME:
        return ct_fail(ctx, CT_NUMERICS, "the Gröbner basis was not finished within %g s",
                       g->options.seconds);
    case CT_LIMIT_MEMORY:
        return ct_fail(ctx, CT_NUMERICS, "the Gröbner basis needs more than %zu MB",
                       (g->options.bytes + 999999) / 1000000);
    case CT_LIMIT_EXPONENT:
        return ct_fail(ctx, CT_NUMERICS, "the Gröbner basis needs monomials of degree above %u",
                       CT_EXPONENT_MAX);
    case CT_LIMIT_WORK:
        return ct_fail(ctx, CT_NUMERICS, "the Gröbner basis takes more than %g operations",
                       g->options.work);
    case CT_LIMIT_NONE: break;
    }
    return CT_OK;
}
