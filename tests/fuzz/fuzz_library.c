// libFuzzer target for files of the library of triangular systems: any bytes are refused, or are an
// entry that gives the same bytes again.
#include "closure/elimination/block_cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char structure[] = "x\n1 0^2; 1 a0 (0000000000000000)\n";
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    ct_block_cache_entry e;
    if (ct_block_cache_parse(text, structure, &e)) {
        char *again = ct_block_cache_print(structure, &e);
        if (strcmp(text, again)) abort();
        ct_free(again);
    }
    free(text);
    return 0;
}
