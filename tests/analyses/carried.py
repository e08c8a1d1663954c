#!/usr/bin/env python3
"""What joints carry, said in four ways: columns of --reactions, output functions, generated C, any method.

Every model gets outputs for all that its joints, couplings and motions carry. The outputs must be the columns, the generated
program must print both as `simulate` does, all methods must agree, and forces must turn with a model that is turned as a whole.

  carried.py --cotree PROGRAM [--cc COMPILER] [--methods] MODEL.yaml ...
"""
import argparse
import csv
import glob
import math
import os
import random
import subprocess
import sys
import tempfile

import yaml

PARTS = ("fx", "fy", "fz", "mx", "my", "mz")
COUPLINGS = ("gear", "rack", "constraint")
STRICT = ["-std=c99", "-O0", "-Wall", "-Wextra", "-pedantic", "-Werror"]
FAILED = []


def expect(what, holds):
    if not holds:
        FAILED.append(what)


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def table(text):
    rows = list(csv.reader(text.splitlines()))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def with_outputs(path, folder):
    """The model with an output for every column of --reactions; the names of both."""
    with open(path) as f:
        model = yaml.load(f, yaml.BaseLoader)
    pairs, outputs = [], {}
    for name, joint in model["joints"].items():
        if joint.get("virtual") == "true":
            continue
        functions = ["lambda"] if joint["type"] in COUPLINGS else PARTS
        pairs += [(f"{name}.{part}", f"{part}({name})") for part in functions]
    pairs += [(f"{name}.effort", f"effort(`{name}`)") for name in model.get("motions") or {}]
    for i, (_, function) in enumerate(pairs):
        outputs[f"carried {i}"] = function
    model["outputs"] = outputs
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "w") as f:
        yaml.safe_dump(model, f, sort_keys=False, width=100000)
    return copy, [(column, f"carried {i}") for i, (column, _) in enumerate(pairs)]


def size_of(names, rows, pairs):
    return max([abs(row[names.index(c)]) for row in rows for c, _ in pairs] + [1e-300])


def outputs_are_columns(what, names, rows, pairs):
    size = size_of(names, rows, pairs)
    off = max(abs(row[names.index(c)] - row[names.index(o)]) for row in rows for c, o in pairs)
    expect(f"{what}: outputs differ from columns by {off / size:.2g}", off <= 1e-15 * size)


def same(what, a, b, tolerance, columns=None):
    """Rows of two tables, each column by its own size in the run (of forces: the largest)."""
    (names, rows), (other, others) = a, b
    columns = columns or names
    expect(f"{what}: other columns", set(columns) <= set(other))
    expect(f"{what}: {len(others)} rows, not {len(rows)}", len(rows) == len(others))
    forces = [c for c in columns if c.split(".")[-1] in PARTS + ("lambda", "effort") or c.startswith("carried")]
    largest = max([abs(row[names.index(c)]) for row in rows for c in forces] + [1.0])
    for c in columns:
        i, k = names.index(c), other.index(c)
        size = largest if c in forces else max(1.0, max(abs(row[i]) for row in rows))
        off = max(abs(x[i] - y[k]) for x, y in zip(rows, others))
        expect(f"{what}: '{c}' differs by {off / size:.2g}", off <= tolerance * size)


class Generated:
    """Programs of generated folders; the kernel is compiled once."""

    def __init__(self, program, cc, folder):
        self.program, self.cc, self.folder, self.kernel = program, cc, folder, None

    def build(self, path):
        out = os.path.join(self.folder, "c-" + os.path.basename(path))
        made = run([self.program, "generate", path, "-o", out])
        if made.returncode:
            raise SystemExit(f"{path}: {made.stderr}")
        own = [f for f in glob.glob(os.path.join(out, "*.c")) if not os.path.basename(f).startswith("ctk")]
        if not self.kernel:
            self.kernel = os.path.join(self.folder, "kernel")
            os.mkdir(self.kernel)
            files = glob.glob(os.path.join(out, "ctk*.c"))
            self.compile(STRICT + ["-c"] + files, self.kernel)
        exe = os.path.join(out, "run")
        self.compile(STRICT + ["-I", out] + own + glob.glob(os.path.join(self.kernel, "*.o")) + ["-lm", "-o", exe], out)
        return exe

    def compile(self, arguments, folder):
        made = run([self.cc] + arguments, cwd=folder)
        if made.returncode or made.stderr:
            raise SystemExit(f"{' '.join(arguments)}: {made.stderr}")


def check_model(args, generated, path, folder):
    name = os.path.basename(path)
    copy, pairs = with_outputs(path, folder)
    time, step = str(args.time), str(args.step)
    options = ["--time", time, "--step", step, "--integrator", "rk4"]
    command = [args.cotree, "simulate", copy, "--reactions", *options, "-q"]
    made = run(command)
    if made.returncode:
        raise SystemExit(f"{name}: {made.stderr}")
    names, rows = table(made.stdout)
    outputs_are_columns(name, names, rows, pairs)
    # without columns the outputs are the same
    alone = run([args.cotree, "simulate", copy, *options, "-q"])
    same(f"{name}, outputs alone", table(alone.stdout), (names, rows), 0)
    # as generated C
    if args.cc:
        exe = generated.build(copy)
        ran = run([exe, time, step, "--reactions"])
        if ran.returncode:
            raise SystemExit(f"{name}, generated: {ran.stderr}")
        outputs_are_columns(f"{name}, generated", *table(ran.stdout), pairs)
        same(f"{name}, generated", (names, rows), table(ran.stdout), 1e-9)
        expect(f"{name}, generated: says {ran.stderr!r}, not {made.stderr!r}",
               ("not unique" in made.stderr) == ("not unique" in ran.stderr))
        first = pairs[0][0].rpartition(".")[0]
        some = table(run([exe, "--reactions", first, time, step]).stdout)[0]
        expect(f"{name}, generated: --reactions {first}", f"{first}.fx" in some and
               all(c in names for c in some) and len(some) < len(names))
        wrong = run([exe, "--reactions=nobody", time])
        expect(f"{name}, generated: {wrong.stderr}", wrong.returncode == 2 and "'nobody'" in wrong.stderr and
               not wrong.stdout)
    return names, rows


# methods and frames -------------------------------------------------------------------------------
METHODS = {"triangular": 1e-9, "partition": 1e-9, "newton": 1e-9, "newton-loops": 1e-9, "augmented": 1e-5,
           "baumgarte": 1e-5, "penalty": 1e-4}


def methods(args, path):
    """Every method carries the same, within what its loops are open by."""
    base, name = None, os.path.basename(path)
    for method, tolerance in METHODS.items():
        made = run([args.cotree, "simulate", path, "--reactions", "--time", str(args.time), "--step", str(args.step),
                    "--integrator", "rk4", "--method", method, "-q"])
        if made.returncode:
            expect(f"{name}, {method}: {made.stderr}", made.returncode == 3 and base)
            continue
        result = table(made.stdout)
        base = base or result
        forces = [c for c in base[0] if c.split(".")[-1] in PARTS + ("lambda", "effort")]
        same(f"{name}, {method}", base, result, tolerance, forces)


def rotation(seed):
    """A random rotation: matrix, and yaw, pitch, roll of it."""
    r = random.Random(seed)
    yaw, pitch, roll = (r.uniform(-1, 1) for _ in range(3))
    cy, sy, cp, sp, cr, sr = (f(a) for a in (yaw, pitch, roll) for f in (math.cos, math.sin))
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr]], (yaw, pitch, roll)


def turned(args, path, folder):
    """A model that stands on a turned plate: gravity and reactions turn with it."""
    R, (yaw, pitch, roll) = rotation(path)
    with open(path) as f:
        model = yaml.load(f, yaml.BaseLoader)
    expect(f"{path}: forces and points of ground do not turn here", not model.get("forces") and "points" not in model)
    gravity = [float(x) for x in model.get("gravity", [0, 0, 0])]
    model["gravity"] = [sum(R[i][k] * gravity[k] for k in range(3)) for i in range(3)]
    model["bodies"]["turned plate"] = {"mass": 1, "inertia": 1}
    for joint in model["joints"].values():
        if "between" in joint:
            joint["between"] = ["turned plate" if b == "ground" else b for b in joint["between"]]
    model["joints"]["plate joint"] = {"type": "fixed", "between": ["ground", "turned plate"],
                                      "orient": [[roll, pitch, yaw], [0, 0, 0]]}
    copy = os.path.join(folder, "turned.yaml")
    with open(copy, "w") as f:
        yaml.safe_dump(model, f, sort_keys=False, width=100000)
    results = []
    for p in (path, copy):
        made = run([args.cotree, "simulate", p, "--reactions", "--time", str(args.time), "--step", str(args.step),
                    "--integrator", "rk4", "-q"])
        if made.returncode:
            raise SystemExit(f"{p}: {made.stderr}")
        results.append(table(made.stdout))
    (names, rows), (other, others) = results
    joints = sorted({c.rpartition(".")[0] for c in names if c.endswith(".fx")})
    for joint in joints:
        for kind in "fm":
            at = [names.index(f"{joint}.{kind}{x}") for x in "xyz"]
            to = [other.index(f"{joint}.{kind}{x}") for x in "xyz"]
            size = max([1.0] + [abs(row[i]) for row in rows for c in joints for i in (names.index(f"{c}.fx"),
                                                                                     names.index(f"{c}.fy"))])
            off = max(abs(sum(R[i][k] * a[at[k]] for k in range(3)) - b[to[i]])
                      for a, b in zip(rows, others) for i in range(3))
            expect(f"{os.path.basename(path)}, turned: {kind} of '{joint}' differs by {off / size:.2g}", off <= 1e-9 * size)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cotree", required=True)
    p.add_argument("--cc", help="compiler for generated C; without it there is none")
    p.add_argument("--time", type=float, default=0.02)
    p.add_argument("--step", type=float, default=0.002)
    p.add_argument("--methods", action="append", default=[], help="a model to run by all methods")
    p.add_argument("--turned", action="append", default=[], help="a model to turn as a whole")
    p.add_argument("models", nargs="*")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        generated = Generated(args.cotree, args.cc, folder)
        for path in args.models:
            check_model(args, generated, path, folder)
        for path in args.methods:
            methods(args, path)
        for path in args.turned:
            turned(args, path, folder)
    if FAILED:
        sys.exit("\n".join(FAILED))
    print(f"{len(args.models)} models: columns, outputs and generated C agree")


if __name__ == "__main__":
    main()
