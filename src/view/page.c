// One HTML file: the bundle of web/, the scene, and a policy that lets nothing else run or load.
#include "view/view.h"
#include "view/web_files.h"

#include <stdlib.h>
#include <string.h>

const char *ct_web_file(const char *name) {
    for (const struct ct_embedded_file *f = ct_web_files; f->name; f++)
        if (!strcmp(f->name, name)) return f->text;
    return "";
}

// Adds text that stands between tags, escaped.
static void add_text(ct_text *t, const char *s) {
    for (; *s; s++) {
        if (*s == '<')
            ct_text_add(t, "&lt;");
        else if (*s == '&')
            ct_text_add(t, "&amp;");
        else
            ct_text_addn(t, s, 1);
    }
}

// Number of frames that fit into about 2.5 MB.
static int frames_max(const ct_view *v) {
    enum { BUDGET = 2500000, LEAST = 300, MOST = 3000 };
    const ct_model *m = v->model;
    int bytes = 40 * m->n_bodies + 4 * v->n_columns + 12 * m->n_forces + 16;
    int n = BUDGET / bytes;
    return n < LEAST ? LEAST : n > MOST ? MOST : n;
}

static void write_page(const ct_view *v, const char *scene, ct_text *t) {
    ct_text_add(t, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "script-src '");
    ct_text_add(t, ct_web_file("view.js.hash"));
    ct_text_add(t, "'; style-src '");
    ct_text_add(t, ct_web_file("view.css.hash"));
    ct_text_add(t, "'; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>");
    add_text(t, v->model->name);
    ct_text_add(t, "</title>\n<style>");
    ct_text_add(t, ct_web_file("view.css"));
    ct_text_add(t, "</style>\n</head>\n<body>\n<noscript>This page needs JavaScript.</noscript>\n"
                   "<script type=\"application/json\" id=\"scene\">");
    ct_text_add(t, scene);
    ct_text_add(t, "</script>\n<script>");
    ct_text_add(t, ct_web_file("view.js"));
    ct_text_add(t, "</script>\n</body>\n</html>\n");
}

static CT_BELOW ct_status make_page(ct_context *ctx, ct_view *v, char **html, ct_view_info *info) {
    double start = ct_seconds();
    ct_frames f;
    ct_json j;
    ct_text scene = {0}, page = {0};
    if (ct_view_ready(ctx)) return CT_INTERNAL;
    ct_view_finish(v);
    if (!v->n_rows) return ct_fail(ctx, CT_WRONG_MODEL, "there is nothing to show: no rows");
    ct_frames_choose(v, frames_max(v), &f);
    ct_frames_evaluate(v, &f);
    ct_json_text(&j, &scene);
    ct_status status = ct_scene_write(ctx, v, &f, &j);
    if (!status) {
        write_page(v, scene.s, &page);
        *info = (ct_view_info){.bytes = page.n, .frames = f.n, .bodies = f.n_bodies - 1};
        *html = ct_text_take(&page);
        info->seconds = ct_seconds() - start;
    }
    ct_text_clear(&scene);
    ct_frames_clear(&f);
    return status;
}

ct_status ct_view_page(ct_context *ctx, ct_view *v, char **html, ct_view_info *info) {
    CT_CALL_GIVES(ctx, &v->memory, html, ct_release, make_page(ctx, v, html, info));
}
