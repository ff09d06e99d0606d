#!/usr/bin/env python3
"""Compares `asap fit` with diffprivlib's private LogisticRegression on Wine Quality (white, quality >= 6), in one run.

    python3 benches/against_diffprivlib.py [--data DIR] [--epsilon 1] [--splits 20] [--json docs/measured/wine.json]

Columns are scaled to [-1, 1] by public ranges (written below, from what wine chemistry allows, not from the records)
and clipped there. For both learners the same grid of norms R and regularisers is tried on all splits, and the best mean
accuracy is shown, with all others: neither choice is private, it is the most that a lucky choice could give to either.
Times are of whole fits: ours is a process that reads its CSV file. The README's table is made of the file that it
writes. Without numpy, scikit-learn or diffprivlib the script says so and succeeds.
"""

import argparse
import csv
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

try:
    import numpy as np
    from diffprivlib.models import LogisticRegression as PrivateLogisticRegression
    from sklearn.linear_model import LogisticRegression
except ImportError as missing:
    print(f"{missing.name} is not installed: nothing to compare with")
    sys.exit(0)

RANGES = {
    "fixed acidity": (3, 12),
    "volatile acidity": (0, 1.2),
    "citric acid": (0, 1.2),
    "residual sugar": (0, 45),
    "chlorides": (0, 0.2),
    "free sulfur dioxide": (0, 120),
    "total sulfur dioxide": (0, 350),
    "density": (0.985, 1.01),
    "pH": (2.7, 3.9),
    "sulphates": (0.2, 1.1),
    "alcohol": (8, 14.5),
}
NORMS = [1.0, 1.5, 2.0, 3.0]
REGULARISERS = [1.0, 3.0, 10.0, 30.0]


def read(folder):
    with open(folder / "winequality-white.csv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    columns = [
        np.clip(2 * (np.array([float(row[name]) for row in rows]) - low) / (high - low) - 1, -1, 1)
        for name, (low, high) in RANGES.items()
    ]
    y = np.array([1 if float(row["quality"]) >= 6 else 0 for row in rows])
    return np.stack(columns, axis=1), y


def accuracy(x, y, weights, intercept):
    return float(np.mean((x @ weights + intercept > 0) == (y == 1)))


class Ours:
    name = "asap fit (auto)"

    def __init__(self, binary, folder, epsilon):
        self.binary, self.folder, self.epsilon = binary, pathlib.Path(folder), epsilon

    def fit(self, x, y, norm, regulariser):
        file = self.folder / "train.csv"
        names = [f"x{k}" for k in range(x.shape[1])]
        table = "\n".join(",".join(map(repr, map(float, row))) + f",{label}" for row, label in zip(x, y))
        file.write_text(",".join(names) + ",y\n" + table + "\n")
        # (x, 1) has norm sqrt(R^2 + 1) for asap, which appends the ones itself.
        command = [self.binary, "fit", file, "--target", "y", "--loss", "logistic", "--epsilon", str(self.epsilon),
                   "--regulariser", str(regulariser), "--feature-bound", str(norm), "--intercept", "--expected-rows", "4000",
                   "--max-rows", "100000", "--yes", "--json", "--force", "--out", self.folder / "release.json"]
        start = time.perf_counter()
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds = time.perf_counter() - start
        summary = json.loads(said)
        theta = [one["value"] for one in summary["coefficients"]]
        return np.array(theta[:-1]), theta[-1], seconds, summary["mechanism"]


class Theirs:
    name = "diffprivlib"

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def fit(self, x, y, norm, regulariser):
        # Its data_norm includes the intercept's column; it clips rows itself.
        model = PrivateLogisticRegression(epsilon=self.epsilon, data_norm=(norm**2 + 1) ** 0.5, C=1 / regulariser, max_iter=1000)
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(x, y)
        return model.coef_[0], float(model.intercept_[0]), time.perf_counter() - start, "objective perturbation"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=root.parent / "shared/data")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None, help="of the splits; fresh ones unless given")
    parser.add_argument("--json", type=pathlib.Path, default=root / "docs/measured/wine.json")
    options = parser.parse_args()
    if not (options.data / "winequality-white.csv").exists():
        print("winequality-white.csv was not found: --data says where it is")
        return
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=root, check=True)
    x, y = read(options.data)
    random = np.random.default_rng(options.seed)
    splits = [np.split(random.permutation(len(y)), [int(0.8 * len(y))]) for _ in range(options.splits)]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        learners = [Ours(root / "target/release/asap", folder, options.epsilon), Theirs(options.epsilon)]
        for norm in NORMS:
            # Both get rows of at most this norm.
            clipped = x * np.minimum(1, norm / np.linalg.norm(x, axis=1, keepdims=True))
            for regulariser in REGULARISERS:
                found = {learner.name: [] for learner in learners}
                # They take turns, so that whatever else the machine does hits both alike.
                for (train, test), learner in itertools.product(splits, learners):
                    weights, intercept, seconds, mechanism = learner.fit(clipped[train], y[train], norm, regulariser)
                    found[learner.name].append((accuracy(clipped[test], y[test], weights, intercept), seconds, mechanism))
                for name, own in found.items():
                    scores = [score for score, _, _ in own]
                    results.append({
                        "learner": name, "norm": norm, "regulariser": regulariser, "mechanism": own[0][2],
                        "accuracy": statistics.mean(scores),
                        "error": statistics.stdev(scores) / len(scores) ** 0.5,
                        "milliseconds": 1e3 * statistics.median(seconds for _, seconds, _ in own),
                    })
    plain = [
        accuracy(x[test], y[test], model.coef_[0], model.intercept_[0])
        for train, test in splits
        for model in [LogisticRegression(C=1.0, max_iter=1000).fit(x[train], y[train])]
    ]
    majority = statistics.mean(float(np.mean(y[test])) for _, test in splits)
    print(f"accuracy on {options.splits} random splits, epsilon = {options.epsilon:g}")
    for one in results:
        print(f"  {one['learner']:16} R {one['norm']:<4} regulariser {one['regulariser']:<5} {one['accuracy']:.3f} "
              f"± {one['error']:.3f}  {one['milliseconds']:6.1f} ms  {one['mechanism']}")
    for name in [Ours.name, Theirs.name]:
        best = max((one for one in results if one["learner"] == name), key=lambda one: one["accuracy"])
        print(f"best {name}: {best['accuracy']:.3f} ± {best['error']:.3f} at R = {best['norm']}, regulariser = {best['regulariser']}, "
              f"{best['milliseconds']:.0f} ms a fit")
    print(f"not private: {statistics.mean(plain):.3f}, majority class: {majority:.3f}")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    said = {"epsilon": options.epsilon, "splits": options.splits, "results": results, "plain": statistics.mean(plain), "majority": majority}
    options.json.write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    main()
