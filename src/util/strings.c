// Strings that live as long as their list.
#include "util/util.h"

#include <stdlib.h>

char *ct_strings_add(ct_strings *s, char *owned) {
    return *CT_PUSH(s->item, s->n, s->room) = owned;
}

void ct_strings_clear(ct_strings *s) {
    for (int i = 0; i < s->n; i++) free(s->item[i]);
    free(s->item);
    *s = (ct_strings){0};
}
