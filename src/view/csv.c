// Reads a result file (CSV as in RFC 4180, a name on one line): a header of names, then rows of
// finite numbers. The first one is time, which never goes back.
#include "view/view.h"

#include "util/text/csv.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    ct_source in;
    char block[65536]; // what was read and not yet taken: from `at` to `end`
    long at, end;
    ct_text line;
    const char *why; // why reading failed, NULL where it did not
    ct_place place;
} reader;

enum { LINE_MAX_BYTES = 16 << 20 };

// The next line without its end; false at the end of the file, or where `why` is set.
static bool next_line(reader *r) {
    bool whole = false, some = false;
    r->line.n = 0;
    while (!whole) {
        // another block
        if (r->at == r->end) {
            r->at = 0;
            r->end = ct_source_read(&r->in, r->block, sizeof r->block, &r->why);
            if (r->end <= 0) break;
        }
        // up to the end of the line or of the block
        const char *from = r->block + r->at, *end = memchr(from, '\n', (size_t)(r->end - r->at));
        size_t n = end ? (size_t)(end - from) : (size_t)(r->end - r->at);
        ct_text_addn(&r->line, from, n);
        r->at += (long)n + (end != NULL);
        whole = end != NULL;
        some = true;
        if (r->line.n > LINE_MAX_BYTES) {
            r->why = "a line is longer than 16 MB";
            return false;
        }
    }
    if (!some || r->why) return false;
    char *s = r->line.s;
    for (size_t n = r->line.n; n && s[n - 1] == '\r';) s[--n] = '\0';
    r->place.line++;
    return true;
}

// The field at *s, unquoted in place; *s moves behind it, and is NULL after the last. Returns NULL
// if a quote is open.
static char *next_field(char **s) {
    char *field = *s;
    long breaks = 0;
    const char *end = ct_csv_field_end(field, &breaks);
    if (!end) return NULL;
    *s = *end ? field + (end - field) + 1 : NULL;
    ct_csv_unquote(field, end, field);
    return field;
}

static ct_status read_header(ct_context *ctx, reader *r, char ***names, int *n) {
    int room = 0;
    if (!next_line(r))
        return r->why ? ct_fail(ctx, CT_WRONG_MODEL, "cannot read this file: %s", r->why)
                      : ct_fail(ctx, CT_WRONG_MODEL, "this result is empty");
    if (!strncmp(r->line.s, "\xEF\xBB\xBF", 3))
        memmove(r->line.s, r->line.s + 3, strlen(r->line.s + 3) + 1);
    for (char *s = r->line.s; s;) {
        ct_place place = {1, (int)(s - r->line.s) + 1};
        char *field = next_field(&s);
        if (!field) {
            ct_error_at(ctx, place, "a quoted name does not end as it should");
            return CT_WRONG_MODEL;
        }
        *CT_PUSH(*names, *n, room) = ct_strdup(field);
    }
    return CT_OK;
}

static ct_status read_row(ct_context *ctx, reader *r, int n, double *values, double *before) {
    char *s = r->line.s, *end;
    // as many finite numbers as the header has names
    for (int i = 0; i < n; i++) {
        ct_place place = {r->place.line,
                          (int)((s ? s : r->line.s + strlen(r->line.s)) - r->line.s) + 1};
        char *field = s ? next_field(&s) : NULL;
        values[i] = field ? ct_strtod(field, &end) : 0;
        if (!field || end == field || *end || !isfinite(values[i])) {
            if (!field)
                ct_error_at(ctx, place, "this row has %d values, the header names %d", i, n);
            else
                ct_error_at(ctx, place, "'%.40s' is no finite number", field);
            return CT_WRONG_MODEL;
        }
    }
    // no more than that, and time does not go back
    if (s)
        ct_error_at(ctx, (ct_place){r->place.line, (int)(s - r->line.s) + 1},
                    "this row has more values than the header names (%d)", n);
    else if (n && !(values[0] >= *before))
        ct_error_at(ctx, (ct_place){r->place.line, 1}, "time goes back, from %g to %g", *before,
                    values[0]);
    else {
        *before = values[0];
        return CT_OK;
    }
    return CT_WRONG_MODEL;
}

static ct_status read_rows(ct_context *ctx, reader *r, ct_view *v, int n) {
    double *values = ct_scratch((size_t)n + 1, sizeof *values), before = -INFINITY;
    ct_status status = CT_OK;
    long rows = 0;
    while (!status && next_line(r)) {
        if (!*r->line.s) continue;
        status = read_row(ctx, r, n, values, &before);
        if (!status) ct_view_row(v, n, values);
        rows++;
    }
    if (!status && r->why)
        status = ct_fail(ctx, CT_WRONG_MODEL, "cannot read this file: %s", r->why);
    if (!status && !rows) status = ct_fail(ctx, CT_WRONG_MODEL, "this result has no rows");
    return status;
}

static void reader_close(void *data) {
    reader *r = data;
    ct_text_clear(&r->line);
    ct_source_close(&r->in);
}

static CT_BELOW ct_status read_csv(ct_context *ctx, const ct_model *model, const char *path,
                                   ct_view **view) {
    char **names = NULL;
    int n = 0;
    reader r = {0};
    ct_context_set_file(ctx, path);
    if (!ct_source_open(&r.in, path, &r.why))
        return ct_fail(ctx, CT_WRONG_MODEL, "cannot open this file: %s", r.why);
    ct_cleanup undo;
    ct_cleanup_push(&undo, reader_close, &r);
    ct_status status = read_header(ctx, &r, &names, &n);
    if (!status)
        status = ct_view_new(ctx, model, CT_VIEW_MOTION, n, (const char *const *)names, view);
    if (!status) status = read_rows(ctx, &r, *view, n);
    if (status) {
        ct_view_free(*view);
        *view = NULL;
    }
    for (int i = 0; i < n; i++) ct_free(names[i]);
    ct_free(names);
    ct_cleanup_pop(&undo);
    reader_close(&r);
    ct_context_set_file(ctx, model->path);
    return status;
}

ct_status ct_view_read_csv(ct_context *ctx, const ct_model *model, const char *path,
                           ct_view **view) {
    CT_CALL_MAKES(ctx, view, read_csv(ctx, model, path, view));
}
