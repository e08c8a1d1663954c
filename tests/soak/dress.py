"""What a mechanism gets beside bodies and joints: virtual joints, couplings, gravity, forces, inputs, tables, parameters,
motions, a start and outputs. Dimensions go along, so that it can be written in any units."""
import math

import numpy as np

from draft import Quantity, Text
from families import conditioning, spot
from geometry import direction, normals

ONE_AXIS = ("revolute", "prismatic", "cylindrical", "screw", "planar")


def coordinates(w, kinds=None):
    """(joint, index) of all coordinates."""
    return [(j, k) for j in w.joints for k in range(len(j.names)) if kinds is None or j.kind in kinds]


def couple(rng, w):
    """A gear, a rack or an equation, where a freedom is left and no row becomes redundant."""
    found = coordinates(w, ONE_AXIS)
    freedoms, over = w.counts()
    if len(found) < 2 or freedoms < 2:
        return
    for _ in range(4):
        p, q = rng.sample(found, 2)
        if p[0] is q[0] and rng.random() < 0.5:
            continue
        (p0, q0), (dp, dq) = [[c[0].q[c[1]] for c in (p, q)], [c[0].dimensions[c[1]] for c in (p, q)]]
        factor = rng.choice([-1.0, 0.5, 2.0, rng.uniform(-1.5, 1.5)])
        through_zero = p0 == q0 == 0 or (p0 != 0 and 0.1 < abs(q0 / p0) < 5)
        if through_zero and dp <= dq and rng.random() < 0.6:
            factor = q0 / p0 if p0 else factor
            w.coupling("gear" if dp == dq else "rack", p, q, factor)
        else:
            w.coupling("constraint", p, q, factor, rng.choice(["line", "sin"]))
        if w.counts() == (freedoms - 1, over) and conditioning(w) > 1e-2:
            return
        w.couplings.pop()


def law(rng, w):
    """A factor without dimension that may depend on time, an input, a table or an angle."""
    c = rng.random()
    speed = Quantity(rng.uniform(0.5, 4), 0, 0, -1)
    if c < 0.3:
        return Text("sin({0}*t + 0.3)", speed)
    if c < 0.45:
        name = f"s{len(w.tables) + 1}"
        xs = [0.0]
        for _ in range(5):
            xs.append(xs[-1] + rng.uniform(0.2, 0.6))
        ys = [rng.uniform(-1, 1) for _ in xs]
        periodic = rng.random() < 0.4
        if periodic:
            ys[-1] = ys[0]
        w.tables[name] = {"x": [Quantity(x) for x in xs], "y": [Quantity(y) for y in ys],
                          **({"periodic": "true"} if periodic else {})}
        return Text(f"table({name}, {{0}}*t + 0.11)", speed)
    if c < 0.6:
        name = f"u{len(w.inputs) + 1}"
        w.inputs[name] = (Quantity(rng.uniform(-1, 1)), Text("cos({0}*t)", speed) if rng.random() < 0.5 else None)
        return Text(f"{name}")
    angles = [j.names[k] for j, k in coordinates(w) if j.dimensions[k] == 0]
    if c < 0.8 and angles:
        return Text(f"(1 + 0.5*sin({rng.choice(angles)}))")
    if c < 0.9:
        return Text("exp(-{0}*t)/(1 + t*{0})", speed)
    return None


def load(rng, w):
    bodies = [b for b in w.bodies if b != "ground"]
    body = rng.choice(bodies)
    m = w.bodies[body].mass
    kind = rng.choice(["force", "torque", "actuator", "actuator", "torsion", "spring", "spring", "bushing", "drag", "friction", "limit",
                       "contact", "law"])
    found = coordinates(w)
    if kind in ("force", "torque"):
        on = body
        if kind == "force" and rng.random() < 0.6:
            on = w.point(body, w.bodies[body].p + spot(rng))
        f = {"type": kind, "on": on, "world": rng.uniform(0.3, 2) * m * direction(rng), "law": law(rng, w),
             "dims": (1, 1, -2) if kind == "force" else (2, 1, -2)}
        if rng.random() < 0.4:
            f["frame"] = "body"
        return f
    if kind in ("actuator", "torsion") and found:
        j, k = rng.choice(found)
        d = 0 if j.dimensions[k] else 2
        name = j.names[k]
        if kind == "actuator":
            amount, factor = Quantity(rng.uniform(-1, 1), 2 if d else 1, 1, -2), law(rng, w)
            value = Text("({0})*({1})", amount, factor) if factor else amount
            if rng.random() < 0.5:
                value = Text(f"{{0}} - {{1}}*{name}'", value, Quantity(rng.uniform(0, 0.6), d, 1, -1))
            return {"type": kind, "joint": name, "value": value}
        return {"type": kind, "joint": name, "stiffness": Quantity(rng.uniform(0.5, 5), d, 1, -2),
                "damping": Quantity(rng.uniform(0, 0.5), d, 1, -1),
                "angle": Quantity(j.q[k] + rng.uniform(-0.5, 0.5), j.dimensions[k])}
    if kind == "drag":
        return {"type": kind, "on": w.point(body, w.bodies[body].p + spot(rng)), "linear": Quantity(rng.uniform(0, 0.5), 0, 1, -1),
                "quadratic": Quantity(rng.uniform(0, 0.5), -1, 1, 0), "angular": Quantity(rng.uniform(0, 0.2), 2, 1, -1)}
    if kind in ("friction", "limit") and found:
        j, k = rng.choice(found)
        d, side = 0 if j.dimensions[k] else 2, j.dimensions[k]
        if kind == "friction":
            return {"type": kind, "joint": j.names[k], "coulomb": Quantity(rng.uniform(0, 0.5), 2 if d else 1, 1, -2),
                    "static": Quantity(rng.uniform(0.5, 0.8), 2 if d else 1, 1, -2), "viscous": Quantity(rng.uniform(0, 0.3), d, 1, -1),
                    "slip_speed": Quantity(rng.uniform(0.3, 1), side, 0, -1), "stribeck_speed": Quantity(2, side, 0, -1)}
        # soft enough that it is smooth to the reference's step; the exponent 3 makes the place of contact smooth too
        return {"type": kind, "joint": j.names[k], "lower": Quantity(j.q[k] + rng.uniform(-0.2, 0.6), side), "exponent": Text("3"),
                "stiffness": Quantity(rng.uniform(1, 5), d - 2 * side, 1, -2), "dissipation": Quantity(rng.uniform(0, 0.3), -side, 0, 1)}
    other = rng.choice([b for b in w.bodies if b != body])
    p = w.bodies[body].p + 0.3 * spot(rng)
    if kind == "bushing":
        # the same along all axes, since bodies have frames of their own
        k, c = Quantity(rng.uniform(0.5, 5), 0, 1, -2), Quantity(rng.uniform(0, 0.5), 0, 1, -1)
        return {"type": kind, "between": [w.point(other, p), w.point(body, p)], "stiffness": [k, k, k], "damping": [c, c, c]}
    if kind == "contact":
        q = p + rng.uniform(0.1, 0.4) * direction(rng)
        return {"type": kind, "between": [w.point(other, q), w.point(body, p)], "radius": [Quantity(0.5, 1), Quantity(0.4, 1)],
                "exponent": Text("3"), "stiffness": Quantity(rng.uniform(1, 4), -2, 1, -2), "dissipation": Quantity(rng.uniform(0, 0.3), -1, 0, 1),
                "friction": Quantity(rng.uniform(0, 0.5)), "slip_speed": Quantity(0.5, 1, 0, -1)}
    q = p + rng.uniform(0.5, 1.5) * direction(rng)
    f = {"type": "spring", "between": [w.point(body, p), w.point(other, q)], "stiffness": Quantity(rng.uniform(0.5, 8), 0, 1, -2)}
    if kind == "law":
        f["length"] = Quantity(rng.uniform(0, 1), 1)
        f["force"] = Text("{0}*extension^3 + {1}*rate", Quantity(rng.uniform(0, 3), -2, 1, -2), Quantity(rng.uniform(0, 0.5), 0, 1, -1))
        return f
    if rng.random() < 0.7:
        f["length"] = Quantity(rng.uniform(0, 1), 1)
    if rng.random() < 0.5:
        f["damping"] = Quantity(rng.uniform(0, 1), 0, 1, -1)
    if rng.random() < 0.3:
        amount, factor = Quantity(rng.uniform(-1, 1), 1, 1, -2), law(rng, w)
        f["force"] = Text("({0})*({1})", amount, factor) if factor else amount
    return f


def lighten(rng, w):
    """A body without mass between two others."""
    inner = [b for b in w.bodies if b != "ground" and sum(b in (j.a, j.b) and not j.virtual for j in w.joints) > 1]
    if inner:
        body = w.bodies[rng.choice(inner)]
        body.mass, body.J = 0.0, np.zeros((3, 3))


def observe(rng, w, balls):
    """Virtual joints: coordinates between two bodies whose relative motion they can describe all along. In a plane that is a
    planar joint, for any two bodies a free one, and beside a hinge or a slide another one on its line."""
    for _ in range(rng.choice([1, 1, 2])):
        a, b = rng.sample(list(w.bodies), 2)
        lines = [j for j in w.joints if j.kind in ("revolute", "prismatic", "cylindrical") and not j.virtual]
        choices = ["planar"] * (2 if w.normal is not None else 0) + ["free"] * (2 if balls else 0) + ["line"] * bool(lines)
        kind = rng.choice(choices) if choices else None
        if kind == "planar":
            w.joint("planar", a, b, spot(rng), w.normal, virtual=True)
        elif kind == "free":
            w.joint("free", a, b, spot(rng), virtual=True)
        elif kind == "line":
            j = rng.choice(lines)
            u, pair = j.F[0] @ j.u[0], (j.a, j.b) if rng.random() < 0.5 else (j.b, j.a)
            w.joint(rng.choice([j.kind, "cylindrical"]), *pair, j.P[0] + rng.uniform(-1, 1) * u, u, virtual=True)


def dress(rng, w, balls):
    if w.hard and "turned" not in w.tags:
        for j in w.joints:
            if rng.random() < 0.3 and j.names and np.array_equal(*j.P):
                j.keys["hardpoint"] = w.point("ground", j.P[0]).split(".")[1]
    if rng.random() < 0.05:
        lighten(rng, w)
    if rng.random() < 0.15:
        observe(rng, w, balls)
    if rng.random() < 0.3:
        couple(rng, w)
    if rng.random() < 0.75:
        u = direction(rng)
        if w.normal is not None and rng.random() < 0.7:
            u = normals(w.normal)[1]
        w.gravity = rng.uniform(0.5, 3) * u
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        w.forces[f"f{len(w.forces) + 1}"] = load(rng, w)
    bodies = [b for b in w.bodies if b != "ground"]
    for b in rng.sample(bodies, min(len(bodies), 2)) + [b for b in bodies if not held(w, b)]:
        p = w.point(b, w.bodies[b].p + spot(rng))
        for c in "xyz":
            w.outputs[f"o{len(w.outputs) + 1}"] = (Text(f"{c}({p})"), (1, 0, 0))
        if rng.random() < 0.3:
            w.outputs[f"o{len(w.outputs) + 1}"] = (Text(f"{rng.choice(['vx', 'vy', 'vz'])}({p})"), (1, 0, -1))
        for c in "xyz":
            w.outputs[f"o{len(w.outputs) + 1}"] = (Text(f"a{c}({p})"), (1, 0, -2))
            w.outputs[f"o{len(w.outputs) + 1}"] = (Text(f"w{c}({b})"), (0, 0, -1))


def held(w, body):
    return any(body in (j.a, j.b) and not j.virtual and (j.names or j.kind == "fixed") for j in w.joints)


def drive(rng, w, name, value, dimension):
    """A motion through a value, and its rate at the start."""
    rate, swing, speed = rng.uniform(-1, 1), rng.uniform(-0.5, 0.5), rng.uniform(0.5, 3)
    w.motions[name] = Text("({0}) + ({1})*t + ({2})*sin({3}*t)", Quantity(value, dimension), Quantity(rate, dimension, 0, -1),
                           Quantity(swing, dimension), Quantity(speed, 0, 0, -1))
    return rate + swing * speed
