// The context: messages in order of their place in the file, kept until the caller asks for them;
// reports of progress.
#include "util/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct message {
    ct_place place;
    char *line;
} message;

enum { NOTE_ROOM = 128 }; // bytes of a message for which memory is not asked

struct ct_context {
    ct_memory memory;
    char *file;
    message *messages;
    int n, room, errors;
    char note[NOTE_ROOM]; // the last message, which needs no memory; "": none
    void (*progress)(void *data, const ct_progress *progress);
    void *progress_data;
    const char *stage; // reported last, and when
    double reported;
    bool fold;
    double budget; // seconds, about; 0: the default
};

enum { MESSAGES_MAX = 200 }; // a file of noise should not print a novel

static CT_BELOW ct_status make(ct_context **ctx) {
    *ctx = ct_alloc(1, sizeof **ctx);
    return CT_OK;
}

static ct_status context_new(ct_context **ctx) {
    CT_CALL_MAKES(NULL, ctx, make(ctx));
}

ct_context *ct_context_new(void) {
    ct_context *ctx;
    context_new(&ctx);
    return ctx;
}

void ct_messages_clear(ct_context *ctx) {
    for (int i = 0; i < ctx->n; i++) ct_free(ctx->messages[i].line);
    ctx->n = ctx->errors = 0;
    ctx->note[0] = 0;
}

ct_messages ct_messages_so_far(const ct_context *ctx) {
    return (ct_messages){ctx->n, ctx->errors};
}

void ct_messages_back(ct_context *ctx, const ct_messages *before) {
    for (int i = before->n; i < ctx->n; i++) ct_free(ctx->messages[i].line);
    if (ctx->n > before->n) ctx->n = before->n;
    ctx->errors = before->errors;
    ctx->note[0] = 0;
}

// A quiet one, made inside of a call, has no region of its own.
void ct_context_free(ct_context *ctx) {
    if (!ctx) return;
    if (ctx->memory.region.list.next) {
        ct_region_free(&ctx->memory.region);
        return;
    }
    ct_messages_clear(ctx);
    ct_free(ctx->messages);
    ct_free(ctx->file);
    ct_free(ctx);
}

void ct_set_fold(ct_context *ctx, bool fold) {
    ctx->fold = fold;
}

void ct_set_budget(ct_context *ctx, double seconds) {
    ctx->budget = seconds;
}

double ct_context_budget(const ct_context *ctx) {
    return ctx->budget > 0 ? ctx->budget : 1;
}

bool ct_context_folds(const ct_context *ctx) {
    return ctx->fold;
}

void ct_set_progress(ct_context *ctx, void (*function)(void *data, const ct_progress *progress),
                     void *data) {
    ctx->progress = function;
    ctx->progress_data = data;
    ctx->stage = NULL;
}

ct_context *ct_context_quiet(const ct_context *other) {
    ct_context *ctx = ct_alloc(1, sizeof *ctx);
    if (other) {
        ctx->progress = other->progress;
        ctx->progress_data = other->progress_data;
        ctx->budget = other->budget;
    }
    return ctx;
}

ct_context *ct_context_aside(const ct_context *other) {
    ct_context *ctx = ct_context_quiet(other);
    ct_context_set_file(ctx, other->file);
    return ctx;
}

const char *ct_context_file(const ct_context *ctx) {
    return ctx->file ? ctx->file : "";
}

void ct_report(ct_context *ctx, const char *stage, double share, bool stops) {
    if (!ctx->progress) return;
    double now = ct_seconds();
    if (stage == ctx->stage && now - ctx->reported < 0.05) return;
    ctx->stage = stage;
    ctx->reported = now;
    ct_progress p = {stage, share, stops};
    ct_scope *scope = ct_scope_suspend(false);
    ctx->progress(ctx->progress_data, &p);
    ct_scope_resume(scope, false);
}

void ct_context_set_file(ct_context *ctx, const char *path) {
    char *file = path ? ct_strdup_beside(ctx, path) : NULL;
    ct_free(ctx->file);
    ctx->file = file;
}

void ct_context_note(ct_context *ctx, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->note, sizeof ctx->note, format, args);
    va_end(args);
    ctx->errors++;
}

int ct_context_error_count(const ct_context *ctx) {
    return ctx->errors;
}

int ct_message_count(const ct_context *ctx) {
    return ctx->n + (ctx->note[0] != 0);
}

const char *ct_message(const ct_context *ctx, int i) {
    if (i == ctx->n && ctx->note[0]) return ctx->note;
    return i >= 0 && i < ctx->n ? ctx->messages[i].line : "";
}

static bool before(ct_place a, ct_place b) {
    if (!a.line || !b.line) return false; // messages without a place stay where they were said
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

ct_place ct_message_place(const ct_context *ctx, int i) {
    return i >= 0 && i < ctx->n ? ctx->messages[i].place : (ct_place){0, 0};
}

void ct_message_again(ct_context *ctx, ct_place place, const char *line) {
    // insert in order of place
    int at = ctx->n;
    while (at > 0 && before(place, ctx->messages[at - 1].place)) at--;
    CT_ROOM_BESIDE(ctx, ctx->messages, ctx->n, ctx->room);
    char *kept = ct_strdup_beside(ctx, line);
    ctx->n++;
    memmove(ctx->messages + at + 1, ctx->messages + at,
            (size_t)(ctx->n - 1 - at) * sizeof(message));
    ctx->messages[at] = (message){place, kept};
}

void ct_messages_move(ct_context *ctx, ct_context *aside) {
    for (int i = 0; i < aside->n; i++)
        ct_message_again(ctx, aside->messages[i].place, aside->messages[i].line);
    ctx->errors += aside->errors;
    if (aside->note[0]) memcpy(ctx->note, aside->note, sizeof ctx->note);
    ct_messages_clear(aside);
}

// Formats a message and inserts it in order of its place; the 201st says that there are more.
static void add(ct_context *ctx, ct_place place, const char *severity, const char *format,
                va_list args) {
    // the text
    char *what = NULL;
    va_list again;
    va_copy(again, args);
    int length = ct_vsnprintf(NULL, 0, format, again);
    va_end(again);
    what = ct_alloc((size_t)length + 1, 1);
    ct_vsnprintf(what, (size_t)length + 1, format, args);

    // the line: file, place, severity; the message behind the last one closes the list
    char *line;
    const char *file = ctx->file ? ctx->file : "";
    if (ctx->n >= MESSAGES_MAX) place = (ct_place){0, 0}; // the last word comes last
    if (ctx->n == MESSAGES_MAX)
        line = ct_format("%s%serror: too many mistakes; the rest is not shown", file,
                         *file ? ": " : "");
    else if (place.line && *file)
        line = ct_format("%s:%d:%d: %s: %s", file, place.line, place.column, severity, what);
    else
        line = ct_format("%s%s%s: %s", file, *file ? ": " : "", severity, what);
    ct_free(what);
    if (ctx->n > MESSAGES_MAX) {
        ct_free(line);
        return;
    }

    // among the others
    ct_message_again(ctx, place, line);
    ct_free(line);
}

void ct_error_at(ct_context *ctx, ct_place place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(ctx, place, "error", format, args);
    va_end(args);
    ctx->errors++;
}

void ct_warning_at(ct_context *ctx, ct_place place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(ctx, place, "warning", format, args);
    va_end(args);
}

void ct_note_at(ct_context *ctx, ct_place place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(ctx, place, "note", format, args);
    va_end(args);
}

ct_status ct_fail(ct_context *ctx, ct_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(ctx, (ct_place){0, 0}, "error", format, args);
    va_end(args);
    ctx->errors++;
    return status;
}
