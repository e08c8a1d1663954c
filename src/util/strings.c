// Copies of strings, strings that grow, strings that live as long as their list.
#include "util/memory_inside.h"
#include "util/util.h"

#include <stdio.h>
#include <string.h>

char *ct_strndup(const char *s, size_t n) {
    char *copy = ct_alloc(n + 1, 1);
    memcpy(copy, s, n);
    return copy;
}

char *ct_strdup(const char *s) {
    return ct_strndup(s, strlen(s));
}

// Bytes of the text, its end included.
static size_t length(const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = ct_vsnprintf(NULL, 0, format, again);
    va_end(again);
    return (size_t)n + 1;
}

char *ct_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t n = length(format, args);
    char *s = ct_alloc(n, 1);
    ct_vsnprintf(s, n, format, args);
    va_end(args);
    return s;
}

static char *arena_vformat(ct_arena *arena, const char *format, va_list args) {
    size_t n = length(format, args);
    char *s = ct_arena_alloc(arena, n, 1);
    ct_vsnprintf(s, n, format, args);
    return s;
}

char *ct_arena_format(ct_arena *arena, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *s = arena_vformat(arena, format, args);
    va_end(args);
    return s;
}

char *ct_scratch_format(const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *s = arena_vformat(ct_scratch_arena(), format, args);
    va_end(args);
    return s;
}

static void text_room(ct_text *t, size_t n) {
    if (t->n + n + 1 <= t->room) return;
    t->room = 2 * (t->n + n + 1);
    t->s = ct_realloc(t->s, t->room, 1);
}

void ct_text_addn(ct_text *t, const char *s, size_t n) {
    text_room(t, n);
    if (n) memcpy(t->s + t->n, s, n); // s may be NULL where nothing is added
    t->n += n;
    t->s[t->n] = '\0';
}

void ct_text_add(ct_text *t, const char *s) {
    ct_text_addn(t, s, strlen(s));
}

void ct_text_printf(ct_text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t n = length(format, args) - 1;
    text_room(t, n);
    ct_vsnprintf(t->s + t->n, n + 1, format, args);
    t->n += n;
    va_end(args);
}

char *ct_text_take(ct_text *t) {
    char *s = t->s ? t->s : ct_strdup("");
    *t = (ct_text){0};
    return s;
}

void ct_text_clear(ct_text *t) {
    ct_free(t->s);
    *t = (ct_text){0};
}

uint64_t ct_hash(const void *data, size_t bytes, uint64_t seed) {
    const unsigned char *p = data;
    uint64_t h = seed ? seed : UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

char *ct_temporary(const char *what) {
    const char *folder = ct_temporary_folder();
    bool slash = folder[strlen(folder) - 1] == '/';
    return ct_format("%s%scotree.%s.XXXXXX", folder, slash ? "" : "/", what);
}

// lists ---------------------------------------------------------------------------------------
char *ct_strings_add(ct_strings *s, char *owned) {
    return *CT_PUSH(s->item, s->n, s->room) = owned;
}

void ct_strings_clear(ct_strings *s) {
    for (int i = 0; i < s->n; i++) ct_free(s->item[i]);
    ct_free(s->item);
    *s = (ct_strings){0};
}
