// Which equations contradict each other: leave out one after the other, for good if the rest is
// still inconsistent modulo a prime. What remains is minimal: without any of its members there is
// no contradiction (or none was found within the time a single trial may take).
#include "algebra/solve/solve_inside.h"

#include <math.h>
#include <stdlib.h>

#define TRIAL_SECONDS 1 // for one subset, at most

static bool inconsistent(ct_solving *job, const bool *in, double seconds) {
    ct_polys some = {0}, basis = {0};
    for (int i = 0; i < job->equations.n; i++)
        if (in[i]) ct_poly_set(job->ring, ct_polys_add(&some), job->equations.p + i);
    ct_groebner_options o = {.prime = 2147483629u,
                             .budget = {.seconds = seconds,
                                        .bytes = job->options->budget.bytes,
                                        .stop = job->options->budget.stop}};
    ct_context *quiet = ct_context_quiet(NULL); // running out of time is no failure here
    bool no = ct_groebner(quiet, job->ring, &basis, &some, &o) == CT_OK &&
              ct_ideal(job->ring, &basis).dimension < 0;
    ct_polys_clear(job->ring, &some);
    ct_polys_clear(job->ring, &basis);
    return no;
}

ct_status ct_solve_offending(ct_solving *job) {
    int n = job->equations.n, count = 0;
    bool *in = ct_scratch((size_t)n + 1, sizeof *in);
    ct_status s = CT_OK;
    for (int i = 0; i < n; i++) in[i] = job->equations.p[i].n > 0;
    for (int i = n - 1; i >= 0 && !s; i--) {
        (void)ct_limits_ok(&job->limits);
        s = job->limits.stopped ? CT_INTERRUPTED : CT_OK;
        if (!in[i] || s) continue;
        double left = ct_limits_left(&job->limits);
        if (left <= 0) break;
        in[i] = false;
        in[i] = !inconsistent(job, in, fmin(left, TRIAL_SECONDS));
    }
    job->out->offending = ct_alloc((size_t)n + 1, sizeof(int));
    for (int i = 0; i < n; i++)
        if (in[i]) job->out->offending[count++] = i;
    job->out->n_offending = count;
    return s;
}
