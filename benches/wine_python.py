#!/usr/bin/env python3
"""Private logistic regression on Wine Quality (white, quality >= 6) in one Python process: asap_dp, diffprivlib, and
scikit-learn without privacy.

    pip install ./python diffprivlib
    python3 benches/wine_python.py [--data DIR] [--epsilon 1] [--splits 20] [--seed N] [--json FILE]

The same preprocessing for all three: columns scaled to [-1, 1] by public ranges (those of against_diffprivlib.py, from
what wine chemistry allows) and clipped there, rows shortened to norm R. R = 1.5 and the regulariser 3, from the middle
of that script's grid, are fixed for everybody: a private fit has one chance. Times are of `fit` alone, on arrays in
memory, the three learners in turn on each split. On a machine that others use as well, OPENBLAS_NUM_THREADS=1
RAYON_NUM_THREADS=1 keeps threads from waiting for each other, and the processor's time says more than the clock's.
Without asap_dp, scikit-learn or diffprivlib the script says so and succeeds.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time
import warnings

try:
    import numpy as np
    from diffprivlib.models import LogisticRegression as TheirLogisticRegression
    from sklearn.linear_model import LogisticRegression

    from asap_dp import PrivateLogisticRegression
except ImportError as missing:
    print(f"{missing.name} is not installed: nothing to compare with")
    sys.exit(0)

from against_diffprivlib import read

NORM, REGULARISER = 1.5, 3.0


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=root.parent / "shared/data")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of the splits; the noise is fresh in every run")
    parser.add_argument("--json", type=pathlib.Path, default=None)
    options = parser.parse_args()
    if not (options.data / "winequality-white.csv").exists():
        print("winequality-white.csv was not found: --data says where it is")
        return
    x, y = read(options.data)
    x *= np.minimum(1, NORM / np.linalg.norm(x, axis=1, keepdims=True))
    random = np.random.default_rng(options.seed)
    splits = [np.split(random.permutation(len(y)), [int(0.8 * len(y))]) for _ in range(options.splits)]
    learners = {
        "asap_dp": lambda: PrivateLogisticRegression(
            epsilon=options.epsilon, feature_bound=NORM, regulariser=REGULARISER, expected_rows=4000, max_rows=100_000
        ),
        # Its data_norm includes the intercept's column.
        "diffprivlib": lambda: TheirLogisticRegression(
            epsilon=options.epsilon, data_norm=(NORM**2 + 1) ** 0.5, C=1 / REGULARISER, max_iter=1000
        ),
        "scikit-learn, not private": lambda: LogisticRegression(C=1 / REGULARISER, max_iter=1000),
    }
    scores, seconds, work = ({name: [] for name in learners} for _ in range(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for make in learners.values():
            make().fit(x[splits[0][0]], y[splits[0][0]])
        for train, test in splits:
            for name, make in learners.items():
                model = make()
                start, start_work = time.perf_counter(), time.process_time()
                model.fit(x[train], y[train])
                seconds[name].append(time.perf_counter() - start)
                work[name].append(time.process_time() - start_work)
                scores[name].append(model.score(x[test], y[test]))
    majority = statistics.mean(float(max(np.mean(y[test]), 1 - np.mean(y[test]))) for _, test in splits)
    result = {
        "epsilon": options.epsilon, "splits": options.splits, "norm": NORM, "regulariser": REGULARISER, "majority": majority,
        "learners": {
            name: {
                "accuracy": statistics.mean(scores[name]),
                "error": statistics.stdev(scores[name]) / len(splits) ** 0.5,
                "milliseconds": 1e3 * statistics.median(seconds[name]),
                "processor_milliseconds": 1e3 * statistics.median(work[name]),
            }
            for name in learners
        },
    }  # fmt: skip
    print(f"wine white, quality >= 6, {options.splits} random splits, epsilon = {options.epsilon:g}, R = {NORM}, regulariser = {REGULARISER}")
    for name, one in result["learners"].items():
        print(f"  {name:26} {one['accuracy']:.4f} ± {one['error']:.4f}  {one['milliseconds']:6.1f} ms a fit (median; of the processor {one['processor_milliseconds']:.1f})")
    print(f"  {'majority class':26} {majority:.4f}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
