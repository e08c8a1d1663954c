"""Runs what a page of the documentation shows, in a scratch folder with models/ at hand.

usage: run.py PAGE --cotree PROGRAM --source DIR --build DIR [--rewrite]

--rewrite puts the real output into the page where it differs and nothing is left out of it; read what it did.

A page has one folder, and its blocks are taken in turn.
  ```console  lines that begin with $ are run; the output shown after them is compared with theirs
              (compare.py), with none shown only the exit code
  ```sh       commands are run; of `make TARGET` it is checked that the target exists
  ```yaml     models are read with `cotree check`
  ```c        programs that a command on the page compiles
Comments on the lines above a block say what else is to be known:
  <!-- file: NAME -->     the block is this file from here on; `NAME, wrong`: a model with mistakes
  <!-- add to: FILE -->   the sections of this model and those of FILE together are a model
  <!-- with: LINE -->     the model is complete with this line
  <!-- part of: FILE -->  its lines stand in FILE
  <!-- loose -->          numbers may differ
  <!-- not run: WHY -->   anything else; there must be a reason
A block that is none of these is a failure."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import compare
import markdown

failures = []
OPTIONAL = ("built without its viewer", "install the package gnuplot-nox")  # what may be missing here
PROGRESS = re.compile(r"cotree: .*, \d+ (s|min|h|%)(, \d+ (s|min|h) left)?$")  # of a slow machine


def fail(block, text):
    failures.append(f"{block.place}: {text}")


class Page:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.source = Path(options.source).resolve()
        self.folder = scratch / "page"
        self.saved, self.commands, self.rewritten = {}, [], []
        self.folder.mkdir()
        for name in ("models", "tests"):
            (self.folder / name).symlink_to(self.source / name)
        tools = scratch / "bin"
        tools.mkdir()
        (tools / "cotree").symlink_to(Path(options.cotree).resolve())
        self.environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8", TERM="dumb",
                                COLUMNS="100", XDG_CACHE_HOME=str(scratch / "cache"), NO_COLOR="1")
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "DESTDIR"):
            self.environment.pop(name, None)

    def install(self):
        """The installed copy that pages about embedding speak of; the prefix is in $PREFIX."""
        prefix = self.scratch / "prefix"
        done = subprocess.run(["cmake", "--install", self.options.build, "--prefix", str(prefix)],
                              capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"cmake --install failed:\n{done.stdout}{done.stderr}")
        self.environment.update(PREFIX=str(prefix), CMAKE_PREFIX_PATH=str(prefix))
        found = [str(path.parent) for path in prefix.rglob("cotree.pc")]
        libraries = [str(path.parent) for path in prefix.rglob("libcotree.so")]
        self.environment.update(PKG_CONFIG_PATH=":".join(found), LD_LIBRARY_PATH=":".join(libraries))

    def run(self, command):
        try:
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=500)
        except subprocess.TimeoutExpired:
            return -1, "(no end after 500 s)"
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def command(self, block, command, shown, line=0):
        self.commands.append(command)
        code, output = self.run(command)
        if code == 4 and any(reason in output for reason in OPTIONAL):
            print(f"{block.place}: not compared: {output.strip()}")
            return
        expected = any(re.search(r"\berror:|^usage:|^cotree: ", line) for line in shown)
        if bool(code) != expected:
            fail(block, f"`{command}` ended with {code}:\n{output}")
        elif any(line.strip() for line in shown):
            loose = "loose" in block.directives or bool(re.match(r"cotree bench\b", command))
            real = [line for line in output.splitlines() if not PROGRESS.match(line)]
            missing = compare.same(shown, real, loose)
            if missing is not None and self.options.rewrite and line and "..." not in map(str.strip, shown):
                self.rewritten.append((line, compare.trimmed(shown), compare.trimmed(real)))
            elif missing is not None:
                fail(block, f"`{command}` does not print\n    {missing}\nbut\n{output}")

    # kinds of blocks ---------------------------------------------------------------------------
    def console(self, block):
        command, shown, at = None, [], 0
        lines = iter(enumerate(block.lines, block.line + 1))
        for number, line in lines:
            if line.startswith("$ "):
                if command:
                    self.command(block, command, shown, at)
                command, shown, at = line[2:], [], number
                while command.endswith("\\"):
                    at, more = next(lines)
                    command = command[:-1] + more.lstrip("> ")
            elif command is None:
                fail(block, "output stands before the first command")
                return
            else:
                shown.append(line)
        if command:
            self.command(block, command, shown, at)
        else:
            fail(block, "there is no command")

    def sh(self, block):
        makefile = (self.source / "Makefile").read_text()
        for line in block.lines:
            command = re.sub(r"\s+# .*|^#.*", "", line).strip()
            make = re.match(r'(?:sudo )?make(?: ([a-z]+))?(?: [A-Z_]+=(?:"[^"]*"|[^\s"]+))*$', command)
            if make:
                if not re.search(rf"^{make.group(1) or 'all'}:.*##", makefile, re.M):
                    fail(block, f"the Makefile has no target for `{command}`")
            elif command:
                self.command(block, command, [])

    def model(self, block, name, text):
        (self.folder / name).write_text(text)
        command = "configurations" if re.search(r"^equations:", text, re.M) else "check"
        code, output = self.run(f"cotree {command} {name}")
        if code:
            fail(block, f"`cotree {command}` on this model:\n{output}")

    def yaml(self, block):
        name = block.directives.get("file", "")
        base = block.directives.get("add to")
        wrong = name.endswith(", wrong")
        name = name.removesuffix(", wrong")
        text = block.text
        if base:
            text = together((self.folder / base).read_text(), text)
        elif "with" in block.directives:
            text += block.directives["with"] + "\n"
        elif not re.match(r"cotree:|name:", text):
            fail(block, "not a whole model: say what it is a part of")
            return
        if wrong:
            self.save(block, name, text)
        else:
            if name:
                self.save(block, name, text)
            self.model(block, name or "model.yaml", text)

    def part(self, block, name):
        whole = {" ".join(line.split()) for line in (self.folder / name).read_text().splitlines()}
        for line in block.lines:
            if line.strip() and " ".join(line.split()) not in whole:
                fail(block, f"{name} does not hold\n    {line}")

    def save(self, block, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.saved[name] = block

    def block(self, block):
        given = block.directives
        if "not run" in given:
            if len(given["not run"]) < 10:
                fail(block, "why is it not run?")
        elif "part of" in given:
            self.part(block, given["part of"])
        elif block.language in ("console", "sh", "yaml"):
            getattr(self, block.language)(block)
        elif "file" in given:
            self.save(block, given["file"], block.text)
        else:
            fail(block, "is neither run nor has a reason why not (<!-- not run: ... -->)")

    def finish(self):
        """What a page calls a file must be used."""
        for name, block in self.saved.items():
            if not any(Path(name).name in command or str(Path(name).parent) in command.split()
                       for command in self.commands) and block.language != "yaml":
                fail(block, f"{name} is not used by any command on the page")


def rewrite(path, changes):
    lines = Path(path).read_text().splitlines()
    for at, shown, real in sorted(changes, reverse=True):
        lines[at : at + len(shown)] = real
    Path(path).write_text("\n".join(lines) + "\n")


def together(base, more):
    """Two models as one: sections of `more` go to the end of those of `base` that have their names."""
    def sections(text):
        parts = re.split(r"^(?=[A-Za-z_]+:)", text, flags=re.M)
        return {part.split(":")[0]: part for part in parts if re.match(r"[A-Za-z_]+:", part)}
    whole = sections(base)
    for key, part in sections(more).items():
        head, _, body = part.partition("\n")
        if key in whole and head.strip() == f"{key}:":
            whole[key] = whole[key].rstrip("\n") + "\n" + body
        else:
            whole[key] = part
    return "".join(part if part.endswith("\n") else part + "\n" for part in whole.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    for name in ("cotree", "source", "build"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the scratch folder")
    options = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="cotree-docs-"))
    try:
        page = Page(options, scratch)
        found = markdown.blocks(options.page)
        if any(re.search(r"pkg-config[^\n]* cotree|find_package\(cotree", block.text) for block in found):
            page.install()
        for block in found:
            page.block(block)
        page.finish()
        rewrite(options.page, page.rewritten)
    finally:
        if options.keep:
            print(scratch)
        else:
            shutil.rmtree(scratch)
    for failure in failures:
        print(failure)
    print(f"{len(found)} blocks, {len(page.commands)} commands, {len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
