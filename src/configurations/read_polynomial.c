// Equations of a polynomial system: the expression language read straight into exact polynomials.
// Constants that are not rational (sqrt(3)/2) are parsed as expressions and replaced by their
// rational stand-ins; so are the angles of sines and cosines.
#include "configurations/polynomials.h"
#include "model/read/read.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 200, EXPONENT_MAX = 100000 };

typedef struct parser {
    ct_reader *r;
    ct_trig *ring;
    const char *text, *at;
    int depth;
    bool failed;
    size_t offset; // of the mistake
    char message[400];
} parser;

// constant: exact (its value is q) or not (text between start and end); otherwise the polynomial f
typedef struct value {
    bool constant, exact;
    size_t start, end;
    fmpq_t q;
    fmpq_mpoly_t f;
} value;

static void equation(parser *p, value *v);
static void term_list(parser *p, value *v);
static void sign(parser *p, value *v);

static void fail(parser *p, size_t offset, const char *format, ...) CT_PRINTF(3, 4);

static void fail(parser *p, size_t offset, const char *format, ...) {
    if (p->failed) return;
    va_list args;
    va_start(args, format);
    ct_vsnprintf(p->message, sizeof p->message, format, args);
    va_end(args);
    p->offset = offset;
    p->failed = true;
}

static void value_init(const parser *p, value *v) {
    *v = (value){.constant = true, .exact = true};
    fmpq_init(v->q);
    fmpq_mpoly_init(v->f, p->ring->ctx);
}

static void value_clear(const parser *p, value *v) {
    fmpq_clear(v->q);
    fmpq_mpoly_clear(v->f, p->ring->ctx);
}

// characters --------------------------------------------------------------------------------------
static void skip(parser *p) {
    while (*p->at && strchr(" \t\r\n", *p->at)) p->at++;
}

static bool take(parser *p, char token) {
    skip(p);
    if (*p->at != token) return false;
    p->at++;
    return true;
}

static size_t here(parser *p) {
    skip(p);
    return (size_t)(p->at - p->text);
}

static bool letter(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static bool word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// constants ---------------------------------------------------------------------------------------
// Turns a constant that is still text into a rational, or into its rational stand-in.
static void settle(parser *p, value *v) {
    if (p->failed || !v->constant || v->exact) return;
    char *piece = ct_strndup(p->text + v->start, v->end - v->start);
    ct_parse_error error = {0};
    ct_ex e;
    if (!ct_read_expr_text(p->r, piece, CT_CONSTANT, "equation", &e, &error))
        fail(p, v->start + error.offset, "%s", error.message);
    else if (!ct_depends_on_failed(p->r, e) && !ct_rational_of(p->ring->constants, e, v->q))
        fail(p, v->start, "this has no finite value");
    v->exact = true;
    ct_free(piece);
}

// Turns a value into a polynomial, constants included.
static void spread(parser *p, value *v) {
    settle(p, v);
    if (!v->constant) return;
    fmpq_mpoly_set_fmpq(v->f, v->q, p->ring->ctx);
    v->constant = false;
}

static bool too_large(parser *p, const value *v, size_t where, double times) {
    if ((double)fmpq_height_bits(v->q) * times <= CT_BITS_MAX) return false;
    fail(p, where, "this number is too large");
    return true;
}

// a = a op b for constants; a result that is not exact stays text. Returns false if one of them
// holds an unknown.
static bool constants(parser *p, char op, value *a, value *b, size_t where) {
    if (!a->constant || !b->constant) return false;
    if (op == '/' && b->exact && fmpq_is_zero(b->q)) {
        fail(p, where, "division by zero");
        return true;
    }
    a->exact = a->exact && b->exact;
    if (!a->exact || too_large(p, a, where, 2) || too_large(p, b, where, 2)) return true;
    switch (op) {
    case '+': fmpq_add(a->q, a->q, b->q); break;
    case '-': fmpq_sub(a->q, a->q, b->q); break;
    case '*': fmpq_mul(a->q, a->q, b->q); break;
    default: fmpq_div(a->q, a->q, b->q);
    }
    return true;
}

// A number, exact and of any length: 12, 1.5, .5, 1e-3.
static void number(parser *p, value *v) {
    // digits without the point, and the power of ten that it makes
    size_t start = here(p);
    char *digits = ct_alloc(strspn(p->at, "0123456789.") + 1, 1);
    size_t n = 0;
    long scale = 0, exponent = 0;
    bool point = false;
    for (; isdigit((unsigned char)*p->at) || (*p->at == '.' && !point); p->at++) {
        if (*p->at == '.') {
            point = true;
        } else {
            digits[n++] = *p->at;
            scale -= point;
        }
    }
    // exponent
    if ((*p->at == 'e' || *p->at == 'E') &&
        (isdigit((unsigned char)p->at[1]) ||
         ((p->at[1] == '+' || p->at[1] == '-') && isdigit((unsigned char)p->at[2])))) {
        bool minus = p->at[1] == '-';
        for (p->at += 1 + !isdigit((unsigned char)p->at[1]); isdigit((unsigned char)*p->at);
             p->at++)
            if (exponent <= EXPONENT_MAX) exponent = 10 * exponent + (*p->at - '0');
        exponent = minus ? -exponent : exponent;
    }
    // messages
    if (!n)
        fail(p, start, "a number needs a digit");
    else if (word(*p->at))
        fail(p, here(p), "expected an operator after the number (write 2*x, not 2x)");
    else if (labs(exponent) > EXPONENT_MAX)
        fail(p, start, "this number is out of range");
    if (!p->failed) {
        // digits times ten to the power, exactly
        fmpz_t ten, whole;
        fmpz_init_set_ui(ten, 10);
        fmpz_init(whole);
        exponent += scale;
        fmpz_pow_ui(ten, ten, (ulong)labs(exponent));
        fmpz_set_str(whole, digits, 10);
        if (exponent >= 0) {
            fmpz_mul(whole, whole, ten);
            fmpz_one(ten);
        }
        fmpq_set_fmpz_frac(v->q, whole, ten);
        fmpz_clear(ten);
        fmpz_clear(whole);
    }
    ct_free(digits);
}

// names and functions -----------------------------------------------------------------------------
static void unknown_name(parser *p, size_t start, const char *name) {
    ct_reader *r = p->r;
    const char *hint = ct_hint_map(r, name, &r->coordinates);
    if (!*hint) hint = ct_hint_map(r, name, &r->parameters);
    if (!strcmp(name, "t"))
        fail(p, start, "'t' means nothing here: nothing moves in a polynomial system");
    else
        fail(p, start, "'%s' is neither an unknown nor a parameter%s", ct_show(&r->shown, name),
             *hint ? hint : "; add it to unknowns:");
}

static void name(parser *p, value *v, size_t start, const char *s) {
    int k = ct_name_map_get(&p->r->coordinates, s), i = ct_name_map_get(&p->r->parameters, s);
    if (k >= 0) {
        v->constant = false;
        ct_trig_variable(p->ring, v->f, k, CT_ITSELF);
    } else if (i >= 0 || !strcmp(s, "pi") || !strcmp(s, "deg")) {
        v->exact = i >= 0 && ct_number_get(p->r->pool,
                                           ct_substitute(p->ring->constants->known,
                                                         p->r->model->parameters[i].symbol),
                                           v->q);
    } else if (!strcmp(s, "mm")) {
        fmpq_set_si(v->q, 1, 1000);
    } else {
        unknown_name(p, start, s);
    }
}

static void sine_or_cosine(parser *p, value *v, bool sine, size_t start, size_t end) {
    char *piece = ct_strndup(p->text + start, end - start);
    ct_parse_error error = {0};
    ct_trig_error trig;
    ct_ex angle;
    fmpq_mpoly_t other;
    fmpq_mpoly_init(other, p->ring->ctx);
    if (!ct_read_expr_text(p->r, piece, CT_CONSTANT | CT_MAY_COORDINATE, "equation", &angle,
                           &error)) {
        fail(p, start + error.offset, "%s", error.message);
    } else {
        const char *wrong = sine ? ct_trig_angle(p->ring, other, v->f, angle, &trig)
                                 : ct_trig_angle(p->ring, v->f, other, angle, &trig);
        if (wrong) fail(p, start, "%s", wrong);
    }
    v->constant = false;
    fmpq_mpoly_clear(other, p->ring->ctx);
    ct_free(piece);
}

static void call(parser *p, value *v, size_t start, const char *function) {
    // arguments, one after the other
    bool constant = true;
    int replaced = p->ring->constants->n_replaced;
    size_t inside = here(p);
    if (!take(p, ')')) {
        do {
            value a;
            value_init(p, &a);
            term_list(p, &a);
            constant = constant && a.constant;
            value_clear(p, &a);
        } while (!p->failed && take(p, ','));
        if (!p->failed && !take(p, ')'))
            fail(p, here(p), "expected ) after the arguments of %s", function);
    }
    if (p->failed) return;
    p->ring->constants->n_replaced = replaced; // what stands in the argument is not replaced
    size_t end = (size_t)(p->at - p->text);
    // the function: built in, or a name of the file by mistake
    bool sine = !strcmp(function, "sin"), known = false;
    for (int i = 0; ct_builtin_names[i]; i++) known |= !strcmp(function, ct_builtin_names[i]);
    bool mine = ct_name_map_get(&p->r->coordinates, function) >= 0 ||
                ct_name_map_get(&p->r->parameters, function) >= 0;
    // constants are left to the expressions; sines and cosines are polynomials in pairs
    if (mine)
        fail(p, start, "'%s' is no function: write * for a product", function);
    else if (constant)
        v->exact = false;
    else if (sine || !strcmp(function, "cos"))
        sine_or_cosine(p, v, sine, inside, end - 1);
    else if (known)
        fail(p, start, "%s of an unknown is not polynomial%s", function,
             !strcmp(function, "tan")    ? ": multiply by the cosine"
             : !strcmp(function, "sqrt") ? ": take it as an unknown of its own, with its square"
                                         : "");
    else
        fail(p, start, "'%s' is no function", ct_show(&p->r->shown, function));
}

static void name_or_call(parser *p, value *v) {
    size_t start = here(p);
    const char *from = p->at;
    while (word(*p->at) || (*p->at == '.' && word(p->at[1]))) p->at++;
    char *s = ct_strndup(from, (size_t)(p->at - from));
    if (take(p, '('))
        call(p, v, start, s);
    else
        name(p, v, start, s);
    if (!p->failed && *p->at == '\'') fail(p, here(p), "rates mean nothing here: remove the prime");
    ct_free(s);
}

// grammar -----------------------------------------------------------------------------------------
static void primary(parser *p, value *v) {
    size_t start = here(p);
    char c = *p->at;
    if (isdigit((unsigned char)c) || c == '.') {
        number(p, v);
    } else if (letter(c)) {
        name_or_call(p, v);
    } else if (take(p, '(')) {
        term_list(p, v);
        if (!p->failed && !take(p, ')'))
            fail(p, here(p),
                 *p->at ? "expected ) here" : "the expression ends before its closing )");
    } else if (!c) {
        fail(p, start, start ? "the expression ends too early" : "an equation is empty");
    } else if (!isprint((unsigned char)c)) {
        fail(p, start, "unexpected character");
    } else {
        fail(p, start, "unexpected '%c'", c);
    }
    v->start = start;
    v->end = (size_t)(p->at - p->text);
}

static void raise_to(parser *p, value *v, value *e, size_t where) {
    ct_trig_error error;
    const char *wrong = NULL;
    if (!e->constant) {
        fail(p, where, "an unknown in the exponent is not polynomial");
        return;
    }
    if (v->constant && !(v->exact && e->exact && fmpz_is_one(fmpq_denref(e->q)))) {
        v->exact = false; // 2^0.5: left to the expressions
        return;
    }
    settle(p, e);
    if (p->failed) return;
    if (!fmpz_is_one(fmpq_denref(e->q)) || (fmpz_sgn(fmpq_numref(e->q)) < 0 && !v->constant))
        fail(p, where, "an unknown may only have whole exponents from zero up");
    else if (!fmpz_abs_fits_ui(fmpq_numref(e->q)) || fmpz_bits(fmpq_numref(e->q)) > 62)
        fail(p, where, "this exponent is too large");
    else if (!v->constant)
        wrong = ct_trig_power(p->ring, v->f, v->f, fmpz_get_ui(fmpq_numref(e->q)), &error);
    else if (fmpz_sgn(fmpq_numref(e->q)) < 0 && fmpq_is_zero(v->q))
        fail(p, where, "division by zero");
    else if (!too_large(p, v, where, (double)llabs(fmpz_get_si(fmpq_numref(e->q)))))
        fmpq_pow_si(v->q, v->q, fmpz_get_si(fmpq_numref(e->q)));
    if (wrong) fail(p, where, "%s", wrong);
}

static void power(parser *p, value *v) {
    primary(p, v);
    size_t where = here(p);
    if (p->failed || !take(p, '^')) return;
    value e;
    value_init(p, &e);
    sign(p, &e); // right to left, and 2^-3
    if (!p->failed) raise_to(p, v, &e, where);
    v->end = e.end;
    value_clear(p, &e);
}

static void sign(parser *p, value *v) {
    size_t start = here(p);
    if (++p->depth > DEPTH_MAX) {
        fail(p, start, "the expression is nested too deeply");
    } else if (take(p, '-')) {
        sign(p, v);
        fmpq_neg(v->q, v->q);
        fmpq_mpoly_neg(v->f, v->f, p->ring->ctx);
        v->start = start;
    } else if (take(p, '+')) {
        sign(p, v);
        v->start = start;
    } else {
        power(p, v);
    }
    p->depth--;
}

static void multiply(parser *p, char op, value *a, value *b, size_t where) {
    ct_trig_error error;
    const char *wrong = NULL;
    if (constants(p, op, a, b, where)) return;
    if (op == '/') {
        settle(p, b);
        if (p->failed) return;
        if (!b->constant)
            fail(p, where, "division by something that holds an unknown: multiply it out");
        else if (fmpq_is_zero(b->q))
            fail(p, where, "division by zero");
        else
            fmpq_inv(b->q, b->q);
    }
    if (p->failed) return;
    spread(p, a);
    spread(p, b);
    if (!p->failed) wrong = ct_trig_mul(p->ring, a->f, a->f, b->f, &error);
    if (wrong) fail(p, where, "%s", wrong);
}

static void factor_list(parser *p, value *a) {
    sign(p, a);
    while (!p->failed) {
        size_t where = here(p);
        char op = *p->at;
        if (op != '*' && op != '/') break;
        p->at++;
        value b;
        value_init(p, &b);
        sign(p, &b);
        if (!p->failed) multiply(p, op, a, &b, where);
        a->end = b.end;
        value_clear(p, &b);
    }
}

// Long sums are added up in pairs, so that their cost stays near their length.
typedef struct summands {
    fmpq_mpoly_struct *f;
    int n, room;
} summands;

static void add_up(parser *p, summands *s, fmpq_mpoly_t total) {
    for (int step = 1; step < s->n; step *= 2)
        for (int i = 0; i + step < s->n; i += 2 * step) {
            fmpq_mpoly_add(s->f + i, s->f + i, s->f + i + step, p->ring->ctx);
            fmpq_mpoly_zero(s->f + i + step, p->ring->ctx);
        }
    fmpq_mpoly_set(total, s->f, p->ring->ctx);
    for (int i = 0; i < s->n; i++) fmpq_mpoly_clear(s->f + i, p->ring->ctx);
    ct_free(s->f);
}

static void add_summand(parser *p, summands *s, value *v, bool minus) {
    spread(p, v);
    fmpq_mpoly_struct *f = CT_PUSH(s->f, s->n, s->room);
    fmpq_mpoly_init(f, p->ring->ctx);
    if (minus) fmpq_mpoly_neg(v->f, v->f, p->ring->ctx);
    fmpq_mpoly_swap(f, v->f, p->ring->ctx);
}

static void term_list(parser *p, value *a) {
    summands list = {0};
    if (++p->depth > DEPTH_MAX) fail(p, here(p), "the expression is nested too deeply");
    if (!p->failed) factor_list(p, a);
    while (!p->failed) {
        size_t where = here(p);
        char op = *p->at;
        if (op != '+' && op != '-') break;
        p->at++;
        value b;
        value_init(p, &b);
        factor_list(p, &b);
        if (!p->failed && (list.n || !constants(p, op, a, &b, where))) {
            if (!list.n) add_summand(p, &list, a, false);
            add_summand(p, &list, &b, op == '-');
        }
        a->end = b.end;
        value_clear(p, &b);
    }
    if (list.n) add_up(p, &list, a->f);
    p->depth--;
}

// An equation: left, or left = right.
static void equation(parser *p, value *v) {
    term_list(p, v);
    if (!p->failed && take(p, '=')) {
        value right;
        value_init(p, &right);
        term_list(p, &right);
        spread(p, v);
        spread(p, &right);
        fmpq_mpoly_sub(v->f, v->f, right.f, p->ring->ctx);
        value_clear(p, &right);
    }
    skip(p);
    if (!p->failed && *p->at)
        fail(p, here(p),
             *p->at == ')'   ? "there is one ) too many"
             : *p->at == '=' ? "an equation has one = sign"
                             : "expected an operator or the end here");
    spread(p, v);
}

bool ct_read_polynomial(ct_reader *r, ct_trig *trig, const ct_yaml *node, const char *what,
                        fmpq_mpoly_t f) {
    if (node->kind != CT_YAML_SCALAR || ct_yaml_is_null(node)) {
        ct_error_at(r->ctx, node->place, "%s must be an expression, not %s", what,
                    node->kind == CT_YAML_MAP    ? "a map"
                    : node->kind == CT_YAML_LIST ? "a list"
                                                 : "nothing");
        return false;
    }
    parser p = {.r = r, .ring = trig, .text = node->text, .at = node->text};
    value v;
    value_init(&p, &v);
    equation(&p, &v);
    if (p.failed)
        ct_error_at(r->ctx, ct_yaml_place(r->file, node, p.offset), "%s: %s", what, p.message);
    else
        fmpq_mpoly_swap(f, v.f, trig->ctx);
    value_clear(&p, &v);
    return !p.failed;
}
