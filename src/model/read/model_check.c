// Checks of several values together: moments of inertia that a body can have, and joints that lead
// from ground to every body.
#include "model/read/read.h"
#include "model/tolerances.h"

#include <math.h>
#include <stdlib.h>

// True if the symmetric matrix with diagonal d + more and off-diagonal entries o = (xy, xz, yz) is
// positive definite: its leading minors are positive.
static bool is_positive(const double *d, const double *o, double more) {
    double x = d[0] + more, y = d[1] + more, z = d[2] + more;
    return x > 0 && x * y - o[0] * o[0] > 0 &&
           x * (y * z - o[2] * o[2]) - o[0] * (o[0] * z - o[2] * o[1]) +
                   o[1] * (o[0] * o[2] - y * o[1]) >
               0;
}

// Moments of a real body: J is positive, and so is S = (tr J / 2) 1 - J, the second moments of its
// mass; S >= 0 is the triangle inequality of the principal moments. Rounded data may miss it by
// 1/1000.
void ct_check_inertia(ct_reader *r, const ct_yaml *node, int n, const double *inertia) {
    static const char *const names[] = {"Ixx", "Iyy", "Izz"};
    const char *what = ct_of(r, "inertia");
    // moments must not be negative; their scale, and how many are given
    double scale = 0, product[3], second[3];
    int nonzero = 0;
    for (int i = 0; i < 3; i++) {
        if (inertia[i] < 0) {
            ct_error_at(r->ctx, n == 1 ? node->place : node->item[i]->place,
                        "%s: %s is negative (%g): it must be zero or more", what, names[i],
                        inertia[i]);
            return;
        }
        product[i] = -inertia[3 + i];
        scale = fmax(scale, fmax(inertia[i], fabs(product[i])));
        nonzero += inertia[i] != 0;
    }
    if (n == 1 || scale == 0 || (nonzero == 1 && !product[0] && !product[1] && !product[2]))
        return; // a planar model may leave two moments out
    // J = d, o; S = (tr J / 2) 1 - J; both of order one
    double d[3], o[3];
    for (int i = 0; i < 3; i++) { // of order one, so that nothing overflows
        d[i] = inertia[i] / scale;
        o[i] = product[i] / scale;
    }
    for (int i = 0; i < 3; i++) {
        second[i] = (d[0] + d[1] + d[2]) / 2 - d[i];
        product[i] = -o[i];
    }
    // J and S must be positive, S with a margin for rounded data
    if (!is_positive(d, o, CT_INERTIA_DIGITS))
        ct_error_at(r->ctx, node->place,
                    "%s: no body has these products of inertia: the matrix is not positive "
                    "semidefinite; check Ixy, Ixz, Iyz",
                    what);
    else if (!is_positive(second, product, CT_INERTIA_ROUNDED))
        ct_error_at(r->ctx, node->place,
                    "%s: no body has these moments: the largest principal moment exceeds the sum "
                    "of the other two",
                    what);
}

static int group_of(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Checks that joints or constraints connect every body to ground; one message for each group of
// bodies that is loose.
void ct_check_reach(ct_reader *r) {
    const ct_model *m = r->model;
    if (r->loose) return;
    // union of bodies along joints and constraints (virtual joints hold nothing)
    int *parent = ct_scratch((size_t)m->n_bodies, sizeof *parent);
    int *size = ct_scratch((size_t)m->n_bodies, sizeof *size);
    for (int i = 0; i < m->n_bodies; i++) parent[i] = i;
    for (int i = 0; i < m->n_joints; i++)
        if (!m->joints[i].is_virtual && m->joints[i].body[0] >= 0 && m->joints[i].body[1] >= 0) {
            int a = group_of(parent, m->joints[i].body[0]),
                b = group_of(parent, m->joints[i].body[1]);
            parent[a > b ? a : b] = a > b ? b : a; // the first body stands for its group
        }
    // size of each group; all but that of ground are loose
    for (int i = 0; i < m->n_bodies; i++) size[group_of(parent, i)]++;
    for (int i = 1; i < m->n_bodies; i++) {
        if (parent[i] != i) continue;
        const char *name = ct_show(&r->shown, m->bodies[i].name);
        const char *others =
            size[i] > 1 ? ct_show_format(&r->shown, " (and %d more that hang on it)", size[i] - 1)
                        : "";
        bool switched = false;
        for (int k = 0; k < m->n_switched; k++)
            for (int s = 0; s < 2; s++) {
                int body = m->joints[m->n_joints + k].body[s];
                switched = switched || (body >= 0 && group_of(parent, body) == i);
            }
        ct_error_at(r->ctx, m->bodies[i].place,
                    "body '%s'%s is not connected to ground%s: add a joint (type: free where it "
                    "may move freely)",
                    name, others, switched ? " but by joints that come and go (active)" : "");
    }
}
