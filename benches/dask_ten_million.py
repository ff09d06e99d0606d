"""Ten million rows through Dask: made on the workers, kept there, fitted by sums.

    pip install ./python 'dask[distributed]' && python benches/dask_ten_million.py [rows]

Rows of ten features and a label come from a random generator, block by block, on two worker processes of one thread
each, which may take 2 GB each. Shown are the time, the questions and their bytes, and the largest resident memory of
every process; the release is checked. With few rows (100,000 or less) the same fit is made in memory, and the
parameters are compared bit for bit.
"""

import resource
import sys
import time

import dask.array as da
import numpy as np
from asap_dp import PrivateLogisticRegression, _dask
from asap_dp._replay import replay
from distributed import Client, LocalCluster

COLUMNS = 10


def block(seed, rows):
    """Features and label: a function of the seed, so that a block can be made again."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, COLUMNS)) / 4
    y = X @ np.linspace(-2, 2, COLUMNS) + rng.logistic(size=rows) / 4 > 0
    return np.column_stack([X, y])


def made(rows, size=100_000):
    import dask

    lengths = [min(size, rows - first) for first in range(0, rows, size)]
    blocks = [
        da.from_delayed(dask.delayed(block, pure=True)(seed, length), (length, COLUMNS + 1), np.float64) for seed, length in enumerate(lengths)
    ]
    return da.concatenate(blocks)


def peak_megabytes():
    """The largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(rows):
    passes = []
    asked = _dask._asked

    def noted(function, arguments):
        begun = time.perf_counter()
        answers = asked(function, arguments)
        passes.append((function.__name__, time.perf_counter() - begun, sum(map(len, answers))))
        return answers

    _dask._asked = noted
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="2GB", dashboard_address=None, host="127.0.0.1", silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        table = made(rows)
        model = PrivateLogisticRegression(epsilon=1.0, regulariser=100.0, feature_bound=2.0, classes=[0.0, 1.0], expected_rows=rows)
        before = peak_megabytes()
        begun = time.perf_counter()
        with replay(1):
            model.fit(table[:, :COLUMNS], table[:, COLUMNS])
        seconds = time.perf_counter() - begun
        workers = client.run(peak_megabytes)

    cards = [each for each in passes if each[0] == "card_of"]
    answers = [each for each in passes if each[0] == "answer_of"]
    print(f"rows {rows:,}, columns {COLUMNS}, mechanism {model.release_.mechanism}, {model.release_!r}")
    print(f"time {seconds:.1f} s: {sum(each[1] for each in cards):.1f} s to make, clip and keep the shards, then {len(answers)} questions,")
    print(f"  {np.median([each[1] for each in answers]):.2f} s each (median), {sum(each[2] for each in answers):,} bytes of answers in all")
    print(f"client: {peak_megabytes():.0f} MB at most, {before:.0f} MB before the fit")
    print("workers: " + ", ".join(f"{peak:.0f} MB at most" for peak in workers.values()))
    print(repr(model.release_.check()))
    if rows <= 100_000:
        values = table.compute()
        with replay(1):
            memory = PrivateLogisticRegression(**model.get_params()).fit(values[:, :COLUMNS], values[:, COLUMNS])
        assert memory.release_.theta.tobytes() == model.release_.theta.tobytes()
        print("the same bits in memory")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
