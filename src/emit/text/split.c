// Long straight-line functions in parts. The time that compilers take over one basic block of
// thousands of statements grows faster than its length. Parts that hand on the temporaries still in
// use are compiled in proportion, and run as fast.
#include "emit/emit_inside.h"

#include <ctype.h>
#include <string.h>

typedef struct unit { // a statement, with the lines that belong to it
    const char *text;
    size_t bytes;
    int defines; // temporary, -1: none
} unit;

typedef struct split {
    unit *units;
    int n, room;
    int n_temporaries;
    int *first; // of each part; one more at the end
    int n_parts;
    bool *in, *out; // [parts x temporaries]: taken over, handed on
} split;

static bool is_declaration(const char *line) {
    return !strncmp(line, "    double t", 12) && isdigit((unsigned char)line[12]);
}

static int defined_by(const char *text) {
    if (strncmp(text, "    t", 5) || !isdigit((unsigned char)text[5])) return -1;
    const char *end;
    int k = ct_strtoi(text + 5, &end);
    return !strncmp(end, " = ", 3) ? k : -1;
}

// Finds the next temporary t<k> between s and end. Returns the text after it, NULL if there is
// none.
static const char *next_use(const char *s, const char *end, const char *start, int *k) {
    for (; s < end; s++) {
        if (*s != 't' || !isdigit((unsigned char)s[1])) continue;
        if (s > start && (isalnum((unsigned char)s[-1]) || s[-1] == '_')) continue;
        const char *after;
        *k = ct_strtoi(s + 1, &after);
        if (isalpha((unsigned char)*after) || *after == '_') continue;
        return after;
    }
    return NULL;
}

// Statements end with a semicolon outside braces.
static void read_units(split *p, const char *s) {
    while (*s) {
        const char *start = s;
        int depth = 0;
        for (bool more = true; more && *s;) {
            const char *line = s;
            size_t n = 0;
            for (; line[n] && line[n] != '\n'; n++) depth += (line[n] == '{') - (line[n] == '}');
            more = depth > 0 || !n || line[n - 1] != ';';
            s += n + (s[n] == '\n');
        }
        *CT_PUSH(p->units, p->n, p->room) = (unit){start, (size_t)(s - start), defined_by(start)};
    }
}

// Temporaries that a part takes over (used before it sets them) and hands on (set, and taken over
// by a later part). From the last part to the first.
static void find_live(split *p) {
    size_t cells = (size_t)(p->n_parts * p->n_temporaries) + 1;
    p->in = ct_alloc(cells, sizeof *p->in);
    p->out = ct_alloc(cells, sizeof *p->out);
    bool *wanted = ct_scratch((size_t)p->n_temporaries + 1, sizeof *wanted);
    for (int part = p->n_parts - 1; part >= 0; part--) {
        bool *in = p->in + part * p->n_temporaries, *out = p->out + part * p->n_temporaries;
        bool *set = ct_alloc((size_t)p->n_temporaries + 1, sizeof *set);
        for (int i = p->first[part]; i < p->first[part + 1]; i++) {
            const unit *u = p->units + i;
            const char *end = u->text + u->bytes, *s = u->text;
            int k;
            if (u->defines >= 0) s = strchr(s, '=');
            while ((s = next_use(s, end, u->text, &k))) in[k] |= !set[k];
            if (u->defines >= 0) set[u->defines] = true;
        }
        for (int k = 0; k < p->n_temporaries; k++) {
            out[k] = set[k] && wanted[k];
            wanted[k] = in[k] || (wanted[k] && !set[k]);
        }
        ct_free(set);
    }
}

static void call_arguments(ct_text *out, const char *arguments, const char *const *arrays) {
    for (const char *s = arguments; *s;) {
        size_t n = strcspn(s, " ");
        ct_text_printf(out, "%.*s, ", (int)n, s);
        s += n + (s[n] == ' ');
    }
    for (; *arrays; arrays++) ct_text_printf(out, "%s, ", *arrays);
    ct_text_add(out, "kept");
}

static void write_part(const split *p, int part, ct_text *out, const char *signature,
                       const char *arguments, const char *const *arrays) {
    size_t name = strcspn(signature, "("), all = strlen(signature);
    const bool *in = p->in + part * p->n_temporaries, *hand = p->out + part * p->n_temporaries;
    // head: the arguments of the function, its local arrays, the temporaries handed on
    ct_text_printf(out, "static CT_PART int %.*s_%d%.*s,\n   ", (int)name, signature, part,
                   (int)(all - name - 1), signature + name);
    for (const char *const *a = arrays; *a; a++) ct_text_printf(out, " double *restrict %s,", *a);
    ct_text_add(out, " double *restrict kept)\n{\n");
    // declarations of what the statements use: temporaries, an index, a determinant
    bool *used = ct_alloc((size_t)p->n_temporaries + 1, sizeof *used);
    bool counts = false, solves = false;
    for (int i = p->first[part]; i < p->first[part + 1]; i++) {
        const unit *u = p->units + i;
        int k;
        for (const char *s = u->text; (s = next_use(s, u->text + u->bytes, u->text, &k));)
            used[k] = true;
        counts = counts || !strncmp(u->text, "    for (i ", 11);
        solves = solves || !strncmp(u->text, "    if (!ctk_small_solve(", 25) ||
                 !strncmp(u->text, "    if (!ctk_small_quick(", 25);
    }
    if (counts && strncmp(p->units[p->first[part]].text, "    int i;", 10))
        ct_text_add(out, "    int i;\n");
    if (solves) ct_text_add(out, "    double determinant;\n");
    // temporaries, twelve to a line; those of earlier parts from `kept`
    for (int k = 0, n = 0; k < p->n_temporaries; k++)
        if (used[k]) {
            ct_text_printf(out, n % 12 == 0 ? "%s    double t%d" : "%s, t%d",
                           n && n % 12 == 0 ? ";\n" : "", k);
            if (in[k]) ct_text_printf(out, " = kept[%d]", k);
            n++;
        }
    ct_text_add(out, ";\n");
    // statements; temporaries of later parts into `kept`
    for (int i = p->first[part]; i < p->first[part + 1]; i++)
        ct_text_addn(out, p->units[i].text, p->units[i].bytes);
    for (int k = 0; k < p->n_temporaries; k++)
        if (hand[k]) ct_text_printf(out, "    kept[%d] = t%d;\n", k, k);
    ct_emitter_silence(out, arguments);
    for (const char *const *a = arrays; *a; a++) ct_text_printf(out, "    (void)%s;\n", *a);
    ct_text_add(out, "    (void)kept;\n    return 0;\n}\n\n");
    ct_free(used);
}

void ct_emitter_silence(ct_text *out, const char *arguments) {
    for (const char *s = arguments; *s;) {
        size_t n = strcspn(s, " ");
        ct_text_printf(out, "    (void)%.*s;\n", (int)n, s);
        s += n + (s[n] == ' ');
    }
}

bool ct_emit_split(ct_text *out, ct_split_size size, const char *type, const char *signature,
                   const char *arguments, const char *const *arrays, const char *local,
                   const char *statements) {
    // functions of few lines stay whole
    int lines = 0;
    split p = {0};
    for (const char *s = statements; s && *s; s++) lines += *s == '\n';
    if (lines < size.longest) return false;
    // number of temporaries, from their declarations
    const char *body = statements;
    while (is_declaration(body)) {
        int k;
        for (const char *s = body, *end = body + strcspn(body, "\n");
             (s = next_use(s, end, body, &k));)
            if (k >= p.n_temporaries) p.n_temporaries = k + 1;
        body += strcspn(body, "\n") + 1;
    }
    // statements in parts of equal length, with the temporaries live between them
    read_units(&p, body);
    p.n_parts = (p.n + size.part - 1) / size.part;
    p.first = ct_alloc((size_t)p.n_parts + 1, sizeof(int));
    for (int i = 0; i <= p.n_parts; i++) p.first[i] = (int)((long)p.n * i / p.n_parts);
    find_live(&p);
    for (int i = 0; i < p.n_parts; i++) write_part(&p, i, out, signature, arguments, arrays);
    // the function itself: locals, then a call of each part
    bool result = !strcmp(type, "int");
    size_t name = strcspn(signature, "(");
    ct_text_printf(out, "static %s %s\n{\n", type, signature);
    for (const char *line = local; line && *line;) {
        size_t n = strcspn(line, "\n") + 1;
        // each part declares its own determinant
        if (strncmp(line, "    double determinant;", 23)) ct_text_addn(out, line, n);
        line += n;
    }
    ct_text_printf(out, "    double kept[%d];\n", p.n_temporaries + 1);
    if (result) ct_text_add(out, "    int failed;\n");
    for (int i = 0; i < p.n_parts; i++) {
        ct_text_printf(out, result ? "    failed = %.*s_%d(" : "    (void)%.*s_%d(", (int)name,
                       signature, i);
        call_arguments(out, arguments, arrays);
        ct_text_add(out, result ? ");\n    if (failed)\n        return failed > 0 ? failed : 0;\n"
                                : ");\n");
    }
    ct_free(p.units);
    ct_free(p.first);
    ct_free(p.in);
    ct_free(p.out);
    return true;
}
