// Characters of UTF-8 text, and names from outside made fit to be shown.
#include "output/utf8.h"
#include "output/memory.h"

#include "../../util/text/utf8.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

// Length of a character, one for a byte that is no UTF-8.
static int length_or_one(const char *s) {
    size_t n = ct_utf8_length(s, CT_UTF8_LONGEST);
    return n ? (int)n : 1;
}

static unsigned long code_point(const char *text, int n) {
    const unsigned char *s = (const unsigned char *)text;
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
    if (!text) no_memory();
    for (const char *s = name; *s;) {
        int n = (int)ct_utf8_length(s, CT_UTF8_LONGEST);
        unsigned long c = n ? code_point(s, n) : 0;
        // bytes that are no UTF-8, then controls, then other characters by their code
        if (!n)
            end += sprintf(end, "\\x%02x", (unsigned char)*s);
        else if (c == '\n')
            end += sprintf(end, "\\n");
        else if (c == '\t')
            end += sprintf(end, "\\t");
        else if (c == '\r')
            end += sprintf(end, "\\r");
        else if (moves_cursor(c) || (ascii && c > 0x7E))
            end += sprintf(end, c < 0x80 ? "\\x%02lx" : c < 0x10000 ? "\\u%04lx" : "\\U%08lx", c);
        else {
            // all else as it is
            memcpy(end, s, (size_t)n);
            end += n;
        }
        s += n ? n : 1;
    }
    *end = 0;
    return text;
}

static int width_of(const char *s, int n) {
    if (n <= 1) return 1;
    int w = wcwidth((wchar_t)code_point(s, n));
    return w < 0 ? 1 : w;
}

int utf8_fit(const char *text, int columns) {
    int at = 0, filled = 0;
    while (text[at]) {
        int n = length_or_one(text + at);
        filled += width_of(text + at, n);
        if (filled > columns) break;
        at += n;
    }
    return at;
}

int utf8_width(const char *text) {
    int width = 0;
    for (const char *s = text; *s;) {
        int n = length_or_one(s);
        width += width_of(s, n);
        s += n;
    }
    return width;
}

bool utf8_locale(void) {
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
