"""The motion of a draft by the oracle: maximal coordinates, rank-revealing factorisation, eighth order. The start is the
draft's own position, so nothing has to be assembled."""
import math
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import expression  # noqa: E402
from expression import parse, value  # noqa: E402, F401
from mechanism import Context, Model, matrix_quaternion, quaternion_product, stack  # noqa: E402
from oracle import DOP853, Split, State, accelerations, project, record  # noqa: E402

np.seterr(all="ignore")  # what is not finite ends as unfit
ACCURATE = 1e-10  # estimated error of a step
HALVINGS = 7
VANISHING = 0.02  # of independent coordinates on the freedoms: a limit position
RANK = 1e-8       # relative singular value below which rows depend on each other


class Unfit(Exception):
    """The oracle has no answer: the draft is not counted."""


class Position:
    """What the oracle sees at one time: rows of the constraints and of the coordinates, the least relative singular value
    of the constraints, their rank, and how near Euler angles are to their lock."""

    def __init__(self, reference, state):
        c, self.state = state.context(), state
        con, self.t = c.constraints(), state.t
        self.rows, self.coordinates = con.row, np.array([c.coordinate(n).row for n in reference.model.names])
        self.least, self.rank, self.lock = 1.0, 0, {}
        if len(con.row):
            size = np.sqrt(np.sum(con.row ** 2, axis=1))
            s = np.linalg.svd(con.row / np.maximum(size, 1e-300)[:, None], compute_uv=False)
            self.rank = int(np.sum(s > RANK * s[0]))
            self.least = s[min(reference.rank or self.rank, self.rank) - 1] / s[0]
        for j in reference.w.joints:
            if j.kind in ("spherical", "free"):
                b, order = c.coordinate(j.names[-2]).val, j.keys["sequence"]
                self.lock[j.name] = abs(math.sin(b) if order[0] == order[2] else math.cos(b))


class Reference:
    def __init__(self, w, data):
        expression.CACHE.clear()
        self.w = w
        try:
            self.model = Model(data)
        except np.linalg.LinAlgError as e:
            raise Unfit(str(e))
        m = self.model
        bodies = [w.bodies[b.name] for b in m.bodies]
        pos = np.array([b.p + b.R @ b.com for b in bodies])
        quat = np.array([matrix_quaternion(b.R) for b in bodies])
        last = {n: v for j in w.joints for n, v in zip(j.names, j.q)}
        self.state = State(m, 0.0, pos, quat, np.zeros(m.n), last)
        c = self.state.context()
        con = c.constraints()
        off = max([abs(c.coordinate(n).val - last[n]) for n in m.names] + [np.max(np.abs(con.val), initial=0)])
        if off > 1e-12:
            raise AssertionError(f"the draft does not stand where it should: {off:g}")
        self.rank, self.path, self.reach = None, [], math.inf
        self.look(self.state)
        self.rank = self.path[0].rank

    def rows(self, kinematics=False):
        """The constraints at the start: rows with motions."""
        return self.state.context().constraints()

    def look(self, s):
        self.path.append(Position(self, State(s.model, s.t, s.pos.copy(), s.quat.copy(), s.V.copy(), s.last)))

    @property
    def least(self):
        """The smallest relative singular value along the path."""
        return min(p.least for p in self.path)

    def lock(self, name):
        """How near the Euler angles of a joint come to their lock, 1 for other joints."""
        return min(p.lock.get(name, 1.0) for p in self.path)

    def near(self, t, h, n):
        """Positions from n steps h before a time to n steps after it."""
        first = max(0.0, t - n * h)
        begin = [p.state for p in self.path if p.t <= first + 1e-12][-1]
        s = State(begin.model, begin.t, begin.pos.copy(), begin.quat.copy(), begin.V.copy(), begin.last)
        whole, self.path = self.path, []
        try:
            if first > s.t:
                self.step(s, s.t, first - s.t, 0)
                self.path.clear()
            self.look(s)
            while s.t < t + n * h:
                self.step(s, s.t, h, 0)
        except (Unfit, np.linalg.LinAlgError, ArithmeticError, ValueError):
            pass  # a singular position ends it; those before it tell
        found, self.path = self.path, whole
        return found

    def independent(self, rng, weight=True):
        """Null space of the constraints, and coordinates that span it best: names, and how well."""
        c = self.state.context()
        con = c.constraints()
        n = self.model.n
        U, s, Vt = np.linalg.svd(con.row) if len(con.val) else (None, np.zeros(0), np.eye(n))
        N = Vt[int(np.sum(s > 1e-8 * s[0])) if len(s) else 0:].T
        names = [m for m in self.model.names]
        rows = {m: c.coordinate(m).row @ N for m in names}
        chosen, basis, quality = [], np.zeros((0, N.shape[1])), 1.0
        while len(chosen) < N.shape[1] and names:
            # the largest part across those chosen so far, with a random weight
            rest = {m: rows[m] - basis.T @ (basis @ rows[m]) for m in names if m not in chosen}
            if not rest:
                break
            size = {m: np.linalg.norm(v) for m, v in rest.items()}
            most = max(size.values())
            m = rng.choice([m for m in rest if size[m] > 0.5 * most])
            if most < 0.05:
                break
            basis = np.vstack([basis, rest[m] / size[m]])
            quality = min(quality, size[m])
            chosen.append(m)
        return N, chosen, quality if len(chosen) == N.shape[1] else 0.0

    def isolated(self, names):
        """How well the constraints and these coordinates determine all poses: a relative singular value."""
        c = self.state.context()
        rows = np.vstack([c.constraints().row] + [c.coordinate(m).row[None] for m in names])
        rows = rows / np.maximum(np.sqrt(np.sum(rows ** 2, axis=1)), 1e-300)[:, None]
        s = np.linalg.svd(rows, compute_uv=False)
        return s[self.model.n - 1] / s[0] if len(s) >= self.model.n else 0.0

    def solid(self, N):
        """Bodies without mass must leave the equations solvable."""
        if N.shape[1]:
            e = np.linalg.eigvalsh(N.T @ self.state.context().inertia()[0] @ N)
            if e[0] < 1e-4 * e[-1]:
                raise Unfit("a freedom without mass")

    def limited(self, names, positions):
        """Whether these coordinates cease to determine the motion somewhere: their determinant on the null space of the
        constraints vanishes or changes its sign. The basis of the null space is carried on along the path."""
        which, before, sign = [self.model.names.index(n) for n in names if n in self.model.names], None, 0.0
        if len(which) != len(names):
            return False
        for p in positions:
            U, s, Vt = np.linalg.svd(p.rows)
            N = Vt[int(np.sum(s > RANK * s[0])):].T
            if before is not None and N.shape == before.shape:
                U, _, Vt = np.linalg.svd(N.T @ before)
                N = N @ (U @ Vt)
            before = N
            C = p.coordinates[which] @ N
            if C.shape[0] != C.shape[1]:
                return False
            if len(C) and np.linalg.svd(C, compute_uv=False)[-1] < VANISHING:
                return True
            now = np.sign(np.linalg.det(C)) if len(C) else 1.0
            if sign * now < 0:
                return True
            sign = now
        return False

    def velocities(self, rng, N, moving):
        """Of all bodies at the start: those of the motions, and a random one in the null space."""
        con = self.state.context().constraints()
        V = np.linalg.lstsq(con.row, -con.rate, rcond=1e-9)[0] if len(con.val) else np.zeros(self.model.n)
        if moving and N.shape[1]:
            z = N @ np.array([rng.gauss(0, 1) for _ in range(N.shape[1])])
            V = V + z * (rng.uniform(0.3, 1.2) / np.max(np.abs(z)))
        if np.max(np.abs(V), initial=0) > 6:
            raise Unfit("fast start")
        self.state.V = V
        c = self.state.context()
        return {m: c.coordinate(m).rate for m in self.model.names}

    # motion ---------------------------------------------------------------------------------------
    def slope(self, s, rank):
        n, model = len(self.model.bodies), self.model

        def f(t, y):
            quat = y[3 * n:7 * n].reshape(n, 4)
            c = Context(model, t, y[:3 * n].reshape(n, 3), quat, y[7 * n:], s.last)
            V = y[7 * n:].reshape(n, 6)
            dq = [0.5 * quaternion_product(np.concatenate(([0.0], w)), q) for w, q in zip(V[:, 3:], quat)]
            return np.concatenate([V[:, :3].ravel(), np.ravel(dq), accelerations(c, rank=rank)[0]])
        return f

    def step(self, s, t, h, depth):
        """A step with an estimate of its error; two halves where that is large, or where the last steps had to be shorter."""
        if h > 1.01 * self.reach and depth < HALVINGS:
            self.halves(s, t, h, depth)
            return
        rank = Split(s.context().constraints().row).rank  # at a state that was projected
        n, f = len(self.model.bodies), self.slope(s, rank)
        y = np.concatenate([s.pos.ravel(), s.quat.ravel(), s.V])
        K = []
        for a, c in zip(DOP853.A[:12, :12], DOP853.C[:12]):
            K.append(f(t + c * h, y + h * (np.array(a[:len(K)]) @ np.array(K) if K else 0)))
        K = np.array(K)
        e5, e3 = DOP853.E5[:12] @ K, DOP853.E3[:12] @ K
        size = np.maximum(1.0, np.abs(y))
        e5, e3 = np.max(np.abs(e5 / size)), np.max(np.abs(e3 / size))
        error = h * e5 ** 2 / math.sqrt(e5 ** 2 + 0.01 * e3 ** 2) if e5 > 0 else 0.0
        if error > ACCURATE or not np.isfinite(error):
            if depth == HALVINGS:
                raise Unfit(f"the oracle needs short steps at t = {t:g}")
            self.reach = h / 2
            self.halves(s, t, h, depth)
            return
        self.reach = 2 * h if error < ACCURATE / 2 ** 8 else h
        y = y + h * (DOP853.B @ K)
        s.t = t + h
        s.pos, s.quat, s.V = y[:3 * n].reshape(n, 3), y[3 * n:7 * n].reshape(n, 4), y[7 * n:]
        project(s, rank)
        self.look(s)

    def halves(self, s, t, h, depth):
        self.step(s, t, h / 2, depth + 1)
        self.step(s, t + h / 2, h / 2, depth + 1)

    def run(self, T, rows):
        """Rows of coordinates, rates, accelerations and outputs; conditioning is left in the members."""
        s, out = self.state, []
        try:
            for k in range(rows + 1):
                if k:
                    self.step(s, T * (k - 1) / rows, T / rows, 0)
                    s.t = T * k / rows
                    gap = np.max(np.abs(s.context().constraints().val), initial=0)
                    if gap > 1e-10:
                        raise Unfit(f"the rows open by {gap:g}")
                out.append(record(s, True, accelerations(s.context())[0]))
        except np.linalg.LinAlgError as e:
            raise Unfit(f"mass matrix: {e}")
        except (OverflowError, ZeroDivisionError, ValueError) as e:
            raise Unfit(str(e))
        out = np.array(out, float)
        if not np.all(np.isfinite(out)) or np.max(np.abs(out)) > 1e6:
            raise Unfit("numbers out of all proportion")
        return out
