#!/usr/bin/python3
"""Remakes the reference results: every model listed in references.txt (or those named).

Each line: model file, options of oracle.py. The CSV goes to reference/ beside the model, and what the
oracle says about its accuracy to reference/accuracy.txt, one line per model.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def make(line):
    model, *options = line.split()
    folder, name = os.path.split(os.path.join(ROOT, model))
    out = os.path.join(folder, "reference", name.replace(".yaml", ".csv"))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    env = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    r = subprocess.run(["/usr/bin/python3", os.path.join(HERE, "oracle.py"), name, "--check", "-o", out, *options],
                       cwd=folder, env=env, stderr=subprocess.PIPE, text=True)
    print(r.stderr.strip(), flush=True)
    return folder, name, r


def main():
    with open(os.path.join(HERE, "references.txt")) as f:
        lines = [l for l in f.read().splitlines() if l and not l.startswith("#")]
    wanted = sys.argv[1:]
    lines = [l for l in lines if not wanted or any(w in l.split()[0] for w in wanted)]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(make, lines))
    for folder in sorted({r[0] for r in results}):
        path = os.path.join(folder, "reference", "accuracy.txt")
        notes = {}
        if os.path.exists(path):
            with open(path) as f:
                notes = {l.split(":")[0]: l for l in f.read().splitlines()}
        for d, name, r in results:
            if d == folder and r.returncode == 0:
                notes[name] = r.stderr.strip().splitlines()[-1]
        with open(path, "w") as f:
            f.write("".join(notes[n] + "\n" for n in sorted(notes)))
    sys.exit(any(r[2].returncode for r in results))


if __name__ == "__main__":
    main()
