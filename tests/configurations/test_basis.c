// cotree basis: the worked examples of the source digit for digit, figures of the substitutions,
// proofs, symbols, mechanisms, and what is refused.
#include "harness.h"

#include "algebra/groebner/groebner.h"

#include <ctype.h>

typedef ct_basis_result result;

static char *written(const char *text) {
    char *path = ct_format("%s/test_basis.yaml", CT_BUILD_DIR);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static result *basis_of_file(ct_context *ctx, const char *path, const ct_basis_options *o,
                             ct_status expected) {
    result *r = NULL;
    ct_status status = ct_basis(ctx, path, 0, NULL, o, &r);
    if (status != expected) print_messages(ctx);
    assert_int_equal(status, expected);
    assert_int_equal(status == CT_OK, r != NULL);
    return r;
}

static result *basis(const char *text, const ct_basis_options *o) {
    ct_context *ctx = ct_context_new();
    char *path = written(text);
    result *r = basis_of_file(ctx, path, o, CT_OK);
    ct_free(path);
    ct_context_free(ctx);
    return r;
}

static void check_generators(const result *r, int n, const char *const *expected) {
    assert_int_equal(r->n_generators, n);
    for (int i = 0; i < n; i++) assert_string_equal(r->generators[i], expected[i]);
}

static const char pair[] = "unknowns: [x, y]\n"
                           "equations: [4*x^2*y + 9*x*y + 4*x - 7*y - 4, x*y - y + 3]\n";
static const char surfaces[] = "unknowns: [x, y, z]\nequations: [x^2 + y^2 + z^2 - 8*x + 2*y - 8,"
                               " 3*x^2 - 2*x*y - y^2 + 2*y*z + 2*z - 4, 2*x - 10*y - 3*z]\n";
static const char crank[] = "parameters: {l1: 3/10, l2: 2/5}\nunknowns: [s, theta, beta]\n"
                            "equations: [l1*cos(theta) + l2*sin(beta) - s,"
                            " l1*sin(theta) - l2*cos(beta)]\n";

// exact -------------------------------------------------------------------------------------------
static void test_exact(void **state) {
    (void)state;
    ct_basis_options o;
    ct_basis_options_init(&o);
    o.order = "lex";
    o.prove = true;
    result *r = basis(pair, &o);
    check_generators(r, 2, (const char *[]){"2*y^2 - 17*y + 8", "8*x - 6*y + 43"});
    assert_true(r->proved);
    assert_int_equal(r->dimension, 0);
    assert_int_equal(r->degree, 2);
    assert_int_equal(r->degrees[0], 2);
    ct_basis_free(r);
    r = basis(surfaces, &o);
    check_generators(
        r, 3,
        (const char *[]){"34953*z^4 - 28960*z^3 - 508448*z^2 + 463360*z - 812800",
                         "272676096*y + 803919*z^3 - 11291792*z^2 + 89390832*z + 44330624",
                         "272676096*x + 4019595*z^3 - 56458960*z^2 + 37940016*z + 221653120"});
    ct_basis_free(r);
    o.order = NULL;
    r = basis(surfaces, &o);
    assert_int_equal(r->n_generators, 4);
    assert_string_equal(r->generators[1], "368*y*z - 65*z^2 + 4864*y + 1640*z + 816");
    assert_true(r->proved);
    ct_basis_free(r);
}

static void test_resultants(void **state) {
    (void)state;
    ct_basis_options o;
    ct_basis_options_init(&o);
    o.order = "lex";
    o.n_resultant = 1;
    o.resultant = (const char *[]){"x", "y"};
    result *r = basis(surfaces, &o);
    assert_int_equal(r->n_resultants, 2);
    assert_string_equal(r->resultants[0],
                        "20*y^4 - 16*y^3*z + 24*y^3 + 32*y^2*z^2 - 72*y^2*z - 444*y^2 - 12*y*z^3 "
                        "- 4*y*z^2 + 408*y*z + 208*y + 9*z^4 - 12*z^3 - 116*z^2 + 464*z - 368");
    assert_string_equal(r->resultants[1], "104*y^2 + 60*y*z - 152*y + 13*z^2 - 48*z - 32");
    ct_basis_free(r);
    o.n_resultant = 2;
    r = basis(surfaces, &o);
    assert_int_equal(r->n_resultants, 1);
    assert_string_equal(r->resultants[0],
                        "26746035600*z^8 - 153807171200*z^7 - 509155874048*z^6 + "
                        "4842191929344*z^5 - 3082535620608*z^4 - 32918369501184*z^3 + "
                        "67097262882816*z^2 - 82913048657920*z + 48247183769600");
    ct_basis_free(r);
}

// Degree of the input, unknowns, multiplications, additions of the three forms of an angle.
static void test_substitutions(void **state) {
    (void)state;
    static const struct {
        const char *form;
        int degree, unknowns, multiplications, additions;
    } forms[] = {{"halfangle", 5, 3, 59, 23}, {"euler", 4, 4, 33, 10}, {"sincos", 2, 5, 11, 7}};
    for (int i = 0; i < 3; i++) {
        ct_basis_options o;
        ct_basis_options_init(&o);
        o.order = "lex";
        o.substitution = forms[i].form;
        result *r = basis(crank, &o);
        assert_int_equal(r->input_degree, forms[i].degree);
        assert_int_equal(r->n_variables, forms[i].unknowns);
        assert_int_equal(r->multiplications, forms[i].multiplications);
        assert_int_equal(r->additions, forms[i].additions);
        assert_int_equal(r->dimension, 1);
        ct_basis_free(r);
    }
    // the order of unknowns is the order of solution
    static const struct {
        const char *variables[4], *generators[4];
    } driven[] = {
        {{"s", "theta", "beta", "beta"},
         {"c_beta^2 + s_beta^2 - 1", "3*s_theta - 4*c_beta", "9*c_theta^2 - 16*s_beta^2 + 7",
          "10*s - 3*c_theta - 4*s_beta"}},
        {{"s", "beta", "theta", "theta"},
         {"c_theta^2 + s_theta^2 - 1", "16*s_beta^2 + 9*s_theta^2 - 16", "4*c_beta - 3*s_theta",
          "10*s - 4*s_beta - 3*c_theta"}},
        {{"beta", "s_theta", "c_theta", "s"},
         {"60*c_theta*s - 100*s^2 + 7", "s_theta^2 + c_theta^2 - 1", "4*s_beta + 3*c_theta - 10*s",
          "4*c_beta - 3*s_theta"}},
    };
    for (int i = 0; i < 3; i++) {
        ct_basis_options o;
        ct_basis_options_init(&o);
        o.order = "lex";
        o.n_variables = 4;
        o.variables = driven[i].variables;
        result *r = basis(crank, &o);
        check_generators(r, 4, driven[i].generators);
        ct_basis_free(r);
    }
}

// digits ------------------------------------------------------------------------------------------
static void test_digits(void **state) {
    (void)state;
    static const char measured[] =
        "unknowns: [x, y]\nequations: [4*x^2*y + 9*x*y + 4*x - 7*y - 4, x*y - y + 3.000001]\n";
    static const char three[] =
        "unknowns: [x, y]\nequations: [x^2 + y^2 - 6*x - 2*y + 5, x^2 - 6*x - y + 7,"
        " x - 4*y + 3.000001]\n";
    static const char limit[] =
        "parameters: {phi: (1 + sqrt(5))/2}\nunknowns: [x, y]\nequations:\n"
        "  - x^2 + y^2 - 6*x - (3*exp(1)*pi - phi)/12*y + (10*sqrt(26) - 1)/10\n"
        "  - x^2 - (21*sqrt(3) - 3*sqrt(17))/4*x - y + 7\n";
    static const struct {
        const char *text;
        int digits;
        const char *generators[2];
    } expected[] = {
        {pair, 2, {"y^2 - 9.3*y + 4.3", "x - 0.70*y + 5.5"}},
        {pair, 3, {"y^2 - 8.53*y + 4.00", "x - 0.750*y + 5.40"}},
        {pair, 4, {"y^2 - 8.500*y + 4.000", "x - 0.7500*y + 5.375"}},
        {pair, 5, {"y^2 - 8.5000*y + 4.0000", "x - 0.75000*y + 5.3750"}},
        {measured, 6, {"y^2 - 8.50000*y + 4.00000", "x - 0.750000*y + 5.37500"}},
        {measured, 7, {"y^2 - 8.500001*y + 4.000003", "x - 0.7499996*y + 5.374997"}},
        {measured, 8, {"y^2 - 8.5000027*y + 4.0000034", "x - 0.74999962*y + 5.3749988"}},
        {three, 2, {"y - 2.0", "x - 5.0"}},
        {three, 6, {"y - 2.00000", "x - 5.00000"}},
        {three, 7, {"y - 2.000000", "x - 4.999999"}},
        {three, 8, {"y - 1.9999999", "x - 4.9999986"}},
        {limit, 3, {"y^2 - 1.00*y - 2.00", "x^2 - 6.00*x - 1.00*y + 7.00"}},
        {limit, 4, {"y^2 - 1.000*y - 2.001", "x^2 - 6.000*x - 1.000*y + 7.000"}},
        {limit,
         5,
         {"y^4 - 2.0003*y^3 - 2.9964*y^2 + 3.9971*y + 3.9933",
          "x + 1111.1*y^2 - 1111.2*y - 2223.3"}},
        {limit,
         6,
         {"y^4 - 2.00021*y^3 - 2.99611*y^2 + 3.99675*y + 3.99264",
          "x + 1063.83*y^2 - 1063.94*y - 2128.70"}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ct_basis_options o;
        ct_basis_options_init(&o);
        o.order = "lex";
        o.digits = expected[i].digits;
        result *r = basis(expected[i].text, &o);
        check_generators(r, 2, expected[i].generators);
        assert_false(r->proved);
        ct_basis_free(r);
    }
    // exactly, circle, parabola and line do not meet
    result *r = basis(three, NULL);
    check_generators(r, 1, (const char *[]){"1"});
    assert_int_equal(r->dimension, -1);
    ct_basis_free(r);
}

// symbols and mechanisms --------------------------------------------------------------------------
static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) n++;
    return n;
}

static void test_landing_gear(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    ct_basis_options o;
    ct_basis_options_init(&o);
    o.order = "lex";
    o.n_symbolic = 1;
    o.symbolic = (const char *[]){"p"};
    result *r = basis_of_file(ctx, CT_MODELS_DIR "/systems/landing_gear_system.yaml", &o, CT_OK);
    assert_int_equal(r->n_generators, 8);
    assert_int_equal(r->degree, 6);
    // a sextic of 28 terms, one of which has no p; the others are linear
    const char *sextic = r->generators[0];
    assert_int_equal(count(sextic, "*p") + 1, 28);
    assert_non_null(strstr(sextic, "*p^6)*sB^6"));
    size_t longest = 0;
    for (const char *at = sextic; *at; at += strspn(at, "0123456789") + !isdigit(*at))
        if (strspn(at, "0123456789") > longest) longest = strspn(at, "0123456789");
    assert_int_equal(longest, 62);
    ct_basis_free(r);
    ct_context_free(ctx);
}

static void test_mechanisms(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    ct_basis_options o;
    ct_basis_options_init(&o);
    // the crank free
    o.order = "lex";
    o.n_variables = 2;
    o.variables = (const char *[]){"slide", "O"};
    result *r = basis_of_file(ctx, CT_MODELS_DIR "/slider_crank.yaml", &o, CT_OK);
    check_generators(r, 4,
                     (const char *[]){"c_(O+A)^2 + s_(O+A)^2 - 1", "3*s_O + 4*s_(O+A)",
                                      "9*c_O^2 + 16*s_(O+A)^2 - 9",
                                      "10*slide - 3*c_O - 4*c_(O+A)"});
    assert_true(r->mechanism);
    ct_basis_free(r);
    // lengths as symbols
    ct_basis_options_init(&o);
    o.n_symbolic = 2;
    o.symbolic = (const char *[]){"l1", "l2"};
    r = basis_of_file(ctx, CT_MODELS_DIR "/slider_crank.yaml", &o, CT_OK);
    assert_int_equal(r->degree, 2);
    assert_int_equal(r->n_symbols, 2);
    ct_basis_free(r);
    // a proof; as many solutions as configurations
    ct_basis_options_init(&o);
    o.prove = true;
    r = basis_of_file(ctx, CT_MODELS_DIR "/three_rrr.yaml", &o, CT_OK);
    assert_int_equal(r->degree, 6);
    assert_true(r->proved);
    ct_basis_free(r);
    ct_context_free(ctx);
}

// What is refused ---------------------------------------------------------------------------------
static void test_refused(void **state) {
    (void)state;
    const struct {
        const char *text;
        ct_basis_options o;
        ct_status status;
        const char *message;
    } wrong[] = {
        {pair, {.order = "magic"}, CT_USAGE, "unknown order 'magic'"},
        {pair, {.substitution = "tan"}, CT_USAGE, "unknown substitution 'tan'"},
        {pair, {.digits = 1}, CT_USAGE, "--digits: 2 to 20"},
        {pair, {.digits = 5, .prove = true}, CT_USAGE, "--digits does not go with --prove"},
        {pair,
         {.n_variables = 1, .variables = (const char *[]){"xx"}},
         CT_WRONG_MODEL,
         "there is no unknown 'xx'"},
        {crank,
         {.n_symbolic = 1, .symbolic = (const char *[]){"beta"}},
         CT_WRONG_MODEL,
         "use --substitution halfangle"},
        {"parameters: {a: 2, b: 2*a}\nunknowns: [x]\nequations: [x - b]\n",
         {.n_symbolic = 1, .symbolic = (const char *[]){"a"}},
         CT_WRONG_MODEL,
         "parameter 'b' uses 'a'"},
        {pair,
         {.n_resultant = 1, .resultant = (const char *[]){"w"}},
         CT_WRONG_MODEL,
         "--resultant: there is no unknown 'w'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ct_context *ctx = ct_context_new();
        char *path = written(wrong[i].text);
        basis_of_file(ctx, path, &wrong[i].o, wrong[i].status);
        if (!has_message(ctx, wrong[i].message)) {
            print_messages(ctx);
            fail_msg("no '%s'", wrong[i].message);
        }
        ct_free(path);
        ct_context_free(ctx);
    }
}

// The proof fails where an element does not belong to the ideal.
static void test_false_proof(void **state) {
    (void)state;
    ct_context *ctx = ct_context_new();
    ct_ring *ring = ct_ring_simple(ctx, 2, (const char *[]){"x", "y"}, CT_DEGREVLEX);
    ct_polys in = {0}, basis = {0};
    assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&in), "x^2 - y^2"), CT_OK);
    assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&in), "x*y - 1"), CT_OK);
    assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&basis), "x - y"), CT_OK);
    assert_int_equal(ct_poly_parse(ctx, ring, ct_polys_add(&basis), "y^2 - 1"), CT_OK);
    bool proved = true;
    assert_int_equal(ct_groebner_prove(ctx, ring, &basis, &in, NULL, &proved), CT_OK);
    assert_false(proved);
    ct_polys_clear(ring, &basis);
    assert_int_equal(ct_groebner(ctx, ring, &basis, &in, NULL), CT_OK);
    assert_int_equal(ct_groebner_prove(ctx, ring, &basis, &in, NULL, &proved), CT_OK);
    assert_true(proved);
    ct_polys_clear(ring, &in);
    ct_polys_clear(ring, &basis);
    ct_ring_free(ring);
    ct_context_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),         cmocka_unit_test(test_resultants),
        cmocka_unit_test(test_substitutions), cmocka_unit_test(test_digits),
        cmocka_unit_test(test_landing_gear),  cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_false_proof),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
