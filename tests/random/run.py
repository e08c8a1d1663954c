#!/usr/bin/env python3
"""Random mechanisms, the same ones every time, through `check`, `close` and `simulate`.

  run.py --cotree PROGRAM [--first SEED] [--count N] [--keep FOLDER]

Their freedoms are those of the rank of the twists; `close` says what its steps are, and they close; the motion in closed
form is that of `partition`; energy is kept. Failures end as documented, with a message and without a crash."""
import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from families import FAMILIES  # noqa: E402

LIMIT = 300  # s, for machines that do other things, too


class Failure(Exception):
    pass


def run(program, command, path, *options):
    p = subprocess.run([program, command, path, "--json", *options], capture_output=True, text=True, timeout=LIMIT)
    if p.returncode not in (0, 3) or (p.returncode and not p.stderr) or "report" in p.stderr:
        raise Failure(f"{command} ends with {p.returncode}: {p.stderr}")
    return (json.loads(p.stdout) if p.returncode == 0 else None), p.stderr


def table(path):
    with open(path) as f:
        rows = list(csv.reader(f))
    return rows[0], [[float(x) for x in r] for r in rows[1:]]


def difference(a, b):
    """Relative to the largest of each column."""
    if a[0] != b[0] or len(a[1]) != len(b[1]):
        raise Failure("results have other columns or rows")
    worst = 0.0
    for k in range(1, len(a[0])):
        size = max(max(abs(r[k]) for r in a[1]), 1e-3)
        worst = max([worst] + [abs(x[k] - y[k]) / size for x, y in zip(a[1], b[1])])
    return worst


def start(rng, w):
    """The rate of a coordinate that can have one."""
    names = [c for c in w.rate if w.freedoms([w.rate[c]]) < w.freedoms()]
    if not names:
        return {}
    name = rng.choice(names)
    rate = rng.uniform(-1, 1) * (w.size if name in w.slides else 1) / math.sqrt(w.size)
    return {name: f"[{w.start[name]:.17g}, {rate:.6g}]"}


def simulate(program, path, folder, method, time, steps):
    result = os.path.join(folder, "result.csv")
    options = ["--time", repr(time), "--step", repr(time / steps), "--output-step", repr(time / 10), "-o", result,
               "--integrator", "rk4"]
    summary, said = run(program, "simulate", path, *options, *(["--method", method] if method else []))
    return summary, said, table(result) if summary else None


def motion(program, path, folder, w):
    """By default and with partition; what differs must be the steps' length. A motion may end where none goes on."""
    time, before = 0.1 * math.sqrt(w.size), math.inf
    for steps in (100, 400, 1600):
        runs = [simulate(program, path, folder, m, time, steps) for m in (None, "partition")]
        if not runs[1][0]:
            return
        if not runs[0][0]:
            raise Failure(f"partition goes on, but by default: {runs[0][1]}")
        for summary, _, rows in runs:
            if not summary["max_residual"] < 1e-11 * max(1, w.size ** 2):
                raise Failure(f"{summary['method']} leaves loops open by {summary['max_residual']:g}")
            if not all(math.isfinite(x) for r in rows[1] for x in r):
                raise Failure("results are not finite")
        off = max(difference(runs[0][2], runs[1][2]), *(s["energy_drift"] for s, _, _ in runs))
        if off < 1e-7:
            return
        if off > before / 10:
            raise Failure(f"motions or energies differ by {off:g} with {steps} steps, {before:g} with fewer")
        before = off


def examine(program, seed, folder):
    rng = random.Random(seed)
    w, gravity = FAMILIES[seed % len(FAMILIES)](rng, f"random {seed}")
    path = os.path.join(folder, f"random_{seed}.yaml")
    with open(path, "w") as f:
        f.write(w.text(gravity, [], start(rng, w)))
    counts, said = run(program, "check", path)
    if not counts:
        raise Failure(f"check: {said}")
    if counts["dof"] != w.freedoms():
        raise Failure(f"{counts['dof']} freedoms instead of {w.freedoms()}")
    flow, said = run(program, "close", path)
    if not flow:
        raise Failure(f"close: {said}")
    closed = flow["iterated"] == 0 and all(1 <= s["degree"] <= 4 for s in flow["steps"])
    if flow["triangular"] != closed:
        raise Failure("'triangular' and the steps do not agree")
    if not flow["residual"] < 1e-11 * max(1, w.size ** 2):
        raise Failure(f"the closure leaves {flow['residual']:g}")
    motion(program, path, folder, w)
    return f"{w.name}: bodies {len(w.pose) - 1}, freedoms {counts['dof']}, iterated {flow['iterated']}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cotree", required=True)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--count", type=int, default=18)
    p.add_argument("--keep", help="a folder that the models stay in")
    a = p.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = a.keep or temporary
        os.environ["XDG_CACHE_HOME"] = temporary
        for seed in range(a.first, a.first + a.count):
            try:
                print(examine(a.cotree, seed, folder), flush=True)
            except Failure as e:
                print(f"FAILED: seed {seed}: {e}", flush=True)
                failures += 1
    print(f"{a.count - failures} passed, {failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
