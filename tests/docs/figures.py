"""The figures are current: what tools/figures draws is what docs/pictures/figures has, and pages show each of them.

usage: figures.py SOURCE_DIR COTREE"""
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import markdown

root, cotree = Path(sys.argv[1]).resolve(), sys.argv[2]
figures, failures = root / "docs/pictures/figures", []

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, root / "tools/figures", cotree, root, folder], check=True)
    drawn = {path.name: path.read_text() for path in Path(folder).iterdir()}
    shown = {(page.parent / target).resolve() for page in (root / "README.md", *(root / "docs").glob("*.md"))
             for _, target in markdown.links(page)}
    for name in sorted(drawn.keys() | {path.name for path in figures.iterdir()}):
        path = figures / name
        if name not in drawn or not path.exists():
            failures.append(f"{name}: {'no figure of tools/figures' if path.exists() else 'not in docs/pictures/figures'}")
        elif not compare.same_drawing(path.read_text(), drawn[name]):
            failures.append(f"{name}: tools/figures draws something else")
        elif path not in shown:
            failures.append(f"{name}: no page shows it")

for failure in failures:
    print(failure)
if failures:
    print("`make figures` draws them anew")
print(f"{len(drawn)} figures, {len(failures)} failures")
sys.exit(bool(failures))
