// Blocks for the algebra engine: what becomes of square roots and quotients, numbers of solutions
// against Singular, what is recalled from the cache.
#include "harness.h"

#include "algebra/singular.h"
#include "closure/elimination/block_cache.h"
#include "closure/elimination/horner.h"
#include "closure/elimination/modular.h"

#include <flint/ulong_extras.h>

// A block from text: unknowns and signs by name, what else stands there is known.
typedef struct example {
    int n;
    const char *residual[3], *unknown[3];
    bool is_angle[3];
    int solutions, least;
} example;

static const example examples[] = {
    // ellipse and circle; two circles of a bar that are mirror images; a point on a line
    {1, {"a*cos(x)^2 + b*sin(x)*cos(x) + c*cos(x) + d*sin(x) + e"}, {"x"}, {true}, 4, 4},
    {2,
     {"a + b*cos(x) + c*cos(y) + d*(cos(x)*cos(y) + sin(x)*sin(y))", "e + f*cos(x) + g*cos(y)"},
     {"x", "y"},
     {true, true},
     6,
     3},
    {1, {"a*cos(x) + b*sin(x) + c"}, {"x"}, {true}, 2, 2},
    // a root, which has both signs, and a quotient that must not vanish
    {1, {"z + a - sqrt(b + c*z + z^2)"}, {"z"}, {false}, 1, 1},
    {1, {"z*sqrt(b + z^2) - a"}, {"z"}, {false}, 4, 4},
    {1, {"(z^2 - a)/(z - b) + c"}, {"z"}, {false}, 2, 2},
    {1, {"(z^2 - a^2)/(z - a) + c"}, {"z"}, {false}, 1, 1},
    // three points of a plane on lines; a table on three jacks
    {3,
     {"a*sin(y) - b*sin(x)*cos(y) + cos(x)*cos(y)*(c - z)",
      "d*sin(y) - e*sin(x)*cos(y) + cos(x)*cos(y)*(f - z)",
      "g*sin(y) - h*sin(x)*cos(y) + cos(x)*cos(y)*(k - z)"},
     {"x", "y", "z"},
     {true, true, false},
     4,
     1},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    (void)primes;
    (void)offset;
    (void)error;
    *value = ct_symbol(data, CT_SYMBOL_PARAMETER, name);
    return true;
}

static ct_ex parsed(ct_pool *pool, const char *text) {
    ct_names names = {.data = pool, .resolve = resolve};
    ct_parse_error error;
    ct_ex e = CT_ZERO;
    assert_true(ct_parse(pool, text, &names, &e, &error));
    return e;
}

// Equation order[i] and unknown order[i] are number i.
static ct_block_system block_of(ct_pool *pool, const example *x, const int *order) {
    ct_ex residual[3], coordinate[3];
    bool is_angle[3];
    for (int i = 0; i < x->n; i++) {
        residual[i] = parsed(pool, x->residual[order[i]]);
        coordinate[i] = parsed(pool, x->unknown[order[i]]);
        is_angle[i] = x->is_angle[order[i]];
    }
    ct_block_residuals r = {x->n, residual, coordinate, is_angle, 0, NULL};
    ct_block_system s;
    assert_true(ct_block_system_from(pool, &r, false, &s));
    return s;
}

static const int as_it_stands[] = {0, 1, 2};

// shapes -----------------------------------------------------------------------------------------
static bool read_number(void *data, const char *text) {
    return sscanf(text, "%d", (int *)data) == 1;
}

// Solutions of the same system with numbers for its symbols, small enough to be read off residues.
static int by_singular(const ct_block_system *s) {
    ct_ring *plain = ct_block_number_ring(s->ring);
    ct_polys at = {0};
    ct_block_point point = {2147483647u, ct_alloc((size_t)s->ring->n_symbols + 1, 4)};
    uint64_t state = 11;
    for (int i = 0; i < s->ring->n_symbols; i++) point.value[i] = ct_modular_random(&state, 10000);
    ct_block_at(plain, &at, s->ring, &s->equations, &point);
    for (int i = 0; i < at.n; i++)
        for (slong k = 0; k < at.p[i].n; k++)
            if (fmpz_cmp_ui(at.p[i].coefs + k, point.p / 2) > 0)
                fmpz_sub_ui(at.p[i].coefs + k, at.p[i].coefs + k, point.p);
    ct_text t = {0};
    int count = -2;
    singular_system(&t, plain, &at, "dp");
    ct_text_add(&t, "print(vdim(std(i)));\nquit;\n");
    assert_true(singular_run(t.s, 100, read_number, &count));
    ct_text_clear(&t);
    ct_polys_clear(plain, &at);
    ct_ring_free(plain);
    ct_block_point_clear(&point);
    return count;
}

static void solutions(void **state) {
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        ct_pool *pool = ct_pool_new();
        ct_block_system s = block_of(pool, examples + i, as_it_stands);
        for (int which = 0; which < 3; which++) {
            ct_block_point at;
            ct_block_shape shape;
            assert_true(ct_block_point_find(pool, &s, s.known, which, &at));
            assert_true(ct_block_shape_find(&s, &at, &shape));
            assert_int_equal(shape.solutions, examples[i].solutions);
            assert_int_equal(shape.least, examples[i].least);
            ct_block_point_clear(&at);
        }
        ct_block_system_clear(&s);
        ct_pool_free(pool);
    }
}

// With independent symbols, where nothing is lost by that.
static void solutions_by_singular(void **state) {
    (void)state;
    if (!have_singular()) skip();
    for (int i = 0; i < EXAMPLES; i++) {
        if (i == 6) continue; // a stands twice
        ct_pool *pool = ct_pool_new();
        ct_block_system s = block_of(pool, examples + i, as_it_stands);
        int count = by_singular(&s);
        if (count != examples[i].solutions) print_error("block %d: %d\n", i, count);
        assert_int_equal(count, examples[i].solutions);
        ct_block_system_clear(&s);
        ct_pool_free(pool);
    }
}

// Coefficients that are equal are one symbol, numbers that say something stay.
static void abstraction(void **state) {
    (void)state;
    static const example bars = {
        1, {"l1*l2*(cos(x)*cos(a) + sin(x)*sin(a)) + 2*l1*l2*cos(x) + l1*l2"}, {"x"}, {true}, 0, 0};
    ct_pool *pool = ct_pool_new();
    ct_block_system s = block_of(pool, &bars, as_it_stands);
    assert_int_equal(s.n_helpers, 0);
    assert_int_equal(s.equations.n, 2);
    assert_int_equal(s.equations.p[0].n, 3); // cosine, sine, 1: the common factor is gone
    for (int i = 0; i < s.ring->n_symbols; i++)
        for (int k = 0; k < 2; k++)
            assert_false(ct_depends(pool, s.known[i], parsed(pool, k ? "l1" : "l2")));
    ct_block_system_clear(&s);
    static const example roots = {
        1, {"sqrt(b + z)*z + 1/sqrt(b + z) + c/(z + 1)"}, {"z"}, {false}, 0, 0};
    s = block_of(pool, &roots, as_it_stands);
    assert_int_equal(s.n_helpers, 3); // the root, its reciprocal, 1/(z + 1)
    ct_block_system_clear(&s);
    static const char *const not_algebraic[] = {"z + sin(z)", "exp(z)", "atan2(z, a) + z",
                                                "abs(z) - a"};
    for (int i = 0; i < 4; i++) {
        ct_ex e = parsed(pool, not_algebraic[i]), z = parsed(pool, "z");
        ct_block_residuals r = {1, &e, &z, &(bool){false}, 0, NULL};
        assert_false(ct_block_system_from(pool, &r, false, &s));
    }
    ct_pool_free(pool);
}

// Equal roots with signs of their own: both signs of each are solutions.
static void signs(void **state) {
    (void)state;
    ct_pool *pool = ct_pool_new();
    ct_ex z = parsed(pool, "z"), sign[2] = {parsed(pool, "s"), parsed(pool, "t")},
          e = parsed(pool, "s*sqrt(b + z) - t*sqrt(b + z) + c*z");
    ct_block_residuals r = {1, &e, &z, &(bool){false}, 2, sign};
    ct_block_system s;
    ct_block_point at;
    ct_block_shape shape;
    assert_true(ct_block_system_from(pool, &r, false, &s));
    assert_int_equal(s.n_helpers, 2);
    assert_true(ct_block_point_find(pool, &s, s.known, 0, &at));
    assert_true(ct_block_shape_find(&s, &at, &shape));
    assert_int_equal(shape.solutions, 4); // z = 0 twice, and both roots of c^2 z^2 = 4 (b + z)
    assert_int_equal(shape.least, 3);
    ct_block_point_clear(&at);
    ct_block_system_clear(&s);
    ct_pool_free(pool);
}

// recalling --------------------------------------------------------------------------------------
// What is recalled is what would be found, for this system at this point alone.
static void recalled(void **state) {
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        ct_pool *pool = ct_pool_new();
        ct_block_system s = block_of(pool, examples + i, as_it_stands);
        for (int which = 0; which < 2; which++) {
            ct_block_point at;
            assert_true(ct_block_point_find(pool, &s, s.known, which, &at));
            for (int again = 0; again < 2; again++) {
                bool from_cache[2];
                ct_triangular t = {0}, want = {0};
                ct_block_shape shape = ct_block_shape_recall(&s, &at, from_cache);
                assert_int_equal(shape.solutions, examples[i].solutions);
                assert_int_equal(shape.least, examples[i].least);
                bool found = ct_triangular_recall(&s, &at, &t, from_cache + 1);
                assert_int_equal(found, ct_triangular_find(&s, &at, &want));
                if (found) assert_memory_equal(&t, &want, sizeof t);
                assert_int_equal(from_cache[0], again);
                assert_int_equal(from_cache[1], again);
            }
            ct_block_point_clear(&at);
        }
        ct_block_system_clear(&s);
        ct_pool_free(pool);
    }
}

// triangular systems -----------------------------------------------------------------------------
typedef struct solved { // an example with its triangular system
    ct_pool *pool;
    ct_block_system s;
    ct_block_point at[3];
    ct_triangular t;
} solved;

static bool solved_init(solved *x, const example *e) {
    *x = (solved){.pool = ct_pool_new()};
    x->s = block_of(x->pool, e, as_it_stands);
    for (int i = 0; i < 3; i++)
        assert_true(ct_block_point_find(x->pool, &x->s, x->s.known, i, x->at + i));
    return ct_triangular_find(&x->s, x->at, &x->t);
}

static void solved_clear(solved *x) {
    for (int i = 0; i < 3; i++) ct_block_point_clear(x->at + i);
    ct_block_system_clear(&x->s);
    ct_pool_free(x->pool);
}

// Is the polynomial in the ideal, at a point that nothing was found by?
static bool is_member(solved *x, const ct_template_result *r) {
    const ct_block_point *at = x->at + 2;
    ct_ring *plain = ct_block_number_ring(x->s.ring);
    ct_polys in = {0}, basis = {0};
    ct_poly f, left;
    uint32_t value[CT_TEMPLATE_TERMS], known[64];
    // the point is found again by its symbols: coefficients are expressions in these
    ct_ex all[CT_TEMPLATE_TERMS + 64];
    int n = x->s.ring->n_symbols;
    bool found = false;
    for (int i = 0; i < r->n; i++) all[i] = r->coefficient[i];
    for (int i = 0; i < n; i++) all[r->n + i] = x->s.known[i];
    for (uint64_t seed = 0; seed < 200 && !found; seed++) {
        uint32_t out[CT_TEMPLATE_TERMS + 64];
        found = ct_modular_values(x->pool, r->n + n, all, at->p, seed, out) &&
                !memcmp(out + r->n, at->value, (size_t)n * sizeof *out);
        memcpy(value, out, (size_t)r->n * sizeof *value);
        memcpy(known, out + r->n, (size_t)n * sizeof *known);
    }
    assert_true(found);
    ct_poly_init(&f);
    ct_poly_init(&left);
    for (int i = 0; i < r->n; i++) {
        uint32_t e[CT_UNKNOWNS_MAX];
        fmpz_t c;
        fmpz_init_set_ui(c, value[i]);
        for (int k = 0; k < plain->n; k++) e[k] = r->monomial[i].e[k];
        if (value[i]) ct_poly_push(plain, &f, e, c);
        fmpz_clear(c);
    }
    ct_poly_sort(plain, &f);
    ct_block_at(plain, &in, x->s.ring, &x->s.equations, at);
    ct_context *ctx = ct_context_new();
    ct_groebner_options o = {.prime = at->p};
    assert_int_equal(ct_groebner(ctx, plain, &basis, &in, &o), CT_OK);
    bool good = f.n && ct_remainder(plain, &left, &f, &basis, at->p) && !left.n;
    ct_context_free(ctx);
    ct_poly_clear(plain, &f);
    ct_poly_clear(plain, &left);
    ct_polys_clear(plain, &in);
    ct_polys_clear(plain, &basis);
    ct_ring_free(plain);
    return good;
}

// What examples fall into: the degrees, in the order of solving.
static const struct {
    int example, degree[3];
} triangles[] = {{0, {4}}, {1, {3, 1}}, {2, {2}}, {3, {1}}, {5, {2}}, {6, {1}}, {7, {2, 2, 1}}};

static void triangular(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof triangles / sizeof *triangles; i++) {
        solved x;
        assert_true(solved_init(&x, examples + triangles[i].example));
        assert_int_equal(x.t.n, x.s.n);
        for (int k = 0; k < x.t.n; k++) {
            ct_template_result r;
            assert_int_equal(x.t.step[k].degree, triangles[i].degree[k]);
            for (int j = 0; j < x.t.step[k].n; j++) {
                assert_true(ct_template_eliminate(x.pool, &x.s, x.at, x.t.step[k].by + j, &r));
                assert_true(ct_triangular_fits(&x.s, &x.t, k, &r));
                assert_true(is_member(&x, &r));
                if (k) assert_false(ct_triangular_fits(&x.s, &x.t, 0, &r));
            }
        }
        solved_clear(&x);
    }
}

// The same by Singular, over the rationals with numbers for what is known: normal forms are zero.
static void print_number(ct_text *t, ct_pool *pool, ct_ex e) {
    fmpq_t q;
    ct_substitution *s = ct_substitution_new(pool);
    ct_ex *symbols;
    int n = ct_ex_symbols(pool, 1, &e, &symbols);
    for (int i = 0; i < n; i++) {
        uint64_t state = ct_hash(ct_symbol_name(pool, symbols[i]), 1, 3);
        ct_substitution_map(s, symbols[i], ct_int(pool, (long)ct_modular_random(&state, 100)));
    }
    fmpq_init(q);
    assert_true(ct_number_get(pool, ct_substitute(s, e), q));
    char *text = fmpq_get_str(NULL, 10, q);
    ct_text_printf(t, "(%s)", text);
    flint_free(text);
    fmpq_clear(q);
    ct_substitution_free(s);
}

static bool all_zero(void *data, const char *text) {
    ++*(int *)data;
    return !strcmp(text, "0");
}

static void triangular_by_singular(void **state) {
    (void)state;
    if (!have_singular()) skip();
    for (size_t i = 0; i < sizeof triangles / sizeof *triangles; i++) {
        solved x;
        ct_text t = {0};
        int lines = 0, want = 0;
        assert_true(solved_init(&x, examples + triangles[i].example));
        ct_text_add(&t, "ring r=0,(");
        for (int k = 0; k < x.s.ring->n; k++)
            ct_text_printf(&t, "%s%s", k ? "," : "", x.s.ring->names[k]);
        ct_text_add(&t, "),dp;\nideal i=0");
        for (int k = 0; k < x.s.equations.n; k++) {
            const ct_poly *f = x.s.equations.p + k;
            ct_text_add(&t, ",0");
            for (slong j = 0; j < f->n; j++) {
                fmpz_mpoly_t number;
                fmpz_mpoly_init(number, x.s.ring->symbol_ctx);
                ct_text_add(&t, "+");
                print_number(&t, x.pool,
                             ct_horner(x.pool, f->symbolic + j, x.s.ring->symbol_ctx, x.s.known));
                fmpz_mpoly_clear(number, x.s.ring->symbol_ctx);
                for (int v = 0; v < x.s.ring->n; v++)
                    ct_text_printf(&t, "*%s^%u", x.s.ring->names[v],
                                   ct_poly_exps(x.s.ring, f, j)[v]);
            }
        }
        ct_text_add(&t, ";\ni=std(i);\n");
        for (int k = 0; k < x.t.n; k++)
            for (int j = 0; j < x.t.step[k].n; j++, want++) {
                ct_template_result r;
                assert_true(ct_template_eliminate(x.pool, &x.s, x.at, x.t.step[k].by + j, &r));
                ct_text_add(&t, "print(reduce(0");
                for (int n = 0; n < r.n; n++) {
                    ct_text_add(&t, "+");
                    print_number(&t, x.pool, r.coefficient[n]);
                    for (int v = 0; v < x.s.ring->n; v++)
                        ct_text_printf(&t, "*%s^%d", x.s.ring->names[v], r.monomial[n].e[v]);
                }
                ct_text_add(&t, ",i));\n");
            }
        ct_text_add(&t, "quit;\n");
        assert_true(singular_run(t.s, 100, all_zero, &lines));
        assert_int_equal(lines, want);
        ct_text_clear(&t);
        solved_clear(&x);
    }
}

// From the library nothing wrong comes, whatever is in it: what a file names are multiples of the
// equations, and what is left of them is looked at.
static void hostile_files(void **state) {
    (void)state;
    solved x;
    assert_true(solved_init(&x, examples + EXAMPLES - 1));
    ct_triangular back = {0};
    char *text = ct_triangular_print(&x.t);
    assert_true(ct_triangular_parse(text, &x.s, &back));
    ct_free(text);
    assert_memory_equal(&back, &x.t, sizeof x.t);
    uint64_t seed = 3;
    int used = 0, refused = 0;
    for (int trial = 0; trial < 400; trial++) {
        ct_triangular bad = x.t;
        uint64_t r = ct_modular_random(&seed, 2147483647u);
        ct_triangular_step *s = bad.step + r % 3;
        ct_template *t = s->by;
        switch (r / 3 % 6) {
        case 0: t->row[r / 18 % (uint64_t)t->n].equation = (int)(r / 99 % 12); break;
        case 1: t->row[r / 18 % (uint64_t)t->n].by.e[r / 99 % 7]++; break;
        case 2: t->kept[r / 18 % (uint64_t)t->n_kept].e[r / 99 % 7]++; break;
        case 3: s->unknown = (int)(r / 18 % 12); break;
        case 4: s->kind = (ct_triangular_kind)(r / 18 % 6); break;
        default: t->n = 1 + (int)(r / 18 % (uint64_t)t->n); break;
        }
        text = ct_triangular_print(&bad);
        bool good = ct_triangular_parse(text, &x.s, &back);
        ct_free(text);
        for (int k = 0; k < back.n && good; k++)
            for (int j = 0; j < back.step[k].n && good; j++) {
                ct_template_result result;
                good = ct_template_eliminate(x.pool, &x.s, x.at, back.step[k].by + j, &result) &&
                       ct_triangular_fits(&x.s, &back, k, &result);
                if (good) assert_true(is_member(&x, &result));
            }
        used += good;
        refused += !good;
    }
    assert_true(used > 0 && refused > 100);
    solved_clear(&x);
}

static int own_cache(void **state) {
    *state = temporary_folder();
    return setenv("XDG_CACHE_HOME", *state, 1);
}

static int end_cache(void **state) {
    remove_folder(*state);
    return shared_cache(state);
}

// mechanisms -------------------------------------------------------------------------------------
// Degrees that are known: 40 places of a body on five rods, 16 of a platform on three legs.
static void degrees(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int n;
        const char *independent[3];
        int general;
    } known[] = {{"models/five_link.yaml", 0, {0}, 40},
                 {"tests/mechanisms/three_rps.yaml", 3, {"p0", "p1", "p2"}, 16}};
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < 2; i++) {
            char *path = ct_format("%s/%s", CT_SOURCE_DIR, known[i].path);
            mech k = mech_file(path, NULL);
            ct_close_info *info = NULL;
            assert_made(&k);
            assert_int_equal(ct_close_describe(k.ctx, k.s, known[i].n, known[i].independent, &info),
                             CT_OK);
            assert_string_equal(info->steps[0].method, "newton");
            assert_int_equal(info->steps[0].general, known[i].general);
            assert_int_equal(info->blocks_recalled, again);
            ct_close_info_free(info);
            mech_clear(&k);
            ct_free(path);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions),
        cmocka_unit_test(solutions_by_singular),
        cmocka_unit_test(abstraction),
        cmocka_unit_test(signs),
        cmocka_unit_test_setup_teardown(recalled, own_cache, end_cache),
        cmocka_unit_test(triangular),
        cmocka_unit_test(triangular_by_singular),
        cmocka_unit_test(hostile_files),
        cmocka_unit_test_setup_teardown(degrees, own_cache, end_cache),
    };
    return cmocka_run_group_tests(tests, shared_cache, NULL);
}
