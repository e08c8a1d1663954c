"""A mechanism put together in space in the position of its start: bodies have poses, joints stand at points and along
directions of the world. The model file follows from that, in the bodies' own frames and in any system of units, so that
every loop closes. Beside it stand the rows that joints impose on the twists of the bodies, for counts of freedoms apart
from the program's and the oracle's."""
import math

import numpy as np

from geometry import (X, Y, Z, cross, direction, displacement, from_roll_pitch_yaw, normals, planar_directions,
                      roll_pitch_yaw, rotation, turn, unit)

# name, dimension (length or angle) of each coordinate
COORDINATES = {"revolute": [("", 0)], "prismatic": [("", 1)], "screw": [("", 0)],
               "cylindrical": [("slide", 1), ("angle", 0)], "universal": [("1", 0), ("2", 0)],
               "spherical": [("1", 0), ("2", 0), ("3", 0)], "planar": [("x", 1), ("y", 1), ("angle", 0)],
               "free": [("x", 1), ("y", 1), ("z", 1), ("1", 0), ("2", 0), ("3", 0)],
               "point": [("x", 1), ("y", 1), ("z", 1)], "fixed": []}
AXES = {"revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 1, "planar": 1, "universal": 2}
SEQUENCES = ["zyx", "zyx", "xyz", "zxz", "yzx", "xyx"]
SAME = 4e-15  # differences of frames that are rounding
LOCK = 0.35  # rad, how far from the lock of Euler angles a start keeps


class Quantity:
    """A number with its dimension length^l mass^m time^t; the same mechanism is written in many units."""
    __slots__ = ("value", "l", "m", "t")

    def __init__(self, value, l=0, m=0, t=0):
        self.value, self.l, self.m, self.t = float(value), l, m, t

    def text(self, units):
        return repr(self.value * units[0] ** self.l * units[1] ** self.m * units[2] ** self.t)


class Text:
    """An expression with quantities in it."""

    def __init__(self, form, *parts):
        self.form, self.parts = form, parts

    def text(self, units):
        return self.form.format(*(p.text(units) for p in self.parts))


def angle(x):
    return Quantity(x)


def lengths(v):
    return [Quantity(x, 1) for x in v]


def written(e, units):
    """Strings in place of quantities, all the way down."""
    if isinstance(e, dict):
        return {k: written(v, units) for k, v in e.items()}
    if isinstance(e, (list, tuple)):
        return [written(v, units) for v in e]
    return e.text(units) if hasattr(e, "text") else e


class Body:
    def __init__(self, R, p):
        self.R, self.p = R, np.asarray(p, float)
        self.mass, self.J, self.com, self.points = 0.0, np.zeros((3, 3)), np.zeros(3), {}


class Joint:
    """P: joint points in the world; F: joint frames; u: axes in the joint frame; q: coordinates at the start."""

    def __init__(self, name, kind, a, b, P, F, u=(), q=(), **keys):
        self.name, self.kind, self.a, self.b = name, kind, a, b
        self.P, self.F, self.u, self.q, self.keys = P, F, list(u), list(q), keys
        self.names = [name + ("." + n if n else "") for n, _ in COORDINATES.get(kind, [])]
        self.dimensions = [d for _, d in COORDINATES.get(kind, [])]
        self.virtual = keys.get("virtual", False)


class Draft:
    """hard: all body frames are those of ground at the start, which is the design position, and all coordinates zero.
    normal: that of the plane in which all bodies move, or None."""

    def __init__(self, rng, name, hard=False, normal=None):
        self.rng, self.name, self.hard, self.normal = rng, name, hard, normal
        self.bodies = {"ground": Body(np.eye(3), np.zeros(3))}
        self.joints, self.couplings = [], []       # couplings: name, keys, row
        self.forces, self.motions, self.outputs = {}, {}, {}
        self.parameters, self.inputs, self.tables = {}, {}, {}
        self.initial, self.guess, self.hardpoints = {}, {}, {}
        self.gravity = np.zeros(3)
        self.tags = set()
        self.family = name.split()[0]

    # bodies and joints ----------------------------------------------------------------------------
    def body(self, at, R=None):
        name = f"b{len(self.bodies)}"
        if self.hard:
            self.bodies[name] = Body(np.eye(3), np.zeros(3))
        else:
            if R is None:
                R = turn(self.normal, self.rng.uniform(-2, 2)) if self.normal is not None else rotation(self.rng)
            offset = [self.rng.uniform(-0.3, 0.3) for _ in range(3)] if self.rng.random() < 0.5 else np.zeros(3)
            self.bodies[name] = Body(R, at + R @ offset)
        body = self.bodies[name]
        body.com = body.R.T @ (np.asarray(at) + 0.4 * np.array([self.rng.gauss(0, 1) for _ in range(3)]) - body.p)
        self.masses(body)
        return name

    def masses(self, body):
        rng = self.rng
        body.mass = 10 ** rng.uniform(-0.5, 0.5)
        if rng.random() < 0.5:
            body.J = np.diag([body.mass * 0.1 * rng.uniform(0.9, 1.3) for _ in range(3)])
        else:
            grains = [0.4 * np.array([rng.gauss(0, 1) for _ in range(3)]) for _ in range(5)]
            body.J = sum(body.mass / 5 * ((g @ g) * np.eye(3) - np.outer(g, g)) for g in grains)
        if self.normal is not None and np.array_equal(self.normal, Z) and rng.random() < 0.6:
            body.J = np.diag([0, 0, body.J[2, 2]])

    def start_values(self, kind, sequence):
        """Coordinates at the start, with angles off the lock."""
        rng = self.rng
        wide = rng.choice([1.5, 1.5, 3.0, 7.0])
        q = [rng.uniform(-0.8, 0.8) if d else rng.uniform(-wide, wide) for _, d in COORDINATES[kind]]
        if kind in ("spherical", "free"):
            proper = sequence[0] == sequence[2]
            q[-2] = rng.uniform(LOCK, math.pi - LOCK) if proper else rng.uniform(LOCK - math.pi / 2, math.pi / 2 - LOCK)
            q[-3], q[-1] = rng.uniform(-3, 3), rng.uniform(-3, 3)
        return q

    def joint(self, kind, a, b, at, *axes, pitch=None, q=None, virtual=False):
        """At a world point and along world directions. A body that is not there yet (None) is made and hung on the joint."""
        rng, name = self.rng, f"j{len(self.joints) + len(self.couplings) + 1}"
        at, axes = np.asarray(at, float), [unit(u) for u in axes]
        sequence = rng.choice(SEQUENCES) if kind in ("spherical", "free") else "zyx"
        if self.hard and sequence[0] == sequence[2]:
            sequence = "zyx"
        pitch = 0.0 if kind != "screw" else pitch or rng.choice([-1, 1]) * rng.uniform(0.1, 1.5)
        new = [x is None for x in (a, b)]
        made = None
        if any(new):
            made = self.body(at)
            a, b = made if new[0] else a, made if new[1] else b
        A, B = self.bodies[a], self.bodies[b]
        if self.hard:
            F, q = np.eye(3), [0.0] * len(COORDINATES[kind])
        else:
            F = self.frame(A, axes)
            if q is None:
                q = self.start_values(kind, sequence) if rng.random() < 0.6 or sequence[0] == sequence[2] \
                    else [0.0] * len(COORDINATES[kind])
                if self.in_plane(kind, axes) and rng.random() < 0.6:  # the natural angle, without orient
                    F = A.R
                    q[-1] = self.natural(A, B, axes[0])
        u = [F.T @ x for x in axes]
        if kind == "universal":  # its second axis stands along the world direction at the start
            u[1] = turn(u[0], -q[0]) @ u[1]
        u = [np.round(x) if np.max(np.abs(x - np.round(x))) < 1e-14 else x for x in u]
        d, r = displacement(kind, q, u, pitch, sequence)
        if made and rng.random() < 0.6 and not self.hard:  # joint and body frames coincide: no orient
            pose = self.bodies[made]
            com = pose.R @ pose.com
            if new[1] and F is A.R:
                pose.R = F @ r
            elif new[0]:
                u = [B.R.T @ x for x in axes]
                if kind == "universal":
                    u[0] = turn(u[1], q[1]) @ u[0]
                d, r = displacement(kind, q, u, pitch, sequence)
                pose.R = F = B.R @ r.T
            pose.com = pose.R.T @ com
        keys = {"virtual": True} if virtual else {}
        if kind == "screw":
            keys["pitch"] = pitch
        if kind in ("spherical", "free"):
            keys["sequence"] = sequence
        self.joints.append(Joint(name, kind, a, b, (at, at + F @ d), (F, F @ r), u, q, **keys))
        return (name, made) if made else name

    def in_plane(self, kind, axes):
        return self.normal is not None and kind in ("revolute", "cylindrical", "screw", "planar") \
            and abs(axes[0] @ self.normal) > 1 - 1e-12

    @staticmethod
    def natural(A, B, axis):
        n, m = normals(axis)
        v = A.R.T @ B.R
        n, m = A.R.T @ n, A.R.T @ m
        return math.atan2(m @ v @ n, n @ v @ n)

    def frame(self, A, axes):
        """The joint frame: that of the body, turned a little, or with the axis along z or x."""
        rng, c = self.rng, self.rng.random()
        if c < 0.45 or (c > 0.7 and not axes):
            return A.R
        while True:
            if c < 0.7:
                F = A.R @ from_roll_pitch_yaw([rng.uniform(-1.2, 1.2) for _ in range(3)])
            else:
                n1, n2 = normals(axes[0])
                spin = turn(axes[0], rng.uniform(-3, 3))
                F = spin @ np.column_stack([n1, n2, axes[0]] if rng.random() < 0.5 else [axes[0], n1, n2])
            if math.hypot((A.R.T @ F)[0, 0], (A.R.T @ F)[1, 0]) > 0.05:
                return F

    def constraint(self, kind, a, b, P, Q, *axes):
        """link, inline, inplane, parallel, perpendicular between world points and along world directions."""
        name = f"j{len(self.joints) + len(self.couplings) + 1}"
        F = self.bodies[a].R if kind in ("inline", "inplane") else np.eye(3)
        u = [F.T @ unit(x) for x in axes]
        self.joints.append(Joint(name, kind, a, b, (np.asarray(P, float), np.asarray(Q, float)), (F, F), u))
        return name

    def coupling(self, kind, p, q, factor, form=None):
        """Between two coordinates p and q (joint, index): q = factor p, or an equation with constants and a form."""
        name = f"j{len(self.joints) + len(self.couplings) + 1}"
        (jp, kp), (jq, kq) = p, q
        np_, nq, dp, dq = jp.names[kp], jq.names[kq], jp.dimensions[kp], jq.dimensions[kq]
        slope = factor
        if kind == "constraint":
            p0, q0, k = Quantity(jp.q[kp], dp), Quantity(jq.q[kq], dq), Quantity(factor, dq - dp)
            if form == "sin" and dp == 0:
                slope = factor * math.cos(jp.q[kp])
                keys = {"equation": Text(f"{nq} - ({{0}}) - ({{1}})*(sin({np_}) - sin({{2}}))", q0, k, p0)}
            else:
                keys = {"equation": Text(f"{nq} - ({{0}}) - ({{1}})*({np_} - ({{2}}))", q0, k, p0)}
        else:
            keys = {"joints": [np_, nq], "ratio" if kind == "gear" else "radius": Quantity(factor, dq - dp)}
        self.couplings.append((name, {"type": kind, **keys}, (p, q, slope)))
        return name

    # rows on the twists (v of the world's origin, omega) of the bodies ---------------------------
    def relative(self, a, b, at, v, w):
        """v . (velocity of b at the point, seen from a) + w . (its angular velocity)."""
        row, names = np.zeros(6 * (len(self.bodies) - 1)), list(self.bodies)
        for body, sign in ((a, -1), (b, 1)):
            if body != "ground":
                k = 6 * (names.index(body) - 1)
                row[k:k + 3] += sign * v
                row[k + 3:k + 6] += sign * (cross(at, v) + w)
        return row

    def rows(self, j):
        if j.virtual or j.kind == "free":
            return []
        none, at = np.zeros(3), j.P[1]
        axes = [j.F[0] @ u for u in j.u]
        moves = lambda vs: [self.relative(j.a, j.b, at, v, none) for v in vs]
        turns = lambda ws: [self.relative(j.a, j.b, at, none, w) for w in ws]
        k = j.kind
        if k == "link":
            u = unit(j.P[1] - j.P[0])
            row = self.relative("ground", j.b, j.P[1], u, none) - self.relative("ground", j.a, j.P[0], u, none)
            return [row]
        if k == "universal":
            return moves((X, Y, Z)) + turns([unit(cross(axes[0], j.F[1] @ j.u[1]))])
        if k == "perpendicular":
            return turns([cross(axes[0], axes[1])])
        across = normals(axes[0]) if axes else ()
        if k == "screw":
            return moves(across) + turns(across) + [self.relative(j.a, j.b, at, axes[0],
                                                                  -axes[0] * (j.keys["pitch"] / (2 * math.pi)))]
        held = {"revolute": ((X, Y, Z), across), "prismatic": (across, (X, Y, Z)), "cylindrical": (across, across),
                "spherical": ((X, Y, Z), ()), "planar": (axes[:1], across), "point": ((), (X, Y, Z)),
                "fixed": ((X, Y, Z), (X, Y, Z)), "inline": (across, ()), "inplane": (axes, ()), "parallel": ((), across)}
        return moves(held[k][0]) + turns(held[k][1])

    def rate(self, j, k):
        """The rate of a coordinate of a joint with one axis."""
        u, none = j.F[0] @ j.u[0], np.zeros(3)
        if j.dimensions[k] == 0:
            return self.relative(j.a, j.b, j.P[1], none, u)
        if j.kind == "planar":
            u = j.F[0] @ planar_directions(j.u[0])[k]
        return self.relative(j.a, j.b, j.P[1], u, none)

    def groups(self):
        """Rows of each entry."""
        found = [np.array(self.rows(j)) for j in self.joints]
        for _, _, (p, q, slope) in self.couplings:
            found.append(np.array([self.rate(*q) - slope * self.rate(*p)]))
        return [g for g in found if len(g)]

    def plane(self):
        """Twists in the plane, a basis."""
        n, n1, n2 = self.normal, *normals(self.normal)
        twist = [np.concatenate([n1, 0 * n]), np.concatenate([n2, 0 * n]), np.concatenate([0 * n, n])]
        return np.kron(np.eye(len(self.bodies) - 1), np.array(twist).T)

    def counts(self, planar=False):
        """Freedoms and redundant rows, in space or in the plane."""
        n = 6 * (len(self.bodies) - 1)
        groups = self.groups()
        if planar:
            basis = self.plane()
            n, groups = basis.shape[1], [g @ basis for g in groups]
        total = rank(np.vstack(groups)) if groups else 0
        return n - total, sum(rank(g) for g in groups) - total

    def freedoms(self):
        return self.counts()[0]

    # turned and moved ----------------------------------------------------------------------------
    def turned(self, T):
        for name, b in self.bodies.items():
            if name != "ground":
                b.R, b.p = T @ b.R, T @ b.p
        for j in self.joints:
            j.P, j.F = tuple(T @ p for p in j.P), tuple(T @ f for f in j.F)
        self.gravity = T @ self.gravity
        for n, p in self.bodies["ground"].points.items():
            self.bodies["ground"].points[n] = T @ p
        for f in self.forces.values():
            if "world" in f and f.get("frame") != "body":
                f["world"] = T @ f["world"]
        if self.normal is not None:
            self.normal = T @ self.normal
        self.tags.add("turned")

    # the model -----------------------------------------------------------------------------------
    def local(self, body, p):
        b = self.bodies[body]
        return b.R.T @ (p - b.p)

    def point(self, body, world):
        """A named point of a body."""
        name = f"p{sum(len(b.points) for b in self.bodies.values()) + 1}"
        self.bodies[body].points[name] = self.local(body, np.asarray(world, float))
        return f"{body}.{name}"

    def entry(self, j):
        d = {"type": j.kind, "between": [j.a, j.b]}
        local = [self.local(x, p) for x, p in zip((j.a, j.b), j.P)]
        frames = [self.bodies[x].R.T @ f for x, f in zip((j.a, j.b), j.F)]
        if j.kind in ("parallel", "perpendicular"):
            axes = [f @ u for f, u in zip(frames, j.u if len(j.u) == 2 else [j.u[0], j.u[0]])]
            if j.kind == "parallel" and np.max(np.abs(axes[0] - axes[1])) < SAME:
                d["axis"] = axis(axes[0])
            else:
                d["axes"] = [axis(u) for u in axes]
            return d
        if np.max(np.abs(local[0] - local[1])) == 0:
            if np.max(np.abs(local[0])) > 0:
                d["at"] = j.keys.get("hardpoint") or lengths(local[0])
        else:
            d["at"] = [lengths(p) for p in local]
        if j.kind == "link":
            if not (self.hard and "turned" not in self.tags and int(j.name[1:]) % 2):
                d["length"] = Quantity(math.dist(*j.P), 1)
            return d
        if j.kind in ("inline", "inplane"):
            frames = [np.eye(3), np.eye(3)] if np.max(np.abs(frames[0] - np.eye(3))) < SAME else [frames[0], np.eye(3)]
        if any(np.max(np.abs(f - np.eye(3))) > SAME for f in frames):
            angles = [[angle(0 if np.max(np.abs(f - np.eye(3))) < SAME else x) for x in roll_pitch_yaw(f)] for f in frames]
            d["orient"] = angles[0] if np.array_equal(*frames) else angles
        if len(j.u) == 1:
            d["axis"] = axis(j.u[0])
            if int(j.name[1:]) % 4 == 0 and isinstance(d["axis"], list):  # from one point to another
                d["axis"] = [lengths(0.3 * j.u[0]), lengths(j.u[0])]
        elif j.u:
            d["axes"] = [axis(u) for u in j.u]
        if "pitch" in j.keys:
            d["pitch"] = Quantity(j.keys["pitch"], 1)
        if j.keys.get("sequence", "zyx") != "zyx":
            d["sequence"] = j.keys["sequence"]
        if j.virtual:
            d["virtual"] = "true"
        return d

    def bodies_entry(self, b):
        J = b.J
        d = {"mass": Quantity(b.mass, 0, 1), "com": lengths(b.com)}
        if J[0, 0] == 0 and J[1, 1] == 0:
            d["inertia"] = Quantity(J[2, 2], 2, 1)
        else:
            d["inertia"] = [Quantity(J[i, i], 2, 1) for i in range(3)]
            if np.max(np.abs(J - np.diag(np.diag(J)))) > 0:
                d["inertia"] += [Quantity(-J[i, k], 2, 1) for i, k in ((0, 1), (0, 2), (1, 2))]
        if b.points:
            d["points"] = {n: lengths(p) for n, p in b.points.items()}
        return d

    def force_entry(self, f):
        if "world" not in f:
            return f
        f = dict(f)
        v, dims, law = f.pop("world"), f.pop("dims"), f.pop("law")
        f["vector"] = [Product(Quantity(x, *dims), law) if law else Quantity(x, *dims) for x in v]
        return f

    def model(self, units, order=None):
        """Nested strings, as a reader of YAML without types gives them. order: a generator that shuffles the entries."""
        d = {"cotree": "1", "name": "soak", "gravity": [Quantity(x, 1, 0, -2) for x in self.gravity]}
        if self.parameters:
            d["parameters"] = self.parameters
        if self.inputs:
            d["inputs"] = {n: v for n, (v, _) in self.inputs.items()}
        if self.tables:
            d["tables"] = self.tables
        if self.bodies["ground"].points:
            d["points"] = {n: lengths(p) for n, p in self.bodies["ground"].points.items()}
        d["bodies"] = {n: self.bodies_entry(b) for n, b in self.bodies.items() if n != "ground"}
        d["joints"] = {j.name: self.entry(j) for j in self.joints}
        d["joints"].update((n, keys) for n, keys, _ in self.couplings)
        for section, entries in (("motions", self.motions), ("initial", self.initial), ("guess", self.guess),
                                 ("outputs", self.outputs)):
            if entries:
                d[section] = entries
        if self.forces:
            d["forces"] = {n: self.force_entry(f) for n, f in self.forces.items()}
        if order:
            for section in ("bodies", "joints", "forces", "initial", "guess", "motions", "inputs"):
                if section in d:
                    entries = list(d[section].items())
                    order.shuffle(entries)
                    d[section] = dict(entries)
        return written(d, units)


class Product:
    def __init__(self, quantity, law):
        self.quantity, self.law = quantity, law

    def text(self, units):
        return f"({self.quantity.text(units)})*({self.law.text(units)})"


def axis(u):
    for k, letter in enumerate("xyz"):
        if u[k] == 1.0 and not np.any(np.delete(u, k)):
            return letter
    return [Quantity(x) for x in u]


def rank(rows, tolerance=1e-8):
    size = np.sqrt(np.sum(rows * rows, axis=1))
    rows = rows[size > 1e-10] / size[size > 1e-10, None]
    if not len(rows):
        return 0
    s = np.linalg.svd(rows, compute_uv=False)
    return int(np.sum(s > tolerance * s[0]))


def yaml(d):
    """A model as text, an entry of a section in each line."""
    def flow(e):
        if isinstance(e, dict):
            return "{" + ", ".join(f"{key(k)}: {flow(v)}" for k, v in e.items()) + "}"
        if isinstance(e, list):
            return "[" + ", ".join(map(flow, e)) + "]"
        plain = all(c.isalnum() or c in "._-+*" for c in e) and e[0] not in "-*" or is_number(e)
        return e if plain else f'"{e}"'

    lines = []
    for k, v in d.items():
        if isinstance(v, dict):
            lines.append(f"{k}:")
            lines += [f"  {key(n)}: {flow(e)}" for n, e in v.items()]
        else:
            lines.append(f"{k}: {flow(v)}")
    return "\n".join(lines) + "\n"


def key(k):
    return k if all(c.isalnum() or c in "._" for c in k) else f'"{k}"'


def is_number(e):
    try:
        float(e)
        return True
    except ValueError:
        return False
