// Gröbner bases in decimal numbers with brackets: [value, bound of its error]. Where the bound
// reaches the value, the number counts as zero, so that a system whose coefficients are known to
// six digits has the basis that six digits support (Shirayanagi, Sweedler: a sequence of bases with
// more and more digits converges to the exact one). Buchberger's algorithm, smallest pairs first.
#include "algebra/groebner/groebner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_SPARE = 2 }; // of a quotient before it is rounded
#define ROUNDING 1.0       // units of the last digit that a rounded number may be off, generously

// m 10^e, |m| < 10^digits; a zero has m = 0.
typedef struct number {
    fmpz_t m;
    slong e;
    double error;
} number;

typedef struct row { // a polynomial: terms decreasing
    slong n;
    uint32_t *exps;
    number *c;
} row;

typedef struct pair {
    int i, j;
    uint32_t lcm[CT_UNKNOWNS_MAX];
} pair;

typedef struct approximation {
    const ct_ring *ring;
    int digits;
    ct_limits *limits;
    int n, room;
    row *g;
    int n_pairs, room_pairs;
    pair *pairs;
} approximation;

// numbers -----------------------------------------------------------------------------------------
static void number_init(number *a) {
    fmpz_init(a->m);
    a->e = 0;
    a->error = 0;
}

static void number_clear(number *a) {
    fmpz_clear(a->m);
}

static void number_set(number *a, const number *b) {
    fmpz_set(a->m, b->m);
    a->e = b->e;
    a->error = b->error;
}

static double size_of(const number *a) {
    slong two;
    double m = fmpz_get_d_2exp(&two, a->m);
    return fabs(ldexp(m, (int)two)) * pow(10, (double)a->e);
}

// Decimal digits. The size that FLINT gives may be one too large.
static slong length_of(const fmpz_t m) {
    if (fmpz_is_zero(m)) return 0;
    slong n = (slong)fmpz_sizeinbase(m, 10);
    fmpz_t power;
    fmpz_init_set_ui(power, 10);
    fmpz_pow_ui(power, power, (ulong)(n - 1));
    n -= fmpz_cmpabs(m, power) < 0;
    fmpz_clear(power);
    return n;
}

// m rounded to so many digits, halves to even numbers; false if nothing is lost.
static bool shorten(fmpz_t m, slong *e, int digits) {
    fmpz_t ten, rest, twice;
    fmpz_init(ten);
    fmpz_init(rest);
    fmpz_init(twice);
    bool lost = false;
    slong spare = length_of(m) - digits;
    if (spare > 0) {
        fmpz_set_ui(ten, 10);
        fmpz_pow_ui(ten, ten, (ulong)spare);
        fmpz_fdiv_qr(m, rest, m, ten);
        lost = !fmpz_is_zero(rest);
        fmpz_mul_2exp(twice, rest, 1);
        int half = fmpz_cmp(twice, ten);
        if (half > 0 || (half == 0 && fmpz_is_odd(m))) fmpz_add_ui(m, m, 1);
        *e += spare;
    }
    fmpz_clear(ten);
    fmpz_clear(rest);
    fmpz_clear(twice);
    return lost;
}

// Rounds; a unit of the last digit is added to the error. A number within its error is zero.
static void settle(const approximation *a, number *x) {
    if (shorten(x->m, &x->e, a->digits)) x->error += ROUNDING * pow(10, (double)x->e);
    if (size_of(x) <= x->error) {
        fmpz_zero(x->m);
        x->error = 0;
    }
}

static bool is_zero(const number *x) {
    return fmpz_is_zero(x->m);
}

// out = x - q y  with the product rounded first
static void subtract_product(const approximation *a, number *out, const number *x, const number *q,
                             const number *y) {
    number p;
    number_init(&p);
    fmpz_mul(p.m, q->m, y->m);
    p.e = q->e + y->e;
    p.error = size_of(q) * y->error + size_of(y) * q->error + q->error * y->error;
    if (shorten(p.m, &p.e, a->digits)) p.error += ROUNDING * pow(10, (double)p.e);
    // both on the lower exponent
    fmpz_t ten;
    fmpz_init_set_ui(ten, 10);
    slong low = is_zero(x) ? p.e : x->e < p.e ? x->e : p.e;
    fmpz_t left;
    fmpz_init_set(left, x->m);
    if (!is_zero(x) && x->e > low) {
        fmpz_pow_ui(ten, ten, (ulong)(x->e - low));
        fmpz_mul(left, left, ten);
    }
    fmpz_set_ui(ten, 10);
    fmpz_pow_ui(ten, ten, (ulong)(p.e - low));
    fmpz_submul(left, p.m, ten);
    fmpz_swap(out->m, left);
    out->e = low;
    out->error = x->error + p.error;
    settle(a, out);
    fmpz_clear(left);
    fmpz_clear(ten);
    number_clear(&p);
}

// x = x / y: so many digits and two more, cut off, then rounded
static void divide(const approximation *a, number *x, const number *y) {
    double size = size_of(x), by = size_of(y);
    slong shift = a->digits + DIGITS_SPARE + length_of(y->m) - length_of(x->m);
    fmpz_t ten;
    fmpz_init_set_ui(ten, 10);
    if (shift < 0) shift = 0;
    fmpz_pow_ui(ten, ten, (ulong)shift);
    fmpz_mul(x->m, x->m, ten);
    fmpz_tdiv_qr(x->m, ten, x->m, y->m);
    bool lost = !fmpz_is_zero(ten);
    x->e -= y->e + shift;
    shorten(x->m, &x->e, a->digits + DIGITS_SPARE);
    x->error = (x->error + size / by * y->error) / (by - y->error);
    if (lost) x->error += pow(10, (double)x->e);
    settle(a, x);
    fmpz_clear(ten);
}

// rows --------------------------------------------------------------------------------------------
static void row_clear(row *f) {
    for (slong i = 0; i < f->n; i++) number_clear(f->c + i);
    ct_free(f->c);
    ct_free(f->exps);
    *f = (row){0};
}

static const uint32_t *exps_of(const approximation *a, const row *f, slong i) {
    return f->exps + (size_t)i * (size_t)a->ring->n;
}

static void drop_zeros(const approximation *a, row *f) {
    slong kept = 0;
    size_t size = (size_t)a->ring->n;
    for (slong i = 0; i < f->n; i++) {
        if (is_zero(f->c + i)) {
            number_clear(f->c + i);
            continue;
        }
        if (kept != i) {
            f->c[kept] = f->c[i];
            memmove(f->exps + (size_t)kept * size, f->exps + (size_t)i * size,
                    size * sizeof *f->exps);
        }
        kept++;
    }
    f->n = kept;
}

// f <- f - q x^shift g
static void subtract(const approximation *a, row *f, const number *q, const uint32_t *shift,
                     const row *g) {
    size_t size = (size_t)a->ring->n;
    row out = {.exps = ct_alloc((size_t)(f->n + g->n) * size + 1, sizeof *out.exps),
               .c = ct_alloc((size_t)(f->n + g->n) + 1, sizeof *out.c)};
    slong i = 0, k = 0;
    number zero;
    number_init(&zero);
    // merge of both lists, decreasing
    while (i < f->n || k < g->n) {
        uint32_t e[CT_UNKNOWNS_MAX] = {0};
        for (size_t v = 0; v < size && k < g->n; v++) e[v] = exps_of(a, g, k)[v] + shift[v];
        int order = i == f->n   ? -1
                    : k == g->n ? 1
                                : ct_monomial_compare(a->ring, exps_of(a, f, i), e);
        memcpy(out.exps + (size_t)out.n * size, order >= 0 ? exps_of(a, f, i) : e,
               size * sizeof *e);
        number *c = out.c + out.n++;
        number_init(c);
        if (order > 0)
            number_set(c, f->c + i);
        else
            subtract_product(a, c, order ? &zero : f->c + i, q, g->c + k);
        i += order >= 0;
        k += order <= 0;
    }
    number_clear(&zero);
    row_clear(f);
    *f = out;
}

static void make_monic(const approximation *a, row *f) {
    if (!f->n) return;
    number lead;
    number_init(&lead);
    number_set(&lead, f->c);
    for (slong i = 1; i < f->n; i++) divide(a, f->c + i, &lead);
    fmpz_one(f->c[0].m);
    f->c[0].e = 0;
    f->c[0].error = 0;
    drop_zeros(a, f);
    number_clear(&lead);
}

// Takes term `at` of f away by an element of the list; false if none divides it.
static bool cancel(const approximation *a, row *f, slong at, int except) {
    for (int i = 0; i < a->n; i++) {
        const row *g = a->g + i;
        if (!g->n || i == except || !ct_monomial_divides(a->ring, g->exps, exps_of(a, f, at)))
            continue;
        uint32_t shift[CT_UNKNOWNS_MAX];
        for (int v = 0; v < a->ring->n; v++) shift[v] = exps_of(a, f, at)[v] - g->exps[v];
        number q;
        number_init(&q);
        number_set(&q, f->c + at);
        subtract(a, f, &q, shift, g);
        // the term itself is gone, whatever rounding says
        fmpz_zero(f->c[at].m);
        drop_zeros(a, f);
        number_clear(&q);
        return true;
    }
    return false;
}

static void reduce(const approximation *a, row *f, int except) {
    for (slong i = 0; i < f->n && ct_limits_poll(a->limits);)
        if (!cancel(a, f, i, except)) i++;
}

// the algorithm -----------------------------------------------------------------------------------
static void add_element(approximation *a, row *f) {
    make_monic(a, f);
    for (int i = 0; i < a->n; i++) {
        if (!a->g[i].n || ct_monomial_coprime(a->ring, a->g[i].exps, f->exps)) continue;
        pair *p = CT_PUSH(a->pairs, a->n_pairs, a->room_pairs);
        *p = (pair){.i = i, .j = a->n};
        ct_monomial_lcm(a->ring, p->lcm, a->g[i].exps, f->exps);
    }
    *CT_PUSH(a->g, a->n, a->room) = *f;
    *f = (row){0};
}

static pair take_pair(approximation *a) {
    int best = 0;
    for (int k = 1; k < a->n_pairs; k++)
        if (ct_monomial_compare(a->ring, a->pairs[k].lcm, a->pairs[best].lcm) < 0) best = k;
    pair p = a->pairs[best];
    a->pairs[best] = a->pairs[--a->n_pairs];
    return p;
}

// S-polynomial of two monic elements.
static row s_polynomial(const approximation *a, const pair *p) {
    uint32_t left[CT_UNKNOWNS_MAX], right[CT_UNKNOWNS_MAX];
    for (int v = 0; v < a->ring->n; v++) {
        left[v] = p->lcm[v] - a->g[p->i].exps[v];
        right[v] = p->lcm[v] - a->g[p->j].exps[v];
    }
    number one;
    number_init(&one);
    fmpz_set_si(one.m, -1);
    row f = {0};
    subtract(a, &f, &one, left, a->g + p->i); // 0 + x^left g_i
    fmpz_one(one.m);
    subtract(a, &f, &one, right, a->g + p->j);
    fmpz_zero(f.c[0].m); // the leads cancel
    drop_zeros(a, &f);
    number_clear(&one);
    return f;
}

static bool waits(const approximation *a, int i, int j) {
    for (int k = 0; k < a->n_pairs; k++)
        if ((a->pairs[k].i == i && a->pairs[k].j == j) ||
            (a->pairs[k].i == j && a->pairs[k].j == i))
            return true;
    return false;
}

// Buchberger's second criterion: a third element divides the lcm, and both its pairs are done.
static bool is_superfluous(const approximation *a, const pair *p) {
    for (int k = 0; k < a->n; k++)
        if (k != p->i && k != p->j && ct_monomial_divides(a->ring, a->g[k].exps, p->lcm) &&
            !waits(a, p->i, k) && !waits(a, p->j, k))
            return true;
    return false;
}

static void buchberger(approximation *a) {
    while (a->n_pairs && ct_limits_ok(a->limits)) {
        pair p = take_pair(a);
        if (is_superfluous(a, &p)) continue;
        row f = s_polynomial(a, &p);
        reduce(a, &f, -1);
        if (f.n)
            add_element(a, &f);
        else
            row_clear(&f);
    }
}

// Elements whose lead another one divides go; the others are reduced by each other.
static void interreduce(approximation *a) {
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < a->n && a->g[i].n; k++) {
            if (k == i || !a->g[k].n) continue;
            bool divides = ct_monomial_divides(a->ring, a->g[k].exps, a->g[i].exps);
            bool both = divides && ct_monomial_divides(a->ring, a->g[i].exps, a->g[k].exps);
            if (divides && (!both || k < i)) row_clear(a->g + i);
        }
    for (int i = 0; i < a->n; i++) reduce(a, a->g + i, i);
    // leads increasing
    int kept = 0;
    for (int i = 0; i < a->n; i++) {
        if (!a->g[i].n) continue;
        row f = a->g[i];
        int k = kept++;
        for (; k > 0 && ct_monomial_compare(a->ring, a->g[k - 1].exps, f.exps) > 0; k--)
            a->g[k] = a->g[k - 1];
        a->g[k] = f;
    }
    a->n = kept;
}

// input and output --------------------------------------------------------------------------------
static row rounded(const approximation *a, const ct_poly *f) {
    size_t size = (size_t)a->ring->n;
    row out = {.n = f->n,
               .exps = ct_alloc((size_t)f->n * size + 1, sizeof *out.exps),
               .c = ct_alloc((size_t)f->n + 1, sizeof *out.c)};
    memcpy(out.exps, f->exps, (size_t)f->n * size * sizeof *out.exps);
    fmpz_t ten, rest;
    fmpz_init(ten);
    fmpz_init(rest);
    for (slong i = 0; i < f->n; i++) {
        // coefficient over the leading one, with digits to spare, then rounded
        number *c = out.c + i;
        number_init(c);
        slong shift = 2 * a->digits + DIGITS_SPARE + length_of(f->coefs) - length_of(f->coefs + i);
        fmpz_set_ui(ten, 10);
        fmpz_pow_ui(ten, ten, (ulong)(shift > 0 ? shift : 0));
        fmpz_mul(c->m, f->coefs + i, ten);
        fmpz_tdiv_qr(c->m, rest, c->m, f->coefs);
        c->e = shift > 0 ? -shift : 0;
        bool lost = shorten(c->m, &c->e, a->digits);
        if (lost || !fmpz_is_zero(rest)) c->error = ROUNDING * pow(10, (double)c->e);
    }
    fmpz_clear(ten);
    fmpz_clear(rest);
    return out;
}

// A number with all its digits: 8.5000027, 0.70, 1063.83; with an exponent where that is long.
static void print_number(const approximation *a, ct_text *out, const number *x) {
    fmpz_t m, ten;
    fmpz_init(m);
    fmpz_init_set_ui(ten, 10);
    fmpz_abs(m, x->m);
    // exactly `digits` digits
    slong e = x->e, missing = a->digits - length_of(m);
    if (missing > 0) {
        fmpz_pow_ui(ten, ten, (ulong)missing);
        fmpz_mul(m, m, ten);
        e -= missing;
    }
    char *digits = fmpz_get_str(NULL, 10, m);
    int length = (int)strlen(digits), point = length + (int)e; // digits before the point
    if (point > length || point < -3) {
        ct_text_printf(out, "%c.%se%+d", digits[0], digits + 1, point - 1);
    } else if (point <= 0) {
        ct_text_add(out, "0.");
        for (int i = point; i < 0; i++) ct_text_add(out, "0");
        ct_text_add(out, digits);
    } else {
        ct_text_printf(out, "%.*s%s%s", point, digits, point < length ? "." : "", digits + point);
    }
    flint_free(digits);
    fmpz_clear(m);
    fmpz_clear(ten);
}

static char *print_row(const approximation *a, const row *f) {
    ct_text out = {0};
    for (slong i = 0; i < f->n; i++) {
        const uint32_t *e = exps_of(a, f, i);
        bool constant = ct_monomial_degree(a->ring, e) == 0, first = true, minus;
        minus = fmpz_sgn(f->c[i].m) < 0;
        if (i || minus) ct_text_add(&out, minus ? (i ? " - " : "-") : " + ");
        if (i || constant) {
            print_number(a, &out, f->c + i);
            first = false;
        }
        for (int k = 0; k < a->ring->n; k++) {
            if (!e[k]) continue;
            ct_text_printf(&out, "%s%s", first ? "" : "*", a->ring->names[k]);
            if (e[k] > 1) ct_text_printf(&out, "^%u", e[k]);
            first = false;
        }
    }
    char *text = ct_strdup(out.s ? out.s : "0");
    ct_text_clear(&out);
    return text;
}

ct_status ct_groebner_approximate(ct_context *ctx, const ct_ring *ring, ct_approximate *out,
                                  const ct_polys *in, int digits, const ct_budget *budget) {
    ct_limits limits;
    ct_limits_init(&limits, budget);
    approximation a = {.ring = ring, .digits = digits, .limits = &limits};
    *out = (ct_approximate){0};
    // inputs, pairs, reduction
    for (int i = 0; i < in->n; i++) {
        row f = rounded(&a, &in->p[i]);
        drop_zeros(&a, &f);
        add_element(&a, &f);
    }
    buchberger(&a);
    interreduce(&a);
    ct_status status = ct_limits_status(ctx, &limits, "approximate basis");
    // as text, and the leading monomials
    out->texts = ct_alloc((size_t)a.n + 1, sizeof *out->texts);
    fmpz_t one;
    fmpz_init_set_ui(one, 1);
    for (int i = 0; i < a.n && !status; i++) {
        out->texts[out->n++] = print_row(&a, a.g + i);
        ct_poly_push(ring, ct_polys_add(&out->leads), a.g[i].exps, one);
    }
    fmpz_clear(one);
    for (int i = 0; i < a.n; i++) row_clear(a.g + i);
    ct_free(a.g);
    ct_free(a.pairs);
    return status;
}

void ct_approximate_clear(const ct_ring *ring, ct_approximate *a) {
    for (int i = 0; i < a->n; i++) ct_free(a->texts[i]);
    ct_free(a->texts);
    ct_polys_clear(ring, &a->leads);
    *a = (ct_approximate){0};
}
