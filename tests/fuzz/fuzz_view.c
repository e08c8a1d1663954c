// libFuzzer target for what pages read: any bytes as a result, an STL file and an OBJ file must
// give rows or triangles or a message, never more.
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char model_text[] =
    "{cotree: 1, bodies: {rod: {mass: 1, inertia: 1}}, joints: {O: {type: revolute, "
    "between: [ground, rod], axis: z}}}";

static void read_mesh(ct_context *ctx, const char *path) {
    float *xyz = NULL;
    int n = 0;
    ct_status status = ct_mesh_read(ctx, (ct_place){1, 1}, path, &n, &xyz);
    if ((status == CT_OK) != (xyz != NULL) || (status == CT_OK) != (n > 0)) abort();
    for (int i = 0; i < 9 * n; i++)
        if (!isfinite(xyz[i])) abort();
    ct_free(xyz);
}

static void read_result(ct_context *ctx, const char *path) {
    ct_model *model = NULL;
    ct_view *view = NULL;
    ct_view_info info;
    char *html = NULL;
    if (ct_model_read_text(ctx, "m.yaml", model_text, strlen(model_text), 0, NULL, &model)) abort();
    ct_status status = ct_view_read_csv(ctx, model, path, &view);
    if ((status == CT_OK) != (view != NULL) || (status && !ct_message_count(ctx))) abort();
    if (view && ct_view_page(ctx, view, &html, &info)) abort();
    char *svg = NULL;
    status = view ? ct_view_still(ctx, view, 0, &svg, &info) : CT_WRONG_MODEL;
    if ((status == CT_OK) != (svg != NULL) || (svg && strstr(svg, "nan"))) abort();
    ct_string_free(svg);
    ct_string_free(html);
    ct_view_free(view);
    ct_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const endings[] = {".csv", ".stl", ".obj"};
    for (int i = 0; i < 3; i++) {
        ct_context *ctx = ct_context_new();
        char path[64];
        snprintf(path, sizeof path, "/tmp/fuzz_view.%ld%s", (long)getpid(), endings[i]);
        FILE *out = fopen(path, "wb");
        if (!out || fwrite(data, 1, size, out) != size) abort();
        fclose(out);
        if (i)
            read_mesh(ctx, path);
        else
            read_result(ctx, path);
        unlink(path);
        ct_context_free(ctx);
    }
    return 0;
}
