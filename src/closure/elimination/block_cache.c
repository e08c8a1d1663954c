// From the residuals of a block to its system, its key, its shape and a triangular system, read
// from the cache or found and stored there. The cache has one file for each block structure: format
// version, checksum, result, and the structure, which must equal the one asked for.
#include "closure/elimination/block_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "cotree block 2"
#define FOLDER  "triangular"

enum { VARIABLES = CT_TEMPLATE_VARIABLES };

// texts -------------------------------------------------------------------------------------------
static void print_monomial(ct_text *t, const ct_monomial *m) {
    for (int k = 0; k < VARIABLES; k++) ct_text_printf(t, " %d", m->e[k]);
    ct_text_add(t, "\n");
}

static void print_triangular(ct_text *t, const ct_triangular *x) {
    for (int i = 0; i < x->n; i++) {
        const ct_triangular_step *s = x->step + i;
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
}

char *ct_block_cache_print(const char *structure, const ct_block_cache_entry *e) {
    ct_text t = {0};
    ct_text_printf(&t, "solutions %d least %d\ntriangular %d fractions %d\n", e->shape.solutions,
                   e->shape.least, e->found ? e->triangular.n : 0, e->fractions);
    if (e->found) print_triangular(&t, &e->triangular);
    ct_text_add(&t, structure);
    uint64_t sum = ct_hash(t.s, t.n, 0);
    char *text = ct_format(VERSION "\nsum %016" PRIx64 "\n%s", sum, t.s);
    ct_text_clear(&t);
    return text;
}

// reading ----------------------------------------------------------------------------------------
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
    char *end;
    long x = r->good ? strtol(r->at, &end, 10) : least;
    if (!r->good || end == r->at || x < least || x > most) {
        r->good = false;
        return least;
    }
    r->at = end;
    return (int)x;
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

// Accepts a text only if printing the entry gives the same text again.
bool ct_block_cache_parse(const char *text, const char *structure, ct_block_cache_entry *entry) {
    reader r = {text, true};
    ct_block_cache_entry e = {0};
    // version and checksum, which the comparison below covers
    word(&r, VERSION);
    word(&r, "sum");
    r.at += strcspn(r.at, "\n");
    // shape of the block, then the steps of its triangular system
    word(&r, "solutions");
    e.shape.solutions = whole(&r, 0, CT_BLOCK_SOLUTIONS);
    word(&r, "least");
    e.shape.least = whole(&r, 0, e.shape.solutions);
    word(&r, "triangular");
    e.triangular.n = whole(&r, 0, CT_TRIANGULAR_UNKNOWNS);
    word(&r, "fractions");
    e.fractions = whole(&r, 0, 1);
    e.found = e.triangular.n > 0;
    for (int i = 0; i < e.triangular.n && r.good; i++) read_step(&r, e.triangular.step + i);
    if (!r.good) return false;
    // the same text from what was read
    char *again = ct_block_cache_print(structure, &e);
    bool good = !strcmp(text, again);
    ct_free(again);
    if (good) *entry = e;
    return good;
}

static uint64_t place_of(const char *structure) {
    return ct_hash(structure, strlen(structure), ct_hash(VERSION, strlen(VERSION), 0));
}

bool ct_block_cache_read(const char *structure, ct_block_cache_entry *entry) {
    char *text = ct_cache_read(FOLDER, place_of(structure));
    bool good = text && ct_block_cache_parse(text, structure, entry);
    ct_free(text);
    return good;
}

void ct_block_cache_write(const char *structure, const ct_block_cache_entry *entry) {
    char *text = ct_block_cache_print(structure, entry);
    ct_cache_write(FOLDER, place_of(structure), text);
    ct_free(text);
}

// numbering of a key ------------------------------------------------------------------------------
static void permute(ct_monomial *m, int n, const int *from) {
    ct_monomial old = *m;
    for (int k = 0; k < n; k++) m->e[k] = old.e[from[k]];
}

static void each_monomial(ct_triangular *t, int n, const int *from) {
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < t->step[i].n; k++) {
            ct_template *x = t->step[i].by + k;
            for (int r = 0; r < x->n; r++) permute(&x->row[r].by, n, from);
            for (int r = 0; r < x->n_kept; r++) permute(x->kept + r, n, from);
        }
}

static void inverse(int n, const int *of, int *out) {
    for (int i = 0; i < n; i++) out[of[i]] = i;
}

void ct_triangular_to_key(const ct_block_system *s, const ct_block_key *key, ct_triangular *t) {
    int equation[CT_UNKNOWNS_MAX], variable[CT_UNKNOWNS_MAX];
    inverse(s->equations.n, key->equation, equation);
    inverse(s->ring->n, key->variable, variable);
    each_monomial(t, s->ring->n, key->variable);
    for (int i = 0; i < t->n; i++) {
        t->step[i].unknown = variable[s->unknown[t->step[i].unknown].c];
        for (int k = 0; k < t->step[i].n; k++)
            for (int r = 0; r < t->step[i].by[k].n; r++)
                t->step[i].by[k].row[r].equation = equation[t->step[i].by[k].row[r].equation];
    }
}

static bool unknown_from(const ct_block_system *s, const ct_block_key *key, int *unknown) {
    for (int i = 0; i < s->n; i++)
        if (*unknown >= 0 && *unknown < s->ring->n && s->unknown[i].c == key->variable[*unknown]) {
            *unknown = i;
            return true;
        }
    return false;
}

bool ct_triangular_from_key(const ct_block_system *s, const ct_block_key *key, ct_triangular *t) {
    int variable[CT_UNKNOWNS_MAX];
    if (s->n != t->n || s->ring->n > CT_TEMPLATE_VARIABLES) return false;
    inverse(s->ring->n, key->variable, variable);
    for (int i = 0; i < t->n; i++) {
        if (!unknown_from(s, key, &t->step[i].unknown)) return false;
        for (int k = 0; k < i; k++)
            if (t->step[k].unknown == t->step[i].unknown) return false;
        for (int k = 0; k < t->step[i].n; k++)
            for (int r = 0; r < t->step[i].by[k].n; r++) {
                int *e = &t->step[i].by[k].row[r].equation;
                if (*e < 0 || *e >= s->equations.n) return false;
                *e = key->equation[*e];
            }
    }
    each_monomial(t, s->ring->n, variable);
    return true;
}

// looking a block up ------------------------------------------------------------------------------
typedef struct question { // about which block
    ct_pool *pool;
    const ct_block_residuals *residuals;
    const ct_registers *registers; // in which the residuals are written
} question;

typedef struct described { // a system with what tells it apart
    ct_block_system s;
    ct_block_key key;
    ct_ex *meaning;
} described;

// What the symbols of a system mean, with values written in coordinates; signs stay symbols.
static ct_ex *meanings(ct_pool *pool, const ct_registers *known, const ct_block_system *s) {
    ct_substitution *in = ct_substitution_new(pool);
    for (int i = 0; i < known->values.n; i++)
        ct_substitution_map(in, known->values.symbol[i], known->values.meaning[i]);
    ct_ex *meaning = ct_alloc((size_t)s->ring->n_symbols + 1, sizeof *meaning);
    for (int i = 0; i < s->ring->n_symbols; i++) meaning[i] = ct_substitute(in, s->known[i]);
    ct_substitution_free(in);
    return meaning;
}

static bool describe(described *d, const question *q, bool fractions) {
    memset(d, 0, sizeof *d);
    if (!ct_block_system_from(q->pool, q->residuals, fractions, &d->s)) return false;
    d->meaning = meanings(q->pool, q->registers, &d->s);
    d->key = ct_block_key_of(q->pool, &d->s, d->meaning);
    return true;
}

static void described_clear(described *d) {
    ct_block_system_clear(&d->s);
    ct_block_key_clear(&d->key);
    ct_free(d->meaning);
    memset(d, 0, sizeof *d);
}

static bool points(ct_pool *pool, const described *d, ct_block_point at[2]) {
    return ct_block_point_find(pool, &d->s, d->meaning, 0, at) &&
           ct_block_point_find(pool, &d->s, d->meaning, 1, at + 1);
}

// Returns true if a triangular system is looked for: few unknowns, degree 4 or less.
static bool is_small(const ct_block_cache_entry *e, int n) {
    return n <= CT_TRIANGULAR_UNKNOWNS && e->shape.least > 0 && e->shape.least <= 4;
}

// Replaces the system by the one with quotients as unknowns, if that has as many solutions.
static void choose_system(ct_block_known *k, const question *q, described *d) {
    described other;
    ct_block_shape shape = k->entry.shape;
    if (k->from_cache ? !k->entry.fractions : !d->s.n_helpers) return;
    if (!describe(&other, q, true)) return;
    if (!k->from_cache) shape = ct_block_shape_of(q->pool, &other.s, other.meaning);
    k->entry.fractions = shape.solutions == k->entry.shape.solutions;
    if (k->entry.fractions) {
        described swap = *d;
        *d = other;
        other = swap;
    }
    described_clear(&other);
}

static void look(ct_block_known *k, ct_pool *pool, const described *d, ct_triangular *canonical) {
    if (!points(pool, d, k->at)) {
        k->entry.found = false;
    } else if (k->from_cache) {
        k->entry.found = ct_triangular_from_key(&d->s, &d->key, &k->entry.triangular);
    } else {
        k->entry.found = ct_triangular_find(&d->s, k->at, &k->entry.triangular);
        *canonical = k->entry.triangular;
        if (k->entry.found) ct_triangular_to_key(&d->s, &d->key, canonical);
    }
}

bool ct_block_known_init(ct_block_known *k, ct_pool *pool, const ct_block_residuals *r,
                         const ct_registers *registers) {
    const question q = {pool, r, registers};
    described d;
    memset(k, 0, sizeof *k);
    if (!describe(&d, &q, false)) return false;
    // entry of the cache, else the shape
    char *text = ct_strdup(d.key.text); // names the entry, whichever system is taken below
    k->from_cache = ct_block_cache_read(text, &k->entry);
    if (!k->from_cache) k->entry.shape = ct_block_shape_of(pool, &d.s, d.meaning);
    // a triangular system, of the system with fractions where that may be
    ct_block_cache_entry stored = k->entry;
    if (is_small(&k->entry, r->n) && (!k->from_cache || k->entry.found)) {
        choose_system(k, &q, &d);
        look(k, pool, &d, &stored.triangular);
        stored.found = k->entry.found;
        stored.fractions = k->entry.fractions;
    }
    // the cache keeps it in the numbering of the key
    if (!k->from_cache) ct_block_cache_write(text, &stored);
    k->s = d.s;
    d.s = (ct_block_system){0};
    described_clear(&d);
    ct_free(text);
    return true;
}
