"""``python -m bench.same_answer PYTHON...``: whether every interpreter gives the same answers, compiled and not.

Each PYTHON is an interpreter for which headjudge is installed; each works with another number of threads.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys

import headjudge
from bench.measure import SEED
from headjudge.kernels import vocabulary as v

PROFILES = ("quiet", "midgame", "dense", "effects", "procedures")


def digest(profile: str, states: int, threads: int) -> str:
    """Return a digest of everything that comes out of boards of a profile."""
    told = hashlib.sha256()
    for do in v.PROCEDURES if profile == "procedures" else ("settle",):
        boards = headjudge.generate(states, SEED, profile, threads=threads)
        for name, table in sorted(headjudge.settle_arrow(boards.to_arrow(), threads=threads, do=do).items()):
            told.update(json.dumps([name, *table.to_pylist()]).encode())
    return told.hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.same_answer", description=__doc__)
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--states", type=int, default=20_000, help="boards of each profile")
    parser.add_argument("--interpreted", type=int, default=200, help="boards of each profile without compiling")
    parser.add_argument("--digest", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.digest:
        profile, *numbers = given.digest
        print(digest(profile, *map(int, numbers)))
        return
    same = True
    for profile in PROFILES:
        for states, switch in ((given.states, "0"), (given.interpreted, "1")):
            # the last is the first again, compiled, so that interpreted answers meet compiled ones
            runs = [*((python, switch) for python in given.pythons), (given.pythons[0], "0")]
            found = set()
            for threads, (python, disabled) in enumerate(runs, 1):
                words = ["-m", "bench.same_answer", "--digest", profile, str(states), str(threads)]
                environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
                found.add(subprocess.check_output([python, *words], env=environment, text=True))
            same &= len(found) == 1
            how = "interpreted and compiled" if switch == "1" else f"{len(runs)} runs"
            print(f"{profile}, {states:,} boards, {how}: {'the same' if len(found) == 1 else 'DIFFERENT'}", flush=True)
    sys.exit(not same)


if __name__ == "__main__":
    main()
