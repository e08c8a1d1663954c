// cotree plot: results on the terminal or, by gnuplot, in a picture; how two of them differ.
#include "cli.h"
#include "output/memory.h"
#include "output/output.h"
#include "plot/chart.h"
#include "plot/figures.h"
#include "report.h"
#include "output/utf8.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct job {
    const arguments *a;
    bool ascii;
    picture_kind kind;
    int n; // results
    result *results;
    selection *selections;
    difference *differences; // one for each column selected in the first, or NULL
    int left_out;
    chart chart;
} job;

// what to read ------------------------------------------------------------------------------------
static int find_kind(const char *path, picture_kind *kind) {
    static const char *const endings[] = {".txt", ".svg", ".png", ".pdf"};
    *kind = PICTURE_NONE;
    if (!path) return 0;
    size_t n = strlen(path);
    for (int i = 0; i < 4; i++)
        if (n > 4 && strcasecmp(path + n - 4, endings[i]) == 0) {
            *kind = (picture_kind)i;
            return 0;
        }
    return usage_error("-o %s: the name of a picture ends in .svg, .png or .pdf, a text's in .txt",
                       path);
}

static int check_output(const job *p) {
    int code = 0;
    for (int i = 0; i < p->n && !code; i++)
        code = output_check_beside(p->a->output, p->a->files.item[i], "the result");
    return code;
}

static int read_results(job *p) {
    const arguments *a = p->a;
    int code = 0;
    // headers of all results
    for (int i = 0; i < p->n && !code; i++)
        code = result_open(p->results + i, a->files.item[i], p->ascii);
    // columns: those that are named, or as many as a chart can show
    int most = a->json && !a->output ? 0 : p->n > 1 && !a->difference ? 12 / p->n : 8;
    if (!code)
        code = select_columns(a, p->n, p->results, p->selections, most > 1 || a->json ? most : 1,
                              &p->left_out);
    // only the columns that are needed; rows between --from and --to
    for (int i = 0; i < p->n && !code; i++) {
        result *r = p->results + i;
        const selection *s = p->selections + i;
        bool *wanted = calloc((size_t)r->n_columns, sizeof *wanted);
        if (!wanted) no_memory();
        wanted[s->x] = true;
        for (int k = 0; k < s->n; k++) wanted[s->column[k]] = true;
        code = result_read(r, wanted);
        free(wanted);
        if (!code) code = check_numbers(a, r, s);
        if (code) break;
        double first = r->values[s->x][0], last = r->values[s->x][r->rows - 1];
        result_crop(r, s->x, a->from, a->to);
        if (r->rows == 0)
            code =
                result_error(r, 0, "no row is between --from and --to: '%s' goes from %.6g to %.6g",
                             r->labels[s->x], first, last);
    }
    return code;
}

// Both results keep the columns that they share, in the order of the first.
static int share_columns(job *p) {
    selection *s = p->selections;
    const result *r = p->results;
    int n = 0;
    int *second = calloc((size_t)s[0].n + 1, sizeof *second);
    if (!second) no_memory();
    for (int i = 0; i < s[0].n; i++) {
        int k = result_find(r + 1, r[0].names[s[0].column[i]]);
        if (k < 0 || !r[1].values[k]) continue;
        s[0].column[n] = s[0].column[i];
        second[n++] = k;
    }
    free(s[1].column);
    s[1].column = second;
    s[0].n = s[1].n = n;
    if (n) return 0;
    return result_error(r + 1, 0, "has none of the columns chosen from %s", r[0].shown);
}

// the chart ---------------------------------------------------------------------------------------
static const char *file_name(const result *r) {
    const char *slash = strrchr(r->path, '/');
    return strcmp(r->path, "-") == 0 ? "stdin" : slash ? slash + 1 : r->path;
}

// The name of a file without its folders, where that is unique among the results.
static const char *short_name(const job *p, int i) {
    const char *own = file_name(p->results + i);
    for (int k = 0; k < p->n; k++)
        if (k != i && strcmp(own, file_name(p->results + k)) == 0) return p->results[i].path;
    return own;
}

// Three pieces in a row, fit for where the chart goes; free it.
static char *label(const job *p, const char *a, const char *between, const char *b) {
    size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = malloc(size);
    if (!text) no_memory();
    snprintf(text, size, "%s%s%s", a, between, b);
    char *shown = utf8_shown(text, p->ascii && p->kind == PICTURE_NONE);
    free(text);
    return shown;
}

static char *title(const job *p) {
    if (p->a->title) return label(p, p->a->title, "", "");
    if (p->a->difference) return label(p, short_name(p, 0), " - ", short_name(p, 1));
    return p->n == 1 ? label(p, short_name(p, 0), "", "") : NULL;
}

static int make_chart(job *p) {
    chart *c = &p->chart;
    c->x_label = label(p, p->results[0].names[p->selections[0].x], "", "");
    c->title = title(p);
    for (int i = 0; i < p->n && !p->differences; i++) {
        const result *r = p->results + i;
        const selection *s = p->selections + i;
        for (int k = 0; k < s->n; k++) {
            const char *name = r->names[s->column[k]];
            chart_add(c, p->n > 1 ? label(p, short_name(p, i), ": ", name) : label(p, name, "", ""),
                      r->values[s->x], r->values[s->column[k]], r->rows);
        }
    }
    for (int k = 0; p->differences && k < p->selections[0].n; k++) {
        const difference *d = p->differences + k;
        chart_add(c, label(p, d->name, "", ""), d->x, d->value, d->n);
    }
    if (!chart_range(c)) return result_error(p->results, 0, "no finite number to plot");
    return 0;
}

static void find_style(const job *p, text_style *style) {
    struct winsize size = {0};
    *style = (text_style){.width = 80, .height = 24, .ascii = p->ascii};
    if (p->a->output || !isatty(STDOUT_FILENO)) return;
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    style->colour = !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col || !size.ws_row) return;
    style->width = size.ws_col < 30 ? 30 : size.ws_col > 240 ? 240 : size.ws_col;
    int tall = size.ws_row - 3, wide = style->width * 2 / 5; // room for the prompt; not a tower
    style->height = tall < wide ? tall : wide;
    if (style->height < 12) style->height = 12;
}

static int write_chart(job *p) {
    output o;
    text_style style;
    find_style(p, &style);
    if (p->kind == PICTURE_NONE && p->chart.n > TEXT_SERIES)
        return usage_error("%d lines are too many for the terminal, which shows %d: choose with "
                           "--columns, or draw a picture with -o FILE.svg",
                           p->chart.n, TEXT_SERIES);
    int code = output_open(&o, p->a->output);
    if (code) return code;
    if (p->kind == PICTURE_NONE)
        chart_write_text(&p->chart, &style, o.file);
    else
        code = chart_write_picture(&p->chart, p->kind, o.file);
    struct stat status;
    if (!code && p->kind != PICTURE_NONE && fstat(fileno(o.file), &status) == 0 &&
        S_ISREG(status.st_mode) && status.st_size == 0) {
        fputs("cotree: error: gnuplot drew nothing\n", stderr);
        code = CT_INTERNAL;
    }
    if (!code) return output_commit(&o);
    output_discard(&o);
    return code;
}

// what is said ------------------------------------------------------------------------------------
static void write_json(const job *p) {
    ct_json j;
    ct_json_file(&j, stdout);
    ct_json_object(&j, NULL);
    figures_write_json(&j, p->a, p->n, p->results, p->selections);
    if (p->differences) differences_write_json(&j, p->differences, p->selections[0].n);
    ct_json_string(&j, "output", p->a->output);
    ct_json_end(&j);
}

static void write_summary(const job *p) {
    fflush(stdout);
    report_count(stderr, p->chart.n, "line", "lines");
    fputs(" from ", stderr);
    long rows = 0;
    for (int i = 0; i < p->n; i++) rows += figures_rows(p->results + i, p->selections + i);
    report_count(stderr, rows, "row", "rows");
    if (p->a->output) fprintf(stderr, " in %s", p->a->output);
    if (p->left_out)
        fprintf(stderr, "; %d coordinate%s more: choose with --columns", p->left_out,
                p->left_out == 1 ? "" : "s");
    fputc('\n', stderr);
}

static int carry_out(job *p) {
    const arguments *a = p->a;
    int code = find_kind(a->output, &p->kind);
    if (!code) code = check_output(p);
    if (!code && p->kind != PICTURE_NONE && !picture_possible()) code = picture_missing();
    if (!code) code = read_results(p);
    if (!code && a->difference) {
        code = share_columns(p);
        if (!code) code = differences_compute(p->results, p->selections, &p->differences);
    }
    if (!code) code = make_chart(p);
    if (!code && p->differences && !a->json)
        differences_write_text(stdout, p->differences, p->selections[0].n,
                               p->results[0].labels[p->selections[0].x]);
    if (!code && (a->output || !a->json)) code = write_chart(p);
    if (!code && a->json) write_json(p);
    if (!code && !a->json && !a->quiet) write_summary(p);
    return code;
}

int command_plot(const arguments *a) {
    setlocale(LC_CTYPE, "");
    job p = {.a = a, .ascii = a->ascii || !utf8_locale(), .n = a->files.n};
    p.results = calloc((size_t)p.n, sizeof *p.results);
    p.selections = calloc((size_t)p.n, sizeof *p.selections);
    if (!p.results || !p.selections) no_memory();
    output_stop_at_once(true);
    output_catch_signals();
    int code = carry_out(&p);
    output_stop_at_once(false);
    chart_clear(&p.chart);
    for (int i = 0; p.differences && i < p.selections[0].n; i++)
        difference_clear(p.differences + i);
    free(p.differences);
    for (int i = 0; i < p.n; i++) {
        result_clear(p.results + i);
        selection_clear(p.selections + i);
    }
    free(p.results);
    free(p.selections);
    return code;
}
