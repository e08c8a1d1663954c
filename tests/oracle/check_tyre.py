#!/usr/bin/python3
"""Compares tyres of cotree with tyre.py in random states: check_tyre.py COTREE [MODELS [SEED]]

Each model is a dozen free wheels with random coefficients, places, velocities and keys, simulated for no
time; the largest difference of each quantity is printed, relative beyond 1.
"""
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np
import yaml

from expression import TYRE_PROBES
from mechanism import Model
from oracle import assemble

HERE = os.path.dirname(os.path.abspath(__file__))
WHEELS = 12
NEEDED = ("FNOMIN", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2", "LONGVL")


def wheel(rng, coefficients):
    """A tyre and the state of its wheel."""
    some = {n: float(e) * rng.uniform(0.7, 1.3) for n, e in coefficients.items() if rng.random() < 0.8 or n in NEEDED}
    tyre = {"type": "tyre", "radius": rng.uniform(0.25, 0.35), "stiffness": rng.uniform(1e5, 2.5e5),
            "damping": rng.uniform(0, 1000), "road": rng.uniform(-0.1, 0.1), "friction": rng.uniform(0.1, 1.2),
            "slip_speed": rng.uniform(0.1, 3), "mirror": "true" if rng.random() < 0.5 else "false",
            "axis": [rng.normal(0, 0.1), 1, rng.normal(0, 0.1)], "centre": list(rng.normal(0, 0.02, 3)),
            "coefficients": some}
    speed = rng.choice([0, 0.1, 1, 20]) * rng.normal()
    q = [*rng.normal(0, 3, 2), tyre["road"] + tyre["radius"] - rng.uniform(-0.02, 0.03), rng.uniform(-3, 3),
         rng.normal(0, 0.2), rng.uniform(-3, 3)]
    yaw = q[3] + rng.normal(0, 0.2)
    qd = [speed * np.cos(yaw), speed * np.sin(yaw), rng.normal(0, 0.2), *rng.normal(0, 1, 2),
          speed / tyre["radius"] * rng.normal(1, 0.3)]
    return tyre, q, qd


def write(path, rng, coefficients):
    names = [f"w{i}" for i in range(WHEELS)]
    m = {"cotree": 1, "bodies": {}, "joints": {}, "forces": {}, "initial": {}, "outputs": {}}
    for n in names:
        tyre, q, qd = wheel(rng, coefficients)
        m["bodies"][n] = {"mass": 20, "inertia": [0.6, 1, 0.6]}
        m["joints"]["p" + n] = {"type": "free", "between": ["ground", n], "sequence": "zxy"}
        m["forces"]["t" + n] = dict(tyre, on=n)
        for k, a, b in zip("xyz123", q, qd):
            m["initial"][f"p{n}.{k}"] = [float(a), float(b)]
        m["outputs"].update({f"{f}_{n}": f"{f}(t{n})" for f in TYRE_PROBES})
    plain = lambda e: ({k: plain(v) for k, v in e.items()} if isinstance(e, dict) else
                       [plain(v) for v in e] if isinstance(e, list) else
                       e if isinstance(e, (str, int)) else repr(float(e)))
    with open(path, "w") as f:
        yaml.safe_dump(plain(m), f)


def main():
    with open(os.path.join(HERE, "..", "models", "tyre_rig.yaml")) as f:
        coefficients = yaml.load(f, yaml.BaseLoader)["forces"]["tyre"]["coefficients"]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng, worst, touching = np.random.default_rng(seed), dict.fromkeys(TYRE_PROBES, 0.0), 0
    with tempfile.TemporaryDirectory() as folder:
        model, out = os.path.join(folder, "wheels.yaml"), os.path.join(folder, "wheels.csv")
        for _ in range(count):
            write(model, rng, coefficients)
            subprocess.run([sys.argv[1], "simulate", model, "--time", "0", "--quiet", "-o", out], check=True)
            with open(out) as f:
                row = next(csv.DictReader(f))
            m = Model(model)
            c = assemble(m).context()
            for n in row:
                kind, _, name = n.rpartition("_w")
                if kind in TYRE_PROBES:
                    want, have = c.probe(kind, "tw" + name), float(row[n])
                    touching += kind == "fz" and want > 0
                    error = abs(have - want) / max(1, abs(want))
                    worst[kind] = error if not error <= worst[kind] else worst[kind]
    print(f"{count * WHEELS} tyres, {touching} on the road: " + ", ".join(f"{k} {e:.1e}" for k, e in worst.items()))
    sys.exit(not all(e < 1e-9 for e in worst.values()))


if __name__ == "__main__":
    main()
