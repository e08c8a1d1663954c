// Helpers of all sections: opening and closing, drawings of graphs, messages as text.
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

void ct_section_open(ct_report_data *r, const char *id, const char *title) {
    ct_text_printf(&r->page, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
}

void ct_section_close(ct_report_data *r) {
    ct_text_add(&r->page, "</section>\n");
}

char *ct_report_messages(const ct_context *ctx) {
    ct_text t = {0};
    for (int i = 0; i < ct_message_count(ctx); i++) {
        const char *s = ct_message(ctx, i), *kinds[] = {"error: ", "warning: "};
        for (int k = 0; k < 2; k++)
            if (!strncmp(s, kinds[k], strlen(kinds[k]))) s += strlen(kinds[k]);
        if (i) ct_text_add(&t, "; ");
        ct_text_add(&t, s);
    }
    return t.n ? ct_text_take(&t) : NULL;
}

bool ct_report_draw(ct_report_data *r, const char *dot, const char *label) {
    // drawn
    enum { SECONDS = 10 }; // longer than any graph of a mechanism takes
    char *svg = NULL;
    ct_dot_status status =
        r->dot ? ct_dot_run(r->dot, dot, SECONDS, r->options->stop, &svg) : CT_DOT_MISSING;
    if (status == CT_DOT_DONE) {
        ct_text_add(&r->page, "<figure class=\"diagram\"><div class=\"wide\">");
        ct_text_add(&r->page, svg);
        ct_text_printf(&r->page, "</div><figcaption>%s</figcaption></figure>\n", label);
        ct_free(svg);
        return true;
    }
    // not drawn: a warning, the one about the missing program once
    if (r->dot && status == CT_DOT_MISSING) {
        ct_warning_at(r->ctx, (ct_place){0, 0},
                      "there are tables in the place of the drawings: the program 'dot' was not "
                      "found (install Graphviz, Debian package graphviz)");
        r->dot = NULL;
    } else if (status == CT_DOT_FAILED) {
        ct_warning_at(r->ctx, (ct_place){0, 0},
                      "there is no drawing of the %s: the program 'dot' failed or took too long",
                      label);
    }
    // a note on the page
    ct_html_note(&r->page, "hint",
                 status == CT_DOT_MISSING
                     ? "The drawing needs Graphviz (Debian package graphviz), which was not found."
                     : "Graphviz could not draw this.");
    return false;
}
