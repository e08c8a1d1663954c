#!/usr/bin/env python3
"""What outputs say of forces, against Newton and Euler, and against laws written in numbers.

  newton_euler.py --cotree PROGRAM MODEL

The model is forces.yaml. Every force appears as outputs. For each body that flies the forces and moments that outputs give are its
mass times acceleration and the rate of its angular momentum, which follows from accelerations of its points. Energies, lengths and gaps
are computed from places of points. Nothing here knows how the program finds them."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import yaml
from scipy.spatial.transform import Rotation

STEP, STEPS = 1e-4, 400
EXACT = 1e-10  # of values in one row
ARMS = {"o": (0, 0, 0), "x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
WRENCHES, LINES, EFFORTS = ("mount", "floor", "balls", "air"), ("coil", "band"), ("motor", "bar", "brake", "stop")


def dressed(model):
    """The model with outputs of all that is compared."""
    outputs = {"T": "kinetic", "V": "potential", "turn": "O''"}
    for body in ("a", "b"):
        model["bodies"][body]["points"] |= {f"arm_{arm}": [str(x) for x in at] for arm, at in ARMS.items()}
        for k in "xyz":
            outputs[f"{body}_w{k}"] = f"w{k}({body})"
            for point in model["bodies"][body]["points"] | {"com": 0}:
                outputs |= {f"{body}_{point}_{what}{k}": f"{what}{k}({body}.{point})" for what in ("", "v", "a")}
    for force in WRENCHES:
        outputs |= {f"{force}_{q}{k}": f"{q}{k}({force})" for q in "fm" for k in "xyz"}
    for force in LINES:
        outputs |= {f"{force}_tension": f"tension({force})", f"{force}_length": f"length({force})"}
    outputs |= {f"{force}_effort": f"effort({force})" for force in EFFORTS}
    outputs |= {f"{force}_gap": f"gap({force})" for force in ("floor", "balls", "stop")}
    return model | {"outputs": outputs}


class Row:
    """Values of one time, by name; vectors by their stem."""

    def __init__(self, names, values):
        self.value = dict(zip(names, values))

    def __getitem__(self, name):
        return self.value[name]

    def vector(self, form):
        return np.array([self.value[form % k] for k in "xyz"])

    def frame(self, body):
        """Axes of a body as columns, from places of four of its points."""
        origin = self.vector(f"{body}_arm_o_%s")
        return np.column_stack([self.vector(f"{body}_arm_{k}_%s") - origin for k in "xyz"])


def inertia(model, body):
    xx, yy, zz, xy, xz, yz = (float(x) for x in model["bodies"][body]["inertia"])
    return np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])


def momentum(model, row, body):
    R = row.frame(body)
    return R @ inertia(model, body) @ R.T @ row.vector(f"{body}_w%s")


def momentum_rate(model, row, body):
    """I alpha + w x I w, where  a_i - a_o = alpha x r_i + w x (w x r_i)  of points at unit vectors r_i."""
    R, w, origin = row.frame(body), row.vector(f"{body}_w%s"), row.vector(f"{body}_arm_o_a%s")
    alpha = np.zeros(3)
    for i, k in enumerate("xyz"):
        alpha += 0.5 * np.cross(R[:, i], row.vector(f"{body}_arm_{k}_a%s") - origin - np.cross(w, np.cross(w, R[:, i])))
    return R @ inertia(model, body) @ R.T @ alpha + np.cross(w, momentum(model, row, body))


def loads(model, row):
    """Force and moment about the centre of mass of both bodies."""
    com = {body: row.vector(f"{body}_com_%s") for body in "ab"}
    total = {body: [float(model["bodies"][body]["mass"]) * np.array([float(x) for x in model["gravity"]]), np.zeros(3)] for body in "ab"}

    def push(body, at, force, moment=np.zeros(3)):
        total[body][0] = total[body][0] + force
        total[body][1] = total[body][1] + moment + np.cross(at - com[body], force)

    for name, other, at in (("mount", "a", "b_m"), ("floor", None, "b_q"), ("balls", "a", "b_arm_o")):
        force, moment, place = row.vector(f"{name}_f%s"), row.vector(f"{name}_m%s"), row.vector(at + "_%s")
        push("b", place, force, moment)
        if other:
            push(other, place, -force, -moment)
    push("a", row.vector("a_p_%s"), row.vector("air_f%s"), row.vector("air_m%s"))
    s, e, p = row.vector("a_s_%s"), row.vector("b_e_%s"), row.vector("a_p_%s")
    pull = row["coil_tension"] * (e - s) / np.linalg.norm(e - s)
    push("a", s, pull)
    push("b", e, -pull)
    push("a", p, -row["band_tension"] * p / np.linalg.norm(p))
    return total


def energies(model, row):
    """Kinetic and potential energy, each force by its own formula."""
    mass, g = {body: float(model["bodies"][body]["mass"]) for body in "ab"}, np.array([float(x) for x in model["gravity"]])
    T = 0.5 * 0.2 * row["O'"] ** 2
    V = 0.0
    for body in "ab":
        v, w = row.vector(f"{body}_com_v%s"), row.vector(f"{body}_w%s")
        T += 0.5 * mass[body] * v @ v + 0.5 * w @ momentum(model, row, body)
        V -= mass[body] * g @ row.vector(f"{body}_com_%s")
    # coil: its length varies, so that it has none
    V += 0.5 * 30 * row["band_length"] ** 2
    d = row.vector("b_m_%s") - row.vector("a_m_%s")
    turned = Rotation.from_euler("xyz", [0.3, 0.2, 0.1]).as_matrix()
    between = Rotation.from_matrix((row.frame("a") @ turned).T @ row.frame("b") @ turned).magnitude()
    V += 0.5 * 90 * d @ d + 0.5 * 7 * between ** 2
    for name, k, e in (("floor", 800, 1.5), ("balls", 500, 1), ("stop", 40, 2)):
        V += k * max(0.0, -row[name + "_gap"]) ** (e + 1) / (e + 1)
    return T, V + 0.5 * 3 * (row["O"] - 0.1) ** 2


def geometry(row):
    """Lengths and gaps from places of points."""
    n = np.array([0.1, 0.2, 1]) / np.linalg.norm([0.1, 0.2, 1])
    q, s, e = row.vector("b_q_%s"), row.vector("a_s_%s"), row.vector("b_e_%s")
    return {"coil_length": np.linalg.norm(e - s), "band_length": np.linalg.norm(row.vector("a_p_%s")), "floor_gap": n @ q - 0.6,
            "balls_gap": np.linalg.norm(row.vector("b_arm_o_%s") - row.vector("a_arm_o_%s")) - 1.6,
            "stop_gap": min(row["O"] + 1, 0.2 - row["O"])}


def laws(row):
    """Efforts and tensions by their formulas, where they need no rate of a length."""
    q, v, t = row["O"], row["O'"], row["t"]
    rubbing = (0.4 + 0.1 * np.exp(-(v / 0.5) ** 2)) * v / np.hypot(v, 0.05) + 0.03 * v
    depth = {1: q - 0.2, -1: -1 - q}
    stop = sum(-s * max(0.0, 40 * d ** 2 + 0.5 * s * v) for s, d in depth.items() if d > 0)
    return {"motor_effort": 0.8 * np.cos(t) - 0.1 * v, "bar_effort": -3 * (q - 0.1) - 0.2 * v, "brake_effort": -rubbing,
            "stop_effort": stop, "band_tension": 30 * row["band_length"]}


def examine(model, rows):
    """The largest deviation of each comparison, of its bound."""
    worst = {}

    def note(what, off, size, bound):
        worst[what] = max(worst.get(what, 0.0), np.abs(off).max() / (bound * max(np.abs(size).max(), 1)))

    touched = set()
    for row in rows:
        for name, value in (geometry(row) | laws(row)).items():
            note(name, row[name] - value, value, EXACT)
        for name, value in zip("TV", energies(model, row)):
            note(name, row[name] - value, value, EXACT)
        note("turn", 0.2 * row["turn"] - sum(row[f + "_effort"] for f in EFFORTS), row["turn"], EXACT)
        touched |= {name for name in ("floor", "balls", "stop") if row[name + "_gap"] < 0}
        for body, (force, moment) in loads(model, row).items():
            note(f"Newton of {body}", float(model["bodies"][body]["mass"]) * row.vector(f"{body}_com_a%s") - force, force, EXACT)
            note(f"Euler of {body}", momentum_rate(model, row, body) - moment, moment, EXACT)
    for name in {"floor", "balls", "stop"} - touched:
        worst[f"{name} never touches"] = np.inf
    return worst


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--cotree", required=True)
    p.add_argument("model")
    a = p.parse_args()
    with open(a.model) as f:
        model = dressed(yaml.load(f, Loader=yaml.BaseLoader))
    with tempfile.TemporaryDirectory() as folder:
        path, result = os.path.join(folder, "forces.json"), os.path.join(folder, "result.csv")
        with open(path, "w") as f:
            json.dump(model, f)
        done = subprocess.run([a.cotree, "simulate", path, "-o", result, "--integrator", "rk4", "--time", repr(STEP * STEPS),
                               "--step", repr(STEP), "--output-step", repr(STEP)], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr)
        with open(result) as f:
            table = list(csv.reader(f))
    rows = [Row(table[0], [float(x) for x in line]) for line in table[1:]]
    worst = examine(model, rows)
    for what, share in worst.items():
        print(f"{what}: {share:.3g} of its bound")
    return any(not share <= 1 for share in worst.values())


if __name__ == "__main__":
    sys.exit(main())
