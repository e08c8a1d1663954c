"""Random mechanisms of known kinds, sensible ones: chains of Assur groups in a plane, single loops in space, platforms on
legs, wheel suspensions, loops on bodies that move."""
import math

from world import World, X, Y, Z, add, mul, normals, sub, unit


def direction(rng):
    return unit([rng.gauss(0, 1) for _ in range(3)])


def plane(rng, name):
    """Assur groups of the second class, one after the other, on bodies that are there already."""
    normal = rng.choice([Z, Z, Z, X, Y, direction(rng)])
    w = World(rng, name, normal, size=rng.choice([1.0, 1.0, 0.001, 100.0]))
    e1, e2 = normals(normal)
    place = lambda x, y: add(mul(w.size * x, e1), mul(w.size * y, e2))
    along = lambda angle: add(mul(math.cos(angle), e1), mul(math.sin(angle), e2))
    near = lambda c, r: [c[k] + r * rng.uniform(-1, 1) for k in range(2)]
    points = {"ground": [near((0, 0), 2) for _ in range(4)]}

    def bar(at):
        body = w.body(f"b{len(w.pose)}", place(*at))
        points[body] = [near(at, 1), near(at, 1)]
        return body

    drives = []
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.choice(points["ground"])
        kind, axis = rng.choice([("revolute", normal), ("revolute", normal), ("prismatic", along(rng.uniform(0, 6)))])
        drives.append(w.joint(kind, "ground", bar(at), place(*at), axis))
    for _ in range(rng.choice([1, 2, 3])):
        a, b = rng.sample(list(points), 2)
        p, q = rng.choice(points[a]), rng.choice(points[b])
        middle, angle = near([(x + y) / 2 for x, y in zip(p, q)], 0.6), rng.uniform(0, 6)
        kind = rng.choice(["RRR", "RRR", "RRP", "RPR", "PRP", "link", "pin"])
        if kind == "RRR":
            c, d = bar(p), bar(q)
            w.joint("revolute", a, c, place(*p), normal)
            w.joint("revolute", c, d, place(*middle), normal)
            w.joint("revolute", d, b, place(*q), normal)
        elif kind == "RRP":
            c, d = bar(p), bar(middle)
            w.joint("revolute", a, c, place(*p), normal)
            w.joint("revolute", c, d, place(*middle), normal)
            w.joint("prismatic", b, d, place(*middle), along(angle))
        elif kind == "RPR":
            c, d = bar(p), bar(q)
            w.joint("revolute", a, c, place(*p), normal)
            w.joint("prismatic", c, d, place(*q), along(angle))
            w.joint("revolute", b, d, place(*q), normal)
        elif kind == "PRP":
            c, d = bar(middle), bar(middle)
            w.joint("prismatic", a, c, place(*middle), along(angle))
            w.joint("revolute", c, d, place(*middle), normal)
            w.joint("prismatic", b, d, place(*middle), along(angle + rng.uniform(0.5, 2)))
        elif kind == "link" and w.freedoms() > 1:
            w.link(a, place(*p), b, place(*q))
        elif kind == "pin":
            c = bar(p)
            w.joint("revolute", a, c, place(*p), normal)
            w.joint("inline", b, c, place(*middle), along(angle))
    if len(drives) == 2 and w.freedoms() > 1 and rng.random() < 0.4:
        units = [w.size if d in w.slides else 1 for d in drives]
        w.gear(drives[0], drives[1], rng.choice([-1, 0.5, 2, 0.3]) * units[1] / units[0])
    return w, mul(-9.81, e2)


def loop(rng, name):
    """One loop in space with seven freedoms of its joints, and one more at times."""
    freedoms = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3}
    while True:
        kinds = [rng.choice(list(freedoms)) for _ in range(rng.choice([4, 4, 5]))]
        total = sum(freedoms[k] for k in kinds)
        if 7 <= total <= 8 and kinds.count("prismatic") < 3 and kinds.count("spherical") < 3:
            break
    w, n = World(rng, f"{name} {' '.join(kinds)}"), len(kinds)
    a = "ground"
    for k, kind in enumerate(kinds):
        at = [math.cos(6.28 * k / n) + rng.uniform(-0.3, 0.3), math.sin(6.28 * k / n), rng.uniform(-0.4, 0.4)]
        b = "ground" if k == n - 1 else w.body(f"b{k + 1}", at)
        u = direction(rng)
        w.joint(kind, a, b, at, *{"spherical": [], "universal": [u, normals(u)[0]]}.get(kind, [u]))
        a = b
    return w, mul(-9.81, Y)


def leg(w, tag, a, p, b, q, kind):
    """From p on a to q on b, its joints by letters."""
    u = unit(sub(q, p))
    n1, n2 = normals(u)
    if kind == "link":
        w.link(a, p, b, q)
        return
    types = {"U": ("universal", n1, n2), "S": ("spherical",), "R": ("revolute", n1), "P": ("prismatic", u)}
    places = [p, add(p, mul(0.6, sub(q, p))), q] if len(kind) == 3 else [p, q]
    for k, letter in enumerate(kind):
        c = b if k == len(kind) - 1 else w.body(f"{tag}{k + 1}", places[k])
        w.joint(types[letter][0], a, c, places[k], *types[letter][1:])
        a = c


def platform(rng, name):
    """Three legs, some with five and some with six freedoms, on ground or on a body that moves."""
    w, base = World(rng, name, turned=False), "ground"
    if rng.random() < 0.4:
        base = w.body("base", [0.0, 0.0, 0.0])
        w.used[base].append([0.5, 0.2, 0.1])
        w.joint(rng.choice(["revolute", "prismatic"]), "ground", base, [0.0, 0.0, 0.0], direction(rng))
    w.body("top", [0.0, 0.0, 1.0])
    for k, kind in enumerate(rng.choice([("RPS", "RPS", "RPS"), ("UPS", "RPS", "US"), ("UPS", "UPS", "RPS")])):
        c, s = math.cos(2.1 * k), math.sin(2.1 * k)
        p = [c + rng.uniform(-0.2, 0.2), s, rng.uniform(-0.2, 0.2)]
        leg(w, f"leg{k}", base, p, "top", [0.5 * c, 0.5 * s + rng.uniform(-0.1, 0.1), 1.0], kind)
    return w, mul(-9.81, Z)


def suspension(rng, name):
    """A double wishbone with a tie rod, on ground or on a body that heaves."""
    w, body = World(rng, name, turned=False), "ground"
    near = lambda *p: [x + rng.uniform(-0.03, 0.03) for x in p]
    if rng.random() < 0.4:
        body = w.body("chassis", [0.0, 0.0, 0.5])
        w.used[body].append([0.5, 0.3, 0.5])
        w.joint("prismatic", "ground", body, [0.0, 0.0, 0.5], Z)
    w.body("carrier", near(0, 0.7, 0.3))
    for arm, z in (("lower", 0.2), ("upper", 0.45)):
        p, q = near(-0.15, 0.35, z), near(0.2, 0.35, z)
        w.body(arm, p)
        w.used[arm].append(q)
        w.joint("revolute", body, arm, p, unit(sub(q, p)))
        w.joint("spherical", arm, "carrier", near(0, 0.65, z))
    leg(w, "tie", body, near(0.12, 0.3, 0.28), "carrier", near(0.14, 0.6, 0.26), rng.choice(["US", "SS", "link"]))
    return w, mul(-9.81, Z)


FAMILIES = [plane, plane, plane, loop, platform, suspension]
