"""docs/messages.md and the program have the same messages: each that the wrong models of tests/bad get is on the
page, each on the page comes up there (or, of those about runs, in the sources).

usage: messages.py SOURCE_DIR COTREE"""
import re
import subprocess
import sys
from pathlib import Path

import markdown

root, cotree = Path(sys.argv[1]), sys.argv[2]
page = root / "docs/messages.md"
failures = []


def patterns(kind):
    for argument, rows in markdown.tables(page, "messages"):
        for row in rows[1:]:
            if argument == kind:
                yield markdown.words(row[0].replace("\\|", "|"))[0]


def fragments(pattern):
    return [part for part in pattern.split("...") if part.strip(" ':;,.()")]


# what the program says
said = set()
for path in sorted((root / "tests/bad").glob("*.yaml")):
    done = subprocess.run([cotree, "check", str(path)], capture_output=True, text=True)
    said |= set(re.findall(r"^[^\n]*?: error: (.*)$", done.stderr, re.M))

documented = {pattern: re.compile(".*".join(map(re.escape, pattern.split("..."))) + r"(; did you mean .*| \(known: .*)?$")
              for pattern in patterns("model")}
for message in sorted(said):
    if not any(regular.match(message) for regular in documented.values()):
        failures.append(f"not on the page: {message}")
for pattern, regular in documented.items():
    if not any(regular.match(message) for message in said):
        failures.append(f"nothing in tests/bad gets: {pattern}")

# string literals of the sources, neighbours joined; what is printed into them is open
literals = set()
for path in (root / "src").rglob("*.c"):
    for run in re.findall(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+', path.read_text()):
        literals.add("".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', run)))
soup = "\n".join(literals)
runs = list(patterns("run"))
for pattern in runs:
    for part in fragments(pattern):
        if part.strip(" ':") not in soup:
            failures.append(f"not in the sources: {part.strip()}")

for literal in sorted(literals):  # and every way for a run to fail is on the page
    if re.match(r"at t = %\.9g [^:]", literal):
        parts = [part.strip(" ':")[:30] for part in re.split(r"%[^a-z]*[a-z]", literal)[1:]]
        if not any(all(part in pattern for part in parts[:2]) for pattern in runs):
            failures.append(f"not on the page: {literal}")

for failure in failures:
    print(failure)
print(f"{len(said)} messages, {len(documented) + len(runs)} entries, {len(failures)} failures")
sys.exit(bool(failures))
