"""``python -m bench.layout``: what encodings, compression and row groups cost, for boards and what came out of them."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

import headjudge
from bench.measure import batch
from headjudge.io.arrow import FULL, boards_to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

KEY = "state_id"
ROWS = 1 << 17


def processor_seconds(function: Callable[[], object]) -> float:
    """Processor time of a call, of all threads: it says the same on a machine that others use, too."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.layout", description=__doc__)
    parser.add_argument("--states", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    boards = batch(given.states, "midgame", 1)
    settled = headjudge.settle(boards)
    tables = [*boards_to_arrow(boards, schema=FULL).values(), settled.results, settled.actions]
    ours: dict[str, Any] = {
        "compression": "lz4", "row_group_size": ROWS, "write_page_checksum": True, "use_dictionary": _others,
        "column_encoding": {KEY: "DELTA_BINARY_PACKED"},
    }  # fmt: skip
    layouts: dict[str, dict[str, Any]] = {
        "as headjudge writes": {},
        "no checksums": {"write_page_checksum": False},
        "state_id as dictionary": {"use_dictionary": lambda table: True, "column_encoding": None},
        "numbers without dictionaries": {"use_dictionary": _texts},
        **{f"compression {name}": {"compression": name} for name in ("none", "snappy", "zstd")},
        **{
            f"row groups of {rows:,}": {"row_group_size": rows}
            for rows in (1 << 14, 1 << 15, 1 << 16, 1 << 18, 1 << 20)
        },
    }
    rows = sum(table.num_rows for table in tables)
    print(
        f"{len(boards):,} boards, {rows:,} rows\n\n| layout | bytes a board | write | read |\n| --- | --- | --- | --- |"
    )
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.parquet") for number in range(len(tables))]
        sizes: dict[str, int] = {}
        rounds: list[list[tuple[float, float]]] = []
        for _ in range(given.repeat):  # in turns: a machine has fast and slow minutes
            rounds.append([])
            for name, changes in layouts.items():
                options = ours | changes
                write = processor_seconds(lambda options=options: _write(tables, files, **options))
                rounds[-1].append((write, processor_seconds(lambda: _read(files))))
                sizes[name] = sum(file.stat().st_size for file in files)
    for (name, size), taken in zip(sizes.items(), zip(*rounds, strict=True), strict=True):
        write, read = map(min, zip(*taken, strict=True))
        print(f"| {name} | {size / len(boards):.1f} | {write:.3f} s | {read:.3f} s |")


def _others(table: pa.Table) -> list[str]:
    return [name for name in table.column_names if name != KEY]


def _texts(table: pa.Table) -> list[str]:
    return [field.name for field in table.schema if hasattr(field.type, "value_type")]


def _write(
    tables: Sequence[pa.Table], files: Sequence[Path], use_dictionary: Callable[[pa.Table], Any], **options: Any
) -> None:
    for table, file in zip(tables, files, strict=True):
        pq.write_table(table, file, use_dictionary=use_dictionary(table), **options)


def _read(files: Sequence[Path]) -> None:
    for file in files:
        with pq.ParquetFile(file, page_checksum_verification=True) as parquet:
            parquet.read(use_threads=False)


if __name__ == "__main__":
    main()
