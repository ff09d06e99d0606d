#!/usr/bin/env python3
"""Checks the answers of asap score, count and quantile, from the table on the page spec/own-score.md.

Exact fractions and whole numbers; nothing of the Rust crates is used. Its author has written the other side as well: a second
program, not an independent derivation. Prints `ok`, or what does not hold, for each file given.
The conversion of a mu into an epsilon is left to the other checker: such an answer is reported as such.
"""

import hashlib
import json
import math
import sys
from fractions import Fraction

ORDER = [
    "schema", "crate_version", "neighbours", "rows_per_person", "guarantee", "converted", "question", "mechanism",
    "randomness", "claims",
]


def judge(text):
    """What does not hold, or None."""
    file = json.loads(text, parse_float=float)
    statement = file["statement"]
    if [name for name in ORDER if name in statement] != list(statement):
        return "fields are not in the order of the schema"
    compact = text_of(statement)
    if file["digest"] != "sha256:" + hashlib.sha256(compact.encode()).hexdigest():
        return "digest"
    if statement["schema"] != 1 or statement["rows_per_person"] < 1:
        return "form"
    (kind, budget), = statement["guarantee"].items()
    budget = Fraction(budget)
    if not budget > 0:
        return "guarantee"
    question = statement["question"]
    name, asked = (question, {}) if isinstance(question, str) else next(iter(question.items()))
    rows = statement["rows_per_person"]
    replaced = statement["neighbours"] == "replace-one"
    (how, parts), = statement["mechanism"].items()
    if how == "exponential":
        if name != "quantile" or kind != "pure":
            return "only the quantile of an epsilon is decided here"
        level = asked["millionths"]
        moved = rows * (10**6 if replaced else max(level, 10**6 - level))
        if 2 * moved * parts["units"] > budget * parts["per"]:
            return "slope"
        return None if parts["value"] in asked["candidates"] else "candidate"
    cells = {"rows": 1, "classes": 2 * asked.get("bins", 0), "errors": 8}.get(name)
    if cells != len(parts["counts"]) or any(abs(count) > 2**53 for count in parts["counts"]):
        return "cells"
    if name == "classes" and (asked["bins"] % 2 or not 2 <= asked["bins"] <= 1000):
        return "bins"
    (law, noise), = parts["noise"].items()
    if not -40 <= noise["exponent"] <= (-20 if name == "errors" else 0):
        return "lattice"
    step = Fraction(2) ** noise["exponent"]
    # The squares of what one person moves, against the squares of what the noise covers.
    if (kind, law) == ("pure", "discrete-laplace"):
        moved, scale = (2 if replaced else 1) ** 2, Fraction(noise["numerator"], noise["denominator"])
    elif (kind, law) == ("gaussian", "rounded-normal"):
        moved, scale = 2 if replaced else 1, Fraction(noise["steps"])
    else:
        return "kind of noise"
    return None if moved * rows**2 <= (budget * scale * step) ** 2 else "noise"


def text_of(value):
    """Compact JSON, numbers as Rust writes the shortest text that reads back."""
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + text_of(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    if isinstance(value, float):
        return float_text(value)
    return json.dumps(value, ensure_ascii=False)


def float_text(x):
    """Python's shortest digits in the spelling of Rust's JSON: plain from 1e-5 to 1e16, otherwise with an exponent."""
    if x == 0:
        return "-0.0" if math.copysign(1, x) < 0 else "0.0"
    digits = repr(x)
    if "e" in digits:
        mantissa, exponent = digits.split("e")
        mantissa = mantissa.removesuffix(".0")
        return f"{mantissa}e{int(exponent)}" if int(exponent) < 0 else f"{mantissa}e+{int(exponent)}"
    return digits


if __name__ == "__main__":
    failed = False
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            found = judge(file.read())
        failed |= found is not None
        print(f"{path}: {found or 'ok'}")
    sys.exit(failed)
