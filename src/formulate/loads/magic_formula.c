// The Magic Formula as PAC2002 has it (H. B. Pacejka, Tyre and Vehicle Dynamics, section 4.3.2,
// with the coefficients named as in property files), written out as text: each line names a
// quantity in terms of the ones above it. Whatever a coefficient that is zero multiplies vanishes
// as the lines are built. Stiffnesses and shifts of force are those of the book over the load Fz,
// so that nothing is divided by a load that may be zero; sin(2 atan r) is 2 r / (1 + r^2), cos(atan
// r) is 1 / sqrt(1 + r^2). Divisors have a floor: 1e-6 for friction, and 1e-3 for the cornering
// stiffness over the load, in 1 / rad, which is negative.
#include "formulate/loads/magic_formula.h"

#include <string.h>

typedef struct formula {
    const char *name, *text;
} formula;

static const formula formulas[] = {
    // load, with the road below or not; nominal load and how far it is from it
    {"Fz", "if(0 < rho, max(0, k*rho + c*rho_rate), 0)"},
    {"Fz0", "LFZO*FNOMIN"},
    {"dfz", "Fz/Fz0 - 1"},
    {"lmux", "LMUX*friction"},
    {"lmuy", "LMUY*friction"},
    // effective rolling radius; slip, with a speed that does not vanish
    {"rho0", "FNOMIN/max(k, 1)"},
    {"rhod", "max(0, rho)/rho0"},
    {"roll", "spin*(R0 - rho0*(DREFF*atan(BREFF*rhod) + FREFF*rhod))"},
    {"speed", "max(abs(Vx), slip_speed)"},
    {"rolling", "abs(Vx)/speed"}, // 1, but 0 at rest: ply and camber push where the tyre rolls
    {"kappa", "(roll - Vx)/speed"},
    {"tan_alpha", "side*Vy/speed"},
    {"alpha", "atan(tan_alpha)"},
    {"cos_alpha", "Vx/(speed*sqrt(1 + tan_alpha^2))"}, // negative backwards: the trail turns over
    {"gamma", "side*camber"},

    // longitudinal force, pure slip
    {"SHx", "(PHX1 + PHX2*dfz)*LHX*rolling"},
    {"SVx", "(PVX1 + PVX2*dfz)*LVX*lmux*rolling"},
    {"kx", "kappa + SHx"},
    {"Cx", "PCX1*LCX"},
    {"mux", "max(0, (PDX1 + PDX2*dfz)*(1 - PDX3*(LGAX*gamma)^2)*lmux)"},
    {"Ex", "min(1, (PEX1 + PEX2*dfz + PEX3*dfz^2)*(1 - PEX4*sign(kx))*LEX)"},
    {"Kx", "(PKX1 + PKX2*dfz)*exp(PKX3*dfz)*LKX"},
    {"Bxk", "Kx/max(Cx*mux, 1e-6)*kx"},
    {"Fx0", "Fz*(mux*sin(Cx*atan(Bxk - Ex*(Bxk - atan(Bxk)))) + SVx)"},

    // lateral force, pure slip
    {"gy", "LGAY*gamma"},
    {"SHy", "((PHY1 + PHY2*dfz)*LHY + PHY3*gy)*rolling"},
    {"SVy", "((PVY1 + PVY2*dfz)*LVY + (PVY3 + PVY4*dfz)*gy)*lmuy*rolling"},
    {"ay", "alpha + SHy"},
    {"Cy", "PCY1*LCY"},
    {"muy", "max(0, (PDY1 + PDY2*dfz)*(1 - PDY3*gy^2)*lmuy)"},
    {"Ey", "min(1, (PEY1 + PEY2*dfz)*(1 - (PEY3 + PEY4*gy)*sign(ay))*LEY)"},
    {"Ky", "min(-1e-3, 2*PKY1/PKY2/(1 + (Fz/(PKY2*Fz0))^2)*(1 - PKY3*abs(gy))*LKY)"},
    {"By", "Ky/max(Cy*muy, 1e-6)"},
    {"Bya", "By*ay"},
    {"Fy0", "Fz*(muy*sin(Cy*atan(Bya - Ey*(Bya - atan(Bya)))) + SVy)"},

    // combined slip: weights, and side force by longitudinal slip
    {"Bxa", "RBX1*LXAL/sqrt(1 + (RBX2*kappa)^2)"},
    {"Exa", "min(1, REX1 + REX2*dfz)"},
    {"xa", "Bxa*(alpha + RHX1)"},
    {"x0", "Bxa*RHX1"},
    {"Gxa",
     "max(0, cos(RCX1*atan(xa - Exa*(xa - atan(xa))))/cos(RCX1*atan(x0 - Exa*(x0 - atan(x0)))))"},
    {"Fx", "Gxa*Fx0"},
    {"Byk", "RBY1*LYKA/sqrt(1 + (RBY2*(alpha - RBY3))^2)"},
    {"Eyk", "min(1, REY1 + REY2*dfz)"},
    {"SHyk", "RHY1 + RHY2*dfz"},
    {"yk", "Byk*(kappa + SHyk)"},
    {"y0", "Byk*SHyk"},
    {"Gyk",
     "max(0, cos(RCY1*atan(yk - Eyk*(yk - atan(yk))))/cos(RCY1*atan(y0 - Eyk*(y0 - atan(y0)))))"},
    {"DVyk", "muy*(RVY1 + RVY2*dfz + RVY3*gamma)/sqrt(1 + (RVY4*alpha)^2)"},
    {"SVyk", "DVyk*sin(RVY5*atan(RVY6*kappa))*LVYKA"},
    {"Fyw", "Gyk*Fy0"},
    {"Fy", "Fyw + Fz*SVyk"},

    // aligning moment: pneumatic trail, residual moment, arm of Fx; even in the angles at and ar
    {"gz", "LGAZ*gamma"},
    {"soft", "LKY/max(lmuy, 1e-6)"},
    {"Bt", "(QBZ1 + QBZ2*dfz + QBZ3*dfz^2)*(1 + QBZ4*gz + QBZ5*abs(gz))*soft"},
    {"at", "alpha + QHZ1 + QHZ2*dfz + (QHZ3 + QHZ4*dfz)*gz"},
    {"ar", "alpha + SHy + SVy/Ky"},
    {"Et", "min(1, (QEZ1 + QEZ2*dfz + QEZ3*dfz^2)*(1 + (QEZ4 + QEZ5*gz)*2/pi*atan(Bt*QCZ1*at)))"},
    {"other", "(Kx/Ky*kappa)^2"},
    {"Bta", "Bt*atan(sqrt(tan(at)^2 + other))"},
    {"Dt", "Fz*R0/Fz0*(QDZ1 + QDZ2*dfz)*(1 + QDZ3*gz + QDZ4*gz^2)*LTR"},
    {"trail", "Dt*cos(QCZ1*atan(Bta - Et*(Bta - atan(Bta))))*cos_alpha"},
    {"Bra", "(QBZ9*soft + QBZ10*By*Cy)*atan(sqrt(tan(ar)^2 + other))"},
    {"Dr", "Fz*R0*((QDZ6 + QDZ7*dfz)*LRES + (QDZ8 + QDZ9*dfz)*gz)*lmuy"},
    {"Mzr", "Dr/sqrt(1 + Bra^2)*cos_alpha"},
    {"arm", "R0*(SSZ1 + SSZ2*Fy/Fz0 + (SSZ3 + SSZ4*dfz)*gamma)*LS"},

    // what the wheel feels; left and right as they are
    {"fx", "Fx"},
    {"fy", "side*Fy"},
    {"fz", "Fz"},
    {"mx", "side*R0*Fz*(QSX1*LVMX - QSX2*gamma + QSX3*Fy/Fz0)*LMX"},
    {"my", "-R0*Fz*(QSY1 + QSY2*Fx/Fz0 + QSY3*abs(Vx/V0) + QSY4*(Vx/V0)^4)*LMY"
           "*roll/max(abs(roll), slip_speed)"},
    {"mz", "side*(Mzr - trail*Fyw + arm*Fx)"},
    {"slip", "kappa"},
    {"slip_angle", "side*alpha"},
    {"camber", "camber"},
};

enum { FORMULAS = sizeof formulas / sizeof *formulas, GIVEN_MAX = 16 };

typedef struct tyre_names {
    ct_pool *pool;
    const ct_force *tyre;
    const char *name[FORMULAS + GIVEN_MAX]; // what is known so far
    ct_ex value[FORMULAS + GIVEN_MAX];
    int n;
} tyre_names;

static void know(tyre_names *k, const char *name, ct_ex value) {
    k->name[k->n] = name;
    k->value[k->n++] = value;
}

static bool resolve(void *data, const char *name, int primes, size_t offset, ct_ex *value,
                    ct_parse_error *error) {
    static const char *const coefficients[] = {
#define X(name, value) #name,
        CT_TYRE_COEFFICIENTS(X)
#undef X
    };
    tyre_names *k = data;
    (void)primes, (void)offset, (void)error;
    for (int i = k->n - 1; i >= 0; i--)
        if (!strcmp(k->name[i], name)) return *value = k->value[i], true;
    for (int i = 0; i < CT_TYRE_COEFFICIENT_COUNT; i++)
        if (!strcmp(coefficients[i], name)) return *value = k->tyre->coefficient[i], true;
    return false;
}

void ct_magic_formula(const ct_model *model, const ct_force *tyre, ct_ex friction, ct_ex stiffness,
                      ct_ex damping, const ct_tyre_motion *motion,
                      ct_ex quantity[CT_TYRE_QUANTITY_COUNT]) {
    ct_pool *pool = model->pool;
    tyre_names k = {.pool = pool, .tyre = tyre};
    ct_ex speed = tyre->coefficient[CT_MF_LONGVL];
    // constants of the tyre; a property file without a reference speed: 1
    know(&k, "pi", ct_pi(pool));
    know(&k, "R0", tyre->radius);
    know(&k, "V0", speed == CT_ZERO ? CT_ONE : speed);
    know(&k, "slip_speed", tyre->slip_speed);
    know(&k, "side", ct_int(pool, tyre->mirror ? -1 : 1));
    // road and carcass
    know(&k, "friction", friction);
    know(&k, "k", stiffness);
    know(&k, "c", damping);
    // motion of the wheel at the contact
    know(&k, "rho", motion->deflection);
    know(&k, "rho_rate", motion->deflection_rate);
    know(&k, "Vx", motion->forward);
    know(&k, "Vy", motion->sideways);
    know(&k, "spin", motion->spin);
    know(&k, "camber", motion->camber);
    // one formula after the other, each in terms of the ones above it
    ct_names names = {.data = &k, .resolve = resolve};
    for (int i = 0; i < FORMULAS; i++) {
        ct_ex value = CT_ZERO;
        ct_parse_error error;
        if (!ct_parse(pool, formulas[i].text, &names, &value, &error)) value = ct_undefined(pool);
        know(&k, formulas[i].name, ct_let(pool, value));
    }
    // the last lines of the table are the quantities asked for
    for (int i = 0; i < CT_TYRE_QUANTITY_COUNT; i++)
        quantity[i] = k.value[k.n - CT_TYRE_QUANTITY_COUNT + i];
}
