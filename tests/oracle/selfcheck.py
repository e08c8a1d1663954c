#!/usr/bin/python3
"""Checks the oracle against itself: selfcheck.py MODEL.yaml ...

1. Coordinates read from poses that were built joint by joint from the formulas of the language come
   back unchanged. 2. Rates, rows and biases of all coordinates and constraints agree with finite
   differences along a path of poses with constant velocities (v, omega). Prints the largest error.
"""
import sys

import numpy as np

from mechanism import Model, stack
from oracle import assemble, start


def along(s, V, h):
    """Constraints and coordinates at time t + h on the path with the constant velocities V."""
    pos, quat, t, last, keep = s.pos.copy(), s.quat.copy(), s.t, dict(s.last), s.V
    s.move(V * h)
    s.t, s.V = t + h, V
    c = s.context()
    k = stack([c.coordinate(n) for n in s.model.names], s.model.n)
    con = c.constraints()
    s.pos, s.quat, s.t, s.last, s.V = pos, quat, t, last, keep
    return (np.concatenate([k.val, con.val]), np.concatenate([k.rate, con.rate]),
            np.concatenate([k.bias, con.bias]), np.vstack([k.row, con.row]))


def main():
    rng = np.random.default_rng(1)
    for path in sys.argv[1:]:
        model = Model(path)
        s, target, _ = start(model)
        c = s.context()
        tree = [n for n in model.names if abs(c.coordinate(n).val - target[n]) < 1e-12]
        s = assemble(model)
        s.remember()
        V, W, h = rng.normal(size=model.n), rng.normal(size=model.n), 1e-4
        f = [along(s, V, i * h) for i in (-2, -1, 0, 1, 2)]
        diff = lambda k: (f[0][k] - 8 * f[1][k] + 8 * f[3][k] - f[4][k]) / (12 * h)
        row = max(np.max(np.abs(along(s, W, 0)[1] - f[2][1] - f[2][3] @ (W - V)), initial=0), 0)
        print(f"{path}: {len(tree)} of {len(model.names)} coordinates come back, "
              f"rates {np.max(np.abs(diff(0) - f[2][1])):.1e}, biases {np.max(np.abs(diff(1) - f[2][2])):.1e}, rows {row:.1e}")


if __name__ == "__main__":
    main()
