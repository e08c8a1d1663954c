// JSON for a page. Strings hold no <, > or &, so nothing in them can end the element they stand in.
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Length of the valid UTF-8 character at s, 0: none.
static int utf8_length(const unsigned char *s) {
    static const unsigned char low[] = {0xA0, 0x90}, high[] = {0x9F, 0x8F};
    int n = s[0] < 0x80   ? 1
            : s[0] < 0xC2 ? 0
            : s[0] < 0xE0 ? 2
            : s[0] < 0xF0 ? 3
            : s[0] < 0xF5 ? 4
                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < low[0]) || (s[0] == 0xF0 && s[1] < low[1])) return 0; // overlong
    if ((s[0] == 0xED && s[1] > high[0]) || (s[0] == 0xF4 && s[1] > high[1])) return 0;
    return n;
}

static void quoted(ct_text *t, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    ct_text_add(t, "\"");
    while (*s) {
        int n = utf8_length(s);
        if (n == 0)
            ct_text_add(t, "\xEF\xBF\xBD");
        else if (*s < 0x20 || *s == 0x7F || strchr("\"\\<>&'", *s))
            ct_text_printf(t, "\\u%04x", *s);
        else
            ct_text_addn(t, (const char *)s, (size_t)n);
        s += n ? n : 1;
    }
    ct_text_add(t, "\"");
}

static void start(ct_json *j, const char *key) {
    if (j->comma) ct_text_add(&j->text, ",");
    j->comma = true;
    if (!key) return;
    quoted(&j->text, key);
    ct_text_add(&j->text, ":");
}

void ct_json_open(ct_json *j, const char *key, char bracket) {
    start(j, key);
    ct_text_addn(&j->text, &bracket, 1);
    j->comma = false;
}

void ct_json_close(ct_json *j, char bracket) {
    ct_text_addn(&j->text, &bracket, 1);
    j->comma = true;
}

void ct_json_string(ct_json *j, const char *key, const char *value) {
    start(j, key);
    quoted(&j->text, value);
}

void ct_json_number(ct_json *j, const char *key, double value) {
    start(j, key);
    if (isfinite(value))
        ct_text_printf(&j->text, "%.9g", value);
    else
        ct_text_add(&j->text, "null");
}

void ct_json_vector(ct_json *j, const char *key, int n, const double *x) {
    ct_json_open(j, key, '[');
    for (int i = 0; i < n; i++) ct_json_number(j, NULL, x[i]);
    ct_json_close(j, ']');
}

void ct_json_bytes(ct_json *j, const char *key, size_t n, const void *bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    char *out = ct_alloc((n + 2) / 3 * 4 + 1, 1), *to = out;
    for (size_t i = 0; i < n; i += 3) {
        unsigned long word = (unsigned long)b[i] << 16;
        if (i + 1 < n) word |= (unsigned long)b[i + 1] << 8;
        if (i + 2 < n) word |= b[i + 2];
        *to++ = digits[word >> 18 & 63];
        *to++ = digits[word >> 12 & 63];
        *to++ = i + 1 < n ? digits[word >> 6 & 63] : '=';
        *to++ = i + 2 < n ? digits[word & 63] : '=';
    }
    start(j, key);
    ct_text_add(&j->text, "\"");
    ct_text_addn(&j->text, out, (size_t)(to - out));
    ct_text_add(&j->text, "\"");
    free(out);
}

// Little-endian, as every browser's typed arrays are.
void ct_json_floats(ct_json *j, const char *key, size_t n, const double *x) {
    unsigned char *bytes = ct_alloc(4 * n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        float f = (float)x[i];
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        for (int k = 0; k < 4; k++) bytes[4 * i + (size_t)k] = (unsigned char)(word >> 8 * k);
    }
    ct_json_bytes(j, key, 4 * n, bytes);
    free(bytes);
}
