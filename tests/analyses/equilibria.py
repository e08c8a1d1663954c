#!/usr/bin/env python3
"""Positions of rest, against programs that share nothing with the search for them.

  equilibria.py --cotree COTREE [--count N] [--seed N] [--keep FOLDER]

- a hanging chain of rigid links against the equations of its own: tensions along the chain,
- an arch that snaps through: both stable positions, the unstable one, and the fold,
- random springs, bushings, stops and contacts on random mechanisms: the oracle of tests/oracle, in absolute coordinates,
  must find them in balance and with the same frequencies, its stiffness being a difference quotient; a run from there
  stays; the same mechanism turned, in other units, renamed and in another order rests in the same place.
- mass properties against sums over the oracle's bodies.
"""
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
from scipy.linalg import eig, null_space
from scipy.optimize import brentq, fsolve

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "soak"), os.path.join(HERE, "..", "oracle")]
from draft import Quantity, Text, yaml  # noqa: E402
from dress import coordinates, held  # noqa: E402
from families import choose, spot  # noqa: E402
from geometry import direction, rotation  # noqa: E402
from mechanism import Model  # noqa: E402
from oracle import assemble  # noqa: E402
import expression  # noqa: E402

UNIT = (1.0, 1.0, 1.0)
STEP = 1e-5        # rad or m, of difference quotients
SAME = 1e-7        # of coordinates: the same place
FREQUENCY = 2e-5   # of the largest frequency: what difference quotients of second order leave
BALANCED = 1e-8    # of the load


class Wrong(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Wrong(text)


class Program:
    def __init__(self, cotree, folder):
        self.cotree, self.folder = cotree, folder

    def run(self, command, model, *options):
        path = os.path.join(self.folder, "model.yaml")
        with open(path, "w") as file:
            file.write(model)
        done = subprocess.run([self.cotree, command, path, "--json", "--quiet", *options], capture_output=True, text=True)
        return done.returncode, json.loads(done.stdout) if done.stdout.strip() else None, done.stderr

    def rest(self, model, *options):
        code, found, said = self.run("equilibrium", model, *options)
        check(code == 0, f"exit code {code}: {said}")
        return found


# closed forms -------------------------------------------------------------------------------------
def chain(n, span, drop, mass, length, g=9.81):
    """A model of n links between two pins, started as an arc; the angles to the horizontal by its own equations: link i
    carries the horizontal force H and V less the weight of the links before it."""
    bodies = "".join(f"  l{i}: {{mass: {mass[i]}, inertia: 1e-3, com: [{length[i] / 2}, 0, 0]}}\n" for i in range(n))
    joints = "  j0: {type: revolute, between: [ground, l0], axis: z}\n"
    joints += "".join(f"  j{i + 1}: {{type: revolute, between: [l{i}, l{i + 1}], at: [[{length[i]}, 0, 0], [0, 0, 0]], axis: z}}\n"
                      for i in range(n - 1))
    joints += f"  j{n}: {{type: revolute, between: [l{n - 1}, ground], at: [[{length[-1]}, 0, 0], [{span}, {-drop}, 0]], axis: z}}\n"
    arc = [1.3 * (2 * i / (n - 1) - 1) for i in range(n)]
    guess = ", ".join([f"j0: {arc[0]}"] + [f"j{i}: {arc[i] - arc[i - 1]}" for i in range(1, n)])
    model = f"cotree: 1\ngravity: [0, -{g}, 0]\nbodies:\n{bodies}joints:\n{joints}guess: {{{guess}}}\n"
    weight = np.array(mass) * g
    before = np.concatenate([[0], np.cumsum(weight)[:-1]])

    def angles(x):
        return np.arctan2(before + weight / 2 - x[1], x[0])

    def open_by(x):
        a = angles(x)
        return [np.sum(length * np.cos(a)) - span, np.sum(length * np.sin(a)) + drop]
    total = np.sum(weight)
    for share in (0.2, 0.1, 0.4, 0.8):
        x = fsolve(open_by, [share * total, total / 2], xtol=1e-14)
        if np.max(np.abs(open_by(x))) < 1e-12 and x[0] > 0:
            return model, angles(x)
    raise Wrong("the chain's own equations have no solution")


def catenary(program):
    rng = np.random.default_rng(4)
    for n in (3, 8, 24):
        length = rng.uniform(0.6, 1.4, n) / n
        mass = rng.uniform(0.5, 2, n)
        model, right = chain(n, 0.7 * np.sum(length), 0.1 * np.sum(length), mass, length)
        found = program.rest(model)
        q = np.cumsum([found["coordinates"][f"j{i}"] for i in range(n)])
        off = np.max(np.abs((q - right + math.pi) % (2 * math.pi) - math.pi))
        check(off < 1e-9, f"chain of {n} links: {off:g} rad off")
        check(found["stability"] == "stable" and len(found["independent"]) == n - 2, f"chain of {n}: {found['stability']}")
        check(found["imbalance"] < 1e-9 and found["residual"] < 1e-11, "chain: not in balance")


ARCH = """cotree: 1
gravity: [0, -9.81, 0]
parameters: {{m: {m}, k: 4000, L: 1}}
bodies:
  foot: {{mass: 0}}
  bar: {{mass: 0, points: {{top: [L, 0, 0]}}}}
  weight: {{mass: m}}
joints:
  x: {{type: prismatic, between: [ground, foot], axis: x}}
  tilt: {{type: revolute, between: [foot, bar], axis: z}}
  top: {{type: revolute, between: [bar, weight], at: [top, [0, 0, 0]], axis: z}}
  y: {{type: prismatic, between: [ground, weight], axis: y}}
forces:
  side: {{type: torsion, joint: x, stiffness: k, angle: -0.95*L}}
initial: {{tilt: {tilt}}}
"""


def arch(program):
    """V = k (0.95 - cos a)^2 / 2 + m g sin a: a bar between a sprung foot and a weight that falls."""
    def slope(a, m):
        return 4000 * (0.95 - math.cos(a)) * math.sin(a) + 9.81 * m * math.cos(a)

    def curvature(a, m):
        return 4000 * (0.95 * math.cos(a) - math.cos(2 * a)) - 9.81 * m * math.sin(a)

    def roots(m):
        grid = np.linspace(-1.5, 1.5, 3001)
        return [brentq(slope, a, b, (m,), xtol=1e-15) for a, b in zip(grid, grid[1:]) if slope(a, m) * slope(b, m) < 0]
    light = roots(2.0)
    check(len(light) == 3, "the arch has three positions")
    for start, options, right, stable in ((0.5, (), light[2], True), (-0.5, (), light[0], True),
                                          (light[1] + 0.01, (), light[2], True), (light[1] - 0.01, (), light[0], True),
                                          (0.02, ("--nearest",), light[1], False)):
        found = program.rest(ARCH.format(m=2.0, tilt=start), *options)
        a = found["coordinates"]["tilt"]
        check(abs(a - right) < 1e-10, f"arch from {start}: {a} instead of {right}")
        check(found["stability"] == ("stable" if stable else "unstable"), f"arch from {start}: {found['stability']}")
        K = found["stiffness"][0][0]
        if found["independent"] == ["tilt"]:
            check(abs(K - curvature(a, 2.0)) < 1e-7 * 4000, f"arch: stiffness {K}")
        f = found["frequencies"][0]
        w2 = curvature(a, 2.0) / (2.0 * math.cos(a) ** 2)
        check(f is None if w2 < 0 else abs(f - math.sqrt(w2) / (2 * math.pi)) < 1e-8 * f, f"arch: frequency {f}")
    # heavier: two of the positions have met and gone, so that it snaps through
    heavy = roots(8.0)
    check(len(heavy) == 1, "the heavy arch has one position")
    found = program.rest(ARCH.format(m=8.0, tilt=0.3))
    check(abs(found["coordinates"]["tilt"] - heavy[0]) < 1e-10, "the arch does not snap through")


# random mechanisms --------------------------------------------------------------------------------
def dressed(rng, w):
    """Springs and their like without time; damping so that runs settle."""
    bodies = [b for b in w.bodies if b != "ground"]
    w.gravity = rng.choice([0.0, 2.0, 10.0]) * direction(rng)
    for i, b in enumerate(bodies):
        other = rng.choice([x for x in w.bodies if x != b])
        p = w.bodies[b].p + 0.3 * spot(rng)
        q = p + rng.uniform(0.5, 1.5) * direction(rng)
        kind = rng.choice(["spring", "spring", "spring", "law", "bushing", "contact", "none"])
        if kind == "none" and i:
            continue
        k, c = Quantity(rng.uniform(5, 50), 0, 1, -2), Quantity(rng.uniform(0.5, 2), 0, 1, -1)
        if kind == "bushing":
            f = {"type": kind, "between": [w.point(other, p), w.point(b, p)], "stiffness": [k, k, k], "damping": [c, c, c]}
        elif kind == "contact":
            near = p + rng.uniform(0.3, 0.8) * direction(rng)
            f = {"type": kind, "between": [w.point(other, near), w.point(b, p)], "radius": [Quantity(0.5, 1), Quantity(0.4, 1)],
                 "exponent": Text("3"), "stiffness": Quantity(rng.uniform(20, 90), -2, 1, -2), "damping": c}
        else:
            f = {"type": "spring", "between": [w.point(b, p), w.point(other, q)], "length": Quantity(rng.uniform(0.1, 0.6), 1),
                 "damping": c}
            if kind == "law":
                f["force"] = Text("{0}*extension + {1}*extension^3", k, Quantity(rng.uniform(0, 30), -2, 1, -2))
            else:
                f["stiffness"] = k
        w.forces[f"f{i + 1}"] = f
    for i, (j, k) in enumerate(coordinates(w)):
        if rng.random() < 0.5:
            d = 0 if j.dimensions[k] else 2
            w.forces[f"g{i + 1}"] = {"type": "torsion", "joint": j.names[k], "stiffness": Quantity(rng.uniform(1, 9), d, 1, -2),
                                     "damping": Quantity(rng.uniform(0.1, 0.5), d, 1, -1),
                                     "angle": Quantity(j.q[k] + rng.uniform(-0.5, 0.5), j.dimensions[k])}
    w.guess = {n: Quantity(v, d) for j in w.joints for n, v, d in zip(j.names, j.q, j.dimensions)}


def other_names(text):
    return re.sub(r"\b([bjpfg])(\d+)\b", lambda m: f"{m[1]}{(int(m[2]) * 37) % 101}x", text)


class Oracle:
    """The mechanism at the place that was found, in absolute coordinates."""

    def __init__(self, data, found):
        expression.CACHE.clear()
        data = dict(data, guess={n: repr(v) for n, v in found["coordinates"].items()})
        data.pop("initial", None)
        self.state = assemble(Model(data))
        self.state.V = np.zeros(self.state.model.n)
        c = self.state.context()
        self.J = c.constraints().row
        self.N = null_space(self.J, rcond=1e-9) if len(self.J) else np.eye(self.state.model.n)
        self.Q = self.loads()
        self.load = np.max(np.abs(self.Q), initial=0)
        self.M = c.inertia()[0]
        self.far = max(abs((c.coordinate(n).val - v + math.pi) % (2 * math.pi) - math.pi) for n, v in found["coordinates"].items())

    def loads(self):
        c = self.state.context()
        return c.applied() + c.inertia()[1]

    def rest_of(self, d, multipliers):
        """Q - J^T lambda at a displacement d along the joints."""
        s = self.state
        kept = s.pos.copy(), s.quat.copy(), dict(s.last)
        s.move(d)
        for _ in range(4 if len(self.J) else 0):
            con = s.context().constraints()
            s.move(-np.linalg.lstsq(con.row, con.val, rcond=1e-9)[0])
        s.remember()
        rest = self.loads() - s.context().constraints().row.T @ multipliers
        s.pos, s.quat, s.last = kept
        return rest

    def frequencies(self):
        multipliers = np.linalg.lstsq(self.J.T, self.Q, rcond=1e-12)[0] if len(self.J) else np.zeros(0)
        K = np.array([-(self.rest_of(STEP * d, multipliers) - self.rest_of(-STEP * d, multipliers)) / (2 * STEP)
                      for d in self.N.T]).reshape(-1, len(self.Q)) @ self.N
        values = eig(K, self.N.T @ self.M @ self.N, right=False)
        return np.sort(values[np.isfinite(values)].real)

    def check_mass(self, found):
        """Sums over the bodies."""
        s, m = self.state, self.state.model
        total = sum(b.mass for b in m.bodies)
        com = sum(b.mass * s.pos[b.index] for b in m.bodies) / total
        I = np.zeros((3, 3))
        c = s.context()
        for b in m.bodies:
            d, R = s.pos[b.index] - com, c.R[b.index]
            I += R @ b.J @ R.T + b.mass * ((d @ d) * np.eye(3) - np.outer(d, d))
        right = [I[0, 0], I[1, 1], I[2, 2], -I[0, 1], -I[0, 2], -I[1, 2]]
        check(abs(found["mass"] - total) < 1e-12 * total, "mass")
        check(np.max(np.abs(com - found["com"])) < 1e-8, f"centre of mass {found['com']}, not {com}")
        check(np.max(np.abs(np.array(right) - found["inertia"])) < 1e-7 * max(right), f"inertia {found['inertia']}, not {right}")


def compare(found, other, what, length=1.0, energy=1.0, time=1.0):
    """Invariants of two runs of the same mechanism."""
    f, g = ([x or 0.0 for x in e["frequencies"]] for e in (found, other))
    check(len(f) == len(g) and np.max(np.abs(np.array(f) - np.array(g) * time), initial=0) < 1e-6 * max(f + [1e-300]),
          f"{what}: frequencies {f} and {g}")
    check(abs(found["potential"] - other["potential"] / energy) < 1e-7 * max(1.0, abs(found["potential"])),
          f"{what}: potential {found['potential']} and {other['potential'] / energy}")


def draw(rng):
    while True:
        try:
            w = choose(rng, rng.random() < 0.4, {"tree", "web", "loop", "plane", "platform", "suspension", "parallel_cranks", "bennett"})
        except Exception as e:  # a draft that does not come together is drawn again
            if type(e).__name__ != "Unfit":
                continue
        if len(w.bodies) > 7 or w.freedoms() < 1 or any(b != "ground" and not held(w, b) for b in w.bodies):
            continue
        dressed(rng, w)
        return w


def random_case(program, seed, twins, verdicts):
    rng = random.Random(seed)
    w = draw(rng)
    data = w.model(UNIT)
    text = yaml(data)
    code, found, said = program.run("equilibrium", text)
    if code == 3:  # no springs in a direction, or a singular position on the way: it must say so
        check("no equilibrium found" in said or "singular" in said or "close" in said, f"seed {seed}: {said}")
        verdicts["refused"] += 1
        return
    check(code == 0, f"seed {seed}: exit code {code}: {said}")
    verdicts[found["stability"]] += 1
    oracle = Oracle(data, found)
    check(oracle.far < SAME, f"seed {seed}: the oracle stands elsewhere, by {oracle.far:g}")
    left = np.max(np.abs(oracle.N.T @ oracle.Q), initial=0)
    check(left < BALANCED * max(1.0, oracle.load), f"seed {seed}: the oracle has {left:g} left of {oracle.load:g}")
    check(oracle.N.shape[1] == len(found["independent"]), f"seed {seed}: freedoms {oracle.N.shape[1]}")
    values = oracle.frequencies()
    squares = np.array([(2 * math.pi * f) ** 2 if f is not None else -1.0 for f in found["frequencies"]])
    check(len(values) == len(squares), f"seed {seed}: {len(values)} frequencies, not {len(squares)}")
    off = [abs(a - b) for a, b in zip(values, squares) if b >= 0]
    check(max(off, default=0) < FREQUENCY * max(1.0, max(abs(values))), f"seed {seed}: squares {values} and {squares}")
    check(found["stability"] != "stable" or min(values, default=1) > -1e-4 * max(values), f"seed {seed}: not stable: {values}")
    # mass properties there
    at = yaml(dict(data, guess={n: repr(v) for n, v in found["coordinates"].items()}))
    code, mass, said = program.run("mass", at)
    check(code == 0, f"seed {seed}: mass: {said}")
    oracle.check_mass(mass)
    if twins:
        stays(program, seed, text, found)
        others(program, seed, rng, w, text, found)


def stays(program, seed, text, found):
    path = os.path.join(program.folder, "run.csv")
    code, _, said = program.run("simulate", text, "--equilibrium", "--time", "0.5", "--step", "0.01", "-o", path)
    check(code == 0, f"seed {seed}: simulate --equilibrium: {said}")
    with open(path) as file:
        names = file.readline().strip().split(",")
        rows = np.array([[float(x) for x in line.split(",")] for line in file])
    for n, v in found["coordinates"].items():
        moved = np.max(np.abs(rows[:, names.index(n)] - rows[0, names.index(n)]))
        off = abs((rows[0, names.index(n)] - v + math.pi) % (2 * math.pi) - math.pi)
        check(off < 1e-9, f"seed {seed}: '{n}' starts {off:g} from the equilibrium")
        check(moved < 1e-6, f"seed {seed}: '{n}' leaves the equilibrium by {moved:g}")
    check(np.max(np.abs(rows[0, 1 + len(found['coordinates']):1 + 2 * len(found['coordinates'])])) == 0, f"seed {seed}: not at rest")


def others(program, seed, rng, w, text, found):
    compare(found, program.rest(other_names(text)), f"seed {seed}, renamed")
    compare(found, program.rest(yaml(w.model(UNIT, random.Random(seed)))), f"seed {seed}, in another order")
    there = dict(w.model(UNIT), guess={n: repr(v) for n, v in found["coordinates"].items()})
    compare(found, program.rest(yaml(there), "--rule", "absolute"), f"seed {seed}, from there in absolute coordinates")
    units = (10 ** rng.uniform(-3, 3), 10 ** rng.uniform(-2, 2), 10 ** rng.uniform(-1, 1))
    compare(found, program.rest(yaml(w.model(units))), f"seed {seed}, in other units",
            energy=units[0] ** 2 * units[1] / units[2] ** 2, time=units[2])
    w.turned(rotation(rng))
    compare(found, program.rest(yaml(w.model(UNIT))), f"seed {seed}, turned")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cotree", required=True)
    p.add_argument("--count", type=int, default=24)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--twins", type=int, default=4, help="one in so many runs, and rests in other forms")
    a = p.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(a.cotree, folder)
        verdicts = dict.fromkeys(("stable", "neutral", "unstable", "refused"), 0)
        jobs = [catenary, arch] + [lambda program, s=s: random_case(program, s, s % a.twins == 0, verdicts)
                                   for s in range(a.seed, a.seed + a.count)]
        for job in jobs:
            try:
                job(program)
            except Wrong as e:
                failed += 1
                print(e)
    print(f"{len(jobs)} checks, {failed} failed; " + ", ".join(f"{n} {k}" for k, n in verdicts.items()))
    sys.exit(1 if failed or verdicts["stable"] < a.count / 2 else 0)


if __name__ == "__main__":
    main()
