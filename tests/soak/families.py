"""Random mechanisms of known kinds. Each function puts one together in a draft; all of them close at their start."""
import math

import numpy as np

from draft import AXES, COORDINATES, Draft, rank
from geometry import X, Y, Z, cross, direction, normals, rotation, turn, unit

PLAIN = ["revolute"] * 5 + ["prismatic"] * 3 + ["cylindrical"] * 2 + ["screw", "universal", "universal", "planar", "point",
                                                                      "fixed"]
FREEDOMS = {kind: len(names) for kind, names in COORDINATES.items()}
NEAR = 0.08  # smallest singular value of a start, relative: nearer ones have a family of their own


def spot(rng, r=1.0):
    return np.array([rng.uniform(-r, r) for _ in range(3)])


def axes_of(rng, kind):
    u = direction(rng) if rng.random() < 0.6 else np.eye(3)[rng.randrange(3)]
    if kind == "universal":
        n = turn(u, rng.uniform(-3, 3)) @ normals(u)[0]
        return u, n if rng.random() < 0.7 else unit(n + rng.uniform(-0.6, 0.6) * u)
    return (u,) * AXES.get(kind, 0)


def kinds(rng, balls):
    return PLAIN + (["spherical"] * 4 + ["free"] if balls else [])


def hang(rng, w, parent, at, kind, *axes):
    """A new body on a joint, as its second body or its first."""
    pair = (parent, None) if rng.random() < 0.7 else (None, parent)
    return w.joint(kind, *pair, at, *(axes or axes_of(rng, kind)))


def tree(rng, balls, most=5):
    w = Draft(rng, "tree", hard=rng.random() < 0.3)
    for _ in range(rng.randint(1, most)):
        parent = rng.choice(list(w.bodies)[-3:] + ["ground"])
        hang(rng, w, parent, spot(rng), rng.choice(kinds(rng, balls)))
    return w


def close(rng, w, choices):
    """One more entry between two bodies, where all rows stay independent and a freedom is left. False if there is none."""
    for _ in range(6):
        a, b = rng.sample(list(w.bodies), 2)
        kind, P = rng.choice(choices), spot(rng)
        u = axes_of(rng, kind)
        before = len(w.joints)
        if kind == "link":
            w.constraint("link", a, b, P, P + unit(direction(rng)) * rng.uniform(0.4, 1.5))
        elif kind == "inline":
            u = direction(rng)
            w.constraint("inline", a, b, P, P + rng.uniform(-0.5, 0.5) * u, u)
        elif kind == "inplane":
            u = direction(rng)
            w.constraint("inplane", a, b, P, P + rng.uniform(-0.5, 0.5) * normals(u)[0], u)
        elif kind == "parallel":
            w.constraint("parallel", a, b, P, P, direction(rng))
        elif kind == "perpendicular":
            u = direction(rng)
            w.constraint("perpendicular", a, b, P, P, u, turn(u, rng.uniform(0, 6)) @ normals(u)[0])
        else:
            w.joint(kind, a, b, P, *u)
        if good(w):
            return True
        del w.joints[before:]
    return False


def good(w, redundant=0):
    freedoms, over = w.counts()
    return freedoms >= 1 and over == redundant and conditioning(w) > NEAR ** 2


def conditioning(w):
    groups = w.groups()
    if not groups:
        return 1.0
    rows = np.vstack(groups)
    rows /= np.sqrt(np.sum(rows * rows, axis=1))[:, None]
    s = np.linalg.svd(rows, compute_uv=False)
    return s[rank(rows) - 1] / s[0]


def web(rng, balls):
    """A tree with one to three chords: constraints, or joints with many freedoms."""
    while True:
        w = tree(rng, balls, 4)
        w.name = w.family = "web"
        if w.freedoms() < 2 or conditioning(w) < NEAR ** 2:
            continue
        done = 0
        for _ in range(rng.choice([1, 1, 2, 3])):
            done += close(rng, w, ["link", "link", "inline", "inplane", "inplane", "parallel", "perpendicular", "planar",
                                   "universal", "cylindrical"] + (["spherical", "spherical", "free"] if balls else []))
        if done:
            return w


def loop(rng, balls):
    """One loop in space, with seven to nine freedoms of its joints."""
    while True:
        kind = [rng.choice(kinds(rng, balls)) for _ in range(rng.choice([3, 4, 4, 5]))]
        total = sum(FREEDOMS[k] for k in kind)
        if not 7 <= total <= 9 or kind.count("prismatic") > 2 or "free" in kind:
            continue
        w, n, a = Draft(rng, "loop", hard=rng.random() < 0.25), len(kind), "ground"
        for k, name in enumerate(kind):
            at = np.array([math.cos(6.28 * k / n) + rng.uniform(-0.3, 0.3), math.sin(6.28 * k / n), rng.uniform(-0.4, 0.4)])
            u = axes_of(rng, name)
            if k == n - 1:
                pair = (a, "ground") if rng.random() < 0.6 else ("ground", a)
                w.joint(name, *pair, at, *u)
            else:
                a = hang(rng, w, a, at, name, *u)[1]
        if good(w):
            return w


def plane(rng, balls):
    """Assur groups of the second class, one after the other, on bodies that are there already."""
    while True:
        normal = np.array(rng.choice([Z, Z, Z, X, Y, direction(rng), direction(rng)]))
        w = Draft(rng, "plane", hard=rng.random() < 0.3, normal=normal)
        e1, e2 = normals(normal)
        near = lambda c, r: np.array(c) + r * np.array([rng.uniform(-1, 1), rng.uniform(-1, 1)])
        place = lambda p: p[0] * e1 + p[1] * e2
        along = lambda a: math.cos(a) * e1 + math.sin(a) * e2
        points = {"ground": [near((0, 0), 2) for _ in range(4)]}
        turning = lambda: rng.choice(["revolute"] * 8 + ["cylindrical"])

        def bar(a, kind, p, u):
            pair = (a, None) if rng.random() < 0.7 else (None, a)
            name, body = w.joint(kind, *pair, place(p), u)
            points[body] = [near(p, 1), near(p, 1)]
            return name, body

        drives = [bar("ground", *rng.choice([("revolute", p, normal), ("revolute", p, normal), ("planar", p, normal),
                                             ("prismatic", p, along(rng.uniform(0, 6)))]))
                  for p in rng.sample(points["ground"], rng.choice([1, 1, 2]))]
        for _ in range(rng.choice([1, 2, 3])):
            a, b = rng.sample(list(points), 2)
            p, q = rng.choice(points[a]), rng.choice(points[b])
            middle, slope = near((p + q) / 2, 0.6), rng.uniform(0, 6)
            kind = rng.choice(["RRR", "RRR", "RRP", "RPR", "PRP", "link", "pin", "pin2"])
            R = lambda x, y, at: w.joint("revolute", x, y, place(at), normal)
            if kind == "RRR":
                c, d = bar(a, "revolute", p, normal)[1], bar(b, turning(), q, normal)[1]
                R(c, d, middle)
            elif kind == "RRP":
                c, d = bar(a, "revolute", p, normal)[1], bar(b, "prismatic", middle, along(slope))[1]
                R(c, d, middle)
            elif kind == "RPR":
                c, d = bar(a, "revolute", p, normal)[1], bar(b, "revolute", q, normal)[1]
                w.joint("prismatic", c, d, place(q), along(slope))
            elif kind == "PRP":
                c = bar(a, "prismatic", middle, along(slope))[1]
                d = bar(b, "prismatic", middle, along(slope + rng.uniform(0.5, 2)))[1]
                R(c, d, middle)
            elif kind == "link" and w.freedoms() > 1 and math.dist(p, q) > 0.3:
                w.constraint("link", a, b, place(p), place(q))
            elif kind == "pin":
                c = bar(a, "revolute", p, normal)[1]
                w.constraint("inline", b, c, place(middle), place(middle) + rng.uniform(-0.5, 0.5) * along(slope), along(slope))
            elif kind == "pin2":
                c = bar(a, "revolute", p, normal)[1]
                w.constraint("inplane", b, c, place(middle), place(middle), along(slope))
        freedoms, over = w.counts(planar=True)
        if freedoms >= 1 and over == 0 and conditioning(w) > NEAR ** 2:
            return w


def legs(rng, w, tag, a, p, b, q, kind):
    u = unit(q - p)
    n1, n2 = normals(u)
    if kind == "link":
        w.constraint("link", a, b, p, q)
        return
    types = {"U": ("universal", n1, n2), "S": ("spherical",), "R": ("revolute", n1), "P": ("prismatic", u)}
    places = [p, p + 0.6 * (q - p), q] if len(kind) == 3 else [p, q]
    for k, letter in enumerate(kind):
        if k == len(kind) - 1:
            w.joint(types[letter][0], a, b, places[k], *types[letter][1:])
        else:
            a = w.joint(types[letter][0], a, None, places[k], *types[letter][1:])[1]


def platform(rng, balls):
    """Legs between ground, or a body that moves, and a top; six links alone hold it at times."""
    while True:
        w, base = Draft(rng, "platform", hard=rng.random() < 0.5), "ground"
        if rng.random() < 0.3:
            base = w.joint(rng.choice(["revolute", "prismatic"]), "ground", None, np.zeros(3), direction(rng))[1]
        bound = not w.hard or rng.random() < 0.5
        if not bound or not balls:  # a top on a virtual joint, or on nothing but links
            top = w.body(Z) if w.hard else w.joint("free", "ground", None, Z, q=[0.0] * 3 + [0.1, 0.2, 0.3])[1]
            kind = ["link"] * rng.choice([3, 4, 5, 5])
        else:
            kind = rng.choice([("RPS", "RPS", "RPS"), ("UPS", "RPS", "US"), ("RS", "link", "link"), ("US", "US", "link", "link")])
            top = w.body(Z)
        for k, name in enumerate(kind):
            c, s = math.cos(6.28 * k / len(kind)), math.sin(6.28 * k / len(kind))
            p = np.array([c + rng.uniform(-0.2, 0.2), s, rng.uniform(-0.2, 0.2)])
            q = np.array([0.5 * c, 0.5 * s + rng.uniform(-0.3, 0.3), 1.0 + rng.uniform(-0.2, 0.2)])
            legs(rng, w, k, base, p, top, q, name)
        if good(w):
            return w


def suspension(rng, balls):
    """A double wishbone with a tie rod, on ground or on a body that heaves."""
    while True:
        w, body = Draft(rng, "suspension", hard=rng.random() < 0.5), "ground"
        near = lambda *p: np.array([x + rng.uniform(-0.03, 0.03) for x in p])
        if rng.random() < 0.4:
            body = w.joint("prismatic", "ground", None, np.array([0.0, 0.0, 0.5]), Z)[1]
        carrier = None
        for z in (0.2, 0.45):
            p, q = near(-0.15, 0.35, z), near(0.2, 0.35, z)
            arm = w.joint("revolute", body, None, p, unit(q - p))[1]
            made = w.joint("spherical", arm, carrier, near(0, 0.65, z))
            carrier = carrier or made[1]
        legs(rng, w, 3, body, near(0.12, 0.3, 0.28), carrier, near(0.14, 0.6, 0.26), rng.choice(["US", "SS", "link"]))
        if good(w):
            return w


# redundant ones that move all the same -----------------------------------------------------------

def ring(rng, w, axes, points, first="ground"):
    """A loop of hinges along world axes at world points."""
    a = first
    for k, (u, p) in enumerate(zip(axes, points)):
        last = k == len(axes) - 1
        made = w.joint("revolute", a, first if last else None, p, u)
        a = a if last else made[1]


def hinges(rng, balls):
    """Several hinges on one line, or slides in one direction, and a tree on them."""
    w, u, p = Draft(rng, "hinges", hard=rng.random() < 0.4), axes_of(rng, "revolute")[0], spot(rng)
    kind = rng.choice(["revolute", "revolute", "prismatic", "cylindrical"])
    body = w.joint(kind, "ground", None, p, u)[1]
    for _ in range(rng.choice([1, 1, 2])):
        # the slide of a second joint at the same place has its own zero
        w.joint(kind, *(("ground", body) if rng.random() < 0.6 else (body, "ground")), p + rng.uniform(-1, 1) * u, u)
    if rng.random() < 0.5:
        hang(rng, w, body, spot(rng), rng.choice(kinds(rng, balls)))
    return w


def flat(rng, balls):
    """A planar four-bar in space, with a body that leaves the plane."""
    n = direction(rng) if rng.random() < 0.7 else Z
    w, (e1, e2) = Draft(rng, "flat", hard=rng.random() < 0.4), normals(n)
    points = [x * e1 + y * e2 + rng.uniform(-0.5, 0.5) * n for x, y in
              ((0, 0), (rng.uniform(-0.3, 0.3), rng.uniform(0.4, 0.8)), (rng.uniform(0.9, 1.3), rng.uniform(0.7, 1.3)),
               (rng.uniform(1.1, 1.5), rng.uniform(-0.1, 0.1)))]
    ring(rng, w, [n] * 4, points)
    if rng.random() < 0.7:
        hang(rng, w, "b2", points[1], rng.choice(["universal", "revolute", "screw"] + (["spherical"] if balls else [])))
    else:
        w.normal = n
    return w


def parallel_cranks(rng, balls):
    """A parallelogram with three or four cranks."""
    n = np.array(rng.choice([Z, Z, direction(rng)]))
    w = Draft(rng, "cranks", hard=rng.random() < 0.4, normal=n)
    e1, e2 = normals(n)
    arm = math.cos(1.1) * e1 + math.sin(1.1) * e2
    bar = None
    for k in range(rng.choice([3, 4])):
        p = (k + rng.uniform(-0.2, 0.2)) * e1 + rng.uniform(-0.3, 0.3) * e2
        crank = w.joint("revolute", "ground", None, p, n)[1]
        made = w.joint("revolute", crank, bar, p + arm, n)
        bar = bar or made[1]
    return w


def sarrus(rng, balls):
    """Two planar dyads in different planes: the top moves along a straight line."""
    w = Draft(rng, "sarrus", hard=rng.random() < 0.4)
    T = rotation(rng)
    h, top = rng.uniform(0.6, 1.2), None
    for k in range(rng.choice([2, 2, 3])):
        s = turn(Z, 2.2 * k + rng.uniform(-0.2, 0.2))
        u, out = T @ s @ Y, rng.uniform(0.3, 0.6)
        p = [T @ s @ np.array(v) for v in ((1, 0, 0), (1 + out, 0, h * rng.uniform(0.4, 0.6)), (1 + rng.uniform(-0.2, 0), 0, h))]
        a = w.joint("revolute", "ground", None, p[0], u)[1]
        a = w.joint("revolute", a, None, p[1], u)[1]
        made = w.joint("revolute", a, top, p[2], u)
        top = top or made[1]
    return w


def bennett(rng, balls):
    """Four hinges with lengths a b a b and twists A B A B, a / sin A = b / sin B, closed by half-turn symmetry."""
    A, B = rng.uniform(0.5, 1.2), rng.uniform(1.3, 2.2)
    a = rng.uniform(0.6, 1.2)
    b = a * math.sin(B) / math.sin(A)
    t1 = rng.uniform(0.6, 2.2)
    t2 = 2 * math.atan(math.sin((A + B) / 2) / math.sin((B - A) / 2) / math.tan(t1 / 2))
    found = []
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        R, p, frames = np.eye(3), np.zeros(3), []
        turns = [t1, signs[0] * t2, signs[1] * t1, signs[0] * signs[1] * t2]
        for length, twist, t in zip((a, b, a, b), (A, B, A, B), turns):
            frames.append((R[:, 2].copy(), p.copy()))
            R = R @ turn(Z, t)
            p = p + R @ X * length
            R = R @ turn(X, twist)
        found.append((np.max(np.abs(p)) + np.max(np.abs(R[:, 2] - Z)), frames))
    gap, frames = min(found, key=lambda f: f[0])
    if gap > 1e-12:
        return sarrus(rng, balls)
    w, T = Draft(rng, "bennett", hard=rng.random() < 0.4), rotation(rng)
    ring(rng, w, [T @ u for u, _ in frames], [T @ q for _, q in frames])
    return w


def bricard(rng, balls):
    """Six hinges, three and their images under a half-turn: Bricard's line-symmetric linkage."""
    while True:
        w, T, half = Draft(rng, "bricard", hard=rng.random() < 0.4), rotation(rng), turn(Z, math.pi)
        lines = [(direction(rng), np.array([math.cos(k) + rng.uniform(-0.3, 0.3), math.sin(k), rng.uniform(-0.5, 0.5)]))
                 for k in (0.2, 1.2, 2.2)]
        lines += [(half @ u, half @ p) for u, p in lines]
        ring(rng, w, [T @ u for u, _ in lines], [T @ p for _, p in lines])
        if w.counts() == (1, 1) and conditioning(w) > NEAR ** 2:
            return w


def ball_linkage(rng, balls):
    """A spherical four-bar: all axes through one point."""
    while True:
        w, c = Draft(rng, "spherical-four-bar", hard=rng.random() < 0.4), spot(rng)
        axes = [unit(np.array([math.cos(k), math.sin(k), 0.8]) + 0.4 * spot(rng)) for k in (0, 1.5, 3, 4.5)]
        T = rotation(rng)
        ring(rng, w, [T @ u for u in axes], [c + rng.uniform(-1, 1) * (T @ u) for u in axes])
        if w.counts() == (1, 3) and conditioning(w) > NEAR ** 2:
            return w


def near_limit(rng, balls):
    """A planar four-bar whose coupler and rocker, or whose bars all, are almost in a line."""
    n = np.array(rng.choice([Z, Z, direction(rng)]))
    w = Draft(rng, "near-limit", hard=rng.random() < 0.4, normal=n)
    e1, e2 = normals(n)
    off = 10 ** rng.uniform(-4, -1)
    place = lambda x, y: x * e1 + y * e2
    if rng.random() < 0.5:
        a = rng.uniform(0.5, 2.5)
        A = np.array([0.4 * math.cos(a), 0.4 * math.sin(a)])
        D = np.array([2.0, 0.0])
        u = (D - A) / math.dist(A, D)
        B = A + 0.55 * (D - A) + off * np.array([-u[1], u[0]])
        points = [place(0, 0), place(*A), place(*B), place(*D)]
    else:
        points = [place(0, 0), place(1, 0), place(3 + off, rng.uniform(-1, 1) * off), place(2, 0)]
    ring(rng, w, [n] * 4, points)
    w.tags.add("near-singular")
    return w


FAMILIES = [(tree, 14), (web, 20), (loop, 14), (plane, 24), (platform, 6), (suspension, 4), (hinges, 3), (flat, 3),
            (parallel_cranks, 2), (sarrus, 2), (bennett, 2), (bricard, 2), (ball_linkage, 2), (near_limit, 3)]
NEED_BALLS = {suspension}


def choose(rng, balls, only=None):
    names = [(f, n) for f, n in FAMILIES if (balls or f not in NEED_BALLS) and (not only or f.__name__ in only)]
    names = names or [(f, n) for f, n in FAMILIES if f.__name__ in only]
    return rng.choices([f for f, _ in names], [n for _, n in names])[0](rng, balls)
