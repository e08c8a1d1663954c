// Singular in a process of its own: a script with a system, what it prints, line by line. Where it
// is not installed nothing runs and callers say so.
#ifndef ALGEBRA_SINGULAR_H
#define ALGEBRA_SINGULAR_H

#include "algebra/algebra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline bool have_singular(void) {
    return system("command -v Singular > /dev/null 2>&1") == 0;
}

// Ring and ideal `i`, as the opening of a script.
static inline void singular_system(ct_text *t, const ct_ring *ring, const ct_polys *in,
                                   const char *order) {
    ct_text_add(t, "ring r=0,(");
    for (int k = 0; k < ring->n; k++) ct_text_printf(t, "%s%s", k ? "," : "", ring->names[k]);
    ct_text_printf(t, "),%s;\nshort=0;\noption(redSB);\nideal i=0", order);
    for (int i = 0; i < in->n; i++) {
        ct_text_add(t, ",\n");
        ct_poly_print(ring, t, &in->p[i]);
    }
    ct_text_add(t, ";\n");
}

// Runs the script for at most `seconds`; `line` gets what it prints and may refuse it. False where
// it could not be run to its end.
static inline bool singular_run(const char *script, int seconds,
                                bool (*line)(void *data, const char *text), void *data) {
    char *path = ct_temporary("singular"), *text = NULL;
    size_t room = 0;
    int fd = mkstemp(path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    bool good = file && fputs(script, file) >= 0;
    if (file && fclose(file)) good = false;
    char *command =
        ct_format("timeout %d Singular -q '%s' < /dev/null 2> /dev/null", seconds, path);
    FILE *pipe = good ? popen(command, "r") : NULL;
    good = pipe != NULL;
    while (good && getline(&text, &room, pipe) > 0) {
        text[strcspn(text, "\n")] = 0;
        if (text[0] && strncmp(text, "//", 2)) good = line(data, text); // but for its remarks
    }
    if (pipe && pclose(pipe)) good = false;
    if (fd >= 0) remove(path);
    free(text); // getline's
    ct_free(command);
    ct_free(path);
    return good;
}

static inline bool singular_read_ticks(void *data, const char *text) {
    sscanf(text, "%lf", (double *)data); // the last number printed counts
    return true;
}

// Seconds for `work` on the ideal i, which prints microseconds by its own clock as its last line;
// negative: not there, or not done in time.
static inline double singular_seconds(const ct_ring *ring, const ct_polys *in, const char *opening,
                                      const char *work, int patience) {
    if (!have_singular()) return -1;
    ct_text t = {0};
    double ticks = -1;
    ct_text_printf(&t, "%ssystem(\"--ticks-per-sec\",1000000);\n", opening);
    singular_system(&t, ring, in, "dp");
    ct_text_printf(&t, "%s\nquit;\n", work);
    if (!singular_run(t.s, patience, singular_read_ticks, &ticks)) ticks = -1;
    ct_text_clear(&t);
    return ticks < 0 ? -1 : ticks * 1e-6;
}

typedef struct singular_answer {
    ct_context *ctx;
    const ct_ring *ring;
    ct_polys *out;
} singular_answer;

static inline bool singular_read_poly(void *data, const char *text) {
    singular_answer *a = data;
    return ct_poly_parse(a->ctx, a->ring, ct_polys_add(a->out), text) == CT_OK;
}

// Its reduced basis; false where it could not be run or read.
static inline bool singular_basis(ct_context *context, const ct_ring *ring, ct_polys *out,
                                  const ct_polys *in, const char *order) {
    singular_answer a = {context, ring, out};
    ct_text t = {0};
    singular_system(&t, ring, in, order);
    ct_text_add(&t, "ideal g=std(i);\nint k;\nfor(k=1;k<=size(g);k++){print(g[k]);}\nquit;\n");
    bool good = singular_run(t.s, 300, singular_read_poly, &a);
    ct_text_clear(&t);
    return good;
}

#endif
