#!/usr/bin/env python3
"""Test accuracy and area under the curve on Adult, from the raw CSV file through the command
line, with default settings.

    python3 benches/adult.py [--data DIR] [--epsilon 1] [--splits 5] [--seed 1] [--schema FILE] [--binary FILE] [-- FLAGS of asap fit]

Everything goes through the command line: `asap fit --schema docs/adult-schema.toml` on four fifths of the rows, then
`asap predict` on the rest. The noise is secure, so that the numbers differ a little from run to run; the seed is that
of the splits only. Beside it the majority class.
"""

import argparse
import pathlib
import random
import statistics
import subprocess
import tempfile


def area(scores, truth):
    """The probability that a positive row has a higher score than a negative one, ties counting half."""
    order = sorted(range(len(scores)), key=lambda k: scores[k])
    ranks, k = [0.0] * len(order), 0
    while k < len(order):
        same = k
        while same < len(order) and scores[order[same]] == scores[order[k]]:
            same += 1
        for place in range(k, same):
            ranks[order[place]] = (k + same + 1) / 2
        k = same
    positive = sum(truth)
    return (sum(rank for rank, yes in zip(ranks, truth) if yes) - positive * (positive + 1) / 2) / (positive * (len(truth) - positive))


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=root.parent / "shared/data")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--schema", type=pathlib.Path, default=root / "docs/adult-schema.toml")
    parser.add_argument("--binary", type=pathlib.Path, default=None, help="target/release/asap, which is built, unless given")
    parser.add_argument("flags", nargs="*")
    options = parser.parse_args()
    source = options.data / "adult.csv"
    if not source.exists():
        print("adult.csv was not found: --data says where it is")
        return
    binary = options.binary or root / "target/release/asap"
    if options.binary is None:
        subprocess.run(["cargo", "build", "--release", "--quiet", "-p", "asap-cli"], cwd=root, check=True)
    lines = source.read_text().splitlines()
    found = {"accuracy": [], "area under the curve": [], "majority class": []}
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for _ in range(options.splits):
            rows = lines[1:]
            rng.shuffle(rows)
            cut = int(0.8 * len(rows))
            for name, part in [("train.csv", rows[:cut]), ("test.csv", rows[cut:])]:
                (folder / name).write_text("\n".join([lines[0], *part]) + "\n")
            fit = [binary, "fit", folder / "train.csv", "--schema", options.schema, "--loss", "logistic", "--intercept",
                   "--epsilon", str(options.epsilon), "--out", folder / "release.json", "--force", *options.flags]  # fmt: skip
            subprocess.run(fit, check=True, capture_output=True)
            out = subprocess.run([binary, "predict", folder / "release.json", folder / "test.csv"], check=True, capture_output=True, text=True)
            predicted = [line.rsplit(",", 1) for line in out.stdout.splitlines()[1:]]
            truth = [row.rsplit(",", 1)[1].strip() for row in rows[cut:]]
            found["accuracy"].append(statistics.mean(one == other for (one, _), other in zip(predicted, truth)))
            found["area under the curve"].append(area([float(p) for _, p in predicted], [it == ">50K" for it in truth]))
            found["majority class"].append(statistics.mean(it == "<=50K" for it in truth))
    for name, values in found.items():
        spread = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
        print(f"{name}: {statistics.mean(values):.4f} ± {spread:.4f}")


if __name__ == "__main__":
    main()
