// The expression language: recursive descent, one function per level of precedence.
//   comparison < sum < product < sign < power (right to left) < primary
#include "expr/pool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 200,
    DIGITS_MAX = 2000,
    EXPONENT_MAX = 400,
    ARGUMENTS_MAX = 8,
    NAME_MAX_BYTES = 4096,
    PRIMES_MAX = 2
};

const char *const ct_builtin_names[] = {"sin",  "cos",      "tan", "asin", "acos", "atan", "atan2",
                                        "sqrt", "exp",      "log", "abs",  "min",  "max",  "sign",
                                        "if",   "table",    "x",   "y",    "z",    "vx",   "vy",
                                        "vz",   "distance", "t",   "pi",   "deg",  "mm",   NULL};

typedef struct parser {
    ct_pool *pool;
    const char *text, *at;
    const ct_names *names;
    ct_parse_error *error;
    int depth;
    bool failed;
} parser;

static ct_ex comparison(parser *p);
static ct_ex power(parser *p);

static ct_ex fail(parser *p, const char *where, const char *format, ...) {
    if (!p->failed) {
        va_list args;
        va_start(args, format);
        ct_vsnprintf(p->error->message, sizeof p->error->message, format, args);
        va_end(args);
        p->error->offset = (size_t)(where - p->text);
        p->failed = true;
    }
    return CT_ZERO;
}

static void skip(parser *p) {
    while (*p->at && strchr(" \t\r\n", *p->at)) p->at++;
}

static bool take(parser *p, const char *token) {
    skip(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n)) return false;
    p->at += n;
    return true;
}

static bool letter(char c) {
    return (isalpha((unsigned char)c) && (unsigned char)c < 128) || c == '_';
}

static bool word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

bool ct_is_identifier(const char *s) {
    if (!letter(*s)) return false;
    while (word(*s)) s++;
    return !*s;
}

// Numbers such as 12, 1.5, .5, 1e-3, as exact rationals.
static ct_ex number(parser *p) {
    const char *start = p->at;
    char digits[DIGITS_MAX + 2];
    int n = 0;
    long scale = 0, exponent = 0;
    bool point = false;
    // digits without the point; scale counts those behind it
    for (; isdigit((unsigned char)*p->at) || (*p->at == '.' && !point); p->at++) {
        if (*p->at == '.') {
            point = true;
            continue;
        }
        if (n == DIGITS_MAX)
            return fail(p, start, "this number has more than %d digits", DIGITS_MAX);
        digits[n++] = *p->at;
        scale -= point;
    }
    digits[n] = '\0';
    if (!n) return fail(p, start, "a number needs a digit");
    // exponent, only if digits follow
    if ((*p->at == 'e' || *p->at == 'E') &&
        (isdigit((unsigned char)p->at[1]) ||
         ((p->at[1] == '+' || p->at[1] == '-') && isdigit((unsigned char)p->at[2])))) {
        bool minus = p->at[1] == '-';
        for (p->at += 1 + !isdigit((unsigned char)p->at[1]); isdigit((unsigned char)*p->at);
             p->at++)
            if (exponent < 100000) exponent = 10 * exponent + (*p->at - '0');
        exponent = minus ? -exponent : exponent;
    }
    if (word(*p->at))
        return fail(p, p->at, "expected an operator after the number (write 2*pi, not 2pi)");
    // digits * 10^exponent, within bounds
    exponent += scale;
    if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX - DIGITS_MAX)
        return fail(p, start, "this number is out of range");
    // as a fraction in lowest terms
    fmpq_t v;
    fmpz_t ten;
    fmpq_init(v);
    fmpz_init(ten);
    fmpz_set_str(fmpq_numref(v), digits, 10);
    fmpz_set_ui(ten, 10);
    fmpz_pow_ui(ten, ten, (ulong)labs(exponent));
    if (exponent >= 0)
        fmpz_mul(fmpq_numref(v), fmpq_numref(v), ten);
    else
        fmpz_set(fmpq_denref(v), ten);
    fmpq_canonicalise(v);
    ct_ex a = ct_number(p->pool, v);
    fmpz_clear(ten);
    fmpq_clear(v);
    return a;
}

// One part of a name: letters, digits and underscores, or anything between backquotes.
static bool name_part(parser *p, ct_text *out) {
    const char *start = p->at;
    if (*start != '`') {
        while (word(*p->at)) p->at++;
        ct_text_addn(out, start, (size_t)(p->at - start));
        return true;
    }
    size_t n = strcspn(start + 1, "`");
    if (start[1 + n] != '`') {
        fail(p, start, "a name in backquotes needs a closing backquote");
        return false;
    }
    ct_text_addn(out, start + 1, n);
    p->at += n + 2;
    return true;
}

// A name part(.part)*. Returns NULL after a message.
static char *name(parser *p) {
    const char *start = p->at;
    ct_text text = {0};
    bool good = name_part(p, &text);
    while (good && *p->at == '.' && (word(p->at[1]) || p->at[1] == '`')) {
        p->at++;
        ct_text_add(&text, ".");
        good = name_part(p, &text);
    }
    if (good && (!text.n || text.n > NAME_MAX_BYTES)) {
        fail(p, start + (*start == '`'), text.n ? "this name is too long" : "a name is empty");
        good = false;
    }
    char *copy = good ? ct_strndup(text.s, text.n) : NULL;
    ct_text_clear(&text);
    return copy;
}

static bool is_built_in(const char *s, ct_op *op, int *arity) {
    static const struct {
        const char *text;
        ct_op op;
        int arity;
    } table[] = {
#define X(name, text, n) {text, CT_OP_##name, n},
        CT_OPS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].text && !strcmp(table[i].text, s)) {
            *op = table[i].op;
            *arity = table[i].arity;
            return true;
        }
    return false;
}

// A name, or a position of points as motions are called: x(body.point), distance(p, q). Returns NULL
// after a message.
static char *name_or_position(parser *p) {
    const char *start = p->at;
    char *first = name(p);
    if (!first || *p->at != '(') return first;
    const size_t n = strcspn(p->at, ")");
    if (p->at[n] != ')') {
        fail(p, p->at, "expected ) after the points of %.60s", first);
        ct_free(first);
        return NULL;
    }
    ct_free(first);
    p->at += n + 1;
    return ct_strndup(start, (size_t)(p->at - start));
}

// Calls whose arguments are names: x(body.point), distance(p, q), effort(x(body.point)).
static ct_ex name_call(parser *p, const char *function, const char *start) {
    char *args[ARGUMENTS_MAX] = {0};
    int n = 0;
    ct_ex value = CT_ZERO;
    // names up to the closing parenthesis
    do {
        skip(p);
        if (!letter(*p->at) && *p->at != '`')
            fail(p, p->at, "%s(...) takes names, as those of points (body.point)", function);
        else if (n == ARGUMENTS_MAX)
            fail(p, p->at, "too many arguments");
        else
            args[n++] = name_or_position(p);
    } while (!p->failed && take(p, ","));
    if (!p->failed && !take(p, ")"))
        fail(p, p->at, "expected ) after the arguments of %s", function);
    // the owner of the names gives the value
    if (!p->failed) {
        ct_parse_error e = {0};
        const char *names[ARGUMENTS_MAX];
        for (int i = 0; i < n; i++) names[i] = args[i];
        if (!p->names->name_call(p->names->data, function, n, names, (size_t)(start - p->text),
                                 &value, &e))
            fail(p, start, "%s", e.message);
    }
    for (int i = 0; i < n; i++) ct_free(args[i]);
    return value;
}

static ct_ex table_call(parser *p) {
    skip(p);
    const char *start = p->at;
    if (!letter(*p->at)) return fail(p, start, "table(name, x) takes the name of a table first");
    char *s = name(p);
    if (!s) return CT_ZERO;
    int table = p->names && p->names->find_table ? p->names->find_table(p->names->data, s) : -1;
    if (table < 0) fail(p, start, "there is no table '%.60s'; define it under tables:", s);
    ct_free(s);
    if (!p->failed && !take(p, ",")) fail(p, p->at, "table takes two arguments: table(name, x)");
    ct_ex x = p->failed ? CT_ZERO : comparison(p);
    if (!p->failed && !take(p, ")")) fail(p, p->at, "expected ) after table(name, x");
    return p->failed ? CT_ZERO : ct_table_at(p->pool, table, x);
}

static ct_ex call(parser *p, const char *function, const char *start) {
    ct_op op = CT_OP_NUMBER;
    int arity = 0;
    // functions of names, then tables
    if (p->names && p->names->is_name_call && p->names->is_name_call(p->names->data, function))
        return name_call(p, function, start);
    if (!strcmp(function, "table")) return table_call(p);
    // an unknown function, with the nearest name
    if (!is_built_in(function, &op, &arity)) {
        const char *near = NULL;
        int count = 0;
        while (ct_builtin_names[count] && strcmp(ct_builtin_names[count], "t")) count++;
        near = ct_nearest(function, ct_builtin_names, count);
        return fail(p, start, "unknown function '%.60s'%s%s%s", function,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    // arguments up to the closing parenthesis
    ct_ex args[ARGUMENTS_MAX];
    int n = 0;
    if (!take(p, ")")) {
        do {
            if (n == ARGUMENTS_MAX) return fail(p, p->at, "too many arguments for %s", function);
            args[n++] = comparison(p);
        } while (!p->failed && take(p, ","));
        if (!p->failed && !take(p, ")"))
            return fail(p, p->at, "expected ) after the arguments of %s", function);
    }
    if (p->failed) return CT_ZERO;
    // min and max of several
    if ((op == CT_OP_MIN || op == CT_OP_MAX) && n > 2) {
        ct_ex best = args[0];
        for (int i = 1; i < n; i++) best = ct_apply(p->pool, op, (ct_ex[]){best, args[i]});
        return best;
    }
    // number and domain of the arguments
    if (n != arity)
        return fail(p, start, "%s takes %d argument%s, not %d", function, arity,
                    arity == 1 ? "" : "s", n);
    ct_ex value = ct_apply(p->pool, op, args);
    if (value == ct_undefined(p->pool))
        return fail(p, start, "%s is not defined here (the argument is outside its domain)",
                    function);
    return value;
}

static ct_ex name_or_call(parser *p) {
    const char *start = p->at;
    bool quoted = *start == '`';
    char *s = name(p);
    if (!s) return CT_ZERO;
    ct_ex value = CT_ZERO;
    ct_parse_error e = {0};
    skip(p);
    if (!quoted && take(p, "("))
        value = call(p, s, start);
    else {
        int primes = 0;
        while (primes < PRIMES_MAX && take(p, "'")) primes++;
        if (!p->names || !p->names->resolve)
            fail(p, start, "unknown name '%.60s'", s);
        else if (!p->names->resolve(p->names->data, s, primes, (size_t)(start - p->text), &value,
                                    &e))
            fail(p, start, "%s", e.message);
    }
    ct_free(s);
    return value;
}

static ct_ex primary(parser *p) {
    skip(p);
    const char *start = p->at;
    if (isdigit((unsigned char)*start) || *start == '.') return number(p);
    if (letter(*start) || *start == '`') return name_or_call(p);
    if (take(p, "(")) {
        ct_ex a = comparison(p);
        if (!p->failed && !take(p, ")"))
            fail(p, p->at, *p->at ? "expected ) here" : "the expression ends before its closing )");
        return a;
    }
    if (!*start)
        return fail(p, start,
                    start == p->text ? "an expression is empty" : "the expression ends too early");
    if (!isprint((unsigned char)*start))
        return fail(p, start,
                    "unexpected character (names with letters beyond ASCII stand in backquotes)");
    return fail(p, start, "unexpected '%c'", *start);
}

static ct_ex sign(parser *p) {
    if (++p->depth > DEPTH_MAX) return fail(p, p->at, "the expression is nested too deeply");
    ct_ex a;
    if (take(p, "-"))
        a = ct_neg(p->pool, sign(p));
    else if (take(p, "+"))
        a = sign(p);
    else
        a = power(p);
    p->depth--;
    return a;
}

static ct_ex power(parser *p) {
    ct_ex a = primary(p);
    skip(p);
    const char *where = p->at;
    if (!p->failed && take(p, "^")) {
        ct_ex e = sign(p); // right to left, and 2^-3
        if (p->failed) return CT_ZERO;
        a = ct_power(p->pool, a, e);
        if (a == ct_undefined(p->pool))
            return fail(p, where, "this power is not defined or too large");
    }
    return a;
}

static ct_ex factor_list(parser *p) {
    ct_ex a = sign(p);
    while (!p->failed) {
        skip(p);
        const char *where = p->at;
        if (take(p, "*")) {
            a = ct_mul(p->pool, a, sign(p));
        } else if (take(p, "/")) {
            ct_ex b = sign(p);
            if (!p->failed && b == CT_ZERO) return fail(p, where, "division by zero");
            a = p->failed ? a : ct_div(p->pool, a, b);
        } else {
            break;
        }
    }
    return a;
}

static ct_ex term_list(parser *p) {
    ct_ex a = factor_list(p);
    while (!p->failed) {
        if (take(p, "+"))
            a = ct_add(p->pool, a, factor_list(p));
        else if (take(p, "-"))
            a = ct_sub(p->pool, a, factor_list(p));
        else
            break;
    }
    return a;
}

static ct_ex comparison(parser *p) {
    ct_ex a = term_list(p);
    if (p->failed) return CT_ZERO;
    static const struct {
        const char *token;
        ct_op op;
        bool swap, negate;
    } table[] = {{"<=", CT_OP_LESS_EQUAL, false, false}, {">=", CT_OP_LESS_EQUAL, true, false},
                 {"==", CT_OP_EQUAL, false, false},      {"!=", CT_OP_EQUAL, false, true},
                 {"<", CT_OP_LESS, false, false},        {">", CT_OP_LESS, true, false}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!take(p, table[i].token)) continue;
        ct_ex b = term_list(p);
        ct_ex args[2] = {table[i].swap ? b : a, table[i].swap ? a : b};
        ct_ex value = p->failed ? CT_ZERO : ct_apply(p->pool, table[i].op, args);
        return table[i].negate ? ct_sub(p->pool, CT_ONE, value) : value;
    }
    return a;
}

bool ct_parse(ct_pool *pool, const char *text, const ct_names *names, ct_ex *value,
              ct_parse_error *error) {
    parser p = {.pool = pool, .text = text, .at = text, .names = names, .error = error};
    *value = comparison(&p);
    skip(&p);
    if (!p.failed && *p.at)
        fail(&p, p.at,
             *p.at == ')' ? "there is one ) too many" : "expected an operator or the end here");
    if (!p.failed && *value == ct_undefined(pool))
        fail(&p, text, "this value is not defined (division by zero, or a number too large)");
    return !p.failed;
}
