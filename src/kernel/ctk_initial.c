// The initial state for parameters that are not the model's own. Coordinates under `initial` are
// held, motions bind; the bodies move as little as possible from the start that `guess` describes,
//   min  sum over bodies of  |c - c0|^2 + L^2 |theta|^2   subject to   Phi(q, 0) = 0,
// with the centre of mass c, the rotation vector theta from the start's orientation, and the length
// L of the mechanism. Then rates with  Phi_q q' = -Phi_t  and the smallest velocities in joints. It
// is what cotree does when it reads a model (src/assemble), step for step, so that both come to the
// same state.
#include "ctk_internal.h"

#include <stdint.h>

#include "ctk_angles.h"

// Steps and |Phi| are pure numbers: angles in radians, lengths in those of the mechanism.
enum { STEPS = 60, CUTS = 8, ATTEMPTS = 80 }; // of a descent; halvings of a step; starts
static const double CUTOFF = 1e-9;            // singular values: smaller ones are no direction
static const double DEPENDENT = 1e-8;         // of the largest: the same for what is left free
static const double ROUNDING = 1e-12;         // of the longest row: a row that cancels
static const double FLOOR = 1e-13;            // length of a row of Phi_q: rounding
static const double STRIDE = 0.6;             // a linear step is trusted no farther
static const double GAIN = 0.1;               // of the decrease that a step promises: less is none
static const double NEAR = 1e-8;              // |Phi|: so near it may grow, by rounding
static const double NEAR_STEP = 1e-4;         // with steps as short as this
static const double SHUT = 1e-9;              // |Phi|: closed, if it does not fall any more
static const double REST = 1e-9;              // and if the step is as short as this
static const double SLOW = 0.9;    // of the step before: towards the nearest place no shorter one
static const double STILL = 1e-14; // a step that is rounding
static const double HALF_TURN = 1e-6;     // sine of a rotation: below it near half a turn
static const double CLOSED = 1e-10;       // |Phi|: a closed position
static const double WRONG_ROUND = 1e3;    // times that: a joint the wrong way round
static const double FIRST_WAY = 1e-3;     // from the start to the one beside it
static const double FARTHEST = 3000;      // times that: half a turn
static const double RATES_CUTOFF = 1e-10; // singular values: smaller ones are no direction
static const double RATES_OPEN = 1e-8;    // of the largest rate, at least 1: a contradiction

// The problem at hand: the model's, with numbers for its parameters, and room to work in.
typedef struct problem {
    const ctk_initial *i;
    const double *c, *u;
    double scale, unit;            // length of the mechanism; the same as a power of two
    double *start, *rate, *q, *qd; // [n]
    double *trial, *kept, *next, *step, *z, *size;
    double *phi, *right;         // [m]
    double *full, *columns;      // Phi_q [m n]; its free columns, then U S
    double *basis, *other;       // V [n n]
    double *gap, *rest;          // [6 bodies], or joints
    double *twist, *near, *left; // [6 bodies n], the others also joints
    double *arm, *given;         // [3 joints], [6 n]
    double *pose0, *pose;        // [12 bodies]: centre of mass, orientation row by row
    double *guard, *angle;       // [guards], [3 guards]
    double *turns;               // [12 rotations]
    int *which, n_free;
} problem;

// Room inside `memory`, or (NULL) only its size. Returns how many numbers that takes.
static size_t lay_out(problem *p, const ctk_initial *i, int n_rotations, double *memory) {
    const size_t n = (size_t)i->n, m = (size_t)i->m, bodies = (size_t)i->n_bodies;
    const size_t joints = (size_t)i->n_joints, rows = 6 * (bodies > joints ? bodies : joints);
    const size_t guards = (size_t)i->n_guards, most = m > rows ? m : rows;
    // all arrays with their sizes
    const struct {
        double **array;
        size_t count;
    } all[] = {{&p->start, n},
               {&p->rate, n},
               {&p->q, n},
               {&p->qd, n},
               {&p->trial, n},
               {&p->kept, n},
               {&p->next, n},
               {&p->step, n},
               {&p->z, n},
               {&p->size, n},
               {&p->phi, m},
               {&p->right, most},
               {&p->full, m * n},
               {&p->columns, m * n},
               {&p->basis, n * n},
               {&p->other, n * n},
               {&p->gap, rows},
               {&p->rest, rows},
               {&p->twist, 6 * bodies * n},
               {&p->arm, 3 * joints},
               {&p->given, 6 * n},
               {&p->near, rows * n},
               {&p->left, rows * n},
               {&p->pose0, 12 * bodies},
               {&p->pose, 12 * bodies},
               {&p->guard, guards},
               {&p->angle, 3 * guards},
               {&p->turns, 12 * (size_t)n_rotations}};
    // one behind the other
    size_t used = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        *all[k].array = memory ? memory + used : NULL;
        used += all[k].count;
    }
    return used > (size_t)i->n_conditions ? used : (size_t)i->n_conditions;
}

size_t ctk_initial_doubles(const ctk_model *model) {
    problem p;
    return lay_out(&p, model->initial, model->n_rotations, NULL);
}

size_t ctk_initial_ints(const ctk_model *model) {
    return (size_t)model->initial->n;
}

// least squares ------------------------------------------------------------------------------------
static int all_finite(int n, const double *x) {
    return isfinite(ctk_norm(n, x));
}

// The smallest step with  A x = b  in the least-squares sense; A in p->columns, b in p->right.
static void shortest(problem *p, double *x) {
    const int m = p->i->m, n = p->n_free;
    for (int k = 0; k < n; k++) x[k] = 0;
    if (!m || !n || !all_finite(m * n, p->columns) || !all_finite(m, p->right)) return;
    const double most = ctk_singular_values(m, n, p->columns, p->basis, p->size);
    ctk_solve_along(m, n, p->columns, p->basis, p->size, p->right, CUTOFF * most, x);
}

// The x with  A x = b  (rows of length one; directions below the cutoff are free) that makes
// |g + J x|  smallest; J [rows] in p->near, g in p->gap.
static void nearest(problem *p, double cutoff, int rows, double *x) {
    const int m = p->i->m, n = p->n_free;
    double longest = 0, *v = p->basis;
    int n_left = 0;
    for (int k = 0; k < n; k++) x[k] = 0;
    if (!n || !all_finite(m * n, p->columns) || !all_finite(m, p->right)) return;
    // rows of length one; rows that are rounding bind nothing
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < m; i++) {
            double square = 0;
            for (int k = 0; k < n; k++) square += p->columns[k * m + i] * p->columns[k * m + i];
            const double length = sqrt(square);
            if (!pass) longest = ctk_larger(longest, length);
            const double f = length > ROUNDING * longest ? 1 / length : 0;
            for (int k = 0; k < n && pass; k++) p->columns[k * m + i] *= f;
            if (pass) p->right[i] *= f;
        }
    // a solution, the shortest
    ctk_singular_values(m, n, p->columns, v, p->size);
    ctk_solve_along(m, n, p->columns, v, p->size, p->right, cutoff, x);
    // J N z = -g - J x  with the free directions N
    for (int i = 0; i < rows; i++) {
        double g = -p->gap[i];
        for (int k = 0; k < n; k++) g -= p->near[k * rows + i] * x[k];
        p->rest[i] = g;
    }
    for (int k = 0; k < n; k++) {
        if (p->size[k] > cutoff) continue;
        for (int i = 0; i < n; i++) v[n_left * n + i] = v[k * n + i];
        double *to = p->left + (size_t)n_left++ * rows;
        for (int i = 0; i < rows; i++) to[i] = 0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < rows; i++) to[i] += p->near[j * rows + i] * v[(n_left - 1) * n + j];
    }
    if (!n_left || !rows || !all_finite(rows * n_left, p->left) || !all_finite(rows, p->rest))
        return;
    for (int k = 0; k < n_left; k++) p->z[k] = 0;
    const double most = ctk_singular_values(rows, n_left, p->left, p->other, p->size);
    ctk_solve_along(rows, n_left, p->left, p->other, p->size, p->rest, DEPENDENT * most, p->z);
    for (int k = 0; k < n_left; k++)
        for (int i = 0; i < n; i++) x[i] += p->z[k] * v[k * n + i];
}

// equations ---------------------------------------------------------------------------------------
static double slide_unit(const problem *p, int k, double length) {
    return p->i->is_angle[k] ? 1 : length;
}

static double row_unit(const problem *p, int row) {
    const int power = p->i->row_power[row];
    return power == 2 ? p->unit * p->unit : power ? p->unit : 1;
}

// Rows of Phi_q that are rounding become zero, so that no step and no rate is solved from them.
static void drop_rounding(problem *p) {
    const int n = p->i->n;
    for (int i = 0; i < p->i->m; i++) {
        double largest = 0, *row = p->full + (size_t)i * n;
        for (int k = 0; k < n; k++)
            largest = ctk_larger(largest, fabs(row[k]) * slide_unit(p, k, p->unit));
        for (int k = 0; k < n && largest < FLOOR; k++) row[k] = 0;
    }
}

// Phi and Phi_q at q, rows in their units. Returns the largest |Phi|.
static double evaluate(problem *p, const double *q) {
    const int n = p->i->n, m = p->i->m;
    p->i->position(p->c, 0, q, p->u, p->phi, p->full);
    for (int i = 0; i < m; i++) {
        const double unit = row_unit(p, i);
        p->phi[i] /= unit;
        for (int k = 0; k < n; k++) p->full[i * n + k] /= unit;
    }
    drop_rounding(p);
    return ctk_norm(m, p->phi);
}

// Columns of a matrix [rows n] for the coordinates in `which`, slides in lengths.
static void free_columns(const problem *p, int rows, const double *full, double length,
                         double *columns) {
    for (int j = 0; j < p->n_free; j++) {
        const int k = p->which[j];
        for (int i = 0; i < rows; i++)
            columns[(size_t)j * rows + i] = full[i * p->i->n + k] * slide_unit(p, k, length);
    }
}

static void free_all_but(problem *p, const int *held) {
    p->n_free = 0;
    for (int k = 0; k < p->i->n; k++)
        if (!held || !held[k]) p->which[p->n_free++] = k;
}

// nearness ----------------------------------------------------------------------------------------
// theta = axis times angle of  D = R R0^T: with u = axial vector of (D - D^T) / 2 = axis sin and
// c = (trace D - 1) / 2 = cos; at half a turn the axis is that of the largest diagonal entry.
static void rotation_vector(const double *r, const double *r0, double *theta) {
    double d[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) d[i][j] = ctk_dot(3, r + 3 * i, r0 + 3 * j);
    const double u[3] = {(d[2][1] - d[1][2]) / 2, (d[0][2] - d[2][0]) / 2, (d[1][0] - d[0][1]) / 2};
    const double s = sqrt(ctk_dot(3, u, u)), c = (d[0][0] + d[1][1] + d[2][2] - 1) / 2,
                 angle = atan2(s, c);
    if (s > HALF_TURN || c > 0) {
        for (int i = 0; i < 3; i++) theta[i] = s > 0 ? u[i] * angle / s : 0;
        return;
    }
    int most = 0;
    for (int i = 1; i < 3; i++)
        if (d[i][i] > d[most][most]) most = i;
    const double axis = sqrt(ctk_larger((d[most][most] + 1) / 2, 0));
    for (int i = 0; i < 3; i++)
        theta[i] = angle * (i == most ? axis : (d[i][most] + d[most][i]) / (4 * axis));
}

// How far the bodies are from where they are at the start; returns the sum of the squares.
static double find_gaps(problem *p, const double *q) {
    double square = 0;
    p->i->poses(p->c, 0, q, p->u, p->pose);
    for (int b = 0; b < p->i->n_bodies; b++) {
        const double *now = p->pose + 12 * b, *then = p->pose0 + 12 * b;
        double *g = p->gap + 6 * b;
        for (int i = 0; i < 3; i++) g[i] = now[i] - then[i];
        rotation_vector(now + 3, then + 3, g + 3);
        for (int i = 3; i < 6; i++) g[i] *= p->scale;
        square += ctk_dot(6, g, g);
    }
    return square;
}

// Derivatives of the gaps by the free coordinates: velocities and, times the length, spins.
static void near_columns(problem *p, const double *q) {
    const int rows = 6 * p->i->n_bodies;
    p->i->twists(p->c, 0, q, p->u, p->twist);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < p->i->n && i % 6 >= 3; k++) p->twist[i * p->i->n + k] *= p->scale;
    free_columns(p, rows, p->twist, p->scale, p->near);
}

// descent -----------------------------------------------------------------------------------------
// The step at q:  Phi_q dq = -Phi, and the bodies as near to their start as that allows, or else
// the shortest. Returns its largest component.
static double find_step(problem *p, int near, const double *q) {
    free_columns(p, p->i->m, p->full, p->scale, p->columns);
    for (int i = 0; i < p->i->m; i++) p->right[i] = -p->phi[i];
    if (near) {
        find_gaps(p, q);
        near_columns(p, q);
        nearest(p, CUTOFF, 6 * p->i->n_bodies, p->step);
    } else {
        shortest(p, p->step);
    }
    return ctk_norm(p->n_free, p->step);
}

// Damped Gauss-Newton steps from q; near: those that also bring the bodies nearest to their start.
// Returns the largest |Phi|.
static double descend(problem *p, int near, double *q) {
    const int n = p->i->n;
    free_all_but(p, p->i->is_held);
    double size = evaluate(p, q), last = HUGE_VAL;
    for (int it = 0; it < STEPS && (p->i->m || near); it++) {
        // a linear step, no farther than it is trusted
        const double longest = find_step(p, near, q);
        double share = longest > STRIDE ? STRIDE / longest : 1, better = HUGE_VAL;
        // halved until |Phi| falls by a share of what the step promises, or is rounding already
        for (int cut = 0; cut < CUTS; cut++, share /= 2) {
            ctk_copy(n, q, p->next);
            for (int j = 0; j < p->n_free; j++)
                p->next[p->which[j]] += share * p->step[j] * slide_unit(p, p->which[j], p->scale);
            better = evaluate(p, p->next);
            const double moved = share * longest; // gaps of second order: the next step closes them
            if (better < (1 - GAIN * share) * size || (near && better < moved * moved) ||
                (better < NEAR && longest < NEAR_STEP))
                break;
        }
        // closed, and nothing left to gain; the nearest place is there where steps stop to shrink
        const int rests = near ? longest > SLOW * last : !(better < size);
        if (rests && size < SHUT && longest < REST) break;
        if (!isfinite(better)) break;
        last = longest;
        ctk_copy(n, p->next, q);
        size = better;
        if (longest < STILL || (size == 0 && !near)) break;
    }
    return size;
}

// joints the right way round ----------------------------------------------------------------------
static int right_way_round(problem *p, const double *q) {
    int right = 1;
    if (p->i->n_guards) p->i->guards(p->c, 0, q, p->u, p->guard, p->angle);
    for (int i = 0; i < p->i->n_guards; i++) right = right && p->guard[i] > 0;
    return right;
}

// Three angles, or the other solution for the same rotation, whichever is nearer to the start.
static void nearer_solution(int proper, const double *near, double *angle) {
    const double half = 3.14159265358979323846;
    const double other[3] = {angle[0] + half, proper ? -angle[1] : half - angle[1],
                             angle[2] + half};
    double way[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        way[0] +=
            fabs(angle[i] - near[i] - 2 * half * floor((angle[i] - near[i]) / (2 * half) + 0.5));
        way[1] +=
            fabs(other[i] - near[i] - 2 * half * floor((other[i] - near[i]) / (2 * half) + 0.5));
    }
    if (way[1] < way[0]) ctk_copy(3, other, angle);
}

// The rows that define the angles of a chord have further solutions, which its guard excludes: sets
// those angles to what the rotation between its bodies says, on the turn nearest to the start.
static void follow_rotation(problem *p, int guard, double *q) {
    const ctk_initial *i = p->i;
    const int *at = i->guard_at + 3 * guard, turns = i->guard_turns[guard];
    double *angle = p->angle + 3 * guard, near[3];
    for (int k = 0; k < turns; k++) near[k] = p->start[at[k]];
    if (turns == 3) nearer_solution(i->guard_proper[guard], near, angle);
    for (int k = 0; k < turns; k++)
        if (!i->is_held[at[k]]) q[at[k]] = ctk_nearest_turn(angle[k], near[k]);
}

// Descends from q. Where that closes with a joint the wrong way round its angles follow the
// rotation, once, and the descent goes on. Returns the largest |Phi|, no closed one if a joint is
// still the wrong way round.
static double close_from(problem *p, int near, double *q) {
    double size = descend(p, near, q);
    if (size < CLOSED && !right_way_round(p, q)) {
        for (int i = 0; i < p->i->n_guards; i++) {
            p->i->guards(p->c, 0, q, p->u, p->guard, p->angle);
            if (!(p->guard[i] > 0)) follow_rotation(p, i, q);
        }
        size = descend(p, near, q);
    }
    if (isfinite(size) && !right_way_round(p, q)) size = ctk_larger(size, WRONG_ROUND * CLOSED);
    return size;
}

// tries -------------------------------------------------------------------------------------------
// Pseudo-random numbers in -1..1, the same in every run.
static double noise(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*state >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

// Descends from the start, then from random places around it, each farther than the one before.
// Returns the residual of the best try, and its position in q.
static double try_around(problem *p, double *q) {
    const int n = p->i->n;
    double best = HUGE_VAL;
    uint64_t state = 12345; // the same random numbers in every run
    ctk_copy(n, p->start, p->kept);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        const double way =
            attempt ? FIRST_WAY * pow(FARTHEST, (attempt - 1) / (double)(ATTEMPTS - 2)) : 0;
        for (int k = 0; k < n; k++)
            p->trial[k] = p->start[k] +
                          (p->i->is_held[k] ? 0 : way * slide_unit(p, k, p->scale) * noise(&state));
        const double size = close_from(p, 0, p->trial);
        if (size < best) {
            best = size;
            ctk_copy(n, p->trial, p->kept);
        }
        if (best < CLOSED) break;
    }
    ctk_copy(n, p->kept, q);
    return best;
}

// Moves along the closed positions to where the bodies are nearest to their start, as far as that
// stays closed.
static void approach_start(problem *p) {
    ctk_copy(p->i->n, p->q, p->trial);
    const double size = descend(p, 1, p->trial), before = find_gaps(p, p->q),
                 after = find_gaps(p, p->trial);
    if (size < CLOSED && after < before && right_way_round(p, p->trial))
        ctk_copy(p->i->n, p->trial, p->q);
    descend(p, 0, p->q);
}

// Closed positions, as near to the start as possible: the start itself where it closes, else the
// nearest one, else what tries around the start find. Returns the residual.
static double find_position(problem *p) {
    ctk_copy(p->i->n, p->start, p->q);
    double size = close_from(p, 1, p->q);
    if (size < CLOSED) {
        descend(p, 0, p->q);
        return size;
    }
    size = try_around(p, p->q);
    if (size < CLOSED) approach_start(p);
    return size;
}

// rates -------------------------------------------------------------------------------------------
static void add_cross(double sign, const double *w, const double *p, double *v) {
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        v[i] += sign * (w[j] * p[k] - w[k] * p[j]);
    }
}

// Velocity and, times the length, spin in a joint where coordinate k moves at unit rate: the twist of
// B as A sees it,
//   v = c_B' + w_B x r_B - c_A' - w_A x (c_B + r_B - c_A),   w = w_B - w_A,
// less what a given rate of the joint contributes.
static void joint_velocity(const problem *p, int joint, int k, double *out) {
    const int *body = p->i->joint_bodies + 2 * joint, n = p->i->n;
    const double *arm = p->arm + 3 * joint;
    double v[2][3], w[2][3], c[2][3], way[3];
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++) {
            const int b = body[s] - 1; // -1: ground
            v[s][i] = b < 0 ? 0 : p->twist[(6 * b + i) * n + k];
            w[s][i] = b < 0 ? 0 : p->twist[(6 * b + 3 + i) * n + k];
            c[s][i] = b < 0 ? 0 : p->pose[12 * b + i];
        }
    for (int i = 0; i < 3; i++) {
        way[i] = c[1][i] + arm[i] - c[0][i];
        out[i] = v[1][i] - v[0][i];
        out[3 + i] = w[1][i] - w[0][i];
    }
    add_cross(1, w[1], arm, out);
    add_cross(-1, w[0], way, out);
    for (int i = 0; i < 6 && p->i->given_in[k] == joint; i++) out[i] -= p->given[6 * k + i];
    for (int i = 3; i < 6; i++) out[i] *= p->scale;
}

// Velocities in joints: those of given rates in p->gap, those of the others at unit rate in p->near.
static void joint_columns(problem *p) {
    const int rows = 6 * p->i->n_joints, n = p->i->n;
    p->i->poses(p->c, 0, p->q, p->u, p->pose);
    p->i->twists(p->c, 0, p->q, p->u, p->twist);
    p->i->joints(p->c, 0, p->q, p->u, p->arm, p->given);
    for (int i = 0; i < rows; i++) p->gap[i] = 0;
    for (int joint = 0; joint < p->i->n_joints; joint++) {
        double v[6];
        for (int k = 0; k < n; k++) {
            if (!p->i->has_rate[k]) continue;
            joint_velocity(p, joint, k, v);
            for (int i = 0; i < 6; i++) p->gap[6 * joint + i] += v[i] * p->rate[k];
        }
        for (int j = 0; j < p->n_free; j++) {
            joint_velocity(p, joint, p->which[j], v);
            for (int i = 0; i < 6; i++)
                p->near[(size_t)j * rows + 6 * joint + i] =
                    v[i] * slide_unit(p, p->which[j], p->unit);
        }
    }
}

// The largest rate that is given, and velocity in a joint: rates of angles near their lock are no
// measure.
static double largest_speed(const problem *p) {
    const int rows = 6 * p->i->n_joints;
    double speed = ctk_norm(p->i->m, p->phi);
    for (int k = 0; k < p->i->n; k++)
        speed = ctk_larger(speed, fabs(p->rate[k]) / slide_unit(p, k, p->unit));
    for (int i = 0; i < rows; i++) {
        double v = p->gap[i];
        for (int j = 0; j < p->n_free; j++) v += p->near[(size_t)j * rows + i] * p->step[j];
        speed = ctk_larger(speed, fabs(v) / p->scale);
    }
    return speed;
}

// Rates with  Phi_q q' = -Phi_t  and the given ones held, the others with the smallest velocities in
// joints. Returns the row that the given ones tear open, or -1.
static int find_rates(problem *p) {
    const int n = p->i->n, m = p->i->m;
    int worst = -1;
    double largest = 0;
    // Phi_q and -Phi_t less what the given rates take, rows and columns in their units
    evaluate(p, p->q);
    p->i->velocity(p->c, 0, p->q, p->u, p->phi);
    for (int i = 0; i < m; i++) {
        p->phi[i] /= -row_unit(p, i);
        for (int k = 0; k < n; k++)
            if (p->i->has_rate[k]) p->phi[i] -= p->full[i * n + k] * p->rate[k];
        p->right[i] = p->phi[i];
    }
    // the other rates: those with the smallest velocities in joints
    free_all_but(p, p->i->has_rate);
    free_columns(p, m, p->full, p->unit, p->columns);
    joint_columns(p);
    nearest(p, RATES_CUTOFF, 6 * p->i->n_joints, p->step);
    ctk_copy(n, p->rate, p->qd);
    for (int j = 0; j < p->n_free; j++)
        p->qd[p->which[j]] = p->step[j] * slide_unit(p, p->which[j], p->unit);
    const double speed = largest_speed(p);
    // what is left over says which row the given rates tear open
    free_columns(p, m, p->full, p->unit, p->columns);
    for (int i = 0; i < m; i++) {
        double r = -p->phi[i];
        for (int j = 0; j < p->n_free; j++) r += p->columns[(size_t)j * m + i] * p->step[j];
        if (!(fabs(r) <= largest)) {
            largest = fabs(r);
            worst = i;
        }
    }
    return largest > RATES_OPEN * ctk_larger(1, speed) || largest != largest ? worst : -1;
}

// the model's coordinates -------------------------------------------------------------------------
// The state in the coordinates of the equations; rotations that are integrated whole from angles.
static void transfer(problem *p, const ctk_model *model, double *q, double *qd) {
    const int n = model->n;
    p->i->transfer(p->c, 0, p->q, p->qd, p->u, q, qd, p->turns);
    for (int i = 0; i < model->n_rotations; i++) {
        const int at = model->rotations[i].at, angles = n + model->n_rotations + 3 * i;
        double e[4] = {0};
        ctk_parameters(p->turns + 12 * i, e);
        ctk_copy(3, q + at, q + angles);
        ctk_copy(3, qd + at, qd + n + 3 * i);
        q[n + i] = e[0];
        ctk_copy(3, e + 1, q + at);
        ctk_copy(3, p->turns + 12 * i + 9, qd + at);
    }
}

// The row of Phi that stays open most.
static int worst_row(problem *p) {
    int worst = -1;
    evaluate(p, p->q);
    for (int i = 0; i < p->i->m; i++)
        if (worst < 0 || !(fabs(p->phi[i]) <= fabs(p->phi[worst]))) worst = i;
    return worst;
}

ctk_status ctk_initial_state(ctk_sim *sim) {
    const ctk_initial *i = sim->model->initial;
    problem p;
    lay_out(&p, i, sim->model->n_rotations, sim->space.initial);
    p.i = i;
    p.c = sim->c;
    p.u = sim->u;
    p.which = sim->space.initial_index;
    p.scale = sim->length;
    p.unit = ctk_power_of_two(sim->length);
    // what `guess`, `initial` and the motions say
    i->start(p.c, 0, p.u, p.start, p.rate);
    i->poses(p.c, 0, p.start, p.u, p.pose0);
    if (!all_finite(i->n, p.start) || !all_finite(i->n, p.rate)) return CTK_NOT_FINITE;
    // positions, then rates
    if (!(find_position(&p) < CLOSED)) {
        sim->where = worst_row(&p);
        return CTK_NOT_ASSEMBLED;
    }
    const int torn = find_rates(&p);
    if (torn >= 0) {
        sim->where = torn;
        return CTK_RATES_CONTRADICT;
    }
    transfer(&p, sim->model, sim->q, sim->qd);
    return CTK_OK;
}
