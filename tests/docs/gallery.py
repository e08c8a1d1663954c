"""The gallery is current: every model has its still and its line, and what tools/gallery draws now is what docs/ has.

usage: gallery.py SOURCE_DIR COTREE"""
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom
from pathlib import Path

import compare

root, cotree = Path(sys.argv[1]).resolve(), sys.argv[2]
docs, failures = root / "docs", []


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.executable, root / "tools/gallery", cotree, root / "models", folder], check=True)
    made = Path(folder)
    if (made / "gallery.md").read_text() != (docs / "gallery.md").read_text():
        failures.append("docs/gallery.md is not what tools/gallery makes")
    drawn = {path.name for path in (made / "pictures/models").iterdir()}
    for name in sorted(drawn | {path.name for path in (docs / "pictures/models").iterdir()}):
        old, new = docs / "pictures/models" / name, made / "pictures/models" / name
        if not old.exists() or not new.exists():
            failures.append(f"{name}: {'no model' if old.exists() else 'no picture in docs/pictures/models'}")
        elif not compare.same_drawing(old.read_text(), new.read_text()):
            failures.append(f"{name}: not the picture of the model any more")
    page = (made / "index.html").read_text()

for path in sorted((root / "models").glob("*.yaml")):
    entry = re.search(rf"\[{path.stem}\]\(\.\./models/{path.name}\)\*\*<br>(.*?)<br>", (docs / "gallery.md").read_text())
    words = entry.group(1) if entry else ""
    if len(words) < 10:
        failures.append(f"{path.name} has no line in the gallery: begin the model with a comment")
    if f'"pictures/models/{path.stem}.svg"' not in page:
        failures.append(f"{path.name} is not in index.html")
for path in sorted((docs / "pictures").rglob("*.svg")):
    drawing = xml.dom.minidom.parse(str(path)).documentElement
    if drawing.tagName != "svg" or not drawing.getElementsByTagName("title"):
        failures.append(f"{path.name} is no SVG drawing with a title")
    if not drawing.getElementsByTagName("path") or "nan" in path.read_text().lower():
        failures.append(f"{path.name} is empty or broken")

for failure in failures:
    print(failure)
if failures:
    print("`make gallery` draws the models anew")
print(f"{len(drawn)} models, {len(failures)} failures")
sys.exit(bool(failures))
