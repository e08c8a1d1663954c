// Text of single nodes in C: operands by name, temporary or text; products, conditions, calls.
#include "emit/text/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ct_writer_number(double v) {
    char s[64];
    ct_snprintf(s, sizeof s, "%.15g", v);
    if (ct_strtod(s, NULL) != v) ct_snprintf(s, sizeof s, "%.17g", v);
    if (!strpbrk(s, ".einN")) strcat(s, ".0");
    return ct_strdup(s);
}

static ct_piece number_piece(const ct_pool *pool, ct_ex a) {
    double v = ct_rational_double(ct_value(pool, a));
    return (ct_piece){ct_writer_number(v), v >= 0 ? LEVEL_ATOM : LEVEL_SUM};
}

ct_ex ct_writer_inside(const ct_pool *pool, ct_ex a) {
    while (ct_op_of(pool, a) == CT_OP_LET) a = ct_words(pool, a)[0];
    return a;
}

ct_piece ct_writer_operand(ct_writer *w, ct_ex a) {
    ct_pool *pool = w->pool;
    a = ct_writer_inside(pool, a);
    // numbers and named symbols
    switch (ct_op_of(pool, a)) {
    case CT_OP_NUMBER: return number_piece(pool, a);
    case CT_OP_PI: return (ct_piece){ct_strdup("3.14159265358979312"), LEVEL_ATOM};
    case CT_OP_UNDEFINED: return (ct_piece){ct_strdup("NAN"), LEVEL_ATOM};
    case CT_OP_SYMBOL:
        if (!ct_writer_is_constant(w, a) || w->constant == NULL || a >= w->room_constant ||
            w->constant[a] < 0)
            return (ct_piece){ct_strdup(a < w->room_names && w->names[a] ? w->names[a] : "NAN"),
                              LEVEL_ATOM};
        break;
    default: break;
    }
    // constants that are set up once
    if (a < w->room_constant && w->constant[a] >= 0 && w->slots[a].temporary == -1 &&
        !w->slots[a].text)
        return (ct_piece){ct_format("c[%d]", w->constant[a]), LEVEL_ATOM};
    // a temporary
    ct_slot *s = w->slots + a;
    if (s->temporary >= 0) {
        *CT_PUSH(w->used, w->n_used, w->room_used) = a;
        return (ct_piece){ct_format("t%d", s->temporary), LEVEL_ATOM};
    }
    // text that waited for its only use, with the temporaries that it holds
    ct_piece p = {s->text ? s->text : ct_strdup("NAN"), s->level};
    for (int i = 0; i < s->n_held; i++) *CT_PUSH(w->used, w->n_used, w->room_used) = s->held[i];
    ct_free(s->held);
    s->held = NULL;
    s->text = NULL;
    return p;
}

void ct_writer_put(ct_text *t, ct_piece p, ct_level least) {
    bool enclose = p.level < least;
    ct_text_add(t, enclose ? "(" : "");
    ct_text_add(t, p.text);
    ct_text_add(t, enclose ? ")" : "");
    ct_free(p.text);
}

// nodes -------------------------------------------------------------------------------------------
static void write_power(ct_writer *w, ct_text *t, ct_ex base, slong e) {
    if (e > 4) {
        ct_text_add(t, "pow(");
        ct_writer_put(t, ct_writer_operand(w, base), LEVEL_SUM);
        ct_text_printf(t, ", %ld.0)", (long)e);
        return;
    }
    for (slong k = 0; k < e; k++) {
        ct_text_add(t, k ? "*" : "");
        ct_writer_put(t, ct_writer_operand(w, base), LEVEL_ATOM);
    }
}

static bool write_product(ct_writer *w, ct_text *t, ct_ex a) {
    ct_pool *pool = w->pool;
    uint32_t n = pool->nodes[a].n;
    double c = ct_rational_double(ct_value(pool, ct_words(pool, a)[0]));
    // factors above and below the bar, by the sign of their exponent
    int top = 0, bottom = 0;
    for (uint32_t i = 1; i < n; i += 2)
        if (fmpq_sgn(ct_value(pool, ct_words(pool, a)[i + 1])) > 0)
            top++;
        else
            bottom++;
    // sign and coefficient; a coefficient of 1 only where no factor stands above
    bool minus = c < 0;
    ct_text_add(t, minus ? "-" : "");
    bool some = fabs(c) != 1 || !top;
    if (some) {
        char *s = ct_writer_number(fabs(c));
        ct_text_add(t, s);
        ct_free(s);
    }
    // factors above the bar, then those below in brackets
    for (int sign = 1; sign >= -1; sign -= 2) {
        if (sign < 0 && bottom) ct_text_add(t, "/(");
        bool first = sign < 0 || !some;
        for (uint32_t i = 1; i < n; i += 2) {
            slong e = sign * fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[i + 1])));
            if (e <= 0) continue;
            ct_text_add(t, first ? "" : "*");
            write_power(w, t, ct_words(pool, a)[i], e);
            first = false;
        }
        if (sign < 0 && bottom) ct_text_add(t, ")");
    }
    return minus;
}

static void write_call(ct_writer *w, ct_text *t, ct_ex a) {
    static const char *const names[] = {
#define X(name, text, n) text,
        CT_OPS(X)
#undef X
    };
    ct_op op = ct_op_of(w->pool, a);
    const char *name = op == CT_OP_ABS ? "fabs" : op == CT_OP_POWER ? "pow" : names[op];
    if (op == CT_OP_TABLE) {
        int order, table = ct_table_of(w->pool, a, &order);
        ct_text_printf(t, "spline(&table_%d, %d, ", table, order);
    } else {
        const bool turns = op == CT_OP_SIN || op == CT_OP_COS;
        ct_text_printf(t, "%s%s(", w->steady && turns ? "ctk_" : "", name);
    }
    for (int i = 0; i < ct_node_children(w->pool, a); i++) {
        ct_text_add(t, i ? ", " : "");
        ct_writer_put(t, ct_writer_operand(w, ct_words(w->pool, a)[i]), LEVEL_SUM);
    }
    ct_text_add(t, ")");
}

char *ct_writer_text(ct_writer *w, ct_ex a, ct_level *binds) {
    ct_text t = {0};
    const uint32_t *args = ct_words(w->pool, a);
    *binds = LEVEL_ATOM;
    switch (ct_op_of(w->pool, a)) {
    // sums and products
    case CT_OP_SUM: *binds = ct_writer_sum(w, &t, a); break;
    case CT_OP_PRODUCT: *binds = write_product(w, &t, a) ? LEVEL_SUM : LEVEL_PRODUCT; break;
    // comparisons: 1 or 0
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_EQUAL: {
        static const char *const sign[] = {" < ", " <= ", " == "};
        ct_ex x = args[0], y = args[1];
        ct_text_add(&t, "(double)(");
        ct_writer_put(&t, ct_writer_operand(w, x), LEVEL_ATOM);
        ct_text_add(&t, sign[ct_op_of(w->pool, a) - CT_OP_LESS]);
        ct_writer_put(&t, ct_writer_operand(w, y), LEVEL_ATOM);
        ct_text_add(&t, ")");
        break;
    }
    // conditions
    case CT_OP_IF: {
        ct_ex x = args[0], y = args[1], z = args[2];
        ct_text_add(&t, "(");
        ct_writer_put(&t, ct_writer_operand(w, x), LEVEL_ATOM);
        ct_text_add(&t, " != 0.0 ? ");
        ct_writer_put(&t, ct_writer_operand(w, y), LEVEL_ATOM);
        ct_text_add(&t, " : ");
        ct_writer_put(&t, ct_writer_operand(w, z), LEVEL_ATOM);
        ct_text_add(&t, ")");
        break;
    }
    // sign: 1, 0 or -1
    case CT_OP_SIGN: {
        ct_piece p = ct_writer_operand(w, args[0]);
        ct_text_printf(&t, "(double)((%s > 0.0) - (%s < 0.0))", p.text, p.text);
        ct_free(p.text);
        break;
    }
    case CT_OP_MIN:
    case CT_OP_MAX: { // a comparison becomes an instruction, fmin and fmax do not
        ct_ex x = args[0], y = args[1];
        ct_text_add(&t, "(");
        ct_writer_put(&t, ct_writer_operand(w, x), LEVEL_ATOM);
        ct_text_add(&t, ct_op_of(w->pool, a) == CT_OP_MIN ? " < " : " > ");
        ct_writer_put(&t, ct_writer_operand(w, y), LEVEL_ATOM);
        ct_text_add(&t, " ? ");
        ct_writer_put(&t, ct_writer_operand(w, x), LEVEL_ATOM);
        ct_text_add(&t, " : ");
        ct_writer_put(&t, ct_writer_operand(w, y), LEVEL_ATOM);
        ct_text_add(&t, ")");
        break;
    }
    // functions of the C library, powers, splines
    default: write_call(w, &t, a);
    }
    return ct_text_take(&t);
}
