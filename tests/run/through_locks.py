#!/usr/bin/env python3
"""Balls that depend pass the lock of their angles in closed forms, also in generated C.

  through_locks.py --cotree PROGRAM MODEL [MODEL ...]

The second frame of each ball of a model is turned so that its angles pass exactly through the lock in the middle of the run. What
the default method, the method triangular by name and generated C give at their own step must be the motion of the model as it is, by
partition with tight tolerances, to 1e-6. Generated C must not end there with a status."""
import argparse
import csv
import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import yaml

import other_frames

SAME = 1e-6       # of the largest value of a column, at least 1
SAME_SPIN = 1e-5  # of the largest angular velocity
CLEAR = 0.05      # sine to the lock: nearer, an angle that passes it by 1e-7 turns by a right angle or two in a row
LONGEST = 1       # seconds of a run


class Rows(other_frames.Result):
    """A result that was read from text."""

    def __init__(self, lines):
        rows = list(csv.reader(lines))
        self.names, self.rows = rows[0], np.array([[float(x) for x in row] for row in rows[1:]])


def call(command, what):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{what}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def simulate(program, path, *options):
    call([program, "simulate", path, "-o", path + ".csv", "--quiet", *options], path)
    with open(path + ".csv") as f:
        return Rows(f)


def generated(program, path):
    """What the program that `generate` writes prints."""
    folder = path + "_c"
    call([program, "generate", path, "-o", folder, "--quiet"], path)
    call(["make", "-s", "-C", folder], path)
    programs = [os.path.join(folder, x) for x in os.listdir(folder)]
    runs = [x for x in programs if os.path.isfile(x) and os.access(x, os.X_OK)]
    return Rows(call(runs[:1], path).splitlines())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", required=True)
    parser.add_argument("models", nargs="+")
    a = parser.parse_args()
    other_frames.SAME, other_frames.SAME_SPIN, other_frames.CLEAR = SAME, SAME_SPIN, CLEAR
    bad, runs = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for path in a.models:
            with open(path) as f:
                model = yaml.load(f, other_frames.Loader)
            model["simulate"]["time"] = min(LONGEST, model["simulate"]["time"])
            name = os.path.basename(path)[:-5]
            balls = [j for j, d in model["joints"].items() if d.get("type") == "spherical"]
            plain = os.path.join(folder, name + ".yaml")
            turned = os.path.join(folder, name + "_turned.yaml")
            with open(plain, "w") as f:
                yaml.dump(model, f, other_frames.Dumper, sort_keys=False)
            base = simulate(a.cotree, plain, "--method", "partition", "--integrator", "cvode", "--rtol", "1e-11", "--atol", "1e-12")
            new, frames = other_frames.reframe(model, balls, base, "through", random.Random(name))
            with open(turned, "w") as f:
                yaml.dump(new, f, other_frames.Dumper, sort_keys=False)
            bad += other_frames.compare(f"{name}, simulate", base, simulate(a.cotree, turned), frames)
            named = simulate(a.cotree, turned, "--method", "triangular")
            bad += other_frames.compare(f"{name}, triangular by name", base, named, frames)
            bad += other_frames.compare(f"{name}, generated", base, generated(a.cotree, turned), frames)
            runs += 3
    print(f"{runs} runs through the lock, {len(bad)} complaints")
    for text in bad:
        print(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
