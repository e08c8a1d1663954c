// Reads emitted C as tokens. Equal names and equal numbers are found by a table of their digests, so
// that whoever reads on compares integers.
#include "run/interpret/tokens.h"

#include <ctype.h>
#include <string.h>

// Numbers of what was seen before, by digest: open addressing, twice as many places at least.
typedef struct seen {
    int *at; // 1 + number; 0: free
    size_t room, n;
} seen;

typedef struct reading {
    ct_tokens *out;
    seen names, numbers;
} reading;

static uint64_t digest_of_name(const char *s, size_t n) {
    return ct_hash(s, n, 0);
}

static uint64_t digest_of_number(double x) {
    return ct_hash(&x, sizeof x, 0);
}

static bool is_name(const ct_tokens *t, int i, const char *s, size_t n) {
    return !strncmp(t->name[i], s, n) && !t->name[i][n];
}

static void put(seen *x, uint64_t digest, int number) {
    size_t k = (size_t)digest & (x->room - 1);
    while (x->at[k]) k = (k + 1) & (x->room - 1);
    x->at[k] = 1 + number;
    x->n++;
}

// Room for one more; what is there is put in again where the table grows.
static void make_room(seen *x, const ct_tokens *t, bool of_names) {
    if (2 * (x->n + 1) <= x->room) return;
    seen larger = {.room = x->room ? 2 * x->room : 256};
    larger.at = ct_scratch(larger.room, sizeof *larger.at);
    for (size_t k = 0; k < x->room; k++) {
        if (!x->at[k]) continue;
        int i = x->at[k] - 1;
        uint64_t digest = of_names ? digest_of_name(t->name[i], strlen(t->name[i]))
                                   : digest_of_number(t->number[i]);
        put(&larger, digest, i);
    }
    *x = larger;
}

static int number_of_name(reading *r, const char *s, size_t n) {
    ct_tokens *t = r->out;
    make_room(&r->names, t, true);
    uint64_t digest = digest_of_name(s, n);
    for (size_t k = (size_t)digest & (r->names.room - 1); r->names.at[k];
         k = (k + 1) & (r->names.room - 1))
        if (is_name(t, r->names.at[k] - 1, s, n)) return r->names.at[k] - 1;
    char *name = ct_scratch(n + 1, 1);
    memcpy(name, s, n);
    *CT_PUSH_SCRATCH(t->name, t->n_names, t->room_names) = name;
    put(&r->names, digest, t->n_names - 1);
    return t->n_names - 1;
}

static int number_of_number(reading *r, double x) {
    ct_tokens *t = r->out;
    make_room(&r->numbers, t, false);
    uint64_t digest = digest_of_number(x);
    for (size_t k = (size_t)digest & (r->numbers.room - 1); r->numbers.at[k];
         k = (k + 1) & (r->numbers.room - 1))
        if (!memcmp(t->number + r->numbers.at[k] - 1, &x, sizeof x)) return r->numbers.at[k] - 1;
    *CT_PUSH_SCRATCH(t->number, t->n_numbers, t->room_numbers) = x;
    put(&r->numbers, digest, t->n_numbers - 1);
    return t->n_numbers - 1;
}

static void add(ct_tokens *t, ct_token_kind kind, int value) {
    *CT_PUSH_SCRATCH(t->token, t->n, t->room) = (ct_token){kind, value};
}

// A string up to its closing quote, with escapes as the emitter writes them: a character by itself,
// or three octal digits. Returns what follows.
static const char *read_string(ct_tokens *t, const char *s) {
    char *text = ct_scratch(strcspn(s, "\n") + 1, 1);
    size_t n = 0;
    for (; *s && *s != '"'; s++) {
        if (*s != '\\')
            text[n++] = *s;
        else if (s[1] >= '0' && s[1] <= '7' && s[2] && s[3]) {
            text[n++] = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
            s += 3;
        } else if (s[1])
            text[n++] = *++s;
    }
    *CT_PUSH_SCRATCH(t->string, t->n_strings, t->room_strings) = text;
    add(t, CT_TOKEN_STRING, t->n_strings - 1);
    return *s ? s + 1 : s;
}

// After blanks, comments and lines of the preprocessor.
static const char *skip(const char *s, bool *starts_line) {
    for (;;) {
        if (*s == '\n')
            *starts_line = true, s++;
        else if (isspace((unsigned char)*s))
            s++;
        else if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s + 2, "*/");
            s = end ? end + 2 : s + strlen(s);
        } else if (*s == '#' && *starts_line)
            s += strcspn(s, "\n");
        else
            return s;
    }
}

static const char *read_sign(ct_tokens *t, const char *s) {
    static const char *const doubled[] = {"<=", ">=", "==", "!=", "++", "->"};
    for (size_t i = 0; i < sizeof doubled / sizeof *doubled; i++)
        if (s[0] == doubled[i][0] && s[1] == doubled[i][1]) {
            add(t, CT_TOKEN_SIGN, CT_SIGN(s[0], s[1]));
            return s + 2;
        }
    add(t, CT_TOKEN_SIGN, CT_SIGN((unsigned char)*s, 0));
    return s + 1;
}

// A number; most of them are short indices.
static double read_number(const char **s) {
    enum { SHORT = 9 }; // digits, exact in an int
    int x = 0, n = 0;
    for (; n < SHORT && isdigit((unsigned char)(*s)[n]); n++) x = 10 * x + ((*s)[n] - '0');
    if (n && !isdigit((unsigned char)(*s)[n]) && !strchr(".eE", (*s)[n] ? (*s)[n] : ' ')) {
        *s += n;
        return x;
    }
    char *end;
    double value = ct_strtod(*s, &end);
    *s = end;
    return value;
}

void ct_tokens_read(ct_tokens *t, const char *s) {
    *t = (ct_tokens){0};
    reading r = {.out = t};
    // words first, so that their numbers are known
#define X(name, text) number_of_name(&r, text, sizeof text - 1);
    CT_WORDS(X)
#undef X
    bool starts_line = true;
    while (*(s = skip(s, &starts_line))) {
        starts_line = false;
        if (isalpha((unsigned char)*s) || *s == '_') {
            size_t n = 1;
            while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
            add(t, CT_TOKEN_NAME, number_of_name(&r, s, n));
            s += n;
        } else if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
            double x = read_number(&s);
            add(t, CT_TOKEN_NUMBER, number_of_number(&r, x));
        } else if (*s == '"')
            s = read_string(t, s + 1);
        else
            s = read_sign(t, s);
    }
    add(t, CT_TOKEN_END, 0);
}

int ct_tokens_find(const ct_tokens *t, const char *name) {
    for (int i = 0; i < t->n_names; i++)
        if (!strcmp(t->name[i], name)) return i;
    return -1;
}
