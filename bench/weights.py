"""Fits what sums and products, quotients and functions cost to the measured time of a right-hand side.

  bench/weights.py COTREE [MODEL ...]

Without models: those of the gallery. Iterated closures are left out, their counts are of one correction, and so are
models that take longer than LONGEST. Errors are relative, so that small models count as much as large ones.
"""
import glob
import json
import math
import os
import subprocess
import sys

LONGEST = 120  # s for all approaches to one model
KINDS = ("add", "mul", "div", "func")


def answer(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=LONGEST)
    return json.loads(done.stdout) if done.returncode == 0 else None


def measure(cotree, path):
    """Nanoseconds of a right-hand side and its operations; None if there are none, or roots are followed."""
    try:
        bench, close = (answer([cotree, word, path, "--json"]) for word in ("bench", "close"))
    except subprocess.TimeoutExpired:
        return None
    if not bench or not close or not close["triangular"] or not close["steps"]:
        return None
    time = next(a for a in bench["approaches"] if a["name"] == "triangular")["dynamic_ms_per_s"]
    both = close["position_operations"], close["dynamics_operations"]
    count = [sum(part[kind] for part in both) for kind in KINDS]
    return time and (time * bench["step"] * 1e6, count)


def solve(matrix, right):
    """A small linear system, by elimination with pivots."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(n):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def fit(times, columns):
    """Least squares of relative errors."""
    scaled = [[value / time for value in row] for row, time in zip(columns, times)]
    n = len(columns[0])
    matrix = [[sum(row[i] * row[k] for row in scaled) for k in range(n)] for i in range(n)]
    return solve(matrix, [sum(row[i] for row in scaled) for i in range(n)])


def fit_positive(times, columns):
    """The same, with quotients as dear as products where functions, which come with them, explain their time."""
    weights = fit(times, columns)
    if weights[1] < weights[0]:
        product, function = fit(times, [[row[0] + row[1], row[2]] for row in columns])
        weights = [product, product, function]
    return weights


def correlation(a, b):
    """Of the logarithms."""
    a, b = [math.log(v) for v in a], [math.log(v) for v in b]
    am, bm = sum(a) / len(a), sum(b) / len(b)
    cross = sum((x - am) * (y - bm) for x, y in zip(a, b))
    return cross / math.sqrt(sum((x - am) ** 2 for x in a) * sum((y - bm) ** 2 for y in b))


def main():
    paths = sys.argv[2:] or sorted(glob.glob(os.path.join(os.path.dirname(__file__), "..", "models", "*.yaml")))
    found = []
    for path in paths:
        result = measure(sys.argv[1], path)
        if result:
            found.append((os.path.basename(path)[:-5], *result))
    times = [time for _, time, _ in found]
    columns = [[count[0] + count[1], count[2], count[3]] for _, _, count in found]
    weights = fit_positive(times, columns)
    told = [sum(w * v for w, v in zip(weights, row)) for row in columns]
    print("%-26s %9s %9s %6s %6s %6s" % ("model", "ns", "fitted", "+ *", "/", "func"))
    for (name, time, _), row, value in zip(found, columns, told):
        print("%-26s %9.1f %9.1f %6d %6d %6d" % (name, time, value, *row))
    print("a sum or product %.3f ns; in these: a quotient %.1f, a function %.1f" %
          (weights[0], weights[1] / weights[0], weights[2] / weights[0]))
    print("correlation with time: %.4f by these weights, %.4f by the count of operations that closures are chosen by" %
          (correlation(told, times), correlation([sum(row) for row in columns], times)))


if __name__ == "__main__":
    main()
