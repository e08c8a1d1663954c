"""The reference pages list what the program accepts, no more and no less: keys of every map, types and
their keys, functions, coefficients, methods, commands, options.

usage: reference.py SOURCE_DIR COTREE

Keys are the lists *_KEYS in src/model and src/configurations, types the tables CT_*_TYPES; some page of docs/ has a table below a
comment <!-- keys: NAME --> or <!-- types: NAME --> for each. What a type takes is asked of the program."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import markdown

root, cotree = Path(sys.argv[1]), sys.argv[2]
pages, commands = sorted((root / "docs").glob("*.md")), root / "docs/commands.md"
failures = []
compared = 0


def compare(what, documented, accepted):
    global compared
    compared += len(accepted)
    for word in sorted(set(accepted) - set(documented)):
        failures.append(f"{what}: `{word}` is accepted but not documented")
    for word in sorted(set(documented) - set(accepted)):
        failures.append(f"{what}: `{word}` is documented but not accepted")


def tables(name):
    return [table for page in pages for table in markdown.tables(page, name)]


def sources(folder):
    return {path: re.sub(r"//[^\n]*", "", path.read_text()) for path in sorted((root / folder).rglob("*.[ch]"))}


def macros(text, pattern):
    """Bodies of #define NAME, where NAME (its group) matches."""
    for found in re.finditer(rf"#define {pattern}(?:\(X\))?((?:[^\n]*\\\n)*[^\n]*)", text):
        yield found.group(1).lower(), found.group(2)


def strings(text):
    return re.findall(r'"((?:[^"\\]|\\.)*)"', text)


model = sources("src/model") | sources("src/configurations")
whole = "\n".join(model.values())

# keys ------------------------------------------------------------------------------------------
documented = {}
for name, rows in tables("keys"):
    documented.setdefault(name, []).extend(word for row in rows[1:] for word in markdown.words(row[0]))
lists = {name: strings(body) for name, body in macros(whole, r"([A-Z_]+)_KEYS")}
for name in sorted(set(lists) | set(documented)):
    compare(f"keys of {name}", documented.get(name, []), lists.get(name, []))

# no reader knows keys of its own
every = {key for keys in lists.values() for key in keys}
for path, text in model.items():
    for key in re.findall(r'(?:ct_yaml_get|ct_yaml_key|ct_read_needed|ct_read_constant)\([^")]*"(\w+)"', text):
        if key not in every:
            failures.append(f"{path.name} reads '{key}', which is in no list *_KEYS")
    if "ct_read_keys(r" in text and not re.search(r"_KEYS\b", text):
        failures.append(f"{path.name} has keys that are in no list *_KEYS")

# types and what each takes -----------------------------------------------------------------------
PROBES = {
    "joint": "bodies: {a: {mass: 1}, b: {mass: 1}}\njoints: {J: {type: %s, qqqqqqqq: 1}}\n",
    "force": "bodies: {a: {mass: 1}}\nforces: {F: {type: %s, qqqqqqqq: 1}}\n",
    "shape": "bodies: {a: {mass: 1, shape: {type: %s, qqqqqqqq: 1}}}\n",
}


OF_ALL = {"type", "active", "attach", "gap"}  # of every joint: the list of keys alone has them


def takes(kind, name):
    """The keys of a type: what the message about a key that it does not have lists."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("cotree: 1\n" + PROBES[kind] % name)
        file.flush()
        done = subprocess.run([cotree, "check", file.name], capture_output=True, text=True)
    found = re.search(r"unknown key 'qqqqqqqq' in .* \(known: ([\w, ]+)\)", done.stderr)
    if not found:
        failures.append(f"{kind} {name}: its keys are not to be had:\n{done.stderr}")
        return []
    return [key for key in found.group(1).split(", ") if key not in OF_ALL]


type_tables = dict(tables("types"))
for kind, body in macros(whole, r"CT_([A-Z]+)_TYPES"):
    accepted = strings(body)
    rows = type_tables.get(kind, [["type", "keys"]])
    column = rows[0].index("keys")
    table = {word: markdown.words(row[column]) for row in rows[1:] for word in markdown.words(row[0])}
    compare(f"types of {kind}s", table, accepted)
    for name in accepted:
        if name in table and kind in PROBES:
            compare(f"keys of {kind} {name}", table[name], takes(kind, name))

# functions, coefficients, quantities ---------------------------------------------------------------
names = re.search(r"ct_builtin_names\[\] = \{(.*?)\}", (root / "src/expr/parse.c").read_text(), re.S)
found = [re.match(r"\w+", word).group() for _, rows in tables("functions")
         for row in rows[1:] for word in markdown.words(row[0]) if re.match(r"\w", word)]
compare("functions and constants", found, strings(names.group(1)))
for table, macro, pattern in (("coefficients", "CT_TYRE_COEFFICIENTS", r"X\((\w+), \d\)"),
                              ("tyre functions", "CT_TYRE_QUANTITIES", r'X\(\w+, "(\w+)"\)')):
    accepted = re.findall(pattern, next(macros(whole, f"({macro})"))[1])
    found = [re.match(r"\w+", word).group() for _, rows in tables(table)
             for row in rows[1:] for cell in row for word in markdown.words(cell)]
    compare(table, found, accepted)

for table, lists in (("output functions", ("CT_OUTPUT_FUNCTIONS", "CT_OUTPUT_NAMES")),
                     ("force functions", ("CT_LOAD_QUANTITIES",))):
    accepted = [word for macro in lists for word in re.findall(r'X\(\w+, "(\w+)"', next(macros(whole, f"({macro})"))[1])]
    found = [re.match(r"\w+", word).group() for _, rows in tables(table)
             for row in rows[1:] for word in markdown.words(row[0])]
    compare(table, found, accepted)

# commands, options, methods, integrators -------------------------------------------------------------
cli = (root / "src/cli/table.h").read_text()
header = (root / "include/cotree.h").read_text()
accepted = re.findall(r"X\((\w+),", next(macros(cli, "(COMMANDS)"))[1])
headings = [m.group(1) for _, line in markdown.prose(commands) if (m := re.match(r"## ([a-z]+)$", line))]
compare("commands", headings, accepted)
options = {m for m in re.findall(r'X\([A-Z]+, \w+, "([\w-]+)"', next(macros(cli, "(OPTIONS)"))[1])}
text = "\n".join(line for _, line in markdown.prose(commands))
found = {word for span in re.findall(r"`([^`]*)`", text) for word in re.findall(r"(?<![\w-])--([a-z][\w-]*)", span)}
found.discard("name")  # of "as `--name value`"
compare("options", found | ({"output"} if "`-o " in text else set()), options)
header += (root / "src/kernel/ctk_integrators.h").read_text()
for what, macro in (("methods", "CT_METHODS"), ("integrators", "CTK_INTEGRATORS"),
                    ("integrators", "CT_INTEGRATORS_ADAPTIVE")):
    for word in strings(next(macros(header, f"({macro})"))[1]):
        compared += 1
        if f"`{word}`" not in text:
            failures.append(f"{what}: `{word}` is not in docs/commands.md")

for failure in failures:
    print(failure)
print(f"{compared} words compared, {len(failures)} failures")
sys.exit(bool(failures))
