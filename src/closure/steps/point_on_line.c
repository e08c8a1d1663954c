// Points that a line holds. Of the two planes across a line,
//   n1 . p = v1,  n2 . p = v2,
// one gives a slide of direction d, which moves p: its pivot n1 . d becomes zero where the slide is
// parallel to that plane, while the line may well cut it. Both together give
//   s |d x l|^2 = -(a1 (n1 . r - v1) + a2 (n2 . r - v2)),   a = n . d,
// with p = r + s d, l = n1 x n2: a pivot that becomes zero only where slide and line are parallel.
// What they say across both directions, a2 (n1 . r - v1) = a1 (n2 . r - v2), has no slide in it.
#include "closure/steps/builder.h"

#include <stdlib.h>

static ct_ex let(const ct_steps *b, ct_ex a) {
    return ct_let(b->pool, a);
}

static ct_ex dot(const ct_steps *b, ct_vec3 a, ct_vec3 c) {
    return ct_vec_dot(b->pool, a, c);
}

static bool is_fixed(const ct_steps *b, ct_ex a) { // by parameters
    return !(ct_ex_kinds(b->pool, a) & ~(1u << CT_SYMBOL_PARAMETER));
}

static ct_vec3 normal_of(const ct_steps *b, const ct_relation *r, int frame) {
    return ct_steps_vector(b, ct_steps_normal(b, r, frame));
}

// Both planes for p = rest + s along: pivots a and what is left without the slide.
typedef struct line {
    ct_ex a[2], left[2], square;
} line;

static line line_of(const ct_steps *b, const ct_relation *r, int frame, ct_vec3 rest,
                    ct_vec3 along) {
    ct_pool *pool = b->pool;
    ct_relation both[2] = {*r, ct_relation_mate(r)};
    line l;
    for (int i = 0; i < 2; i++) {
        ct_vec3 n = normal_of(b, both + i, frame);
        l.a[i] = let(b, dot(b, n, along));
        l.left[i] = ct_sub(pool, dot(b, n, rest), ct_steps_replace(b, both[i].value));
    }
    l.square = let(b, ct_add(pool, ct_power_int(pool, l.a[0], 2), ct_power_int(pool, l.a[1], 2)));
    return l;
}

// The step takes both planes.
static void say(const ct_steps *b, const ct_segment *s, const ct_relation *r) {
    ct_step *step = b->closure->steps + s->step;
    ct_free(step->text);
    step->text = ct_format("point of %s on a line at '%s'", b->f->model->bodies[r->x].name,
                           ct_steps_source(b, r));
}

static ct_ex slide_of(const ct_steps *b, ct_segment *s, const ct_relation *r, int frame,
                      ct_vec3 rest, ct_vec3 along) {
    ct_pool *pool = b->pool;
    line l = line_of(b, r, frame, rest, along);
    say(b, s, r);
    ct_steps_pivot(b, s, l.square);
    ct_ex sum = ct_add(pool, ct_mul(pool, l.a[0], l.left[0]), ct_mul(pool, l.a[1], l.left[1]));
    return ct_neg(pool, ct_div(pool, sum, l.square));
}

// Does a slide along this direction (replaced, in the frame) need both planes of a line?
static bool needs_both(const ct_steps *b, const ct_relation *r, int frame, ct_vec3 along) {
    if (!r->line) return false;
    ct_relation m = ct_relation_mate(r);
    return !is_fixed(b, dot(b, normal_of(b, r, frame), along)) &&
           dot(b, normal_of(b, &m, frame), along) != CT_ZERO;
}

// The equation for the slide's rate, with the pivots as factors that are not differentiated: its
// own pivot is the sum of their squares.
static ct_ex psi_of(const ct_steps *b, const ct_relation *r, int frame, ct_ex slide) {
    ct_pool *pool = b->pool;
    ct_relation both[2] = {*r, ct_relation_mate(r)};
    ct_ex sum = CT_ZERO;
    for (int i = 0; i < 2; i++) {
        ct_ex psi = ct_steps_psi(b, both + i, frame);
        sum = ct_add(pool, sum, ct_mul(pool, ct_steps_frozen(b, ct_diff(pool, psi, slide)), psi));
    }
    return sum;
}

bool ct_steps_slide_on_line(const ct_steps *b, ct_segment *s, const ct_relation *r, int frame,
                            const ct_unknown *slide, const ct_affine *v) {
    if (!needs_both(b, r, frame, v->cosine)) return false;
    ct_forms_set_slide(b->forms, s, slide->coordinate,
                       slide_of(b, s, r, frame, v->rest, v->cosine));
    ct_ex psi = psi_of(b, r, frame, b->f->q[slide->coordinate]);
    ct_steps_block(b, 1, &slide->coordinate, &psi);
    return true;
}

void ct_steps_cylinder_on_line(const ct_steps *b, const ct_relation *r, ct_segment *s, int frame,
                               const ct_unknown *slide, const ct_unknown *turn,
                               const ct_affine *by_turn, ct_vec3 along) {
    ct_pool *pool = b->pool;
    ct_relation both[2] = {*r, ct_relation_mate(r)};
    line l = line_of(b, r, frame, by_turn->rest, along);
    ct_ex part[3], c, sn;
    const ct_vec3 *by[2] = {&by_turn->cosine, &by_turn->sine};
    for (int i = 0; i < 2; i++)
        part[i] = ct_sub(pool, ct_mul(pool, l.a[1], dot(b, normal_of(b, both, frame), *by[i])),
                         ct_mul(pool, l.a[0], dot(b, normal_of(b, both + 1, frame), *by[i])));
    part[2] = ct_sub(pool, ct_mul(pool, l.a[0], l.left[1]), ct_mul(pool, l.a[1], l.left[0]));
    ct_steps_trig(b, s, turn, part[0], part[1], part[2], &c, &sn);
    ct_steps_set(b, s, turn->form, c, sn);
    s = ct_steps_more(b);
    ct_vec3 rest = ct_vec_add(pool, by_turn->rest,
                              ct_vec_add(pool, ct_vec_scale(pool, turn->c, by_turn->cosine),
                                         ct_vec_scale(pool, turn->s, by_turn->sine)));
    ct_forms_set_slide(b->forms, s, slide->coordinate, slide_of(b, s, r, frame, rest, along));
    int k[2] = {slide->coordinate, turn->coordinate};
    ct_ex psi[2] = {ct_steps_psi(b, both, frame), ct_steps_psi(b, both + 1, frame)};
    ct_steps_block(b, 2, k, psi);
}
