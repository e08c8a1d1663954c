#!/usr/bin/env python3
"""Other frames of balls: a mechanism moves the same whatever the frames of its ball joints are.

  other_frames.py --cotree PROGRAM MODEL [MODEL ...] [--soak MODEL ...]

Models behind --soak are for `make soak` (COTREE_SOAK is set): each of their frames is compiled.

The second frame of each spherical or free joint is turned so that its angles start in their lock, near it, and away from it,
or pass exactly through the lock in the middle of the run. All other columns must stay; the angles by name must describe the same rotation with the same angular velocity, and go on
without jumps away from the lock."""
import argparse
import csv
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
import yaml

SAME = 1e-9       # of the largest value of a column, at least 1
SAME_SPIN = 1e-7  # of the largest angular velocity, where angles are not nearer than CLEAR to the lock
CLEAR = 0.02      # sine of the middle angle to the lock
NEAR = 0.02       # radians to the lock


class Loader(yaml.SafeLoader):
    """YAML 1.2: `on` is a name."""


class Dumper(yaml.SafeDumper):
    """Likewise."""


RESOLVERS = {k: [(t, r) for t, r in v if t != "tag:yaml.org,2002:bool"]
             for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.yaml_implicit_resolvers = Dumper.yaml_implicit_resolvers = RESOLVERS
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))


def turn(axis, angle):
    c, s, j, k = math.cos(angle), math.sin(angle), (axis + 1) % 3, (axis + 2) % 3
    r = np.eye(3)
    r[j, j] = r[k, k] = c
    r[j, k], r[k, j] = -s, s
    return r


def rotation(axes, angles):
    return turn(axes[0], angles[0]) @ turn(axes[1], angles[1]) @ turn(axes[2], angles[2])


def turning_axes(axes, angles):
    """Axes of the three turns: u = E q'."""
    first = turn(axes[0], angles[0])
    unit = np.eye(3)
    return np.array([unit[axes[0]], first @ unit[axes[1]], first @ turn(axes[1], angles[1]) @ unit[axes[2]]]).T


def angles_of(axes, r):
    """Three angles of a rotation."""
    i, j = axes[0], axes[1]
    k, s = 3 - i - j, 1 if (j - i) % 3 == 1 else -1
    if i == axes[2]:
        a, b = math.atan2(r[j, i], -s * r[k, i]), math.atan2(math.hypot(r[i, j], r[i, k]), r[i, i])
    else:
        a, b = math.atan2(-s * r[j, k], r[k, k]), math.atan2(s * r[i, k], math.hypot(r[i, i], r[i, j]))
    rest = turn(axes[1], -b) @ turn(axes[0], -a) @ r
    last = axes[2]
    return [a, b, math.atan2(rest[(last + 2) % 3, (last + 1) % 3], rest[(last + 1) % 3, (last + 1) % 3])]


def roll_pitch_yaw(r):
    return [float(x) for x in (math.atan2(r[2, 1], r[2, 2]), math.atan2(-r[2, 0], math.hypot(r[0, 0], r[1, 0])),
                               math.atan2(r[1, 0], r[0, 0]))]


def number(x):
    return float(eval(str(x).replace("^", "**"), {"pi": math.pi, "deg": math.pi / 180}))


def orientation(v):
    return turn(2, number(v[2])) @ turn(1, number(v[1])) @ turn(0, number(v[0]))


class Result:
    def __init__(self, program, model, folder, name):
        path = os.path.join(folder, name + ".yaml")
        with open(path, "w") as f:
            yaml.dump(model, f, Dumper, sort_keys=False)
        done = subprocess.run([program, "simulate", path, "-o", path + ".csv", "--quiet", "--json"], capture_output=True,
                              text=True)
        if done.returncode:
            raise SystemExit(f"{name}: exit {done.returncode}: {done.stderr}")
        with open(path + ".csv") as f:
            rows = list(csv.reader(f))
        self.names, self.rows = rows[0], np.array([[float(x) for x in row] for row in rows[1:]])

    def __getitem__(self, name):
        return self.rows[:, self.names.index(name)]

    def angles(self, joint, prime=""):
        return np.array([self[f"{joint}.{k}{prime}"] for k in (1, 2, 3)]).T


def lock_of(axes):
    return 0 if axes[0] == axes[2] else math.pi / 2


def clearance(axes, middle):
    return abs(math.sin(middle) if axes[0] == axes[2] else math.cos(middle))


def angles_for(mode, axes, u, rng):
    """Three angles in, near or away from the lock; in the lock such that the angular velocity u has rates."""
    angles = [rng.uniform(-3, 3), lock_of(axes), rng.uniform(-3, 3)]
    if mode == "near":
        angles[1] -= NEAR * rng.choice([-1, 1])
    if mode == "away":
        angles[1] -= rng.uniform(0.4, 1.2)
    unit = np.eye(3)
    across = u - u[axes[0]] * unit[axes[0]]
    if mode == "lock" and np.linalg.norm(across) > 1e-12:
        j, k = unit[axes[1]], np.cross(unit[axes[0]], unit[axes[1]])
        angles[0] = math.atan2(across @ k, across @ j)
    return angles


def reframe(model, balls, base, mode, rng):
    """The model with other frames, and for each ball its axes and the turn between both frames."""
    new, frames = json.loads(json.dumps(model)), {}
    initial, guess = new.setdefault("initial", {}), new.setdefault("guess", {})
    for joint in balls:
        entry = new["joints"][joint]
        axes = ["xyz".index(c) for c in entry.get("sequence", "zyx")]
        before, rates = base.angles(joint)[0], base.angles(joint, "'")[0]
        u = turning_axes(axes, before) @ rates
        if mode == "through":
            middle = rotation(axes, base.angles(joint)[len(base.rows) // 2])
            between = middle.T @ rotation(axes, [rng.uniform(-3, 3), lock_of(axes), 0])
            angles = angles_of(axes, rotation(axes, before) @ between)
        else:
            angles = angles_for(mode, axes, u, rng)
            between = rotation(axes, before).T @ rotation(axes, angles)
        rates = np.linalg.lstsq(turning_axes(axes, angles), u, rcond=1e-9)[0]
        orient = entry.get("orient", [0, 0, 0])
        both = orient if isinstance(orient[0], list) else [orient, orient]
        entry["orient"] = [[number(x) for x in both[0]], roll_pitch_yaw(orientation(both[1]) @ between)]
        held = any(f"{joint}.{k}" in initial for k in (1, 2, 3))
        for k in (1, 2, 3):
            initial.pop(f"{joint}.{k}", None)
            guess.pop(f"{joint}.{k}", None)
            value = float(angles[k - 1])
            if held:
                initial[f"{joint}.{k}"] = [value, float(rates[k - 1])]
            else:
                guess[f"{joint}.{k}"] = value
        frames[joint] = axes, between
    return new, frames


def compare(name, base, other, frames):
    """Complaints about columns that differ, and about angles by name."""
    bad = []
    angles = {f"{j}.{k}{p}" for j in frames for k in (1, 2, 3) for p in ("", "'")}
    for column in base.names:
        if column in angles:
            continue
        off = np.max(np.abs(base[column] - other[column])) / max(1, np.max(np.abs(base[column])))
        if not off <= SAME:
            bad.append(f"{name}: {column} differs by {off:.2g}")
    for joint, (axes, between) in frames.items():
        a, ad, b, bd = base.angles(joint), base.angles(joint, "'"), other.angles(joint), other.angles(joint, "'")
        for i in range(len(a)):
            off = np.max(np.abs(rotation(axes, a[i]) @ between - rotation(axes, b[i])))
            if not off <= SAME:
                bad.append(f"{name}: angles of {joint} in row {i} are those of another rotation, by {off:.2g}")
                break
            if min(clearance(axes, a[i][1]), clearance(axes, b[i][1])) < CLEAR:
                continue
            u, v = turning_axes(axes, a[i]) @ ad[i], turning_axes(axes, b[i]) @ bd[i]
            if not np.max(np.abs(u - v)) <= SAME_SPIN * max(1, np.max(np.abs(u))):
                bad.append(f"{name}: rates of {joint} in row {i} are off by {np.max(np.abs(u - v)):.2g}")
                break
            if i and not np.max(np.abs(b[i] - b[i - 1])) <= 1:
                bad.append(f"{name}: angles of {joint} jump in row {i}")
                break
    return bad


def named(model):
    """What names coordinates."""
    ties = [d for d in model["joints"].values() if d.get("type") in ("gear", "constraint")]
    return json.dumps([model.get("motions"), model.get("forces"), model.get("outputs"), ties])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--soak", nargs="+", default=[])
    parser.add_argument("models", nargs="+")
    a = parser.parse_args()
    if os.environ.get("COTREE_SOAK"):
        a.models += a.soak
    bad, runs = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for path in a.models:
            with open(path) as f:
                model = yaml.load(f, Loader)
            name = os.path.basename(path)[:-5]
            balls = [j for j, d in model["joints"].items() if d.get("type") in ("spherical", "free")
                     and not any(f"{j}.{k}" in named(model) for k in (1, 2, 3))]
            if not balls:
                raise SystemExit(f"{name}: no ball to turn")
            base = Result(a.cotree, model, folder, name)
            for mode in ("lock", "near", "away", "through"):
                new, frames = reframe(model, balls, base, mode, random.Random(f"{a.seed} {name} {mode}"))
                bad += compare(f"{name}, {mode}", base, Result(a.cotree, new, folder, f"{name}_{mode}"), frames)
                runs += 1
    print(f"{runs} runs in other frames, {len(bad)} complaints")
    for text in bad:
        print(text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
