"""Positions of a mechanism by Newton's iteration from many starts, in absolute coordinates: every body
has a point p and a rotation R, every joint is a few equations of points, vectors and distances. It
shares nothing with the program: neither coordinates nor equations nor the way they are solved."""
import numpy as np


def rotation(axis, angle):
    k = np.cross(np.eye(3), axis / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def rpy(roll, pitch, yaw):
    x, y, z = np.eye(3)
    return rotation(z, yaw) @ rotation(y, pitch) @ rotation(x, roll)


def cross_matrices(v):
    out = np.zeros(v.shape[:-1] + (3, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out


class State:
    """Many positions at once: p[start, body], R[start, body]; body 0 is ground."""

    def __init__(self, p, R):
        self.p, self.R = p, R

    def vector(self, body, v):
        return self.R[:, body] @ v

    def point(self, body, x):
        return self.p[:, body] + self.vector(body, x)


class Rows:
    """Residuals and their derivatives by small displacements d and rotations w of bodies."""

    def __init__(self, state):
        self.s = state
        self.n, self.bodies = state.p.shape[:2]
        self.f, self.j = [], []

    def add(self, f, parts):
        j = np.zeros((self.n, f.shape[1], 6 * self.bodies))
        for body, by_d, by_w in parts:
            if by_d is not None:
                j[:, :, 6 * body:6 * body + 3] += by_d
            j[:, :, 6 * body + 3:6 * body + 6] += by_w
        self.f.append(f)
        self.j.append(j)

    def same_vector(self, a, va, b, vb):
        x, y = self.s.vector(a, va), self.s.vector(b, vb)
        self.add(y - x, [(a, None, cross_matrices(x)), (b, None, -cross_matrices(y))])

    def gap(self, a, xa, b, xb):
        """Vector from a point of a to a point of b, with its derivatives."""
        ra, rb = self.s.vector(a, xa), self.s.vector(b, xb)
        eye = np.broadcast_to(np.eye(3), (self.n, 3, 3))
        d = self.s.p[:, b] + rb - self.s.p[:, a] - ra
        return d, [(a, -eye, cross_matrices(ra)), (b, eye, -cross_matrices(rb))]

    def same_point(self, a, xa, b, xb):
        self.add(*self.gap(a, xa, b, xb))

    def along(self, a, xa, b, xb, u, value):
        """Component of the gap along a vector u of a."""
        d, parts = self.gap(a, xa, b, xb)
        x = self.s.vector(a, u)
        rows = [(body, x[:, None] @ by_d, x[:, None] @ by_w) for body, by_d, by_w in parts]
        rows.append((a, None, -(d[:, None] @ cross_matrices(x))))
        self.add(np.sum(d * x, axis=1)[:, None] - value, rows)

    def angle_between(self, a, va, b, vb, cosine):
        x, y = self.s.vector(a, va), self.s.vector(b, vb)
        self.add(np.sum(x * y, axis=1)[:, None] - cosine,
                 [(a, None, -(y[:, None] @ cross_matrices(x))), (b, None, -(x[:, None] @ cross_matrices(y)))])

    def distance(self, a, xa, b, xb, length):
        d, parts = self.gap(a, xa, b, xb)
        rows = [(body, d[:, None] @ by_d / length, d[:, None] @ by_w / length) for body, by_d, by_w in parts]
        self.add((np.sum(d * d, axis=1) - length ** 2)[:, None] / (2 * length), rows)

    def all(self):
        return np.concatenate(self.f, axis=1), np.concatenate(self.j, axis=1)[:, :, 6:]


def residuals(joints, state):
    rows = Rows(state)
    for joint in joints:
        joint.write(rows)
    return rows.all()


def turned(R, w):
    angle = np.linalg.norm(w, axis=-1, keepdims=True)[..., None]
    k = cross_matrices(w / np.maximum(angle[..., 0], 1e-300))
    return (np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)) @ R


def moved(state, step):
    n, bodies = state.p.shape[:2]
    x = step.reshape(n, bodies - 1, 6)
    p, R = state.p.copy(), state.R.copy()
    p[:, 1:] += x[..., :3]
    R[:, 1:] = turned(R[:, 1:], x[..., 3:])
    return State(p, R)


def chosen(state, which):
    return State(state.p[which], state.R[which])


def solve(joints, state, size, iterations=120):
    """Levenberg and Marquardt's steps for all starts at once, then Newton's. Gives positions that
    close to 1e-12 of the size."""
    n = state.p.shape[0]
    damping = np.full(n, 1e-2)
    f, j = residuals(joints, state)
    norm = np.linalg.norm(f, axis=1)
    for k in range(iterations):
        jt = np.swapaxes(j, 1, 2)
        a = jt @ j + (damping * norm)[:, None, None] * np.eye(j.shape[2])
        a += 1e-14 * np.eye(j.shape[2])
        step = -np.linalg.solve(a, (jt @ f[:, :, None]))[..., 0]
        length = np.max(np.abs(step.reshape(n, -1, 6)[..., 3:]), axis=(1, 2))
        step *= np.minimum(1, 1 / np.maximum(length, 1e-9))[:, None]  # at most a radian
        trial = moved(state, step)
        g, h = residuals(joints, trial)
        new = np.linalg.norm(g, axis=1)
        good = new < norm
        damping = np.where(good, damping / 4, np.minimum(damping * 6, 1e6))
        state = State(np.where(good[:, None, None], trial.p, state.p),
                      np.where(good[:, None, None, None], trial.R, state.R))
        f, j = np.where(good[:, None], g, f), np.where(good[:, None, None], h, j)
        norm = np.where(good, new, norm)
        if k % 20 == 19:  # those that are stuck, or done
            keep = norm < 10.0 ** (1 - k / 40) * size
            if not keep.any():
                return chosen(state, np.zeros(n, bool))
            state, f, j, norm, damping = chosen(state, keep), f[keep], j[keep], norm[keep], damping[keep]
            n = len(norm)
            if (norm < 1e-12 * size).all():
                break
    return chosen(state, norm < 1e-12 * size)
