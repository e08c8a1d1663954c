// Names of the model as C identifiers, strings and comments: a name may hold anything.
#include "emit/emit.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_among(const char *name, const char *const *list) {
    for (; *list; list++)
        if (!strcasecmp(name, *list)) return true;
    return false;
}

// Names of the kernel's files, of headers that a program includes, of the Makefile and its targets,
// and of devices where those are files.
static bool is_taken(const char *name) {
    static const char *const taken[] = {
        "assert",  "complex", "ctype",  "errno",  "fenv",     "float",       "inttypes",
        "iso646",  "limits",  "locale", "math",   "setjmp",   "signal",      "stdarg",
        "stdbool", "stddef",  "stdint", "stdio",  "stdlib",   "string",      "tgmath",
        "time",    "wchar",   "wctype", "unistd", "pthread",  "all",         "clean",
        "con",     "prn",     "aux",    "nul",    "makefile", "gnumakefile", NULL};
    return !strncmp(name, "ctk", 3) || is_among(name, taken);
}

char *ct_c_identifier(const char *name) {
    static const char *const keywords[] = {
        "auto",    "break",  "case",     "char",   "const",    "continue", "default",
        "do",      "double", "else",     "enum",   "extern",   "float",    "for",
        "goto",    "if",     "inline",   "int",    "long",     "register", "restrict",
        "return",  "short",  "signed",   "sizeof", "static",   "struct",   "switch",
        "typedef", "union",  "unsigned", "void",   "volatile", "while",    "main"};
    enum { LONGEST = 48 };
    ct_text t = {0};
    bool starts = isalpha((unsigned char)*name) && (unsigned char)*name < 128;
    if (!starts || is_taken(name)) ct_text_add(&t, "model_");
    for (const char *s = name; *s && t.n < LONGEST; s++) {
        bool is_word = isalnum((unsigned char)*s) && (unsigned char)*s < 128;
        if (is_word || (t.n && t.s[t.n - 1] != '_')) ct_text_addn(&t, is_word ? s : "_", 1);
    }
    char *id = ct_text_take(&t);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (!strcmp(id, keywords[i])) return strcat(ct_realloc(id, strlen(id) + 2, 1), "_");
    return id;
}

void ct_c_string(ct_text *out, const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            ct_text_printf(out, "\\%c", c);
        else if (c < 32 || c >= 127 || c == '?')
            ct_text_printf(out, "\\%03o", c);
        else
            ct_text_addn(out, s, 1);
    }
}

void ct_c_comment(ct_text *out, const char *s) {
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        bool ends = (c == '*' && s[1] == '/') || (c == '/' && s[1] == '*') || c == '\\' ||
                    (c == '?' && s[1] == '?');
        ct_text_addn(out, ends || c < 32 || c == 127 ? "_" : s, 1);
    }
}
