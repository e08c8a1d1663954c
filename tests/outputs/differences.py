#!/usr/bin/env python3
"""Output functions against differences of other columns.

  differences.py --cotree PROGRAM [--names] MODEL[:METHOD,...] ...

Outputs are added to each model: position, velocity and acceleration of four points of every body, its angular velocity,
energies, and (--names) the acceleration of every coordinate. A run has a few short steps. In its middle a rate is the
five-point difference of the values before and behind. The spin w of a body must carry its points,
Nothing here knows how accelerations are found. Methods are those of `simulate`, or `kinematics`; default: that of the model."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy
import yaml

STEPS = 12
CLOSE = 1e-5  # of the largest value of its kind
ROUNDING = 1e-13  # of values that a difference is taken of
LIMIT = 300  # s
ARMS = {"o": ["0", "0", "0"], "a": ["1", "0", "0"], "b": ["0", "1", "0"], "c": ["0", "0", "1"]}


def run(program, command, path, folder, options):
    """Columns of the result by name; the step is short, so that the path is that of the equations."""
    result = os.path.join(folder, "result.csv")
    done = subprocess.run([program, command, path, "-o", result, *options], capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        raise SystemExit(f"{path}: {command} ends with {done.returncode}: {done.stderr}")
    with open(result) as f:
        rows = list(csv.reader(f))
    values = numpy.array([[float(x) for x in row] for row in rows[1:]])
    return {name: values[:, k] for k, name in enumerate(rows[0])}


def dressed(model, coordinates):
    """Adds points and outputs to a model, all of whose scalars are text."""
    outputs = {f"acc {name}".replace(".", "_"): f"`{name}`''" for name in coordinates}
    for name in model["bodies"]:
        body = model["bodies"][name] = dict(model["bodies"][name] or {})
        body["points"] = dict(body.get("points") or {})
        for arm, at in ARMS.items():
            body["points"][f"zz {arm}"] = at
            for axis in "xyz":
                for what in ("", "v", "a"):
                    outputs[f"{what}{axis} {arm} {name}"] = f"{what}{axis}(`{name}.zz {arm}`)"
        for axis in "xyz":
            outputs[f"w{axis} {name}"] = f"w{axis}(`{name}`)"
    return model | {"outputs": outputs | {"zz kinetic": "kinetic", "zz potential": "potential"}}


def slope(x, h):
    k = len(x) // 2
    return (x[k - 2] - 8 * x[k - 1] + 8 * x[k + 1] - x[k + 2]) / (12 * h)


def differences(columns, bodies, coordinates, h):
    """Lines about what differs."""
    k, wrong = len(columns["t"]) // 2, []

    def compare(pairs):
        """Values and what they should be the rate of."""
        rates = {name: (columns[name][k], slope(columns[of], h)) for name, of in pairs}
        largest = max([abs(x) for pair in rates.values() for x in pair] + [0])
        least = max([abs(columns[of]).max() for _, of in pairs] + [0]) * ROUNDING / h
        for name, (x, y) in rates.items():
            if not abs(x - y) <= CLOSE * largest + least:
                wrong.append(f"{name} is {x:.12g}, by differences {y:.12g}")

    points = [f"{axis} {arm} {name}" for name in bodies for arm in ARMS for axis in "xyz"]
    compare([("v" + point, point) for point in points])
    compare([("a" + point, "v" + point) for point in points])
    compare([(f"acc {name}".replace(".", "_"), name + "'") for name in coordinates])
    for name in bodies:
        w = numpy.array([columns[f"w{axis} {name}"][k] for axis in "xyz"])
        r, v = ({arm: numpy.array([columns[f"{what}{axis} {arm} {name}"][k] for axis in "xyz"]) for arm in ARMS}
                for what in ("", "v"))
        for arm in ARMS:
            off = abs(numpy.cross(w, r[arm] - r["o"]) - (v[arm] - v["o"])).max()
            if not off <= 1e-9 * (abs(w).max() + max(abs(x).max() for x in v.values())):
                wrong.append(f"the spin of {name} does not carry point {arm}: {off:.3g}")
    return wrong


def examine(program, path, methods, names, folder):
    """Lines about what differs in the runs of one model."""
    with open(path) as f:
        model = yaml.load(f, Loader=yaml.BaseLoader)
    known = run(program, "simulate", path, folder, ["--time", "0", "--method", "augmented"])  # needs no closure
    coordinates = [c[:-1] for c in known if c.endswith("'") and c[:-1] in known] if names else []
    other = os.path.join(folder, os.path.basename(path).replace(".yaml", ".json"))
    with open(other, "w") as f:
        json.dump(dressed(model, coordinates), f)
    h, wrong = 0.1 * float(model.get("simulate", {}).get("step", "1e-3")), []
    for method in methods:
        driven = method == "kinematics"
        options = ["--time", repr(STEPS * h), "--step", repr(h), "--output-step", repr(h)]
        options += [] if driven else ["--integrator", "rk4"] + (["--method", method] if method else [])
        columns = run(program, method if driven else "simulate", other, folder, options)
        wrong += [f"{path}, {method or 'its method'}: {line}"
                  for line in differences(columns, model["bodies"], coordinates, h)]
    return wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--cotree", required=True)
    p.add_argument("--names", action="store_true")
    p.add_argument("models", nargs="+")
    a = p.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for model in a.models:
            path, _, methods = model.partition(":")
            lines = examine(a.cotree, path, methods.split(","), a.names, folder)
            print(f"{path}: {len(lines)} differences", flush=True)
            for line in lines:
                print(" ", line, flush=True)
            wrong += lines
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
