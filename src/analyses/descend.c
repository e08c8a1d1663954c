// The way down to a position of rest. Steps p along the tangents solve
//   min  -g . p + p^T K p / 2,   |p| <= radius  in the metric,
// exactly, in the eigenvectors of K: p_i = g_i / (k_i + shift). Work of the forces is added up along
// each step, which is taken where it is positive all the way. That is downhill for forces with a
// potential, and follows the overdamped motion for others. Tops and saddles are left along their most
// negative curvature. Newton's iteration alone finds what is nearest, stable or not.
#include "analyses/rest.h"
#include "analyses/tolerances.h"

#include <math.h>
#include <string.h>

// Workspace of a search.
typedef struct descent {
    ct_rest *rest;
    ct_rest_place *place, next;
    double load, radius, stride;
    double travelled; // where nothing has resisted, and steps there
    int flight;
    double *value, *vector; // eigenvalues of K in the metric, vectors as columns
    double *along;          // [r] force along them
    double *p, *d;          // step along tangents, of all coordinates
    bool is_symmetric;
} descent;

static void descent_init(descent *s, ct_rest *rest, ct_rest_place *place) {
    size_t n = (size_t)rest->n + 1;
    *s = (descent){.rest = rest,
                   .place = place,
                   .radius = CT_REST_FIRST,
                   .stride = rest->stride,
                   .value = ct_scratch(n, sizeof(double)),
                   .vector = ct_scratch(n * n, sizeof(double)),
                   .along = ct_scratch(n, sizeof(double)),
                   .p = ct_scratch(n, sizeof(double)),
                   .d = ct_scratch(n, sizeof(double))};
    ct_rest_place_init(rest, &s->next);
}

// The load at a place: the largest force of a coordinate, or the weight.
static double load_at(const ct_rest *rest, const ct_rest_place *place) {
    return fmax(rest->weight, ct_largest(rest->n, place->force));
}

// Curvatures of the place in the metric. Returns false if there are none.
static bool curvatures(descent *s) {
    const ct_rest_place *at = s->place;
    const int r = at->r;
    ct_stage stage = ct_stage_begin();
    double *sym = ct_scratch((size_t)r * (size_t)r + 1, sizeof *sym), skew = 0;
    for (int i = 0; i < r; i++)
        for (int k = 0; k < r; k++) {
            double x = at->stiffness[i * r + k], y = at->stiffness[k * r + i];
            sym[i * r + k] = (x + y) / 2;
            skew = fmax(skew, fabs(x - y));
        }
    s->is_symmetric = skew <= CT_REST_SYMMETRIC * ct_largest(r * r, at->stiffness);
    bool good = ct_eigen_symmetric(r, sym, at->metric, s->value, s->vector);
    for (int i = 0; i < r && good; i++) {
        s->along[i] = 0;
        for (int k = 0; k < r; k++) s->along[i] += s->vector[k * r + i] * at->g[k];
    }
    ct_stage_end(stage);
    return good;
}

// True if the position is one of no rest for others than the force: some direction leads down.
static bool leads_down(const descent *s) {
    const int r = s->place->r;
    if (!r) return false;
    double most = ct_largest(r, s->value);
    if (!(s->value[0] < -CT_REST_DOWN * most - CT_REST_NO_LOAD * s->load)) return false;
    if (s->is_symmetric) return true;
    // without a potential: the overdamped motion grows
    ct_stage stage = ct_stage_begin();
    double *re = ct_scratch((size_t)r, sizeof *re), *im = ct_scratch((size_t)r, sizeof *im);
    int n = ct_eigen_pencil(r, s->place->stiffness, s->place->metric, re, im);
    bool grows = false;
    for (int i = 0; i < n; i++) grows = grows || re[i] < -CT_REST_DOWN * most;
    ct_stage_end(stage);
    return grows;
}

// steps -------------------------------------------------------------------------------------------
// A direction without stiffness that nothing pushes along.
static bool is_idle(const descent *s, int i) {
    double most = ct_largest(s->place->r, s->value);
    return fabs(s->value[i]) <= CT_REST_DOWN * most + CT_REST_NO_LOAD * s->load &&
           fabs(s->along[i]) <= CT_REST_BALANCED * s->load;
}

// True if the force is none: beside the load, or by the way to where it vanishes.
static bool is_balanced(const descent *s) {
    const int r = s->place->r, n = s->rest->n;
    if (ct_largest(r, s->place->g) <= CT_REST_BALANCED * s->load) return true;
    for (int i = 0; i < r; i++) {
        if (is_idle(s, i)) continue;
        double x = fabs(s->along[i] / s->value[i]), most = 0;
        for (int k = 0; k < n; k++) {
            double way = 0;
            for (int c = 0; c < r; c++) way += s->place->b[k * r + c] * s->vector[c * r + i];
            most = fmax(most, fabs(way));
        }
        if (!(most * x * r < CT_REST_THERE)) return false;
    }
    return true;
}

static double step_length(const descent *s, double shift) {
    double square = 0;
    for (int i = 0; i < s->place->r; i++) {
        double x = is_idle(s, i) ? 0 : s->along[i] / (s->value[i] + shift);
        square += x * x;
    }
    return sqrt(square);
}

// The shift of the step that is as long as the radius allows; 0: Newton's step.
static double find_shift(const descent *s) {
    enum { ROUNDS = 120 };
    const int r = s->place->r;
    double most = ct_largest(r, s->value), floor = 0;
    for (int i = 0; i < r; i++)
        if (!is_idle(s, i)) floor = fmax(floor, -s->value[i]);
    if (!floor && step_length(s, 0) <= s->radius) return 0;
    // between a step that is too long and one that is too short
    double low = floor, high = floor + most + ct_largest(r, s->along) * sqrt(r) / s->radius;
    for (int k = 0; k < ROUNDS && high - low > 1e-15 * high; k++) {
        double middle = low > 0 && low < high / 4 ? sqrt(low) * sqrt(high) : (low + high) / 2;
        if (low == 0) middle = fmax(high / 1024, 1e-300);
        if (step_length(s, middle) > s->radius)
            low = middle;
        else
            high = middle;
        if (low == 0 && middle <= 1e-300) break;
    }
    return high;
}

// Sense of a direction along the tangents: positive for the first independent coordinate in it.
static double positive_sense(descent *s, const double *direction) {
    const int r = s->place->r;
    ct_rest_named named;
    ct_stage stage = ct_stage_begin();
    ct_rest_names(s->rest, s->place, &named);
    double *rate = ct_scratch((size_t)r, sizeof *rate), sense = 1;
    for (int i = 0; i < r; i++)
        for (int k = 0; k < r; k++)
            rate[i] += named.rate[named.independent[i] * r + k] * direction[k];
    for (int i = 0; i < r; i++)
        rate[i] /= named.is_angle[named.independent[i]] ? 1 : s->rest->f->length;
    double most = ct_largest(r, rate);
    for (int i = r - 1; i >= 0; i--)
        if (fabs(rate[i]) > CT_REST_TAKES_PART * most) sense = rate[i] < 0 ? -1 : 1;
    ct_stage_end(stage);
    return sense;
}

// Adds the most negative curvature to a step that is shorter than the radius.
static void go_down(descent *s) {
    const int r = s->place->r;
    ct_stage stage = ct_stage_begin();
    double *u = ct_scratch((size_t)r, sizeof *u), length = 0;
    for (int k = 0; k < r; k++) u[k] = s->vector[k * r];
    for (int i = 0; i < r; i++)
        for (int k = 0; k < r; k++) length += s->p[i] * s->place->metric[i * r + k] * s->p[k];
    double more = sqrt(fmax(0, s->radius * s->radius - length));
    bool pushed = fabs(s->along[0]) > CT_REST_ON_TOP * s->load;
    double sense = pushed ? (s->along[0] < 0 ? -1 : 1) : positive_sense(s, u);
    for (int k = 0; k < r && length < s->radius * s->radius; k++) s->p[k] += sense * more * u[k];
    ct_stage_end(stage);
}

// The step p at a place. Returns the work that it promises.
static double find_step(descent *s, bool down) {
    const ct_rest_place *at = s->place;
    const int r = at->r;
    double shift = find_shift(s), promised = 0;
    memset(s->p, 0, (size_t)r * sizeof *s->p);
    if (s->is_symmetric) {
        for (int i = 0; i < r; i++) {
            double x = is_idle(s, i) ? 0 : s->along[i] / (s->value[i] + shift);
            for (int k = 0; k < r; k++) s->p[k] += s->vector[k * r + i] * x;
        }
    } else { // (K + shift G) p = g
        ct_stage stage = ct_stage_begin();
        double *a = ct_scratch((size_t)r * (size_t)r, sizeof *a);
        for (int i = 0; i < r * r; i++) a[i] = at->stiffness[i] + shift * at->metric[i];
        ct_least_squares(r, r, a, at->g, CT_REST_NO_LOAD, s->p);
        ct_stage_end(stage);
    }
    if (down) go_down(s);
    // no longer than the stride of any coordinate
    memset(s->d, 0, (size_t)s->rest->n * sizeof *s->d);
    for (int k = 0; k < s->rest->n; k++)
        for (int c = 0; c < r; c++) s->d[k] += at->b[k * r + c] * s->p[c];
    double longest = ct_largest(s->rest->n, s->d), share = 1;
    if (longest > s->stride) share = s->stride / longest;
    for (int k = 0; k < s->rest->n; k++) s->d[k] *= share;
    for (int c = 0; c < r; c++) s->p[c] *= share;
    for (int i = 0; i < r; i++) {
        promised += at->g[i] * s->p[i];
        for (int k = 0; k < r; k++) promised -= s->p[i] * at->stiffness[i * r + k] * s->p[k] / 2;
    }
    return promised;
}

// Moves along the step in parts to next.q. *work: of the forces. Returns false if the loops do not
// close there, the forces are not finite, or the way leads up.
static bool follow(descent *s, double promised, double *work) {
    ct_rest *rest = s->rest;
    const size_t n = (size_t)rest->n, count = (size_t)ct_position_numbers(rest->f);
    ct_stage stage = ct_stage_begin();
    double *before = ct_scratch(count + 1, sizeof *before), *d = ct_scratch(n + 1, sizeof *d),
           *part = ct_scratch(n + 1, sizeof *part), *force = ct_scratch(n + 1, sizeof *force),
           *last = ct_scratch(n + 1, sizeof *last), longest = ct_largest(rest->n, s->d);
    bool good = true;
    *work = 0;
    memcpy(before, s->place->q, count * sizeof *before);
    memcpy(last, s->place->force, n * sizeof *last);
    for (int k = 1; k <= CT_REST_PARTS && good; k++) {
        double *q = s->next.q;
        memcpy(q, s->place->q, count * sizeof *q);
        for (size_t i = 0; i < n; i++) part[i] = s->d[i] * k / CT_REST_PARTS;
        ct_rest_move(rest, part, q);
        // closed again, beside the tangent and not elsewhere
        good = ct_rest_close(rest, q) && ct_rest_is_right_way(rest, q);
        ct_rest_difference(rest, s->place->q, q, d);
        for (size_t i = 0; i < n; i++) d[i] -= part[i];
        good = good && ct_largest(rest->n, d) <= CT_REST_BENT * longest;
        ct_rest_follow_angles(rest, q);
        // work = sum of (F + F before) . d / 2
        good = good && ct_rest_force(rest, q, force);
        ct_rest_difference(rest, before, q, d);
        double more = 0;
        for (size_t i = 0; i < n && good; i++) more += (force[i] + last[i]) / 2 * d[i];
        *work += more;
        good = good && more > -CT_REST_UPHILL * promised;
        memcpy(before, q, count * sizeof *before);
        memcpy(last, force, n * sizeof *last);
    }
    ct_stage_end(stage);
    return good;
}

static void swap(descent *s) {
    ct_rest_place other = *s->place;
    *s->place = s->next;
    s->next = other;
}

// One step that is taken; shorter ones are tried until one is. Returns false if none is.
static bool advance(descent *s, bool down) {
    while (s->radius > CT_REST_SHORTEST) {
        double promised = find_step(s, down), work, longest = ct_largest(s->rest->n, s->d);
        if (!(promised > 0)) return false;
        bool good = follow(s, promised, &work) && work >= CT_REST_ACCEPT * promised &&
                    ct_rest_place_find(s->rest, &s->next);
        double length = 0;
        const int r = s->place->r;
        for (int i = 0; i < r; i++)
            for (int k = 0; k < r; k++) length += s->p[i] * s->place->metric[i * r + k] * s->p[k];
        length = sqrt(length);
        if (!good) {
            s->radius = length / 4;
            s->stride = fmin(s->stride, s->rest->stride);
            if (longest < CT_REST_SHORTEST) return false;
            continue;
        }
        // a load that does not change: longer strides
        double bend = 0, push = 0;
        for (int i = 0; i < r; i++) {
            push += s->place->g[i] * s->p[i];
            for (int k = 0; k < r; k++) bend += s->p[i] * s->place->stiffness[i * r + k] * s->p[k];
        }
        bool constant = fabs(bend) < CT_REST_CONSTANT * longest * push &&
                        fabs(work - push) < CT_REST_CONSTANT * push;
        s->travelled = constant ? s->travelled + longest : 0;
        s->flight = constant ? s->flight + 1 : 0;
        s->stride = constant && !s->rest->has_spheres ? 2 * s->stride : s->rest->stride;
        if (work >= CT_REST_GOOD * promised && length > s->radius / 2) s->radius *= 2;
        swap(s);
        return true;
    }
    return false;
}

// Newton's step K p = g, and d of all coordinates. Returns the largest of these.
static double newton_step(descent *s) {
    const ct_rest_place *at = s->place;
    const int r = at->r, n = s->rest->n;
    ct_least_squares(r, r, at->stiffness, at->g, CT_REST_NO_LOAD, s->p);
    memset(s->d, 0, (size_t)n * sizeof *s->d);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < r; c++) s->d[i] += at->b[i * r + c] * s->p[c];
    return ct_largest(n, s->d);
}

// One of Newton's steps, no longer than `longest`, where it lowers what is left of the force.
static bool refine(descent *s, double longest) {
    ct_rest *rest = s->rest;
    const ct_rest_place *at = s->place;
    double left = ct_largest(at->r, at->g);
    if (left == 0 || !(newton_step(s) < longest)) return false;
    memcpy(s->next.q, at->q, (size_t)ct_position_numbers(rest->f) * sizeof *at->q);
    ct_rest_move(rest, s->d, s->next.q);
    if (!ct_rest_close(rest, s->next.q) || !ct_rest_is_right_way(rest, s->next.q)) return false;
    ct_rest_follow_angles(rest, s->next.q);
    if (!ct_rest_place_find(rest, &s->next) || s->next.r != at->r) return false;
    if (!(ct_largest(at->r, s->next.g) < left)) return false;
    swap(s);
    return true;
}

static void polish(descent *s) {
    for (int k = 0; k < CT_REST_POLISHING && refine(s, CT_REST_STRIDE); k++) continue;
}

ct_rest_end ct_rest_descend(ct_context *ctx, ct_rest *rest, ct_rest_place *place,
                            ct_rest_search *search) {
    descent s;
    descent_init(&s, rest, place);
    if (!ct_rest_place_find(rest, place)) return CT_REST_NOT_FINITE;
    for (search->iterations = 0; search->iterations < CT_REST_ITERATIONS; search->iterations++) {
        ct_report(ctx, "going downhill", -1, false);
        s.load = search->load = load_at(rest, place);
        if (!curvatures(&s)) return CT_REST_NOT_FINITE;
        // at rest: done, unless a direction leads down from here
        bool rests = is_balanced(&s), down = leads_down(&s);
        if (rests && !down) {
            polish(&s);
            return CT_REST_FOUND;
        }
        if (rests) s.radius = CT_REST_FIRST;
        // near rest the work is too small to be seen: by what is left of the force
        if (!down && refine(&s, CT_REST_NEAR)) continue;
        if (!advance(&s, down)) return CT_REST_NONE;
        search->last = s.d;
        if (s.travelled > CT_REST_FAR || s.flight > CT_REST_FLIGHT) return CT_REST_FREE;
    }
    return CT_REST_NONE;
}

ct_rest_end ct_rest_newton(ct_rest *rest, ct_rest_place *place, ct_rest_search *search) {
    descent s;
    descent_init(&s, rest, place);
    const size_t count = (size_t)ct_position_numbers(rest->f);
    if (!ct_rest_place_find(rest, place)) return CT_REST_NOT_FINITE;
    for (search->iterations = 0; search->iterations < CT_REST_NEWTON; search->iterations++) {
        s.load = search->load = load_at(rest, place);
        if (!curvatures(&s)) return CT_REST_NOT_FINITE;
        if (is_balanced(&s)) {
            polish(&s);
            return CT_REST_FOUND;
        }
        // K p = g, no longer than the stride
        double longest = newton_step(&s), share = 1;
        if (longest > CT_REST_STRIDE) share = CT_REST_STRIDE / longest;
        // halved where the loops do not close
        for (int cut = 0; cut < CT_REST_CLOSING; cut++, share /= 2) {
            double *d = s.along;
            for (int i = 0; i < rest->n; i++) d[i] = share * s.d[i];
            memcpy(s.next.q, place->q, count * sizeof *place->q);
            ct_rest_move(rest, d, s.next.q);
            if (ct_rest_close(rest, s.next.q) && ct_rest_is_right_way(rest, s.next.q)) break;
        }
        ct_rest_follow_angles(rest, s.next.q);
        if (!ct_rest_place_find(rest, &s.next)) return CT_REST_NOT_FINITE;
        swap(&s);
    }
    return CT_REST_NONE;
}
