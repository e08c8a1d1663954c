// Basic functions that every folder uses: status codes, the context that carries messages, memory,
// growing arrays, strings.
#ifndef CT_UTIL_H
#define CT_UTIL_H

#include "cotree.h"
#include "util/memory.h"
#include "util/system.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A place in a model file; line and column count from 1, 0 means "no place".
typedef struct ct_place {
    int line, column;
} ct_place;

#if defined(__GNUC__)
#define CT_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CT_PRINTF(f, a)
#endif

// messages -----------------------------------------------------------------------------------
// Adds "FILE:LINE:COL: error: ..." (without the place where it is 0). Nothing is printed: the
// messages wait in the context, in order of place, until the caller asks for them.
void ct_error_at(ct_context *ctx, ct_place place, const char *format, ...) CT_PRINTF(3, 4);
void ct_warning_at(ct_context *ctx, ct_place place, const char *format, ...) CT_PRINTF(3, 4);
void ct_note_at(ct_context *ctx, ct_place place, const char *format, ...) CT_PRINTF(3, 4);
// Notes a failure and returns its status, so that `return ct_fail(...)` reads well.
ct_status ct_fail(ct_context *ctx, ct_status status, const char *format, ...) CT_PRINTF(3, 4);
void ct_context_set_file(ct_context *ctx, const char *path);
int ct_context_error_count(const ct_context *ctx);
bool ct_context_folds(const ct_context *ctx);    // ct_set_fold
double ct_context_budget(const ct_context *ctx); // ct_set_budget
// What has been said so far, and back to it: later messages of a run, which have no place, go.
typedef struct ct_messages {
    int n, errors;
} ct_messages;
ct_messages ct_messages_so_far(const ct_context *ctx);
void ct_messages_back(ct_context *ctx, const ct_messages *before);
// Notes a failure without memory; the text is cut at 127 bytes.
void ct_context_note(ct_context *ctx, const char *format, ...) CT_PRINTF(2, 3);

// A context whose messages are not shown, for a while inside a call: nobody frees it. Progress is
// reported as in the other one (NULL: not).
ct_context *ct_context_quiet(const ct_context *other);
// The same for messages that will be moved to the other one, all at once.
ct_context *ct_context_aside(const ct_context *other);
void ct_messages_move(ct_context *ctx, ct_context *aside);
// The file that messages name; a message's place; a whole line, said before, inserted by its place.
const char *ct_context_file(const ct_context *ctx);
ct_place ct_message_place(const ct_context *ctx, int i);
void ct_message_again(ct_context *ctx, ct_place place, const char *line);
// Tells the caller what is going on. `stage` is a literal; the same one again counts only after a
// twentieth of a second. share < 0: not known.
void ct_report(ct_context *ctx, const char *stage, double share, bool stops);

// strings and arrays ---------------------------------------------------------------------------
char *ct_strdup(const char *s);
char *ct_strndup(const char *s, size_t n);
char *ct_format(const char *format, ...) CT_PRINTF(1, 2); // freshly allocated
char *ct_scratch_format(const char *format, ...) CT_PRINTF(1, 2);
char *ct_arena_format(ct_arena *arena, const char *format, ...) CT_PRINTF(2, 3);

// As in <stdio.h> and <stdlib.h>, with a decimal point in every locale.
int ct_vsnprintf(char *text, size_t room, const char *format, va_list args) CT_PRINTF(3, 0);
int ct_snprintf(char *text, size_t room, const char *format, ...) CT_PRINTF(3, 4);
double ct_strtod(const char *text, char **after);
// A decimal integer behind blanks, bounded by what int holds. `after` is the text itself where there
// is none. Takes the time of its digits (sscanf measures the whole text first).
int ct_strtoi(const char *text, const char **after);

// Appends room for one element to a growing array: CT_PUSH(list->item, list->n, list->room). An
// array of an object that outlives a failed call gets its room first, beside the object.
#define CT_LONGER(room) ((room) ? 2 * (room) : 8)
#define CT_PUSH(item, n, room)                                                                     \
    ((n) == (room) ? ((item) = ct_realloc((item), (size_t)CT_LONGER(room), sizeof *(item)),        \
                      (room) = CT_LONGER(room))                                                    \
                   : (room),                                                                       \
     &(item)[(n)++])
// The same in an arena, or in the scratch.
#define CT_PUSH_BY(longer, item, n, room)                                                          \
    ((n) == (room) ? ((item) = (longer), (room) = CT_LONGER(room)) : (room), &(item)[(n)++])
#define CT_PUSH_ARENA(arena, item, n, room)                                                        \
    CT_PUSH_BY(                                                                                    \
        ct_arena_longer((arena), (item), (size_t)(n), (size_t)CT_LONGER(room), sizeof *(item)),    \
        item, n, room)
#define CT_PUSH_SCRATCH(item, n, room)                                                             \
    CT_PUSH_BY(ct_scratch_longer((item), (size_t)(n), (size_t)CT_LONGER(room), sizeof *(item)),    \
               item, n, room)
#define CT_ROOM_BESIDE(block, item, n, room)                                                       \
    ((n) == (room) ? (void)((item) = ct_realloc_beside((block), (item), (size_t)CT_LONGER(room),   \
                                                       sizeof *(item)),                            \
                            (room) = CT_LONGER(room))                                              \
                   : (void)0)

// A string that grows.
typedef struct ct_text {
    char *s;
    size_t n, room;
} ct_text;
void ct_text_add(ct_text *t, const char *s);
void ct_text_addn(ct_text *t, const char *s, size_t n);
void ct_text_printf(ct_text *t, const char *format, ...) CT_PRINTF(2, 3);
char *ct_text_take(ct_text *t); // the string, owned by the caller; t is empty again
void ct_text_clear(ct_text *t);

// Strings that live as long as their list.
typedef struct ct_strings {
    char **item;
    int n, room;
} ct_strings;
char *ct_strings_add(ct_strings *s, char *owned);
void ct_strings_clear(ct_strings *s);

// Distance in single edits (insert, delete, replace, swap) between two names, and the nearest of a
// list (NULL when none is near): for "did you mean".
int ct_edit_distance(const char *a, const char *b);
const char *ct_nearest(const char *name, const char *const *names, int count);

// 64-bit FNV-1a; seed with 0 for the standard start.
uint64_t ct_hash(const void *data, size_t bytes, uint64_t seed);

// Digest of a content, for keys and for comparison; starts as {0}. Data of different lengths, one
// after the other, are told apart.
typedef struct ct_digest {
    uint64_t lane[2];
} ct_digest;
void ct_digest_add(ct_digest *d, const void *data, size_t bytes);
void ct_digest_add_text(ct_digest *d, const char *text); // NULL: as ""
void ct_digest_add_number(ct_digest *d, uint64_t x);

// A pattern for mkstemp and mkdtemp, in $TMPDIR or where temporary files go here.
char *ct_temporary(const char *what);

#endif
