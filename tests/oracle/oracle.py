#!/usr/bin/python3
"""Independent reference results for cotree models.

As different from cotree as can be: no symbols, no trees. Bodies have maximal coordinates, joints are
constraint rows in the ground frame, accelerations come from Newton-Euler in the null space of the
rows (found by rank-revealing factorisation, so redundant rows do no harm), and time steps are those
of the eighth-order Dormand-Prince formula with a fixed step, followed by projection of positions and
velocities onto the constraints. Results are CSV with 17 digits.

  oracle.py MODEL.yaml --time T [--step h] [--rows N] [--check] -o ref.csv
  oracle.py MODEL.yaml --kinematics ...      driven motion, with accelerations name''
"""
import argparse
import math
import sys

import numpy as np
from scipy.integrate import DOP853
from scipy.linalg import cho_factor, cho_solve, qr, solve_triangular

from expression import value
from mechanism import Context, Model, matrix_quaternion, quaternion_product, stack

RANK = 1e-9


class Split:
    """Rows J (m x n) by pivoted QR: least-norm solutions of J x = b and the null space. The rank is
    found, or given: off the constraints redundant rows are not dependent to the last digit."""

    def __init__(self, J, rank=None):
        m, n = J.shape
        self.quality = 1.0
        if m == 0:
            self.rank, self.N, self.Q1 = 0, np.eye(n), np.zeros((n, 0))
            return
        Q, R, self.perm = qr(J.T, pivoting=True, check_finite=False)
        d = np.abs(np.diag(R))
        self.rank = int(np.sum(d > RANK * d[0])) if rank is None else rank
        self.quality = d[self.rank - 1] / d[0]
        self.Q1, self.N, self.R = Q[:, :self.rank], Q[:, self.rank:], R[:self.rank, :self.rank]

    def solve(self, b):
        if self.rank == 0:
            return np.zeros(self.N.shape[0])
        return self.Q1 @ solve_triangular(self.R, b[self.perm[:self.rank]], trans="T", check_finite=False)


class State:
    """Poses, velocities, time; the last coordinate values for continuity of angles."""

    def __init__(self, model, t, pos, quat, V, last):
        self.model, self.t, self.pos, self.quat, self.V, self.last = model, t, pos, quat, V, dict(last)

    def context(self):
        return Context(self.model, self.t, self.pos, self.quat, self.V, self.last)

    def move(self, delta):
        """Displace every body by (dr, rotation vector)."""
        for b, d in enumerate(delta.reshape(-1, 6)):
            self.pos[b] = self.pos[b] + d[:3]
            a = np.linalg.norm(d[3:])
            if a > 0:
                dq = np.concatenate(([math.cos(a / 2)], math.sin(a / 2) * d[3:] / a))
                self.quat[b] = quaternion_product(dq, self.quat[b])
        self.quat = self.quat / np.linalg.norm(self.quat, axis=1)[:, None]

    def remember(self):
        c = self.context()
        self.last = {n: c.coordinate(n).val for n in self.model.names}


# initial assembly ---------------------------------------------------------------------------

def start(model):
    """Poses along a tree of joints at the guessed coordinates; joints with known values first."""
    target = {n: model.guess.get(n, 0.0) for n in model.names}
    target.update({n: v[0] for n, v in model.initial.items()})
    known = set(model.guess) | set(model.initial)
    for n, _, e in model.motions:
        if n in target:
            target[n] = float(value(e(Context(model, 0.0, np.zeros((0, 3)), [], np.zeros(0), target))))
            known.add(n)
    R, r = {-1: np.eye(3)}, {-1: np.zeros(3)}
    joints = [j for j in model.joints if j.type in ("fixed",) or j.names]
    joints.sort(key=lambda j: sum(n not in known for n in j.names))
    while len(R) <= len(model.bodies):
        for j in joints:
            if (j.A in R) == (j.B in R):
                continue
            d, T = j.relative([target[n] for n in j.names])
            if j.A in R:
                R[j.B] = R[j.A] @ j.OA @ T @ j.OB.T
                r[j.B] = r[j.A] + R[j.A] @ (j.pA + j.OA @ d) - R[j.B] @ j.pB
            else:
                R[j.A] = R[j.B] @ j.OB @ T.T @ j.OA.T
                r[j.A] = r[j.B] + R[j.B] @ j.pB - R[j.A] @ (j.pA + j.OA @ d)
            break
        else:  # a body held by constraints only
            b = next(b.index for b in model.bodies if b.index not in R)
            R[b], r[b] = np.eye(3), np.zeros(3)
    n = len(model.bodies)
    pos = np.array([r[b] + R[b] @ model.bodies[b].com for b in range(n)]).reshape(n, 3)
    quat = np.array([matrix_quaternion(R[b]) for b in range(n)]).reshape(n, 4)
    return State(model, 0.0, pos, quat, np.zeros(model.n), target), target, known


def assemble(model):
    s, target, known = start(model)
    guessed = [n for n in model.names if n in known]
    wanted = [n for n in model.names if n in known or not model.owner[n][0].virtual]

    def hard(c):
        held = [c.coordinate(n) - v[0] for n, v in model.initial.items()]
        return [c.constraints(), stack(held, model.n)]

    def both(parts):
        return np.concatenate([p.val for p in parts]), np.vstack([p.row for p in parts])

    # soft: constraints and guesses together pick the branch; then exactly: the constraints hold, the
    # rest stays nearest to the target
    for sweep in range(60):
        s.last = dict(target) if sweep == 0 else s.last
        c = s.context()
        phi, J = both(hard(c) + [stack([c.coordinate(n) - target[n] for n in guessed], model.n)])
        step = -np.linalg.lstsq(J, phi, rcond=1e-8)[0]
        s.move(step * min(1.0, 0.5 / max(1e-300, np.max(np.abs(step)))))
        s.remember()
        if np.max(np.abs(step), initial=0) < 1e-6:
            break
    before = math.inf
    for sweep in range(400):
        c = s.context()
        phi, J = both(hard(c))
        size = np.max(np.abs(phi), initial=0)
        if J.shape[0]:
            U, S, Vt = np.linalg.svd(J)
            rank = int(np.sum(S > S[0] * (1e-7 + 0.01 * min(1.0, size))))
            step = -Vt[:rank].T @ ((U.T @ phi)[:rank] / S[:rank])
            N = Vt[rank:].T
        else:
            step, N = np.zeros(model.n), np.eye(model.n)
        if N.shape[1] and wanted:
            soft = stack([c.coordinate(n) - target[n] for n in wanted], model.n)
            step = step - N @ np.linalg.lstsq(soft.row @ N, soft.val + soft.row @ step, rcond=1e-8)[0]
        length = np.max(np.abs(step), initial=0)
        s.move(step * min(1.0, 0.5 / max(1e-300, length)))
        s.remember()
        if length < 1e-15 or (length < 1e-12 and length >= before):
            break
        before = length
    phi, _ = both(hard(s.context()))
    if np.max(np.abs(phi), initial=0) > 1e-11:
        raise SystemExit(f"assembly failed: residual {np.max(np.abs(phi)):g}")
    # rates: the smallest that fit
    c = s.context()
    con = c.constraints()
    held = [(c.coordinate(n), v[1]) for n, v in model.initial.items() if len(v) == 2]
    J = np.vstack([con.row] + [q.row[None] for q, _ in held])
    b = np.concatenate([-con.rate, [v - q.rate for q, v in held]])
    x = np.linalg.lstsq(J, b, rcond=1e-9)[0] if len(b) else np.zeros(model.n)
    if np.max(np.abs(J @ x - b), initial=0) > 1e-9 * max(1.0, np.max(np.abs(b), initial=0)):
        raise SystemExit("initial rates contradict the constraints")
    if len(b):
        U, S, Vt = np.linalg.svd(J)
        N = Vt[int(np.sum(S > 1e-9 * S[0])):].T
    else:
        N = np.eye(model.n)
    if N.shape[1]:
        G = stack([c.coordinate(n) for n in wanted], model.n).row
        x = x - N @ np.linalg.lstsq(G @ N, G @ x, rcond=1e-9)[0]
    s.V = x
    return s


# dynamics -----------------------------------------------------------------------------------

def accelerations(c, log=None, rank=None):
    con = c.constraints()
    split = Split(con.row, rank)
    if log is not None:
        log["rank"].add(split.rank)
        log["quality"] = min(log["quality"], split.quality)
    a = split.solve(-con.bias)
    M, f = c.inertia()
    Q = c.applied()
    N = split.N
    if N.shape[1]:
        a = a + N @ cho_solve(cho_factor(N.T @ M @ N, check_finite=False), N.T @ (f + Q - M @ a),
                              check_finite=False)
    return a, Q


def project(s, rank):
    """Positions, then velocities, onto the constraints."""
    s.quat = s.quat / np.linalg.norm(s.quat, axis=1)[:, None]
    for _ in range(4):
        con = s.context().constraints()
        if np.max(np.abs(con.val), initial=0) < 2e-15:
            break
        step = Split(con.row, rank).solve(-con.val)
        s.move(step)
        if np.max(np.abs(step), initial=0) < 1e-15:
            break
    con = s.context().constraints()
    s.V = s.V + Split(con.row, rank).solve(-con.rate)
    s.remember()


def dop853(s, h, log):
    """One step; the work of the applied forces is integrated along."""
    n, model = len(s.model.bodies), s.model
    rank = Split(s.context().constraints().row).rank  # at a state that was projected

    def slope(t, y):
        quat = y[3 * n:7 * n].reshape(n, 4)
        c = Context(model, t, y[:3 * n].reshape(n, 3), quat, y[7 * n:13 * n], s.last)
        A, Q = accelerations(c, log, rank)
        V = y[7 * n:13 * n].reshape(n, 6)
        dq = [0.5 * quaternion_product(np.concatenate(([0.0], w)), q) for w, q in zip(V[:, 3:], quat)]
        return np.concatenate([V[:, :3].ravel(), np.ravel(dq), A, [Q @ V.ravel()]])

    y = np.concatenate([s.pos.ravel(), s.quat.ravel(), s.V, [log["work"]]])
    K = []
    for a, c in zip(DOP853.A[:12, :12], DOP853.C[:12]):
        K.append(slope(s.t + c * h, y + h * sum((x * k for x, k in zip(a, K) if x != 0), np.zeros_like(y))))
    y = y + h * sum(b * k for b, k in zip(DOP853.B, K))
    s.t += h
    s.pos, s.quat, s.V = y[:3 * n].reshape(n, 3), y[3 * n:7 * n].reshape(n, 4), y[7 * n:13 * n]
    log["work"] = y[-1]
    project(s, rank)


def record(s, kinematics, A=None):
    c, m = s.context(), s.model
    q = [c.coordinate(n) for n in m.names]
    row = [s.t] + [k.val for k in q] + [k.rate for k in q]
    if kinematics:
        row += [k.row @ A + k.bias for k in q]
    if m.outputs:
        c.A = accelerations(c)[0] if A is None else A
    return row + [float(value(f(c))) for f in m.outputs.values()]


def header(m, kinematics):
    names = ["t"] + m.names + [n + "'" for n in m.names]
    return names + ([n + "''" for n in m.names] if kinematics else []) + list(m.outputs)


def simulate(model, T, h, rows, log):
    s = assemble(model)
    out, e0 = [record(s, False)], s.context().energy()
    for k in range(rows):
        steps = max(1, math.ceil(T / rows / h - 1e-9))
        for i in range(steps):
            s.t = T * (k + i / steps) / rows
            dop853(s, T / rows / steps, log)
            c = s.context()
            log["drift"] = max(log["drift"], abs(c.energy() - e0 - log["work"]))
            log["scale"] = max(log["scale"], abs(log["work"]), 0.5 * s.V @ c.inertia()[0] @ s.V)
        s.t = T * (k + 1) / rows
        out.append(record(s, False))
    return out


def kinematics(model, T, h, rows, log):
    s = assemble(model)
    out = []
    for k in range(rows + 1):
        if k:
            steps = max(1, math.ceil(T / rows / h - 1e-9))
            for i in range(steps):
                s.move(s.V * (T / rows / steps))
                s.t = T * (k - 1 + (i + 1) / steps) / rows
                for _ in range(20):
                    con = s.context().constraints()
                    step = Split(con.row).solve(-con.val)
                    s.move(step)
                    s.remember()
                    if np.max(np.abs(step)) < 1e-14:
                        break
                V0, s.V = s.V, np.zeros(model.n)
                con = s.context().constraints()
                s.V = Split(con.row).solve(-con.rate)
        con = s.context().constraints()
        split = Split(con.row)
        log["rank"].add(split.rank)
        log["quality"] = min(log["quality"], split.quality)
        if split.N.shape[1]:
            raise SystemExit(f"{split.N.shape[1]} freedoms are not driven")
        out.append(record(s, True, split.solve(-con.bias)))
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model")
    p.add_argument("--kinematics", action="store_true")
    p.add_argument("--time", type=float, help="duration, default simulate.time")
    p.add_argument("--step", type=float, help="integration step, default 10 simulate.step")
    p.add_argument("--rows", type=int, default=20, help="rows after t = 0")
    p.add_argument("--without", action="append", default=[], help="a joint that does not hold in the time of the run")
    p.add_argument("--set", action="append", default=[], help="NAME=EXPR, as in cotree")
    p.add_argument("--check", action="store_true", help="repeat with half the step and report the difference")
    p.add_argument("-o", "--output", default="-")
    a = p.parse_args()
    model = Model(a.model, a.set, a.without)
    sim = model.data.get("simulate") or {}
    T = a.time if a.time is not None else model.number(sim.get("time", "1"))
    h = a.step if a.step is not None else 10 * model.number(sim.get("step", "1e-3"))
    run = kinematics if a.kinematics else simulate

    def once(h):
        log = {"rank": set(), "quality": 1.0, "work": 0.0, "drift": 0.0, "scale": 0.0}
        return np.array(run(model, T, h, a.rows, log)), log

    out, log = once(h)
    note = f"step {h:g}  rank {sorted(log['rank'])} of {model.n}  least pivot {log['quality']:.1e}"
    if not a.kinematics and not model.motions:
        note += f"  energy error {log['drift']:.1e} of {log['scale']:.1e}"
    if a.check:
        fine, _ = once(h / 2)
        scale = np.maximum(1.0, np.max(np.abs(fine), axis=0))
        note += f"  half step differs by {np.max(np.abs(out - fine) / scale):.1e} (relative beyond 1)"
        out = fine
    print(f"{a.model}: {note}", file=sys.stderr)
    f = sys.stdout if a.output == "-" else open(a.output, "w")
    print(",".join(header(model, a.kinematics)), file=f)
    for row in out:
        print(",".join(f"{x:.17g}" for x in row), file=f)


if __name__ == "__main__":
    main()
