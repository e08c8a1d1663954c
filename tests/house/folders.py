#!/usr/bin/env python3
"""The graph of folders, built from the objects: nobody uses a symbol of a folder to the right.

  folders.py BUILD [--list]

Includes tell what a file may see; symbols tell what it uses. For every object of the library the
symbols that it defines and those that it needs are read with nm. The test fails on
  - a symbol used against the direction of ORDER,
  - a folder of src/ that ORDER does not name, or with more than MOST_FILES files,
  - a cycle of more than LARGEST_CYCLE files inside a folder,
  - exported functions of closure/ that only one other file uses: one for each file, its way in, and
    MOST_LONELY more.
--list prints the cycles and the lonely functions.
"""
import collections
import os
import subprocess
import sys

MOST_FILES = 20
LARGEST_CYCLE = 5
MOST_LONELY = 4

# left knows nothing of right; a room is named with its folder
ORDER = """
util/text util util/cache kernel kernel/inline kernel/closed kernel/events kernel/implicit kernel/joints expr expr/jumps
algebra algebra/poly algebra/f4 algebra/groebner algebra/quotient algebra/eliminate algebra/solve
numeric model model/yaml model/read model/inputs graph formulate formulate/loads formulate/sweep formulate/natural formulate/reactions assemble program
closure/relations closure/flow closure/values closure/elimination closure/steps closure/tearing closure/embed closure
emit/text emit emit/targets run/trees run/interpret run/code run/kept run run/rows run/limits run/events run/adaptive analyses configurations/trig configurations/loops configurations configurations/basis configurations/branches measure view view/still report
""".split()
# rooms whose door is their parent: the parent calls into them, and they share its header
SAME = {"kernel/inline": "kernel", "kernel/closed": "kernel", "kernel/events": "kernel", "kernel/implicit": "kernel",
        "kernel/joints": "kernel", "formulate/loads": "formulate", "formulate/sweep": "formulate", "formulate/natural": "formulate",
        "run/rows": "run", "run/limits": "run", "run/events": "run", "run/adaptive": "run"}
MANY_FILES_ALLOWED = {"cli"}  # one file for each command


def objects(build):
    """Object files of the library by source path relative to src/."""
    found = {}
    for part in ("cotree_objects.dir", "cotree_kernel.dir", "cotree_program.dir"):
        top = os.path.join(build, "CMakeFiles", part, "src")
        for root, _, names in os.walk(top):
            for name in names:
                if name.endswith(".c.o"):
                    path = os.path.join(root, name)
                    found[os.path.relpath(path, top)[: -len(".o")]] = path
    return found


def symbols(path):
    """Functions and tables that an object defines, and those that it needs from others."""
    defined, needed = set(), set()
    for line in subprocess.run(["nm", "-P", "-g", path], check=True, capture_output=True, text=True).stdout.splitlines():
        name, kind = line.split()[:2]
        (needed if kind in "Uwv" else defined).add(name)
    return defined, needed


def graph(build, source):
    """users[symbol] -> files that need it; home[symbol] -> file that defines it."""
    home, users = {}, collections.defaultdict(set)
    for file, path in objects(build).items():
        if not os.path.exists(os.path.join(source, "src", file)):
            continue  # left over from an earlier build
        defined, needed = symbols(path)
        for name in defined:
            home[name] = file
        for name in needed:
            users[name].add(file)
    return home, {name: files for name, files in users.items() if name in home}


def cycles(edges):
    """Strongly connected components of more than one file (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in edges.get(v, ()):
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for v in sorted(edges):
        if v not in number:
            visit(v)
    return sorted(found, key=len, reverse=True)


def folder_of(file):
    return os.path.dirname(file)


def against(home, users):
    """Uses of a symbol whose home is to the right of its user."""
    place = {folder: i for i, folder in enumerate(ORDER)}
    lines = []
    for name in sorted(users):
        for user in sorted(users[name]):
            here, there = folder_of(user), folder_of(home[name])
            if SAME.get(here, here) == SAME.get(there, there) or here.startswith("cli"):
                continue  # the program stands on all of them
            if place.get(here, -1) < place.get(there, -1):
                lines.append("%s uses %s of %s" % (user, name, home[name]))
    return lines


def crowded(source):
    lines = []
    for root, _, names in os.walk(os.path.join(source, "src")):
        folder = os.path.relpath(root, os.path.join(source, "src"))
        files = [name for name in names if name.endswith((".c", ".h"))]
        if len(files) > MOST_FILES and folder not in MANY_FILES_ALLOWED:
            lines.append("%s holds %d files" % (folder, len(files)))
        if files and not folder.startswith("cli") and folder not in ORDER:
            lines.append("%s has no place in the order of folders" % folder)
    return lines


def inside(home, users):
    """Cycles between files of one folder."""
    edges = collections.defaultdict(lambda: collections.defaultdict(set))
    for name, files in users.items():
        for user in files:
            if folder_of(user) == folder_of(home[name]) and user != home[name]:
                edges[folder_of(user)][user].add(home[name])
    return sorted((cycle for of in edges.values() for cycle in cycles(of)), key=len, reverse=True)


def main():
    build, source = sys.argv[1], os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    home, users = graph(build, source)
    if not home:
        sys.exit("no objects below %s" % build)
    bad = ["against the direction: " + line for line in against(home, users)] + crowded(source)
    circles = inside(home, users)
    bad += ["a cycle of %d files: %s" % (len(c), " ".join(c)) for c in circles if len(c) > LARGEST_CYCLE]
    lonely = sorted(name for name, files in users.items()
                    if home[name].startswith("closure/") and len(files - {home[name]}) == 1)
    files = {name for name in home.values() if name.startswith("closure/")}
    if len(lonely) > len(files) + MOST_LONELY:
        bad.append("%d functions of closure/ are exported for one other file only" % len(lonely))
    if "--list" in sys.argv:
        for cycle in circles:
            print("cycle: " + " ".join(cycle))
        for name in lonely:
            print("lonely: %s (%s for %s)" % (name, home[name], " ".join(users[name])))
    print("\n".join(bad + ["folders: %d files in %d folders, %d symbols between files; largest cycle %d, %d lonely "
                           "functions in closure, %d defects" %
                           (len(set(home.values())), len(set(map(folder_of, home.values()))), len(users),
                            max(map(len, circles), default=1), len(lonely), len(bad))]))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
