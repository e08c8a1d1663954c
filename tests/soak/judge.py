"""Runs the program on a case and says what comes of it."""
import collections
import csv
import json
import math
import os
import re
import resource
import shutil
import signal
import subprocess

import numpy as np

from case import ROWS
from geometry import LETTERS, direction, normals, turn

METHODS = ["triangular", "newton-loops", "newton", "partition", "augmented", "baumgarte", "penalty"]
DRIVEN = ["triangular", "newton-loops", "newton"]
FINER = 4                 # where a difference may be the step's
START, CLOSE = 1e-8, 1e-6   # largest differences, in the mechanism's own size
FEEDBACK = {"baumgarte": 10.0, "penalty": 18.0}  # 1/s, how fast gaps decay: they let rows open by a residual
CVODE = 3e-5              # of a run with tolerances
TOLERANCES = ["--integrator", "cvode", "--rtol", "1e-9", "--atol", "1e-9"]
FOLLOWS = 10              # times what a residual lets expect
GROSS = 1e-3              # an error that must not pass without a warning
DRIFTED = 1e-2            # likewise, where rows may open by 1e-3
AROUND = 4                # steps before and after a refusal that are looked at
SINGULAR = 5e-3           # relative singular value there that confirms it
LOCKED = 0.15             # |cos| of the middle Euler angle, likewise
LIMIT = 60                # s of computing, for one call
PATIENCE = 20             # times that by the clock, on machines that do other things too

TIME = re.compile(r"at t = ([-+.\deE]*\d)")
ORDER = ["right", "coarse", "refused", "unconfirmed", "rejected", "wrong", "crash", "hang"]


class Verdict:
    def __init__(self, kind, run, text="", error=0.0):
        self.kind, self.run, self.text, self.error = kind, run, text, error


class Judge:
    def __init__(self, program, folder, compiler, seconds=LIMIT):
        self.program, self.folder, self.seconds = program, folder, seconds
        self.used = None                    # the method of the last run
        self.spent = collections.Counter()  # s of computing by command and method
        self.environment = dict(os.environ, CC=compiler, XDG_CACHE_HOME=os.path.join(folder, "cache"))

    def call(self, command, path, *options):
        """Exit code (None: it took too long), what it prints, messages."""
        before = children()
        try:
            p = subprocess.run([self.program, command, path, "--json", *options], capture_output=True, text=True,
                               timeout=PATIENCE * self.seconds, env=self.environment, errors="replace",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 5)))
        except subprocess.TimeoutExpired:
            return None, None, f"no end within {PATIENCE * self.seconds} s"
        finally:
            method = options[options.index("--method") + 1] if "--method" in options else "default"
            self.spent[f"{command} {method}"] += children() - before
        answer = None
        if p.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return None, None, f"no end within {self.seconds} s of computing"
        if p.returncode == 0:
            try:
                answer = json.loads(p.stdout)
            except ValueError:
                return 4, None, f"no JSON: {p.stdout[:200]}"
        return p.returncode, answer, p.stderr.strip()

    def examine(self, case, methods, turned=False, most=None):
        """All verdicts, or those of the counts and of so many motions drawn at random."""
        path = os.path.join(self.folder, f"soak_{case.seed}.yaml")
        with open(path, "w") as f:
            f.write(case.text())
        command, known = ("kinematics", DRIVEN) if case.driven else ("simulate", METHODS)
        self.used = None
        found = [self.counts(case, path)]
        # the default first: what it was need not run again
        motions = [lambda: [self.motion(case, path, command, None)]]
        motions += [lambda m=m: [] if m == self.used else [self.motion(case, path, command, m)] for m in methods if m in known]
        if case.driven:
            motions.append(lambda: [self.motion(case, path, "simulate", None)])
            motions += [lambda m=m: [self.motion(case, path, "simulate", m)] for m in case.rng.sample(methods, min(1, len(methods)))]
        elif case.seed % 10 == 3:
            motions.append(lambda: [self.motion(case, path, "simulate", None, TOLERANCES, tag="cvode")])
        if turned:
            motions += [lambda: self.renamed(case, command), lambda: self.turned(case, command)]
        if most is not None and most < len(motions):
            drawn = set(case.rng.sample(range(len(motions)), most))
            motions = [m for k, m in enumerate(motions) if k in drawn]
        for motion in motions:
            found += motion()
        shutil.rmtree(self.environment["XDG_CACHE_HOME"], ignore_errors=True)
        return found

    def renamed(self, case, command):
        """The same mechanism with other names in another order."""
        text, names = case.renamed(case.rng)
        return [self.motion(case, self.write(case, text), command, None, names=names, tag="renamed")]

    def turned(self, case, command):
        """The same mechanism turned in space, where it can stand anywhere: its counts, and its motion."""
        text = case.turned()
        if text is None:
            return []
        path = self.write(case, text)
        return [self.counts(case, path, "check turned"), self.motion(case, path, command, None, tag="turned")]

    def write(self, case, text):
        path = os.path.join(self.folder, f"other_{case.seed}.yaml")
        with open(path, "w") as f:
            f.write(text)
        return path

    def failed(self, case, run, code, said, method=None):
        """The verdict of a run that does not end with 0."""
        first = said.splitlines()[-1] if said else ""
        if code is None:
            return Verdict("hang", run, said)
        if code < 0 or code == 4 or "Sanitizer" in said or not said:
            return Verdict("crash", run, f"exit {code}: {said[-300:]}")
        if code in (1, 2):
            return Verdict("rejected", run, said)
        why = self.confirmed(case, run, said, method)
        return Verdict("refused" if why else "unconfirmed", run, f"{said} [{why or self.state(case)}]")

    @staticmethod
    def state(case):
        return f"least singular value {case.reference.least:.1e}, isolated {case.isolated:.1e}"

    # refusals -------------------------------------------------------------------------------------
    def confirmed(self, case, run, said, method):
        """What the oracle finds at the time of a refusal, None if nothing is wrong there."""
        times = TIME.findall(said)
        if not times:
            return None
        r, t = case.reference, float(times[-1]) / case.units[2]
        positions = r.near(t, case.time / case.steps, AROUND)
        if any(p.rank != r.rank for p in positions):
            return f"the rank changes near t = {times[-1]}"
        least = min(p.least for p in positions)
        if least < SINGULAR:
            return f"singular value {least:.1e}"
        for p in positions:
            for name, lock in p.lock.items():
                if lock < LOCKED:
                    return f"{name} near the lock of its angles"
        if method in ("triangular", "newton-loops"):
            return self.limit(case, positions) or run.split()[0] == "simulate" and self.passed(case)
        if method in FEEDBACK and "drifted open" in said and self.passes(case, run.split()[0]):
            return "rows drift open with this method; partition passes"
        if method == "newton" and "independent coordinates" in said and self.passes(case, run.split()[0]):
            return "limit position of coordinates that it keeps; partition passes"
        return None

    def passes(self, case, command):
        """Whether the motion goes on where the choice of coordinates changes."""
        path = os.path.join(self.folder, f"soak_{case.seed}.yaml")
        if command != "simulate":
            return False
        return self.motion(case, path, "simulate", "partition").kind in ("right", "coarse")

    def passed(self, case):
        """Whether the default comes to a limit position of one of its steps, and is right behind it."""
        path = os.path.join(self.folder, f"soak_{case.seed}.yaml")
        code, _, message, table = self.rows(case, path, "simulate", case.steps, [])
        if code == 0 and "going on with method" in message and self.difference(case, "simulate", table, None)[0] < GROSS:
            return "limit position of a step of the closure; the default passes it"
        return None

    def limit(self, case, positions):
        """Whether the independent coordinates of the closure come to a limit position; other methods pass it."""
        code, said, _ = self.call("close", os.path.join(self.folder, f"soak_{case.seed}.yaml"))
        if code == 0 and case.reference.limited(said["independent"], positions):
            return f"limit position of {', '.join(said['independent'])}"
        return None

    # counts ---------------------------------------------------------------------------------------
    def counts(self, case, path, run="check"):
        code, said, message = self.call("check", path)
        if code != 0:
            return self.failed(case, run, code, message)
        w = case.draft
        planar = said["planar"]
        if planar and w.normal is None:
            w.normal = self.normal(w)
        want = w.counts(planar=planar and w.normal is not None)
        if (said["dof"], said["redundant"]) != want:
            return Verdict("wrong", run, f"dof {said['dof']}, redundant {said['redundant']} instead of {want}, "
                                             f"planar {planar}: {message}")
        if said["dof_after_motions"] != case.freedoms_after and not planar:
            return Verdict("wrong", run, f"{said['dof_after_motions']} freedoms after motions, not {case.freedoms_after}")
        return Verdict("right", run)

    @staticmethod
    def normal(w):
        axes = [j.F[0] @ j.u[0] for j in w.joints if j.u]
        for u in axes + [n for a in axes for n in normals(a)]:  # slides move across it
            w.normal = u
            if w.counts(planar=True)[0] == w.counts()[0]:
                return u
        return None

    # motions --------------------------------------------------------------------------------------
    def motion(self, case, path, command, method, options=(), names=None, tag=None):
        run = f"{command} {tag or method or 'default'}"
        steps, before = case.steps, math.inf
        for refinement in range(3):
            code, said, message, table = self.rows(case, path, command, steps, [*(["--method", method] if method else []),
                                                                                *options], names)
            if code == 3 and "is too long" in message and refinement < 2:  # the message asks for a shorter step
                steps, before, first, warned = steps * FINER, 1e9, math.inf, True
                continue
            if code != 0:
                return self.failed(case, run, code, message, method)
            self.used = said["method"]
            tolerance = CVODE if said.get("integrator") == "cvode" else CLOSE
            implied = self.implied(case, method, said) if method in FEEDBACK else None
            error, what = self.difference(case, command, table, names, implied, outputs=tag != "turned")
            drift = said.get("energy_drift") or 0.0
            if drift > max(1e3 * max(error, CLOSE), DRIFTED if implied else 0.0):
                error, what = drift, f"energy drift {drift:.1e}"
            if error < tolerance:
                if before < math.inf:
                    return Verdict("coarse", run, f"{what} {before:.1e} with {case.steps} steps", error)
                if error >= CLOSE and tag != "cvode":
                    return Verdict("coarse", run, f"{what} {error:.1e} by the tolerances of cvode", error)
                return Verdict("right", run, what, error)
            if before == math.inf:
                first, warned = error, "warning:" in message
            if what.startswith("start") or not math.isfinite(error):
                break
            if error > before / 8 and error > GROSS:
                break
            before, steps = error, steps * FINER
        else:
            if error < first / 8 and (first < GROSS or warned):
                return Verdict("coarse", run, f"{what} {error:.1e} with {steps // FINER} steps, {first:.1e} with {case.steps}", error)
        if "the initial position is nearly singular" in message and math.isfinite(error):  # digits of the file decide
            return Verdict("coarse", run, f"{what} {error:.1e}, with a warning", error)
        if method in FEEDBACK and "warning:" in message and math.isfinite(error):  # no step closes rows that drift
            return Verdict("coarse", run, f"{what} {error:.1e}, with a warning", error)
        return Verdict("wrong", run, f"{what} off by {error:.2e} with {steps} steps ({first:.2e} with {case.steps}); "
                                     f"residual {said['max_residual']:.1e}, {self.state(case)} {message}", error)

    @staticmethod
    def implied(case, method, said):
        """Errors of positions and of rates that follow from rows that stand open by the residual of the run, and opened in
        the time of the run or close with the feedback's frequency: at most such that need a warning. Rows are angles,
        lengths or squares of lengths."""
        r = FOLLOWS * said["max_residual"] / (min(1.0, case.units[0] ** 2) * case.reference.least)
        return [min(DRIFTED, r * max(2 / case.time, FEEDBACK[method] * case.units[2]) ** k) for k in range(2)]

    def rows(self, case, path, command, steps, options, names=None):
        result = os.path.join(self.folder, f"result_{case.seed}.csv")
        t = case.time * case.units[2]
        other = names or {}
        given = [o for n, e in case.inputs for o in ("--input", f"{other.get(n, n)}={e}")]
        code, said, message = self.call(command, path, "--time", repr(t), "--step", repr(t / steps), "--output-step",
                                        repr(t / ROWS), "-o", result, *options, *given)
        if code != 0:
            return code, said, message, None
        with open(result) as f:
            table = list(csv.reader(f))
        os.unlink(result)
        return code, said, message, (table[0], np.array(table[1:], float))

    def difference(self, case, command, table, names, implied=None, outputs=True):
        """Largest difference in the mechanism's own size, and where. implied: errors of positions and of rates that are no
        fault."""
        header, rows = table
        L, _, T = case.units
        if rows.shape[0] != ROWS + 1:
            return math.inf, f"{rows.shape[0]} rows"
        if not np.all(np.isfinite(rows)):
            return math.inf, "not finite"
        column = {n: k for k, n in enumerate(header)}
        got, want, labels, orders = [], [], [], []
        for k, (n, (l, t)) in enumerate(zip(case.header, case.dims)):
            if n.endswith("''") and command != "kinematics" or not outputs and n in case.draft.outputs:
                continue
            name = other_name(n, names) if names else n
            if name not in column:
                return math.inf, f"no column {name}"
            got.append(rows[:, column[name]] / (L ** l * T ** t))
            want.append(case.rows[:, 1 + k])
            labels.append(n)
            orders.append(-t)
        got, want = np.array(got), np.array(want)
        size = np.maximum(1.0, np.max(np.abs(want), axis=1))
        off = np.abs(got - want) / size[:, None]
        self.rotations(case, labels, got, want, off)
        if implied:
            off[off < np.array([*implied, math.inf])[orders][:, None]] = 0.0  # accelerations pull open rows together
        start = np.max(off[:, 0])
        if start > START * 10:
            k = int(np.argmax(off[:, 0]))
            return start, f"start of {labels[k]} ({got[k, 0]:.9g}, not {want[k, 0]:.9g})"
        k = int(np.argmax(np.max(off, axis=1)))
        return float(np.max(off)), labels[k]

    @staticmethod
    def rotations(case, labels, got, want, off):
        """Euler angles near their lock are compared as rotations."""
        for j in case.draft.joints:
            if case.reference.lock(j.name) >= LOCKED:
                continue
            at = [labels.index(n) for n in j.names[-3:]]
            s = j.keys["sequence"]
            R = lambda q: turn(LETTERS[s[0]], q[0]) @ turn(LETTERS[s[1]], q[1]) @ turn(LETTERS[s[2]], q[2])
            for i in range(off.shape[1]):
                off[at, i] = np.max(np.abs(R(got[at, i]) - R(want[at, i])))
            for suffix in ("'", "''"):
                for n in j.names[-3:]:
                    if n + suffix in labels:
                        off[labels.index(n + suffix)] = 0.0


def children():
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def other_name(n, names):
    return re.sub(r"^[a-z]\d+", lambda m: names.get(m.group(0), m.group(0)), n)
