#!/usr/bin/env python3
"""Random mechanisms against the oracle.

  run.py --cotree PROGRAM [--seed N] [--count N] [--jobs N] [--balls SHARE] [--only FAMILY ...] [--methods N]
         [--keep FOLDER]

Each mechanism is put together in space from its own seed, so that one can be had again: --seed N --count 1 --list. Its
counts, its start and its motion with the default and with other methods are compared with those of tests/oracle, in other
units, names and frames. Verdicts: right; coarse (right with a shorter step); refused (and the oracle confirms that it is
singular) or unconfirmed; rejected (taken for a wrong model); wrong; crash; hang."""
import argparse
import collections
import multiprocessing
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"
sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
from case import Case  # noqa: E402
from families import FAMILIES  # noqa: E402
from judge import METHODS, ORDER, Judge  # noqa: E402
from reference import Unfit  # noqa: E402

FAILED = ("unconfirmed", "rejected", "wrong", "crash", "hang")


def one(task):
    """The verdicts of one seed."""
    seed, a = task
    started = cpu()
    try:
        case = Case(seed, a.balls, a.expressions, a.only, a.far, a.bodies)
    except Unfit as e:
        return seed, None, [("unfit", "", str(e))], {}, cpu() - started, ""
    except Exception:
        return seed, None, [("unfit", "", "generator: " + traceback.format_exc(limit=3))], {}, cpu() - started, ""
    made = cpu() - started
    rng = random.Random(seed)
    methods = METHODS if a.methods >= len(METHODS) else rng.sample(METHODS, a.methods)
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(a.cotree, folder, a.cc, a.timeout)
        verdicts = judge.examine(case, methods, turned=seed % 5 == 0, most=a.motions)
        if a.sanitize and seed % a.sanitize == 1:
            from generated import examine
            verdicts.append(examine(judge, case))
        spent = dict(judge.spent)
    found = [(v.kind, v.run, v.text) for v in verdicts]
    return seed, describe(case), found, {"oracle": made, **spent}, cpu() - started, case.text()


def describe(case):
    w = case.draft
    unit = case.units[0]
    return w.family, f"{w.family}, {len(w.bodies) - 1} bodies, size {unit:.1g}" + (", driven" if case.driven else "") \
        + (", turned" if "turned" in w.tags else "") + (", hard" if w.hard else "")


def cpu():
    return sum(sum(resource.getrusage(k)[:2]) for k in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def compiler():
    """The fastest there is: values alone count here."""
    return shutil.which("tcc") or os.path.join(here, "..", "quick_cc")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cotree", required=True)
    p.add_argument("--seed", type=int, default=0, help="the first seed")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--balls", type=float, default=0.3, help="share of mechanisms that may have spherical and free joints")
    p.add_argument("--far", type=float, default=0.3, help="share that moves far, through limit positions and locks")
    p.add_argument("--bodies", type=int, default=100, help="the most that a mechanism has")
    p.add_argument("--methods", type=int, default=len(METHODS), help="how many methods beside the default")
    p.add_argument("--motions", type=int, help="at most so many of all motions of a mechanism, drawn at random")
    p.add_argument("--sanitize", type=int, default=25, help="one of so many is generated and compiled with sanitizers, 0: none")
    p.add_argument("--timeout", type=int, default=60, help="s of computing for one call")
    p.add_argument("--cc", default=compiler(), help="the compiler that generated code is compiled with")
    p.add_argument("--keep", help="a folder for the models that fail")
    p.add_argument("--only", nargs="*", choices=[f.__name__ for f, _ in FAMILIES], help="families of mechanisms")
    p.add_argument("--list", action="store_true", help="print every verdict")
    a = p.parse_args()
    if a.keep:
        os.makedirs(a.keep, exist_ok=True)
    help_ = subprocess.run([a.cotree, "simulate", "--help"], capture_output=True, text=True).stdout
    a.expressions = "--input NAME" in help_  # inputs as expressions of time
    started, tasks = time.time(), [(s, a) for s in range(a.seed, a.seed + a.count)]
    worst, families, runs = collections.Counter(), collections.Counter(), collections.defaultdict(collections.Counter)
    used, spent = 0.0, collections.Counter()
    with multiprocessing.Pool(a.jobs) as pool:
        for seed, what, found, parts, seconds, text in pool.imap_unordered(one, tasks):
            used += seconds
            spent.update(parts)
            kinds = [k for k, _, _ in found]
            verdict = max(kinds, key=ORDER.index) if what else "unfit"
            worst[verdict] += 1
            if what:
                families[what[0], verdict] += 1
            if a.list:
                print(f"{seed} {what[1] if what else ''}: {seconds:.2f} s, {', '.join(f'{k} {v:.2f}' for k, v in parts.items())}")
            for kind, run, said in found:
                runs[run][kind] += 1
                if kind in FAILED or kind == "unfit" or a.list:
                    said = " ".join(said.split())
                    print(f"{seed} {what[1] if what else ''}: {run}: {kind}: {said}", flush=True)
            if a.keep and verdict in FAILED:
                with open(os.path.join(a.keep, f"{verdict}_{seed}.yaml"), "w") as f:
                    f.writelines(f"# {k} {r}: {' '.join(s.split())}\n" for k, r, s in found if k in FAILED)
                    f.write(text)
    summary(a, worst, families, runs, used, spent, time.time() - started)
    return any(worst[k] for k in ("wrong", "crash", "hang"))


def summary(a, worst, families, runs, used, spent, wall):
    kinds = [k for k in ORDER + ["unfit"] if worst[k] or any(c[k] for c in runs.values())]
    print("\n" + " " * 28 + "".join(f"{k:>12}" for k in kinds))
    for run in sorted(r for r in runs if r):
        print(f"{run:<28}" + "".join(f"{runs[run][k] or '':>12}" for k in kinds))
    for family in sorted({f for f, _ in families}):
        print(f"  {family:<26}" + "".join(f"{families[family, k] or '':>12}" for k in kinds))
    print(f"{'mechanisms':<28}" + "".join(f"{worst[k]:>12}" for k in kinds))
    print("s each: " + ", ".join(f"{k} {v / a.count:.3f}" for k, v in spent.most_common()))
    print(f"{a.count} mechanisms, seeds {a.seed} to {a.seed + a.count - 1}: {used / a.count:.2f} s of computing each, "
          f"{wall:.0f} s in all")


if __name__ == "__main__":
    sys.exit(main())
