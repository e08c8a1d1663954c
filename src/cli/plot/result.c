// Reads a result: the whole file at once, the header with its quotes, then only the columns that
// are wanted, field by field. Short numbers are read by exact arithmetic, the others by strtod.
#include "plot/result.h"
#include "output/memory.h"
#include "cli.h"
#include "output/utf8.h"

#include "../../util/system.h"
#include "../../util/text/csv.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// messages ----------------------------------------------------------------------------------------
static void say(const result *r, long line, const char *kind, const char *format, va_list list) {
    fputs(r->shown, stderr);
    if (line) fprintf(stderr, ":%ld", line);
    fprintf(stderr, ": %s: ", kind);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
}

int result_error(const result *r, long line, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(r, line, "error", format, list);
    va_end(list);
    return CT_WRONG_MODEL;
}

void result_warn(const result *r, long line, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(r, line, "warning", format, list);
    va_end(list);
}

// the file ----------------------------------------------------------------------------------------
static void *allocate(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        fputs("cotree: error: not enough memory for this result\n", stderr);
        exit(CT_INTERNAL);
    }
    return p;
}

static const size_t BYTES_MAX = (size_t)4 << 30; // of a result

static long read_block(ct_source *in, char *block, size_t room, const char **why) {
    if (in) return ct_source_read(in, block, room, why);
    size_t n = fread(block, 1, room, stdin);
    if (!n && ferror(stdin)) *why = strerror(errno);
    return !n && ferror(stdin) ? -1 : (long)n;
}

// Everything from a file, or from stdin where `in` is NULL; says why not, or NULL. What holds a zero
// is no text, and need not be read to its end.
static const char *read_all(result *r, ct_source *in) {
    const char *why = NULL;
    size_t room = 1 << 16;
    r->text = allocate(room, 1);
    for (long n; (n = read_block(in, r->text + r->bytes, room - r->bytes - 1, &why)) != 0;) {
        if (n < 0) return why;
        bool is_binary = memchr(r->text + r->bytes, 0, (size_t)n) != NULL;
        r->bytes += (size_t)n;
        if (is_binary) break;
        if (r->bytes > BYTES_MAX) return "it is larger than 4 GB";
        if (r->bytes < room - 1) continue;
        room *= 2;
        char *more = realloc(r->text, room);
        if (!more) return "there is not enough memory for it";
        r->text = more;
    }
    r->text[r->bytes] = 0;
    return NULL;
}

static int load(result *r) {
    ct_source in;
    const char *why = NULL;
    bool is_stdin = strcmp(r->path, "-") == 0;
    if (is_stdin || ct_source_open(&in, r->path, &why)) {
        why = read_all(r, is_stdin ? NULL : &in);
        if (!is_stdin) ct_source_close(&in);
    }
    return why ? result_error(r, 0, "cannot be read: %s", why) : 0;
}

static int check_text(const result *r) {
    if (strspn(r->text, " \t\r\n") == r->bytes) return result_error(r, 0, "is empty");
    if (memchr(r->text, 0, r->bytes)) return result_error(r, 0, "is not a CSV file: it is binary");
    return 0;
}

// fields ------------------------------------------------------------------------------------------
// The field without its quotes; free it.
static char *field_text(const char *s, const char *end) {
    char *text = allocate((size_t)(end - s) + 1, 1);
    ct_csv_unquote(s, end, text);
    return text;
}

static const char *line_end(const char *s) { // after the line break at s
    if (*s == '\r') s++;
    return *s == '\n' ? s + 1 : s;
}

static bool is_number(const char *s) {
    char *end;
    strtod(s, &end);
    return end != s && *end == 0;
}

static int by_name(const void *x, const void *y) {
    char *const *a = *(char *const *const *)x, *const *b = *(char *const *const *)y;
    int order = strcmp(*a, *b);
    return order ? order : (a > b) - (a < b);
}

static void sort_names(result *r) {
    r->sorted = allocate((size_t)r->n_columns, sizeof *r->sorted);
    for (int i = 0; i < r->n_columns; i++) r->sorted[i] = r->names + i;
    qsort(r->sorted, (size_t)r->n_columns, sizeof *r->sorted, by_name);
}

// The first two columns with the same name, in *a and *b; false where there are none.
static bool find_twins(const result *r, int *a, int *b) {
    char ***sorted = r->sorted;
    int first = r->n_columns;
    for (int i = 1; i < r->n_columns; i++) {
        if (strcmp(*sorted[i - 1], *sorted[i]) != 0 || sorted[i] - r->names >= first) continue;
        first = *b = (int)(sorted[i] - r->names);
        *a = (int)(sorted[i - 1] - r->names);
    }
    return first < r->n_columns;
}

static int check_names(const result *r, long line) {
    int numbers = 0, a = 0, b = 0;
    for (int i = 0; i < r->n_columns; i++) numbers += is_number(r->names[i]);
    if (find_twins(r, &a, &b))
        return result_error(r, line, "columns %d and %d are both called '%s'", a + 1, b + 1,
                            r->labels[b]);
    if (numbers == r->n_columns)
        return result_error(r, line, "the first line must name the columns; this one has numbers");
    if (r->n_columns > 1) return 0;
    size_t n = strlen(r->path);
    bool model =
        (n > 5 && !strcmp(r->path + n - 5, ".yaml")) || (n > 4 && !strcmp(r->path + n - 4, ".yml"));
    if (model)
        return result_error(r, 0,
                            "is a model, not a result: run `cotree simulate FILE -o FILE.csv`"
                            " first");
    return result_error(r, line,
                        "is not a CSV file with several columns: the first line has one "
                        "field only");
}

static int read_header(result *r) {
    const char *s = r->text;
    // a byte order mark is skipped
    if (strncmp(s, "\xEF\xBB\xBF", 3) == 0) s += 3;
    long line = 1;
    int room = 0;
    // fields of the first line: names, and labels as the terminal shows them
    for (;;) {
        const char *end = ct_csv_field_end(s, &line);
        if (!end) return result_error(r, 1, "column %d: the quotes do not match", r->n_columns + 1);
        if (r->n_columns == room) {
            room = room ? 2 * room : 16;
            r->names = realloc(r->names, (size_t)room * sizeof *r->names);
            r->labels = realloc(r->labels, (size_t)room * sizeof *r->labels);
            if (!r->names || !r->labels) no_memory();
        }
        char *name = field_text(s, end);
        r->names[r->n_columns] = name;
        r->labels[r->n_columns++] = utf8_shown(name, r->ascii);
        s = end;
        if (*s != ',') break;
        s++;
    }
    // rows begin behind it; names are looked up by halving
    r->body = (size_t)(line_end(s) - r->text);
    r->first_line = line + 1;
    sort_names(r);
    return check_names(r, 1);
}

static void start(result *r, const char *path, bool ascii) {
    *r = (result){.path = path, .ascii = ascii};
    r->shown = strcmp(path, "-") ? utf8_shown(path, ascii) : strdup("stdin");
    if (!r->shown) no_memory();
}

static int read_names(result *r) {
    int code = check_text(r);
    if (!code) code = read_header(r);
    if (!code) r->values = allocate((size_t)r->n_columns, sizeof *r->values);
    return code;
}

int result_open(result *r, const char *path, bool ascii) {
    start(r, path, ascii);
    int code = load(r);
    return code ? code : read_names(r);
}

int result_open_text(result *r, const char *path, const char *text, size_t bytes) {
    start(r, path, true);
    r->text = allocate(bytes + 1, 1);
    r->bytes = bytes;
    memcpy(r->text, text, bytes);
    return read_names(r);
}

int result_find(const result *r, const char *name) {
    int low = 0, high = r->n_columns; // the first that is not before the name is in low .. high
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(*r->sorted[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < r->n_columns && strcmp(*r->sorted[low], name) == 0;
    return found ? (int)(r->sorted[low] - r->names) : -1;
}

void result_clear(result *r) {
    for (int i = 0; i < r->n_columns; i++) {
        free(r->names[i]);
        free(r->labels[i]);
        if (r->values) free(r->values[i]);
    }
    free(r->names);
    free(r->labels);
    free(r->sorted);
    free(r->values);
    free(r->text);
    free(r->shown);
    *r = (result){0};
}

// numbers -----------------------------------------------------------------------------------------
// d digits and a power of ten up to 10^22 are exact in a double below 2^53, so that one division is
// rounded once: the nearest double. Returns false if the number is too long for that.
static bool read_short(const char *s, const char *end, double *value) {
    static const double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    bool minus = *s == '-', point = false;
    long long digits = 0;
    int n = 0, after = 0;
    if (minus) s++;
    if (end - s > 16 || s == end) return false;
    for (; s < end; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (*s < '0' || *s > '9' || ++n > 15) return false;
        digits = 10 * digits + (*s - '0');
        after += point;
    }
    if (!n) return false;
    *value = (double)digits / power[after];
    if (minus) *value = -*value;
    return true;
}

static bool read_number(const char *s, const char *end, double *value) {
    while (s < end && (*s == ' ' || *s == '\t')) s++;
    while (end > s && (end[-1] == ' ' || end[-1] == '\t')) end--;
    if (read_short(s, end, value)) return true;
    char *stop;
    if (s == end) return false; // strtod would go on to the next line
    *value = strtod(s, &stop);
    return stop == end;
}

static int bad_number(const result *r, long line, int column, const char *s, const char *end) {
    enum { SHOWN = 40 };
    char *raw = field_text(s, end);
    if (strlen(raw) > SHOWN) raw[SHOWN] = 0;
    char *text = utf8_shown(raw, r->ascii);
    int code = *text ? result_error(r, line, "column '%s' has '%s', which is not a number",
                                    r->labels[column], text)
                     : result_error(r, line, "column '%s' is empty", r->labels[column]);
    free(raw);
    free(text);
    return code;
}

static int read_row(result *r, const char **at, long line) {
    const char *s = *at;
    long breaks = 0;
    int column = 0;
    for (;; column++, s++) {
        const char *end = ct_csv_field_end(s, &breaks);
        if (!end || breaks) return result_error(r, line, "the quotes do not match");
        if (column < r->n_columns && r->values[column]) {
            bool quoted = *s == '"';
            if (!read_number(s + quoted, end - quoted, r->values[column] + r->rows))
                return bad_number(r, line, column, s, end);
        }
        s = end;
        if (*s != ',') break;
    }
    if (column + 1 != r->n_columns)
        return result_error(r, line, "%d field%s, but the first line names %d columns", column + 1,
                            column ? "s" : "", r->n_columns);
    *at = line_end(s);
    return 0;
}

static long count_lines(const char *s) {
    long n = 1;
    for (; (s = strchr(s, '\n')); s++) n++;
    return n;
}

int result_read(result *r, const bool *wanted) {
    const char *s = r->text + r->body;
    size_t most = (size_t)count_lines(s);
    for (int i = 0; i < r->n_columns; i++)
        if (wanted[i]) r->values[i] = allocate(most, sizeof(double));
    char *last = r->text + r->bytes; // blank lines at the end are nothing
    while (last > s && strchr(" \t\r\n", last[-1])) last--;
    int code = 0;
    for (; s < last && !code; r->rows++) code = read_row(r, &s, r->first_line + r->rows);
    free(r->text);
    r->text = NULL;
    if (!code && r->rows == 0) code = result_error(r, 0, "has names but no rows: an empty result");
    return code;
}

void result_crop(result *r, int x, double from, double to) {
    const double *t = r->values[x];
    long n = 0;
    bool open = false; // rows were left out since the last that stays
    if (isnan(from) && isnan(to)) return;
    for (long k = 0; k < r->rows; k++) {
        bool inside = !(t[k] < from) && !(t[k] > to);
        if (!inside && (n == 0 || open)) continue;
        open = !inside;
        for (int i = 0; i < r->n_columns; i++)
            if (r->values[i]) r->values[i][n] = inside ? r->values[i][k] : NAN;
        n++;
    }
    r->rows = n - (open && n > 0);
}
