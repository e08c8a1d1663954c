"""Expressions of the model language, evaluated on numbers or on kinematic scalars.

A Kin carries a quantity that depends on the poses of the bodies and on time: its value, its rate,
the row with rate = row . V + (part from t), and the bias with second derivative = row . A + bias,
where V and A stack the velocities (v, omega) and accelerations of all bodies. The same class holds
vectors: value (3,), row (3, n). Constraint rows, coordinates and generalised forces all come from it.
"""
import math
import re

import numpy as np
from scipy.interpolate import CubicSpline


class Kin:
    __slots__ = ("val", "rate", "row", "bias")

    def __init__(self, val, rate, row, bias):
        self.val, self.rate, self.row, self.bias = val, rate, row, bias

    def __add__(self, o):
        if not isinstance(o, Kin):
            return Kin(self.val + o, self.rate, self.row, self.bias)
        return Kin(self.val + o.val, self.rate + o.rate, self.row + o.row, self.bias + o.bias)

    def __neg__(self):
        return Kin(-self.val, -self.rate, -self.row, -self.bias)

    def __sub__(self, o):
        if not isinstance(o, Kin):
            return Kin(self.val - o, self.rate, self.row, self.bias)
        return Kin(self.val - o.val, self.rate - o.rate, self.row - o.row, self.bias - o.bias)

    def __rsub__(self, o):
        return (-self) + o

    def __mul__(self, o):  # scalars only
        if not isinstance(o, Kin):
            return Kin(self.val * o, self.rate * o, self.row * o, self.bias * o)
        return Kin(self.val * o.val, self.rate * o.val + self.val * o.rate, self.row * o.val + o.row * self.val,
                   self.bias * o.val + 2 * self.rate * o.rate + self.val * o.bias)

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, o):
        return self * (self_of(o, -1.0) if isinstance(o, Kin) else 1.0 / o)

    def __rtruediv__(self, o):
        return self_of(self, -1.0) * o

    def __getitem__(self, i):
        return Kin(self.val[i], self.rate[i], self.row[i], self.bias[i])


def chain(u, f, f1, f2):
    """f(u) with its first and second derivative."""
    return Kin(f, f1 * u.rate, f1 * u.row, f1 * u.bias + f2 * u.rate * u.rate)


def self_of(u, n):
    """u^n with a constant n."""
    f1 = n * u.val ** (n - 1) if n != 0 else 0.0
    f2 = n * (n - 1) * u.val ** (n - 2) if n not in (0, 1) else 0.0
    return chain(u, u.val ** n, f1, f2)


def dot(a, b):
    """Scalar product of two vector Kins."""
    return Kin(a.val @ b.val, a.rate @ b.val + a.val @ b.rate, a.val @ b.row + b.val @ a.row,
               a.bias @ b.val + 2 * (a.rate @ b.rate) + a.val @ b.bias)


def cross(a, b):
    """Of two vectors; numpy's own takes ten times as long."""
    a0, a1, a2 = a.tolist() if isinstance(a, np.ndarray) else a
    b0, b1, b2 = b.tolist() if isinstance(b, np.ndarray) else b
    return np.array((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0))


def value(u):
    return u.val if isinstance(u, Kin) else u


def atan2(y, x):
    if not isinstance(y, Kin) and not isinstance(x, Kin):
        return math.atan2(y, x)
    some = y if isinstance(y, Kin) else x
    y, x = lift(y, some), lift(x, some)
    rr = x.val ** 2 + y.val ** 2
    rate = (x.val * y.rate - y.val * x.rate) / rr
    return Kin(math.atan2(y.val, x.val), rate, (x.val * y.row - y.val * x.row) / rr,
               (x.val * y.bias - y.val * x.bias - 2 * rate * (x.val * x.rate + y.val * y.rate)) / rr)


def lift(u, like):
    return u if isinstance(u, Kin) else Kin(float(u), 0.0, np.zeros_like(like.row), 0.0)


def power(a, b):
    if isinstance(b, Kin):
        return FUNCTIONS["exp"](b * FUNCTIONS["log"](a))
    if isinstance(a, Kin):
        return self_of(a, b)
    return a ** b


def smooth(f, f1, f2):
    return lambda u: chain(u, f(u.val), f1(u.val), f2(u.val)) if isinstance(u, Kin) else f(u)


def sign(x):
    return float(x > 0) - float(x < 0)


def fabs(u):
    return u if value(u) >= 0 else -u


FUNCTIONS = {
    "sin": smooth(math.sin, math.cos, lambda x: -math.sin(x)),
    "cos": smooth(math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x)),
    "tan": smooth(math.tan, lambda x: 1 + math.tan(x) ** 2, lambda x: 2 * math.tan(x) * (1 + math.tan(x) ** 2)),
    "asin": smooth(math.asin, lambda x: (1 - x * x) ** -0.5, lambda x: x * (1 - x * x) ** -1.5),
    "acos": smooth(math.acos, lambda x: -((1 - x * x) ** -0.5), lambda x: -x * (1 - x * x) ** -1.5),
    "atan": smooth(math.atan, lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2),
    "sqrt": smooth(math.sqrt, lambda x: 0.5 * x ** -0.5, lambda x: -0.25 * x ** -1.5),
    "exp": smooth(math.exp, math.exp, math.exp),
    "log": smooth(math.log, lambda x: 1 / x, lambda x: -1 / (x * x)),
    "abs": fabs,
    "sign": lambda u: sign(value(u)),
    "min": lambda *a: min(a, key=value),
    "max": lambda *a: max(a, key=value),
    "atan2": atan2,
}
PROBES = ("x", "y", "z", "vx", "vy", "vz")
OUTPUT_PROBES = ("ax", "ay", "az", "wx", "wy", "wz", "effort", "tension", "length", "gap")  # and some of tyres
TYRE_PROBES = ("fx", "fy", "fz", "mx", "my", "mz", "slip", "slip_angle", "camber")
COMPARE = {"<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
           "==": lambda a, b: a == b, "!=": lambda a, b: a != b}


class Table:
    """Natural (or periodic) cubic spline, constant beyond the ends."""

    def __init__(self, x, y, periodic):
        self.x0, self.x1, self.periodic = x[0], x[-1], periodic
        self.spline = CubicSpline(x, y, bc_type="periodic" if periodic else "natural")
        self.d1, self.d2 = self.spline.derivative(1), self.spline.derivative(2)

    def __call__(self, u):
        x, inside = value(u), 1.0
        if self.periodic:
            x = self.x0 + (x - self.x0) % (self.x1 - self.x0)
        elif not self.x0 <= x <= self.x1:
            x, inside = min(max(x, self.x0), self.x1), 0.0
        f = float(self.spline(x))
        return chain(u, f, inside * float(self.d1(x)), inside * float(self.d2(x))) if isinstance(u, Kin) else f


TOKEN = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*(?:\.\w+)*'{0,2})|(<=|>=|==|!=|[-+*/^(),<>]))")
CACHE = {}


def parse(text):
    """Text to a closure of one argument, the environment (see Context and Constants)."""
    text = str(text)
    if text not in CACHE:
        CACHE[text] = Parser(text).whole()
    return CACHE[text]


class Parser:
    def __init__(self, text):
        self.text, self.tokens, at = text, [], 0
        while text[at:].strip():
            m = TOKEN.match(text, at)
            if not m:
                raise ValueError(f"cannot read {text[at:]!r} in {text!r}")
            self.tokens.append((m.lastindex, m.group(m.lastindex)))
            at = m.end()
        self.tokens.append((0, ""))
        self.i = 0

    def peek(self):
        return self.tokens[self.i][1]

    def take(self, what=None):
        kind, s = self.tokens[self.i]
        if what is not None and s != what:
            raise ValueError(f"expected {what!r}, found {s!r} in {self.text!r}")
        self.i += 1
        return kind, s

    def whole(self):
        e = self.comparison()
        if self.peek():
            raise ValueError(f"unexpected {self.peek()!r} in {self.text!r}")
        return e

    def comparison(self):
        a = self.sum()
        while self.peek() in COMPARE:
            f, l, r = COMPARE[self.take()[1]], a, self.sum()
            a = lambda env, f=f, l=l, r=r: float(f(value(l(env)), value(r(env))))
        return a

    def sum(self):
        a = self.product()
        while self.peek() in ("+", "-"):
            l, op, r = a, self.take()[1], self.product()
            a = (lambda env, l=l, r=r: l(env) + r(env)) if op == "+" else (lambda env, l=l, r=r: l(env) - r(env))
        return a

    def product(self):
        a = self.unary()
        while self.peek() in ("*", "/"):
            l, op, r = a, self.take()[1], self.unary()
            a = (lambda env, l=l, r=r: l(env) * r(env)) if op == "*" else (lambda env, l=l, r=r: l(env) / r(env))
        return a

    def unary(self):
        if self.peek() in ("+", "-"):
            op, a = self.take()[1], self.unary()
            return a if op == "+" else lambda env: -a(env)
        a = self.atom()
        if self.peek() == "^":
            self.take()
            b = self.unary()
            return lambda env: power(a(env), b(env))
        return a

    def atom(self):
        kind, s = self.take()
        if kind == 1:
            return lambda env, x=float(s): x
        if s == "(":
            a = self.comparison()
            self.take(")")
            return a
        if kind != 2:
            raise ValueError(f"unexpected {s!r} in {self.text!r}")
        if self.peek() != "(":
            return lambda env: env.name(s)
        self.take("(")
        if s in PROBES + TYRE_PROBES + OUTPUT_PROBES or s == "distance":
            names = [self.take()[1]]
            while self.peek() == ",":
                self.take()
                names.append(self.take()[1])
            self.take(")")
            return lambda env: env.probe(s, *names)
        if s == "table":
            name = self.take()[1]
            self.take(",")
            a = self.comparison()
            self.take(")")
            return lambda env: env.table(name)(a(env))
        args = [self.comparison()]
        while self.peek() == ",":
            self.take()
            args.append(self.comparison())
        self.take(")")
        if s == "if":
            return lambda env: args[1](env) if value(args[0](env)) else args[2](env)
        if s not in FUNCTIONS:
            raise ValueError(f"unknown function {s} in {self.text!r}")
        return lambda env: FUNCTIONS[s](*[a(env) for a in args])
