// One small text for each structure: a version, a sum over what follows, what was found, and the
// structure itself, which must be the one that is asked for.
#include "closure/elimination/block_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION "cotree block 2"
#define FOLDER  "triangular"

enum { VARIABLES = CT_TEMPLATE_VARIABLES };

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

char *ct_library_print(const char *structure, const ct_library_entry *e) {
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

// What was read must give the same text again, which leaves no room for anything else.
bool ct_library_parse(const char *text, const char *structure, ct_library_entry *entry) {
    reader r = {text, true};
    ct_library_entry e = {0};
    word(&r, VERSION);
    word(&r, "sum");
    r.at += strcspn(r.at, "\n");
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
    char *again = ct_library_print(structure, &e);
    bool good = !strcmp(text, again);
    free(again);
    if (good) *entry = e;
    return good;
}

static uint64_t place_of(const char *structure) {
    return ct_hash(structure, strlen(structure), ct_hash(VERSION, strlen(VERSION), 0));
}

bool ct_library_read(const char *structure, ct_library_entry *entry) {
    char *text = ct_cache_read(FOLDER, place_of(structure));
    bool good = text && ct_library_parse(text, structure, entry);
    free(text);
    return good;
}

void ct_library_write(const char *structure, const ct_library_entry *entry) {
    char *text = ct_library_print(structure, entry);
    ct_cache_write(FOLDER, place_of(structure), text);
    free(text);
}
