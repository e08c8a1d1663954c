"""Is this the output that the page shows? Text must agree, up to blanks; numbers by what they are:
times may be anything, residuals of the same smallness, operation counts alike, steps that cvode chooses about as
many, the rest close."""
import re

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
ANYTHING = re.compile(r"^ ?(s of computing|times real time|s for |MB|ms |frames)")
SMALL = re.compile(r"(residual|drift)[^,;]*$")


def shape(line):
    return " ".join(NUMBER.sub(" # ", line).split())


def close(shown, real, before, after):
    s, r = float(shown), float(real)
    if ANYTHING.match(after) or (before.endswith(" in ") and re.match(r" s\b", after)):
        return True
    if SMALL.search(before):
        return abs(r) <= max(1e-9, 1e3 * abs(s))
    if "operations" in before + after:
        return r <= 4 * s and s <= 4 * r + 20
    if re.match(r" steps.*cvode", after):
        return abs(s - r) <= 0.2 * s
    if re.fullmatch(r"[-+]?\d+", shown):
        return s == r
    digits = len(re.sub(r"[eE].*|\D", "", shown).lstrip("0"))
    return abs(s - r) <= (1e-2 if digits <= 4 else 1e-6) * max(abs(s), abs(r)) + 1e-9


def same_line(shown, real, loose):
    if shown.endswith("...") and shown.strip() != "...":
        if shape(real).startswith(shape(shown[:-3])):
            return True
    if shape(shown) != shape(real):
        return False
    return loose or all(
        close(a.group(), b.group(), shown[: a.start()], shown[a.end():])
        for a, b in zip(NUMBER.finditer(shown), NUMBER.finditer(real)))


def trimmed(lines):
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def same(shown, real, loose=False):
    """A line `...` stands for any lines. Returns None, or the first line that was not found."""
    shown, real = trimmed(shown), trimmed(real)
    places = {0}  # where in `real` one may be after the lines so far
    for line in shown:
        if line.strip() == "...":
            places = set(range(min(places), len(real) + 1))
            continue
        found = {at + 1 for at in places if at < len(real) and same_line(line, real[at], loose)}
        if not found:
            return line
        places = found
    if len(real) not in places:
        return f"(the output goes on: {real[max(places)]})"
    return None


DECIMAL = re.compile(r"-?\d+(?:\.\d+)?")


def same_drawing(a, b):
    """The same drawing, up to a unit of some hundred."""
    if DECIMAL.sub("#", a) != DECIMAL.sub("#", b):
        return False
    return all(abs(float(x) - float(y)) <= 1 for x, y in zip(DECIMAL.findall(a), DECIMAL.findall(b)))
