#!/usr/bin/python3
"""Runs cotree on models and compares with their reference results: compare.py COTREE MODEL.yaml ...

Prints for each model the largest difference over all columns, relative to the largest value of the
column where that is beyond 1, and the column where it occurs. The step is a tenth of the model's.
"""
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np

from mechanism import Model


def read(path):
    with open(path) as f:
        rows = list(csv.reader(f))
    return rows[0], np.array(rows[1:], float)


def main():
    cotree, worst = sys.argv[1], 0.0
    for path in sys.argv[2:]:
        folder, name = os.path.split(path)
        names, want = read(os.path.join(folder, "reference", name.replace(".yaml", ".csv")))
        step = Model(path).number((Model(path).data.get("simulate") or {}).get("step", "1e-3")) / 10
        command = "kinematics" if any(n.endswith("''") for n in names) else "simulate"
        with tempfile.NamedTemporaryFile(suffix=".csv") as f:
            r = subprocess.run([cotree, command, path, "--time", repr(want[-1, 0]), "--step", repr(step), "-o", f.name],
                               capture_output=True, text=True)
            if r.returncode:
                print(f"{path}: exit {r.returncode}: {(r.stderr or r.stdout).strip().splitlines()[-1:]}")
                worst = float("inf")
                continue
            got_names, got = read(f.name)
        if got_names != names:
            print(f"{path}: columns differ: {[n for n in names if n not in got_names]} missing, "
                  f"{[n for n in got_names if n not in names]} extra")
            continue
        rows = [int(np.argmin(np.abs(got[:, 0] - t))) for t in want[:, 0]]
        error = np.max(np.abs(got[rows] - want), axis=0) / np.maximum(1, np.max(np.abs(want), axis=0))
        k = int(np.argmax(error))
        worst = max(worst, error[k])
        print(f"{path}: {error[k]:.1e} ({names[k]})", flush=True)
    sys.exit(not worst < 1e-7)


if __name__ == "__main__":
    main()
