"""Relative links and anchors of README.md and docs/ lead somewhere, every page can be reached from
the index, and files that the text names are there, as are functions that the map names.

usage: links.py SOURCE_DIR"""
import re
import sys
from pathlib import Path

import markdown

root = Path(sys.argv[1]).resolve()
docs = root / "docs"
index = docs / "README.md"
pages = [root / "README.md", root / "CHANGELOG.md", *sorted(docs.rglob("*.md"))]
failures = []
leads_to = {page: set() for page in pages}

for page in pages:
    for number, target in markdown.links(page):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        to = (page.parent / name).resolve() if name else page
        place = f"{page.relative_to(root)}:{number}"
        if not to.exists():
            failures.append(f"{place}: there is no {target}")
        elif root not in to.parents:
            failures.append(f"{place}: {target} is outside of the project")
        elif anchor and anchor not in markdown.anchors(to):
            failures.append(f"{place}: {name or 'this page'} has no heading for #{anchor}")
        if to in leads_to:
            leads_to[page].add(to)
    for number, line in markdown.prose(page):
        for path in re.findall(r"`[^`]*?((?:models|docs|tools|tests|src|include)/[\w./-]+\.\w+)[^`]*`", line):
            if not (root / path).exists():
                failures.append(f"{page.relative_to(root)}:{number}: there is no {path}")

# functions, types, constants and files of the pages for those who change the program
sources = "".join(path.read_text() for folder in ("src", "include") for path in (root / folder).rglob("*.[ch]"))
known = set(re.findall(r"\w+", sources))
files = [f"/{path.relative_to(root)}" for folder in ("src", "web", "tests") for path in (root / folder).rglob("*.*")]
for page in (docs / "architecture.md", docs / "contributing.md"):
    for number, line in markdown.prose(page):
        for name in re.findall(r"`((?:ctk?|CTK?)_\w+)`", line):
            if name not in known and not name.endswith("_"):
                failures.append(f"{page.relative_to(root)}:{number}: there is no {name}")
        for name in re.findall(r"`([\w/]+\.(?:[ch]|js|py))`", line):
            if not (root / name).exists() and not any(path.endswith(f"/{name}") for path in files):
                failures.append(f"{page.relative_to(root)}:{number}: there is no {name}")

reached, front = set(), [index]
while front:
    page = front.pop()
    if page not in reached:
        reached.add(page)
        front += leads_to[page]
for page in pages:
    if page not in reached:
        failures.append(f"{page.relative_to(root)}: no way leads here from docs/README.md")
if index not in leads_to[root / "README.md"]:
    failures.append("README.md: does not lead to docs/README.md")

for failure in failures:
    print(failure)
print(f"{len(pages)} pages, {len(failures)} failures")
sys.exit(bool(failures))
