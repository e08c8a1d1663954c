// CPU seconds for reduced Gröbner bases over Q in degrevlex, beside Singular's std with redSB in the
// same run: systems of the literature, printed mechanisms, the loops of a 6R arm. "basis" is the
// same task on both sides; "checked" adds what users get: inputs divided exactly and S-pairs modulo
// another prime, which std does not do. Ratios above 1: Singular takes longer. It is a separate
// process and is left out where it is not installed.
#include "beside_singular.h"

#include "configurations/loops/loop_system.h"
#include "configurations/trig/rational.h"

// systems of any size ------------------------------------------------------------------------------
typedef void writer(ct_text *t, int n, int k);

// sum_i x_i x_(i+1) .. x_(i+k), indices modulo n; the last one: the product of all - 1
static void cyclic(ct_text *t, int n, int k) {
    for (int i = 0; i < (k == n - 1 ? 1 : n); i++)
        for (int j = 0; j <= k; j++) ct_text_printf(t, "%sx%d", j ? "*" : "+", (i + j) % n);
    if (k == n - 1) ct_text_add(t, "-1");
}

// 10 x_k (sum of the other squares) - 11 x_k + 10
static void noon(ct_text *t, int n, int k) {
    for (int i = 0; i < n; i++)
        if (i != k) ct_text_printf(t, "+10*x%d*x%d^2", k, i);
    ct_text_printf(t, "-11*x%d+10", k);
}

// sum_l u_|l| u_|k-l| = u_k, and the sum of all is one; n unknowns
static void katsura(ct_text *t, int n, int k) {
    if (k == n - 1) {
        for (int i = 0; i < n; i++) ct_text_printf(t, "+%d*x%d", i ? 2 : 1, i);
        ct_text_add(t, "-1");
        return;
    }
    for (int l = 1 - n; l < n; l++)
        if (abs(k - l) < n) ct_text_printf(t, "+x%d*x%d", abs(l), abs(k - l));
    ct_text_printf(t, "-x%d", k);
}

static ct_ring *plain_ring(ct_context *ctx, int n) {
    char names[CT_UNKNOWNS_MAX][16];
    const char *list[CT_UNKNOWNS_MAX] = {NULL};
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "x%d", i);
        list[i] = names[i];
    }
    return ct_ring_simple(ctx, n, list, CT_DEGREVLEX);
}

static ct_ring *written(ct_context *ctx, writer *write, int n, ct_polys *in) {
    ct_ring *ring = plain_ring(ctx, n);
    for (int k = 0; k < n; k++) {
        ct_text t = {0};
        write(&t, n, k);
        const char *text = t.s[0] == '+' ? t.s + 1 : t.s;
        if (ct_poly_parse(ctx, ring, ct_polys_add(in), text) != CT_OK) return NULL;
        ct_text_clear(&t);
    }
    return ring;
}

// The loops of a mechanism, as `configurations` solves them.
static ct_ring *loops(ct_context *ctx, const char *path, ct_polys *in) {
    ct_model *model = NULL;
    ct_loop_system s;
    ct_loop_options options = {.complete = true, .digits = CT_GEOMETRY_DIGITS};
    if (ct_model_read(ctx, path, 0, NULL, &model) || ct_loop_system_new(ctx, model, &options, &s))
        return NULL;
    ct_ring *ring = plain_ring(ctx, s.system.ring->n);
    for (int i = 0; i < s.system.equations.n; i++)
        ct_poly_convert(ring, ct_polys_add(in), s.system.ring, s.system.equations.p + i, NULL);
    return ring;
}

// measurement --------------------------------------------------------------------------------------
static const struct {
    const char *name; // a file of tests/algebra unless one of the next two is given
    writer *write;
    int n;
    const char *mechanism;
} systems[] = {
    {"cyclic-4", cyclic, 4, NULL},   {"cyclic-5", cyclic, 5, NULL},
    {"cyclic-6", cyclic, 6, NULL},   {"noon-3", noon, 3, NULL},
    {"noon-4", noon, 4, NULL},       {"noon-5", noon, 5, NULL},
    {"katsura-5", katsura, 6, NULL}, {"katsura-6", katsura, 7, NULL},
    {"katsura-7", katsura, 8, NULL}, {"eco8", NULL, 0, NULL},
    {"eight_link", NULL, 0, NULL},   {"platform", NULL, 0, NULL},
    {"stewart", NULL, 0, NULL},      {"6R arm", NULL, 0, "tests/configurations/six_r_general.yaml"},
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static ct_ring *system_at(ct_context *ctx, int k, ct_polys *in) {
    if (systems[k].write) return written(ctx, systems[k].write, systems[k].n, in);
    if (!systems[k].mechanism) return read_system(ctx, systems[k].name, CT_DEGREVLEX, in);
    char *path = ct_format("%s/%s", CT_SOURCE_DIR, systems[k].mechanism);
    ct_ring *ring = loops(ctx, path, in);
    ct_free(path);
    return ring;
}

// CPU seconds of one basis; negative: failed.
static double seconds_of(ct_context *ctx, const ct_ring *ring, const ct_polys *in, ct_polys *basis,
                         const ct_groebner_options *options) {
    int runs = 0;
    double start = cpu_seconds();
    for (; cpu_seconds() - start < LONG_ENOUGH_CPU; runs++) {
        ct_polys_clear(ring, basis);
        if (ct_groebner(ctx, ring, basis, in, options)) return -1;
    }
    return (cpu_seconds() - start) / runs;
}

static bool measure(ct_context *ctx, int k) {
    ct_polys in = {0}, basis = {0};
    ct_ring *ring = system_at(ctx, k, &in);
    ct_groebner_stats stats = {0};
    ct_groebner_options plain = {.unchecked = true}, checked = {.stats = &stats};
    double ours = ring ? seconds_of(ctx, ring, &in, &basis, &plain) : -1;
    double sure = ours < 0 ? -1 : seconds_of(ctx, ring, &in, &basis, &checked);
    if (sure < 0) {
        printf("%-11s %s\n", systems[k].name,
               ct_message_count(ctx) ? ct_message(ctx, 0) : "not found");
        return false;
    }
    printf("%-11s %5d %6ld %6d %6d %9.5f %9.5f", systems[k].name, basis.n,
           (long)ct_polys_terms(&basis), stats.bits, stats.primes, ours, sure);
    fflush(stdout);
    print_ratios(ours, sure, beside_singular(ring, &in, "", "ideal g=std(i);"));
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
    return true;
}

int main(int argc, char **argv) {
    ct_context *ctx = ct_context_new();
    bool good = true;
    printf("%-11s %5s %6s %6s %6s %9s %9s %9s %8s %8s\n", "system", "gens", "terms", "bits",
           "primes", "basis s", "checked s", "Singular", "basis", "checked");
    for (int k = 0; k < SYSTEMS; k++)
        if (argc < 2 || !strcmp(argv[1], systems[k].name)) good = measure(ctx, k) && good;
    ct_context_free(ctx);
    return !good;
}
