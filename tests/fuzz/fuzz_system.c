// libFuzzer target for the reader of polynomial systems: any bytes must give a system, a hint that
// it is a mechanism, or messages; and what is read must be sound: rings and polynomials in order.
// A first line "#set NAME=EXPR" is also given as an override.
#include "configurations/polynomials.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml 0.7.12 loses a buffer when a long quoted scalar with escapes ends in a syntax error.
const char *__lsan_default_suppressions(void) {
    return "leak:libfyaml";
}

static void check_order(const ct_ring *ring, const ct_poly *f) {
    for (slong i = 0; i + 1 < f->n; i++)
        if (ct_monomial_compare(ring, ct_poly_exps(ring, f, i), ct_poly_exps(ring, f, i + 1)) <= 0)
            abort();
}

static void check_system(const ct_polynomials *s) {
    const ct_trig_system *t = &s->system;
    if (!t->ring || t->ring->n < 1 || t->ring->n > CT_UNKNOWNS_MAX || t->equations.n < s->n)
        abort();
    if (s->hide < -1 || s->hide >= t->ring->n) abort();
    for (int i = 0; i < t->equations.n; i++) {
        if (!t->equations.p[i].n) abort();
        check_order(t->ring, t->equations.p + i);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), set[128] = "";
    const char *sets[1] = {set};
    memcpy(text, data, size);
    text[size] = '\0';
    if (size > 5 && !strncmp(text, "#set ", 5)) {
        size_t n = strcspn(text + 5, "\n");
        if (n < sizeof set) memcpy(set, text + 5, n);
    }
    ct_context *ctx = ct_context_new();
    ct_region region = {0};
    ct_region_open(&region);
    ct_polynomials *system = NULL;
    ct_status status = ct_polynomials_read_text(ctx, "fuzz.yaml", text, size, *set != 0, sets, NULL,
                                                0, NULL, &system);
    if (status != CT_OK && (system || !ct_message_count(ctx))) abort();
    if (system) check_system(system);
    ct_region_close(&region);
    ct_region_free(&region);
    ct_context_free(ctx);
    free(text);
    return 0;
}
