#!/usr/bin/env python3
"""What a motion conserves: energy, angular momentum, and the unit length of rotations that are integrated whole.

  conserved.py --cotree PROGRAM MODEL[:SECONDS] ...

Each model runs by cvode with tolerances of 1e-12, for 100 seconds unless it says otherwise. Energy is an output of the program. Angular momentum
is computed here from positions, velocities and spins of all bodies, and from their axes, read off three points on each body. About
the centre of mass it is constant for a model that a free joint holds; about the pivot of a ball its component along gravity is.
The axes have unit length and right angles where the Euler parameters of the state have unit length."""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
import yaml

import other_frames

SAME = 1e-9     # of energy and angular momentum, relative to the largest share that is exchanged
UNIT = 1e-13    # of the axes of bodies, and of their distance from the origin: rounding
SECONDS = 100
ROWS = 200


def number(x, known):
    return float(eval(str(x).replace("^", "**"), {"pi": math.pi, "sin": math.sin, "cos": math.cos, **known}))


def vector(v, known):
    return np.array([number(x, known) for x in v])


def tensor(entry, known):
    """Moments Ixx, Iyy, Izz and products Ixy, Ixz, Iyz (integrals) of a body as a matrix."""
    v = vector(list(entry) + [0] * (6 - len(entry)), known)
    return np.array([[v[0], -v[3], -v[4]], [-v[3], v[1], -v[5]], [-v[4], -v[5], v[2]]])


def with_outputs(model, known):
    """The model with outputs for energies, and for the place, the velocity, the spin and the axes of each body."""
    new = json.loads(json.dumps(model))
    out = new["outputs"] = {"c_kinetic": "kinetic", "c_potential": "potential"}
    for name, body in new["bodies"].items():
        com = vector(body.get("com", [0, 0, 0]), known)
        points = body.setdefault("points", {})
        for k, axis in enumerate("xyz"):
            points["c_" + axis] = [float(x) for x in com + np.eye(3)[k]]
            for c in "xyz":
                out[f"c_{name}_{axis}{c}"] = f"{c}({name}.c_{axis})"
        for c in "xyz":
            out[f"c_{name}_r{c}"], out[f"c_{name}_v{c}"] = f"{c}({name}.com)", f"v{c}({name}.com)"
            out[f"c_{name}_w{c}"] = f"w{c}({name})"
    return new


def run(program, model, folder, name, seconds):
    path = os.path.join(folder, name + ".yaml")
    with open(path, "w") as f:
        yaml.dump(model, f, other_frames.Dumper, sort_keys=False)
    done = subprocess.run([program, "simulate", path, "-o", path + ".csv", "--quiet", "--integrator", "cvode", "--rtol", "1e-12",
                           "--atol", "1e-12", "--time", str(seconds), "--output-step", str(seconds / ROWS)],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name}: exit {done.returncode}: {done.stderr}")
    with open(path + ".csv") as f:
        rows = list(csv.reader(f))
    return {k: np.array([float(row[i]) for row in rows[1:]]) for i, k in enumerate(rows[0])}


def measure(model, known, column):
    """Largest changes of energy and of angular momentum, relative, and how far axes are from unit length and right angles."""
    def triple(name, what):
        return np.array([column[f"c_{name}_{what}{c}"] for c in "xyz"]).T
    kinetic, potential = column["c_kinetic"], column["c_potential"]
    energy = kinetic + potential
    size = np.max(kinetic) + np.max(np.abs(potential - potential[0]))
    # mass, place and momentum of each body, and of all
    bodies = {}
    unit = 0
    for name, body in model["bodies"].items():
        place = triple(name, "r")
        axes = np.stack([triple(name, axis) - place for axis in "xyz"], axis=2)
        off = np.max(np.abs(np.einsum("tki,tkj->tij", axes, axes) - np.eye(3)))
        unit = max(unit, off / (1 + np.max(np.abs(place))))
        spin = np.einsum("tij,jk,tlk,tl->ti", axes, tensor(body["inertia"], known), axes, triple(name, "w"))
        bodies[name] = number(body["mass"], known), place, triple(name, "v"), spin
    mass = sum(b[0] for b in bodies.values())
    # about the centre of mass, or about the pivot at the origin
    free = any(j["type"] == "free" and "ground" in j["between"] for j in model["joints"].values())
    centre = sum(b[0] * b[1] for b in bodies.values()) / mass if free else 0
    speed = sum(b[0] * b[2] for b in bodies.values()) / mass if free else 0
    shares = [b[0] * np.cross(b[1] - centre, b[2] - speed) + b[3] for b in bodies.values()]
    momentum = sum(shares)
    if not free:
        momentum = momentum @ vector(model["gravity"], known) / np.linalg.norm(vector(model["gravity"], known))
    turning = max(np.max(np.abs(s)) for s in shares)
    return np.max(np.abs(energy - energy[0])) / size, np.max(np.abs(momentum - momentum[0])) / turning, unit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", required=True)
    parser.add_argument("models", nargs="+")
    a = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for path, seconds in ((m.split(":") + [SECONDS])[:2] for m in a.models):
            with open(path) as f:
                model = yaml.load(f, other_frames.Loader)
            known = {k: float(v) for k, v in model.get("parameters", {}).items()}
            name = os.path.basename(path)[:-5]
            energy, momentum, unit = measure(model, known, run(a.cotree, with_outputs(model, known), folder, name, float(seconds)))
            good = energy <= SAME and momentum <= SAME and unit <= UNIT
            bad += not good
            print(f"{name}: {seconds} s: energy {energy:.1e}, angular momentum {momentum:.1e}, unit length {unit:.1e}"
                  + ("" if good else ": NOT CONSERVED"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
