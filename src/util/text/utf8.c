// The table of well-formed byte sequences: the first byte gives the length, and for four of them a
// narrower range of the second byte excludes overlong forms, surrogates and what is above U+10FFFF.
#include "utf8.h"

size_t ct_utf8_length(const char *text, size_t bytes) {
    const unsigned char *s = (const unsigned char *)text;
    if (!bytes) return 0;
    if (s[0] < 0x80) return 1;
    // length by the first byte
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (n > bytes) return 0;
    // range of the second byte
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high) return 0;
    // the others continue
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    return n;
}
