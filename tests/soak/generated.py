"""Generated C, compiled with the address and undefined-behaviour sanitizers: the same rows as `simulate`."""
import csv
import glob
import io
import os
import random
import re
import subprocess

import numpy as np

from judge import Verdict

FLAGS = ["-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsanitize=address,undefined",
         "-fno-sanitize-recover=all"]
SAME = 1e-9
FOLLOWS = 10  # times what the last digits of the model's numbers make of its results
LONG = re.compile(r"(\d\.\d{14,})(\d)((?:e[-+]?\d+)?\b)")
KERNEL = {}  # hash of the sources -> folder of objects; the kernel is the same for all models


def compile_with(arguments, folder):
    return subprocess.run(["cc", *FLAGS, *arguments], cwd=folder, capture_output=True, text=True)


def kernel(folder):
    """Objects of the run-time kernel, compiled once in a process."""
    sources = sorted(glob.glob(os.path.join(folder, "ctk_*.c")))
    texts = "".join(open(s).read() for s in sources)
    if texts not in KERNEL:
        built = compile_with(["-c", *sources], folder)
        if built.returncode:
            raise RuntimeError(built.stderr[:500])
        objects = sorted(glob.glob(os.path.join(folder, "ctk_*.o")))
        KERNEL[texts] = {os.path.basename(o): open(o, "rb").read() for o in objects}
    for name, data in KERNEL[texts].items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
    return list(KERNEL[texts])


def examine(judge, case):
    run, folder = "generated", os.path.join(judge.folder, "generated")
    path = os.path.join(judge.folder, f"soak_{case.seed}.yaml")
    t = case.time * case.units[2]
    code, _, message = judge.call("generate", path, "--time", repr(t), "--step", repr(t / case.steps), "-o", folder)
    if code != 0:
        return judge.failed(case, run, code, message)
    name = f"soak_{case.seed}"
    try:
        objects = kernel(folder)
    except RuntimeError as e:
        return Verdict("wrong", run, f"the kernel does not compile: {e}")
    built = compile_with(["main.c", f"{name}.c", f"{name}_reactions.c", *objects, "-lm", "-o", name], folder)
    if built.returncode:
        return Verdict("wrong", run, f"does not compile: {built.stderr[:300]}")
    try:
        p = subprocess.run([os.path.join(folder, name)], capture_output=True, text=True, timeout=judge.seconds)
    except subprocess.TimeoutExpired:
        return Verdict("hang", run, "no end")
    if "Sanitizer" in p.stderr or "runtime error" in p.stderr or p.returncode < 0:
        return Verdict("crash", run, p.stderr[:600])
    # inputs stay as they are in the file there, so these are compared with a run without --input
    given, case.inputs = case.inputs, []
    command = "kinematics" if case.driven else "simulate"
    code, _, message, table = judge.rows(case, path, "simulate", case.steps, [])
    twin = judge.write(case, other_digits(case)) if code == 0 else None
    neighbour = judge.rows(case, twin, "simulate", case.steps, [])[3] if twin else None
    case.inputs = given
    if (code == 0) != (p.returncode == 0):
        return Verdict("wrong", run, f"exit {p.returncode} ({p.stderr.strip()[:200]}), but {command} ends with {code}: {message}")
    if code:
        return judge.failed(case, run, code, message)
    rows = list(csv.reader(io.StringIO(p.stdout)))
    got, want = np.array(rows[1:], float), table[1]
    if rows[0] != table[0]:
        return Verdict("wrong", run, f"columns {rows[0]}")
    size = np.maximum(np.maximum(np.max(np.abs(want), axis=0), 1e-3 * np.max(np.abs(want))), 1e-300)
    last, digits = (np.max(np.abs(rows[-1] - want[-1]) / size) for rows in (got, neighbour[1] if neighbour else want))
    return Verdict("right" if last < max(SAME, FOLLOWS * digits) else "wrong", run,
                   f"differs by {last:.1e} from simulate, which the last digits of the model change by {digits:.1e}")


def other_digits(case):
    """The model with the last digit of every long number changed at random: what rounding alone may make of it."""
    rng = random.Random(case.seed)
    return LONG.sub(lambda m: m.group(1) + str(rng.randrange(10)) + m.group(3), case.text())
