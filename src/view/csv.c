// Reads a result file (CSV as in RFC 4180, a name on one line): a header of names, then rows of
// finite numbers. The first one is time, which never goes back.
#include "view/view.h"

#include "util/text/csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    FILE *file;
    char *line;
    size_t room;
    ct_place place;
} reader;

// The next line without its end; false at the end of the file.
static bool next_line(reader *r) {
    ssize_t n = getline(&r->line, &r->room, r->file);
    if (n < 0) return false;
    while (n && (r->line[n - 1] == '\n' || r->line[n - 1] == '\r')) r->line[--n] = '\0';
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
    if (!next_line(r)) return ct_fail(ctx, CT_WRONG_MODEL, "this result is empty");
    if (!strncmp(r->line, "\xEF\xBB\xBF", 3))
        memmove(r->line, r->line + 3, strlen(r->line + 3) + 1);
    for (char *s = r->line; s;) {
        ct_place place = {1, (int)(s - r->line) + 1};
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
    char *s = r->line, *end;
    // as many finite numbers as the header has names
    for (int i = 0; i < n; i++) {
        ct_place place = {r->place.line, (int)((s ? s : r->line + strlen(r->line)) - r->line) + 1};
        char *field = s ? next_field(&s) : NULL;
        values[i] = field ? strtod(field, &end) : 0;
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
        ct_error_at(ctx, (ct_place){r->place.line, (int)(s - r->line) + 1},
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
    double *values = ct_alloc((size_t)n + 1, sizeof *values), before = -INFINITY;
    ct_status status = CT_OK;
    long rows = 0;
    while (!status && next_line(r)) {
        if (!*r->line) continue;
        status = read_row(ctx, r, n, values, &before);
        if (!status) ct_view_row(v, n, values);
        rows++;
    }
    ct_free(values);
    if (!status && ferror(r->file))
        status = ct_fail(ctx, CT_WRONG_MODEL, "cannot read this file: %s", strerror(errno));
    if (!status && !rows) status = ct_fail(ctx, CT_WRONG_MODEL, "this result has no rows");
    return status;
}

static void reader_close(void *data) {
    reader *r = data;
    free(r->line); // getline's
    fclose(r->file);
}

static CT_BELOW ct_status read_csv(ct_context *ctx, const ct_model *model, const char *path,
                                   ct_view **view) {
    char **names = NULL;
    int n = 0;
    ct_context_set_file(ctx, path);
    reader r = {.file = fopen(path, "rb")};
    ct_cleanup undo;
    if (!r.file) return ct_fail(ctx, CT_WRONG_MODEL, "cannot open this file: %s", strerror(errno));
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
