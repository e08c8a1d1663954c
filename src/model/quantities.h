// Quantities that expressions measure by functions of names, and which of them a probe holds.
#ifndef CT_MODEL_QUANTITIES_H
#define CT_MODEL_QUANTITIES_H

// Functions of points: X(enumerator, function, what it takes, what it is). Those that are positions
// or velocities may stand in forces, too.
#define CT_POINT_FUNCTIONS(X)                                                                      \
    X(X, "x", POINT, POSITION)                                                                     \
    X(Y, "y", POINT, POSITION)                                                                     \
    X(Z, "z", POINT, POSITION)                                                                     \
    X(VX, "vx", POINT, VELOCITY)                                                                   \
    X(VY, "vy", POINT, VELOCITY)                                                                   \
    X(VZ, "vz", POINT, VELOCITY)                                                                   \
    X(DISTANCE, "distance", POINTS, POSITION)
// The same for outputs alone.
#define CT_OUTPUT_FUNCTIONS(X)                                                                     \
    X(AX, "ax", POINT, OUTPUT)                                                                     \
    X(AY, "ay", POINT, OUTPUT)                                                                     \
    X(AZ, "az", POINT, OUTPUT)                                                                     \
    X(WX, "wx", BODY, OUTPUT)                                                                      \
    X(WY, "wy", BODY, OUTPUT)                                                                      \
    X(WZ, "wz", BODY, OUTPUT)
// Quantities of the whole model, by name, for outputs alone: X(enumerator, name).
#define CT_OUTPUT_NAMES(X)                                                                         \
    X(KINETIC, "kinetic")                                                                          \
    X(POTENTIAL, "potential")

typedef enum ct_probe_kind {
#define X(name, ...) CT_PROBE_##name,
    CT_POINT_FUNCTIONS(X) CT_OUTPUT_FUNCTIONS(X) CT_OUTPUT_NAMES(X)
#undef X
        CT_PROBE_ACCELERATION, // J'' of a coordinate
    CT_PROBE_FORCE,            // a quantity of a force: fz(tyre)
    CT_PROBE_REACTION,  // fz(J) to mz(J), lambda(J) of a joint; effort(J) of a motion or drive
    CT_PROBE_EXTENSION, // of a spring or torsion, in its own law
    CT_PROBE_EXTENSION_RATE
} ct_probe_kind;
// The last one that forces may use.
#define CT_PROBE_LAST_OF_MOTION CT_PROBE_DISTANCE

#endif
