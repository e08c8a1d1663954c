// The list of files that a target returns.
#include "emit/target.h"

#include <stdlib.h>

void ct_target_add(ct_target_output *out, char *name, char *text) {
    *CT_PUSH(out->file, out->n, out->room) = (ct_target_file){name, text};
}

void ct_target_output_clear(ct_target_output *out) {
    for (int i = 0; i < out->n; i++) {
        ct_free(out->file[i].name);
        ct_free(out->file[i].text);
    }
    ct_free(out->file);
    *out = (ct_target_output){0};
}
