// Times that were published for the same mechanisms and approaches (Uchida 2011, on a Pentium 4):
// only their ratios are of use here. One line per mechanism, by the name of its file.
#include "measure/bench.h"

#include <math.h>
#include <string.h>

#define SOURCE "Uchida 2011"

typedef struct published {
    const char *model, *approach; // approach: how its name begins
    double kinematic, dynamic;    // ms; 0: not published
} published;

static const published table[] = {
    // iterated there to the same tolerance as the others: 1.50 ms and 2.50 ms
    {"stephenson3_beta", "triangular", 1.50, 0},
    {"stephenson3_beta", "newton 1e-3", 2.71, 0},
    {"stephenson3_beta", "newton 1e-6", 3.96 * 1.50 / 2.50, 0},
    {"stephenson3_theta", "triangular", 0.85, 0},
    {"stephenson3_theta", "newton 1e-3", 2.71, 0},
    {"stephenson3_theta", "newton 1e-6", 3.70, 0},
    {"three_rrr", "triangular", 4.58, 15.00},
    {"three_rrr", "newton 1e-3", 5.62, 16.76},
    {"three_rrr", "newton 1e-6", 10.26, 21.35},
    {"three_rrr_mixed", "triangular", 3.25, 9.70},
    {"three_rrr_mixed", "newton 1e-3", 9.22, 17.08},
    {"three_rrr_mixed", "newton 1e-6", 16.72, 23.44},
    {"gough_stewart", "triangular", 2.7, 10.3},
    {"gough_stewart", "newton-loops 1e-3", 5.6, 13.3},
    {"gough_stewart", "newton-loops 1e-6", 9.2, 16.6},
    {"gough_stewart", "newton 1e-3", 37.7, 45.3},
    {"gough_stewart", "newton 1e-6", 73.8, 80.6},
    {"gough_stewart", "baumgarte", 0, 43.3},
    {"gough_stewart", "penalty", 0, 85.7},
    {"five_link", "triangular", 5.5, 15.5},
    {"five_link", "newton-loops 1e-6", 9.9, 18.3},
    {"five_link", "newton 1e-6", 47.8, 55.7},
    {"five_link", "baumgarte", 0, 28.5},
    {"five_link", "penalty", 0, 29.9},
};

// Feedback that was used there: the best of whole numbers up to 20.
typedef struct gains {
    const char *model;
    double alpha, beta, zeta, omega;
} gains;

static const gains gains_table[] = {{"gough_stewart", 1, 18, 1, 18}, {"five_link", 7, 17, 7, 17}};

// "newton dense 1e-3" is "newton 1e-3", too
static bool same_approach(const char *name, const char *approach) {
    static const char dense[] = " dense";
    const char *d = strstr(name, dense);
    if (!d) return !strcmp(name, approach);
    size_t head = (size_t)(d - name);
    return !strncmp(name, approach, head) && !strcmp(d + strlen(dense), approach + head);
}

static const published *find(const char *model, const char *approach) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].model, model) && same_approach(approach, table[i].approach))
            return table + i;
    return NULL;
}

const char *ct_published_ratios(const char *model, const char *approach, double *kinematic,
                                double *dynamic) {
    const published *first = find(model, "triangular"), *p = find(model, approach);
    *kinematic = *dynamic = NAN;
    if (!first) return NULL;
    if (p && p->kinematic > 0) *kinematic = p->kinematic / first->kinematic;
    if (p && p->dynamic > 0) *dynamic = p->dynamic / first->dynamic;
    return SOURCE;
}

void ct_published_gains(const char *model, ctk_options *o) {
    for (size_t i = 0; i < sizeof gains_table / sizeof *gains_table; i++) {
        const gains *g = gains_table + i;
        if (strcmp(g->model, model)) continue;
        o->alpha = g->alpha;
        o->beta = g->beta;
        o->zeta = g->zeta;
        o->omega = g->omega;
    }
}
