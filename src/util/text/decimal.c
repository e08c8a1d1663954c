// |x| = m 2^e lies between 10^k and 10^(k+1). Its digits are those of the integer next to
// m 2^e 10^(16-k), a product of 64 by 128 bits: the power of ten is cut off behind its 128th bit, so
// some 70 bits behind the point are known. Where they do not say on which side of a half the number
// lies, and for very large or small numbers, printf writes it.
#include "decimal.h"

#include "powers_of_ten.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 17 };
// Digits in three pieces, as characters: one, eight and eight, of which the first is in the lowest
// byte. n counts them up to the last that is not zero; the first one stands for 10^k.
typedef struct digits {
    char first;
    uint64_t middle, last;
    int n, k;
} digits;

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

typedef struct power {
    uint64_t high, low;
    int shift;
} power;
#define X(high, low, shift) {high, low, shift},
static const power powers[] = {CT_POWERS_OF_TEN(X)};
#undef X
enum { POWERS = sizeof powers / sizeof *powers };

static const uint64_t LARGEST = 100000000000000000u; // 10^17, one digit too many
enum { UNKNOWN = 4 };                                // in units of the product's last bit

// The integer next to m 2^e 10^p for a 64 bit m. Returns false if it is not certain.
static inline bool scale(uint64_t m, int e, int p, uint64_t *integer) {
    const int at = p - CT_FIRST_POWER_OF_TEN;
    if (at < 0 || at >= POWERS) return false;
    // product without its last 64 bits: the true one is larger, by less than UNKNOWN
    const power *ten = powers + at;
    wide product = (wide)m * ten->high + (uint64_t)((wide)m * ten->low >> 64);
    const int behind = -(e + ten->shift + 64); // bits behind the point
    if (behind <= 64 || behind > 120) return false;
    // rounded; next to a half nothing is certain. The upper word: integer, then `behind` - 64 bits
    const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product,
                   half = (uint64_t)1 << (behind - 65), part = high & (2 * half - 1);
    if ((part == half && low == 0) || (part == half - 1 && low >= -(uint64_t)UNKNOWN)) return false;
    *integer = (high >> (behind - 64)) + (part >= half);
    return true;
}

// The digits of a number below 10^8, one in each byte: two halves of four digits, then four of two,
// then eight, all at the same time. Quotients by 100 and 10 are products with a reciprocal, which are
// exact for numbers as small as these.
enum { EIGHT = 100000000 };
static inline uint64_t eight_digits(uint32_t x) {
    const uint64_t fours = x / 10000 | (uint64_t)(x % 10000) << 32,
                   hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f,
                   twos = hundreds | (fours - 100 * hundreds) << 16,
                   tens = (twos * 103 >> 10) & 0x000f000f000f000f;
    return tens | (twos - 10 * tens) << 8;
}

static inline int zeros_behind(uint64_t eight) {
    return eight ? __builtin_clzll(eight) / 8 : 8;
}

// The exponent k of 10^k <= m 2^exponent, 1 <= m < 2, or one less: log2(m) > m - 1 = fraction / 2^52
// in units of 2^-20, log10(2) in the same, and a margin for its rounding.
static inline int power_below(int exponent, uint64_t fraction) {
    enum { UNIT = 20, LOG10_2 = 315653, MARGIN = 1 << 26, LARGE = 1 << 10 };
    const int64_t log2 = (int64_t)exponent * (1 << UNIT) + (int64_t)(fraction >> (52 - UNIT));
    // the sum is positive, so that the shift rounds it down
    return (int)((log2 * LOG10_2 - MARGIN + ((int64_t)LARGE << 2 * UNIT)) >> 2 * UNIT) - LARGE;
}

// Digits of a normal number. Returns false if printf must find them.
static inline bool find_digits(uint64_t bits, digits *d) {
    enum { FRACTION = 52, BIAS = 1023 };
    static const uint64_t ZEROS = 0x3030303030303030; // '0' in each byte
    const int exponent = (int)(bits >> FRACTION & 0x7ff);
    if (exponent == 0 || exponent == 0x7ff) return false;
    const uint64_t fraction = bits & (((uint64_t)1 << FRACTION) - 1),
                   m = (fraction | (uint64_t)1 << FRACTION) << 11;
    const int e = exponent - BIAS - 63;
    // the integer of 17 digits next to the number times a power of ten
    uint64_t integer;
    d->k = power_below(exponent - BIAS, fraction);
    if (!scale(m, e, DIGITS - 1 - d->k, &integer)) return false;
    if (integer >= LARGEST && !scale(m, e, DIGITS - 1 - ++d->k, &integer)) return false;
    // its pieces
    const uint64_t upper = integer / EIGHT, first = upper / EIGHT,
                   middle = eight_digits((uint32_t)(upper % EIGHT)),
                   last = eight_digits((uint32_t)(integer % EIGHT));
    d->first = (char)('0' + first);
    d->middle = middle | ZEROS;
    d->last = last | ZEROS;
    d->n = last ? DIGITS - zeros_behind(last) : DIGITS - 8 - zeros_behind(middle);
    return first != 0;
}
#else
static bool find_digits(uint64_t bits, digits *d) {
    (void)bits;
    (void)d;
    return false;
}
#endif

static inline void write_eight(char *to, uint64_t eight) {
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &eight, sizeof eight);
#else
    for (int i = 0; i < 8; i++) to[i] = (char)(eight >> 8 * i);
#endif
}

// All 17 digits, those that do not count behind the end.
static inline void write_digits(char *to, const digits *d) {
    to[0] = d->first;
    write_eight(to + 1, d->middle);
    write_eight(to + 9, d->last);
}

// With the point behind the first `before` digits, none: with zeros in front.
static inline char *write_plain(char *to, const digits *d, int before) {
    if (before <= 0) {
        memcpy(to, "0.0000", 6);
        to += 2 - before;
        write_digits(to, d);
        return to + d->n;
    }
    write_digits(to, d);
    if (d->n <= before) return to + before;
    // what is behind the point once more, one place further
    to[before] = '.';
    if (before < 9) {
        write_eight(to + before + 1, d->middle >> 8 * (before - 1));
        write_eight(to + 10, d->last);
    } else {
        write_eight(to + before + 1, d->last >> 8 * (before - 9));
    }
    return to + d->n + 1;
}

static char *write_scientific(char *to, const digits *d) {
    char digit[DIGITS];
    write_digits(digit, d);
    *to++ = digit[0];
    if (d->n > 1) {
        *to++ = '.';
        memcpy(to, digit + 1, (size_t)d->n - 1);
        to += d->n - 1;
    }
    *to++ = 'e';
    *to++ = d->k < 0 ? '-' : '+';
    const int size = d->k < 0 ? -d->k : d->k; // below 100: the table of powers ends before
    *to++ = (char)('0' + size / 10);
    *to++ = (char)('0' + size % 10);
    return to;
}

size_t ct_decimal(double x, char *to) {
    digits d;
    char *end = to;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x == 0) {
        strcpy(to, bits ? "-0" : "0");
        return bits ? 2 : 1;
    }
    if (!find_digits(bits & ~((uint64_t)1 << 63), &d))
        return (size_t)snprintf(to, CT_DECIMAL_ROOM, "%.17g", x);
    // as %g does: no zeros at the end, an exponent where it is below -4 or has no place
    if (bits >> 63) *end++ = '-';
    end = d.k < -4 || d.k >= DIGITS ? write_scientific(end, &d) : write_plain(end, &d, d.k + 1);
    *end = 0;
    return (size_t)(end - to);
}
