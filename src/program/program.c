// Names and memory of a closure.
#include "closure/closure.h"
#include "formulate/ball.h"

#include <stdlib.h>
#include <string.h>

const char *ct_step_method_name(ct_step_method method) {
    static const char *const names[] = {"given",   "linear",     "quadratic", "cubic",
                                        "quartic", "polynomial", "newton"};
    return names[method];
}

static void program_clear(ct_program *p) {
    for (int i = 0; i < p->n; i++) {
        ct_segment *s = p->segments + i;
        free(s->unknown);
        free(s->is_angle);
        free(s->last);
        free(s->residual);
        free(s->matrix);
        free(s->right);
        free(s->sets);
        free(s->follows);
        free(s->guards);
    }
    free(p->segments);
    free(p->x);
}

int ct_program_alike(const ct_program *p, int segment) {
    const ct_segment *own = p->segments + segment;
    size_t size = (size_t)(own->n * own->n) * sizeof *own->matrix;
    int first = 0;
    for (; first < segment; first++) {
        const ct_segment *s = p->segments + first;
        if (s->kind == CT_SEGMENT_SOLVE && s->n == own->n && !memcmp(s->matrix, own->matrix, size))
            break;
    }
    return first;
}

// counting ---------------------------------------------------------------------------------------
static void add(ct_operations *count, double sums, double products, double quotients) {
    count->add += sums;
    count->mul += products;
    count->div += quotients;
}

// L and U, with the check of the pivots; then the right sides.
static void count_elimination(double n, double columns, bool factor, ct_operations *count) {
    double whole = n * (n - 1) * (2 * n - 1) / 6, each = n * (n - 1);
    if (factor) add(count, whole + n * n, whole + n * n + n * (n - 1) / 2, n);
    add(count, columns * each, columns * (each + n), 0);
}

// Cosine and sine where an angle is expected, their correction, and length 1 again.
static void count_turns(int angles, ct_operations *count) {
    add(count, 20 * angles, 28 * angles, 0);
}

// Harmonics of one angle up to the multiple m, with two derivatives; Chebyshev's correction.
static void count_turn_root(double m, ct_operations *count) {
    add(count, 7 * m + 6, 12 * m + 16, 2);
    count_turns(1, count);
}

// The same of two equations in two angles: nine sums of harmonics.
static void count_block_root(double m, ct_operations *count) {
    add(count, 12 * m + 6 * (2 * m + 1) + 44, 24 * m + 8 * (2 * m + 1) + 72, 2);
    count_turns(2, count);
}

// Closed forms up to degree 4, corrections of two unknowns counted three times.
static void count_slide_root(double left, double parts, ct_operations *count) {
    bool closed = left > 0 && left <= 4;
    add(count, (closed ? 10 : 4) * left * left + 36 * parts,
        (closed ? 12 : 5) * left * left + 36 * parts,
        (closed     ? 12
         : left > 0 ? 4
                    : 0) +
            (parts > 0 ? 6 : 0));
    count->func += (closed ? 8 : left > 0 ? 3 : 0) + (parts > 0 ? 10 : 0);
}

void ct_segment_count(const ct_program *p, int segment, ct_operations *count) {
    const ct_segment *s = p->segments + segment;
    int parts = (s->columns - s->first) / 6, angles = 0;
    for (int i = 0; i < s->n && s->is_angle; i++) angles += s->is_angle[i];
    if (s->kind == CT_SEGMENT_SOLVE && s->n == 1) add(count, 0, s->columns, 1);
    if (s->kind == CT_SEGMENT_SOLVE && s->n > 1)
        count_elimination(s->n, s->columns, ct_program_alike(p, segment) == segment, count);
    if (s->kind == CT_SEGMENT_NEWTON) {
        count_elimination(s->n, 1, true, count);
        count_turns(angles, count);
    }
    if (s->kind != CT_SEGMENT_ROOT) return;
    if (!angles || (parts && !s->is_angle[1]))
        count_slide_root(s->first ? s->first - 1 : 0, parts, count);
    else if (parts)
        count_block_root(parts / 2, count);
    else
        count_turn_root(s->first / 2, count);
}

void ct_closure_free(ct_closure *c) {
    if (!c) return;
    free(c->independent);
    free(c->dependent);
    free(c->is_independent);
    free(c->value);
    free(c->direct);
    free(c->sign);
    free(c->sign_of);
    free(c->tracked);
    free(c->tracked_direct);
    program_clear(&c->positions);
    program_clear(&c->dynamics);
    program_clear(&c->expansion);
    free(c->accelerations);
    free(c->q_value);
    free(c->q_sine);
    free(c->q_cosine);
    for (int i = 0; i < c->n_steps; i++) {
        for (int k = 0; k < c->steps[i].n_unknowns; k++) free(c->steps[i].unknowns[k]);
        free(c->steps[i].unknowns);
        free(c->steps[i].text);
    }
    free(c->steps);
    for (int i = 0; i < c->n_blocks; i++) {
        free(c->blocks[i].unknown);
        free(c->blocks[i].psi);
    }
    free(c->blocks);
    for (int i = 0; i < c->n_loops; i++) {
        free(c->loops[i].rows);
        free(c->loops[i].unknown);
    }
    free(c->loops);
    free(c->late);
    ct_formulation_free(c->own);
    free(c);
}
