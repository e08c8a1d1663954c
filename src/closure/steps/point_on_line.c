// Points that a line holds. Of the two planes across a line,
//   n1 . p = v1,  n2 . p = v2,
// one gives a slide of direction d, which moves p: its pivot n1 . d becomes zero where the slide is
// parallel to that plane, while the line may well cut it. Both together give
//   s |d x l|^2 = -(a1 (n1 . r - v1) + a2 (n2 . r - v2)),   a = n . d,
// with p = r + s d, l = n1 x n2: a pivot that becomes zero only where slide and line are parallel.
// What they say across both directions, a2 (n1 . r - v1) = a1 (n2 . r - v2), has no slide in it.
#include "closure/steps/builder.h"

#include <stdlib.h>

static ct_ex let(const ct_step_builder *build, ct_ex a) {
    return ct_let(build->pool, a);
}

static bool is_fixed(const ct_step_builder *build, ct_ex a) { // by parameters
    return !(ct_ex_kinds(build->pool, a) & ~(1u << CT_SYMBOL_PARAMETER));
}

static ct_vec3 normal_of(const ct_step_builder *build, const ct_relation *r, int frame) {
    return ct_steps_vector(build, ct_steps_normal(build, r, frame));
}

// Both planes for p = rest + s along: pivots a and what is left without the slide.
typedef struct line {
    ct_ex a[2], left[2], square;
} line;

static line line_of(const ct_step_builder *build, const ct_relation *r, int frame, ct_vec3 rest,
                    ct_vec3 along) {
    ct_pool *pool = build->pool;
    ct_relation both[2] = {*r, ct_relation_mate(r)};
    line l;
    for (int i = 0; i < 2; i++) {
        ct_vec3 n = normal_of(build, both + i, frame);
        l.a[i] = let(build, ct_steps_dot(build, n, along));
        l.left[i] =
            ct_sub(pool, ct_steps_dot(build, n, rest), ct_steps_replace(build, both[i].value));
    }
    l.square =
        let(build, ct_add(pool, ct_power_int(pool, l.a[0], 2), ct_power_int(pool, l.a[1], 2)));
    return l;
}

// The text of a step that uses both planes.
static void say(const ct_step_builder *build, const ct_segment *seg, const ct_relation *r) {
    ct_step *step = build->closure->steps + seg->step;
    step->text = ct_format("point of %s on a line at '%s'", build->f->model->bodies[r->x].name,
                           ct_steps_source(build, r));
}

// The slide by both planes, s = -(a1 left1 + a2 left2) / (a1^2 + a2^2), with a guard on the
// divisor.
static ct_ex slide_of(const ct_step_builder *build, ct_segment *seg, const ct_relation *r,
                      int frame, ct_vec3 rest, ct_vec3 along) {
    ct_pool *pool = build->pool;
    line l = line_of(build, r, frame, rest, along);
    say(build, seg, r);
    ct_steps_pivot(build, seg, l.square);
    ct_ex sum = ct_add(pool, ct_mul(pool, l.a[0], l.left[0]), ct_mul(pool, l.a[1], l.left[1]));
    return ct_neg(pool, ct_div(pool, sum, l.square));
}

// Returns true if a slide along this direction (in values, in the frame) needs both planes of a
// line: the pivot of the first can vanish, and the second one sees the slide.
static bool needs_both(const ct_step_builder *build, const ct_relation *r, int frame,
                       ct_vec3 along) {
    if (!r->line) return false;
    ct_relation m = ct_relation_mate(r);
    return !is_fixed(build, ct_steps_dot(build, normal_of(build, r, frame), along)) &&
           ct_steps_dot(build, normal_of(build, &m, frame), along) != CT_ZERO;
}

// The equation for the slide's rate, with the pivots as factors that are not differentiated: its
// own pivot is the sum of their squares.
static ct_ex psi_of(const ct_step_builder *build, const ct_relation *r, int frame, ct_ex slide) {
    ct_pool *pool = build->pool;
    ct_relation both[2] = {*r, ct_relation_mate(r)};
    ct_ex sum = CT_ZERO;
    for (int i = 0; i < 2; i++) {
        ct_ex psi = ct_steps_psi(build, both + i, frame);
        sum =
            ct_add(pool, sum, ct_mul(pool, ct_steps_frozen(build, ct_diff(pool, psi, slide)), psi));
    }
    return sum;
}

bool ct_steps_slide_on_line(const ct_step_builder *build, ct_segment *seg, const ct_relation *r,
                            int frame, const ct_unknown *slide, const ct_affine *v) {
    if (!needs_both(build, r, frame, v->cosine)) return false;
    ct_values_set_slide(build->values, seg, slide->coordinate,
                        slide_of(build, seg, r, frame, v->rest, v->cosine));
    ct_ex psi = psi_of(build, r, frame, build->f->q[slide->coordinate]);
    ct_steps_rate_block(build, 1, &slide->coordinate, &psi);
    return true;
}

void ct_steps_cylinder_on_line(const ct_step_builder *build, const ct_relation *r, ct_segment *seg,
                               int frame, const ct_unknown *slide, const ct_unknown *turn,
                               const ct_affine *by_turn, ct_vec3 along) {
    ct_pool *pool = build->pool;
    ct_relation both[2] = {*r, ct_relation_mate(r)};
    // angle: a2 (n1 . p - v1) = a1 (n2 . p - v2), without the slide
    line l = line_of(build, r, frame, by_turn->rest, along);
    ct_ex part[3], c, sn;
    const ct_vec3 *by[2] = {&by_turn->cosine, &by_turn->sine};
    for (int i = 0; i < 2; i++)
        part[i] = ct_sub(
            pool, ct_mul(pool, l.a[1], ct_steps_dot(build, normal_of(build, both, frame), *by[i])),
            ct_mul(pool, l.a[0], ct_steps_dot(build, normal_of(build, both + 1, frame), *by[i])));
    part[2] = ct_sub(pool, ct_mul(pool, l.a[0], l.left[1]), ct_mul(pool, l.a[1], l.left[0]));
    ct_steps_trig(build, seg, turn, part[0], part[1], part[2], &c, &sn);
    ct_steps_set(build, seg, turn->angle_sum, c, sn);
    // slide: from both planes, with the angle found
    seg = ct_steps_more(build);
    ct_vec3 rest = ct_vec_add(pool, by_turn->rest,
                              ct_vec_add(pool, ct_vec_scale(pool, turn->c, by_turn->cosine),
                                         ct_vec_scale(pool, turn->s, by_turn->sine)));
    ct_values_set_slide(build->values, seg, slide->coordinate,
                        slide_of(build, seg, r, frame, rest, along));
    // rates: both planes
    int k[2] = {slide->coordinate, turn->coordinate};
    ct_ex psi[2] = {ct_steps_psi(build, both, frame), ct_steps_psi(build, both + 1, frame)};
    ct_steps_rate_block(build, 2, k, psi);
}
