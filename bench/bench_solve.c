// CPU seconds for the full solution of the three published systems (basis, eliminant, certified
// roots, all unknowns, residuals), beside Singular's solve in the same run (its roots are not
// certified); then for the lexicographic basis by change of order, beside Singular's fglm. Bars:
// 0.12 s for the general mechanism, 0.1 s for the others, 1 s for its lexicographic basis, 300 MB.
#include "beside_singular.h"

#include "algebra/quotient/quotient.h"
#include "algebra/solve/solve.h"

#include <sys/resource.h>

static const struct {
    const char *name;
    double bar;
} systems[] = {{"eight_link", 0.1}, {"platform", 0.1}, {"stewart", 0.12}};
static const double LEX_BAR = 1;

static bool print_bar(double seconds, double bar) {
    char text[32];
    snprintf(text, sizeof text, "< %g s %s", bar, seconds < bar ? "yes" : "NO");
    printf(" %9.4f  %-12s", seconds, text);
    fflush(stdout);
    return seconds < bar;
}

static bool measure(ct_context *ctx, int k) {
    ct_polys in = {0};
    ct_ring *ring = read_system(ctx, systems[k].name, CT_DEGREVLEX, &in);
    ct_solutions s = {0};
    ct_status status = ring ? CT_OK : CT_WRONG_MODEL;
    int runs = 0;
    double start = cpu_seconds();
    for (; !status && cpu_seconds() - start < LONG_ENOUGH_CPU; runs++) {
        ct_solutions_clear(&s);
        status = ct_solve(ctx, ring, &in, NULL, &s);
    }
    if (status) return false;
    double ours = (cpu_seconds() - start) / runs;
    printf("%-11s %5d %5d", systems[k].name, s.count, s.n_real);
    bool good = print_bar(ours, systems[k].bar);
    print_ratio(ours, beside_singular(ring, &in, "LIB \"solve.lib\";\n",
                                      "def R=solve(i,16,\"nodisplay\"); kill R; setring r;"));
    ct_solutions_clear(&s);
    ct_polys_clear(ring, &in);
    ct_ring_free(ring);
    return good;
}

// Degrevlex, then lex.
static bool measure_lex(ct_context *ctx, const char *name) {
    ct_polys in = {0}, basis = {0}, lex = {0};
    ct_ring *ring = read_system(ctx, name, CT_DEGREVLEX, &in);
    ct_ring *to = ring ? ct_ring_reorder(ctx, ring, 1, &(ct_order_block){ring->n, CT_LEX}) : NULL;
    double start = cpu_seconds();
    if (!to || ct_groebner(ctx, ring, &basis, &in, NULL) ||
        ct_change_order(ctx, to, &lex, ring, &basis, NULL))
        return false;
    double ours = cpu_seconds() - start;
    printf("%-11s %11d", name, lex.n);
    bool good = print_bar(ours, LEX_BAR);
    ct_text t = {0};
    ct_text_add(&t, "ideal g=std(i); ring l=0,(");
    for (int i = 0; i < to->n; i++) ct_text_printf(&t, "%s%s", i ? "," : "", to->names[i]);
    ct_text_add(&t, "),lp; ideal h=fglm(r,g); setring r; kill l;");
    print_ratio(ours, beside_singular(ring, &in, "", t.s));
    ct_text_clear(&t);
    ct_polys_clear(ring, &in), ct_polys_clear(ring, &basis), ct_polys_clear(to, &lex);
    ct_ring_free(to), ct_ring_free(ring);
    return good;
}

int main(void) {
    ct_context *ctx = ct_context_new();
    bool good = true;
    printf("%-11s %5s %5s %9s  %-12s %9s %8s\n", "all roots", "count", "real", "CPU s", "bar",
           "Singular", "ratio");
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++)
        good = measure(ctx, (int)k) && good;
    printf("%-11s %11s %9s  %-12s %9s %8s\n", "lex basis", "gens", "CPU s", "bar", "Singular",
           "ratio");
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++)
        good = measure_lex(ctx, systems[k].name) && good;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("most memory: %.0f MB\n", (double)usage.ru_maxrss / 1024);
    ct_context_free(ctx);
    return !good || usage.ru_maxrss > 300 * 1024;
}
