// Rational univariate representation over Q: with t separating the solutions and h_m the monic
// polynomial whose roots are the values of t at solutions of multiplicity m, r = prod h_m and prod
// h_m^m is the characteristic polynomial of t; x_k = v_k(t) / r'(t). All lifted from residues at
// once.
#include "algebra/lift.h"
#include "algebra/quotient/quotient_inside.h"

#include <flint/nmod_poly_factor.h>
#include <stdlib.h>

typedef struct parts_data {
    const ct_quotient *q;
    const ct_zeros *zeros;
    const slong *weights;
    int n_parts;
    slong *multiplicity, *degree; // of the parts h_m, increasing m
} parts_data;

// Square-free parts by multiplicity, increasing.
static int compare_parts(const nmod_poly_factor_t f, slong i, slong j) {
    return (f->exp[i] > f->exp[j]) - (f->exp[i] < f->exp[j]);
}

static void sort_parts(nmod_poly_factor_t f) {
    for (slong i = 1; i < f->num; i++) {
        for (slong j = i; j > 0 && compare_parts(f, j - 1, j) > 0; j--) {
            nmod_poly_swap(f->p + j - 1, f->p + j);
            slong e = f->exp[j];
            f->exp[j] = f->exp[j - 1];
            f->exp[j - 1] = e;
        }
    }
}

// h_m of the characteristic polynomial; when all solutions are simple that is the radical itself.
static void find_parts(nmod_poly_factor_t parts, ct_quotient_mod *m, const parts_data *data,
                       const nmod_poly_t radical) {
    if (data->zeros->radical) {
        nmod_poly_factor_insert(parts, radical, 1);
        return;
    }
    nmod_poly_t f;
    nmod_poly_init_mod(f, m->mod);
    ct_quotient_charpoly(m, data->weights, f);
    nmod_poly_factor_squarefree(parts, f);
    sort_parts(parts);
    nmod_poly_clear(f);
}

// The n coefficients below the leading one, the constant last.
static slong put(ulong *out, slong at, const nmod_poly_t f, slong n) {
    for (slong i = n; i-- > 0;) out[at++] = nmod_poly_get_coeff_ui(f, i);
    return at;
}

static bool residues(void *user, ulong p, ulong *out) {
    const parts_data *data = user;
    ct_quotient_mod m;
    if (!ct_quotient_mod_init(&m, data->q, p)) return ct_quotient_mod_clear(&m), false;
    // the representation modulo p
    int n = data->q->ring->n;
    nmod_poly_t minimal, radical;
    nmod_poly_init_mod(minimal, m.mod), nmod_poly_init_mod(radical, m.mod);
    nmod_poly_struct *values = ct_scratch((size_t)n, sizeof *values);
    for (int k = 0; k < n; k++) nmod_poly_init_mod(values + k, m.mod);
    ct_rur_modular(&m, data->weights, p ^ 0x9e3779b97f4a7c15u, minimal, radical, values);
    // a lucky prime leaves all solutions distinct and the parts their degrees
    bool lucky = nmod_poly_degree(radical) == data->zeros->distinct;
    nmod_poly_factor_t parts;
    nmod_poly_factor_init(parts);
    if (lucky) {
        find_parts(parts, &m, data, radical);
        lucky = parts->num == data->n_parts;
        slong at = 0;
        for (int i = 0; lucky && i < data->n_parts; i++) {
            lucky = parts->exp[i] == data->multiplicity[i] &&
                    nmod_poly_degree(parts->p + i) == data->degree[i];
            nmod_poly_make_monic(parts->p + i, parts->p + i);
            at = put(out, at, parts->p + i, data->degree[i]);
        }
        for (int k = 0; lucky && k < n; k++) at = put(out, at, values + k, data->zeros->distinct);
    }
    // workspace
    nmod_poly_factor_clear(parts);
    for (int k = 0; k < n; k++) nmod_poly_clear(values + k);
    nmod_poly_clear(minimal), nmod_poly_clear(radical);
    ct_quotient_mod_clear(&m);
    return lucky;
}

// Degrees and multiplicities as the first prime shows them that tells all solutions apart.
static ct_status learn_parts(ct_context *ctx, parts_data *data) {
    ulong p = 1UL << 60; // primes of the lift come from below
    for (int trial = 0; trial < 20; trial++) {
        ct_quotient_mod m;
        p = ct_lift_prime(p);
        // the radical modulo the next prime; it must tell all solutions apart
        nmod_poly_factor_t parts;
        nmod_poly_t minimal, radical;
        nmod_poly_factor_init(parts);
        nmod_poly_init(minimal, p), nmod_poly_init(radical, p);
        bool lucky = ct_quotient_mod_init(&m, data->q, p);
        if (lucky) {
            ct_rur_modular(&m, data->weights, p, minimal, radical, NULL);
            lucky = nmod_poly_degree(radical) == data->zeros->distinct;
        }
        // the parts, as that prime shows them
        if (lucky) {
            find_parts(parts, &m, data, radical);
            data->n_parts = (int)parts->num;
            data->multiplicity = ct_alloc((size_t)parts->num, sizeof(slong));
            data->degree = ct_alloc((size_t)parts->num, sizeof(slong));
            for (slong i = 0; i < parts->num; i++) {
                data->multiplicity[i] = parts->exp[i];
                data->degree[i] = nmod_poly_degree(parts->p + i);
            }
        }
        nmod_poly_clear(minimal), nmod_poly_clear(radical);
        nmod_poly_factor_clear(parts);
        ct_quotient_mod_clear(&m);
        if (lucky) return CT_OK;
    }
    return ct_fail(ctx, CT_INTERNAL, "no univariate representation modulo twenty primes");
}

static slong take(fmpz_poly_t f, const fmpz *values, slong at, slong n) {
    for (slong i = n; i-- > 0;) fmpz_poly_set_coeff_fmpz(f, i, values + at++);
    return at;
}

// r = prod h_m and the characteristic polynomial prod h_m^m; returns how many numbers were read.
static slong assemble_parts(ct_rur *rur, const parts_data *data, const ct_lift *l) {
    fmpz_poly_t h, power;
    fmpz_poly_init(h), fmpz_poly_init(power);
    fmpz_poly_one(rur->eliminant), fmpz_poly_one(rur->radical);
    slong at = 0;
    for (int i = 0; i < data->n_parts; i++) {
        fmpz_poly_zero(h);
        at = take(h, l->values, at, data->degree[i]);
        fmpz_poly_set_coeff_fmpz(h, data->degree[i], l->denominators + i);
        fmpz_poly_primitive_part(h, h);
        fmpz_poly_mul(rur->radical, rur->radical, h);
        fmpz_poly_pow(power, h, (ulong)data->multiplicity[i]);
        fmpz_poly_mul(rur->eliminant, rur->eliminant, power);
    }
    fmpz_poly_clear(h), fmpz_poly_clear(power);
    return at;
}

static void assemble(ct_rur *rur, const parts_data *data, const ct_lift *l) {
    slong at = assemble_parts(rur, data, l);
    // v / D over monic r' = c v / D over r' with leading coefficient c, the common factor removed
    const fmpz *common = l->denominators + data->n_parts;
    fmpz_t c;
    fmpz_init_set(c, fmpz_poly_lead(rur->radical));
    fmpz_gcd(rur->denominator, c, common);
    fmpz_divexact(c, c, rur->denominator);
    fmpz_divexact(rur->denominator, common, rur->denominator);
    for (int k = 0; k < rur->n; k++) {
        at = take(rur->values + k, l->values, at, data->zeros->distinct);
        fmpz_poly_scalar_mul_fmpz(rur->values + k, rur->values + k, c);
    }
    fmpz_clear(c);
}

static void rur_init(ct_rur *rur, int n, const slong *weights, int variable) {
    *rur = (ct_rur){.n = n, .variable = variable};
    rur->weights = ct_alloc((size_t)n, sizeof *rur->weights);
    rur->values = ct_alloc((size_t)n, sizeof *rur->values);
    for (int k = 0; k < n; k++) rur->weights[k] = weights[k], fmpz_poly_init(rur->values + k);
    fmpz_poly_init(rur->eliminant), fmpz_poly_init(rur->radical), fmpz_init(rur->denominator);
}

ct_status ct_rur_compute(ct_context *ctx, ct_rur *rur, const ct_quotient *q, const ct_zeros *zeros,
                         const slong *weights, int variable, ct_limits *limits) {
    int n = q->ring->n;
    rur_init(rur, n, weights, variable);
    // degrees and multiplicities of the parts
    parts_data data = {.q = q, .zeros = zeros, .weights = weights};
    ct_status s = learn_parts(ctx, &data);
    if (s) return s;
    // one group of numbers for each part, one for all values
    slong *sizes = ct_alloc((size_t)data.n_parts + 1, sizeof *sizes);
    for (int i = 0; i < data.n_parts; i++) sizes[i] = data.degree[i];
    sizes[data.n_parts] = n * zeros->distinct;
    ct_lift l;
    ct_lift_init(&l, data.n_parts + 1, sizes, limits);
    s = ct_lift_rationals(
        ctx, &l,
        &(ct_residues){residues, &data, ct_polys_bits(q->basis), "univariate representation"});
    if (!s) assemble(rur, &data, &l);
    ct_lift_clear(&l);
    ct_free(sizes), ct_free(data.multiplicity), ct_free(data.degree);
    return s;
}

void ct_rur_clear(ct_rur *rur) {
    if (!rur->values) return;
    for (int k = 0; k < rur->n; k++) fmpz_poly_clear(rur->values + k);
    ct_free(rur->values), ct_free(rur->weights);
    fmpz_poly_clear(rur->eliminant), fmpz_poly_clear(rur->radical), fmpz_clear(rur->denominator);
    *rur = (ct_rur){0};
}
