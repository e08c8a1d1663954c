"""Sentences of the pages stay below 40 words. Code, formulas, tables and headings are no sentences.

usage: sentences.py SOURCE_DIR [--all]      --all lists the length of sentences of each page"""
import re
import statistics
import sys
from pathlib import Path

import markdown

LONGEST = 39  # words
ITEM = re.compile(r"^\s*(?:[*+-]|\d+\.) ")


def paragraphs(page):
    """Running text as (line number, text). A list item is a paragraph of its own."""
    start, words = 0, []
    for number, line in [*markdown.prose(page), (0, "")]:
        ends = not line.strip() or re.match(r"#|\||<|    \S|\s*```", line)
        if words and (ends or ITEM.match(line)):
            yield start, " ".join(words)
            words = []
        if not ends:
            start = start if words else number
            words.append(ITEM.sub("", line).strip())


def sentences(page):
    """(line number of the paragraph, words). What stands in backquotes counts as one word, a link as its text."""
    for number, text in paragraphs(page):
        text = re.sub(r"`[^`]*`", "X", text)
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
        for sentence in re.split(r"(?<=[.!?])[)*\"]*\s+(?=[^a-z])", text):
            yield number, [word for word in sentence.split() if re.search(r"\w", word)]


def main():
    root = Path(sys.argv[1]).resolve()
    failures = 0
    pages = [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").glob("*.md"))]
    for page in pages:
        found = list(sentences(page))
        name = page.relative_to(root)
        for number, words in found:
            if len(words) > LONGEST:
                failures += 1
                print(f"{name}:{number}: a sentence of {len(words)} words: {' '.join(words[:8])} ...")
        if "--all" in sys.argv and found:
            lengths = [len(words) for _, words in found]
            print(f"{name}: {len(lengths)} sentences, median {statistics.median(lengths):.0f}, longest {max(lengths)}")
    print(f"{len(pages)} pages, {failures} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
