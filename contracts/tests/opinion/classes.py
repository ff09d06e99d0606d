"""A file of more than two classes: a certificate for each, and what they spend together (own:one-against-rest)."""

from opinion import certificate as forms
from opinion import form, release, schema
from opinion.exact import need
from opinion.form import listed, optional, record, text, unsigned

VERSION = 1
MOST = 100
PAGE = "own:one-against-rest"
PARTS = record(schema=unsigned, total=forms.GUARANTEE, parts=listed(record(**{"class": text, "certificate": forms.CERTIFICATE})))
SEALED = record(columns=schema.COLUMNS, one_against_rest=PARTS)
FILE = record(columns=optional(form.unread), one_against_rest=form.unread, digest=text, signature=optional(form.SIGNATURE))


def check(value):
    """A file, as `form.read` gives it: what it says, or `Refused`."""
    form.version(value, ("one_against_rest", "schema"), VERSION)
    file, _ = FILE(value, "")
    it, written = SEALED({"columns": file.columns, "one_against_rest": file.one_against_rest}, "")
    parts = it.one_against_rest.parts
    names, certificates = [part["class"] for part in parts], [part.certificate for part in parts]
    need(3 <= len(names) <= MOST and schema.told_apart(names), "three classes or more that are told apart, each with one part", PAGE)
    for one in certificates:
        need(one.schema == forms.VERSION, "schema version is known")
        release.Check(one).run()
    need(all(one.problem.loss[0] == "logistic" for one in certificates), "every part is a logistic regression", PAGE)
    same = all(public(one) == public(certificates[0]) for one in certificates)
    need(same, "parts are about the same records, neighbours and problem", PAGE)
    kind, total = it.one_against_rest.total
    promised = [(one.person or one.ledger).total for one in certificates]
    alike = all(one == kind for one, _ in promised)
    squares = [spent if kind == "pure" else spent**2 for _, spent in promised]
    within = total > 0 and all(spent > 0 for spent in squares) and sum(squares) <= (total if kind == "pure" else total**2)
    need(alike and within, "all parts together spend at most the total", PAGE)
    counted = [one.problem.class_weights for one in certificates]
    schema.check(it.columns, certificates[0].problem, certificates[0].person, names, counted)
    need(file.digest == form.digest_of(written), "nothing was edited (digest)")
    return form.Record(it, digest=file.digest)


def public(certificate):
    """What all parts have to say alike: everything of the records and the problem but what the classes count."""
    problem = {name: value for name, value in certificate.problem.items() if name != "class_weights"}
    rows = certificate.person and certificate.person.rows
    return certificate.neighbours, rows, certificate.randomness, certificate.crate_version, problem
