"""``python -m bench``: measure, and print the ratios."""

from __future__ import annotations

import argparse
import json
import os
import platform
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import numba
import numpy as np

from bench import measure

#: Settling may take so many times what copying the objects takes.
LIMITS = {"quiet": 1.5, "midgame": 10.0, "effects": None}


def line(it: measure.Measurement) -> str:
    """A measurement as a row of Markdown."""
    ratio = f"{it.ratio:.2f}" if it.against else ""
    limit = "" if it.limit is None else f"{it.limit:g}" if it.against else f"{it.limit:g} s"
    against = f"{it.against}: {it.base:.4f} s" if it.against else ""
    return f"| {it.what} | {it.seconds:.6f} s | {against} | {ratio} | {limit} | {'yes' if it.holds else 'NO'} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--states", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--json", help="write the measurements to this file as well")
    given = parser.parse_args()

    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}; Python {platform.python_version()}"
    machine += f", NumPy {np.__version__}, numba {numba.__version__}"
    print(f"{machine}; {given.threads} threads, median of {given.repeat}\n")
    print("| what | time | against | ratio | limit | holds |\n| --- | --- | --- | --- | --- | --- |")
    found = []
    for it in chain(
        measure.against_copying(given.states, given.threads, given.repeat, LIMITS),
        (measure.batches(given.states, given.threads, given.repeat),),
        measure.verdicts(min(given.states, 200_000), given.threads, given.repeat),
        (measure.growth(given.repeat),),
        measure.sizes(given.repeat),
        measure.effects(given.repeat),
        measure.calls(given.repeat),
        measure.commands(given.repeat),
    ):
        print(line(it), flush=True)
        found.append(asdict(it) | {"ratio": it.ratio, "holds": it.holds})
    if given.json:
        with Path(given.json).open("w", encoding="utf-8") as file:
            json.dump({"machine": machine, "threads": given.threads, "measurements": found}, file, indent=1)


if __name__ == "__main__":
    main()
