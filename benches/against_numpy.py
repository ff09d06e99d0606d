#!/usr/bin/env python3
"""Compares one evaluation of the logistic objective with numpy, one thread each, in one run.

    python3 benches/against_numpy.py [--rows 50000] [--columns 50] [--rounds 31] [--at-least RATIO]

The two alternate, so that whatever else the machine does hits both alike. Each round takes the fastest of some
evaluations: on a busy machine the others tell how often the scheduler interrupts, which is not the question and
hits the slower of the two harder. The printed ratio is the median over the rounds of (time of numpy) / (our
time): above 1 we are faster. Numpy is given its best of three ways to write the same computation, chosen on this machine.
Both sides have to agree on the value and the gradient. Without numpy the script says so and succeeds.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"
try:
    import numpy as np
except ImportError:
    print("numpy is not installed: nothing to compare with")
    sys.exit(0)

REGULARISER = 1.0
PASSES = 15


def plain(x, y, theta):
    """As one would write it."""
    t = -y * (x @ theta)
    e = np.exp(-np.abs(t))
    value = np.sum(np.maximum(t, 0) + np.log1p(e))
    slope = -y * np.where(t > 0, 1.0, e) / (1.0 + e)
    return value + REGULARISER / 2 * (theta @ theta), x.T @ slope + REGULARISER * theta


def library(x, y, theta):
    """With the functions made for it."""
    from scipy.special import expit

    t = -y * (x @ theta)
    value = np.sum(np.logaddexp(0, t))
    return value + REGULARISER / 2 * (theta @ theta), x.T @ (-y * expit(t)) + REGULARISER * theta


class InPlace:
    """Without a single temporary array."""

    __name__ = "in place"

    def __init__(self, rows):
        self.t, self.e, self.s = np.empty(rows), np.empty(rows), np.empty(rows)

    def __call__(self, x, y, theta):
        t, e, s = self.t, self.e, self.s
        np.dot(x, theta, out=t)
        np.multiply(t, y, out=t)
        np.abs(t, out=e)
        np.negative(e, out=e)
        np.exp(e, out=e)
        np.log1p(e, out=s)
        value = np.sum(s)
        np.minimum(t, 0, out=s)
        value -= np.sum(s)
        # The sigmoid of -t from e = exp(-|t|): 1/(1+e) for negative t, e/(1+e) otherwise.
        np.copyto(s, e)
        np.copyto(s, 1.0, where=t < 0)
        np.add(e, 1.0, out=e)
        np.divide(s, e, out=s)
        np.multiply(s, y, out=s)
        return value + REGULARISER / 2 * (theta @ theta), REGULARISER * theta - x.T @ s


def seconds(function, arguments, passes):
    times = []
    for _ in range(passes):
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return min(times)


def build():
    """The path of the freshly built partner program."""
    root = pathlib.Path(__file__).resolve().parent.parent
    subprocess.run(["cargo", "build", "--quiet", "--release", "--example", "one_pass"], cwd=root, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    return target / "release" / "examples" / "one_pass"


def agree(ours, numpys):
    value, gradient = ours[0], np.array(ours[1:])
    return abs(value - numpys[0]) <= 1e-12 * numpys[0] and np.allclose(gradient, numpys[1], 1e-10, 1e-9)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=50_000)
    options.add_argument("--columns", type=int, default=50)
    options.add_argument("--rounds", type=int, default=31)
    options.add_argument("--at-least", type=float, default=0.0, help="fail below this ratio")
    options = options.parse_args()

    rng = np.random.default_rng(1)
    x = rng.standard_normal((options.rows, options.columns))
    x /= np.linalg.norm(x, axis=1, keepdims=True) * (1 + 1e-12)
    theta = 3 * rng.standard_normal(options.columns)
    y = np.where(rng.random(options.rows) < 1 / (1 + np.exp(-(x @ theta))), 1.0, -1.0)
    arguments = (x, y, theta)

    candidates = [plain, InPlace(options.rows)]
    try:
        library(*arguments)
        candidates.append(library)
    except ImportError:
        pass
    for candidate in candidates:
        candidate(*arguments)
    best = min(candidates, key=lambda candidate: seconds(candidate, arguments, 3 * PASSES))

    with tempfile.NamedTemporaryFile() as file:
        np.concatenate([[options.rows, options.columns], x.ravel(), y, theta]).astype("<f8").tofile(file)
        file.flush()
        partner = subprocess.Popen(
            [build(), file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        if not agree([float(word) for word in partner.stdout.readline().split()], best(*arguments)):
            print("the results differ")
            sys.exit(1)
        rounds = []
        for _ in range(options.rounds):
            partner.stdin.write(f"{PASSES}\n")
            rounds.append((float(partner.stdout.readline()), seconds(best, arguments, PASSES)))
        partner.stdin.close()
        partner.wait()

    ours, numpys = (statistics.median(column) for column in zip(*rounds))
    ratio = statistics.median(theirs / our for our, theirs in rounds)
    print(f"{options.rows} rows, {options.columns} columns, one thread, {options.rounds} rounds")
    print(f"asap-dp {ours * 1e3:.3f} ms   numpy ({best.__name__}) {numpys * 1e3:.3f} ms   ratio {ratio:.2f}")
    sys.exit(ratio < options.at_least)


if __name__ == "__main__":
    main()
