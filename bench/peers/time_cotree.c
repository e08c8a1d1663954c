/* Forward dynamics of generated code: microseconds, the least of many rounds, and accelerations at the start. */
#include MODEL_HEADER

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    const ctk_model *m = &MODEL;
    const ctk_closure *k = m->closure;
    const int n = k->n_independent, rounds = 200;
    const size_t positions = (size_t)m->n + 64;
    double *c = calloc((size_t)m->n_constants + 1, sizeof *c), *v = calloc((size_t)k->n_values + 1, sizeof *v),
           *b = calloc((size_t)k->n_signs + 1, sizeof *b), *w = calloc((size_t)k->n_tracked + 1, sizeof *w),
           *g = calloc((size_t)k->n_guards + 1, sizeof *g), *q = calloc(positions, sizeof *q),
           *qd = calloc(positions, sizeof *qd), *qdd = calloc(positions, sizeof *qdd), best = 1e30;
    int batch = argc > 1 ? atoi(argv[1]) : 100;
    m->constants(m->parameters, c);
    for (int i = 0; i < n; i++) {
        q[i] = m->q0[k->independent[i]];
        qd[i] = m->qd0[k->independent[i]];
    }
    for (size_t i = (size_t)n; i < positions && i < (size_t)n + (size_t)k->n_rotations; i++)
        q[i] = m->q0[m->n + (int)i - n];
    for (int r = 0; r < rounds; r++) {
        double start = now();
        for (int i = 0; i < batch; i++) {
            k->positions(c, 0, q, m->inputs, b, w, v, g);
            k->dynamics(c, 0, q, qd, m->inputs, b, w, v, qdd, NULL);
            qd[0] += 1e-15 * qdd[0];
        }
        double each = (now() - start) / batch;
        if (each < best) best = each;
    }
    printf("%.6g", 1e6 * best);
    for (int i = 0; i < n; i++) printf(" %.12g", qdd[i]);
    printf("\n");
    return 0;
}
