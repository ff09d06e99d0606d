"""What the three estimators have in common: public numbers in, a release out."""

from __future__ import annotations

import numbers
import warnings
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _answer, _budget, _native, _plan
from ._ledger import entered_into
from ._pipeline import warn_of_learned_steps
from ._progress import stages
from ._release import Release
from ._replay import replay_seed
from ._schema import Schema, whom
from ._validation import aligned, check_features, finite, is_dask, target_name, with_names, without_values

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

#: Parameters that are numbers if they are given at all, and those that are whole numbers.
_NUMBERS = ("epsilon", "mu", "regulariser", "feature_bound", "target_bound", "parameter_bound", "curvature", "delta")
_WHOLE_NUMBERS = ("expected_rows", "max_rows", "rows_per_person")


def _real(name: str, value: Any) -> float | None:
    """A number as the library reads it. The library decides which numbers it accepts."""
    if value is None:
        return None
    try:
        if isinstance(value, numbers.Real) and not isinstance(value, bool) and not value < 0:
            return float(value)
    except OverflowError:
        pass
    raise ValueError(f"{name} must be a number above 0")


def _whole(name: str, value: Any) -> int | None:
    if value is None or isinstance(value, numbers.Integral) and not isinstance(value, bool) and 0 <= value < 2**63:
        return None if value is None else int(value)
    raise ValueError(f"{name} must be a whole number above 0")


class PredictedUseless(ValueError):
    """A fit that is predicted to be hardly better than a constant, or worse. Nothing was spent;
    ``allow_useless=True`` runs it anyway."""


class PredictedUselessWarning(UserWarning):
    """The same, if ``allow_useless=True`` ran the fit anyway."""


class PrivateLinearModel(BaseEstimator):
    """A linear model whose parameters are released through noise. Not an estimator by itself: use its subclasses."""

    #: The loss of one record, by its name in the library.
    _loss: ClassVar[str]
    #: What has no default on purpose, and why.
    _needed: ClassVar[dict[str, str]] = {
        "feature_bound": "no row of features is longer than this (longer ones are shortened); choose it without looking at the records",
    }
    #: What a fit sets.
    _fitted: ClassVar[tuple[str, ...]] = ("release_", "coef_", "intercept_", "classes_", "n_features_in_", "feature_names_in_")

    def fit(self, X: Any, y: Any = None, person: Any = None) -> Any:
        """Learns a private model. **Every call spends its budget again**, on the records you give it.

        Parameters
        ----------
        X : array-like or table of shape (n_samples, n_features)
            numpy array (any memory order, float64 or float32), pandas or polars DataFrame, pyarrow Table, or Dask
            collection. Rows whose norm is above ``feature_bound`` are shortened to it. With a ``schema``, a table as it
            is: categories, texts, missing cells. Nothing of X is kept.
        y : array-like of shape (n_samples,)
            Targets. With a ``schema`` they may be left out if X has the column.
        person : array-like of shape (n_samples,), optional
            Whom each row is about, with ``rows_per_person``: the first rows of each person are taken, and the guarantee
            is for a person with all rows. If a schema has a column of persons, X must have it instead.

        Returns
        -------
        self : estimator
            With ``release_``, ``coef_`` and ``intercept_``. A fit that is interrupted (Ctrl-C) or raises an error sets
            none of them: nothing is released, and its budget counts as spent.
        """
        for name in self._fitted:
            vars(self).pop(name, None)
        settings = self._settings()
        _budget.warn_of_copies(self)
        warn_of_learned_steps(self)
        if is_dask(X) or is_dask(y):
            from ._dask import fit_dask

            if person is not None or settings["rows_per_person"] is not None or getattr(self.schema, "person", None) is not None:
                raise ValueError("person must be left out for records on a cluster: a person's rows could be with several workers")
            if settings["classes"] is not None:
                raise ValueError("classes must be two for records on a cluster: the workers' sums are those of two classes")
            return fit_dask(self, X, y)
        persons = self._persons(X, person)
        features, targets, classes = self._converted(X, y)
        if persons is not None and len(persons[0] if isinstance(persons, tuple) else persons) != len(targets):
            raise ValueError("person must have one value for each row")
        with stages(self.progress) as stage:
            text = _native.fit(features, targets, settings, self._surroundings(), self._names(y, person), stage, persons)
        return self._released(text, classes)

    def _persons(self, X: Any, person: Any) -> Any:
        """Whom each row is about, if a guarantee for persons is asked for."""
        if self.schema is not None and self.schema.person is not None:
            if person is not None:
                raise ValueError("person must be left out: the schema has the column of persons")
            return whom(X, self.schema.person)
        if (person is None) != (self.rows_per_person is None):
            raise ValueError("person, rows_per_person: give both or neither: whom each row is about, and how many rows of each person are taken")
        if isinstance(person, str):
            raise ValueError("person must be one value for each row; a schema names the column")
        return None if person is None else whom(X, person)

    def _names(self, y: Any, person: Any = None) -> tuple[list[str], str, str, float | None] | None:
        """What is known of the columns if there is no schema: their names, and what stands for a missing number."""
        missing = finite("missing", self.missing)
        name = getattr(person, "name", None)
        known = target_name(y), name if isinstance(name, str) else "person", missing
        if hasattr(self, "feature_names_in_"):
            return list(self.feature_names_in_), *known
        return None if missing is None else ([f"x{k}" for k in range(self.n_features_in_)], *known)

    def _surroundings(self) -> dict[str, Any]:
        """Where a fit is entered, where its noise comes from, and what to tell if it is predicted to be useless."""
        ledger, dataset = entered_into(self.ledger, self.dataset)
        return {"ledger": ledger, "dataset": dataset, "replay_seed": replay_seed(), "useless": self._useless}

    def plan(self, n_features: int | None = None, n_rows: int | None = None) -> pandas.DataFrame:
        """All mechanisms side by side, predicted from public numbers. It needs no record and spends nothing.

        Parameters
        ----------
        n_features : int
            The number of columns; not needed with a schema.
        n_rows : int
            A public guess of the number of records; by default ``expected_rows``. Without either, 10,000 are assumed,
            and :meth:`verdict` says so.

        Returns
        -------
        pandas.DataFrame
            For each mechanism its worth (the part of what can be learnt that the model is predicted to keep), the
            regulariser, the predicted excess of the objective (summed over the rows) over its minimum, the same for
            the least suitable records, what the best constant is assumed to lose, passes over the records, and the
            reason if it is refused.
        """
        return _plan.table(*self._planned(n_features, n_rows))

    def verdict(self, n_features: int | None = None, n_rows: int | None = None) -> str:
        """What a fit is predicted to be worth, and what would make it useful, from public numbers. It needs no record.

        Parameters
        ----------
        n_features, n_rows : int
            As for :meth:`plan`.

        Returns
        -------
        str
            A range of accuracy, what it was calibrated on, and the number of rows, budget or columns
            that would make it useful.
        """
        return _native.verdict(*self._planned(n_features, n_rows))

    def plot_plan(self, n_features: int | None = None, n_rows: int | None = None, budgets: Any = None, ax: Any = None) -> matplotlib.axes.Axes:
        """Draws what :meth:`plan` predicts over a range of budgets.

        Parameters
        ----------
        n_features, n_rows : int
            As for :meth:`plan`.
        budgets : array-like, optional
            Values of ε or μ; by default a tenth to ten times the estimator's own.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib.axes.Axes
            The picture.
        """
        return _plan.picture(*self._planned(n_features, n_rows), budgets, ax)

    def score_private(
        self, X: Any, y: Any = None, *, epsilon: float | None = None, mu: float | None = None, bins: int | None = None,
        largest_error: float | None = None, expected_rows: int | None = None, neighbours: str = "add-remove", person: Any = None,
        rows_per_person: int | None = None, seen: bool = False, ledger: Any = None, dataset: str | None = None, allow_useless: bool = False,
    ) -> _answer.Answer:  # fmt: skip
        """How good the model is on rows it was not fitted to, through noise: a score that may be published. **Every
        call spends its budget.**

        Rows that :func:`asap_dp.split` set aside have their own budget: the guarantees of release and
        score hold side by side.

        Parameters
        ----------
        X, y : as for :meth:`fit`
            Rows that the model was not fitted to. Nothing of them is kept.
        epsilon, mu : float
            The budget of this score, one of the two.
        bins : int, optional
            Classes: an even number of bins of the predicted probability; AUC and calibration need 4 or more. The
            default is 10 if ``expected_rows`` says that their noise is small, otherwise 2: the confusion matrix.
        largest_error : float, optional
            Numbers: a larger error counts as this one, in the units of the target; by default the width of its range.
        expected_rows : int, optional
            A public guess of the number of rows. A score that would be known to ±0.1 at best raises
            ``PredictedUselessScore`` before it spends anything (``allow_useless=True`` runs it with a warning).
        neighbours : {"add-remove", "replace-one"}, default="add-remove"
            Which data sets the guarantee compares.
        person : str or array-like, optional
            The column, or one value for each row, that says whom a row is about: the first ``rows_per_person`` rows of
            each are counted. By default that of the schema.
        rows_per_person : int, optional
            No person has more rows; the noise grows with it. Without ``person`` you vouch for it. By
            default that of the schema.
        seen : bool, default=False
            States in the answer that the model may have been fitted to these rows: budgets add up, and the
            score flatters the model.
        ledger : path, optional
            The ledger file of the data set; the score is entered there first.
        dataset : str, optional
            With ``ledger``: the name of the data set, which the ledger compares with its own.

        Returns
        -------
        Answer
            ``metrics`` with 95 % intervals that cover sampling and noise, and a certificate that names the release.
        """
        check_is_fitted(self)
        if self.schema is not None and person is None and rows_per_person is None:
            person, rows_per_person = self.schema.person, self.schema.rows_per_person
        asked = _answer.asked_of(bins, largest_error, expected_rows, seen)
        promise = _answer.asking(epsilon, mu, neighbours, rows_per_person, ledger, dataset)
        features, targets = self._scored(_answer.without_person(X, person, self.schema), y)
        marks = () if self.schema is None else self.schema.marks
        rows = _answer.kept(X, person, rows_per_person, len(targets), marks)
        return _answer.score(self.release_.to_json(), features[rows], targets[rows], asked, promise, allow_useless)

    def plan_score(
        self, n_rows: int, *, epsilon: float | None = None, mu: float | None = None, bins: int | None = None,
        neighbours: str = "add-remove", rows_per_person: int | None = None,
    ) -> dict[str, float | None]:  # fmt: skip
        """What :meth:`score_private` would be worth with this many rows. It needs no record and spends nothing.

        Returns
        -------
        dict
            ``within``: the accuracy (or the mean error, as a part of the largest that counts) is known to ± this at
            worst, at 95 %; ``by_sampling``: the same without noise; ``auc_within``; ``useless_below_rows``.
        """
        check_is_fitted(self)
        asked = _answer.asked_of(bins, None, n_rows, False)
        return _answer.outlook(self.release_.to_json(), asked, _answer.asking(epsilon, mu, neighbours, rows_per_person, None))

    def _scored(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Features and targets of rows that are scored with, as the library reads them."""
        if self.schema is not None:
            return self.schema.encode(X, y, with_target=True)
        features, targets = without_values(lambda: self._validated(X, y, y_numeric=True, reset=False))
        return features.astype(np.float64, copy=False), np.asarray(targets, dtype=np.float64)

    def _planned(self, n_features: Any, n_rows: Any) -> tuple[dict[str, Any], int]:
        """The public numbers of a plan."""
        if isinstance(self.schema, Schema):
            parameters = len(self.schema.parameter_names)
            if n_features not in (None, parameters):
                raise ValueError("n_features must be left out, or equal to the number of columns of the schema")
            n_features = parameters
        n_rows = self.expected_rows if n_rows is None else n_rows
        if not _whole("n_features", n_features) or _whole("n_rows", n_rows) == 0:
            raise ValueError(f"{'n_rows' if n_features else 'n_features'} must be a whole number above 0")
        return self._settings(expected_rows=n_rows), int(n_features)

    def _useless(self, said: str) -> None:
        """Raises, or warns, before anything is spent on a model that is predicted to be worth nothing."""
        if not self.allow_useless:
            raise PredictedUseless(f"{said} Nothing was spent; allow_useless=True runs it anyway.")
        warnings.warn(said, PredictedUselessWarning, stacklevel=3)

    def _settings(self, **changed: Any) -> dict[str, Any]:
        """The public numbers of a fit, as the library's half expects them."""
        given = {**self.get_params(deep=False), **changed}
        if isinstance(given["regulariser"], str):
            if given["regulariser"] != "auto":
                raise ValueError("regulariser must be a number above 0, or 'auto'")
            given["regulariser"] = None
        for name in ("epsilon", "mu"):
            given.setdefault(name, None)
        if (given["epsilon"] is None) == (given["mu"] is None):
            raise ValueError("epsilon, mu: exactly one of them must be given, the privacy budget of one fit; there is no default, on purpose")
        finite("missing", self.missing)
        schema = self._checked_schema()
        for name, why in self._needed.items():
            if given[name] is None and not (schema and name in ("feature_bound", "target_bound")):
                raise ValueError(f"{name} is needed, or a schema: {why}")
        for name in _NUMBERS:
            given[name] = _real(name, given.get(name))
        for name in _WHOLE_NUMBERS:
            given[name] = _whole(name, given.get(name))
        for name in ("fit_intercept", "allow_useless"):
            if not isinstance(given[name], bool | np.bool_):
                raise ValueError(f"{name} must be True or False")
        for name in ("neighbours", "mechanism"):
            if not isinstance(given[name], str):
                raise ValueError(f"{name} must be one of the names in the documentation")
        names = (*_NUMBERS, *_WHOLE_NUMBERS, "neighbours", "mechanism")
        text = None if schema is None else schema.to_json()
        return {"loss": self._loss, "classes": None, "class_weights": None, "schema": text, "fit_intercept": bool(given["fit_intercept"]), **{name: given[name] for name in names}}

    def _checked_schema(self) -> Schema | None:
        """The schema, if there is one and its target is of the estimator's kind."""
        schema = self.schema
        if schema is None:
            return None
        if not isinstance(schema, Schema):
            raise ValueError("schema must be an asap_dp.Schema; Schema.from_toml reads one from a file")
        if schema.person is not None and self.rows_per_person is not None:
            raise ValueError("rows_per_person must be left out: the schema says it")
        if self.missing is not None:
            raise ValueError("missing: the schema says what stands for missing cells")
        if (schema.classes is None) == (self._loss == "logistic"):
            raise ValueError("schema: a classifier needs classes or at_least for the target, a regressor a range")
        return schema

    def _converted(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Features and targets as the library reads them, and the classes if there are any."""
        if self.schema is not None:
            return self._encoded(X, y)

        def validated() -> tuple[np.ndarray, np.ndarray]:
            features, targets = self._validated(X, y, y_numeric=True)
            return features, np.asarray(targets, dtype=np.float64)

        features, targets = without_values(validated)
        return aligned(features), aligned(targets), None

    def _encoded(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The numbers that the schema makes of a table."""
        features, targets = self.schema.encode(X, y, with_target=True)
        self.feature_names_in_ = np.asarray(self.schema.columns, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        classes = self.schema.classes
        return features, targets, None if classes is None else np.asarray(classes)

    def _validated(self, X: Any, *y: Any, **options: Any) -> Any:
        """scikit-learn's validation of numbers; a public value stands for missing ones if there is one. A data set
        without records is a data set, too."""
        options = {"ensure_min_samples": 0, **options}
        validate = lambda **more: validate_data(self, with_names(X), *y, **options, **more)  # noqa: E731
        return check_features(validate, finite("missing", self.missing))

    def _released(self, text: str, classes: np.ndarray | None, **named: Any) -> Any:
        """Takes over what was released: from here on there is nothing but the release."""
        release = Release(text)
        theta = release.theta
        weights, constant = (theta[..., :-1], theta[..., -1]) if self.fit_intercept else (theta, np.zeros(theta.shape[:-1]))
        columns = weights.shape[-1] if self.schema is None else len(self.schema.columns)
        made: dict[str, Any] = {"release_": release, "n_features_in_": columns}
        if classes is None:
            made |= {"coef_": weights, "intercept_": float(constant)}
        else:
            made |= {"classes_": classes, "coef_": np.atleast_2d(weights), "intercept_": np.atleast_1d(constant)}
        # In one step: Ctrl-C comes before it or after it, and never leaves a release without its parameters.
        vars(self).update(made, **named)
        return self

    def _linear(self, X: Any) -> np.ndarray:
        """⟨x, θ̂⟩ plus intercept for each row, which is shortened to the public bound as the rows of the fit were; a
        column for each model."""
        check_is_fitted(self)
        if self.schema is not None:
            X, _ = self.schema.encode(X)
        else:
            X = without_values(lambda: self._validated(X, reset=False)).astype(np.float64, copy=False)
        weights, bound = np.atleast_2d(self.coef_).T, self.release_.feature_bound
        # First by its largest number: the squares of a very long row have none.
        largest = np.abs(X).max(axis=1, initial=0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            plain = X @ weights
            directions = X / np.maximum(largest, 1e-300)[:, None]
            lengths = np.linalg.norm(directions, axis=1)
            long = largest * lengths > bound
        shortened = (bound / np.maximum(lengths, 1.0))[:, None] * (directions @ weights)
        scores = np.where(long[:, None], shortened, plain) + np.ravel(self.intercept_)
        return scores if scores.shape[1] > 1 else scores[:, 0]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "release_")

    def __sklearn_clone__(self) -> Any:
        # Imported late: the name is scikit-learn's own, and estimators that are never copied do not need it.
        from sklearn.base import _clone_parametrized

        copy = _clone_parametrized(self)
        _budget.joined(copy, self)
        return copy

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_copy_number": _budget.number_of(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        number = state.pop("_copy_number", 0)
        super().__setstate__(state)
        _budget.restored(self, number)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Noise has no seed that anybody may know.
        tags.non_deterministic = True
        tags.target_tags.required = self.schema is None
        tags.input_tags.allow_nan = self.missing is not None or self.schema is not None
        return tags
