"""Trees of bodies on revolute joints, from 7 to 300: how large, how fast, what grows how.

  bench/trees.py COTREE [--joints 7,15,30,100,300] [--json FILE]

Chains have generic axes; the humanoid has a floating base, a torso and four limbs. For each: operations of the dynamics,
seconds to write the equations and the code, to compile it, and microseconds of one forward dynamics: generated code,
MuJoCo's mj_forward without contacts and limits, Simbody's realize(Acceleration), each the least of many rounds in one run.
Accelerations of all of them must agree. MuJoCo and Simbody are measured where their headers are installed.
"""
import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O2", "-march=native", "-fno-math-errno", "-fno-trapping-math"]
AGREE = 1e-6  # of the largest acceleration


def chain(n):
    """Bodies as (parent, axis, at, mass, com, inertia, angle, rate); parent 0: ground."""
    r = random.Random(n)
    u = lambda a, b, d: round(r.uniform(a, b), d)
    bodies = []
    for i in range(n):
        at = [0, 0, 0] if i == 0 else [end, 0, 0.3]
        bodies.append((i, [u(-1, 1, 3) for _ in range(3)], at, u(.7, 1.3, 4), [u(-.1, .1, 4), u(-.1, .1, 4), 0.15],
                       [0.02, 0.03, 0.025], u(-.3, .3, 4), u(-.3, .3, 4)))
        end = u(-.05, .05, 5)
    return f"chain{n}", bodies, False


def humanoid():
    """A pelvis that floats, three joints of the waist, two arms and two legs of six or seven joints each."""
    bodies = [(0, None, None, 10, [0, 0, 0.05], [0.1, 0.08, 0.06], 0, 0)]
    def limb(parent, at, axes, length):
        for axis in axes:
            bodies.append((parent, {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}[axis], at, 1.2,
                           [0.01, 0, length / 2], [0.02, 0.02, 0.004], 0.1 * math.sin(len(bodies)), 0.2))
            parent, at = len(bodies), [0, 0, length]
        return parent
    chest = limb(1, [0, 0, 0.1], "zyx", 0.1)
    for side in (0.2, -0.2):
        limb(chest, [0, side, 0.3], "yxzyzx", 0.12)
    for side in (0.1, -0.1):
        limb(1, [0, side, -0.05], "zxyyyx", -0.2)
    return "humanoid", bodies, True


def numbers(v):
    return " ".join(repr(float(x)) for x in v)


def yaml(name, bodies):
    out = [f"cotree: 1\nname: {name}\ngravity: [0, 0, -9.81]\nbodies:"]
    for i, (_, _, _, mass, com, inertia, _, _) in enumerate(bodies):
        out.append(f"  b{i + 1}: {{mass: {mass}, inertia: {inertia}, com: {com}}}")
    out.append("joints:")
    initial = []
    for i, (parent, axis, at, _, _, _, q, qd) in enumerate(bodies):
        before = f"b{parent}" if parent else "ground"
        if axis is None:
            out.append(f"  j{i + 1}: {{type: free, between: [{before}, b{i + 1}]}}")
            continue
        out.append(f"  j{i + 1}: {{type: revolute, between: [{before}, b{i + 1}], at: [{at}, [0, 0, 0]], axis: {axis}}}")
        initial.append(f"j{i + 1}: [{q}, {qd}]")
    return "\n".join(out) + f"\ninitial: {{{', '.join(initial)}}}\nsimulate: {{time: 0.2, step: 1e-3}}\n"


def mjcf(bodies):
    """The same tree for MuJoCo."""
    def body(i):
        parent, axis, at, mass, com, inertia, _, _ = bodies[i]
        joint = "<freejoint/>" if axis is None else f'<joint type="hinge" axis="{numbers(axis)}"/>'
        inside = "".join(body(k) for k in range(len(bodies)) if bodies[k][0] == i + 1)
        return (f'<body pos="{numbers(at or [0, 0, 0])}">{joint}<inertial pos="{numbers(com)}" mass="{mass}" '
                f'diaginertia="{numbers(inertia)}"/>{inside}</body>')
    sys.setrecursionlimit(10000)
    inside = "".join(body(k) for k in range(len(bodies)) if bodies[k][0] == 0)
    return ('<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"><flag contact="disable" limit="disable"/>'
            f'</option><worldbody>{inside}</worldbody></mujoco>\n')


def mujoco_state(bodies, floats):
    q, qd = [b[6] for b in bodies if b[1]], [b[7] for b in bodies if b[1]]
    return numbers(([0, 0, 0, 1, 0, 0, 0] if floats else []) + q + ([0] * 6 if floats else []) + qd)


def simbody_lines(bodies):
    return "".join(f"{b[0]} {numbers(list(b[1]) + list(b[2]) + [b[3]] + list(b[4]) + list(b[5]) + [b[6], b[7]])}\n"
                   for b in bodies)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def timed(arguments, **options):
    start = time.time()
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: {done.stderr}")
    return time.time() - start, done.stdout


def build(compiler, source, program, flags):
    """A peer's program, None where its library is not installed."""
    done = subprocess.run(compiler + ["-O2", source, "-o", program] + flags, capture_output=True)
    return program if done.returncode == 0 else None


def rate(program, arguments):
    """Microseconds and accelerations; None where the program takes no such tree (MuJoCo 2 reads 100 nested elements)."""
    done = subprocess.run([program] + arguments, capture_output=True, text=True)
    values = [float(x) for x in done.stdout.split()]
    return (values[0], values[1:]) if done.returncode == 0 else (None, None)


def measure(cotree, folder, peers, tree):
    name, bodies, floats = tree
    model = write(f"{folder}/{name}.yaml", yaml(name, bodies))
    batch = str(max(1, 3000 // len(bodies)))
    _, text = timed([cotree, "close", model, "--json"])
    operations = json.loads(text)["dynamics_operations"]["total"]
    row = {"name": name, "joints": len(bodies), "operations": operations}
    row["generate"], _ = timed([cotree, "generate", model, "-o", f"{folder}/{name}"])
    row["compile"], _ = timed(["cc", *FLAGS, f'-DMODEL_HEADER="{name}.h"', f"-DMODEL={name}_model", f"-I{folder}/{name}",
                               f"{HERE}/peers/time_cotree.c", f"{folder}/{name}/{name}.c", "-o", f"{folder}/{name}.run",
                               "-lm"])
    row["cotree"], mine = rate(f"{folder}/{name}.run", [batch])
    if mine is None:
        sys.exit(f"{name}: the generated code fails")
    found = {}
    if peers["mujoco"]:
        state = write(f"{folder}/{name}.state", mujoco_state(bodies, floats))
        row["mujoco"], found["mujoco"] = rate(peers["mujoco"], [write(f"{folder}/{name}.xml", mjcf(bodies)), state, batch])
    if peers["simbody"] and not floats:
        row["simbody"], found["simbody"] = rate(peers["simbody"],
                                                [write(f"{folder}/{name}.txt", simbody_lines(bodies)), batch])
    for who, theirs in found.items():
        if theirs is None:
            continue
        if floats:
            mine, theirs = mine[6:], theirs[6:]
        worst = max(abs(a - b) for a, b in zip(mine, theirs)) / max(abs(a) for a in mine)
        if not worst < AGREE:
            sys.exit(f"{name}: accelerations differ from those of {who} by {worst:.1e}")
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cotree")
    parser.add_argument("--joints", default="7,15,30,100,300")
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        peers = {"mujoco": build(["cc"], f"{HERE}/peers/time_mujoco.c", f"{folder}/time_mujoco", ["-lmujoco"]),
                 "simbody": build(["c++", "-I/usr/include/simbody"], f"{HERE}/peers/time_simbody.cpp",
                                  f"{folder}/time_simbody", ["-lSimTKsimbody", "-lSimTKmath", "-lSimTKcommon"])}
        trees = [chain(int(n)) for n in options.joints.split(",")] + [humanoid()]
        rows = []
        print(f"{'tree':10} {'operations':>10} {'per joint':>9} {'generate s':>10} {'compile s':>9} {'us':>8} "
              f"{'of MuJoCo':>9} {'of Simbody':>10}")
        for tree in trees:
            row = measure(options.cotree, folder, peers, tree)
            rows.append(row)
            beside = [f"{row['cotree'] / row[who]:.3f}" if row.get(who) else "-" for who in ("mujoco", "simbody")]
            print(f"{row['name']:10} {row['operations']:10.0f} {row['operations'] / row['joints']:9.0f} "
                  f"{row['generate']:10.2f} {row['compile']:9.2f} {row['cotree']:8.2f} {beside[0]:>9} {beside[1]:>10}",
                  flush=True)
        if options.json:
            write(options.json, json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
