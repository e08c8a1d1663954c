#!/usr/bin/env python3
"""Real assemblies of random mechanisms: none that Newton's iteration finds from many starts may be
missing among those of `cotree configurations`, and all of those must close, to 1e-12 of the size.

  run.py --cotree build/cotree --planar 200 --spatial 50 --seed 1
  run.py --cotree build/cotree --family "3-RPS" --seed 7 --planar 0 --spatial 1 --keep folder
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np

from families import GRAPHS, SPATIAL, planar
from solver import State, residuals, solve

CLOSED = 1e-12    # of the size: residual of an assembly
SAME = 1e-6       # of the size, or radians: two positions that are one
SINGULAR = 1e-6   # smallest singular value: positions that are only located to its square root


def assemblies(cotree, path, seconds):
    run = subprocess.run([cotree, "configurations", path, "--json", "--limit-time", str(seconds)],
                         capture_output=True, text=True)
    return (json.loads(run.stdout), "") if run.returncode == 0 else (None, run.stderr.strip())


def distinct(mechanism, found):
    """Positions without those that are there already."""
    kept = []
    for n in range(len(found.p)):
        one = State(found.p[n:n + 1], found.R[n:n + 1])
        if all(mechanism.difference(one, other) > SAME for other in kept):
            kept.append(one)
    return kept


def regularity(mechanism, at):
    """Smallest singular value of the equations; 0 where some move is open."""
    _, j = residuals(mechanism.joints, at)
    return np.linalg.svd(j[0], compute_uv=False)[-1]


def check(mechanism, answer, random, starts):
    """Faults, as texts, and how many real assemblies both sides have found."""
    faults, placed = [], []
    scale = max(mechanism.size, 1)
    for n, s in enumerate(s for s in answer["solutions"] if s["real"]):
        at = mechanism.place(s["values"])
        f, _ = residuals(mechanism.joints, at)
        if not np.max(np.abs(f)) < CLOSED * scale:
            faults.append(f"solution {n + 1} leaves {np.max(np.abs(f)):.1e} open")
        placed.append(at)
    for n, one in enumerate(placed):
        for other in placed[:n]:
            if mechanism.difference(one, other) < SAME:
                faults.append(f"solution {n + 1} is there twice")
    found = distinct(mechanism, solve(mechanism.joints, mechanism.starts(random, starts), mechanism.size))
    for one in found:
        tolerance = SAME if regularity(mechanism, one) > SINGULAR else 1e-3
        nearest = min([mechanism.difference(one, other) for other in placed], default=np.inf)
        if nearest > tolerance:
            faults.append(f"an assembly is missing; the nearest one is {nearest:.2g} away, regularity {regularity(mechanism, one):.1e}")
    return faults, len(placed), len(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cotree", required=True)
    parser.add_argument("--planar", type=int, default=200)
    parser.add_argument("--spatial", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--starts", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=120, help="for one call of the program")
    parser.add_argument("--family")
    parser.add_argument("--keep", help="folder for models that fail")
    parser.add_argument("--list", action="store_true", help="one line for each mechanism")
    options = parser.parse_args()
    todo = [(name, planar, n) for n, name in zip(range(options.planar), list(GRAPHS) * options.planar)]
    todo += [(name, SPATIAL[name], n) for n, name in zip(range(options.spatial), list(SPATIAL) * options.spatial)]
    totals = {"right": 0, "failed": 0, "real": 0, "found": 0}
    start = time.time()
    with tempfile.TemporaryDirectory() as folder:
        for name, make, n in todo:
            if options.family and name != options.family:
                continue
            random = np.random.default_rng([options.seed, n, make is planar])
            mechanism = make(random, name) if make is planar else make(random)
            path = os.path.join(options.keep or folder, f"{name}-{options.seed}-{n}.yaml".replace(" ", "_"))
            with open(path, "w") as file:
                file.write(mechanism.text())
            answer, message = assemblies(options.cotree, path, options.seconds)
            if answer is None:
                faults, real, found = [f"no answer: {message}"], 0, 0
            elif answer["dimension"] > 0:
                faults, real, found = ["infinitely many assemblies"], 0, 0
            else:
                faults, real, found = check(mechanism, answer, random, options.starts)
            totals["failed" if faults else "right"] += 1
            totals["real"] += real
            totals["found"] += found
            if options.list or faults:
                count = answer["count"] if answer else "-"
                seconds = f"{answer['seconds']:.3f}" if answer else "-"
                print(f"{path}: {count} configurations, {real} real, {found} by Newton, {seconds} s", flush=True)
            for fault in faults:
                print(f"  {fault}", flush=True)
            if options.keep and not faults:
                os.remove(path)
    print(f"{totals['right']} right, {totals['failed']} failed; {totals['real']} real assemblies, "
          f"{totals['found']} of them found by Newton; {time.time() - start:.0f} s")
    return totals["failed"] > 0


if __name__ == "__main__":
    sys.exit(main())
