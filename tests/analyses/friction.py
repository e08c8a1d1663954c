#!/usr/bin/python3
"""Friction by load against closed forms and implicit solutions of its own: friction.py COTREE

A block on a slope; a pendulum in a journal bearing, integrated here with Newton's iteration for the effort; a four-bar with
two frictions, whose accelerations and efforts follow here from Newton and Euler of its bodies; joints that lock, and loads
that are not unique.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

cotree, failures = sys.argv[1], []
folder = tempfile.mkdtemp()


def check(what, good, detail=""):
    if not good:
        failures.append(f"{what} {detail}")


def run(text, *options, command="simulate"):
    path, out = os.path.join(folder, "m.yaml"), os.path.join(folder, "m.csv")
    with open(path, "w") as file:
        file.write(text)
    done = subprocess.run([cotree, command, path, "--json", "-o", out, *options], capture_output=True, text=True)
    if done.returncode:
        return done.returncode, done.stderr, None
    with open(out) as file:
        rows = list(csv.reader(file))
    return 0, json.loads(done.stdout), {n: np.array([float(r[i]) for r in rows[1:]]) for i, n in enumerate(rows[0])}


# a block on a slope of 30 degrees: N is its weight across it -------------------------------------------------------------
BLOCK = """cotree: 1
gravity: [4.905, 0, -8.495709211125341]
bodies: {block: {mass: 2}}
joints: {S: {type: prismatic, between: [ground, block], axis: x}}
forces: {rub: {type: friction, joint: S, coefficient: 0.3, slip_speed: 1e-3}}
outputs: {f: effort(rub)}
initial: {S: [0, 1]}
simulate: {time: 0.5, step: 1e-3}
"""
code, info, rows = run(BLOCK)
v = rows["S'"]
load = 2 * 8.495709211125341
check("block: effort", np.allclose(rows["f"], -0.3 * load * v / np.hypot(v, 1e-3), rtol=1e-13))
check("block: sliding", abs(v[-1] - 1 - 0.5 * (4.905 - 0.3 * load / 2)) < 1e-6, v[-1])
check("block: energy", info["energy_drift"] < 1e-8, info["energy_drift"])

# a pendulum in a journal bearing, by the same integrator --------------------------------------------------------------------
JOURNAL = """cotree: 1
gravity: [0, -9.81, 0]
bodies: {rod: {mass: 2, inertia: 0.3, com: [0.6, 0, 0]}}
joints: {J: {type: revolute, between: [ground, rod], axis: z}}
forces: {rub: {type: friction, joint: J, coefficient: MU, radius: 0.05, slip_speed: 0.05}}
outputs: {f: effort(rub)}
initial: {J: [0.3, 1]}
simulate: {time: 1, step: 1e-3}
"""


def pendulum(q, w, mu=0.4, m=2, inertia=0.3, arm=0.6, g=9.81, radius=0.05, slip=0.05):
    """Effort and acceleration, by Newton's iteration."""
    s, effort = mu * radius * w / math.hypot(w, slip), 0.0
    for _ in range(50):
        a = (effort - m * g * arm * math.cos(q)) / (inertia + m * arm**2)
        fx = m * arm * (-math.sin(q) * a - math.cos(q) * w * w)
        fy = m * arm * (math.cos(q) * a - math.sin(q) * w * w) + m * g
        load = math.hypot(fx, fy)
        slope = m * arm * (-math.sin(q) * fx + math.cos(q) * fy) / load / (inertia + m * arm**2)
        step = (effort + s * load) / (1 + s * slope)
        effort -= step
    return effort, a


def rk4(y, h):
    def rate(y):
        return np.array([y[1], pendulum(*y)[1]])
    a = rate(y)
    b = rate(y + h / 2 * a)
    c = rate(y + h / 2 * b)
    return y + h / 6 * (a + 2 * b + 2 * c + rate(y + h * c))


y = np.array([0.3, 1.0])
for _ in range(1000):
    y = rk4(y, 1e-3)
for method in ("triangular", "augmented"):
    code, info, rows = run(JOURNAL.replace("MU", "0.4"), "--method", method, "--integrator", "rk4")
    check(f"journal by {method}", abs(rows["J"][-1] - y[0]) < 1e-11 and abs(rows["J'"][-1] - y[1]) < 1e-11, rows["J"][-1] - y[0])
    check(f"journal by {method}: effort", abs(rows["f"][-1] - pendulum(*y)[0]) < 1e-10)
    check(f"journal by {method}: energy", info["energy_drift"] < 1e-8, info["energy_drift"])
code, said, rows = run(JOURNAL.replace("MU", "20"))
check("a joint that locks is refused", code == 3 and "'rub' in joint 'J'" in said and "at t = 0 " in said, said)

# a four-bar with two frictions ------------------------------------------------------------------------------------------------
FOUR_BAR = """cotree: 1
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, inertia: 0.01, com: [0.1, 0, 0]}
  rod: {mass: 2, inertia: 0.05, com: [0.25, 0.05, 0]}
  rocker: {mass: 1.5, inertia: 0.03, com: [0.2, 0, 0]}
joints:
  A: {type: revolute, between: [ground, crank], axis: z}
  B: {type: revolute, between: [crank, rod], at: [[0.2, 0, 0], [0, 0, 0]], axis: z}
  C: {type: revolute, between: [rod, rocker], at: [[0.5, 0, 0], [0.4, 0, 0]], axis: z}
  D: {type: revolute, between: [ground, rocker], at: [[0.45, 0, 0], [0, 0, 0]], axis: z}
forces:
  fA: {type: friction, joint: A, coefficient: 0.2, radius: 0.03, slip_speed: 0.05}
  fC: {type: friction, joint: C, coefficient: 0.3, radius: 0.04, slip_speed: 0.05, viscous: 0.01}
outputs: {tA: effort(fA), tC: effort(fC), acc: "A''"}
initial: {A: [1, 8]}
guess: {B: -0.5, D: 1.5}
simulate: {time: 0.5, step: 1e-3}
"""
BODIES = ((1, 0.01, (0.1, 0)), (2, 0.05, (0.25, 0.05)), (1.5, 0.03, (0.2, 0)))
# joints: bodies (-1: ground) and the point in either
JOINTS = ((-1, 0, (0, 0), (0, 0)), (0, 1, (0.2, 0), (0, 0)), (1, 2, (0.5, 0), (0.4, 0)), (-1, 2, (0.45, 0), (0, 0)))
RUBS = ((0, 0.2 * 0.03, 0.0), (2, 0.3 * 0.04, 0.01))  # joint, mu r, viscous


def four_bar(angles, spins):
    """Efforts and spin rate of the crank: centres of mass, spins, forces of joints as unknowns, efforts by Newton."""
    def turned(b, p):
        c, s = math.cos(angles[b]), math.sin(angles[b])
        return np.array([c * p[0] - s * p[1], s * p[0] + c * p[1]])
    speed = [spins[0], spins[2] - spins[1]]
    shares = [lever * v / math.hypot(v, 0.05) for (_, lever, _), v in zip(RUBS, speed)]

    def motion(efforts):
        a, right = np.zeros((17, 17)), np.zeros(17)
        for b, (m, inertia, _) in enumerate(BODIES):
            a[3 * b, 3 * b] = a[3 * b + 1, 3 * b + 1] = m
            a[3 * b + 2, 3 * b + 2] = inertia
            right[3 * b + 1] = -9.81 * m
        for j, (first, second, p, q) in enumerate(JOINTS):
            for body, point, sign in ((first, p, -1), (second, q, 1)):
                if body < 0:
                    continue
                arm = turned(body, np.array(point) - np.array(BODIES[body][2]))
                jac = np.array([[1, 0, -arm[1]], [0, 1, arm[0]]])
                a[9 + 2 * j:11 + 2 * j, 3 * body:3 * body + 3] = sign * jac
                a[3 * body:3 * body + 3, 9 + 2 * j:11 + 2 * j] = -sign * jac.T
                right[9 + 2 * j:11 + 2 * j] += sign * arm * spins[body] ** 2
        for (j, _, viscous), v, effort in zip(RUBS, speed, efforts):
            for body, sign in ((JOINTS[j][0], -1), (JOINTS[j][1], 1)):
                if body >= 0:
                    right[3 * body + 2] += sign * (effort - viscous * v)
        return np.linalg.solve(a, right)

    def miss(efforts):
        x = motion(efforts)
        return np.array([e + s * math.hypot(*x[9 + 2 * j:11 + 2 * j]) for (j, _, _), s, e in zip(RUBS, shares, efforts)])
    efforts = np.zeros(2)
    for _ in range(20):
        h = 1e-3
        slope = np.array([(miss(efforts + h * e) - miss(efforts - h * e)) / (2 * h) for e in np.eye(2)]).T
        efforts = efforts - np.linalg.solve(slope, miss(efforts))
    return efforts[0], efforts[1] - 0.01 * speed[1], motion(efforts)[2]


ends = []
for options in (["triangular"], ["partition"], ["penalty"], ["triangular", "--reactions"]):
    code, info, rows = run(FOUR_BAR, "--method", *options)
    for i in range(0, 501, 50):
        a, b, c, d = (rows[n][i] for n in "ABCD")
        va, vb, vd = (rows[n + "'"][i] for n in "ABD")
        expected = four_bar((a, a + b, d), (va, va + vb, vd))
        got = rows["tA"][i], rows["tC"][i], rows["acc"][i]
        check(f"four-bar {options} row {i}", np.allclose(got, expected, rtol=1e-7, atol=1e-8), f"{got} {expected}")
    check(f"four-bar {options}: energy", info["energy_drift"] < 1e-7, info["energy_drift"])
    ends.append(rows["A"][-1])
check("methods agree", max(ends) - min(ends) < 1e-6, ends)

# two hinges of a door share their load as nobody knows; driven, the effort of the motion has the friction ------------------------
DOOR = """cotree: 1
gravity: [0, 0, -9.81]
bodies: {leaf: {mass: 20, inertia: [1.7, 2.7, 1.1], com: [0.4, 0, 1]}}
joints:
  low: {type: revolute, between: [ground, leaf], at: [0, 0, 0.2], axis: z}
  high: {type: HIGH, between: [ground, leaf], at: [0, 0, 1.8]AXIS}
forces: {rub: {type: friction, joint: low, coefficient: 0.1, radius: 0.02}}
MOTION
simulate: {time: 0.1, step: 1e-2}
"""


SECOND = "  high: {type: revolute, between: [ground, leaf], at: [0, 0, 1.8], axis: z}\n"


def door(high, axis, motion):
    return DOOR.replace("HIGH", high).replace("AXIS", axis).replace("MOTION", motion)


code, said, rows = run(door("revolute", ", axis: z", "initial: {low: [0, 1]}"))
check("a load that is not unique is refused", code == 3 and "joint 'low' is not unique" in said and "'rub'" in said, said)
driven = door("revolute", ", axis: z", "motions: {low: 2*t}").replace(SECOND, "")
code, info, rows = run(driven, command="inverse")
load = np.hypot(rows["low.fx"], rows["low.fy"])
check("a driven door", np.allclose(rows["low.effort"], 0.1 * 0.02 * load * 2 / math.hypot(2, 1e-3), rtol=1e-10) and load[0] > 20)
path = os.path.join(folder, "m.yaml")
at = json.loads(subprocess.run([cotree, "inverse", path, "--at", "0.05", "--json"], capture_output=True, text=True).stdout)
check("at one instant", abs(at["forces"]["low"] - rows["low.effort"][5]) < 1e-9, at["forces"])
still = json.loads(subprocess.run([cotree, "statics", path, "--json"], capture_output=True, text=True).stdout)
check("no load at rest", abs(still["forces"]["low"]) < 1e-12, still["forces"])

print("\n".join(failures + [f"friction: {len(failures)} failures"]))
sys.exit(bool(failures))
