#!/usr/bin/env python3
"""Compares a whole private fit with scikit-learn's non-private LogisticRegression (lbfgs), both from memory, in one run.

    python3 benches/against_sklearn.py [--rows 100000] [--columns 20] [--regulariser 20] [--mu 1] [--rounds 11] [--at-most RATIO]

The two alternate, so that whatever else the machine does hits both alike. The printed ratio is the median over the rounds of
(our time) / (time of scikit-learn): below 1 we are faster. Both use all cores that they want. Without numpy or scikit-learn the script says so and
succeeds.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    from sklearn.linear_model import LogisticRegression
except ImportError:
    print("numpy and scikit-learn are not installed: nothing to compare with")
    sys.exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--regulariser", type=float, default=20.0)
    parser.add_argument("--mu", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--at-most", type=float, default=None)
    options = parser.parse_args()

    root = pathlib.Path(__file__).resolve().parent.parent
    subprocess.run(["cargo", "build", "--release", "--example", "one_fit"], cwd=root, check=True)
    random = np.random.default_rng(1)
    x = random.standard_normal((options.rows, options.columns))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = np.where(random.random(options.rows) < 1 / (1 + np.exp(-6 * x[:, 0])), 1.0, -1.0)
    # J = sum of losses + (regulariser/2)|theta|^2 is what scikit-learn calls C = 1/regulariser.
    model = LogisticRegression(C=1 / options.regulariser, fit_intercept=False, solver="lbfgs")

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "records"
        header = np.array([options.rows, options.columns], dtype="<f8")
        file.write_bytes(header.tobytes() + x.astype("<f8").tobytes() + y.astype("<f8").tobytes())
        command = [root / "target/release/examples/one_fit", file, str(options.regulariser), str(options.mu)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            ours, theirs, theta = [], [], None
            for _ in range(options.rounds):
                start = time.perf_counter()
                model.fit(x, y)
                theirs.append(time.perf_counter() - start)
                process.stdin.write("\n")
                process.stdin.flush()
                seconds, *theta = map(float, process.stdout.readline().split())
                ours.append(seconds)
            process.stdin.close()
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    apart = np.linalg.norm(np.array(theta) - model.coef_[0]) / np.linalg.norm(model.coef_[0])
    print(f"ours {statistics.median(ours):.3f} s, scikit-learn {statistics.median(theirs):.3f} s: ratio {ratio:.2f}")
    print(f"distance of the last private parameters from the others: {100 * apart:.1f} %")
    if options.at_most is not None and ratio > options.at_most:
        sys.exit(f"the ratio is above {options.at_most}")


if __name__ == "__main__":
    main()
