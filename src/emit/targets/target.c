// The table of targets, a name and the function that writes its files; the list of files that a target
// returns.
#include "emit/targets/target.h"

#include <string.h>

ct_target_write *ct_target_find(const char *name) {
    static const struct {
        const char *name;
        ct_target_write *write;
    } targets[] = {
#define X(target, name) {name, ct_target_##target},
        CT_TARGETS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!strcmp(targets[i].name, name)) return targets[i].write;
    return NULL;
}

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
