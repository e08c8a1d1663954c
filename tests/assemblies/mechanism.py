"""Mechanisms for the search of all assemblies: bodies, joints with frames in both bodies, a model file,
positions from joint coordinates, and joints as equations of absolute coordinates."""
import numpy as np

from solver import State, rotation, rpy

X, Y, Z = np.eye(3)
COORDINATES = {"revolute": [""], "prismatic": [""], "cylindrical": [".slide", ".angle"], "spherical": [".1", ".2", ".3"],
               "universal": [".1", ".2"], "fixed": [], "link": []}


class Joint:
    """Frames lie at `at` in both bodies, turned by roll, pitch and yaw in degrees; the axis is z."""

    def __init__(self, name, kind, a, b, at_a, at_b, orient_a=(0, 0, 0), orient_b=(0, 0, 0), given=None, length=None):
        self.name, self.kind, self.a, self.b = name, kind, a, b
        self.at = [np.array(at_a, float), np.array(at_b, float)]
        self.orient = [tuple(orient_a), tuple(orient_b)]
        self.F = [rpy(*np.radians(o)) for o in self.orient]
        self.given, self.length = given, length

    def names(self):
        return [self.name + part for part in COORDINATES[self.kind]]

    def motion(self, q):
        """Translation and rotation of the second frame in the first."""
        if self.kind == "revolute":
            return np.zeros(3), rotation(Z, q[0])
        if self.kind == "prismatic":
            return q[0] * Z, np.eye(3)
        if self.kind == "cylindrical":
            return q[0] * Z, rotation(Z, q[1])
        if self.kind == "spherical":
            return np.zeros(3), rotation(Z, q[0]) @ rotation(Y, q[1]) @ rotation(X, q[2])
        if self.kind == "universal":
            return np.zeros(3), rotation(X, q[0]) @ rotation(Y, q[1])
        return np.zeros(3), np.eye(3)

    def write(self, rows):
        a, b, (xa, xb), (Fa, Fb) = self.a, self.b, self.at, self.F
        if self.kind == "link":
            return rows.distance(a, xa, b, xb, self.length)
        if self.kind in ("revolute", "spherical", "universal", "fixed"):
            rows.same_point(a, xa, b, xb)
        else:
            rows.along(a, xa, b, xb, Fa[:, 0], 0)
            rows.along(a, xa, b, xb, Fa[:, 1], 0)
        if self.kind in ("revolute", "cylindrical"):
            rows.same_vector(a, Fa[:, 2], b, Fb[:, 2])
        if self.kind in ("prismatic", "fixed"):
            rows.same_vector(a, Fa[:, 0], b, Fb[:, 0])
            rows.same_vector(a, Fa[:, 1], b, Fb[:, 1])
        if self.kind == "universal":
            rows.angle_between(a, Fa[:, 0], b, Fb[:, 1], 0)
        if self.given is not None and self.kind == "prismatic":
            rows.along(a, xa, b, xb, Fa[:, 2], self.given)
        if self.given is not None and self.kind == "revolute":
            rows.same_vector(a, Fa @ rotation(Z, self.given) @ X, b, Fb[:, 0])

    def text(self):
        def triple(x):
            return "[" + ", ".join(f"{v:.17g}" for v in x) + "]"

        def angles(o):
            return "[" + ", ".join(f"{v:.17g}*deg" if v else "0" for v in o) + "]"
        ends = ["ground" if i == 0 else f"b{i}" for i in (self.a, self.b)]
        head = f"  {self.name}: {{type: {self.kind}, between: [{ends[0]}, {ends[1]}], at: [{triple(self.at[0])}, {triple(self.at[1])}]"
        if self.kind == "link":
            return head + f", length: {self.length:.10g}}}"
        head += f", orient: [{angles(self.orient[0])}, {angles(self.orient[1])}]"
        if self.kind == "universal":
            return head + ", axes: [x, y]}"
        return head + ("}" if self.kind in ("spherical", "fixed") else ", axis: z}")


class Mechanism:
    """`loose`: bodies whose rotation is open (a rod on two balls) and is not compared."""

    def __init__(self, family, n_bodies, joints, flat=False, tilt=np.eye(3), loose=()):
        self.family, self.n_bodies, self.joints = family, n_bodies, joints
        self.flat, self.tilt, self.loose = flat, tilt, set(loose)
        self.size = max([np.linalg.norm(x) for j in joints for x in j.at] + [j.length or 0 for j in joints] + [0.1])

    def text(self):
        lines = ["cotree: 1", f"name: {self.family}", "bodies:"]
        lines += [f"  b{i}: {{mass: 1, inertia: [0.1, 0.1, 0.1]}}" for i in range(1, self.n_bodies + 1)]
        lines += ["joints:"] + [j.text() for j in self.joints]
        given = ", ".join(f"{j.name}: {j.given:.10g}" for j in self.joints if j.given is not None)
        return "\n".join(lines + ([f"initial: {{{given}}}"] if given else [])) + "\n"

    def starts(self, random, n):
        bodies = self.n_bodies + 1
        p = random.uniform(-1.5, 1.5, (n, bodies, 3)) * self.size
        q = random.normal(size=(n, bodies, 4))
        q /= np.linalg.norm(q, axis=2, keepdims=True)
        w, v = q[..., 0], q[..., 1:]
        R = np.zeros((n, bodies, 3, 3))
        for i in range(3):
            for k in range(3):
                R[..., i, k] = 2 * v[..., i] * v[..., k] + ((2 * w * w - 1) if i == k else 0)
        for i, k, l in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            R[..., i, k] -= 2 * w * v[..., l]
            R[..., k, i] += 2 * w * v[..., l]
        if self.flat:  # in the plane of the mechanism
            p[..., 2] = 0
            angle = random.uniform(-np.pi, np.pi, (n, bodies))
            R[:] = 0
            R[..., 0, 0] = R[..., 1, 1] = np.cos(angle)
            R[..., 1, 0], R[..., 0, 1], R[..., 2, 2] = np.sin(angle), -np.sin(angle), 1
            p, R = p @ self.tilt.T, self.tilt @ R
        p[:, 0], R[:, 0] = 0, np.eye(3)
        return State(p, R)

    def place(self, values):
        """Positions of all bodies from joint coordinates, and how far the joints outside of the tree are open."""
        p, R = {0: np.zeros(3)}, {0: np.eye(3)}
        while len(p) <= self.n_bodies:
            before = len(p)
            for j in self.joints:
                known = [body in p for body in (j.a, j.b)]
                if j.kind == "link" or known[0] == known[1]:
                    continue
                x, M = j.motion([values[name] for name in j.names()])
                if known[0]:
                    R[j.b] = R[j.a] @ j.F[0] @ M @ j.F[1].T
                    p[j.b] = p[j.a] + R[j.a] @ (j.at[0] + j.F[0] @ x) - R[j.b] @ j.at[1]
                else:
                    R[j.a] = R[j.b] @ j.F[1] @ M.T @ j.F[0].T
                    p[j.a] = p[j.b] + R[j.b] @ j.at[1] - R[j.a] @ (j.at[0] + j.F[0] @ x)
            if len(p) == before:
                return None
        bodies = range(self.n_bodies + 1)
        return State(np.array([[p[i] for i in bodies]]), np.array([[R[i] for i in bodies]]))

    def difference(self, one, other):
        """Of two positions, in lengths of the mechanism and radians."""
        worst = 0
        for i in range(1, self.n_bodies + 1):
            if i in self.loose:
                continue
            worst = max(worst, np.max(np.abs(one.p[0, i] - other.p[0, i])) / self.size,
                        np.max(np.abs(one.R[0, i] - other.R[0, i])))
        return worst
