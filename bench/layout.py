"""``python -m bench.layout``: what encodings, compression and row groups cost, for the objects of generated boards."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from bench.measure import batch
from headjudge.io.arrow import FULL, boards_to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "state_id"
ROWS = 1 << 17


def processor_seconds(function: Callable[[], object], repeat: int) -> float:
    """Least processor time of several calls, of all threads: it says the same on a machine that others use, too."""

    def once() -> float:
        start = time.process_time()
        function()
        return time.process_time() - start

    return min(once() for _ in range(repeat))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.layout", description=__doc__)
    parser.add_argument("--states", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    table = boards_to_arrow(batch(given.states, "midgame", 1), schema=FULL)["objects"]
    others = [name for name in table.column_names if name != KEY]
    ours: dict[str, Any] = {
        "compression": "lz4", "row_group_size": ROWS, "write_page_checksum": True, "use_dictionary": others,
        "column_encoding": {KEY: "DELTA_BINARY_PACKED"},
    }  # fmt: skip
    layouts: dict[str, dict[str, Any]] = {
        "as headjudge writes": {},
        "no checksums": {"write_page_checksum": False},
        "state_id as dictionary": {"use_dictionary": True, "column_encoding": None},
        "numbers without dictionaries": {"use_dictionary": _texts(table)},
        **{f"compression {name}": {"compression": name} for name in ("none", "snappy", "zstd")},
        **{
            f"row groups of {rows:,}": {"row_group_size": rows}
            for rows in (1 << 14, 1 << 15, 1 << 16, 1 << 18, 1 << 20)
        },
    }
    print(f"{table.num_rows:,} objects\n\n| layout | bytes an object | write | read |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "objects.parquet")
        for name, changes in layouts.items():
            options = ours | changes
            write = processor_seconds(lambda options=options: pq.write_table(table, file, **options), given.repeat)
            read = processor_seconds(lambda: _read(file), given.repeat)
            print(f"| {name} | {file.stat().st_size / table.num_rows:.2f} | {write:.3f} s | {read:.3f} s |", flush=True)


def _texts(table: Any) -> list[str]:
    return [field.name for field in table.schema if hasattr(field.type, "value_type")]


def _read(file: Path) -> int:
    with pq.ParquetFile(file, page_checksum_verification=True) as parquet:
        return int(parquet.read(use_threads=False).num_rows)


if __name__ == "__main__":
    main()
