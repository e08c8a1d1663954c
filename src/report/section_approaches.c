// The section about approaches to the loops, measured side by side: the figures of `cotree bench`.
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool measured(const ct_bench_approach *a) {
    return isfinite(a->kinematic_ms_per_s) || isfinite(a->dynamic_ms_per_s);
}

static double ratio_of(const ct_bench_result *result, const ct_bench_approach *a) {
    return result->freedoms > 0 ? a->dynamic_ratio : a->kinematic_ratio;
}

static void bar(ct_text *t, double ratio, double most) {
    enum { WIDTH = 150 };
    ct_text_add(t, "<td>");
    if (isfinite(ratio))
        ct_text_printf(t,
                       "<svg class=\"bar\" viewBox=\"0 0 %d 10\" width=\"%d\" height=\"10\" "
                       "aria-hidden=\"true\"><rect height=\"10\" rx=\"1.5\" width=\"%.1f\"/></svg>",
                       WIDTH, WIDTH, fmax(1, WIDTH * ratio / most));
    ct_text_add(t, "</td>");
}

static void machine(ct_text *t) {
    char name[300], day[20] = "";
    time_t now = time(NULL);
    struct tm parts;
    ct_processor_name(name, sizeof name);
    if (gmtime_r(&now, &parts)) strftime(day, sizeof day, "%Y-%m-%d", &parts);
    ct_text_printf(t, "Measured on %s", day);
    if (name[0]) {
        ct_text_add(t, ", ");
        ct_html(t, name);
    }
    ct_text_add(t, ".");
}

static void row(ct_text *t, const ct_bench_result *result, const ct_bench_approach *a,
                double most) {
    ct_html_row(t, a == result->approaches ? "first" : NULL);
    ct_html_cell(t, a->name);
    ct_html_cell_number(t, a->kinematic_ms_per_s);
    if (result->freedoms > 0) ct_html_cell_number(t, a->dynamic_ms_per_s);
    ct_html_cell_number(t, round(100 * ratio_of(result, a)) / 100);
    if (result->published)
        ct_html_cell_number(t, result->freedoms > 0 ? a->published_dynamic_ratio
                                                    : a->published_kinematic_ratio);
    bar(t, ratio_of(result, a), most);
    ct_html_cell_power(t, a->max_residual);
    ct_html_cell_number(t, round(100 * a->iterations) / 100);
    ct_html_cell_count(t, result->freedoms > 0 ? a->dynamic_operations : a->kinematic_operations);
    ct_text_add(t, "</tr>\n");
}

static void table(ct_report_data *r) {
    const ct_bench_result *b = r->bench;
    ct_text *t = &r->page;
    // the largest ratio, for the bars
    double most = 1;
    for (int i = 0; i < b->n; i++)
        if (isfinite(ratio_of(b, b->approaches + i)))
            most = fmax(most, ratio_of(b, b->approaches + i));
    // what was measured, and on which machine
    ct_text_printf(
        t,
        "<p>%g s in steps of %g s with Euler’s method, every approach in turn, the best "
        "time of each. Times are milliseconds for each simulated second; the ratio is to "
        "<i>triangular</i>. ",
        b->time, b->step);
    machine(t);
    ct_text_add(t, " Compare the ratios; they vary less than the times.</p>\n");
    // a row for each approach
    char *columns =
        ct_format("approach|#positions, ms%s|#ratio%s||#residual|#corrections|#operations",
                  b->freedoms > 0 ? "|#whole step, ms" : "", b->published ? "|#published" : "");
    ct_html_table(t, columns);
    ct_free(columns);
    for (int i = 0; i < b->n; i++)
        if (b->freedoms > 0 || measured(b->approaches + i)) row(t, b, b->approaches + i, most);
    ct_html_table_end(t);
    // what the columns mean
    ct_text_add(t,
                "<p class=\"soft\">Residual: largest |Φ| of the run; corrections: Newton’s, in one "
                "step; operations: of one step.");
    if (b->published) {
        ct_text_add(t, " Published: ratios for this mechanism, ");
        ct_html(t, b->published);
        ct_text_add(t, ".");
    }
    ct_text_add(t, "</p>\n");
    // remarks
    for (int i = 0; i < b->n; i++) {
        const ct_bench_approach *a = b->approaches + i;
        if (!a->note || (b->freedoms <= 0 && !measured(a))) continue;
        char *text = ct_scratch_format("%s: %s", a->name, a->note);
        ct_html_note(t, "hint", text);
    }
}

void ct_section_approaches(ct_report_data *r) {
    ct_section_open(r, "approaches", "Approaches compared");
    if (r->bench)
        table(r);
    else if (r->bench_why)
        ct_html_note(&r->page, "hint", r->bench_why);
    else
        ct_text_add(&r->page, "<p>There are no loops, so there is one approach only.</p>\n");
    ct_section_close(r);
}
