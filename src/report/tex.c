// Formulas for readers: short constants stay exact, long ones are rounded.
#include "report/report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// digits that are shown; of numbers that stay exact; characters of roots that do
enum { DIGITS = 5, SHORT = 6, ROOT = 11 };

static const char *skip_digits(const char *s) {
    while (isdigit((unsigned char)*s)) s++;
    return s;
}

// Past a group { ... }, with the braces in it; s is at the opening one.
static const char *skip_group(const char *s) {
    int depth = 0;
    for (; *s; s++) {
        if (*s == '\\' && s[1])
            s++;
        else if (*s == '{')
            depth++;
        else if (*s == '}' && --depth == 0)
            return s + 1;
    }
    return s;
}

// \sqrt{3998338}: its value and its end, or NULL.
static const char *root(const char *s, double *value) {
    static const char start[] = "\\sqrt{";
    if (strncmp(s, start, sizeof start - 1) != 0) return NULL;
    const char *from = s + sizeof start - 1, *end = skip_digits(from);
    if (end == from || *end != '}') return NULL;
    *value = sqrt(strtod(from, NULL));
    return end + 1;
}

// A number that begins here: \frac{12}{345} or 0.345. Its value and its end, or NULL.
static const char *number(const char *s, double *value, int *digits) {
    static const char start[] = "\\frac{";
    if (!strncmp(s, start, sizeof start - 1)) {
        const char *top = s + sizeof start - 1, *middle = skip_digits(top);
        if (middle == top || middle[0] != '}' || middle[1] != '{') return NULL;
        const char *bottom = middle + 2, *end = skip_digits(bottom);
        if (end == bottom || *end != '}') return NULL;
        *value = strtod(top, NULL) / strtod(bottom, NULL);
        *digits = (int)(middle - top + (end - bottom));
        return end + 1;
    }
    if (!isdigit((unsigned char)*s)) return NULL;
    const char *point = skip_digits(s);
    if (*point != '.' || !isdigit((unsigned char)point[1])) return NULL;
    const char *end = skip_digits(point + 1);
    const char *first = s + strspn(s, "0.");
    *value = strtod(s, NULL);
    *digits = first < end ? (int)(end - first - (first < point)) : 0;
    return end;
}

static void write_number(ct_text *t, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.*g", DIGITS, value);
    char *e = strchr(text, 'e');
    if (e) *e = '\0';
    ct_text_add(t, text);
    if (e) ct_text_printf(t, " \\cdot 10^{%d}", atoi(e + 1));
}

char *ct_tex_rounded(const char *tex) {
    static const char *const names[] = {"\\mathrm{", "\\text{", "\\operatorname{"};
    ct_text t = {0};
    bool word = false; // the last character was part of one: digits that follow are, too
    while (*tex) {
        const char *end = NULL;
        double value, factor;
        int digits;
        // names stay as they are
        for (int k = 0; k < 3 && !end; k++)
            if (!strncmp(tex, names[k], strlen(names[k])))
                end = skip_group(tex + strlen(names[k]) - 1);
        if (end) {
            ct_text_addn(&t, tex, (size_t)(end - tex));
        } else if (!word && (end = number(tex, &value, &digits))) {
            // numbers, with a root that multiplies them: rounded where they are long
            const char *more = strncmp(end, "\\,", 2) ? NULL : root(end + 2, &factor);
            if (more)
                write_number(&t, value * factor);
            else if (digits > SHORT)
                write_number(&t, value);
            else
                ct_text_addn(&t, tex, (size_t)(end - tex));
            if (more) end = more;
        } else if ((end = root(tex, &value)) && end - tex > ROOT) {
            write_number(&t, value);
        } else {
            end = tex + 1;
            ct_text_addn(&t, tex, 1);
        }
        // go on behind it
        word = isalnum((unsigned char)end[-1]);
        tex = end;
    }
    return t.s ? ct_text_take(&t) : ct_strdup("");
}
