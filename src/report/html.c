// Pieces of HTML. Names are isolated, so that one written from right to left stays in its place.
#include "report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ct_html(ct_text *t, const char *s) {
    static const struct {
        char c;
        const char *text;
    } spelt[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    enum { SPELT = sizeof spelt / sizeof *spelt };
    while (*s) {
        size_t plain = strcspn(s, "<>&\"'");
        ct_text_addn(t, s, plain);
        s += plain;
        for (int k = 0; k < SPELT && *s; k++)
            if (spelt[k].c == *s) {
                ct_text_add(t, spelt[k].text);
                s++;
                break;
            }
    }
}

void ct_html_name(ct_text *t, const char *s) {
    enum { LONG = 32 }; // from here on it may break anywhere
    ct_text_add(t, strlen(s) > LONG ? "<bdi class=\"name long\">" : "<bdi class=\"name\">");
    ct_html(t, s);
    ct_text_add(t, "</bdi>");
}

static void number(ct_text *t, double x, int digits) {
    char text[40];
    if (!isfinite(x)) {
        ct_text_add(t, "–");
        return;
    }
    if (fabs(x) >= 1e4 && fabs(x) < 1e7 && digits > 2) {
        ct_html_count(t, x);
        return;
    }
    ct_snprintf(text, sizeof text, "%.*g", digits, x);
    char *e = strchr(text, 'e');
    if (e) *e = '\0';
    if (*text == '-') ct_text_add(t, "−");
    ct_text_add(t, text + (*text == '-'));
    if (!e) return;
    int power = atoi(e + 1);
    ct_text_printf(t, "·10<sup>%s%d</sup>", power < 0 ? "−" : "", abs(power));
}

void ct_html_number(ct_text *t, double x) {
    number(t, x, 4);
}

void ct_html_power(ct_text *t, double x) {
    number(t, x, 2);
}

void ct_html_count(ct_text *t, double n) {
    char digits[400];
    if (!isfinite(n) || fabs(n) >= 1e9) {
        ct_html_number(t, n);
        return;
    }
    int length = ct_snprintf(digits, sizeof digits, "%.0f", n);
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-') ct_text_add(t, "\u202F");
        ct_text_addn(t, digits + i, 1);
    }
}

void ct_html_tex(ct_text *t, const char *tex) {
    char *short_tex = ct_tex_rounded(tex);
    ct_text_add(t, "<span class=\"tex\">");
    ct_html(t, short_tex);
    ct_text_add(t, "</span>");
    ct_free(short_tex);
}

// tables ------------------------------------------------------------------------------------------
void ct_html_table(ct_text *t, const char *columns) {
    ct_text_add(t, "<div class=\"wide\"><table><thead><tr>");
    while (*columns) {
        size_t n = strcspn(columns, "|");
        bool number = *columns == '#';
        ct_text_add(t, number ? "<th class=\"n\">" : "<th>");
        ct_text_addn(t, columns + number, n - number);
        ct_text_add(t, "</th>");
        columns += n + (columns[n] == '|');
    }
    ct_text_add(t, "</tr></thead><tbody>\n");
}

void ct_html_row(ct_text *t, const char *row_class) {
    if (row_class)
        ct_text_printf(t, "<tr class=\"%s\">", row_class);
    else
        ct_text_add(t, "<tr>");
}

void ct_html_cell(ct_text *t, const char *text) {
    ct_text_add(t, "<td>");
    ct_html(t, text);
    ct_text_add(t, "</td>");
}

void ct_html_cell_name(ct_text *t, const char *name) {
    ct_text_add(t, "<td>");
    ct_html_name(t, name);
    ct_text_add(t, "</td>");
}

void ct_html_cell_number(ct_text *t, double x) {
    ct_text_add(t, "<td class=\"n\">");
    ct_html_number(t, x);
    ct_text_add(t, "</td>");
}

void ct_html_cell_power(ct_text *t, double x) {
    ct_text_add(t, "<td class=\"n\">");
    ct_html_power(t, x);
    ct_text_add(t, "</td>");
}

void ct_html_cell_count(ct_text *t, double n) {
    ct_text_add(t, "<td class=\"n\">");
    ct_html_count(t, n);
    ct_text_add(t, "</td>");
}

void ct_html_cell_tex(ct_text *t, const char *tex) {
    ct_text_add(t, "<td>");
    ct_html_tex(t, tex);
    ct_text_add(t, "</td>");
}

void ct_html_table_end(ct_text *t) {
    ct_text_add(t, "</tbody></table></div>\n");
}

// the rest ----------------------------------------------------------------------------------------
void ct_html_note(ct_text *t, const char *kind, const char *text) {
    ct_text_printf(t, "<p class=\"note %s\">", kind);
    ct_html(t, text);
    ct_text_add(t, "</p>\n");
}

void ct_html_fold(ct_text *t, bool open, const char *format, ...) {
    char title[300];
    va_list args;
    va_start(args, format);
    ct_vsnprintf(title, sizeof title, format, args);
    va_end(args);
    ct_text_printf(t, "<details%s><summary>", open ? " open" : "");
    ct_html(t, title);
    ct_text_add(t, "</summary>\n");
}

void ct_html_unfold(ct_text *t) {
    ct_text_add(t, "</details>\n");
}
