/* mj_forward of MuJoCo, without contacts, limits and sensors: microseconds, the least of many rounds, and accelerations
 * at the start. Arguments: an MJCF file, its state (qpos, then qvel, numbers in a file), calls in a round. */
#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    char error[1000] = "";
    if (argc < 4) return 2;
    mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
    FILE *state = fopen(argv[2], "r");
    if (!m || !state) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    mjData *d = mj_makeData(m);
    for (int i = 0; i < m->nq + m->nv; i++)
        if (fscanf(state, "%lf", i < m->nq ? d->qpos + i : d->qvel + i - m->nq) != 1) return 1;
    const int rounds = 200, batch = atoi(argv[3]);
    double best = 1e30;
    for (int r = 0; r < rounds; r++) {
        double start = now();
        for (int i = 0; i < batch; i++) {
            mj_forward(m, d);
            d->qvel[0] += 1e-15 * d->qacc[0];
        }
        double each = (now() - start) / batch;
        if (each < best) best = each;
    }
    printf("%.6g", 1e6 * best);
    for (int i = 0; i < m->nv; i++) printf(" %.12g", d->qacc[i]);
    printf("\n");
    return 0;
}
