// Printers for the expression language, C, and LaTeX. A multiple of a sum is written distributed,
// c*(x + k) as c*x + c*k, as users most likely entered it.
#include "expr/pool.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Binding strengths; an operand that binds weaker than its place asks for gets parentheses.
enum { WEAKEST, SUM_LEVEL, PRODUCT_LEVEL, SIGN_LEVEL, POWER_LEVEL, ATOM };

typedef struct printer {
    ct_pool *pool;
    ct_text *out;
    ct_style style;
} printer;

static void print(printer *p, ct_ex a, int level);

static void open_paren(printer *p) {
    ct_text_add(p->out, p->style == CT_STYLE_LATEX ? "\\left(" : "(");
}

static void close_paren(printer *p) {
    ct_text_add(p->out, p->style == CT_STYLE_LATEX ? "\\right)" : ")");
}

static void wrap(printer *p, ct_ex a, int own, int level, void (*body)(printer *, ct_ex)) {
    if (own < level) open_paren(p);
    body(p, a);
    if (own < level) close_paren(p);
}

// Writes a number as a decimal. Returns false if it needs more than nine decimals or is very large
// or small.
static bool decimal(char *buffer, size_t size, const fmpq_t v) {
    double d = ct_rational_double(v);
    fmpq_t back;
    fmpz_t ten;
    fmpq_init(back);
    fmpz_init(ten);
    bool exact = false;
    for (int digits = 0; digits <= 9 && !exact; digits++) {
        fmpz_set_ui(ten, 10);
        fmpz_pow_ui(ten, ten, (ulong)digits);
        fmpq_mul_fmpz(back, v, ten);
        if (fmpz_is_one(fmpq_denref(back))) {
            ct_snprintf(buffer, size, "%.*f", digits, d);
            exact = fabs(d) < 1e6 && (fabs(d) >= 1e-4 || d == 0);
            break;
        }
    }
    fmpq_clear(back);
    fmpz_clear(ten);
    return exact;
}

static bool fits_exactly(const fmpz_t z) // below 2^53
{
    return fmpz_bits(z) <= 53;
}

// 15 digits if they read back as the same double, else 17.
static void c_number(printer *p, double d) {
    char text[64];
    ct_snprintf(text, sizeof text, "%.15g", d);
    if (ct_strtod(text, NULL) != d) ct_snprintf(text, sizeof text, "%.17g", d);
    ct_text_add(p->out, isinf(d) ? "INFINITY" : text);
    if (!strpbrk(text, ".einf")) ct_text_add(p->out, ".0");
}

// A positive rational number.
static void number(printer *p, const fmpq_t v, int level) {
    char buffer[64];
    // C: the nearest double
    if (p->style == CT_STYLE_C) {
        c_number(p, ct_rational_double(v));
        return;
    }
    // else exact: an integer, a short decimal, or a fraction
    if (fmpz_is_one(fmpq_denref(v)) && fits_exactly(fmpq_numref(v))) {
        ct_text_printf(p->out, "%ld", (long)fmpz_get_si(fmpq_numref(v)));
    } else if (decimal(buffer, sizeof buffer, v)) {
        ct_text_add(p->out, buffer);
    } else {
        char *top = fmpz_get_str(NULL, 10, fmpq_numref(v)),
             *bottom = fmpz_get_str(NULL, 10, fmpq_denref(v));
        bool whole = !strcmp(bottom, "1");
        if (whole)
            ct_text_add(p->out, top);
        else if (p->style == CT_STYLE_LATEX)
            ct_text_printf(
                p->out, level > PRODUCT_LEVEL ? "\\left(\\frac{%s}{%s}\\right)" : "\\frac{%s}{%s}",
                top, bottom);
        else
            ct_text_printf(p->out, level > PRODUCT_LEVEL ? "(%s/%s)" : "%s/%s", top, bottom);
        flint_free(top);
        flint_free(bottom);
    }
}

// A name with other characters than letters, digits, underscores and dots, as text. No character
// acts as a command or as part of a ligature.
static void latex_text(printer *p, const char *s, size_t n) {
    static const struct {
        char c;
        const char *text;
    } spelt[] = {{'\\', "\\textbackslash{}"}, {'^', "\\textasciicircum{}"},
                 {'~', "\\textasciitilde{}"}, {'<', "\\textless{}"},
                 {'>', "\\textgreater{}"},    {'|', "\\textbar{}"}};
    enum { SPELT = sizeof spelt / sizeof *spelt };
    ct_text_add(p->out, "\\text{");
    for (size_t i = 0; i < n; i++) {
        int k = 0;
        while (k < SPELT && spelt[k].c != s[i]) k++;
        bool control = (unsigned char)s[i] < 0x20;
        if (k < SPELT || control) {
            ct_text_add(p->out, k < SPELT ? spelt[k].text : " ");
            continue;
        }
        if (strchr("_#$%&{}", s[i])) ct_text_add(p->out, "\\");
        ct_text_addn(p->out, s + i, 1);
        if (strchr("-'`\"!?,", s[i])) ct_text_add(p->out, "{}");
    }
    ct_text_add(p->out, "}");
}

// Primes at the end of a name: of a rate, of an acceleration.
static size_t primes_of(const char *name, size_t n) {
    size_t primes = 0;
    while (primes < 2 && primes < n && name[n - 1 - primes] == '\'') primes++;
    return primes;
}

static void latex_name(printer *p, const char *name) {
    size_t n = strlen(name), plain = 0, primes = primes_of(name, n);
    n -= primes;
    while (plain < n && (isalnum((unsigned char)name[plain]) || strchr("_.", name[plain]) ||
                         (unsigned char)name[plain] >= 0x80))
        plain++;
    if (primes) ct_text_add(p->out, primes == 1 ? "\\dot{" : "\\ddot{");
    if (plain < n) {
        latex_text(p, name, n);
    } else if (n == 1) {
        ct_text_addn(p->out, name, 1);
    } else {
        ct_text_add(p->out, "\\mathrm{");
        for (size_t i = 0; i < n; i++) {
            if (name[i] == '_') ct_text_add(p->out, "\\");
            ct_text_addn(p->out, name + i, 1);
        }
        ct_text_add(p->out, "}");
    }
    if (primes) ct_text_add(p->out, "}");
}

// Letters, digits and underscores stay, other characters become '_'. The caller makes names unique.
static void c_name(printer *p, const char *name) {
    for (const char *s = name; *s; s++)
        if (isalnum((unsigned char)*s) || *s == '_')
            ct_text_addn(p->out, s, 1);
        else
            ct_text_add(p->out, *s == '\'' ? "_d" : "_");
}

// Names that are no identifiers stand in backquotes, so that they read back.
static void text_name(printer *p, const char *name) {
    const char *s = name;
    const size_t n = strlen(name), primes = primes_of(name, n);
    if (isalpha((unsigned char)*s) || *s == '_')
        while (isalnum((unsigned char)*s) || *s == '_' ||
               (*s == '.' && isalnum((unsigned char)s[1])) || (*s && s == name + n - primes))
            s += *s == '\'' ? primes : 1;
    bool probe = strchr(name, '(') != NULL;
    if (*s && !probe) {
        ct_text_printf(p->out, "`%.*s`%s", (int)(n - primes), name, name + n - primes);
    } else {
        ct_text_add(p->out, name);
    }
}

static void symbol(printer *p, ct_ex a) {
    const char *name = ct_symbol_name(p->pool, a);
    if (p->style == CT_STYLE_LATEX)
        latex_name(p, name);
    else if (p->style == CT_STYLE_C)
        c_name(p, name);
    else
        text_name(p, name);
}

// Sign, coefficient and term of a sum.
static void term(printer *p, const fmpq_t coefficient, ct_ex a, bool first) {
    fmpq_t c;
    fmpq_init(c);
    fmpq_abs(c, coefficient);
    if (fmpq_sgn(coefficient) < 0)
        ct_text_add(p->out, first ? "-" : " - ");
    else if (!first)
        ct_text_add(p->out, " + ");
    if (a == CT_ONE) {
        number(p, c, SUM_LEVEL);
    } else if (fmpq_is_one(c)) {
        print(p, a, PRODUCT_LEVEL);
    } else {
        number(p, c, PRODUCT_LEVEL);
        ct_text_add(p->out, p->style == CT_STYLE_LATEX ? "\\," : "*");
        print(p, a, PRODUCT_LEVEL);
    }
    fmpq_clear(c);
}

static void sum_scaled(printer *p, ct_ex a, const fmpq_t scale) {
    ct_pool *pool = p->pool;
    fmpq_t c;
    fmpq_init(c);
    bool first = true;
    for (uint32_t i = 1; i < pool->nodes[a].n; i += 2, first = false) {
        fmpq_mul(c, scale, ct_value(pool, ct_words(pool, a)[i]));
        term(p, c, ct_words(pool, a)[i + 1], first);
    }
    if (ct_words(pool, a)[0] != CT_ZERO) {
        fmpq_mul(c, scale, ct_value(pool, ct_words(pool, a)[0]));
        term(p, c, CT_ONE, false);
    }
    fmpq_clear(c);
}

static void sum(printer *p, ct_ex a) {
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    sum_scaled(p, a, one);
    fmpq_clear(one);
}

static void powered(printer *p, ct_ex base, slong e) {
    if (e == 1) {
        print(p, base, PRODUCT_LEVEL + 1);
    } else if (p->style == CT_STYLE_C) {
        if (e <= 4) { // x*x...
            for (slong k = 0; k < e; k++) {
                ct_text_add(p->out, k ? "*" : "");
                print(p, base, PRODUCT_LEVEL + 1);
            }
        } else {
            ct_text_add(p->out, "pow(");
            print(p, base, WEAKEST);
            ct_text_printf(p->out, ", %ld.0)", (long)e);
        }
    } else {
        print(p, base, ATOM);
        ct_text_printf(p->out, p->style == CT_STYLE_LATEX ? "^{%ld}" : "^%ld", (long)e);
    }
}

// Factors with exponents of one sign. Returns their number.
static int factors(printer *p, ct_ex a, int sign, bool first) {
    ct_pool *pool = p->pool;
    int count = 0;
    for (uint32_t i = 1; i < pool->nodes[a].n; i += 2) {
        slong e = sign * fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[i + 1])));
        if (e < 0) continue;
        if (!first || count) ct_text_add(p->out, p->style == CT_STYLE_LATEX ? "\\," : "*");
        powered(p, ct_words(pool, a)[i], e);
        count++;
    }
    return count;
}

static int count_sign(const ct_pool *pool, ct_ex a, int sign) {
    int count = 0;
    for (uint32_t i = 1; i < pool->nodes[a].n; i += 2)
        count += fmpq_sgn(ct_value(pool, ct_words(pool, a)[i + 1])) == sign;
    return count;
}

static void product(printer *p, ct_ex a) {
    ct_pool *pool = p->pool;
    fmpq_t c;
    fmpq_init(c);
    fmpq_set(c, ct_value(pool, ct_words(pool, a)[0]));
    // sign
    if (fmpq_sgn(c) < 0) {
        ct_text_add(p->out, "-");
        fmpq_neg(c, c);
    }
    // coefficient, unless it is 1, and factors above the line
    int top = count_sign(pool, a, 1), bottom = count_sign(pool, a, -1);
    bool fraction = bottom && p->style == CT_STYLE_LATEX;
    if (fraction) ct_text_add(p->out, "\\frac{");
    bool show = !fmpq_is_one(c) || !top;
    if (show) number(p, c, PRODUCT_LEVEL);
    factors(p, a, 1, !show);
    // below the line: a LaTeX fraction, or a quotient
    if (fraction) {
        ct_text_add(p->out, "}{");
        factors(p, a, -1, true);
        ct_text_add(p->out, "}");
    } else if (bottom) {
        bool enclose = bottom > 1 || p->style == CT_STYLE_C;
        ct_text_add(p->out, enclose ? "/(" : "/");
        factors(p, a, -1, true);
        ct_text_add(p->out, enclose ? ")" : "");
    }
    fmpq_clear(c);
}

static void arguments(printer *p, ct_ex a) {
    open_paren(p);
    for (int i = 0; i < ct_node_children(p->pool, a); i++) {
        ct_text_add(p->out, i ? ", " : "");
        print(p, ct_words(p->pool, a)[i], WEAKEST);
    }
    close_paren(p);
}

static void infix(printer *p, ct_ex a, const char *operator) {
    print(p, ct_words(p->pool, a)[0], SUM_LEVEL);
    ct_text_add(p->out, operator);
    print(p, ct_words(p->pool, a)[1], SUM_LEVEL);
}

// a < b, a <= b or a == b.
static void comparison(printer *p, ct_ex a) {
    static const char *const plain[] = {" < ", " <= ", " == "}, *const latex[] = {" < ", " \\le ",
                                                                                  " = "};
    int which = (int)ct_op_of(p->pool, a) - CT_OP_LESS;
    infix(p, a, p->style == CT_STYLE_LATEX ? latex[which] : plain[which]);
}

static void c_comparison(printer *p, ct_ex a) // a number, not an int
{
    ct_text_add(p->out, "(double)(");
    comparison(p, a);
    ct_text_add(p->out, ")");
}

static bool is_comparison(const ct_pool *pool, ct_ex a) {
    ct_op op = ct_op_of(pool, a);
    return op == CT_OP_LESS || op == CT_OP_LESS_EQUAL || op == CT_OP_EQUAL;
}

static void c_if(printer *p, ct_ex a) {
    ct_ex condition = ct_words(p->pool, a)[0];
    ct_text_add(p->out, "(");
    if (is_comparison(p->pool, condition)) {
        comparison(p, condition);
    } else {
        print(p, condition, ATOM);
        ct_text_add(p->out, " != 0");
    }
    ct_text_add(p->out, " ? ");
    print(p, ct_words(p->pool, a)[1], SUM_LEVEL);
    ct_text_add(p->out, " : ");
    print(p, ct_words(p->pool, a)[2], SUM_LEVEL);
    ct_text_add(p->out, ")");
}

static void c_sign(printer *p, ct_ex a) {
    ct_ex x = ct_words(p->pool, a)[0];
    ct_text_add(p->out, "(double)((");
    print(p, x, SUM_LEVEL);
    ct_text_add(p->out, " > 0) - (");
    print(p, x, SUM_LEVEL);
    ct_text_add(p->out, " < 0))");
}

static void power_real(printer *p, ct_ex a) {
    if (p->style == CT_STYLE_C) {
        ct_text_add(p->out, "pow");
        arguments(p, a);
        return;
    }
    print(p, ct_words(p->pool, a)[0], ATOM);
    ct_text_add(p->out, p->style == CT_STYLE_LATEX ? "^{" : "^");
    print(p, ct_words(p->pool, a)[1], p->style == CT_STYLE_LATEX ? WEAKEST : ATOM);
    ct_text_add(p->out, p->style == CT_STYLE_LATEX ? "}" : "");
}

static void function(printer *p, ct_ex a) {
    static const char *const names[] = {
#define X(name, text, n) text,
        CT_OPS(X)
#undef X
    };
    ct_op op = ct_op_of(p->pool, a);
    const char *name = names[op] ? names[op] : "?";
    // tables with their name and the order of the derivative
    if (op == CT_OP_TABLE) {
        int order, table = ct_table_of(p->pool, a, &order);
        if (p->style == CT_STYLE_C)
            ct_text_printf(p->out, "table_%s(%d, ", p->pool->tables[table].name, order);
        else if (p->style == CT_STYLE_LATEX) {
            ct_text_printf(p->out, "\\operatorname{table}%.*s\\left(", order, "'''");
            latex_name(p, p->pool->tables[table].name);
            ct_text_add(p->out, ", ");
        } else
            ct_text_printf(p->out, "table%.*s(%s, ", order, "'''", p->pool->tables[table].name);
        print(p, ct_words(p->pool, a)[0], WEAKEST);
        close_paren(p);
    } else if (p->style == CT_STYLE_LATEX && op == CT_OP_SQRT) {
        // roots in LaTeX, conditions and signs in C have a form of their own
        ct_text_add(p->out, "\\sqrt{");
        print(p, ct_words(p->pool, a)[0], WEAKEST);
        ct_text_add(p->out, "}");
    } else if (p->style == CT_STYLE_C && op == CT_OP_IF) {
        c_if(p, a);
    } else if (p->style == CT_STYLE_C && op == CT_OP_SIGN) {
        c_sign(p, a);
    } else {
        // the others: name(arguments)
        const char *c_only = op == CT_OP_ABS   ? "fabs"
                             : op == CT_OP_MIN ? "fmin"
                             : op == CT_OP_MAX ? "fmax"
                                               : name;
        bool operator_name = p->style == CT_STYLE_LATEX;
        ct_text_printf(p->out, operator_name ? "\\operatorname{%s}" : "%s",
                       p->style == CT_STYLE_C ? c_only : name);
        arguments(p, a);
    }
}

// A product, or a multiple of a sum with the coefficient distributed.
static void print_product(printer *p, ct_ex a, int level) {
    ct_pool *pool = p->pool;
    const uint32_t *w = ct_words(pool, a);
    bool is_sum = pool->nodes[a].n == 3 && w[2] == CT_ONE && ct_op_of(pool, w[1]) == CT_OP_SUM;
    if (is_sum && level <= SUM_LEVEL) {
        fmpq_t c;
        fmpq_init(c);
        fmpq_set(c, ct_value(pool, w[0]));
        sum_scaled(p, w[1], c);
        fmpq_clear(c);
        return;
    }
    bool minus = fmpq_sgn(ct_value(pool, w[0])) < 0;
    wrap(p, a, minus ? SUM_LEVEL : PRODUCT_LEVEL, level, product);
}

static void print(printer *p, ct_ex a, int level) {
    ct_pool *pool = p->pool;
    switch (ct_op_of(pool, a)) {
    case CT_OP_NUMBER: {
        // a negative number binds like a sum
        fmpq_t v;
        fmpq_init(v);
        fmpq_abs(v, ct_value(pool, a));
        bool minus = fmpq_sgn(ct_value(pool, a)) < 0;
        if (minus && level > SUM_LEVEL) open_paren(p);
        ct_text_add(p->out, minus ? "-" : "");
        number(p, v, level);
        if (minus && level > SUM_LEVEL) close_paren(p);
        fmpq_clear(v);
        return;
    }
    // other leaves, and opaque nodes as their contents
    case CT_OP_PI:
        ct_text_add(p->out, p->style == CT_STYLE_C       ? "3.14159265358979323846"
                            : p->style == CT_STYLE_LATEX ? "\\pi"
                                                         : "pi");
        return;
    case CT_OP_UNDEFINED: ct_text_add(p->out, p->style == CT_STYLE_C ? "NAN" : "undefined"); return;
    case CT_OP_SYMBOL: symbol(p, a); return;
    case CT_OP_LET: print(p, ct_words(pool, a)[0], level); return;
    // operators, in parentheses where they bind weaker than their place
    case CT_OP_SUM: wrap(p, a, SUM_LEVEL, level, sum); return;
    case CT_OP_PRODUCT: print_product(p, a, level); return;
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_EQUAL:
        if (p->style == CT_STYLE_C)
            c_comparison(p, a);
        else
            wrap(p, a, WEAKEST, level, comparison);
        return;
    case CT_OP_POWER: wrap(p, a, POWER_LEVEL, level, power_real); return;
    default: wrap(p, a, ATOM, level, function);
    }
}

void ct_print_to(ct_pool *pool, ct_text *out, ct_ex a, ct_style style) {
    printer p = {pool, out, style};
    print(&p, a, WEAKEST);
}

char *ct_print(ct_pool *pool, ct_ex a, ct_style style) {
    ct_text out = {0};
    ct_print_to(pool, &out, a, style);
    return ct_text_take(&out);
}
