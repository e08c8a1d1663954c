"""Forces of a tyre on the road z = const: the Magic Formula (PAC2002, steady state) in plain numbers.

Written from Pacejka's formulas, not from cotree's: loads are forces, sines of double angles are sines
of double angles, and a tyre without load is simply not evaluated.
"""
from math import asin, atan, cos, exp, hypot, pi, sin, sqrt, tan

import numpy as np

from expression import cross

UP = np.array([0.0, 0.0, 1.0])
SCALES = ("LFZO LCX LMUX LEX LKX LHX LVX LGAX LCY LMUY LEY LKY LHY LVY LGAY LTR LRES LGAZ LXAL LYKA LVYKA LS "
          "LMX LVMX LMY").split()


class Coefficients(dict):
    def __missing__(self, name):
        return 1.0 if name in SCALES else 0.0

    __getattr__ = dict.__getitem__


def sgn(x):
    return float(x > 0) - float(x < 0)


def magic(x, B, C, E, f):
    return f(C * atan(B * x - E * (B * x - atan(B * x))))


def forces(p, R0, friction, Fz, kappa, alpha, gamma, Vx, cos_alpha, moves):
    """Fx, Fy, Mx, Mz and the magnitude of My for a tyre of the measured side; moves: 1, and less below slip_speed."""
    Fz0 = p.FNOMIN * p.LFZO
    df = (Fz - Fz0) / Fz0
    lx, ly = p.LMUX * friction, p.LMUY * friction
    # pure longitudinal
    kx = kappa + (p.PHX1 + p.PHX2 * df) * p.LHX * moves
    mux = (p.PDX1 + p.PDX2 * df) * (1 - p.PDX3 * (gamma * p.LGAX) ** 2) * lx
    Cx, Dx = p.PCX1 * p.LCX, mux * Fz
    Ex = min(1.0, (p.PEX1 + p.PEX2 * df + p.PEX3 * df ** 2) * (1 - p.PEX4 * sgn(kx)) * p.LEX)
    Kx = Fz * (p.PKX1 + p.PKX2 * df) * exp(p.PKX3 * df) * p.LKX
    Fx0 = Dx * magic(kx, Kx / (Cx * Dx), Cx, Ex, sin) + Fz * (p.PVX1 + p.PVX2 * df) * p.LVX * lx * moves
    # pure lateral
    gy = gamma * p.LGAY
    SHy = ((p.PHY1 + p.PHY2 * df) * p.LHY + p.PHY3 * gy) * moves
    SVy = Fz * ((p.PVY1 + p.PVY2 * df) * p.LVY + (p.PVY3 + p.PVY4 * df) * gy) * ly * moves
    ay = alpha + SHy
    muy = (p.PDY1 + p.PDY2 * df) * (1 - p.PDY3 * gy ** 2) * ly
    Cy, Dy = p.PCY1 * p.LCY, muy * Fz
    Ey = min(1.0, (p.PEY1 + p.PEY2 * df) * (1 - (p.PEY3 + p.PEY4 * gy) * sgn(ay)) * p.LEY)
    Ky = p.PKY1 * Fz0 * sin(2 * atan(Fz / (p.PKY2 * Fz0))) * (1 - p.PKY3 * abs(gy)) * p.LKY
    By = Ky / (Cy * Dy)
    Fy0 = Dy * magic(ay, By, Cy, Ey, sin) + SVy
    # combined
    Bx = p.RBX1 * cos(atan(p.RBX2 * kappa)) * p.LXAL
    Ex = min(1.0, p.REX1 + p.REX2 * df)
    Gx = magic(alpha + p.RHX1, Bx, p.RCX1, Ex, cos) / magic(p.RHX1, Bx, p.RCX1, Ex, cos)
    Fx = max(0.0, Gx) * Fx0
    Bk = p.RBY1 * cos(atan(p.RBY2 * (alpha - p.RBY3))) * p.LYKA
    Ek = min(1.0, p.REY1 + p.REY2 * df)
    SHk = p.RHY1 + p.RHY2 * df
    Gy = magic(kappa + SHk, Bk, p.RCY1, Ek, cos) / magic(SHk, Bk, p.RCY1, Ek, cos)
    DVk = muy * Fz * (p.RVY1 + p.RVY2 * df + p.RVY3 * gamma) * cos(atan(p.RVY4 * alpha))
    SVk = DVk * sin(p.RVY5 * atan(p.RVY6 * kappa)) * p.LVYKA
    Fy = max(0.0, Gy) * Fy0 + SVk
    # aligning
    gz = gamma * p.LGAZ
    at = alpha + p.QHZ1 + p.QHZ2 * df + (p.QHZ3 + p.QHZ4 * df) * gz
    ar = alpha + SHy + SVy / Ky
    Bt = (p.QBZ1 + p.QBZ2 * df + p.QBZ3 * df ** 2) * (1 + p.QBZ4 * gz + p.QBZ5 * abs(gz)) * p.LKY / ly
    Et = (p.QEZ1 + p.QEZ2 * df + p.QEZ3 * df ** 2) * (1 + (p.QEZ4 + p.QEZ5 * gz) * 2 / pi * atan(Bt * p.QCZ1 * at))
    Dt = Fz * (p.QDZ1 + p.QDZ2 * df) * (1 + p.QDZ3 * gz + p.QDZ4 * gz ** 2) * R0 / Fz0 * p.LTR
    equivalent = lambda a: atan(sqrt(tan(a) ** 2 + (Kx / Ky * kappa) ** 2)) * sgn(a)
    trail = Dt * magic(equivalent(at), Bt, p.QCZ1, min(1.0, Et), cos) * cos_alpha
    Br = p.QBZ9 * p.LKY / ly + p.QBZ10 * By * Cy
    Dr = Fz * ((p.QDZ6 + p.QDZ7 * df) * p.LRES + (p.QDZ8 + p.QDZ9 * df) * gz) * R0 * ly
    Mzr = Dr * cos(atan(Br * equivalent(ar))) * cos_alpha
    s = R0 * (p.SSZ1 + p.SSZ2 * Fy / Fz0 + (p.SSZ3 + p.SSZ4 * df) * gamma) * p.LS
    Mz = -trail * (Fy - SVk) + Mzr + s * Fx
    Mx = R0 * Fz * (p.QSX1 * p.LVMX - p.QSX2 * gamma + p.QSX3 * Fy / Fz0) * p.LMX
    V = Vx / p.LONGVL if p.LONGVL else 0.0
    My = R0 * Fz * (p.QSY1 + p.QSY2 * Fx / Fz0 + p.QSY3 * abs(V) + p.QSY4 * V ** 4) * p.LMY
    return Fx, Fy, Mx, My, Mz


class Tyre:
    def __init__(self, model, f):
        self.body = model.body_index(f["on"])
        self.centre = model.local_point(f["on"], f.get("centre", ["0", "0", "0"]))
        self.axis = model.direction(f["on"], f["on"], f.get("axis", "y"))
        self.R0 = model.number(f["radius"])
        self.low = model.number(f.get("slip_speed", "1"))
        self.side = -1.0 if str(f.get("mirror", "false")).lower() == "true" else 1.0
        self.p = Coefficients({n: model.number(e) for n, e in f["coefficients"].items()})

    def act(self, c, number, road, road_rate, f):
        """Force, moment about the wheel's centre, all quantities."""
        R, w = c.R[self.body], c.V[self.body, 3:]
        at = c.point(self.body, self.centre)
        r, v = at.val, at.rate
        s = R @ self.axis
        x = cross(s, UP)
        x /= np.linalg.norm(x)
        y = cross(UP, x)
        u = cross(x, s)  # up in the wheel plane
        loaded = (r[2] - road) / u[2]
        contact = r - loaded * u
        # rate of the loaded radius: the road stays on the plane of the wheel
        carcass = cross(w - (w @ s) * s, u)  # rate of u, but for what turns it in its plane
        du = carcass - (carcass @ x) * x
        loaded_rate = (v[2] - road_rate - loaded * du[2]) / u[2]
        k, rho = number(f["stiffness"]), self.R0 - loaded
        Fz = max(0.0, k * rho - number(f.get("damping", "0")) * loaded_rate) if rho > 0 else 0.0
        spin, Vx = w @ s, v @ x
        Vy = (v + cross(w, contact - r)) @ y
        rho0 = self.p.FNOMIN / k
        d = max(0.0, rho) / rho0
        rolling = spin * (self.R0 - rho0 * (self.p.DREFF * atan(self.p.BREFF * d) + self.p.FREFF * d))
        speed = max(abs(Vx), self.low)
        kappa, alpha, gamma = -(Vx - rolling) / speed, atan(Vy / speed), asin(s[2])
        q = np.array([0, 0, Fz, 0, 0, 0, kappa, alpha, gamma], float)
        if Fz > 0:
            Fx, Fy, Mx, My, Mz = forces(self.p, self.R0, number(f.get("friction", "1")), Fz, kappa, self.side * alpha,
                                        self.side * gamma, Vx, Vx / hypot(speed, Vy), abs(Vx) / speed)
            q[:6] = Fx, self.side * Fy, Fz, self.side * Mx, -My * rolling / max(abs(rolling), self.low), self.side * Mz
        force = q[0] * x + q[1] * y + q[2] * UP
        moment = q[3] * x + q[4] * y + q[5] * UP + cross(contact - r, force)
        return at, force, moment, q
