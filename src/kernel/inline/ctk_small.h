// Inside of generated models: small linear systems, angles that are followed, Newton's iteration.
// All functions are in this header, so that sizes are known where a model is compiled.
#ifndef CTK_SMALL_H
#define CTK_SMALL_H

#include <math.h>

// Loops over a size that is known are written out.
#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 8
#define CTK_UNROLL _Pragma("GCC unroll 8")
#else
#define CTK_UNROLL
#endif
// Functions that are seldom called: compiled for size, away from the others.
#if defined __GNUC__
#define CTK_SELDOM __attribute__((cold))
#else
#define CTK_SELDOM
#endif

static inline double ctk_larger(double a, double b) {
    return a > b ? a : b;
}

// The angle with this sine and cosine (times any positive factor) that is nearest to `last`.
static inline double ctk_angle(double sine, double cosine, double last) {
    const double turn = 6.28318530717958648;
    double angle = atan2(sine, cosine);
    return angle + turn * floor((last - angle) / turn + 0.5);
}

// Euler parameters (e0, e1, e2, e3) of a rotation matrix r, row by row: the largest of the four from
// the diagonal, the others by it. Of e and -e the one that is nearer to what e holds.
static inline void ctk_parameters(const double *r, double *e) {
    const double last[4] = {e[0], e[1], e[2], e[3]}, trace = r[0] + r[4] + r[8];
    int i = r[4] > r[0];
    if (r[8] > r[4 * i]) i = 2;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (trace > r[4 * i]) {
        const double f = 0.5 / sqrt(1 + trace);
        e[0] = f * (1 + trace);
        e[1] = f * (r[7] - r[5]);
        e[2] = f * (r[2] - r[6]);
        e[3] = f * (r[3] - r[1]);
    } else {
        const double square = 1 + r[4 * i] - r[4 * j] - r[4 * k], f = 0.5 / sqrt(square);
        e[0] = f * (r[3 * k + j] - r[3 * j + k]);
        e[1 + i] = f * square;
        e[1 + j] = f * (r[3 * i + j] + r[3 * j + i]);
        e[1 + k] = f * (r[3 * i + k] + r[3 * k + i]);
    }
    if (e[0] * last[0] + e[1] * last[1] + e[2] * last[2] + e[3] * last[3] < 0)
        for (int n = 0; n < 4; n++) e[n] = -e[n];
}

// X := A^-1 X for `columns` right sides, both row by row and overwritten; rows are scaled to
// largest entry 1, pivots chosen in columns. Returns 0 where A is singular or not finite.
static inline int ctk_small_solve(int n, int columns, double *restrict a, double *restrict x,
                                  double *determinant) {
    const double tiny = 1e-13;
    double det = 1;
    *determinant = 0;
    CTK_UNROLL
    // rows of A and X divided by the largest entry; det collects the factors
    for (int i = 0; i < n; i++) {
        double largest = 0;
        CTK_UNROLL
        for (int j = 0; j < n; j++) largest = ctk_larger(largest, fabs(a[i * n + j]));
        if (!(largest > 0) || !(largest < HUGE_VAL)) return 0;
        double f = 1 / largest;
        det *= largest;
        CTK_UNROLL
        for (int j = 0; j < n; j++) a[i * n + j] *= f;
        for (int j = 0; j < columns; j++) x[i * columns + j] *= f;
    }
    CTK_UNROLL
    for (int k = 0; k < n; k++) {
        // pivot: the largest entry of column k, from row k on
        int p = k;
        double most = fabs(a[k * n + k]);
        CTK_UNROLL
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > most) {
                p = i;
                most = fabs(a[i * n + k]);
            }
        // rows k and p change places
        if (p != k) {
            det = -det;
            CTK_UNROLL
            for (int j = k; j < n; j++) {
                double y = a[k * n + j];
                a[k * n + j] = a[p * n + j];
                a[p * n + j] = y;
            }
            for (int j = 0; j < columns; j++) {
                double y = x[k * columns + j];
                x[k * columns + j] = x[p * columns + j];
                x[p * columns + j] = y;
            }
        }
        // det A = product of the pivots
        det *= a[k * n + k];
        if (!(most > tiny)) return 0;
        // rows below: a_ij -= (a_ik / a_kk) a_kj, the same for X
        double inverse = a[k * n + k] = 1 / a[k * n + k];
        CTK_UNROLL
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] * inverse;
            CTK_UNROLL
            for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            for (int j = 0; j < columns; j++) x[i * columns + j] -= f * x[k * columns + j];
        }
    }
    CTK_UNROLL
    // back substitution: x_i = (x_i - sum_k>i a_ik x_k) / a_ii
    for (int i = n - 1; i >= 0; i--)
        for (int j = 0; j < columns; j++) {
            double y = x[i * columns + j];
            CTK_UNROLL
            for (int k = i + 1; k < n; k++) y -= a[i * n + k] * x[k * columns + j];
            x[i * columns + j] = y * a[i * n + i];
        }
    *determinant = det;
    return 1;
}

// Elimination without row exchanges, in registers. It is accurate as long as every pivot is at
// least a tenth of the entries below it, and not small beside its row. Generated code writes rows
// in an order that is good at the initial position; where it is not, ctk_small_solve chooses
// pivots.
enum { CTK_ORDERED = 6 }; // largest size

// l := L and U of A, with the inverse of the pivots on the diagonal. Returns 0 if a pivot is too
// small.
static inline int ctk_small_ordered(int n, const double *restrict a, double *restrict l,
                                    double *determinant) {
    const double most = 10, small = 1e-12;
    double size[CTK_ORDERED], det = 1;
    int good = 1;
    CTK_UNROLL
    // l := A, and the squared length of each row
    for (int i = 0; i < n; i++) {
        size[i] = 0;
        CTK_UNROLL
        for (int j = 0; j < n; j++) {
            l[i * n + j] = a[i * n + j];
            size[i] += l[i * n + j] * l[i * n + j];
        }
    }
    CTK_UNROLL
    for (int k = 0; k < n; k++) {
        // pivot of row k: not small beside its row
        const double pivot = l[k * n + k], inverse = 1 / pivot;
        good &= pivot * pivot > small * size[k]; // not where anything is NaN
        det *= pivot;
        l[k * n + k] = inverse;
        CTK_UNROLL
        // rows below: factors f up to `most`, l_ij -= f l_kj
        for (int i = k + 1; i < n; i++) {
            const double f = l[i * n + k] * inverse;
            good &= fabs(f) <= most;
            l[i * n + k] = f;
            CTK_UNROLL
            for (int j = k + 1; j < n; j++) l[i * n + j] -= f * l[k * n + j];
        }
    }
    *determinant = det;
    return good && fabs(det) < HUGE_VAL;
}

static inline void ctk_small_substitute(int n, int columns, const double *restrict l,
                                        double *restrict x) {
    for (int j = 0; j < columns; j++) {
        // y := L^-1 x
        double y[CTK_ORDERED];
        CTK_UNROLL
        for (int i = 0; i < n; i++) {
            y[i] = x[i * columns + j];
            CTK_UNROLL
            for (int k = 0; k < i; k++) y[i] -= l[i * n + k] * y[k];
        }
        CTK_UNROLL
        // x := U^-1 y
        for (int i = n - 1; i >= 0; i--) {
            CTK_UNROLL
            for (int k = i + 1; k < n; k++) y[i] -= l[i * n + k] * y[k];
            x[i * columns + j] = y[i] *= l[i * n + i];
        }
    }
}

// As ctk_small_solve, for rows that are in a good order.
static inline int ctk_small_quick(int n, int columns, double *restrict a, double *restrict x,
                                  double *determinant) {
    double l[CTK_ORDERED * CTK_ORDERED];
    if (n > CTK_ORDERED || !ctk_small_ordered(n, a, l, determinant))
        return ctk_small_solve(n, columns, a, x, determinant);
    ctk_small_substitute(n, columns, l, x);
    return 1;
}

// The same in two stages, for several right sides one after the other. f [n n + 1]: L and U, or the
// inverse where pivots had to be chosen; the last number says which. a is used up.
static inline int ctk_small_factor(int n, double *restrict a, double *restrict f) {
    double determinant;
    f[n * n] = !ctk_small_ordered(n, a, f, &determinant);
    if (f[n * n] == 0) return 1;
    for (int i = 0; i < n * n; i++) f[i] = i % (n + 1) == 0;
    return ctk_small_solve(n, n, a, f, &determinant);
}

static inline void ctk_small_again(int n, int columns, const double *restrict f,
                                   double *restrict x) {
    if (f[n * n] == 0) {
        ctk_small_substitute(n, columns, f, x);
        return;
    }
    for (int j = 0; j < columns; j++) {
        double y[CTK_ORDERED];
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int k = 0; k < n; k++) y[i] += f[i * n + k] * x[k * columns + j];
        }
        for (int i = 0; i < n; i++) x[i * columns + j] = y[i];
    }
}

// The sine and cosine of an angle that has turned by `by` and is `angle` now. Small turns by their
// series, whose next term is by^7 / 7!.
static inline void ctk_turn(double by, double angle, double *restrict sine,
                            double *restrict cosine) {
    const double small = 0.015, z = by * by;
    if (!(fabs(by) < small)) {
        *sine = sin(angle);
        *cosine = cos(angle);
        return;
    }
    const double s = by * (1 - z * (1.0 / 6 - z * (1.0 / 120)));
    const double c = z * (0.5 - z * (1.0 / 24 - z * (1.0 / 720))); // 1 - cos
    const double sine_before = *sine, cosine_before = *cosine;
    *sine = sine_before + (cosine_before * s - sine_before * c);
    *cosine = cosine_before - (sine_before * s + cosine_before * c);
}

// An angle that is followed with its cosine and sine. Four numbers of w are carried from call to
// call: angle, cosine, sine, and how often the pair was turned. After CTK_TURNS turns the pair is
// computed anew, so that rounding does not add up.
enum { CTK_CARRIED = 4, CTK_TURNS = 256 };

// Cosine and sine of `angle`, turned from the carried pair.
static inline void ctk_pair_at(const double *restrict carried, double angle,
                               double *restrict cosine, double *restrict sine) {
    *cosine = carried[1];
    *sine = carried[2];
    ctk_turn(carried[3] < CTK_TURNS ? angle - carried[0] : HUGE_VAL, angle, sine, cosine);
}

// Scales the pair to length 1, (1 - |pair|^2) / 2 to first order, and carries it.
static inline void ctk_pair_keep(double *restrict carried, double angle, double *restrict cosine,
                                 double *restrict sine) {
    const double short_by = 0.5 * (1 - *cosine * *cosine - *sine * *sine);
    carried[0] = angle;
    carried[1] = *cosine += short_by * *cosine;
    carried[2] = *sine += short_by * *sine;
    carried[3] = carried[3] < CTK_TURNS ? carried[3] + 1 : 0;
}

// Newton's iteration on y, one step at a time: ctk_newton_step returns 1 while it goes on, 0 when
// it has converged and -1 when it fails. It is trusted where it contracts: each correction at most
// half of the one before (no other solution is as near then). A correction d leaves bend d^2; the
// bend is seen from two corrections in a row, here or where the iteration was before. d is the last
// one if four times that is below 1e-14, or if d itself is below 1e-9. A bend from before grows
// each time it is used, so that it is measured anew after some uses. Slides are in their
// unit.
typedef struct ctk_iteration {
    int count;
    double last, determinant; // size of the last correction; of the matrix
    double bend;              // 0: not known
    double unit;              // of unknowns that are slides
} ctk_iteration;

// y -= matrix^-1 residual. sine, cosine: those of the unknowns that are angles, turned with them.
static inline int ctk_newton_step(ctk_iteration *it, int n, const int *angle,
                                  double *restrict matrix, double *restrict residual,
                                  double *restrict y, double *restrict sine,
                                  double *restrict cosine) {
    const double longest = 0.3, good = 1e-9, left = 1e-14 / 4;
    const double least = 0.01, older = 1.05; // bend
    enum { MOST = 20 };
    double size = 0, turn = 0, scale = 1, share = 1;
    // correction d = matrix^-1 residual, in place of the residual
    if (!ctk_small_quick(n, 1, matrix, residual, &it->determinant)) return -1;
    CTK_UNROLL
    for (int i = 0; i < n; i++) {
        // size of d, of its angles, and of the unknowns
        const double unit = angle[i] ? 1 : it->unit;
        size = ctk_larger(size, fabs(residual[i]) / unit);
        scale = ctk_larger(scale, fabs(y[i]) / unit);
        if (angle[i]) turn = ctk_larger(turn, fabs(residual[i]));
        if (!(fabs(residual[i]) < HUGE_VAL)) return -1;
    }
    // contracts: at most half of the last correction
    if (it->count > 0 && size > good * scale && !(size <= 0.5 * it->last)) return -1;
    // bend = |d| / |d_last|^2
    if (it->count > 0 && it->last < HUGE_VAL)
        it->bend = ctk_larger(size / (it->last * it->last), least);
    // y -= d, shortened where an angle would turn too far
    if (turn > longest) share = longest / turn;
    CTK_UNROLL
    for (int i = 0; i < n; i++) {
        y[i] -= share * residual[i];
        if (angle[i]) ctk_turn(-share * residual[i], y[i], sine + i, cosine + i);
    }
    // converged: d is small, or what it leaves, bend d^2, is
    it->last = share < 1 ? HUGE_VAL : size; // a shortened step promises nothing for the next
    if (size <= good * scale) return 0;
    if (share == 1 && it->bend > 0 && it->bend * size * size <= left * scale) {
        if (it->count == 0) it->bend *= older;
        return 0;
    }
    return ++it->count < MOST ? 1 : -1;
}

#endif
