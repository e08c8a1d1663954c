// Triangles from STL (text and binary) and OBJ files.
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TRIANGLES_MAX = 2000000 };

typedef struct mesh {
    float *xyz;
    int n, room; // numbers
    float *vertex;
    int n_vertex, room_vertex;
} mesh;

static void add_vertex(mesh *m, const float *p) {
    for (int i = 0; i < 3; i++) *CT_PUSH(m->xyz, m->n, m->room) = p[i];
}

static bool finite3(const float *p) {
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

// Three finite numbers at s, over line ends too; the place after them, NULL where they are not there.
// Each is copied first: sscanf would measure the whole rest of the text.
static const char *read3(const char *s, float *p) {
    enum { LONGEST = 63 };
    static const char blank[] = " \t\r\n";
    for (int i = 0; i < 3; i++) {
        char word[LONGEST + 1], *end;
        s += strspn(s, blank);
        size_t n = 0;
        while (n < LONGEST && s[n] && !strchr(blank, s[n])) n++;
        memcpy(word, s, n);
        word[n] = '\0';
        p[i] = (float)ct_strtod(word, &end);
        if (end == word) return NULL;
        s += end - word;
    }
    return finite3(p) ? s : NULL;
}

// "solid ... vertex x y z ..."
static const char *read_stl_text(const char *s, mesh *m) {
    float p[3];
    while ((s = strstr(s, "vertex"))) {
        if (!(s = read3(s + 6, p))) return "a vertex is not three numbers";
        add_vertex(m, p);
    }
    return m->n && m->n % 9 == 0 ? NULL : "it holds no whole triangles";
}

// 80 bytes, the number of triangles, then normal, three vertices and two bytes for each
static const char *read_stl_binary(const unsigned char *b, size_t bytes, mesh *m) {
    uint32_t count =
        (uint32_t)b[80] | (uint32_t)b[81] << 8 | (uint32_t)b[82] << 16 | (uint32_t)b[83] << 24;
    if (count > TRIANGLES_MAX) return "it has more than 2 million triangles";
    if (84 + 50 * (size_t)count != bytes) return "its length does not fit its number of triangles";
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            float p[3];
            for (int a = 0; a < 3; a++) {
                const unsigned char *x =
                    b + 84 + 50 * (size_t)i + 12 * (size_t)(k + 1) + 4 * (size_t)a;
                uint32_t word = (uint32_t)x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 |
                                (uint32_t)x[3] << 24;
                memcpy(p + a, &word, 4);
            }
            if (!finite3(p)) return "a coordinate is not finite";
            add_vertex(m, p);
        }
    return count ? NULL : "it holds no triangles";
}

// One face: corners "v", "v/t", "v/t/n" or "v//n", negative ones from the end; a fan of triangles.
static const char *read_face(const char *s, mesh *m) {
    long corner[3];
    int n = 0;
    for (char *end; *s && *s != '\n' && *s != '\r';) {
        if (*s == ' ' || *s == '\t') {
            s++;
            continue;
        }
        long i = strtol(s, &end, 10);
        if (end == s) return "a face is not a list of vertices";
        i = i < 0 ? m->n_vertex / 3 + i : i - 1;
        if (i < 0 || i >= m->n_vertex / 3) return "a face names a vertex that is not there";
        corner[n < 2 ? n : 2] = i;
        if (++n >= 3) {
            for (int k = 0; k < 3; k++) add_vertex(m, m->vertex + 3 * corner[k]);
            corner[1] = corner[2];
        }
        for (s = end; *s && !strchr(" \t\r\n", *s);) s++;
    }
    return n < 3 ? "a face has fewer than three vertices" : NULL;
}

static const char *read_obj(const char *s, mesh *m) {
    const char *wrong = NULL;
    for (; s && *s && !wrong; s = strchr(s, '\n'), s = s ? s + 1 : NULL) {
        float p[3];
        s += strspn(s, " \t");
        if (s[0] == 'v' && (s[1] == ' ' || s[1] == '\t')) {
            if (!read3(s + 1, p)) return "a vertex is not three numbers";
            for (int i = 0; i < 3; i++) *CT_PUSH(m->vertex, m->n_vertex, m->room_vertex) = p[i];
        } else if (s[0] == 'f' && (s[1] == ' ' || s[1] == '\t')) {
            wrong = read_face(s + 1, m);
            if (m->n > 9 * TRIANGLES_MAX) wrong = "it has more than 2 million triangles";
        }
    }
    return wrong || m->n ? wrong : "it holds no faces";
}

static const char *read_all(const char *path, ct_text *t) {
    enum { BYTES_MAX = 128 << 20 };
    char block[65536];
    long n = 0;
    const char *why;
    ct_source in;
    if (!ct_source_open(&in, path, &why)) return why;
    ct_cleanup undo;
    ct_cleanup_push(&undo, ct_source_close, &in);
    while (t->n <= BYTES_MAX && (n = ct_source_read(&in, block, sizeof block, &why)) > 0)
        ct_text_addn(t, block, (size_t)n);
    ct_cleanup_pop(&undo);
    ct_source_close(&in);
    if (n < 0) return why;
    if (t->n > BYTES_MAX) return "it is larger than 128 MB";
    return t->n ? NULL : "it is empty";
}

ct_status ct_mesh_read(ct_context *ctx, ct_place place, const char *path, int *n, float **xyz) {
    mesh m = {0};
    ct_text text = {0};
    const char *dot = strrchr(path, '.'), *wrong = read_all(path, &text);
    if (!wrong && dot && !strcasecmp(dot, ".obj"))
        wrong = read_obj(text.s, &m);
    else if (!wrong && !strncmp(text.s, "solid", 5) && strstr(text.s, "vertex"))
        wrong = read_stl_text(text.s, &m);
    else if (!wrong)
        wrong = text.n < 84 ? "it is too short"
                            : read_stl_binary((const unsigned char *)text.s, text.n, &m);
    ct_text_clear(&text);
    ct_free(m.vertex);
    if (wrong) {
        ct_free(m.xyz);
        ct_error_at(ctx, place, "cannot use the shape file %s: %s", path, wrong);
        return CT_WRONG_MODEL;
    }
    *xyz = m.xyz;
    *n = m.n / 9;
    return CT_OK;
}
