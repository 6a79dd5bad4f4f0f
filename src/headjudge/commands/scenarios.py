"""``headjudge scenarios``: boards written by hand, against what must come out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from headjudge.commands.common import FAILED, compile_first

if TYPE_CHECKING:
    from argparse import Namespace

    from headjudge.commands.common import Commands


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser("scenarios", help="run scenario files")
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="YAML, a list of scenarios")
    parser.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Run the files; a line for each mismatch, and last how many passed."""
    from headjudge.io.scenarios import read
    from headjudge.scenario_runner import run_all

    scenarios = [scenario for file in given.files for scenario in read(file)]
    compile_first()
    return FAILED if run_all(scenarios, sys.stdout).failed else 0
