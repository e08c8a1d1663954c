// Functions in canonical form: exact values of special arguments, odd and even symmetry, quarter
// turns.
#include "expr/pool.h"

#include <math.h>

static bool negative(const ct_pool *pool, ct_ex a) {
    if (ct_op_of(pool, a) == CT_OP_NUMBER) return fmpq_sgn(ct_value(pool, a)) < 0;
    if (ct_op_of(pool, a) == CT_OP_PRODUCT)
        return fmpq_sgn(ct_value(pool, ct_words(pool, a)[0])) < 0;
    return false;
}

static ct_ex node1(ct_pool *pool, ct_op op, ct_ex a) {
    return ct_intern(pool, op, 1, &a);
}

// Splits a = rest + r pi. Returns rest.
static ct_ex split_pi(ct_pool *pool, ct_ex a, fmpq_t r) {
    fmpq_zero(r);
    fmpq_t c, k;
    fmpq_init(c);
    fmpq_init(k);
    ct_ex core = ct_split_coefficient(pool, a, c), rest = a;
    if (core == pool->pi) {
        fmpq_set(r, c);
        rest = CT_ZERO;
    } else if (ct_op_of(pool, core) == CT_OP_SUM) {
        for (uint32_t i = 1; i < pool->nodes[core].n; i += 2)
            if (ct_words(pool, core)[i + 1] == pool->pi) {
                fmpq_mul(r, c, ct_value(pool, ct_words(pool, core)[i]));
                fmpq_neg(k, r);
                rest = ct_add(pool, a, ct_scale(pool, k, pool->pi));
                break;
            }
    }
    fmpq_clear(c);
    fmpq_clear(k);
    return rest;
}

// sin(r pi) or cos(r pi) for 0 <= r <= 1/4 if it has a square-root form, else CT_NONE.
static ct_ex trig_value(ct_pool *pool, bool sine, const fmpq_t r) {
    ct_ex half = ct_rational(pool, 1, 2);
    if (fmpq_is_zero(r)) return sine ? CT_ZERO : CT_ONE;
    if (!fmpz_is_one(fmpq_numref(r))) return CT_NONE;
    if (fmpz_equal_ui(fmpq_denref(r), 6))
        return sine ? half : ct_mul(pool, half, ct_sqrt(pool, ct_int(pool, 3)));
    if (fmpz_equal_ui(fmpq_denref(r), 4)) return ct_mul(pool, half, ct_sqrt(pool, ct_int(pool, 2)));
    return CT_NONE;
}

// Splits r = turns/2 + r' with 0 <= r' < 1/2: leaves r' and returns the quarter turns modulo 4.
static ulong quarter_turns(fmpq_t r) {
    fmpz_t turns;
    fmpz_init(turns);
    fmpq_mul_2exp(r, r, 1);
    fmpz_fdiv_q(turns, fmpq_numref(r), fmpq_denref(r));
    fmpq_sub_fmpz(r, r, turns);
    fmpq_div_2exp(r, r, 1);
    ulong k = fmpz_fdiv_ui(turns, 4);
    fmpz_clear(turns);
    return k;
}

// sin or cos of r pi for 0 <= r < 1/2. Above pi/4: sin x = cos(pi/2 - x), cos x = sin(pi/2 - x).
static ct_ex trig_number(ct_pool *pool, bool sine, fmpq_t r) {
    fmpq_t rest;
    fmpq_init(rest);
    fmpq_set_si(rest, 1, 2);
    fmpq_sub(rest, rest, r);
    if (fmpq_cmp(rest, r) < 0) {
        fmpq_swap(rest, r);
        sine = !sine;
    }
    fmpq_clear(rest);
    ct_ex value = trig_value(pool, sine, r);
    return value != CT_NONE
               ? value
               : node1(pool, sine ? CT_OP_SIN : CT_OP_COS, ct_scale(pool, r, pool->pi));
}

// sin and cos, with signs and quarter turns taken out of the angle.
static ct_ex trig(ct_pool *pool, ct_op op, ct_ex a) {
    fmpq_t r;
    fmpq_init(r);
    // sin(-x) = -sin x, cos(-x) = cos x
    bool minus = false;
    ct_ex rest = split_pi(pool, a, r), value;
    if (negative(pool, rest)) {
        rest = ct_neg(pool, rest);
        fmpq_neg(r, r);
        minus = op == CT_OP_SIN;
    }
    // sin(x + pi/2) = cos x, cos(x + pi/2) = -sin x
    ulong k = quarter_turns(r);
    bool sine = (op == CT_OP_SIN) != (k & 1);
    minus ^= op == CT_OP_SIN ? k >= 2 : k == 1 || k == 2;
    // multiples of pi, inverse functions, else a node
    if (rest == CT_ZERO) {
        value = trig_number(pool, sine, r);
    } else {
        ct_ex angle = ct_add(pool, rest, ct_scale(pool, r, pool->pi));
        ct_op inner = ct_op_of(pool, angle);
        if ((sine && inner == CT_OP_ASIN) || (!sine && inner == CT_OP_ACOS))
            value = ct_words(pool, angle)[0];
        else
            value = node1(pool, sine ? CT_OP_SIN : CT_OP_COS, angle);
    }
    fmpq_clear(r);
    return minus ? ct_neg(pool, value) : value;
}

enum { LONG_BITS = 40 };

// sqrt(p/q) = sqrt(p q) / q with square factors (of small primes, or the whole) taken out. Long
// numbers are scaled by powers of four, since products of roots as large as q would overflow a
// double.
static ct_ex sqrt_number(ct_pool *pool, const fmpq *x) {
    if (fmpq_sgn(x) < 0) return pool->undefined;
    fmpz_t n, root, square;
    fmpz_init(n);
    fmpz_init(root);
    fmpz_init(square);
    fmpq_t factor, rest;
    fmpq_init(factor);
    fmpq_init(rest);
    // n = p q, factor = 1 / q
    fmpz_mul(n, fmpq_numref(x), fmpq_denref(x));
    fmpz_one(fmpq_numref(factor));
    fmpz_set(fmpq_denref(factor), fmpq_denref(x));
    // a square, or squares of small primes
    if (fmpz_is_square(n)) {
        fmpz_sqrt(root, n);
        fmpz_mul(fmpq_numref(factor), fmpq_numref(factor), root);
        fmpz_one(n);
    } else {
        for (ulong p = 2; p < 100; p++)
            for (fmpz_set_ui(square, p * p); fmpz_divisible(n, square);) {
                fmpz_divexact(n, n, square);
                fmpz_mul_ui(fmpq_numref(factor), fmpq_numref(factor), p);
            }
    }
    // long n: sqrt(n) = 2^h sqrt(n / 4^h)
    fmpz_set(fmpq_numref(rest), n);
    if (fmpz_bits(n) > LONG_BITS) {
        ulong half = fmpz_bits(n) / 2;
        fmpz_mul_2exp(fmpq_numref(factor), fmpq_numref(factor), half);
        fmpz_mul_2exp(fmpq_denref(rest), fmpq_denref(rest), 2 * half);
    }
    fmpq_canonicalise(factor);
    fmpq_canonicalise(rest);
    // factor * sqrt(rest)
    ct_ex inner = ct_number(pool, rest);
    ct_ex value = ct_scale(pool, factor, inner == CT_ONE ? CT_ONE : node1(pool, CT_OP_SQRT, inner));
    if (fmpz_is_zero(n)) value = CT_ZERO;
    fmpz_clear(n);
    fmpz_clear(root);
    fmpz_clear(square);
    fmpq_clear(factor);
    fmpq_clear(rest);
    return value;
}

static ct_ex square_root(ct_pool *pool, ct_ex a) {
    if (ct_op_of(pool, a) == CT_OP_NUMBER) return sqrt_number(pool, ct_value(pool, a));
    // sqrt(k x) = sqrt(k) sqrt(x) for k > 0
    fmpq_t c;
    fmpq_init(c);
    ct_ex core = ct_split_coefficient(pool, a, c), value;
    if (!fmpq_is_one(c) && fmpq_sgn(c) > 0) {
        value = ct_mul(pool, sqrt_number(pool, c), square_root(pool, core));
    } else if (ct_op_of(pool, a) == CT_OP_PRODUCT && pool->nodes[a].n == 3 && fmpq_is_one(c) &&
               fmpz_is_even(fmpq_numref(ct_value(pool, ct_words(pool, a)[2])))) {
        slong e = fmpz_get_si(fmpq_numref(ct_value(pool, ct_words(pool, a)[2])));
        ct_ex half = ct_power_int(pool, ct_words(pool, a)[1], e / 2);
        value = ct_apply(pool, CT_OP_ABS, &half);
    } else {
        value = node1(pool, CT_OP_SQRT, a);
    }
    fmpq_clear(c);
    return value;
}

static ct_ex odd(ct_pool *pool, ct_op op, ct_ex a) {
    return negative(pool, a) ? ct_neg(pool, node1(pool, op, ct_neg(pool, a))) : node1(pool, op, a);
}

static ct_ex arc(ct_pool *pool, ct_op op, ct_ex a) {
    ct_ex pi = pool->pi, half_pi = ct_mul(pool, ct_rational(pool, 1, 2), pi);
    if (ct_op_of(pool, a) == CT_OP_NUMBER) {
        const fmpq *v = ct_value(pool, a);
        bool one = fmpq_is_one(v);
        bool beyond = fmpz_cmpabs(fmpq_numref(v), fmpq_denref(v)) > 0;
        if (op != CT_OP_ATAN && beyond) return pool->undefined;
        if (fmpq_is_zero(v)) return op == CT_OP_ACOS ? half_pi : CT_ZERO;
        if (one)
            return op == CT_OP_ACOS   ? CT_ZERO
                   : op == CT_OP_ASIN ? half_pi
                                      : ct_mul(pool, ct_rational(pool, 1, 4), pi);
    }
    if (op == CT_OP_ACOS)
        return negative(pool, a) ? ct_sub(pool, pi, arc(pool, op, ct_neg(pool, a)))
                                 : node1(pool, op, a);
    return negative(pool, a) ? ct_neg(pool, arc(pool, op, ct_neg(pool, a))) : node1(pool, op, a);
}

static ct_ex absolute(ct_pool *pool, ct_op op, ct_ex a) // abs and sign
{
    fmpq_t c;
    fmpq_init(c);
    ct_ex core = ct_split_coefficient(pool, a, c), value;
    int sign = fmpq_sgn(c);
    fmpq_abs(c, c);
    if (a == CT_ZERO)
        value = CT_ZERO;
    else if (core == CT_ONE || core == pool->pi || ct_op_of(pool, core) == CT_OP_ABS ||
             ct_op_of(pool, core) == CT_OP_SQRT || ct_op_of(pool, core) == CT_OP_EXP)
        value = op == CT_OP_ABS                      ? ct_scale(pool, c, core)
                : core == CT_ONE || core == pool->pi ? ct_int(pool, sign)
                                                     : node1(pool, op, a);
    else if (op == CT_OP_ABS)
        value = ct_scale(pool, c, node1(pool, op, core));
    else
        value = sign < 0 ? ct_neg(pool, node1(pool, op, core)) : node1(pool, op, core);
    fmpq_clear(c);
    return value;
}

static ct_ex arc_tangent2(ct_pool *pool, ct_ex y, ct_ex x) {
    if (ct_op_of(pool, y) == CT_OP_NUMBER && ct_op_of(pool, x) == CT_OP_NUMBER) {
        int sy = fmpq_sgn(ct_value(pool, y)), sx = fmpq_sgn(ct_value(pool, x));
        if (!sy) return sx < 0 ? pool->pi : CT_ZERO;
        if (!sx) return ct_mul(pool, ct_rational(pool, sy, 2), pool->pi);
    }
    // atan2(sin u, cos u) is an angle equal to u modulo a turn, not u: left alone
    return ct_intern(pool, CT_OP_ATAN2, 2, (uint32_t[]){y, x});
}

static ct_ex compare(ct_pool *pool, ct_op op, ct_ex a, ct_ex b) {
    ct_ex difference = ct_sub(pool, a, b);
    if (ct_op_of(pool, difference) == CT_OP_NUMBER) {
        int s = fmpq_sgn(ct_value(pool, difference));
        return (op == CT_OP_LESS         ? s < 0
                : op == CT_OP_LESS_EQUAL ? s <= 0
                                         : s == 0)
                   ? CT_ONE
                   : CT_ZERO;
    }
    return ct_intern(pool, op, 2, (uint32_t[]){a, b});
}

static ct_ex extremum(ct_pool *pool, ct_op op, ct_ex a, ct_ex b) {
    ct_ex difference = ct_sub(pool, a, b);
    if (ct_op_of(pool, difference) == CT_OP_NUMBER) {
        bool a_less = fmpq_sgn(ct_value(pool, difference)) < 0;
        return a_less == (op == CT_OP_MIN) ? a : b;
    }
    return ct_intern(pool, op, 2, a < b ? (uint32_t[]){a, b} : (uint32_t[]){b, a});
}

ct_ex ct_power(ct_pool *pool, ct_ex a, ct_ex exponent) {
    if (a == pool->undefined || exponent == pool->undefined) return pool->undefined;
    if (ct_op_of(pool, exponent) == CT_OP_NUMBER) {
        const fmpq *e = ct_value(pool, exponent);
        if (fmpz_is_one(fmpq_denref(e)))
            return fmpz_fits_si(fmpq_numref(e)) ? ct_power_int(pool, a, fmpz_get_si(fmpq_numref(e)))
                                                : pool->undefined;
        if (fmpz_equal_ui(fmpq_denref(e), 2) && fmpz_fits_si(fmpq_numref(e))) {
            slong halves =
                fmpz_get_si(fmpq_numref(e)); // before square_root, which may move the numbers
            return ct_power_int(pool, square_root(pool, a), halves);
        }
        if (a == CT_ZERO) return fmpq_sgn(e) > 0 ? CT_ZERO : pool->undefined;
        if (ct_op_of(pool, a) == CT_OP_NUMBER && fmpq_sgn(ct_value(pool, a)) < 0)
            return pool->undefined;
    }
    if (a == CT_ONE) return CT_ONE;
    return ct_intern(pool, CT_OP_POWER, 2, (uint32_t[]){a, exponent});
}

static bool is_reciprocal(const ct_pool *pool, ct_ex product) {
    return fmpq_sgn(ct_value(pool, ct_words(pool, product)[2])) < 0;
}

// False for sums, products of two factors or more, and quotients: these are made opaque.
static bool is_plain(const ct_pool *pool, ct_ex core) {
    ct_op op = ct_op_of(pool, core);
    return op != CT_OP_SUM &&
           !(op == CT_OP_PRODUCT && (pool->nodes[core].n > 3 || is_reciprocal(pool, core)));
}

static ct_ex keep_whole(ct_pool *pool, ct_ex a) {
    fmpq_t c;
    fmpq_init(c);
    ct_ex core = ct_split_coefficient(pool, a, c);
    ct_ex value = is_plain(pool, core) ? a : ct_scale(pool, c, node1(pool, CT_OP_LET, core));
    fmpq_clear(c);
    return value;
}

ct_ex ct_let_whole(ct_pool *pool, ct_ex a) {
    fmpq_t c;
    fmpq_init(c);
    ct_ex core = ct_split_coefficient(pool, a, c), value = a;
    bool minus = fmpq_sgn(c) < 0;
    fmpq_abs(c, c);
    if (!is_plain(pool, core) || !(fmpq_is_one(c) || core == CT_ONE)) {
        value = node1(pool, CT_OP_LET, minus ? ct_neg(pool, a) : a);
        if (minus) value = ct_neg(pool, value);
    }
    fmpq_clear(c);
    return value;
}

static ct_ex logarithm(ct_pool *pool, ct_ex a) {
    if (ct_op_of(pool, a) == CT_OP_NUMBER && fmpq_sgn(ct_value(pool, a)) <= 0)
        return pool->undefined;
    return a == CT_ONE                      ? CT_ZERO
           : ct_op_of(pool, a) == CT_OP_EXP ? ct_words(pool, a)[0]
                                            : node1(pool, CT_OP_LOG, a);
}

ct_ex ct_apply(ct_pool *pool, ct_op op, const ct_ex *args) {
    static const signed char arity[] = {
#define X(name, text, n) n,
        CT_OPS(X)
#undef X
    };
    // a function of an undefined argument is undefined
    for (int i = 0; i < arity[op]; i++)
        if (args[i] == pool->undefined) return pool->undefined;
    ct_ex a = args[0];
    switch (op) {
    // one argument: exact values and symmetries
    case CT_OP_SIN:
    case CT_OP_COS: return trig(pool, op, a);
    case CT_OP_TAN:
        return a == CT_ZERO                      ? a
               : ct_op_of(pool, a) == CT_OP_ATAN ? ct_words(pool, a)[0]
                                                 : odd(pool, op, a);
    case CT_OP_ASIN:
    case CT_OP_ACOS:
    case CT_OP_ATAN: return arc(pool, op, a);
    case CT_OP_SQRT: return square_root(pool, a);
    case CT_OP_EXP: return a == CT_ZERO ? CT_ONE : node1(pool, op, a);
    case CT_OP_LOG: return logarithm(pool, a);
    case CT_OP_ABS:
    case CT_OP_SIGN: return absolute(pool, op, a);
    case CT_OP_LET: return keep_whole(pool, a);
    // several arguments: decided where numbers allow
    case CT_OP_ATAN2: return arc_tangent2(pool, a, args[1]);
    case CT_OP_MIN:
    case CT_OP_MAX: return extremum(pool, op, a, args[1]);
    case CT_OP_LESS:
    case CT_OP_LESS_EQUAL:
    case CT_OP_EQUAL: return compare(pool, op, a, args[1]);
    case CT_OP_POWER: return ct_power(pool, a, args[1]);
    case CT_OP_IF:
        if (ct_op_of(pool, a) == CT_OP_NUMBER) return a == CT_ZERO ? args[2] : args[1];
        return args[1] == args[2] ? args[1] : ct_intern(pool, op, 3, args);
    default: return pool->undefined;
    }
}

ct_ex ct_sin(ct_pool *pool, ct_ex a) {
    return ct_apply(pool, CT_OP_SIN, &a);
}

ct_ex ct_cos(ct_pool *pool, ct_ex a) {
    return ct_apply(pool, CT_OP_COS, &a);
}

ct_ex ct_sqrt(ct_pool *pool, ct_ex a) {
    return ct_apply(pool, CT_OP_SQRT, &a);
}

ct_ex ct_let(ct_pool *pool, ct_ex a) {
    return ct_apply(pool, CT_OP_LET, &a);
}

ct_ex ct_let_again(ct_pool *pool, ct_ex like, ct_ex inside) {
    ct_ex before = ct_words(pool, like)[0];
    bool factor = ct_op_of(pool, before) == CT_OP_PRODUCT && ct_words(pool, before)[0] != CT_ONE;
    return factor ? ct_let_whole(pool, inside) : ct_let(pool, inside);
}

ct_ex ct_if(ct_pool *pool, ct_ex condition, ct_ex yes, ct_ex no) {
    return ct_apply(pool, CT_OP_IF, (ct_ex[]){condition, yes, no});
}

ct_ex ct_table(ct_pool *pool, int table, int order, ct_ex x) {
    if (x == pool->undefined) return x;
    if (order > 3) return CT_ZERO;
    return ct_intern(pool, CT_OP_TABLE, 3, (uint32_t[]){x, (uint32_t)table, (uint32_t)order});
}
