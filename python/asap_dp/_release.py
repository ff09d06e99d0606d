"""A release: the parameters that may leave, with their certificate."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_array

from . import _native
from ._schema import Schema, in_order, without_others
from ._validation import aligned, without_values


@dataclass(frozen=True)
class Verdict:
    """The result of a check.

    Attributes
    ----------
    checked : tuple of (page, clause)
        The clauses that hold, with the page of ``spec/`` that derives each.
    assumed : tuple of (page, why)
        What no check of the file can show.
    """

    checked: tuple[tuple[str, str], ...]
    assumed: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return f"Verdict({len(self.checked)} clauses hold, {len(self.assumed)} assumptions)"

    def _repr_html_(self) -> str:
        rows = [("holds", page, text) for page, text in self.checked] + [("assumed", page, text) for page, text in self.assumed]
        return _table(["", "page of spec/", ""], rows)


class Sealed:
    """What may be published, as JSON text that keeps every bit. It holds no record, and neither does its
    pickle, which is the text."""

    __slots__ = ("_document", "_text")

    #: The library's own reader of such a text, and what decides its inequalities.
    _read: ClassVar[Callable[[str], str]]
    _checked: ClassVar[Callable[[str], str]]

    def __init__(self, text: str) -> None:
        self._text: str = self._read(text)
        self._document: dict[str, Any] = json.loads(self._text)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Any:
        """What is in a file that ``asap`` or :meth:`save` wrote."""
        with open(path, encoding="utf-8") as file:
            return cls(file.read())

    def to_json(self) -> str:
        """The text that ``asap check`` reads."""
        return self._text

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the JSON text to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._text)

    def check(self) -> Verdict:
        """Derives every inequality of the certificate again, in exact rationals.

        Returns
        -------
        Verdict
            What holds and what is assumed.

        Raises
        ------
        ValueError
            Naming the first clause that does not hold.
        """
        verdict = json.loads(self._checked(self._text))
        return Verdict(
            checked=tuple((one["spec"], one["clause"]) for one in verdict["checked"]),
            assumed=tuple((one["spec"], one["why"]) for one in verdict["assumed"]),
        )

    @property
    def digest(self) -> str:
        """The digest of what it says: a score of a release names the release by it."""
        return str(self._document["digest"])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._text,)


class Release(Sealed):
    """A released model with its certificate: what may be published, as JSON that keeps every bit.

    It holds no record, and neither does its pickle, which is the JSON text.
    """

    __slots__ = ("_certificates",)

    _read, _checked = staticmethod(_native.read), staticmethod(_native.check)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        # One, or that of each of more than two classes.
        parts = self._document["one_against_rest"]["parts"] if self._has_parts else [self._document]
        self._certificates: list[dict[str, Any]] = [part["certificate"] for part in parts]

    @property
    def _has_parts(self) -> bool:
        return "one_against_rest" in self._document

    @classmethod
    def from_json(cls, text: str) -> Release:
        """The release of a JSON text; ``ValueError`` if the text is not a release. It is
        well-formed, not yet checked."""
        return cls(text)

    @property
    def schema(self) -> Schema | None:
        """The schema of the table, if the release has one: then :meth:`predict` takes tables as they are."""
        columns = self._document["columns"]
        if columns is None or any("plain" in feature["kind"] for feature in columns["features"]):
            return None
        return Schema._of_json(json.dumps(columns))

    @property
    def classes(self) -> list[str] | None:
        """The classes, if the release names them: of two, the positive one is last."""
        if self._has_parts:
            return [part["class"] for part in self._document["one_against_rest"]["parts"]]
        return None if self.schema is None else self.schema.classes

    def predict(self, X: Any) -> np.ndarray:
        """The library's own predictions: ⟨x, θ̂⟩ plus intercept; for the logistic loss the probability of the second
        class, and with more than two classes that of each, in a column of its own.

        With a schema, X is a table as it is: unknown levels, missing cells and ranges are treated as in the fit, and
        columns that the schema does not know are not looked at. Without one, X is numbers in the units of the fit, and
        a table with other columns is refused.
        """
        if self.schema is not None:
            rows, _ = self.schema.encode(without_values(lambda: without_others(X, self.schema.known)))
            return self._predicted(rows)
        if self._document["columns"] is not None:
            X = without_values(lambda: in_order(X, [feature["name"] for feature in self._document["columns"]["features"]]))
        rows = without_values(lambda: check_array(X, dtype=np.float64, ensure_min_samples=0, input_name="X"))
        problem = self._certificates[0]["problem"]
        if rows.shape[1] != problem["dimension"] - problem["intercept"]:
            raise ValueError("X must have one column for each feature of the release")
        return self._predicted(aligned(rows))

    def _predicted(self, rows: np.ndarray) -> np.ndarray:
        predicted = _native.predict(self._text, rows)
        return predicted.reshape(len(rows), len(self._certificates)) if self._has_parts else predicted

    @property
    def certificate(self) -> dict[str, Any]:
        """What the release says of itself (a copy); with more than two classes, the total and
        the certificate of each."""
        return json.loads(self._text)["one_against_rest" if self._has_parts else "certificate"]

    @property
    def theta(self) -> np.ndarray:
        """θ̂: one number for each feature, and last the intercept if there is one; with more than two
        classes, a row for each."""
        thetas = np.array([one["theta"] for one in self._certificates], dtype=np.float64)
        return thetas if self._has_parts else thetas[0]

    @property
    def feature_bound(self) -> float:
        """R: longer rows are shortened to this norm, in the fit and in predictions."""
        return float(self._certificates[0]["problem"]["feature_norm"])

    @property
    def target_bound(self) -> float:
        """Y: targets and predictions of a regression are within ±Y."""
        return float(self._certificates[0]["problem"]["target"])

    @property
    def guarantee(self) -> tuple[str, float]:
        """``("epsilon", ε)`` or ``("mu", μ)``, for a person if the release is about persons;
        δ is 0 in both cases."""
        certificate = self._certificates[0]
        holder = self._document["one_against_rest"] if self._has_parts else certificate.get("person", certificate["ledger"])
        ((kind, value),) = holder["total"].items()
        return {"pure": "epsilon", "gaussian": "mu"}[kind], float(value)

    @property
    def rows_per_person(self) -> int | None:
        """The guarantee is for a person, and at most so many rows of a person count; ``None`` if it is for a record."""
        return self._certificates[0].get("person", {}).get("rows")

    @property
    def mechanism(self) -> str:
        """The name of the mechanism; with more than two classes, that of the first."""
        (name,) = self._certificates[0]["mechanism"]
        return name

    @property
    def is_private(self) -> bool:
        """Whether the noise came from a secure generator. If not, the release is **not** private."""
        return all(one["randomness"] == "secure" for one in self._certificates)

    @property
    def columns(self) -> dict[str, Any] | None:
        """The schema of the table, or the names of the features and of the target, if they are known."""
        return json.loads(self._text)["columns"]

    def __repr__(self) -> str:
        kind, value = self.guarantee
        private = "" if self.is_private else ", NOT PRIVATE: its random bits come from a known seed"
        classes = f"{len(self._certificates)} classes, " if self._has_parts else ""
        return f"Release({kind}={value:g}, mechanism={self.mechanism!r}, {classes}{self.theta.size} parameters{private})"

    def _repr_html_(self) -> str:
        certificate, columns = self._certificates[0], self._document["columns"]
        problem, (kind, value) = certificate["problem"], self.guarantee
        loss = problem["loss"] if isinstance(problem["loss"], str) else ", ".join(problem["loss"])
        if loss == "huber":
            loss += f", linear beyond a residual of {problem['loss']['huber']['delta']:g}"
        try:
            checked = repr(self.check())
        except ValueError as failed:
            checked = f"DOES NOT HOLD: {failed}"
        rows = [
            ("guarantee", f"{ {'epsilon': 'ε', 'mu': 'μ'}[kind] } = {value:g}, δ = 0"),
            ("private", "yes" if self.is_private else "NO: the random bits come from a known seed"),
            ("neighbours", certificate["neighbours"] + (f", a person with {self.rows_per_person} rows at most" if self.rows_per_person else "")),
            ("check", checked),
            ("mechanism", self.mechanism),
            *self._spent(),
            ("numerics", max((one["numerics"] for one in self._certificates), key=_NUMERICS.index)),
            ("certified", all(one["certified"] for one in self._certificates)),
            ("loss", loss),
            ("bound of a row's norm", f"{problem['feature_norm']:g}"),
            ("bound of a target", "–" if loss == "logistic" else f"{problem['target']:g}"),
            ("regulariser Λ", f"{problem['regulariser']:g}"),
            ("parameter bound", "–" if problem["parameter_bound"] is None else f"{problem['parameter_bound']:g}"),
            ("most rows", problem["max_rows"]),
            *((f"column {feature['name']}", json.dumps(feature["kind"], ensure_ascii=False)) for feature in (columns or {}).get("features", [])),
            *((f"target {one['name']}", json.dumps(one["kind"], ensure_ascii=False)) for one in [(columns or {}).get("target")] if one),
            ("digest", self._document["digest"]),
        ]
        names = _native.release_parameter_names(self._text) if columns else [f"x{k}" for k in range(problem["dimension"] - problem["intercept"])]
        names += ["intercept"] * problem["intercept"]
        values = zip(*(one["theta"] for one in self._certificates), strict=True)
        parameters = [(name, *(f"{value:.6g}" for value in of_one)) for name, of_one in zip(names, values, strict=True)]
        header = self.classes if self._has_parts else ["value"]
        return _table(["certificate", ""], rows) + _table(["parameter", *header], parameters)

    def _spent(self) -> list[tuple[str, str]]:
        """What each part of the mechanism spends, or each class."""
        if not self._has_parts:
            return [(f"spent on {share['name']}", f"{share['spent']:g}") for share in self._certificates[0]["ledger"]["shares"]]
        totals = (one.get("person", one["ledger"])["total"] for one in self._certificates)
        return [(f"spent on {name}", f"{value:g}") for name, total in zip(self.classes, totals, strict=True) for value in total.values()]


#: The arithmetic of a guarantee, from the strongest to the weakest.
_NUMERICS = ("rigorous", "real-arithmetic-only", "asymptotic-constants")


def _table(header: list[str], rows: list[tuple[Any, ...]]) -> str:
    def line(cells: Any, tag: str) -> str:
        return "<tr>" + "".join(f"<{tag} style='text-align:left'>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + line(header, "th") + "".join(line(row, "td") for row in rows) + "</table>"
