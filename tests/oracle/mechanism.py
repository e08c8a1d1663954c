"""A model file as numbers: bodies with poses in world frame, joints as constraint rows.

Everything is written in maximal coordinates: each body has the position of its centre of mass, a
quaternion, and the velocities v and omega in the ground frame.
"""
import math

import numpy as np
import yaml

from expression import OUTPUT_PROBES, PROBES, TYRE_PROBES, Kin, Table, atan2, cross, dot, parse, self_of, value
from forces import Laws
from tyre import Tyre

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
COORDINATES = {"revolute": [""], "prismatic": [""], "screw": [""], "cylindrical": ["slide", "angle"],
               "universal": ["1", "2"], "spherical": ["1", "2", "3"], "planar": ["x", "y", "angle"],
               "free": ["x", "y", "z", "1", "2", "3"], "point": ["x", "y", "z"], "fixed": []}


def cross_matrix(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(axis, angle):
    """Rotation about a unit axis."""
    k = cross_matrix(axis)
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


def quaternion_matrix(q):
    w, x, y, z = q.tolist()
    size = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / size, x / size, y / size, z / size
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def quaternion_product(p, q):
    return np.concatenate(([p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + cross(p[1:], q[1:])))


def matrix_quaternion(R):
    best = int(np.argmax([np.trace(R), R[0, 0], R[1, 1], R[2, 2]]))
    if best == 0:
        q = np.array([1 + np.trace(R), R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i = best - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.zeros(4)
        q[0] = R[k, j] - R[j, k]
        q[1 + i] = 1 + R[i, i] - R[j, j] - R[k, k]
        q[1 + j], q[1 + k] = R[i, j] + R[j, i], R[i, k] + R[k, i]
    return q / np.linalg.norm(q)


def perpendicular(u):
    """Two unit vectors n1, n2 with n1 x n2 = u."""
    n = np.zeros(3)
    n[int(np.argmin(np.abs(u)))] = 1.0
    n1 = cross(n, u)
    n1 /= np.linalg.norm(n1)
    return n1, cross(u, n1)


class Constants:
    """Environment of expressions before there is a state: parameters, inputs, pi, deg, mm."""

    def __init__(self, model):
        self.model = model

    def name(self, s):
        if s in self.model.constants:
            return self.model.constants[s]
        return {"pi": math.pi, "deg": math.pi / 180, "mm": 1e-3}[s]


class Body:
    def __init__(self, model, name, data, index):
        self.name, self.index = name, index
        self.mass = model.number(data.get("mass", 0))
        self.com = model.vector(data.get("com", ["0"] * 3))
        inertia = data.get("inertia", "0")
        if isinstance(inertia, list):
            j = [model.number(e) for e in inertia] + [0.0] * (6 - len(inertia))
            self.J = np.array([[j[0], -j[3], -j[4]], [-j[3], j[1], -j[5]], [-j[4], -j[5], j[2]]])
        else:
            self.J = np.diag([0.0, 0.0, model.number(inertia)])
        self.points = {n: model.vector(p) for n, p in (data.get("points") or {}).items()}


class Joint:
    """A joint of the table, or a geometric constraint between two bodies."""

    def __init__(self, model, name, d):
        self.model, self.name, self.type = model, name, d["type"]
        self.virtual = str(d.get("virtual", "false")).lower() == "true"
        self.A, self.B = (model.body_index(b) for b in d["between"])
        a, b = d["between"]
        at = d.get("at", ["0", "0", "0"])
        pair = at if isinstance(at, list) and len(at) == 2 else [at, at]
        self.pA, self.pB = model.local_point(a, pair[0]), model.local_point(b, pair[1])
        orient = d.get("orient", ["0", "0", "0"])
        pair = orient if len(orient) == 2 else [orient, orient]
        self.OA, self.OB = (self.rotation(model.vector(o)) for o in pair)
        self.sequence = ["xyz".index(c) for c in d.get("sequence", "zyx")]
        self.axis = model.direction(a, b, d["axis"]) if "axis" in d else None
        self.axes = [model.direction(a, b, v) for v in d["axes"]] if "axes" in d else [self.axis, self.axis]
        self.pitch = model.number(d.get("pitch", 0))
        self.length = parse(d["length"]) if "length" in d else (lambda env, s=np.linalg.norm(self.pB - self.pA): s)
        self.local = {}
        parts = COORDINATES.get(self.type, [])
        self.names = [f"{name}.{p}" if p else name for p in parts]
        if self.type == "planar":
            self.d1, self.d2 = self.planar_directions(self.axis)
        elif self.axis is not None:
            self.d1, self.d2 = perpendicular(self.axis)

    @staticmethod
    def rotation(rpy):
        return turn(AXES["z"], rpy[2]) @ turn(AXES["y"], rpy[1]) @ turn(AXES["x"], rpy[0])

    @staticmethod
    def planar_directions(n):
        for k in range(3):
            if np.array_equal(n, AXES["xyz"[k]]):
                return np.array(AXES["xyz"[(k + 1) % 3]]), np.array(AXES["xyz"[(k + 2) % 3]])
        w = cross(AXES["z"], n)
        S = turn(w / np.linalg.norm(w), math.atan2(np.linalg.norm(w), n[2]))
        return S[:, 0], S[:, 1]

    # vectors of the joint frame, carried by either body
    def inA(self, c, u):
        return c.vector(self.A, self.carried(0, u))

    def inB(self, c, u):
        return c.vector(self.B, self.carried(1, u))

    def carried(self, side, u):
        """A vector of the joint frame in the frame of a body."""
        key = side, tuple(u)
        if key not in self.local:
            self.local[key] = (self.OB if side else self.OA) @ np.asarray(u)
        return self.local[key]

    def between(self, c):
        key = (4, self.name)
        if key not in c.cache:
            c.cache[key] = c.point(self.B, self.pB) - c.point(self.A, self.pA)
        return c.cache[key]

    def constraints(self, c):
        if self.virtual:
            return []
        u, (a1, a2) = self.axis, self.axes
        aligned = lambda: [dot(self.inA(c, n), self.inB(c, u)) for n in (self.d1, self.d2)]
        online = lambda: [dot(self.inA(c, n), self.between(c)) for n in (self.d1, self.d2)]
        together = lambda: [self.between(c)[i] for i in range(3)]
        locked = lambda: [dot(self.inA(c, AXES[p]), self.inB(c, AXES[q])) for p, q in ("xy", "yz", "zx")]
        t = self.type
        if t == "revolute":
            return together() + aligned()
        if t == "prismatic":
            return online() + locked()
        if t == "cylindrical":
            return online() + aligned()
        if t == "screw":
            slide = dot(self.inA(c, u), self.between(c))
            return online() + aligned() + [slide - c.coordinate(self.name) * (self.pitch / (2 * math.pi))]
        if t == "universal":
            return together() + [dot(self.inA(c, a1), self.inB(c, a2)) - a1 @ a2]
        if t == "spherical":
            return together()
        if t == "planar":
            return [dot(self.inA(c, u), self.between(c))] + aligned()
        if t == "free":
            return []
        if t == "point":
            return locked()
        if t == "fixed":
            return together() + locked()
        if t == "link":
            d = self.between(c)
            return [self_of(dot(d, d), 0.5) - self.length(c)]
        if t == "inline":
            return online()
        if t == "inplane":
            return [dot(self.inA(c, u), self.between(c))]
        if t == "parallel":
            return [dot(self.inA(c, n), self.inB(c, a2)) for n in perpendicular(a1)]
        if t == "perpendicular":
            return [dot(self.inA(c, a1), self.inB(c, a2))]
        raise ValueError(f"{self.name}: unknown type {t}")

    def coordinates(self, c, last):
        """Coordinates as Kins; angles continue from `last`."""
        t = self.type
        slide = lambda n: dot(self.inA(c, n), self.between(c))
        if t in ("revolute", "screw", "cylindrical", "planar"):
            n = self.inB(c, self.d1)
            angle = atan2(dot(n, self.inA(c, self.d2)), dot(n, self.inA(c, self.d1)))
        if t in ("revolute", "screw"):
            q = [angle]
        elif t == "prismatic":
            q = [slide(self.axis)]
        elif t == "cylindrical":
            q = [slide(self.axis), angle]
        elif t == "planar":
            q = [slide(self.d1), slide(self.d2), angle]
        elif t == "universal":
            q = self.universal_angles(c)
        elif t == "spherical":
            q = self.euler_angles(c, last)
        elif t == "point":
            q = [slide(AXES[k]) for k in "xyz"]
        elif t == "free":
            q = [slide(AXES[k]) for k in "xyz"] + self.euler_angles(c, last[3:])
        else:
            q = []
        return [unwrap(e, l) if self.is_angle(k) else e for k, (e, l) in enumerate(zip(q, last))]

    def is_angle(self, k):
        return {"revolute": True, "screw": True, "universal": True, "spherical": True, "cylindrical": k == 1,
                "planar": k == 2, "free": k > 2}.get(self.type, False)

    def universal_angles(self, c):
        # a2 of B turns about a1 in A by J.1; a1 of A, seen in B, turns about a2 by -J.2
        a1, a2 = self.axes
        u = a2 - (a1 @ a2) * a1
        w = a1 - (a1 @ a2) * a2
        a2B, a1A = self.inB(c, a2), self.inA(c, a1)
        return [atan2(dot(a2B, self.inA(c, cross(a1, u))), dot(a2B, self.inA(c, u))),
                atan2(-dot(a1A, self.inB(c, cross(a2, w))), dot(a1A, self.inB(c, w)))]

    def euler_angles(self, c, last):
        i, j, k = self.sequence
        R = lambda p, q: dot(self.inA(c, AXES["xyz"[p]]), self.inB(c, AXES["xyz"[q]]))
        proper = i == k
        if proper:
            k = 3 - i - j
        e = 1.0 if (j - i) % 3 == 1 else -1.0
        best = None
        for s in (1.0, -1.0):  # two sets of angles give the same matrix: take the nearer one
            if proper:
                ij, ik = R(i, j), R(i, k)
                b = atan2(self_of(ij * ij + ik * ik, 0.5) * s, R(i, i))
                q = [atan2(R(j, i) * s, R(k, i) * (-e * s)), b, atan2(ij * s, ik * (e * s))]
            else:
                ii, ij = R(i, i), R(i, j)
                b = atan2(R(i, k) * e, self_of(ii * ii + ij * ij, 0.5) * s)
                q = [atan2(R(j, k) * (-e * s), R(k, k) * s), b, atan2(ij * (-e * s), ii * s)]
            q = [unwrap(x, l) for x, l in zip(q, last)]
            far = sum((x.val - l) ** 2 for x, l in zip(q, last))
            if best is None or far < best[0]:
                best = far, q
        return best[1]

    def relative(self, q):
        """Displacement in A's joint frame and rotation of B's joint frame at the coordinates q."""
        t, d, R = self.type, np.zeros(3), np.eye(3)
        u = self.axis
        if t in ("revolute", "screw"):
            R = turn(u, q[0])
            d = u * (self.pitch * q[0] / (2 * math.pi))
        elif t == "prismatic":
            d = u * q[0]
        elif t == "cylindrical":
            d, R = u * q[0], turn(u, q[1])
        elif t == "universal":
            R = turn(self.axes[0], q[0]) @ turn(self.axes[1], q[1])
        elif t == "planar":
            d, R = self.d1 * q[0] + self.d2 * q[1], turn(u, q[2])
        elif t in ("point", "free"):
            d = np.array(q[:3])
        if t in ("spherical", "free"):
            for s, a in zip(self.sequence, q[-3:]):
                R = R @ turn(AXES["xyz"[s]], a)
        return d, R


def unwrap(angle, last):
    return angle + 2 * math.pi * round((last - angle.val) / (2 * math.pi))


class Model:
    """From a file, or from what a reader of YAML without types makes of one."""

    def __init__(self, source, sets=(), without=()):
        d = source
        if not isinstance(source, dict):
            with open(source) as f:
                d = yaml.load(f, yaml.BaseLoader)
        self.data, self.constants = d, {}
        self.env = Constants(self)
        overrides = dict(s.split("=", 1) for s in sets)
        for n, e in (d.get("parameters") or {}).items():
            self.constants[n] = self.number(overrides.get(n, e))
        for n, e in (d.get("inputs") or {}).items():
            self.constants[n] = self.number(e)
        self.tables = {n: Table([self.number(v) for v in t["x"]], [self.number(v) for v in t["y"]],
                                str(t.get("periodic", "false")).lower() == "true")
                       for n, t in (d.get("tables") or {}).items()}
        self.gravity = self.vector(d.get("gravity", ["0"] * 3))
        self.hardpoints = {n: self.vector(p) for n, p in (d.get("points") or {}).items()}
        self.bodies = [Body(self, n, b or {}, i) for i, (n, b) in enumerate((d.get("bodies") or {}).items())]
        self.index = {b.name: b.index for b in self.bodies}
        self.index["ground"] = -1
        self.n = 6 * len(self.bodies)
        self.joints, self.equations = [], []
        for n, j in (d.get("joints") or {}).items():
            if n in without:
                continue
            if j["type"] in ("gear", "rack"):
                a, b = j["joints"]
                factor = parse(j["ratio" if j["type"] == "gear" else "radius"])
                self.equations.append((n, lambda c, a=a, b=b, f=factor: c.coordinate(b) - c.coordinate(a) * f(c)))
            elif j["type"] == "constraint":
                self.equations.append((n, parse(j["equation"])))
            else:
                self.joints.append(Joint(self, n, j))
        self.motions = [(n, parse(n), parse(e)) for n, e in (d.get("motions") or {}).items()]
        self.forces = list((d.get("forces") or {}).items())
        self.tyres = {n: Tyre(self, f) for n, f in self.forces if f["type"] == "tyre"}
        self.outputs = {n: parse(e) for n, e in (d.get("outputs") or {}).items()}
        self.names = [n for j in self.joints for n in j.names]
        self.owner = {n: (j, k) for j in self.joints for k, n in enumerate(j.names)}
        pair = lambda e: [self.number(v) for v in e] if isinstance(e, list) else [self.number(e)]
        self.initial = {n: pair(e) for n, e in (d.get("initial") or {}).items()}
        self.guess = {n: pair(e)[0] for n, e in (d.get("guess") or {}).items()}
        for n in list(self.initial) + list(self.guess):
            if n not in self.owner:
                raise ValueError(f"no coordinate {n}")

    def number(self, e):
        return float(parse(e)(self.env))

    def vector(self, e):
        return np.array([self.number(v) for v in e])

    def body_index(self, name):
        return self.index[name]

    def local_point(self, body, p):
        """A name or a triple, in the frame of a body."""
        if isinstance(p, list):
            return self.vector(p)
        i = self.index[body]
        if i >= 0 and p in self.bodies[i].points:
            return self.bodies[i].points[p]
        if p in self.hardpoints:
            return self.hardpoints[p]
        if i >= 0 and p == "com":
            return self.bodies[i].com
        raise ValueError(f"no point {p} on {body}")

    def place(self, s):
        """'body' or 'body.point' to (body index, local vector)."""
        body, _, p = s.partition(".")
        return self.index[body], self.local_point(body, p) if p else np.zeros(3)

    def direction(self, a, b, v):
        if isinstance(v, str):
            return np.array(AXES[v])
        if len(v) == 2:
            ends = []
            for p in v:
                try:
                    ends.append(self.local_point(a, p))
                except ValueError:
                    ends.append(self.local_point(b, p))
            u = ends[1] - ends[0]
        else:
            u = self.vector(v)
        return u / np.linalg.norm(u)


class Context:
    """One state of the mechanism: Kins of points, vectors, coordinates and expressions."""

    def __init__(self, model, t, pos, quat, V, last):
        self.model, self.t, self.pos, self.V, self.last = model, t, pos, V.reshape(-1, 6), last
        self.R = [quaternion_matrix(q) for q in quat]
        self.cache, self.law, self.A = {}, {}, None  # A: accelerations, where outputs are evaluated

    def point(self, body, p):
        key = (0, body, p.tobytes())
        if key not in self.cache:
            self.cache[key] = self.make(body, p, True)
        return self.cache[key]

    def vector(self, body, p):
        key = (1, body, p.tobytes())
        if key not in self.cache:
            self.cache[key] = self.make(body, p, False)
        return self.cache[key]

    def make(self, body, p, fixed):
        row = np.zeros((3, self.model.n))
        if body < 0:
            return Kin(p, np.zeros(3), row, np.zeros(3))
        k, w = 6 * body, self.V[body, 3:]
        rho = self.R[body] @ (p - self.model.bodies[body].com if fixed else p)
        wr = cross(w, rho)
        x, y, z = rho.tolist()
        row[0, k + 4], row[0, k + 5], row[1, k + 3] = z, -y, -z
        row[1, k + 5], row[2, k + 3], row[2, k + 4] = x, y, -x
        if not fixed:
            return Kin(rho, wr, row, cross(w, wr))
        row[0, k] = row[1, k + 1] = row[2, k + 2] = 1.0
        return Kin(self.pos[body] + rho, self.V[body, :3] + wr, row, cross(w, wr))

    def coordinate(self, name):
        j, k = self.model.owner[name]
        key = (2, j.name)
        if key not in self.cache:
            self.cache[key] = j.coordinates(self, [self.last[n] for n in j.names])
        return self.cache[key][k]

    # environment of expressions
    def name(self, s):
        m = self.model
        if s.endswith("''"):
            q = self.coordinate(s[:-2])
            return q.row @ self.A + q.bias
        if s == "kinetic" and s not in m.constants and s not in m.outputs:
            return 0.5 * self.V.ravel() @ self.inertia()[0] @ self.V.ravel()
        if s.endswith("'"):
            return self.coordinate(s[:-1]).rate
        if s in m.constants:
            return m.constants[s]
        if s == "t":
            return Kin(self.t, 1.0, np.zeros(m.n), 0.0)
        if s in ("pi", "deg", "mm"):
            return m.env.name(s)
        if s in m.owner:
            return self.coordinate(s)
        return self.law[s] if s in self.law else m.outputs[s](self)

    def tyre(self, name, f):
        """Where a tyre acts, its force and moment there, and its quantities."""
        key = (3, name)
        if key not in self.cache:
            road = parse(f.get("road", "0"))(self)
            rate = road.rate if isinstance(road, Kin) else 0.0
            number = lambda e: float(value(parse(e)(self)))
            self.cache[key] = self.model.tyres[name].act(self, number, value(road), rate, f)
        return self.cache[key]

    def of_force(self, kind, name):
        """A quantity of a force, from the generalised forces of it alone."""
        f = dict(self.model.forces)[name]
        ends = f.get("between", [f.get("on", "")])
        if kind == "length":
            return self.probe("distance", *ends).val
        if kind == "gap":
            return Laws(self, self.number).gap(f)
        Q = self.load(name, f)
        if kind == "tension":
            d = self.probe("distance", *ends)
            return -(Q @ d.row) / (d.row @ d.row)
        if kind == "effort":
            q = self.coordinate(f["joint"])
            return Q @ q.row / (q.row @ q.row)
        # on the second body, about its point; on the body of drag about its own
        b, p = self.model.place(ends[-1])
        at = self.point(b, p if "." in ends[-1] or len(ends) == 2 else self.model.bodies[b].com).val
        force, moment = Q[6 * b:6 * b + 3], Q[6 * b + 3:6 * b + 6]
        moment = moment - cross(at - self.pos[b], force)
        return (force if kind[0] == "f" else moment)["xyz".index(kind[1])]

    def probe(self, kind, *points):
        if kind in OUTPUT_PROBES[6:] or (kind in TYRE_PROBES and dict(self.model.forces)[points[0]]["type"] != "tyre"):
            return self.of_force(kind, points[0])
        if kind in OUTPUT_PROBES[3:6]:
            return self.V[self.model.body_index(points[0]), 3 + "xyz".index(kind[1])]
        if kind in OUTPUT_PROBES[:3]:
            p = self.point(*self.model.place(points[0]))
            return (p.row @ self.A + p.bias)["xyz".index(kind[1])]
        if kind in TYRE_PROBES:
            return self.tyre(points[0], dict(self.model.forces)[points[0]])[3][TYRE_PROBES.index(kind)]
        p = [self.point(*self.model.place(s)) for s in points]
        if kind == "distance":
            d = p[1] - p[0]
            return self_of(dot(d, d), 0.5)
        k = PROBES.index(kind)
        return p[0][k] if k < 3 else p[0].rate[k - 3]

    def table(self, name):
        return self.model.tables[name]

    def constraints(self):
        """All constraint rows as one Kin: value (m,), row (m, n)."""
        rows = [r for j in self.model.joints for r in j.constraints(self)]
        rows += [f(self) for _, f in self.model.equations]
        rows += [a(self) - b(self) for _, a, b in self.model.motions]
        return stack(rows, self.model.n)

    def applied(self):
        """Generalised forces of all force elements (gravity apart)."""
        return sum((self.load(name, f) for name, f in self.model.forces), np.zeros(self.model.n))

    def number(self, e):
        return float(value(parse(e)(self)))

    def load(self, name, f):
        """Generalised forces of one of them."""
        m, Q, number, kind = self.model, np.zeros(self.model.n), self.number, f["type"]
        if kind in ("force", "torque"):
            b, p = m.place(f["on"])
            vec = np.array([number(e) for e in f["vector"]])
            if f.get("frame", "ground") == "body":
                vec = self.R[b] @ vec
            if kind == "torque":
                Q[6 * b + 3:6 * b + 6] += vec
            else:
                Q += vec @ self.point(b, p if "." in f["on"] else m.bodies[b].com).row
        elif kind == "actuator":
            Q += number(f["value"]) * self.coordinate(f["joint"]).row
        elif kind == "torsion":
            q = self.coordinate(f["joint"])
            self.law = self.extension(q, f.get("angle", "0"))
            Q += (-number(f.get("stiffness", "0")) * (q.val - number(f.get("angle", "0")))
                  - number(f.get("damping", "0")) * q.rate) * q.row
        elif kind == "spring":
            d = self.probe("distance", *f["between"])
            self.law = self.extension(d, f.get("length", "0"))
            Q -= (number(f.get("stiffness", "0")) * (d.val - number(f.get("length", "0")))
                  + number(f.get("damping", "0")) * d.rate + number(f.get("force", "0"))) * d.row
        elif kind == "tyre":
            at, force, moment, _ = self.tyre(name, f)
            Q += force @ at.row
            b = m.tyres[name].body
            Q[6 * b + 3:6 * b + 6] += moment
        else:
            getattr(Laws(self, number), kind)(f, Q)
        self.law = {}
        return Q

    def extension(self, x, free):
        """What a law calls extension and rate."""
        free = parse(free)(self)
        return {"extension": x.val - value(free), "rate": x.rate - (free.rate if isinstance(free, Kin) else 0.0)}

    def inertia(self):
        """Mass matrix, and gravity minus gyroscopic forces."""
        m = self.model
        M, f = np.zeros((m.n, m.n)), np.zeros(m.n)
        for b in m.bodies:
            k, w, J = 6 * b.index, self.V[b.index, 3:], self.R[b.index] @ b.J @ self.R[b.index].T
            M[k:k + 3, k:k + 3] = b.mass * np.eye(3)
            M[k + 3:k + 6, k + 3:k + 6] = J
            f[k:k + 3] = b.mass * m.gravity
            f[k + 3:k + 6] = -cross(w, J @ w)
        return M, f

    def energy(self):
        M, _ = self.inertia()
        V = self.V.ravel()
        return 0.5 * V @ M @ V - sum(b.mass * (m_g @ self.pos[b.index]) for b, m_g in
                                     ((b, self.model.gravity) for b in self.model.bodies))


def stack(rows, n):
    if not rows:
        return Kin(np.zeros(0), np.zeros(0), np.zeros((0, n)), np.zeros(0))
    return Kin(np.array([r.val for r in rows]), np.array([r.rate for r in rows]), np.array([r.row for r in rows]),
               np.array([r.bias for r in rows]))
