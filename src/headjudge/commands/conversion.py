"""What ``import`` and ``export`` print: of each file, what did not come across."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from headjudge.io.forge import File


def add_format(parser: ArgumentParser) -> None:
    """Add how the report is printed."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="of the report; json: a line a file")


def tell(file: File, form: str) -> None:
    """Print what became of a file."""
    from headjudge.io.forge_report import gathered
    from headjudge.wording import counted

    findings = gathered(file.findings)
    if form == "json":
        entry = {
            "file": str(file.path),
            "state_id": None if file.error else file.state_id,
            "error": file.error,
            "findings": [{**finding._asdict(), "times": times} for finding, times in findings],
        }
        print(json.dumps(entry, ensure_ascii=False))
        return
    if file.error:
        print(f"{file.path}: refused")
        return
    print(f"{file.path}: state {file.state_id}, {counted(file.objects, 'object')}")
    for finding, times in findings:
        print(f"  {finding}{f' (x{times})' if times > 1 else ''}")
