// Numbers in emitted code must be finite. printf writes `inf` and `nan` for those that are not, the
// writer NAN for what is not defined; none of these is a name that emitted code uses otherwise.
#include "run/code/compile.h"

#include <ctype.h>
#include <string.h>

// After the comment or string that starts at s; s itself where none does.
static const char *after_text(const char *s) {
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    if (*s != '"') return s;
    for (s++; *s && *s != '"'; s++)
        if (*s == '\\' && s[1]) s++;
    return *s ? s + 1 : s;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

// The first number that is not finite, NULL where all are.
static const char *find_not_finite(const char *s) {
    while (*s) {
        const char *next = after_text(s);
        size_t n = 0;
        if (next == s) {
            while (is_word(s[n])) n++;
            if (n == 3 && (!strncmp(s, "inf", 3) || !strncmp(s, "nan", 3) || !strncmp(s, "NAN", 3)))
                return s;
            next = s + (n ? n : 1);
        }
        s = next;
    }
    return NULL;
}

ct_status ct_code_check(ct_context *ctx, const char *source) {
    enum { SHOWN = 60 };
    const char *at = find_not_finite(source);
    if (!at) return CT_OK;
    const char *line = at;
    while (line > source && line[-1] != '\n') line--;
    line += strspn(line, " ");
    int n = (int)strcspn(line, "\n");
    return ct_fail(
        ctx, CT_NUMERICS,
        "a constant of the equations is not a finite number ('%.*s'): check the sizes of "
        "the model's numbers, or leave --fold away",
        n < SHOWN ? n : SHOWN, line);
}
