// Characters of UTF-8 text, and names from outside made fit to be shown.
#include "output/utf8.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int utf8_length(const unsigned char *s) {
    unsigned char low = 0x80, high = 0xBF;
    int n;
    if (s[0] < 0x80) return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF)
        n = 2;
    else if (s[0] >= 0xE0 && s[0] <= 0xEF)
        n = 3;
    else if (s[0] >= 0xF0 && s[0] <= 0xF4)
        n = 4;
    else
        return 0;
    if (s[0] == 0xE0) low = 0xA0;
    if (s[0] == 0xED) high = 0x9F;
    if (s[0] == 0xF0) low = 0x90;
    if (s[0] == 0xF4) high = 0x8F;
    if (s[1] < low || s[1] > high) return 0;
    for (int i = 2; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    return n;
}

static unsigned long code_point(const unsigned char *s, int n) {
    unsigned long c = n == 1 ? s[0] : s[0] & (0x7FU >> n);
    for (int i = 1; i < n; i++) c = c << 6 | (s[i] & 0x3F);
    return c;
}

// Controls, and marks that change the direction of what follows.
static bool moves_cursor(unsigned long c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

char *utf8_shown(const char *name, bool ascii) {
    enum { LONGEST = 10 }; // \U0010ffff
    char *text = malloc(LONGEST * strlen(name) + 1), *end = text;
    if (!text) abort();
    for (const unsigned char *s = (const unsigned char *)name; *s;) {
        int n = utf8_length(s);
        unsigned long c = n ? code_point(s, n) : 0;
        if (!n)
            end += sprintf(end, "\\x%02x", *s);
        else if (c == '\n')
            end += sprintf(end, "\\n");
        else if (c == '\t')
            end += sprintf(end, "\\t");
        else if (c == '\r')
            end += sprintf(end, "\\r");
        else if (moves_cursor(c) || (ascii && c > 0x7E))
            end += sprintf(end, c < 0x80 ? "\\x%02lx" : c < 0x10000 ? "\\u%04lx" : "\\U%08lx", c);
        else {
            memcpy(end, s, (size_t)n);
            end += n;
        }
        s += n ? n : 1;
    }
    *end = 0;
    return text;
}

static int width_of(const unsigned char *s, int n) {
    if (n <= 1) return 1;
    int w = wcwidth((wchar_t)code_point(s, n));
    return w < 0 ? 1 : w;
}

int utf8_fit(const char *text, int columns) {
    const unsigned char *s = (const unsigned char *)text;
    int at = 0, filled = 0;
    while (s[at]) {
        int n = utf8_length(s + at);
        n = n ? n : 1;
        filled += width_of(s + at, n);
        if (filled > columns) break;
        at += n;
    }
    return at;
}

int utf8_width(const char *text) {
    int width = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int n = utf8_length(s);
        n = n ? n : 1;
        width += width_of(s, n);
        s += n;
    }
    return width;
}

bool utf8_locale(void) {
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
