// JSON for a page. Strings hold no <, > or &, so nothing in them can end the element they stand in.
#include "view/view.h"

#include "util/text/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void quoted(ct_text *t, const char *s) {
    char piece[CT_JSON_PIECE];
    ct_text_add(t, "\"");
    while (*s) {
        s += ct_json_piece(s, "\"\\<>&'\n\t", piece);
        ct_text_add(t, piece);
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
    ct_free(out);
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
    ct_free(bytes);
}
