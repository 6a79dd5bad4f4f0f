"""Damaged and hostile data sets, read in a process of their own: `python damage.py FOLDER FIRST LAST` runs variants.

Each line of the output is the name of a variant, printed before it is tried, or what came of the variant before it.
"""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from headjudge.errors import DataError
from headjudge.io.arrow import boards_to_arrow
from headjudge.io.parquet import load, save
from random_boards import plain, random_boards

if TYPE_CHECKING:
    from collections.abc import Callable

#: What can come of a variant: it is refused with words, read as it was, or read as other boards.
REFUSED, SAME, OTHER = "refused", "same", "other"
SEED = 20


def foreign(folder: Path, *, checksums: bool) -> None:
    """Write the boards as another tool would."""
    for name, table in boards_to_arrow(random_boards(SEED)).items():
        (folder / name).mkdir(parents=True)
        pq.write_table(
            table, folder / name / "a.parquet", compression="none", row_group_size=40, write_page_checksum=checksums,
            use_dictionary=not checksums,
        )  # fmt: skip


WRITERS: dict[str, Callable[[Path], None]] = {
    "headjudge": lambda folder: save(random_boards(SEED), folder, part_size=7),
    "foreign": lambda folder: foreign(folder, checksums=False),
    "checksums": lambda folder: foreign(folder, checksums=True),
}


def damage(data: bytearray, chance: random.Random) -> None:
    """Cut a file off, or change it in a few places: more often than not in what describes the rest."""
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    kind = chance.random()
    if kind < 0.15:
        del data[chance.randrange(len(data)) :]
    elif kind < 0.2:
        start = chance.randrange(len(data))
        del data[start : start + chance.randint(1, 64)]
    else:
        for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
            place = chance.randrange(footer, len(data)) if chance.random() < 0.5 else chance.randrange(len(data))
            data[place] ^= 1 << chance.randrange(8)


def outcome(folder: Path, expected: list[object]) -> str:
    """Read a data set; whatever else is raised ends the process."""
    try:
        boards = load(folder)
    except DataError as error:
        return REFUSED if str(folder) in str(error) else f"{REFUSED} without saying where: {error}"
    return SAME if not boards.problems and plain(boards) == expected else OTHER


def main(place: Path, first: int, last: int) -> None:
    """Run the variants of a range of seeds."""
    expected: list[object] = list(plain(random_boards(SEED)))
    for name, write in WRITERS.items():
        write(place / name)
        assert outcome(place / name, expected) == SAME
    for seed in range(first, last):
        chance = random.Random(seed)
        name = list(WRITERS)[seed % len(WRITERS)]
        folder = place / name
        file = chance.choice(sorted(folder.glob("*/*.parquet")))
        print(f"{seed} {file.relative_to(place)}", flush=True)
        good = file.read_bytes()
        data = bytearray(good)
        damage(data, chance)
        file.write_bytes(data)
        print(outcome(folder, expected), flush=True)
        file.write_bytes(good)
    shutil.rmtree(place)


if __name__ == "__main__":
    pa.set_memory_pool(pa.system_memory_pool())
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
