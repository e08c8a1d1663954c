#!/usr/bin/python3
"""Writes models/reference/caught_bar.csv in closed form: a bar in flight, on its pin, in flight again."""
import os
from math import cos, sin

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "..", "..", "models", "reference", "caught_bar.csv")
CAUGHT, RELEASED, SPEED, SPIN, HALF = 0.25, 1.5, 0.75, 1.5, 0.5


def state(t):
    """x, y, angle and their rates; 1 while the pin holds."""
    if t < CAUGHT:
        return 0, t, 0, 0, 1, 0, 0
    last = min(t, RELEASED)
    angle = SPIN * (last - CAUGHT)
    x, y = HALF * (cos(angle) - 1), CAUGHT + HALF * sin(angle)
    vx, vy = -SPEED * sin(angle), SPEED * cos(angle)
    behind = t - last
    return x + vx * behind, y + vy * behind, angle + SPIN * behind, vx, vy, SPIN, int(t < RELEASED)


with open(PATH, "w") as f:
    f.write("t,fly.x,fly.y,fly.angle,fly.x',fly.y',fly.angle',speed,energy,active.pin\n")
    for i in range(21):
        t = i / 10
        x, y, a, vx, vy, w, held = state(t)
        row = [t, x, y, a, vx, vy, w, (vx * vx + vy * vy) ** 0.5, (vx * vx + vy * vy) / 2 + w * w / 24, held]
        f.write(",".join(repr(float(v)) for v in row) + "\n")
