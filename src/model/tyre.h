// Tyres: the coefficients of the Magic Formula as the property files of PAC2002 name them.
#ifndef CT_TYRE_H
#define CT_TYRE_H

// X(name, value where it is not given)
// clang-format off
#define CT_TYRE_COEFFICIENTS(X)                                                                    \
    /* load, effective rolling radius, speed of measurement */                                     \
    X(FNOMIN, 0) X(BREFF, 0) X(DREFF, 0) X(FREFF, 0) X(LONGVL, 0)                                  \
    /* scale factors */                                                                            \
    X(LFZO, 1) X(LCX, 1) X(LMUX, 1) X(LEX, 1) X(LKX, 1) X(LHX, 1) X(LVX, 1) X(LGAX, 1)             \
    X(LCY, 1) X(LMUY, 1) X(LEY, 1) X(LKY, 1) X(LHY, 1) X(LVY, 1) X(LGAY, 1)                        \
    X(LTR, 1) X(LRES, 1) X(LGAZ, 1) X(LXAL, 1) X(LYKA, 1) X(LVYKA, 1) X(LS, 1)                     \
    X(LMX, 1) X(LVMX, 1) X(LMY, 1)                                                                 \
    /* longitudinal force; its reduction by side slip */                                           \
    X(PCX1, 0) X(PDX1, 0) X(PDX2, 0) X(PDX3, 0) X(PEX1, 0) X(PEX2, 0) X(PEX3, 0) X(PEX4, 0)        \
    X(PKX1, 0) X(PKX2, 0) X(PKX3, 0) X(PHX1, 0) X(PHX2, 0) X(PVX1, 0) X(PVX2, 0)                   \
    X(RBX1, 0) X(RBX2, 0) X(RCX1, 0) X(REX1, 0) X(REX2, 0) X(RHX1, 0)                              \
    /* lateral force; its reduction by longitudinal slip */                                        \
    X(PCY1, 0) X(PDY1, 0) X(PDY2, 0) X(PDY3, 0) X(PEY1, 0) X(PEY2, 0) X(PEY3, 0) X(PEY4, 0)        \
    X(PKY1, 0) X(PKY2, 0) X(PKY3, 0) X(PHY1, 0) X(PHY2, 0) X(PHY3, 0)                              \
    X(PVY1, 0) X(PVY2, 0) X(PVY3, 0) X(PVY4, 0)                                                    \
    X(RBY1, 0) X(RBY2, 0) X(RBY3, 0) X(RCY1, 0) X(REY1, 0) X(REY2, 0) X(RHY1, 0) X(RHY2, 0)        \
    X(RVY1, 0) X(RVY2, 0) X(RVY3, 0) X(RVY4, 0) X(RVY5, 0) X(RVY6, 0)                              \
    /* overturning, rolling resistance */                                                          \
    X(QSX1, 0) X(QSX2, 0) X(QSX3, 0) X(QSY1, 0) X(QSY2, 0) X(QSY3, 0) X(QSY4, 0)                   \
    /* aligning moment; its change by longitudinal slip */                                         \
    X(QBZ1, 0) X(QBZ2, 0) X(QBZ3, 0) X(QBZ4, 0) X(QBZ5, 0) X(QBZ9, 0) X(QBZ10, 0) X(QCZ1, 0)       \
    X(QDZ1, 0) X(QDZ2, 0) X(QDZ3, 0) X(QDZ4, 0) X(QDZ6, 0) X(QDZ7, 0) X(QDZ8, 0) X(QDZ9, 0)        \
    X(QEZ1, 0) X(QEZ2, 0) X(QEZ3, 0) X(QEZ4, 0) X(QEZ5, 0)                                         \
    X(QHZ1, 0) X(QHZ2, 0) X(QHZ3, 0) X(QHZ4, 0) X(SSZ1, 0) X(SSZ2, 0) X(SSZ3, 0) X(SSZ4, 0)
// clang-format on

typedef enum ct_tyre_coefficient {
#define X(name, value) CT_MF_##name,
    CT_TYRE_COEFFICIENTS(X)
#undef X
        CT_TYRE_COEFFICIENT_COUNT
} ct_tyre_coefficient;

// Quantities of a tyre for outputs, as functions of its name: X(enumerator, function). Its force and
// its moments stand in the axes of the tyre.
#define CT_TYRE_QUANTITIES(X)                                                                      \
    X(FX, "fx")                                                                                    \
    X(FY, "fy")                                                                                    \
    X(FZ, "fz")                                                                                    \
    X(MX, "mx")                                                                                    \
    X(MY, "my")                                                                                    \
    X(MZ, "mz")                                                                                    \
    X(SLIP, "slip")                                                                                \
    X(SLIP_ANGLE, "slip_angle")                                                                    \
    X(CAMBER, "camber")

typedef enum ct_tyre_quantity {
#define X(name, text) CT_TYRE_##name,
    CT_TYRE_QUANTITIES(X)
#undef X
        CT_TYRE_QUANTITY_COUNT
} ct_tyre_quantity;

#endif
