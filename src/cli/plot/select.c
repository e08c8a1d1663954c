// Columns by name or pattern: `h1*,tip_?`. By default those that have a rate beside them (`name'`):
// the coordinates.
#include "plot/figures.h"
#include "output/memory.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void selection_clear(selection *s) {
    free(s->column);
    *s = (selection){0};
}

static void add(selection *s, int column) {
    for (int i = 0; i < s->n; i++)
        if (s->column[i] == column) return;
    if (s->n == s->room) {
        s->room = s->room ? 2 * s->room : 8;
        s->column = realloc(s->column, (size_t)s->room * sizeof *s->column);
        if (!s->column) no_memory();
    }
    s->column[s->n++] = column;
}

static bool is_coordinate(const result *r, int column) {
    char rate[256];
    int n = snprintf(rate, sizeof rate, "%s'", r->names[column]);
    size_t length = strlen(r->names[column]);
    bool is_rate = length && r->names[column][length - 1] == '\'';
    return n < (int)sizeof rate && !is_rate && result_find(r, rate) >= 0;
}

// "no column 'h2': did you mean 'h1'?" in the first result
static int unknown(const result *r, const char *name) {
    const char *near = suggest(name, (const char *const *)r->names, r->n_columns);
    int k = near ? result_find(r, near) : -1;
    if (k >= 0) return result_error(r, 0, "no column '%s': did you mean '%s'?", name, r->labels[k]);
    fprintf(stderr, "%s: error: no column '%s'; there are:", r->shown, name);
    for (int i = 0; i < r->n_columns; i++) fprintf(stderr, " %s", r->labels[i]);
    fputc('\n', stderr);
    return CT_WRONG_MODEL;
}

// Adds the columns of this name, else of this pattern. Returns false if no result has one.
static bool add_matching(const char *pattern, int n, const result *results, selection *selections) {
    bool found = false;
    for (int i = 0; i < n; i++) {
        int exact = result_find(results + i, pattern);
        if (exact >= 0) {
            add(selections + i, exact);
            found = true;
            continue;
        }
        for (int k = 0; k < results[i].n_columns; k++) {
            if (k == selections[i].x || fnmatch(pattern, results[i].names[k], 0) != 0) continue;
            add(selections + i, k);
            found = true;
        }
    }
    return found;
}

static int add_patterns(const char *text, int n, const result *results, selection *selections) {
    if (add_matching(text, n, results, selections)) return 0; // a name may have commas
    char *copy = strdup(text), *rest = copy;
    int code = 0;
    if (!copy) no_memory();
    while (rest && !code) {
        char *comma = strchr(rest, ','), *pattern = rest;
        rest = comma ? comma + 1 : NULL;
        if (comma) *comma = 0;
        if (!*pattern)
            code = usage_error("--columns has an empty name: '%s'", text);
        else if (!add_matching(pattern, n, results, selections))
            code = unknown(results, pattern);
    }
    free(copy);
    return code;
}

static int add_default(const result *r, selection *s, int most) {
    bool some = false;
    int left_out = 0;
    for (int k = 0; k < r->n_columns && most; k++) some = some || is_coordinate(r, k);
    for (int k = 0; k < r->n_columns; k++) {
        if (k == s->x || (some && !is_coordinate(r, k))) continue;
        if (most && s->n >= most)
            left_out++;
        else
            add(s, k);
    }
    return left_out;
}

int select_columns(const arguments *a, int n, const result *results, selection *selections,
                   int most, int *left_out) {
    const char *x = a->x ? a->x : "t";
    *left_out = 0;
    for (int i = 0; i < n; i++) {
        selections[i].x = result_find(results + i, x);
        if (selections[i].x >= 0) continue;
        if (a->x) return unknown(results + i, x);
        return result_error(results + i, 0,
                            "no column 't' to plot against: name one with --x, such as --x '%s'",
                            results[i].labels[0]);
    }
    if (a->columns) return add_patterns(a->columns, n, results, selections);
    for (int i = 0; i < n; i++) {
        int more = add_default(results + i, selections + i, most);
        *left_out = more > *left_out ? more : *left_out;
        if (!selections[i].n)
            return result_error(results + i, 0, "no column beside '%s'",
                                results[i].labels[selections[i].x]);
    }
    return 0;
}

// Beyond this, differences overflow.
static const double LARGEST = 1e300;

static int check_x(const arguments *a, const result *r, const selection *s) {
    const double *x = r->values[s->x];
    for (long k = 0; k < r->rows; k++) {
        const long line = r->first_line + k;
        if (!(fabs(x[k]) <= LARGEST))
            return result_error(r, line, "column '%s', which is plotted against, is %g",
                                r->labels[s->x], x[k]);
        if (a->difference && k && !(x[k] > x[k - 1]))
            return result_error(
                r, line, "a difference needs '%s' to grow from row to row: %.9g follows %.9g",
                r->labels[s->x], x[k], x[k - 1]);
    }
    return 0;
}

int check_numbers(const arguments *a, const result *r, const selection *s) {
    const double *x = r->values[s->x];
    int code = check_x(a, r, s);
    if (code) return code;
    for (int i = 0; i < s->n; i++) {
        const double *y = r->values[s->column[i]];
        long bad = 0, first = 0;
        for (long k = 0; k < r->rows; k++) {
            if (x[k] < a->from || x[k] > a->to || fabs(y[k]) <= LARGEST) continue;
            const long line = r->first_line + k;
            if (isfinite(y[k]))
                return result_error(r, line, "column '%s' is %g: too large to be drawn",
                                    r->labels[s->column[i]], y[k]);
            if (a->difference)
                return result_error(r, line, "column '%s' is %g, which cannot be compared",
                                    r->labels[s->column[i]], y[k]);
            if (!bad++) first = k;
        }
        if (bad)
            result_warn(r, r->first_line + first, "column '%s' is %g here%s; left out",
                        r->labels[s->column[i]], y[first], bad > 1 ? ", and not finite later" : "");
    }
    return 0;
}
