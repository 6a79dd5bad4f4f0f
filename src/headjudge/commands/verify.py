"""``headjudge verify``: judge what another engine made of a data set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headjudge.commands.common import FAILED, RULE_WIDTH, compile_first, positive, working
from headjudge.kernels import vocabulary as v

if TYPE_CHECKING:
    from argparse import Namespace

    from headjudge.commands.common import Commands
    from headjudge.verifying_data_sets import Judged


def register(commands: Commands) -> None:
    """Add the parser."""
    parser = commands.add_parser(
        "verify", help="judge what another engine made of a data set: BEFORE and CLAIMED to OUT"
    )
    parser.add_argument("before", metavar="BEFORE", type=Path, help="the data set that the engine was given")
    parser.add_argument(
        "claimed", metavar="CLAIMED", type=Path, help="what it made of it; fields that it leaves out are not judged"
    )
    parser.add_argument("target", metavar="OUT", type=Path, help="the folder to write: verdicts")
    parser.add_argument("--one-pass", action="store_true", help="the claims are about the boards after one check")
    parser.add_argument("--do", choices=v.PROCEDURES, default=v.PROCEDURES[0], help="what the engine did to the boards")
    parser.add_argument("--threads", type=positive, metavar="N", help="by default one a processor")
    parser.set_defaults(run=run)


def run(given: Namespace) -> int:
    """Judge the claims and report what was found; exit code 1 if any disagrees."""
    from headjudge import claims, verifying_data_sets
    from headjudge.io.parquet import DataSet
    from headjudge.verifying import DISAGREE

    before, claimed = DataSet.open(given.before), DataSet.open(given.claimed)
    compile_first()
    with working("judging", before.states) as tell:
        found = verifying_data_sets.verify_data_sets(
            before, claimed, given.target, one_pass=given.one_pass, do=given.do, threads=given.threads, tell=tell
        )
    report(found)
    judged = verifying_data_sets.fields_of(claimed)
    left_out = [name for name in (*claims.OBJECT_FIELDS, *claims.PLAYER_FIELDS) if name not in judged]
    print(f"\njudged      {', '.join(judged) or 'nothing'}")
    print(f"not judged  {', '.join(left_out) or 'nothing is left out'}\n\n{given.target}")
    return FAILED if found.verdicts[DISAGREE] else 0


def report(found: Judged) -> None:
    """Print how many boards there are of each verdict, and the findings by rule and kind."""
    from headjudge.wording import counted

    verdicts = ", ".join(f"{count:,} {word}" for word, count in found.verdicts.items())
    print(f"{counted(found.states, 'board')}: {verdicts}".removesuffix(": "))
    if found.findings:
        print(f"\n{'rule':{RULE_WIDTH}}  {'kind':12}  {'findings':>10}")
    for (kind, rule), count in found.findings.most_common():
        print(f"{rule or '-':{RULE_WIDTH}}  {kind:12}  {count:10,}")
