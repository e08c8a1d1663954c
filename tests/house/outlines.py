#!/usr/bin/env python3
"""Comment outlines of long functions.

    outlines.py SOURCE            fails where a folder has fewer than 6 comment lines per 100
                                  lines inside functions above 25 lines, or a long function none
    outlines.py SOURCE --list     the long functions without a comment, a line each
    outlines.py SOURCE --all      the rate of every folder

A function starts at its first line in column 0 and ends at the closing brace in column 0; its
comment lines are the lines of its body that hold a comment and nothing else.
"""
import pathlib
import re
import sys

LONG = 25  # lines; a longer function tells its algorithm in comments
RATE = 6.0  # comment lines per 100 lines
HELD = """closure formulate assemble program emit run kernel measure algebra numeric util model cli view
    report configurations""".split()


def functions(path):
    """(name, first line, lines of text) of every function in a file."""
    lines = path.read_text().split("\n")
    start = None
    for i, line in enumerate(lines):
        if re.match(r"[A-Za-z_]", line) and not line.rstrip().endswith(";"):
            if start is None:
                start = i
        if line.startswith("}"):
            if start is not None and line.rstrip() == "}":
                head = " ".join(lines[start : start + 6]).split("{")[0]
                name = re.search(r"(\w+)\s*\(", head)
                if name:
                    yield name.group(1), start + 1, lines[start : i + 1]
            start = None
        elif start is not None and i > start and not line:
            if "{" not in "".join(lines[start:i]):
                start = None
        elif start == i and re.match(r"(typedef|struct|enum|union|#)", line):
            start = None if "(" not in line else start


def is_comment(line):
    return line.lstrip().startswith(("//", "/*", "* "))


def main():
    source = pathlib.Path(sys.argv[1])
    rates, silent = {}, []
    for path in sorted(source.rglob("*.[ch]")):
        folder = path.relative_to(source).parts[0]
        for name, at, lines in functions(path):
            if len(lines) <= LONG:
                continue
            comments = sum(map(is_comment, lines[1:]))
            total = rates.setdefault(folder, [0, 0, 0])
            total[0] += 1
            total[1] += len(lines)
            total[2] += comments
            if not comments:
                silent.append((folder, f"{path}:{at}: {name}, {len(lines)} lines"))
    if "--list" in sys.argv:
        print("\n".join(text for _, text in silent))
        return 0
    bad = 0
    for folder, (n, length, comments) in sorted(rates.items()):
        rate = 100.0 * comments / length
        low = folder in HELD and rate < RATE
        bad += low
        if low or "--all" in sys.argv:
            print(f"{folder:15s} {n:4d} long functions, {length:6d} lines, {rate:5.1f} per 100")
    held = [text for folder, text in silent if folder in HELD]
    print(f"{len(held)} long functions without an outline" + (": " + held[0] if held else ""))
    return 1 if bad or held else 0


if __name__ == "__main__":
    sys.exit(main())
