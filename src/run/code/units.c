// Units of a source, which are compiled at the same time. Each has the whole text but for the bodies
// of functions that are in other units; these it declares. The last one has the model.
//
// The text is that of emit/: a function begins with a line `static ...` without `=` and ends with a
// brace in the first column. Which function goes where depends on the text alone: so do the bits of
// results, whatever the machine.
#include "run/code/units.h"

#include <string.h>

typedef struct function {
    const char *head, *body, *end; // body: its opening brace
} function;

typedef struct scan {
    const char *text;
    function *function;
    int n, room;
    size_t bytes; // of all functions
} scan;

// Start of the next line, or the end.
static const char *next_line(const char *s) {
    s += strcspn(s, "\n");
    return *s ? s + 1 : s;
}

// Finds the functions of a text.
static void find_functions(scan *x) {
    for (const char *s = x->text; *s; s = next_line(s)) {
        if (strncmp(s, "static ", 7) || !strncmp(s, "static inline ", 14)) continue;
        size_t line = strcspn(s, "\n");
        if (memchr(s, '=', line) || !memchr(s, '(', line)) continue;
        const char *body = strstr(s, "\n{\n"), *end = body ? strstr(body, "\n}\n") : NULL;
        if (!end) return;
        *CT_PUSH_SCRATCH(x->function, x->n, x->room) = (function){s, body + 1, end + 3};
        x->bytes += (size_t)(end - s);
        s = end + 1;
    }
}

// One unit: the functions from first to last (less), with declarations of the others before all.
static char *unit(const scan *x, const char *model, int first, int last) {
    ct_text out = {0};
    // up to the first function; declarations
    ct_text_addn(&out, x->text, (size_t)(x->function[0].head - x->text));
    ct_text_add(&out, "#ifdef __GNUC__\n#define CT_SHARED __attribute__((visibility(\"hidden\")))\n"
                      "#else\n#define CT_SHARED\n#endif\n\n");
    for (int i = 0; i < x->n; i++) {
        const function *f = x->function + i;
        ct_text_add(&out, "CT_SHARED ");
        ct_text_addn(&out, f->head + 7, (size_t)(f->body - f->head) - 8);
        ct_text_add(&out, ";\n");
    }
    ct_text_add(&out, "\n");
    // functions of the unit, and what stands between functions, up to the model
    for (int i = 0; i < x->n; i++) {
        const function *f = x->function + i;
        const char *next = i + 1 < x->n ? f[1].head : model;
        if (i >= first && i < last) ct_text_addn(&out, f->head + 7, (size_t)(f->end - f->head) - 7);
        ct_text_addn(&out, f->end, (size_t)(next - f->end));
    }
    if (last == x->n) ct_text_add(&out, model); // no unit follows
    return ct_text_take(&out);
}

int ct_units(const char *source, const char *model, char ***units) {
    scan x = {.text = source};
    find_functions(&x);
    // as many as are worth a process, of about the same length
    size_t n = x.bytes / CT_UNIT_BYTES;
    n = n > CT_MOST_UNITS ? CT_MOST_UNITS : n;
    const char *end = x.n ? strstr(x.function[x.n - 1].end, model) : NULL;
    if (n < 2 || !end) return 0;
    *units = ct_scratch(n, sizeof **units);
    size_t done = 0, k = 0;
    for (size_t first = 0; first < (size_t)x.n; k++) {
        size_t last = first;
        // at least one function; a long one may leave fewer units than there could be
        while (last < (size_t)x.n &&
               (k == n - 1 || last == first || done * n < (k + 1) * x.bytes)) {
            done += (size_t)(x.function[last].end - x.function[last].head);
            last++;
        }
        (*units)[k] = unit(&x, end, (int)first, (int)last);
        first = last;
    }
    return (int)k;
}
