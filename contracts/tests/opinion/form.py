"""The form of the files: JSON read strictly, every object against its list of fields, and the
text that the digest is of.

A form is a function from a JSON value and its place to the pair (value, canonical text). Numbers are kept as their
text until a form says whether they are whole ones or f64: a boolean is no number, 1.0 is no whole number, and an
f64 is exact afterwards."""

import hashlib
import json
import math
import re
from fractions import Fraction

from opinion.exact import Refused, need

DEEPEST = 64  # of brackets; a release has nine
WHOLE = re.compile(r"-?(0|[1-9][0-9]*)\Z")


class Number(str):
    """The text of a JSON number."""


class Form(Refused):
    """The text is not of the form of a release or an answer."""


def refuse(place, what):
    raise Form(f"{place or 'the file'}: {what}")


def read(data):
    """Bytes to nested lists, dicts, strings, booleans, None and `Number`s."""
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError:
        raise Form("not a text in UTF-8") from None
    depth = deepest = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"?|[\[{\]}]', text, re.DOTALL):
        bracket = token.group()
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif bracket in "]}":
            depth -= 1
    if deepest > DEEPEST:
        raise Form(f"brackets are nested {deepest} deep; nothing here is deeper than {DEEPEST}")
    try:
        return json.loads(text, object_pairs_hook=_no_key_twice, parse_int=Number, parse_float=Number, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise Form(f"not JSON, line {error.lineno}, column {error.colno}") from None


def _no_key_twice(pairs):
    found = {}
    for key, value in pairs:
        if key in found:
            raise Form("a key is repeated")
        found[key] = value
    return found


def _no_constant(_):
    raise Form("NaN and Infinity are no numbers")


def decimal(x):
    """The shortest decimal that reads back as x: plain from 10⁻⁵ up to 10¹⁶, with an exponent otherwise
    (own:certificate, Digest)."""
    if x == 0:
        return "-0.0" if math.copysign(1, x) < 0 else "0.0"
    mantissa, _, exponent = f"{abs(x)!r}e0".partition("e")
    exponent = int(exponent.partition("e")[0])
    whole, _, part = mantissa.partition(".")
    digits = (whole + part).lstrip("0")
    point = exponent + len(whole) - (len(whole + part) - len(digits))
    digits = digits.rstrip("0")
    n = len(digits)  # the value is 0.digits × 10^point
    if 0 < point <= 16:
        text = digits[:point].ljust(point, "0") + "." + (digits[point:] or "0")
    elif -5 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if n > 1 else "") + f"e{point - 1:+d}"
    return "-" * (x < 0) + text


def f64(value, place):
    if not isinstance(value, Number):
        refuse(place, "must be a number")
    x = float(value)
    if not math.isfinite(x):
        refuse(place, "is beyond the range of an f64")
    return Fraction(x), decimal(x)


def whole(low, high):
    def form(value, place):
        if not isinstance(value, Number) or not WHOLE.match(value) or len(value) > 25:
            refuse(place, "must be a whole number")
        if not low <= int(value) <= high or value == "-0":
            refuse(place, f"must be between {low} and {high}")
        return int(value), str(int(value))

    return form


unsigned = whole(0, 2**64 - 1)
signed = whole(-(2**63), 2**63 - 1)
exponent = whole(-(2**31), 2**31 - 1)


def boolean(value, place):
    if value is not True and value is not False:
        refuse(place, "must be true or false")
    return value, "true" if value else "false"


def text(value, place):
    if isinstance(value, Number) or not isinstance(value, str):
        refuse(place, "must be a text")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        refuse(place, "has half of a surrogate pair")
    return str(value), json.dumps(value, ensure_ascii=False)


def one_of(*words):
    def form(value, place):
        word, written = text(value, place)
        if word not in words:
            refuse(place, f"must be one of {', '.join(words)}")
        return word, written

    return form


def or_null(inner):
    """A field that is written as null where there is nothing to say, and may be left out then."""

    def form(value, place):
        return (None, "null") if value is None else inner(value, place)

    form.without = (None, "null")
    return form


def optional(inner):
    """A field that is not written where there is nothing to say."""

    def form(value, place):
        return (None, None) if value is None else inner(value, place)

    form.without = (None, None)
    return form


def usually(word, inner):
    """A field that is not written where it is the usual word."""

    def form(value, place):
        found, written = inner(value, place)
        return found, None if found == word else written

    form.without = (word, None)
    return form


def listed(inner):
    def form(value, place):
        if not isinstance(value, list):
            refuse(place, "must be a list")
        parts = [inner(part, f"{place}[{i}]") for i, part in enumerate(value)]
        return [part for part, _ in parts], "[" + ",".join(written for _, written in parts) + "]"

    return form


def pair(inner):
    def form(value, place):
        if not isinstance(value, list) or len(value) != 2:
            refuse(place, "must be a list of two")
        return listed(inner)(value, place)

    return form


class Record(dict):
    """The fields of an object, by name: record.field."""

    __getattr__ = dict.__getitem__


def record(**fields):
    def form(value, place):
        if not isinstance(value, dict):
            refuse(place, "must be an object")
        for key in value:
            if key not in fields:
                refuse(place, f"has the unknown field {key!r}" if key.isidentifier() else "has an unknown field")
        found, parts = Record(), []
        for name, inner in fields.items():
            if name in value:
                found[name], written = inner(value[name], f"{place}.{name}" if place else name)
            elif hasattr(inner, "without"):
                found[name], written = inner.without
            else:
                refuse(place, f"lacks the field {name!r}")
            if written is not None:
                parts.append(f'"{name}":{written}')
        return found, "{" + ",".join(parts) + "}"

    return form


def tagged(words=(), **bodies):
    """One of some words, or an object with one field, whose name says what it is: the value is (name, body)."""
    bodies = {name.replace("_", "-"): body for name, body in bodies.items()}

    def form(value, place):
        if words and not isinstance(value, dict):
            word, written = one_of(*words)(value, place)
            return (word, None), written
        if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in bodies:
            refuse(place, f"must be one of {', '.join([*words, *bodies])}")
        ((name, body),) = value.items()
        inner, written = bodies[name](body, f"{place}.{name}")
        return (name, inner), f'{{"{name}":{written}}}'

    return form


def unread(value, _):
    """Read elsewhere."""
    return value, ""


SIGNATURE = record(public_key=text, signature=text)


def digest_of(written):
    return "sha256:" + hashlib.sha256(written.encode("utf-8")).hexdigest()


def positive(*numbers):
    return all(number is not None and number > 0 for number in numbers)


def version(value, place, known):
    """The version is read before anything else."""
    for step in place:
        value = value.get(step) if isinstance(value, dict) else None
    if not isinstance(value, Number) or not WHOLE.match(value):
        refuse(".".join(place), "is not there: this is no release and no answer")
    need(value == str(known), f"schema version {value[:20]} is not {known}, the version that is known")
