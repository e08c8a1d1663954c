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
static bool scale(uint64_t m, int e, int p, uint64_t *integer) {
    const int at = p - CT_FIRST_POWER_OF_TEN;
    if (at < 0 || at >= POWERS) return false;
    // product without its last 64 bits: the true one is larger, by less than UNKNOWN
    const power *ten = powers + at;
    wide product = (wide)m * ten->high + (uint64_t)((wide)m * ten->low >> 64);
    const int behind = -(e + ten->shift + 64); // bits behind the point
    if (behind < 64 || behind > 120) return false;
    // rounded; next to a half nothing is certain
    const wide half = (wide)1 << (behind - 1), part = product & (2 * half - 1);
    if (part + UNKNOWN >= half && part <= half) return false;
    *integer = (uint64_t)(product >> behind) + (part > half);
    return true;
}

// Eight digits of a number below 10^8, two at a time.
enum { EIGHT = 100000000 };
static void write_eight(uint32_t x, char *to) {
    for (int i = 6; i >= 0; i -= 2, x /= 100) {
        const uint32_t two = x % 100;
        to[i] = (char)('0' + two / 10);
        to[i + 1] = (char)('0' + two % 10);
    }
}

// 17 digits of a normal number and the exponent k of the first one. Returns false if printf must
// find them.
static bool find_digits(uint64_t bits, char *digit, int *k) {
    enum { FRACTION = 52, BIAS = 1023 };
    const int exponent = (int)(bits >> FRACTION & 0x7ff);
    if (exponent == 0 || exponent == 0x7ff) return false;
    const uint64_t m = ((bits & (((uint64_t)1 << FRACTION) - 1)) | (uint64_t)1 << FRACTION) << 11;
    const int e = exponent - BIAS - 63;
    // k, or one less: floor of (exponent log10(2)), by 30103 / 100000
    const int tens = (exponent - BIAS) * 30103;
    uint64_t integer;
    *k = tens >= 0 ? tens / 100000 : -((99999 - tens) / 100000);
    if (!scale(m, e, DIGITS - 1 - *k, &integer)) return false;
    if (integer >= LARGEST && !scale(m, e, DIGITS - 1 - ++*k, &integer)) return false;
    const uint64_t first = integer / EIGHT, last = integer % EIGHT;
    digit[0] = (char)('0' + first / EIGHT);
    write_eight((uint32_t)(first % EIGHT), digit + 1);
    write_eight((uint32_t)last, digit + 9);
    return digit[0] != '0';
}
#else
static bool find_digits(uint64_t bits, char *digit, int *k) {
    (void)bits;
    (void)digit;
    (void)k;
    return false;
}
#endif

// n digits with the point behind the first `before` of them, none: with zeros in front.
static char *write_plain(char *to, const char *digit, int n, int before) {
    if (before <= 0) {
        memcpy(to, "0.0000", 6);
        to += 2 - before;
        memcpy(to, digit, (size_t)n);
        return to + n;
    }
    // the digits hold zeros behind the first n
    memcpy(to, digit, (size_t)before);
    if (n <= before) return to + before;
    to[before] = '.';
    memcpy(to + before + 1, digit + before, (size_t)(n - before));
    return to + n + 1;
}

static char *write_scientific(char *to, const char *digit, int n, int k) {
    *to++ = digit[0];
    if (n > 1) {
        *to++ = '.';
        memcpy(to, digit + 1, (size_t)n - 1);
        to += n - 1;
    }
    *to++ = 'e';
    *to++ = k < 0 ? '-' : '+';
    const int size = k < 0 ? -k : k; // below 100: the table of powers ends before
    *to++ = (char)('0' + size / 10);
    *to++ = (char)('0' + size % 10);
    return to;
}

size_t ct_decimal(double x, char *to) {
    char digit[DIGITS], *end = to;
    uint64_t bits;
    int k, n = DIGITS;
    memcpy(&bits, &x, sizeof bits);
    if (x == 0) {
        strcpy(to, bits ? "-0" : "0");
        return strlen(to);
    }
    if (!find_digits(bits & ~((uint64_t)1 << 63), digit, &k))
        return (size_t)snprintf(to, CT_DECIMAL_ROOM, "%.17g", x);
    // as %g does: no zeros at the end, an exponent where it is below -4 or has no place
    while (n > 1 && digit[n - 1] == '0') n--;
    if (bits >> 63) *end++ = '-';
    end = k < -4 || k >= DIGITS ? write_scientific(end, digit, n, k)
                                : write_plain(end, digit, n, k + 1);
    *end = 0;
    return (size_t)(end - to);
}
