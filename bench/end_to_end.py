"""``python -m bench.end_to_end IN``: settling a data set against pyarrow alone reading it and writing what came out."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator

#: `ru_maxrss` counts in kilobytes, but for macOS.
MEGABYTE = 1 << (20 if sys.platform == "darwin" else 10)


@contextmanager
def measured() -> Iterator[None]:
    """Print the seconds and the seconds of processor time of a block, and the most memory that the process ever had."""
    wall, processor = time.perf_counter(), time.process_time()
    yield
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    print(f"{wall:.2f} {processor:.2f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE:.0f}")


def settle(source: Path, target: Path, threads: int) -> None:
    import headjudge
    from headjudge import pipeline
    from headjudge.io.parquet import DataSet

    data_set = DataSet.open(source)
    headjudge.settle(data_set.read(0).boards[:1])  # nothing is compiled or loaded while the clock runs
    with measured():
        pipeline.settle_data_set(data_set, target, threads=threads)


def plain(source: Path, settled: Path, threads: int) -> None:
    """Read all files of a data set and write as many as it was settled into, with pyarrow, a file a thread."""
    pa.set_cpu_count(threads)
    outputs = sorted(settled.glob("*/*.parquet"))
    tables = list(map(read, outputs))
    with measured(), tempfile.TemporaryDirectory(dir=settled.parent) as folder, ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(lambda file: read(file).num_rows, sorted(source.glob("*/*.parquet"))):
            pass
        for _ in pool.map(lambda i: pq.write_table(tables[i], f"{folder}/{i}", compression="lz4"), range(len(tables))):
            pass


def read(file: Path) -> pa.Table:
    with pq.ParquetFile(file) as parquet:  # columns come as they are in the file: strings as dictionaries
        return parquet.read(use_threads=False)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.end_to_end", description=__doc__)
    parser.add_argument("source", type=Path, metavar="IN")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=("settle", "plain"), help=argparse.SUPPRESS)
    parser.add_argument("--settled", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.only:
        (settle if given.only == "settle" else plain)(given.source, given.settled, given.threads)
        return
    rounds: dict[str, list[list[float]]] = {"settle": [], "plain": []}
    with tempfile.TemporaryDirectory(dir=given.source.absolute().parent) as folder:
        for i in range(given.repeat):
            for only, found in rounds.items():
                call = [sys.executable, "-m", "bench.end_to_end", str(given.source), "--threads", str(given.threads)]
                call += ["--only", only, "--settled", f"{folder}/{i}"]
                done = subprocess.run(call, check=True, capture_output=True, text=True)
                found.append([float(number) for number in done.stdout.split()])
    print("| what | seconds | of processor time | MB |\n| --- | --- | --- | --- |")
    least = {only: [min(column) for column in zip(*found, strict=True)] for only, found in rounds.items()}
    for only, (wall, processor, _) in least.items():
        most = max(memory for _, _, memory in rounds[only])
        print(f"| {only} | {wall:.2f} | {processor:.2f} | {most:.0f} |")
    ratios = [ours / theirs for ours, theirs in zip(least["settle"], least["plain"], strict=True)]
    print(f"| ratio | {ratios[0]:.2f} | {ratios[1]:.2f} | |")


if __name__ == "__main__":
    main()
