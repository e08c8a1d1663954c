// Mechanisms written by hand for the tests of the kernel, each with its equations above it.
//   kernel_pendulum_xy     point mass on a rod, q = (x, y); parameters m, L, g; input: force along
//   x kernel_pendulum_angle  the same, q = (angle from the hanging position) kernel_four_bar
//   uniform bars of unit mass, absolute angles; a b c d g; input: torque on the crank
//   kernel_parallelogram   the same with a = c, b = d
//   kernel_chain           point masses on N + 1 parallel cranks joined by massless couplers
//   kernel_slider_crank    driven: crank, rod, slider; parameters a, b, speed
//   kernel_nothing         no coordinates;  kernel_too_many: one coordinate, two constraints
#ifndef KERNEL_MODELS_H
#define KERNEL_MODELS_H

#include <math.h>
#include <string.h>

#include "kernel/ctk.h"

enum { KERNEL_CHAIN = 3 }; // parallelograms in the chain

// pendulum in Cartesian coordinates: Phi = x^2 + y^2 - L^2

static void copy3(const double *p, double *c) {
    memcpy(c, p, 3 * sizeof *c);
}

static void xy_position(const double *c, double t, const double *q, const double *u, double *phi,
                        double *phi_q) {
    (void)t, (void)u;
    phi[0] = q[0] * q[0] + q[1] * q[1] - c[1] * c[1];
    phi_q[0] = 2 * q[0];
    phi_q[1] = 2 * q[1];
}

static void xy_velocity(const double *c, double t, const double *q, const double *u, double *phi_q,
                        double *phi_t) {
    double phi;
    xy_position(c, t, q, u, &phi, phi_q);
    phi_t[0] = 0;
}

static void xy_acceleration(const double *c, double t, const double *q, const double *qd,
                            const double *u, double *phi_q, double *gamma) {
    double phi;
    xy_position(c, t, q, u, &phi, phi_q);
    gamma[0] = -2 * (qd[0] * qd[0] + qd[1] * qd[1]);
}

static void xy_dynamics(const double *c, double t, const double *q, const double *qd,
                        const double *u, double *mass, double *forcing, double *phi, double *phi_q,
                        double *phi_t, double *gamma, double *power) {
    mass[0] = mass[3] = c[0];
    mass[1] = mass[2] = 0;
    forcing[0] = u[0];
    forcing[1] = -c[0] * c[2];
    xy_position(c, t, q, u, phi, phi_q);
    xy_acceleration(c, t, q, qd, u, phi_q, gamma);
    phi_t[0] = 0;
    *power = u[0] * qd[0];
}

static const double pendulum_parameters[] = {2, 1, 9.81}, no_input[] = {0}, xy_start[] = {0, -1},
                    xy_speed[] = {3, 0};

static const ctk_model kernel_pendulum_xy = {.name = "pendulum_xy",
                                             .n = 2,
                                             .m = 1,
                                             .n_inputs = 1,
                                             .n_parameters = 3,
                                             .n_constants = 3,
                                             .parameters = pendulum_parameters,
                                             .inputs = no_input,
                                             .q0 = xy_start,
                                             .qd0 = xy_speed,
                                             .constants = copy3,
                                             .position = xy_position,
                                             .velocity = xy_velocity,
                                             .acceleration = xy_acceleration,
                                             .dynamics = xy_dynamics};

// the same pendulum, one angle: m L^2 a'' = -m g L sin a + u L cos a

static void angle_dynamics(const double *c, double t, const double *q, const double *qd,
                           const double *u, double *mass, double *forcing, double *phi,
                           double *phi_q, double *phi_t, double *gamma, double *power) {
    (void)t, (void)phi, (void)phi_q, (void)phi_t, (void)gamma;
    mass[0] = c[0] * c[1] * c[1];
    forcing[0] = c[1] * (u[0] * cos(q[0]) - c[0] * c[2] * sin(q[0]));
    *power = u[0] * c[1] * cos(q[0]) * qd[0];
}

static const double angle_start[] = {0}, angle_speed[] = {3};

static const ctk_model kernel_pendulum_angle = {.name = "pendulum_angle",
                                                .n = 1,
                                                .n_inputs = 1,
                                                .n_parameters = 3,
                                                .n_constants = 3,
                                                .parameters = pendulum_parameters,
                                                .inputs = no_input,
                                                .q0 = angle_start,
                                                .qd0 = angle_speed,
                                                .constants = copy3,
                                                .dynamics = angle_dynamics};

// four-bar: a e1 + b e2 - c e3 - (d, 0) = 0 with e = (cos, sin); bars of unit mass, gravity along
// -y

static void copy5(const double *p, double *c) {
    memcpy(c, p, 5 * sizeof *c);
}

static void bar_position(const double *c, double t, const double *q, const double *u, double *phi,
                         double *phi_q) {
    (void)t, (void)u;
    phi[0] = c[0] * cos(q[0]) + c[1] * cos(q[1]) - c[2] * cos(q[2]) - c[3];
    phi[1] = c[0] * sin(q[0]) + c[1] * sin(q[1]) - c[2] * sin(q[2]);
    for (int j = 0; j < 3; j++) {
        double l = j == 2 ? -c[2] : c[j];
        phi_q[j] = -l * sin(q[j]);
        phi_q[3 + j] = l * cos(q[j]);
    }
}

static void bar_velocity(const double *c, double t, const double *q, const double *u, double *phi_q,
                         double *phi_t) {
    double phi[2];
    bar_position(c, t, q, u, phi, phi_q);
    phi_t[0] = phi_t[1] = 0;
}

static void bar_acceleration(const double *c, double t, const double *q, const double *qd,
                             const double *u, double *phi_q, double *gamma) {
    double phi[2];
    bar_position(c, t, q, u, phi, phi_q);
    gamma[0] = gamma[1] = 0;
    for (int j = 0; j < 3; j++) {
        double l = (j == 2 ? -c[2] : c[j]) * qd[j] * qd[j];
        gamma[0] += l * cos(q[j]);
        gamma[1] += l * sin(q[j]);
    }
}

static void bar_dynamics(const double *c, double t, const double *q, const double *qd,
                         const double *u, double *mass, double *forcing, double *phi, double *phi_q,
                         double *phi_t, double *gamma, double *power) {
    const double h = 0.5 * c[0] * c[1], delta = q[0] - q[1], g = c[4];
    memset(mass, 0, 9 * sizeof *mass);
    mass[0] = c[0] * c[0] * (1.0 / 3 + 1);
    mass[4] = c[1] * c[1] / 3;
    mass[8] = c[2] * c[2] / 3;
    mass[1] = mass[3] = h * cos(delta);
    forcing[0] = -h * sin(delta) * qd[1] * qd[1] - 1.5 * g * c[0] * cos(q[0]) + u[0];
    forcing[1] = h * sin(delta) * qd[0] * qd[0] - 0.5 * g * c[1] * cos(q[1]);
    forcing[2] = -0.5 * g * c[2] * cos(q[2]);
    bar_position(c, t, q, u, phi, phi_q);
    bar_acceleration(c, t, q, qd, u, phi_q, gamma);
    phi_t[0] = phi_t[1] = 0;
    *power = u[0] * qd[0];
}

// last outputs: kinetic and potential energy
static void bar_outputs(const double *c, double t, const double *q, const double *qd,
                        const double *u, double *y) {
    double mass[9], f[3], phi[2], phi_q[6], phi_t[2], gamma[2], power;
    bar_dynamics(c, t, q, qd, u, mass, f, phi, phi_q, phi_t, gamma, &power);
    y[0] = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) y[0] += 0.5 * qd[i] * mass[3 * i + j] * qd[j];
    y[1] = c[4] * (1.5 * c[0] * sin(q[0]) + 0.5 * c[1] * sin(q[1]) + 0.5 * c[2] * sin(q[2]));
}

static const double bar_parameters[] = {0.5, 1.2, 1, 1.3, 9.81}, bar_start[] = {1, 0.4, 1.5},
                    bar_speed[] = {2, 0, 0};
static const double parallel_parameters[] = {0.5, 1.2, 0.5, 1.2, 9.81},
                    parallel_start[] = {-0.6, 0, -0.6};
static const double parallel_speed[] = {1, 0, 1};

static const ctk_model kernel_four_bar = {.name = "four_bar",
                                          .n = 3,
                                          .m = 2,
                                          .n_inputs = 1,
                                          .n_parameters = 5,
                                          .n_constants = 5,
                                          .n_outputs = 2,
                                          .parameters = bar_parameters,
                                          .inputs = no_input,
                                          .q0 = bar_start,
                                          .qd0 = bar_speed,
                                          .constants = copy5,
                                          .position = bar_position,
                                          .velocity = bar_velocity,
                                          .acceleration = bar_acceleration,
                                          .dynamics = bar_dynamics,
                                          .outputs = bar_outputs};

static const ctk_model kernel_parallelogram = {.name = "parallelogram",
                                               .n = 3,
                                               .m = 2,
                                               .n_inputs = 1,
                                               .n_parameters = 5,
                                               .n_constants = 5,
                                               .n_outputs = 2,
                                               .parameters = parallel_parameters,
                                               .inputs = no_input,
                                               .q0 = parallel_start,
                                               .qd0 = parallel_speed,
                                               .constants = copy5,
                                               .position = bar_position,
                                               .velocity = bar_velocity,
                                               .acceleration = bar_acceleration,
                                               .dynamics = bar_dynamics,
                                               .outputs = bar_outputs};

// chain: q = (cranks 0 .. N, couplers 1 .. N), unit lengths and tip masses: e_{k-1} + f_k - e_k -
// (1, 0) = 0

enum { CRANKS = KERNEL_CHAIN + 1, CHAIN_N = 2 * KERNEL_CHAIN + 1, CHAIN_M = 2 * KERNEL_CHAIN };

static void chain_position(const double *c, double t, const double *q, const double *u, double *phi,
                           double *phi_q) {
    (void)c, (void)t, (void)u;
    memset(phi_q, 0, CHAIN_M * CHAIN_N * sizeof *phi_q);
    for (int k = 0; k < KERNEL_CHAIN; k++) {
        const int at[3] = {k, CRANKS + k, k + 1};
        phi[2 * k] = -1;
        phi[2 * k + 1] = 0;
        for (int j = 0; j < 3; j++) {
            double s = j == 2 ? -1 : 1;
            phi[2 * k] += s * cos(q[at[j]]);
            phi[2 * k + 1] += s * sin(q[at[j]]);
            phi_q[2 * k * CHAIN_N + at[j]] = -s * sin(q[at[j]]);
            phi_q[(2 * k + 1) * CHAIN_N + at[j]] = s * cos(q[at[j]]);
        }
    }
}

static void chain_velocity(const double *c, double t, const double *q, const double *u,
                           double *phi_q, double *phi_t) {
    double phi[CHAIN_M];
    chain_position(c, t, q, u, phi, phi_q);
    memset(phi_t, 0, CHAIN_M * sizeof *phi_t);
}

static void chain_acceleration(const double *c, double t, const double *q, const double *qd,
                               const double *u, double *phi_q, double *gamma) {
    double phi[CHAIN_M];
    chain_position(c, t, q, u, phi, phi_q);
    for (int i = 0; i < KERNEL_CHAIN; i++) { // the second derivative of (cos, sin) is -(cos, sin)
        const double *row_x = phi_q + 2 * i * CHAIN_N, *row_y = row_x + CHAIN_N;
        gamma[2 * i] = gamma[2 * i + 1] = 0;
        for (int j = 0; j < CHAIN_N; j++) {
            gamma[2 * i] += row_y[j] * qd[j] * qd[j];
            gamma[2 * i + 1] -= row_x[j] * qd[j] * qd[j];
        }
    }
}

static void chain_dynamics(const double *c, double t, const double *q, const double *qd,
                           const double *u, double *mass, double *forcing, double *phi,
                           double *phi_q, double *phi_t, double *gamma, double *power) {
    memset(mass, 0, CHAIN_N * CHAIN_N * sizeof *mass);
    memset(forcing, 0, CHAIN_N * sizeof *forcing);
    for (int k = 0; k < CRANKS; k++) {
        mass[k * CHAIN_N + k] = 1;
        forcing[k] = -9.81 * cos(q[k]);
    }
    chain_velocity(c, t, q, u, phi_q, phi_t);
    chain_position(c, t, q, u, phi, phi_q);
    chain_acceleration(c, t, q, qd, u, phi_q, gamma);
    *power = 0;
}

static const double chain_start[CHAIN_N] = {-1, -1, -1, -1}, chain_speed[CHAIN_N] = {1, 1, 1, 1};

static const ctk_model kernel_chain = {.name = "chain",
                                       .n = CHAIN_N,
                                       .m = CHAIN_M,
                                       .q0 = chain_start,
                                       .qd0 = chain_speed,
                                       .position = chain_position,
                                       .velocity = chain_velocity,
                                       .acceleration = chain_acceleration,
                                       .dynamics = chain_dynamics};

// driven slider-crank: a e(th) + b e(ph) - (x, 0) = 0, th = w t; unit mass on each coordinate

static void slider_position(const double *c, double t, const double *q, const double *u,
                            double *phi, double *phi_q) {
    (void)u;
    const double jacobian[9] = {
        -c[0] * sin(q[0]), -c[1] * sin(q[1]), -1, c[0] * cos(q[0]), c[1] * cos(q[1]), 0, 1, 0, 0};
    memcpy(phi_q, jacobian, sizeof jacobian);
    phi[0] = c[0] * cos(q[0]) + c[1] * cos(q[1]) - q[2];
    phi[1] = c[0] * sin(q[0]) + c[1] * sin(q[1]);
    phi[2] = q[0] - c[2] * t;
}

static void slider_velocity(const double *c, double t, const double *q, const double *u,
                            double *phi_q, double *phi_t) {
    double phi[3];
    slider_position(c, t, q, u, phi, phi_q);
    phi_t[0] = phi_t[1] = 0;
    phi_t[2] = -c[2];
}

static void slider_acceleration(const double *c, double t, const double *q, const double *qd,
                                const double *u, double *phi_q, double *gamma) {
    double phi[3];
    slider_position(c, t, q, u, phi, phi_q);
    gamma[0] = c[0] * cos(q[0]) * qd[0] * qd[0] + c[1] * cos(q[1]) * qd[1] * qd[1];
    gamma[1] = c[0] * sin(q[0]) * qd[0] * qd[0] + c[1] * sin(q[1]) * qd[1] * qd[1];
    gamma[2] = 0;
}

static void slider_dynamics(const double *c, double t, const double *q, const double *qd,
                            const double *u, double *mass, double *forcing, double *phi,
                            double *phi_q, double *phi_t, double *gamma, double *power) {
    memset(mass, 0, 9 * sizeof *mass);
    mass[0] = mass[4] = mass[8] = 1;
    memset(forcing, 0, 3 * sizeof *forcing);
    slider_position(c, t, q, u, phi, phi_q);
    slider_velocity(c, t, q, u, phi_q, phi_t);
    slider_acceleration(c, t, q, qd, u, phi_q, gamma);
    *power = qd[2];
}

static const double slider_parameters[] = {1, 2.5, 10}, slider_start[] = {0, 0, 3.5};

static const ctk_model kernel_slider_crank = {.name = "slider_crank",
                                              .n = 3,
                                              .m = 3,
                                              .n_parameters = 3,
                                              .n_constants = 3,
                                              .parameters = slider_parameters,
                                              .q0 = slider_start,
                                              .constants = copy3,
                                              .position = slider_position,
                                              .velocity = slider_velocity,
                                              .acceleration = slider_acceleration,
                                              .dynamics = slider_dynamics};

static void nothing_dynamics(const double *c, double t, const double *q, const double *qd,
                             const double *u, double *mass, double *forcing, double *phi,
                             double *phi_q, double *phi_t, double *gamma, double *power) {
    (void)c, (void)t, (void)q, (void)qd, (void)u, (void)mass, (void)forcing, (void)phi, (void)phi_q,
        (void)phi_t;
    (void)gamma;
    *power = 1;
}

static const ctk_model kernel_nothing = {.name = "nothing", .dynamics = nothing_dynamics};
static const ctk_model kernel_too_many = {
    .name = "too_many", .n = 1, .m = 2, .q0 = angle_start, .dynamics = nothing_dynamics};

#endif
