#!/usr/bin/env python3
"""The four examples of Cuadrado, Dopico, Gonzalez and Naya (2003), a figure of theirs beside each of ours.

usage: formulations.py COTREE [EXAMPLE ...]     examples: double_four_bar quarter_car puma iltis

Methods are those of the source: global, topological (here semi-recursive), hybrid and recursive, by the trapezoid. A dash
stands where the source has no figure, "fails" where a run does not come to its end. Methods that this version does not have
are left out."""
import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

MODELS = Path(__file__).resolve().parent.parent / "models"
METHODS = ["global", "semi-recursive", "hybrid", "recursive"]
REPEATS = 3  # the best time counts
SOFT = ["--set", "stop=35906"]  # stops as soft as the leaves


class Bench:
    def __init__(self, cotree):
        self.cotree = cotree
        self.folder = tempfile.TemporaryDirectory()

    def run(self, model, *options):
        """Rows by name and the summary of a run; None: it fails; False: there is no such method."""
        out = Path(self.folder.name) / "rows.csv"
        r = subprocess.run([self.cotree, "simulate", str(MODELS / f"{model}.yaml"), "--json", "--quiet", "-o", str(out), *options],
                           capture_output=True, text=True)
        if r.returncode == 2:
            return False
        if r.returncode:
            return None
        with open(out, newline="") as f:
            rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]
        return rows, json.loads(r.stdout)

    def implicit(self, model, method, step, *options):
        return self.run(model, "--method", method, "--integrator", "trapezoid", "--step", str(step), *options)

    def methods(self, model, step):
        """Those that there are, for this model."""
        return [m for m in METHODS if self.implicit(model, m, step, "--time", str(2 * step)) is not False]


def table(title, head, lines):
    print(f"\n{title}\n")
    widths = [max(len(str(line[i])) for line in [head, *lines]) for i in range(len(head))]
    for line in [head, *lines]:
        print("  " + "  ".join(str(x).rjust(w) for x, w in zip(line, widths)).rstrip())


def cell(run, value):
    return "fails" if run is None else value(*run)


def double_four_bar(b):
    published = {"global": {0.01: -0.21, 0.03: -0.83, 0.05: -9.03, 0.1: "wrong"},
                 "semi-recursive": dict.fromkeys((0.01, 0.03, 0.05, 0.1), "fails"),
                 "hybrid": {0.01: -0.01, 0.03: -0.12, 0.05: -0.34, 0.1: -1.34}}

    def worst(rows, _):
        e = [r["energy"] - rows[0]["energy"] for r in rows]
        return f"{max(e, key=abs):.4f}"

    methods = b.methods("double_four_bar", 0.01)
    lines = [[h] + [x for m in methods for x in (published.get(m, {}).get(h, "-"), cell(b.implicit("double_four_bar", m, h), worst))]
             for h in (0.01, 0.03, 0.05, 0.1)]
    table("double four-bar: largest deviation of the energy in 10 s, J", ["step"] + [x for m in methods for x in ("publ.", m)], lines)


def at(rows, t, name):
    """Between the two rows next to a time, by a straight line."""
    for a, c in zip(rows, rows[1:]):
        if a["t"] <= t <= c["t"]:
            return a[name] + (c[name] - a[name]) * (t - a["t"]) / (c["t"] - a["t"])
    return rows[-1][name]


def quarter_car(b):
    published = {"global": {0.001: -43.13, 0.01: -43.45, 0.03: -57.96}, "semi-recursive": {0.001: -43.49, 0.01: -44.06, 0.03: "fails"},
                 "hybrid": {0.001: -42.05, 0.01: -42.80, 0.03: "fails"}}
    # heave by rk4 with 50 us
    reference, _ = b.run("quarter_car", "--integrator", "rk4", "--step", "5e-5", "--output-step", "1e-3")
    by_time = {round(r["t"], 6): r["heave"] for r in reference}

    def error(rows, _):
        known = [(r, by_time.get(round(r["t"], 6))) for r in rows]
        return f"{1e3 * max(abs(r['heave'] - z) for r, z in known if z is not None):.2f}"

    methods = b.methods("quarter_car", 0.01)
    lines = []
    for h in (0.001, 0.01, 0.03):
        line = [h]
        for m in methods:
            run = b.implicit("quarter_car", m, h)
            line += [published.get(m, {}).get(h, "-"), cell(run, error), cell(run, lambda _, s: f"{s['iterations']:.2f}")]
        lines.append(line)
    table("quarter car: published, energy that the springs keep, J; ours, largest error of the heave in 7 s, mm, and iterations",
          ["step"] + [x for m in methods for x in ("publ.", m, "iter.")], lines)


def puma(b):
    published = {"global": {0.01: 0.53, 0.05: 3.4, 0.1: "fails"}, "semi-recursive": {0.01: 0.26, 0.05: 1.5, 0.1: 3.2},
                 "hybrid": {0.01: 0.34, 0.05: 1.8, 0.1: "fails"}}
    reference, _ = b.run("puma", "--integrator", "rk4", "--step", "1e-3")
    hand = ("hand_x", "hand_y", "hand_z")

    def error(rows, _):
        return f"{1e3 * math.dist([rows[-1][c] for c in hand], [reference[-1][c] for c in hand]):.4f}"

    methods = b.methods("puma", 0.01)
    lines = [[h] + [x for m in methods for x in (published.get(m, {}).get(h, "-"), cell(b.implicit("puma", m, h), error))]
             for h in (0.001, 0.01, 0.05, 0.1)]
    table("PUMA: published, where the hand returns to, mm; ours, its distance from the reference at 8 s, mm",
          ["step"] + [x for m in methods for x in ("publ.", m)], lines)


def iltis(b):
    steps = (0.001, 0.0075, 0.01, 0.0175, 0.025, 0.035)
    published = {"global": (5.41, 0.0175, 2.11), "semi-recursive": (0.74, 0.025, 17.0), "hybrid": (0.72, 0.035, 21.05),
                 "recursive": (3.06, 0.0075, 3.48)}
    reference, _ = b.run("iltis", *SOFT, "--method", "hybrid", "--step", "2e-4", "--output-step", "1e-3")
    by_time = {round(r["t"], 6): r for r in reference}
    lines = []
    for m in b.methods("iltis", 0.01):
        for h in steps:
            runs = [b.implicit("iltis", m, h, *SOFT) for _ in range(REPEATS)]
            publ = published[m]
            line = [m, h, publ[0] if h == 0.01 else "-", publ[2] if h == publ[1] else "-"]
            if not runs[0]:
                lines.append(line + ["fails"] * 5)
                continue
            rows, s = runs[0]
            seconds = min(r[1]["seconds"] for r in runs)
            known = [(r, by_time.get(round(r["t"], 6))) for r in rows]
            off = max(abs(r["body.z"] - k["body.z"]) for r, k in known if k)
            lines.append(line + [f"{seconds:.3f}", f"{8 / seconds:.0f}", f"{s['iterations']:.2f}", s["most_iterations"], f"{1e3 * off:.1f}"])
    table("off-road car over ramp and stairs, 8 s, soft stops: published on 1.4 GHz; ours; largest difference of the body's height, mm",
          ["method", "step", "publ. s", "publ. x real t", "s", "x real t", "iter.", "most", "mm"], lines)
    print("  published: at 0.01 s the time, at the longest step how many times real time; a commercial program 1.05 times")


def main():
    b = Bench(sys.argv[1])
    for example in (double_four_bar, quarter_car, puma, iltis):
        if len(sys.argv) < 3 or example.__name__ in sys.argv[2:]:
            example(b)


if __name__ == "__main__":
    main()
