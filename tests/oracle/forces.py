"""Laws of forces that follow from the motion, in numbers: bushing, contact, friction, limit, drag.

Each returns generalised forces on the velocities of all bodies (three of the centre of mass, three of the rotation, ground axes).
"""
import numpy as np
from scipy.spatial.transform import Rotation


def skew(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def turned_back(r, moment):
    """Moment of the rotation vector's own forces: T^-T moment, with w = T r'."""
    a = np.linalg.norm(r)
    S = skew(r)
    if a < 1e-4:
        T = np.eye(3) + S / 2 + S @ S / 6
    else:
        T = np.eye(3) + (1 - np.cos(a)) / a**2 * S + (a - np.sin(a)) / a**3 * S @ S
    return np.linalg.solve(T.T, moment)


def stop(number, f, depth, rate):
    """Hunt and Crossley, with linear damping."""
    if depth <= 0:
        return 0.0
    k, c, a, e = (number(f.get(key, default)) for key, default in
                  (("stiffness", "0"), ("damping", "0"), ("dissipation", "0"), ("exponent", "1")))
    return max(0.0, k * depth**e * (1 + a * rate) + c * rate)


def rubbing(number, f, kinetic, at_rest, v):
    """Share of the velocity: c(v) / sqrt(v^2 + slip^2)."""
    slip = number(f.get("slip_speed", "1e-3"))
    fall = number(f["stribeck_speed"]) if "stribeck_speed" in f else 10 * slip
    return (kinetic + (at_rest - kinetic) * np.exp(-(v / fall) ** 2)) / np.hypot(v, slip)


class Laws:
    """Forces of one state c (mechanism.Context), with numbers of expressions."""

    def __init__(self, c, number):
        self.c, self.m, self.number = c, c.model, number

    def body(self, b):
        return (np.eye(3), np.zeros(3), np.zeros(3)) if b < 0 else (self.c.R[b], self.c.V[b, 3:], self.c.pos[b])

    def velocity(self, b, at):
        """Of the point of a body that is at this place."""
        return np.zeros(3) if b < 0 else self.c.V[b, :3] + np.cross(self.c.V[b, 3:], at - self.c.pos[b])

    def push(self, Q, b, at, force, moment=np.zeros(3)):
        if b < 0:
            return
        Q[6 * b:6 * b + 3] += force
        Q[6 * b + 3:6 * b + 6] += moment + np.cross(at - self.c.pos[b], force)

    def six(self, f, key):
        x = [self.number(e) for e in f.get(key, ["0"] * 6)]
        return np.array(x + [0.0] * (6 - len(x)))

    def ends(self, f):
        places = [self.m.place(s) for s in f["between"]]
        return [b for b, _ in places], [self.c.point(b, p).val for b, p in places]

    def bushing(self, f, Q):
        (a, b), (p, q) = self.ends(f)
        orient = f.get("orient", ["0", "0", "0"])
        pair = orient if len(orient) == 2 else [orient, orient]
        frames = [self.body(k)[0] @ Rotation.from_euler("xyz", [self.number(e) for e in o]).as_matrix() for k, o in zip((a, b), pair)]
        A = frames[0]
        k, damping, preload = (self.six(f, key) for key in ("stiffness", "damping", "preload"))
        d, d_rate = A.T @ (q - p), A.T @ (self.velocity(b, q) - self.velocity(a, q))
        w = A.T @ (self.body(b)[1] - self.body(a)[1])
        r = Rotation.from_matrix(A.T @ frames[1]).as_rotvec()
        force = -k[:3] * d - damping[:3] * d_rate + preload[:3]
        moment = -turned_back(r, k[3:] * r) - damping[3:] * w + preload[3:]
        self.push(Q, b, q, A @ force, A @ moment)
        self.push(Q, a, q, -A @ force, -A @ moment)

    def gap(self, f):
        """From a contact or a stop; negative inside."""
        if f["type"] == "limit":
            q = self.c.coordinate(f["joint"]).val
            return min([q - self.number(f["lower"])] * ("lower" in f) + [self.number(f["upper"]) - q] * ("upper" in f))
        (a, b), (p, q) = self.ends(f)
        if "plane" in f:
            own = f["between"][0].partition(".")[0]
            return self.body(a)[0] @ self.m.direction(own, own, f["plane"]) @ (q - p) - self.number(f.get("radius", "0"))
        return np.linalg.norm(q - p) - sum(self.number(e) for e in f["radius"])

    def contact(self, f, Q):
        (a, b), (p, q) = self.ends(f)
        if "plane" in f:
            own = f["between"][0].partition(".")[0]
            n = self.body(a)[0] @ self.m.direction(own, own, f["plane"])
            depth, foot = self.number(f.get("radius", "0")) - n @ (q - p), q - (n @ (q - p)) * n
        else:
            ra, rb = (self.number(e) for e in f["radius"])
            length = np.linalg.norm(q - p)
            n = (q - p) / length
            depth = ra + rb - length
            foot = p + (ra - depth / 2) * n
        slip = self.velocity(b, foot) - self.velocity(a, foot)
        N = stop(self.number, f, depth, -n @ slip)
        slip = slip - (n @ slip) * n
        kinetic = self.number(f.get("friction", "0"))
        at_rest = self.number(f["static_friction"]) if "static_friction" in f else kinetic
        force = N * n - N * rubbing(self.number, f, kinetic, at_rest, np.linalg.norm(slip)) * slip
        self.push(Q, b, foot, force)
        self.push(Q, a, foot, -force)

    def friction(self, f, Q):
        q = self.c.coordinate(f["joint"])
        kinetic = self.number(f.get("coulomb", "0"))
        at_rest = self.number(f["static"]) if "static" in f else kinetic
        Q -= (rubbing(self.number, f, kinetic, at_rest, q.rate) + self.number(f.get("viscous", "0"))) * q.rate * q.row

    def limit(self, f, Q):
        q = self.c.coordinate(f["joint"])
        if "lower" in f:
            Q += stop(self.number, f, self.number(f["lower"]) - q.val, -q.rate) * q.row
        if "upper" in f:
            Q -= stop(self.number, f, q.val - self.number(f["upper"]), q.rate) * q.row

    def drag(self, f, Q):
        b, p = self.m.place(f["on"])
        at = self.c.point(b, p if "." in f["on"] else self.m.bodies[b].com).val
        v = self.velocity(b, at) - np.array([self.number(e) for e in f.get("wind", ["0"] * 3)])
        force = -(self.number(f.get("linear", "0")) + self.number(f.get("quadratic", "0")) * np.linalg.norm(v)) * v
        self.push(Q, b, at, force, -self.number(f.get("angular", "0")) * self.c.V[b, 3:])
