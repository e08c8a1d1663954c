"""Families of mechanisms whose assemblies are finite in number once the drives are given, with random
sizes, tilts and frames. Planar ones are drafted as a graph with random joint points in one position,
so that they close there; the drives keep their values of it."""
import numpy as np

from mechanism import Joint, Mechanism
from solver import rotation, rpy

Z = np.array([0.0, 0.0, 1.0])


def degrees(random, most=180):
    return tuple(int(v) for v in random.integers(-most, most + 1, 3))


def rounded(x, digits=4):
    return np.round(x, digits)


# planar ---------------------------------------------------------------------------------------------
def leg(kind, number, drive):
    """From ground to the platform, body 7: two bodies of its own."""
    i, k = 2 * number + 1, 2 * number + 2
    ends = [(0, i), (i, k), (k, 7)]
    return [(kind[n], *ends[n], n == drive) for n in range(3)]


GRAPHS = {
    "four-bar": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("R", 3, 0, 0)],
    "slider-crank": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("P", 3, 0, 0)],
    "slider-crank driven by its slider": [("R", 0, 1, 0), ("R", 1, 2, 0), ("R", 2, 3, 0), ("P", 3, 0, 1)],
    "inverted slider-crank": [("R", 0, 1, 1), ("R", 1, 2, 0), ("P", 2, 3, 0), ("R", 3, 0, 0)],
    "cylinder": [("R", 0, 1, 0), ("P", 1, 2, 1), ("R", 2, 3, 0), ("R", 3, 0, 0)],
    "trammel": [("P", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("P", 3, 0, 0)],
    "Oldham": [("R", 0, 1, 1), ("P", 1, 2, 0), ("P", 2, 3, 0), ("R", 3, 0, 0)],
    "five-bar": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("R", 3, 4, 0), ("R", 4, 0, 1)],
    "Watt": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("R", 3, 0, 0), ("R", 2, 4, 0), ("R", 4, 5, 0), ("R", 5, 3, 0)],
    "Watt on ground": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("R", 3, 0, 0), ("R", 3, 4, 0), ("R", 4, 5, 0), ("R", 5, 0, 0)],
    "Stephenson I": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("R", 3, 0, 0), ("R", 1, 4, 0), ("R", 4, 5, 0), ("R", 5, 3, 0)],
    "Stephenson II": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 1, 3, 0), ("R", 2, 4, 0), ("R", 3, 5, 0), ("R", 4, 5, 0), ("R", 4, 0, 0)],
    "Stephenson III": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("R", 3, 0, 0), ("R", 2, 4, 0), ("R", 4, 5, 0), ("R", 5, 0, 0)],
    "Stephenson III driven at its dyad": [("R", 0, 1, 0), ("R", 1, 2, 0), ("R", 2, 3, 0), ("R", 3, 0, 0), ("R", 2, 4, 0), ("R", 4, 5, 0), ("R", 5, 0, 1)],
    "Stephenson III with a slider": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("P", 3, 0, 0), ("R", 2, 4, 0), ("R", 4, 5, 0), ("R", 5, 0, 0)],
    "Stephenson with a slotted dyad": [("R", 0, 1, 1), ("R", 1, 2, 0), ("R", 2, 3, 0), ("R", 3, 0, 0), ("R", 2, 4, 0), ("P", 4, 5, 0), ("R", 5, 0, 0)],
    "3-RRR": leg("RRR", 0, 0) + leg("RRR", 1, 0) + leg("RRR", 2, 0),
    "3-RPR": leg("RPR", 0, 1) + leg("RPR", 1, 1) + leg("RPR", 2, 1),
    "3-PRR": leg("PRR", 0, 0) + leg("PRR", 1, 0) + leg("PRR", 2, 0),
    "platform on different legs": leg("RRR", 0, 0) + leg("RPR", 1, 1) + leg("PRR", 2, 0),
}


def planar(random, name):
    graph = GRAPHS[name]
    bodies = max(max(a, b) for _, a, b, _ in graph)
    size = 10 ** random.uniform(-0.7, 0.7)
    tilted = random.random() < 0.4
    tilt_degrees = degrees(random) if tilted else (0, 0, 0)
    tilt = rpy(*np.radians(tilt_degrees))
    # a position: angle and origin of each body in the plane
    angle = random.integers(-180, 181, bodies + 1) if random.random() < 0.7 else np.zeros(bodies + 1, int)
    angle[0] = 0
    origin = random.uniform(-1, 1, (bodies + 1, 2)) * size
    origin[0] = 0
    joints = []
    for n, (kind, a, b, drive) in enumerate(graph):
        where = random.uniform(-1, 1, 2) * size
        local = []
        for body in (a, b):
            turn = rotation(Z, np.radians(-angle[body]))
            local.append(rounded(turn @ np.append(where - origin[body], 0)))
        if kind == "R":
            orient, given = [[0, 0, 0], [0, 0, 0]], np.radians(angle[b] - angle[a])
        else:
            # the frame's z axis lies in the plane, at some angle to x
            slope = int(random.integers(-180, 181))
            orient = [[-90, 0, slope - angle[a]], [-90, 0, slope - angle[b]]]
            given = 0.0
        ends = [list(local[0]), list(local[1])]
        if a == 0:
            ends[0], orient[0] = tilt @ local[0], turned_degrees(tilt, orient[0], tilt_degrees)
        if b == 0:
            ends[1], orient[1] = tilt @ local[1], turned_degrees(tilt, orient[1], tilt_degrees)
        joints.append(Joint(f"j{n}", "revolute" if kind == "R" else "prismatic", a, b, *ends, *orient,
                            given=rounded(given) if drive else None))
    return Mechanism(name, bodies, joints, True, tilt)


def turned_degrees(tilt, orient, tilt_degrees):
    """Roll, pitch and yaw, in degrees, of the tilt after an orientation."""
    if not any(tilt_degrees):
        return orient
    if not any(orient):
        return tilt_degrees
    R = tilt @ rpy(*np.radians(orient))
    pitch = np.arcsin(np.clip(-R[2, 0], -1, 1))
    return tuple(np.degrees([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])]))


# spatial --------------------------------------------------------------------------------------------
def vector(random, size):
    return rounded(random.uniform(-1, 1, 3) * size)


def chain(random, name, kinds, drives, bodies, loose=()):
    """A loop from ground to ground: joint n between bodies n and n + 1, with random frames. A rod with a
    universal joint is loose: it can be turned over, which is no other assembly."""
    size = 10 ** random.uniform(-0.5, 0.5)
    joints = []
    for n, kind in enumerate(kinds):
        a, b = n, (n + 1) % (bodies + 1)
        given = None
        if n in drives:
            given = rounded(random.uniform(-2, 2)) if kind == "revolute" else rounded(random.uniform(0.2, 1) * size)
        orients = [degrees(random), degrees(random)] if kind != "spherical" else [(0, 0, 0), (0, 0, 0)]
        joints.append(Joint(f"j{n}", kind, a, b, vector(random, size), vector(random, size), *orients, given=given))
    return Mechanism(name, bodies, joints, loose=loose)


def arm(random):
    mechanism = chain(random, "6R arm", ["revolute"] * 6 + ["fixed"], (), 6)
    # the hand where the arm reaches it
    q = {f"j{n}": random.uniform(-3, 3) for n in range(6)}
    at = mechanism.place(dict(q))
    last = mechanism.joints[6]
    R = at.R[0, 6] @ last.F[0]
    x = at.p[0, 6] + at.R[0, 6] @ last.at[0]
    mechanism.joints[6] = Joint("j6", "fixed", 6, 0, last.at[0], rounded(x), last.orient[0],
                                rounded(turned_degrees(R, (0.0, 0.0, 1e-12), (1, 0, 0))))
    return mechanism


def rssr(random):
    size = 10 ** random.uniform(-0.5, 0.5)
    A, B = vector(random, size), vector(random, size)
    joints = [Joint("j0", "revolute", 0, 1, vector(random, size), vector(random, size), degrees(random), degrees(random),
                    given=rounded(random.uniform(-3, 3))),
              Joint("j1", "revolute", 0, 2, vector(random, size), vector(random, size), degrees(random), degrees(random)),
              Joint("rod", "link", 1, 2, A, B, length=rounded(random.uniform(0.8, 2.5) * size))]
    return Mechanism("RSSR", 2, joints)


def platform(random, name, kinds, drive):
    """Three legs of two bodies each under a platform, body 7."""
    size = 10 ** random.uniform(-0.4, 0.4)
    joints = []
    for n in range(3):
        spoke = rotation(Z, 2 * np.pi * n / 3 + random.uniform(-0.4, 0.4))
        base, top = spoke @ [size, 0, 0], spoke @ [0.5 * size, 0, 0]
        turn = int(np.degrees(np.arctan2(spoke[1, 0], spoke[0, 0])))
        i, k = 2 * n + 1, 2 * n + 2
        ends = [(0, i), (i, k), (k, 7)]
        for m, kind in enumerate(kinds):
            at = [vector(random, 0.2 * size), vector(random, 0.2 * size)]
            orient = [(-90, int(random.integers(-15, 16)), turn), (-90, 0, turn)]  # tangential
            if kind == "prismatic":
                orient = [(int(random.integers(-20, 21)), int(random.integers(-20, 21)), 0)] * 2
            if m == 0:
                at[0] = rounded(base)
            if m == 1 and drive == 0:
                at[1] = np.array([0, 0, 0.0])
            if m == 2:
                at = [rounded([0, 0, random.uniform(0.5, 0.9) * size]), rounded(top)]
                orient = [(0, 0, 0), (0, 0, 0)]
            given = None
            if m == drive:
                given = rounded(random.uniform(-0.7, 0.7)) if kind == "revolute" else rounded(random.uniform(0.1, 0.7) * size)
            joints.append(Joint(f"{'uvw'[n]}{m}", kind, *ends[m], *at, *orient, given=given))
    return Mechanism(name, 7, joints)


def bennett(random):
    """Four hinges with twists alpha, beta and lengths in the ratio of their sines, to 17 digits: closed to
    those, and no exact equations say that it is."""
    alpha, beta = (int(v) for v in random.integers(20, 80, 2))
    a = rounded(random.uniform(0.5, 2))
    b = a * np.sin(np.radians(beta)) / np.sin(np.radians(alpha))
    twist, length = [alpha, beta, alpha, beta], [a, b, a, b]
    joints = [Joint(f"j{n}", "revolute", n, (n + 1) % 4, (length[n], 0, 0), (0, 0, 0), (twist[n], 0, 0), (0, 0, 0),
                    given=rounded(random.uniform(-3, 3)) if n == 0 else None) for n in range(4)]
    return Mechanism("Bennett", 3, joints)


def spherical_four_bar(random):
    joints = [Joint(f"j{n}", "revolute", n, (n + 1) % 4, (0, 0, 0), (0, 0, 0), degrees(random), degrees(random),
                    given=rounded(random.uniform(-3, 3)) if n == 0 else None) for n in range(4)]
    return Mechanism("spherical four-bar", 3, joints)


R, P, C, S, U = "revolute", "prismatic", "cylindrical", "spherical", "universal"
SPATIAL = {  # those that take seconds last
    "RSSR": rssr,
    "RSUR": lambda r: chain(r, "RSUR", [R, S, U, R], (0,), 3, (2,)),
    "RUSR": lambda r: chain(r, "RUSR", [R, U, S, R], (0,), 3, (2,)),
    "RSCR": lambda r: chain(r, "RSCR", [R, S, C, R], (0,), 3),
    "PSUR": lambda r: chain(r, "PSUR", [P, S, U, R], (0,), 3, (2,)),
    "RCCC": lambda r: chain(r, "RCCC", [R, C, C, C], (0,), 3),
    "RRSRR": lambda r: chain(r, "RRSRR", [R, R, S, R, R], (0,), 4),
    "Bennett": bennett,
    "spherical four-bar": spherical_four_bar,
    "6R arm": arm,
    "3-RPS": lambda r: platform(r, "3-RPS", [R, P, S], 1),
    "3-PRS": lambda r: platform(r, "3-PRS", [P, R, S], 0),
    "3-RRS": lambda r: platform(r, "3-RRS", [R, R, S], 0),
}
