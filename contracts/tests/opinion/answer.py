"""An answer of asap score, count or quantile: its form and the clauses of own:score and own:quantile."""

import re

from opinion import certificate, form, release, schema
from opinion.exact import need
from opinion.form import f64, listed, one_of, optional, record, tagged, text, unsigned

VERSION = 1
MODEL = record(release=text, rows=one_of("unseen", "seen"))
QUESTION = tagged(
    words=("rows",),
    classes=record(model=MODEL, bins=unsigned),
    labels=record(model=MODEL, classes=listed(text)),
    errors=record(model=MODEL, low=f64, high=f64, clip=f64),
    quantile=record(millionths=unsigned, candidates=listed(f64)),
)
MECHANISM = tagged(
    cells=record(noise=certificate.NOISE, counts=listed(form.signed)),
    exponential=record(units=unsigned, per=unsigned, value=f64),
)
STATEMENT = record(
    schema=unsigned, crate_version=text, neighbours=certificate.NEIGHBOURS, rows_per_person=unsigned, guarantee=certificate.GUARANTEE,
    converted=optional(f64), question=QUESTION, mechanism=MECHANISM, randomness=certificate.RANDOMNESS, claims=certificate.CLAIMS,
)
FILE = record(statement=form.unread, digest=text, signature=optional(form.SIGNATURE))


def check(value):
    """An answer, as `form.read` gives it: its statement, or `Refused`."""
    form.version(value, ("statement", "schema"), VERSION)
    file, _ = FILE(value, "")
    it, written = STATEMENT(file.statement, "statement")
    kind, budget = it.guarantee
    need(budget > 0, "guarantee is positive", "own:budget-split")
    claims = {("assumptions:randomness", "assumed")}
    if it.converted is not None:
        converted = kind == "gaussian" and release.converts(it.converted, budget)
        need(converted, "converted ε is at most ln(Φ(μ/2)/Φ(−μ/2))", "lem:convert_pure_G_DP")
        claims.add(("lem:convert_pure_G_DP", "proved"))
        kind, budget = "pure", it.converted
    need(it.rows_per_person >= 1, "a person has at least one row", "own:score")
    replaced = it.neighbours == "replace-one"
    decide = cells if it.mechanism[0] == "cells" else quantile
    claims |= decide(it, kind, budget, replaced)
    made = [(claim.spec, claim.status) for claim in it.claims]
    need(sorted(made) == sorted(claims), "claims are those of the mechanism")
    need(file.digest == form.digest_of(written), "nothing was edited (digest)")
    return it


def cells(it, kind, budget, replaced):
    page, (name, question), body = "own:score", it.question, it.mechanism[1]
    need(name != "quantile", "every cell of the question has a number", page)
    if name != "rows":
        named = re.fullmatch("sha256:[0-9a-f]{64}", question.model.release)
        need(named, "the scored release is named by its digest", page)
    if name == "classes":
        need(2 <= question.bins <= 1000 and question.bins % 2 == 0, "bins are an even number from 2 to 1000", page)
    if name == "labels":
        told = 3 <= len(question.classes) <= 100 and schema.told_apart(question.classes)
        need(told, "three classes or more that are told apart", page)
    if name == "errors":
        need(schema.is_interval(question.low, question.high), "targets have a range", page)
        need(question.clip > 0, "the largest error is positive", page)
    number = {"rows": 1, "errors": 8}.get(name)
    number = 2 * (question.bins if name == "classes" else len(question.classes)) if number is None else number
    need(len(body.counts) == number, "every cell of the question has a number", page)
    lattice = release.Lattice(body.noise)
    whole = -40 <= body.noise[1].exponent <= (-20 if name == "errors" else 0)
    need(whole, "a row is a whole number of lattice steps", page)
    law = "discrete-laplace" if kind == "pure" else "rounded-normal"
    need(lattice.law == law, "noise of the cells is of the kind of the guarantee", page)
    factor = (4 if kind == "pure" else 2) if replaced else 1
    covered = factor * it.rows_per_person**2 <= (budget * lattice.scale) ** 2
    need(covered, "noise of the cells covers what a person moves", page)
    need(all(abs(count) <= 2**53 for count in body.counts), "noisy cells are on their lattice", "own:lattice")
    return {(page, "proved"), (f"own:{law}", "proved")}


def quantile(it, kind, budget, replaced):
    page, (name, question), body = "own:quantile", it.question, it.mechanism[1]
    need(name == "quantile", "the question is one of a quantile", page)
    level, candidates = question.millionths, question.candidates
    need(0 < level < 10**6, "level is between 0 and 1", page)
    ascending = candidates and all(a < b for a, b in zip(candidates, candidates[1:]))
    need(ascending, "candidates are numbers in ascending order", page)
    moved = 10**6 if replaced else max(level, 10**6 - level)
    gentle = kind == "pure" and body.per > 0 and 2 * it.rows_per_person * moved * body.units <= budget * body.per
    need(gentle, "slope is at most ε over twice what a person moves", page)
    need(body.value in candidates, "the answer is one of the candidates", page)
    return {(page, "proved")}


def scores(statement, scored):
    """The answer is about this release: named by its digest, and asked what its loss has."""
    page, (name, question) = "own:score", statement.question
    need(question.model.release == scored.digest, "the scored release is the one that is named", page)
    if "one_against_rest" in scored:
        classes = [part["class"] for part in scored.one_against_rest.parts]
        need(name == "labels" and question.classes == classes, "the question is one for the loss of the release", page)
        return
    kind = scored.certificate.problem.loss[0]
    fits = kind == "user" or (kind == "logistic") == (name == "classes")
    need(fits, "the question is one for the loss of the release", page)
    target, body = scored.columns.target.kind if scored.columns else ("plain", None)
    if name == "errors" and target == "range":
        same = [question.low, question.high] == body.range
        need(same, "the range of the targets is that of the release", page)
