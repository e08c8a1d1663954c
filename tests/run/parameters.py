#!/usr/bin/env python3
"""Parameters at run time: a generated program with other parameters moves as `simulate --set` does, or both refuse them.

  parameters.py --cotree PROGRAM [--draws N] [--list] [MODEL ...]

Each model is generated and compiled once. Every parameter that is not derived is scaled, turned in sign and set to zero, one at a
time; then all of them are drawn together. Without models, those below are taken: each has one kind of decision that a value of
a parameter makes when equations are written. A program may also refuse values that `simulate` gets new equations for, if it does
so at the start and names where: they make another mechanism of it. Angles may be on another turn. Anything else is a failure."""
import argparse
import csv
import io
import math
import os
import random
import re
import subprocess
import sys
import tempfile

SAME = 1e-8  # of the largest value of a column, at least 1: rounding that grows in twenty steps
STEPS = 20
TOGETHER = 0.03  # relative spread of parameters that are drawn together
SECONDS = 60

TWO = """cotree: 1
gravity: [0, -9.81, 0]
"""

# One arm on a joint whose line is given; `c` is its coordinate.
ARM = TWO + """parameters: {{{parameters}}}
bodies: {{arm: {{mass: 1, inertia: [0.1, 0.2, 0.3], com: [0.4, 0.1, 0.2]}}}}
joints: {{c: {{between: [ground, arm], {joint}}}}}
forces: {{push: {{type: force, on: arm, vector: [1, 2, 3]}}}}
initial: {{{initial}}}
"""

FOUR = TWO + """parameters: {{{parameters}}}
bodies:
  a: {{mass: 1, inertia: 0.1, com: [0.5, 0, 0], points: {{E: [1, 0, 0]}}}}
  b: {{mass: 1, inertia: 0.1, com: [1, 0, 0], points: {{E: [2, 0, 0]}}}}
  c: {{mass: 1, inertia: 0.1, com: [0.7, 0, 0], points: {{E: [1.5, 0, 0]}}}}
joints:
  A: {{type: revolute, between: [ground, a], axis: {axis}}}
  B: {{type: revolute, between: [a, b], at: [E, [0, 0, 0]], axis: z}}
  C: {{type: revolute, between: [b, c], at: [E, E], axis: z}}
  D: {{type: revolute, between: [ground, c], at: [[2, 0, 0], [0, 0, 0]], axis: {axis}}}
forces: {{turn: {{type: actuator, joint: A, value: 3}}}}
initial: {{A: [1, 0.5]}}
guess: {{B: -0.7, D: 1.2}}
"""


def arm(joint, parameters="s: 2", initial="c: [0.3, 1]"):
    return ARM.format(joint=joint, parameters=parameters, initial=initial)


def wheel(axle, at, parameters, axis="y"):
    """A wheel on a hinge that is its axle, or not, as parameters say."""
    return """cotree: 1
gravity: [0, 0, -9.81]
parameters: {%s}
bodies:
  car: {mass: 300, inertia: [10, 10, 10]}
  wheel: {mass: 10, inertia: [0.5, 1, 0.5]}
joints:
  F: {type: free, between: [ground, car]}
  H: {type: revolute, between: [car, wheel], at: [[0, 0, 0], %s], axis: %s}
forces:
  T:
    {type: tyre, on: wheel, radius: 0.3, stiffness: 1e5, damping: 100, axis: %s,
     coefficients: {FNOMIN: 3800, PCX1: 1.56, PDX1: 1.09, PKX1: 19.7, PCY1: 1.47, PDY1: 0.94, PKY1: -12.5, PKY2: 1.39,
                    QCZ1: 1.11, QBZ1: 9.3, QDZ1: 0.14}}
initial: {F.z: 0.29, F.x: [0, 5], H: [0, 17], F.y: 0, F.1: 0.1, F.2: 0, F.3: 0.05}
simulate: {step: 1e-4}
""" % (parameters, at, axle, axis)


CLASSES = {
    # a direction along one axis: its sign
    "revolute_axis": arm("type: revolute, axis: [0, 0, s]"),
    "prismatic_axis": arm("type: prismatic, axis: [s, 0, 0]"),
    "cylinder_axis": arm("type: cylindrical, axis: [0, s, 0]", initial="c.angle: [0.3, 1], c.slide: [0, 0.1]"),
    "screw_axis": arm("type: screw, pitch: p, axis: [0, s, 0]", "s: 2, p: 0.3"),
    "planar_axis": arm("type: planar, axis: [0, s, 0]", initial="c.angle: [0.3, 1], c.x: 0.1, c.y: 0.2"),
    "universal_axes": arm("type: universal, axes: [[s, 0, 0], [0, u, 0]]", "s: 2, u: 1", "c.1: [0.3, 1], c.2: [0.2, 1]"),
    "axis_of_points": arm("type: revolute, axis: [[1, 0, 0], [1, 0, w]]", "w: 2"),
    "two_components": arm("type: revolute, axis: [0, s, u]", "s: 2, u: 0.5"),
    "skew_planar": arm("type: planar, axis: [0, s, u]", "s: 2, u: 0.5", "c.angle: [0.3, 1], c.x: 0.1, c.y: 0.2"),
    "normal_down": arm("type: planar, axis: [s, 0, u]", "s: 0.5, u: 2", "c.angle: [0.3, 1], c.x: 0.1, c.y: 0.2"),
    "orient": arm("type: revolute, axis: z, orient: [[r, 0, 0], [0, r, 0]]", "r: 0.2"),
    "loop_axis": FOUR.format(parameters="s: 1", axis="[0, 0, s]"),
    "loop_tilted": FOUR.format(parameters="s: 1, u: 0", axis="[0, u, s]"),
    "axes_parallel": arm("type: universal, axes: [[1, s, 0], [1, 0, 0]]", "s: 0.5", "c.1: [0.3, 1], c.2: [0.2, 1]"),
    # chords with skew lines: normals of the axis
    "chord_line": TWO + """parameters: {s: 0.5, u: 1, v: 0.2}
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0.3, 0, 0]}
  b: {mass: 1, inertia: [0.1, 0.2, 0.3], com: [0.3, 0, 0]}
joints:
  P: {type: prismatic, between: [ground, a], axis: [s, u, v]}
  L: {type: link, between: [a, b], at: [[0.5, 0, 0], [0.5, 0, 0.4]]}
  B: {type: spherical, between: [ground, b]}
  I: {type: inline, between: [ground, b], at: [[0.6, 0.2, 0], [0.6, 0.2, 0]], axis: [u, s, v]}
guess: {P: 0.01}
""",
    # what must be positive
    "mass": TWO + "parameters: {m: 1, J: 0.1}\nbodies: {a: {mass: m, inertia: J, com: [1, 0, 0]}}\n"
            "joints: {c: {type: revolute, between: [ground, a], axis: z}}\ninitial: {c: [0.3, 1]}\n",
    "inertia": TWO + "parameters: {x: 0.1, y: 0.2, p: 0.01}\nbodies: {a: {mass: 1, inertia: [x, y, 0.25, p, 0, 0], com: [1, 0, 0]}}\n"
               "joints: {c: {type: spherical, between: [ground, a]}}\ninitial: {c.1: [0.3, 1], c.2: [0.2, 2], c.3: [0.1, 1]}\n",
    "link": TWO + """parameters: {l: 0.5, k: 10, s: 0.2, d: 0.1}
bodies: {a: {mass: 1, inertia: 0.1, com: [0.2, 0, 0], points: {E: [0.4, 0, 0]}}, b: {mass: 1, inertia: 0.1}}
joints:
  A: {type: revolute, between: [ground, a], axis: z}
  X: {type: prismatic, between: [ground, b], axis: x}
  L: {type: link, between: [a, b], at: [E, [0, 0, 0]], length: l}
forces: {S: {type: spring, between: [ground, b], stiffness: k, length: s, damping: d}}
initial: {A: [0.5, 0]}
guess: {X: 0.8}
""",
    "pitch_and_ratio": TWO + """parameters: {p: 0.2, r: 2, k: 0.3}
bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, c: {mass: 2, inertia: [1, 1, 1]}}
joints:
  A: {type: screw, between: [ground, a], axis: z, pitch: p}
  B: {type: revolute, between: [ground, b], axis: z}
  C: {type: prismatic, between: [ground, c], axis: x}
  G: {type: gear, joints: [A, B], ratio: r}
  R: {type: rack, joints: [B, C], radius: k}
forces: {T: {type: actuator, joint: A, value: 2}}
""",
    # functions in pieces, of parameters alone and with the state
    "pieces": TWO + """parameters: {k: 3, l: 1, big: "if(k > 2, l, 2*l)", least: "min(k, l)", way: sign(l)}
bodies: {a: {mass: 1, inertia: big*0.1 + 0.1, com: [big, 0, 0]}}
joints: {c: {type: revolute, between: [ground, a], axis: z}}
forces:
  T: {type: actuator, joint: c, value: "if(k > l, least*cos(c), abs(k)) + way*max(l, c)"}
initial: {c: ["if(l > 0, 0.3, 0.7)", 1]}
""",
    # tables of parameters
    "table_y": TWO + """parameters: {a: 1, b: 2}
tables: {f: {x: [0, 1, 2, 4], y: [0, a, b, a + b]}}
bodies: {m: {mass: 1, inertia: 0.1, com: [1, 0, 0]}}
joints: {c: {type: revolute, between: [ground, m], axis: z}}
forces: {T: {type: actuator, joint: c, value: "table(f, c)"}}
initial: {c: [0.3, 1]}
""",
    "table_x": TWO + """parameters: {a: 1, b: 2}
tables: {f: {x: [0, a, b, 4], y: [0, 3, 2, 1]}, g: {x: [0, 1, a + b], y: [b, 3, b], periodic: true}}
bodies: {m: {mass: 1, inertia: 0.1, com: [1, 0, 0]}}
joints: {c: {type: revolute, between: [ground, m], axis: z}}
motions: {}
forces: {T: {type: actuator, joint: c, value: "table(f, c) + table(g, t + 0.5)"}}
outputs: {g: "table(g, 5*t)"}
initial: {c: [0.3, 1]}
""",
    "table_stretched": TWO + """parameters: {a: 1, b: 2, n: -1}
tables: {f: {x: [b, b + a, b + 3*a], y: [0, 3*a - 1, 2*b]}, g: {x: [3*n, 2*n, n], y: [1, a*b, 2]}}
bodies: {m: {mass: 1, inertia: 0.1, com: [1, 0, 0]}}
joints: {c: {type: revolute, between: [ground, m], axis: z}}
forces: {T: {type: actuator, joint: c, value: "table(f, 3*c) + table(g, -5*c)"}}
initial: {c: [0.9, 1]}
""",
    "table_motion": TWO + """parameters: {a: 0.1, b: 0.2, u: a + b}
tables: {f: {x: [0, 0.01, 0.02, 0.05, 0.1], y: [0, a, b, u, 0], periodic: true}}
bodies: {m: {mass: 1, inertia: 0.1, com: [1, 0, 0]}, n: {mass: 1, inertia: 0.1, com: [1, 0, 0]}}
joints:
  c: {type: revolute, between: [ground, m], axis: z}
  d: {type: revolute, between: [m, n], at: [[2, 0, 0], [0, 0, 0]], axis: z}
motions: {c: "table(f, t)"}
initial: {d: "table(f, a)"}
""",
    # a tyre that hangs on its axle, or beside it
    "tyre_axle": wheel("[0, s, 0]", "[0, o, 0]", "s: 1, o: 0"),
    "tyre_beside": wheel("[0, 1, u]", "[o, 0, 0]", "u: 0, o: 0"),
    "tyre_axis": wheel("y", "[0, 0, 0]", "s: 1, u: 0", "[u, s, 0]"),
    # a start in other turns, inputs that follow
    "turns": FOUR.format(parameters="s: 1", axis="z").replace("{A: [1, 0.5]}", "{A: [s + 8, 0.5]}"),
    "inputs": TWO + "parameters: {w: 2}\ninputs: {v: 2*w, u: 1}\nbodies: {a: {mass: 1, inertia: 0.1, com: [1, 0, 0]}}\n"
              "joints: {c: {type: revolute, between: [ground, a], axis: z}}\n"
              "forces: {T: {type: actuator, joint: c, value: v + u}}\ninitial: {c: [0.3, w]}\n",
    # rows that hold whatever the state is, for these values
    "redundant": TWO + """parameters: {g: 2, w: 0}
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {E: [0, 1, 0]}}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {E: [0, 1, 0]}}
  c: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {E: [0, 1, w]}}
  p: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  A: {type: revolute, between: [ground, a], axis: z}
  B: {type: revolute, between: [ground, b], at: [[2, 0, 0], [0, 0, 0]], axis: z}
  C: {type: revolute, between: [ground, c], at: [[4, 0, 0], [0, 0, 0]], axis: z}
  U: {type: revolute, between: [a, p], at: [E, [0, 0, 0]], axis: z}
  V: {type: revolute, between: [b, p], at: [E, [g, 0, 0]], axis: z}
  W: {type: revolute, between: [c, p], at: [E, [2*g, 0, 0]], axis: z}
initial: {A: [0.3, 1]}
""",
    "equation": TWO + """parameters: {a: 1, b: 0.5}
bodies: {m: {mass: 1, inertia: 0.1, com: [1, 0, 0]}, n: {mass: 1, inertia: 0.1, com: [1, 0, 0]}}
joints:
  c: {type: revolute, between: [ground, m], axis: z}
  d: {type: revolute, between: [ground, n], axis: z}
  e: {type: constraint, equation: "sin(c)*a - d*b"}
initial: {c: [0.3, 1]}
""",
}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, **more)


class Program:
    """A model, and the program that `generate` writes for it."""

    def __init__(self, cotree, path, folder):
        self.cotree, self.path = cotree, path
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.folder = os.path.join(folder, self.name)
        made = run([cotree, "generate", path, "-o", self.folder, "--integrator", "rk4"])
        self.refusal = made.stderr if made.returncode else ""
        if self.refusal:
            return
        cc = os.environ.get("CC", "cc").split()
        run(cc + ["-std=c99", "-o", "program"] + [f for f in os.listdir(self.folder) if f.endswith(".c")] + ["-lm"],
            cwd=self.folder, check=True)
        text = "".join(open(os.path.join(self.folder, f)).read() for f in os.listdir(self.folder)
                       if f.endswith(".c") and not f.startswith("ctk") and f != "main.c")
        names = re.search(r"parameter_names\[\] = \{(.*?)\};", text, re.S)
        values = re.search(r"static const double parameters\[\] = \{(.*?)\};", text, re.S)
        self.parameters = dict(zip(re.findall(r'"(.*?)"', names[1]), map(float, values[1].split(",")))) if names else {}
        main = open(os.path.join(self.folder, "main.c")).read()
        self.step = float(re.search(r"STEP = ([-+.e0-9]+)", main)[1])

    def compare(self, values):
        """A verdict: right, refused (by both), other (by the program, which names where) or wrong; and why."""
        time = repr(STEPS * self.step)
        sets = [f"{k}={v!r}" for k, v in values.items()]
        have = run(["./program", time, repr(self.step)] + sets, cwd=self.folder)
        want = run([self.cotree, "simulate", self.path, "--time", time, "--step", repr(self.step), "--integrator", "rk4",
                    "--quiet"] + [x for s in sets for x in ("--set", s)])
        if want.returncode not in (0, 1, 3) or have.returncode not in (0, 3):
            return "wrong", f"exit codes {have.returncode} {want.returncode}: {want.stderr} {have.stderr}"
        if have.returncode and want.returncode:
            return "refused", (have.stderr.strip(), want.stderr.strip().split("\n")[-1])
        if have.returncode:
            named = re.match(r"stopped at t = 0: .*\('.+'\)", have.stderr)
            return "other" if named else "wrong", f"only the program refuses: {have.stderr.strip()}"
        if want.returncode:
            return "wrong", f"only simulate refuses: {want.stderr.strip()}"
        return self.difference(have.stdout, want.stdout)

    def difference(self, have, want):
        a, b = ([r for r in csv.reader(io.StringIO(x))] for x in (have, want))
        if a[0] != b[0] or len(a) != len(b):
            return "wrong", f"columns or rows differ: {len(a)}, {len(b)}"
        worst, where = 0, ""
        for k, name in enumerate(a[0]):
            x, y = ([float(r[k]) for r in rows[1:]] for rows in (a, b))
            size = max([1] + [abs(v) for v in y])
            turn = 2*math.pi*round((x[0] - y[0])/(2*math.pi)) if abs(x[0] - y[0]) > 1 else 0
            apart = max(abs(p - q - turn) for p, q in zip(x, y)) / size
            if not apart <= worst:
                worst, where = apart, name
        return ("right" if worst < SAME else "wrong"), f"{worst:.2g} in {where}"


def draws(program, rng, n):
    """Each parameter by itself, then all together."""
    for name, value in program.parameters.items():
        for other in (value * rng.uniform(0.8, 1.25) if value else rng.uniform(0.1, 0.5), -value, 0.0):
            if other != value:
                yield {name: other}
    for _ in range(n):
        yield {k: v * (1 + TOGETHER * rng.uniform(-1, 1)) for k, v in program.parameters.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cotree", required=True)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="tell every verdict")
    parser.add_argument("--only", help="classes whose name holds this")
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()
    rng, failed, count = random.Random(7), 0, {}
    with tempfile.TemporaryDirectory() as folder:
        paths = args.models
        if not paths:
            paths = [os.path.join(folder, f"{name}.yaml") for name in CLASSES if not args.only or args.only in name]
            for path in paths:
                with open(path, "w") as out:
                    out.write(CLASSES[os.path.splitext(os.path.basename(path))[0]])
        for path in paths:
            program = Program(os.path.abspath(args.cotree), os.path.abspath(path), folder)
            if program.refusal:
                print(f"{program.name}: not generated: {program.refusal}")
                failed += 1
                continue
            for values in draws(program, rng, args.draws):
                verdict, why = program.compare(values)
                count[verdict] = count.get(verdict, 0) + 1
                failed += verdict == "wrong"
                if verdict == "wrong" or args.list:
                    print(f"{program.name} {values}: {verdict}: {why}", flush=True)
    print(", ".join(f"{n} {verdict}" for verdict, n in sorted(count.items())))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
