"""What is a schema: own:schema, rules 1 to 7."""

import re
import unicodedata
from fractions import Fraction

from opinion import form
from opinion.exact import need

RANGE = form.pair(form.f64)
FEATURE = form.tagged(
    plain=form.record(missing=form.or_null(form.f64)),
    number=form.record(range=RANGE, scale=form.one_of("[-1,1]", "[0,1]"), log=form.boolean, missing=form.or_null(form.f64)),
    levels=form.record(levels=form.listed(form.text), other=form.or_null(form.text), missing=form.or_null(form.text)),
)
TARGET = form.tagged(
    plain=form.record(missing=form.or_null(form.f64)),
    range=form.record(range=RANGE, missing=form.or_null(form.f64)),
    threshold=form.record(at_least=form.f64, missing=form.or_null(form.f64)),
    classes=form.record(classes=form.listed(form.text), missing=form.or_null(form.text)),
)
COLUMNS = form.or_null(form.record(
    marks=form.listed(form.text),
    features=form.listed(form.record(name=form.text, kind=FEATURE)),
    target=form.record(name=form.text, kind=TARGET, weights=form.optional(form.listed(form.f64))),
    ignored=form.listed(form.text),
    person=form.optional(form.record(name=form.text, rows=form.unsigned)),
))

BLANKS = " \t\n\r\f"  # those of ASCII
HIDDEN = [
    (0xAD, 0xAD), (0x300, 0x36F), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFF01, 0xFF5E), (0xFFF0, 0xFFFF), (0x1D400, 0x1D7FF),
    (0xE0000, 0xE0FFF),
]
LETTERS = dict(zip("аеорсухіјѕԁһӏАВЕКМНОРСТХУІЈЅ" + "ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdhlABEKMHOPCTXYIJS" + "ovABEZHIKMNOPTYX", strict=True))
DOUBLES = set(LETTERS)
OURS = str.maketrans(LETTERS | dict.fromkeys("‐‑‒–−", "-"))
OVERFLOW = Fraction(2**1024 - 2**970)  # from here on a number rounds to infinity


def check(columns, problem, person, classes=None, class_weights=None):
    """Of a release; or of one part of a file of several classes, which has their texts and what each
    counts against the rest."""
    if columns is None:
        return  # records that came without names
    same = (columns.person is None) == (person is None) and (person is None or columns.person.rows == person.rows)
    need(same, "the columns have persons exactly where the guarantee is about them", "own:persons")
    parameters = sum(len(body.levels) if kind == "levels" else 1 for _, (kind, body) in map(dict.values, columns.features))
    need(parameters + problem.intercept == problem.dimension, "columns name every parameter")
    kinds = {kind for _, (kind, _) in map(dict.values, columns.features)}
    target, body = columns.target.kind
    if kinds <= {"plain"} and target == "plain":
        return  # columns taken as they are: nothing is decided of the names

    def of_a_schema(holds):
        need(holds, "the schema is valid and fits the loss", "own:schema")

    marks = columns.marks
    of_a_schema(len(marks) <= 100 and len(set(marks)) == len(marks) and all(mark == mark.strip(BLANKS) for mark in marks))
    of_a_schema(columns.features and parameters <= 10**6)
    order = [kind for _, (kind, _) in map(dict.values, columns.features)]
    of_a_schema(order == sorted(order, key="levels".__eq__))
    names = [column.name for column in [*columns.features, columns.target]] + columns.ignored
    names += [] if columns.person is None else [columns.person.name]
    of_a_schema(kinds <= {"plain"} or told_apart(names))
    for column in columns.features:
        kind, it = column.kind
        if kind == "number":
            of_a_schema(is_range(it.range, it.missing))
        elif kind == "levels":
            of_a_schema(1 <= len(it.levels) <= 10_000 and told_apart(it.levels) and not set(it.levels) & set(marks))
            of_a_schema(all(named is None or named in it.levels for named in (it.other, it.missing)))
    if target == "range":
        of_a_schema(is_range(body.range, body.missing))
    elif target == "classes":
        of_a_schema(body.classes == classes if classes else len(body.classes) == 2)
        of_a_schema(told_apart(body.classes) and not set(body.classes) & set(marks))
        of_a_schema(body.missing is None or body.missing in body.classes)
    if columns.target.weights is not None:
        weights, count = columns.target.weights, len(body.classes) if target == "classes" else 2
        of_a_schema(target in ("classes", "threshold") and len(weights) == count)
        of_a_schema(0 < max(weights) <= 10**6 * min(weights))
        against = [(min(weights), weight) for weight in weights] if classes else [weights]
        counted = class_weights if classes else [problem.class_weights]
        of_a_schema(all(are_weights(pair, found) for pair, found in zip(against, counted, strict=True)))
    kind = problem.loss[0]
    of_a_schema(kind == "user" or target == "plain" or (kind == "logistic") == (target in ("classes", "threshold")))
    of_a_schema(not classes or target in ("classes", "plain"))


def are_weights(weights, relative):
    """own:class-weights: those of the certificate are the quotients by the larger one, each rounded to an f64."""
    largest = max(weights)
    usable = 0 < largest <= 10**6 * min(weights)
    return usable and [Fraction(float(x / largest)) for x in weights] == (relative or [1, 1])


def is_range(ends, missing):
    low, high = ends
    return is_interval(low, high) and (missing is None or low <= missing <= high)


def is_interval(low, high):
    """low < high, and their difference as an f64 is finite."""
    return low < high and high - low < OVERFLOW


def told_apart(names):
    """Not empty, no blanks around them, nothing invisible, no word of two alphabets, no two that look alike."""
    return all(map(is_name, names)) and len({name.translate(OURS) for name in names}) == len(names)


def is_name(name):
    if name == "" or name != name.strip() or any(map(is_hidden, name)):
        return False
    words = re.findall(r"[^\W_]+", name)
    return not any(any(letter.isascii() and letter.isalpha() for letter in word) and set(word) & DOUBLES for word in words)


def is_hidden(letter):
    code = ord(letter)
    if unicodedata.category(letter) == "Cc" or (letter.isspace() and letter != " "):
        return True
    return any(low <= code <= high for low, high in HIDDEN)
