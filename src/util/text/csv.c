// A field ends at a comma or at the end of its line; between quotes both are part of it.
#include "csv.h"

#include <string.h>

static bool ends_field(const char *s) {
    return *s == ',' || *s == '\n' || *s == 0 || (*s == '\r' && (s[1] == '\n' || s[1] == 0));
}

const char *ct_csv_field_end(const char *s, long *lines) {
    if (*s != '"') {
        while (!ends_field(s)) s++;
        return s;
    }
    for (s++; *s; s++) {
        if (*s == '\n') ++*lines;
        if (*s != '"') continue;
        if (s[1] != '"') return ends_field(s + 1) ? s + 1 : NULL;
        s++;
    }
    return NULL;
}

size_t ct_csv_unquote(const char *s, const char *end, char *to) {
    char *t = to;
    bool quoted = *s == '"';
    if (quoted) {
        s++;
        end--;
    }
    for (; s < end; s++) {
        *t++ = *s;
        if (quoted && *s == '"') s++;
    }
    *t = 0;
    return (size_t)(t - to);
}

bool ct_csv_is_plain(const char *name) {
    return !strpbrk(name, ",\"\r\n") && *name != ' ';
}

void ct_csv_quote(const char *name, char *to) {
    bool plain = ct_csv_is_plain(name);
    if (!plain) *to++ = '"';
    for (; *name; name++) {
        if (*name == '"') *to++ = '"';
        *to++ = *name;
    }
    if (!plain) *to++ = '"';
    *to = 0;
}
