// A chart in characters. A cell of a terminal holds 2 x 4 dots of a Braille pattern; without UTF-8
// it holds the mark of one line. Marks on the lines tell them apart where colours do not.
#include "plot/chart.h"
#include "output/memory.h"
#include "output/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const symbols[] = {"●", "▲", "■", "◆", "○", "△", "□", "◇"};
static const char ascii_marks[] = "*+xo#@%=";
static const int colours[] = {33, 202, 35, 162, 136, 98, 37, 124}; // of 256: light and dark ground
enum { SYMBOLS = 8, MARK_DISTANCE = 16 };

typedef struct canvas {
    const chart *c;
    const text_style *style;
    int columns, rows;    // cells
    int dot_x, dot_y;     // dots of a cell
    unsigned char *dots;  // [rows * columns], Braille bits
    unsigned char *owner; // 1 + the series drawn last
    unsigned char *mark;  // 1 + the series whose mark is here
    int series, marked;   // that is drawn; the column of its last mark
    int x, y;             // where the line is, in dots
} canvas;

static void write_mark(const canvas *v, int i, FILE *file) {
    if (v->style->ascii && i < SYMBOLS)
        fputc(ascii_marks[i], file);
    else if (i < SYMBOLS)
        fputs(symbols[i], file);
    else
        fputc('A' + (i - SYMBOLS) % 26, file);
}

// drawing -----------------------------------------------------------------------------------------
static void set_dot(canvas *v, int x, int y) {
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int column = x / v->dot_x, row = y / v->dot_y;
    if (column < 0 || column >= v->columns || row < 0 || row >= v->rows) return;
    int cell = row * v->columns + column;
    v->dots[cell] |= v->style->ascii ? 1 : bit[y % 4][x % 2];
    v->owner[cell] = (unsigned char)(v->series + 1);
    int place = (v->series * MARK_DISTANCE / (v->c->n > 0 ? v->c->n : 1) + 3) % MARK_DISTANCE;
    if (v->c->n < 2 || v->style->ascii || column % MARK_DISTANCE != place || column == v->marked)
        return;
    v->mark[cell] = (unsigned char)(v->series + 1);
    v->marked = column;
}

// Bresenham's line from the last point to (x, y).
static void draw_to(canvas *v, int x, int y) {
    int dx = abs(x - v->x), dy = -abs(y - v->y), sx = v->x < x ? 1 : -1, sy = v->y < y ? 1 : -1;
    int error = dx + dy;
    for (;;) {
        set_dot(v, v->x, v->y);
        if (v->x == x && v->y == y) return;
        int twice = 2 * error;
        if (twice >= dy) {
            error += dy;
            v->x += sx;
        }
        if (twice <= dx) {
            error += dx;
            v->y += sy;
        }
    }
}

static void take_point(void *data, double x, double y, bool joined) {
    canvas *v = data;
    const chart *c = v->c;
    int width = v->columns * v->dot_x - 1, height = v->rows * v->dot_y - 1;
    int px = (int)lround((x - c->x0) / (c->x1 - c->x0) * width);
    int py = (int)lround((c->y1 - y) / (c->y1 - c->y0) * height);
    if (!joined) {
        v->x = px;
        v->y = py;
    }
    draw_to(v, px, py);
}

// writing -----------------------------------------------------------------------------------------
static void set_colour(const canvas *v, int i, FILE *file) {
    if (!v->style->colour) return;
    if (i < 0)
        fputs("\033[0m", file);
    else
        fprintf(file, "\033[38;5;%dm", colours[i % (int)(sizeof colours / sizeof *colours)]);
}

static void write_cell(const canvas *v, int cell, FILE *file) {
    if (v->mark[cell])
        write_mark(v, v->mark[cell] - 1, file);
    else if (!v->dots[cell])
        fputc(' ', file);
    else if (v->style->ascii)
        write_mark(v, v->owner[cell] - 1, file);
    else // U+2800 and the dots
        fprintf(file, "\xE2%c%c", 0xA0 + (v->dots[cell] >> 6), 0x80 + (v->dots[cell] & 0x3F));
}

static void write_row(const canvas *v, int row, FILE *file) {
    int last = v->columns, now = -1;
    const int first = row * v->columns;
    while (last > 0 && !v->dots[first + last - 1]) last--;
    for (int i = 0; i < last; i++) {
        int cell = first + i, own = (v->mark[cell] ? v->mark[cell] : v->owner[cell]) - 1;
        if (own != now) set_colour(v, own, file);
        now = own;
        write_cell(v, cell, file);
    }
    if (now >= 0) set_colour(v, -1, file);
    fputc('\n', file);
}

static int label_width(const ticks *t) {
    char text[TICK_SIZE];
    int width = 0;
    for (int i = 0; i < t->n; i++) {
        tick_label(t, i, text);
        int n = (int)strlen(text);
        width = n > width ? n : width;
    }
    return width;
}

static int cell_of(double share, int cells) {
    int k = (int)lround(share * cells - 0.5);
    return k < 0 ? 0 : k >= cells ? cells - 1 : k;
}

static void write_rows(const canvas *v, const ticks *t, int left, FILE *file) {
    const chart *c = v->c;
    bool ascii = v->style->ascii;
    for (int row = 0; row < v->rows; row++) {
        char text[TICK_SIZE] = "";
        for (int i = 0; i < t->n; i++)
            if (cell_of((c->y1 - tick_value(t, i)) / (c->y1 - c->y0), v->rows) == row)
                tick_label(t, i, text);
        fprintf(file, "%*s %s", left, text, ascii ? *text ? "+" : "|" : *text ? "┤" : "│");
        write_row(v, row, file);
    }
}

// The horizontal axis with its ticks, their labels and the name.
static void write_axis(const canvas *v, const ticks *t, int left, FILE *file) {
    const chart *c = v->c;
    bool ascii = v->style->ascii;
    char *line = calloc((size_t)(v->columns + TICK_SIZE) + 1, 1);
    if (!line) no_memory();
    memset(line, ' ', (size_t)(v->columns + TICK_SIZE));
    // the line with its ticks; labels below it where there is room
    fprintf(file, "%*s %s", left, "", ascii ? "+" : "└");
    int at = 0, end = 0;
    for (int i = 0; i < t->n; i++) {
        char text[TICK_SIZE];
        int column = cell_of((tick_value(t, i) - c->x0) / (c->x1 - c->x0), v->columns);
        for (; at < column; at++) fputs(ascii ? "-" : "─", file);
        if (at == column) fputs(ascii ? "+" : "┬", file);
        at = column + 1 > at ? column + 1 : at;
        tick_label(t, i, text);
        int length = (int)strlen(text), start = column - length / 2;
        if (start + length > v->columns) start = v->columns - length;
        if (start < 0) start = 0;
        if (end && start <= end) continue; // no room
        memcpy(line + start, text, (size_t)length);
        end = start + length;
    }
    for (; at < v->columns; at++) fputs(ascii ? "-" : "─", file);
    // labels, then the name of the axis
    line[end] = 0;
    fprintf(file, "\n%*s  %s\n", left, "", line);
    int indent = left + 2 + (v->columns - utf8_width(c->x_label)) / 2;
    fprintf(file, "%*s%s\n", indent > 0 ? indent : 0, "", c->x_label);
    free(line);
}

static void write_legend(const canvas *v, FILE *file) {
    int column = 0, widest = v->style->width - 6;
    for (int i = 0; i < v->c->n; i++) {
        const char *label = v->c->item[i].label;
        int width = utf8_width(label);
        bool cut = width > widest;
        if (cut) width = widest;
        if (column && column + width + 5 > v->style->width) {
            fputc('\n', file);
            column = 0;
        }
        fputs(column ? "   " : "  ", file);
        set_colour(v, i, file);
        write_mark(v, i, file);
        set_colour(v, -1, file);
        int bytes = cut ? utf8_fit(label, width - 1) : (int)strlen(label);
        fprintf(file, " %.*s%s", bytes, label, cut ? v->style->ascii ? "~" : "…" : "");
        column += width + 5;
    }
    fputc('\n', file);
}

static int legend_lines(const chart *c, int width) {
    int lines = 1, column = 0;
    for (int i = 0; i < c->n; i++) {
        int w = utf8_width(c->item[i].label);
        if (w > width - 6) w = width - 6;
        if (column && column + w + 5 > width) {
            lines++;
            column = 0;
        }
        column += w + 5;
    }
    return lines;
}

void chart_write_text(const chart *c, const text_style *style, FILE *file) {
    enum { LEAST_COLUMNS = 16, LEAST_ROWS = 5 };
    // room: what title, legend and labels leave
    canvas v = {
        .c = c, .style = style, .dot_x = style->ascii ? 1 : 2, .dot_y = style->ascii ? 1 : 4};
    v.rows = style->height - 3 - legend_lines(c, style->width) - (c->title ? 1 : 0);
    if (v.rows < LEAST_ROWS) v.rows = LEAST_ROWS;
    ticks ty = ticks_choose(c->y0, c->y1, v.rows / 3 + 1);
    int left = label_width(&ty) + 1;
    v.columns = style->width - left - 3;
    if (v.columns < LEAST_COLUMNS) v.columns = LEAST_COLUMNS;
    ticks tx = ticks_choose(c->x0, c->x1, v.columns / 8 + 1);
    for (int most = v.columns / 8; most > 2 && label_width(&tx) + 2 > v.columns / most; most--)
        tx = ticks_choose(c->x0, c->x1, most);
    // curves as dots
    size_t cells = (size_t)v.columns * (size_t)v.rows;
    v.dots = calloc(cells, 1);
    v.owner = calloc(cells, 1);
    v.mark = calloc(cells, 1);
    if (!v.dots || !v.owner || !v.mark) no_memory();
    for (v.series = 0; v.series < c->n; v.series++) {
        v.marked = -1;
        chart_walk(c, c->item + v.series, v.columns * v.dot_x, take_point, &v);
    }
    // title, rows, axis, legend
    if (c->title) {
        int bytes = utf8_fit(c->title, style->width);
        int indent = (style->width - utf8_width(c->title)) / 2;
        fprintf(file, "%*s%.*s\n", indent > 0 ? indent : 0, "", bytes, c->title);
    }
    write_rows(&v, &ty, left, file);
    write_axis(&v, &tx, left, file);
    write_legend(&v, file);
    free(v.dots);
    free(v.owner);
    free(v.mark);
}
