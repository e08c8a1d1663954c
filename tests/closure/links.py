#!/usr/bin/env python3
"""Bodies on links alone close in closed form, however they are written.

  links.py --cotree PROGRAM [--seed N] [--count N] [--keep FOLDER]

A body hangs on links whose ends share points: 3+2 are three in one point and two in another. Its place against ground, or against
a table on a hinge, or against another body on links, is random; so are the names, the sequence of joints, which body a link names
first, and whether its ends are points by name or pairs of numbers; the whole mechanism is turned in space and in random units.
Links may be rods with a ball at either end. A virtual joint may start the body with a rate. Required:
  close      nothing is iterated, square roots at most; residual to rounding; the names of the independent coordinates, given
             again, lead to the same closure; the other spelling of the mechanism closes alike
  simulate   triangular and partition, both to 1e-12, have the same columns and agree; the residual stays at rounding"""
import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

# body on a base, second body on the first; what the base is; whether links are rods
CASES = [("3+2", "", "ground", False), ("3+1+1", "", "ground", False), ("2+2+1", "", "ground", False),
         ("2+1+1", "", "ground", False), ("2+2", "", "ground", False), ("3+1", "", "ground", False),
         ("3+2", "", "table", False), ("2+2+1", "", "table", False), ("3+1+1", "", "ground", True),
         ("3+2+1", "2+2+1", "ground", False), ("2+2+1", "3+2", "ground", False), ("2+1", "", "ground", False)]
QUICK = [2, 5, 6, 8, 10, 15]  # of these: pairs, bodies that turn, a table, rods, two bodies, an initial rate
UNITS = [1e-3, 1.0, 1e3]  # lengths of the model; time in seconds, so that gravity is scaled too
CLOSED = 1e-12            # residual, of the units of its rows
AGREE = 1e-8              # of the mechanism's size


def rotation(rnd):
    """A random rotation, from a unit quaternion."""
    w, x, y, z = (rnd.gauss(0, 1) for _ in range(4))
    n = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


class Mechanism:
    """Points in unit size and in the frame of gravity; text in any frame and units."""

    def __init__(self, rnd, case):
        self.links, self.bodies, self.rods = [], {"plate": (0, 0, -1)}, case[3]
        self.base, self.rnd = case[2], rnd
        self.hang(case[0], self.base, "plate", 0.0)
        if case[1]:
            self.bodies["disc"] = (0.05, 0.03, -2)
            self.hang(case[1], "plate", "disc", -1.0)

    def hang(self, pattern, base, body, height):
        counts, rnd = [int(c) for c in pattern.split("+")], self.rnd
        for k, links in enumerate(counts):
            a = 2 * math.pi * k / max(3, len(counts))
            end = [0.4 * math.cos(a) + rnd.uniform(-0.1, 0.1), 0.4 * math.sin(a) + rnd.uniform(-0.1, 0.1),
                   height - 1 + rnd.uniform(-0.1, 0.1)]
            for j in range(links):  # around the point, so that no three links are nearly in one plane
                b = a + 2 * math.pi * (j + rnd.uniform(-0.15, 0.15)) / max(3, links)
                far = [end[0] + 0.5 * math.cos(b), end[1] + 0.5 * math.sin(b), height + rnd.uniform(-0.1, 0.2)]
                self.links.append((base, body, far, end))

    def text(self, rnd, turn, unit, shuffled, initial):
        def seen(v):
            return [unit * sum(turn[i][k] * v[k] for k in range(3)) for i in range(3)]

        def numbers(v):
            return "[%s]" % ", ".join("%.15g" % x for x in v)

        def point(v):
            if not shuffled or rnd.random() < 0.5:
                return numbers(seen(v))
            key = tuple(v)
            names.setdefault(key, "P%d" % len(names))
            return names[key]

        names, bodies, joints = {}, [], []
        for name, centre in self.bodies.items():
            inertia = [x * unit * unit for x in (0.2, 0.25, 0.3)]
            bodies.append("  %s: {mass: 2, inertia: %s, com: %s}" % (name, numbers(inertia), numbers(seen(centre))))
        if self.base == "table":
            bodies.append("  table: {mass: 3, inertia: %s}" % numbers([x * unit * unit for x in (0.5, 0.6, 0.7)]))
            axis = [sum(turn[i][k] * (0.6, 0.8, 0)[k] for k in range(3)) for i in range(3)]
            joints.append("  tilt: {type: revolute, between: [ground, table], axis: %s}" % numbers(axis))
        for i, (base, body, far, end) in enumerate(self.links):
            name = "%s%d" % ("bar" if shuffled else "l", 7 * i % 11 if shuffled else i)
            ends = [(base, point(far)), (body, point(end))]
            flip = shuffled and rnd.random() < 0.5
            (a, p), (b, q) = reversed(ends) if flip else ends
            if not self.rods:
                joints.append("  %s: {type: link, between: [%s, %s], at: [%s, %s]}" % (name, a, b, p, q))
                continue
            middle = [(x + y) / 2 for x, y in zip(far, end)]
            inertia = numbers([0.01 * unit * unit] * 3)
            bodies.append("  rod%d: {mass: 0.2, inertia: %s, com: %s}" % (i, inertia, numbers(seen(middle))))
            joints.append("  %s: {type: spherical, between: [%s, rod%d], at: %s}" % (name, a, i, p))
            joints.append("  far%d: {type: spherical, between: [rod%d, %s], at: %s}" % (i, i, b, q))
        if initial:
            joints.append("  pose: {type: free, between: [ground, plate], virtual: true}")
        if shuffled:
            rnd.shuffle(bodies)
            rnd.shuffle(joints)
        lines = ["cotree: 1", "name: %s" % "links", "gravity: %s" % numbers([9.81 * x for x in seen((0, 0, -1))])]
        if names:
            lines += ["points:"] + ["  %s: %s" % (name, numbers(seen(v))) for v, name in names.items()]
        lines += ["bodies:"] + bodies + ["joints:"] + joints
        if initial:
            lines.append("initial: {pose.%s: [0, 0.3]}" % "123"[rnd.randrange(3)])
        return "\n".join(lines + ["simulate: {time: 0.2, step: 0.01}", ""])


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def close(program, model, *arguments):
    done = run(program, "close", model, "--json", *arguments)
    if done.returncode:
        raise AssertionError("close: " + done.stderr)
    found = json.loads(done.stdout)
    if not found["triangular"] or found["iterated"] or any(step["degree"] > 2 for step in found["steps"]):
        raise AssertionError("no closed form: %s" % found["steps"])
    if not found["residual"] < CLOSED:
        raise AssertionError("residual %g" % found["residual"])
    return found


def simulate(program, model, method, unit, folder):
    out = os.path.join(folder, method + ".csv")
    done = run(program, "simulate", model, "-o", out, "--method", method, "--integrator", "cvode", "--rtol", "1e-12",
               "--atol", "1e-12")
    with open(out, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    limit = done.returncode == 3 and "limit position" in done.stderr
    if done.returncode and not limit:
        raise AssertionError("simulate --method %s: %s" % (method, done.stderr))
    residual = [float(line.split("loops")[1].split(",")[0]) for line in (done.stdout + done.stderr).splitlines()
                if "residual of the loops" in line]
    if residual and not residual[0] < CLOSED * max(1, unit * unit):  # rows of links are squares of lengths
        raise AssertionError("residual of the run %g" % residual[0])
    return rows


def compare(one, other, unit):
    if one[0] != other[0]:
        raise AssertionError("other columns: %s" % set(one[0]).symmetric_difference(other[0]))
    for a, b in zip(one[1:], other[1:]):
        for name, x, y in zip(one[0], a, b):
            x, y = float(x), float(y)
            angle = name.rstrip("'").split(".")[-1] in ("1", "2", "3") or name.startswith("tilt")
            gap = math.remainder(x - y, 2 * math.pi) if angle and "'" not in name else x - y
            if not abs(gap) < AGREE * (max(1, abs(x)) if angle else unit):
                raise AssertionError("t = %s: %s is %.15g, %.15g" % (a[0], name, x, y))


def check(program, seed, folder):
    rnd, case = random.Random(seed), CASES[seed % len(CASES)]
    mechanism, unit = Mechanism(rnd, case), rnd.choice(UNITS)
    initial = not case[1] and not case[3] and case[0] != "2+1" and seed // len(CASES) % 2 == 1
    plain, other = os.path.join(folder, "plain.yaml"), os.path.join(folder, "other.yaml")
    straight = [[float(i == k) for k in range(3)] for i in range(3)]
    for path, turn, size, shuffled in ((plain, straight, 1.0, False), (other, rotation(rnd), unit, True)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(mechanism.text(rnd, turn, size, shuffled, initial))
    first, second = close(program, plain), close(program, other)
    if len(first["steps"]) != len(second["steps"]):
        raise AssertionError("spelled anew: %d steps, %d steps" % (len(first["steps"]), len(second["steps"])))
    if any(name.count(".") == 2 or name.startswith("l") for name in first["independent"]):
        again = close(program, plain, "--independent", ",".join(first["independent"]))
        if again["independent"] != first["independent"] or again["operations"] != first["operations"]:
            raise AssertionError("given again: %s, %s" % (first["independent"], again["independent"]))
    compare(simulate(program, other, "triangular", unit, folder), simulate(program, other, "partition", unit, folder), unit)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, help="seeds from there on; default: a few, with COTREE_SOAK four of each case")
    parser.add_argument("--keep", help="folder for models that fail")
    a = parser.parse_args()
    count = a.count or (4 * len(CASES) if os.environ.get("COTREE_SOAK") else 0)
    seeds, failed = range(a.seed, a.seed + count) if count else QUICK, 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as scratch:
            folder = scratch
            if a.keep:
                folder = os.path.join(a.keep, str(seed))
                os.makedirs(folder, exist_ok=True)
            try:
                check(a.cotree, seed, folder)
            except AssertionError as error:
                failed += 1
                print("seed %d, %s: %s" % (seed, CASES[seed % len(CASES)], error))
    print("%d of %d mechanisms on links close and move alike" % (len(seeds) - failed, len(seeds)))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
