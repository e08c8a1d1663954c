"""Is this the output that the page shows? Text must agree, up to blanks; numbers by what they are:
times may be anything, residuals of the same smallness, operation counts alike, the rest close."""
import re

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
ANYTHING = re.compile(r"^ ?(s of computing|times real time|s for |MB|ms )")
MEASURED = re.compile(r"(found in|in the last) $")
SMALL = re.compile(r"(residual|drift)[^,;]*$")


def shape(line):
    return " ".join(NUMBER.sub(" # ", line).split())


def close(shown, real, before, after):
    s, r = float(shown), float(real)
    if ANYTHING.match(after) or MEASURED.search(before):
        return True
    if SMALL.search(before):
        return abs(r) <= max(1e-9, 1e3 * abs(s))
    if re.match(r"\s*operations", before):
        return r <= 4 * s and s <= 4 * r + 20
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


def same(shown, real, loose=False):
    """A line `...` stands for any lines. Returns None, or the line that was not found."""
    shown = [line.rstrip() for line in shown]
    real = [line.rstrip() for line in real]
    while real and not real[-1]:
        real.pop()
    while shown and not shown[-1]:
        shown.pop()
    at, skip = 0, False
    for line in shown:
        if line.strip() == "...":
            skip = True
            continue
        while at < len(real) and not same_line(line, real[at], loose):
            if not skip:
                return line
            at += 1
        if at == len(real):
            return line
        at, skip = at + 1, False
    if at < len(real) and not skip:
        return f"(the output goes on: {real[at]})"
    return None
