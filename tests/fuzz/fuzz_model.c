// libFuzzer target for the model reader: any bytes must give a model or messages, never more.
//   clang -g -O1 -fsanitize=fuzzer,address,undefined ... && ./fuzz_model CORPUS models tests/bad
// A first line "#set NAME=EXPR" is also given as an override.
#include "cotree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

// libfyaml 0.7.12 loses a buffer when a long quoted scalar with escapes ends in a syntax error.
const char *__lsan_default_suppressions(void) {
    return "leak:libfyaml";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1), set[128] = "";
    const char *sets[1] = {set};
    memcpy(text, data, size);
    text[size] = '\0';
    if (size > 5 && !strncmp(text, "#set ", 5)) {
        size_t n = strcspn(text + 5, "\n");
        if (n < sizeof set) memcpy(set, text + 5, n);
    }
    ct_context *ctx = ct_context_new();
    ct_model *model = NULL;
    ct_status status = ct_model_read_text(ctx, "fuzz.yaml", text, size, *set != 0, sets, &model);
    if ((status == CT_OK) != (model != NULL) || (status != CT_OK && !ct_message_count(ctx)))
        abort();
    ct_model_free(model);
    ct_context_free(ctx);
    free(text);
    return 0;
}
