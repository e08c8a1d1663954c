// The table of targets: a name, and the function that writes its files.
#include "emit/target.h"

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
