// The functions of a model as the kernel calls them: arrays are copied to the registers of the
// function, its instructions are carried out, results are copied back. Which machine it is stands
// in the first constant.
#include "run/interpret/machine.h"

#include <string.h>

static int run(const double *c, const ct_machine *m, const ct_function *f, double t,
               double *const *arrays) {
    double *r = (double *)c; // the simulation's own memory: registers stand behind the constants
    r[f->time] = t;
    for (int i = 0; i < f->n; i++) {
        const ct_argument *a = f->argument + i;
        r[a->there] = arrays[i] != NULL;
        if (arrays[i] && a->n) memcpy(r + a->first, arrays[i], (size_t)a->n * sizeof *r);
    }
    ct_machine_run(m, f->start, r);
    for (int i = 0; i < f->n; i++) {
        const ct_argument *a = f->argument + i;
        if (a->is_result && arrays[i] && a->n)
            memcpy(arrays[i], r + a->first, (size_t)a->n * sizeof *r);
    }
    return (int)r[m->result];
}

static const ct_machine *machine_of(const double *c) {
    const ct_machine *m;
    memcpy(&m, c, sizeof m);
    return m;
}

static int call(const double *c, ct_model_function which, double t, double *const *arrays) {
    const ct_machine *m = machine_of(c);
    return run(c, m, m->function + which, t, arrays);
}

#define IN(x)            (double *)(x) // not changed: its argument is no result
#define CALL(which, ...) call(c, CT_FUNCTION_##which, t, (double *const[]){__VA_ARGS__})

// Where compiled code has taken over, its function has the same arguments, with its constants.
#define COMPILED(function, ...)                                                                    \
    if (machine_of(c)->compiled) {                                                                 \
        machine_of(c)->compiled->function(c + CT_FIRST_CONSTANT, __VA_ARGS__);                     \
        return;                                                                                    \
    }
#define COMPILED_GIVES(function, ...)                                                              \
    if (machine_of(c)->compiled)                                                                   \
        return machine_of(c)->compiled->function(c + CT_FIRST_CONSTANT, __VA_ARGS__);

// of a model --------------------------------------------------------------------------------------
static void constants(const double *p, double *c) {
    const ct_machine *m = machine_of(c);
    memcpy(c + m->first_number, m->numbers, (size_t)m->n_numbers * sizeof *c);
    call(c, CT_FUNCTION_CONSTANTS, 0, (double *const[]){IN(p)});
}
static void position(const double *c, double t, const double *q, const double *u, double *phi,
                     double *phi_q) {
    COMPILED(position, t, q, u, phi, phi_q)
    CALL(POSITION, IN(q), IN(u), phi, phi_q);
}
static void velocity(const double *c, double t, const double *q, const double *u, double *phi_q,
                     double *phi_t) {
    COMPILED(velocity, t, q, u, phi_q, phi_t)
    CALL(VELOCITY, IN(q), IN(u), phi_q, phi_t);
}
static void acceleration(const double *c, double t, const double *q, const double *qd,
                         const double *u, double *phi_q, double *gamma) {
    COMPILED(acceleration, t, q, qd, u, phi_q, gamma)
    CALL(ACCELERATION, IN(q), IN(qd), IN(u), phi_q, gamma);
}
static void dynamics(const double *c, double t, const double *q, const double *qd, const double *u,
                     double *mass, double *forcing, double *phi, double *phi_q, double *phi_t,
                     double *gamma, double *power) {
    COMPILED(dynamics, t, q, qd, u, mass, forcing, phi, phi_q, phi_t, gamma, power)
    CALL(DYNAMICS, IN(q), IN(qd), IN(u), mass, forcing, phi, phi_q, phi_t, gamma, power);
}
static void outputs(const double *c, double t, const double *q, const double *qd, const double *u,
                    double *y) {
    COMPILED(outputs, t, q, qd, u, y)
    CALL(OUTPUTS, IN(q), IN(qd), IN(u), y);
}
static void late_outputs(const double *c, double t, const double *q, const double *qd,
                         const double *qdd, const double *u, const double *reactions, double *y) {
    COMPILED(late_outputs, t, q, qd, qdd, u, reactions, y)
    CALL(LATE_OUTPUTS, IN(q), IN(qd), IN(qdd), IN(u), IN(reactions), y);
}
static void spare(const double *c, double t, const double *q, const double *qd, const double *u,
                  double *phi, double *phi_q, double *phi_t, double *gamma) {
    COMPILED(spare, t, q, qd, u, phi, phi_q, phi_t, gamma)
    CALL(SPARE, IN(q), IN(qd), IN(u), phi, phi_q, phi_t, gamma);
}
static void joint_frames(const double *c, double *frame) {
    COMPILED(joint_frames, frame)
    call(c, CT_FUNCTION_JOINT_FRAMES, 0, (double *const[]){frame});
}
static void opening(const double *c, double t, const double *q, const double *qd, const double *u,
                    double *phi, double *phi_rate) {
    COMPILED(opening, t, q, qd, u, phi, phi_rate)
    CALL(OPENING, IN(q), IN(qd), IN(u), phi, phi_rate);
}
static void switches(const double *c, double t, const double *q, const double *qd, const double *u,
                     double *value) {
    COMPILED(switches, t, q, qd, u, value)
    CALL(SWITCHES, IN(q), IN(qd), IN(u), value);
}
static void attach(const double *c, double t, const double *q, const double *u, double *kept) {
    COMPILED(attach, t, q, u, kept)
    CALL(ATTACH, IN(q), IN(u), kept);
}
static void tangent(const double *c, double t, const double *q, const double *qd, const double *u,
                    double *stiffness, double *damping) {
    COMPILED(tangent, t, q, qd, u, stiffness, damping)
    CALL(TANGENT, IN(q), IN(qd), IN(u), stiffness, damping);
}
static void recursion(const double *c, double t, const double *q, const double *qd, const double *u,
                      double *qdd, double *pivot, double *kept, double *phi, double *phi_q,
                      double *phi_t, double *gamma, double *power) {
    COMPILED(recursion, t, q, qd, u, qdd, pivot, kept, phi, phi_q, phi_t, gamma, power)
    CALL(RECURSION, IN(q), IN(qd), IN(u), qdd, pivot, kept, phi, phi_q, phi_t, gamma, power);
}
static void answer(const double *c, double t, const double *kept, const double *force, double *x) {
    COMPILED(answer, t, kept, force, x)
    CALL(ANSWER, IN(kept), IN(force), x);
}
static void wrench_system(const double *c, double t, const double *q, const double *qd,
                          const double *qdd, const double *u, double *a, double *b, double *v) {
    COMPILED(wrenches->system, t, q, qd, qdd, u, a, b, v)
    CALL(WRENCH_SYSTEM, IN(q), IN(qd), IN(qdd), IN(u), a, b, v);
}
static void wrench_columns(const double *c, double t, const double *q, const double *qd,
                           const double *qdd, const double *u, const double *v, const double *x,
                           double *y) {
    COMPILED(wrenches->columns, t, q, qd, qdd, u, v, x, y)
    CALL(WRENCH_COLUMNS, IN(q), IN(qd), IN(qdd), IN(u), IN(v), IN(x), y);
}
static void wrench_least(const double *c, double t, const double *q, const double *qd,
                         const double *qdd, const double *u, const double *v, const double *x,
                         double *y, double *share) {
    COMPILED(wrenches->least, t, q, qd, qdd, u, v, x, y, share)
    CALL(WRENCH_LEAST, IN(q), IN(qd), IN(qdd), IN(u), IN(v), IN(x), y, share);
}

// of its closure ----------------------------------------------------------------------------------
static void residual(const double *c, double t, const double *q, const double *u, double *phi,
                     double *phi_u) {
    const ct_machine *m = machine_of(c);
    COMPILED(closure->loops[(int)c[1]].residual, t, q, u, phi, phi_u)
    run(c, m, m->loops + (int)c[1], t, (double *const[]){IN(q), IN(u), phi, phi_u});
}
static void place(const double *c, double t, const double *q, const double *u, double *v,
                  double *w) {
    COMPILED(closure->place, t, q, u, v, w)
    CALL(PLACE, IN(q), IN(u), v, w);
}
static void read(const double *c, double t, const double *q, const double *u, double *v, double *w,
                 double *b) {
    COMPILED(closure->read, t, q, u, v, w, b)
    CALL(READ, IN(q), IN(u), v, w, b);
}
static int positions(const double *c, double t, const double *qi, const double *u, double *b,
                     double *w, double *v, double *g) {
    COMPILED_GIVES(closure->positions, t, qi, u, b, w, v, g)
    return CALL(POSITIONS, IN(qi), IN(u), b, w, v, g);
}
static int closure_dynamics(const double *c, double t, const double *qi, const double *qdi,
                            const double *u, const double *b, const double *w, const double *v,
                            double *qddi, double *power) {
    COMPILED_GIVES(closure->dynamics, t, qi, qdi, u, b, w, v, qddi, power)
    return CALL(CLOSURE_DYNAMICS, IN(qi), IN(qdi), IN(u), IN(b), IN(w), IN(v), qddi, power);
}
static int expansion(const double *c, double t, const double *qi, const double *qdi,
                     const double *qddi, const double *u, const double *b, const double *w,
                     const double *v, double *q, double *qd, double *qdd) {
    COMPILED_GIVES(closure->expansion, t, qi, qdi, qddi, u, b, w, v, q, qd, qdd)
    return CALL(EXPANSION, IN(qi), IN(qdi), IN(qddi), IN(u), IN(b), IN(w), IN(v), q, qd, qdd);
}

// of its initial problem --------------------------------------------------------------------------
static void start(const double *c, double t, const double *u, double *q, double *qd) {
    CALL(START, IN(u), q, qd);
}
static void initial_position(const double *c, double t, const double *q, const double *u,
                             double *phi, double *phi_q) {
    CALL(INITIAL_POSITION, IN(q), IN(u), phi, phi_q);
}
static void initial_velocity(const double *c, double t, const double *q, const double *u,
                             double *phi_t) {
    CALL(INITIAL_VELOCITY, IN(q), IN(u), phi_t);
}
static void poses(const double *c, double t, const double *q, const double *u, double *pose) {
    CALL(POSES, IN(q), IN(u), pose);
}
static void twists(const double *c, double t, const double *q, const double *u, double *twist) {
    CALL(TWISTS, IN(q), IN(u), twist);
}
static void joints(const double *c, double t, const double *q, const double *u, double *arm,
                   double *given) {
    CALL(JOINTS, IN(q), IN(u), arm, given);
}
static void guards(const double *c, double t, const double *q, const double *u, double *guard,
                   double *angle) {
    CALL(GUARDS, IN(q), IN(u), guard, angle);
}
static void transfer(const double *c, double t, const double *q, const double *qd, const double *u,
                     double *to, double *to_rate, double *turns) {
    CALL(TRANSFER, IN(q), IN(qd), IN(u), to, to_rate, turns);
}
static void lengths(const double *c, double *length) {
    call(c, CT_FUNCTION_LENGTHS, 0, (double *const[]){length});
}
static void conditions(const double *c, double *condition) {
    call(c, CT_FUNCTION_CONDITIONS, 0, (double *const[]){condition});
}
static void inputs(const double *c, double *u) {
    call(c, CT_FUNCTION_INPUTS, 0, (double *const[]){u});
}
static void scales(const double *c, double t, const double *q, const double *u, double *scale) {
    COMPILED(initial->scales, t, q, u, scale)
    CALL(SCALES, IN(q), IN(u), scale);
}

static bool has(const ct_machine *m, ct_model_function which) {
    return m->function[which].time != 0;
}

void ct_machine_connect(ct_machine *m, ctk_loop *loops) {
    m->model.context = m;
    // those that the text has
#define ENTRY(record, member, name, entry)                                                         \
    if (has(m, CT_FUNCTION_##name)) m->record.member = entry;
    ENTRY(model, constants, CONSTANTS, constants)
    ENTRY(model, position, POSITION, position)
    ENTRY(model, velocity, VELOCITY, velocity)
    ENTRY(model, acceleration, ACCELERATION, acceleration)
    ENTRY(model, dynamics, DYNAMICS, dynamics)
    ENTRY(model, outputs, OUTPUTS, outputs)
    ENTRY(model, late_outputs, LATE_OUTPUTS, late_outputs)
    ENTRY(model, spare, SPARE, spare)
    ENTRY(model, opening, OPENING, opening)
    ENTRY(model, tangent, TANGENT, tangent)
    ENTRY(model, recursion, RECURSION, recursion)
    ENTRY(model, answer, ANSWER, answer)
    ENTRY(model, switches, SWITCHES, switches)
    ENTRY(model, attach, ATTACH, attach)
    ENTRY(wrenches, system, WRENCH_SYSTEM, wrench_system)
    ENTRY(wrenches, columns, WRENCH_COLUMNS, wrench_columns)
    ENTRY(wrenches, least, WRENCH_LEAST, wrench_least)
    ENTRY(model, joint_frames, JOINT_FRAMES, joint_frames)
    ENTRY(closure, place, PLACE, place)
    ENTRY(closure, read, READ, read)
    ENTRY(closure, positions, POSITIONS, positions)
    ENTRY(closure, dynamics, CLOSURE_DYNAMICS, closure_dynamics)
    ENTRY(closure, expansion, EXPANSION, expansion)
    ENTRY(initial, start, START, start)
    ENTRY(initial, position, INITIAL_POSITION, initial_position)
    ENTRY(initial, velocity, INITIAL_VELOCITY, initial_velocity)
    ENTRY(initial, poses, POSES, poses)
    ENTRY(initial, twists, TWISTS, twists)
    ENTRY(initial, joints, JOINTS, joints)
    ENTRY(initial, guards, GUARDS, guards)
    ENTRY(initial, transfer, TRANSFER, transfer)
    ENTRY(initial, lengths, LENGTHS, lengths)
    ENTRY(initial, conditions, CONDITIONS, conditions)
    ENTRY(initial, inputs, INPUTS, inputs)
    ENTRY(initial, scales, SCALES, scales)
#undef ENTRY
    for (int i = 0; i < m->closure.n_loops && loops; i++) loops[i].residual = residual;
}
