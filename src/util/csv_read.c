// Reads a table of numbers: line after line, field after field, with the place of each mistake. Lines
// and pipes without an end are refused.
#include "util/csv_read.h"

#include "util/text/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    ct_source in;
    char block[65536]; // what was read and not yet taken: from `at` to `end`
    long at, end;
    ct_text line;
    const char *why; // why reading failed, NULL where it did not
    ct_place place;
    // the header, and a row
    int n, room;
    char **names;
    ct_place *places;
    bool *wanted;
    double *values;
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

static ct_status cannot_read(ct_context *ctx, const reader *r) {
    return ct_fail(ctx, CT_WRONG_MODEL, "cannot read this file: %s", r->why);
}

static ct_status read_header(ct_context *ctx, reader *r, const ct_csv_taker *taker) {
    int room_places = 0, n_places = 0;
    if (!next_line(r))
        return r->why ? cannot_read(ctx, r)
                      : ct_fail(ctx, CT_WRONG_MODEL, "this %s is empty", taker->what);
    // without a byte order mark
    if (!strncmp(r->line.s, "\xEF\xBB\xBF", 3))
        memmove(r->line.s, r->line.s + 3, strlen(r->line.s + 3) + 1);
    // names and their places
    for (char *s = r->line.s; s;) {
        ct_place place = {1, (int)(s - r->line.s) + 1};
        char *field = next_field(&s);
        if (!field) {
            ct_error_at(ctx, place, "a quoted name does not end as it should");
            return CT_WRONG_MODEL;
        }
        *CT_PUSH(r->names, r->n, r->room) = ct_strdup(field);
        *CT_PUSH(r->places, n_places, room_places) = place;
    }
    // which of them are numbers
    r->wanted = ct_alloc((size_t)r->n + 1, sizeof *r->wanted);
    r->values = ct_alloc((size_t)r->n + 1, sizeof *r->values);
    for (int i = 0; i < r->n; i++) r->wanted[i] = true;
    return taker->names(taker->data, r->n, r->names, r->places, r->wanted);
}

// As many fields as the header has names, finite numbers in wanted columns.
static ct_status read_row(ct_context *ctx, reader *r) {
    char *s = r->line.s, *end;
    for (int i = 0; i < r->n; i++) {
        r->places[i] = (ct_place){r->place.line,
                                  (int)((s ? s : r->line.s + strlen(r->line.s)) - r->line.s) + 1};
        char *field = s ? next_field(&s) : NULL;
        r->values[i] = field && r->wanted[i] ? ct_strtod(field, &end) : 0;
        bool number = !r->wanted[i] || (field && end != field && !*end && isfinite(r->values[i]));
        if (field && number) continue;
        if (!field)
            ct_error_at(ctx, r->places[i], "this row has %d values, the header names %d", i, r->n);
        else
            ct_error_at(ctx, r->places[i], "'%.40s' is no finite number", field);
        return CT_WRONG_MODEL;
    }
    if (!s) return CT_OK;
    ct_error_at(ctx, (ct_place){r->place.line, (int)(s - r->line.s) + 1},
                "this row has more values than the header names (%d)", r->n);
    return CT_WRONG_MODEL;
}

static ct_status read_rows(ct_context *ctx, reader *r, const ct_csv_taker *taker) {
    ct_status status = CT_OK;
    long rows = 0;
    for (; !status && next_line(r); rows += *r->line.s != 0) {
        if (!*r->line.s) continue;
        status = read_row(ctx, r);
        if (!status) status = taker->row(taker->data, r->values, r->places);
    }
    if (!status && r->why) status = cannot_read(ctx, r);
    if (!status && !rows) status = ct_fail(ctx, CT_WRONG_MODEL, "this %s has no rows", taker->what);
    return status;
}

static void reader_close(void *data) {
    reader *r = data;
    for (int i = 0; i < r->n; i++) ct_free(r->names[i]);
    ct_free(r->names);
    ct_free(r->places);
    ct_free(r->wanted);
    ct_free(r->values);
    ct_text_clear(&r->line);
    ct_source_close(&r->in);
}

ct_status ct_csv_read(ct_context *ctx, const char *path, const ct_csv_taker *taker) {
    reader r = {0};
    ct_context_set_file(ctx, path);
    if (!ct_source_open(&r.in, path, &r.why))
        return ct_fail(ctx, CT_WRONG_MODEL, "cannot open this file: %s", r.why);
    ct_cleanup undo;
    ct_cleanup_push(&undo, reader_close, &r);
    ct_status status = read_header(ctx, &r, taker);
    if (!status) status = read_rows(ctx, &r, taker);
    ct_cleanup_pop(&undo);
    reader_close(&r);
    return status;
}
