// Text of a sum: terms one after the other, or a chain of fma(a, b, rest), each of which rounds a
// product and a sum once. The chain begins with the terms that are no products, so that every product
// is part of an fma: a*b + c*d - e is fma(a, b, fma(c, d, -e)).
#include "emit/text/writer.h"

#include <math.h>
#include <string.h>

// Terms of one chain: chains of a long sum are added, so that brackets stay shallow (compilers allow 127
// of them) and processors have more than one chain to go on with.
enum { CHAIN = 16 };

typedef struct term {
    bool minus;
    char *text;   // without its sign
    size_t split; // place of its last factor's sign of multiplication; 0: it is no product
} term;

// The place where a product is split: a*b*c at its last sign. Returns 0 if the text is no product, or a
// quotient.
static size_t last_sign(const char *text) {
    int depth = 0;
    for (size_t i = strlen(text); i-- > 0;) {
        char c = text[i];
        depth += c == ')' || c == ']';
        depth -= c == '(' || c == '[';
        if (depth == 0 && c == '/') return 0;
        if (depth == 0 && c == '*') return i;
    }
    return 0;
}

static term term_of(char *text, bool minus) {
    return (term){minus, text, last_sign(text)};
}

// A coefficient and a node.
static term write_term(ct_writer *w, double c, ct_ex a) {
    ct_text t = {0};
    if (fabs(c) != 1) {
        char *s = ct_writer_number(fabs(c));
        ct_text_printf(&t, "%s*", s);
        ct_free(s);
    }
    ct_writer_put(&t, ct_writer_operand(w, a), LEVEL_PRODUCT);
    return term_of(ct_text_take(&t), c < 0);
}

// The terms of a sum in the order of their text. Returns how many there are.
static int gather(ct_writer *w, ct_ex a, term *terms) {
    ct_pool *pool = w->pool;
    uint32_t n = pool->nodes[a].n;
    int count = 0;
    // a positive term first reads better and saves a sign
    uint32_t lead = 1;
    while (lead < n && fmpq_sgn(ct_value(pool, ct_words(pool, a)[lead])) < 0) lead += 2;
    double k = ct_rational_double(ct_value(pool, ct_words(pool, a)[0]));
    // no positive term: a positive constant leads
    if (lead >= n && k > 0) {
        terms[count++] = term_of(ct_writer_number(k), false);
        k = 0;
    }
    // terms, the leading one first
    for (uint32_t step = 1; step < n; step += 2) {
        uint32_t i = lead < n ? (step == 1 ? lead : step <= lead ? step - 2 : step) : step;
        terms[count++] = write_term(w, ct_rational_double(ct_value(pool, ct_words(pool, a)[i])),
                                    ct_words(pool, a)[i + 1]);
    }
    // the constant last
    if (k != 0) terms[count++] = term_of(ct_writer_number(fabs(k)), k < 0);
    return count;
}

static void write_plain(ct_text *t, const term *x, bool first) {
    ct_text_add(t, x->minus ? (first ? "-" : " - ") : first ? "" : " + ");
    ct_text_add(t, x->text);
}

// One chain of n terms. first: nothing stands before it. Returns true if it is one fma.
static bool write_chain(ct_text *t, int n, const term *terms, bool first) {
    int n_sums = 0, start = -1, n_fused = 0;
    // what the chain begins with: terms that are no products, else the first product
    for (int i = 0; i < n; i++) n_sums += terms[i].split == 0;
    if (!n_sums) start = 0;
    // products around it, the last one outside
    for (int i = n - 1; i >= 0; i--) {
        const term *x = terms + i;
        if (!x->split || i == start) continue;
        if (!n_fused++) ct_text_add(t, first ? "" : " + ");
        ct_text_printf(t, "fma(%s%.*s, %s, ", x->minus ? "-" : "", (int)x->split, x->text,
                       x->text + x->split + 1);
    }
    bool none = first || n_fused;
    for (int i = 0; i < n; i++) {
        if (terms[i].split && i != start) continue;
        write_plain(t, terms + i, none);
        none = false;
    }
    for (int i = 0; i < n_fused; i++) ct_text_add(t, ")");
    return n_fused > 0;
}

ct_level ct_writer_sum(ct_writer *w, ct_text *t, ct_ex a) {
    term *terms = ct_alloc((size_t)w->pool->nodes[a].n / 2 + 2, sizeof *terms);
    int n = gather(w, a, terms);
    bool is_call = false;
    if (w->fused)
        for (int i = 0; i < n; i += CHAIN)
            is_call =
                write_chain(t, n - i < CHAIN ? n - i : CHAIN, terms + i, i == 0) && n <= CHAIN;
    for (int i = 0; i < n && !w->fused; i++) write_plain(t, terms + i, i == 0);
    for (int i = 0; i < n; i++) ct_free(terms[i].text);
    ct_free(terms);
    return is_call ? LEVEL_ATOM : LEVEL_SUM;
}
