"""A mechanism put together in space: bodies have poses, joints stand at points and along directions of the world in the
position of assembly, and the model file in the bodies' own frames follows from that, so that every loop closes. Beside
it the rows that the joints impose on the twists of the bodies, for a count of the freedoms apart from the program's."""
import math

X, Y, Z = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
NONE = [0.0, 0.0, 0.0]
UNIT = [X, Y, Z]
DIGITS = 17


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def mul(k, a):
    return [k * x for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    return mul(1 / math.sqrt(dot(a, a)), a)


def normals(u):
    """Two unit vectors across u."""
    k = min(range(3), key=lambda i: abs(u[i]))
    n = unit(cross(UNIT[k], u))
    return n, cross(u, n)


def transpose(m):
    return [list(c) for c in zip(*m)]


def times(m, v):
    return [dot(r, v) for r in m]


def product(a, b):
    return [[dot(r, c) for c in zip(*b)] for r in a]


def turn(u, angle):
    """The matrix of a rotation about a unit vector."""
    columns = []
    for e in UNIT:
        along = mul(dot(u, e), u)
        across = sub(e, along)
        columns.append(add(along, add(mul(math.cos(angle), across), mul(math.sin(angle), cross(u, e)))))
    return transpose(columns)


def roll_pitch_yaw(m):
    return [math.atan2(m[2][1], m[2][2]), math.asin(max(-1, min(1, -m[2][0]))), math.atan2(m[1][0], m[0][0])]


def vector(v):
    return "[" + ", ".join(f"{x:.{DIGITS}g}" for x in v) + "]"


def rank(rows, tolerance=1e-9):
    """Elimination with complete pivoting."""
    a, k = [r[:] for r in rows], 0
    while k < len(a) and k < len(a[0]):
        best, i, j = max((abs(a[i][j]), i, j) for i in range(k, len(a)) for j in range(k, len(a[0])))
        if best < tolerance:
            break
        a[k], a[i] = a[i], a[k]
        for r in a:
            r[k], r[j] = r[j], r[k]
        for r in a[k + 1:]:
            f = r[k] / a[k][k]
            r[k:] = [x - f * y for x, y in zip(r[k:], a[k][k:])]
        k += 1
    return k


class World:
    """normal: that of the plane in which all bodies move, or None; size: a length; turned: bodies have frames of their
    own, else all coincide with that of ground."""

    def __init__(self, rng, name, normal=None, size=1.0, turned=None):
        self.rng, self.name, self.normal, self.size = rng, name, normal, size
        self.turned = rng.random() < 0.5 if turned is None else turned
        self.pose = {"ground": ([X, Y, Z], NONE)}
        self.used = {}      # body -> points
        self.lines = []     # of the joints
        self.start = {}     # coordinate -> its value in the position of assembly
        self.slides = set()
        self.rows = []      # {body: row on (v at the origin, omega)}
        self.rate = {}      # coordinate -> its rate, likewise

    def body(self, name, at):
        u = self.normal or unit([self.rng.gauss(0, 1) for _ in range(3)])
        pose = turn(u, self.rng.uniform(-1, 1)), at
        self.pose[name] = pose if self.turned else self.pose["ground"]
        self.used[name] = [at]
        return name

    def local(self, body, point):
        r, p = self.pose[body]
        return times(transpose(r), sub(point, p))

    def direction(self, body, u):
        return times(transpose(self.pose[body][0]), u)

    # joints -------------------------------------------------------------------------------------
    def joint(self, kind, a, b, at, *axes):
        """Along world directions, at a world point; returns its name."""
        name = f"j{len(self.lines) + 1}"
        here, there = self.pose[a][0], self.pose[b][0]
        keys = f"type: {kind}, between: [{a}, {b}], at: [{vector(self.local(a, at))}, {vector(self.local(b, at))}]"
        if kind != "spherical":  # the joint frames coincide, so that every coordinate is zero
            frame = roll_pitch_yaw(product(transpose(there), here))
            keys += f", orient: [[0, 0, 0], {vector(frame)}]"
            start = [0.0, 0.0]
        else:
            start = roll_pitch_yaw(product(transpose(here), there))[::-1]
        seen = [vector(self.direction(a, u)) for u in axes]
        if axes:
            keys += f", axis: {seen[0]}" if len(axes) == 1 else f", axes: [{seen[0]}, {seen[1]}]"
        parts = {"cylindrical": [".slide", ".angle"], "universal": [".1", ".2"], "spherical": [".1", ".2", ".3"],
                 "revolute": [""], "prismatic": [""]}.get(kind, [])
        self.start.update((name + part, value) for part, value in zip(parts, start))
        self.lines.append(f"  {name}: {{{keys}}}")
        for x in (a, b):
            self.used.setdefault(x, []).append(at)
        self.constrain(name, kind, a, b, at, [unit(u) for u in axes])
        return name

    def link(self, a, p, b, q):
        length = math.dist(p, q)
        self.lines.append(f"  l{len(self.lines) + 1}: {{type: link, between: [{a}, {b}], "
                          f"at: [{vector(self.local(a, p))}, {vector(self.local(b, q))}], length: {length:.17g}}}")
        u = unit(sub(q, p))
        self.rows.append(self.twists((a, mul(-1, u), p), (b, u, q)))
        self.used.setdefault(a, []).append(p)
        self.used.setdefault(b, []).append(q)

    def gear(self, a, b, ratio):
        """b - b0 = ratio (a - a0) between two coordinates."""
        law = f"{b} - {self.start[b]:.17g} - {ratio:.17g}*({a} - {self.start[a]:.17g})"
        self.lines.append(f'  g{len(self.lines) + 1}: {{type: constraint, equation: "{law}"}}')
        row = {k: r[:] for k, r in self.rate[b].items()}
        for k, r in self.rate[a].items():
            row[k] = add(row.get(k, [0.0] * 6), mul(-ratio, r))
        self.rows.append(row)

    # freedoms -----------------------------------------------------------------------------------
    @staticmethod
    def twists(*forces):
        """A force along v at p on each body, as a row on its twist."""
        row = {}
        for body, v, p in forces:
            if body != "ground":
                row[body] = add(row.get(body, [0.0] * 6), v + cross(p, v))
        return row

    def relative(self, a, b, at, v, w):
        """v . (velocity of b at the point, seen from a) + w . (angular velocity)."""
        row = self.twists((a, mul(-1, v), at), (b, v, at))
        for body, sign in ((a, -1), (b, 1)):
            if body != "ground":
                row[body] = add(row[body], NONE + mul(sign, w))
        return row

    def constrain(self, name, kind, a, b, at, axes):
        moves = [self.relative(a, b, at, u, NONE) for u in UNIT]
        turns = [self.relative(a, b, at, NONE, mul(self.size, u)) for u in UNIT]
        if axes:
            across = [self.relative(a, b, at, u, NONE) for u in normals(axes[0])]
            tilts = [self.relative(a, b, at, NONE, mul(self.size, u)) for u in normals(axes[0])]
            along = self.relative(a, b, at, axes[0], NONE)
            about = self.relative(a, b, at, NONE, axes[0])
        if kind == "revolute":
            self.rows += moves + tilts
            self.rate[name] = about
        elif kind == "prismatic":
            self.rows += across + turns
            self.rate[name] = along
            self.slides.add(name)
        elif kind == "cylindrical":
            self.rows += across + tilts
            self.rate[name + ".slide"], self.rate[name + ".angle"] = along, about
            self.slides.add(name + ".slide")
        elif kind == "universal":
            self.rows += moves + [self.relative(a, b, at, NONE, mul(self.size, cross(*axes)))]
        elif kind == "spherical":
            self.rows += moves
        elif kind == "inline":
            self.rows += across
        else:
            raise ValueError(kind)

    def freedoms(self, more=()):
        bodies = [b for b in self.pose if b != "ground"]
        matrix = []
        for row in self.rows + list(more):
            line = []
            for b in bodies:
                r = row.get(b, [0.0] * 6)
                line += mul(self.size, r[:3]) + r[3:]
            most = max(map(abs, line))
            if most > 0:
                matrix.append(mul(1 / most, line))
        return 6 * len(bodies) - (rank(matrix) if matrix else 0)

    # the file -----------------------------------------------------------------------------------
    def mass(self, body):
        points = self.used[body]
        centre = mul(1 / len(points), [sum(c) for c in zip(*points)])
        size = max([math.dist(p, centre) for p in points] + [0.1 * self.size])
        mass = round(10 ** self.rng.uniform(-0.5, 0.5), 3)
        inertia = [mass * size ** 2 / 3 * self.rng.uniform(0.9, 1.3) for _ in range(3)]
        return f"mass: {mass}, inertia: {vector(inertia)}, com: {vector(self.local(body, centre))}"

    def text(self, gravity, forces, initial):
        guess = ", ".join(f"{k}: {v:.6g}" for k, v in self.start.items() if v and k not in initial)
        lines = ["cotree: 1", f"name: {self.name}", f"gravity: {vector(gravity)}", "bodies:"]
        lines += [f"  {b}: {{{self.mass(b)}}}" for b in self.pose if b != "ground"]
        lines += ["joints:"] + self.lines
        lines += ["forces:"] + [f"  f{i}: {{{f}}}" for i, f in enumerate(forces)] if forces else []
        lines += ["initial: {" + ", ".join(f"{k}: {v}" for k, v in initial.items()) + "}"] if initial else []
        lines += [f"guess: {{{guess}}}"] if guess else []
        return "\n".join(lines) + "\n"
