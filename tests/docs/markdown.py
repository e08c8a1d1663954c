"""Markdown as the tests of the documentation see it: blocks of code with the comments before them,
tables, headings and links."""
import re
from pathlib import Path


class Block:
    def __init__(self, page, line, language, directives):
        self.page, self.line, self.language = page, line, language
        self.directives = directives  # {"file": "pendulum.yaml", ...} from <!-- file: pendulum.yaml -->
        self.lines = []

    @property
    def text(self):
        return "".join(line + "\n" for line in self.lines)

    @property
    def place(self):
        return f"{self.page}:{self.line}"


COMMENT = re.compile(r"^\s*<!-- ([a-z ]+?)(?:: (.*?))? -->\s*$")


def blocks(path):
    """Fenced blocks of a page. Comments on the lines right above belong to a block."""
    found, directives, block, fence = [], {}, None, ""
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if block is not None:
            if line.strip() == fence:
                found.append(block)
                block, directives = None, {}
            else:
                block.lines.append(line)
            continue
        opening = re.match(r"^(\s*)(```+)(\w*)\s*$", line)
        comment = COMMENT.match(line)
        if opening:
            fence = opening.group(2)
            block = Block(path, number, opening.group(3), directives)
        elif comment:
            directives[comment.group(1)] = comment.group(2) or ""
        elif line.strip():
            directives = {}
    if block is not None:
        raise SystemExit(f"{block.place}: this block has no end")
    return found


def prose(path):
    """Lines of a page with numbers, those of blocks left out."""
    fence = ""
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        mark = re.match(r"^\s*(```+)", line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and line.strip() == fence:
            fence = ""
        elif not fence:
            yield number, line


def tables(path, name):
    """Tables below a comment <!-- NAME: argument -->, as (argument, rows of cells)."""
    found, argument, rows = [], None, []
    for _, line in [*prose(path), (0, "")]:
        comment = COMMENT.match(line)
        if argument is not None and line.startswith("|"):
            cells = re.split(r"(?<!\\)\|", line.strip()[1:-1])
            if not re.fullmatch(r"[|: ]*-[-|: ]*", line.strip()):
                rows.append([cell.strip() for cell in cells])
        elif rows:
            found.append((argument, rows))
            argument, rows = None, []
        if comment and comment.group(1) == name:
            argument = comment.group(2) or ""
    return found


def words(cell):
    """What stands in backquotes."""
    return re.findall(r"`([^`]+)`", cell)


def anchors(path):
    """Anchors of the headings, as GitHub makes them."""
    seen = set()
    for _, line in prose(path):
        heading = re.match(r"^#+ (.*)$", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
            seen.add(re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-"))
    return seen


def links(path):
    for number, line in prose(path):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            yield number, target
        for target in re.findall(r"<img[^>]* src=\"([^\"]+)\"", line):
            yield number, target
