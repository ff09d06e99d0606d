"""A second opinion on releases and answers: every clause of the pages, decided in exact fractions.

    independent_checker.py FILE...      releases, and answers of asap score, count or quantile: a line each, ok or the
                                        reason. An answer that scores a release among the files has to fit it. Exit
                                        code 1 if one fails.
    independent_checker.py < LINES      one release or answer a line: ok or the reason, a line each. Exit code 0.

Standard library only, Python 3.10 or later; the parts are in opinion/. No float decides anything: an f64 of a file is
read and is a fraction from then on.

Its author read the pages of spec/ and docs/, the design notes they rest on, files that the program wrote, and what the
program said of edited files; not the Rust text, not the theorems in Coq, not the checker that was here before, nor
their history. So a formula that is wrong on a page is wrong here, too; one that was copied wrongly from a page into the
program, or back, is not. Signatures are not verified, and what own:certificate calls taken as given is not looked into.

The lines about the weights of classes (own:class-weights), about files of more than two classes (own:one-against-rest,
all of opinion/classes.py, and `classes` in opinion/schema.py) and about their scores (`labels`) are by somebody who
knew the Rust text: they show that two programs agree, not that a page suffices.

Where the pages did not suffice they were completed, and this file follows the completed text. What was completed from
files, from what the program does or from a maintainer's answer (form, rule 3, choice, which m) is no second opinion
of itself; the inequalities were on the pages, and two of their constants (G₁/(Cρ²), 16 in the exact draw) were
corrected after it was written.
  own:certificate   the names and the order of all fields, what may be left out, which numbers are whole (Names); how
                    an f64 and a text are written for the digest; columns that are null; a user's loss; the clauses of
                    shape, of the law and the scales of a tilt, of its three prices, L̄ and G₁/(Cρ²) in its charge; ⌈ln
                    2⌉ in the minimiser bound; what is asked of a choice; a converted ε for any mechanism; the claims
                    of blocks, normal tilts and prices
  own:joint-price   which κ, ε₁ and m an inequality is decided with
  own:schema        the table of rule 3; plain columns among others; the column of persons
  own:score         what is compared where the scored release is there, too
"""

import sys

from opinion import answer, classes, form, release
from opinion.exact import Refused


def decide(data):
    """What a release or an answer says, or `Refused`."""
    value = form.read(data)
    has = value.__contains__ if isinstance(value, dict) else lambda _: False
    if has("one_against_rest"):
        return classes.check(value)
    return answer.check(value) if has("statement") else release.check(value)[0]


def verdict(data):
    try:
        decide(data)
    except Refused as refused:
        return " ".join(str(refused).split())
    return "ok"


def of_files(paths):
    """Pairs of a path and what is said of it."""
    decided = []
    for path in paths:
        try:
            with open(path, "rb") as file:
                decided.append((path, decide(file.read()), "ok"))
        except (OSError, Refused) as error:
            decided.append((path, None, str(error)))
    releases = {it.digest: it for _, it, _ in decided if it is not None and "digest" in it}
    for path, it, said in decided:
        question = it.question[1] if it is not None and "question" in it else None
        if question is not None and "model" in question and question.model.release in releases:
            try:
                answer.scores(it, releases[question.model.release])
                said = "ok, and about a release that is here"
            except Refused as refused:
                said = str(refused)
        yield path, said


def main(paths):
    if not paths:
        for line in sys.stdin.buffer:
            print(verdict(line))
        return 0
    holds = True
    for path, said in of_files(paths):
        print(f"{path}: {said}")
        holds = holds and said.startswith("ok")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
