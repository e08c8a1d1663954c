"""Vectors and rotations of mechanisms that are put together in space."""
import math

import numpy as np

X, Y, Z = np.eye(3)
LETTERS = {"x": X, "y": Y, "z": Z}


def cross(a, b):
    return np.array((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


def unit(a):
    a = np.asarray(a, float)
    return a / math.sqrt(a @ a)


def normals(u):
    """Two unit vectors across u, with n1 x n2 = u."""
    k = int(np.argmin(np.abs(u)))
    n = unit(cross(np.eye(3)[k], u))
    return n, cross(u, n)


def turn(u, angle):
    """Rotation about a unit vector."""
    k = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


def roll_pitch_yaw(m):
    """The roll follows from what the yaw leaves, which is exact at a pitch of a right angle too."""
    yaw = math.atan2(m[1, 0], m[0, 0]) if math.hypot(m[0, 0], m[1, 0]) > 1e-9 else 0.0
    rest = turn(Z, -yaw) @ m
    return np.array([math.atan2(-rest[1, 2], rest[1, 1]), math.atan2(-m[2, 0], math.hypot(m[0, 0], m[1, 0])), yaw])


def from_roll_pitch_yaw(a):
    return turn(Z, a[2]) @ turn(Y, a[1]) @ turn(X, a[0])


def direction(rng):
    return unit([rng.gauss(0, 1) for _ in range(3)])


def rotation(rng, most=math.pi):
    return turn(direction(rng), rng.uniform(-most, most))


def planar_directions(n):
    """x and y of a planar joint with the normal n."""
    for k in range(3):
        if n[k] == 1.0:
            return np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
    w = cross(Z, n)
    s = turn(unit(w), math.atan2(math.sqrt(w @ w), n[2]))
    return s[:, 0], s[:, 1]


def displacement(kind, q, axes, pitch, sequence):
    """Where joint frame B stands in joint frame A at the coordinates q: vector and rotation."""
    d, r = np.zeros(3), np.eye(3)
    u = axes[0] if axes else None
    if kind in ("revolute", "screw"):
        d, r = u * (pitch * q[0] / (2 * math.pi)), turn(u, q[0])
    elif kind == "prismatic":
        d = u * q[0]
    elif kind == "cylindrical":
        d, r = u * q[0], turn(u, q[1])
    elif kind == "universal":
        r = turn(axes[0], q[0]) @ turn(axes[1], q[1])
    elif kind == "planar":
        d1, d2 = planar_directions(u)
        d, r = d1 * q[0] + d2 * q[1], turn(u, q[2])
    elif kind in ("point", "free"):
        d = np.array(q[:3])
    if kind in ("spherical", "free"):
        for s, a in zip(sequence, q[-3:]):
            r = r @ turn(LETTERS[s], a)
    return d, r
