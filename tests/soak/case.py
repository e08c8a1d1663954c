"""One random mechanism with all that is expected of it: its model in some units, the rows of the oracle, its counts."""
import copy
import math
import random
import re

import numpy as np

from draft import Quantity, yaml
from dress import coordinates, dress, drive, held
from families import choose
from geometry import rotation
from reference import Reference, Unfit, parse, value

UNIT = (1.0, 1.0, 1.0)
ROWS = 5
ATTEMPTS = 40
NAMES = re.compile(r"\b([bjpfkuso])(\d+)\b")


class Case:
    """units: length, mass, time. inputs: names and expressions of options --input. header, rows: what is right, in unit
    size. dims: length and time
    exponents of each column."""

    def __init__(self, seed, balls, expressions=False, only=None, far=0.3, most=100):
        self.seed, self.expressions, self.only, self.far, self.most = seed, expressions, only, far, most
        self.rng = rng = random.Random(seed)
        self.unfit = []
        for _ in range(ATTEMPTS):
            try:
                self.make(rng, rng.random() < balls)
                return
            except Unfit as e:
                self.unfit.append(str(e))
        raise Unfit(f"seed {seed}: no mechanism in {ATTEMPTS} attempts: {self.unfit[-1]}")

    def make(self, rng, balls):
        w = self.draft = choose(rng, balls, self.only)
        if len(w.bodies) - 1 > self.most:
            raise Unfit("too many bodies")
        loose = [b for b in w.bodies if b != "ground" and not held(w, b)]
        if rng.random() < 0.25 and not loose:
            w.turned(rotation(rng))
        dress(rng, w, balls)
        if not self.expressions:
            w.inputs = {n: (v, None) for n, (v, _) in w.inputs.items()}
        self.loose = bool(loose)
        self.start(rng, w)
        size = 10 ** rng.uniform(-6, 4) if rng.random() < 0.4 else 1.0
        self.units = (size, size ** rng.choice([2, 3]) * 10 ** rng.uniform(-1, 1), math.sqrt(size) * 10 ** rng.uniform(-0.3, 0.3))
        if rng.random() < 0.2:
            self.units = UNIT
        # mostly short; some go farther, through limit positions and locks
        self.time, self.steps = (rng.uniform(0.1, 0.3), 100) if rng.random() < 1 - self.far \
            else (rng.uniform(0.5, 1.2), 400)
        self.rows = self.reference.run(self.time, ROWS)
        self.columns(w)
        self.parameters(rng, w)
        self.model = self.written()
        self.inputs = [(n, e.text(self.units)) for n, (_, e) in w.inputs.items() if e]

    # start ----------------------------------------------------------------------------------------
    def oracle(self, w):
        """What the oracle reads: inputs are expressions there, outputs carry no dimension."""
        return Reference(w, self.written(UNIT, plain=True))

    def written(self, units=None, order=None, plain=False):
        w = self.draft
        d = w.model(units or self.units, order)
        if "outputs" in d:
            d["outputs"] = {n: e[0] for n, e in d["outputs"].items()}
        for i, (section, name, key) in enumerate(getattr(self, "moved", [])):
            d.setdefault("parameters", {})[f"k{i + 1}"] = d[section][name][key]
            d[section][name][key] = f"k{i + 1}"
        if plain:  # the oracle's inputs are constants
            for n, (_, e) in w.inputs.items():
                if e:
                    d = replaced(d, n, f"({e.text(UNIT)})")
            d.get("inputs", {}).clear()
            d["inputs"] = {n: v.text(UNIT) for n, (v, e) in w.inputs.items() if not e}
        return d

    def start(self, rng, w):
        ref = self.oracle(w)
        N, chosen, quality = ref.independent(rng)
        # motions drive all freedoms, or some
        driven = []
        if chosen and quality > 0.15 and rng.random() < 0.35 and "near-singular" not in w.tags:
            driven = chosen if rng.random() < 0.6 else rng.sample(chosen, rng.randint(1, len(chosen)))
        where = {j.names[k]: (j, k) for j, k in coordinates(w)}
        for i, name in enumerate(driven):
            j, k = where[name]
            point = rng.random() < 0.12 and i == 0 and [e.form for e, _ in w.outputs.values() if e.form[1] == "("]
            if point:  # a component of a point instead
                name = rng.choice(point)
                drive(rng, w, name, value_of(ref, name), 1)
            else:
                drive(rng, w, name, j.q[k], j.dimensions[k])
        if driven:
            freedoms = N.shape[1] - len(driven)
            ref = self.oracle(w)
            N = ref.independent(rng)[0]
            if N.shape[1] != freedoms or ref.isolated([n for n in chosen if n not in driven]) < 0.01:
                raise Unfit("a motion near a limit position")
        self.driven = bool(driven) and N.shape[1] == 0
        free = [n for n in chosen if n not in driven]
        covered = quality > 0.1 and len(free) == N.shape[1]
        isolated = ref.isolated(free) if covered else 0.0
        value = lambda n: Quantity(where[n][0].q[where[n][1]], where[n][0].dimensions[where[n][1]])
        if covered and isolated > 1e-3 and (driven or rng.random() < 0.8):
            rates = ref.velocities(rng, N, rng.random() < 0.85)
            for n in free:
                w.initial[n] = [value(n), Quantity(rates[n], value(n).l, 0, -1)]
            wobble = 0.04 if isolated > 0.05 and rng.random() < 0.5 else 0.0
        elif driven:
            raise Unfit("a start that is not determined")
        else:
            rates = ref.velocities(rng, N, False)
            for n in rng.sample(free, rng.randint(0, len(free))) if covered else []:
                w.initial[n] = value(n)
            wobble = 0.0
        for n in where:
            q = value(n)
            off = wobble * rng.uniform(-1, 1)
            if n not in w.initial and n not in w.motions and (q.value != 0 or off and rng.random() < 0.3):
                w.guess[n] = Quantity(q.value + off, q.l)
        ref.solid(N)
        self.reference, self.freedoms_after = ref, N.shape[1]
        self.isolated = isolated

    def parameters(self, rng, w):
        d = w.model(UNIT)
        places = [("bodies", b, "mass") for b in d["bodies"]]
        places += [("joints", n, k) for n, j in d["joints"].items() for k in ("length", "pitch", "ratio", "radius") if k in j]
        places += [("forces", n, k) for n, f in d.get("forces", {}).items() for k in ("stiffness", "damping", "length") if k in f]
        drawn = rng.sample(places, min(len(places), rng.choice([0, 0, 1, 2])))
        # parameters are numbers: lists of bushings stay where they are
        self.moved = [(s, n, k) for s, n, k in drawn if not isinstance(d[s][n][k], list)]

    def columns(self, w):
        names, dims = [], []
        for suffix, time in (("", 0), ("'", -1), ("''", -2)):
            for j in w.joints:
                names += [n + suffix for n in j.names]
                dims += [(l, time) for l in j.dimensions]
        self.header = names + list(w.outputs)
        self.dims = dims + [(e[1][0], e[1][2]) for e in w.outputs.values()]

    # the same in other words ---------------------------------------------------------------------
    def renamed(self, rng):
        """The model with other names and another order; and the names."""
        text = yaml(self.written(order=rng))
        names = {}

        def other(m):
            if m.group(0) not in names:
                names[m.group(0)] = rng.choice("abcdefghijklmnoqrstuvwxyz") + f"{rng.randrange(10**6)}" + m.group(1)
            return names[m.group(0)]
        return NAMES.sub(other, text), names

    def turned(self):
        """The model turned in space, where it can stand anywhere."""
        w = self.draft
        fixed = self.loose or any("(" in n for n in w.motions) or any("hardpoint" in j.keys for j in w.joints)
        if fixed or "turned" in w.tags or not any(j.names for j in w.joints):  # coordinates alone are compared
            return None
        self.draft = copy.deepcopy(w)
        self.draft.turned(rotation(self.rng))
        text, self.draft = yaml(self.written()), w
        return text

    def text(self):
        return yaml(self.model)


def value_of(ref, text):
    return float(value(parse(text)(ref.state.context())))


def replaced(e, name, text):
    if isinstance(e, dict):
        return {k: replaced(v, name, text) for k, v in e.items()}
    if isinstance(e, list):
        return [replaced(v, name, text) for v in e]
    return re.sub(rf"\b{name}\b", lambda m: text, e)
