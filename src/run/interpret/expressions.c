// Expressions of emitted C: sums, products, comparisons, conditions, calls. A product waits until it
// is known whether it is added to something: then both are one instruction. Both sides of a condition
// are computed, since neither has an effect.
#include "run/interpret/reader.h"

#include <string.h>

// A value that is known, or the product of two of them; `minus`: the other sign of it.
typedef struct operand {
    bool is_product, minus;
    uint32_t a, b;
} operand;

static operand product(ct_reader *r);
static operand sum(ct_reader *r);

static operand in_register(uint32_t at) {
    return (operand){.a = at};
}

static uint32_t emit_2(ct_reader *r, ct_instruction what, uint32_t a) {
    uint32_t d = ct_reader_register(r, 1);
    ct_reader_emit(r, what, 2, (const uint32_t[]){d, a});
    return d;
}

static uint32_t emit_3(ct_reader *r, ct_instruction what, uint32_t a, uint32_t b) {
    uint32_t d = ct_reader_register(r, 1);
    ct_reader_emit(r, what, 3, (const uint32_t[]){d, a, b});
    return d;
}

static uint32_t emit_4(ct_reader *r, ct_instruction what, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t d = ct_reader_register(r, 1);
    ct_reader_emit(r, what, 4, (const uint32_t[]){d, a, b, c});
    return d;
}

static uint32_t value_of(ct_reader *r, operand x) {
    if (x.is_product) return emit_3(r, x.minus ? CT_DO_MINUS_PRODUCT : CT_DO_MULTIPLY, x.a, x.b);
    return x.minus ? emit_2(r, CT_DO_NEGATE, x.a) : x.a;
}

// names -------------------------------------------------------------------------------------------
// What a name stands for; its element at a place that is known, counted among those that are used.
static ct_binding bound(ct_reader *r, int name) {
    ct_binding b = r->binding[name];
    if (b.kind == CT_BOUND_NOT) ct_reader_fail(r);
    return b;
}

static void note_use(ct_reader *r, const ct_binding *b, uint32_t index) {
    if (b->argument < 0) return;
    ct_argument *x = r->function->argument + b->argument;
    int n = (int)(b->at + index - x->first) + 1;
    if (n > x->n) x->n = n;
}

static uint32_t index_of(ct_reader *r) {
    ct_token t = ct_reader_token(r);
    if (t.kind == CT_TOKEN_NUMBER) return (uint32_t)ct_reader_need_number(r);
    ct_binding b = bound(r, ct_reader_need_name(r));
    if (b.kind != CT_BOUND_INDEX) ct_reader_fail(r);
    return b.at;
}

// Place of a member among the registers of an iteration.
static uint32_t member(ct_reader *r) {
    static const char *const members[CT_ITERATION_MEMBERS] = {"count", "last", "determinant",
                                                              "bend", "unit"};
    const char *name = r->tokens.name[ct_reader_need_name(r)];
    for (uint32_t i = 0; i < CT_ITERATION_MEMBERS; i++)
        if (!strcmp(name, members[i])) return i;
    ct_reader_fail(r);
    return 0;
}

uint32_t ct_reader_place(ct_reader *r) {
    ct_binding b = bound(r, ct_reader_need_name(r));
    if (b.kind == CT_BOUND_NUMBER) return b.at;
    if (b.kind != CT_BOUND_ARRAY) ct_reader_fail(r);
    if (ct_reader_take_sign(r, '.')) return b.at + member(r);
    // an argument by itself: is it there?
    if (!ct_reader_is_sign(r, '[')) {
        if (b.argument < 0) ct_reader_fail(r);
        return r->failed ? 0 : r->function->argument[b.argument].there;
    }
    ct_reader_need_sign(r, '[');
    uint32_t index = index_of(r);
    ct_reader_need_sign(r, ']');
    note_use(r, &b, index);
    return b.at + index;
}

ct_binding ct_reader_pointer(ct_reader *r) {
    const ct_binding none = {CT_BOUND_ARRAY, CT_NO_REGISTER, -1};
    ct_reader_take_sign(r, '&');
    int name = ct_reader_need_name(r);
    if (name == CT_WORD_NULL) return none;
    ct_binding b = bound(r, name);
    // all of an argument may be used
    int n = ct_reader_numbers(r, name);
    if (b.argument >= 0 && n > 0) note_use(r, &b, (uint32_t)n - 1);
    if (ct_reader_take_sign(r, '+')) b.at += (uint32_t)ct_reader_need_number(r);
    return b;
}

// calls -------------------------------------------------------------------------------------------
static uint32_t call_library(ct_reader *r, ct_instruction what) {
    uint32_t a = ct_reader_expression(r);
    bool two = ct_reader_take_sign(r, ',');
    uint32_t b = two ? ct_reader_expression(r) : 0;
    ct_reader_need_sign(r, ')');
    if (two != (what == CT_DO_ATAN2 || what == CT_DO_POW)) ct_reader_fail(r);
    return two ? emit_3(r, what, a, b) : emit_2(r, what, a);
}

// spline(&table_0, order, x)
static uint32_t call_spline(ct_reader *r) {
    ct_reader_need_sign(r, '&');
    int table = r->table_of[ct_reader_need_name(r)] - 1;
    ct_reader_need_sign(r, ',');
    uint32_t order = (uint32_t)ct_reader_need_number(r);
    ct_reader_need_sign(r, ',');
    uint32_t x = ct_reader_expression(r);
    ct_reader_need_sign(r, ')');
    if (table < 0) ct_reader_fail(r);
    return emit_4(r, CT_DO_SPLINE, (uint32_t)table, order, x);
}

static const char *const arguments_of_call[CT_KERNEL_CALL_COUNT] = {
#define X(name, text, arguments) arguments,
    CT_KERNEL_CALLS(X)
#undef X
};

static uint32_t call_argument(ct_reader *r, char kind) {
    if (kind == 'i') return (uint32_t)ct_reader_need_number(r);
    if (kind == 'd') return ct_reader_expression(r);
    ct_binding b = ct_reader_pointer(r);
    bool fits = kind == 'a' ? b.kind == CT_BOUND_INTS
                            : (b.kind == CT_BOUND_ARRAY || b.kind == CT_BOUND_NUMBER) &&
                                  (kind == 'o' || b.at != CT_NO_REGISTER);
    if (!fits) ct_reader_fail(r);
    return b.at;
}

static uint32_t call_kernel(ct_reader *r, int call) {
    enum { MOST = 8 };
    uint32_t o[MOST + 2] = {0, (uint32_t)call};
    const char *kinds = arguments_of_call[call];
    int n = (int)strlen(kinds);
    for (int i = 0; i < n; i++) {
        if (i) ct_reader_need_sign(r, ',');
        o[2 + i] = call_argument(r, kinds[i]);
    }
    ct_reader_need_sign(r, ')');
    o[0] = ct_reader_register(r, 1);
    ct_reader_emit(r, CT_DO_CALL, 2 + n, o);
    return o[0];
}

// fma(a, b, c): products in its first or third place, and signs, are part of the instruction.
static uint32_t call_fused(ct_reader *r) {
    operand a = product(r);
    bool minus = a.minus;
    a.minus = false;
    uint32_t first = value_of(r, a);
    ct_reader_need_sign(r, ',');
    uint32_t second = ct_reader_expression(r);
    ct_reader_need_sign(r, ',');
    operand c = sum(r);
    ct_reader_need_sign(r, ')');
    // a*b + c*d, c*d - a*b
    if (c.is_product && !c.minus) {
        uint32_t d = ct_reader_register(r, 1);
        ct_reader_emit(r, minus ? CT_DO_FUSED_PRODUCTS_MINUS : CT_DO_FUSED_PRODUCTS, 5,
                       (const uint32_t[]){d, first, second, c.a, c.b});
        return d;
    }
    // a*b - c
    bool less = !c.is_product && c.minus && !minus;
    if (less) c.minus = false;
    return emit_4(r,
                  less    ? CT_DO_FUSED_LESS
                  : minus ? CT_DO_FUSED_MINUS
                          : CT_DO_FUSED,
                  first, second, value_of(r, c));
}

static uint32_t call(ct_reader *r, int name) {
    if (r->do_of[name] == 1 + CT_DO_FUSED) return call_fused(r);
    if (name == CT_WORD_SPLINE) return call_spline(r);
    if (r->do_of[name]) return call_library(r, (ct_instruction)(r->do_of[name] - 1));
    if (r->call_of[name]) return call_kernel(r, r->call_of[name] - 1);
    if (r->function_of[name]) return ct_reader_inline(r, r->function_of[name] - 1);
    ct_reader_fail(r);
    return 0;
}

// operators ---------------------------------------------------------------------------------------
// A number, a name, a call, or an expression in brackets.
static operand primary(ct_reader *r, bool minus) {
    ct_token t = ct_reader_token(r);
    if (t.kind == CT_TOKEN_NUMBER) {
        r->at++;
        return in_register(ct_reader_number(r, t.value, minus));
    }
    operand x = {.minus = minus};
    if (ct_reader_take_sign(r, '(')) {
        // a cast changes nothing: integers are numbers here
        if (ct_reader_take_word(r, CT_WORD_DOUBLE)) {
            ct_reader_need_sign(r, ')');
            return primary(r, minus);
        }
        x.a = ct_reader_expression(r);
        ct_reader_need_sign(r, ')');
    } else if (ct_reader_take_sign(r, '!')) {
        x.a = emit_2(r, CT_DO_NOT, value_of(r, primary(r, false)));
    } else if (t.kind == CT_TOKEN_NAME && r->tokens.token[r->at + 1].kind == CT_TOKEN_SIGN &&
               r->tokens.token[r->at + 1].value == '(') {
        r->at += 2;
        x.a = call(r, t.value);
    } else {
        x.a = ct_reader_place(r);
    }
    return x;
}

// Factors one after the other; the sign of the first is that of the whole.
static operand product(ct_reader *r) {
    bool minus = false;
    while (ct_reader_take_sign(r, '-')) minus = !minus;
    operand x = primary(r, minus);
    for (;;) {
        minus = x.minus;
        x.minus = false;
        if (ct_reader_take_sign(r, '*')) {
            uint32_t a = value_of(r, x), b = value_of(r, primary(r, false));
            x = (operand){.is_product = true, .a = a, .b = b};
        } else if (ct_reader_take_sign(r, '/')) {
            uint32_t a = value_of(r, x), b = value_of(r, primary(r, false));
            x = in_register(emit_3(r, CT_DO_DIVIDE, a, b));
        } else {
            x.minus = minus;
            return x;
        }
        x.minus = minus;
    }
}

static uint32_t add(ct_reader *r, operand x, operand y) {
    if (x.is_product && y.is_product) {
        uint32_t d = ct_reader_register(r, 1);
        ct_reader_emit(r, CT_DO_PRODUCTS_SUM, 5, (const uint32_t[]){d, x.a, x.b, y.a, y.b});
        return d;
    }
    if (x.is_product) return emit_4(r, CT_DO_PRODUCT_PLUS, x.a, x.b, y.a);
    if (y.is_product) return emit_4(r, CT_DO_PRODUCT_PLUS, y.a, y.b, x.a);
    return emit_3(r, CT_DO_ADD, x.a, y.a);
}

static uint32_t subtract(ct_reader *r, operand x, operand y) {
    if (x.is_product && y.is_product) {
        uint32_t d = ct_reader_register(r, 1);
        ct_reader_emit(r, CT_DO_PRODUCTS_DIFFERENCE, 5, (const uint32_t[]){d, x.a, x.b, y.a, y.b});
        return d;
    }
    if (x.is_product) return emit_4(r, CT_DO_PRODUCT_MINUS, x.a, x.b, y.a);
    if (y.is_product) return emit_4(r, CT_DO_MINUS_THE_PRODUCT, y.a, y.b, x.a);
    return emit_3(r, CT_DO_SUBTRACT, x.a, y.a);
}

// Terms from the left to the right, as C adds them.
static operand sum(ct_reader *r) {
    operand x = product(r);
    for (;;) {
        bool plus = ct_reader_take_sign(r, '+');
        if (!plus && !ct_reader_take_sign(r, '-')) return x;
        operand y = product(r);
        if (y.minus) y = in_register(value_of(r, y));
        if (x.minus && plus) { // -x + y = y - x
            x.minus = false;
            x = in_register(subtract(r, y, x));
            continue;
        }
        if (x.minus) x = in_register(value_of(r, x));
        x = in_register(plus ? add(r, x, y) : subtract(r, x, y));
    }
}

static operand comparison(ct_reader *r) {
    static const struct {
        int sign;
        ct_instruction what;
        bool swapped;
    } signs[] = {{'<', CT_DO_BELOW, false},
                 {'>', CT_DO_BELOW, true},
                 {CT_SIGN('<', '='), CT_DO_UP_TO, false},
                 {CT_SIGN('>', '='), CT_DO_UP_TO, true},
                 {CT_SIGN('=', '='), CT_DO_EQUALS, false},
                 {CT_SIGN('!', '='), CT_DO_DIFFERS, false}};
    operand x = sum(r);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!ct_reader_take_sign(r, signs[i].sign)) continue;
        uint32_t a = value_of(r, x), b = value_of(r, sum(r));
        return in_register(
            emit_3(r, signs[i].what, signs[i].swapped ? b : a, signs[i].swapped ? a : b));
    }
    return x;
}

uint32_t ct_reader_expression(ct_reader *r) {
    uint32_t x = value_of(r, comparison(r));
    if (!ct_reader_take_sign(r, '?')) return x;
    uint32_t yes = ct_reader_expression(r);
    ct_reader_need_sign(r, ':');
    return emit_4(r, CT_DO_CHOOSE, x, yes, ct_reader_expression(r));
}
