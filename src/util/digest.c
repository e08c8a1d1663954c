// A content's digest: two lanes of 64 bits. Each word is mixed into both by maps that are one to
// one, in the word and in the lane: contents of one length that differ in a single word never have
// the same digest, others with probability 2^-128.
#include "util/util.h"

#include <string.h>

// odd, with about as many ones as zeros
#define FACTOR_1 UINT64_C(0x9e3779b97f4a7c15)
#define FACTOR_2 UINT64_C(0xd1342543de82ef95)
#define FACTOR_3 UINT64_C(0xaf251af3b0f025b5)
#define FACTOR_4 UINT64_C(0x2545f4914f6cdd1d)

static uint64_t turned(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

void ct_digest_add_number(ct_digest *d, uint64_t x) {
    d->lane[0] = turned(d->lane[0] ^ x * FACTOR_1, 29) * FACTOR_2 + 1;
    d->lane[1] = (d->lane[1] ^ d->lane[1] >> 31) * FACTOR_3 + turned(x, 32) * FACTOR_4 + 1;
}

void ct_digest_add(ct_digest *d, const void *data, size_t bytes) {
    const unsigned char *at = data;
    uint64_t word = 0;
    ct_digest_add_number(d, bytes);
    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        ct_digest_add_number(d, word);
    }
    word = 0;
    if (bytes) memcpy(&word, at, bytes);
    if (bytes) ct_digest_add_number(d, word);
}

void ct_digest_add_text(ct_digest *d, const char *text) {
    ct_digest_add(d, text ? text : "", text ? strlen(text) : 0);
}
