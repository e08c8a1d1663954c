// Three angles of a rotation that continue those before. A rotation has two solutions in the angles
// of a sequence, (a, b, c) and (a + pi, pi - b, c + pi) (for a sequence like zxz: -b), which meet in
// gimbal lock. The way through the lock is seen in the plane of the vector
//   u = m (cos a, sin a),   m = cos b (like zxz: sin b),
// which moves smoothly: past the lock it passes the origin. Where it passes through the origin m
// changes its sign, else m keeps it and a turns as u does about the origin.
#ifndef CTK_ANGLES_H
#define CTK_ANGLES_H

#include <math.h>

// Angles of one rotation among the columns of a result.
typedef struct ctk_angles {
    int first[3]; // column of the first of three, differentiated 0, 1 and 2 times; -1: none
    int proper;   // 1 for a sequence like zxz: its first and third axis are the same
    int sign;     // 1 if the axes of the sequence are in cyclic order (xy, yz, zx), else -1
} ctk_angles;

enum { CTK_ANGLES_OTHER = 1, CTK_ANGLES_LOCKED = 2 };
// |m| where only the sum or difference of a and c is a number: a rotation is off by twice as much with
// the a before, and a has lost ten of its digits
#define CTK_ANGLES_IN_LOCK 1e-10

// x on the turn that is nearest to `last`
static inline double ctk_nearest_turn(double x, double last) {
    const double turn = 6.28318530717958648;
    if (fabs(last - x) < 0.5 * turn) return x;
    return x + turn * floor((last - x) / turn + 0.5);
}

// 1 for a sequence like zxz: its first and third axis are the same.
static inline int ctk_angles_proper(const int *axis) {
    return axis[0] == axis[2];
}

// 1 if the first two axes of a sequence are in cyclic order (xy, yz, zx), else -1.
static inline int ctk_angles_sign(const int *axis) {
    return (axis[1] - axis[0] + 3) % 3 == 1 ? 1 : -1;
}

// Angles of R = R_i(a) R_j(b) R_k(c), the solution with cos b (like zxz: sin b) positive, and their
// rates from the angular velocity u in the frame before the turns.
static inline void ctk_angles_of(const int *axis, double r[3][3], const double *u, double *angle,
                                 double *rate) {
    const int i = axis[0], j = axis[1], k = 3 - i - j;
    const int proper = ctk_angles_proper(axis), s = ctk_angles_sign(axis);
    // m cos a and m sin a from the column of the third axis, with m positive; in lock a = 0
    const double x = proper ? -s * r[k][i] : r[k][k], y = proper ? r[j][i] : -s * r[j][k];
    const double m = sqrt(x * x + y * y), ca = m > 0 ? x / m : 1, sa = m > 0 ? s * y / m : 0;
    // c from row j of R_i(a)^T R
    const double sine =
        proper ? -s * (ca * r[j][k] + sa * r[k][k]) : s * (ca * r[j][i] + sa * r[k][i]);
    angle[0] = m > 0 ? atan2(y, x) : 0; // not pi where x is -0.0
    angle[1] = proper ? atan2(m, r[i][i]) : atan2(s * r[i][k], m);
    angle[2] = atan2(sine, ca * r[j][j] + sa * r[k][j]);
    // R_i(a)^T u = a' e_i + b' e_j + c' R_j(b) e_k
    const double along = ca * u[k] - sa * u[j];
    rate[1] = ca * u[j] + sa * u[k];
    rate[2] = proper ? -s * along / m : along / m;
    rate[0] = u[i] - (proper ? r[i][i] : r[i][k]) * rate[2];
}

// R = R_i(a) R_j(b) R_k(c), and the axes of the three turns as columns of e: u = e (a', b', c').
static inline void ctk_angles_matrix(const int *axis, const double *angle, double r[3][3],
                                     double e[3][3]) {
    for (int i = 0; i < 9; i++) r[i / 3][i % 3] = i % 4 == 0;
    for (int n = 0; n < 3; n++) {
        const int j = (axis[n] + 1) % 3, k = (axis[n] + 2) % 3;
        const double c = cos(angle[n]), s = sin(angle[n]);
        for (int i = 0; i < 3; i++) {
            const double x = r[i][j], y = r[i][k];
            e[i][n] = r[i][axis[n]];
            r[i][j] = c * x + s * y;
            r[i][k] = c * y - s * x;
        }
    }
}

// A place of u with its rate, from three angles and their rates.
static inline void ctk_angles_place(int proper, const double *angle, const double *rate, double *m,
                                    double *u, double *du) {
    const double c = cos(angle[0]), s = sin(angle[0]);
    const double dm = (proper ? cos(angle[1]) : -sin(angle[1])) * rate[1];
    *m = proper ? sin(angle[1]) : cos(angle[1]);
    u[0] = *m * c;
    u[1] = *m * s;
    du[0] = dm * c - *m * rate[0] * s;
    du[1] = dm * s + *m * rate[0] * c;
    if (!(fabs(du[0]) + fabs(du[1]) < HUGE_VAL)) du[0] = du[1] = 0;
}

// The way of u from u0 to u1: a cubic with the rates at its ends. Place and derivative at x in 0..1.
static inline void ctk_angles_at(double dt, const double *u0, const double *du0, const double *u1,
                                 const double *du1, double x, double *u, double *slope) {
    const double y = 1 - x;
    for (int i = 0; i < 2; i++) {
        u[i] = y * y * (1 + 2 * x) * u0[i] + x * x * (1 + 2 * y) * u1[i] +
               dt * x * y * (y * du0[i] - x * du1[i]);
        slope[i] = 6 * x * y * (u1[i] - u0[i]) +
                   dt * (y * (1 - 3 * x) * du0[i] + x * (3 * x - 2) * du1[i]);
    }
}

// The angle from a to b.
static inline double ctk_angles_between(const double *a, const double *b) {
    return atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
}

// The angle by which u turns about the origin on its way. Where the way leads through the origin, u
// goes on backwards, and *backwards is set: it misses the origin by less than the cubic is exact,
// which is a small part of its distance from the chord.
static inline double ctk_angles_way(double dt, const double *u0, const double *du0,
                                    const double *u1, const double *du1, int *backwards) {
    enum { PIECES = 16, ROUNDS = 40 };
    const double exact = 1e-3;
    double u[2], slope[2], from[2] = {u0[0], u0[1]}, sum = 0, nearest = HUGE_VAL, near = 0;
    // the piece that is nearest to the origin, and the nearest place in it and beside it
    for (int k = 0; k <= PIECES; k++) {
        ctk_angles_at(dt, u0, du0, u1, du1, (double)k / PIECES, u, slope);
        if (hypot(u[0], u[1]) < nearest) {
            nearest = hypot(u[0], u[1]);
            near = (double)k / PIECES;
        }
    }
    double low = fmax(near - 1.0 / PIECES, 0), high = fmin(near + 1.0 / PIECES, 1);
    for (int k = 0; k < ROUNDS; k++) {
        near = 0.5 * (low + high);
        ctk_angles_at(dt, u0, du0, u1, du1, near, u, slope);
        if (u[0] * slope[0] + u[1] * slope[1] > 0)
            high = near;
        else
            low = near;
    }
    ctk_angles_at(dt, u0, du0, u1, du1, 0.5, u, slope);
    const double bend = hypot(u[0] - 0.5 * (u0[0] + u1[0]), u[1] - 0.5 * (u0[1] + u1[1]));
    // through the origin: towards it against the slope, and away from it along the slope
    ctk_angles_at(dt, u0, du0, u1, du1, near, u, slope);
    if (near > 0 && near < 1 && hypot(u[0], u[1]) < exact * bend + CTK_ANGLES_IN_LOCK) {
        const double back[2] = {-slope[0], -slope[1]};
        *backwards = 1;
        return ctk_angles_between(u0, back) + ctk_angles_between(slope, u1);
    }
    // past it: piece by piece, and the piece at the origin in two
    for (int k = 1; k <= PIECES; k++) {
        const double x = (double)k / PIECES;
        if (near > x - 1.0 / PIECES && near < x) {
            ctk_angles_at(dt, u0, du0, u1, du1, near, u, slope);
            sum += ctk_angles_between(from, u);
            from[0] = u[0];
            from[1] = u[1];
        }
        ctk_angles_at(dt, u0, du0, u1, du1, x, u, slope);
        sum += ctk_angles_between(from, u);
        from[0] = u[0];
        from[1] = u[1];
    }
    return sum;
}

// The other solution of the same rotation.
static inline void ctk_angles_switch(int proper, double *angle, double *rate) {
    const double pi = 3.14159265358979324;
    angle[0] += pi;
    angle[1] = proper ? -angle[1] : pi - angle[1];
    angle[2] += pi;
    rate[1] = -rate[1];
}

// Returns in how many half turns the second angle lies past a lock; m is `least` from 0 or more.
static inline double ctk_angles_half_turns(int proper, double b, double *least) {
    const double x = b * (1 / 3.14159265358979324) + (proper ? 0 : 0.5), n = floor(x), part = x - n;
    *least = 2 * (part < 0.5 ? part : 1 - part); // |sin(pi x)| is not smaller
    return n;
}

// ctk_angles_continue far from the lock, where m keeps its sign and no angle turns far in a step.
// Returns -1 and changes nothing elsewhere.
static inline int ctk_angles_continue_far(int proper, double dt, double *angle, double *rate,
                                          const double *last, const double *last_rate) {
    double least0, least1, next[3] = {angle[0], angle[1], angle[2]};
    double next_rate[3] = {rate[0], rate[1], rate[2]};
    // the solution with the sign of m before, on the nearest turns
    const double n0 = ctk_angles_half_turns(proper, last[1], &least0);
    const double n1 = ctk_angles_half_turns(proper, angle[1], &least1);
    const int other = n1 != n0 && fmod(n1 - n0, 2) != 0;
    if (other) ctk_angles_switch(proper, next, next_rate);
    for (int i = 0; i < 3; i++) next[i] = ctk_nearest_turn(next[i], last[i]);
    // the way of u, which must be shorter than that to the lock
    double way = 0;
    for (int i = 0; i < 2; i++)
        way += fabs(next[i] - last[i]) + fabs(dt) * (fabs(last_rate[i]) + fabs(rate[i]));
    if (!(least1 > 10 * CTK_ANGLES_IN_LOCK && 1.5 * way < least0 && fabs(next[2] - last[2]) < 1.5))
        return -1;
    for (int i = 0; i < 3; i++) angle[i] = next[i];
    rate[1] = next_rate[1];
    return other ? CTK_ANGLES_OTHER : 0;
}

// Replaces three angles with their rates by the solution that continues `last` with its rates, dt
// before. Returns CTK_ANGLES_OTHER where that is the other solution (the rate of the second angle
// has changed its sign), CTK_ANGLES_LOCKED in lock.
static inline int ctk_angles_continue(int proper, int sign, double dt, double *angle, double *rate,
                                      const double *last, const double *last_rate) {
    const double pi = 3.14159265358979324;
    double m0, m1, u0[2], u1[2], du0[2], du1[2], turned = 0;
    int other = ctk_angles_continue_far(proper, dt, angle, rate, last, last_rate);
    if (other >= 0) return other;
    ctk_angles_place(proper, last, last_rate, &m0, u0, du0);
    ctk_angles_place(proper, angle, rate, &m1, u1, du1);
    // in lock a + k c is a number, k = 1 or -1: a stays as it was
    const double k = (proper ? cos(angle[1]) : sign * sin(angle[1])) < 0 ? -1 : 1;
    if (fabs(m1) < CTK_ANGLES_IN_LOCK) {
        const double sum = angle[0] + k * angle[2];
        angle[0] = last[0] + dt * last_rate[0];
        angle[1] = ctk_nearest_turn(angle[1], last[1]);
        angle[2] = ctk_nearest_turn(k * (sum - angle[0]), last[2] + dt * last_rate[2]);
        return CTK_ANGLES_LOCKED;
    }
    // out of the lock: the solution with the nearest first angle; elsewhere m keeps its sign but for
    // a way through the origin, which must be near for that
    const double before = last[0] + dt * last_rate[0];
    if (fabs(m0) < CTK_ANGLES_IN_LOCK) {
        turned = ctk_nearest_turn(angle[0], before) - last[0];
        other = fabs(turned + last[0] - before) > pi / 2;
        if (other) turned = ctk_nearest_turn(angle[0] + pi, before) - last[0];
    } else {
        const double reach = dt * (fabs(du0[0]) + fabs(du0[1]) + fabs(du1[0]) + fabs(du1[1])) +
                             fabs(u1[0] - u0[0]) + fabs(u1[1] - u0[1]);
        int backwards = 0;
        if (fabs(m0) < reach)
            turned = ctk_angles_way(dt, u0, du0, u1, du1, &backwards);
        else
            turned = atan2(u0[0] * u1[1] - u0[1] * u1[0], u0[0] * u1[0] + u0[1] * u1[1]);
        other = ((m1 < 0) != (m0 < 0)) != backwards;
    }
    if (other) ctk_angles_switch(proper, angle, rate);
    // turns: near the lock a + k c is smooth, not c
    angle[0] = ctk_nearest_turn(angle[0], last[0] + turned);
    angle[1] = ctk_nearest_turn(angle[1], last[1]);
    angle[2] = ctk_nearest_turn(angle[2], last[2] - (fabs(m1) < 0.5 ? k * turned : 0));
    return other ? CTK_ANGLES_OTHER : 0;
}

// The same for a row of results: values, rates and accelerations of the angles. last: the row
// before, dt ago, whose rates stand in for those in the lock, where they are no numbers.
static inline void ctk_angles_row(const ctk_angles *k, double dt, double *row, double *last) {
    const int q = k->first[0], qd = k->first[1];
    const int how =
        ctk_angles_continue(k->proper, k->sign, dt, row + q, row + qd, last + q, last + qd);
    if (k->first[2] >= 0 && how == CTK_ANGLES_OTHER) row[k->first[2] + 1] *= -1;
    for (int order = 0; order < 3; order++) {
        if (k->first[order] < 0) continue;
        double *x = row + k->first[order], *before = last + k->first[order];
        for (int i = 0; i < 3; i++) {
            if (order && how == CTK_ANGLES_LOCKED) x[i] = before[i];
            before[i] = x[i];
        }
    }
}

#endif
