#!/usr/bin/env python3
"""The table of docs/tutorial.md: test accuracy on Wine Quality (white, quality >= 6) at one
epsilon, for every mechanism.

    python3 benches/wine.py [--data DIR] [--epsilon 1] [--regulariser L] [--feature-bound R] [--splits 20] [--seed 1] [--json FILE] [--binary FILE]

Everything goes through the command line: `asap fit` with the public schema of docs/wine-schema.toml (good is 6 or
more), then `asap predict` on the fifth of the rows that was left out. The noise is secure, so that the numbers
differ a little from run to run; the seed is that of the splits only. The model that is not private is
scikit-learn's, where it is installed.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile
import tomllib

MECHANISMS = ["auto", "objective", "noisy-gradient", "posterior", "output"]


def accuracy(classes, truth):
    return sum(one == other for one, other in zip(classes, truth)) / len(truth)


def not_private(ranges, header, train, test, bound):
    try:
        import numpy as np
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        return None
    places = [header.index(name) for name in ranges]
    low, high = (np.array([ends[k] for ends in ranges.values()], dtype=float) for k in (0, 1))

    def scaled(rows):
        x = np.array([[float(row[k]) for k in places] for row in rows])
        x = np.clip(2 * (x - low) / (high - low) - 1, -1, 1)
        return x * np.minimum(1, bound / np.linalg.norm(x, axis=1, keepdims=True))

    quality = header.index("quality")
    model = LogisticRegression(C=1.0, max_iter=1000).fit(scaled(train), [float(row[quality]) >= 6 for row in train])
    return float(model.score(scaled(test), [float(row[quality]) >= 6 for row in test]))


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=root.parent / "shared/data")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--regulariser", type=float, default=None, help="chosen by the program unless given")
    parser.add_argument("--feature-bound", type=float, default=None, help="what the schema implies unless given")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mechanisms", nargs="*", default=MECHANISMS)
    parser.add_argument("--json", type=pathlib.Path, default=None)
    parser.add_argument("--binary", type=pathlib.Path, default=None, help="target/release/asap, which is built, unless given")
    options = parser.parse_args()
    source = options.data / "winequality-white.csv"
    if not source.exists():
        print("winequality-white.csv was not found: --data says where it is")
        return
    if options.binary is None:
        subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "asap-cli"], cwd=root, check=True)
    binary, schema = options.binary or root / "target/release/asap", root / "docs/wine-schema.toml"
    ranges = tomllib.loads(schema.read_text())["columns"]
    lines = source.read_text().splitlines()
    header = [name.strip('"') for name in lines[0].split(";")]
    found = {name: [] for name in ["majority class", "not private", *options.mechanisms]}
    chosen = None
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for _ in range(options.splits):
            rows = lines[1:]
            rng.shuffle(rows)
            cut = int(0.8 * len(rows))
            for name, part in [("train.csv", rows[:cut]), ("test.csv", rows[cut:])]:
                (folder / name).write_text("\n".join([lines[0], *part]) + "\n")
            train, test = ([row.split(";") for row in part] for part in (rows[:cut], rows[cut:]))
            truth = [float(row[header.index("quality")]) >= 6 for row in test]
            found["majority class"].append(max(statistics.mean(truth), 1 - statistics.mean(truth)))
            plain = not_private(ranges, header, train, test, options.feature_bound or len(ranges) ** 0.5)
            if plain is not None:
                found["not private"].append(plain)
            for mechanism in options.mechanisms:
                fit = [binary, "fit", folder / "train.csv", "--schema", schema, "--loss", "logistic", "--intercept", "--epsilon", options.epsilon,
                       "--expected-rows", 4000, "--max-rows", 100000,
                       "--mechanism", mechanism, "--json", "--yes", "--force", "--out", folder / "release.json"]
                if options.regulariser is not None:
                    fit += ["--regulariser", options.regulariser]
                if options.feature_bound is not None:
                    fit += ["--feature-bound", options.feature_bound]
                said = subprocess.run(list(map(str, fit)), check=True, capture_output=True, text=True).stdout
                if mechanism == "auto":
                    chosen = json.loads(said)["mechanism"]
                predict = [binary, "predict", folder / "release.json", folder / "test.csv"]
                said = subprocess.run(list(map(str, predict)), check=True, capture_output=True, text=True).stdout
                classes = [line.split(",")[0] == ">=6" for line in said.splitlines()[1:]]
                found[mechanism].append(accuracy(classes, truth))
    print(f"accuracy on {options.splits} random splits, epsilon = {options.epsilon:g}, regulariser = {options.regulariser or 'auto'}, "
          f"rows to the norm {options.feature_bound or len(ranges) ** 0.5:.4g}")
    table = {}
    for name, scores in found.items():
        if scores:
            error = statistics.stdev(scores) / len(scores) ** 0.5 if len(scores) > 1 else 0.0
            table[name] = {"accuracy": statistics.mean(scores), "error": error}
            shown = f"{name} ({chosen})" if name == "auto" else name
            print(f"  {shown:32} {statistics.mean(scores):.3f} ± {error:.3f}")
    if options.json:
        options.json.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
