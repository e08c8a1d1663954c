// libFuzzer target for triangular systems as text: any bytes are refused, or are a system that gives
// the same bytes again.
#include "closure/elimination/block_cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ct_ring ring = {.n = 3};
    ct_block_unknown unknowns[3] = {{false, 0, 0}, {false, 1, 1}, {false, 2, 2}};
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    for (int n = 1; n <= 3; n++) {
        ct_block_system s = {.ring = &ring, .n = n, .unknown = unknowns, .equations.n = n};
        ct_triangular t;
        if (!ct_triangular_parse(text, &s, &t)) continue;
        char *again = ct_triangular_print(&t);
        if (strcmp(text, again)) abort();
        ct_free(again);
    }
    free(text);
    return 0;
}
