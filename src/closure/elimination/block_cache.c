// From the residuals of a block to its system, its shape and a triangular system. The search for the
// last two is a function of the equations at a point modulo a prime; the cache holds its values. All
// that touches expressions is done whether they are recalled or not, so that what is built
// afterwards does not depend on the cache.
#include "closure/elimination/block_cache.h"
#include "util/cache/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = CT_TEMPLATE_VARIABLES };

// texts -------------------------------------------------------------------------------------------
static void print_monomial(ct_text *t, const ct_monomial *m) {
    for (int k = 0; k < VARIABLES; k++) ct_text_printf(t, " %d", m->e[k]);
    ct_text_add(t, "\n");
}

char *ct_triangular_print(const ct_triangular *triangular) {
    ct_text out = {0}, *t = &out;
    ct_text_printf(t, "triangular %d\n", triangular->n);
    for (int i = 0; i < triangular->n; i++) {
        const ct_triangular_step *s = triangular->step + i;
        ct_text_printf(t, "step %d %d %d %d\n", s->unknown, (int)s->kind, s->degree, s->n);
        for (int k = 0; k < s->n; k++) {
            ct_text_printf(t, "template %d %d\n", s->by[k].n, s->by[k].n_kept);
            for (int r = 0; r < s->by[k].n; r++) {
                ct_text_printf(t, "%d", s->by[k].row[r].equation);
                print_monomial(t, &s->by[k].row[r].by);
            }
            for (int r = 0; r < s->by[k].n_kept; r++) print_monomial(t, s->by[k].kept + r);
        }
    }
    return ct_text_take(t);
}

typedef struct reader {
    const char *at;
    bool good;
} reader;

static void word(reader *r, const char *w) {
    while (*r->at == ' ' || *r->at == '\n') r->at++;
    size_t n = strlen(w);
    r->good = r->good && !strncmp(r->at, w, n);
    if (r->good) r->at += n;
}

static int whole(reader *r, int least, int most) {
    const char *end = r->at;
    int x = r->good ? ct_strtoi(r->at, &end) : least;
    if (!r->good || end == r->at || x < least || x > most) {
        r->good = false;
        return least;
    }
    r->at = end;
    return x;
}

static void read_monomial(reader *r, ct_monomial *m) {
    for (int k = 0; k < VARIABLES && r->good; k++) m->e[k] = (uint8_t)whole(r, 0, 20);
}

static void read_step(reader *r, ct_triangular_step *s) {
    word(r, "step");
    s->unknown = whole(r, 0, VARIABLES - 1);
    s->kind = (ct_triangular_kind)whole(r, 0, CT_TRIANGULAR_SINE);
    s->degree = whole(r, 1, 4);
    s->n = whole(r, 1, 2);
    for (int k = 0; k < s->n && r->good; k++) {
        ct_template *t = s->by + k;
        word(r, "template");
        t->n = whole(r, 1, CT_TEMPLATE_ROWS);
        t->n_kept = whole(r, 1, CT_TEMPLATE_TERMS);
        for (int i = 0; i < t->n && r->good; i++) {
            t->row[i].equation = whole(r, 0, CT_UNKNOWNS_MAX);
            read_monomial(r, &t->row[i].by);
        }
        for (int i = 0; i < t->n_kept && r->good; i++) read_monomial(r, t->kept + i);
    }
}

// Returns true if unknowns, equations and variables are those of the system.
static bool belongs(const ct_triangular *triangular, const ct_block_system *system) {
    bool seen[CT_TRIANGULAR_UNKNOWNS] = {false};
    if (triangular->n != system->n || system->n > CT_TRIANGULAR_UNKNOWNS ||
        system->ring->n > VARIABLES)
        return false;
    for (int i = 0; i < triangular->n; i++) {
        const ct_triangular_step *step = triangular->step + i;
        if (step->unknown >= system->n || seen[step->unknown]) return false;
        seen[step->unknown] = true;
        for (int k = 0; k < step->n; k++)
            for (int r = 0; r < step->by[k].n; r++)
                if (step->by[k].row[r].equation >= system->equations.n) return false;
    }
    return true;
}

bool ct_triangular_parse(const char *text, const ct_block_system *system, ct_triangular *out) {
    reader r = {text, true};
    ct_triangular t = {0};
    word(&r, "triangular");
    t.n = whole(&r, 1, CT_TRIANGULAR_UNKNOWNS);
    for (int i = 0; i < t.n && r.good; i++) read_step(&r, t.step + i);
    if (!r.good || !belongs(&t, system)) return false;
    // the same text from what was read
    char *again = ct_triangular_print(&t);
    bool good = !strcmp(text, again);
    ct_free(again);
    if (good) *out = t;
    return good;
}

// recalling ---------------------------------------------------------------------------------------
// Digest of the equations at a point, and of the search: `what`, by this library.
static ct_digest key_of(const char *what, const ct_block_system *system, const ct_block_point *at) {
    ct_digest key = {0};
    char mark[120];
    ct_library_mark(mark, sizeof mark);
    ct_digest_add_text(&key, what);
    ct_digest_add_text(&key, CT_VERSION);
    ct_digest_add_text(&key, mark);
    // unknowns of the ring, their order, and those of the coordinates
    ct_digest_add_number(&key, at->p);
    ct_digest_add_number(&key, (uint64_t)system->ring->n);
    ct_digest_add_number(&key, (uint64_t)system->n_helpers);
    for (int i = 0; i < system->ring->n_blocks; i++) {
        ct_digest_add_number(&key, (uint64_t)system->ring->blocks[i].n);
        ct_digest_add_number(&key, system->ring->blocks[i].order);
    }
    for (int i = 0; i < system->n; i++) {
        ct_digest_add_number(&key, system->unknown[i].is_angle);
        ct_digest_add_number(&key, (uint64_t)system->unknown[i].c);
        ct_digest_add_number(&key, (uint64_t)system->unknown[i].s);
    }
    // terms: exponents and residues
    ct_ring *number_ring = ct_block_number_ring(system->ring);
    ct_polys equations = {0};
    ct_block_at(number_ring, &equations, system->ring, &system->equations, at);
    for (int i = 0; i < equations.n; i++) {
        const ct_poly *f = equations.p + i;
        ct_digest_add_number(&key, (uint64_t)f->n);
        for (slong k = 0; k < f->n; k++) {
            ct_digest_add_number(&key, fmpz_get_ui(f->coefs + k));
            ct_digest_add(&key, ct_poly_exps(number_ring, f, k),
                          (size_t)number_ring->n * sizeof(uint32_t));
        }
    }
    ct_polys_clear(number_ring, &equations);
    ct_ring_free(number_ring);
    return key;
}

static bool parse_shape(const char *text, ct_block_shape *shape) {
    reader r = {text, true};
    word(&r, "solutions");
    shape->solutions = whole(&r, 0, CT_BLOCK_SOLUTIONS);
    word(&r, "least");
    shape->least = whole(&r, 0, shape->solutions);
    return r.good;
}

ct_block_shape ct_block_shape_recall(const ct_block_system *system, const ct_block_point *at,
                                     bool *from_cache) {
    ct_block_shape shape;
    ct_digest key = key_of("shape", system, at);
    char *text = ct_cache_read(CT_CACHE_TRIANGULAR, key, NULL);
    *from_cache = text && parse_shape(text, &shape);
    if (!*from_cache) {
        (void)ct_block_shape_find(system, at, &shape);
        ct_free(text);
        text = ct_format("solutions %d least %d\n", shape.solutions, shape.least);
        ct_cache_write(CT_CACHE_TRIANGULAR, key, text, strlen(text));
    }
    ct_free(text);
    return shape;
}

bool ct_triangular_recall(const ct_block_system *system, const ct_block_point *at,
                          ct_triangular *triangular, bool *from_cache) {
    static const char none[] = "none\n";
    ct_digest key = key_of("triangular", system, at);
    char *text = ct_cache_read(CT_CACHE_TRIANGULAR, key, NULL);
    bool found = text && ct_triangular_parse(text, system, triangular);
    *from_cache = found || (text && !strcmp(text, none));
    if (!*from_cache) {
        found = ct_triangular_find(system, at, triangular);
        ct_free(text);
        text = found ? ct_triangular_print(triangular) : ct_strdup(none);
        ct_cache_write(CT_CACHE_TRIANGULAR, key, text, strlen(text));
    }
    ct_free(text);
    return found;
}

// looking a block up ------------------------------------------------------------------------------
typedef struct question { // about which block
    ct_pool *pool;
    const ct_block_residuals *residuals;
    const ct_registers *registers; // in which the residuals are written
} question;

typedef struct described { // a system with what its symbols mean
    ct_block_system s;
    ct_ex *meaning;
    ct_block_shape shape; // zero: not found
} described;

// What the symbols of a system mean, with values written in coordinates; signs stay symbols.
static ct_ex *meanings(ct_pool *pool, const ct_registers *known, const ct_block_system *system) {
    ct_substitution *in = ct_substitution_new(pool);
    for (int i = 0; i < known->values.n; i++)
        ct_substitution_map(in, known->values.symbol[i], known->values.meaning[i]);
    ct_ex *meaning = ct_alloc((size_t)system->ring->n_symbols + 1, sizeof *meaning);
    for (int i = 0; i < system->ring->n_symbols; i++)
        meaning[i] = ct_substitute(in, system->known[i]);
    ct_substitution_free(in);
    return meaning;
}

// shape: at the first point that is found.
static bool describe(described *d, const question *q, bool fractions, bool *from_cache) {
    ct_block_point at;
    bool recalled = true;
    memset(d, 0, sizeof *d);
    if (!ct_block_system_from(q->pool, q->residuals, fractions, &d->s)) return false;
    d->meaning = meanings(q->pool, q->registers, &d->s);
    if (ct_block_point_find(q->pool, &d->s, d->meaning, 0, &at)) {
        d->shape = ct_block_shape_recall(&d->s, &at, &recalled);
        ct_block_point_clear(&at);
    }
    *from_cache = *from_cache && recalled;
    return true;
}

static void described_clear(described *d) {
    ct_block_system_clear(&d->s);
    ct_free(d->meaning);
    memset(d, 0, sizeof *d);
}

static bool points(ct_pool *pool, const described *d, ct_block_point at[2]) {
    return ct_block_point_find(pool, &d->s, d->meaning, 0, at) &&
           ct_block_point_find(pool, &d->s, d->meaning, 1, at + 1);
}

// Returns true if a triangular system is looked for: few unknowns, degree 4 or less.
static bool is_small(const ct_block_shape *shape, int n) {
    return n <= CT_TRIANGULAR_UNKNOWNS && shape->least > 0 && shape->least <= 4;
}

// Replaces the system by the one with quotients as unknowns, if that has as many solutions.
static void choose_system(ct_block_known *k, const question *q, described *d) {
    described other;
    if (!d->s.n_helpers || !describe(&other, q, true, &k->from_cache)) return;
    if (other.shape.solutions == d->shape.solutions) {
        described swap = *d;
        *d = other;
        other = swap;
    }
    described_clear(&other);
}

bool ct_block_known_init(ct_block_known *k, ct_pool *pool, const ct_block_residuals *r,
                         const ct_registers *registers) {
    const question q = {pool, r, registers};
    described d;
    memset(k, 0, sizeof *k);
    k->from_cache = true;
    if (!describe(&d, &q, false, &k->from_cache)) return false;
    k->shape = d.shape;
    // a triangular system, of the system with fractions where that may be
    if (is_small(&k->shape, r->n)) {
        bool recalled = true;
        choose_system(k, &q, &d);
        k->found =
            points(pool, &d, k->at) && ct_triangular_recall(&d.s, k->at, &k->triangular, &recalled);
        k->from_cache = k->from_cache && recalled;
    }
    k->s = d.s;
    d.s = (ct_block_system){0};
    described_clear(&d);
    return true;
}
