#!/usr/bin/env python3
"""Newton-Euler of every body with the reactions that cotree reports, by the oracle's own motion and forces.

Each row of a result is placed in the oracle's absolute coordinates by its joint coordinates. What bodies need for
their accelerations must be what forces, reactions, efforts and multipliers give, body by body. Where constraints are
redundant, the reported reactions must have no part along any self-stress, and the flags of `inverse` and `statics`
must say which components self-stresses change. With --implicit by every method of implicit integrators, none of which may
refuse; outputs of accelerations must be the oracle's there, and neither they nor reactions may change the motion.

  reactions.py --cotree PROGRAM [--time T] [--method NAME] [--implicit] [--tolerance E] MODEL.yaml ...
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np
import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from mechanism import Model, stack  # noqa: E402
from oracle import Split, accelerations, assemble  # noqa: E402

PARTS = ("fx", "fy", "fz", "mx", "my", "mz")
IMPLICIT = ("hybrid", "global", "semi-recursive", "recursive", "partition")


def read(path):
    with open(path) as f:
        rows = list(csv.reader(f))
    return rows[0], [[float(x) for x in r] for r in rows[1:]]


def place(s, row):
    """Moves the state to the coordinates of a row, then gives it their rates."""
    m = s.model
    s.t = row["t"]
    for _ in range(60):
        c = s.context()
        s.last = {n: row[n] for n in m.names}
        con = c.constraints()
        want = stack([c.coordinate(n) - row[n] for n in m.names], m.n)
        J = np.vstack([con.row, want.row])
        step = -np.linalg.lstsq(J, np.concatenate([con.val, want.val]), rcond=1e-10)[0]
        s.move(step * min(1.0, 0.5 / max(1e-300, np.max(np.abs(step)))))
        if np.max(np.abs(step), initial=0) < 1e-14:
            break
    s.last = {n: row[n] for n in m.names}
    s.V = np.zeros(m.n)
    c = s.context()
    con = c.constraints()
    q = stack([c.coordinate(n) for n in m.names], m.n)
    b = np.concatenate([-con.rate, np.array([row[n + "'"] for n in m.names]) - q.rate])
    s.V = np.linalg.lstsq(np.vstack([con.row, q.row]), b, rcond=1e-10)[0]
    s.V = s.V + Split(s.context().constraints().row).solve(-s.context().constraints().rate)


def shift(wrench, by):
    """A wrench (force, moment) about a point that lies `by` further."""
    return np.concatenate([wrench[:3], wrench[3:] - np.cross(by, wrench[:3])])


def given(c, row):
    """Generalised forces on all bodies of what the row reports, and the largest force there."""
    m, Q, largest = c.model, np.zeros(c.model.n), 0.0
    for j in m.joints:
        if j.virtual:
            continue
        w = np.array([row[f"{j.name}.{p}"] for p in PARTS])
        at = c.point(j.B, j.pB).val
        largest = max(largest, np.linalg.norm(w[:3]))
        for body, sign in ((j.B, 1.0), (j.A, -1.0)):
            if body >= 0:
                Q[6 * body:6 * body + 6] += sign * shift(w, c.pos[body] - at)
    for n, f in m.equations:
        Q += row[f"{n}.lambda"] * f(c).row
    for n, target, _ in m.motions:
        Q += row[f"{n}.effort"] * target(c).row
    return Q, largest


def self_stresses(c):
    """Columns (joint components, then multipliers) of every self-stress of the constraints."""
    m = c.model
    rows, owner = [], []
    for j in m.joints:
        for r in j.constraints(c):
            rows.append(r)
            owner.append(j)
    rows += [f(c) for _, f in m.equations] + [a(c) - b(c) for _, a, b in m.motions]
    J = stack(rows, m.n).row
    if not rows:
        return {}, np.zeros((0, 0))
    U, S, _ = np.linalg.svd(J)
    rank = int(np.sum(S > 1e-9 * S[0]))
    real = [j for j in m.joints if not j.virtual]
    names = [f"{j.name}.{p}" for j in real for p in PARTS] + [f"{n}.lambda" for n, _ in m.equations]
    at = {n: i for i, n in enumerate(names)}
    Y = np.zeros((len(names), U.shape[1] - rank))
    for k in range(Y.shape[1]):
        lam = U[:, rank + k]
        for i, j in enumerate(owner):
            if j.virtual:
                continue
            body, sign = (j.B, 1.0) if j.B >= 0 else (j.A, -1.0)
            w = sign * lam[i] * J[i, 6 * body:6 * body + 6]
            w = shift(w, c.point(j.B, j.pB).val - c.pos[body])
            for p in range(6):
                Y[at[f"{j.name}.{PARTS[p]}"], k] += w[p]
        for i, (n, _) in enumerate(m.equations):
            Y[at[f"{n}.lambda"], k] = lam[len(owner) + i]
    return at, Y


def options_of(method, args):
    return ["--time", str(args.time)] + (["--step", str(args.step)] if args.step else []) + \
        (["--method", method] if method else []) + (["--integrator", "trapezoid"] if args.implicit else [])


def with_accelerations(path, folder):
    """A copy of the model with an output for the acceleration of each coordinate alone."""
    with open(path) as f:
        model = yaml.load(f, yaml.BaseLoader)
    model["outputs"] = {f"acc {i}": f"`{n}`''" for i, n in enumerate(Model(path).names)}
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "w") as f:
        yaml.safe_dump(model, f, sort_keys=False, width=100000)
    return copy


def run(command, may_refuse):
    """The table that a run writes, or why it is refused."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 3 and may_refuse:
        return None, f"refused: {done.stderr.strip().splitlines()[-1]}"
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return read(command[command.index("-o") + 1])


def off_in_accelerations(c, A, row):
    """How far outputs are from the oracle's accelerations, of the largest."""
    names = c.model.names
    kin = stack([c.coordinate(n) for n in names], c.model.n)
    want = kin.row @ A + kin.bias
    found = np.array([row[f"acc {i}"] for i in range(len(names))])
    return np.max(np.abs(found - want), initial=0.0) / max(np.max(np.abs(want), initial=0.0), 1.0)


def check(program, path, method, args, folder):
    out = os.path.join(folder, "run.csv")
    model = Model(path)
    driven = args.command == "kinematics"
    by = f"{path}, {method or 'by default'}"
    copy = with_accelerations(path, folder) if args.implicit else path
    command = [program, args.command, copy, "-o", out, "-q"] + options_of(method, args)
    names, rows = run(command + ["--reactions"], not args.implicit)
    if not names:
        return rows
    if args.implicit:
        alone, others = run(command, False)
        if names[:len(alone)] != alone or [r[:len(alone)] for r in rows] != others:
            raise SystemExit(f"{by}: another motion without reactions")
    s, worst, worst_stress, worst_a, count = assemble(model), 0.0, 0.0, 0.0, 0
    for r in rows[::max(1, (len(rows) - 1) // args.rows)]:
        row = dict(zip(names, r))
        place(s, row)
        c = s.context()
        M, f = c.inertia()
        if driven:
            con = c.constraints()
            A, Q = Split(con.row).solve(-con.bias), c.applied()
        else:
            A, Q = accelerations(c)
        if args.implicit:
            worst_a = max(worst_a, off_in_accelerations(c, A, row))
        got, force = given(c, row)
        need = M @ A - f - Q
        size = max(np.max(np.abs(need.reshape(-1, 6)[:, :3]), initial=0.0), force,
                   np.max(np.abs(f.reshape(-1, 6)[:, :3]), initial=0.0), 1e-300)
        length = max([1e-9] + [np.linalg.norm(c.pos[j.B] - c.point(j.B, j.pB).val) for j in model.joints if j.B >= 0])
        off = np.abs(need - got).reshape(-1, 6)
        worst = max(worst, np.max(off[:, :3], initial=0.0) / size, np.max(off[:, 3:], initial=0.0) / size / length)
        at, Y = self_stresses(c)
        count = max(count, Y.shape[1])
        if Y.shape[1]:
            y = np.array([row[n] for n in at])
            worst_stress = max(worst_stress, np.max(np.abs(y @ Y)) / max(np.linalg.norm(y), 1e-300))
    if worst > args.tolerance or worst_stress > 1e-7:
        raise SystemExit(f"{by}: balance off by {worst:.2g}, along a self-stress {worst_stress:.2g}")
    if worst_a > args.tolerance:
        raise SystemExit(f"{by}: accelerations off by {worst_a:.2g}")
    return f"balance {worst:.1e}, {count} self-stresses {worst_stress:.1e}" + \
        (f", accelerations {worst_a:.1e}" if args.implicit else "")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cotree", required=True)
    p.add_argument("--command", default="simulate")
    p.add_argument("--time", type=float, default=0.2)
    p.add_argument("--step", type=float)
    p.add_argument("--rows", type=int, default=3)
    p.add_argument("--method", action="append", help="several: one after the other")
    p.add_argument("--implicit", action="store_true", help="every method of implicit integrators, by the trapezoidal rule")
    p.add_argument("--tolerance", type=float, default=1e-9)
    p.add_argument("models", nargs="+")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for path in args.models:
            for method in IMPLICIT if args.implicit else args.method or [None]:
                said = check(args.cotree, path, method, args, folder)
                print(f"{os.path.basename(path)}{', ' + method if method else ''}: {said}", flush=True)


if __name__ == "__main__":
    main()
