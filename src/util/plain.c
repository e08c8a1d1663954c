// Numbers in text have a point, whatever the locale of the calling program: the thread speaks "C"
// while one is written or read.
#include "util/util.h"

#include <ctype.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

static pthread_once_t made = PTHREAD_ONCE_INIT;
static locale_t plain;

static void make_plain(void) {
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

// The locale of the thread before.
static locale_t begin(void) {
    pthread_once(&made, make_plain);
    return plain ? uselocale(plain) : (locale_t)0;
}

static void end(locale_t before) {
    if (before) uselocale(before);
}

int ct_vsnprintf(char *text, size_t room, const char *format, va_list args) {
    locale_t before = begin();
    int n = vsnprintf(text, room, format, args);
    end(before);
    return n;
}

int ct_snprintf(char *text, size_t room, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = ct_vsnprintf(text, room, format, args);
    va_end(args);
    return n;
}

double ct_strtod(const char *text, char **after) {
    locale_t before = begin();
    double value = strtod(text, after);
    end(before);
    return value;
}

int ct_strtoi(const char *text, const char **after) {
    const char *s = text;
    while (*s == ' ' || *s == '\n') s++;
    const bool negative = *s == '-';
    const char *digits = s += negative || *s == '+';
    long long value = 0;
    for (; isdigit((unsigned char)*s); s++)
        if (value <= INT_MAX) value = 10 * value + (*s - '0');
    *after = s > digits ? s : text;
    if (negative) value = -value;
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}
