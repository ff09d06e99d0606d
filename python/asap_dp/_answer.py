"""Answers: scores, counts and quantiles that may be published, with their certificates; and rows that are
set aside for scoring."""

from __future__ import annotations

import json
import numbers
import secrets
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array

from . import _native
from ._budget import BudgetWarning
from ._ledger import entered_into
from ._release import Sealed, _table
from ._replay import replay_seed
from ._schema import _cells, _column, _names_of, without_others, whom
from ._validation import aligned, without_values

if TYPE_CHECKING:
    import matplotlib.axes


class PredictedUselessScore(ValueError):
    """A score that would be known to ±0.1 at best. Nothing was spent; ``allow_useless=True`` runs it anyway."""


class Estimate(NamedTuple):
    """A released number with its 95 % interval, which covers sampling and noise.

    Attributes
    ----------
    value : float or None
        The best guess; ``None`` if the noise leaves nothing to divide by.
    low, high : float
        The ends of the interval.
    """

    value: float | None
    low: float
    high: float

    def __str__(self) -> str:
        value = "–" if self.value is None else f"{self.value:.4g}"
        return f"{value} ({self.low:.4g} to {self.high:.4g})"


class Answer(Sealed):
    """A score, a count or a quantile with its certificate: what may be published, as JSON that keeps every bit.

    ``asap check`` reads its file like that of a release.
    """

    __slots__ = ("_found",)

    _read, _checked = staticmethod(_native.read_answer), staticmethod(_native.check_answer)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._found: dict[str, Any] = json.loads(_native.found(self._text))

    @property
    def statement(self) -> dict[str, Any]:
        """Question, guarantee, noise and noisy numbers (a copy)."""
        return json.loads(self._text)["statement"]

    @property
    def guarantee(self) -> tuple[str, float]:
        """``("epsilon", ε)`` or ``("mu", μ)``; δ is 0 in both cases."""
        ((kind, value),) = self._document["statement"]["guarantee"].items()
        return {"pure": "epsilon", "gaussian": "mu"}[kind], float(value)

    @property
    def is_private(self) -> bool:
        """Whether the noise came from a secure generator. If not, the answer is **not** private."""
        return self._document["statement"]["randomness"] == "secure"

    @property
    def metrics(self) -> dict[str, Estimate]:
        """Every released number by its name: ``accuracy``, ``recall``, ``mean_absolute``,
        ``rows`` …, or ``quantile``."""
        ((kind, found),) = self._found.items()
        if kind == "quantile":
            return {kind: Estimate(found, found, found)}
        found = {"rows": found} if kind == "rows" else found
        numbers = {name: _estimate(one) for name, one in found.items() if isinstance(one, dict)}
        # Of more than two classes the share of each that is predicted right.
        return numbers | {f"recall of {name}": _estimate(one) for name, one in found.get("recalls", [])}

    @property
    def value(self) -> float:
        """The released number of a count or a quantile."""
        ((kind, found),) = self._found.items()
        if kind not in ("rows", "quantile"):
            raise AttributeError("a score has several numbers: see metrics")
        return float(found["value"] if kind == "rows" else found)

    @property
    def confusion(self) -> np.ndarray:
        """Noisy numbers of rows: for the other class and the positive one, how many are predicted to be of each."""
        return np.array(self._classes()["confusion"])

    @property
    def calibration(self) -> list[tuple[float, float, Estimate]]:
        """For each bin of predicted probabilities its ends, and the share of the positive
        class; empty with two bins."""
        return [(one["from"], one["to"], _estimate(one["share"])) for one in self._classes()["calibration"]]

    @property
    def curve(self) -> list[tuple[float, Estimate, Estimate]]:
        """For each threshold the false positive rate and the true positive one."""
        return [(one["threshold"], _estimate(one["false_positive"]), _estimate(one["true_positive"])) for one in self._classes()["curve"]]

    def _classes(self) -> dict[str, Any]:
        if "classes" not in self._found:
            raise AttributeError("only the score of a classifier has it")
        return self._found["classes"]

    def plot(self, axes: Any = None) -> tuple[matplotlib.axes.Axes, matplotlib.axes.Axes]:
        """Draws the ROC curve with its band and the calibration, for a score of four bins or more."""
        if not self.calibration:
            raise ValueError("plot: needs a curve, for example that of score_private(..., bins=10)")
        if axes is None:
            try:
                from matplotlib import pyplot
            except ImportError:
                raise ImportError("plot draws with matplotlib: pip install matplotlib") from None
            _, axes = pyplot.subplots(1, 2, figsize=(9, 4.5))
        left, right = axes
        points = list(reversed(self.curve))

        def path(rates: Any) -> tuple[np.ndarray, np.ndarray]:
            # Rates only grow along the curve; noise does not know that.
            whole = np.maximum.accumulate(np.array([(0.0, 0.0), *rates, (1.0, 1.0)]), axis=0)
            return whole[:, 0], whole[:, 1]

        def middle(one: Estimate) -> float:
            return (one.low + one.high) / 2 if one.value is None else one.value

        (x, upper), (far, lower) = (path((f.low, t.high) for _, f, t in points), path((f.high, t.low) for _, f, t in points))
        left.fill(np.concatenate([x, far[::-1]]), np.concatenate([upper, lower[::-1]]), alpha=0.18)
        left.plot(*path((middle(f), middle(t)) for _, f, t in points))
        left.set(xlabel="false positive rate", ylabel="true positive rate")
        for low, high, share in self.calibration:
            right.plot([(low + high) / 2] * 2, [share.low, share.high], color="C0", alpha=0.5)
            if share.value is not None:
                right.plot((low + high) / 2, share.value, "o", color="C0")
        right.set(xlabel="predicted probability", ylabel="share of the positive class")
        for ax in (left, right):
            ax.plot([0, 1], [0, 1], color="0.6", zorder=0)
        return left, right

    def __repr__(self) -> str:
        kind, budget = self.guarantee
        private = "" if self.is_private else ", NOT PRIVATE: its random bits come from a known seed"
        shown = "; ".join(f"{name} {one}" for name, one in self.metrics.items())
        return f"Answer({shown}; {kind}={budget:g}{private})"

    def _repr_html_(self) -> str:
        rows = [(name, "–" if one.value is None else f"{one.value:.4g}", f"{one.low:.4g} to {one.high:.4g}") for name, one in self.metrics.items()]
        return _table([repr(self.guarantee), "released", "95 % interval"], rows)


def _estimate(one: dict[str, Any]) -> Estimate:
    return Estimate(one["value"], one["low"], one["high"])


def asking(epsilon: Any, mu: Any, neighbours: Any, rows_per_person: Any, ledger: Any, dataset: Any = None) -> dict[str, Any]:
    """What an answer promises, as the library's half expects it."""
    if (epsilon is None) == (mu is None):
        raise ValueError("epsilon, mu: exactly one of them must be given, the privacy budget of one answer; there is no default, on purpose")
    for name, value in (("epsilon", epsilon), ("mu", mu)):
        if value is not None and (not isinstance(value, numbers.Real) or isinstance(value, bool)):
            raise ValueError(f"{name} must be a number above 0")
    if not isinstance(neighbours, str):
        raise ValueError("neighbours must be add-remove or replace-one")
    entered, dataset = entered_into(ledger, dataset)
    return {
        "epsilon": None if epsilon is None else float(epsilon),
        "mu": None if mu is None else float(mu),
        "neighbours": neighbours,
        "rows_per_person": None if rows_per_person is None else whole("rows_per_person", rows_per_person),
        "ledger": entered,
        "dataset": dataset,
        "replay_seed": replay_seed(),
    }


def whole(name: str, value: Any) -> int:
    """A whole number above 0."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and 0 < value < 2**63:
        return int(value)
    raise ValueError(f"{name} must be a whole number above 0")


def kept(table: Any, person: Any, rows_per_person: Any, rows: int, marks: Any = ()) -> np.ndarray | slice:
    """The rows that are counted: all of them, or the first ones of each person."""
    if person is None:
        return slice(None)
    if rows_per_person is None:
        raise ValueError("person: needs rows_per_person, a public number")
    mask = _native.first_rows(whom(table, person), whole("rows_per_person", rows_per_person), list(marks))
    if len(mask) != rows:
        raise ValueError("person must have one value for each row")
    return mask


def without_person(X: Any, person: Any, schema: Any) -> Any:
    """A table without the column of persons, if the schema does not know it."""
    if schema is None or not isinstance(person, str):
        return X
    return without_values(lambda: without_others(X, {*_names_of(X)} - ({person} - schema.known)))


def outlook(release: str, asked: dict[str, Any], promise: dict[str, Any]) -> dict[str, float | None]:
    """What a score would be worth."""
    return json.loads(_native.score_outlook(release, asked, promise, asked["expected_rows"]))


def score(release: str, features: np.ndarray, targets: np.ndarray, asked: dict[str, Any], promise: dict[str, Any], allow_useless: bool) -> Answer:
    """The answer of a release that is scored with rows of numbers."""

    def useless(rows: int, within: float, least: int) -> None:
        said = f"With {rows} rows this score would be known to ±{within:.2g} at best, at this budget; below about {least} rows it is of no use."
        if not allow_useless:
            raise PredictedUselessScore(f"{said} Nothing was spent; allow_useless=True runs it anyway.")
        warnings.warn(said, UserWarning, stacklevel=5)

    def fitted() -> None:
        warnings.warn(
            "this ledger says that the release was fitted to its records, and the score will say that it saw none of these rows. If they "
            "were not set aside before the fit, give seen=True",
            BudgetWarning,
            stacklevel=5,
        )

    return Answer(_native.score(release, aligned(features), aligned(targets), asked, promise, useless, fitted))


def asked_of(bins: Any, largest_error: Any, expected_rows: Any, seen: Any) -> dict[str, Any]:
    """What is asked of a release, as the library's half expects it."""
    if largest_error is not None and (not isinstance(largest_error, numbers.Real) or isinstance(largest_error, bool)):
        raise ValueError("largest_error must be a number above 0")
    if not isinstance(seen, bool):
        raise ValueError("seen must be True or False")
    return {
        "bins": None if bins is None else whole("bins", bins),
        "largest_error": None if largest_error is None else float(largest_error),
        "expected_rows": None if expected_rows is None else whole("expected_rows", expected_rows),
        "seen": seen,
    }


def count(
    data: Any, *, epsilon: float | None = None, mu: float | None = None, neighbours: str = "add-remove", person: Any = None,
    rows_per_person: int | None = None, ledger: Any = None, dataset: str | None = None,
) -> Answer:  # fmt: skip
    """How many rows a table has, through noise. **Every call spends its budget.**

    Use it if you do not know ``expected_rows``.

    Parameters
    ----------
    data : table or array-like
        Only its rows are counted; nothing else is read.
    epsilon, mu : float
        The budget of this call, one of the two.
    neighbours : {"add-remove", "replace-one"}, default="add-remove"
        Which data sets the guarantee compares. If a row is replaced, the number of rows stays; the noise is
        that of a cell all the same.
    person : str or array-like, optional
        The column, or one value for each row, that says whom a row is about: the first ``rows_per_person``
        rows of each are counted.
    rows_per_person : int, optional
        No person has more rows; the noise grows with it. Without ``person`` you vouch for it.
    ledger : path, optional
        The ledger file of the data set; the answer is entered there first.
    dataset : str, optional
        With ``ledger``: the name of the data set, which the ledger compares with its own.

    Returns
    -------
    Answer
        With ``value`` and, in ``metrics["rows"]``, its interval.
    """
    promise = asking(epsilon, mu, neighbours, rows_per_person, ledger, dataset)
    rows = without_values(lambda: len(data))
    mask = kept(data, person, rows_per_person, rows)
    return Answer(_native.count(rows if isinstance(mask, slice) else int(mask.sum()), promise))


def private_quantile(
    values: Any, candidates: Any, q: float, epsilon: float | None = None, *, mu: float | None = None, neighbours: str = "add-remove",
    person: Any = None, rows_per_person: int | None = None, ledger: Any = None, dataset: str | None = None,
) -> Answer:  # fmt: skip
    """One of ``candidates``, close to the ``q``-quantile of ``values``. **Every call spends its budget**, on
    top of what the fit spends.

    The exponential mechanism over public candidates, drawn exactly: ε-differentially private with δ = 0
    (``spec/own-quantile.md``).

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        One number for each record, for instance a column or the norms of the rows. Each must
        depend only on its own record.
    candidates : array-like
        The possible answers: finite numbers in increasing order. Public: choose them without looking at the records,
        for instance powers of two from the smallest to the largest that make sense.
    q : float
        The level, from 0.000001 to 0.999999; it is taken to six digits.
    epsilon, mu : float
        The budget of this call, one of the two; a μ is converted to its ε.
    neighbours : {"add-remove", "replace-one"}, default="add-remove"
        As for the fit that will use it.
    person : array-like of shape (n_samples,), optional
        Whom each value is about: the first ``rows_per_person`` values of each are taken.
    rows_per_person : int, optional
        No person has more values, 1000 at most. Without ``person`` you vouch for it.
    ledger : path, optional
        The ledger file of the data set; the answer is entered there first.
    dataset : str, optional
        With ``ledger``: the name of the data set, which the ledger compares with its own.

    Returns
    -------
    Answer
        Its ``value`` is the candidate that was drawn. It may be published, and a bound made from it is a public number.
    """
    if not isinstance(q, numbers.Real) or isinstance(q, bool):
        raise ValueError("q must be a number")
    promise = asking(epsilon, mu, neighbours, rows_per_person, ledger, dataset)
    offered = np.asarray(candidates)
    if offered.ndim != 1 or offered.dtype.kind not in "iuf":
        raise ValueError("candidates must be a list of numbers")

    def validated() -> np.ndarray:
        column = check_array(values, ensure_2d=False, dtype=np.float64, ensure_min_samples=0, input_name="values")
        if column.ndim != 1:
            raise ValueError("values should be a 1d array")
        return column

    column = without_values(validated)
    column = column[kept(values, person, rows_per_person, len(column))]
    return Answer(_native.quantile(aligned(column), offered.astype(np.float64).tolist(), float(q), promise))


def split(table: Any, test: float = 0.2, *, person: Any = None, key: str | None = None) -> tuple[Any, Any]:
    """Rows to learn from and rows to score with: a keyed hash of each row, or of the person it is about, decides.

    Nothing else does, so adding or removing a row moves no other, and the guarantees of a fit to one part and of a
    score with the other hold side by side (``spec/own-split.md``). ``asap split`` has the same rule: with the same key,
    the same text for a person, or for all cells of a row, is on the same side.

    Parameters
    ----------
    table : pandas or polars DataFrame, pyarrow Table, or 2D numpy array
        With the target: equal rows are on one side.
    test : float, default=0.2
        The part of the rows, or of the persons, to score with.
    person : str or array-like, optional
        The column, or one value for each row, that says whom a row is about: all rows of a person are on one side.
    key : str, optional
        A key in your own words, which may be public: the same key divides the same rows alike. By default a
        fresh one, which is not kept.

    Returns
    -------
    train, test : the same kind of table
        Two parts, each with the rows in their order.
    """
    if not isinstance(test, numbers.Real) or isinstance(test, bool):
        raise ValueError("test must be a number greater than 0 and less than 1")
    if key is not None and not isinstance(key, str):
        raise ValueError("key must be a text")

    def columns() -> list[Any]:
        if isinstance(person, str):
            names = _names_of(table)
            if person not in names:
                raise ValueError("schema: the column that `person` names is not in the table")
            return [_cells(_column(table, names[person]))]
        if person is not None:
            return [_cells(person)]
        if isinstance(table, np.ndarray):
            return [_cells(column) for column in table.T]
        return [_cells(_column(table, name)) for name in _names_of(table).values()]

    tested = _native.split(without_values(columns), float(test), secrets.token_hex(32) if key is None else key)
    if len(tested) != len(table):
        raise ValueError("person must have one value for each row")
    return _rows(table, ~tested), _rows(table, tested)


def _rows(table: Any, mask: np.ndarray) -> Any:
    """The rows of a table where a mask is set."""
    module = type(table).__module__.split(".")[0]
    if module == "polars":
        return table.filter(mask)
    if module == "pyarrow":
        return table.take(np.flatnonzero(mask))
    return table[mask]
