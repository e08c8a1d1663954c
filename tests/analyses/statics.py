#!/usr/bin/env python3
"""Statics and inverse dynamics with answers from paper.

Structures whose forces a handbook gives; drives that are as many as needed, more and fewer; reactions that are not
unique and become so on bushings; efforts of `inverse` fed back as actuators, which must reproduce the motion.

  statics.py --cotree PROGRAM
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

import yaml

FAILED = []


def expect(what, got, want, tolerance=1e-9):
    size = max(1.0, abs(want))
    if not abs(got - want) <= tolerance * size:
        FAILED.append(f"{what}: {got!r}, not {want!r}")


def expect_true(what, holds):
    if not holds:
        FAILED.append(what)


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def model(self, text):
        path = os.path.join(self.folder, "model.yaml")
        with open(path, "w") as f:
            f.write("cotree: 1\n" + text)
        return path

    def run(self, command, text, *options):
        path = text if text.endswith(".yaml") else self.model(text)
        return subprocess.run([self.path, command, path, *options], capture_output=True, text=True)

    def json(self, command, text, *options):
        run = self.run(command, text, "--json", *options)
        if run.returncode:
            raise SystemExit(f"{command}: {run.stderr}")
        return json.loads(run.stdout), run.stderr

    def table(self, command, text, *options):
        out = os.path.join(self.folder, "out.csv")
        run = self.run(command, text, "-q", "-o", out, *options)
        if run.returncode:
            raise SystemExit(f"{command}: {run.stderr}")
        with open(out) as f:
            rows = list(csv.reader(f))
        return rows[0], [[float(x) for x in r] for r in rows[1:]]


BEAM = """gravity: [0, -10, 0]
points: {top: [2, 3, 0]}
bodies: {beam: {mass: 2, inertia: [0, 0, 0.1], com: [1, 0, 0], points: {e: [2, 0, 0]}}}
joints: {A: {type: revolute, between: [ground, beam], axis: z}}
"""


def beams(p):
    # a rope at the end of a beam carries half of it
    out, _ = p.json("statics", BEAM + "forces: {rope: {type: spring, between: [ground.top, beam.e]}}\ndrives: [rope]")
    expect("tension of a rope", out["forces"]["rope"], 10)
    expect("bearing beside a rope", out["reactions"]["A"]["force"][1], 10)
    # a motor at its root carries all of it: 2 * 10 * 1 N m
    out, _ = p.json("statics", BEAM + "motions: {A: 0}")
    expect("motor of a beam", out["forces"]["A"], 20)
    out, _ = p.json("statics", BEAM + "drives: [A]")
    expect("drive of a beam", out["forces"]["A"], 20)
    # nothing holds it
    run = p.run("statics", BEAM)
    expect_true(f"a beam that falls: {run.stderr}", run.returncode == 3 and
                "not in equilibrium: 'A' is pushed with 20 N m" in run.stderr)
    # twice as many drives as needed: each takes its share by its arm, 2 m of rope beside 1 of a motor
    out, said = p.json("statics", BEAM + "forces: {rope: {type: spring, between: [ground.top, beam.e]}}\ndrives: [rope, A]")
    expect("overactuated", out["overactuated"], 1)
    expect("least squares of a rope", out["forces"]["rope"], 8)
    expect("least squares of a motor", out["forces"]["A"], 4)
    expect_true(f"overactuated without a word: {said}", "more than needed" in said)
    # that the bearing follows from a choice of efforts is no redundant constraint
    expect_true(f"overactuated taken for redundant: {said}",
                "unique" not in said and all(out["reactions"]["A"]["unique"]))
    # outputs may name what is found here
    rope = "forces: {rope: {type: spring, between: [ground.top, beam.e]}}\ndrives: [rope]\n"
    out, _ = p.json("statics", BEAM + rope + "outputs: {load: fy(A), rope: tension(rope), height: y(beam.e), a: ay(beam.e)}")
    for name, value in (("load", 10), ("rope", 10), ("height", 0), ("a", 0)):
        expect(f"output {name} at rest", out["outputs"][name], value)
    out, _ = p.json("equilibrium", BEAM + "forces: {s: {type: torsion, joint: A, stiffness: 1000}}\noutputs: {twist: effort(s), b: fy(A)}")
    expect("output of a torsion at rest", out["outputs"]["twist"], out["forces"]["s"])
    expect("output of a bearing at rest", out["outputs"]["b"], 20)


ARM = """gravity: [0, -10, 0]
bodies: {a: {mass: 1, inertia: 0.1, com: [0.5, 0, 0]}, b: {mass: 1, inertia: 0.1, com: [0.5, 0, 0]}}
joints:
  O: {type: revolute, between: [ground, a], axis: z}
  P: {type: revolute, between: [a, b], at: [[1, 0, 0], [0, 0, 0]], axis: z}
"""


def too_few(p):
    """Drives that leave a freedom alone are refused, also where no unknown stands in its equation."""
    moves = "motions: {O: t, P: 2*t}\n"
    for text, command, options in ((ARM, "statics", ()), (ARM + moves, "statics", ()), (ARM + moves, "inverse", ("--at", "0.1")),
                                   (ARM + moves, "inverse", ("--time", "0.1"))):
        for drive, left in (("O", "P"), ("P", "O")):
            run = p.run(command, text + f"drives: [{drive}]", *options)
            expect_true(f"{command} {options} of an arm with one drive: {run.returncode} {run.stderr}",
                        run.returncode == 3 and f"the drives '{drive}' cannot move '{left}' here (rank 1 of 2)" in run.stderr)
        out, _ = p.json(command, text + "drives: [O, P]", *options)
        expect_true("an arm with two drives", set(out["forces"]) == {"O", "P"})
    # a freedom that is in balance needs no drive
    out, _ = p.json("statics", ARM.replace("b: {mass: 1, inertia: 0.1, com: [0.5, 0, 0]}", "b: {mass: 1, inertia: 0.1}")
                    + "drives: [O]")
    expect("an arm that is balanced about its elbow", out["forces"]["O"], 15)


def doors(p):
    door = """gravity: [0, 0, -10]
bodies: {door: {mass: 20, inertia: [1, 2, 3], com: [0.4, 0, 0.5]}}
joints:
  low: {type: revolute, between: [ground, door], axis: z}
  high: {type: revolute, between: [ground, door], at: [0, 0, 1], axis: z}
motions: {low: 0}
"""
    out, said = p.json("statics", door)
    low, high = out["reactions"]["low"], out["reactions"]["high"]
    expect_true(f"a door on two hinges: {said}", "reactions of 'low', 'high' are not unique" in said)
    expect_true("flags of a door", low["unique"] == [False] * 5 + [True] == high["unique"])
    expect("weight of a door", low["force"][2] + high["force"][2], 200)
    # about the foot of the low hinge: the weight at 0.4 m
    expect("tilting moment of a door", low["moment"][1] + high["moment"][1] + 1 * high["force"][0], -80)
    # a ball and a sleeve carry it in one way
    out, said = p.json("statics", door.replace("high: {type: revolute,", "high: {type: inline,")
                       .replace("low: {type: revolute, between: [ground, door], axis: z}",
                                "low: {type: spherical, between: [ground, door], sequence: zyx}")
                       .replace("motions: {low: 0}", "motions: {low.1: 0}"))
    expect("sleeve of a door", out["reactions"]["high"]["force"][0], -80)
    expect("ball of a door", out["reactions"]["low"]["force"][2], 200)
    expect_true("one way to carry a door", all(out["reactions"]["low"]["unique"]) and "unique" not in said)
    # on two bushings the sum is the same
    soft = door.split("joints:")[0] + """forces:
  low: {type: bushing, between: [ground, door], stiffness: [1e6, 1e6, 1e6, 10, 10, 10]}
  high: {type: bushing, between: [ground.h, door.h], stiffness: [1e6, 1e6, 1e6, 10, 10, 10]}
""".replace("forces:", "joints: {at: {type: free, between: [ground, door]}}\npoints: {h: [0, 0, 1]}\nforces:")
    soft = soft.replace("com: [0.4, 0, 0.5]", "com: [0.4, 0, 0.5], points: {h: [0, 0, 1]}")
    out, said = p.json("equilibrium", soft)
    expect("weight on bushings", out["forces"]["low"]["force"][2] + out["forces"]["high"]["force"][2], 200, 1e-6)


def tables(p):
    # four legs: the sum over both diagonals is all that statics knows
    legs = "\n".join(f"  l{i}: {{type: inplane, between: [ground, top], at: [[{x}, {y}, 0], [{x}, {y}, 0]], axis: z}}"
                     for i, (x, y) in enumerate([(0, 0), (1, 0), (1, 1), (0, 1)]))
    text = f"""gravity: [0, 0, -10]
bodies: {{top: {{mass: 4, inertia: [1, 1, 1], com: [0.5, 0.25, 0]}}}}
joints:
{legs}
  slide: {{type: planar, between: [ground, top], axis: z, virtual: true}}
motions: {{slide.x: 0, slide.y: 0, slide.angle: 0}}
"""
    out, said = p.json("statics", text)
    force = [out["reactions"][f"l{i}"]["force"][2] for i in range(4)]
    expect("a table", sum(force), 40)
    expect("least squares of a table", force[0], 15)
    expect("least squares of a table", force[2], 5)
    expect_true("flags of a table", out["reactions"]["l0"]["unique"] == [True, True, False, True, True, True])
    expect_true(f"a table without a word: {said}", "not unique" in said)


# a four-bar in a plane of space, held by its crank; {D} is its last joint
FOUR_BAR = """gravity: [0, -10, 0]
points: {{foot: [1, 0, 0]}}
bodies:
  crank: {{mass: 2, inertia: [0.1, 0.1, 0.1], com: [0.1, 0, 0]}}
  coupler: {{mass: 3, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}}
  rocker: {{mass: 4, inertia: [0.1, 0.1, 0.1], com: [0.3, 0, 0], points: {{end: [0.6, 0, 0]}}}}
joints:
  A: {{type: revolute, between: [ground, crank], axis: z}}
  B: {{type: revolute, between: [crank, coupler], at: [[0.3, 0, 0], [0, 0, 0]], axis: z}}
  C: {{type: revolute, between: [coupler, rocker], at: [[1, 0, 0], [0, 0, 0]], axis: z}}
{D}
motions: {{A: 0.7}}
guess: {{B: -0.4, C: -1.7}}
"""


def four_bars(p):
    """Revolutes of a planar four-bar hold it in one way in its plane, and in several across it."""
    hinge = FOUR_BAR.format(D="  D: {type: revolute, between: [ground, rocker], at: [[1, 0, 0], [0.6, 0, 0]], axis: z}")
    out, said = p.json("statics", hinge)
    expect_true(f"in its plane a four-bar carries in one way: {said}", "unique" not in said)
    for name, r in out["reactions"].items():
        expect_true(f"flags of {name}: {r['unique']}", r["unique"] == [True, True, False, False, False, True])
        expect_true(f"{name} carries across the plane", r["force"][2] == r["moment"][0] == r["moment"][1] == 0)
    # a fourth link beside the coupler: now the plane has one too many
    twice = hinge.replace("\njoints:", "\n  twin: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}\njoints:")
    twice = twice.replace("\nmotions", "\n  E: {type: revolute, between: [crank, twin], at: [[0.3, 0, 0], [0, 0, 0]], axis: z}"
                          "\n  F: {type: revolute, between: [twin, rocker], at: [[1, 0, 0], [0, 0, 0]], axis: z}\nmotions")
    again, said = p.json("statics", twice.replace("guess: {", "guess: {E: -0.4, F: -1.7, "))
    expect_true(f"a coupler twice: {said}", "reactions of 'B', 'C', 'E', 'F' are not unique (1 redundant constraint)" in said)
    expect_true("flags of a coupler twice", again["reactions"]["A"]["unique"][:2] == [True, True] and
                not all(again["reactions"]["B"]["unique"][:2]))
    # a bushing in the place of the last hinge carries what that did, and the others carry in one way
    soft = FOUR_BAR.format(D="forces:\n  D: {type: bushing, between: [ground.foot, rocker.end], "
                             "stiffness: [1e9, 1e9, 1e9, 0, 0, 0]}")
    rest, said = p.json("equilibrium", soft)
    for k in range(3):
        expect("a bushing of a four-bar", rest["forces"]["D"]["force"][k], out["reactions"]["D"]["force"][k], 1e-5)
    for name, r in rest["reactions"].items():
        expect_true(f"{name} beside a bushing: {r['unique']}", all(r["unique"]))
        for k in range(3):
            expect(f"{name} beside a bushing", r["force"][k], out["reactions"][name]["force"][k], 1e-5)


def held(p):
    """What holds a coordinate of equilibrium is an effort, with the reactions that a motion would have."""
    hinge = FOUR_BAR.format(D="  D: {type: revolute, between: [ground, rocker], at: [[1, 0, 0], [0.6, 0, 0]], axis: z}")
    out, _ = p.json("statics", hinge)
    rest, _ = p.json("equilibrium", hinge.replace("motions: {A: 0.7}", "initial: {A: 0.7}"), "--hold", "A")
    expect("effort of a held crank", rest["forces"]["A"], out["forces"]["A"])
    for name, r in rest["reactions"].items():
        for k in range(3):
            expect(f"{name} beside a held crank", r["force"][k], out["reactions"][name]["force"][k])


def across(p):
    """Loads across the plane of a mechanism: what hinges carry there is not unique, which is told."""
    hinge = FOUR_BAR.format(D="  D: {type: revolute, between: [ground, rocker], at: [[1, 0, 0], [0.6, 0, 0]], axis: z}")
    text = hinge.replace("gravity: [0, -10, 0]", "gravity: [0, 0, -10]")
    for command, options in (("statics", ()), ("inverse", ("--time", "0.01"))):
        out, said = p.json(command, text, *options)
        expect_true(f"{command} under loads across the plane: {said}",
                    "reactions of 'A', 'B', 'C', 'D' are not unique (3 redundant constraints)" in said)
    out, _ = p.json("statics", text)
    expect("weight across the plane", out["reactions"]["A"]["force"][2] + out["reactions"]["D"]["force"][2], 90)


def singular(p):
    """Two bars in a line carry no load across them: reactions of any size are none."""
    text = """gravity: [0, -10, 0]
bodies: {a: {mass: 1, inertia: 0.1, com: [0.5, 0, 0]}, b: {mass: 1, inertia: 0.1, com: [0.5, 0, 0]}}
joints:
  A: {type: revolute, between: [ground, a], axis: z}
  B: {type: revolute, between: [a, b], at: [[1, 0, 0], [0, 0, 0]], axis: z}
  C: {type: revolute, between: [ground, b], at: [[SPAN, 0, 0], [1, 0, 0]], axis: z}
guess: {A: -0.1, B: 0.2}
"""
    run = p.run("equilibrium", text.replace("SPAN", "2"))
    expect_true(f"bars in a line: {run.stderr}", run.returncode == 3 and
                "the joints are in a singular position: reactions have no finite value ('A', 'B', 'C')" in run.stderr)
    # a little lower they do: half of both weights on the tangent of the slope
    out, _ = p.json("statics", text.replace("SPAN", "2*cos(1e-3)"))
    expect("bars with a slope of 1e-3", abs(out["reactions"]["B"]["force"][0]), 5 / math.tan(1e-3), 1e-8)


def soft_tables(p):
    """Four springy legs of a table share its weight by their stiffness: all of it, and its moments."""
    feet = [(0, 0), (1, 0), (1, 1), (0, 1)]
    ground = ", ".join(f"g{i}: [{x}, {y}, 0]" for i, (x, y) in enumerate(feet))
    top = ", ".join(f"t{i}: [{x}, {y}, 0]" for i, (x, y) in enumerate(feet))
    legs = "\n".join(f"  l{i}: {{type: bushing, between: [ground.g{i}, top.t{i}], stiffness: [1e7, 1e7, {k}e7]}}"
                     for i, k in enumerate((1, 2, 1, 3)))
    out, said = p.json("equilibrium", f"""gravity: [0, 0, -10]
points: {{{ground}}}
bodies: {{top: {{mass: 4, inertia: [1, 1, 1], com: [0.5, 0.25, 0], points: {{{top}}}}}}}
joints: {{at: {{type: free, between: [ground, top]}}}}
forces:
{legs}
""")
    force = [out["forces"][f"l{i}"]["force"][2] for i in range(4)]
    expect("a soft table", sum(force), 40, 1e-6)
    expect("a soft table across", force[1] + force[2], 20, 1e-5)
    expect("a soft table along", force[2] + force[3], 10, 1e-5)
    expect_true(f"one way to carry a soft table: {said}", "unique" not in said)


GEARS = """gravity: [0, 0, 0]
bodies: {a: {mass: 1, inertia: [0, 0, 0.02]}, b: {mass: 1, inertia: [0, 0, 0.08]}}
joints:
  A: {type: revolute, between: [ground, a], axis: z}
  B: {type: revolute, between: [ground, b], at: [[0.3, 0, 0], [0, 0, 0]], axis: z}
  g: {type: gear, joints: [A, B], ratio: -0.5}
motions: {A: 3*t^2}
"""


def motions_of_points(p):
    """Efforts of motions of points, as columns and as outputs by the names that they have."""
    names, rows = p.table("kinematics", """gravity: [0, -10, 0]
points: {G: [0, 0, 0]}
bodies: {cart: {mass: 2, points: {P: [0, 0, 0]}}, arm: {mass: 1, inertia: 0.1, com: [0.5, 0, 0], points: {e: [1, 0, 0]}}}
joints:
  s: {type: prismatic, between: [ground, cart], axis: x}
  r: {type: revolute, between: [cart, arm], axis: z}
motions: {x(cart.P): 0.1*t^2 + 1, "distance(ground.G, arm.e)": 1.5 + 0.1*t}
guess: {r: 1}
outputs: {push: effort(x(cart.P)), apart: "effort(distance(ground.G,arm.e))"}
""", "--reactions", "--time", "0.1", "--step", "0.05")
    for row in rows:
        value = dict(zip(names, row))
        expect("effort of a point", value["push"], value["x(cart.P).effort"])
        expect("effort of a distance", value["apart"], value["distance(ground.G, arm.e).effort"])
        expect_true("efforts of points", abs(value["push"]) > 0.1 < abs(value["apart"]))


def gears(p):
    # A turns with 6 rad/s2, B with -3: lambda = 0.08 * -3, the motor needs 0.02 * 6 + 0.5 * 0.24
    out, _ = p.json("inverse", GEARS, "--at", "0.7")
    expect("gear", out["reactions"]["g"]["lambda"], -0.24)
    expect("motor of a gear", out["forces"]["A"], 0.24)
    out, _ = p.json("inverse", GEARS, "--time", "1")
    expect("motor of a gear", out["forces"]["A"]["max"], 0.24)
    expect("power of a gear", out["forces"]["A"]["peak_power"], 0.24 * 6, 1e-6)
    run = p.run("inverse", GEARS.replace("motions: {A: 3*t^2}", ""))
    expect_true(f"freedom not driven: {run.stderr}", run.returncode == 3 and "1 freedom is not driven: 'A'" in run.stderr)


# closed mechanisms with one motion
FED_BACK = ("four_bar_driven.yaml", "slider_crank_driven.yaml", "quick_return.yaml", "quick_return_link.yaml",
            "quick_return_pins.yaml", "stephenson3_beta.yaml", "stephenson3_theta.yaml", "landing_gear.yaml",
            "../tests/models/closure_watt.yaml", "../tests/models/closure_watt_dyad.yaml")


def feedback(p, path, motion, time, step):
    """The effort of a motion, fed to an actuator in its place, gives the same motion."""
    with open(path) as f:
        text = f.read()
    names, rows = p.table("inverse", path, "--time", str(time), "--step", step)
    t, effort, q = (names.index(n) for n in ("t", f"{motion}.effort", motion))
    # a table of the effort replaces the motion
    model = yaml.load(text, yaml.BaseLoader)
    for key in ("motions", "initial", "guess", "outputs", "simulate", "cotree"):
        model.pop(key, None)
    model.setdefault("tables", {})["effort_of_motion"] = {"x": [r[t] for r in rows], "y": [r[effort] for r in rows]}
    model.setdefault("forces", {})["effort_of_motion"] = {"type": "actuator", "joint": motion,
                                                          "value": "table(effort_of_motion, t)"}
    model["initial"] = {motion: [rows[0][q], rows[0][names.index(motion + "'")]]}
    joints = names[1:names.index(names[1] + "'")]
    model["guess"] = {n: rows[0][names.index(n)] for n in joints if n != motion}
    again = yaml.safe_dump(model, sort_keys=False, width=10000)
    names2, rows2 = p.table("simulate", again, "--time", str(time), "--step", step, "--integrator", "rk4")
    off = max(abs(a[names.index(motion)] - b[names2.index(motion)]) for a, b in zip(rows, rows2))
    expect(f"motion by its own effort, {os.path.basename(path)}", off, 0, 1e-8)


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--cotree", required=True)
    a.add_argument("--models", required=True)
    args = a.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        p = Program(os.path.abspath(args.cotree), folder)
        beams(p)
        too_few(p)
        doors(p)
        tables(p)
        soft_tables(p)
        four_bars(p)
        gears(p)
        held(p)
        motions_of_points(p)
        across(p)
        singular(p)
        # a tenth of a second, in the soak all of it
        time, step = (1.0, "1e-4") if os.environ.get("COTREE_SOAK") else (0.1, "2.5e-4")
        for name in FED_BACK:
            path = os.path.join(args.models, name)
            with open(path) as f:
                line = next(x for x in f if x.startswith("motions:"))
            feedback(p, path, line.split("{")[1].split(":")[0].strip(), time, step)
    if FAILED:
        sys.exit("\n".join(FAILED))
    print("statics and inverse dynamics: right")


if __name__ == "__main__":
    main()
