// Limits of time and memory are kept, numbers of FLINT included: huge coefficients, symbols whose
// polynomials explode inside one greatest common divisor. The peak is what the allocator saw. And
// freedoms left open are told in bounded time, without a basis that would take hours.
#include "harness.h"

#include "util/util.h"

#include <time.h>

// Three quadrics with nine symbols: no computer holds their basis.
static const char symbols[] =
    "unknowns: [x, y, z]\n"
    "parameters: {a: 2, b: 3, c: 5, d: 7, e: 11, f: 13, g: 17, h: 19, k: 23}\n"
    "equations:\n"
    "  - a*x^2 + b*y^2 + c*z^2 + d*x*y + e*x*z + f*y*z + g*x + h*y + k\n"
    "  - b*x^2 + c*y^2 + a*z^2 + h*x*y + k*x*z + g*y*z + d*x + e*z + f\n"
    "  - c*x^2 + a*y^2 + b*z^2 + g*x*y + d*x*z + e*y*z + k*y + f*z + h\n";

static long long peak;
static bool watch(void) {
    if (ct_memory_bytes() > peak) peak = ct_memory_bytes();
    return false;
}

// Of the processor, so that other work on the machine does not count.
static double cpu_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

// One computation: its status, the bytes beyond those before, the last message.
typedef struct outcome {
    ct_status status;
    long long bytes;
    double seconds;
    char message[160];
} outcome;

static outcome finish(ct_context *ctx, ct_status status, long long before, double start) {
    outcome o = {.status = status, .bytes = peak - before, .seconds = cpu_seconds() - start};
    int n = ct_message_count(ctx);
    if (n) snprintf(o.message, sizeof o.message, "%s", ct_message(ctx, n - 1));
    ct_memory_refuses = NULL;
    ct_context_free(ctx);
    return o;
}

static outcome basis_with_symbols(size_t bytes, double seconds) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "k"};
    char *path = ct_format("%s/test_configuration_limits.yaml", CT_BUILD_DIR);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(symbols, file);
    fclose(file);
    ct_basis_options options;
    ct_basis_options_init(&options);
    options.n_symbolic = 9, options.symbolic = names;
    options.bytes = bytes, options.seconds = seconds;
    ct_context *ctx = ct_context_new();
    ct_basis_result *r = NULL;
    long long before = peak = ct_memory_bytes();
    double start = cpu_seconds();
    ct_memory_refuses = watch;
    ct_status status = ct_basis(ctx, path, 0, NULL, &options, &r);
    assert_null(r);
    outcome o = finish(ctx, status, before, start);
    ct_free(path);
    return o;
}

static void symbols_keep_memory(void **state) {
    (void)state;
    for (size_t bytes = 2000000; bytes <= 32000000; bytes *= 4) {
        long long before = ct_memory_bytes();
        outcome o = basis_with_symbols(bytes, 0);
        char *expected = ct_format("needs more than %zu MB", bytes / 1000000);
        assert_int_equal(o.status, CT_NUMERICS);
        assert_non_null(strstr(o.message, expected));
        assert_true(o.bytes > (long long)bytes / 2 && o.bytes <= 3 * (long long)bytes / 2);
        ct_free(expected);
        assert_true(ct_memory_bytes() <= before + 64); // nothing is left
    }
}

static void symbols_keep_time(void **state) {
    (void)state;
    outcome o = basis_with_symbols(0, 1);
    assert_int_equal(o.status, CT_NUMERICS);
    assert_non_null(strstr(o.message, "was not finished within 1 s"));
    assert_true(o.seconds < 10);
}

// Two conics whose coefficients have so many digits.
static outcome conics(int digits, size_t bytes) {
    ct_text t = {0};
    unsigned seed = 1;
    ct_text_add(&t, "unknowns: [x, y]\nequations:\n");
    for (int k = 0; k < 2; k++) {
        static const char *const terms[] = {"*x^2", "*x*y", "*y^2", "*x", "*y", ""};
        for (int i = 0; i < 6; i++) {
            ct_text_add(&t, i ? " + " : "  - ");
            for (int d = 0; d < digits; d++) {
                seed = seed * 1664525u + 1013904223u;
                ct_text_printf(&t, "%u", 1 + (seed >> 16) % 9);
            }
            ct_text_add(&t, terms[i]);
        }
        ct_text_add(&t, "\n");
    }
    ct_configurations_options options;
    ct_configurations_options_init(&options);
    options.bytes = bytes;
    ct_context *ctx = ct_context_new();
    ct_configurations_result *r = NULL;
    long long before = peak = ct_memory_bytes();
    double start = cpu_seconds();
    ct_memory_refuses = watch;
    ct_status status = ct_configurations_text(ctx, "text", t.s, t.n, 0, NULL, &options, &r);
    outcome o = finish(ctx, status, before, start);
    assert_int_equal(status == CT_OK, r != NULL);
    if (r) assert_int_equal(r->count, 4);
    ct_configurations_free(r);
    ct_text_clear(&t);
    return o;
}

static void huge_coefficients_keep_memory(void **state) {
    (void)state;
    outcome whole = conics(1000, 0);
    assert_int_equal(whole.status, CT_OK);
    // enough is enough, and less is not
    size_t need = (size_t)whole.bytes;
    assert_int_equal(conics(1000, need).status, CT_OK);
    for (size_t share = 2; share <= 8; share *= 2) {
        outcome o = conics(1000, need / share);
        assert_int_equal(o.status, CT_NUMERICS);
        assert_non_null(strstr(o.message, "needs more than"));
        const long long message = 4096; // and what else belongs to the context
        const long long most = 3 * (long long)(need / share) / 2 + message;
        if (o.bytes > most)
            fail_msg("1/%zu of %zu: %lld bytes, %lld allowed", share, need, o.bytes, most);
    }
}

// freedoms left open ------------------------------------------------------------------------------
static ct_configurations_result *solve(const char *text) {
    ct_context *ctx = ct_context_new();
    ct_configurations_result *r = NULL;
    assert_int_equal(ct_configurations_text(ctx, "text", text, strlen(text), 0, NULL, NULL, &r),
                     CT_OK);
    ct_context_free(ctx);
    return r;
}

// A platform on six legs, of which some have no length: an exact basis would take hours.
static void open_platforms_end(void **state) {
    (void)state;
    char *file = read_text(CT_SOURCE_DIR "/tests/configurations/stewart_universal.yaml");
    char *initial = strstr(file, "\ninitial:");
    assert_non_null(initial);
    *initial = 0;
    for (int given = 0; given < 6; given += 2) {
        ct_text t = {0};
        ct_text_printf(&t, "%s\ninitial: {", file);
        for (int k = 0; k < given; k++) ct_text_printf(&t, "%sp%d: 0", k ? ", " : "", k);
        ct_text_add(&t, "}\n");
        double start = cpu_seconds();
        ct_configurations_result *r = solve(t.s);
        assert_true(cpu_seconds() - start < 20); // half a second without sanitizers
        assert_int_equal(r->dimension, 6 - given);
        assert_int_equal(r->n_free, 6 - given);
        for (int i = 0; i < r->n_free; i++) assert_int_equal(r->free[i][0], 'p'); // a slide
        ct_configurations_free(r);
        ct_text_clear(&t);
    }
    ct_free(file);
}

// Eight dense quadrics in eleven unknowns, at random.
static void open_systems_end(void **state) {
    (void)state;
    enum { N = 11, EQUATIONS = 8 };
    ct_text t = {0};
    unsigned seed = 7;
    ct_text_add(&t, "unknowns: [a, b, c, d, e, f, g, h, i, j, k]\nequations:\n");
    for (int q = 0; q < EQUATIONS; q++) {
        ct_text_add(&t, "  - 5");
        for (int i = 0; i < N; i++)
            for (int j = i; j <= N; j++) {
                seed = seed * 1664525u + 1013904223u;
                ct_text_printf(&t, " + (%d)*%c", (int)(seed >> 16) % 19 - 9, 'a' + i);
                if (j < N) ct_text_printf(&t, "*%c", 'a' + j);
            }
        ct_text_add(&t, "\n");
    }
    double start = cpu_seconds();
    ct_configurations_result *r = solve(t.s);
    assert_true(cpu_seconds() - start < 20);
    assert_int_equal(r->dimension, N - EQUATIONS);
    assert_int_equal(r->n_free, N - EQUATIONS);
    assert_true(r->n_notes > 0 && strstr(r->notes[0], "there may be more freedoms"));
    ct_configurations_free(r);
    ct_text_clear(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_keep_memory),
        cmocka_unit_test(symbols_keep_time),
        cmocka_unit_test(huge_coefficients_keep_memory),
        cmocka_unit_test(open_platforms_end),
        cmocka_unit_test(open_systems_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
