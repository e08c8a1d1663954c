// A recorded run for eight primes at once. Column c holds eight accumulators side by side, so that
// one index serves eight products and they vectorise without gathering.
#include "algebra/f4/f4_inside.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define F4_AVX2 1
#include <immintrin.h>
#endif

typedef struct lanes_row {
    uint32_t n;
    const uint32_t *cols, *coefs; // coefs[k * F4_LANES + lane]
} lanes_row;
typedef void subtract_fn(int64_t *acc, const lanes_row *row, const uint32_t *factor,
                         const int64_t *p2);
typedef struct replay {
    ct_limits *limits;
    f4_modulus mod[F4_LANES];
    int64_t p2[F4_LANES];
    uint32_t **coefs;  // of every polynomial
    f4_store store;    // of these,
    f4_store early;    // and of rows before they are reduced by each other
    lanes_row *pivots; // by column
    int64_t *acc;
    bool *lucky;
    bool strict;
    subtract_fn *subtract;
} replay;

// acc -= factor * row in every lane; accumulators in [0, p^2) as in the first run.
static void subtract_plain(int64_t *acc, const lanes_row *row, const uint32_t *factor,
                           const int64_t *p2) {
    for (uint32_t k = 0; k < row->n; k++) {
        int64_t *a = acc + (size_t)row->cols[k] * F4_LANES;
        const uint32_t *c = row->coefs + (size_t)k * F4_LANES;
        for (int l = 0; l < F4_LANES; l++) {
            int64_t x = a[l] - (int64_t)((uint64_t)factor[l] * c[l]);
            a[l] = x + ((x >> 63) & p2[l]);
        }
    }
}

#ifdef F4_AVX2
__attribute__((target("avx2"))) static inline __m256i step4(__m256i a, __m256i c, __m256i f,
                                                            __m256i p2) {
    __m256i x = _mm256_sub_epi64(a, _mm256_mul_epu32(c, f));
    __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
    return _mm256_add_epi64(x, _mm256_and_si256(negative, p2));
}

__attribute__((target("avx2"))) static void
subtract_avx2(int64_t *acc, const lanes_row *row, const uint32_t *factor, const int64_t *p2) {
    const __m128i *f = (const void *)factor;
    const __m256i *p = (const void *)p2;
    __m256i f0 = _mm256_cvtepu32_epi64(_mm_loadu_si128(f)), p0 = _mm256_loadu_si256(p);
    __m256i f1 = _mm256_cvtepu32_epi64(_mm_loadu_si128(f + 1)), p1 = _mm256_loadu_si256(p + 1);
    for (uint32_t k = 0; k < row->n; k++) {
        __m256i *a = (void *)(acc + (size_t)row->cols[k] * F4_LANES);
        const __m128i *c = (const void *)(row->coefs + (size_t)k * F4_LANES);
        __m256i c0 = _mm256_cvtepu32_epi64(_mm_loadu_si128(c));
        __m256i c1 = _mm256_cvtepu32_epi64(_mm_loadu_si128(c + 1));
        _mm256_storeu_si256(a, step4(_mm256_loadu_si256(a), c0, f0, p0));
        _mm256_storeu_si256(a + 1, step4(_mm256_loadu_si256(a + 1), c1, f1, p1));
    }
}
#endif

static subtract_fn *best_subtract(void) {
#ifdef F4_AVX2
    if (__builtin_cpu_supports("avx2")) return subtract_avx2;
#endif
    return subtract_plain;
}

static void load(replay *r, const lanes_row *row) {
    for (uint32_t k = 0; k < row->n; k++)
        for (int l = 0; l < F4_LANES; l++)
            r->acc[(size_t)row->cols[k] * F4_LANES + l] = row->coefs[(size_t)k * F4_LANES + l];
}

static void reduce(replay *r, const f4_reduction *d) {
    for (uint32_t o = 0; o < d->n_ops; o++) {
        int64_t *a = r->acc + (size_t)d->ops[o] * F4_LANES;
        uint32_t factor[F4_LANES];
        for (int l = 0; l < F4_LANES; l++) factor[l] = f4_mod((uint64_t)a[l], r->mod[l]);
        r->subtract(r->acc, &r->pivots[d->ops[o]], factor, r->p2);
        memset(a, 0, F4_LANES * sizeof *a);
    }
}

// What is left, monic in every lane, and the accumulator back to zero.
static uint32_t *take(replay *r, const f4_reduction *d, f4_store *store) {
    uint32_t *coefs = f4_take(store, (size_t)d->n_support * F4_LANES), inverse[F4_LANES];
    for (int l = 0; l < F4_LANES; l++) {
        uint32_t lead = f4_mod((uint64_t)r->acc[(size_t)d->support[0] * F4_LANES + l], r->mod[l]);
        inverse[l] = f4_invert(lead, (uint32_t)r->mod[l].p);
        if (!inverse[l]) r->lucky[l] = false;
    }
    for (uint32_t k = 0; k < d->n_support; k++) {
        int64_t *a = r->acc + (size_t)d->support[k] * F4_LANES;
        for (int l = 0; l < F4_LANES; l++) {
            uint64_t value = f4_mod((uint64_t)a[l], r->mod[l]);
            coefs[(size_t)k * F4_LANES + l] = f4_mod(value * inverse[l], r->mod[l]);
            a[l] = 0;
        }
    }
    for (uint32_t k = 0; k < d->n_cancelled; k++) {
        int64_t *a = r->acc + (size_t)d->cancelled[k] * F4_LANES;
        for (int l = 0; r->strict && l < F4_LANES; l++)
            if (f4_mod((uint64_t)a[l], r->mod[l])) r->lucky[l] = false;
        memset(a, 0, F4_LANES * sizeof *a);
    }
    return coefs;
}

// One matrix: new rows in order of discovery, then reduced by each other into polynomials, of which
// the last pivot comes first, as the first run numbered them.
static void replay_step(replay *r, const f4_step *s, uint32_t next_poly) {
    for (uint32_t k = 0; k < s->n_reducers; k++) {
        const f4_row *row = &s->reducers[k];
        r->pivots[row->cols[0]] = (lanes_row){row->n, row->cols, r->coefs[row->poly]};
    }
    uint32_t **found = ct_scratch(s->n_new, sizeof *found);
    for (uint32_t k = 0; k < s->n_new; k++) {
        const f4_reduction *d = &s->reductions[k];
        load(r, &(lanes_row){d->row.n, d->row.cols, r->coefs[d->row.poly]});
        reduce(r, d);
        found[k] = take(r, d, &r->early);
        r->pivots[d->support[0]] = (lanes_row){d->n_support, d->support, found[k]};
    }
    for (uint32_t k = s->n_new; k < s->n_reductions; k++) {
        const f4_reduction *d = &s->reductions[k], *first = &s->reductions[d->row.n];
        load(r, &(lanes_row){first->n_support, first->support, found[d->row.n]});
        reduce(r, d);
        uint32_t *coefs = r->coefs[next_poly++] = take(r, d, &r->store);
        r->pivots[d->support[0]] = (lanes_row){d->n_support, d->support, coefs};
    }
    f4_store_empty(&r->early);
}

static uint32_t *input_lanes(replay *r, const ct_poly *f) {
    uint32_t *coefs = f4_take(&r->store, (size_t)f->n * F4_LANES), inverse[F4_LANES];
    for (int l = 0; l < F4_LANES; l++) {
        uint32_t p = (uint32_t)r->mod[l].p;
        inverse[l] = f4_invert((uint32_t)fmpz_fdiv_ui(f->coefs, p), p);
        if (!inverse[l]) r->lucky[l] = false;
    }
    for (slong k = 0; k < f->n; k++)
        for (int l = 0; l < F4_LANES; l++)
            coefs[k * F4_LANES + l] =
                f4_mod((uint64_t)fmpz_fdiv_ui(f->coefs + k, r->mod[l].p) * inverse[l], r->mod[l]);
    return coefs;
}

static void start(replay *r, const f4_trace *trace, const ct_polys *in, const uint32_t *primes) {
    uint32_t n_cols = 0;
    for (uint32_t s = 0; s < trace->n_steps; s++)
        if (trace->steps[s].n_cols > n_cols) n_cols = trace->steps[s].n_cols;
    for (int l = 0; l < F4_LANES; l++) {
        r->mod[l] = f4_modulus_of(primes[l]);
        r->p2[l] = (int64_t)((uint64_t)primes[l] * primes[l]);
        r->lucky[l] = true;
    }
    r->pivots = ct_alloc(n_cols, sizeof *r->pivots);
    r->acc = ct_alloc((size_t)n_cols * F4_LANES, sizeof *r->acc);
    r->coefs = ct_alloc(trace->n_polys, sizeof *r->coefs);
    r->subtract = best_subtract();
    for (int i = 0; i < in->n; i++) r->coefs[i] = input_lanes(r, &in->p[i]);
}

static void write_lanes(const replay *r, const f4_trace *trace, uint32_t *out) {
    for (uint32_t i = trace->first_result; i < trace->n_polys; i++) {
        size_t n = (size_t)trace->lengths[i] * F4_LANES;
        memcpy(out, r->coefs[i], n * sizeof *out);
        out += n;
    }
}

bool f4_replay(const f4_trace *trace, ct_limits *limits, const ct_polys *in, bool strict,
               f4_lanes *lanes) {
    replay r = {.limits = limits, .lucky = lanes->lucky, .strict = strict};
    start(&r, trace, in, lanes->primes);
    uint32_t next = trace->n_inputs;
    for (uint32_t s = 0; s < trace->n_steps && ct_limits_ok(limits); s++) {
        replay_step(&r, &trace->steps[s], next);
        next += trace->steps[s].n_new;
    }
    bool ok = ct_limits_ok(limits);
    if (ok) write_lanes(&r, trace, lanes->out);
    f4_store_clear(&r.store);
    f4_store_clear(&r.early);
    ct_free(r.coefs);
    ct_free(r.pivots);
    ct_free(r.acc);
    return ok;
}
