// JSON for a page: compact text, and arrays of numbers in base64.
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

static void put_text(void *to, const char *bytes, size_t n) {
    ct_text_addn(to, bytes, n);
}

void ct_json_text(ct_json *j, ct_text *t) {
    ct_json_init(j, &ct_json_compact, put_text, t);
}

void ct_json_bytes(ct_json *j, const char *key, size_t n, const void *bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    char *out = ct_scratch((n + 2) / 3 * 4 + 1, 1), *to = out;
    for (size_t i = 0; i < n; i += 3) {
        unsigned long word = (unsigned long)b[i] << 16;
        if (i + 1 < n) word |= (unsigned long)b[i + 1] << 8;
        if (i + 2 < n) word |= b[i + 2];
        *to++ = digits[word >> 18 & 63];
        *to++ = digits[word >> 12 & 63];
        *to++ = i + 1 < n ? digits[word >> 6 & 63] : '=';
        *to++ = i + 2 < n ? digits[word & 63] : '=';
    }
    ct_json_string(j, key, out);
}

// Little-endian, as every browser's typed arrays are.
void ct_json_floats(ct_json *j, const char *key, size_t n, const double *x) {
    unsigned char *bytes = ct_scratch(4 * n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        float f = (float)x[i];
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        for (int k = 0; k < 4; k++) bytes[4 * i + (size_t)k] = (unsigned char)(word >> 8 * k);
    }
    ct_json_bytes(j, key, 4 * n, bytes);
}
